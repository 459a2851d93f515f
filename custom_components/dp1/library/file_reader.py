"""Reader of files of works: from one of their hosts to the disk, whole or not at all."""

from collections.abc import Callable
from contextlib import aclosing
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

import aiohttp

from homeassistant.core import HomeAssistant

from ..addresses import ADDRESSES
from ..client.cid import read_cid
from ..client.errors import NotFoundError, TooLargeError
from ..client.hosts import content_of
from ..client.http import chunks
from ..client.text import file_type
from ..hosts import HOSTS

# In bytes.
MAX_FILE: Final = 500 * 1000 * 1000
TIMEOUT: Final = aiohttp.ClientTimeout(total=1800, sock_connect=10, sock_read=30)
# Bytes that a host sends in a second at least, from so many seconds on.
MIN_RATE: Final = 10_000
SLOW_SECONDS: Final = 30.0
# Gateways that are tried for a work.
MAX_GATEWAYS: Final = 3
# A CID of version 1 whose hash is of the whole file.
_OF_FILE: Final = b"\x01\x55\x12\x20"


class NoRoomError(Exception):
    """There is no room for a file, by what the owner allows."""


class WrongFileError(Exception):
    """What a host sends is no picture or film, or another one than its address names by its hash."""


class FileReader:
    """A reader of files."""

    def __init__(self, hass: HomeAssistant, on_bytes: Callable[[int], None]) -> None:
        """Initialize; a function is called with the size of each piece that was received."""
        self._hass, self._on_bytes = hass, on_bytes

    async def async_read(self, url: str, at: str, part: Path, room: int) -> str:
        """Write a work to the disk from one of its hosts, at most so many bytes, and return its type by its first bytes.

        Raises:
            NotFoundError: the host has it not.
            NoRoomError: it is longer than there is room.
            TooLargeError: it is longer than any that is kept.
            WrongFileError: it is no picture or film, or another one.
            TimeoutError: it comes too slowly.
            OSError: the disk is full or cannot be written.
        """
        hass, hosts = self._hass, self._hass.data[HOSTS]
        guard = hass.data[ADDRESSES].async_public_guard()
        size, kind, found = 0, "", sha256()
        async with (
            hosts.async_request(guard, at, TIMEOUT) as response,
            aclosing(chunks(response, MAX_FILE)) as received,
        ):
            hosts.async_note(at, response)
            if not response.ok:
                raise NotFoundError("not there")
            _check_size(response.content_length or 0, room)
            file = await hass.async_add_executor_job(_open, part)
            began = hass.loop.time()
            try:
                async for chunk in received:
                    # A host may send the first bytes alone.
                    if not kind and not (kind := file_type(chunk)):
                        raise WrongFileError
                    size += len(chunk)
                    found.update(chunk)
                    self._on_bytes(len(chunk))
                    _check_size(size, room)
                    seconds = hass.loop.time() - began
                    if seconds > SLOW_SECONDS and size < MIN_RATE * seconds:
                        raise TimeoutError
                    await hass.async_add_executor_job(file.write, chunk)
            finally:
                # Writes what is left, for which the disk may be too full.
                await hass.async_add_executor_job(file.close)
        if not size or _digest_of(url) not in (None, found.digest()):
            raise WrongFileError
        return kind


def _check_size(size: int, room: int) -> None:
    """Raise if a file is too large, or there is no room for it."""
    if size > MAX_FILE:
        raise TooLargeError("a file of a work")
    if size > room:
        raise NoRoomError


def _open(path: Path) -> BinaryIO:
    """Open a file to write it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")


def _digest_of(url: str) -> bytes | None:
    """Return the hash of a file as its address has it, None for one of many blocks or at an ordinary host."""
    content = content_of(url)
    if content is None or content.network != "ipfs":
        return None
    cid = read_cid(content.key)
    return cid.removeprefix(_OF_FILE) if cid.startswith(_OF_FILE) else None
