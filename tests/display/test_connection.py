"""Test when a display becomes unavailable."""

import asyncio
import selectors
from typing import override
from unittest.mock import Mock

import aiohttp
import pytest

from custom_components.dp1.client.display.client import Display
from custom_components.dp1.client.errors import (
    Dp1Error,
    TemporaryError,
    UnreachableError,
)
from custom_components.dp1.display.connection import MISSES_TO_LOSS, Connection
from custom_components.dp1.display.requests import Requests

from ..simulators.display import DisplaySimulator, FaultKind

from tests.timing import DEFAULTS, set_timing


async def test_only_several_misses_are_a_loss() -> None:
    """A display is unavailable after several failed requests over some time."""
    lost: list[Dp1Error] = []
    set_timing(loss_patience=0.0)
    async with aiohttp.ClientSession() as session:
        listener = Mock(on_lost=lost.append)
        connection = Connection(Display(session, "127.0.0.1", 1), listener)
        connection.seen()
        for _ in range(MISSES_TO_LOSS - 1):
            connection.missed(UnreachableError("silence"))
        assert not lost
        connection.missed(TemporaryError("it answers"))
        assert not lost
        connection.missed(UnreachableError("silence"))
        assert len(lost) == 1
        set_timing(loss_patience=DEFAULTS["loss_patience"])
        connection.missed(UnreachableError("silence"))
        assert len(lost) == 1


class HurriedLoop(asyncio.SelectorEventLoop):
    """Event loop that skips the time in which nothing happens on the network."""

    def __init__(self) -> None:
        self.skipped = 0.0
        super().__init__(HurriedSelector(self))

    @override
    def time(self) -> float:
        return super().time() + self.skipped


class HurriedSelector(selectors.DefaultSelector):
    """Selector that does not wait for timers."""

    def __init__(self, loop: HurriedLoop) -> None:
        super().__init__()
        self._loop = loop

    @override
    def select(
        self, timeout: float | None = None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready, or skip the rest of the timeout."""
        ready = super().select(timeout and min(timeout, 0.01))
        if timeout and not ready:
            self._loop.skipped += max(0.0, timeout - 0.01)
        return ready


async def _seconds_until_lost(*, has_socket: bool, is_killed: bool = False) -> float:
    """Return how long a display that freezes or is killed just after a sign of life stays available."""
    loop = asyncio.get_running_loop()
    lost = asyncio.Event()
    alive = asyncio.Event()
    async with DisplaySimulator("B") as display, aiohttp.ClientSession() as session:

        def seen() -> None:
            """Note an answer."""
            connection.seen()
            alive.set()

        listener = Mock(
            on_connected=alive.set, on_seen=seen, on_lost=lambda err: lost.set()
        )
        client = Display(session, display.host, display.port)
        connection = Connection(client, listener)
        running = loop.create_task(connection.async_run(has_socket))
        await alive.wait()
        if is_killed:
            await display.refuse()
        else:
            display.inject(FaultKind.HANG, seconds=1e6, times=None)
            display.go_half_open()
        began = loop.time()
        try:
            async with asyncio.timeout(300):
                await lost.wait()
            return loop.time() - began
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


@pytest.mark.usefixtures("socket_enabled")
@pytest.mark.parametrize("has_socket", [True, False])
def test_a_frozen_display_is_lost_within_half_a_minute(
    has_socket: bool,
) -> None:
    """A display that accepts connections and answers nothing is unavailable as soon as the documentation says."""
    with asyncio.Runner(loop_factory=HurriedLoop) as runner:
        seconds = runner.run(_seconds_until_lost(has_socket=has_socket))
    assert 15 < seconds <= 30


@pytest.mark.usefixtures("socket_enabled")
def test_a_killed_display_is_lost_soon() -> None:
    """A display that refuses connections is unavailable sooner, but not while it restarts its player."""
    with asyncio.Runner(loop_factory=HurriedLoop) as runner:
        seconds = runner.run(_seconds_until_lost(has_socket=True, is_killed=True))
    assert 8 <= seconds <= 13


async def test_who_waits_for_a_cast() -> None:
    """What concerns the current playlist waits for a cast that a user requested."""
    requests = Requests(lambda: None)
    with requests.pending_cast(1):
        waiting = asyncio.create_task(requests.async_wait_for_casts())
        with requests.pending_cast(1):
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting
