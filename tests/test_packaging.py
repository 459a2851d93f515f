"""Test the requirements of HACS and Home Assistant for the other files, as far as possible without a network."""

import importlib.resources
import json
from pathlib import Path
import re
import struct
from typing import Any

from awesomeversion import AwesomeVersion, AwesomeVersionStrategy
from packaging.requirements import Requirement
import pytest
import yaml

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.loader import async_get_integration, async_get_zeroconf

from .sources import INTEGRATION, PACKAGE, ROOT, imports, modules

MANIFEST: dict[str, Any] = json.loads((INTEGRATION / "manifest.json").read_text())
# Names in the manifest of an integration, and of those the ones that it needs.
REQUIRED = {
    "codeowners",
    "config_flow",
    "documentation",
    "domain",
    "integration_type",
    "iot_class",
    "issue_tracker",
    "name",
    "requirements",
    "version",
}
ALLOWED = REQUIRED | {
    "after_dependencies",
    "categories",
    "connectivity",
    "dependencies",
    "loggers",
    "quality_scale",
    "zeroconf",
}
HACS_KEYS = {
    "content_in_root",
    "country",
    "filename",
    "hacs",
    "hide_default_branch",
    "homeassistant",
    "name",
    "persistent_directory",
    "render_readme",
    "zip_release",
}
# Components whose names may be imported without depending on them: Home Assistant sets them up with
# the platform that an integration has for them, or they are there always.
PLATFORM_COMPONENTS = {*Platform} | {
    "diagnostics",
    "homeassistant",
    "logbook",
    "onboarding",
    "persistent_notification",
    "repairs",
    "system_health",
    "zeroconf",
}
RULES = """
action-setup appropriate-polling brands common-modules config-flow config-flow-test-coverage dependency-transparency
docs-actions docs-conditions docs-high-level-description docs-installation-instructions docs-removal-instructions
docs-triggers entity-event-setup entity-unique-id has-entity-name runtime-data test-before-configure test-before-setup
unique-config-entry
action-exceptions config-entry-unloading docs-configuration-parameters docs-installation-parameters entity-unavailable
integration-owner log-when-unavailable parallel-updates reauthentication-flow test-coverage
devices diagnostics discovery discovery-update-info docs-data-update docs-examples docs-known-limitations
docs-supported-devices docs-supported-functions docs-troubleshooting docs-use-cases dynamic-devices entity-category
entity-device-class entity-disabled-by-default entity-translations exception-translations icon-translations
reconfiguration-flow repair-issues stale-devices
async-dependency inject-websession strict-typing
"""
WRITTEN = [
    path
    for folder in (INTEGRATION, ROOT / ".github", ROOT / "blueprints")
    for path in sorted(folder.rglob("*"))
    if path.suffix in {".json", ".yaml", ".yml"}
]


class BlueprintLoader(yaml.SafeLoader):
    """A YAML loader with the tags of blueprints."""


BlueprintLoader.add_constructor("!input", lambda loader, node: node.value)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_file_parses(path: Path) -> None:
    """Every JSON and YAML file is valid and not empty."""
    text = path.read_text()
    assert (
        json.loads(text) if path.suffix == ".json" else yaml.load(text, BlueprintLoader)
    )


def test_manifest_keys() -> None:
    """The manifest has the required and only known keys, in order."""
    keys = list(MANIFEST)
    assert REQUIRED <= set(keys) <= ALLOWED
    assert keys == ["domain", "name", *sorted(keys[2:])]


def test_manifest_values() -> None:
    """The values of the manifest are valid."""
    assert MANIFEST["domain"] == INTEGRATION.name
    assert re.fullmatch(r"[a-z0-9_]+", MANIFEST["domain"])
    assert MANIFEST["iot_class"] == "local_push"
    assert MANIFEST["codeowners"]
    assert all(
        re.fullmatch(r"@[\w-]+(/[\w-]+)?", owner) for owner in MANIFEST["codeowners"]
    )
    assert MANIFEST["config_flow"] is (INTEGRATION / "config_flow.py").is_file()
    for url in (MANIFEST["documentation"], MANIFEST["issue_tracker"]):
        assert re.fullmatch(r"https://github\.com/[\w-]+/[\w-]+(/\S*)?", url)


def test_version() -> None:
    """The version is valid, and in the manifest only."""
    AwesomeVersion(
        MANIFEST["version"],
        ensure_strategy=[AwesomeVersionStrategy.SEMVER, AwesomeVersionStrategy.CALVER],
    )
    assert "\nversion = " not in (ROOT / "pyproject.toml").read_text()


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


