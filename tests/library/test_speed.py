"""Test the number of round trips of a library, and long work in other threads."""

from custom_components.dp1.library.search import Lines, Query, line_of
from homeassistant.core import HomeAssistant

from .conftest import MakeLibrary

from tests.counting_catalog import CountingCatalog
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator
from tests.timing import set_timing

TWENTY = "Twenty Kinds of Weather"


async def test_a_cold_exhibition_is_ready_in_seven_round_trips(
    socket_enabled: None, make_library: MakeLibrary
) -> None:
    """An exhibition of 20 series takes seven round trips of up to four requests, and none the second time."""
    async with CountingCatalog() as catalog:
        library = await make_library(catalog)
        node = library.source_list().names[TWENTY]
        catalog.expect_rounds(1, 3, 4, 4, 4, 4, 4)
        hanging = await library.async_build_playlist(node)
        assert catalog.max_in_flight == 4
        assert catalog.count("series") == 4
        assert catalog.count("artworks") == 20
        assert hanging.works == 48
        catalog.reset_counters()
        again = await library.async_build_playlist(node)
        assert not catalog.requests
        assert again.works == 48


async def test_a_warm_start_sends_nothing(
    catalog: CatalogSimulator, feed: FeedSimulator, make_library: MakeLibrary
) -> None:
    """After a restart sources and cached exhibitions need no request."""
    library = await make_library(catalog, feed)
    before = dict(library.source_list().names)
    await library.async_build_playlist(before[TWENTY])
    catalog.reset_counters()
    asked = feed.request_count
    library = await make_library(catalog, feed, wait=False)
    assert dict(library.source_list().names) == before
    hanging = await library.async_build_playlist(before[TWENTY])
    assert hanging.works == 48
    assert not catalog.requests
    assert feed.request_count == asked


async def test_an_old_copy_is_shown_before_it_is_read_again(
    catalog: CatalogSimulator, make_library: MakeLibrary
) -> None:
    """An outdated cache is used at once, and refreshed in the background."""
    library = await make_library(catalog)
    before = dict(library.source_list().names)
    catalog.reset_counters()
    catalog.latency = 60.0
    set_timing(refresh=0.0)
    library = await make_library(catalog, wait=False)
    assert dict(library.source_list().names) == before
    assert len((await library.async_children("exhibitions")).nodes) == 47
    assert catalog.in_flight == len(catalog.requests)  # No request is answered yet.


async def test_only_what_is_new_is_folded(hass: HomeAssistant) -> None:
    """What comes to a list is found, what goes is not, and the names of the others are folded once."""
    titles = tuple(f"Study {number} of tides" for number in range(100))
    folded: list[str] = []

    def lines_of(title: str) -> list[str]:
        """Return the line of a title."""
        folded.append(title)
        return [line_of(title)]

    lines = Lines(hass, lambda: titles, lines_of, lambda *_: None)

    async def found(text: str) -> list[str]:
        """Return the titles that fit."""
        return await lines.async_records(Query.of(text))

    assert await found("study 7 of tides") == [titles[7], *titles[70:80]]
    new = "Ebb"
    titles = (new, *titles[:7], *titles[8:])
    assert await found("ebb") == [new]
    assert "Study 7 of tides" not in await found("study 7 of tides")
    assert len(folded) == 101 and folded[-1] == new
    titles = titles[:40]
    assert "Study 60 of tides" not in await found("study 60 of tides")
    assert len(folded) == 101


async def test_of_too_many_those_with_the_words_in_their_title(
    hass: HomeAssistant,
) -> None:
    """Works of a list that is called so are no reason to leave out lists and works that are called so themselves."""
    records = [
        *(("Sketch", "Tides") for _ in range(100)),
        ("High Tides", ""),
        ("Tides", ""),
    ]
    lines = Lines(
        hass,
        lambda: records,
        lambda record: [line_of(record[0], context=record[1])],
        lambda *_: None,
    )
    found = await lines.async_records(Query.of("tides"))
    assert len(found) == 50
    assert found[:2] == [("Tides", ""), ("High Tides", "")]
