"""Test the buttons of a display."""

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from .displays import FIRMWARE, playlist, set_up, state_of, until
from .entities import act, known, shown, value
from .simulators.display import DisplaySimulator, FaultKind
from .timing import FAST

from tests.timing import Timing

EVENING = playlist("Dawn", "Noon", "Dusk")


@pytest.fixture
def timing() -> Timing:
    """Shorten more delays."""
    return dict(FAST, loss_patience=0.2, first_retry=0.02)


def written(display: DisplaySimulator) -> list[tuple[str, object]]:
    """Return the commands that changed something."""
    return [
        (command.command, command.request)
        for command in display.received
        if not command.is_query
    ]


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", FIRMWARE)
@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("refresh_work", "refreshArtwork"),
        ("reboot", "reboot"),
        ("shut_down", "shutdown"),
    ],
)
async def test_one_command(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    key: str,
    command: str,
) -> None:
    """A button sends its command, once."""
    display.player.load(EVENING)
    await set_up(hass, display_entry)
    await act(hass, "button", key, "press")
    assert written(display) == [(command, {})]


async def test_default_playlist(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """The vendor's playlist can be shown."""
    await act(hass, "button", "default_playlist", "press")
    assert written(display) == [("displayDefaultPlaylist", {})]
    await until(lambda: state_of(hass).attributes.get("media_track") == 1)


async def test_refresh_nothing(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Without a work there is nothing to reload, which is an error."""
    with pytest.raises(HomeAssistantError) as error:
        await act(hass, "button", "refresh_work", "press")
    assert error.value.translation_key == "display_rejected"


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_pairing_code(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """The code can be shown and hidden, also during set-up."""
    display.player.load(EVENING)
    await set_up(hass, display_entry)
    await act(hass, "button", "show_pairing_code", "press")
    await act(hass, "button", "hide_pairing_code", "press")
    assert written(display) == [
        ("showPairingQRCode", {"show": True}),
        ("showPairingQRCode", {"show": False}),
    ]
    await until(lambda: value(hass, "sensor", "work_number") == "1")
    assert hass.states.get("media_player.wall").state == "playing"


async def test_reboot_and_return(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A display that restarts is unavailable, and comes back by itself."""
    display.boot_seconds = 0.5
    await act(hass, "button", "reboot", "press")
    await until(lambda: hass.states.get("media_player.wall").state == "unavailable")
    await until(lambda: hass.states.get("media_player.wall").state != "unavailable")
    assert shown(hass, "button", "reboot").state != "unavailable"


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("key", ["reboot", "shut_down"])
async def test_gone_before_it_answers(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    key: str,
) -> None:
    """A display that shuts down without an answer is no error."""
    display.inject(FaultKind.CUT, route="/api/cast", times=1)
    await act(hass, "button", key, "press")


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("profile", ["B", "C"])
async def test_screenshot(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """Each press takes a new screenshot."""
    display.player.load(EVENING)
    await set_up(hass, display_entry)
    await until(lambda: value(hass, "image", "screenshot") == "unknown")
    await act(hass, "button", "take_screenshot", "press")
    first = await known(hass, "image", "screenshot")
    await act(hass, "button", "take_screenshot", "press")
    assert shown(hass, "image", "screenshot").state > first


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_screenshot_that_fails(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """A screenshot that fails is an error, and the old one stays."""
    await set_up(hass, display_entry)
    await until(lambda: value(hass, "image", "screenshot") == "unknown")
    await act(hass, "button", "take_screenshot", "press")
    before = await known(hass, "image", "screenshot")
    display.server.screen.broken = True
    with pytest.raises(HomeAssistantError) as error:
        await act(hass, "button", "take_screenshot", "press")
    assert error.value.translation_key == "display_temporary"
    display.server.screen.broken = False
    display.inject(FaultKind.STATUS, route="/api/screenshot", status=404)
    with pytest.raises(HomeAssistantError) as error:
        await act(hass, "button", "take_screenshot", "press")
    assert error.value.translation_key == "display_rejected"
    assert shown(hass, "image", "screenshot").state == before
