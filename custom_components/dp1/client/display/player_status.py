"""What a display says of what it shows; read as in :mod:`.device_status`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from ..values import flag, mapping, number, text, whole

# What the player reports for a work that stays until somebody changes it.
_STAYS_SECONDS = 999_999_999


@dataclass(frozen=True, slots=True)
class DeviceSettings:
    """How a display shows works.

    Attributes:
        scaling: "fit", "fill", "stretch" or "auto".
        orientation: "landscape" or "portrait".
        default_duration: seconds for works that bring no duration of their own; None while not set.
        tombstone: the museum label: "timed", "on" or "off".
        margin: CSS pixels, or text with a unit.
        background: color.
        framing: "artwork", "fit" or "fill".
        showing_key: names the showing that a temporary setting is meant for.
        composition_revision: grows with each accepted setting.
        offered: keys on the wire that were present, which is what this display can be told.
    """

    scaling: str | None
    orientation: str | None
    default_duration: float | None
    tombstone: str | None
    margin: float | str | None
    background: str | None
    framing: str | None
    showing_key: str | None
    composition_revision: int | None
    offered: frozenset[str]

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the object ``deviceSettings``."""
        given = mapping(data)
        return cls(
            scaling=text(given.get("scaling")),
            orientation=text(given.get("orientation")),
            default_duration=number(given.get("defaultDuration")),
            tombstone=text(given.get("tombstone")),
            margin=_margin(given.get("margin")),
            background=text(given.get("background")),
            framing=text(given.get("framing")),
            showing_key=text(given.get("showingKey")),
            composition_revision=whole(given.get("compositionRevision")),
            offered=frozenset(given),
        )

    def over(self, previous: Self | None) -> Self:
        """Lay these over earlier ones.

        Older firmware leaves whole groups of settings out of its pushes. A group of which nothing came is kept,
        one of which something came is taken as it is: there, a missing value was cleared.
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


# Settings that come, or are left out, together: key on the wire to name of the field.
_SETTING_GROUPS: tuple[Mapping[str, str], ...] = (
    {"scaling": "scaling"},
    {"orientation": "orientation"},
    {"tombstone": "tombstone", "defaultDuration": "default_duration"},
    {
        "showingKey": "showing_key",
        "compositionRevision": "composition_revision",
        "margin": "margin",
        "background": "background",
        "framing": "framing",
    },
)


def _margin(value: object) -> float | str | None:
    """Read a margin: 0 is one too."""
    found = number(value)
    return text(value) if found is None else found


@dataclass(frozen=True, slots=True)
class PlaylistItem:
    """One work of the playlist.

    Attributes:
        id: id of the item.
        title: as sent, not cleaned.
        source: URL of the work; None in pushes, which never carry it.
        duration: seconds; None if the work stays until somebody changes it.
        license: "open", "token" or "subscription".
        ref: URL of the work's manifest.
        provenance: where the work comes from, as in the DP-1 specification.
        raw: everything that was sent.
    """

    id: str | None
    title: str | None
    source: str | None
    duration: float | None
    license: str | None
    ref: str | None
    provenance: Mapping[str, Any] | None
    raw: Mapping[str, Any]

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read one entry of ``items``; anything but an object is a work that nothing is known of."""
        given = mapping(data)
        duration = number(given.get("duration"))
        return cls(
            id=text(given.get("id")),
            title=text(given.get("title")),
            source=text(given.get("source")),
            duration=duration if duration is not None and _passes(duration) else None,
            license=text(given.get("license")),
            ref=text(given.get("ref")),
            provenance=mapping(given.get("provenance")) or None,
            raw=given,
        )

    def over(self, previous: Self) -> Self:
        """Lay a pushed work over what was known of the same work, which pushes leave out."""
        news = {
            key: value for key, value in self.raw.items() if value not in ("", None)
        }
        merged = {**previous.raw, **news}
        return previous if merged == previous.raw else self.parse(merged)


def _passes(duration: float) -> bool:
    """Whether a work of this duration ever ends."""
    return 0 <= duration < _STAYS_SECONDS


def _items(value: object) -> tuple[PlaylistItem, ...] | None:
    """Read a list of works; each keeps its place."""
    if not isinstance(value, list):
        return None
    return tuple(PlaylistItem.parse(entry) for entry in value)


