"""Test documents that are given to actions: those of a stranger, as large as an API of Home Assistant lets in."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
import logging
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..client.timing import most_memory, worst_stall
from ..displays import ENTITY_ID, playlist
from ..faults.watch import frozen
from ..simulators.display import DisplaySimulator

MOST_SECONDS = 0.1
MOST_MEMORY = 64 * 1024 * 1024


def nested(levels: int) -> Any:
    """Return an object of so many levels."""
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    return value


# Made when they are needed: hundreds of megabytes would slow every test of the process down.
DOCUMENTS: dict[str, Callable[[], Any]] = {
    "texts of 13 MB": lambda: playlist(*["x" * 13_000] * 1000),
    "a million objects": lambda: {**playlist("Dawn"), "more": [{} for _ in range(1_000_000)]},
    "objects in lists": lambda: {**playlist("Dawn"), "more": [[{"a": 1} for _ in range(1000)] for _ in range(1000)]},
    "a million names": lambda: {**playlist("Dawn"), "more": {str(n): n for n in range(1_000_000)}},
    "900 levels": lambda: {**playlist("Dawn"), "more": nested(900)},
    "faults in all works": lambda: {**playlist("Dawn"), "items": [{"source": 7, "license": "x", "id": 1}] * 15_000},
    "faults in a table": lambda: {**playlist("Dawn"), "defaults": {"display": {"userOverrides": dict.fromkeys(map(str, range(40_000)), 7)}}},
    "JSON of 13 MB": lambda: "{" + " " * 13_000_000 + "}",
    "JSON of 10,000 levels": lambda: '{"a":' * 10_000 + "1" + "}" * 10_000,
    "addresses of 4 MB": lambda: {**playlist("Dawn"), "more": "http://a " * 440_000},
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("action", ["validate_playlist", "cast_playlist"])
async def test_large_documents(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    action: str,
    name: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A document of a member of the household holds nobody up, whether it is refused or not."""
    # At the level of debug, Home Assistant itself writes the data of each call, several times.
    caplog.set_level(logging.WARNING)
    caplog.set_level(logging.WARNING, "homeassistant.core")
    data = {"playlist": DOCUMENTS[name]()}
    if action == "cast_playlist":
        data["entity_id"] = ENTITY_ID
    answers: list[Any] = []

    async def call() -> None:
        """Call the action, and let the loop turn."""
        await asyncio.sleep(0.01)
        try:
            answers.append(
                await hass.services.async_call(
                    "dp1", action, data, blocking=True, return_response=True
                )
            )
        except HomeAssistantError as err:
            answers.append(err.translation_key)

    display.caster.preflight = False
    hass.loop.set_debug(False)
    with frozen():
        assert await worst_stall(call) < MOST_SECONDS
    assert await most_memory(call) < MOST_MEMORY
    match answers[0]:
        case {"errors": errors}:
            assert isinstance(errors, list) and len(errors) <= 100
            assert bool(errors) is (name != "addresses of 4 MB")
        case refusal:
            is_refused = refusal == "playlist_invalid"
            assert is_refused is (name != "addresses of 4 MB"), refusal


IDS: dict[str, Callable[[], str]] = {
    "places": lambda: "https://a.example/1#dp1&" + "a=1&" * 3_000_000,
    "a page": lambda: "data:text/html," + "é" * 6_000_000,
    "escapes": lambda: "data:text/html," + "%" * 13_000_000,
    "a document": lambda: "{" + '"a":{},' * 1_800_000 + "}",
    "blanks": lambda: "data:text/html," + " " * 13_000_000,
    "a page that displays take": lambda: "data:text/html," + "x" * 3_000_000,
    "a link": lambda: "https://opensea.io/" + "a/" * 6_000_000,
}


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize(
    "action", ["dp1.cast_playlist", "media_player.play_media", "dp1.show_message"]
)
async def test_large_ids(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    action: str,
    name: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A media id holds nobody up either, nor is it sent to the display."""
    caplog.set_level(logging.WARNING)
    caplog.set_level(logging.WARNING, "homeassistant.core")
    domain, _, service = action.partition(".")
    field = "image" if service == "show_message" else "media_content_id"
    if name == "a page that displays take" and service == "show_message":
        pytest.skip("The page of a message has escapes of its own")
    data = {"entity_id": ENTITY_ID, field: IDS[name]()}
    if domain == "media_player":
        data["media_content_type"] = ""

    is_taken = name == "a page that displays take"

    async def call() -> None:
        """Call the action, and let the loop turn."""
        await asyncio.sleep(0.01)
        with nullcontext() if is_taken else pytest.raises(HomeAssistantError):
            await hass.services.async_call(domain, service, data, blocking=True)

    display.caster.preflight = False
    hass.loop.set_debug(False)
    with frozen():
        assert await worst_stall(call) < MOST_SECONDS
    assert bool(display.writes) is is_taken
