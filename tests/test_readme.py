"""Test that the documentation is complete, and that its links and pictures exist."""

import json
from pathlib import Path
import re
from typing import Any

import pytest
import yaml

from .simulators.catalog.data import CatalogData
from .sources import INTEGRATION, ROOT

README = ROOT / "README.md"
DOCS = ROOT / "docs"
FILM = DOCS / "film.webp"
FILM_BYTES = 3_000_000
PAGES = (README, *ROOT.glob("C*.md"), *DOCS.glob("*.md"))
TEXTS = {path: path.read_text("utf-8") for path in PAGES}
PATHS = pytest.mark.parametrize(
    "path", TEXTS, ids=lambda path: str(path.relative_to(ROOT))
)
ACTIONS: dict[str, Any] = yaml.safe_load(
    (INTEGRATION / "services.yaml").read_text(encoding="utf-8")
)
ENTITIES: dict[str, dict[str, dict[str, Any]]] = json.loads(
    (INTEGRATION / "translations" / "en.json").read_text(encoding="utf-8")
)["entity"]


def fields(described: dict[str, Any]) -> set[str]:
    """Return the names of all fields, including those in sections."""
    found: set[str] = set()
    for name, field in described.items():
        found |= fields(field["fields"]) if "fields" in field else {name}
    return found


def section(text: str, title: str) -> str:
    """Return the text below a heading."""
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings on GitHub."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("action", ACTIONS)
def test_each_action_is_described_with_every_field(action: str) -> None:
    """Each action has a heading, and its table has exactly its fields."""
    told = section(TEXTS[DOCS / "actions.md"], f"`dp1.{action}`")
    assert set(re.findall(r"^\| `(\w+)`", told, re.MULTILINE)) == fields(
        (ACTIONS[action] or {}).get("fields", {})
    )


@pytest.mark.parametrize("platform", ENTITIES)
def test_each_entity_is_described(platform: str) -> None:
    """Every name of an entity is mentioned."""
    told = TEXTS[DOCS / "entities.md"]
    names = {
        entity["name"].partition(" (")[0]
        for entity in ENTITIES[platform].values()
        if "name" in entity
    }
    assert {name for name in names if name not in told} == set()


@PATHS
def test_each_link_leads_somewhere(path: Path) -> None:
    """A link within the project leads to an existing file and heading."""
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", TEXTS[path]):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(TEXTS[target]), link


@PATHS
def test_each_page_is_one_click_away(path: Path) -> None:
    """The README links every page."""
    assert path == README or f"]({path.relative_to(ROOT)})" in TEXTS[README]


def test_each_picture_is_there() -> None:
    """Every picture exists and is used."""
    shown = {
        path.parent / name
        for path, text in TEXTS.items()
        for name in re.findall(r'(?:\]\(|src=")([\w/-]+\.(?:png|webp))', text)
    }
    assert shown == {path for path in DOCS.iterdir() if path.suffix != ".md"}
    assert FILM.stat().st_size < FILM_BYTES


def test_first_screen_is_enough_to_start() -> None:
    """One picture and the film, six features, three steps, and what works in every home come before everything else."""
    first = TEXTS[README].partition("## Find out more")[0]
    assert len(re.findall(r"^\* ", first, re.MULTILINE)) == 6
    assert re.findall(r"^(\d)\. ", first, re.MULTILINE) == ["1", "2", "3"]
    pictures = re.findall(r"^!\[[^]]+\]\((.+)\)$", first, re.MULTILINE)
    assert pictures == ["docs/label-wall.png", f"docs/{FILM.name}", "docs/gallery.png"]
    message, cast = (
        first.find(f"action: dp1.{name}") for name in ("show_message", "cast_playlist")
    )
    assert 0 < message < cast
    assert {"`scripts/demo`", "`scripts/test`"} <= set(
        re.findall(r"`scripts/\w+`", TEXTS[README])
    )


def test_no_title_is_invented() -> None:
    """A title that only the simulated catalog has fails in every home, so no page names one."""
    data = CatalogData(None)
    invented = {show["title"] for show in data.exhibitions}
    invented |= {
        person["alumniAccount"]["fullName"]
        for show in data.exhibitions
        for person in show["artists"]
    }
    assert len(invented) > 10
    for path, text in TEXTS.items():
        assert {title for title in invented if title in text} == set(), path
