"""A collection: the works that some addresses hold, followed in the background."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import accumulate, batched
from math import ceil, inf
from random import uniform
from typing import Any, Final, override

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.loader import async_get_integration
from homeassistant.util import dt as dt_util

from ....client.errors import (
    Dp1Error,
    InvalidRequestError,
    NoAnswerError,
    UnexpectedAnswerError,
)
from ....client.indexer.client import (
    HIDDEN,
    MAX_PAGE,
    MAX_TOKENS,
    PAGE,
    Checkpoint,
    Indexer,
)
from ....client.indexer.tokens import Page, Token, data_type
from ....const import CONF_ADDRESSES, CONF_KEEP_CURRENT, DOMAIN, LOGGER
from ....data import DATA
from ....storage import record_from_json, record_to_json
from ...news import ACQUIRED, LEFT_COLLECTION
from ...server import LIST, PATIENCE, CachedList, Json, ServerCoordinator

NEWEST: Final = "newest"
# What hangs first is among these.
FIRST_PAGE: Final = 50
POLL_SECONDS: Final = (1800.0, 3600.0)
# Nothing is known of the addresses: they may become known, which takes a person.
EMPTY_SECONDS: Final = (3600.0, 86400.0)
RELIST_SECONDS: Final = 86400.0
MAX_CHANGE_PAGES: Final = 100
MAX_TOLD: Final = 1000
# Characters of works that are their own source.
MAX_DATA: Final = 4 * 1024 * 1024
READ_AGAIN: Final = {
    "acquired",
    "released",
    "metadata_updated",
    "enrichment_updated",
    "viewability_changed",
    "moderation_status_changed",
}

# Tells of a work that came into a collection or left it.
type Tell = Callable[[CollectionCoordinator, str, Token], None]


async def async_user_agent(hass: HomeAssistant) -> str:
    """Return the user agent by which the operator of a server knows the integration."""
    integration = await async_get_integration(hass, DOMAIN)
    return f"home-assistant-dp1/{integration.version} (+{integration.documentation})"


async def async_indexer(hass: HomeAssistant, url: str) -> Indexer:
    """Return the client of an indexer."""
    indexers = hass.data[DATA].indexers
    if url not in indexers:
        agent = await async_user_agent(hass)
        indexers.setdefault(
            url, Indexer(async_get_clientsession(hass), url, agent=agent)
        )
    return indexers[url]


@dataclass(slots=True)
class State:
    """How far a collection is followed. A thread stores it, so what may grow is replaced and not changed.

    Attributes:
        mark: tells whether what is stored is of the same addresses.
        checkpoints: up to where the changes of each address were read.
        since: when it was added; what came before is no news.
        pending: ids of works to be read again.
        told: works that were told as news, with the time at which they came.
    """

    mark: str
    checkpoints: list[Checkpoint | None]
    since: datetime
    pending: frozenset[str] = frozenset()
    told: tuple[str, ...] = ()


class CollectionCoordinator(ServerCoordinator[Token]):
    """Read and follow the works of a collection; addresses go to the indexer and nowhere else."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        subentry: ConfigSubentry,
        url: str | None,
        tell: Tell,
    ) -> None:
        """Initialize without works."""
        super().__init__(hass, entry, "indexer", url, uniform(*POLL_SECONDS), subentry)
        self.keep_current: bool = subentry.data.get(CONF_KEEP_CURRENT, False)
        self.changed_at = dt_util.utcnow()
        self._addresses: list[str] = sorted(subentry.data[CONF_ADDRESSES])
        named = " ".join((self.subentry_id, *self._addresses))
        self._state = State(
            mark=sha256(named.encode()).hexdigest(),
            checkpoints=[None] * len(self._addresses),
            since=dt_util.utcnow(),
        )
        self.is_followed = True
        self._empty_reads = 0
        self._tell_one = tell
        self._saved: object = None

    @property
    def addresses(self) -> int:
        """Return the number of addresses."""
        return len(self._addresses)

    @override
    async def async_list(self, patience: float = PATIENCE) -> CachedList[Token]:
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
    def async_start(self) -> None:
        """Look for changes now: a work may have come or gone while nobody looked."""
        if self.url is not None:
            self.reads.start(LIST, self.async_refresh)

    @callback
    @override
    def async_updated(self) -> None:
        """Update the listeners, and store what is new."""
        state = id(self.data.records), *self._state.checkpoints
        if self._saved != state:
            self._saved = state
            self._store.async_save_later()
        self.async_update_listeners()

    @override
    async def _async_read_list(self) -> CachedList[Token]:
        """Read what changed, or everything if that was never read."""
        before = self.data.records
        if not before:
            await self.reads.share(NEWEST, self._async_read_newest)
        if self.data.records:
            try:
                await self._async_follow(before)
            except Dp1Error as err:
                self._set(self.data.records, complete=self.data.complete, reason=err)
        if self.data.reason is None:
            self.update_interval = timedelta(seconds=self._next_seconds())
        return self.data

    def _next_seconds(self) -> float:
        """Return the seconds until the next read."""
        if self.data.records:
            self._empty_reads = 0
            pages = 1 if self.is_followed else ceil(len(self.data.records) / PAGE)
            return min(pages * uniform(*POLL_SECONDS), RELIST_SECONDS)
        self._empty_reads += 1
        return EMPTY_SECONDS[self._empty_reads > 1]

    async def _async_indexer(self) -> Indexer:
        """Return the client of the indexer."""
        return await async_indexer(self.hass, self.url or "")

    async def _async_read_newest(self) -> None:
        """Read what came last, which is everything in a small collection."""
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
            _newest_first(page.tokens),
            complete=is_all,
            reason=None if is_all else _being_read(),
        )
        self.async_updated()

    async def _async_follow(self, before: tuple[Token, ...]) -> None:
        """Read what has changed, or the whole list; the changes come first, so that none is lost meanwhile."""
        indexer = await self._async_indexer()
        await self._async_note_changes(indexer)
        works, complete = self.data.records, self.data.complete
        asked = set(self._state.pending)
        is_listed = self.data.read_at is not None and (
            complete or len(works) >= MAX_TOKENS
        )
        many = len(asked) > max(PAGE, len(works))
        if many or not (is_listed and self.is_followed):
            works, complete = await self._async_read_pages(indexer)
            here = {work.id for work in works}
            asked = {work.id for work in before if work.id not in here}
        works, left = await self._async_read_named(indexer, works, asked)
        self._state.pending = frozenset()
        self._set(works, complete=complete)
        self._tell(before, left)

    async def _async_note_changes(self, indexer: Indexer) -> None:
        """Note which works have changed since the last time, or that the indexer does not tell."""
        try:
            await self._async_read_changes(indexer)
        except InvalidRequestError as err:
            if self.is_followed:
                LOGGER.warning(
                    "The indexer does not tell what changes in %s, so the whole collection is read each time: %s",
                    self.title,
                    err,
                )
            self.is_followed = False
            self._state.checkpoints = [None] * len(self._addresses)
        else:
            self.is_followed = True

    async def _async_read_pages(
        self, indexer: Indexer
    ) -> tuple[tuple[Token, ...], bool]:
        """Return the whole list, or of more works than are kept those that came last, and whether these are all."""
        before = {work.id: work for work in self.data.records}
        is_first, newest = self.data.read_at is None, len(before) >= MAX_TOKENS
        while True:
            found: dict[str, Token] = {}
            is_all, is_whole = False, True
            async for page in indexer.pages(owners=self._addresses, newest=newest):
                found |= _found(page, before)
                is_all = page.offset is None
                is_whole = is_whole and page.is_whole
                if len(found) >= MAX_TOKENS:
                    break
                if is_first and not is_all:
                    works = _newest_first((before | found).values())
                    self._set(works, complete=False, reason=_being_read())
                    self.async_update_listeners()
            if is_all or newest or len(found) < MAX_TOKENS:
                break
            newest = True
        if not is_all and len(found) < MAX_TOKENS:
            raise UnexpectedAnswerError("the list has no end")
        if not is_whole:
            found = before | found
        return _newest_first(found.values()), is_all

    async def _async_read_changes(self, indexer: Indexer) -> None:
        """Note which works have changed since the last time."""
        for index, address in enumerate(self._addresses):
            for _ in range(MAX_CHANGE_PAGES):
                before = self._state.checkpoints[index]
                changes, checkpoint = await indexer.changes(address, before)
                self._state.pending |= {
                    change.token_id for change in changes if change.kind in READ_AGAIN
                }
                if checkpoint is None or checkpoint == before:
                    break
                self._state.checkpoints[index] = checkpoint
                if len(changes) < MAX_PAGE:
                    break

    async def _async_read_named(
        self, indexer: Indexer, works: tuple[Token, ...], asked: Iterable[str]
    ) -> tuple[tuple[Token, ...], set[str]]:
        """Return works after tokens among them were read again, and the ids of the tokens that are no longer held."""
        known = {work.id: work for work in works}
        found: dict[str, Token] = {}
        left = set(asked)
        is_whole = True
        for batch in batched(sorted(left), PAGE, strict=False):
            async for page in indexer.pages(
                owners=self._addresses, token_ids=list(batch), **HIDDEN
            ):
                found |= _found(page, known)
                is_whole = is_whole and page.is_whole
        left -= found.keys()
        if not is_whole:
            left.clear()
        here = {
            work.id: work
            for work in (known | found).values()
            if work.id not in left and not work.is_hidden
        }
        return _newest_first(here.values()), left

    def _set(
        self,
        works: tuple[Token, ...],
        *,
        complete: bool,
        reason: Dp1Error | None = None,
    ) -> None:
        """Set the works, and why they are not all or old."""
        complete = complete and len(works) <= MAX_TOKENS
        works = _bounded(works)
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

    def _tell(self, before: tuple[Token, ...], left: set[str]) -> None:
        """Tell what came since the collection was added, and what left; nothing of what was there before."""
        known = {work.id for work in before}
        for work in self.data.records:
            held_since = work.held_since
            if work.id in known or held_since is None or held_since < self._state.since:
                continue
            # A work may be hidden for a while.
            name = f"{work.id} {held_since.isoformat()}"
            if name not in self._state.told:
                self._state.told = (*self._state.told, name)[-MAX_TOLD:]
                self._tell_one(self, ACQUIRED, work)
        for work in before:
            if work.id in left:
                self._tell_one(self, LEFT_COLLECTION, work)

    @override
    def to_store(self) -> Json:
        """Return everything that was read as plain JSON; may run in another thread."""
        return {
            "list": self.data.to_store(),
            "state": record_to_json(self._state),
        }

    @override
    def restore(self, data: Mapping[str, Any]) -> None:
        """Load what `to_store` returned, if it is of the same addresses."""
        state = record_from_json(State, data.get("state"))
        if state is None or state.mark != self._state.mark:
            return
        if len(state.checkpoints) == len(self._addresses):
            self.data = CachedList.from_store(data.get("list"), Token)
            self._state = state


def _being_read() -> Dp1Error:
    """Return the reason why works are missing for now."""
    return NoAnswerError("the rest is being read")


def _found(page: Page, known: Mapping[str, Token]) -> dict[str, Token]:
    """Return the works of a page by their ids; of a page that is not whole, known works stay as they are known."""
    works = {work.id: work for work in page.tokens}
    if page.is_whole:
        return works
    return {key: known.get(key, work) for key, work in works.items()}


def _newest_first(works: Iterable[Token]) -> tuple[Token, ...]:
    """Return works with those that came last first, and those without a time at the end."""

    def age(work: Token) -> float:
        """Return the sort key of a work."""
        return -work.held_since.timestamp() if work.held_since else inf

    return tuple(sorted(works, key=age))


def _bounded(works: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the first works of a list, as many as are kept, without sources that would take too much memory."""
    works = works[:MAX_TOKENS]
    sizes = accumulate(_data_size(work) for work in works)
    return tuple(
        replace(work, source=None) if size > MAX_DATA and _data_size(work) else work
        for work, size in zip(works, sizes, strict=True)
    )


def _data_size(work: Token) -> int:
    """Return the length of a work that is its own source."""
    source = work.source or ""
    return len(source) if data_type(source) else 0
