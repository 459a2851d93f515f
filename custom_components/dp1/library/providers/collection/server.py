"""The server of a collection: the works that some addresses hold, followed in the background."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import batched
from math import ceil
from random import uniform
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.loader import async_get_integration
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from ....addresses import async_session
from ....client.errors import UnexpectedAnswerError
from ....client.indexer.client import HIDDEN, MAX_TOKENS, PAGE, Indexer
from ....client.indexer.tokens import MAX_ALL_DATA, Token, data_type, provenance
from ....client.pages import Page
from ....client.playlist.manifest import MAX_NOTE, Artist
from ....client.text import HLS, media_type, shorten
from ....const import CONF_ADDRESSES, CONF_KEEP_CURRENT, DOMAIN
from ...item import Item
from ...listing import PATIENCE, Delta, Json, Listing, ListKind
from ...news import ACQUIRED, LEFT_COLLECTION, async_tell
from ...node import NodeKind, node_id
from ...settings import Preferences
from ...shelf import Shelf

# How a work behaves, and how the catalog names that.
MEDIA: Final = {"still": "image", "moving": "video", "interactive": "software"}
# The kind and the key of the folder of all artists.
ARTISTS: Final = (NodeKind.COLLECTION_PART, "artists")
POLL_SECONDS: Final = (1800.0, 3600.0)
# A long list is read less often, and at least so often.
RELIST_SECONDS: Final = 7200.0
# The indexer has nothing of the addresses: somebody has to add them there.
EMPTY_SECONDS: Final = (3600.0, 86400.0)
MAX_TOLD: Final = 1000
# So many works, and half of all, do not leave at once, unless they stay away for so long.
MANY_GONE: Final = 4
GONE_FOR_GOOD: Final = timedelta(days=7)
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
    """The progress of following a collection. A thread stores it, so that collections are replaced and not changed.

    Attributes:
        mark: tells whether what is stored is of the same addresses.
        since: when it was added; what came before is no news.
        told: works that were told as news, with the time at which they came.
        is_all: whether it was not longer than what is kept.
        gone_since: since when most works are gone.
    """

    mark: str
    since: datetime
    told: tuple[str, ...] = ()
    is_all: bool = True
    gone_since: datetime | None = None


class CollectionServer(Shelf[Token]):
    """The works of a collection, read and followed; addresses go to the indexer and nowhere else.

    Attributes:
        works: by the kind and the key of the nodes in which they are, the newest first.
        folders: the nodes of the collection and of its artists; the same tuple until there are others.
    """

    works: Mapping[tuple[str, str], Sequence[Token]]
    folders: tuple[Item, ...]

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], subentry: ConfigSubentry
    ) -> None:
        """Initialize without works."""
        url = Preferences.of(entry.options, entry.data).indexer_url or None
        self.keep_current: bool = subentry.data.get(CONF_KEEP_CURRENT, False)
        self.changed_at = dt_util.utcnow()
        self.addresses: list[str] = sorted(subentry.data[CONF_ADDRESSES])
        identity = " ".join((subentry.subentry_id, *self.addresses))
        works = ListKind(
            Token,
            self._pages,
            lambda _, token: work_of(token, self),
            order=self._ordered,
            follow=self._follow,
            ended=self._handle_list,
        )
        super().__init__(
            hass,
            entry,
            "indexer",
            url,
            uniform(*POLL_SECONDS),
            {"list": works},
            state=State(
                mark=sha256(identity.encode()).hexdigest(),
                since=dt_util.utcnow(),
            ),
            subentry=subentry,
        )
        self._index()
        self._empty_reads = 0
        # Of the last reading: the works before it, and those that are held no more.
        self._before: dict[str, Token] = {}
        self._gone: set[str] = set()

    @override
    async def async_list(self, patience: float = PATIENCE) -> Listing[Token]:
        """Return the works, after waiting for the newest if none was ever read."""
        if self.list.records or self.list.read_at is not None:
            return self.list
        return await super().async_list(patience)

    @callback
    @override
    def async_start(self) -> None:
        """Read the list now: a work may have come or gone while nobody looked."""
        if self.url is not None:
            self.list.async_start()

    async def _pages(
        self, key: str, limit: int | None, pause: float | None
    ) -> AsyncIterator[Page[Token]]:
        """Yield the newest works if none are read, and then the whole list."""
        indexer = await async_indexer(self.hass, self.url or "")
        self._before = before = {work.id: work for work in self.list.records}
        self._gone = set()
        if not before:
            newest = await indexer.tokens(owners=self.addresses, newest=True)
            yield replace(newest, is_enough=True)
            if newest.following is None:
                self.state.is_all = True
                return
        here = set[str]()
        async for page in self._all_pages(indexer):
            here |= {work.id for work in page.records}
            yield page
        gone, is_whole = before.keys() - here, True
        for batch in batched(sorted(gone), PAGE, strict=False):
            async for page in indexer.pages(
                owners=self.addresses, token_ids=list(batch), **HIDDEN
            ):
                gone -= {work.id for work in page.records}
                is_whole = is_whole and page.is_whole
                yield self._kept(page)
        self._gone = gone if is_whole else set()
        self._check_gone(len(before))
        yield Page((), is_whole=self.state.is_all)

    def _check_gone(self, count: int) -> None:
        """Raise if most works are gone at once, which is a fault of the indexer unless it lasts: it once hid works for days."""
        if len(self._gone) < max(MANY_GONE, count / 2):
            self.state.gone_since = None
            return
        now = dt_util.utcnow()
        self.state.gone_since = since = self.state.gone_since or now
        self._is_changed = True
        if now - since < GONE_FOR_GOOD:
            self._gone = set()
            raise UnexpectedAnswerError("most works are gone at once")

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
        self.state.is_all = is_all
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

    def _follow(self, listing: Listing[Token], delta: Delta[Token]) -> None:
        """Note when the works have changed, and where they are now."""
        self.changed_at = dt_util.utcnow()
        self._index()

    def _index(self) -> None:
        """Sort the works into the nodes in which they are."""
        records = self.list.records
        whole = NodeKind.COLLECTION, self.subentry_id
        index: dict[tuple[str, str], list[Token]] = {whole: [*records], ARTISTS: []}
        for work in records:
            medium = NodeKind.COLLECTION_PART, medium_of(work)
            artists = [(NodeKind.COLLECTION_ARTIST, artist) for artist in work.artists]
            for key in ((NodeKind.OWNED, work.item_id), *artists, medium):
                index.setdefault(key, []).append(work)
        self.works = index
        self.folders = tuple(
            self.folder(kind, key, works)
            for (kind, key), works in index.items()
            if kind in (NodeKind.COLLECTION, NodeKind.COLLECTION_ARTIST)
        )

    def folder(self, kind: str, key: str, works: Sequence[Token]) -> Item:
        """Return the node of the collection, or within it of its artists, or of the works of an artist or a medium."""
        within, title = [self.subentry_id], key
        if kind == NodeKind.COLLECTION:
            within, title = [], self.title
        elif kind == NodeKind.COLLECTION_PART:
            title = key.capitalize()
        return Item(
            id=node_id(kind, *within, key),
            kind=kind,
            title=title,
            picture=next((work.thumbnail for work in works if work.thumbnail), None),
            can_play=any(work.source for work in works),
            can_expand=True,
            works=len(works),
        )

    @callback
    def _handle_list(self, read: Listing[Token]) -> None:
        """Tell works that came and left, and read again earlier where there are works."""
        if read.problem is None:
            self._tell_news()
            self.refresh_seconds = self._next_seconds()

    def _next_seconds(self) -> float:
        """Return the seconds until the next reading."""
        if self.list.records:
            self._empty_reads = 0
            pages = ceil(len(self.list.records) / PAGE)
            return min(pages * uniform(*POLL_SECONDS), RELIST_SECONDS)
        self._empty_reads += 1
        return EMPTY_SECONDS[self._empty_reads > 1]

    def _tell_news(self) -> None:
        """Tell the works that came since the collection was added, and those that left; none that were there before."""

        def tell(kind: str, work: Token) -> None:
            """Tell of a work that came into the collection or left it."""
            node = self.list.item(work.id) or work_of(work, self)
            entry_id = self.entry.entry_id
            async_tell(self.hass, entry_id, kind, node, None, collection=self.title)

        for work in self.list.records:
            held_since = work.held_since
            if (
                work.id in self._before
                or held_since is None
                or held_since < self.state.since
            ):
                continue
            # A work may be hidden for a while.
            name = f"{work.id} {held_since.isoformat()}"
            if name not in self.state.told:
                self.state.told = (*self.state.told, name)[-MAX_TOLD:]
                tell(ACQUIRED, work)
        for work in self._before.values():
            if work.id in self._gone:
                tell(LEFT_COLLECTION, work)

    @override
    def _is_usable(self, state: State) -> bool:
        """Return whether what is stored is of the same addresses."""
        return bool(state.mark == self.state.mark)


def medium_of(work: Token) -> str:
    """Return how a work behaves, as far as its address and type tell."""
    kind = media_type(work.source or "") or work.mime_type
    if kind == HLS or kind.startswith(("video/", "image/gif")):
        return "moving"
    if work.source in (None, work.image) or kind.startswith("image/"):
        return "still"
    return "interactive"


def work_of(token: Token, collection: Shelf[Token] | None = None) -> Item:
    """Return the work of a token, which may be of a collection."""
    return Item(
        id=node_id(NodeKind.OWNED, collection.subentry_id, token.item_id)
        if collection
        else "",
        kind=NodeKind.OWNED if collection else "",
        item_id=token.item_id,
        title=token.name,
        artists=tuple(map(Artist, token.artists)),
        picture=token.image or token.thumbnail,
        small=token.thumbnail,
        medium=MEDIA[medium_of(token)],
        note=shorten(token.description, MAX_NOTE) or None,
        source=token.source,
        provenance=provenance(token),
        can_play=token.source is not None,
        subtitle=collection.title if collection else None,
    )


def items_of(
    works: Iterable[Item], duration: float, created: datetime | None = None
) -> list[Json]:
    """Return the playlist items of works, except of those that have nothing that a display can load.

    Of works that are their own source, as many are taken as have `MAX_ALL_DATA` characters together. Each has a
    duration: players never go on from a work without one.
    """
    items, left = [], MAX_ALL_DATA
    for work in works:
        size = len(work.source or "") if data_type(work.source) else 0
        if work.source is not None and size <= left:
            left -= size
            items.append(work.to_dp1(created=created, duration=duration))
    return items
