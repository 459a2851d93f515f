"""Test the search of a library and the order of its results."""

from itertools import product
from typing import Any

import pytest

from custom_components.dp1.client.errors import NotFoundError
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.node import NodeKind
from custom_components.dp1.library.providers.feed import server as feed_module
from custom_components.dp1.library.search import (
    ARTIST,
    ARTIST_WORDS,
    EXACT,
    MIXED,
    START,
    WORDS,
    Lines,
    Query,
)
from custom_components.dp1.library.words import fold

from .conftest import MakeLibrary
from .shows import full_collection, search_nodes, series_of, show_id, show_node

from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator

NAMELESS = ("", " ", "???", "…")


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Net Evil", "net evil"),
        ("  Élan—Ünïcode! ", "elan unicode"),
        ("STRASSE Straße", "strasse strasse"),
        ("Salt & Silicon", "salt silicon"),
        ("Глубина резкости", "глубина резкости"),
        ("雨のかたち / Shapes", "雨のかたち shapes"),
        ("net-evil_q7v", "net evil q7v"),
        ("&", ""),
    ],
)
def test_folding(text: str, folded: str) -> None:
    """Case, accents and punctuation are ignored, and letters of any script kept."""
    # A voiced kana is a letter of its own, and may consist of two code points.
    assert fold(text) == fold(folded)
    assert fold(text).isascii() or fold(text) == fold(fold(text))


def test_what_has_no_end() -> None:
    """Neither what is compared nor what is remembered of it is much longer than a title; one letter of these becomes eighteen."""
    assert len(fold("\ufdfa" * 100_000)) <= 18 * 500


@pytest.mark.parametrize(
    ("query", "score"),
    [
        ("cloud ledger", EXACT),
        ("the Cloud Ledger", EXACT),
        ("Cloud", START),
        ("cloud led", START),
        ("ledger cloud", WORDS),
        ("ledg", WORDS),
        ("mara okafor", ARTIST),
        ("okafor", ARTIST_WORDS),
        ("cloud by okafor", MIXED),
        ("ledger slow weather", MIXED),
        ("loud", 0),
        ("weather", 0),
        ("cloud tide", 0),
    ],
)
def test_scores(query: str, score: int) -> None:
    """A full title scores highest, then its beginning, its words, and the artist."""
    asked = Query.of(query)
    assert asked.score("Cloud Ledger", "Mara Okafor", "Slow Weather") == score


