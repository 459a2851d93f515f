"""Storage of dataclasses: damaged files are set aside; a file that cannot be read for a moment is not damaged."""

import asyncio
from collections.abc import Callable, Collection
from datetime import datetime
from functools import cache
from pathlib import Path
from types import GenericAlias
from typing import Any, override
from weakref import WeakSet

from mashumaro.codecs.basic import BasicDecoder, BasicEncoder
from mashumaro.dialect import Dialect

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady, HomeAssistantError
from homeassistant.helpers.storage import STORAGE_DIR, Store

from .client.playlist.playlist import Origin, Playlist
from .const import DOMAIN, LOGGER
from .errors import action_failed


def parse_stored_time(text: str) -> datetime:
    """Return a stored time, or raise ValueError if it has no offset."""
    if (time := datetime.fromisoformat(text)).tzinfo is None:
        raise ValueError("time without offset")
    return time


def _playlist_to_json(playlist: Playlist) -> dict[str, Any]:
    """Return a playlist as it is stored."""
    document = playlist.document if playlist.url is None else None
    stored = {"playlist_url": playlist.url, "playlist": document}
    return stored | ({"is_personal": True} if playlist.is_personal else {})


def _playlist_from_json(stored: dict[str, Any]) -> Playlist:
    """Return a stored playlist, which a display has taken already."""
    is_personal = stored.get("is_personal") is True
    match stored:
        case {"playlist_url": str(url), "playlist": None}:
            return Playlist(url, is_personal=is_personal)
        case {"playlist_url": None, "playlist": dict() as document}:
            return Playlist(
                document=document, origin=Origin.OURS, is_personal=is_personal
            )
    raise ValueError("no playlist")


def _only(*kinds: type) -> dict[str, str | Callable[..., Any]]:
    """Return a strategy that takes values of some types and converts none."""

    def deserialize(value: Any) -> Any:
        """Return a value of these types, or raise ValueError."""
        if type(value) not in kinds:
            raise ValueError(type(value).__name__)
        return value

    return {"deserialize": deserialize}


class StoredDialect(Dialect):
    """Reading of stored values, which converts nothing but times."""

    serialization_strategy = {
        bool: _only(bool),
        float: _only(int, float),
        int: _only(int),
        str: _only(str),
        datetime: {
            "deserialize": parse_stored_time,
            "serialize": datetime.isoformat,
        },
        Playlist: {
            "deserialize": _playlist_from_json,
            "serialize": _playlist_to_json,
        },
    }
    no_copy_collections = (dict, list)


class RecordDialect(StoredDialect):
    """Writing of the many records of a list, without default values."""

    omit_default = True


type Function = Callable[[Any], Any]


@cache
def _codec(
    kind: Any, dialect: type[Dialect] = StoredDialect
) -> tuple[Function, Function]:
    """Return the decoder and the encoder of a dataclass."""
    decoder = BasicDecoder[Any](kind, default_dialect=dialect)
    encoder = BasicEncoder[Any](kind, default_dialect=dialect)
    return decoder.decode, encoder.encode


def record_to_json(record: object) -> Any:
    """Return a dataclass as JSON."""
    kind: Any = type(record)
    return _codec(kind, RecordDialect)[1](record)


def record_from_json[T](kind: type[T], data: object) -> T | None:
    """Return the dataclass that was written, None if it makes no sense."""
    hashable: Any = kind
    try:
        record: T = _codec(hashable, RecordDialect)[0](data)
    except AttributeError, LookupError, TypeError, ValueError:
        return None
    return record


class PartlyReadError(ValueError):
    """A part of a file makes no sense; the rest of it is there.

    Attributes:
        value: the rest.
    """

    def __init__(self, value: Any) -> None:
        """Initialize with the rest."""
        super().__init__("a part of it makes no sense")
        self.value = value


# So that none of them writes after all files are removed.
_STORES: WeakSet[SafeStore[Any]] = WeakSet()


