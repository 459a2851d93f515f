"""Test the client with every generation of the simulated display."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, nullcontext
from typing import Any

import aiohttp
import pytest

from custom_components.dp1.client.display.client import Dialect, Display, Start
from custom_components.dp1.client.display.notifications import Connected
from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.display.transport import RateLimit
from custom_components.dp1.client.errors import BusyError, RejectedError
from custom_components.dp1.client.playlist.playlist import Playlist

from .displays import Waits, client, expected_lingering_timers  # noqa: F401

from tests.client.keys import keyed
from tests.client.scripted_server import Reply, ScriptedServer
from tests.simulators.display import DisplaySimulator, ManualClock, Page

pytestmark = pytest.mark.usefixtures("socket_enabled")

# What displays have, and what they had and will have.
FIRMWARE = ("A1", "B")
GENERATIONS = ("A", "A1", "B", "C")
ITEMS = [
    {
        "id": f"i-{number}",
        "title": f"Light {number}",
        "source": f"data:text/html,{number}",
        "duration": 3600,
        "license": "open",
    }
    for number in (1, 2, 3)
]
PLAYLIST = {"dpVersion": "1.1.0", "id": "aa11", "title": "Evening", "items": ITEMS}
DOCUMENT = Playlist(document=PLAYLIST)

type Ready = tuple[DisplaySimulator, Display]


@asynccontextmanager
async def ready(profile: str, **options: Any) -> AsyncIterator[Ready]:
    """Run a display with a client without waits for its rate limit."""
    dialect = options.pop("dialect", Dialect.UNKNOWN)
    options = {"poll_interval": 0.05, "page_delay": 0.0, "boot_seconds": 0.2, **options}
    async with (
        DisplaySimulator(profile, **options) as simulator,
        client(simulator.url, dialect) as display,
    ):
        yield simulator, display


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_a_cast_that_begins_elsewhere(profile: str) -> None:
    """A cast can start with another work and order than the default."""
    source = "data:text/html,2"
    async with ready(profile, dialect=Dialect.FF) as (simulator, display):
        for start in (
            Start(work_id="gone", source=source, shuffle=True),
            Start(index=1, shuffle=True, loop="one"),
        ):
            await display.cast(DOCUMENT, start)
            assert simulator.state.current_title == "Light 2"
            assert simulator.state.shuffle is True
            assert simulator.state.loop_mode == (start.loop or "playlist")


@pytest.mark.parametrize("page", [Page.BLANK, Page.PLAYLIST])
async def test_the_player_is_not_running(page: Page) -> None:
    """Whether its page is another one or its browser is dead: each command says so."""
    async with ready("A1", dialect=Dialect.FF) as (simulator, display):
        simulator.show_page(page)
        simulator.player.dead = "gone" if page is Page.PLAYLIST else ""
        for call in (
            display.cast(DOCUMENT),
            display.show_item(1),
            display.player_status(),
            display.sleep(),
        ):
            with pytest.raises(
                RejectedError, check=keyed("display_player_not_running")
            ):
                await call
        assert (await display.device_status()).volume is not None


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_extend(profile: str) -> None:
    """A longer list takes over without a new showing, with shuffle too, but not in place of a URL."""
    async with ready(profile) as (simulator, display):
        items = [*ITEMS, {**ITEMS[0], "id": "i-4"}]
        longer = Playlist(document={**PLAYLIST, "items": items})
        assert not await display.extend(longer)
        await display.device_status()
        assert not await display.extend(longer)
        await display.cast(DOCUMENT, Start(index=1, shuffle=True, loop="one"))
        showing = simulator.player.settings.showing_key
        assert await display.extend(longer)
        status = await display.player_status()
        assert (len(status.items), status.loop_mode, status.shuffle) == (4, "one", True)
        assert simulator.state.current_title == "Light 2"
        assert simulator.player.settings.showing_key == showing
        simulator.player.playlist_url = "https://feed.example.org/aa11"
        assert not await display.extend(DOCUMENT)
        assert len(simulator.state.items) == 4


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_extend_where_refresh_is_not_known(profile: str) -> None:
    """That it did not take is noticed."""
    async with ready(profile, dialect=Dialect.FF, takes_refresh=False) as (_, display):
        await display.cast(DOCUMENT, Start(index=1, loop="one"))
        assert not await display.extend(
            Playlist(document={**PLAYLIST, "items": [*ITEMS, ITEMS[0]]})
        )


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_the_newest_of_three_casts_is_refused(profile: str) -> None:
    """The one before it is shown, and is not told the error of the other."""
    async with ready(profile, dialect=Dialect.FF) as (simulator, display):
        slow = simulator.inject("slow", command="displayPlaylist", times=1, seconds=0.3)
        first = asyncio.create_task(display.cast(DOCUMENT))
        while not slow.hits:
            await asyncio.sleep(0.01)
        good = Playlist(document={**PLAYLIST, "id": "bb22"})
        bad = Playlist(document={**PLAYLIST, "items": []})
        answers = await asyncio.gather(
            first, display.cast(good), display.cast(bad), return_exceptions=True
        )
        assert [type(answer) for answer in answers[:2]] == [Playlist, Playlist]
        assert isinstance(answers[2], RejectedError)
        assert simulator.state.playlist is not None
        assert simulator.state.playlist["id"] == "bb22"


async def test_a_slow_cast_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A display that answers other requests meanwhile has the time that it takes, and the cast is sent once."""
    monkeypatch.setattr(
        "custom_components.dp1.client.display.client._CAST_PATIENCE", 0.05
    )
    async with ready("B", dialect=Dialect.FF) as (simulator, display):
        simulator.inject("slow", command="displayPlaylist", times=1, seconds=0.5)
        await display.cast(DOCUMENT)
        assert simulator.commands.count("displayPlaylist") == 1
        assert simulator.state.playlist is not None


