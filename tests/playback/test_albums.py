"""Test folders and albums of the home's own pictures on the wall: followed, ordered, lent, and nobody else's."""

from io import BytesIO
import os
from pathlib import Path
import re
from shutil import rmtree
from struct import pack
import sys
import time
import tracemalloc
from typing import Any
from urllib.parse import quote, unquote, urlsplit as parse_url
from zlib import compress, crc32

import aiohttp
from freezegun.api import FrozenDateTimeFactory
from PIL import Image
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
import voluptuous as vol

from custom_components.dp1.browse.display import (
    HISTORY_FOLDER,
    UP_NEXT,
    async_browse_display,
    async_display_picture,
)
from custom_components.dp1.client.errors import NotFoundError
from custom_components.dp1.displays import find_display
from custom_components.dp1.grants import GRANTS
from custom_components.dp1.library import folder as folder_module
from custom_components.dp1.library.folder import Album, File, Order, ordered
from custom_components.dp1.library.item import Item
from custom_components.dp1.library.length import length_of_film, length_of_sound
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.node import NodeKind
from homeassistant.components.media_source import async_browse_media
from homeassistant.config_entries import ConfigSubentryData
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from .test_home_media import PNG, SOURCE, do, play, set_up_home

from tests.collections import NOWHERE
from tests.displays import ENTITY_ID, playlist, state_of, until
from tests.flows import CREATED, begin_part, fill, outcome
from tests.libraries import library_entry, set_up
from tests.photos import FOLDER as PHOTOS, Photos, PhotosView
from tests.simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

FOLDER = f"{SOURCE}/Holiday"
KEY = "01JALBUM000000000000000000"


@pytest.fixture
async def pictures(
    hass: HomeAssistant,
    tmp_path: Path,
    hass_client_no_auth: ClientSessionGenerator,
    display_entry: MockConfigEntry,
) -> Path:
    """Set up a home with a folder of pictures, each a day older than the one before."""
    assert await async_setup_component(hass, "http", {})
    hass.http.register_view(PhotosView())
    await set_up_home(hass, tmp_path, hass_client_no_auth, display_entry)
    # The address of the home was set after them, and with it their default.
    hass.config.media_dirs = {"local": str(tmp_path)}
    folder = tmp_path / "Holiday"
    (folder / "Beach").mkdir(parents=True)
    names = ["Harbor at noon.jpg", "IMG_20230704_101500.jpg", "DSC00012.png"]
    for age, name in enumerate([*names, "tide.mp4", "Beach/Shells.jpg"]):
        (folder / name).write_bytes(PNG)
        at = time.time() - 86_400 * age
        os.utime(folder / name, (at, at))
    for name in ("raw.heic", "notes.txt", "song.mp3", "list.pdf"):
        (folder / name).write_bytes(PNG)
    (folder / "broken.jpg").write_bytes(b"")
    return folder


async def album(hass: HomeAssistant, **data: Any) -> MockConfigEntry:
    """Set up a library with an album."""
    values = {"order": "name", "item_duration": 30, "subfolders": False, **data}
    plain = library_entry(NOWHERE)
    entry = MockConfigEntry(
        domain="dp1",
        title=plain.title,
        unique_id=plain.unique_id,
        data=dict(plain.data),
        subentries_data=[
            ConfigSubentryData(
                data={"folder": FOLDER, **values},
                subentry_id=KEY,
                subentry_type="album",
                title="Our holiday",
                unique_id="one",
            )
        ],
    )
    return await set_up(hass, entry)


def sources(display: DisplaySimulator) -> list[str]:
    return [item["source"] for item in display.player.items]


async def read_album(hass: HomeAssistant, folder: str, **data: Any) -> list[str]:
    """Return the names of what an album has."""
    files = await Album("", "", {"folder": folder, **data}).async_files(hass)
    return [it.name for it in files]


def titles(document: dict[str, Any]) -> list[str | None]:
    return [item.get("title") for item in document["items"]]


async def read(url: str) -> Any:
    """Read the playlist as a display does that follows it."""
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        assert answer.status == 200
        return await answer.json()


