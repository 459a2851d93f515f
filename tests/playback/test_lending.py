"""Test that what is lent is lent for as long as it hangs, and only to the pages that show it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
import re
from typing import Any
from urllib.parse import unquote

import aiohttp
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.grants import GRANTS
from homeassistant.components.media_source import MediaSource, PlayMedia
from homeassistant.components.media_source.const import DATA_MEDIA_SOURCE_PLATFORMS
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.exceptions import ServiceValidationError

from .test_home_media import LIVE, SOURCE, loaded, play, set_up_home

from tests.displays import entry_of, playlist, set_up, state_of, until
from tests.pictures import PNG
from tests.simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

CAMERA = "camera.door"
PLAYER = "http://127.0.0.1:8080"


@pytest.fixture
async def home(
    hass: HomeAssistant,
    tmp_path: Path,
    hass_client_no_auth: ClientSessionGenerator,
    display_entry: MockConfigEntry,
) -> str:
    """Set up a home."""
    return await set_up_home(hass, tmp_path, hass_client_no_auth, display_entry)


class Elsewhere(MediaSource):
    """A source whose media have no file."""

    async def async_resolve_media(self, item: Any) -> PlayMedia:
        return PlayMedia("/media/local/tide.mp4", "video/mp4")


class Sources:
    """All sources, as Home Assistant has them."""

    async def async_get_platform(self, domain: str) -> MediaSource:
        return Elsewhere(domain)


def lent(display: DisplaySimulator) -> str:
    """Return the address of the medium that a display shows, also in a page of ours."""
    source = unquote(display.player.items[0]["source"])
    match = re.search(r"http[^\s\"]+\?token=[\w-]+", source)
    assert match
    return match[0]


async def hang(hass: HomeAssistant, display: DisplaySimulator, media_id: str) -> str:
    """Play a medium, wait until the display has reported it, and return its address."""
    await play(hass, media_id)
    url = lent(display)
    await until(lambda: state_of(hass).attributes.get("media_title"))
    await hass.async_block_till_done()
    return url


async def take_down(
    hass: HomeAssistant, display: DisplaySimulator, entry: MockConfigEntry, how: str
) -> None:
    """Let a display show something else, as the app of the vendor does, or remove or disable it."""
    match how:
        case "another":
            display.player.load(playlist("Reef", title="Reef"))
            await until(
                lambda: state_of(hass).attributes.get("media_playlist") == "Reef"
            )
        case "removed":
            await hass.config_entries.async_remove(entry.entry_id)
        case "disabled":
            await hass.config_entries.async_set_disabled_by(
                entry.entry_id, ConfigEntryDisabler.USER
            )


async def rest(answer: aiohttp.ClientResponse, most: float = 3) -> int:
    """Return how much of an answer comes until it ends, or raise TimeoutError if it goes on."""
    size = 0
    async with asyncio.timeout(most):
        with suppress(aiohttp.ClientError, ConnectionError):
            async for chunk in answer.content.iter_any():
                size += len(chunk)
    return size


@pytest.mark.parametrize("how", ["another", "removed", "disabled"])
async def test_a_stream_ends_with_its_picture(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    how: str,
) -> None:
    """A camera that is streamed goes on while it hangs, and no longer."""
    url = await hang(hass, display, f"{LIVE}{CAMERA}")
    # The time has passed in which the display was about to show it.
    hass.data[GRANTS]._made.clear()
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        assert answer.content_type == "multipart/x-mixed-replace"
        with pytest.raises(TimeoutError):
            await rest(answer, 0.5)
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        assert await answer.content.read(10)
        await take_down(hass, display, display_entry, how)
        await rest(answer)
        async with session.get(url) as again:
            assert again.status == 404


@pytest.fixture
async def other(
    hass: HomeAssistant, home: str
) -> AsyncIterator[tuple[DisplaySimulator, MockConfigEntry]]:
    """A second display in the same home."""
    async with DisplaySimulator(profile="B", device_id="FF1-OTHER001") as second:
        second.caster.preflight = False
        entry = entry_of(second, unique_id="FF1-OTHER001", title="Other")
        await set_up(hass, entry)
        await until(lambda: hass.states.get("media_player.other"))
        yield second, entry


@pytest.mark.parametrize("how", ["another", "removed", "disabled"])
@pytest.mark.parametrize("what", [f"{LIVE}{CAMERA}", CAMERA, "folder", "message"])
async def test_each_display_has_an_address_of_its_own(
    hass: HomeAssistant,
    home: str,
    tmp_path: Path,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    other: tuple[DisplaySimulator, MockConfigEntry],
    what: str,
    how: str,
) -> None:
    """What hangs on two displays ends with each of them: not by the one can anybody read what the other shows."""
    players = {"entity_id": ["media_player.wall", "media_player.other"]}
    # The address of the home was set after them, and with it their default.
    hass.config.media_dirs = {"local": str(tmp_path)}
    (tmp_path / "album").mkdir()
    (tmp_path / "album" / "a.png").write_bytes(PNG)
    match what:
        case "message":
            action, data = (
                "dp1.show_message",
                {"title": "Door", "image": CAMERA, "show_for": 600},
            )
        case "folder":
            action, data = (
                "dp1.cast_playlist",
                {"media_content_id": f"{SOURCE}/album"},
            )
        case _:
            action, data = "dp1.cast_playlist", {"media_content_id": what}
    domain, _, name = action.partition(".")
    await hass.services.async_call(domain, name, {**players, **data}, blocking=True)
    walls = (display, other[0])
    await until(lambda: all(wall.player.items for wall in walls))
    urls = [lent(wall) for wall in walls]
    lists = [wall.player.playlist_url for wall in walls]
    assert urls[0] != urls[1]
    await until(
        lambda: all(
            it.runtime_data.data.player and it.runtime_data.data.player.items
            for it in (display_entry, other[1])
        )
    )
    # The time has passed in which the displays were about to show it.
    hass.data[GRANTS]._made.clear()
    async with aiohttp.ClientSession() as session:

        async def status(url: str) -> int:
            async with session.get(url) as answer:
                return answer.status

        for url in (*urls, *filter(None, lists)):
            assert await status(url) == 200
        await take_down(hass, display, display_entry, how)
        hass.data[GRANTS]._made.clear()
        assert await status(urls[0]) == 404
        assert await status(urls[1]) == 200
        # Nor does the token open anything else, or the one of another.
        for one, two in (urls, urls[::-1]):
            assert await status(f"{one.partition('?')[0]}?{two.partition('?')[2]}") == (
                await status(two)
            )
        if what == "folder":
            # The display can return to its list, which names its pictures anew.
            expected = 200 if how == "another" else 404
            assert await status(lists[0] or "") == expected
            assert await status(lists[1] or "") == 200


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("bytes=-1", 206),
        ("bytes=0-", 206),
        ("bytes=5-99999999999999999999", 206),
        ("bytes=99999999999999999999-", 416),
        ("bytes=7-5", 416),
        ("bytes=0-0,5-9,0-0", 416),
        ("bytes=-", 416),
        (f"bytes={','.join(['0-'] * 1000)}", 416),
        ("lines=1-2", 416),
    ],
)
@pytest.mark.parametrize("has_file", [True, False])
async def test_odd_ranges(
    hass: HomeAssistant,
    home: str,
    tmp_path: Path,
    display: DisplaySimulator,
    asked: str,
    status: int,
    has_file: bool,
) -> None:
    """Whatever part of a film is asked for, no more is sent than the film has, and once."""
    film = b"0123456789" * 1000
    (tmp_path / "tide.mp4").write_bytes(film)
    if not has_file:
        hass.data[DATA_MEDIA_SOURCE_PLATFORMS] = Sources()  # type: ignore[assignment]
    url = await hang(hass, display, f"{SOURCE}/tide.mp4")
    async with (
        aiohttp.ClientSession() as session,
        session.get(url, headers={"Range": asked}) as answer,
    ):
        assert answer.status == status
        body = await answer.read()
    assert body in film if status == 206 else len(body) < 100


async def test_a_display_that_is_disabled(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """A display that its owner has disabled loads nothing, and what it shows still is there when it is enabled again."""
    url = await hang(hass, display, f"{SOURCE}/tide.mp4")
    async with aiohttp.ClientSession() as session:
        for disabled_by, status in ((ConfigEntryDisabler.USER, 404), (None, 200)):
            await hass.config_entries.async_set_disabled_by(
                display_entry.entry_id, disabled_by
            )
            await hass.async_block_till_done()
            async with session.get(url) as answer:
                assert answer.status == status


@pytest.mark.parametrize(
    ("media_id", "origin", "may_read"),
    [
        (f"{SOURCE}/tide.mp4", PLAYER, True),
        (f"{SOURCE}/tide.mp4", "{home}", True),
        (f"{SOURCE}/tide.mp4", "https://my.example", True),
        (f"{SOURCE}/tide.mp4", "https://art.example", False),
        (f"{SOURCE}/tide.mp4", "http://127.0.0.1:8081", False),
        (f"{SOURCE}/tide.mp4", "null", False),
        (CAMERA, PLAYER, True),
        (CAMERA, "https://art.example", False),
        (f"{LIVE}{CAMERA}", PLAYER, False),
    ],
)
async def test_which_pages_may_read(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    media_id: str,
    origin: str,
    may_read: bool,
) -> None:
    """The player of displays and our own pages may read what is lent, by name; nobody reads a stream of a camera."""
    await async_process_ha_core_config(
        hass, {"internal_url": home, "external_url": "https://my.example"}
    )
    origin = origin.format(home=home)
    url = await hang(hass, display, media_id)
    async with aiohttp.ClientSession(headers={"Origin": origin}) as session:
        for method in ("HEAD", "GET"):
            async with session.request(method, url) as answer:
                assert answer.status == 200
                allowed = answer.headers.getall("Access-Control-Allow-Origin", [])
                assert allowed == ([origin] if may_read else [])
                if not media_id.startswith(LIVE):
                    assert answer.headers.getall("Vary") == ["Origin"]
        async with session.options(
            url, headers={"Access-Control-Request-Method": "GET"}
        ) as answer:
            assert "Access-Control-Allow-Origin" not in answer.headers


async def test_media_of_another_view(
    hass: HomeAssistant, home: str, tmp_path: Path, display: DisplaySimulator
) -> None:
    """What has no file is sent by us, whole and in parts: an address that is signed would be open for longer."""
    (tmp_path / "tide.mp4").write_bytes(b"0123456789" * 10_000)

    hass.data[DATA_MEDIA_SOURCE_PLATFORMS] = Sources()  # type: ignore[assignment]
    url = await hang(hass, display, "media-source://album/1")
    async with aiohttp.ClientSession(headers={"Origin": PLAYER}) as session:
        async with session.get(url, allow_redirects=False) as answer:
            assert answer.status == 200
            assert answer.content_type == "video/mp4"
            assert answer.headers["Access-Control-Allow-Origin"] == PLAYER
            assert len(await answer.read()) == 100_000
        part = {"Range": "bytes=5-7"}
        async with session.get(url, headers=part) as answer:
            assert (answer.status, await answer.read()) == (206, b"567")
    for far in ("x" * 6000, "ö" * 3000):
        with pytest.raises(ServiceValidationError) as refused:
            await play(hass, f"media-source://album/{far}")
        assert refused.value.translation_key == "media_id_too_long"
    assert lent(display) == url
    async with aiohttp.ClientSession() as session:
        path = "/media/local/tide.mp4"
        async with session.get(f"{home}{path}") as answer:
            assert answer.status == 401


async def test_a_page_of_ones_own(
    hass: HomeAssistant, home: str, display: DisplaySimulator
) -> None:
    """A page from the media folders hangs, runs its scripts away from Home Assistant, and is framed by nobody else."""
    url = await hang(hass, display, f"{SOURCE}/page.html")
    assert await loaded(display) == "web"
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        policy = answer.headers["Content-Security-Policy"]
        sandbox, _, ancestors = policy.partition("; frame-ancestors ")
        assert sandbox == "sandbox allow-scripts"
        assert set(ancestors.split()) == {"'self'", PLAYER, home}
        assert "X-Frame-Options" not in answer.headers
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("how", ["started", "told"])
async def test_home_has_moved(
    hass: HomeAssistant,
    home: str,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    how: str,
) -> None:
    """What hangs is sent once more when its address leads here no more, and at an address that holds nothing is."""
    casts: list[str] = []
    load = display.player.load

    def count(*args: Any, **more: Any) -> Any:
        """Note a cast."""
        casts.append("cast")
        return load(*args, **more)

    async def find() -> None:
        """Let the integration find the address of now."""
        if how == "started":
            await hass.config_entries.async_reload(display_entry.entry_id)
        await hass.async_block_till_done(wait_background_tasks=False)

    async def move(url: str) -> None:
        """Give Home Assistant another address."""
        await async_process_ha_core_config(hass, {"internal_url": url})

    # It was at an address at which nobody answers now.
    gone = "http://127.0.0.1:9"
    await move(gone)
    await hang(hass, display, f"{SOURCE}/tide.mp4")
    display.player.load = count
    await find()
    assert lent(display).startswith(gone)
    await move(home)
    await find()
    await until(lambda: lent(display).startswith(home))
    assert await loaded(display) == "video"
    await find()
    # The one before still holds.
    await move(home.replace("127.0.0.1", "localhost"))
    await find()
    await find()
    assert lent(display).startswith(home)
    assert len(casts) == 1
    # What hung before is shown again where Home Assistant is now.
    recent = next(iter(display_entry.runtime_data.history.entries())).media_id
    await play(hass, recent)
    assert lent(display).startswith(home.replace("127.0.0.1", "localhost"))
