"""A year of use: what is kept, registered, notified and reported is bounded, however much happens."""

from collections.abc import AsyncIterator
from datetime import timedelta
from statistics import median
from typing import Any
from uuid import uuid4

from freezegun.api import FrozenDateTimeFactory
import pytest
from pytest_homeassistant_custom_component.common import (
    async_capture_events,
    async_fire_time_changed,
)

from custom_components.dp1.addresses import ADDRESSES, MAX_ADDRESSES
from custom_components.dp1.const import EVENT_WORK_CHANGED
from custom_components.dp1.display.history import MAX_LISTS
from homeassistant.components.persistent_notification import (
    _async_get_or_create_notifications as notifications_of,
)
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import HomeAssistant
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
from homeassistant.helpers.json import json_bytes

from .displays import ENTITY_ID, playlist
from .galleries import Gallery

# More than the lists that a history keeps.
DAYS = MAX_LISTS + 14
YEAR = timedelta(days=365)
# More than a list that is written a day later may add to a file.
MANY_BYTES = 250


@pytest.fixture
async def gallery(hass: HomeAssistant, socket_enabled: None) -> AsyncIterator[Gallery]:
    async with Gallery.of(hass) as gallery:
        yield gallery


def kept_of(gallery: Gallery) -> dict[str, int]:
    """Return how much there is of what a person would have to clear away."""
    hass = gallery.hass
    return {
        "entities": len(er.async_get(hass).entities),
        "devices": len(dr.async_get(hass).devices),
        "issues": len(ir.async_get(hass).issues),
        "notifications": len(notifications_of(hass)),
        "media": len(hass.data["dp1_grants"]._made),
    }


async def sizes_of(gallery: Gallery, storage: dict[str, Any]) -> dict[str, int]:
    """Return the size of each file, once all are written."""
    gallery.hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await gallery.hass.async_block_till_done()
    return {
        key: len(json_bytes(stored["data"]))
        for key, stored in storage.items()
        if key.startswith("dp1.")
    }


async def test_every_day_something_new(
    gallery: Gallery, hass_storage: dict[str, Any], freezer: FrozenDateTimeFactory
) -> None:
    """New playlists with what the feed does not take, pictures at new hosts and surprises leave no more than the first of them."""
    hass = gallery.hass
    events = async_capture_events(hass, EVENT_WORK_CHANGED)
    after: list[dict[str, int]] = []
    sizes: list[dict[str, int]] = []
    for day in range(DAYS):
        if day % 4 == 0:
            freezer.tick(YEAR / (DAYS / 4))
            async_fire_time_changed(hass)
        new = playlist(f"Day {day:03}", title=f"Day {day:03}", id=str(uuid4()))
        new["season"] = "winter"
        await hass.services.async_call(
            "dp1", "publish_playlist", {"playlist": new}, blocking=True
        )
        await gallery.call(
            "cast_playlist",
            entity_id=ENTITY_ID,
            playlist=playlist(f"http://host{day:03}.local:9/a.png"),
        )
        after.append(kept_of(gallery))
        if day >= MAX_LISTS:
            sizes.append(await sizes_of(gallery, hass_storage))
    assert after[0]["notifications"] == 1
    assert after[-1] == after[0]
    assert len(events) <= DAYS
    # Of three days each, as what is still being shown is written at times a day later.
    first, last = sizes[:3], sizes[-3:]
    growing = {
        key.rpartition(".")[2]: growth / (len(sizes) - 3)
        for key in sizes[-1]
        if abs(
            growth := median(it[key] for it in last) - median(it[key] for it in first)
        )
        > MANY_BYTES
    }
    # The catalog stays as it is, and is read by and by.
    growing.pop("catalog", 0)
    assert all(it < 500_000 for key, it in sizes[-1].items() if "catalog" in key)
    # What the owner published, and digests of addresses, of which there is a limit below; all else stays as it is.
    assert {*growing} == {"feed", "named_hosts"}, growing
    assert growing["feed"] < 500 and growing["named_hosts"] < 50


async def test_hosts_that_were_seen(
    gallery: Gallery, hass_storage: dict[str, Any]
) -> None:
    """The places of the latest hosts are kept, and no more than there are addresses: half a megabyte."""
    addresses = gallery.hass.data[ADDRESSES]
    seen = addresses._seen
    for number in range(MAX_ADDRESSES + 10):
        host = f"host{number}.example:80"
        seen[host] = "public"
        for kept in (addresses._of_casts, addresses._of_libraries):
            kept.allow([f"http://{host}/a.png"])
    sizes = await sizes_of(gallery, hass_storage)
    assert 100_000 < sizes["dp1.named_hosts"] < 500_000
    assert len(seen) == MAX_ADDRESSES
    for kept in (addresses._of_casts, addresses._of_libraries):
        assert len(kept.digests) == MAX_ADDRESSES
    assert f"host{MAX_ADDRESSES + 9}.example:80" in seen
