"""Something is shown for a moment, and what hung before comes back."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.dp1.coordinator import DisplayCoordinator
from custom_components.dp1.playback import announce as module
from custom_components.dp1.playback.announce import ANNOUNCEMENTS
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.util import dt as dt_util

from tests.displays import settle, until
from tests.houses import House, series, served, titles

pytestmark = pytest.mark.usefixtures("socket_enabled")

ART = series("Tides", 5)
MOMENT = {"show_for": {"seconds": 60}}


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    """Set up one display."""
    async with House.of(hass, "wall") as house:
        yield house


async def ring(house: House, **data: Any) -> None:
    """Show who is at the door."""
    await house.show(
        "wall", media_content_id=f"{house.door}/picture.jpg", **{**MOMENT, **data}
    )
    assert house.hanging("wall") == "picture"


async def wait(house: House, seconds: float = 61) -> None:
    """Let time pass, once nothing is asked any more: what is on its way then would time out."""
    await settle(house.walls["wall"])
    async_fire_time_changed(house.hass, dt_util.utcnow() + timedelta(seconds=seconds))
    await house.hass.async_block_till_done()


async def hang(house: House, place: int = 3) -> None:
    """Let art hang, shuffled, at some work."""
    await house.phone_casts("wall", ART)
    await house.phone("wall", "moveToArtwork", index=place)
    await house.phone("wall", "setShuffle", enabled=True)
    await house.phone("wall", "setLoop", mode="one")


def assert_back(house: House, work: str = "Tides 4") -> None:
    """See that everything is as it was."""
    shown = house.walls["wall"].state
    assert shown.playlist_title == "Tides"
    assert sorted(titles(shown.items)) == titles(ART["items"])
    assert shown.current_title == work
    assert shown.shuffle
    assert shown.loop_mode == "one"


async def test_doorbell(house: House) -> None:
    """After the picture of the doorbell hangs the same work of the same list, shuffled and repeated as before."""
    await hang(house)
    await ring(house)
    await wait(house)
    assert_back(house)
    assert not house.walls["wall"].state.asleep
    assert not house.hass.data[ANNOUNCEMENTS].is_active(house.entries["wall"].entry_id)
    state = house.state("wall")
    assert state.attributes["media_title"] == "Tides 4"
    assert state.attributes["shuffle"] is True
    assert state.attributes["repeat"] == "one"


async def test_a_work_alone(house: House) -> None:
    """A work of the playlist is shown without the others and without a break, and then the playlist goes on."""
    await hang(house)
    await house.do("dp1.show_work", "wall", work="Tides 2", **MOMENT)
    wall = house.walls["wall"].state
    assert titles(wall.items) == ["Tides 2"]
    assert wall.items[0]["duration"] == 60
    assert house.attribute("wall", "media_playlist") == "Tides"
    await wait(house)
    assert_back(house)


async def test_a_work_alone_of_a_playlist_by_its_url(house: House) -> None:
    """A playlist that was cast by its URL is left alone."""
    async with served(ART) as (url,):
        await house.show("wall", playlist_url=url)
        await house.do("dp1.show_work", "wall", work=3, **MOMENT)
        assert house.hanging("wall") == "Tides 3"
        assert house.walls["wall"].state.playlist_url is None
        await wait(house)
    assert house.walls["wall"].state.playlist_url == url
    assert house.hanging("wall") == "Tides 1"


async def test_a_list_with_an_address_comes_back_by_it(house: House) -> None:
    """The display goes on refreshing a list that it was given by address."""
    async with served(ART) as (url,):
        await house.show("wall", playlist_url=url, start_at=2)
        await ring(house)
        await wait(house)
        shown = house.walls["wall"].state
        assert shown.playlist_url == url
        assert shown.current_title == "Tides 2"
        assert not shown.shuffle
        assert shown.loop_mode == "playlist"


async def forget(house: House) -> None:
    """Start announcements again from the storage."""
    before = house.hass.data[ANNOUNCEMENTS]
    fresh = house.hass.data[ANNOUNCEMENTS] = module.Announcements(house.hass)
    await fresh.async_load()
    for entry in house.entries.values():
        assert fresh.is_active(entry.entry_id) == before.is_active(entry.entry_id)


async def test_doorbell_and_home_assistant_restarts(
    house: House, hass_storage: dict[str, Any]
) -> None:
    """What hung comes back at its time although Home Assistant has restarted meanwhile."""
    await hang(house)
    await ring(house)
    writes = house.walls["wall"].writes
    await forget(house)
    await house.hass.config_entries.async_reload(house.entries["wall"].entry_id)
    await wait(house, 50)
    assert house.walls["wall"].writes == writes
    await wait(house)
    assert_back(house)
    assert hass_storage["dp1.announcements"]["data"] == {}


async def test_home_assistant_is_down_when_a_moment_ends(house: House) -> None:
    """What hung comes back as soon as Home Assistant does."""
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


async def test_doorbell_and_the_phone_casts(house: House) -> None:
    """What somebody has shown meanwhile stays."""
    await hang(house)
    await ring(house)
    await house.phone_casts("wall", series("Dunes", 2))
    await wait(house)
    assert house.hanging("wall") == "Dunes 1"
    assert house.attribute("wall", "media_title") == "Dunes 1"


async def test_home_assistant_casts_meanwhile(house: House) -> None:
    """What Home Assistant was asked to show for good stays, be it the same picture."""
    await hang(house)
    await ring(house)
    await house.play("wall", f"{house.door}/picture.jpg")
    await wait(house)
    assert house.hanging("wall") == "picture"


async def test_a_cast_that_fails_changes_nothing(house: House) -> None:
    """A cast that never hung does not keep what hung before from coming back."""
    await hang(house)
    await ring(house)
    fault = house.walls["wall"].inject("status", command="displayPlaylist")
    with pytest.raises(HomeAssistantError):
        await house.play("wall", f"{house.door}/other.jpg")
    with pytest.raises(HomeAssistantError):
        await house.show("wall", media_content_id=f"{house.door}/y.jpg", **MOMENT)
    assert fault
    house.walls["wall"].heal()
    await wait(house)
    assert_back(house)


async def test_a_moment_that_fails_leaves_nothing_behind(house: House) -> None:
    """A picture that could not be shown does not come to an end later."""
    await hang(house)
    house.walls["wall"].inject("status", command="displayPlaylist")
    with pytest.raises(HomeAssistantError):
        await house.show("wall", media_content_id=f"{house.door}/picture.jpg", **MOMENT)
    assert not house.hass.data[ANNOUNCEMENTS].is_active(house.entries["wall"].entry_id)


async def test_two_at_the_door(house: House) -> None:
    """The second ring stays its own time, and then comes what hung before the first."""
    await hang(house)
    await ring(house)
    await house.show(
        "wall",
        media_content_id=f"{house.door}/second.jpg",
        show_for={"seconds": 120},
    )
    await wait(house, 61)
    assert house.hanging("wall") == "second"
    await wait(house, 121)
    assert_back(house)


async def test_a_shorter_second_moment(house: House) -> None:
    """A short moment within a long one does not cut that short."""
    await hang(house)
    await ring(house)
    await ring(house, show_for={"seconds": 5})
    await wait(house, 6)
    assert house.hanging("wall") == "picture"
    await wait(house)
    assert_back(house)


async def test_many_at_once(house: House) -> None:
    """However many ring at once: one of them hangs, and then what hung before."""
    await hang(house)
    await asyncio.gather(
        *(
            house.show("wall", media_content_id=f"{house.door}/{n}.jpg", **MOMENT)
            for n in range(20)
        )
    )
    assert house.hanging("wall") == "19"
    await wait(house)
    assert_back(house)


async def test_a_sleeping_display_sleeps_again(house: House) -> None:
    """A display that slept is woken for the moment, and sleeps again with its list."""
    await hang(house)
    await house.do("turn_off", "wall")
    await ring(house)
    assert not house.walls["wall"].state.asleep
    await wait(house)
    await until(lambda: house.walls["wall"].state.asleep)
    assert_back(house)


async def test_put_to_sleep_meanwhile(house: House) -> None:
    """A display that somebody put to sleep goes on sleeping, with its list."""
    await hang(house)
    await ring(house)
    await house.do("turn_off", "wall")
    await wait(house)
    assert house.walls["wall"].state.asleep
    assert_back(house)


async def test_an_empty_wall_is_empty_again(house: House) -> None:
    """Where nothing hung, nothing hangs afterwards."""
    await ring(house)
    await wait(house)
    assert house.walls["wall"].state.current is None
    assert house.state("wall").state == "idle"


async def test_a_display_out_of_reach_returns_when_it_is_back(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A display that does not answer at the end is asked again until it does."""
    await hang(house)
    await ring(house)
    await house.walls["wall"].refuse()
    await wait(house)
    assert house.walls["wall"].state.current_title == "picture"
    await house.walls["wall"].accept()
    await wait(house, 75)
    assert_back(house)


