"""Test whole user stories with displays, libraries and automations."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_address
import logging
from pathlib import Path
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.dp1.library.library import Library
from homeassistant.components.media_player import BrowseError
from homeassistant.components.zeroconf.models import HaAsyncZeroconf
from homeassistant.config_entries import SOURCE_ZEROCONF
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from .client.timing import impatient
from .displays import DEVICE_ID, ENTITY_ID, set_up, state_of, until
from .houses import House, series, titles
from .libraries import library_entry
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.display import DisplaySimulator

# Announcements on one network reach all tests, in any process.
pytestmark = [
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.xdist_group("network"),
]

TIDES = series("Tides", 6)
ROOMS = ("hall", "kitchen", "salon")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts."""
    impatient(monkeypatch)


@pytest.fixture
def expected_lingering_timers() -> bool:
    """Allow timers, since automations wait for their next time."""
    return True


@asynccontextmanager
async def library(
    hass: HomeAssistant,
) -> AsyncIterator[tuple[CatalogSimulator, Library]]:
    """Add a library with a catalog, and wait until it was read."""
    async with CatalogSimulator() as catalog:
        entry = await set_up(hass, library_entry(None, catalog.url))
        read: Library = entry.runtime_data
        await read.async_children("exhibitions")
        yield catalog, read
        await hass.config_entries.async_unload(entry.entry_id)


def announced(display: DisplaySimulator) -> ZeroconfServiceInfo:
    address = ip_address(display.host)
    return ZeroconfServiceInfo(
        ip_address=address,
        ip_addresses=[address],
        port=display.port,
        hostname="ff1.local.",
        type="_ff1._tcp.local.",
        name="Wall._ff1._tcp.local.",
        properties={"id": DEVICE_ID, "name": "Wall", "api": "2", "claimed": "true"},
    )


async def discover(hass: HomeAssistant, display: DisplaySimulator) -> Any:
    return await hass.config_entries.flow.async_init(
        "dp1", context={"source": SOURCE_ZEROCONF}, data=announced(display)
    )


