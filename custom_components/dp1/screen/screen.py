"""One screen: its player, and the pages of browsers that show it."""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, Final

from aiohttp import web

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import ATTR_ENTITY_ID, Platform
from homeassistant.core import CALLBACK_TYPE, Context, HassJob, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError, TemplateError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.debounce import Debouncer
from homeassistant.helpers.event import (
    TrackTemplate,
    async_call_later,
    async_track_point_in_utc_time,
    async_track_template_result,
)
from homeassistant.helpers.template import Template
from homeassistant.util import dt as dt_util

from ..addresses import ADDRESSES
from ..client.errors import Dp1Error, RejectedError
from ..client.http import request_json
from ..client.playlist.document import MAX_DOCUMENT
from ..client.playlist.playlist import Playlist
from ..client.text import one_line
from ..client.values import text
from ..const import DOMAIN, LOGGER
from .page import Page
from .player import Json, Player, State
from .qr import qr_picture
from .sources import Source, source_of

CONF_TOUCH: Final = "touch"
CONF_QR: Final = "qr"
CONF_BACKDROP: Final = "backdrop"
CONF_MOTION: Final = "motion"
CONF_CORNER: Final = "corner"
CONF_CORNER_TEXT: Final = "corner_text"
FETCH_SECONDS: Final = 20.0
# A display fetches a playlist again by itself, in seconds.
REFRESH: Final = timedelta(minutes=5)
# A page that is loaded anew is no loss, in seconds.
GRACE: Final = 10.0
# Between two texts for the corner, in seconds, and the characters of one.
PACE: Final = 1.0
MAX_CORNER: Final = 80
RENDER_PENDING: Final = 0
# What a tap asks for, by the action that does it.
TAPS: Final = {"favorite": "add_favorite", "hide": "hide_work"}


