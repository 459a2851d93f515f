"""Test the media proxy: displays load media without login, also after a restart, and nobody else can."""

from http import HTTPStatus
import logging
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from aiohttp.test_utils import TestClient
import pytest
from pytest_homeassistant_custom_component.common import CLIENT_ID, MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
from yarl import URL

from custom_components.dp1.grants import GRANTS, Grants
from custom_components.dp1.playback import media_proxy as module
from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.exceptions import ServiceValidationError
from homeassistant.setup import async_setup_component

from tests.displays import ENTITY_ID, playlist, set_up, state_of, until
from tests.entities import act, known
from tests.simulators.display import DisplaySimulator
from tests.timing import DEFAULTS, set_timing

pytestmark = pytest.mark.usefixtures("socket_enabled")

MEDIA_ID = "media-source://media_source/local/sun rise.png"
DRAWING = "media-source://media_source/local/drawing.svg"
PICTURE = b"\x89PNG\r\n\x1a\n..."
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HOME = "http://home.example:8123"
STATES = f"{HOME}/api/states"


@pytest.fixture
async def folder(hass: HomeAssistant, tmp_path: Path) -> Path:
    """Create pictures in a local media folder."""
    (tmp_path / "sun rise.png").write_bytes(PICTURE)
    (tmp_path / "drawing.svg").write_bytes(SVG)
    hass.config.media_dirs = {"local": str(tmp_path)}
    assert await async_setup_component(hass, "media_source", {})
    assert await async_setup_component(hass, "api", {})
    await async_process_ha_core_config(hass, {"internal_url": HOME})
    return tmp_path


@pytest.fixture
async def stranger(
    hass_client_no_auth: ClientSessionGenerator,
    folder: Path,
    setup_display: MockConfigEntry,
) -> TestClient[Any, Any]:
    return await hass_client_no_auth()


@pytest.fixture
async def guest(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, folder: Path
) -> TestClient[Any, Any]:
    user = await hass.auth.async_create_user("Guest", group_ids=[GROUP_ID_USER])
    token = await hass.auth.async_create_refresh_token(user, CLIENT_ID)
    return await hass_client(hass.auth.async_create_access_token(token))


async def play(
    hass: HomeAssistant, media_id: str = MEDIA_ID, kind: str = "image/png"
) -> None:
    await hass.services.async_call(
        "media_player",
        "play_media",
        {
            "entity_id": ENTITY_ID,
            "media_content_type": kind,
            "media_content_id": media_id,
        },
        blocking=True,
    )


async def show(
    hass: HomeAssistant, display: DisplaySimulator, media_id: str = MEDIA_ID
) -> str:
    """Play media, and return the path from which the display loads it."""
    display.caster.preflight = False
    await play(hass, media_id)
    assert display.state.current is not None
    source: str = display.state.current["source"]
    if source.startswith("data:"):
        # A drawing is a picture on a page.
        source = unquote(source).partition('src="')[2].partition('"')[0]
    assert URL(source).host == "home.example"
    return URL(source).raw_path_qs


def token_of(path: str) -> str:
    return URL(path).query["token"]


async def restart(hass: HomeAssistant) -> None:
    """Lose what a restart loses: everything that is not stored, and the secret of signatures."""
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    hass.data[GRANTS] = Grants(hass, module.tokens_on)
    await hass.data[GRANTS].async_load()
    hass.data["http.auth.sign_secret"] = "another" * 5


async def status(client: TestClient[Any, Any], path: str) -> int:
    """Return the HTTP status of a request."""
    return (await client.get(path)).status


# What is served


async def test_a_picture_survives_a_restart(
    hass: HomeAssistant, display: DisplaySimulator, stranger: TestClient[Any, Any]
) -> None:
    """A known URL returns the picture, and only that."""
    path = await show(hass, display)
    assert await (await stranger.get(path)).read() == PICTURE
    assert (await stranger.head(path)).status == HTTPStatus.OK
    part = await stranger.get(path, headers={"Range": "bytes=1-3"})
    assert (part.status, await part.read()) == (HTTPStatus.PARTIAL_CONTENT, b"PNG")
    assert await status(stranger, "/media/local/sun%20rise.png") == 401
    await restart(hass)
    assert await (await stranger.get(path)).read() == PICTURE
    assert await show(hass, display) == path


