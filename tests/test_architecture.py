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
    "repairs",
    "system_health",
    "trigger",
}
HIGHEST = {"intent", "llm", "media_player", "services"}
# From the lowest level to the highest. A room is named by its folder; everything else is a platform.
ORDER: tuple[set[str], ...] = (
    {"client", "const"},
    {"lent"},
    {"errors", "fields", "language", "length", "timing"},
    {"dialogs", "permissions", "storage"},
    {"addresses", "grants"},
    {"hosts"},
    {"library", "screen"},
    {"display"},
    {"collection_flow", "coordinator"},
    {"album_flow", "displays"},
    {"options_flow"},
    {"config_flow", "entity", "playback"},
    {"browse", "cards"},
    {"voice"},
    {"actions", *PLATFORMS - {"config_flow", *HIGHEST}},
    HIGHEST,
    {"__init__"},
)
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
    {"file_reader", "item"},
    {"files", "folder", "node", "settings", "signing_key", "words"},
    {"listing"},
    {"index", "shelf"},
    {"news", "search"},
    {"providers"},
    {"source_list"},
    {"library"},
    {"libraries"},
)

# Where texts of people and of Home Assistant enter; those of all others enter in the client.
TEXT_DOORS = {
    "display.discovery",
    "errors",
    "library.folder",
    "library.providers.album",
    "library.providers.channel",
    "library.providers.pictures",
    "library.settings",
    "playback.address",
    "screen.player",
    "voice.answers",
}

# What only some modules call, by which a request takes one way to a display.
CALLERS = {
    # A request is resolved, and others wait for it, in one place.
    "async_playlist_of": {"playback.show"},
    "async_for_caller": {"playback.show", "actions.display", "actions.feed"},
    "pending_cast": {"playback.show"},
    "async_on_group": {"playback.show"},
    "async_announce": {"playback.show"},
    "async_take_again": {"playback.show"},
    # What lasts on a display is looked up once, and everybody else has it from there.
    "async_wall": {"coordinator", "display.wall"},
    # Only these send a playlist to a display.
    "async_cast": {
        "playback.cast",
        "playback.daily",
        "playback.lookout",
        "playback.wall",
    },
    "display.cast": {"playback.cast"},
    "display.extend": {"playback.queue"},
    # Nothing that is read adds to the history or looks anything up: only what comes in does.
    "history.note": {"coordinator"},
    "history.add": {"coordinator"},
    "metadata.follow": {"coordinator"},
    # What hangs is compared in one way.
    "is_shown_by": {
        "display.history",
        "playback.follow",
        "playback.groups",
        "playback.wall",
    },
}
# What those who follow a display keep between two changes: nothing of the state before.
KEPT = {
    # Activity that waits for what the libraries know.
    "playback.activity": {"_waiting"},
    # What is under way, and what was not taken.
    "playback.daily": {"_is_busy", "_failed"},
    # The groups themselves, and what is told to them.
    "playback.groups": {"_by_member", "_number", "spreads"},
    # For which work another gateway was tried.
    "playback.lookout": {"_tried"},
    # How often it was looked, and when it is again.
    "playback.work_watch": {"_cancel_end", "_cancel_look", "_looks"},
}
# Where errors of the client are seen, beside the client itself; all above have translated ones.
UNTRANSLATED = {
    *("coordinator", "display", "errors", "hosts", "library", "screen"),
    # The dialog of a display that is not there yet, and how the wall sends a playlist.
    *("config_flow", "playback.cast"),
}

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
    """Return every import of a room that is not on a lower level."""
    places = {name: place for place, rooms in enumerate(order) for name in rooms}
    return [
        f"{name} imports {other}"
        for name, others in arrows.items()
        for other in others
        if inside(name, package) and inside(other, package)
        if (here := room(name, package)) != (there := room(other, package))
        if places[here] <= places[there]
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import homeassistant.core", {"homeassistant.core"}),
        ("from homeassistant import core", {"homeassistant"}),
        ("from ..const import DOMAIN", {"a.const"}),
        ("from . import sibling", {"a.b.sibling"}),
        ("from . import VALUE", {"a.b"}),
        ("from .. import const", {"a.const"}),
        ("def f():\n    from .sibling import late", {"a.b.sibling"}),
        ("if TYPE_CHECKING:\n    from .sibling import Kind", {"a.b.sibling"}),
    ],
)
def test_imports_are_seen(source: str, expected: set[str]) -> None:
    """Every form of an import is found."""
    known = {"a", "a.const", "a.b", "a.b.me", "a.b.sibling"}
    assert imports("a.b.me", ast.parse(source), known) == expected


