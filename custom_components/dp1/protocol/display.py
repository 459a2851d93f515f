"""One display, driven over the local network: commands over HTTP, its own news over a WebSocket.

Commands are those of published Feral File firmware 0.9 to 2.0.7. A display that only follows the interface description
of October 2025 knows ``displayPlaylist`` and nothing else.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
import math
import re
from typing import Any, Literal

import aiohttp
from yarl import URL

from .budget import Budget
from .errors import (
    Dp1Error,
    LostAnswerError,
    NoAnswerError,
    RejectedError,
    UnexpectedAnswerError,
)
from .http import Answer, request_json
from .notifications import Connected, Event, listen
from .replies import accepted, refusal, reply
from .status import (
    ContentPolicy,
    DeviceStatus,
    Identity,
    Metrics,
    PanelStatus,
    PlaybackCounters,
    PlayedRecord,
    PlayerStatus,
    SleepSchedule,
)
from .turns import Reads, Writes
from .values import decode, mapping, text

__all__ = ["Cast", "CastResult", "Connected", "Dialect", "Display", "Event"]

DEFAULT_PORT = 1111
HEARTBEAT = 30.0

_TRIES = 3
_TIMEOUT = 10.0
# The display waits up to 30 s itself: for a playlist, for the vendor's version server, for the panel's wire.
_TIMEOUTS: Mapping[str, float] = {
    "displayPlaylist": 35.0,
    "getDeviceStatus": 35.0,
    "playRecentlyPlayed": 35.0,
    "updateToLatestVersion": 35.0,
    "ddcPanelControl": 20.0,
    "ddcPanelStatus": 20.0,
}
_SCREENSHOT_TIMEOUT = 15.0
# A setting whose newer value makes an older one pointless.
_REPLACEABLE = frozenset(
    {
        "ddcPanelControl",
        "moveToArtwork",
        "setLoop",
        "setShuffle",
        "setSleepSchedule",
        "setVolume",
        "updateArtFraming",
        "updateDefaultDuration",
        "updateDisplaySettings",
    }
)
_NOT_OFFERED = (404, 405, 501)
_PNG = b"\x89PNG\r\n\x1a\n"
_MAX_SCREENSHOT_SIDE = 4096
_MAX_SCREENSHOT_AREA = 3840 * 2160
_MAX_POINTS = 16
_KEYS = frozenset({*range(32, 127), 8, 9, 13, 27})
_DAYS = frozenset({"sun", "mon", "tue", "wed", "thu", "fri", "sat"})
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")

type Button = Literal["left", "right", "middle"]
type Offsets = Iterable[tuple[float, float]]


class Dialect(StrEnum):
    """Which description a display follows."""

    UNKNOWN = "unknown"
    FF = "ff"
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True)
class Cast:
    """What to show: a playlist by its URL, which the display fetches and keeps fresh, or a DP-1 document."""

    playlist_url: str | None = None
    playlist: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Hold exactly one of both."""
        if (self.playlist_url is None) is (self.playlist is None):
            raise ValueError("a cast is either a URL or a playlist")


@dataclass(frozen=True, slots=True)
class CastResult:
    """What a display made of a cast. Accepted is not yet visible: the status tells that.

    Attributes:
        method: how it was sent.
        deferred: no work of it is due yet; what was shown stays.
        signature_status: "valid", "invalid" or "unsigned"; None below firmware 2.0.7.
        signers: verdicts as sent: ``alg``, ``kid``, ``role``, ``ok``, perhaps ``reason``.
    """

    method: Literal["url", "inline"]
    deferred: bool
    signature_status: str | None
    signers: tuple[Mapping[str, Any], ...]


