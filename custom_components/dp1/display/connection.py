"""The connection to a display: its socket, the retries, and whether the display is available."""

import asyncio
from collections.abc import Iterable
from contextlib import aclosing, suppress
from random import uniform
from typing import Final, Protocol

from homeassistant.core import callback

from ..client.display.client import Display
from ..client.display.notifications import Connected, Frame, NoPongError
from ..client.display.player_status import PlayerStatus
from ..client.errors import (
    Dp1Error,
    LostAnswerError,
    TemporaryError,
    UnreachableError,
    WantsPairingError,
)
from ..const import LOGGER

# Seconds between two pings on the socket of a display. With the pong, which may take half of that, and two more tries
# of five seconds each, a display that freezes is unavailable within half a minute.
HEARTBEAT: Final = 10.0
# Seconds until the socket is opened again; doubled each time.
FIRST_RETRY: Final = 0.5
# The most of that.
LAST_RETRY: Final = 4.0
# The same for a display that answers, but opens no socket.
LAST_RETRY_WITHOUT_SOCKET: Final = 60.0
# Seconds between two probes of a display without a socket, each of five seconds at most.
PROBE_INTERVAL: Final = 10.0
# Seconds after which an open socket resets the retries.
STEADY: Final = 10.0
# Seconds until a silent display is unavailable.
LOSS_PATIENCE: Final = 25.0
# The same for one that refuses connections, as it does for about five while it restarts its player.
REFUSED_PATIENCE: Final = 8.0
# Seconds until a display that only returns errors is unavailable.
ERROR_PATIENCE: Final = 90.0

MISSES_TO_LOSS: Final = 3
# How many frames are handed on at once, and how often later ones.
FRAME_BURST: Final = 10
FRAME_SECONDS: Final = 0.5
SILENCE: Final = (UnreachableError, LostAnswerError)


class Listener(Protocol):
    """Who hears of a connection."""

    def on_connected(self) -> None:
        """Handle an open socket."""

    def on_frames(self, frames: Iterable[tuple[Frame, float]]) -> None:
        """Handle what was pushed, and when each came."""

    def on_disconnected(self) -> None:
        """Handle a closed socket."""

    def on_seen(self) -> None:
        """Handle a successful probe."""

    def on_lost(self, err: Dp1Error) -> None:
        """Handle a display that is unavailable; called as long as it is."""


class FrameLimit:
    """The limit of the pushes of a display: a burst, then two a second, and the last of each kind of those that come faster."""

    def __init__(self, listener: Listener) -> None:
        """Initialize without frames."""
        self._listener = listener
        self._waiting: dict[type, tuple[Frame, float]] = {}
        self._timer: asyncio.TimerHandle | None = None
        # When as many as a burst are free again.
        self._full_at = 0.0

    @callback
    def handle(self, frame: Frame) -> None:
        """Hand a frame on, or merge it with those that wait."""
        now = _now()
        before, _ = self._waiting.get(type(frame), (None, now))
        if isinstance(frame, PlayerStatus) and isinstance(before, PlayerStatus):
            frame = frame.completed_by(before)
        self._waiting[type(frame)] = frame, now
        if self._timer is not None:
            return
        self._full_at = max(self._full_at, now) + FRAME_SECONDS
        wait = self._full_at - FRAME_BURST * FRAME_SECONDS - now
        if wait > 0:
            self._timer = asyncio.get_running_loop().call_later(wait, self._hand_on)
        else:
            self._hand_on()

    @callback
    def _hand_on(self) -> None:
        """Hand on the waiting frames."""
        self._timer = None
        frames, self._waiting = self._waiting, {}
        try:
            self._listener.on_frames(frames.values())
        except Exception:  # noqa: BLE001 (a fault of who hears it ends no connection)
            LOGGER.exception("Unexpected error handling a push")

    @callback
    def clear(self) -> None:
        """Drop the waiting frames."""
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Connection:
    """The connection to one display, which is kept.

    Attributes:
        connected: whether the socket is open.
        misses: how often in a row the display did not answer.
    """

    def __init__(self, display: Display, listener: Listener) -> None:
        """Initialize the connection, which is not open yet."""
        self.connected = False
        self.misses = 0
        self._display = display
        self._listener = listener
        self._frames = FrameLimit(listener)
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
                if not isinstance(err, (*SILENCE, TemporaryError)):
                    last_retry = LAST_RETRY_WITHOUT_SOCKET
            lasted = _now() - began
            tries = 0 if lasted > STEADY else tries + 1
            wait = min(last_retry, FIRST_RETRY * 2 ** min(tries, 8))
            await self._async_wait(max(FIRST_RETRY, wait - lasted))

    async def _async_listen(self) -> None:
        """Handle pushes until the socket closes."""
        silence = 0.0
        try:
            async with aclosing(self._display.listen(HEARTBEAT)) as events:
                async for event in events:
                    if isinstance(event, Connected):
                        self.connected = True
                        self._listener.on_connected()
                    else:
                        self._frames.handle(event)
        except NoPongError:
            silence = 1.5 * HEARTBEAT
            raise
        finally:
            self._frames.clear()
            if self.connected:
                self.connected = False
                self.misses = 0
                self._seen_at = _now() - silence
                self._listener.on_disconnected()

    async def _async_probe(self) -> None:
        """Probe a display that has no socket."""
        await self._display.probe()
        self._listener.on_seen()
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
        wants_pairing = isinstance(err, WantsPairingError)
        if self.connected and not wants_pairing:
            return
        self.misses += 1
        silence = _now() - (self._seen_at or 0)
        patience = LOSS_PATIENCE if isinstance(err, SILENCE) else ERROR_PATIENCE
        if err.key == "refused":
            patience = min(patience, REFUSED_PATIENCE)
        is_lost = self.misses >= MISSES_TO_LOSS and silence >= patience
        if is_lost or wants_pairing:
            self._listener.on_lost(err)


def _now() -> float:
    """Return the time of the loop."""
    return asyncio.get_running_loop().time()
