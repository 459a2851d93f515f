"""A display as a media player."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, override

from homeassistant.components.media_player import (
    BrowseMedia,
    MediaPlayerDeviceClass,
    MediaPlayerEnqueue,
    MediaPlayerEntity,
    MediaPlayerEntityFeature as Feature,
    MediaPlayerState,
    MediaType,
    RepeatMode,
    SearchMedia,
    SearchMediaQuery,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .actions.targets import find_display
from .browse.pages import async_browse_display, cover_of
from .browse.pictures import PICTURES
from .browse.search import async_search_display
from .browse.sources import SourceList
from .client.display.player_status import PlayerStatus, PlaylistItem
from .client.text import clean
from .coordinator import DisplayConfigEntry, DisplayCoordinator, Refresh
from .display.history import media_id_of
from .display.metadata import artist_of, picture_of
from .entity import DisplayEntity
from .errors import invalid_input
from .library.entries import async_add_libraries_listener, async_libraries
from .library.library import Work
from .playback.announce import async_show, length_of
from .playback.groups import GROUPS, async_for_group
from .playback.queue import async_enqueue
from .playback.resolve import LOOPS, Options, async_from_media
from .playback.snapshot import media_id, split_media_id

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0
TITLE_LENGTH = 200
# The mixer keeps only multiples of four as they were set.
VOLUME_STEP = 0.08
REPEATS: Mapping[str, RepeatMode] = {loop: mode for mode, loop in LOOPS.items()}


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the display of an entry."""
    async_add_entities([DisplayPlayer(entry.runtime_data)])


