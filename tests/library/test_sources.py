"""Test the source list and the current source."""

from typing import Any

import pytest

from custom_components.dp1.library.library import Library

from .conftest import MakeLibrary
from .shows import full_collection, items_of, player, series_of, show_node

from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator

ALL = {"sources": ["exhibitions", "playlists", "favorites"]}


def evening(title: str = "Evening", **more: Any) -> dict[str, Any]:
    return {
        "title": title,
        "items": [{"source": "https://art.example/1.html", "title": "One"}],
        **more,
    }


async def test_names_are_unique(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """The oldest of several sources with one title keeps it, and the others get a suffix."""
    curators = [{"name": "Ines", "key": "did:key:z6Mk"}]
    feed.seed(
        [
            evening("Still Life"),
            evening("Evening", created="2024-01-01T00:00:00Z"),
            evening("EVENING", curators=curators, created="2025-01-01T00:00:00Z"),
            evening("Evening", curators=curators, created="2025-01-01T00:00:00Z"),
            evening("Evening", curators=curators, created="2025-01-01T00:00:00Z"),
        ]
    )
    library = await make_library(catalog, feed, options=ALL)
    names = list(library.source_list().names)
    assert len(names) == len({name.casefold() for name in names}) == 47 + 5
    assert "Still Life" in names and "Still Life (2024)" in names
    assert names.index("Still Life (2024)") < names.index("Still Life")
    assert names[47:] == [
        "Evening (2)",
        "Evening (2025)",
        "EVENING (Ines)",
        "Evening",
        "Still Life (2026)",
    ]


def limit_sources(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """Take fewer exhibitions and playlists into the source list."""
    for provider in ("catalog", "feed"):
        module = f"custom_components.dp1.library.providers.{provider}.provider"
        monkeypatch.setattr(f"{module}.SOURCE_LIMIT", limit)


async def test_groups_are_options(
    catalog: CatalogSimulator,
    feed: FeedSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The groups of sources are options, and the first of each group are taken."""
    feed.seed([evening("One"), evening("Two")])
    library = await make_library(catalog, feed)
    assert list(library.source_list().names)[:2] == ["Surprise", "Afterimage"]
    assert len(library.source_list().names) == 48
    limit_sources(monkeypatch, 1)
    library = await make_library(catalog, feed, options={"sources": ["playlists"]})
    assert list(library.source_list().names) == ["Two"]
    limit_sources(monkeypatch, 3)
    library = await make_library(catalog, feed)
    assert list(library.source_list().names) == [
        "Surprise",
        "Afterimage",
        "Slow Weather",
        "Seven Small Suns",
    ]
    library = await make_library(catalog, feed, options={"sources": []})
    assert library.source_list().names == {}


async def test_every_source_plays(
    catalog: CatalogSimulator,
    feed: FeedSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every source leads to a node that can be cast, and is recognized when shown."""
    feed.seed([evening(), full_collection(catalog, "Slow Weather")])
    limit_sources(monkeypatch, 4)
    library = await make_library(catalog, feed, options=ALL)
    await library.async_add_favorite(next(iter(library.source_list().names.values())))
    show = show_node(catalog, "Net Evil")
    series = (await library.async_children(show)).nodes[0]
    await library.async_add_favorite(series.id)
    sources = library.source_list().names
    assert len(sources) == 4 + 2 + 1
    for name, node in sources.items():
        built = await library.async_build_playlist(node)
        hung = player(built.items, url=built.url, key=built.document.get("id"))
        assert library.source_list().of(hung) == name


async def test_what_was_cast_is_known_after_a_restart(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """The source is recognized after a restart by the playlist that the display reports."""
    library = await make_library(catalog)
    node = library.source_list().names["Net Evil"]
    document = (await library.async_build_playlist(node)).document
    library = await make_library(catalog, wait=False)
    assert library.source_list().of(player(key=document["id"])) == "Net Evil"
    assert library.source_list().of(player(key="something else")) is None
    unknown = [{"source": f"https://art.example/{n}"} for n in range(3)]
    for items in ([], unknown):
        assert library.source_list().of(player(items)) is None


async def test_a_feeds_playlist_cast_from_elsewhere_is_recognized(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A playlist is recognized by its URL on the feed, with id or slug, and not on another host."""
    (stored,) = feed.seed([evening()])
    library = await make_library(feed=feed, options=ALL)
    for ref in (stored["id"], stored["id"].upper(), stored["slug"]):
        hung = player(url=f"{feed.url}/playlists/{ref}")
        assert library.source_list().of(hung) == "Evening"
    for url in (
        f"https://elsewhere.example/api/v1/playlists/{stored['id']}",
        f"{feed.url}/playlists/other",
        f"{feed.url}/channels/{stored['id']}",
    ):
        assert library.source_list().of(player(url=url)) is None


async def test_an_exhibition_cast_from_elsewhere_is_recognized(
    catalog: CatalogSimulator, library: Library
) -> None:
    """A playlist of exactly the works of an exhibition is recognized as the exhibition."""
    items = items_of(catalog, "Net Evil")
    assert library.source_list().of(player(items)) is None
    for title in ("Net Evil", "Slow Weather"):
        await library.async_children(show_node(catalog, title))
    for shown, name in (
        (items, "Net Evil"),
        (items[::-1], "Net Evil"),
        (items[1:], None),
        ([*items, {"source": "https://x.example/"}], None),
        ([*items, {"id": "no source"}], None),
        ([*items, *items_of(catalog, "Slow Weather")], None),
    ):
        assert library.source_list().of(player(shown)) == name


async def test_a_favorite_series_or_work_is_recognized(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """A favorite series is recognized by its works, and a work by its URL."""
    library = await make_library(catalog, options={"sources": ["favorites"]})
    unique = series_of(catalog, "Net Evil", artworkModel="multi_unique")
    await library.async_children(show_node(catalog, "Net Evil"))
    works = catalog.data.artworks(unique["id"])
    everything = [{"source": record["previewURI"]} for record in works]
    work = (await library.async_children(f"series/{unique['id']}")).nodes[2]
    await library.async_add_favorite(f"series/{unique['id']}")
    await library.async_add_favorite(work.id)
    for shown, name in (
        (everything, unique["title"]),
        (everything[1:], None),
        (everything[2:3], work.title),
        (everything[1:2], None),
    ):
        assert library.source_list().of(player(shown)) == name


async def test_channels_in_the_source_list(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """Channels are listed if enabled, and recognized when shown."""
    (stored, _) = feed.seed([evening("One"), evening("Two")])
    ids = list(feed.documents)
    feed.seed(channels=[{"title": "Hall", "playlists": ids[::-1]}])
    library = await make_library(catalog, feed, options={"sources": ["channels"]})
    node = library.source_list().names["Hall"]
    built = await library.async_build_playlist(node)
    assert built.works == 2
    assert built.document
    shown = player(built.document["items"], key=built.document["id"])
    assert library.source_list().of(shown) == "Hall"
    assert stored["id"] == ids[0]


async def test_a_library_without_a_catalog_lists_its_playlists(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A library without a catalog lists playlists by default."""
    feed.seed([evening("One"), evening("Two")])
    assert list((await make_library(None, feed)).source_list().names) == ["Two", "One"]
    library = await make_library(None, feed, options={"sources": ["favorites"]})
    assert list(library.source_list().names) == []
