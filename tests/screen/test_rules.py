"""Test the rules of a player with a screen and with the simulated display, which share no code."""

import asyncio
from collections.abc import AsyncIterator

from aiohttp import ClientSession
import pytest

from custom_components.dp1.client.display.client import Dialect, Display
from custom_components.dp1.client.display.transport import RateLimit
from custom_components.dp1.client.errors import RejectedError
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.screen.pairing import Screens
from custom_components.dp1.screen.screen import Screen

from ..displays import playlist
from ..simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns")


@pytest.fixture(params=["simulator", "screen"])
async def player(
    request: pytest.FixtureRequest,
    display: DisplaySimulator,
    screens: Screens,
    screen: Screen,
) -> AsyncIterator[Display]:
    if request.param == "screen":
        yield screens.display(screen.device_id)
        return
    async with ClientSession() as session:
        pace = RateLimit(pace=1000)
        yield Display(
            session, "127.0.0.1", display.port, dialect=Dialect.FF, rate_limit=pace
        )


def works(*titles: str) -> Playlist:
    """Return works of five minutes."""
    return Playlist(document=playlist(*titles))


async def titles(player: Display) -> list[str | None]:
    """Return the titles in playing order, the current one first."""
    status = await player.player_status()
    names = [item.title for item in status.items]
    index = (status.index or 0) % (len(names) or 1)
    return names[index:] + names[:index]


async def test_a_cast(player: Display) -> None:
    """A cast starts with its first work, in order, and loops; without works nothing changes, and what is shown can be taken away."""
    await player.cast(works("A", "B"))
    await player.set_shuffle(True)
    await player.set_loop("one")
    await player.cast(works("C", "D", "E"))
    status = await player.player_status()
    assert (status.index, status.shuffle, status.loop_mode) == (0, False, "playlist")
    with pytest.raises(RejectedError):
        await player.cast(Playlist(document={"title": "None"}))
    assert await titles(player) == ["C", "D", "E"]
    await player.clear()
    assert await titles(player) == []


async def test_order(player: Display) -> None:
    """A work is shown by its place, counted around; works are added around the current one."""
    await player.cast(works("A", "B", "C"))
    await player.show_item(2)
    assert await titles(player) == ["C", "A", "B"]
    await player.show_item(4)
    assert await titles(player) == ["B", "C", "A"]
    assert await player.extend(works("A", "B", "C", "D"))
    assert await titles(player) == ["B", "C", "D", "A"]


async def test_schedule(player: Display) -> None:
    """A schedule keeps what is left out, and refuses a night without time."""
    schedule = await player.set_sleep_schedule(True, sleep_time="21:30")
    assert (schedule.enabled, schedule.sleep_time) == (True, "21:30")
    assert schedule.wake_time == "07:30"
    with pytest.raises(RejectedError):
        await player.set_sleep_schedule(True, wake_time="21:30")
    schedule = await player.set_sleep_schedule(True, days={"sat"})
    assert (schedule.sleep_time, schedule.days) == ("21:30", {"sat"})


async def test_settings(player: Display) -> None:
    """Settings outlast the work; a picture is turned step by step."""
    await player.cast(works("A", "B"))
    await player.update_settings(tombstone="on", scaling="stretch")
    await player.show_item(1)
    settings = (await player.player_status()).settings
    assert (settings.tombstone, settings.scaling) == ("on", "stretch")
    await player.set_default_duration(30)
    await player.set_default_duration(None)
    turned = [await player.rotate(clockwise=False) for _ in range(4)]
    assert turned == ["portrait", "landscapeReverse", "portraitReverse", "landscape"]


@pytest.mark.parametrize(
    "source", ["", "ipfs://Qm", "ar://x", "data:image/png;base64,"]
)
async def test_unplayable(player: Display, source: str) -> None:
    """One work that cannot be shown refuses all."""
    items = [{"id": "1", "title": "A", "source": source}]
    with pytest.raises(RejectedError):
        await player.cast(Playlist(document={"title": "X", "items": items}))
    assert await titles(player) == []


async def test_shuffle(player: Display) -> None:
    """Shuffle keeps the current work, and gives the order back."""
    names = list("ABCDEFGHIJ")
    await player.cast(works(*names))
    await player.show_item(4)
    await player.set_shuffle(True)
    order = await titles(player)
    assert order[0] == "E"
    assert set(order) == set(names)
    assert order[1:] != names[:4] + names[5:]
    assert (await player.player_status()).index == 0
    await player.set_shuffle(False)
    assert await titles(player) == names[4:] + names[:4]


async def test_sleep(player: Display) -> None:
    """A cast while asleep is kept, and does not wake."""

    async def until_asleep(asleep: bool) -> None:
        """Wait for the page, which an FF1 changes after its answer."""
        async with asyncio.timeout(60):
            while (await player.player_status()).asleep is not asleep:
                await asyncio.sleep(0.01)

    await player.sleep()
    schedule = (await player.device_status()).sleep_schedule
    assert schedule is not None
    assert schedule.asleep
    await player.cast(works("A"))
    await until_asleep(True)
    await player.wake()
    await until_asleep(False)
    assert await titles(player) == ["A"]
