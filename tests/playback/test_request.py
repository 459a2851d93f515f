"""Test the entrance of requests: odd documents by each way, displays that are gone, members of a group, and what is canceled."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
import json
from typing import Any
from urllib.parse import unquote

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from tests.client.scripted_server import Reply, ScriptedServer
from tests.displays import settle, until
from tests.houses import House, series, served, titles
from tests.simulators.display import FaultKind

pytestmark = pytest.mark.usefixtures("socket_enabled")

TIDES, DUNES = series("Tides", 3), series("Dunes", 2)
MOMENT: dict[str, Any] = {"show_for": {"seconds": 60}}
GONE = "media_player.gone"


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    async with House.of(hass, "left", "right") as house:
        yield house


async def join(house: House) -> None:
    await house.do("join", "left", group_members=[house.entity("right")])


def refuse(house: House, *names: str, times: int | None = 1) -> None:
    """Let displays refuse casts."""
    for name in names:
        house.walls[name].inject(
            FaultKind.STATUS,
            command="displayPlaylist",
            times=times,
            status=500,
            text="no",
        )


async def act(house: House, action: str, entity_ids: Any, **data: Any) -> Any:
    """Call an action on any entities, for its response."""
    return await house.hass.services.async_call(
        "dp1",
        action,
        {"entity_id": entity_ids, **data},
        blocking=True,
        return_response=True,
    )


# What is canceled leaves everything as it was


@pytest.mark.parametrize("data", [{}, MOMENT], ids=["for good", "for a time"])
async def test_canceled_during_a_message(house: House, data: dict[str, Any]) -> None:
    """A script that is stopped while its cast waits for the display leaves the message, which ends in time."""
    await house.show("left", playlist=TIDES)
    await house.do("dp1.show_message", "left", text="Dinner", **MOMENT)
    fault = house.walls["left"].inject(
        FaultKind.HANG, command="displayPlaylist", times=1
    )
    cast = asyncio.create_task(house.show("left", playlist=DUNES, **data))
    await until(lambda: fault.hits)
    cast.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cast
    assert house.walls["left"].state.playlist_title == "Dinner"
    assert house.attribute("left", "dp1")["until"]
    house.walls["left"].heal()
    async_fire_time_changed(house.hass, dt_util.utcnow() + timedelta(seconds=61))
    await until(lambda: house.hanging("left") == "Tides 1")
    await until(lambda: house.attribute("left", "dp1")["until"] is None)


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("how", ["add", "next", "play"])
async def test_an_addition_that_is_canceled(
    house: House, hass_ws_client: WebSocketGenerator, how: str, over: bool
) -> None:
    """What is given up while it is read is not added, neither to what hangs nor to what comes back."""
    client = await hass_ws_client(house.hass)
    await house.show("left", playlist=TIDES)
    if over:
        await house.do("dp1.show_message", "left", text="Dinner", **MOMENT)
    wall = house.entries["left"].runtime_data.wall
    async with served(DUNES) as (url,):
        # Somebody else's turn lasts.
        async with wall.turn():
            added = asyncio.create_task(
                house.play("left", url, enqueue=how, kind="playlist")
            )
            await until(lambda: wall.requests.pending)
            await until(lambda: wall._waiting)
            message = {"type": "dp1/cancel", "entity_id": house.entity("left")}
            await client.send_json_auto_id(message)
            assert (await client.receive_json())["success"]
        await added
    if over:
        await house.do("dp1.show_previous", "left")
    await settle(house.walls["left"])
    items = house.walls["left"].state.items
    assert [item["title"] for item in items] == [it["title"] for it in TIDES["items"]]
    assert house.hanging("left") == "Tides 1"


# Groups


async def test_two_members_are_told_the_same(house: House) -> None:
    """A call that targets two members of a group is refused for both."""
    await join(house)
    refuse(house, "left", "right", times=None)
    with pytest.raises(HomeAssistantError) as raised:
        await act(
            house,
            "cast_playlist",
            [house.entity("left"), house.entity("right")],
            playlist=TIDES,
        )
    assert raised.value.translation_key == "displays_failed"
    assert (raised.value.translation_placeholders or {})["failed"] == "2"


async def test_the_card_of_a_member(
    house: House, hass_ws_client: WebSocketGenerator
) -> None:
    """What is prepared for a group is waited for and given up on the card of each member."""
    client = await hass_ws_client(house.hass)
    await house.show("left", playlist=TIDES)
    await join(house)

    async def command(name: str) -> Any:
        message = {"type": f"dp1/{name}", "entity_id": house.entity("right")}
        await client.send_json_auto_id(message)
        return (await client.receive_json())["result"]

    async with ScriptedServer.run(Reply(fault="never")) as server:
        url = f"{server.url}/playlists/1"
        cast = asyncio.create_task(house.play("left", url))
        await until(lambda: server.requests)
        assert await command("waits_for") == "library"
        await command("cancel")
    await cast
    await settle(house.walls["left"])
    assert house.hanging("left") == "Tides 1"


async def test_a_spread_that_is_refused(house: House) -> None:
    """Displays that refuse a playlist keep the distance that they have."""
    await house.show("left", "right", playlist=TIDES, spread=True)
    assert [house.hanging(name) for name in house.walls] == ["Tides 1", "Tides 2"]
    refuse(house, "left", "right")
    with pytest.raises(HomeAssistantError):
        await house.show("left", "right", playlist=DUNES)
    await join(house)
    await house.do("media_next_track", "left")
    assert [house.hanging(name) for name in house.walls] == ["Tides 2", "Tides 3"]


# Ours is ours


async def test_a_picture_of_the_home_alone(house: House) -> None:
    """A picture of the home that is shown alone for a time is the owner's own, as it was in its list."""
    await house.play("left", f"{house.door}/picture.jpg")
    await house.play("left", f"{house.door}/second.jpg", enqueue="add")
    await house.do("dp1.show_work", "left", work=2, **MOMENT)
    assert house.hanging("left") == "second"
    sent = [
        it for it in house.walls["left"].received if it.command == "displayPlaylist"
    ]
    assert sent[-1].request["contentContext"] == "personal"


