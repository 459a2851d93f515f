"""Test the config flow of a library with simulated servers."""

from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.const import DEFAULT_CATALOG_URL, DEFAULT_FEED_URL
from custom_components.dp1.library.settings import DEFAULT_SERVERS, free_title
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir

from .client.timing import impatient
from .flows import CREATED, begin, begin_options, fill, outcome
from .libraries import DID, SEED, library_entry, playlist, set_up, suggested
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.feed import Cut, FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

CHANGED = "reconfigure_successful"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the timeouts."""
    impatient(monkeypatch)


async def add(hass: HomeAssistant, **values: Any) -> Any:
    """Add a library."""
    return await fill(hass, await begin(hass, "library"), **values)


def entry_of(result: Any) -> Any:
    """Return the loaded entry of an added library."""
    assert outcome(result) == CREATED
    assert result["result"].state is ConfigEntryState.LOADED
    return result["result"]


def keys_sent(feed: FeedSimulator) -> bool:
    return any("authorization" in request.headers for request in feed.log)


async def test_add(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """Both URLs can be written in several forms; a key is generated, and the feed is the unique id."""
    form = await begin(hass, "library")
    assert suggested(form) == DEFAULT_SERVERS
    urls = {"catalog_url": f" {catalog.url}/ ", "feed_url": f"{feed.origin}/?a=b"}
    result = await fill(hass, form, **urls)
    entry = entry_of(result)
    assert "next_flow" not in result
    assert (entry.unique_id, entry.title) == (feed.url, "Library")
    data = dict(entry.data)
    assert entry.runtime_data.key.did.startswith("did:key:")
    assert data == {
        "kind": "library",
        "catalog_url": catalog.url,
        "feed_url": feed.url,
        "api_key": None,
    }
    assert not any(request.method != "GET" for request in feed.log)
    # However its URL is written.
    again = await add(hass, feed_url=f"{feed.origin}/api/v1/")
    assert outcome(again) == "already_configured"
    assert again["description_placeholders"] == {"title": "Library"}


async def test_name_and_written_address(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """A library is called as its owner likes; the scheme of an own server may be left out."""
    host_and_port = feed.origin.removeprefix("http://")
    entry = entry_of(
        await add(hass, name=" Our <b>feed\n", feed_url=host_and_port, api_key="")
    )
    assert (entry.unique_id, entry.title) == (feed.url, "Our feed")


async def test_each_library_has_a_key_of_its_own(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """Two libraries on one host have different keys and names, also one without a feed."""
    one = entry_of(await add(hass, feed_url=feed.url))
    other = entry_of(await add(hass, catalog_url=catalog.url))
    assert (one.unique_id, other.unique_id) == (feed.url, catalog.url)
    assert [one.title, other.title] == ["Library", "Library 2"]
    assert one.runtime_data.key.did != other.runtime_data.key.did


@pytest.mark.parametrize(
    ("catalog_url", "feed_url", "title"),
    [
        (DEFAULT_CATALOG_URL, None, "Feral File"),
        ("https://art.example.org/api", DEFAULT_FEED_URL, "art.example.org"),
        ("http://192.168.1.20", "https://feed.example.org", "Library"),
        (None, "http://[fd00::1]:8787", "Library"),
        (None, "http://localhost:8787", "Library"),
    ],
)
async def test_a_library_is_called_by_a_name(
    hass: HomeAssistant, catalog_url: str | None, feed_url: str | None, title: str
) -> None:
    """A library without a name has that of its server, but never a number."""
    servers = {"catalog_url": catalog_url, "feed_url": feed_url}
    assert free_title(hass, servers) == title
    MockConfigEntry(domain="dp1", title=title).add_to_hass(hass)
    assert free_title(hass, servers) == f"{title} 2"


@pytest.mark.parametrize(
    ("values", "errors"),
    [
        ({}, {"base": "no_server"}),
        ({"catalog_url": "  ", "feed_url": ""}, {"base": "no_server"}),
        (
            {"catalog_url": "{catalog}", "api_key": "key"},
            {"api_key": "key_without_feed"},
        ),
        ({"feed_url": "{feed}", "api_key": "wrong"}, {"api_key": "invalid_auth"}),
        (
            {"catalog_url": "{feed}", "feed_url": "{catalog}"},
            {
                "catalog_url": "server_not_found",
                "feed_url": "server_unexpected_answer",
            },
        ),
        (
            {"catalog_url": "http://127.0.0.1:9", "feed_url": "http://127.0.0.1:9"},
            {"catalog_url": "server_refused", "feed_url": "server_refused"},
        ),
        *(
            ({field: url}, {field: "invalid_url"})
            for field, url in (
                ("feed_url", "ftp://feed.example"),
                ("catalog_url", "http://"),
                ("feed_url", "http://[::1"),
                ("catalog_url", "http://xn--a/"),
                ("feed_url", "http://a:99999/"),
                ("catalog_url", "http://a\x00b/"),
                ("feed_url", f"http://{'a' * 3_000}/"),
                ("catalog_url", f"http://{'a' * 3_000}/"),
            )
        ),
    ],
)
async def test_refused(
    hass: HomeAssistant,
    feed: FeedSimulator,
    catalog: CatalogSimulator,
    values: dict[str, str],
    errors: dict[str, str],
) -> None:
    """An error stands by its field, what was entered stays, and the form can be submitted again."""
    urls = {"feed": feed.origin, "catalog": catalog.url}
    values = {field: text.format(**urls) for field, text in values.items()}
    form = await add(hass, **values)
    assert outcome(form) == errors
    assert suggested(form) == values
    key = f" {feed.api_key} "
    entry = entry_of(await fill(hass, form, feed_url=feed.url, api_key=key))
    assert entry.data["api_key"] == feed.api_key
    # The key was tried without leaving anything.
    assert not feed.documents


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"cut": Cut.BEFORE_BODY}, {"feed_url": "server_lost_answer"}),
        ({"status": 200, "body": "Hello"}, {"feed_url": "server_unexpected_answer"}),
        (
            {"path": "/api/v1", "status": 200, "body": {"a": 1}},
            {"feed_url": "server_unexpected_answer"},
        ),
        ({"status": 403, "body": "no"}, {"feed_url": "server_authentication"}),
        ({"status": 500, "method": "POST"}, {"api_key": "server_temporary"}),
    ],
)
async def test_feed_at_fault(
    hass: HomeAssistant,
    feed: FeedSimulator,
    fault: dict[str, Any],
    error: dict[str, str],
) -> None:
    """An error of the feed is shown with its field, says nothing about the key, which goes to a feed only."""
    removed = feed.fault(**fault, times=None)
    values = {"feed_url": feed.url, "api_key": feed.api_key}
    form = await add(hass, **values)
    assert outcome(form) == error
    assert keys_sent(feed) is ("api_key" in error)
    feed.faults.remove(removed)
    entry_of(await fill(hass, form, **values))


# Reconfigure


async def test_reconfigure(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """A catalog can be added; the keys are kept and not shown, and an empty API key keeps that of the same feed."""
    entry = await set_up(hass, library_entry(feed.url, api_key=feed.api_key))
    form = await entry.start_reconfigure_flow(hass)
    assert outcome(form) == "reconfigure_library"
    assert suggested(form) == {"catalog_url": "", "feed_url": feed.url}
    form = await fill(hass, form, catalog_url="http://", feed_url=feed.url)
    assert outcome(form) == {"catalog_url": "invalid_url"}
    urls = {"catalog_url": catalog.url, "feed_url": feed.url}
    assert outcome(await fill(hass, form, **urls)) == CHANGED
    assert (entry.unique_id, entry.data["api_key"]) == (feed.url, feed.api_key)
    form = await entry.start_reconfigure_flow(hass)
    assert outcome(await fill(hass, form, catalog_url=catalog.url)) == CHANGED
    assert entry.unique_id == catalog.url
    assert (entry.data["feed_url"], entry.data["api_key"]) == (None, None)
    assert (entry.runtime_data.key.export(), entry.title) == (SEED, "Library")
    assert entry.state is ConfigEntryState.LOADED


async def test_reconfigure_takes_the_api_key_away(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """The API key can be replaced by one that is accepted, or removed."""
    options = {"feed_keys": [DID]}
    entry = library_entry(feed.url, api_key="revoked", options=options)
    await set_up(hass, entry)
    form = await entry.start_reconfigure_flow(hass)
    form = await fill(hass, form, feed_url=feed.url, api_key="wrong")
    assert outcome(form) == {"api_key": "invalid_auth"}
    new = {"api_key": feed.api_key, "remove_api_key": True}
    for values, kept in ((new, feed.api_key), ({"remove_api_key": True}, None)):
        assert outcome(await fill(hass, form, feed_url=feed.url, **values)) == CHANGED
        assert entry.data["api_key"] == kept
        form = await entry.start_reconfigure_flow(hass)
    assert "remove_api_key" not in entry.data
    assert entry.options == options


async def test_reconfigure_forgets_the_keys_of_another_feed(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """The keys of a feed are neither sent to another one nor used to verify its signatures."""
    options = {"feed_keys": [DID], "curator": "Ada"}
    entry = library_entry(feed.url, api_key=feed.api_key, options=options)
    await set_up(hass, entry)
    async with FeedSimulator() as other:
        form = await entry.start_reconfigure_flow(hass)
        assert outcome(await fill(hass, form, feed_url=other.url)) == CHANGED
        assert not keys_sent(other)
    assert (entry.unique_id, entry.data["api_key"]) == (other.url, None)
    assert entry.options == {"curator": "Ada"}


async def test_reconfigure_to_the_feed_of_another_library(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """The feed of another library is refused."""
    await set_up(hass, library_entry(feed.url))
    entry = await set_up(hass, library_entry(None, catalog.url))
    form = await entry.start_reconfigure_flow(hass)
    result = await fill(hass, form, feed_url=feed.url)
    assert outcome(result) == "already_configured"
    assert entry.unique_id == catalog.url


# Reauth


async def test_reauth(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A new API key is tested before it is stored."""
    entry = library_entry(feed.url, api_key="revoked", title="[Gallery](http://a)")
    await set_up(hass, entry)
    form = await entry.start_reauth_flow(hass)
    assert outcome(form) == "reauth_confirm"
    # It is shown as Markdown.
    assert "[Gallery]" not in str(form["description_placeholders"])
    for wrong in ("wrong", "  ", "schlüssel"):
        form = await fill(hass, form, api_key=wrong)
        assert outcome(form) == {"api_key": "invalid_auth"}
    down = feed.fault(status=503, body="later", times=None)
    form = await fill(hass, form, api_key=feed.api_key)
    assert outcome(form) == {"api_key": "server_temporary"}
    feed.faults.remove(down)
    result = await fill(hass, form, api_key=f" {feed.api_key}\n")
    assert outcome(result) == "reauth_successful"
    assert entry.data["api_key"] == feed.api_key
    assert entry.state is ConfigEntryState.LOADED


