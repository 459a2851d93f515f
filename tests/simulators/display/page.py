"""The page that shows in a browser what the simulated display shows."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
import hashlib
from html import escape
import json
from pathlib import Path
from string import Template
from typing import Any

import aiohttp
from aiohttp import web

from .device import Device
from .history import artists_of
from .loading import FRAME, Loaded, load
from .player import Page, Player, RenderStatus
from .tasks import Tasks

type Json = dict[str, Any]

ROOT = "/simulator"
_HERE = Path(__file__).parent
_LOOK_SECONDS = 10


def default_playlist(base: str) -> Json:
    document: Json = json.loads((_HERE / "default_playlist.json").read_text("utf-8"))
    for item in document["items"]:
        item["source"] = f"{base}{item['source']}"
    return document


@dataclass(eq=False)
class Painter:
    """Tells the page what to show, and determines the type of each work."""

    _device: Device
    _player: Player
    _tasks: Tasks

    def __post_init__(self) -> None:
        self._changed = asyncio.Event()
        self._loaded: dict[str, Loaded] = {}
        self.session: aiohttp.ClientSession | None = None

    def change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def show(self) -> None:
        """Determine the type of the new work and whether it loads, then update the page."""
        item = self._player.current
        if item is not None:
            self._tasks.start(self._look(item, self._player.settings.showing_key))
        self.change()

    async def _look(self, item: Json, key: str) -> None:
        """Request the work."""
        await asyncio.sleep(self._player.load_seconds)
        source = str(item.get("source", ""))
        loaded = Loaded(FRAME, RenderStatus.FAILED, visible=False)
        player = self._player
        scaling = player.settings.effective(player.document or {}, item)["scaling"]
        mode = "crop" if scaling == "fill" else "fit"
        if self.session is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    loaded = await load(self.session, source, mode)
        self._loaded[source] = loaded
        if player.settings.showing_key == key and player.page is Page.PLAYLIST:
            player.render_status = loaded.status
        self.change()

    @property
    def sees(self) -> str:
        """Return as what the current work can be seen; empty if nothing of it can."""
        source = str((self._player.current or {}).get("source", ""))
        loaded = self._loaded.get(source)
        is_seen = self._player.page is Page.PLAYLIST and loaded and loaded.visible
        return loaded.kind if loaded and is_seen else ""

    def scene(self) -> Json:
        """Return everything that the page needs."""
        player, device = self._player, self._device
        item = player.current
        found: Json = {
            "device": device.name or device.device_id,
            "asleep": player.asleep,
            "page": player.page.name.lower(),
            "failed": player.render_status is RenderStatus.FAILED,
            "failure": player.failure if player.page is Page.ERROR else "",
            "orientation": device.orientation,
            "overlay": device.overlay,
            "work": None,
        }
        if item is None or player.document is None:
            return found
        source = str(item.get("source", ""))
        loaded = self._loaded.get(source)
        found |= {
            "playlist": player.document.get("title", ""),
            "playlistUrl": player.playlist_url,
            "index": player.position,
            "count": len(player.items),
            "shuffle": player.shuffle,
            "loop": player.loop_mode,
            "showing": player.settings.showing_key,
            "display": player.settings.effective(player.document, item),
            "work": {
                "id": item.get("id", ""),
                "title": item.get("title", ""),
                "source": source,
                "duration": item.get("duration"),
                "kind": loaded.kind if loaded else "",
                "label": label(item),
            },
        }
        return found

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve the page and its resources."""
        match request.path.removeprefix(ROOT).split("/"):
            case ["", ""]:
                page = await asyncio.to_thread((_HERE / "page.html").read_text, "utf-8")
                return web.Response(text=page, content_type="text/html")
            case ["", "events"]:
                return await self._events(request)
            case ["", "state"]:
                return web.json_response(self.scene())
            case ["", "works", title]:
                return web.Response(text=_work(title), content_type="text/html")
        raise web.HTTPNotFound

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """Stream changes to the page."""
        response = web.StreamResponse(headers={"Cache-Control": "no-store"})
        response.content_type = "text/event-stream"
        await response.prepare(request)
        with suppress(ConnectionError):
            while True:
                changed = self._changed
                text = json.dumps(self.scene())
                await response.write(f"data: {text}\n\n".encode())
                await changed.wait()
        return response


def label(item: Json) -> Json:
    """Return the title and the artists on the label: those of the manifest in the item, which nothing else stands for."""
    manifest = item.get("inlineManifest")
    metadata = manifest.get("metadata") if isinstance(manifest, dict) else None
    metadata = metadata if isinstance(metadata, dict) else {}
    title = metadata.get("title")
    return {
        "title": title if isinstance(title, str) else "",
        "artist": artists_of(metadata),
    }


def _work(title: str) -> str:
    """Return a small moving work, colored by its title."""
    hue = hashlib.sha256(title.encode()).digest()[0]
    page = Template((_HERE / "work.html").read_text("utf-8"))
    return page.substitute(title=escape(title), hue=hue)
