"""Test two requests to one display in all orders of their steps: the newest that the display takes hangs in the end."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import combinations, combinations_with_replacement
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.display import wall as lasting
from custom_components.dp1.display.hung import Hung
from custom_components.dp1.display.state import DisplayData
from custom_components.dp1.playback import daily, wall as module
from custom_components.dp1.playback.daily import DailyWatch
from custom_components.dp1.playback.request import Ready, Request
from custom_components.dp1.playback.wall import (
    async_announce,
    async_end_announcement,
    async_extend,
    async_start,
    async_take,
    follow,
)
from custom_components.dp1.playback.watch import Change, Seen
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from .orders import OrderedLoop, orders

BEFORE, OLD_DAILY, NEW_DAILY = "https://x.example/before", "https://x/1", "https://x/2"
FIRST, SECOND = "https://x.example/first", "https://x.example/second"
THIRD = "https://x.example/third"
BAD = "https://x.example/bad"
PHONE = "https://x.example/phone"
NEVER = datetime(2026, 1, 1, tzinfo=UTC)
MOMENT = timedelta(seconds=60)


def asked() -> Request:
    """Return a request of now."""
    return Request(art=Ready(Playlist(BEFORE)))


@cache
def shown(url: str) -> PlayerStatus:
    """Return the status of a player that shows a playlist."""
    works = [{"id": "1", "source": f"{url}/1"}]
    status = {"ok": True, "playlistUrl": url, "playlist": {"id": url}}
    return PlayerStatus.parse({**status, "items": works, "index": 0})


async def switch() -> None:
    """Let whoever is ready go on."""
    await asyncio.sleep(0)


@dataclass
class Wall:
    """A display as its program sees it, which takes every playlist but the bad one."""

    url: str = BEFORE
    last_update_success: bool = True
    cast_only: bool = False
    name: str = "Wall"
    entry_id: str = "wall"
    hass: Any = None
    wall: Any = field(default_factory=lambda: lasting.Wall(None, "wall"))  # type: ignore[arg-type]
    assumed: Hung | None = None
    shown: list[str] = field(default_factory=list)

    @property
    def requests(self) -> Any:
        return self.wall.requests

    @property
    def history(self) -> Any:
        return self.wall.history

    @property
    def data(self) -> Any:
        return DisplayData(player=self.player)

    @property
    def player(self) -> PlayerStatus:
        return shown(self.url)

    @property
    def config_entry(self) -> Any:
        return SimpleNamespace(title=self.name, async_on_unload=lambda _: None)

    def create_task(self, task: Coroutine[Any, Any, None], _name: str) -> None:
        asyncio.get_running_loop().create_task(task)

    def async_update_listeners(self) -> None:
        """Update no listeners."""

    async def async_read_player(self) -> PlayerStatus:
        await switch()
        return self.player

    async def async_cast(self, playlist: Playlist, _request: Request) -> Hung:
        """Take a playlist, or refuse it."""
        await switch()
        assert playlist.url
        if playlist.url == BAD:
            raise HomeAssistantError("refused")
        hung = self.wall.hung = Hung(asked=playlist)
        self.url = playlist.url
        self.shown.append(playlist.url)
        await switch()
        return hung


async def take_snapshot(wall: Wall) -> Hung:
    player = await wall.async_read_player()
    return Hung(asked=player.as_playlist())


async def prepared(_wall: Wall, playlist: Playlist, request: Request) -> Hung:
    return Hung(asked=playlist, start=request.start)


async def hang_again(wall: Wall, hung: Hung | None) -> None:
    """Show what hung."""
    assert hung
    await wall.async_cast(hung.asked, asked())


async def respond(*_: Any) -> dict[str, Any]:
    return {}


def call_later(_hass: Any, delay: float, action: Callable[[datetime], None]) -> Any:
    """Call after a virtual time."""
    return asyncio.get_running_loop().call_later(delay, action, NEVER).cancel


def seen(display: Wall) -> Seen:
    """Return a display as its watch sees it."""
    return Seen(True, display.data, display.wall.is_announcing)


class House:
    """A display with its wall, in one order."""

    def __init__(self) -> None:
        """Hang something."""
        self.display: Any = Wall()
        async_start(self.display)
        self.until: datetime | None = None

    async def show(self, url: str, request: Request) -> None:
        with self.display.requests.pending_cast(request.number):
            await switch()
            await async_take(self.display, Playlist(url), request)

    async def show_daily(self, url: str, request: Request) -> None:
        await async_take(self.display, Playlist(url), request, daily=url)

    async def announce(self, url: str, request: Request) -> None:
        """Show for a time."""
        with self.display.requests.pending_cast(request.number):
            await switch()
            await async_announce(self.display, Playlist(url), request, MOMENT)

    async def phone(self, _url: str, _request: Request) -> None:
        """Let somebody else cast, of which the display tells."""
        await switch()
        before = seen(self.display)
        self.display.url = PHONE
        follow(self.display, Change(before, seen(self.display)))

    async def cancel(self, _url: str, _request: Request) -> None:
        """Give up what is being prepared."""
        await switch()
        self.display.requests.cancel(self.display.requests.pending)

    async def extend(self, _url: str, _request: Request) -> None:
        """Show for longer."""
        self.until = await async_extend(self.display, MOMENT)

    async def extend_late(self, url: str, request: Request) -> None:
        """Show for longer when the time is over."""
        await asyncio.sleep(MOMENT.total_seconds())
        await self.extend(url, request)

    async def end(self, _url: str, _request: Request) -> None:
        """Show what hung before."""
        with suppress(HomeAssistantError):
            await async_end_announcement(self.display)

    async def refuse(self, _url: str, request: Request) -> None:
        with suppress(HomeAssistantError):
            await self.show(BAD, request)

    async def refuse_moment(self, _url: str, request: Request) -> None:
        with suppress(HomeAssistantError):
            await self.announce(BAD, request)

    async def late(self, url: str, request: Request) -> None:
        """Show when the time of an announcement is over, so that its end comes before, meanwhile or after."""
        await asyncio.sleep(MOMENT.total_seconds())
        await self.show(url, request)

    async def move(self, _url: str, _request: Request) -> None:
        """Let the Daily, if it hangs, have another URL."""
        moved: Any = SimpleNamespace(url=NEW_DAILY, document=None)
        await DailyWatch(self.display)._async_go_on(moved, OLD_DAILY)


ACTIONS = ("show", "announce", "extend", "end", "refuse", "refuse_moment", "move")


async def meet(first: str, second: str, start: str) -> None:
    """Let two requests meet, and check what hangs once all time has passed."""
    house = House()
    display, wall = house.display, house.display.wall
    if start == "daily":
        display.url = OLD_DAILY
        wall.note(daily=OLD_DAILY)
    elif start == "announcement":
        await house.announce("https://x.example/announced", asked())
    older, newer = asked(), asked()
    await asyncio.gather(
        getattr(house, first)(FIRST, older), getattr(house, second)(SECOND, newer)
    )
    if wall.notes.announcement:
        assert wall.notes.announcement.hung.asked.url == display.url, display.shown
    if house.until is not None and {"show", "late"}.isdisjoint((first, second)):
        # What was promised is kept, unless it was ended.
        ends = [it.until for it in wall.notes.announced]
        promised = house.until in ends or "end" in (first, second)
        assert promised or (wall.until or NEVER) > house.until
    await asyncio.sleep(10_000)
    assert not wall.is_announcing
    assert wall.notes.daily in (None, display.url)
    hung = {OLD_DAILY, NEW_DAILY} if start == "daily" else {BEFORE}
    shows = ("show", "late", "show_daily")
    first_hung = {FIRST} if first in shows else hung
    expected = {SECOND} if second in shows else first_hung
    assert display.url in expected, display.shown
    if "move" in (first, second) and start == "daily" and expected == hung:
        assert display.url == NEW_DAILY or display.shown


async def meet_all(actions: tuple[str, ...], start: str) -> None:
    """Let several requests meet, also with a phone and a person who gives up, and check that none is lost or lasts for ever."""
    house = House()
    display, wall = house.display, house.display.wall
    if start == "announcement":
        await house.announce("https://x.example/announced", asked())
    urls = (FIRST, SECOND, THIRD)
    shown = {url for what, url in zip(actions, urls, strict=False) if what == "show"}
    requests = [(getattr(house, what), asked()) for what in actions]
    await asyncio.gather(
        *(do(url, it) for (do, it), url in zip(requests, urls, strict=False))
    )
    if wall.notes.announcement and "phone" not in actions:
        assert wall.notes.announcement.hung.asked.url == display.url, display.shown
    await asyncio.sleep(10_000)
    assert not wall.is_announcing and not wall.has_timer and not wall.is_busy
    assert not wall.requests.pending and not wall.requests.in_steps
    # What is shown for a time never stays.
    hung = shown | {BEFORE} | ({PHONE} if "phone" in actions else set())
    assert display.url in hung, display.shown
    if shown and not {"phone", "cancel"} & {*actions}:
        newest = max(place for place, what in enumerate(actions) if what == "show")
        assert display.url == urls[newest], display.shown
    if "phone" in actions and {*actions} <= {"phone", "cancel", "extend"}:
        assert display.url == PHONE, display.shown


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs talk to the model of a display, in virtual time."""
    for place in (module, daily):
        monkeypatch.setattr(place, "async_cast", Wall.async_cast)
    monkeypatch.setattr(module, "async_take_snapshot", take_snapshot)
    monkeypatch.setattr(module, "async_hang_again", hang_again)
    monkeypatch.setattr(module, "async_prepared", prepared)
    monkeypatch.setattr(module, "async_wake", respond)
    monkeypatch.setattr(module, "async_response", respond)
    monkeypatch.setattr(lasting, "async_call_later", call_later)
    store = SimpleNamespace(async_save=lambda _: switch())
    monkeypatch.setattr(lasting, "SafeStore", lambda *_, **__: store)

    def now() -> datetime:
        return NEVER + timedelta(seconds=asyncio.get_running_loop().time())

    monkeypatch.setattr(dt_util, "utcnow", now)


