"""Whatever another component raises for a medium ends in words, wherever it is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockModule,
    MockPlatform,
    mock_integration,
    mock_platform,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.grants import GRANTS
from homeassistant.components.camera import Camera
from homeassistant.components.camera.const import DATA_COMPONENT
from homeassistant.components.image import DATA_COMPONENT as IMAGES, ImageEntity
from homeassistant.components.media_source import MediaSource
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component

from tests.displays import ENTITY_ID
from tests.libraries import library_entry, set_up as set_up_library
from tests.simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

LOCAL = "media-source://media_source"
BROKEN = "media-source://broken/a"
FAULTS = [
    AssertionError(),
    AttributeError("'NoneType' object has no attribute 'partition'"),
    KeyError("message"),
    TimeoutError(),
    aiohttp.ClientError(),
    OSError(5, "Input/output error"),
    HomeAssistantError(),
]


class Broken(MediaSource):
    """A media source, of which every method raises."""

    err: Exception

    async def _fail(self, *_: Any) -> Any:
        raise self.err

    async_resolve_media = async_browse_media = async_search_media = _fail


class BrokenCamera(Camera):
    """A camera that raises."""

    _attr_name = "Broken"
    err: Exception

    async def async_camera_image(
        self, width: int | None = None, height: int | None = None
    ) -> bytes:
        raise self.err


class BrokenImage(ImageEntity):
    """An image entity that raises."""

    _attr_name = "Broken"
    err: Exception

    async def async_image(self) -> bytes:
        raise self.err


@pytest.fixture
def source(hass: HomeAssistant) -> Broken:
    """Return the media source that raises."""
    source = Broken("broken")

    async def get_source(hass: HomeAssistant) -> Broken:
        return source

    platform = MockPlatform()
    vars(platform)["async_get_media_source"] = get_source
    mock_integration(hass, MockModule("broken"))
    mock_platform(hass, "broken.media_source", platform)
    return source


@pytest.fixture
async def library(
    hass: HomeAssistant,
    source: Broken,
    tmp_path: Path,
    hass_client_no_auth: ClientSessionGenerator,
    setup_display: MockConfigEntry,
) -> MockConfigEntry:
    """Set up a library, a display, and a folder of media."""
    (tmp_path / "album").mkdir()
    (tmp_path / "ebb").write_bytes(b"a film")
    hass.config.media_dirs = {"local": str(tmp_path)}
    for component in ("broken", "media_source", "camera", "image", "image_upload"):
        assert await async_setup_component(hass, component, {})
    client = await hass_client_no_auth()
    url = str(client.make_url("")).rstrip("/")
    await async_process_ha_core_config(hass, {"internal_url": url})
    return await set_up_library(hass, library_entry(None, "http://127.0.0.1:9"))


async def refusal(hass: HomeAssistant, action: str, **data: Any) -> str:
    """Return the text of an action that fails."""
    domain, _, service = action.partition(".")
    with pytest.raises(HomeAssistantError) as raised:
        await hass.services.async_call(
            domain,
            service,
            {"entity_id": ENTITY_ID, **data},
            blocking=True,
            return_response=service.startswith(("browse", "search")),
        )
    return str(raised.value)


NAMED: dict[str, Callable[[str], dict[str, Any]]] = {
    "media_player.play_media": lambda media_id: {
        "media_content_id": media_id,
        "media_content_type": "image",
    },
    "dp1.cast_playlist": lambda media_id: {"media_content_id": media_id},
    "dp1.cast_playlist ": lambda media_id: {"media": [media_id]},
    "dp1.show_message": lambda media_id: {"image": media_id},
}
BROWSED: dict[str, Callable[[str], dict[str, Any]]] = {
    "media_player.browse_media": lambda media_id: {
        "media_content_id": media_id,
        "media_content_type": "image",
    },
    "media_player.search_media": lambda media_id: {
        "media_content_id": media_id,
        "search_query": "sea",
    },
}


@pytest.mark.parametrize("action", NAMED)
@pytest.mark.usefixtures("library")
async def test_what_is_no_file(
    hass: HomeAssistant, display: DisplaySimulator, action: str
) -> None:
    """A folder, a file without a suffix and the source itself cannot be shown."""
    display.reset_counters()
    for path in ("/local/album", "/local/ebb", "/local", "/local/", "/", "", "/else/a"):
        data = NAMED[action](LOCAL + path)
        text = await refusal(hass, action.strip(), **data)
        assert len(text) > 20, path
        assert "Error" not in text.replace("HomeAssistantError", ""), path
    assert not display.writes


@pytest.mark.parametrize("err", FAULTS, ids=lambda err: type(err).__name__)
async def test_a_broken_component(
    hass: HomeAssistant, library: MockConfigEntry, source: Broken, err: Exception
) -> None:
    """A media source that raises anything is said to be read in vain, in every place that asks it."""
    source.err = err
    for action, data in (NAMED | BROWSED).items():
        text = await refusal(hass, action.strip(), **data(BROKEN))
        assert "cannot be read" in text, action
    picture = quote(f"{LOCAL}/local/ebb", safe="")
    node = f"media-source://dp1/{library.entry_id}/picture/{picture}"
    assert await refusal(hass, "dp1.cast_playlist", media_content_id=node)


@pytest.mark.parametrize("err", FAULTS, ids=lambda err: type(err).__name__)
@pytest.mark.usefixtures("library")
async def test_what_is_lent(
    hass: HomeAssistant, source: Broken, err: Exception
) -> None:
    """Displays that load a medium of a component that raises learn that it is not there."""
    camera, picture = BrokenCamera(), BrokenImage(hass)
    camera.err = picture.err = err
    await hass.data[DATA_COMPONENT].async_add_entities([camera])
    await hass.data[IMAGES].async_add_entities([picture])
    source.err = err
    async with aiohttp.ClientSession() as session:
        for media_id in (BROKEN, camera.entity_id, picture.entity_id):
            url = hass.data[GRANTS].async_url(media_id, "/a.png")
            async with session.get(url) as answer:
                assert answer.status == 404, media_id
