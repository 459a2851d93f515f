"""Test validating, building and preparing DP-1 documents."""

from contextlib import suppress
from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
import json
import re
from typing import Any

from hypothesis import HealthCheck, assume, example, given, settings, strategies as st
import pytest

from custom_components.dp1.client.errors import InvalidPlaylistError
from custom_components.dp1.client.feed.drafts import normalize
from custom_components.dp1.client.playlist.document import (
    build,
    build_item,
    check,
    check_playable,
    effective_duration,
    for_display,
    parse,
    slugify,
    validate,
)
from custom_components.dp1.client.playlist.schema import path_text
from custom_components.dp1.client.playlist.signing import (
    SigningKey,
    canonical,
    sign,
    verify,
)

from ..timing import most_memory
from .documents import (
    DID,
    FULL,
    ITEM,
    SHA256,
    json_values,
    one_item,
    places,
    playlist,
    texts,
    vectors,
)

NOW = datetime(2026, 11, 21, 12, 30, 15, 999999, UTC)
UUID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)
VERDICTS = vectors("validation")["cases"]
CHANGES = vectors("changes")

often = settings(
    max_examples=75,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def faults(document: Any) -> dict[str, str]:
    return {fault.path: fault.message for fault in validate(document)}


def expected_path(first: str) -> str:
    """Convert the first fault of a JSON schema validator into a path of ours."""
    pointer, _, message = first.partition(": ")
    parts = [part for part in pointer.split("/") if part]
    if required := re.match(r"'(\w+)' is a required property", message):
        parts.append("items" if required[1] == "dynamicQuery" else required[1])
    return "".join(
        f"[{part}]" if part.isdigit() else f".{part}" for part in parts
    ).lstrip(".")


@pytest.mark.parametrize("case", VERDICTS, ids=lambda case: case["name"])
def test_verdict_is_that_of_the_schemas(case: dict[str, Any]) -> None:
    """The result is that of the v1.1.0 schemas with the playlists extension, with the same path."""
    verdict = case["spec_with_playlists_extension"]
    found = faults(case["document"])
    assert (not found) is verdict["valid"], found
    if not verdict["valid"]:
        assert expected_path(verdict["first"]) in found


def test_verdict_on_any_change_of_any_field() -> None:
    """After any single change the result is that of the schemas, and the path is near it."""
    differences = []
    for change in CHANGES["changes"]:
        document = deepcopy(CHANGES["document"])
        *inner, last = change["path"]
        holder = document
        for name in inner:
            holder = holder[name]
        if "value" in change:
            holder[last] = change["value"]
        else:
            del holder[last]
        place = path_text(change["path"])
        found = faults(document)
        near = [
            path for path in found if path.startswith(place) or place.startswith(path)
        ]
        if change["valid"] is bool(found) or len(near) < len(found):
            differences.append((change, found))
    assert not differences


@pytest.mark.parametrize(
    ("document", "valid"),
    [
        # Real TypeScript feeds write 0x; without this every playlist of theirs would be invalid.
        (playlist(signature="ed25519:0x" + "ab" * 64), True),
        # Version 1.0.x allows longer titles, hashes with 0x, and dynamicQueries.
        (playlist(dpVersion="1.0.0", title="x" * 256), True),
        (one_item(repro={"assetsSHA256": ["0x" + SHA256]}) | {"dpVersion": "1.0.3"}, True),
        (playlist(dpVersion="1.0.0", items=[], dynamicQueries=[{"endpoint": "https://a.example"}]), True),
        # The schema has no rule for refHash, but every decoder expects text.
        (one_item(refHash=5), False),
    ],
    ids=["0x-signature", "1.0-title", "1.0-hash", "1.0-dynamic", "refHash"],
)  # fmt: skip
def test_deliberate_differences(document: dict[str, Any], valid: bool) -> None:
    """The result deliberately differs from the schemas in these cases."""
    assert (not validate(document)) is valid


def test_tolerance_for_the_old_version_has_limits() -> None:
    """The exceptions for 1.0.x are limited, and do not apply to 1.1.0."""
    old = one_item(display={"scaling": "contain"}, provenance={"type": "onChain"}) | {
        "dpVersion": "1.0.0",
        "title": "x" * 257,
    }
    assert faults(old).keys() == {
        "title",
        "items[0].display.scaling",
        "items[0].provenance.contract",
    }
    assert "dynamicQueries" not in faults(playlist(items=[], dynamicQueries=[{}]))
    assert "items" in faults(playlist(items=[], dynamicQueries=[{}]))


def test_every_field_is_known() -> None:
    """A document with every field is valid, and an invalid value in any of them is found."""
    assert not validate(FULL)
    check(FULL)
    for path in places(FULL):
        if "override" in path[:-1]:
            continue
        spoilt = deepcopy(FULL)
        parent: Any = spoilt
        for step in path[:-1]:
            parent = parent[step]
        was_object = isinstance(parent[path[-1]], dict)
        parent[path[-1]] = "text" if was_object else {"no": ["such", "value"]}
        found = faults(spoilt)
        wanted = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path)
        assert any(place.startswith(wanted.lstrip(".")) for place in found), path


