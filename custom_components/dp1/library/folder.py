"""A folder of the home: the pictures and films of any media source of Home Assistant, as one playlist in an order."""

import asyncio
from calendar import isleap
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from hashlib import blake2b
from html import escape
from mimetypes import guess_extension
import os
from pathlib import Path
import re
import time
from typing import Any, Final
from uuid import uuid5

from PIL import Image, IptcImagePlugin

from homeassistant.components import media_source
from homeassistant.components.media_player import BrowseMedia
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from ..client.errors import NotFoundError
from ..client.text import MAX_TITLE, clean, is_unicode, unshown_type
from ..client.values import number
from ..const import DEFAULT_DURATION, DOMAIN, LOGGER
from ..errors import component_errors
from ..grants import GRANTS, LIVE, MAX_ID, page_url
from ..language import async_text
from .item import WORK_IDS, Item, Json
from .length import length_of_film

# Media ids of folders that are shown without a library: what follows is the media id of Home Assistant.
FOLDER_PREFIX: Final = f"{DOMAIN}://folder/"
FILES: Final = "media-source://media_source/"
CONF_FOLDER: Final = "folder"
# Of the dialog: to offer what is in the folder, instead of taking it.
CONF_OPEN: Final = "open"
CONF_ORDER: Final = "order"
CONF_ITEM_DURATION: Final = "item_duration"
CONF_SUBFOLDERS: Final = "subfolders"
CONF_PAIRS: Final = "pairs"
# Pictures of entities are not in albums: each needs the right to read it.
ENTITIES: Final = (LIVE.removesuffix("/"), "media-source://image/")
SHOWN_TYPES: Final = ("image/", "video/")
# Of a folder with all that is in it, and of those that are shown at a time: every status of the display carries the list.
MAX_FILES: Final = 10_000
MAX_FOLDERS: Final = 500
MAX_SHOWN: Final = 1000
# Sources without pictures of one's own, and our own.
NO_ALBUMS: Final = (
    *ENTITIES,
    f"media-source://{DOMAIN}",
    "media-source://radio_browser",
    "media-source://tts",
)
# Levels of folders.
MAX_DEPTH: Final = 8
# What servers, desktops and editors put beside pictures.
SYSTEM_FOLDERS: Final = "@eadir|@tmp|@sharebin|@recycle|@recently-snapshot|@__thumb|#recycle|#snapshot|$recycle.bin|recycler|lost+found|found.000|__macosx|captureone|system volume information"
PACKAGES: Final = (".lrdata", ".photoslibrary", ".aplibrary")
# Of the files of a media folder, those that displays show.
FORMATS: Final = ("AVIF", "BMP", "GIF", "JPEG", "PNG", "WEBP")
# Seconds that somebody waits for a folder, and after which it is read again; where it could not be, twice as long each time.
PATIENCE: Final = 10.0
PAUSE: Final = 30.0
MAX_PAUSE: Final = 6 * 3600.0
# In EXIF: how a camera was held, where the rest is, when a picture was taken, and when it was changed.
ORIENTATION: Final = 0x0112
EXIF: Final = 0x8769
TAKEN: Final = 0x9003
CHANGED: Final = 0x0132
# In IPTC: city and country.
PLACES: Final = ((2, 90), (2, 101))
MAX_PLACE: Final = 60
# As EXIF tells that a camera was held.
SIDEWAYS: Final = (5, 6, 7, 8)
# Two pictures beside each other, or above each other on an upright display.
PAIR: Final = """<!doctype html>
<html><head><meta charset="utf-8"><style>
html,body{{margin:0;height:100%;background:#000;overflow:hidden}}
body{{display:flex;gap:1vmin}}
@media (orientation:portrait){{body{{flex-direction:column}}}}
img{{flex:1;min-width:0;min-height:0;object-fit:contain}}
</style></head><body><img src="{}" alt=""><img src="{}" alt=""></body></html>
"""
# What cameras and phones call a file is no title, nor is what programs make up.
_TIME: Final = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-_.:]?(\d\d)[-_.:]?(\d\d)(?:[-_.T ]?(\d\d)[-.:]?(\d\d)[-.:]?(\d\d)\d{0,3})?(?!\d)"
)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_NUMBER: Final = re.compile(
    r"(?<![^\W_])(?=[a-f-]*\d)(?:[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|[0-9a-f]{12,})(?![^\W_])",
    re.IGNORECASE,
)
_SCREENSHOT: Final = re.compile(
    r"screen ?shot|screen_recording|bildschirmfoto", re.IGNORECASE
)
_CAMERA: Final = re.compile(
    r"(?<![^\W\d_])(?:_?(?:img|mvimg|dsc[fn]?|pict?|pxl|sam|mvi|vid|mov|dji|gopr|gh|p|wa|whatsapp|image|video|photo|foto"
    r"|received|signal|telegram|at|edited|copy|original|burst|cover|portrait|night|motion|pano|collage|hdr|mp|pm|am)(?![^\W\d_]))+",
    re.IGNORECASE,
)


