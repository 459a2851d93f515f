"""Test files of works that are kept at home."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
import os
from pathlib import Path
import re
import time
from typing import Any

import aiohttp
from freezegun.api import FrozenDateTimeFactory
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1 import addresses as addresses_module
from custom_components.dp1.client.hosts import GATEWAYS
from custom_components.dp1.grants import GRANTS
from custom_components.dp1.hosts import HOSTS
from custom_components.dp1.library import file_reader, files as files_module
from custom_components.dp1.library.files import Files, folder_of
from custom_components.dp1.library.item import Item
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.node import NodeKind
from custom_components.dp1.playback.kept_files import async_lend
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import dt as dt_util

from tests.displays import entry_of, playlist, until
from tests.libraries import library_entry, set_up
from tests.pictures import PNG
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator
from tests.simulators.gateway import Internet, Mode, cid_of
from tests.walls import Wall

NOW = "2026-11-28 10:00:00+00:00"
ELSEWHERE = "art.example"
PICTURE = PNG + bytes(range(256)) * 40
PAUSE = files_module.PAUSE
FILM = b"\x00\x00\x00\x18ftypisom" + bytes(9000)


@dataclass
class Home:
    """A library that keeps files, and the internet."""

    hass: HomeAssistant
    entry: MockConfigEntry
    internet: Internet
    freezer: Any = None

    @property
    def library(self) -> Library:
        library: Library = self.entry.runtime_data
        return library

    @property
    def files(self) -> Files:
        return self.library.files

    @property
    def folder(self) -> Path:
        return folder_of(self.hass, self.entry.entry_id)

    def names(self) -> list[str]:
        """Return the files on the disk."""
        return sorted(it.name for it in self.folder.glob("*"))

    def publish(self, content: bytes, kind: str = "image/png") -> str:
        """Put a file of one block on IPFS, and return its address."""
        cid = cid_of(content)
        self.internet.works[cid] = (kind, content)
        return f"ipfs://{cid}"

    def favor(self, url: str) -> None:
        """Make a work a favorite."""
        key = re.sub(r"\W", "", url)[-40:]
        node = Item(id=f"artwork/1/{key}", kind=NodeKind.ARTWORK, title=key)
        self.library.favorites.async_add(node, {"source": url, "title": key})

    async def night(self) -> None:
        """Let a night come, and works be read in it."""
        self.freezer.move_to(
            dt_util.now().replace(hour=2, minute=0) + timedelta(days=1)
        )
        await self.night_goes_on()

    async def night_goes_on(self) -> None:
        """Let works be read in the night that it is."""
        async_fire_time_changed(self.hass)
        # Nothing that waits for time to go by: it stands still.
        if self.files._task is not None:
            await self.files._task
        await self.hass.async_block_till_done()

    def asked(self, part: str = "") -> list[str]:
        """Return the requests for something."""
        return [it for it in self.internet.asked if part in it]

    async def reload(self, **options: Any) -> None:
        """Change the options of the library, or start it again."""
        entry = self.entry
        entries = self.hass.config_entries
        entries.async_update_entry(entry, options={**entry.options, **options})
        await entries.async_reload(entry.entry_id)
        await self.hass.async_block_till_done()

    def issue(self) -> ir.IssueEntry | None:
        name = f"files_not_kept_{self.entry.entry_id}"
        return ir.async_get(self.hass).async_get_issue("dp1", name)


@pytest.fixture
async def home(
    waking: Home, hass: HomeAssistant, freezer: FrozenDateTimeFactory
) -> Home:
    """A library that keeps files, whose nights come when they are called."""
    await hass.config.async_set_time_zone("UTC")
    freezer.move_to(NOW)
    waking.freezer = freezer
    await waking.reload()
    return waking


@pytest.fixture
async def waking(
    hass: HomeAssistant,
    feed: FeedSimulator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Home]:
    """A library that keeps files in a folder of the test, without pauses."""
    hass.config.config_dir = str(tmp_path)
    hosts = dict.fromkeys(
        (gateway.host for each in GATEWAYS.values() for gateway in each), Mode.LIVES
    )
    for name in ("PAUSE", "FIRST_WAIT", "START_WAIT"):
        monkeypatch.setattr(files_module, name, (0.0, 0.0))
    monkeypatch.setattr(files_module, "MIN_FREE", 0)
    async with Internet({**hosts, ELSEWHERE: Mode.LIVES}).running() as internet:
        monkeypatch.setattr(addresses_module, "public_session", internet.session)
        entry = library_entry(feed.url, options={"keep_files": True})
        await set_up(hass, entry)
        yield Home(hass, entry, internet)


async def test_kept(home: Home) -> None:
    """Pictures and films are read at night; web works and SVG are not even asked for."""
    picture, film = home.publish(PICTURE), home.publish(FILM, "video/mp4")
    folder = cid_of(b"a.png", is_raw=False)
    home.internet.works[f"{folder}/a.png"] = ("image/png", PICTURE)
    home.internet.works[f"{ELSEWHERE}/b.jpg"] = ("image/jpeg", b"\xff\xd8\xff" + FILM)
    for url in (
        *(picture, film, f"ipfs://{folder}/a.png", f"https://{ELSEWHERE}/b.jpg"),
        *("ipfs://bafkqabtimvwgy3yk/index.html", f"https://{ELSEWHERE}/c.svg"),
        *("http://192.168.1.9/d.png", "data:image/png;base64,AAAA", "nonsense"),
    ):
        home.favor(url)
    assert not home.names()
    await home.night()
    assert (home.files.count, home.files.missing) == (4, 0)
    assert home.files.size == 2 * len(PICTURE) + 2 * len(FILM) + 3
    assert len(home.names()) == home.files.count
    for url, content in ((picture, PICTURE), (film, FILM)):
        file = home.files.get(url)
        assert file is not None
        assert home.files.path_of(file).read_bytes() == content
    assert not home.asked("index.html")
    assert not home.asked("svg")
    state = home.hass.states.get("sensor.library_works_kept_at_home")
    assert state is not None
    # What is kept is not read again.
    before = len(home.internet.asked)
    await home.night()
    assert len(home.internet.asked) == before


@pytest.mark.parametrize("mode", [Mode.SLOW, Mode.ENDS, Mode.LEADS, None])
async def test_a_gateway_of_arweave(
    waking: Home, monkeypatch: pytest.MonkeyPatch, mode: Mode | None
) -> None:
    """A work is read from the next gateway if the one in its address fails, which is then left alone."""
    home, timeout = waking, aiohttp.ClientTimeout(sock_read=1.0)
    monkeypatch.setattr(file_reader, "TIMEOUT", timeout)
    monkeypatch.setattr(files_module, "NIGHT", range(24))
    if mode is None:
        del home.internet.hosts["arweave.net"]
    else:
        home.internet.hosts["arweave.net"] = mode
    for count in (1, 2):
        key = str(count) * 43
        home.internet.works[key] = ("image/png", PICTURE)
        home.favor(f"https://arweave.net/{key}")
        await home.files.async_read()
        assert home.files.count == count
        assert len(home.asked("turbo-gateway.com")) == count
        assert not home.asked("arweave.net")


async def test_a_wrong_hash_and_lists(home: Home) -> None:
    """Another file than its address names by its hash, the list of a folder, and a file that grew are not kept, also from the next gateways."""
    wrong, grown, text = (home.publish(PICTURE + it) for it in (b"1", b"2", b"3"))
    for url, content in (
        (wrong, PICTURE + b"x"),
        (grown, PICTURE + b"2" * 5000),
        (text, b"Not a picture, in many words"),
    ):
        home.internet.works[url.removeprefix("ipfs://")] = ("image/png", content)
        home.favor(url)
    await home.night()
    assert (home.files.count, home.files.missing) == (0, 3)
    assert not home.names()
    # Not in the next night.
    before = len(home.internet.asked)
    await home.night()
    assert len(home.internet.asked) == before
    folder = home.publish(PICTURE + b"4")
    home.favor(folder)
    for host in home.internet.hosts:
        home.internet.hosts[host] = Mode.LISTS
    await home.night()
    assert home.files.count == 0


@pytest.mark.parametrize("how", ["told", "untold", "endless"])
async def test_what_is_too_large(
    home: Home, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """A film of 600 MB is left at its first answer, and one that does not tell its length once it is longer than what is kept."""
    name = f"{ELSEWHERE}/long.mp4"
    home.internet.works[name] = ("video/mp4", FILM + bytes(20_000))
    if how == "told":
        home.internet.told[name] = 600_000_000
    else:
        monkeypatch.setattr(file_reader, "MAX_FILE", 20_000)
        (home.internet.untold if how == "untold" else home.internet.endless).add(name)
    home.favor(f"https://{name}")
    await home.night()
    assert (home.files.count, home.files.missing) == (0, 1)
    # What was on its way.
    assert home.internet.sent < 20_000_000
    await home.night()
    assert len(home.asked("long.mp4")) == 1
    assert not home.names()


async def test_a_film_that_does_not_tell_its_length(home: Home) -> None:
    """It is kept, and counted by what has come."""
    name = f"{ELSEWHERE}/film.mp4"
    home.internet.works[name] = ("video/mp4", FILM)
    home.internet.untold.add(name)
    home.favor(f"https://{name}")
    await home.night()
    assert (home.files.count, home.files.size) == (1, len(FILM))
    assert home.files._index.night_bytes == len(FILM)


async def test_the_least_used_goes(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was shown makes no room for what was not; what was shown later does for it, least used first."""
    monkeypatch.setattr(files_module, "GIGABYTE", len(PICTURE) + 500)
    await home.reload(keep_gigabytes=2)
    first, second, third = (home.publish(PICTURE + it) for it in (b"1", b"2", b"3"))
    home.favor(first)
    home.favor(second)
    await home.night()
    home.freezer.tick(60)
    home.files.async_use(first)
    home.favor(third)
    await home.night()
    assert home.files.get(third) is None
    assert home.files.missing == 1
    home.files._index.used["ipfs://" + third.removeprefix("ipfs://")] = 1.0
    home.freezer.tick(timedelta(days=20))
    await home.night()
    assert home.files.get(second) is None
    assert home.files.get(first) is not None
    assert home.files.get(third) is not None
    # Less is allowed.
    await home.reload(keep_gigabytes=1)
    assert home.files.count == 1
    assert home.files.get(first) is not None
    assert len(home.names()) == 1
    # Nobody wants it any more.
    for node in [*home.library.favorites.nodes()]:
        home.library.favorites.async_remove(node.id)
    await home.night()
    assert home.files.count == 1
    home.freezer.tick(timedelta(days=8))
    await home.night()
    assert not home.names()


