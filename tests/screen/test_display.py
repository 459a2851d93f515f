"""Test that a screen is a display by its interface: what it is told shows in its status, and what it lacks is refused."""

import inspect
from typing import Any

import pytest

from custom_components.dp1.client.display.client import Display, Start
from custom_components.dp1.client.display.notifications import Connected
from custom_components.dp1.client.errors import (
    LostAnswerError,
    RejectedError,
    UnreachableError,
)
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.screen.display import ScreenDisplay
from custom_components.dp1.screen.pairing import Screens
from custom_components.dp1.screen.screen import Screen

from ..displays import playlist
from .conftest import Page

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns")

LACKS = [
    name
    for name, method in vars(Display).items()
    if not name.startswith("_")
    if inspect.iscoroutinefunction(method) and name not in vars(ScreenDisplay)
]


@pytest.fixture
async def display(screens: Screens, screen: Screen) -> ScreenDisplay:
    return screens.display(screen.device_id)


def works(*titles: str, **more: Any) -> Playlist:
    return Playlist(document=playlist(*titles, **more))


async def titles(display: ScreenDisplay) -> list[str | None]:
    """Return the titles in playing order, the current one first."""
    status = await display.player_status()
    names = [item.title for item in status.items]
    return names[status.index or 0 :] + names[: status.index or 0]


async def test_what_it_is_told(display: ScreenDisplay, screen: Screen) -> None:
    """Each command changes the status that is asked for after it."""
    identity = await display.identify()
    assert identity.device_id == screen.device_id
    assert display.url.endswith("/dp1/screen")
    await display.set_default_duration(30)
    await display.update_settings(scaling="fill", margin="5%")
    assert screen.player.state.duration == 30
    assert screen.player.settings["scaling"] == "fill"
    await display.set_volume(30)
    await display.toggle_mute()
    assert (await display.device_status()).volume == 30
    assert screen.player.state.muted is False
    assert await display.rotate(clockwise=False, turns=2) == "landscapeReverse"
    await display.cast(works("A"))
    loads = screen.player.work
    await display.refresh()
    assert screen.player.work != loads
    await display.set_sleep_schedule(True, days={"sat", "mon"})
    assert screen.player.state.sleep.days == ["mon", "sat"]


async def test_where_a_cast_starts(display: ScreenDisplay) -> None:
    """A cast starts with the work that is asked for, and plays as is asked for."""
    start = Start(index=2, shuffle=True, loop="none")
    await display.cast(works("A", "B", "C"), start)
    status = await display.player_status()
    assert (await titles(display))[0] == "C"
    assert (status.shuffle, status.loop_mode) == (True, "none")
    first = works("D", "E").document["items"][1]
    await display.cast(works("D", "E"), Start(source=first["source"]))
    assert await titles(display) == ["E", "D"]


async def test_works_are_added(display: ScreenDisplay, screen: Screen) -> None:
    """A list that is extended goes on where it is, in its order or at random; nothing else is extended."""
    assert not await display.extend(works("A", "B"))
    await display.cast(works("A", "B"), Start(index=1))
    assert await display.extend(works("A", "B", "C"))
    assert await titles(display) == ["B", "C", "A"]
    await display.set_shuffle(True)
    assert await display.extend(works("A", "B", "C", "D"))
    status = await display.player_status()
    assert status.shuffle and len(status.items) == 4
    other = {"items": [{"id": "e", "title": "E", "source": "https://art.example/e"}]}
    for odd in ({"items": []}, {"title": "None"}, other):
        await display.cast(works("A", "B"))
        assert not await display.extend(Playlist(document=odd))


async def test_what_it_refuses(display: ScreenDisplay) -> None:
    """What cannot be shown or done is an error with a reason, where there is one."""
    for document in ({"title": "None"}, playlist()):
        with pytest.raises(RejectedError):
            await display.cast(Playlist(document=document))
    with pytest.raises(RejectedError):
        await display.set_shuffle(True)


async def test_without_a_page(
    display: ScreenDisplay, screen: Screen, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a page nothing is shown, and that is said by the name of what is missing."""
    monkeypatch.setattr("custom_components.dp1.screen.screen.GRACE", 0)
    events = display.listen()
    assert isinstance(await anext(events), Connected)
    await page.close()
    with pytest.raises(LostAnswerError):
        async for _ in events:
            pass
    for ask in (display.probe, display.player_status, display.clear):
        with pytest.raises(UnreachableError):
            await ask()


@pytest.mark.parametrize("name", LACKS)
async def test_what_it_lacks(display: ScreenDisplay, name: str) -> None:
    """What only a device has is refused."""
    method = getattr(display, name)
    needed = [
        it
        for it in inspect.signature(method).parameters.values()
        if it.default is it.empty
    ]
    with pytest.raises(RejectedError):
        await method(*(works("A") if it.name == "playlist" else 1 for it in needed))


def test_where_a_list_starts() -> None:
    """Without a work to start with, a display starts where it does."""
    assert Start().find(()) is None
    assert Start(index=3).find(()) == 3
