"""Items of the catalog, made of its records."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import uuid5

from homeassistant.util import dt as dt_util

from ....client.catalog.artwork import (
    PROOF_NAMES,
    artwork_page,
    cover_url,
    edition,
    picture_url,
    provenance,
    series_page,
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
        small=picture_url(artwork, series),
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
