"""Status of the player of a display; parsed as in :mod:`.device_status`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from ..playlist.manifest import MAX_NOTE, about_artist_in, artist_in, picture_in
from ..text import MAX_TITLE, clean
from ..url import read_url
from ..values import flag, mapping, number, text, whole
from .device_status import MAX_WORD

# Reported for a work without an end.
_ENDLESS_SECONDS = 999_999_999
# DP-1 allows no more in a playlist.
MAX_ITEMS = 1024
MAX_ID = 200
MAX_URI = 500
_CONTRACT = ("chain", "standard", "address", "seriesId", "tokenId", "uri", "metaHash")


@dataclass(frozen=True, slots=True)
class DeviceSettings:
    """Settings of how works are shown.

    Attributes:
        scaling: "fit", "fill", "stretch" or "auto".
        orientation: "landscape" or "portrait".
        default_duration: seconds for works without a duration of their own; None if not set.
        tombstone: label of the work: "timed", "on" or "off".
        margin: CSS pixels, or text with a unit.
        background: color.
        framing: "artwork", "fit" or "fill".
        offered: keys that were sent: the settings that this display has.
    """

    scaling: str | None
    orientation: str | None
    default_duration: float | None
    tombstone: str | None
    margin: float | str | None
    background: str | None
    framing: str | None
    offered: frozenset[str]

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse ``deviceSettings``."""
        given = mapping(data)
        return cls(
            scaling=text(given.get("scaling"), MAX_WORD),
            orientation=text(given.get("orientation"), MAX_WORD),
            default_duration=number(given.get("defaultDuration")),
            tombstone=text(given.get("tombstone"), MAX_WORD),
            margin=_margin(given.get("margin")),
            background=text(given.get("background"), MAX_WORD),
            framing=text(given.get("framing"), MAX_WORD),
            offered=frozenset(given) & _SETTINGS,
        )

    def over(self, previous: Self | None) -> Self:
        """Merge these settings over earlier ones.

        Older firmware leaves whole groups of settings out of its notifications. A group without any key is kept; in a
        group with some, a missing key was cleared.
        """
        if previous is None:
            return self
        kept: dict[str, Any] = {
            name: getattr(previous, name)
            for group in _SETTING_GROUPS
            if self.offered.isdisjoint(group)
            for name in group.values()
        }
        return replace(self, **kept, offered=self.offered | previous.offered)


# Groups of settings that are sent or left out together: key to field.
_SETTING_GROUPS: tuple[Mapping[str, str], ...] = (
    {"scaling": "scaling"},
    {"orientation": "orientation"},
    {"tombstone": "tombstone", "defaultDuration": "default_duration"},
    {
        "margin": "margin",
        "background": "background",
        "framing": "framing",
    },
)


# A display that has margins tells of their revision before one is set.
_SETTINGS = frozenset({"compositionRevision"}).union(*_SETTING_GROUPS)


def _margin(value: object) -> float | str | None:
    """Parse a margin; 0 is one too."""
    found = number(value)
    return text(value, MAX_WORD) if found is None else found


