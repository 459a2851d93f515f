"""Test that unusual input of actions gives a short error, and that errors name fields as the forms do."""

import json
from typing import Any

import pytest
import voluptuous as vol

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.translation import (
    async_get_translations,
    async_load_integrations,
)

from .calls import call, cast, failure

from tests.displays import ENTITY_ID, playlist, state_of, until
from tests.simulators.display import DisplaySimulator
from tests.sources import INTEGRATION

pytestmark = pytest.mark.usefixtures("socket_enabled", "setup_display")

LONG = "x" * 100_000
NO_URLS = ("http://[::1", "http://xn--a/", "http://a:99999/", "http://", "//", "")
LONG_IDS = [
    start + LONG for start in ("", "http://a/", "media-source://", "dp1://recent/")
]


async def refused(hass: HomeAssistant, action: str, **data: Any) -> str:
    domain, _, service = action.partition(".")
    with pytest.raises(HomeAssistantError) as raised:
        await hass.services.async_call(
            domain, service, {"entity_id": ENTITY_ID, **data}, blocking=True
        )
    return str(raised.value)


@pytest.mark.parametrize(
    ("action", "field"),
    [
        ("dp1.cast_playlist", "playlist_url"),
        ("dp1.cast_playlist", "media_content_id"),
        ("media_player.play_media", "media_content_id"),
    ],
)
async def test_what_is_no_url(
    hass: HomeAssistant, display: DisplaySimulator, action: str, field: str
) -> None:
    """An invalid URL and a long id are refused in few words, and nothing is sent."""
    more = {"media_content_type": "playlist"} if action.startswith("media_p") else {}
    display.reset_counters()
    for text in (*NO_URLS, *LONG_IDS):
        told = await refused(hass, action, **more, **{field: text})
        assert "is not a URL" in told or text in LONG_IDS
        assert len(told) < 1000
    assert not display.writes


@pytest.mark.parametrize("field", ["playlist_id", "exhibition", "series"])
async def test_long_names_are_not_echoed(hass: HomeAssistant, field: str) -> None:
    """The error for a long name is short."""
    assert len(await refused(hass, "dp1.cast_playlist", **{field: LONG})) < 1000


async def test_work_numbers_that_are_none(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A number with too many digits for Python, or of other digits, does not match a work."""
    display.player.load(playlist("Dawn", "Noon"))
    await until(lambda: state_of(hass).state == "playing")
    display.reset_counters()
    for work in ("9" * 5000, "0", "\u0663"):
        assert "does not match" in await refused(hass, "dp1.show_work", work=work)
    assert not display.writes
    # In a media id it is the beginning.
    image = "https://art.example.org/a.png"
    await cast(hass, media_content_id=f"{image}#dp1&at={'9' * 5000}")
    assert display.state.items[0]["source"] == image


async def test_fields_have_their_names_in_the_language_of_the_house(
    hass: HomeAssistant,
) -> None:
    """None or two of the fields are an error that names them as the form does."""
    hass.config.language = "de"
    await async_load_integrations(hass, {"dp1", "media_player"})
    file = INTEGRATION / "translations" / "de.json"
    services = json.loads(file.read_text("utf-8"))["services"]
    names = {
        field: text["name"]
        for field, text in services["publish_playlist"]["fields"].items()
    }
    titles = await async_get_translations(hass, "de", "title", ["media_player"])
    wanted = f"{titles['component.media_player.title']}, {names['media_content_id']}"
    refused = await failure(hass, "add_favorite")
    assert refused == ("exactly_one_of", {"fields": wanted, "given": "-"})
    both = {"playlist_id": "a", "playlist_url": "https://b.example"}
    _, told = await failure(hass, "get_playlist", **both)
    assert told["fields"] == told["given"]
    assert names["playlist_url"] in told["given"]
    assert "playlist_id" not in told["given"]


@pytest.mark.parametrize("given", ["99999999:00:00", {"days": 3_000_000}, "P9999D"])
async def test_a_time_without_bounds(
    hass: HomeAssistant, display: DisplaySimulator, given: Any
) -> None:
    """A time that no calendar holds is refused by the limit of each field, and nothing is sent."""
    for action, data in (
        ("show_work", {"work": 1}),
        ("show_message", {"text": "Dinner"}),
        ("cast_playlist", {"playlist": playlist("Dawn")}),
    ):
        with pytest.raises(vol.Invalid, match="at most 365 days"):
            await call(hass, action, entity_id=ENTITY_ID, show_for=given, **data)
    media = {"media_content_id": "https://art.example.org/1.png"}
    media["media_content_type"] = "image/png"
    for extra in ({"show_for": given}, {"duration": given}):
        told = await refused(
            hass, "media_player.play_media", announce=True, extra=extra, **media
        )
        assert "365" in told
    assert not display.writes
