"""What the fields of a DP-1 playlist must look like, as voluptuous schemas.

The rules are those of the v1.1.0 JSON schemas (core and playlists extension 0.1.0).  Unknown fields are
legal everywhere.  Every check reports all faults below it, not only the first.
"""

from collections.abc import Callable, Iterable
from datetime import date
from enum import Enum
from functools import cache
import json
import math
import re
from typing import Any
from urllib.parse import quote

import voluptuous as vol

type Check = Callable[[Any], Any]

DP_VERSION = "1.1.0"
SIGNATURE_FIELDS = ("signature", "signatures")

_INT64_MAX = 2**63 - 1
_SHOWN_LENGTH = 40
_SHOWN_KEY_LENGTH = 80

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

_DP_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]"
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_COLOR = re.compile(r"#[0-9a-fA-F]{6}|transparent")
_MARGIN = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:px|%|vw|vh)")
_DID = re.compile(r"did:[a-z]+:.+")
_HEX_0X = re.compile(r"0x[a-f0-9]+")
_SHA256 = re.compile(r"[a-f0-9]{64}")
_SHA256_LEGACY = re.compile(r"(?:0x)?[a-f0-9]{64}")
_ITEM_SCHEMA = re.compile(r"dp1/[0-9]+\.[0-9]+")
_PAYLOAD_HASH = re.compile(r"sha256:[a-f0-9]{64}")
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")
_LEGACY_SIGNATURE = re.compile(r"ed25519:(?:0x)?[a-f0-9]+")

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.", re.DOTALL)
_NOT_IN_URI = re.compile(r"[^!#$%&'()*+,/0-9:;=?@A-Z\[\]._a-z~-]")
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

LICENSES = ("open", "token", "subscription")
SCALINGS = ("fit", "fill", "stretch", "auto")
ROLES = ("curator", "feed", "agent", "institution", "licensor")
_ALGORITHMS = ("ed25519", "eip191", "ecdsa-secp256k1", "ecdsa-p256")
_CHAINS = ("evm", "tezos", "bitmark", "other")
_STANDARDS = ("erc721", "erc1155", "fa2", "other")
_PROVENANCE_TYPES = ("onChain", "seriesRegistry", "offChainURI")


class Rules(Enum):
    """By which rules a document is judged."""

    CURRENT = "v1.1.0 schemas"
    # What 1.0.x software writes: titles up to 256, hashes with 0x, no items beside dynamicQueries.
    LEGACY = "v1.0.x practice"
    # What the typed decoder of a display insists on: JSON types only, nothing required, null is absent.
    TYPES = "JSON types"


def printable(text: str) -> str:
    """Replace what cannot be shown or written as UTF-8: the text comes from outside."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


def path_text(segments: Iterable[Any]) -> str:
    """Write a path the way people do: ``items[2].provenance.contract.tokenId``."""
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


def _kind(value: Any) -> str:
    """Name what was found in place of what was expected."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str() if not value:
            return "empty text"
        case str():
            shown = value[:_SHOWN_LENGTH] + ("…" if value[_SHOWN_LENGTH:] else "")
            return f'"{printable(shown)}"'
        case int() | float():
            return "a number" if abs(value) > 1e15 else f"{value}"
        case list():
            return "a list" if value else "an empty list"
        case dict():
            return "an object"
    return type(value).__name__


def _refusal(expected: str, value: Any) -> vol.Invalid:
    """Say what was expected and what was there."""
    return vol.Invalid(f"expected {expected}, not {_kind(value)}")


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite JSON number."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, int) or math.isfinite(value))
    )


def is_uuid(value: str) -> bool:
    """Tell whether text is a hyphenated UUID of any version, in either case."""
    return bool(_UUID.fullmatch(value))


def is_uri(value: str) -> bool:
    """Tell whether text is an absolute URI by RFC 3986."""
    return bool(_URI.fullmatch(value))


def is_date_time(value: str) -> bool:
    """Tell whether text is an RFC 3339 date and time with a zone."""
    if not (match := _DATE_TIME.fullmatch(value)):
        return False
    try:
        date(*(int(part) for part in match.groups()))
    except ValueError:
        return False
    return True


