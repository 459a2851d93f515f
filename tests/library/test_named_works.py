"""Test the reading of series that nobody has opened, and works with names of their own in those that were."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from custom_components.dp1.library.library import Library, async_remove_stored
from custom_components.dp1.library.node import NodeKind
from custom_components.dp1.library.providers.catalog import background_reader
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from .conftest import MakeLibrary
from .shows import search_nodes

from tests.background import IDLE, Clock
from tests.displays import until
from tests.named_catalog import PLANTS, NamedCatalog
from tests.timing import DEFAULTS


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Move time."""
    return Clock.of(monkeypatch)


@pytest.fixture
async def named(socket_enabled: None) -> AsyncGenerator[NamedCatalog]:
    """Run the small catalog."""
    async with NamedCatalog() as simulator:
        yield simulator


async def titles(library: Library, query: str) -> list[str]:
    """Return the titles of the works that are found."""
    found = await search_nodes(library, query, kinds={NodeKind.ARTWORK})
    return [node.title for node in found]


async def open_all(library: Library, named: NamedCatalog) -> None:
    """Open each exhibition, and each series in it."""
    for show in named.data.exhibitions:
        for series in (await library.async_children(f"exhibition/{show['id']}")).nodes:
            if series.can_expand:
                await library.async_children(series.id)


async def test_they_are_found(
    clock: Clock, named: NamedCatalog, make_library: MakeLibrary
) -> None:
    """Series are read ahead unhurried, and no works; what was opened is found and shown without the catalog."""
    named.latency = 0.001
    library = await make_library(named)
    await clock.read_all()
    assert not named.pages()
    assert not await titles(library, "cirrus signed")
    assert min(clock.waits) >= DEFAULTS["reading_pause"]
    await open_all(library, named)
    named.inject("status")
    named.reset_counters()
    for query, title in (
        ("cirrus signed", "Cloud Ledger Cirrus, signed"),
        ("Cirrus", "Cloud Ledger Cirrus, signed"),
        ("the work sirrus signed", "Cloud Ledger Cirrus, signed"),
        ("sitter e", "Sitters Sitter e"),
        (PLANTS[7], f"Herbarium {PLANTS[7]}"),
        ("plate 3", "Portfolio Plate 3"),
    ):
        assert (await titles(library, query))[0] == title, query
    found = await search_nodes(library, "cirrus signed")
    assert found[0].kind is NodeKind.ARTWORK
    assert found[0].subtitle == "Slow Weather"
    (series, *_) = await search_nodes(library, "sitters", kinds={NodeKind.SERIES})
    assert (series.title, series.subtitle) == ("Sitters", "Net Evil")
    # A work that only has a number is found by that.
    assert await titles(library, "cloud ledger") == ["Cloud Ledger Cirrus, signed"]
    named.reset_counters()
    built = await library.async_build_playlist(found[0].id)
    assert built.title == "Cloud Ledger Cirrus, signed"
    assert not named.requests


async def test_never_two_at_a_time(
    clock: Clock, named: NamedCatalog, make_library: MakeLibrary
) -> None:
    """Requests of the background follow one another, and wait while something else is read."""
    library = await make_library(named)
    named.reset_counters()
    named.latency = 0.001
    await clock.read_all()
    assert named.max_in_flight == 1
    assert len(named.requests) == 2
    library.catalog_server._lists["series"].clear()
    named.reset_counters()
    named.latency = 0.3
    herbarium = named.data.find_series("Herbarium")["id"]
    reading = library.hass.async_create_task(
        library.catalog_server.async_artworks(herbarium, 5)
    )
    await until(lambda: named.requests)
    await clock.run(lambda: len(clock.waits) > 3)
    assert len(named.requests) == 1
    await reading


async def test_a_restart_goes_on_where_it_was(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    clock: Clock,
    named: NamedCatalog,
    make_library: MakeLibrary,
) -> None:
    """What was read before a restart is found after it and not read again."""
    await make_library(named)
    await clock.run(lambda: named.count("series") == 1)
    library = await make_library(named)
    await clock.read_all()
    assert named.count("series") == 2
    await open_all(library, named)
    named.reset_counters()
    await library.async_stop()
    library = await make_library(named)
    await clock.read_all()
    assert not named.requests
    assert await titles(library, PLANTS[3])
    await library.async_stop()
    assert hass_storage["dp1.library.library.catalog"]["data"]["artworks"]
    await async_remove_stored(hass, "library")
    assert "dp1.library.library.catalog" not in hass_storage


async def test_the_catalog_is_obeyed(
    clock: Clock, named: NamedCatalog, make_library: MakeLibrary
) -> None:
    """A catalog that asks for hours is left alone for one, and then the same list is read."""
    named.inject("status", route="series", status=429, retry_after="7200", times=1)
    await make_library(named)
    await clock.run(lambda: clock.waits.count(IDLE) > 1)
    place = clock.waits.index(IDLE)
    assert clock.waits[place + 1] == DEFAULTS["reading_pause"]
    first, second, _ = (it.query for it in named.requests if it.route == "series")
    assert first == second


