"""The source list of the displays, and which of it hangs on a wall."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from urllib.parse import unquote

from ..client.catalog.models import Exhibition
from ..client.catalog.selection import shown_once
from ..client.display.player_status import PlayerStatus
from .favorites import Favorites
from .feed_records import FeedPlaylist
from .index import Index
from .preferences import Preferences
from .recognition import is_whole, series_shown
from .tree import Node, NodeKind, node_id
from .works import RecentlyUsed

MAX_RECOGNIZED = 64


class Sources:
    """Names what can be chosen, and recognizes it."""

    def __init__(
        self, index: Index, favorites: Favorites, preferences: Preferences
    ) -> None:
        """Keep what can be chosen from."""
        self._index = index
        self._favorites = favorites
        self._preferences = preferences
        self._generation = -1
        self._names: dict[str, str] = {}
        self._nodes: dict[str, str] = {}
        self._recognized: RecentlyUsed[tuple[str, ...]] = RecentlyUsed(MAX_RECOGNIZED)

    def names(self) -> Mapping[str, str]:
        """Return the id of the node by the name of each source; exhibitions come first, and the newest of each group."""
        self._refresh()
        return self._names

    def of(self, player: PlayerStatus) -> str | None:
        """Name the source that hangs, if it is one for certain."""
        self._refresh()
        return next(
            (name for node in self._told(player) if (name := self._nodes.get(node))),
            None,
        )

    def _refresh(self) -> None:
        """Name the sources anew after a change."""
        if self._generation == self._index.generation:
            return
        self._generation = self._index.generation
        self._recognized = RecentlyUsed(MAX_RECOGNIZED)
        self._names = self._chosen()
        self._nodes = {}
        for name, node in self._names.items():
            self._nodes.setdefault(node, name)

    def _chosen(self) -> dict[str, str]:
        """Name what the owner wants in the list."""
        groups = self._preferences.sources
        limit = self._preferences.source_limit
        taken: set[str] = set()
        chosen: dict[str, str] = {}
        # Names are given to all, and the oldest first, so that what is new never takes the name of what is there.
        if "exhibitions" in groups:
            shows = [it for it in self._index.exhibitions.records if it.visible]
            named = _named(reversed(shows), _exhibition_names, taken)
            for show in [it for it in shows if self._index.is_open(it)][:limit]:
                chosen[named[show.id]] = node_id(NodeKind.EXHIBITION, show.id)
        if "playlists" in groups:
            playlists = self._index.playlists.records
            named = _named(reversed(playlists), _playlist_names, taken)
            for playlist in playlists[:limit]:
                chosen[named[playlist.id]] = node_id(NodeKind.PLAYLIST, playlist.id)
        if "favorites" in groups:
            known = set(chosen.values())
            liked = [it for it in self._favorites.nodes() if it.id not in known]
            named = _named(reversed(liked), _favorite_names, taken)
            chosen |= {named[node.id]: node.id for node in liked}
        return chosen

    def _told(self, player: PlayerStatus) -> Iterator[str]:
        """List what hangs as nodes: what was cast from here, the feed's playlist, what its works are."""
        for name in (player.playlist_url, player.playlist_id):
            if name and (node := self._index.casts.get(name)):
                yield node
        if playlist := self._playlist(player):
            yield node_id(NodeKind.PLAYLIST, playlist.id)
        yield from self._told_by_works(player)

    def _playlist(self, player: PlayerStatus) -> FeedPlaylist | None:
        """Find the feed's playlist that a display loads."""
        url, feed = player.playlist_url, self._index.feed
        if not url or feed is None:
            return None
        start = f"{feed.url}/playlists/"
        ref = url.partition("?")[0].rstrip("/")
        if not ref.startswith(start):
            return None
        return self._index.playlist(unquote(ref.removeprefix(start)))

    def _told_by_works(self, player: PlayerStatus) -> tuple[str, ...]:
        """List what the works of a display are, taken together: nothing is missing of it, and nothing else is there."""
        sources = tuple(item.source for item in player.items)
        if not sources or not all(sources):
            return ()
        mark = str(hash(sources))
        if (known := self._recognized.get(mark)) is None:
            known = tuple(self._whole(frozenset(it for it in sources if it)))
            self._recognized.keep(mark, known)
        return known

    def _whole(self, sources: Collection[str]) -> Iterator[str]:
        """Find the exhibition, series or work that some addresses are the whole of."""
        index = self._index
        shown = series_shown([{"source": it} for it in sources], index.works)
        series = index.series(next(iter(shown))) if shown else None
        if series is None or shown is None:
            return
        kept = index.series_of(series.exhibition_id)
        if kept.complete and is_whole(shown, kept.records):
            yield node_id(NodeKind.EXHIBITION, series.exhibition_id)
        size = 1 if shown_once(series) else series.max_artwork
        if len(shown) == 1 and len(sources) == size:
            yield node_id(NodeKind.SERIES, series.id)
        if len(sources) == 1 and (
            found := index.works.find(source=next(iter(sources)))
        ):
            yield node_id(NodeKind.ARTWORK, series.id, found[1].id)


def _named[T: (Exhibition, FeedPlaylist, Node)](
    things: Iterable[T], names: Callable[[T], Iterator[str]], taken: set[str]
) -> dict[str, str]:
    """Give each thing the first of its names that is not taken yet; as people hear and read them."""
    named = {}
    for thing in things:
        name = next(it for it in names(thing) if it.casefold() not in taken)
        taken.add(name.casefold())
        named[thing.id] = name
    return named


def _numbered(name: str, *details: str | int | None) -> Iterator[str]:
    """Offer a name, with one detail after the other, at last with a number."""
    yield name
    for detail in details:
        if detail:
            yield f"{name} ({detail})"
    number = 2
    while True:
        yield f"{name} ({number})"
        number += 1


def _exhibition_names(show: Exhibition) -> Iterator[str]:
    """Offer names of an exhibition."""
    year = show.opens_at.year if show.opens_at else None
    return _numbered(show.title, year, show.number and f"No. {show.number}")


def _playlist_names(playlist: FeedPlaylist) -> Iterator[str]:
    """Offer names of a playlist."""
    return _numbered(playlist.title, ", ".join(playlist.curators), playlist.year)


def _favorite_names(node: Node) -> Iterator[str]:
    """Offer names of a favorite."""
    return _numbered(node.title, node.artist, node.subtitle, node.year)
