"""A fault, and what came of it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from inspect import isawaitable
import json
import logging
import os
from pathlib import Path
import re
import time
from typing import Any

import pytest
import yaml

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..displays import ENTITY_ID, until
from ..simulators.display import DisplaySimulator
from ..sources import INTEGRATION, PACKAGE
from .watch import Watch

from tests.timing import Timing

MOST_STALL = 0.2
MOST_MEMORY = 64 * 1024 * 1024
MOST_SECONDS = 5.0
MOST_LINES = 1
TEXTS: dict[str, dict[str, str]] = json.loads(
    (INTEGRATION / "translations" / "en.json").read_text("utf-8")
)["exceptions"]


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

    async def until_shown(self, text: str, seconds: float = MOST_SECONDS) -> str:
        """Wait until the media player says something."""
        await until(lambda: self.shown == text, seconds)
        return self.shown


type Step = Callable[[Any], Awaitable[Any] | Any]


@dataclass(frozen=True)
class Fault:
    """One way to go wrong.

    Attributes:
        target: what is attacked.
        name: how.
        strike: lets it go wrong.
        act: what a person does meanwhile; returns what there is to see, unless it fails.
        reads: expression that what is read fits, with the key of its translation before it.
        heal: lets it be well again.
        works: raises as long as nothing works.
        sends: requests that change something which ``act`` may send.
    """

    target: str
    name: str
    reads: str
    strike: Step
    act: Step
    heal: Step
    works: Step
    sends: int = 1


@dataclass(frozen=True)
class Row:
    """What came of a fault; times in seconds, memory in bytes."""

    target: str
    name: str
    key: str
    reads: str
    lines: list[str]
    stall: float
    memory: int
    seconds: float
    sent: int
    misses: list[str]


# Set by `scripts/faults`.
IS_REAL = os.environ.get("DP1_FAULTS") == "real"
TABLE = yaml.safe_load((Path(__file__).parent / "faults.yaml").read_text())


def faults_of(section: str, **makers: Callable[..., Fault]) -> Iterator[Fault]:
    """Yield the faults of a section of the table, each made by its maker; in the suite one for each text, as tests of the client have the others."""
    for name, rows in TABLE[section].items():
        read = set()
        for row in rows:
            details = row[-1] if isinstance(row[-1], dict) else {}
            fault = makers[name](*row[: len(row) - bool(details)], **details)
            if IS_REAL or fault.reads not in read:
                read.add(fault.reads)
                yield fault


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
    ]


def _misses(fault: Fault, row: Row) -> list[str]:
    reads = f"{row.key} {row.reads}".strip()
    goals = (
        (f"reads {reads!r}", re.search(fault.reads, reads, re.DOTALL)),
        (f"lines {row.lines}", len(row.lines) <= MOST_LINES),
        (f"stall {row.stall:.3f} s", row.stall <= MOST_STALL),
        (f"memory {row.memory >> 20} MB", row.memory <= MOST_MEMORY),
        (f"works after {row.seconds:.1f} s", row.seconds <= MOST_SECONDS),
        (f"sent {row.sent} times", row.sent <= fault.sends),
    )
    return [text for text, met in goals if not met]


async def _do(step: Step, home: Home) -> Any:
    """Take a step that may or may not take time."""
    done = step(home)
    return await done if isawaitable(done) else done


async def _until_it_works(fault: Fault, home: Home) -> float:
    """Return how long it takes until all works again, twice the goal at most."""
    started = time.monotonic()
    while (seconds := time.monotonic() - started) < 2 * MOST_SECONDS:
        with suppress(HomeAssistantError, AssertionError, TimeoutError):
            await _do(fault.works, home)
            return time.monotonic() - started
        await asyncio.sleep(0.1)
    return seconds


async def run(fault: Fault, home: Home, caplog: pytest.LogCaptureFixture) -> Row:
    """Let a fault strike, and see what comes of it."""
    await home.reset()
    await home.hass.async_block_till_done()
    caplog.clear()
    before, key = home.sent(), ""
    async with Watch() as watch:
        await _do(fault.strike, home)
        try:
            reads = str(await _do(fault.act, home))
        except HomeAssistantError as err:
            key, reads = err.translation_key or "", text_of(err)
        except TimeoutError:
            reads = f"nothing; {home.shown}"
    sent = home.sent() - before
    await _do(fault.heal, home)
    seconds = await _until_it_works(fault, home)
    row = Row(
        target=fault.target,
        name=fault.name,
        key=key,
        reads=reads,
        lines=logged(caplog),
        stall=watch.stall,
        memory=watch.memory,
        seconds=seconds,
        sent=sent,
        misses=[],
    )
    return replace(row, misses=_misses(fault, row))


# Long waits say when a fault is noticed, and nothing of what is done about it.
SHORT: dict[str, Any] = {
    "client.catalog.client.TIMEOUT_SECONDS": 3.0,
    "client.retry.FIRST_PAUSE": 0.05,
    "client.display.transport._TIMEOUTS": {},
    "client.display.transport._TIMEOUT": 3.0,
    "client.feed.connection.READ_TIMEOUT": 1.0,
    "client.feed.connection.WRITE_TIMEOUT": 1.0,
    "library.shelf.SAVE_DELAY": 0.3,
    "storage.FIRST_RETRY": 0.3,
    "addresses.SAVE_DELAY": 0.3,
    "display.wall.SAVE_DELAY": 0.3,
}
# What a person waits for once all is well again: shortened in the suite, real in the table.
SHORT_IN_SUITE: dict[str, Any] = {"client.display.transport._BACKOFF": 0.05}


# The same of the integration itself.
TIMING = {
    "picture_timeout": 1.0,
    "loss_patience": 0.3,
    "read_cooldown": 0.1,
    "document_timeout": 1.0,
    "read_retry": 0.2,
}
TIMING_IN_SUITE = dict(TIMING, pace=25.0, picture_retry=0.2, last_retry=1.0)


def timing() -> Timing:
    """Return the delays of the integration."""
    return TIMING if IS_REAL else TIMING_IN_SUITE


def shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait long before a fault is noticed."""
    for name, value in (SHORT if IS_REAL else SHORT | SHORT_IN_SUITE).items():
        monkeypatch.setattr(f"{PACKAGE}.{name}", value)
