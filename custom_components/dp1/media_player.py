"""Media player platform: the display itself."""

import asyncio
from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from typing import Any, override

from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.components import persistent_notification
from homeassistant.components.media_player import (
    BrowseMedia,
    MediaPlayerDeviceClass,
    MediaPlayerEnqueue as Enqueue,
    MediaPlayerEntity,
    MediaPlayerEntityFeature as Feature,
    MediaPlayerState,
    MediaType,
    RepeatMode,
    SearchMedia,
    SearchMediaQuery,
)
from homeassistant.components.websocket_api import current_connection
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.json import json_bytes

from .browse.display import async_browse_display, async_display_picture
from .browse.pictures import PICTURES, is_drawing
from .browse.search import async_search_display
from .client.display.player_status import PlaylistItem
from .client.text import markdown_safe, shorten
from .const import DOMAIN
from .coordinator import DisplayConfigEntry, DisplayCoordinator, Refresh
from .displays import find_display
from .entity import DisplayEntity
from .errors import action_failed, invalid_input
from .grants import public_media_id, without_token
from .library.item import NO_WORK, Item
from .library.libraries import async_add_libraries_listener, async_source_list
from .library.node import NodeKind, media_id as library_media_id
from .permissions import Caller, async_caller
from .playback.alive import uses_own_gateway
from .playback.daily import hung_document
from .playback.groups import async_join, async_unjoin, group_of
from .playback.kept_files import lives
from .playback.media_ids import NOTHING, assumed_media_id, media_id
from .playback.queue import async_clear, async_step
from .playback.request import LOOPS, Request
from .playback.show import async_do, async_go, async_show_on
from .playback.wall import async_order, async_turn_on

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0
# The mixer only stores multiples of four exactly.
VOLUME_STEP = 0.08
REPEAT_MODES: Mapping[str, RepeatMode] = {loop: mode for mode, loop in LOOPS.items()}

# In a state.
MAX_ARTISTS = 5
# Of the work that hangs.
DETAILS = (
    *("provenance", "series", "exhibition", "edition", "year", "medium", "link"),
    *("note", "about_artist"),
)
# Of these in bytes, so that no attribute is over 16 KB; and what gives way first.
MAX_DETAILS = 10 * 1024
GIVES_WAY = ("about_artist", "artists", "note", "link", "provenance")
BASE_FEATURES = Feature.PLAY_MEDIA | Feature.BROWSE_MEDIA | Feature.SEARCH_MEDIA
PLAYER_FEATURES = (
    Feature.NEXT_TRACK
    | Feature.PREVIOUS_TRACK
    | Feature.MEDIA_ENQUEUE
    | Feature.CLEAR_PLAYLIST
    | Feature.MEDIA_ANNOUNCE
    | Feature.GROUPING
)
OPTIONAL_FEATURES = (
    PLAYER_FEATURES,
    Feature.TURN_ON | Feature.TURN_OFF,
    Feature.SHUFFLE_SET,
    Feature.REPEAT_SET,
    Feature.VOLUME_SET | Feature.VOLUME_STEP,
    Feature.VOLUME_MUTE,
    Feature.SELECT_SOURCE,
)


