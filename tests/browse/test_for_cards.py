"""Test the pages that cards ask for: all exhibitions, and art to begin with."""

from copy import deepcopy
from uuid import uuid4

import pytest

from custom_components.dp1.voice.choice import async_choose
from homeassistant.util import dt as dt_util

from tests.galleries import LARGE, Gallery, titles
from tests.libraries import library_entry, set_up
from tests.simulators.catalog.simulator import CatalogSimulator

pytestmark = pytest.mark.usefixtures("impatience")


async def test_exhibitions(gallery: Gallery, monkeypatch: pytest.MonkeyPatch) -> None:
    """All open exhibitions are there, also beyond a page of the media browser, and hang as any medium does."""
    with monkeypatch.context() as patch:
        patch.setattr("custom_components.dp1.library.library.MAX_CHILDREN", 3)
        page = await gallery.browse("dp1://exhibitions")
    folder = await gallery.browse(gallery.media_id("exhibitions"))
    assert titles(page.children) == [
        child.title for child in folder.children if child.can_play
    ]
    large = next(child for child in page.children if child.title == LARGE)
    assert large.thumbnail
    await gallery.play(large.media_content_id, large.media_content_type)
    assert gallery.attribute("media_playlist") == LARGE


async def test_highlights(gallery: Gallery) -> None:
    """The newest exhibitions are there, and whether each is a favorite."""
    exhibitions = titles((await gallery.browse("dp1://exhibitions")).children)
    favorite = gallery.media_id(gallery.exhibition(exhibitions[1]))
    await gallery.call("add_favorite", media_content_id=favorite)
    page = await gallery.browse("dp1://highlights")
    assert titles(page.children) == exhibitions[:12]
    details = [child.as_dict(parent=False)["dp1"] for child in page.children]
    assert [it["favorite"] for it in details] == [False, True, *[False] * 10]


async def test_folders(gallery: Gallery) -> None:
    """The folders of the library are there by their kinds, and the history once there is one."""
    page = await gallery.browse("dp1://folders")
    kinds = [child.as_dict()["dp1"]["kind"] for child in page.children]
    assert kinds == ["exhibitions", "artists", "channels", "playlists", "favorites"]
    artists = await gallery.browse(page.children[1].media_content_id)
    names = titles(artists.children)
    lasts = [name.casefold().split()[-1] for name in names[:-1]]
    assert lasts == sorted(lasts)
    # An artist without a portrait has the picture of a work.
    assert all(artist.thumbnail for artist in artists.children[:-1])
    # Nobody can keep one, so there is no heart.
    hearts = {it.as_dict()["dp1"]["favorite"] for it in artists.children}
    assert hearts == {None}
    await gallery.cast(exhibition=LARGE)
    *_, history = (await gallery.browse("dp1://folders")).children
    assert history.media_content_id == "dp1://recent"
    # Cards say it in the language of their user.
    assert history.as_dict()["dp1"] == {"kind": "shown_lately"}
    # A list without a cover has the picture of its first work.
    await gallery.cast(media_content_id=artists.children[0].media_content_id)
    shown = (await gallery.browse("dp1://recent")).children
    assert len(shown) == 2
    assert all(it.thumbnail for it in shown)


async def test_details(gallery: Gallery) -> None:
    """What stands in one title in the media browser is also there by itself."""
    page = await gallery.browse(gallery.media_id(gallery.exhibition(LARGE)))
    series = page.children[0].as_dict(parent=False)
    details = series["dp1"]
    assert details["kind"] == "series"
    assert series["title"].startswith(f"{details['title']}, {details['artist']}")
    assert series["title"].endswith(f"({details['year']})")


async def test_without_a_library(gallery: Gallery) -> None:
    """Without a library all are empty."""
    assert await gallery.hass.config_entries.async_unload(gallery.entry.entry_id)
    for name in ("exhibitions", "highlights", "folders"):
        assert (await gallery.browse(f"dp1://{name}")).children == []


async def test_two_libraries(gallery: Gallery) -> None:
    """The newest exhibition of all libraries comes first, each is there once, and one catalog has its folders once."""
    hass = gallery.hass
    alone = titles((await gallery.browse("dp1://exhibitions")).children)
    folders = titles((await gallery.browse("dp1://folders")).children)
    async with CatalogSimulator() as other:
        shows = other.data.exhibitions
        newest = deepcopy(other.data.find_exhibition(LARGE))
        newest |= {"id": str(uuid4()), "title": "Opened today"}
        newest["exhibitionStartAt"] = dt_util.utcnow().isoformat()
        shows[:] = [newest]
        for url, title in ((other.url, "Other"), (gallery.catalog.url, "Twin")):
            entry = library_entry(None, url, title=title)
            await set_up(hass, entry)
            await entry.runtime_data.async_children("exhibitions")
        both = titles((await gallery.browse("dp1://exhibitions")).children)
        assert both == ["Opened today", *alone]
        highlights = (await gallery.browse("dp1://highlights")).children
        assert titles(highlights) == both[:12]
        wish = await async_choose(hass, {"choice": "newest"}, [])
        assert wish.title == "Opened today"
        twice = titles((await gallery.browse("dp1://folders")).children)
        assert twice.count("Exhibitions") == folders.count("Exhibitions") + 1
        assert twice.count("Artists") == folders.count("Artists") + 1
