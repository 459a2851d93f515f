"""The connection to a display: its socket, the retries, and whether the display is available."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing, suppress
from random import uniform
from typing import Final

from homeassistant.core import callback

from ..client.display.client import Display
from ..client.display.notifications import Event
from ..client.errors import Dp1Error, LostAnswerError, TemporaryError, UnreachableError
from ..const import LOGGER

HEARTBEAT: Final = 30.0
FIRST_RETRY: Final = 0.5
LAST_RETRY: Final = 4.0
# For a display that answers, but has never opened a socket.
LAST_RETRY_WITHOUT_SOCKET: Final = 60.0
PROBE_INTERVAL: Final = 20.0
# A socket that was open for this long resets the retries.
STEADY: Final = 10.0
# A display occasionally restarts its player and refuses connections meanwhile.
MISSES_TO_LOSS: Final = 3
PATIENCE: Final = 30.0
# The same for a display that only returns errors.
ERROR_PATIENCE: Final = 90.0

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
        on_event: Callable[[Event], None],
        on_disconnected: Callable[[], None],
        on_seen: Callable[[], None],
        on_lost: Callable[[Dp1Error], None],
    ) -> None:
        """Initialize the connection, which is not open yet.

        Args:
            display: the client.
            on_event: called with each push.
            on_disconnected: called when the socket was closed.
            on_seen: called after a successful probe.
            on_lost: called as long as the display is unavailable.
        """
        self.connected = False
        self.misses = 0
        self._display = display
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
            last_retry = LAST_RETRY
            try:
                await connect()
            except Dp1Error as err:
                self.missed(err)
                if not self._had_socket and not isinstance(
                    err, (*SILENCE, TemporaryError)
                ):
                    last_retry = LAST_RETRY_WITHOUT_SOCKET
            lasted = _now() - began
            tries = 0 if lasted > STEADY else tries + 1
            wait = min(last_retry, FIRST_RETRY * 2 ** min(tries, 8))
            await self._async_wait(max(FIRST_RETRY, wait - lasted))

    async def _async_listen(self) -> None:
        """Handle pushes until the socket closes."""
        try:
            async with aclosing(self._display.listen(HEARTBEAT)) as events:
                async for event in events:
                    self.connected = self._had_socket = True
                    self._on_event(event)
        finally:
            if self.connected:
                self.connected = False
                self._seen_at = _now()
                self._on_disconnected()

    async def _async_probe(self) -> None:
        """Probe a display that has no socket."""
        await self._display.probe()
        self._on_seen()
        await asyncio.sleep(PROBE_INTERVAL)

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
        patience = PATIENCE if isinstance(err, SILENCE) else ERROR_PATIENCE
        if self.misses >= MISSES_TO_LOSS and silence >= patience:
            self._on_lost(err)


def _now() -> float:
    """Return the time of the loop."""
    return asyncio.get_running_loop().time()
