"""The DP-1 1.1.0 schemas, as the Go feed applies them to a document after it has signed it."""

from collections.abc import Callable, Iterator, Mapping
import re
from typing import Any

from .text import is_absolute_uri, is_uuid, parse_time

type Rule = Callable[[Any, str], Iterator[str]] | Mapping[str, Rule]

_PREFIX = "https://dp1.feralfile.com"
_SCHEMA_OF = {
    "playlist": f"{_PREFIX}/schemas/v1.1.0/playlist.json#",
    "extended": f"{_PREFIX}/extensions/playlists/v0.1.0/playlist_with_extension.json#",
    "group": f"{_PREFIX}/schemas/v1.1.0/playlist-group.json#",
    "channel": f"{_PREFIX}/extensions/channels/v0.1.0/schema.json#",
    "playlist-2026": f"{_PREFIX}/extensions/playlists/v0.2.0/playlist_with_extension.json#",
    "channel-2026": f"{_PREFIX}/extensions/channels/v1.0.0/schema.json#",
}


def _pattern(expression: str) -> Rule:
    """Return a check for a pattern."""
    compiled = re.compile(expression.removesuffix("$") + r"\Z", re.ASCII)

    def check(value: Any, at: str) -> Iterator[str]:
        """Match it."""
        if not isinstance(value, str) or not compiled.match(value):
            yield f"at '{at}': {value!r} does not match pattern '{expression}'"

    return check


def _length(shortest: int, longest: int) -> Rule:
    """Return a check for the length in characters."""

    def check(value: Any, at: str) -> Iterator[str]:
        """Count them."""
        if len(value) < shortest:
            yield f"at '{at}': minLength: got {len(value):,}, want {shortest:,}"
        elif len(value) > longest:
            yield f"at '{at}': maxLength: got {len(value):,}, want {longest:,}"

    return check


def _one_of(*values: str) -> Rule:
    """Return a check for some words."""

    def check(value: Any, at: str) -> Iterator[str]:
        """Look it up."""
        if value not in values:
            yield f"at '{at}': value must be one of {', '.join(map(repr, values))}"

    return check


def _at_least_zero(value: Any, at: str) -> Iterator[str]:
    """Check for a number of at least zero."""
    if value < 0:
        yield f"at '{at}': minimum: got {value}, want 0"


def _above_zero(value: Any, at: str) -> Iterator[str]:
    """Check for a number above zero."""
    if value <= 0:
        yield f"at '{at}': exclusiveMinimum: got {value}, want 0"


def _uri(value: Any, at: str) -> Iterator[str]:
    """Check for a URI."""
    if not is_absolute_uri(value):
        yield f"at '{at}': {value!r} is not valid uri: relative url"


def _uuid(value: Any, at: str) -> Iterator[str]:
    """Check for a UUID."""
    if not is_uuid(value):
        yield f"at '{at}': {value!r} is not valid uuid: must have 5 elements"


def _date_time(value: Any, at: str) -> Iterator[str]:
    """Check for an RFC 3339 time."""
    if parse_time(value.upper()) is None:
        yield f"at '{at}': {value!r} is not valid date-time"


def _object(value: Any, at: str) -> Iterator[str]:
    """Check for an object."""
    if not isinstance(value, dict):
        yield f"at '{at}': got {type(value).__name__}, want object"


def _each(rule: Rule, shortest: int = 0) -> Rule:
    """Return a check for the elements of a list."""

    def check(value: Any, at: str) -> Iterator[str]:
        """Check them one by one."""
        if value is None:
            yield f"at '{at}': got null, want array"
            return
        if len(value) < shortest:
            yield f"at '{at}': minItems: got {len(value)}, want {shortest}"
        for index, entry in enumerate(value):
            yield from faults(entry, rule, f"{at}/{index}")

    return check


def _date_time_of_place(value: Any, at: str) -> Iterator[str]:
    """Check for a date with a time, with or without a zone."""
    if parse_time(value) is None and parse_time(f"{value}Z") is None:
        yield f"at '{at}': {value!r} is not valid date-time"


def _manifest(value: Any, at: str) -> Iterator[str]:
    """Check a manifest with its four required members."""
    if not isinstance(value, dict):
        yield f"at '{at}': got {type(value).__name__}, want object"
        return
    for name in ("refVersion", "id", "created", "locale"):
        if name not in value:
            yield f"at '{at}': missing property '{name}'"


