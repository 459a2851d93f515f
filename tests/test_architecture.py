"""Arrows point one way: what may import what."""

import ast

import pytest

from homeassistant.const import Platform

from tests.sources import INTEGRATION, PACKAGE, ROOT, imports, inside, modules

# What Home Assistant looks for by name and loads by itself.
PLATFORMS = {
    *Platform,
    "config_flow",
    "diagnostics",
    "intent",
    "llm",
    "media_source",
    "repairs",
    "system_health",
}
# From what knows nobody to what nobody knows. A module that is not named belongs to the lowest that reaches it.
LAYERS: tuple[set[str], ...] = (
    {"protocol"},
    {"coordinator", "library"},
    {"casting", "browse"},
    {"services", *PLATFORMS},
)

SOURCES = modules(INTEGRATION)
ARROWS = {name: imports(name, tree, set(SOURCES)) for name, tree in SOURCES.items()}
SIMULATORS = modules(ROOT / "tests" / "simulators")


def layer(name: str) -> int | None:
    """Return the layer a module of the integration is named in; the package itself is on top."""
    if name == PACKAGE:
        return len(LAYERS)
    top = name.removeprefix(f"{PACKAGE}.").partition(".")[0]
    return next((number for number, tops in enumerate(LAYERS) if top in tops), None)


def reached(name: str, arrows: dict[str, set[str]]) -> set[str]:
    """Return all modules of the integration that a module imports, directly or through others."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = {other for other in arrows[waiting.pop()] if other in arrows} - found
        found |= new
        waiting.extend(new)
    return found


def upward(arrows: dict[str, set[str]]) -> list[str]:
    """Return every import that leads from a layer to a higher one."""
    return [
        f"{name} reaches {other}"
        for name in arrows
        if (own := layer(name)) is not None
        for other in reached(name, arrows)
        if (number := layer(other)) is not None and number > own
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
    ],
)
def test_imports_are_seen(source: str, expected: set[str]) -> None:
    """Every way to import a module is understood."""
    known = {"a", "a.const", "a.b", "a.b.me", "a.b.sibling"}
    assert imports("a.b.me", ast.parse(source), known) == expected


def test_an_arrow_through_another_module_is_seen() -> None:
    """A detour does not hide an import that points upwards."""
    arrows = {
        f"{PACKAGE}.coordinator": {f"{PACKAGE}.helper"},
        f"{PACKAGE}.helper": {f"{PACKAGE}.casting"},
        f"{PACKAGE}.casting": {f"{PACKAGE}.coordinator", "homeassistant.core"},
    }
    assert upward(arrows) == [f"{PACKAGE}.coordinator reaches {PACKAGE}.casting"]


@pytest.mark.parametrize(
    "name", [name for name in SOURCES if inside(name, f"{PACKAGE}.protocol")]
)
def test_protocol_stands_alone(name: str) -> None:
    """The protocol knows nothing of Home Assistant, nor of the rest of the integration."""
    foreign = {
        other
        for other in ARROWS[name]
        if inside(other, "homeassistant")
        or (
            inside(other, "custom_components")
            and not inside(other, f"{PACKAGE}.protocol")
        )
    }
    assert not foreign


def test_nothing_imports_a_platform() -> None:
    """Only Home Assistant loads a platform."""
    platforms = {f"{PACKAGE}.{platform}" for platform in PLATFORMS}
    found = {
        f"{name} imports {other}"
        for name, others in ARROWS.items()
        for other in others & platforms
    }
    assert not found


def test_arrows_point_one_way() -> None:
    """No module reaches a module of a higher layer."""
    assert upward(ARROWS) == []


@pytest.mark.parametrize("name", list(SIMULATORS))
def test_simulators_share_no_code_with_what_they_judge(name: str) -> None:
    """A simulator imports nothing of the integration."""
    assert not {
        other
        for other in imports(name, SIMULATORS[name], set(SIMULATORS))
        if inside(other, "custom_components")
    }
