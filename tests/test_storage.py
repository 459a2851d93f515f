"""Test damaged storage files."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
import json
import logging
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.dp1.guard import ADDRESSES
from custom_components.dp1.library.library import Library
from custom_components.dp1.playback.program import DisplayNotes, Programs
from custom_components.dp1.storage import FIRST_RETRY, SafeStore
from homeassistant.config_entries import ConfigEntryState, ConfigSubentry
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.json import json_bytes
from homeassistant.helpers.storage import Store
from homeassistant.util import dt as dt_util

from .displays import DEVICE_ID, entry_of, set_up, state_of
from .libraries import library_entry
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.display import DisplaySimulator

DISPLAY, LIBRARY = "display_entry", "library_entry"
WORK = {"items": [{"source": "https://art.example/1.html"}]}
CAST = {"playlist_url": None, "playlist": WORK}
START = {"work_id": None, "source": None, "index": 0, "shuffle": None, "loop": None}
SNAPSHOT = {"playlist": CAST, "start": START, "asleep": False}
ANNOUNCEMENT = {
    "playlist": CAST,
    "until": "2026-11-21T12:00:00+00:00",
    "before": SNAPSHOT,
}
ENTRY = {
    "media_id": "x",
    "title": "X",
    "cast": CAST,
    "cast_at": "2026-11-21T12:00:00+00:00",
    "size": 99,
}
NAMES = {
    "displays": "dp1.displays",
    "media_proxy": "dp1.media_proxy",
    "named_hosts": "dp1.named_hosts",
    "removed": "dp1.removed_libraries",
    "history": f"dp1.history.{DISPLAY}",
    "library": f"dp1.library.{LIBRARY}.catalog",
    "built": f"dp1.library.{LIBRARY}.built",
    "favorites": f"dp1.favorites.{LIBRARY}",
}
DAMAGED: dict[str, list[object]] = {
    "displays": [[1], 7],
    "media_proxy": [
        ["x"],
        {"token": 1},
        {"token": {"media_id": "x", "entry_ids": 1}},
        {"token": {"media_id": "x", "entry_ids": [1]}},
    ],
    "named_hosts": [{"casts": [1]}],
    "removed": [{"a": {"feed": 1}}],
    "history": [
        {"x": 1},
        {"entries": [1]},
        {"entries": [{**ENTRY, "cast_at": "yesterday"}]},
        {"entries": [{**ENTRY, "cast_at": "2026-11-21T12:00:00"}]},
        {"entries": [{**ENTRY, "cast": {"playlist": {"items": [1]}}}]},
        {"entries": [{**ENTRY, "cast": {**CAST, "playlist_url": "x"}}]},
    ],
    "library": [[1], "text"],
    "built": [[1]],
    "favorites": [[1], {}, {"favorites": {"series/1": {}}}],
}


def envelope(name: str, data: object, version: int = 1) -> dict[str, Any]:
    """Return the content of a storage file."""
    return {"version": version, "minor_version": 1, "key": name, "data": data}


@pytest.fixture
def hass_storage() -> dict[str, Any]:
    """Disable the mocked storage."""
    return {}


@pytest.fixture
def storage(hass: HomeAssistant, tmp_path: Path) -> Path:
    """Create a configuration folder of its own."""
    hass.config.config_dir = str(tmp_path)
    folder = tmp_path / ".storage"
    folder.mkdir()
    return folder


@pytest.fixture
async def servers(
    socket_enabled: None,
) -> AsyncIterator[tuple[DisplaySimulator, CatalogSimulator]]:
    async with (
        DisplaySimulator(device_id=DEVICE_ID, page_delay=0.02) as display,
        CatalogSimulator() as catalog,
    ):
        yield display, catalog


async def start(
    hass: HomeAssistant, servers: tuple[DisplaySimulator, CatalogSimulator]
) -> Library:
    display, catalog = servers
    entry = entry_of(display, entry_id=DISPLAY)
    await set_up(hass, entry)
    assert entry.state is ConfigEntryState.LOADED
    assert state_of(hass).state == "idle"
    gallery = library_entry(None, catalog.url)
    object.__setattr__(gallery, "entry_id", LIBRARY)
    await set_up(hass, gallery)
    assert gallery.state is ConfigEntryState.LOADED
    library: Library = gallery.runtime_data
    return library


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING
        and record.name.startswith(("custom_components.dp1", "homeassistant"))
        and "custom integration" not in record.getMessage()
    ]


@pytest.mark.parametrize("nth", range(max(map(len, DAMAGED.values()))))
async def test_wrong_shape(
    nth: int,
    hass: HomeAssistant,
    storage: Path,
    servers: tuple[DisplaySimulator, CatalogSimulator],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Each file with invalid data is kept as a copy with one warning, and setup succeeds."""
    damaged = {
        storage / NAMES[kind]: shapes[nth]
        for kind, shapes in DAMAGED.items()
        if nth < len(shapes)
    }
    for path, data in damaged.items():
        path.write_text(json.dumps(envelope(path.name, data)))
    library = await start(hass, servers)
    told = warnings(caplog)
    assert len(told) == len(damaged)
    for path, data in damaged.items():
        assert sum(str(path) in warning for warning in told) == 1
        kept = json.loads(path.with_name(f"{path.name}.damaged").read_text())
        assert kept["data"] == data
    assert len((await library.async_children("exhibitions")).nodes) == 47
    assert not library.favorites.nodes()


