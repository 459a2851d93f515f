"""Playlists whose works are no longer where they say, or hidden: they go to a display as a document with the works and addresses of now."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
import json
from typing import Any, Final

from homeassistant.const import CONF_HOST
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..client.hosts import is_elsewhere, same_work, work_url
from ..client.playlist.document import for_display, unplayable
from ..client.playlist.playlist import Origin, Playlist
from ..const import LOGGER
from ..coordinator import DisplayCoordinator
from ..display.discovery import is_one_way
from ..errors import invalid_input
from ..grants import GRANTS
from ..hosts import HOSTS
from ..language import async_message
from ..library import timing
from ..permissions import STRANGER, Caller
from .hidden import hidden_keys, with_warning, without_hidden
from .kept_files import async_lend
from .resolve import async_read

# Returns where a display loads what an address means.
type Find = Callable[[str], str]
# In bytes of JSON: the most that a display takes as a document.
MAX_INLINE: Final = 4 * 1024 * 1024


async def async_alive(
    hass: HomeAssistant,
    playlist: Playlist,
    caller: Caller = STRANGER,
    display: DisplayCoordinator | None = None,
    *,
    was_sent: bool = False,
) -> Playlist:
    """Return a playlist with its works where they are now: by its URL where a display finds them all, else as a document.

    What cannot be read here stays at its URL; what looks its works up or is larger than a display takes as well, with a
    warning. One that was read has its document.

    Args:
        hass: Home Assistant.
        playlist: the playlist.
        caller: for whom it is read.
        display: on which it is to be shown; by default one at home, which is lent nothing.
        was_sent: it has hung already, and nothing more is left out.
    """
    if (url := playlist.url) is None:
        playlist = playlist if was_sent else without_hidden(hass, playlist)
        find = await _async_finder(hass, playlist.sources, display)
        return await hass.async_add_executor_job(_found, playlist, find)
    if hass.data[GRANTS].media_id_of(url) is not None:
        return playlist
    if playlist.warning and not playlist.document:
        # It could not be read a moment ago.
        return playlist
    try:
        async with asyncio.timeout(timing.TITLE_TIMEOUT):
            # What was cast before is read for nobody, as displays do.
            reader = caller if caller.hosts else STRANGER
            read = await async_read(hass, playlist, reader)
    except (HomeAssistantError, TimeoutError) as err:
        LOGGER.debug("A playlist is left to the display: %s", type(err).__name__)
        is_whole = was_sent or not hidden_keys(hass)
        return playlist if is_whole else _left(hass, playlist, "hidden_stays")
    shown = read if was_sent else without_hidden(hass, read)
    find = await _async_finder(hass, shown.sources, display)
    if shown is read and await hass.async_add_executor_job(_is_found, read, find):
        return read
    if sent := await hass.async_add_executor_job(_sent, shown, find):
        return sent
    key = "moved_stays" if shown is read else "hidden_stays"
    return _left(hass, playlist, key)


def _left(hass: HomeAssistant, playlist: Playlist, key: str) -> Playlist:
    """Return a playlist that a display reads itself, with a warning."""
    error = invalid_input(key, url=playlist.url or "")
    return with_warning(playlist, async_message(hass, error))


def uses_own_gateway(coordinator: DisplayCoordinator) -> bool:
    """Return whether a display reaches the gateway of the owner: not from outside, and from a secure page only if it is secure, too."""
    own = coordinator.hass.data[HOSTS].own
    if own is None or is_one_way(coordinator.config_entry.data[CONF_HOST]):
        return False
    return own.url.startswith("https:") or not coordinator.display.is_secure


async def _async_finder(
    hass: HomeAssistant, sources: Iterable[str], display: DisplayCoordinator | None
) -> Find:
    """Return a function that returns where a display loads works: at the best of their hosts, or from home what is nowhere else."""
    hosts, lent, is_public = hass.data[HOSTS], dict[str, str](), False
    if display is not None:
        if not (is_public := not uses_own_gateway(display)):
            await hosts.async_ask_own(sources)
        if not is_one_way(display.config_entry.data[CONF_HOST]):
            lent = async_lend(hass, sources, is_public=is_public)

    def find(url: str) -> str:
        """Return where a work is."""
        if lent and (at_home := lent.get(same_work(hosts.public_url(url)))):
            return at_home
        return hosts.best(url, is_public=is_public)

    return find


def _found(playlist: Playlist, find: Find) -> Playlist:
    """Return a document with its works where they are now."""
    document = for_display(playlist.document, find=find)
    return (
        playlist
        if document == playlist.document
        else replace(playlist, document=document)
    )


def _is_found(playlist: Playlist, find: Find) -> bool:
    """Return whether a display finds all works of a playlist where it says, and nowhere better."""
    sources = [str(item.get("source") or "") for item in playlist.items]
    return not any(
        is_elsewhere(source) or find(source) != work_url(source) for source in sources
    )


def _sent(playlist: Playlist, find: Find) -> Playlist | None:
    """Return a playlist at a URL as a document, None if a display does not take it as one."""
    document = playlist.document
    if _looks_up(document):
        return None
    found = for_display(document, find=find)
    if faults := unplayable(found):
        LOGGER.debug("A playlist is left to the display: %s", faults[0])
        return None
    if len(json.dumps(found, ensure_ascii=False).encode()) > MAX_INLINE:
        return None
    return replace(playlist, url=None, document=found, origin=Origin.OURS)


def _looks_up(document: dict[str, Any]) -> bool:
    """Return whether a display looks up the works of a document by itself."""
    return bool(document.get("dynamicQuery") or document.get("dynamicQueries"))
