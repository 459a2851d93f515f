"""A folder of the home: the pictures and films of any media source of Home Assistant, as one playlist in an order."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from hashlib import blake2b
from html import escape
from mimetypes import guess_extension
from pathlib import Path
import re
from struct import error as StructError
import time
from typing import Final
from uuid import uuid5

from lru import LRU
from PIL import Image, IptcImagePlugin

from homeassistant.components import media_source
from homeassistant.components.media_player import BrowseMedia
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util.hass_dict import HassKey

from ..client.errors import NotFoundError
from ..client.text import MAX_TITLE, clean, unshown_type
from ..const import DOMAIN, LOGGER
from ..errors import component_errors
from ..grants import GRANTS, LIVE, page_url
from ..length import length_of_film
from .item import WORK_IDS, Item, Json

# Media ids of folders that are shown without a library: what follows is the media id of Home Assistant.
FOLDER_PREFIX: Final = f"{DOMAIN}://folder/"
FILES: Final = "media-source://media_source/"
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
# Of folders that a dialog offers, and how deep they may be.
MAX_CHOICE: Final = 200
LEVELS: Final = 2
# Levels of folders.
MAX_DEPTH: Final = 8
# The side by the other from which a picture is upright, and from which it is wide.
UPRIGHT: Final = 0.85
WIDE: Final = 1.18
# In EXIF: how a camera was held, where the rest is, when a picture was taken, and when it was changed.
ORIENTATION: Final = 0x0112
EXIF: Final = 0x8769
TAKEN: Final = 0x9003
CHANGED: Final = 0x0132
# In IPTC: city and country.
PLACES: Final = ((2, 90), (2, 101))
MAX_PLACE: Final = 60
# Of files, as of the last few albums.
MAX_DETAILS: Final = 4 * 1000
# As EXIF tells that a camera was held.
SIDEWAYS: Final = (5, 6, 7, 8)
# Two pictures beside each other, or one after the other where there is no place for that.
PAIR: Final = """<!doctype html>
<html><head><meta charset="utf-8"><style>
html,body{{margin:0;height:100%;background:#000;overflow:hidden}}
body{{display:grid}}
img{{grid-area:1/1;width:100%;height:100%;object-fit:contain;min-width:0;min-height:0}}
@media (orientation:{fitting}){{
body{{display:flex;flex-direction:{across};gap:1vmin}}
img{{flex:1;width:auto;height:auto}}
}}
@media not all and (orientation:{fitting}){{
img{{animation:turn {seconds}s steps(1) infinite}}
img+img{{animation-delay:-{half}s}}
@keyframes turn{{0%{{opacity:1}}50%{{opacity:0}}}}
}}
</style></head><body><img src="{first}" alt=""><img src="{second}" alt=""></body></html>
"""
# What cameras and phones call a file is no title.
_DATE: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.:]?(\d\d)[-_.:]?(\d\d)(?!\d)")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_CAMERA: Final = re.compile(
    r"(?<![^\W\d_])(?:_?(?:img|dsc[fn]?|dscn|pict?|pxl|mvi|vid|mov|dji|gopr|gh|p|wa|whatsapp|image|video|photo|foto|screenshot|signal|at|edited|burst|hdr|mp|pm|am)(?![^\W\d_]))+",
    re.IGNORECASE,
)


DETAILS: Final[HassKey[LRU[tuple[str, float], Details]]] = HassKey(f"{DOMAIN}_details")


class Order(StrEnum):
    """The order of the pictures of a folder."""

    NEWEST = "newest"
    OLDEST = "oldest"
    NAME = "name"
    SHUFFLED = "shuffled"


@dataclass(frozen=True, slots=True)
class Details:
    """What a file in a media folder tells of itself.

    Attributes:
        ratio: width by height as a picture is seen, 0 if it does not tell.
        length: seconds that a film lasts, None if it does not tell.
        day: on which a picture was taken, in ISO 8601.
        place: where, in words.
    """

    ratio: float = 0.0
    length: float | None = None
    day: str = ""
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
        stem = self.name.rpartition(".")[0] or self.name
        words = _WORD.findall(_CAMERA.sub(" ", stem))
        if any(len(word) > 2 for word in words):
            parts = [stem.replace("_", " "), self.details.place]
        else:
            parts = [self.details.place, self.details.day or _day_in(stem)]
        return clean(", ".join(filter(None, parts)), MAX_TITLE)

    @property
    def picture(self) -> str:
        """Return the path at which its source serves it in small, or the id of a picture in a media folder; nothing without either."""
        is_own = self.media_id.startswith(FILES) and self.kind.startswith("image/")
        return self.thumbnail or (self.media_id if is_own else "")

    @property
    def path(self) -> str:
        """Return the path at which it is lent: its suffix tells displays what it is."""
        name = self.name.replace("/", "_")
        suffix = guess_extension(self.kind) or ""
        return f"/{name}" if Path(name).suffix else f"/{name}{suffix}"


async def async_read_folder(
    hass: HomeAssistant, folder: str, *, subfolders: bool = False
) -> list[File]:
    """Return the pictures and films in a folder in the order of its source, without details.

    Raises:
        NotFoundError: there is no such folder.
    """
    if folder.startswith(NO_ALBUMS):
        raise NotFoundError("no pictures of one's own", translation_key="album_empty")
    try:
        with component_errors(folder):
            page = await media_source.async_browse_media(hass, folder)
    except HomeAssistantError as err:
        raise NotFoundError(str(err), translation_key="album_empty") from err
    if not page.can_expand:
        raise NotFoundError("it is no folder", translation_key="album_empty")
    files: dict[str, File] = {}
    waiting: list[tuple[BrowseMedia, int]] = [(page, 0)]
    read = 0
    while waiting and len(files) < MAX_FILES:
        opened, depth = waiting.pop(0)
        for child in opened.children or ():
            if child.can_expand:
                if subfolders and depth < MAX_DEPTH and read < MAX_FOLDERS:
                    read += 1
                    if inner := await _async_inner(hass, child):
                        waiting.append((inner, depth + 1))
            elif is_shown(child) and len(files) < MAX_FILES:
                files[child.media_content_id] = File(
                    child.media_content_id,
                    child.title,
                    child.media_content_type,
                    thumbnail=child.thumbnail or "",
                )
    return await hass.async_add_executor_job(_dated, hass, files.values())


async def async_detailed(hass: HomeAssistant, files: Sequence[File]) -> list[File]:
    """Return files with their details; what was looked at stays known until the file is changed."""
    known = hass.data.setdefault(DETAILS, LRU(MAX_DETAILS))
    new = [it for it in files if (it.media_id, it.changed) not in known]
    read = await hass.async_add_executor_job(_details_of, hass, new)
    for file, details in read:
        known[file.media_id, file.changed] = details
    return [
        replace(it, details=known.get((it.media_id, it.changed), NO_DETAILS))
        for it in files
    ]


async def async_is_folder(hass: HomeAssistant, media_id: str) -> bool:
    """Return whether a media id is that of a folder that can be shown."""
    if media_id.startswith(NO_ALBUMS):
        return False
    try:
        with component_errors(media_id):
            return (await media_source.async_browse_media(hass, media_id)).can_expand
    except HomeAssistantError:
        return False


async def async_folders(hass: HomeAssistant) -> dict[str, str]:
    """Return names of folders that can be chosen by their media ids: two levels of each source, as far as they can be read."""
    found: dict[str, str] = {}
    waiting: list[tuple[str | None, str, int]] = [(None, "", 0)]
    while waiting and len(found) < MAX_CHOICE:
        folder, name, depth = waiting.pop(0)
        try:
            with component_errors(folder or ""):
                page = await media_source.async_browse_media(hass, folder)
        except HomeAssistantError:
            continue
        for child in page.children or ():
            key = child.media_content_id
            if not child.can_expand or key.startswith(NO_ALBUMS):
                continue
            title = " / ".join(filter(None, (name, clean(child.title, MAX_TITLE))))
            if depth:
                found[key] = title
            if depth < LEVELS:
                waiting.append((key, title, depth + 1))
    return dict(list(found.items())[:MAX_CHOICE])


async def _async_inner(hass: HomeAssistant, child: BrowseMedia) -> BrowseMedia | None:
    """Return the page of a folder in a folder, None if it cannot be read: the others can."""
    try:
        with component_errors(child.media_content_id):
            return await media_source.async_browse_media(hass, child.media_content_id)
    except HomeAssistantError:
        LOGGER.debug("A folder in an album cannot be read", exc_info=True)
        return None


def is_shown(media: BrowseMedia) -> bool:
    """Return whether displays show a file as a picture or a film."""
    kind = media.media_content_type
    return (
        kind.startswith(SHOWN_TYPES)
        and not media.media_content_id.startswith(ENTITIES)
        and not unshown_type(media.media_content_id, kind)
    )


def _path_of(hass: HomeAssistant, file: File) -> Path | None:
    """Return where a file of the media folders is, None for one of another source."""
    place, _, location = file.media_id.removeprefix(FILES).partition("/")
    base = hass.config.media_dirs.get(place)
    is_there = base is not None and file.media_id.startswith(FILES)
    return Path(base, location) if base and is_there else None


def _dated(hass: HomeAssistant, files: Iterable[File]) -> list[File]:
    """Return files with when they were changed, which only the media folders tell; empty ones are left out."""
    found = []
    for file in files:
        if (path := _path_of(hass, file)) is not None:
            try:
                stat = path.stat()
            except OSError, ValueError:
                continue
            if not stat.st_size:
                continue
            file = replace(file, changed=stat.st_mtime)
        elif file.media_id.startswith(FILES):
            continue
        found.append(file)
    return found


def _details_of(
    hass: HomeAssistant, files: Iterable[File]
) -> list[tuple[File, Details]]:
    """Return files with their details."""
    found = []
    for file in files:
        details = NO_DETAILS
        if (path := _path_of(hass, file)) is None:
            pass
        elif file.kind.startswith("video/"):
            details = Details(length=length_of_film(path))
        else:
            try:
                details = _details_in(path)
            except (
                OSError,
                SyntaxError,
                TypeError,
                ValueError,
                StructError,
                Image.DecompressionBombError,
            ) as err:
                LOGGER.debug("A picture tells nothing: %s", type(err).__name__)
        found.append((file, details))
    return found


def _details_in(path: Path) -> Details:
    """Return what a picture tells: its shape as its camera was held, and what was written in it (EXIF, IPTC)."""
    with Image.open(path) as picture:
        width, height = picture.size
        exif = picture.getexif()
        if exif.get(ORIENTATION, 1) in SIDEWAYS:
            width, height = height, width
        taken = exif.get_ifd(EXIF).get(TAKEN) or exif.get(CHANGED)
        said = IptcImagePlugin.getiptcinfo(picture) or {}
    places = (said.get(it) for it in PLACES)
    texts = (it.decode("utf-8", "replace") for it in places if isinstance(it, bytes))
    return Details(
        ratio=width / height,
        day=_day_in(str(taken or "")),
        place=", ".join(clean(it, MAX_PLACE) for it in texts),
    )


def _day_in(text: str) -> str:
    """Return the day that a text has, nothing if there is none."""
    if day := _DATE.search(text):
        with suppress(ValueError):
            return date(*map(int, day.groups())).isoformat()
    return ""


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
        case Order.NEWEST | Order.OLDEST:
            # Sources without times give the newest first.
            dated = sorted(files, key=lambda it: -it.changed)
            return (dated if order is Order.NEWEST else dated[::-1])[:MAX_SHOWN]
    parts = max(1, -(-len(files) // MAX_SHOWN))
    turn = int((time.time() if now is None else now) / (MAX_SHOWN * duration))
    round_, part = divmod(turn, parts) if parts > 1 else (0, 0)
    key = f"{seed} {round_}".encode()[:64]
    shuffled = sorted(
        files, key=lambda it: blake2b(it.media_id.encode(), key=key).digest()
    )
    return shuffled[part * MAX_SHOWN : (part + 1) * MAX_SHOWN]


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key by which 2 comes before 10."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [
        (int(it[:18]), it) if it[:18].isascii() and it.isdigit() else (-1, it)
        for it in parts
    ]


def items_of(
    hass: HomeAssistant, files: Sequence[File], duration: float, pairs: bool = False
) -> list[Json]:
    """Return the items of files, at addresses that displays can load; the same file has the same id."""
    urls = hass.data[GRANTS].async_urls({it.media_id: it.path for it in files})
    return [
        Item(
            item_id=str(uuid5(WORK_IDS, " ".join(file.media_id for file in shown))),
            title=" · ".join(file.title for file in shown if file.title),
            source=_source_of([urls[file.media_id] for file in shown], shown, duration),
        ).to_dp1(duration=shown[0].details.length or duration * len(shown))
        for shown in (_paired(files) if pairs else [[file] for file in files])
    ]


def _paired(files: Sequence[File]) -> list[list[File]]:
    """Return the files with each upright one beside the next upright one, and likewise the wide ones."""
    shown: list[list[File]] = []
    waiting: dict[bool, list[File]] = {}
    for file in files:
        is_upright = 0 < file.details.ratio < UPRIGHT
        if not (is_upright or file.details.ratio > WIDE):
            shown.append([file])
        elif pair := waiting.pop(is_upright, None):
            pair.append(file)
        else:
            waiting[is_upright] = [file]
            shown.append(waiting[is_upright])
    return shown


def _source_of(urls: Sequence[str], files: Sequence[File], duration: float) -> str:
    """Return where a display loads a picture, or a page with two."""
    if len(urls) == 1:
        return urls[0]
    is_upright = files[0].details.ratio < 1
    return page_url(
        PAIR.format(
            first=escape(urls[0]),
            second=escape(urls[1]),
            across="row" if is_upright else "column",
            fitting="landscape" if is_upright else "portrait",
            seconds=2 * duration,
            half=duration,
        )
    )