async def test_patience_ends(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has hung for so long is not taken off any more."""
    monkeypatch.setattr(module, "GIVE_UP_AFTER", timedelta(seconds=-300))
    await hang(house)
    await ring(house)
    await house.walls["wall"].refuse()
    await wait(house)
    await house.walls["wall"].accept()
    await wait(house, 600)
    assert house.hanging("wall") == "picture"


async def test_announce(house: House) -> None:
    """An announcement hangs for half a minute, or as long as it says."""
    await hang(house)
    await house.play("wall", f"{house.door}/picture.jpg", announce=True)
    assert house.hanging("wall") == "picture"
    await wait(house, 20)
    assert house.hanging("wall") == "picture"
    await wait(house, 31)
    assert_back(house)


@pytest.mark.parametrize("extra", [{"duration": 90}, {"show_for": "00:01:30"}])
async def test_announce_for_as_long_as_asked(house: House, extra: Any) -> None:
    """The length of an announcement can be said."""
    await hang(house)
    await house.play("wall", f"{house.door}/picture.jpg", announce=True, extra=extra)
    await wait(house, 29)
    assert house.hanging("wall") == "picture"
    await wait(house, 91)
    assert_back(house)


async def test_announce_without_sense(house: House) -> None:
    """A length that is none is said to be none."""
    with pytest.raises(ServiceValidationError) as raised:
        await house.play(
            "wall",
            f"{house.door}/picture.jpg",
            announce=True,
            extra={"duration": "soon"},
        )
    assert raised.value.translation_key == "not_a_duration"


async def test_moments_are_not_kept_among_the_lists(house: House) -> None:
    """What hangs for a moment does not push out what was given to the display."""
    await hang(house)
    coordinator: DisplayCoordinator = house.entries["wall"].runtime_data
    before = [given.title for given in coordinator.history.entries()]
    await ring(house)
    assert house.attribute("wall", "media_content_id") is None
    await wait(house)
    assert (
        [given.title for given in coordinator.history.entries()] == before == ["Tides"]
    )


async def test_a_removed_display_is_forgotten(
    house: House, hass_storage: dict[str, Any]
) -> None:
    """Nothing is kept of a display that is removed."""
    await hang(house)
    await ring(house)
    entry = house.entries["wall"]
    await entry.runtime_data.history.async_save()
    assert f"dp1.history.{entry.entry_id}" in hass_storage
    await house.hass.config_entries.async_remove(entry.entry_id)
    assert hass_storage["dp1.announcements"]["data"] == {}
    assert f"dp1.history.{entry.entry_id}" not in hass_storage


async def test_a_display_that_cannot_tell(hass: HomeAssistant) -> None:
    """A display that only takes playlists returns to the last one that it was given; before that, there is none."""
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
