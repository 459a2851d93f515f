"""Reads behind the scenes: equal ones at the same time are one, and nobody waits for longer than patience lasts."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import datetime
from typing import Any, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..client.catalog.client import CONCURRENCY, Catalog
from ..client.catalog.models import Series
from ..client.catalog.paging import PAGE_SIZE, Listing, Page, Progress
from ..client.errors import (
    BusyError,
    Dp1Error,
    InvalidRequestError,
    NoAnswerError,
    NotFoundError,
)
from ..const import LOGGER
from .cached_list import CachedList, Storable


class Health:
    """What of one server cannot be read at present, and why."""

    def __init__(self, name: str) -> None:
        """Begin well; the name is for the log."""
        self._name = name
        self._problems: dict[str, Dp1Error] = {}

    @property
    def problem(self) -> Dp1Error | None:
        """What is wrong for the longest time; None if nothing is."""
        return next(iter(self._problems.values()), None)

    def report(
        self, what: str, reason: Dp1Error | None, *, by_key: bool = False
    ) -> None:
        """Take note of how a read went.

        Args:
            what: was read; it counts as unreadable until it could be read whole.
            reason: why it could not.
            by_key: whether somebody named it, who may be wrong.
        """
        if by_key and isinstance(reason, NotFoundError | InvalidRequestError):
            LOGGER.debug("%s does not know what was asked for: %s", self._name, reason)
            return
        if reason is None:
            if self._problems.pop(what, None) and not self._problems:
                LOGGER.info("%s can be read again", self._name)
            return
        if not self._problems:
            LOGGER.warning(
                "%s cannot be read (%s: %s); what was read before is shown",
                self._name,
                type(reason).__name__,
                reason,
            )
        self._problems[what] = reason


# What could not be read is not asked for again by everyone who looks.
RETRY_SECONDS = 10.0
# Who has something to look at does not wait long for the rest of it.
PATIENCE_FOR_THE_REST = 2.0
FIRST_REFRESH_RETRY = 60.0
LAST_REFRESH_RETRY = 900.0
MAX_WAIT_SECONDS = 3600.0

type Read[T] = Callable[[], Coroutine[Any, Any, T]]


class SharedReads:
    """The reads of one library that are under way."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Start with none."""
        self._hass = hass
        self._entry = entry
        self._under_way: dict[str, asyncio.Task[Any]] = {}
        self._so_far: dict[str, Callable[[], CachedList[Any]]] = {}
        self._refreshing: list[asyncio.Task[None]] = []

    def stop(self) -> None:
        """Give up all of them."""
        for task in (*self._refreshing, *self._under_way.values()):
            task.cancel()

    async def share[T](
        self, name: str, read: Read[T], patience: float | None = None
    ) -> T:
        """Wait for a read together with others; when patience ends, the read goes on.

        Raises:
            NoAnswerError: it takes too long.
        """
        task = self._start(name, read)
        done, _ = await asyncio.wait({task}, timeout=patience)
        if not done or task.cancelled():
            raise NoAnswerError("this takes its time; it goes on behind the scenes")
        return task.result()

    async def fresh[T: Storable](
        self,
        name: str,
        kept: Callable[[], CachedList[T]],
        read: Read[None],
        *,
        fresh_seconds: float,
        patience: float,
    ) -> CachedList[T]:
        """Serve what is kept, old or new, and read what is old behind the scenes; wait for what was never read whole.

        Args:
            name: of the read.
            kept: finds what is kept.
            read: reads it, and keeps it.
            fresh_seconds: how long it counts as new.
            patience: seconds to wait.
        """
        found = kept()
        under_way = name in self._under_way
        if found.read_at is not None:
            old = found.reason or age(found.read_at) >= fresh_seconds
            if old and not under_way and self._may_try(found):
                self._start(name, read)
            return found
        if not under_way and not self._may_try(found):
            return found
        if found.records:
            patience = min(patience, PATIENCE_FOR_THE_REST)
        try:
            await self.share(name, read, patience)
        except NoAnswerError as err:
            return replace(self._so_far.get(name, kept)(), reason=err)
        return kept()

    def note(self, name: str, so_far: Callable[[], CachedList[Any]]) -> None:
        """Keep how to see what a read has found so far, for those whose patience ends before it does."""
        self._so_far[name] = so_far

    def keep_fresh(
        self,
        name: str,
        kept: Callable[[], CachedList[Any]],
        read: Read[None],
        fresh_seconds: float,
    ) -> None:
        """Read something again whenever it is old."""

        async def forever() -> None:
            retry = FIRST_REFRESH_RETRY
            while True:
                if (moment := kept().read_at) is not None:
                    await asyncio.sleep(max(0.0, fresh_seconds - age(moment)))
                await self.share(name, read)
                if kept().reason is None:
                    retry = FIRST_REFRESH_RETRY
                else:
                    await asyncio.sleep(max(retry, _asked_to_wait(kept())))
                    retry = min(2 * retry, LAST_REFRESH_RETRY)

        self._refreshing.append(
            self._entry.async_create_background_task(
                self._hass, forever(), f"{self._entry.title} {name}"
            )
        )

    def _may_try(self, kept: CachedList[Any]) -> bool:
        """Tell whether enough time has passed since the last try."""
        pause = max(RETRY_SECONDS, _asked_to_wait(kept))
        return not kept.tried_at or self._hass.loop.time() - kept.tried_at >= pause

    def _start[T](self, name: str, read: Read[T]) -> asyncio.Task[T]:
        """Begin a read, or find it under way."""
        if (task := self._under_way.get(name)) is None:
            task = self._under_way[name] = self._entry.async_create_background_task(
                self._hass, read(), f"{self._entry.title} {name}", eager_start=False
            )
            task.add_done_callback(lambda _: self._end(name))
        return task

    def _end(self, name: str) -> None:
        """Take note that a read is over."""
        del self._under_way[name]
        self._so_far.pop(name, None)


