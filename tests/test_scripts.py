"""The scripts leave an environment alone that is as they want it."""

from pathlib import Path
import shutil
import subprocess

from .sources import ROOT

SETUP = ("scripts/_setup.sh", "scripts/_requirements.py", "pyproject.toml")
# What would install says so instead.
PREPARE = """
. scripts/_setup.sh
find_uv() { echo installer; }
find_python() { echo python; }
installer() { :; }
export -f installer
mkdir -p .venv-ha/bin
printf '#!/bin/sh\n' >.venv-ha/bin/python
chmod +x .venv-ha/bin/python
env() { echo installs; }
venv_stable
"""


def prepare(checkout: Path) -> list[str]:
    """Prepare the environment of a checkout; return what is installed."""
    done = subprocess.run(
        ["bash", "-c", PREPARE],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_environment_is_kept(tmp_path: Path) -> None:
    """It is made again when what it is made from changes, not when the checkout has moved."""
    checkout = tmp_path / "here"
    for name in SETUP:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, checkout / name)
    assert prepare(checkout)
    assert not prepare(checkout)
    moved = checkout.rename(tmp_path / "there")
    assert not prepare(moved)
    with (moved / "pyproject.toml").open("a") as project:
        project.write("# changed\n")
    assert prepare(moved)