class Order(StrEnum):
    """The order of the pictures of a folder."""

    NEWEST = "newest"
    OLDEST = "oldest"
    NAME = "name"
    SHUFFLED = "shuffled"
    ON_THIS_DAY = "on_this_day"


# What needs the details of all files.
BY_TIME: Final = (Order.NEWEST, Order.OLDEST, Order.ON_THIS_DAY)
# Days around one that count as its week.
WEEK: Final = 3


@dataclass(frozen=True, slots=True)
class Details:
    """What a file in a media folder tells of itself.

    Attributes:
        is_upright: whether a picture is, as it is seen.
        length: seconds that a film lasts, None if it does not tell.
        taken: the day, or the time of the camera, at which a picture was taken, in ISO 8601.
        place: where, in words.
    """

    is_upright: bool = False
    length: float | None = None
    taken: str = ""
    place: str = ""


NO_DETAILS: Final = Details()


@dataclass(frozen=True, slots=True)
class File:
    """A picture or a film.

    Attributes:
        media_id: id in its media source.
        name: of the file, as its source tells.
        kind: media type.
        changed: when it was changed, in seconds since 1970; 0 if its source does not tell.
        thumbnail: path at which its source serves a small picture of it.
        details: of itself.
    """

    media_id: str
    name: str
    kind: str
    changed: float = 0.0
    thumbnail: str = ""
    details: Details = NO_DETAILS

    @property
    def title(self) -> str:
        """Return the words of the file, else the day on which it was taken, with its place; nothing if it tells nothing."""
        stem, place = _stem(self.name), self.details.place
        words = _words_in(stem)
        day = (self.details.taken or _time_in(stem))[:10]
        parts = [words, place] if words else [place, day]
        return clean(", ".join(filter(None, parts)), MAX_TITLE)

    @property
    def taken(self) -> str:
        """Return when it was taken, as it says or its name does, else when the file was changed; nothing if nobody tells."""
        written = self.details.taken or _time_in(self.name)
        if written or not self.changed:
            return written
        return dt_util.as_local(dt_util.utc_from_timestamp(self.changed)).isoformat()

    @property
    def day(self) -> date | None:
        """Return the day on which it was taken."""
        return date.fromisoformat(self.taken[:10]) if self.taken else None

    @property
    def picture(self) -> str:
        """Return the path at which its source serves it in small, or the id of a picture in a media folder; nothing without either."""
        is_own = self.media_id.startswith(FILES) and self.kind.startswith("image/")
        return self.thumbnail or (self.media_id if is_own else "")

    @property
    def path(self) -> str:
        """Return the path at which it is lent: its suffix tells displays what it is."""
        name = self.name.replace("/", "_")
        if unshown_type(name, self.kind) and self.kind.startswith("image/"):
            return f"/{_stem(name)}.jpg"
        suffix = guess_extension(self.kind) or ""
        return f"/{name}" if Path(name).suffix else f"/{name}{suffix}"