@dataclass(frozen=True, slots=True)
class PlaylistItem:
    """A work of the playlist (DP-1, playlist item).

    Attributes:
        id: id of the item.
        title: plain text.
        source: URL of the work; None in notifications. A ``data`` URL may be as long as a reply.
        duration: seconds; None for a work without an end.
        license: "open", "token" or "subscription".
        ref: URL of the manifest.
        provenance: type and contract as in DP-1, with the fields that it knows.
        artist: names of the artists, by the manifest in the item.
        thumbnail: URL of a picture of the work, by the manifest in the item.
        note: why it hangs, in a few words of whoever hung it (playlists extension).
        about_artist: biographies of the artists, by the manifest in the item.
        raw: the item as sent: for displays and storage, never for a state.
    """

    id: str | None
    title: str | None
    source: str | None
    duration: float | None
    license: str | None
    ref: str | None
    provenance: Mapping[str, Any] | None
    artist: str | None
    thumbnail: str | None
    note: str | None
    about_artist: str | None
    raw: Mapping[str, Any]

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse an entry of ``items``; anything but an object is an unknown work."""
        given = mapping(data)
        duration = number(given.get("duration"))
        manifest = given.get("inlineManifest")
        return cls(
            id=text(given.get("id"), MAX_ID),
            title=clean(given.get("title"), MAX_TITLE) or None,
            source=_source(given.get("source")),
            duration=duration
            if duration is not None and 0 <= duration < _ENDLESS_SECONDS
            else None,
            license=text(given.get("license"), MAX_WORD),
            ref=text(given.get("ref")),
            provenance=_provenance(given.get("provenance")),
            artist=artist_in(manifest),
            thumbnail=picture_in(manifest),
            note=clean(mapping(given.get("note")).get("text"), MAX_NOTE) or None,
            about_artist=about_artist_in(manifest),
            raw=given,
        )

    @property
    def address(self) -> str | None:
        """Return the URL of the work, unless it holds the work itself."""
        return text(self.source)

    def over(self, previous: Self) -> Self:
        """Merge a pushed work over the same work as known before."""
        news = {
            key: value for key, value in self.raw.items() if value not in ("", None)
        }
        merged = {**previous.raw, **news}
        return previous if merged == previous.raw else self.parse(merged)


def _web_url(value: object) -> str | None:
    """Return a URL that a display can cast; other schemes would mean something else to whoever casts it again."""
    url = text(value)
    if not url or not url.lower().startswith(("http://", "https://")):
        return None
    try:
        read_url(url)
    except ValueError:
        return None
    return url


def _source(value: object) -> str | None:
    """Return the URL of a work."""
    if isinstance(value, str) and value[:5].lower() == "data:":
        return value
    return text(value)


def _provenance(value: object) -> Mapping[str, Any] | None:
    """Return what is known of the origin of a work."""
    given = mapping(value)
    contract = {
        name: word
        for name in _CONTRACT
        if (word := _word(mapping(given.get("contract")).get(name))) is not None
    }
    parts = {"type": text(given.get("type"), MAX_WORD), "contract": contract}
    return {name: part for name, part in parts.items() if part} or None


def _word(value: object) -> str | int | None:
    """Return an id, or a number that stands for one."""
    return text(value, MAX_URI) if isinstance(value, str) else whole(value)


def _items(value: object) -> tuple[PlaylistItem, ...] | None:
    """Parse a list of works; each keeps its place, and no more than can be shown are kept."""
    if not isinstance(value, list):
        return None
    return tuple(PlaylistItem.parse(entry) for entry in value[:MAX_ITEMS])


@dataclass(frozen=True, slots=True)
class PlayerStatus:
    """Status of the player.

    Attributes:
        ok: the player has no problem.
        error: "overheating", "status_check_failed" or another text.
        cast_command: normally "displayPlaylist".
        playlist_url: URL that was cast, as sent; None after an inline cast.
        playlist: the DP-1 document as the display stores it; None in notifications.
        playlist_id: id of the playlist; None in notifications.
        playlist_title: title of the playlist; None in notifications.
        index: as sent; beyond the end the player wraps around.
        items: the works in playing order, shuffled if ``shuffle``.
        asleep: the display sleeps.
        settings: settings of how works are shown.
        loop_mode: "none", "playlist" or "one".
        shuffle: shuffle is on.
        render_status: of the current work: 0 pending, 1 loading, 2 ready, 3 failed.
        signature_status: "valid", "invalid" or "unsigned".
        overlay: something, such as a pairing code, covers the work.
        position: the place of the current work, counted from 1.
        current: the current work.
        item_ids: the ids of the works in playing order.
    """

    ok: bool
    error: str | None
    cast_command: str | None
    playlist_url: str | None
    playlist: Mapping[str, Any] | None
    playlist_id: str | None
    playlist_title: str | None
    index: int | None
    items: tuple[PlaylistItem, ...]
    asleep: bool | None
    settings: DeviceSettings | None
    loop_mode: str | None
    shuffle: bool | None
    render_status: int | None
    signature_status: str | None
    overlay: bool
    position: int | None = field(init=False, compare=False, repr=False)
    current: PlaylistItem | None = field(init=False, compare=False, repr=False)
    item_ids: tuple[str | None, ...] = field(init=False, compare=False, repr=False)

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse the reply to ``checkStatus`` or a ``player_status`` notification."""
        given = mapping(data)
        playlist = _shortened(mapping(given.get("playlist")))
        settings = given.get("deviceSettings")
        items = _items(given.get("items"))
        return cls(
            ok=given.get("ok") is True,
            error=clean(given.get("error"), MAX_TITLE) or None,
            cast_command=text(given.get("castCommand"), MAX_WORD),
            playlist_url=_web_url(given.get("playlistUrl"))
            or _web_url(given.get("playlistURL")),
            playlist=playlist if any(playlist.values()) else None,
            playlist_id=text(playlist.get("id"), MAX_ID),
            playlist_title=clean(playlist.get("title"), MAX_TITLE) or None,
            index=_index(given),
            items=(_items(playlist.get("items")) or ()) if items is None else items,
            asleep=_asleep(given),
            settings=DeviceSettings.parse(settings)
            if isinstance(settings, dict)
            else None,
            loop_mode=text(given.get("loopMode"), MAX_WORD),
            shuffle=flag(given.get("shuffle")),
            render_status=whole(given.get("renderStatus")),
            signature_status=text(given.get("signatureStatus"), MAX_WORD),
            overlay=bool(mapping(given.get("overlay"))),
        )

    def __post_init__(self) -> None:
        """Note what is asked for again and again."""
        position = current = None
        if self.index is not None and self.items:
            position = self.index % len(self.items) + 1
            current = self.items[position - 1]
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "current", current)
        object.__setattr__(self, "item_ids", tuple([item.id for item in self.items]))

    def is_same_but_for_work(self, other: PlayerStatus) -> bool:
        """Return whether both are the same but for the place in the same list, and how the work there loads."""
        return (
            (self.current is None) is (other.current is None)
            and self.playlist is other.playlist
            and self.asleep is other.asleep
            and self.shuffle is other.shuffle
            and self.ok is other.ok
            and self.loop_mode == other.loop_mode
            and self.error == other.error
            and self.playlist_url == other.playlist_url
            and self.settings == other.settings
            and self.item_ids == other.item_ids
        )

    def over(self, previous: PlayerStatus | None) -> PlayerStatus:
        """Merge a notification over the status known before.

        Settings are always kept. Whatever else a notification cannot carry is kept while the list is the same: the same
        URL and the same works in any order.
        """
        if previous is None:
            return self
        settings = previous.settings
        if self.settings is not None:
            settings = self.settings.over(settings)
        if not _same_list(self, previous):
            return replace(self, settings=settings)
        render_status = self.render_status
        if render_status is None and self.position == previous.position:
            render_status = previous.render_status
        # Slow to replace: this is done for each push.
        return PlayerStatus(
            ok=self.ok,
            error=self.error,
            cast_command=self.cast_command,
            playlist_url=self.playlist_url,
            playlist=self.playlist or previous.playlist,
            playlist_id=self.playlist_id or previous.playlist_id,
            playlist_title=self.playlist_title or previous.playlist_title,
            index=self.index,
            items=_over_items(self.items, previous.items),
            asleep=self.asleep,
            settings=settings,
            loop_mode=self.loop_mode,
            shuffle=self.shuffle,
            render_status=render_status,
            signature_status=self.signature_status or previous.signature_status,
            overlay=self.overlay,
        )


