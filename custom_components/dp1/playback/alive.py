"""Playlists whose works are no longer where they say: they go to a display as a document with the addresses of now."""

import asyncio
from dataclasses import replace
import json
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from .. import timing
from ..client.errors import InvalidPlaylistError
from ..client.hosts import is_elsewhere, work_url
from ..client.playlist.document import check_playable, for_display
from ..client.playlist.playlist import Origin, Playlist
from ..const import LOGGER
from ..grants import GRANTS
from ..hosts import HOSTS, Hosts
from ..permissions import STRANGER, Caller
from .resolve import async_read, daily_of

# In bytes of JSON: the most that a display takes as a document.
# In works: a longer document is looked through in a thread.
MAX_ON_LOOP: Final = 50
MAX_INLINE: Final = 4 * 1024 * 1024


async def async_alive(
    hass: HomeAssistant, playlist: Playlist, caller: Caller = STRANGER
) -> Playlist:
    """Return a playlist with its works where they are now: by its URL where a display finds them all, else as a document.

    What cannot be read here, looks its works up, or is larger than a display takes stays at its URL.
    """
    hosts = hass.data[HOSTS]
    if playlist.url is None:
        if len(playlist.items) <= MAX_ON_LOOP:
            return _found(playlist, hosts)
        return await hass.async_add_executor_job(_found, playlist, hosts)
    if hass.data[GRANTS].media_id_of(playlist.url) is not None:
        return playlist
    if daily := daily_of(hass, playlist):
        playlist = replace(playlist, document=daily.document or {})
    try:
        async with asyncio.timeout(timing.TITLE_TIMEOUT):
            # What was cast before is read for nobody, as displays do.
            reader = caller if caller.hosts else STRANGER
            read = await async_read(hass, playlist, reader)
    except (HomeAssistantError, TimeoutError) as err:
        LOGGER.debug("A playlist is left to the display: %s", type(err).__name__)
        return playlist
    return await hass.async_add_executor_job(_sent, read, hosts) or playlist


def _found(playlist: Playlist, hosts: Hosts) -> Playlist:
    """Return a document with its works where they are now."""
    document = for_display(playlist.document, find=hosts.best)
    return (
        playlist
        if document == playlist.document
        else replace(playlist, document=document)
    )


def _sent(playlist: Playlist, hosts: Hosts) -> Playlist | None:
    """Return the document of a playlist at a URL, None if its URL is as good or better."""
    document = playlist.document
    sources = [str(item.get("source") or "") for item in playlist.items]
    is_found = all(
        not is_elsewhere(source) and hosts.best(source) == work_url(source)
        for source in sources
    )
    if is_found or _looks_up(document):
        return None
    found = for_display(document, find=hosts.best)
    try:
        check_playable(found)
    except InvalidPlaylistError as err:
        LOGGER.debug("A playlist is left to the display: %s", err)
        return None
    if len(json.dumps(found, ensure_ascii=False).encode()) > MAX_INLINE:
        return None
    return replace(playlist, url=None, document=found, origin=Origin.OURS)


def _looks_up(document: dict[str, Any]) -> bool:
    """Return whether a display looks up the works of a document by itself."""
    return bool(document.get("dynamicQuery") or document.get("dynamicQueries"))
