"""A gallery on one machine: Home Assistant, a display, a feed, a catalog and an indexer, all but Home Assistant simulated.

Everything listens on loopback; discovery alone goes over the machine's network interface, as Home Assistant does not
look for services on loopback. What is shown was drawn for this purpose.
"""

import argparse
import asyncio
from base64 import b64encode
from contextlib import AsyncExitStack, suppress
from datetime import date, timedelta
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
import signal
import sys
import tempfile
import time
from typing import Any

from PIL import Image, ImageColor, ImageDraw

from tests.e2e.home import Home, HomeError
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator
from tests.simulators.indexer import IndexerSimulator

NAME = "Living room"
SCREEN = "Tablet"
LIBRARY = "Museum"
EXHIBITION = "Net Evil"
# Titles of playlists, and the exhibition that their works are of.
PLAYLISTS = {
    "Evening in the living room": "Ghost Protocols",
    "For the kitchen": "Everything Is a Window",
    "Slow morning": "Tender Machines",
}
# A playlist that can be published: its works are in it as a whole, and not at addresses of this machine.
DRAWN = "Three circles"
COLORS = {"Ember": "#c2410c", "Moss": "#4d7c0f", "Dusk": "#4338ca"}
CHANNEL = "Our house"
ALBUM = "Our holiday"
# Of own pictures: names, shapes and colors.
PICTURES = {
    "Harbor at noon": (1600, 1200, "#0f766e"),
    "Tram": (900, 1600, "#b45309"),
    "Garden wall": (900, 1600, "#4d7c0f"),
    "IMG_20230704_101500": (1600, 900, "#1d4ed8"),
    "The old pier": (1600, 1200, "#7c3aed"),
}
DAILY = "Tender Machines"
DAYS = 30
FAVORITES = (("Ghost Protocols", ["exhibition"]), ("Weather", ["series"]))
WORKS = 8
# Nobody known owns these.
OWNERS = (
    "0xBD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045, tz1XCrrfhQNC3M35fs1fi1BgDMSF77Psad5L"
)
DISCOVERY_SECONDS = 45
DASHBOARD = "art-gallery"
GALLERY = {"strategy": {"type": "custom:dp1-gallery"}}
# Longer than the write timeout of a display: the answer is cut.
NO_INTERNET_SECONDS = 30.0


def device_id(folder: Path) -> str:
    """Return a device id derived from the folder, so that demos on one network differ."""
    return f"FF1-{sha256(str(folder.resolve()).encode()).hexdigest()[:8].upper()}"


def _arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(prog="scripts/demo", description=__doc__)
    parser.add_argument(
        "--check",
        action="store_true",
        help="prove that the display shows the work, say so in one line, and end",
    )
    parser.add_argument("--port", type=int, default=0, help="of Home Assistant")
    parser.add_argument(
        "--profile",
        choices=("A", "A1", "B", "C"),
        default="B",
        help="firmware that the display imitates (B)",
    )
    parser.add_argument(
        "--no-internet",
        action="store_true",
        help="the display has no internet: its device status takes 30 s and is cut",
    )
    return parser.parse_args()


def _say(text: str) -> None:
    """Print a message."""
    print(f"· {text}", file=sys.stderr, flush=True)


async def add_display(home: Home, display: DisplaySimulator) -> str:
    """Add the discovered display, or by its address; return the flow that adds a library."""
    device_id = display.device.device_id

    async def found() -> dict[str, Any] | None:
        """Return the discovery flow of this display, or its entry: during onboarding it is added at once."""
        devices = await home.ask("config/device_registry/list")
        if any(["dp1", device_id] in device["identifiers"] for device in devices):
            return {"type": "abort", "reason": "already_configured"}
        flows = await home.discovered("dp1")
        ours = (flow for flow in flows if flow["context"]["unique_id"] == device_id)
        return next(ours, None)

    try:
        result = await home.until(found, DISCOVERY_SECONDS, "discovery")
        _say("found the display on the network")
        if "type" not in result:
            result = await home.step(result["flow_id"], {})
    except HomeError:
        _say("not found on the network: adding the display by its address")
        return await add_by_address(home, display)
    return await library_flow(home, result)


async def add_by_address(home: Home, display: DisplaySimulator) -> str:
    """Add the display by its address; return the flow that adds a library."""
    flow = await home.flow("dp1")
    await home.step(flow["flow_id"], {"next_step_id": "display"})
    host = f"127.0.0.1:{display.port}"
    return await library_flow(home, await home.step(flow["flow_id"], {"host": host}))


async def library_flow(home: Home, result: dict[str, Any]) -> str:
    """Return the flow that adds a library once the display is set up."""
    if (
        result["type"] != "create_entry"
        and result.get("reason") != "already_configured"
    ):
        raise HomeError(f"adding the display: {result}")
    flow = await home.flow("dp1")
    await home.step(flow["flow_id"], {"next_step_id": "library"})
    return str(flow["flow_id"])


