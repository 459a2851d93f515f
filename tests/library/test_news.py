"""Test the news of a library."""

from datetime import timedelta
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.dp1.library.news import HELD, NEWS, NewsItem
from homeassistant.const import EVENT_HOMEASSISTANT_STARTED
from homeassistant.core import CoreState, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.util import dt as dt_util

from tests.displays import playlist, state_of, until
from tests.libraries import library_entry, set_up
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator


def state(hass: HomeAssistant, platform: str, entry_id: str, key: str) -> Any:
    entity_id = er.async_get(hass).async_get_entity_id(
        platform, "dp1", f"{entry_id}_{key}"
    )
    assert entity_id is not None
    return state_of(hass, entity_id)


@pytest.mark.usefixtures("socket_enabled")
async def test_news(
    hass: HomeAssistant,
    catalog: CatalogSimulator,
    feed: FeedSimulator,
) -> None:
    """New exhibitions and playlists are told once, also by the event entity; favorites and older ones are not."""
    feed.seed([playlist("Tide")])
    entry = await set_up(hass, library_entry(feed.url, catalog.url, title="Gallery"))
    library = entry.runtime_data
    await library.async_refresh()
    (device,) = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    assert device.name == "Gallery"
    assert device.entry_type is dr.DeviceEntryType.SERVICE
    news: list[NewsItem] = []

    @callback
    def note(told: NewsItem) -> None:
        """Record an event."""
        news.append(told)

    stop = async_dispatcher_connect(hass, NEWS, note)
    shows = catalog.data.exhibitions
    model = next(show for show in shows if not show["hidden"])
    now = dt_util.utcnow()
    fresh = {**model, "id": "11111111-0000-4000-8000-000000000001"}
    late = {**model, "id": "11111111-0000-4000-8000-000000000002", "title": "Soon"}
    soon = now + timedelta(minutes=2)
    shows[:0] = [
        {**fresh, "title": "New", "slug": "new", "exhibitionStartAt": now.isoformat()},
        {**late, "exhibitionStartAt": soon.isoformat(), "previewDuration": 0},
        {**fresh, "id": "11111111-0000-4000-8000-000000000003"},
    ]
    dune = {"id": "0f9a8a36-4f6c-4f0c-8c7e-4d8f1f3b0001", "created": now.isoformat()}
    old = {"id": "0f9a8a36-4f6c-4f0c-8c7e-4d8f1f3b0002", "title": "Found again"}
    feed.seed(
        [
            playlist("Dune", **dune),
            playlist("Dune", **old, created="2024-01-01T00:00:00Z"),
        ]
    )
    await library.async_refresh()
    await library.async_refresh()
    assert len(news) == 2
    told = {item.kind: item.attributes for item in news}
    opened, published = told["exhibition_opened"], told["playlist_published"]
    assert opened["title"] == "New" and opened["link"].endswith(
        "/exhibitions/shows/new"
    )
    assert opened["media_content_id"] == (
        f"media-source://dp1/{entry.entry_id}/exhibition/{fresh['id']}"
    )
    assert opened["artist"] and opened["picture"]
    assert published["title"] == "Evening"
    assert published["link"].startswith(feed.url)

    # An announced exhibition opens at its time, without a request.
    async_fire_time_changed(hass, now + timedelta(minutes=3))
    await hass.async_block_till_done()
    assert [told.attributes["title"] for told in news[2:]] == ["Soon"]
    latest = state(hass, "event", entry.entry_id, "news").attributes
    assert (latest["event_type"], latest["title"]) == ("exhibition_opened", "Soon")

    # Favorites are not news, and what opened while Home Assistant was off is.
    favorite = f"exhibition/{fresh['id']}"
    await library.async_add_favorite(favorite)
    library.favorites.async_remove(favorite)
    await until(lambda: state(hass, "sensor", entry.entry_id, "last_refresh"))
    assert state(hass, "binary_sensor", entry.entry_id, "problem").state == "off"
    lists = library.catalog_server
    lists.list.read_at = now - timedelta(days=8)
    await hass.config_entries.async_unload(entry.entry_id)
    news.clear()
    hass.set_state(CoreState.starting)
    await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: HELD in hass.data and hass.data[HELD][entry.entry_id])
    # Automations do not listen yet.
    assert not news
    hass.set_state(CoreState.running)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
    await until(lambda: news)
    assert [told.attributes["title"] for told in news] == ["New"]

    # A server that is down is named in the problem sensor.
    await catalog.stop()
    with pytest.raises(Exception, match="Gallery"):
        await entry.runtime_data.async_refresh()
    await until(
        lambda: state(hass, "binary_sensor", entry.entry_id, "problem").state == "on"
    )
    problem = state(hass, "binary_sensor", entry.entry_id, "problem")
    assert "catalog of Gallery" in problem.attributes["reason"]
    stop()
