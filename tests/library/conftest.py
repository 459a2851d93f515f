"""Fixtures for a catalog, a feed and their libraries."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from typing import Any, override

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1 import async_setup_data
from custom_components.dp1.addresses import ADDRESSES
from custom_components.dp1.const import DOMAIN
from custom_components.dp1.library import library as library_module
from custom_components.dp1.library.libraries import async_tell_changed
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.providers.catalog import provider
from custom_components.dp1.storage import SafeStore
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant

from tests import libraries
from tests.client import timing
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator


class LibraryEntry(MockConfigEntry):
    """A config entry that is not set up, but cancels its background tasks when stopped."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tasks: list[asyncio.Task[Any]] = []

    @override
    def async_create_background_task(self, *args: Any, **kwargs: Any) -> Any:
        task = super().async_create_background_task(*args, **kwargs)
        self.tasks.append(task)
        return task


type MakeLibrary = Callable[..., Awaitable[Library]]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts, but wait for whole playlists on a busy machine."""
    timing.impatient(monkeypatch)
    for module in (provider, library_module):
        monkeypatch.setattr(module, "BUILD_PATIENCE", 100.0)


@pytest.fixture
async def make_library(hass: HomeAssistant) -> AsyncGenerator[MakeLibrary]:
    """Return a factory of libraries, which are stopped at the end."""
    made: list[tuple[LibraryEntry, Library]] = []

    async def make(
        catalog: CatalogSimulator | None = None,
        feed: FeedSimulator | None = None,
        *,
        entry_id: str = "library",
        options: dict[str, Any] | None = None,
        wait: bool = True,
    ) -> Library:
        for entry, library in made:
            if entry.entry_id == entry_id and entry.state is ConfigEntryState.LOADED:
                await stop(entry, library)
        entry = LibraryEntry(
            domain=DOMAIN,
            title="Gallery",
            entry_id=entry_id,
            options=options or {},
            data={
                "kind": "library",
                "catalog_url": catalog.url if catalog else None,
                "feed_url": feed.url if feed else None,
                "api_key": None,
            },
        )
        entry.mock_state(hass, ConfigEntryState.LOADED)
        if ADDRESSES not in hass.data:
            async_setup_data(hass)
        await SafeStore(hass, f"signing_key.{entry_id}", dict).async_save(
            {"signing_key": libraries.SEED}
        )
        library = Library(hass, entry, partial(async_tell_changed, hass))
        made.append((entry, library))
        await library.async_start()
        if wait:
            await library.async_children("exhibitions")
            await library.async_children("playlists")
        return library

    async def stop(entry: LibraryEntry, library: Library) -> None:
        await library.async_stop()
        for task in entry.tasks:
            task.cancel()
        entry.mock_state(hass, ConfigEntryState.NOT_LOADED)

    yield make
    for entry, library in made:
        if entry.state is ConfigEntryState.LOADED:
            await stop(entry, library)


@pytest.fixture
async def library(catalog: CatalogSimulator, make_library: MakeLibrary) -> Library:
    """Return a library of the catalog, which has read its list."""
    return await make_library(catalog)
