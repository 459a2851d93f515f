"""Casts: show something on a display, and what it showed before."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import sample
from typing import Any

from homeassistant.exceptions import HomeAssistantError

from ..client.display.client import Cast, Display, Start
from ..client.display.player_status import PlayerStatus
from ..client.errors import RejectedError
from ..client.text import clean
from ..client.values import text
from ..coordinator import DisplayCoordinator, Refresh
from ..display.history import History, cast_of
from ..errors import action_failed, invalid_input
from ..grants import GRANTS, sources_of, without_token
from .resolve import Options, async_document, async_from_document, start_of


async def async_cast(
    coordinator: DisplayCoordinator, cast: Cast, options: Options
) -> dict[str, Any]:
    """Cast to a display and return the response of ``dp1.cast_playlist``."""
    if options.asked is not None:
        if options.asked < coordinator.requests.newest_cast:
            newer = coordinator.last_cast or cast
            return {**await _async_response(coordinator, newer), "superseded": True}
        coordinator.requests.newest_cast = options.asked
    if coordinator.cast_only:
        cast = await _async_arranged(coordinator, cast, options)
    await _async_leave_error_page(coordinator, options.wake)
    coordinator.hass.data[GRANTS].async_use(cast, coordinator.entry_id)
    # A cast shows its first work before the one to start at.
    with coordinator.requests.steps():
        async with coordinator.async_command(Refresh.PLAYER) as display:
            start = None if coordinator.cast_only else options.start
            wanted, cast = await _async_send(coordinator, display, cast, start)
            # Before the state is read, of which it tells what the display omits.
            coordinator.async_handle_cast(cast, options.wake)
    overtaken = (
        options.asked is not None and options.asked < coordinator.last_sleep_request
    )
    if options.wake and coordinator.data.asleep and not overtaken:
        await coordinator.async_set_asleep(False)
    response = await _async_response(coordinator, cast)
    if options.warnings:
        response["warning"] = options.warnings[0]
    return response if cast == wanted else {**response, "superseded": True}


async def _async_leave_error_page(coordinator: DisplayCoordinator, wake: bool) -> None:
    """Wake a display that stands on its error page, where it ignores casts, or raise that it does."""
    if (reason := coordinator.data.error_page) is None:
        return
    if not wake:
        raise action_failed("on_error_page", name=coordinator.name, reason=reason)
    async with coordinator.async_command(Refresh.DEVICE) as display:
        await display.wake()


async def _async_send(
    coordinator: DisplayCoordinator, display: Display, cast: Cast, start: Start | None
) -> tuple[Cast, Cast]:
    """Send a cast, and return it and what was sent in its place, which is another cast if a newer one replaced it.

    If the display refuses a URL without a reason, look for it in the document there. Works on IPFS or Arweave are one: the document is then sent with the addresses of their gateways.
    """
    try:
        return cast, await display.cast(cast, start)
    except RejectedError as err:
        is_unexplained = type(err) is RejectedError and err.command == "displayPlaylist"
        if not cast.playlist_url or not is_unexplained:
            raise
        document = await async_document(coordinator.hass, cast)
        inline = await async_from_document(coordinator.hass, document, Options())
        if sources_of(inline) == sources_of(Cast(playlist=document)):
            raise
    return inline, await display.cast(inline, start)


async def _async_arranged(
    coordinator: DisplayCoordinator, cast: Cast, options: Options
) -> Cast:
    """Apply start and shuffle to the document, for a display that only takes playlists."""
    if options.repeat is not None:
        raise invalid_input("display_cannot", name=coordinator.name, what="repeat")
    if not options.shuffle and not options.start_at:
        return cast
    if cast.playlist_url is not None:
        read = await async_document(coordinator.hass, cast)
        cast = await async_from_document(coordinator.hass, read, Options())
    document: Mapping[str, Any] = cast.playlist or {}
    if not (items := list(document.get("items") or ())):
        return cast
    first = ((options.start_at or 1) - 1) % len(items)
    rest = items[first + 1 :] + items[:first]
    if options.shuffle:
        rest = sample(rest, len(rest))
    return Cast(playlist={**document, "items": [items[first], *rest]})


async def _async_response(
    coordinator: DisplayCoordinator, cast: Cast
) -> dict[str, Any]:
    """Return what was cast, as the display reports it or else as the document says, which is read if nothing is reported."""
    player, document = coordinator.data.player, cast.playlist or {}
    if cast.playlist_url and player and player.playlist_url == cast.playlist_url:
        document = {
            "title": player.playlist_title,
            "items": [*player.items],
            "id": player.playlist_id,
        }
    elif coordinator.cast_only:
        with suppress(HomeAssistantError, TimeoutError):
            async with asyncio.timeout(coordinator.timing.title_timeout):
                document = await async_document(coordinator.hass, cast)
    items = document.get("items")
    return {
        "title": clean(document.get("title"), 200) or None,
        "items": len(items) if isinstance(items, list) else None,
        "playlist_id": text(document.get("id")),
        "playlist_url": without_token(cast.playlist_url),
        "method": "url" if cast.playlist is None else "inline",
    }


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a display shows: the playlist if there is one, the place in it, and whether the display sleeps."""

    cast: Cast | None
    start: Start
    asleep: bool


async def async_take_snapshot(coordinator: DisplayCoordinator) -> Snapshot:
    """Ask a display what it shows."""
    player = await coordinator.async_read_player()
    asleep = coordinator.data.asleep is True
    if player is None and coordinator.data.assumed is not None:
        return Snapshot(coordinator.data.assumed, Start(), asleep)
    if player is not None and player.current is None:
        kept = coordinator.last_cast if player.hides_works else None
        return Snapshot(kept, Start(), asleep)
    if player is None or (cast := cast_of_display(player, coordinator.history)) is None:
        raise action_failed("cannot_tell", name=coordinator.name)
    return Snapshot(cast, start_of(player), asleep)


async def async_restore_snapshot(
    coordinator: DisplayCoordinator, snapshot: Snapshot
) -> None:
    """Show what a snapshot of this display or another has, or nothing, and let the display sleep if it did then."""
    with coordinator.requests.steps():
        if snapshot.cast is not None:
            options = Options(place=snapshot.start, wake=False, asked=None)
            await async_cast(coordinator, snapshot.cast, options)
        else:
            async with coordinator.async_command() as display:
                await display.clear()
        if snapshot.asleep and not coordinator.data.asleep:
            await coordinator.async_set_asleep(True)


def cast_of_display(player: PlayerStatus, history: History) -> Cast | None:
    """Return the cast that shows the same playlist; None if some of its works are unknown."""
    if player.playlist_url:
        return Cast(playlist_url=player.playlist_url)
    if (given := history.current(player)) is not None:
        return given.cast
    if not all(item.source for item in player.items):
        return None
    return cast_of(player)


def is_showing(cast: Cast, player: PlayerStatus) -> bool:
    """Return whether a display shows what was cast; it may leave out works."""
    if cast.playlist is None or player.playlist_url:
        return cast.playlist_url == player.playlist_url
    shown = {item.source for item in player.items}
    given = {item.get("source") for item in cast.playlist.get("items") or ()}
    return bool(shown) and shown <= given
