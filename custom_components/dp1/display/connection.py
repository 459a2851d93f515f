"""The connection to a display: its socket, the retries, and whether the display is available."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing, suppress
from random import uniform
from typing import Final

from homeassistant.core import callback

from ..client.display.client import Display
from ..client.display.notifications import Event, NoPongError
from ..client.display.player_status import PlayerStatus
from ..client.errors import Dp1Error, LostAnswerError, TemporaryError, UnreachableError
from ..const import LOGGER
from ..timing import Timing

MISSES_TO_LOSS: Final = 3
SILENCE: Final = (UnreachableError, LostAnswerError)


class Connection:
    """Keeps the connection to one display.

    Attributes:
        connected: whether the socket is open.
        misses: how often in a row the display did not answer.
    """

    def __init__(
        self,
        display: Display,
        timing: Callable[[], Timing],
        on_event: Callable[[Event], None],
        on_disconnected: Callable[[], None],
        on_seen: Callable[[], None],
        on_lost: Callable[[Dp1Error], None],
        player: Callable[[], PlayerStatus | None],
    ) -> None:
        """Initialize the connection, which is not open yet.

        Args:
            display: the client.
            timing: returns the current delays.
            on_event: called with each push, that of the player merged over its known status.
            on_disconnected: called when the socket was closed.
            on_seen: called after a successful probe.
            on_lost: called as long as the display is unavailable.
            player: returns the status of the player that is known.
        """
        self.connected = False
        self.misses = 0
        self._display = display
        self._timing = timing
        self._player = player
        self._on_event = on_event
        self._on_disconnected = on_disconnected
        self._on_seen = on_seen
        self._on_lost = on_lost
        self._had_socket = False
        self._seen_at: float | None = None
        self._retry_now = asyncio.Event()

    @property
    def was_seen(self) -> bool:
        """Return whether the display has ever answered."""
        return self._seen_at is not None

    async def async_run(self, has_socket: bool) -> None:
        """Keep the connection open until canceled."""
        connect = self._async_listen if has_socket else self._async_probe
        tries = 0
        while True:
            began = _now()
            timing = self._timing()
            last_retry = timing.last_retry
            try:
                await connect()
            except Dp1Error as err:
                self.missed(err)
                if not self._had_socket and not isinstance(
                    err, (*SILENCE, TemporaryError)
                ):
                    last_retry = timing.last_retry_without_socket
            lasted = _now() - began
            tries = 0 if lasted > timing.steady else tries + 1
            wait = min(last_retry, timing.first_retry * 2 ** min(tries, 8))
            await self._async_wait(max(timing.first_retry, wait - lasted))

    async def _async_listen(self) -> None:
        """Handle pushes until the socket closes."""
        heartbeat = self._timing().heartbeat
        silence = 0.0
        try:
            listening = self._display.listen(heartbeat, self._player)
            async with aclosing(listening) as events:
                async for event in events:
                    self.connected = self._had_socket = True
                    self._on_event(event)
        except NoPongError:
            silence = 1.5 * heartbeat
            raise
        finally:
            if self.connected:
                self.connected = False
                self.misses = 0
                self._seen_at = _now() - silence
                self._on_disconnected()

    async def _async_probe(self) -> None:
        """Probe a display that has no socket."""
        await self._display.probe()
        self._on_seen()
        await asyncio.sleep(self._timing().probe_interval)

    async def async_wait_for_answer(self) -> None:
        """Wait until a display that was silent answers."""
        while True:
            await asyncio.sleep(self._timing().last_retry)
            with suppress(Dp1Error):
                return await self._display.probe()

    async def _async_wait(self, seconds: float) -> None:
        """Wait before the next try, unless the display announces itself."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds * uniform(0.75, 1.0)):
                await self._retry_now.wait()
        self._retry_now.clear()

    @callback
    def async_retry_now(self) -> None:
        """Try again at once."""
        self._retry_now.set()

    @callback
    def seen(self) -> None:
        """Note an answer or a push."""
        self.misses = 0
        self._seen_at = _now()

    @callback
    def missed(self, err: Dp1Error) -> None:
        """Note a missing answer, which does not count while the socket is open."""
        LOGGER.debug("%s: %s", self._display.url, err)
        if self.connected:
            return
        self.misses += 1
        silence = _now() - (self._seen_at or 0)
        timing = self._timing()
        is_silent = isinstance(err, SILENCE)
        patience = timing.loss_patience if is_silent else timing.error_patience
        if self.misses >= MISSES_TO_LOSS and silence >= patience:
            self._on_lost(err)


def _now() -> float:
    """Return the time of the loop."""
    return asyncio.get_running_loop().time()
