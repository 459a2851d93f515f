"""Test interludes and announcements, after which the earlier playlist returns."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.display.hung import Hung
from custom_components.dp1.display.wall import WALLS, Announcement, Wall, async_wall
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import event
from homeassistant.util import dt as dt_util

from tests.displays import settle, state_of, until
from tests.houses import House, series, served, titles
from tests.simulators.display import DisplaySimulator, FaultKind
from tests.simulators.display.clock import ShiftedClock
from tests.timing import DEFAULTS, set_timing

pytestmark = pytest.mark.usefixtures("socket_enabled")

ART = series("Tides", 5)
HOUR = timedelta(hours=1)
MOMENT = {"show_for": {"seconds": 60}}


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    async with House.of(hass, "wall") as house:
        yield house


def wall_of(house: House) -> Wall:
    return async_wall(house.hass, house.entries["wall"].entry_id)


async def ring(house: House, **data: Any) -> None:
    await house.show(
        "wall", media_content_id=f"{house.door}/picture.jpg", **{**MOMENT, **data}
    )
    assert house.hanging("wall") == "picture"


async def wait(house: House, seconds: float = 61) -> None:
    """Advance time when no request is in flight, so that none times out."""
    await settle(house.walls["wall"])
    async_fire_time_changed(house.hass, dt_util.utcnow() + timedelta(seconds=seconds))
    await house.hass.async_block_till_done()
    # The end is sent in the background, which is not waited for there.
    ends = [it for it in asyncio.all_tasks() if it.get_name().endswith(" announcement")]
    await asyncio.gather(*ends)
    await house.hass.async_block_till_done()


async def hang(house: House, place: int = 3) -> None:
    """Cast a shuffled playlist and select a work."""
    await house.phone_casts("wall", ART)
    await house.phone("wall", "moveToArtwork", index=place)
    await house.phone("wall", "setShuffle", enabled=True)
    await house.phone("wall", "setLoop", mode="one")


def assert_back(house: House, work: str = "Tides 4") -> None:
    """Check that work, playlist and modes are those from before."""
    shown = house.walls["wall"].state
    assert shown.playlist_title == "Tides"
    assert sorted(titles(shown.items)) == titles(ART["items"])
    assert shown.current_title == work
    assert shown.shuffle
    assert shown.loop_mode == "one"


async def test_doorbell(house: House) -> None:
    """After the interlude the same work of the same playlist is shown, shuffled and repeated as before."""
    await hang(house)
    await ring(house)
    await wait(house)
    assert_back(house)
    assert not house.walls["wall"].state.asleep
    assert not wall_of(house).is_announcing
    state = house.state("wall")
    assert state.attributes["media_title"] == "Tides 4"
    assert state.attributes["shuffle"] is True
    assert state.attributes["repeat"] == "one"


async def test_a_work_alone(house: House) -> None:
    """A single work of the playlist is shown without a break, and then the playlist continues."""
    await hang(house)
    await house.do("dp1.show_work", "wall", work="Tides 2", **MOMENT)
    wall = house.walls["wall"].state
    assert titles(wall.items) == ["Tides 2"]
    assert wall.items[0]["duration"] == 60
    assert house.attribute("wall", "media_playlist") == "Tides"
    await wait(house)
    assert_back(house)


async def test_the_next_work_alone(house: House) -> None:
    """The next work is shown alone, and what was shown returns."""
    await house.show("wall", playlist=ART, start_at=2)
    await house.do("dp1.show_work", "wall", work="next", **MOMENT)
    assert titles(house.walls["wall"].state.items) == ["Tides 3"]
    await wait(house)
    assert house.hanging("wall") == "Tides 2"


async def test_a_work_alone_of_a_playlist_by_its_url(house: House) -> None:
    """A playlist that was cast by its URL is not changed, and returns by it at its place."""
    async with served(ART) as (url,):
        await house.show("wall", playlist_url=url, start_at=2)
        await house.do("dp1.show_work", "wall", work=3, **MOMENT)
        assert house.hanging("wall") == "Tides 3"
        assert house.walls["wall"].state.playlist_url is None
        await wait(house)
    shown = house.walls["wall"].state
    assert (shown.playlist_url, shown.current_title) == (url, "Tides 2")
    assert (shown.shuffle, shown.loop_mode) == (False, "playlist")


async def forget(house: House) -> None:
    """Restore the interludes from the storage."""
    before = house.hass.data.pop(WALLS)
    for entry_id, wall in before.items():
        await wall.async_save()
        await (fresh := async_wall(house.hass, entry_id)).async_load()
        assert fresh.notes == wall.notes


async def test_doorbell_and_home_assistant_restarts(
    house: House, hass_storage: dict[str, Any]
) -> None:
    """The playlist returns in time after a restart of Home Assistant."""
    await hang(house)
    await ring(house)
    writes = house.walls["wall"].writes
    await forget(house)
    await house.hass.config_entries.async_reload(house.entries["wall"].entry_id)
    await wait(house, 50)
    assert house.walls["wall"].writes == writes
    await wait(house)
    assert_back(house)
    entry_id = house.entries["wall"].entry_id
    assert "announcement" not in hass_storage[f"dp1.display.{entry_id}"]["data"]


async def test_home_assistant_is_down_when_a_moment_ends(house: House) -> None:
    """The playlist returns at startup if the interlude ended before."""
    await hang(house)
    await ring(house, show_for={"milliseconds": 100})
    await house.hass.config_entries.async_unload(house.entries["wall"].entry_id)
    await forget(house)
    await asyncio.sleep(0.15)
    assert house.hanging("wall") == "picture"
    await house.hass.config_entries.async_setup(house.entries["wall"].entry_id)
    await until(lambda: house.walls["wall"].state.loop_mode == "one")
    await house.hass.async_block_till_done()
    assert_back(house)


@pytest.mark.parametrize("over", ["nothing", "a restart"])
async def test_a_clock_that_is_set_back(
    house: House, monkeypatch: pytest.MonkeyPatch, over: str
) -> None:
    """What is shown for a time lasts no longer where the clock is set back meanwhile, or wrong after a restart."""
    await house.show("wall", playlist=ART)
    await ring(house, show_for={"seconds": 1})
    entry_id = house.entries["wall"].entry_id
    if over == "a restart":
        await house.hass.config_entries.async_unload(entry_id)
    set_back(monkeypatch)
    if over == "a restart":
        await forget(house)
        await house.hass.config_entries.async_setup(entry_id)
    await until(lambda: house.hanging("wall") == "Tides 1")


def set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the clock of Home Assistant back by three hours."""
    for module, name in ((dt_util, "utcnow"), (event, "time_tracker_timestamp")):
        before, back = getattr(module, name), timedelta(hours=3)
        ago = back if name == "utcnow" else back.total_seconds()
        monkeypatch.setattr(module, name, lambda b=before, a=ago: b() - a)


