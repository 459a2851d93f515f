"""Every name that the code and the documents use exists and has a text, and every text is used: one table of checks."""

import ast
from collections.abc import Callable, Iterator
from functools import cache
import json
import re
from types import ModuleType
from typing import Any
import warnings

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
import yaml
from yarl import URL

from custom_components.dp1 import condition, trigger
from custom_components.dp1.actions.library import KINDS
from custom_components.dp1.client.playlist.signing import SignatureFault
from custom_components.dp1.library.node import FOLDER_TITLES
from custom_components.dp1.services import ACTIONS
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv

from .sources import INTEGRATION, PACKAGE, ROOT, modules, strings

type Tree = dict[str, Any]

LANGUAGES: dict[str, Tree] = {
    path.stem: json.loads(path.read_text())
    for path in sorted((INTEGRATION / "translations").glob("*.json"))
}
ENGLISH = LANGUAGES["en"]
ICONS: Tree = json.loads((INTEGRATION / "icons.json").read_text())
DESCRIBED: dict[str, Tree] = {
    kind: yaml.safe_load((INTEGRATION / f"{kind}.yaml").read_text())
    for kind in ("services", "triggers", "conditions")
}
SERVICES = DESCRIBED["services"]
DOCS = ROOT / "docs"
PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in (ROOT / "README.md", *ROOT.glob("C*.md"), *sorted(DOCS.glob("*.md")))
}
# The trees are shared with other tests.
pytestmark = pytest.mark.xdist_group("sources")
# Texts of these are Home Assistant's own.
COMMON_ABORTS = {
    "already_in_progress",
    "reauth_successful",
    "reconfigure_successful",
    "single_instance_allowed",
}
HOLE = re.compile(r"{(\w+)}")

# Words of Home Assistant, of its store, of GitHub and of this project's changelog, in italics.
HOME_ASSISTANT = set(
    """Actions|Add|Add card|Add from a GitHub link|Add dashboard|Add integration|Automations & scenes|Blueprints|Browse media|Configure
    |Collection image|Custom repositories|Delete and uninstall|Dashboards|Devices & services|Tools|Download diagnostics|Expose|Finish|Install|JavaScript module|Panel|Perform action
    |Reconfigure|Repairs|Resources|Settings|Submit|System|System information|Unreleased|Voice assistants|YAML mode|integration""".replace(
        "\n    ", ""
    ).split("|")
)
OWN_NAMES = {"DP-1 Art", "DP-1 Art Displays"}
# Names of the domain that are neither an action nor a trigger or condition.
ATTRIBUTES = {"dp1"}
# Examples, and hosts that the code only names.
NO_HOSTS = re.compile(r"(^|\.)example(\.\w+)?$|^127\.|^$")
HOST = re.compile(r"`((?:[a-z0-9-]+\.)+[a-z][a-z0-9-]+)`")
ITALIC = re.compile(r"(?<![*\w])\*(?![*\s])([^*\n]+?)(?<!\s)\*(?![*\w])")
FOLDERS = (ROOT, INTEGRATION)
# Files of a home, not of the project.
ELSEWHERE = ("custom_sentences/", ".storage/")


@cache
def literals() -> set[str]:
    return {text for tree in modules(INTEGRATION).values() for text in strings(tree)}


def leaves(tree: Tree, path: str = "") -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        here = f"{path}.{key}".removeprefix(".")
        if isinstance(value, dict):
            yield from leaves(value, here)
        else:
            yield here, value


def called(node: ast.Call) -> str:
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
    elif platform in set(Platform):
        section, holes = f"entity.{platform}", None
    else:
        section, holes = "exceptions", None
    yield from ((section, key, holes) for key in values(given["translation_key"]))


def texts_of(section: str) -> Tree:
    tree = ENGLISH
    for part in section.split("."):
        tree = tree.get(part, {})
    return tree


def selectors_of_services() -> set[str]:
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


