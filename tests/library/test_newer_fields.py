"""Test fields of playlists since 2026: scheduled works, dynamic queries and artists."""

import pytest

from custom_components.dp1.client.errors import NotFoundError
from custom_components.dp1.client.feed.models import FeedPlaylist
from custom_components.dp1.storage import record_from_json, record_to_json

from .conftest import MakeLibrary
from .shows import search_nodes

from tests.simulators.feed import FeedSimulator

DAILY = {
    "title": "Daily",
    "id": "385f79b6-a45f-4c1c-8080-e93a192adccc",
    "schedule": {"byDisplayAt": True},
    "items": [
        {"id": "1", "title": "Yesterday", "displayAt": "2020-01-01T00:00:00Z"},
        {"id": "2", "title": "Tomorrow", "displayAt": "2999-01-01T00:00:00"},
        {"id": "3", "title": "Whenever"},
        {"id": "4", "title": "Odd", "displayAt": "soon"},
    ],
}
for item in DAILY["items"]:
    item["source"] = f"https://art.example/{item['id']}.html"  # type: ignore[index]


async def test_works_to_come_are_not_laid_open(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """Works to come, and those whose date cannot be read, are not found by browsing, search, channel or id, with and without the member for it."""
    key = DAILY["id"]
    unmarked = {**DAILY, "title": "Free", "schedule": {}, "id": key[:-1] + "d"}
    feed.seed([DAILY, unmarked], [{"title": "Hall", "playlists": [key]}])
    library = await make_library(None, feed)
    page = await library.async_children(f"playlist/{key}")
    assert [node.title for node in page.nodes] == ["Yesterday", "Whenever"]
    assert page.not_shown == 0
    for hidden in ("tomorrow", "odd"):
        assert not await search_nodes(library, hidden)
    (channel,) = (await library.async_children("channels")).nodes
    # One date that cannot be read would fail the whole cast, and the others would hide works.
    together = await library.async_build_playlist(channel.id)
    assert together.works == 2
    assert not any("displayAt" in item for item in together.items)
    for ask in (library.async_node, library.async_build_playlist):
        for hidden in ("2", "4"):
            with pytest.raises(NotFoundError):
                await ask(f"item/{key}/{hidden}")
    (found,) = await search_nodes(library, "yesterday", within=f"playlist/{key}")
    assert found.id == f"item/{key}/1"


@pytest.mark.parametrize(
    ("more", "query"),
    [
        ({}, ""),
        ({"dynamicQuery": {"query": "limit={{limit}}"}}, "any"),
        ({"dynamicQuery": {"query": "of={{viewer_address}}"}}, "viewer"),
        ({"dynamicQueries": [{"params": {"owner": "{{viewer_address}}"}}]}, "viewer"),
    ],
)
def test_whose_works_are_looked_up(more: dict[str, object], query: str) -> None:
    """A playlist has a flag for dynamic works, and one for those of the viewer."""
    playlist = FeedPlaylist.parse({"id": "x", "title": "Mine", **more})
    assert playlist is not None and playlist.query == query
    assert record_from_json(FeedPlaylist, record_to_json(playlist)) == playlist


async def test_artists_of_the_playlist_are_found(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """Artists of a playlist are found by search and shown with the work."""
    manifest = {
        "locale": "en",
        "metadata": {"artists": [{"name": "Quill, Zora"}, {"name": "Ada"}]},
    }
    item = {
        "source": "https://art.example/1",
        "title": "One",
        "inlineManifest": manifest,
    }
    feed.seed([{"title": "Evening", "items": [item]}])
    library = await make_library(None, feed)
    (found,) = await search_nodes(library, "zora quill")
    assert (found.title, found.names) == ("One", ("Quill, Zora", "Ada"))
