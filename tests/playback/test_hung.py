"""Test what hangs: a list with the same works as one of ours is another one, whoever cast it."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from tests.displays import settle, until
from tests.houses import House, series, served, titles

pytestmark = pytest.mark.usefixtures("socket_enabled")

CID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"
MOMENT: dict[str, Any] = {"show_for": {"seconds": 60}}


def ours() -> dict[str, Any]:
    """Return three works of an hour each."""
    document = series("Tides", 3)
    return {**document, "items": [{**it, "duration": 3600} for it in document["items"]]}


def shorter() -> dict[str, Any]:
    document = ours()
    return {**document, "items": [{**it, "duration": 45} for it in document["items"]]}


def renamed() -> dict[str, Any]:
    """Return the same works with other ids and titles, and another title of the list."""
    items = [
        {**item, "id": f"{9:08}-0000-4000-8000-{number:012}", "title": f"Ebb {number}"}
        for number, item in enumerate(ours()["items"])
    ]
    return {**ours(), "title": "Ebbs", "items": items}


def backward() -> dict[str, Any]:
    return {**ours(), "items": ours()["items"][::-1]}


def entitled() -> dict[str, Any]:
    return {**ours(), "title": "Tides again"}


@pytest.fixture
def theirs(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return what somebody else casts."""
    document: dict[str, Any] = getattr(request, "param", shorter)()
    return document


@pytest.fixture
async def house(hass: HomeAssistant, theirs: dict[str, Any]) -> AsyncIterator[House]:
    """Cast three works, and then the same otherwise, as a phone does."""
    async with House.of(hass, "left", "right") as house:
        await house.show("left", playlist=ours())
        await house.settled("left")
        request = {"dp1_call": theirs, "intent": {"action": "now_display"}}
        await house.phone("left", "displayPlaylist", **request)
        if theirs["title"] != "Ebbs":
            # A push has no title of the list.
            await house.entries["left"].runtime_data.async_refresh_player()
        await settle(house.walls["left"])
        yield house


def list_on(house: House, name: str) -> list[tuple[Any, ...]]:
    """Return what a display shows: ids, titles and seconds of the works in order."""
    return facts(house.walls[name].state.items)


def facts(items: Any) -> list[tuple[Any, ...]]:
    return [(it["id"], it["title"], it["source"], it["duration"]) for it in items]


def title_on(house: House, name: str) -> str:
    return house.walls[name].state.playlist_title


async def test_the_list_of_the_phone(house: House, theirs: dict[str, Any]) -> None:
    """It comes back after a message, moves to another display, takes more works, and is what a group gets, not ours."""
    wanted = facts(theirs["items"])
    await house.do("dp1.show_message", "left", text="Dinner", **MOMENT)
    await settle(house.walls["left"])
    async_fire_time_changed(house.hass, dt_util.utcnow() + timedelta(seconds=61))
    await until(lambda: title_on(house, "left") != "Dinner")
    assert list_on(house, "left") == wanted
    assert title_on(house, "left") == theirs["title"]
    await house.do("dp1.hand_over", "left", to=house.entity("right"), then="keep")
    assert list_on(house, "right") == wanted
    await house.show("right", playlist=ours())
    await house.do("join", "left", group_members=[house.entity("right")])
    await until(lambda: list_on(house, "right") == wanted)
    await house.play("left", f"{house.door}/picture.jpg", enqueue="add")
    assert list_on(house, "left")[:3] == wanted
    assert titles(house.walls["left"].state.items)[3:] == ["picture"]


@pytest.mark.parametrize(
    "theirs", [shorter, renamed, backward, entitled], indirect=True
)
async def test_both_are_remembered(house: House, theirs: dict[str, Any]) -> None:
    """Ours and that of the phone are two in the history, and each can be shown again."""
    history = house.entries["left"].runtime_data.history
    recent = [entry.media_id for entry in history.entries()]
    assert len(set(recent)) == 2
    await house.play("left", recent[1])
    assert list_on(house, "left") == facts(ours()["items"])
    await house.play("left", recent[0])
    assert list_on(house, "left") == facts(theirs["items"])


async def test_ours_is_ours(hass: HomeAssistant) -> None:
    """Ours is the same list after a restart, in shuffle, after a push and when it is cast again."""
    async with House.of(hass, "left") as house:
        entry = house.entries["left"]
        await house.show("left", playlist=ours())
        await house.do("shuffle_set", "left", shuffle=True)
        await house.phone("left", "moveToArtwork", index=2)
        await hass.config_entries.async_reload(entry.entry_id)
        await until(lambda: house.attribute("left", "media_content_id"))
        await house.show("left", playlist=ours())
        await house.settled("left")
        await settle(house.walls["left"])
        assert len(entry.runtime_data.history.entries()) == 1


async def test_an_address_that_goes_as_a_document(hass: HomeAssistant) -> None:
    """What is shown for a time by its address ends in time, also where the display takes it only as a document."""
    art = ours()
    for item in art["items"]:
        item["source"] = item["source"].replace(
            "https://art.example.org", f"ipfs://{CID}"
        )
    async with House.of(hass, "left") as house, served(art) as (url,):
        await house.show("left", playlist=series("Dunes", 2))
        await house.show("left", playlist_url=url, **MOMENT)
        assert house.walls["left"].state.playlist_url is None
        assert title_on(house, "left") == "Tides"
        await house.do("dp1.show_message", "left", text="Dinner", **MOMENT)
        await settle(house.walls["left"])
        later = dt_util.utcnow() + timedelta(seconds=61)
        async_fire_time_changed(hass, later)
        # The first goes on until its own time is over.
        await until(lambda: title_on(house, "left") == "Tides")
        await settle(house.walls["left"])
        async_fire_time_changed(hass, later)
        await until(lambda: title_on(house, "left") == "Dunes")