async def test_room_for_two_at_once(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each makes room by files of its own."""
    monkeypatch.setattr(files_module, "GIGABYTE", len(PICTURE) + 1)
    await home.reload(keep_gigabytes=4)
    for number in b"1234":
        home.favor(home.publish(PICTURE + bytes([number])))
    await home.night()
    assert home.files.count == 4
    size = 2 * (len(PICTURE) + 1)
    make_room = home.files._async_make_room
    await asyncio.gather(make_room(size), make_room(size))
    assert home.files.count == len(home.names()) == 2


async def test_more_room(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that are read at once have room for one, and what had none is read in the night after more is allowed."""
    monkeypatch.setattr(files_module, "GIGABYTE", len(PICTURE) + 1)
    await home.reload(keep_gigabytes=1)
    for number in b"1234":
        home.favor(home.publish(PICTURE + bytes([number])))
    await home.night()
    assert home.files.count == len(home.names()) == 1
    await home.night()
    assert home.files.count == 1
    await home.reload(keep_gigabytes=4)
    await home.night()
    assert home.files.count == len(home.names()) == 4


async def test_the_disk_is_full(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, what is kept stays, and the next night tries again."""
    kept, missing = home.publish(PICTURE), home.publish(FILM, "video/mp4")
    home.favor(kept)
    await home.night()
    home.favor(missing)
    # Whatever is written to this file is refused, as a full disk does.
    part = home.files._path(missing).with_suffix(".part")
    part.symlink_to("/dev/full")
    await home.night()
    issue = home.issue()
    assert issue is not None
    assert "No space left" in str(issue.translation_placeholders)
    assert home.files.get(kept) is not None
    assert home.library.favorites.nodes()
    assert len(home.names()) == 1
    await home.night()
    assert home.files.count == 2
    assert home.issue() is None
    # There is less left than others need.
    home.favor(home.publish(PICTURE + b"1"))
    monkeypatch.setattr(files_module, "MIN_FREE", 1 << 60)
    await home.night()
    assert home.issue() is not None
    assert home.files.count == 2


async def test_off_and_removed(home: Home) -> None:
    """With the option and with the library, files go; while it is disabled they stay."""
    home.favor(home.publish(PICTURE))
    await home.night()
    entries, entry_id = home.hass.config_entries, home.entry.entry_id
    await entries.async_set_disabled_by(entry_id, ConfigEntryDisabler.USER)
    await home.hass.async_block_till_done()
    assert len(home.names()) == 1
    await entries.async_set_disabled_by(entry_id, None)
    await home.hass.async_block_till_done()
    assert home.files.count == 1
    await home.reload(keep_files=False)
    assert not home.folder.exists()
    assert home.files.count == 0
    await home.reload(keep_files=True)
    await home.night()
    assert home.files.count == 1
    await entries.async_remove(entry_id)
    assert not home.folder.exists()


async def test_restarts_and_restores(home: Home) -> None:
    """What is kept is known after a restart, a night that was ended goes on, and what a restore has not brought is read again."""
    home.favor(home.publish(PICTURE))
    home.favor(home.publish(FILM, "video/mp4"))
    await home.night()
    (home.folder / "half.part").write_bytes(b"half")
    (home.folder / home.names()[0]).unlink()
    await home.reload()
    assert home.files.count == 1
    assert "half.part" not in home.names()
    # It is the same night.
    async_fire_time_changed(home.hass)
    await home.hass.async_block_till_done(wait_background_tasks=True)
    assert home.files.count == 2
    for name in home.names():
        (home.folder / name).unlink()
    await home.reload()
    assert home.files.count == 0


async def test_an_index_that_is_lost(home: Home, hass_storage: dict[str, Any]) -> None:
    """Files without a record are taken over if they are wanted, also when no host has them; others count until they are a week old, and go."""
    picture, film = home.publish(PICTURE), home.publish(FILM, "video/mp4")
    home.favor(picture)
    home.favor(film)
    await home.night()
    entries, entry_id = home.hass.config_entries, home.entry.entry_id
    await entries.async_unload(entry_id)
    hass_storage[f"dp1.library.{entry_id}.files"]["data"] = "damaged"
    week = time.time() - files_module.UNWANTED_AGE
    for name, written_at in (("0", week), ("1", week + 7200)):
        path = home.folder / (name * 64)
        path.write_bytes(bytes(700))
        os.utime(path, (written_at, written_at))
    (home.folder / "half.part").write_bytes(b"half")
    await entries.async_setup(entry_id)
    await home.hass.async_block_till_done()
    assert len(home.names()) == 4
    assert home.files.size == len(PICTURE) + len(FILM) + 1400
    home.internet.works.clear()
    before = len(home.internet.asked)
    home.freezer.tick(60)
    await home.night_goes_on()
    assert len(home.internet.asked) == before
    assert (home.files.count, home.files.missing) == (2, 0)
    for url, kind in ((picture, "image/png"), (film, "video/mp4")):
        file = home.files.get(url)
        assert file is not None
        assert (file.url, file.kind) == (url, kind)
    assert len(home.names()) == 3
    assert home.files.size == len(PICTURE) + len(FILM) + 700


async def test_a_large_collection(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes several nights: two works at a time, each with a few requests and a pause behind it, and no more than is for a night."""
    pauses, sleep = list[float](), asyncio.sleep

    async def pause(seconds: float) -> None:
        """Let no time go by, and note how much it would have been."""
        if seconds:
            pauses.append(seconds)
        await sleep(0)

    monkeypatch.setattr(files_module, "PAUSE", PAUSE)
    for number in range(files_module.MAX_NIGHT_FILES + 10):
        home.favor(home.publish(PICTURE + number.to_bytes(2)))
    counts, total = list[int](), home.library.favorites.nodes()
    for _ in range(2):
        with monkeypatch.context() as changed:
            changed.setattr(asyncio, "sleep", pause)
            await home.night()
        counts.append(home.files.count)
    assert counts == [files_module.MAX_NIGHT_FILES, len(total)]
    assert len(home.internet.asked) == len(total)
    assert home.internet.sent == home.files.size
    assert home.internet.open[1] <= files_module.READERS
    # Each of the readers waits 20 seconds at least: six requests a minute of each.
    assert len(pauses) == len(total) and min(pauses) >= 20
    hours = sum(pauses[: counts[0]]) / files_module.READERS / 3600
    assert hours < len(files_module.NIGHT) - 1


async def test_a_host_that_keeps_a_reader_for_itself(
    waking: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who sends a byte at a time is left."""
    monkeypatch.setattr(file_reader, "SLOW_SECONDS", 0.2)
    monkeypatch.setattr(files_module, "NIGHT", range(24))
    waking.favor(f"https://{ELSEWHERE}/slow.png")
    waking.internet.works[f"{ELSEWHERE}/slow.png"] = "image/png", PICTURE[:200]
    waking.internet.drips.add(f"{ELSEWHERE}/slow.png")
    await waking.files.async_read()
    assert waking.asked("slow.png")
    assert not waking.files.count


async def test_who_failed_comes_last(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Works that are not to be had take no night from those that are."""
    monkeypatch.setattr(files_module, "MAX_NIGHT_FILES", 1)
    for name in ("gone", "there", "away"):
        home.favor(f"https://{ELSEWHERE}/{name}.png")
    home.internet.works[f"{ELSEWHERE}/there.png"] = "image/png", PICTURE
    for _ in range(3):
        await home.night()
    assert home.files.get(f"https://{ELSEWHERE}/there.png")
    assert home.asked("gone.png")
    assert home.asked("away.png")


async def test_no_more_than_a_night_of_bytes(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read in a night has a bound in bytes, too, which holds over a restart in it."""
    monkeypatch.setattr(files_module, "MAX_NIGHT_BYTES", 3 * len(PICTURE))
    for number in range(9):
        home.favor(home.publish(PICTURE + bytes([number])))
    await home.night()
    read = home.files.count
    assert 3 <= read < 3 + files_module.READERS
    await home.reload()
    async_fire_time_changed(home.hass)
    await home.hass.async_block_till_done(wait_background_tasks=True)
    assert home.files.count == read
    await home.night()
    assert home.files.count > read


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize("name", ["/a.png", ""])
async def test_on_a_display(
    waking: Home,
    bare: Wall,
    hass_client_no_auth: ClientSessionGenerator,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    """While gateways live they show a work; once all are gone it is lent, also after a restart and where its address does not tell that it is a picture; the label says where it lives."""
    home, wall, hass = waking, bare, waking.hass
    monkeypatch.setattr(files_module, "NIGHT", range(24))
    await wall.set_up()
    web = await hass_client_no_auth()
    base = str(web.make_url("")).rstrip("/")
    await async_process_ha_core_config(hass, {"internal_url": base})
    cid = cid_of(PNG, is_raw=not name)
    home.internet.works[f"{cid}{name}"] = ("image/png", PNG)
    url = f"ipfs://{cid}{name}"
    home.favor(url)
    await home.files.async_read()
    document = playlist("Work")
    document["items"][0]["source"] = url

    def source() -> str:
        """Return where the display loads the work."""
        return str(wall.display.state.items[0]["source"])

    async with home.internet.session() as session:
        wall.display.caster.session = wall.display._painter.session = session
        await wall.do("dp1.cast_playlist", playlist=document)
        assert source().startswith("https://ipfs.filebase.io/")
        assert wall.attribute("dp1")["lives"] == "home"
        # All are gone: the display tells, they are asked, and it is lent.
        for host in home.internet.hosts:
            home.internet.hosts[host] = Mode.ENDS
        await wall.do("dp1.cast_playlist", playlist=playlist("Other"))
        await until(lambda: wall.attribute("media_title") == "Other")
        await wall.do("dp1.cast_playlist", playlist=document)
        await until(lambda: source().startswith(base))
        await until(lambda: wall.attribute("dp1")["lives"] == "only_home")
        assert source().split("?")[0].endswith(".png")
        async with aiohttp.ClientSession() as stranger, stranger.get(source()) as got:
            assert await got.read() == PNG
            assert got.headers["X-Content-Type-Options"] == "nosniff"
            assert got.content_type == "image/png"
        player = await wall.coordinator.async_read_player()
        kept = wall.coordinator.history.playlist_of(player)
        assert kept.sources == [url]
        # After a restart nothing is known of gateways.
        hass.data[HOSTS]._hosts.clear()
        hass.data[HOSTS]._missing.clear()
        await home.reload()
        await wall.reload()
        await wall.do("dp1.cast_playlist", playlist=document)
        await until(lambda: source().startswith(base))
        # Nothing is lent where displays cannot reach Home Assistant.
        with monkeypatch.context() as changed:
            changed.setattr(hass.config, "internal_url", None)
            changed.setattr(hass.config, "api", None)
            assert async_lend(hass, ["https://art.example.org/other.png", url]) == {}
        # What is lent is the work: hidden, it is no favorite, and it hangs no more.
        lent = source()
        await until(lambda: wall.attribute("dp1")["source"] == lent.split("?")[0])
        await wall.do("dp1.hide_work")
        assert not home.library.favorites.nodes()
        assert not wall.display.state.items
        await home.reload(keep_files=False)
        async with aiohttp.ClientSession() as stranger, stranger.get(lent) as got:
            assert got.status == 404


@pytest.mark.parametrize("profile", ["B"])
async def test_on_two_displays(
    waking: Home,
    bare: Wall,
    hass_client_no_auth: ClientSessionGenerator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A kept file that is lent to two displays ends with each of them, and the token of one opens nothing of the other."""
    home, wall, hass = waking, bare, waking.hass
    monkeypatch.setattr(files_module, "NIGHT", range(24))
    await wall.set_up()
    base = str((await hass_client_no_auth()).make_url("")).rstrip("/")
    await async_process_ha_core_config(hass, {"internal_url": base})
    home.favor(url := home.publish(PNG))
    await home.files.async_read()
    for host in home.internet.hosts:
        home.internet.hosts[host] = Mode.ENDS
    await hass.data[HOSTS].async_find(url)
    document = playlist("Work")
    document["items"][0]["source"] = url
    async with DisplaySimulator(profile="B", device_id="FF1-OTHER001") as second:
        entry = entry_of(second, unique_id="FF1-OTHER001", title="Other")
        other = Wall(hass, second, entry)
        await other.set_up()
        for each in (wall, other):
            each.display.caster.preflight = False
        players = {"entity_id": ["media_player.wall", "media_player.other"]}
        data = {**players, "playlist": document}
        await hass.services.async_call("dp1", "cast_playlist", data, blocking=True)

        def told(each: Wall) -> str:
            """Return where a display has told that it loads the work."""
            player = each.coordinator.data.player
            return str(player.items[0].source) if player and player.items else ""

        await until(lambda: all(told(it).startswith(base) for it in (wall, other)))
        urls = told(wall), told(other)
        assert urls[0] != urls[1]

        async def statuses() -> list[int]:
            """Return what each of the addresses is answered, long after it was made."""
            hass.data[GRANTS]._made.clear()
            found = []
            async with aiohttp.ClientSession() as stranger:
                for url in urls:
                    async with stranger.get(url) as answer:
                        found.append(answer.status)
            return found

        assert await statuses() == [200, 200]
        entries = hass.config_entries
        await entries.async_set_disabled_by(entry.entry_id, ConfigEntryDisabler.USER)
        assert await statuses() == [200, 404]
        await entries.async_remove(entry.entry_id)
        assert await statuses() == [200, 404]
