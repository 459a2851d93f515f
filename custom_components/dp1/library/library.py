"""The library: an exhibition catalog and a playlist feed as one tree of things to show."""

import asyncio
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_API_KEY
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.debounce import Debouncer

from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import Dp1Error, NotFoundError
from ..client.feed.client import Feed
from ..client.playlist.signing import SigningKey
from ..const import (
    CONF_CATALOG_URL,
    CONF_FEED_KEYS,
    CONF_FEED_URL,
    CONF_HAS_SIGNED,
    CONF_SIGNING_KEY,
    LOGGER,
)
from ..data import DATA
from ..errors import translated
from .artists import Artists
from .branches import Branches
from .catalog.background_reader import BackgroundReader
from .catalog.coordinator import CatalogCoordinator
from .catalog.prefetching import PrefetchingCatalog
from .collections.nodes import Collections
from .daily import Daily
from .favorites import Favorites
from .feed.coordinator import FeedCoordinator
from .playlists import BuiltPlaylist, PlaylistBuilder
from .preferences import Preferences
from .recognition import Recognition
from .search import Hit, Search, fold
from .servers.cache import BuiltPlaylists, async_remove_collections, async_remove_files
from .servers.coordinator import ServerCoordinator
from .sources import Sources
from .tree import Children, Node, NodeKind, node_id
from .works import Work

__all__ = [
    "BuiltPlaylist",
    "Children",
    "Favorites",
    "Library",
    "LibraryConfigEntry",
    "Node",
    "NodeKind",
    "Work",
    "async_remove_stored",
]

# Displays are told of many changes at once.
UPDATE_SECONDS = 0.1
# How many names an error about an unknown name suggests.
NEAREST = 3

type LibraryConfigEntry = ConfigEntry[Library]


