"""Several displays: the same on all, spread over them, handed over, and in step."""

import asyncio
from collections.abc import AsyncIterator
import logging
from typing import Any

import pytest

from custom_components.dp1.display import connection
from custom_components.dp1.playback.groups import GROUPS, Groups
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from tests.displays import until
from tests.houses import House, series, served, titles

pytestmark = pytest.mark.usefixtures("socket_enabled")

TIDES = series("Tides", 5)
DUNES = series("Dunes", 3)
ROOMS = ("left", "middle", "right")


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    """Set up three displays."""
    async with House.of(hass, *ROOMS) as house:
        yield house


async def join(house: House, leader: str = "left", *members: str) -> None:
    """Let displays follow one."""
    entities = list(map(house.entity, members or ("middle", "right")))
    await house.do("join", leader, group_members=entities)


def works(house: House) -> list[str]:
    """List what hangs."""
    return [house.hanging(room) for room in ROOMS]


async def hang_in_step(house: House, *expected: str) -> None:
    """Wait until all walls show what they should."""
    await until(lambda: works(house) == list(expected))


async def test_the_same_on_all(house: House) -> None:
    """One call shows the same on every display."""
    await house.show(*ROOMS, playlist=TIDES, start_at=2)
    assert works(house) == ["Tides 2"] * 3


async def test_one_of_several_fails(house: House) -> None:
    """What fails on one display is told of that one, and the others show it."""
    house.walls["middle"].inject("status", command="displayPlaylist")
    with pytest.raises(HomeAssistantError) as raised:
        await house.show(*ROOMS, playlist=TIDES)
    assert raised.value.translation_key == "displays_failed"
    assert "Middle" in str(raised.value)
    assert works(house) == ["Tides 1", "", "Tides 1"]


@pytest.mark.parametrize("order", [ROOMS, ("right", "left", "middle")])
async def test_spread(house: House, order: tuple[str, ...]) -> None:
    """Displays show one work after the other, in the order in which they are named."""
    await house.show(*order, playlist=TIDES, spread=True, start_at=4)
    shown = [house.hanging(room) for room in order]
    assert shown == ["Tides 4", "Tides 5", "Tides 1"]


async def test_spread_over_an_area_goes_by_name(house: House) -> None:
    """Displays that were not named one by one are taken in the order of their names."""
    await house.hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": "all", "playlist": TIDES, "spread": True},
        blocking=True,
    )
    assert works(house) == ["Tides 1", "Tides 2", "Tides 3"]


async def test_in_step(house: House) -> None:
    """What the leader shows, the others show too, whoever moves it."""
    async with served(TIDES) as (url,):
        await house.show("left", playlist_url=url, start_at=2)
        await join(house)
        assert works(house) == ["Tides 2"] * 3
        for room in ROOMS:
            assert house.walls[room].state.playlist_url == url
            members = house.attribute(room, "group_members")
            assert members == list(map(house.entity, ROOMS))
        await house.do("media_next_track", "left")
        assert works(house) == ["Tides 3"] * 3
        await house.phone("left", "moveToArtwork", index=0)
        await hang_in_step(house, *["Tides 1"] * 3)
        await house.phone("left", "setLoop", mode="one")
        await until(
            lambda: {wall.state.loop_mode for wall in house.walls.values()} == {"one"}
        )
    casts = [wall.casts for wall in house.walls.values()]
    assert casts == [1, 1, 1]


async def test_a_new_list_in_step(house: House) -> None:
    """A new list of the leader comes to all, in the leader's random order."""
    await join(house)
    await house.phone_casts("left", TIDES)
    await hang_in_step(house, *["Tides 1"] * 3)
    await house.phone("left", "setShuffle", enabled=True)
    await house.phone("left", "moveToArtwork", index=3)
    await hang_in_step(house, *[house.hanging("left")] * 3)
    await house.phone("left", "disconnect")
    await hang_in_step(house, "", "", "")


async def test_a_member_leads_the_others(house: House) -> None:
    """What is done with one of a group is done with all of it, once."""
    await house.show("left", playlist=TIDES)
    await join(house)
    await house.do("media_next_track", "right")
    assert works(house) == ["Tides 2"] * 3
    await house.do("media_next_track", *ROOMS)
    assert works(house) == ["Tides 3"] * 3
    await house.play("middle", f"{house.door}/picture.jpg")
    assert works(house) == ["picture"] * 3
    await house.do("clear_playlist", "right")
    assert works(house) == ["", "", ""]


async def test_next_without_any_call(house: House) -> None:
    """Two actions with one context are one, two without are two."""
    await house.show("left", playlist=TIDES)
    await join(house)
    context = Context()
    for _ in range(2):
        await house.hass.services.async_call(
            "media_player",
            "media_next_track",
            {"entity_id": house.entity("right")},
            blocking=True,
            context=context,
        )
    assert works(house) == ["Tides 2"] * 3


