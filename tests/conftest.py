"""Fixtures of all tests."""

import asyncio
from asyncio import constants
from collections.abc import AsyncIterator, Iterator
import gc
import logging

from aiohttp import web_app
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from zeroconf import IPVersion

import custom_components  # noqa: F401  (before Home Assistant looks for its own test integrations)
from custom_components.dp1 import addresses
from custom_components.dp1.client.hosts import GATEWAYS
from homeassistant import block_async_io, config_entries
from homeassistant.components.zeroconf.models import HaAsyncZeroconf, HaZeroconf
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity import Entity
from homeassistant.util import executor

from .client.timing import impatient
from .displays import DEVICE_ID, Names, entry_of, set_up
from .galleries import Gallery
from .pictures import PNG
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.display import DisplaySimulator
from .simulators.display.mdns import close
from .simulators.feed import FeedSimulator
from .simulators.gateway import CID, ID, Internet, Mode
from .timing import FAST
from .walls import Wall

from tests.timing import DEFAULTS, Timing, set_timing

# Home Assistant waits a tenth of this for all threads together before it interrupts those that are ending. On a busy
# machine, one that is interrupted then does not wake the next, and the test ends with a thread too many.
executor.EXECUTOR_SHUTDOWN_TIMEOUT = 120

# Home Assistant's test package lets everything be written to a stream; pytest shows the same of a test that fails.
logging.getLogger().handlers = [
    handler
    for handler in logging.getLogger().handlers
    if type(handler) is not logging.StreamHandler
]
logging.getLogger().setLevel(logging.WARNING)

# Of the stack that made a coroutine, which debug mode keeps with each.
constants.DEBUG_STACK_DEPTH = 1

# Nothing that is imported is ever garbage.
gc.disable()


# What a newcomer does not wait for: marked `full`, and run by `scripts/test --all`. A file or a folder, or a test of one.
FULL = (
    *("tests/test_benchmark.py", "tests/test_faults.py", "tests/test_fuzz.py"),
    *("tests/test_soak.py", "tests/actions/test_endless_input.py"),
    *("tests/actions/test_large_documents.py", "tests/screen/test_network.py"),
    "tests/screen/test_own_pictures.py",
    *("tests/screen/test_page.py", "tests/screen/test_tap.py"),
    *("tests/screen/test_works.py", "tests/voice/test_among_others.py"),
    *("tests/voice/test_cost.py", "tests/voice/test_fresh_wishes.py"),
    *("tests/voice/test_giving_way.py", "tests/e2e/"),
    "tests/voice/test_sentences.py::test_what_is_said_is_done",
)
SMOKE = "tests/e2e/test_card_alone.py"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option for the newer Home Assistant, whose interfaces each input of a test meets alike."""
    help_text = "run each test with the first of its inputs only"
    parser.addoption("--one-of-each", action="store_true", help=help_text)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Mark what only the whole suite runs, and start with what may take long, so that it does not run alone at the end."""
    for item in items:
        if item.nodeid.startswith(FULL) and not item.nodeid.startswith(SMOKE):
            item.add_marker(pytest.mark.full)
    if config.getoption("--one-of-each"):
        first = {item.nodeid.partition("[")[0]: item for item in reversed(items)}
        items[:] = reversed(first.values())
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)


@pytest.fixture(autouse=True, scope="session")
def garbage_collection() -> Iterator[None]:
    """Collect garbage among the objects of tests only, and not before each module or at the end."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()
    yield
    gc.freeze()


@pytest.fixture(autouse=True)
def forget_web_servers() -> Iterator[None]:
    """Let go of each Home Assistant, whose web server aiohttp remembers by its handlers."""
    yield
    web_app._cached_build_middleware.cache_clear()


@pytest.fixture(autouse=True)
def auto_enable_custom_integrations(request: pytest.FixtureRequest) -> None:
    """Enable custom integrations in tests with a Home Assistant."""
    if "hass" in request.fixturenames:
        request.getfixturevalue("enable_custom_integrations")


@pytest.fixture(autouse=True)
def refuse_blocking_calls(request: pytest.FixtureRequest) -> None:
    """Refuse calls that block the event loop, as a real Home Assistant does, until the end of the test."""
    if "hass" in request.fixturenames:
        request.getfixturevalue("disable_block_async_io")
        block_async_io.enable()


@pytest.fixture
def timing() -> Timing:
    """Return the delays of the integration; tests override them."""
    return FAST


@pytest.fixture(autouse=True)
def use_timing(timing: Timing) -> None:
    """Let the integration use the delays of tests."""
    set_timing(**{**DEFAULTS, **timing})


@pytest.fixture(autouse=True)
def save_entries_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Home Assistant save its entries as soon as they change: who publishes waits for it."""
    monkeypatch.setattr(config_entries, "SAVE_DELAY", 0)