PAIRS = [
    (first, second, start)
    for start in ("nothing", "announcement", "daily")
    for one, two in combinations(ACTIONS, 2)
    for first, second in ((one, two), (two, one))
] + [
    ("show", "show", "nothing"),
    ("announce", "announce", "nothing"),
    *((first, "late", "announcement") for first in ("extend", "end", "announce")),
    ("move", "extend_late", "announcement"),
    ("show", "show_daily", "nothing"),
    ("show_daily", "show", "nothing"),
]


@pytest.mark.parametrize(("first", "second", "start"), PAIRS)
def test_two_requests(first: str, second: str, start: str) -> None:
    """Whatever comes in between, the newest that was taken hangs, and nothing lasts without end."""
    assert sum(1 for _ in orders(lambda: meet(first, second, start))) > 1


MEETINGS = ("show", "announce", "end", "phone", "cancel")


@pytest.mark.parametrize("start", ["nothing", "announcement"])
@pytest.mark.parametrize("other", ["phone", "cancel"])
@pytest.mark.parametrize("one", MEETINGS)
def test_a_phone_and_who_gives_up(one: str, other: str, start: str) -> None:
    """Wherever somebody else casts, or gives up, no request is lost and none lasts for ever."""
    assert sum(1 for _ in orders(lambda: meet_all((one, other), start), 2)) > 1


