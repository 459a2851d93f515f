"""Test libraries that start with a fault in each of their files: one provider takes no other along."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
import json
from pathlib import Path
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.library.library import Library
from custom_components.dp1.library.providers.catalog.provider import CatalogProvider
from custom_components.dp1.library.providers.channel import Channels
from custom_components.dp1.library.providers.collection.provider import Collections
from custom_components.dp1.library.providers.daily import Daily
from custom_components.dp1.library.providers.favorites import Favorites
from custom_components.dp1.library.providers.feed.provider import FeedProvider
from custom_components.dp1.library.providers.hidden import Hidden
from custom_components.dp1.library.providers.surprise import Surprise
from custom_components.dp1.library.source_list import BuiltPlaylists
from homeassistant.config_entries import ConfigEntryState, ConfigSubentryData
from homeassistant.core import HomeAssistant
from homeassistant.helpers.json import json_bytes
from homeassistant.util import dt as dt_util

from tests.displays import playlist, until
from tests.libraries import DID, library_entry, set_up
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator
from tests.simulators.indexer import IndexerSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

OWNER = "0xBD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045"
PROVIDERS = (
    BuiltPlaylists,
    CatalogProvider,
    Channels,
    Collections,
    Daily,
    Favorites,
    FeedProvider,
    Hidden,
    Surprise,
)
ODD: tuple[Any, ...] = (5, None, "x", [], {}, [[7]], {"x": {"x": 1}}, -1.5, True)
# Of each list and of each object of records, as many are looked into.
LOOKED_AT = 2


@pytest.fixture
def hass_storage() -> dict[str, Any]:
    """Disable the mocked storage."""
    return {}


@dataclass
class Home:
    """A library with everything that one can have, and its files as a real start has written them."""

    hass: HomeAssistant
    entry: MockConfigEntry
    folder: Path

    @property
    def library(self) -> Library:
        library: Library = self.entry.runtime_data
        return library

    @property
    def files(self) -> dict[str, Any]:
        """Return what is stored, by the names of the files."""
        entry_id = self.entry.entry_id
        return {
            path.name.replace(f".{entry_id}", ""): json.loads(path.read_text())
            for path in self.folder.glob(f"dp1.*{entry_id}*")
        }

    def write(self, files: dict[str, Any]) -> None:
        for name, content in files.items():
            first, dot, rest = name.removeprefix("dp1.").partition(".")
            path = self.folder / f"dp1.{first}.{self.entry.entry_id}{dot}{rest}"
            path.write_text(json.dumps(content))

    async def restart(self, files: dict[str, Any] | None = None) -> None:
        """Start the library again, with other files."""
        await self.hass.config_entries.async_unload(self.entry.entry_id)
        if files is not None:
            self.write(files)
        await self.hass.config_entries.async_setup(self.entry.entry_id)
        await self.hass.async_block_till_done()

    async def look(self) -> None:
        """Look at everything once."""
        library = self.library
        assert library.source_list().names
        for root in library.roots():
            if root.can_expand:
                await library.async_children(root.id)
        await library.async_hits("Unsupervised")
        for state in self.hass.states.async_all():
            json_bytes(state.attributes)


@asynccontextmanager
async def running(hass: HomeAssistant, folder: Path) -> AsyncIterator[Home]:
    """Run a library, and let each provider store something."""
    hass.config.config_dir = str(folder)
    storage = folder / ".storage"
    storage.mkdir()
    moment = (dt_util.utcnow() - timedelta(hours=1)).isoformat()
    daily = playlist("Tide", title="Daily", id="0f9a8a36-4f6c-4f0c-8c7e-00000000da17")
    daily["items"][0]["displayAt"] = moment[:19]
    async with (
        CatalogSimulator() as catalog,
        FeedSimulator("v2", random_seed=1) as feed,
        IndexerSimulator() as indexer,
    ):
        feed.seed([playlist("Dune", title="Evening"), daily])
        key = next(iter(feed.documents))
        publisher = {"name": "Ines", "key": DID}
        channel_id = "0b0c7f9a-94d3-4f2b-9f37-6f6a35a3a111"
        feed.seed(
            channels=[
                {
                    "id": channel_id,
                    "title": "Evenings",
                    "publisher": publisher,
                    "playlists": [f"{feed.url}/playlists/{key}"],
                }
            ]
        )
        options = {
            "indexer_url": indexer.url,
            "daily_url": f"{feed.url}/playlists/{daily['id']}",
        }
        plain = library_entry(feed.url, catalog.url, options=options)
        collection = ConfigSubentryData(
            data={"addresses": [OWNER], "keep_current": False},
            subentry_id="COLLECTION",
            subentry_type="collection",
            title="Mine",
            unique_id="one",
        )
        channel = ConfigSubentryData(
            data={"url": f"{feed.url}/channels?publisher=Ines"},
            subentry_id="CHANNEL",
            subentry_type="channel",
            title="Ines",
            unique_id="two",
        )
        entry = MockConfigEntry(
            domain="dp1",
            title="Library",
            data=dict(plain.data),
            options=options,
            subentries_data=[collection, channel],
        )
        home = Home(hass, await set_up(hass, entry), storage)
        library = home.library
        await until(lambda: library.daily.document and library.feed_server.list.records)
        await until(lambda: not library.is_reading)
        shows = (await library.async_children("exhibitions")).nodes
        series = (await library.async_children(shows[0].id)).nodes
        await library.async_add_favorite(shows[0].id)
        items = (await library.async_build_playlist(series[0].id)).items
        works = (await library.async_children(series[0].id)).nodes
        library.async_hide(works[0], items[0])
        await library.async_build_playlist("surprise", limit=2)
        await home.restart()
        yield home


def faults(value: Any, rebuild: Callable[[Any], Any], depth: int = 0) -> Iterator[Any]:
    """Yield a file with another value in each place."""
    for odd in ODD:
        yield rebuild(odd)
    if depth == 4:
        return
    places: list[Any] = []
    if isinstance(value, dict):
        places = [*value][: None if depth < 3 else LOOKED_AT * 8]
    elif isinstance(value, list):
        places = [*range(len(value))][:LOOKED_AT]
    for place in places:

        def within(odd: Any, place: Any = place) -> Any:
            copy = [*value] if isinstance(value, list) else {**value}
            copy[place] = odd
            return rebuild(copy)

        yield from faults(value[place], within, depth + 1)


async def test_a_fault_in_each_file(
    hass: HomeAssistant, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever stands in the files, the library starts, shows what it has, and reads the rest again."""
    async with running(hass, tmp_path) as home:
        good = home.files
        assert set(good) == {
            "dp1.favorites",
            "dp1.hidden",
            "dp1.library.built",
            "dp1.library.catalog",
            "dp1.library.daily",
            "dp1.library.feed",
            "dp1.library.subentry.CHANNEL",
            "dp1.library.subentry.COLLECTION",
            "dp1.signing_key",
            "dp1.surprise",
        }
        variants = {
            name: list(
                faults(content["data"], lambda odd, it=content: {**it, "data": odd})
            )
            for name, content in good.items()
        }
        rounds = 12
        for number in range(rounds):
            # A fault in every file at once, the places spread over the rounds.
            spoiled = {
                name: each[number * len(each) // rounds]
                for name, each in variants.items()
            }
            await home.restart(spoiled)
            assert home.entry.state is ConfigEntryState.LOADED, spoiled
            await home.look()
        for odd in ({"dynamicQuery": {}, "items": 5}, {"items": {}}, {"items": ["x"]}):
            content = good["dp1.library.daily"]
            data = {**content["data"], "document": odd}
            await home.restart({**good, "dp1.library.daily": {**content, "data": data}})
            assert home.entry.state is ConfigEntryState.LOADED, odd
            await home.look()
        assert not [record.getMessage() for record in caplog.records if record.exc_info]


async def test_a_provider_that_fails_takes_no_other_along(
    hass: HomeAssistant,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """An error of one in loading or starting is logged, and the others are there."""

    def fail(_provider: object) -> None:
        raise KeyError("something nobody thought of")

    async with running(hass, tmp_path) as home:
        for kind in PROVIDERS:
            with monkeypatch.context() as broken:
                for step in ("async_load", "async_start"):
                    broken.setattr(kind, step, fail, raising=step == "async_load")
                await home.restart()
            assert home.entry.state is ConfigEntryState.LOADED
            assert kind.__name__ in caplog.text
            library = home.library
            await until(lambda: not home.library.is_reading)
            if kind is not CatalogProvider:
                assert library.catalog_server.list.records
            if kind is not FeedProvider:
                assert library.feed_server.list.records
            if kind is not Daily:
                assert library.daily.document