@pytest.mark.parametrize("title", ["Net Evil", "Slow Weather", "Глубина резкости"])
async def test_an_exhibition_by_its_name(
    title: str, catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """An exhibition is the first result for its title in any spelling."""
    library = await make_library(catalog)
    for query in (title, title.lower(), title.upper(), f"the exhibition {title}"):
        found = await search_nodes(library, query)
        assert (found[0].title, found[0].kind) == (title, NodeKind.EXHIBITION), query
    catalog.inject("status")
    assert (await search_nodes(library, title))[0].title == title


async def test_series_in_the_best_hits(
    catalog: CatalogSimulator, library: Library
) -> None:
    """A series is found by its title with that of its exhibition, and by its title alone once it is cached."""
    show = show_id(catalog, "Net Evil")
    title = catalog.data.series(show)[2]["title"]
    assert all(it.subtitle != "Net Evil" for it in await search_nodes(library, title))
    found = await search_nodes(library, f"{title} net evil")
    assert (found[0].title, found[0].subtitle) == (title, "Net Evil")
    found = await search_nodes(library, title, kinds={NodeKind.SERIES})
    assert title in {it.title for it in found if it.subtitle == "Net Evil"}
    assert found[0].title == title
    assert {it.kind for it in found} == {NodeKind.SERIES}


async def test_artists(catalog: CatalogSimulator, library: Library) -> None:
    """Exhibitions and series are found by their artists, regardless of accents."""
    show = catalog.data.find_exhibition("Slow Fire")
    artist = show["artistsAlumni"][0]["alias"]
    found = await search_nodes(library, artist)
    assert "Slow Fire" in {it.title for it in found if it.kind is NodeKind.EXHIBITION}
    series = [it for it in found if it.kind is NodeKind.SERIES]
    assert series and all(artist in str(it.artist) for it in series)


async def test_only_what_can_be_played(
    catalog: CatalogSimulator, library: Library
) -> None:
    """Exhibitions that are not open, hidden or empty are not found, and nonsense finds nothing."""
    for query in ("Before the Opening", "Held Back", "blorp zilch", "", "   ", "&!"):
        assert not [
            it
            for it in await search_nodes(library, query)
            if it.title in ("Before the Opening", "Held Back") or "blorp" in query
        ], query
    assert await search_nodes(library, "") == []
    show = show_node(catalog, "Loose Ends")
    for node in (await library.async_children(show)).nodes:
        await library.async_children(node.id)
    assert await search_nodes(library, "no source at all", within=show) == []
    found = await search_nodes(library, "source", within=show)
    assert [it.title for it in found] == [
        "Source of the Series",
        "Every Kind of Source",
    ]
    for node in await search_nodes(library, "a", limit=100):
        assert node.can_play


async def test_feed_and_favorites(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """Playlists, their works and favorites are found; of equal scores the favorite comes first."""
    curators = [{"name": "Inês Quill", "key": "did:key:z6Mk"}]
    items = [{"source": "https://art.example/1.html", "title": "Tidepool"}]
    feed.seed(
        [
            {"title": "Tidepool", "items": items, "curators": curators},
            full_collection(catalog, "Net Evil"),
        ]
    )
    library = await make_library(catalog, feed)
    found = await search_nodes(library, "tidepool")
    assert [it.kind for it in found] == [NodeKind.PLAYLIST, NodeKind.ITEM]
    await library.async_add_favorite(found[1].id)
    found = await search_nodes(library, "TIDEPOOL")
    assert [it.kind for it in found] == [NodeKind.ITEM, NodeKind.PLAYLIST]
    assert [it.title for it in await search_nodes(library, "ines quill")] == [
        "Tidepool"
    ]
    found = await search_nodes(library, "net evil")
    assert [it.title for it in found[:2]] == ["Net Evil", "Net Evil — Full Collection"]
    assert len(await search_nodes(library, "net evil", limit=1)) == 1
    only = await search_nodes(library, "net evil", kinds=["playlist"])
    assert [it.title for it in only] == ["Net Evil — Full Collection"]
    await feed.stop()
    await catalog.stop()
    found = await search_nodes(library, "tidepool")
    assert [it.kind for it in found] == [NodeKind.ITEM, NodeKind.PLAYLIST]


async def test_within(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A search within a node finds only its descendants."""
    items: list[dict[str, Any]] = [
        {"source": "https://art.example/1.html", "title": "Net worth"}
    ]
    feed.seed([{"title": "Evening", "items": items}])
    library = await make_library(catalog, feed)

    async def search(query: str, within: str) -> list[str]:
        found = await search_nodes(library, query, within=within)
        return [node.title for node in found]

    assert await search("net", "playlists") == ["Net worth"]
    assert await search("net", "exhibitions") == ["Net Evil"]
    assert await search("net", "favorites") == []
    assert await search("net evil", "") == ["Net Evil"]
    for within in (show_node(catalog, "Longform"), "exhibitions"):
        assert await search("tides", within) == ["A Thousand Tides"]
    series = f"series/{series_of(catalog, 'Longform')['id']}"
    assert (await search("tides 1", series))[0] == "A Thousand Tides #1"
    with pytest.raises(NotFoundError):
        await search("net", "nonsense")


async def test_a_name_without_end(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """Nothing is named by nothing, or by signs alone, nor is a catalog asked for what is longer than any name."""
    library = await make_library(catalog, None)
    await library.async_children("exhibitions")
    for kind, text in product(("series", "exhibition"), (*NAMELESS, "x" * 100_000)):
        with pytest.raises(NotFoundError):
            await library.async_find(kind, text)
    asked = [request.query for request in catalog.requests]
    assert asked and not [query for query in asked if len(str(query)) > 2000]


async def test_find(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """An exhibition is found by id, slug and title, a series by id, a playlist by id and slug."""
    (stored,) = feed.seed(
        [{"title": "Evening", "items": [{"source": "https://art.example/1.html"}]}]
    )
    library = await make_library(catalog, feed)
    show = catalog.data.find_exhibition("Net Evil")
    for text in (
        show["id"],
        show["slug"],
        "NET EVIL",
        "net-evil",
        " Nét  Evil ",
    ):
        node = await library.async_find("exhibition", text)
        assert node.id == f"exhibition/{show['id']}", text
    # Of two with the same title the newer one is found.
    newest = await library.async_find("exhibition", "Still Life")
    assert newest.year == 2024
    series = catalog.data.series(show["id"])[0]
    for text in (series["id"], series["title"].upper()):
        node = await library.async_find("series", text)
        assert node.title == series["title"]
    # A similar title is suggested in the error.
    for text in ("e", "net", "Net Evli"):
        with pytest.raises(NotFoundError):
            await library.async_find("exhibition", text)
        if text != "e":
            assert "Net Evil" in await library.async_nearest(
                NodeKind.EXHIBITION, text
            ), text
    for text in (stored["id"], stored["slug"]):
        found = await library.async_node(f"playlist/{text}")
        assert found.id == f"playlist/{stored['id']}"
    for kind in ("exhibition", "series"):
        with pytest.raises(NotFoundError, match="no-such-thing"):
            await library.async_find(kind, "no-such-thing")
    with pytest.raises(NotFoundError, match="no-such-thing"):
        await library.async_node("playlist/no-such-thing")
    upcoming = catalog.data.find_exhibition("Before the Opening")
    named = await library.async_find("exhibition", upcoming["slug"])
    assert not named.can_play


async def test_a_playlist_that_is_newer_than_the_list(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A playlist that is newer than the cache is found by its id or slug."""
    library = await make_library(feed=feed)
    (stored,) = feed.seed(
        [{"title": "Evening", "items": [{"source": "https://art.example/1.html"}]}]
    )
    node = await library.async_node(f"playlist/{stored['slug']}")
    assert node.id == f"playlist/{stored['id']}"
    assert (await library.async_build_playlist(node.id)).title == "Evening"


@pytest.mark.parametrize("key", ["id", "slug"])
@pytest.mark.parametrize("what", ["inside", "whole", "first", "work"])
async def test_a_look_up_takes_no_request_of_its_own(
    feed: FeedSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    what: str,
) -> None:
    """A playlist that is not in the list is read once, and opened or cast, also in part, from that; if it can no more be read, once is enough."""
    library = await make_library(feed=feed)
    works = [{"source": f"https://art.example/{n}.html"} for n in range(3)]
    (stored,) = feed.seed([{"title": "Evening", "items": works}])
    node = f"playlist/{stored[key]}"
    if what == "work":
        node = f"item/{stored[key]}/{stored['items'][0].get('id', '0')}"

    async def shown() -> int | None:
        if what == "inside":
            return len((await library.async_children(node)).nodes)
        limit = 2 if what == "first" else None
        built = await library.async_build_playlist(node, limit=limit)
        assert built.node_id.split("/")[1] == stored["id"]
        return built.works

    count = {"inside": 3, "whole": 3, "first": 2, "work": 1}[what]
    feed.log.clear()
    assert await shown() == count
    assert len(feed.log) == 1
    monkeypatch.setattr(feed_module, "DOCUMENT_MAX_AGE_SECONDS", 0.0)
    feed.fault(status=400)
    assert await shown() == count
    assert len(feed.log) == 2


async def test_a_cold_search_asks_the_catalog(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """The search of the catalog is used before its list was read."""
    catalog.inject("slow", offset=5, times=1, seconds=0.5)
    library = await make_library(catalog, wait=False)
    found = await search_nodes(library, "printmaker")
    assert found and {it.kind for it in found} == {NodeKind.EXHIBITION}
    assert (await library.async_build_playlist(found[0].id)).works


@pytest.mark.parametrize("query", ["de " * 60, "qwx zzv", "tulips by nobody at all"])
async def test_a_search_that_finds_nothing_asks_the_catalog_once(
    catalog: CatalogSimulator,
    library: Library,
    query: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many ways there are to read the words, of which only a few are tried."""
    tried: set[Query] = set()
    find = Lines.find

    def note(self: Lines[Any], query: Query, least: float | None = None) -> Any:
        if least is not None:
            tried.add(query)
        return find(self, query, least)

    monkeypatch.setattr(Lines, "find", note)
    catalog.reset_counters()
    await search_nodes(library, query)
    assert catalog.count("exhibitions") <= 1
    assert 0 < len(tried) < 8


async def test_a_search_within_a_series_is_modest(
    catalog: CatalogSimulator, library: Library
) -> None:
    """However long a series is, a search in it takes no more requests than its page."""
    series = series_of(catalog, "Longform")
    assert len(catalog.data.artworks(series["id"])) > 100
    catalog.requests.clear()
    node = f"series/{series['id']}"
    await library.async_hits("nothing is called so", within=node)
    pages = [it for it in catalog.requests if it.query.get("seriesID") == series["id"]]
    assert len(pages) <= 12
