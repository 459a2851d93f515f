"""What is to be shown: one shape, whoever asks for it."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Any, Final, Literal, Self

import voluptuous as vol

from homeassistant.components.media_player import (
    ATTR_MEDIA_CONTENT_ID,
    MediaPlayerEnqueue as Enqueue,
    MediaType,
    RepeatMode,
)
from homeassistant.core import Context
from homeassistant.helpers import config_validation as cv

from ..client.display.client import Start
from ..client.playlist.document import MAX_DOCUMENT
from ..client.playlist.playlist import Document, Playlist
from ..client.values import mapping
from ..display.requests import REQUEST_NUMBERS
from ..errors import invalid_input
from ..fields import (
    duration as validate_duration,
    list_up_to,
    media as media_id,
    name,
    note,
    title as title_text,
)
from ..permissions import STRANGER, Caller
from .media_ids import split_media_id

LOOPS: Mapping[RepeatMode, Literal["none", "playlist", "one"]] = {
    RepeatMode.OFF: "none",
    RepeatMode.ALL: "playlist",
    RepeatMode.ONE: "one",
}
# Of what is announced and does not say how long it lasts.
DEFAULT_DURATION: Final = timedelta(seconds=30)
MAX_MEDIA: Final = 100
# What the media picker adds.
PICKED: Final = {"media_content_type", "metadata", "entity_id"}
DETAILS: Final = {ATTR_MEDIA_CONTENT_ID, "title", "note"}


# What


@dataclass(frozen=True, slots=True)
class Address:
    """A playlist at an address."""

    url: str


@dataclass(frozen=True, slots=True)
class Inline:
    """A document, as an object or as JSON text."""

    document: Document | str


@dataclass(frozen=True, slots=True)
class Listed:
    """A playlist of a feed by its id or slug, or by its address."""

    ref: str


@dataclass(frozen=True, slots=True)
class Named:
    """An exhibition or a series of a catalog by its id, slug or title."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Medium:
    """Whatever has a media content id, an address or a link.

    Attributes:
        title: of a single work, empty for its own.
        note: why it hangs, empty for its own.
        kind: content type in lower case, empty if unknown.
    """

    media_id: str
    title: str = ""
    note: str = ""
    kind: str = ""

    @classmethod
    def of(cls, value: Any) -> Self:
        """Validate an id, an object with one, or a value of the media picker."""
        if not isinstance(value, Mapping):
            return cls(cv.string(value).strip())
        if value.keys() - DETAILS - PICKED or not value.get(ATTR_MEDIA_CONTENT_ID):
            raise vol.Invalid("an object has media_content_id, title and note")
        return cls(
            cv.string(value[ATTR_MEDIA_CONTENT_ID]).strip(),
            title_text(value.get("title", "")),
            note(value.get("note", "")),
        )


@dataclass(frozen=True, slots=True)
class Several:
    """Several media, one after the other."""

    media: tuple[Medium, ...]


@dataclass(frozen=True, slots=True)
class Ready:
    """A playlist that we have built, or that hangs already."""

    playlist: Playlist


type Art = Address | Inline | Listed | Named | Medium | Several | Ready


def _fit_together(media: list[Medium]) -> list[Medium]:
    """Raise for media that are works by themselves (``data:``) and together longer than a document."""
    if sum(len(medium.media_id) for medium in media) > MAX_DOCUMENT:
        raise vol.Invalid(f"the media are together longer than {MAX_DOCUMENT >> 20} MB")
    return media


MEDIA = vol.All(list_up_to(MAX_MEDIA, Medium.of, 1), _fit_together)
# The fields of actions that name art.
ART: Final[Mapping[str, Any]] = {
    "playlist_url": cv.string,
    "playlist": vol.Any(dict, cv.string),
    "playlist_id": name,
    "exhibition": name,
    "series": name,
    "media_content_id": media_id,
    "media": MEDIA,
}


def art_of(fields: Mapping[str, Any]) -> tuple[Art, Start]:
    """Return the art that the only field of an action names, and the place to resume that it has."""
    ((field_name, value),) = fields.items()
    match field_name:
        case "playlist_url":
            return Address(value), Start()
        case "playlist":
            return Inline(value), Start()
        case "playlist_id":
            return Listed(value), Start()
        case "media":
            return Several(tuple(value)), Start()
        case "media_content_id":
            return medium_of(value)
    return Named(field_name, value), Start()


def medium_of(
    text: str, kind: str | None = None, title: str = ""
) -> tuple[Medium, Start]:
    """Return the medium of a media content id, and the place to resume that it has."""
    playlist_id, place = split_media_id(text)
    if kind is not None and playlist_id != text:
        # A scene repeats the content type of the state, which is that of the work.
        kind = MediaType.PLAYLIST
    return Medium(playlist_id.strip(), title, kind=(kind or "").lower()), place


