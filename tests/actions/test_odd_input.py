"""Test that unusual input of actions gives a short error."""

from typing import Any

import pytest
import voluptuous as vol

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from tests.displays import ENTITY_ID, playlist, state_of, until
from tests.simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled", "setup_display")

LONG = "x" * 100_000


async def refused(hass: HomeAssistant, action: str, **data: Any) -> str:
    domain, _, service = action.partition(".")
    with pytest.raises(HomeAssistantError) as raised:
        await hass.services.async_call(
            domain, service, {"entity_id": ENTITY_ID, **data}, blocking=True
        )
    return str(raised.value)


NO_URLS = (
    "http://[::1",
    "http://xn--a/",
    "http://a:99999/",
    "http://",
    "ftp://a/",
    "//",
    "",
)
LONG_IDS = [
    start + LONG for start in ("", "http://a/", "media-source://", "dp1://recent/")
]


@pytest.mark.parametrize(
    ("action", "field"),
    [
        ("dp1.cast_playlist", "playlist_url"),
        ("dp1.cast_playlist", "media_content_id"),
        ("media_player.play_media", "media_content_id"),
    ],
)
async def test_what_is_no_url(
    hass: HomeAssistant,
    display: DisplaySimulator,
    action: str,
    field: str,
    subtests: pytest.Subtests,
) -> None:
    """An invalid URL and a long id are refused in few words, and nothing is sent."""
    more = {"media_content_type": "playlist"} if action.startswith("media_p") else {}
    display.reset_counters()
    for url in NO_URLS:
        with subtests.test(url):
            assert "is not a URL" in await refused(hass, action, **more, **{field: url})
    for media_id in LONG_IDS:
        with subtests.test(media_id[:20]):
            text = await refused(hass, action, **more, **{field: media_id})
            assert len(text) < 1000
    assert not display.writes


@pytest.mark.parametrize("field", ["playlist_id", "exhibition", "series"])
async def test_long_names_are_not_echoed(hass: HomeAssistant, field: str) -> None:
    """The error for a long name is short."""
    assert len(await refused(hass, "dp1.cast_playlist", **{field: LONG})) < 1000


async def test_work_numbers_that_are_none(
    hass: HomeAssistant,
    display: DisplaySimulator,
    subtests: pytest.Subtests,
) -> None:
    """A number with too many digits for Python does not match a work."""
    for work in ["9" * 5000, "0", "\u0663", LONG]:
        with subtests.test(work=work):
            display.player.load(playlist("Dawn", "Noon"))
            await until(lambda: state_of(hass).state == "playing")
            display.reset_counters()
            assert "does not match" in await refused(hass, "dp1.show_work", work=work)
            assert not display.writes


async def test_a_place_that_is_none(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A position with too many digits in a media id starts the playlist at its beginning."""
    await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {
            "entity_id": ENTITY_ID,
            "media_content_id": "https://art.example.org/a.png#dp1&at=" + "9" * 5000,
        },
        blocking=True,
    )
    assert display.state.items


async def test_margins_without_end(
    hass: HomeAssistant,
    display: DisplaySimulator,
    subtests: pytest.Subtests,
) -> None:
    """Infinite, negative and huge margins are refused."""
    for margin in [float("inf"), float("nan"), 1e300, "9" * 400, f"{'9' * 400}px", -1]:
        with subtests.test(margin=margin):
            display.reset_counters()
            with pytest.raises(vol.Invalid):
                await hass.services.async_call(
                    "dp1",
                    "cast_playlist",
                    {
                        "entity_id": ENTITY_ID,
                        "playlist": playlist("Dawn"),
                        "margin": margin,
                    },
                    blocking=True,
                )
            assert not display.writes
