"""How many modules of the integration somebody opens to follow one thing, from end to end.

A count may only fall. ``pytest -rP`` prints the modules.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path
import sys
from types import CodeType
from typing import Any
from uuid import uuid4

import aiohttp
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.dp1.library.entries import UPDATE_SECONDS
from custom_components.dp1.voice.sentences import LOCK
from homeassistant.components import conversation
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    intent,
)
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from .displays import ENTITY_ID, playlist, settle, until
from .galleries import SMALL, Gallery
from .sources import INTEGRATION
from .timing import FAST

from tests.timing import Timing

pytestmark = pytest.mark.usefixtures("socket_enabled", "impatience")

# Each provider of art that a library has is asked on each path.
LIMITS = {
    "cast by exhibition title": 55,
    "search by title": 38,
    "published playlist in the library": 46,
    "pushed frame to state": 24,
    "spoken show in a room": 66,
}

type Walk = Callable[[Gallery], Awaitable[None]]


@pytest.fixture
def timing() -> Timing:
    """Return delays which let nothing be read again while a path is walked."""
    return dict(FAST, follow_up=600.0, save_delay=600.0)


def forget() -> None:
    """Clear the caches of functions, which other tests of the process may have filled."""
    for name, module in list(sys.modules.items()):
        if name.startswith("custom_components.dp1"):
            for value in vars(module).values():
                if clear := getattr(value, "cache_clear", None):
                    clear()


@contextmanager
def entered() -> Iterator[set[str]]:
    """Collect the modules of the integration in which code starts to run."""
    found: set[str] = set()
    monitoring = sys.monitoring
    tool = next(number for number in range(6) if monitoring.get_tool(number) is None)

    def started(code: CodeType, offset: int) -> Any:
        """Remember a module of ours, and ask no more about this code."""
        path = Path(code.co_filename)
        if path.is_relative_to(INTEGRATION):
            found.add(str(path.relative_to(INTEGRATION)))
        return monitoring.DISABLE

    monitoring.use_tool_id(tool, "paths")
    monitoring.register_callback(tool, monitoring.events.PY_START, started)
    monitoring.restart_events()
    monitoring.set_events(tool, monitoring.events.PY_START)
    try:
        yield found
    finally:
        monitoring.set_events(tool, 0)
        monitoring.register_callback(tool, monitoring.events.PY_START, None)
        monitoring.free_tool_id(tool)


async def cast(gallery: Gallery) -> None:
    """Cast an exhibition by its title, until the action has answered."""
    await gallery.cast(exhibition=SMALL)


async def search(gallery: Gallery) -> None:
    """Search an exhibition by its title."""
    assert SMALL in [found.title for found in await gallery.search(SMALL)]


async def publish(gallery: Gallery) -> None:
    """Publish a playlist, settle, until it is a page of the library."""
    document = playlist("Fog", id=str(uuid4()), title="Nocturne")
    await gallery.call("publish_playlist", playlist=document)
    page = await gallery.browse(gallery.media_id("playlists"))
    assert "Nocturne" in [child.title for child in page.children]


async def push(gallery: Gallery) -> None:
    """Move on to the next work on the display itself, until the state says so."""
    before = gallery.attribute("media_title")
    assert before
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            f"{gallery.wall.url}/api/cast",
            json={
                "command": "moveToArtwork",
                "request": {"index": 1},
            },
        ) as answer,
    ):
        assert answer.status == 200
    await until(lambda: gallery.attribute("media_title") != before)


async def speak(gallery: Gallery) -> None:
    """Ask to show an exhibition in the bedroom, until the answer."""
    result = await conversation.async_converse(
        gallery.hass, f"show {SMALL} in the bedroom", None, Context(), language="en"
    )
    assert result.response.response_type is intent.IntentResponseType.ACTION_DONE, (
        result.response.as_dict()
    )


WALKS: dict[str, Walk] = {
    "cast by exhibition title": cast,
    "search by title": search,
    "published playlist in the library": publish,
    "pushed frame to state": push,
    "spoken show in a room": speak,
}


@asynccontextmanager
async def spoken_home(hass: HomeAssistant, folder: Path) -> AsyncIterator[Gallery]:
    """Set up a display in the bedroom, a library, and the sentences of Assist."""
    hass.config.config_dir = str(folder)
    (folder / "configuration.yaml").touch()
    for component in ("homeassistant", "conversation"):
        assert await async_setup_component(hass, component, {})
    async with Gallery.of(hass, options={"voice_sentences": True}) as gallery:
        area = ar.async_get(hass).async_create("Bedroom")
        entity = er.async_get(hass).async_get(ENTITY_ID)
        assert entity and entity.device_id
        dr.async_get(hass).async_update_device(entity.device_id, area_id=area.id)
        await until((folder / "custom_sentences").is_dir)
        # The lock is held until all languages are written, and read by Assist.
        async with hass.data.setdefault(LOCK, asyncio.Lock()):
            pass
        yield gallery


@pytest.mark.parametrize("name", WALKS)
async def test_path(hass: HomeAssistant, tmp_path: Path, name: str) -> None:
    """No more modules are entered than that."""
    async with spoken_home(hass, tmp_path) as gallery:
        await gallery.cast(playlist=playlist("Tide", "Dune"))
        await until(lambda: gallery.attribute("media_title") == "Tide")
        # What is older than the first playlists is read in the background.
        library = gallery.library
        await until(lambda: library.since is not None and not library.is_reading)
        # Displays are told of what was read a moment later.
        async_fire_time_changed(
            hass, dt_util.utcnow() + timedelta(seconds=UPDATE_SECONDS)
        )
        await hass.async_block_till_done()
        forget()
        with entered() as modules:
            await WALKS[name](gallery)
            await settle(gallery.wall)
            await hass.async_block_till_done()
    sys.stdout.write("\n  ".join([f"{name}: {len(modules)}", *sorted(modules)]))
    assert len(modules) <= LIMITS[name], sorted(modules)
