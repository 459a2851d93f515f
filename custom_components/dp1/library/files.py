"""Files of works kept at home: those of favorites and of one's own collections that are one file each.

They are read at night, a few at a time, and are where the backups of Home Assistant do not take them. A display is lent
one when no gateway has it any more.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import uniform
from shutil import disk_usage, rmtree
import time
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from ..addresses import is_at_home
from ..client.errors import TooLargeError
from ..client.hosts import content_of, is_web, same_work
from ..client.text import HLS, PAGE, SUFFIXES, file_type, markdown_safe, media_type
from ..const import (
    CONF_KEEP_FILES,
    CONF_KEEP_GIGABYTES,
    DEFAULT_KEEP_GIGABYTES,
    DOMAIN,
    LOGGER,
)
from ..grants import KEPT, SVG
from ..hosts import FAILURES, HOSTS
from ..storage import SafeStore
from .file_reader import MAX_GATEWAYS, FileReader, NoRoomError, WrongFileError

ISSUE: Final = "files_not_kept"
# In bytes.
GIGABYTE: Final = 1000 * 1000 * 1000
# What others on the disk need.
MIN_FREE: Final = GIGABYTE
# Of works that are looked for.
MAX_WORKS: Final = 5000
# Hours of the night, in which works are read.
NIGHT: Final = range(1, 5)
# In seconds: after which files are begun to be read, at night and after a start in it.
FIRST_WAIT: Final = (0.0, 3600.0)
START_WAIT: Final = (60.0, 600.0)
# A few at a time, each reader with a pause between two works.
READERS: Final = 2
PAUSE: Final = (20.0, 40.0)
# Of a night.
MAX_NIGHT_FILES: Final = 120
MAX_NIGHT_BYTES: Final = 2 * GIGABYTE
# Seconds until what was not to be had is tried again, or what is no file or is too large.
RETRY: Final = 20 * 3600.0
LONG_RETRY: Final = 14 * 86_400.0
# Seconds for which a file stays that nobody wants any more.
UNWANTED_AGE: Final = 7 * 86_400.0
SAVE_DELAY: Final = 60.0


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file that is kept.

    Attributes:
        url: the address of the work.
        kind: its type, by its first bytes.
        size: in bytes.
        wanted_at: when the work was last a favorite or in a collection.
    """

    url: str
    kind: str
    size: int
    wanted_at: float


@dataclass(slots=True)
class Index:
    """What is stored of the files.

    Attributes:
        files: by the form in which addresses of the same work are equal.
        used: when each work was last shown.
        failed: until when works are not tried again.
        night: the day of the last night.
        night_files: how many were read in it.
        night_bytes: how much that was.
        quota: in bytes, with which they were read.
    """

    files: dict[str, KeptFile] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)
    failed: dict[str, float] = field(default_factory=dict)
    night: str = ""
    night_files: int = 0
    night_bytes: int = 0
    quota: int = 0


