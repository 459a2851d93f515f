"""Test adding works, moving in the queue, and clearing it."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from homeassistant.components.media_player import MediaPlayerEntityFeature as Feature
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.util.dt import utcnow

from tests.houses import House, series, served, titles

pytestmark = pytest.mark.usefixtures("socket_enabled")

TIDES = series("Tides", 3)
DUNES = series("Dunes", 2)


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    async with House.of(hass, "wall") as house:
        yield house


async def enqueue(house: House, how: str, document: dict[str, Any] = DUNES) -> None:
    """Add works to the queue."""
    async with served(document) as (url,):
        await house.play("wall", url, enqueue=how, kind="playlist")


@pytest.mark.parametrize(
    ("how", "order", "work"),
    [
        ("add", ["Tides 1", "Tides 2", "Tides 3", "Dunes 1", "Dunes 2"], "Tides 2"),
        ("next", ["Tides 1", "Tides 2", "Dunes 1", "Dunes 2", "Tides 3"], "Tides 2"),
        ("play", ["Tides 1", "Tides 2", "Dunes 1", "Dunes 2", "Tides 3"], "Dunes 1"),
        ("replace", ["Dunes 1", "Dunes 2"], "Dunes 1"),
    ],
)
async def test_works_are_put_into_the_list(
    house: House, how: str, order: list[str], work: str
) -> None:
    """The playlist continues with the same work, at its place in time, or with the new one."""
    await house.phone_casts("wall", TIDES)
    await house.phone("wall", "moveToArtwork", index=1)
    await house.phone("wall", "setLoop", mode="none")
    since = house.attribute("wall", "media_position_updated_at")
    await enqueue(house, how)
    shown = house.walls["wall"].state
    assert titles(shown.items) == order
    assert shown.current_title == work
    assert shown.loop_mode == ("playlist" if how == "replace" else "none")
    assert house.attribute("wall", "media_title") == work
    is_same = house.attribute("wall", "media_position_updated_at") == since
    assert is_same is (work == "Tides 2")


@pytest.mark.parametrize("how", ["add", "next", "play"])
async def test_added_works_look_as_in_their_own_playlist(
    house: House, how: str
) -> None:
    """What a playlist says of all its works goes along with each."""
    shown = {"scaling": "fill", "background": "#ffffff"}
    await house.phone_casts("wall", TIDES)
    await enqueue(house, how, DUNES | {"defaults": {"display": shown}})
    items = {item["title"]: item for item in house.walls["wall"].state.items}
    assert items["Dunes 1"]["display"] == items["Dunes 2"]["display"] == shown
    assert "display" not in items["Tides 1"]


async def test_much_is_said_of_all_added_works(house: House) -> None:
    """It is not sent once for each of them."""
    await house.phone_casts("wall", TIDES)
    long = {"display": {"scaling": "fill", "background": f"#{'f' * 1_000_000}"}}
    house.walls["wall"].reset_counters()
    with pytest.raises(ServiceValidationError):
        await enqueue(house, "add", series("Dunes", 20) | {"defaults": long})
    assert not house.walls["wall"].writes


@pytest.mark.parametrize("how", ["add", "next"])
async def test_the_current_work_is_not_loaded_again(house: House, how: str) -> None:
    """A longer playlist does not reload the current work, and can be played again."""
    wall = house.walls["wall"]
    await house.phone_casts("wall", TIDES)
    await house.phone("wall", "moveToArtwork", index=1)
    showing = wall.player.settings.showing_key
    await enqueue(house, how)
    assert len(wall.state.items) == 5
    assert wall.player.settings.showing_key == showing
    assert wall.state.current_title == "Tides 2"
    media_id = house.attribute("wall", "media_content_id")
    await house.do("clear_playlist", "wall")
    await house.play("wall", media_id)
    assert len(wall.state.items) == 5


async def test_a_player_that_does_not_extend(hass: HomeAssistant) -> None:
    """A display that ignores the longer playlist gets it as a cast."""
    async with House.of(hass, "wall", takes_refresh=False) as house:
        await house.phone_casts("wall", TIDES)
        await house.phone("wall", "moveToArtwork", index=1)
        await enqueue(house, "add")
        shown = house.walls["wall"].state
        assert (len(shown.items), shown.current_title) == (5, "Tides 2")


async def test_what_is_added_to_a_sleeping_display_wakes_it(house: House) -> None:
    """A sleeping display is woken for added works, as for a cast."""
    await house.phone_casts("wall", TIDES)
    await house.do("turn_off", "wall")
    await enqueue(house, "add")
    assert not house.walls["wall"].state.asleep
    assert len(house.walls["wall"].state.items) == 5


async def test_a_list_with_an_address_takes_more(house: House) -> None:
    """A playlist cast by URL continues as a document."""
    async with served({**TIDES, "id": "385f79b6-a45f-4c1c-8080-e93a192adccc"}) as (
        url,
    ):
        await house.show("wall", playlist_url=url)
        await enqueue(house, "add")
    shown = house.walls["wall"].state
    assert shown.playlist_url is None
    assert shown.playlist is not None
    assert "id" not in shown.playlist
    assert shown.playlist_title == "Tides"
    assert len(shown.items) == 5


@pytest.mark.parametrize("by_address", [True, False])
async def test_a_shuffled_list_keeps_its_own_order(
    house: House, by_address: bool
) -> None:
    """The original order of a shuffled playlist is kept."""
    long = series("Long", 12)
    async with served(long) as (url,):
        what = {"playlist_url": url} if by_address else {"playlist": long}
        await house.show("wall", shuffle=True, start_at=4, **what)
        await enqueue(house, "add")
    shown = house.walls["wall"].state
    assert shown.shuffle
    # The order is still random, and the new works are anywhere in it.
    assert titles(shown.items) != titles(long["items"]) + titles(DUNES["items"])
    assert shown.current_title == "Long 4"
    await house.phone("wall", "setShuffle", enabled=False)
    order = titles(house.walls["wall"].state.items)
    assert order == titles(long["items"]) + titles(DUNES["items"])


async def test_an_address_that_is_gone(house: House) -> None:
    """A shuffled playlist whose URL does not answer continues in the order that the display reports."""
    async with served(TIDES) as (url,):
        await house.show("wall", playlist_url=url, shuffle=True)
    await enqueue(house, "add")
    shown = house.walls["wall"].state
    assert sorted(titles(shown.items)) == sorted(
        titles(TIDES["items"]) + titles(DUNES["items"])
    )


async def test_the_same_work_twice(house: House) -> None:
    """A work that is already in the playlist gets a new id."""
    await house.phone_casts("wall", TIDES)
    await house.phone("wall", "moveToArtwork", index=2)
    await enqueue(house, "add", TIDES)
    shown = house.walls["wall"].state
    assert len({item["id"] for item in shown.items}) == 6
    assert shown.position == 2


async def test_an_empty_wall_shows_what_is_added(house: House) -> None:
    """Without a playlist, added works are shown at once."""
    await enqueue(house, "add")
    assert house.hanging("wall") == "Dunes 1"


async def test_the_list_is_cleared(house: House) -> None:
    """A cleared display is idle."""
    await house.phone_casts("wall", TIDES)
    offered = Feature(house.attribute("wall", "supported_features"))
    assert Feature.CLEAR_PLAYLIST | Feature.MEDIA_ENQUEUE in offered
    await house.do("clear_playlist", "wall")
    assert house.walls["wall"].state.current is None
    assert house.state("wall").state == "idle"


@pytest.mark.parametrize(
    ("work", "title"),
    [
        (3, "Tides 3"),
        ("2", "Tides 2"),
        ("tides 3", "Tides 3"),
        (TIDES["items"][1]["id"], "Tides 2"),
        ("s 2", "Tides 2"),
    ],
)
async def test_a_jump(house: House, work: int | str, title: str) -> None:
    """A work can be named by its position, its title, a part of it, or its id."""
    await house.phone_casts("wall", TIDES)
    await house.do("dp1.show_work", "wall", work=work)
    assert house.hanging("wall") == title
    assert house.attribute("wall", "media_title") == title


async def test_a_jump_to_nowhere(house: House) -> None:
    """An unknown or ambiguous work is an error, as is any on an empty wall; on the set-up page nothing is known."""
    with pytest.raises(ServiceValidationError) as raised:
        await house.do("dp1.show_work", "wall", work=1)
    assert raised.value.translation_key == "nothing_shown"
    await house.phone_casts("wall", TIDES)
    for work in (4, "4", "tides", "elsewhere", "²"):
        with pytest.raises(ServiceValidationError) as raised:
            await house.do("dp1.show_work", "wall", work=work)
        assert raised.value.translation_key == "work_not_found", work
    house.walls["wall"].show_setup_page()
    with pytest.raises(HomeAssistantError) as failed:
        await enqueue(house, "add")
    assert failed.value.translation_key == "cannot_tell"


async def test_a_display_without_status_has_no_queue(hass: HomeAssistant) -> None:
    """A display that only accepts playlists has no queue."""
    async with House.of(hass, "wall", profile="legacy") as house:
        with pytest.raises(ServiceValidationError) as raised:
            await enqueue(house, "add")
    assert raised.value.translation_key == "display_cannot"


async def test_a_work_is_taken_out(house: House) -> None:
    """Another work is left out, the current one gives way to the next, and the last one leaves an empty wall."""
    wall = house.walls["wall"]
    await house.phone_casts("wall", TIDES)
    await house.do("dp1.remove_work", "wall", work="tides 2")
    assert titles(wall.state.items) == ["Tides 1", "Tides 3"]
    assert wall.state.current_title == "Tides 1"
    await house.do("dp1.remove_work", "wall", work=1)
    assert titles(wall.state.items) == ["Tides 3"]
    assert house.hanging("wall") == "Tides 3"
    await house.do("dp1.remove_work", "wall", work=1)
    assert wall.state.current is None


async def test_a_work_that_is_there_twice(house: House) -> None:
    """Of a work that is there twice, the one that is counted is taken out."""
    first, second, third = TIDES["items"]
    await house.phone_casts("wall", TIDES | {"items": [first, second, first, third]})
    await house.do("dp1.remove_work", "wall", work=3)
    shown = titles(house.walls["wall"].state.items)
    assert shown == ["Tides 1", "Tides 2", "Tides 3"]


async def test_nothing_comes_next_in_random_order(house: House) -> None:
    """With shuffle nothing comes next, but a work can be taken out."""
    wall = house.walls["wall"]
    await house.show("wall", playlist=TIDES, shuffle=True)
    wall.reset_counters()
    with pytest.raises(ServiceValidationError) as raised:
        await enqueue(house, "next")
    assert raised.value.translation_key == "no_next_in_shuffle"
    assert not wall.writes
    await house.do("dp1.remove_work", "wall", work="tides 2")
    assert sorted(titles(wall.state.items)) == ["Tides 1", "Tides 3"]


async def test_back_now(house: House) -> None:
    """What is shown for a limited time can be ended at once, and only that."""
    await house.phone_casts("wall", TIDES)
    await house.show("wall", playlist=DUNES, show_for={"hours": 1})
    assert house.hanging("wall") == "Dunes 1"
    left = datetime.fromisoformat(house.attribute("wall", "dp1")["until"]) - utcnow()
    assert timedelta(minutes=59) < left <= timedelta(hours=1)
    await house.do("dp1.show_previous", "wall")
    assert house.hanging("wall") == "Tides 1"
    assert house.attribute("wall", "dp1")["until"] is None
    with pytest.raises(ServiceValidationError) as raised:
        await house.do("dp1.show_previous", "wall")
    assert raised.value.translation_key == "nothing_shown_for_a_time"


async def test_next_within_what_is_shown_for_a_time(house: House) -> None:
    """A list that is shown for a time is moved in, also before its last; one work is the only one, which is told."""
    wall = house.walls["wall"]
    await house.phone_casts("wall", TIDES)
    await house.show("wall", playlist=DUNES, show_for={"hours": 1})
    await house.do("media_next_track", "wall")
    assert house.hanging("wall") == "Dunes 2"
    await house.show("wall", playlist=series("Sun", 1), show_for={"hours": 1})
    wall.reset_counters()
    for action in ("media_next_track", "media_previous_track"):
        with pytest.raises(ServiceValidationError) as raised:
            await house.do(action, "wall")
        assert raised.value.translation_key == "one_work_for_a_time"
    assert not wall.writes
    assert house.hanging("wall") == "Sun 1"
