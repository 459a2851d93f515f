"""The library: a catalog, a feed, collections and more as one tree of things to show."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_API_KEY
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.start import async_at_started

from ..client.catalog.artwork import CAP
from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import Dp1Error, NotFoundError
from ..client.feed.connection import Family
from ..client.feed.models import FeedPlaylist
from ..client.playlist.playlist import Playlist
from ..client.playlist.signing import SigningKey
from ..const import CONF_FEED_KEYS, CONF_HAS_SIGNED, LOGGER
from ..errors import action_failed, translated, translated_errors
from ..hosts import HOSTS
from ..language import async_message
from ..storage import async_remove_files
from .files import Files, async_remove_kept
from .index import place_of_item
from .item import Item
from .listing import PATIENCE
from .news import async_hold, async_tell_held
from .node import (
    SINGLE,
    WORKS,
    Inside,
    NodeKind,
    more_node,
    node_id,
    split_node_id,
    split_start,
)
from .providers.album import Albums
from .providers.catalog.provider import CatalogProvider
from .providers.catalog.server import CatalogServer
from .providers.channel import Channels
from .providers.collection.provider import Collections
from .providers.collection.server import medium_of
from .providers.daily import Daily
from .providers.favorites import Favorites
from .providers.feed.provider import FeedProvider
from .providers.hidden import Hidden
from .providers.kept import of_photo
from .providers.museum import MuseumProvider
from .providers.pictures import Pictures
from .providers.provider import BUILD_PATIENCE, Provider, Source
from .providers.surprise import Surprise
from .search import Lines, Match, Query, Scored, Search, async_find, lines_of_nodes
from .settings import Preferences
from .shelf import SUBENTRY, Shelf
from .signing_key import async_move_key, async_remove_key, async_signing_key
from .source_list import BuiltPlaylists, SourceList
from .words import MAX_FOLDED

# How many names an error about an unknown name suggests.
NEAREST = 3
# A longer page of a browser is of no use; what does not fit is on the next.
MAX_CHILDREN = 200
# A node may have more inside than can be looked at.
MAX_INSIDE = 2000

type LibraryConfigEntry = ConfigEntry[Library]


class Library:
    """The providers of one entry: hands a node to the provider that has it, and merges the answers of all."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: LibraryConfigEntry,
        on_change: CALLBACK_TYPE,
    ) -> None:
        """Initialize the library; nothing is sent before `async_start`."""
        self.hass = hass
        self.entry = entry
        self.preferences = Preferences.of(entry.options, entry.data)
        # Read at the start.
        self.key: SigningKey
        self.catalog_server = catalog = CatalogServer(hass, entry)
        of_entry = hass, entry, on_change
        self.catalog_provider = CatalogProvider(*of_entry, catalog)
        feed_provider = FeedProvider(*of_entry, self.catalog_provider)
        self.feed_server = feed = feed_provider.feed
        self.catalog, self.feed = catalog.client, feed.client
        self.channels = Channels(*of_entry, feed)
        self.collections = Collections(*of_entry)
        self.daily = Daily(*of_entry, self.work)
        self.favorites = Favorites(*of_entry)
        self.hidden = Hidden(*of_entry)
        self.albums = Albums(*of_entry, self.hidden)
        self.surprise = Surprise(
            *of_entry, lambda: self.providers, self.async_build_playlist, self.hidden
        )
        self._built = BuiltPlaylists(*of_entry)
        # In the order of their folders, and in which they recognize what hangs.
        all_providers: tuple[Provider, ...] = (
            self.daily,
            self.collections,
            self.catalog_provider,
            feed_provider,
            self.channels,
            MuseumProvider(*of_entry),
            self.albums,
            Pictures(*of_entry),
            self.favorites,
            self.hidden,
            self.surprise,
        )
        self._by_kind = {
            kind: provider for provider in all_providers for kind in provider.kinds
        }
        self.providers = [provider for provider in all_providers if provider.is_used]
        self._parts: tuple[BuiltPlaylists | Provider, ...] = (
            self._built,
            *self.providers,
        )
        self.files = Files(hass, entry, self._works_to_keep)
        self._search = Search(hass, self._lines, self._async_ask, self.favorites.has)

    @property
    def servers(self) -> list[Shelf[Any]]:
        """Return everything that is read."""
        return [each for some in self.providers for each in some.servers]

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
        """Return the `did:key` the feed signs with, as far as it has signed."""
        return tuple(self.entry.options.get(CONF_FEED_KEYS, ()))

    @property
    def is_reading(self) -> bool:
        """Return whether a list is read now."""
        return any(each.list.is_reading for each in self.servers)

    @property
    def records_read(self) -> int:
        """Return the number of the records in all lists, as far as they are read."""
        return sum(len(each.list.records) for each in self.servers)

    @property
    def since(self) -> datetime | None:
        """Return when the older of both lists was read whole, None if one never was."""
        times = [
            server.list.read_at
            for server in (self.catalog_server, self.feed_server)
            if server.url
        ]
        read = [time for time in times if time is not None]
        return min(read) if read and len(read) == len(times) else None

    @property
    def problem(self) -> Dp1Error | None:
        """Return why not everything can be read."""
        problems = (server.problem for server in self.servers)
        return next((problem for problem in problems if problem is not None), None)

    @property
    def problem_text(self) -> str | None:
        """Return why not everything can be read, in the words of an action that fails."""
        for server in self.servers:
            if (problem := server.problem) is not None:
                return async_message(self.hass, self._translated(problem, server))
        return None

    def _translated(self, reason: Dp1Error, server: Shelf[Any]) -> HomeAssistantError:
        """Return why a server could not be read, in the words of an action that fails."""
        return translated(reason, server.kind, self.title, server.url or "")

    async def async_confirm_key(self) -> None:
        """Raise unless the signing key is on the disk."""
        if not await async_move_key(self.hass, self.entry):
            raise action_failed("keys_not_saved", name=self.title)

    @callback
    def async_remember_signed(self) -> None:
        """Remember that the signing key has been used, whose loss is a repair then."""
        if not self.entry.data.get(CONF_HAS_SIGNED):
            self.hass.config_entries.async_update_entry(
                self.entry, data={**self.entry.data, CONF_HAS_SIGNED: True}
            )

    async def async_start(self) -> None:
        """Load the stored lists, and refresh old ones in the background."""
        async_hold(self.hass, self.entry_id)
        self.key = await async_signing_key(self.hass, self.entry)
        await async_move_key(self.hass, self.entry)
        # Some may have been removed while this library was not loaded.
        files = f"library.{self.entry_id}.{SUBENTRY}"
        await async_remove_files(self.hass, files, self.entry.subentries)
        for each in self._parts:
            with _alone(each):
                await each.async_load()
        for provider in self.providers:
            with _alone(provider):
                provider.async_start()
        await self.files.async_start()
        self.entry.async_create_background_task(
            self.hass, self._search.async_prepare(), f"{self.title} search"
        )

    @callback
    def async_tell_news(self) -> None:
        """Tell news once Home Assistant has started, and automations listen to them."""

        @callback
        def tell(hass: HomeAssistant) -> None:
            """Tell them."""
            async_tell_held(hass, self.entry_id)

        self.entry.async_on_unload(async_at_started(self.hass, tell))

    async def async_refresh(self) -> None:
        """Look for news on all servers now, or raise the translated error of the first that fails."""
        servers = self.servers
        reasons = await asyncio.gather(
            *(server.async_refresh() for server in servers),
            self.daily.async_refresh(),
        )
        for server, reason in zip(servers, reasons, strict=False):
            if isinstance(reason, Dp1Error):
                raise self._translated(reason, server) from reason

    async def async_published(self, document: Mapping[str, Any]) -> None:
        """Show a playlist that has just been published or changed."""
        await self.feed_server.async_put(document)
        node = node_id(NodeKind.PLAYLIST, document["id"])
        if self.favorites.has(node):
            self.favorites.async_update(await self.async_node(node))

    async def async_own_playlists(self) -> list[FeedPlaylist]:
        """Return the playlists of the feed that are ours to change, the newest first, or raise why they could not be read.

        Who has an API key may change every playlist of the feed.
        """
        assert self.feed is not None
        with translated_errors("feed", self.title, self.feed.url):
            family = await self.feed.family()
            playlists = await self.feed_server.async_list()
            if playlists.missing:
                raise playlists.missing
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
        self.feed_server.async_drop(key)
        self.favorites.async_remove(node_id(NodeKind.PLAYLIST, key))

    async def async_stop(self) -> None:
        """Stop reading and save everything."""
        await self.files.async_stop()
        for each in self._parts:
            await each.async_stop()

    def _works_to_keep(self) -> Callable[[], Iterable[str]] | None:
        """Return a function that yields the addresses of the single works among the favorites, and of the works of collections; None while not all are known."""
        collections = [it.list for it in self.collections.servers if it.url]
        if not all(each.is_known for each in collections):
            return None
        items = self.favorites.items()
        tokens = [each.records for each in collections]

        def addresses() -> Iterator[str]:
            """Yield the addresses."""
            yield from (str(it.get("source") or "") for it in items)
            for work in chain.from_iterable(tokens):
                if work.source and medium_of(work) != "interactive":
                    yield work.source

        return addresses

    # Nodes

    async def _async_look_up(
        self, node: str, patience: float = PATIENCE
    ) -> tuple[Provider, Item]:
        """Return an item by the id of its node, and its provider, or raise NotFoundError or why it could not be read."""
        kind, _ = split_node_id(node)
        if (provider := self._by_kind.get(kind)) is None:
            raise NotFoundError(f"nothing is called {node!r}")
        return provider, await provider.async_node(node, patience)

    def roots(self) -> tuple[Item, ...]:
        """Return the folders of the library."""
        return tuple(node for provider in self.providers for node in provider.roots())

    def has_folder(self, kind: NodeKind) -> bool:
        """Return whether there is something in a folder."""
        return any(node.id == kind and node.can_play for node in self.roots())

    async def async_node(self, node: str) -> Item:
        """Return a node by its id, or raise NotFoundError or why it could not be read."""
        whole, start = split_start(node)
        if start:
            title = (await self.async_node(whole)).title
            return more_node(whole, start, title=title)
        if node == NodeKind.ROOT:
            # With another cover than that of its first folder.
            pictures = [it.small_picture for it in reversed(self.roots())]
            picture = next(filter(None, pictures), None)
            return Item(
                kind=NodeKind.ROOT, title=self.title, picture=picture, can_expand=True
            )
        try:
            return (await self._async_look_up(node))[1]
        except Dp1Error:
            for each in (self.favorites, self.hidden):
                if kept := each.kept(node):
                    return kept.node
            raise

    async def async_children(self, node: str) -> Inside:
        """Return the nodes inside another, with the reason if some could not be read.

        Raises NotFoundError if there is no such node or it cannot be opened.
        """
        node, start = split_start(node)
        children = await self._async_inside(node)
        end = start + MAX_CHILDREN
        nodes = tuple(children.nodes[start:end])
        if (more := len(children.nodes) - end) > 0:
            nodes = (*nodes, more_node(node, end, count=more))
        return replace(children, nodes=nodes)

    async def _async_inside(self, node: str) -> Inside:
        """Return the nodes inside another, or why they could not be read; raises NotFoundError."""
        if node == NodeKind.ROOT:
            return Inside(self.roots())
        try:
            provider, item = await self._async_look_up(node)
            return await provider.async_pages(item, CAP)
        except NotFoundError:
            raise
        except Dp1Error as err:
            return Inside((), problem=err)

    async def async_inside(self, node: str) -> Sequence[Item]:
        """Return all nodes inside another, as far as they take no request for each."""
        return (await self._async_inside(node)).nodes[:MAX_INSIDE]

    async def async_build_playlist(
        self, node: str, *, limit: int | None = None
    ) -> Playlist:
        """Return the playlist of a node, of at most `limit` works.

        Raises NotFoundError if there is nothing to show, or another Dp1Error if it could not be read.
        """
        try:
            provider, item = await self._async_look_up(node, BUILD_PATIENCE)
            built = await provider.async_build(item, limit)
        except Dp1Error:
            kept = (self.favorites.build_kept, self.hidden.build_kept)
            found = next(filter(None, (build(node) for build in kept)), None)
            if found is None:
                raise
            built = found
        self._built.async_remember(built)
        return built

    async def async_find(self, kind: str, text: str) -> Item:
        """Return an exhibition by id, slug or title, or of a series by id or title.

        Raises NotFoundError, or why it could not be read.
        """
        if not 0 < len(name := text.strip()) <= MAX_FOLDED:
            raise NotFoundError("nothing has a name of that length")
        search = self.catalog_provider.search
        is_show = kind == NodeKind.EXHIBITION
        return await (search.async_exhibition if is_show else search.async_series)(name)

    def playlist_node(self, text: str) -> str | None:
        """Return the node id of the oldest playlist of the feed with a title, or of one that was built by its id."""
        playlists = self.feed_server.titled(text)
        built = self._built.node(text)
        return node_id(NodeKind.PLAYLIST, playlists[-1].id) if playlists else built

    # Works

    def _meant(self, item: PlaylistItem) -> PlaylistItem:
        """Return the item of a display with where its work is for others, too."""
        url = self.hass.data[HOSTS].public_url(item.source or "")
        return replace(item, source=url) if item.source else item

    def work(self, item: PlaylistItem) -> Item | None:
        """Return the work of a playlist item without a request."""
        item = self._meant(item)
        works = (provider.find(item) for provider in self.providers)
        return next((work for work in works if work is not None), None)

    async def async_work(self, item: PlaylistItem) -> Item | None:
        """Return the work of a playlist item, which may be looked up, or raise why it could not be."""
        problem: Dp1Error | None = None
        item = self._meant(item)
        for provider in self.providers:
            try:
                if work := await provider.async_find(item):
                    return work
            except Dp1Error as err:
                problem = err
        if problem is not None:
            raise problem
        return None

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
            nodes = await self.async_inside(within)
            inside = [lines_of_nodes(self.hass, lambda: nodes)]
            inside += chain.from_iterable(
                each.lines_inside(nodes) for each in self.providers
            )
        return await search(query, kinds=kinds, folder=within, inside=inside, near=near)

    async def async_called(self, query: str) -> Scored:
        """Return what of the lists has all words, without asking anybody."""
        return await async_find(self.hass, self._lines(""), Query.of(query))

    def _lines(self, folder: str) -> list[Lines[Any]]:
        """Return the lines of all providers, or those of a folder."""
        lines = chain.from_iterable(each.lines for each in self.providers)
        return [each for each in lines if folder in ("", each.folder)]

    async def _async_ask(self, query: Query, text: str, folder: str) -> Scored:
        """Return the matches of all providers, or of that of a folder, beside those of lines."""
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

    async def async_add_favorite(self, node: str) -> Item:
        """Add a node to the favorites, with the item that shows it without the servers."""
        favorite, item = await self.async_node(of_photo(node)), None
        if favorite.kind in WORKS:
            item = (await self.async_build_playlist(node)).items[0]
        self.favorites.async_add(favorite, item)
        for each in (node, *self.hidden.of_work(item)):
            self.hidden.async_remove(each)
        return favorite

    @callback
    def async_hide(self, work: Item, item: dict[str, Any]) -> None:
        """Never show a work again, which is no favorite then; raises ValueError for anything else."""
        if work.kind not in SINGLE or not place_of_item(item):
            raise ValueError("not a work")
        for each in (work.id, *self.favorites.of_work(item)):
            self.favorites.async_remove(each)
        self.hidden.async_add(work, item)

    def knows(self, player: PlayerStatus, work: Item | None) -> bool:
        """Return whether the current work of a player is of this library, as far as no request is needed."""
        if work is not None and work.id:
            return True
        ref = player.playlist_id
        return bool(ref and self.feed_server.playlist(ref))

    def favorite_of(self, player: PlayerStatus, work: Item | None) -> str | None:
        """Return the node id under which the current work of a player is a favorite."""
        if work is not None and self.favorites.has(work.id):
            return work.id
        if (item := player.current) is None or not item.id or not player.playlist_id:
            return None
        key = node_id(NodeKind.ITEM, player.playlist_id, item.id)
        meant = {"source": self._meant(item).source}
        return key if key in self.favorites.of_work(meant) else None

    def source_list(self) -> SourceList[Library]:
        """Return the sources of now."""
        return SourceList([self])

    def sources(self) -> tuple[list[Source], list[Sequence[Source]]]:
        """Return the surprise and the Daily as sources, and the others in groups, the newest of each first."""
        first = [*chain(*self.surprise.sources())]
        if self.daily.is_used:
            first.append(self.daily.source())
        others = (it for it in self.providers if it not in (self.surprise, self.daily))
        return first, [sources for each in others for sources in each.sources()]

    def origin(self, node: str) -> str:
        """Return where a node comes from: a server that other libraries may have, too, or this library."""
        provider = self._by_kind[node.partition("/")[0]]
        return provider.origin or self.entry_id

    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the nodes that a display shows: by its playlist, and then by its works."""
        yield from self.daily.recognize(player)
        for each in self._parts:
            yield from each.recognize(player)
        sources = frozenset(item.source or "" for item in player.items)
        if sources and "" not in sources:
            yield from self.catalog_provider.recognize_works(sources)


@contextmanager
def _alone(provider: Provider | BuiltPlaylists) -> Iterator[None]:
    """Let a provider that fails at the start take no other along; a file that cannot be read now is another matter."""
    try:
        yield
    except HomeAssistantError:
        raise
    except Exception:  # noqa: BLE001 (whatever it is, it is this provider alone)
        LOGGER.exception("%s of the library cannot start", type(provider).__name__)


def error_prefix_of(node: str) -> str:
    """Return which server a node comes from, as the keys of error texts start."""
    kind = node.partition("+")[0].partition("/")[0]
    return _ERROR_PREFIXES.get(kind, Provider.error_prefix)


_ERROR_PREFIXES = {
    kind: provider.error_prefix
    for provider in (Daily, Collections, FeedProvider, Channels, MuseumProvider)
    for kind in provider.kinds
}


async def async_remove_stored(hass: HomeAssistant, entry_id: str) -> None:
    """Remove the files of a removed library."""
    await async_remove_files(hass, f"library.{entry_id}.")
    await async_remove_kept(hass, entry_id)
    await async_remove_key(hass, entry_id)
    for kept in (Favorites, Hidden, Surprise):
        await kept.store_of(hass, entry_id).async_remove()
