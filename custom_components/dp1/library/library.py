"""The library: a catalog, a feed, collections and more as one tree of things to show."""

import asyncio
from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import chain
from typing import Any
from urllib.parse import unquote

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_API_KEY
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.start import async_at_started

from ..client.catalog.artwork import CAP
from ..client.display.player_status import PlayerStatus
from ..client.errors import Dp1Error, NotFoundError
from ..client.feed.connection import Family
from ..client.playlist.playlist import Playlist
from ..client.playlist.signing import SigningKey
from ..const import CONF_FEED_KEYS, CONF_HAS_SIGNED, CONF_SIGNING_KEY
from ..errors import translated
from .node import (
    WORKS,
    Children,
    Node,
    NodeKind,
    more_node,
    node_id,
    split_more,
    split_node_id,
)
from .providers.catalog.provider import CatalogProvider
from .providers.channel import Channels
from .providers.collection import Collections
from .providers.daily import Daily
from .providers.favorites import Favorites, store_of
from .providers.feed.provider import FeedProvider
from .providers.feed.records import FeedPlaylist
from .providers.pictures import Pictures
from .providers.provider import Context, Found, Provider
from .search import Lines, Match, Query, Scored, Search, lines_of_nodes
from .server import ServerCoordinator, async_remove_files, async_remove_subentries
from .source_list import BuiltPlaylists, SourceList
from .spoken import MAX_FOLDED
from .work import Work

# In the order in which they are listed, and asked what a display shows.
PROVIDERS: tuple[type[Provider], ...] = (
    Daily,
    BuiltPlaylists,
    Collections,
    CatalogProvider,
    FeedProvider,
    Channels,
    Pictures,
    Favorites,
)
# How many names an error about an unknown name suggests.
NEAREST = 3
# A longer page of a browser is of no use; what does not fit is on the next.
MAX_CHILDREN = 200
# A node may have more inside than can be looked at.
MAX_INSIDE = 2000

type LibraryConfigEntry = ConfigEntry[Library]


