"""A fault, and what came of it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from inspect import isawaitable
import json
import logging
import os
import re
from typing import Any

import pytest

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..displays import ENTITY_ID, until
from ..simulators.display import DisplaySimulator
from ..sources import INTEGRATION, PACKAGE

MOST_STALL = 0.2
MOST_LINES = 1
TEXTS: dict[str, dict[str, str]] = json.loads(
    (INTEGRATION / "translations" / "en.json").read_text("utf-8")
)["exceptions"]
# Set by `scripts/faults`, at night: more kills, and a larger crowd.
IS_REAL = os.environ.get("DP1_FAULTS") == "real"


@dataclass
class Home:
    """A Home Assistant with what is attacked.

    Attributes:
        display: a display that is set up.
        sent: counts the requests that change something.
        reset: what makes it as it was before the first fault.
    """

    hass: HomeAssistant
    display: DisplaySimulator
    sent: Callable[[], int]
    reset: Callable[[], Awaitable[None]]

    @property
    def shown(self) -> str:
        """What the media player says."""
        state = self.hass.states.get(ENTITY_ID)
        if state is None:
            return "no entity"
        return f"{state.state} {state.attributes.get('media_title', '')}".strip()

    async def call(self, action: str, response: bool = True, **data: Any) -> Any:
        return await self.hass.services.async_call(
            *action.split("."), data, blocking=True, return_response=response
        )

    async def cast(self, **data: Any) -> str:
        """Cast to the display; return what a person sees."""
        await self.call(
            "dp1.cast_playlist", response=False, entity_id=ENTITY_ID, **data
        )
        return f"shows {self.display.state.playlist_title}"

    async def until_shown(self, text: str) -> str:
        """Wait until the media player says something."""
        await until(lambda: self.shown == text)
        return self.shown


type Step = Callable[[Any], Awaitable[Any] | Any]


@dataclass(frozen=True)
class Fault:
    """One way to go wrong.

    Attributes:
        name: what is attacked, and how.
        reads: expression that what is read fits, with the key of its translation before it.
        strike: lets it go wrong.
        act: what a person does meanwhile; returns what there is to see, unless it fails.
        heal: lets it be well again.
        works: raises as long as nothing works.
        sends: requests that change something which ``act`` may send.
    """

    name: str
    reads: str
    strike: Step
    act: Step
    heal: Step
    works: Step
    sends: int = 1


# Their lines are about what is no fault, or come beside ours.
OTHERS = (
    "homeassistant.helpers.storage",
    "homeassistant.loader",
    "homeassistant.util.file",
    "homeassistant.util.json",
)


def text_of(err: HomeAssistantError) -> str:
    """Return what a person reads of an error."""
    if err.translation_key in TEXTS:
        message = TEXTS[err.translation_key]["message"]
        return message.format(**(err.translation_placeholders or {}))
    return str(err)


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what a person finds in the log."""
    return [
        f"{record.levelname} {record.getMessage()}"
        for record in caplog.records
        if record.levelno >= logging.WARNING
        and record.name.startswith((PACKAGE, "homeassistant", "asyncio"))
        and record.name not in OTHERS
        # A machine that is busy is no fault.
        and not record.getMessage().startswith("Executing ")
    ]


async def _do(step: Step, home: Home) -> Any:
    """Take a step that may or may not take time."""
    done = step(home)
    return await done if isawaitable(done) else done


async def run(fault: Fault, home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """Let a fault strike: the text fits, the log has a line at most, nothing is sent twice, and all works again."""
    await home.reset()
    await home.hass.async_block_till_done()
    caplog.clear()
    before, key = home.sent(), ""
    await _do(fault.strike, home)
    try:
        reads = str(await _do(fault.act, home))
    except HomeAssistantError as err:
        key, reads = err.translation_key or "", text_of(err)
    assert re.search(fault.reads, f"{key} {reads}".strip(), re.DOTALL)
    assert home.sent() - before <= fault.sends
    await _do(fault.heal, home)
    async with asyncio.timeout(30):
        while True:
            with suppress(HomeAssistantError, AssertionError, TimeoutError):
                await _do(fault.works, home)
                break
            await asyncio.sleep(0.1)
    assert len(lines := logged(caplog)) <= MOST_LINES, lines


# Long waits say when a fault is noticed, and nothing of what is done about it.
SHORT: dict[str, Any] = {
    "client.catalog.client.TIMEOUT_SECONDS": 3.0,
    "client.retry.FIRST_PAUSE": 0.05,
    "client.display.transport._TIMEOUTS": {},
    "client.display.transport._TIMEOUT": 3.0,
    "client.display.transport._BACKOFF": 0.05,
    "client.feed.connection.READ_TIMEOUT": 1.0,
    "client.feed.connection.WRITE_TIMEOUT": 1.0,
    "library.shelf.SAVE_DELAY": 0.3,
    "addresses.SAVE_DELAY": 0.3,
    "display.wall.SAVE_DELAY": 0.3,
}
# The same of the integration itself.
TIMING = {
    "picture_timeout": 1.0,
    "loss_patience": 0.3,
    "read_cooldown": 0.1,
    "document_timeout": 1.0,
    "read_retry": 0.2,
    "pace": 25.0,
    "picture_retry": 0.2,
    "last_retry": 1.0,
}


def shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait long before a fault is noticed."""
    for name, value in SHORT.items():
        monkeypatch.setattr(f"{PACKAGE}.{name}", value)
