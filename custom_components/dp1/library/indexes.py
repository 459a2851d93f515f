"""The indexes of what a library searches."""

from collections.abc import Sequence

from homeassistant.core import HomeAssistant

from ..client.catalog.models import Artwork, Exhibition, Series
from .artists import Artist, Artists
from .catalog.coordinator import CatalogCoordinator
from .feed.coordinator import FeedCoordinator
from .feed.records import FeedChannel, FeedPlaylist
from .matching.list_index import ListIndex
from .matching.text_index import TextIndex, line
from .tree import Node, artist_of


class Indexes:
    """The indexes of a library, each brought up to date when it is asked for."""

    def __init__(
        self,
        hass: HomeAssistant,
        catalog: CatalogCoordinator,
        feed: FeedCoordinator,
        artists: Artists,
    ) -> None:
        """Initialize the indexes of nothing."""
        self._catalog = catalog
        self._feed = feed
        self._artists = artists
        self._shows = ListIndex(hass, _text_of_show)
        self._series = ListIndex(hass, self._text_of_series)
        self._playlists = ListIndex(hass, _text_of_playlist)
        self._channels = ListIndex(hass, _text_of_channel)
        self._makers = ListIndex(hass, _text_of_artist)
        self._works = ListIndex(hass, self._text_of_work)

    async def async_prepare(self) -> None:
        """Index what is known, so that nobody waits for it."""
        await self.async_shows()
        await self.async_artists()
        await self.async_series()
        await self.async_works()
        await self.async_playlists()

    async def async_shows(self) -> TextIndex[Exhibition]:
        """Return the index of the exhibitions."""
        return await self._shows.async_of(self._catalog.data.records)

    async def async_artists(self) -> TextIndex[Artist]:
        """Return the index of the artists."""
        return await self._makers.async_of(self._artists.known())

    async def async_series(self) -> TextIndex[Series]:
        """Return the index of the series."""
        return await self._series.async_of(self._catalog.all_series)

    async def async_works(self) -> TextIndex[tuple[str, Artwork]]:
        """Return the index of the works with names of their own."""
        return await self._works.async_of(self._catalog.works.named.records)

    async def async_playlists(self) -> TextIndex[FeedPlaylist]:
        """Return the index of the playlists and their works."""
        return await self._playlists.async_of(self._feed.data.records)

    async def async_channels(self) -> TextIndex[FeedChannel]:
        """Return the index of the channels."""
        return await self._channels.async_of(self._feed.channels)

    def _text_of_series(self, series: Series) -> str:
        """Return the line of a series in the index."""
        return line(series.title, *self._context_of(series))

    def _text_of_work(self, found: tuple[str, Artwork]) -> str:
        """Return the line of a work in the index."""
        series_id, work = found
        if (series := self._catalog.series(series_id)) is None:
            return line(work.name)
        return line(work.name, series.title, *self._context_of(series))

    def _context_of(self, series: Series) -> tuple[str, str]:
        """Return the artist and the exhibition of a series."""
        show = self._catalog.exhibition(series.exhibition_id)
        return artist_of(series, show) or "", show.title if show else ""


def index_of_nodes(nodes: Sequence[Node]) -> TextIndex[Node]:
    """Return an index of nodes."""
    return TextIndex(nodes, map(_text_of_node, nodes))


def _text_of_show(show: Exhibition) -> str:
    """Return the line of an exhibition in the index."""
    people = [person.name for person in (*show.artists, show.curator) if person]
    return line(show.title, *people)


def _text_of_playlist(playlist: FeedPlaylist) -> str:
    """Return the lines of a playlist and its works in the index."""
    lines = [line(playlist.title, *playlist.curators)]
    lines += [line(item.title, item.artist, playlist.title) for item in playlist.items]
    return "".join(lines)


def _text_of_channel(channel: FeedChannel) -> str:
    """Return the line of a channel in the index."""
    return line(channel.title, channel.publisher)


def _text_of_artist(artist: Artist) -> str:
    """Return the line of an artist in the index."""
    return line(artist.name)


def _text_of_node(node: Node) -> str:
    """Return the line of a node in an index."""
    return line(node.title, node.artist or "", node.subtitle or "")
