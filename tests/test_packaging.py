"""Test what neither hassfest nor the action of HACS judges of the other files."""

import importlib.resources
import json
from pathlib import Path
import re
from typing import Any

from packaging.requirements import Requirement
import pytest
import yaml

from homeassistant.const import Platform

from .sources import INTEGRATION, PACKAGE, ROOT, imports, modules

MANIFEST: dict[str, Any] = json.loads((INTEGRATION / "manifest.json").read_text())
# Components whose names may be imported without depending on them: Home Assistant sets them up with
# the platform that an integration has for them, or they are there always.
PLATFORM_COMPONENTS = {*Platform} | {
    "diagnostics",
    "homeassistant",
    "logbook",
    "onboarding",
    "persistent_notification",
    "system_health",
    "zeroconf",
}


def test_requirements() -> None:
    """Every requirement has an upper bound, and none is part of Home Assistant."""
    files = importlib.resources.files("homeassistant")
    constraints = files.joinpath("package_constraints.txt").read_text()
    shipped = {
        Requirement(line).name.lower()
        for line in constraints.splitlines()
        if line and not line.startswith("#")
    }
    for text in MANIFEST["requirements"]:
        requirement = Requirement(text)
        assert " " not in text
        assert requirement.name.lower() not in shipped
        bounds = {bound.operator for bound in requirement.specifier}
        assert bounds & {"==", "<", "<=", "~="}


def test_components_imported_are_depended_on() -> None:
    declared = {
        *MANIFEST.get("dependencies", ()),
        *MANIFEST.get("after_dependencies", ()),
        *PLATFORM_COMPONENTS,
    }
    sources = modules(INTEGRATION)
    prefix = "homeassistant.components."
    # A component may also be imported as a whole, from homeassistant.components.
    components = {
        f"{prefix}{path.name}"
        for path in importlib.resources.files("homeassistant.components").iterdir()
    }
    used = {
        other.removeprefix(prefix).partition(".")[0]: name.removeprefix(PACKAGE)
        for name, tree in sources.items()
        for other in imports(name, tree, {*sources, *components})
        if other.startswith(prefix)
    }
    assert used.keys() <= declared, used


def test_quality_scale() -> None:
    """Every rule has a status, an exemption has a comment, and what is done names the tests or files that show it."""
    rules = yaml.safe_load((INTEGRATION / "quality_scale.yaml").read_text())["rules"]
    for name, rule in rules.items():
        status = rule if isinstance(rule, str) else rule["status"]
        assert status in {"done", "exempt", "todo"}, name
        assert status == "todo" or rule["comment"].strip(), name
        shown = re.findall(
            r"([\w./]+(?:\.\w+|/\w+))(?:::(test_\w+)(?:\[(\w+)\])?)?", rule["comment"]
        )
        assert shown or status != "done", name
        for path, *tests in shown if status == "done" else ():
            text = (ROOT / path).read_text()
            assert all(f"def {it}(" in text for it in tests if it), (name, tests)


def test_parallel_updates() -> None:
    """Every platform says how many updates and actions may run at once."""
    platforms = [
        path for name in Platform if (path := INTEGRATION / f"{name.value}.py").exists()
    ]
    assert len(platforms) > 10
    for path in platforms:
        assert "\nPARALLEL_UPDATES = " in path.read_text(), path


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / ".github" / "workflows").iterdir()),
    ids=lambda path: path.name,
)
def test_workflow_is_guarded(path: Path) -> None:
    """Workflows have minimal permissions and use pinned actions."""
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {}
    assert "group" in workflow["concurrency"]
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] < 360
        for step in job["steps"]:
            assert "run" in step or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])
