"""What the fields of a DP-1 playlist must look like, as voluptuous schemas.

The rules are those of the v1.1.0 JSON schemas (core, playlists extension 0.2.0 and content rating 0.1.0).  Unknown fields are
legal everywhere.  Every check reports all faults below it, not only the first.
"""

from collections.abc import Callable, Iterable
from functools import cache
import re
from typing import Any

import voluptuous as vol

from .fields import Check, Fields, Rules, is_date_time, is_uuid

DP_VERSION = "1.1.0"
SIGNATURE_FIELDS = ("signature", "signatures")


_DP_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}|transparent")
_DID = re.compile(r"did:[a-z]+:.+")
_HEX_0X = re.compile(r"0x[a-f0-9]+")
_SHA256 = re.compile(r"[a-f0-9]{64}")
_SHA256_LEGACY = re.compile(r"(?:0x)?[a-f0-9]{64}")
_ITEM_SCHEMA = re.compile(r"dp1/[0-9]+\.[0-9]+")
_PAYLOAD_HASH = re.compile(r"sha256:[a-f0-9]{64}")
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")
_LEGACY_SIGNATURE = re.compile(r"ed25519:(?:0x)?[a-f0-9]+")


LICENSES = ("open", "token", "subscription")
CONTENT_RATINGS = ("general", "mature")
SCALINGS = ("fit", "fill", "stretch", "auto")
ROLES = ("curator", "feed", "agent", "institution", "licensor")
_ALGORITHMS = ("ed25519", "eip191", "ecdsa-secp256k1", "ecdsa-p256")
_CHAINS = ("evm", "tezos", "bitmark", "other")
_STANDARDS = ("erc721", "erc1155", "fa2", "other")
_PROVENANCE_TYPES = ("onChain", "seriesRegistry", "offChainURI")


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


def _display(fields: Fields) -> Check:
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


def _provenance(fields: Fields, sha256: Check) -> Check:
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


def _repro(fields: Fields, sha256: Check) -> Check:
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


def _note(fields: Fields) -> Check:
    """A card with a few words (playlists extension)."""
    seconds = fields.number("a number of seconds above 0", lambda value: value > 0)
    return fields.object(
        {"text": fields.sized(1, 500), "duration": seconds}, required=("text",)
    )


def _curator(fields: Fields) -> Check:
    """A person or house with a key (playlists extension)."""
    return fields.object(
        {
            "name": fields.text(),
            "key": fields.text("a DID, like did:key:z6Mk…", _DID.fullmatch),
            "url": fields.uri(),
        },
        required=("name", "key"),
    )


def _dynamic_query(fields: Fields) -> Check:
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


def _signature(fields: Fields) -> Check:
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


def _is_local_date_time(text: str) -> bool:
    """Return whether a text is a date with a time, with or without a zone."""
    return is_date_time(text) or is_date_time(f"{text}Z")


def _item(fields: Fields, sha256: Check, display: Check) -> Check:
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
            "displayAt": fields.text("a date with a time", _is_local_date_time),
            "contentRating": fields.choice(CONTENT_RATINGS),
            "contentReasons": fields.each(fields.text("text", bool)),
            "inlineManifest": fields.object(
                {"refVersion": fields.text(), "locale": fields.text()},
                required=("refVersion", "locale"),
            ),
        },
        required=("source",),
    )


@cache
def playlist_schema(rules: Rules) -> Check:
    """Make the check of a whole playlist.

    The check raises `vol.MultipleInvalid` with one error for each fault, paths relative to the document.
    """
    fields = Fields(rules)
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
            "schedule": fields.object({"byDisplayAt": fields.flag()}),
        },
        _needs_items("dynamicQuery", *(("dynamicQueries",) if legacy else ())),
        required=("dpVersion", "title", "items"),
    )
