"""Test the pages that cards ask for: all exhibitions, and art to begin with."""

import pytest

from tests.galleries import LARGE, Gallery, titles

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
    assert names[:-1] == sorted(names[:-1], key=str.casefold)
    # An artist without a portrait has the picture of a work.
    assert all(artist.thumbnail for artist in artists.children[:-1])
    await gallery.cast(exhibition=LARGE)
    *_, history = (await gallery.browse("dp1://folders")).children
    assert history.media_content_id == "dp1://recent"
    # Cards say it in the language of their user.
    assert history.as_dict()["dp1"] == {"kind": "shown_lately"}


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
