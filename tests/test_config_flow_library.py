"""Test the config flow of a library with simulated servers."""

import asyncio
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1 import config_flow
from custom_components.dp1.client.playlist.signing import SigningKey
from custom_components.dp1.const import DEFAULT_CATALOG_URL, DEFAULT_FEED_URL
from custom_components.dp1.library.settings import free_title
from homeassistant.config_entries import (
    SOURCE_USER,
    ConfigEntryState,
    ConfigFlowResult,
    FlowType,
)
from homeassistant.core import Event, HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import slugify

from .client.timing import impatient
from .displays import until
from .libraries import DID, ID, SEED, library_entry, playlist, set_up, suggested
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.feed import Cut, FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

BUSY = {"status": 429, "body": "slow down", "headers": {"Retry-After": "60"}}
# What a feed does, and the word for it beside its field.
FEED_FAULTS: dict[str, dict[str, Any]] = {
    "server_lost_answer": {"cut": Cut.BEFORE_BODY},
    "server_temporary": {"status": 502, "body": "<html>Bad gateway</html>"},
    "server_busy": BUSY,
    "server_unexpected_answer": {"status": 200, "body": "Hello"},
    "server_web_page": {"status": 200, "body": "<html>Hello</html>"},
    "server_authentication": {"status": 403, "body": "no"},
    "server_conflict": {"status": 409, "body": "no"},
}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the timeouts."""
    impatient(monkeypatch)


async def begin(hass: HomeAssistant) -> ConfigFlowResult:
    """Open the form for a library."""
    result = await hass.config_entries.flow.async_init(
        "dp1", context={"source": SOURCE_USER}
    )
    assert result["type"] is FlowResultType.MENU
    assert result["menu_options"] == ["display", "screen", "library"]
    result = await hass.config_entries.flow.async_configure(
        result["flow_id"], {"next_step_id": "library"}
    )
    assert (result["type"], result["step_id"]) == (FlowResultType.FORM, "library")
    assert not result["errors"]
    return result


async def fill(
    hass: HomeAssistant, form: ConfigFlowResult, **values: str | bool
) -> ConfigFlowResult:
    return await hass.config_entries.flow.async_configure(form["flow_id"], values)


async def entry_of(hass: HomeAssistant, result: ConfigFlowResult) -> MockConfigEntry:
    """Return the loaded entry of an added library."""
    assert result["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    entry: Any = result["result"]
    assert entry.state is ConfigEntryState.LOADED
    return entry


async def test_add(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """Both URLs can be written in several forms; a key is generated, and the feed is the unique id."""
    form = await begin(hass)
    assert suggested(form) == {
        "catalog_url": "https://feralfile.com",
        "feed_url": "https://feed.feralfile.com/api/v1",
    }
    result = await fill(
        hass, form, catalog_url=f" {catalog.url}/ ", feed_url=f"{feed.origin}/?a=b"
    )
    entry = await entry_of(hass, result)
    assert "next_flow" not in result
    assert (entry.unique_id, entry.title) == (feed.url, "Library")
    data = dict(entry.data)
    key = SigningKey.parse(data.pop("signing_key"))
    assert data == {
        "kind": "library",
        "catalog_url": catalog.url,
        "feed_url": feed.url,
        "api_key": None,
    }
    assert entry.runtime_data.key.did == key.did
    assert not any(asked.method != "GET" for asked in feed.log)


async def test_name_and_written_address(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """A library is called as its owner likes; the scheme of an own server may be left out."""
    host_and_port = feed.origin.removeprefix("http://")
    form = await begin(hass)
    result = await fill(hass, form, name=" Our <b>feed\n", feed_url=host_and_port)
    entry = await entry_of(hass, result)
    assert (entry.unique_id, entry.title) == (feed.url, "Our feed")


async def test_each_library_has_a_key_of_its_own(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """Two libraries on one host have different keys and names, also one without a feed."""
    one = await entry_of(hass, await fill(hass, await begin(hass), feed_url=feed.url))
    other = await entry_of(
        hass, await fill(hass, await begin(hass), catalog_url=catalog.url)
    )
    assert (one.unique_id, other.unique_id) == (feed.url, catalog.url)
    assert [one.title, other.title] == ["Library", "Library 2"]
    assert one.data["signing_key"] != other.data["signing_key"]


@pytest.mark.parametrize(
    ("catalog_url", "feed_url", "title"),
    [
        (DEFAULT_CATALOG_URL, None, "Feral File"),
        ("https://art.example.org/api", DEFAULT_FEED_URL, "art.example.org"),
        (None, "http://museum.local:8787/api/v1", "museum.local"),
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


async def test_the_same_feed_twice(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A feed can only be added once, however its URL is written."""
    await set_up(hass, library_entry(feed.url))
    result = await fill(hass, await begin(hass), feed_url=f"{feed.origin}/api/v1/")
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "already_configured"
    assert result["description_placeholders"] == {"title": "Library"}


