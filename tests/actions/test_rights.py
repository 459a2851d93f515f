"""Test permissions of the feed actions over Home Assistant's HTTP API."""

from http import HTTPStatus
from typing import Any

from aiohttp.test_utils import TestClient
import pytest
from pytest_homeassistant_custom_component.common import CLIENT_ID, MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from tests.libraries import ID, library_entry, playlist, set_up
from tests.simulators.feed import FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
def options() -> dict[str, Any]:
    """Return the options of the library."""
    return {}


@pytest.fixture
async def library(
    hass: HomeAssistant, feed: FeedSimulator, options: dict[str, Any]
) -> MockConfigEntry:
    """Set up a library with an API key."""
    assert await async_setup_component(hass, "api", {})
    return await set_up(
        hass, library_entry(feed.url, api_key=feed.api_key, options=options)
    )


@pytest.fixture
async def guest(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, library: MockConfigEntry
) -> TestClient[Any, Any]:
    """Return a client of a user who is no administrator."""
    user = await hass.auth.async_create_user("Guest", group_ids=[GROUP_ID_USER])
    token = await hass.auth.async_create_refresh_token(user, CLIENT_ID)
    return await hass_client(hass.auth.async_create_access_token(token))


async def post(client: TestClient[Any, Any], action: str, **data: Any) -> int:
    """Call an action over HTTP and return the status."""
    return (await client.post(f"/api/services/dp1/{action}", json=data)).status


def writes(feed: FeedSimulator) -> list[str]:
    """Return the methods of the requests that write."""
    return [asked.method for asked in feed.log if asked.method not in ("GET", "HEAD")]


async def test_guests_do_not_publish(
    guest: TestClient[Any, Any], feed: FeedSimulator
) -> None:
    """A user who is no administrator can neither publish nor delete."""
    status = await post(guest, "publish_playlist", playlist=playlist())
    assert status == HTTPStatus.UNAUTHORIZED
    assert await post(guest, "delete_playlist", playlist_id=ID) == status
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
    await hass.services.async_call(
        "dp1", "delete_playlist", {"playlist_id": stored}, blocking=True
    )
    assert writes(feed) == ["POST", "DELETE"]


async def test_strangers_do_nothing(
    hass_client_no_auth: ClientSessionGenerator,
    library: MockConfigEntry,
    feed: FeedSimulator,
) -> None:
    """Unauthenticated requests are refused."""
    stranger = await hass_client_no_auth()
    status = await post(stranger, "publish_playlist", playlist=playlist())
    assert status == HTTPStatus.UNAUTHORIZED
    assert writes(feed) == []
