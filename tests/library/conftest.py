"""A catalog, a feed, and libraries of them."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.const import DOMAIN
from custom_components.dp1.library import Library
from custom_components.dp1.protocol import catalog as catalog_client, feed_connection
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant

from tests.simulators.catalog import CatalogSimulator
from tests.simulators.feed import FeedSimulator

SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"

type MakeLibrary = Callable[..., Awaitable[Library]]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait long for a server that is in trouble."""
    monkeypatch.setattr(catalog_client, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(catalog_client, "TIMEOUT_SECONDS", 2.0)
    monkeypatch.setattr(feed_connection, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(feed_connection, "READ_TIMEOUT", 2.0)


@pytest.fixture
async def catalog(socket_enabled: None) -> AsyncGenerator[CatalogSimulator]:
    """Run a catalog."""
    async with CatalogSimulator() as simulator:
        yield simulator


@pytest.fixture
async def feed(socket_enabled: None) -> AsyncGenerator[FeedSimulator]:
    """Run a feed."""
    async with FeedSimulator() as simulator:
        yield simulator


@pytest.fixture
async def make_library(hass: HomeAssistant) -> AsyncGenerator[MakeLibrary]:
    """Make libraries, and stop them at the end; one with the id of a stopped one comes after it."""
    libraries: list[tuple[MockConfigEntry, Library]] = []

    async def make(
        catalog: CatalogSimulator | None = None,
        feed: FeedSimulator | None = None,
        *,
        entry_id: str = "library",
        options: dict[str, Any] | None = None,
        wait: bool = True,
    ) -> Library:
        for entry, library in libraries:
            if entry.entry_id == entry_id and entry.state is ConfigEntryState.LOADED:
                await stop(entry, library)
        entry = MockConfigEntry(
            domain=DOMAIN,
            title="Gallery",
            entry_id=entry_id,
            options=options or {},
            data={
                "kind": "library",
                "catalog_url": catalog.url if catalog else None,
                "feed_url": feed.url if feed else None,
                "api_key": None,
                "signing_key": SEED,
            },
        )
        entry.mock_state(hass, ConfigEntryState.LOADED)
        library = Library(hass, entry)
        libraries.append((entry, library))
        await library.async_start()
        if wait:
            await library.async_children("exhibitions")
            await library.async_children("playlists")
        return library

    async def stop(entry: MockConfigEntry, library: Library) -> None:
        await library.async_stop()
        for task in tuple(entry._background_tasks):
            task.cancel()
        entry.mock_state(hass, ConfigEntryState.NOT_LOADED)

    yield make
    for entry, library in libraries:
        if entry.state is ConfigEntryState.LOADED:
            await stop(entry, library)
