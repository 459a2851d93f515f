"""Test the client with every generation of the simulated display."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import aiohttp
import pytest

from custom_components.dp1.client.display.client import Dialect, Display, Start
from custom_components.dp1.client.display.device_status import ContentPolicy
from custom_components.dp1.client.display.notifications import Connected
from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.display.transport import RateLimit
from custom_components.dp1.client.errors import (
    PlayerNotRunningError,
    RejectedError,
    UnexpectedAnswerError,
    UnreachableError,
)
from custom_components.dp1.client.playlist.playlist import Playlist

from .displays import Waits, client

from tests.client.keys import keyed
from tests.client.scripted_server import Reply, ScriptedServer
from tests.simulators.display import DisplaySimulator, ManualClock, Page

pytestmark = pytest.mark.usefixtures("socket_enabled")

# What displays have, and what they had and will have.
FIRMWARE = ("A1", "B")
GENERATIONS = ("A", "A1", "B", "C")
LEGACY = ("legacy", "legacy-strict")
NEW = ("B", "C")
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
BAD = Playlist(document={**PLAYLIST, "items": []})

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


async def status_when(
    display: Display, reached: Callable[[PlayerStatus], bool]
) -> PlayerStatus:
    """Wait until the status fulfills a condition; the page changes a moment after the reply."""
    async with asyncio.timeout(3):
        while not reached(status := await display.player_status()):
            await asyncio.sleep(0.01)
    return status


# Who is there


@pytest.mark.parametrize("profile", GENERATIONS)
async def test_what_firmware_tells(profile: str) -> None:
    """Every read works, and detects the firmware."""
    async with ready(profile, name="Kitchen") as (simulator, display):
        identity = await display.identify()
        device = await display.device_status()
        assert display.dialect is Dialect.FF
        assert device.installed_version == simulator.firmware.version
        assert (device.screen_rotation, device.volume) == ("landscape", 50)
        assert device.muted is False
        assert device.sleep_schedule is not None
        assert device.sleep_schedule.asleep is False
        player = await display.player_status()
        assert (player.ok, player.items) == (True, ())
        assert player.settings is not None
        assert player.settings.scaling == "fit"
        assert (await display.panel_status()).brightness == 65
        metrics = await display.metrics()
        assert metrics is not None
        assert metrics.cpu_temperature == 52
        counters = await display.counters()
        assert counters is not None
        assert counters.starts == 0
        picture = await display.screenshot(64)
        if profile not in NEW:
            assert identity is None
            assert device.network is None
            assert picture is None
            return
        assert identity is not None
        assert identity.device_id == "FF1-SIM00001"
        assert "topic" not in repr(identity)
        assert (device.contract, device.device_name) == ("2", "Kitchen")
        assert device.network is not None
        assert device.network.internet is True
        assert player.settings.tombstone == "timed"
        assert picture is not None
        assert picture.startswith(b"\x89PNG")


@pytest.mark.parametrize("profile", LEGACY)
async def test_what_the_2025_description_tells(profile: str) -> None:
    """Everything but a playlist is refused, but a probe is answered."""
    async with ready(profile) as (_, display):
        assert await display.identify() is None
        assert await display.counters() is None
        assert await display.screenshot(64) is None
        await display.probe()
        for reading in (
            display.device_status,
            display.player_status,
            display.panel_status,
            display.metrics,
        ):
            with pytest.raises(RejectedError):
                await reading()
        with pytest.raises(UnexpectedAnswerError):
            await anext(display.listen())
        assert display.dialect is Dialect.UNKNOWN


# Casting


@pytest.mark.parametrize("profile", FIRMWARE + LEGACY)
@pytest.mark.parametrize("known", [True, False])
async def test_a_document(profile: str, known: bool) -> None:
    """A document is shown, whether or not the dialect is known."""
    dialect = Dialect.LEGACY if profile in LEGACY else Dialect.FF
    first = dialect if known else Dialect.UNKNOWN
    async with ready(profile, dialect=first) as (simulator, display):
        await display.cast(DOCUMENT)
        assert simulator.state.current_title == "Light 1"
        await display.cast(Playlist(document={**PLAYLIST, "items": ITEMS[1:]}))
        assert simulator.state.current_title == "Light 2"
        tries = 3 if profile == "legacy-strict" and not known else 2
        assert simulator.casts == tries
        if profile in LEGACY:
            assert display.dialect is Dialect.LEGACY


@pytest.mark.parametrize("profile", FIRMWARE + LEGACY)
async def test_a_url(profile: str) -> None:
    """The display fetches the URL and reports it."""
    async with (
        ScriptedServer.run(Reply(200, PLAYLIST)) as feed,
        ready(profile) as (simulator, display),
    ):
        url = f"{feed.url}/good"
        await display.cast(Playlist(url=url))
        assert simulator.state.playlist_url == url
        assert simulator.casts == 1
        if profile in FIRMWARE:
            status = await display.player_status()
            assert status.playlist_url == url
            assert (status.playlist_id, status.playlist_title) == ("aa11", "Evening")
            assert status.current is not None
            assert status.current.source == "data:text/html,1"


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


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_casting_while_asleep(profile: str) -> None:
    """A playlist is loaded but not visible until the display wakes."""
    async with ready(profile) as (simulator, display):
        await display.sleep()
        await status_when(display, lambda status: status.asleep is True)
        await display.cast(DOCUMENT)
        status = await display.player_status()
        assert status.asleep is True
        assert status.playlist_title == "Evening"
        await display.wake()
        schedule = (await display.device_status()).sleep_schedule
        assert schedule
        assert (schedule.asleep, schedule.override_state) == (False, "awake")
        await status_when(display, lambda status: status.asleep is False)
        assert simulator.state.current_title == "Light 1"


# Every command


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_every_command(profile: str) -> None:
    """Each does what it says, and a refusal is an error."""
    async with ready(profile, storm_gate=False) as (simulator, display):
        await display.cast(DOCUMENT)
        await display.show_item(4)
        status = await display.player_status()
        assert (status.index, status.position) == (4, 2)
        await display.set_shuffle(True)
        assert simulator.state.shuffle
        assert simulator.state.current_title == "Light 2"
        await display.set_shuffle(False)
        await display.set_loop("one")
        assert simulator.state.loop_mode == "one"
        await display.update_settings(scaling="stretch", tombstone="off")
        await display.set_default_duration(45)
        settings = (await display.player_status()).settings
        assert settings is not None
        assert (settings.scaling, settings.tombstone) == ("stretch", "off")
        assert settings.default_duration == 45
        with pytest.raises(RejectedError):
            await display.update_settings(scaling="contain")
        await display.refresh()
        await display.display_default()
        await status_when(display, lambda status: status.playlist_id != "aa11")
        await display.clear()
        assert simulator.state.current is None
        with pytest.raises(RejectedError):
            await display.set_shuffle(True)
        with pytest.raises(RejectedError, match="no_artwork"):
            await display.refresh()
        await display.set_volume(52)
        assert (await display.device_status()).volume == 52
        await display.toggle_mute()
        assert simulator.state.muted
        assert await display.rotate(clockwise=False) == "portrait"
        for action, value in (("contrast", 20), ("mute", "on"), ("power", "standby")):
            await display.panel_control(action, value)
            assert simulator.device.panel.values[action] == value
        for touch in (display.tap, display.double_tap, display.long_press):
            await touch()
        await display.send_key(65)
        schedule = await display.set_sleep_schedule(
            True, sleep_time="23:15", wake_time="06:45"
        )
        assert schedule.enabled
        assert (schedule.sleep_time, schedule.wake_time) == ("23:15", "06:45")


async def test_commands_of_new_firmware() -> None:
    """Signatures, mature works and the frame of a work are settings from 2.0 on."""
    async with ready("A1") as (_, display):
        with pytest.raises(RejectedError):
            await display.content_policy()
    async with ready("B", storm_gate=False) as (_, display):
        await display.set_signature_mode("notify")
        assert (await display.device_status()).signature_mode == "notify"
        await display.set_content_policy(False, False)
        assert await display.content_policy() == ContentPolicy(False, False, True)
        await display.cast(DOCUMENT)
        await display.update_settings(margin="4vw", background="#112233")
        await display.update_settings(framing="artwork")
        settings = (await display.player_status()).settings
        assert settings is not None
        assert (settings.margin, settings.background) == ("4vw", "#112233")
        assert settings.framing == "artwork"


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
            with pytest.raises(PlayerNotRunningError):
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


@pytest.mark.parametrize(("profile", "seconds"), [("A1", 5), ("B", 0)])
async def test_turning_twice(profile: str, seconds: float) -> None:
    """The limit of a rotation is that of the contract the display reports."""
    waits = Waits()
    async with (
        DisplaySimulator(profile, storm_gate=False) as simulator,
        client(simulator.url, rate_limit=RateLimit(sleep=waits)) as display,
    ):
        await display.identify()
        await display.device_status()
        for _ in range(3):
            await display.rotate(clockwise=False)
        assert simulator.state.orientation == "portraitReverse"
    assert sum(waits.seconds) == pytest.approx(seconds * 1.25, abs=0.5)


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_going_down_and_coming_back(profile: str) -> None:
    """A goodbye, a refusal while it starts, and the same list afterwards."""
    async with ready(profile) as (simulator, display):
        await display.cast(DOCUMENT)
        events = [event async for event in _until_end(display, display.reboot)]
        assert events[0] == Connected()
        await refused(display)
        await answered(display)
        assert (await display.player_status()).playlist_title == "Evening"
        simulator.device.latest_version = "9.9.9"
        await display.install_update()
        await refused(display)
        await answered(display)
        assert (await display.device_status()).installed_version == "9.9.9"
        await display.shutdown()
        await refused(display)
        with pytest.raises(UnreachableError, check=keyed("refused")):
            await display.wake()


async def refused(display: Display) -> None:
    """Wait until nobody listens any more; a connection that is open still may be used to its end."""
    async with asyncio.timeout(5):
        while True:
            try:
                await display.probe()
            except UnreachableError as err:
                if err.key == "refused":
                    return
            await asyncio.sleep(0.01)


async def answered(display: Display) -> None:
    """Wait until somebody answers again."""
    async with asyncio.timeout(5):
        while True:
            with suppress(UnreachableError):
                return await display.probe()
            await asyncio.sleep(0.01)


async def _until_end(
    display: Display, act: Callable[[], Awaitable[None]]
) -> AsyncIterator[object]:
    """Listen to the end, and do something once it has begun."""
    async for event in display.listen():
        if event == Connected():
            await act()
        yield event


# Rates


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


# What it says by itself


async def event_of[T](events: AsyncIterator[object], kind: type[T]) -> T:
    async with asyncio.timeout(3):
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
                known = push.over(known)
                full = await display.player_status()
                assert known.items == full.items
                assert known.playlist_title == "Evening"
                assert known.playlist == full.playlist
                assert known.settings == full.settings
                assert (known.position, known.current) == (full.position, full.current)
                assert (known.asleep, known.shuffle) == (full.asleep, full.shuffle)
