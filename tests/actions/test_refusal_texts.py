"""Test the error texts for every refused write on the three families of feeds (``pytest -s`` prints them)."""

from collections.abc import AsyncIterator
import json
import re
from typing import Any

import pytest

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.translation import (
    async_get_translations,
    async_load_integrations,
)
from homeassistant.setup import async_setup_component

from tests.client.timing import impatient
from tests.libraries import library_entry, playlist, set_up
from tests.simulators.feed import Cut, FeedSimulator, SigningKey
from tests.sources import INTEGRATION

pytestmark = pytest.mark.usefixtures("socket_enabled")

OTHER = SigningKey.from_seed(b"o" * 32)
TECHNICAL = re.compile(
    r"SQLSTATE|dial tcp|pkey|user=|duplicate key|constraint|json:|<html|10\.0\.0\.5"
)
METHODS = {"publish": "POST", "change": "PUT", "delete": "DELETE"}
# Responses to a write: status, code and message.
REFUSALS: dict[str, tuple[int, str, str]] = {
    "401": (401, "unauthorized", "invalid or missing API key"),
    "403 not the owner": (403, "forbidden", "request is not signed by an owner of the resource"),
    "403 belongs to nobody": (403, "forbidden", "request is not signed by an owner of the resource: the resource has no owner"),
    "404": (404, "not_found", "not found"),
    "409 id in use": (409, "conflict", "a playlist with this id already exists"),
    "409 slug in use": (409, "conflict", "a playlist with this slug already exists"),
    "409 id deleted": (409, "conflict", "this id was deleted on this feed and cannot be reused; publish under a new id"),
    "409 changed meanwhile": (409, "conflict", "the resource changed since it was authorized; re-read and retry"),
    "413": (413, "payload_too_large", "request body too large"),
    "400 signature": (400, "signature_verification_failed", "signature verification failed: failed signatures: [did:key:z6Mk]"),
    "400 time": (400, "invalid_timestamp", "invalid timestamp: cannot be in the future"),
    "400 schema": (400, "validation_error", "post-sign validation: playlistInvalid: x\n- at '/items/0/source': is not valid uri"),
    "400 request": (400, "bad_request", 'json: unknown field "mood" of /srv/feed/models.go:12'),
    "500 id in use": (500, "internal_error", 'ERROR: duplicate key value violates unique constraint "playlists_pkey" (SQLSTATE 23505)'),
    "500 slug in use": (500, "internal_error", 'ERROR: duplicate key value violates unique constraint "playlists_slug_key" (SQLSTATE 23505)'),
    "500 part of a channel": (500, "internal_error", 'violates foreign key constraint "channel_members_playlist_id_fkey" (SQLSTATE 23503)'),
    "500 database": (500, "internal_error", "failed to connect to `user=feed database=dp1`: dial tcp 10.0.0.5:5432: connect: connection refused"),
    "502 page": (502, "", "<html>Bad gateway"),
}  # fmt: skip


@pytest.fixture(params=["v2", "signed", "ts"])
async def feed(
    request: pytest.FixtureRequest, socket_enabled: None
) -> AsyncIterator[FeedSimulator]:
    """Serve a feed of each family."""
    async with FeedSimulator(request.param, random_seed=1) as simulator:
        yield simulator


class Writes:
    """Writes and the texts of their errors."""

    def __init__(self, hass: HomeAssistant, feed: FeedSimulator) -> None:
        self._hass = hass
        self._feed = feed
        self.rows: list[tuple[str, str, str]] = []

    async def call(self, action: str, **data: Any) -> dict[str, Any]:
        return (
            await self._hass.services.async_call(
                "dp1", action, data, blocking=True, return_response=action != "delete_playlist"
            )
            or {}
        )  # fmt: skip

    async def write(self, write: str, ref: str, **more: Any) -> dict[str, Any]:
        match write:
            case "publish":
                return await self.call(
                    "publish_playlist", playlist=playlist(), slug=ref, **more
                )
            case "change":
                return await self.call("update_playlist", playlist_id=ref, title="x")
        return await self.call("delete_playlist", playlist_id=ref)

    async def note(self, write: str, what: str, ref: str, **more: Any) -> None:
        """Add the error text of a write."""
        text = "done"
        try:
            await self.write(write, ref, **more)
        except HomeAssistantError as err:
            text = str(err)
        assert not TECHNICAL.search(text), text
        if self._feed.family == "signed" and "belongs to nobody" not in text:
            assert "API key" not in text
        self.rows.append((write, what, text))


