"""Helpers for tests of browsing, searching and sources: a display, a catalog and a feed in one Home Assistant."""

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.library.library import Library
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from .displays import DEVICE_ID, ENTITY_ID, entry_of, playlist, set_up, state_of, until
from .libraries import library_entry
from .library.shows import full_collection
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.display import DisplaySimulator
from .simulators.feed import FeedSimulator

# Exhibitions of the simulated catalog.
LARGE = "Twenty Kinds of Weather"
SMALL = "Everything Is a Window"
READY_MADE = "Tender Machines"
EVENING = "385f79b6-a45f-4c1c-8080-e93a192adccc"
CHANNEL = "0b0c7f9a-94d3-4f2b-9f37-6f6a35a3a111"


@dataclass
class Gallery:
    """A display, and a library of a catalog and a feed."""

    hass: HomeAssistant
    wall: DisplaySimulator
    catalog: CatalogSimulator
    feed: FeedSimulator
    entry: MockConfigEntry

    @classmethod
    @asynccontextmanager
    async def of(
        cls,
        hass: HomeAssistant,
        *,
        profile: str = "B",
        options: dict[str, Any] | None = None,
        load: bool = True,
        catalog: CatalogSimulator | None = None,
    ) -> AsyncIterator[Gallery]:
        """Set up everything, and wait until the library was read."""
        assert await async_setup_component(hass, "media_source", {})
        async with AsyncExitStack() as stack:
            catalog = await stack.enter_async_context(catalog or CatalogSimulator())
            feed = await stack.enter_async_context(FeedSimulator(random_seed=1))
            feed.seed(
                [playlist("Tide", "Dune"), full_collection(catalog, READY_MADE)],
                [{"id": CHANNEL, "title": "Evenings", "playlists": [EVENING]}],
            )
            wall = await stack.enter_async_context(
                DisplaySimulator(
                    profile=profile,
                    device_id=DEVICE_ID,
                    poll_interval=0.1,
                    page_delay=0.02,
                    storm_gate=False,
                )
            )
            # It would look at every work before it shows them, and the catalog would have to draw each.
            wall.caster.preflight = False
            entry = library_entry(
                feed.url, catalog.url, options=options, title="Gallery"
            )
            gallery = cls(hass, wall, catalog, feed, entry)
            await set_up(hass, entry_of(wall))
            if load:
                await gallery.load()
            yield gallery

    async def load(self) -> None:
        """Set up the library, and wait until it was read."""
        await set_up(self.hass, self.entry)
        await self.library.async_children("exhibitions")
        await self.library.async_children("playlists")
        await self.settled()

    async def settled(self) -> None:
        """Wait until the displays were updated."""
        await until(
            lambda: self.library.source_list().names.keys() == set(self.source_list)
        )

    @property
    def library(self) -> Library:
        library: Library = self.entry.runtime_data
        return library

    @property
    def source_list(self) -> list[str]:
        return list(self.attribute("source_list") or ())

    def attribute(self, name: str) -> Any:
        return state_of(self.hass).attributes.get(name)

    def media_id(self, node: str = "") -> str:
        return f"media-source://dp1/{self.entry.entry_id}/{node}".removesuffix("/")

    def exhibition(self, title: str) -> str:
        return f"exhibition/{self.catalog.data.find_exhibition(title)['id']}"

    async def call(self, action: str, **data: Any) -> Any:
        return await self.hass.services.async_call(
            "dp1", action, data, blocking=True, return_response=True
        )

    async def cast(self, **data: Any) -> dict[str, Any]:
        told = await self.call("cast_playlist", entity_id=ENTITY_ID, **data)
        found: dict[str, Any] = told[ENTITY_ID]
        return found

    async def player(self, action: str, *, response: bool = False, **data: Any) -> Any:
        return await self.hass.services.async_call(
            "media_player",
            action,
            {"entity_id": ENTITY_ID, **data},
            blocking=True,
            return_response=response,
        )

    async def play(self, media_id: str, kind: str = "playlist") -> None:
        """Play media like a dashboard."""
        await self.player(
            "play_media", media_content_id=media_id, media_content_type=kind
        )

    async def browse(self, media_id: str = "", kind: str = "directory") -> Any:
        data = (
            {"media_content_id": media_id, "media_content_type": kind}
            if media_id
            else {}
        )
        found = await self.player("browse_media", response=True, **data)
        return found[ENTITY_ID]

    async def search(self, query: str, **data: Any) -> list[Any]:
        found = await self.player(
            "search_media", response=True, search_query=query, **data
        )
        return list(found[ENTITY_ID].result)


def titles(found: Iterable[Any]) -> list[str]:
    """Return the titles of pages or results."""
    return [item.title for item in found]
