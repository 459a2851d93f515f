"""Test keys, digests and signatures with vectors of other implementations."""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
import hashlib
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from hypothesis import HealthCheck, given, settings, strategies as st
import pytest

from custom_components.dp1.client.errors import InvalidPlaylistError
from custom_components.dp1.client.playlist.document import parse
from custom_components.dp1.client.playlist.signing import (
    SigningKey,
    canonical,
    did_from_public_key,
    digest,
    payload_hash,
    public_key_from_did,
    read_public_key,
    sign,
    verify,
)

from .documents import json_values, playlist, vectors

from tests.client.tables import tables

TABLES = tables("signing")

ED25519 = vectors("ed25519")
NEGATIVE = vectors("negative")
DOCUMENTS = ED25519["documents"]
KEYS = ED25519["keys"]
SEED = KEYS["curator"]["seed_hex"]
PUBLIC = KEYS["curator"]["public_hex"]
PKCS8 = KEYS["curator"]["pkcs8_der_hex"]
DID = KEYS["curator"]["did_key"]
NOW = datetime(2026, 1, 2, 3, 4, 5, 678, UTC)
KEY = SigningKey.parse(SEED)

by_name = pytest.mark.parametrize("vector", DOCUMENTS, ids=lambda v: v["name"])
often = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def names(cases: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case["name"])


# Vectors


@by_name
def test_digest_byte_for_byte(vector: dict[str, Any]) -> None:
    """Canonical bytes, digest and stated hash are those of other implementations."""
    document = parse(vector["input_text"])
    assert canonical(document).hex() == vector["canonical_hex"]
    assert digest(document).hex() == vector["digest_hex"]
    assert payload_hash(document) == vector["payload_hash"]
    without_line_feed = hashlib.sha256(canonical(document)).hexdigest()
    assert without_line_feed == vector["digest_if_the_LF_is_forgotten_hex"]


@by_name
def test_signatures_byte_for_byte(vector: dict[str, Any]) -> None:
    """Signatures are identical to those of other implementations, and verified."""
    document = parse(vector["input_text"])
    for signer in vector["signers"]:
        document = sign(
            document,
            SigningKey.parse(KEYS[signer["key"]]["seed_hex"]),
            role=signer["role"],
            now=datetime.fromisoformat(signer["ts"]),
        )
    assert document["signatures"] == vector["expected_signatures"]
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    assert text == vector["expected_signed_text"]
    rows = verify(parse(text))
    assert [(row.valid, row.fault) for row in rows] == [(True, None)] * len(rows)
    assert [row.role for row in rows] == [s["role"] for s in vector["signers"]]


@by_name
def test_legacy_signature(vector: dict[str, Any]) -> None:
    """Both notations of the v1.0.x signature are read."""
    document = parse(vector["input_text"])
    key = KEYS[vector["legacy_key"]]
    wanted = vector["expected_legacy_signature_bare_hex"]
    others = [name["did_key"] for name in KEYS.values()]
    for text in (wanted, vector["expected_legacy_signature_0x"]):
        (row,) = verify({**document, "signature": text}, legacy_keys=others)
        assert (row.valid, row.kid) == (True, key["did_key"])


@names(NEGATIVE["cases"])
def test_bad_signatures_are_refused(case: dict[str, Any]) -> None:
    """Signatures that either of the real libraries refuses are refused with a reason."""
    rows = verify(case["document"])
    assert rows
    assert all(row.valid is False and row.fault for row in rows)


@names(NEGATIVE["still_valid"])
def test_what_no_signature_covers_may_change(case: dict[str, Any]) -> None:
    """Changes outside the payload do not invalidate a signature."""
    assert [row.valid for row in verify(case["document"])] == [True]


# Keys


def _pem(der_hex: str) -> str:
    body = b64encode(bytes.fromhex(der_hex)).decode()
    return f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "hexadecimal", [SEED, SEED + PUBLIC, PKCS8], ids=["seed", "64 bytes", "PKCS#8"]
)
@pytest.mark.parametrize(
    "write",
    [
        str,
        str.upper,
        lambda text: "0x" + text,
        lambda text: f"\n {text[:10]} {text[10:]}\t",
        lambda text: b64encode(bytes.fromhex(text)).decode(),
        lambda text: b64encode(bytes.fromhex(text)).decode().rstrip("="),
        lambda text: urlsafe_b64encode(bytes.fromhex(text)).decode(),
    ],
    ids=["hex", "upper", "0x", "blanks", "base64", "unpadded", "base64url"],
)
def test_key_forms(hexadecimal: str, write: Callable[[str], str]) -> None:
    """Keys in the formats of other tools are read."""
    key = SigningKey.parse(write(hexadecimal))
    assert key.did == DID
    assert key.export() == SEED


