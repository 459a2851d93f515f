"""An address of a collection is in the configuration entry, and in what the indexer is asked, and nowhere else."""

from collections.abc import AsyncIterator
from dataclasses import asdict
import json
import logging
import re
from typing import Any

import aiohttp
import pytest
from pytest_homeassistant_custom_component.components.diagnostics import (
    get_diagnostics_for_config_entry,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.browse.pages import async_browse_library
from custom_components.dp1.client import retry
from custom_components.dp1.client.indexer import client
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import Event, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component

from tests.collections import (
    E1,
    E2,
    SUBENTRY,
    T1,
    collection_of,
    now,
    set_up_collection,
)
from tests.displays import until
from tests.houses import House
from tests.simulators.indexer import Fault, IndexerSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

ADDRESSES = re.compile("|".join((E1[2:], E2[2:], T1)), re.IGNORECASE)
NODE = f"collection/{SUBENTRY}"
LEAKS = (
    {"name": f"Gift for {E1}"},
    {"description": f"Minted by {T1.lower()}, to be seen at x.example/{E2.upper()}"},
    {"artists": [{"did": f"did:pkh:eip155:1:{E1.lower()}", "name": E1.lower()}]},
    {"image_url": f"https://media.example/{E1}/1.png"},
    {"animation_url": f"https://media.example/?owner={E2[2:]}"},
)


@pytest.fixture
async def indexer(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[IndexerSimulator]:
    """Run an indexer that repeats addresses wherever it can."""
    monkeypatch.setattr(client, "PAUSE", 0.01)
    monkeypatch.setattr(retry, "FIRST_PAUSE", 0.01)
    async with IndexerSimulator() as running:
        for record, leak in zip(running.own(E1, len(LEAKS)), LEAKS, strict=True):
            record["display"] |= leak
        yield running


def found_in(what: object) -> list[str]:
    """Return where an address is in a thing, whatever its case."""
    told = what if isinstance(what, str) else json.dumps(what, default=str)
    return [
        told[max(0, match.start() - 60) : match.end()]
        for match in ADDRESSES.finditer(told)
    ]


async def test_nobody_sees_an_address(
    hass: HomeAssistant,
    indexer: IndexerSimulator,
    hass_client: ClientSessionGenerator,
    hass_storage: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither states, events, logs, files and diagnostics nor displays have one, whatever the indexer does."""
    caplog.set_level(logging.DEBUG, "custom_components.dp1")
    seen: list[Any] = []

    async def note(event: Event[Any]) -> None:
        seen.append(event.as_dict())

    hass.bus.async_listen("*", note)
    assert await async_setup_component(hass, "diagnostics", {})
    entry = await set_up_collection(hass, indexer.url, E1, E2, T1, keep_current=True)
    collection = collection_of(entry)
    await until(lambda: collection.list.complete)
    media_id = f"media-source://dp1/{entry.entry_id}/{NODE}"
    async with House.of(hass, "wall") as house:
        wall = house.walls["wall"]
        await house.show("wall", media_content_id=media_id, limit=100)
        shown = len(wall.state.items)
        assert shown > 5
        for _ in range(shown):
            await house.do("media_next_track", "wall")
        found = {"query": "gift"}
        seen.append(
            await hass.services.async_call(
                "dp1", "search", found, blocking=True, return_response=True
            )
        )
        browsed = await async_browse_library(hass, media_id, str)
        seen.append(browsed.as_dict())
        for fault in (
            Fault(429, f"{E1} is too busy", times=None),
            Fault(422, json.dumps({"errors": [{"message": E1}]}), times=None),
            Fault(500, f"<html>{T1}</html>", times=None),
            Fault(
                200, json.dumps({"errors": [{"message": E2}], "data": None}), times=None
            ),
            Fault(200, f'{{"owner": "{E1}', times=None),
        ):
            indexer.faults = [fault]
            indexer.acquire(E2, indexer.records[2], now(seconds=1))
            await collection.async_refresh()
            assert collection.problem is not None or collection.next_read
            seen.append(entry.runtime_data.problem_text)
        indexer.faults = []
        indexer.release(E1, indexer.records[-5])
        indexer.acquire(E1, indexer.records[3], now(seconds=2))
        await collection.async_refresh()
        await hass.async_block_till_done()
        with pytest.raises(HomeAssistantError) as err:
            await house.play("wall", f"{media_id}x")
        seen.append(repr(err.value))
        told = await get_diagnostics_for_config_entry(hass, hass_client, entry)
        assert '"addresses": 3' in json.dumps(told)
        seen.append(told)
        # What the display was ever sent, and what it tells anybody on the network.
        assert not found_in([asdict(record) for record in wall.received])
        async with (
            aiohttp.ClientSession() as session,
            session.post(
                f"{wall.url}/api/cast", json={"command": "checkStatus", "request": {}}
            ) as answer,
        ):
            status = await answer.text()
        assert "Tidal Ledger" in status
        assert not found_in(status)
        assert not found_in([state.as_dict() for state in hass.states.async_all()])
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    await hass.config_entries.async_unload(entry.entry_id)
    await hass.async_block_till_done()
    kept = {
        name: data
        for name, data in hass_storage.items()
        if name != "core.config_entries"
    }
    assert any(SUBENTRY in name for name in kept)
    assert not found_in(kept)
    assert not found_in(seen)
    assert not found_in(caplog.text)
    # They were asked for, after all.
    assert found_in([query.arguments for query in indexer.asked])
    assert not indexer.authorized
