"""Test the playlists that are made for nodes of the library."""

from collections import Counter
from typing import Any

from freezegun.api import FrozenDateTimeFactory
import pytest

from custom_components.dp1.client.errors import NotFoundError, TemporaryError
from custom_components.dp1.client.playlist.document import check_playable, validate
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.library.library import Library

from .conftest import MakeLibrary
from .shows import full_collection, series_of, show_id, show_node, works_of

from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator


def document(hanging: Playlist) -> dict[str, Any]:
    """Return the document of a cast, which a display must accept."""
    playlist = dict(hanging.document)
    assert validate(playlist) == []
    check_playable(playlist)
    assert len(playlist["items"]) == hanging.works
    assert hanging.title == playlist["title"]
    return playlist


async def test_a_group_show_is_interleaved(
    catalog: CatalogSimulator, library: Library
) -> None:
    """The series of a group exhibition take turns, and copies are shown once."""
    node = show_node(catalog, "Net Evil")
    hanging = await library.async_build_playlist(node)
    playlist = document(hanging)
    series = catalog.data.series(show_id(catalog, "Net Evil"))
    assert (hanging.title, hanging.node_id) == ("Net Evil", node)
    works = works_of(library, hanging)
    assert [key for key, _ in works] == [item["id"] for item in playlist["items"]]
    titles = [(work.series or work.title) for _, work in works]
    assert titles[: len(series)] == [record["title"] for record in series]
    counts = Counter(titles)
    for record in series:
        unique = record["settings"]["artworkModel"] == "multi_unique"
        assert (counts[record["title"]] > 1) is unique
    for item in playlist["items"]:
        assert item["duration"] == 300
        assert item["license"] == "open"
    assert playlist["defaults"]["duration"] == 300
    assert playlist["summary"] and playlist["coverImage"]
    assert any("provenance" in item for item in playlist["items"])


async def test_a_solo_show_has_its_single_works_first(
    catalog: CatalogSimulator, library: Library
) -> None:
    """A solo exhibition has its single works first, then one series after the other."""
    node = show_node(catalog, "Seven Small Suns")
    hanging = await library.async_build_playlist(node)
    document(hanging)
    titles = [(work.series or work.title) for _, work in works_of(library, hanging)]
    order = list(dict.fromkeys(titles))
    assert titles == sorted(titles, key=order.index)
    counts = [Counter(titles)[title] for title in order]
    assert counts == sorted(counts, key=lambda count: count > 1)


async def test_limit(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    freezer: FrozenDateTimeFactory,
) -> None:
    """The number of works is limited, and each playlist has a new id and the same works, also a little later."""
    library = await make_library(catalog)
    node = f"exhibition/{show_id(catalog, 'Twenty Kinds of Weather')}"
    few = document(await library.async_build_playlist(node, limit=6))
    assert len(few["items"]) == 6
    plain = document(await library.async_build_playlist(node))
    freezer.tick(1)
    again = document(await library.async_build_playlist(node))
    assert plain["items"] == again["items"]
    assert plain["id"] != again["id"]


async def test_a_series_and_a_work(catalog: CatalogSimulator, library: Library) -> None:
    """A series has its exhibition in the title; a work has its own name, and the same item id in every playlist."""
    show = show_id(catalog, "Longform")
    series = catalog.data.series(show)[0]
    hanging = await library.async_build_playlist(f"series/{series['id']}")
    playlist = document(hanging)
    assert hanging.title == "Longform — A Thousand Tides"
    assert 45 <= hanging.works <= 50
    children = await library.async_children(f"series/{series['id']}")
    node = children.nodes[3]
    work = await library.async_build_playlist(node.id)
    (item,) = document(work)["items"]
    assert work.title == item["title"] == node.title
    assert item["id"] == playlist["items"][3]["id"]
    node_id = f"series/{series['id']}"
    everything = await library.async_build_playlist(node_id, limit=1024)
    works = catalog.data.artworks(series["id"])
    assert everything.works == sum(not record["burned"] for record in works)


async def test_what_was_not_read_yet(
    catalog: CatalogSimulator, library: Library
) -> None:
    """A work that is not cached is searched in its whole series, and a series found by its id; an unknown one is not found."""
    series = series_of(catalog, "Net Evil", artworkModel="multi_unique")
    artwork = catalog.data.artworks(series["id"])[6]
    node = f"artwork/{series['id']}"
    hanging = await library.async_build_playlist(f"{node}/{artwork['id']}")
    (work,) = (work for _, work in works_of(library, hanging))
    assert work.edition == f"#7 of {series['settings']['maxArtwork']}"
    with pytest.raises(NotFoundError, match="nothing-like-it"):
        await library.async_build_playlist(f"{node}/nothing-like-it")
    series = series_of(catalog, "The Weight of Blue")
    hanging = await library.async_build_playlist(f"series/{series['id']}")
    assert hanging.title == f"The Weight of Blue — {series['title']}"


