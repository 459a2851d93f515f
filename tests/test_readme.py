"""The README tells of everything that can be called, and shows pictures that are there."""

import re
from typing import Any

import pytest
import yaml

from .sources import INTEGRATION, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
ACTIONS: dict[str, Any] = yaml.safe_load(
    (INTEGRATION / "services.yaml").read_text(encoding="utf-8")
)


def fields(described: dict[str, Any]) -> set[str]:
    """Name all fields, those in sections too."""
    found: set[str] = set()
    for name, field in described.items():
        found |= fields(field["fields"]) if "fields" in field else {name}
    return found


@pytest.mark.parametrize("action", ACTIONS)
def test_each_action_is_described_with_every_field(action: str) -> None:
    """Whoever reads the README need not read the code."""
    assert f"`dp1.{action}`" in README
    wanted = fields(ACTIONS[action].get("fields") or {})
    assert {field for field in wanted if f"| `{field}`" not in README} == set()


def test_each_picture_is_there() -> None:
    """No picture is missing, and none lies about unseen."""
    shown = set(re.findall(r"docs/[\w-]+\.png", README))
    there = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.png")}
    assert shown == there
