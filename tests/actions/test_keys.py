"""Test that a signing key has a file of its own, and that nothing is signed by one that is not on the disk."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir

from .calls import call, failure, writes

from tests.flows import begin, fill
from tests.libraries import DID, ID, SEED, library_entry, playlist, set_up
from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.feed import FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

OTHER = "ab" * 32


@pytest.fixture
def hass_storage() -> dict[str, Any]:
    """Disable the mocked storage."""
    return {}


@pytest.fixture
def storage(hass: HomeAssistant, tmp_path: Path) -> Path:
    hass.config.config_dir = str(tmp_path)
    folder = tmp_path / ".storage"
    folder.mkdir()
    return folder


@pytest.fixture
def entry(feed: FeedSimulator) -> MockConfigEntry:
    """Return a library as it was stored before there was such a file."""
    return library_entry(feed.url)


def path_of(storage: Path, entry: MockConfigEntry) -> Path:
    return storage / f"dp1.signing_key.{entry.entry_id}"


def kept(path: Path) -> str:
    key: str = json.loads(path.read_text())["data"]["signing_key"]
    return key


async def publish(hass: HomeAssistant) -> None:
    await call(hass, "publish_playlist", playlist=playlist(id=str(uuid4())))


async def test_a_key_moves_into_its_file(
    hass: HomeAssistant, storage: Path, entry: MockConfigEntry, feed: FeedSimulator
) -> None:
    """It leaves the entry once it is in the file, signs as before, stays over a restart, and goes with the library."""
    await set_up(hass, entry)
    path = path_of(storage, entry)
    assert kept(path) == SEED and path.stat().st_mode & 0o777 == 0o600
    assert "signing_key" not in entry.data
    for _ in range(2):
        await publish(hass)
        assert entry.runtime_data.key.did == DID
        await hass.config_entries.async_reload(entry.entry_id)
    await hass.config_entries.async_remove(entry.entry_id)
    assert not path.exists()


async def test_a_home_that_was_killed_when_its_library_was_new(
    hass: HomeAssistant, storage: Path, feed: FeedSimulator, catalog: CatalogSimulator
) -> None:
    """Its key is on the disk before Home Assistant knows the library: the next of the same feed has it, and no other."""

    async def add(**servers: str) -> Any:
        return (await fill(hass, await begin(hass, "library"), **servers))["result"]

    killed = await add(feed_url=feed.url)
    did = killed.runtime_data.key.did
    await hass.config_entries.async_unload(killed.entry_id)
    # As it is after the start if its entries were not yet stored.
    del hass.config_entries._entries[killed.entry_id]
    other = await add(catalog_url=catalog.url)
    assert other.runtime_data.key.did != did
    entry = await add(feed_url=feed.url)
    assert entry.runtime_data.key.did == did
    assert entry.entry_id != killed.entry_id
    assert path_of(storage, entry).exists()
    assert not path_of(storage, killed).exists()


async def test_a_move_that_was_interrupted(
    hass: HomeAssistant, storage: Path, entry: MockConfigEntry
) -> None:
    """Where both have the key, it is taken out of the entry; a new one of the entry takes the place of an old one."""
    await set_up(hass, entry)
    path = path_of(storage, entry)
    for seed in (SEED, OTHER):
        data = {**entry.data, "signing_key": seed}
        hass.config_entries.async_update_entry(entry, data=data)
        await hass.config_entries.async_reload(entry.entry_id)
        assert kept(path) == seed
        assert "signing_key" not in entry.data
        assert entry.runtime_data.key.export() == seed


async def test_nothing_is_signed_with_a_key_that_cannot_be_saved(
    hass: HomeAssistant, storage: Path, entry: MockConfigEntry, feed: FeedSimulator
) -> None:
    """Where the file cannot be written, the key stays in the entry and nothing is sent; then it is moved all the same."""
    path = path_of(storage, entry)
    entry.add_to_hass(hass)
    path.symlink_to(storage / "nowhere" / "x")
    (storage / "nowhere").write_text("no folder")
    await hass.config_entries.async_setup(entry.entry_id)
    path.unlink(missing_ok=True)
    path.mkdir()
    assert entry.data["signing_key"] == SEED
    for action, data in (
        ("publish_playlist", {"playlist": playlist(id=ID)}),
        ("delete_playlist", {"playlist_id": ID}),
        ("update_playlist", {"playlist_id": ID, "title": "Night"}),
    ):
        assert (await failure(hass, action, **data))[0] == "keys_not_saved"
    assert not writes(feed)
    path.rmdir()
    await publish(hass)
    assert kept(path) == SEED
    assert "signing_key" not in entry.data


async def test_a_damaged_key_is_told(hass: HomeAssistant, storage: Path) -> None:
    """A key that cannot be read is kept beside, and told until it is imported; the library starts."""
    entry = await set_up(hass, library_entry(None, "http://127.0.0.1:9"))
    file = storage / f"dp1.signing_key.{entry.entry_id}"
    damaged = file.read_text().replace(SEED, SEED[:9])
    assert await hass.config_entries.async_unload(entry.entry_id)
    file.write_text(damaged)
    assert await hass.config_entries.async_setup(entry.entry_id)
    new = entry.runtime_data.key
    assert new.did != DID and new.export() in file.read_text()
    assert file.with_name(f"{file.name}.damaged").read_text() == damaged
    issue_id = f"signing_key_lost_{entry.entry_id}"
    issue = ir.async_get(hass).async_get_issue("dp1", issue_id)
    assert issue and issue.translation_placeholders
    assert issue.translation_placeholders["did"] == new.did
    hass.config_entries.async_update_entry(
        entry, data={**entry.data, "signing_key": SEED}
    )
    assert await hass.config_entries.async_reload(entry.entry_id)
    assert entry.runtime_data.key.did == DID
    assert not ir.async_get(hass).async_get_issue("dp1", issue_id)
