"""Collections: the works that addresses hold, in the browser, in search, on displays, and followed."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from copy import deepcopy
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
from yarl import URL

from custom_components.dp1.browse.pages import async_browse_library
from custom_components.dp1.client import retry
from custom_components.dp1.client.indexer import client
from custom_components.dp1.library.libraries import async_build_playlist
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.news import ACQUIRED, LEFT_COLLECTION
from custom_components.dp1.library.providers.collection import server
from custom_components.dp1.voice.answers import UnansweredError
from custom_components.dp1.voice.choice import async_choose
from homeassistant.components.media_player import BrowseError
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import EVENT_HOMEASSISTANT_STARTED
from homeassistant.core import (
    CoreState,
    Event,
    EventStateChangedData,
    HomeAssistant,
    callback,
)
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.setup import async_setup_component

from .shows import search_nodes

from tests.collections import (
    COLLECTOR,
    E1,
    E2,
    SUBENTRY,
    T1,
    collection_of,
    now,
    set_up_collection,
)
from tests.displays import until
from tests.houses import House, titles
from tests.simulators.indexer import Fault, IndexerSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

NODE = f"collection/{SUBENTRY}"
PREFIX = "media-source://dp1/"
NEWS = "event.library_news"


@pytest.fixture
async def indexer(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[IndexerSimulator]:
    monkeypatch.setattr(client, "PAUSE", 0.01)
    monkeypatch.setattr(retry, "FIRST_PAUSE", 0.01)
    async with IndexerSimulator() as running:
        yield running


async def collected(
    hass: HomeAssistant, indexer: IndexerSimulator, *addresses: str, **options: Any
) -> MockConfigEntry:
    """Set up a library with a collection, and wait until it was read."""
    entry = await set_up_collection(hass, indexer.url, *addresses, **options)
    await until(lambda: collection_of(entry).list.complete)
    return entry


def listed(entry: MockConfigEntry) -> tuple[Any, ...]:
    return tuple(collection_of(entry).list.records)


async def works(library: Library, node: str = NODE) -> list[str]:
    children = await library.async_children(node)
    return [child.title for child in children.nodes if child.kind == "owned"]


async def poll(entry: Any) -> None:
    """Look for changes, in a reading that begins now."""
    await until(lambda: not collection_of(entry).list.is_reading)
    await collection_of(entry).async_refresh()
    await entry.runtime_data.hass.async_block_till_done()


async def test_browse(hass: HomeAssistant, indexer: IndexerSimulator) -> None:
    """The works of all addresses are listed once, newest first, and grouped by artist and by how they behave."""
    entry = await collected(hass, indexer, E1, E2, T1)
    library: Library = entry.runtime_data
    assert await works(library) == [
        "Étude nº 3 – “glass”",
        "Slow Harbour (edition)",
        "Lattice Bloom #88",
        "Tidal Ledger #42",
        "#5",
        "Plain Square",
        "Unresolved",
    ]
    root = await library.async_children("")
    assert [node.title for node in root.nodes][0] == "My collection"
    inside = await library.async_children(NODE)
    folders = [node.title for node in inside.nodes if node.kind != "owned"]
    assert folders == ["Artists", "Still", "Moving", "Interactive"]
    artists = ["Rui Tanaka", "Lena Voss", "moss", "Ines Okafor", "anonymous", "K. Sato"]
    for node, titles_inside in (
        (f"collection_part/{SUBENTRY}/artists", artists),
        (f"collection_artist/{SUBENTRY}/Lena%20Voss", ["Slow Harbour (edition)"]),
        (f"collection_part/{SUBENTRY}/moving", ["Slow Harbour (edition)"]),
        (
            f"collection_part/{SUBENTRY}/interactive",
            ["Lattice Bloom #88", "Tidal Ledger #42"],
        ),
    ):
        page = await library.async_children(node)
        assert [child.title for child in page.nodes] == titles_inside
    assert not indexer.authorized
    assert all(asked.agent.startswith("home-assistant-dp1/") for asked in indexer.asked)
    chosen = await async_choose(hass, {"choice": "collection"}, [])
    assert chosen.media_ids == (f"{PREFIX}{entry.entry_id}/{NODE}",)
    assert chosen.title == "My collection"


async def test_cast(hass: HomeAssistant, indexer: IndexerSimulator) -> None:
    """A collection hangs as one document, with artists; what has no source is left out, and the newest are kept."""
    entry = await set_up_collection(hass, indexer.url, E1, E2, T1)
    async with House.of(hass, "wall") as house:
        wall = house.walls["wall"]
        await house.play("wall", f"{PREFIX}{entry.entry_id}/{NODE}")
        await until(lambda: house.attribute("wall", "media_title") is not None)
        # The drawing that is kept on a chain is its own source.
        by_title = {item["title"]: item for item in wall.state.items}
        square = by_title["Plain Square"]
        assert square["source"].startswith("data:image/svg+xml;base64,")
        assert len(wall.state.items) == 7
        assert wall.state.items[1]["id"] == "083b1191-10d8-58ee-a862-a3973ef60867"
        await until(lambda: house.attribute("wall", "source") == "My collection")
        assert "My collection" in house.attribute("wall", "source_list")
        await house.do("select_source", "wall", source="My collection")
        # Of two artists, both are named.
        await house.do("media_next_track", "wall")
        await until(
            lambda: house.attribute("wall", "media_artist") == "Rui Tanaka, Lena Voss"
        )
        token = by_title["Unresolved"]["provenance"]["contract"]["tokenId"]
        assert token == record(indexer, "9009")["token_number"]
        assert len(token) == 78
        # What is sold stays on the wall until the next cast.
        casts, shown = wall.casts, titles(wall.state.items)
        indexer.release(E1, record(indexer, "9001"))
        await poll(entry)
        assert "Tidal Ledger #42" not in await works(entry.runtime_data)
        assert titles(wall.state.items) == shown
        assert wall.casts == casts
        node = f"collection_artist/{SUBENTRY}/moss"
        await house.play("wall", f"{PREFIX}{entry.entry_id}/{node}")
        assert titles(wall.state.items) == ["Lattice Bloom #88"]
        assert "fxhash=ooSimHash88" in wall.state.items[0]["source"]


async def test_never_again(hass: HomeAssistant, indexer: IndexerSimulator) -> None:
    """A hidden work is left out of the collection, also after a restart, and is still listed in it."""
    entry = await collected(hass, indexer, E1, E2, T1)
    collection = f"{PREFIX}{entry.entry_id}/{NODE}"
    async with House.of(hass, "wall") as house:
        wall = house.walls["wall"]
        await house.play("wall", collection)
        first, *others = titles(wall.state.items)
        await until(lambda: house.attribute("wall", "media_title") == first)
        await house.do("dp1.hide_work", "wall")
        assert titles(wall.state.items) == others
        await hass.config_entries.async_reload(entry.entry_id)
        await house.play("wall", collection)
        assert titles(wall.state.items) == others
        assert first in await works(entry.runtime_data)


async def test_search(hass: HomeAssistant, indexer: IndexerSimulator) -> None:
    """A collection, its artists and its works are found by their names."""
    entry = await collected(hass, indexer, E1, T1)
    library: Library = entry.runtime_data

    for query, where, kind in (
        ("my collection", {}, NODE),
        ("lattice bloom", {}, "owned/"),
        ("moss", {}, "collection_artist/"),
        ("etude", {"within": NODE}, "owned/"),
    ):
        (first, *_) = await search_nodes(library, query, **where)
        assert first.id.startswith(kind)
    assert not await search_nodes(library, "nothing like it")


async def test_restart_without_network(
    hass: HomeAssistant, indexer: IndexerSimulator
) -> None:
    """After a restart the last list is there without a request, and while the indexer is away."""
    entry = await collected(hass, indexer, E1, T1)
    before = listed(entry)
    await poll(entry)
    await hass.config_entries.async_unload(entry.entry_id)
    await indexer.stop()
    asked = len(indexer.asked)
    assert await hass.config_entries.async_setup(entry.entry_id)
    assert listed(entry) == before
    assert len(indexer.asked) == asked
    await poll(entry)
    assert listed(entry) == before
    assert len(await works(entry.runtime_data)) == 6
    assert collection_of(entry).problem is not None


def events(hass: HomeAssistant) -> list[tuple[str, str]]:
    """Record what the event entity tells."""
    told: list[tuple[str, str]] = []

    @callback
    def note(event: Event[EventStateChangedData]) -> None:
        """Note an event, which is restored after a restart."""
        state, before = event.data["new_state"], event.data["old_state"]
        if state is None or before is None or before.state == "unavailable":
            return
        if kind := state.attributes.get("event_type"):
            told.append((kind, state.attributes["title"]))

    async_track_state_change_event(hass, NEWS, note)
    return told


def record(indexer: IndexerSimulator, number: str) -> dict[str, Any]:
    return next(known for known in indexer.records if known["id"] == number)


def asked(indexer: IndexerSimulator) -> Counter[str]:
    """Return how often each field was asked for, and forget that."""
    counted = Counter(query.field for query in indexer.asked)
    indexer.asked.clear()
    return counted


async def test_follow(hass: HomeAssistant, indexer: IndexerSimulator) -> None:
    """What comes and goes is told, each once; the first look is silent, and only what is missing is asked for beside the list."""
    indexer.own(E1, 150)
    told = events(hass)
    entry = await collected(hass, indexer, E1)
    await poll(entry)
    assert not told
    before = len(listed(entry))
    asked(indexer)
    await poll(entry)
    assert asked(indexer) == {"tokens": 2}

    # One comes, one goes, one is flagged as spam, and one is hidden until it has media.
    at = now(seconds=1)
    indexer.acquire(E1, record(indexer, "9003"), at)
    indexer.release(E1, record(indexer, "9005"))
    indexer.acquire(E1, record(indexer, "9010"), at)
    flagged, hidden = record(indexer, "9002"), record(indexer, "9010")
    flagged["moderation_status"], hidden["viewable"] = "spam", False
    hidden["burned"] = False
    await poll(entry)
    await hass.async_block_till_done()
    assert asked(indexer) == {"tokens": 3}
    assert told == [
        (ACQUIRED, "Lattice Bloom #88"),
        (LEFT_COLLECTION, "Plain Square"),
    ]
    assert len(listed(entry)) == before - 1
    assert (await works(entry.runtime_data))[0] == "Lattice Bloom #88"

    # A work that flickers rings once.
    for viewable in (True, True, False, True):
        hidden["viewable"] = viewable
        await poll(entry)
    assert told[2:] == [(ACQUIRED, "Gone")]
    # After a restart too.
    await hass.config_entries.async_reload(entry.entry_id)
    indexer.acquire(E1, record(indexer, "9004"), now(seconds=3))
    await poll(entry)
    await hass.async_block_till_done()
    assert told[3:] == [(ACQUIRED, "#5")]


async def test_changed_during_setup(
    hass: HomeAssistant, indexer: IndexerSimulator
) -> None:
    """A collection that changes while the library is set up is not forgotten."""
    entry = await set_up_collection(hass, indexer.url, T1)
    before = entry.runtime_data
    reload = hass.async_create_task(hass.config_entries.async_reload(entry.entry_id))
    while entry.runtime_data is before:
        await asyncio.sleep(0)
    assert entry.state is ConfigEntryState.SETUP_IN_PROGRESS
    subentry = entry.subentries[SUBENTRY]
    hass.config_entries.async_update_subentry(entry, subentry, title="Our collection")
    await reload
    await hass.async_block_till_done()
    assert [node.title for node in entry.runtime_data.collections.roots()] == [
        "Our collection"
    ]


async def test_unknown_addresses(
    hass: HomeAssistant, indexer: IndexerSimulator
) -> None:
    """Addresses nothing is known of say what to do, and are looked at again; what they hold then rings no bell."""
    told = events(hass)
    entry = await collected(hass, indexer, COLLECTOR)
    library: Library = entry.runtime_data
    assert collection_of(entry).problem is None
    with pytest.raises(UnansweredError, match="no_collection"):
        await async_choose(hass, {"choice": "collection"}, [])
    media_id = f"{PREFIX}{entry.entry_id}/{NODE}"
    with pytest.raises(BrowseError, match="add each address once in the app"):
        await async_browse_library(hass, media_id, str)
    with pytest.raises(HomeAssistantError, match="add each address once in the app"):
        await async_build_playlist(hass, {"media_content_id": media_id})
    await until(lambda: collection_of(entry).refresh_seconds == 3600)
    indexer.own(COLLECTOR, 3)
    # The button looks at once; the feed is away.
    with pytest.raises(HomeAssistantError, match="feed"):
        await library.async_refresh()
    assert len(await works(library)) == 3
    assert not told
    assert 1800 <= collection_of(entry).refresh_seconds <= 3600


@pytest.mark.parametrize(
    "fault",
    [
        Fault(429, headers={"Retry-After": "0"}, times=None),
        Fault(502, "<html>bad gateway</html>", times=None),
        Fault(200, '{"errors":[{"message":"x"}],"data":null}', times=None),
        Fault(200, '{"data":{"tokens":{"items":null}}}', times=None, field="tokens"),
    ],
    ids=lambda fault: str(fault.status) + fault.body[:20],
)
async def test_faults(
    hass: HomeAssistant, indexer: IndexerSimulator, fault: Fault
) -> None:
    """Whatever the indexer does, the list stays, also when the whole of it is read again."""
    entry = await collected(hass, indexer, E1, T1)
    await poll(entry)
    before = listed(entry)
    indexer.faults = [fault]
    indexer.release(E1, record(indexer, "9005"))
    await poll(entry)
    assert listed(entry) == before
    assert collection_of(entry).problem is not None
    assert (await entry.runtime_data.async_node(NODE)).can_play
    # What happened meanwhile is not lost.
    indexer.faults = []
    await poll(entry)
    assert len(listed(entry)) == len(before) - 1
    assert collection_of(entry).problem is None


async def test_paging(hass: HomeAssistant, indexer: IndexerSimulator) -> None:
    """A work that arrives between two pages is there once, and a list without an end keeps what was read."""
    owned = indexer.own(COLLECTOR, 260)
    # One is listed twice.
    indexer.records.append(owned[0])
    arrives = deepcopy(record(indexer, "9004"))
    arrives |= {"owner_provenances": {"items": []}, "balances": [COLLECTOR]}
    indexer.arrives = arrives
    entry = await set_up_collection(hass, indexer.url, COLLECTOR)
    # The newest are there before the rest.
    first = await collection_of(entry).async_list()
    assert len(first.records) >= 50
    await until(lambda: len(listed(entry)) == 261)
    await poll(entry)
    ids = [work.id for work in listed(entry)]
    assert len(ids) == len(set(ids)) == 261
    assert listed(entry)[-1].held_since is None
    page = await entry.runtime_data.async_children(NODE)
    assert page.nodes[-1].kind == "more"
    rest = await entry.runtime_data.async_children(page.nodes[-1].id)
    assert len(page.nodes) - 1 + len(rest.nodes) == 261

    indexer.repeat_offset = True
    await poll(entry)
    assert len(listed(entry)) == 261


@pytest.mark.parametrize("how", ["flagged", "left out"])
async def test_an_indexer_that_hides_works_for_days(
    hass: HomeAssistant, indexer: IndexerSimulator, how: str
) -> None:
    """Works that are hidden and shown again neither left nor were acquired, however the indexer hides them."""
    told = events(hass)
    entry = await collected(hass, indexer, E1, T1)
    await poll(entry)
    before = {work.id for work in listed(entry)}
    shown = [*indexer.records]
    for known in shown:
        known["viewable"] = how != "flagged"
    if how != "flagged":
        indexer.records[:] = []
    for _ in range(2):
        await poll(entry)
    assert {work.id for work in listed(entry)} in (set(), before)
    indexer.records[:] = shown
    for known in shown:
        known["viewable"] = True
    await poll(entry)
    assert before <= {work.id for work in listed(entry)}
    assert not told


async def test_bought_and_sold_while_off(
    hass: HomeAssistant, indexer: IndexerSimulator
) -> None:
    """What came and went while Home Assistant was off is told at once when it has started, and automations listen."""
    told = events(hass)
    entry = await collected(hass, indexer, E1, T1)
    await poll(entry)
    assert await hass.config_entries.async_unload(entry.entry_id)
    # One was sold, and one is hidden but still held.
    indexer.acquire(T1, record(indexer, "9009"), now())
    indexer.release(E1, record(indexer, "9005"))
    hidden = record(indexer, "9001")
    hidden["moderation_status"] = "spam"
    asked(indexer)
    hass.set_state(CoreState.starting)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    assert not told
    hass.set_state(CoreState.running)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
    await until(lambda: len(told) == 2)
    assert told == [(ACQUIRED, "Unresolved"), (LEFT_COLLECTION, "Plain Square")]
    assert asked(indexer) == {"tokens": 2}
    assert len(listed(entry)) == 5
    # A second look tells nothing twice.
    await poll(entry)
    assert len(told) == 2
    assert asked(indexer) == {"tokens": 1}
    assert 1800 <= collection_of(entry).refresh_seconds <= 3600


async def test_part_of_an_answer(
    hass: HomeAssistant, indexer: IndexerSimulator
) -> None:
    """Errors beside the data do not spoil what is known, and nothing counts as sold because of them."""
    entry = await collected(hass, indexer, E1, T1)
    told = events(hass)
    before = listed(entry)
    indexer.errors = [{"message": "a resolver failed", "path": ["tokens"]}]
    spoiled = record(indexer, "9001")
    shown, spoiled["display"] = spoiled["display"], None
    missing = record(indexer, "9005")
    indexer.records.remove(missing)
    await poll(entry)
    assert listed(entry) == before
    assert not told
    indexer.errors, spoiled["display"] = [], shown
    await poll(entry)
    assert told == [(LEFT_COLLECTION, "Plain Square")]


async def test_more_works_than_are_kept(
    hass: HomeAssistant, indexer: IndexerSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a very large collection the works that came last are kept, and it is said that these are not all."""
    monkeypatch.setattr(server, "MAX_TOKENS", 250)
    owned = indexer.own(COLLECTOR, 400)
    entry = await set_up_collection(hass, indexer.url, COLLECTOR)
    collection = collection_of(entry)
    await until(lambda: len(collection.list.records) == 250)
    await poll(entry)
    assert not collection.list.complete
    assert collection.problem is None
    held = [one["owner_provenances"]["items"][0]["last_timestamp"] for one in owned]
    newest = [at[:10] for at in sorted(held, reverse=True)[:250]]
    kept = [work.held_since for work in listed(entry)]
    assert [str(at and at.date()) for at in kept] == newest
    indexer.acquire(COLLECTOR, record(indexer, "9004"), now(seconds=1))
    await poll(entry)
    assert (await works(entry.runtime_data))[0] == "#5"
    assert len(collection.list.records) == 250


