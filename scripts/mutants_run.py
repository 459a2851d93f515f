"""Break the code in chosen places, one by one in a copy of the project, and tell which test notices."""

import argparse
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
import os
from pathlib import Path
from queue import SimpleQueue
import re
import shutil
import signal
import subprocess
import sys
from tempfile import TemporaryDirectory
import time
from typing import NamedTuple

from .mutants_places import PLACES, ROOT, SOURCE, Place

# A broken test run is one that never ends, too.
MAX_SECONDS = 300
FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/\S+?)(?:\[.*|\s.*)?$", re.MULTILINE)
PARTS = ("custom_components", "scripts", "tests", "pyproject.toml")


class Outcome(NamedTuple):
    """What became of a broken place: the test that noticed it, if any, and the seconds."""

    place: Place
    noticed_by: str | None
    seconds: float


def run_tests(checkout: Path, tests: list[str]) -> tuple[int | None, str]:
    """Run tests until the first fails; return the exit code and the output, None if they did not end."""
    command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *tests]
    with subprocess.Popen(
        command,
        cwd=checkout,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=MAX_SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            return None, ""
        return process.returncode, output


def break_place(checkout: Path, place: Place) -> Outcome:
    """Break one place, run its tests, and mend it."""
    path = checkout / SOURCE / place.file
    source = path.read_text()
    started = time.monotonic()
    path.write_text(place.broken(source))
    try:
        code, output = run_tests(checkout, place.tests)
    finally:
        path.write_text(source)
    noticed_by = None
    if code is None:
        noticed_by = "the time that passes"
    elif code == 1 and (failed := FAILED.search(output)):
        noticed_by = failed[1]
    elif code != 0:
        print(output[-3000:], file=sys.stderr)
    return Outcome(place, noticed_by, time.monotonic() - started)


def main() -> int:
    """Run; end with 1 if a place was broken and no test noticed, or a test fails by itself."""
    parser = argparse.ArgumentParser(prog="scripts/mutants", description=__doc__)
    parser.add_argument("--only", nargs="+", help="part of a file or of what is broken")
    parser.add_argument("--jobs", type=int, default=2, help="at a time (2)")
    options = parser.parse_args()
    places = [
        place
        for place in PLACES
        if not options.only
        or any(text in f"{place.file} {place.what}" for text in options.only)
    ]
    outcomes = []
    with TemporaryDirectory() as folder:
        free: SimpleQueue[Path] = SimpleQueue()
        for number in range(options.jobs):
            copy_project(checkout := Path(folder) / str(number))
            free.put(checkout)

        def work(place: Place) -> Outcome:
            """Break a place in a copy that is free."""
            checkout = free.get()
            try:
                return break_place(checkout, place)
            finally:
                free.put(checkout)

        with ThreadPoolExecutor(options.jobs) as pool:
            for outcome in pool.map(work, places):
                outcomes.append(outcome)
                print(line(outcome), flush=True)
        noticing = sorted(
            {o.noticed_by for o in outcomes if o.noticed_by and "::" in o.noticed_by}
        )
        code, output = run_tests(free.get(), noticing) if noticing else (0, "")
    survived = sum(outcome.noticed_by is None for outcome in outcomes)
    print(f"{len(outcomes)} places, {survived} survived")
    if code != 0:
        print(f"{output[-3000:]}\nthese tests fail by themselves")
    return 1 if survived or code != 0 else 0


def copy_project(checkout: Path) -> None:
    """Copy what tests need."""
    for name in PARTS:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, checkout / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, checkout / name)


def line(outcome: Outcome) -> str:
    """Return a line of the table."""
    place = outcome.place
    return (
        f"{place.file:31} {place.what:42} {outcome.seconds:5.0f} s  "
        f"{outcome.noticed_by or 'SURVIVED'}"
    )


if __name__ == "__main__":
    sys.exit(main())
