"""Test that what signs or is sent as a key is on the disk before it is used: what is published cannot be undone without it."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.client.feed.client import Feed
from custom_components.dp1.library import keys
from homeassistant import config_entries
from homeassistant.core import HomeAssistant

from .calls import call, failure, writes

from tests.libraries import ID, SEED, library_entry, playlist, set_up
from tests.simulators.feed import FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
def hass_storage() -> dict[str, Any]:
    """Disable the mocked storage."""
    return {}


@pytest.fixture
def path(hass: HomeAssistant, tmp_path: Path) -> Path:
    hass.config.config_dir = str(tmp_path)
    return tmp_path / ".storage" / "core.config_entries"


@pytest.fixture(params=[None, "given"])
async def library(
    hass: HomeAssistant,
    path: Path,
    feed: FeedSimulator,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> MockConfigEntry:
    """Set up a library that signs, or one with an API key; entries are saved after a while."""
    monkeypatch.setattr(config_entries, "SAVE_DELAY", 0.5)
    key = request.param and feed.api_key
    return await set_up(hass, library_entry(feed.url, api_key=key))


def saved(path: Path) -> list[Any]:
    """Return the signing key and the API key of each entry on the disk."""
    if not path.exists():
        return []
    entries = json.loads(path.read_text())["data"]["entries"]
    return [
        [each["data"].get(k) for k in ("signing_key", "api_key")] for each in entries
    ]


async def test_keys_are_saved_before_they_are_used(
    hass: HomeAssistant,
    path: Path,
    library: MockConfigEntry,
    feed: FeedSimulator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A new key, and one that takes its place, is on the disk before anything is published with it."""
    before: list[list[Any]] = []
    publish = Feed.publish

    async def observed(*args: Any, **options: Any) -> Any:
        """Note what is on the disk; a kill from now on loses the rest."""
        before.append(saved(path))
        return await publish(*args, **options)

    monkeypatch.setattr(Feed, "publish", observed)
    for seed in (SEED, "ab" * 32):
        data = {**library.data, "signing_key": seed}
        hass.config_entries.async_update_entry(library, data=data)
        await hass.config_entries.async_reload(library.entry_id)
        document = playlist(id=str(uuid4()), title=seed)
        await call(hass, "publish_playlist", playlist=document)
        assert before.pop() == [[seed, library.data["api_key"]]]


async def test_nothing_is_published_with_a_key_that_cannot_be_saved(
    hass: HomeAssistant,
    path: Path,
    library: MockConfigEntry,
    feed: FeedSimulator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where entries cannot be written, nothing is sent, and the next step is told."""
    monkeypatch.setattr(keys, "PATIENCE", 1.0)
    path.unlink(missing_ok=True)
    path.mkdir(parents=True)
    for action, data in (
        ("publish_playlist", {"playlist": playlist(id=ID)}),
        ("delete_playlist", {"playlist_id": ID}),
        ("update_playlist", {"playlist_id": ID, "title": "Night"}),
    ):
        assert (await failure(hass, action, **data))[0] == "keys_not_saved"
    assert not writes(feed)
