"""Test which hosts at home may be contacted."""

from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from json import dumps
from typing import Any

import aiohttp
import ifaddr
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.dp1 import addresses as addresses_module
from custom_components.dp1.addresses import (
    ADDRESSES,
    SESSION,
    HomeAddresses,
    is_at_home,
)
from custom_components.dp1.client.display.client import Display
from custom_components.dp1.client.errors import Dp1Error, InvalidRequestError
from custom_components.dp1.client.guard import PUBLIC, know_home, public_session
from custom_components.dp1.client.http import request_json
from custom_components.dp1.display.discovery import Address, async_identify
from homeassistant.auth.const import GROUP_ID_ADMIN, GROUP_ID_USER
from homeassistant.const import (
    EVENT_HOMEASSISTANT_CLOSE,
    EVENT_HOMEASSISTANT_FINAL_WRITE,
)
from homeassistant.core import Context, Event, HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.util import dt as dt_util

from .client.scripted_server import Reply, ScriptedServer
from .client.test_guard import Names
from .displays import ENTITY_ID, playlist, until
from .libraries import library_entry, set_up
from .simulators.feed import FeedSimulator
from .walls import Wall

from tests.client.keys import keyed

CLOSE = Event(EVENT_HOMEASSISTANT_CLOSE)
ART = {
    "items": [{"source": "http://frame.local:8080/a.png"}, {"source": "http://[::1"}]
}
MORE_ART = {"items": [{"source": "http://NAS.local/a.png"}]}


async def test_hosts_of_casts_are_kept(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """The hosts of a cast by an automation are allowed, also after a restart; an invalid URL allows none."""
    hosts = HomeAddresses(hass)
    public = {"playlist_url": "https://art.example.org/list"}
    assert not (await hosts.async_caller(Context(), public)).hosts
    caller = await hosts.async_caller(Context(), {"playlist": ART})
    assert caller.hosts == {"frame.local:8080"}
    await hosts.async_caller(Context(), dumps(MORE_ART))
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    await hosts.async_close(CLOSE)
    again = HomeAddresses(hass)
    await again.async_load()
    assert "https://art.example.org/list" not in again
    assert "http://frame.local:8080/a.png" in again
    assert "http://nas.local/a.png" in again
    assert "http://frame.local:8080/b.png" not in again
    assert "http://frame.local/a.png" not in again
    await again.async_close(CLOSE)


async def test_nobody_asked(hass: HomeAssistant) -> None:
    """What a display shows by itself, and casts of Home Assistant itself, allow no host."""
    await async_process_ha_core_config(hass, {"internal_url": "http://10.0.0.5:8123"})
    hosts = HomeAddresses(hass)
    own = "http://10.0.0.5:8123/local/a.png"
    for context, url in ((None, "http://10.0.0.7/list"), (Context(), own)):
        assert not (await hosts.async_caller(context, url)).hosts
        assert url not in hosts
    await hosts.async_close(CLOSE)


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("http://10.0.0.5:8123/local/a.png", "10.0.0.5:8123"),
        ("http://10.0.0.5:8123/api/dp1/media/a.png?token=x", "10.0.0.5:8123"),
        ("http://10.0.0.5:8123/api/states", None),
        ("http://10.0.0.5:8123/local/../api/states", None),
        ("http://10.0.0.5:8123/local/%2e%2e/api/states", None),
        ("http://10.0.0.5:80/local/a.png", None),
        ("http://[::1", None),
    ],
)
async def test_files_of_home_assistant(
    hass: HomeAssistant, url: str, server: str | None
) -> None:
    """Files that Home Assistant serves without login can be read by its own URL."""
    await async_process_ha_core_config(hass, {"internal_url": "http://10.0.0.5:8123"})
    hosts = HomeAddresses(hass)
    assert hosts.async_guard(url).server == server
    await hosts.async_close(CLOSE)


