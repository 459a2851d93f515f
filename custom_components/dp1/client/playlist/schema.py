"""The schema of a DP-1 playlist: one table of fields.

The rules are those of the v1.1.0 JSON schemas (core, playlists extension 0.2.0 and content rating 0.1.0). Unknown fields are
legal everywhere. Every check yields all faults, in the order of the table.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
import json
import math
import re
from typing import Any, Final

from ..errors import Fault
from .schedule import is_moment

DP_VERSION = "1.1.0"
SCALINGS = ("fit", "fill", "stretch", "auto")
SIGNATURE_FIELDS = ("signature", "signatures")
# Nobody reads more of them.
MAX_FAULTS = 100
_SHOWN_KEY_LENGTH = 80
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def printable(text: str) -> str:
    """Replace characters that cannot be shown or encoded as UTF-8: the text comes from outside."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def path_text(segments: Iterable[Any]) -> str:
    """Return a path in the usual notation: ``items[2].provenance.contract.tokenId``."""
    text = ""
    for segment in segments:
        if isinstance(segment, int):
            text += f"[{segment}]"
            continue
        name = printable(str(segment)[:_SHOWN_KEY_LENGTH])
        if _PLAIN_KEY.fullmatch(name):
            text += f".{name}" if text else name
        else:
            text += f"[{json.dumps(name, ensure_ascii=False)}]"
    return text


# Tests of values

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]"
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_UNRESERVED = r"A-Za-z0-9._~!$&'()*+,;=\-"
_PATH = rf"(?:[{_UNRESERVED}:@/]++|%[0-9A-Fa-f]{{2}})*+"
_TAIL = rf"(?:[{_UNRESERVED}:@/?]++|%[0-9A-Fa-f]{{2}})*+"
# RFC 3986: a scheme, then an authority with a path, or a path alone; no blanks and nothing outside ASCII.
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*+:"
    rf"(?://(?:(?:[{_UNRESERVED}:]++|%[0-9A-Fa-f]{{2}})*+@)?"
    rf"(?:\[[0-9A-Fa-f:.]+\]|(?:[{_UNRESERVED}]++|%[0-9A-Fa-f]{{2}})*+)(?::[0-9]*+)?(?:/{_PATH})?"
    rf"|(?!//){_PATH})"
    rf"(?:\?{_TAIL})?(?:#{_TAIL})?"
)


def is_text(value: Any) -> bool:
    """Return whether a value is text."""
    return isinstance(value, str)


def is_flag(value: Any) -> bool:
    """Return whether a value is true or false."""
    return isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite JSON number."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, int) or math.isfinite(value))
    )


def is_date_time(value: str) -> bool:
    """Return whether a text is an RFC 3339 date and time with a zone."""
    if not (match := _DATE_TIME.fullmatch(value)):
        return False
    try:
        date(*(int(part) for part in match.groups()))
    except ValueError:
        return False
    return True


