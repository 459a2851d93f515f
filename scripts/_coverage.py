"""Fail if the coverage of a module of the integration is too low.

Usage: _coverage.py COVERAGE.json
"""

import json
from pathlib import Path
import sys

LEAST = 95.0
LEAST_OF = {"config_flow.py": 100.0}


def main(report: Path) -> int:
    """Print every module below the limit and return the exit code."""
    files = json.loads(report.read_text())["files"]
    short = 0
    for name, module in sorted(files.items()):
        covered = module["summary"]["percent_covered"]
        least = LEAST_OF.get(Path(name).name, LEAST)
        if covered < least:
            lines = ", ".join(map(str, module["missing_lines"]))
            print(
                f"{name}: {covered:.1f} % covered, {least:.0f} % asked for; never run: {lines}"
            )
            short += 1
    return 1 if short or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
