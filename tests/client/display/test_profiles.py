"""Test the client with every generation of the simulated display."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, override

import aiohttp
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.test_utils import TestServer
import pytest

from custom_components.dp1.client.display.client import Dialect, Display, Start
from custom_components.dp1.client.display.device_status import (
    ContentPolicy,
    DeviceStatus,
    PanelStatus,
)
from custom_components.dp1.client.display.notifications import Connected
from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.display.transport import RateLimit
from custom_components.dp1.client.errors import (
    Dp1Error,
    NotReadyError,
    PlayerNotRunningError,
    PlaylistRefusedError,
    RejectedError,
    UnexpectedAnswerError,
    UnreachableError,
)
from custom_components.dp1.client.playlist.playlist import Playlist

from .displays import Waits, client

from tests.client.keys import keyed
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


@pytest.fixture
async def feed() -> AsyncIterator[str]:
    """Serve playlists."""

    async def serve(request: web.Request) -> web.Response:
        match request.path:
            case "/good":
                return web.json_response(PLAYLIST)
            case "/html":
                return web.Response(text="<html>", content_type="text/html")
            case "/list":
                return web.json_response([])
        return web.Response(status=404)

    app = web.Application()
    app.router.add_get("/{path:.*}", serve)
    async with TestServer(app) as server:
        yield str(server.make_url("/")).removesuffix("/")


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
        assert device.screen_rotation == "landscape"
        assert device.volume == 50
        assert device.muted is False
        assert device.sleep_schedule is not None
        assert device.sleep_schedule.asleep is False
        player = await display.player_status()
        assert player.ok
        assert player.items == ()
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


@pytest.mark.parametrize("profile", LEGACY)
@pytest.mark.parametrize("reply", [b"", b'{"ok":true}', b'{"message":{"ok":true}}'])
async def test_replies_of_the_2025_description(profile: str, reply: bytes) -> None:
    """Any reply with a success status is a success."""
    async with ready(profile) as (simulator, display):
        simulator.server.legacy_reply = reply
        for _ in range(3):
            await display.cast(DOCUMENT)
        assert simulator.state.playlist_title == "Evening"
        applied = [record for record in simulator.received if record.applied]
        assert len(applied) == 3


@pytest.mark.parametrize("profile", FIRMWARE + LEGACY)
async def test_a_url(profile: str, feed: str) -> None:
    """The display fetches the URL and reports it."""
    async with ready(profile) as (simulator, display):
        await display.cast(Playlist(url=f"{feed}/good"))
        assert simulator.state.playlist_url == f"{feed}/good"
        assert simulator.casts == 1
        if profile in FIRMWARE:
            status = await display.player_status()
            assert status.playlist_url == f"{feed}/good"
            assert (status.playlist_id, status.playlist_title) == ("aa11", "Evening")
            assert status.current is not None
            assert status.current.source == "data:text/html,1"


@pytest.mark.parametrize("profile", FIRMWARE + LEGACY)
@pytest.mark.parametrize("path", ["/missing", "/html", "/list"])
async def test_a_url_that_is_no_playlist(profile: str, feed: str, path: str) -> None:
    """It is refused, and the current playlist stays."""
    async with ready(profile) as (simulator, display):
        await display.cast(DOCUMENT)
        with pytest.raises(RejectedError):
            await display.cast(Playlist(url=f"{feed}{path}"))
        assert simulator.state.current_title == "Light 1"


@pytest.mark.parametrize("profile", FIRMWARE + LEGACY)
async def test_a_document_without_works(profile: str) -> None:
    """It is refused with every dialect, by at most one request each."""
    async with ready(profile) as (simulator, display):
        with pytest.raises(RejectedError):
            await display.cast(BAD)
        assert simulator.casts <= 2
        assert simulator.state.playlist is None


@pytest.mark.parametrize(
    ("start", "title"),
    [
        (Start(), "Light 1"),
        (Start(index=2), "Light 3"),
        (Start(work_id="i-2"), "Light 2"),
        (Start(work_id="i-2", index=2), "Light 2"),
        (Start(work_id="gone", index=2), "Light 3"),
        (Start(work_id="gone"), "Light 1"),
        (Start(source="data:text/html,3"), "Light 3"),
        (Start(work_id="gone", source="data:text/html,2", shuffle=True), "Light 2"),
        (Start(index=1, shuffle=True, loop="one"), "Light 2"),
    ],
)
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_a_cast_that_begins_elsewhere(
    profile: str, start: Start, title: str
) -> None:
    """A cast can start with another work and order than the default."""
    async with ready(profile, dialect=Dialect.FF) as (simulator, display):
        await display.cast(DOCUMENT, start)
        assert simulator.state.current_title == title
        assert simulator.state.shuffle is bool(start.shuffle)
        assert simulator.state.loop_mode == (start.loop or "playlist")


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_a_work_that_is_in_the_list_twice(profile: str) -> None:
    """The position tells equal works apart."""
    twice = Playlist(document={**PLAYLIST, "items": [*ITEMS, ITEMS[1]]})
    async with ready(profile, dialect=Dialect.FF) as (simulator, display):
        for index, position in ((3, 3), (1, 1), (0, 1)):
            await display.cast(twice, Start(work_id="i-2", index=index))
            assert simulator.state.position == position


@pytest.mark.parametrize("profile", NEW)
async def test_what_new_firmware_says_of_a_cast(profile: str) -> None:
    """Works may not be due yet."""
    async with ready(profile, dialect=Dialect.FF) as (simulator, display):
        assert await display.cast(DOCUMENT) == DOCUMENT
        later = [{**ITEMS[0], "displayAt": "2999-01-01T00:00:00Z"}]
        not_due = Playlist(document={**PLAYLIST, "items": later})
        await display.cast(not_due)
        await display.cast(not_due, Start(index=2))
        assert simulator.state.current_title == "Light 1"


@pytest.mark.parametrize("profile", NEW)
async def test_playlists_that_new_firmware_refuses(profile: str, feed: str) -> None:
    """Each refusal has its code."""
    dead = [{**ITEMS[0], "source": f"{feed}/missing"}]
    mature = [{**ITEMS[0], "contentRating": "mature"}]
    async with ready(profile, dialect=Dialect.FF, storm_gate=False) as (_, display):
        await display.set_content_policy(False, True)
        assert await display.content_policy() == ContentPolicy(False, True, True)
        for code, playlist in (
            ("sourceUnreachable", {**PLAYLIST, "items": dead}),
            ("contentBlocked", {**PLAYLIST, "items": mature}),
            ("playlistInvalid", {**PLAYLIST, "contentRating": 5}),
        ):
            with pytest.raises(PlaylistRefusedError) as caught:
                await display.cast(Playlist(document=playlist))
            assert caught.value.code == code
            assert caught.value.detail
        await display.set_signature_mode("strict")
        with pytest.raises(PlaylistRefusedError) as caught:
            await display.cast(DOCUMENT)
        assert caught.value.code == "sigInvalid"
        large = {**PLAYLIST, "summary": "x" * 5_000_000}
        with pytest.raises(RejectedError, match="too large"):
            await display.cast(Playlist(document=large))


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


async def test_sleep_below_its_commands() -> None:
    """Older firmware only supports the sleep mode of the player."""
    async with ready("A", version="1.0.13") as (simulator, display):
        assert (await display.device_status()).sleep_schedule is None
        with pytest.raises(RejectedError):
            await display.sleep()
        await display.set_sleep_mode(True)
        await status_when(display, lambda status: status.asleep is True)
        await display.set_sleep_mode(False)
        await status_when(display, lambda status: status.asleep is False)
        assert not simulator.state.asleep


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_the_set_up_screen(profile: str) -> None:
    """Nothing is done, which is an error; the device still answers."""
    async with ready(profile) as (simulator, display):
        simulator.show_setup_page()
        await display.device_status()
        for call in (
            lambda: display.cast(DOCUMENT),
            display.player_status,
            lambda: display.set_loop("one"),
        ):
            with pytest.raises(NotReadyError):
                await call()
        assert simulator.state.playlist is None
        simulator.show_setup_page(False)
        await display.cast(DOCUMENT)


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_a_pairing_code(profile: str) -> None:
    """Old firmware leaves the player for it, new firmware paints it over the work."""
    async with ready(profile) as (_, display):
        await display.cast(DOCUMENT)
        await display.show_pairing_code(True)
        if profile in NEW:
            status = await display.player_status()
            assert "4711" not in repr(status)
        else:
            with pytest.raises(NotReadyError):
                await display.player_status()
        await display.show_pairing_code(False)
        assert (await display.player_status()).playlist_title == "Evening"


@pytest.mark.parametrize("profile", NEW)
async def test_what_is_painted_over_the_work(profile: str) -> None:
    """The newest firmware tells of it, in pushes and when asked."""
    async with ready(profile) as (_, display):
        await display.cast(DOCUMENT)
        await display.show_pairing_code(True)
        tells = profile == "C"
        assert (await display.player_status()).overlay is tells
        await display.show_pairing_code(False)
        assert not (await display.player_status()).overlay


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_a_player_that_is_unwell(profile: str) -> None:
    """Too hot is a status; a dead page is an error."""
    async with ready(profile, dialect=Dialect.FF) as (simulator, display):
        simulator.overheat()
        status = await display.player_status()
        assert (status.ok, status.error) == (False, "overheating")
        await display.cast(DOCUMENT)
        assert (await display.player_status()).ok
        simulator.break_page()
        with pytest.raises(RejectedError):
            await display.player_status()


# Every command


async def walk_player(display: Display, simulator: DisplaySimulator) -> None:
    """Everything that the player does."""
    await display.cast(DOCUMENT)
    await display.show_item(2)
    assert simulator.state.current_title == "Light 3"
    await display.show_item(4)
    status = await display.player_status()
    assert (status.index, status.position) == (4, 2)
    await display.set_shuffle(True)
    assert simulator.state.shuffle
    assert simulator.state.current_title == "Light 2"
    await display.set_shuffle(False)
    await display.set_loop("one")
    assert simulator.state.loop_mode == "one"
    await display.update_settings(scaling="stretch")
    assert simulator.state.settings["scaling"] == "stretch"
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


async def walk_device(display: Display, simulator: DisplaySimulator) -> None:
    """Everything that the device does."""
    await display.set_volume(52)
    assert (await display.device_status()).volume == 52
    await display.toggle_mute()
    assert simulator.state.muted
    assert await display.rotate(clockwise=False) == "portrait"
    assert await display.rotate(clockwise=True) == "landscape"
    for action, value in (
        ("brightness", 10),
        ("contrast", 20),
        ("volume", 30),
        ("mute", "on"),
        ("power", "standby"),
    ):
        await display.panel_control(action, value)
        assert simulator.device.panel.values[action] == value
    await display.send_key(65)
    await display.tap()
    await display.double_tap()
    await display.long_press()
    schedule = await display.set_sleep_schedule(
        True, sleep_time="23:15", wake_time="06:45"
    )
    assert schedule.enabled
    assert (schedule.sleep_time, schedule.wake_time) == ("23:15", "06:45")


async def walk_new(display: Display, simulator: DisplaySimulator) -> None:
    """Everything that only new firmware does."""
    await display.set_signature_mode("notify")
    assert (await display.device_status()).signature_mode == "notify"
    policy = ContentPolicy(False, False, True)
    await display.set_content_policy(False, False)
    assert await display.content_policy() == policy
    await display.cast(DOCUMENT)
    await display.update_settings(margin="4vw", background="#112233")
    await display.update_settings(framing="artwork")
    settings = (await display.player_status()).settings
    assert settings is not None
    assert (settings.margin, settings.background) == ("4vw", "#112233")
    assert settings.framing == "artwork"


@pytest.mark.parametrize("profile", GENERATIONS)
async def test_every_command(profile: str) -> None:
    """Each does what it says."""
    async with ready(profile, storm_gate=False) as (simulator, display):
        await walk_player(display, simulator)
        await walk_device(display, simulator)
        if simulator.firmware.since("1.0.18"):
            await display.set_default_duration(45)
            await display.update_settings(tombstone="off")
            settings = (await display.player_status()).settings
            assert settings is not None
            assert (settings.default_duration, settings.tombstone) == (45, "off")
            await display.set_default_duration(None)
        else:
            with pytest.raises(RejectedError):
                await display.set_default_duration(45)
        if profile in NEW:
            await walk_new(display, simulator)
        else:
            with pytest.raises(RejectedError):
                await display.content_policy()


async def test_turning_off_during_a_slow_cast() -> None:
    """The host of a playlist may take long; the display sleeps at once."""
    async with ready("B", dialect=Dialect.FF, fetch_seconds=1) as (simulator, display):
        cast = Playlist(url=f"{simulator.url}/none")
        casting = asyncio.create_task(display.cast(cast))
        async with asyncio.timeout(0.5):
            while not simulator.casts:
                await asyncio.sleep(0.01)
            await display.sleep()
            await display.panel_control("brightness", 10)
        assert not casting.done()
        schedule = (await display.device_status()).sleep_schedule
        assert schedule
        assert schedule.asleep
        with pytest.raises(RejectedError):
            await casting


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


# Faults


class Resolver(AbstractResolver):
    """Finds every name here."""

    @override
    async def resolve(
        self, host: str, port: int = 0, family: int = 0
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host, host="127.0.0.1", port=port, family=2, proto=0, flags=0
            )
        ]

    @override
    async def close(self) -> None:
        """Keep nothing."""


async def test_an_address_that_is_not_local() -> None:
    """The newest firmware takes only local names."""
    async with (
        DisplaySimulator("C") as simulator,
        aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=Resolver())
        ) as session,
    ):
        display = Display(session, "ff1.example.org", simulator.port)
        for call in (
            lambda: display.cast(DOCUMENT),
            display.identify,
            display.device_status,
            lambda: anext(display.listen()),
        ):
            with pytest.raises(Dp1Error, check=keyed("address_not_accepted")):
                await call()
        await display.probe()
        local = Display(session, "ff1.local", simulator.port)
        assert await local.identify() is not None


# Rates


def paced(
    session: aiohttp.ClientSession, simulator: DisplaySimulator, clock: ManualClock
) -> Display:
    """Make a client with its true rate limit, in the time of the display."""
    rate_limit = RateLimit(clock.monotonic, clock.advance)
    return Display(
        session,
        simulator.host,
        simulator.port,
        dialect=Dialect.FF,
        rate_limit=rate_limit,
    )


@pytest.mark.parametrize("profile", GENERATIONS)
async def test_twenty_automations_at_once(profile: str) -> None:
    """None is refused, order is kept, and of every kind that waits the last one wins."""
    clock = ManualClock()
    async with (
        DisplaySimulator(profile, clock=clock) as simulator,
        aiohttp.ClientSession() as session,
    ):
        display = paced(session, simulator, clock)
        casts = [
            Playlist(document={**PLAYLIST, "id": f"p-{number}"}) for number in range(5)
        ]
        await asyncio.gather(
            *(display.cast(cast) for cast in casts),
            *(display.set_volume(4 * number) for number in range(20)),
            *(display.panel_control("brightness", number) for number in range(20)),
            *(display.set_loop(mode) for mode in ("none", "one", "playlist", "one")),
            *(display.toggle_mute() for _ in range(20)),
            *(display.rotate(clockwise=True) for _ in range(4)),
            *(
                display.set_sleep_schedule(True, sleep_time=f"2{n}:00")
                for n in range(4)
            ),
            *(display.tap() for _ in range(120)),
            display.wake(),
            *(display.show_item(number) for number in (0, 1, 2)),
        )
        assert {record.status for record in simulator.received} == {200}
        assert simulator.max_in_flight <= 3
        assert simulator.state.playlist is not None
        assert simulator.state.playlist["id"] == "p-4"
        assert simulator.state.volume == 76
        assert simulator.device.panel.values["brightness"] == 19
        assert simulator.state.loop_mode == "one"
        assert not simulator.state.muted
        assert simulator.state.orientation == "landscape"
        assert simulator.sleep.sleep_time == "23:00"
        assert simulator.state.position == 2
        commands = simulator.commands
        assert commands.count("displayPlaylist") == 1
        assert commands.count("setVolume") == 1
        assert commands.count("toggleMute") == 20
        assert commands.count("tapGesture") == 120
        player = {"displayPlaylist", "setLoop", "moveToArtwork"}
        assert [name for name in commands if name in player] == [
            "displayPlaylist",
            "setLoop",
            "moveToArtwork",
        ]
        device = [name for name in commands if name not in {*player, "ddcPanelControl"}]
        assert device[0] == "setVolume"
        order = list(dict.fromkeys(device))
        assert device == sorted(device, key=order.index)


@pytest.mark.parametrize("profile", ["A1", "B", "C"])
async def test_the_phone_is_not_refused_because_of_us(profile: str) -> None:
    """While we send as much as we may, there is always something left for another."""
    clock = ManualClock()
    async with (
        DisplaySimulator(profile, clock=clock) as simulator,
        aiohttp.ClientSession() as session,
    ):
        display = paced(session, simulator, clock)
        phone = Display(session, simulator.host, simulator.port, dialect=Dialect.FF)
        for _ in range(6):
            for _ in range(4):
                await display.cast(DOCUMENT)
                await display.toggle_mute()
            received = len(simulator.received)
            await phone.set_loop("one")
            assert simulator.received[received].status == 200
        assert {record.status for record in simulator.received} == {200}


# What it says by itself


async def event_of[T](events: AsyncIterator[object], kind: type[T]) -> T:
    async with asyncio.timeout(3):
        while not isinstance(event := await anext(events), kind):
            pass
    return event


@pytest.mark.parametrize("profile", GENERATIONS)
async def test_a_push_over_a_snapshot_is_the_full_status(
    profile: str, feed: str
) -> None:
    """What pushes leave out is kept from what was asked for, and what they carry is right."""
    async with ready(profile, storm_gate=False) as (simulator, display):
        await display.cast(Playlist(url=f"{feed}/good"))
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


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_device_and_panel_are_pushed_too(profile: str) -> None:
    """As long as the vendor's cloud is there."""
    async with ready(profile) as (_, display), aclosing(display.listen()) as events:
        assert await anext(events) == Connected()
        await display.toggle_mute()
        async with asyncio.timeout(3):
            while not (await event_of(events, DeviceStatus)).muted:
                pass
        await display.panel_control("brightness", 12)
        async with asyncio.timeout(3):
            while (await event_of(events, PanelStatus)).brightness != 12:
                pass
