"""Test several displays: the same playlist, spreading, handing over, and groups."""

from collections.abc import AsyncIterator
import logging
from typing import Any

import pytest

from custom_components.dp1.playback import groups
from custom_components.dp1.playback.groups import GROUPS, Groups, async_sync, group_of
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.setup import async_setup_component

from tests.displays import until
from tests.houses import House, series, served, titles
from tests.timing import set_timing

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
    entities = list(map(house.entity, members or ("middle", "right")))
    await house.do("join", leader, group_members=entities)


def works(house: House) -> list[str]:
    return [house.hanging(room) for room in ROOMS]


async def hang_in_step(house: House, *expected: str) -> None:
    """Wait until all displays show the given works."""
    await until(lambda: works(house) == list(expected))


@pytest.mark.parametrize("order", [ROOMS, ("right", "left", "middle")])
async def test_spread(house: House, order: tuple[str, ...]) -> None:
    """Displays show consecutive works in the order of the target."""
    await house.show(*order, playlist=TIDES, spread=True, start_at=4)
    shown = [house.hanging(room) for room in order]
    assert shown == ["Tides 4", "Tides 5", "Tides 1"]


async def test_spread_over_an_area_goes_by_name(house: House) -> None:
    """Displays of an area are sorted by name."""
    await house.hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": "all", "playlist": TIDES, "spread": True},
        blocking=True,
    )
    assert works(house) == ["Tides 1", "Tides 2", "Tides 3"]


async def test_in_step(house: House) -> None:
    """Members follow every change of work of the leader."""
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
    """A new playlist of the leader is shown by all, in the same shuffled order."""
    await join(house)
    await house.phone_casts("left", TIDES)
    await hang_in_step(house, *["Tides 1"] * 3)
    await house.phone("left", "setShuffle", enabled=True)
    await house.phone("left", "moveToArtwork", index=3)
    await hang_in_step(house, *[house.hanging("left")] * 3)
    await house.phone("left", "disconnect")
    await hang_in_step(house, "", "", "")


async def test_a_member_leads_the_others(house: House) -> None:
    """An action on a member applies to the whole group once."""
    await house.show("left", playlist=TIDES)
    await join(house)
    await house.do("media_next_track", "right")
    assert works(house) == ["Tides 2"] * 3
    await house.do("media_next_track", *ROOMS)
    assert works(house) == ["Tides 3"] * 3
    await house.play("middle", f"{house.door}/picture.jpg")
    assert works(house) == ["picture"] * 3
    await house.do("clear_playlist", "right")
    # A push that was under way before can end the action; the others then follow the next.
    await hang_in_step(house, "", "", "")


async def test_the_whole_list_in_step(house: House) -> None:
    """A member that shows some of the leader's works is given all of them, and so works that are added or taken out."""
    await house.phone_casts("middle", {**TIDES, "items": TIDES["items"][1:2]})
    await house.show("left", playlist=TIDES, start_at=2)
    await join(house)
    walls = [house.walls[room].state for room in ROOMS]
    assert [len(wall.items) for wall in walls] == [5, 5, 5]
    await house.play("left", f"{house.door}/picture.jpg", enqueue="add")
    await until(
        lambda: [len(house.walls[room].state.items) for room in ROOMS] == [6] * 3
    )
    assert works(house) == ["Tides 2"] * 3
    await house.do("dp1.remove_work", "right", work=1)
    await until(
        lambda: [len(house.walls[room].state.items) for room in ROOMS] == [5] * 3
    )
    assert works(house) == ["Tides 2"] * 3


async def test_a_cast_to_a_member(house: House) -> None:
    """It is shown by the whole group, once, and answered for each display that was named."""
    await house.show("left", playlist=TIDES)
    await join(house)
    casts = [wall.casts for wall in house.walls.values()]
    response = await house.do(
        "dp1.cast_playlist", "middle", "right", response=True, playlist=DUNES
    )
    assert [it["title"] for it in response.values()] == ["Dunes", "Dunes"]
    assert works(house) == ["Dunes 1"] * 3
    assert [wall.casts for wall in house.walls.values()] == [n + 1 for n in casts]


