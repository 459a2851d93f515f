"""Print how many tests passed, failed and were skipped, and why.

Usage: _closing.py REPORT.xml…
"""

from collections import Counter
from pathlib import Path
import sys
from xml.etree import ElementTree


def main(reports: list[Path]) -> None:
    """Print the reasons, and a line of counts."""
    outcomes = Counter[str]()
    reasons = Counter[str]()
    for report in reports:
        for case in ElementTree.parse(report).iter("testcase"):
            kinds = {part.tag for part in case}
            if kinds & {"failure", "error"}:
                outcomes["failed"] += 1
            elif (skipped := case.find("skipped")) is not None:
                outcomes["skipped"] += 1
                reasons[skipped.get("message", "")] += 1
            else:
                outcomes["passed"] += 1
    for reason, count in reasons.most_common():
        print(f"{count} skipped: {reason}")
    line = f"{outcomes['passed']} passed, {outcomes['failed']} failed"
    print(f"{line}, {outcomes['skipped']} skipped" if reasons else line)


if __name__ == "__main__":
    main(list(map(Path, sys.argv[1:])))
