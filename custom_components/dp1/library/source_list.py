"""The source list of the displays, and the source a display shows."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, override

from lru import LRU

from homeassistant.core import callback

from ..client.display.player_status import PlayerStatus
from ..client.playlist.playlist import Playlist
from ..client.values import texts
from ..storage import SafeStore
from .providers.provider import Context, Provider, Source

MAX_BUILT = 100
SAVE_SECONDS = 30.0


class SourceList:
    """What can be selected at one time.

    Attributes:
        names: the node ids of the sources by name, in the order of the providers.
    """

    def __init__(self, providers: Sequence[Provider]) -> None:
        """Name what the providers offer."""
        self._providers = providers
        self.names: Mapping[str, str] = self._named()
        self._nodes = {node: name for name, node in reversed(self.names.items())}

    def of(self, player: PlayerStatus) -> str | None:
        """Return the source a display shows, if it is one for certain."""
        names = (self._nodes.get(node) for node in self._nodes_shown(player))
        return next((name for name in names if name), None)

    def _named(self) -> dict[str, str]:
        """Return the sources by name; names are given to the oldest first, so that nothing new takes the name of another."""
        groups = [
            (provider.named_last, rank, sources)
            for rank, provider in enumerate(self._providers)
            for sources in provider.sources()
        ]
        taken: set[str] = set()
        listed: set[str] = set()
        chosen: list[dict[str, str]] = [{} for _ in self._providers]
        for _, rank, sources in sorted(groups, key=lambda group: group[0]):
            others = [source for source in sources if source.id not in listed]
            named = {}
            for source in reversed(others):
                names = _names_of(source)
                name = next(name for name in names if name.casefold() not in taken)
                taken.add(name.casefold())
                named[source.id] = name
            shown = [source.id for source in others if source.listed]
            chosen[rank] |= {named[node]: node for node in shown}
            listed.update(shown)
        return {name: node for some in chosen for name, node in some.items()}

    def _nodes_shown(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the nodes of its playlist, and what the works are."""
        for provider in self._providers:
            yield from provider.recognize(player)
        works = frozenset(item.source or "" for item in player.items)
        if works and "" not in works:
            for provider in self._providers:
                yield from provider.recognize_works(works)


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

    def __init__(self, context: Context) -> None:
        """Initialize without any."""
        super().__init__(context)
        self._nodes: LRU[str, str] = LRU(MAX_BUILT)
        entry_id = context.entry.entry_id
        self._store = SafeStore(self.hass, f"library.{entry_id}.built", self._restore)

    @callback
    def async_remember(self, playlist: Playlist) -> None:
        """Remember the node of a playlist."""
        name = playlist.url or playlist.document.get("id")
        if name and self._nodes.get(name) != playlist.node_id:
            self._nodes[name] = playlist.node_id
            self._store.async_delay_save(self._to_store, SAVE_SECONDS)
            self.context.async_update()

    @override
    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the node for which the playlist of a display was built."""
        for name in (player.playlist_url, player.playlist_id):
            if node := self._nodes.get(name or ""):
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
        """Restore what is stored."""
        for name, node in texts({**data}, len(data)).items():
            self._nodes[name] = node

    def _to_store(self) -> dict[str, str]:
        """Return plain JSON; the least recently used first, so that the order is the same after loading."""
        return dict(reversed(self._nodes.items()))
