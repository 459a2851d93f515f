"""Test a gateway of one's own: in its dialog, on displays, and where it must not be."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.browse.pictures import PICTURES
from custom_components.dp1.client.health import Health
from custom_components.dp1.client.hosts import GATEWAYS, SMALL, SMALL_CID, own_gateway
from custom_components.dp1.hosts import HOSTS
from custom_components.dp1.playback.alive import uses_own_gateway
from homeassistant.core import HomeAssistant

from .client.scripted_server import Reply, Request, ScriptedServer
from .displays import ENTITY_ID, playlist, until
from .flows import begin_options, fill
from .libraries import library_entry, set_up
from .pictures import PNG
from .simulators.feed import FeedSimulator
from .simulators.gateway import CID, Internet, Mode
from .walls import Wall

PICTURE = f"ipfs://{CID}/a.png"
FIRST = "https://ipfs.filebase.io"


@pytest.fixture
async def node(socket_enabled: None) -> AsyncIterator[ScriptedServer]:
    """A node at home, which has one picture."""

    def answer(request: Request) -> Reply:
        """Answer as its gateway does."""
        match request.path.split("/")[1:]:
            case ["ipfs", cid] if cid == SMALL_CID:
                return Reply(200, SMALL, {"Content-Type": "text/plain"})
            case ["ipfs", cid, "a.png"] if cid == CID:
                return Reply(200, PNG, {"Content-Type": "image/png"})
        return Reply(404, b"", {"X-Ipfs-Path": request.path})

    async with ScriptedServer.run(answer) as server:
        yield server


def health_of(text: str) -> Health:
    """Return the hosts of works with a gateway of one's own."""
    health = Health()
    health.own = own_gateway(text)
    return health


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://nas:8080/ipfs/", f"http://nas:8080/ipfs/{CID}/a.png"),
        (" HTTP://NAS.local:8080/ipfs ", f"http://nas.local:8080/ipfs/{CID}/a.png"),
        (
            "https://{cid}.ipfs.nas.home.arpa/",
            f"https://{CID}.ipfs.nas.home.arpa/a.png",
        ),
        ("http://[fd00::1]:8080/ipfs/", f"http://[fd00::1]:8080/ipfs/{CID}/a.png"),
    ],
)
def test_its_address(text: str, url: str) -> None:
    """Both forms are understood."""
    health = health_of(text)
    assert health.best(PICTURE) == url
    assert health.best(f"https://ipfs.io/ipfs/{CID}/a.png") == url
    assert health.best(url) == url
    # Nobody else sees it.
    assert health.public_url(url) == f"{FIRST}/ipfs/{CID}/a.png"
    assert health.best(PICTURE, is_public=True) == f"{FIRST}/ipfs/{CID}/a.png"
    assert health.best(url, is_public=True) == f"{FIRST}/ipfs/{CID}/a.png"
    health.note(url, 404)
    assert health.best(PICTURE) == f"{FIRST}/ipfs/{CID}/a.png"


@pytest.mark.parametrize(
    "url",
    [
        f"ipfs://{CID}/../../api/states",
        f"ipfs://{CID}/..%2f..%2fapi",
        f"ipfs://{CID}\\..\\a",
        "ipfs://../api/states",
        "ipfs://not-a-cid/a.png",
        "ar://tx/a.png",
        "https://art.example/a.png",
    ],
)
def test_what_is_not_asked_there(url: str) -> None:
    """Only content is, and nothing beside it."""
    assert "nas" not in health_of("http://nas:8080/ipfs/").best(url)


@pytest.mark.parametrize(
    "text",
    [
        *("nas:8080", "http://nas:8080/", "ftp://nas/ipfs/", "http://nas/ipfs/{cid}/"),
        *("http://{cid}.ipfs.nas/ipfs/", "http://me:pw@nas/ipfs/", "http:///ipfs/"),
        *("http://nas/ipfs/?x", "http://na s/ipfs/", "http://nas:99999/ipfs/"),
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        own_gateway(text)


async def in_dialog(hass: HomeAssistant, text: str) -> Any:
    """Enter an address in the options of a library."""
    entry = hass.config_entries.async_entries("dp1")[-1]
    form = await begin_options(hass, entry.entry_id, "gateway")
    return await fill(hass, form, ipfs_gateway=text)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(200, SMALL), None),
        (Reply(504, b"no providers", {"X-Ipfs-Path": "/ipfs/x"}), None),
        (Reply(504, b"Bad gateway"), "no_gateway"),
        (Reply(200, b"<h1>Router</h1>"), "no_gateway"),
        (Reply(200, b"x" * 9000), "no_gateway"),
        (
            Reply(301, b"", {"Location": "https://elsewhere.example/"}),
            "gateway_leads_away",
        ),
        (None, "gateway_silent"),
    ],
)
async def test_the_dialog(
    hass: HomeAssistant, feed: FeedSimulator, reply: Reply | None, error: str | None
) -> None:
    """It is asked for a small content; one that is offline is a gateway, and what is none is told."""
    entry = await set_up(hass, library_entry(feed.url))
    async with ScriptedServer.run(reply or Reply(200)) as server:
        url = f"{server.url}/ipfs/" if reply else "http://127.0.0.1:9/ipfs/"
        result = await in_dialog(hass, url)
        assert len(server.requests) == bool(reply)
    if error:
        assert result["errors"] == {"ipfs_gateway": error}
        assert hass.data[HOSTS].own is None
    else:
        assert result["type"] == "create_entry"
        await hass.async_block_till_done()
        assert entry.options["ipfs_gateway"] == url
        assert hass.data[HOSTS].own is not None
        await in_dialog(hass, "")
        await hass.async_block_till_done()
        assert hass.data[HOSTS].own is None