def test_all_faults_at_once() -> None:
    """Faults of all items and depths are reported together."""
    document = {
        "title": "",
        "items": [
            {"source": "art.example", "duration": "60"},
            "work",
            {**ITEM, "provenance": {"type": "onChain", "contract": {"tokenId": 42}}},
            {**ITEM, "display": {"interaction": {"mouse": {"click": "yes"}}}},
        ],
        "curators": [{"key": "alice"}, None],
        "signatures": [],
    }
    assert faults(document) == {
        "dpVersion": "is required",
        "title": "expected text of 1 to 200 characters, not empty text",
        "items[0].source": 'expected a URI like https://art.example/work.html, not "art.example"',
        "items[0].duration": 'expected a number of seconds, 0 or more, not "60"',
        "items[1]": 'expected an object, not "work"',
        "items[2].provenance.contract.tokenId": "expected text, not 42",
        "items[3].display.interaction.mouse.click": 'expected true or false, not "yes"',
        "curators[0].name": "is required",
        "curators[0].key": 'expected a DID, like did:key:z6Mk…, not "alice"',
        "curators[1]": "expected an object, not null",
        "signatures": "expected a list of signatures, not an empty list",
    }


@pytest.mark.parametrize(
    ("document", "path", "message"),
    [
        (playlist(title="x" * 201), "title", "expected at most 200 characters, not 201"),
        (one_item(source="https://a.example/a b"), "items[0].source", "' ' has to be written as %20 in a URI"),
        (one_item(source="https://ä.example/"), "items[0].source", "https://ä.example has to be written as https://xn--4ca.example"),
        (one_item(source="https://a.example/ä"), "items[0].source", "'ä' has to be written as %C3%A4 in a URI"),
        (one_item(display={"scaling": "Contain"}), "items[0].display.scaling", '"Contain" is written "fit"'),
        (one_item(display={"scaling": "tile"}), "items[0].display.scaling", 'expected one of fit, fill, stretch, auto, not "tile"'),
        (one_item(display={"background": "#0af"}), "items[0].display.background", '"#0af" is written "#00aaff"'),
        (one_item(provenance={"type": "onChain", "contract": {"chain": "ethereum"}}), "items[0].provenance.contract.chain", '"ethereum" is written "evm"'),
        (one_item(provenance={"type": "onChain", "contract": {"standard": "ERC-721"}}), "items[0].provenance.contract.standard", '"ERC-721" is written "erc721"'),
        (playlist(created="2026-12-01T08:00:00"), "created", '"2026-12-01T08:00:00" has no zone: it is written "2026-12-01T08:00:00Z" in UTC'),
        (one_item(source="data:text/html,<p>"), "items[0].source", "'<' has to be written as %3C in a URI"),
        (one_item(display={"userOverrides": {"a b": 1}}), 'items[0].display.userOverrides["a b"]', "expected true or false, not 1"),
        (playlist(title="x" * 100, slug="y" * 60 + "_"), "slug", f'expected lower-case words joined by -, not "{"y" * 40}…"'),
        (playlist(items=[]), "items", "expected at least one item"),
        (playlist(note={"text": "a", "duration": 0}), "note.duration", "expected a number of seconds above 0, not 0"),
        (playlist(defaults=[]), "defaults", "expected an object, not an empty list"),
        (playlist(summary=True), "summary", "expected text of 1 to 2000 characters, not true"),
        (one_item(duration=False), "items[0].duration", "expected a number of seconds, 0 or more, not false"),
        (one_item(duration=-1e300), "items[0].duration", "expected a number of seconds, 0 or more, not a number"),
        (one_item(display={"keyboard": 1, "interaction": {"keyboard": [1]}}), "items[0].display.interaction.keyboard[0]", "expected text, not 1"),
        ([], "", "expected an object, not an empty list"),
        (None, "", "expected an object, not null"),
        ("{}", "", 'expected an object, not "{}"'),
        (playlist(created=datetime(2026, 1, 1, tzinfo=UTC)), "created", "expected a date and time with zone, not datetime"),
    ],
)  # fmt: skip
def test_messages(document: Any, path: str, message: str) -> None:
    """A message has the expected and the actual value."""
    assert faults(document) == {path: message}


