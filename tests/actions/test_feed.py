"""Test the feed actions with simulated feeds of both families."""

from collections.abc import AsyncIterator
import json
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import WebSocketGenerator
import voluptuous as vol
from yarl import URL

from homeassistant.components.persistent_notification import async_register_callback
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.setup import async_setup_component

from .calls import call, failure, reauth_flows, writes

from tests.client.timing import impatient
from tests.libraries import DID, ID, library_entry, playlist, set_up
from tests.simulators.feed import (
    FeedSimulator,
    bad_gateway,
    digest,
    refusal,
    tampered,
    verify,
)

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts."""
    impatient(monkeypatch, 3.0)


@pytest.fixture
async def ts_feed(socket_enabled: None) -> AsyncIterator[FeedSimulator]:
    """Serve a feed that signs by itself."""
    async with FeedSimulator("ts", random_seed=1) as simulator:
        yield simulator


@pytest.fixture
async def library(hass: HomeAssistant, feed: FeedSimulator) -> MockConfigEntry:
    """Set up a library with a signing key."""
    return await set_up(hass, library_entry(feed.url))


@pytest.fixture
async def keyed(hass: HomeAssistant, feed: FeedSimulator) -> MockConfigEntry:
    return await set_up(hass, library_entry(feed.url, api_key=feed.api_key))


async def publish(hass: HomeAssistant, **data: Any) -> dict[str, Any]:
    """Publish a small playlist, or other content."""
    content = {} if "playlist_url" in data else {"playlist": playlist()}
    response: dict[str, Any] = await call(hass, "publish_playlist", **content | data)
    return response


# Publish


@pytest.mark.usefixtures("library")
async def test_publish_signed(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A published playlist is signed, stored, and can be read by id, slug and address."""
    words = {"title": "Night", "summary": "Two works.", "slug": "The Night"}
    told = await publish(hass, playlist=json.dumps(playlist()), **words)
    verified = [
        {"kid": DID, "role": "curator", "valid": True},
        {"kid": feed.kid, "role": "feed", "valid": True},
    ]
    url = f"{feed.url}/playlists/{told['id']}"
    assert told == {
        "id": told["id"],
        "slug": "the-night",
        "url": url,
        "status": "published",
        "signed_by": DID,
        "verified": verified,
    }
    stored = feed.documents[told["id"]]
    assert (stored["title"], stored["summary"]) == ("Night", "Two works.")
    assert stored["curators"] == [{"name": "Curator", "key": DID}]
    assert stored["defaults"] == {"duration": 300, "license": "open"}
    assert all(verify(stored, entry) for entry in stored["signatures"])
    assert [entry["role"] for entry in stored["signatures"]] == ["curator", "feed"]
    for name in (told["id"], "the-night", url):
        read = await call(hass, "get_playlist", playlist_id=name)
        assert read == {"playlist": stored, "verified": verified}


