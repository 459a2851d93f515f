"""Test damaged storage files."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from errno import ENOSPC
import json
import logging
from os import rename, strerror
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.dp1.addresses import ADDRESSES
from custom_components.dp1.display.wall import Notes, Wall
from custom_components.dp1.library.library import Library
from custom_components.dp1.storage import SafeStore
from homeassistant.config_entries import ConfigEntryState, ConfigSubentry
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
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
HUNG = {"asked": CAST, "at": "2026-11-21T12:00:00+00:00", "start": START}
ANNOUNCEMENT = {
    "hung": HUNG,
    "until": "2026-11-21T12:00:00+00:00",
    "since": "2026-11-21T11:00:00+00:00",
}
ANNOUNCED = {"announced": [ANNOUNCEMENT], "lasting": [HUNG]}
ENTRY = {
    "media_id": "x",
    "title": "X",
    "asked": CAST,
    "at": "2026-11-21T12:00:00+00:00",
    "size": 99,
}
FAVORITES = {
    "favorites": [{"node": {"id": "series/1", "kind": "series", "title": "One"}}]
}
NAMES = {
    "groups": "dp1.groups",
    "media_proxy": "dp1.media_proxy",
    "named_hosts": "dp1.named_hosts",
    "display": f"dp1.display.{DISPLAY}",
    "library": f"dp1.library.{LIBRARY}.catalog",
    "built": f"dp1.library.{LIBRARY}.built",
    "favorites": f"dp1.favorites.{LIBRARY}",
}
DAMAGED: dict[str, list[object]] = {
    "groups": [[1], 7, {"groups": 1}],
    "media_proxy": [
        ["x"],
        {"token": 1},
        {"secret": 1},
    ],
    "named_hosts": [{"casts": [1]}],
    "display": [
        {"x": 1},
        {"history": [1]},
        {"history": [{**ENTRY, "at": "yesterday"}]},
        {"history": [{**ENTRY, "at": "2026-11-21T12:00:00"}]},
        {"history": [{**ENTRY, "asked": {"playlist": {"items": [1]}}}]},
        {"history": [{**ENTRY, "asked": {**CAST, "playlist_url": "x"}}]},
    ],
    "library": [[1], "text"],
    "built": [[1], {"a": 1}],
    "favorites": [[1], {}, {"favorites": {"series/1": {}}}],
}


@contextmanager
def full_disk() -> Iterator[None]:
    """Let there be no space for files of ours, other than by a limit that holds for all tests of a process."""

    def refuse(source: Any, target: Any) -> None:
        if Path(target).name.startswith("dp1."):
            raise OSError(ENOSPC, strerror(ENOSPC), str(target))
        rename(source, target)  # noqa: PTH104

    with patch.multiple("os", rename=refuse, replace=refuse):
        yield


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


@dataclass
class Home:
    """A display and a catalog, and what is stored about them."""

    hass: HomeAssistant
    storage: Path
    display: DisplaySimulator
    catalog: CatalogSimulator
    caplog: pytest.LogCaptureFixture

    def path(self, kind: str) -> Path:
        return self.storage / NAMES[kind]

    def write(self, kind: str, data: object) -> None:
        path = self.path(kind)
        path.write_text(json.dumps(envelope(path.name, data)))

    def kept(self, kind: str, ending: str = "") -> Any:
        """Return the copy of a damaged file."""
        path = self.path(kind)
        return json.loads(path.with_name(f"{path.name}.damaged{ending}").read_text())

    def entry(self, entry_id: str) -> MockConfigEntry:
        if entry_id == DISPLAY:
            return entry_of(self.display, entry_id=DISPLAY)
        entry = library_entry(None, self.catalog.url)
        object.__setattr__(entry, "entry_id", LIBRARY)
        return entry

    async def start(self) -> Library:
        for entry_id in (DISPLAY, LIBRARY):
            entry = await set_up(self.hass, self.entry(entry_id))
            assert entry.state is ConfigEntryState.LOADED
        assert state_of(self.hass).state == "idle"
        library: Library = entry.runtime_data
        return library

    async def end(self) -> None:
        """Write what is written at the end."""
        self.hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
        await self.hass.async_block_till_done()

    def warnings(self) -> list[str]:
        return [
            record.getMessage()
            for record in self.caplog.records
            if record.levelno >= logging.WARNING
            # Not what Home Assistant says of a busy machine.
            and record.name.startswith(
                ("custom_components.dp1", "homeassistant.helpers.storage")
            )
        ]


@pytest.fixture
async def home(
    hass: HomeAssistant,
    storage: Path,
    socket_enabled: None,
    caplog: pytest.LogCaptureFixture,
) -> AsyncIterator[Home]:
    async with (
        DisplaySimulator(device_id=DEVICE_ID, page_delay=0.02) as display,
        CatalogSimulator() as catalog,
    ):
        yield Home(hass, storage, display, catalog, caplog)


@pytest.mark.parametrize("nth", range(max(map(len, DAMAGED.values()))))
async def test_wrong_shape(home: Home, nth: int) -> None:
    """Each file with invalid data is kept as a copy with one warning, and setup succeeds."""
    damaged = {kind: datas[nth] for kind, datas in DAMAGED.items() if nth < len(datas)}
    for kind, data in damaged.items():
        home.write(kind, data)
    library = await home.start()
    warnings = home.warnings()
    assert len(warnings) == len(damaged)
    for kind, data in damaged.items():
        assert sum(str(home.path(kind)) in warning for warning in warnings) == 1
        assert home.kept(kind)["data"] == data
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
async def test_all_files_at_once(home: Home, content: Any) -> None:
    """Files of a newer version or another format are kept as copies with one warning each."""
    for kind, name in NAMES.items():
        home.path(kind).write_text(json.dumps(content(name)))
    await home.start()
    assert len(home.warnings()) == len(NAMES)
    for kind, name in NAMES.items():
        assert home.kept(kind) == content(name)


async def test_no_copy_replaces_another(home: Home) -> None:
    """Each damaged file is kept under a name of its own."""
    home.write("favorites", {"favorites": 0})
    await home.start()
    for number in (1, 2):
        await home.hass.config_entries.async_unload(LIBRARY)
        home.write("favorites", {"favorites": number})
        await home.hass.config_entries.async_setup(LIBRARY)
    for number, ending in enumerate(("", "2", "3")):
        assert home.kept("favorites", ending)["data"] == {"favorites": number}


def favorites(data: Any) -> list[str]:
    return [node.id for node in data.favorites.nodes()]


def casts(data: Any) -> list[str]:
    return [entry.title for entry in data.history.entries()]


@pytest.mark.parametrize(
    ("kind", "entry_id", "read", "expected"),
    [
        ("favorites", LIBRARY, favorites, ["series/1"]),
        ("library", LIBRARY, favorites, ["series/1"]),
        ("display", DISPLAY, casts, ["X"]),
        ("groups", DISPLAY, casts, ["X"]),
    ],
)
async def test_what_cannot_be_read_for_a_moment_is_not_damaged(
    home: Home, kind: str, entry_id: str, read: Any, expected: list[str]
) -> None:
    """A file that the system cannot read now stays where it is, is not written, and the set-up is tried again."""
    path = home.path(kind)
    # Too many levels of symbolic links.
    path.symlink_to(path)
    entry = await set_up(home.hass, home.entry(entry_id))
    assert entry.state is ConfigEntryState.SETUP_RETRY
    assert path.name in (entry.reason or "")
    assert path.is_symlink()
    path.unlink()
    home.write("favorites", FAVORITES)
    home.write("display", {"history": [ENTRY]})
    assert await home.hass.config_entries.async_reload(entry_id)
    assert read(entry.runtime_data) == expected
    assert not list(home.storage.glob("*.damaged*"))


async def test_a_favorite_is_on_the_disk_before_the_answer(home: Home) -> None:
    """Adding or removing a favorite is answered once it is saved, and undone if it cannot be."""
    library = await home.start()
    first, second = (await library.async_children("exhibitions")).nodes[:2]
    path = home.path("favorites")

    async def do(action: str, node: str) -> None:
        data = {"media_content_id": f"media-source://dp1/{LIBRARY}/{node}"}
        await home.hass.services.async_call("dp1", action, data, blocking=True)

    def stored() -> list[str]:
        favorites = json.loads(path.read_text())["data"]["favorites"]
        return [favorite["node"]["id"] for favorite in favorites]

    await do("add_favorite", first.id)
    assert stored() == [first.id]
    content = path.read_bytes()
    path.unlink()
    # Nothing can be written here.
    path.mkdir()
    for action, node in (("add_favorite", second.id), ("remove_favorite", first.id)):
        with pytest.raises(HomeAssistantError) as caught:
            await do(action, node)
        assert caught.value.translation_key == "not_saved"
        assert [node.id for node in library.favorites.nodes()] == [first.id]
    path.rmdir()
    path.write_bytes(content)
    await do("remove_favorite", first.id)
    assert stored() == []


async def test_what_could_not_be_saved_waits_for_the_next_change(
    hass: HomeAssistant, storage: Path
) -> None:
    """A full disk loses the change that was to be saved after a while, the next is written, and only its owner reads it."""
    store = SafeStore(hass, "later", dict[str, int])
    path = storage / "dp1.later"
    path.mkdir()
    for number in (1, 2):
        store.async_delay_save(lambda: {"value": number}, 1)  # noqa: B023
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=2))
        await hass.async_block_till_done()
        if number == 1:
            path.rmdir()
    assert json.loads(path.read_text())["data"] == {"value": 2}
    assert path.stat().st_mode & 0o777 == 0o600


async def test_files_are_for_their_owner(home: Home) -> None:
    """No other user of the machine reads what is stored; the files stay while there is an entry, and go with the last one."""
    home.write("favorites", [1])
    library = await home.start()
    shows = (await library.async_children("exhibitions")).nodes
    await library.async_add_favorite(shows[0].id)
    await home.hass.data[ADDRESSES].async_caller(Context(), "http://192.0.2.7/x")
    await home.end()
    own = [path for path in home.storage.glob("dp1.*") if "damaged" not in path.name]
    assert len(own) > 2
    assert {path.stat().st_mode & 0o777 for path in own} == {0o600}
    # Copies and what is not written yet go, too.
    await home.hass.data[ADDRESSES].async_caller(Context(), "http://192.0.2.8/x")
    assert await home.hass.config_entries.async_remove(LIBRARY)
    assert list(home.storage.glob("dp1.*"))
    assert await home.hass.config_entries.async_remove(DISPLAY)
    await home.end()
    assert not list(home.storage.glob("dp1.*"))


@pytest.mark.usefixtures("socket_enabled")
async def test_many_entries_are_removed_at_once(
    hass: HomeAssistant, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is removed a few times, not once more for each display: a hundred of them removed 27,000 files."""
    nowhere = {"kind": "display", "host": "127.0.0.1", "port": 1}
    entries = [
        MockConfigEntry(domain="dp1", unique_id=f"FF1-{number:08}", data=nowhere)
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
    assert len([key for key in removed if "dp1.display." in key]) == len(entries)
    assert max(removed.values()) <= 3
    assert not list(storage.glob("dp1.*"))


@pytest.mark.parametrize("is_lost", [False, True])
@pytest.mark.usefixtures("socket_enabled")
async def test_a_library_is_removed_from_a_full_disk(
    hass: HomeAssistant, storage: Path, is_lost: bool
) -> None:
    """Its files go and do not come back, and a key that has signed is told as gone unless it was lost before."""
    entry, other = library_entry(None, "http://127.0.0.1:9"), library_entry(None, "x")
    object.__setattr__(entry, "data", {**entry.data, "has_signed": True})
    other.add_to_hass(hass)
    await set_up(hass, entry)
    if is_lost:
        (storage / f"dp1.signing_key.{entry.entry_id}").unlink()
    with full_disk():
        await hass.config_entries.async_remove(entry.entry_id)
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(minutes=3))
    await hass.async_block_till_done()
    assert not list(storage.glob(f"dp1.*{entry.entry_id}*"))
    told = ir.async_get(hass).async_get_issue(
        "dp1", f"signing_key_removed_{entry.entry_id}"
    )
    assert (told is None) is is_lost


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
    for key in ("gone", "gone.damaged", channel.subentry_id):
        (storage / f"{name}{key}").write_text(json.dumps(envelope(f"{name}{key}", {})))
    other = storage / "dp1.library.other.subentry.gone"
    other.write_text("{}")
    entry.add_to_hass(hass)
    hass.config_entries.async_add_subentry(entry, channel)
    await set_up(hass, entry)
    (left,) = storage.glob(f"{name}*")
    assert left.name == f"{name}{channel.subentry_id}"
    hass.config_entries.async_remove_subentry(entry, channel.subentry_id)
    await hass.async_block_till_done()
    assert not list(storage.glob(f"{name}*"))
    assert other.exists()