GOOD_AND_BAD: dict[str, tuple[list[Any], list[Any]]] = {
    "dpVersion": (["0.9.0", "10.20.30"], ["", "1.1.0\n", "v1.1.0", "1.1.0.0", "١.1.0"]),
    "id": (
        ["385F79B6-A45F-4C1C-8080-E93A192ADCCC", "00000000-0000-0000-0000-000000000000"],
        ["385f79b6a45f4c1c8080e93a192adccc", "{385f79b6-a45f-4c1c-8080-e93a192adccc}", ""],
    ),
    "slug": (["a", "1-2"], ["", "-a", "a-", "ä", "a\n"]),
    "created": (
        ["2026-01-01t00:00:00z", "2026-11-21T04:13:05.634250947Z", "2024-02-29T23:59:59-23:59"],
        ["2026-02-29T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-13-01T00:00:00Z",
         "2026-01-01T24:00:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+24:00", "0000-01-01T00:00:00Z"],
    ),
    "coverImage": (
        ["ar://x", "ipfs:x", "urn:a:b", "https:", "http://[::1]:80/?#", "https://u:p@h.example:/%20?a=/?#?"],
        ["//a.example", "a", ":a", "1a:b", "https://a b", "https://a/%2", "https://a/%zz", "https://a#b#c",
         "https://[::1", "https://a\\b", "https://a.example/[", "https://a:b@c:d", "https://a.example/\n"],
    ),
    "title": (["x", "😀" * 200, " "], ["x" * 201]),
    "summary": (["x" * 2000], ["x" * 2001, ""]),
    "dynamicQuery": ([], [None, {}, {**FULL["dynamicQuery"], "method": "PUT"}, {**FULL["dynamicQuery"], "headers": {"a": 1}}]),
    "dynamicQueries": ([None, 5], []),
    "signature": (["ed25519:ab"], ["ed25519:AB", "ed25519:", "rsa:ab"]),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD_AND_BAD)
def test_forms(name: str) -> None:
    """The formats of the fields are checked at their limits."""
    good, bad = GOOD_AND_BAD[name]
    for value in good:
        assert not validate(playlist(**{name: value})), value
    for value in bad:
        found = validate(playlist(**{name: value}))
        assert found, value
        assert all(fault.path.startswith(name) for fault in found)


@pytest.mark.parametrize(
    ("changes", "valid"),
    [
        ({"provenance": {"type": "onChain", "contract": {"seriesId": 7.0}}}, True),
        ({"provenance": {"type": "onChain", "contract": {"seriesId": 7.5}}}, False),
        ({"provenance": {"type": "onChain", "contract": {"seriesId": "7"}}}, False),
        ({"provenance": {"type": "seriesRegistry"}}, False),
        ({"provenance": {"type": "offChainURI", "contract": {}}}, True),
        ({"provenance": {"contract": {}}}, False),
        ({"duration": 10**400}, True),
        ({"duration": 1e-300}, True),
        ({"display": {"margin": "5 px"}}, False),
        ({"display": {"margin": "1.5vw"}}, True),
        ({"display": {"margin": -1}}, False),
        ({"display": {"margin": True}}, False),
        ({"display": {"background": "#11223344"}}, False),
        ({"repro": {"seed": "1a"}}, False),
        ({"repro": {"engineVersion": {"servo": 1}}}, True),
        ({"override": []}, False),
        ({"unknown": object}, True),
    ],
)
def test_items(changes: dict[str, Any], valid: bool) -> None:
    """The formats of the fields of an item are checked at their limits."""
    assert (not validate(one_item(**changes))) is valid


def test_signature_entries_are_checked() -> None:
    """Every field of a signature entry is required and checked."""
    entry = {
        "alg": "ed25519",
        "kid": DID,
        "ts": "2026-01-01T00:00:00Z",
        "payload_hash": "sha256:" + SHA256,
        "role": "curator",
        "sig": "abc_-",
    }
    assert not validate(playlist(signatures=[entry]))
    for name in entry:
        bad = faults(playlist(signatures=[{**entry, name: "?"}]))
        assert bad.keys() == {f"signatures[0].{name}"}
        missing = {key: value for key, value in entry.items() if key != name}
        assert faults(playlist(signatures=[missing])) == {
            f"signatures[0].{name}": "is required"
        }


# Reading


