"""Test that an item tells what is known when somebody looks at it."""

from dataclasses import replace
from datetime import timedelta

from freezegun.api import FrozenDateTimeFactory
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.dp1.client.hosts import same_work
from custom_components.dp1.library.item import Item
from custom_components.dp1.library.library import Library
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from .conftest import MakeLibrary
from .shows import on_wall, search_nodes, show_id, show_node

from tests.displays import until
from tests.simulators.catalog.simulator import CatalogSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

SHOW = "Net Evil"


async def _items(library: Library, catalog: CatalogSimulator) -> list[Item]:
    """Return an exhibition, a series in it, its artist and a work of it."""
    show = await library.async_node(show_node(catalog, SHOW))
    (series, *_) = (await library.async_children(show.id)).nodes
    (work, *_) = (await library.async_children(series.id)).nodes
    artist = await library.async_node(f"artist/{series.artists[0].name}")
    return [show, series, artist, work]


async def test_what_depends_on_others_is_made_again(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """A series and its works tell the new title of their exhibition, and works that of their series."""
    library = await make_library(catalog)
    show, series, _, work = await _items(library, catalog)
    assert series.subtitle == work.exhibition == SHOW
    record = catalog.data.find_exhibition(SHOW)
    of_series = catalog.data.series(record["id"])[0]
    titles = record["title"], of_series["title"]
    try:
        record["title"] = "Net Good"
        await library.catalog_server.async_refresh()
        again = await library.async_node(series.id)
        assert again.subtitle == "Net Good" and again.title == series.title
        for seen in (
            await library.async_node(work.id),
            library.work(on_wall({"id": work.item_id, "source": work.source})),
        ):
            assert seen and (seen.exhibition, seen.title) == ("Net Good", work.title)
        assert (await library.async_node(show.id)).title == "Net Good"
        of_series["title"] = "Harbors"
        await library.catalog_server.series_of(record["id"]).async_read()
        (hit, *_) = await search_nodes(library, "harbors", kinds={"series"})
        assert hit.id == series.id and hit.subtitle == "Net Good"
        assert "Harbors" in (await library.async_node(work.id)).title
    finally:
        record["title"], of_series["title"] = titles


async def test_what_turns_out_to_be_empty(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """An exhibition is offered no more once it is read and empty, and its artists with their works in others stay."""
    library = await make_library(catalog)
    show = await library.async_node(show_node(catalog, SHOW))
    assert show.can_play and "Net Evil" in library.source_list().names
    key = show_id(catalog, SHOW)
    all_series = catalog.data.series(key)
    catalog.data._by_exhibition[key] = []
    try:
        assert not (await library.async_children(show.id)).nodes
        assert not (await library.async_node(show.id)).can_play
        assert show.id not in {
            it.id for it in (await library.async_children("exhibitions")).nodes
        }
        assert SHOW not in library.source_list().names
        assert show.id not in {it.id for it in await search_nodes(library, SHOW)}
        catalog.data._by_exhibition[key] = all_series
        await library.catalog_server.series_of(key).async_read()
        assert (await library.async_node(show.id)).can_play
    finally:
        catalog.data._by_exhibition[key] = all_series


async def test_an_exhibition_opens(
    hass: HomeAssistant,
    catalog: CatalogSimulator,
    make_library: MakeLibrary,
    freezer: FrozenDateTimeFactory,
) -> None:
    """It can be shown from the moment on in which it opens, and so can its artists, without a request."""
    opens = dt_util.utcnow() + timedelta(hours=2)
    record = {
        **catalog.data.find_exhibition(SHOW),
        "id": "11111111-0000-4000-8000-000000000009",
        "title": "Soon",
        "previewDuration": 0,
        "exhibitionStartAt": opens.isoformat(),
        "artistsAlumni": [{"ID": "a", "alias": "Wanda Sudden"}],
    }
    catalog.data.exhibitions.append(record)
    try:
        library = await make_library(catalog)
        node = f"exhibition/{record['id']}"
        assert not (await library.async_node(node)).can_play
        assert not (await library.async_node("artist/Wanda Sudden")).can_play
        asked = len(catalog.requests)
        freezer.tick(timedelta(hours=3))
        async_fire_time_changed(hass)
        await until(lambda: "Soon" in library.source_list().names)
        assert (await library.async_node(node)).can_play
        assert (await library.async_node("artist/Wanda Sudden")).can_play
        assert len(catalog.requests) == asked
    finally:
        catalog.data.exhibitions.remove(record)


async def test_copies_share_an_address(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """The first of copies is recognized by their address, and the next once that is gone."""
    library = await make_library(catalog)
    *_, work = await _items(library, catalog)
    works = library.catalog_server.artworks_of(work.id.split("/")[1])
    (first, *_) = works.records
    copies = [replace(first, id=key) for key in ("first", "second")]
    works._set(copies)
    item = on_wall({"source": work.source})
    assert library.work(item) == works.item("first")
    works._set(copies[1:])
    assert library.work(item) == works.item("second")
    # The address of a token may be anything.
    token = same_work(work.source or "")
    works._set([replace(first, chain="tezos", contract="source", token_id=token)])
    assert library.work(item) == works.item(first.id)
    works._set([])
    assert library.catalog_server.works.find(item) is None