def _asked_to_wait(kept: CachedList[Any]) -> float:
    """Seconds that a server asked to be left alone, within reason."""
    match kept.reason:
        case BusyError(retry_after=float(seconds)):
            return min(seconds, MAX_WAIT_SECONDS)
    return 0.0


def age(moment: datetime) -> float:
    """Seconds since a moment."""
    return (dt_util.utcnow() - moment).total_seconds()


class PrefetchingCatalog(Catalog):
    """Asks for the first pages of a show's series all at once.

    How many there are is known only after the first one, and with pages of five few shows have but one: asking for as many
    as may be under way saves everybody in front of a wall a round trip, and costs a small show an empty page or two.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Prepare as ``Catalog`` does."""
        super().__init__(*args, **kwargs)
        self._ahead: dict[tuple[str, int], asyncio.Task[Page[Series]]] = {}

    @override
    async def all_series(
        self, exhibition_id: str, *, progress: Progress[Series] | None = None
    ) -> Listing[Series]:
        """Read every series of an exhibition, in the order they are shown in."""
        keys = [(exhibition_id, page * PAGE_SIZE) for page in range(CONCURRENCY)]
        read = super().series
        for key in keys:
            self._ahead[key] = asyncio.create_task(
                read(exhibition_id=exhibition_id, offset=key[1])
            )
        try:
            return await super().all_series(exhibition_id, progress=progress)
        finally:
            unused = [task for key in keys if (task := self._ahead.pop(key, None))]
            for task in unused:
                task.cancel()
            await asyncio.gather(*unused, return_exceptions=True)

    @override
    async def series(
        self, *, exhibition_id: str, offset: int = 0, **others: Any
    ) -> Page[Series]:
        """Read one page of the series of an exhibition, unless that has been asked for already."""
        if task := self._ahead.pop((exhibition_id, offset), None):
            return await task
        return await super().series(
            exhibition_id=exhibition_id, offset=offset, **others
        )
