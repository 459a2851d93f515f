"""What a hostile server does to the dialogs that ask it: subentries, and the question for another API key."""

from collections.abc import Callable
import json
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.client import retry
from homeassistant.config_entries import SOURCE_USER
from homeassistant.core import HomeAssistant

from .client.scripted_server import Reply, Request, ScriptedServer
from .collections import E1, NOWHERE
from .flows import CREATED, fill, outcome
from .libraries import library_entry, set_up
from .library.test_hostile_texts import TEXTS, check

pytestmark = pytest.mark.usefixtures("socket_enabled")

KEY = "a key of the owner"
INSIDE = (
    "dial tcp 10.0.0.3:5432: password=hunter2 <img src=x> [here](http://evil.example)"
)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask once."""
    monkeypatch.setattr(retry, "TRIES", 1)


async def dialog(hass: HomeAssistant, entry: MockConfigEntry, kind: str) -> Any:
    """Open the dialog of a new subentry."""
    return await hass.config_entries.subentries.async_init(
        (entry.entry_id, kind), context={"source": SOURCE_USER}
    )


async def answered(hass: HomeAssistant, form: Any, **values: Any) -> Any:
    """Fill in the dialog of a subentry."""
    result = await hass.config_entries.subentries.async_configure(
        form["flow_id"], values
    )
    await hass.async_block_till_done()
    return result


def channel(title: object) -> dict[str, Any]:
    """Return a channel as a feed has it."""
    return {
        "id": "385f79b6-a45f-4c1c-8080-e93a192adccc",
        "slug": "evenings",
        "title": title,
        "publisher": {"name": title},
        "playlists": [],
    }


async def test_the_name_of_a_channel(hass: HomeAssistant) -> None:
    """It becomes the name of the subentry, if its owner gives none, and is a short plain text."""
    library = await set_up(hass, library_entry(NOWHERE))
    body = json.dumps(channel(TEXTS["HTML"])).encode()
    reply = Reply(200, body, {"Content-Type": "application/json"})
    async with ScriptedServer.run(reply) as feed:
        form = await dialog(hass, library, "channel")
        result = await answered(hass, form, url=f"{feed.url}/channels/evenings")
        assert await hass.config_entries.async_unload(library.entry_id)
    assert outcome(result) == CREATED
    (subentry,) = library.subentries.values()
    check(subentry.title)
    assert set(subentry.data) == {"url"}


# What else servers do is the client's to refuse.
HOSTILE: dict[str, Callable[[str], Reply]] = {
    "sent elsewhere": lambda other: Reply(302, headers={"Location": other}),
    "the inside of a server": lambda _: Reply(500, {"error": INSIDE, "message": INSIDE}),
}  # fmt: skip


@pytest.mark.parametrize("attack", HOSTILE)
@pytest.mark.parametrize("path", ["channels/evenings", "channels?publisher=Ines"])
async def test_a_channel_of_a_hostile_feed(
    hass: HomeAssistant, attack: str, path: str
) -> None:
    """The dialog says in a few words that it cannot be read, and nothing else at home is asked."""
    library = await set_up(hass, library_entry(NOWHERE))
    async with (
        ScriptedServer.run(Reply(200, channel("Other"))) as victim,
        ScriptedServer.run(HOSTILE[attack](victim.url)) as feed,
    ):
        form = await dialog(hass, library, "channel")
        result = await answered(hass, form, url=f"{feed.url}/{path}")
    assert outcome(result) in ({"url": "cannot_connect"}, {"url": "unknown_channel"})
    detail = result["description_placeholders"]["detail"]
    if detail:
        check(detail)
    for secret in ("hunter2", "10.0.0.3", "[here]", "<img"):
        assert secret not in detail
    assert not victim.requests
    assert not library.subentries


@pytest.mark.parametrize("attack", HOSTILE)
async def test_a_collection_of_a_hostile_indexer(
    hass: HomeAssistant, attack: str
) -> None:
    """A collection is added whatever the indexer answers, and is not what that says."""
    async with (
        ScriptedServer.run(Reply(200, channel("Other"))) as victim,
        ScriptedServer.run(HOSTILE[attack](victim.url)) as indexer,
    ):
        library = library_entry(NOWHERE, options={"indexer_url": indexer.url})
        await set_up(hass, library)
        form = await dialog(hass, library, "collection")
        result = await answered(hass, form, name="Ours", addresses=E1)
        assert outcome(result) == CREATED
        assert await hass.config_entries.async_unload(library.entry_id)
    (subentry,) = library.subentries.values()
    assert subentry.title == "Ours"
    assert subentry.data["addresses"] == [E1]
    assert not victim.requests


@pytest.mark.parametrize("attack", HOSTILE)
async def test_a_hostile_feed_asks_for_a_key(hass: HomeAssistant, attack: str) -> None:
    """The new key goes to the feed alone, is not stored as long as that takes it not, and no text of the feed is shown."""
    replies: list[Reply] = [Reply(200, {"playlists": []})]

    def answer(_: Request) -> Reply:
        return replies[0]

    async with (
        ScriptedServer.run(Reply(200, {"ok": True})) as victim,
        ScriptedServer.run(answer) as feed,
    ):
        entry = await set_up(hass, library_entry(feed.url, api_key="old"))
        replies[0] = HOSTILE[attack](victim.url)
        form = await entry.start_reauth_flow(hass)
        result = await fill(hass, form, api_key=KEY)
        assert outcome(result)["api_key"] in ("invalid_auth", *texts_of_errors(result))
        assert "hunter2" not in str(result) and "evil" not in str(result)
    assert entry.data["api_key"] == "old"
    assert not victim.requests
    assert all(KEY not in asked.path for asked in feed.requests)


def texts_of_errors(result: Any) -> list[str]:
    """Return the keys of errors of a server in a form."""
    return [key for key in result["errors"].values() if key.startswith("server_")]
