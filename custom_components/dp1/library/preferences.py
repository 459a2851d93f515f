"""Preferences of a library."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ..const import (
    CONF_BACKGROUND,
    CONF_CATALOG_URL,
    CONF_CURATOR,
    CONF_DAILY_FROM_VENDOR,
    CONF_DAILY_URL,
    CONF_DURATION,
    CONF_INDEXER_URL,
    CONF_MARGIN,
    CONF_SCALING,
    CONF_SOURCES,
    DEFAULT_DURATION,
    DEFAULT_INDEXER_URL,
    DEFAULT_SOURCES,
)


def default_sources(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the groups in the source list unless the owner chose others; a library without a catalog has playlists."""
    if data.get(CONF_CATALOG_URL):
        return DEFAULT_SOURCES
    return ("playlists", *DEFAULT_SOURCES[1:])


@dataclass(frozen=True, slots=True)
class Preferences:
    """Options of a library; `display` has scaling, background and margin of new playlists as far as they are set."""

    sources: frozenset[str]
    duration: float
    display: Mapping[str, Any]
    curator: str
    indexer_url: str
    daily_url: str
    daily_from_vendor: bool

    @classmethod
    def of(cls, options: Mapping[str, Any], data: Mapping[str, Any]) -> Self:
        """Return the preferences in the options and data of an entry."""
        display = {
            key: options[key]
            for key in (CONF_SCALING, CONF_BACKGROUND)
            if options.get(key)
        }
        if margin := str(options.get(CONF_MARGIN) or ""):
            display[CONF_MARGIN] = int(margin) if margin.isdecimal() else margin
        duration = float(options.get(CONF_DURATION, DEFAULT_DURATION))
        return cls(
            sources=frozenset(options.get(CONF_SOURCES, default_sources(data))),
            duration=int(duration) if duration.is_integer() else duration,
            display=display,
            curator=options.get(CONF_CURATOR, ""),
            indexer_url=options.get(CONF_INDEXER_URL, DEFAULT_INDEXER_URL),
            daily_url=options.get(CONF_DAILY_URL, ""),
            daily_from_vendor=options.get(CONF_DAILY_FROM_VENDOR, False),
        )
