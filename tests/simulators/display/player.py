"""The player: the page in the browser, and the commands that it handles."""

import asyncio
from collections.abc import Callable
from copy import deepcopy
from datetime import date
from enum import IntEnum, StrEnum
import random
from typing import Any

from .clock import Clock
from .errors import CommandError, NoResultError
from .firmware import FIRST_PLAYER, Firmware
from .settings import Settings
from .sources import is_supported
from .tasks import Tasks

type Json = dict[str, Any]

FOREVER = 999999999
_OK: Json = {"ok": True}
_NO: Json = {"ok": False}
_SOURCES_CHECKED = date(2026, 7, 30)
_DURATION_SET = date(2026, 7, 20)


class Page(StrEnum):
    """The pages of the display's browser."""

    PLAYLIST = "http://127.0.0.1:8080/playlist"
    SLEEP = "http://127.0.0.1:8080/sleep"
    ERROR = "http://127.0.0.1:8080/error"
    SETUP = "file:///opt/launcher/index.html"
    BLANK = "about:blank"

    @property
    def is_player(self) -> bool:
        return self.value.startswith("http://127.0.0.1:8080/")


class RenderStatus(IntEnum):
    """Loading state of a work."""

    PENDING = 0
    LOADING = 1
    READY = 2
    FAILED = 3