def schema_fields(schema: Any) -> set[str]:
    """Return the fields that the schema of an action takes, without those of its target."""
    while not isinstance(schema, dict):
        # The schema of an action for entities is followed by a rule that it has a target.
        schema = getattr(schema, "schema", None) or schema.validators[0]
    own = {*map(str, cv.ENTITY_SERVICE_FIELDS), "metadata"}
    return {str(key) for key in schema} - own


def flows() -> list[Tree]:
    fixes = (issue.get("fix_flow") for issue in ENGLISH["issues"].values())
    subentries = ENGLISH["config_subentries"].values()
    return [ENGLISH["config"], ENGLISH["options"], *subentries, *filter(None, fixes)]


def code_hosts() -> set[str]:
    texts = [*literals(), *(path.read_text() for path in INTEGRATION.rglob("*.js"))]
    hosts = {
        URL(url).host or ""
        for text in texts
        for url in re.findall(r"https?://[\w.-]+", text)
    }
    return {host for host in hosts if not NO_HOSTS.search(host)}


def options() -> dict[str, str]:
    """Return each field of the forms of options and subentries, with its label."""
    steps = dict(ENGLISH["options"]["step"])
    for kind, texts in ENGLISH["config_subentries"].items():
        steps |= {f"{kind}.{name}": step for name, step in texts["step"].items()}
    for name in ("library", "reconfigure_library", "display"):
        steps[f"config.{name}"] = ENGLISH["config"]["step"][name]
    return {
        f"{name}.{key}": label
        for name, step in steps.items()
        for key, label in step.get("data", {}).items()
    }


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings on GitHub."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }


# Each check yields what is wrong.
type Check = Callable[[], Iterator[str]]
CHECKS: list[Check] = []


def check(function: Check) -> Check:
    """Add a check to the table."""
    CHECKS.append(function)
    return function


@check
def languages_agree() -> Iterator[str]:
    """A translation has no text that English lacks, and the same placeholders; what it lacks itself is listed."""
    english = dict(leaves(ENGLISH))
    yield from {"de", "es", "fr", "ja", "nl", "zh-Hans"} - LANGUAGES.keys()
    for language, tree in LANGUAGES.items():
        translated = dict(leaves(tree))
        for path, text in translated.items():
            holes = sorted(HOLE.findall(english.get(path, "")))
            if path not in english or sorted(HOLE.findall(text)) != holes:
                yield f"{language}: {path}"
        if missing := sorted(english.keys() - translated.keys()):
            warnings.warn(f"{language} lacks {', '.join(missing)}", stacklevel=1)


@check
def keys_have_texts() -> Iterator[str]:
    """What is raised, shown or asked has a text, and every hole in it is filled."""
    for section, key, given in uses():
        text = texts_of(section).get(key)
        if text is None:
            yield f"en.json: {section}.{key}"
        elif given is not None:
            holes = {hole for _, part in leaves(text) for hole in HOLE.findall(part)}
            if holes - given:
                yield f"{section}.{key} leaves {holes - given} open"


@check
def texts_have_keys() -> Iterator[str]:
    """No text outlives the code that used it."""
    entities = (f"entity.{platform}" for platform in ENGLISH["entity"])
    for section in ("exceptions", "issues", *entities):
        yield from (f"en.json: {it}" for it in texts_of(section) if not mentioned(it))
    selectors = ENGLISH["selector"].keys()
    yield from selectors - selectors_of_services() - literals()
    yield from selectors_of_services() - selectors


@check
def flows_have_texts() -> Iterator[str]:
    """A step explains each of its fields, no text belongs to nothing, and every form, menu and end can be shown."""
    trees = "".join(ast.dump(tree) for tree in modules(INTEGRATION).values())
    for flow in ("config", "options"):
        for name, step in ENGLISH[flow]["step"].items():
            if step.get("data", {}).keys() != step.get("data_description", {}).keys():
                yield f"en.json: {flow}.step.{name}"
            if name not in literals() and f"async_step_{name}" not in trees:
                yield f"en.json: {flow}.step.{name}"
        for kind in ("error", "abort"):
            yield from (key for key in ENGLISH[flow][kind] if not mentioned(key))
        yield from ENGLISH[flow]["abort"].keys() & COMMON_ABORTS
    steps = {step for flow in flows() for step in flow.get("step", {})}
    aborts = {abort for flow in flows() for abort in flow.get("abort", {})}
    yield from named("step_id", "async_show_form", "async_show_menu") - steps
    ends = named("reason", "async_abort", "AbortFlow", "_abort_if_unique_id_mismatch")
    yield from ends - aborts - COMMON_ABORTS


