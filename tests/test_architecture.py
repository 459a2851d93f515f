"""Test which modules may import which."""

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from homeassistant.const import Platform

from .sources import INTEGRATION, PACKAGE, ROOT, imports, inside, modules

# Modules that Home Assistant imports by name.
PLATFORMS = {
    *Platform,
    "condition",
    "config_flow",
    "diagnostics",
    "intent",
    "llm",
    "logbook",
    "media_source",
    "system_health",
    "trigger",
}
HIGHEST = {"intent", "llm", "media_player", "services"}
# From the lowest level to the highest. A room is named by its folder; everything else is a platform.
ORDER: tuple[set[str], ...] = (
    {"client", "const"},
    {"errors", "fields", "language"},
    {"permissions", "storage"},
    {"addresses", "grants"},
    {"hosts"},
    {"library", "screen"},
    {"display"},
    {"coordinator", "flows"},
    {"displays"},
    {"config_flow", "entity", "playback"},
    {"browse", "cards"},
    {"voice"},
    {"actions", *PLATFORMS - {"config_flow", *HIGHEST}},
    HIGHEST,
    {"__init__"},
)
LOADED = {f"{PACKAGE}.{platform}" for platform in PLATFORMS}
CLIENT = f"{PACKAGE}.client"
# The same within the client.
CLIENT_ORDER: tuple[set[str], ...] = (
    {"base58", "text", "values"},
    {"cid", "errors"},
    {"guard", "hosts", "pages", "retry"},
    {"health", "http"},
    {"playlist"},
    {"catalog", "display", "feed", "indexer", "museum"},
)
# The same within the library.
LIBRARY = f"{PACKAGE}.library"
LIBRARY_ORDER: tuple[set[str], ...] = (
    {"file_reader", "item", "length", "timing"},
    {"files", "folder", "node", "settings", "signing_key", "words"},
    {"listing"},
    {"index", "shelf"},
    {"news", "search"},
    {"providers"},
    {"source_list"},
    {"library"},
    {"libraries"},
)

# They share the trees.
pytestmark = pytest.mark.xdist_group("sources")


@cache
def arrows_of(folder: Path) -> dict[str, set[str]]:
    trees = modules(folder)
    return {name: imports(name, tree, set(trees)) for name, tree in trees.items()}


def room(name: str, package: str) -> str:
    """Return the folder or module of a package that a module is in."""
    return name.removeprefix(package).removeprefix(".").partition(".")[0] or "__init__"


def backward(
    arrows: dict[str, set[str]], package: str, order: tuple[set[str], ...]
) -> list[str]:
    """Return every import of a room that is not on a lower level, and of a platform, which only Home Assistant loads."""
    places = {name: place for place, rooms in enumerate(order) for name in rooms}
    return [
        f"{name} imports {other}"
        for name, others in arrows.items()
        for other in others
        if inside(name, package) and inside(other, package)
        if (here := room(name, package)) != (there := room(other, package))
        if places[here] <= places[there] or other in LOADED
    ]


def test_a_wrong_arrow_is_seen() -> None:
    """An import of a higher level, or of the same one, is found."""
    arrows = {
        f"{PACKAGE}.coordinator": {f"{PACKAGE}.playback.cast", f"{PACKAGE}.const"},
        f"{PACKAGE}.playback.cast": {f"{PACKAGE}.coordinator", "homeassistant.core"},
        f"{PACKAGE}.button": {f"{PACKAGE}.actions.targets"},
        f"{PACKAGE}.services": {f"{PACKAGE}.light"},
    }
    assert backward(arrows, PACKAGE, ORDER) == [
        f"{PACKAGE}.coordinator imports {PACKAGE}.playback.cast",
        f"{PACKAGE}.button imports {PACKAGE}.actions.targets",
        f"{PACKAGE}.services imports {PACKAGE}.light",
    ]


def test_nothing_goes_in_a_circle() -> None:
    """No module imports itself by way of others, also within a room and for types."""
    TopologicalSorter(arrows_of(INTEGRATION)).prepare()


def test_client_stands_alone() -> None:
    """The client imports neither Home Assistant nor the rest of the integration."""
    assert not {
        f"{name} imports {other}"
        for name, others in arrows_of(INTEGRATION).items()
        if inside(name, CLIENT)
        for other in others
        if inside(other, "homeassistant")
        or (inside(other, "custom_components") and not inside(other, CLIENT))
    }


def test_imports_are_relative() -> None:
    """The integration imports itself by relative names, so that it can be moved."""
    assert not {
        f"{name} imports {base}"
        for name, tree in modules(INTEGRATION).items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level
        if inside(base := node.module or "", "custom_components")
    }


def test_arrows_point_one_way() -> None:
    """No room imports one of a higher level."""
    arrows = arrows_of(INTEGRATION)
    assert backward(arrows, PACKAGE, ORDER) == []
    assert backward(arrows, CLIENT, CLIENT_ORDER) == []
    assert backward(arrows, LIBRARY, LIBRARY_ORDER) == []


def test_simulators_share_no_code_with_what_they_judge() -> None:
    """A simulator imports nothing of the integration."""
    assert not {
        f"{name} imports {other}"
        for name, others in arrows_of(ROOT / "tests" / "simulators").items()
        for other in others
        if inside(other, "custom_components")
    }