@pytest.mark.parametrize(
    "content",
    [
        lambda name: envelope(name, {"shape": "of the future"}, 2),
        lambda name: {"data": {}},
        lambda name: [1],
        lambda name: {"version": "1", "key": name, "data": {}},
    ],
)
async def test_all_files_at_once(
    content: Any,
    hass: HomeAssistant,
    storage: Path,
    servers: tuple[DisplaySimulator, CatalogSimulator],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Files of a newer version or another format are kept as copies with one warning each."""
    for name in NAMES.values():
        (storage / name).write_text(json.dumps(content(name)))
    await start(hass, servers)
    assert len(warnings(caplog)) == len(NAMES)
    for name in NAMES.values():
        kept = json.loads((storage / f"{name}.damaged").read_text())
        assert kept == content(name)


async def test_no_copy_replaces_another(
    hass: HomeAssistant,
    storage: Path,
    servers: tuple[DisplaySimulator, CatalogSimulator],
) -> None:
    """Each damaged file is kept under a name of its own."""
    path = storage / NAMES["history"]
    contents = [envelope(path.name, {"entries": number}) for number in range(3)]
    for content in contents:
        path.write_text(json.dumps(content))
        if entry := hass.config_entries.async_get_entry(DISPLAY):
            await hass.config_entries.async_reload(entry.entry_id)
        else:
            await start(hass, servers)
    for name, content in zip(("", "2", "3"), contents, strict=True):
        kept = path.with_name(f"{path.name}.damaged{name}")
        assert json.loads(kept.read_text()) == content


@pytest.mark.parametrize("kind", ["favorites", "history", "displays", "library"])
async def test_what_cannot_be_read_for_a_moment_is_not_damaged(
    kind: str,
    hass: HomeAssistant,
    storage: Path,
    servers: tuple[DisplaySimulator, CatalogSimulator],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A file that the system cannot read now stays where it is, is not written, and the set-up is tried again."""
    display, catalog = servers
    path = storage / NAMES[kind]
    # Too many levels of symbolic links.
    path.symlink_to(path)
    entry = (
        library_entry(None, catalog.url)
        if kind in ("favorites", "library")
        else entry_of(display)
    )
    entry_id = LIBRARY if kind in ("favorites", "library") else DISPLAY
    object.__setattr__(entry, "entry_id", entry_id)
    await set_up(hass, entry)
    assert entry.state is ConfigEntryState.SETUP_RETRY
    assert path.name in (entry.reason or "")
    assert path.is_symlink()
    path.unlink()
    favorites = {
        "favorites": [{"node": {"id": "series/1", "kind": "series", "title": "One"}}]
    }
    if kind == "favorites":
        path.write_text(json.dumps(envelope(path.name, favorites)))
    assert await hass.config_entries.async_reload(entry_id)
    if kind == "favorites":
        (node,) = entry.runtime_data.favorites.nodes()
        assert node.id == "series/1"
    assert not list(storage.glob("*.damaged*"))


async def test_a_favorite_is_on_the_disk_before_the_answer(
    hass: HomeAssistant,
    storage: Path,
    servers: tuple[DisplaySimulator, CatalogSimulator],
) -> None:
    """Adding or removing a favorite is answered once it is saved, and undone if it cannot be."""
    library = await start(hass, servers)
    shows = (await library.async_children("exhibitions")).nodes[:2]
    path = storage / NAMES["favorites"]

    async def do(action: str, node: str) -> None:
        media_id = f"media-source://dp1/{LIBRARY}/{node}"
        data = {"media_content_id": media_id}
        await hass.services.async_call("dp1", action, data, blocking=True)

    def kept() -> list[str]:
        stored = json.loads(path.read_text())["data"]["favorites"]
        return [favorite["node"]["id"] for favorite in stored]

    await do("add_favorite", shows[0].id)
    assert kept() == [shows[0].id]
    content = path.read_bytes()
    path.unlink()
    # Nothing can be written here.
    path.mkdir()
    for action, node in (
        ("add_favorite", shows[1].id),
        ("remove_favorite", shows[0].id),
    ):
        with pytest.raises(HomeAssistantError) as caught:
            await do(action, node)
        assert caught.value.translation_key == "not_saved"
        assert [node.id for node in library.favorites.nodes()] == [shows[0].id]
    path.rmdir()
    path.write_bytes(content)
    await do("remove_favorite", shows[0].id)
    assert kept() == []


async def test_what_could_not_be_saved_is_saved_later(
    hass: HomeAssistant, storage: Path
) -> None:
    """What is saved after a while is tried again if the disk was full, also after newer data, and only its owner reads it."""
    store = SafeStore(hass, "later", dict[str, int])
    path = storage / "dp1.later"
    path.mkdir()
    for number in (1, 2):
        store.async_delay_save(lambda: {"value": number}, 1)  # noqa: B023
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=2))
        await hass.async_block_till_done()
    path.rmdir()
    assert not path.exists()
    soon = timedelta(seconds=3 * FIRST_RETRY)
    async_fire_time_changed(hass, dt_util.utcnow() + soon)
    await hass.async_block_till_done()
    assert json.loads(path.read_text())["data"] == {"value": 2}
    assert path.stat().st_mode & 0o777 == 0o600
    path.unlink()
    path.mkdir()
    with pytest.raises(HomeAssistantError):
        await store.async_save_now({"value": 3})
    path.rmdir()
    # Whoever waits for it has been told, and has undone it.
    async_fire_time_changed(hass, dt_util.utcnow() + 10 * soon)
    await hass.async_block_till_done()
    assert not path.exists()


