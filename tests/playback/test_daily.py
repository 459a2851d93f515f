"""Test the Daily on displays: a day changes, with firmware that knows `displayAt` and without."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
    async_fire_time_changed,
)

from custom_components.dp1.display import wall as lasting
from custom_components.dp1.display.wall import WALLS, Wall, async_wall
from custom_components.dp1.library.libraries import CHANGED
from custom_components.dp1.library.providers import daily as providers_daily
from custom_components.dp1.playback import daily as module
from custom_components.dp1.storage import async_remove_files
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

from tests.client.scripted_server import Reply, Request, ScriptedServer
from tests.displays import (
    entry_of,
    name_hosts,
    playlist,
    set_up,
    settle,
    state_of,
    until,
)
from tests.flows import begin_options, fill
from tests.libraries import library_entry
from tests.simulators.display import DisplaySimulator
from tests.simulators.display.clock import ShiftedClock

TOKYO, LISBON = ZoneInfo("Asia/Tokyo"), ZoneInfo("Europe/Lisbon")
# The days are ahead of the real time, so that timers are still to come.
FIRST = datetime.now(UTC).date() + timedelta(days=10)
KEY = "385f79b6-a45f-4c1c-8080-e93a192adccc"


def daily(*days: int, evergreen: bool = False) -> dict[str, Any]:
    """Return a Daily as its feed has it: without `schedule`, in local time."""
    items = [
        {
            "id": f"5d0c9d5e-0000-4000-8000-{day:012}",
            "title": f"Day {day}",
            "source": f"https://art.example.org/{day}",
            "duration": 300,
            "license": "open",
            "displayAt": f"{FIRST + timedelta(days=day)}T00:00:00",
        }
        for day in days
    ]
    if evergreen:
        items.insert(0, {**items[0], "id": None, "title": "Always"})
        del items[0]["displayAt"], items[0]["id"]
    return {"dpVersion": "1.1.0", "id": KEY, "title": "The Daily", "items": items}


@dataclass
class Days:
    """A library with a Daily, displays, and a time that moves."""

    hass: HomeAssistant
    server: ScriptedServer
    entry: MockConfigEntry
    document: dict[str, Any]
    reply: Reply | None = None
    walls: dict[str, DisplaySimulator] = field(default_factory=dict)
    entries: dict[str, MockConfigEntry] = field(default_factory=dict)
    clocks: list[ShiftedClock] = field(default_factory=list)
    offset: timedelta = timedelta()

    def now(self, _zone: tzinfo | None = None) -> datetime:
        """Return the moved time."""
        return datetime.now(UTC) + self.offset

    async def move(self, when: datetime) -> None:
        """Move the time."""
        for wall in self.walls.values():
            await settle(wall)
        self.offset = when - datetime.now(UTC)
        for clock in self.clocks:
            clock.shift(self.offset)
        async_fire_time_changed(self.hass, when + timedelta(milliseconds=600))
        await self.hass.async_block_till_done()

    async def show(self, *names: str, **data: Any) -> Any:
        return await self.hass.services.async_call(
            "dp1",
            "cast_playlist",
            {
                "entity_id": [f"media_player.{name}" for name in names],
                "media_content_id": "dp1://daily",
                **data,
            },
            blocking=True,
            return_response=True,
        )

    def titles(self, name: str) -> list[str]:
        """Return the titles of the works of a display."""
        return [item["title"] for item in self.walls[name].state.items]

    def state(self, name: str) -> State:
        return state_of(self.hass, f"media_player.{name}")

    def sent(self, name: str) -> int:
        """Return how many casts a display got."""
        return self.walls[name].caster._counters.starts


def call_later(hass: HomeAssistant, delay: float, action: Any) -> CALLBACK_TYPE:
    """Call an action once the moved time has come, as durations move along with it."""
    when = dt_util.utcnow() + timedelta(seconds=delay)
    return async_track_point_in_utc_time(hass, action, when)


@asynccontextmanager
async def days(
    hass: HomeAssistant, document: dict[str, Any], **walls: tuple[str, tzinfo]
) -> AsyncIterator[Days]:
    """Set up a library and displays by name, with firmware and time zone."""
    house: Days

    def answer(request: Request) -> Reply:
        return house.reply or Reply(200, house.document)

    await hass.config.async_set_time_zone(str(LISBON))
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(ScriptedServer.run(answer))
        url = f"{server.url}/api/v1/playlists/daily-1"
        entry = library_entry(None, None, options={"daily_url": url})
        house = Days(hass, server, entry, document)
        stack.enter_context(patch.object(dt_util, "utcnow", house.now))
        stack.enter_context(patch.object(lasting, "async_call_later", call_later))
        for number, (name, (profile, zone)) in enumerate(walls.items()):
            clock = ShiftedClock(zone)
            wall = await stack.enter_async_context(
                DisplaySimulator(
                    profile=profile,
                    device_id=f"FF1-{number:08}",
                    poll_interval=0.1,
                    page_delay=0.02,
                    storm_gate=False,
                    clock=clock,
                )
            )
            wall.caster.preflight = False
            house.walls[name], house.clocks = wall, [*house.clocks, clock]
            house.entries[name] = entry_of(
                wall,
                unique_id=f"FF1-{number:08}",
                title=name.capitalize(),
            )
            await set_up(hass, house.entries[name])
        await set_up(hass, entry)
        await until(lambda: entry.runtime_data.daily.document)
        yield house


def at(day: int, time: str, zone: tzinfo) -> datetime:
    return datetime.fromisoformat(f"{FIRST + timedelta(days=day)}T{time}").replace(
        tzinfo=zone
    )


@pytest.mark.usefixtures("socket_enabled")
@pytest.mark.parametrize("has_moved", [False, True])
async def test_a_day_changes(hass: HomeAssistant, has_moved: bool) -> None:
    """A display that knows times changes at midnight by its own clock, also without a URL, as the works have moved; another is given the work of each day."""
    document = daily(*range(100))
    for item in document["items"] if has_moved else ():
        item["source"] = f"https://cdn.feralfileassets.com/{item['id']}/"
    method = "inline" if has_moved else "url"
    async with days(
        hass,
        document,
        east_new=("B", TOKYO),
        new=("B", LISBON),
        old=("A", LISBON),
        older=("A1", LISBON),
        # It only takes casts.
        silent=("legacy", LISBON),
    ) as house:
        await house.move(at(3, "12:00:00", UTC))
        told = await house.show(*house.walls)
        methods = [told[f"media_player.{name}"]["method"] for name in house.walls]
        assert methods == [method, method, "inline", "inline", "inline"]
        for name in house.walls:
            await until(lambda: house.titles(name) == ["Day 3"])  # noqa: B023
        sent = {name: house.sent(name) for name in [*house.walls][:-1]}
        # The old ones were found out by what they reported.
        assert sent == {"east_new": 1, "new": 1, "old": 2, "older": 2}
        await until(lambda: house.state("old").attributes.get("source") == "The Daily")
        assert house.state("new").attributes["source"] == "The Daily"

        # Midnight in Tokyo comes first. Who ignores times follows the clock of Home Assistant.
        await house.move(at(4, "00:00:01", TOKYO))
        await until(lambda: house.titles("east_new") == ["Day 4"])
        assert house.titles("new") == ["Day 3"]
        await house.move(at(4, "00:00:01", LISBON))
        await until(lambda: house.titles("new") == ["Day 4"])
        await house.move(at(4, "12:00:00", UTC))
        for name in house.walls:
            await until(lambda: house.titles(name) == ["Day 4"])  # noqa: B023
            source = house.walls[name].state.items[0]["source"]
            assert ("artworks.feralfile.io" in source) is has_moved
        sent |= {"old": 3, "older": 3}
        assert sent == {name: house.sent(name) for name in sent}

        # A display that is known to be old is not given the archive again.
        await house.show("old")
        assert (house.sent("old"), house.titles("old")) == (4, ["Day 4"])


@pytest.mark.usefixtures("socket_enabled")
async def test_nobody_hears_of_the_archive(hass: HomeAssistant) -> None:
    """The works that old firmware shows until it is found out are no news."""
    async with days(hass, daily(*range(9)), wall=("A1", LISBON)) as house:
        await house.move(at(3, "12:00:00", LISBON))
        events = async_capture_events(hass, "dp1_work_changed")
        await house.show("wall")
        await until(lambda: house.titles("wall") == ["Day 3"])
        await until(lambda: events)
        await settle(house.walls["wall"])
        assert [event.data["title"] for event in events] == ["Day 3"]


@pytest.mark.usefixtures("socket_enabled")
@pytest.mark.parametrize("wall", ["B", "A1", "legacy"])
async def test_no_work_for_today(hass: HomeAssistant, wall: str) -> None:
    """Before the first work and long after the last, nothing is sent and the reason is told; works without a time stay."""
    async with days(hass, daily(1, 2, evergreen=True), wall=(wall, LISBON)) as house:
        await house.move(at(0, "12:00:00", LISBON))
        with pytest.raises(HomeAssistantError, match="no work yet") as told:
            await house.show("wall")
        assert str(FIRST + timedelta(days=1)) in str(told.value)
        await house.move(at(2, "23:00:00", LISBON))
        await house.show("wall")
        if wall != "legacy":
            await until(lambda: house.titles("wall") == ["Always", "Day 2"])
        sent = house.sent("wall")
        await house.move(at(3, "13:00:00", LISBON))
        with pytest.raises(HomeAssistantError, match="run out"):
            await house.show("wall")
        assert house.sent("wall") == sent


@pytest.mark.usefixtures("socket_enabled")
async def test_a_hidden_day(hass: HomeAssistant) -> None:
    """A work that is hidden is not shown on its day, neither in the list nor by itself; the next one is."""
    async with days(
        hass, daily(*range(9)), new=("B", LISBON), old=("A1", LISBON)
    ) as house:
        await house.move(at(3, "12:00:00", LISBON))
        await house.show("new")
        await until(lambda: house.state("new").attributes.get("media_title") == "Day 3")
        target = {"entity_id": "media_player.new"}
        await hass.services.async_call("dp1", "hide_work", target, blocking=True)
        assert "Day 3" not in house.titles("new")
        with pytest.raises(HomeAssistantError, match="hidden"):
            await house.show("old")
        await house.move(at(4, "12:00:00", LISBON))
        await house.show("old")
        for name in house.walls:
            await until(lambda: house.titles(name) == ["Day 4"])  # noqa: B023


@pytest.mark.usefixtures("socket_enabled")
async def test_announced_queued_and_late(hass: HomeAssistant) -> None:
    """Shown for a while or added to the queue it is today's work alone; it returns after an announcement."""
    async with days(hass, daily(*range(9)), wall=("A1", LISBON)) as house:
        wall = house.walls["wall"]
        await house.move(at(2, "23:59:00", LISBON))
        wall.player.load(playlist("Dawn", "Noon"))
        await until(lambda: house.state("wall").attributes.get("media_title") == "Dawn")
        await hass.services.async_call(
            "media_player",
            "play_media",
            {
                "entity_id": "media_player.wall",
                "media_content_type": "playlist",
                "media_content_id": f"media-source://dp1/{house.entry.entry_id}/daily",
                "enqueue": "add",
            },
            blocking=True,
        )
        await until(lambda: house.titles("wall") == ["Dawn", "Noon", "Day 2"])
        await house.show("wall", show_for="00:00:30")
        await until(lambda: house.titles("wall") == ["Day 2"])
        await house.move(at(2, "23:59:40", LISBON))
        await until(lambda: house.titles("wall") == ["Dawn", "Noon", "Day 2"])

        await house.show("wall")
        await until(lambda: house.titles("wall") == ["Day 2"])
        await house.show(
            "wall", show_for="00:01:00", media_content_id="https://x/1.png"
        )
        await until(lambda: house.titles("wall") == ["1"])
        await house.move(at(3, "00:00:01", LISBON))
        assert house.titles("wall") == ["1"]
        await house.move(at(3, "00:01:30", LISBON))
        await until(lambda: house.titles("wall") == ["Day 2"])