def _raise_all(errors: list[vol.Invalid]) -> None:
    """Raise what was collected, if anything was."""
    if errors:
        raise vol.MultipleInvalid(errors)


def _errors(check: Check, value: Any, *path: str | int) -> list[vol.Invalid]:
    """Run a check and return its faults with the path put in front."""
    try:
        check(value)
    except vol.MultipleInvalid as err:
        found = list(err.errors)
    except vol.Invalid as err:
        found = [err]
    else:
        return []
    for error in found:
        error.prepend(list(path))
    return found


class _Fields:
    """Makes the checks of single fields by one set of rules."""

    def __init__(self, rules: Rules) -> None:
        """Keep by which rules."""
        self._types_only = rules is Rules.TYPES

    def _made(self, test: Callable[[Any], object], expected: str) -> Check:
        """Turn a test into a check."""

        def check(value: Any) -> Any:
            if not (test(value) or (value is None and self._types_only)):
                raise _refusal(expected, value)
            return value

        return check

    def text(
        self, expected: str = "text", test: Callable[[str], object] | None = None
    ) -> Check:
        """Text that passes a test."""
        if test is None or self._types_only:
            return self._made(lambda value: isinstance(value, str), expected)
        return self._made(
            lambda value: isinstance(value, str) and test(value), expected
        )

    def uri(self) -> Check:
        """An address; one with a scheme is told which character has to be escaped."""

        def check(value: Any) -> Any:
            if (
                isinstance(value, str)
                and not self._types_only
                and not is_uri(value)
                and _SCHEME.match(value)
                and (wrong := _NOT_IN_URI.search(value))
            ):
                escaped = quote(wrong[0], safe="", errors="replace")
                raise vol.Invalid(
                    f"{wrong[0]!r} has to be written as {escaped} in a URI"
                )
            return within(value)

        within = self.text("a URI like https://art.example/work.html", is_uri)
        return check

    def sized(self, minimum: int, maximum: int) -> Check:
        """Text of so many characters."""

        def check(value: Any) -> Any:
            if isinstance(value, str) and len(value) > maximum and not self._types_only:
                raise vol.Invalid(
                    f"expected at most {maximum} characters, not {len(value)}"
                )
            return within(value)

        within = self.text(
            f"text of {minimum} to {maximum} characters",
            lambda value: len(value) >= minimum,
        )
        return check

    def choice(self, names: tuple[str, ...]) -> Check:
        """One of some words."""
        return self.text(f"one of {', '.join(names)}", names.__contains__)

    def number(self, expected: str, test: Callable[[float], bool]) -> Check:
        """A number that passes a test."""
        return self._made(
            lambda value: is_number(value) and (self._types_only or test(value)),
            expected,
        )

    def seconds(self) -> Check:
        """A duration."""
        return self.number("a number of seconds, 0 or more", lambda value: value >= 0)

    def index(self) -> Check:
        """A whole number, 0 or more; a decoder wants it written without a point and within 64 bits."""

        def test(value: Any) -> bool:
            if self._types_only:
                return type(value) is int and -_INT64_MAX <= value <= _INT64_MAX
            return is_number(value) and value >= 0 and value == int(value)

        return self._made(test, "a whole number, 0 or more")

    def flag(self) -> Check:
        """True or false."""
        return self._made(lambda value: isinstance(value, bool), "true or false")

    def margin(self) -> Check:
        """Pixels, or text with a unit; a decoder takes anything here."""
        return self._made(
            lambda value: (
                self._types_only
                or (is_number(value) and value >= 0)
                or (isinstance(value, str) and _MARGIN.fullmatch(value))
            ),
            "a number of pixels, 0 or more, or text like 5% (units px, %, vw, vh)",
        )

    def each(
        self, check: Check, *, minimum: int = 0, expected: str = "a list"
    ) -> Check:
        """A list, every element of which passes a check."""

        def check_all(value: Any) -> Any:
            if value is None and self._types_only:
                return value
            if not isinstance(value, list) or (
                len(value) < minimum and not self._types_only
            ):
                raise _refusal(expected, value)
            _raise_all(
                [
                    error
                    for position, element in enumerate(value)
                    for error in _errors(check, element, position)
                ]
            )
            return value

        return check_all

    def table(self, check: Check, expected: str) -> Check:
        """An object, every value of which passes a check."""

        def check_all(value: Any) -> Any:
            if value is None and self._types_only:
                return value
            if not isinstance(value, dict):
                raise _refusal(expected, value)
            _raise_all(
                [
                    error
                    for key, element in value.items()
                    for error in _errors(check, element, key)
                ]
            )
            return value

        return check_all

    def object(
        self,
        fields: dict[str, Check],
        *rules: Callable[[dict[str, Any]], Iterable[vol.Invalid]],
        required: tuple[str, ...] = (),
    ) -> Check:
        """An object with known fields, any unknown ones, and rules that span fields."""
        schema = vol.Schema(
            {
                vol.Required(name, msg="is required")
                if name in required and not self._types_only
                else vol.Optional(name): check
                for name, check in fields.items()
            },
            extra=vol.ALLOW_EXTRA,
        )

        def check_all(value: Any) -> Any:
            if value is None and self._types_only:
                return value
            if not isinstance(value, dict):
                raise _refusal("an object", value)
            found = _errors(schema, value)
            if not self._types_only:
                found += [error for rule in rules for error in rule(value)]
            _raise_all(found)
            return value

        return check_all


