"""Test recognizing works that a display shows."""

import json
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest

from custom_components.dp1.client.catalog.models import Artwork, Series
from custom_components.dp1.client.playlist.manifest import Artist
from custom_components.dp1.library.index import token_mark
from custom_components.dp1.library.item import Item
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.providers.catalog import provider
from custom_components.dp1.library.providers.catalog.server import folder_of, work_of
from homeassistant.core import HomeAssistant

from .conftest import MakeLibrary
from .shows import (
    full_collection,
    item_of,
    on_wall,
    series_of,
    show_id,
    show_node,
    works_of,
)

from tests.displays import name_hosts
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator
from tests.timing import set_timing


def unique_series(catalog: CatalogSimulator, title: str, **fields: str) -> Any:
    """Return a series of different works."""
    return series_of(catalog, title, artworkModel="multi_unique", **fields)


async def test_what_was_cast_is_known(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """Every cast work is recognized by its item id at its address, also after a restart."""
    library = await make_library(catalog)
    node = show_node(catalog, "Net Evil")
    hanging = await library.async_build_playlist(node)
    library = await make_library(catalog, wait=False)
    catalog.reset_counters()
    known_works = works_of(library, hanging)
    assert len(known_works) == hanging.works
    for _, known in known_works:
        assert known.exhibition == "Net Evil"
        assert known.title and known.artist and known.year and known.picture
        assert known.link and known.medium and known.note
    assert not catalog.requests
    assert library.work(on_wall({"id": "unknown", "title": "x"})) is None
    assert library.work(on_wall({})) is None
    numbered = [known for _, known in known_works if known.series]
    assert numbered
    assert all(record.edition and record.edition.startswith("#") for record in numbered)


async def test_what_others_cast_is_known(
    catalog: CatalogSimulator, library: Library
) -> None:
    """A cached work is recognized by its URL, in any spelling of its token, and nothing is by a token or an id elsewhere."""
    await library.async_build_playlist(show_node(catalog, "Net Evil"))
    series = unique_series(catalog, "Net Evil")
    artwork = catalog.data.artworks(series["id"])[1]
    item = item_of(artwork, series)
    for seen in (
        {"source": item["source"]},
        {"source": item["source"], "provenance": item["provenance"]},
    ):
        known = library.work(on_wall(seen))
        assert known is not None
        assert known.title == f"{series['title']} #2"
        assert known.edition == f"#2 of {series['settings']['maxArtwork']}"
        assert known.id == f"artwork/{series['id']}/{artwork['id']}"
    await library.async_add_favorite(known.id or "")
    claimed = {key: item[key] for key in ("id", "provenance") if key in item}
    for elsewhere in ({}, {"source": "https://ipfs.example/x"}):
        assert library.work(on_wall(claimed | elsewhere)) is None


@pytest.mark.parametrize("medium", ["software", "image"])
async def test_a_work_is_looked_up(
    medium: str,
    catalog: CatalogSimulator,
    feed: FeedSimulator,
    make_library: MakeLibrary,
) -> None:
    """A work of a feed's playlist is found once the series of its exhibition were read, by one request."""
    series = unique_series(catalog, "Twenty Kinds of Weather", medium=medium)
    artwork = catalog.data.artworks(series["id"])[6]
    playlist = full_collection(catalog, "Twenty Kinds of Weather")
    item = item_of(artwork, series)
    playlist["items"].append(item)
    feed.seed([playlist])
    library = await make_library(catalog, feed)
    assert await library.async_work(on_wall(item)) is None
    library = await make_library(catalog, feed)
    await library.async_children(show_node(catalog, "Twenty Kinds of Weather"))
    catalog.reset_counters()
    known = await library.async_work(on_wall(item))
    assert known is not None
    assert known.edition == f"#7 of {series['settings']['maxArtwork']}"
    assert known.id == f"artwork/{series['id']}/{artwork['id']}"
    assert known.exhibition == "Twenty Kinds of Weather"
    assert len(catalog.requests) == 1
    assert await library.async_work(on_wall(item)) == known
    assert library.work(on_wall(item)) == known
    assert len(catalog.requests) == 1


async def test_the_series_is_better_than_nothing(
    catalog: CatalogSimulator, library: Library
) -> None:
    """An unknown work in the folder of a series has the metadata of the series."""
    await library.async_children(show_node(catalog, "Net Evil"))
    series = unique_series(catalog, "Net Evil")
    folder = series["previewFile"]["uri"]
    item = on_wall({"source": f"{folder}special.html", "title": "Special <b>cut</b>"})
    for known in (library.work(item), await library.async_work(item)):
        assert known is not None
        assert (known.title, known.exhibition) == ("Special cut", "Net Evil")
        assert known.series == series["title"]
        assert known.id == f"series/{series['id']}"
        assert known.edition is None
    far = on_wall({"source": f"{series['uniquePreviewPath']}/99999"})
    known = await library.async_work(far)
    assert known is not None and known.id == f"series/{series['id']}"
    single = series_of(catalog, "Net Evil", artworkModel="multi")
    work = catalog.data.artworks(single["id"])[0]
    known = await library.async_work(on_wall({"source": work["previewURI"]}))
    assert known is not None and known.link
    assert known.id == f"artwork/{single['id']}/{work['id']}"


async def test_a_catalog_in_trouble_is_asked_again_later(
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A failed look-up is retried later."""
    library = await make_library(catalog)
    await library.async_children(show_node(catalog, "Net Evil"))
    series = unique_series(catalog, "Net Evil")
    item = on_wall(item_of(catalog.data.artworks(series["id"])[3], series))
    catalog.inject("status", route="artworks")
    known = await library.async_work(item)
    assert known is not None and known.id == f"series/{series['id']}"
    catalog.heal()
    assert await library.async_work(item) == known
    item = on_wall(item_of(catalog.data.artworks(series["id"])[4], series))
    set_timing(work_retry=0.0)
    catalog.inject("status", route="artworks")
    assert await library.async_work(item)
    catalog.heal()
    known = await library.async_work(item)
    assert known is not None and (known.id or "").startswith("artwork/")


MANIFEST = {
    "metadata": {
        "title": "Tide <i>II</i>",
        "artists": [{"name": "Mara"}, None, {"name": ""}, {"name": "Ren"}],
        "description": "<p>Slow &amp; wide.</p>",
        "thumbnails": {
            "small": {"uri": "https://art.example/s.png"},
            "default": {
                "uri": "ipfs://bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34/d.png"
            },
            "large": {"uri": "javascript:alert(1)"},
        },
    }
}


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (
            200,
            json.dumps(MANIFEST),
            Item(
                title="Tide II",
                artists=(Artist("Mara"), Artist("Ren")),
                picture="https://ipfs.filebase.io/ipfs/bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34/d.png",
                note="Slow & wide.",
            ),
        ),
        (
            200,
            json.dumps({"metadata": {"creditLine": "By X"}}),
            Item(artists=(Artist("By X"),)),
        ),
        (200, "[]", None),
        (404, json.dumps(MANIFEST), None),
        (200, json.dumps({**MANIFEST, "x": "y" * provider.MAX_MANIFEST}), None),
    ],
)
async def test_manifests(
    status: int,
    body: str,
    expected: Item | None,
    hass: HomeAssistant,
    socket_enabled: None,
    make_library: MakeLibrary,
) -> None:
    """The valid fields of a manifest become metadata of the work."""
    asked = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=status, text=body)

    app = web.Application()
    app.router.add_get("/ref.json", answer)
    async with TestServer(app) as server:
        library = await make_library()
        ref = str(server.make_url("/ref.json"))
        item = on_wall({"id": "1", "ref": ref})
        await name_hosts(hass, ref)
        assert await library.async_work(item) == expected
        assert await library.async_work(item) == expected
        assert library.work(item) == expected
    assert len(asked) == 1
    assert await library.async_work(on_wall({"ref": "not an address"})) is None


SERIES = Series(id="s", exhibition_id="e", title="Tides", max_artwork=40)


@pytest.mark.parametrize(
    ("series", "artwork", "edition"),
    [
        (SERIES, Artwork(id="1", index=11, name="#12"), "#12 of 40"),
        (SERIES, Artwork(id="1", index=40, name="AP"), "AP"),
        (SERIES, Artwork(id="1", index=40), "#41"),
        (SERIES, Artwork(id="1"), None),
        (Series("s", "e", "Tide", max_artwork=1), Artwork("1", index=0), None),
    ],
)
def test_editions(series: Series, artwork: Artwork, edition: str | None) -> None:
    """The number of a work is returned if it has one."""
    assert work_of(artwork, series, None).edition == edition


@pytest.mark.parametrize(
    ("address", "folder"),
    [
        ("https://c.example/p/11111111-aaaa-4aaa-8aaa-111111111111/1/x", True),
        ("https://c.example/?p/11111111-aaaa-4aaa-8aaa-111111111111/1/x", False),
        ("https://c.example/#/11111111-aaaa-4aaa-8aaa-111111111111/1/x", False),
        ("https://c.example/11111111-aaaa-4aaa-8aaa-111111111111", False),
        ("ftp://c.example/11111111-aaaa-4aaa-8aaa-111111111111/", False),
        ("", False),
    ],
)
def test_folders(address: str, folder: bool) -> None:
    """A folder is part of the path, not of the query."""
    assert (folder_of(address) is not None) is folder


def test_tokens() -> None:
    """Ethereum addresses are case-insensitive, others are not."""

    def mark(address: str) -> tuple[str, str] | None:
        return token_mark({"contract": {"address": address, "tokenId": "1"}})

    assert mark("0xAB") == mark("0xab")
    assert mark("KT1a") != mark("KT1A")
    for origin in (None, {}, {"contract": None}, {"contract": {"address": "0x1"}}):
        assert token_mark(origin) is None


async def test_works_of_the_same_folder(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """A folder shared by two series is not used."""
    show = show_id(catalog, "Net Evil")
    first, second = catalog.data.series(show)[:2]
    kept = second["previewFile"]
    second["previewFile"] = first["previewFile"]
    try:
        library = await make_library(catalog)
        await library.async_children(f"exhibition/{show}")
        item = on_wall({"source": f"{first['previewFile']['uri']}other.html"})
        assert library.work(item) is None
    finally:
        second["previewFile"] = kept
