"""Background reads of a server: the same read is shared, and readers wait for a limited time."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant

from ...client.errors import NoAnswerError
from .cached_list import CachedList, Storable

# Pause before a failed list is read again on demand.
RETRY_SECONDS = 2.0
# Readers of a list which is known in part wait no longer for the rest.
PARTIAL_PATIENCE = 2.0

type Read[T] = Callable[[], Coroutine[Any, Any, T]]


class SharedReads:
    """The reads of a server in progress."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Initialize without reads."""
        self._hass = hass
        self._entry = entry
        self._tasks: dict[str, asyncio.Task[Any]] = {}
        self._partial: dict[str, Callable[[], CachedList[Any]]] = {}

    @property
    def is_idle(self) -> bool:
        """Return whether nothing is read."""
        return not self._tasks

    def stop(self) -> None:
        """Cancel all reads."""
        for task in self._tasks.values():
            task.cancel()

    def set_progress(self, name: str, partial: Callable[[], CachedList[Any]]) -> None:
        """Set what returns the part of a list that has been read, for readers which run out of patience."""
        self._partial[name] = partial

    async def share[T](
        self, name: str, read: Read[T], patience: float | None = None
    ) -> T:
        """Wait for a read together with others; after `patience` seconds the read goes on without this reader."""
        task = self.start(name, read)
        done, _ = await asyncio.wait({task}, timeout=patience)
        if not done or task.cancelled():
            raise NoAnswerError("this takes its time; it goes on in the background")
        return task.result()

    async def cached[T: Storable](
        self,
        name: str,
        cache: Callable[[], CachedList[T]],
        read: Read[None],
        *,
        max_age: float,
        patience: float,
    ) -> CachedList[T]:
        """Return the cached list and refresh an old one in the background; wait for a list that was never read."""
        found = cache()
        if found.read_at is not None:
            if (found.reason or found.age >= max_age) and self._may_try(name, found):
                self.start(name, read)
            return found
        if not self._may_try(name, found):
            return found
        if found.records:
            patience = min(patience, PARTIAL_PATIENCE)
        try:
            await self.share(name, read, patience)
        except NoAnswerError as err:
            return replace(self._partial.get(name, cache)(), reason=err)
        return cache()

    def start[T](self, name: str, read: Read[T]) -> asyncio.Task[T]:
        """Start a read unless it is in progress."""
        if (task := self._tasks.get(name)) is None:
            task = self._entry.async_create_background_task(
                self._hass, read(), f"{self._entry.title} {name}", eager_start=False
            )
            self._tasks[name] = task
            task.add_done_callback(lambda _: self._finish(name))
        return task

    def _may_try(self, name: str, found: CachedList[Any]) -> bool:
        """Return if a list is being read, or its last try was long enough ago."""
        pause = max(RETRY_SECONDS, found.retry_after)
        waited = self._hass.loop.time() - found.tried_at
        return name in self._tasks or not found.tried_at or waited >= pause

    def _finish(self, name: str) -> None:
        """Remove a finished read."""
        del self._tasks[name]
        self._partial.pop(name, None)