def _needs_contract(value: dict[str, Any]) -> Iterable[vol.Invalid]:
    """Only provenance off the chain goes without a contract."""
    if value.get("type") in _PROVENANCE_TYPES[:2] and "contract" not in value:
        yield vol.Invalid(f"is required for {value['type']}", path=["contract"])


def _needs_items(*alternatives: str) -> Callable[[dict[str, Any]], list[vol.Invalid]]:
    """Only a playlist that says where its works come from may be without any."""

    def rule(value: dict[str, Any]) -> list[vol.Invalid]:
        if value.get("items") == [] and not any(name in value for name in alternatives):
            return [vol.Invalid("expected at least one item", path=["items"])]
        return []

    return rule


def _display(fields: _Fields) -> Check:
    """How a work is shown."""
    flag = fields.flag()
    mouse = fields.object(dict.fromkeys(("click", "scroll", "drag", "hover"), flag))
    interaction = {"keyboard": fields.each(fields.text()), "mouse": mouse}
    return fields.object(
        {
            "scaling": fields.choice(SCALINGS),
            "margin": fields.margin(),
            "background": fields.text(
                "a color like #1a2b3c, or transparent", _COLOR.fullmatch
            ),
            "autoplay": flag,
            "loop": flag,
            "interaction": fields.object(interaction),
            "userOverrides": fields.table(flag, "an object of true and false"),
        }
    )


def _provenance(fields: _Fields, sha256: Check) -> Check:
    """Where a work comes from."""
    uri = fields.uri()
    origin = {
        "chain": fields.choice(_CHAINS),
        "standard": fields.choice(_STANDARDS),
        "uri": uri,
    }
    contract = {
        **origin,
        "address": fields.text(),
        "seriesId": fields.index(),
        "tokenId": fields.text(),
        "metaHash": sha256,
    }
    return fields.object(
        {
            "type": fields.choice(_PROVENANCE_TYPES),
            "contract": fields.object(contract),
            "dependencies": fields.each(fields.object(origin)),
        },
        _needs_contract,
        required=("type",),
    )


def _repro(fields: _Fields, sha256: Check) -> Check:
    """How to check that a work looks as it should."""
    prefixed = fields.text("hexadecimal text like 0x1a2b", _HEX_0X.fullmatch)
    engines = dict.fromkeys(("chromium", "webkit", "gecko"), fields.text())
    return fields.object(
        {
            "engineVersion": fields.object(engines),
            "seed": prefixed,
            "assetsSHA256": fields.each(sha256),
            "frameHash": fields.object({"sha256": sha256, "phash": prefixed}),
        }
    )


def _note(fields: _Fields) -> Check:
    """A card with a few words (playlists extension)."""
    seconds = fields.number("a number of seconds above 0", lambda value: value > 0)
    return fields.object(
        {"text": fields.sized(1, 500), "duration": seconds}, required=("text",)
    )


