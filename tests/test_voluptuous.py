"""The code runs on voluptuous, as the client does alone, and on probatio, which Home Assistant puts behind that name."""

import ast
import json
import subprocess
import sys
from typing import Any

import probatio
import pytest
import voluptuous as vol

from .sources import INTEGRATION, ROOT, modules

SOURCES = modules(INTEGRATION)
ITEM = {"source": "https://art.example/1.html", "license": "open"}
# One of each kind of fault: what is missing, of a wrong type, out of bounds, unknown, nested, and many at once.
DOCUMENTS: list[Any] = [
    {"dpVersion": "1.1.0", "title": "Good", "items": [ITEM]},
    {},
    [],
    None,
    {"dpVersion": 1, "title": [], "items": {}},
    {"dpVersion": "1.1.0", "title": "", "items": []},
    {"dpVersion": "1.1.0", "title": "A", "items": [{"source": 3}, ITEM, None]},
    {"dpVersion": "1.1.0", "title": "A", "items": [{**ITEM, "duration": -1}]},
    {"dpVersion": "1.1.0", "title": "A", "items": [{**ITEM, "license": "mine"}]},
    {
        "dpVersion": "1.1.0",
        "title": "A" * 5000,
        "items": [{**ITEM, "provenance": {"type": "onChain"}}, {"other": True}],
        "defaults": {"display": {"scaling": "zoom", "margin": {}}},
    },
]
# Judges documents with the client alone, after a preparation.
JUDGE = """
import json, sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
{preparation}
import custom_components
package = ModuleSpec("custom_components.dp1", None, is_package=True)
package.submodule_search_locations = [sys.argv[1]]
custom_components.dp1 = sys.modules[package.name] = module_from_spec(package)
from custom_components.dp1.client.playlist.document import validate
import voluptuous as vol
assert "homeassistant" not in sys.modules
found = [[[f.path, f.message] for f in validate(each)] for each in json.load(sys.stdin)]
print(json.dumps([vol.Schema.__module__.partition(".")[0], found]))
"""
PROBATIO = "from probatio.compat import install_as_voluptuous; install_as_voluptuous()"


def real(code: str) -> Any:
    """Run code where no Home Assistant has put anything behind voluptuous, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, str(INTEGRATION)],
        cwd=ROOT,
        input=json.dumps(DOCUMENTS),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def used() -> dict[str, set[str]]:
    """Return the names that the code takes from voluptuous, with the modules that do."""
    found: dict[str, set[str]] = {}
    for name, tree in SOURCES.items():
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
    for name, tree in SOURCES.items():
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


@pytest.mark.parametrize("key", range(len(DOCUMENTS)))
def test_both_find_the_same_faults(both: tuple[Any, Any], key: int) -> None:
    """Paths and messages of faults are the same, and in the same order."""
    classic, newer = both
    assert classic[key] == newer[key]
    assert bool(classic[key]) is bool(key)


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    """Return the faults of all documents by voluptuous, and by probatio."""
    (name, classic), (other, newer) = (
        real(JUDGE.format(preparation=preparation)) for preparation in ("", PROBATIO)
    )
    assert (name, other) == ("voluptuous", "probatio")
    return classic, newer