class DisplayPlayer(DisplayEntity, MediaPlayerEntity):
    """The display itself: what hangs, and what may hang next."""

    _attr_name = None
    _attr_device_class = MediaPlayerDeviceClass.TV
    _attr_media_content_type = MediaType.PLAYLIST
    _attr_volume_step = VOLUME_STEP
    _unrecorded_attributes = frozenset({"dp1"})

    def __init__(self, coordinator: DisplayCoordinator) -> None:
        """Show what is known already."""
        super().__init__(coordinator)
        # Louder after louder: each counts from where the one before led, and waits for it.
        self._sounding = asyncio.Lock()
        self._attr_assumed_state = coordinator.cast_only
        self._read_sources()
        self._take_over()

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the display, and the libraries."""
        await super().async_added_to_hass()
        self.async_on_remove(
            async_add_libraries_listener(self.hass, self._handle_libraries_update)
        )
        self._read_sources()
        self._take_over()

    @callback
    def _handle_libraries_update(self) -> None:
        """Offer what the libraries have now."""
        self._read_sources()
        self._handle_coordinator_update()

    def _read_sources(self) -> None:
        """Read what the libraries have to choose from."""
        self._sources = SourceList(async_libraries(self.coordinator.hass))
        self._attr_source_list = self._sources.names

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Show what the display says."""
        self._take_over()
        super()._handle_coordinator_update()

    def _take_over(self) -> None:
        """Read all attributes from what the display said last."""
        data = self.coordinator.data
        player, device = data.player, data.device
        item = player.current if player else None
        self._attr_supported_features = self._features()
        self._attr_state = self._state()
        work = data.work if item else None
        known = work or Work()
        self._attr_media_title = (_text(item.title) if item else None) or known.title
        self._attr_media_artist = artist_of(item) or known.artist
        self._attr_media_playlist = _text(player.playlist_title) if player else None
        self._attr_media_content_id = (
            media_id(player, self.coordinator.history) if player else None
        )
        self._attr_group_members = self._group_members()
        self._attr_media_track = player.position if player else None
        self._attr_media_image_url = picture_of(player, item, work)
        self._attr_source = self._sources.shown(data)
        self._attr_shuffle = player.shuffle if player else None
        self._attr_repeat = REPEATS.get(player.loop_mode or "") if player else None
        self._attr_volume_level = _level(device.volume) if device else None
        self._attr_is_volume_muted = device.muted if device else None
        self._take_over_time(item, data.shown_since)
        self._attr_extra_state_attributes = {"dp1": _details(player, item, known)}
        if data.assumed is not None:
            document: Mapping[str, Any] = data.assumed.playlist or {}
            self._attr_media_playlist = _text(document.get("title"))
            self._attr_media_content_id = media_id_of(data.assumed)

    def _take_over_time(
        self, item: PlaylistItem | None, shown_since: datetime | None
    ) -> None:
        """Estimate the time within the work: the display tells its length, and we saw it begin."""
        self._attr_media_duration = None
        self._attr_media_position = None
        self._attr_media_position_updated_at = None
        if item is not None and item.duration and shown_since is not None:
            self._attr_media_duration = int(item.duration)
            self._attr_media_position = 0
            self._attr_media_position_updated_at = shown_since

    def _state(self) -> MediaPlayerState | None:
        """Tell whether it sleeps, shows something, or has nothing to show."""
        data = self.coordinator.data
        if self.coordinator.cast_only:
            return MediaPlayerState.PLAYING if data.assumed else MediaPlayerState.IDLE
        if data.asleep:
            return MediaPlayerState.OFF
        if data.player is None:
            return MediaPlayerState.IDLE if data.set_up else None
        if data.player.current is None:
            return MediaPlayerState.IDLE
        return MediaPlayerState.PLAYING

    def _features(self) -> Feature:
        """Offer what the display has shown that it can do."""
        features = Feature.PLAY_MEDIA | Feature.BROWSE_MEDIA | Feature.SEARCH_MEDIA
        if self._sources.names:
            features |= Feature.SELECT_SOURCE
        data = self.coordinator.data
        player, device = data.player, data.device
        if player is not None:
            features |= Feature.NEXT_TRACK | Feature.PREVIOUS_TRACK
            features |= Feature.MEDIA_ENQUEUE | Feature.CLEAR_PLAYLIST
            features |= Feature.MEDIA_ANNOUNCE | Feature.GROUPING
            if player.shuffle is not None:
                features |= Feature.SHUFFLE_SET
            if player.loop_mode is not None:
                features |= Feature.REPEAT_SET
        if data.asleep is not None:
            features |= Feature.TURN_ON | Feature.TURN_OFF
        if device is not None and device.volume is not None:
            features |= Feature.VOLUME_SET | Feature.VOLUME_STEP
        if device is not None and device.muted is not None:
            features |= Feature.VOLUME_MUTE
        return features

    # What it shows

    @override
    async def async_play_media(
        self,
        media_type: MediaType | str,
        media_id: str,
        enqueue: MediaPlayerEnqueue | None = None,
        announce: bool | None = None,
        **kwargs: Any,
    ) -> None:
        """Show a playlist, a document, an image, a video or a web page."""
        extra = kwargs.get("extra") or {}
        title = extra.get("title") or (extra.get("metadata") or {}).get("title")
        media_id, place = split_media_id(media_id)
        options = Options(place=place)
        length = length_of(extra, announce is True)

        async def show(display: DisplayCoordinator) -> None:
            """Show it on the display, or with what hangs there."""
            if length is not None or enqueue in (None, MediaPlayerEnqueue.REPLACE):
                await async_show(display, cast, options, length)
            else:
                await async_enqueue(display, cast, options, enqueue)

        with self.coordinator.pending_cast(options.asked):
            cast = await async_from_media(
                self.hass, media_type, media_id, options, title
            )
            if length is not None:
                await show(self.coordinator)
            else:
                await self._async_act(show)

    @override
    async def async_select_source(self, source: str) -> None:
        """Show what is called so in the source list."""
        media_id = self._sources.media_id(source)
        if media_id is None:
            raise invalid_input(
                "unknown_source", name=self.coordinator.name, source=_text(source) or ""
            )
        await self.async_play_media(MediaType.PLAYLIST, media_id)

    @override
    async def async_browse_media(
        self,
        media_content_type: MediaType | str | None = None,
        media_content_id: str | None = None,
    ) -> BrowseMedia:
        """Open what the display can be given."""
        return await async_browse_display(
            self.coordinator, media_content_id or "", self._picture_url
        )

    @override
    async def async_search_media(self, query: SearchMediaQuery) -> SearchMedia:
        """Find what the display can be given."""
        return await async_search_display(self.coordinator, query, self._picture_url)

    def _picture_url(self, media_id: str) -> str:
        """Tell where Home Assistant serves the picture of something to choose."""
        return self.get_browse_image_url("picture", media_id)

    @override
    async def async_get_browse_image(
        self,
        media_content_type: str,
        media_content_id: str,
        media_image_id: str | None = None,
    ) -> tuple[bytes | None, str | None]:
        """Give the picture of something to choose."""
        pictures = self.hass.data[PICTURES]
        if (given := self.coordinator.history.get(media_content_id)) is not None:
            cover = cover_of(given)
            picture = await pictures.async_at(cover) if cover else None
        else:
            picture = await pictures.async_of(media_content_id)
        return (picture.content, picture.content_type) if picture else (None, None)

    async def _async_act(
        self, act: Callable[[DisplayCoordinator], Awaitable[None]]
    ) -> None:
        """Do something with what hangs, on all displays that stay in step with this one."""
        call = self._context.id if self._context else None
        await async_for_group(self.coordinator, call, act)

    @override
    async def async_clear_playlist(self) -> None:
        """Take everything off the wall."""

        async def clear(display: DisplayCoordinator) -> None:
            """Empty the screen."""
            await display.async_wait_for_casts()
            async with display.async_command() as commands:
                await commands.clear()

        await self._async_act(clear)

    @override
    async def async_media_next_track(self) -> None:
        """Show the next work."""
        await self._async_step(1)

    @override
    async def async_media_previous_track(self) -> None:
        """Show the work before."""
        await self._async_step(-1)

    async def _async_step(self, step: int) -> None:
        """Show the work that many places on, round the end; there is no such command, only places."""

        async def go(display: DisplayCoordinator) -> None:
            """Show it."""
            await display.async_wait_for_casts()
            async with display.step_lock:
                player = display.data.player
                if player is None or player.position is None:
                    raise invalid_input("nothing_shown", name=display.name)
                index = (player.position - 1 + step) % len(player.items)
                async with display.async_command() as commands:
                    await commands.show_item(index)

        await self._async_act(go)

    @override
    async def async_set_shuffle(self, shuffle: bool) -> None:
        """Show the works in random order, or in their own again."""
        await self.coordinator.async_wait_for_casts()
        async with self.coordinator.async_command() as display:
            await display.set_shuffle(shuffle)

    @override
    async def async_set_repeat(self, repeat: RepeatMode) -> None:
        """Set what happens at the end of the playlist."""
        await self.coordinator.async_wait_for_casts()
        async with self.coordinator.async_command() as display:
            await display.set_loop(LOOPS[repeat])

    # Displays that stay in step

    def _group_members(self) -> list[str] | None:
        """List the displays in step with this one, the leading one first."""
        return self.coordinator.hass.data[GROUPS].entity_ids(self.coordinator)

    @override
    async def async_join_players(self, group_members: list[str]) -> None:
        """Let other displays follow this one."""
        members = [
            find_display(self.hass, each).entry.entry_id for each in group_members
        ]
        await self.hass.data[GROUPS].async_join(self.coordinator, members)

    @override
    async def async_unjoin_player(self) -> None:
        """Let this display go its own way."""
        entry_id = self.coordinator.config_entry.entry_id
        await self.hass.data[GROUPS].async_unjoin(entry_id)

    # The device

    @override
    async def async_turn_on(self) -> None:
        """Wake the display."""
        await self.coordinator.async_set_asleep(False)

    @override
    async def async_turn_off(self) -> None:
        """Put the display to sleep."""
        await self.coordinator.async_set_asleep(True)

    @override
    async def async_set_volume_level(self, volume: float) -> None:
        """Set the volume, 0 to 1."""
        async with self.coordinator.async_command(Refresh.DEVICE) as display:
            await display.set_volume(round(volume * 100))

    @override
    async def async_volume_up(self) -> None:
        """Turn the volume up."""
        async with self._sounding:
            await super().async_volume_up()

    @override
    async def async_volume_down(self) -> None:
        """Turn the volume down."""
        async with self._sounding:
            await super().async_volume_down()

    @override
    async def async_mute_volume(self, mute: bool) -> None:
        """Mute or unmute; the display only knows how to toggle, so it is asked first."""
        async with (
            self._sounding,
            self.coordinator.async_command(Refresh.DEVICE) as display,
        ):
            if (await display.device_status()).muted is (not mute):
                await display.toggle_mute()


def _text(text: object) -> str | None:
    """Take the markup out of somebody else's words."""
    return clean(text, TITLE_LENGTH) or None if text else None


def _level(percent: int | None) -> float | None:
    """Turn percent into a level."""
    return None if percent is None else percent / 100


def _details(
    player: PlayerStatus | None, item: PlaylistItem | None, work: Work
) -> dict[str, Any]:
    """Give the particulars of the work and its playlist."""
    return {
        "source": item.source if item else None,
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
        "note": work.note,
    }