class Album:
    """A folder with a name and an order, as it was read last.

    Attributes:
        title: its name, else what its source calls the folder.
        files: its pictures and films in the order of their source.
    """

    def __init__(self, key: str, title: str, data: Mapping[str, Any]) -> None:
        """Initialize with nothing read."""
        self.key, self.title = key, title
        self.folder = str(data[CONF_FOLDER])
        self.order = Order(data.get(CONF_ORDER, Order.SHUFFLED))
        self.duration = number(data.get(CONF_ITEM_DURATION)) or DEFAULT_DURATION
        self.subfolders = bool(data.get(CONF_SUBFOLDERS))
        self.pairs = bool(data.get(CONF_PAIRS))
        self.files: Sequence[File] = ()
        self._details: dict[tuple[str, float], Details] = {}
        self._reading: asyncio.Task[None] | None = None
        self._due, self._failures, self._is_empty = 0.0, 0, False
        self._error: NotFoundError | None = None
        self._refused: set[str] = set()

    async def async_files(
        self, hass: HomeAssistant, *, now: bool = False
    ) -> Sequence[File]:
        """Return the files, which are read again if that is due, as far as they could be read within ten seconds.

        Raises:
            NotFoundError: nothing could be read, now or before.
        """
        is_due = now or time.monotonic() >= self._due
        if is_due and (self._reading is None or self._reading.done()):
            self._reading = hass.async_create_background_task(
                self._async_read(hass), f"{DOMAIN} album"
            )
        if self._reading is not None:
            await asyncio.wait({self._reading}, timeout=PATIENCE)
        if self._error and not self.files:
            raise self._error
        return self.files

    def missed(self, media_id: str) -> None:
        """Have the folder read again soon, as one of its pictures was not there."""
        if any(it.media_id == media_id for it in self.files):
            self._due = min(self._due, time.monotonic() + PAUSE)

    async def async_shown(
        self,
        hass: HomeAssistant,
        limit: int | None = None,
        *,
        now: bool = False,
        order: Order | None = None,
    ) -> list[File]:
        """Return the files that are shown now, in an order and with their details."""
        files = await self.async_files(hass, now=now)
        shown = ordered(files, order or self.order, self.duration, self.key)
        return await self.async_detailed(hass, shown[: limit or MAX_SHOWN])

    async def async_detailed(
        self, hass: HomeAssistant, files: Sequence[File]
    ) -> list[File]:
        """Return files with their details; what was looked at stays known until the file is changed."""
        known = self._details
        if new := [it for it in files if (it.media_id, it.changed) not in known]:
            known |= await hass.async_add_executor_job(_details_of, hass, new)
        return [
            replace(it, details=known.get((it.media_id, it.changed), NO_DETAILS))
            for it in files
        ]

    async def _async_read(self, hass: HomeAssistant) -> None:
        """Read the folder; what was read last stays as far as it cannot be read, and an empty one must be so twice."""
        found: dict[str, File] = {}
        is_whole, self._error = False, None
        try:
            is_whole = await self._async_read_pages(hass, found)
        except NotFoundError as err:
            self._error = err
        finally:
            was_empty, self._is_empty = self._is_empty, is_whole and not found
            is_read = is_whole and not self._is_empty
            self._failures = 0 if is_read else self._failures + 1
            if self._error or (self._is_empty and not was_empty):
                found = {it.media_id: it for it in self.files}
            self.files = [*found.values()][:MAX_FILES]
            there = {(it.media_id, it.changed) for it in self.files}
            for key in self._details.keys() - there:
                del self._details[key]
            again = PAUSE * 2.0 ** (min(self._failures, 16) - 1)
            pause = min(again, MAX_PAUSE) if self._failures else MAX_PAUSE
            self._due = time.monotonic() + pause

    async def _async_read_pages(
        self, hass: HomeAssistant, found: dict[str, File]
    ) -> bool:
        """Add what is in the folder as it is read, and return whether that is all of it."""
        if (page := await async_opened(hass, self.folder)) is None:
            raise NotFoundError("no folder to read", translation_key="album_empty")
        self.title = self.title or clean(page.title, MAX_TITLE)
        is_first, is_whole = not self.files, True
        waiting: list[tuple[BrowseMedia, int]] = [(page, 0)]
        ways: set[str] = set()
        await hass.async_add_executor_job(_new, hass, [page], ways)
        while waiting and len(found) < MAX_FILES:
            opened, depth = waiting.pop(0)
            children = opened.children or ()
            files, is_read = await hass.async_add_executor_job(
                dated, hass, self._told(children)
            )
            is_whole = is_whole and is_read
            if self.order in BY_TIME:
                files = await self.async_detailed(hass, files)
            found |= {it.media_id: it for it in files[: MAX_FILES - len(found)]}
            if is_first:
                self.files = [*found.values()]
            if self.subfolders and depth < MAX_DEPTH:
                inner = [it for it in children if it.can_expand and not _is_system(it)]
                inner = inner[: max(0, MAX_FOLDERS - len(ways))]
                for child in await hass.async_add_executor_job(_new, hass, inner, ways):
                    if inside := await async_opened(hass, child.media_content_id):
                        waiting.append((inside, depth + 1))
                        continue
                    is_whole, away = False, child.media_content_id
                    found |= {
                        it.media_id: it
                        for it in self.files
                        if it.media_id.startswith(away)
                    }
        return is_whole

    def _told(self, children: Sequence[BrowseMedia]) -> list[File]:
        """Return what displays show of a page; a clip that a phone takes with a picture belongs to that."""
        told, pictures = [], set()
        for child in children:
            media_id = child.media_content_id
            if child.can_expand or not child.media_content_type.startswith(SHOWN_TYPES):
                continue
            if not is_unicode(f"{media_id}{child.title}"):
                if media_id not in self._refused:
                    self._refused.add(media_id)
                    LOGGER.warning("No file name of %s: %a", self.folder, child.title)
                continue
            kind = child.media_content_type
            if kind.startswith("image/") and not _words_in(_stem(child.title)):
                pictures.add(_stem(child.title))
            if is_shown(child):
                told.append(
                    File(media_id, child.title, kind, thumbnail=child.thumbnail or "")
                )
        return [
            it
            for it in told
            if it.kind.startswith("image/") or _stem(it.name) not in pictures
        ]


