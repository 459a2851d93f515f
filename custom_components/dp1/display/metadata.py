"""Metadata of the current work: its own, and that of the libraries."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from ..addresses import ADDRESSES
from ..client.display.client import Display
from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.display.recent import RecentWork
from ..client.errors import Dp1Error, RejectedError
from ..client.hosts import image_at, loaded_url, same_work
from ..client.playlist.document import is_signed
from ..client.playlist.manifest import Artist
from ..client.playlist.playlist import Playlist
from ..client.playlist.signing import signer_of
from ..const import DOMAIN, LOGGER
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


type CastDocument = Callable[[PlayerStatus], Awaitable[Mapping[str, Any] | None]]


class Signer:
    """The signer of the playlist on a display; a document is verified once, and none is read that only the display names.

    Attributes:
        name: the signer, None if there is none or it is not known yet.
        async_cast_document: reads the list at the address that was cast from here, where no library has it.
    """

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize without a playlist; `on_change` is called when somebody turns out to have signed it."""
        self._hass = hass
        self._entry = entry
        self._on_change = on_change
        self._sources: Sequence[Library] = ()
        self.async_cast_document: CastDocument | None = None
        self._items: Sequence[PlaylistItem] = ()
        self._works: tuple[str, ...] = ()
        self._key: tuple[object, ...] | None = None
        self.name: str | None = None
        self._has_document = False

    @callback
    def follow(self, player: PlayerStatus, playlist: Playlist | None) -> None:
        """Look who signed the playlist of a player, unless that is known; `playlist` is the one cast to it, if any."""
        if player.items is not self._items:
            self._items = player.items
            self._works = tuple([item.source or "" for item in player.items])
        document = (playlist and playlist.document) or None
        url, playlist_id, works = player.playlist_url, player.playlist_id, self._works
        key = (id(document), url, playlist_id, works, self._sources)
        if key == self._key:
            return
        self._key, self.name = key, None
        self._has_document = document is not None
        may_be_signed = document is None or is_signed(document)
        if works and "" not in works and may_be_signed:
            self._entry.async_create_background_task(
                self._hass,
                self._async_verify(key, player, document, works),
                f"{self._entry.title} signature",
            )

    @callback
    def async_update_sources(self, sources: Sequence[Library]) -> None:
        """Handle libraries that have been added, changed or removed."""
        self._sources = tuple(sources)
        if not self._has_document:
            self._key = None

    async def _async_verify(
        self,
        key: tuple[object, ...],
        player: PlayerStatus,
        document: Mapping[str, Any] | None,
        works: Sequence[str],
    ) -> None:
        """Verify the document, which a library may have."""
        for source in self._sources if document is None else ():
            with suppress(Dp1Error):
                document = await source.async_document(player)
            if document is not None:
                break
        if document is None and self.async_cast_document is not None:
            document = await self.async_cast_document(player)
        if document is None:
            return
        self._has_document = True
        if not is_signed(document):
            return
        name = await self._hass.async_add_executor_job(signer_of, document, works)
        if name is not None and key == self._key:
            self.name = name
            self._on_change()


class ArtworkMetadata:
    """The current work of one display as the libraries have it, and its signer.

    Attributes:
        work: the current work as a library has it, None without one.
        signer: who signed what hangs.
        display_remembers: whether the display may remember the works that it has shown.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        display: Display,
        on_change: CALLBACK_TYPE,
    ) -> None:
        """Initialize without a work; `on_change` is called when more of it is known, or who signed it."""
        self.signer = Signer(hass, entry, on_change)
        self.display_remembers = True
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
    def follow(self, player: PlayerStatus | None, playlist: Playlist | None) -> None:
        """Follow a player to its current work, and look up in the background what is not known of that."""
        item = player.current if player else None
        if item != self._item:
            if self._look_up is not None:
                self._look_up.cancel()
                self._look_up = None
            self._item, self.work = item, None
            self._read()
        if player is not None:
            self.signer.follow(player, playlist)

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
        self.signer.async_update_sources(sources)
        self._sources = sources
        self._read()
        # They may have the document, too, which tells who signed it.
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
        if work is None and self.work is None and not item.artists:
            work = await self._async_ask(item)
        self._look_up = None
        if work is not None and work != self.work:
            self.work = work
            self._works(item)
            self._on_change()

    async def async_recently_shown(self) -> tuple[RecentWork, ...]:
        """Return the works that the display itself remembers; one that refused once gets no second request."""
        if not self.display_remembers:
            return ()
        try:
            return await self._display.recently_shown()
        except RejectedError:
            self.display_remembers = False
        except Dp1Error as err:
            title = self._entry.title
            LOGGER.debug("%s does not tell what it has shown: %s", title, err)
        return ()

    async def _async_ask(self, item: PlaylistItem) -> Item | None:
        """Return the current work as the display remembers it: whoever cast it may have named the artist."""
        for record in await self.async_recently_shown():
            if record.is_active and record.work_id == item.id:
                artists = (Artist(record.artist),) if record.artist else ()
                return Item(artists=artists, picture=record.picture)
        return None
