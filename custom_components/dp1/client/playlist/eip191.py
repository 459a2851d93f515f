"""Signatures of Ethereum wallets (EIP-191): Keccak-256, and the address of a key recovered from a signature.

No dependency of Home Assistant has either. Nothing here holds a secret, so nothing needs constant time.
Sources: Keccak reference (FIPS 202 before its padding), SEC 1 section 4.1.6, EIP-2, EIP-191, CAIP-10.
"""

import re

_DID = re.compile(r"did:pkh:eip155:[0-9]{1,32}:0x([0-9a-f]{40})", re.IGNORECASE)
_PREFIX = b"\x19Ethereum Signed Message:\n"
_RATE = 136
_LANE = 2**64 - 1

# secp256k1: y² = x³ + 7 over the field of P, with a generator of order N.
_P = 2**256 - 2**32 - 977
_N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_GENERATOR = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)

type _Point = tuple[int, int]


def _rotate(lane: int, bits: int) -> int:
    """Rotate 64 bits to the left."""
    return ((lane << bits) | (lane >> (64 - bits))) & _LANE


def _round_constants() -> list[int]:
    """Compute the constants of the 24 rounds."""
    constants, state = [], 1
    for _ in range(24):
        constant = 0
        for power in range(7):
            constant |= (state & 1) << (2**power - 1)
            state = state << 1 ^ (state >> 7) * 0x171
        constants.append(constant)
    return constants


_ROUNDS = _round_constants()


def _permute(lanes: list[int]) -> list[int]:
    """Apply Keccak-f[1600] to 25 lanes of 64 bits; lane (x, y) is at x + 5 y."""
    for constant in _ROUNDS:
        columns = [
            lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20]
            for x in range(5)
        ]
        parity = [columns[x - 1] ^ _rotate(columns[(x + 1) % 5], 1) for x in range(5)]
        lanes = [lane ^ parity[index % 5] for index, lane in enumerate(lanes)]
        x, y, current = 1, 0, lanes[1]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            index = x + 5 * y
            bits = (step + 1) * (step + 2) // 2 % 64
            current, lanes[index] = lanes[index], _rotate(current, bits)
        lanes = [
            lanes[row + x]
            ^ (~lanes[row + (x + 1) % 5] & _LANE & lanes[row + (x + 2) % 5])
            for row in range(0, 25, 5)
            for x in range(5)
        ]
        lanes[0] ^= constant
    return lanes


def keccak256(data: bytes) -> bytes:
    """Compute the 32 bytes of Keccak-256, as Ethereum uses it (SHA-3 pads differently)."""
    padded = bytearray(data + bytes(_RATE - len(data) % _RATE))
    padded[len(data)] |= 0x01
    padded[-1] |= 0x80
    lanes = [0] * 25
    for start in range(0, len(padded), _RATE):
        for lane in range(_RATE // 8):
            offset = start + 8 * lane
            lanes[lane] ^= int.from_bytes(padded[offset : offset + 8], "little")
        lanes = _permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def _add(one: _Point | None, other: _Point | None) -> _Point | None:
    """Add two points; None is the point at infinity."""
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 != x2:
        slope = (y2 - y1) * pow(x2 - x1, -1, _P)
    elif y1 == y2:
        slope = 3 * x1 * x1 * pow(2 * y1, -1, _P)
    else:
        return None
    x = (slope * slope - x1 - x2) % _P
    return x, (slope * (x1 - x) - y1) % _P


def _recover(hashed: bytes, parity: int, r: int, s: int) -> _Point | None:
    """Recover the public key that made a signature; None if none did."""
    y = pow(r**3 + 7, (_P + 1) // 4, _P)
    if (y * y - r**3 - 7) % _P:
        return None
    ours, inverse = (r, y if y % 2 == parity else _P - y), pow(r, -1, _N)
    by_generator = -int.from_bytes(hashed) * inverse % _N
    by_ours = s * inverse % _N
    sums = (None, _GENERATOR, ours, _add(_GENERATOR, ours))
    result: _Point | None = None
    for bit in range(255, -1, -1):
        which = (by_generator >> bit & 1) + 2 * (by_ours >> bit & 1)
        result = _add(_add(result, result), sums[which])
    return result


def _address(hashed: bytes, v: int, r: int, s: int) -> bytes | None:
    """Recover the address, 20 bytes, whose key made a signature; None if none did."""
    # The other half of the values of s would give every signature a second form (EIP-2).
    if v not in (0, 1, 27, 28) or not 0 < r < _N or not 0 < s <= _N // 2:
        return None
    if (key := _recover(hashed, (v - 27) % 27 % 2, r, s)) is None:
        return None
    return keccak256(b"".join(part.to_bytes(32) for part in key))[-20:]


def address_from_did(did: str) -> bytes:
    """Read the address, 20 bytes, out of a ``did:pkh`` of an Ethereum account.

    Raises:
        ValueError: another kind of DID or of account.
    """
    if (match := _DID.fullmatch(did)) is None:
        raise ValueError("not the did:pkh of an Ethereum account")
    return bytes.fromhex(match[1])


def holds(address: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether the wallet of an address signed a message (``personal_sign``).

    Args:
        address: 20 bytes.
        signature: 65 bytes, ``r || s || v`` as wallets and dp1-go write them, or ``v || r || s`` as dp1-js does;
            ``v`` is 0, 1, 27 or 28.
        message: what was signed.
    """
    hashed = keccak256(_PREFIX + str(len(message)).encode() + message)
    layouts = ((signature[-1], signature[:-1]), (signature[0], signature[1:]))
    return address in (
        _address(hashed, v, int.from_bytes(numbers[:32]), int.from_bytes(numbers[32:]))
        for v, numbers in layouts
    )
