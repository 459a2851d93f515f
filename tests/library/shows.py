"""What the tests of the library share: playlists of a catalog's own works, and what displays say."""

from collections.abc import Iterable
from typing import Any

from custom_components.dp1.client.display.player_status import (
    PlayerStatus,
    PlaylistItem,
)
from custom_components.dp1.library.library import BuiltPlaylist, Library, Work

from tests.simulators.catalog.simulator import CatalogSimulator

type Json = dict[str, Any]


def show_id(catalog: CatalogSimulator, title: str) -> str:
    """Find the id of an exhibition."""
    return str(catalog.data.find_exhibition(title)["id"])


def items_of(catalog: CatalogSimulator, title: str) -> list[Json]:
    """Make items of the first work of every series, as a feed has them."""
    return [
        item_of(catalog.data.artworks(series["id"])[0], series)
        for series in catalog.data.series(show_id(catalog, title))
    ]


def item_of(artwork: Json, series: Json) -> Json:
    """Make the item of a work, as the feed of the catalog's owner has it."""
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
    """Make the playlist that the catalog's owner publishes of an exhibition."""
    items = items_of(catalog, title)
    return {"title": f"{title} — Full Collection", "items": items}


def player(
    items: Iterable[Json] = (), *, url: str | None = None, key: str | None = None
) -> PlayerStatus:
    """Make what a display says that it shows."""
    return PlayerStatus.parse(
        {
            "ok": True,
            "playlistUrl": url,
            "playlist": {"id": key, "title": "x"},
            "items": list(items),
            "index": 0,
        }
    )


def works_of(library: Library, built: BuiltPlaylist) -> list[tuple[str, Work]]:
    """List the ids of the items of a playlist with what the library knows of their works."""
    keys = [str(item["id"]) for item in (built.cast.playlist or {})["items"]]
    found = [(key, library.known_work(on_wall({"id": key}))) for key in keys]
    return [(key, work) for key, work in found if work]


def on_wall(item: Json) -> PlaylistItem:
    """Make a work as a display tells of it."""
    return PlaylistItem.parse(item)
