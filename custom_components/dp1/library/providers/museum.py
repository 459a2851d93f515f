"""The open collection of a museum as a provider: its best known works, and whatever a search finds there."""

from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from typing import Any, Final, override
from uuid import uuid5

from lru import LRU

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant

from ...addresses import ADDRESSES
from ...client import museum
from ...client.catalog.artwork import CAP, evenly
from ...client.display.player_status import PlaylistItem
from ...client.errors import Dp1Error
from ...client.hosts import same_work
from ...client.museum import Museum, MuseumWork
from ...client.pages import Page
from ...client.playlist.manifest import Artist
from ...client.playlist.playlist import Playlist
from ...const import LOGGER
from ..item import WORK_IDS, Item
from ..node import FOLDER_TITLES, Children, NodeKind, node_id, split_node_id
from ..search import MAX_QUERY, RELEVANT, Lines, Query, Scored, line_of
from ..shelf import PATIENCE, Delta, ListKind, Shelf
from .collection.server import async_user_agent
from .provider import BUILD_PATIENCE, SEARCH_PATIENCE, Provider, Source, children_of

REFRESH_SECONDS: Final = 7 * 86400.0
# Works that a search has found.
MAX_FOUND: Final = 1000


class MuseumProvider(Provider):
    """The works in the public domain of the Art Institute of Chicago, where the owner wants them."""

    kinds = (NodeKind.MUSEUM, NodeKind.MUSEUM_WORK)
    error_prefix = surprise = "museum"
    origin = museum.MUSEUM_URL

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize without works."""
        super().__init__(hass, entry, on_change)
        self.is_used = self.preferences.museum
        self._client: Museum | None = None
        works = ListKind(MuseumWork, self._pages, follow=self._follow)
        self.shelf: Shelf[MuseumWork] = Shelf(
            hass, entry, "museum", museum.MUSEUM_URL, REFRESH_SECONDS, {"works": works}
        )
        self.servers = (self.shelf,)
        self._found: LRU[str, MuseumWork] = LRU(MAX_FOUND)
        # By the ids of their items and what their addresses mean.
        self._by_key: dict[str, MuseumWork] = {}
        self.lines = (
            Lines(
                hass,
                lambda: self.shelf.list.records,
                lambda work: [line_of(work.title, ", ".join(work.artists))],
                lambda work, _: work_node(work),
                NodeKind.MUSEUM,
            ),
        )

    @override
    async def async_node(self, node: str) -> Item:
        """Return the folder, or a work."""
        match split_node_id(node):
            case NodeKind.MUSEUM, []:
                return self.folder()
            case NodeKind.MUSEUM_WORK, [key]:
                return work_node(await self._async_read(key))
        return await super().async_node(node)

    @override
    async def async_children(self, node: str, limit: int) -> Children[Any]:
        """Return the best known works."""
        if node != NodeKind.MUSEUM:
            return await super().async_children(node, limit)
        works = await self.shelf.async_list()
        return children_of(works.records, works, work_node)

    @override
    async def async_build(self, node: str, limit: int | None) -> Playlist:
        """Build the playlist of works from the whole list, or of a work."""
        match split_node_id(node):
            case NodeKind.MUSEUM, []:
                listed = await self.shelf.async_list(BUILD_PATIENCE)
                if not listed.records and listed.missing:
                    raise listed.missing
                works = evenly(listed.records, limit or CAP)
                title = FOLDER_TITLES[NodeKind.MUSEUM]
            case NodeKind.MUSEUM_WORK, [key]:
                works = [await self._async_read(key, BUILD_PATIENCE)]
                title = works[0].title
            case _:
                return await super().async_build(node, limit)
        duration = self.preferences.duration
        items = [work_node(work).to_dp1(duration=duration) for work in works]
        cover = works[0].picture(museum.MIDDLE) if works else None
        return self.build_items(node, title, items, cover=cover)

    @override
    def roots(self) -> list[Item]:
        """Return the folder."""
        return [self.folder()]

    def folder(self) -> Item:
        """Return the folder."""
        works = self.shelf.list.records
        nodes = map(work_node, works)
        return self._folder(NodeKind.MUSEUM, nodes, can_play=bool(works))

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return all works as one."""
        return [[Source(NodeKind.MUSEUM.value, FOLDER_TITLES[NodeKind.MUSEUM])]]

    @override
    def surprises(self) -> Iterator[str]:
        """Yield the best known works."""
        return (node_id(NodeKind.MUSEUM_WORK, it.id) for it in self.shelf.list.records)

    @override
    async def async_ask(self, query: Query, text: str) -> Scored:
        """Return the works that the museum finds."""
        try:
            client = await self._async_client()
            read = partial(client.search, text[:MAX_QUERY])
            page = await self.shelf.async_share(f"search {text}", read, SEARCH_PATIENCE)
        except Dp1Error as err:
            LOGGER.debug("The museum finds nothing: %s", err)
            return []
        for work in page.records:
            self._remember(work)
        return [
            (max(query.score(it.title, ", ".join(it.artists)), RELEVANT), work_node(it))
            for it in page.records
        ]

    @override
    def work(self, item: PlaylistItem) -> Item | None:
        """Return the work of an item that was listed or found."""
        for key in (item.id, same_work(item.source or "")):
            if key and (work := self._by_key.get(key) or self._found.get(key)):
                return work_node(work)
        return None

    async def _async_read(self, key: str, patience: float = PATIENCE) -> MuseumWork:
        """Return a work by its id, or raise NotFoundError or why it could not be read."""
        if work := self.shelf.list.get(key) or self._found.get(key):
            return work
        client = await self._async_client()
        read = partial(client.work, key)
        work = await self.shelf.async_share(f"work {key}", read, patience)
        self._remember(work)
        return work

    async def _async_client(self) -> Museum:
        """Return the client."""
        if self._client is None:
            agent = await async_user_agent(self.hass)
            guard = self.hass.data[ADDRESSES].async_guard()
            guard = guard.allowing(museum.MUSEUM_URL)
            self._client = Museum(guard, museum.MUSEUM_URL, agent=agent)
        return self._client

    async def _pages(
        self, key: str, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[MuseumWork]]:
        """Yield the pages of the best known works."""
        async for page in (await self._async_client()).best():
            yield page

    def _remember(self, work: MuseumWork) -> None:
        """Remember a work that is not in the list."""
        for key in (work.id, *_keys(work)):
            self._found[key] = work

    def _follow(self, key: str, delta: Delta[MuseumWork]) -> None:
        """Index the works of the list."""
        for work in delta.removed:
            for mark in _keys(work):
                self._by_key.pop(mark, None)
        for work in (*delta.added, *delta.changed):
            self._by_key |= dict.fromkeys(_keys(work), work)


def _keys(work: MuseumWork) -> tuple[str, str]:
    """Return by what a work is recognized."""
    return str(uuid5(WORK_IDS, f"museum/{work.id}")), same_work(work.source)


def work_node(work: MuseumWork) -> Item:
    """Return a work."""
    return Item(
        id=node_id(NodeKind.MUSEUM_WORK, work.id),
        kind=NodeKind.MUSEUM_WORK,
        item_id=_keys(work)[0],
        title=work.title,
        artists=tuple(map(Artist, work.artists)),
        year=work.year,
        medium="image",
        note=work.note or None,
        picture=work.picture(museum.MIDDLE),
        small=work.picture(),
        link=work.page,
        source=work.source,
        can_play=True,
        subtitle=FOLDER_TITLES[NodeKind.MUSEUM],
    )
