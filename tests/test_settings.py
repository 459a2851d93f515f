"""Test numbers, selects, switches and times, with every generation of firmware."""

from datetime import time
from itertools import permutations
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .displays import ENTITY_ID, FIRMWARE, playlist, set_up, until
from .entities import act, entity_id, known, shown, value
from .simulators.display import DisplaySimulator, FaultKind
from .timing import FAST

EVENING = playlist("Dawn", "Noon", "Dusk")
SECOND = ("B", "C")
TURNS = ("landscape", "portrait", "landscape_reverse", "portrait_reverse")
WIRE = {
    "landscape": "landscape",
    "portrait": "portrait",
    "landscape_reverse": "landscapeReverse",
    "portrait_reverse": "portraitReverse",
}


def setting(display: DisplaySimulator, name: str) -> Any:
    return display.state.settings.get(name)


def requests(display: DisplaySimulator, command: str) -> list[dict[str, Any] | None]:
    """Return the arguments of all commands of a name."""
    return [record.request for record in display.received if record.command == command]


# Choices


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_scaling(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """The scaling is set and saved."""
    assert shown(hass, "select", "scaling").attributes["options"] == [
        "fit",
        "fill",
        "stretch",
        "auto",
    ]
    for option in ("fill", "stretch", "auto", "fit"):
        await act(hass, "select", "scaling", "select_option", option=option)
        assert value(hass, "select", "scaling") == option
        assert setting(display, "scaling") == option
    assert requests(display, "updateDisplaySettings")[-1] == {
        "isSaved": True,
        "scaling": "fit",
    }


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_museum_label(hass: HomeAssistant, display: DisplaySimulator) -> None:
    for option in ("on", "off", "timed"):
        await act(hass, "select", "museum_label", "select_option", option=option)
        assert value(hass, "select", "museum_label") == option
        assert setting(display, "tombstone") == option


@pytest.mark.usefixtures("setup_display")
async def test_framing(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """A framing that nobody chose is that of the works."""
    assert "framing" not in display.player.settings.saved
    assert await known(hass, "select", "framing") == "artwork"
    await act(hass, "select", "framing", "select_option", option="fill")
    assert value(hass, "select", "framing") == "fill" == setting(display, "framing")


async def test_scaling_is_what_is_seen(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A work that lets nobody change how it is scaled is told as it is seen, whatever framing was chosen."""
    await act(hass, "select", "framing", "select_option", option="fill")
    fixed = {"scaling": "fit", "userOverrides": {"scaling": False}}
    for own, seen in (({"scaling": "fit"}, "fill"), (fixed, "fit")):
        document = playlist("Tide")
        document["items"][0]["display"] = own
        display.player.load(document)
        await until(lambda seen=seen: value(hass, "select", "scaling") == seen)
        assert value(hass, "select", "framing") == "fill"


@pytest.mark.usefixtures("entity_registry_enabled_by_default", "setup_display")
@pytest.mark.parametrize("profile", SECOND)
async def test_signature_mode(hass: HomeAssistant, display: DisplaySimulator) -> None:
    for option in ("notify", "strict", "silent"):
        await act(hass, "select", "signature_mode", "select_option", option=option)
        assert value(hass, "select", "signature_mode") == option
        assert display.device.signature_mode == option


async def test_a_setting_of_the_phone_shows(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A change by another client is shown."""
    display.player.settings.saved["scaling"] = "stretch"
    await until(lambda: value(hass, "select", "scaling") == "stretch")


async def test_a_setting_unheard_of(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """An unknown value of newer firmware is unknown."""
    display.player.settings.saved["scaling"] = "kaleidoscope"
    await until(lambda: value(hass, "select", "scaling") == "unknown")


# Orientation


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_every_orientation_from_every_other(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Every orientation is reached with at most two rotations."""
    assert shown(hass, "select", "orientation").attributes["options"] == list(TURNS)
    for start, end in permutations(TURNS, 2):
        display.device.orientation = WIRE[start]
        display.reset_counters()
        await act(hass, "select", "orientation", "select_option", option=end)
        assert value(hass, "select", "orientation") == end
        assert display.device.orientation == WIRE[end]
        assert len(requests(display, "rotate")) <= 2


@pytest.mark.parametrize("storm_gate", [True])
@pytest.mark.parametrize("timing", [dict(FAST, pace=1)])
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_upside_down_within_the_display_s_limits(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Two rotations in a row are not refused."""
    await act(hass, "select", "orientation", "select_option", option=TURNS[2])
    assert display.device.orientation == WIRE[TURNS[2]]
    assert [
        command.status for command in display.received if command.command == "rotate"
    ] == [
        200,
        200,
    ]


async def test_an_orientation_that_is_there_already(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """The current orientation sends nothing."""
    await act(hass, "select", "orientation", "select_option", option="landscape")
    assert not requests(display, "rotate")


async def test_the_last_of_many_orientations_wins(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Of twenty selections at the same time the last counts, with few rotations."""
    for number in range(20):
        await hass.services.async_call(
            "select",
            "select_option",
            {
                "entity_id": entity_id(hass, "select", "orientation"),
                "option": TURNS[number % 4],
            },
        )
    await hass.async_block_till_done()
    await until(lambda: display.device.orientation == WIRE[TURNS[3]])
    await until(lambda: value(hass, "select", "orientation") == TURNS[3])
    assert len(requests(display, "rotate")) <= 4


# Numbers


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_seconds_per_work(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """Works without a duration are shown as long as set; 0 means unlimited."""
    assert float(shown(hass, "number", "seconds_per_work").state) == 0
    for seconds in (600, 90):
        await act(hass, "number", "seconds_per_work", "set_value", value=seconds)
        assert float(shown(hass, "number", "seconds_per_work").state) == seconds
        assert setting(display, "defaultDuration") == seconds
    await act(hass, "number", "seconds_per_work", "set_value", value=0)
    assert float(shown(hass, "number", "seconds_per_work").state) == 0
    assert setting(display, "defaultDuration") is None
    assert requests(display, "updateDefaultDuration")[-1] == {"durationSeconds": None}


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", SECOND)
async def test_margin(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """The margin is set in pixels; one with another unit is unknown."""
    assert float(shown(hass, "number", "margin").state) == 0
    await act(hass, "number", "margin", "set_value", value=24)
    assert float(shown(hass, "number", "margin").state) == 24
    assert setting(display, "margin") == 24
    display.player.settings.saved["margin"] = "5%"
    await until(lambda: value(hass, "number", "margin") == "unknown")
    display.player.settings.saved["margin"] = "12px"
    await until(lambda: value(hass, "number", "margin") == "12.0")


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_panel_numbers(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """The panel is set, and read afterwards."""
    for key, start in {"brightness": 65, "contrast": 70, "volume": 40}.items():
        assert float(await known(hass, "number", f"panel_{key}")) == start
        await act(hass, "number", f"panel_{key}", "set_value", value=30)
        assert float(shown(hass, "number", f"panel_{key}").state) == 30
        assert display.device.panel.values[key] == 30


async def test_a_panel_that_knows_little(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """A panel has the entities of its settings."""
    display.device.panel.values = {"brightness": 50}
    await set_up(hass, display_entry)
    assert float(await known(hass, "number", "panel_brightness")) == 50
    assert entity_id(hass, "number", "panel_contrast") is None
    assert entity_id(hass, "switch", "panel") is None


async def test_a_panel_that_refuses(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A setting that the panel refuses is an error, and not shown."""
    await known(hass, "number", "panel_brightness")
    display.inject(FaultKind.STATUS, command="ddcPanelControl", status=500)
    with pytest.raises(HomeAssistantError) as error:
        await act(hass, "number", "panel_brightness", "set_value", value=10)
    assert error.value.translation_key == "display_rejected"
    assert float(shown(hass, "number", "panel_brightness").state) == 65


# Switches


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_panel(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """The panel goes to standby and comes back."""
    assert await known(hass, "switch", "panel") == "on"
    await act(hass, "switch", "panel", "turn_off")
    assert display.device.panel.values["power"] == "standby"
    assert value(hass, "switch", "panel") == "off"
    await act(hass, "switch", "panel", "turn_on")
    assert value(hass, "switch", "panel") == "on"


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_sleep_schedule(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """The schedule is turned on and off, and keeps its times."""
    assert value(hass, "switch", "sleep_schedule") == "off"
    await act(hass, "switch", "sleep_schedule", "turn_on")
    assert value(hass, "switch", "sleep_schedule") == "on"
    assert display.sleep.record()["enabled"] is True
    assert display.sleep.record()["sleepTime"] == "22:00"
    await act(hass, "switch", "sleep_schedule", "turn_off")
    assert value(hass, "switch", "sleep_schedule") == "off"
    assert display.sleep.record()["wakeTime"] == "07:30"


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", SECOND)
async def test_mature_content(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """Mature works are hidden or shown; the rest of the policy stays."""
    display.caster.policy.strict_personal = True
    assert await known(hass, "switch", "mature_content") == "on"
    await act(hass, "switch", "mature_content", "turn_off")
    assert value(hass, "switch", "mature_content") == "off"
    assert display.caster.policy.show_mature is False
    assert display.caster.policy.strict_personal is True
    await act(hass, "switch", "mature_content", "turn_on")
    assert value(hass, "switch", "mature_content") == "on"


# Times


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_times(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """Both times are set without changing anything else."""
    assert value(hass, "time", "sleep_time") == "22:00:00"
    await act(hass, "time", "sleep_time", "set_value", time=time(23, 5))
    assert value(hass, "time", "sleep_time") == "23:05:00"
    await act(hass, "time", "wake_time", "set_value", time=time(6, 0))
    assert value(hass, "time", "wake_time") == "06:00:00"
    record = display.sleep.record()
    assert (record["sleepTime"], record["wakeTime"]) == ("23:05", "06:00")
    assert record["enabled"] is False


async def test_times_of_a_schedule_that_is_on(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A schedule that is on stays on."""
    await act(hass, "switch", "sleep_schedule", "turn_on")
    await act(hass, "time", "sleep_time", "set_value", time=time(23, 5))
    assert display.sleep.record()["enabled"] is True
    assert value(hass, "switch", "sleep_schedule") == "on"


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("seconds", [0, 45])
async def test_same_times(
    hass: HomeAssistant, display: DisplaySimulator, seconds: int
) -> None:
    """Times that are equal to the minute are refused before anything is sent."""
    with pytest.raises(ServiceValidationError) as error:
        await act(hass, "time", "sleep_time", "set_value", time=time(7, 30, seconds))
    assert error.value.translation_key == "same_times"
    assert not requests(display, "setSleepSchedule")


async def test_a_time_for_a_schedule_that_is_gone(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A display without a schedule gets no command."""
    record, display.sleep.record = display.sleep.record, lambda: None
    with pytest.raises(ServiceValidationError) as error:
        await act(hass, "time", "sleep_time", "set_value", time=time(21, 0))
    assert error.value.translation_key == "no_schedule"
    display.sleep.record = record


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_times_do_not_wake(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Setting a time does not wake a display that was put to sleep."""
    target = {"entity_id": "media_player.wall"}
    await hass.services.async_call("media_player", "turn_off", target, blocking=True)
    await act(hass, "time", "wake_time", "set_value", time=time(6, 0))
    await until(lambda: display.state.asleep)
    assert display.sleep.record()["currentState"] == "sleeping"
    assert display.sleep.record()["wakeTime"] == "06:00"


async def test_garbled_times(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """Times in another format are read; invalid ones are unknown."""
    display.sleep.sleep_time = "9:5"
    display.sleep.wake_time = "soon"
    await set_up(hass, display_entry)
    assert value(hass, "time", "sleep_time") == "09:05:00"
    assert entity_id(hass, "time", "wake_time") is None


# Days


@pytest.mark.parametrize("profile", SECOND)
async def test_sleep_days(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """The days are set without changing anything else; others, set elsewhere, are unknown."""
    assert value(hass, "select", "sleep_days") == "every_day"
    await act(hass, "switch", "sleep_schedule", "turn_on")
    for option, days in (
        ("weekend", ["sun", "sat"]),
        ("working_days", ["mon", "tue", "wed", "thu", "fri"]),
    ):
        await act(hass, "select", "sleep_days", "select_option", option=option)
        assert value(hass, "select", "sleep_days") == option
        record = display.sleep.record()
        assert (record["days"], record["enabled"]) == (days, True)
    await act(hass, "time", "sleep_time", "set_value", time=time(23, 5))
    assert display.sleep.days == days
    display.sleep.days = ["mon"]
    await setup_display.runtime_data.async_read_device()
    assert value(hass, "select", "sleep_days") == "unknown"
    await act(hass, "select", "sleep_days", "select_option", option="every_day")
    assert value(hass, "select", "sleep_days") == "every_day"
    assert display.sleep.days is None


async def test_days_that_a_display_ignores(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Firmware that does not know of days is told of by an error, and a manual sleep lasts."""
    display.sleep.takes_days = False
    target = {"entity_id": ENTITY_ID}
    await hass.services.async_call("media_player", "turn_off", target, blocking=True)
    with pytest.raises(HomeAssistantError) as error:
        await act(hass, "select", "sleep_days", "select_option", option="weekend")
    assert error.value.translation_key == "display_rejected"
    assert value(hass, "select", "sleep_days") == "every_day"
    assert display.sleep.state == "sleeping"