@pytest.fixture(autouse=True)
async def enable_event_loop_debug(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse calls from other threads, as debug mode does, but without what is slow of it."""
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    monkeypatch.setattr(loop, "get_debug", lambda: False)
    monkeypatch.setattr(loop, "_check_callback", lambda callback, method: None)


@pytest.fixture
def entity_registry_enabled_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enable the entities that are disabled by default."""
    monkeypatch.setattr(Entity, "entity_registry_enabled_default", True)


@pytest.fixture
def profile() -> str:
    """Return the firmware of the display; tests override it by a parameter."""
    return "B"


@pytest.fixture
def storm_gate() -> bool:
    """Return whether the display limits the rate of commands; tests override it by a parameter."""
    return False


@pytest.fixture
async def display(
    socket_enabled: None, profile: str, storm_gate: bool
) -> AsyncIterator[DisplaySimulator]:
    async with DisplaySimulator(
        profile=profile, device_id=DEVICE_ID, poll_interval=0.2, storm_gate=storm_gate
    ) as simulator:
        yield simulator


@pytest.fixture
def display_entry(display: DisplaySimulator) -> MockConfigEntry:
    return entry_of(display)


@pytest.fixture
async def setup_display(
    hass: HomeAssistant, display_entry: MockConfigEntry
) -> MockConfigEntry:
    return await set_up(hass, display_entry)


@pytest.fixture
async def internet(
    socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Internet]:
    """An internet in which there are all gateways and the hosts of the vendor, from before Home Assistant has a session for it."""
    gateways = (gateway.host for each in GATEWAYS.values() for gateway in each)
    hosts = dict.fromkeys((*gateways, "cdn.artworks.feralfile.io"), Mode.LIVES)
    works = dict.fromkeys((f"{CID}/a.png", ID), ("image/png", PNG))
    works[f"{CID}/"] = ("text/html", b"<h1>Work</h1>")
    async with Internet(hosts, works).running() as simulated:
        monkeypatch.setattr(addresses, "public_session", simulated.session)
        yield simulated


@pytest.fixture
def bare(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> Wall:
    """Return a display that is not set up yet."""
    return Wall(hass, display, display_entry)


@pytest.fixture
async def wall(bare: Wall) -> Wall:
    """Return a display that is set up."""
    await bare.set_up()
    return bare


@pytest.fixture
async def feed(socket_enabled: None) -> AsyncIterator[FeedSimulator]:
    """Run a simulated feed that accepts signatures."""
    async with FeedSimulator(random_seed=1) as simulator:
        yield simulator


@pytest.fixture
async def catalog(socket_enabled: None) -> AsyncIterator[CatalogSimulator]:
    async with CatalogSimulator() as simulator:
        yield simulator


@pytest.fixture
async def mdns(
    hass: HomeAssistant, socket_enabled: None
) -> AsyncIterator[HaAsyncZeroconf]:
    """Let Home Assistant use mDNS on loopback, which it would skip."""
    zeroconf = HaZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    hass.data["zeroconf"] = instance = HaAsyncZeroconf(zc=zeroconf)
    yield instance
    await close(instance)


@pytest.fixture(autouse=True)
def one_zeroconf_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test make its own instance: Home Assistant hands the first of a process to whoever makes another."""
    catcher = "homeassistant.components.zeroconf.install_multiple_zeroconf_catcher"
    monkeypatch.setattr(catcher, lambda _: None)


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolve the name of the display, and ask nobody for those of strangers."""
    resolver = Names({"ff1-ab12cd34.local": "127.0.0.1", "localhost": "127.0.0.1"})
    # What Home Assistant's sessions ask, what all others ask, and what is asked for a server at home with a public name.
    for made in (
        "homeassistant.helpers.aiohttp_client._async_make_resolver",
        "aiohttp.connector.DefaultResolver",
        "aiohttp.ThreadedResolver",
    ):
        monkeypatch.setattr(made, lambda *_, **__: resolver)


@pytest.fixture
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the timeouts of libraries."""
    impatient(monkeypatch)


@pytest.fixture
async def gallery(
    hass: HomeAssistant, socket_enabled: None, impatience: None
) -> AsyncIterator[Gallery]:
    """Set up a display and a library."""
    async with Gallery.of(hass) as found:
        yield found
