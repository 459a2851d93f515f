"""Content identifiers of IPFS (CID): read, not pasted, so that one names content and nothing else behind a gateway.

Source: the specification of CID, versions 0 and 1. A library for it brings four others for these few lines.
"""

from base64 import b32decode, b32encode, urlsafe_b64decode
from collections.abc import Callable, Mapping
import re
from typing import Final

from .base58 import base58_decode

# In characters: the longest hash in the longest base.
MAX_CID: Final = 160
_V0_LENGTH: Final = 46
_V0_BYTES: Final = 34
_SHA256: Final = b"\x12\x20"
# Version 1, a node of UnixFS.
_V1_UNIXFS: Final = b"\x01\x70"
# In bytes.
_MAX_VARINT: Final = 9
_LETTERS: Final = re.compile(rf"[A-Za-z0-9_-]{{2,{MAX_CID}}}")


def _base32(text: str) -> bytes:
    """Read base32 without its padding."""
    return b32decode(text + "=" * (-len(text) % 8))


def _base36(text: str) -> bytes:
    """Read base36; a leading zero is a byte."""
    number = int(text, 36)
    zeros = len(text) - len(text.lstrip("0"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8)


def _base64url(text: str) -> bytes:
    """Read base64 for addresses without its padding."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


_BASES: Final[Mapping[str, Callable[[str], bytes]]] = {
    "b": lambda text: _base32(text.upper() if text == text.lower() else text),
    "B": _base32,
    "f": bytes.fromhex,
    "F": bytes.fromhex,
    "k": lambda text: _base36(text if text == text.lower() else ""),
    "K": lambda text: _base36(text if text == text.upper() else ""),
    "u": _base64url,
    "z": base58_decode,
}


def read_cid(text: str) -> bytes:
    """Return a CID of any base as the bytes of version 1: version, codec, hash.

    Raises:
        ValueError: it is none.
    """
    try:
        return _read(text)
    except ValueError:
        raise ValueError("not a CID") from None


def _read(text: str) -> bytes:
    """Return a CID as bytes, or raise ValueError."""
    if not _LETTERS.fullmatch(text):
        raise ValueError
    if len(text) == _V0_LENGTH and text.startswith("Qm"):
        data = base58_decode(text)
        if len(data) != _V0_BYTES or not data.startswith(_SHA256):
            raise ValueError
        return _V1_UNIXFS + data
    base = _BASES.get(text[:1])
    if base is None:
        raise ValueError
    data = base(text[1:])
    version, rest = _varint(data)
    _codec, rest = _varint(rest)
    _hash, digest = _varint(rest)
    length, digest = _varint(digest)
    if version != 1 or not digest or len(digest) != length:
        raise ValueError
    return data


def cid_text(data: bytes) -> str:
    """Return a CID in base32, which is the same in any case of letters, as hosts are written."""
    return "b" + b32encode(data).decode().lower().rstrip("=")


def _varint(data: bytes) -> tuple[int, bytes]:
    """Return the number that bytes begin with, and the others."""
    number = 0
    for place, byte in enumerate(data[:_MAX_VARINT]):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, data[place + 1 :]
    raise ValueError
