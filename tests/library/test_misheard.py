"""Test what is found for words that speech recognition misheard."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from custom_components.dp1.client.errors import NotFoundError
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.node import NodeKind
from custom_components.dp1.library.search import MAX_LINES, Query, line_of
from custom_components.dp1.library.words import number_of, numbers_agree

from .conftest import MakeLibrary
from .shows import search_nodes

from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator

HEARD: dict[str, list[str]] = yaml.safe_load(
    (Path(__file__).parent / "misheard.yaml").read_text(encoding="utf-8")
)
ENOUGH = 57


async def _all_series(library: Library) -> None:
    """Read the series of all exhibitions."""
    catalog = library.catalog_server
    for show in catalog.list.records:
        await catalog.async_series(show.id)


async def test_misheard_words(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """Most of sixty misheard names find what was meant, and nonsense finds nothing."""
    library = await make_library(catalog)
    await _all_series(library)
    missed: list[Any] = []
    for kind in ("title", "artist"):
        for pair in HEARD[kind]:
            heard, meant = pair.split(" | ")
            hits = await library.async_hits(heard)
            best = hits[0] if hits else None
            found = best is not None and best.is_sure and best.node.title == meant
            if kind == "artist" and best is not None:
                found = found and best.node.kind is NodeKind.ARTIST
            if not found:
                missed.append((heard, [(h.node.title, h.score) for h in hits[:3]]))
    total = len(HEARD["title"]) + len(HEARD["artist"])
    assert total == 60 and total - len(missed) >= ENOUGH, missed
    wrong: list[Any] = []
    for heard in HEARD["nonsense"]:
        hits = await library.async_hits(heard)
        wrong += [(heard, h.node.title, h.score) for h in hits if h.is_sure]
    assert not wrong


async def test_a_misheard_work_of_a_playlist(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A work of a playlist is found by words that sound like its title, and the playlist by its own."""
    titles = ("Whale Road", "Twenty One Moons", "Thaw")
    items = [
        {"title": title, "source": f"https://art.example/{title}"} for title in titles
    ]
    feed.seed([{"title": "Evening Frost", "items": items}])
    library = await make_library(None, feed)
    for heard, meant in (
        ("wail rode", "Whale Road"),
        ("21 moons", "Twenty One Moons"),
        ("evning frosst", "Evening Frost"),
    ):
        (hit, *_) = await library.async_hits(heard)
        assert hit.is_sure and hit.node.title == meant
    within = await search_nodes(library, "wail rode", within="playlists")
    assert [node.title for node in within] == ["Whale Road"]


async def test_everything_by_an_artist(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """An artist is a result of their own, with their series from all exhibitions, and what they showed alone before group shows."""
    library = await make_library(catalog)
    for words in ("Ines Haddad", "everything by Ines Haddad", "obras de inez hadad"):
        found = await search_nodes(library, words)
        titles = [(node.kind, node.title) for node in found]
        assert titles[:2] == [
            (NodeKind.ARTIST, "Ines Haddad"),
            (NodeKind.EXHIBITION, "Seven Small Suns"),
        ], words
    children = await library.async_children(found[0].id)
    assert {node.subtitle for node in children.nodes} > {"Seven Small Suns"}
    assert {node.artist for node in children.nodes} == {"Ines Haddad"}
    assert (await library.async_node(found[0].id)).title == "Ines Haddad"
    built = await library.async_build_playlist(found[0].id)
    assert built.title == "Ines Haddad"
    assert built.works > len(children.nodes)
    with pytest.raises(NotFoundError):
        await library.async_node("artist/Nobody")


async def test_misheard_names_are_not_exact(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """An exhibition is only found by its name, but the nearest are named."""
    library = await make_library(catalog)
    for name in ("neat evil", "netevil", "e"):
        with pytest.raises(NotFoundError):
            await library.async_find("exhibition", name)
    assert await library.async_nearest(NodeKind.EXHIBITION, "netevil") == ["Net Evil"]


async def test_a_name_before_what_sounds_like_it(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """What is called exactly so comes before what only sounds so, and another number is another work."""
    titles = ("Whale Road", "Wail Rode", "Moon 6", "Moon 7")
    items = [
        {"title": title, "source": f"https://art.example/{title}"} for title in titles
    ]
    feed.seed([{"title": "Evening", "items": items}])
    library = await make_library(None, feed)
    for words, meant in (
        ("whale road", "Whale Road"),
        ("wail rode", "Wail Rode"),
        ("moon seven", "Moon 7"),
        ("mune six", "Moon 6"),
    ):
        assert (await search_nodes(library, words))[0].title == meant
    assert await search_nodes(library, "mune nine") == []


async def test_a_rare_word_among_common_ones(
    feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """A work is found by its rarest word, and by its sound, however many others have the other words."""
    titles = [f"Blue Window {number}" for number in range(2000)]
    titles[1950] = "Blue Window Hymns"
    items = [
        {"title": title, "source": f"https://art.example/{title}"} for title in titles
    ]
    feed.seed(
        {"title": f"Evening {start}", "items": items[start : start + 100]}
        for start in range(0, 2000, 100)
    )
    library = await make_library(None, feed)
    for heard in ("hymns blue", "bloo windoe hims"):
        (hit, *_) = await library.async_hits(heard)
        assert hit.is_sure and hit.node.title == "Blue Window Hymns"
    assert len(await library.async_hits("blue window")) == MAX_LINES


@pytest.mark.parametrize(
    ("name", "heard"),
    [
        ("Loose Ends", "loosens"),
        ("Jagged", "jacket"),
        ("Hymns", "hims"),
        ("Kernel", "colonel"),
        ("Ocean", "oshan"),
        ("Net Evil", "nettie will"),
    ],
)
def test_sounds(name: str, heard: str) -> None:
    """Words are alike by their sound."""
    assert Query.of(heard).likeness(line_of(name)) > 0.75


@pytest.mark.parametrize(
    ("ours", "theirs", "agree"),
    [
        ({7}, {7}, True),
        ({4}, set(), True),
        (set(), {2}, True),
        ({7}, set(), False),
        ({4}, {2}, False),
    ],
)
def test_numbers_agree(ours: set[int], theirs: set[int], agree: bool) -> None:
    """Little numbers may be other words, as four and for, but not other numbers."""
    assert numbers_agree(ours, theirs) is agree


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("seventh", 7),
        ("3rd", 3),
        ("vii", 7),
        ("twenty one", 21),
        ("einundzwanzig", 21),
        ("vijfentachtig", 85),
        ("trente deux", 32),
        ("二十一", 21),
        ("七", 7),
        ("十七", 17),
        ("seventeenish", None),
        ("七八", None),
        ("and", None),
        ("two three", None),
        ("", None),
    ],
)
def test_numbers(text: str, number: int | None) -> None:
    """Numerals, their words and their order in several languages are the same number."""
    assert number_of(text) == number
