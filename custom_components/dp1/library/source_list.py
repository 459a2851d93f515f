"""The source list of the displays, and the source a display shows."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Any, override

from lru import LRU

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from ..client.display.player_status import PlayerStatus
from ..client.playlist.playlist import Playlist
from ..storage import PartlyReadError, SafeStore
from .providers.provider import Provider, Source

MAX_BUILT = 100
SAVE_SECONDS = 30.0


class SourceList:
    """The sources that can be selected at one time.

    Attributes:
        names: the node ids of the sources by name, in the order of the providers.
    """

    def __init__(
        self,
        groups: Sequence[Sequence[Source]],
        first: Source | None,
        recognize: Callable[[PlayerStatus], Iterable[str]],
    ) -> None:
        """Name the sources, the oldest of each group first, so that nothing new takes the name of another.

        `first` comes before all groups, and takes no name from them.
        """
        self._recognize = recognize
        names: dict[str, str] = {}
        taken: set[str] = set()
        for group in (*groups, [first] if first else []):
            for source in reversed(group):
                if source.id in names:
                    continue
                name = source.name
                # There may be thousands.
                if (key := name.casefold()) in taken:
                    free = (
                        it for it in _names_of(source) if it.casefold() not in taken
                    )
                    key = (name := next(free)).casefold()
                names[source.id] = name
                taken.add(key)
        listed = (it for it in chain(filter(None, [first]), *groups) if it.listed)
        self.names: Mapping[str, str] = {names[it.id]: it.id for it in listed}
        self._nodes = {node: name for name, node in self.names.items()}

    def of(self, player: PlayerStatus) -> str | None:
        """Return the source a display shows, if it is one for certain."""
        names = (self._nodes.get(node) for node in self._recognize(player))
        return next((name for name in names if name), None)


def _names_of(source: Source) -> Iterator[str]:
    """Yield the name of a source, with one detail after the other, at last with a number."""
    yield source.name
    for detail in source.details:
        if detail:
            yield f"{source.name} ({detail})"
    for number in count(2):
        yield f"{source.name} ({number})"


class BuiltPlaylists(Provider):
    """The node ids of playlists that the library has built, by their id or address."""

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize without any."""
        super().__init__(hass, entry, on_change)
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

    @override
    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the node for which the playlist of a display was built."""
        for name in (player.playlist_url, player.playlist_id):
            if node := self.node(name):
                yield node

    @override
    async def async_load(self) -> None:
        """Load the file."""
        await self._store.async_load_parsed()

    @override
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
