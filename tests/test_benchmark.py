"""Test that the benchmark works."""

import asyncio
import json
from math import isfinite
from pathlib import Path
import sys

import pytest

from .sources import ROOT


@pytest.mark.timeout(400)
@pytest.mark.usefixtures("socket_enabled")
async def test_every_measurement_works(tmp_path: Path) -> None:
    """Measurements with a Home Assistant run one after the other."""
    numbers = tmp_path / "numbers.json"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scripts.benchmark_run"),
        *("--quick", "--json", str(numbers)),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()
    rows = json.loads(numbers.read_text())
    assert len(rows) == 20
    assert all(isfinite(row["ours"]) and row["what"] in told.decode() for row in rows)
