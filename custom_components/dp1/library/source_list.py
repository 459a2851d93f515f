"""The source list of the displays, the source a display shows, and the playlists that a library has built."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Any, Protocol

from lru import LRU

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from ..client.display.player_status import PlayerStatus
from ..client.playlist.playlist import Playlist
from ..storage import PartlyReadError, SafeStore
from .node import media_id as make_media_id
from .providers.provider import Source
from .words import fold

MAX_BUILT = 100
SAVE_SECONDS = 30.0


class Sourced(Protocol):
    """What has sources: a library."""

    @property
    def entry_id(self) -> str:
        """Return the id of the entry."""

    @property
    def title(self) -> str:
        """Return the title."""

    def sources(self) -> tuple[Sequence[Source], list[Sequence[Source]]]:
        """Return the sources that come first, and the others in groups, the newest of each first."""

    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the nodes that a display shows."""

    def origin(self, node: str) -> str:
        """Return where a node comes from; another library with the same may have it, too."""


class SourceList[L: Sourced]:
    """The sources of libraries that can be selected at one time.

    Attributes:
        libraries: the libraries, the oldest first.
        names: the node ids of the sources by name, in the order of the libraries and their providers.
    """

    def __init__(self, libraries: Iterable[L]) -> None:
        """Name each source once; a name that an older library has gets the title of the library appended.

        What comes from the same place is listed once, and found by the other names, too.
        """
        self.libraries = tuple(libraries)
        self.names: dict[str, str] = {}
        self._media_ids: dict[str, str] = {}
        self._names: dict[tuple[str, str], str] = {}
        taken: set[str] = set()
        for library in self.libraries:
            for own, node in _named(*library.sources()).items():
                names = _names(own, library.title)
                name = next(it for it in names if it.casefold() not in taken)
                taken.add(name.casefold())
                self._media_ids[name] = make_media_id(library.entry_id, node)
                if self._names.setdefault((library.origin(node), node), name) == name:
                    self.names[name] = node

    def media_id(self, name: str) -> str | None:
        """Return the media id of a source by its name in any case."""
        for form in (str.casefold, fold):
            for own, media_id in self._media_ids.items():
                if form(own) == form(name) != "":
                    return media_id
        return None

    def of(self, player: PlayerStatus) -> str | None:
        """Return the source a display shows, if it is one for certain."""
        names = (
            self._names.get((library.origin(node), node))
            for library in self.libraries
            for node in library.recognize(player)
        )
        return next(filter(None, names), None)

    def source_of(
        self, player: PlayerStatus | None, assumed: Playlist | None
    ) -> str | None:
        """Return the source that a display shows, or is assumed to show, if that is certain."""
        player = _assumed_player(assumed) if assumed else player
        return self.of(player) if player and (player.items or assumed) else None


def _assumed_player(playlist: Playlist) -> PlayerStatus:
    """Return the player status of a display that cannot report it."""
    return PlayerStatus.parse(
        {
            "ok": True,
            "playlistUrl": playlist.url,
            "playlist": playlist.document,
            "items": playlist.items,
        }
    )


def _names(own: str, title: str) -> Iterator[str]:
    """Yield names for a source of a library with a title, best first."""
    yield own
    yield f"{own} ({title})"
    for number in count(2):
        yield f"{own} ({title} {number})"


def _named(
    first: Sequence[Source], groups: Sequence[Sequence[Source]]
) -> dict[str, str]:
    """Return the node ids of the sources of a library by name.

    The oldest of each group is named first, so that nothing new takes the name of another; `first` takes none from others.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for group in (*groups, first):
        for source in reversed(group):
            if source.id in names:
                continue
            name = source.name
            # There may be thousands.
            if (key := name.casefold()) in taken:
                free = (it for it in _names_of(source) if it.casefold() not in taken)
                key = (name := next(free)).casefold()
            names[source.id] = name
            taken.add(key)
    return {names[it.id]: it.id for it in chain(first, *groups)}


def _names_of(source: Source) -> Iterator[str]:
    """Yield the name of a source, with one detail after the other, at last with a number."""
    yield source.name
    for detail in source.details:
        if detail:
            yield f"{source.name} ({detail})"
    for number in count(2):
        yield f"{source.name} ({number})"


class BuiltPlaylists:
    """The node ids of playlists that the library has built, by their id or address."""

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize without any."""
        self._on_change = on_change
        self._nodes: LRU[str, str] = LRU(MAX_BUILT)
        name = f"library.{entry.entry_id}.built"
        self._store = SafeStore(hass, name, self._restore)

    @callback
    def async_remember(self, playlist: Playlist) -> None:
        """Remember the node of a playlist."""
        name = playlist.url or playlist.document.get("id")
        if name and self._nodes.get(name) != playlist.node_id:
            self._nodes[name] = playlist.node_id
            self._store.async_delay_save(self._to_store, SAVE_SECONDS)
            self._on_change()

    def node(self, name: str | None) -> str | None:
        """Return the node of a playlist by its id or address."""
        return self._nodes.get(name or "")

    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the node for which the playlist of a display was built."""
        for name in (player.playlist_url, player.playlist_id):
            if node := self.node(name):
                yield node

    async def async_load(self) -> None:
        """Load the file."""
        await self._store.async_load_parsed()

    async def async_stop(self) -> None:
        """Save now."""
        await self._store.async_save(self._to_store())

    def _restore(self, data: Mapping[str, Any]) -> None:
        """Restore the stored ids, or raise PartlyReadError if some make no sense; all others are restored."""
        nodes = {it: node for it, node in data.items() if isinstance(node, str)}
        for name, node in nodes.items():
            self._nodes[name] = node
        if len(nodes) < len(data):
            raise PartlyReadError(None)

    def _to_store(self) -> dict[str, str]:
        """Return plain JSON; the least recently used first, so that the order is the same after loading."""
        return dict(reversed(self._nodes.items()))
