"""Nothing grows while displays come and go; ``scripts/soak`` lives through a week of it."""

import asyncio
import sys

import pytest

from .sources import ROOT


@pytest.mark.skipif(sys.platform != "linux", reason="Open files are counted in /proc")
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("socket_enabled")
async def test_a_few_hours() -> None:
    """As much is there at the end as in the middle, and every display is still followed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scripts.soak_run", "--quick"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()
