"""Reader of files of works: from one of their hosts to the disk, whole or not at all, and judged by their CIDs."""

from collections.abc import Callable
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import unquote

import aiohttp

from homeassistant.core import HomeAssistant

from ..addresses import ADDRESSES
from ..client.cid import cid_text, read_cid
from ..client.errors import NotFoundError, TooLargeError
from ..client.hosts import content_of
from ..client.http import chunks
from ..client.text import file_type
from ..client.unixfs import MAX_BLOCK, Read, UncheckedError, judge
from ..const import LOGGER
from ..hosts import FAILURES, HOSTS

# In bytes.
MAX_FILE: Final = 500 * 1000 * 1000
TIMEOUT: Final = aiohttp.ClientTimeout(total=1800, sock_connect=10, sock_read=60)
BLOCK_TIMEOUT: Final = aiohttp.ClientTimeout(total=30)
# Gateways that are tried for a work, or for a block of it.
MAX_GATEWAYS: Final = 3


class NoRoomError(Exception):
    """There is no room for a file, by what the owner allows."""


class WrongFileError(Exception):
    """What a host sends is no picture or film, or another one than its CID names."""


class FileReader:
    """A reader of files."""

    def __init__(self, hass: HomeAssistant, on_bytes: Callable[[int], None]) -> None:
        """Initialize; a function is called with the size of each piece that was received."""
        self._hass, self._on_bytes = hass, on_bytes

    async def async_read(self, at: str, part: Path, room: int) -> str:
        """Write a work to the disk from one of its hosts, at most so many bytes, and return its type by its first bytes.

        Raises:
            NotFoundError: the host has it not.
            NoRoomError: it is longer than there is room.
            TooLargeError: it is longer than any that is kept.
            WrongFileError: it is no picture or film.
            OSError: the disk is full or cannot be written.
        """
        hass, hosts = self._hass, self._hass.data[HOSTS]
        guard = hass.data[ADDRESSES].async_public_guard()
        size, kind = 0, ""
        async with (
            hosts.async_request(guard, at, TIMEOUT) as response,
            aclosing(chunks(response, MAX_FILE)) as received,
        ):
            hosts.async_note(at, response)
            if not response.ok:
                raise NotFoundError("not there")
            _check_size(response.content_length or 0, room)
            file = await hass.async_add_executor_job(_open, part)
            try:
                async for chunk in received:
                    # A host may send the first bytes alone.
                    if not kind and not (kind := file_type(chunk)):
                        raise WrongFileError
                    size += len(chunk)
                    self._on_bytes(len(chunk))
                    _check_size(size, room)
                    await hass.async_add_executor_job(file.write, chunk)
            finally:
                # Writes what is left, for which the disk may be too full.
                await hass.async_add_executor_job(file.close)
        if not size:
            raise WrongFileError
        return kind

    async def async_is_checked(self, url: str, path: Path) -> bool:
        """Return whether a file is what its CID names, False if that cannot be told; raise WrongFileError if it is another one."""
        content, job = content_of(url), self._hass.async_add_executor_job
        if content is None or content.network != "ipfs":
            return False
        size = (await job(path.stat)).st_size
        file = await job(path.open, "rb")
        try:
            below = unquote(content.rest.partition("?")[0].partition("#")[0])
            judging = judge(read_cid(content.key), below, size, _reader(file))
            block: bytes | None = None
            while not isinstance(wanted := await job(_step, judging, block), bool):
                block = await self._async_block(wanted)
        except UncheckedError as err:
            LOGGER.debug("A file stays unchecked: %s", err)
            return False
        finally:
            await job(file.close)
        if not wanted:
            raise WrongFileError
        return True

    async def _async_block(self, cid: bytes) -> bytes:
        """Return a block from any gateway, as its hash is judged; raise UncheckedError if none has it."""
        hosts = self._hass.data[HOSTS]
        guard = self._hass.data[ADDRESSES].async_public_guard()
        for at in hosts.urls(f"ipfs://{cid_text(cid)}?format=raw")[:MAX_GATEWAYS]:
            with suppress(*FAILURES):
                async with (
                    hosts.async_request(guard, at, BLOCK_TIMEOUT) as response,
                    aclosing(chunks(response, MAX_BLOCK)) as received,
                ):
                    if not response.ok:
                        continue
                    block = b""
                    async for chunk in received:
                        block += chunk
                        self._on_bytes(len(chunk))
                        if len(block) > MAX_BLOCK:
                            break
                    else:
                        return block
        raise UncheckedError("no gateway has its blocks")


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


def _reader(file: BinaryIO) -> Read:
    """Return a function that reads parts of a file."""

    def read(start: int, length: int) -> bytes:
        """Read a part."""
        file.seek(start)
        return file.read(length)

    return read


def _step(judging: Any, block: bytes | None) -> bytes | bool:
    """Go on with judging a file: return the block that is needed, or the verdict."""
    try:
        wanted: bytes = judging.send(block)
    except StopIteration as end:
        return bool(end.value)
    return wanted