async def add_library(home: Home, flow_id: str, catalog: str, feed: str) -> str:
    """Add the library that is offered after the display, with the simulated servers, and return its id."""
    servers = {"catalog_url": catalog, "feed_url": feed}
    result = await home.step(flow_id, {"name": LIBRARY, **servers})
    if result["type"] != "create_entry":
        raise HomeError(f"adding the library: {result}")
    return str(result["result"]["entry_id"])


async def add_screen(home: Home) -> str:
    """Add a browser that is not open yet as a display, and return the address to open."""
    flow = await home.flow("dp1")
    await home.step(flow["flow_id"], {"next_step_id": "screen"})
    address, origin = f"{home.url}/dp1/screen", {"Origin": home.url}
    async with home.session.ws_connect(f"{address}/socket", headers=origin) as page:
        await page.send_json({"secret": None})
        code = (await page.receive_json())["code"]
        result = await home.step(flow["flow_id"], {"code": code, "name": SCREEN})
        if result["type"] != "create_entry":
            raise HomeError(f"adding the screen: {result}")
        secret = (await page.receive_json())["secret"]
    return f"{address}#{secret}"


async def add_collection(home: Home, library: str, indexer: str, daily: str) -> None:
    """Add a collection to the library, with the simulated indexer, and a Daily."""
    kind = "options/flow"
    flow = await home.flow(library, kind)
    await home.step(flow["flow_id"], {"next_step_id": "own_art"}, kind)
    await home.step(flow["flow_id"], {"indexer_url": indexer, "daily_url": daily}, kind)
    kind = "subentries/flow"
    flow = await home.flow([library, "collection"], kind)
    values = {"name": "My collection", "addresses": OWNERS}
    result = await home.step(flow["flow_id"], values, kind)
    if result["type"] not in ("create_entry", "progress"):
        raise HomeError(f"adding the collection: {result}")
    await until_source(home, values["name"])


async def until_source(home: Home, name: str) -> None:
    """Wait until the library offers something to the displays."""

    async def usable() -> bool:
        """Return whether it does."""
        return any(
            name in (state["attributes"].get("source_list") or ())
            for state in await home.states("media_player")
        )

    await home.until(usable, 30, name)


def seed_feed(catalog: CatalogSimulator, feed: FeedSimulator) -> None:
    """Publish playlists of the catalog's works and a channel of two of them, and one of drawings."""
    stored = feed.seed(
        {
            "title": title,
            "coverImage": exhibition["coverURI"],
            "items": [
                _item(catalog, series)
                for series in catalog.data.series(exhibition["id"])[:WORKS]
            ],
        }
        for title, exhibition in (
            (title, catalog.data.find_exhibition(name))
            for title, name in PLAYLISTS.items()
        )
    )
    channel = {
        "title": CHANNEL,
        "coverImage": stored[1]["coverImage"],
        "playlists": [each["id"] for each in stored[:2]],
    }
    drawn = [
        {"title": title, "source": _drawing(color), "license": "open"}
        for title, color in COLORS.items()
    ]
    feed.seed([{"title": DRAWN, "items": drawn}], [channel])


def seed_daily(catalog: CatalogSimulator, feed: FeedSimulator) -> str:
    """Publish a playlist with a work for each day, and return its URL."""
    exhibition = catalog.data.find_exhibition(DAILY)
    first = date.today() - timedelta(days=2)
    works = [_item(catalog, series) for series in catalog.data.series(exhibition["id"])]
    items = [
        {**work, "displayAt": f"{first + timedelta(days=day)}T00:00:00"}
        for day, work in enumerate(islice(cycle(works), DAYS))
    ]
    (stored,) = feed.seed([{"title": "The Daily", "items": items}])
    return f"{feed.url}/playlists/{stored['id']}"


