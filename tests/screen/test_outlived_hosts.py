"""Test works on a screen that outlive their hosts, seen in a real browser."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.async_api import expect
import pytest
from yarl import URL

from custom_components.dp1 import addresses as addresses_module
from custom_components.dp1.client.hosts import GATEWAYS
from custom_components.dp1.hosts import HOSTS
from custom_components.dp1.library import files as files_module
from custom_components.dp1.library.item import Item
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.node import NodeKind
from custom_components.dp1.screen.pairing import Screens
from homeassistant.core import HomeAssistant

from ..client.scripted_server import Reply, Request, ScriptedServer
from ..displays import playlist, state_of, until
from ..e2e.browser import CHROMIUM, browser
from ..libraries import library_entry, set_up
from ..simulators.display.tls import server_context
from ..simulators.feed import FeedSimulator
from ..simulators.gateway import Internet, Mode, cid_of
from .pages import open_page, pair, until_pixel
from .test_network import Cable

pytestmark = [
    pytest.mark.usefixtures("socket_enabled", "mdns"),
    pytest.mark.timeout(240),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]

LIME = (0, 255, 0)
FIRST = "ipfs.filebase.io"


@pytest.fixture
async def internet(
    monkeypatch: pytest.MonkeyPatch, socket_enabled: None
) -> AsyncIterator[Internet]:
    """An internet with all public gateways, from before Home Assistant has a session for it."""
    hosts = dict.fromkeys((gateway.host for gateway in GATEWAYS["ipfs"]), Mode.LIVES)
    async with Internet(hosts).running() as simulated:
        monkeypatch.setattr(addresses_module, "public_session", simulated.session)
        yield simulated


@pytest.mark.parametrize("is_secure", [False, True])
async def test_on_a_screen(
    internet: Internet,
    hass: HomeAssistant,
    feed: FeedSimulator,
    home: str,
    screens: Screens,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_secure: bool,
) -> None:
    """A work hangs while gateways live, from one's own, and from home, after a restart too; a page by https is given no gateway by http."""
    hass.config.config_dir = str(tmp_path)
    monkeypatch.setattr(files_module, "PAUSE", (0.0, 0.0))
    monkeypatch.setattr(files_module, "MIN_FREE", 0)
    monkeypatch.setattr(files_module, "NIGHT", range(24))
    picture = BytesIO()
    Image.new("RGB", (4, 3), "lime").save(picture, "PNG")
    cid = cid_of(b"a.png", is_raw=False)
    path, url = f"ipfs/{cid}/a.png", f"ipfs://{cid}/a.png"

    def answer(request: Request) -> Reply:
        """Answer as a node at home does, which has the work."""
        is_there = request.path.startswith(f"/{path}")
        kind = {"Content-Type": "image/png"}
        return Reply(200, picture.getvalue(), kind) if is_there else Reply(404)

    hosts = dict(internet.hosts)
    internet.works[f"{cid}/a.png"] = ("image/png", picture.getvalue())
    internet.headers = {
        f"{host}/{path}": {"Cache-Control": "no-store"} for host in hosts
    }
    proxy = Cable(URL(home).port or 0, server_context() if is_secure else None)
    await proxy.plug()
    origin = proxy.url.replace("127.0.0.1", "home.example")
    base = home.replace("127.0.0.1", "home.example")
    await hass.config.async_update(internal_url=base)
    async with ScriptedServer.run(answer) as node:
        library = await set_up(
            hass, library_entry(feed.url, options={"keep_files": True})
        )
        kept: Library = library.runtime_data
        work = Item(id="artwork/1/a", kind=NodeKind.ARTWORK, title="a")
        kept.favorites.async_add(work, {"source": url, "title": "a"})
        await kept.files.async_read()
        assert kept.files.count == 1
        rules = f"MAP home.example 127.0.0.1, MAP * 127.0.0.1:{internet.port}, EXCLUDE 127.0.0.1"
        flags = ("--ignore-certificate-errors", f"--host-resolver-rules={rules}")
        async with browser(*flags) as chromium:
            page = await open_page(chromium, origin)
            screen = await pair(page, screens)
            entries = hass.config_entries
            entry = entries.async_entry_for_domain_unique_id("dp1", screen.device_id)
            assert entry is not None
            await entries.async_setup(entry.entry_id)
            document = playlist("Work")
            document["items"][0]["source"] = url

            async def cast(at: str, lives: str) -> None:
                """Show the work on an empty page, and wait until it is seen, from where it is to come."""
                screen.player.clear()
                await page.reload()
                await until(lambda: screen.pages)
                await until(lambda: state_of(hass, player).state == "idle")
                data = {"entity_id": player, "playlist": document}
                await hass.services.async_call(
                    "dp1", "cast_playlist", data, blocking=True
                )
                await until(
                    lambda: str((screen.player.current or {})["source"]).startswith(at)
                )
                await until_pixel(page, LIME)
                await expect(page.locator(".work.on img")).to_have_count(1)
                await until(
                    lambda: state_of(hass, player).attributes["dp1"]["lives"] == lives
                )

            player = "media_player.tablet"
            await cast(f"https://{FIRST}/", "home")
            internet.hosts = dict.fromkeys(hosts, Mode.ENDS)
            for gateway in (f"{node.url}/ipfs/", ""):
                options = {"keep_files": True, "ipfs_gateway": gateway}
                entries.async_update_entry(library, options=options)
                await entries.async_reload(library.entry_id)
                asked = len(node.requests)
                if gateway and not is_secure:
                    await cast(gateway, "home")
                    assert len(node.requests) > asked
                else:
                    await cast(f"{base}/api/dp1/media/", "only_home")
            # After a restart nothing is known of gateways.
            hass.data[HOSTS]._hosts.clear()
            hass.data[HOSTS]._missing.clear()
            for each in (library, entry):
                await entries.async_reload(each.entry_id)
            await cast(f"{base}/api/dp1/media/", "only_home")
            await page.close()
            await until(lambda: not screen.pages)
            await entries.async_unload(entry.entry_id)
    await proxy.unplug()