class Player:
    """The player.

    Attributes:
        failure: the reason on the error page: ``service_failed`` or ``overheating``.
        dead: why the page does not answer; empty if it does.
        overheating: whether the player has stopped because of heat.
        load_seconds: how long a work takes to load, in addition to the answer of its host.
        takes_refresh: whether ``refresh`` replaces the playlist without reloading the current work; otherwise it is ignored.
        document: the playlist as it was received; None if nothing is loaded.
        playlist_url: the URL it was fetched from.
        items: the works in playing order.
        index: the position as it was set, may be beyond the end.
        on_show: called when a work is shown.
        on_change: called when anything else changes.
    """

    def __init__(
        self,
        firmware: Firmware,
        clock: Clock,
        tasks: Tasks,
        default_playlist: Callable[[], Json],
        page_delay: float,
    ) -> None:
        """Initialize with an empty page."""
        self._firmware = firmware
        self._clock = clock
        self._tasks = tasks
        self._default_playlist = default_playlist
        self._page_delay = page_delay
        self._random = random.Random(0)
        self._slot: asyncio.Task[None] | None = None
        self._original: list[Json] = []
        self._held = False
        self.page = Page.PLAYLIST
        self.failure = "service_failed"
        self.dead = ""
        self.overheating = False
        self.load_seconds = 0.0
        self.takes_refresh = True
        self.document: Json | None = None
        self.playlist_url: str | None = None
        self.items: list[Json] = []
        self.index = 0
        self.loop_mode = "playlist"
        self.shuffle = False
        self.settings = Settings(firmware)
        self.render_status: RenderStatus | None = None
        self.signature_status: str | None = None
        self.orientation: Callable[[], str] = lambda: "landscape"
        self.on_show: Callable[[], None] = lambda: None
        self.on_change: Callable[[], None] = lambda: None
        self._commands: dict[str, tuple[date, Callable[[Json], Json]]] = {
            "checkStatus": (FIRST_PLAYER, lambda _: self.status()),
            "moveToArtwork": (FIRST_PLAYER, self._move),
            "updateArtFraming": (FIRST_PLAYER, self.settings.frame),
            "updateDisplaySettings": (FIRST_PLAYER, self.settings.update),
            "disconnect": (FIRST_PLAYER, self._disconnect),
            "setSleepMode": (FIRST_PLAYER, self._set_sleep_mode),
            "setShuffle": (date(2026, 3, 11), self._set_shuffle),
            "setLoop": (date(2026, 3, 11), self._set_loop),
            "displayDefaultPlaylist": (date(2026, 3, 13), self._display_default),
            "refreshArtwork": (date(2026, 4, 21), self._refresh_artwork),
            "updateDefaultDuration": (_DURATION_SET, self._set_default_duration),
        }

    @property
    def asleep(self) -> bool:
        """Return whether the page is dark."""
        return self.page is Page.SLEEP

    @property
    def position(self) -> int:
        """Return the position of the current work in playing order, from 0."""
        return self.index % len(self.items) if self.items else 0

    @property
    def current(self) -> Json | None:
        """Return the current work, visible or not."""
        return self.items[self.position] if self.items else None

    @property
    def url(self) -> str:
        return self.page + (f"?error={self.failure}" * (self.page is Page.ERROR))

    def require_page(self) -> None:
        """Raise the error of a page that cannot answer."""
        if self.dead or self.page is Page.BLANK:
            raise CommandError(self.dead or "handleCDPRequest is not defined")
        if not self.page.is_player:
            raise NoResultError

    def handle(self, command: str, request: Json | None) -> Json:
        """Carry out a command of the page; unknown ones are answered with an error."""
        self.require_page()
        since, method = self._commands.get(command, (date.max, None))
        if method is None or self._firmware.player < since:
            return dict(_NO)
        reply = dict(method(request or {}))
        if command != "checkStatus":
            self.on_change()
        return reply

    def display(self, document: Json, arguments: Json) -> Json:
        """Show or refresh a playlist, as the intent says."""
        self.require_page()
        url = arguments.get("playlistUrl")
        if arguments.get("refresh") is True and self.takes_refresh:
            self.update(document)
            return dict(_OK)
        intent = arguments.get("intent")
        if not isinstance(intent, dict) or intent.get("action") != "now_display":
            return dict(_NO)
        return self._accept(document, url)

    def _accept(self, document: Json, url: str | None) -> Json:
        """Show a playlist now, unless one of its works is not supported."""
        items = document.get("items")
        if not items:
            return dict(_NO)
        if self._firmware.player >= _SOURCES_CHECKED and not all(
            is_supported(item.get("source")) for item in items
        ):
            return dict(_NO)
        self.load(document, url)
        return dict(_OK)

    def load(self, document: Json, url: str | None = None) -> None:
        """Load a playlist from its beginning, without changing the page."""
        self.overheating = False
        self._take(document, url, self._timed(document["items"]))
        self._show()

    def _take(self, document: Json | None, url: str | None, items: list[Json]) -> None:
        """Begin with a playlist, or without one."""
        self.document = document
        self.playlist_url = url
        self._original = items
        self.items = list(items)
        self.index = 0
        self.loop_mode = "playlist"
        self.shuffle = False
        self.signature_status = None

    @staticmethod
    def _timed(items: list[Json]) -> list[Json]:
        return [
            deepcopy(item) if item.get("duration") else {**item, "duration": FOREVER}
            for item in items
        ]

    def update(self, document: Json) -> None:
        """Load a newer version of the playlist; the current work stays if it is still in there."""
        items = self._timed(document.get("items") or [])
        if not items or not self.items:
            return
        current = self.current
        self.document = document
        self._original = items
        # As sent, also in shuffle, which goes on being reported.
        self.items = list(items)
        place = self._place_of(current)
        if place is None:
            self.index %= len(items)
            self._show()
        else:
            self.index = place
            self.on_change()

    def _place_of(self, wanted: Json | None) -> int | None:
        """Return the position of the work with the same id."""
        identifier = wanted.get("id") if wanted else None
        for place, item in enumerate(self.items):
            if identifier and item.get("id") == identifier:
                return place
        return None

    def _show(self) -> None:
        """Show the current work."""
        self.settings.begin_showing()
        self._held = False
        seen = self.page is Page.PLAYLIST
        self.render_status = RenderStatus.LOADING if seen else None
        if self.page is Page.ERROR:
            self.render_status = RenderStatus.PENDING
        self._arm()
        self.on_show()

    def _arm(self) -> None:
        """Start the timer of the current work."""
        self._disarm()
        duration = self._duration()
        if self.page is Page.PLAYLIST and duration is not None:
            self._slot = self._tasks.start(self._advance_after(duration))

    def _disarm(self) -> None:
        """Stop the timer of the current work."""
        if self._slot is not None and self._slot is not asyncio.current_task():
            self._slot.cancel()
        self._slot = None

    def _duration(self) -> float | None:
        """Return the duration of the current work in seconds; None if it is unlimited."""
        item = self.current
        if item is None or self.document is None:
            return None
        defaults = (self.document.get("defaults") or {}).get("display") or {}
        merged = defaults | (item.get("display") or {})
        chosen = self.settings.default_duration
        bound = merged.get("userOverrides") is False or merged.get("loop") is False
        duration = item["duration"] if chosen is None or bound else chosen
        return None if duration >= FOREVER else duration

    async def _advance_after(self, duration: float) -> None:
        """Show the next work when the duration of this one is over."""
        await self._clock.sleep(duration)
        last = self.position == len(self.items) - 1
        if self.loop_mode == "none" and last:
            self._held = True
            self._slot = None
            return
        if self.loop_mode != "one":
            self.index = (self.position + 1) % len(self.items)
        self._show()

    def _move(self, request: Json) -> Json:
        """Move to a position; the number is kept as it was sent."""
        index = request.get("index")
        if type(index) is not int or index < 0:
            return _NO
        if self.items:
            self.index = index
            self._show()
        return _OK

    def _set_shuffle(self, request: Json) -> Json:
        """Shuffle the works after the current one, or restore their order."""
        current = self.current
        if current is None:
            return _NO
        if request.get("enabled"):
            rest = [item for item in self.items if item is not current]
            self._random.shuffle(rest)
            self.items = [current, *rest]
            self.index = 0
        else:
            self.items = list(self._original)
            self.index = self._place_of(current) or 0
        self.shuffle = bool(request.get("enabled"))
        return _OK

    def _set_loop(self, request: Json) -> Json:
        """Set the loop mode."""
        mode = request.get("mode")
        self.loop_mode = mode if mode in ("none", "one") else "playlist"
        if self._held:
            self._held = False
            self._arm()
        return _OK

    def _set_default_duration(self, request: Json) -> Json:
        """Set the default duration of works."""
        seconds = request.get("durationSeconds")
        if seconds is not None and not (type(seconds) in (int, float) and seconds > 0):
            return _NO
        self.settings.default_duration = seconds
        self._arm()
        return _OK

    def _refresh_artwork(self, _: Json) -> Json:
        """Reload the current work."""
        if self.current is None:
            return {"ok": False, "error": "no artwork is loaded", "code": "no_artwork"}
        self.render_status = RenderStatus.LOADING
        self.on_show()
        return _OK

    def _display_default(self, _: Json) -> Json:
        """Show the default playlist, after the reply."""
        self._tasks.start(self._show_default())
        return _OK

    async def _show_default(self) -> None:
        await self._clock.sleep(self._page_delay)
        if self.page is not Page.ERROR:
            self.page = Page.PLAYLIST
        self.load(self._default_playlist())

    def _disconnect(self, _: Json) -> Json:
        """Clear the playlist."""
        self._disarm()
        self._take(None, None, [])
        self.render_status = None
        return _OK

    def _set_sleep_mode(self, request: Json) -> Json:
        """Sleep or wake, after the reply."""
        self.turn_page(asleep=bool(request.get("sleepMode")))
        return _OK

    def turn_page(self, *, asleep: bool) -> None:
        """Sleep or wake in a moment; raises the error of a page that cannot answer."""
        self.require_page()
        self._tasks.start(self._turn_page(asleep))

    async def _turn_page(self, asleep: bool) -> None:
        """Switch between the dark page and the player, which also leaves the error page."""
        await self._clock.sleep(self._page_delay)
        page = Page.SLEEP if asleep else Page.PLAYLIST
        if not self.page.is_player or self.page is page:
            return
        self.page = page
        if asleep:
            self._disarm()
            self.render_status = None
            self.on_change()
        elif self.items:
            self._show()
        else:
            self.load(self._default_playlist())

    def start(self, *, asleep: bool) -> None:
        """Start with the saved playlist, else with the default."""
        self.page = Page.SLEEP if asleep else Page.PLAYLIST
        self.dead = ""
        self.overheating = False
        if self.items:
            self._show()
        else:
            self.load(self._default_playlist())

    def halt(self) -> None:
        """Stop all timers."""
        self._disarm()

    def status(self) -> Json:
        """Return what ``checkStatus`` answers."""
        if self.overheating:
            return {"ok": False, "error": "overheating"}
        found: Json = {"ok": True}
        if self.document is not None:
            found["castCommand"] = "displayPlaylist"
            found["playlist"] = self.document
            if self.playlist_url is not None:
                found["playlistUrl"] = self.playlist_url
            found["items"] = self.items
            found["index"] = self.index
        if self.render_status is not None:
            found["renderStatus"] = int(self.render_status)
        found["stamp"] = ""
        found["deviceSettings"] = self.settings.report(
            self.orientation(), self.document or {}, self.current or {}
        )
        found["isPaused"] = self.asleep
        found["sleepMode"] = self.asleep
        found["loopMode"] = self.loop_mode
        found["shuffle"] = self.shuffle
        if self.signature_status is not None:
            found["signatureStatus"] = self.signature_status
        return found
