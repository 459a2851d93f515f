"""DP-1 Art Displays: networked displays for digital art, and the library they show."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Any, Final

from homeassistant.config_entries import SOURCE_INTEGRATION_DISCOVERY, ConfigEntry
from homeassistant.const import EVENT_CORE_CONFIG_UPDATE, Platform
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import (
    config_validation as cv,
    discovery_flow,
    issue_registry as ir,
)
from homeassistant.helpers.singleton import singleton
from homeassistant.helpers.typing import ConfigType
from homeassistant.setup import async_setup_component
from homeassistant.util.hass_dict import HassKey

from .addresses import ADDRESSES, HomeAddresses
from .browse.pictures import PICTURES, DrawingView, Pictures, PictureView
from .cards import async_add_cards, async_setup_cards, async_update_gallery
from .const import CONF_HAS_SIGNED, CONF_KIND, DOMAIN, LOGGER, EntryKind
from .coordinator import DisplayConfigEntry, DisplayCoordinator
from .display.discovery import async_display_of
from .display.wall import async_remove_wall
from .displays import async_displays
from .grants import GRANTS, Grants, internal_url, is_loopback
from .hosts import HOSTS, Hosts
from .language import async_load_texts
from .library.item import Item
from .library.libraries import (
    async_add_libraries_listener,
    async_reload_on_collections,
    async_source_list,
    async_tell_changed,
)
from .library.library import Library, async_remove_stored
from .library.signing_key import async_kept_key
from .playback.activity import ActivityTracker
from .playback.daily import DailyWatch
from .playback.groups import GROUPS, Groups, async_forget, follow_leader
from .playback.media_proxy import MediaProxyView, tokens_on
from .playback.wall import async_start as async_keep, follow, follow_home
from .playback.watch import Change, Watch
from .playback.work_watch import WorkWatch
from .screen.pairing import is_screen
from .screen.screen import Screen
from .screen.views import async_screens
from .services import async_setup_services
from .storage import async_remove_files
from .voice.music import async_leave_music
from .voice.sentences import async_follow_names, async_update_sentences, wants_sentences
from .voice.tail import async_prepare

# Whether what is stored for all entries has been read.
LOADED: Final[HassKey[bool]] = HassKey(f"{DOMAIN}_loaded")
# Held while the entities of an entry are added.
ADDING: Final[HassKey[asyncio.Lock]] = HassKey(f"{DOMAIN}_adding")
# How many entries are being removed.
REMOVALS: Final[HassKey[int]] = HassKey(f"{DOMAIN}_removals")
CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)
LIBRARY_PLATFORMS = [
    Platform.BINARY_SENSOR,
    Platform.BUTTON,
    Platform.EVENT,
    Platform.SENSOR,
]
DISPLAY_PLATFORMS = [
    *LIBRARY_PLATFORMS,
    Platform.IMAGE,
    Platform.MEDIA_PLAYER,
    Platform.NUMBER,
    Platform.REMOTE,
    Platform.SELECT,
    Platform.SWITCH,
    Platform.TIME,
    Platform.UPDATE,
]


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Set up the actions, and the data shared by all entries."""
    async_setup_data(hass)
    hass.http.register_view(MediaProxyView())
    hass.http.register_view(PictureView(hass.data[PICTURES]))
    hass.http.register_view(DrawingView(hass.data[PICTURES]))
    async_setup_services(hass)
    await async_setup_cards(hass)
    await async_screens(hass)
    hass.bus.async_listen(
        EVENT_CORE_CONFIG_UPDATE, partial(_async_follow_language, hass)
    )
    hass.bus.async_listen(
        EVENT_CORE_CONFIG_UPDATE, partial(_async_check_internal_url, hass)
    )
    async_follow_names(hass, partial(_async_update_sentences, hass))
    return True


async def _async_follow_language(hass: HomeAssistant, event: Event) -> None:
    """Write the texts of libraries in another language."""
    if "language" in event.data:
        await async_load_texts(hass)
        async_tell_changed(hass)


