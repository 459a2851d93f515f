"""Ed25519 public keys as ``did:key``: base58btc of two bytes that name the kind of key, and its 32 bytes."""

from base64 import b64decode

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_DID_PREFIX = "did:key:z"
_ED25519_CODEC = b"\xed\x01"
_DID_KEY_MAX_LENGTH = 60


def _base58_encode(data: bytes) -> str:
    """Write bytes in base58btc."""
    number = int.from_bytes(data)
    text = ""
    while number:
        number, digit = divmod(number, 58)
        text = _BASE58[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def _base58_decode(text: str) -> bytes:
    """Read base58btc; ValueError for any other character."""
    number = 0
    for character in text:
        number = number * 58 + _BASE58.index(character)
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8)


def did_from_public_key(public_key: bytes) -> str:
    """Write a 32-byte Ed25519 public key as a ``did:key``."""
    return _DID_PREFIX + _base58_encode(_ED25519_CODEC + public_key)


def public_key_from_did(did: str) -> bytes:
    """Read the 32-byte Ed25519 public key out of a ``did:key``.

    Raises:
        ValueError: another kind of DID or of key.
    """
    if not did.startswith(_DID_PREFIX) or len(did) > _DID_KEY_MAX_LENGTH:
        raise ValueError("not the did:key of an Ed25519 key")
    try:
        data = _base58_decode(did.removeprefix(_DID_PREFIX))
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
