"""One display, driven over the local network: commands over HTTP, its own news over a WebSocket.

Commands are those of published Feral File firmware 0.9 to 2.0.7. A display that only follows the interface description
of October 2025 knows ``displayPlaylist`` and nothing else.
"""

from collections.abc import AsyncGenerator, Callable, Container, Iterable, Mapping
from contextlib import suppress
import math
import re
from typing import Any, Literal

import aiohttp

from ..errors import (
    Dp1Error,
    LostAnswerError,
    NoAnswerError,
    RejectedError,
    UnexpectedAnswerError,
)
from ..http import Answer
from ..values import decode, mapping, text
from .casts import Cast, CastResult, Dialect, Start, document, result_of
from .device_status import (
    ContentPolicy,
    DeviceStatus,
    Identity,
    PanelStatus,
    PlayedRecord,
    SleepSchedule,
)
from .metrics import Metrics, PlaybackCounters
from .notifications import Event
from .player_status import PlayerStatus
from .rate_limit import RateLimit
from .replies import accepted, refusal, reply
from .transport import Transport

DEFAULT_PORT = 1111
HEARTBEAT = 30.0

_TRIES = 3
_NOT_OFFERED = (404, 405, 501)
_PNG = b"\x89PNG\r\n\x1a\n"
_MAX_SCREENSHOT_SIDE = 4096
_MAX_SCREENSHOT_AREA = 3840 * 2160
_MAX_POINTS = 16
_KEYS = frozenset({*range(32, 127), 8, 9, 13, 27})
_PANEL: Mapping[str, Container[object]] = {
    "brightness": range(101),
    "contrast": range(101),
    "volume": range(101),
    "mute": ("on", "off"),
    "power": ("on", "standby", "off"),
}
# Sleeping and waking are two values of one thing.
_SLEEP = "sleep"
_DAYS = frozenset({"sun", "mon", "tue", "wed", "thu", "fri", "sat"})
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")

type Button = Literal["left", "right", "middle"]
type Offsets = Iterable[tuple[float, float]]


