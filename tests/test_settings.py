"""Test numbers, selects, switches and times, with every generation of firmware."""

import asyncio
from collections.abc import Callable
from datetime import time
from itertools import permutations
from typing import Any

import pytest

from homeassistant.exceptions import HomeAssistantError

from .displays import FIRMWARE, settle, until
from .simulators.display import DisplaySimulator, FaultKind
from .timing import FAST
from .walls import Wall

TURNS = ("landscape", "portrait", "landscape_reverse", "portrait_reverse")
WIRE = {
    "landscape": "landscape",
    "portrait": "portrait",
    "landscape_reverse": "landscapeReverse",
    "portrait_reverse": "portraitReverse",
}

type Read = Callable[[DisplaySimulator], Any]


def setting(name: str) -> Read:
    """Return what reads a setting of the player."""
    return lambda display: display.state.settings.get(name)


def panel(name: str) -> Read:
    """Return what reads a setting of the monitor."""
    return lambda display: display.device.panel.values[name]


def requests(wall: Wall, command: str) -> list[dict[str, Any] | None]:
    """Return the arguments of all commands of a name."""
    return [it.request for it in wall.display.received if it.command == command]


async def choose(wall: Wall, key: str, option: str) -> None:
    await wall.act("select", key, "select_option", option=option)


def is_on(read: Read) -> Read:
    """Return what reads a switch as the states are written."""
    return lambda display: "on" if read(display) else "off"


# Choices, numbers and switches, with what they are at first.
SETTINGS: list[tuple[str, str, Any, list[Any], Read]] = [
    ("select", "scaling", "fit", ["fill", "stretch", "auto", "fit"], setting("scaling")),
    ("select", "museum_label", "timed", ["on", "off", "timed"], setting("tombstone")),
    ("number", "seconds_per_work", 0, [600, 90], setting("defaultDuration")),
    ("number", "panel_brightness", 65, [30], panel("brightness")),
    ("number", "panel_contrast", 70, [30], panel("contrast")),
    ("number", "panel_volume", 40, [30], panel("volume")),
    ("number", "margin", 0, [24], setting("margin")),
    ("switch", "panel", "on", ["off", "on"], is_on(lambda it: it.device.panel.values["power"] == "on")),
    ("switch", "sleep_schedule", "off", ["on", "off"], is_on(lambda it: it.sleep.record()["enabled"])),
    ("switch", "mature_content", "on", ["off", "on"], is_on(lambda it: it.caster.policy.show_mature)),
]  # fmt: skip
LATER = {"margin", "mature_content"}


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_settings(wall: Wall, profile: str) -> None:
    """A setting is read and set, lasts longer than the work, and changes nothing else."""
    wall.display.caster.policy.strict_personal = True
    for platform, key, first, values, read in SETTINGS:
        if profile != "B" and key in LATER:
            continue
        known: Any = await wall.known(platform, key)
        assert (float(known) if platform == "number" else known) == first, key
        for value in values:
            match platform:
                case "select":
                    await choose(wall, key, value)
                case "number":
                    await wall.act("number", key, "set_value", value=value)
                case _:
                    await wall.act("switch", key, f"turn_{value}")
            shown: Any = wall.shown(platform, key).state
            shown = float(shown) if platform == "number" else shown
            assert shown == value == read(wall.display), key
        if platform == "select":
            options = wall.shown("select", key).attributes["options"]
            assert {*options} == {*values}
    record = wall.display.sleep.record()
    assert (record["sleepTime"], record["wakeTime"]) == ("22:00", "07:30")
    assert wall.display.caster.policy.strict_personal is True
    asked = requests(wall, "updateDisplaySettings")
    assert asked[0] == {"isSaved": True, "scaling": "fill"}


async def test_a_setting_of_the_phone_shows(wall: Wall) -> None:
    """A change by another client is shown; a value of newer firmware is unknown."""
    for chosen, seen in (("stretch", "stretch"), ("kaleidoscope", "unknown")):
        wall.display.player.settings.saved["scaling"] = chosen
        await until(lambda seen=seen: wall.value("select", "scaling") == seen)


# Orientation


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_every_orientation_from_every_other(wall: Wall) -> None:
    """Every orientation is reached with at most two rotations, and the current one with none."""
    display = wall.display
    assert wall.shown("select", "orientation").attributes["options"] == list(TURNS)
    await choose(wall, "orientation", "landscape")
    assert not requests(wall, "rotate")
    for start, end in permutations(TURNS, 2):
        display.device.orientation = WIRE[start]
        display.reset_counters()
        await choose(wall, "orientation", end)
        assert wall.value("select", "orientation") == end
        assert display.device.orientation == WIRE[end]
        assert len(requests(wall, "rotate")) <= 2


