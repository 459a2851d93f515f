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
from custom_components.dp1.client.playlist.playlist import Origin, Playlist
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
    TABLES,
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


@pytest.mark.parametrize(("document", "paths"), TABLES["differences"])
def test_deliberate_differences(document: dict[str, Any], paths: list[str]) -> None:
    """Real feeds write 0x before a signature, and every decoder expects text."""
    assert sorted(faults(document)) == paths


@pytest.mark.parametrize(("document", "messages"), TABLES["messages"])
def test_messages(document: Any, messages: dict[str, str]) -> None:
    """All faults are told at once, with what is expected, and without lone surrogates and control characters."""
    assert faults(document) == messages


def test_what_is_no_json() -> None:
    """A value that only Python has is none."""
    message = "expected a date and time with zone"
    assert faults(playlist(created=NOW)) == {"created": message}
    assert not validate(one_item(unknown=object))


@pytest.mark.parametrize(("changes", "valid"), TABLES["forms"])
def test_forms(changes: dict[str, Any], valid: bool) -> None:
    """The formats of the fields are checked at their limits."""
    paths = [fault.path for fault in validate(playlist(**changes))]
    assert (not paths) is valid
    assert all(path.startswith(*changes) for path in paths)


@pytest.mark.parametrize(("changes", "valid"), TABLES["items"])
def test_items(changes: dict[str, Any], valid: bool) -> None:
    """The formats of the fields of an item are checked at their limits."""
    assert (not validate(one_item(**changes))) is valid


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
    assert parse('{"x": "\\ud83d\\ude00 \\n"}') == {"x": "\U0001f600 \n"}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        *TABLES["no_json"],
        ({"a": {"b": {1, 2}}}, ""),
        ({"a": Decimal(1)}, ""),
        (b"\xff", ""),
        ({"a": ["\ud800"]}, ""),
        ("{\ud800", ""),
        ('"' + "x" * 6_000_000 + '"', ""),
        ({"a": "x" * 6_000_000}, ""),
        ({"a": [0] * 600_000}, ""),
        ('{"a": [' + "0," * 600_000 + "0]}", ""),
    ],
)
def test_parse_refuses_what_is_not_json(value: Any, path: str) -> None:
    with pytest.raises(InvalidPlaylistError) as caught:
        parse(value)
    assert [fault.path for fault in caught.value.faults] == [path]


@pytest.mark.parametrize("depth", [32, 100, 100_000])
def test_depth_is_limited(depth: int) -> None:
    with pytest.raises(InvalidPlaylistError):
        parse('{"a":' + "[" * depth + "]" * depth + "}")
    nested: Any = []
    for _ in range(depth):
        nested = [nested]
    with pytest.raises(InvalidPlaylistError):
        parse({"a": nested})
    assert not validate(one_item(override={"a": nested}))


# Requirements of a display


@pytest.mark.parametrize("document", [*TABLES["playable"], FULL])
def test_playable(document: dict[str, Any]) -> None:
    """A display accepts documents that the schemas do not."""
    check_playable(document)


@pytest.mark.parametrize(("document", "path"), TABLES["not_playable"])
def test_not_playable(document: Any, path: str) -> None:
    """Documents that a display would refuse without a reason are not playable."""
    with pytest.raises(InvalidPlaylistError) as caught:
        check_playable(document)
    assert [fault.path for fault in caught.value.faults] == [path]


# Building


@pytest.mark.parametrize(("source", "details", "item"), TABLES["built_items"])
def test_build_item(source: str, details: dict[str, Any], item: dict[str, Any]) -> None:
    """Empty values are left out, except zero and false, and addresses are those of a URI."""
    assert build_item(source, **details) == item


def test_build() -> None:
    """A document has the current version, and what it was told."""
    work = build_item("https://a.example/")
    bare = {"dpVersion": "1.1.0", "title": "Hall", "items": [work]}
    assert build("Hall", [work]) == bare
    more = {"summary": "Two", "coverImage": "https://a.example/%C3%A4.png"}
    more |= {"id": FULL["id"], "created": "2026-01-01T00:00:00Z"}
    full = build("Hall", [], defaults={"duration": 0}, **more)
    assert full == {**bare, **more, "defaults": {"duration": 0}, "items": []}


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


ODD = [..., None, 1, 10**400, 0.5, "x", [], {}, [1], {"x": 1}]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_a_mutated_document_never_crashes(value: Any) -> None:
    """Any value in any place, or none, gives a list of faults with paths, and no unexpected error."""
    for path in places(FULL):
        document = deepcopy(FULL) | {"signatures": [{"kid": DID}], "signature": "x"}
        parent: Any = document
        for step in path[:-1]:
            parent = parent[step]
        if value is ...:
            del parent[path[-1]]
        else:
            parent[path[-1]] = value
        before = deepcopy(document)
        for fault in validate(document):
            assert fault.path and isinstance(fault.path, str)
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


@pytest.mark.parametrize("case", TABLES["normalized"], ids=lambda case: case["name"])
def test_normalize_drops_what_a_server_drops(case: dict[str, Any]) -> None:
    """What a server does not store is left out and, unless it is empty, reported, at any depth except in free objects; the rest stays as it is."""
    before = deepcopy(case["document"])
    ready, left_out = normalize(case["document"], now=NOW)
    assert json.dumps(ready) == json.dumps(case["kept"])
    assert left_out == case["left_out"]
    assert case["document"] == before