async def test_a_member_that_does_not_answer_for_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told again, without a change of the leader."""
    monkeypatch.setattr(groups, "PAUSES", (0.2, 0.2))
    await house.show("left", playlist=TIDES)
    await join(house)
    house.walls["right"].inject("status", command="moveToArtwork", times=1)
    await house.phone("left", "moveToArtwork", index=2)
    await hang_in_step(house, *["Tides 3"] * 3)


async def run_script(house: House, *steps: dict[str, Any]) -> None:
    script = {"script": {"evening": {"sequence": list(steps)}}}
    assert await async_setup_component(house.hass, "script", script)
    await house.hass.services.async_call("script", "evening", blocking=True)


async def test_each_step_of_a_script_counts(house: House) -> None:
    """A group moves once for each step, however many of its members the step targets."""
    await house.show("left", playlist=TIDES)
    await join(house)
    everyone = {"entity_id": list(map(house.entity, ROOMS))}
    step = {"action": "media_player.media_next_track", "target": everyone}
    pause = {"delay": {"milliseconds": 10}}
    await run_script(house, step, pause, step)
    assert works(house) == ["Tides 3"] * 3


async def test_a_leader_that_overheats(house: House) -> None:
    """A leader with a problem reports no works, which does not clear the others."""
    await join(house)
    await house.show("left", playlist=TIDES)
    await hang_in_step(house, *["Tides 1"] * 3)
    house.walls["left"].overheat()
    coordinator = house.entries["left"].runtime_data
    await until(lambda: coordinator.data.player.error == "overheating")
    await async_sync(coordinator)
    assert works(house)[1:] == ["Tides 1"] * 2


@pytest.mark.parametrize("joined_first", [True, False])
async def test_spread_in_step(house: House, joined_first: bool) -> None:
    """Joined displays with a spread series keep their offsets."""
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


@pytest.mark.parametrize("how", ["card", "phone"])
async def test_a_spread_ends_with_its_list(house: House, how: str) -> None:
    """Another list of the leader hangs in step on all of its group, whoever cast it, also after a step."""
    await join(house)
    await house.show(*ROOMS, playlist=TIDES, spread=True)
    if how == "card":
        await house.show("left", playlist=DUNES)
    else:
        await house.phone_casts("left", DUNES)
    await hang_in_step(house, *["Dunes 1"] * 3)
    await house.do("media_next_track", "left")
    assert works(house) == ["Dunes 2"] * 3


@pytest.mark.parametrize("step", ["shuffle", "next", "phone"])
async def test_a_spread_group_that_shuffles(house: House, step: str) -> None:
    """Each is as far ahead in the order in which the leader plays, whatever moves that."""
    await join(house)
    await house.show(*ROOMS, playlist=TIDES, spread=True)
    await house.do("shuffle_set", "left", shuffle=True)
    if step == "next":
        await house.do("media_next_track", "left")
    elif step == "phone":
        await house.phone("left", "moveToArtwork", index=3)

    def in_step() -> bool:
        """Return whether all are where the order of the leader says."""
        player = house.entries["left"].runtime_data.data.player
        order = [item.title for item in player.items]
        place = player.position - 1
        return works(house) == [order[(place + ahead) % 5] for ahead in range(3)]

    await until(in_step)
    for room in ROOMS:
        await house.settled(room)
    assert in_step()


@pytest.mark.parametrize("room", ROOMS)
async def test_the_order_of_a_group(house: House, room: str) -> None:
    """Shuffle and repeat are those of the group, wherever they are set."""
    await house.show("left", playlist=TIDES)
    await join(house)
    await house.do("shuffle_set", room, shuffle=True)
    await house.do("repeat_set", room, repeat="one")
    await house.do("media_next_track", "left")
    for each in ROOMS:
        wall = house.walls[each]
        await until(lambda: wall.state.shuffle)  # noqa: B023
        await until(lambda: wall.state.loop_mode == "one")  # noqa: B023
        await until(lambda: house.hanging(each) == house.hanging("left"))  # noqa: B023
        await house.settled(each)


async def test_a_spread_of_long_ago(house: House) -> None:
    """A display that shows another playlist since is joined without an offset."""
    await house.show(*ROOMS, playlist=TIDES, spread=True)
    await house.phone_casts("middle", DUNES)
    await join(house)
    assert works(house) == ["Tides 1", "Tides 1", "Tides 3"]


async def test_groups_survive_a_restart(
    house: House, hass_storage: dict[str, Any]
) -> None:
    """Members and offsets are restored after a restart, and nothing is sent."""
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
    """A member that fails is reported, and the others follow."""
    await house.show("left", playlist=TIDES)
    await join(house)
    house.walls["right"].inject("status", command="moveToArtwork")
    with pytest.raises(HomeAssistantError) as raised:
        await house.do("media_next_track", "left")
    assert raised.value.translation_key == "displays_failed"
    assert "Right" in str(raised.value)
    assert works(house) == ["Tides 2", "Tides 2", "Tides 1"]


async def test_a_leader_that_is_reloaded(house: House) -> None:
    """A group follows its leader after a reload during a change."""
    await house.show("left", playlist=TIDES)
    await join(house)
    entry_id = house.entries["left"].entry_id
    group = group_of(house.hass, entry_id)
    assert group is not None
    async with group.lock:
        await house.phone("left", "moveToArtwork", index=1)
        await until(lambda: group.waiting)
        await house.hass.config_entries.async_reload(entry_id)
    await house.settled("left")
    await house.phone("left", "moveToArtwork", index=3)
    await hang_in_step(house, *["Tides 4"] * 3)


async def test_a_member_that_is_not_set_up(house: House) -> None:
    """A member that is not set up is reported, and follows when it is back."""
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


async def test_a_member_that_comes_back(house: House) -> None:
    """A member that was unavailable follows when it is back."""
    set_timing(loss_patience=0.1)
    await house.show("left", playlist=TIDES)
    await join(house)
    await house.walls["right"].refuse()
    await until(lambda: house.state("right").state == "unavailable")
    await house.phone("left", "moveToArtwork", index=2)
    await until(lambda: works(house)[:2] == ["Tides 3"] * 2)
    await house.walls["right"].accept()
    await hang_in_step(house, *["Tides 3"] * 3)


async def test_a_leader_that_is_lost(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    """A group without its leader stays, which is reported once, and its members can be controlled."""
    set_timing(loss_patience=0.1)
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
    """A group continues without a member, with a new leader if needed, and ends when one is left."""
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
    """A display is in one group at a time, and a member that others join leads a new group."""
    await join(house, "left", "middle")
    await join(house, "middle", "right", "middle")
    assert house.attribute("left", "group_members") is None
    assert house.attribute("right", "group_members") == [
        house.entity("middle"),
        house.entity("right"),
    ]


async def test_a_removed_display_leaves(house: House) -> None:
    await join(house)
    await house.hass.config_entries.async_remove(house.entries["left"].entry_id)
    assert house.attribute("middle", "group_members") == [
        house.entity("middle"),
        house.entity("right"),
    ]


async def test_joining_something_else(house: House) -> None:
    """Only displays can be joined."""
    with pytest.raises(ServiceValidationError) as raised:
        await house.do("join", "left", group_members=["media_player.radio"])
    assert raised.value.translation_key == "not_a_display"


async def test_a_moment_is_not_followed(house: House) -> None:
    """Interludes are not followed, on the leader or a member."""
    await house.show("left", playlist=TIDES)
    await join(house)
    await house.show(
        "right", media_content_id=f"{house.door}/picture.jpg", show_for={"seconds": 60}
    )
    await house.do("media_next_track", "left")
    assert works(house) == ["Tides 2", "Tides 2", "picture"]
    # Neither does it move the others.
    with pytest.raises(HomeAssistantError):
        await house.do("media_next_track", "right")
    with pytest.raises(HomeAssistantError):
        await house.do("dp1.show_work", "right", work=4)
    assert works(house) == ["Tides 2", "Tides 2", "picture"]
    await house.play("left", f"{house.door}/picture.jpg", announce=True)
    await until(lambda: house.attribute("left", "media_title") == "picture")
    await house.settled("right")
    await house.do("media_next_track", "middle")
    assert works(house) == ["picture", "Tides 3", "picture"]


@pytest.mark.parametrize(
    ("then", "asleep", "left"),
    [(None, True, "Tides 3"), ("clear", False, ""), ("keep", False, "Tides 3")],
)
async def test_hand_over(
    house: House, then: str | None, asleep: bool, left: str
) -> None:
    """The other display continues at the same work, awake, and this one sleeps if requested."""
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
    """Nothing changes if the other display refuses the playlist."""
    await house.phone_casts("left", TIDES)
    house.walls["right"].inject("status", command="displayPlaylist")
    with pytest.raises(HomeAssistantError):
        await house.do("dp1.hand_over", "left", to=house.entity("right"))
    assert not house.walls["left"].state.asleep


async def test_hand_over_without_sense(
    house: House,
    subtests: pytest.Subtests,
) -> None:
    """Handing over needs exactly one display on each side."""
    for names, to, key in [
        (("left",), "left", "hand_over_to_itself"),
        (("left", "middle"), "right", "one_display"),
        (("left",), "right", "nothing_shown"),
        (("left",), "radio", "not_a_display"),
    ]:
        with subtests.test(names=names, to=to, key=key):
            with pytest.raises(ServiceValidationError) as raised:
                await house.do("dp1.hand_over", *names, to=house.entity(to))
            assert raised.value.translation_key == key
