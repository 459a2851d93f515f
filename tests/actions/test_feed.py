"""Test the feed actions with simulated feeds of both families."""

from collections.abc import AsyncIterator
import json
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import WebSocketGenerator
import voluptuous as vol
from yarl import URL

from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.setup import async_setup_component

from tests.client.timing import impatient
from tests.libraries import DID, ID, library_entry, playlist, set_up
from tests.simulators.feed import (
    Cut,
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


async def call(hass: HomeAssistant, action: str, **data: Any) -> dict[str, Any]:
    response = await hass.services.async_call(
        "dp1", action, data, blocking=True, return_response=True
    )
    assert isinstance(response, dict)
    return response


async def publish(hass: HomeAssistant, **data: Any) -> dict[str, Any]:
    """Publish a small playlist, or the given content."""
    return await call(hass, "publish_playlist", **(data or {"playlist": playlist()}))


async def failure(hass: HomeAssistant, action: str, **data: Any) -> HomeAssistantError:
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, action, **data)
    assert caught.value.translation_domain == "dp1"
    return caught.value


def writes(feed: FeedSimulator) -> list[str]:
    return [asked.method for asked in feed.log if asked.method not in ("GET", "HEAD")]


def reauth_flows(hass: HomeAssistant) -> list[str]:
    flows = hass.config_entries.flow.async_progress_by_handler("dp1")
    return [flow["step_id"] for flow in flows if flow["context"]["source"] == "reauth"]


# Publish