class Files:
    """The files of a library.

    Attributes:
        is_on: whether files are kept.
        missing: how many works are wanted and not kept, as of the last look; None before that.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        wanted: Callable[[], Callable[[], Iterable[str]] | None],
    ) -> None:
        """Initialize without files.

        A function returns one that yields the addresses of the works to keep, which runs in another thread; None while
        not all of them are known.
        """
        self._hass, self._entry, self._wanted = hass, entry, wanted
        self.is_on = bool(entry.options.get(CONF_KEEP_FILES))
        gigabytes = entry.options.get(CONF_KEEP_GIGABYTES, DEFAULT_KEEP_GIGABYTES)
        self._quota = int(gigabytes * GIGABYTE)
        self._folder = folder_of(hass, entry.entry_id)
        self._store = store_of(hass, entry.entry_id)
        self._index = Index()
        # The size of the files without a record.
        self._unnamed = 0
        # Room is for one file at a time.
        self._moving = asyncio.Lock()
        self._reader = FileReader(hass, self._count_bytes)
        self._cancel: CALLBACK_TYPE | None = None
        self._task: asyncio.Task[None] | None = None
        self.missing: int | None = None

    # What there is

    @property
    def count(self) -> int:
        """Return how many files are kept."""
        return len(self._index.files)

    @property
    def size(self) -> int:
        """Return the size of all, in bytes, also of those without a record."""
        return self._unnamed + sum(it.size for it in self._index.files.values())

    def get(self, url: str) -> KeptFile | None:
        """Return the file of a work by any of its addresses."""
        return self._index.files.get(same_work(url)) if self._index.files else None

    def path_of(self, file: KeptFile) -> Path:
        """Return where a file is."""
        return self._path(same_work(file.url))

    def lent_id(self, file: KeptFile) -> str:
        """Return the id of a file among those that are lent."""
        return f"{KEPT}{self._entry.entry_id}/{file.url}"

    def lent_name(self, file: KeptFile) -> str:
        """Return a name of a file whose suffix tells its type."""
        return f"/{_name(same_work(file.url))[:16]}.{SUFFIXES[file.kind]}"

    @callback
    def async_use(self, url: str) -> None:
        """Note that a work is shown, so that others make room first."""
        if self.get(url) is not None:
            self._index.used[same_work(url)] = time.time()
            self._save_soon()

    # Life

    async def async_start(self) -> None:
        """Load what is kept, and read more at night; remove all of it if nothing is to be kept."""
        if not self.is_on:
            await async_remove_kept(self._hass, self._entry.entry_id)
            return
        self._index = await self._store.async_load_parsed() or Index()
        if self._quota > self._index.quota:
            # There may be room by now.
            self._index.failed.clear()
        self._index.quota = self._quota
        await self._hass.async_add_executor_job(self._tidy)
        await self._async_make_room(0)
        self._schedule(self._seconds_to_night())

    async def async_stop(self) -> None:
        """Stop reading, and save."""
        if self._task is not None:
            self._task.cancel()
            # It is for the next night at its end.
            await asyncio.gather(self._task, return_exceptions=True)
        if self._cancel is not None:
            self._cancel()
            self._cancel = None
        if self.is_on:
            await self._store.async_save(self._index)

    def _schedule(self, seconds: float) -> None:
        """Read after some seconds."""
        job = HassJob(self._handle_time, cancel_on_shutdown=True)
        self._cancel = async_call_later(self._hass, seconds, job)

    @staticmethod
    def _seconds_to_night(*, next_one: bool = False) -> float:
        """Return the seconds until works are read: soon in a night that has begun, or in the next one."""
        now = dt_util.now()
        if now.hour in NIGHT and not next_one:
            return uniform(*START_WAIT)
        start = now.replace(hour=NIGHT.start, minute=0, second=0, microsecond=0)
        if start <= now:
            start += timedelta(days=1)
        return (start - now).total_seconds() + uniform(*FIRST_WAIT)

    @callback
    def _handle_time(self, _now: datetime) -> None:
        """Read works."""
        self._cancel = None
        self._task = self._entry.async_create_background_task(
            self._hass, self._async_night(), f"{self._entry.title} files"
        )

    async def _async_night(self) -> None:
        """Read works for a night, and wait for the next."""
        try:
            await self.async_read()
        except* OSError as errors:
            problem = errors.exceptions[0]
            LOGGER.warning("Files of works cannot be kept: %s", problem)
            self._tell(str(getattr(problem, "strerror", None) or problem))
        finally:
            self._task = None
            self._schedule(self._seconds_to_night(next_one=True))

    # Reading

    async def async_read(self) -> None:
        """Read the works that are missing, as many as are for a night.

        Raises:
            ExceptionGroup: of OSError, the disk is full or cannot be written.
        """
        if (look := self._wanted()) is None:
            return
        wanted = await self._hass.async_add_executor_job(_files_in, look)
        await self._async_forget(wanted)
        index, now = self._index, time.time()
        waiting = [
            (key, url)
            for key, url in wanted.items()
            if key not in index.files and now >= index.failed.get(key, 0.0)
        ]
        # Those that were shown last come first, and those that failed before come last.
        waiting.sort(key=lambda it: (it[0] in index.failed, -index.used.get(it[0], 0)))
        self._count_missing(wanted)
        if (night := dt_util.now().date().isoformat()) != index.night:
            index.night, index.night_files, index.night_bytes = night, 0, 0
        rest = iter(waiting)
        async with asyncio.TaskGroup() as readers:
            for _ in range(READERS):
                readers.create_task(self._async_read_some(rest, wanted))
        if waiting:
            self._save_soon()

    async def _async_read_some(
        self, rest: Iterator[tuple[str, str]], wanted: Mapping[str, str]
    ) -> None:
        """Read works one after the other, as long as the night lasts."""
        index = self._index
        for key, url in rest:
            if (
                index.night_files >= MAX_NIGHT_FILES
                or index.night_bytes >= MAX_NIGHT_BYTES
                or dt_util.now().hour not in NIGHT
            ):
                return
            index.night_files += 1
            await self._async_keep(key, url)
            self._count_missing(wanted)
            self._save_soon()
            await asyncio.sleep(uniform(*PAUSE))

    async def _async_keep(self, key: str, url: str) -> None:
        """Read a work from the first of its hosts that has it."""
        wait = RETRY
        for at in self._hass.data[HOSTS].urls(url)[:MAX_GATEWAYS]:
            try:
                await self._async_read_from(key, url, at)
            except NoRoomError, TooLargeError:
                wait = LONG_RETRY
                break
            except WrongFileError:
                self._hass.data[HOSTS].note(at, 200, is_expected=False)
                wait = LONG_RETRY
            except FAILURES as err:
                self._hass.data[HOSTS].async_failed(at, err)
            else:
                self._index.failed.pop(key, None)
                self._tell()
                return
        self._index.failed[key] = time.time() + wait

    async def _async_read_from(self, key: str, url: str, at: str) -> None:
        """Read a work from a host, and keep it once it is whole; raise why it is not."""
        job, path = self._hass.async_add_executor_job, self._path(key)
        part = path.with_suffix(".part")
        room = await self._async_room(key)
        try:
            kind = await self._reader.async_read(url, at, part, room)
            size = (await job(part.stat)).st_size
            async with self._moving:
                await self._async_make_room(size, self._index.used.get(key, 0.0))
                await job(part.replace, path)
                self._index.files[key] = KeptFile(url, kind, size, time.time())
        finally:
            await job(partial(part.unlink, missing_ok=True))

    # Room

    async def _async_room(self, key: str) -> int:
        """Return how many bytes there may be for a file; raise OSError if the disk has none to spare."""
        free = await self._hass.async_add_executor_job(self._free)
        if free <= 0:
            raise OSError(28, "No space left on device")
        used = self._index.used.get(key, 0.0)
        others = sum(
            file.size
            for other, file in self._index.files.items()
            if self._index.used.get(other, 0.0) >= used
        )
        return min(free, self._quota - self._unnamed - others)

    def _free(self) -> int:
        """Return how many bytes of the disk may be used."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return disk_usage(self._folder).free - MIN_FREE

    async def _async_make_room(self, size: int, used: float | None = None) -> None:
        """Remove what was used least until so many bytes more are allowed; raise NoRoomError if all was used later."""
        index, left = self._index, self.size + size - self._quota
        gone = []
        by_use = sorted(index.files, key=lambda key: index.used.get(key, 0.0))
        for key in by_use:
            if left <= 0:
                break
            if used is not None and index.used.get(key, 0.0) >= used:
                raise NoRoomError
            left -= index.files[key].size
            gone.append(key)
        await self._async_drop(gone)

    async def _async_forget(self, wanted: Mapping[str, str]) -> None:
        """Remove the files that nobody has wanted for a week, and take over those that are wanted and have no record."""
        index, now = self._index, time.time()
        job = self._hass.async_add_executor_job
        index.files |= await job(self._find, wanted, now)
        for key in wanted.keys() & index.files.keys():
            index.files[key] = replace(index.files[key], wanted_at=now)
        index.used = {key: it for key, it in index.used.items() if key in wanted}
        index.failed = {key: it for key, it in index.failed.items() if key in wanted}
        await self._async_drop(
            [
                key
                for key, file in index.files.items()
                if now - file.wanted_at >= UNWANTED_AGE
            ]
        )

    async def _async_drop(self, keys: Iterable[str]) -> None:
        """Remove files."""
        # Of all at once: others may make room meanwhile.
        for path in [self._path(key) for key in keys if self._index.files.pop(key)]:
            await self._hass.async_add_executor_job(
                partial(path.unlink, missing_ok=True)
            )
            self._save_soon()

    # The disk

    def _path(self, key: str) -> Path:
        """Return where the file of a work is."""
        return self._folder / _name(key)

    def _paths(self) -> list[Path]:
        """Return all that is in the folder."""
        return [*self._folder.iterdir()] if self._folder.is_dir() else []

    def _tidy(self) -> None:
        """Forget files that are not there as they were, and remove what was not finished; in another thread.

        Files without a record stay: their index may be lost, or older than they are.
        """
        sizes = {_name(key): it.size for key, it in self._index.files.items()}
        for path in self._paths():
            size = path.stat().st_size
            if path.suffix or sizes.get(path.name, size) != size:
                path.unlink()
            elif sizes.pop(path.name, None) is None:
                self._unnamed += size
        files = self._index.files.items()
        self._index.files = {key: it for key, it in files if _name(key) not in sizes}

    def _find(self, wanted: Mapping[str, str], now: float) -> dict[str, KeptFile]:
        """Return the files without a record that are wanted, and remove others that are a week old; in another thread."""
        keys, found = {_name(key): key for key in wanted}, dict[str, KeptFile]()
        kept, self._unnamed = set(map(_name, self._index.files)), 0
        for path in self._paths():
            if path.name in kept or path.suffix:
                continue
            stat, key = path.stat(), keys.get(path.name)
            if key and (kind := _type_of(path)):
                found[key] = KeptFile(wanted[key], kind, stat.st_size, now)
            elif now - stat.st_mtime >= UNWANTED_AGE:
                path.unlink()
            else:
                self._unnamed += stat.st_size
        return found

    def _count_missing(self, wanted: Mapping[str, str]) -> None:
        """Count the works that are wanted and not kept."""
        self.missing = len(wanted.keys() - self._index.files.keys())

    def _count_bytes(self, size: int) -> None:
        """Count what was received in a night."""
        self._index.night_bytes += size

    def _save_soon(self) -> None:
        """Save a change soon."""
        self._store.async_delay_save(lambda: self._index, SAVE_DELAY)

    def _tell(self, problem: str = "") -> None:
        """Create the issue of a disk that takes no files, or delete it."""
        issue = f"{ISSUE}_{self._entry.entry_id}"
        if not problem:
            ir.async_delete_issue(self._hass, DOMAIN, issue)
            return
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            issue,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key=ISSUE,
            translation_placeholders={
                "name": markdown_safe(self._entry.title),
                "problem": markdown_safe(problem),
            },
        )


