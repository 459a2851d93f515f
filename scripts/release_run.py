"""Pack an archive of the integration, install it as a stranger would, use it, and remove it.

The archive has the files of ``custom_components/dp1`` at its root, as HACS expects of a ``zip_release``.
"""

import argparse
import asyncio
from contextlib import AsyncExitStack
import json
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

from .demo_run import DISCOVERY_SECONDS, device_id, find_player

from tests.e2e.home import ROOT, Home, HomeError
from tests.simulators.display import DisplaySimulator

FOLDER = "custom_components/dp1"
NAME = "Release check"
MESSAGE = "Hello"
# Home Assistant says this of every custom integration.
UNTESTED = "has not been tested by Home Assistant"


class ReleaseError(Exception):
    """The archive is not what can be released."""


def pack(path: Path) -> None:
    """Pack the last commit."""
    subprocess.run(
        ["git", "archive", "--format=zip", f"--output={path}", f"HEAD:{FOLDER}"],
        cwd=ROOT,
        check=True,
    )


def version_of(path: Path) -> str:
    """Return the version of an archive.

    Raises:
        ReleaseError: its files are not at its root, or it is none.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return str(json.loads(archive.read("manifest.json"))["version"])
    except (KeyError, ValueError, zipfile.BadZipFile) as err:
        raise ReleaseError(f"{path.name} has no manifest at its root: {err}") from err


def check_tag(tag: str | None, version: str) -> None:
    """Compare a tag, if there is one, with a version.

    Raises:
        ReleaseError: they differ.
    """
    if tag and tag != f"v{version}":
        raise ReleaseError(
            f"the tag {tag} is not the version {version} of the manifest"
        )


def notes_of(changelog: str, version: str) -> str:
    """Return what a changelog says of a version.

    Raises:
        ReleaseError: nothing.
    """
    pattern = rf"^## {re.escape(version)}(?: .*)?\n([\s\S]*?)(?=^## |\Z)"
    found = re.search(pattern, changelog, re.MULTILINE)
    if found is None or not (notes := found[1].strip()):
        raise ReleaseError(f"CHANGELOG.md says nothing of {version}")
    return notes + "\n"


async def _find(home: Home) -> str:
    """Add the display from its discovery, and return the id of its entry."""

    async def found() -> str | None:
        """Return the entry, once the discovery is confirmed."""
        # During onboarding it is added at once.
        for flow in await home.discovered("dp1"):
            await home.step(flow["flow_id"], {})
        for entry in await home.ask("config_entries/get", domain="dp1"):
            if entry["source"] == "zeroconf" and entry["state"] == "loaded":
                return str(entry["entry_id"])
        return None

    return str(await home.until(found, DISCOVERY_SECONDS, "discovery"))


async def _show(home: Home, display: DisplaySimulator) -> None:
    """Show a message, and wait until the display has it."""
    player = await find_player(home)
    data = {"entity_id": player, "title": MESSAGE, "text": "From an archive."}
    await home.call("dp1.show_message", data, response=True)

    async def hangs() -> bool:
        """Return whether the display and Home Assistant agree on the message."""
        state = await home.state(player)
        title = state["attributes"].get("media_title") if state else None
        return title == (display.state.playlist or {}).get("title") == MESSAGE

    await home.until(hangs, 30, "the message on the display")


async def _remove(home: Home, entry_id: str, installed: Path) -> None:
    """Delete the entry and the folder, start again, and look for what is left.

    Raises:
        ReleaseError: something is.
    """
    await home.delete(f"/api/config/config_entries/entry/{entry_id}")
    await home.stop()
    shutil.rmtree(installed)
    await home.start()
    left = [path.name for path in (home.folder / ".storage").glob("dp1*")]
    left += [
        entity["entity_id"]
        for entity in await home.ask("config/entity_registry/list")
        if entity["platform"] == "dp1"
    ]
    left += [
        str(path.relative_to(home.folder))
        for path in (home.folder / "custom_sentences").rglob("*")
    ]
    if left:
        raise ReleaseError(f"left behind: {', '.join(left)}")


def complaints(log: str) -> list[str]:
    """Return the warnings and errors of a log that concern the integration."""
    return [
        line
        for line in log.splitlines()
        if re.search(r" (WARNING|ERROR|CRITICAL) ", line)
        and re.search(r"\bdp1\b(?!-)", line)
        and UNTESTED not in line
    ]


async def check(archive: Path, python: str) -> str:
    """Install an archive, use it, remove it, and tell in one line what was seen.

    Raises:
        ReleaseError: it is not fit for a release.
        HomeError: Home Assistant did not do what it was asked.
    """
    version, started = version_of(archive), time.monotonic()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        installed = folder / FOLDER
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(installed)
        display = await stack.enter_async_context(
            DisplaySimulator(device_id=device_id(folder), name=NAME, mdns=True)
        )
        display.caster.preflight = False
        home = await stack.enter_async_context(Home(folder, python=python))
        entry_id = await _find(home)
        await _show(home, display)
        await _remove(home, entry_id, installed)
        if found := complaints(home.log):
            raise ReleaseError("\n".join(["the log complains:", *found]))
    seconds = time.monotonic() - started
    return f"OK: {version} was discovered, shown and removed without trace in {seconds:.0f} s"


def main() -> int:
    """Run the check and write the notes."""
    parser = argparse.ArgumentParser(
        prog="scripts/release_check", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--archive", type=Path, help="where to pack it, and keep it")
    parser.add_argument("--tag", help="that must name the version, as v1.2.3")
    parser.add_argument("--notes", type=Path, help="file for what the changelog says")
    parser.add_argument(
        "--python", default=sys.executable, help="of another Home Assistant"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive: Path = options.archive or Path(folder) / "dp1.zip"
        try:
            pack(archive.resolve())
            version = version_of(archive)
            check_tag(options.tag, version)
            if options.notes:
                changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
                options.notes.write_text(notes_of(changelog, version), "utf-8")
            print(asyncio.run(check(archive, options.python)))
        except (HomeError, ReleaseError) as err:
            print(f"FAILED: {err}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