async def test_files_are_for_their_owner(
    hass: HomeAssistant,
    storage: Path,
    servers: tuple[DisplaySimulator, CatalogSimulator],
) -> None:
    """No other user of the machine reads what is stored."""
    library = await start(hass, servers)
    shows = (await library.async_children("exhibitions")).nodes
    await library.async_add_favorite(shows[0].id)
    await hass.data[ADDRESSES].async_caller(Context(), "http://192.0.2.7/x")
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    files = list(storage.glob("dp1.*"))
    assert len(files) > 2
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


async def test_nothing_is_left_after_the_last_entry(
    hass: HomeAssistant,
    storage: Path,
    servers: tuple[DisplaySimulator, CatalogSimulator],
) -> None:
    """The files stay while there is an entry, and go with the last one, copies and pending writes included."""
    (storage / NAMES["favorites"]).write_text(
        json.dumps(envelope(NAMES["favorites"], [1]))
    )
    library = await start(hass, servers)
    await hass.data[ADDRESSES].async_caller(Context(), "http://192.0.2.7/x")
    shows = (await library.async_children("exhibitions")).nodes
    await library.async_add_favorite(shows[0].id)
    assert await hass.config_entries.async_remove(LIBRARY)
    assert list(storage.glob("dp1.*"))
    assert await hass.config_entries.async_remove(DISPLAY)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    assert not list(storage.glob("dp1.*"))