def folder_of(hass: HomeAssistant, entry_id: str) -> Path:
    """Return the folder of the files of a library, which is in no backup."""
    return Path(hass.config.cache_path(DOMAIN, entry_id))


def store_of(hass: HomeAssistant, entry_id: str) -> SafeStore[Index]:
    """Return where it is stored what is kept."""
    return SafeStore(hass, f"library.{entry_id}.files", Index)


async def async_remove_kept(hass: HomeAssistant, entry_id: str) -> None:
    """Remove all that is kept for a library."""
    ir.async_delete_issue(hass, DOMAIN, f"{ISSUE}_{entry_id}")
    await store_of(hass, entry_id).async_remove()
    folder = folder_of(hass, entry_id)
    await hass.async_add_executor_job(partial(rmtree, folder, ignore_errors=True))


def _files_in(look: Callable[[], Iterable[str]]) -> dict[str, str]:
    """Return the works that are one file each, as far as their addresses tell."""
    found: dict[str, str] = {}
    for url in look():
        if len(found) >= MAX_WORKS:
            break
        content = content_of(url)
        if (content is None and not is_web(url)) or is_at_home(url):
            continue
        kind = media_type(url.partition("?")[0].partition("#")[0])
        if kind in (PAGE, SVG, HLS) or (content is not None and content.is_page):
            continue
        found.setdefault(same_work(url), url)
    return found


def _type_of(path: Path) -> str:
    """Return the type of a file."""
    with path.open("rb") as file:
        return file_type(file.read(16))


def _name(key: str) -> str:
    """Return the name of the file of a work."""
    return sha256(key.encode()).hexdigest()
