"""A display on the local network: commands over HTTP, notifications over a WebSocket.

The protocol is that of published Feral File firmware 0.9 to 2.0.7. A display that follows only the interface description
of October 2025 knows ``displayPlaylist`` and nothing else.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import aiohttp

from ..errors import (
    Dp1Error,
    LostAnswerError,
    NoAnswerError,
    PlayerNotRunningError,
    PlaylistRefusedError,
    RejectedError,
    UnexpectedAnswerError,
)
from ..http import Answer
from ..values import decode, mapping, text, whole, yes
from .commands import Commands
from .device_status import (
    ContentPolicy,
    DeviceStatus,
    Identity,
    Metrics,
    OfflineCache,
    PanelStatus,
    PlaybackCounters,
)
from .notifications import Event, listen
from .player_status import PlayerStatus, PlaylistItem
from .transport import RateLimit, Transport, accepted, async_reply, parse_reply, refusal


class Dialect(StrEnum):
    """Interface description that a display follows."""

    UNKNOWN = "unknown"
    FF = "ff"
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True)
class Cast:
    """Something to show: a playlist URL, which the display fetches and refreshes, or a DP-1 document."""

    playlist_url: str | None = None
    playlist: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Check that there is exactly one of both, and what the items are."""
        if (self.playlist_url is None) is (self.playlist is None):
            raise ValueError("a cast is either a URL or a playlist")
        items = (self.playlist or {}).get("items", [])
        if not isinstance(items, list) or not all(isinstance(i, dict) for i in items):
            raise ValueError("the items of a playlist are a list of objects")


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
        for name, wanted in (("id", self.work_id), ("source", self.source)):
            indexes = [
                index
                for index, item in enumerate(items)
                if wanted is not None and getattr(item, name) == wanted
            ]
            if indexes:
                return self.index if self.index in indexes else indexes[0]
        return self.index


@dataclass(frozen=True, slots=True)
class CastResult:
    """Result of a cast. Accepted is not yet visible: the status tells that.

    Attributes:
        deferred: no work of the playlist is due yet; the current work stays.
        cast: what was sent: a newer cast if one replaced this.
    """

    deferred: bool
    cast: Cast | None = field(default=None, compare=False)


def document(cast: Cast, dialect: Dialect) -> Mapping[str, Any]:
    """Return the playlist argument of ``displayPlaylist``; never a URL and a document at once.

    Feral File firmware reads ``dp1_call`` and ignores ``playlist``; the 2025 description has only ``playlist``. A display
    of unknown dialect gets both.
    """
    if cast.playlist is None:
        return {"playlistUrl": cast.playlist_url}
    names = {Dialect.FF: ["dp1_call"], Dialect.LEGACY: ["playlist"]}
    return dict.fromkeys(names.get(dialect, ["dp1_call", "playlist"]), cast.playlist)


DEFAULT_PORT = 1111
HEARTBEAT = 30.0

_CAST_ATTEMPTS = 3
_PROBE_TIMEOUT = 5.0
# A page has a thousand works.
_MAX_PAGES = 4
_NOT_OFFERED = (404, 405, 501)
_PNG = b"\x89PNG\r\n\x1a\n"


