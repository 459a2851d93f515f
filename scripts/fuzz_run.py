"""Feed all parsers of external data with malformed input, and print the failures."""

import argparse
from random import randrange
import sys
import time

import homeassistant  # isort: skip  # noqa: F401  (puts its own voluptuous in place before anybody imports it)
from tests.fuzzing import TARGETS, fuzz

SHOWN = 5


def main() -> int:
    """Run; return 1 if anything fails."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="in all (10000)")
    parser.add_argument("--seed", type=int, help="of the first case; random by default")
    parser.add_argument("--only", nargs="+", choices=sorted(TARGETS))
    options = parser.parse_args()
    seed = randrange(2**32) if options.seed is None else options.seed
    names = options.only or list(TARGETS)
    each = max(1, options.cases // len(names))
    print(f"seed {seed}, {each} cases each", flush=True)
    broken = 0
    for name in names:
        started = time.monotonic()
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