async def async_opened(hass: HomeAssistant, media_id: str) -> BrowseMedia | None:
    """Return the page of a folder; None if it has no pictures of one's own, is none, or cannot be read."""
    if f"{media_id}/".startswith(NO_ALBUMS):
        return None
    try:
        with component_errors(media_id):
            page = await media_source.async_browse_media(hass, media_id)
    except HomeAssistantError:
        LOGGER.debug("A folder cannot be read", exc_info=True)
        return None
    return page if page.can_expand else None


async def async_folders(hass: HomeAssistant, opened: str) -> dict[str, str]:
    """Return the titles of the media sources, of a folder and of those in it, by their media ids; nothing else is asked."""
    found: dict[str, str] = {}
    for folder in (None, opened) if opened else (None,):
        with suppress(HomeAssistantError), component_errors(opened):
            async with asyncio.timeout(PATIENCE):
                page = await media_source.async_browse_media(hass, folder)
            if folder:
                found[folder] = clean(page.title, MAX_TITLE)
            path = f"{page.title} / " if folder else ""
            for it in page.children or ():
                if it.can_expand and not f"{it.media_content_id}/".startswith(
                    NO_ALBUMS
                ):
                    found[it.media_content_id] = clean(path + it.title, MAX_TITLE)
    return found


def is_shown(media: BrowseMedia) -> bool:
    """Return whether displays show a file as a picture or a film."""
    kind, media_id = media.media_content_type, media.media_content_id
    if not kind.startswith(SHOWN_TYPES) or media_id.startswith(ENTITIES):
        return False
    if len(media_id.encode("utf-8", "replace")) > MAX_ID:
        return False
    # Other sources serve every picture as browsers show it, and tell the type of the original.
    is_served = kind.startswith("image/") and not media_id.startswith(FILES)
    return is_served or not unshown_type(media_id, kind)


def _is_system(folder: BrowseMedia) -> bool:
    """Return whether a folder is what servers, desktops and editors put beside pictures, or what was thrown away."""
    name = folder.title.casefold()
    return name in SYSTEM_FOLDERS.split("|") or name.endswith(PACKAGES)


