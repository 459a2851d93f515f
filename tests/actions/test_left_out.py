"""Test the notification about fields that a feed does not store."""

import pytest

from homeassistant.components.persistent_notification import async_register_callback
from homeassistant.core import HomeAssistant, callback

from .calls import call

from tests.libraries import library_entry, playlist, set_up
from tests.simulators.feed import FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.mark.parametrize("with_key", [False, True])
async def test_who_does_not_read_the_response_is_notified(
    hass: HomeAssistant, feed: FeedSimulator, with_key: bool
) -> None:
    """Without a response a notification names field and feed, in the language of the home; with one, the response does."""
    told: list[str] = []
    hass.config.language = "de"

    @callback
    def note(_: object, notifications: dict[str, dict[str, str]]) -> None:
        told.extend(notification["message"] for notification in notifications.values())

    async_register_callback(hass, note)
    key = feed.api_key if with_key else None
    await set_up(hass, library_entry(feed.url, api_key=key))
    plain = playlist()
    await call(hass, "publish_playlist", playlist=plain, respond=False)
    assert not told
    items = [{**item, "contentRating": "mature"} for item in plain["items"]]
    labelled = {"playlist": {**plain, "items": items, "season": "winter"}}
    await call(hass, "publish_playlist", respond=False, **labelled)
    (message,) = told
    assert "hat die Playlist" in message
    assert r"items\[0\]\.contentRating" in message
    response = await call(hass, "publish_playlist", **labelled)
    lost = response["changed" if with_key else "left_out"]
    assert {"items[0].contentRating", "season"} <= {*lost}
    assert len(told) == 1