# Displays that are gone, and groups of media players


@pytest.mark.parametrize(
    ("action", "data", "hangs"),
    [
        ("cast_playlist", {"playlist": DUNES}, "Dunes 1"),
        ("cast_playlist", {"playlist": DUNES, **MOMENT}, "Dunes 1"),
        ("show_message", {"text": "Dinner"}, ""),
        ("show_work", {"work": 2}, "Tides 2"),
        ("show_previous", {}, "Tides 1"),
    ],
)
async def test_one_is_gone(
    house: House,
    caplog: pytest.LogCaptureFixture,
    action: str,
    data: dict[str, Any],
    hangs: str,
) -> None:
    """The others show it, and the answer or the log names the one that is gone; it fails if no other is there."""
    await house.show("left", playlist=TIDES)
    if action == "show_previous":
        await house.do("dp1.show_message", "left", text="Dinner", **MOMENT)
    both = [house.entity("left"), GONE]
    await house.hass.services.async_call(
        "dp1", action, {"entity_id": both, **data}, blocking=True
    )
    await until(lambda: house.hanging("left") == hangs)
    assert GONE in caplog.text
    if action in ("cast_playlist", "show_message"):
        told = await act(house, action, both, **data)
        assert GONE in told[GONE]["error"]
        assert "error" not in told[house.entity("left")]
    with pytest.raises(HomeAssistantError) as raised:
        await house.hass.services.async_call(
            "dp1", action, {"entity_id": [GONE], **data}, blocking=True
        )
    assert raised.value.translation_key == "not_a_display"


async def test_a_group_of_media_players(house: House) -> None:
    """The displays in a group of media players are its displays, also of a group in a group."""
    assert await async_setup_component(house.hass, "group", {})
    inner = "media_player.inner"
    for name, members in (
        ("Inner", [house.entity("left"), "media_player.radio"]),
        ("Walls", [inner, house.entity("right")]),
    ):
        entry = MockConfigEntry(
            domain="group",
            title=name,
            options={
                "group_type": "media_player",
                "name": name,
                "entities": members,
                "hide_members": False,
            },
        )
        entry.add_to_hass(house.hass)
        assert await house.hass.config_entries.async_setup(entry.entry_id)
        await house.hass.async_block_till_done()
    told = await act(house, "cast_playlist", ["media_player.walls"], playlist=TIDES)
    assert [house.hanging(name) for name in house.walls] == ["Tides 1", "Tides 1"]
    assert "error" in told["media_player.radio"]


# Odd documents

ODD: dict[str, tuple[dict[str, Any], str]] = {
    "works that are addresses": ({"items": ["https://a.example/1.png"]}, "items[0]"),
    "no works": ({"title": "Nothing"}, "items"),
    "works that are no list": ({"items": {"source": "x"}}, "items"),
    "a work without source": ({"items": [{"title": "Dawn"}]}, "items[0].source"),
}
WAYS = ("object", "text", "play_media", "address", "a limit", "media")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ODD)
async def test_odd_documents(house: House, name: str, way: str) -> None:
    """Each is refused in words that name the field, and nothing is sent."""
    document, path = ODD[name]
    async with served(document) as (url,):
        calls: dict[str, tuple[str, dict[str, Any]]] = {
            "object": ("dp1.cast_playlist", {"playlist": document}),
            "text": ("dp1.cast_playlist", {"playlist": json.dumps(document)}),
            "a limit": ("dp1.cast_playlist", {"playlist": document, "limit": 1}),
            "address": ("dp1.cast_playlist", {"playlist_url": url, "limit": 1}),
            "media": ("dp1.cast_playlist", {"media": [json.dumps(document)]}),
            "play_media": (
                "play_media",
                {"media_content_id": json.dumps(document), "media_content_type": ""},
            ),
        }
        action, data = calls[way]
        with pytest.raises(HomeAssistantError) as raised:
            await house.do(action, "left", **data)
    assert raised.value.translation_domain == "dp1"
    assert path in str(raised.value)
    assert not house.walls["left"].casts


@pytest.mark.parametrize("data", [{}, {"limit": 1}, {"item_duration": 9}])
async def test_a_query_alone(house: House, data: dict[str, Any]) -> None:
    """A document with nothing but a query is sent as it is, and no fault of ours is told."""
    query = {"endpoint": "https://indexer.example/graphql", "params": {"owners": "0x"}}
    document = {"dpVersion": "1.1.0", "title": "Query", "dynamicQuery": query}
    with suppress(HomeAssistantError):
        await house.show("left", playlist=document, **data)
    sent = [
        it for it in house.walls["left"].received if it.command == "displayPlaylist"
    ]
    assert sent[-1].request["dp1_call"]["dynamicQuery"] == query


# Messages


async def test_a_picture_at_a_list(house: House) -> None:
    """The picture of a message is the first work of a playlist at an address; a list without any is an error."""
    document = {**TIDES, "items": TIDES["items"][:1]}
    async with served(document, {**TIDES, "items": []}) as (url, empty):
        await house.do("dp1.show_message", "left", text="Tides", image=url)
        page = unquote(house.walls["left"].state.items[0]["source"])
        assert TIDES["items"][0]["source"] in page
        with pytest.raises(HomeAssistantError):
            await house.do("dp1.show_message", "left", text="Tides", image=empty)
    assert titles(document["items"]) == ["Tides 1"]
