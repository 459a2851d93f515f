"""Playlists for the tests of the client, and strategies that generate more."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

VECTORS = Path(__file__).parents[2] / "fixtures" / "vectors"
ITEM = {"title": "Tide", "source": "https://art.example/tide.html", "duration": 60}
DID = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"
SHA256 = "a" * 64

# Every field of the specification and the playlists extension, with a valid value.
FULL: dict[str, Any] = {
    "dpVersion": "1.1.0",
    "id": "385f79b6-a45f-4c1c-8080-e93a192adccc",
    "slug": "evening-loop",
    "title": "Evening Loop",
    "created": "2026-01-01T00:00:00Z",
    "summary": "Two works for the hall.",
    "coverImage": "ipfs://bafy/cover.png",
    "curators": [{"name": "Alice", "key": DID, "url": "https://alice.example"}],
    "note": {"text": "Please wait", "duration": 15},
    "defaults": {
        "display": {"scaling": "fit", "margin": "5%", "background": "#00ff7F"},
        "license": "open",
        "duration": 300,
    },
    "dynamicQuery": {
        "profile": "https-json-v1",
        "endpoint": "https://indexer.example/q",
        "method": "GET",
        "headers": {"Accept": "application/json"},
        "query": "limit={{limit}}",
        "responseMapping": {
            "itemsPath": "data.works",
            "itemSchema": "dp1/1.1",
            "itemMap": {"title": "name"},
        },
    },
    "items": [
        {
            "id": "ad5de50a-6a0d-4b61-8ef9-7b0f0d1d5e9b",
            "slug": "tide",
            "title": "Tide",
            "source": "https://art.example/tide.html",
            "duration": 12.5,
            "license": "token",
            "ref": "https://art.example/tide.json",
            "refHash": f"sha256:{SHA256}",
            "override": {"duration": 3, "anything": [None, True]},
            "note": {"text": "Next: Tide"},
            "display": {
                "scaling": "fill",
                "margin": 12.5,
                "background": "transparent",
                "autoplay": True,
                "loop": False,
                "interaction": {
                    "keyboard": ["Space", "KeyW"],
                    "mouse": {"click": True, "scroll": True, "drag": True, "hover": True},
                },
                "userOverrides": {"scaling": True},
            },
            "repro": {
                "engineVersion": {"chromium": "123", "webkit": "1", "gecko": "2"},
                "seed": "0x1a",
                "assetsSHA256": [SHA256],
                "frameHash": {"sha256": SHA256, "phash": "0xff"},
            },
            "provenance": {
                "type": "onChain",
                "contract": {
                    "chain": "evm",
                    "standard": "erc721",
                    "address": "0x61d4",
                    "seriesId": 777,
                    "tokenId": "42",
                    "uri": "ipfs://bafy/meta.json",
                    "metaHash": SHA256,
                },
                "dependencies": [
                    {"chain": "tezos", "standard": "fa2", "uri": "https://a.example/"}
                ],
            },
        },
        {"id": "5f741f4c-8a2a-489f-8b0c-d6a2e3b7c5f9", "source": "data:text/html,hi"},
    ],
}  # fmt: skip

# Text that a document can hold; half a surrogate pair cannot be written in UTF-8.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=8,
)


def vectors(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text())
    return loaded


def playlist(**changes: Any) -> dict[str, Any]:
    """Return a small playlist with some fields changed."""
    return {"dpVersion": "1.1.0", "title": "Hall", "items": [dict(ITEM)], **changes}


def one_item(**changes: Any) -> dict[str, Any]:
    return playlist(items=[{**ITEM, **changes}])


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in pairs:
        found += places(inner, (*path, key))
    return found
