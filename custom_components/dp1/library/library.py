"""The library: an exhibition catalog and a playlist feed as one tree of things to show."""

from collections.abc import Collection, Mapping
from datetime import datetime

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_API_KEY
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import Dp1Error, NotFoundError
from ..client.feed.client import Feed
from ..client.playlist.signing import SigningKey
from ..const import CONF_CATALOG_URL, CONF_FEED_KEYS, CONF_FEED_URL, CONF_SIGNING_KEY
from .branches import Branches
from .cache import CacheStore
from .favorites import Favorites
from .index import Index
from .playlists import BuiltPlaylist, PlaylistBuilder
from .preferences import Preferences
from .recognition import Recognition
from .search import WORDS, Query, Search
from .shared_reads import PrefetchingCatalog
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

type LibraryConfigEntry = ConfigEntry[Library]


class Library:
    """One catalog, one feed, or both, and what a person likes of them.

    Attributes:
        catalog: the catalog's client, if there is one.
        feed: the feed's client, if there is one.
        key: what the library signs with.
        favorites: what a person likes.
        preferences: what a person has chosen.
    """

    def __init__(self, hass: HomeAssistant, entry: LibraryConfigEntry) -> None:
        """Prepare; nothing is sent before ``async_start``."""
        self.hass = hass
        self.entry = entry
        data, session = entry.data, async_get_clientsession(hass)
        catalog_url, feed_url = data.get(CONF_CATALOG_URL), data.get(CONF_FEED_URL)
        signing_key = data.get(CONF_SIGNING_KEY)
        self.catalog = PrefetchingCatalog(session, catalog_url) if catalog_url else None
        self.key = SigningKey.parse(signing_key) if signing_key else None
        self.feed = (
            Feed(
                session,
                feed_url,
                api_key=data.get(CONF_API_KEY),
                legacy_keys=self.feed_keys,
            )
            if feed_url
            else None
        )
        self.preferences = Preferences.of(entry.options)
        self._index = Index(
            hass, entry, self.catalog, self.feed, self.preferences.refresh_seconds
        )
        self.favorites = Favorites(hass, entry.entry_id, self._index.changed)
        self._builder = PlaylistBuilder(self._index, self.favorites, self.preferences)
        self._branches = Branches(
            entry.title, self._index, self.favorites, self._builder
        )
        self._search = Search(self._index, self.favorites, self._branches)
        self._sources = Sources(self._index, self.favorites, self.preferences)
        self._recognition = Recognition(self._index, session)

    @property
    def entry_id(self) -> str:
        """Id of the entry."""
        return self.entry.entry_id

    @property
    def title(self) -> str:
        """What its owner calls it."""
        return self.entry.title

    @property
    def feed_keys(self) -> tuple[str, ...]:
        """``did:key`` of what the feed signs with, as far as it is known."""
        return tuple(self.entry.options.get(CONF_FEED_KEYS, ()))

    @property
    def since(self) -> datetime | None:
        """How old what is served is: when the older of both lists was read whole; None if one never was."""
        moments = [
            *([self._index.exhibitions.read_at] if self.catalog else []),
            *([self._index.playlists.read_at] if self.feed else []),
        ]
        known = [it for it in moments if it is not None]
        return min(known) if known and len(known) == len(moments) else None

    @property
    def problem(self) -> Dp1Error | None:
        """Why what is served is not newer, or not all; None if nothing is wrong."""
        return self._index.problem

    async def async_start(self) -> None:
        """Put up what was kept, without a request; what is old is read anew behind the scenes."""
        await self.favorites.async_load()
        await self._index.async_start()

    async def async_stop(self) -> None:
        """Keep everything for the next time."""
        await self._index.async_stop()
        await self.favorites.async_save()

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Tell when sources, favorites or anything that was read has changed; returns how to stop that."""
        return self._index.async_add_listener(listener)

    async def async_node(self, node: str) -> Node:
        """Find a node by its id; see ``Branches.async_node``."""
        return await self._branches.async_node(node)

    async def async_children(self, node: str, *, limit: int | None = None) -> Children:
        """Open a node; see ``Branches.async_children``."""
        return await self._branches.async_children(node, limit=limit)

    async def async_search(
        self,
        query: str,
        *,
        kinds: Collection[NodeKind] | None = None,
        limit: int = 20,
        within: str | None = None,
    ) -> list[Node]:
        """Find what can be played, what fits best first; see ``Search.async_search``."""
        return await self._search.async_search(
            query, kinds=kinds, limit=limit, within=within
        )

    async def async_build_playlist(
        self, node: str, *, limit: int | None = None, shuffle: bool = False
    ) -> BuiltPlaylist:
        """Make what a display is to show for a node; see ``PlaylistBuilder.async_build``."""
        return await self._builder.async_build(node, limit=limit, shuffle=shuffle)

    async def async_find(self, kind: str, text: str) -> Node:
        """Find what a person names.

        Args:
            kind: ``exhibition`` (by id, slug or title), ``series`` (by id) or ``playlist`` (by id, slug or address).
            text: the name.

        Raises:
            NotFoundError: there is none; says what was looked for.
            Dp1Error: why that cannot be told.
        """
        text = text.strip()
        match kind:
            case NodeKind.EXHIBITION:
                return await self._find_exhibition(text)
            case NodeKind.PLAYLIST:
                found = await self._branches.async_playlist(text)
                return await self.async_node(node_id(NodeKind.PLAYLIST, found.id))
        return await self.async_node(node_id(NodeKind(kind), text))

    async def _find_exhibition(self, text: str) -> Node:
        """Find an exhibition by its id or slug, else the one whose title fits best."""
        kept = await self._index.async_exhibitions()
        for show in kept.records:
            if text.casefold() in (show.id.casefold(), show.slug.casefold()):
                return await self.async_node(node_id(NodeKind.EXHIBITION, show.id))
        found = await self.async_search(text, kinds={NodeKind.EXHIBITION}, limit=1)
        if not found or Query.of(text).score(found[0].title) < WORDS:
            raise kept.reason or NotFoundError(f"no exhibition {text!r}")
        return found[0]

    async def async_add_favorite(self, node: str) -> Node:
        """Add a node to the favorites, with what it takes to show it without the servers.

        Raises:
            NotFoundError: there is no such thing, or it cannot be shown.
            Dp1Error: why it could not be read.
        """
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
        found = (it for it in candidates if it and self.favorites.is_favorite(it))
        return next(found, None)

    def sources(self) -> Mapping[str, str]:
        """Return the ids of the nodes that the source list names, by their names."""
        return self._sources.names()

    def source_of(self, player: PlayerStatus) -> str | None:
        """Name the source that hangs, also when it was cast from elsewhere, if that can be told for certain."""
        return self._sources.of(player)

    def known_work(self, item: PlaylistItem) -> Work | None:
        """Tell what is known of a work on the wall, without asking anybody."""
        return self._recognition.known_work(item)

    async def async_find_work(self, item: PlaylistItem) -> Work | None:
        """Tell what is known of a work on the wall, or can be found out."""
        return await self._recognition.async_find_work(item)


async def async_remove_stored(hass: HomeAssistant, entry_id: str) -> None:
    """Delete what was kept of a library that is no more."""
    await CacheStore(hass, entry_id, None, None).async_remove()
    await Favorites(hass, entry_id, lambda: None).async_remove_store()
