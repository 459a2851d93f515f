"""Models of the exhibition catalog: only the fields that are used, tolerant of everything else.

The shapes are those of the catalog's public answers. Every field but the id may be missing, null or of another type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
import re
from typing import Any, ClassVar, Self

from ..text import MAX_TITLE, clean, host_of
from ..values import json_field, json_fields, mapping, moment, objects, whole

MAX_TEXT = 8192


def as_text(value: object) -> str:
    """Return a text without outer white space; empty if it is too long or not encodable."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return ""
    try:
        value.encode()
    except UnicodeEncodeError:
        return ""
    return value.strip()


def texts_in(data: Mapping[str, Any], *names: str) -> tuple[str, ...]:
    """Return the fields that have a text."""
    return tuple(text for name in names if (text := as_text(data.get(name))))


def as_title(*candidates: object) -> str:
    """Return the first readable text."""
    return next((text for value in candidates if (text := clean(value, MAX_TITLE))), "")


def as_key(value: object) -> str:
    """Return an id; numbers are accepted."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return as_text(value)


def as_integer(value: object) -> int | None:
    """Return an integer; text is accepted."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value.strip()):
        return int(value)
    return whole(value)


def as_moment(value: object) -> datetime | None:
    """Return a moment (RFC 3339) in UTC; the catalog writes year 1 for none."""
    return moment(as_text(value), UTC)


MAX_PEOPLE = 200
# A biography may be as long as a page; this is as much as a label has place for.
MAX_ABOUT = 600
MAX_WEBSITE = 200


@dataclass(frozen=True, slots=True)
class Alumni:
    """An artist or curator.

    Attributes:
        id: id.
        name: name as they sign.
        slug: for their web page.
        about: the beginning of their biography, and the place where they live.
        website: its address, empty unless it is one.
        pictures: addresses of a portrait, relative or absolute.
    """

    id: str
    name: str
    slug: str = ""
    about: str = ""
    website: str = ""
    pictures: tuple[str, ...] = ()

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Parse an alumni object, by itself or inside ``alumniAccount``; None without a name."""
        data = mapping(data)
        data = mapping(data.get("alumniAccount")) or data
        if not (name := as_title(data.get("alias"), data.get("fullName"))):
            return None
        key = as_key(data.get("ID") or data.get("id"))
        home, bio = clean(data.get("location"), 100), clean(data.get("bio"), MAX_ABOUT)
        about = f"{home}. {bio}" if home and bio else bio or home
        website = as_text(data.get("website"))[:MAX_WEBSITE]
        return cls(
            key,
            name,
            as_text(data.get("slug")),
            about,
            website if host_of(website) else "",
            texts_in(data, "avatarDisplay", "avatarURI"),
        )


def people_of(value: object) -> tuple[Alumni, ...]:
    """Return the alumni of a list; entries may be null."""
    people = map(Alumni.parse, objects(value, MAX_PEOPLE))
    return tuple(person for person in people if person)


def collective_of(value: object) -> tuple[Alumni, ...]:
    """Return an artist with the members of their collective, unless its name already includes them."""
    data = mapping(value)
    data = mapping(data.get("alumniAccount")) or data
    artist = Alumni.parse(data)
    people = [artist] if artist else []
    for other in people_of(data.get("collaborationAlumniAccounts")):
        if not any(other.name in each.name for each in people):
            people.append(other)
    return tuple(people)


def token_identity(data: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return chain, contract and token: as resolved by the catalog, else of the swap that moved the work.

    Field names as the catalog's public answers have them, newer ones first.
    """
    ways = (
        (data, "chain", "tokenID"),
        (mapping(data.get("successfulSwap")), "blockchainType", "token"),
        (mapping(data.get("swap")), "blockchainType", "token"),
    )
    identities = [
        (chain, contract, _token_id(part.get(token_name), chain))
        for part, chain_name, token_name in ways
        if (chain := as_text(part.get(chain_name)).lower())
        and (contract := as_text(part.get("contractAddress")))
    ]
    complete = next((identity for identity in identities if identity[2]), None)
    return complete or (as_text(data.get("chain")), "", "")