def test_a_wrong_arrow_is_seen() -> None:
    """An import of a higher level, or of the same one, is found."""
    arrows = {
        f"{PACKAGE}.coordinator": {f"{PACKAGE}.playback.cast", f"{PACKAGE}.const"},
        f"{PACKAGE}.playback.cast": {f"{PACKAGE}.coordinator", "homeassistant.core"},
        f"{PACKAGE}.button": {f"{PACKAGE}.actions.targets"},
    }
    assert backward(arrows, PACKAGE, ORDER) == [
        f"{PACKAGE}.coordinator imports {PACKAGE}.playback.cast",
        f"{PACKAGE}.button imports {PACKAGE}.actions.targets",
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


def test_texts_are_made_clean_where_they_enter() -> None:
    """No room cleans texts again that came in through another."""
    callers = {
        name.removeprefix(f"{PACKAGE}.")
        for name, tree in modules(INTEGRATION).items()
        if not inside(name, CLIENT)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "clean"
    }
    assert callers == TEXT_DOORS


def calls(tree: ast.Module) -> set[str]:
    """Return what a module calls, after a dot."""
    found = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {f".{ast.unparse(function)}" for function in found}


def test_a_second_way_is_seen() -> None:
    """A call of a function and of a method is found, and no other name."""
    tree = ast.parse("await program.async_announce(it)\nasync_cast(it)\nrecast(it)")
    assert calls(tree) == {".program.async_announce", ".async_cast", ".recast"}


def test_a_request_takes_one_way() -> None:
    """No second entrance resolves, announces or sends by itself."""
    called = {
        module.removeprefix(f"{PACKAGE}."): calls(tree)
        for module, tree in modules(INTEGRATION).items()
        if not inside(module, CLIENT) and not inside(module, f"{PACKAGE}.screen")
    }
    for name, allowed in CALLERS.items():
        callers = {
            module
            for module, names in called.items()
            if any(call.endswith(f".{name}") for call in names)
        }
        assert callers and callers <= allowed, name


def test_errors_of_the_client_are_translated_below() -> None:
    """Whoever speaks to people sees no error of the client."""
    seen = {
        name.removeprefix(f"{PACKAGE}.")
        for name, tree in modules(INTEGRATION).items()
        if not inside(name, CLIENT)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        if f".{node.module}".endswith(".client.errors")
        if any(word.name.endswith("Error") for word in node.names)
    }
    rooms = {
        next((room for room in UNTRANSLATED if inside(name, room)), name)
        for name in seen
    }
    assert rooms == UNTRANSLATED


def test_one_listener_of_a_display_acts() -> None:
    """Entities show a display, and only its watch tells others of a change, with the state before."""
    callers = {
        name.removeprefix(f"{PACKAGE}.")
        for name, tree in modules(INTEGRATION).items()
        if not inside(name, LIBRARY)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "async_add_listener"
    }
    assert callers == {"entity", "playback.watch"}


def kept_by(tree: ast.Module) -> set[str]:
    """Return what objects of a module that follows displays set of themselves after they were made."""
    if not any(
        isinstance(node, ast.arg)
        and node.annotation
        and "Change" in ast.unparse(node.annotation).split(" | ")
        for node in ast.walk(tree)
    ):
        return set()
    return {
        node.attr
        for made in ast.walk(tree)
        if isinstance(made, ast.FunctionDef | ast.AsyncFunctionDef)
        if made.name != "__init__"
        for node in ast.walk(made)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if ast.unparse(node.value) == "self"
    }


def test_what_is_kept_is_seen() -> None:
    """What a follower keeps is found, and nothing in a module that follows nothing."""
    follows = "def follow(self, change: Change):\n    self._seen = change.after"
    assert kept_by(ast.parse(follows)) == {"_seen"}
    assert not kept_by(ast.parse(follows.replace(": Change", "")))


def test_only_the_watch_knows_the_state_before() -> None:
    """Whoever follows a display is told the state before, and keeps none."""
    found = {
        name.removeprefix(f"{PACKAGE}."): kept
        for name, tree in modules(INTEGRATION).items()
        if name != f"{PACKAGE}.playback.watch" and (kept := kept_by(tree))
    }
    assert found == KEPT


def test_imports_are_relative() -> None:
    """The integration imports itself by relative names, so that it can be moved."""
    assert not {
        f"{name} imports {base}"
        for name, tree in modules(INTEGRATION).items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level
        if inside(base := node.module or "", "custom_components")
    }


def test_nothing_imports_a_platform() -> None:
    """Only Home Assistant loads a platform."""
    platforms = {f"{PACKAGE}.{platform}" for platform in PLATFORMS}
    found = {
        f"{name} imports {other}"
        for name, others in arrows_of(INTEGRATION).items()
        for other in others & platforms
    }
    assert not found


def test_arrows_point_one_way() -> None:
    """No room imports one of a higher level."""
    arrows = arrows_of(INTEGRATION)
    assert backward(arrows, PACKAGE, ORDER) == []
    assert backward(arrows, CLIENT, CLIENT_ORDER) == []
    assert backward(arrows, LIBRARY, LIBRARY_ORDER) == []


@pytest.mark.parametrize(
    "folder", [path.parent for path in INTEGRATION.rglob("*/__init__.py")]
)
def test_each_room_says_what_it_is_for(folder: Path) -> None:
    """The __init__ of a room only has a docstring with its purpose and what it may import."""
    tree = ast.parse((folder / "__init__.py").read_text())
    assert len(tree.body) == 1
    assert "import" in (ast.get_docstring(tree) or "")


def test_simulators_share_no_code_with_what_they_judge() -> None:
    """A simulator imports nothing of the integration."""
    assert not {
        f"{name} imports {other}"
        for name, others in arrows_of(ROOT / "tests" / "simulators").items()
        for other in others
        if inside(other, "custom_components")
    }
