"""Test the open collection of a museum: browsing, search, casts, label, source, surprise."""

from collections.abc import AsyncIterator
import json

import pytest

from custom_components.dp1.client import museum as client
from custom_components.dp1.client.display.player_status import PlaylistItem
from custom_components.dp1.client.errors import NotFoundError, UnexpectedAnswerError
from custom_components.dp1.client.museum import MuseumWork
from custom_components.dp1.library.libraries import told
from custom_components.dp1.library.library import Library
from homeassistant.exceptions import HomeAssistantError

from .conftest import MakeLibrary
from .shows import player, search_nodes

from tests.displays import until
from tests.simulators.museum import MuseumSimulator
from tests.sources import INTEGRATION

ON = {"museum": True}


@pytest.fixture
async def museum(
    socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[MuseumSimulator]:
    """Return a museum, which may be asked at once again."""
    monkeypatch.setattr(client, "APART", 0.0)
    async with MuseumSimulator() as simulator:
        monkeypatch.setattr(client, "MUSEUM_URL", simulator.url)
        yield simulator


@pytest.fixture
async def library(museum: MuseumSimulator, make_library: MakeLibrary) -> Library:
    """Return a library with nothing but the museum, which has read its list."""
    library = await make_library(options=ON, wait=False)
    await library.async_children("museum")
    await until(lambda: not library.is_reading)
    return library


async def test_off(museum: MuseumSimulator, make_library: MakeLibrary) -> None:
    """Nobody asks a museum that is not wanted, nor offers it."""
    library = await make_library(wait=False)
    await search_nodes(library, "harbor")
    assert not museum.log
    assert "museum" not in [node.id for node in library.roots()]
    assert "Art Institute of Chicago" not in library.source_list().names


async def test_browsing(museum: MuseumSimulator, library: Library) -> None:
    """The best known works that are free and have a picture are in its folder, read by five requests and kept."""
    assert len(museum.log) == 5
    assert all(
        each.headers["AIC-User-Agent"].startswith("home-assistant-dp1/")
        for each in museum.log
    )
    inside = await library.async_inside("museum")
    free = [work for work in museum.works if work["is_public_domain"]][:500]
    shown = [work for work in free if work["image_id"]]
    assert [node.title for node in inside] == [work["title"] for work in shown]
    assert all(node.can_play and node.small_picture for node in inside)
    assert {node.year for node in inside} >= {None, 1600}
    page = await library.async_children("museum")
    assert page.problem is None and page.not_shown == 0
    folder = await library.async_node("museum")
    assert folder.can_play and folder.picture == inside[0].small_picture


async def test_casts_and_label(museum: MuseumSimulator, library: Library) -> None:
    """The source hangs works of the whole list, and the label of each is known; a small picture is not asked for larger."""
    sources = library.source_list()
    node = sources.names["Art Institute of Chicago"]
    built = await library.async_build_playlist(node, limit=20)
    assert built.works == 20
    hung = player(built.items, key=built.document["id"])
    assert library.source_list().of(hung) == "Art Institute of Chicago"
    widths = {item["source"].split("/")[-3] for item in built.items}
    assert widths == {"843,", "1686,"}
    work = library.work(PlaylistItem.parse(built.items[0]))
    assert work is not None and work.id is not None
    assert work.artist == "Ines Varga" and work.note
    assert work.note == "Oil on canvas. Gift of a friend"
    assert work.link == f"https://www.artic.edu/artworks/{work.id.split('/')[1]}"
    manifest = built.items[0]["inlineManifest"]["metadata"]
    assert manifest["title"] == work.title
    alone = await library.async_build_playlist(work.id)
    assert [item["id"] for item in alone.items] == [built.items[0]["id"]]
    assert await library.async_add_favorite(work.id)
    # By its address alone, as another would cast it.
    bare = PlaylistItem.parse({"source": built.items[1]["source"]})
    found = library.work(bare)
    assert found is not None and found.title == built.items[1]["title"]
    surprise = await library.async_build_playlist("surprise", limit=3)
    assert surprise.works == 3


async def test_search(museum: MuseumSimulator, library: Library) -> None:
    """What is in its list is found by title and artist, and everything else by asking it."""
    last = museum.free[-1]
    found = await search_nodes(library, last["title"])
    assert found[0].title == last["title"]
    assert found[0].id not in {node.id for node in await library.async_inside("museum")}
    assert library.work(PlaylistItem.parse({"source": found[0].source or ""}))
    for query in ("Dancers", "Aiko Mori"):
        assert len(await search_nodes(library, query, within="museum")) == 20
    built = await library.async_build_playlist(found[0].id)
    assert built.title == last["title"]
    museum.is_down = True
    assert (await search_nodes(library, "Harbor 0"))[0].title == "Harbor 0"


async def test_works_by_id(
    museum: MuseumSimulator, make_library: MakeLibrary, library: Library
) -> None:
    """A work that is saved is read by its id; one that is not free is none; what was read is there after a restart."""
    count = len(museum.log)
    library = await make_library(options=ON, wait=False)
    assert len(await library.async_inside("museum")) > 400
    assert len(museum.log) == count
    last = museum.free[-1]
    node = await library.async_node(f"museum_work/{last['id']}")
    assert (node.title, len(museum.log)) == (last["title"], count + 1)
    taken = next(it for it in museum.works if not it["is_public_domain"])
    for key in (str(taken["id"]), "1", "x", "../secret"):
        with pytest.raises(NotFoundError):
            await library.async_node(f"museum_work/{key.replace('/', '%2F')}")


async def test_a_work_that_is_gone(museum: MuseumSimulator, library: Library) -> None:
    """A work that is taken out of the list is recognized no more."""
    first = museum.free[0]
    (node, *_) = await library.async_inside("museum")
    item = PlaylistItem.parse({"source": node.source or ""})
    assert library.work(item)
    museum.works.remove(first)
    await library.async_refresh()
    await until(lambda: not library.is_reading)
    assert library.work(item) is None


async def test_answers_that_make_no_sense(
    museum: MuseumSimulator, make_library: MakeLibrary
) -> None:
    """Strange answers are told, and odd records left out."""
    images = "https://www.artic.edu/iiif/2"
    for body in ([], {"data": {}}, {"data": [{}], "config": {"iiif_url": "x:"}}):
        museum.broken = body
        library = await make_library(options=ON, wait=False)
        page = await library.async_children("museum")
        await until(lambda library=library: not library.is_reading)
        assert isinstance(library.problem, UnexpectedAnswerError)
        assert not page.nodes
        with pytest.raises(UnexpectedAnswerError):
            await library.async_build_playlist("museum")
    for odd in (None, {}, {"id": 1}, {"id": "1", "image_id": "a"}, {"id": True}):
        assert MuseumWork.parse(odd, images) is None
    record = {"id": 1, "image_id": "a/../b", "is_public_domain": True}
    work = MuseumWork.parse({**record, "artist_titles": [None, "<b>Ines</b>"]}, images)
    assert work is not None
    assert (work.title, work.artists, work.note) == ("#1", ("Ines",), "")
    assert work.source == f"{images}/a%2F..%2Fb/full/843,/0/default.jpg"


async def test_a_museum_that_does_not_answer(
    museum: MuseumSimulator, library: Library
) -> None:
    """What fails at the museum is told of it and not of the catalog, in words that exist in every language."""
    museum.is_down = True
    with pytest.raises(HomeAssistantError) as caught:
        await library.async_refresh()
    assert caught.value.translation_key == "museum_temporary"
    assert "museum" in (library.problem_text or "")
    with pytest.raises(HomeAssistantError) as caught, told(library, "museum_work/1"):
        await library.async_node("museum_work/1")
    assert caught.value.translation_key == "museum_temporary"
    for file in (INTEGRATION / "translations").glob("*.json"):
        texts = json.loads(file.read_text())["exceptions"]
        assert "museum_temporary" in texts, file
