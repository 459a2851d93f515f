"""What is done with the wall of a display: permanent playlists and announcements, one cast after the other."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from ..client.playlist.playlist import Playlist
from ..const import LOGGER
from ..coordinator import DisplayCoordinator, Refresh
from ..display.hung import Hung, Snapshot
from ..display.wall import Announcement, Wall
from ..errors import invalid_input
from .cast import (
    async_cast,
    async_hang_again,
    async_response,
    async_take_snapshot,
    async_wake,
)
from .hidden import ALL_HIDDEN
from .request import Request
from .watch import Change

RETRY_AFTER: Final = timedelta(seconds=10)
# Seconds after the end of an announcement, until a display that cannot be given back what it showed keeps it.
GIVE_UP: Final = 86400.0

type Response = dict[str, Any]


@callback
def async_start(display: DisplayCoordinator) -> None:
    """Keep what lasts on a display until it is unloaded."""

    @callback
    def end() -> None:
        """End an announcement in the background: a display that does not answer holds up no reload."""
        display.create_task(_async_end(display), "announcement")

    display.config_entry.async_on_unload(display.wall.async_stop)
    display.wall.async_start(end)


# Permanently


async def async_take(
    coordinator: DisplayCoordinator,
    playlist: Playlist,
    request: Request,
    daily: str | None = None,
) -> Response:
    """Show a playlist permanently, which ends announcement and Daily, and return the response of ``dp1.cast_playlist``."""
    wall = coordinator.wall
    async with wall.turn(request.number) as is_newest:
        announcement = wall.notes.announcement
        is_older = (
            request.number < wall.newest_permanent
            or coordinator.requests.is_canceled(request.number)
        )
        if is_older or (announcement and not is_newest):
            if announcement and not is_older:
                # It is what hangs after the newer announcement.
                wall.newest_permanent = request.number
                asleep = announcement.before.asleep and not request.wake
                announcement = replace(
                    announcement,
                    before=Snapshot(Hung(asked=playlist, start=request.start), asleep),
                    earlier=announcement.earlier or announcement.before,
                )
                await wall.async_note(announcement=announcement, daily=daily)
            return await _async_superseded(coordinator, playlist)
        async with _lasting(wall, request, daily):
            hung = await async_cast(coordinator, playlist, request)
    await async_wake(coordinator, request)
    return await async_response(coordinator, hung)


async def async_take_again(
    coordinator: DisplayCoordinator, record_id: str, request: Request
) -> None:
    """Show a work that the display remembers permanently, as :func:`async_take` does."""
    wall = coordinator.wall
    async with wall.turn(request.number) as is_newest:
        if not is_newest or coordinator.requests.is_canceled(request.number):
            return
        async with (
            _lasting(wall, request),
            coordinator.async_command(Refresh.PLAYER) as display,
        ):
            await display.show_again(record_id)
    await async_wake(coordinator, request)


@asynccontextmanager
async def _lasting(
    wall: Wall, request: Request, daily: str | None = None
) -> AsyncIterator[None]:
    """End what lasted until then, unless the cast that is sent meanwhile is refused or canceled."""
    lasting = wall.notes
    # Before it is sent, as it belongs to no announcement.
    wall.note(announcement=None, daily=None)
    try:
        yield
        wall.newest_permanent = request.number
        wall.newest = max(wall.newest, request.number)
        wall.note(daily=daily)
    except BaseException:
        wall.note(announcement=lasting.announcement, daily=lasting.daily)
        wall.tell()
        raise
    finally:
        if wall.notes != lasting:
            await wall.async_note()


# For a limited time


async def async_announce(
    coordinator: DisplayCoordinator,
    playlist: Playlist,
    request: Request,
    duration: timedelta,
) -> Response:
    """Show a playlist for a limited time; after overlapping announcements, the one before the first returns."""
    wall = coordinator.wall
    async with wall.turn(request.number) as is_newest:
        if not is_newest or coordinator.requests.is_canceled(request.number):
            return await _async_superseded(coordinator, playlist)
        with coordinator.requests.steps():
            active = wall.notes.announcement
            if active and not await _async_is_shown(coordinator, active):
                active = None
            before = active.before if active else await _async_before(coordinator)
            hung = Hung(asked=playlist, start=request.start)
            announcement = Announcement(
                hung, _end(duration, active), before, dt_util.utcnow()
            )
            if active:
                announcement = replace(announcement, earlier=active.earlier)
            # Saved before it is sent, so that a restart in between ends it.
            await wall.async_note(announcement=announcement)
            try:
                hung = await async_cast(coordinator, playlist, request)
            except BaseException:
                await wall.async_note(announcement=active)
                raise
            wall.newest = request.number
            await async_wake(coordinator, request)
            # The duration counts from when it is visible. It may have been turned on meanwhile.
            until = _end(duration, active)
            announcement = wall.notes.announcement or announcement
            announcement = replace(announcement, hung=hung, until=until)
            await wall.async_note(announcement=announcement)
    return await async_response(coordinator, hung)


async def async_end_announcement(coordinator: DisplayCoordinator) -> None:
    """Show the playlist from before an announcement again, or raise if there is none."""
    async with coordinator.wall.turn():
        if (announcement := coordinator.wall.notes.announcement) is None:
            raise invalid_input("nothing_shown_for_a_time", name=coordinator.name)
        await _async_restore(coordinator, announcement)


async def async_lasting(coordinator: DisplayCoordinator) -> Snapshot:
    """Return what hangs; during an announcement, what comes back, or raise if nothing does."""
    if (announcement := await async_announced(coordinator)) is None:
        return await async_take_snapshot(coordinator)
    if announcement.before.hung is None:
        raise invalid_input("nothing_comes_back", name=coordinator.name)
    return announcement.before


async def async_announced(coordinator: DisplayCoordinator) -> Announcement | None:
    """Return the announcement that a display shows; what is changed meanwhile is what comes back after it."""
    announcement = coordinator.wall.notes.announcement
    if announcement is None or not await _async_is_shown(coordinator, announcement):
        return None
    return announcement


async def async_change_lasting(coordinator: DisplayCoordinator, **changes: Any) -> bool:
    """Change what comes back after the announcement: the playlist, its place and order, or whether the display sleeps then.

    Return whether there is one once everything that was sent before has been taken.
    """
    wall = coordinator.wall
    async with wall.turn():
        if (announcement := await async_announced(coordinator)) is None:
            return False
        await _async_note_before(wall, announcement, **changes)
        return True


async def _async_note_before(
    wall: Wall, announcement: Announcement, **changes: Any
) -> None:
    """Note what comes back after an announcement."""
    before, daily = replace(announcement.before, **changes), wall.notes.daily
    if before.hung is None or before.hung.asked.url not in (None, daily):
        daily = None
    announcement = replace(announcement, before=before)
    await wall.async_note(announcement=announcement, daily=daily)


async def async_order(
    coordinator: DisplayCoordinator,
    shuffle: bool | None = None,
    loop: str | None = None,
) -> None:
    """Set the order of a display, and that of what comes back after an announcement."""
    async with async_present(coordinator):
        async with coordinator.async_command() as display:
            if shuffle is not None:
                await display.set_shuffle(shuffle)
            if loop is not None:
                await display.set_loop(loop)
        announcement = await async_announced(coordinator)
        if announcement and (hung := announcement.before.hung):
            start = hung.start
            start = replace(
                start,
                shuffle=start.shuffle if shuffle is None else shuffle,
                loop=loop or start.loop,
            )
            hung = replace(hung, start=start)
            await _async_note_before(coordinator.wall, announcement, hung=hung)


async def async_turn_on(coordinator: DisplayCoordinator) -> None:
    """Wake a display, which then stays awake after an announcement, too."""
    wall = coordinator.wall
    if announcement := wall.notes.announcement:
        # In no turn: waking waits for no cast.
        await _async_note_before(wall, announcement, asleep=False)
    await coordinator.power.async_set_asleep(False)


@asynccontextmanager
async def async_present(coordinator: DisplayCoordinator) -> AsyncIterator[bool]:
    """Wait until what is being sent hangs, and yield whether nothing newer does by then; nothing else is sent meanwhile."""
    wall, requests = coordinator.wall, coordinator.requests
    before, is_waiting = wall.hung, wall.is_busy or bool(requests.pending)
    await requests.async_wait_for_casts()
    async with requests.step_lock, wall.turn() as is_newest:
        player, hung = coordinator.data.player, wall.hung
        if is_waiting and hung is not None and player is not None:
            # Its push may still be on its way.
            if hung is not before or not hung.is_shown_by(player):
                await coordinator.async_read_player()
        yield is_newest


@callback
def follow(display: DisplayCoordinator, change: Change) -> None:
    """Take an announcement for over once somebody has cast something else over it."""
    wall, player = display.wall, change.after.data.player
    announcement = wall.notes.announcement
    if announcement is None or player is None:
        return
    if display.requests.pending or not change.after.available:
        return
    # A push does not carry the list, which is read a moment later.
    if change.before is None or player is change.before.data.player:
        return
    if player.playlist is None or player.hides_works or not player.items:
        return
    if not announcement.hung.is_shown_by(player):
        display.create_task(_async_note_over(display), "announcement")


async def _async_note_over(coordinator: DisplayCoordinator) -> None:
    """Note that an announcement is over, unless that was only on its way."""
    wall = coordinator.wall
    async with wall.turn():
        # One that does not answer is judged when the time is over.
        with suppress(HomeAssistantError):
            if wall.is_announcing and await async_announced(coordinator) is None:
                await wall.async_note(announcement=None)


async def async_extend(
    coordinator: DisplayCoordinator, duration: timedelta
) -> datetime | None:
    """Show an announcement for longer; return until when, None if there is none."""
    wall = coordinator.wall
    async with wall.turn():
        if (announcement := wall.notes.announcement) is None:
            return None
        until = announcement.until + duration
        await wall.async_note(announcement=replace(announcement, until=until))
        return until


async def _async_end(coordinator: DisplayCoordinator) -> None:
    """End an announcement whose time is over, and try again later if that fails."""
    wall = coordinator.wall
    async with wall.turn():
        if (announcement := wall.notes.announcement) is None or wall.has_timer:
            # It was extended meanwhile.
            return
        try:
            await _async_restore(coordinator, announcement)
        except HomeAssistantError as err:
            LOGGER.debug("%s: an announcement ends late: %s", coordinator.name, err)
            patience = timedelta(seconds=GIVE_UP)
            if (now := dt_util.utcnow()) < announcement.until + patience:
                wall.apply(now + RETRY_AFTER)
            else:
                await wall.async_note(announcement=None)


async def _async_restore(
    coordinator: DisplayCoordinator, announcement: Announcement
) -> None:
    """Show the playlist from before an announcement, unless something else is shown by now."""
    wall = coordinator.wall
    with coordinator.requests.steps():
        if await _async_is_shown(coordinator, announcement):
            earlier = announcement.earlier
            try:
                await async_hang_again(coordinator, announcement.before.hung)
            except HomeAssistantError as err:
                if earlier is None and err.translation_key != ALL_HIDDEN:
                    raise
                # Who has hidden all of its works wants to see none of them.
                await async_hang_again(coordinator, earlier.hung if earlier else None)
            # It may have been turned on meanwhile.
            announcement = wall.notes.announcement or announcement
            if announcement.before.asleep and not coordinator.data.asleep:
                await coordinator.power.async_set_asleep(True)
        await wall.async_note(announcement=None)


async def _async_superseded(
    coordinator: DisplayCoordinator, playlist: Playlist
) -> Response:
    """Return the response to a cast in whose place a newer one is shown."""
    newer = coordinator.wall.hung or Hung(asked=playlist)
    return {**await async_response(coordinator, newer), "superseded": True}


async def _async_is_shown(
    coordinator: DisplayCoordinator, announcement: Announcement
) -> bool:
    """Ask whether a display still shows an announcement."""
    if coordinator.wall.hung not in (None, announcement.hung):
        return False
    player = await coordinator.async_read_player()
    if player is None or player.hides_works:
        return True
    return announcement.hung.is_shown_by(player)


async def _async_before(coordinator: DisplayCoordinator) -> Snapshot:
    """Return the snapshot to show after an announcement, or raise if the display cannot tell."""
    if coordinator.cast_only and coordinator.assumed is None:
        raise invalid_input("display_cannot", name=coordinator.name, what="show_for")
    return await async_take_snapshot(coordinator)


def _end(duration: timedelta, active: Announcement | None) -> datetime:
    """Return when an announcement ends that starts now, not before the active one."""
    until = dt_util.utcnow() + duration
    return until if active is None else max(until, active.until)