def test_parse_reads_text_and_objects() -> None:
    """Text and objects give a copy with unknown fields and large numbers unchanged."""
    text = '{"title": "a", "x": {"y": [1, 9007199254740993, 1.5, null]}, "title": "b"}'
    assert parse(text) == {"title": "b", "x": {"y": [1, 2**53 + 1, 1.5, None]}}
    given_object = {"a": ({"b": 1},)}
    read = parse(given_object)
    assert read == {"a": [{"b": 1}]}
    read["a"][0]["b"] = 2
    assert given_object == {"a": ({"b": 1},)}


def test_text_from_outside_can_always_be_shown() -> None:
    """Lone surrogates and control characters are in neither documents nor messages."""
    assert parse('{"x": "\\ud83d\\ude00 \\n"}') == {"x": "\U0001f600 \n"}
    bad = "a\ud800\n\x1b"
    found = faults(one_item(license=bad, display={"userOverrides": {bad: 1}}))
    assert found == {
        "items[0].license": 'expected one of open, token, subscription, not "a\ufffd\ufffd\ufffd"',
        'items[0].display.userOverrides["a\ufffd\ufffd\ufffd"]': "expected true or false, not 1",
    }
    assert faults(playlist(coverImage="https://\ud800")) == {
        "coverImage": r"'\ud800' has to be written as %3F in a URI"
    }


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("", ""),
        ("{", ""),
        ("<html>", ""),
        ("[]", ""),
        ("null", ""),
        ('"{}"', ""),
        ('{"a": [NaN]}', "a[0]"),
        ('{"a": -Infinity}', "a"),
        ('{"a": 1e999}', "a"),
        ('{"a": 1' + "0" * 400 + "}", "a"),
        ('{"a": 1' + "0" * 5000 + "}", ""),
        ({"a": {"b": {1, 2}}}, "a.b"),
        ({"a": Decimal(1)}, "a"),
        ({"a": {0: 1}}, "a[0]"),
        ([], ""),
        (5, ""),
        (b"\xff", ""),
        ('\ufeff{"a": 1}', ""),
        (b'\xef\xbb\xbf{"a": 1}', ""),
        ('{"a": "\\ud800"}', "a"),
        ('{"a": {"\\udc00": 1}}', "a"),
        ({"a": ["\ud800"]}, "a[0]"),
        ("{\ud800", ""),
        ('"' + "x" * 6_000_000 + '"', ""),
        ({"a": "x" * 6_000_000}, ""),
        ({"a": [0] * 200_000}, ""),
        ('{"a": [' + "0," * 200_000 + "0]}", ""),
    ],
)
def test_parse_refuses_what_is_not_json(value: Any, path: str) -> None:
    """Invalid JSON raises one error type, with the position."""
    with pytest.raises(InvalidPlaylistError) as caught:
        parse(value)
    assert [fault.path for fault in caught.value.faults] == [path]


@pytest.mark.parametrize("depth", [32, 100, 100_000])
def test_depth_is_limited(depth: int) -> None:
    """A document that is nested too deeply raises, as text and as an object."""
    with pytest.raises(InvalidPlaylistError):
        parse('{"a":' + "[" * depth + "]" * depth + "}")
    nested: Any = []
    for _ in range(depth):
        nested = [nested]
    with pytest.raises(InvalidPlaylistError):
        parse({"a": nested})
    assert not validate(one_item(override={"a": nested}))


# Requirements of a display


