"""The indexes of what a library searches."""

from collections.abc import Callable, Sequence

from homeassistant.core import HomeAssistant

from ..client.catalog.models import Artwork, Exhibition, Series
from .artists import Artist, Artists
from .catalog.coordinator import CatalogCoordinator
from .feed.coordinator import FeedCoordinator
from .feed.records import FeedChannel, FeedPlaylist
from .matching.text_index import TextIndex, line
from .threads import with_pauses
from .tree import Node, artist_of


class _Index[T]:
    """The index of a list, built again in a thread when there is another list."""

    def __init__(self, hass: HomeAssistant, text_of: Callable[[T], str]) -> None:
        """Initialize the index of nothing."""
        self._hass = hass
        self._text_of = text_of
        self._index: TextIndex[T] = TextIndex((), ())

    async def async_of(self, records: Sequence[T]) -> TextIndex[T]:
        """Return the index of a list; lists are never changed but replaced."""
        if self._index.records is not records:
            self._index = await self._hass.async_add_executor_job(
                lambda: TextIndex(records, map(self._text_of, with_pauses(records)))
            )
        return self._index


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
        self._shows = _Index(hass, _text_of_show)
        self._series = _Index(hass, self._text_of_series)
        self._playlists = _Index(hass, _text_of_playlist)
        self._channels = _Index(hass, _text_of_channel)
        self._makers = _Index(hass, _text_of_artist)
        self._works = _Index(hass, self._text_of_work)

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
