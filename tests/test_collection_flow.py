"""Adding and changing a collection."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1 import collection_flow
from custom_components.dp1.client.errors import NotFoundError, TemporaryError
from custom_components.dp1.client.indexer import client
from homeassistant.config_entries import SOURCE_USER, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType

from .collections import COLLECTOR, E1, E2, NOWHERE, T1, collection_of
from .displays import until
from .libraries import library_entry, set_up
from .simulators.indexer import IndexerSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
async def library(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> MockConfigEntry:
    monkeypatch.setattr(client, "TRIES", 1)
    options = {"indexer_url": "http://127.0.0.1:9/graphql"}
    return await set_up(hass, library_entry(NOWHERE, options=options))


async def add(hass: HomeAssistant, entry: MockConfigEntry, **values: Any) -> Any:
    """Fill in the form for a new collection."""
    flow = hass.config_entries.subentries
    handler = (entry.entry_id, "collection")
    form = await flow.async_init(handler, context={"source": SOURCE_USER})
    assert form["type"] is FlowResultType.FORM
    assert form["description_placeholders"] == {"indexer": "127.0.0.1"}
    values = {"name": "My collection", **values}
    return await flow.async_configure(form["flow_id"], values)


async def test_add_and_change(
    hass: HomeAssistant, library: MockConfigEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Addresses are kept in one form; the collection appears, changes and goes without a restart."""
    monkeypatch.setattr(client, "PAUSE", 0.01)
    result = await add(hass, library, addresses=f"{E1.lower()}, {E1}\n{T1}")
    assert result["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    (subentry,) = library.subentries.values()
    assert subentry.title == "My collection"
    assert subentry.data == {"addresses": [E1, T1], "keep_current": False}
    assert E1.lower() not in (subentry.unique_id or "").lower()
    assert collection_of(library).title == "My collection"
    # The same again.
    result = await add(hass, library, addresses=f"{T1} {E1}", name="Mine too")
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "already_configured"

    flow = hass.config_entries.subentries
    async with IndexerSimulator() as indexer:
        hass.config_entries.async_update_entry(
            library, options={"indexer_url": indexer.url}
        )
        form = await library.start_subentry_reconfigure_flow(hass, subentry.subentry_id)
        assert form["step_id"] == "reconfigure"
        suggested = {
            str(key): (key.description or {}).get("suggested_value")
            for key in form["data_schema"].schema
        }
        assert suggested["name"] == "My collection"
        assert suggested["addresses"] == f"{E1}\n{T1}"
        result = await flow.async_configure(
            form["flow_id"],
            {"name": "Ours", "addresses": E2, "keep_current": True},
        )
        assert result["type"] is FlowResultType.ABORT
        assert result["reason"] == "reconfigure_successful"
        await hass.async_block_till_done()
        await until(lambda: len(collection_of(library).list.records) == 2)
        assert collection_of(library).title == "Ours"
        assert collection_of(library).keep_current
    hass.config_entries.async_remove_subentry(library, subentry.subentry_id)
    await hass.async_block_till_done()
    assert not library.runtime_data.collections.by_id


async def test_refused(
    hass: HomeAssistant,
    library: MockConfigEntry,
    subtests: pytest.Subtests,
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
        with subtests.test(values=values, errors=errors):
            assert (await add(hass, library, **values))["errors"] == errors


async def test_names(
    hass: HomeAssistant, library: MockConfigEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name is looked up once if that is allowed, and its address is shown and kept."""
    asked: list[str] = []
    known: dict[str, Any] = {
        "alice.eth": E1,
        "none.eth": NotFoundError(),
        "away.tez": TemporaryError(),
    }

    async def look_up(_session: Any, name: str, *_: Any) -> str:
        asked.append(name)
        if isinstance(found := known[name], Exception):
            raise found
        return str(found)

    monkeypatch.setattr(collection_flow, "look_up_name", look_up)
    values: dict[str, Any] = {"look_up": True}
    refused = await add(hass, library, addresses="none.eth", **values)
    assert refused["errors"] == {"addresses": "unknown_name"}
    refused = await add(hass, library, addresses="away.tez", **values)
    assert refused["errors"] == {"addresses": "name_not_looked_up"}
    async with IndexerSimulator() as indexer:
        hass.config_entries.async_update_entry(
            library, options={"indexer_url": indexer.url}
        )
        form = await add(hass, library, addresses="Alice.eth", **values)
    assert form["step_id"] == "confirm"
    assert form["description_placeholders"]["addresses"] == (
        f"- alice.eth: `{E1}`\n\n"
        "Slow Harbour \\(edition\\), Tidal Ledger \\#42, Plain Square"
    )
    flow = hass.config_entries.subentries
    result = await flow.async_configure(form["flow_id"], {})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    (subentry,) = library.subentries.values()
    assert subentry.data["addresses"] == [E1]
    await hass.config_entries.async_reload(library.entry_id)
    assert asked == ["none.eth", "away.tez", "alice.eth"]


@pytest.fixture
async def large(
    hass: HomeAssistant, library: MockConfigEntry, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[IndexerSimulator]:
    """Let the library ask an indexer that takes its time and knows 240 works of a collector."""
    monkeypatch.setattr(client, "PAUSE", 0.01)
    async with IndexerSimulator() as indexer:
        indexer.own(COLLECTOR, 240)
        indexer.latency = 0.1
        options = {"indexer_url": indexer.url}
        hass.config_entries.async_update_entry(library, options=options)
        await hass.config_entries.async_reload(library.entry_id)
        yield indexer
        await hass.async_block_till_done()
        if library.state is ConfigEntryState.LOADED:
            await hass.config_entries.async_unload(library.entry_id)


async def test_a_large_collection_shows_how_far_it_is(
    hass: HomeAssistant, library: MockConfigEntry, large: IndexerSimulator
) -> None:
    """The collection is there at once; how many works are known is shown until all are."""
    flow = hass.config_entries.subentries
    step = await add(hass, library, addresses=COLLECTOR)
    assert (step["type"], step["step_id"], step["progress_action"]) == (
        FlowResultType.SHOW_PROGRESS,
        "reading",
        "reading",
    )
    assert len(library.subentries) == 1
    seen: list[int] = []
    while step["type"] is FlowResultType.SHOW_PROGRESS:
        seen.append(int(step["description_placeholders"]["known"]))
        await asyncio.sleep(0.01)
        step = await flow.async_configure(step["flow_id"])
    assert (step["type"], step["reason"]) == (FlowResultType.ABORT, "added")
    assert step["description_placeholders"] == {"name": "My collection", "known": "240"}
    assert seen == sorted(seen) and len(set(seen) - {0, 240}) > 0
    # The same again.
    step = await add(hass, library, addresses=COLLECTOR)
    assert (step["type"], step["reason"]) == (
        FlowResultType.ABORT,
        "already_configured",
    )


async def test_a_collection_that_is_removed_while_it_is_read(
    hass: HomeAssistant, library: MockConfigEntry, large: IndexerSimulator
) -> None:
    """The dialog ends by itself."""
    step = await add(hass, library, addresses=COLLECTOR)
    assert step["type"] is FlowResultType.SHOW_PROGRESS
    (subentry_id,) = library.subentries
    hass.config_entries.async_remove_subentry(library, subentry_id)
    while step["type"] is FlowResultType.SHOW_PROGRESS:
        await asyncio.sleep(0.01)
        step = await hass.config_entries.subentries.async_configure(step["flow_id"])
    assert (step["type"], step["reason"]) == (FlowResultType.ABORT, "added")


async def test_a_library_that_is_removed_while_its_collection_is_read(
    hass: HomeAssistant, library: MockConfigEntry, large: IndexerSimulator
) -> None:
    """The dialog ends by itself, and names what it was about."""
    step = await add(hass, library, addresses=COLLECTOR)
    assert step["type"] is FlowResultType.SHOW_PROGRESS
    await hass.config_entries.async_remove(library.entry_id)
    async with asyncio.timeout(5):
        while step["type"] is FlowResultType.SHOW_PROGRESS:
            await asyncio.sleep(0.01)
            step = await hass.config_entries.subentries.async_configure(step["flow_id"])
    assert (step["type"], step["reason"]) == (FlowResultType.ABORT, "added")
    assert step["description_placeholders"] == {"name": "My collection", "known": "0"}


async def test_leaving_the_progress_does_not_end_the_reading(
    hass: HomeAssistant,
    library: MockConfigEntry,
    large: IndexerSimulator,
    monkeypatch: pytest.MonkeyPatch,
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
    assert result["reason"] == "no_indexer"