@pytest.mark.parametrize(
    "document",
    [
        one_item(source="data:text/html,<p>hi</p>"),
        one_item(source="data:image/png;base64,aGk="),
        one_item(source="DATA:;BASE64,aGk"),
        one_item(source="data:image/png;base64, %20a%47%6b%2B%0A 8%3D= "),
        one_item(source="HTTP://192.0.2.7:8123/a b.jpg"),
        one_item(display={"scaling": "contain", "userOverrides": {"a": True}}, title=None),
        playlist(items=[], dynamicQuery={"profile": "x"}),
        playlist(items=[], dynamicQueries=[{}]),
        {"items": [ITEM]},
        one_item(display={"userOverrides": None, "interaction": None}, provenance=None) | {"curators": None},
        playlist(signatures=[], unknown=5),
        FULL,
    ],
)  # fmt: skip
def test_playable(document: dict[str, Any]) -> None:
    """A display accepts documents that the schemas do not."""
    check_playable(document)


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (playlist(items=[]), "items"),
        (playlist(items=None), "items"),
        ({"title": "a", "dpVersion": "1.1.0"}, "items"),
        (playlist(items={}), "items"),
        (playlist(items=[None]), "items[0].source"),
        (playlist(items=["a"]), "items[0]"),
        (playlist(title=5), "title"),
        (playlist(dpVersion=1.1), "dpVersion"),
        (one_item(source=None), "items[0].source"),
        (one_item(source=5), "items[0].source"),
        (one_item(source=""), "items[0].source"),
        (one_item(source="ipfs://bafy"), "items[0].source"),
        (one_item(source="art.html"), "items[0].source"),
        (one_item(source="https:art"), "items[0].source"),
        (one_item(source="https://"), "items[0].source"),
        (one_item(source="data:text/html"), "items[0].source"),
        (one_item(source="data:text/html,"), "items[0].source"),
        (one_item(source="data:image/png;base64,a%"), "items[0].source"),
        (one_item(source="data:image/png;base64,%20 "), "items[0].source"),
        (one_item(source="data:image/png;base64,%C3%A9"), "items[0].source"),
        (one_item(source="data:image/png;base64,a=b"), "items[0].source"),
        (one_item(duration="60"), "items[0].duration"),
        (one_item(license=1), "items[0].license"),
        (one_item(display={"userOverrides": True}), "items[0].display.userOverrides"),
        (one_item(display={"userOverrides": {"a": 1}}), "items[0].display.userOverrides.a"),
        (one_item(provenance={"contract": {"seriesId": "7"}}), "items[0].provenance.contract.seriesId"),
        (one_item(provenance={"contract": {"seriesId": 7.0}}), "items[0].provenance.contract.seriesId"),
        (one_item(provenance={"contract": {"seriesId": 2**64}}), "items[0].provenance.contract.seriesId"),
        (one_item(provenance={"dependencies": {}}), "items[0].provenance.dependencies"),
        (playlist(defaults={"duration": "5"}), "defaults.duration"),
        ([], ""),
        (None, ""),
    ],
)  # fmt: skip
def test_not_playable(document: Any, path: str) -> None:
    """Documents that a display would refuse without a reason are not playable."""
    with pytest.raises(InvalidPlaylistError) as caught:
        check_playable(document)
    assert [fault.path for fault in caught.value.faults] == [path]


# Building


def test_build_leaves_out_what_is_empty() -> None:
    """Empty values are left out, except zero and false."""
    bare = build("Hall", [build_item("https://a.example/")])
    assert bare == {
        "dpVersion": "1.1.0",
        "title": "Hall",
        "items": [{"source": "https://a.example/"}],
    }
    item = build_item(
        " https://ü.example/[a b]?q=100%&x=%20#[1]#2 ",
        title="",
        duration=0,
        license="open",
        display={"loop": False},
        provenance={},
        ref="https://a.example/ref",
    )
    assert item == {
        "source": "https://xn--tda.example/%5Ba%20b%5D?q=100%25&x=%20#%5B1%5D%232",
        "duration": 0,
        "license": "open",
        "ref": "https://a.example/ref",
        "display": {"loop": False},
    }
    assert build_item("http://[::1]:80/[")["source"] == "http://[::1]:80/%5B"
    full = build(
        "Hall",
        [],
        defaults={"duration": 0},
        summary="Two",
        coverImage="https://a.example/%C3%A4.png",
        id=FULL["id"],
        created="2026-01-01T00:00:00Z",
    )
    assert full == {
        "dpVersion": "1.1.0",
        "title": "Hall",
        "id": FULL["id"],
        "created": "2026-01-01T00:00:00Z",
        "summary": "Two",
        "coverImage": "https://a.example/%C3%A4.png",
        "defaults": {"duration": 0},
        "items": [],
    }


sources = st.builds(
    lambda scheme, rest: f"{scheme}://art.example/{rest}",
    st.sampled_from(["http", "https", "ipfs"]),
    texts,
)
displays = st.fixed_dictionaries(
    {},
    optional={
        "scaling": st.sampled_from(["fit", "fill", "stretch", "auto"]),
        "margin": st.integers(0, 100) | st.floats(0, 1e9) | st.just("2.5vw"),
        "background": st.sampled_from(["#A0b1c2", "transparent"]),
        "autoplay": st.booleans(),
        "loop": st.booleans(),
        "userOverrides": st.dictionaries(texts, st.booleans(), max_size=3),
        "interaction": st.fixed_dictionaries(
            {},
            optional={
                "keyboard": st.lists(texts, max_size=2),
                "mouse": st.fixed_dictionaries({}, optional={"click": st.booleans()}),
            },
        ),
    },
)
items = st.builds(
    build_item,
    sources,
    title=st.none() | texts,
    duration=st.none() | st.integers(0, 10**20) | st.floats(0, 1e300),
    license=st.sampled_from([None, "open", "token", "subscription"]),
    display=st.none() | displays,
    provenance=st.none()
    | st.builds(
        lambda token: {"type": "onChain", "contract": {"tokenId": token}}, texts
    ),
)
playlists = st.builds(
    build,
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200),
    st.lists(items, min_size=1, max_size=4),
    defaults=st.none() | st.fixed_dictionaries({"display": displays}),
    summary=st.none() | texts,
)
KEY = SigningKey.generate()
SIGNER = {"name": "Home", "key": KEY.did}