@pytest.mark.parametrize("has_single_works", [True, False])
async def test_a_work_far_in_a_series(
    catalog: CatalogSimulator, make_library: MakeLibrary, has_single_works: bool
) -> None:
    """A work beyond the first is asked for by its id, and its series is read only where the catalog has no such answer."""
    catalog.has_single_works = has_single_works
    library = await make_library(catalog)
    series = series_of(catalog, "Longform")
    await library.async_children(f"series/{series['id']}")
    (work,) = (
        each for each in catalog.data.artworks(series["id"]) if each["index"] == 701
    )
    catalog.reset_counters()
    hanging = await library.async_build_playlist(f"artwork/{series['id']}/{work['id']}")
    assert [work.edition for _, work in works_of(library, hanging)] == ["#702 of 1024"]
    assert (len(catalog.requests) == 1) is has_single_works
    assert await library.async_node(f"artwork/{series['id']}/{work['id']}")


async def test_works_without_a_source_are_left_out(
    catalog: CatalogSimulator, library: Library
) -> None:
    """Works without a source are left out; a series without any other is refused."""
    document(await library.async_build_playlist(show_node(catalog, "Loose Ends")))
    bare, empty = (
        series_of(catalog, "Loose Ends", title=title)
        for title in ("No Source at All", "No Works")
    )
    work = catalog.data.artworks(bare["id"])[0]
    for node, reason in (
        (f"series/{bare['id']}", "No Source at All"),
        (f"series/{empty['id']}", "No Works"),
        (f"artwork/{bare['id']}/{work['id']}", "nothing to show"),
    ):
        with pytest.raises(NotFoundError, match=reason):
            await library.async_build_playlist(node)


async def test_preferences_go_into_new_playlists(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """New playlists have duration and display settings of the options."""
    display = {"scaling": "fill", "background": "#112233", "margin": "12"}
    options = {"duration": 42.0, **display}
    library = await make_library(catalog, options=options)
    node = show_node(catalog, "Net Evil")
    playlist = document(await library.async_build_playlist(node, limit=2))
    assert playlist["defaults"] == {
        "duration": 42,
        "license": "open",
        "display": {**display, "margin": 12},
    }
    assert {(item["duration"], item["license"]) for item in playlist["items"]} == {
        (42, "open")
    }


async def test_a_playlist_is_cast_by_its_address(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A feed's playlist is cast by its URL, unless it is limited."""
    items = [
        {"source": f"https://art.example/{n}.html", "title": f"Work {n}"}
        for n in range(9)
    ]
    (stored,) = feed.seed([{"title": "Evening", "items": items}])
    node = f"playlist/{stored['id']}"
    library = await make_library(feed=feed)
    asked = feed.request_count
    hanging = await library.async_build_playlist(node)
    assert hanging.url == f"{feed.url}/playlists/{stored['id']}"
    assert (hanging.title, hanging.works) == ("Evening", 9)
    assert feed.request_count == asked
    assert await library.async_build_playlist(f"playlist/{stored['slug']}") == hanging
    few = await library.async_build_playlist(node, limit=3)
    titles = [item["title"] for item in document(few)["items"]]
    assert titles == ["Work 0", "Work 1", "Work 2"]
    assert not {"signature", "signatures"} & set(few.document)
    with pytest.raises(NotFoundError):
        await library.async_build_playlist("playlist/no-such-thing")


async def test_a_work_of_a_playlist(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A single work of a playlist is cast unchanged, with the duration that applies to it."""
    items = [
        {
            "source": "https://art.example/1.html",
            "title": "One",
            "display": {"scaling": "fill"},
        },
        {"source": "https://art.example/2.html", "duration": 7},
    ]
    (stored,) = feed.seed(
        [{"title": "Evening", "items": items, "defaults": {"duration": 60}}]
    )
    library = await make_library(feed=feed)
    nodes = (await library.async_children(f"playlist/{stored['id']}")).nodes
    assert [node.title for node in nodes] == ["One", "#2"]
    first, second = [
        document(await library.async_build_playlist(node.id))["items"][0]
        for node in nodes
    ]
    manifest = first.pop("inlineManifest")
    assert manifest["metadata"] == {"title": "One"}
    assert first == stored["items"][0] | {"duration": 60}
    assert second == stored["items"][1]
    with pytest.raises(NotFoundError):
        await library.async_build_playlist(f"item/{stored['id']}/nothing")


async def test_an_exhibition_without_works(
    catalog: CatalogSimulator, library: Library
) -> None:
    """An empty exhibition and one that cannot be read have different errors; one is cast without the series that cannot be read."""
    fault = catalog.inject("status", route="series", status=500)
    with pytest.raises(TemporaryError):
        await library.async_build_playlist(show_node(catalog, "Longform"))
    assert fault.hits
    catalog.heal()
    show = show_node(catalog, "Net Evil")
    await library.async_children(show)
    catalog.inject("status", route="artworks", status=502, times=8)
    assert (await library.async_build_playlist(show)).works > 5
    catalog.heal()
    catalog.inject("empty", route="artworks")
    catalog.inject("wrong_total", route="artworks", size=0)
    with pytest.raises(NotFoundError, match="Slow Weather"):
        await library.async_build_playlist(show_node(catalog, "Slow Weather"))


async def test_a_playlist_that_claims_to_be_a_show_is_not_believed(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """An exhibition is made from the catalog, whatever a playlist of the feed says it is."""
    feed.seed([full_collection(catalog, "Net Evil")])
    library = await make_library(catalog, feed)
    hanging = await library.async_build_playlist(show_node(catalog, "Net Evil"))
    assert hanging.url is None and hanging.works > 8