async def test_evening_1_plug_in(
    hass: HomeAssistant, display: DisplaySimulator, mdns: HaAsyncZeroconf
) -> None:
    """A discovered display is added with one click, and shows work and picture."""
    hanging = series("Tides", 2)
    hanging["items"][0]["source"] = "https://art.example.org/dawn.png"
    display.player.load(hanging)
    offered = await discover(hass, display)
    assert offered["type"] is FlowResultType.FORM
    assert offered["step_id"] == "zeroconf_confirm"
    added = await hass.config_entries.flow.async_configure(offered["flow_id"], {})
    assert added["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    await until(lambda: hass.states.get(ENTITY_ID))
    state = state_of(hass)
    assert state.state == "playing"
    assert state.attributes["media_title"] == "Tides 1"
    assert state.attributes["media_playlist"] == "Tides"
    assert state.attributes["entity_picture"]
    assert display.writes == 0


GOODNIGHT = {
    "alias": "Goodnight",
    "triggers": {"trigger": "time", "at": "23:00:00"},
    "actions": {
        "action": "media_player.turn_off",
        "target": {"entity_id": [f"media_player.{room}" for room in ROOMS]},
    },
}
GOOD_MORNING = {
    "alias": "Good morning",
    "triggers": {"trigger": "time", "at": "07:30:00"},
    "actions": {
        "repeat": {
            "for_each": [f"media_player.{room}" for room in ROOMS],
            "sequence": [
                {
                    "action": "media_player.turn_on",
                    "target": {"entity_id": "{{ repeat.item }}"},
                },
                {
                    "action": "media_player.select_source",
                    "target": {"entity_id": "{{ repeat.item }}"},
                    "data": {
                        "source": "{{ state_attr(repeat.item, 'source_list')"
                        " | reject('eq', state_attr(repeat.item, 'source')) | first }}"
                    },
                },
            ],
        }
    },
}


async def strike(hass: HomeAssistant, day: int, hour: int, minute: int) -> None:
    """Advance Home Assistant's clock to a time of day."""
    at = dt_util.start_of_local_day() + timedelta(days=day, hours=hour, minutes=minute)
    async_fire_time_changed(hass, at + timedelta(seconds=1))
    await hass.async_block_till_done()


async def test_evening_4_goodnight(hass: HomeAssistant) -> None:
    """Displays sleep at night, and wake with another exhibition in the morning."""
    async with House.of(hass, *ROOMS) as house, library(hass) as (_, read):
        automations = [GOODNIGHT, GOOD_MORNING]
        assert await async_setup_component(
            hass, "automation", {"automation": automations}
        )
        await until(lambda: house.attribute("hall", "source_list"))
        # Both times of the first day are passed at once.
        await strike(hass, 1, 12, 0)
        shown = []
        for day in (1, 2):
            await strike(hass, day, 23, 0)
            await until(lambda: all(w.state.asleep for w in house.walls.values()))
            await strike(hass, day + 1, 7, 30)
            await until(lambda: all(house.attribute(r, "source") for r in ROOMS))
            await hass.async_block_till_done()
            assert not any(wall.state.asleep for wall in house.walls.values())
            shown.append([house.attribute(room, "source") for room in ROOMS])
        assert all(a != b for a, b in zip(*shown, strict=True))
        assert set(shown[0] + shown[1]) <= read.source_list().names.keys()


async def test_evening_5_router_swap(
    hass: HomeAssistant, display: DisplaySimulator, mdns: HaAsyncZeroconf
) -> None:
    """A display with a new IP address keeps its entities, history and playlist."""
    display.player.load(TIDES)
    offered = await discover(hass, display)
    added = await hass.config_entries.flow.async_configure(offered["flow_id"], {})
    await until(lambda: hass.states.get(ENTITY_ID))
    entry = added["result"]
    registry = er.async_get(hass)
    before = {e.id for e in er.async_entries_for_config_entry(registry, entry.entry_id)}
    await display.move()
    heard = await discover(hass, display)
    assert heard["reason"] == "already_configured"
    await until(lambda: entry.data["port"] == display.port)
    await hass.async_block_till_done()
    await until(lambda: state_of(hass).state == "playing")
    after = {e.id for e in er.async_entries_for_config_entry(registry, entry.entry_id)}
    assert before <= after
    await hass.services.async_call(
        "media_player", "media_next_track", {"entity_id": ENTITY_ID}, blocking=True
    )
    assert display.state.current_title == "Tides 2"
    assert len(hass.config_entries.async_entries("dp1")) == 1


async def test_evening_6_doorbell(hass: HomeAssistant) -> None:
    """A camera picture is shown for half a minute, then the same work of the same playlist, still shuffled."""
    async with House.of(hass, "wall") as house:
        await house.phone_casts("wall", TIDES)
        await house.phone("wall", "moveToArtwork", index=4)
        await house.phone("wall", "setShuffle", enabled=True)
        await house.play(
            "wall", f"{house.door}/picture.jpg", kind="image/jpeg", announce=True
        )
        assert house.hanging("wall") == "picture"
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=31))
        # The order is restored after the work.
        wall = house.walls["wall"]
        await until(
            lambda: wall.state.current_title == "Tides 5" and wall.state.shuffle
        )
        shown = wall.state
        assert sorted(titles(shown.items)) == titles(TIDES["items"])
        await house.phone("wall", "setShuffle", enabled=False)
        assert house.walls["wall"].state.position == 4