@often
@example(build("Hall", [build_item("https://a.example/", duration=2**64 + 1)]))
@example(build("Hall", [build_item("https://a.example/", duration=2**53 + 1)]))
@given(playlists)
def test_whatever_is_built_can_be_published(document: dict[str, Any]) -> None:
    """A built document is valid, can be signed and verified, and survives canonicalization and JSON."""
    check(document)
    ready, left_out = normalize(document, now=NOW, curator=SIGNER)
    assert not left_out
    signed = sign(ready, KEY, now=NOW)
    check(signed)
    check_playable({**signed, "items": [ITEM]})
    assert [row.valid for row in verify(signed)] == [True]
    back = parse(json.dumps(signed))
    assert back == signed
    assert [row.valid for row in verify(back)] == [True]
    assert canonical(json.loads(canonical(signed))) == canonical(signed)
    assert normalize(ready, now=NOW, curator=SIGNER) == (ready, [])


@often
@given(playlists, st.data())
def test_any_changed_byte_is_noticed(
    document: dict[str, Any], data: st.DataObject
) -> None:
    """After any changed byte the document or its signature is invalid."""
    signed = sign(document, KEY, now=NOW)
    payload = bytearray(canonical(signed))
    position = data.draw(st.integers(0, len(payload) - 1))
    payload[position] ^= data.draw(st.integers(1, 255))
    try:
        changed = parse(payload.decode())
        same = canonical(changed) == canonical(document)
    except InvalidPlaylistError, UnicodeDecodeError:
        return
    assume(not same)
    rows = verify({**changed, "signatures": signed["signatures"]})
    assert rows[0].valid is False


@often
@given(st.sampled_from(places(FULL)), st.none() | json_values, st.booleans())
def test_a_mutated_document_never_crashes(
    path: tuple[str | int, ...], value: Any, remove: bool
) -> None:
    """Any value in any place gives a list of faults with paths, and no unexpected error."""
    document = deepcopy(FULL) | {"signatures": [{"kid": DID}], "signature": "x"}
    parent: Any = document
    for step in path[:-1]:
        parent = parent[step]
    if remove:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    before = deepcopy(document)
    for fault in validate(document):
        assert fault.path
        assert isinstance(fault.path, str)
        assert fault.message
    with suppress(InvalidPlaylistError):
        check_playable(document)
    normalize(document, now=NOW, curator=SIGNER)
    for_display(document, item_duration=5, display={"scaling": "fit"})
    assert len(verify(document)) == 2
    assert parse(json.dumps(document)) == parse(before)
    assert document == before


@often
@given(json_values)
def test_any_json_value_can_be_judged(value: Any) -> None:
    """Any JSON value can be checked."""
    assert all(isinstance(fault.path, str) for fault in validate(value))
    with pytest.raises(InvalidPlaylistError):
        check(value)
    with pytest.raises(InvalidPlaylistError):
        check_playable(value)


# Preparing for a feed


def test_normalize_fills_in_what_a_server_would() -> None:
    """Ids, slug and creation time are added, the signer becomes a curator, and old signatures are removed."""
    document = playlist(
        items=[{**ITEM}, {**ITEM}], signatures=[{}], signature="x", extra={"a": []}
    )
    ready, _ = normalize(document, now=NOW, curator=SIGNER)
    assert UUID.fullmatch(ready["id"])
    assert ready["slug"] == f"hall-{ready['id'][:8]}"
    assert ready["created"] == "2026-11-21T12:30:15Z"
    assert ready["curators"] == [SIGNER]
    assert not {"signature", "signatures"} & ready.keys()
    ids = [item["id"] for item in ready["items"]]
    assert len(set(ids)) == 2
    assert all(UUID.fullmatch(item_id) for item_id in ids)
    assert [item | {"id": None} for item in ready["items"]] == [ITEM | {"id": None}] * 2
    assert "id" not in document["items"][0]


def test_normalize_keeps_a_complete_document() -> None:
    """A complete document is not changed."""
    signer = {"name": "Other name", "key": DID}
    ready, left_out = normalize(FULL, now=NOW, curator=signer)
    assert json.dumps(ready) == json.dumps(FULL)
    assert left_out == []