async def test_addresses_that_are_refused(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """What is no address of a gateway, or Home Assistant itself, is refused without a request."""
    await set_up(hass, library_entry(feed.url))
    await hass.config.async_update(internal_url="http://192.0.2.1:8123")
    for text, error in {
        "http://nas:8080/": "invalid_gateway",
        "http://192.0.2.1:8123/ipfs/": "gateway_is_own",
    }.items():
        result = await in_dialog(hass, text)
        assert result["errors"] == {"ipfs_gateway": error}


async def test_pictures(
    hass: HomeAssistant,
    internet: Internet,
    node: ScriptedServer,
    feed: FeedSimulator,
) -> None:
    """Home Assistant asks it first, follows it nowhere, and then asks the public ones."""
    options = {"ipfs_gateway": f"{node.url}/ipfs/"}
    entry = await set_up(hass, library_entry(feed.url, options=options))
    pictures = hass.data[PICTURES]
    assert await pictures.async_at(PICTURE)
    assert [it.path for it in node.requests] == [f"/ipfs/{CID}/a.png"]
    assert not internet.asked
    internet.works[f"{CID}/b.png"] = ("image/png", PNG)
    assert await pictures.async_at(f"ipfs://{CID}/b.png")
    assert len(internet.asked) == 1
    await hass.config_entries.async_remove(entry.entry_id)
    assert hass.data[HOSTS].own is None


@pytest.mark.parametrize("profile", ["B"])
async def test_on_a_display(
    hass: HomeAssistant,
    internet: Internet,
    node: ScriptedServer,
    feed: FeedSimulator,
    bare: Wall,
) -> None:
    """All public gateways have ended, and the work hangs; nothing that lasts, and nothing that is published, names it."""
    internet.hosts = dict.fromkeys(internet.hosts, Mode.ENDS)
    wall = bare
    options = {"ipfs_gateway": f"{node.url}/ipfs/"}
    await set_up(hass, library_entry(feed.url, options=options))
    await wall.set_up()
    document = playlist("Work")
    document["items"][0]["source"] = f"https://ipfs.io/ipfs/{CID}/a.png"
    await wall.do("dp1.cast_playlist", playlist=document)
    at = f"{node.url}/ipfs/{CID}/a.png"
    assert [it["source"] for it in wall.display.state.items] == [at]
    await until(lambda: wall.display.sees == "image")
    player = await wall.coordinator.async_read_player()
    kept = wall.coordinator.history.playlist_of(player)
    assert kept.sources == [f"{FIRST}/ipfs/{CID}/a.png"]
    document["items"][0]["source"] = at
    for art in ({"playlist": document}, {"entity_id": ENTITY_ID}):
        told = await hass.services.async_call(
            "dp1", "publish_playlist", art, blocking=True, return_response=True
        )
        stored = feed.documents[str((told or {})["id"])]
        assert [it["source"] for it in stored["items"]] == [f"{FIRST}/ipfs/{CID}/a.png"]


@pytest.mark.parametrize("profile", ["B"])
async def test_what_it_does_not_have(
    hass: HomeAssistant, internet: Internet, node: ScriptedServer, bare: Wall
) -> None:
    """A page, a folder or what has no suffix is asked for there without looking elsewhere, and hangs from a gateway that has it."""
    wall = bare
    options = {"ipfs_gateway": f"{node.url}/ipfs/"}
    await set_up(hass, library_entry(None, None, options=options))
    await wall.set_up()
    names = ("a.png", "page/index.html", "page/", "page/?seed=1", "picture", "b.png")
    document = playlist(*names)
    for item, name in zip(document["items"], names, strict=True):
        item["source"] = f"ipfs://{CID}/{name}"
    await wall.do("dp1.cast_playlist", playlist=document)
    places = [item["source"] for item in wall.display.state.items]
    assert places[0] == f"{node.url}/ipfs/{CID}/a.png"
    assert not [it for it in places[1:] if it.startswith(node.url)]
    asked = [it for it in node.requests if it.method == "HEAD"]
    assert {it.headers["Cache-Control"] for it in asked} == {"only-if-cached"}
    assert len(asked) == len(names)
    # What is known to be missing is not asked for again.
    await wall.do("dp1.cast_playlist", playlist=document)
    asked = [it for it in node.requests if it.method == "HEAD"]
    assert len(asked) == len(names) + 1


async def test_who_cannot_use_it(
    hass: HomeAssistant, setup_display: MockConfigEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A screen that is opened by https gets none by http, and a display that is reached from outside none at all."""
    coordinator, hosts = setup_display.runtime_data, hass.data[HOSTS]
    assert not uses_own_gateway(coordinator)
    hosts.own = own_gateway("http://nas:8080/ipfs/")
    for gateway in GATEWAYS["ipfs"]:
        hosts.note(gateway.url)
    assert not hosts.is_nowhere(PICTURE)
    assert hosts.is_nowhere(PICTURE, is_public=True)
    assert uses_own_gateway(coordinator)
    monkeypatch.setattr(type(coordinator.display), "is_secure", True)
    assert not uses_own_gateway(coordinator)
    hosts.own = own_gateway("https://nas/ipfs/")
    assert uses_own_gateway(coordinator)
    data = {**setup_display.data, "host": "100.64.0.9"}
    hass.config_entries.async_update_entry(setup_display, data=data)
    assert not uses_own_gateway(coordinator)
