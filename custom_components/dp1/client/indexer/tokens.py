"""Tokens of the indexer.

Sources: GraphQL schema of the indexer, 2026, where every 64-bit number is text and anything may be null; the rule by
which the display itself names items of tokens.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from mimetypes import guess_type
import re
from typing import Any, Self
from uuid import UUID, uuid5

from ..hosts import loaded_url
from ..text import MAX_TITLE, clean, plain, unshown_type
from ..values import address, json_field, json_fields, mapping, moment, objects, text
from .links import TEZOS

MAX_ARTISTS = 20
MAX_DESCRIPTION = 2000
MAX_SOURCE = 1024
# A work that is kept on a chain as a whole is its own source. Every status of a display carries all of them.
MAX_DATA = 64 * 1024
MAX_ALL_DATA = 1024 * 1024
_SIZES = ("m", "l", "s", "xs", "preview")
_LARGE_SIZES = ("xl", "l")
# The chain as in CAIP-2, the standard, the contract and the number of a token: never a number, as it may be too long.
_CID = re.compile(r"([^:]+:[^:]+):([^:]+):([^:]+):([0-9]{1,78})")
_DATA = re.compile(r"data:([a-z]+/[\w.+-]+)[;,]", re.IGNORECASE)


def web_source(url: str | None) -> str | None:
    """Return an address that a display can load: https, or that of a public gateway."""
    if not url or len(url) > MAX_SOURCE:
        return None
    url = loaded_url(url)
    return url if url and url[:6].lower() == "https:" else None


def data_type(url: str | None) -> str:
    """Return the type of a ``data`` address, empty if it is none."""
    match = _DATA.match(url or "")
    return match[1].lower() if match else ""


def _any_source(url: str | None) -> str | None:
    """Return an address that a display can load: that of a web server, or a small work by itself."""
    url = url or ""
    if unshown_type(url):
        return None
    return url if data_type(url) and len(url) <= MAX_DATA else web_source(url)


def _names(artists: object) -> tuple[str, ...]:
    """Return the names of artists, each once."""
    names = (clean(artist.get("name"), MAX_TITLE) for artist in objects(artists))
    return tuple(dict.fromkeys(name for name in names if name))[:MAX_ARTISTS]


@dataclass(frozen=True, slots=True)
class Token:
    """A token as the indexer knows it.

    Attributes:
        id: the indexer's own, by which its events name the token.
        cid: ``chain:standard:contract:number``.
        name: its title as plain text, or else its number.
        item_id: of its playlist item, the same at all times.
        artists: names, only those that are known.
        source: https address of the work, or all of it in a ``data`` address of up to ``MAX_DATA`` characters; None if
            it has none that a display can load.
        image: https address of its still; None if that is a film, a page or a model.
        thumbnail: https address of a small picture.
        mime_type: of the work; may be wrong.
        is_moderated: whether the indexer hides it as unwanted.
        is_hidden: whether it does, or has found no media of it.
        held_since: when the newest of the owners that it was read for got it; None if unknown.
    """

    id: str
    cid: str
    name: str
    item_id: str
    description: str = json_field(plain(MAX_DESCRIPTION), "description", default="")
    artists: tuple[str, ...] = json_field(_names, "artists", default=())
    source: str | None = None
    image: str | None = None
    thumbnail: str | None = None
    mime_type: str = json_field(plain(MAX_TITLE), "mime_type", default="")
    is_moderated: bool = False
    is_hidden: bool = False
    held_since: datetime | None = None

    @classmethod
    def parse(
        cls, record: Mapping[str, Any], owners: Collection[str] = ()
    ) -> Self | None:
        """Parse a record; None without the id of the token.

        Args:
            record: as the indexer has it.
            owners: the owners that it was read for; their addresses are kept out of everything.
        """
        token_id, cid = text(record.get("id")), text(record.get("token_cid"))
        if not token_id or not cid or (match := _CID.fullmatch(cid)) is None:
            return None
        chain, _, contract, number = match.groups()
        is_moderated = record.get("moderation_status") not in (None, "", "none")
        display, assets = record.get("display"), record.get("media_assets")
        if owners:
            names = "|".join(re.escape(owner.removeprefix("0x")) for owner in owners)
            pattern = re.compile(f"(0x)?({names})", re.IGNORECASE)
            display, assets = _without(pattern, display), _without(pattern, assets)
        display, assets = mapping(display), objects(assets)
        image = _still(display)
        return cls(
            id=token_id,
            cid=cid,
            name=clean(display.get("name"), MAX_TITLE) or f"#{number[:20]}",
            item_id=str(uuid5(_NAMESPACE, f"{contract}:{chain}:{number}")),
            source=_source(display, assets),
            image=image,
            thumbnail=_thumbnail(display.get("image_url"), assets) or image,
            is_moderated=is_moderated,
            is_hidden=is_moderated or record.get("viewable") is False,
            held_since=_held_since(record.get("owner_provenances"), owners),
            **json_fields(cls, display),
        )


def _without(pattern: re.Pattern[str], value: object) -> Any:
    """Return a value without the URLs in which a pattern is found, and other texts without the pattern."""
    match value:
        case Mapping():
            return {name: _without(pattern, part) for name, part in value.items()}
        case list():
            return [_without(pattern, part) for part in value]
        case str() if pattern.search(value):
            is_url = "://" in value or value.startswith("data:")
            return None if is_url else pattern.sub("", value)
    return value


def _held_since(provenances: object, owners: Collection[str]) -> datetime | None:
    """Return when the newest of the owners got a token."""
    addresses = {owner.lower() for owner in owners}
    times = [
        when
        for item in objects(mapping(provenances).get("items"))
        if (text(item.get("owner_address")) or "").lower() in addresses
        and (when := moment(item.get("last_timestamp")))
    ]
    return max(times, default=None)


def _source(display: Mapping[str, Any], assets: list[Mapping[str, Any]]) -> str | None:
    """Return the address of the work: its animation, else its image, else another medium, else a large variant."""
    candidates = [
        display.get("animation_url"),
        display.get("image_url"),
        *(asset.get("source_url") for asset in assets),
        *(
            mapping(asset.get("variants")).get(size)
            for asset in assets
            for size in _LARGE_SIZES
        ),
    ]
    return next(
        (url for value in candidates if (url := _any_source(address(value)))), None
    )


def _still(display: Mapping[str, Any]) -> str | None:
    """Return the address of the still, if it is a picture as far as its address or the type of the work tells."""
    url = web_source(address(display.get("image_url")))
    kind = guess_type(re.split("[?#]", url or "", maxsplit=1)[0])[0]
    if kind is None and display.get("animation_url") in (
        None,
        display.get("image_url"),
    ):
        kind = text(display.get("mime_type"))
    # Of a folder and the like it does not tell.
    is_other = (kind or "").lower().startswith(("audio/", "model/", "text/", "video/"))
    return None if is_other else url


def _thumbnail(image_url: object, assets: list[Mapping[str, Any]]) -> str | None:
    """Return the address of a small picture among the variants of the image."""
    for asset in assets:
        if asset.get("source_url") == image_url:
            variants = mapping(asset.get("variants"))
            for size in _SIZES:
                if url := web_source(address(variants.get(size))):
                    return url
    return None


# The display uses this namespace, so that what hangs is found again whoever resolved it.
_NAMESPACE = UUID("8c95b1c2-4ef7-4ad9-a89a-84e410c1b4b1")


def provenance(token: Token) -> dict[str, Any]:
    """Return the provenance of the item of a token."""
    chain, standard, contract, number = token.cid.rsplit(":", 3)
    return {
        "type": "onChain",
        "contract": {
            "chain": "tezos" if chain == TEZOS else "evm",
            "standard": standard,
            "address": contract,
            "tokenId": number,
        },
    }
