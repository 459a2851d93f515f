"""Helpers for tests of the library: playlists of the catalog's works, and states of displays."""

from collections.abc import Iterable
from typing import Any

from custom_components.dp1.client.display.player_status import (
    PlayerStatus,
    PlaylistItem,
)
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.library.item import Item
from custom_components.dp1.library.library import Library

from tests.simulators.catalog.simulator import CatalogSimulator

type Json = dict[str, Any]


async def search_nodes(
    library: Library, query: str, *, limit: int = 20, **options: Any
) -> list[Item]:
    """Return the nodes that a library finds, the best first."""
    hits = await library.async_hits(query, **options)
    return [hit.node for hit in hits[:limit]]


def show_id(catalog: CatalogSimulator, title: str) -> str:
    return str(catalog.data.find_exhibition(title)["id"])


def show_node(catalog: CatalogSimulator, title: str) -> str:
    """Return the id of the node of an exhibition."""
    return f"exhibition/{show_id(catalog, title)}"


def series_of(catalog: CatalogSimulator, show: str, /, **fields: str) -> Json:
    """Return the first series of an exhibition that has an artwork model or a title."""
    return next(
        record
        for record in catalog.data.series(show_id(catalog, show))
        if fields.items() <= {**record, **(record["settings"] or {})}.items()
    )


def items_of(catalog: CatalogSimulator, title: str) -> list[Json]:
    """Return items of the first work of every series, as in a feed."""
    return [
        item_of(catalog.data.artworks(series["id"])[0], series)
        for series in catalog.data.series(show_id(catalog, title))
    ]


def item_of(artwork: Json, series: Json) -> Json:
    """Return the item of a work, as in the feed of the catalog's owner."""
    return {
        "title": f"{series['title']} {artwork['name']}",
        "source": artwork["previewURI"],
        "duration": 300,
        "license": "open",
        "provenance": {
            "type": "onChain",
            "contract": {
                "chain": "evm",
                "standard": "erc721",
                "address": artwork["contractAddress"].upper().replace("0X", "0x"),
                "tokenId": artwork["tokenID"],
            },
        },
    }


def full_collection(catalog: CatalogSimulator, title: str) -> Json:
    """Return the playlist of an exhibition that the catalog's owner publishes."""
    items = items_of(catalog, title)
    return {"title": f"{title} — Full Collection", "items": items}


def player(
    items: Iterable[Json] = (), *, url: str | None = None, key: str | None = None
) -> PlayerStatus:
    """Return the player state of a display."""
    return PlayerStatus.parse(
        {
            "ok": True,
            "playlistUrl": url,
            "playlist": {"id": key, "title": "x"},
            "items": list(items),
            "index": 0,
        }
    )


def works_of(library: Library, built: Playlist) -> list[tuple[str, Item]]:
    """Return the item ids of a playlist with the library's metadata of the works."""
    items = (built.document or {})["items"]
    found = [(str(item["id"]), library.work(on_wall(item))) for item in items]
    return [(key, work) for key, work in found if work]


def on_wall(item: Json) -> PlaylistItem:
    """Return a work as reported by a display."""
    return PlaylistItem.parse(item)


def listed_shows(library: Library) -> list[str]:
    """Return the names of the exhibitions among the sources."""
    names = library.source_list().names
    return [name for name, node in names.items() if node.startswith("exhibition/")]