@pytest.mark.parametrize(
    ("given_value", "wanted"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00.120Z", "2026-01-01T00:00:00.12Z"),
        ("2026-01-01T00:00:00.634250947z", "2026-01-01T00:00:00.634250947Z"),
        ("2026-01-01t00:30:00.5+01:00", "2025-12-31T23:30:00.5Z"),
        ("2999-01-01T00:00:00Z", "2026-11-21T12:30:15Z"),
        ("0099-01-01T00:00:00.50Z", "0099-01-01T00:00:00.5Z"),
        ("0001-01-01T00:00:00+01:00", "0001-01-01T00:00:00+01:00"),
        ("", "2026-11-21T12:30:15Z"),
        (None, "2026-11-21T12:30:15Z"),
        ("yesterday", "yesterday"),
        (5, 5),
    ],
)
def test_created_in_the_form_a_server_writes(given_value: Any, wanted: Any) -> None:
    """The creation time is in UTC, without trailing zeros, and not in the future; invalid values are kept."""
    ready, _ = normalize(playlist(created=given_value), now=NOW)
    assert ready["created"] == wanted


@pytest.mark.parametrize(
    ("changes", "slug"),
    [
        ({"slug": "Loud_Slug--x "}, "loud-slug-x"),
        ({"slug": "展覧会", "title": "Evening Loop"}, "evening-loop-61f21d23"),
        ({"title": "Evening Loop"}, "evening-loop-61f21d23"),
        ({"title": "Ünïted & Co."}, "n-ted-co-61f21d23"),
        ({"title": "展覧会"}, "playlist-61f21d23"),
        ({"title": None}, "playlist-61f21d23"),
    ],
)
def test_slug_as_the_server_computes_it(changes: dict[str, Any], slug: str) -> None:
    """The slug is the normalized given one, else the title and the first eight digits of the id."""
    document = playlist(id="61F21D23-a45f-4c1c-8080-e93a192adccc", **changes)
    ready, _ = normalize(document, now=NOW)
    assert ready["slug"] == slug
    assert ready["id"] == "61f21d23-a45f-4c1c-8080-e93a192adccc"
    assert slugify(slug) == slug


def test_normalize_drops_what_a_server_drops() -> None:
    """Empty values of known fields and false mouse flags are removed, unless the server keeps them."""
    document = playlist(
        dpVersion=" 1.1.0 ",
        summary="",
        slug="s",
        curators=[{"name": "", "key": DID, "url": ""}],
        defaults={"display": {"userOverrides": {}, "margin": 0, "autoplay": False}},
        items=[
            {
                **ITEM,
                "title": "",
                "duration": None,
                "license": None,
                "override": {},
                "unknown": "",
                "display": {
                    "loop": False,
                    "interaction": {
                        "keyboard": [],
                        "mouse": {"click": True, "scroll": False, "wheel": False},
                    },
                },
                "provenance": {
                    "type": "onChain",
                    "contract": {"seriesId": 0, "tokenId": ""},
                    "dependencies": [],
                },
            },
            {**ITEM, "duration": 0, "provenance": {"type": "onChain", "contract": {"seriesId": 7.0}}},
        ],
    )  # fmt: skip
    ready, _ = normalize(document, now=NOW)
    assert ready["dpVersion"] == "1.1.0"
    assert "summary" not in ready
    assert ready["curators"] == [{"name": "", "key": DID}]
    assert ready["defaults"] == {"display": {"margin": 0, "autoplay": False}}
    first, second = ready["items"]
    assert first == {
        "id": first["id"],
        "source": ITEM["source"],
        "override": {},
        "display": {
            "loop": False,
            "interaction": {"mouse": {"click": True}},
        },
        "provenance": {"type": "onChain", "contract": {"seriesId": 0}},
    }
    assert second["duration"] == 0
    assert type(second["provenance"]["contract"]["seriesId"]) is int
    assert ready["slug"] == "s"


@pytest.mark.parametrize(
    "changes",
    [
        {"slug": 5},
        {"curators": "Alice"},
        {"items": {}},
        {"dpVersion": 1},
        {"id": 7},
        {"defaults": 5},
    ],
    ids=str,
)
def test_normalize_leaves_nonsense_for_the_check(changes: dict[str, Any]) -> None:
    """Invalid values are kept and found by the check."""
    ready, _ = normalize(playlist(**changes), now=NOW, curator=SIGNER)
    assert ready.items() >= changes.items()
    assert faults(ready).keys() == changes.keys()