def test_a_curator_keeps_the_name() -> None:
    ready, _ = normalize(FULL, now=NOW, curator={"name": "Other name", "key": DID})
    assert ready == FULL


@pytest.mark.parametrize(("created", "wanted"), TABLES["created"])
def test_created_in_the_form_a_server_writes(created: Any, wanted: Any) -> None:
    """The creation time is in UTC, without trailing zeros, and not in the future; invalid values are kept."""
    ready, _ = normalize(playlist(created=created), now=NOW)
    assert ready["created"] == wanted


@pytest.mark.parametrize(("changes", "slug"), TABLES["slugs"])
def test_slug_as_the_server_computes_it(changes: dict[str, Any], slug: str) -> None:
    """The slug is the normalized one of the document, else the title and the first eight digits of the id."""
    document = playlist(id="61F21D23-a45f-4c1c-8080-e93a192adccc", **changes)
    ready, _ = normalize(document, now=NOW)
    assert ready["slug"] == slug
    assert ready["id"] == "61f21d23-a45f-4c1c-8080-e93a192adccc"
    assert slugify(slug) == slug


@pytest.mark.parametrize("changes", TABLES["nonsense"], ids=str)
def test_normalize_leaves_nonsense_for_the_check(changes: dict[str, Any]) -> None:
    """Invalid values are kept and found by the check."""
    ready, _ = normalize(playlist(**changes), now=NOW, curator=SIGNER)
    assert ready.items() >= changes.items()
    assert faults(ready).keys() == changes.keys()


def test_item_ids_are_made_unique() -> None:
    same = "AD5DE50A-6a0d-4b61-8ef9-7b0f0d1d5e9b"
    ids = (same, same.lower(), 5)
    document = playlist(items=[{**ITEM, "id": item_id} for item_id in ids])
    ready, _ = normalize(document, now=NOW)
    first, second, third = (item["id"] for item in ready["items"])
    assert first == same.lower()
    assert UUID.fullmatch(second)
    assert second != first
    assert third == 5
    assert faults(ready).keys() == {"items[2].id"}


# Preparing for a display


@pytest.mark.parametrize("case", TABLES["shown"], ids=lambda case: case["name"])
def test_for_display(case: dict[str, Any]) -> None:
    """Each item has the duration that applies, since a player shows items without one forever; options override items and defaults; a changed document loses its signatures."""
    before = deepcopy(case["document"])
    assert for_display(case["document"], **case["options"]) == case["shown"]
    assert case["document"] == before


def test_for_display_leaves_a_complete_document_signed() -> None:
    document = sign(playlist(defaults={"duration": 300}), KEY, now=NOW)
    assert for_display(document) == document


@pytest.mark.parametrize(("item", "defaults", "seconds"), TABLES["durations"])
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


URL = "https://feed.example.org/api/v1/playlists/aa11"
WORKS = [
    {"source": f"https://art.example.org/{n}.png", "duration": 9, "license": "open"}
    for n in range(3)
]
DOCUMENT: dict[str, Any] = {
    "dpVersion": "1.1.0",
    "title": "Tides",
    "items": WORKS,
    "signatures": [{"alg": "ed25519"}],
}


def test_a_url_is_the_same_whether_it_was_read() -> None:
    """What was read at a URL does not make it another playlist; another document does."""
    assert Playlist(URL) == Playlist(URL, DOCUMENT, title="Tides")
    assert hash(Playlist(URL)) == hash(Playlist(URL, DOCUMENT))
    assert Playlist(URL, DOCUMENT) != Playlist(document=DOCUMENT)
    assert Playlist(document=DOCUMENT) != Playlist(document={**DOCUMENT, "title": "-"})


def test_works() -> None:
    """The document tells how many works there are, or else whoever named the URL."""
    assert Playlist(URL).works is None
    assert Playlist(URL, count=7).works == 7
    assert Playlist(URL, DOCUMENT, count=7).works == 3
    assert Playlist(URL, DOCUMENT).sources == [URL, *(work["source"] for work in WORKS)]


@pytest.mark.parametrize("items", [None, "two", [1], [{}, "x"]])
def test_only_works_can_be_sent(items: Any) -> None:
    """A document to send is one with works; at a URL, displays see to that."""
    with pytest.raises(ValueError, match="list of objects"):
        Playlist(document={"items": items})
    assert len(Playlist(URL, {"items": items}).items) < 2


def test_options() -> None:
    """A document that was changed has lost its signatures, and the number of works is that of the limit."""
    playlist = Playlist(URL, DOCUMENT, Origin.OURS, count=3)
    assert playlist.with_options().document == DOCUMENT
    few = playlist.with_options(limit=2, item_duration=30, texts={"title": "Two"})
    assert (few.url, few.works, few.document["title"]) == (None, 2, "Two")
    assert [item["duration"] for item in few.items] == [30, 30]
    assert "signatures" not in few.document
    assert playlist.with_options(limit=9).document == DOCUMENT


def test_only_a_stranger_is_judged() -> None:
    """The document of a stranger is validated once."""
    bad = {**DOCUMENT, "items": [{"source": "ftp://art.example.org/1"}]}
    assert Playlist(document=bad, origin=Origin.OURS).with_options().items
    with pytest.raises(InvalidPlaylistError):
        Playlist(document=bad).with_options()
    assert Playlist(document=DOCUMENT).with_options().origin is Origin.OURS
