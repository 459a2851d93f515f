"""Unusual works, for the exhibition "Loose Ends": every shape that a record of the catalog can have."""

from collections.abc import Callable
from typing import Any

type Json = dict[str, Any]
type Place = Callable[[str], str]

STREAM = "https://customer-5sim.cloudflarestream.com/0123abcd/manifest"
IMAGE = "https://imagedelivery.net/Qp3nPz0aH1mB5kQ7xW2v9A/0b1c2d3e-4f50-4a61-9b72-c8d9e0f10200"
CONTRACT = "0x115C9A6118bC7a3EB0aBD30f6BCF1C45Bb198AEd"


def _sources(works: list[Json], place: Place) -> list[Json]:
    changes: list[Json] = [
        {"previewURI": place("previews/odd/1/index.html")},
        {"previewURI": "/previews/odd/2/"},
        {"previewURI": "ipfs://bafyoddoddodd/index.html?seed=3"},
        {"previewURI": IMAGE},
        {"previewURI": f"{IMAGE}/public"},
        {"previewURI": "javascript:alert(1)"},
        {
            "previewDisplay": {
                "HLS": f"{STREAM}/video.m3u8",
                "DASH": f"{STREAM}/video.mpd",
            }
        },
        {"metadata": {"alternativePreviewURI": "https://works.example/8?x=1&y=2"}},
        {"previewURI": "", "metadata": {"previewCloudFlareURL": IMAGE}},
        {"previewURI": "previews/odd/10/?a=ü b&c=%20"},
        {"previewURI": "", "metadata": None},
        {"burned": True},
    ]
    return _changed(works, changes)


def _names(works: list[Json], place: Place) -> list[Json]:
    """Return variations of the name and the place of a work."""
    changes: list[Json] = [
        {"name": "#1"},
        {"name": "AE", "category": "AE"},
        {"name": "AP", "category": "AP"},
        {"name": "PP"},
        {"name": ""},
        {"name": "Every Kind of Name, the sixth"},
        {"name": "Cirrus, signed"},
        {"name": "Plate #8"},
        {"name": "<b>Bold</b> &amp; bright"},
        {"name": "第十番"},
        {"name": None, "index": None},
        {"isArchived": True},
    ]
    works = _changed(works, changes)
    del works[10]["index"]
    return works


def _tokens(works: list[Json], place: Place) -> list[Json]:
    """Return variations of the token of a work."""
    token = (
        "92419109143972345096969611651362597777388673613154609693448331487805624917924"
    )
    nothing = {"chain": "", "contractAddress": "", "tokenID": ""}
    swap = {"blockchainType": "tezos", "contractAddress": "KT1Odd", "token": "1000000"}
    changes: list[Json] = [
        {"chain": "ethereum", "contractAddress": CONTRACT, "tokenID": int(token)},
        {
            "chain": "ethereum",
            "contractAddress": CONTRACT,
            "tokenID": f"{int(token):064x}",
        },
        {"chain": "tezos", "contractAddress": "KT1Odd", "tokenID": "1000000"},
        {"chain": "bitmark", "contractAddress": "", "tokenID": "f0" * 32},
        {"chain": "base", "contractAddress": CONTRACT, "tokenID": "7"},
        {"chain": "solana", "contractAddress": "So1Odd", "tokenID": "8"},
        nothing | {"successfulSwap": swap},
        nothing | {"swap": swap | {"blockchainType": "ethereum", "token": "ab" * 32}},
        nothing,
        {"chain": "ethereum", "contractAddress": CONTRACT, "tokenID": None},
        {"chain": "ethereum", "contractAddress": "", "tokenID": token},
        {"chain": None, "contractAddress": None, "tokenID": None},
    ]
    return _changed(works, changes)


def _no_source(works: list[Json], place: Place) -> list[Json]:
    return _changed(works, [{"previewURI": "", "previewDisplay": {}, "metadata": {}}])


def _no_works(works: list[Json], place: Place) -> list[Json]:
    return []


def _changed(works: list[Json], changes: list[Json]) -> list[Json]:
    """Change each work by the next of some variations."""
    return [work | change for work, change in zip(works, changes, strict=True)]


ODD_WORKS: dict[str, Callable[[list[Json], Place], list[Json]]] = {
    "Every Kind of Source": _sources,
    "Every Kind of Name": _names,
    "Every Kind of Token": _tokens,
    "No Source at All": _no_source,
    "Source of the Series": _no_source,
    "Overwritten": _no_source,
    "No Works": _no_works,
}
