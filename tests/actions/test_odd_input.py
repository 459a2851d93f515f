"""Odd input of the actions: one short sentence, and no raw error of Python."""

from typing import Any

import pytest

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from tests.displays import ENTITY_ID
from tests.simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled", "setup_display")

LONG = "x" * 100_000


async def refused(hass: HomeAssistant, action: str, **data: Any) -> str:
    """Call an action that fails, and return what the user reads."""
    domain, _, service = action.partition(".")
    with pytest.raises(HomeAssistantError) as raised:
        await hass.services.async_call(
            domain, service, {"entity_id": ENTITY_ID, **data}, blocking=True
        )
    return str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1",
        "http://xn--a/",
        "http://a:99999/",
        "http://",
        "ftp://a/",
        "//",
        "",
    ],
)
@pytest.mark.parametrize(
    ("action", "field"),
    [
        ("dp1.cast_playlist", "playlist_url"),
        ("dp1.cast_playlist", "media_content_id"),
        ("media_player.play_media", "media_content_id"),
    ],
)
async def test_urls_that_are_none(
    hass: HomeAssistant, display: DisplaySimulator, action: str, field: str, url: str
) -> None:
    """What is no URL is said to be none, and nothing is sent."""
    data = {field: url}
    if action.startswith("media_player"):
        data["media_content_type"] = "playlist"
    display.reset_counters()
    assert "is not a URL" in await refused(hass, action, **data)
    assert not display.writes


@pytest.mark.parametrize("start", ["", "http://a/", "media-source://", "dp1://recent/"])
@pytest.mark.parametrize(
    ("action", "field"),
    [
        ("dp1.cast_playlist", "playlist_url"),
        ("dp1.cast_playlist", "media_content_id"),
        ("media_player.play_media", "media_content_id"),
    ],
)
async def test_long_ids_are_not_echoed(
    hass: HomeAssistant, display: DisplaySimulator, action: str, field: str, start: str
) -> None:
    """However long an id is, the message is short."""
    data = {field: start + LONG}
    if action.startswith("media_player"):
        data["media_content_type"] = "playlist"
    display.reset_counters()
    assert len(await refused(hass, action, **data)) < 1000
    assert not display.writes


@pytest.mark.parametrize("field", ["playlist_id", "exhibition", "series"])
async def test_long_names_are_not_echoed(hass: HomeAssistant, field: str) -> None:
    """However long a name is, the message is short."""
    assert len(await refused(hass, "dp1.cast_playlist", **{field: LONG})) < 1000
