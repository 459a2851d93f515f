"""The demonstration, as somebody runs it from a checkout."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
import re
import signal
import sys

import aiohttp
import pytest

from .home import ROOT

# Displays are announced to every test on the network.
pytestmark = [
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.timeout(240),
    pytest.mark.xdist_group("network"),
]

SECONDS = 180


@asynccontextmanager
async def demonstration(*options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scripts.demo_run", *options),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(SECONDS):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_check() -> None:
    """It ends by itself, well, and its one line names the work and the time."""
    async with demonstration("--check") as process:
        output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    (line,) = output.decode().splitlines()
    assert re.fullmatch(
        r"OK: Living room shows “[^”]+” from “Net Evil”, \d+\.\d s after .+ and \d+ s after .+",
        line,
    )


async def test_until_interrupted() -> None:
    """The addresses can be opened and tell of the same work, until Ctrl-C."""
    async with demonstration() as process, aiohttp.ClientSession() as session:
        assert process.stdout is not None
        told = ""
        while "Ctrl-C" not in told:
            line = await process.stdout.readline()
            assert line, f"it ended by itself: {told}"
            told += line.decode()
        home, wall, screen = re.findall(r"http://127\.0\.0\.1:\d+", told)
        assert screen == home
        async with session.get(f"{home}/art-gallery") as page:
            assert page.status == 200
        async with session.get(f"{wall}/simulator/state") as scene:
            assert f"“{(await scene.json())['work']['title']}”" in told
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0
        for address in (home, wall):
            with pytest.raises(aiohttp.ClientConnectorError):
                await session.get(address)


async def test_interrupted_while_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing stays behind: neither Home Assistant nor its files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    async with demonstration() as process:
        while not list(tmp_path.glob("*/output.log")):
            await asyncio.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0
    assert not list(tmp_path.iterdir())
    commands = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")]
    assert not [line for line in commands if bytes(tmp_path) in line]
