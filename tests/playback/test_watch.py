"""Test the watch over a display: one change for all who follow it, in any order."""

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

import custom_components.dp1 as module
from custom_components.dp1.coordinator import DisplayCoordinator
from custom_components.dp1.playback.activity import ACTIVITY, Activity
from custom_components.dp1.playback.media_ids import media_id
from custom_components.dp1.playback.watch import Change, Follower, Watch
from homeassistant.core import callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.util import dt as dt_util

from tests.displays import playlist, settle, until
from tests.walls import EVENING, Wall


def others(number: int, *titles: str) -> dict[str, Any]:
    """Return a list of its own works."""
    document = playlist(*titles, title=titles[0])
    document["id"] = f"385f79b6-a45f-4c1c-8080-{number:012}"
    for place, item in enumerate(document["items"], 10 * number):
        item |= {
            "id": f"5d0c9d5e-0000-4000-8000-{place:012}",
            "source": f"https://art.example.org/{place}",
        }
    return document


MORNING, BELL = others(1, "Dew", "Mist"), others(2, "Bell")


class Followers:
    """Those who follow a display, in one order."""

    def __init__(self, order: Callable[[tuple[Follower, ...]], Any]) -> None:
        self.order = order

    def watch(self, coordinator: DisplayCoordinator, *followers: Follower) -> Watch:
        return Watch(coordinator, *self.order(followers))


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize(
    "order",
    [tuple, reversed, lambda them: them[4:] + them[:4]],
    ids=["forward", "backward", "turned"],
)
async def test_the_order_does_not_matter(
    bare: Wall, monkeypatch: pytest.MonkeyPatch, order: Any
) -> None:
    """A message that ends, a phone over a message, a display that sleeps and a work that fails tell the same."""
    monkeypatch.setattr(module, "Watch", Followers(order).watch)
    wall = bare
    await wall.set_up()
    told: list[tuple[str, Any, bool]] = []

    @callback
    def note(activity: Activity) -> None:
        told.append(
            (activity.kind, activity.names.get("title"), activity.is_announcing)
        )

    async_dispatcher_connect(wall.hass, ACTIVITY, note)
    await wall.cast(EVENING)
    await until(lambda: len(told) == 2)
    await wall.cast(BELL, show_for={"hours": 1})
    await until(lambda: len(told) == 3)
    later = dt_util.utcnow() + timedelta(minutes=61)
    async_fire_time_changed(wall.hass, later)
    await until(lambda: len(told) == 4)
    await wall.cast(BELL, show_for={"hours": 1})
    await until(lambda: len(told) == 5)
    await wall.load(MORNING)
    await until(lambda: not wall.coordinator.wall.is_announcing)
    await until(lambda: len(told) == 7)
    assert [(kind, title) for kind, title, _ in told] == [
        ("playlist_started", "Dawn"),
        ("artwork_changed", "Dawn"),
        ("artwork_changed", "Bell"),
        ("artwork_changed", "Dawn"),
        ("artwork_changed", "Bell"),
        # Its work is told at once, the list once the message is known to be over.
        ("artwork_changed", "Dew"),
        ("playlist_started", "Dew"),
    ]
    announced = [is_announcing for kind, _, is_announcing in told if "work" in kind]
    assert announced[:4] == [False, True, True, True]


async def test_one_change(wall: Wall) -> None:
    """Each hears the same, in the order of what happened, whatever another does or fails to do; steps are none."""
    display = wall.coordinator
    heard: list[Change] = []
    late: list[Change] = []

    def fails(_: Change) -> None:
        raise ValueError("a fault of another")

    def changes(change: Change) -> None:
        if change.after.data.silent_host is None and len(heard) > 1:
            display.async_set(silent_host="art.example.org")

    Watch(display, heard.append, fails, changes, late.append).async_start()
    first = heard[0]
    assert (first.before, first.after.data) == (None, display.data)
    with display.requests.steps():
        display.async_set(stalled=True)
        display.async_set(stalled=False, set_up=True)
        assert len(heard) == 1
    assert heard == late
    assert all(one.after is two.before for one, two in pairwise(heard))
    assert heard[1].before == first.after
    assert heard[1].after.data.set_up
    assert heard[1].after.data.silent_host is None
    assert heard[-1].after.data == display.data
    assert display.data.silent_host == "art.example.org"


async def test_nothing_that_is_read_changes_anything(wall: Wall) -> None:
    """What a display shows can be looked at without being noted or looked up."""
    await wall.cast(EVENING)
    await settle(wall.display)
    display = wall.coordinator
    theirs = playlist("Phone", title="Phone")
    wall.display.poller.muted = True
    wall.display.player.load(theirs)
    player = await display.display.player_status()
    before = display.history.entries(), display.metadata.work, display.data
    assert [item.title for item in player.items] == ["Phone"]
    assert media_id(player, display.history) is None
    assert display.history.current(player) is None
    display._art(player)
    display._shown(player)
    assert display.assumed is None
    after = display.history.entries(), display.metadata.work, display.data
    assert after == before
    assert not display.metadata.is_looking_up
    # It is once it comes in.
    await display.async_read_player()
    assert len(display.history.entries()) == 2
