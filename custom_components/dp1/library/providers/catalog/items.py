"""Items of the catalog, made of its records."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from uuid import uuid5

from yarl import URL

from homeassistant.util import dt as dt_util

from ....client.catalog.artwork import (
    PROOF_NAMES,
    artwork_page,
    cover_url,
    edition,
    picture_url,
    provenance,
    series_page,
    shown_once,
    source_url,
    title,
    year,
)
from ....client.catalog.models import Alumni, Artwork, Exhibition, Series
from ....client.playlist.manifest import MAX_NOTE, Artist
from ....client.text import shorten
from ...item import WORK_IDS, Item
from ...node import NodeKind, node_id
from ...words import fold
from .server import CatalogServer


@dataclass(frozen=True, slots=True)
class Exhibitor:
    """An artist with the exhibitions with their works, the newest first."""

    name: str
    exhibitions: list[Exhibition]

    def viewable(self) -> list[Exhibition]:
        """Return the exhibitions that can be seen."""
        now = dt_util.utcnow()
        return [each for each in self.exhibitions if each.viewable(now)]

    def made(self, series: Series, exhibition: Exhibition) -> bool:
        """Return whether a series in an exhibition is by the artist."""
        names = {fold(person.name) for person in people_of(series, exhibition)}
        return fold(self.name) in names


def exhibition_node(catalog: CatalogServer, exhibition: Exhibition) -> Item:
    """Return the node of an exhibition, which can be expanded and played while it is open."""
    opens, is_open = exhibition.opens_at, catalog.is_open(exhibition)
    return Item(
        id=node_id(NodeKind.EXHIBITION, exhibition.id),
        kind=NodeKind.EXHIBITION,
        title=exhibition.title,
        artists=artists_of(exhibition.artists),
        year=opens.year if opens else None,
        note=exhibition.note or None,
        picture=cover_url(exhibition),
        can_play=is_open,
        can_expand=is_open,
        subtitle=exhibition.curator.name if exhibition.curator else None,
        opens_at=opens,
    )


def series_node(catalog: CatalogServer, series: Series) -> Item:
    """Return the node of a series, which can be expanded if it has different works; one without a playable work is not offered."""
    artworks = catalog.artworks_of(series.id)
    can_play = artworks.read_at is None or any(
        not artwork.gone and source_url(artwork, series) for artwork in artworks.records
    )
    exhibition = catalog.exhibition(series.exhibition_id)
    once = shown_once(series)
    return Item(
        id=node_id(NodeKind.SERIES, series.id),
        kind=NodeKind.SERIES,
        title=series.title,
        artists=artists_of(people_of(series, exhibition)),
        year=series.minted_at.year if series.minted_at else None,
        medium=series.medium or None,
        note=series.description or None,
        picture=cover_url(series),
        can_play=can_play,
        can_expand=can_play and not once,
        subtitle=exhibition.title if exhibition else None,
        works=1 if once else series.max_artwork,
    )


def work_of(artwork: Artwork, series: Series, exhibition: Exhibition | None) -> Item:
    """Return the metadata of a work of the catalog."""
    number = edition(artwork)
    name = title(artwork, series) or (f"#{number}" if number else artwork.id)
    source = source_url(artwork, series)
    within = exhibition.title if exhibition else None
    return Item(
        id=node_id(NodeKind.ARTWORK, series.id, artwork.id)
        if artwork.id
        else node_id(NodeKind.SERIES, series.id),
        kind=NodeKind.ARTWORK,
        item_id=item_id(series, artwork) if artwork.id else None,
        title=name,
        artists=artists_of(people_of(series, exhibition)),
        series=series.title if series.title and series.title != name else None,
        exhibition=within,
        edition=_edition(artwork, series),
        year=year(artwork, series),
        picture=picture_url(artwork, series, "l"),
        thumbnail=picture_url(artwork, series),
        link=artwork_page(artwork) if artwork.id else series_page(series),
        medium=series.medium or None,
        note=shorten(series.description, MAX_NOTE) or None,
        source=source,
        provenance=provenance(artwork),
        can_play=not artwork.gone and source is not None,
        subtitle=within,
    )


def _edition(artwork: Artwork, series: Series) -> str | None:
    """Return the edition of a work."""
    if series.single:
        return None
    if artwork.name in PROOF_NAMES:
        return artwork.name
    if (number := edition(artwork)) is None:
        return None
    size = series.max_artwork
    return f"#{number} of {size}" if size and size >= number else f"#{number}"


def item_id(series: Series, artwork: Artwork) -> str:
    """Return the id of the playlist item of a work."""
    return str(uuid5(WORK_IDS, f"{series.id}/{artwork.id}"))


def artist_node(catalog: CatalogServer, artist: Exhibitor) -> Item:
    """Return the node of an artist, with biography, website and portrait."""
    exhibitions = artist.viewable()
    is_open = bool(exhibitions)
    people = (person for each in exhibitions for person in each.artists)
    records = [person for person in people if person.name == artist.name]
    texts = (" ".join(filter(None, (it.about, it.website))) for it in records)
    # A work says more than a portrait, which is often gone.
    pictures = chain(
        map(cover_url, _series_of(catalog, artist)),
        map(cover_url, exhibitions),
        map(cover_url, records),
    )
    return Item(
        id=node_id(NodeKind.ARTIST, artist.name),
        kind=NodeKind.ARTIST,
        title=artist.name,
        note=next(filter(None, texts), None),
        picture=next(filter(None, pictures), None),
        can_play=is_open,
        can_expand=is_open,
        subtitle=next((host for it in records if (host := URL(it.website).host)), None),
    )


def artist_nodes(catalog: CatalogServer) -> list[Item]:
    """Return the artists whose works can be seen, by name."""
    nodes = (artist_node(catalog, artist) for artist in catalog.artists)
    return sorted(
        (node for node in nodes if node.can_play), key=lambda node: fold(node.title)
    )


def _series_of(catalog: CatalogServer, artist: Exhibitor) -> Iterator[Series]:
    """Yield the series of an artist that have been read."""
    for exhibition in artist.viewable():
        for series in catalog.series_of(exhibition.id).records:
            if artist.made(series, exhibition):
                yield series


def artists_of(people: Iterable[Alumni]) -> tuple[Artist, ...]:
    """Return the artists of a work."""
    return tuple(
        Artist(
            person.name,
            person.about,
            cover_url(person),
            {"website": person.website} if person.website else {},
        )
        for person in people
    )


def people_of(series: Series, exhibition: Exhibition | None) -> tuple[Alumni, ...]:
    """Return the artists of a series, or the only artist of its exhibition, with their biographies.

    The record of a series has no biographies.
    """
    artists = exhibition.artists if exhibition else ()
    if not series.artists:
        return artists if len(artists) == 1 else ()
    with_biography = {
        person.id: person for person in artists if person.id and person.about
    }
    return tuple(
        person if person.about else with_biography.get(person.id, person)
        for person in series.artists
    )
