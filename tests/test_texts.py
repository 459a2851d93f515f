"""Every name that the code uses has a text and an icon, and every text is used."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
import json
import re
from types import ModuleType
from typing import Any
import warnings

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
import yaml

from custom_components.dp1 import condition, trigger
from custom_components.dp1.client.playlist.signing import SignatureFault
from custom_components.dp1.library.node import FOLDER_TITLES
from custom_components.dp1.services import ACTIONS
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import (
    config_validation as cv,
    selector as selector_helper,
    service as service_helper,
)
from homeassistant.helpers.trigger import descriptions as trigger_descriptions
from homeassistant.setup import async_setup_component

from .sources import INTEGRATION, PACKAGE, modules, strings

try:
    # Home Assistant 2026.11.
    from homeassistant.helpers.condition import descriptions as condition_descriptions
except ImportError:
    from homeassistant.helpers import condition as condition_descriptions

CONDITIONS_SCHEMA = condition_descriptions._CONDITIONS_DESCRIPTION_SCHEMA

type Tree = dict[str, Any]

LANGUAGES: dict[str, Tree] = {
    path.stem: json.loads(path.read_text())
    for path in sorted((INTEGRATION / "translations").glob("*.json"))
}
ENGLISH = LANGUAGES["en"]
ICONS: Tree = json.loads((INTEGRATION / "icons.json").read_text())
SERVICES: Tree = yaml.safe_load((INTEGRATION / "services.yaml").read_text())
# The trees are shared with other tests.
pytestmark = pytest.mark.xdist_group("sources")
SECTIONS = {
    "config_subentries",
    "conditions",
    "config",
    "config_panel",
    "device",
    "entity",
    "exceptions",
    "issues",
    "options",
    "selector",
    "services",
    "system_health",
    "triggers",
}
# Texts of these are Home Assistant's own.
COMMON_ABORTS = {
    "already_in_progress",
    "reauth_successful",
    "reconfigure_successful",
    "single_instance_allowed",
}
FIELD_KEYS = {"default", "example", "filter", "required", "selector"}
HOLE = re.compile(r"{(\w+)}")


@cache
def literals() -> set[str]:
    """Return every string literal of the integration."""
    return {text for tree in modules(INTEGRATION).values() for text in strings(tree)}


def leaves(tree: Tree, path: str = "") -> Iterator[tuple[str, str]]:
    """Return every text of a tree with its path."""
    for key, value in tree.items():
        here = f"{path}.{key}".removeprefix(".")
        if isinstance(value, dict):
            yield from leaves(value, here)
        else:
            yield here, value


def called(node: ast.Call) -> str:
    """Return the last name of what is called."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def values(node: ast.expr) -> set[str]:
    """Return the strings that an expression can be, as far as it says so itself."""
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.IfExp(body=body, orelse=orelse):
            return values(body) | values(orelse)
    return set()


def passed_on() -> dict[str, int]:
    """Return the functions that hand a parameter on as the key of an error, with that parameter's place."""
    found = {}
    for tree in modules(INTEGRATION).values():
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            names = [argument.arg for argument in function.args.args]
            for node in ast.walk(function):
                match node:
                    case ast.keyword(
                        arg="translation_key", value=ast.Name(id=name)
                    ) if name in names:
                        found[function.name] = names.index(name)
    return found


def uses() -> Iterator[tuple[str, str, set[str] | None]]:
    """Return each section of the texts that the code names a key of, the key, and the values given for its holes."""
    helpers = passed_on()
    for name, tree in modules(INTEGRATION).items():
        platform = name.removeprefix(f"{PACKAGE}.").partition(".")[0]
        for node in ast.walk(tree):
            match node:
                case ast.Assign(
                    targets=[ast.Name(id="_attr_translation_key")], value=value
                ):
                    yield from (
                        (f"entity.{platform}", key, None) for key in values(value)
                    )
                case ast.Call() if (
                    called(node) in helpers and len(node.args) > helpers[called(node)]
                ):
                    given = {keyword.arg for keyword in node.keywords if keyword.arg}
                    for key in values(node.args[helpers[called(node)]]):
                        yield "exceptions", key, given
                case ast.Call():
                    yield from named_in_call(node, platform)


