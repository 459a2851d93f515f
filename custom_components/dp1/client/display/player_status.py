"""Status of the player of a display; parsed as in :mod:`.device_status`."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, override

from ..hosts import is_web
from ..playlist.document import unsigned
from ..playlist.manifest import MAX_NOTE, Artist, artists_in, picture_in
from ..playlist.playlist import Origin, Playlist
from ..text import MAX_TITLE, plain
from ..values import (
    Message,
    flag,
    json_field,
    json_fields,
    mapping,
    number,
    text,
    whole,
    word,
    yes,
)

# Reported for a work without an end.
_ENDLESS_SECONDS = 999_999_999
# DP-1 allows no more in a playlist.
MAX_ITEMS = 1024
MAX_ID = 200
MAX_URI = 500
_CONTRACT = ("chain", "standard", "address", "seriesId", "tokenId", "uri", "metaHash")


def _margin(value: object) -> float | str | None:
    """Parse a margin; 0 is one too."""
    pixels = number(value)
    return word(value) if pixels is None else pixels


@dataclass(frozen=True, slots=True)
class DeviceSettings(Message):
    """Settings of how works are shown.

    Attributes:
        scaling: "fit", "fill", "stretch" or "auto".
        orientation: "landscape" or "portrait".
        default_duration: seconds for works without a duration of their own; None if not set.
        tombstone: label of the work: "timed", "on" or "off".
        margin: CSS pixels, or text with a unit.
        background: color.
        offered: keys that were sent: the settings that this display has.
    """

    scaling: str | None = json_field(word, "scaling")
    orientation: str | None = json_field(word, "orientation")
    default_duration: float | None = json_field(number, "defaultDuration")
    tombstone: str | None = json_field(word, "tombstone")
    margin: float | str | None = json_field(_margin, "margin")
    background: str | None = json_field(word, "background")
    offered: frozenset[str] = frozenset()

    @classmethod
    @override
    def parse(cls, data: object) -> Self:
        """Parse ``deviceSettings``."""
        message = mapping(data)
        return cls(offered=_SETTINGS.intersection(message), **json_fields(cls, message))

    def completed_by(self, previous: Self | None) -> Self:
        """Merge these settings over earlier ones: what is left out stays, as no notification tells all; a read does."""
        if previous is None:
            return self
        kept: dict[str, Any] = {
            name: value
            for name in _SETTING_FIELDS
            if getattr(self, name) is None
            and (value := getattr(previous, name)) is not None
        }
        return replace(self, **kept, offered=self.offered | previous.offered)


_SETTING_FIELDS = (
    *("scaling", "orientation", "default_duration", "tombstone"),
    *("margin", "background"),
)
# As sent. A display that has margins tells of their revision before one is set.
_SETTINGS = frozenset(
    [
        *("scaling", "orientation", "defaultDuration", "tombstone"),
        *("margin", "background", "compositionRevision"),
    ]
)


def _duration(value: object) -> float | None:
    """Return a duration in seconds, None for a work without an end."""
    seconds = number(value)
    ends = seconds is not None and 0 <= seconds < _ENDLESS_SECONDS
    return seconds if ends else None


def _id(value: object) -> str | None:
    """Return the id of a work or a playlist."""
    return text(value, MAX_ID)


def _source(value: object) -> str | None:
    """Return the URL of a work."""
    if isinstance(value, str) and value[:5].lower() == "data:":
        return value
    return text(value)


def _provenance(value: object) -> Mapping[str, Any] | None:
    """Return the origin of a work."""
    message = mapping(value)
    contract = {
        name: entry
        for name in _CONTRACT
        if (entry := _word(mapping(message.get("contract")).get(name))) is not None
    }
    parts = {"type": word(message.get("type")), "contract": contract}
    return {name: part for name, part in parts.items() if part} or None


def _word(value: object) -> str | int | None:
    """Return an id, or a number that stands for one."""
    return text(value, MAX_URI) if isinstance(value, str) else whole(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaylistItem(Message):
    """A work of the playlist (DP-1, playlist item).

    Attributes:
        id: id of the item.
        title: plain text.
        source: URL of the work; None in notifications. A ``data`` URL may be as long as a reply.
        duration: seconds; None for a work without an end.
        license: "open", "token" or "subscription".
        ref: URL of the manifest.
        provenance: type and contract as in DP-1, with the fields that it knows.
        artists: the artists, by the manifest in the item.
        thumbnail: URL of a picture of the work, by the manifest in the item.
        note: why it hangs, in a few words of whoever hung it (playlists extension).
        raw: the item as sent: for displays and storage, never for a state.
    """

    id: str | None = json_field(_id, "id")
    title: str | None = json_field(plain(MAX_TITLE), "title")
    source: str | None = json_field(_source, "source")
    duration: float | None = json_field(_duration, "duration")
    license: str | None = json_field(word, "license")
    ref: str | None = json_field(text, "ref")
    provenance: Mapping[str, Any] | None = json_field(_provenance, "provenance")
    artists: tuple[Artist, ...] = json_field(artists_in, "inlineManifest", default=())
    thumbnail: str | None = json_field(picture_in, "inlineManifest")
    note: str | None = json_field(plain(MAX_NOTE), "note", "text")
    raw: Mapping[str, Any]

    @classmethod
    @override
    def parse(cls, data: object) -> Self:
        """Parse an entry of ``items``; anything but an object is an unknown work."""
        message = mapping(data)
        return cls(raw=message, **json_fields(cls, message))

    @property
    def address(self) -> str | None:
        """Return the URL of the work, unless it holds the work itself."""
        return text(self.source)


def _web_url(value: object) -> str | None:
    """Return a URL that a display can cast; other schemes would mean something else to whoever casts it again."""
    url = text(value)
    return url if url and is_web(url) else None


def _playlist_url(message: Mapping[str, Any]) -> str | None:
    """Return the URL that was cast, which is sent under two names."""
    for name in ("playlistUrl", "playlistURL"):
        if (sent := message.get(name)) and (url := _web_url(sent)):
            return url
    return None


def _items(value: object) -> tuple[PlaylistItem, ...]:
    """Parse a list of works; each keeps its place, and no more than can be shown are kept."""
    works = value[:MAX_ITEMS] if isinstance(value, list) else []
    return tuple(map(PlaylistItem.parse, works))


def _is_there(value: object) -> bool:
    """Return whether it is an object with members."""
    return bool(mapping(value))


def _settings(value: object) -> DeviceSettings | None:
    """Return the settings, None if there are none."""
    return DeviceSettings.parse(value) if isinstance(value, dict) else None


@dataclass(frozen=True, kw_only=True)
class PlayerStatus(Message):
    """Status of the player.

    Attributes:
        index: as sent; beyond the end the player wraps around.
        ok: the player has no problem.
        error: "overheating", "status_check_failed" or another text.
        cast_command: normally "displayPlaylist".
        playlist_url: URL that was cast, as sent; None after an inline cast.
        playlist: the DP-1 document as the display stores it; None in notifications.
        playlist_id: id of the playlist; None in notifications.
        playlist_title: title of the playlist; None in notifications.
        items: the works in playing order, shuffled if ``shuffle``.
        asleep: the display sleeps.
        settings: settings of how works are shown.
        loop_mode: "none", "playlist" or "one".
        shuffle: shuffle is on.
        render_status: of the current work: 0 pending, 1 loading, 2 ready, 3 failed.
        signature_status: "valid", "invalid" or "unsigned".
        overlay: something, such as a pairing code, covers the work.
        count: number of works, of which no more than DP-1 allows are kept.
        works: the works as sent.
    """

    index: int | None = None
    ok: bool = json_field(yes, "ok", default=False)
    error: str | None = json_field(plain(MAX_TITLE), "error")
    cast_command: str | None = json_field(word, "castCommand")
    playlist_url: str | None = None
    playlist: Mapping[str, Any] | None = None
    playlist_id: str | None = json_field(_id, "playlist", "id")
    playlist_title: str | None = json_field(plain(MAX_TITLE), "playlist", "title")
    items: tuple[PlaylistItem, ...] = ()
    asleep: bool | None = None
    settings: DeviceSettings | None = json_field(_settings, "deviceSettings")
    loop_mode: str | None = json_field(word, "loopMode")
    shuffle: bool | None = json_field(flag, "shuffle")
    render_status: int | None = json_field(whole, "renderStatus")
    signature_status: str | None = json_field(word, "signatureStatus")
    overlay: bool = json_field(_is_there, "overlay", default=False)
    count: int = 0
    works: object = field(default=None, compare=False, repr=False)

    @cached_property
    def position(self) -> int | None:
        """Return the place of the current work, counted from 1."""
        if self.index is None or not self.items:
            return None
        return self.index % self.count + 1

    @cached_property
    def current(self) -> PlaylistItem | None:
        """Return the current work, None also for one that is not kept."""
        position = self.position
        if position is None or position > len(self.items):
            return None
        return self.items[position - 1]

    @cached_property
    def item_ids(self) -> tuple[str | None, ...]:
        """Return the ids of the works in playing order."""
        return tuple([item.id for item in self.items])

    @property
    def is_whole(self) -> bool:
        """Return whether all works are kept; of a list that is not, nobody can restore the rest."""
        return self.count == len(self.items)

    @property
    def hides_works(self) -> bool:
        """Return whether the player has a problem, with which it reports no works, but keeps them (behavior seen)."""
        return not self.ok and not self.items

    @classmethod
    @override
    def parse(cls, data: object, before: Self | None = None) -> Self:
        """Parse the reply to ``checkStatus`` or a ``player_status`` notification.

        Args:
            data: the reply or the notification.
            before: the notification before, which mostly has the same works.
        """
        message = mapping(data)
        playlist = mapping(message.get("playlist"))
        if not isinstance(works := message.get("items"), list):
            works = playlist.get("items")
        playlist = _shortened(playlist)
        return cls(
            playlist_url=_playlist_url(message),
            playlist=playlist if any(playlist.values()) else None,
            index=whole(message.get("index")),
            items=before.items
            if before is not None and before.works == works
            else _items(works),
            works=works,
            count=len(works) if isinstance(works, list) else 0,
            asleep=_asleep(message),
            **json_fields(cls, message),
        )

    def as_playlist(self, find: Callable[[str], str] = str) -> Playlist:
        """Return the current playlist as far as it is reported: without its signatures, and without the queries that fill it.

        Args:
            find: returns the address of a work as it is kept.
        """
        if self.playlist_url is not None:
            return Playlist(self.playlist_url)
        document = {
            key: value
            for key, value in unsigned(self.playlist or {}).items()
            if key not in ("dynamicQuery", "dynamicQueries")
        }
        items = [_with_end(item.raw) for item in self.items]
        items = [
            {**it, "source": find(it["source"])}
            if isinstance(it.get("source"), str)
            else it
            for it in items
        ]
        return Playlist(document=document | {"items": items}, origin=Origin.OURS)

    def completed_by(self, previous: PlayerStatus | None) -> PlayerStatus:
        """Merge a notification over the status before.

        Settings are always kept. Whatever else a notification cannot carry is kept while the list is the same: the same
        URL and the same works in any order.
        """
        if previous is None:
            return self
        settings = previous.settings
        if self.settings is not None:
            merged = self.settings.completed_by(settings)
            settings = settings if merged == settings else merged
        is_same_list = self.playlist_url == previous.playlist_url and (
            self.names == previous.names
            or Counter(self.names) == Counter(previous.names)
        )
        if not is_same_list:
            return replace(self, settings=settings)
        # Works without an id may be others: the document is read again.
        is_known = self.playlist_url is not None or all(self.item_ids)
        render_status = self.render_status
        if render_status is None and self.position == previous.position:
            render_status = previous.render_status
        return replace(
            self,
            playlist=self.playlist or (previous.playlist if is_known else None),
            playlist_id=self.playlist_id or previous.playlist_id,
            playlist_title=self.playlist_title or previous.playlist_title,
            items=self._items_over(previous),
            settings=settings,
            render_status=render_status,
            signature_status=self.signature_status or previous.signature_status,
        )

    def _items_over(self, previous: PlayerStatus) -> tuple[PlaylistItem, ...]:
        """Return the works as they were read, in the order of now: by unique id and title, if that is another."""
        if self.names == previous.names:
            return previous.items
        counts = Counter(previous.names)
        read = dict(zip(previous.names, previous.items, strict=True))
        pairs = zip(self.names, self.items, strict=True)
        return tuple(
            [
                read[name] if name[0] is not None and counts[name] == 1 else item
                for name, item in pairs
            ]
        )

    @cached_property
    def names(self) -> list[tuple[str | None, str | None]]:
        """Return id and title of each work, in playing order."""
        return [(item.id, item.title) for item in self.items]


def _with_end(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item without the duration that means unlimited."""
    return {
        key: value
        for key, value in item.items()
        if key != "duration" or _duration(value) is not None
    }


def _shortened(playlist: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a document without the works that are not kept."""
    items = playlist.get("items")
    if isinstance(items, list) and len(items) > MAX_ITEMS:
        return {**playlist, "items": items[:MAX_ITEMS]}
    return playlist


def _asleep(message: Mapping[str, Any]) -> bool | None:
    """Parse whether the display sleeps, which is sent under two names."""
    flags = (flag(message.get("isPaused")), flag(message.get("sleepMode")))
    return True if True in flags else False if False in flags else None
