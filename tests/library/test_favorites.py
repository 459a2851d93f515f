"""Test the favorites of a library."""

from typing import Any

import pytest

from custom_components.dp1.client.errors import NotFoundError, UnreachableError
from custom_components.dp1.client.playlist.manifest import Artist
from custom_components.dp1.library.item import Item
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.node import NodeKind
from custom_components.dp1.library.providers.favorites import Favorites

from .conftest import MakeLibrary
from .shows import search_nodes, show_id

from tests.client.keys import keyed
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator


async def test_favorites_stay(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """Favorites are listed newest first, and works can be cast after a restart while both servers are down."""
    items = [{"source": "https://art.example/1.html", "title": "One", "duration": 7}]
    (stored,) = feed.seed([{"title": "Evening", "items": items}])
    library = await make_library(catalog, feed)
    show = f"exhibition/{show_id(catalog, 'Longform')}"
    series = (await library.async_children(show)).nodes[0]
    work = (await library.async_children(series.id)).nodes[4]
    (item,) = (await library.async_children(f"playlist/{stored['id']}")).nodes
    for node in (show, series.id, work.id, f"playlist/{stored['id']}", item.id, show):
        added = await library.async_add_favorite(node)
        assert added.id == node
    before = await library.async_children("favorites")
    assert [record.id for record in before.nodes] == [
        show,
        item.id,
        f"playlist/{stored['id']}",
        work.id,
        series.id,
    ]
    assert library.favorites.has(work.id)
    assert (await library.async_node("favorites")).can_play
    together = await library.async_build_playlist("favorites")
    assert together.works == 2 and together.node_id == "favorites"
    few = await library.async_build_playlist("favorites", limit=1)
    assert few.works == 1
    await catalog.stop()
    await feed.stop()
    async with CatalogSimulator() as other_catalog, FeedSimulator() as other_feed:
        await other_catalog.stop()
        await other_feed.stop()
        # Other servers, which are down.
        library = await make_library(other_catalog, other_feed, wait=False)
    assert (await library.async_children("favorites")).nodes == before.nodes
    for node in (work, item):
        assert (await library.async_node(node.id)).title == node.title
        hanging = await library.async_build_playlist(node.id)
        assert (hanging.works, hanging.title) == (1, node.title)
    with pytest.raises(UnreachableError, check=keyed("refused")):
        await library.async_build_playlist(series.id)
    found = await search_nodes(library, "thousand")
    assert [record.id for record in found] == [series.id, work.id]
    for node in before.nodes:
        library.favorites.async_remove(node.id)
    assert not (await library.async_children("favorites")).nodes
    assert not (await library.async_node("favorites")).can_play
    with pytest.raises(NotFoundError):
        await library.async_build_playlist("favorites")


async def test_folders_are_not_liked(make_library: MakeLibrary) -> None:
    """A folder cannot be a favorite."""
    library = await make_library()
    for node in ("exhibitions", "", "favorites"):
        with pytest.raises(ValueError, match="not a work"):
            await library.async_add_favorite(node)
    with pytest.raises(NotFoundError):
        await library.async_add_favorite("series/unknown")


async def test_favorites_are_stored(
    make_library: MakeLibrary, hass_storage: dict[str, Any]
) -> None:
    """Favorites are read again unchanged; invalid ones are skipped."""
    library = await make_library()
    favorites = library.favorites
    node = Item(
        id="artwork/1/2",
        kind=NodeKind.ARTWORK,
        title="Tide",
        artists=(Artist("Mara"),),
        picture="https://art.example/m",
        year=2026,
        medium="image",
        provenance={"type": "onChain", "contract": {"tokenId": "1"}},
        can_play=True,
        subtitle="Slow Weather",
    )
    mine = Item(
        id="playlist/1",
        kind=NodeKind.PLAYLIST,
        title="Mine",
        query="viewer",
        works=3,
    )
    favorites.async_add(mine)
    favorites.async_add(node, {"source": "https://art.example/1"})
    favorites.async_remove("unknown")
    await library.async_stop()
    stored = hass_storage["dp1.favorites.library"]["data"]["favorites"]
    stored += [
        None,
        {"id": "nonsense", "title": "x"},
        {"node": {"id": "series/1"}},
        {"node": {"id": "exhibitions", "kind": "exhibitions", "title": "x"}},
    ]
    again = Favorites(library.hass, library.entry, lambda: None)
    await again.async_load()
    assert again.nodes() == (node, mine)
    favorite = again.kept(node.id)
    assert favorite and favorite.item == {"source": "https://art.example/1"}
    (item,) = again.items()
    assert item["inlineManifest"]["metadata"]["artists"] == [{"name": "Mara"}]


async def test_a_favorite_that_is_removed_while_it_is_read(
    catalog: CatalogSimulator, library: Library
) -> None:
    """What was read of it comes too late, and brings it back no more."""
    shows = (await library.async_children("exhibitions")).nodes
    await library.async_add_favorite(shows[0].id)
    library.favorites.async_remove(shows[0].id)
    library.favorites.async_update(shows[0])
    assert not library.favorites.nodes()


async def test_a_favorite_playlist_is_kept(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A favorite stays when its playlist is not there for once, and while the library has no feed."""
    items = [{"source": "https://art.example/1.html"}]
    (stored,) = feed.seed([{"title": "Evening", "items": items}])
    library = await make_library(feed=feed)
    node = f"playlist/{stored['id']}"
    await library.async_add_favorite(node)
    document = feed.documents.pop(stored["id"])
    await library.feed_server.async_refresh()
    assert library.favorites.has(node)
    await library.async_stop()
    without = await make_library(wait=False)
    with pytest.raises(NotFoundError):
        await without.async_build_playlist(node)
    assert without.favorites.has(node)
    await without.async_stop()
    feed.documents[stored["id"]] = document
    library = await make_library(feed=feed)
    assert (await library.async_build_playlist(node)).works == 1
    assert library.favorites.has(node)
