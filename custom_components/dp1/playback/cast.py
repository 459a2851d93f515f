"""Casts: show a playlist on a display, and later the one before."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

from homeassistant.const import CONF_HOST
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..addresses import ADDRESSES, is_at_home
from ..client.display.client import Display, Start
from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import RejectedError
from ..client.playlist.playlist import Origin, Playlist
from ..client.text import host_of
from ..client.values import text
from ..coordinator import DisplayCoordinator, Refresh
from ..display.discovery import is_one_way
from ..display.history import History
from ..display.hung import Hung
from ..errors import action_failed, invalid_input
from ..grants import GRANTS, internal_url, lent_in, without_token
from ..library import timing
from ..library.libraries import is_shuffled
from .alive import async_alive
from .media_ids import start_of
from .request import Begin, Ready, Request
from .resolve import async_apply, async_read


async def async_cast(
    coordinator: DisplayCoordinator, playlist: Playlist, request: Request
) -> Hung:
    """Cast to a display in its turn, and return what hangs then."""
    hung = await async_prepared(coordinator, playlist, request)
    return await _async_hang(coordinator, hung, request.wake)


async def async_prepared(
    coordinator: DisplayCoordinator, playlist: Playlist, request: Request
) -> Hung:
    """Return what is to hang: what was asked for, and what is sent of it now."""
    if isinstance(request.art, Ready):
        # That was said when it was first shown.
        playlist = replace(playlist, warning="")
    asked = playlist
    if coordinator.cast_only:
        _check_begin(coordinator, request.begin)
    alive = await async_alive(coordinator.hass, playlist, request.caller, coordinator)
    if asked.url is not None:
        # What is there may change.
        asked = replace(asked, document={}, title=alive.name)
    asked = replace(asked, warning=alive.warning, left_out=alive.left_out)
    sent = alive if alive.url is None else asked
    start = request.start
    if start == Start() and is_shuffled(coordinator.hass, asked.url):
        start = replace(coordinator.history.place(asked.url or ""), shuffle=None)
    return Hung(asked=asked, sent=None if sent == asked else sent, start=start)


async def _async_hang(coordinator: DisplayCoordinator, hung: Hung, wake: bool) -> Hung:
    """Send what is to hang, and return what hangs."""
    asked, playlist = hung.asked, hung.shown
    check_reach(coordinator, playlist)
    await _async_leave_error_page(coordinator, wake)
    grants = coordinator.hass.data[GRANTS]
    playlist = await grants.async_lent(playlist, coordinator.entry_id)
    if playlist.origin is Origin.OURS:
        coordinator.hass.data[ADDRESSES].async_allow_of_library(playlist.pictures)
    # A cast shows its first work before the one to start at.
    with coordinator.requests.steps():
        async with coordinator.async_command(Refresh.PLAYER) as display:
            start = None if coordinator.cast_only else hung.start
            try:
                sent = await _async_send(coordinator, display, playlist, start)
            except RejectedError as err:
                if err.code != "sigInvalid" or playlist.url or not asked.url:
                    raise
                name = coordinator.name
                raise action_failed("moved_not_signed", name=name) from err
            hung = Hung(
                asked=asked, sent=None if sent == asked else sent, start=hung.start
            )
            # Before the state is read, of which it tells what the display omits.
            coordinator.async_handle_cast(hung, wake)
    return hung


async def async_wake(coordinator: DisplayCoordinator, request: Request) -> None:
    """Wake a display for a cast, unless it was told to sleep since."""
    is_newest = request.number > coordinator.power.last_request
    if request.wake and coordinator.data.asleep and is_newest:
        await coordinator.power.async_set_asleep(False)


def check_reach(coordinator: DisplayCoordinator, playlist: Playlist) -> None:
    """Raise an error for media at home that a display has no way to."""
    if not is_one_way(coordinator.config_entry.data[CONF_HOST]):
        return
    own = internal_url(coordinator.hass) or ""
    for source in playlist.sources:
        # A page has the address of a camera, or of the picture of a message, in it.
        address = own if any(lent_in(source)) else source
        if is_at_home(address):
            where = host_of(address) or ""
            raise action_failed("no_way_home", name=coordinator.name, where=where)


async def _async_leave_error_page(coordinator: DisplayCoordinator, wake: bool) -> None:
    """Wake a display that stands on its error page, where it ignores casts, or raise that it does."""
    if (reason := coordinator.data.error_page) is None:
        return
    if not wake:
        raise action_failed("on_error_page", name=coordinator.name, reason=reason)
    async with coordinator.async_command(Refresh.DEVICE) as display:
        await display.wake()


async def _async_send(
    coordinator: DisplayCoordinator,
    display: Display,
    playlist: Playlist,
    start: Start | None,
) -> Playlist:
    """Send a playlist, and return it as sent; if it is refused without a reason, look for it in the document."""
    try:
        return await display.cast(playlist, start)
    except RejectedError as err:
        if err.code is None and err.command == "displayPlaylist":
            read = replace(await async_read(coordinator.hass, playlist), url=None)
            await async_apply(coordinator.hass, read, Request(art=Ready(read)))
            if any(item.get("displayAt") for item in read.items):
                name = coordinator.name
                raise action_failed("dated_not_accepted", name=name) from err
        raise


def _check_begin(coordinator: DisplayCoordinator, begin: Begin) -> None:
    """Raise for a display that only takes playlists, as they are."""
    for name in ("repeat", "shuffle", "start_at"):
        if getattr(begin, name):
            raise invalid_input("display_cannot", name=coordinator.name, what=name)


async def async_response(coordinator: DisplayCoordinator, hung: Hung) -> dict[str, Any]:
    """Return the response of ``dp1.cast_playlist``, as the display reports it or else as the document says, which is read if nothing is reported."""
    player, read = coordinator.data.player, hung.shown
    url = read.url
    if coordinator.cast_only:
        with suppress(HomeAssistantError, TimeoutError):
            async with asyncio.timeout(timing.TITLE_TIMEOUT):
                read = await async_read(coordinator.hass, read)
    title, count, key = read.name or None, read.works, text(read.document.get("id"))
    if url and player and player.playlist_url == url:
        title, key = player.playlist_title, player.playlist_id
        count = len(player.items)
    return {
        "title": title,
        "items": count,
        "playlist_id": key,
        "playlist_url": without_token(url),
        "method": "inline" if url is None else "url",
        **({"warning": warning} if (warning := hung.asked.warning) else {}),
    }


async def async_player_of(hass: HomeAssistant, hung: Hung | None) -> PlayerStatus:
    """Return what a player would report that shows this, if anything; a playlist by its URL is read."""
    if hung is None:
        return PlayerStatus()
    read, start = await async_read(hass, hung.shown), hung.start
    items = [PlaylistItem.parse(item) for item in read.items]
    message = {
        "ok": True,
        "playlistUrl": read.url,
        "playlist": read.document,
        "items": read.items,
        "index": start.find(items) or 0,
        "shuffle": start.shuffle is True,
        "loopMode": start.loop,
    }
    return PlayerStatus.parse(message)


async def async_take_snapshot(coordinator: DisplayCoordinator) -> Hung | None:
    """Read what hangs on a display with its place, None if nothing does."""
    player = await coordinator.async_read_player()
    if player is None and (assumed := coordinator.assumed) is not None:
        return replace(assumed, start=Start())
    if player is not None and player.position is None:
        kept = coordinator.wall.hung if player.hides_works else None
        return kept and replace(kept, start=Start())
    if player is None or (hung := hung_on(player, coordinator.history)) is None:
        if player is not None and not player.is_whole:
            raise action_failed("too_many_works", name=coordinator.name)
        raise action_failed("cannot_tell", name=coordinator.name)
    return replace(hung, start=start_of(player))


async def async_hang_again(coordinator: DisplayCoordinator, hung: Hung | None) -> None:
    """Show what hung on this display or another at its place, with the works that were sent, or nothing."""
    if hung is None:
        async with coordinator.async_command() as display:
            await display.clear()
        coordinator.wall.hung = None
        return
    shown = replace(hung.shown, warning="")
    sent = await async_alive(
        coordinator.hass, shown, display=coordinator, was_sent=True
    )
    await _async_hang(coordinator, replace(hung, sent=sent), wake=False)


def is_refused(err: HomeAssistantError) -> bool:
    """Return whether a display refuses what it is sent, rather than not answer."""
    return isinstance(err.__cause__, RejectedError | None)


def hung_on(player: PlayerStatus, history: History) -> Hung | None:
    """Return what hangs; None if some of its works are unknown."""
    if (entry := history.current(player)) is not None:
        return entry.hung
    is_known = player.is_whole and all(item.source for item in player.items)
    if not is_known and not player.playlist_url:
        return None
    return Hung(asked=history.playlist_of(player))
