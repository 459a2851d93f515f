"""Test requests to a group, and displays that join and leave it, in all orders of their steps."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import combinations_with_replacement, product
from types import SimpleNamespace
from typing import Any

import pytest

from custom_components.dp1 import displays
from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.playback import groups, wall as module
from custom_components.dp1.playback.groups import (
    GROUPS,
    Groups,
    async_join,
    async_on_group,
    async_unjoin,
    follow_leader,
    group_of,
)
from custom_components.dp1.playback.queue import async_step
from custom_components.dp1.playback.wall import async_start, async_take
from custom_components.dp1.playback.watch import Watch
from homeassistant.core import Context

from .orders import orders
from .test_orders import FIRST, Wall, asked, hang_again, model, switch, take_snapshot

__all__ = ["model"]
# All orders would be too many.
MOST_SWITCHES = 2
WORKS = [{"id": str(n), "source": f"https://x.example/{n}"} for n in range(5)]


@cache
def shown(url: str, place: int) -> PlayerStatus:
    """Return the status of a player at a place of a playlist."""
    status = {"ok": True, "playlistUrl": url, "items": WORKS, "index": place}
    return PlayerStatus.parse(status)


@dataclass
class Member(Wall):
    """A display with five works, which pushes what it shows."""

    place: int = 0
    listeners: list[Callable[[], None]] = field(default_factory=list)

    @property
    def player(self) -> PlayerStatus:
        return shown(self.url, self.place)

    def async_add_listener(self, listener: Callable[[], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: None

    def async_update_listeners(self) -> None:
        """Tell what is shown now."""
        for listener in self.listeners:
            listener()

    async def async_cast(self, playlist: Playlist, _request: Any) -> Any:
        """Take a playlist from its first work on."""
        playlist = await super().async_cast(playlist, _request)
        self.place = 0
        self.async_update_listeners()
        return playlist

    async def async_show_item(self, index: int) -> None:
        await switch()
        self.place = index
        self.async_update_listeners()


async def restore(wall: Member, hung: Any) -> None:
    """Show a playlist at its place."""
    await hang_again(wall, hung)
    await wall.async_show_item(hung.start.find(wall.player.items) or 0)


class House:
    """Two displays, of which the first leads."""

    def __init__(self) -> None:
        self.displays: Any = {
            name: Member(entry_id=name, name=name) for name in ("left", "right")
        }
        self.hass: Any = SimpleNamespace(data={}, walls=[*self.displays.values()])
        self.hass.data[GROUPS] = Groups(self.hass)
        # As the steps of a script have.
        self.context = Context()
        for wall in self.displays.values():
            wall.hass = self.hass
            async_start(wall)
            Watch(wall, partial(follow_leader, wall)).async_start()

    async def show(self, display: Any) -> None:
        """Show something new on a display, or on its group."""
        request = asked()

        async def action(leader: Any) -> None:
            await async_take(leader, Playlist(FIRST), request)

        await async_on_group(display, self.context, "show", action)

    async def next(self, display: Any) -> None:
        await async_on_group(
            display, self.context, "next", lambda it: async_step(it, 1)
        )

    async def phone(self, display: Any) -> None:
        """Move without Home Assistant."""
        await display.async_show_item(3)

    async def join(self, display: Any) -> None:
        await async_join(display, self.displays.keys() - {display.entry_id})

    async def leave(self, display: Any) -> None:
        await async_unjoin(self.hass, display.entry_id)


REQUESTS = [
    *product(("show", "next", "join", "leave"), ("left", "right")),
    ("phone", "left"),
]
# Who follows may be moved with a phone, until the leader moves.
FREE = {("phone", "left"), ("join", "right")}
PAIRS = [pair for pair in combinations_with_replacement(REQUESTS, 2) if {*pair} != FREE]


@pytest.fixture(autouse=True)
def group_model(model: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let groups talk to the model of a display."""
    store = SimpleNamespace(async_save=lambda _: switch())
    monkeypatch.setattr(groups, "SafeStore", lambda *_: store)
    monkeypatch.setattr(module, "async_cast", Member.async_cast)
    monkeypatch.setattr(groups, "async_take_snapshot", take_snapshot)
    monkeypatch.setattr(groups, "async_hang_again", restore)
    for place in (displays, groups):
        monkeypatch.setattr(place, "async_displays", lambda hass: hass.walls)


async def meet(first: tuple[str, str], second: tuple[str, str]) -> None:
    """Let two requests meet in a group, and check that who is in it shows the same."""
    house = House()
    walls = house.displays
    await house.join(walls["left"])
    await asyncio.gather(
        *(getattr(house, what)(walls[who]) for what, who in (first, second))
    )
    await asyncio.sleep(10_000)
    kinds, seen = (
        [first[0], second[0]],
        [(it.url, it.place) for it in walls.values()],
    )
    grouped = {bool(group_of(house.hass, name)) for name in walls}
    assert len(grouped) == 1
    assert "join" in kinds or grouped == {"leave" not in kinds}
    if grouped == {True}:
        assert seen[0] == seen[1]
        if "show" in kinds and ("join", "right") not in (first, second):
            assert seen[0][0] == FIRST
        elif not {"phone", "join"} & set(kinds):
            # A call for several members counts once, and two steps count twice.
            is_one_call = kinds == ["next", "next"] and first != second
            assert seen[0][1] == kinds.count("next") - is_one_call


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_requests(first: tuple[str, str], second: tuple[str, str]) -> None:
    """Whatever comes in between, the members of a group show the same."""
    assert sum(1 for _ in orders(lambda: meet(first, second), MOST_SWITCHES)) > 1