async def test_addresses_of_this_home(
    hass: HomeAssistant, socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host at home with an address that looks like one of the internet is asked for nobody but the owner who names it."""
    # As a provider gives it; nobody answers there.
    own = ifaddr.IP(("2001:4860:7:7::1", 0, 0), 64, "home")
    monkeypatch.setattr(
        ifaddr, "get_adapters", lambda: [ifaddr.Adapter("home", "home", [own])]
    )
    url = "http://[2001:4860:7:7::99]:9/list.json"
    sibling = "http://[2001:4860:7:8::99]/"
    for others in ("http://[2001:4860:7:108::99]/", "http://192.0.2.1.example/"):
        assert not is_at_home(others)
    assert not is_at_home(url)
    hosts = HomeAddresses(hass)
    await hosts.async_load()
    try:
        assert is_at_home(url)
        # Providers give a home several networks.
        assert is_at_home(sibling)
        with pytest.raises(InvalidRequestError, check=keyed("address_blocked")):
            await request_json(hosts.async_guard(url), "GET", url, timeout=5)
        caller = await hosts.async_caller(Context(), url)
        assert caller.hosts == {"2001:4860:7:7::99:9"}
        own.ip = ("2001:4860:7:109::1", 0, 0)
        now = dt_util.utcnow()
        async_fire_time_changed(hass, now + timedelta(minutes=10, seconds=1))
        await until(lambda: is_at_home("http://[2001:4860:7:109::99]/"))
        assert not is_at_home(url)
    finally:
        know_home([])
        await hosts.async_close(CLOSE)


@pytest.fixture
async def victim(socket_enabled: None) -> AsyncIterator[ScriptedServer]:
    """Serve a playlist at home."""
    async with ScriptedServer.run(Reply(body=playlist("Dawn"))) as server:
        yield server


async def user(hass: HomeAssistant, group: str) -> Context:
    made = await hass.auth.async_create_user("Somebody", group_ids=[group])
    return Context(user_id=made.id)


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("get_playlist", {"playlist_url": "{}/list.json"}),
        ("get_playlist", {"playlist_id": "{}/list.json"}),
        ("cast_playlist", {"playlist_url": "{}/list.json", "limit": 1}),
        ("cast_playlist", {"playlist_url": "{}/list.json", "start_at": 1}),
        ("cast_playlist", {"media_content_id": "{}/list.json", "scaling": "fit"}),
        ("cast_playlist", {"playlist_id": "{}/list.json", "limit": 1}),
        ("publish_playlist", {"playlist_url": "{}/list.json"}),
    ],
)
async def test_guests_read_nothing_at_home(
    wall: Wall,
    feed: FeedSimulator,
    victim: ScriptedServer,
    action: str,
    data: dict[str, Any],
) -> None:
    """A user who is no administrator is refused without a request, also where the owner has read before."""
    options = {"publish_for_all": True}
    library = library_entry(feed.url, api_key=feed.api_key, options=options)
    await set_up(wall.hass, library)
    owner = await user(wall.hass, GROUP_ID_ADMIN)
    guest = await user(wall.hass, GROUP_ID_USER)
    fields = {name: str(value).format(victim.url) for name, value in data.items()}
    if action == "cast_playlist":
        fields["entity_id"] = ENTITY_ID

    async def read(context: Context) -> None:
        call = wall.hass.services.async_call
        await call("dp1", action, fields, True, context, return_response=True)

    with pytest.raises(HomeAssistantError) as caught:
        await read(guest)
    assert caught.value.translation_key == "address_blocked"
    assert "127.0.0.1 is an address within the home" in str(caught.value)
    assert not victim.requests
    assert f"{victim.url}/list.json" not in wall.hass.data[ADDRESSES]
    await read(owner)
    requests = len(victim.requests)
    assert requests
    with pytest.raises(HomeAssistantError):
        await read(guest)
    assert len(victim.requests) == requests


async def test_what_a_display_was_told_by_others(
    wall: Wall, victim: ScriptedServer
) -> None:
    """Casting again what others cast allows no host, even for an administrator."""
    url = f"{victim.url}/list.json"
    wall.display.player.load(playlist("Dawn", title="Reef"), url=url)
    await until(lambda: wall.attribute("media_playlist") == "Reef")
    media = {"media_content_type": "playlist", "media_content_id": url}
    owner = await user(wall.hass, GROUP_ID_ADMIN)
    call = wall.hass.services.async_call
    target = {"entity_id": ENTITY_ID}
    await call("media_player", "play_media", target | media, True, owner)
    assert url not in wall.hass.data[ADDRESSES]


async def test_servers_cannot_send_elsewhere(
    hass: HomeAssistant, victim: ScriptedServer
) -> None:
    """Neither a catalog, a feed nor a display can choose other hosts at home."""
    moved = Reply(302, headers={"Location": f"{victim.url}/api/states"})
    async with ScriptedServer.run(moved) as catalog, ScriptedServer.run(moved) as feed:
        await set_up(hass, library_entry(f"{feed.url}/api/v1", catalog.url))
        await until(lambda: catalog.requests and feed.requests)
        await hass.async_block_till_done(wait_background_tasks=True)
    async with ScriptedServer.run(moved) as server:
        port = int(server.url.rpartition(":")[2])
        await Display(async_get_clientsession(hass), "127.0.0.1", port).probe()
        assert server.requests
    assert not victim.requests


async def test_cookies_of_a_display(
    hass: HomeAssistant, socket_enabled: None, names: None
) -> None:
    """A display sets no cookies: others at home got them, 8 KB in each request that Home Assistant sent them."""
    cookie = {"Set-Cookie": f"a={'x' * 4000}; Domain=local; Path=/"}
    async with ScriptedServer.run(Reply(200, {}, cookie)) as server:
        address = Address("ff1-ab12cd34.local", int(server.url.rpartition(":")[2]))
        for _ in range(2):
            with suppress(Dp1Error):
                await async_identify(hass, address)
        assert server.requests
        assert all("Cookie" not in request.headers for request in server.requests)
    assert not len(async_get_clientsession(hass).cookie_jar)


async def test_a_name_that_is_turned_inside(
    hass: HomeAssistant, victim: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The author of what an administrator casts cannot let a name of theirs lead home later, nor after a restart."""
    names = Names()
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(resolver=names)
    ) as session:
        hass.data[SESSION] = session
        monkeypatch.setattr(
            addresses_module, "public_session", lambda **_: public_session(names)
        )
        url = f"http://art.example:{victim.url.rpartition(':')[2]}/list.json"
        for _ in range(2):
            hosts = HomeAddresses(hass)
            await hosts.async_load()
            caller = await hosts.async_caller(Context(), url)
            guard = hosts.async_guard(url, caller)
            with pytest.raises(InvalidRequestError, check=keyed("address_blocked")):
                await request_json(guard, "GET", url, timeout=5)
            await hosts.async_close(CLOSE)
    assert not victim.requests


async def test_no_test_asks_for_the_name_of_a_stranger(
    hass: HomeAssistant, setup_display: MockConfigEntry
) -> None:
    """No session, of Home Assistant or of ours, asks a name server: its answer may come after the end of a test."""
    guard = hass.data[ADDRESSES].async_guard()
    for session in (guard.session, guard.public):
        with pytest.raises(aiohttp.ClientConnectorDNSError, match="no such name"):
            await session.get("http://art.example")


async def test_what_was_public_is_remembered(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """Where servers were found survives a restart, until their owner names them again."""
    hosts = HomeAddresses(hass)
    hosts.async_guard().seen["feed.example:443"] = PUBLIC
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    await hosts.async_close(CLOSE)
    again = HomeAddresses(hass)
    await again.async_load()
    assert again.async_guard().seen == {"feed.example:443": PUBLIC}
    again.async_forget("https://feed.example/api")
    assert not again.async_guard().seen
    await again.async_close(CLOSE)
