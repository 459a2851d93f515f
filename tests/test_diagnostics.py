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
from .simulators.display import DisplaySimulator
from .simulators.feed import FeedSimulator
from .timing import set_timing

pytestmark = pytest.mark.usefixtures("socket_enabled")

WALLET = "0x9b1e2a4c5d6f7a8b"


async def diagnostics(
    hass: HomeAssistant, client: ClientSessionGenerator, entry: MockConfigEntry
) -> Any:
    assert await async_setup_component(hass, "diagnostics", {})
    return await get_diagnostics_for_config_entry(hass, client, entry)


@pytest.mark.parametrize("profile", [*FIRMWARE, *DESCRIPTION])
async def test_a_display_is_described_without_its_secrets(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
) -> None:
    """Keys, network names, hardware addresses, wallets and titles are left out."""
    display.device.ssid = "SecretNet"
    display.device.overlay = {
        "owner": "mint",
        "state": "pairing_code",
        "pairingCode": "424242",
    }
    display.player.load(playlist("Dawn"), f"https://feed.example.org/{WALLET}")
    await setup_display.runtime_data.async_refresh()
    found = await diagnostics(hass, hass_client, setup_display)
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
        display.host,
    ):
        assert secret.lower() not in text.lower()
    if display.firmware.legacy:
        assert found["cast_only"] is True
        assert found["player"] is None
    else:
        assert found["dialect"] == "ff"
        assert found["works"] == 1
        assert found["has_playlist_url"] is True
        assert found["device"]["installed_version"] == display.device.installed_version


async def test_a_lost_display_is_described_with_its_error(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
) -> None:
    """The type of the error is included."""
    set_timing(loss_patience=0.0)
    await display.power_off()
    await until(lambda: not setup_display.runtime_data.last_update_success)
    found = await diagnostics(hass, hass_client, setup_display)
    assert found["available"] is False
    assert found["last_error"] == "UpdateFailed"


async def test_a_display_that_is_not_set_up_is_described_too(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """Diagnostics work without a loaded entry."""
    await display.power_off()
    display_entry.add_to_hass(hass)
    await hass.config_entries.async_setup(display_entry.entry_id)
    assert await diagnostics(hass, hass_client, display_entry) == {
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
