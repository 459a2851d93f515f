"""The code runs on voluptuous, and on probatio, which Home Assistant puts behind that name."""

import ast
import json
import subprocess
import sys
from typing import Any

import probatio
import pytest
import voluptuous as vol

from .sources import INTEGRATION, ROOT, modules

# The trees are shared with other tests.
pytestmark = pytest.mark.xdist_group("sources")


def real(code: str) -> Any:
    """Run code where no Home Assistant has put anything behind voluptuous, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def used() -> dict[str, set[str]]:
    """Return the names that the code takes from voluptuous, with the modules that do."""
    found: dict[str, set[str]] = {}
    for name, tree in modules(INTEGRATION).items():
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(value=ast.Name(id="vol"), attr=attr):
                    found.setdefault(attr, set()).add(name)
    return found


def test_home_assistant_gives_probatio() -> None:
    """The whole suite runs on it."""
    assert vol.Schema is probatio.Schema


def test_only_the_package_is_imported() -> None:
    """It is imported in one way, so that one line in a file replaces it; its modules have other names in the other."""
    for name, tree in modules(INTEGRATION).items():
        for node in ast.walk(tree):
            match node:
                case ast.Import(names=names):
                    for alias in names:
                        if alias.name.partition(".")[0] in ("voluptuous", "probatio"):
                            assert (alias.name, alias.asname) == (
                                "voluptuous",
                                "vol",
                            ), name
                case ast.ImportFrom(module=str(module)):
                    assert module.partition(".")[0] not in ("voluptuous", "probatio"), (
                        name
                    )


def test_each_name_is_in_both() -> None:
    """Nothing is used that only voluptuous or only probatio has."""
    names = used()
    assert {"Schema", "Required", "Optional", "Invalid"} <= names.keys()
    classic = set(real("import json, voluptuous; print(json.dumps(dir(voluptuous)))"))
    assert "Schema" in classic and "ExactlyOne" not in classic
    for only in (set(dir(probatio)), classic):
        assert {name: names[name] for name in names.keys() - only} == {}
