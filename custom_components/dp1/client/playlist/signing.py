"""Keys, digests and signatures of DP-1 documents: playlists, playlist groups and channels alike.

What is signed is the SHA-256 of the canonical JSON (RFC 8785) of the document without its top-level
``signature`` and ``signatures``, followed by one line feed.  Ed25519 signs these 32 bytes.  Source: DP-1
specification 1.1.0, section 7, as its published implementations read it.
"""

from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum, auto
import hashlib
import re
from typing import Any, override

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    load_der_private_key,
    load_pem_private_key,
)
import rfc8785

from ..base58 import base58_decode, base58_encode
from ..errors import Fault, InvalidPlaylistError
from ..values import doubles, moment, text
from . import eip191
from .document import timestamp, unsigned

_DID_PREFIX = "did:key:z"
_ED25519_CODEC = b"\xed\x01"
_DID_KEY_MAX_LENGTH = 60


def did_from_public_key(public_key: bytes) -> str:
    """Write a 32-byte Ed25519 public key as a ``did:key``."""
    return _DID_PREFIX + base58_encode(_ED25519_CODEC + public_key)


def public_key_from_did(did: str) -> bytes:
    """Read the 32-byte Ed25519 public key out of a ``did:key``.

    Raises:
        ValueError: another kind of DID or of key.
    """
    if not did.startswith(_DID_PREFIX) or len(did) > _DID_KEY_MAX_LENGTH:
        raise ValueError("not the did:key of an Ed25519 key")
    try:
        data = base58_decode(did.removeprefix(_DID_PREFIX))
    except ValueError:
        raise ValueError("not base58") from None
    if len(data) != 34 or not data.startswith(_ED25519_CODEC):
        raise ValueError("not the did:key of an Ed25519 key")
    return data[2:]


def read_public_key(text: str) -> str:
    """Read a public key, as ``did:key`` or 32 bytes in hex or base64, and write it as ``did:key``.

    Raises:
        ValueError: none of these.
    """
    text = text.strip()
    if text.startswith("did:"):
        public_key_from_did(text)
        return text
    data = decode_key_text(text)
    if len(data) != 32:
        raise ValueError("not the 32 bytes of an Ed25519 public key")
    return did_from_public_key(data)


def decode_key_text(text: str) -> bytes:
    """Read hex or base64 of either alphabet; ValueError for anything else."""
    compact = "".join(text.split())
    try:
        return bytes.fromhex(compact.removeprefix("0x").removeprefix("0X"))
    except ValueError:
        pass
    compact = compact.rstrip("=").translate(str.maketrans("-_", "+/"))
    return b64decode(compact + "=" * (-len(compact) % 4), validate=True)


_HASH_PREFIX = "sha256:"
_ENTRY_FIELDS = ("alg", "kid", "ts", "payload_hash", "role", "sig")
# A document may hold thousands of signatures, and checking a wallet's takes milliseconds.
_MAX_CHECKED = 100
_MAX_AHEAD = timedelta(minutes=5)
_LEGACY = re.compile(r"ed25519:(?:0x)?([0-9a-f]{128})", re.IGNORECASE)