class Screen:
    """A screen.

    Attributes:
        player: the player.
        pages: the browsers that show it.
        has_touch: whether a tap on it does something.
        has_qr: whether it shows the way to the page of the work.
        looks: what pictures stand before, whether they move, and in which corner a text is over the art, if anywhere.
        parts: which of two photos a tap is about, by the ids of the contexts of the actions that it calls.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        device_id: str,
        name: str,
        state: State,
        on_save: CALLBACK_TYPE,
        version: str,
    ) -> None:
        """Initialize without pages."""
        self.hass = hass
        self.device_id, self.name, self.version = device_id, name, version
        self.parts: dict[str, int] = {}
        self.has_touch, self.has_qr = True, False
        self.looks: Json = {"backdrop": None, "motion": None, "corner": None}
        self._template: Template | None = None
        # None for the time.
        self._corner_text: str | None = None
        self._writing = Debouncer(
            hass, LOGGER, cooldown=PACE, immediate=True, function=self._write
        )
        # The page of a work, and the id of its item.
        self._link: tuple[str | None, str | None] = None, None
        # When the last two were: no more do something in a second.
        self._taps = deque([-1.0, -1.0], maxlen=2)
        self.pages: set[Page] = set()
        self.player = Player(state, self._handle_change, on_save)
        self._watchers: set[CALLBACK_TYPE] = set()
        self._left_at: float | None = None
        self._timers: dict[str, CALLBACK_TYPE] = {}
        self._sources: dict[str, Source] = {}
        self._refreshed = dt_util.utcnow()

    # Pages

    async def async_serve(
        self,
        socket: web.WebSocketResponse,
        written: dict[str, str],
        *,
        is_secure: bool = False,
    ) -> None:
        """Serve a page until it is closed; what is written in addresses is kept by tokens, at which it is served."""
        page = Page(
            socket,
            written,
            self._page_state,
            self._handle_message,
            is_secure=is_secure,
        )
        self.pages.add(page)
        self._cancel("leave")
        self._follow_template()
        self.player.tick()
        try:
            await page.async_serve()
        finally:
            self._discard(page)

    def _page_state(self) -> Json:
        """Return what pages are told."""
        state = self.player.page()
        link, item_id = self._link
        is_of_work = item_id == (self.player.current or {}).get("id")
        qr = qr_picture(link) if self.has_qr and link and is_of_work else None
        state |= {"name": self.name, "touch": self.has_touch, "qr": qr}
        state |= self.looks | {"text": self._corner_text}
        sources = state.pop("source"), state["next"]
        self._sources = {
            source: self._sources.get(source) or source_of(self.hass, source)
            for source in sources
            if source
        }
        for name, source in zip(("show", "next"), sources, strict=True):
            state[name] = (self._sources[source], source) if source else None
        return state

    @callback
    def _handle_message(self, page: Page, message: Json) -> None:
        """Take over what a page tells: how the work loads, its end, and taps."""
        self._follow_pages()
        if page.work != self.player.work:
            return
        if "tap" in message:
            now = self.hass.loop.time()
            if now - self._taps[0] < 1:
                return
            self._taps.append(now)
        if message.get("ended") is True:
            self.player.handle_end()
        elif message.get("failed") is True or (
            self.has_touch and message.get("tap") == "next"
        ):
            self.player.step()
        elif self.has_touch and (tap := text(message.get("tap"), 20)) in TAPS:
            part = int(message.get("part") == 1)
            self.hass.async_create_task(self._async_do(page, tap, part), self.name)

    @callback
    def async_link(self, link: str | None, item_id: str | None) -> None:
        """Take over the page of the work of an item."""
        if self._link != (link, item_id):
            self._link = link, item_id
            for each in self.pages:
                each.changed()

    @callback
    def async_follow(self, entry: ConfigEntry[Any]) -> None:
        """Do what the owner has chosen; in the corner is what a template says, without one the time."""
        options, self.name = entry.options, entry.title
        self.has_touch = options.get(CONF_TOUCH, True) is True
        self.has_qr = options.get(CONF_QR) is True
        self.looks = {name: options.get(name) for name in self.looks}
        template = options.get(CONF_CORNER_TEXT)
        self._template = Template(template, self.hass) if template else None
        self._follow_template()

    @callback
    def _follow_template(self) -> None:
        """Follow the template as long as a page shows what it says."""
        self._cancel("template")
        self._writing.async_cancel()
        if self._template is not None and self.looks["corner"] and self.pages:
            tracker = async_track_template_result(
                self.hass,
                [TrackTemplate(self._template, None)],
                self._handle_template,
            )
            self._timers["template"] = tracker.async_remove
        self._write()

    @callback
    def _handle_template(self, *_: Any) -> None:
        """Write soon what the template says by now."""
        self._writing.async_schedule_call()

    @callback
    def _write(self) -> None:
        """Tell pages what the template says, which is a text whatever it looks like."""
        self._corner_text = None
        if self._template is not None and self.pages:
            said = ""
            with suppress(TemplateError):
                said = self._template.async_render(parse_result=False)
            self._corner_text = one_line(said, MAX_CORNER)
        for page in self.pages:
            page.changed()

    async def _async_do(self, page: Page, tap: str, part: int) -> None:
        """Do with the work on a page what a tap on it asks for, as its owner would, and tell it how that went."""
        work, context = page.work, Context()
        entity_id = er.async_get(self.hass).async_get_entity_id(
            Platform.MEDIA_PLAYER, DOMAIN, self.device_id
        )
        target = {ATTR_ENTITY_ID: entity_id}
        self.parts[context.id] = part
        try:
            await self.hass.services.async_call(
                DOMAIN, TAPS[tap], target, blocking=True, context=context
            )
        except HomeAssistantError as err:
            LOGGER.warning("A tap did nothing: %s", err)
            tap = "refused"
        finally:
            del self.parts[context.id]
        page.tapped = {"work": work, "part": part, "tap": tap}
        page.changed()

    @property
    def is_there(self) -> bool:
        """Return whether a page shows it, or is being loaded anew."""
        left_at = self._left_at
        return bool(self.pages) or (
            left_at is not None and self.hass.loop.time() < left_at + GRACE
        )

    @callback
    def _discard(self, page: Page) -> None:
        """Let a page go; without one, the screen is away in a moment."""
        self.pages.discard(page)
        self._follow_pages()
        if not self.pages:
            self._follow_template()
            self._left_at = self.hass.loop.time()
            self._cancel("tick")
            job = HassJob(lambda _: self._handle_change(), cancel_on_shutdown=True)
            self._timers["leave"] = async_call_later(self.hass, GRACE + 0.1, job)

    @callback
    def _follow_pages(self) -> None:
        """Take over how the work loads, of the page that somebody sees."""
        if self._read_pages():
            self._handle_change()

    def _read_pages(self) -> bool:
        """Read how the work loads, and return whether that is another way."""
        player = self.player
        seen = [page for page in self.pages if page.is_visible]
        loading = [page for page in seen if page.work == player.work]
        best = max(loading, key=lambda page: page.render == 2, default=None)
        render = best.render if best else RENDER_PENDING
        error = best.error if best else ""
        if self.pages and not seen:
            error = "hidden"
        is_upright = (
            any(page.is_upright for page in seen) if seen else player.is_upright
        )
        before = player.render_status, player.error, player.is_upright
        player.render_status, player.error = render, error
        player.is_upright = is_upright
        return before != (render, error, is_upright)

    @callback
    def _cancel(self, name: str) -> None:
        """Cancel a timer."""
        if cancel := self._timers.pop(name, None):
            cancel()

    async def async_end(self) -> None:
        """Send the pages away."""
        self._cancel("tick")
        self._cancel("leave")
        self._left_at = None
        await asyncio.gather(*(page.async_close() for page in list(self.pages)))
        self._cancel("leave")
        self._left_at = None

    # Changes

    @contextmanager
    def watched(self, watcher: CALLBACK_TYPE) -> Iterator[None]:
        """Call a function at each change, and when the screen is there no more."""
        self._watchers.add(watcher)
        try:
            yield
        finally:
            self._watchers.discard(watcher)

    @callback
    def _handle_change(self) -> None:
        """Tell pages and watchers, and wait for the next change."""
        # Also with another work, nobody sees it where all are hidden.
        self._read_pages()
        for page in self.pages:
            page.changed()
        for watcher in list(self._watchers):
            watcher()
        self._cancel("tick")
        times = [self.player.next_event]
        if self.player.state.url is not None:
            times.append((self._refreshed + REFRESH).timestamp())
        due = min((at for at in times if at is not None), default=None)
        if due is not None and self.pages:
            when = dt_util.utc_from_timestamp(due)
            job = HassJob(self.async_tick, cancel_on_shutdown=True)
            self._timers["tick"] = async_track_point_in_utc_time(self.hass, job, when)

    async def async_tick(self, _now: datetime) -> None:
        """Show the work that is due, and fetch the playlist again."""
        self._timers.pop("tick", None)
        self.player.tick()
        url = self.player.state.url
        if url is not None and dt_util.utcnow() >= self._refreshed + REFRESH:
            self._refreshed = dt_util.utcnow()
            with suppress(Dp1Error):
                await self._async_refresh(url)
            self.player.tick()

    # Playlists

    async def async_show(self, playlist: Playlist) -> None:
        """Show a document, or the playlist at an address."""
        url, document = playlist.url, dict(playlist.document)
        if url is not None:
            document = await self._async_fetch(url)
        self._refreshed = dt_util.utcnow()
        self.player.cast(document, url)

    async def _async_refresh(self, url: str) -> None:
        """Read the playlist at an address again, unless something else is shown by then."""
        before = self.player.state.playlist
        document = await self._async_fetch(url)
        if self.player.state.playlist is before:
            self.player.cast(document, url, is_refresh=True)

    async def _async_fetch(self, url: str) -> Json:
        """Fetch a playlist; at home only one that the owner has cast."""
        guard = self.hass.data[ADDRESSES].async_guard(url)
        try:
            answer = await request_json(
                guard, "GET", url, timeout=FETCH_SECONDS, max_body=MAX_DOCUMENT
            )
            document = await answer.json()
        except (Dp1Error, ValueError) as err:
            raise RejectedError("displayPlaylist", "no playlist there") from err
        if not answer.ok or not isinstance(document, dict):
            raise RejectedError("displayPlaylist", "no playlist there")
        return document

    def device(self) -> Json:
        """Return the status of the device."""
        state = self.player.state
        page = "sleep" if state.sleep.is_asleep() else "playlist"
        return {
            "screenRotation": self.player.orientation,
            "installedVersion": self.version,
            "volume": state.volume,
            "isMuted": state.muted,
            "displayURL": f"http://127.0.0.1:8080/{page}",
            "sleepSchedule": state.sleep.status(),
            "deviceName": self.name,
        }