@cache
def _features(*detected: bool) -> Feature:
    """Return the features of a display of which these are detected; each union of flags is slow."""
    found = zip(OPTIONAL_FEATURES, detected, strict=True)
    return reduce(or_, (feature for feature, has in found if has), BASE_FEATURES)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the media player of a display."""
    async_add_entities([DisplayPlayer(entry.runtime_data)])


class DisplayPlayer(DisplayEntity, MediaPlayerEntity):
    """A display as a media player."""

    _attr_name = None
    _attr_device_class = MediaPlayerDeviceClass.TV
    _attr_volume_step = VOLUME_STEP
    # They change with each work, whose title is in the history.
    _unrecorded_attributes = frozenset({"dp1", "media_content_id"})
    # Whether its player has told that it sleeps, shuffles and repeats.
    _told_by_player = (False, False, False)

    def __init__(self, coordinator: DisplayCoordinator) -> None:
        """Initialize the media player."""
        super().__init__(coordinator)
        # Names its icons only.
        self._attr_translation_key = "display"
        # Each volume step starts from where the step before ended.
        self._volume_lock = asyncio.Lock()
        self._attr_assumed_state = coordinator.cast_only
        self._detailed, self._details = NO_WORK, details(NO_WORK)
        self._update_sources()

    @override
    async def async_added_to_hass(self) -> None:
        """Register callbacks."""
        await super().async_added_to_hass()
        self.async_on_remove(
            async_add_libraries_listener(self.hass, self._handle_libraries_update)
        )
        self._update_sources()

    @callback
    def _handle_libraries_update(self) -> None:
        """Handle a change of the libraries."""
        self._update_sources()
        self.async_write_ha_state()

    def _update_sources(self) -> None:
        """Update the source list from the libraries, and the state that depends on it."""
        self._sources = async_source_list(self.coordinator.hass)
        self._attr_source_list = [*self._sources.names]
        self._update()

    def _update_features(self) -> None:
        """Update the features to those that are detected."""
        data = self.coordinator.data
        player, device = data.player, data.device
        has_player = not self.coordinator.cast_only
        sleeps = data.asleep is not None
        if player is not None and player.ok:
            # They stay while the player is not running, so that an action tells why it fails.
            orders = player.shuffle is not None, player.loop_mode is not None
            self._told_by_player = sleeps, *orders
        slept, shuffles, repeats = self._told_by_player
        self._attr_supported_features = _features(
            has_player,
            sleeps or slept,
            shuffles,
            repeats,
            # Nobody knows before the first device status, which takes long without internet.
            has_player if device is None else device.volume is not None,
            device is not None and device.muted is not None,
            bool(self._sources.names),
        )

    @callback
    @override
    def _update(self) -> bool:
        """Update the attributes."""
        coordinator = self.coordinator
        hass, entry_id, data = coordinator.hass, coordinator.entry_id, coordinator.data
        player, device, assumed = data.player, data.device, coordinator.assumed
        self._update_features()
        self._attr_state = self._state()
        self._attr_source = self._sources.source_of(
            player, assumed.asked if assumed else None
        )
        until = coordinator.wall.until
        group = group_of(hass, entry_id)
        self._attr_group_members = group.entity_ids if group else None
        volume = device.volume if device else None
        self._attr_volume_level = None if volume is None else volume / 100
        self._attr_is_volume_muted = device.muted if device else None
        self._attr_shuffle = player.shuffle if player else None
        self._attr_repeat = REPEAT_MODES.get(player.loop_mode or "") if player else None
        self._attr_media_track = player.position if player else None
        self._attr_media_playlist = player.playlist_title if player else None
        content_id = media_id(player, coordinator.history) if player else None
        if assumed is not None:
            self._attr_media_playlist = assumed.asked.name or None
            content_id = content_id or assumed_media_id(assumed, coordinator.history)
        self._attr_media_content_id = public_media_id(hass, content_id)
        work = NO_WORK if data.error_page else data.work or NO_WORK
        item = player.current if player and work is not NO_WORK else None
        # Cards name the artist of an image, but not that of a playlist.
        self._attr_media_content_type = MediaType.IMAGE if item else MediaType.PLAYLIST
        self._attr_media_title = work.title or None
        self._attr_media_artist = work.artist
        self._attr_media_album_name = work.exhibition
        self._attr_media_image_url = work.picture
        # The display reports the duration of a work, but not when it was started.
        duration = item.duration if item and data.shown_since else None
        self._attr_media_duration = int(duration) if duration else None
        self._attr_media_position = 0 if duration else None
        self._attr_media_position_updated_at = data.shown_since if duration else None
        self._attr_extra_state_attributes = {
            "dp1": {
                **self._details_of(work),
                "work_id": work.item_id,
                "source": without_token(work.source),
                "license": item.license if item else None,
                "works": player.count if player else None,
                "playlist_id": player.playlist_id if player else None,
                "playlist_url": without_token(player.playlist_url) if player else None,
                "error_page": without_token(data.error_page),
                "set_up": data.set_up or None,
                "silent_host": data.silent_host,
                "until": until.isoformat(timespec="seconds") if until else None,
                "media_content_id": (about := self._node_for_a_time()),
                "favorite": (is_favorite := self._is_favorite(about)),
                "lives": self._lives(item, is_favorite is True),
                "left_out": self._left_out(),
            }
        }
        return True

    def _details_of(self, work: Item) -> dict[str, Any]:
        """Return what is told of a work, which stays the same over many pushes."""
        if self._detailed is not work:
            self._detailed, self._details = work, details(work)
        return self._details

    def _lives(self, item: PlaylistItem | None, is_favorite: bool) -> str | None:
        """Return where a collected work lives."""
        work = self.coordinator.data.work
        source = (item and item.source) or (work and work.source)
        if not source:
            return None
        node = (work and work.id) or ""
        is_collected = is_favorite or node.startswith(f"{NodeKind.OWNED}/")
        return lives(
            self.coordinator.hass,
            source,
            is_collected=is_collected,
            is_public=not uses_own_gateway(self.coordinator),
        )

    def _node_for_a_time(self) -> str | None:
        """Return the media id of a work of a library that is shown for a time, while actions are about what comes back."""
        player = self.coordinator.data.player
        if not self.coordinator.wall.is_announcing or not (
            item := player and player.current
        ):
            return None
        works = ((each, each.work(item)) for each in self._sources.libraries)
        ids = (
            library_media_id(it.entry_id, work.id)
            for it, work in works
            if work and work.id
        )
        return next(ids, None)

    def _is_favorite(self, about: str | None) -> bool | None:
        """Return whether the current work is a favorite, None if no library has it."""
        libraries, data = self._sources.libraries, self.coordinator.data
        if self.coordinator.wall.is_announcing and about is None:
            return None
        player, work = data.player, data.work
        if player is None or work is None:
            return None
        if any(library.favorite_of(player, work) for library in libraries):
            return True
        return False if any(lib.knows(player, work) for lib in libraries) else None

    def _left_out(self) -> int | None:
        """Return how many works of what hangs are left out as they are hidden, None if none are."""
        hung = self.coordinator.wall.hung
        if hung is None or not (count := hung.asked.left_out):
            return None
        return count if hung_document(self.coordinator) is hung else None

    def _state(self) -> MediaPlayerState | None:
        """Return the state of the display."""
        data = self.coordinator.data
        if self.coordinator.cast_only:
            shows = self.coordinator.assumed is not None
            return MediaPlayerState.PLAYING if shows else MediaPlayerState.IDLE
        if data.asleep:
            return MediaPlayerState.OFF
        if data.error_page:
            return MediaPlayerState.IDLE
        if data.player is None:
            return MediaPlayerState.IDLE if data.set_up else None
        if data.player.position is None:
            # A player that does not answer may show anything.
            return MediaPlayerState.IDLE if data.problem != "no_player" else None
        return MediaPlayerState.PLAYING

    # Playback

    @override
    async def async_play_media(
        self,
        media_type: MediaType | str,
        media_id: str,
        enqueue: Enqueue | None = None,
        announce: bool | None = None,
        **kwargs: Any,
    ) -> None:
        """Show a playlist, a document, an image, a video or a web page."""
        if media_id == NOTHING:
            await self.async_clear_playlist()
            return
        request = Request.from_play_media(
            media_type,
            media_id,
            enqueue,
            announce,
            kwargs.get("extra") or {},
            self._context,
        )
        answer = await async_show_on(self.coordinator, request)
        if warning := answer.get("warning"):
            # This action has no response.
            persistent_notification.async_create(
                self.hass,
                markdown_safe(warning),
                notification_id=f"{DOMAIN}_warning",
            )

    @override
    async def async_select_source(self, source: str) -> None:
        """Show an item of the source list."""
        if (media_id := self._sources.media_id(source)) is None:
            raise invalid_input(
                "unknown_source",
                name=self.coordinator.name,
                source=source,
            )
        await self.async_play_media(MediaType.PLAYLIST, media_id)

    @override
    async def async_clear_playlist(self) -> None:
        """Clear the playlist."""
        await async_do(self.coordinator, self._context, async_clear)

    @override
    async def async_media_next_track(self) -> None:
        """Show the next work."""
        await async_go(self.coordinator, self._context, async_step, 1)

    @override
    async def async_media_previous_track(self) -> None:
        """Show the previous work."""
        await async_go(self.coordinator, self._context, async_step, -1)

    @override
    async def async_set_shuffle(self, shuffle: bool) -> None:
        """Enable or disable shuffle."""
        await async_do(self.coordinator, self._context, async_order, shuffle, None)

    @override
    async def async_set_repeat(self, repeat: RepeatMode) -> None:
        """Set the repeat mode."""
        loop = LOOPS[repeat]
        await async_do(self.coordinator, self._context, async_order, None, loop)

    # Browsing

    @override
    async def async_browse_media(
        self,
        media_content_type: MediaType | str | None = None,
        media_content_id: str | None = None,
    ) -> BrowseMedia:
        """Browse the media that the display can show."""
        self._check_reader()
        return await async_browse_display(
            self.coordinator, media_content_id or "", self._picture_url
        )

    @override
    async def async_search_media(self, query: SearchMediaQuery) -> SearchMedia:
        """Search the media that the display can show."""
        self._check_reader()
        return await async_search_display(self.coordinator, query, self._picture_url)

    def _check_reader(self) -> None:
        """Raise Unauthorized if who asks over a connection may not read the display; Home Assistant lets all browse."""
        connection = current_connection.get()
        if connection is not None:
            caller = Caller(connection.context({}), connection.user)
            caller.check(POLICY_READ, self.entity_id)

    def _picture_url(self, media_id: str) -> str:
        """Return the URL of a picture in the media browser."""
        return self.get_browse_image_url("picture", media_id)

    @override
    async def async_get_browse_image(
        self,
        media_content_type: str,
        media_content_id: str,
        media_image_id: str | None = None,
    ) -> tuple[bytes | None, str | None]:
        """Fetch a picture of the media browser."""
        picture = await async_display_picture(self.coordinator, media_content_id)
        return (picture.content, picture.content_type) if picture else (None, None)

    @property
    @override
    def media_image_local(self) -> str | None:
        """Return the path of the picture; Home Assistant's own would serve a drawing with its scripts."""
        url = self.media_image_url
        if url and is_drawing(url):
            return self.hass.data[PICTURES].drawing_path(url)
        return super().media_image_local

    @override
    async def async_get_media_image(self) -> tuple[bytes | None, str | None]:
        """Fetch the picture of the current work, if it is one that browsers only display."""
        url = self.media_image_url
        picture = await self.hass.data[PICTURES].async_at(url) if url else None
        return (picture.content, picture.content_type) if picture else (None, None)

    # Groups

    @override
    async def async_join_players(self, group_members: list[str]) -> None:
        """Add displays to the group of this display."""
        caller = await async_caller(self.hass, self._context)
        caller.check(POLICY_CONTROL, *group_members)
        members = [
            find_display(self.hass, entity_id).entry_id for entity_id in group_members
        ]
        await async_join(self.coordinator, members)

    @override
    async def async_unjoin_player(self) -> None:
        """Remove this display from its group."""
        await async_unjoin(self.hass, self.coordinator.entry_id)

    # Power and volume

    @override
    async def async_turn_on(self) -> None:
        """Wake the display."""
        await async_turn_on(self.coordinator)

    @override
    async def async_turn_off(self) -> None:
        """Put the display to sleep."""
        await self.coordinator.power.async_set_asleep(True)

    @override
    async def async_set_volume_level(self, volume: float) -> None:
        """Set the volume level, range 0..1."""
        percent = round(volume * 100)
        async with self.coordinator.async_command(Refresh.DEVICE) as display:
            await display.set_volume(percent)
            self.coordinator.async_assume_device(volume=percent)

    @override
    async def async_volume_up(self) -> None:
        """Turn the volume up."""
        async with self._volume_lock:
            await self._async_know_volume()
            await super().async_volume_up()

    @override
    async def async_volume_down(self) -> None:
        """Turn the volume down."""
        async with self._volume_lock:
            await self._async_know_volume()
            await super().async_volume_down()

    async def _async_know_volume(self) -> None:
        """Read the volume that a step starts from, or raise that the display has not told it."""
        if self.volume_level is None:
            await self.coordinator.async_read_device()
        if self.volume_level is None:
            raise action_failed("volume_unknown", name=self.coordinator.name)

    @override
    async def async_mute_volume(self, mute: bool) -> None:
        """Mute or unmute; the display can only toggle, so its state is read first."""
        async with (
            self._volume_lock,
            self.coordinator.async_command(Refresh.DEVICE) as display,
        ):
            device = await self.coordinator.async_read_device()
            if device is not None and device.muted is (not mute):
                await display.toggle_mute()
                self.coordinator.async_assume_device(muted=mute)


def details(work: Item) -> dict[str, Any]:
    """Return what a state tells of a work: what is longer than there is room for gives way, the longest texts first."""
    told: dict[str, Any] = {name: getattr(work, name) for name in DETAILS}
    told["artists"] = [it.to_attributes() for it in work.artists[:MAX_ARTISTS]]
    for name in GIVES_WAY:
        over = len(json_bytes(told)) - MAX_DETAILS
        if over <= 0:
            break
        size = len(json_bytes(told[name]))
        match told[name]:
            case str(text) if over < size // 2:
                told[name] = shorten(text, len(text) * (size - over) // size)
            case list():
                told[name] = [{"name": it["name"]} for it in told[name]]
            case _:
                told[name] = None
    return told
