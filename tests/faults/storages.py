"""Faults of what is kept on disk: files that a crash, a downgrade or somebody's hand has spoiled, and disks that are full."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_test_home_assistant,
)

from custom_components.dp1.client.catalog import client as catalog_client
from custom_components.dp1.client.feed import connection as feed_connection
from homeassistant import loader
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.helpers import frame
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from ..displays import DEVICE_ID, ENTITY_ID, entry_of, set_up, until
from ..libraries import library_entry
from ..simulators.catalog.simulator import CatalogSimulator
from ..simulators.display import DisplaySimulator
from ..simulators.feed import FeedSimulator
from . import displays
from .libraries import EXHIBITION, TIDE
from .model import Fault, Home


@dataclass
class StorageHome(Home):
    """A Home Assistant with its files."""

    entry: MockConfigEntry | None = None
    library: MockConfigEntry | None = None
    feed: FeedSimulator | None = None
    catalog: CatalogSimulator | None = None

    @property
    def folder(self) -> Path:
        return Path(self.hass.config.path(".storage"))


@asynccontextmanager
async def home() -> AsyncIterator[StorageHome]:
    """Run a display and a library, and for each fault a Home Assistant of its own, which has loaded them."""
    display = DisplaySimulator(
        profile="B", device_id=DEVICE_ID, poll_interval=0.2, storm_gate=False
    )
    display.caster.preflight = False

    async def reset() -> None:
        """Start Home Assistant."""
        await stack.aclose()
        folder = stack.enter_context(TemporaryDirectory())
        hass = there.hass = await stack.enter_async_context(
            async_test_home_assistant(config_dir=folder)
        )
        stack.push_async_callback(hass.async_stop, force=True)
        hass.data.pop(loader.DATA_CUSTOM_COMPONENTS, None)
        frame.async_setup(hass)
        assert await async_setup_component(hass, "homeassistant", {})
        assert await async_setup_component(hass, "network", {})
        there.entry = entry_of(display)
        there.entry.add_to_hass(hass)
        stack.push_async_callback(
            hass.config_entries.async_unload, there.entry.entry_id
        )
        display.player.load(displays.DAY)
        there.feed, there.catalog = feed, catalog
        await load(there, feed, catalog)
        assert there.library is not None
        stack.push_async_callback(
            hass.config_entries.async_unload, there.library.entry_id
        )

    async with (
        display,
        FeedSimulator(random_seed=1) as feed,
        CatalogSimulator() as catalog,
        AsyncExitStack() as stack,
        async_test_home_assistant() as first,
    ):
        feed.seed([TIDE])
        stack.push_async_callback(first.async_stop, force=True)
        there = StorageHome(first, display, lambda: display.writes, reset)
        yield there
    dt_util.set_default_time_zone(UTC)


async def load(
    home: StorageHome, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """Set up the display and a library, and let each of them store something."""
    assert home.entry is not None
    daily = {"daily_url": f"{feed.url}/playlists/{next(iter(feed.documents))}"}
    servers = feed.url, catalog.url
    home.library = library_entry(*servers, title="Gallery", options=daily)
    await set_up(home.hass, home.entry)
    await set_up(home.hass, home.library)
    await home.cast(exhibition=EXHIBITION)
    await home.cast(playlist=displays.DAY)
    await home.until_shown("playing Dawn")
    await like(home)
    home.hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await home.hass.async_block_till_done()


async def like(home: StorageHome) -> str:
    """Make a work a favorite, by the list on the disk of which there are as many as before or one more."""
    assert home.library is not None
    library = home.library.runtime_data
    shows = (await library.async_children("exhibitions")).nodes
    node = next(show for show in shows if not library.favorites.has(show.id))
    media_id = f"media-source://dp1/{home.library.entry_id}/{node.id}"
    await home.call("dp1.add_favorite", media_content_id=media_id)
    path = home.folder / f"dp1.favorites.{home.library.entry_id}"
    kept = json.loads(path.read_text())["data"]["favorites"]
    assert [each["node"]["id"] for each in kept][-1] == node.id
    return f"{len(kept)} favorites"


# A running home


def locked(home: StorageHome) -> None:
    """Let nothing be replaced: a folder stands in the place of each file, as nothing keeps root from writing."""
    for path in home.folder.glob("dp1.*"):
        path.rename(path.with_name(f"kept.{path.name}"))
        path.mkdir()


def unlocked(home: StorageHome) -> None:
    """Put the files back."""
    for path in home.folder.glob("dp1.*"):
        path.rmdir()
        path.with_name(f"kept.{path.name}").rename(path)


async def likes_and_casts(home: StorageHome) -> str:
    """Cast, then make something a favorite."""
    assert await home.cast(playlist=displays.NIGHT) == "shows Night"
    await home.until_shown("playing Moon")
    return await like(home)


async def works(home: StorageHome) -> None:
    """Make something a favorite, and see it on the disk."""
    await likes_and_casts(home)


def hang(home: StorageHome) -> None:
    """Let both servers answer nothing any more."""
    assert home.feed and home.catalog
    home.feed.requests.clear()
    home.catalog.requests.clear()
    home.feed.fault(delay=600.0, times=None)
    home.catalog.inject("slow", seconds=600.0)


async def stop(home: StorageHome) -> str:
    """Stop Home Assistant while it reads and while somebody casts."""
    feed, catalog = home.feed, home.catalog
    assert home.library and feed and catalog
    patient = patch.multiple(catalog_client, TIMEOUT_SECONDS=60.0)
    with patient, patch.object(feed_connection, "READ_TIMEOUT", 60.0):
        for action, data in (
            ("refresh_library", {}),
            ("cast_playlist", {"entity_id": ENTITY_ID, "series": "Untold"}),
        ):
            call = home.hass.services.async_call("dp1", action, data, blocking=True)
            home.hass.async_create_background_task(call, action)
        await until(lambda: feed.requests and catalog.requests)
        for entry in (home.library, home.entry):
            assert entry is not None
            await home.hass.config_entries.async_unload(entry.entry_id)
        await home.hass.async_stop(force=True)
    return "stopped"


async def again(home: StorageHome) -> None:
    """Let the servers be well, and start again."""
    assert home.feed and home.catalog
    home.feed.faults.clear()
    home.catalog.heal()
    await home.reset()


FAULTS = (
    Fault(
        "storage: stops while feed and catalog hang",
        "^stopped$",
        hang,
        stop,
        again,
        works,
        sends=0,
    ),
    Fault(
        "storage: nothing can be written",
        "^not_saved",
        locked,
        likes_and_casts,
        unlocked,
        works,
        sends=1,
    ),
)
