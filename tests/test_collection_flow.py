"""Adding and changing a collection."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1 import collection_flow
from custom_components.dp1.client import retry
from custom_components.dp1.client.errors import NotFoundError, TemporaryError
from custom_components.dp1.client.indexer import client
from homeassistant.config_entries import SOURCE_USER, ConfigEntryState
from homeassistant.core import CoreState, HomeAssistant
from homeassistant.data_entry_flow import FlowResultType

from .collections import COLLECTOR, E1, E2, NOWHERE, T1, collection_of
from .displays import until
from .flows import CREATED, fill, outcome
from .libraries import library_entry, set_up, suggested
from .simulators.indexer import IndexerSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
async def library(
    hass: HomeAssistant, socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> MockConfigEntry:
    monkeypatch.setattr(retry, "TRIES", 1)
    monkeypatch.setattr(client, "PAUSE", 0.01)
    options = {"indexer_url": "http://127.0.0.1:9/graphql"}
    return await set_up(hass, library_entry(NOWHERE, options=options))


async def add(hass: HomeAssistant, entry: MockConfigEntry, **values: Any) -> Any:
    """Fill in the form for a new collection, and do not wait until it is read."""
    flow = hass.config_entries.subentries
    handler = (entry.entry_id, "collection")
    form = await flow.async_init(handler, context={"source": SOURCE_USER})
    assert form["description_placeholders"] == {"indexer": "127.0.0.1"}
    values = {"name": "My collection", **values}
    return await flow.async_configure(form["flow_id"], values)


def ask(hass: HomeAssistant, library: MockConfigEntry, indexer_url: str) -> None:
    """Let the library ask an indexer."""
    options = {"indexer_url": indexer_url}
    hass.config_entries.async_update_entry(library, options=options)


async def follow(hass: HomeAssistant, step: Any) -> tuple[Any, list[int]]:
    """Follow the progress until the dialog ends; return that, and the counts of works that were seen."""
    counts = []
    async with asyncio.timeout(60):
        while step["type"] is FlowResultType.SHOW_PROGRESS:
            counts.append(int(step["description_placeholders"]["known"]))
            await asyncio.sleep(0.01)
            step = await hass.config_entries.subentries.async_configure(step["flow_id"])
    assert outcome(step) == "added"
    return step["description_placeholders"], counts


async def test_add_and_change(hass: HomeAssistant, library: MockConfigEntry) -> None:
    """Addresses are kept in one form; the collection appears, changes and goes without a restart."""
    result = await add(hass, library, addresses=f"{E1.lower()}, {E1}\n{T1}")
    assert outcome(result) == CREATED
    await hass.async_block_till_done()
    (subentry,) = library.subentries.values()
    assert subentry.title == "My collection"
    assert subentry.data == {"addresses": [E1, T1], "keep_current": False}
    assert E1.lower() not in (subentry.unique_id or "").lower()
    assert collection_of(library).title == "My collection"
    again = await add(hass, library, addresses=f"{T1} {E1}", name="Mine too")
    assert outcome(again) == "already_configured"
    async with IndexerSimulator() as indexer:
        ask(hass, library, indexer.url)
        form = await library.start_subentry_reconfigure_flow(hass, subentry.subentry_id)
        assert outcome(form) == "reconfigure"
        shown = suggested(form)
        assert shown["name"] == "My collection"
        assert shown["addresses"] == f"{E1}\n{T1}"
        changes = {"name": "Ours", "addresses": E2, "keep_current": True}
        result = await fill(hass, form, **changes)
        assert outcome(result) == "reconfigure_successful"
        await until(lambda: len(collection_of(library).list.records) == 2)
        assert collection_of(library).title == "Ours"
        assert collection_of(library).keep_current
    hass.config_entries.async_remove_subentry(library, subentry.subentry_id)
    await hass.async_block_till_done()
    assert not library.runtime_data.collections.by_id


async def test_refused(
    hass: HomeAssistant, library: MockConfigEntry, subtests: pytest.Subtests
) -> None:
    """Typing errors are refused before anybody is asked, and so is a name that is an address."""
    for values, errors in [
        ({"addresses": T1.lower()}, {"addresses": "invalid_address"}),
        ({"addresses": E1.replace("B", "b", 1)}, {"addresses": "invalid_address"}),
        ({"addresses": " , "}, {"addresses": "invalid_address"}),
        ({"addresses": "аlice.eth"}, {"addresses": "invalid_address"}),
        ({"addresses": f"{E1} " * 21}, {"addresses": "invalid_address"}),
        ({"addresses": E1, "name": f"of {E1.lower()}"}, {"name": "invalid_name"}),
        ({"addresses": E1, "name": "\u200b"}, {"name": "invalid_name"}),
        ({"addresses": "alice.eth"}, {"look_up": "not_allowed"}),
    ]:
        with subtests.test(values=values):
            assert outcome(await add(hass, library, **values)) == errors


async def test_names(
    hass: HomeAssistant, library: MockConfigEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name is looked up once if that is allowed, and its address is shown and kept."""
    names: list[str] = []
    answers: dict[str, Any] = {
        "alice.eth": E1,
        "none.eth": NotFoundError(),
        "away.tez": TemporaryError(),
    }

    async def look_up(_session: Any, name: str, *_: Any) -> str:
        names.append(name)
        if isinstance(answer := answers[name], Exception):
            raise answer
        return str(answer)

    monkeypatch.setattr(collection_flow, "look_up_name", look_up)
    for name, error in (
        ("none.eth", "unknown_name"),
        ("away.tez", "name_not_looked_up"),
    ):
        form = await add(hass, library, addresses=name, look_up=True)
        assert outcome(form) == {"addresses": error}
    async with IndexerSimulator() as indexer:
        ask(hass, library, indexer.url)
        form = await add(hass, library, addresses="Alice.eth", look_up=True)
    assert outcome(form) == "confirm"
    assert form["description_placeholders"]["addresses"] == (
        f"- alice.eth: `{E1}`\n\n"
        "Slow Harbour \\(edition\\), Tidal Ledger \\#42, Plain Square"
    )
    assert outcome(await fill(hass, form)) == CREATED
    (subentry,) = library.subentries.values()
    assert subentry.data["addresses"] == [E1]
    await hass.config_entries.async_reload(library.entry_id)
    assert names == ["none.eth", "away.tez", "alice.eth"]


