"""The way of a playlist from a command to the player: fetch, parse, validate, show."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
import json
from typing import Any

import aiohttp

from .clock import Clock
from .device import Device
from .document import read_playlist
from .errors import CommandError, NotPlayableError
from .firmware import Firmware
from .metrics import Counters
from .offline import OfflineCache
from .player import Player
from .policy import ContentPolicy, check_signatures, due_items, is_readable
from .sources import is_reserved, preflight
from .tasks import Tasks

type Json = dict[str, Any]

NOW: Json = {"action": "now_display"}


@dataclass(eq=False)
class Caster:
    """Carries out ``displayPlaylist``, and refreshes what came from an address.

    Attributes:
        policy: which works the owner wants to see.
        preflight: whether newer firmware looks at the works before it shows them.
        fetch_seconds: how long the host of a playlist takes to answer.
    """

    _firmware: Firmware
    _clock: Clock
    _device: Device
    _player: Player
    _counters: Counters
    _offline: OfflineCache
    _tasks: Tasks

    def __post_init__(self) -> None:
        self.session: aiohttp.ClientSession | None = None
        self.policy = ContentPolicy()
        self.policy.on_change = self._send_again
        self._sent: tuple[Json, Json] = ({}, {})
        self.preflight = True
        self.fetch_seconds = 0.0
        self._schedule: asyncio.Task[None] | None = None

    async def cast(self, request: Json | None) -> Json:
        """Carry out the command and count it; the reply is the player's."""
        self._counters.starts += 1
        try:
            reply = await self._cast(request or {})
        except Exception:
            self._counters.failures += 1
            raise
        self._counters.failures += not reply.get("ok")
        return reply

    async def _cast(self, request: Json) -> Json:
        """Fetch, parse, validate and show a playlist."""
        raw = await self.resolve(request, offline=self._firmware.second)
        document = read_playlist(raw, self._firmware)
        _refuse_queries(document)
        if not self._firmware.second:
            return self._player.display(document, request)
        return await self._cast_second(raw, document, dict(request))

    async def _cast_second(self, raw: Json, document: Json, arguments: Json) -> Json:
        """Validate and show a playlist as newer firmware does."""
        arguments["intent"] = self._intent(arguments.get("intent"))
        self.policy.filter(raw, document, arguments)
        await self._look_at_sources(document)
        verdict = check_signatures(raw)
        status = verdict["signatureStatus"]
        if self._device.signature_mode == "strict" and status != "valid":
            raise NotPlayableError(
                f"sigInvalid: playlist rejected by strict signature verification ({status})"
            )
        if not self._defer(document, arguments.get("playlistUrl")):
            return {"ok": True, "deferred": True}
        reply = self._player.display(document, arguments)
        self._sent = raw, arguments
        if reply.get("ok") is True:
            if self._player.document is document:
                self._player.signature_status = status
            reply |= verdict
        return reply

    def _send_again(self) -> None:
        """Show what hangs again as the content policy now has it; nothing hangs of which it hides all."""
        raw, arguments = self._sent
        player = self._player
        if player.document is None or not raw:
            return
        document = read_playlist(raw, self._firmware)
        try:
            self.policy.filter(raw, document, arguments)
        except NotPlayableError:
            player.load({**document, "items": []}, player.playlist_url)
            return
        player.load(document, player.playlist_url)

    @staticmethod
    def _intent(intent: object) -> object:
        """Return the intent; newer firmware adds an action where it is missing."""
        if intent is None:
            return NOW
        if isinstance(intent, dict) and not intent.get("action"):
            return intent | NOW
        return intent

    def _defer(self, document: Json, url: str | None) -> bool:
        """Remove the items that are not due; return whether any are left."""
        if self._schedule is not None:
            self._schedule.cancel()
        items = document["items"] or []
        if not all(is_readable(item.get("displayAt")) for item in items):
            raise CommandError("playlist has invalid displayAt")
        due, upcoming = due_items(items, self._clock.now())
        if upcoming is not None:
            self._schedule = self._tasks.start(
                self._show_later(dict(document), url, upcoming)
            )
        document["items"] = due
        return bool(due) or not items

    async def _show_later(
        self, document: Json, url: str | None, upcoming: datetime | None
    ) -> None:
        """Cut over to the items of each moment when it comes."""
        while upcoming is not None:
            await self._clock.sleep(
                upcoming.timestamp() - self._clock.now().timestamp()
            )
            if url is not None:
                with suppress(CommandError):
                    document = read_playlist(await self._fetch(url), self._firmware)
            due, upcoming = due_items(document["items"], self._clock.now())
            if due:
                self._player.load({**document, "items": due}, url)

    async def resolve(self, request: Json, *, offline: bool = False) -> Json:
        """Return the document that a request names or contains; raises CommandError."""
        url = request.get("playlistUrl")
        if url is not None:
            if not isinstance(url, str) or not url:
                raise CommandError("playlistUrl is not a text")
            try:
                return await self._fetch(url)
            except CommandError:
                if offline and url in self._offline.playlists:
                    return self._offline.playlists[url]
                raise
        document = request.get("dp1_call")
        if document is None:
            raise CommandError("unknown payload type")
        if not isinstance(document, dict):
            raise CommandError("dp1_call is not an object")
        return document

    async def _fetch(self, url: str) -> Json:
        """Fetch a document."""
        await asyncio.sleep(self.fetch_seconds)
        if self.session is None or is_reserved(url):
            raise CommandError("no answer")
        try:
            async with self.session.get(url) as response:
                if not 200 <= response.status < 300:
                    raise CommandError(f"HTTP {response.status}")
                body = await response.read()
            # Without the tolerance of bytes for a byte order mark: the daemon has none.
            document = json.loads(body.decode())
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as err:
            raise CommandError(str(err)) from err
        if not isinstance(document, dict):
            raise CommandError("not an object")
        return document

    async def _look_at_sources(self, document: Json) -> None:
        """Refuse a playlist of which no source can be reached."""
        if not self.preflight or self.session is None:
            return
        reason = await preflight(
            self.session, document["items"] or [], self._offline.ready
        )
        if reason is not None:
            raise NotPlayableError(reason)

    async def refresh(self, interval: float) -> None:
        """Periodically fetch a playlist that was cast by URL; failures are silent."""
        while True:
            await self._clock.sleep(interval)
            url = self._player.playlist_url
            if url is None:
                continue
            try:
                document = read_playlist(await self._fetch(url), self._firmware)
                _refuse_queries(document)
            except CommandError:
                continue
            document["items"], _ = due_items(document["items"] or [], self._clock.now())
            if self._player.playlist_url == url:
                self._player.update(document)