def _path_of(hass: HomeAssistant, media_id: str) -> Path | None:
    """Return where a file or folder of the media folders is, None for one of another source."""
    place, _, location = media_id.removeprefix(FILES).partition("/")
    base = hass.config.media_dirs.get(place)
    is_there = base is not None and media_id.startswith(FILES)
    return Path(base, location) if base and is_there else None


def _new(
    hass: HomeAssistant, folders: Iterable[BrowseMedia], ways: set[str]
) -> list[BrowseMedia]:
    """Return the folders that no other way led to, and note them: a link may lead back."""
    found = []
    for folder in folders:
        path = _path_of(hass, folder.media_content_id)
        way = os.path.realpath(path) if path else folder.media_content_id
        if way not in ways:
            ways.add(way)
            found.append(folder)
    return found


def dated(hass: HomeAssistant, files: Iterable[File]) -> tuple[list[File], bool]:
    """Return files with when they were changed, which only the media folders tell, without empty ones, and whether all could be looked at."""
    found, is_read = [], True
    for file in files:
        if (path := _path_of(hass, file.media_id)) is not None:
            try:
                stat = path.stat()
            except FileNotFoundError, ValueError:
                continue
            except OSError:
                is_read = False
            else:
                if not stat.st_size:
                    continue
                file = replace(file, changed=stat.st_mtime)
        elif file.media_id.startswith(FILES):
            continue
        found.append(file)
    return found, is_read


def _details_of(
    hass: HomeAssistant, files: Iterable[File]
) -> dict[tuple[str, float], Details]:
    """Return the details of files."""
    found = {}
    for file in files:
        details, path = NO_DETAILS, _path_of(hass, file.media_id)
        if path and file.kind.startswith("video/"):
            details = Details(length=length_of_film(path))
        elif path:
            try:
                details = _details_in(path)
            # A decoder fails in its own way at each picture that is odd.
            except Exception as err:  # noqa: BLE001
                LOGGER.debug("A picture tells nothing: %s", type(err).__name__)
        found[file.media_id, file.changed] = details
    return found


def _details_in(path: Path) -> Details:
    """Return what the header of a picture tells: its shape as its camera was held, and what was written in it (EXIF, IPTC)."""
    with Image.open(path, formats=FORMATS) as picture:
        width, height = picture.size
        exif = Image.Exif()
        # Pillow's own way decodes a picture to look behind it.
        exif.load(picture.info.get("exif", b""))
        if exif.get(ORIENTATION, 1) in SIDEWAYS:
            width, height = height, width
        taken = exif.get_ifd(EXIF).get(TAKEN) or exif.get(CHANGED)
        said = IptcImagePlugin.getiptcinfo(picture) or {}
    texts = [it for it in map(said.get, PLACES) if isinstance(it, bytes)]
    return Details(
        is_upright=width < 0.85 * height,
        taken=_time_in(str(taken or "")),
        place=", ".join(filter(None, (clean(_text(it), MAX_PLACE) for it in texts))),
    )


def _text(written: bytes) -> str:
    """Return the text that a program wrote, which seldom says in which characters."""
    try:
        return written.decode()
    except UnicodeDecodeError:
        return written.decode("cp1252", "replace")


def _time_in(text: str) -> str:
    """Return the day in a text, with the time of day where it has that, in ISO 8601; nothing if there is none."""
    for found in _TIME.finditer(text):
        year, month, day, hour, minute, second = map(int, found.groups("0"))
        with suppress(ValueError):
            at = datetime(year, month, day, hour, minute, second)
            return at.isoformat() if found[4] else at.date().isoformat()
    return ""


def _stem(name: str) -> str:
    """Return the name of a file without its suffix."""
    return name.rpartition(".")[0] or name


def _words_in(stem: str) -> str:
    """Return a name of a file if somebody wrote it, nothing for what a camera, a phone or a program calls its files."""
    if _SCREENSHOT.match(stem):
        return ""
    words = _WORD.findall(_NUMBER.sub(" ", _CAMERA.sub(" ", stem)))
    return stem.replace("_", " ") if any(len(it) > 2 for it in words) else ""