@callback
def _async_check_internal_url(hass: HomeAssistant, event: object = None) -> None:
    """Create or delete the issue of an internal URL that leads every display to itself; displays look after another one."""
    issue_id, displays = "internal_url_loopback", async_displays(hass)
    for display in displays if event else ():
        display.wall.tell()
    if not (displays and is_loopback(internal_url(hass))):
        ir.async_delete_issue(hass, DOMAIN, issue_id)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue_id,
        is_fixable=False,
        severity=ir.IssueSeverity.WARNING,
        translation_key=issue_id,
    )


@callback
def async_setup_data(hass: HomeAssistant) -> None:
    """Set up the data shared by all entries."""
    hass.data[ADDRESSES] = HomeAddresses(hass)
    hass.data[HOSTS] = Hosts(hass)
    hass.data[GROUPS] = Groups(hass)
    hass.data[GRANTS] = Grants(hass, tokens_on)
    hass.data[PICTURES] = Pictures(hass)


@singleton(LOADED, async_=True)
async def async_load_data(hass: HomeAssistant) -> bool:
    """Read the stored data of all entries once, or raise ConfigEntryNotReady."""
    for key in (GROUPS, GRANTS, ADDRESSES):
        await hass.data[key].async_load()
    return True


async def async_setup_entry(hass: HomeAssistant, entry: ConfigEntry[Any]) -> bool:
    """Set up a display or a library."""
    async_add_cards(hass)
    async_update_gallery(hass)
    await async_load_data(hass)
    if entry.data[CONF_KIND] == EntryKind.LIBRARY:
        return await _async_setup_library(hass, entry)
    return await _async_setup_display(hass, entry)


@callback
def _follow_link(screen: Screen | None, change: Change) -> None:
    """Tell a screen where the page of its work is."""
    if screen is not None:
        work = change.after.data.work or Item()
        screen.async_link(work.link, work.item_id)


async def _async_setup_display(hass: HomeAssistant, entry: DisplayConfigEntry) -> bool:
    """Set up a display; nothing but status reads is sent to it."""
    coordinator = DisplayCoordinator(hass, entry, await async_display_of(hass, entry))
    await coordinator.async_first_refresh()
    entry.runtime_data = coordinator
    async_keep(coordinator)
    works, daily = WorkWatch(coordinator), DailyWatch(coordinator)
    entry.async_on_unload(works.stop)
    daily.async_start()
    watch = Watch(
        coordinator,
        partial(follow, coordinator),
        partial(follow_home, coordinator),
        works.follow,
        daily.follow,
        partial(follow_leader, coordinator),
        ActivityTracker(coordinator).follow,
        partial(
            _follow_link, (await async_screens(hass)).screen(coordinator.device_id)
        ),
    )

    @callback
    def hand_libraries() -> None:
        """Hand the libraries to the display."""
        libraries = async_source_list(hass).libraries
        coordinator.metadata.async_update_sources(tuple(libraries))

    entry.async_on_unload(async_add_libraries_listener(hass, hand_libraries))
    hand_libraries()
    check_internal_url = partial(_async_check_internal_url, hass)
    entry.async_on_unload(entry.async_on_state_change(check_internal_url))
    entry.async_on_unload(check_internal_url)
    await _async_add_entities(hass, entry, DISPLAY_PLATFORMS)
    async_leave_music(hass, entry)
    # After the entities, so that whoever hears of it finds their states up to date.
    watch.async_start()
    entry.async_create_background_task(
        hass, coordinator.async_run(), f"{entry.title} connection"
    )
    if not any(
        other.data.get(CONF_KIND) == EntryKind.LIBRARY
        for other in hass.config_entries.async_entries(DOMAIN)
    ):
        discovery_flow.async_create_flow(
            hass, DOMAIN, {"source": SOURCE_INTEGRATION_DISCOVERY}, {}
        )
    return True


