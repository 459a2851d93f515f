"""The archive of a release, as far as it can be judged without a Home Assistant; scripts/release_check does the rest."""

from pathlib import Path
import zipfile

import pytest

from scripts.release_run import (
    ReleaseError,
    check_tag,
    complaints,
    notes_of,
    pack,
    version_of,
)

CHANGELOG = """# Changelog

## Unreleased

## 0.2.0 - 2026-12-01

### Added

- A door.

## 0.1.0

- A wall.
"""


def test_archive_has_the_files_at_its_root(tmp_path: Path) -> None:
    """HACS unpacks it into the folder of the integration."""
    archive = tmp_path / "dp1.zip"
    pack(archive)
    assert version_of(archive)
    with zipfile.ZipFile(archive) as opened:
        names = set(opened.namelist())
    assert {"manifest.json", "translations/en.json", "frontend/dp1-cards.js"} <= names
    assert not [name for name in names if name.startswith(("tests", "custom_"))]


def test_archive_with_a_folder_is_refused(tmp_path: Path) -> None:
    """HACS would unpack it one level too deep."""
    archive = tmp_path / "dp1.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("custom_components/dp1/manifest.json", "{}")
    with pytest.raises(ReleaseError, match="no manifest at its root"):
        version_of(archive)


def test_tag_is_the_version() -> None:
    """The manifest decides."""
    check_tag("v0.2.0", "0.2.0")
    with pytest.raises(ReleaseError, match=r"v0\.3\.0 is not the version"):
        check_tag("v0.3.0", "0.2.0")


def test_notes_are_those_of_the_version() -> None:
    assert notes_of(CHANGELOG, "0.2.0") == "### Added\n\n- A door.\n"
    assert notes_of(CHANGELOG, "0.1.0") == "- A wall.\n"
    for version in ("Unreleased", "0.2", "1.0.0"):
        with pytest.raises(ReleaseError, match="says nothing of"):
            notes_of(CHANGELOG, version)


def test_complaints_are_about_the_integration() -> None:
    """Home Assistant warns of every custom integration, and of what the machine lacks."""
    line = "2026-12-01 10:00:00.000 {} (MainThread) [{}] {}"
    bad = line.format("ERROR", "custom_components.dp1", "Lost")
    log = [
        line.format(
            "WARNING",
            "homeassistant.loader",
            "dp1 which has not been tested by Home Assistant",
        ),
        line.format("INFO", "custom_components.dp1", "Found"),
        line.format("ERROR", "haffmpeg.tools", "No such file"),
        line.format("WARNING", "homeassistant", "in ~/.cache/dp1-art-displays/python"),
        bad,
    ]
    assert complaints("\n".join(log)) == [bad]
