"""Test decoding JSON, with the decoder that comes with Home Assistant and without it."""

from typing import Any

import pytest

from custom_components.dp1.client import values
from custom_components.dp1.client.values import decode

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


def test_too_many_values() -> None:
    """The bound is on values, not on the length of texts."""
    assert decode(b'["' + b"," * 100 + b'"]', max_values=10) == ["," * 100]
    assert outcome(b"[1,2,3]", max_values=2) is REFUSED