@pytest.mark.usefixtures("socket_enabled")
async def test_many_entries_are_removed_at_once(
    hass: HomeAssistant, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is removed a few times, not once more for each display: a hundred of them removed 27,000 files."""
    entries = [
        MockConfigEntry(
            domain="dp1",
            unique_id=f"FF1-{number:08}",
            data={"kind": "display", "host": "127.0.0.1", "port": 1},
        )
        for number in range(10)
    ]
    for entry in entries:
        await set_up(hass, entry)
    removed: Counter[str] = Counter()
    remove = Store.async_remove

    async def noted(store: Store[Any]) -> None:
        removed[store.key] += 1
        await remove(store)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "async_remove", noted)
        await asyncio.gather(
            *(hass.config_entries.async_remove(entry.entry_id) for entry in entries)
        )
    assert len([key for key in removed if "history" in key]) == len(entries)
    assert max(removed.values()) <= 3
    assert not list(storage.glob("dp1.*"))


@pytest.mark.usefixtures("socket_enabled")
async def test_subentries_leave_nothing(hass: HomeAssistant, storage: Path) -> None:
    """The file of a channel goes with it, also if it was removed while its library was not loaded."""
    entry = library_entry(None, "http://127.0.0.1:9")
    channel = ConfigSubentry(
        data=MappingProxyType({"url": "http://127.0.0.1:9/api/v1/channels/x"}),
        subentry_type="channel",
        title="X",
        unique_id="x",
    )
    name = f"dp1.library.{entry.entry_id}.subentry."
    gone, *kept = (
        storage / f"{name}{key}"
        for key in ("gone", "gone.damaged", channel.subentry_id)
    )
    for path in (gone, *kept):
        path.write_text(json.dumps(envelope(path.name, {})))
    other = storage / "dp1.library.other.subentry.gone"
    other.write_text("{}")
    entry.add_to_hass(hass)
    hass.config_entries.async_add_subentry(entry, channel)
    await set_up(hass, entry)
    assert {path.name for path in storage.glob(f"{name}*")} == {kept[-1].name}
    hass.config_entries.async_remove_subentry(entry, channel.subentry_id)
    await hass.async_block_till_done()
    assert not list(storage.glob(f"{name}*"))
    assert other.exists()


async def test_what_is_stored_is_read(
    hass: HomeAssistant,
    storage: Path,
    servers: tuple[DisplaySimulator, CatalogSimulator],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Stored files are read without a warning."""
    group = {"leader": DISPLAY, "spread": [DISPLAY, "other"]}
    for kind, data in (
        (
            "displays",
            {DISPLAY: group, "other": {**group, "announcement": ANNOUNCEMENT, "x": 1}},
        ),
        ("media_proxy", {"token": {"media_id": "x", "entry_ids": ["y"]}}),
        ("history", {"entries": [ENTRY]}),
        (
            "favorites",
            {
                "favorites": [
                    {"node": {"id": "series/1", "kind": "series", "title": "One"}}
                ]
            },
        ),
    ):
        name = NAMES[kind]
        (storage / name).write_text(json.dumps(envelope(name, data)))
    library = await start(hass, servers)
    assert not warnings(caplog)
    assert [node.id for node in library.favorites.nodes()] == ["series/1"]
    assert not list(storage.glob("*.damaged"))


async def test_numbers_beyond_64_bits(
    hass: HomeAssistant,
    storage: Path,
    servers: tuple[DisplaySimulator, CatalogSimulator],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A number that cannot be stored does not keep the rest of the catalog from being stored."""
    _, catalog = servers
    show = catalog.data.find_exhibition("Net Evil")
    series = catalog.data.series(show["id"])[0]
    artwork = catalog.data.artworks(series["id"])[0]
    before = [dict(record) for record in (show, series, artwork)]
    show["previewDuration"] = show["status"] = 10**30
    series["displayIndex"] = 10**30
    series["settings"] = {**series["settings"], "maxArtwork": 10**30}
    artwork["index"] = 10**30
    try:
        library = await start(hass, servers)
        node = f"exhibition/{show['id']}"
        children = await library.async_children(node)
        assert children.problem is None
        for child in children.nodes:
            await library.async_children(child.id)
        await hass.config_entries.async_unload(LIBRARY)
    finally:
        for record, original in zip((show, series, artwork), before, strict=True):
            record.update(original)
    assert not warnings(caplog)
    stored = json.loads((storage / NAMES["library"]).read_text())
    assert len(stored["data"]["series"]) == 1


async def test_texts_of_another_version(
    hass: HomeAssistant,
    storage: Path,
    servers: tuple[DisplaySimulator, CatalogSimulator],
) -> None:
    """Whatever a version before or after this one has stored, no attribute of a state is long or unsafe."""
    text = "\x1b[31m" + "x" * 100_000
    node = {"id": "series/1", "kind": "series", "title": text, "artist": text}
    entry = {**ENTRY, "title": text, "media_id": "https://art.example/1.json"}
    for kind, data in (
        ("favorites", {"favorites": [{"node": node | {"note": text}}]}),
        ("history", {"entries": [entry]}),
    ):
        path = storage / NAMES[kind]
        path.write_text(json.dumps(envelope(path.name, data)))
    library = await start(hass, servers)
    (kept,) = library.favorites.nodes()
    assert len(kept.title) == 200 and kept.title.startswith("xxx")
    for state in hass.states.async_all():
        shown = json_bytes(state.attributes)
        assert len(shown) < 16 * 1024, state.entity_id
        assert b"\\u001b" not in shown


@pytest.mark.parametrize(
    "odd",
    [
        None,
        [{"kind": "group", "leader": DISPLAY}],
        {"leader": 1, "spread": 1},
        {"announcement": {**ANNOUNCEMENT, "until": 7}},
        {"announcement": {**ANNOUNCEMENT, "until": "2026-11-21T12:00:00"}},
        {"announcement": {**ANNOUNCEMENT, "playlist": {"playlist": None}}},
        {"announcement": {**ANNOUNCEMENT, "playlist": {**CAST, "playlist": 1}}},
        {"announcement": {**ANNOUNCEMENT, "before": {"asleep": True}}},
    ],
)
async def test_notes_of_another_version(
    hass: HomeAssistant, storage: Path, odd: Any
) -> None:
    """What cannot be read about one display takes nothing from others, nor what else is known of it."""
    notes = {"leader": DISPLAY, "spread": [DISPLAY, "other"]}
    records = {DISPLAY: notes, "other": odd}
    if isinstance(odd, dict) and "leader" not in odd:
        records["other"] = {**odd, **notes}
    path = storage / NAMES["displays"]
    path.write_text(json.dumps(envelope(path.name, records)))
    programs = Programs(hass)
    await programs.async_load()
    assert programs[DISPLAY].notes == DisplayNotes(**notes)
    expected = DisplayNotes(**notes) if records["other"] != odd else DisplayNotes()
    assert programs["other"].notes == expected