async def test_signed_feed(hass: HomeAssistant) -> None:
    """A feed that takes no key is sent none, and nobody is asked for another one; what is stored stays."""
    async with FeedSimulator("signed") as signed:
        old = {"feed_url": signed.url, "api_key": "of an older feed"}
        added = entry_of(await add(hass, **old))
        assert await hass.config_entries.async_remove(added.entry_id)
        entry = await set_up(hass, library_entry(signed.url, api_key=old["api_key"]))
        form = await entry.start_reconfigure_flow(hass)
        assert outcome(await fill(hass, form, feed_url=signed.url)) == CHANGED
        assert entry.data["api_key"] == old["api_key"]
        form = await entry.start_reauth_flow(hass)
        assert outcome(await fill(hass, form, api_key="another")) == "key_not_needed"
        assert {request.method for request in signed.log} == {"GET"}
        assert not keys_sent(signed)


# The end


@pytest.mark.parametrize(
    ("api_key", "imported", "is_told"),
    [(None, None, True), ("test-api-key", None, False), (None, "ab" * 32, False)],
    ids=["signed", "never signed", "imported and never signed since"],
)
async def test_remove(
    hass: HomeAssistant,
    feed: FeedSimulator,
    issue_registry: ir.IssueRegistry,
    api_key: str | None,
    imported: str | None,
    is_told: bool,
) -> None:
    """An issue names the public key of a removed library, if it has signed something."""
    entry = await set_up(hass, library_entry(feed.url, api_key=api_key, title="Hall"))
    published = {"playlist": playlist()}
    await hass.services.async_call("dp1", "publish_playlist", published, blocking=True)
    for key in filter(None, [imported]):
        form = await begin_options(hass, entry.entry_id, "import_key")
        assert outcome(await fill(hass, form, signing_key=key)) == "key_imported"
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.config_entries.async_remove(entry.entry_id)
    issue_id = f"signing_key_removed_{entry.entry_id}"
    assert [*issue_registry.issues] == ([("dp1", issue_id)] if is_told else [])
    for issue in issue_registry.issues.values():
        assert (issue.translation_key, issue.is_fixable) == (
            "signing_key_removed",
            True,
        )
        assert issue.translation_placeholders == {"name": "Hall", "did": DID}
    assert SEED not in str(issue_registry.issues)
