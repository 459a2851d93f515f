"""Test the Daily of a library: its sensor, its node, and documents that cannot be read."""

import asyncio
from datetime import UTC, date, datetime, time, timedelta
import logging
from typing import Any
from zoneinfo import ZoneInfo

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.dp1.client.errors import Dp1Error
from custom_components.dp1.errors import action_failed, invalid_input, translated
from custom_components.dp1.language import async_message
from custom_components.dp1.library import shelf, timing
from custom_components.dp1.library.libraries import daily_url
from custom_components.dp1.voice.choice import async_choose
from homeassistant.components.media_source import async_browse_media
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from tests.client.scripted_server import Reply, Request, ScriptedServer
from tests.collections import NOWHERE
from tests.displays import state_of, until
from tests.libraries import library_entry, set_up

pytestmark = pytest.mark.usefixtures("socket_enabled")

SENSOR = "sensor.library_the_daily"
FIRST = datetime.now(UTC).date() + timedelta(days=10)


def document(*days: int) -> dict[str, Any]:
    """Return a Daily with one artist."""
    items: list[dict[str, Any]] = [
        {
            "id": f"5d0c9d5e-0000-4000-8000-{day:012}",
            "title": f"Day <b>{day}</b>",
            "source": f"https://art.example.org/{day}.png",
            "displayAt": f"{FIRST + timedelta(days=day)}T00:00:00",
        }
        for day in days
    ]
    artists = [{"name": "Zora Quill"}, {"name": ""}]
    items[0]["inlineManifest"] = {"metadata": {"artists": artists}}
    odd: list[Any] = ["x", None, {"id": [], "displayAt": ["x"], "source": 5}]
    return {"dpVersion": "1.1.0", "id": "x", "title": "Daily", "items": items + odd}


async def with_daily(
    hass: HomeAssistant, server: ScriptedServer, **options: str
) -> MockConfigEntry:
    """Set up a library with a Daily."""
    options["daily_url"] = f"{server.url}/api/v1/playlists/daily-1"
    return await set_up(hass, library_entry(None, None, options=options))