async def test_with_api_key(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """The API key is tested without leaving anything in the feed."""
    form = await begin(hass)
    form = await fill(hass, form, feed_url=feed.url, api_key="wrong")
    assert form["errors"] == {"api_key": "invalid_auth"}
    entry = await entry_of(
        hass, await fill(hass, form, feed_url=feed.url, api_key=f" {feed.api_key} ")
    )
    assert entry.data["api_key"] == feed.api_key
    assert not feed.documents


async def test_api_key_without_feed(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """An API key needs a feed."""
    form = await begin(hass)
    form = await fill(hass, form, catalog_url=catalog.url, api_key="key")
    assert form["errors"] == {"api_key": "key_without_feed"}
    await entry_of(hass, await fill(hass, form, catalog_url=catalog.url))


async def test_neither_server(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """Either URL may be empty, but not both; an emptied field stays empty."""
    form = await begin(hass)
    form = await fill(hass, form)
    assert form["errors"] == {"base": "no_server"}
    assert suggested(form) == {}
    form = await fill(hass, form, catalog_url="  ", feed_url="")
    assert form["errors"] == {"base": "no_server"}
    await entry_of(hass, await fill(hass, form, feed_url=feed.url))


NO_URLS = (
    "ftp://feed.example",
    "http://",
    "no address",
    "http://a b/",
    "http://[::1",
    "http://xn--a/",
    "http://a:99999/",
    "http://a\x00b/",
    f"http://{'a' * 3_000}/",
)


@pytest.mark.parametrize("field", ["catalog_url", "feed_url"])
async def test_no_address(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator, field: str
) -> None:
    """An invalid URL is an error of its field, and the form can be submitted again."""
    form = await begin(hass)
    for url in NO_URLS:
        form = await fill(hass, form, **{field: url})
        assert form["errors"] == {field: "invalid_url"}, url
        assert suggested(form) == {field: url}
    good = {"catalog_url": catalog.url, "feed_url": feed.url}
    await entry_of(hass, await fill(hass, form, **{field: good[field]}))


@pytest.mark.parametrize("word", FEED_FAULTS)
async def test_feed_at_fault(
    hass: HomeAssistant, feed: FeedSimulator, word: str
) -> None:
    """An error of the feed is shown with its field, and the form can be submitted again."""
    fault = feed.fault(**FEED_FAULTS[word], times=None)
    form = await fill(hass, await begin(hass), feed_url=feed.url)
    assert form["errors"] == {"feed_url": word}
    feed.faults.remove(fault)
    await entry_of(hass, await fill(hass, form, feed_url=feed.url))


async def test_no_feed_there(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """A catalog is refused as a feed and a feed as a catalog, as is a server that does not answer."""
    form = await fill(
        hass, await begin(hass), catalog_url=feed.origin, feed_url=catalog.url
    )
    assert form["errors"] == {
        "catalog_url": "server_not_found",
        "feed_url": "server_unexpected_answer",
    }
    await feed.stop()
    await catalog.stop()
    form = await fill(hass, form, catalog_url=catalog.url, feed_url=feed.url)
    assert form["errors"] == {
        "catalog_url": "server_refused",
        "feed_url": "server_refused",
    }
    await feed.start()
    await catalog.start()
    await entry_of(
        hass, await fill(hass, form, catalog_url=catalog.url, feed_url=feed.url)
    )


async def test_feed_at_fault_when_the_key_is_tried(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """An error of the feed says nothing about the API key."""
    feed.fault(method="POST", status=500, body="down")
    form = await fill(hass, await begin(hass), feed_url=feed.url, api_key=feed.api_key)
    assert form["errors"] == {"api_key": "server_temporary"}
    await entry_of(
        hass, await fill(hass, form, feed_url=feed.url, api_key=feed.api_key)
    )


async def test_a_key_goes_to_no_server_that_is_no_feed(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """The API key is only sent to a feed."""
    feed.fault(path="/api/v1", status=200, body={"hello": "world"}, times=1)
    form = await fill(hass, await begin(hass), feed_url=feed.url, api_key=feed.api_key)
    assert form["errors"] == {"feed_url": "server_unexpected_answer"}
    assert not any("authorization" in asked.headers for asked in feed.log)
    await entry_of(hass, await fill(hass, form, feed_url=feed.url))


# Reconfigure


async def reconfigure(hass: HomeAssistant, entry: MockConfigEntry) -> ConfigFlowResult:
    form: ConfigFlowResult = await entry.start_reconfigure_flow(hass)
    assert (form["type"], form["step_id"]) == (
        FlowResultType.FORM,
        "reconfigure_library",
    )
    return form


def changed(result: ConfigFlowResult) -> bool:
    """Return whether a form was accepted."""
    return (
        result["type"] is FlowResultType.ABORT
        and result["reason"] == "reconfigure_successful"
    )


async def test_reconfigure(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """A catalog can be added; the keys are kept and not shown."""
    entry = await set_up(hass, library_entry(feed.url, api_key=feed.api_key))
    form = await reconfigure(hass, entry)
    assert suggested(form) == {"catalog_url": "", "feed_url": feed.url}
    form = await fill(hass, form, catalog_url="http://", feed_url=feed.url)
    assert form["errors"] == {"catalog_url": "invalid_url"}
    form = await fill(hass, form, catalog_url=catalog.url)
    assert changed(form)
    await hass.async_block_till_done()
    assert entry.unique_id == catalog.url
    assert (entry.data["feed_url"], entry.data["api_key"]) == (None, None)
    assert (entry.data["signing_key"], entry.title) == (SEED, "Library")
    assert entry.state is ConfigEntryState.LOADED


async def test_reconfigure_keeps_the_api_key_of_the_same_feed(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """An empty API key keeps the current one."""
    entry = await set_up(hass, library_entry(feed.url, api_key=feed.api_key))
    form = await reconfigure(hass, entry)
    form = await fill(hass, form, catalog_url=catalog.url, feed_url=feed.url)
    assert changed(form)
    await hass.async_block_till_done()
    assert entry.data["api_key"] == feed.api_key
    form = await reconfigure(hass, entry)
    form = await fill(hass, form, feed_url=feed.url, api_key="wrong")
    assert form["errors"] == {"api_key": "invalid_auth"}
    assert changed(await fill(hass, form, feed_url=feed.url, api_key=feed.api_key))
    await hass.async_block_till_done()


async def test_reconfigure_takes_the_api_key_away(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """The API key can be removed or replaced."""
    options = {"feed_keys": [DID]}
    entry = await set_up(
        hass, library_entry(feed.url, api_key="revoked", options=options)
    )
    form = await reconfigure(hass, entry)
    new = {"api_key": feed.api_key, "remove_api_key": True}
    assert changed(await fill(hass, form, feed_url=feed.url, **new))
    await hass.async_block_till_done()
    assert entry.data["api_key"] == feed.api_key
    form = await reconfigure(hass, entry)
    assert changed(await fill(hass, form, feed_url=feed.url, remove_api_key=True))
    await hass.async_block_till_done()
    assert entry.data["api_key"] is None
    assert "remove_api_key" not in entry.data
    assert entry.options == options


async def test_reconfigure_forgets_the_keys_of_another_feed(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """The keys of a feed are neither sent to another one nor used to verify its signatures."""
    entry = await set_up(
        hass,
        library_entry(
            feed.url,
            api_key=feed.api_key,
            options={"feed_keys": [DID], "curator": "Ada"},
        ),
    )
    async with FeedSimulator() as other:
        form = await reconfigure(hass, entry)
        assert changed(await fill(hass, form, feed_url=other.url))
        await hass.async_block_till_done()
        assert not any("authorization" in asked.headers for asked in other.log)
    assert (entry.unique_id, entry.data["api_key"]) == (other.url, None)
    assert entry.options == {"curator": "Ada"}


async def test_reconfigure_to_the_feed_of_another_library(
    hass: HomeAssistant, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """The feed of another library is refused."""
    await set_up(hass, library_entry(feed.url))
    entry = await set_up(hass, library_entry(None, catalog.url))
    result = await fill(hass, await reconfigure(hass, entry), feed_url=feed.url)
    assert (result["type"], result["reason"]) == (
        FlowResultType.ABORT,
        "already_configured",
    )
    assert entry.unique_id == catalog.url


# Reauth


async def test_reauth(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A new API key is tested before it is stored."""
    entry = library_entry(feed.url, api_key="revoked", title="[Gallery](http://a)")
    await set_up(hass, entry)
    form = await entry.start_reauth_flow(hass)
    assert (form["type"], form["step_id"]) == (FlowResultType.FORM, "reauth_confirm")
    # It is shown as Markdown.
    assert "[Gallery]" not in str(form["description_placeholders"])
    for wrong in ("wrong", "  ", "schlüssel"):
        form = await fill(hass, form, api_key=wrong)
        assert form["errors"] == {"api_key": "invalid_auth"}
    feed.fault(method="POST", status=503, body="later")
    form = await fill(hass, form, api_key=feed.api_key)
    assert form["errors"] == {"api_key": "server_temporary"}
    result = await fill(hass, form, api_key=f" {feed.api_key}\n")
    assert (result["type"], result["reason"]) == (
        FlowResultType.ABORT,
        "reauth_successful",
    )
    await hass.async_block_till_done()
    assert entry.data["api_key"] == feed.api_key
    assert entry.state is ConfigEntryState.LOADED


async def test_signed_feed(hass: HomeAssistant) -> None:
    """A feed that takes no key is sent none, and nobody is asked for another one; what is stored stays."""
    async with FeedSimulator("signed") as signed:
        form = await begin(hass)
        result = await fill(hass, form, feed_url=signed.url, api_key="of an older feed")
        added = await entry_of(hass, result)
        assert await hass.config_entries.async_remove(added.entry_id)
        entry = library_entry(signed.url, api_key="of an older feed")
        await set_up(hass, entry)
        reconfigure = await entry.start_reconfigure_flow(hass)
        await fill(hass, reconfigure, feed_url=signed.url)
        await hass.async_block_till_done()
        assert entry.data["api_key"] == "of an older feed"
        form = await entry.start_reauth_flow(hass)
        result = await fill(hass, form, api_key="another")
        assert (result["type"], result["reason"]) == (
            FlowResultType.ABORT,
            "key_not_needed",
        )
        assert {asked.method for asked in signed.log} == {"GET"}
        assert not any("authorization" in asked.headers for asked in signed.log)


# The end


async def test_remove(
    hass: HomeAssistant, feed: FeedSimulator, issue_registry: ir.IssueRegistry
) -> None:
    """An issue names the public key of a removed library."""
    entry = await set_up(hass, library_entry(feed.url, title="Hall"))
    await hass.services.async_call(
        "dp1", "publish_playlist", {"playlist": playlist()}, blocking=True
    )
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.config_entries.async_remove(entry.entry_id)
    issue = issue_registry.async_get_issue(
        "dp1", f"signing_key_removed_{entry.entry_id}"
    )
    assert issue is not None
    assert (issue.translation_key, issue.is_fixable) == ("signing_key_removed", True)
    assert issue.translation_placeholders == {"name": "Hall", "did": DID}
    assert SEED not in str(issue)


async def test_remove_what_never_published(
    hass: HomeAssistant, feed: FeedSimulator, issue_registry: ir.IssueRegistry
) -> None:
    """There is no issue for a signing key that was never used."""
    entry = await set_up(hass, library_entry(feed.url, api_key=feed.api_key))
    await hass.services.async_call(
        "dp1", "publish_playlist", {"playlist": playlist()}, blocking=True
    )
    await hass.config_entries.async_remove(entry.entry_id)
    assert not issue_registry.issues


async def test_remove_an_imported_key(
    hass: HomeAssistant, feed: FeedSimulator, issue_registry: ir.IssueRegistry
) -> None:
    """There is no issue for an imported key, unless it was used here."""
    entry = await set_up(hass, library_entry(feed.url))
    publish = ("dp1", "publish_playlist", {"playlist": playlist()}, True)
    await hass.services.async_call(*publish)
    menu = await hass.config_entries.options.async_init(entry.entry_id)
    for values in ({"next_step_id": "import_key"}, {"signing_key": "ab" * 32}):
        await hass.config_entries.options.async_configure(menu["flow_id"], values)
    await hass.async_block_till_done()
    await hass.config_entries.async_remove(entry.entry_id)
    assert not issue_registry.issues


async def settle_reading(hass: HomeAssistant, flow_id: str) -> ConfigFlowResult:
    """Follow a library that is read, until its flow ends."""
    while True:
        result = await hass.config_entries.options.async_configure(flow_id)
        if result["type"] is not FlowResultType.SHOW_PROGRESS:
            return result
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("server", ["feed_url", "catalog_url"])
async def test_a_library_that_takes_long_shows_how_far_it_is(
    hass: HomeAssistant,
    feed: FeedSimulator,
    catalog: CatalogSimulator,
    monkeypatch: pytest.MonkeyPatch,
    server: str,
) -> None:
    """The library is there already; what is left to read is shown, and this can be left."""
    monkeypatch.setattr(config_flow, "PATIENCE", 0.0)
    feed.seed([playlist(id=f"{ID[:-3]}{n:03}", slug=f"evening-{n}") for n in range(60)])
    simulator = {"feed_url": feed, "catalog_url": catalog}[server]
    told: list[Event[Any]] = []
    for kind in ("data_entry_flow_progress_update", "data_entry_flow_progressed"):
        hass.bus.async_listen(kind, told.append)
    simulator.latency = 0.2
    result = await fill(hass, await begin(hass), **{server: simulator.url})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    entry = result["result"]
    assert entry.state is ConfigEntryState.LOADED
    kind, flow_id = result["next_flow"]
    assert kind is FlowType.OPTIONS_FLOW
    step = await hass.config_entries.options.async_configure(flow_id)
    assert (step["type"], step["progress_action"]) == (
        FlowResultType.SHOW_PROGRESS,
        "reading",
    )
    state = hass.states.get(f"sensor.{slugify(entry.title)}_last_refresh")
    assert state and state.attributes["reading"]
    end = await settle_reading(hass, flow_id)
    assert (end["type"], end["reason"]) == (FlowResultType.ABORT, "read")
    known = {"feed_url": "60", "catalog_url": str(len(catalog.data.exhibitions))}
    assert end["description_placeholders"] == {
        "name": entry.title,
        "known": known[server],
    }
    shares = [event.data["progress"] for event in told if "progress" in event.data]
    assert all(0 <= share <= 1 for share in shares)
    assert bool(shares) is (server == "catalog_url")
    await hass.async_block_till_done()


async def test_leaving_the_progress_does_not_end_the_reading(
    hass: HomeAssistant, feed: FeedSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dialog is closed while the feed is read."""
    monkeypatch.setattr(config_flow, "PATIENCE", 0.0)
    feed.seed([playlist()])
    feed.latency = 0.2
    result = await fill(hass, await begin(hass), feed_url=feed.url)
    hass.config_entries.options.async_abort(result["next_flow"][1])
    library = result["result"].runtime_data
    await until(lambda: not library.is_reading)
    assert len(library.feed_server.list.records) == 1