class Library(Context):
    """The providers of one entry: it asks the one whose node is named, and puts together what all of them have."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: LibraryConfigEntry,
        on_change: CALLBACK_TYPE,
    ) -> None:
        """Initialize the library; nothing is sent before `async_start`."""
        super().__init__(hass, entry, on_change)
        self.key = SigningKey.parse(entry.data[CONF_SIGNING_KEY])
        self.catalog = self.catalog_coordinator.client
        self.feed = self.feed_coordinator.client
        self._all = [make(self) for make in PROVIDERS]
        self._by_kind = {
            kind: provider for provider in self._all for kind in provider.kinds
        }
        self.providers = [provider for provider in self._all if provider.is_used]
        self.collections = self._only(Collections)
        self.daily = self._only(Daily)
        self.favorites = self._only(Favorites)
        self._built = self._only(BuiltPlaylists)
        self._search = Search(self._lines, self._async_ask, self.favorites.is_favorite)

    def _only[P: Provider](self, kind: type[P]) -> P:
        """Return the provider of a kind."""
        return next(each for each in self._all if isinstance(each, kind))

    @property
    def coordinators(self) -> list[ServerCoordinator[Any]]:
        """Return everything that is read."""
        return [each for some in self.providers for each in some.coordinators]

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
    def is_reading(self) -> bool:
        """Return whether a list is read now."""
        return any(coordinator.is_listing for coordinator in self.coordinators)

    @property
    def known(self) -> int:
        """Return how many records the lists have, as far as they are read."""
        return sum(coordinator.progress[0] for coordinator in self.coordinators)

    @property
    def progress(self) -> float | None:
        """Return how much of the lists that are read now is known, from 0 to 1, None if a server does not tell."""
        lists = [each.progress for each in self.coordinators if each.is_listing]
        totals = [total for _, total in lists if total]
        if not lists or len(totals) < len(lists):
            return None
        return min(sum(known for known, _ in lists) / sum(totals), 1.0)

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
        for server in self.coordinators:
            if (problem := server.problem) is not None:
                return str(self._translated(problem, server))
        return None

    def _translated(
        self, reason: Dp1Error, server: ServerCoordinator[Any]
    ) -> HomeAssistantError:
        """Return why a server could not be read, in the words of an action that fails."""
        return translated(reason, server.kind, self.title, server.url or "")

    @callback
    def async_remember_signed(self) -> None:
        """Remember that the signing key has been used, so that its owner is told if it is lost."""
        if not self.entry.data.get(CONF_HAS_SIGNED):
            self.hass.config_entries.async_update_entry(
                self.entry, data={**self.entry.data, CONF_HAS_SIGNED: True}
            )

    async def async_start(self) -> None:
        """Load what is stored, and refresh what is old in the background."""
        await async_remove_subentries(self.hass, self.entry_id, self.entry.subentries)
        for provider in self.providers:
            await provider.async_load()
        for provider in self.providers:
            provider.async_start()
        self.entry.async_create_background_task(
            self.hass, self._search.async_prepare(), f"{self.title} search"
        )

    @callback
    def async_start_late(self) -> None:
        """Tell news once Home Assistant has started, and automations listen to them."""

        @callback
        def start(hass: HomeAssistant) -> None:
            """Let the providers tell them."""
            for provider in self.providers:
                provider.async_start_late()

        self.entry.async_on_unload(async_at_started(self.hass, start))

    async def async_refresh(self) -> None:
        """Look for news on all servers now, or raise the translated error of the first that fails."""
        servers = self.coordinators
        reasons = await asyncio.gather(
            *(server.async_look_now() for server in servers),
            *(provider.async_refresh() for provider in self.providers),
        )
        for server, reason in zip(servers, reasons, strict=False):
            if isinstance(reason, Dp1Error):
                raise self._translated(reason, server) from reason

    async def async_published(self, document: Mapping[str, Any]) -> None:
        """Show a playlist that has just been published or changed."""
        self.feed_coordinator.async_put(document)
        node = node_id(NodeKind.PLAYLIST, document["id"])
        if self.favorites.is_favorite(node):
            self.favorites.async_update(await self.async_node(node))

    async def async_own_playlists(self) -> list[FeedPlaylist]:
        """Return the playlists of the feed that are ours to change, the newest first, or raise why they could not be read.

        Who has an API key may change every playlist of the feed.
        """
        assert self.feed is not None
        family = await self.feed.family()
        playlists = await self.feed_coordinator.async_list()
        if playlists.reason:
            raise playlists.reason
        has_key = bool(self.entry.data.get(CONF_API_KEY))
        takes_key = has_key and family is not Family.SIGNED
        return [
            playlist
            for playlist in playlists.records
            if takes_key or self.key.did in playlist.owners
        ]

    @callback
    def async_deleted(self, key: str) -> None:
        """Stop offering a playlist that has just been deleted."""
        self.feed_coordinator.async_drop(key)
        self.favorites.async_remove(node_id(NodeKind.PLAYLIST, key))

    async def async_stop(self) -> None:
        """Stop reading and save everything."""
        for provider in self.providers:
            await provider.async_stop()

    # Nodes

    def _provider_of(self, node: str) -> tuple[Provider, str, list[str]]:
        """Return the provider of a node with the kind and the keys in its id, or raise NotFoundError."""
        kind, keys = split_node_id(node)
        provider = self._by_kind.get(kind)
        if provider is None or len(keys) != provider.kinds[kind]:
            raise NotFoundError(f"nothing is called {node!r}")
        return provider, kind, keys

    async def async_node(self, node: str) -> Node:
        """Return a node by its id, or raise NotFoundError or why it could not be read."""
        kind, keys = split_node_id(node)
        if node == NodeKind.ROOT:
            return self._root()
        if kind == NodeKind.MORE:
            inner, start = split_more(keys)
            named = await self.async_node(inner)
            return more_node(inner, start, title=named.title)
        provider, kind, keys = self._provider_of(node)
        try:
            return await provider.async_node(kind, *keys)
        except Dp1Error:
            if kept := self.favorites.get(node):
                return kept.node
            raise

    def _root(self) -> Node:
        """Return the node of the library, with another cover than that of its first folder."""
        pictures = [node.work.picture for node in self._roots() if node.work.picture]
        return Node(
            id=NodeKind.ROOT.value,
            kind=NodeKind.ROOT,
            work=Work(title=self.title, picture=pictures[-1] if pictures else None),
            can_expand=True,
        )

    def _roots(self) -> tuple[Node, ...]:
        """Return the folders of the library."""
        return tuple(node for provider in self.providers for node in provider.roots())

    async def async_children(self, node: str, *, limit: int | None = None) -> Children:
        """Return what is inside a node, with the reason if some of it could not be read.

        Raises NotFoundError if there is no such node or it cannot be opened.
        """
        start = 0
        kind, keys = split_node_id(node)
        if kind == NodeKind.MORE:
            node, start = split_more(keys)
        children: Children[Any]
        try:
            if node == NodeKind.ROOT:
                children = Children(self._roots())
            else:
                provider, kind, keys = self._provider_of(node)
                children = await provider.async_children(
                    kind, *keys, limit=limit or CAP
                )
        except NotFoundError:
            raise
        except Dp1Error as err:
            children = Children((), problem=err)
        end = start + (limit or MAX_CHILDREN)
        shown, more = children.nodes[start:end], max(0, len(children.nodes) - end)
        nodes = tuple(map(children.make, shown) if children.make else shown)
        if more and limit is None:
            nodes, more = (*nodes, more_node(node, end, count=more)), 0
        more += children.not_shown
        return Children(nodes, more, children.problem, children.since)

    async def async_build_playlist(
        self, node: str | Found, *, limit: int | None = None
    ) -> Playlist:
        """Return what a display is to show for a node, of at most `limit` works.

        Raises NotFoundError if there is nothing to show, or another Dp1Error if it could not be read.
        """
        found = node if isinstance(node, Found) else Found(node, "")
        provider, kind, keys = self._provider_of(found.id)
        try:
            built = await provider.async_build(
                kind, *keys, limit=limit, record=found.record
            )
        except Dp1Error as err:
            if (kept := self.favorites.build_kept(found.id)) is None:
                if kind == NodeKind.PLAYLIST and isinstance(err, NotFoundError):
                    self.favorites.async_remove(found.id)
                raise
            built = kept
        self._built.async_remember(built)
        return built

    async def async_find(self, kind: str, text: str) -> Found:
        """Return an exhibition by id, slug or title, or a series by id or title.

        Raises NotFoundError, or why it could not be read.
        """
        if not 0 < len(name := text.strip()) <= MAX_FOLDED:
            raise NotFoundError("nothing has a name of that length")
        return await self._by_kind[kind].async_find(kind, name)

    # Search

    async def async_hits(
        self,
        query: str,
        *,
        kinds: Collection[str] | None = None,
        within: str = "",
        near: bool = False,
    ) -> list[Match]:
        """Return playable nodes that fit words as they are or as they sound, the best first; with `near` also guesses."""
        search, inside = self._search.async_hits, None
        if within not in {lines.folder for lines in self._lines("")}:
            nodes = (await self.async_children(within, limit=MAX_INSIDE)).nodes
            inside = [lines_of_nodes(self.hass, lambda: nodes)]
            inside += chain.from_iterable(
                each.lines_inside(nodes) for each in self.providers
            )
        return await search(query, kinds=kinds, folder=within, inside=inside, near=near)

    def _lines(self, folder: str) -> list[Lines[Any]]:
        """Return the lines of all providers, or those of a folder."""
        lines = chain.from_iterable(each.lines for each in self.providers)
        return [each for each in lines if folder in ("", each.folder)]

    async def _async_ask(self, query: Query, text: str, folder: str) -> Scored:
        """Return what the providers, or that of a folder, find by other means."""
        answers = await asyncio.gather(
            *(
                each.async_ask(query, text)
                for each in self.providers
                if folder in ("", *each.kinds)
            )
        )
        return [*chain.from_iterable(answers)]

    async def async_nearest(self, kind: str, text: str) -> list[str]:
        """Return the titles of a kind that come nearest to a text."""
        matches = await self.async_hits(text, kinds={kind}, near=True)
        return list(dict.fromkeys(each.node.title for each in matches))[:NEAREST]

    async def async_add_favorite(self, node: str) -> Node:
        """Add a node to the favorites, with what it takes to show it without the servers."""
        found = await self.async_node(node)
        item = None
        if found.kind in WORKS:
            item = (await self.async_build_playlist(node)).items[0]
        self.favorites.async_add(found, item)
        return found

    def knows(self, player: PlayerStatus, work: Work | None) -> bool:
        """Return whether the current work of a player is known to be of this library, as far as no request tells."""
        if work is not None and work.node_id:
            return True
        ref = player.playlist_id
        return bool(ref and self.feed_coordinator.playlist(ref))

    def favorite_of(self, player: PlayerStatus, work: Work | None) -> str | None:
        """Return the node id under which the current work of a player is a favorite."""
        item = player.current
        candidates = [work.node_id if work else None]
        if item is not None and item.id and player.playlist_id:
            candidates.append(node_id(NodeKind.ITEM, player.playlist_id, item.id))
        found = (key for key in candidates if key and self.favorites.is_favorite(key))
        return next(found, None)

    def source_list(self) -> SourceList:
        """Return what can be selected now."""
        return SourceList(self.providers)

    async def async_document(self, player: PlayerStatus) -> Mapping[str, Any] | None:
        """Return the document that a display shows, if it is in the list of our feed, or raise why it could not be read."""
        for ref in (player.playlist_url, player.playlist_id):
            if ref and (known := self.feed_coordinator.playlist(ref)):
                stored = await self.feed_coordinator.async_document(known.id)
                return stored.document
        return None


def server_of(node: str) -> str:
    """Return which server a node comes from, as the keys of error texts start."""
    kind = unquote(node.removeprefix("more/")).partition("/")[0]
    servers = (each.server for each in PROVIDERS if kind in each.kinds)
    return next(servers, "catalog")


async def async_remove_stored(hass: HomeAssistant, entry_id: str) -> None:
    """Remove what is stored of a removed library."""
    await async_remove_files(hass, entry_id)
    await store_of(hass, entry_id).async_remove()
