"""Test signatures of Ethereum wallets with vectors of other implementations and variations of them."""

from base64 import urlsafe_b64encode
import hashlib
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
)
from cryptography.hazmat.primitives.hashes import SHA256
import pytest

from custom_components.dp1.client.playlist.document import parse
from custom_components.dp1.client.playlist.eip191 import (
    address_from_did,
    holds,
    keccak256,
)
from custom_components.dp1.client.playlist.signing import payload_hash, verify

from .documents import vectors

from tests.client.tables import tables
from tests.client.timing import seconds

TABLES = tables("eip191")

VECTOR = vectors("eip191")
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
LAYOUTS = ("dp1_js", "wallet")
DIGEST = bytes.fromhex(VECTOR["digest_hex"])
ADDRESS = bytes.fromhex(VECTOR["address_eip55"][2:])
WALLET = bytes.fromhex(VECTOR["wallet"]["sig_hex"])
R_S, V = WALLET[:64], WALLET[64] - 27
DOCUMENT = parse(
    next(
        document["input_text"]
        for document in vectors("ed25519")["documents"]
        if document["name"] == VECTOR["document"]
    )
)


def signed(**changes: Any) -> dict[str, Any]:
    entry = {
        "alg": "eip191",
        "kid": VECTOR["wallet"]["kid"],
        "ts": "2026-01-02T03:04:05Z",
        "payload_hash": VECTOR["payload_hash"],
        "role": "curator",
        "sig": VECTOR["wallet"]["sig"],
    }
    return {**DOCUMENT, "signatures": [{**entry, **changes}]}


def written(signature: bytes) -> str:
    """Return a signature in the form of an entry."""
    return urlsafe_b64encode(signature).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
        (b"abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"),
        (b"transfer(address,uint256)", "a9059cbb"),
    ],
)
def test_keccak(data: bytes, wanted: str) -> None:
    """Known hashes are computed; the last is a well-known function selector."""
    assert keccak256(data).hex().startswith(wanted)


def test_keccak_of_every_length_near_a_block() -> None:
    """Hashes of all lengths differ, including those where the padding fills one byte or a whole block."""
    assert len({keccak256(bytes(length)) for length in range(130, 140)}) == 10


@pytest.mark.parametrize("layout", LAYOUTS)
def test_vectors(layout: str) -> None:
    """Both layouts of the 65 bytes are verified, with the address in any case."""
    vector = VECTOR[layout]
    assert payload_hash(DOCUMENT) == VECTOR["payload_hash"]
    for kid in (
        vector["kid"],
        vector["kid"].lower(),
        vector["kid"].replace(":1:", ":137:"),
    ):
        (row,) = verify(signed(kid=kid, sig=vector["sig"]))
        assert (row.valid, row.fault, row.kid) == (True, None, kid)


@pytest.mark.parametrize("v", [V, V + 27])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_both_ways_to_write_v(layout: str, v: int) -> None:
    """The parity is 0 or 1, or 27 more; the other parity belongs to another wallet."""
    for parity, wanted in ((v, True), (v ^ 1 if v < 2 else 55 - v, False)):
        mark = bytes([parity])
        signature = mark + R_S if layout == "dp1_js" else R_S + mark
        assert holds(ADDRESS, signature, DIGEST) is wanted


@pytest.mark.parametrize("layout", LAYOUTS)
def test_flipped_signatures_are_refused(layout: str) -> None:
    sig = bytes.fromhex(VECTOR[layout]["sig_hex"])
    for place in range(0, 65, 8):
        flipped = bytearray(sig)
        flipped[place] ^= 1
        (row,) = verify(signed(sig=written(bytes(flipped))))
        assert (row.valid, row.fault) == (False, "does_not_fit")


@pytest.mark.parametrize(
    ("signature", "what"),
    [
        (R_S[:32] + (ORDER - int.from_bytes(R_S[32:])).to_bytes(32) + bytes([V ^ 1]), "high s"),
        (R_S + bytes([29]), "v of 29"),
        (R_S + bytes([2]), "v of 2"),
        (bytes(64) + bytes([V]), "zeros"),
        (R_S[:32] + bytes(32) + bytes([V]), "s of 0"),
        (ORDER.to_bytes(32) + R_S[32:] + bytes([V]), "r of the order"),
        (b"\xff" * 65, "ones"),
        ((5).to_bytes(32) + R_S[32:] + bytes([V]), "r of no point"),
    ],
)  # fmt: skip
def test_what_no_wallet_writes(signature: bytes, what: str) -> None:
    """Numbers out of range and malleable signatures are refused."""
    assert not holds(ADDRESS, signature, DIGEST), what


def test_a_key_at_infinity_is_none() -> None:
    hashed = keccak256(b"\x19Ethereum Signed Message:\n32" + DIGEST)
    # R is the generator, so that s = z gives the point at infinity; s = z + z would give the generator.
    r = 0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798
    s = int.from_bytes(hashed) % ORDER
    parity = 0 if s <= ORDER // 2 else 1
    s = min(s, ORDER - s)
    signature = r.to_bytes(32) + s.to_bytes(32) + bytes([parity])
    assert not holds(ADDRESS, signature, DIGEST)


@pytest.mark.parametrize(("changes", "reason"), TABLES["malformed"])
def test_malformed_entries(changes: dict[str, Any], reason: str) -> None:
    (row,) = verify(signed(**changes))
    assert (row.valid, row.fault) == (False, reason)


def test_a_changed_document() -> None:
    """A signature is invalid for a changed document, also if the digest is updated."""
    document = {**signed(), "title": "Other"}
    assert verify(document)[0].valid is False
    document["signatures"][0]["payload_hash"] = payload_hash(document)
    (row,) = verify(document)
    assert (row.valid, row.fault) == (False, "does_not_fit")


def test_signatures_of_many_keys() -> None:
    """Signatures of `cryptography` are recovered with one of the two parities."""
    for number in range(1, 6):
        key = ec.derive_private_key(
            int.from_bytes(hashlib.sha256(bytes([number])).digest()) % ORDER,
            ec.SECP256K1(),
        )
        public = key.public_key().public_numbers()
        address = keccak256(public.x.to_bytes(32) + public.y.to_bytes(32))[-20:]
        message = b"message %d" % number
        hashed = keccak256(b"\x19Ethereum Signed Message:\n9" + message)
        r, s = decode_dss_signature(key.sign(hashed, ec.ECDSA(Prehashed(SHA256()))))
        numbers = r.to_bytes(32) + min(s, ORDER - s).to_bytes(32)
        found = [holds(address, numbers + bytes([v]), message) for v in (27, 28)]
        assert sorted(found) == [False, True]


@pytest.mark.parametrize(
    "did", ["", "did:pkh:eip155:1:0x", "did:pkh:eip155::0x" + "a" * 40, "x" * 10_000]
)
def test_other_dids_are_refused(did: str) -> None:
    with pytest.raises(ValueError, match="not the did:pkh"):
        address_from_did(did)


def test_one_check_takes_milliseconds() -> None:
    """A check takes little processor time; 4 ms were measured."""
    assert seconds(lambda: [verify(signed()) for _ in range(5)]) / 5 < 0.04