def test_item_ids_are_made_unique() -> None:
    """Repeated item ids are replaced, and invalid ones kept."""
    same = "AD5DE50A-6a0d-4b61-8ef9-7b0f0d1d5e9b"
    document = playlist(
        items=[{**ITEM, "id": same}, {**ITEM, "id": same.lower()}, {**ITEM, "id": 5}]
    )
    ready, _ = normalize(document, now=NOW)
    first, second, third = (item["id"] for item in ready["items"])
    assert first == same.lower()
    assert UUID.fullmatch(second)
    assert second != first
    assert third == 5
    assert faults(ready).keys() == {"items[2].id"}


def test_normalize_names_what_it_leaves_out() -> None:
    """Fields that the strict server does not store are left out and reported at any depth, except in free objects."""
    document = {
        **FULL,
        "extra": 1,
        "Title": "shadow",
        "dynamicQueries": [],
        "items": [
            {
                **ITEM,
                "created": "2026-01-01T00:00:00Z",
                "override": {"a": 1},
                "display": {"userOverrides": {"b": True}, "c": 1},
                "provenance": {"type": "onChain", "contract": {"d": 1}},
            }
        ],
        "curators": [{"name": "A", "key": DID, "e": {}}],
    }
    pruned, left_out = normalize(document, now=NOW)
    assert left_out == [
        "curators[0].e",
        "items[0].created",
        "items[0].display.c",
        "items[0].provenance.contract.d",
        "extra",
        "Title",
        "dynamicQueries",
    ]
    assert pruned["items"] == [
        {
            **ITEM,
            "id": pruned["items"][0]["id"],
            "override": {"a": 1},
            "display": {"userOverrides": {"b": True}},
            "provenance": {"type": "onChain", "contract": {}},
        }
    ]
    assert pruned["curators"] == [{"name": "A", "key": DID}]
    assert document["items"][0]["created"]


# Preparing for a display


def test_for_display_copies_the_default_duration() -> None:
    """Each item gets the duration that applies, since a player shows items without one forever."""
    document = playlist(
        defaults={"duration": 300},
        items=[
            {"source": "https://a.example/1"},
            {"source": "https://a.example/2", "duration": 5},
            {"source": "https://a.example/3", "duration": None},
            {"source": "https://a.example/4", "override": {"duration": 7}},
            {"source": "https://a.example/5", "duration": 0},
        ],
        signatures=[{}],
        signature="ed25519:ab",
        unknown={"a": 1},
    )
    before = deepcopy(document)
    shown = for_display(document)
    assert [item["duration"] for item in shown["items"]] == [300, 5, 300, 7, 0]
    assert shown["unknown"] == {"a": 1}
    assert not {"signature", "signatures"} & shown.keys()
    assert document == before


def test_for_display_leaves_a_complete_document_signed() -> None:
    """A complete document is not changed, and its signatures are valid."""
    document = sign(playlist(defaults={"duration": 300}), KEY, now=NOW)
    assert for_display(document) == document
    for nonsense in ("nonsense", ["nonsense"]):
        assert for_display(playlist(items=nonsense)) == playlist(items=nonsense)


def test_for_display_overrides() -> None:
    """Options override items and defaults, whose other values are kept."""
    document = playlist(
        defaults={"display": {"scaling": "fit", "margin": 5}},
        items=[ITEM, {**ITEM, "display": {"scaling": "auto", "loop": False}}],
    )
    shown = for_display(
        document, item_duration=9, display={"scaling": "fill", "background": "#000000"}
    )
    wanted = {"scaling": "fill", "background": "#000000"}
    assert shown["defaults"] == {"duration": 9, "display": {**wanted, "margin": 5}}
    assert shown["items"] == [
        {**ITEM, "duration": 9, "display": wanted},
        {**ITEM, "duration": 9, "display": {**wanted, "loop": False}},
    ]
    check(shown)


@pytest.mark.parametrize(
    ("item", "defaults", "seconds"),
    [
        ({"duration": 1, "override": {"duration": 2}}, {"duration": 3}, 1),
        ({"override": {"duration": 2.5}}, {"duration": 3}, 2.5),
        ({"duration": "1", "override": 5}, {"duration": 3}, 3),
        ({}, {"duration": True}, None),
        ({}, None, None),
    ],
)
def test_effective_duration(
    item: dict[str, Any], defaults: dict[str, Any] | None, seconds: float | None
) -> None:
    """The nearest duration that is a number applies."""
    assert effective_duration(item, defaults) == seconds


async def test_endless_escapes() -> None:
    """A work of 4 MB of escapes takes no more memory than its text, 110 MB before."""
    works = [
        one_item(source=f"data:;base64,{unit * 1_000_000}")
        for unit in ("A%41", "%C3%A9")
    ]

    async def check() -> None:
        for work in works:
            with suppress(InvalidPlaylistError):
                check_playable(work)

    assert await most_memory(check) < 16 * 1024 * 1024
