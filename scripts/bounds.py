"""Print every bound of what is let in, as the code has it: the table of doors in SECURITY.md has its numbers from here."""

from pathlib import Path
import re

SOURCE = Path(__file__).parents[1] / "custom_components" / "dp1"
NAME = r"_?(?:MAX_\w+|LONGEST_\w+|\w*(?:SECONDS|TIMEOUT|PAUSE|PERIOD))"
BOUND = re.compile(rf"^{NAME}(?:: [^=]+)? = .*", re.MULTILINE)

for path in sorted(SOURCE.rglob("*.py")):
    for found in BOUND.findall(path.read_text()):
        print(f"{path.relative_to(SOURCE)}: {found}")
