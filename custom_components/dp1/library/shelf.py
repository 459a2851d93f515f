"""All that is known of one server: its lists, read page by page, shared by their readers, kept across restarts in one file.

A shelf alone writes its lists, and tells who follows them what has changed.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later

from ..client.errors import (
    BusyError,
    Dp1Error,
    InvalidRequestError,
    NotFoundError,
    UnreachableError,
)
from ..client.text import told
from ..client.values import mapping
from ..const import LOGGER
from ..storage import SafeStore, record_from_json, record_to_json
from . import timing
from .listing import PATIENCE, Delta, Json, Listing, ListKind, Record, with_pauses

# The most seconds until a look at the main list that failed is tried again.
LAST_LIST_RETRY: Final = 900.0
# Seconds until what was read is saved, which can be several megabytes on a memory card.
SAVE_DELAY: Final = 900.0
SUBENTRY: Final = "subentry."

type Read[T] = Callable[[], Coroutine[Any, Any, T]]


class Shelf[T: Record]:
    """All that is known of one server; a library without that server has an empty one.

    Attributes:
        list: what it is read for, of the first of its kinds.
        state: what else is stored; a thread stores it, so that its collections are replaced and not changed.
        next_read: cancels the next reading of the list.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        kind: str,
        url: str | None,
        refresh_seconds: float,
        kinds: Mapping[str, ListKind[Any]],
        *,
        state: object = None,
        subentry: ConfigSubentry | None = None,
    ) -> None:
        """Initialize without records; one of a subentry has its id and title, and a file of its own."""
        self.hass = hass
        self.entry = entry
        self.kind = kind
        self.url = url
        self.refresh_seconds = refresh_seconds
        self.state: Any = state
        self.next_read: CALLBACK_TYPE | None = None
        self.subentry_id = subentry.subentry_id if subentry else ""
        self.title = subentry.title if subentry else entry.title
        self._kinds = kinds
        self._lists: dict[str, dict[str, Listing[Any]]] = {name: {} for name in kinds}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._shared: dict[str, asyncio.Task[Any]] = {}
        self._retry = timing.LIST_RETRY
        self._contact_error: Dp1Error | None = None
        self._is_logged = self._is_stopped = False
        self._is_changed = False
        self._listeners: list[CALLBACK_TYPE] = []
        file = f"{SUBENTRY}{subentry.subentry_id}" if subentry else kind
        self._store = SafeStore(
            hass,
            f"library.{entry.entry_id}.{file}",
            self.restore,
            serialize_in_event_loop=False,
        )
        self._main = next(iter(kinds))
        self.list: Listing[T] = self.listing(self._main)

    # Lists

    def listing(self, kind: str, key: str = "") -> Listing[Any]:
        """Return a list of a kind, as far as it was read."""
        lists = self._lists[kind]
        if key not in lists:
            lists[key] = Listing(self, kind, self._kinds[kind], key)
        return lists[key]

    def listings(self, kind: str) -> Mapping[str, Listing[Any]]:
        """Return all lists of a kind by their keys, those used last at the end."""
        return self._lists[kind]

    @callback
    def async_use(self, kind: str, key: str) -> Listing[Any]:
        """Return a list, which is the last to be discarded from now on."""
        listing = self.listing(kind, key)
        self._lists[kind][key] = self._lists[kind].pop(key)
        return listing

    @callback
    def async_discard(self, kind: str, key: str) -> None:
        """Discard a list; a reader of it is told."""
        if listing := self._lists[kind].pop(key, None):
            listing.async_close()

    @callback
    def async_handle_delta(self, listing: Listing[Any], delta: Delta[Any]) -> None:
        """Tell who follows a list what has changed in it."""
        self._is_changed = True
        self._kinds[listing.name].follow(listing, delta)
        self.async_updated()

    @callback
    def async_handle_end(self, listing: Listing[Any]) -> None:
        """Handle the end of a reading; of the main list, schedule the next."""
        if self._is_stopped:
            return
        self.async_contacted(listing.problem)
        try:
            self._kinds[listing.name].ended(listing)
        finally:
            if listing is self.list:
                self._schedule_next()
            self.async_updated()

    def _schedule_next(self) -> None:
        """Schedule the next reading of the main list, after a failure sooner."""
        wait = self.refresh_seconds
        if self.list.problem is None:
            self._retry = timing.LIST_RETRY
        else:
            wait = max(self._retry, self.list.retry_after)
            self._retry = min(2 * self._retry, LAST_LIST_RETRY)
        self.async_schedule(wait)

    async def async_refresh(self) -> Dp1Error | None:
        """Read the list now, and return why that failed; a long reading goes on in the background."""
        if self.url is None:
            return None
        if self.list.is_reading:
            # One that began earlier may be past what is looked for.
            await self.list.async_wait(PATIENCE)
        self.list.async_start()
        await self.list.async_wait(PATIENCE)
        return None if self.list.is_reading else self.list.problem

    async def async_list(self, patience: float = PATIENCE) -> Listing[T]:
        """Return the list, after waiting for one that was never read."""
        if self.url is not None:
            await self.list.async_get(max_age=self.refresh_seconds, patience=patience)
        return self.list

    # Tasks

    @property
    def is_idle(self) -> bool:
        """Return whether nothing is read."""
        return not self._tasks

    def create_task[R](
        self, name: str, read: Coroutine[Any, Any, R]
    ) -> asyncio.Task[R]:
        """Start a reading, which ends with the shelf."""
        task = self.entry.async_create_background_task(
            self.hass, read, f"{self.title} {name}", eager_start=False
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def async_share[R](self, name: str, read: Read[R], patience: float) -> R:
        """Return the result of a reading that others may wait for too.

        Raises:
            UnreachableError: it takes longer than `patience` seconds, and goes on in the background.
        """
        task = self._shared.get(name)
        # A reading that is over is removed a moment later.
        if task is None or task.done():
            task = self._shared[name] = self.create_task(name, read())
            task.add_done_callback(lambda task: self._handle_shared(name, task))
        done, _ = await asyncio.wait({task}, timeout=patience)
        if not done or task.cancelled():
            raise UnreachableError("this takes its time; it goes on in the background")
        result: R = task.result()
        return result

    def _handle_shared(self, name: str, task: asyncio.Task[Any]) -> None:
        """Remove a reading that is over; who wanted to know why it failed may have left."""
        if self._shared.get(name) is task:
            del self._shared[name]
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, Dp1Error):
            LOGGER.error("The reading of %s failed", name, exc_info=error)

    # Life

    async def async_load(self) -> None:
        """Load the file of this server."""
        await self._store.async_load_parsed()

    @callback
    def async_start(self) -> None:
        """Refresh the list now, or once it gets old."""
        if self.url is not None:
            if (wait := self.refresh_seconds - self.list.age) <= 0:
                self.list.async_start()
            else:
                self.async_schedule(wait)

    async def async_stop(self) -> None:
        """Stop refreshing, cancel all readings, wait for them and save."""
        self._is_stopped = True
        self._unschedule()
        for task in (tasks := [*self._tasks]):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.url is not None:
            data = await self.hass.async_add_executor_job(self.to_store)
            await self._store.async_save(data)

    @callback
    def async_schedule(self, seconds: float) -> None:
        """Read the list after some seconds."""
        self._unschedule()
        job = HassJob(self._handle_time, cancel_on_shutdown=True)
        self.next_read = async_call_later(self.hass, seconds, job)

    @callback
    def _unschedule(self) -> None:
        """Read the list no more."""
        if self.next_read is not None:
            self.next_read()
            self.next_read = None

    @callback
    def _handle_time(self, now: datetime) -> None:
        """Read the list."""
        self.next_read = None
        self.list.async_start()

    # Who follows

    @property
    def problem(self) -> Dp1Error | None:
        """Return why the list is old or incomplete, or why the server was out of reach at the last try."""
        return self.list.problem or self._contact_error

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> None:
        """Call a function whenever something was read."""
        self._listeners.append(listener)

    @callback
    def async_updated(self, *, is_changed: bool = False) -> None:
        """Call the listeners, and store what has changed: records, or the state, as who calls knows."""
        if self._is_changed or is_changed:
            self._is_changed = False
            self._save_later()
        for listener in self._listeners:
            listener()

    @callback
    def async_contacted(self, problem: Dp1Error | None) -> None:
        """Note the outcome of a request, and log when the server gets out of reach and is back."""
        if isinstance(problem, UnreachableError | BusyError):
            self._contact_error = problem
        elif problem is None or isinstance(
            problem, NotFoundError | InvalidRequestError
        ):
            self._contact_error = None
        if (self.problem is not None) is self._is_logged:
            return
        self._is_logged = not self._is_logged
        name = f"{self.title} {self.kind} {told(self.url or '')}"
        error = self.problem
        if error is None:
            LOGGER.info("Fetching %s data recovered", name)
        else:
            LOGGER.warning(
                "Error fetching %s data: %s: %s", name, type(error).__name__, error
            )

    # Storage

    @callback
    def _save_later(self) -> None:
        """Save after a while, or when Home Assistant stops."""
        self._store.async_delay_save(self.to_store, SAVE_DELAY)

    def to_store(self) -> Json:
        """Return the content of the file as plain JSON; runs in another thread."""
        data: Json = {"url": self.url}
        for name, kind in self._kinds.items():
            stored = {
                key: listing.to_store()
                for key, listing in {**self._lists[name]}.items()
                if listing.records or listing.read_at
            }
            data[name] = stored if kind.is_keyed else stored.get("")
        if self.state is not None:
            data["state"] = record_to_json(self.state)
        return data

    def restore(self, data: Mapping[str, Any]) -> None:
        """Load the file, unless it is of another server; runs in another thread before anything else."""
        if data.get("url") != self.url:
            return
        if self.state is not None:
            state = record_from_json(type(self.state), data.get("state"))
            if state is not None and not self._is_usable(state):
                return
            self.state = state or self.state
        for name, kind in self._kinds.items():
            stored = data.get(name)
            lists = mapping(stored) if kind.is_keyed else {"": stored}
            for key, each in with_pauses(lists.items()):
                self.listing(name, key).restore(each)

    def _is_usable(self, state: Any) -> bool:
        """Return whether what is stored is still of the same things."""
        return True
