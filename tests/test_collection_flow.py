"""Adding and changing a collection."""

from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.client import retry
from custom_components.dp1.client.errors import NotFoundError, TemporaryError
from custom_components.dp1.client.indexer import client
from custom_components.dp1.flows import subentries
from homeassistant.core import HomeAssistant

from .collections import E1, E2, NOWHERE, T1, collection_of
from .displays import until
from .flows import CREATED, begin_part, fill, outcome
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
    form = await begin_part(hass, entry.entry_id, "collection")
    assert form["description_placeholders"] == {"indexer": "127.0.0.1"}
    values = {"name": "My collection", **values}
    flow = hass.config_entries.subentries
    return await flow.async_configure(form["flow_id"], values)


def ask(hass: HomeAssistant, library: MockConfigEntry, indexer_url: str) -> None:
    """Let the library ask an indexer."""
    options = {"indexer_url": indexer_url}
    hass.config_entries.async_update_entry(library, options=options)


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

    monkeypatch.setattr(subentries, "look_up_name", look_up)
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


async def test_without_an_indexer(hass: HomeAssistant) -> None:
    """A library without an indexer has no collections."""
    entry = await set_up(hass, library_entry(NOWHERE, options={"indexer_url": ""}))
    form = await begin_part(hass, entry.entry_id, "collection")
    assert outcome(form) == "no_indexer"
