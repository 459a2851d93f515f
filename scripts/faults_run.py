"""Run ``tests/test_faults.py`` with the real pauses, and print the outcome of each fault as a Markdown table."""

import os
from pathlib import Path
import sys
from typing import Any

import pytest

TESTS = Path(__file__).parents[1] / "tests" / "test_faults.py"
TEXT_WIDTH = 120


class Rows:
    """Collects the rows that the tests record."""

    def __init__(self) -> None:
        """Initialize without rows."""
        self.rows: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the rows of a target."""
        if report.when == "call" and not hasattr(report, "context"):
            for _, row in report.user_properties:
                assert isinstance(row, dict)
                self.rows.append(row)


def _cell(text: str) -> str:
    """Return text as one short line."""
    line = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return line if len(line) <= TEXT_WIDTH else f"{line[: TEXT_WIDTH - 1]}…"


def _print(rows: list[dict[str, Any]]) -> None:
    """Print the table."""
    print(
        "| target | fault | what the user reads | log lines | stall, ms | memory, MB | works again, s | sent | |\n"
        "| --- | --- | --- | --: | --: | --: | --: | --: | --- |"
    )
    for row in rows:
        print(
            f"| {row['target']} | {row['name']} | {_cell(row['reads'])} | {len(row['lines'])}"
            f" | {row['stall'] * 1000:.0f} | {row['memory'] >> 20} | {row['seconds']:.1f} | {row['sent']}"
            f" | {_cell('; '.join(row['misses'])) or 'ok'} |"
        )
    missed = sum(bool(row["misses"]) for row in rows)
    print(f"\n{len(rows)} faults, {missed} miss a goal")


def main() -> int:
    """Run the targets one after the other."""
    os.environ["DP1_FAULTS"] = "real"
    rows = Rows()
    options = ["-q", "-p", "no:cacheprovider", "--no-header", "--tb=short"]
    outcome = pytest.main(
        [*options, "--show-capture=no", str(TESTS), *sys.argv[1:]], plugins=[rows]
    )
    _print(rows.rows)
    return int(outcome)


if __name__ == "__main__":
    sys.exit(main())