@check
def actions_are_described() -> Iterator[str]:
    """Each action and field has a name, a description and an icon, is taken by the schema, and stands in the documents."""
    schemas = {name: schema_fields(schema) for name, _, schema, _ in ACTIONS}
    for other in (ENGLISH["services"], ICONS["services"], schemas):
        yield from SERVICES.keys() ^ other.keys()
    for name, action in SERVICES.items():
        text, fields = ENGLISH["services"][name], fields_of(action)
        told = PAGES["docs/actions.md"].partition(f"\n## `dp1.{name}`\n")[2]
        told = told.partition("\n## ")[0]
        cells = "".join(re.findall(r"^\| (.*?) \|", told, re.MULTILINE))
        own = text.get("fields", ())
        yield from (f"en.json: {name}.{it}" for it in fields.keys() ^ own)
        yield from (f"actions/: {name}.{it}" for it in fields.keys() ^ schemas[name])
        yield from {*re.findall(r"`(\w+)`", cells)} - fields.keys()
        yield from (f"docs: {name}.{it}" for it in fields if f"`{it}`" not in told)
        within = (action or {}).get("fields", {}).items()
        sections = {key for key, field in within if "fields" in field}
        yield from sections ^ text.get("sections", {}).keys()


@check
def pickers_offer_all() -> Iterator[str]:
    """Each choice of a picker has a name, and kinds of results are all that the action takes."""
    pickers = {
        name: field["selector"]["select"]
        for action in SERVICES.values()
        for name, field in fields_of(action).items()
        if "select" in field["selector"]
    }
    for name, picker in pickers.items():
        names = ENGLISH["selector"][picker["translation_key"]]["options"]
        yield from (f"{name}.{it}" for it in {*picker["options"]} ^ names.keys())
    yield from {*pickers["kinds"]["options"]} ^ {*map(str, KINDS)}


@check
def folders_and_signatures_have_texts() -> Iterator[str]:
    """The folders of the media browser are called there as everywhere else, and each fault of a signature can be told."""
    texts = ENGLISH["config_panel"]["browser"]
    yield from (kind for kind, title in FOLDER_TITLES.items() if texts[kind] != title)
    told = dict(ENGLISH["config_panel"]["signature"])
    for fault in SignatureFault:
        if HOLE.findall(told.pop(fault, "{lacks}")) not in ([], ["detail"]):
            yield fault
    yield from told.keys() ^ {"other_key"}


@check
def pages_name_what_exists() -> Iterator[str]:
    """Hosts, options, actions, entities, commands and files of a page are there."""
    for name, text in PAGES.items():
        yield from (f"{name}: {it}" for it in unknown(name, text))