@pytest.fixture
async def large(
    hass: HomeAssistant, library: MockConfigEntry
) -> AsyncIterator[IndexerSimulator]:
    """Let the library ask an indexer that takes its time and knows 240 works of a collector."""
    async with IndexerSimulator() as indexer:
        indexer.own(COLLECTOR, 240)
        indexer.latency = 0.1
        ask(hass, library, indexer.url)
        await hass.config_entries.async_reload(library.entry_id)
        yield indexer
        await hass.async_block_till_done()
        if library.state is ConfigEntryState.LOADED:
            await hass.config_entries.async_unload(library.entry_id)


@pytest.mark.usefixtures("large")
async def test_a_large_collection_shows_how_far_it_is(
    hass: HomeAssistant, library: MockConfigEntry
) -> None:
    """The collection is there at once; how many works are known is shown until all are."""
    step = await add(hass, library, addresses=COLLECTOR)
    assert (step["step_id"], step["progress_action"]) == ("reading", "reading")
    assert len(library.subentries) == 1
    end, counts = await follow(hass, step)
    assert end == {"name": "My collection", "known": "240"}
    assert counts == sorted(counts) and len(set(counts) - {0, 240}) > 0
    again = await add(hass, library, addresses=COLLECTOR)
    assert outcome(again) == "already_configured"


async def test_a_collection_is_added_while_home_assistant_starts(
    hass: HomeAssistant,
    library: MockConfigEntry,
    large: IndexerSimulator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is read at once, and neither its dialog nor its reading holds up the start."""
    monkeypatch.setattr(collection_flow, "PATIENCE", 0.01)
    hass.set_state(CoreState.starting)
    large.held = True
    step = await add(hass, library, addresses=COLLECTOR)
    assert step["type"] is FlowResultType.SHOW_PROGRESS
    try:
        async with asyncio.timeout(15):
            # What the start waits for.
            await hass.async_block_till_done(wait_background_tasks=False)
    finally:
        large.held = False
    end, _ = await follow(hass, step)
    assert end["known"] == "240"
    assert hass.state is CoreState.starting
    hass.set_state(CoreState.running)


@pytest.mark.usefixtures("large")
async def test_a_collection_that_is_removed_while_it_is_read(
    hass: HomeAssistant, library: MockConfigEntry
) -> None:
    """The dialog ends by itself."""
    step = await add(hass, library, addresses=COLLECTOR)
    assert step["type"] is FlowResultType.SHOW_PROGRESS
    hass.config_entries.async_remove_subentry(library, *library.subentries)
    await follow(hass, step)


@pytest.mark.usefixtures("large")
async def test_a_library_that_is_removed_while_its_collection_is_read(
    hass: HomeAssistant, library: MockConfigEntry
) -> None:
    """The dialog ends by itself, and names what it was about."""
    step = await add(hass, library, addresses=COLLECTOR)
    assert step["type"] is FlowResultType.SHOW_PROGRESS
    await hass.config_entries.async_remove(library.entry_id)
    end, _ = await follow(hass, step)
    assert end == {"name": "My collection", "known": "0"}


@pytest.mark.usefixtures("large")
async def test_leaving_the_progress_does_not_end_the_reading(
    hass: HomeAssistant, library: MockConfigEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dialog is closed while the collection is read; also an indexer that is slow shows it."""
    monkeypatch.setattr(collection_flow, "PATIENCE", 0.01)
    step = await add(hass, library, addresses=E2)
    assert step["type"] is FlowResultType.SHOW_PROGRESS
    hass.config_entries.subentries.async_abort(step["flow_id"])
    await hass.async_block_till_done()
    await until(lambda: len(collection_of(library).list.records) == 2)
    assert not hass.config_entries.subentries.async_progress()


async def test_without_an_indexer(hass: HomeAssistant) -> None:
    """A library without an indexer has no collections."""
    entry = await set_up(hass, library_entry(NOWHERE, options={"indexer_url": ""}))
    result = await hass.config_entries.subentries.async_init(
        (entry.entry_id, "collection"), context={"source": SOURCE_USER}
    )
    assert outcome(result) == "no_indexer"
