"""Metadata of the current work: its own, and that of the libraries."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, Protocol

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback

from ..client.display.casts import Cast
from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import Dp1Error
from ..client.playlist.manifest import Work
from ..client.url import read_url
from ..client.values import text
from ..data import DATA

IMAGE_SUFFIXES = {".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"}


def picture_of(
    item: PlaylistItem | None,
    work: Work | None = None,
    playlist: Mapping[str, Any] | None = None,
) -> str | None:
    """Return the picture of a work: its thumbnail, that of the library, itself if it is an image, or its playlist's cover."""
    if item is None:
        return None
    for candidate in (
        item.thumbnail,
        work.picture if work else None,
        item.source if _is_image(item.source) else None,
        text(playlist.get("coverImage")) if playlist else None,
    ):
        if candidate and candidate.startswith(("http://", "https://")):
            return candidate
    return None


def work_details(
    player: PlayerStatus | None, item: PlaylistItem | None, work: Work
) -> dict[str, Any]:
    """Return the details of a work and its playlist, for the attributes of the media player."""
    return {
        "license": item.license if item else None,
        "provenance": (item.provenance if item else None) or work.provenance,
        "works": len(player.items) if player else None,
        "work_id": item.id if item else None,
        "playlist_id": player.playlist_id if player else None,
        "playlist_url": player.playlist_url if player else None,
        "series": work.series,
        "exhibition": work.exhibition,
        "edition": work.edition,
        "year": work.year,
        "medium": work.medium,
        "link": work.link,
        "note": (item.note if item else None) or work.note,
        "about_artist": (item.about_artist if item else None) or work.about_artist,
    }


def with_sent_texts(
    item: PlaylistItem | None, *casts: Cast | None
) -> PlaylistItem | None:
    """Return a work with the manifest and the note that it was cast with, which older firmware drops.

    The note of the playlist stands for works without their own.
    """
    if item is None:
        return None
    for cast in casts:
        playlist = (cast.playlist if cast else None) or {}
        for given in playlist.get("items") or ():
            sent = {"note": playlist.get("note")} | given
            if (item.id and sent.get("id") == item.id) or (
                item.source and sent.get("source") == item.source
            ):
                dropped = {
                    name: sent[name]
                    for name in ("inlineManifest", "note")
                    if sent.get(name) and not item.raw.get(name)
                }
                return PlaylistItem.parse({**item.raw, **dropped}) if dropped else item
    return item


@lru_cache
def _is_image(source: str | None) -> bool:
    """Return whether a source is an image, by its suffix; asking for each work would burden its server."""
    if not source or not source.startswith("http"):
        return False
    try:
        return PurePosixPath(read_url(source).path).suffix.lower() in IMAGE_SUFFIXES
    except ValueError:
        return False


# Retries while a library has errors.


class WorkSource(Protocol):
    """What may know works: a library."""

    def known_work(self, item: PlaylistItem) -> Work | None:
        """Return what is known of a work without a request."""

    async def async_find_work(self, item: PlaylistItem) -> Work | None:
        """Return what is known or can be looked up of a work, or raise why nothing could be."""


class ArtworkMetadata:
    """What the libraries know of the current work of one display."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        on_found: Callable[[Work], None],
    ) -> None:
        """Initialize without a work.

        Args:
            hass: Home Assistant.
            entry: of the display.
            on_found: called with what was found later.
        """
        self._hass = hass
        self._entry = entry
        self._on_found = on_found
        self._sources: Sequence[WorkSource] = ()
        self._item: PlaylistItem | None = None
        self._work: Work | None = None
        self._look_up: asyncio.Task[None] | None = None
        self._ask_again = False

    @callback
    def work(self, item: PlaylistItem | None) -> Work | None:
        """Return what is known of a work, and look up the rest in the background."""
        if item != self._item:
            self._stop()
            self._item = item
            self._work = None
            self._read()
        return self._work

    @property
    def is_looking_up(self) -> bool:
        """Return whether more is being looked up."""
        return self._look_up is not None

    async def async_wait(self, seconds: float) -> None:
        """Wait for the look-up."""
        if self._look_up is not None:
            await asyncio.wait({self._look_up}, timeout=seconds)

    @callback
    def async_update_sources(self, sources: Sequence[WorkSource]) -> None:
        """Handle libraries that have been added, changed or removed."""
        self._sources = sources
        before = self._work
        self._read()
        if self._work is not None and self._work != before:
            self._on_found(self._work)

    def _read(self) -> None:
        """Read the known metadata, and start a look-up if it is incomplete."""
        item = self._item
        if item is None or not self._sources:
            return
        known = [work for source in self._sources if (work := source.known_work(item))]
        best = next((work for work in known if work.link), None)
        self._work = best or (known[0] if known else self._work)
        # Without a source, the status is not complete yet.
        if best is None and item.source:
            self._start(item)

    def _start(self, item: PlaylistItem) -> None:
        """Start a look-up, or another after the one that runs."""
        if self._look_up is not None:
            self._ask_again = True
            return
        self._look_up = self._entry.async_create_background_task(
            self._hass,
            self._async_look_up(item),
            f"{self._entry.title} metadata",
            eager_start=False,
        )

    async def _async_look_up(self, item: PlaylistItem) -> None:
        """Look a work up in one library after the other."""
        found: Work | None = None
        timing = self._hass.data[DATA].timing
        retry = timing.look_up_retry
        self._ask_again = True
        while self._ask_again and not found:
            self._ask_again = in_trouble = False
            async with self._hass.data[DATA].look_ups:
                for source in self._sources:
                    try:
                        if found := await source.async_find_work(item):
                            break
                    except Dp1Error:
                        in_trouble = True
            if in_trouble and not found:
                await asyncio.sleep(retry)
                retry = min(2 * retry, timing.last_look_up_retry)
                self._ask_again = True
        self._look_up = None
        if found is not None and found != self._work:
            self._work = found
            self._on_found(found)

    def _stop(self) -> None:
        """Stop the look-up of a work that is no longer shown."""
        if self._look_up is not None:
            self._look_up.cancel()
            self._look_up = None
