"""How long the loop stands still and how much memory is taken while something happens."""

import asyncio
from contextlib import suppress
import gc
from pathlib import Path
import re
import time
from typing import Self

BEAT_SECONDS = 0.005
STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")


def _kilobytes(name: str) -> int:
    """Read a line of the status of this process; only Linux has one."""
    status = STATUS.read_text() if STATUS.exists() else ""
    found = re.search(rf"^{name}:\s+(\d+)", status, re.MULTILINE)
    return int(found[1]) if found else 0


class Watch:
    """Watches while its context lasts.

    Attributes:
        stall: the longest that the loop stood still, in seconds; what other processes took is left out.
        memory: by how much the memory of the process grew at most, in bytes.
    """

    def __init__(self) -> None:
        """See nothing yet."""
        self.stall = 0.0
        self.memory = 0
        self._before = 0

    async def __aenter__(self) -> Self:
        """Begin."""
        with suppress(OSError):
            CLEAR.write_text("5")  # the peak begins anew
        self._before = _kilobytes("VmRSS")
        # In debug mode the loop is slower and tells of every slow step itself.
        loop = asyncio.get_running_loop()
        self._debug = loop.get_debug()
        loop.set_debug(False)
        self._task = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        """End."""
        await asyncio.sleep(2 * BEAT_SECONDS)
        self._task.cancel()
        asyncio.get_running_loop().set_debug(self._debug)
        self.memory = max(0, _kilobytes("VmHWM") - self._before) * 1024

    async def _beat(self) -> None:
        """Compare the times of two beats: this process cannot have stood still for longer than it worked."""
        while True:
            wall, worked = time.monotonic(), time.process_time()
            await asyncio.sleep(BEAT_SECONDS)
            gap = min(time.monotonic() - wall, time.process_time() - worked)
            self.stall = max(self.stall, gap)


def set_apart() -> None:
    """Keep what there is out of collections from now on, which would take longer than what is measured."""
    gc.collect()
    gc.freeze()