def _refuse_queries(document: Json) -> None:
    """Fail a playlist with a dynamic query, as if its server did not answer."""
    if document.get("dynamicQuery") is not None or document.get("dynamicQueries"):
        raise CommandError("the query failed")


@dataclass(eq=False)
class LegacyCaster:
    """Carries out ``displayPlaylist`` of the 2025 description: either a URL or a document."""

    _caster: Caster
    _player: Player
    _strict: bool

    async def cast(self, request: Json | None) -> None:
        """Show a playlist; raises NotPlayableError with the reason if that is not possible."""
        arguments = request or {}
        if self._strict and not set(arguments) <= {"playlistUrl", "playlist", "intent"}:
            raise NotPlayableError("unknown field in request")
        given = [
            name
            for name in ("playlistUrl", "playlist")
            if arguments.get(name) is not None
        ]
        if len(given) != 1:
            raise NotPlayableError(
                "exactly one of playlistUrl and playlist is required"
            )
        document = arguments.get("playlist")
        if document is None:
            try:
                document = await self._caster.resolve(arguments)
            except CommandError as err:
                raise NotPlayableError("the playlist cannot be loaded") from err
        items = document.get("items") if isinstance(document, dict) else None
        if (
            not isinstance(items, list)
            or not items
            or not all(isinstance(item, dict) and item.get("source") for item in items)
        ):
            raise NotPlayableError("not a valid DP-1 playlist")
        self._player.load(document, arguments.get("playlistUrl"))