@pytest.mark.usefixtures("library")
async def test_publish_signed(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A published playlist is signed, stored, and can be read by id and slug."""
    told = await publish(
        hass,
        playlist=json.dumps(playlist()),
        title="Night",
        summary="Two works.",
        slug="The Night",
    )
    assert told == {
        "id": told["id"],
        "slug": "the-night",
        "url": f"{feed.url}/playlists/{told['id']}",
        "status": "published",
        "signed_by": DID,
        "verified": [
            {"kid": DID, "role": "curator", "valid": True},
            {"kid": feed.kid, "role": "feed", "valid": True},
        ],
    }
    stored = feed.documents[told["id"]]
    assert (stored["title"], stored["summary"]) == ("Night", "Two works.")
    assert stored["curators"] == [{"name": "Curator", "key": DID}]
    assert stored["defaults"] == {"duration": 300, "license": "open"}
    assert all(verify(stored, entry) for entry in stored["signatures"])
    assert [signature["role"] for signature in stored["signatures"]] == [
        "curator",
        "feed",
    ]
    for name in (told["id"], "the-night", f"{feed.url}/playlists/{told['id']}"):
        read = await call(hass, "get_playlist", playlist_id=name)
        assert read == {
            "playlist": stored,
            "verified": [
                {"kid": DID, "role": "curator", "valid": True},
                {"kid": feed.kid, "role": "feed", "valid": True},
            ],
        }


async def test_defaults_of_the_library(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """The library's options fill in missing values and change no others."""
    options = {
        "duration": 90.0,
        "scaling": "fill",
        "background": "#101010",
        "margin": "12",
        "curator": "Ada",
    }
    await set_up(hass, library_entry(feed.url, options=options))
    told = await publish(hass)
    bare = feed.documents[told["id"]]
    assert bare["defaults"] == {
        "display": {"scaling": "fill", "background": "#101010", "margin": 12},
        "license": "open",
        "duration": 90,
    }
    assert bare["curators"] == [{"name": "Ada", "key": DID}]
    own = {"display": {"scaling": "fit"}, "license": "open", "duration": None}
    curators = [{"name": "Grace", "key": DID}]
    told = await publish(hass, playlist=playlist(defaults=own, curators=curators))
    full = feed.documents[told["id"]]
    assert full["defaults"] == {
        "display": {"scaling": "fit", "background": "#101010", "margin": 12},
        "license": "open",
        "duration": 90,
    }
    assert full["curators"] == curators


@pytest.mark.usefixtures("feed", "library")
async def test_what_has_to_go_is_told(hass: HomeAssistant) -> None:
    """Fields that the feed cannot store are left out and reported."""
    items = [{**playlist()["items"][0], "mood": "calm"}]
    told = await publish(hass, playlist=playlist(season="winter", items=items))
    assert sorted(told["left_out"]) == ["items[0].mood", "season"]
    assert "changed" not in told
    assert told["signed_by"] == DID


async def test_what_the_feed_changed_is_told(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry
) -> None:
    """Changes by the feed are reported, and its document is not called signed."""
    feed.fault(method="POST", change=tampered)
    told = await publish(hass)
    assert told["changed"] == ["title"]
    assert told["signed_by"] is None
    assert [verification["valid"] for verification in told["verified"]] == [
        False,
        False,
    ]
    assert not library.options


@pytest.mark.usefixtures("keyed")
async def test_publish_with_api_key(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A library with an API key publishes with it, unless a signature is requested."""
    told = await publish(hass, playlist=playlist(id=ID))
    assert told["signed_by"] is None
    assert told["id"] != ID
    assert "id" in told["changed"]
    sent = [asked for asked in feed.log if asked.method == "POST"]
    assert sent[-1].headers["authorization"] == f"Bearer {feed.api_key}"
    told = await publish(hass, playlist=playlist(id=ID), sign=True)
    assert (told["id"], told["signed_by"]) == (ID, DID)
    sent = [asked for asked in feed.log if asked.method == "POST"]
    assert "authorization" not in sent[-1].headers
    told = await publish(hass, playlist=playlist(id=ID), title="Late", sign=False)
    assert (told["id"], told["signed_by"], told["status"]) == (ID, None, "updated")


async def test_another_key_of_the_feed_is_told(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry
) -> None:
    """The first key of a feed is remembered, and another one reported until it is accepted."""
    (early,) = feed.seed([playlist()])
    await call(hass, "get_playlist", playlist_id=early["id"])
    assert not library.options
    told = await publish(hass)
    assert library.options == {"feed_keys": [feed.kid]}
    async with FeedSimulator(signing_seed=b"o" * 32, port=await _freed(feed)) as other:
        later = await publish(hass)
        read = await call(hass, "get_playlist", playlist_id=later["id"])
        elsewhere = await call(hass, "get_playlist", playlist_url=later["url"])
    assert later["verified"] == read["verified"]
    curator, signed = later["verified"]
    assert "reason" not in curator
    assert (signed["kid"], signed["valid"]) == (other.kid, True)
    assert signed["reason"].startswith("Another key")
    assert not any("reason" in verification for verification in elsewhere["verified"])
    assert not any("reason" in verification for verification in told["verified"])
    assert library.options == {"feed_keys": [feed.kid]}


async def _freed(feed: FeedSimulator) -> int:
    """Stop a feed and return its port."""
    port = URL(feed.url).port
    assert port
    await feed.stop()
    return port


@pytest.mark.usefixtures("library")
async def test_too_large(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A playlist too large to be read is called that, and not another thing than a playlist."""
    (held,) = feed.seed([playlist(summary="x" * 7_000_000)])
    for given in (
        {"playlist_url": f"{feed.url}/playlists/{held['id']}"},
        {"playlist_id": held["id"]},
    ):
        error = await failure(hass, "get_playlist", **given)
        assert error.translation_key == "answer_too_large"
        assert error.translation_placeholders is not None
        size = error.translation_placeholders["size"]
        assert size == ("5" if "playlist_url" in given else "6")


async def test_a_feed_without_deletion(
    hass: HomeAssistant, feed: FeedSimulator, keyed: MockConfigEntry
) -> None:
    """A playlist that can still be read is not called deleted, and stays in the library."""
    coordinator = keyed.runtime_data.feed_server
    await coordinator.async_refresh()
    told = await publish(hass, playlist=playlist())
    missing = refusal(404, "not_found", "no such endpoint", times=None)
    missing.method = "DELETE"
    feed.fault(missing)
    data = {"playlist_id": told["id"]}
    with pytest.raises(HomeAssistantError) as caught:
        await hass.services.async_call("dp1", "delete_playlist", data, blocking=True)
    assert caught.value.translation_key == "feed_cannot_delete"
    assert coordinator.playlist(told["id"]) is not None


async def test_publish_as_signed(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry
) -> None:
    """A playlist signed by its curator is published unchanged, or refused."""
    async with FeedSimulator() as elsewhere:
        await set_up(hass, library_entry(elsewhere.url, title="Elsewhere"))
        entry_id = library.entry_id
        told = await publish(hass, playlist=playlist(id=ID), config_entry_id=entry_id)
        other = hass.config_entries.async_entries("dp1")[1].entry_id
        copied = await publish(
            hass, playlist_url=told["url"], config_entry_id=other, sign=False
        )
        assert (copied["id"], copied["signed_by"]) == (ID, DID)
        assert digest(elsewhere.documents[ID]) == digest(feed.documents[ID])
    error = await failure(
        hass,
        "publish_playlist",
        playlist_url=told["url"],
        config_entry_id=entry_id,
        sign=False,
        title="Mine",
    )
    assert error.translation_key == "signed_as_it_is"
    error = await failure(
        hass,
        "publish_playlist",
        playlist=playlist(),
        config_entry_id=entry_id,
        sign=False,
    )
    assert error.translation_key == "feed_needs_key_or_signature"
    assert not reauth_flows(hass)


@pytest.mark.usefixtures("library")
async def test_publish_a_copy(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """A playlist from a URL is published as a copy with our signature only."""
    (source,) = feed.seed([playlist(title="Theirs")])
    url = f"{feed.url}/playlists/{source['id']}"
    told = await publish(hass, playlist_url=url)
    copy = feed.documents[told["id"]]
    assert copy["id"] != source["id"]
    assert copy["slug"] != source["slug"]
    assert copy["created"] > source["created"]
    assert copy["items"] == source["items"]
    assert told["signed_by"] == DID


@pytest.mark.usefixtures("library")
async def test_without_response(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """The action can be called without a response."""
    data = {"playlist": playlist()}
    await hass.services.async_call("dp1", "publish_playlist", data, blocking=True)
    assert len(feed.documents) == 1


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("document", "path"),
    [
        (playlist(items=[{"title": "Nothing"}]), "items[0].source"),
        ("{", "not valid JSON"),
        ("[1]", "expected a JSON object"),
    ],
)
async def test_invalid_playlists_stay_here(
    hass: HomeAssistant, feed: FeedSimulator, document: Any, path: str
) -> None:
    """An invalid playlist is refused with the path of the fault, and not sent."""
    error = await failure(hass, "publish_playlist", playlist=document)
    assert isinstance(error, ServiceValidationError)
    assert error.translation_key == "playlist_invalid"
    assert path in str(error.translation_placeholders)
    assert not writes(feed)


@pytest.mark.parametrize(
    "path",
    [
        "/media/local/1.png?authSig=eyJhbGciOiJIUzI1NiJ9",
        "/api/dp1/media/eyJhbGciOiJIUzI1NiJ9/media/local/1.png",
    ],
)
async def test_private_addresses_stay_here(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry, path: str
) -> None:
    """URLs with an access token of this Home Assistant are not published."""
    source = f"http://192.168.1.5:8123{path}"
    error = await failure(
        hass, "publish_playlist", playlist=playlist(items=[{"source": source}])
    )
    assert error.translation_key == "playlist_invalid"
    assert "items[0].source" in str(error.translation_placeholders)
    assert "eyJ" not in str(error)
    assert not writes(feed)


@pytest.mark.parametrize("key", [None, "given"])
async def test_faults_found_by_the_feed(
    hass: HomeAssistant, feed: FeedSimulator, key: str | None
) -> None:
    """Faults that the feed finds are reported with their path."""
    await set_up(hass, library_entry(feed.url, api_key=key and feed.api_key))
    report = "post-sign validation: playlistInvalid: x\n- at '/items/1/source': no"
    feed.fault(refusal(400, "validation_error", report)).method = "POST"
    error = await failure(hass, "publish_playlist", playlist=playlist())
    assert error.translation_key == "playlist_invalid"
    assert (error.translation_placeholders or {})["faults"] == "items[1].source: no"


# Faults of the feed


@pytest.mark.usefixtures("keyed")
@pytest.mark.parametrize(
    ("fault", "key"),
    [
        ({"status": 409, "body": {"error": "conflict"}}, "feed_conflict"),
        ({"status": 503, "headers": {"Retry-After": "99"}}, "feed_busy"),
        ({"cut": Cut.AFTER_BODY}, "feed_lost_answer"),
    ],
)
async def test_fault(
    hass: HomeAssistant, feed: FeedSimulator, fault: dict[str, Any], key: str
) -> None:
    """Each fault has its own error and publishes nothing, and the next try publishes once."""
    queued = feed.fault(**fault, method="POST", times=None)
    error = await failure(hass, "publish_playlist", playlist=playlist())
    assert error.translation_key == key
    assert not feed.documents
    feed.faults.remove(queued)
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
        with pytest.raises(HomeAssistantError) as caught:
            await hass.services.async_call("dp1", action, data, True, **_wants(action))
        assert caught.value.translation_key == "feed_refused"
        assert caught.value.translation_placeholders["where"] == feed.url


def _wants(action: str) -> dict[str, Any]:
    return {"return_response": action != "delete_playlist"}


async def test_reauth_is_asked_for_once(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """A revoked API key starts one reauthentication flow, after which the action works."""
    entry = await set_up(hass, library_entry(feed.url, api_key="revoked"))
    for _ in range(2):
        error = await failure(hass, "publish_playlist", playlist=playlist())
        assert error.translation_key == "feed_authentication"
        await hass.async_block_till_done()
    assert reauth_flows(hass) == ["reauth_confirm"]
    (flow,) = hass.config_entries.flow.async_progress_by_handler("dp1")
    await hass.config_entries.flow.async_configure(
        flow["flow_id"], {"api_key": feed.api_key}
    )
    await hass.async_block_till_done()
    assert entry.data["api_key"] == feed.api_key
    assert (await publish(hass))["status"] == "published"


# A feed that signs by itself


async def test_ts_feed(hass: HomeAssistant, ts_feed: FeedSimulator) -> None:
    """A TypeScript feed needs the API key, and chooses id, slug and signing key."""
    await set_up(hass, library_entry(ts_feed.url, api_key=ts_feed.api_key))
    for sign in (False, True):
        told = await publish(hass, playlist=playlist(), sign=sign)
        assert (told["status"], told["signed_by"]) == ("published", None)
        assert "changed" not in told
        assert ("reason" in told) is (sign is True)
        stored = ts_feed.documents[told["id"]]
        assert [work["license"] for work in stored["items"]] == ["open", "open"]
        assert [work["duration"] for work in stored["items"]] == [120, 300]
        read = await call(hass, "get_playlist", playlist_id=told["slug"])
        assert read["playlist"] == stored
        (verdict,) = read["verified"]
        assert (verdict["kid"], verdict["role"], verdict["valid"]) == (None, None, None)
        assert verdict["reason"]
    assert len(ts_feed.documents) == 2


async def test_one_slug_on_a_ts_feed(
    hass: HomeAssistant, ts_feed: FeedSimulator
) -> None:
    """The slug used for a TypeScript feed is remembered across restarts."""
    entry = await set_up(hass, library_entry(ts_feed.url, api_key=ts_feed.api_key))
    told = await publish(hass, playlist=playlist(), slug="the-hall")
    assert told["slug"] != "the-hall"
    for title in ("Monday", "Tuesday"):
        assert await hass.config_entries.async_reload(entry.entry_id)
        again = await publish(
            hass, playlist=playlist(title=title), slug="the-hall", title=title
        )
        assert (again["id"], again["status"]) == (told["id"], "updated")
    (stored,) = ts_feed.documents.values()
    assert stored["title"] == "Tuesday"


async def test_ts_feed_without_api_key(
    hass: HomeAssistant, ts_feed: FeedSimulator
) -> None:
    """A TypeScript feed without an API key is reported."""
    await set_up(hass, library_entry(ts_feed.url))
    error = await failure(hass, "publish_playlist", playlist=playlist())
    assert error.translation_key == "feed_authentication"
    await hass.async_block_till_done()
    assert reauth_flows(hass) == ["reauth_confirm"]
    assert not writes(ts_feed)


async def test_known_key_of_ts_feed(
    hass: HomeAssistant, ts_feed: FeedSimulator
) -> None:
    """Signatures of a TypeScript feed are checked with the configured key."""
    options = {"feed_keys": [DID, ts_feed.kid]}
    entry = library_entry(ts_feed.url, api_key=ts_feed.api_key, options=options)
    await set_up(hass, entry)
    told = await publish(hass)
    good = [{"kid": ts_feed.kid, "role": None, "valid": True}]
    assert told["verified"] == good
    for name, ref in (("playlist_id", told["slug"]), ("playlist_url", told["url"])):
        read = await call(hass, "get_playlist", **{name: ref})
        assert read["verified"] == good
    ts_feed.fault(change=tampered)
    read = await call(hass, "get_playlist", playlist_id=told["id"])
    assert [verification["valid"] for verification in read["verified"]] == [False]
    assert entry.options == options


async def test_queued(hass: HomeAssistant, socket_enabled: None) -> None:
    """A queued playlist is reported as queued, and cannot be read before it is stored."""
    async with FeedSimulator("ts", always_async=True, queue_delay=None) as feed:
        await set_up(hass, library_entry(feed.url, api_key=feed.api_key))
        told = await publish(hass)
        assert told["status"] == "queued"
        error = await failure(hass, "get_playlist", playlist_id=told["id"])
        assert error.translation_key == "feed_not_found"
        await feed.process_queue()
        read = await call(hass, "get_playlist", playlist_id=told["id"])
        assert read["playlist"]["title"] == "Evening"


# Choice of the library


async def test_which_library(
    hass: HomeAssistant, feed: FeedSimulator, ts_feed: FeedSimulator
) -> None:
    """A single library need not be named; of several, a loaded one must be."""
    assert await async_setup_component(hass, "dp1", {})
    data = {"playlist_id": ID}
    assert (await failure(hass, "get_playlist", **data)).translation_key == "no_library"
    display = MockConfigEntry(domain="dp1", data={"kind": "display"})
    ignored = MockConfigEntry(domain="dp1", data={}, source="ignore")
    foreign = MockConfigEntry(domain="light", data={})
    for entry in (display, ignored, foreign):
        entry.add_to_hass(hass)
    for entry_id in (
        display.entry_id,
        ignored.entry_id,
        foreign.entry_id,
        "nothing",
    ):
        error = await failure(hass, "get_playlist", config_entry_id=entry_id, **data)
        assert error.translation_key == "not_a_library"
    only = await set_up(hass, library_entry(None, "http://127.0.0.1:9"))
    error = await failure(hass, "get_playlist", **data)
    assert error.translation_key == "no_feed"
    one = await set_up(hass, library_entry(feed.url, title="One"))
    assert (await publish(hass))["status"] == "published"
    two = library_entry(ts_feed.url, title="Two")
    two.add_to_hass(hass)
    error = await failure(hass, "get_playlist", **data)
    assert error.translation_key == "several_libraries"
    assert "One" in str(error) and "Two" in str(error)
    error = await failure(hass, "get_playlist", config_entry_id=two.entry_id, **data)
    assert error.translation_key == "library_not_loaded"
    error = await failure(hass, "get_playlist", config_entry_id=only.entry_id, **data)
    assert error.translation_key == "no_feed"
    error = await failure(hass, "get_playlist", config_entry_id=one.entry_id, **data)
    assert error.translation_key == "feed_not_found"
    await hass.config_entries.async_set_disabled_by(
        two.entry_id, ConfigEntryDisabler.USER
    )
    error = await failure(hass, "get_playlist", **data)
    assert error.translation_key == "feed_not_found"


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("publish_playlist", {}),
        ("publish_playlist", {"playlist": {}, "playlist_url": "http://a.example"}),
        ("get_playlist", {}),
        ("get_playlist", {"playlist_id": ID, "playlist_url": "http://a.example"}),
    ],
)
async def test_exactly_one_thing(
    hass: HomeAssistant, action: str, data: dict[str, Any]
) -> None:
    """Naming the playlist twice is an error."""
    error = await failure(hass, action, **data)
    assert error.translation_key == "exactly_one_of"


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("publish_playlist", {"playlist": [1]}),
        ("publish_playlist", {"playlist": {}, "sign": "perhaps"}),
        ("publish_playlist", {"entity_id": "no entity"}),
        ("publish_playlist", {"playlist": {}, "color": "red"}),
        ("get_playlist", {"playlist_id": None}),
        ("validate_playlist", {}),
        ("delete_playlist", {}),
    ],
)
async def test_wrong_fields(
    hass: HomeAssistant, library: MockConfigEntry, action: str, data: dict[str, Any]
) -> None:
    """Fields of the wrong type are refused."""
    with pytest.raises(vol.Invalid):
        await hass.services.async_call("dp1", action, data, True, **_wants(action))


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
    error = await failure(hass, "get_playlist", playlist_url=f"{feed.url}/playlists/x")
    assert error.translation_key == "playlist_not_found"
    error = await failure(hass, "get_playlist", playlist_url="ftp://a.example/b")
    assert error.translation_key == "playlist_invalid_request"


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
    """A playlist that does not exist and a feed that is down are reported."""
    for name in ("nothing", " ", "../health", "ä b"):
        error = await failure(hass, "get_playlist", playlist_id=name)
        assert error.translation_key == "feed_not_found"
    feed.fault(bad_gateway(times=None))
    error = await failure(hass, "get_playlist", playlist_id=ID)
    assert error.translation_key == "feed_temporary"
    feed.faults[:] = [refusal(401, "unauthorized", times=None)]
    error = await failure(hass, "get_playlist", playlist_id=ID)
    assert error.translation_key == "feed_authentication"
    assert not reauth_flows(hass)


