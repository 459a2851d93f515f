"""Faults of what is kept on disk: files that a crash, a downgrade or somebody's hand has spoiled."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_test_home_assistant,
)

from homeassistant import loader
from homeassistant.config_entries import ConfigEntryState
from homeassistant.helpers import frame
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from ..displays import DEVICE_ID, entry_of
from ..simulators.display import DisplaySimulator
from . import displays
from .model import Fault, Home

STORAGE = "storage"


@dataclass
class StorageHome(Home):
    """A Home Assistant that has not loaded the integration yet, and its files."""

    entry: MockConfigEntry | None = None


@asynccontextmanager
async def home() -> AsyncIterator[StorageHome]:
    """Run a display, and for each fault a Home Assistant of its own."""
    display = DisplaySimulator(
        profile="B", device_id=DEVICE_ID, poll_interval=0.2, storm_gate=False
    )
    display.caster.preflight = False

    async def reset() -> None:
        """Start Home Assistant."""
        await stack.aclose()
        folder = stack.enter_context(TemporaryDirectory())
        hass = there.hass = await stack.enter_async_context(
            async_test_home_assistant(config_dir=folder)
        )
        stack.push_async_callback(hass.async_stop, force=True)
        hass.data.pop(loader.DATA_CUSTOM_COMPONENTS, None)
        frame.async_setup(hass)
        assert await async_setup_component(hass, "homeassistant", {})
        assert await async_setup_component(hass, "network", {})
        there.entry = entry_of(display)
        there.entry.add_to_hass(hass)
        stack.push_async_callback(
            hass.config_entries.async_unload, there.entry.entry_id
        )
        display.player.load(displays.DAY)

    async with display, AsyncExitStack() as stack, async_test_home_assistant() as first:
        stack.push_async_callback(first.async_stop, force=True)
        there = StorageHome(first, display, lambda: display.writes, reset)
        yield there
    dt_util.set_default_time_zone(UTC)


async def start(home: StorageHome) -> str:
    """Set the display up."""
    assert home.entry is not None
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.hass.async_block_till_done()
    if home.entry.state is not ConfigEntryState.LOADED:
        return f"not loaded: {home.entry.reason}"
    return await home.until_shown("playing Dawn")


def spoiled(name: str, key: str, text: str) -> Fault:
    """Describe a file of the integration that holds something else than it should."""

    def strike(home: StorageHome) -> None:
        """Write it."""
        assert home.entry is not None
        file = key.format(entry=home.entry.entry_id)
        path = Path(home.hass.config.path(".storage", file))
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace("KEY", file))

    def heal(home: StorageHome) -> None:
        """Do nothing: it mends itself."""

    return Fault(
        STORAGE, name, "playing Dawn", strike, start, heal, displays.shows, sends=0
    )


def stored(data: Any, version: int = 1) -> str:
    """Write a file as Home Assistant does."""
    return json.dumps(
        {"version": version, "minor_version": 1, "key": "KEY", "data": data}
    )


FILES = {
    "duties": ("dp1.duties", {"x": [{"kind": "announcement", "cast": 7}]}),
    "media proxy": ("dp1.media_proxy", {"grants": {"x": 7}}),
    "named hosts": ("dp1.named_hosts", {"hosts": [1]}),
    "history": ("dp1.history.{entry}", {"entries": [{"media_id": 7}]}),
}
FAULTS = tuple(
    fault
    for name, (key, odd) in FILES.items()
    for fault in (
        spoiled(f"{name}: cut short", key, '{"version": 1, "da'),
        spoiled(f"{name}: another shape", key, stored(odd)),
        spoiled(f"{name}: a newer version", key, stored({}, 99)),
    )
)
