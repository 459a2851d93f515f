"""What a display has been given lately, so that it can be named, and shown again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.json import json_bytes
from homeassistant.helpers.storage import Store
from homeassistant.util import dt as dt_util

from ..client.display.casts import Cast
from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.text import clean
from ..const import DOMAIN

STORAGE_VERSION = 1
MEDIA_ID: Final = f"{DOMAIN}://recent/"
MAX_LISTS = 30
# The largest document that a display takes.
MAX_SIZE = 4 * 1024 * 1024
TITLE_LENGTH = 200
# What the player reports for a work that stays until somebody changes it.
STAYS_SECONDS = 999_999_999


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One list that a display was given.

    Attributes:
        media_id: names it for good: its URL, or an address that only Home Assistant understands.
        title: of the playlist.
        cast: what shows it again.
        cast_at: when it was last seen to come.
    """

    media_id: str
    title: str | None
    cast: Cast
    cast_at: datetime


class History:
    """The lists that one display was given lately, by Home Assistant or by anybody else.

    Attributes:
        paused: what the display is given hangs only for a moment, and is not kept.
    """

    def __init__(self, hass: HomeAssistant, entry_id: str) -> None:
        """Start with none."""
        self._hass = hass
        self._store: Store[list[dict[str, Any]]] = Store(
            hass, STORAGE_VERSION, f"{DOMAIN}.history.{entry_id}", private=True
        )
        self._given: dict[str, HistoryEntry] = {}
        self._seen: tuple[str | None, tuple[PlaylistItem, ...], bool] | None = None
        self._shown: HistoryEntry | None = None
        self.paused = False

    async def async_load(self) -> None:
        """Read what was kept."""
        for kept in await self._store.async_load() or ():
            given = HistoryEntry(
                kept["media_id"],
                kept["title"],
                Cast(kept["playlist_url"], kept["playlist"]),
                datetime.fromisoformat(kept["cast_at"]),
            )
            self._given[given.media_id] = given

    async def async_remove(self) -> None:
        """Forget everything, for good."""
        await self._store.async_remove()

    def entries(self) -> list[HistoryEntry]:
        """List what was given, the latest first."""
        return list(reversed(self._given.values()))

    def get(self, media_id: str) -> HistoryEntry | None:
        """Look up what was given by its id."""
        return self._given.get(media_id)

    @callback
    def add(self, cast: Cast) -> None:
        """Keep what the display was just given, whole, as it will tell only a part of it."""
        media_id = media_id_of(cast)
        if media_id is None or self.paused:
            return
        known = self._given.get(media_id)
        title = (cast.playlist or {}).get("title") or (known.title if known else None)
        self._keep(media_id, title, cast)

    @callback
    def current(self, player: PlayerStatus) -> HistoryEntry | None:
        """Tell which of the lists hangs now, and keep it if somebody else gave it to the display."""
        seen = (player.playlist_url, player.items, player.playlist is None)
        if seen != self._seen:
            self._shown = self._find(player)
            self._seen = seen
        return self._shown

    def _find(self, player: PlayerStatus) -> HistoryEntry | None:
        """Look up what hangs. More may be known once the display was asked for what pushes leave out."""
        media_id = player.playlist_url or _media_id(i.source for i in player.items)
        if media_id is None:
            return None
        known = self._given.get(media_id)
        if player.playlist is None or self.paused:
            return known
        title = player.playlist_title or (known.title if known else None)
        latest = next(reversed(self._given.values()), None)
        if known is None or known is not latest or known.title != _title(title):
            known = self._keep(
                media_id, title, known.cast if known else cast_of(player)
            )
        return known

    def _keep(self, media_id: str, title: object, cast: Cast) -> HistoryEntry:
        """Put it on top, and drop what is too old or too much."""
        self._given.pop(media_id, None)
        new = HistoryEntry(media_id, _title(title), cast, dt_util.utcnow())
        self._given[media_id] = new
        self._seen = None
        size = 0
        for place, given in enumerate(self.entries()):
            size += len(json_bytes(given.cast.playlist))
            if place and (place >= MAX_LISTS or size > MAX_SIZE):
                del self._given[given.media_id]
        self._hass.async_create_task(
            self._store.async_save(
                [
                    {
                        "media_id": given.media_id,
                        "title": given.title,
                        "playlist_url": given.cast.playlist_url,
                        "playlist": given.cast.playlist,
                        "cast_at": given.cast_at.isoformat(),
                    }
                    for given in self._given.values()
                ]
            ),
            f"{DOMAIN} keep recent",
        )
        return new


def _title(title: object) -> str | None:
    """Take the markup out of a title."""
    return clean(title, TITLE_LENGTH) or None if title else None


def cast_of(player: PlayerStatus) -> Cast:
    """Make what shows the same list again, from all that the display tells of it."""
    if player.playlist_url:
        return Cast(playlist_url=player.playlist_url)
    kept = {
        key: value
        for key, value in (player.playlist or {}).items()
        if key not in ("signature", "signatures", "dynamicQuery", "dynamicQueries")
    }
    return Cast(playlist={**kept, "items": [_item(item.raw) for item in player.items]})


def _item(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the duration that stands for none."""
    item = dict(raw)
    duration = item.get("duration")
    if isinstance(duration, int | float) and duration >= STAYS_SECONDS:
        del item["duration"]
    return item


def media_id_of(cast: Cast) -> str | None:
    """Name a list so that it can be found again."""
    items = (cast.playlist or {}).get("items") or ()
    return cast.playlist_url or _media_id(item.get("source") for item in items)


def _media_id(sources: Iterable[object]) -> str | None:
    """Name a list without a URL by its works in any order; None if not all of them are known."""
    given = list(sources)
    known = sorted(source for source in given if isinstance(source, str) and source)
    if not known or len(known) < len(given):
        return None
    return MEDIA_ID + sha256("\n".join(known).encode()).hexdigest()[:16]
