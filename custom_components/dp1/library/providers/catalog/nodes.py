"""Nodes of the catalog: exhibitions, series, works and artists as they are browsed and searched."""

from collections.abc import Iterator
from itertools import chain

from yarl import URL

from ....client.catalog.artwork import cover_url, shown_once, source_url
from ....client.catalog.models import Exhibition, Series
from ...item import Item
from ...node import NodeKind, node_id
from ...words import fold
from .records import Exhibitor, artists_of, people_of
from .server import CatalogServer


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