# How


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How it looks, other than it does by itself.

    Attributes:
        item_duration: seconds for each work.
        display: scaling, background and margin of each work, as DP-1 has them.
        limit: maximum number of works.
        texts: fields of the playlist that count instead of its own: title and note.
    """

    item_duration: float | None = None
    display: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    texts: Document = field(default_factory=dict)

    @property
    def rewrites(self) -> bool:
        """Return whether the document has to be changed, so that its URL cannot be cast."""
        return bool(self.display or self.item_duration or self.limit or self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """Where and in which order it starts.

    Attributes:
        start_at: the work to start with, from 1.
        place: where to resume, unless the rest says otherwise.
    """

    start_at: int | None = None
    shuffle: bool | None = None
    repeat: RepeatMode | None = None
    place: Start = field(default_factory=Start)

    @property
    def start(self) -> Start:
        """Return what a display is told."""
        start = self.place
        if self.start_at is not None:
            start = replace(start, work_id=None, source=None, index=self.start_at - 1)
        if self.shuffle is not None:
            start = replace(start, shuffle=self.shuffle)
        if self.repeat is not None:
            start = replace(start, loop=LOOPS[self.repeat])
        return start

    def check(self, playlist: Playlist) -> None:
        """Raise if there is no such work to start at."""
        if self.start_at and self.start_at > (works := playlist.works or 0):
            raise invalid_input(
                "no_such_work", start_at=str(self.start_at), works=str(works)
            )


@dataclass(frozen=True, slots=True)
class ForTime:
    """For a time, after which what hung before comes back.

    Attributes:
        duration: how long; None for as long as it lasts, as of speech.
    """

    duration: timedelta | None = None

    def of(self, playlist: Playlist) -> timedelta:
        """Return how long a playlist is shown."""
        if self.duration is not None:
            return self.duration
        length = playlist.length
        return timedelta(seconds=length) if length else DEFAULT_DURATION


@dataclass(frozen=True, slots=True)
class Queued:
    """Beside what hangs."""

    how: Enqueue


# None is for good.
type Term = ForTime | Queued | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be shown, and how.

    Attributes:
        art: what.
        look: how it looks.
        begin: where it starts.
        term: how long.
        wake: whether a display that sleeps is woken.
        context: of the call that asks for it; without one it is for a stranger.
        caller: who that is, once it is known.
        spread: whether each further display starts one work later.
        call: what a call that arrives once for each display has in common.
        number: tells newer requests from older ones.
    """

    art: Art
    look: Look = field(default_factory=Look)
    begin: Begin = field(default_factory=Begin)
    term: Term = None
    wake: bool = True
    context: Context | None = None
    caller: Caller = STRANGER
    spread: bool = False
    call: Hashable = None
    number: int = field(default_factory=partial(next, REQUEST_NUMBERS))

    @classmethod
    def from_fields(
        cls, what: Mapping[str, Any], data: Mapping[str, Any], context: Context
    ) -> Self:
        """Return the request of ``dp1.cast_playlist``, of which one field names the art."""
        art, place = art_of(what)
        texts: dict[str, Any] = {"title": data["title"]} if data.get("title") else {}
        if data.get("note"):
            texts["note"] = {"text": data["note"]}
        names = ("scaling", "background", "margin")
        show_for = data.get("show_for")
        return cls(
            art=art,
            look=Look(
                item_duration=data.get("item_duration"),
                display={key: data[key] for key in names if key in data},
                limit=data.get("limit"),
                texts=texts,
            ),
            begin=Begin(
                start_at=data.get("start_at"),
                shuffle=data.get("shuffle"),
                repeat=data.get("repeat"),
                place=place,
            ),
            term=None if show_for is None else ForTime(show_for),
            wake=data.get("wake", True),
            context=context,
            spread=data.get("spread", False),
        )

    @classmethod
    def from_play_media(
        cls,
        media_type: str,
        text: str,
        enqueue: Enqueue | None,
        announce: bool | None,
        extra: Mapping[str, Any],
        context: Context | None,
    ) -> Self:
        """Return the request of ``media_player.play_media``."""
        title = extra.get("title") or mapping(extra.get("metadata")).get("title")
        is_text = isinstance(title, float | int | str)
        art: Art
        art, place = medium_of(text, media_type, str(title) if is_text else "")
        term: Term = None
        if announce or extra.get("show_for") is not None:
            term = _time_of(extra)
        elif enqueue not in (None, Enqueue.REPLACE):
            term = Queued(enqueue)
        return cls(
            art=art,
            begin=Begin(place=place),
            term=term,
            context=context,
            call=(text, media_type, enqueue),
        )

    @property
    def start(self) -> Start:
        """Return where and how a display starts."""
        return self.begin.start


def _time_of(extra: Mapping[str, Any]) -> ForTime:
    """Return for how long something is shown, or raise that this is no duration."""
    value = extra.get("show_for")
    if value is None and (value := extra.get("duration")) is None:
        return ForTime()
    try:
        return ForTime(validate_duration(value))
    except vol.Invalid as err:
        raise invalid_input("not_a_duration", given=str(value)) from err
