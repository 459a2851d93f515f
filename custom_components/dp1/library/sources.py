"""The source list of the displays, and the source a display shows."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import count
from urllib.parse import unquote

from lru import LRU

from ..client.catalog.models import Exhibition
from ..client.catalog.selection import shown_once
from ..client.display.player_status import PlayerStatus
from .catalog.coordinator import CatalogCoordinator
from .collections.nodes import Collections
from .daily import Daily
from .favorites import Favorites
from .feed.coordinator import FeedCoordinator
from .feed.records import FeedChannel, FeedPlaylist
from .preferences import Preferences
from .recognition import is_whole, series_of_items
from .servers.cache import BuiltPlaylists
from .tree import FOLDER_TITLES, Node, NodeKind, node_id

MAX_RECOGNIZED = 64


class Sources:
    """Name what can be selected, and recognize it."""

    def __init__(
        self,
        catalog: CatalogCoordinator,
        feed: FeedCoordinator,
        favorites: Favorites,
        collections: Collections,
        preferences: Preferences,
        built: BuiltPlaylists,
        daily: Daily,
    ) -> None:
        """Initialize; `built` tells the nodes of playlists the library has built."""
        self._catalog = catalog
        self._feed = feed
        self._favorites = favorites
        self._collections = collections
        self._preferences = preferences
        self._built = built
        self._daily = daily
        self._valid = False
        self._names: dict[str, str] = {}
        self._nodes: dict[str, str] = {}
        self._recognized: LRU[int, tuple[str, ...]] = LRU(MAX_RECOGNIZED)

    def names(self) -> Mapping[str, str]:
        """Return the node ids of the sources by name; exhibitions come first, and the newest of each group."""
        self._update()
        return self._names

    def of(self, player: PlayerStatus) -> str | None:
        """Return the source a display shows, if it is one for certain."""
        self._update()
        names = (self._nodes.get(node) for node in self._nodes_shown(player))
        return next((name for name in names if name), None)

    def invalidate(self) -> None:
        """Name the sources again when they are asked for."""
        self._valid = False

    def _update(self) -> None:
        """Name the sources after a change."""
        if self._valid:
            return
        self._valid = True
        self._recognized.clear()
        self._names = self._chosen()
        self._nodes = {}
        for name, node in self._names.items():
            self._nodes.setdefault(node, name)

    def _chosen(self) -> dict[str, str]:
        """Return the sources the owner wants in the list."""
        groups = self._preferences.sources
        limit = self._preferences.source_limit
        taken: set[str] = set()
        chosen: dict[str, str] = {}
        own = self._collections.nodes()
        named = _named(own, _favorite_names, taken)
        chosen |= {named[node.id]: node.id for node in own}
        # Names are given to all, and the oldest first, so that what is new never takes the name of what is there.
        if "exhibitions" in groups:
            shows = [show for show in self._catalog.data.records if show.visible]
            named = _named(reversed(shows), _exhibition_names, taken)
            for show in list(filter(self._catalog.is_open, shows))[:limit]:
                chosen[named[show.id]] = node_id(NodeKind.EXHIBITION, show.id)
        if "playlists" in groups:
            playlists = self._feed.data.records
            named = _named(reversed(playlists), _playlist_names, taken)
            for playlist in playlists[:limit]:
                chosen[named[playlist.id]] = node_id(NodeKind.PLAYLIST, playlist.id)
        if "channels" in groups:
            channels = [channel for channel in self._feed.channels if channel.playlists]
            named = _named(reversed(channels), _channel_names, taken)
            for channel in channels[:limit]:
                chosen[named[channel.id]] = node_id(NodeKind.CHANNEL, channel.id)
        if "favorites" in groups:
            known = set(chosen.values())
            nodes = [node for node in self._favorites.nodes() if node.id not in known]
            named = _named(reversed(nodes), _favorite_names, taken)
            chosen |= {named[node.id]: node.id for node in nodes}
        if self._daily.url:
            names = _numbered(FOLDER_TITLES[NodeKind.DAILY])
            name = next(name for name in names if name.casefold() not in taken)
            chosen = {name: NodeKind.DAILY.value, **chosen}
        return chosen

    def _nodes_shown(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the node a playlist was built for, the feed's playlist, and what the works are."""
        if self._daily.is_shown(player):
            yield NodeKind.DAILY.value
        for name in (player.playlist_url, player.playlist_id):
            if node := self._built.node_of(name):
                yield node
        if playlist := self._playlist(player):
            yield node_id(NodeKind.PLAYLIST, playlist.id)
        yield from self._nodes_of_works(player)

    def _playlist(self, player: PlayerStatus) -> FeedPlaylist | None:
        """Return the feed's playlist a display shows."""
        url = (player.playlist_url or "").partition("?")[0].rstrip("/")
        start = f"{self._feed.url}/playlists/"
        if not url.startswith(start):
            return None
        return self._feed.playlist(unquote(url.removeprefix(start)))

    def _nodes_of_works(self, player: PlayerStatus) -> tuple[str, ...]:
        """Return the nodes which consist of exactly the works of a display."""
        sources = tuple(item.source for item in player.items)
        if not sources or not all(sources):
            return ()
        key = hash(sources)
        if (known := self._recognized.get(key)) is None:
            known = tuple(self._whole({source for source in sources if source}))
            self._recognized[key] = known
        return known

    def _whole(self, sources: Collection[str]) -> Iterator[str]:
        """Yield the exhibition, series or work of which these are all addresses."""
        catalog = self._catalog
        items = [{"source": source} for source in sources]
        shown = series_of_items(items, catalog.works)
        series = catalog.series(next(iter(shown))) if shown else None
        if series is None or shown is None:
            return
        all_series = catalog.series_of(series.exhibition_id)
        if all_series.complete and is_whole(shown, all_series.records):
            yield node_id(NodeKind.EXHIBITION, series.exhibition_id)
        size = 1 if shown_once(series) else series.max_artwork
        if len(shown) == 1 and len(sources) == size:
            yield node_id(NodeKind.SERIES, series.id)
        if len(sources) == 1 and (
            found := catalog.works.find(source=next(iter(sources)))
        ):
            yield node_id(NodeKind.ARTWORK, series.id, found[1].id)