def _same_list(status: PlayerStatus, other: PlayerStatus) -> bool:
    """Return whether both have the same works, in any order."""
    return status.playlist_url == other.playlist_url and (
        status.item_ids == other.item_ids
        or Counter(status.item_ids) == Counter(other.item_ids)
    )


def _over_items(
    pushed: tuple[PlaylistItem, ...], known: tuple[PlaylistItem, ...]
) -> tuple[PlaylistItem, ...]:
    """Merge pushed works over known ones, by place if the order is the same, else by unique id and title."""
    if len(pushed) == len(known) and all(
        item.id == before.id and item.title == before.title
        for item, before in zip(pushed, known, strict=True)
    ):
        return tuple(
            [item.over(before) for item, before in zip(pushed, known, strict=True)]
        )
    names = [(item.id, item.title) for item in known]
    by_name: dict[tuple[str | None, str | None], PlaylistItem | None] = {}
    for name, item in zip(names, known, strict=True):
        by_name[name] = None if name in by_name or name[0] is None else item
    return tuple(
        item.over(before) if (before := by_name.get((item.id, item.title))) else item
        for item in pushed
    )


def _shortened(playlist: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a document without the works that are not kept."""
    items = playlist.get("items")
    if isinstance(items, list) and len(items) > MAX_ITEMS:
        return {**playlist, "items": items[:MAX_ITEMS]}
    return playlist


def _index(given: Mapping[str, Any]) -> int | None:
    """Parse the index; None for a work that is not kept."""
    index, items = whole(given.get("index")), given.get("items")
    if index is None or not isinstance(items, list) or len(items) <= MAX_ITEMS:
        return index
    return index if (index := index % len(items)) < MAX_ITEMS else None


def _asleep(given: Mapping[str, Any]) -> bool | None:
    """Parse whether the display sleeps, which is sent under two names."""
    flags = (flag(given.get("isPaused")), flag(given.get("sleepMode")))
    return True if True in flags else False if False in flags else None