async def _async_setup_library(hass: HomeAssistant, entry: ConfigEntry[Any]) -> bool:
    """Set up a library from its stored lists; its servers may be down."""
    # First, so that a collection which changes during the setup is not missed.
    entry.async_on_unload(async_reload_on_collections(hass, entry))
    tell = partial(async_tell_changed, hass)
    hass.data[HOSTS].async_set_own()
    entry.runtime_data = Library(hass, entry, tell)
    await entry.runtime_data.async_start()
    entry.async_on_unload(entry.async_on_state_change(tell))
    await _async_add_entities(hass, entry, LIBRARY_PLATFORMS)
    entry.async_create_background_task(
        hass, _async_update_sentences(hass), "voice sentences"
    )
    entry.runtime_data.async_tell_news()
    return True


async def _async_add_entities(
    hass: HomeAssistant, entry: ConfigEntry[Any], platforms: list[Platform]
) -> None:
    """Add the entities, those of one entry after those of another: many at once would hold up the event loop."""
    async with hass.data.setdefault(ADDING, asyncio.Lock()):
        # Adding entities waits for nothing by itself, so the loop would not turn in between.
        await asyncio.sleep(0)
        await hass.config_entries.async_forward_entry_setups(entry, platforms)


async def async_unload_entry(hass: HomeAssistant, entry: ConfigEntry[Any]) -> bool:
    """Unload a display or a library."""
    is_library = entry.data[CONF_KIND] == EntryKind.LIBRARY
    platforms = LIBRARY_PLATFORMS if is_library else DISPLAY_PLATFORMS
    unloaded = await hass.config_entries.async_unload_platforms(entry, platforms)
    if unloaded and is_library:
        await entry.runtime_data.async_stop()
    # It goes with the last display that is disabled.
    async_update_gallery(hass)
    return unloaded


async def async_remove_entry(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Remove the stored data of a display or a library; with the last of them, everything that was stored."""
    # Home Assistant may have started with nothing but disabled entries.
    await async_setup_component(hass, DOMAIN, {})
    await async_load_data(hass)
    hass.data[REMOVALS] = hass.data.get(REMOVALS, 0) + 1
    try:
        if entry.data[CONF_KIND] == EntryKind.DISPLAY:
            if is_screen(entry):
                screens = await async_screens(hass)
                await screens.async_forget(entry.unique_id or "")
            await async_forget(hass, entry.entry_id)
            await async_remove_wall(hass, entry.entry_id)
            device_id = entry.unique_id or entry.entry_id
            ir.async_delete_issue(hass, DOMAIN, f"wants_pairing_{device_id}")
        else:
            await _async_remove_library(hass, entry)
    finally:
        hass.data[REMOVALS] -= 1
    async_update_gallery(hass)
    # Once, also where all entries are removed at the same time.
    if not (hass.data[REMOVALS] or hass.config_entries.async_entries(DOMAIN)):
        await async_remove_files(hass)


async def _async_remove_library(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Remove the stored data of a library, and create an issue if its signing key was used and is gone."""
    hass.data[HOSTS].async_set_own()
    await _async_update_sentences(hass)
    key = None
    if entry.data.get(CONF_HAS_SIGNED):
        # That one is lost was told before.
        with suppress(HomeAssistantError):
            key = await async_kept_key(hass, entry)
    await async_remove_stored(hass, entry.entry_id)
    if key is None:
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        f"signing_key_removed_{entry.entry_id}",
        is_fixable=True,
        is_persistent=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key="signing_key_removed",
        translation_placeholders={
            "name": entry.title,
            "did": key.did,
        },
    )


async def _async_update_sentences(hass: HomeAssistant) -> None:
    """Install, renew or remove the sentences for Assist as the libraries want."""
    try:
        await async_update_sentences(hass, wants_sentences(hass))
        if wants_sentences(hass):
            await async_prepare(hass)
    except HomeAssistantError as err:
        LOGGER.warning("%s", err)