class Library:
    """A catalog, a feed, or both, and the favorites."""

    def __init__(self, hass: HomeAssistant, entry: LibraryConfigEntry) -> None:
        """Initialize the library; nothing is sent before `async_start`."""
        self.hass = hass
        self.entry = entry
        data, guard = entry.data, hass.data[DATA].named_hosts.async_guard
        catalog_url, feed_url = data.get(CONF_CATALOG_URL), data.get(CONF_FEED_URL)
        signing_key = data.get(CONF_SIGNING_KEY)
        self.key = SigningKey.parse(signing_key) if signing_key else None
        self.preferences = Preferences.of(entry.options, data)
        refresh_seconds = self.preferences.refresh_seconds
        self.catalog_coordinator = CatalogCoordinator(
            hass,
            entry,
            PrefetchingCatalog(guard().allowing(catalog_url), catalog_url)
            if catalog_url
            else None,
            refresh_seconds,
        )
        self.feed_coordinator = FeedCoordinator(
            hass,
            entry,
            Feed(
                guard().allowing(feed_url),
                feed_url,
                api_key=data.get(CONF_API_KEY),
                legacy_keys=self.feed_keys,
            )
            if feed_url
            else None,
            refresh_seconds,
        )
        self.catalog, self.feed = (
            self.catalog_coordinator.client,
            self.feed_coordinator.client,
        )
        self.collections = Collections(hass, entry, self.preferences.indexer_url)
        self._built = BuiltPlaylists(hass, entry.entry_id)
        servers = self.catalog_coordinator, self.feed_coordinator
        self._recognition = Recognition(*servers, guard)
        self.daily = Daily(
            hass,
            entry,
            guard,
            self.preferences,
            self.async_find_work,
            self._handle_update,
        )
        self.favorites = Favorites(hass, entry.entry_id, self._handle_update)
        own = self.favorites, self.collections
        artists = Artists(self.catalog_coordinator)
        self._builder = PlaylistBuilder(*servers, *own, self.preferences, artists)
        self._branches = Branches(entry.title, *servers, *own, self.daily, artists)
        self._search = Search(
            hass, *servers, self.favorites, self._branches, self.collections, artists
        )
        self._sources = Sources(
            *servers, *own, self.preferences, self._built, self.daily
        )
        self._background_reader = BackgroundReader(
            hass, entry, self.catalog_coordinator
        )
        self._listeners: list[CALLBACK_TYPE] = []
        self._debouncer = Debouncer(
            hass,
            LOGGER,
            cooldown=UPDATE_SECONDS,
            immediate=False,
            function=self._async_update_listeners,
        )

    @property
    def coordinators(self) -> list[ServerCoordinator[Any]]:
        """Return everything that is read."""
        return [self.catalog_coordinator, self.feed_coordinator, *self.collections]

    @property
    def entry_id(self) -> str:
        """Return the id of the entry."""
        return self.entry.entry_id

    @property
    def title(self) -> str:
        """Return the title of the entry."""
        return self.entry.title

    @property
    def feed_keys(self) -> tuple[str, ...]:
        """Return the `did:key` the feed signs with, as far as they are known."""
        return tuple(self.entry.options.get(CONF_FEED_KEYS, ()))

    @property
    def since(self) -> datetime | None:
        """Return when the older of both lists was read whole, None if one never was."""
        times = [
            coordinator.data.read_at
            for coordinator in (self.catalog_coordinator, self.feed_coordinator)
            if coordinator.url
        ]
        known = [time for time in times if time is not None]
        return min(known) if known and len(known) == len(times) else None

    @property
    def problem(self) -> Dp1Error | None:
        """Return why not everything can be read."""
        problems = (coordinator.problem for coordinator in self.coordinators)
        return next((problem for problem in problems if problem is not None), None)

    @property
    def problem_text(self) -> str | None:
        """Return why not everything can be read, in the words of an action that fails."""
        for coordinator in self.coordinators:
            if (problem := coordinator.problem) is not None:
                url = coordinator.url or ""
                return str(translated(problem, coordinator.kind, self.title, url))
        return None

    @callback
    def async_remember_signed(self) -> None:
        """Remember that the signing key has been used, so that its owner is told if it is lost."""
        if not self.entry.data.get(CONF_HAS_SIGNED):
            self.hass.config_entries.async_update_entry(
                self.entry, data={**self.entry.data, CONF_HAS_SIGNED: True}
            )

    async def async_start(self) -> None:
        """Load what is stored, and refresh what is old in the background."""
        await self.favorites.async_load()
        await self._built.async_load()
        kept = [collection.subentry_id for collection in self.collections]
        await async_remove_collections(self.hass, self.entry_id, kept)
        for coordinator in self.coordinators:
            await coordinator.async_load()
        self._follow(self.catalog_coordinator, self.feed_coordinator)
        await self.daily.async_start()
        self._background_reader.async_start()
        self.entry.async_create_background_task(
            self.hass, self._search.async_prepare(), f"{self.title} search"
        )

    @callback
    def async_start_collections(self) -> None:
        """Follow the collections, once their events are listened to."""
        self._follow(*self.collections)

    def _follow(self, *coordinators: ServerCoordinator[Any]) -> None:
        """Read what is old in the background, and listen to it."""
        for coordinator in coordinators:
            coordinator.async_start()
            coordinator.async_add_listener(self._handle_update)

    async def async_refresh(self) -> None:
        """Look for news on all servers now, or raise the translated error of the first that fails."""
        servers = self.coordinators
        *reasons, _ = await asyncio.gather(
            *(server.async_look_now() for server in servers),
            self.daily.async_look_now(),
        )
        for server, reason in zip(servers, reasons, strict=True):
            if isinstance(reason, Dp1Error):
                url = server.url or ""
                raise translated(reason, server.kind, self.title, url) from reason

    async def async_published(self, document: Mapping[str, Any]) -> None:
        """Show a playlist that has just been published or changed."""
        self.feed_coordinator.async_put(document)
        node = node_id(NodeKind.PLAYLIST, document["id"])
        if self.favorites.is_favorite(node):
            self.favorites.async_update(await self.async_node(node))

    @callback
    def async_deleted(self, key: str) -> None:
        """Stop offering a playlist that has just been deleted."""
        self.feed_coordinator.async_drop(key)
        self.favorites.async_remove(node_id(NodeKind.PLAYLIST, key))

    async def async_stop(self) -> None:
        """Stop reading and save everything."""
        self._debouncer.async_shutdown()
        await self._background_reader.async_stop()
        await self.daily.async_stop()
        for coordinator in self.coordinators:
            await coordinator.async_shutdown()
        await self._built.async_save()
        await self.favorites.async_save()

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Listen for changes of sources, favorites or anything that was read."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @callback
    def _handle_update(self) -> None:
        """Handle a change."""
        self._sources.invalidate()
        self._debouncer.async_schedule_call()

    @callback
    def _async_update_listeners(self) -> None:
        """Update all listeners."""
        for listener in list(self._listeners):
            listener()

    async def async_node(self, node: str) -> Node:
        """Return a node, or raise NotFoundError or why it could not be read."""
        return await self._branches.async_node(node)

    async def async_children(self, node: str, *, limit: int | None = None) -> Children:
        """Return what is inside a node, with the reason if some of it could not be read."""
        return await self._branches.async_children(node, limit=limit)

    async def async_search(
        self,
        query: str,
        *,
        kinds: Collection[NodeKind] | None = None,
        limit: int = 20,
        within: str | None = None,
    ) -> list[Node]:
        """Return playable nodes that fit words, the best first."""
        return await self._search.async_search(
            query, kinds=kinds, limit=limit, within=within
        )

    async def async_build_playlist(
        self, node: str, *, limit: int | None = None
    ) -> BuiltPlaylist:
        """Return what a display is to show for a node, or raise why there is nothing."""
        try:
            built = await self._builder.async_build(node, limit)
        except NotFoundError:
            if node.startswith(f"{NodeKind.PLAYLIST}/"):
                self.favorites.async_remove(node)
            raise
        document = built.cast.playlist or {}
        name = built.cast.playlist_url or document.get("id")
        if name and self._built.node_of(name) != built.node_id:
            self._built.async_remember(name, built.node_id)
            self._handle_update()
        return built

    async def async_find(self, kind: str, text: str) -> Node:
        """Return an exhibition by id, slug or title, a series by id or title, or a playlist by id, slug or address.

        Raises NotFoundError, or why it could not be read.
        """
        text = text.strip()
        match kind:
            case NodeKind.EXHIBITION:
                return await self._async_find_exhibition(text)
            case NodeKind.SERIES:
                return await self._async_find_series(text)
            case NodeKind.PLAYLIST:
                found = await self.feed_coordinator.async_playlist(text)
                return await self.async_node(node_id(NodeKind.PLAYLIST, found.id))
        return await self.async_node(node_id(NodeKind(kind), text))

    async def _async_find_exhibition(self, text: str) -> Node:
        """Return the exhibition with an id or slug, else the newest with a title."""
        exhibitions = await self.catalog_coordinator.async_list()
        by_key = (
            show
            for show in exhibitions.records
            if text.casefold() in (show.id.casefold(), show.slug.casefold())
        )
        by_title = (
            show for show in exhibitions.records if fold(show.title) == fold(text)
        )
        if found := next(by_key, None) or next(by_title, None):
            return await self.async_node(node_id(NodeKind.EXHIBITION, found.id))
        raise exhibitions.reason or NotFoundError(f"no exhibition {text!r}")

    async def _async_find_series(self, text: str) -> Node:
        """Return the series with a title among those that are known or found, else the one with an id."""
        for series in self.catalog_coordinator.all_series:
            if fold(series.title) == fold(text):
                return await self.async_node(node_id(NodeKind.SERIES, series.id))
        for node in await self.async_search(text, kinds={NodeKind.SERIES}):
            if fold(node.title) == fold(text):
                return node
        return await self.async_node(node_id(NodeKind.SERIES, text))

    async def async_hits(self, query: str, *, near: bool = False) -> list[Hit]:
        """Return playable nodes that fit words as they are or as they sound, the best first; with `near` also guesses."""
        return await self._search.async_hits(query, near=near)

    async def async_nearest(self, kind: NodeKind, text: str) -> list[str]:
        """Return the titles of a kind that come nearest to a text."""
        hits = await self._search.async_hits(text, kinds={kind}, near=True)
        return list(dict.fromkeys(hit.node.title for hit in hits))[:NEAREST]

    async def async_add_favorite(self, node: str) -> Node:
        """Add a node to the favorites, with what it takes to show it without the servers."""
        found = await self.async_node(node)
        item = await self._builder.async_item(node)
        self.favorites.async_add(found, item)
        return found

    def favorite_of(self, player: PlayerStatus, work: Work | None) -> str | None:
        """Return the node id under which the current work of a player is a favorite."""
        item = player.current
        candidates = [work.node_id if work else None]
        if item is not None and item.id and player.playlist_id:
            candidates.append(node_id(NodeKind.ITEM, player.playlist_id, item.id))
        found = (key for key in candidates if key and self.favorites.is_favorite(key))
        return next(found, None)

    def sources(self) -> Mapping[str, str]:
        """Return the ids of the nodes of the source list by their names."""
        return self._sources.names()

    def source_of(self, player: PlayerStatus) -> str | None:
        """Return the source a display shows, whoever cast it, if that is certain."""
        return self._sources.of(player)

    def known_work(self, item: PlaylistItem) -> Work | None:
        """Return what is known of a work without a request."""
        found = self.collections.work(item.id) or self.daily.known_work(item)
        return found or self._recognition.known_work(item)

    async def async_find_work(self, item: PlaylistItem) -> Work | None:
        """Return what is known or can be looked up of a work, or raise why nothing could be."""
        if work := self.collections.work(item.id) or self.daily.known_work(item):
            return work
        return await self._recognition.async_find_work(item)


async def async_remove_stored(hass: HomeAssistant, entry_id: str) -> None:
    """Remove what is stored of a removed library."""
    await async_remove_files(hass, entry_id)
    await Favorites(hass, entry_id, lambda: None).async_remove_store()