class SignatureFault(StrEnum):
    """The fault of a signature, or the reason why it was not checked; the values are keys of its texts."""

    NOT_A_LIST = auto()
    NOT_AN_OBJECT = auto()
    INCOMPLETE = auto()
    NO_CANONICAL_FORM = auto()
    TOO_MANY = auto()
    AHEAD = auto()
    OTHER_DOCUMENT = auto()
    UNKNOWN_ALGORITHM = auto()
    NO_KEY = auto()
    NO_ACCOUNT = auto()
    MALFORMED = auto()
    DOES_NOT_FIT = auto()
    MALFORMED_LEGACY = auto()
    NO_KNOWN_KEY = auto()
    KEY_NOT_KNOWN = auto()


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of verifying one signature.

    Attributes:
        kid: DID of the signer; for a legacy signature the key that fits, or None.
        role: role as written; not covered by the signature.
        fault: why it is not valid or was not checked, else None.
        detail: what the text of the fault leaves open: a number, or names of fields.
    """

    kid: str | None = None
    role: str | None = None
    fault: SignatureFault | None = None
    detail: str = ""

    @property
    def valid(self) -> bool | None:
        """Return whether the signature holds; None when it is there and was not checked."""
        if self.fault in (SignatureFault.TOO_MANY, SignatureFault.KEY_NOT_KNOWN):
            return None
        return self.fault in (None, SignatureFault.AHEAD)


def _load_private_key(text: str) -> Ed25519PrivateKey:
    """Read a private key in any of the forms in use; ValueError, TypeError or UnsupportedAlgorithm otherwise."""
    if "-----BEGIN" in text:
        key = load_pem_private_key(text.strip().encode(), None)
    else:
        data = decode_key_text(text)
        if len(data) == 32:
            return Ed25519PrivateKey.from_private_bytes(data)
        if len(data) == 64:
            key = Ed25519PrivateKey.from_private_bytes(data[:32])
            if key.public_key().public_bytes_raw() != data[32:]:
                raise ValueError("halves do not belong together")
            return key
        key = load_der_private_key(data, None)
    if not isinstance(key, Ed25519PrivateKey):
        raise TypeError("another kind of key")
    return key


class SigningKey:
    """An Ed25519 private key.  Its text form never appears in a repr or an error."""

    __slots__ = ("_key", "did")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        """Initialize with the private key and compute its DID."""
        self._key = key
        self.did = did_from_public_key(key.public_key().public_bytes_raw())

    @classmethod
    def generate(cls) -> SigningKey:
        """Make a new key."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def parse(cls, text: str) -> SigningKey:
        """Read a key: 32-byte seed, 64 bytes of seed and public key, or PKCS#8, as hex, base64 or PEM.

        Raises:
            ValueError: none of these; the message does not repeat the text.
        """
        with suppress(ValueError, TypeError, UnsupportedAlgorithm):
            return cls(_load_private_key(text))
        # Outside of the handler, so that no cause that might quote the text is attached to the error.
        raise ValueError(
            "not an Ed25519 private key (32-byte seed, 64 bytes or PKCS#8, in hex, base64 or PEM)"
        )

    def export(self) -> str:
        """Return the secret seed as 64 hexadecimal digits."""
        return self._key.private_bytes_raw().hex()

    def sign(self, data: bytes) -> bytes:
        """Return the 64-byte signature of bytes."""
        return self._key.sign(data)

    @override
    def __repr__(self) -> str:
        """Return the public part only."""
        return f"SigningKey({self.did})"


def canonical(document: Mapping[str, Any]) -> bytes:
    """Return canonical JSON without the two signature fields, and without the final line feed.

    Raises:
        InvalidPlaylistError: the document holds what JSON or UTF-8 cannot hold.
    """
    payload = unsigned(document)
    try:
        try:
            return rfc8785.dumps(payload)
        except rfc8785.IntegerDomainError:
            return rfc8785.dumps(doubles(payload))
    except ValueError, OverflowError, RecursionError:
        raise InvalidPlaylistError(
            [Fault("", "holds text, a number or a depth that cannot be signed")]
        ) from None


def digest(document: Mapping[str, Any]) -> bytes:
    """Return the 32 bytes that are signed.

    Raises:
        InvalidPlaylistError: the document has no canonical form.
    """
    return hashlib.sha256(canonical(document) + b"\n").digest()


def payload_hash(document: Mapping[str, Any]) -> str:
    """Return the digest as signature entries state it: ``sha256:`` and 64 hexadecimal digits.

    Raises:
        InvalidPlaylistError: the document has no canonical form.
    """
    return _HASH_PREFIX + digest(document).hex()


def sign(
    document: Mapping[str, Any],
    key: SigningKey,
    *,
    role: str = "curator",
    now: datetime,
) -> dict[str, Any]:
    """Return the document with one more signature, which replaces one of the same key and role.

    Args:
        document: a playlist, playlist group or channel.
        key: who signs.
        role: ``curator``, ``feed``, ``agent``, ``institution`` or ``licensor``.
        now: the present moment, with a zone.

    Raises:
        InvalidPlaylistError: the document has no canonical form.
    """
    hashed = digest(document)
    entry = {
        "alg": "ed25519",
        "kid": key.did,
        "ts": timestamp(now),
        "payload_hash": _HASH_PREFIX + hashed.hex(),
        "role": role,
        "sig": urlsafe_b64encode(key.sign(hashed)).rstrip(b"=").decode(),
    }
    present = document.get("signatures")
    others = [
        other
        for other in (present if isinstance(present, list) else [])
        if not (
            isinstance(other, dict)
            and (other.get("kid"), other.get("role")) == (key.did, role)
        )
    ]
    return {**document, "signatures": [*others, entry]}


