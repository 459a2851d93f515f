"""The collections of a library: the works that some addresses hold, followed in the background."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import batched
from math import ceil
from random import uniform
from typing import Any, Final, override
from uuid import uuid5

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.loader import async_get_integration
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from ...client.display.player_status import PlaylistItem
from ...client.errors import (
    Dp1Error,
    InvalidRequestError,
    NotFoundError,
    UnexpectedAnswerError,
)
from ...client.indexer.client import HIDDEN, MAX_TOKENS, PAGE, Checkpoint, Indexer
from ...client.indexer.tokens import MAX_ALL_DATA, Token, data_type, provenance
from ...client.page import Page
from ...client.playlist.document import timestamp
from ...client.playlist.manifest import MAX_NOTE, Artist
from ...client.playlist.playlist import Playlist
from ...client.text import HLS, media_type, shorten
from ...const import (
    CONF_ADDRESSES,
    CONF_KEEP_CURRENT,
    DOMAIN,
    LOGGER,
    SUBENTRY_COLLECTION,
)
from ...guard import async_session
from ...storage import record_from_json, record_to_json
from ..news import ACQUIRED, LEFT_COLLECTION, async_tell
from ..node import Children, Node, NodeKind, node_id
from ..search import Lines, Names
from ..server import Server
from ..server_list import PATIENCE, Json, ServerList
from ..settings import Preferences
from ..work import WORK_IDS, Work
from .provider import NodeRef, Source, SubentryProvider, source_of

POLL_SECONDS: Final = (1800.0, 3600.0)
# The indexer has nothing of the addresses: somebody has to add them there.
EMPTY_SECONDS: Final = (3600.0, 86400.0)
RELIST_SECONDS: Final = 86400.0
MAX_TOLD: Final = 1000
# Clients by URL, so that requests keep their distance.
INDEXERS: Final[HassKey[dict[str, Indexer]]] = HassKey(f"{DOMAIN}_indexers")
# Characters of works that are their own source.
MAX_DATA: Final = 4 * 1024 * 1024


async def async_user_agent(hass: HomeAssistant) -> str:
    """Return the user agent by which the operator of a server knows the integration."""
    integration = await async_get_integration(hass, DOMAIN)
    return f"home-assistant-dp1/{integration.version} (+{integration.documentation})"


async def async_indexer(hass: HomeAssistant, url: str) -> Indexer:
    """Return the client of an indexer."""
    indexers = hass.data.setdefault(INDEXERS, {})
    if url not in indexers:
        agent = await async_user_agent(hass)
        indexers.setdefault(url, Indexer(async_session(hass), url, agent=agent))
    return indexers[url]


@dataclass(slots=True)
class State:
    """How far a collection is followed. A thread stores it, so that collections are replaced and not changed.

    Attributes:
        mark: tells whether what is stored is of the same addresses.
        checkpoints: up to where the changes of each address were read.
        since: when it was added; what came before is no news.
        pending: ids of works to be read again.
        told: works that were told as news, with the time at which they came.
        is_listed: whether the whole list was read once.
        is_all: whether it was not longer than what is kept.
    """

    mark: str
    checkpoints: list[Checkpoint | None]
    since: datetime
    pending: frozenset[str] = frozenset()
    told: tuple[str, ...] = ()
    is_listed: bool = False
    is_all: bool = True


class CollectionServer(Server[Token]):
    """Read and follow the works of a collection; addresses go to the indexer and nowhere else."""

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], subentry: ConfigSubentry
    ) -> None:
        """Initialize without works."""
        url = Preferences.of(entry.options, entry.data).indexer_url or None
        super().__init__(hass, entry, "indexer", url, uniform(*POLL_SECONDS), subentry)
        self.keep_current: bool = subentry.data.get(CONF_KEEP_CURRENT, False)
        self.changed_at = dt_util.utcnow()
        self.addresses: list[str] = sorted(subentry.data[CONF_ADDRESSES])
        identity = " ".join((self.subentry_id, *self.addresses))
        self._state = State(
            mark=sha256(identity.encode()).hexdigest(),
            checkpoints=[None] * len(self.addresses),
            since=dt_util.utcnow(),
        )
        self.is_followed = True
        self._empty_reads = 0
        self._saved: object = None
        # Of the last reading: the works before it, and those that are held no more.
        self._before: dict[str, Token] = {}
        self._gone: set[str] = set()

    @override
    async def async_list(self, patience: float = PATIENCE) -> ServerList[Token]:
        """Return the works, after waiting for the newest if none was ever read."""
        if self.list.records or self.list.read_at is not None:
            return self.list
        return await super().async_list(patience)

    @callback
    @override
    def async_start(self) -> None:
        """Look for changes now: a work may have come or gone while nobody looked."""
        if self.url is not None:
            self.list.async_start()

    @override
    async def _pages(
        self, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[Token]]:
        """Yield the newest works if none are read, and then those that have changed, or the whole list if nobody tells changes."""
        indexer = await async_indexer(self.hass, self.url or "")
        self._before = before = {work.id: work for work in self.list.records}
        self._gone = set()
        if not before:
            newest = await indexer.tokens(owners=self.addresses, newest=True)
            yield newest
            self.list.async_release()
            if not newest.records:
                return
            self._state.is_listed = newest.following is None
        # The changes come first, so that none is lost while the list is read.
        await self._async_note_changes(indexer)
        changed, rest = set(self._state.pending), self.list.records
        is_listed = self._state.is_listed and self.is_followed
        if not is_listed or len(changed) > max(PAGE, len(rest)):
            here = set[str]()
            async for page in self._all_pages(indexer):
                here |= {work.id for work in page.records}
                yield page
            changed, rest = before.keys() - here, ()
            self._state.is_listed = True
        gone, is_whole = set(changed), True
        for batch in batched(sorted(changed), PAGE, strict=False):
            async for page in indexer.pages(
                owners=self.addresses, token_ids=list(batch), **HIDDEN
            ):
                gone -= {work.id for work in page.records}
                is_whole = is_whole and page.is_whole
                yield self._kept(page)
        self._gone = gone if is_whole else set()
        yield Page(rest)

    async def _all_pages(
        self, indexer: Indexer, newest: bool = False
    ) -> AsyncIterator[Page[Token]]:
        """Yield the pages of the whole list, and of more works than are kept those that came last."""
        newest = newest or len(self._before) >= MAX_TOKENS
        ids, is_all, is_whole = set[str](), False, True
        async for page in indexer.pages(owners=self.addresses, newest=newest):
            yield self._kept(page)
            ids |= {work.id for work in page.records}
            is_all = page.following is None
            is_whole = is_whole and page.is_whole
            if len(ids) >= MAX_TOKENS:
                break
        if not is_all and len(ids) < MAX_TOKENS:
            raise UnexpectedAnswerError("the list has no end")
        self._state.is_all = is_all
        if not (is_all or newest):
            async for page in self._all_pages(indexer, newest=True):
                yield page
        if not is_whole:
            yield Page(tuple(self._before.values()))

    def _kept(self, page: Page[Token]) -> Page[Token]:
        """Return a page; of one that is not whole, works stay as they were read before."""
        if page.is_whole:
            return page
        works = [self.list.get(work.id) or work for work in page.records]
        return replace(page, records=works)

    @override
    def _ordered(self, records: Iterable[Token]) -> Iterator[Token]:
        """Yield the works that are held and shown, those that came last first, without sources that would take too much memory."""
        never = datetime.min.replace(tzinfo=dt_util.UTC)
        works = [it for it in records if it.id not in self._gone and not it.is_hidden]
        works.sort(key=lambda work: work.held_since or never, reverse=True)
        left = MAX_DATA
        for work in works[:MAX_TOKENS]:
            size = len(work.source or "") if data_type(work.source) else 0
            left -= size
            yield replace(work, source=None) if size and left < 0 else work

    @override
    @callback
    def _handle_records(self, changed: ServerList[Any]) -> None:
        """Note when the works have changed."""
        self.changed_at = dt_util.utcnow()
        super()._handle_records(changed)

    @override
    @callback
    def _handle_list(self, read: ServerList[Token]) -> None:
        """Tell works that came and left, and look again earlier where there are works."""
        if read.problem is None:
            read.complete = self._state.is_all
            self._state.pending = frozenset()
            self._tell_news()
            self.refresh_seconds = self._next_seconds()
        super()._handle_list(read)

    @callback
    @override
    def async_updated(self) -> None:
        """Call the listeners, and store new works."""
        state = id(self.list.records), *self._state.checkpoints
        if self._saved == state:
            self.async_update_listeners()
            return
        self._saved = state
        super().async_updated()

    def _next_seconds(self) -> float:
        """Return the seconds until the next reading."""
        if self.list.records:
            self._empty_reads = 0
            pages = 1 if self.is_followed else ceil(len(self.list.records) / PAGE)
            return min(pages * uniform(*POLL_SECONDS), RELIST_SECONDS)
        self._empty_reads += 1
        return EMPTY_SECONDS[self._empty_reads > 1]

    async def _async_note_changes(self, indexer: Indexer) -> None:
        """Note which works have changed since the last time, or that the indexer does not tell."""
        try:
            for index, address in enumerate(self.addresses):
                before = self._state.checkpoints[index]
                async for changed, checkpoint in indexer.changes(address, before):
                    self._state.pending |= changed
                    self._state.checkpoints[index] = checkpoint
        except InvalidRequestError as err:
            if self.is_followed:
                LOGGER.warning(
                    "The indexer does not tell what changes in %s, so the whole collection is read each time: %s",
                    self.title,
                    err,
                )
            self.is_followed = False
            self._state.checkpoints = [None] * len(self.addresses)
        else:
            self.is_followed = True

    def _tell_news(self) -> None:
        """Tell the works that came since the collection was added, and those that left; none that were there before."""

        def tell(kind: str, work: Token) -> None:
            """Tell of a work that came into the collection or left it."""
            node = _owned_node(self, work)
            entry_id = self.tasks.entry.entry_id
            async_tell(self.hass, entry_id, kind, node, None, collection=self.title)

        for work in self.list.records:
            held_since = work.held_since
            if (
                work.id in self._before
                or held_since is None
                or held_since < self._state.since
            ):
                continue
            # A work may be hidden for a while.
            name = f"{work.id} {held_since.isoformat()}"
            if name not in self._state.told:
                self._state.told = (*self._state.told, name)[-MAX_TOLD:]
                tell(ACQUIRED, work)
        for work in self._before.values():
            if work.id in self._gone:
                tell(LEFT_COLLECTION, work)

    @override
    def to_store(self) -> Json:
        """Return everything that was read as plain JSON; may run in another thread."""
        return {
            "list": self.list.to_store(),
            "state": record_to_json(self._state),
        }

    @override
    def restore(self, data: Mapping[str, Any]) -> None:
        """Load the result of `to_store`, if it is of the same addresses."""
        state = record_from_json(State, data.get("state"))
        if state is None or state.mark != self._state.mark:
            return
        self.list.restore(data.get("list"), Token)
        self._state = state


# As a provider

# The kind and the key of the folder of all artists.
ARTISTS: Final = (NodeKind.COLLECTION_PART, "artists")
# Every status of the display carries the whole list.
MAX_OWNED: Final = 200


# How a work behaves, and how the catalog names that.
MEDIA: Final = {"still": "image", "moving": "video", "interactive": "software"}


class _View:
    """The works of a collection by the kind and the key of the nodes in which they are, and the nodes by their names."""

    def __init__(self, collection: CollectionServer) -> None:
        """Look at works, which are the newest first."""
        self.records = collection.list.records
        whole = NodeKind.COLLECTION, collection.subentry_id
        self.works: dict[tuple[str, str], list[Token]] = {
            whole: list(self.records),
            ARTISTS: [],
        }
        for work in self.records:
            medium = NodeKind.COLLECTION_PART, medium_of(work)
            artists = [(NodeKind.COLLECTION_ARTIST, artist) for artist in work.artists]
            for key in ((NodeKind.OWNED, work.item_id), *artists, medium):
                self.works.setdefault(key, []).append(work)
        self.folders = tuple(
            _folder(collection, kind, key, works)
            for (kind, key), works in self.works.items()
            if kind in (NodeKind.COLLECTION, NodeKind.COLLECTION_ARTIST)
        )


class _Folder(NodeRef["Collections"]):
    """The works of an artist or a medium in a collection, or its artists."""

    size = 2

    async def _async_read(
        self,
    ) -> tuple[CollectionServer, ServerList[Token], Sequence[Token]]:
        """Return the collection, its list, and the works that are of this node."""
        collection = self.provider.server(self.keys[0])
        listed = await collection.async_list()
        works = self.provider.view(collection).works.get((self.kind, self.key))
        if works is None:
            raise listed.missing or NotFoundError(
                f"no {self.kind} {self.key!r}", translation_key="not_in_collection"
            )
        return collection, listed, works

    @override
    async def node(self) -> Node:
        """Return the folder."""
        collection, _, works = await self._async_read()
        return _folder(collection, self.kind, self.key, works)

    @override
    async def children(self, limit: int) -> Children[Any]:
        """Return the works, or all artists."""
        collection = self.provider.server(self.keys[0])
        listed = await collection.async_list()
        inside = self._inside(collection, self.provider.view(collection))
        make = partial(_node_inside, collection)
        return Children(inside, 0, _problem(listed), listed.read_at, make)

    def _inside(
        self, collection: CollectionServer, view: _View
    ) -> Sequence[Node | Token]:
        """Return the nodes or tokens inside."""
        if (self.kind, self.key) == ARTISTS:
            return view.folders[1:]
        return view.works.get((self.kind, self.key), ())

    @override
    async def build(self, limit: int | None = None) -> Playlist:
        """Build the playlist of the newest works; its id stays the same."""
        collection, listed, works = await self._async_read()
        node = await self.node()
        playable = [work for work in works if work.source]
        if not playable:
            raise _problem(listed) or NotFoundError(
                f"{node.title!r} has nothing to show"
            )
        duration = self.provider.preferences.duration
        built = self.provider.build_items(
            node.id,
            node.title,
            items_of(playable[: limit or MAX_OWNED], duration, collection.changed_at),
            id=str(uuid5(WORK_IDS, node.id)),
            created=timestamp(collection.changed_at),
        )
        follows = collection.keep_current and self.kind != NodeKind.OWNED
        return replace(built, keep_current=follows)


class _Collection(_Folder):
    """A collection."""

    size = 1

    @override
    def _inside(
        self, collection: CollectionServer, view: _View
    ) -> Sequence[Node | Token]:
        """Return the folders, and then all works."""
        return *_folders(collection, view), *view.records


class _Owned(_Folder):
    """A work of a collection."""

    @override
    async def node(self) -> Node:
        """Return the work."""
        collection, _, works = await self._async_read()
        return _owned_node(collection, works[0])

    @override
    async def children(self, limit: int) -> Children[Any]:
        """Raise NotFoundError."""
        return await NodeRef.children(self, limit)


class Collections(SubentryProvider[CollectionServer]):
    """The collections of a library; without an indexer they are empty."""

    # The first key of each is that of the collection.
    kinds = {
        NodeKind.COLLECTION: _Collection,
        NodeKind.COLLECTION_PART: _Folder,
        NodeKind.COLLECTION_ARTIST: _Folder,
        NodeKind.OWNED: _Owned,
    }
    error_prefix = "indexer"
    is_personal = True
    missing = "not_in_collection"

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize the collections of a config entry."""
        super().__init__(
            hass,
            entry,
            on_change,
            SUBENTRY_COLLECTION,
            partial(CollectionServer, hass, entry),
        )
        self._views: dict[str, _View] = {}
        self.lines = [
            lines
            for collection in self.servers
            for lines in (self._lines_of(collection), self._groups_of(collection))
        ]

    @override
    def roots(self) -> list[Node]:
        """Return the nodes of the collections."""
        return [self.view(collection).folders[0] for collection in self.servers]

    @override
    def work(self, item: PlaylistItem) -> Work | None:
        """Return the work of an item by its id."""
        for collection in self.servers:
            works = self.view(collection).works
            if tokens := works.get((NodeKind.OWNED, item.id or "")):
                return work_of(tokens[0], collection.subentry_id)
        return None

    def _lines_of(self, collection: CollectionServer) -> Lines[Token]:
        """Return the lines of the works of a collection."""
        return Lines(
            self.hass,
            lambda: collection.list.records,
            lambda work: ((work.name, ", ".join(work.artists), ""),),
            lambda work, _: _owned_node(collection, work),
        )

    def _groups_of(self, collection: CollectionServer) -> Lines[Node]:
        """Return the lines of a collection and its artists, whose names are no titles."""

        def names_of(node: Node) -> Iterator[Names]:
            """Yield the title of the collection, or the name of an artist."""
            if node.kind == NodeKind.COLLECTION:
                yield node.title, None, ""
            else:
                yield "", node.title, ""

        return Lines(
            self.hass,
            lambda: self.view(collection).folders,
            names_of,
            lambda node, _: node,
        )

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return the collections."""
        return [(source_of(node),) for node in self.roots()]

    def view(self, collection: CollectionServer) -> _View:
        """Return the works of a collection by where they are; lists are never changed but replaced."""
        view = self._views.get(collection.subentry_id)
        if view is None or view.records is not collection.list.records:
            view = self._views[collection.subentry_id] = _View(collection)
        return view


def medium_of(work: Token) -> str:
    """Return how a work behaves, as far as its address and type tell."""
    kind = media_type(work.source or "") or work.mime_type
    if kind == HLS or kind.startswith(("video/", "image/gif")):
        return "moving"
    if work.source in (None, work.image) or kind.startswith("image/"):
        return "still"
    return "interactive"


def work_of(token: Token, collection: str = "") -> Work:
    """Return the work of a token, which may be of a collection."""
    return Work(
        id=token.item_id,
        title=token.name,
        artists=tuple(map(Artist, token.artists)),
        picture=token.image or token.thumbnail,
        medium=MEDIA[medium_of(token)],
        note=shorten(token.description, MAX_NOTE) or None,
        source=token.source,
        provenance=provenance(token),
        node_id=node_id(NodeKind.OWNED, collection, token.item_id)
        if collection
        else None,
    )


def items_of(
    tokens: Iterable[Token], duration: float, created: datetime | None = None
) -> list[Json]:
    """Return the items of tokens, except of those that have nothing that a display can load.

    Of works that are their own source, as many are taken as have `MAX_ALL_DATA` characters together. Each has a
    duration: players never go on from a work without one.
    """
    items, left = [], MAX_ALL_DATA
    for token in tokens:
        size = len(token.source or "") if data_type(token.source) else 0
        if token.source is not None and size <= left:
            left -= size
            items.append(work_of(token).item(created=created, duration=duration))
    return items


def _owned_node(collection: CollectionServer, work: Token) -> Node:
    """Return the node of a work of a collection."""
    return Node(
        id=node_id(NodeKind.OWNED, collection.subentry_id, work.item_id),
        kind=NodeKind.OWNED,
        work=replace(work_of(work, collection.subentry_id), picture=work.thumbnail),
        can_play=work.source is not None,
        subtitle=collection.title,
    )


def _node_inside(collection: CollectionServer, inside: Node | Token) -> Node:
    """Return the node of a folder or a work of a collection."""
    return inside if isinstance(inside, Node) else _owned_node(collection, inside)


def _folders(collection: CollectionServer, view: _View) -> Iterator[Node]:
    """Yield the folders within a collection; one with everything tells nothing."""
    if len(view.folders) > 2:
        yield _folder(collection, *ARTISTS, ())
    kind = NodeKind.COLLECTION_PART
    media = [key for key in MEDIA if (kind, key) in view.works]
    if len(media) > 1:
        for key in media:
            yield _folder(collection, kind, key, view.works[kind, key])


def _folder(
    collection: CollectionServer, kind: str, key: str, works: Sequence[Token]
) -> Node:
    """Return the node of a collection, or within it of its artists, or of the works of an artist or a medium."""
    within, title = [collection.subentry_id], key
    if kind == NodeKind.COLLECTION:
        within, title = [], collection.title
    elif kind == NodeKind.COLLECTION_PART:
        title = key.capitalize()
    return Node(
        id=node_id(kind, *within, key),
        kind=kind,
        work=Work(
            title=title,
            picture=next((work.thumbnail for work in works if work.thumbnail), None),
        ),
        can_play=any(work.source for work in works),
        can_expand=True,
        works=len(works),
    )


def _problem(listed: ServerList[Token]) -> Dp1Error | None:
    """Return why works are missing: nothing tells an unknown address from one that holds nothing."""
    if listed.missing is None and not listed.records:
        return NotFoundError(
            "nothing is known of the addresses", translation_key="collection_empty"
        )
    return listed.missing