async def test_errors_slow_it_down(
    clock: Clock, named: NamedCatalog, make_library: MakeLibrary
) -> None:
    """After an error the pause is long, others come first, what failed is read in the next round, and nothing is asked of a catalog out of reach."""
    named.inject("status", route="series", status=404)
    library = await make_library(named)
    await clock.run(lambda: clock.waits.count(IDLE) > 2)
    assert named.count("series") == 2
    named.heal()
    await clock.run(lambda: clock.waits.count(IDLE) > 1)
    assert named.count("series") == 4
    await named.stop()
    await library.catalog_server.async_refresh()
    assert library.problem
    await clock.run(lambda: len(clock.waits) == 5)
    assert set(clock.waits) == {20.0}
    assert library.catalog_server.is_idle


async def test_news_are_read(
    clock: Clock,
    named: NamedCatalog,
    make_library: MakeLibrary,
) -> None:
    """New exhibitions and new series of changed exhibitions are read, and only those."""
    library = await make_library(named)
    await clock.read_all()
    named.reset_counters()
    data = named.data
    opened = data._exhibition(36)
    data.exhibitions.insert(0, opened)
    fresh = data.make_series(opened, 36, 0, "Ornaments", "multi_unique", 3)
    changed = data.find_exhibition("Net Evil")
    changed["updatedAt"] = (datetime.now(UTC) + timedelta(seconds=0.1)).isoformat()
    added = data.make_series(changed, 47, 3, "Guests", "multi_unique", 4)
    for series in (fresh, added):
        data._series[series["id"]] = series
        data._by_exhibition.setdefault(series["exhibitionID"], []).append(series)
        data.artworks(series["id"])[2]["name"] = f"Late {series['title']}"
    await library.async_refresh()
    await until(
        lambda: datetime.now(UTC) > datetime.fromisoformat(changed["updatedAt"])
    )
    await clock.read_all()
    assert named.count("series") == 2
    await open_all(library, named)
    assert await titles(library, "late ornaments") == ["Late Ornaments"]
    assert await titles(library, "late guests") == ["Late Guests"]
    data.exhibitions.remove(changed)
    await library.async_refresh()
    assert not await titles(library, "late guests")


async def test_what_is_not_open_is_not_found(
    named: NamedCatalog, make_library: MakeLibrary
) -> None:
    """What is not open yet is not found, also if it has been read."""
    library = await make_library(named)
    embargo = named.data.find_series("Embargo")
    await library.catalog_server.async_series(embargo["exhibitionID"])
    await library.catalog_server.async_artworks(embargo["id"], 5)
    assert not await titles(library, "nobody yet")


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("A Thousand Tides #17", "A Thousand Tides #17"),
        ("a thousand tides 17", "A Thousand Tides #17"),
        ("the work a thousand tides number seventeen", "A Thousand Tides #17"),
        ("a thousand tides twenty one", "A Thousand Tides #21"),
        ("number 17 of a thousand tides", "A Thousand Tides #17"),
        ("A Thousand Tidesの17番", "A Thousand Tides #17"),
        ("the seventeenth of A Thousand Tides", "A Thousand Tides #17"),
        ("A Thousand Tides第十七号", "A Thousand Tides #17"),
        ("tausend tides nummer 17", None),
        ("3 sitters", None),
        ("a thousand tides 1001", None),
        ("a thousand tides zero", None),
        ("copies 2", None),
        ("embargo 2", None),
        ("portfolio 79", "Portfolio Plate 79"),
        ("portfolio 80", None),
    ],
)
async def test_a_work_by_its_number(
    named: NamedCatalog, make_library: MakeLibrary, query: str, title: str | None
) -> None:
    """A work is found and shown by the title of its series and its number, by a single request."""
    library = await make_library(named)
    for show in named.data.exhibitions:
        await library.catalog_server.async_series(show["id"])
    portfolio = named.data.find_series("Portfolio")
    # This one is not where its number says.
    named.data.artworks(portfolio["id"])[79]["name"] = "Plate 81"
    named.reset_counters()
    found = await search_nodes(library, query, kinds={NodeKind.ARTWORK})
    assert [node.title for node in found] == ([title] if title else [])
    assert named.count("artworks") == (title is not None or query == "portfolio 80")
    if title:
        named.inject("status")
        assert (await library.async_build_playlist(found[0].id)).title == title


async def test_a_known_work_by_its_number(
    named: NamedCatalog, make_library: MakeLibrary
) -> None:
    """What has been opened is found by its number without a request, and nothing if the catalog cannot tell."""
    library = await make_library(named)
    ledger = named.data.find_series("Cloud Ledger")
    await library.async_children(f"exhibition/{ledger['exhibitionID']}")
    await library.async_children(f"series/{ledger['id']}")
    named.inject("status", route="artworks")
    named.reset_counters()
    assert await titles(library, "cloud ledger 3") == ["Cloud Ledger #3"]
    assert not named.count("artworks")
    assert not await titles(library, "a thousand tides 17")


async def test_what_is_old_is_read_again(
    clock: Clock,
    named: NamedCatalog,
    make_library: MakeLibrary,
) -> None:
    """After a few months, all of it is read once more."""
    library = await make_library(named)
    await clock.read_all()
    named.reset_counters()
    old = dt_util.utcnow() - timedelta(seconds=background_reader.MAX_AGE_SECONDS)
    for series in library.catalog_server._lists["series"].values():
        series.read_at = old
    await clock.read_all()
    assert named.count("series") == 2
