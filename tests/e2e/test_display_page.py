"""Test the page of the simulated display in a browser, and its mDNS announcement."""

import asyncio
from collections.abc import AsyncIterator
import contextlib
import os
from typing import Any
from uuid import uuid4

import aiohttp
from playwright.async_api import Page as BrowserPage, async_playwright, expect
import pytest
from zeroconf import IPVersion, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from ..simulators.display import DisplaySimulator
from ..simulators.display.mdns import close
from ..simulators.display.player import Page
from ..simulators.raw_display import RawClient, item, playlist, talking, until

# Announcements share one network, whichever process sends them.
pytestmark = [
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.xdist_group("network"),
]

SERVICE = "_ff1._tcp.local."
CHROMIUM = os.environ.get("DP1_CHROMIUM")
# One pixel.
RED = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8"
    "BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
GREEN = "data:text/html,<title>Green</title><body style='background:green'>"


# Page


@pytest.fixture
async def browser_page() -> AsyncIterator[BrowserPage]:
    if not CHROMIUM:
        pytest.skip("DP1_CHROMIUM names no browser")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        yield await browser.new_page(viewport={"width": 800, "height": 450})
        await browser.close()


async def titled(page: BrowserPage, title: str) -> None:
    await page.wait_for_function("title => document.title === title", arg=title)


async def css(page: BrowserPage, selector: str, name: str) -> Any:
    script = "([s, n]) => getComputedStyle(document.querySelector(s))[n]"
    return await page.evaluate(script, [selector, name])


@pytest.mark.e2e
@pytest.mark.usefixtures("expected_lingering_tasks")
@pytest.mark.parametrize("expected_lingering_tasks", [True])
async def test_page(browser_page: BrowserPage) -> None:
    """The page shows the current work and follows every change, also with the newest firmware."""
    page = browser_page
    async with talking("C", name="Wall", page_delay=0, storm_gate=False) as client:
        simulator, note = client.simulator, page.locator("#note")
        await page.goto(f"{simulator.url}/")
        await titled(page, "Wall")
        await expect(note).to_have_text("Nothing is shown")
        works = [
            item(
                0,
                title="Red",
                source=RED,
                inlineManifest={
                    "metadata": {
                        "title": "Red",
                        "artists": [{"name": "Ada"}, {"name": "Eve"}],
                    }
                },
                display={"margin": 20, "background": "#123456"},
            ),
            item(1, title="Green", source=GREEN),
        ]
        await client.cast(playlist(items=works))
        await titled(page, "Red")
        await page.wait_for_selector("img#work")
        assert await css(page, "#work", "objectFit") == "contain"
        assert await css(page, "#frame", "padding") == "20px"
        assert await css(page, "#screen", "backgroundColor") == "rgb(18, 52, 86)"
        assert await page.inner_text("#label") == "Red\nAda, Eve"
        for scaling, fit in (
            ("fill", "cover"),
            ("stretch", "fill"),
            ("auto", "scale-down"),
        ):
            await client.ask("updateDisplaySettings", isSaved=True, scaling=scaling)
            await page.wait_for_selector(f"body[data-scaling={scaling}]")
            assert await css(page, "#work", "objectFit") == fit
        await client.ask("updateDisplaySettings", isSaved=True, tombstone="off")
        await page.wait_for_selector("#label", state="hidden")
        await client.ask("moveToArtwork", index=1)
        await titled(page, "Green")
        await page.wait_for_selector("iframe#work")
        assert await page.get_attribute("body", "data-index") == "1"
        await client.ask("sleepNow")
        await titled(page, "Wall")
        await page.wait_for_selector("#work", state="detached")
        await expect(note).to_have_text("Asleep")
        assert await css(page, "#screen", "backgroundColor") == "rgb(0, 0, 0)"
        await client.ask("wakeNow")
        await titled(page, "Green")
        await expect(note).to_be_hidden()
        await client.ask("rotate", clockwise=False)
        await page.wait_for_selector("#screen.portrait")
        await client.ask("showPairingQRCode", show=True)
        await page.wait_for_selector("#overlay:has-text('4711')")
        simulator.caster.preflight = False
        broken = [item(0, title="Broken", source=f"{simulator.url}/simulator/none.png")]
        await client.cast(playlist(items=broken))
        await expect(note).to_have_text("The work does not load")
        for show, text in (
            (Page.ERROR, "The player shows an error: overheating"),
            (Page.SETUP, "Waiting to be set up"),
            (Page.BLANK, "The player is not running"),
        ):
            simulator.show_page(show, "overheating")
            await expect(note).to_have_text(text)
        await page.goto("about:blank")