def _drawing(color: str) -> str:
    """Return the address of a drawing, which holds the whole of it."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9">'
        f'<rect width="16" height="9" fill="#f2efe9"/><circle cx="8" cy="4.5" r="3" fill="{color}"/></svg>'
    )
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def _item(catalog: CatalogSimulator, series: dict[str, Any]) -> dict[str, Any]:
    """Return the item of the first work of a series."""
    work = catalog.data.artworks(series["id"])[0]
    source = work["previewURI"]
    return {"title": series["title"], "source": source, "license": "open"}


async def add_favorites(home: Home) -> None:
    """Add an exhibition and some works to the favorites."""
    for query, kinds in FAVORITES:
        found = await home.call(
            "dp1.search", {"query": query, "kinds": kinds, "limit": 2}, response=True
        )
        for result in found["results"]:
            media_id = {"media_content_id": result["media_content_id"]}
            await home.call("dp1.add_favorite", media_id, response=True)


def draw_pictures(folder: Path) -> None:
    """Draw own pictures into a folder."""
    folder.mkdir(parents=True)
    for name, (width, height, color) in PICTURES.items():
        picture = Image.new("RGB", (width, height), color)
        draw = ImageDraw.Draw(picture)
        for part in range(2, 6):
            side = min(width, height) // part
            left, top = (width - side) // 2, (height - side) // 2
            shade = ImageColor.getrgb(color)
            light = tuple(it + (255 - it) * part // 8 for it in shade)
            draw.ellipse((left, top, left + side, top + side), light)
        picture.save(folder / f"{name}.jpg", quality=85)


async def add_album(home: Home, library: str) -> None:
    """Add an album of own pictures to the library, and keep the files of collected works at home."""
    kind = "options/flow"
    flow = await home.flow(library, kind)
    await home.step(flow["flow_id"], {"next_step_id": "gateway"}, kind)
    await home.step(flow["flow_id"], {"keep_files": True}, kind)
    draw_pictures(home.folder / "media" / "Holiday")
    kind = "subentries/flow"
    flow = await home.flow([library, "album"], kind)
    values = {
        "name": ALBUM,
        "folder": "media-source://media_source/local/Holiday",
        "order": "name",
        "item_duration": 60,
        "pairs": True,
    }
    result = await home.step(flow["flow_id"], values, kind)
    if result["type"] != "create_entry":
        raise HomeError(f"adding the album: {result}")
    await until_source(home, ALBUM)


async def find_player(home: Home) -> str:
    """Wait for the media player of the display."""

    async def usable() -> str | None:
        """Return an entity that is available."""
        for state in await home.states("media_player"):
            if state["state"] != "unavailable":
                return str(state["entity_id"])
        return None

    return str(await home.until(usable, 30, "the media player"))


async def _hang(
    home: Home, display: DisplaySimulator, player: str
) -> tuple[str, str, float]:
    """Cast the exhibition; return the work, the playlist, and the duration."""
    started = time.monotonic()
    response = await home.call(
        "dp1.cast_playlist",
        {"entity_id": player, "exhibition": EXHIBITION},
        response=True,
    )

    async def hangs() -> str | None:
        """Return whether Home Assistant shows the work that the display shows."""
        state = await home.state(player)
        title = display.state.current_title
        shown = state["attributes"].get("media_title") if state else None
        return title if title and title == shown else None

    work = str(await home.until(hangs, 30, "the work on the wall"))
    return work, str(response[player]["title"]), time.monotonic() - started


async def _run(options: argparse.Namespace, stack: AsyncExitStack) -> None:
    """Start everything, cast the exhibition, and wait."""
    started = time.monotonic()
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    catalog = await stack.enter_async_context(CatalogSimulator())
    feed = await stack.enter_async_context(FeedSimulator("signed"))
    indexer = await stack.enter_async_context(IndexerSimulator())
    display = await stack.enter_async_context(
        DisplaySimulator(
            profile=options.profile,
            device_id=device_id(folder),
            name=NAME,
            mdns=True,
            internet=not options.no_internet,
            status_seconds=NO_INTERNET_SECONDS if options.no_internet else 0.0,
        )
    )
    # A display checks every work before it shows them, and the simulator would have to draw each one.
    display.caster.preflight = False
    assert catalog.data.series_count  # Drawn now instead of during the cast
    seed_feed(catalog, feed)
    daily = seed_daily(catalog, feed)
    _say("starting Home Assistant")
    home = await stack.enter_async_context(Home(folder, port=options.port))
    next_flow = await add_display(home, display)
    library = await add_library(home, next_flow, catalog.url, feed.url)
    await add_collection(home, library, indexer.url, daily)
    await add_album(home, library)
    player = await find_player(home)
    page = await home.dashboard(DASHBOARD, "Art gallery", GALLERY)
    work, playlist, seconds = await _hang(home, display, player)
    await add_favorites(home)
    screen = await add_screen(home)
    if options.check:
        total = time.monotonic() - started
        print(
            f"OK: {NAME} shows “{work}” from “{playlist}”, {seconds:.1f} s after it was asked for"
            f" and {total:.0f} s after the start of the demonstration"
        )
        return
    print(
        f"\n  Home Assistant   {page}  (user demo, password demo)"
        f"\n  The display      {display.url}/"
        f"\n  A screen         {screen}  (in another window)"
        f"\n\n  On the wall: “{work}” from “{playlist}”. Ctrl-C ends it all.\n",
        flush=True,
    )
    await asyncio.Event().wait()


async def _main() -> int:
    """Run until done, interrupted or failed, and clean up."""
    options = _arguments()
    task = asyncio.current_task()
    assert task is not None
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, task.cancel)
    try:
        async with AsyncExitStack() as stack:
            await _run(options, stack)
    except HomeError as err:
        print(f"FAILED: {err}", flush=True)
        return 1
    except asyncio.CancelledError:
        with suppress(BaseException):
            task.uncancel()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