def named_in_call(
    node: ast.Call, platform: str
) -> Iterator[tuple[str, str, set[str] | None]]:
    """Return the keys that a call names by keyword."""
    given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    if "translation_key" not in given:
        return
    holes: set[str] | None = set()
    match given.get("translation_placeholders"):
        case ast.Dict(keys=names):
            holes = {text for name in names if name for text in values(name)}
        case ast.expr():
            holes = None
    if called(node).endswith("create_issue"):
        section = "issues"
    elif "translation_domain" in given:
        section = "exceptions"
    elif called(node).endswith("Error"):
        section, holes = "exceptions", None
    elif "Selector" in called(node):
        section, holes = "selector", None
    else:
        section, holes = f"entity.{platform}", None
    yield from ((section, key, holes) for key in values(given["translation_key"]))


def texts_of(section: str) -> Tree:
    """Return one section of the English texts."""
    tree = ENGLISH
    for part in section.split("."):
        tree = tree.get(part, {})
    return tree


def selectors_of_services() -> set[str]:
    """Return the keys of texts that the selectors of the actions name."""
    return {
        selector["translation_key"]
        for action in SERVICES.values()
        for field in fields_of(action).values()
        for selector in field.get("selector", {}).values()
        if selector and "translation_key" in selector
    }


def fields_of(action: Tree) -> Tree:
    """Return the fields of an action, those in sections included."""
    found: Tree = {}
    for name, field in (action or {}).get("fields", {}).items():
        found |= field.get("fields", {name: field})
    return found


def mentioned(key: str) -> bool:
    """Tell whether the code has a key as a literal, or both parts that it is put together from."""
    parts = (
        (key[:place], key[place + 1 :])
        for place in range(len(key))
        if key[place] == "_"
    )
    return key in literals() or any(
        {rest, f"_{rest}"} & literals() and {head, f"{head}_"} & literals()
        for head, rest in parts
    )


def named(argument: str, *functions: str) -> set[str]:
    """Return the literals that calls of some functions give for an argument, by its name or as the first one."""
    return {
        text
        for tree in modules(INTEGRATION).values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called(node) in functions
        for value in [
            *node.args[:1],
            *(keyword.value for keyword in node.keywords if keyword.arg == argument),
        ]
        for text in values(value)
    }


def test_sections_are_known() -> None:
    """There is no text that nobody reads, and none with markup in it."""
    assert ENGLISH.keys() <= SECTIONS
    for path, text in leaves(ENGLISH):
        assert isinstance(text, str), path
        assert text.strip() == text != "", path
        assert not re.search(r"</?[a-z]", text), path


def test_languages_agree() -> None:
    """A translation has no text that English lacks, and the same placeholders; what it lacks itself is listed."""
    english = dict(leaves(ENGLISH))
    assert LANGUAGES.keys() >= {"de", "es", "fr", "ja", "nl", "zh-Hans"}
    for language, tree in LANGUAGES.items():
        translated = dict(leaves(tree))
        assert translated.keys() - english.keys() == set(), language
        for path, text in translated.items():
            assert sorted(HOLE.findall(text)) == sorted(HOLE.findall(english[path])), (
                f"{language}: {path}"
            )


def test_missing_translations_are_listed() -> None:
    """Home Assistant shows the English text until somebody translates a new one."""
    english = dict(leaves(ENGLISH)).keys()
    for language, tree in LANGUAGES.items():
        if missing := sorted(english - dict(leaves(tree)).keys()):
            warnings.warn(f"{language} lacks {', '.join(missing)}", stacklevel=1)