class SafeStore[T](Store[Any]):
    """File with one value."""

    def __init__(
        self,
        hass: HomeAssistant,
        key: str,
        kind: type[T] | Callable[[Any], T],
        **options: Any,
    ) -> None:
        """Initialize the store.

        Args:
            hass: Home Assistant.
            key: of the file.
            kind: the type, such as a dataclass, or a function that reads JSON and may raise anything, `PartlyReadError` with what it could read.
            options: of Home Assistant's store.
        """
        options = {"atomic_writes": True, "private": True, **options}
        super().__init__(hass, 1, f"{DOMAIN}.{key}", **options)
        self._decode: Callable[[Any], T] = kind
        self._encode: Function = lambda value: value
        if isinstance(kind, type | GenericAlias):
            self._decode, self._encode = _codec(kind)
        self._saving = asyncio.Lock()
        # Whether nothing is written, and when what was given last is.
        self._is_unread = False
        self._due = 0.0
        _STORES.add(self)

    async def async_load_parsed(self) -> T | None:
        """Return the stored value, None if there is nothing that makes sense; a damaged file is kept beside.

        Raises:
            ConfigEntryNotReady: the file cannot be read at the moment, and is not written until it was.
        """
        try:
            stored = await self.async_load()
            value = (
                None
                if stored is None
                else await self.hass.async_add_executor_job(self._decode, stored)
            )
        except Exception as err:
            # Whatever else is raised, by Home Assistant's store or in decoding: it is the file that makes no sense.
            if cause := _os_error(err):
                self._is_unread = True
                raise ConfigEntryNotReady(
                    translation_domain=DOMAIN,
                    translation_key="storage_not_readable",
                    translation_placeholders={
                        "file": self.key,
                        "detail": cause.strerror or type(cause).__name__,
                    },
                ) from err
            await self.hass.async_add_executor_job(self._set_aside, err)
            value = err.value if isinstance(err, PartlyReadError) else None
        self._is_unread = False
        return value

    @override
    async def async_save(self, data: Any) -> None:
        """Save; a failure is logged."""
        if not self._is_unread:
            await super().async_save(self._encode(data))

    @override
    @callback
    def async_delay_save(self, data_func: Callable[[], Any], delay: float = 0) -> None:
        """Save the result of a function in some seconds, however often it changes until then, or when Home Assistant stops."""
        if self._is_unread:
            return
        now = self.hass.loop.time()
        due = now + delay
        self._due = due if self._due <= now else min(due, self._due)
        super().async_delay_save(lambda: self._encode(data_func()), self._due - now)

    async def async_save_now(self, data: Any) -> None:
        """Save, or raise HomeAssistantError if it is not on the disk."""
        async with self._saving:
            await self.async_save(data)
            try:
                stored = await Store[Any](self.hass, 1, self.key).async_load()
            except HomeAssistantError:
                stored = None
        if stored != self._encode(data):
            raise action_failed("not_saved")

    def _set_aside(self, err: Exception) -> None:
        """Rename the file to a name that is free."""
        path = Path(self.path)
        names = (path.with_name(f"{path.name}.damaged{n}") for n in ("", *range(2, 10)))
        kept = next((name for name in names if not name.exists()), path)
        LOGGER.warning(
            "The file %s cannot be used (%s) and is kept as %s; starting without %s",
            path,
            type(err).__name__,
            kept,
            "what makes no sense in it" if isinstance(err, PartlyReadError) else "it",
        )
        try:
            path.replace(kept)
        except OSError as failure:
            LOGGER.debug("Cannot keep %s: %s", kept, failure)


async def async_remove_files(
    hass: HomeAssistant, start: str = "", kept: Collection[str] = ()
) -> None:
    """Remove the files whose names begin so and go on with none of some names, also those that were set aside."""
    start = f"{DOMAIN}.{start}"

    def is_gone(name: str) -> bool:
        """Return whether a file goes."""
        first = name.removeprefix(start).partition(".")[0]
        return name.startswith(start) and first not in kept

    # What is not written yet goes, too.
    for store in [it for it in _STORES if it.hass is hass and is_gone(it.key)]:
        await store.async_remove()
    folder = Path(hass.config.path(STORAGE_DIR))

    def remove() -> None:
        """Remove the remaining files."""
        for path in folder.glob(f"{DOMAIN}.*"):
            if is_gone(path.name):
                path.unlink(missing_ok=True)

    await hass.async_add_executor_job(remove)


def _os_error(err: BaseException | None) -> OSError | None:
    """Return the error of the operating system that caused an error, if any."""
    while err is not None and not isinstance(err, OSError):
        err = err.__cause__
    return err
