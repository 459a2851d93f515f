"""What the library knows of a work on the wall, told by its id, its address or its token."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
import re
from typing import Any
from uuid import UUID, uuid5

from ..client.catalog.artwork import (
    ASSETS_URL,
    PROOF_NAMES,
    absolute_url,
    artwork_page,
    edition,
    picture_url,
    provenance,
    series_page,
    source_url,
    title,
    year,
)
from ..client.catalog.models import Artwork, Exhibition, Series
from ..client.catalog.selection import shown_once
from ..client.text import clean
from ..client.values import mapping, text
from .tree import NodeKind, artist_of, node_id

# One work has one id in every playlist made here, so that a display's word for it is enough to know it.
WORK_IDS = UUID("c4f6a1de-56a5-4d0c-9d4e-0a1f3a7c2b90")
MAX_TITLE = 200
MAX_NOTE = 500
THUMBNAILS = ("large", "default", "xlarge", "small")

_FOLDER = re.compile(r"https?://[^?#]*?/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/")
_NUMBER = re.compile(r"([0-9]{1,6})(?=[/?#]|$)")
_EDITION = re.compile(r"[?&]edition_number=([0-9]{1,6})(?=[&#]|$)")

type WorkKey = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is known of a work. All texts are plain.

    Attributes:
        title: its name.
        artist: who made it.
        series: what it belongs to, unless that has the same name.
        exhibition: where it was shown.
        edition: its number, like ``#12 of 40``, or ``AP``.
        year: when it was minted.
        picture: public address of a picture, large.
        link: address of its page.
        medium: ``image``, ``video``, ``software`` and others.
        note: at most 500 characters about it.
        provenance: as DP-1 has it.
        node_id: names it in the library.
    """

    title: str | None = None
    artist: str | None = None
    series: str | None = None
    exhibition: str | None = None
    edition: str | None = None
    year: int | None = None
    picture: str | None = None
    link: str | None = None
    medium: str | None = None
    note: str | None = None
    provenance: Mapping[str, Any] | None = None
    node_id: str | None = None


def item_id(series: Series, artwork: Artwork) -> str:
    """Make the id of a work's item."""
    return str(uuid5(WORK_IDS, f"{series.id}/{artwork.id}"))


def work_of(artwork: Artwork, series: Series, exhibition: Exhibition | None) -> Work:
    """Describe a work of the catalog."""
    name = title(artwork, series) or None
    return Work(
        title=name,
        artist=artist_of(series, exhibition),
        series=series.title if series.title and series.title != name else None,
        exhibition=exhibition.title if exhibition else None,
        edition=_edition(artwork, series),
        year=year(artwork, series),
        picture=picture_url(artwork, series, "l"),
        link=artwork_page(artwork) if artwork.id else series_page(series),
        medium=series.medium or None,
        note=clean(series.description, MAX_NOTE) or None,
        provenance=provenance(artwork),
        node_id=node_id(NodeKind.ARTWORK, series.id, artwork.id)
        if artwork.id
        else node_id(NodeKind.SERIES, series.id),
    )


def _edition(artwork: Artwork, series: Series) -> str | None:
    """Name a work's place among those of its series."""
    if series.single:
        return None
    if artwork.name in PROOF_NAMES:
        return artwork.name
    if (number := edition(artwork)) is None:
        return None
    size = series.max_artwork
    return f"#{number} of {size}" if size and size >= number else f"#{number}"


def with_manifest(known: Work | None, data: object) -> Work:
    """Add to what is known of a work what its reference manifest says (DP-1 specification)."""
    known = known or Work()
    metadata = mapping(mapping(data).get("metadata"))
    artists = metadata.get("artists")
    names = (
        clean(mapping(artist).get("name"), MAX_TITLE)
        for artist in (artists if isinstance(artists, list) else ())
    )
    artist = ", ".join(name for name in names if name)
    return replace(
        known,
        title=known.title or clean(metadata.get("title"), MAX_TITLE) or None,
        artist=known.artist
        or artist
        or clean(metadata.get("creditLine"), MAX_TITLE)
        or None,
        picture=known.picture or _thumbnail(mapping(metadata.get("thumbnails"))),
        note=known.note or clean(metadata.get("description"), MAX_NOTE) or None,
    )