def test_pem_is_read() -> None:
    assert SigningKey.parse(_pem(PKCS8)).export() == SEED


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        SEED[:-2],
        SEED + "00",
        SEED[:-1] + "g",
        SEED + SEED,
        PKCS8[:-2],
        "correct horse battery staple",
        "ключ",
        "\ud800",
        _pem(PKCS8[:-20]),
        _pem("00"),
        generate_private_key(SECP256R1())
        .private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        .decode(),
    ],
    ids=range(13),
)
def test_bad_keys_are_refused_without_repeating_them(text: str) -> None:
    """The error lists the formats and does not repeat the input."""
    with pytest.raises(ValueError, match="not an Ed25519 private key") as caught:
        SigningKey.parse(text)
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    for piece in (SEED[:8], "horse", text.strip() or SEED):
        assert piece not in str(error)


def test_a_key_shows_only_its_public_part() -> None:
    """The secret is returned by export only."""
    key = SigningKey.generate()
    assert SigningKey.parse(key.export()).did == key.did
    assert repr(key) == str(key) == f"{key}" == f"SigningKey({key.did})"
    assert SigningKey.generate().did != key.did


@pytest.mark.parametrize("name", KEYS)
def test_public_keys_are_read_in_any_form(name: str) -> None:
    """Public keys are read as hex, base64 of either alphabet and DID, with surrounding blanks, and converted both ways."""
    key = KEYS[name]
    raw = bytes.fromhex(key["public_hex"])
    for text in (
        key["public_hex"],
        f"0x{key['public_hex'].upper()}",
        b64encode(raw).decode(),
        urlsafe_b64encode(raw).decode().rstrip("="),
        f" {key['did_key']}\n",
    ):
        assert read_public_key(text) == key["did_key"]
    for wrong in ("", "x", key["public_hex"][2:], f"{key['did_key']}x", "did:web:a"):
        with pytest.raises(ValueError, match=r"key|base|data"):
            read_public_key(wrong)
    assert did_from_public_key(raw) == key["did_key"]
    assert public_key_from_did(key["did_key"]) == raw


@often
@given(st.binary(min_size=32, max_size=32))
def test_any_did_reads_back(public: bytes) -> None:
    did = did_from_public_key(public)
    assert did.startswith("did:key:z6Mk")
    assert public_key_from_did(did) == public


@pytest.mark.parametrize("did", TABLES["no_dids"])
def test_other_dids_are_refused(did: str) -> None:
    with pytest.raises(ValueError, match="not"):
        public_key_from_did(did)


# Digest


@pytest.mark.parametrize(("text", "wanted"), TABLES["canonical"])
def test_canonical_form(text: str, wanted: str) -> None:
    """Numbers are written as in ECMAScript, names sorted by UTF-16 units, and only top-level signatures removed."""
    assert canonical(parse(text)).decode() == wanted


@pytest.mark.parametrize(
    "document",
    [
        {"a": "\ud800"},
        {"\ud800": 1},
        {"a": float("nan")},
        {"a": [10**400]},
        {"a": {1: 2}},
        {"a": {1, 2}},
    ],
)
def test_what_cannot_be_signed(document: dict[str, Any]) -> None:
    """A document without a canonical form raises when signed, and gives an invalid row when verified."""
    with pytest.raises(InvalidPlaylistError):
        digest(document)
    with pytest.raises(InvalidPlaylistError):
        sign(document, KEY, now=NOW)
    signed = sign({}, KEY, now=NOW) | document
    rows = verify({**signed, "signature": "ed25519:" + "0" * 128})
    assert [(r.valid, r.fault) for r in rows] == [(False, "no_canonical_form")] * 2


# Signing


def test_signing_keeps_others_valid() -> None:
    """A signature is added after the others, and the input is not changed."""
    document = playlist()
    once = sign(document, KEY, now=NOW)
    other = SigningKey.generate()
    twice = sign(once, other, role="agent", now=NOW)
    assert "signatures" not in document
    assert len(once["signatures"]) == 1
    assert [(row.kid, row.role, row.valid) for row in verify(twice)] == [
        (KEY.did, "curator", True),
        (other.did, "agent", True),
    ]


def test_signing_again_replaces_the_own_signature() -> None:
    stranger = SigningKey.generate()
    document = sign(sign(playlist(), KEY, now=NOW), stranger, now=NOW)
    changed = sign({**document, "title": "Other"}, KEY, now=NOW + timedelta(hours=1))
    assert [(row.kid, row.valid) for row in verify(changed)] == [
        (stranger.did, False),
        (KEY.did, True),
    ]
    assert changed["signatures"][1]["ts"] == "2026-01-02T04:04:05Z"
    assert len(sign(document, KEY, role="agent", now=NOW)["signatures"]) == 3


