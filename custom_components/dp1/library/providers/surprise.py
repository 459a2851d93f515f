"""Surprise: works of everything that a library has, by weights; what came last comes again only where there is nothing else."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence, Set as AbstractSet
from dataclasses import replace
from hashlib import blake2s
from random import choice, choices
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ...client.errors import Dp1Error, NotFoundError
from ...client.playlist.playlist import Playlist
from ...const import LOGGER
from ...language import async_text
from ...storage import SafeStore
from ..index import place_of_item
from ..item import Item
from ..node import FOLDER_TITLES, NodeKind
from .hidden import Hidden
from .kept import Json
from .provider import Provider, Source

# Works of one surprise, unless another number is asked for.
COUNT: Final = 12
# Each may take requests.
READS_AT_ONCE: Final = 4
# A person waits in front of the display.
PATIENCE: Final = 20.0
# Works that came, and nodes of which every work did.
MAX_REMEMBERED: Final = 500


class Surprise(Provider):
    """Chooses works, and remembers which came."""

    kinds = (NodeKind.SURPRISE,)

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        on_change: CALLBACK_TYPE,
        providers: Callable[[], Iterable[Provider]],
        async_build: Callable[[str], Awaitable[Playlist]],
        hidden: Hidden,
    ) -> None:
        """Initialize without a memory; `providers` and `async_build` are those of the library."""
        super().__init__(hass, entry, on_change)
        self._providers = providers
        self._async_build = async_build
        self._hidden = hidden
        self._store = self.store_of(hass, entry.entry_id)
        self._came: list[str] = []
        self._lock = asyncio.Lock()

    @staticmethod
    def store_of(hass: HomeAssistant, entry_id: str) -> SafeStore[list[str]]:
        """Return the file of a library."""
        return SafeStore(hass, f"surprise.{entry_id}", list[str])

    def node(self) -> Item:
        """Return the node."""
        return Item(
            id=NodeKind.SURPRISE.value,
            kind=NodeKind.SURPRISE,
            title=FOLDER_TITLES[NodeKind.SURPRISE],
            can_play=True,
        )

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return the node."""
        if node not in self.kinds:
            return await super().async_node(node, patience)
        return self.node()

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Choose works."""
        items = await self.async_choose(min(limit or COUNT, COUNT))
        title = async_text(self.hass, f"config_panel.browser.{item.kind}")
        return self.build_items(replace(item, title=title), items)

    @override
    def roots(self) -> list[Item]:
        """Return the surprise, once there is something to choose from."""
        return [self.node()] if self._has_any else []

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return it for the source list if it is wanted."""
        if "surprise" not in self.preferences.sources or not self._has_any:
            return ()
        return [[Source(NodeKind.SURPRISE.value, FOLDER_TITLES[NodeKind.SURPRISE])]]

    @override
    async def async_load(self) -> None:
        """Load which works came."""
        self._came = await self._store.async_load_parsed() or []

    @override
    async def async_stop(self) -> None:
        """Save which works came."""
        await self._store.async_save(self._came)

    async def async_choose(self, count: int) -> list[Json]:
        """Return the items of works that did not come lately, as far as there are any, or raise NotFoundError."""
        async with self._lock:
            items: list[Json] = []
            try:
                async with asyncio.timeout(PATIENCE):
                    # What turns out to have nothing new gives way to others, a few times.
                    for _ in range(3):
                        if (missing := count - len(items)) > 0:
                            items += await self._async_some(missing, items)
            except TimeoutError:
                LOGGER.debug("A surprise is short, as not all could be read in time")
            self._store.async_delay_save(lambda: self._came)
        if not items:
            raise NotFoundError(
                "nothing to choose from", translation_key="nothing_to_surprise"
            )
        return items

    @property
    def _used(self) -> dict[str, Provider]:
        """Return the providers to choose from by what their weight is called."""
        weights = self.preferences.surprise
        return {
            each.surprise: each
            for each in self._providers()
            if each.surprise and weights.get(each.surprise, 1)
        }

    @property
    def _has_any(self) -> bool:
        """Return whether there is something to choose from."""
        return any(True for each in self._used.values() for _ in each.surprises())

    async def _async_some(self, count: int, others: Sequence[Json]) -> list[Json]:
        """Return the items of at most so many works beside others."""
        chosen = self._choose_nodes(count)
        gate = asyncio.Semaphore(READS_AT_ONCE)

        async def read(node: str) -> list[Json]:
            """Return the items of a node, none if it cannot be read."""
            async with gate:
                try:
                    return (await self._async_build(node)).items
                except (Dp1Error, HomeAssistantError) as err:
                    LOGGER.debug("%s is no surprise: %s", node, err)
                    return []

        nodes = [*dict.fromkeys(chosen)]
        found = dict(zip(nodes, await asyncio.gather(*map(read, nodes)), strict=True))
        there = {*map(_mark, others)}
        works: list[Json] = []
        for node in chosen:
            if work := self._choose_work(node, found[node], there):
                works.append(work)
                there.add(_mark(work))
                self._remember(_mark(work))
        return works

    def _choose_nodes(self, count: int) -> list[str]:
        """Return nodes of which not every work came lately, by the weights."""
        weights = self.preferences.surprise
        left: dict[str, list[str]] = {}
        for name, provider in self._used.items():
            nodes = [*provider.surprises()]
            left[name] = [node for node in nodes if node not in self._came] or nodes
        chosen: list[str] = []
        for _ in range(count):
            names = [name for name, nodes in left.items() if nodes]
            if not names:
                break
            (name,) = choices(names, [weights.get(name, 1) for name in names])
            chosen.append(node := choice(left[name]))
            left[name].remove(node)
        return chosen

    def _choose_work(
        self, node: str, items: Sequence[Json], there: AbstractSet[str]
    ) -> Json | None:
        """Return a work of a node that did not come lately and is not hidden; where all came, the one that came first."""
        came, hidden = self._came, self._hidden.keys
        left = [
            item
            for item in items
            if _mark(item) not in there and place_of_item(item) not in hidden
        ]
        new = [item for item in left if _mark(item) not in came]
        if not new and node in came:
            return min(left, key=lambda item: came.index(_mark(item)), default=None)
        if len(new) < 2:
            self._remember(node)
        return choice(new) if new else None

    def _remember(self, mark: str) -> None:
        """Remember a work that came, or a node of which every work did."""
        others = [each for each in self._came if each != mark]
        self._came = [*others, mark][-MAX_REMEMBERED:]


def _mark(item: Json) -> str:
    """Return a mark of a work, short enough to remember that of each."""
    return blake2s(place_of_item(item).encode(), digest_size=8).hexdigest()
