"""Feed all parsers of external data with malformed input, and print the failures."""

import argparse
import asyncio
import logging
from random import randrange
import sys
import time
from unittest.mock import patch

import homeassistant  # isort: skip  # noqa: F401  (puts its own voluptuous in place before anybody imports it)
from custom_components.dp1.displays import async_displays
from homeassistant.helpers.entity import Entity
from homeassistant.setup import async_setup_component
from scripts.benchmark_run import _home

from tests.displays import DEVICE_ID, entry_of, set_up, until
from tests.fuzzing import TARGETS, Finding, FuzzedDisplay, fuzz, fuzz_states
from tests.simulators.display import DisplaySimulator

SHOWN = 5
STATES = "states"


async def _fuzz_states(cases: int, seed: int) -> list[Finding]:
    """Give spoiled pushes to a display of a running Home Assistant, whose entities are all enabled."""
    enabled = patch.object(Entity, "entity_registry_enabled_default", True)
    async with (
        _home() as hass,
        DisplaySimulator(profile="B", device_id=DEVICE_ID) as simulator,
    ):
        await async_setup_component(hass, "homeassistant", {})
        with enabled:
            await set_up(hass, entry_of(simulator))
        (display,) = async_displays(hass)
        await until(lambda: display.data.player)
        fuzzed = FuzzedDisplay(hass, display)
        found = list(fuzz_states(fuzzed, cases, seed))
        print(f"the largest attributes have {fuzzed.attributes} bytes")
        await hass.async_block_till_done()
        return found


def main() -> int:
    """Run; return 1 if anything fails."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="in all (10000)")
    parser.add_argument("--seed", type=int, help="of the first case; random by default")
    parser.add_argument("--only", nargs="+", choices=[*TARGETS, STATES])
    options = parser.parse_args()
    seed = randrange(2**32) if options.seed is None else options.seed
    names = options.only or [*TARGETS, STATES]
    logging.disable(logging.CRITICAL)
    each = max(1, options.cases // len(names))
    print(f"seed {seed}, {each} cases each", flush=True)
    broken = 0
    for name in names:
        started = time.monotonic()
        if name == STATES:
            found = asyncio.run(_fuzz_states(each, seed))
        else:
            found = list(fuzz(name, each, seed))
        broken += len(found)
        seconds = time.monotonic() - started
        print(
            f"{name:15} {each:7} cases {seconds:7.1f} s {len(found):6} broken",
            flush=True,
        )
        for finding in found[:SHOWN]:
            print(
                f"  --only '{name}' --cases 1 --seed {finding.seed}: {finding.problem}"
            )
            print(f"    {finding.case[:300]}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