@pytest.mark.usefixtures("socket_enabled")
async def test_archive_that_appears_late(hass: HomeAssistant) -> None:
    """A display that takes long to report its works is found out when it does, and so it is remembered."""
    async with days(hass, daily(*range(9)), wall=("A1", LISBON)) as house:
        wall = house.walls["wall"]
        entry_id = house.entries["wall"].entry_id
        await house.move(at(2, "12:00:00", LISBON))
        with patch.object(module, "_plays_all", return_value=False):
            told = await house.show("wall")
        assert told["media_player.wall"]["method"] == "url"
        wall.player.handle("moveToArtwork", {"index": 5})
        await house.entries["wall"].runtime_data.async_read_player()
        await until(lambda: house.titles("wall") == ["Day 2"])
        await settle(wall)
        fresh = Wall(hass, entry_id)
        await fresh.async_load()
        assert fresh.notes.ignores_times == wall.firmware.version
        # The display is removed, with what was remembered of it.
        await hass.config_entries.async_remove(entry_id)
        assert entry_id not in hass.data[WALLS]


@pytest.mark.usefixtures("socket_enabled")
async def test_a_daily_that_cannot_be_shown(hass: HomeAssistant) -> None:
    """A Daily that cannot be read, and one without days, say so; nothing is sent."""
    async with days(hass, daily(1, 2), wall=("B", LISBON)) as house:
        await house.move(at(2, "12:00:00", LISBON))
        provider = house.entry.runtime_data.daily
        house.document = {**house.document, "items": playlist("Dawn")["items"]}
        await provider.async_refresh()
        with pytest.raises(HomeAssistantError) as raised:
            await house.show("wall")
        assert raised.value.translation_key == "daily_without_days"
        # Without what was stored, the library has never read it.
        house.reply = Reply(500)
        assert await hass.config_entries.async_unload(house.entry.entry_id)
        await async_remove_files(hass, f"library.{house.entry.entry_id}.")
        assert await hass.config_entries.async_setup(house.entry.entry_id)
        with pytest.raises(HomeAssistantError, match="reports an error"):
            await house.show("wall")
        assert house.sent("wall") == 0