class Display:
    """One display.

    Writes are sent one at a time in the order they are called; a setting, or a cast, that still waits when a newer
    one comes is not sent. Reads do not wait for writes. Everything waits for its part of the display's command rates, and a
    display that is busy all the same is asked at most three times. Except for that, nothing is ever sent twice.

    Every command may raise:
        RefusedError: nobody listens at the address.
        NoAnswerError: nobody is there.
        LostAnswerError: the command was sent, and may or may not have taken effect.
        BusyError: too many commands for the display, even after waiting; nothing was done.
        NotReadyError: the display shows a set-up screen; nothing was done.
        RejectedError: the display said no, or could not do it (400, 413, 500, or ``ok: false``).
        AddressNotAcceptedError: the display wants to be addressed by its IP address.
        TemporaryError: something on the way to the display is out of order.
        UnexpectedAnswerError: the answer follows none of the descriptions.
        ValueError: an argument that no display accepts; nothing was sent.

    Attributes:
        host: IP address or name.
        port: TCP port.
        dialect: which description the display follows, as far as known.
        on_dialect: called when that becomes known.
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
        """Prepare, without asking anything.

        Args:
            session: used as it is, never closed.
            host: IP address, best, or name; IPv6 without brackets.
            port: TCP port.
            dialect: what is known already.
            dialect_is_fixed: it was chosen by somebody who knows better than what the display shows.
            rate_limit: how often the display is asked; by default the part of its limits that is ours.
        """
        self.host = host
        self.port = port
        self.dialect = dialect
        self.on_dialect: Callable[[Dialect], None] | None = None
        self._dialect_is_fixed = dialect_is_fixed
        self._transport = Transport(session, host, port, rate_limit or RateLimit())

    @property
    def url(self) -> str:
        """Address of the display, without a slash at the end."""
        return self._transport.url("").removesuffix("/")

    # What the display says when asked

    async def identify(self) -> Identity | None:
        """Ask which display this is; None if it cannot tell (firmware below 2.0.0).

        The display takes each such question for a person's: ask seldom.
        """
        answer = await self._transport.get("api/v2/status")
        if answer.status in _NOT_OFFERED:
            return None
        identity = Identity.parse(reply("status", answer))
        if not identity.device_id and not identity.contract:
            raise UnexpectedAnswerError("this is not a display's status")
        self._learn(Dialect.FF)
        return identity

    async def player_status(self) -> PlayerStatus:
        """Ask what is shown (``checkStatus``). Costs the display some work: not more than once in two seconds.

        A player that is unwell, overheated for one, is a status with its ``error``, not an exception.
        """
        answer = await self._transport.query("checkStatus")
        try:
            status = PlayerStatus.parse(reply("checkStatus", answer))
        except RejectedError as err:
            if self.dialect is not Dialect.FF or answer.status != 200 or not err.detail:
                raise
            return PlayerStatus.parse({"error": err.detail})
        if status == PlayerStatus.parse({"ok": status.ok}):
            raise UnexpectedAnswerError("this is not a player's status")
        self._learn(Dialect.FF)
        return status

    async def device_status(self) -> DeviceStatus:
        """Ask about the device behind the player (``getDeviceStatus``)."""
        leaf = reply("getDeviceStatus", await self._transport.query("getDeviceStatus"))
        status = DeviceStatus.parse(leaf)
        if status.installed_version is not None:
            self._learn(Dialect.FF)
        elif status == DeviceStatus.parse(None):
            raise UnexpectedAnswerError("this is not a device's status")
        return status

    async def panel_status(self) -> PanelStatus:
        """Ask the panel (``ddcPanelStatus``); takes seconds."""
        return PanelStatus.parse(
            reply("ddcPanelStatus", await self._transport.query("ddcPanelStatus"))
        )

    async def metrics(self) -> Metrics | None:
        """Ask for the latest sample (``deviceMetrics``); None before the first."""
        leaf = reply("deviceMetrics", await self._transport.query("deviceMetrics"))
        return None if leaf is None else Metrics.parse(leaf)

    async def counters(self) -> PlaybackCounters | None:
        """Ask for the counters (``/metrics``); None if there are none (firmware below 1.0.9)."""
        answer = await self._transport.get("metrics")
        if answer.status in _NOT_OFFERED:
            return None
        if answer.status != 200:
            raise refusal("metrics", answer)
        return PlaybackCounters.parse(answer.body.decode("utf-8", "replace"))

    async def screenshot(
        self, width: int | None = None, height: int | None = None
    ) -> bytes | None:
        """Take a picture, PNG, of the page on the device; None if it cannot (firmware below 2.0.3).

        Args:
            width: at most so many pixels; the aspect ratio stays.
            height: at most so many pixels.
        """
        size = {"width": width, "height": height}
        params = {name: side for name, side in size.items() if side is not None}
        if not all(1 <= side <= _MAX_SCREENSHOT_SIDE for side in params.values()):
            raise ValueError("a side has 1 to 4096 pixels")
        if math.prod(params.values()) > _MAX_SCREENSHOT_AREA:
            raise ValueError("that is larger than the largest picture")

        answer = await self._transport.picture("api/screenshot", params)
        if answer.status in _NOT_OFFERED:
            return None
        if answer.status != 200:
            raise refusal("screenshot", answer)
        if not answer.body.startswith(_PNG):
            raise UnexpectedAnswerError("this is not a picture")
        return answer.body

    async def recently_played(self) -> tuple[PlayedRecord, ...]:
        """Ask what was shown lately, newest first (``getRecentlyPlayed``, firmware 2.0.7)."""
        leaf = reply(
            "getRecentlyPlayed", await self._transport.query("getRecentlyPlayed")
        )
        records = (leaf or {}).get("records")
        return tuple(
            PlayedRecord.parse(record)
            for record in (records if isinstance(records, list) else ())
        )

    async def content_policy(self) -> ContentPolicy:
        """Ask which works the owner lets through (``getContentPolicy``, firmware 2.0.7)."""
        return ContentPolicy.parse(
            reply("getContentPolicy", await self._transport.query("getContentPolicy"))
        )

    async def probe(self) -> None:
        """See whether anybody answers, at the least cost to the display.

        Raises:
            RefusedError: nobody listens there.
            NoAnswerError: nobody is there, or no longer able to answer.
        """
        try:
            await self._transport.get("metrics")
        except LostAnswerError as err:
            raise NoAnswerError(str(err)) from err
        except UnexpectedAnswerError:
            return

    async def takes_commands(self) -> bool:
        """Tell whether commands are taken at all, even if none but casts: their route then refuses to be read (405)."""
        return (await self._transport.get("api/cast")).status == 405

    def listen(self, heartbeat: float = HEARTBEAT) -> AsyncGenerator[Event]:
        """Follow what the display says by itself; see :func:`.notifications.listen`.

        Args:
            heartbeat: seconds of silence before a ping; the pong may take half of that.
        """
        return self._transport.listen("api/notification", heartbeat)

    # What hangs on the wall

    async def cast(self, cast: Cast, start: Start | None = None) -> CastResult:
        """Show a playlist at once (``displayPlaylist``). A display that sleeps keeps it and goes on sleeping.

        Args:
            cast: what to show.
            start: how it begins; nothing of ours comes between this and the cast.

        Raises:
            PlaylistRefusedError: the display understood the playlist and will not show it (422).
            RejectedError: the display cannot make anything of the playlist (500 without a reason, or ``ok: false``).
        """

        async def send() -> CastResult:
            """Cast, and begin as asked."""
            result = await self._cast(cast)
            if start is not None and not result.deferred:
                await self._begin(start)
            return result

        return await self._transport.enqueue(send, "displayPlaylist")

    async def display_default(self, only_if_empty: bool = False) -> None:
        """Show the vendor's playlist, and wake up for it.

        Args:
            only_if_empty: do nothing while something is loaded.
        """
        request = {"onlyIfNoPlaylist": True} if only_if_empty else {}
        await self._transport.send("displayDefaultPlaylist", request)

    async def show_item(self, index: int) -> None:
        """Show a work of the playlist, counted from 0 in the order of the status."""
        _check(index >= 0, "works are counted from 0")
        await self._transport.send("moveToArtwork", {"index": index})

    async def set_shuffle(self, enabled: bool) -> None:
        """Play in a random order, or in the given one; the work on the wall stays."""
        await self._transport.send("setShuffle", {"enabled": enabled})

    async def set_loop(self, mode: str) -> None:
        """Set what comes after the last work: "none", "playlist" or "one"."""
        _check(mode in ("none", "playlist", "one"), "no such mode")
        await self._transport.send("setLoop", {"mode": mode})

    async def set_default_duration(self, seconds: float | None) -> None:
        """Set the seconds for works that bring no duration; None for staying until somebody changes them."""
        _check(
            seconds is None or (seconds > 0 and math.isfinite(seconds)),
            "a duration is more than 0 s",
        )
        await self._transport.send(
            "updateDefaultDuration", {"durationSeconds": seconds}
        )

    async def set_framing(self, mode: int) -> None:
        """Fit (0) works into the screen, or fill (1) it."""
        _check(mode in (0, 1), "no such framing")
        await self._transport.send("updateArtFraming", {"frameConfig": mode})

    async def update_settings(self, saved: bool, **settings: Any) -> None:
        """Set how works are shown.

        Args:
            saved: for good; otherwise until the next work.
            settings: keys as on the wire: ``scaling``, ``tombstone``, ``margin``, ``background``, ``framing``, …
        """
        _check(bool(settings), "nothing to set")
        await self._transport.send(
            "updateDisplaySettings", {"isSaved": saved, **settings}, str(saved)
        )

    async def refresh(self) -> None:
        """Load the work on the wall anew."""
        await self._transport.send("refreshArtwork")

    async def clear(self) -> None:
        """Forget the playlist and empty the screen (``disconnect``)."""
        await self._transport.send("disconnect")

    async def play_recent(self, record_id: str) -> None:
        """Show something that was shown lately (firmware 2.0.7)."""
        await self._transport.send("playRecentlyPlayed", {"recordId": record_id})

    # Sleep and power

    async def sleep(self) -> SleepSchedule:
        """Sleep now (firmware 1.0.15)."""
        return await self._set_sleep("sleepNow", {}, _SLEEP)

    async def wake(self) -> SleepSchedule:
        """Wake up now (firmware 1.0.15)."""
        return await self._set_sleep("wakeNow", {}, _SLEEP)

    async def set_sleep_mode(self, asleep: bool) -> None:
        """Let the player sleep or wake, without schedule and panel: the way below firmware 1.0.15."""
        await self._transport.send("setSleepMode", {"sleepMode": asleep}, slot=_SLEEP)

    async def set_sleep_schedule(
        self,
        enabled: bool,
        *,
        sleep_time: str | None = None,
        wake_time: str | None = None,
        days: Iterable[str] | None = None,
    ) -> SleepSchedule:
        """Set when to sleep; this ends what ``sleep`` and ``wake`` began.

        Args:
            enabled: the schedule is on.
            sleep_time: "HH:MM" in the display's local time; None keeps it.
            wake_time: the same.
            days: some of "sun" to "sat"; None keeps them (firmware 2.0.0).
        """
        request: dict[str, Any] = {"enabled": enabled}
        for key, time in (("sleepTime", sleep_time), ("wakeTime", wake_time)):
            if time is not None:
                _check(bool(_TIME.fullmatch(time)), "a time is HH:MM")
                request[key] = time
        _check(sleep_time is None or sleep_time != wake_time, "both times are the same")
        if days is not None:
            request["days"] = list(days)
            _check(bool(request["days"]) and _DAYS.issuperset(request["days"]), "days")
        return await self._set_sleep("setSleepSchedule", request)

    async def reboot(self) -> None:
        """Restart the device. It may be gone before it can answer, which is success too."""
        with suppress(LostAnswerError):
            await self._transport.send("reboot")

    async def shutdown(self) -> None:
        """Switch the device off. It may be gone before it can answer, which is success too."""
        with suppress(LostAnswerError):
            await self._transport.send("shutdown")

    async def install_update(self) -> None:
        """Begin to install the latest firmware; the device restarts some minutes later."""
        await self._transport.send("updateToLatestVersion")

    # Sound, screen and panel

    async def set_volume(self, percent: int) -> None:
        """Set the volume, 0 to 100; what is read back may be one lower. Does not unmute."""
        _check(0 <= percent <= 100, "a volume is 0 to 100")
        await self._transport.send("setVolume", {"percent": percent})

    async def toggle_mute(self) -> None:
        """Switch the sound off, or on again; there is no absolute way."""
        await self._transport.send("toggleMute")

    async def rotate(self, clockwise: bool) -> str | None:
        """Turn the picture by a quarter and return the new orientation.

        Counter-clockwise: landscape, portrait, landscapeReverse, portraitReverse, landscape.
        """
        leaf = await self._transport.send("rotate", {"clockwise": clockwise})
        return text(leaf.get("orientation"))

    async def panel_control(self, action: str, value: int | str) -> None:
        """Set the panel over DDC/CI; takes seconds.

        Args:
            action: "brightness", "contrast", "volume", "mute" or "power".
            value: 0 to 100; "on" or "off" for mute; "on", "standby" or "off" for power.
        """
        _check(value in _PANEL.get(action, ()), "no such setting of a panel")
        await self._transport.send(
            "ddcPanelControl", {"action": action, "value": value}, action
        )

    # Hands and keys, for works that can be played with

    async def send_key(self, code: int) -> None:
        """Press a key: a printable ASCII code, or 8, 9, 13 or 27."""
        _check(code in _KEYS, "no such key")
        await self._transport.send("sendKeyboardEvent", {"code": code})

    async def tap(self, button: Button = "left") -> None:
        """Tap where the cursor is."""
        await self._transport.send("tapGesture", {"button": button})

    async def double_tap(self, button: Button = "left") -> None:
        """Tap twice where the cursor is (firmware 1.0.17)."""
        await self._transport.send("doubleTapGesture", {"button": button})

    async def long_press(self, button: Button = "left") -> None:
        """Press for a second where the cursor is (firmware 1.0.17)."""
        await self._transport.send("longPressGesture", {"button": button})

    async def drag(self, offsets: Offsets) -> None:
        """Move the cursor by steps of (dx, dy), in pixels of a screen 1920 wide; steps over 150 are cut to 25."""
        await self._transport.send("dragGesture", {"cursorOffsets": _offsets(offsets)})

    async def click_and_drag(self, offsets: Offsets) -> None:
        """Move the cursor by up to 16 steps of (dx, dy) with the button held (firmware 1.0.17)."""
        steps = _offsets(offsets)
        _check(len(steps) <= _MAX_POINTS, "at most 16 steps")
        await self._transport.send("clickAndDragGesture", {"cursorOffsets": steps})

    async def zoom(self, steps: Iterable[float]) -> None:
        """Zoom by up to 16 factors (firmware 1.0.17)."""
        factors = list(steps)
        _check(
            1 <= len(factors) <= _MAX_POINTS
            and all(factor > 0 and math.isfinite(factor) for factor in factors),
            "1 to 16 factors above 0",
        )
        await self._transport.send("zoomGesture", {"scaleSteps": factors})

    # The device

    async def show_pairing_code(self, show: bool) -> None:
        """Show the code to pair a phone, or go back to the works. Below 2.0.0 nothing else works meanwhile."""
        await self._transport.send("showPairingQRCode", {"show": show})

    async def set_device_name(self, name: str) -> str | None:
        """Name the display and return the name as stored; an empty one clears it (firmware 2.0.3 or newer)."""
        return text(
            (await self._transport.send("setDeviceName", {"name": name})).get(
                "deviceName"
            )
        )

    async def set_signature_mode(self, mode: str) -> None:
        """Set what happens to playlists without a valid signature: "silent", "notify" or "strict" (firmware 2.0.7)."""
        _check(mode in ("silent", "notify", "strict"), "no such mode")
        await self._transport.send("setSignatureVerificationMode", {"mode": mode})

    async def set_content_policy(
        self, show_mature_content: bool, strict_personal: bool
    ) -> ContentPolicy:
        """Set which works are let through (firmware 2.0.7)."""
        request = {
            "showMatureContent": show_mature_content,
            "strictPersonal": strict_personal,
        }
        return ContentPolicy.parse(
            await self._transport.send("setContentPolicy", request)
        )

    async def set_analytics(self, enabled: bool) -> None:
        """Let the device report to its vendor, or not."""
        await self._transport.send("analyticsToggle", {"enabled": enabled})

    async def set_beta_features(self, enabled: bool) -> None:
        """Switch early features on or off."""
        await self._transport.send("betaFeaturesToggle", {"enabled": enabled})

    async def _set_sleep(
        self, command: str, request: Mapping[str, Any], slot: str | None = None
    ) -> SleepSchedule:
        """Send one of the sleep commands, which all answer with the schedule."""
        leaf = await self._transport.send(command, request, slot=slot)
        return SleepSchedule.parse(leaf.get("sleepSchedule"))

    async def _begin(self, start: Start) -> None:
        """Bring a list that was just cast to its place and order."""
        index = start.index
        if start.names_work:
            answer = await self._transport.post("checkStatus", {})
            index = start.place(PlayerStatus.parse(reply("checkStatus", answer)).items)
        steps: tuple[tuple[str, str, object], ...] = (
            ("moveToArtwork", "index", index),
            ("setShuffle", "enabled", start.shuffle),
            ("setLoop", "mode", start.loop),
        )
        for command, key, value in steps:
            if value is not None:
                reply(command, await self._transport.post(command, {key: value}))

    # Casting, in both dialects

    async def _cast(self, cast: Cast) -> CastResult:
        """Send a cast once, or once more where a display of the 2025 description refuses what it does not know."""
        try:
            return result_of(cast, await self._show(cast, self.dialect))
        except RejectedError:
            if cast.playlist is None or self.dialect is not Dialect.UNKNOWN:
                raise
            await self._settle()
            if self.dialect is Dialect.UNKNOWN:
                with suppress(RejectedError):
                    return result_of(cast, await self._show(cast, Dialect.LEGACY))
            raise

    async def _show(self, cast: Cast, dialect: Dialect) -> Mapping[str, Any]:
        """Send ``displayPlaylist`` in one dialect, and return the reply.

        An empty answer of Feral File firmware is a passing hiccup after a start: nothing was done.
        """
        request = {**document(cast, dialect), "intent": {"action": "now_display"}}
        for attempt in range(1, _TRIES + 1):
            answer = await self._transport.post("displayPlaylist", request)
            if not 200 <= answer.status < 300:
                raise refusal("displayPlaylist", answer)
            empty = not answer.body.strip()
            if empty and dialect is Dialect.UNKNOWN:
                await self._settle()
            if self.dialect is not Dialect.FF:
                return self._accepted(answer, dialect)
            if not empty or answer.status != 200 or attempt == _TRIES:
                break
            await self._transport.back_off("displayPlaylist", attempt, None)
        return reply("displayPlaylist", answer) or {}

    def _accepted(self, answer: Answer, dialect: Dialect) -> Mapping[str, Any]:
        """Take any success of what may be a display of the 2025 description, which says nothing about replies.

        Feral File firmware wraps this reply, so another form gives the other kind away; the same form does not tell.
        """
        try:
            value = decode(answer.body)
        except ValueError:
            value = None
        leaf = mapping(accepted("displayPlaylist", value))
        if dialect is Dialect.LEGACY or "message" not in mapping(value):
            self._learn(Dialect.LEGACY)
        return leaf

    async def _settle(self) -> None:
        """Ask the one question that only Feral File firmware answers, where nothing else can tell."""
        if self.dialect is Dialect.UNKNOWN:
            with suppress(Dp1Error):
                await self.device_status()

    def _learn(self, dialect: Dialect) -> None:
        """Note what the display has shown to be; what it was taken for gives way."""
        if dialect is not self.dialect and not self._dialect_is_fixed:
            self.dialect = dialect
            if self.on_dialect is not None:
                self.on_dialect(dialect)


def _offsets(offsets: Offsets) -> list[dict[str, float]]:
    """Write steps as they are sent."""
    return [{"dx": dx, "dy": dy} for dx, dy in offsets]


def _check(fits: bool, message: str) -> None:
    """Refuse what no display accepts."""
    if not fits:
        raise ValueError(message)
