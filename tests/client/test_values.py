"""Test decoding JSON, with the decoder that comes with Home Assistant and without it."""

from typing import Any

import pytest

from custom_components.dp1.client import values
from custom_components.dp1.client.values import decode, text, texts

REFUSED = ValueError


def outcome(body: bytes, **options: Any) -> object:
    """Return the type and the text of what was decoded, or that it was refused."""
    try:
        value = decode(body, **options)
    except ValueError:
        return REFUSED
    return repr(value)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": [1, -0, 1.0, -0.0, 1E2, true, null, "\\u00e9\\ud83d\\ude00"], "a": {}}',
        b"18446744073709551615",
        b"18446744073709551616",
        b"-9223372036854775809",
        b"9" * 400,
        b"1e400",
        b"[NaN, -Infinity]",
        b'"\\ud800"',
        b'"\xed\xa0\x80"',
        b"\xef\xbb\xbf[1]",
        b'"\x01"',
        b"01",
        b"",
        b"[" * 100_000,
    ],
)
@pytest.mark.parametrize("options", [{}, {"strict": True}, {"exact": True}])
def test_both_decoders_agree(
    monkeypatch: pytest.MonkeyPatch, body: bytes, options: dict[str, Any]
) -> None:
    """The fast decoder changes nothing but the time."""
    fast = outcome(body, **options)
    monkeypatch.setattr(values, "fast_loads", None)
    assert fast == outcome(body, **options)


def test_too_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is on values, not on the length of texts."""
    monkeypatch.setattr(values, "MAX_VALUES", 10)
    assert decode(b'["' + b"x" * 100 + b'"]') == ["x" * 100]
    assert outcome(b"[1,2,3,4,5,6,7,8,9,10,11]") is REFUSED


def levels_of(value: Any) -> int:
    """Return how deep lists and objects are nested."""
    levels = 0
    while isinstance(value, dict | list):
        value = next(iter(value.values() if isinstance(value, dict) else value), None)
        levels += 1
    return levels


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("start", [b"[", b'{"a":'])
def test_levels(start: bytes, exact: bool) -> None:
    """The bound is on levels, whatever they are made of; it is far below what Home Assistant can encode."""
    end = {b"[": b"]"}.get(start, b"}")
    for depth in (31, 32, 900, 10_000):
        body = start * depth + b"[]" + end * depth
        refused = outcome(body, exact=exact, strict=True) is REFUSED
        assert refused is (depth > 31)
        assert levels_of(decode(body, exact=exact)) == 32


@pytest.mark.parametrize("depth", [32, 300, 10_000])
def test_what_is_beside_deep_values_is_read(depth: int) -> None:
    """One deep value hides nothing of what others wrote."""
    deep = b"[" * depth + b"]" * depth
    body = b'{"a":"]}","deep":[' + deep + b',"[\\"{"],"b":[' + deep + b",{}]}"
    value = decode(body)
    assert isinstance(value, dict)
    assert value["a"] == "]}" and value["deep"][1] == '[\\"{'.replace("\\", "")
    assert value["b"][1] == {} and levels_of(value["b"]) == 31
    for broken in (body[:-1], body + b"]", b"[" * depth):
        assert outcome(broken) is REFUSED


def test_halves_of_pairs() -> None:
    """Official libraries refuse them; in lists of many authors they are replaced."""
    body = b'["\\ud83d\\ude00","a\\ud800b"]'
    assert decode(body) == ["\U0001f600", "a\ufffdb"]
    assert decode(rb'{"\udc00": 1}') == {"\ufffd": 1}
    assert outcome(body, strict=True) is REFUSED
    assert decode(body.replace(b"\\ud800", b""), strict=True) == ["\U0001f600", "ab"]


def test_text() -> None:
    """A word is short and without control characters; the limit is in bytes."""
    assert text("https://a.example/é") == "https://a.example/é"
    odd = ("", "a\x00", "a\u202eb", "a\ud800", "\u2028", 7, None)
    for value in (*odd, "x" * 2049, "é" * 1025):
        assert text(value) is None
    assert text("é" * 3, 6) and text("é" * 3, 5) is None
    assert texts({"a": "b", "c": 1, "d": "x" * 5000, "\x00": "e"}) == {"a": "b"}
    assert len(texts({str(n): "a" for n in range(1000)})) == 64