def test_every_key_in_the_code_has_a_text() -> None:
    """What is raised, shown or asked has a text, and every hole in it is filled."""
    found = defaultdict(set)
    for section, key, given in uses():
        found[section].add(key)
        text = texts_of(section).get(key)
        assert text is not None, f"{section}.{key}"
        if given is not None:
            holes = {hole for _, part in leaves(text) for hole in HOLE.findall(part)}
            assert holes <= given, f"{section}.{key} leaves {holes - given} open"
    assert found["exceptions"], (
        "the code names no text at all: this test looks for the wrong thing"
    )


def test_every_entity_has_a_name() -> None:
    """A description without a name in the texts is an entity that nobody can tell from its device."""
    nameless = [
        f"entity.{platform}.{key}.name"
        for platform in map(str, Platform)
        if (tree := modules(INTEGRATION).get(f"{PACKAGE}.{platform}"))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called(node).endswith("Description")
        for keyword in node.keywords
        if keyword.arg == "key"
        for key in values(keyword.value)
        if "name" not in ENGLISH["entity"].get(platform, {}).get(key, {})
    ]
    assert nameless == [], "translations/en.json lacks these"


def test_every_text_has_a_key_in_the_code() -> None:
    """No text outlives the code that used it."""
    for section in (
        "exceptions",
        "issues",
        *(f"entity.{platform}" for platform in ENGLISH.get("entity", {})),
    ):
        assert not {key for key in texts_of(section) if not mentioned(key)}, section
    assert not {
        key
        for key in ENGLISH.get("selector", {})
        if key not in selectors_of_services() | literals()
    }
    assert selectors_of_services() <= ENGLISH.get("selector", {}).keys()


@pytest.mark.parametrize("flow", ["config", "options"])
def test_flow_texts(flow: str) -> None:
    """A step explains each of its fields, and no text belongs to a step, error or abort that is not there."""
    texts = ENGLISH.get(flow, {})
    for name, step in texts["step"].items():
        assert step.get("data", {}).keys() == step.get("data_description", {}).keys(), (
            name
        )
        assert name in literals() or any(
            f"async_step_{name}" in ast.dump(tree)
            for tree in modules(INTEGRATION).values()
        ), name
    for kind in ("error", "abort"):
        unused = {key for key in texts.get(kind, {}) if not mentioned(key)}
        assert not unused, kind
    assert not texts.get("abort", {}).keys() & COMMON_ABORTS


def test_steps_and_aborts_have_a_text() -> None:
    """Every form, menu and end of a flow that the code names can be shown."""
    flows = [
        ENGLISH["config"],
        ENGLISH["options"],
        *ENGLISH["config_subentries"].values(),
        *(
            issue["fix_flow"]
            for issue in ENGLISH["issues"].values()
            if "fix_flow" in issue
        ),
    ]
    steps = {step for flow in flows for step in flow.get("step", {})}
    aborts = {abort for flow in flows for abort in flow.get("abort", {})}
    assert named("step_id", "async_show_form", "async_show_menu") <= steps
    assert (
        named("reason", "async_abort", "AbortFlow", "_abort_if_unique_id_mismatch")
        <= aborts | COMMON_ABORTS
    )


def test_actions_have_texts_and_icons() -> None:
    """Home Assistant accepts the description of the actions, and each action and field has a name and a description."""
    service_helper._SERVICES_SCHEMA(SERVICES)
    assert SERVICES.keys() == ENGLISH["services"].keys() == ICONS["services"].keys()
    for name, action in SERVICES.items():
        text = ENGLISH["services"][name]
        fields = fields_of(action)
        assert text["name"] and text["description"]
        for field in fields.values():
            assert field.keys() <= FIELD_KEYS, name
            selector_helper.validate_selector(field["selector"])
        assert fields.keys() == text.get("fields", {}).keys(), name
        assert all(
            field["name"] and field["description"]
            for field in text.get("fields", {}).values()
        ), name
        sections = {
            key
            for key, field in (action or {}).get("fields", {}).items()
            if "fields" in field
        }
        assert sections == text.get("sections", {}).keys(), name