@pytest.mark.parametrize("joined_first", [True, False])
async def test_spread_in_step(house: House, joined_first: bool) -> None:
    """Displays over which a series is spread keep their distance."""
    if joined_first:
        await join(house)
    await house.show(*ROOMS, playlist=TIDES, spread=True)
    if not joined_first:
        await join(house)
    await hang_in_step(house, "Tides 1", "Tides 2", "Tides 3")
    await house.do("media_next_track", "left")
    assert works(house) == ["Tides 2", "Tides 3", "Tides 4"]
    await house.do("media_previous_track", *ROOMS)
    assert works(house) == ["Tides 1", "Tides 2", "Tides 3"]
    await house.show(*ROOMS, playlist=DUNES)
    assert works(house) == ["Dunes 1"] * 3
    await house.do("media_next_track", "left")
    assert works(house) == ["Dunes 2"] * 3


async def test_a_spread_of_long_ago(house: House) -> None:
    """Displays that show something else by now are joined to show the same."""
    await house.show(*ROOMS, playlist=TIDES, spread=True)
    await house.phone_casts("middle", DUNES)
    await join(house)
    assert works(house) == ["Tides 1", "Tides 1", "Tides 3"]


async def test_groups_survive_a_restart(
    house: House, hass_storage: dict[str, Any]
) -> None:
    """Who belongs together, and at what distance, is kept; nothing is sent because of it."""
    await house.show(*ROOMS, playlist=TIDES, spread=True)
    await join(house)
    fresh = house.hass.data[GROUPS] = Groups(house.hass)
    await fresh.async_load()
    for room in ROOMS:
        house.walls[room].reset_counters()
        await house.hass.config_entries.async_reload(house.entries[room].entry_id)
    assert [wall.writes for wall in house.walls.values()] == [0, 0, 0]
    await house.settled("left")
    await house.do("media_next_track", "left")
    assert works(house) == ["Tides 2", "Tides 3", "Tides 4"]


async def test_a_member_that_fails(house: House) -> None:
    """Who of a group did not follow is told; the others did."""
    await house.show("left", playlist=TIDES)
    await join(house)
    house.walls["right"].inject("status", command="moveToArtwork")
    with pytest.raises(HomeAssistantError) as raised:
        await house.do("media_next_track", "left")
    assert raised.value.translation_key == "displays_failed"
    assert "Right" in str(raised.value)
    assert works(house) == ["Tides 2", "Tides 2", "Tides 1"]


async def test_a_leader_that_is_reloaded(house: House) -> None:
    """A group follows its leader, also after a reload that came while the group was about to follow."""
    await house.show("left", playlist=TIDES)
    await join(house)
    entry_id = house.entries["left"].entry_id
    group = house.hass.data[GROUPS].group(entry_id)
    assert group is not None
    async with group.lock:
        await house.phone("left", "moveToArtwork", index=1)
        await until(lambda: group.waiting)
        await house.hass.config_entries.async_reload(entry_id)
    await house.settled("left")
    await house.phone("left", "moveToArtwork", index=3)
    await hang_in_step(house, *["Tides 4"] * 3)


async def test_a_member_that_is_not_set_up(house: House) -> None:
    """A display that is not set up is missed, and follows when it is back."""
    await house.show("left", playlist=TIDES)
    await join(house)
    entry = house.entries["right"]
    await house.hass.config_entries.async_unload(entry.entry_id)
    with pytest.raises(HomeAssistantError) as raised:
        await house.do("media_next_track", "left")
    assert "Right" in str(raised.value)
    await house.hass.config_entries.async_setup(entry.entry_id)
    await house.settled("right")
    await house.phone("left", "moveToArtwork", index=4)
    await hang_in_step(house, *["Tides 5"] * 3)