def test_time_is_written_in_utc() -> None:
    local = NOW.astimezone(timezone(timedelta(hours=9)))
    assert sign({}, KEY, now=local)["signatures"][0]["ts"] == "2026-01-02T03:04:05Z"


@pytest.mark.parametrize("present", ["nonsense", {}, None, 5])
def test_signing_over_nonsense(present: Any) -> None:
    """A value that is no list of signatures is replaced."""
    signed = sign(playlist(signatures=present), KEY, now=NOW)
    assert [row.valid for row in verify(signed)] == [True]


# Verifying


def test_unsigned() -> None:
    assert verify(playlist()) == []
    assert verify(playlist(signatures=[], signature=None)) == []


@pytest.mark.parametrize(("change", "reason"), TABLES["malformed"])
def test_malformed_entries(change: dict[str, Any], reason: str) -> None:
    good = sign(playlist(), KEY, now=NOW)["signatures"][0]
    rows = verify(playlist(signatures=[good, {**good, **change}, "text", good]))
    assert [(row.valid, row.fault) for row in rows] == [
        (True, None),
        (False, reason),
        (False, "not_an_object"),
        (True, None),
    ]


def test_other_ways_to_write_a_good_signature_are_refused() -> None:
    """Padding, the other alphabet, blanks, and stray bits in the last character are refused."""
    document = sign(playlist(), KEY, now=NOW)
    entry = document["signatures"][0]
    sig = entry["sig"]
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    stray = sig[:-1] + last[last.index(sig[-1]) + 1]
    for text in (sig + "==", sig + "\n", " " + sig, sig[:40] + "\n" + sig[40:], stray):
        (row,) = verify(playlist(signatures=[{**entry, "sig": text}]))
        assert row.valid is False


def _dated(ts: str) -> dict[str, Any]:
    """Sign a playlist and change the time of the signature, which no signature covers."""
    entry = sign(playlist(), KEY, now=NOW)["signatures"][0]
    return playlist(signatures=[{**entry, "ts": ts}])


def test_dates_ahead_have_a_reason() -> None:
    """A time more than five minutes in the future is reported, but the signature is valid."""
    for ts, reason in (
        ("2026-01-02T03:09:05Z", None),
        ("2026-01-02T03:09:06Z", "ahead"),
        ("2026-01-02T04:00:00+01:00", None),
        ("2999-01-01T00:00:00Z", "ahead"),
        ("soon", None),
    ):
        (row,) = verify(_dated(ts), now=NOW)
        assert (row.valid, row.fault) == (True, reason), ts
    assert verify(_dated("2999-01-01T00:00:00Z"))[0].fault


def test_only_so_many_signatures_are_checked() -> None:
    entry = sign(playlist(), KEY, now=NOW)["signatures"][0]
    rows = verify(playlist(signatures=[entry] * 150))
    assert [row.valid for row in rows] == [True] * 100 + [None]
    assert (rows[-1].fault, rows[-1].detail) == ("too_many", "100")


def test_legacy_signature_without_its_key() -> None:
    """A legacy signature without a known key is not verified, rather than invalid."""
    document = playlist(signature=f"ed25519:{KEY.sign(digest(playlist())).hex()}")
    (unknown,) = verify(document)
    assert (unknown.valid, unknown.kid, unknown.role) == (None, None, None)
    assert unknown.fault
    (wrong,) = verify(document, legacy_keys=[KEYS["feed"]["did_key"]])
    assert wrong.valid is False
    (changed,) = verify({**document, "title": "Other"}, legacy_keys=[DID])
    assert changed.valid is False
    both = verify(sign(document, KEY, now=NOW), legacy_keys=[DID])
    assert [row.valid for row in both] == [True, True]


@pytest.mark.parametrize("value", TABLES["malformed_legacy"])
def test_malformed_legacy_signature(value: Any) -> None:
    (row,) = verify(playlist(signature=value), legacy_keys=[DID])
    assert row.valid is False
    assert row.fault


@often
@given(json_values, json_values)
def test_verifying_never_raises(signatures: Any, signature: Any) -> None:
    """Any JSON in place of signatures gives invalid rows."""
    rows = verify(playlist(signatures=signatures, signature=signature))
    assert all(row.valid is False and row.fault for row in rows)
    entry = sign(playlist(), KEY, now=NOW)["signatures"][0]
    for name in entry:
        (row,) = verify(playlist(signatures=[{**entry, name: signatures}]))
        assert row.fault or name in ("ts", "role")


@often
@given(st.dictionaries(st.text("abc", max_size=2), json_values, max_size=4))
def test_any_document_signs_and_verifies(document: dict[str, Any]) -> None:
    signed = sign(document, KEY, role="feed", now=NOW)
    again = json.loads(json.dumps(signed))
    assert [row.valid for row in verify(again)] == [True]
