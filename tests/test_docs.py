"""Everything that the documentation names exists, and what exists is named there."""

import ast
from collections.abc import Iterator
import json
import re
from typing import Any

import pytest
import yaml
from yarl import URL

from .sources import INTEGRATION, ROOT, modules

DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *ROOT.glob("C*.md"), *DOCS.glob("*.md"))
TEXTS = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in PAGES}
ENGLISH: dict[str, Any] = json.loads(
    (INTEGRATION / "translations" / "en.json").read_text("utf-8")
)
# Words of Home Assistant, of its store, of GitHub and of this project's changelog, in italics.
HOME_ASSISTANT = set(
    """Actions|Add card|Add dashboard|Add integration|Automations & scenes|Blueprints|Browse media|Configure
    |Collection image|Custom repositories|Dashboards|Developer tools|Devices & services|Expose|Tools|Voice assistants|Download diagnostics|JavaScript module|Panel
    |Reconfigure|Repairs|Resources|Settings|System|System information|Unreleased|integration""".replace(
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
HEADINGS = (
    "Use cases",
    "Supported devices",
    "Supported functions",
    "Data updates",
    "Known limitations",
    "Troubleshooting",
    "Removal",
)
MAX_WORDS = 110


def leaves(tree: dict[str, Any]) -> Iterator[str]:
    """Yield every text of a tree."""
    for value in tree.values():
        yield from leaves(value) if isinstance(value, dict) else [value]


def described(kind: str) -> dict[str, Any]:
    """Return what a YAML file of the integration describes."""
    tree: dict[str, Any] = yaml.safe_load((INTEGRATION / f"{kind}.yaml").read_text())
    return {name: value for name, value in tree.items() if not name.startswith(".")}


def code_hosts() -> set[str]:
    """Return the hosts that the code has an address of."""
    texts = [
        node.value
        for tree in modules(INTEGRATION).values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    texts += [path.read_text("utf-8") for path in INTEGRATION.rglob("*.js")]
    found = {
        URL(url).host or ""
        for text in texts
        for url in re.findall(r"https?://[\w.-]+", text)
    }
    return {host for host in found if not NO_HOSTS.search(host)}


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


def cells(text: str) -> set[str]:
    """Return the cells of all tables, without their marks."""
    rows = re.findall(r"^\|(.*)\|$", text, re.MULTILINE)
    return {cell.strip(" *`") for row in rows for cell in row.split("|")}


def commands() -> set[str]:
    """Return the commands that people run."""
    return {
        f"scripts/{path.name}"
        for path in (ROOT / "scripts").iterdir()
        if path.is_file() and not path.suffix and not path.name.startswith("_")
    }


def unknown(name: str, text: str) -> set[str]:
    """Return what a page names that does not exist."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    found: set[str] = set()
    known = {*leaves(ENGLISH), *HOME_ASSISTANT, *OWN_NAMES}
    for italic in ITALIC.findall(prose):
        found |= {part for part in re.split(r" (?:→|>) ", italic) if part not in known}
    acts = {*described("services"), *described("triggers"), *described("conditions")}
    acts |= {path.parent.name for path in (INTEGRATION / "frontend").glob("*.js")}
    found |= {
        f"dp1.{act}"
        for act in re.findall(r"(?<![\w/.])dp1\.(\w+)(?![\w/])", text)
        if act not in acts and act not in {"yaml", "zip"}
    }
    for path in re.findall(r"`((?:[\w.<>-]+/)+[\w.<>*-]*)[^`]*`", prose):
        if path.startswith(ELSEWHERE) or "://" in path:
            continue
        if not any((folder / path).exists() for folder in FOLDERS):
            found.add(path)
    if name == "docs/privacy.md":
        found |= set(HOST.findall(prose)) - code_hosts()
    if name == "docs/entities.md":
        found |= unknown_entities(text)
    return found


def unknown_entities(text: str) -> set[str]:
    """Return the names in tables of entities that no entity has."""
    named = {
        entity.get("name", "")
        for platform in ENGLISH["entity"].values()
        for entity in platform.values()
    }
    found: set[str] = set()
    for table in re.findall(
        r"^\| entity \|.*\n\| .*\n((?:\|.*\n)+)", text, re.MULTILINE
    ):
        for row in table.splitlines():
            names = row.split("|")[1].replace("*", "").split(", ")
            found |= {name.strip() for name in names} - named
    return found


def missing() -> set[str]:
    """Return what exists and is not documented."""
    told = "\n".join(TEXTS.values())
    pages = ("docs/library.md", "docs/troubleshooting.md")
    labels = {cell for page in pages for cell in cells(TEXTS[page])}
    found = {name for name, label in options().items() if label not in labels}
    found |= {
        f"`dp1.{name}`"
        for kind in ("services", "triggers", "conditions")
        for name in described(kind)
        if f"`dp1.{name}`" not in told
    }
    found |= {name for name in commands() if f"`{name}`" not in told}
    return found | (code_hosts() - set(HOST.findall(TEXTS["docs/privacy.md"])))


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_named_exists(name: str) -> None:
    """Hosts, options, actions, entities, commands and files of a page are there."""
    assert unknown(name, TEXTS[name]) == set()


def test_what_exists_is_named() -> None:
    """Hosts, options, actions, triggers, conditions and commands are documented."""
    assert missing() == set()


@pytest.mark.parametrize(
    ("page", "name", "misspelt"),
    [
        ("docs/privacy.md", "ipfs.io", "ipsf.io"),
        ("docs/voice.md", "*Voice sentences*", "*Voice sentence*"),
        ("docs/actions.md", "dp1.cast_playlist", "dp1.cast_playlst"),
        ("docs/entities.md", "| Scaling |", "| Scalling |"),
        ("docs/development.md", "`scripts/soak`", "`scripts/soack`"),
        ("CONTRIBUTING.md", "`library/library.py`", "`library/libary.py`"),
    ],
    ids=["host", "option", "action", "entity", "command", "file"],
)
def test_a_misspelt_name_is_noticed(page: str, name: str, misspelt: str) -> None:
    """The check itself fails for each kind of name that is written wrong."""
    assert name in TEXTS[page]
    (found,) = unknown(page, TEXTS[page].replace(name, misspelt))
    assert found == misspelt.strip("*`| ")


@pytest.mark.parametrize(
    ("page", "name", "fault"),
    [
        ("docs/privacy.md", "`ipfs.io`", "ipfs.io"),
        ("docs/library.md", "| Margin |", "defaults.margin"),
        ("docs/development.md", "`scripts/soak`", "scripts/soak"),
    ],
    ids=["host", "option", "command"],
)
def test_an_omission_is_noticed(
    monkeypatch: pytest.MonkeyPatch, page: str, name: str, fault: str
) -> None:
    """The check itself fails for what no page names."""
    monkeypatch.setitem(TEXTS, page, TEXTS[page].replace(name, ""))
    assert fault in missing()


def test_changelog_is_complete() -> None:
    """The changelog names each action, trigger and condition."""
    told = TEXTS["CHANGELOG.md"]
    for kind in ("services", "triggers", "conditions"):
        assert {
            name for name in described(kind) if f"`dp1.{name}`" not in told
        } == set()


def test_pages_are_searched_by_their_headings() -> None:
    """What people search for is a heading."""
    headings = re.findall(r"^## (.*)$", "\n".join(TEXTS.values()), re.MULTILINE)
    for wanted in HEADINGS:
        assert any(heading.startswith(wanted) for heading in headings), wanted


@pytest.mark.parametrize("name", TEXTS)
def test_paragraphs_are_short(name: str) -> None:
    """A paragraph that nobody reads to its end is a table, or two."""
    prose = re.sub(r"```.*?```", "", TEXTS[name], flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n|\n(?=[|*#\d-])", prose):
        words = len(paragraph.split())
        assert words <= MAX_WORDS or paragraph.startswith("|"), paragraph[:80]