def _holds(public_key: bytes, signature: bytes, hashed: bytes) -> bool:
    """Return whether one Ed25519 signature is valid."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, hashed)
    except InvalidSignature, ValueError:
        return False
    return True


def _decode_signature(text: str) -> bytes | None:
    """Decode base64url without padding; None for anything else, also for stray bits at the end."""
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    return data if urlsafe_b64encode(data).rstrip(b"=") == text.encode() else None


def _fault_of(
    entry: Mapping[str, str], hashed: bytes | None, latest: datetime, checked: bool
) -> tuple[SignatureFault | None, str]:
    """Return the fault of the texts of an entry, and the detail for its text."""
    if missing := [name for name in _ENTRY_FIELDS if name not in entry]:
        return SignatureFault.INCOMPLETE, ", ".join(missing)
    if hashed is None:
        return SignatureFault.NO_CANONICAL_FORM, ""
    if not checked:
        return SignatureFault.TOO_MANY, str(_MAX_CHECKED)
    if entry["payload_hash"] != _HASH_PREFIX + hashed.hex():
        return SignatureFault.OTHER_DOCUMENT, ""
    read_did: Callable[[str], bytes]
    holds: Callable[[bytes, bytes, bytes], bool]
    match entry["alg"].lower():
        case "ed25519":
            read_did, length, holds = public_key_from_did, 64, _holds
            no_key = SignatureFault.NO_KEY
        case "eip191":
            read_did, length, holds = eip191.address_from_did, 65, eip191.holds
            no_key = SignatureFault.NO_ACCOUNT
        case _:
            return SignatureFault.UNKNOWN_ALGORITHM, ""
    try:
        key = read_did(entry["kid"])
    except ValueError:
        return no_key, ""
    signature = _decode_signature(entry["sig"])
    if signature is None or len(signature) != length:
        return SignatureFault.MALFORMED, str(length)
    if not holds(key, signature, hashed):
        return SignatureFault.DOES_NOT_FIT, ""
    made = moment(entry["ts"])
    return SignatureFault.AHEAD if made and made > latest else None, ""


def _verify_entry(
    entry: Any, hashed: bytes | None, latest: datetime, checked: bool
) -> Verification:
    """Verify one element of ``signatures``."""
    if not isinstance(entry, Mapping):
        return Verification(fault=SignatureFault.NOT_AN_OBJECT)
    fields = {name: value for name in _ENTRY_FIELDS if (value := text(entry.get(name)))}
    fault, detail = _fault_of(fields, hashed, latest, checked)
    return Verification(fields.get("kid"), fields.get("role"), fault, detail)


def _verify_legacy(
    value: Any, hashed: bytes | None, dids: Iterable[str]
) -> Verification:
    """Verify a v1.0.x signature with the keys that the user has configured."""
    match = _LEGACY.fullmatch(value) if isinstance(value, str) else None
    if not match:
        return Verification(fault=SignatureFault.MALFORMED_LEGACY)
    fault = SignatureFault.NO_CANONICAL_FORM
    if hashed is not None:
        fault = SignatureFault.KEY_NOT_KNOWN
        for did in dids:
            if _holds(public_key_from_did(did), bytes.fromhex(match[1]), hashed):
                return Verification(did)
            fault = SignatureFault.NO_KNOWN_KEY
    return Verification(fault=fault)


def verify(
    document: Mapping[str, Any],
    *,
    legacy_keys: Iterable[str] = (),
    now: datetime | None = None,
) -> list[Verification]:
    """Check every signature of a document; never raises for its contents.

    A wallet's takes milliseconds: what a stranger made is checked in a thread.

    Args:
        document: a playlist, playlist group or channel.
        legacy_keys: ``did:key`` of the signers a v1.0.x ``signature`` may come from; it names none itself.
        now: the present moment, with a zone; the clock's without.

    Returns:
        One row for each entry of ``signatures`` in order, up to the first that is not checked as there are too many, then
        one for ``signature``; empty if unsigned.

    Raises:
        ValueError: one of the legacy keys is not the ``did:key`` of an Ed25519 key.
    """
    entries, legacy = (document.get(name) for name in ("signatures", "signature"))
    if entries is None and legacy is None:
        return []
    try:
        hashed = digest(document)
    except InvalidPlaylistError:
        hashed = None
    rows = []
    if isinstance(entries, list):
        latest = (now or datetime.now(UTC)) + _MAX_AHEAD
        rows = [
            _verify_entry(entry, hashed, latest, index < _MAX_CHECKED)
            for index, entry in enumerate(entries[: _MAX_CHECKED + 1])
        ]
    elif entries is not None:
        rows = [Verification(fault=SignatureFault.NOT_A_LIST)]
    if legacy is not None:
        rows.append(_verify_legacy(legacy, hashed, legacy_keys))
    return rows