def _named[T: (Exhibition, FeedChannel, FeedPlaylist, Node)](
    things: Iterable[T], names: Callable[[T], Iterator[str]], taken: set[str]
) -> dict[str, str]:
    """Give each thing the first of its names that is not taken, regardless of case."""
    named = {}
    for thing in things:
        name = next(name for name in names(thing) if name.casefold() not in taken)
        taken.add(name.casefold())
        named[thing.id] = name
    return named


def _numbered(name: str, *details: str | int | None) -> Iterator[str]:
    """Yield a name, with one detail after the other, at last with a number."""
    yield name
    for detail in details:
        if detail:
            yield f"{name} ({detail})"
    for number in count(2):
        yield f"{name} ({number})"


def _exhibition_names(show: Exhibition) -> Iterator[str]:
    """Yield names of an exhibition."""
    year = show.opens_at.year if show.opens_at else None
    return _numbered(show.title, year, show.number and f"No. {show.number}")


def _playlist_names(playlist: FeedPlaylist) -> Iterator[str]:
    """Yield names of a playlist."""
    return _numbered(playlist.title, ", ".join(playlist.curators), playlist.year)


def _channel_names(channel: FeedChannel) -> Iterator[str]:
    """Yield names of a channel."""
    return _numbered(channel.title, channel.publisher)


def _favorite_names(node: Node) -> Iterator[str]:
    """Yield names of a favorite."""
    return _numbered(node.title, node.artist, node.subtitle, node.year)