@dataclass(frozen=True, slots=True)
class PlayerStatus:
    """What a display shows.

    Attributes:
        ok: the player is well.
        error: "overheating", "status_check_failed" or other words, if it is not.
        cast_command: normally "displayPlaylist".
        playlist_url: URL that was cast, as it was sent; None after an inline cast.
        playlist: the DP-1 document as the display keeps it; None in pushes, which carry an empty one.
        playlist_id: id of the playlist, not in pushes.
        playlist_title: title of the playlist, not in pushes.
        index: as sent: may lie beyond the end, where the player counts on from the start.
        items: the works in the order they are played, so shuffled if ``shuffle``.
        asleep: nothing is visible because the display sleeps.
        settings: how works are shown.
        loop_mode: "none", "playlist" or "one".
        shuffle: the order is a random one.
        render_status: of the current work: 0 pending, 1 loading, 2 ready, 3 failed.
        signature_status: "valid", "invalid" or "unsigned".
        overlay: something, a pairing code for one, is painted over the work.
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

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the reply to ``checkStatus``, or the message of a push of type ``player_status``."""
        given = mapping(data)
        playlist = mapping(given.get("playlist"))
        settings = given.get("deviceSettings")
        items = _items(given.get("items"))
        return cls(
            ok=given.get("ok") is True,
            error=text(given.get("error")),
            cast_command=text(given.get("castCommand")),
            playlist_url=text(given.get("playlistUrl"))
            or text(given.get("playlistURL")),
            playlist=playlist if any(playlist.values()) else None,
            playlist_id=text(playlist.get("id")),
            playlist_title=text(playlist.get("title")),
            index=whole(given.get("index")),
            items=(_items(playlist.get("items")) or ()) if items is None else items,
            asleep=_asleep(given),
            settings=DeviceSettings.parse(settings)
            if isinstance(settings, dict)
            else None,
            loop_mode=text(given.get("loopMode")),
            shuffle=flag(given.get("shuffle")),
            render_status=whole(given.get("renderStatus")),
            signature_status=text(given.get("signatureStatus")),
            overlay=bool(mapping(given.get("overlay"))),
        )

    @property
    def position(self) -> int | None:
        """Place of the current work, counted from 1."""
        if self.index is None or not self.items:
            return None
        return self.index % len(self.items) + 1

    @property
    def current(self) -> PlaylistItem | None:
        """The work on the wall."""
        return None if self.position is None else self.items[self.position - 1]

    @property
    def item_ids(self) -> tuple[str | None, ...]:
        """Ids of the works, in the order they are played."""
        return tuple(item.id for item in self.items)

    def over(self, previous: PlayerStatus | None) -> PlayerStatus:
        """Lay this push over what was known.

        Settings belong to the display and are always kept. The rest of what a push cannot carry is kept as long as
        the list is the same: the same URL and the same set of works, in any order.
        """
        if previous is None:
            return self
        if self.settings is None:
            status = replace(self, settings=previous.settings)
        else:
            status = replace(self, settings=self.settings.over(previous.settings))
        return _with_known(status, previous) if _same_list(self, previous) else status


def _same_list(one: PlayerStatus, other: PlayerStatus) -> bool:
    """Whether both speak of the same works, in whichever order."""
    return one.playlist_url == other.playlist_url and (
        one.item_ids == other.item_ids
        or Counter(one.item_ids) == Counter(other.item_ids)
    )


def _with_known(status: PlayerStatus, previous: PlayerStatus) -> PlayerStatus:
    """Fill in what was known of the same list."""
    render_status = status.render_status
    if render_status is None and status.position == previous.position:
        render_status = previous.render_status
    return replace(
        status,
        playlist=status.playlist or previous.playlist,
        playlist_id=status.playlist_id or previous.playlist_id,
        playlist_title=status.playlist_title or previous.playlist_title,
        signature_status=status.signature_status or previous.signature_status,
        items=_over_items(status.items, previous.items),
        render_status=render_status,
    )


def _over_items(
    pushed: tuple[PlaylistItem, ...], known: tuple[PlaylistItem, ...]
) -> tuple[PlaylistItem, ...]:
    """Lay pushed works over known ones: place by place in the same order, else by what names them uniquely."""
    names = [(item.id, item.title) for item in known]
    if [(item.id, item.title) for item in pushed] == names:
        return tuple(
            item.over(before) for item, before in zip(pushed, known, strict=True)
        )
    often = Counter(names)
    by_name = {
        name: item
        for name, item in zip(names, known, strict=True)
        if often[name] == 1 and name[0]
    }
    return tuple(
        item.over(by_name[name]) if (name := (item.id, item.title)) in by_name else item
        for item in pushed
    )


def _asleep(given: Mapping[str, Any]) -> bool | None:
    """Read whether the page is the one for sleeping, which goes by two names."""
    said = (flag(given.get("isPaused")), flag(given.get("sleepMode")))
    return True if True in said else False if False in said else None
