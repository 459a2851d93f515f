"""Run the tests of the client and the simulators where Home Assistant is not installed.

Loaded by scripts/test-client with ``-p tests.client.alone``.
"""

from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from pathlib import Path
import sys

import pytest

import custom_components

INTEGRATION = Path(__file__).parents[2] / "custom_components" / "dp1"

if find_spec("homeassistant"):
    raise pytest.UsageError("Home Assistant is installed here: use scripts/test-client")

# An empty package in place of the integration, whose own module imports Home Assistant.
package = ModuleSpec("custom_components.dp1", None, is_package=True)
package.submodule_search_locations = [str(INTEGRATION)]
custom_components.dp1 = sys.modules[package.name] = module_from_spec(package)


@pytest.fixture
def socket_enabled() -> None:
    """Replace the fixture of Home Assistant's test package, which allows sockets."""


# The delays of tests, and the random inputs of them all.
from . import timing  # noqa: E402, F401