async def test_evening_7_restart_at_midnight(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    """Reloading all entries changes nothing on the displays, and logs at most one line."""
    async with House.of(hass, "wall", "hall") as house:
        await house.phone_casts("wall", TIDES)
        await house.phone("wall", "moveToArtwork", index=2)
        await house.do("turn_off", "hall")
        before = [wall.state for wall in house.walls.values()]
        for wall in house.walls.values():
            wall.reset_counters()
        caplog.clear()
        caplog.set_level(logging.INFO)
        for entry in house.entries.values():
            await hass.config_entries.async_reload(entry.entry_id)
        await house.settled("wall")
        await until(lambda: house.state("hall").state == "off")
        assert [wall.writes for wall in house.walls.values()] == [0, 0]
        assert [replace(wall.state, settings={}) for wall in house.walls.values()] == [
            replace(state, settings={}) for state in before
        ]
        said = [r for r in caplog.records if r.name.startswith("custom_components.dp1")]
        assert len(said) <= 1
        assert house.attribute("wall", "media_title") == "Tides 3"


async def test_evening_8_catalog_and_internet_are_down(
    hass: HomeAssistant, tmp_path: Path
) -> None:
    """Without internet, browsing gives a reason, and displays can be controlled and show local media."""
    await async_process_ha_core_config(
        hass,
        {
            "media_dirs": {"local": str(tmp_path)},
            "internal_url": "http://127.0.0.1:9",
        },
    )
    assert await async_setup_component(hass, "media_source", {})
    (tmp_path / "cat.jpg").write_bytes(b"\xff\xd8\xff")
    async with House.of(hass, "wall") as house, library(hass) as (catalog, read):
        await house.phone_casts("wall", TIDES)
        show = next(iter((await read.async_children("exhibitions")).nodes))
        await catalog.stop()
        await house.walls["wall"].set_internet(False)
        with pytest.raises(BrowseError) as raised:
            await house.do(
                "browse_media",
                "wall",
                response=True,
                media_content_type="directory",
                media_content_id=f"media-source://dp1/{read.entry_id}/{show.id}",
            )
        assert "refused the connection" in str(raised.value)
        await house.do("media_next_track", "wall")
        assert house.attribute("wall", "media_title") == "Tides 2"
        await house.do("turn_off", "wall")
        assert house.walls["wall"].state.asleep
        await house.play(
            "wall", "media-source://media_source/local/cat.jpg", kind="image/jpeg"
        )
        assert not house.walls["wall"].state.asleep
        current = house.walls["wall"].state.current
        assert current is not None
        assert current["source"].startswith("http://127.0.0.1:9/")
        assert "/media/local/cat.jpg?token=" in current["source"]


async def test_evening_9_three_displays_one_series(hass: HomeAssistant) -> None:
    """Three grouped displays show three works of one series, and next moves all of them."""
    async with House.of(hass, *ROOMS) as house, library(hass) as (_, read):
        shows = (await read.async_children("exhibitions")).nodes
        for show in shows:
            inside = (await read.async_children(show.id)).nodes
            long = [n for n in inside if n.id.startswith("series/") and n.can_play]
            if long:
                break
        told = await house.do(
            "dp1.cast_playlist",
            *ROOMS,
            response=True,
            series=long[0].id.removeprefix("series/"),
            spread=True,
        )
        works = told["media_player.hall"]["items"]
        places = [house.attribute(room, "media_track") for room in ROOMS]
        assert places == [(n % works) + 1 for n in range(3)]
        await house.do(
            "join", "hall", group_members=[house.entity(room) for room in ROOMS[1:]]
        )
        await house.do("media_next_track", "hall")
        expected = [(n + 1) % works for n in range(3)]
        await until(
            lambda: [wall.state.position for wall in house.walls.values()] == expected
        )
        assert len({wall.state.playlist_title for wall in house.walls.values()}) == 1


ROTATION = {
    "alias": "Daily exhibition",
    "triggers": {"trigger": "time", "at": "07:30:00"},
    "conditions": {
        "condition": "template",
        "value_template": "{{ state_attr('media_player.wall', 'media_content_id')"
        ".split('#dp1&')[0] == states('input_text.rotated') }}",
    },
    "actions": [
        {
            "action": "media_player.select_source",
            "target": {"entity_id": "media_player.wall"},
            "data": {
                "source": "{{ state_attr('media_player.wall', 'source_list')"
                " | reject('eq', state_attr('media_player.wall', 'source')) | first }}"
            },
        },
        {
            "action": "input_text.set_value",
            "target": {"entity_id": "input_text.rotated"},
            "data": {
                "value": "{{ state_attr('media_player.wall', 'media_content_id')"
                ".split('#dp1&')[0] }}"
            },
        },
    ],
}


async def test_evening_10_somebody_changes_the_art(hass: HomeAssistant) -> None:
    """A cast from a phone is shown at once, and not replaced by the daily rotation."""
    async with House.of(hass, "wall") as house, library(hass):
        await house.phone_casts("wall", series("First", 2))
        first = house.attribute("wall", "media_content_id")
        assert await async_setup_component(
            hass, "input_text", {"input_text": {"rotated": {"initial": first}}}
        )
        assert await async_setup_component(hass, "automation", {"automation": ROTATION})
        await until(lambda: house.attribute("wall", "source_list"))
        await strike(hass, 1, 7, 30)
        await until(lambda: house.attribute("wall", "source"))
        rotated = house.walls["wall"].state.playlist_title
        assert rotated != "First"
        await house.do("media_next_track", "wall")
        await strike(hass, 2, 7, 30)
        await until(lambda: house.walls["wall"].state.playlist_title != rotated)
        await hass.async_block_till_done()
        await house.phone_casts("wall", TIDES)
        assert house.attribute("wall", "media_title") == "Tides 1"
        await strike(hass, 3, 7, 30)
        assert house.walls["wall"].state.playlist_title == "Tides"
