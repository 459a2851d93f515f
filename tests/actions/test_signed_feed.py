"""Test the feed actions with the signed feed."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.components.media_source import async_browse_media
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component

from .calls import call, failure, reauth_flows, writes

from tests.client.timing import impatient
from tests.libraries import DID, library_entry, playlist, set_up
from tests.simulators.feed import FeedSimulator, refusal

pytestmark = pytest.mark.usefixtures("socket_enabled")
OPTIONS = {"sources": ["playlists", "favorites"]}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts."""
    impatient(monkeypatch, 3.0)


@pytest.fixture
async def signed(socket_enabled: None) -> AsyncIterator[FeedSimulator]:
    async with FeedSimulator("signed", random_seed=1) as simulator:
        yield simulator


@pytest.fixture
async def library(hass: HomeAssistant, signed: FeedSimulator) -> MockConfigEntry:
    assert await async_setup_component(hass, "media_source", {})
    return await set_up(
        hass, library_entry(signed.url, api_key="of former times", options=OPTIONS)
    )


async def seen(hass: HomeAssistant, entry: MockConfigEntry) -> set[str]:
    """Return the titles, which are the same in browser, search and source list."""
    url = f"media-source://dp1/{entry.entry_id}/playlists"
    page = await async_browse_media(hass, url)
    browsed = {str(child.title) for child in page.children or ()}
    found = await call(hass, "search", query="evening", kinds=["playlist"])
    assert {result["title"] for result in found["results"]} == browsed
    assert {
        name for name in entry.runtime_data.source_list().names if "vening" in name
    } == browsed
    return browsed


async def test_seen_at_once(
    hass: HomeAssistant, signed: FeedSimulator, library: MockConfigEntry
) -> None:
    """Published, updated and deleted playlists show without reading the list of the feed again."""
    await library.runtime_data.feed_server.async_list()
    lists = signed.requests["GET", "/api/v1/playlists"]
    told = await call(hass, "publish_playlist", playlist=playlist(slug="evening"))
    assert (told["status"], told["signed_by"]) == ("published", DID)
    assert await seen(hass, library) == {"Evening"}
    node = f"media-source://dp1/{library.entry_id}/playlist/{told['id']}"
    await call(hass, "add_favorite", media_content_id=node)
    works = [item["id"] for item in signed.documents[told["id"]]["items"]]
    changed = await call(
        hass,
        "update_playlist",
        playlist_id="evening",
        title="Late evening",
        summary="Three works.",
        add=["https://art.example/moon.html", {"source": "https://art.example/5.png"}],
        remove=[1],
        order=[2],
    )
    assert (changed["id"], changed["status"]) == (told["id"], "updated")
    assert await seen(hass, library) == {"Late evening"}
    page = await async_browse_media(hass, node)
    assert len(page.children or ()) == 3
    read = await call(hass, "get_playlist", playlist_id="evening")
    assert read["playlist"]["items"][0]["id"] == works[1]
    nightly = await call(
        hass, "publish_playlist", playlist=playlist(title="evening II"), slug="evening"
    )
    assert (nightly["id"], nightly["status"]) == (told["id"], "updated")
    assert await seen(hass, library) == {"evening II"}
    await call(hass, "delete_playlist", playlist_id="evening")
    assert await seen(hass, library) == set()
    assert not library.runtime_data.favorites.nodes()
    assert signed.requests["GET", "/api/v1/playlists"] == lists
    for action in ("publish_playlist", "add_favorite"):
        refused = await failure(hass, action, media_content_id=node)
        assert refused[0] == "feed_not_found"
    assert not any("authorization" in asked.headers for asked in signed.log)
    assert library.data["has_signed"]


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("changes", "titles"),
    [
        ({"order": [2]}, ["Dune", "Tide"]),
        ({"order": ["2", "1"], "remove": "1"}, ["Dune"]),
        ({"summary": ""}, ["Tide", "Dune"]),
    ],
)
async def test_update(
    hass: HomeAssistant,
    signed: FeedSimulator,
    changes: dict[str, Any],
    titles: list[str],
) -> None:
    """Works are addressed by their number before the change, and an empty summary is removed."""
    told = await call(hass, "publish_playlist", playlist=playlist(summary="Two"))
    await call(hass, "update_playlist", playlist_id=told["id"], **changes)
    held = signed.documents[told["id"]]
    assert [item["title"] for item in held["items"]] == titles
    assert ("summary" in held) is ("summary" not in changes)


@pytest.mark.usefixtures("library")
async def test_wrong_updates(hass: HomeAssistant, signed: FeedSimulator) -> None:
    """Invalid updates are refused, and nothing is sent."""
    told = await call(hass, "publish_playlist", playlist=playlist())
    changes: list[tuple[dict[str, Any], str]] = [
        ({}, "nothing_to_change"),
        ({"remove": [3]}, "work_not_in_playlist"),
        ({"order": ["other"]}, "work_not_in_playlist"),
        ({"remove": [1, 2]}, "playlist_invalid"),
        ({"add": [{"source": {1: 2}}]}, "playlist_invalid"),
        ({"add": [{"source": "http://ha/api/x?authSig=e"}]}, "playlist_invalid"),
    ]
    for change, key in changes:
        refused = await failure(
            hass, "update_playlist", playlist_id=told["id"], **change
        )
        assert refused[0] == key
    assert writes(signed) == ["POST"]


@pytest.mark.usefixtures("library")
async def test_nobody_is_asked_for_a_key(
    hass: HomeAssistant, signed: FeedSimulator
) -> None:
    """Neither 401 nor 403 of a signed feed starts reauthentication, whatever is written."""
    told = await call(hass, "publish_playlist", playlist=playlist())
    here = {"playlist_id": told["id"]}
    for method, action, data in (
        ("POST", "publish_playlist", {"playlist": playlist()}),
        ("PUT", "update_playlist", {**here, "title": "x"}),
        ("DELETE", "delete_playlist", here),
    ):
        for status, key in ((401, "feed_signature_refused"), (403, "feed_forbidden")):
            signed.fault(refusal(status, "x")).method = method
            with pytest.raises(HomeAssistantError) as caught:
                await call(hass, action, **data)
            assert caught.value.translation_key == key
            assert "key" not in str(caught.value).lower()
    unsigned = {"playlist": playlist(), "sign": False}
    refused = await failure(hass, "publish_playlist", **unsigned)
    assert refused[0] == "feed_needs_signature"
    await hass.async_block_till_done()
    assert not reauth_flows(hass)
