"""Print the PyPI requirements of the Home Assistant components that tests and demo set up.

Run it with the Python of the virtual environment that Home Assistant is installed in.
"""

import importlib.util
import json
from pathlib import Path

ROOTS = (
    "assist_satellite",
    "automation",
    "config",
    "conversation",
    "ffmpeg",
    "frontend",
    "history",
    "image_upload",
    "logbook",
    "media_source",
    "script",
    "stream",
    "zeroconf",
)


def requirements(components: Path) -> set[str]:
    """Return the pins of the root components and of all their dependencies."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = list(ROOTS)
    while waiting:
        if (domain := waiting.pop()) in seen:
            continue
        seen.add(domain)
        manifest = json.loads((components / domain / "manifest.json").read_text())
        found.update(manifest.get("requirements", ()))
        waiting.extend(manifest.get("dependencies", ()))
    return found


if __name__ == "__main__":
    package = importlib.util.find_spec("homeassistant.components")
    assert package is not None and package.submodule_search_locations is not None
    print(*sorted(requirements(Path(package.submodule_search_locations[0]))))
