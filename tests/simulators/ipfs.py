"""How nodes of IPFS cut files into blocks and name them, as Kubo does."""

from base64 import b32encode
from dataclasses import dataclass, field
from hashlib import sha256

RAW, DAG_PB = 0x55, 0x70


def number(value: int) -> bytes:
    """Write a number in groups of seven bits, the lowest first."""
    parts = []
    while True:
        value, low = divmod(value, 128)
        parts.append(low + (128 if value else 0))
        if not value:
            return bytes(parts)


def part(name: int, content: bytes) -> bytes:
    """Write a field of bytes."""
    return number(name * 8 + 2) + number(len(content)) + content


def counted(name: int, value: int) -> bytes:
    """Write a field with a number."""
    return number(name * 8) + number(value)


def cid_of(codec: int, block: bytes) -> bytes:
    """Name a block by its SHA-256."""
    return b"\x01" + number(codec) + b"\x12\x20" + sha256(block).digest()


def written(cid: bytes) -> str:
    """Write a CID in base32."""
    return "b" + b32encode(cid).decode().lower().rstrip("=")


@dataclass
class Node:
    """A node with its blocks by their CIDs.

    Attributes:
        chunk: bytes of a file in a leaf.
        width: leaves below a block.
        has_raw_leaves: whether leaves are bare bytes, as with newer versions of CIDs.
        is_packed: whether sizes are packed.
    """

    chunk: int = 1000
    width: int = 4
    has_raw_leaves: bool = True
    is_packed: bool = False
    blocks: dict[str, bytes] = field(default_factory=dict)

    def put(self, codec: int, block: bytes) -> bytes:
        """Keep a block, and return its CID."""
        cid = cid_of(codec, block)
        self.blocks[written(cid)] = block
        return cid

    def add(self, content: bytes) -> bytes:
        """Add a file, and return its CID."""
        level = []
        for start in range(0, len(content), self.chunk):
            piece = content[start : start + self.chunk]
            if self.has_raw_leaves:
                cid = self.put(RAW, piece)
            else:
                data = counted(1, 2) + part(2, piece) + counted(3, len(piece))
                cid = self.put(DAG_PB, part(1, data))
            level.append((cid, len(piece)))
        while len(level) > 1:
            level = [
                self._above(level[start : start + self.width])
                for start in range(0, len(level), self.width)
            ]
        return level[0][0]

    def _above(self, below: list[tuple[bytes, int]]) -> tuple[bytes, int]:
        """Put a block over others."""
        links = b"".join(
            part(2, part(1, cid) + part(2, b"") + counted(3, size))
            for cid, size in below
        )
        total = sum(size for _, size in below)
        if self.is_packed:
            sizes = part(4, b"".join(number(size) for _, size in below))
        else:
            sizes = b"".join(counted(4, size) for _, size in below)
        data = counted(1, 2) + counted(3, total) + sizes
        return self.put(DAG_PB, links + part(1, data)), total

    def folder(self, **files: bytes) -> bytes:
        """Add a folder of files by their names, with a suffix after two underscores, and return its CID."""
        links = b"".join(
            part(2, part(1, cid) + part(2, name.replace("__", ".").encode()))
            for name, cid in sorted(files.items())
        )
        return self.put(DAG_PB, links + part(1, counted(1, 1)))
