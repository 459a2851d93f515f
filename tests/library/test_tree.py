"""Test the tree of nodes and their ids."""

from itertools import chain
from typing import Any

import pytest

from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.errors import Dp1Error, NotFoundError, TemporaryError
from custom_components.dp1.client.playlist.document import validate
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.node import (
    NodeKind,
    media_id,
    node_id,
    parse_media_id,
    split_node_id,
)
from custom_components.dp1.library.providers.album import Albums
from custom_components.dp1.library.providers.collection.provider import Collections
from custom_components.dp1.library.providers.museum import MuseumProvider
from custom_components.dp1.library.providers.pictures import Pictures

from .conftest import MakeLibrary
from .shows import search_nodes, series_of, show_node

from tests.displays import name_hosts
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import Fault, FeedSimulator

KEY = "a/b c%2F\u00e9?#"
ID = "385f79b6-a45f-4c1c-8080-e93a192adccc"
DID = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"
WORKS = [{"source": "https://art.example/1.png", "title": "One"}]


def test_ids_carry_any_key() -> None:
    """Keys with slashes and blanks are encoded in ids and decoded again."""
    text = node_id(NodeKind.ARTWORK, KEY, "1")
    assert text.count("/") == 2
    assert split_node_id(text) == (NodeKind.ARTWORK, [KEY, "1"])


@pytest.mark.parametrize(
    "text",
    [
        *("nonsense", "series", "series/", "series/1/2", "exhibitions/1", "/", "a//b"),
        *("exhibitions+", "a+1+2", "nonsense+1", "exhibitions+x", "exhibition+1/x"),
    ],
)
async def test_what_is_no_id_is_not_found(text: str, make_library: MakeLibrary) -> None:
    """What cannot be the id of a node is not found, whatever is asked of it."""
    library = await make_library()
    for ask in (
        library.async_node,
        library.async_children,
        library.async_build_playlist,
    ):
        with pytest.raises(NotFoundError):
            await ask(text)


async def test_what_is_not_there(catalog: CatalogSimulator, library: Library) -> None:
    """An unknown node is not found, a work is not opened, and a folder not cast."""
    unknown = ("exhibition/none", "series/none", "channel/none")
    folders = ("", "exhibitions", "channels", "playlists", "channel/1", "playlist/1")
    for ask, texts in (
        (library.async_children, ("artwork/1/2", *unknown)),
        (library.async_node, (*unknown, "playlist/none")),
        (library.async_build_playlist, folders),
    ):
        for text in texts:
            with pytest.raises(NotFoundError):
                await ask(text)


@pytest.mark.parametrize("node", ["", "exhibitions", node_id(NodeKind.SERIES, KEY)])
def test_media_ids_lead_back(node: str) -> None:
    """A media id contains the entry and the node."""
    assert parse_media_id(media_id("entry", node)) == ("entry", node)


@pytest.mark.parametrize(
    "text",
    [
        *("", "media-source://", "media-source://dp1/", "media-source://other/a"),
        *("series/1", "media-source://dp1/entry/work/" + "%C3%A9" * 1400),
    ],
)
def test_other_media_ids_are_not_ours(text: str) -> None:
    """Media ids of other integrations are not parsed, nor what has no end: 4 MB took 0.3 s."""
    assert parse_media_id(text) is None