# Kinds of values


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A value whose parts do not matter.

    Attributes:
        expected: what it must be, in words.
        test: whether it is.
    """

    expected: str
    test: Callable[[Any], object]


@dataclass(frozen=True, slots=True, eq=False)
class Each:
    """A list of values that look alike, or an object with members of any name that do."""

    part: Check
    minimum: int = 0
    expected: str = "a list"
    kind: type[list[Any] | dict[str, Any]] = list


@dataclass(frozen=True, slots=True, eq=False)
class Object:
    """An object with fields of DP-1, and any others.

    Attributes:
        fields: the known ones.
        required: those that it must have.
        rule: yields the field and the words of a fault across fields.
        is_open: the unknown fields are as good as the known ones: servers store all of them.
    """

    fields: Mapping[str, Check]
    required: tuple[str, ...] = ()
    rule: Callable[[Mapping[str, Any]], Iterable[tuple[str, str]]] = lambda value: ()
    is_open: bool = False
    expected: str = "an object"


type Check = Field | Each | Object


def faults_of(check: Check, value: Any) -> list[Fault]:
    """Return the faults of a value, the first hundred."""
    faults: list[Fault] = []
    _judge(check, value, (), faults)
    return faults[:MAX_FAULTS]


def _judge(
    check: Check, value: Any, path: tuple[Any, ...], faults: list[Fault]
) -> None:
    """Add the faults of a value, until there are enough."""
    match check:
        case Field() if check.test(value):
            pass
        case Each() if isinstance(value, check.kind) and len(value) >= check.minimum:
            parts = value.items() if isinstance(value, dict) else enumerate(value)
            for name, part in parts:
                _judge(check.part, part, (*path, name), faults)
                if len(faults) >= MAX_FAULTS:
                    return
        case Object() if isinstance(value, dict):
            for name, part in check.fields.items():
                if name in value:
                    _judge(part, value[name], (*path, name), faults)
                elif name in check.required:
                    faults.append(Fault(path_text((*path, name)), "is required"))
            for name, message in check.rule(value):
                faults.append(Fault(path_text((*path, name)), message))
        case _:
            faults.append(Fault(path_text(path), f"expected {check.expected}"))


def _text(expected: str, test: Callable[[str], object]) -> Field:
    """Return the check of text that passes a test."""
    return Field(expected, lambda value: isinstance(value, str) and test(value))


def _form(expected: str, pattern: str) -> Field:
    """Return the check of text of a form."""
    return _text(expected, re.compile(pattern).fullmatch)


def _choice(*names: str) -> Field:
    """Return the check of a word among some."""
    return _text(f"one of {', '.join(names)}", names.__contains__)


def _sized(maximum: int) -> Field:
    """Return the check of text that is neither empty nor too long."""
    expected = f"text of 1 to {maximum} characters"
    return _text(expected, lambda value: 1 <= len(value) <= maximum)


def _is_size(value: Any) -> bool:
    """Return whether a value is a number that is not negative."""
    return is_number(value) and bool(value >= 0)


# The fields

LICENSES = ("open", "token", "subscription")
_ON_CHAIN = ("onChain", "seriesRegistry")
_ANY_TEXT = Field("text", is_text)
_FLAG = Field("true or false", is_flag)
_UUID_TEXT = _text("a UUID", UUID.fullmatch)
_SLUG = _form("lower-case words joined by -", r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MOMENT = _text("a date and time with zone", is_date_time)
_SECONDS = Field("a number of seconds, 0 or more", _is_size)
_LICENSE = _choice(*LICENSES)
_DID = _form("a DID, like did:key:z6Mk…", r"did:[a-z]+:.+")
_HEX = _form("hexadecimal text like 0x1a2b", r"0x[a-f0-9]+")
_SHA256 = _form("64 lower-case hexadecimal digits", r"[a-f0-9]{64}")
_VERSION = _form("a version like 1.1.0", r"[0-9]+\.[0-9]+\.[0-9]+")
_ADDRESS = _text("a URI like https://art.example/work.html", _URI.fullmatch)
_INDEX = Field(
    "a whole number, 0 or more", lambda value: _is_size(value) and value == int(value)
)
_LENGTH = _form("text like 5%", r"[0-9]+(?:\.[0-9]+)?(?:px|%|vw|vh)")
_MARGIN = Field(
    "a number of pixels, 0 or more, or text like 5% (units px, %, vw, vh)",
    lambda value: _is_size(value) or _LENGTH.test(value),
)
_WORDS = Each(_ANY_TEXT, expected="an object of texts", kind=dict)
MOUSE = Object(dict.fromkeys(("click", "scroll", "drag", "hover"), _FLAG))
_COLOR = r"#[0-9a-fA-F]{6}|transparent"
_DISPLAY = Object(
    {
        "scaling": _choice(*SCALINGS),
        "margin": _MARGIN,
        "background": _form("a color like #1a2b3c, or transparent", _COLOR),
        "autoplay": _FLAG,
        "loop": _FLAG,
        "interaction": Object({"keyboard": Each(_ANY_TEXT), "mouse": MOUSE}),
        "userOverrides": Each(_FLAG, expected="an object of true and false", kind=dict),
    }
)
_ORIGIN = {
    "chain": _choice("evm", "tezos", "bitmark", "other"),
    "standard": _choice("erc721", "erc1155", "fa2", "other"),
    "uri": _ADDRESS,
}
_PROVENANCE = Object(
    {
        "type": _choice(*_ON_CHAIN, "offChainURI"),
        "contract": Object(
            {
                **_ORIGIN,
                "address": _ANY_TEXT,
                "seriesId": _INDEX,
                "tokenId": _ANY_TEXT,
                "metaHash": _SHA256,
            }
        ),
        "dependencies": Each(Object(_ORIGIN)),
    },
    ("type",),
    lambda value: (
        [("contract", f"is required for {value['type']}")]
        if value.get("type") in _ON_CHAIN and "contract" not in value
        else []
    ),
)
_REPRO = Object(
    {
        "engineVersion": Object(
            dict.fromkeys(("chromium", "webkit", "gecko"), _ANY_TEXT), is_open=True
        ),
        "seed": _HEX,
        "assetsSHA256": Each(_SHA256),
        "frameHash": Object({"sha256": _SHA256, "phash": _HEX}),
    }
)
_NOTE = Object(
    {
        "text": _sized(500),
        "duration": Field(
            "a number of seconds above 0",
            lambda value: is_number(value) and value > 0,
        ),
    },
    ("text",),
)
_CURATOR = Object(
    {"name": _ANY_TEXT, "key": _DID, "url": _ADDRESS}, required=("name", "key")
)
_DYNAMIC_QUERY = Object(
    {
        "profile": _choice("https-json-v1", "graphql-v1"),
        "endpoint": _ADDRESS,
        "method": _choice("GET", "POST"),
        "headers": _WORDS,
        "query": _ANY_TEXT,
        "responseMapping": Object(
            {
                "itemsPath": _ANY_TEXT,
                "itemSchema": _form("text like dp1/1.1", r"dp1/[0-9]+\.[0-9]+"),
                "itemMap": _WORDS,
            },
            ("itemsPath", "itemSchema"),
        ),
    },
    ("profile", "endpoint", "responseMapping"),
)
_SIGNATURE = {
    "alg": _choice("ed25519", "eip191", "ecdsa-secp256k1", "ecdsa-p256"),
    "kid": _DID,
    "ts": _MOMENT,
    "payload_hash": _form("sha256: and 64 hexadecimal digits", r"sha256:[a-f0-9]{64}"),
    "role": _choice("curator", "feed", "agent", "institution", "licensor"),
    "sig": _form("base64url without padding", r"[A-Za-z0-9_-]+"),
}
# Of version 1.0 or 1.1; what neither has may be there.
_ARTIST = Object(
    {
        "name": _ANY_TEXT,
        "id": _ANY_TEXT,
        "url": _ADDRESS,
        "avatar": Object({"uri": _ADDRESS}, ("uri",), is_open=True),
        "biographies": Each(
            Object(
                {"text": _ANY_TEXT, "source": _ANY_TEXT, "sourceUrl": _ADDRESS},
                ("text",),
                is_open=True,
            )
        ),
        "links": Each(
            Object(
                {
                    "type": _choice("website", "twitter", "instagram", "other"),
                    "url": _ADDRESS,
                },
                ("type", "url"),
                is_open=True,
            )
        ),
    },
    is_open=True,
)
_MANIFEST = Object(
    {
        "refVersion": _VERSION,
        "id": _text("text", bool),
        "created": _MOMENT,
        "locale": _form("a language like en or en-US", r"[a-z]{2}(?:-[A-Z]{2})?"),
        "metadata": Object(
            {
                "title": _ANY_TEXT,
                "artists": Each(_ARTIST),
                "creditLine": _ANY_TEXT,
                "description": _ANY_TEXT,
                "tags": Each(_ANY_TEXT),
                "thumbnails": Each(
                    Object({"uri": _ADDRESS}, ("uri",), is_open=True),
                    expected="an object of thumbnails",
                    kind=dict,
                ),
            },
            is_open=True,
        ),
        "controls": Object({}, is_open=True),
        "i18n": Object({}, is_open=True),
    },
    ("refVersion", "id", "created", "locale"),
    is_open=True,
)
# Ratings that are known. Source: content rating 0.1.0.
RATINGS: Final = ("general", "mature")
_ITEM = Object(
    {
        "id": _UUID_TEXT,
        "slug": _SLUG,
        "title": _ANY_TEXT,
        "source": _ADDRESS,
        "duration": _SECONDS,
        "license": _LICENSE,
        "ref": _ADDRESS,
        "refHash": _ANY_TEXT,
        "override": Object({}, is_open=True),
        "display": _DISPLAY,
        "repro": _REPRO,
        "provenance": _PROVENANCE,
        "note": _NOTE,
        "displayAt": _text("a date with a time", is_moment),
        # An unknown word counts as absent.
        "contentRating": _ANY_TEXT,
        "contentReasons": Each(_text("text", bool)),
        "inlineManifest": _MANIFEST,
    },
    ("source",),
)


def known_fields(document: Any, check: Check | None = None) -> Any:
    """Return a playlist, or the subject of a check, without the fields that DP-1 does not know."""
    check = check or PLAYLIST
    match check, document:
        case Object(is_open=False), dict():
            return {
                name: known_fields(part, check.fields[name])
                for name, part in document.items()
                if name in check.fields
            }
        case Each(), list():
            return [known_fields(part, check.part) for part in document]
    return document


def _needs_items(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Only a playlist that says where its works come from may be without any."""
    if value.get("items") == [] and "dynamicQuery" not in value:
        yield "items", "expected at least one item"


PLAYLIST: Final = Object(
    {
        "dpVersion": _VERSION,
        "id": _UUID_TEXT,
        "title": _sized(200),
        "slug": _SLUG,
        "created": _MOMENT,
        "defaults": Object(
            {"display": _DISPLAY, "license": _LICENSE, "duration": _SECONDS}
        ),
        "items": Each(_ITEM, expected="a list of items"),
        "signatures": Each(
            Object(_SIGNATURE, tuple(_SIGNATURE)), 1, "a list of signatures"
        ),
        "signature": _form(
            "ed25519: and hexadecimal digits", r"ed25519:(?:0x)?[a-f0-9]+"
        ),
        "curators": Each(_CURATOR),
        "summary": _sized(2000),
        "coverImage": _ADDRESS,
        "note": _NOTE,
        "dynamicQuery": _DYNAMIC_QUERY,
        "schedule": Object({"byDisplayAt": _FLAG}),
    },
    ("dpVersion", "title", "items"),
    _needs_items,
)