async def test_a_member_that_comes_back(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A display that was away catches up."""
    monkeypatch.setattr(connection, "PATIENCE", 0.1)
    monkeypatch.setattr(connection, "FIRST_RETRY", 0.05)
    await house.show("left", playlist=TIDES)
    await join(house)
    await house.walls["right"].refuse()
    await until(lambda: house.state("right").state == "unavailable")
    await house.phone("left", "moveToArtwork", index=2)
    await asyncio.sleep(0.3)
    await house.walls["right"].accept()
    await hang_in_step(house, *["Tides 3"] * 3)


async def test_a_leader_that_is_lost(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The group stays when its leader is lost, which is said once; the others can be told by themselves."""
    monkeypatch.setattr(connection, "PATIENCE", 0.1)
    monkeypatch.setattr(connection, "FIRST_RETRY", 0.05)
    caplog.set_level(logging.INFO)
    await house.show("left", playlist=TIDES)
    await join(house)
    await house.walls["left"].refuse()
    await until(lambda: house.state("left").state == "unavailable")
    assert caplog.text.count("Left leads a group") == 1
    members = house.attribute("right", "group_members")
    assert members == list(map(house.entity, ROOMS))
    await house.do("media_next_track", "right")
    assert works(house)[1:] == ["Tides 1", "Tides 2"]


async def test_leaving(house: House) -> None:
    """Who leaves goes its own way; if that was the leader, another one leads; two are a group, one is not."""
    await house.show("left", playlist=TIDES)
    await join(house)
    await house.do("unjoin", "left")
    assert house.attribute("left", "group_members") is None
    pair = [house.entity("middle"), house.entity("right")]
    assert house.attribute("right", "group_members") == pair
    await house.do("media_next_track", "middle")
    assert works(house) == ["Tides 1", "Tides 2", "Tides 2"]
    await house.do("unjoin", "right")
    await house.do("unjoin", "right")
    assert [house.attribute(room, "group_members") for room in ROOMS] == [None] * 3


async def test_changing_groups(house: House) -> None:
    """A display is in one group at a time, and a member that others join leads a group of its own."""
    await join(house, "left", "middle")
    await join(house, "middle", "right", "middle")
    assert house.attribute("left", "group_members") is None
    assert house.attribute("right", "group_members") == [
        house.entity("middle"),
        house.entity("right"),
    ]


async def test_a_removed_display_leaves(house: House) -> None:
    """A display that is removed is in no group any more."""
    await join(house)
    await house.hass.config_entries.async_remove(house.entries["left"].entry_id)
    assert house.attribute("middle", "group_members") == [
        house.entity("middle"),
        house.entity("right"),
    ]


async def test_joining_something_else(house: House) -> None:
    """Only displays join displays."""
    with pytest.raises(ServiceValidationError) as raised:
        await house.do("join", "left", group_members=["media_player.radio"])
    assert raised.value.translation_key == "not_a_display"


async def test_a_moment_is_not_followed(house: House) -> None:
    """What hangs for a moment hangs on one display, be it the leader or another."""
    await house.show("left", playlist=TIDES)
    await join(house)
    await house.show(
        "right", media_content_id=f"{house.door}/picture.jpg", show_for={"seconds": 60}
    )
    await house.do("media_next_track", "left")
    assert works(house) == ["Tides 2", "Tides 2", "picture"]
    await house.play("left", f"{house.door}/picture.jpg", announce=True)
    await asyncio.sleep(0.3)
    assert works(house) == ["picture", "Tides 2", "picture"]


@pytest.mark.parametrize(
    ("then", "asleep", "left"),
    [(None, True, "Tides 3"), ("clear", False, ""), ("keep", False, "Tides 3")],
)
async def test_hand_over(
    house: House, then: str | None, asleep: bool, left: str
) -> None:
    """Another display goes on at the same place, awake, and this one rests as asked."""
    await house.phone_casts("left", TIDES)
    await house.phone("left", "moveToArtwork", index=2)
    await house.phone("left", "setShuffle", enabled=True)
    await house.do("turn_off", "right")
    await house.do(
        "dp1.hand_over",
        "left",
        to=house.entity("right"),
        **({"then": then} if then else {}),
    )
    there = house.walls["right"].state
    assert there.current_title == "Tides 3"
    assert there.shuffle
    assert sorted(titles(there.items)) == titles(TIDES["items"])
    assert not there.asleep
    here = house.walls["left"].state
    assert (here.asleep, here.current_title) == (asleep, left)


async def test_hand_over_to_a_display_that_refuses(house: House) -> None:
    """Nothing changes here if the other display does not take it."""
    await house.phone_casts("left", TIDES)
    house.walls["right"].inject("status", command="displayPlaylist")
    with pytest.raises(HomeAssistantError):
        await house.do("dp1.hand_over", "left", to=house.entity("right"))
    assert not house.walls["left"].state.asleep


@pytest.mark.parametrize(
    ("names", "to", "key"),
    [
        (("left",), "left", "hand_over_to_itself"),
        (("left", "middle"), "right", "one_display"),
        (("left",), "right", "nothing_shown"),
        (("left",), "radio", "not_a_display"),
    ],
)
async def test_hand_over_without_sense(
    house: House, names: tuple[str, ...], to: str, key: str
) -> None:
    """One display hands something over to another one."""
    with pytest.raises(ServiceValidationError) as raised:
        await house.do("dp1.hand_over", *names, to=house.entity(to))
    assert raised.value.translation_key == key