@pytest.mark.usefixtures("socket_enabled")
async def test_a_next_daily_that_is_refused(hass: HomeAssistant) -> None:
    """Its address is sent once, and not again with each push."""
    async with days(hass, daily(1, 2, 3), wall=("B", LISBON)) as house:
        wall = house.walls["wall"]
        await house.move(at(2, "12:00:00", LISBON))
        await house.show("wall")
        moved = SimpleNamespace(
            url=f"{house.entry.runtime_data.daily.url}&next", document=None
        )
        wall.inject("status", command="displayPlaylist", status=500)
        with patch.object(module, "_daily_at", return_value=moved):
            before = wall.commands.count("displayPlaylist")
            for enabled in (True, False, True, False):
                wall.player.handle("setShuffle", {"enabled": enabled})
                await until(
                    lambda enabled=enabled: (
                        state_of(hass).attributes["shuffle"] is enabled
                    )
                )
                await settle(wall)
            assert wall.commands.count("displayPlaylist") - before == 1


@pytest.mark.usefixtures("socket_enabled")
async def test_what_the_app_of_the_vendor_uses(
    hass: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The vendor is asked when the owner says so and when the Daily runs out; displays that show it go on with the next."""
    told: Reply = Reply(500)

    def answer(request: Request) -> Reply:
        """Return the configuration of the app, or one of its playlists."""
        if request.path == "/ff-app.json":
            return told
        start = int(request.path.rpartition("=")[2] or 0) if "=" in request.path else 0
        return Reply(
            200, {**daily(*range(start, start + 5)), "id": f"{KEY[:-1]}{start}"}
        )

    async def choose(**values: Any) -> Any:
        """Fill in the form."""
        form = await begin_options(hass, house.entry.entry_id, "own_art")
        return await fill(hass, form, daily_from_vendor=True, **values)

    async with days(hass, daily(0), new=("B", LISBON), old=("A1", LISBON)) as house:
        house.server.script[:] = [answer]
        base, gone = house.server.url, f"{house.server.url}/nothing.json"
        own = house.entry.options["daily_url"]
        configs = (gone, f"{base}/ff-app.json")
        monkeypatch.setattr(providers_daily, "VENDOR_CONFIGS", configs)

        def told_url() -> str:
            return str(house.entry.options["daily_url"])

        # Nothing at home is asked on behalf of a configuration, and what cannot be read counts as nothing.
        told = Reply(200, {"daily": {"playlist_url": f"{base}/p?key=0"}})
        assert (await choose())["errors"] == {"daily_from_vendor": "daily_not_told"}
        options = house.entry.options
        at_home = {"daily_url": f"{base}/home", "daily_from_vendor": True}
        for values in (at_home, {}):
            hass.config_entries.async_update_entry(
                house.entry, options={**options, **values}
            )
            await hass.config_entries.async_reload(house.entry.entry_id)
            await house.entry.runtime_data.daily.async_refresh()
        assert "/home" not in [it.path for it in house.server.requests]
        await name_hosts(hass, base)
        for broken in (Reply(200, b"<p>"), Reply(200, {"daily": {"playlist_url": 5}})):
            told = broken
            assert (await choose())["errors"] == {"daily_from_vendor": "daily_not_told"}
        assert (await choose(daily_url=own))["type"] == "create_entry"
        assert told_url() == own

        told = Reply(200, {"daily": {"playlist_url": f"{base}/p?key=0"}, "api": "x"})
        await choose()
        assert told_url() == f"{base}/p?key=0"
        await until(lambda: house.entry.runtime_data.daily.document)
        await house.move(at(4, "12:00:00", LISBON))
        await house.show("new", "old")
        for name in ("new", "old"):
            await until(lambda name=name: house.titles(name) == ["Day 4"])

        # It has run out, and the vendor cannot be asked: the last one counts.
        told = Reply(500)
        await house.move(at(6, "12:00:01", LISBON))
        await house.entry.runtime_data.daily.async_refresh()
        assert told_url() == f"{base}/p?key=0"
        assert house.titles("old") == ["Day 4"]

        told = Reply(200, {"daily": {"playlist_url": f"{base}/p?key=5"}})
        sent = len(house.server.requests)
        await house.entry.runtime_data.daily.async_refresh()
        assert told_url() == f"{base}/p?key=5"
        await house.move(at(6, "12:00:10", LISBON))
        for name in ("new", "old"):
            await until(lambda name=name: house.titles(name) == ["Day 6"])
        assert house.walls["new"].state.playlist_url == f"{base}/p?key=5"
        # As long as there is a work for today, the vendor is left alone.
        await house.entry.runtime_data.daily.async_refresh()
        asked = [it.path for it in house.server.requests[sent:]]
        assert asked.count("/ff-app.json") == 1
        sensor = "sensor.library_the_daily"
        await until(lambda: state_of(hass, sensor).state == "Day 6")
        said = [it.message for it in caplog.records if "dp1" in it.name]
        assert said and not any("key=" in text for text in said)


@pytest.mark.usefixtures("socket_enabled")
async def test_a_daily_that_moves(hass: HomeAssistant) -> None:
    """A display that shows something else by now is left alone, and so from then on."""
    async with days(hass, daily(*range(9)), wall=("B", LISBON)) as house:
        wall, entry_id = house.walls["wall"], house.entries["wall"].entry_id
        await house.move(at(2, "12:00:00", LISBON))
        await house.show("wall")
        wall_notes = async_wall(hass, entry_id)
        assert wall_notes.notes.daily == house.entry.options["daily_url"]
        sent = house.sent("wall")
        wall.player.load(playlist("Dawn"))
        provider = house.entry.runtime_data.daily
        provider.former, provider.url = provider.url, f"{house.server.url}/p?key=5"
        async_dispatcher_send(hass, CHANGED)
        await until(lambda: wall_notes.notes.daily is None)
        assert (house.sent("wall"), house.titles("wall")) == (sent, ["Dawn"])