async def test_the_last_of_many_orientations_wins(wall: Wall) -> None:
    """Of twenty selections at the same time the last counts, with few rotations."""
    target = {"entity_id": wall.entity_id("select", "orientation")}
    for number in range(20):
        option = {"option": TURNS[number % 4]}
        await wall.hass.services.async_call("select", "select_option", target | option)
    await wall.hass.async_block_till_done()
    await until(lambda: wall.display.device.orientation == WIRE[TURNS[3]])
    await until(lambda: wall.value("select", "orientation") == TURNS[3])
    assert len(requests(wall, "rotate")) <= 4


# Numbers


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_works_without_end(wall: Wall) -> None:
    """Works without a duration are shown without end for 0."""
    for seconds in (90, 0):
        await wall.act("number", "seconds_per_work", "set_value", value=seconds)
    assert float(wall.shown("number", "seconds_per_work").state) == 0
    assert wall.display.state.settings.get("defaultDuration") is None
    assert requests(wall, "updateDefaultDuration")[-1] == {"durationSeconds": None}


async def test_a_margin_in_another_unit(wall: Wall) -> None:
    """The margin is in pixels; one with another unit is unknown."""
    for margin, seen in (("5%", "unknown"), ("12px", "12.0")):
        wall.display.player.settings.saved["margin"] = margin
        await until(lambda seen=seen: wall.value("number", "margin") == seen)


async def test_a_panel_that_knows_little(bare: Wall) -> None:
    """A panel has the entities of its settings."""
    bare.display.device.panel.values = {"brightness": 50}
    await bare.set_up()
    assert float(await bare.known("number", "panel_brightness")) == 50
    assert bare.entity_id("number", "panel_contrast") is None
    assert bare.entity_id("switch", "panel") is None


# Times


@pytest.mark.parametrize("profile", FIRMWARE)
@pytest.mark.parametrize("is_on", [False, True])
async def test_times(wall: Wall, is_on: bool) -> None:
    """Both times are set without changing anything else; a schedule that is on stays on."""
    await wall.act("switch", "sleep_schedule", f"turn_{'on' if is_on else 'off'}")
    assert wall.value("time", "sleep_time") == "22:00:00"
    await wall.act("time", "sleep_time", "set_value", time=time(23, 5))
    assert wall.value("time", "sleep_time") == "23:05:00"
    await wall.act("time", "wake_time", "set_value", time=time(6, 0))
    assert wall.value("time", "wake_time") == "06:00:00"
    record = wall.display.sleep.record()
    assert (record["sleepTime"], record["wakeTime"]) == ("23:05", "06:00")
    assert record["enabled"] is is_on


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_times_do_not_wake(wall: Wall) -> None:
    """Setting a time does not wake a display that was put to sleep."""
    await wall.do("turn_off")
    await wall.act("time", "wake_time", "set_value", time=time(6, 0))
    await until(lambda: wall.display.state.asleep)
    assert wall.display.sleep.record()["currentState"] == "sleeping"
    assert wall.display.sleep.record()["wakeTime"] == "06:00"


async def test_garbled_times(bare: Wall) -> None:
    """Times in another format are read; invalid ones are unknown."""
    bare.display.sleep.sleep_time = "9:5"
    bare.display.sleep.wake_time = "soon"
    await bare.set_up()
    assert bare.value("time", "sleep_time") == "09:05:00"
    assert bare.entity_id("time", "wake_time") is None


async def test_sleep_days(wall: Wall) -> None:
    """The days are set without changing anything else; others, set elsewhere, are unknown."""
    sleep = wall.display.sleep
    assert wall.value("select", "sleep_days") == "every_day"
    await wall.act("switch", "sleep_schedule", "turn_on")
    for option, days in (
        ("weekend", ["sun", "sat"]),
        ("working_days", ["mon", "tue", "wed", "thu", "fri"]),
    ):
        await choose(wall, "sleep_days", option)
        assert wall.value("select", "sleep_days") == option
        record = sleep.record()
        assert (record["days"], record["enabled"]) == (days, True)
    await wall.act("time", "sleep_time", "set_value", time=time(23, 5))
    assert sleep.days == days
    sleep.days = ["mon"]
    await wall.coordinator.async_read_device()
    assert wall.value("select", "sleep_days") == "unknown"
    await choose(wall, "sleep_days", "every_day")
    assert wall.value("select", "sleep_days") == "every_day"
    assert sleep.days is None


