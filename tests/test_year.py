"""A year of use: what is kept, registered, notified and reported is bounded, however much happens."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from custom_components.dp1.addresses import ADDRESSES, MAX_ADDRESSES
from homeassistant.components.persistent_notification import (
    _async_get_or_create_notifications as notifications_of,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)

from .displays import ENTITY_ID, playlist
from .galleries import Gallery

DAYS = 30


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
        "media": len(hass.data["dp1_grants"].tokens),
    }


async def test_every_day_something_new(gallery: Gallery) -> None:
    """New playlists with what the feed does not take, and pictures at new hosts, leave no more than the first of them."""
    after: list[dict[str, int]] = []
    for day in range(DAYS):
        new = playlist(f"Day {day}", title=f"Day {day}", id=str(uuid4()))
        new["season"] = "winter"
        await gallery.hass.services.async_call(
            "dp1", "publish_playlist", {"playlist": new}, blocking=True
        )
        await gallery.call(
            "cast_playlist",
            entity_id=ENTITY_ID,
            playlist=playlist(f"http://host{day}.local:9/a.png"),
        )
        after.append(kept_of(gallery))
    assert after[0]["notifications"] == 1
    assert after[-1] == after[0]


async def test_hosts_that_were_seen(gallery: Gallery) -> None:
    """The places of the latest hosts are kept, and no more than there are addresses."""
    seen = gallery.hass.data[ADDRESSES]._seen
    for number in range(MAX_ADDRESSES + 10):
        seen[f"host{number}.example:80"] = "public"
    assert len(seen) == MAX_ADDRESSES
    assert f"host{MAX_ADDRESSES + 9}.example:80" in seen