@pytest.mark.parametrize("start", ["nothing", "announcement"])
def test_three_requests(start: str) -> None:
    """The same of three at a time; in one place of each order, another goes first."""
    for actions in combinations_with_replacement(MEETINGS, 3):
        assert sum(1 for _ in orders(partial(meet_all, actions, start), 1)) > 1


async def test_the_newest_waits_least() -> None:
    """Of those that wait for a slow display, the newest is next."""
    wall = House().display.wall
    turns: list[int] = []

    async def take(number: int) -> None:
        async with wall.turn(number):
            turns.append(number)

    async with wall.turn(1):
        waiting = [asyncio.create_task(take(number)) for number in (2, 4, 3)]
        await switch()
    await asyncio.gather(*waiting)
    assert turns == [4, 3, 2]


async def show_several(times: list[tuple[int, int]]) -> None:
    """Show something from one second to another, several times, and check at each moment what hangs."""
    house, loop = House(), asyncio.get_running_loop()
    active: list[tuple[str, int]] = []
    for number, (begin, seconds) in enumerate(times):
        for moment in range(int(loop.time()), begin):
            await asyncio.sleep(moment + 0.5 - loop.time())
            active = [it for it in active if it[1] > moment]
            assert house.display.url == (active[-1][0] if active else BEFORE)
        await asyncio.sleep(begin - loop.time())
        url = f"https://x.example/{number}"
        active = [*[it for it in active if it[1] > begin][:3], (url, begin + seconds)]
        with house.display.requests.pending_cast(0):
            playlist, lasts = Playlist(url), timedelta(seconds=seconds)
            await async_announce(house.display, playlist, asked(), lasts)


def test_what_hangs_at_each_moment() -> None:
    """Each ends at its own time, of four at most, and what is below it hangs if its time is not over."""
    random = Random(7)
    for _ in range(20):
        begins = sorted(random.sample(range(1, 30), 7))
        times = [(begin, random.randint(1, 25)) for begin in begins]
        loop = OrderedLoop([])
        loop.run_until_complete(show_several([*times, (50, 1)]))
        loop.close()