async def test_home_assistant_loads_it(hass: HomeAssistant) -> None:
    """Home Assistant loads the integration and its zeroconf types."""
    integration = await async_get_integration(hass, MANIFEST["domain"])
    assert not integration.is_built_in
    assert integration.disabled is None
    matchers = await async_get_zeroconf(hass)
    assert {"domain": "dp1"} in matchers["_ff1._tcp.local."]


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


def test_store_file() -> None:
    """The files that HACS requires are there, and its minimum version of Home Assistant is tested."""
    assert all((ROOT / name).read_text().strip() for name in ("LICENSE", "README.md"))
    hacs = json.loads((ROOT / "hacs.json").read_text())
    assert hacs.keys() <= HACS_KEYS
    assert hacs["name"] == MANIFEST["name"]
    stable = re.search(
        r"^HA_STABLE=(\S+)$", (ROOT / "scripts" / "_setup.sh").read_text(), re.MULTILINE
    )
    assert stable
    assert AwesomeVersion(hacs["homeassistant"]) <= AwesomeVersion(stable[1])


@pytest.mark.parametrize("prefix", ["", "dark_"])
@pytest.mark.parametrize(("suffix", "height"), [("", 256), ("@2x", 512)])
def test_brand_images(prefix: str, suffix: str, height: int) -> None:
    """Icons are square, logos have the height of icons and are wider, all are transparent."""
    sizes = {}
    for kind in ("icon", "logo"):
        data = (INTEGRATION / "brand" / f"{prefix}{kind}{suffix}.png").read_bytes()
        assert data.startswith(b"\x89PNG\r\n\x1a\n")
        *sizes[kind], _, color = struct.unpack(">IIBB", data[16:26])
        assert color == 6  # red, green, blue, alpha
    assert sizes["icon"] == [height, height]
    assert sizes["logo"][1] == height < sizes["logo"][0]


def test_quality_scale() -> None:
    """Every rule has a status, an exemption has a comment, and what is done names the tests or files that show it."""
    rules = yaml.safe_load((INTEGRATION / "quality_scale.yaml").read_text())["rules"]
    assert sorted(rules) == sorted(RULES.split())
    for name, rule in rules.items():
        status = rule if isinstance(rule, str) else rule["status"]
        assert status in {"done", "exempt", "todo"}, name
        assert status == "todo" or rule["comment"].strip(), name
        shown = re.findall(r"([\w./]+(?:\.\w+|/\w+))(?:::(test_\w+))?", rule["comment"])
        assert shown or status != "done", name
        for path, test in shown if status == "done" else ():
            text = (ROOT / path).read_text()
            assert not test or f"def {test}(" in text, (name, test)


def test_parallel_updates() -> None:
    """Every platform says how many updates and actions may run at once."""
    platforms = [
        path for name in Platform if (path := INTEGRATION / f"{name.value}.py").exists()
    ]
    assert len(platforms) > 10
    for path in platforms:
        assert "\nPARALLEL_UPDATES = " in path.read_text(), path


def test_quality_scale_is_true() -> None:
    """What the quality scale says of the code can be seen there: dependencies, triggers, conditions, and their docs."""
    rules = yaml.safe_load((INTEGRATION / "quality_scale.yaml").read_text())["rules"]
    comment = rules["dependency-transparency"]["comment"]
    for requirement in MANIFEST["requirements"]:
        name, *_ = re.split(r"[<>=~!]", requirement)
        assert name in comment
    docs = "".join(path.read_text() for path in (ROOT / "docs").glob("*.md"))
    for kind in ("triggers", "conditions"):
        described = yaml.safe_load((INTEGRATION / f"{kind}.yaml").read_text())
        names = [name for name in described if not name.startswith(".")]
        assert names and rules[f"docs-{kind}"]["status"] == "done"
        for name in names:
            assert f"`dp1.{name}`" in docs, name
    for name, rule in rules.items():
        if isinstance(rule, dict) and "There are no" in rule["comment"]:
            pytest.fail(f"{name} is exempt because something is missing that is there")
    # Each entry is one device: a display, or the service of a library.
    assert MANIFEST["integration_type"] == "device"


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
        assert job["timeout-minutes"] <= 30
        for step in job["steps"]:
            assert "run" in step or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])
