"""Test publishing from displays and libraries, and casting playlists of a feed."""

import json
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.components import persistent_notification
from homeassistant.core import HomeAssistant

from . import calls
from .calls import call, cast

from tests.client.timing import impatient
from tests.displays import ENTITY_ID, playlist, until
from tests.libraries import DID, library_entry, set_up
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator, bad_gateway

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts."""
    impatient(monkeypatch)


@pytest.fixture
async def library(hass: HomeAssistant, feed: FeedSimulator) -> MockConfigEntry:
    return await set_up(hass, library_entry(feed.url))


async def failure(hass: HomeAssistant, action: str, **data: Any) -> str | None:
    """Call an action, and return the key of its error."""
    key, _ = await calls.failure(hass, action, **data)
    return key


def sent(display: DisplaySimulator) -> dict[str, Any]:
    """Return the document that was cast last."""
    casts = [it for it in display.received if it.command == "displayPlaylist"]
    document: dict[str, Any] = casts[-1].request["dp1_call"]
    return document


# Casting


@pytest.mark.usefixtures("library", "setup_display")
async def test_cast_by_id(
    hass: HomeAssistant, feed: FeedSimulator, display: DisplaySimulator
) -> None:
    """A playlist is cast by its URL, or as a changed document without signatures."""
    (stored,) = feed.seed([playlist("A", "B", "C")])
    for name in (stored["id"], stored["slug"]):
        response = await cast(hass, playlist_id=name, start_at=2)
        assert response["playlist_url"] == f"{feed.url}/playlists/{stored['id']}"
        await until(lambda: display.state.current_title == "B")
    assert (await cast(hass, playlist_id=stored["id"], limit=2))["method"] == "inline"
    assert [item["title"] for item in sent(display)["items"]] == ["A", "B"]
    assert "signatures" not in sent(display)
    await cast(hass, playlist_id=stored["id"], limit=3)
    assert sent(display)["signatures"] == stored["signatures"]


@pytest.mark.usefixtures("library", "setup_display")
async def test_cast_keeps_what_it_does_not_know(
    hass: HomeAssistant, feed: FeedSimulator, display: DisplaySimulator
) -> None:
    """Unknown fields and large numbers are cast unchanged."""
    (stored,) = feed.seed([playlist("A", "B")])
    odd = {"mood": [2**60, 1.5, None, {"é": ""}], "big": 2**70}
    read = {**stored, **odd, "items": [{**item, **odd} for item in stored["items"]]}
    feed.fault(status=200, body=json.dumps(read), times=None, path=stored["id"])
    url = f"{feed.url}/playlists/{stored['id']}"
    for what in (
        {"playlist_id": stored["id"], "limit": 9},
        {"playlist_url": url, "limit": 9},
        {"playlist": read},
        {"playlist": json.dumps(read)},
    ):
        assert (await cast(hass, **what))["method"] == "inline"
        assert sent(display) == read
    await cast(hass, playlist_id=stored["id"], scaling="fill")
    document = sent(display)
    assert {key: document[key] for key in odd} == odd
    for item, before in zip(document["items"], read["items"], strict=True):
        assert item == {**before, "display": {"scaling": "fill"}}


@pytest.mark.usefixtures("setup_display")
async def test_cast_from_several_libraries(
    hass: HomeAssistant, feed: FeedSimulator, display: DisplaySimulator
) -> None:
    """The first library that has the playlist is used, also if others fail; nothing is sent for what none has."""

    async def refused(playlist_id: str, **more: Any) -> str | None:
        what = {"entity_id": ENTITY_ID, "playlist_id": playlist_id}
        casts = display.casts
        key = await failure(hass, "cast_playlist", **what, **more)
        assert display.casts == casts
        return key

    assert await refused("evening") == "no_library"
    async with FeedSimulator("ts") as other:
        await set_up(hass, library_entry(None, "http://127.0.0.1:9"))
        await set_up(hass, library_entry(feed.url))
        await set_up(hass, library_entry(other.url))
        (stored,) = other.seed([playlist("A", title="Elsewhere")])
        assert await refused("nothing") == "feed_not_found"
        assert await refused(stored["id"], start_at=2) == "no_such_work"
        await cast(hass, playlist_id=stored["id"])
        assert display.state.playlist_title == "Elsewhere"
        feed.fault(bad_gateway(times=None))
        await cast(hass, playlist_id=stored["slug"])
        assert display.state.playlist_url == f"{other.url}/playlists/{stored['id']}"
        assert await refused("nothing") == "feed_temporary"


# Publishing from a display


@pytest.mark.usefixtures("library", "setup_display")
async def test_publish_what_hangs(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """The shown playlist is published as a new one, without the durations that the display filled in."""
    document = playlist("A", "B")
    del document["items"][1]["duration"]
    await cast(hass, playlist=document)
    told = await call(hass, "publish_playlist", entity_id=ENTITY_ID, title="Hung")
    assert (told["status"], told["signed_by"]) == ("published", DID)
    published = feed.documents[told["id"]]
    assert published["id"] != document["id"]
    assert published["title"] == "Hung"
    assert published["items"] == document["items"]
    again = await call(hass, "publish_playlist", entity_id=ENTITY_ID)
    assert feed.documents[again["id"]]["title"] == "Evening"


@pytest.mark.usefixtures("library", "setup_display")
async def test_publish_with_a_long_summary(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """What a feed gives with more words than a feed takes is published with as many as fit, and that is told."""
    await cast(hass, playlist=playlist("A", summary="A word. " * 512))
    told = await call(hass, "publish_playlist", entity_id=ENTITY_ID)
    assert told["changed"] == ["summary"]
    assert "the beginning of its summary" in told["warning"]
    assert "without" not in told["warning"]
    await hass.services.async_call(
        "dp1", "publish_playlist", {"entity_id": ENTITY_ID}, blocking=True
    )
    notices = persistent_notification._async_get_or_create_notifications(hass)
    (notice,) = (it for key, it in notices.items() if key.startswith("dp1_left_out"))
    assert "the beginning of its summary" in notice["message"].replace("\\", "")
    summary = feed.documents[told["id"]]["summary"]
    assert 1900 < len(summary) <= 2000 and summary.startswith("A word. A word.")


@pytest.mark.parametrize("profile", ["legacy"])
@pytest.mark.usefixtures("library", "setup_display")
async def test_publish_what_was_cast(hass: HomeAssistant, feed: FeedSimulator) -> None:
    """For a display that does not report its playlist the last cast is published."""
    target = {"entity_id": ENTITY_ID}
    assert await failure(hass, "publish_playlist", **target) == "shows_no_playlist"
    await cast(hass, playlist=playlist("A", title="Given"))
    told = await call(hass, "publish_playlist", **target)
    assert feed.documents[told["id"]]["title"] == "Given"
    await cast(hass, playlist_id=told["id"])
    again = await call(hass, "publish_playlist", **target)
    assert again["id"] != told["id"]
    assert feed.documents[again["id"]]["items"] == feed.documents[told["id"]]["items"]


@pytest.mark.usefixtures("library")
async def test_publish_from_no_display(
    hass: HomeAssistant,
    feed: FeedSimulator,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
) -> None:
    """An entity that is no display and a display that is off have different errors."""
    radio = "media_player.radio"
    hass.states.async_set(radio, "playing")
    found = await failure(hass, "publish_playlist", entity_id=radio)
    assert found == "not_a_display"
    assert await hass.config_entries.async_unload(setup_display.entry_id)
    await display.stop()
    found = await failure(hass, "publish_playlist", entity_id=ENTITY_ID)
    assert found == "display_refused"
    assert not feed.documents


# Publishing from a library


async def test_publish_from_the_catalog(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """Exhibitions by any name, series, and media ids can be published."""
    async with CatalogSimulator(media_base=None) as simulator:
        entry = await set_up(hass, library_entry(feed.url, simulator.url))
        runtime = entry.runtime_data
        shows = (await runtime.async_children("exhibitions")).nodes
        show = next(node for node in shows if node.can_play)
        record = next(
            candidate
            for candidate in simulator.data.exhibitions
            if show.id.endswith(candidate["id"])
        )
        titles = set()
        for name in (record["id"], record["slug"], record["title"]):
            told = await call(hass, "publish_playlist", exhibition=name)
            assert told["signed_by"] == DID
            assert "changed" not in told
            titles.add(feed.documents[told["id"]]["title"])
        assert len(titles) == 1
        assert len(feed.documents) == 3
        (series, *_) = (await runtime.async_children(show.id)).nodes
        key = series.id.removeprefix("series/")
        told = await call(hass, "publish_playlist", series=key)
        media_id = f"media-source://dp1/{entry.entry_id}/{series.id}"
        same = await call(hass, "publish_playlist", media_content_id=media_id)
        one, other = (feed.documents[written["id"]] for written in (told, same))
        assert one["items"] == other["items"] != []
        assert one["id"] != other["id"]
        media_id = f"media-source://dp1/{entry.entry_id}/playlist/{told['id']}"
        copy = await call(hass, "publish_playlist", media_content_id=media_id)
        assert feed.documents[copy["id"]]["items"] == one["items"]


async def test_publish_what_no_library_has(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry
) -> None:
    """An unknown exhibition and a catalog that is down are reported."""
    media = f"media-source://dp1/{library.entry_id}"
    for field, text, key in (
        ("exhibition", "nothing", "exhibition_not_found"),
        ("series", "nothing", "series_not_found"),
        ("media_content_id", f"{media}/series/nothing", "catalog_not_found"),
        ("media_content_id", f"{media}/playlist/nothing", "feed_not_found"),
        ("media_content_id", media, "catalog_not_found"),
        ("media_content_id", "media-source://dp1/else/series/1", "library_removed"),
        ("media_content_id", "no address", "not_a_url"),
    ):
        found = await failure(hass, "publish_playlist", **{field: text})
        assert found == key, text
    async with CatalogSimulator() as simulator:
        url = simulator.url
    await set_up(hass, library_entry(None, url))
    found = await failure(hass, "publish_playlist", exhibition="evening")
    assert found == "catalog_refused"
    assert not feed.documents