async def test_what_a_person_reads(
    hass: HomeAssistant, feed: FeedSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each error has one sentence, without internals of the server."""
    impatient(monkeypatch, 3.0)
    key = feed.api_key or None
    entry = await set_up(hass, library_entry(feed.url, api_key=key))
    writes = Writes(hass, feed)
    told = await writes.write("publish", "ours")
    for write, method in METHODS.items():
        ref = "new" if write == "publish" else told["id"]
        for what, (status, code, message) in REFUSALS.items():
            body = {"error": code, "message": message} if code else message
            fault = feed.fault(method=method, times=None, status=status, body=body)
            await writes.note(write, what, ref)
            feed.faults.remove(fault)
        fault = feed.fault(method=method, times=None, cut=Cut.AFTER_BODY)
        await writes.note(write, "connection cut", ref)
        feed.faults.remove(fault)
    (nobodys,) = feed.seed([playlist(slug="nobodys")])
    named = playlist(slug="theirs", curators=[{"name": "O", "key": OTHER.kid}])
    (theirs,) = feed.seed([named])
    if feed.family != "ts":
        theirs["signatures"].insert(
            0, OTHER.entry(theirs, "curator", theirs["created"])
        )
    for write in METHODS:
        if feed.family == "signed":
            await writes.note(write, "belongs to others", theirs["slug"])
            await writes.note(write, "belongs to nobody", nobodys["slug"])
    if feed.family == "signed":
        await writes.write("delete", told["id"])
        data = {"playlist": playlist(id=told["id"]), "slug": "new"}
        with pytest.raises(HomeAssistantError) as caught:
            await writes.call("publish_playlist", **data)
        writes.rows.append(("publish", "id deleted", str(caught.value)))
        await writes.write("publish", "late")
        feed.clock_offset = -7200
        await writes.note("delete", "clock 2 hours off", "late")
        feed.clock_offset = 0
        long = playlist()
        long["items"][0]["override"] = {"text": "x" * 5_300_000}
        with pytest.raises(HomeAssistantError) as caught:
            await writes.call("publish_playlist", playlist=long)
        writes.rows.append(("publish", "over 5 MiB", str(caught.value)))
    await hass.async_block_till_done()
    flows = hass.config_entries.flow.async_progress_by_handler("dp1")
    reauth = [flow for flow in flows if flow["context"]["source"] == "reauth"]
    assert bool(reauth) is (feed.family != "signed")
    assert entry.data["api_key"] == key
    print(f"\n### {feed.family}\n\n| write | error | text |\n| --- | --- | --- |")  # noqa: T201
    for row in writes.rows:
        print(f"| {' | '.join(row)} |")  # noqa: T201


async def test_fields_have_their_names_in_the_language_of_the_house(
    hass: HomeAssistant,
) -> None:
    """None or two of the fields are an error that names them as the form does."""
    hass.config.language = "de"
    assert await async_setup_component(hass, "dp1", {})
    await async_load_integrations(hass, {"dp1", "media_player"})
    texts = json.loads((INTEGRATION / "translations" / "de.json").read_text("utf-8"))[
        "services"
    ]["publish_playlist"]["fields"]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("add_favorite", {}),
        ("get_playlist", {"playlist_id": "a", "playlist_url": "https://b.example"}),
    ]
    raised = []
    for action, data in calls:
        with pytest.raises(ServiceValidationError) as caught:
            await hass.services.async_call(
                "dp1",
                action,
                data,
                blocking=True,
                return_response=action == "get_playlist",
            )
        assert caught.value.translation_key == "exactly_one_of"
        raised.append(caught.value.translation_placeholders or {})
    titles = await async_get_translations(hass, "de", "title", ["media_player"])
    names = [
        titles["component.media_player.title"],
        texts["media_content_id"]["name"],
    ]
    assert raised[0] == {"fields": ", ".join(names), "given": "-"}
    assert raised[1]["fields"] == raised[1]["given"]
    assert texts["playlist_url"]["name"] in raised[1]["given"]
    assert "playlist_id" not in raised[1]["given"]
