"""Test that the owner renews published playlists whose works have moved."""

from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.client.playlist.document import build, build_item
from custom_components.dp1.client.playlist.signing import SigningKey
from custom_components.dp1.library.renewal import _async_tell_moved, async_renew
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component

from tests.displays import until
from tests.libraries import DID, library_entry, set_up
from tests.simulators.feed import FeedSimulator, bad_gateway, verify

pytestmark = pytest.mark.usefixtures("socket_enabled")

OLD, NEW = "https://cdn.feralfileassets.com", "https://cdn.artworks.feralfile.io"
CID = "bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34"
SOURCES = {
    f"{OLD}/previews/a/1/?e=1": f"{NEW}/previews/a/1/index.html?e=1",
    f"https://ipfs.io/ipfs/{CID}/a.png": f"https://ipfs.filebase.io/ipfs/{CID}/a.png",
    # These name the content, or nothing that is elsewhere.
    f"ipfs://{CID}/a.png": f"ipfs://{CID}/a.png",
    "https://ipfs.io/ipns/art.example/": "https://ipfs.io/ipns/art.example/",
    "https://art.example/tide.html": "https://art.example/tide.html",
}


def moved(title: str) -> dict[str, Any]:
    """Return a playlist of works that have moved and others."""
    items = [build_item(source, title="Tide", duration=9) for source in SOURCES]
    return build(title, [{**item, "license": "open"} for item in items])


def moved_pictures(title: str) -> dict[str, Any]:
    """Return a playlist of a work that is where it was, with a manifest and pictures that have moved."""
    manifest = {
        "refVersion": "0.1.0",
        "id": "tide",
        "created": "2026-01-01T00:00:00Z",
        "locale": "en",
        "metadata": {
            "title": "Tide",
            "thumbnails": {"default": {"uri": f"{OLD}/thumbnails/a/1", "w": 9, "h": 9}},
        },
    }
    item = build_item("https://art.example/tide.html", title="Tide", duration=9)
    return build(
        title,
        [
            {
                **item,
                "license": "open",
                "ref": f"https://ipfs.io/ipfs/{CID}/ref.json",
                "inlineManifest": manifest,
            }
        ],
        coverImage=f"{OLD}/thumbnails/a/2",
    )


def issue_of(hass: HomeAssistant, entry: MockConfigEntry) -> ir.IssueEntry | None:
    return ir.async_get(hass).async_get_issue(
        "dp1", f"published_moved_{entry.entry_id}"
    )


@pytest.mark.parametrize("family", ["v2", "signed", "ts"])
async def test_renewed_with_a_tap(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, family: Any
) -> None:
    """The owner is told of own playlists only, once; a tap publishes them under the same ids, and no others."""
    assert await async_setup_component(hass, "repairs", {})
    async with FeedSimulator(family, random_seed=1) as feed:
        api_key = feed.api_key if family == "ts" else None
        entry = await set_up(hass, library_entry(feed.url, api_key=api_key))
        library = entry.runtime_data
        client = library.feed
        await library.async_refresh()
        await hass.async_block_till_done(wait_background_tasks=True)
        assert issue_of(hass, entry) is None
        keys = [library.key]
        if family != "ts":
            keys.append(SigningKey.generate())
        for key in keys:
            await client.publish(moved("[Old](https://evil.example)"), key=key)
        mine, *others = (it for it in feed.documents.values() if "Old" in it["title"])
        others = [dict(it) for it in others]
        if family == "ts":
            # Published years ago, by a program that kept the addresses.
            for item, source in zip(mine["items"], SOURCES, strict=True):
                item["source"] = source
        assert [item["source"] for item in mine["items"]] == list(SOURCES)
        await library.async_refresh()
        await until(lambda: issue_of(hass, entry))
        issue = issue_of(hass, entry)
        assert issue is not None
        told = issue.translation_placeholders
        assert told is not None
        assert told["count"] == "1"
        assert "](" not in told["titles"]
        # Who ignores it is not told again.
        ir.async_ignore_issue(hass, "dp1", issue.issue_id, True)
        await library.async_refresh()
        await hass.async_block_till_done(wait_background_tasks=True)
        issue = issue_of(hass, entry)
        assert issue is not None
        assert issue.dismissed_version

        web = await hass_client()
        start = {"handler": "dp1", "issue_id": issue.issue_id}
        form = await (await web.post("/api/repairs/issues/fix", json=start)).json()
        assert form["description_placeholders"] == told
        url = f"/api/repairs/issues/fix/{form['flow_id']}"
        feed.fault(bad_gateway(times=None))
        form = await (await web.post(url, json={})).json()
        assert form["errors"] == {"base": "cannot_renew"}
        feed.faults.clear()
        result = await (await web.post(url, json={})).json()
        assert result["type"] == "create_entry"
        assert issue_of(hass, entry) is None
        now = feed.documents[mine["id"]]
        wanted = list(SOURCES.values())
        if family == "ts":
            # What it takes are addresses of the web.
            wanted[2] = wanted[1]
        assert [item["source"] for item in now["items"]] == wanted
        assert now["slug"] == mine["slug"]
        if family != "ts":
            # The other one gives new ids to works.
            ids = [item["id"] for item in mine["items"]]
            assert [item["id"] for item in now["items"]] == ids
            assert DID in {entry["kid"] for entry in now["signatures"]}
            assert all(verify(now, entry) for entry in now["signatures"])
        assert all(feed.documents[it["id"]] == it for it in others)
        await library.async_refresh()
        await hass.async_block_till_done(wait_background_tasks=True)
        assert issue_of(hass, entry) is None