# Announcement

# Unique to this run: other runs of the tests at the same time use the same loopback.
SERIAL = f"FF1-{uuid4().hex[:8].upper()}"
ROOM = f"Living room {SERIAL.removeprefix('FF1-')}"


class Watcher:
    """Listens to announcements."""

    def __init__(self, zeroconf: AsyncZeroconf) -> None:
        """Start listening."""
        self.names: set[str] = set()
        self.removed: list[str] = []
        self._zeroconf = zeroconf
        self.browser = AsyncServiceBrowser(
            zeroconf.zeroconf, SERVICE, handlers=[self._changed]
        )

    def _changed(
        self,
        zeroconf: Any,
        service_type: str,
        name: str,
        state_change: ServiceStateChange,
    ) -> None:
        if SERIAL.partition("-")[2] not in name:
            return
        if state_change is ServiceStateChange.Removed:
            self.names.discard(name)
            self.removed.append(name)
        else:
            self.names.add(name)

    async def info(self, label: str) -> AsyncServiceInfo:
        name = f"{label}.{SERVICE}"
        await until(lambda: name in self.names)
        info = AsyncServiceInfo(SERVICE, name)
        assert await info.async_request(self._zeroconf.zeroconf, 10_000)
        return info


@contextlib.asynccontextmanager
async def announced(
    profile: str, **options: Any
) -> AsyncIterator[tuple[DisplaySimulator, Watcher]]:
    """Run a display that is announced on loopback, and listen from another responder."""
    theirs, ours = (
        AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
        for _ in range(2)
    )
    watcher = Watcher(ours)
    try:
        async with DisplaySimulator(
            profile, SERIAL, zeroconf=theirs, **options
        ) as simulator:
            yield simulator, watcher
        await until(lambda: not watcher.names)
    finally:
        await watcher.browser.async_cancel()
        await close(theirs)
        await close(ours)


async def test_first_announcement() -> None:
    """Name and id are the serial; the announcement ends without internet and with the display."""
    async with announced("A1", name="Wall") as (simulator, watcher):
        info = await watcher.info(SERIAL)
        assert info.port == simulator.port
        assert info.text == f"\x0fid={SERIAL}\x11name={SERIAL}".encode()
        assert info.server == f"{SERIAL}.local."
        await simulator.set_internet(False)
        await until(lambda: not watcher.names)
        # A goodbye stays in the caches of listeners for a second.
        await asyncio.sleep(1.1)
        await simulator.set_internet(True)
        await watcher.info(SERIAL)


async def test_second_announcement() -> None:
    """The name is the owner's, and can change, an invalid one is replaced by the serial; another port is announced anew."""
    async with announced("B", name=ROOM, storm_gate=False) as (simulator, watcher):
        before = await watcher.info(ROOM)
        assert list(before.decoded_properties.items()) == [
            ("id", SERIAL),
            ("name", ROOM),
            ("claimed", "true"),
            ("api", "2"),
        ]
        await simulator.set_internet(False)
        assert watcher.removed == []
        async with aiohttp.ClientSession() as session:
            await RawClient(simulator, session).ask("setDeviceName", name="No. 1")
        info = await watcher.info(SERIAL)
        assert info.decoded_properties["name"] == "No. 1"
        await until(lambda: f"{ROOM}.{SERVICE}" not in watcher.names)
        watcher.removed.clear()
        await simulator.move()
        await until(lambda: watcher.removed)
        info = await watcher.info(SERIAL)
        assert info.port == simulator.port != before.port
