"""Metadata of the current work: its own, and that of the libraries."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from ..addresses import ADDRESSES
from ..client.display.client import Display
from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import Dp1Error
from ..client.hosts import image_at, loaded_url, same_work
from ..client.playlist.playlist import Playlist
from ..const import DOMAIN
from ..library.item import Item
from ..library.library import Library

# Seconds until a work is looked up again after a library failed; doubled each time.
LOOK_UP_RETRY: Final = 60.0
# The most of that.
LAST_LOOK_UP_RETRY: Final = 3600.0

LOOK_UPS: Final[HassKey[asyncio.Semaphore]] = HassKey(f"{DOMAIN}_look_ups")
LOOK_UPS_AT_ONCE: Final = 4


def work_of(
    item: PlaylistItem,
    other: Item | None = None,
    playlist: Mapping[str, Any] | None = None,
    language: str = "",
    title: str | None = None,
) -> Item:
    """Return the work of a playlist item, completed by a library, with a picture: its own, itself or the playlist's cover.

    Without a title, a work has that of the playlist. Displays lay titles of works over pages, so ours have none.
    """
    work, source = Item.of_item(item, language).completed_by(other), item.address
    pictures = [item.thumbnail, other.picture if other else None]
    pictures.append(image_at(source or ""))
    pictures.append(playlist.get("coverImage") if playlist else None)
    picture = next(filter(None, map(loaded_url, filter(None, pictures))), None)
    return replace(
        work, title=work.title or title or "", source=source, picture=picture
    )


def sent_item(player: PlayerStatus, *playlists: Playlist | None) -> PlaylistItem | None:
    """Return the current work with the manifest and the note that it was cast with, which older firmware drops.

    The note of the playlist stands for works without their own.
    """
    if (item := player.current) is None:
        return None
    for playlist in playlists:
        if playlist is None:
            continue
        for work in playlist.items:
            if (item.id and work.get("id") == item.id) or (
                item.source
                and same_work(str(work.get("source"))) == same_work(item.source)
            ):
                sent = {"note": playlist.document.get("note")} | work
                dropped = {
                    name: sent[name]
                    for name in ("inlineManifest", "note")
                    if sent.get(name) and not item.raw.get(name)
                }
                return PlaylistItem.parse({**item.raw, **dropped}) if dropped else item
    return item


class ArtworkMetadata:
    """The current work of one display as the libraries have it.

    Attributes:
        work: the current work as a library has it, None without one.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        display: Display,
        on_change: CALLBACK_TYPE,
    ) -> None:
        """Initialize without a work; `on_change` is called when more of it is known."""
        self._hass = hass
        self._entry = entry
        self._display = display
        self._on_change = on_change
        self._sources: Sequence[Library] = ()
        self._item: PlaylistItem | None = None
        self.work: Item | None = None
        self._look_up: asyncio.Task[None] | None = None
        self._sources_changed = asyncio.Event()

    @callback
    def follow(self, player: PlayerStatus | None) -> None:
        """Follow a player to its current work, and look up in the background what is not known of that."""
        item = player.current if player else None
        if item != self._item:
            if self._look_up is not None:
                self._look_up.cancel()
                self._look_up = None
            self._item, self.work = item, None
            self._read()

    @property
    def is_looking_up(self) -> bool:
        """Return whether more is being looked up."""
        return self._look_up is not None

    async def async_wait(self, seconds: float) -> None:
        """Wait for the look-up."""
        if self._look_up is not None:
            await asyncio.wait({self._look_up}, timeout=seconds)

    @callback
    def async_update_sources(self, sources: Sequence[Library]) -> None:
        """Handle libraries that have been added, changed or removed."""
        self._sources = sources
        self._read()
        self._on_change()

    def _read(self) -> None:
        """Read the work in the libraries, and look it up if it is incomplete."""
        if (item := self._item) is None:
            return
        works = self._works(item)
        best = next((work for work in works if work.link), None)
        self.work = best or (works[0] if works else self.work)
        # Without a source, the status is not complete yet.
        if best is not None or not item.source:
            return
        if self._look_up is None:
            self._look_up = self._entry.async_create_background_task(
                self._hass,
                self._async_look_up(item),
                f"{self._entry.title} metadata",
                eager_start=False,
            )
        else:
            self._sources_changed.set()

    def _works(self, item: PlaylistItem) -> list[Item]:
        """Return the work as each library has it, whose pictures may be read from where the library is."""
        works = [work for source in self._sources if (work := source.work(item))]
        if works:
            self._hass.data[ADDRESSES].async_allow_of_library(
                work.picture for work in works
            )
        return works

    async def _async_look_up(self, item: PlaylistItem) -> None:
        """Look a work up in one library after the other; after a failure again, also when a library has changed."""
        look_ups = self._hass.data.setdefault(
            LOOK_UPS, asyncio.Semaphore(LOOK_UPS_AT_ONCE)
        )
        retry = LOOK_UP_RETRY
        work: Item | None = None
        while True:
            self._sources_changed.clear()
            has_failed = False
            async with look_ups:
                for source in self._sources:
                    try:
                        if work := await source.async_work(item):
                            break
                    except Dp1Error:
                        has_failed = True
            if work or not (has_failed or self._sources_changed.is_set()):
                break
            with suppress(TimeoutError):
                async with asyncio.timeout(retry):
                    await self._sources_changed.wait()
            retry = min(2 * retry, LAST_LOOK_UP_RETRY)
        self._look_up = None
        if work is not None and work != self.work:
            self.work = work
            self._works(item)
            self._on_change()
