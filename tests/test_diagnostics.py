"""Test the diagnostics of a display and of a library."""

import json
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.components.diagnostics import (
    get_diagnostics_for_config_entry,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from .displays import DESCRIPTION, DEVICE_ID, FIRMWARE, playlist, until
from .libraries import SEED, library_entry, set_up
from .simulators.feed import FeedSimulator
from .timing import set_timing
from .walls import Wall

pytestmark = pytest.mark.usefixtures("socket_enabled")

WALLET = "0x9b1e2a4c5d6f7a8b"


async def diagnostics(
    hass: HomeAssistant, client: ClientSessionGenerator, entry: MockConfigEntry
) -> Any:
    assert await async_setup_component(hass, "diagnostics", {})
    return await get_diagnostics_for_config_entry(hass, client, entry)


@pytest.mark.parametrize("profile", [*FIRMWARE, *DESCRIPTION])
async def test_a_display_is_described_without_its_secrets(
    wall: Wall, hass_client: ClientSessionGenerator
) -> None:
    """Keys, network names, hardware addresses, wallets and titles are left out."""
    wall.display.device.ssid = "SecretNet"
    code = {"owner": "mint", "state": "pairing_code", "pairingCode": "424242"}
    wall.display.device.overlay = code
    wall.display.player.load(playlist("Dawn"), f"https://feed.example.org/{WALLET}")
    await wall.coordinator.async_refresh()
    found = await diagnostics(wall.hass, hass_client, wall.entry)
    assert found["available"] is True
    assert found["last_error"] is None
    assert found["has_id"] is True
    text = json.dumps(found)
    for secret in (
        "topic-",
        "SecretNet",
        "02:00:00",
        "424242",
        WALLET,
        "art.example",
        "Dawn",
        DEVICE_ID,
        wall.display.host,
    ):
        assert secret.lower() not in text.lower()
    if wall.display.firmware.legacy:
        assert found["cast_only"] is True
        assert found["player"] is None
    else:
        assert found["dialect"] == "ff"
        assert found["works"] == 1
        assert found["has_playlist_url"] is True
        assert (
            found["device"]["installed_version"]
            == wall.display.device.installed_version
        )


async def test_a_lost_display_is_described_with_its_error(
    wall: Wall, hass_client: ClientSessionGenerator
) -> None:
    """The type of the error is included."""
    set_timing(loss_patience=0.0)
    await wall.display.power_off()
    await until(lambda: not wall.coordinator.last_update_success)
    found = await diagnostics(wall.hass, hass_client, wall.entry)
    assert found["available"] is False
    assert found["last_error"] == "UpdateFailed"


async def test_a_display_that_is_not_set_up_is_described_too(
    bare: Wall, hass_client: ClientSessionGenerator
) -> None:
    """Diagnostics work without a loaded entry."""
    await bare.display.power_off()
    await bare.set_up()
    assert await diagnostics(bare.hass, hass_client, bare.entry) == {
        "state": "setup_retry",
        "reason": "display_refused",
    }


async def test_a_library_is_described_without_its_secrets(
    hass: HomeAssistant, hass_client: ClientSessionGenerator
) -> None:
    """Keys and URLs are left out."""
    async with FeedSimulator(random_seed=1) as feed:
        entry = await set_up(hass, library_entry(feed.url, api_key="test-api-key"))
        found = await diagnostics(hass, hass_client, entry)
    assert found["feed"] is True
    assert found["catalog"] is False
    assert found["has_api_key"] is True
    text = json.dumps(found)
    for secret in ("test-api-key", SEED, "127.0.0.1"):
        assert secret not in text