async def test_defaults_of_the_library(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """The library's options fill in missing values and change no others."""
    display: Any = {"scaling": "fill", "background": "#101010", "margin": "12"}
    options = {"duration": 90.0, "curator": "Ada", **display}
    await set_up(hass, library_entry(feed.url, options=options))
    told = await publish(hass)
    bare = feed.documents[told["id"]]
    display["margin"] = 12
    defaults = {"display": display, "license": "open", "duration": 90}
    assert bare["defaults"] == defaults
    assert bare["curators"] == [{"name": "Ada", "key": DID}]
    own = {"display": {"scaling": "fit"}, "license": "open", "duration": None}
    curators = [{"name": "Grace", "key": DID}]
    told = await publish(hass, playlist=playlist(defaults=own, curators=curators))
    full = feed.documents[told["id"]]
    assert full["defaults"] == {**defaults, "display": {**display, "scaling": "fit"}}
    assert full["curators"] == curators


async def test_what_the_feed_changed_is_told(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry
) -> None:
    """Changes by the feed are reported, and its document is not called signed."""
    feed.fault(method="POST", change=tampered)
    told = await publish(hass)
    assert told["changed"] == ["title"]
    assert told["signed_by"] is None
    assert [verdict["valid"] for verdict in told["verified"]] == [False, False]
    assert not library.options


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


@pytest.mark.usefixtures("keyed")
async def test_publish_with_api_key(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A library with an API key publishes with it, unless a signature is requested."""
    told = await publish(hass, playlist=playlist(id=ID))
    assert told["signed_by"] is None
    assert told["id"] != ID
    assert "id" in told["changed"]
    told = await publish(hass, playlist=playlist(id=ID), sign=True)
    assert (told["id"], told["signed_by"]) == (ID, DID)
    told = await publish(hass, playlist=playlist(id=ID), title="Late", sign=False)
    assert (told["id"], told["signed_by"], told["status"]) == (ID, None, "updated")
    sent = [asked.headers for asked in feed.log if asked.method == "POST"]
    keys = [headers.get("authorization") for headers in sent]
    assert keys[:2] == [f"Bearer {feed.api_key}", None]


async def test_another_key_of_the_feed_is_told(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry
) -> None:
    """The first key of a feed is remembered, and another one reported until it is accepted."""
    (early,) = feed.seed([playlist()])
    await call(hass, "get_playlist", playlist_id=early["id"])
    assert not library.options
    told = await publish(hass)
    assert library.options == {"feed_keys": [feed.kid]}
    port = URL(feed.url).port
    await feed.stop()
    async with FeedSimulator(signing_seed=b"o" * 32, port=port or 0) as other:
        later = await publish(hass)
        read = await call(hass, "get_playlist", playlist_id=later["id"])
        elsewhere = await call(hass, "get_playlist", playlist_url=later["url"])
    assert later["verified"] == read["verified"]
    curator, signed = later["verified"]
    assert "reason" not in curator
    assert (signed["kid"], signed["valid"]) == (other.kid, True)
    assert signed["reason"].startswith("Another key")
    for verdict in (*elsewhere["verified"], *told["verified"]):
        assert "reason" not in verdict
    assert library.options == {"feed_keys": [feed.kid]}


@pytest.mark.usefixtures("library")
async def test_too_large(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A playlist too large to be read is called that, and not another thing than a playlist."""
    (held,) = feed.seed([playlist(summary="x" * 7_000_000)])
    url = f"{feed.url}/playlists/{held['id']}"
    for field, ref, size in (("playlist_url", url, "5"), ("playlist_id", url, "6")):
        key, told = await failure(hass, "get_playlist", **{field: ref})
        assert (key, told["size"]) == ("answer_too_large", size)


async def test_publish_as_signed(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry
) -> None:
    """A playlist signed by its curator is published unchanged, or refused."""
    here = {"config_entry_id": library.entry_id}
    async with FeedSimulator() as elsewhere:
        other = await set_up(hass, library_entry(elsewhere.url, title="Elsewhere"))
        told = await publish(hass, playlist=playlist(id=ID), **here)
        there = {"config_entry_id": other.entry_id, "sign": False}
        copied = await publish(hass, playlist_url=told["url"], **there)
        assert (copied["id"], copied["signed_by"]) == (ID, DID)
        assert digest(elsewhere.documents[ID]) == digest(feed.documents[ID])
    for data, key in (
        ({"playlist_url": told["url"], "title": "Mine"}, "signed_as_it_is"),
        ({"playlist": playlist()}, "feed_needs_key_or_signature"),
    ):
        refused = await failure(hass, "publish_playlist", sign=False, **here, **data)
        assert refused[0] == key
    assert not reauth_flows(hass)


@pytest.mark.usefixtures("library")
async def test_publish_a_copy(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A playlist from a URL is published as a copy with our signature only."""
    (source,) = feed.seed([playlist(title="Theirs")])
    told = await publish(hass, playlist_url=f"{feed.url}/playlists/{source['id']}")
    copy = feed.documents[told["id"]]
    assert copy["id"] != source["id"]
    assert copy["slug"] != source["slug"]
    assert copy["created"] > source["created"]
    assert copy["items"] == source["items"]
    assert told["signed_by"] == DID


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("document", "path"),
    [
        (playlist(items=[{"title": "Nothing"}]), "items[0].source"),
        ("{", "not valid JSON"),
    ],
)
async def test_invalid_playlists_stay_here(
    hass: HomeAssistant, feed: FeedSimulator, document: Any, path: str
) -> None:
    """An invalid playlist is refused with the path of the fault, and not sent."""
    key, told = await failure(
        hass, "publish_playlist", of=ServiceValidationError, playlist=document
    )
    assert key == "playlist_invalid"
    assert path in str(told)
    assert not writes(feed)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    "path",
    [
        "/media/local/1.png?authSig=eyJhbGciOiJIUzI1NiJ9",
        "/api/dp1/media/eyJhbGciOiJIUzI1NiJ9/media/local/1.png",
    ],
)
async def test_private_addresses_stay_here(
    hass: HomeAssistant, feed: FeedSimulator, path: str
) -> None:
    """URLs with an access token of this Home Assistant are not published."""
    document = playlist(items=[{"source": f"http://192.168.1.5:8123{path}"}])
    key, told = await failure(hass, "publish_playlist", playlist=document)
    assert key == "playlist_invalid"
    assert "items[0].source" in str(told) and "eyJ" not in str(told)
    assert not writes(feed)


# Faults of the feed

SCHEMA = "post-sign validation: playlistInvalid: x\n- at '/items/1/source': no"


@pytest.mark.usefixtures("keyed")
async def test_a_fault_that_passes(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """What the feed finds wrong is told by its path and publishes nothing, and the next try publishes once."""
    refused = {"error": "validation_error", "message": SCHEMA}
    fault = feed.fault(status=400, body=refused, method="POST", times=None)
    key, told = await failure(hass, "publish_playlist", playlist=playlist())
    assert key == "playlist_invalid"
    assert "items[1].source: no" in told["faults"]
    assert not feed.documents
    feed.faults.remove(fault)
    assert (await publish(hass))["status"] == "published"
    assert len(feed.documents) == 1


async def test_feed_is_off(
    hass: HomeAssistant, feed: FeedSimulator, keyed: MockConfigEntry
) -> None:
    """A feed that is down is reported."""
    await keyed.runtime_data.async_children("playlists")
    await feed.stop()
    for action, data in (
        ("publish_playlist", {"playlist": playlist()}),
        ("get_playlist", {"playlist_id": ID}),
        ("delete_playlist", {"playlist_id": ID}),
    ):
        key, told = await failure(hass, action, **data)
        assert (key, told["where"]) == ("feed_refused", feed.url)


async def test_reauth_is_asked_for_once(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """A revoked API key starts one reauthentication flow, after which the actions work."""
    (stored,) = feed.seed([playlist()])
    entry = await set_up(hass, library_entry(feed.url, api_key="revoked"))
    for action, data in (
        ("publish_playlist", {"playlist": playlist()}),
        ("delete_playlist", {"playlist_id": stored["id"]}),
    ):
        assert (await failure(hass, action, **data))[0] == "feed_authentication"
        await hass.async_block_till_done()
        assert reauth_flows(hass) == ["reauth_confirm"]
    assert list(feed.documents) == [stored["id"]]
    (flow,) = hass.config_entries.flow.async_progress_by_handler("dp1")
    await hass.config_entries.flow.async_configure(
        flow["flow_id"], {"api_key": feed.api_key}
    )
    await hass.async_block_till_done()
    assert entry.data["api_key"] == feed.api_key
    assert (await publish(hass))["status"] == "published"


# A feed that signs by itself


async def test_ts_feed(hass: HomeAssistant, ts_feed: FeedSimulator) -> None:
    """A TypeScript feed is only read, with or without an API key; who signed there is not told."""
    (stored,) = ts_feed.seed([playlist()])
    for key in ("", ts_feed.api_key):
        entry = await set_up(hass, library_entry(ts_feed.url, api_key=key))
        refused = await failure(hass, "publish_playlist", playlist=playlist())
        assert refused[0] == "feed_read_only"
        read = await call(hass, "get_playlist", playlist_id=stored["slug"])
        assert read["playlist"] == stored
        (verdict,) = read["verified"]
        assert (verdict["kid"], verdict["role"], verdict["valid"]) == (None, None, None)
        assert verdict["reason"]
        await hass.config_entries.async_remove(entry.entry_id)
    assert not writes(ts_feed)


async def test_known_key_of_ts_feed(
    hass: HomeAssistant, ts_feed: FeedSimulator
) -> None:
    """Signatures of a TypeScript feed are checked with the configured key."""
    options = {"feed_keys": [DID, ts_feed.kid]}
    entry = library_entry(ts_feed.url, api_key=ts_feed.api_key, options=options)
    await set_up(hass, entry)
    (stored,) = ts_feed.seed([playlist()])
    good = [{"kid": ts_feed.kid, "role": None, "valid": True}]
    url = f"{ts_feed.url}/playlists/{stored['id']}"
    for name, ref in (("playlist_id", stored["slug"]), ("playlist_url", url)):
        assert (await call(hass, "get_playlist", **{name: ref}))["verified"] == good
    ts_feed.fault(change=tampered)
    read = await call(hass, "get_playlist", playlist_id=stored["id"])
    assert [verification["valid"] for verification in read["verified"]] == [False]
    assert entry.options == options


# Choice of the library


async def test_which_library(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A single library need not be named; of several, a loaded one must be."""
    assert await async_setup_component(hass, "dp1", {})

    async def refused(**where: str) -> str | None:
        key, told = await failure(hass, "get_playlist", playlist_id=ID, **where)
        if key == "several_libraries":
            assert "One" in str(told) and "Two" in str(told)
        return key

    assert await refused() == "no_library"
    others = [
        MockConfigEntry(domain="dp1", data={"kind": "display"}),
        MockConfigEntry(domain="dp1", data={}, source="ignore"),
        MockConfigEntry(domain="light", data={}),
    ]
    for entry in others:
        entry.add_to_hass(hass)
    for entry_id in (*(entry.entry_id for entry in others), "nothing"):
        assert await refused(config_entry_id=entry_id) == "not_a_library"
    only = await set_up(hass, library_entry(None, "http://127.0.0.1:9"))
    assert await refused() == "no_feed"
    one = await set_up(hass, library_entry(feed.url, title="One"))
    assert (await publish(hass))["status"] == "published"
    two = library_entry("http://127.0.0.1:9", title="Two")
    two.add_to_hass(hass)
    assert await refused() == "several_libraries"
    for entry, key in (
        (two, "library_not_loaded"),
        (only, "no_feed"),
        (one, "feed_not_found"),
    ):
        assert await refused(config_entry_id=entry.entry_id) == key
    await hass.config_entries.async_set_disabled_by(
        two.entry_id, ConfigEntryDisabler.USER
    )
    assert await refused() == "feed_not_found"


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("publish_playlist", {"playlist": {}, "sign": "perhaps"}),
        ("publish_playlist", {"entity_id": "no entity"}),
        ("publish_playlist", {"playlist": {}, "color": "red"}),
        ("get_playlist", {"playlist_id": None}),
        ("validate_playlist", {}),
        ("delete_playlist", {}),
    ],
)
async def test_wrong_fields(
    hass: HomeAssistant, action: str, data: dict[str, Any]
) -> None:
    """Fields of the wrong type are refused."""
    with pytest.raises(vol.Invalid):
        await call(hass, action, **data)


# Read


async def test_get_from_anywhere(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A playlist is read from any URL, and an invalid signature reported."""
    assert await async_setup_component(hass, "dp1", {})
    (stored,) = feed.seed([playlist()])
    url = f"{feed.url}/playlists/{stored['slug']}"
    read = await call(hass, "get_playlist", playlist_url=url)
    assert read["playlist"] == stored
    assert [verification["valid"] for verification in read["verified"]] == [True]
    feed.fault(change=tampered)
    read = await call(hass, "get_playlist", playlist_url=url)
    (verdict,) = read["verified"]
    assert (verdict["kid"], verdict["valid"]) == (feed.kid, False)
    assert verdict["reason"]
    for url, key in (
        (f"{feed.url}/playlists/x", "playlist_not_found"),
        ("ftp://a.example/b", "playlist_invalid_request"),
    ):
        assert (await failure(hass, "get_playlist", playlist_url=url))[0] == key


@pytest.mark.usefixtures("library")
async def test_get_what_home_assistant_could_not_write(
    hass: HomeAssistant, feed: FeedSimulator, hass_ws_client: WebSocketGenerator
) -> None:
    """Numbers that not every JSON encoder supports are read."""
    (stored,) = feed.seed([playlist()])
    body = json.dumps({**stored, "big": [2**53 + 1, 10**30, -(10**30)]})
    feed.fault(status=200, body=body, times=2, path=stored["id"])
    client = await hass_ws_client(hass)
    for data in (
        {"playlist_id": stored["id"]},
        {"playlist_url": f"{feed.url}/playlists/{stored['id']}"},
    ):
        await client.send_json_auto_id(
            {
                "type": "call_service",
                "domain": "dp1",
                "service": "get_playlist",
                "service_data": data,
                "return_response": True,
            }
        )
        answer = await client.receive_json()
        assert answer["success"], answer
        read = answer["result"]["response"]["playlist"]
        assert read == {**stored, "big": [2**53 + 1, 1e30, -1e30]}


@pytest.mark.usefixtures("library")
async def test_get_what_is_not_there(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A playlist that does not exist is reported, and a feed that cannot be read, which nobody is asked a key for."""
    for name in ("nothing", " ", "../health", "ä b"):
        refused = await failure(hass, "get_playlist", playlist_id=name)
        assert refused[0] == "feed_not_found"
    for fault, key in (
        (bad_gateway(times=None), "feed_temporary"),
        (refusal(401, "unauthorized", times=None), "feed_authentication"),
    ):
        feed.faults[:] = [fault]
        assert (await failure(hass, "get_playlist", playlist_id=ID))[0] == key
    assert not reauth_flows(hass)


# Validate


@pytest.mark.parametrize(
    ("document", "paths"),
    [
        (playlist(), []),
        (json.dumps(playlist()), []),
        ({}, ["dpVersion", "items", "title"]),
        (
            playlist(items=[{"duration": "long"}, playlist()["items"][0]]),
            ["items[0].duration", "items[0].source"],
        ),
        ("{", [""]),
        (None, [""]),
    ],
)
async def test_validate(hass: HomeAssistant, document: Any, paths: list[str]) -> None:
    """All faults are returned with their paths, without a library."""
    assert await async_setup_component(hass, "dp1", {})
    verdict = await call(hass, "validate_playlist", playlist=document)
    assert verdict["valid"] is (not paths)
    assert sorted(error["path"] for error in verdict["errors"]) == paths
    assert all(error["message"] for error in verdict["errors"])
    assert verdict["warnings"] == []


async def test_validate_names_what_has_ended(hass: HomeAssistant) -> None:
    """Works at hosts that have ended are named, with where they are shown from; the playlist is valid all the same."""
    assert await async_setup_component(hass, "dp1", {})
    document = playlist()
    (item,) = document["items"][:1]
    ended = [
        "https://cdn.feralfileassets.com/a/",
        "https://ipfs.io/ipns/art.example",
        "https://art.example.org/a",
    ]
    document["items"] = [{**item, "id": None, "source": source} for source in ended]
    for each in document["items"]:
        del each["id"]
    verdict = await call(hass, "validate_playlist", playlist=document)
    assert verdict["valid"] is True
    paths = [warning["path"] for warning in verdict["warnings"]]
    assert paths == ["items[0].source", "items[1].source"]
    now = "https://cdn.artworks.feralfile.io/a/index.html"
    assert now in verdict["warnings"][0]["message"]


async def test_validate_names_a_rating_of_no_scale(hass: HomeAssistant) -> None:
    """A rating that nobody knows counts as none, and is no fault: any word is allowed, but nothing is hidden by it."""
    assert await async_setup_component(hass, "dp1", {})
    document = playlist()
    ratings = ["teen", "general", "Mature", "mature", ""]
    item = {k: v for k, v in document["items"][0].items() if k != "id"}
    document["items"] = [{**item, "contentRating": it} for it in ratings]
    verdict = await call(hass, "validate_playlist", playlist=document)
    assert verdict["valid"] is True
    paths = [warning["path"] for warning in verdict["warnings"]]
    assert paths == [f"items[{index}].contentRating" for index in (0, 2, 4)]


# Delete


async def test_delete(
    hass: HomeAssistant, feed: FeedSimulator, keyed: MockConfigEntry
) -> None:
    """A playlist is deleted by id, slug and address; what can still be read is not called deleted, and stays in the library."""
    kept = await publish(hass)
    one, two, three = feed.seed([playlist(title=title) for title in "ABC"])
    for name in (one["id"], two["slug"], f"{feed.url}/playlists/{three['id']}"):
        here = {"config_entry_id": keyed.entry_id}
        await call(hass, "delete_playlist", playlist_id=name, **here)
    assert list(feed.documents) == [kept["id"]]
    missing = refusal(404, "not_found", "no such endpoint", times=None)
    missing.method = "DELETE"
    feed.fault(missing)
    for name, key in (
        (one["id"], "feed_not_found"),
        ("https://elsewhere.example/playlists/1", "feed_invalid_request"),
        (kept["id"], "feed_cannot_delete"),
    ):
        assert (await failure(hass, "delete_playlist", playlist_id=name))[0] == key
    assert keyed.runtime_data.feed_server.playlist(kept["id"]) is not None


@pytest.mark.usefixtures("library")
async def test_delete_needs_the_api_key(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """A feed without signed intents deletes with an API key only."""
    (stored,) = feed.seed([playlist()])
    data = {"playlist_id": stored["id"], "of": ServiceValidationError}
    assert (await failure(hass, "delete_playlist", **data))[0] == "feed_needs_key"
    assert not writes(feed)
