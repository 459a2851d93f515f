"""A screen as a display: the interface of one, in process."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Container
from typing import Any, override

from homeassistant.helpers.aiohttp_client import async_get_clientsession

from ..client.display.client import HEARTBEAT, Dialect, Display, Start
from ..client.display.device_status import WEEK, DeviceStatus, Identity, SleepSchedule
from ..client.display.notifications import Connected, Event
from ..client.display.player_status import PlayerStatus
from ..client.display.transport import RateLimit, Transport
from ..client.errors import LostAnswerError, RejectedError, UnreachableError
from ..client.http import Answer
from ..client.playlist.playlist import Playlist
from .player import Player
from .screen import Screen


class Nowhere(Transport):
    """A way to no device: whatever only one has is refused."""

    @override
    async def _request(self, name: str, *args: Any, **options: Any) -> Answer:
        raise RejectedError(name)


class ScreenDisplay(Display):
    """The display that a screen is."""

    def __init__(self, screen: Screen, url: str) -> None:
        """Initialize with a screen, and the address of the page that shows it."""
        session = async_get_clientsession(screen.hass)
        super().__init__(
            session, "127.0.0.1", dialect=Dialect.FF, dialect_is_fixed=True
        )
        self._transport = Nowhere(session, "127.0.0.1", 0, RateLimit())
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

    @property
    def _player(self) -> Player:
        """Return the player, for which there has to be a page."""
        self._require_page()
        return self._screen.player

    # State

    @override
    async def identify(self) -> Identity:
        self._require_page()
        screen = self._screen
        return Identity(device_id=screen.device_id, version=screen.version)

    @override
    async def player_status(self) -> PlayerStatus:
        self._status = PlayerStatus.parse(self._player.status(), self._status)
        return self._status

    @override
    async def device_status(self) -> DeviceStatus:
        self._require_page()
        return DeviceStatus.parse(self._screen.device())

    @override
    async def metrics(self) -> None:
        return None

    @override
    async def screenshot(self, side: int) -> None:
        return None

    @override
    async def probe(self) -> None:
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
        self._player.show(index)

    @override
    async def set_shuffle(self, enabled: bool) -> None:
        self._player.set_shuffle(enabled)

    @override
    async def set_loop(self, mode: str) -> None:
        self._player.state.loop = mode
        self._player.changed()

    @override
    async def set_default_duration(self, seconds: float | None) -> None:
        self._player.set_duration(seconds)

    @override
    async def update_settings(self, **settings: Any) -> None:
        self._player.state.settings |= settings
        self._player.changed()

    @override
    async def refresh(self) -> None:
        self._player.show(self._player.state.index)

    @override
    async def clear(self) -> None:
        self._player.clear()

    # Sleep

    @override
    async def sleep(self) -> None:
        self._player.state.sleep.set_override(True)
        self._player.changed()

    @override
    async def wake(self) -> None:
        self._player.state.sleep.set_override(False)
        self._player.changed()

    @override
    async def set_sleep_schedule(
        self,
        enabled: bool,
        *,
        sleep_time: str | None = None,
        wake_time: str | None = None,
        days: Container[str] | None = None,
    ) -> SleepSchedule:
        sleep = self._player.state.sleep
        some = None if days is None else [day for day in WEEK if day in days]
        sleep.set_schedule(enabled, sleep_time, wake_time, some)
        self._player.changed()
        return SleepSchedule.parse(sleep.status())

    # Sound and picture

    @override
    async def set_volume(self, percent: int) -> None:
        self._player.state.volume = percent
        self._player.changed()

    @override
    async def toggle_mute(self) -> None:
        state = self._player.state
        state.muted = not state.muted
        self._player.changed()

    @override
    async def rotate(self, clockwise: bool, turns: int = 1) -> str:
        return self._player.rotate(-turns if clockwise else turns)

    # Casts

    @override
    async def cast(self, playlist: Playlist, start: Start | None = None) -> Playlist:
        self._require_page()
        await self._screen.async_show(playlist)
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
        try:
            self._player.cast(dict(playlist.document), is_refresh=True)
        except RejectedError:
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
