"""Test what is found for words that speech recognition misheard."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from custom_components.dp1.client.errors import NotFoundError
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.matching.spoken_words import number_of
from custom_components.dp1.library.tree import NodeKind

from .conftest import MakeLibrary

from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator

HEARD: dict[str, list[str]] = yaml.safe_load(
    (Path(__file__).parent / "misheard.yaml").read_text(encoding="utf-8")
)
ENOUGH = 36


async def _all_series(library: Library) -> None:
    """Read the series of all exhibitions."""
    catalog = library.catalog_coordinator
    for show in catalog.data.records:
        await catalog.async_series(show.id)


async def test_misheard_words(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """Most of forty misheard names find what was meant, and nonsense finds nothing."""
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
    assert total == 40 and total - len(missed) >= ENOUGH, missed
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
    within = await library.async_search("wail rode", within="playlists")
    assert [node.title for node in within] == ["Whale Road"]


async def test_everything_by_an_artist(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """An artist is a result of their own, with their series from all exhibitions, and what they showed alone before group shows."""
    library = await make_library(catalog)
    for words in ("Ines Haddad", "everything by Ines Haddad", "obras de inez hadad"):
        found = await library.async_search(words)
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
