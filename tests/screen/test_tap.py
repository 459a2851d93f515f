"""Test what taps on a screen do: with the favorites and the hidden works of its owner's library."""

import logging

import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.const import EVENT_CALL_SERVICE
from homeassistant.core import HomeAssistant

from ..displays import playlist, until
from ..galleries import Gallery
from .conftest import Page, add

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns")

TABLET = "media_player.tablet"


async def cast(hass: HomeAssistant, entry: ConfigEntry, *titles: str) -> None:
    """Show works on the tablet once it is set up."""
    await until(lambda: entry.state is ConfigEntryState.LOADED)
    data = {"entity_id": TABLET, "playlist": playlist(*titles)}
    await hass.services.async_call("dp1", "cast_playlist", data, blocking=True)


async def test_a_tap(hass: HomeAssistant, gallery: Gallery, page: Page) -> None:
    """A tap makes the work a favorite, or hides it for good and the next one comes; with the option off it does neither."""
    entry = await add(hass, page)
    await cast(hass, entry, "Dawn", "Noon", "Dusk")
    await page.until(title="Dawn")
    work = page.state["work"]
    await page.tell(render=2, tap="favorite")
    await page.until(tapped={"work": work, "part": 0, "tap": "favorite"})
    assert list(gallery.library.favorites.nodes())
    await page.tell(tap="hide")
    await page.until(title="Noon", tapped={"work": work, "part": 0, "tap": "hide"})
    assert len((await gallery.library.async_children("hidden")).nodes) == 1
    assert not list(gallery.library.favorites.nodes())
    hass.config_entries.async_update_entry(entry, options={"touch": False})
    await page.until(touch=False)
    await page.tell(render=2, tap="hide")
    await page.tell(render=2, tap="next")
    await page.tell(beat=7)
    await page.until(beat=7)
    await hass.async_block_till_done()
    assert page.state["title"] == "Noon"
    assert len((await gallery.library.async_children("hidden")).nodes) == 1


async def test_taps_without_end(
    hass: HomeAssistant, gallery: Gallery, page: Page
) -> None:
    """Two taps a second do something, and the rest nothing."""
    await cast(hass, await add(hass, page), "Dawn")
    await page.until(title="Dawn")
    calls = async_capture_events(hass, EVENT_CALL_SERVICE)
    began = hass.loop.time()
    for _ in range(300):
        await page.tell(render=2, tap="favorite")
    await page.tell(beat=7)
    await page.until(beat=7)
    assert 0 < len(calls) <= 2 * (hass.loop.time() - began + 1)


async def test_a_tap_in_vain(
    hass: HomeAssistant, page: Page, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a library nothing is kept, and the page is told that; the log says why."""
    await cast(hass, await add(hass, page), "Dawn")
    await page.until(title="Dawn")
    for tap in ("hide", "favorite", "remove_favorite", ["hide"], {}):
        await page.tell(render=2, tap=tap)
    tapped = {"work": page.state["work"], "part": 0, "tap": "refused"}
    await page.until(tapped=tapped)
    await hass.async_block_till_done()
    told = [it for it in caplog.records if "A tap did nothing" in it.message]
    assert len(told) == 2
    assert {it.levelno for it in told} == {logging.WARNING}