class Display(Commands):
    """A display.

    Writes to the player, to the panel and to the device are three queues: in each they are sent one at a time, in the
    order of the calls, and a setting or a cast that still waits when a newer one comes is not sent. Reads do not wait for
    writes. Everything waits for the rate limit, and a busy display is asked up to three times. Apart from that nothing is
    sent twice.

    Attributes:
        dialect: which interface description the display follows, as far as known.
        dialect_is_fixed: whether what the display answers never changes that.
        on_dialect: called when the dialect becomes known.

    Raises:
        RefusedError: the connection was refused.
        NoAnswerError: no contact.
        LostAnswerError: the command was sent and may or may not have taken effect.
        BusyError: too many commands, even after waiting; nothing was done.
        NotReadyError: the display shows a set-up screen; nothing was done.
        PlayerNotRunningError: the player of the display is not running; nothing was done.
        RejectedError: the display refused or failed to carry out the command (400, 413, 500 or ``ok: false``).
        AddressNotAcceptedError: the display wants to be addressed by its IP address.
        TemporaryError: a problem on the way to the display (5xx other than 500).
        UnexpectedAnswerError: the answer does not follow the protocol.
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
            dialect: what is already known.
            dialect_is_fixed: never change the dialect by what the display answers.
            rate_limit: limits the commands; by default to our share of what the display admits.
        """
        super().__init__(Transport(session, host, port, rate_limit or RateLimit()))
        self.dialect = dialect
        self.on_dialect: Callable[[Dialect], None] | None = None
        self.dialect_is_fixed = dialect_is_fixed

    @property
    def url(self) -> str:
        """Return the base URL without a trailing slash."""
        return str(self._transport.base).removesuffix("/")

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
        status = await self._query("getDeviceStatus", DeviceStatus.parse)
        if status.installed_version is not None:
            self._learn(Dialect.FF)
            self._transport.rate_limit.use_contract(status.contract)
        elif status == DeviceStatus.parse(None):
            raise UnexpectedAnswerError("not a device status")
        return status

    async def panel_status(self) -> PanelStatus:
        """Return the panel status (``ddcPanelStatus``); takes seconds."""
        return await self._query("ddcPanelStatus", PanelStatus.parse)

    async def metrics(self) -> Metrics | None:
        """Return the latest sample (``deviceMetrics``); None before the first."""
        answer = await self._transport.post("deviceMetrics")
        if answer.status == 200 and answer.body.strip() == b"null":
            return None
        return await parse_reply("deviceMetrics", answer, Metrics.parse)

    async def content_policy(self) -> ContentPolicy:
        """Return which works may be shown (``getContentPolicy``, firmware 2.0.7)."""
        return await self._query("getContentPolicy", ContentPolicy.parse)

    async def offline_cache(self) -> OfflineCache:
        """Return how many works the display keeps (``getOfflineCacheStatus``, firmware 2.0.0).

        Raises:
            RejectedError: it keeps none, which is the default.
        """
        command, found = "getOfflineCacheStatus", OfflineCache(0, 0)
        request: dict[str, Any] = {}
        for _ in range(_MAX_PAGES):
            page, cursor = await self._query(
                command,
                lambda leaf: (
                    OfflineCache.parse(leaf.get("items")),
                    text(leaf.get("nextCursor")),
                ),
                request,
            )
            found = OfflineCache(found.ready + page.ready, found.waiting + page.waiting)
            if cursor is None:
                break
            request = {"cursor": cursor}
        return found

    async def counters(self) -> PlaybackCounters | None:
        """Return the counters of ``/metrics``; None if not offered (firmware below 1.0.9)."""
        answer = await self._transport.get("metrics")
        if answer.status in _NOT_OFFERED:
            return None
        if answer.status != 200:
            raise refusal("metrics", answer)
        return await answer.async_read(
            lambda answer: PlaybackCounters.parse(
                answer.body.decode("utf-8", "replace")
            )
        )

    async def screenshot(self, side: int) -> bytes | None:
        """Return a PNG of the page on the display; None if not offered (firmware below 2.0.3).

        Args:
            side: maximum width and height, 1 to 2880 pixels; the aspect ratio is kept.
        """
        answer = await self._transport.screenshot(side)
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
            RefusedError: the connection was refused.
            NoAnswerError: no answer.
        """
        try:
            await self._transport.get("metrics", _PROBE_TIMEOUT)
        except LostAnswerError as err:
            raise NoAnswerError(str(err)) from err
        except UnexpectedAnswerError:
            return

    async def takes_commands(self) -> bool:
        """Return whether there is a command route: it answers 405 to GET."""
        return (await self._transport.get("api/cast")).status == 405

    def listen(
        self,
        heartbeat: float = HEARTBEAT,
        known: Callable[[], PlayerStatus | None] = lambda: None,
    ) -> AsyncGenerator[Event]:
        """Yield notifications; see :func:`.notifications.listen`.

        Args:
            heartbeat: seconds of silence before a ping; the pong may take half of that.
            known: returns the status of the player that is known; what is pushed is merged over it.
        """
        url = str(self._transport.base / "api/notification")
        return listen(self._transport.session, url, heartbeat, known)

    # Casts

    async def cast(self, cast: Cast, start: Start | None = None) -> CastResult:
        """Show a playlist (``displayPlaylist``). A sleeping display keeps it and goes on sleeping.

        Args:
            cast: what to show.
            start: where and how to start; no other write comes between cast and start.

        Raises:
            PlaylistRefusedError: the display read the playlist and refuses it (422).
            RejectedError: the display cannot use the playlist (500 without a reason, or ``ok: false``).
        """

        async def send() -> CastResult:
            """Send the cast and its start."""
            leaf = await self._cast(cast)
            result = CastResult(yes(leaf.get("deferred")), cast)
            if start is not None and not result.deferred:
                await self._start(start)
            return result

        return await self._transport.enqueue("displayPlaylist", send, "displayPlaylist")

    async def extend(self, playlist: Mapping[str, Any]) -> bool:
        """Replace the works of a playlist that was cast as a document, without reloading the current work.

        A display that refreshes a playlist URL by itself undoes this within 5 minutes.

        Args:
            playlist: DP-1 document with the current work and others.

        Returns:
            Whether the status shows the new works and still the same one.

        Raises:
            PlaylistRefusedError: the display read the playlist and refuses it (422).
        """
        if self.dialect is not Dialect.FF:
            return False

        async def send() -> bool:
            """Replace the works and compare."""
            before = await self._status_now()
            if before.current is None or before.playlist_url is not None:
                return False
            request = {"dp1_call": playlist, "refresh": True}
            try:
                await self._post("displayPlaylist", request)
            except PlayerNotRunningError, PlaylistRefusedError:
                raise
            except RejectedError:
                return False
            after = await self._status_now()
            sources = [mapping(item).get("source") for item in playlist["items"]]
            return (
                after.current is not None
                and after.current.source == before.current.source
                and (after.shuffle, after.loop_mode)
                == (before.shuffle, before.loop_mode)
                and Counter(item.source for item in after.items) == Counter(sources)
            )

        return await self._transport.enqueue("displayPlaylist", send)

    async def keep_offline(self, cast: Cast) -> int:
        """Let the display download the works of a playlist (firmware 2.0.0), and return how many these are.

        Raises:
            RejectedError: the display keeps no works, or cannot read the playlist.
        """
        request = document(cast, Dialect.FF)
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
                await self._post(command, {key: value})

    async def _cast(self, cast: Cast) -> Mapping[str, Any]:
        """Send a cast; a second time only to a strict display of the 2025 description, which refuses unknown keys."""
        try:
            return await self._show(cast, self.dialect)
        except RejectedError:
            if cast.playlist is None or self.dialect is not Dialect.UNKNOWN:
                raise
            await self._detect_dialect()
            if self.dialect is Dialect.UNKNOWN:
                with suppress(RejectedError):
                    return await self._show(cast, Dialect.LEGACY)
            raise

    async def _show(self, cast: Cast, dialect: Dialect) -> Mapping[str, Any]:
        """Send ``displayPlaylist`` and return the reply.

        An empty answer of Feral File firmware is a hiccup after its start: nothing was done.
        """
        request = {**document(cast, dialect), "intent": {"action": "now_display"}}
        for attempt in range(1, _CAST_ATTEMPTS + 1):
            answer = await self._transport.post("displayPlaylist", request)
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
            if not empty or answer.status != 200 or attempt == _CAST_ATTEMPTS:
                break
            await self._transport.rate_limit.back_off("displayPlaylist", attempt)
        return await async_reply("displayPlaylist", answer)

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

    async def _query[T](
        self,
        command: str,
        parse: Callable[[Mapping[str, Any]], T],
        request: Mapping[str, Any] | None = None,
    ) -> T:
        """Send a command that only reads and parse its reply."""
        answer = await self._transport.post(command, request)
        return await parse_reply(command, answer, parse)

    async def _post(
        self, command: str, request: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Send a command at once and return its reply."""
        return await async_reply(command, await self._transport.post(command, request))

    async def _status_now(self) -> PlayerStatus:
        """Return the player status between commands of the player."""
        return await self._query("checkStatus", PlayerStatus.parse)

    async def _require_player(self) -> None:
        """Raise if the player is not running, which alone explains a 500 without a reason."""
        answer = await self._transport.post("checkStatus")
        if isinstance(error := refusal("checkStatus", answer), PlayerNotRunningError):
            raise error

    async def _detect_dialect(self) -> None:
        """Detect Feral File firmware by a question that only it answers."""
        if self.dialect is Dialect.UNKNOWN:
            with suppress(Dp1Error):
                await self.device_status()

    def _learn(self, dialect: Dialect) -> None:
        """Store the dialect that the display has shown."""
        if dialect is not self.dialect and not self.dialect_is_fixed:
            self.dialect = dialect
            if self.on_dialect is not None:
                self.on_dialect(dialect)
