"""A screen as a display: the interface of one, in process."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Container
from typing import Any, Final, override

from ..client.display.device_status import (
    WEEK,
    DeviceStatus,
    Identity,
    PlaybackCounters,
    SleepSchedule,
)
from ..client.display.interface import HEARTBEAT, DisplayApi, Start
from ..client.display.notifications import Connected, Event
from ..client.display.player_status import PlayerStatus
from ..client.errors import LostAnswerError, RejectedError, UnreachableError
from ..client.playlist.playlist import Playlist
from ..client.values import mapping, text
from .player import CommandError, Json
from .screen import Screen

# Seconds for a page to come, until a screen is told to be away once more.
PATIENCE: Final = 4.0


class ScreenDisplay(DisplayApi):
    """The display that a screen is."""

    def __init__(self, screen: Screen, url: str) -> None:
        """Initialize with a screen, and the address of the page that shows it."""
        self._screen, self._url = screen, url
        self._status: PlayerStatus | None = None

    @property
    @override
    def url(self) -> str:
        return self._url

    @property
    @override
    def is_secure(self) -> bool:
        return any(page.is_secure for page in self._screen.pages)

    def _require_page(self) -> None:
        """Raise if no page shows it."""
        if not self._screen.is_there:
            raise UnreachableError("no page", key="no_page")

    def _send(self, command: str, **request: Any) -> Json:
        """Carry out a command, and return its answer."""
        self._require_page()
        try:
            answer = self._screen.player.handle(command, request)
        except CommandError as err:
            raise RejectedError(command, str(err)) from err
        return _accepted(command, answer)

    # State

    @override
    async def identify(self) -> Identity:
        self._require_page()
        screen = self._screen
        return Identity(device_id=screen.device_id, version=screen.version)

    @override
    async def player_status(self) -> PlayerStatus:
        self._require_page()
        self._status = PlayerStatus.parse(self._screen.player.status(), self._status)
        return self._status

    @override
    async def device_status(self) -> DeviceStatus:
        self._require_page()
        return DeviceStatus.parse(self._screen.device())

    @override
    async def counters(self) -> PlaybackCounters:
        player = self._screen.player
        return PlaybackCounters(None, player.plays, player.refusals, None)

    @override
    async def probe(self) -> None:
        if not await self._screen.async_wait_for_page(PATIENCE):
            self._require_page()

    @override
    async def listen(self, heartbeat: float = HEARTBEAT) -> AsyncGenerator[Event]:
        await self.probe()
        changed = asyncio.Event()
        changed.set()
        with self._screen.watched(changed.set):
            yield Connected()
            while True:
                await changed.wait()
                changed.clear()
                if not self._screen.is_there:
                    raise LostAnswerError("no page", key="no_page")
                yield await self.player_status()
                yield await self.device_status()

    # Playback

    @override
    async def show_item(self, index: int) -> None:
        self._send("moveToArtwork", index=index)

    @override
    async def set_shuffle(self, enabled: bool) -> None:
        self._send("setShuffle", enabled=enabled)

    @override
    async def set_loop(self, mode: str) -> None:
        self._send("setLoop", mode=mode)

    @override
    async def set_default_duration(self, seconds: float | None) -> None:
        self._send("updateDefaultDuration", durationSeconds=seconds)

    @override
    async def update_settings(self, **settings: Any) -> None:
        self._send("updateDisplaySettings", isSaved=True, **settings)

    @override
    async def refresh(self) -> None:
        self._send("refreshArtwork")

    @override
    async def clear(self) -> None:
        self._send("disconnect")

    # Sleep

    @override
    async def sleep(self) -> None:
        self._send("sleepNow")

    @override
    async def wake(self) -> None:
        self._send("wakeNow")

    @override
    async def set_sleep_schedule(
        self,
        enabled: bool,
        *,
        sleep_time: str | None = None,
        wake_time: str | None = None,
        days: Container[str] | None = None,
    ) -> SleepSchedule:
        request = {
            "enabled": enabled,
            "sleepTime": sleep_time,
            "wakeTime": wake_time,
            "days": None if days is None else [day for day in WEEK if day in days],
        }
        given = {key: value for key, value in request.items() if value is not None}
        leaf = self._send("setSleepSchedule", **given)
        return SleepSchedule.parse(leaf.get("sleepSchedule"))

    # Sound and picture

    @override
    async def set_volume(self, percent: int) -> None:
        self._send("setVolume", percent=percent)

    @override
    async def toggle_mute(self) -> None:
        self._send("toggleMute")

    @override
    async def rotate(self, clockwise: bool, turns: int = 1) -> str | None:
        orientation = None
        for _ in range(turns):
            answer = self._send("rotate", clockwise=clockwise)
            orientation = text(answer.get("orientation"))
        return orientation

    # Casts

    @override
    async def cast(self, playlist: Playlist, start: Start | None = None) -> Playlist:
        self._require_page()
        request: Json = {"intent": {"action": "now_display"}}
        if playlist.url is not None:
            request["playlistUrl"] = playlist.url
        else:
            request["dp1_call"] = dict(playlist.document)
        try:
            answer = await self._screen.async_show(request)
        except CommandError as err:
            raise RejectedError("displayPlaylist", str(err)) from err
        _accepted("displayPlaylist", answer)
        if start is not None:
            index = start.find((await self.player_status()).items)
            if index is not None:
                await self.show_item(index)
            if start.shuffle is not None:
                await self.set_shuffle(start.shuffle)
            if start.loop is not None:
                await self.set_loop(start.loop)
        return playlist

    @override
    async def extend(self, playlist: Playlist) -> bool:
        before = await self.player_status()
        if before.current is None or before.playlist_url is not None:
            return False
        document = dict(playlist.document)
        try:
            answer = self._screen.player.cast(document, None, {"refresh": True})
        except CommandError:
            return False
        if answer.get("ok") is not True:
            return False
        if before.shuffle:
            await self.set_shuffle(True)
        after = await self.player_status()
        sources = [item.get("source") for item in playlist.items]
        return (
            after.current is not None
            and after.current.source == before.current.source
            and Counter(item.source for item in after.items) == Counter(sources)
        )


def _accepted(command: str, answer: Json | None) -> Json:
    """Return the innermost answer to a command, or raise RejectedError."""
    leaf = mapping(mapping(answer).get("message", answer))
    if answer is None or leaf.get("ok") is False:
        raise RejectedError(command, text(leaf.get("code")) or "")
    return dict(leaf)