# Validate


@pytest.mark.parametrize(
    ("document", "paths"),
    [
        (playlist(), []),
        (json.dumps(playlist()), []),
        ({}, ["dpVersion", "title", "items"]),
        (
            playlist(
                items=[
                    {"source": "https://a.example", "duration": -1},
                    {"duration": "long"},
                    {"source": "https://a.example", "provenance": {"type": "x"}},
                ]
            ),
            [
                "items[0].duration",
                "items[1].duration",
                "items[1].source",
                "items[2].provenance.type",
            ],
        ),
        ([1, 2], [""]),
        ("{", [""]),
        (5, [""]),
        (None, [""]),
    ],
)
async def test_validate(hass: HomeAssistant, document: Any, paths: list[str]) -> None:
    """All faults are returned with their paths, without a library."""
    assert await async_setup_component(hass, "dp1", {})
    verdict = await call(hass, "validate_playlist", playlist=document)
    assert verdict["valid"] is (not paths)
    assert sorted(error["path"] for error in verdict["errors"]) == sorted(paths)
    assert all(error["message"] for error in verdict["errors"])


# Delete


async def test_delete(
    hass: HomeAssistant, feed: FeedSimulator, keyed: MockConfigEntry
) -> None:
    """A playlist is deleted by id or slug, and an unknown one refused."""
    one, two, three = feed.seed([playlist(title=title) for title in "ABC"])
    for name in (one["id"], two["slug"], f"{feed.url}/playlists/{three['id']}"):
        data = {"playlist_id": name, "config_entry_id": keyed.entry_id}
        await hass.services.async_call("dp1", "delete_playlist", data, blocking=True)
    assert not feed.documents
    for name, key in (
        (one["id"], "feed_not_found"),
        ("https://elsewhere.example/playlists/1", "feed_invalid_request"),
    ):
        with pytest.raises(HomeAssistantError) as caught:
            await hass.services.async_call(
                "dp1", "delete_playlist", {"playlist_id": name}, blocking=True
            )
        assert caught.value.translation_key == key


async def test_delete_needs_the_api_key(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry
) -> None:
    """Deleting requires an API key, and a refused key starts reauthentication."""
    (stored,) = feed.seed([playlist()])
    data = {"playlist_id": stored["id"]}
    with pytest.raises(ServiceValidationError) as needed:
        await hass.services.async_call("dp1", "delete_playlist", data, blocking=True)
    assert needed.value.translation_key == "feed_needs_key"
    assert not writes(feed)
    hass.config_entries.async_update_entry(
        library, data={**library.data, "api_key": "revoked"}
    )
    assert await hass.config_entries.async_reload(library.entry_id)
    with pytest.raises(HomeAssistantError) as refused:
        await hass.services.async_call("dp1", "delete_playlist", data, blocking=True)
    assert refused.value.translation_key == "feed_authentication"
    await hass.async_block_till_done()
    assert reauth_flows(hass) == ["reauth_confirm"]
    assert stored["id"] in feed.documents