async def test_what_is_stored_is_read(home: Home) -> None:
    """Stored files are read without a warning."""
    home.write(
        "groups",
        {"groups": [[DISPLAY, "other"]], "spreads": [{DISPLAY: 0, "other": 1}]},
    )
    home.write("media_proxy", {"secret": "abc"})
    home.write("display", {**ANNOUNCED, "history": [ENTRY]})
    home.write("favorites", FAVORITES)
    library = await home.start()
    assert not home.warnings()
    assert [node.id for node in library.favorites.nodes()] == ["series/1"]
    assert not list(home.storage.glob("*.damaged"))


async def test_numbers_beyond_64_bits(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number that cannot be stored does not keep the rest of the catalog from being stored."""
    data = home.catalog.data
    show = data.find_exhibition("Net Evil")
    series = data.series(show["id"])[0]
    settings = {**series["settings"], "maxArtwork": 10**30}
    for record, changes in (
        (show, {"previewDuration": 10**30, "status": 10**30}),
        (series, {"displayIndex": 10**30, "settings": settings}),
        (data.artworks(series["id"])[0], {"index": 10**30}),
    ):
        for name, value in changes.items():
            monkeypatch.setitem(record, name, value)
    library = await home.start()
    children = await library.async_children(f"exhibition/{show['id']}")
    assert children.problem is None
    for child in children.nodes:
        await library.async_children(child.id)
    await home.hass.config_entries.async_unload(LIBRARY)
    assert not home.warnings()
    stored = json.loads(home.path("library").read_text())
    assert len(stored["data"]["series"]) == 1


async def test_texts_of_another_version(home: Home) -> None:
    """Whatever a version before or after this one has stored, no attribute of a state is long or unsafe."""
    text = "\x1b[31m" + "x" * 100_000
    node = {"id": "series/1", "kind": "series", "title": text, "artist": text}
    home.write("favorites", {"favorites": [{"node": {**node, "note": text}}]})
    media_id = "https://art.example/1.json"
    home.write("display", {"history": [{**ENTRY, "title": text, "media_id": media_id}]})
    await home.start()
    for state in home.hass.states.async_all():
        attributes = json_bytes(state.attributes)
        assert len(attributes) < 16 * 1024, state.entity_id
        assert b"\\u001b" not in attributes


@pytest.mark.parametrize(
    "odd",
    [
        {**ANNOUNCED, "announced": [{**ANNOUNCEMENT, "until": 7}]},
        {**ANNOUNCED, "announced": [{**ANNOUNCEMENT, "until": "2026-11-21T12:00:00"}]},
        {**ANNOUNCED, "announced": [{**ANNOUNCEMENT, "hung": {"playlist": None}}]},
        {**ANNOUNCED, "announced": [ANNOUNCEMENT, {"hung": {**HUNG, "asked": 1}}]},
        {**ANNOUNCED, "lasting": [{"asked": 1}]},
        {"announced": [ANNOUNCEMENT]},
        {"ignores_times": 7},
        {"of the future": 7},
        {"history": [ENTRY, 7]},
    ],
)
async def test_notes_of_another_version(
    hass: HomeAssistant, storage: Path, odd: dict[str, Any]
) -> None:
    """What cannot be read about a display takes nothing along of what else is known of it."""
    data = {"daily": "https://x.example/daily", "history": [ENTRY], **odd}
    path = storage / NAMES["display"]
    path.write_text(json.dumps(envelope(path.name, data)))
    wall = Wall(hass, DISPLAY)
    await wall.async_load()
    assert wall.notes == Notes(daily="https://x.example/daily")
    assert [entry.title for entry in wall.history.entries()] == ["X"]
    # It is there for whoever can read it, although the file is written again.
    await wall.async_note(daily=None)
    kept = path.with_name(f"{path.name}.damaged")
    assert json.loads(kept.read_text())["data"] == data
    assert len(json.loads(path.read_text())["data"]["history"]) == 1


async def test_one_damaged_favorite(home: Home) -> None:
    """A favorite that cannot be read takes no other along, and is kept beside."""
    data = {"favorites": [*FAVORITES["favorites"], {"node": 7}]}
    home.write("favorites", data)
    library = await home.start()
    assert favorites(library) == ["series/1"]
    assert home.kept("favorites")["data"] == data
    assert len(home.warnings()) == 1


async def test_what_changes_all_the_time_is_saved_in_time(
    hass: HomeAssistant, storage: Path
) -> None:
    """What is to be saved after a while is, however often it changes meanwhile, and then what it is by then."""
    store = SafeStore(hass, "busy", dict[str, int])
    path = storage / "dp1.busy"
    for number in range(500):
        store.async_delay_save(lambda: {"value": number}, 0.2)  # noqa: B023
        await asyncio.sleep(0.02)
        if path.exists():
            break
    assert 0 < json.loads(path.read_text())["data"]["value"] <= number