def _curator(fields: _Fields) -> Check:
    """A person or house with a key (playlists extension)."""
    return fields.object(
        {
            "name": fields.text(),
            "key": fields.text("a DID, like did:key:z6Mk…", _DID.fullmatch),
            "url": fields.uri(),
        },
        required=("name", "key"),
    )


def _dynamic_query(fields: _Fields) -> Check:
    """Where the items are to be fetched from (playlists extension)."""
    words = fields.table(fields.text(), "an object of texts")
    mapping = fields.object(
        {
            "itemsPath": fields.text(),
            "itemSchema": fields.text("text like dp1/1.1", _ITEM_SCHEMA.fullmatch),
            "itemMap": words,
        },
        required=("itemsPath", "itemSchema"),
    )
    return fields.object(
        {
            "profile": fields.choice(("https-json-v1", "graphql-v1")),
            "endpoint": fields.uri(),
            "method": fields.choice(("GET", "POST")),
            "headers": words,
            "query": fields.text(),
            "responseMapping": mapping,
        },
        required=("profile", "endpoint", "responseMapping"),
    )


def _signature(fields: _Fields) -> Check:
    """One entry of a signature chain."""
    checks = {
        "alg": fields.choice(_ALGORITHMS),
        "kid": fields.text("a DID, like did:key:z6Mk…", _DID.fullmatch),
        "ts": fields.text("a date and time with zone", is_date_time),
        "payload_hash": fields.text(
            "sha256: and 64 hexadecimal digits", _PAYLOAD_HASH.fullmatch
        ),
        "role": fields.choice(ROLES),
        "sig": fields.text("base64url without padding", _BASE64URL.fullmatch),
    }
    return fields.object(checks, required=tuple(checks))


def _item(fields: _Fields, sha256: Check, display: Check) -> Check:
    """One work."""
    uri = fields.uri()
    return fields.object(
        {
            "id": fields.text("a UUID", is_uuid),
            "slug": fields.text("lower-case words joined by -", _SLUG.fullmatch),
            "title": fields.text(),
            "source": uri,
            "duration": fields.seconds(),
            "license": fields.choice(LICENSES),
            "ref": uri,
            "refHash": fields.text(),
            "override": fields.object({}),
            "display": display,
            "repro": _repro(fields, sha256),
            "provenance": _provenance(fields, sha256),
            "note": _note(fields),
        },
        required=("source",),
    )


@cache
def playlist_schema(rules: Rules) -> Check:
    """Make the check of a whole playlist.

    The check raises `vol.MultipleInvalid` with one error for each fault, paths relative to the document.
    """
    fields = _Fields(rules)
    legacy = rules is Rules.LEGACY
    sha256 = fields.text(
        "64 lower-case hexadecimal digits",
        (_SHA256_LEGACY if legacy else _SHA256).fullmatch,
    )
    display = _display(fields)
    defaults = {
        "display": display,
        "license": fields.choice(LICENSES),
        "duration": fields.seconds(),
    }
    return fields.object(
        {
            "dpVersion": fields.text("a version like 1.1.0", _DP_VERSION.fullmatch),
            "id": fields.text("a UUID", is_uuid),
            "title": fields.sized(1, 256 if legacy else 200),
            "slug": fields.text("lower-case words joined by -", _SLUG.fullmatch),
            "created": fields.text("a date and time with zone", is_date_time),
            "defaults": fields.object(defaults),
            "items": fields.each(
                _item(fields, sha256, display), expected="a list of items"
            ),
            "signatures": fields.each(
                _signature(fields), minimum=1, expected="a list of signatures"
            ),
            "signature": fields.text(
                "ed25519: and hexadecimal digits", _LEGACY_SIGNATURE.fullmatch
            ),
            "curators": fields.each(_curator(fields)),
            "summary": fields.sized(1, 2000),
            "coverImage": fields.uri(),
            "note": _note(fields),
            "dynamicQuery": _dynamic_query(fields),
        },
        _needs_items("dynamicQuery", *(("dynamicQueries",) if legacy else ())),
        required=("dpVersion", "title", "items"),
    )
