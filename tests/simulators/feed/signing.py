"""Digest, sign and verify DP-1 documents like the real feeds, independently of the integration."""

import base64
from binascii import Error as Base64Error
from dataclasses import dataclass
import hashlib
from typing import Any, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
import rfc8785

type Document = dict[str, Any]

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_ED25519_CODEC = b"\xed\x01"
_EXACT = 2**53 - 1


def plain_numbers(value: Any) -> Any:
    """Return every number as a JavaScript double, as an integer where it is one."""
    match value:
        case bool():
            return value
        case int():
            return value if abs(value) <= _EXACT else float(value)
        case float():
            return int(value) if value.is_integer() and abs(value) <= _EXACT else value
        case list():
            return [plain_numbers(entry) for entry in value]
        case dict():
            return {key: plain_numbers(entry) for key, entry in value.items()}
    return value


def digest(document: Document) -> bytes:
    """Return the 32 bytes that are signed: canonical JSON without the top-level signatures, and one line feed."""
    payload = {
        key: value
        for key, value in document.items()
        if key not in ("signature", "signatures")
    }
    return hashlib.sha256(rfc8785.dumps(plain_numbers(payload)) + b"\n").digest()


def did_key(public: Ed25519PublicKey) -> str:
    number = int.from_bytes(
        _ED25519_CODEC + public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    )
    text = ""
    while number:
        number, rest = divmod(number, 58)
        text = _BASE58[rest] + text
    return f"did:key:z{text}"


def public_key(kid: str) -> Ed25519PublicKey | None:
    """Return the Ed25519 key of a did:key, or None."""
    text = kid.removeprefix("did:key:z")
    if text == kid or not text or any(char not in _BASE58 for char in text):
        return None
    number = 0
    for char in text:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes((number.bit_length() + 7) // 8)
    if len(raw) != 34 or not raw.startswith(_ED25519_CODEC):
        return None
    return Ed25519PublicKey.from_public_bytes(raw[2:])


def read_base64url(text: str) -> bytes | None:
    """Return the bytes of unpadded base64url; padding and the standard alphabet are refused, as Go refuses them."""
    if "=" in text or "+" in text or "/" in text:
        return None
    try:
        return base64.b64decode(
            text + "=" * (-len(text) % 4), altchars=b"-_", validate=True
        )
    except Base64Error, ValueError:
        return None


def verify(document: Document, entry: Document) -> bool:
    """Return whether an entry of ``signatures`` is valid for the document."""
    expected = digest(document)
    key = public_key(entry["kid"])
    signature = read_base64url(entry["sig"])
    if (
        entry["alg"].lower() != "ed25519"
        or entry["payload_hash"] != f"sha256:{expected.hex()}"
        or key is None
        or signature is None
    ):
        return False
    try:
        key.verify(signature, expected)
    except InvalidSignature:
        return False
    return True


@dataclass(frozen=True, slots=True)
class SigningKey:
    """An Ed25519 key and its DID."""

    private: Ed25519PrivateKey
    kid: str

    @classmethod
    def from_seed(cls, seed: bytes) -> Self:
        private = Ed25519PrivateKey.from_private_bytes(seed)
        return cls(private, did_key(private.public_key()))

    def entry(self, document: Document, role: str, ts: str) -> Document:
        payload = digest(document)
        signature = (
            base64.urlsafe_b64encode(self.private.sign(payload)).decode().rstrip("=")
        )
        return {
            "alg": "ed25519",
            "kid": self.kid,
            "ts": ts,
            "payload_hash": f"sha256:{payload.hex()}",
            "role": role,
            "sig": signature,
        }

    def legacy(self, document: Document) -> str:
        """Return the signature of version 1.0, in the form with ``0x`` that the TypeScript feed writes."""
        return f"ed25519:0x{self.private.sign(digest(document)).hex()}"