def unknown(name: str, text: str) -> set[str]:
    """Return what a page names that does not exist."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    found: set[str] = set()
    texts = {*dict(leaves(ENGLISH)).values(), *HOME_ASSISTANT, *OWN_NAMES}
    for italic in ITALIC.findall(re.sub(r"`[^`]*`", "", prose)):
        found |= {part for part in re.split(r" (?:→|>) ", italic) if part not in texts}
    acts = {act for tree in DESCRIBED.values() for act in tree}
    acts |= {path.parent.name for path in (INTEGRATION / "frontend").glob("*.js")}
    found |= {
        f"dp1.{act}"
        for act in re.findall(r"(?<![\w/.])dp1\.(\w+)(?![\w/])", text)
        if act not in acts and act not in {"yaml", "zip"}
    }
    found |= {
        path
        for path in re.findall(r"`((?:[\w.<>-]+/)+[\w.<>*-]*)[^`]*`", prose)
        if not path.startswith(ELSEWHERE) and "://" not in path
        if not any((folder / path).exists() for folder in FOLDERS)
    }
    if name == "docs/privacy.md":
        found |= set(HOST.findall(prose)) - code_hosts() - literals()
    if name == "docs/entities.md":
        tables = re.findall(
            r"^\| entity \|.*\n\| .*\n((?:\|.*\n)+)", text, re.MULTILINE
        )
        for row in "".join(tables).splitlines():
            names = row.split("|")[1].replace("*", "").split(", ")
            found |= {entity.strip() for entity in names} - entity_names()
    return found


def entity_names() -> set[str]:
    return {
        entity["name"]
        for platform in ENGLISH["entity"].values()
        for entity in platform.values()
        if "name" in entity
    }


@check
def pages_name_all() -> Iterator[str]:
    """Hosts, options, actions, triggers, conditions, commands and entities are documented, and those of actions in the changelog."""
    told = "\n".join(PAGES.values())
    labels = {it.strip(" *`") for it in re.findall(r"(?<=\|)[^|\n]+(?=\|)", told)}
    labels |= {*ITALIC.findall(told)}
    yield from (f"docs: {it}" for it, label in options().items() if label not in labels)
    for tree in DESCRIBED.values():
        names = [f"`dp1.{name}`" for name in tree if not name.startswith(".")]
        for page, lines in ("docs/", told), ("CHANGELOG.md", PAGES["CHANGELOG.md"]):
            yield from (f"{page}: {name}" for name in names if name not in lines)
    for path in (ROOT / "scripts").iterdir():
        is_command = path.is_file() and not path.suffix and path.name[0] != "_"
        if is_command and f"`scripts/{path.name}`" not in told:
            yield f"scripts/{path.name}"
    yield from code_hosts() - set(HOST.findall(PAGES["docs/privacy.md"]))
    for name in entity_names():
        if name.partition(" (")[0] not in PAGES["docs/entities.md"]:
            yield f"docs/entities.md: {name}"


@check
def pages_lead_on() -> Iterator[str]:
    """Links lead to existing files and headings, and each page is one click away."""
    for name, text in PAGES.items():
        folder = (ROOT / name).parent
        for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
            target, _, anchor = link.partition("#")
            path = folder / target if target else ROOT / name
            if not path.exists() or (
                anchor and anchor not in anchors(path.read_text())
            ):
                yield f"{name}: {link}"
        if name != "README.md" and f"]({name})" not in PAGES["README.md"]:
            yield f"{name} is not linked"


# What galleries say, and what beside a spinner reads as frozen.
HANGS = {
    "en": r"\b[Hh](ang|ung)",
    "de": r"[Hh]äng|hing",
    "fr": r"ccroch",
    "es": r"[Cc](o|ue)lg",
    "nl": r"\bhang|[Oo]p(ge)?hang",
    "ja": r"飾",
    "zh-Hans": r"挂",
}


@check
def nothing_hangs() -> Iterator[str]:
    """A display shows, in all languages."""
    for language, tree in LANGUAGES.items():
        for path, text in leaves(tree):
            if re.search(HANGS[language], text):
                yield f"{language}: {path}: {text}"


@pytest.mark.parametrize("looked_at", CHECKS, ids=lambda each: each.__name__)
def test_texts(looked_at: Check) -> None:
    """The table."""
    assert [*looked_at()] == []


def test_the_checks_look_at_something() -> None:
    """The code names keys."""
    assert sum(section == "exceptions" for section, _, _ in uses()) > 20


@pytest.mark.parametrize(
    ("kind", "platform"), [("triggers", trigger), ("conditions", condition)]
)
async def test_triggers_and_conditions(
    hass: HomeAssistant, kind: str, platform: ModuleType
) -> None:
    """Each has texts, an icon and fields that its schema takes."""
    library = MockConfigEntry(
        domain="dp1", entry_id="01JABCDEF", data={"kind": "library"}
    )
    library.add_to_hass(hass)
    described = {it: text for it, text in DESCRIBED[kind].items() if it[0] != "."}
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
