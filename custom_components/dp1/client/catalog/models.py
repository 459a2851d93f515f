"""Records of the exhibition catalog: only what is needed of them, tolerant of everything else.

The shapes are those of the catalog's public answers. Every field but the id may be missing, null or of another type.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol, Self

from ..text import clean
from ..values import mapping
from .fields import as_integer, as_key, as_moment, as_text, as_texts, as_title
from .people import Alumni, collective_of, people_of, stored_people
from .stored import Json, record_to_store
from .tokens import token_identity


class ExhibitionKind(StrEnum):
    """Whether one artist shows, or several."""

    SOLO = "solo"
    GROUP = "group"


class Model(StrEnum):
    """What the works of a series are to each other."""

    SINGLE = "single"
    MULTI = "multi"
    MULTI_UNIQUE = "multi_unique"


class Record(Protocol):
    """What every record can do."""

    @property
    def id(self) -> str:
        """Key of the record."""

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Read what the catalog sent; None without an id."""

    @classmethod
    def from_store(cls, data: object) -> Self | None:
        """Read what ``to_store`` wrote; None without an id."""

    def to_store(self) -> Json:
        """Write plain JSON."""


@dataclass(frozen=True, slots=True)
class Exhibition:
    """A show.

    Attributes:
        id: key.
        title: plain text, the slug or id where it has none.
        slug: for a link.
        number: number of the show, as text like ``"048"``.
        opens_at: when it opens; may be in the future.
        preview_seconds: how long before it opens it can be seen.
        kind: solo or group.
        visible: whether it is meant for the public.
        note: plain text, shortened.
        pictures: addresses or paths of its cover, best first, as the catalog has them.
        artists: who shows.
        curator: who chose.
    """

    id: str
    title: str
    slug: str = ""
    number: str = ""
    opens_at: datetime | None = None
    preview_seconds: int = 0
    kind: ExhibitionKind = ExhibitionKind.GROUP
    visible: bool = True
    note: str = ""
    pictures: tuple[str, ...] = ()
    artists: tuple[Alumni, ...] = ()
    curator: Alumni | None = None

    @property
    def viewable_from(self) -> datetime | None:
        """When its works can be seen first."""
        if self.opens_at is None:
            return None
        try:
            return self.opens_at - timedelta(seconds=self.preview_seconds)
        except OverflowError:
            return self.opens_at

    def viewable(self, now: datetime) -> bool:
        """Say whether its works can be seen."""
        return self.visible and (
            self.viewable_from is None or self.viewable_from <= now
        )

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Read an exhibition of the catalog."""
        data = mapping(data)
        artists = people_of(data.get("artistsAlumni")) or people_of(data.get("artists"))
        curator = Alumni.parse(data.get("curatorAlumni")) or Alumni.parse(
            data.get("curator")
        )
        return cls.from_store(
            {
                "id": data.get("id"),
                "title": as_title(data.get("title"), data.get("name")),
                "slug": data.get("slug"),
                "number": data.get("ordinalLabel"),
                "opens_at": data.get("exhibitionStartAt"),
                "preview_seconds": data.get("previewDuration"),
                "kind": data.get("type"),
                "visible": not (
                    data.get("hidden") is True
                    or data.get("isTesting") is True
                    or data.get("publicViewable") is False
                ),
                "note": clean(data.get("noteBrief")) or clean(data.get("noteTitle")),
                "pictures": [
                    data.get("coverDisplay"),
                    data.get("coverURI"),
                    data.get("thumbnailCoverURI"),
                ],
                "artists": [artist.to_store() for artist in artists],
                "curator": curator and curator.to_store(),
            }
        )

    @classmethod
    def from_store(cls, data: object) -> Self | None:
        """Read what ``to_store`` wrote."""
        data = mapping(data)
        if not (key := as_key(data.get("id"))):
            return None
        slug = as_text(data.get("slug"))
        return cls(
            id=key,
            title=as_text(data.get("title")) or slug or key,
            slug=slug,
            number=as_text(data.get("number")),
            opens_at=as_moment(data.get("opens_at")),
            preview_seconds=max(as_integer(data.get("preview_seconds")) or 0, 0),
            kind=ExhibitionKind.SOLO
            if data.get("kind") == ExhibitionKind.SOLO
            else ExhibitionKind.GROUP,
            visible=data.get("visible") is not False,
            note=as_text(data.get("note")),
            pictures=as_texts(data.get("pictures")),
            artists=stored_people(data.get("artists")),
            curator=Alumni.from_store(data.get("curator")),
        )

    def to_store(self) -> Json:
        """Write plain JSON."""
        return record_to_store(self)


@dataclass(frozen=True, slots=True)
class Series:
    """A series of works in a show.

    Attributes:
        id: key.
        exhibition_id: key of the show.
        title: plain text, the slug or id where it has none.
        slug: for a link; not unique.
        medium: ``image``, ``video``, ``software``, ``pdf``, ``audio``, ``3d`` and others.
        description: plain text, shortened.
        display_index: place in the show; ties exist.
        max_artwork: size of the edition, where it is said.
        model: what its works are to each other, where it is said.
        pictures: addresses or paths of its picture, best first.
        artists: who made it.
        previews: addresses or paths of what to play where a work has none of its own, best first.
        unique_preview_path: the same by work, to be completed by the work's index.
        unique_thumbnail_path: pictures by work, to be completed by the work's index.
        minted_at: when it was minted.
        created_at: when the record was made; settles ties of ``display_index``.
    """

    id: str
    exhibition_id: str
    title: str
    slug: str = ""
    medium: str = ""
    description: str = ""
    display_index: int | None = None
    max_artwork: int | None = None
    model: Model | None = None
    pictures: tuple[str, ...] = ()
    artists: tuple[Alumni, ...] = ()
    previews: tuple[str, ...] = ()
    unique_preview_path: str = ""
    unique_thumbnail_path: str = ""
    minted_at: datetime | None = None
    created_at: datetime | None = None

    @property
    def single(self) -> bool:
        """Say whether it is one work, so that both carry one name."""
        return self.max_artwork == 1 or self.model is Model.SINGLE

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Read a series of the catalog."""
        data = mapping(data)
        settings = mapping(data.get("settings"))
        preview = mapping(data.get("previewFile"))
        artist = data.get("artistAlumni") or data.get("artist")
        return cls.from_store(
            {
                "id": data.get("id"),
                "exhibition_id": data.get("exhibitionID"),
                "title": as_title(data.get("title"), data.get("name")),
                "slug": data.get("slug"),
                "medium": data.get("medium"),
                "description": clean(data.get("description")),
                "display_index": data.get("displayIndex"),
                "max_artwork": settings.get("maxArtwork"),
                "model": settings.get("artworkModel"),
                "pictures": [data.get("thumbnailDisplay"), data.get("thumbnailURI")],
                "artists": [person.to_store() for person in collective_of(artist)],
                "previews": [
                    mapping(preview.get("metadata")).get("urlOverwrite"),
                    preview.get("uri"),
                ],
                "unique_preview_path": data.get("uniquePreviewPath"),
                "unique_thumbnail_path": data.get("uniqueThumbnailPath"),
                "minted_at": data.get("mintedAt"),
                "created_at": data.get("createdAt"),
            }
        )

    @classmethod
    def from_store(cls, data: object) -> Self | None:
        """Read what ``to_store`` wrote."""
        data = mapping(data)
        if not (key := as_key(data.get("id"))):
            return None
        slug = as_text(data.get("slug"))
        model = data.get("model")
        return cls(
            id=key,
            exhibition_id=as_key(data.get("exhibition_id")),
            title=as_text(data.get("title")) or slug or key,
            slug=slug,
            medium=as_text(data.get("medium")).lower(),
            description=as_text(data.get("description")),
            display_index=as_integer(data.get("display_index")),
            max_artwork=as_integer(data.get("max_artwork")),
            model=Model(model) if model in tuple(Model) else None,
            pictures=as_texts(data.get("pictures")),
            artists=stored_people(data.get("artists")),
            previews=as_texts(data.get("previews")),
            unique_preview_path=as_text(data.get("unique_preview_path")),
            unique_thumbnail_path=as_text(data.get("unique_thumbnail_path")),
            minted_at=as_moment(data.get("minted_at")),
            created_at=as_moment(data.get("created_at")),
        )

    def to_store(self) -> Json:
        """Write plain JSON."""
        return record_to_store(self)


