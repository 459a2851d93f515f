"""Media of Home Assistant on a display: loaded without signing in, after a restart too, and by nobody else."""

from datetime import timedelta
from pathlib import Path

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
from yarl import URL

from custom_components.dp1.playback.media_proxy import MAX_LENT, MEDIA_PROXY, MediaProxy
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from tests.displays import ENTITY_ID
from tests.simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

MEDIA_ID = "media-source://media_source/local/sun rise.png"
PICTURE = b"\x89PNG..."


@pytest.fixture
async def folder(hass: HomeAssistant, tmp_path: Path) -> Path:
    """Have a picture in a local media folder."""
    (tmp_path / "sun rise.png").write_bytes(PICTURE)
    hass.config.media_dirs = {"local": str(tmp_path)}
    assert await async_setup_component(hass, "media_source", {})
    await async_process_ha_core_config(
        hass, {"internal_url": "http://home.example:8123"}
    )
    return tmp_path


async def hang(
    hass: HomeAssistant, display: DisplaySimulator, media_id: str = MEDIA_ID
) -> str:
    """Hang a picture, and tell the path where the display loads it."""
    display.caster.preflight = False
    await hass.services.async_call(
        "media_player",
        "play_media",
        {
            "entity_id": ENTITY_ID,
            "media_content_type": "image/png",
            "media_content_id": media_id,
        },
        blocking=True,
    )
    assert display.state.current is not None
    source = URL(display.state.current["source"])
    assert source.host == "home.example"
    return source.raw_path


async def restart(hass: HomeAssistant) -> None:
    """Lose what a restart loses: what is not on disk, and the secret of signatures."""
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=5))
    await hass.async_block_till_done()
    hass.data[MEDIA_PROXY] = MediaProxy(hass)
    await hass.data[MEDIA_PROXY].async_load()
    hass.data["http.auth.sign_secret"] = "another" * 5


async def test_a_picture_survives_a_restart(
    hass: HomeAssistant,
    display: DisplaySimulator,
    folder: Path,
    setup_display: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
) -> None:
    """A display that knows the address gets the picture, and only that."""
    path = await hang(hass, display)
    client = await hass_client_no_auth()
    assert await (await client.get(path)).read() == PICTURE
    assert (await client.head(path)).status == 200
    direct = path[path.index("/media/local") :]
    assert (await client.get(direct)).status == 401
    await restart(hass)
    assert await (await client.get(path)).read() == PICTURE
    assert await hang(hass, display) == path


async def test_an_address_of_home_assistant(
    hass: HomeAssistant,
    display: DisplaySimulator,
    folder: Path,
    setup_display: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
) -> None:
    """What is named by its address is lent as well; naming what is lent is no loan of a loan."""
    path = await hang(hass, display, "/media/local/sun rise.png")
    client = await hass_client_no_auth()
    assert await (await client.get(path)).read() == PICTURE
    assert await hang(hass, display, path) == path


async def test_what_is_not_lent(
    hass: HomeAssistant,
    display: DisplaySimulator,
    folder: Path,
    setup_display: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
) -> None:
    """A made-up token, media that is gone, and all of it once there is no display any more."""
    path = await hang(hass, display)
    client = await hass_client_no_auth()
    token = path.split("/")[4]
    assert len(token) == 43
    made_up = path.replace(token, "x" * 43)
    assert (await client.get(made_up)).status == 404
    other = path.replace("sun%20rise", "secret")
    assert await (await client.get(other)).read() == PICTURE

    gone = hass.data[MEDIA_PROXY].lend("/media/gone/x", "media-source://gone/x")
    assert (await client.get(gone)).status == 404

    await hass.config_entries.async_remove(setup_display.entry_id)
    await restart(hass)
    assert hass.data[MEDIA_PROXY].lent(token) is None


async def test_the_number_is_bounded(
    hass: HomeAssistant, setup_display: MockConfigEntry
) -> None:
    """What was asked for longest ago is no longer lent."""
    media_proxy = hass.data[MEDIA_PROXY]
    paths = [media_proxy.lend(f"/media/{number}") for number in range(MAX_LENT)]
    assert media_proxy.lend("/media/0") == paths[0]
    media_proxy.lend("/media/more")
    known = [media_proxy.lent(path.split("/")[4]) for path in paths]
    assert known[1] is None
    assert known[0] == "/media/0"
    assert None not in known[2:]
