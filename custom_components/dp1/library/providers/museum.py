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
from ...client.museum import Museum, MuseumWork
from ...client.pages import Page
from ...client.playlist.manifest import Artist
from ...client.playlist.playlist import Playlist
from ...const import LOGGER
from ..index import Mark, Marks, marks_of
from ..item import WORK_IDS, Item
from ..node import FOLDER_TITLES, Inside, NodeKind, node_id, split_node_id
from ..search import MAX_QUERY, RELEVANT, Lines, Query, Scored, line_of
from ..shelf import ListKind, Shelf
from .collection.server import async_user_agent
from .provider import BUILD_PATIENCE, SEARCH_PATIENCE, Provider, Source

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
        self._marks = Marks[MuseumWork](lambda _, work: _marks(work))
        works = ListKind(
            MuseumWork,
            self._pages,
            lambda _, work: parse(work),
            follow=self._marks.follow,
        )
        self.shelf: Shelf[MuseumWork] = Shelf(
            hass, entry, "museum", museum.MUSEUM_URL, REFRESH_SECONDS, {"works": works}
        )
        self.servers = (self.shelf,)
        self._found: LRU[str | Mark, Item] = LRU(MAX_FOUND)
        self.lines = (
            Lines(
                hass,
                lambda: self.shelf.list.records,
                lambda work: [line_of(work.title, ", ".join(work.artists))],
                lambda work, _: self.shelf.list.item_of(work),
                NodeKind.MUSEUM,
            ),
        )

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return the folder, or a work."""
        match split_node_id(node):
            case NodeKind.MUSEUM, []:
                return self.folder()
            case NodeKind.MUSEUM_WORK, [key]:
                return await self._async_read(key, patience)
        return await super().async_node(node, patience)

    @override
    async def async_pages(self, item: Item, limit: int) -> Inside:
        """Return the best known works."""
        if item.kind != NodeKind.MUSEUM:
            return await super().async_pages(item, limit)
        return (await self.shelf.async_list()).inside()

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Build the playlist of works from the whole list, or of a work."""
        if item.kind != NodeKind.MUSEUM:
            return await super().async_build(item, limit)
        listed = await self.shelf.async_list(BUILD_PATIENCE)
        if not listed.records and listed.missing:
            raise listed.missing
        works, duration = evenly(listed.items, limit or CAP), self.preferences.duration
        items = [work.to_dp1(duration=duration) for work in works]
        cover = works[0].picture if works else None
        return self.build_items(item, items, cover=cover)

    @override
    def roots(self) -> list[Item]:
        """Return the folder."""
        return [self.folder()]

    def folder(self) -> Item:
        """Return the folder."""
        works = self.shelf.list.items
        return self._folder(NodeKind.MUSEUM, works, can_play=bool(works))

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return all works as one."""
        return [[Source(NodeKind.MUSEUM.value, FOLDER_TITLES[NodeKind.MUSEUM])]]

    @override
    def surprises(self) -> Iterator[str]:
        """Yield the best known works."""
        return (work.id for work in self.shelf.list.items)

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
        works = map(self._remember, page.records)
        return [(max(query.score(it.title, it.artist), RELEVANT), it) for it in works]

    @override
    def find(self, item: PlaylistItem) -> Item | None:
        """Return the work of an item that was listed or found."""
        if place := self._marks.find(item):
            return self.shelf.list.item(place[1])
        marks = marks_of(item.id, item.source, None)
        return next(filter(None, map(self._found.get, marks)), None)

    async def _async_read(self, key: str, patience: float) -> Item:
        """Return a work by its id, or raise NotFoundError or why it could not be read."""
        if known := self.shelf.list.item(key) or self._found.get(key):
            return known
        client = await self._async_client()
        read = partial(client.work, key)
        work = await self.shelf.async_share(f"work {key}", read, patience)
        return self._remember(work)

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

    def _remember(self, work: MuseumWork) -> Item:
        """Remember a work that is not in the list."""
        item = parse(work)
        self._found[work.id] = item
        for mark in _marks(work):
            self._found[mark] = item
        return item


def _marks(work: MuseumWork) -> Iterator[Mark]:
    """Return by what a work is recognized."""
    return marks_of(_item_id(work), work.source, None)


def _item_id(work: MuseumWork) -> str:
    """Return the id of the playlist item of a work."""
    return str(uuid5(WORK_IDS, f"museum/{work.id}"))


def parse(work: MuseumWork) -> Item:
    """Return a work."""
    return Item(
        id=node_id(NodeKind.MUSEUM_WORK, work.id),
        kind=NodeKind.MUSEUM_WORK,
        item_id=_item_id(work),
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