class Display:
    """One display.

    Writes are sent one at a time in the order they are called; a setting that still waits when a newer value comes
    is not sent. Reads do not wait for writes. Everything waits for its part of the display's command rates, and a
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
        budget: Budget | None = None,
    ) -> None:
        """Prepare, without asking anything.

        Args:
            session: used as it is, never closed.
            host: IP address, best, or name; IPv6 without brackets.
            port: TCP port.
            dialect: what is known already.
            dialect_is_fixed: it was chosen by somebody who knows better than what the display shows.
            budget: how often the display is asked; by default the part of its limits that is ours.
        """
        self.host = host
        self.port = port
        self.dialect = dialect
        self.on_dialect: Callable[[Dialect], None] | None = None
        self._dialect_is_fixed = dialect_is_fixed
        self._session = session
        self._base = URL.build(scheme="http", host=host, port=port)
        self._budget = budget or Budget()
        self._writes = Writes()
        self._reads = Reads()

    @property
    def url(self) -> str:
        """Address of the display, without a slash at the end."""
        return str(self._base).removesuffix("/")

    # What the display says when asked

    async def identify(self) -> Identity | None:
        """Ask which display this is; None if it cannot tell (firmware below 2.0.0).

        The display takes each such question for a person's: ask seldom.
        """
        answer = await self._get("api/v2/status")
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
        answer = await self._ask("checkStatus")
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
        leaf = reply("getDeviceStatus", await self._ask("getDeviceStatus"))
        status = DeviceStatus.parse(leaf)
        if status.installed_version is not None:
            self._learn(Dialect.FF)
        elif status == DeviceStatus.parse(None):
            raise UnexpectedAnswerError("this is not a device's status")
        return status

    async def panel_status(self) -> PanelStatus:
        """Ask the panel (``ddcPanelStatus``); takes seconds."""
        return PanelStatus.parse(
            reply("ddcPanelStatus", await self._ask("ddcPanelStatus"))
        )

    async def metrics(self) -> Metrics | None:
        """Ask for the latest sample (``deviceMetrics``); None before the first."""
        leaf = reply("deviceMetrics", await self._ask("deviceMetrics"))
        return None if leaf is None else Metrics.parse(leaf)

    async def counters(self) -> PlaybackCounters | None:
        """Ask for the counters (``/metrics``); None if there are none (firmware below 1.0.9)."""
        answer = await self._get("metrics")
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

        async def take() -> Answer:
            """Ask for the picture."""
            return await self._get("api/screenshot", _SCREENSHOT_TIMEOUT, params)

        answer = await self._patiently("screenshot", take)
        if answer.status in _NOT_OFFERED:
            return None
        if answer.status != 200:
            raise refusal("screenshot", answer)
        if not answer.body.startswith(_PNG):
            raise UnexpectedAnswerError("this is not a picture")
        return answer.body

    async def recently_played(self) -> tuple[PlayedRecord, ...]:
        """Ask what was shown lately, newest first (``getRecentlyPlayed``, firmware 2.0.7)."""
        leaf = reply("getRecentlyPlayed", await self._ask("getRecentlyPlayed"))
        records = (leaf or {}).get("records")
        return tuple(
            PlayedRecord.parse(record)
            for record in (records if isinstance(records, list) else ())
        )

    async def content_policy(self) -> ContentPolicy:
        """Ask which works the owner lets through (``getContentPolicy``, firmware 2.0.7)."""
        return ContentPolicy.parse(
            reply("getContentPolicy", await self._ask("getContentPolicy"))
        )

    async def probe(self) -> None:
        """See whether anybody answers, at the least cost to the display.

        Raises:
            RefusedError: nobody listens there.
            NoAnswerError: nobody is there, or no longer able to answer.
        """
        try:
            await self._get("metrics")
        except LostAnswerError as err:
            raise NoAnswerError(str(err)) from err
        except UnexpectedAnswerError:
            return

    def listen(self, heartbeat: float = HEARTBEAT) -> AsyncGenerator[Event]:
        """Follow what the display says by itself; see :func:`.notifications.listen`.

        Args:
            heartbeat: seconds of silence before a ping; the pong may take half of that.
        """
        return listen(self._session, str(self._base / "api/notification"), heartbeat)

    # What hangs on the wall

    async def cast(self, cast: Cast) -> CastResult:
        """Show a playlist at once (``displayPlaylist``). A display that sleeps keeps it and goes on sleeping.

        Raises:
            PlaylistRefusedError: the display understood the playlist and will not show it (422).
            RejectedError: the display cannot make anything of the playlist (500 without a reason, or ``ok: false``).
        """
        return await self._writes.run(lambda: self._cast(cast))

    async def display_default(self, only_if_empty: bool = False) -> None:
        """Show the vendor's playlist, and wake up for it.

        Args:
            only_if_empty: do nothing while something is loaded.
        """
        request = {"onlyIfNoPlaylist": True} if only_if_empty else {}
        await self._tell("displayDefaultPlaylist", request)

    async def show_item(self, index: int) -> None:
        """Show a work of the playlist, counted from 0 in the order of the status."""
        _check(index >= 0, "works are counted from 0")
        await self._tell("moveToArtwork", {"index": index})

    async def set_shuffle(self, enabled: bool) -> None:
        """Play in a random order, or in the given one; the work on the wall stays."""
        await self._tell("setShuffle", {"enabled": enabled})

    async def set_loop(self, mode: Literal["none", "playlist", "one"]) -> None:
        """Set what comes after the last work."""
        _check(mode in ("none", "playlist", "one"), "no such mode")
        await self._tell("setLoop", {"mode": mode})

    async def set_default_duration(self, seconds: float | None) -> None:
        """Set the seconds for works that bring no duration; None for staying until somebody changes them."""
        _check(
            seconds is None or (seconds > 0 and math.isfinite(seconds)),
            "a duration is more than 0 s",
        )
        await self._tell("updateDefaultDuration", {"durationSeconds": seconds})

    async def set_framing(self, mode: Literal[0, 1]) -> None:
        """Fit (0) works into the screen, or fill (1) it."""
        _check(mode in (0, 1), "no such framing")
        await self._tell("updateArtFraming", {"frameConfig": mode})

    async def update_settings(self, saved: bool, **settings: Any) -> None:
        """Set how works are shown.

        Args:
            saved: for good; otherwise until the next work.
            settings: keys as on the wire: ``scaling``, ``tombstone``, ``margin``, ``background``, ``framing``, …
        """
        _check(bool(settings), "nothing to set")
        await self._tell(
            "updateDisplaySettings", {"isSaved": saved, **settings}, str(saved)
        )

    async def refresh(self) -> None:
        """Load the work on the wall anew."""
        await self._tell("refreshArtwork")

    async def clear(self) -> None:
        """Forget the playlist and empty the screen (``disconnect``)."""
        await self._tell("disconnect")

    async def play_recent(self, record_id: str) -> None:
        """Show something that was shown lately (firmware 2.0.7)."""
        await self._tell("playRecentlyPlayed", {"recordId": record_id})

    # Sleep and power

    async def sleep(self) -> SleepSchedule:
        """Sleep now (firmware 1.0.15)."""
        return await self._set_sleep("sleepNow", {})

    async def wake(self) -> SleepSchedule:
        """Wake up now (firmware 1.0.15)."""
        return await self._set_sleep("wakeNow", {})

    async def set_sleep_mode(self, asleep: bool) -> None:
        """Let the player sleep or wake, without schedule and panel: the way below firmware 1.0.15."""
        await self._tell("setSleepMode", {"sleepMode": asleep})

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
            await self._tell("reboot")

    async def shutdown(self) -> None:
        """Switch the device off. It may be gone before it can answer, which is success too."""
        with suppress(LostAnswerError):
            await self._tell("shutdown")

    async def install_update(self) -> None:
        """Begin to install the latest firmware; the device restarts some minutes later."""
        await self._tell("updateToLatestVersion")

    # Sound, screen and panel

    async def set_volume(self, percent: int) -> None:
        """Set the volume, 0 to 100; what is read back may be one lower. Does not unmute."""
        _check(0 <= percent <= 100, "a volume is 0 to 100")
        await self._tell("setVolume", {"percent": percent})

    async def toggle_mute(self) -> None:
        """Switch the sound off, or on again; there is no absolute way."""
        await self._tell("toggleMute")

    async def rotate(self, clockwise: bool) -> str | None:
        """Turn the picture by a quarter and return the new orientation.

        Counter-clockwise: landscape, portrait, landscapeReverse, portraitReverse, landscape.
        """
        leaf = await self._tell("rotate", {"clockwise": clockwise})
        return text(leaf.get("orientation"))

    async def panel_control(
        self,
        action: Literal["brightness", "contrast", "volume", "mute", "power"],
        value: int | str,
    ) -> None:
        """Set the panel over DDC/CI; takes seconds.

        Args:
            action: what to set.
            value: 0 to 100; "on" or "off" for mute; "on", "standby" or "off" for power.
        """
        if action in ("brightness", "contrast", "volume"):
            fits = isinstance(value, int) and 0 <= value <= 100
        else:
            words = {"mute": ("on", "off"), "power": ("on", "standby", "off")}
            fits = value in words[action]
        _check(fits, f"no value for {action}")
        await self._tell("ddcPanelControl", {"action": action, "value": value}, action)

    # Hands and keys, for works that can be played with

    async def send_key(self, code: int) -> None:
        """Press a key: a printable ASCII code, or 8, 9, 13 or 27."""
        _check(code in _KEYS, "no such key")
        await self._tell("sendKeyboardEvent", {"code": code})

    async def tap(self, button: Button = "left") -> None:
        """Tap where the cursor is."""
        await self._tell("tapGesture", {"button": button})

    async def double_tap(self, button: Button = "left") -> None:
        """Tap twice where the cursor is (firmware 1.0.17)."""
        await self._tell("doubleTapGesture", {"button": button})

    async def long_press(self, button: Button = "left") -> None:
        """Press for a second where the cursor is (firmware 1.0.17)."""
        await self._tell("longPressGesture", {"button": button})

    async def drag(self, offsets: Offsets) -> None:
        """Move the cursor by steps of (dx, dy), in pixels of a screen 1920 wide; steps over 150 are cut to 25."""
        await self._tell("dragGesture", {"cursorOffsets": _offsets(offsets)})

    async def click_and_drag(self, offsets: Offsets) -> None:
        """Move the cursor by up to 16 steps of (dx, dy) with the button held (firmware 1.0.17)."""
        steps = _offsets(offsets)
        _check(len(steps) <= _MAX_POINTS, "at most 16 steps")
        await self._tell("clickAndDragGesture", {"cursorOffsets": steps})

    async def zoom(self, steps: Iterable[float]) -> None:
        """Zoom by up to 16 factors (firmware 1.0.17)."""
        factors = list(steps)
        _check(
            1 <= len(factors) <= _MAX_POINTS
            and all(factor > 0 and math.isfinite(factor) for factor in factors),
            "1 to 16 factors above 0",
        )
        await self._tell("zoomGesture", {"scaleSteps": factors})

    # The device

    async def show_pairing_code(self, show: bool) -> None:
        """Show the code to pair a phone, or go back to the works. Below 2.0.0 nothing else works meanwhile."""
        await self._tell("showPairingQRCode", {"show": show})

    async def set_device_name(self, name: str) -> str | None:
        """Name the display and return the name as stored; an empty one clears it (firmware 2.0.3 or newer)."""
        return text(
            (await self._tell("setDeviceName", {"name": name})).get("deviceName")
        )

    async def set_signature_mode(
        self, mode: Literal["silent", "notify", "strict"]
    ) -> None:
        """Set what happens to playlists without a valid signature (firmware 2.0.7)."""
        _check(mode in ("silent", "notify", "strict"), "no such mode")
        await self._tell("setSignatureVerificationMode", {"mode": mode})

    async def set_content_policy(
        self, show_mature_content: bool, strict_personal: bool
    ) -> ContentPolicy:
        """Set which works are let through (firmware 2.0.7)."""
        request = {
            "showMatureContent": show_mature_content,
            "strictPersonal": strict_personal,
        }
        return ContentPolicy.parse(await self._tell("setContentPolicy", request))

    async def set_analytics(self, enabled: bool) -> None:
        """Let the device report to its vendor, or not."""
        await self._tell("analyticsToggle", {"enabled": enabled})

    async def set_beta_features(self, enabled: bool) -> None:
        """Switch early features on or off."""
        await self._tell("betaFeaturesToggle", {"enabled": enabled})

    # How it is sent

    async def _get(
        self,
        path: str,
        timeout: float = _TIMEOUT,
        params: Mapping[str, int] | None = None,
    ) -> Answer:
        """Ask one of the routes that are not commands."""
        return await request_json(
            self._session,
            "GET",
            str(self._base / path),
            timeout=timeout,
            params={key: str(value) for key, value in (params or {}).items()},
        )

    async def _post(self, command: str, request: Mapping[str, Any]) -> Answer:
        """Send a command with its arguments, which are never left out: their absence would mean zeros."""

        async def send() -> Answer:
            """Send it once."""
            return await request_json(
                self._session,
                "POST",
                str(self._base / "api/cast"),
                timeout=_TIMEOUTS.get(command, _TIMEOUT),
                json={"command": command, "request": request},
            )

        return await self._patiently(command, send)

    async def _patiently(
        self, command: str, send: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        """Send within the budget, again if the display is busy, which means that nothing was done."""
        for attempt in range(1, _TRIES):
            await self._budget.spend(command)
            answer = await send()
            if answer.status != 429:
                return answer
            await self._budget.back_off(command, attempt, answer.retry_after)
        await self._budget.spend(command)
        return await send()

    async def _ask(self, command: str) -> Answer:
        """Send a command that only reads; equal ones at the same time share their answer."""
        return await self._reads.run(command, lambda: self._post(command, {}))

    async def _tell(
        self,
        command: str,
        request: Mapping[str, Any] | None = None,
        *slot: str,
    ) -> Mapping[str, Any]:
        """Send a command that changes something, and return the reply."""
        request = request or {}

        async def send() -> Mapping[str, Any]:
            """Send it when it is its turn."""
            try:
                return reply(command, await self._post(command, request)) or {}
            finally:
                self._reads.forget()

        key = (command, frozenset(request), *slot) if command in _REPLACEABLE else None
        return await self._writes.run(send, key)

    async def _set_sleep(
        self, command: str, request: Mapping[str, Any]
    ) -> SleepSchedule:
        """Send one of the sleep commands, which all answer with the schedule."""
        leaf = await self._tell(command, request)
        return SleepSchedule.parse(leaf.get("sleepSchedule"))

    # Casting, in both dialects

    async def _cast(self, cast: Cast) -> CastResult:
        """Send a cast once, or once more where a display of the 2025 description refuses what it does not know."""
        try:
            return _result(cast, await self._show(cast, self.dialect))
        except RejectedError:
            if cast.playlist is None or self.dialect is not Dialect.UNKNOWN:
                raise
            await self._settle()
            if self.dialect is Dialect.UNKNOWN:
                with suppress(RejectedError):
                    return _result(cast, await self._show(cast, Dialect.LEGACY))
            raise
        finally:
            self._reads.forget()

    async def _show(self, cast: Cast, dialect: Dialect) -> Mapping[str, Any]:
        """Send ``displayPlaylist`` in one dialect, and return the reply.

        An empty answer of Feral File firmware is a passing hiccup after a start: nothing was done.
        """
        request = {**_document(cast, dialect), "intent": {"action": "now_display"}}
        for attempt in range(1, _TRIES + 1):
            answer = await self._post("displayPlaylist", request)
            if not 200 <= answer.status < 300:
                raise refusal("displayPlaylist", answer)
            empty = not answer.body.strip()
            if empty:
                await self._settle()
            if self.dialect is not Dialect.FF:
                return self._accepted(answer, dialect)
            if not empty or answer.status != 200 or attempt == _TRIES:
                break
            await self._budget.back_off("displayPlaylist", attempt, None)
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


def _document(cast: Cast, dialect: Dialect) -> Mapping[str, Any]:
    """Name what is cast as the display calls it; never a URL and a document at once.

    Feral File firmware reads ``dp1_call`` and ignores ``playlist``, the 2025 description has ``playlist`` alone. Sent
    with both, every display but a very strict one finds what it looks for.
    """
    if cast.playlist is None:
        return {"playlistUrl": cast.playlist_url}
    names = {Dialect.FF: ["dp1_call"], Dialect.LEGACY: ["playlist"]}
    return dict.fromkeys(names.get(dialect, ["dp1_call", "playlist"]), cast.playlist)


def _result(cast: Cast, leaf: Mapping[str, Any]) -> CastResult:
    """Read the reply to a cast."""
    signers = leaf.get("signers")
    return CastResult(
        method="url" if cast.playlist is None else "inline",
        deferred=leaf.get("deferred") is True,
        signature_status=text(leaf.get("signatureStatus")),
        signers=tuple(mapping(signer) for signer in signers)
        if isinstance(signers, list)
        else (),
    )


def _offsets(offsets: Offsets) -> list[dict[str, float]]:
    """Write steps as they are sent."""
    return [{"dx": dx, "dy": dy} for dx, dy in offsets]


def _check(fits: bool, message: str) -> None:
    """Refuse what no display accepts."""
    if not fits:
        raise ValueError(message)
