"""Helpers for tests of what is read in the background, unhurried."""

from collections.abc import Callable
from typing import Any, Self

import pytest

from custom_components.dp1.client import retry
from custom_components.dp1.library.providers.catalog import background_reader
from homeassistant.core import CALLBACK_TYPE, HomeAssistant

from .displays import until

from tests.timing import DEFAULTS

IDLE = DEFAULTS["reading_idle"]


class Clock:
    """Moves the time of the background reading from turn to turn, and remembers the pauses."""

    @classmethod
    def of(cls, monkeypatch: pytest.MonkeyPatch) -> Self:
        """Move the time, with pauses that are not random."""
        clock = cls()
        monkeypatch.setattr(background_reader, "async_call_later", clock.call_later)
        monkeypatch.setattr(retry, "_now", clock.now)
        return clock

    def __init__(self) -> None:
        """Initialize without pauses."""
        self.waits: list[float] = []
        self.moved = 0.0
        self._is_done: Callable[[], bool] = lambda: True
        self._turn: Callable[[], Any] | None = None
        self._later = background_reader.async_call_later
        self._now = retry._now

    def call_later(self, hass: HomeAssistant, seconds: float, job: Any) -> Any:
        """Go on soon, as if so much time had passed, if there are more turns."""
        cancel: list[CALLBACK_TYPE] = []

        def turn() -> None:
            """Pass the time."""
            self._turn = None
            self.moved += seconds
            cancel.append(self._later(hass, 0.0005, job))

        self._turn = turn
        self.waits.append(seconds)
        if not self._is_done():
            turn()
        return lambda: [stop() for stop in cancel]

    def now(self) -> float:
        return self._now() + self.moved

    async def run(self, is_done: Callable[[], bool]) -> None:
        """Let the time pass until a condition holds."""
        self.waits.clear()
        self._is_done = is_done
        if self._turn:
            self._turn()
        await until(lambda: is_done() and self._turn)

    async def read_all(self) -> None:
        """Let the time pass until there is nothing left to read."""
        await self.run(lambda: IDLE in self.waits)
