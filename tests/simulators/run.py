"""Run a simulator from the command line until it is stopped."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
import signal
from typing import Protocol


class Simulator(AbstractAsyncContextManager[object], Protocol):
    """A server on loopback."""

    @property
    def url(self) -> str:
        """Return its address."""


def run(
    name: str, simulator: Simulator, ready: Callable[[], object] | None = None
) -> None:
    """Serve, print the URL, and return at the first signal."""
    asyncio.run(_serve(name, simulator, ready))


async def _serve(
    name: str, simulator: Simulator, ready: Callable[[], object] | None
) -> None:
    """Serve until stopped."""
    end = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, end.set)
    async with simulator:
        if ready is not None:
            ready()
        print(f"{name} at {simulator.url}", flush=True)  # noqa: T201
        await end.wait()
