"""Test documents that are given to actions: those of a stranger, as large as an API of Home Assistant lets in."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
import gc
import logging
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..client.timing import most_memory, worst_stall
from ..displays import ENTITY_ID, playlist
from ..simulators.display import DisplaySimulator

MOST_SECONDS = 0.1
MOST_MEMORY = 64 * 1024 * 1024


def nested(levels: int) -> Any:
    """Return an object of so many levels."""
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def page(text: str) -> Any:
    """Return a playlist of a page."""
    items = [{"source": f"data:text/html,{text}", "license": "open", "duration": 60}]
    return {**playlist("Dawn"), "items": items}


type Measure = Callable[[Callable[[], Awaitable[None]]], Awaitable[float]]


def made[T](make: Callable[[], T]) -> T:
    """Make what is large, and keep it out of collections, which would take longer than what is measured."""
    gc.collect()
    gc.disable()
    try:
        return make()
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def stall(
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
) -> Measure:
    """Return how to measure for how many seconds a call blocks the loop of a home with a display."""
    # At the level of debug, Home Assistant itself writes the data of each call, several times.
    caplog.set_level(logging.WARNING)
    caplog.set_level(logging.WARNING, "homeassistant.core")
    display.caster.preflight = False

    async def measure(call: Callable[[], Awaitable[None]]) -> float:
        """Call, once the loop turns."""

        async def call_later() -> None:
            await asyncio.sleep(0.01)
            await call()

        asyncio.get_running_loop().set_debug(False)
        return await worst_stall(call_later, MOST_SECONDS)

    return measure


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
    "halves of lent addresses": lambda: page("/api/dp1/media" * 4_000),
    "lent addresses": lambda: page(f"/api/dp1/media?token={'x' * 43}" * 60_000),
}  # fmt: skip
VALID = {"addresses of 4 MB", "halves of lent addresses", "lent addresses"}


@pytest.mark.parametrize(
    ("action", "name"),
    [
        *(("validate_playlist", name) for name in DOCUMENTS),
        ("cast_playlist", "900 levels"),
        ("cast_playlist", "lent addresses"),
    ],
)
async def test_large_documents(
    hass: HomeAssistant, stall: Measure, action: str, name: str
) -> None:
    """A document of a member of the household holds nobody up, whether it is refused or not."""
    data = {"playlist": made(DOCUMENTS[name])}
    if action == "cast_playlist":
        data["entity_id"] = ENTITY_ID
    answers: list[Any] = []

    async def call() -> None:
        try:
            answers.append(
                await hass.services.async_call(
                    "dp1", action, data, blocking=True, return_response=True
                )
            )
        except HomeAssistantError as err:
            answers.append(err.translation_key)

    assert await stall(call) < MOST_SECONDS
    assert await most_memory(call) < MOST_MEMORY
    match answers[0]:
        case {"errors": errors}:
            assert isinstance(errors, list) and len(errors) <= 100
            assert bool(errors) is (name not in VALID)
        case refusal:
            is_refused = refusal in ("playlist_invalid", "playlist_not_accepted")
            assert is_refused is (name not in VALID), refusal


TAKEN = "a page that displays take"
IDS: dict[str, Callable[[], str]] = {
    "places": lambda: "https://a.example/1#dp1&" + "a=1&" * 3_000_000,
    "a page": lambda: "data:text/html," + "é" * 6_000_000,
    "escapes": lambda: "data:text/html," + "%" * 13_000_000,
    "a document": lambda: "{" + '"a":{},' * 1_800_000 + "}",
    "blanks": lambda: "data:text/html," + " " * 13_000_000,
    TAKEN: lambda: "data:text/html," + "x" * 3_000_000,
    "a link": lambda: "https://opensea.io/" + "a/" * 6_000_000,
}


@pytest.mark.parametrize(
    ("action", "name"),
    [
        *(("play_media", name) for name in IDS),
        ("cast_playlist", "a page"),
        ("show_message", "a page"),
    ],
)
async def test_large_ids(
    hass: HomeAssistant,
    display: DisplaySimulator,
    stall: Measure,
    action: str,
    name: str,
) -> None:
    """A media id holds nobody up either, nor is it sent to the display."""
    field = "image" if action == "show_message" else "media_content_id"
    data = {"entity_id": ENTITY_ID, field: made(IDS[name])}
    domain = "dp1"
    if action == "play_media":
        domain = "media_player"
        data["media_content_type"] = ""

    async def call() -> None:
        with nullcontext() if name == TAKEN else pytest.raises(HomeAssistantError):
            await hass.services.async_call(domain, action, data, blocking=True)

    assert await stall(call) < MOST_SECONDS
    assert bool(display.writes) is (name == TAKEN)
