"""Addresses of wallets and contracts, with their checksums verified.

Sources: EIP-55; Tezos' base58check prefixes of tz1, tz2, tz3, tz4 and KT1.
"""

from hashlib import sha256
import re

from ..playlist.eip191 import keccak256

ETHEREUM = "eip155:1"
TEZOS = "tezos:mainnet"

_EVM = re.compile(r"0[xX][0-9a-fA-F]{40}")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_TEZOS = re.compile(rf"(tz[1-4]|KT1)[{_BASE58}]{{33}}")
_PREFIXES = {
    "tz1": bytes([6, 161, 159]),
    "tz2": bytes([6, 161, 161]),
    "tz3": bytes([6, 161, 164]),
    "tz4": bytes([6, 161, 166]),
    "KT1": bytes([2, 90, 121]),
}
# Prefix, hash and checksum.
_TEZOS_BYTES = 27


def chain_of(address: str) -> str | None:
    """Return the chain of an address by its form, in CAIP-2; None if it has none."""
    if _EVM.fullmatch(address):
        return ETHEREUM
    return TEZOS if _TEZOS.fullmatch(address) else None


def checked_address(text: str) -> str:
    """Return an address in the form in which it is compared and asked for: EIP-55, or Tezos as it is.

    Raises:
        ValueError: no address of Ethereum or Tezos, or its checksum is wrong.
    """
    text = text.strip()
    match chain_of(text):
        case "eip155:1":
            return _checked_evm(text)
        case "tezos:mainnet":
            _check_tezos(text)
            return text
    raise ValueError("not an address of Ethereum or Tezos")


def _checked_evm(text: str) -> str:
    """Return an address of Ethereum with its checksum (EIP-55); one in a single case has none to verify."""
    digits = text[2:]
    hashed = keccak256(digits.lower().encode()).hex()
    proper = "".join(
        digit.upper() if int(nibble, 16) >= 8 else digit
        for digit, nibble in zip(digits.lower(), hashed, strict=False)
    )
    if digits not in (proper, digits.lower(), digits.upper()):
        raise ValueError("the checksum is wrong")
    return f"0x{proper}"


def _check_tezos(text: str) -> None:
    """Raise unless the checksum of an address of Tezos is right."""
    number = 0
    for character in text:
        number = number * 58 + _BASE58.index(character)
    try:
        data = number.to_bytes(_TEZOS_BYTES)
    except OverflowError:
        data = b""
    payload, checksum = data[:-4], data[-4:]
    if (
        not payload.startswith(_PREFIXES[text[:3]])
        or sha256(sha256(payload).digest()).digest()[:4] != checksum
    ):
        raise ValueError("the checksum is wrong")
