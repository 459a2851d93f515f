"""What strangers write takes nothing of Home Assistant down: its API, its templates, its favorites, its next start."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
import json
from pathlib import Path
from typing import Any

from aiohttp.test_utils import TestClient, TestServer
import pytest
from pytest_homeassistant_custom_component.common import (
    CLIENT_ID,
    MockConfigEntry,
    MockUser,
    async_test_home_assistant,
)

from custom_components.dp1.client.catalog import client as catalog_client
from custom_components.dp1.client.feed import connection as feed_connection
from homeassistant import loader
from homeassistant.core import HomeAssistant
from homeassistant.helpers import frame
from homeassistant.setup import async_setup_component

from .displays import ENTITY_ID, entry_of, playlist, set_up, state_of, until
from .libraries import library_entry
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.display import DisplaySimulator
from .simulators.feed import FeedSimulator

PLAIN_ID = "385f79b6-a45f-4c1c-8080-e93a192add00"
TEMPLATE = (
    "{{ states.media_player | map(attribute='attributes.dp1') | list | to_json | length > 0 }}"
    " {{ state_attr('media_player.wall', 'media_title') }}"
)


@asynccontextmanager
async def home_in(
    folder: Path, *entries: MockConfigEntry
) -> AsyncIterator[tuple[HomeAssistant, TestClient[Any, Any]]]:
    """Run a Home Assistant with its API in a folder, which at a restart is that of the one before."""
    async with async_test_home_assistant(config_dir=str(folder)) as hass:
        hass.data.pop(loader.DATA_CUSTOM_COMPONENTS, None)
        frame.async_setup(hass)
        for domain in ("homeassistant", "network", "api"):
            assert await async_setup_component(hass, domain, {})
        user = MockUser(is_owner=True).add_to_hass(hass)
        refresh = await hass.auth.async_create_refresh_token(user, CLIENT_ID)
        token = hass.auth.async_create_access_token(refresh)
        try:
            for entry in entries:
                await set_up(hass, entry)
            async with TestClient(
                TestServer(hass.http.app), headers={"Authorization": f"Bearer {token}"}
            ) as api:
                yield hass, api
            for entry in entries:
                await hass.config_entries.async_unload(entry.entry_id)
        finally:
            await hass.async_stop(force=True)


def deep(levels: int) -> Any:
    """Return an object of so many levels: 2 KB for 300."""
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


async def answers(api: TestClient[Any, Any]) -> None:
    """Ask for all states, and render a template over them."""
    async with api.get("/api/states") as answer:
        assert answer.status == HTTPStatus.OK
        states = {state["entity_id"]: state for state in await answer.json()}
    shown = states[ENTITY_ID]
    assert shown["state"] == "playing" and shown["attributes"]["media_title"] == "Dawn"
    async with api.post("/api/template", json={"template": TEMPLATE}) as answer:
        assert (answer.status, await answer.text()) == (HTTPStatus.OK, "True Dawn")


async def test_a_nested_work(
    tmp_path: Path,
    display: DisplaySimulator,
    feed: FeedSimulator,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A playlist with one deep field is cast by its address, and hangs; everything else goes on, after a restart, too."""
    caplog.set_level("WARNING")
    nested = playlist("Dawn", "Noon")
    nested["items"][0]["provenance"] = {"type": "onChain", "contract": {"x": deep(300)}}
    calm = playlist("Tide", id=PLAIN_ID, title="Calm")
    stored, _ = feed.seed([nested, calm])
    address = f"{feed.url}/playlists/{stored['id']}"
    display.caster.preflight = False
    (tmp_path / ".storage").mkdir()

    def entries() -> list[MockConfigEntry]:
        """Return the entries of the home, which are the same each time."""
        library = library_entry(feed.url)
        object.__setattr__(library, "entry_id", "library")
        return [entry_of(display, entry_id="display"), library]

    def media_id(of: str) -> str:
        return f"media-source://dp1/library/playlist/{of}"

    async with home_in(tmp_path, *entries()) as (hass, api):

        async def call(action: str, **data: Any) -> int:
            """Call an action over HTTP."""
            async with api.post(f"/api/services/dp1/{action}", json=data) as answer:
                return answer.status

        cast = {"entity_id": ENTITY_ID, "playlist_url": address}
        assert await call("cast_playlist", **cast) == HTTPStatus.OK
        assert display.state.playlist_title == "Evening"
        await until(lambda: state_of(hass).attributes.get("media_title") == "Dawn")
        await answers(api)
        library = hass.config_entries.async_get_entry("library").runtime_data
        await until(lambda: library.since is not None)
        for of in (stored["id"], PLAIN_ID):
            added = await call("add_favorite", media_content_id=media_id(of))
            assert added == HTTPStatus.OK
        kept = json.loads((tmp_path / ".storage" / "dp1.favorites.library").read_text())
        assert len(kept["data"]["favorites"]) == 2
    async with home_in(tmp_path, *entries()) as (hass, api):
        await until(lambda: state_of(hass).attributes.get("media_title") == "Dawn")
        await answers(api)
        library = hass.config_entries.async_get_entry("library").runtime_data
        shown = [node.title for node in library.favorites.nodes()]
        assert shown == ["Calm", "Evening"]
        found = await library.async_children("playlists")
        assert {node.title for node in found.nodes} == {"Calm", "Evening"}
    assert not [r for r in caplog.records if "dp1" in r.name and r.levelno > 30]


async def test_a_stop_while_servers_hang(
    tmp_path: Path,
    display: DisplaySimulator,
    feed: FeedSimulator,
    catalog: CatalogSimulator,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Home Assistant stops while it reads and while somebody casts, and has all of it the next time."""
    (tmp_path / ".storage").mkdir()
    display.caster.preflight = False
    monkeypatch.setattr(catalog_client, "TIMEOUT_SECONDS", 600.0)
    monkeypatch.setattr(feed_connection, "READ_TIMEOUT", 600.0)
    cast = {"entity_id": ENTITY_ID, "exhibition": "Everything Is a Window"}
    entries = entry_of(display), library_entry(feed.url, catalog.url)
    async with home_in(tmp_path, *entries) as (hass, _):
        library = entries[1].runtime_data
        await library.async_children("exhibitions")
        feed.requests.clear()
        catalog.requests.clear()
        feed.fault(delay=600.0, times=None)
        catalog.inject("slow", seconds=600.0)
        for action, data in (("refresh_library", {}), ("cast_playlist", cast)):
            call = hass.services.async_call("dp1", action, data, blocking=True)
            hass.async_create_background_task(call, action)
        await until(lambda: feed.requests and catalog.requests)
    # Nothing waited until it failed.
    assert library.problem is None
    feed.faults.clear()
    catalog.heal()
    again = entry_of(display), library_entry(feed.url, catalog.url)
    async with home_in(tmp_path, *again) as (hass, _):
        await hass.services.async_call("dp1", "cast_playlist", cast, blocking=True)
        assert display.state.playlist_title == cast["exhibition"]
    assert not [r for r in caplog.records if "dp1" in r.name and r.levelno > 30]
