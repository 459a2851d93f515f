"""A collection: the works that some addresses hold, followed in the background."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from itertools import batched
from random import uniform
from typing import Any, Final, override

from lru import LRU

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.util import dt as dt_util

from ...client.errors import (
    Dp1Error,
    InvalidRequestError,
    NoAnswerError,
    UnexpectedAnswerError,
)
from ...client.indexer.client import MAX_PAGE, MAX_TOKENS, PAGE, Checkpoint, Indexer
from ...client.indexer.tokens import Change, Token
from ...client.values import mapping, moment, text
from ...const import CONF_ADDRESSES, CONF_KEEP_CURRENT
from ..servers.cache import collection_file
from ..servers.cached_list import CachedList, Json
from ..servers.coordinator import PATIENCE, ServerCoordinator
from .indexers import async_indexer
from .works import OwnedWork, newest_first

ACQUIRED: Final = "acquired"
LEFT_COLLECTION: Final = "left_collection"
NEWEST: Final = "newest"
# What hangs first is among these.
FIRST_PAGE: Final = 50
POLL_SECONDS: Final = (1800.0, 3600.0)
# Nothing is known of the addresses: they may become known, which takes a person.
EMPTY_SECONDS: Final = (3600.0, 86400.0)
RELIST_SECONDS: Final = 86400.0
MAX_CHANGE_PAGES: Final = 100
# Works that are read by name; of more the whole list is read.
MAX_NAMED: Final = 500
MAX_TOLD: Final = 1000
# Clocks differ.
SLACK: Final = timedelta(minutes=5)
READ_AGAIN: Final = {
    "acquired",
    "released",
    "metadata_updated",
    "enrichment_updated",
    "viewability_changed",
    "moderation_status_changed",
}

type NewsListener = Callable[[str, OwnedWork], None]


class CollectionCoordinator(ServerCoordinator[OwnedWork]):
    """Read and follow the works of a collection; addresses go to the indexer and nowhere else."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        subentry: ConfigSubentry,
        url: str | None,
    ) -> None:
        """Initialize without works."""
        super().__init__(
            hass,
            entry,
            "indexer",
            url,
            uniform(*POLL_SECONDS),
            collection_file(subentry.subentry_id),
        )
        self.subentry_id = subentry.subentry_id
        self.title = subentry.title
        self.keep_current: bool = subentry.data.get(CONF_KEEP_CURRENT, False)
        self.changed_at = dt_util.utcnow()
        self._addresses: list[str] = sorted(subentry.data[CONF_ADDRESSES])
        self._checkpoints: list[Checkpoint | None] = [None] * len(self._addresses)
        self._since = self._read_from = dt_util.utcnow()
        self._pending: set[str] = set()
        self._released: set[str] = set()
        self._told: LRU[str, None] = LRU(MAX_TOLD)
        self._relists = False
        self._empty_reads = 0
        self._listeners_of_news: list[NewsListener] = []
        self._saved: object = None

    @property
    def _mark(self) -> str:
        """Return what tells whether what is stored is of the same addresses."""
        named = " ".join((self.subentry_id, *self._addresses))
        return sha256(named.encode()).hexdigest()

    @property
    def addresses(self) -> int:
        """Return the number of addresses."""
        return len(self._addresses)

    @callback
    def async_add_news_listener(self, listener: NewsListener) -> CALLBACK_TYPE:
        """Listen for works that come and go."""
        self._listeners_of_news.append(listener)
        return lambda: self._listeners_of_news.remove(listener)

    @override
    async def async_list(self, patience: float = PATIENCE) -> CachedList[OwnedWork]:
        """Return the works, and wait for the newest if none was ever read."""
        if self.url is None or self.data.records or self.data.read_at is not None:
            return self.data
        return await self.reads.cached(
            NEWEST,
            lambda: self.data,
            self._async_read_newest,
            max_age=RELIST_SECONDS,
            patience=patience,
        )

    @callback
    @override
    def async_updated(self) -> None:
        """Update the listeners, and store what is new."""
        state = id(self.data.records), *self._checkpoints
        if self._saved != state:
            self._saved = state
            self._store.async_save_later()
        self.async_update_listeners()

    @override
    async def _async_read_list(self) -> CachedList[OwnedWork]:
        """Read what changed, or everything if that was never read."""
        before = self.data.records
        if not before:
            await self.reads.share(NEWEST, self._async_read_newest)
        if self.data.records:
            try:
                await self._async_follow()
            except Dp1Error as err:
                self._set(self.data.records, complete=self.data.complete, reason=err)
        if self.data.reason is None:
            self._tell(before)
            self.update_interval = timedelta(seconds=self._next_seconds())
        return self.data

    def _next_seconds(self) -> float:
        """Return the seconds until the next read."""
        if self.data.records:
            self._empty_reads = 0
            return RELIST_SECONDS if self._relists else uniform(*POLL_SECONDS)
        self._empty_reads += 1
        return EMPTY_SECONDS[self._empty_reads > 1]

    async def _async_indexer(self) -> Indexer:
        """Return the client of the indexer."""
        return await async_indexer(self.hass, self.url or "")

    async def _async_read_newest(self) -> None:
        """Read what came last, which is everything in a small collection."""
        self._read_from = dt_util.utcnow()
        try:
            indexer = await self._async_indexer()
            page = await indexer.tokens(
                owners=self._addresses, limit=FIRST_PAGE, newest=True
            )
        except Dp1Error as err:
            self._set(self.data.records, complete=False, reason=err)
            return
        is_all = page.offset is None
        self._set(
            newest_first(map(OwnedWork.of, page.tokens)),
            complete=is_all,
            reason=None if is_all else NoAnswerError("the rest is being read"),
        )
        self.async_updated()

    async def _async_follow(self) -> None:
        """Read the whole list unless it is known, then what has changed since."""
        indexer = await self._async_indexer()
        if self.data.read_at is None or not self.data.complete or self._relists:
            await self._async_read_pages(indexer)
        try:
            await self._async_read_changes(indexer)
        except InvalidRequestError:
            # It does not tell changes.
            self._relists = True
        if len(self._pending) > MAX_NAMED:
            await self._async_read_pages(indexer)
        elif self._pending:
            await self._async_read_named(indexer)
        else:
            self._set(self.data.records, complete=self.data.complete)

    async def _async_read_pages(self, indexer: Indexer) -> None:
        """Read the whole list."""
        self._read_from = dt_util.utcnow()
        before = {work.id: work for work in self.data.records}
        found: dict[str, OwnedWork] = {}
        is_first, is_all = self.data.read_at is None, False
        async for page in indexer.pages(owners=self._addresses):
            found |= _by_id(page.tokens)
            is_all = page.offset is None
            if len(found) >= MAX_TOKENS:
                break
            if is_first and not is_all:
                self._set(
                    newest_first((before | found).values()),
                    complete=False,
                    reason=NoAnswerError("the rest is being read"),
                )
                self.async_update_listeners()
        if not is_all:
            found = before | found
        if not is_all and len(found) < MAX_TOKENS:
            raise UnexpectedAnswerError("the list has no end")
        self._pending.clear()
        self._set(newest_first(found.values()), complete=True)

    async def _async_read_changes(self, indexer: Indexer) -> None:
        """Note which works have changed since the last time."""
        for place, address in enumerate(self._addresses):
            for _ in range(MAX_CHANGE_PAGES):
                before = self._checkpoints[place]
                changes, checkpoint = await indexer.changes(address, before)
                self._note(changes)
                if checkpoint is None or checkpoint == before:
                    break
                self._checkpoints[place] = checkpoint
                if len(changes) < MAX_PAGE:
                    break

    def _note(self, changes: Iterable[Change]) -> None:
        """Note changes since the whole list was read."""
        for change in changes:
            if change.at is not None and change.at < self._read_from - SLACK:
                continue
            if change.kind in READ_AGAIN:
                self._pending.add(change.cid)
            if change.kind == "released":
                self._released.add(change.cid.lower())

    async def _async_read_named(self, indexer: Indexer) -> None:
        """Read the works that have changed; what does not come is no longer held, or not to be shown."""
        asked = set(self._pending)
        found: dict[str, OwnedWork] = {}
        for batch in batched(sorted(asked), PAGE, strict=False):
            async for page in indexer.pages(
                owners=self._addresses, token_cids=list(batch)
            ):
                found |= _by_id(page.tokens)
        left = {cid.lower() for cid in asked}
        kept = (
            work for work in self.data.records if work.token.cid.lower() not in left
        )
        self._pending -= asked
        self._set(newest_first((*kept, *found.values())), complete=True)

    def _set(
        self,
        works: tuple[OwnedWork, ...],
        *,
        complete: bool,
        reason: Dp1Error | None = None,
    ) -> None:
        """Set the works, and why they are not all or old."""
        if works != self.data.records:
            self.changed_at = dt_util.utcnow()
        else:
            works = self.data.records
        self.data = replace(
            self.data,
            records=works,
            complete=complete,
            reason=reason,
            read_at=self.data.read_at if reason else dt_util.utcnow(),
            tried_at=self.hass.loop.time(),
        )

    def _tell(self, before: tuple[OwnedWork, ...]) -> None:
        """Tell what came since the collection was added, and what left; nothing of what was there before."""
        known = {work.id for work in before}
        for work in self.data.records:
            held_since = work.token.held_since
            if work.id in known or held_since is None or held_since < self._since:
                continue
            # A work may be hidden for a while.
            name = f"{work.id} {held_since.isoformat()}"
            if name not in self._told:
                self._told[name] = None
                self._tell_one(ACQUIRED, work)
        here = {work.id for work in self.data.records}
        for work in before:
            if work.id not in here and work.token.cid.lower() in self._released:
                self._tell_one(LEFT_COLLECTION, work)
        self._released.clear()

    def _tell_one(self, kind: str, work: OwnedWork) -> None:
        """Tell of one work."""
        for listener in list(self._listeners_of_news):
            listener(kind, work)

    @override
    def to_store(self) -> Json:
        """Return everything that was read as plain JSON; may run in another thread."""
        return {
            "mark": self._mark,
            "list": self.data.to_store(),
            "checkpoints": list(self._checkpoints),
            "since": self._since.isoformat(),
            "read_from": self._read_from.isoformat(),
            "pending": sorted(self._pending),
            "released": sorted(self._released),
            "told": self._told.keys()[::-1],
        }

    @override
    def restore(self, data: Mapping[str, Any]) -> None:
        """Load what `to_store` returned, if it is of the same addresses."""
        if data.get("mark") != self._mark:
            return
        self.data = CachedList.from_store(mapping(data.get("list")), OwnedWork)
        self._since = moment(data.get("since")) or self._since
        self._read_from = moment(data.get("read_from")) or self._read_from
        self._pending, self._released = (
            set(_texts(data.get(name))) for name in ("pending", "released")
        )
        for name in _texts(data.get("told")):
            self._told[name] = None
        checkpoints = data.get("checkpoints")
        for place, stored in enumerate(
            checkpoints[: len(self._addresses)] if isinstance(checkpoints, list) else ()
        ):
            match stored:
                case [str() as time, str() as event]:
                    self._checkpoints[place] = time, event


def _by_id(tokens: Iterable[Token]) -> dict[str, OwnedWork]:
    """Return the works of tokens by their ids."""
    return {work.id: work for work in map(OwnedWork.of, tokens)}


def _texts(value: object) -> list[str]:
    """Return the texts of a list."""
    found = map(text, value if isinstance(value, list) else ())
    return [name for name in found if name]
