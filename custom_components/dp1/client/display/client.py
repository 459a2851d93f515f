"""A display on the local network: commands over HTTP, notifications over a WebSocket.

The protocol is that of published Feral File firmware 0.9 to 2.0.7. A display that follows only the interface description
of October 2025 knows ``displayPlaylist`` and nothing else.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import aiohttp

from ..errors import (
    NO_PLAYER,
    BusyError,
    Dp1Error,
    LostAnswerError,
    RejectedError,
    UnexpectedAnswerError,
    UnreachableError,
)
from ..hosts import same_work
from ..http import Answer
from ..playlist.playlist import Playlist
from ..values import decode, mapping, text, whole, yes
from .device_status import (
    WEEK,
    ContentPolicy,
    DeviceStatus,
    Identity,
    Metrics,
    OfflineCache,
    PanelStatus,
    SleepSchedule,
)
from .notifications import Event, listen
from .player_status import PlayerStatus, PlaylistItem
from .transport import ATTEMPTS, RateLimit, Transport, accepted, parse_reply, refusal

# Seconds of silence before a display is asked whether it is still there.
HEARTBEAT = 30.0


class Dialect(StrEnum):
    """Interface description that a display follows."""

    UNKNOWN = "unknown"
    FF = "ff"
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True)
class Start:
    """Where and how a cast starts. By default a display starts with the first work, in order, and loops.

    Attributes:
        work_id: id of the first work.
        source: URL of the first work, if it has no id.
        index: index of the first work, counted from 0, if it has neither or is listed twice.
        shuffle: play in random order.
        loop: loop mode: "none", "playlist" or "one".
    """

    work_id: str | None = None
    source: str | None = None
    index: int | None = None
    shuffle: bool | None = None
    loop: str | None = None

    def find(self, items: Sequence[PlaylistItem]) -> int | None:
        """Return the index of the first work, counted from 0; None for wherever the display starts."""
        source = same_work(self.source or "")
        for is_it in (
            lambda item: self.work_id is not None and item.id == self.work_id,
            lambda item: bool(source) and same_work(item.source or "") == source,
        ):
            if indexes := [at for at, item in enumerate(items) if is_it(item)]:
                return self.index if self.index in indexes else indexes[0]
        return self.index


def _argument(playlist: Playlist, dialect: Dialect) -> Mapping[str, Any]:
    """Return the playlist argument of ``displayPlaylist``; never a URL and a document at once.

    Feral File firmware reads ``dp1_call`` and ignores ``playlist``; the 2025 description has only ``playlist``. A display
    of unknown dialect gets both.
    """
    # Without it, a display takes the works for those of others.
    context = {"contentContext": "personal"} if playlist.is_personal else {}
    if playlist.url is not None:
        return {"playlistUrl": playlist.url, **context}
    names = {Dialect.FF: ["dp1_call"], Dialect.LEGACY: ["playlist"]}
    keys = names.get(dialect, ["dp1_call", "playlist"])
    return dict.fromkeys(keys, playlist.document) | context


DEFAULT_PORT = 1111

_PROBE_TIMEOUT = 5.0
_SCREENSHOT_TIMEOUT = 15.0
# Seconds that a cast has for its answer until a display is asked whether it is there, and then again.
_CAST_PATIENCE = 5.0
# Seconds that a rotation waits for the rate limit, as a third one within six; whoever looks at the screen turns it again
# otherwise.
_ROTATION_PATIENCE = 7.0
_MAX_SCREENSHOT = 32 * 1024 * 1024
_NOT_OFFERED = (404, 405, 501)
_PNG = b"\x89PNG\r\n\x1a\n"
# Sleep and wake replace each other in the queue.
_SLEEP_SLOT = "sleep"
_LEFT = {"button": "left"}


class Display:
    """A display.

    Writes that belong together (to the player, to the panel, to what is heard, to sleep, input) are a queue each, and all
    others one of their own: in each they are sent one at a time, in the order of the calls, and a setting or a cast that
    still waits when a newer one comes is not sent. Reads do not wait for writes. Everything waits for the rate limit, and
    a busy display is asked up to three times. Apart from that nothing is sent twice.

    Attributes:
        dialect: which interface description the display follows, unknown until it has answered.
        dialect_is_fixed: whether what the display answers never changes that.

    Raises:
        UnreachableError: no contact.
        LostAnswerError: the command was sent and may or may not have taken effect.
        BusyError: too many commands, even after waiting; nothing was done.
        NotReadyError: the display shows a set-up screen; nothing was done.
        RejectedError: the display refused or failed to carry out the command (400, 413, 500 or ``ok: false``); nothing
            was done if its player is not running (``NO_PLAYER``).
        TemporaryError: a problem on the way to the display (5xx other than 500).
        UnexpectedAnswerError: the answer does not follow the protocol.
        WantsPairingError: the display wants to be paired, or speaks a newer protocol.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        host: str,
        port: int = DEFAULT_PORT,
        *,
        dialect: Dialect = Dialect.UNKNOWN,
        dialect_is_fixed: bool = False,
        rate_limit: RateLimit | None = None,
    ) -> None:
        """Initialize the display without contacting it.

        Args:
            session: used, never closed.
            host: IP address, preferred, or name; IPv6 without brackets.
            port: TCP port.
            dialect: as of an earlier answer.
            dialect_is_fixed: never change the dialect by what the display answers.
            rate_limit: limits the commands; by default to our share of what the display admits.
        """
        self._transport = Transport(session, host, port, rate_limit or RateLimit())
        self.dialect = dialect
        self.dialect_is_fixed = dialect_is_fixed

    @property
    def url(self) -> str:
        """Return the base URL without a trailing slash."""
        return str(self._transport.base).removesuffix("/")

    @property
    def is_secure(self) -> bool:
        """Return whether it loads nothing but what is secure, as a page that was opened by https."""
        return False

    # State

    async def identify(self) -> Identity | None:
        """Return the identity; None if the display cannot tell (firmware below 2.0.0).

        The display counts each request as a person in contact and delays its own network recovery: ask rarely.
        """
        answer = await self._transport.get("api/v2/status")
        if answer.status in _NOT_OFFERED:
            return None
        identity = await parse_reply("status", answer, Identity.parse)
        if not identity.device_id and not identity.contract:
            raise UnexpectedAnswerError("not the status of a display")
        self._transport.rate_limit.use_contract(identity.contract)
        self._learn(Dialect.FF)
        return identity

    async def player_status(self) -> PlayerStatus:
        """Return the player status (``checkStatus``); not more than once in 2 s, it triggers a poll on the display.

        A player with a problem, such as overheating, is a status with an ``error`` and no exception.
        """
        answer = await self._transport.post("checkStatus")
        try:
            status = await parse_reply("checkStatus", answer, PlayerStatus.parse)
        except RejectedError as err:
            if self.dialect is not Dialect.FF or answer.status != 200 or not err.detail:
                raise
            return PlayerStatus.parse({"error": err.detail})
        if status == PlayerStatus.parse({"ok": status.ok}):
            raise UnexpectedAnswerError("not a player status")
        self._learn(Dialect.FF)
        return status

    async def device_status(self) -> DeviceStatus:
        """Return the device status (``getDeviceStatus``); without internet it takes up to 30 s or is cut."""
        status = await self._transport.ask("getDeviceStatus", DeviceStatus.parse)
        if status.installed_version is not None:
            self._learn(Dialect.FF)
            self._transport.rate_limit.use_contract(status.contract)
        elif status == DeviceStatus.parse(None):
            raise UnexpectedAnswerError("not a device status")
        return status

    async def panel_status(self) -> PanelStatus:
        """Return the panel status (``ddcPanelStatus``); takes seconds."""
        return await self._transport.ask("ddcPanelStatus", PanelStatus.parse)

    async def metrics(self) -> Metrics | None:
        """Return the latest sample (``deviceMetrics``); None before the first."""
        answer = await self._transport.post("deviceMetrics")
        if answer.status == 200 and answer.body.strip() == b"null":
            return None
        return await parse_reply("deviceMetrics", answer, Metrics.parse)

    async def content_policy(self) -> ContentPolicy:
        """Return which works may be shown (``getContentPolicy``, firmware 2.0.7)."""
        return await self._transport.ask("getContentPolicy", ContentPolicy.parse)

    async def offline_cache(self) -> OfflineCache:
        """Return how many works the display keeps, a thousand at most (``getOfflineCacheStatus``, firmware 2.0.0).

        Raises:
            RejectedError: it keeps none, which is the default.
        """
        return await self._transport.ask(
            "getOfflineCacheStatus", lambda leaf: OfflineCache.parse(leaf.get("items"))
        )

    async def screenshot(self, side: int) -> bytes | None:
        """Return a PNG of the page on the display; None if not offered (firmware below 2.0.3).

        Args:
            side: maximum width and height, 1 to 2880 pixels; the aspect ratio is kept.
        """
        answer = await self._transport.get(
            "api/screenshot",
            _SCREENSHOT_TIMEOUT,
            ATTEMPTS,
            max_body=_MAX_SCREENSHOT,
            params=dict.fromkeys(("width", "height"), str(side)),
        )
        if answer.status in _NOT_OFFERED:
            return None
        if answer.status != 200:
            raise refusal("screenshot", answer)
        if not answer.body.startswith(_PNG):
            raise UnexpectedAnswerError("not a PNG")
        return answer.body

    async def probe(self) -> None:
        """Check that the display answers, at the least cost to it.

        Raises:
                UnreachableError: no answer.
        """
        try:
            await self._transport.get("metrics", _PROBE_TIMEOUT)
        except LostAnswerError as err:
            raise UnreachableError(str(err)) from err
        except UnexpectedAnswerError:
            return

    async def takes_commands(self) -> bool:
        """Return whether there is a command route: it answers 405 to GET."""
        return (await self._transport.get("api/cast")).status == 405

    def listen(self, heartbeat: float = HEARTBEAT) -> AsyncGenerator[Event]:
        """Yield notifications; see :func:`.notifications.listen`.

        Args:
            heartbeat: seconds of silence before a ping; the pong may take half of that.
        """
        url = str(self._transport.base / "api/notification")
        return listen(self._transport.session, url, heartbeat)

    # Commands that change something and need nothing but their reply; arguments are sent as they are given

    # Playback

    async def show_item(self, index: int) -> None:
        """Show a work of the playlist, counted from 0 in the order of the status."""
        await self._transport.send("moveToArtwork", {"index": index})

    async def set_shuffle(self, enabled: bool) -> None:
        """Turn shuffle on or off; the current work stays."""
        await self._transport.send("setShuffle", {"enabled": enabled})

    async def set_loop(self, mode: str) -> None:
        """Set the loop mode: "none", "playlist" or "one"."""
        await self._transport.send("setLoop", {"mode": mode})

    async def set_default_duration(self, seconds: float | None) -> None:
        """Set the seconds for works without a duration of their own, more than 0; None clears it."""
        await self._transport.send(
            "updateDefaultDuration", {"durationSeconds": seconds}
        )

    async def update_settings(self, **settings: Any) -> None:
        """Set how works are shown, beyond the current one.

        Args:
            settings: keys as sent: ``scaling``, ``tombstone``, ``margin``, ``background``, …
        """
        await self._transport.send(
            "updateDisplaySettings", {"isSaved": True, **settings}
        )

    async def display_default(self) -> None:
        """Show the vendor's playlist, which also wakes the display."""
        await self._transport.send("displayDefaultPlaylist")

    async def refresh(self) -> None:
        """Reload the current work."""
        await self._transport.send("refreshArtwork")

    async def clear(self) -> None:
        """Remove the playlist and empty the screen (``disconnect``)."""
        await self._transport.send("disconnect")

    # Sleep and power

    async def sleep(self) -> None:
        """Put the display to sleep (firmware 1.0.15)."""
        await self._transport.send("sleepNow", {}, _SLEEP_SLOT)

    async def wake(self) -> None:
        """Wake the display (firmware 1.0.15)."""
        await self._transport.send("wakeNow", {}, _SLEEP_SLOT)

    async def set_sleep_mode(self, asleep: bool) -> None:
        """Put the player to sleep or wake it, without schedule and panel (firmware below 1.0.15)."""
        await self._transport.send("setSleepMode", {"sleepMode": asleep}, _SLEEP_SLOT)

    async def set_sleep_schedule(
        self,
        enabled: bool,
        *,
        sleep_time: str | None = None,
        wake_time: str | None = None,
        days: Container[str] | None = None,
    ) -> SleepSchedule:
        """Set the sleep schedule and return it; this clears the override of ``sleep`` and ``wake``.

        Args:
            enabled: turn the schedule on.
            sleep_time: "HH:MM" in the display's local time; None keeps the old one.
            wake_time: the same, and not the same time; None keeps the old one.
            days: some of "sun" to "sat", on which it goes to sleep; None keeps the old ones. Older firmware ignores them.
        """
        request = {
            "enabled": enabled,
            "sleepTime": sleep_time,
            "wakeTime": wake_time,
            "days": None if days is None else [day for day in WEEK if day in days],
        }
        leaf = await self._transport.send(
            "setSleepSchedule",
            {name: value for name, value in request.items() if value is not None},
        )
        return SleepSchedule.parse(leaf.get("sleepSchedule"))

    async def reboot(self) -> None:
        """Restart the device; a lost answer is a success."""
        with suppress(LostAnswerError):
            await self._transport.send("reboot")

    async def shutdown(self) -> None:
        """Turn the device off; a lost answer is a success."""
        with suppress(LostAnswerError):
            await self._transport.send("shutdown")

    async def install_update(self) -> None:
        """Start installing the latest firmware; the device restarts some minutes later."""
        await self._transport.send("updateToLatestVersion")

    # Sound, screen and panel

    async def set_volume(self, percent: int) -> None:
        """Set the volume, 0 to 100; the status may report one less. Does not unmute."""
        await self._transport.send("setVolume", {"percent": percent})

    async def toggle_mute(self) -> None:
        """Mute or unmute, whichever the display is not; there is no absolute command."""
        await self._transport.send("toggleMute")

    async def rotate(self, clockwise: bool, turns: int = 1) -> str | None:
        """Rotate the picture by 90° some times and return the new orientation.

        Counter-clockwise: landscape, portrait, landscapeReverse, portraitReverse, landscape.

        Raises:
            BusyError: the display admits so many turns only after a while; it was not turned.
        """
        if self._transport.rate_limit.delay("rotate", turns) > _ROTATION_PATIENCE:
            raise BusyError("it was turned a moment ago")
        leaf: Mapping[str, Any] = {}
        for _ in range(turns):
            leaf = await self._transport.send("rotate", {"clockwise": clockwise})
        return text(leaf.get("orientation"))

    async def panel_control(self, action: str, value: int | str) -> None:
        """Set the panel over DDC/CI; takes seconds.

        Args:
            action: "brightness", "contrast", "volume", "mute" or "power".
            value: 0 to 100; "on" or "off" for mute; "on", "standby" or "off" for power.
        """
        await self._transport.send(
            "ddcPanelControl", {"action": action, "value": value}, f"panel {action}"
        )

    # Input for interactive works

    async def send_key(self, code: int) -> None:
        """Press a key: a printable ASCII code, or 8, 9, 13 or 27."""
        await self._transport.send("sendKeyboardEvent", {"code": code})

    async def tap(self) -> None:
        """Tap at the cursor."""
        await self._transport.send("tapGesture", _LEFT)

    async def double_tap(self) -> None:
        """Tap twice at the cursor (firmware 1.0.17)."""
        await self._transport.send("doubleTapGesture", _LEFT)

    async def long_press(self) -> None:
        """Press for 1 s at the cursor (firmware 1.0.17)."""
        await self._transport.send("longPressGesture", _LEFT)

    # Device

    async def set_content_policy(
        self, show_mature_content: bool, strict_personal: bool
    ) -> None:
        """Set which works may be shown (firmware 2.0.7)."""
        request = {
            "showMatureContent": show_mature_content,
            "strictPersonal": strict_personal,
        }
        await self._transport.send("setContentPolicy", request)

    # Casts

    async def cast(self, playlist: Playlist, start: Start | None = None) -> Playlist:
        """Show a playlist (``displayPlaylist``). A sleeping display keeps it and goes on sleeping.

        Accepted is not yet visible: the status tells that. If no work of the playlist is due yet, the current work stays.

        Args:
            playlist: what to show.
            start: where and how to start; no other write comes between cast and start.

        Returns:
            What was sent: a newer cast if one replaced this.

        Raises:
            RejectedError: the display read the playlist and refuses it (422, with a ``code``), or cannot use it (500
                without a reason, or ``ok: false``).
        """

        async def send() -> Playlist:
            """Send the playlist and its start."""
            leaf = await self._cast(playlist)
            if start is not None and not yes(leaf.get("deferred")):
                await self._start(start)
            return playlist

        # A good cast is not lost to a newer one that is refused.
        return await self._transport.enqueue(
            "displayPlaylist", send, "displayPlaylist", falls_back=True
        )

    async def extend(self, playlist: Playlist) -> bool:
        """Replace the works of a playlist that was cast as a document, without reloading the current work.

        A display that refreshes a playlist URL by itself undoes this within 5 minutes.

        Args:
            playlist: a document with the current work and others.

        Returns:
            Whether the status shows the new works and still the same one.

        Raises:
            RejectedError: the display read the playlist and refuses it (422).
        """
        if self.dialect is not Dialect.FF:
            return False

        async def send() -> bool:
            """Replace the works and compare."""
            before = await self._status_now()
            if before.current is None or before.playlist_url is not None:
                return False
            request = {**_argument(playlist, Dialect.FF), "refresh": True}
            try:
                await self._transport.ask("displayPlaylist", mapping, request)
            except RejectedError as err:
                if err.code is not None:
                    raise
                return False
            if before.shuffle:
                # The works are taken in the order as sent.
                await self._start(Start(shuffle=True))
            after = await self._status_now()
            sources = [same_work(str(it.get("source"))) for it in playlist.items]
            return (
                after.current is not None
                and after.current.source == before.current.source
                and (after.shuffle, after.loop_mode)
                == (before.shuffle, before.loop_mode)
                and Counter(sources)
                == Counter(same_work(str(item.source)) for item in after.items)
            )

        return await self._transport.enqueue("displayPlaylist", send)

    async def keep_offline(self, playlist: Playlist) -> int:
        """Let the display download the works of a playlist (firmware 2.0.0), and return how many these are.

        Raises:
            RejectedError: the display keeps no works, or cannot read the playlist.
        """
        request = _argument(playlist, Dialect.FF)
        leaf = await self._transport.send("downloadPlaylist", request)
        return whole(leaf.get("total")) or 0

    async def _start(self, start: Start) -> None:
        """Move a playlist that was just cast to its start."""
        index = start.index
        if start.work_id is not None or start.source is not None:
            index = start.find((await self._status_now()).items)
        steps: tuple[tuple[str, str, object], ...] = (
            ("moveToArtwork", "index", index),
            ("setShuffle", "enabled", start.shuffle),
            ("setLoop", "mode", start.loop),
        )
        for command, key, value in steps:
            if value is not None:
                await self._transport.ask(command, mapping, {key: value})

    async def _cast(self, playlist: Playlist) -> Mapping[str, Any]:
        """Send a playlist; a second time only to a strict display of the 2025 description, which refuses unknown keys."""
        try:
            return await self._show(playlist, self.dialect)
        except RejectedError:
            if playlist.url is not None or self.dialect is not Dialect.UNKNOWN:
                raise
            await self._detect_dialect()
            if self.dialect is Dialect.UNKNOWN:
                with suppress(RejectedError):
                    return await self._show(playlist, Dialect.LEGACY)
            raise

    async def _show(self, playlist: Playlist, dialect: Dialect) -> Mapping[str, Any]:
        """Send ``displayPlaylist`` and return the reply.

        An empty answer of Feral File firmware is a hiccup after its start: nothing was done.
        """
        request = {**_argument(playlist, dialect), "intent": {"action": "now_display"}}
        for attempt in range(1, ATTEMPTS + 1):
            post = self._transport.post("displayPlaylist", request)
            answer = await self._attended(post)
            if not 200 <= answer.status < 300:
                error = refusal("displayPlaylist", answer)
                if answer.status == 500 and self.dialect is Dialect.FF:
                    await self._require_player()
                raise error
            empty = not answer.body.strip()
            if empty and dialect is Dialect.UNKNOWN:
                await self._detect_dialect()
            if self.dialect is not Dialect.FF:
                return await self._accepted(answer, dialect)
            if not empty or answer.status != 200 or attempt == ATTEMPTS:
                break
            await self._transport.rate_limit.back_off("displayPlaylist", attempt)
        return await parse_reply("displayPlaylist", answer, mapping)

    async def _attended(self, post: Awaitable[Answer]) -> Answer:
        """Wait for an answer that may take long, as long as the display answers anything at all."""
        request = asyncio.ensure_future(post)
        try:
            while not (await asyncio.wait({request}, timeout=_CAST_PATIENCE))[0]:
                try:
                    await self.probe()
                except UnreachableError as err:
                    raise LostAnswerError(str(err)) from err
            return request.result()
        finally:
            request.cancel()

    async def _accepted(self, answer: Answer, dialect: Dialect) -> Mapping[str, Any]:
        """Return the reply of a display that may follow the 2025 description, which does not define replies.

        Feral File firmware wraps this reply in ``message``; any other shape proves the other kind.
        """
        try:
            value = await answer.async_read(lambda answer: decode(answer.body))
        except ValueError:
            value = ""
        if value is None:
            raise UnexpectedAnswerError("the reply is null")
        leaf = mapping(accepted("displayPlaylist", value))
        if dialect is Dialect.LEGACY or "message" not in mapping(value):
            self._learn(Dialect.LEGACY)
        return leaf

    async def _status_now(self) -> PlayerStatus:
        """Return the player status between commands of the player."""
        return await self._transport.ask("checkStatus", PlayerStatus.parse)

    async def _require_player(self) -> None:
        """Raise if the player is not running, which alone explains a 500 without a reason."""
        answer = await self._transport.post("checkStatus")
        error = refusal("checkStatus", answer)
        if isinstance(error, RejectedError) and error.code == NO_PLAYER:
            raise error

    async def _detect_dialect(self) -> None:
        """Detect Feral File firmware by a question that only it answers."""
        if self.dialect is Dialect.UNKNOWN:
            with suppress(Dp1Error):
                await self.device_status()

    def _learn(self, dialect: Dialect) -> None:
        """Store the dialect of the display."""
        if dialect is not self.dialect and not self.dialect_is_fixed:
            self.dialect = dialect
