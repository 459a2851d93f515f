"""Count the modules of the integration that somebody opens to follow one thing, from end to end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from io import BytesIO
from pathlib import Path
import sys
from types import CodeType
from typing import Any
from uuid import uuid4

import aiohttp
from PIL import Image

from custom_components.dp1.library import libraries
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

from tests.displays import ENTITY_ID, playlist, settle, until
from tests.galleries import SMALL, Gallery
from tests.sources import INTEGRATION
from tests.timing import FAST, set_timing

type Walk = Callable[[Gallery], Awaitable[None]]


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


@contextmanager
def untold(hass: HomeAssistant) -> Iterator[None]:
    """Tell displays of a change of a library only afterwards: on a slow machine it would be within a walk."""
    before, libraries.UPDATE_SECONDS = libraries.UPDATE_SECONDS, 600.0
    yield
    libraries.UPDATE_SECONDS = before
    if cancel := hass.data.pop(libraries.TELLING, None):
        cancel()
        libraries.async_tell_changed(hass)


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


async def upload(gallery: Gallery) -> None:
    """Play a picture that was uploaded, until the display shows it."""
    picture = BytesIO()
    Image.new("RGB", (32, 18), "#c52").save(picture, "png")
    folder = Path(gallery.hass.config.path("media"))
    file = folder / "sunset.png"

    def write() -> None:
        """Put the picture where uploads are."""
        folder.mkdir(exist_ok=True)
        file.write_bytes(picture.getvalue())

    await gallery.hass.async_add_executor_job(write)
    media_id = "media-source://media_source/local/sunset.png"
    await gallery.cast(media_content_id=media_id)
    await until(lambda: gallery.attribute("media_title") == "sunset")


WALKS: dict[str, Walk] = {
    "cast by exhibition title": cast,
    "search by title": search,
    "published playlist in the library": publish,
    "pushed frame to state": push,
    "spoken show in a room": speak,
    "uploaded picture": upload,
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


async def measure(hass: HomeAssistant) -> list[tuple[str, float, str]]:
    """Walk each route once, and return the number of modules on it."""
    rows = []
    # Nothing is read again while a route is walked.
    set_timing(**{**FAST, "follow_up": 600.0, "save_delay": 600.0})
    async with spoken_home(hass, Path(hass.config.config_dir)) as gallery:
        for name, walk in WALKS.items():
            await gallery.cast(playlist=playlist("Tide", "Dune"))
            await until(lambda: gallery.attribute("media_title") == "Tide")
            # What is older than the first playlists is read in the background.
            await until(
                lambda: gallery.library.since and not gallery.library.is_reading
            )
            await settle(gallery.wall)
            forget()
            with entered() as modules, untold(hass):
                await walk(gallery)
                await settle(gallery.wall)
                await hass.async_block_till_done()
            rows.append((f"route: {name}", float(len(modules)), "modules"))
        await gallery.hass.config_entries.async_unload(gallery.entry.entry_id)
    return rows