def _thumbnail(sizes: Mapping[str, Any]) -> str | None:
    """Choose the picture of a manifest that fits a card best."""
    addresses = (text(mapping(sizes.get(size)).get("uri")) for size in THUMBNAILS)
    return next(
        (url for it in addresses if it and (url := absolute_url(it, "l"))), None
    )


def folder_of(address: str) -> str | None:
    """Find the folder an address lies in that is named by a UUID, as those of the catalog's series are."""
    found = _FOLDER.match(address)
    return found[0] if found else None


def folders_of(series: Series) -> set[str]:
    """Find the folders that hold a series' works and nothing else."""
    paths = (
        f"{ASSETS_URL}/previews/{series.id}/",
        *series.previews,
        f"{series.unique_preview_path}/",
    )
    addresses = (absolute_url(path) for path in paths if path.strip("/"))
    return {folder for it in addresses if it and (folder := folder_of(it))}


def token_key(origin: object) -> WorkKey | None:
    """Name a token by contract and number; addresses on Ethereum are the same in any case of letters."""
    contract = mapping(mapping(origin).get("contract"))
    address, token = text(contract.get("address")), text(contract.get("tokenId"))
    if not address or not token:
        return None
    if address.startswith(("0x", "0X")):
        address = address.lower()
    return address, token


class KnownWorks:
    """Finds works that were read from the catalog by what a display or a playlist says of them."""

    def __init__(self) -> None:
        """Know nothing."""
        self._work_keys: dict[WorkKey, tuple[str, Artwork]] = {}
        self._by_series: dict[str, list[WorkKey]] = {}
        self._folders: dict[str, str | None] = {}

    def add_series(self, series: Series) -> None:
        """Remember where a series' works lie; a folder of two series tells nothing."""
        for folder in folders_of(series):
            known = self._folders.setdefault(folder, series.id)
            if known != series.id:
                self._folders[folder] = None

    def add(self, series: Series, artworks: Sequence[Artwork]) -> None:
        """Remember the works of a series, instead of those remembered before."""
        self.discard(series.id)
        marks = {
            mark: (series.id, artwork)
            for artwork in reversed(artworks)
            for mark in _work_keys(series, artwork)
            if mark not in self._work_keys
        }
        self._work_keys |= marks
        self._by_series[series.id] = list(marks)

    def discard(self, series_id: str) -> None:
        """Forget the works of a series."""
        for mark in self._by_series.pop(series_id, ()):
            del self._work_keys[mark]

    def find(
        self,
        key: str | None = None,
        source: str | None = None,
        origin: object = None,
    ) -> tuple[str, Artwork] | None:
        """Find a work and its series' id by its item's id, its token, or its address."""
        marks = (("id", key or ""), token_key(origin), ("source", source or ""))
        return next(
            (found for mark in marks if mark and (found := self._work_keys.get(mark))),
            None,
        )

    def series_at(self, source: str | None) -> str | None:
        """Find the id of the series whose folder an address lies in."""
        folder = folder_of(source or "")
        return self._folders.get(folder) if folder else None


def _work_keys(series: Series, artwork: Artwork) -> Iterator[WorkKey]:
    """List what names a work; copies share an address, which then stands for the first of them."""
    yield "id", item_id(series, artwork)
    if mark := token_key(provenance(artwork)):
        yield mark
    if source := source_url(artwork, series):
        yield "source", source


def work_at(series: Series, source: str) -> Artwork:
    """Make do with what an address and its series tell of a work that was not read."""
    return Artwork(
        id="",
        series_id=series.id,
        index=None if shown_once(series) else _place(series, source),
        sources=(source,),
    )


def _place(series: Series, source: str) -> int | None:
    """Find a work's place in its series, from 0, in its address."""
    folder = absolute_url(series.unique_preview_path)
    if folder and source.startswith(f"{folder}/"):
        found = _NUMBER.match(source.removeprefix(f"{folder}/"))
    else:
        found = _EDITION.search(source)
    return int(found[1]) if found else None