async def test_sensor(hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sensor tells today's work and when the next follows, and says honestly that there is none."""
    await hass.config.async_set_time_zone("Europe/Lisbon")
    offset = timedelta()
    monkeypatch.setattr(dt_util, "utcnow", lambda: datetime.now(UTC) + offset)
    reply = Reply(200, document(1, 2, 4))

    def answer(request: Request) -> Reply:
        """Return the playlist of now."""
        return reply

    async def move(day: int, time: str) -> None:
        nonlocal offset
        zone = dt_util.get_default_time_zone()
        text = f"{FIRST + timedelta(days=day)}T{time}"
        when = datetime.fromisoformat(text).replace(tzinfo=zone)
        offset = when - datetime.now(UTC)
        async_fire_time_changed(hass, when + timedelta(milliseconds=600))
        await hass.async_block_till_done()

    def attributes() -> dict[str, Any]:
        return dict(state_of(hass, SENSOR).attributes)

    async with ScriptedServer.run(answer) as server:
        entry = await with_daily(hass, server)
        await until(lambda: attributes().get("status") == "not_started")
        assert state_of(hass, SENSOR).state == "unknown"
        assert attributes()["next_at"].date() <= FIRST + timedelta(days=1)

        await move(1, "00:00:01")
        await until(lambda: state_of(hass, SENSOR).state == "Day 1")
        told = attributes()
        assert (told["artist"], told["status"]) == ("Zora Quill", "today")
        assert told["picture"] == "https://art.example.org/1.png"
        zone = dt_util.get_default_time_zone()
        assert told["next_at"].astimezone(zone).date() == FIRST + timedelta(days=2)
        assert told["last_at"].astimezone(zone).date() == FIRST + timedelta(days=4)
        node = await entry.runtime_data.async_node("daily")
        assert (node.title, node.subtitle) == ("The Daily", "Day 1")
        assert node.small_picture == told["picture"]
        (first, *_) = (await entry.runtime_data.async_children("")).nodes
        assert first == node and not first.can_expand
        # Media browsers give playlists a note.
        page = await async_browse_media(hass, f"media-source://dp1/{entry.entry_id}")
        assert page.children is not None
        shown = page.children[0]
        assert (shown.title, shown.media_class) == ("The Daily", "image")
        assert shown.thumbnail

        # A minute after the change it is read again, and once more every six hours.
        count = len(server.requests)
        await move(2, "00:00:01")
        await until(lambda: state_of(hass, SENSOR).state == "Day 2")
        await move(2, "00:01:02")
        await until(lambda: len(server.requests) > count)
        await until(lambda: entry.runtime_data.daily._shelf.is_idle)

        # A day without a work of its own has that of the day before, as on displays.
        await move(3, "12:00:00")
        await until(lambda: entry.runtime_data.daily._shelf.is_idle)
        assert state_of(hass, SENSOR).state == "Day 2"

        # The playlist has another address by now: the last document counts until it has run out.
        for broken in (
            Reply(404, {"error": "not_found"}),
            Reply(200, b"<!doctype html><p>Hello"),
            Reply(200, {"title": "Group", "playlists": []}),
        ):
            reply = broken
            await entry.runtime_data.daily.async_refresh()
            assert entry.runtime_data.daily.problem is not None
            assert attributes()["status"] == "today"
        await move(4, "00:00:01")
        await until(lambda: state_of(hass, SENSOR).state == "Day 4")
        await until(lambda: entry.runtime_data.daily._shelf.is_idle)
        await move(5, "11:59:00")
        await until(lambda: entry.runtime_data.daily._shelf.is_idle)
        assert state_of(hass, SENSOR).state == "Day 4"
        await move(5, "13:00:00")
        await until(lambda: attributes()["status"] == "ran_out")
        assert state_of(hass, SENSOR).state == "unknown"
        assert attributes()["picture"] is None and attributes()["next_at"] is None

        # After a restart the last document is still there.
        await hass.config_entries.async_unload(entry.entry_id)
        await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        assert attributes()["status"] == "ran_out"
        reply = Reply(200, document(1, 2, 4, 5))
        await hass.services.async_call("dp1", "refresh_library", {}, blocking=True)
        await until(lambda: state_of(hass, SENSOR).state == "Day 5")


async def test_never_read(hass: HomeAssistant) -> None:
    """A Daily that was never read says so, is tried again, and casting it tells why; other addresses have none."""
    reply = Reply(404, {"error": "not_found"})
    async with ScriptedServer.run(lambda request: reply) as server:
        entry = await with_daily(hass, server)
        daily = entry.runtime_data.daily
        await until(lambda: daily.problem)
        await until(
            lambda: state_of(hass, SENSOR).attributes.get("status") == "unreadable"
        )
        reply = Reply(200, document(1))
        count = len(server.requests)
        async_fire_time_changed(
            hass, dt_util.utcnow() + timedelta(seconds=timing.LIST_RETRY + 1)
        )
        await until(lambda: len(server.requests) == count + 1 and daily.document)
    plain = await set_up(hass, library_entry(None, "http://127.0.0.1:9", title="Plain"))
    assert plain.runtime_data.daily.item is None
    assert "The Daily" not in plain.runtime_data.source_list().names
    name = f"media-source://dp1/{plain.entry_id}/daily"
    with pytest.raises(HomeAssistantError, match="No library has a Daily"):
        daily_url(hass, name)
    assert daily_url(hass, "dp1://daily") == entry.options["daily_url"]
    assert daily_url(hass, f"media-source://dp1/{entry.entry_id}/x") is None


async def test_an_address_with_a_key(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    """The key and the password of an address are told nowhere: not in the log, and not in an error."""
    caplog.set_level(logging.DEBUG)
    async with ScriptedServer.run(lambda request: Reply(404, {})) as server:
        url = f"{server.url}/list.json?key=s3cr3t"
        options = {"daily_url": url}
        entry = await set_up(hass, library_entry(None, None, options=options))
        daily = entry.runtime_data.daily
        await until(lambda: daily.problem)
        with pytest.raises(HomeAssistantError) as failed:
            await daily.async_document()
    with_password = url.replace("//", "//me:s3cr3t@")
    errors = [
        failed.value,
        invalid_input("page_gone", url=with_password, status="404"),
        action_failed("daily_without_days", name=f"<img src='{url}'>"),
        translated(Dp1Error(url, key="no_answer"), "playlist"),
        translated(
            Dp1Error(translation_key="is_channel", placeholders={"url": url}), "feed"
        ),
    ]
    told = [async_message(hass, error) for error in errors]
    assert "/list.json?…" in told[1]
    assert f"Library daily {server.url}/list.json?… data" in caplog.text
    assert not [it for it in (*told, *caplog.messages) if "s3cr3t" in it]


async def test_voice_chooses_it(hass: HomeAssistant) -> None:
    """Who asks for the daily gets it from the first library that has one, also when there is no work for today."""
    today = dt_util.now().date()
    told = document(1)
    told["items"][0]["displayAt"] = f"{today}T00:00:00"
    reply = Reply(200, told)
    async with ScriptedServer.run(lambda request: reply) as server:
        plain = library_entry(None, "http://127.0.0.1:9", title="Plain")
        await set_up(hass, plain)
        entry = await with_daily(hass, server)
        daily = entry.runtime_data.daily
        await until(lambda: daily.document)
        chosen = await async_choose(hass, {"choice": "daily"}, [])
        assert chosen.media_ids == (f"media-source://dp1/{entry.entry_id}/daily",)
        assert (chosen.title, chosen.artists) == ("Day 1", ("Zora Quill",))
        assert chosen.is_work
        reply = Reply(200, document(1))
        await daily.async_refresh()
        assert (await async_choose(hass, {"choice": "daily"}, [])).title == "The Daily"


async def test_a_refresh_that_takes_long(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Daily that takes longer than somebody waits for a refresh is no error; it is read in the background."""
    released = asyncio.Event()
    released.set()

    async def answer(request: web.Request) -> web.Response:
        """Return the playlist once it is released."""
        await released.wait()
        return web.json_response(document(1))

    app = web.Application()
    app.router.add_get("/daily", answer)
    async with TestServer(app) as server:
        options = {"daily_url": str(server.make_url("/daily"))}
        entry = await set_up(hass, library_entry(None, NOWHERE, options=options))
        daily = entry.runtime_data.daily
        await until(lambda: daily.document)
        monkeypatch.setattr(shelf, "PATIENCE", 0.01)
        released.clear()
        await daily.async_refresh()
        released.set()
        await until(lambda: daily._shelf.is_idle)
        assert daily.problem is None


@pytest.mark.parametrize("year", [2100, 9999])
async def test_a_copy_of_the_future(
    hass: HomeAssistant, hass_storage: dict[str, Any], year: int
) -> None:
    """A copy from when the clock was wrong is read again."""
    async with ScriptedServer.run(lambda _: Reply(200, document(2))) as server:
        entry = library_entry(None, NOWHERE, options={"daily_url": server.url})
        name = f"dp1.library.{entry.entry_id}.daily"
        hass_storage[name] = {
            "version": 1,
            "minor_version": 1,
            "key": name,
            "data": {
                "url": server.url,
                "document": document(1),
                "read_at": f"{year}-12-31T23:00:00+00:00",
            },
        }
        await set_up(hass, entry)
        await until(lambda: server.requests)


HAVANA = ZoneInfo("America/Havana")


def change(ahead: bool) -> date:
    """Return the next day on which the clocks of Havana go from 0 to 1, or from 1 back to 0."""
    days = (FIRST + timedelta(days=number) for number in range(366))

    def hours(day: date) -> timedelta:
        """Return the length of a day."""
        begin, end = (
            datetime.combine(day + timedelta(days=n), time(), HAVANA).astimezone(UTC)
            for n in (0, 1)
        )
        return end - begin

    usual = timedelta(days=1)
    return next(d for d in days if (hours(d) < usual if ahead else hours(d) > usual))


@pytest.mark.parametrize("ahead", [True, False])
async def test_the_clocks_change_while_home_assistant_is_down(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, ahead: bool
) -> None:
    """Each day has its work once, also where midnight is skipped or comes twice."""
    await hass.config.async_set_time_zone(str(HAVANA))
    day = (change(ahead) - FIRST).days
    midnight = datetime.combine(change(ahead), time(), HAVANA).astimezone(UTC)
    offset = timedelta()
    monkeypatch.setattr(dt_util, "utcnow", lambda: datetime.now(UTC) + offset)
    async with ScriptedServer.run(Reply(200, document(*range(day - 1, day + 3)))) as s:
        offset = midnight - timedelta(minutes=30) - datetime.now(UTC)
        entry = await with_daily(hass, s)
        await until(lambda: state_of(hass, SENSOR).state == f"Day {day - 1}")
        for minutes in (30, 60, 90, 120, 23 * 60, 25 * 60, 26 * 60):
            await hass.config_entries.async_unload(entry.entry_id)
            now = midnight + timedelta(minutes=minutes)
            offset = now - datetime.now(UTC)
            await hass.config_entries.async_setup(entry.entry_id)
            today = (now.astimezone(HAVANA).date() - FIRST).days
            await until(lambda: state_of(hass, SENSOR).state == f"Day {today}")  # noqa: B023
            next_at = state_of(hass, SENSOR).attributes["next_at"]
            assert now < next_at <= now + timedelta(hours=25)
            assert (next_at.astimezone(HAVANA).date() - FIRST).days == today + 1
        # What it reads now would come in while the server closes.
        await hass.config_entries.async_unload(entry.entry_id)