def ordered(
    files: Sequence[File],
    order: Order,
    duration: float,
    seed: str = "",
    now: float | None = None,
) -> list[File]:
    """Return the files that are shown now, at most so many, in an order.

    What is shuffled is by its seed and not by chance: over a restart it stays, and a new picture moves no other. Of more
    than are shown at a time, the next are shown once the first have had their time, until all were seen.
    """
    match order:
        case Order.NAME:
            return sorted(files, key=lambda it: _natural(it.name))[:MAX_SHOWN]
        case Order.NEWEST | Order.OLDEST | Order.ON_THIS_DAY:
            by_time, taken = [], "9999"
            for file in files:
                # Sources without times give the newest first: what tells none is beside the one before it.
                taken = file.taken or taken
                by_time.append((taken, file))
            by_time.sort(key=lambda it: it[0], reverse=True)
            found = [file for _, file in by_time]
            if order is Order.ON_THIS_DAY:
                found = _on_this_day(found)
            return (found[::-1] if order is Order.OLDEST else found)[:MAX_SHOWN]
    parts = max(1, -(-len(files) // MAX_SHOWN))
    turn = int((time.time() if now is None else now) / (MAX_SHOWN * duration))
    round_, part = divmod(turn, parts) if parts > 1 else (0, 0)
    key = f"{seed} {round_}".encode()[:64]
    shuffled = sorted(
        files, key=lambda it: blake2b(it.media_id.encode(), key=key).digest()
    )
    return shuffled[part * MAX_SHOWN : (part + 1) * MAX_SHOWN]


def _on_this_day(files: list[File]) -> list[File]:
    """Return those of other years on this day, else in the days around it, else all."""
    away = {file: _away(file) for file in files}
    for most in (0, WEEK):
        if found := [file for file in files if away[file] <= most]:
            return found
    return files


def _away(file: File) -> int:
    """Return how many days of the year a picture of another year is away from today; many if it is of this year, or nobody knows."""
    taken, today = file.day, dt_util.now().date()
    if taken is None or taken.year >= today.year:
        return 366
    if (taken.month, taken.day) == (2, 29) and not isleap(today.year):
        taken = taken.replace(day=28)
    days = abs((taken.replace(year=2000) - today.replace(year=2000)).days)
    return min(days, 366 - days)


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key by which 2 comes before 10."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [
        (int(it[:18]), it) if it[:18].isascii() and it.isdigit() else (-1, it)
        for it in parts
    ]


def items_of(
    hass: HomeAssistant,
    files: Sequence[File],
    album: Album,
    alone: Collection[str] = (),
) -> list[Json]:
    """Return the items of files, at addresses that displays can load, two at a time but for those that are to be alone; the same file has the same id."""

    def title_of(file: File) -> str:
        """Return the title, with how long ago it was if that is the order."""
        day = file.day if album.order is Order.ON_THIS_DAY else None
        if day is None or _away(file) > WEEK:
            return file.title
        years = dt_util.now().year - day.year
        key = "years_ago" if years > 1 else "year_ago"
        ago = async_text(hass, f"config_panel.browser.{key}", years=str(years))
        return ", ".join(filter(None, (file.title, ago)))

    urls = hass.data[GRANTS].async_urls({it.media_id: it.path for it in files})
    return [
        Item(
            item_id=str(uuid5(WORK_IDS, " ".join(file.media_id for file in shown))),
            title=" · ".join(filter(None, map(title_of, shown))),
            source=_source_of([urls[file.media_id] for file in shown]),
        ).to_dp1(duration=shown[0].details.length or album.duration * len(shown))
        for shown in _paired(files, album.pairs, alone)
    ]


def _paired(
    files: Iterable[File], pairs: bool, alone: Collection[str]
) -> list[list[File]]:
    """Return the files, each upright one with the next upright one."""
    shown: list[list[File]] = []
    waiting: list[File] = []
    for file in files:
        if not (pairs and file.details.is_upright) or file.media_id in alone:
            shown.append([file])
        elif waiting:
            waiting.append(file)
            waiting = []
        else:
            waiting = [file]
            shown.append(waiting)
    return shown


def _source_of(urls: Sequence[str]) -> str:
    """Return where a display loads a picture, or a page with two."""
    return urls[0] if len(urls) == 1 else page_url(PAIR.format(*map(escape, urls)))
