"""More works in the list that hangs, jumps within it, and an empty wall."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from homeassistant.components.media_player import MediaPlayerEntityFeature as Feature
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from tests.houses import House, series, served, titles

pytestmark = pytest.mark.usefixtures("socket_enabled")

TIDES = series("Tides", 3)
DUNES = series("Dunes", 2)


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    """Set up one display."""
    async with House.of(hass, "wall") as house:
        yield house


async def enqueue(house: House, how: str, document: dict[str, Any] = DUNES) -> None:
    """Put works into the list."""
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
    """The list goes on with the same work, or with the new one."""
    await house.phone_casts("wall", TIDES)
    await house.phone("wall", "moveToArtwork", index=1)
    await house.phone("wall", "setLoop", mode="none")
    await enqueue(house, how)
    shown = house.walls["wall"].state
    assert titles(shown.items) == order
    assert shown.current_title == work
    assert shown.loop_mode == ("playlist" if how == "replace" else "none")
    assert house.attribute("wall", "media_title") == work


@pytest.mark.parametrize("how", ["add", "next"])
async def test_the_current_work_is_not_loaded_again(house: House, how: str) -> None:
    """A longer list takes over without a new showing of the work, and can be played again."""
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
    """A display that ignores the longer list is cast it."""
    async with House.of(hass, "wall", takes_refresh=False) as house:
        await house.phone_casts("wall", TIDES)
        await house.phone("wall", "moveToArtwork", index=1)
        await enqueue(house, "add")
        shown = house.walls["wall"].state
        assert (len(shown.items), shown.current_title) == (5, "Tides 2")


async def test_what_is_added_to_a_sleeping_display_wakes_it(house: House) -> None:
    """A sleeping display is woken for what is added, as for a cast."""
    await house.phone_casts("wall", TIDES)
    await house.do("turn_off", "wall")
    await enqueue(house, "add")
    assert not house.walls["wall"].state.asleep
    assert len(house.walls["wall"].state.items) == 5


async def test_nothing_comes_next_in_random_order(house: House) -> None:
    """A display that shuffles cannot show a work next, and the action says so."""
    await house.show("wall", playlist=TIDES, shuffle=True)
    house.walls["wall"].reset_counters()
    with pytest.raises(ServiceValidationError) as raised:
        await enqueue(house, "next")
    assert raised.value.translation_key == "no_next_in_shuffle"
    assert not house.walls["wall"].writes


async def test_a_list_with_an_address_takes_more(house: House) -> None:
    """What hangs by its address is taken from the display, and goes on as a list without."""
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
    """The order beneath a random one stays what it was."""
    long = series("Long", 12)
    async with served(long) as (url,):
        what = {"playlist_url": url} if by_address else {"playlist": long}
        await house.show("wall", shuffle=True, start_at=4, **what)
        await enqueue(house, "add")
    shown = house.walls["wall"].state
    assert shown.shuffle
    assert shown.current_title == "Long 4"
    await house.phone("wall", "setShuffle", enabled=False)
    order = titles(house.walls["wall"].state.items)
    assert order == titles(long["items"]) + titles(DUNES["items"])


async def test_an_address_that_is_gone(house: House) -> None:
    """A shuffled list whose address is gone goes on in the order that the display tells."""
    async with served(TIDES) as (url,):
        await house.show("wall", playlist_url=url, shuffle=True)
    await enqueue(house, "add")
    shown = house.walls["wall"].state
    assert sorted(titles(shown.items)) == sorted(
        titles(TIDES["items"]) + titles(DUNES["items"])
    )


async def test_the_same_work_twice(house: House) -> None:
    """A work that is in the list already gets a name of its own, so that the place is not lost."""
    await house.phone_casts("wall", TIDES)
    await house.phone("wall", "moveToArtwork", index=2)
    await enqueue(house, "add", TIDES)
    shown = house.walls["wall"].state
    assert len({item["id"] for item in shown.items}) == 6
    assert shown.position == 2


async def test_an_empty_wall_shows_what_is_added(house: House) -> None:
    """Where nothing hangs, what is added hangs at once."""
    await enqueue(house, "add")
    assert house.hanging("wall") == "Dunes 1"


async def test_a_display_without_status_has_no_queue(hass: HomeAssistant) -> None:
    """A display that only takes playlists says that it has no queue."""
    async with House.of(hass, "wall", profile="legacy") as house:
        with pytest.raises(ServiceValidationError) as raised:
            await enqueue(house, "add")
    assert raised.value.translation_key == "display_cannot"


async def test_the_list_is_cleared(house: House) -> None:
    """A cleared wall is idle."""
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
    """A work is named by its place, its title, a part of that, or its id."""
    await house.phone_casts("wall", TIDES)
    await house.do("dp1.show_work", "wall", work=work)
    assert house.hanging("wall") == title
    assert house.attribute("wall", "media_title") == title


@pytest.mark.parametrize("work", [4, "4", "tides", "elsewhere", "²"])
async def test_a_jump_to_nowhere(house: House, work: int | str) -> None:
    """A work that is not there, or that could be several, is not guessed."""
    await house.phone_casts("wall", TIDES)
    with pytest.raises(ServiceValidationError) as raised:
        await house.do("dp1.show_work", "wall", work=work)
    assert raised.value.translation_key == "work_not_found"


async def test_a_jump_on_an_empty_wall(house: House) -> None:
    """Where nothing hangs, there is nowhere to jump."""
    with pytest.raises(ServiceValidationError) as raised:
        await house.do("dp1.show_work", "wall", work=1)
    assert raised.value.translation_key == "nothing_shown"


async def test_a_display_that_does_not_tell(house: House) -> None:
    """Of a display on its set-up page it is not known what hangs, and nothing is lost."""
    house.walls["wall"].show_setup_page()
    with pytest.raises(HomeAssistantError) as raised:
        await enqueue(house, "add")
    assert raised.value.translation_key == "cannot_tell"