@pytest.mark.parametrize(("profile", "turned"), [("A1", 3), ("B", 4)])
async def test_turning_again(profile: str, turned: int) -> None:
    """The limit of a rotation is that of the contract the display reports; one that would wait for long is refused."""
    async with (
        DisplaySimulator(profile, storm_gate=False) as simulator,
        client(simulator.url, rate_limit=RateLimit(sleep=Waits())) as display,
    ):
        await display.identify()
        await display.device_status()
        with pytest.raises(BusyError) if turned < 4 else nullcontext():
            for _ in range(4):
                await display.rotate(clockwise=False)
        assert simulator.commands.count("rotate") == turned


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_twenty_automations_at_once(profile: str) -> None:
    """None is refused, order is kept, and of every kind that waits the last one wins."""
    clock = ManualClock()
    async with (
        DisplaySimulator(profile, clock=clock) as simulator,
        aiohttp.ClientSession() as session,
    ):
        display = Display(
            session,
            simulator.host,
            simulator.port,
            dialect=Dialect.FF,
            rate_limit=RateLimit(clock.monotonic, clock.advance),
        )
        await asyncio.gather(
            *(display.cast(Playlist(document={**PLAYLIST, "id": n})) for n in "abc"),
            *(display.set_volume(4 * number) for number in range(20)),
            *(display.panel_control("brightness", number) for number in range(20)),
            *(display.set_loop(mode) for mode in ("none", "one", "playlist", "one")),
            *(display.toggle_mute() for _ in range(20)),
            *(display.rotate(clockwise=True) for _ in range(4)),
            *(display.tap() for _ in range(120)),
            display.wake(),
            *(display.show_item(number) for number in (0, 1, 2)),
        )
        assert {record.status for record in simulator.received} == {200}
        assert simulator.max_in_flight <= 3
        assert simulator.state.playlist is not None
        assert simulator.state.playlist["id"] == "c"
        assert (simulator.state.volume, simulator.state.muted) == (76, False)
        assert simulator.device.panel.values["brightness"] == 19
        assert simulator.state.loop_mode == "one"
        assert simulator.state.orientation == "landscape"
        assert simulator.state.position == 2
        commands = simulator.commands
        assert commands.count("toggleMute") == 20
        assert commands.count("tapGesture") == 120
        player = ["displayPlaylist", "setLoop", "moveToArtwork"]
        assert [name for name in commands if name in player] == player


async def event_of[T](events: AsyncIterator[object], kind: type[T]) -> T:
    async with asyncio.timeout(30):
        while not isinstance(event := await anext(events), kind):
            pass
    return event


@pytest.mark.parametrize("profile", GENERATIONS)
async def test_a_push_over_a_snapshot_is_the_full_status(profile: str) -> None:
    """What pushes leave out is kept from what was asked for, and what they carry is right."""
    async with (
        ScriptedServer.run(Reply(200, PLAYLIST)) as feed,
        ready(profile, storm_gate=False) as (simulator, display),
    ):
        await display.cast(Playlist(url=f"{feed.url}/good"))
        await display.update_settings(scaling="fill")
        known = await display.player_status()
        async with aclosing(display.listen()) as events:
            assert await anext(events) == Connected()
            for act in (
                lambda: display.show_item(1),
                lambda: display.set_loop("one"),
                lambda: display.set_shuffle(True),
                lambda: display.show_item(2),
                lambda: display.set_shuffle(False),
                display.sleep,
                display.wake,
            ):
                await act()
                await asyncio.sleep(0.02)
                simulator.poller.forget()
                simulator.poller.force()
                push = await event_of(events, PlayerStatus)
                while (now := await display.player_status()) and (
                    push.index,
                    push.item_ids,
                    push.loop_mode,
                    push.asleep,
                ) != (now.index, now.item_ids, now.loop_mode, now.asleep):
                    push = await event_of(events, PlayerStatus)
                known = push.completed_by(known)
                full = await display.player_status()
                assert known.items == full.items
                assert known.playlist_title == "Evening"
                assert known.playlist == full.playlist
                assert known.settings == full.settings
                assert (known.position, known.current) == (full.position, full.current)
                assert (known.asleep, known.shuffle) == (full.asleep, full.shuffle)
