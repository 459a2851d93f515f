"""Playlist items of tokens.

Source: the rule by which the display itself names items of tokens; DP-1 playlists extension for `inlineManifest`.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID, uuid5

from ..playlist.document import build_item
from .addresses import TEZOS
from .models import Token

# The display uses this namespace, so that what hangs is found again whoever resolved it.
_NAMESPACE = UUID("8c95b1c2-4ef7-4ad9-a89a-84e410c1b4b1")
_MANIFEST_VERSION = "1.1.0"


def item_id(token: Token) -> str:
    """Return the id of the item of a token, the same at all times."""
    name = f"{token.contract}:{token.chain}:{token.number}"
    return str(uuid5(_NAMESPACE, name))


def provenance(token: Token) -> dict[str, Any]:
    """Return the provenance of the item of a token."""
    return {
        "type": "onChain",
        "contract": {
            "chain": "tezos" if token.chain == TEZOS else "evm",
            "standard": token.standard,
            "address": token.contract,
            "tokenId": token.number,
        },
    }


def build_token_item(token: Token, duration: float) -> dict[str, Any] | None:
    """Build the playlist item of a token; None if it has nothing that a display can load.

    Args:
        token: the token.
        duration: seconds; players never go on from a work without one.
    """
    if token.source is None:
        return None
    item = build_item(
        token.source,
        id=item_id(token),
        title=token.name,
        duration=duration,
        license="open",
        provenance=provenance(token),
    )
    if manifest := _manifest(token):
        item["inlineManifest"] = manifest
    return item


def build_items(tokens: Iterable[Token], duration: float) -> list[dict[str, Any]]:
    """Build the items of tokens, except of those that have nothing that a display can load."""
    built = (build_token_item(token, duration) for token in tokens)
    return [item for item in built if item is not None]


def _manifest(token: Token) -> dict[str, Any] | None:
    """Build what tells more of a work than its title; None if nothing more is known."""
    metadata: dict[str, Any] = {"title": token.name}
    if token.artists:
        metadata["artists"] = [{"name": name} for name in token.artists]
    if token.description:
        metadata["description"] = token.description
    if token.thumbnail and token.thumbnail != token.source:
        metadata["thumbnails"] = {"default": {"uri": token.thumbnail}}
    if len(metadata) == 1:
        return None
    return {
        "refVersion": _MANIFEST_VERSION,
        "id": item_id(token),
        "locale": "en",
        "metadata": metadata,
    }
