"""Collections: the works that addresses hold, in the browser, in search, on displays, and followed."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from custom_components.dp1.client.indexer import client
from custom_components.dp1.library.library import Library
from homeassistant.core import HomeAssistant

from tests.collections import E1, E2, SUBENTRY, T1, collection_of, set_up_collection
from tests.displays import until
from tests.houses import House, titles
from tests.simulators.indexer import IndexerSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

NODE = f"collection/{SUBENTRY}"


@pytest.fixture
async def indexer(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[IndexerSimulator]:
    """Run an indexer."""
    monkeypatch.setattr(client, "PAUSE", 0.01)
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)
    async with IndexerSimulator() as running:
        yield running


def entry_id(hass: HomeAssistant) -> str:
    """Return the id of the library."""
    (entry,) = (
        entry
        for entry in hass.config_entries.async_entries("dp1")
        if entry.data["kind"] == "library"
    )
    return entry.entry_id


async def works(library: Library, node: str = NODE) -> list[str]:
    """Return the titles of the works inside a node."""
    children = await library.async_children(node)
    return [child.title for child in children.nodes if child.kind == "owned"]


async def poll(entry: Any) -> None:
    """Look for changes."""
    await collection_of(entry).async_refresh()
    await entry.runtime_data.hass.async_block_till_done()


async def test_browse(hass: HomeAssistant, indexer: IndexerSimulator) -> None:
    """The works of all addresses are listed once, newest first, and grouped by artist and by how they behave."""
    entry = await set_up_collection(hass, indexer.url, E1, E2, T1)
    library: Library = entry.runtime_data
    await until(lambda: collection_of(entry).data.complete)
    assert await works(library) == [
        "Étude nº 3 – “glass”",
        "Slow Harbour (edition)",
        "Lattice Bloom #88",
        "Tidal Ledger #42",
        "#5",
        "Plain Square",
        "Unresolved",
    ]
    root = await library.async_children("")
    assert [node.title for node in root.nodes][0] == "My collection"
    inside = await library.async_children(NODE)
    folders = [node.title for node in inside.nodes if node.kind != "owned"]
    assert folders == ["Artists", "Still", "Moving", "Interactive"]
    artists = await library.async_children(f"collection_part/{SUBENTRY}/artists")
    assert [node.title for node in artists.nodes] == [
        "Rui Tanaka",
        "Lena Voss",
        "moss",
        "Ines Okafor",
        "anonymous",
        "K. Sato",
    ]
    assert await works(library, f"collection_artist/{SUBENTRY}/Lena%20Voss") == [
        "Slow Harbour (edition)"
    ]
    assert await works(library, f"collection_part/{SUBENTRY}/moving") == [
        "Slow Harbour (edition)"
    ]
    assert await works(library, f"collection_part/{SUBENTRY}/interactive") == [
        "Lattice Bloom #88",
        "Tidal Ledger #42",
    ]
    assert not indexer.authorized
    assert all(asked.agent.startswith("home-assistant-dp1/") for asked in indexer.asked)


async def test_cast(hass: HomeAssistant, indexer: IndexerSimulator) -> None:
    """A collection hangs as one document, with artists; what has no source is left out, and the newest are kept."""
    await set_up_collection(hass, indexer.url, E1, E2, T1)
    async with House.of(hass, "wall") as house:
        wall = house.walls["wall"]
        await house.play("wall", f"media-source://dp1/{entry_id(hass)}/{NODE}")
        await until(lambda: house.attribute("wall", "media_title") is not None)
        # The drawing that is data: cannot be loaded.
        assert "Plain Square" not in titles(wall.state.items)
        assert len(wall.state.items) == 6
        assert wall.state.items[1]["id"] == "083b1191-10d8-58ee-a862-a3973ef60867"
        await until(lambda: house.attribute("wall", "source") == "My collection")
        assert "My collection" in house.attribute("wall", "source_list")
        await house.do("select_source", "wall", source="My collection")
        # Of two artists, both are named.
        await house.do("media_next_track", "wall")
        await until(
            lambda: house.attribute("wall", "media_artist") == "Rui Tanaka, Lena Voss"
        )
        node = f"collection_artist/{SUBENTRY}/moss"
        await house.play("wall", f"media-source://dp1/{entry_id(hass)}/{node}")
        assert titles(wall.state.items) == ["Lattice Bloom #88"]
        assert "fxhash=ooSimHash88" in wall.state.items[0]["source"]


async def test_search(hass: HomeAssistant, indexer: IndexerSimulator) -> None:
    """A collection, its artists and its works are found by their names."""
    entry = await set_up_collection(hass, indexer.url, E1, T1)
    library: Library = entry.runtime_data
    await until(lambda: collection_of(entry).data.complete)

    async def found(query: str, **where: Any) -> list[str]:
        """Return the ids that a search finds."""
        return [node.id for node in await library.async_search(query, **where)]

    assert (await found("my collection"))[0] == NODE
    (first, *_) = await found("lattice bloom")
    assert first.startswith("owned/")
    assert (await found("moss"))[0].startswith("collection_artist/")
    assert (await found("etude", within=NODE))[0].startswith("owned/")
    assert not await found("nothing like it")


async def test_restart_without_network(
    hass: HomeAssistant, indexer: IndexerSimulator
) -> None:
    """After a restart the last list is there without a request, and while the indexer is away."""
    entry = await set_up_collection(hass, indexer.url, E1, T1)
    await until(lambda: collection_of(entry).data.complete)
    before = collection_of(entry).data.records
    # What has changed is read from here on.
    await until(lambda: any(a.field == "syncCollection" for a in indexer.asked))
    await poll(entry)
    await hass.config_entries.async_unload(entry.entry_id)
    await indexer.stop()
    asked = len(indexer.asked)
    assert await hass.config_entries.async_setup(entry.entry_id)
    assert collection_of(entry).data.records == before
    assert len(indexer.asked) == asked
    await poll(entry)
    assert collection_of(entry).data.records == before
    assert len(await works(entry.runtime_data)) == 6
    assert collection_of(entry).problem is not None
