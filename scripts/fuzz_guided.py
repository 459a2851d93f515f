"""Feed the parsers of external data with bytes, guided by which code they reach; an own process for each parser."""

import argparse
import json
import logging
from pathlib import Path
import re
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any, override

import atheris  # type: ignore[import-not-found]

import homeassistant  # isort: skip  # noqa: F401  (puts its own voluptuous in place before anybody imports it)

with atheris.instrument_imports(include=["custom_components.dp1"]):
    from tests.fuzzing import (
        TARGETS,
        Spoiler,
        as_json,
        parse_case,
        problem_of,
        samples_of,
    )

# In bytes: what is larger is the business of the other fuzzer, and slow to guide.
MOST_BYTES = 8192
_COVERAGE = re.compile(r"cov: (\d+)")


class Given(Spoiler):
    """Leaves bytes as they were given."""

    def __init__(self, body: bytes) -> None:
        """Initialize with the bytes."""
        super().__init__(0)
        self._body, self.size = body, len(body)

    @override
    def raw(self, body: bytes) -> bytes:
        """Return the given bytes."""
        return self._body


def _case(body: bytes) -> Any:
    """Return what the bytes are as JSON."""
    try:
        return json.loads(body)
    except ValueError, RecursionError:
        return {}


def _run(name: str, cases: int) -> None:
    """Run one target until a case breaks it; this ends the process."""
    logging.disable(logging.CRITICAL)

    def take(body: bytes) -> None:
        """Raise what is wrong with a case."""
        if problem := problem_of(lambda: parse_case(name, _case(body), Given(body))):
            raise RuntimeError(problem)

    with TemporaryDirectory() as folder:
        for number, sample in enumerate(samples_of(name)):
            Path(folder, str(number)).write_bytes(as_json(sample))
        options = [
            f"-runs={cases}",
            f"-max_len={MOST_BYTES}",
            "-artifact_prefix=.cache/",
        ]
        atheris.Setup([sys.argv[0], *options, folder], take)
        atheris.Fuzz()


def main() -> int:
    """Run all targets; return 1 if anything fails."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz --guided", description=__doc__)
    parser.add_argument("--cases", type=int, default=5000, help="each (5000)")
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=[*TARGETS])
    parser.add_argument("--target", choices=TARGETS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.target:
        _run(options.target, options.cases)
    broken = 0
    for name in options.only:
        arguments = ["--target", name, "--cases", str(options.cases)]
        found = subprocess.run(
            [sys.executable, "-m", "scripts.fuzz_guided", *arguments],
            check=False,
            capture_output=True,
            text=True,
        )
        reached = [int(each) for each in _COVERAGE.findall(found.stderr)] or [0]
        outcome = "broken" if found.returncode else "OK"
        print(
            f"{name:15} {options.cases:7} cases, branches {reached[0]:5} -> {reached[-1]:5}  {outcome}",
            flush=True,
        )
        if found.returncode:
            broken += 1
            print(f"{found.stdout[-1500:]}{found.stderr[-1500:]}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
