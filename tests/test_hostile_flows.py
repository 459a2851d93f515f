"""What a hostile server does to the dialogs that ask it: subentries, and the question for another API key."""

import pytest

from custom_components.dp1.client import retry
from homeassistant.core import HomeAssistant

from .client.scripted_server import Reply, ScriptedServer
from .collections import E1, NOWHERE
from .flows import CREATED, begin_part, fill, outcome
from .libraries import library_entry, set_up
from .library.test_hostile_texts import check

pytestmark = pytest.mark.usefixtures("socket_enabled")

KEY = "a key of the owner"
INSIDE = (
    "dial tcp 10.0.0.3:5432: password=hunter2 <img src=x> [here](http://evil.example)"
)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask once."""
    monkeypatch.setattr(retry, "TRIES", 1)


# What else servers do is the client's to refuse.
FAILS = Reply(500, {"error": INSIDE, "message": INSIDE})


async def test_a_channel_of_a_hostile_feed(hass: HomeAssistant) -> None:
    """The dialog says in a few words that it cannot be read."""
    library = await set_up(hass, library_entry(NOWHERE))
    async with ScriptedServer.run(FAILS) as feed:
        form = await begin_part(hass, library.entry_id, "channel")
        result = await fill(hass, form, url=f"{feed.url}/channels/evenings")
    assert outcome(result) == {"url": "cannot_connect"}
    detail = result["description_placeholders"]["detail"]
    check(detail)
    for secret in ("hunter2", "10.0.0.3", "[here]", "<img"):
        assert secret not in detail
    assert not library.subentries


async def test_a_collection_of_a_hostile_indexer(hass: HomeAssistant) -> None:
    """A collection is added whatever the indexer answers, and is not what that says."""
    async with ScriptedServer.run(FAILS) as indexer:
        library = library_entry(NOWHERE, options={"indexer_url": indexer.url})
        await set_up(hass, library)
        form = await begin_part(hass, library.entry_id, "collection")
        result = await fill(hass, form, name="Ours", addresses=E1)
        assert outcome(result) == CREATED
        assert await hass.config_entries.async_unload(library.entry_id)
    (subentry,) = library.subentries.values()
    assert subentry.title == "Ours"
    assert subentry.data["addresses"] == [E1]


async def test_a_hostile_feed_asks_for_a_key(hass: HomeAssistant) -> None:
    """The new key is not stored as long as the feed takes it not, and no text of the feed is shown."""
    replies = [Reply(200, {"playlists": []})]
    async with ScriptedServer.run(lambda _: replies[0]) as feed:
        entry = await set_up(hass, library_entry(feed.url, api_key="old"))
        replies[0] = FAILS
        form = await entry.start_reauth_flow(hass)
        result = await fill(hass, form, api_key=KEY)
        assert outcome(result)["api_key"].startswith("server_")
        assert "hunter2" not in str(result) and "evil" not in str(result)
    assert entry.data["api_key"] == "old"
    assert all(KEY not in asked.path for asked in feed.requests)