# What is refused


async def refusal(
    wall: Wall, platform: str, key: str, action: str, **data: Any
) -> str | None:
    """Return the key of the error of an action."""
    with pytest.raises(HomeAssistantError) as caught:
        await wall.act(platform, key, action, **data)
    return caught.value.translation_key


async def test_a_panel_that_refuses(wall: Wall) -> None:
    """A setting that the panel refuses is an error, and not shown."""
    await wall.known("number", "panel_brightness")
    wall.display.inject(FaultKind.STATUS, command="ddcPanelControl", status=500)
    key = await refusal(wall, "number", "panel_brightness", "set_value", value=10)
    assert key == "display_rejected"
    assert float(wall.shown("number", "panel_brightness").state) == 65


async def test_times_that_are_refused(
    wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times that are equal to the minute, and one for a schedule that is gone, are refused before anything is sent."""
    for at in (time(7, 30), time(7, 30, 45)):
        key = await refusal(wall, "time", "sleep_time", "set_value", time=at)
        assert key == "same_times"
    monkeypatch.setattr(wall.display.sleep, "record", lambda: None)
    key = await refusal(wall, "time", "sleep_time", "set_value", time=time(21, 0))
    assert key == "no_schedule"
    assert not requests(wall, "setSleepSchedule")


async def test_days_that_a_display_ignores(wall: Wall) -> None:
    """Firmware that does not know of days is told of by an error, and a manual sleep lasts."""
    wall.display.sleep.takes_days = False
    await wall.do("turn_off")
    key = await refusal(wall, "select", "sleep_days", "select_option", option="weekend")
    assert key == "display_rejected"
    assert wall.value("select", "sleep_days") == "every_day"
    assert wall.display.sleep.state == "sleeping"


# What a display admits only now and then


@pytest.mark.parametrize("storm_gate", [True])
@pytest.mark.parametrize("timing", [dict(FAST, pace=1)])
async def test_an_edited_schedule_holds_up_nothing_else(wall: Wall) -> None:
    """The second edit waits, and neither the volume nor who turns the display off waits with it."""
    display, times = wall.display, {"sleep_time": time(23, 5), "wake_time": time(8, 5)}
    async with asyncio.TaskGroup() as edits:
        for key, at in times.items():
            edits.create_task(wall.act("time", key, "set_value", time=at))
        await until(lambda: requests(wall, "setSleepSchedule"))
        await wall.do("volume_set", volume_level=0.4)
        assert display.state.volume == 40
        await wall.do("turn_off")
        assert display.sleep.state == "sleeping"
        assert len(requests(wall, "setSleepSchedule")) == 1
    record = display.sleep.record()
    assert (record["sleepTime"], record["wakeTime"]) == ("23:05", "08:05")
    assert display.sleep.state == "sleeping"


@pytest.mark.parametrize("storm_gate", [True])
@pytest.mark.parametrize("timing", [dict(FAST, pace=1)])
@pytest.mark.parametrize("profile", ["A1"])
async def test_a_rotation_that_has_to_wait(wall: Wall) -> None:
    """Older firmware takes two in twelve seconds: the third is waited for, and what would take longer is refused in words."""
    await choose(wall, "orientation", TURNS[1])
    await choose(wall, "orientation", TURNS[3])
    assert wall.display.device.orientation == WIRE[TURNS[3]]
    data = {"option": TURNS[1]}
    key = await refusal(wall, "select", "orientation", "select_option", **data)
    assert key == "display_busy"
    assert wall.display.device.orientation == WIRE[TURNS[3]]


@pytest.mark.parametrize("profile", FIRMWARE)
@pytest.mark.parametrize("timing", [dict(FAST, poll_interval=0.5)])
async def test_seconds_per_work_that_nobody_pushes(wall: Wall) -> None:
    """What a phone sets is read with each poll, and no push without it takes what was read for cleared."""
    await wall.load()
    await wall.known("number", "seconds_per_work")
    for seconds in (600, 90, 0):
        await wall.act("number", "seconds_per_work", "set_value", value=seconds)
        wall.move(seconds % 7 % 3)
        await settle(wall.display)
        assert float(wall.value("number", "seconds_per_work") or -1) == seconds
        wall.display.player.handle("updateDefaultDuration", {"durationSeconds": 45})
        await until(lambda: wall.value("number", "seconds_per_work") == "45.0")