@dataclass(frozen=True, slots=True)
class Artwork:
    """One work of a series.

    Attributes:
        id: key; digits or hex, far beyond what a number can hold.
        series_id: key of the series.
        index: place in the series from 0, where it is said.
        name: plain text: ``#12``, ``AE``, ``AP``, ``PP`` or a name of its own; may be empty.
        sources: addresses or paths of what to play, best first, as the catalog has them.
        pictures: addresses or paths of its picture, best first.
        chain: ``ethereum``, ``tezos``, ``bitmark`` or another blockchain, where it is said.
        contract: address of the contract.
        token_id: number of the token as text, decimal on Ethereum.
        minted_at: when it was minted.
        gone: burned or archived.
    """

    id: str
    series_id: str
    index: int | None = None
    name: str = ""
    sources: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    chain: str = ""
    contract: str = ""
    token_id: str = ""
    minted_at: datetime | None = None
    gone: bool = False

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Read a work of the catalog."""
        data = mapping(data)
        metadata = mapping(data.get("metadata"))
        chain, contract, token_id = token_identity(data)
        return cls.from_store(
            {
                "id": data.get("id"),
                "series_id": data.get("seriesID"),
                "index": data.get("index"),
                "name": as_title(data.get("name"), data.get("title")),
                "sources": [
                    metadata.get("alternativePreviewURI"),
                    metadata.get("previewCloudFlareURL"),
                    mapping(data.get("previewDisplay")).get("HLS"),
                    data.get("previewURI"),
                ],
                "pictures": [data.get("thumbnailDisplay"), data.get("thumbnailURI")],
                "chain": chain,
                "contract": contract,
                "token_id": token_id,
                "minted_at": data.get("mintedAt"),
                "gone": data.get("burned") is True or data.get("isArchived") is True,
            }
        )

    @classmethod
    def from_store(cls, data: object) -> Self | None:
        """Read what ``to_store`` wrote."""
        data = mapping(data)
        if not (key := as_key(data.get("id"))):
            return None
        index = as_integer(data.get("index"))
        return cls(
            id=key,
            series_id=as_key(data.get("series_id")),
            index=index if index is not None and index >= 0 else None,
            name=as_text(data.get("name")),
            sources=as_texts(data.get("sources")),
            pictures=as_texts(data.get("pictures")),
            chain=as_text(data.get("chain")).lower(),
            contract=as_text(data.get("contract")),
            token_id=as_text(data.get("token_id")),
            minted_at=as_moment(data.get("minted_at")),
            gone=data.get("gone") is True,
        )

    def to_store(self) -> Json:
        """Write plain JSON."""
        return record_to_store(self)
