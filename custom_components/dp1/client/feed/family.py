"""The three kinds of feed servers, and their detection.

Source: the interface descriptions of the servers, and running servers of two of the kinds.
"""

from collections.abc import Mapping
from enum import StrEnum

from ..errors import UnexpectedAnswerError
from ..values import mapping


class Family(StrEnum):
    """Kind of feed server."""

    V2 = "v2"
    """In Go, until early 2026: takes an API key or signatures."""
    SIGNED = "signed"
    """In Go, from 2026 on: takes signatures only, and signed intents for changes and deletions."""
    TS = "ts"
    """In TypeScript: takes an API key only, and signs by itself."""


def family_of(info: object) -> Family:
    """Return the kind of a server from its response at the base URL.

    Raises:
        UnexpectedAnswerError: this is no feed.
    """
    told = mapping(info)
    endpoints = told.get("endpoints")
    if not isinstance(endpoints, Mapping) or "playlists" not in endpoints:
        raise UnexpectedAnswerError("no DP-1 feed at this address")
    if told.get("runtime") != "go":
        return Family.V2 if "registry" in endpoints else Family.TS
    keyless = "registry" not in endpoints or _major(told.get("version")) >= 1
    return Family.SIGNED if keyless else Family.V2


def _major(version: object) -> int:
    """Read the first number of a version, 0 if there is none."""
    first = version.partition(".")[0] if isinstance(version, str) else ""
    return int(first) if first.isascii() and first.isdigit() else 0
