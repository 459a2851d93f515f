"""Test permissions of the actions on libraries over Home Assistant's HTTP API."""

from http import HTTPStatus
from typing import Any

from aiohttp.test_utils import TestClient
import pytest
from pytest_homeassistant_custom_component.common import CLIENT_ID, MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.core import Context, HomeAssistant
from homeassistant.setup import async_setup_component

from .calls import call, failure, writes

from tests.libraries import ID, library_entry, playlist, set_up
from tests.simulators.feed import FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
def options() -> dict[str, Any]:
    return {}


@pytest.fixture
async def library(
    hass: HomeAssistant, feed: FeedSimulator, options: dict[str, Any]
) -> MockConfigEntry:
    for component in ("api", "config", "diagnostics"):
        assert await async_setup_component(hass, component, {})
    return await set_up(
        hass, library_entry(feed.url, api_key=feed.api_key, options=options)
    )


@pytest.fixture
async def guest(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, library: MockConfigEntry
) -> TestClient[Any, Any]:
    user = await hass.auth.async_create_user("Guest", group_ids=[GROUP_ID_USER])
    token = await hass.auth.async_create_refresh_token(user, CLIENT_ID)
    return await hass_client(hass.auth.async_create_access_token(token))


async def post(client: TestClient[Any, Any], action: str, **data: Any) -> int:
    """Call an action over HTTP and return the status."""
    return (await client.post(f"/api/services/dp1/{action}", json=data)).status


async def test_guests_do_not_publish(
    guest: TestClient[Any, Any], feed: FeedSimulator
) -> None:
    """A user who is no administrator can neither publish, change nor delete."""
    status = await post(guest, "publish_playlist", playlist=playlist())
    assert status == HTTPStatus.UNAUTHORIZED
    assert await post(guest, "delete_playlist", playlist_id=ID) == status
    assert await post(guest, "update_playlist", playlist_id=ID, title="X") == status
    assert writes(feed) == []


@pytest.mark.parametrize("options", [{"publish_for_all": True}])
async def test_the_option_opens_it(
    guest: TestClient[Any, Any], feed: FeedSimulator
) -> None:
    """An option lets all users publish."""
    assert await post(guest, "publish_playlist", playlist=playlist()) == HTTPStatus.OK
    (stored,) = feed.documents
    assert await post(guest, "delete_playlist", playlist_id=stored) == HTTPStatus.OK
    assert writes(feed) == ["POST", "DELETE"]


async def test_administrators_and_automations_publish(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    library: MockConfigEntry,
    feed: FeedSimulator,
) -> None:
    """An administrator can publish, and a call without a user can delete."""
    owner = await hass_client()
    assert await post(owner, "publish_playlist", playlist=playlist()) == HTTPStatus.OK
    (stored,) = feed.documents
    await call(hass, "delete_playlist", playlist_id=stored)
    assert writes(feed) == ["POST", "DELETE"]


FLOWS = {
    "/api/config/config_entries/flow": lambda entry: {"handler": "dp1"},
    "/api/config/config_entries/options/flow": lambda entry: {"handler": entry},
    "/api/config/config_entries/subentries/flow": lambda entry: {
        "handler": [entry, "collection"]
    },
}


async def test_members_configure_nothing(
    hass_client: ClientSessionGenerator,
    guest: TestClient[Any, Any],
    library: MockConfigEntry,
) -> None:
    """Who is no administrator starts no dialog, goes on with none of another, and reads no diagnostics."""
    owner = await hass_client()
    refused = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
    before = dict(library.data), dict(library.options)
    for path, data in FLOWS.items():
        body = data(library.entry_id)
        assert (await guest.post(path, json=body)).status in refused
        answer = await owner.post(path, json=body)
        assert answer.status == HTTPStatus.OK
        flow = f"{path}/{(await answer.json())['flow_id']}"
        for ask in (guest.get(flow), guest.post(flow, json={})):
            assert (await ask).status in refused
        assert (await owner.delete(flow)).status == HTTPStatus.OK
    reconfigure = {"handler": "dp1", "entry_id": library.entry_id}
    path = "/api/config/config_entries/flow"
    assert (await guest.post(path, json=reconfigure)).status in refused
    entry = f"/api/config/config_entries/entry/{library.entry_id}"
    assert (await guest.delete(entry)).status in refused
    diagnostics = f"/api/diagnostics/config_entry/{library.entry_id}"
    assert (await guest.get(diagnostics)).status in refused
    assert (dict(library.data), dict(library.options)) == before


async def test_guests_look_for_news_once_a_minute(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    guest: TestClient[Any, Any],
    feed: FeedSimulator,
    library: MockConfigEntry,
) -> None:
    """Who is no administrator cannot make the servers work without end, with the action or the button."""
    assert await post(guest, "refresh_library") == HTTPStatus.OK
    asked = len(feed.log)
    button = {"entity_id": "button.library_check_for_new_art"}
    assert hass.states.get(button["entity_id"])
    for _ in range(3):
        await guest.post("/api/services/dp1/refresh_library", json={})
        await guest.post("/api/services/button/press", json=button)
    assert len(feed.log) == asked
    owner = await hass_client()
    assert await post(owner, "refresh_library") == HTTPStatus.OK
    assert len(feed.log) > asked
    user = await hass.auth.async_create_user("Other", group_ids=[GROUP_ID_USER])
    context = Context(user_id=user.id)
    refused = await failure(hass, "refresh_library", context=context)
    assert refused[0] == "refreshed_just_now"