async def test_every_node_is_found_by_its_id(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """Every child of a node is found by its id, with the same title, and makes a playlist that displays take, if it can be played."""
    items = [{"source": f"https://art.example/{n}.png"} for n in range(250)]
    halls = [
        {"title": title, "playlists": [ID], "publisher": {"name": name, "key": DID}}
        for title, name in (("Hall", "Ines"), ("Foyer", "Ines"), ("Attic", "Otto"))
    ]
    feed.seed([{"title": "Evening", "items": items, "id": ID}], halls)
    options = {"daily_url": f"{feed.url}/playlists/{ID}"}
    library = await make_library(catalog, feed, options=options)
    # The artists are in no folder: cards ask for them.
    waiting, seen = ["", NodeKind.ARTISTS], {NodeKind.ARTISTS}
    while waiting:
        children = await library.async_children(waiting.pop())
        assert children.problem is None
        for node in (*children.nodes[:6], *children.nodes[200:]):
            found = await library.async_node(node.id)
            assert found.kind == node.kind
            assert found.title == node.title or node.kind is NodeKind.MORE
            seen.add(node.kind)
            if node.can_play and found.can_play:
                built = await library.async_build_playlist(node.id)
                assert built.url or (built.works and not validate(built.document))
            if node.can_expand:
                waiting.append(node.id)
    # This library has no collection, no album, no museum, no pictures, and nothing hidden.
    folders = (NodeKind.ROOT, NodeKind.PICTURES, NodeKind.HIDDEN)
    others = {
        *folders,
        *Albums.kinds,
        *Collections.kinds,
        *MuseumProvider.kinds,
        *Pictures.kinds,
    }
    assert seen == set(NodeKind) - others
    assert (await library.async_node("")).title == "Gallery"


async def test_exhibitions_are_those_that_can_be_seen(
    catalog: CatalogSimulator, library: Library
) -> None:
    """Hidden, private, test and future exhibitions are not listed; the newest comes first."""
    children = await library.async_children("exhibitions")
    titles = [node.title for node in children.nodes]
    hidden = {"Closed Test", "Held Back", "Members Only", "Before the Opening"}
    assert hidden.isdisjoint(titles)
    assert (titles[0], titles[-1]) == ("Afterimage", "First Signals")
    assert len(titles) == 47
    assert children.since is not None
    newest = children.nodes[0]
    assert newest.can_play and newest.can_expand
    assert newest.small_picture and newest.artist
    node = await library.async_node(show_node(catalog, "Before the Opening"))
    assert not node.can_play and node.opens_at is not None


async def test_a_large_series_is_capped_and_counted(
    catalog: CatalogSimulator, library: Library
) -> None:
    """Of 1,024 works 50 from the whole series are shown, and the rest counted."""
    show = show_node(catalog, "Longform")
    series = (await library.async_children(show)).nodes[0]
    assert series.title == "A Thousand Tides" and series.works == 1024
    catalog.reset_counters()
    children = await library.async_children(series.id)
    assert 45 <= len(children.nodes) <= 50
    assert len(children.nodes) + children.not_shown == pytest.approx(1024, abs=40)
    assert catalog.count("artworks") == 10
    numbers = [int(node.title.rpartition("#")[2]) for node in children.nodes]
    assert numbers == sorted(numbers) and numbers[0] == 1 and numbers[-1] > 1000
    few = await library.catalog_provider.async_pages(series, 7)
    assert len(few.nodes) == 7
    assert few.not_shown == len(children.nodes) + children.not_shown - 7


async def test_copies_are_shown_once(
    catalog: CatalogSimulator, library: Library
) -> None:
    """A series of copies has one work and is not expandable."""
    copies = series_of(catalog, "Net Evil", artworkModel="multi")
    nodes = (await library.async_children(show_node(catalog, "Net Evil"))).nodes
    (node,) = (it for it in nodes if it.id == f"series/{copies['id']}")
    assert node.can_play and not node.can_expand
    children = await library.async_children(node.id)
    assert len(children.nodes) == 1 and children.not_shown == 0


async def test_what_cannot_be_played_is_not_offered(
    catalog: CatalogSimulator, library: Library
) -> None:
    """Works without a source, and series without any, cannot be played."""
    series = (await library.async_children(show_node(catalog, "Loose Ends"))).nodes
    by_title = {node.title: node.id for node in series}
    for title, can_play in (
        # Two of twelve are burned; one without a source has that of its series.
        ("Every Kind of Source", [True] * 10),
        ("No Source at All", [False]),
        ("No Works", []),
    ):
        page = await library.async_children(by_title[title])
        assert [node.can_play for node in page.nodes] == can_play
    assert not (await library.async_node(by_title["No Source at All"])).can_play
    assert "Markup & Entities" in by_title


async def test_a_feed_alone_and_a_catalog_alone(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A library has folders for its servers only."""
    only_catalog = await make_library(catalog, entry_id="a")
    only_feed = await make_library(feed=feed, entry_id="b")
    roots = [
        [node.id for node in (await library.async_children("")).nodes]
        for library in (only_catalog, only_feed)
    ]
    assert roots == [
        ["exhibitions", "favorites", "surprise"],
        ["playlists", "favorites"],
    ]
    assert not (await only_feed.async_children("exhibitions")).nodes
    assert not (await only_catalog.async_children("playlists")).nodes
    assert only_feed.since is not None and only_catalog.since is not None


def hall(feed: FeedSimulator, *playlists: Any, **more: Any) -> dict[str, Any]:
    """Seed a channel with playlists."""
    feed.seed(channels=[{"title": "Hall", "playlists": [*feed.documents][:1]}])
    channel = next(iter(feed.channels.values()))
    channel |= {"playlists": [*playlists], **more}
    return channel


async def test_a_channel_keeps_its_order(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A channel lists its playlists in the curator's order, and those on another host are read there."""
    async with FeedSimulator() as elsewhere:
        (foreign,) = elsewhere.seed([{"title": "Foreign", "items": WORKS}])
        first, second = feed.seed(
            [{"title": name, "items": WORKS} for name in ("First", "Second")]
        )
        url = f"{elsewhere.url}/playlists/{foreign['id']}"
        ours = [f"{feed.url}/playlists/{it}" for it in (second["id"], first["id"])]
        hall(feed, *ours, url, f"{feed.url}/playlists/gone")
        library = await make_library(feed=feed)
        await name_hosts(library.hass, url)
        (node,) = (await library.async_children("channels")).nodes
        children = await library.async_children(node.id)
        titles = [child.title for child in children.nodes]
        assert titles == ["Second", "First", "Foreign"]
        assert children.not_shown == 1
        assert isinstance(children.problem, NotFoundError)
        theirs = children.nodes[2].id
        assert (await library.async_build_playlist(theirs)).url == url
        (item,) = (await library.async_children(theirs)).nodes
        assert item.small_picture == "https://art.example/1.png"
        one = await library.async_build_playlist(item.id)
        assert one.title == "One" and one.works == 1


async def test_a_playlist_is_shown_when_its_document_cannot_be_read(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """The listed works are shown with the error if the document cannot be read."""
    works = [
        {"source": f"https://art.example/{n}.html", "title": f"Work {n}"}
        for n in range(1124)
    ]
    (stored,) = feed.seed([{"title": "Evening", "items": works}])
    library = await make_library(feed=feed)
    # The first can be found.
    found = await search_nodes(library, "work 99")
    assert found[0].title == "Work 99"
    node = f"playlist/{stored['id']}"
    fault = feed.fault(Fault(status=500, times=None))
    unknown = await library.async_children("playlist/unknown")
    assert not unknown.nodes and unknown.problem
    children = await library.async_children(node)
    assert len(children.nodes) == 100 and children.not_shown == 1024
    assert isinstance(children.problem, TemporaryError)
    feed.faults.remove(fault)
    children = await library.async_children(node)
    # DP-1 allows no more works, and displays keep no more.
    assert children.nodes[-1].works == 824 and children.not_shown == 100
    assert children.problem is None
    rest = await library.async_children(children.nodes[-1].id)
    while rest.nodes[-1].kind == "more":
        rest = await library.async_children(rest.nodes[-1].id)
    last = await library.async_node(rest.nodes[-1].id)
    assert last.title == "Work 1023"
    with pytest.raises(NotFoundError):
        await library.async_node(f"item/{stored['id']}/none")


async def test_a_slug_names_nothing_on_another_host(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A channel has the playlist that its address names, though one of the feed has the same slug."""
    async with FeedSimulator() as elsewhere:
        elsewhere.seed([{"title": "Theirs", "slug": "evening", "items": WORKS}])
        feed.seed([{"title": "Ours", "slug": "evening", "items": WORKS}])
        url = f"{elsewhere.url}/playlists/evening"
        hall(feed, url)
        library = await make_library(feed=feed)
        await name_hosts(library.hass, elsewhere.url)
        (node,) = (await library.async_children("channels")).nodes
        (child,) = (await library.async_children(node.id)).nodes
        assert child.title == "Theirs"
        shown = PlayerStatus.parse({"playlistUrl": url, "items": WORKS})
        assert not [*chain(*(each.recognize(shown) for each in library.providers))]
        assert (await library.async_build_playlist(node.id)).works == 1
        await elsewhere.stop()
        library.feed_server._documents.clear()
        with pytest.raises(Dp1Error):
            await library.async_build_playlist(node.id)


async def test_works_that_are_looked_up(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A playlist that has nothing but a query is opened and cast, also one that claims to be an exhibition."""
    query = {
        "profile": "https-json-v1",
        "endpoint": "https://art.example/works.json",
        "responseMapping": {"itemsPath": "items", "itemSchema": "dp1/1.1"},
    }
    titles = "Owned", "Slow Weather — Full Collection"
    stored = feed.seed({"title": title, "dynamicQuery": query} for title in titles)
    for document in stored:
        feed.documents[document["id"]].pop("items", None)
    library = await make_library(catalog, feed)
    for document in stored:
        node = f"playlist/{document['id']}"
        assert not (await library.async_children(node)).nodes
        for limit in (None, 1):
            playlist = await library.async_build_playlist(node, limit=limit)
            assert playlist.url == f"{feed.url}/playlists/{document['id']}"
    node = show_node(catalog, "Slow Weather")
    assert (await library.async_build_playlist(node)).works


async def test_a_channel_with_objects(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """The current playlist of a channel comes first, those that are announced are left out, and each has its essay."""
    essay = {"summary": "Of weather.", "curators": [{"name": "Ines", "key": DID}]}
    stored = feed.seed(
        {"title": name, "items": WORKS, **essay} for name in ("Old", "Now", "Next")
    )
    old, now, upcoming = (f"{feed.url}/playlists/{one['id']}" for one in stored)
    hall(
        feed,
        old,
        {"url": now, "added": "2026-11-01T00:00:00Z", "status": "live"},
        {"url": upcoming, "status": "upcoming", "title": "Next"},
        {"status": "live"},
        None,
        current={"url": now},
    )
    library = await make_library(feed=feed)
    (node,) = (await library.async_children("channels")).nodes
    nodes = (await library.async_children(node.id)).nodes
    assert [child.title for child in nodes] == ["Now", "Old"]
    assert (nodes[0].subtitle, nodes[0].note) == ("Ines", "Of weather.")
    playlist = await library.async_build_playlist(node.id)
    assert playlist.works == 2
