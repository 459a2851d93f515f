"""Files of IPFS judged by the hashes of their blocks, whoever served them.

A CID names the hash of one block. A file of one raw block is judged by that alone. A longer one is a tree: blocks in
protobuf (DAG-PB) name the hashes of the blocks below, and how many bytes of the file are in each. Only those between the
root and the leaves are asked for; the leaves are parts of the file, which is at hand. Source: the specifications of DAG-PB
and UnixFS, and how Kubo writes leaves.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from .cid import MAX_VARINT, varint

# Of a file, in blocks that are asked for: enough for 500 MB, whose leaves are at hand.
MAX_BLOCKS: Final = 64
# In bytes: the most that nodes of IPFS hand each other.
MAX_BLOCK: Final = 2 * 1024 * 1024
_PIECE: Final = 1024 * 1024
_RAW: Final = 0x55
_DAG_PB: Final = 0x70
_SHA256: Final = 0x12
_IDENTITY: Final = 0
_PLAIN, _FOLDER, _FILE = 0, 1, 2
_NUMBER, _BYTES = 0, 2
_MAX_FIELDS: Final = 20_000

# Returns so many bytes of the file from a place.
type Read = Callable[[int, int], bytes]


class UncheckedError(Exception):
    """A file cannot be judged: its blocks are written in another way, are too many, or are not to be had."""


@dataclass(slots=True)
class _Node:
    """A block in DAG-PB with what UnixFS writes in it.

    Attributes:
        links: CID and name of each block below.
        kind: of what it is a part.
        data: bytes of the file in the block itself, which come first.
        sizes: bytes of the file in each block below.
    """

    links: list[tuple[bytes, bytes]] = field(default_factory=list)
    kind: int = -1
    data: bytes = b""
    sizes: list[int] = field(default_factory=list)


def judge(
    cid: bytes, path: str, size: int, read: Read
) -> Generator[bytes, bytes, bool]:
    """Judge a file: yield the CIDs of blocks that are needed, take each, and return whether the file is what its CID names.

    Args:
        cid: the root, as ``read_cid`` has it.
        path: below it, without escapes.
        size: of the file, in bytes.
        read: of the file.

    Raises:
        UncheckedError: it cannot be judged.
    """
    blocks = _Blocks()
    for name in filter(None, path.split("/")):
        node = yield from blocks.get(cid)
        if node.kind != _FOLDER:
            raise UncheckedError("no plain folder")
        links = [link for link, known in node.links if known == name.encode()]
        if not links:
            return False
        cid = links[0]
    waiting = [(cid, 0, size)]
    while waiting:
        cid, start, length = waiting.pop()
        codec, function, digest = _parts(cid)
        if codec == _RAW:
            if not _is_hash(function, digest, read, start, length):
                return False
            continue
        if codec != _DAG_PB:
            raise UncheckedError("another kind of block")
        if length <= MAX_BLOCK and _is_leaf(cid, read(start, length)):
            continue
        node = yield from blocks.get(cid)
        if node.kind not in (_PLAIN, _FILE):
            raise UncheckedError("no file")
        if len(node.links) != len(node.sizes):
            raise UncheckedError("no sizes")
        own = len(node.data)
        if own + sum(node.sizes) != length or read(start, own) != node.data:
            return False
        start += own
        below = []
        for (link, _), part in zip(node.links, node.sizes, strict=True):
            below.append((link, start, part))
            start += part
        waiting += reversed(below)
    return True


class _Blocks:
    """The blocks that were asked for."""

    def __init__(self) -> None:
        """Initialize before the first."""
        self._count = 0

    def get(self, cid: bytes) -> Generator[bytes, bytes, _Node]:
        """Ask for a block."""
        codec, function, digest = _parts(cid)
        if codec != _DAG_PB:
            raise UncheckedError("another kind of block")
        self._count += 1
        if self._count > MAX_BLOCKS:
            raise UncheckedError("too many blocks")
        block = yield cid
        if not _is_hash(function, digest, lambda *_: block, 0, len(block)):
            raise UncheckedError("another block")
        return _node(block)


def _parts(cid: bytes) -> tuple[int, int, bytes]:
    """Return the codec of a CID, and the function and digest of its hash."""
    try:
        _, rest = varint(cid)
        codec, rest = varint(rest)
        function, rest = varint(rest)
        _, digest = varint(rest)
    except ValueError:
        raise UncheckedError("no CID") from None
    return codec, function, digest


def _is_hash(function: int, digest: bytes, read: Read, start: int, length: int) -> bool:
    """Return whether bytes have a hash."""
    if function == _IDENTITY:
        return length == len(digest) and read(start, length) == digest
    if function != _SHA256:
        raise UncheckedError("another hash")
    found = sha256()
    for place in range(start, start + length, _PIECE):
        found.update(read(place, min(_PIECE, start + length - place)))
    return found.digest() == digest


def _is_leaf(cid: bytes, data: bytes) -> bool:
    """Return whether a block in DAG-PB has just these bytes of a file, as Kubo writes it."""
    _, function, digest = _parts(cid)
    if function != _SHA256:
        return False
    size = _to_varint(len(data))
    for kind in (_FILE, _PLAIN):
        part = b"\x08" + bytes([kind]) + b"\x12" + size + data + b"\x18" + size
        block = b"\x0a" + _to_varint(len(part)) + part
        if sha256(block).digest() == digest:
            return True
    return False


def _to_varint(number: int) -> bytes:
    """Write a number as protobuf does."""
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def _node(block: bytes) -> _Node:
    """Read a block."""
    node = _Node()
    try:
        for name, value in _fields(block):
            match name, value:
                case 2, bytes():
                    link = dict(_fields(value))
                    cid, title = link.get(1, b""), link.get(2, b"")
                    if not isinstance(cid, bytes) or not isinstance(title, bytes):
                        raise UncheckedError("no link")
                    node.links.append((_to_version_1(cid), title))
                case 1, bytes():
                    _read_data(node, value)
    except ValueError:
        raise UncheckedError("no block") from None
    return node


def _read_data(node: _Node, data: bytes) -> None:
    """Read what UnixFS writes in a block."""
    for name, value in _fields(data):
        match name, value:
            case 1, int():
                node.kind = value
            case 2, bytes():
                node.data = value
            case 4, int():
                node.sizes.append(value)
            case 4, bytes():
                # Packed, as newer writers of protobuf do.
                place = 0
                while place < len(value):
                    size, place = _number(value, place)
                    node.sizes.append(size)


def _fields(message: bytes) -> list[tuple[int, int | bytes]]:
    """Return the fields of a message of protobuf, or raise ValueError."""
    fields: list[tuple[int, int | bytes]] = []
    place = 0
    while place < len(message):
        tag, place = _number(message, place)
        number, place = _number(message, place)
        kind = tag & 7
        if kind == _NUMBER:
            fields.append((tag >> 3, number))
        elif kind == _BYTES and place + number <= len(message):
            fields.append((tag >> 3, message[place : place + number]))
            place += number
        else:
            raise ValueError("another field")
        if len(fields) > _MAX_FIELDS:
            raise ValueError("too many fields")
    return fields


def _number(data: bytes, place: int) -> tuple[int, int]:
    """Return the number at a place, and the place behind it."""
    ahead = data[place : place + MAX_VARINT]
    number, rest = varint(ahead)
    return number, place + len(ahead) - len(rest)


def _to_version_1(cid: bytes) -> bytes:
    """Return a CID in a link as one of version 1."""
    return b"\x01\x70" + cid if cid.startswith(b"\x12\x20") else cid
