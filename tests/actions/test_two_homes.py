"""Test the recipe of a wall that two homes share: two Home Assistants, each with a display and its own files, and one feed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_test_home_assistant

from homeassistant import loader
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component

from tests.displays import DEVICE_ID, entry_of, set_up, state_of, until
from tests.flows import begin_options, fill
from tests.libraries import SEED, library_entry
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator
from tests.test_examples import EXAMPLES, ROOM

pytestmark = pytest.mark.usefixtures("socket_enabled", "impatience")
OTHER_SEED = "07" * 32


@pytest.fixture
def hass_storage() -> dict[str, Any]:
    """Disable the mocked storage, which both homes would share."""
    return {}


async def run(hass: HomeAssistant, action: str) -> None:
    (step,) = (
        step
        for steps in EXAMPLES.values()
        if "our-wall" in str(steps)
        for step in steps
        if step["action"] == f"dp1.{action}"
    )
    data = {**step["data"], **step.get("target", {})}
    await hass.services.async_call("dp1", action, data, blocking=True)


@asynccontextmanager
async def home(folder: Path) -> AsyncIterator[HomeAssistant]:
    """Run another Home Assistant that finds the integration."""
    async with async_test_home_assistant(config_dir=str(folder)) as hass:
        hass.data.pop(loader.DATA_CUSTOM_COMPONENTS)
        try:
            yield hass
        finally:
            await hass.async_stop(force=True)


async def move_in(hass: HomeAssistant, feed: FeedSimulator, seed: str) -> Any:
    """Set up the library of a home."""
    for component in ("homeassistant", "media_source"):
        assert await async_setup_component(hass, component, {})
    entry = library_entry(feed.url)
    data = {**entry.data, "signing_key": seed}
    object.__setattr__(entry, "data", data)
    return await set_up(hass, entry)


async def hang(hass: HomeAssistant, wall: DisplaySimulator) -> None:
    wall.caster.preflight = False
    await set_up(hass, entry_of(wall, title="Living room"))
    await until(lambda: hass.states.get(ROOM))


async def test_a_wall_shared_by_two_homes(hass: HomeAssistant, tmp_path: Path) -> None:
    """What one home publishes and changes hangs in both; the other changes it once it has the key."""
    hass.config.config_dir = str(tmp_path / "town")
    async with (
        FeedSimulator("signed", random_seed=1) as feed,
        DisplaySimulator(
            device_id=DEVICE_ID, poll_interval=0.1, storm_gate=False
        ) as first,
        DisplaySimulator(
            device_id=DEVICE_ID,
            poll_interval=0.1,
            storm_gate=False,
            refresh_interval=0.2,
        ) as second,
        home(tmp_path) as lake,
    ):
        await move_in(hass, feed, SEED)
        guest = await move_in(lake, feed, OTHER_SEED)
        await hang(hass, first)
        await hang(lake, second)

        def titles() -> list[str]:
            """Return what hangs at the lake."""
            return [item["title"] for item in second.state.items]

        await run(hass, "publish_playlist")
        await run(lake, "cast_playlist")
        await until(lambda: titles() == ["sunrise", "noon"])
        assert state_of(lake, ROOM).attributes["media_playlist"] == "Our wall"
        (document,) = feed.documents.values()
        assert document["items"][1]["note"] == {"text": "From the house at the lake."}
        await run(hass, "update_playlist")
        await until(lambda: titles() == ["sunrise", "noon", "dusk"])
        with pytest.raises(HomeAssistantError):
            await run(lake, "update_playlist")
        assert len(feed.documents) == 1

        # The key of the first home, as its library shows it.
        form = await begin_options(lake, guest.entry_id, "import_key")
        await fill(lake, form, signing_key=SEED)
        await run(lake, "update_playlist")
        await until(lambda: titles() == ["sunrise", "noon", "dusk", "dusk"])
        for each in (hass, lake):
            for entry in each.config_entries.async_loaded_entries("dp1"):
                await each.config_entries.async_unload(entry.entry_id)
