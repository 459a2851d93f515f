"""Test a display that is reached from far away, and has no way to the home."""

from ipaddress import ip_network

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.display import discovery
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..displays import DEVICE_ID, ENTITY_ID, playlist, state_of, until
from ..flows import announce, announcement
from ..simulators.display import DisplaySimulator


@pytest.fixture(autouse=True)
def _far_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the simulated display have such an address."""
    monkeypatch.setattr(discovery, "TAILNET", ip_network("127.0.0.0/8"))


@pytest.mark.parametrize(
    ("host", "one_way"),
    [
        ("100.64.0.1", True),
        ("100.128.0.1", False),
        ("192.168.1.5", False),
        ("a", False),
    ],
)
def test_which_addresses(
    monkeypatch: pytest.MonkeyPatch, host: str, one_way: bool
) -> None:
    """Those of Tailscale lead one way."""
    monkeypatch.undo()
    assert discovery.is_one_way(host) is one_way


async def cast(hass: HomeAssistant, source: str) -> None:
    document = playlist("Dawn")
    document["items"][0]["source"] = source
    await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": ENTITY_ID, "playlist": document},
        blocking=True,
    )


HOME = "http://192.168.1.5:8123"
# As that of a camera, or of a message with a picture.
PAGE = f"data:text/html,<img src='{HOME}/api/dp1/media/YQ/a.png?token={'x' * 43}'>"


@pytest.mark.parametrize(
    "source", [f"{HOME}/a.png", "http://homeassistant.local/a.png", PAGE]
)
async def test_media_of_the_home_are_refused(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    source: str,
) -> None:
    """The reason is told, nothing is sent, and art of the internet and words are shown."""
    hass.config.internal_url = HOME
    with pytest.raises(HomeAssistantError) as caught:
        await cast(hass, source)
    assert caught.value.translation_key == "no_way_home"
    assert "displayPlaylist" not in display.commands
    await cast(hass, "https://art.example.org/1")
    await until(lambda: state_of(hass).attributes.get("media_title") == "Dawn")
    data = {"entity_id": ENTITY_ID, "title": "Supper"}
    await hass.services.async_call("dp1", "show_message", data, blocking=True)
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Supper")


async def test_its_address_stays(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """It is not replaced by one that is announced, also while the display is away."""
    before = setup_display.data["host"], setup_display.data["port"]
    await display.refuse()
    async with DisplaySimulator(profile="B", device_id=DEVICE_ID) as there:
        result = await announce(hass, announcement("127.0.0.2", there.port))
    assert result["reason"] == "already_configured"
    assert (setup_display.data["host"], setup_display.data["port"]) == before