async def test_works_on_a_chain_are_kept_up_to_a_limit(
    hass: HomeAssistant, indexer: IndexerSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the limit they are listed, and have nothing to show."""
    monkeypatch.setattr(server, "MAX_DATA", 100)
    for known in indexer.own(COLLECTOR, 3):
        known["display"]["animation_url"] = f"data:text/html,{'x' * 30}"
    entry = await collected(hass, indexer, COLLECTOR)
    assert [work.source is not None for work in listed(entry)] == [True, True, False]


async def test_keep_current(
    hass: HomeAssistant,
    indexer: IndexerSimulator,
    hass_client_no_auth: ClientSessionGenerator,
) -> None:
    """A display that follows a collection reads its playlist at an address that nobody can guess or see in a state."""
    assert await async_setup_component(hass, "api", {})
    entry = await collected(hass, indexer, E1, T1, keep_current=True)
    await poll(entry)
    async with House.of(hass, "wall") as house:
        client = await hass_client_no_auth()
        home = str(client.make_url("")).rstrip("/")
        await async_process_ha_core_config(hass, {"internal_url": home})
        wall = house.walls["wall"]
        media_id = f"{PREFIX}{entry.entry_id}/{NODE}"
        await house.play("wall", media_id)
        url = wall.state.playlist_url or ""
        assert url.startswith(f"{home}/api/dp1/media/")
        assert "/collection.json?token=" in url
        token = URL(url).query["token"]
        assert len(token) > 40
        await until(lambda: house.attribute("wall", "source") == "My collection")
        shown = house.attribute("wall", "media_content_id")
        assert shown.startswith(media_id)
        assert token not in str(house.state("wall").as_dict())
        path = URL(url).path
        served = await (await client.get(f"{path}?token={token}")).json()
        assert len(served["items"]) == 6
        for wrong in (f"{path}?token={token[:-1]}", path):
            assert (await client.get(wrong)).status == 404

        indexer.release(E1, record(indexer, "9001"))
        indexer.acquire(T1, record(indexer, "9009"), now(seconds=1))
        await poll(entry)
        after = await (await client.get(f"{path}?token={token}")).json()
        assert after["id"] == served["id"]
        assert titles(after["items"])[0] == "Unresolved"
        assert "Tidal Ledger #42" not in titles(after["items"])
        # The same again, at the work that is shown.
        await house.play("wall", shown)
        assert wall.state.playlist_url == url
        # With a limit it is another list.
        await house.show("wall", media_content_id=media_id, limit=2)
        assert wall.state.playlist_url is None
        assert len(wall.state.items) == 2
        hass.config_entries.async_remove_subentry(entry, SUBENTRY)
        await hass.async_block_till_done()
        assert (await client.get(f"{path}?token={token}")).status == 404


async def test_a_followed_collection_among_others(
    hass: HomeAssistant, indexer: IndexerSimulator
) -> None:
    """Its works are put into another list also where Home Assistant does not reach itself."""
    assert await async_setup_component(hass, "api", {})
    entry = await collected(hass, indexer, E1, T1, keep_current=True)
    await async_process_ha_core_config(hass, {"internal_url": "http://127.0.0.1:9"})
    media_id = f"{PREFIX}{entry.entry_id}/{NODE}"
    async with House.of(hass, "wall") as house:
        wall = house.walls["wall"]
        await house.show("wall", media=[media_id, "https://art.example.org/1.png"])
        assert len(wall.state.items) == 7
        await house.play("wall", media_id, enqueue="add")
        assert len(wall.state.items) == 13
