"""Test what cards ask and do while something is being hung."""

import asyncio
from typing import Any

import pytest
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.dp1.client.playlist.signing import SigningKey, sign
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from tests.displays import ENTITY_ID, playlist, until
from tests.galleries import LARGE, Gallery
from tests.libraries import library_entry, set_up
from tests.simulators.display import FaultKind
from tests.simulators.feed import FeedSimulator
from tests.simulators.feed.simulator import Family

pytestmark = pytest.mark.usefixtures("impatience")


async def command(client: Any, name: str, entity_id: str = ENTITY_ID) -> Any:
    await client.send_json_auto_id({"type": f"dp1/{name}", "entity_id": entity_id})
    return await client.receive_json()


async def test_a_slow_library(
    gallery: Gallery, hass_ws_client: WebSocketGenerator
) -> None:
    """While the library prepares an exhibition, that is what is waited for, and it can be given up."""
    client = await hass_ws_client(gallery.hass)
    await gallery.cast(playlist=playlist("Dawn"))
    gallery.catalog.latency = 0.5
    hanging = asyncio.create_task(gallery.cast(exhibition=LARGE))
    player = gallery.hass.config_entries.async_entries("dp1")[0].runtime_data
    await until(lambda: player.requests.is_preparing)
    assert (await command(client, "waits_for"))["result"] == "library"
    assert (await command(client, "cancel"))["success"]
    assert (await hanging)["superseded"]
    assert gallery.wall.state.current_title == "Dawn"
    gallery.catalog.latency = 0
    await gallery.cast(exhibition=LARGE)
    assert gallery.wall.state.playlist_title == LARGE


async def test_a_slow_display(
    gallery: Gallery, hass_ws_client: WebSocketGenerator
) -> None:
    """What was sent to the display waits for its answer."""
    client = await hass_ws_client(gallery.hass)
    await gallery.cast(exhibition=LARGE)
    fault = gallery.wall.inject(FaultKind.SLOW, command="displayPlaylist", seconds=0.5)
    hanging = asyncio.create_task(gallery.cast(exhibition=LARGE))
    await until(lambda: fault.hits)
    assert (await command(client, "waits_for"))["result"] == "display"
    await hanging


async def test_who_may_ask(
    gallery: Gallery,
    hass_ws_client: WebSocketGenerator,
    hass_read_only_access_token: str,
) -> None:
    """Whoever may not control a display neither learns of its casts nor ends them."""
    client = await hass_ws_client(gallery.hass, hass_read_only_access_token)
    for name in ("waits_for", "cancel"):
        answer = await command(client, name)
        assert answer["error"]["code"] == "unauthorized"
    client = await hass_ws_client(gallery.hass)
    assert not (await command(client, "cancel", "light.hall"))["success"]


OTHER_ID = "385f79b6-a45f-4c1c-8080-000000000000"


@pytest.mark.usefixtures("socket_enabled")
@pytest.mark.parametrize(
    ("family", "titles"), [("signed", ["Evening"]), ("v2", ["Theirs"])]
)
async def test_own_playlists(
    hass: HomeAssistant,
    hass_ws_client: WebSocketGenerator,
    hass_read_only_access_token: str,
    family: Family,
    titles: list[str],
) -> None:
    """Cards offer what is signed with the key of a library, or all of a feed whose API key it has, to administrators only."""
    document = playlist("D", title="Theirs", id=OTHER_ID, slug="theirs")
    signature = sign(document, SigningKey.generate(), now=dt_util.utcnow())
    async with FeedSimulator(family, random_seed=1) as feed:
        feed.seed([{**document, "signatures": [signature]}], verbatim=True)
        key = {} if family == "signed" else {"api_key": feed.api_key}
        entry = await set_up(hass, library_entry(feed.url, **key))
        if family == "signed":
            data = {"playlist": playlist("A")}
            await hass.services.async_call(
                "dp1", "publish_playlist", data, blocking=True
            )
        client = await hass_ws_client(hass)
        await client.send_json_auto_id({"type": "dp1/playlists"})
        answer = (await client.receive_json())["result"]
        assert answer["feeds"] == [{"entry": entry.entry_id, "name": entry.title}]
        assert [own["title"] for own in answer["playlists"]] == titles
        for own in answer["playlists"]:
            assert feed.documents[own["id"]]["title"] == own["title"]
            node = f"{entry.entry_id}/playlist/{own['id']}"
            assert own["media_content_id"] == f"media-source://dp1/{node}"
        client = await hass_ws_client(hass, hass_read_only_access_token)
        await client.send_json_auto_id({"type": "dp1/playlists"})
        assert (await client.receive_json())["error"]["code"] == "unauthorized"