@pytest.mark.parametrize("start", ["2027-03-28 00:30", "2026-10-25 00:30"])
async def test_the_clocks_change_while_home_assistant_is_down(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    """An announcement lasts as long as it should, and the sleep schedule stays that of the display, into summer and out of it."""
    await hass.config.async_set_time_zone("Europe/Berlin")
    clock = ShiftedClock(ZoneInfo("Europe/Berlin"))
    moved = datetime.fromisoformat(start).replace(tzinfo=UTC) - datetime.now(UTC)
    clock.shift(moved)
    monkeypatch.setattr(dt_util, "utcnow", lambda: clock.now().astimezone(UTC))
    async with House.of(hass, "wall", clock=clock) as house:
        wall, entry_id = house.walls["wall"], house.entries["wall"].entry_id
        for field, value in (("sleep_time", "01:00:00"), ("wake_time", "02:15:45")):
            entity = f"time.wall_{field}"
            data = {"entity_id": entity, "time": value}
            await hass.services.async_call("time", "set_value", data, blocking=True)
        await house.show("wall", playlist=ART)
        await ring(house, show_for={"hours": 2})
        ends = house.attribute("wall", "dp1")["until"]
        await hass.config_entries.async_unload(entry_id)
        clock.shift(moved + timedelta(hours=1))
        await forget(house)
        writes = wall.writes
        await hass.config_entries.async_setup(entry_id)
        await until(lambda: house.hanging("wall") == "picture")
        assert house.attribute("wall", "dp1")["until"] == ends
        assert wall.sleep.record()["wakeTime"] == "02:15"
        assert state_of(hass, "time.wall_wake_time").state == "02:15:00"
        for rest, work in ((3590, "picture"), (3601, "Tides 1")):
            assert wall.writes == writes
            await settle(wall)
            async_fire_time_changed(hass, datetime.now(UTC) + timedelta(seconds=rest))
            await until(lambda: house.hanging("wall") == work)  # noqa: B023


@pytest.mark.parametrize(
    "document",
    [series("Dunes", 2), series("Rain", 1) | {"title": "Alone", "id": str(uuid4())}],
    ids=["another list", "one of the works"],
)
async def test_the_phone_casts_meanwhile(
    house: House, document: dict[str, Any]
) -> None:
    """A cast from elsewhere during the interlude is not replaced, nor one of its works alone."""
    await hang(house)
    await house.show("wall", playlist=series("Rain", 3), **MOMENT)
    await house.phone_casts("wall", document)
    await wait(house)
    assert house.walls["wall"].state.playlist_title == document["title"]
    assert house.attribute("wall", "media_playlist") == document["title"]


RAIN = series("Rain", 3)


def advance(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let the clock of Home Assistant be later."""
    now, later = dt_util.utcnow, timedelta(seconds=seconds)
    monkeypatch.setattr(dt_util, "utcnow", lambda: now() + later)


@pytest.mark.parametrize("between", ["nothing", "a restart", "a phone"])
async def test_the_doorbell_within_two_hours(
    house: House, monkeypatch: pytest.MonkeyPatch, between: str
) -> None:
    """What is shown for two hours goes on at its place after the bell, and ends in time; what a phone casts meanwhile stays."""
    await hang(house)
    await house.show("wall", playlist=RAIN, show_for={"hours": 2})
    ends = house.attribute("wall", "dp1")["until"]
    await house.do("media_next_track", "wall")
    await ring(house, show_for={"seconds": 30})
    if between == "a restart":
        await forget(house)
        await house.hass.config_entries.async_reload(house.entries["wall"].entry_id)
    if between == "a phone":
        await house.phone_casts("wall", series("Dunes", 2))
        await until(lambda: house.attribute("wall", "dp1")["until"] is None)
    advance(monkeypatch, 31)
    await wait(house, 0)
    goes_on, shown = between != "a phone", house.walls["wall"].state
    assert shown.playlist_title == ("Rain" if goes_on else "Dunes")
    assert not goes_on or shown.current_title == "Rain 2"
    assert house.attribute("wall", "dp1")["until"] == (ends if goes_on else None)
    advance(monkeypatch, 7200)
    await wait(house, 0)
    if goes_on:
        assert_back(house)
    else:
        assert house.walls["wall"].state.playlist_title == "Dunes"
    assert not wall_of(house).is_announcing


async def test_one_that_is_refused_is_passed_over(house: House) -> None:
    """What a display refuses when it is to come back gives way to what is below."""
    await hang(house)
    await house.show("wall", playlist=RAIN, show_for={"hours": 2})
    await ring(house)
    house.walls["wall"].inject(
        FaultKind.STATUS, command="displayPlaylist", status=422, times=1
    )
    await wait(house)
    assert_back(house)
    assert not wall_of(house).is_announcing


async def test_a_restart_before_the_second_is_sent(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is below hangs on, and ends in time."""
    await hang(house)
    await house.show("wall", playlist=RAIN, show_for={"hours": 2})
    wall = wall_of(house)
    first, now = wall.notes.announced[0], dt_util.utcnow()
    later = Announcement(Hung(asked=Playlist("https://x/1")), now + HOUR / 60, now)
    await wall.async_note(announced=(first, later))
    await forget(house)
    await house.hass.config_entries.async_reload(house.entries["wall"].entry_id)
    advance(monkeypatch, 61)
    await wait(house, 0)
    assert house.hanging("wall") == "Rain 1"
    advance(monkeypatch, 7200)
    await wait(house, 0)
    assert_back(house)


async def cannot_sleep(house: House, kind: FaultKind) -> DisplaySimulator:
    """Ring over a display that slept, and let it fail when it is to sleep again."""
    set_timing(push_patience=0.05)
    await hang(house)
    await house.do("turn_off", "wall")
    await ring(house)
    wall = house.walls["wall"]
    for command in ("sleepNow", "setSleepMode"):
        wall.inject(kind, command=command)
    return wall


@pytest.mark.parametrize("between", ["nothing", "a restart", "a phone", "somebody"])
@pytest.mark.parametrize("kind", [FaultKind.RESET, FaultKind.STATUS])
async def test_it_does_not_sleep_at_once(
    house: House, between: str, kind: FaultKind
) -> None:
    """A display that does not answer, or follow, when it is to sleep again is told until it does, unless somebody is there."""
    wall = await cannot_sleep(house, kind)
    await wait(house)
    assert_back(house)
    assert not wall.state.asleep
    match between:
        case "a restart":
            await forget(house)
            entry_id = house.entries["wall"].entry_id
            await house.hass.config_entries.async_reload(entry_id)
        case "a phone":
            await house.phone_casts("wall", series("Dunes", 2))
            await until(lambda: not wall_of(house).notes.sleeps)
        case "somebody":
            await house.do("turn_on", "wall")
    wall.heal()
    await wait(house, 11)
    sleeps = between in ("nothing", "a restart")
    assert wall.state.asleep is sleeps
    assert not wall_of(house).notes.sleeps


async def test_it_never_sleeps_again(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A display that answers, but does not sleep again, stays awake after a while, which is told once."""
    wall = await cannot_sleep(house, FaultKind.STATUS)
    for _ in range(2):
        await wait(house)
        assert wall_of(house).notes.sleeps
    advance(monkeypatch, 700)
    await wait(house, 11)
    assert not wall_of(house).notes.sleeps
    assert caplog.text.count("stays as it is") == 1
    wall.reset_counters()
    await wait(house)
    assert not wall.writes
    assert_back(house)


async def test_an_empty_wall_is_empty_again(house: House) -> None:
    """A display without a playlist is empty again after the interlude."""
    await ring(house)
    await wait(house)
    assert house.walls["wall"].state.current is None
    assert house.state("wall").state == "idle"


async def test_a_display_too_hot_to_tell(house: House) -> None:
    """What was cast last returns where a player with a problem reports no works."""
    await house.show("wall", playlist=ART)
    coordinator = house.entries["wall"].runtime_data
    house.walls["wall"].overheat()
    await until(lambda: coordinator.data.player.error == "overheating")
    await ring(house)
    await wait(house)
    await until(lambda: house.hanging("wall") == "Tides 1")


async def test_a_display_that_gets_too_hot(house: House) -> None:
    """What hung before returns once a player that reported no works at the end is well again."""
    await hang(house)
    await ring(house)
    coordinator = house.entries["wall"].runtime_data
    house.walls["wall"].overheat()
    await until(lambda: coordinator.data.player.error == "overheating")
    await wait(house)
    await house.do("turn_on", "wall")
    await wait(house, 75)
    assert_back(house)


@pytest.mark.parametrize(
    ("patience", "work"), [(DEFAULTS["give_up"], "Tides 4"), (-300.0, "picture")]
)
async def test_a_display_out_of_reach(house: House, patience: float, work: str) -> None:
    """An unreachable display at the end of the interlude is retried, but not for ever."""
    set_timing(give_up=patience)
    await hang(house)
    await ring(house)
    await house.walls["wall"].refuse()
    await wait(house)
    assert house.hanging("wall") == "picture"
    await house.walls["wall"].accept()
    await wait(house, 75)
    assert house.hanging("wall") == work


@pytest.mark.parametrize(
    ("extra", "seconds"),
    [({}, 30), ({"duration": 90}, 90), ({"show_for": "00:01:30"}, 90)],
)
async def test_announce(house: House, extra: dict[str, Any], seconds: int) -> None:
    """An announcement is shown for half a minute by default, or as long as is asked."""
    await hang(house)
    await house.play("wall", f"{house.door}/picture.jpg", announce=True, extra=extra)
    await wait(house, seconds - 10)
    assert house.hanging("wall") == "picture"
    await wait(house, seconds + 1)
    assert_back(house)


async def test_announce_without_sense(house: House) -> None:
    """An invalid duration is refused."""
    with pytest.raises(ServiceValidationError) as raised:
        await house.play(
            "wall",
            f"{house.door}/picture.jpg",
            announce=True,
            extra={"duration": "soon"},
        )
    assert raised.value.translation_key == "not_a_duration"


async def test_a_removed_display_is_forgotten(
    house: House, hass_storage: dict[str, Any]
) -> None:
    """The stored interlude of a removed display is deleted."""
    await hang(house)
    await ring(house)
    entry = house.entries["wall"]
    await entry.runtime_data.wall.async_save()
    assert f"dp1.display.{entry.entry_id}" in hass_storage
    await house.hass.config_entries.async_remove(entry.entry_id)
    assert f"dp1.display.{entry.entry_id}" not in hass_storage


async def test_a_display_that_is_set_up_again_while_it_is_sent(house: House) -> None:
    """The end is that of the display as it is set up now: its lists are kept again."""
    await hang(house)
    wall, entry = house.walls["wall"], house.entries["wall"]
    slow = wall.inject(FaultKind.SLOW, command="displayPlaylist", times=1, seconds=1)
    sent = house.hass.async_create_task(ring(house))
    await until(lambda: slow.hits)
    await house.hass.config_entries.async_reload(entry.entry_id)
    await sent
    assert house.attribute("wall", "dp1")["until"]
    await wait(house)
    assert_back(house)
    assert not house.attribute("wall", "dp1")["until"]
    assert not entry.runtime_data.wall.is_announcing


@pytest.mark.parametrize("kind", [FaultKind.HANG, FaultKind.SLOW])
async def test_a_display_that_is_removed_during_a_cast(
    house: House, hass_storage: dict[str, Any], kind: FaultKind
) -> None:
    """What lasted there does not come back, and nothing is stored of it, whether the cast fails or is late."""
    await hang(house)
    await ring(house)
    wall, entry = house.walls["wall"], house.entries["wall"]
    fault = wall.inject(kind, command="displayPlaylist", times=1, seconds=1)
    sent = house.hass.async_create_task(house.show("wall", playlist=ART))
    await until(lambda: fault.hits)
    await house.hass.config_entries.async_remove(entry.entry_id)
    await asyncio.gather(sent, return_exceptions=True)
    await wait(house)
    assert not any(wall.is_announcing for wall in house.hass.data[WALLS].values())
    assert f"dp1.display.{entry.entry_id}" not in hass_storage


async def test_a_display_that_cannot_tell(hass: HomeAssistant) -> None:
    """On a display that does not report its playlist the last cast returns, if there is one."""
    async with House.of(hass, "wall", profile="legacy") as house:
        with pytest.raises(ServiceValidationError) as raised:
            await house.show(
                "wall", media_content_id=f"{house.door}/picture.jpg", **MOMENT
            )
        assert raised.value.translation_key == "display_cannot"
        await house.show("wall", playlist=ART)
        await ring(house)
        await wait(house)
        assert house.walls["wall"].state.playlist_title == "Tides"


async def test_a_reload_while_a_display_hangs(house: House) -> None:
    """The end of an interlude that is being sent to a display that hangs holds up no reload, and comes after it."""
    await hang(house)
    await ring(house)
    wall, entry_id = house.walls["wall"], house.entries["wall"].entry_id
    slow = wall.inject(FaultKind.SLOW, command="displayPlaylist", seconds=30)
    async_fire_time_changed(house.hass, dt_util.utcnow() + timedelta(seconds=61))
    await until(lambda: slow.hits)
    await house.hass.config_entries.async_reload(entry_id)
    assert wall.server.in_flight
    wall.heal()
    async_fire_time_changed(house.hass, dt_util.utcnow() + timedelta(seconds=61))
    await until(lambda: house.hanging("wall") == "Tides 1")
