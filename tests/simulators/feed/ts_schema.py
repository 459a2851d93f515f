"""The schemas of the TypeScript feed for playlists and channels."""

from collections.abc import Sequence
import re
from typing import Any

from .zod import (
    MISSING,
    Check,
    Issues,
    Path,
    array,
    boolean,
    either,
    enum,
    fields,
    judged,
    number,
    optional,
    partial,
    record,
    string,
)

_ADDRESS = string(1024, r"[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]*")
_HEX = r"0x[a-fA-F0-9]+"
_LICENSE = enum("open", "token", "subscription")
_CHAIN = enum("evm", "tezos", "bitmark", "other")
_STANDARD = optional(enum("erc721", "erc1155", "fa2", "other"))
_FLAG = optional(boolean)
_SEMVER = re.compile(
    r"\s*[v=]?\s*(?P<core>(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*))"
    r"(?P<pre>-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?\s*"
)

_DISPLAY = judged(
    fields(
        scaling=optional(enum("fit", "fill", "stretch", "auto")),
        margin=optional(
            either(
                number=number(0), string=string(None, r"[0-9]+(\.[0-9]+)?(px|%|vw|vh)")
            )
        ),
        background=optional(
            string(None, "(#([0-9a-fA-F]{6}|[0-9a-fA-F]{3})|transparent)")
        ),
        autoplay=_FLAG,
        loop=_FLAG,
        interaction=optional(
            fields(
                keyboard=optional(array(string())),
                mouse=optional(
                    fields(click=_FLAG, scroll=_FLAG, drag=_FLAG, hover=_FLAG)
                ),
            )
        ),
    )
)
_REPRO = judged(
    fields(
        engineVersion=record(string()),
        seed=optional(string(130, _HEX)),
        assetsSHA256=array(string(66, _HEX), 0, 1024),
        frameHash=fields(sha256=string(66, _HEX), phash=optional(string(18, _HEX))),
    )
)
_PROVENANCE_FIELDS = fields(
    type=enum("onChain", "seriesRegistry", "offChainURI"),
    contract=optional(
        fields(
            chain=_CHAIN,
            standard=_STANDARD,
            address=optional(string(48)),
            seriesId=optional(either(number=number(0, 4294967295), string=string(128))),
            tokenId=optional(string(128)),
            uri=optional(_ADDRESS),
            metaHash=optional(string(66, _HEX)),
        )
    ),
    dependencies=optional(
        array(fields(chain=_CHAIN, standard=_STANDARD, uri=_ADDRESS), 0, 1024)
    ),
)


def _provenance(value: Any, path: Path, issues: Issues) -> Any:
    """Check a provenance block and what its type requires."""
    _PROVENANCE_FIELDS(value, path, issues)
    if issues.found:
        return value
    kind, contract = value["type"], value.get("contract")
    if kind == "offChainURI":
        if contract is not None:
            issues.add(
                ("contract",),
                "contract is not allowed when provenance is off chain URI",
            )
        return value
    if contract is None:
        issues.add(
            ("contract",),
            "contract is required when provenance on chain or in series registry",
        )
    given = contract or {}
    if not given.get("address"):
        issues.add(
            ("contract", "address"),
            "contract.address is required for onChain or seriesRegistry provenance",
        )
    wanted = "tokenId" if kind == "onChain" else "seriesId"
    if given.get(wanted) in (None, ""):
        issues.add(
            ("contract", wanted),
            f"contract.{wanted} is required when provenance type is {kind}",
        )
    return value


def _version(value: Any, path: Path, issues: Issues) -> Any:
    """Check for a version of the protocol from 1.0.0 on."""
    before = len(issues.found)
    string(16)(value, path, issues)
    if len(issues.found) > before:
        return value
    found = _SEMVER.fullmatch(value)
    if found is None:
        issues.add(path, f"Invalid semantic version format: {value}")
    elif (
        tuple(int(part) for part in found["core"].split(".")),
        found["pre"] is None,
    ) < ((1, 0, 0), True):
        issues.add(path, f"dpVersion {value} is below minimum required version 1.0.0")
    return value


_ENTITY = judged(
    fields(
        name=string(128),
        key=optional(string(None, "did:key:z[1-9A-HJ-NP-Za-km-z]+")),
        url=optional(_ADDRESS),
    )
)
_DYNAMIC_QUERY = judged(fields(endpoint=_ADDRESS, params=record(string(1024))))
_ITEM = fields(
    title=optional(string(256)),
    source=_ADDRESS,
    duration=number(1),
    license=_LICENSE,
    ref=optional(_ADDRESS),
    override=optional(record()),
    display=_DISPLAY,
    repro=_REPRO,
    provenance=judged(_provenance),
)
_PLAYLIST: dict[str, Check] = {
    "dpVersion": _version,
    "defaults": optional(
        fields(
            display=_DISPLAY, license=optional(_LICENSE), duration=optional(number(1))
        )
    ),
    "title": string(256),
    "curators": optional(array(_ENTITY)),
    "summary": optional(string(4096)),
    "coverImage": optional(_ADDRESS),
    "items": array(_ITEM, 0, 1024),
    "dynamicQueries": optional(array(_DYNAMIC_QUERY)),
}
_CHANNEL: dict[str, Check] = {
    "title": string(256),
    "curator": optional(string(128)),
    "curators": optional(array(_ENTITY)),
    "summary": optional(string(4096)),
    "publisher": optional(_ENTITY),
    "playlists": array(string(1024, r"https?://[^\s]+"), 1, 1024),
    "coverImage": optional(_ADDRESS),
}
_CREATE = {"playlist": fields(**_PLAYLIST), "channel": fields(**_CHANNEL)}
_UPDATE = {
    "playlist": fields(**partial(_PLAYLIST, ("dpVersion", "title", "items"))),
    "channel": fields(**partial(_CHANNEL, ("title", "playlists"))),
}


def _filled(value: Any) -> bool:
    """Return whether a playlist has works or a query for them."""
    return bool(value.get("items") or value.get("dynamicQueries"))


def read(kind: str, body: Any, *, update: bool) -> tuple[dict[str, Any], Issues]:
    """Return the known fields, in order, and their faults."""
    issues = Issues()
    kept = (_UPDATE if update else _CREATE)[kind](body, (), issues)
    if issues.found or kind != "playlist":
        return kept, issues
    named = update and not {"items", "dynamicQueries"} & kept.keys()
    if not named and not _filled(kept):
        what = (
            "If items or dynamicQueries are provided, at least one must be non-empty"
            if update
            else "Playlist must have either items or dynamicQueries (or both)"
        )
        issues.add(("items", "dynamicQueries"), what)
    return kept, issues


def is_identifier(text: str) -> bool:
    """Return whether a text has the form of an id or a slug."""
    return re.fullmatch("[a-zA-Z0-9-]+", text) is not None


def in_order(value: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the existing fields, in this order."""
    return {
        name: value[name] for name in names if value.get(name, MISSING) is not MISSING
    }