@pytest.mark.parametrize("family", ["v2", "signed"])
async def test_pictures_and_manifests_are_renewed(
    hass: HomeAssistant, family: Any
) -> None:
    """A playlist whose works are there, but neither its cover nor their pictures and manifests, is renewed as well."""
    async with FeedSimulator(family, random_seed=1) as feed:
        entry = await set_up(hass, library_entry(feed.url))
        library = entry.runtime_data
        await library.feed.publish(moved_pictures("Old"), key=library.key)
        (mine,) = (it for it in feed.documents.values() if it["title"] == "Old")
        await library.async_refresh()
        await until(lambda: issue_of(hass, entry))
        await async_renew(library)
        (item,) = feed.documents[mine["id"]]["items"]
        wanted = {
            "ref": f"https://ipfs.filebase.io/ipfs/{CID}/ref.json",
            "source": mine["items"][0]["source"],
        }
        assert {name: item[name] for name in wanted} == wanted
        if family == "signed":
            # The other one keeps no manifests.
            sizes = item["inlineManifest"]["metadata"]["thumbnails"]
            assert sizes["default"]["uri"] == f"{NEW}/thumbnails/a/1"
        assert feed.documents[mine["id"]]["coverImage"] == f"{NEW}/thumbnails/a/2"
        await library.async_refresh()
        await until(lambda: issue_of(hass, entry) is None)


async def test_a_feed_that_is_away_is_not_renewed(hass: HomeAssistant) -> None:
    """Nothing is told of playlists that cannot be read, and what cannot be published is said."""
    async with FeedSimulator("signed", random_seed=1) as feed:
        entry = await set_up(hass, library_entry(feed.url))
        library = entry.runtime_data
        await library.feed.publish(moved("Old"), key=library.key)
        await library.async_refresh()
        await until(lambda: issue_of(hass, entry))
        for method in ("PUT", "PATCH", "POST"):
            feed.fault(bad_gateway(times=None, method=method))
        with pytest.raises(HomeAssistantError):
            await async_renew(library)
        await hass.config_entries.async_unload(entry.entry_id)
        feed.fault(bad_gateway(times=None))
        await hass.config_entries.async_setup(entry.entry_id)
        await _async_tell_moved(entry.runtime_data)
        assert issue_of(hass, entry)
    away = await set_up(hass, library_entry("http://127.0.0.1:9/api/v1", title="Away"))
    await _async_tell_moved(away.runtime_data)
    assert issue_of(hass, away) is None