async def test_what_carries_scripts(
    hass: HomeAssistant, display: DisplaySimulator, stranger: TestClient[Any, Any]
) -> None:
    """An SVG is served unchanged, but without access to Home Assistant's origin."""
    response = await stranger.get(await show(hass, display, DRAWING))
    assert await response.read() == SVG
    assert response.headers["Content-Security-Policy"] == "sandbox"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("profile", ["C"])
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_an_image_entity(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    folder: Path,
    hass_client_no_auth: ClientSessionGenerator,
) -> None:
    """The current picture of an image entity is served."""
    await set_up(hass, display_entry)
    await until(lambda: hass.states.get("button.wall_take_screenshot"))
    await act(hass, "button", "take_screenshot", "press")
    await known(hass, "image", "screenshot")
    stranger = await hass_client_no_auth()
    path = await show(hass, display, "media-source://image/image.wall_screenshot")
    response = await stranger.get(path)
    assert response.content_type == "image/png"
    assert (await response.read()).startswith(b"\x89PNG")
    assert response.headers["Content-Security-Policy"] == "sandbox"
    hass.states.async_remove("image.wall_screenshot")
    assert await status(stranger, path) == HTTPStatus.NOT_FOUND


# For how long


async def test_what_is_not_shown_any_more(
    hass: HomeAssistant,
    display: DisplaySimulator,
    stranger: TestClient[Any, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Access ends when a display neither shows media nor can return to it."""
    set_timing(proxy_grace=0)
    monkeypatch.setattr("custom_components.dp1.display.history.MAX_LISTS", 2)
    path = await show(hass, display)
    display.player.load(playlist("Reef", title="Reef"))
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Reef")
    assert await status(stranger, path) == HTTPStatus.OK
    await show(hass, display, DRAWING)
    await until(lambda: state_of(hass).attributes.get("media_title") == "drawing")
    assert await status(stranger, path) == HTTPStatus.NOT_FOUND


async def test_what_no_display_reports(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a display was cast to, and never reports, is lent for five minutes."""
    set_timing(**DEFAULTS)
    await async_process_ha_core_config(hass, {"internal_url": HOME})
    grants = Grants(hass, lambda *_: set())
    token = token_of(grants.async_url(media_id := "media-source://a", "/a.png"))
    now = hass.loop.time()
    for seconds, is_lent in ((1, True), (299, True), (301, False)):
        with monkeypatch.context() as later:
            later.setattr(hass.loop, "time", lambda at=now + seconds: at)
            assert (grants.served(media_id, token) is not None) is is_lent


async def test_a_made_up_token(
    hass: HomeAssistant, display: DisplaySimulator, stranger: TestClient[Any, Any]
) -> None:
    """Nothing is served without a valid token, and nothing else with it."""
    path = await show(hass, display)
    token = token_of(path)
    assert len(token) == 43
    assert await status(stranger, path.replace(token, "x" * 43)) == 404
    assert await status(stranger, path.partition("?")[0]) == 404
    other = await stranger.get(path.replace("sun%20rise", "secret"))
    assert await other.read() == PICTURE


async def test_access_ends_with_the_entry(
    hass: HomeAssistant,
    display: DisplaySimulator,
    stranger: TestClient[Any, Any],
    setup_display: MockConfigEntry,
) -> None:
    """Nothing is served to a removed display, also after a restart."""
    set_timing(proxy_grace=0)
    path = await show(hass, display)
    assert await status(stranger, path) == HTTPStatus.OK
    await hass.config_entries.async_remove(setup_display.entry_id)
    assert await status(stranger, path) == HTTPStatus.NOT_FOUND
    await restart(hass)
    assert await status(stranger, path) == HTTPStatus.NOT_FOUND


async def test_a_display_that_is_not_loaded(
    hass: HomeAssistant,
    display: DisplaySimulator,
    stranger: TestClient[Any, Any],
    setup_display: MockConfigEntry,
) -> None:
    """A display that is not set up yet keeps access."""
    path = await show(hass, display)
    await hass.config_entries.async_unload(setup_display.entry_id)
    await restart(hass)
    assert await status(stranger, path) == HTTPStatus.OK


@pytest.mark.parametrize("profile", ["legacy"])
async def test_a_display_that_tells_nothing(
    hass: HomeAssistant, display: DisplaySimulator, stranger: TestClient[Any, Any]
) -> None:
    """A display that only takes casts keeps access to what it was given last, and before anything is known of it."""
    set_timing(proxy_grace=0)
    path = await show(hass, display)
    assert await status(stranger, path) == HTTPStatus.OK
    entry = hass.config_entries.async_entries("dp1")[0]
    coordinator = entry.runtime_data
    coordinator.wall.hung = None
    assert await status(stranger, path) == HTTPStatus.OK


async def test_the_token_is_not_in_the_log(
    hass: HomeAssistant,
    display: DisplaySimulator,
    stranger: TestClient[Any, Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither logs nor states contain a token."""
    caplog.set_level(logging.DEBUG)
    for name in ("aiohttp.access", "pytest_homeassistant_custom_component"):
        logging.getLogger(name).setLevel(logging.WARNING)
    path = await show(hass, display)
    assert await status(stranger, path) == HTTPStatus.OK
    assert token_of(path) not in caplog.text
    assert token_of(path) not in str(hass.states.async_all())


# What is not served


@pytest.mark.parametrize("url", ["/api/states", STATES, "/media/local/sun rise.png"])
@pytest.mark.parametrize(
    ("action", "field"),
    [
        ("dp1.cast_playlist", "playlist_url"),
        ("dp1.cast_playlist", "media_content_id"),
        ("media_player.play_media", "media_content_id"),
    ],
)
async def test_a_guest_opens_nothing(
    hass: HomeAssistant,
    display: DisplaySimulator,
    guest: TestClient[Any, Any],
    setup_display: MockConfigEntry,
    url: str,
    action: str,
    field: str,
) -> None:
    """A URL that a user names is not served to a display."""
    data = {"entity_id": ENTITY_ID, field: url}
    if action.startswith("media_player"):
        data["media_content_type"] = "image"
    display.reset_counters()
    path = f"/api/services/{action.replace('.', '/')}"
    response = await guest.post(path, json=data)
    assert response.status == HTTPStatus.BAD_REQUEST
    assert not display.writes


@pytest.mark.parametrize("kind", ["", "playlist", "image"])
async def test_an_address_that_was_pushed(
    hass: HomeAssistant,
    display: DisplaySimulator,
    stranger: TestClient[Any, Any],
    kind: str,
) -> None:
    """A URL that a display reports is not served when it is played from the history."""
    display.player.load(playlist("Reef", title="Reef"), STATES)
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Reef")
    shown = state_of(hass).attributes["media_content_id"]
    assert shown.startswith(STATES)
    for media_id in (shown, STATES):
        with pytest.raises(ServiceValidationError) as raised:
            await play(hass, media_id, kind)
        assert raised.value.translation_key == "needs_login"
    assert await status(stranger, "/api/dp1/media/api/states") == 404


@pytest.mark.parametrize("url", [MEDIA_ID, "image.wall_screenshot", "/api/states"])
async def test_a_pushed_name_is_no_address(
    hass: HomeAssistant,
    display: DisplaySimulator,
    stranger: TestClient[Any, Any],
    url: str,
) -> None:
    """The playlist URL of a display never refers to media of Home Assistant."""
    display.player.load(playlist("Reef", title="Reef"), url)
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Reef")
    assert url not in str(state_of(hass).attributes.get("media_content_id"))