@pytest.mark.parametrize(
    ("kind", "platform", "schema"),
    [
        ("triggers", trigger, trigger_descriptions._TRIGGERS_DESCRIPTION_SCHEMA),
        ("conditions", condition, CONDITIONS_SCHEMA),
    ],
)
async def test_triggers_and_conditions(
    hass: HomeAssistant, kind: str, platform: ModuleType, schema: Any
) -> None:
    """Home Assistant accepts their description, and each has texts, an icon and fields that its schema takes."""
    library = MockConfigEntry(
        domain="dp1", entry_id="01JABCDEF", data={"kind": "library"}
    )
    library.add_to_hass(hass)
    described = yaml.safe_load((INTEGRATION / f"{kind}.yaml").read_text())
    described = schema(described)
    texts, icons = ENGLISH[kind], ICONS[kind]
    registered = await getattr(platform, f"async_get_{kind}")(hass)
    assert described.keys() == texts.keys() == icons.keys() == registered.keys()
    for name, text in texts.items():
        assert text["name"] and text["description"]
        fields = described[name].get("fields", {})
        assert fields.keys() == text.get("fields", {}).keys(), name
        target = {"target": {"area_id": "hall"}} if "target" in described[name] else {}
        examples = {
            field: value.get("example", value.get("default", "01JABCDEF"))
            for field, value in fields.items()
        }
        await registered[name].async_validate_config(
            hass, {**target, "options": examples}
        )


def schema_fields(schema: Any) -> set[str]:
    """Return the fields that the schema of an action takes, without those of its target."""
    while not isinstance(schema, dict):
        # The schema of an action for entities is followed by a rule that it has a target.
        schema = getattr(schema, "schema", None) or schema.validators[0]
    own = {*map(str, cv.ENTITY_SERVICE_FIELDS), "metadata"}
    return {str(key) for key in schema} - own


def test_described_fields_are_those_of_the_schema() -> None:
    """A field that is taken is offered, and the reverse."""
    taken = {name: schema_fields(schema) for name, _, schema, _ in ACTIONS}
    assert taken.keys() == SERVICES.keys()
    for name, fields in taken.items():
        assert fields == set(fields_of(SERVICES[name])), name


@pytest.mark.usefixtures("mock_async_zeroconf")
async def test_described_actions_are_registered(hass: HomeAssistant) -> None:
    """The actions that are described are the ones there are, before any entry is set up."""
    assert await async_setup_component(hass, "dp1", {})
    assert hass.services.async_services_for_domain("dp1").keys() == SERVICES.keys()


def test_icons() -> None:
    """Every icon is one of the set that Home Assistant has, and belongs to an entity with a name or to an action."""
    assert ICONS.keys() <= {"conditions", "entity", "services", "triggers"}
    for path, icon in leaves(ICONS):
        assert re.fullmatch(r"mdi:[a-z0-9-]+", icon), path
    for platform, icons in ICONS.get("entity", {}).items():
        assert platform in set(Platform)
        assert all(mentioned(key) for key in icons), platform


def test_folders_have_names() -> None:
    """The folders of the media browser are called there as everywhere else."""
    texts = ENGLISH["config_panel"]["browser"]
    assert {kind: texts.get(kind) for kind in FOLDER_TITLES} == FOLDER_TITLES


def test_what_is_wrong_with_a_signature_has_a_text() -> None:
    """Each fault of a signature can be told, with what it leaves open."""
    told = dict(ENGLISH["config_panel"]["signature"])
    for fault in SignatureFault:
        assert HOLE.findall(told.pop(fault)) in ([], ["detail"])
    assert told.keys() == {"other_key", "feed_signs"}