def _token_id(value: object, chain: str) -> str:
    """Return the number of a token as text; hexadecimal is written decimal but for Tezos and Bitmark."""
    text = as_key(value)
    if chain not in ("tezos", "bitmark"):
        hexadecimal = re.fullmatch(
            r"(?:0x)?([0-9a-f]{64})|0x([0-9a-f]{1,64})", text, re.IGNORECASE
        )
        if hexadecimal and not text.isdecimal():
            return str(int(hexadecimal[1] or hexadecimal[2], 16))
    return text


class ExhibitionKind(StrEnum):
    """The kind of an exhibition: of one artist or several."""

    SOLO = "solo"
    GROUP = "group"


class Model(StrEnum):
    """The relation of the works of a series to each other."""

    SINGLE = "single"
    MULTI = "multi"
    MULTI_UNIQUE = "multi_unique"


def _model(value: object) -> Model | None:
    """Return how works relate to each other."""
    return next((model for model in Model if model == value), None)


def _index(value: object) -> int | None:
    """Return the index of a work, if it is not negative."""
    index = as_integer(value)
    return index if index is not None and index >= 0 else None


def _lower(value: object) -> str:
    """Return a text in lower case."""
    return as_text(value).lower()


def _key_and_title(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the id of a record, empty if there is none, and its title: that, or its slug or id."""
    key = as_key(data.get("id"))
    title = as_title(data.get("title"), data.get("name"))
    return key, title or as_text(data.get("slug")) or key


@dataclass(frozen=True, slots=True)
class Exhibition:
    """An exhibition.

    Attributes:
        path: of the list of all, in the catalog's interface.
        id: id.
        title: plain text; the slug or id if there is none.
        slug: for its web page.
        number: number of the exhibition, as text like ``"048"``.
        opens_at: when it opens; may be in the future.
        preview_seconds: how long before the opening it can be seen.
        kind: solo or group.
        visible: whether it is public.
        note: plain text, shortened.
        pictures: URLs or paths of its cover, best first, as sent.
        artists: the artists.
        curator: the curator.
        updated_at: when the catalog last changed it.
    """

    path: ClassVar[str] = "exhibitions"

    id: str
    title: str
    slug: str = json_field(as_text, "slug", default="")
    number: str = json_field(as_text, "ordinalLabel", default="")
    opens_at: datetime | None = json_field(as_moment, "exhibitionStartAt")
    preview_seconds: int = json_field(
        lambda value: max(as_integer(value) or 0, 0), "previewDuration", default=0
    )
    kind: ExhibitionKind = ExhibitionKind.GROUP
    visible: bool = True
    note: str = ""
    pictures: tuple[str, ...] = ()
    artists: tuple[Alumni, ...] = ()
    curator: Alumni | None = None
    updated_at: datetime | None = json_field(as_moment, "updatedAt")

    @property
    def viewable_from(self) -> datetime | None:
        """Return when its works can first be seen."""
        if self.opens_at is None:
            return None
        try:
            return self.opens_at - timedelta(seconds=self.preview_seconds)
        except OverflowError:
            return self.opens_at

    def viewable(self, now: datetime) -> bool:
        """Return whether its works can be seen."""
        return self.visible and (
            self.viewable_from is None or self.viewable_from <= now
        )

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Parse an exhibition of the catalog; None without an id."""
        data = mapping(data)
        key, title = _key_and_title(data)
        hidden = data.get("hidden") is True or data.get("isTesting") is True
        if not key:
            return None
        return cls(
            id=key,
            title=title,
            kind=ExhibitionKind.SOLO
            if data.get("type") == ExhibitionKind.SOLO
            else ExhibitionKind.GROUP,
            visible=not hidden and data.get("publicViewable") is not False,
            note=clean(data.get("noteBrief")) or clean(data.get("noteTitle")),
            pictures=texts_in(data, "coverDisplay", "coverURI", "thumbnailCoverURI"),
            artists=people_of(data.get("artistsAlumni"))
            or people_of(data.get("artists")),
            curator=Alumni.parse(data.get("curatorAlumni"))
            or Alumni.parse(data.get("curator")),
            **json_fields(cls, data),
        )


@dataclass(frozen=True, slots=True)
class Series:
    """A series of works in an exhibition.

    Attributes:
        path: as for exhibitions.
        id: id.
        exhibition_id: id of the exhibition.
        title: plain text; the slug or id if there is none.
        slug: for its web page; not unique.
        medium: ``image``, ``video``, ``software``, ``pdf``, ``audio``, ``3d`` and others.
        description: plain text, shortened.
        display_index: position in the exhibition; not unique.
        max_artwork: size of the edition; None if unknown.
        model: how its works relate to each other; None if unknown.
        pictures: URLs or paths of its picture, best first.
        artists: the artists.
        previews: URLs or paths to play for works without their own source, best first.
        unique_preview_path: the same by work, to be completed by the work's index.
        unique_thumbnail_path: pictures by work, to be completed by the work's index.
        minted_at: when it was minted.
        created_at: when the record was created; orders equal ``display_index``.
    """

    path: ClassVar[str] = "series"

    id: str
    exhibition_id: str
    title: str
    slug: str = json_field(as_text, "slug", default="")
    medium: str = json_field(_lower, "medium", default="")
    description: str = json_field(clean, "description", default="")
    display_index: int | None = json_field(as_integer, "displayIndex")
    max_artwork: int | None = json_field(as_integer, "settings", "maxArtwork")
    model: Model | None = json_field(_model, "settings", "artworkModel")
    pictures: tuple[str, ...] = ()
    artists: tuple[Alumni, ...] = ()
    previews: tuple[str, ...] = ()
    unique_preview_path: str = json_field(as_text, "uniquePreviewPath", default="")
    unique_thumbnail_path: str = json_field(as_text, "uniqueThumbnailPath", default="")
    minted_at: datetime | None = json_field(as_moment, "mintedAt")
    created_at: datetime | None = json_field(as_moment, "createdAt")

    @property
    def single(self) -> bool:
        """Return whether it is a single work, so that both have the same name."""
        return self.max_artwork == 1 or self.model is Model.SINGLE

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Parse a series of the catalog; None without an id."""
        data = mapping(data)
        key, title = _key_and_title(data)
        preview = mapping(data.get("previewFile"))
        if not key:
            return None
        return cls(
            id=key,
            exhibition_id=as_key(data.get("exhibitionID")),
            title=title,
            pictures=texts_in(data, "thumbnailDisplay", "thumbnailURI"),
            artists=collective_of(data.get("artistAlumni") or data.get("artist")),
            previews=(
                *texts_in(mapping(preview.get("metadata")), "urlOverwrite"),
                *texts_in(preview, "uri"),
            ),
            **json_fields(cls, data),
        )


@dataclass(frozen=True, slots=True)
class Artwork:
    """A work of a series.

    Attributes:
        path: as for exhibitions.
        id: id; digits or hex, may exceed 64 bits.
        index: index in the series from 0; None if unknown.
        name: plain text: ``#12``, ``AE``, ``AP``, ``PP`` or a name of its own; may be empty.
        sources: URLs or paths to play, best first, as sent.
        pictures: URLs or paths of its picture, best first.
        chain: ``ethereum``, ``tezos``, ``bitmark`` or another blockchain; None if unknown.
        contract: address of the contract.
        token_id: id of the token as text, decimal on Ethereum.
        minted_at: when it was minted.
        gone: whether it was burned or archived.
    """

    path: ClassVar[str] = "artworks"

    id: str
    index: int | None = json_field(_index, "index")
    name: str = ""
    sources: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    chain: str = ""
    contract: str = ""
    token_id: str = ""
    minted_at: datetime | None = json_field(as_moment, "mintedAt")
    gone: bool = False

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Parse a work of the catalog; None without an id."""
        data = mapping(data)
        key, metadata = as_key(data.get("id")), mapping(data.get("metadata"))
        chain, contract, token_id = token_identity(data)
        if not key:
            return None
        return cls(
            id=key,
            name=as_title(data.get("name"), data.get("title")),
            sources=(
                *texts_in(metadata, "alternativePreviewURI", "previewCloudFlareURL"),
                *texts_in(mapping(data.get("previewDisplay")), "HLS"),
                *texts_in(data, "previewURI"),
            ),
            pictures=texts_in(data, "thumbnailDisplay", "thumbnailURI"),
            chain=chain.lower(),
            contract=contract,
            token_id=token_id,
            gone=data.get("burned") is True or data.get("isArchived") is True,
            **json_fields(cls, data),
        )


type Record = Exhibition | Series | Artwork