def _margin(value: Any, at: str) -> Iterator[str]:
    """Check for pixels, or text with a unit."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value >= 0:
            return
    elif isinstance(value, str) and re.fullmatch(
        r"[0-9]+(\.[0-9]+)?(px|%|vw|vh)", value
    ):
        return
    yield f"at '{at}': oneOf failed, none matched"


def _provenance(value: Any, at: str) -> Iterator[str]:
    """Check a provenance block, which requires a contract for some types."""
    yield from faults(value, _PROVENANCE, at)
    if value["type"] in ("onChain", "seriesRegistry") and "contract" not in value:
        yield f"at '{at}': missing property 'contract'"


_SLUG = _pattern("^[a-z0-9]+(?:-[a-z0-9]+)*$")
_SEMVER = _pattern(r"^\d+\.\d+\.\d+$")
_SHA256 = _pattern("^[a-f0-9]{64}$")
_DID = _pattern("^did:[a-z]+:.+$")
_LICENSE = _one_of("open", "token", "subscription")
_CHAIN = _one_of("evm", "tezos", "bitmark", "other")
_STANDARD = _one_of("erc721", "erc1155", "fa2", "other")
_TITLE = _length(1, 200)

_SIGNATURE: dict[str, Rule] = {
    "alg": _one_of("ed25519", "eip191", "ecdsa-secp256k1", "ecdsa-p256"),
    "kid": _DID,
    "ts": _date_time,
    "payload_hash": _pattern("^sha256:[a-f0-9]{64}$"),
    "role": _one_of("curator", "feed", "agent", "institution", "licensor"),
    "sig": _pattern("^[A-Za-z0-9_-]+$"),
}
_ENTITY: Rule = {"key": _DID, "url": _uri}
_NOTE: Rule = {"text": _length(1, 500), "duration": _above_zero}
_DISPLAY: Rule = {
    "scaling": _one_of("fit", "fill", "stretch", "auto"),
    "margin": _margin,
    "background": _pattern("^(#[0-9a-fA-F]{6}|transparent)$"),
}
_PROVENANCE: Rule = {
    "type": _one_of("onChain", "seriesRegistry", "offChainURI"),
    "contract": {
        "chain": _CHAIN,
        "standard": _STANDARD,
        "seriesId": _at_least_zero,
        "uri": _uri,
        "metaHash": _SHA256,
    },
    "dependencies": _each({"chain": _CHAIN, "standard": _STANDARD, "uri": _uri}),
}
_ITEM: dict[str, Rule] = {
    "id": _uuid,
    "slug": _SLUG,
    "source": _uri,
    "duration": _at_least_zero,
    "license": _LICENSE,
    "ref": _uri,
    "override": _object,
    "display": _DISPLAY,
    "repro": {
        "seed": _pattern("^0x[a-f0-9]+$"),
        "assetsSHA256": _each(_SHA256),
        "frameHash": {"sha256": _SHA256, "phash": _pattern("^0x[a-f0-9]+$")},
    },
    "provenance": _provenance,
}
_PLAYLIST: dict[str, Rule] = {
    "dpVersion": _SEMVER,
    "id": _uuid,
    "title": _TITLE,
    "slug": _SLUG,
    "created": _date_time,
    "defaults": {"display": _DISPLAY, "license": _LICENSE, "duration": _at_least_zero},
    "items": _each(_ITEM, 1),
    "signatures": _each(_SIGNATURE, 1),
    "signature": _pattern("^ed25519:[a-f0-9]+$"),
}
_EXTENDED: dict[str, Rule] = _PLAYLIST | {
    "items": _each(_ITEM | {"note": _NOTE}, 1),
    "note": _NOTE,
    "curators": _each(_ENTITY),
    "summary": _length(1, 2000),
    "coverImage": _uri,
    "dynamicQuery": {
        "profile": _one_of("https-json-v1", "graphql-v1"),
        "endpoint": _uri,
        "method": _one_of("GET", "POST"),
        "responseMapping": {"itemSchema": _pattern(r"^dp1/\d+\.\d+$")},
    },
}
_GROUP: dict[str, Rule] = {
    "id": _uuid,
    "slug": _SLUG,
    "title": _TITLE,
    "playlists": _each(_uri, 1),
    "created": _date_time,
    "coverImage": _uri,
    "signatures": _each(_SIGNATURE, 1),
}
_CHANNEL: dict[str, Rule] = _GROUP | {
    "version": _SEMVER,
    "curators": _each(_ENTITY),
    "publisher": _ENTITY,
    "summary": _length(1, 2000),
}
_ROLES_OF_2026 = _one_of(
    "curator", "feed", "agent", "institution", "licensor", "publisher"
)
_PLAYLIST_OF_2026 = _EXTENDED | {
    "items": _each(
        _ITEM
        | {
            "note": _NOTE,
            "displayAt": _date_time_of_place,
            "inlineManifest": _manifest,
            "contentRating": _one_of("general", "mature"),
            "contentReasons": _each(_length(1, 1000)),
        },
        1,
    ),
}
_RULES: dict[str, dict[str, Rule]] = {
    "playlist-2026": _PLAYLIST_OF_2026,
    "channel-2026": _CHANNEL
    | {"signatures": _each(_SIGNATURE | {"role": _ROLES_OF_2026}, 1)},
    "playlist": _PLAYLIST,
    "extended": _EXTENDED,
    "group": _GROUP,
    "channel": _CHANNEL,
}


def faults(value: Any, rule: Rule, at: str = "") -> Iterator[str]:
    """Return every fault of a typed value."""
    if isinstance(rule, Mapping):
        for key, inner in rule.items():
            if key in value:
                yield from faults(value[key], inner, f"{at}/{key}")
    else:
        yield from rule(value, at)


def complaint(document: dict[str, Any], schema: str) -> str | None:
    """Return the message of the feed for a document that violates its schema, or None."""
    found = list(faults(document, _RULES[schema]))
    if schema in ("playlist", "extended", "playlist-2026") and not (
        "signatures" in document or "signature" in document
    ):
        found.append("at '': anyOf failed: missing property 'signatures'")
    if not found:
        return None
    kind = "playlist" if schema == "extended" else schema.removesuffix("-2026")
    what = f"{kind}Invalid"
    lines = "".join(f"\n- {fault}" for fault in found)
    return f"{what}: dp1: validation failed: jsonschema validation failed with '{_SCHEMA_OF[schema]}'{lines}"
