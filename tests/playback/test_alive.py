"""Test that works are shown where they are now, whatever form they come in."""

from typing import Any

import pytest

from custom_components.dp1.playback import alive
from homeassistant.components import persistent_notification
from homeassistant.exceptions import HomeAssistantError

from tests.client.scripted_server import Reply, ScriptedServer
from tests.displays import playlist, until
from tests.simulators.display import DisplaySimulator, caster
from tests.simulators.feed.signing import SigningKey
from tests.walls import Wall

OLD, NEW = "https://cdn.feralfileassets.com", "https://cdn.artworks.feralfile.io"


def old_list(*titles: str) -> dict[str, Any]:
    """Return a playlist whose works are at the old host."""
    document = playlist(*titles)
    for number, item in enumerate(document["items"]):
        item["source"] = f"{OLD}/previews/a/{number}/"
    return document


def sources(display: DisplaySimulator) -> list[str]:
    """Return the sources on the wall."""
    return [item["source"] for item in display.state.items]


def signed(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document with the signature of its curator."""
    key = SigningKey.from_seed(bytes(32))
    entry = key.entry(document, "curator", "2026-01-01T00:00:00Z")
    return {**document, "signatures": [entry]}


MEANT = [f"{NEW}/previews/a/{number}/index.html" for number in range(2)]


@pytest.mark.parametrize("profile", ["A1", "B"])
async def test_a_playlist_by_address(wall: Wall) -> None:
    """One whose works have moved goes as a document, and its address stays what was asked for; any other goes by address."""
    documents = {"/old.json": old_list("Dawn", "Noon"), "/new.json": playlist("Dusk")}
    async with ScriptedServer.run(
        lambda request: Reply(200, documents[request.path])
    ) as server:
        told = await wall.do(
            "dp1.cast_playlist", playlist_url=f"{server.url}/new.json", response=True
        )
        assert told["method"] == "url"
        told = await wall.do(
            "dp1.cast_playlist", playlist_url=f"{server.url}/old.json", response=True
        )
        assert told["method"] == "inline"
        assert sources(wall.display) == MEANT
        hung = wall.coordinator.wall.hung
        assert hung is not None
        assert hung.asked.url == f"{server.url}/old.json"
        # It comes back from the history.
        await wall.do(
            "dp1.cast_playlist", playlist_url=f"{server.url}/new.json", response=True
        )
        await wall.do(
            "play_media",
            media_content_type="playlist",
            media_content_id=f"{server.url}/old.json",
        )
        assert sources(wall.display) == MEANT


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize("reason", ["size", "query"])
async def test_what_stays_by_its_address(
    wall: Wall, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    """Whoever shows a list that cannot go as a document is told that its works may stay black, and only then."""
    query = {"profile": "graphql-v1", "endpoint": "https://indexer.example/graphql"}
    documents = {
        "/old.json": old_list("Dawn"),
        "/new.json": {**playlist("Dusk"), "title": "Large"},
    }
    if reason == "size":
        monkeypatch.setattr(alive, "MAX_INLINE", 100)
    else:
        # Its server answers.
        monkeypatch.setattr(caster, "_refuse_queries", lambda _document: None)
        documents = {
            path: {**it, "dynamicQuery": query} for path, it in documents.items()
        }
    async with ScriptedServer.run(
        lambda request: Reply(200, documents[request.path])
    ) as server:
        old, new = (f"{server.url}/{name}.json" for name in ("old", "new"))
        told = await wall.do("dp1.cast_playlist", playlist_url=old, response=True)
        assert told["method"] == "url"
        assert old in told["warning"]
        assert "black" in told["warning"]
        await wall.do("play_media", media_content_type="playlist", media_content_id=old)
        notices = persistent_notification._async_get_or_create_notifications(wall.hass)
        assert "black" in notices["dp1_warning"]["message"]
        told = await wall.do("dp1.cast_playlist", playlist_url=new, response=True)
        assert "warning" not in told
        # Mended by its author.
        documents["/old.json"] = documents["/new.json"]
        told = await wall.do("dp1.cast_playlist", playlist_url=old, response=True)
        assert "warning" not in told


@pytest.mark.parametrize("profile", ["B"])
async def test_a_signed_playlist(wall: Wall) -> None:
    """With the addresses of now it is not signed: a display that wants signatures refuses it in words that say so."""
    documents = {
        "/old.json": signed(old_list("Dawn", "Noon")),
        "/new.json": signed(playlist("Dusk")),
    }
    async with ScriptedServer.run(
        lambda request: Reply(200, documents[request.path])
    ) as server:
        old, new = (f"{server.url}/{name}.json" for name in ("old", "new"))
        await wall.do("dp1.cast_playlist", playlist=documents["/new.json"])
        await until(lambda: wall.attribute("media_title"))
        await wall.do("dp1.cast_playlist", playlist_url=old)
        assert sources(wall.display) == MEANT
        assert "signatures" not in (wall.display.state.playlist or {})
        await until(lambda: wall.attribute("media_title") == "Dawn")
        wall.display.device.signature_mode = "strict"
        with pytest.raises(HomeAssistantError) as raised:
            await wall.do("dp1.cast_playlist", playlist_url=old)
        assert raised.value.translation_key == "moved_not_signed"
        told = await wall.do("dp1.cast_playlist", playlist_url=new, response=True)
        assert told["method"] == "url"
        await wall.do("dp1.cast_playlist", playlist=documents["/new.json"])
