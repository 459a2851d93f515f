"""Test refreshing a library on demand."""

import pytest

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er

from tests.libraries import library_entry, playlist, set_up
from tests.simulators.feed import FeedSimulator, bad_gateway

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_look_for_news(
    hass: HomeAssistant,
    feed: FeedSimulator,
    entity_registry: er.EntityRegistry,
    device_registry: dr.DeviceRegistry,
) -> None:
    """Button and action refresh at once, and raise if a server does not answer."""
    entry = await set_up(hass, library_entry(feed.url))
    coordinator = entry.runtime_data.feed_server
    await coordinator.async_list()
    button = next(
        entity
        for entity in er.async_entries_for_config_entry(entity_registry, entry.entry_id)
        if entity.translation_key == "refresh_library"
    )
    device = device_registry.async_get(button.device_id or "")
    assert device is not None and device.entry_type is dr.DeviceEntryType.SERVICE
    (one,) = feed.seed([playlist()])
    await hass.services.async_call(
        "button", "press", {"entity_id": button.entity_id}, blocking=True
    )
    assert [known.id for known in coordinator.list.records] == [one["id"]]
    del feed.documents[one["id"]]
    (two,) = feed.seed([playlist()])
    for data in ({}, {"config_entry_id": entry.entry_id}):
        await hass.services.async_call("dp1", "refresh_library", data, blocking=True)
        assert two["id"] in {known.id for known in coordinator.list.records}
    feed.fault(bad_gateway(times=None))
    with pytest.raises(HomeAssistantError) as caught:
        await hass.services.async_call("dp1", "refresh_library", {}, blocking=True)
    assert caught.value.translation_key == "feed_temporary"


async def test_no_library(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """The action raises without a library."""
    entry = await set_up(hass, library_entry(feed.url))
    assert await hass.config_entries.async_unload(entry.entry_id)
    with pytest.raises(HomeAssistantError) as caught:
        await hass.services.async_call("dp1", "refresh_library", {}, blocking=True)
    assert caught.value.translation_key == "no_library"


async def test_no_button_publishes(
    hass: HomeAssistant, feed: FeedSimulator, entity_registry: er.EntityRegistry
) -> None:
    """The button that published without a question is gone; cards see by the kinds of news which library can publish."""
    for url, can_publish in ((feed.url, True), (None, False)):
        entry = library_entry(url, None if can_publish else "http://127.0.0.1:9")
        entry.add_to_hass(hass)
        assert await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        get_id = entity_registry.async_get_entity_id
        entities = er.async_entries_for_config_entry(entity_registry, entry.entry_id)
        buttons = [each.translation_key for each in entities if each.domain == "button"]
        assert buttons == ["refresh_library"]
        news = hass.states.get(get_id("event", "dp1", f"{entry.entry_id}_news") or "")
        assert news is not None
        kinds = news.attributes["event_types"]
        assert ("playlist_published" in kinds) is can_publish