async def status(url: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status


async def test_a_folder_hangs(
    hass: HomeAssistant, pictures: Path, display: DisplaySimulator
) -> None:
    """All pictures and films in it that displays show, the newest first, each lent as long as it hangs; new ones come by themselves."""
    await play(hass, FOLDER)
    await until(lambda: len(display.player.items) == 4)
    url = display.state.playlist_url
    assert url
    document = await read(url)
    assert document["title"] == "Holiday"
    assert titles(document) == ["Harbor at noon", None, "tide", "2023-07-04"]
    await until(lambda: state_of(hass).attributes.get("media_title"))
    await hass.async_block_till_done()
    assert [await status(it) for it in sources(display)] == [200] * 4
    (pictures / "New.jpg").write_bytes(PNG)
    (pictures / "DSC00012.png").unlink()
    later = await read(url)
    assert titles(later) == ["New", "Harbor at noon", "tide", "2023-07-04"]
    kept = {item["id"]: item["source"] for item in document["items"]}
    assert sum(kept.get(it["id"]) == it["source"] for it in later["items"]) == 3
    display.player.load(playlist("Reef", title="Reef"))
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Reef")
    await play(hass, "https://art.example/other.png")
    hass.data[GRANTS]._made.clear()
    hass.config_entries.async_entries("dp1")[0].runtime_data.history._entries.clear()
    assert await status(kept[document["items"][0]["id"]]) == 404


async def test_a_folder_that_was_shown(
    hass: HomeAssistant, pictures: Path, display: DisplaySimulator
) -> None:
    """It stands in the history by its own id: nobody reads there what it is lent by, nor in an error."""
    await play(hass, FOLDER)
    await until(lambda: len(display.player.items) == 4)
    page = await hass.services.async_call(
        "media_player",
        "browse_media",
        {
            "entity_id": ENTITY_ID,
            "media_content_id": HISTORY_FOLDER,
            "media_content_type": "directory",
        },
        blocking=True,
        return_response=True,
    )
    (shown,) = page[ENTITY_ID].children
    assert "token" not in f"{shown.media_content_id} {shown.thumbnail}"
    lent = display.state.playlist_url
    assert lent and "?token=" in lent
    with pytest.raises(HomeAssistantError) as refused:
        await play(hass, lent, "image/jpeg")
    assert "token" not in str(refused.value.translation_placeholders)
    display.player.load(playlist("Reef", title="Reef"))
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Reef")
    await play(hass, shown.media_content_id)
    await until(lambda: len(display.player.items) == 4)


async def test_after_a_restart(
    hass: HomeAssistant,
    pictures: Path,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """What hangs still loads, and stays as it is asked for with a look of its own."""
    await play(hass, FOLDER)
    await until(lambda: len(display.player.items) == 4)
    await until(lambda: state_of(hass).attributes.get("media_title"))
    before = sources(display)
    assert await hass.config_entries.async_reload(display_entry.entry_id)
    await hass.async_block_till_done()
    assert [await status(it) for it in before] == [200] * 4
    await do(
        hass,
        "cast_playlist",
        entity_id=ENTITY_ID,
        media=[FOLDER, f"{FOLDER}/Beach/Shells.jpg"],
        item_duration=7,
    )
    assert len(display.player.items) == 5
    assert {item["duration"] for item in display.player.items} == {7}


@pytest.mark.parametrize(
    ("folder", "key"),
    [
        (f"{SOURCE}/Holiday/Empty", "album_empty"),
        (f"{SOURCE}/Nowhere", "media_failed"),
        ("media-source://camera", ""),
        ("media-source://radio_browser", ""),
    ],
)
async def test_what_is_no_album(
    hass: HomeAssistant,
    pictures: Path,
    display: DisplaySimulator,
    folder: str,
    key: str,
) -> None:
    """An empty folder, one that is not there, and the cameras of the home, each of which is asked for by itself."""
    (pictures / "Empty").mkdir()
    before = display.writes
    with pytest.raises(HomeAssistantError) as caught:
        await play(hass, folder)
    assert key in (caught.value.translation_key or "")
    with pytest.raises(HomeAssistantError):
        await play(hass, f"dp1://folder/{folder}")
    assert display.writes == before


async def test_an_album(
    hass: HomeAssistant, pictures: Path, display: DisplaySimulator
) -> None:
    """It is a folder of the library, a source, found by its name, and each picture of it hangs alone; nothing else does."""
    entry = await album(hass, subfolders=True)
    library: Library = entry.runtime_data
    (node,) = library.roots()[-1:]
    albums = [it for it in library.roots() if it.kind == "album"]
    assert [it.title for it in albums] == ["Our holiday"] and node
    children = (await library.async_children(f"album/{KEY}")).nodes
    assert [it.title for it in children] == [
        "DSC00012.png", "Harbor at noon", "2023-07-04", "Shells", "tide"
    ]  # fmt: skip
    (hit, *_) = await library.async_hits("our holiday")
    assert hit.node.id == f"album/{KEY}"
    await until(
        lambda: "Our holiday" in state_of(hass).attributes.get("source_list", ())
    )
    await hass.services.async_call(
        "media_player",
        "select_source",
        {"entity_id": ENTITY_ID, "source": "Our holiday"},
        blocking=True,
    )
    await until(lambda: len(display.player.items) == 5)
    assert {item["duration"] for item in display.player.items} == {30}
    await until(lambda: state_of(hass).attributes.get("source") == "Our holiday")
    await play(hass, f"media-source://dp1/{entry.entry_id}/{children[1].id}")
    assert titles({"items": display.player.items}) == ["Harbor at noon"]
    other = children[1].id.replace("Harbor", "../secret")
    with pytest.raises(HomeAssistantError):
        await play(hass, f"media-source://dp1/{entry.entry_id}/{other}")
    (pictures / "broken.jpg").write_bytes(PNG)
    assert len((await library.async_children(f"album/{KEY}")).nodes) == 6


async def test_the_dialog(hass: HomeAssistant, pictures: Path) -> None:
    """An album is added and changed in a dialog that offers the folders, and refuses one without pictures."""
    entry = await set_up(hass, library_entry(NOWHERE))
    form = await begin_part(hass, entry.entry_id, "album")
    values = {"name": "Ours", "folder": FOLDER, "order": "newest", "item_duration": 9}
    for wrong, error in (
        ({"folder": f"{SOURCE}/Nowhere"}, {"folder": "no_pictures"}),
        ({"name": " "}, {"name": "invalid_name"}),
    ):
        form = await fill(hass, form, **values | wrong)
        assert outcome(form) == error
    done = await fill(hass, form, **values)
    assert outcome(done) == CREATED
    assert done["description_placeholders"] == {"count": "4"}
    (subentry,) = entry.subentries.values()
    assert subentry.title == "Ours" and subentry.data["order"] == "newest"
    form = await entry.start_subentry_reconfigure_flow(hass, subentry.subentry_id)
    assert offered(form)[FOLDER] == "Holiday"
    # The page shows the id of a choice to which one can type.
    assert not form["data_schema"].schema["folder"].config["custom_value"]
    result = await fill(hass, form, **values | {"order": "shuffled"})
    assert outcome(result) == "reconfigure_successful"
    assert result["description_placeholders"] == {"count": "4"}
    assert result.get("translation_domain") is None
    assert entry.subentries[subentry.subentry_id].data["order"] == "shuffled"


def offered(form: Any) -> dict[str, str]:
    """Return the titles of the folders that a dialog offers, by their ids."""
    selector = form["data_schema"].schema["folder"]
    return {it["value"]: it["label"] for it in selector.config["options"]}


async def test_the_dialog_opens_folders(hass: HomeAssistant, pictures: Path) -> None:
    """A folder is chosen level by level, by its title, and only what is opened is asked; it is two albums in two orders."""
    photos = Photos(hass, {"Walk.jpg": PNG})
    assert await async_setup_component(hass, "image", {})
    entry = await set_up(hass, library_entry(NOWHERE))
    form = await begin_part(hass, entry.entry_id, "album")
    assert "media-source://media_source" in offered(form) and not photos.browsed
    # Pictures of entities are no album.
    assert "media-source://image" not in offered(form)
    where = PHOTOS.removesuffix("|one")
    form = await fill(hass, form, folder=where, open=True)
    assert outcome(form) == "user" and photos.browsed == 1
    assert offered(form)[where] == "albums"
    assert offered(form)[PHOTOS] == "albums / one"
    for order in ("newest", "name"):
        assert outcome(await fill(hass, form, folder=PHOTOS, order=order)) == CREATED
        form = await begin_part(hass, entry.entry_id, "album")
    assert [it.title for it in entry.subentries.values()] == ["one", "one"]
    form = await fill(hass, form, folder=PHOTOS, order="name")
    assert outcome(form) == "already_configured"
    # A source that fails, or sleeps, keeps nothing closed.
    photos.failing = "error"
    form = await fill(
        hass, await begin_part(hass, entry.entry_id, "album"), folder=where, open=True
    )
    assert outcome(form) == "user" and PHOTOS not in offered(form)


def jpeg(
    color: str, *size: int, turned: bool = False, day: str = "", **said: str
) -> bytes:
    """Return a picture with what a camera, and somebody at a computer, wrote in it."""
    exif, written = Image.Exif(), BytesIO()
    if turned:
        exif[0x0112] = 6
    if day:
        exif.get_ifd(0x8769)[0x9003] = day
    Image.new("RGB", size, color).save(written, "JPEG", exif=exif)
    data = b"".join(
        b"\x1c\x02"
        + bytes([{"city": 90, "country": 101}[name]])
        + pack(">H", len(text))
        + text
        for name, text in ((name, text.encode()) for name, text in said.items())
    )
    block = b"Photoshop 3.0\0" + b"8BIM\x04\x04\0\0" + pack(">I", len(data)) + data
    segment = b"\xff\xed" + pack(">H", len(block) + 2) + block if data else b""
    return written.getvalue()[:2] + segment + written.getvalue()[2:]


async def test_day_and_place(hass: HomeAssistant, pictures: Path) -> None:
    """What is written in a picture is part of its title: the place, and the day where its name has no words."""
    day, lisbon = "2021:05:06 07:08:09", {"city": "Lisbon", "country": "Portugal"}
    for name, content in {
        "IMG_2031.jpg": jpeg("lime", 4, 3, day=day, **lisbon),
        "IMG_2032.jpg": jpeg("lime", 4, 3, day=day),
        "IMG_2033.jpg": jpeg("lime", 4, 3, city="Porto\x07"),
        "Tram.jpg": jpeg("lime", 4, 3, day=day, **lisbon),
    }.items():
        (pictures / name).write_bytes(content)
    entry = await album(hass)
    children = (await entry.runtime_data.async_children(f"album/{KEY}")).nodes
    told = [it.title for it in children]
    wanted = ["Lisbon, Portugal, 2021-05-06", "2021-05-06", "Porto"]
    assert told[2:] == [*wanted, "2023-07-04", "tide", "Tram, Lisbon, Portugal"]
    # One that was changed is looked at again.
    (pictures / "IMG_2033.jpg").write_bytes(jpeg("lime", 4, 3, city="Faro"))
    os.utime(pictures / "IMG_2033.jpg", (1, 1))
    children = (await entry.runtime_data.async_children(f"album/{KEY}")).nodes
    assert "Faro" in [it.title for it in children]


async def test_small_pictures(
    hass: HomeAssistant, pictures: Path, hass_client: ClientSessionGenerator
) -> None:
    """The media browser shows each picture in small: of a file as it is held, of another source as that serves it; of a film, and of what is none, nothing."""
    Photos(hass, {"Walk.jpg": PNG})
    (pictures / "Harbor at noon.jpg").write_bytes(jpeg("lime", 1600, 1200, turned=True))
    entry = await album(hass)
    name = f"media-source://dp1/{entry.entry_id}/album/{KEY}"
    page = await async_browse_media(hass, name)
    children = {it.title: it.thumbnail or "" for it in page.children or ()}
    assert children.pop("tide") == ""
    assert len(children) == 3 and all(children.values())
    (folder,) = [
        it
        for it in (await async_browse_media(hass, name.partition("/album")[0])).children
        or ()
        if it.title == "Our holiday"
    ]
    assert folder.thumbnail
    client = await hass_client()
    got = await client.get(children["Harbor at noon"])
    assert got.status == 200 and got.content_type == "image/webp"
    with Image.open(BytesIO(await got.read())) as small:
        assert small.size == (400, 533)
    again = await client.get(children["Harbor at noon"])
    assert again.status == 200
    other = children["Harbor at noon"].replace("Harbor", "Harvor")
    assert (await client.get(other)).status == 404
    (pictures / "DSC00012.png").write_bytes(b"none")
    assert (await client.get(children["DSC00012.png"])).status == 404
    (pictures / "IMG_20230704_101500.jpg").unlink()
    assert (await client.get(children["2023-07-04"])).status == 404
    entry = await album(hass, folder=PHOTOS)
    name = f"media-source://dp1/{entry.entry_id}/album/{KEY}"
    (walk,) = (await async_browse_media(hass, name)).children or ()
    assert walk.thumbnail == "/photos/me/id-Walk.jpg/thumbnail/image/jpeg"
    assert (await client.get(walk.thumbnail)).status == 200


MANY = 500


def many() -> dict[str, bytes]:
    """Return five hundred own pictures by their names: upright, wide, turned, HEIC, films, and a broken one."""
    film = pack(">I4sI4s4xIIII", 36, b"moov", 28, b"mvhd", 0, 0, 1000, 12_500)
    kinds = [
        ("jpg", jpeg("lime", 30, 40)),
        ("jpg", jpeg("lime", 40, 30)),
        ("jpg", jpeg("lime", 40, 30, turned=True)),
        ("heic", b"\0\0\0\x18ftypheic"),
        ("mp4", film),
    ]
    names = [f"Walk {n}.{kinds[n % 5][0]}" for n in range(MANY)]
    found = {name: kinds[n % 5][1] for n, name in enumerate(names)}
    return {**found, "Walk 0.jpg": b"broken"}


@pytest.mark.parametrize("is_local", [True, False])
async def test_five_hundred(
    hass: HomeAssistant,
    pictures: Path,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    is_local: bool,
) -> None:
    """All of them that displays show hang; a new one comes and one that was deleted goes, also over a restart; the source is asked for a page at a time."""
    own = many()
    photos = Photos(hass, own)
    rmtree(pictures)
    pictures.mkdir()
    for name, content in own.items():
        (pictures / name).write_bytes(content)
    entry = await album(hass, folder=FOLDER if is_local else PHOTOS, order="name")
    library: Library = entry.runtime_data
    await play(hass, f"media-source://dp1/{entry.entry_id}/album/{KEY}")
    # A media folder has its HEIC as they are; another source serves them as JPEG.
    count = 4 * MANY // 5 if is_local else MANY
    await until(lambda: len(display.player.items) == count)
    assert photos.browsed == (not is_local)
    url, shown = display.state.playlist_url, sources(display)
    assert url and [await status(it) for it in (shown[0], shown[-1])] == [200, 200]
    lengths = {item["duration"] for item in display.player.items}
    assert lengths == ({30, 12.5} if is_local else {30})
    if is_local:
        (pictures / "Walk 1.jpg").unlink()
        (pictures / "New.jpg").write_bytes(own["Walk 2.jpg"])
    else:
        del own["Walk 1.jpg"]
        own["New.jpg"] = own["Walk 2.jpg"]
    assert await status(shown[1]) == 404
    # Whoever browses it reads it again, and displays have it next.
    await library.async_children(f"album/{KEY}")
    for _ in range(2):
        later = await read(url)
        assert titles(later)[:2] == ["New", "Walk 0"]
        assert len(later["items"]) == len(shown)
        kept = {item["source"] for item in later["items"]} & {*shown}
        assert len(kept) == len(shown) - 1
        assert await status(later["items"][0]["source"]) == 200
        for each in (entry.entry_id, display_entry.entry_id):
            assert await hass.config_entries.async_reload(each)
        await hass.async_block_till_done()
    assert photos.browsed == (0 if is_local else 3)


async def test_a_folder_that_fails(hass: HomeAssistant, pictures: Path) -> None:
    """It takes no other along."""
    Photos(hass, many())
    files = await read_album(hass, "media-source://photos", subfolders=True)
    assert len(files) == MANY


async def test_pairs(
    hass: HomeAssistant, pictures: Path, display: DisplaySimulator
) -> None:
    """Upright pictures hang beside each other for the time of both, but for one that is hidden; a heart and an eye are about the first."""
    for name, size, turned in (
        ("Alder.jpg", (30, 40), False),
        ("Birch.jpg", (40, 30), False),
        ("Cedar.jpg", (40, 30), True),
        ("Dahlia.jpg", (40, 40), False),
        ("Elm.jpg", (80, 30), False),
        ("Fern.jpg", (30, 40), False),
        ("Ginkgo.jpg", (30, 40), False),
    ):
        (pictures / name).write_bytes(jpeg("white", *size, turned=turned))
    film = pack(">I4sI4s4xIIII", 36, b"moov", 28, b"mvhd", 0, 0, 1000, 12_500)
    (pictures / "tide.mp4").write_bytes(film)
    entry = await album(hass, pairs=True)
    await play(hass, f"media-source://dp1/{entry.entry_id}/album/{KEY}")
    await until(lambda: len(display.player.items) == 9)
    shown = [(it.get("title"), it["duration"]) for it in display.player.items]
    assert shown == [
        ("Alder · Cedar", 60),
        ("Birch", 30),
        ("Dahlia", 30),
        (None, 30),
        ("Elm", 30),
        ("Fern · Ginkgo", 60),
        ("Harbor at noon", 30),
        ("2023-07-04", 30),
        ("tide", 12.5),
    ]
    page = unquote(display.player.items[0]["source"])
    lent = re.findall(r'src="([^"]+)"', page)
    assert [await status(url) for url in lent] == [200, 200]
    # It has the picture of its first, and a heart is about that.
    # The display tells of it a moment later.
    await until(
        lambda: state_of(hass, ENTITY_ID).attributes["dp1"]["favorite"] is False
    )
    assert state_of(hass, ENTITY_ID).attributes["entity_picture"]
    coming = await async_browse_display(
        find_display(hass, ENTITY_ID).runtime_data, UP_NEXT, str
    )
    assert coming.children and all(it.thumbnail for it in coming.children[:2])
    # What hung has the picture of its album.
    coordinator = find_display(hass, ENTITY_ID).runtime_data
    hung = await async_browse_display(coordinator, HISTORY_FOLDER, str)
    assert hung.children and (picture := hung.children[0].thumbnail)
    assert await async_display_picture(coordinator, picture)
    await do(hass, "add_favorite", entity_id=ENTITY_ID)
    kept = (await entry.runtime_data.async_children("favorites")).nodes
    assert [it.title for it in kept] == ["Alder"]
    # The other one gets its next neighbor.
    await do(hass, "hide_work", entity_id=ENTITY_ID)
    hidden = (await entry.runtime_data.async_children("hidden")).nodes
    assert [it.title for it in hidden] == ["Alder"]
    await until(lambda: display.player.items[0].get("title") != "Alder · Cedar")
    shown = [it.get("title") for it in display.player.items]
    assert sorted(filter(None, shown)) == [
        "2023-07-04", "Birch", "Cedar · Fern", "Dahlia", "Elm", "Ginkgo", "Harbor at noon", "tide"
    ]  # fmt: skip


async def test_what_goes(hass: HomeAssistant, pictures: Path) -> None:
    """A folder that is away leaves what was read; one that is empty, and what is in no album, is told."""
    entry = await album(hass)
    node, library = f"album/{KEY}", entry.runtime_data
    assert (await library.async_node(node)).title == "Our holiday"
    children = (await library.async_children(node)).nodes
    assert (await library.async_node(children[0].id)).title == children[0].title
    found = await library.async_hits("harbor noon")
    assert "Harbor at noon" in [hit.node.title for hit in found]
    for gone in ("album/other", f"{children[0].id}x"):
        with pytest.raises(NotFoundError):
            await library.async_build_playlist(gone)
    rmtree(pictures)
    assert len((await library.async_children(node)).nodes) == len(children)
    pictures.mkdir()
    # A share that is not mounted is an empty folder, too.
    assert len((await library.async_children(node)).nodes) == len(children)
    assert not (await library.async_children(node)).nodes
    with pytest.raises(NotFoundError):
        await library.async_build_playlist(node)
    rmtree(pictures)
    with pytest.raises(NotFoundError):
        await library.async_build_playlist(node)


def test_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no film tells no length, nor does a sound where nothing reads it."""
    assert length_of_film(BytesIO(b"no film")) is None
    monkeypatch.setitem(sys.modules, "mutagen", None)
    assert length_of_sound(BytesIO(b"a sound")) is None


async def test_a_surprise(hass: HomeAssistant, pictures: Path) -> None:
    """It has pictures of albums by their weight."""
    entry = await album(hass, subfolders=True)
    (source,) = [
        each for each in entry.runtime_data.providers if each.surprise == "albums"
    ]
    assert [*source.surprises()] == [f"album/{KEY}"]
    await entry.runtime_data.async_children(f"album/{KEY}")
    ids = [*source.surprises()]
    assert len(ids) == 5
    built = await entry.runtime_data.async_build_playlist(ids[0])
    assert len(built.items) == 1


def some(count: int) -> list[File]:
    return [
        File(f"media-source://a/{n}", f"{n}.jpg", "image/jpeg") for n in range(count)
    ]


def test_shuffled() -> None:
    """All are seen before one comes again, at most a thousand at a time; a restart changes nothing, and a new picture moves no other."""
    few = some(50)
    first = ordered(few, Order.SHUFFLED, 10, "a", now=0)
    assert first == ordered(few[::-1], Order.SHUFFLED, 10, "a", now=1e9) != few
    assert first != ordered(few, Order.SHUFFLED, 10, "b", now=0)
    more = ordered(some(51), Order.SHUFFLED, 10, "a", now=0)
    assert [it for it in more if it in few] == first
    many = some(2500)
    rounds = [
        [ordered(many, Order.SHUFFLED, 10, "a", now=1e4 * turn) for turn in turns]
        for turns in ((0, 1, 2), (3, 4, 5))
    ]
    for parts in rounds:
        assert [len(part) for part in parts] == [1000, 1000, 500]
        assert {it for part in parts for it in part} == {*many}
    assert rounds[0] != rounds[1]


async def names(entry: MockConfigEntry) -> list[str]:
    """Return the titles of the pictures of the album, as somebody sees them who opens it."""
    children = await entry.runtime_data.async_children(f"album/{KEY}")
    return [it.title for it in children.nodes]


async def test_what_a_server_adds(hass: HomeAssistant, pictures: Path) -> None:
    """Previews, snapshots and what was thrown away are no pictures, and a link that leads back is no way."""
    for name in (
        "@eaDir/Harbor at noon.jpg/SYNOPHOTO_THUMB_XL.jpg",
        "#recycle/deleted.jpg",
        "$RECYCLE.BIN/S-1-5/deleted.jpg",
        "lost+found/half.jpg",
        "Beach/@Recycle/deleted.jpg",
        "@Recently-Snapshot/daily/older.jpg",
        "System Volume Information/it.jpg",
        "Summer.lrdata/1/preview.jpg",
    ):
        path = pictures / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PNG)
    (pictures / "Beach" / "back").symlink_to(pictures)
    (pictures / "#Oslo").mkdir()
    (pictures / "#Oslo" / "Fjord.jpg").write_bytes(PNG)
    entry = await album(hass, subfolders=True)
    assert await names(entry) == [
        "DSC00012.png", "Fjord", "Harbor at noon", "2023-07-04", "Shells", "tide"
    ]  # fmt: skip


async def test_a_name_that_is_no_text(
    hass: HomeAssistant,
    pictures: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A file name in bytes that are no UTF-8 costs that file alone, and is named once."""
    (pictures / os.fsdecode(b"Z\xfcrich.jpg")).write_bytes(PNG)
    entry = await album(hass)
    for _ in range(2):
        assert len(await names(entry)) == 4
    assert caplog.text.count("rich.jpg") == 1


async def test_an_action_with_a_name_that_is_no_text(
    hass: HomeAssistant, pictures: Path, display: DisplaySimulator
) -> None:
    """Nothing is shown, kept or hidden by a name that nobody can write, and the error can be."""
    await album(hass)
    name = os.fsdecode(b"Z\xfcrich.jpg")
    (pictures / name).write_bytes(PNG)
    writes, odd = display.writes, f"{FOLDER}/{name}"
    with pytest.raises(HomeAssistantError) as refused:
        await play(hass, odd, "image/jpeg")
    assert "Zrich" in str(refused.value).encode().decode()
    for action in ("add_favorite", "hide_work"):
        with pytest.raises(vol.Invalid, match="no UTF-8"):
            await hass.services.async_call(
                "dp1", action, {"media_content_id": odd}, blocking=True
            )
    assert display.writes == writes


async def test_a_picture_that_is_gone(
    hass: HomeAssistant,
    pictures: Path,
    display: DisplaySimulator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is refused by its name, is no surprise and none of the favorites, and left out once a display asked for it."""
    monkeypatch.setattr(folder_module, "PAUSE", 0.0)
    entry = await album(hass)
    library: Library = entry.runtime_data
    for name in ("Harbor at noon", "IMG_20230704_101500"):
        await play(hass, f"{FOLDER}/{name}.jpg", "image/jpeg")
        await do(hass, "add_favorite", entity_id=ENTITY_ID)
    await play(hass, f"media-source://dp1/{entry.entry_id}/album/{KEY}")
    await until(lambda: len(display.player.items) == 4)
    (gone,) = [it for it in sources(display) if "Harbor" in it]
    url = display.state.playlist_url
    assert url
    (pictures / "Harbor at noon.jpg").unlink()
    writes = display.writes
    for name in ("Harbor at noon.jpg", "snapshot.jpg"):
        with pytest.raises(HomeAssistantError) as refused:
            await play(hass, f"{FOLDER}/{name}", "image/jpeg")
        assert name in str(refused.value)
    assert display.writes == writes
    assert len((await library.async_build_playlist("pictures")).items) == 1
    surprise = await library.async_build_playlist("surprise")
    assert not any("Harbor" in it for it in surprise.sources)
    assert len(titles(await read(url))) == 4
    assert await status(gone) == 404
    assert titles(await read(url)) == [None, "2023-07-04", "tide"]


async def test_what_cannot_be_lent(hass: HomeAssistant, pictures: Path) -> None:
    """Where displays cannot reach the home, a surprise has what is elsewhere, and the pictures say why they cannot be shown."""
    entry = await album(hass)
    library: Library = entry.runtime_data
    await names(entry)
    (work,) = playlist("Reef")["items"]
    library.favorites.async_add(Item(id="item/a/b", kind=NodeKind.ITEM), work)
    picture = f"picture/{quote(f'{FOLDER}/DSC00012.png', safe='')}"
    await library.async_add_favorite(picture)
    hass.config.internal_url = hass.config.api = None
    surprise = await library.async_build_playlist("surprise")
    assert titles(surprise.document) == ["Reef"]
    with pytest.raises(HomeAssistantError) as refused:
        await library.async_build_playlist("pictures")
    assert refused.value.translation_key == "no_internal_url"


async def test_never_again(
    hass: HomeAssistant, pictures: Path, display: DisplaySimulator
) -> None:
    """A photo is hidden where it hangs or as it is chosen, in every list from then on, and comes back."""
    entry = await album(hass)
    library: Library = entry.runtime_data
    where = f"media-source://dp1/{entry.entry_id}"
    await play(hass, f"{where}/album/{KEY}")
    shown = [
        "DSC00012.png",
        "Harbor at noon.jpg",
        "IMG_20230704_101500.jpg",
        "tide.mp4",
    ]

    def on_wall() -> list[str]:
        return [
            unquote(parse_url(it).path.rpartition("/")[2]) for it in sources(display)
        ]

    await until(lambda: on_wall() == shown)
    await until(lambda: state_of(hass).attributes.get("media_title"))
    answer = await do(hass, "hide_work", entity_id=ENTITY_ID)
    await until(lambda: on_wall() == shown[1:])
    photo = f"photo/{KEY}/{quote(f'{FOLDER}/{shown[1]}', safe='')}"
    await do(hass, "hide_work", media_content_id=f"{where}/{photo}")
    await play(hass, f"{where}/album/{KEY}")
    await until(lambda: on_wall() == shown[2:])
    await play(hass, FOLDER)
    await until(lambda: {*on_wall()} == {*shown[2:]})
    page = (await library.async_children(f"album/{KEY}")).nodes
    assert [library.hidden.has(it.id) for it in page] == [True, True, False, False]
    await do(
        hass, "unhide_work", media_content_id=answer["hidden"][0]["media_content_id"]
    )
    await play(hass, f"{where}/album/{KEY}")
    await until(lambda: on_wall() == [shown[0], *shown[2:]])


async def test_a_heart(
    hass: HomeAssistant, pictures: Path, display: DisplaySimulator
) -> None:
    """An album and its photos are kept, each photo as the picture that it is on a display; a film of it is not."""
    entry = await album(hass)
    library: Library = entry.runtime_data
    where = f"media-source://dp1/{entry.entry_id}/album/{KEY}"

    async def hearts() -> list[bool | None]:
        page = await async_browse_media(hass, where)
        media = [page, *(page.children or ())]
        return [it.as_dict()["dp1"]["favorite"] for it in media]

    assert await hearts() == [False, False, False, False, None]
    page = await async_browse_media(hass, where)
    photo = (page.children or ())[1].media_content_id
    for media_id in (where, photo):
        await do(hass, "add_favorite", media_content_id=media_id)
    assert await hearts() == [True, False, True, False, None]
    assert [it.kind for it in library.favorites.nodes()] == ["picture", "album"]
    await play(hass, f"{FOLDER}/Harbor at noon.jpg", "image/jpeg")
    await until(lambda: state_of(hass).attributes["dp1"]["favorite"] is True)
    await do(hass, "remove_favorite", media_content_id=photo)
    assert await hearts() == [True, False, False, False, None]
    await do(hass, "add_favorite", media_content_id=photo)
    await do(hass, "hide_work", media_content_id=photo)
    assert await hearts() == [True, False, False, False, None]


async def test_shuffled_goes_on(
    hass: HomeAssistant,
    pictures: Path,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
) -> None:
    """Shuffled pictures go on where they were, also after other things and a restart; others begin anew."""
    entry = await album(hass, order="shuffled")
    where = f"media-source://dp1/{entry.entry_id}/album/{KEY}"

    def shown() -> Any:
        return state_of(hass).attributes.get("dp1", {}).get("work_id")

    await play(hass, where)
    await until(lambda: len(display.player.items) == 4)
    third = display.player.items[2]["id"]
    await do(hass, "show_work", entity_id=ENTITY_ID, work=3)
    await until(lambda: shown() == third)
    await play(hass, f"{FOLDER}/DSC00012.png", "image/png")
    await until(lambda: len(display.player.items) == 1)
    assert await hass.config_entries.async_reload(display_entry.entry_id)
    await play(hass, where)
    await until(lambda: len(display.player.items) == 4 and shown() == third)
    await play(hass, where)
    await until(lambda: len(display.player.items) == 4 and shown() == third)
    entry = await album(hass, order="name")
    await play(hass, where := f"media-source://dp1/{entry.entry_id}/album/{KEY}")
    await until(lambda: shown() == display.player.items[0]["id"])
    await do(hass, "show_work", entity_id=ENTITY_ID, work=3)
    await until(lambda: shown() == display.player.items[2]["id"])
    await play(hass, where)
    await until(lambda: shown() == display.player.items[0]["id"])


@pytest.mark.parametrize("failing", ["error", "empty", "inner"])
async def test_nothing_read(
    hass: HomeAssistant,
    pictures: Path,
    monkeypatch: pytest.MonkeyPatch,
    failing: str,
) -> None:
    """What was read last stays while a source fails or says for once that it is empty, and it is read again within a minute."""
    monkeypatch.setattr(folder_module, "PAUSE", 0.0)
    photos = Photos(hass, {"Walk.jpg": PNG, "Tree.jpg": PNG})
    where = PHOTOS.removesuffix("|one") if failing == "inner" else PHOTOS
    entry = await album(hass, folder=where, subfolders=True)
    assert await names(entry) == ["Tree", "Walk"]
    photos.failing = failing
    assert await names(entry) == ["Tree", "Walk"]
    if failing != "empty":
        document = await entry.runtime_data.async_build_playlist(f"album/{KEY}")
        assert len(document.items) == 2
    photos.failing = ""
    photos.pictures["Lake.jpg"] = PNG
    document = await entry.runtime_data.async_build_playlist(f"album/{KEY}")
    assert len(document.items) == 3


async def test_deleted_beside_a_folder_that_fails(
    hass: HomeAssistant, pictures: Path
) -> None:
    """What cannot be read keeps what was in it, and nothing that is gone elsewhere."""
    photos = Photos(hass, {"Walk.jpg": PNG, "Tree.jpg": PNG})
    entry = await album(hass, folder=PHOTOS.removesuffix("|one"), subfolders=True)
    assert await names(entry) == ["Tree", "Walk"]
    del photos.pictures["Walk.jpg"]
    assert await names(entry) == ["Tree"]


async def test_photos_of_phones(hass: HomeAssistant, pictures: Path) -> None:
    """Another source serves every picture as browsers show it, whatever the original is; a clip of a live photo is no film."""
    own = ["IMG_1.HEIC", "IMG_1.MOV", "IMG_2.tif", "Cove.dng", "Cove.mp4"]
    Photos(hass, dict.fromkeys(own, PNG))
    entry = await album(hass, folder=PHOTOS)
    assert await names(entry) == ["Cove", "Cove", "IMG_1.HEIC", "IMG_2.tif"]
    built = await entry.runtime_data.async_build_playlist(f"album/{KEY}")
    suffixes = [Path(parse_url(it["source"]).path).suffix for it in built.items]
    assert sorted(suffixes) == [".jpg", ".jpg", ".jpg", ".mp4"]
    for name in ("IMG_3.HEIC", "IMG_3.MOV", "IMG_4.jpg", "IMG_4.mp4"):
        (pictures / name).write_bytes(PNG)
    entry = await album(hass)
    assert "IMG_4.jpg" in (found := await names(entry)) and len(found) == 5


async def test_newest(hass: HomeAssistant, pictures: Path) -> None:
    """It is by when a picture was taken, as it says or its name, else by the file; a source without times has its own order."""
    rmtree(pictures)
    pictures.mkdir()
    for name, day in (
        ("Said.jpg", "2021:05:06 07:08:09"),
        ("Later.jpg", "2021:05:06 07:08:10"),
        ("PXL_20220101_101112345.jpg", ""),
        ("File.jpg", ""),
    ):
        (pictures / name).write_bytes(jpeg("lime", 4, 3, day=day))
    os.utime(pictures / "File.jpg", (1.5e9, 1.5e9))
    entry = await album(hass, order="newest")
    assert await names(entry) == ["2022-01-01", "Later", "Said", "File"]
    entry = await album(hass, order="oldest")
    assert await names(entry) == ["File", "Said", "Later", "2022-01-01"]
    Photos(hass, dict.fromkeys(("Two.jpg", "One.jpg", "Three.jpg"), PNG))
    entry = await album(hass, folder=PHOTOS, order="newest")
    assert await names(entry) == ["Two", "One", "Three"]


async def test_a_slow_source(
    hass: HomeAssistant, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there after ten seconds is shown, and the rest follows."""
    monkeypatch.setattr(folder_module, "PATIENCE", 0.1)
    photos = Photos(hass, {"Walk.jpg": PNG})
    photos.failing = "slow"
    entry = await album(
        hass, folder=PHOTOS.removesuffix("|one"), subfolders=True, order="name"
    )
    with pytest.raises(NotFoundError):
        await entry.runtime_data.async_build_playlist(f"album/{KEY}")
    assert await names(entry) == []
    photos.go_on.set()
    (read,) = next(
        it for it in entry.runtime_data.providers if it.surprise == "albums"
    ).albums
    await until(lambda: [it.name for it in read.files] == ["Walk.jpg"])


async def test_odd_pictures(hass: HomeAssistant, pictures: Path) -> None:
    """A picture is opened as what displays show and by its header alone; whatever is wrong with it costs its details only."""
    head = pack(">II5B", 20_000, 20_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", compress(bytes(3 * 20_000 * 4000), 9))]
    bomb = b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data))
        for kind, data in chunks
    )
    written = BytesIO()
    Image.new("RGB", (8, 4), "red").save(written, "DDS")
    odd = {
        "DDS.jpg": written.getvalue(),
        "WMF.jpg": b"\xd7\xcd\xc6\x9a" + bytes(40),
        "AVIF.jpg": b"\0\0\0\x1cftypavif" + bytes(60),
        "Bomb.png": bomb,
    }
    for name, content in odd.items():
        (pictures / name).write_bytes(content)
    entry = await album(hass, pairs=True)
    tracemalloc.start()
    try:
        assert len(await names(entry)) == 8
        assert tracemalloc.get_traced_memory()[1] < 32 * 1024 * 1024
    finally:
        tracemalloc.stop()
    built = await entry.runtime_data.async_build_playlist(f"album/{KEY}")
    assert len(built.items) == 8


def test_by_name() -> None:
    """A number counts as one."""
    assert [it.name for it in ordered(some(12), Order.NAME, 10)][9:] == [
        "9.jpg", "10.jpg", "11.jpg"
    ]  # fmt: skip
    assert ordered(some(3), Order.OLDEST, 10) == some(3)[::-1]


@pytest.mark.parametrize(
    ("today", "days", "shown"),
    [
        ("2026-11-29", "20161129 20151129 20261129 20161130", "20161129 20151129"),
        ("2026-11-29", "20151202 20151203 20261129", "20151202"),
        ("2027-01-01", "20161231 20170105", "20161231"),
        ("2026-11-29", "20150101 20261129", "20261129 20150101"),
        ("2028-02-29", "20240229 20240228", "20240229"),
        ("2027-02-28", "20240229 20250301", "20240229"),
        ("2026-11-29", "", ""),
        # In the zone of the home, the next day has begun.
        ("2026-11-28 23:30", "20161128 20161129", "20161129"),
    ],
)
async def test_on_this_day(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    today: str,
    days: str,
    shown: str,
) -> None:
    """Pictures of this day in other years, else of the days around it, else all, the newest first."""
    await hass.config.async_set_time_zone("Asia/Tokyo" if ":" in today else "UTC")
    freezer.move_to(today)
    files = [File(day, f"IMG_{day}.jpg", "image/jpeg") for day in days.split()]
    found = ordered(files, Order.ON_THIS_DAY, 10)
    assert [it.media_id for it in found] == shown.split()


async def test_how_long_ago(hass: HomeAssistant, pictures: Path) -> None:
    """The label of a picture of this day tells it."""
    now = dt_util.now()
    # Each year has it; at the end of a month it is still in the week.
    today = now.replace(day=min(now.day, 28))
    for years, name in ((10, "IMG_{}.jpg"), (1, "{} Regatta.jpg"), (0, "IMG_{}_1.jpg")):
        day = f"{today.year - years}{today:%m%d}"
        (pictures / name.format(day)).write_bytes(PNG)
    entry = await album(hass, order="on_this_day")
    built = await entry.runtime_data.async_build_playlist(f"album/{KEY}")
    first, second = (item["title"] for item in built.items)
    assert first.endswith("Regatta, a year ago")
    assert second == f"{today.year - 10}-{today:%m-%d}, 10 years ago"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("IMG_2031.JPG", ""),
        ("PXL_20230704_101500123.MP.jpg", "2023-07-04"),
        ("DSCF0001.jpg", ""),
        ("IMG-20211399-WA0001.jpg", ""),
        ("WhatsApp Image 2022-01-02 at 10.11.12.jpeg", "2022-01-02"),
        ("Grandma_in_the_garden 2.jpg", "Grandma in the garden 2"),
        ("海辺の朝.jpg", "海辺の朝"),
        ("Tram.jpg", "Tram"),
        ("Spam at IMG_1.jpg", "Spam at IMG 1"),
        ("<b>Sea</b>\u202e.png", "Sea"),
        ("PXL 20230714 101112345.PORTRAIT.jpg", "2023-07-14"),
        ("MVIMG_20190102_030405.jpg", "2019-01-02"),
        ("SAM 0001.JPG", ""),
        ("received 1234567890123.jpeg", ""),
        ("Screenshot 20240101-004149 Chrome.png", "2024-01-01"),
        ("3f2b8c1e-9d4a-4e6f-8abc-deadbeefcafe.jpg", ""),
        ("IMG-20221121-WA0017-edited.jpg", "2022-11-21"),
        ("FB_IMG_1577836800123.jpg", ""),
        ("20230714_101112 Birthday.jpg", "20230714 101112 Birthday"),
    ],
)
def test_titles(name: str, title: str) -> None:
    """What a camera calls a file is no title; the day in it is."""
    assert File("media-source://a/1", name, "image/jpeg").title == title
