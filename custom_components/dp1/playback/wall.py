"""What is done with the wall of a display: permanent playlists and announcements, one cast after the other."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import unquote

from aiohttp import ClientError, ClientTimeout

from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.util import dt as dt_util

from ..client.playlist.playlist import Playlist
from ..const import LOGGER
from ..coordinator import DisplayCoordinator
from ..display.hung import Hung
from ..display.wall import RETRY_AFTER, Announcement, Wall
from ..errors import invalid_input
from ..grants import LENT, PATH, internal_url
from .cast import (
    async_cast,
    async_hang_again,
    async_prepared,
    async_response,
    async_take_snapshot,
    async_wake,
    is_refused,
)
from .media_ids import start_of
from .request import Request
from .watch import Change

# How many are shown for a time at most, one over the other.
MAX_ANNOUNCED: Final = 4
# Of the notes, when nothing is shown for a time any more.
OVER: Final[Mapping[str, Any]] = {"announced": (), "lasting": (), "sleeps": False}
# Seconds after the end of an announcement, until a display that cannot be given back what it showed keeps it.
GIVE_UP: Final = 86400.0
# After that end, until one that answers, but does not sleep again, stays awake.
STAYS_AWAKE: Final = timedelta(minutes=10)
# Seconds in which a former address of Home Assistant answers.
ASKS_FOR: Final = 5.0

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
        is_older = (
            request.number < wall.newest_permanent
            or coordinator.requests.is_canceled(request.number)
        )
        if is_older or (wall.is_announcing and not is_newest):
            if wall.is_announcing and not is_older:
                # It is what hangs after the newer announcement.
                hung = await async_prepared(coordinator, playlist, request)
                wall.newest_permanent = request.number
                await wall.async_note(
                    lasting=(hung, *wall.notes.lasting[-1:]),
                    sleeps=wall.notes.sleeps and not request.wake,
                    daily=daily,
                )
            return await _async_superseded(coordinator, playlist)
        async with _lasting(wall, request, daily):
            hung = await async_cast(coordinator, playlist, request)
    await async_wake(coordinator, request)
    return await async_response(coordinator, hung)


@asynccontextmanager
async def _lasting(
    wall: Wall, request: Request, daily: str | None = None
) -> AsyncIterator[None]:
    """End what lasted until then, unless the cast that is sent meanwhile is refused or canceled."""
    lasting = wall.notes
    # Before it is sent, as it belongs to no announcement.
    wall.note(announced=(), lasting=(), daily=None)
    try:
        yield
        wall.newest_permanent = request.number
        wall.newest = max(wall.newest, request.number)
        wall.note(daily=daily, sleeps=wall.notes.sleeps and not request.wake)
    except BaseException:
        wall.note(
            announced=lasting.announced, lasting=lasting.lasting, daily=lasting.daily
        )
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
    """Show a playlist for a limited time, over what else is shown for one."""
    wall = coordinator.wall
    async with wall.turn(request.number) as is_newest:
        if not is_newest or coordinator.requests.is_canceled(request.number):
            return await _async_superseded(coordinator, playlist)
        with coordinator.requests.steps():
            await _async_look(coordinator)
            before = wall.notes
            lasting = before.lasting or (await _async_before(coordinator),)
            is_first = not before.announced
            sleeps = before.sleeps or (is_first and coordinator.data.asleep is True)
            below = _covered(coordinator)
            hung = Hung(asked=playlist, start=request.start)
            now = dt_util.utcnow()
            announced = *below, Announcement(hung, now + duration, now)
            # Saved before it is sent, so that a restart in between ends it.
            await wall.async_note(announced=announced, lasting=lasting, sleeps=sleeps)
            try:
                hung = await async_cast(coordinator, playlist, request)
            except BaseException:
                await wall.async_note(
                    announced=before.announced,
                    lasting=before.lasting,
                    sleeps=before.sleeps and wall.notes.sleeps,
                )
                raise
            wall.newest = request.number
            await async_wake(coordinator, request)
            # The duration counts from when it is visible.
            now = dt_util.utcnow()
            announced = *below, Announcement(hung, now + duration, now)
            await wall.async_note(announced=announced)
    return await async_response(coordinator, hung)


async def async_end_announcement(coordinator: DisplayCoordinator) -> None:
    """Show what is below an announcement again, or raise if there is none."""
    async with coordinator.wall.turn():
        if not coordinator.wall.is_announcing:
            raise invalid_input("nothing_shown_for_a_time", name=coordinator.name)
        await _async_restore(coordinator)


async def async_lasting(coordinator: DisplayCoordinator) -> Hung | None:
    """Return what hangs for good, or raise if that is covered and there is nothing."""
    if not await async_announced(coordinator):
        return await async_take_snapshot(coordinator)
    if (hung := coordinator.wall.notes.lasting[0]) is None:
        raise invalid_input("nothing_comes_back", name=coordinator.name)
    return hung


async def async_announced(coordinator: DisplayCoordinator) -> bool:
    """Return whether a display shows something for a time; what is changed meanwhile is what hangs for good below."""
    announcement = coordinator.wall.notes.announcement
    return announcement is not None and await _async_is_shown(
        coordinator, announcement.hung
    )


async def async_change_lasting(
    coordinator: DisplayCoordinator,
    hung: Hung | None,
    *,
    number: int = 0,
    wakes: bool = False,
) -> bool:
    """Change what hangs for good below an announcement, and whether the display sleeps then, unless the request was canceled.

    Return whether there is one once everything that was sent before has been taken.
    """
    wall = coordinator.wall
    async with wall.turn():
        is_canceled = coordinator.requests.is_canceled(number)
        if is_canceled or not await async_announced(coordinator):
            return False
        await _async_note_lasting(wall, hung, sleeps=wall.notes.sleeps and not wakes)
        return True


async def _async_note_lasting(wall: Wall, hung: Hung | None, **changes: Any) -> None:
    """Note what hangs for good below an announcement."""
    lasting, daily = (hung, *wall.notes.lasting[1:]), wall.notes.daily
    if hung is None or hung.asked.url not in (None, daily):
        daily = None
    await wall.async_note(lasting=lasting, daily=daily, **changes)


async def async_order(
    coordinator: DisplayCoordinator,
    shuffle: bool | None,
    loop: str | None,
) -> None:
    """Set the order of a display, and that of what comes back after an announcement."""
    async with async_present(coordinator):
        async with coordinator.async_command() as display:
            if shuffle is not None:
                await display.set_shuffle(shuffle)
            if loop is not None:
                await display.set_loop(loop)
        if await async_announced(coordinator) and (
            hung := coordinator.wall.notes.lasting[0]
        ):
            start = hung.start
            start = replace(
                start,
                shuffle=start.shuffle if shuffle is None else shuffle,
                loop=loop or start.loop,
            )
            await _async_note_lasting(coordinator.wall, replace(hung, start=start))


async def async_turn_on(coordinator: DisplayCoordinator) -> None:
    """Wake a display, which then stays awake after an announcement, too."""
    if coordinator.wall.notes.sleeps:
        # In no turn: waking waits for no cast.
        await coordinator.wall.async_note(sleeps=False)
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
    player, hung = change.after.data.player, _expected(display.wall)
    if hung is None or player is None:
        return
    if display.requests.pending or not change.after.available:
        return
    # A push does not carry the list, which is read a moment later.
    if change.before is None or player is change.before.data.player:
        return
    if player.playlist is None or player.hides_works or not player.items:
        return
    if not hung.is_shown_by(player):
        display.create_task(_async_note_over(display), "announcement")


@callback
def follow_home(display: DisplayCoordinator, change: Change) -> None:
    """Hang what is lent at another address of Home Assistant than its own once more, if that leads here no more."""
    after, wall, hass = change.after, display.wall, display.hass
    player, base = after.data.player, internal_url(hass)
    if base in (None, wall.home) or player is None or not after.available:
        return
    if after.data.asleep or after.data.error_page or not hass.is_running:
        return
    if (entry := display.history.current(player)) is None:
        return
    wall.home = base
    sources = (it for it in entry.hung.shown.sources if PATH in it)
    if (match := next(filter(None, map(LENT.search, sources)), None)) is None:
        return
    if (home := unquote(match[1])) != base:
        url = f"{home}{match[2]}?token={match[4]}"
        shown = entry.hung.shown
        display.create_task(_async_move(display, url, shown), "another address")


async def _async_move(display: DisplayCoordinator, url: str, shown: Playlist) -> None:
    """Hang what a display shows once more, unless a medium is still there at its address."""
    session = async_get_clientsession(display.hass, verify_ssl=False)
    limit = ClientTimeout(total=ASKS_FOR)
    with suppress(ClientError, TimeoutError, ValueError):
        async with session.head(url, timeout=limit, allow_redirects=False) as answer:
            if answer.ok:
                return
    with suppress(HomeAssistantError):
        async with display.wall.turn():
            hung = await async_take_snapshot(display)
            if hung and hung.shown == shown and not display.wall.is_announcing:
                await async_hang_again(display, hung)


def _expected(wall: Wall) -> Hung | None:
    """Return what hangs while something is still to follow, None if nothing is or that is not known."""
    if announcement := wall.notes.announcement:
        return announcement.hung
    return wall.hung if wall.notes.sleeps else None


async def _async_note_over(coordinator: DisplayCoordinator) -> None:
    """Note that an announcement is over, unless that was only on its way."""
    async with coordinator.wall.turn():
        # One that does not answer is judged when the time is over.
        with suppress(HomeAssistantError):
            await _async_look(coordinator)


async def _async_look(coordinator: DisplayCoordinator) -> None:
    """Look whether a display shows what is noted; if somebody else has cast, nothing follows any more."""
    wall = coordinator.wall
    while (hung := _expected(wall)) and not await _async_is_shown(coordinator, hung):
        # What is below hangs if Home Assistant stopped before this was sent.
        below = wall.notes.announced[:-1]
        await wall.async_note(**({"announced": below} if below else OVER))


async def async_extend(
    coordinator: DisplayCoordinator, duration: timedelta
) -> datetime | None:
    """Show an announcement for longer; return until when, None if there is none."""
    wall = coordinator.wall
    async with wall.turn():
        if (announcement := wall.notes.announcement) is None:
            return None
        until = announcement.until + duration
        announcement = replace(announcement, until=until)
        await wall.async_note(announced=(*wall.notes.announced[:-1], announcement))
        return until


async def _async_end(coordinator: DisplayCoordinator) -> None:
    """End an announcement whose time is over, and try again later if that fails."""
    wall = coordinator.wall
    async with wall.turn():
        if wall.has_timer:
            # It was extended meanwhile.
            return
        try:
            await _async_restore(coordinator)
        except HomeAssistantError as err:
            LOGGER.debug("%s: an announcement ends late: %s", coordinator.name, err)
            announcement, hung = wall.notes.announcement, wall.hung
            if announcement is not None:
                is_over = announcement.rest < -GIVE_UP
            else:
                since = hung and dt_util.utcnow() - hung.at
                is_over = is_refused(err) and (not since or since > STAYS_AWAKE)
            if not is_over:
                wall.apply(RETRY_AFTER)
                return
            LOGGER.warning("%s stays as it is: %s", coordinator.name, err)
            await wall.async_note(**OVER)


async def _async_restore(coordinator: DisplayCoordinator) -> None:
    """Show what is below an announcement, unless something else is shown by now; a display that slept before all of them sleeps again."""
    wall = coordinator.wall
    uppermost = wall.notes.announcement
    with coordinator.requests.steps():
        await _async_look(coordinator)
        if wall.is_announcing:
            if wall.notes.announcement is uppermost:
                await _async_hang_below(coordinator)
            if wall.is_announcing:
                return
        if wall.notes.sleeps:
            if not coordinator.data.asleep:
                await coordinator.power.async_set_asleep(True)
            await wall.async_note(sleeps=False)


async def _async_hang_below(coordinator: DisplayCoordinator) -> None:
    """Show the first that a display takes: what is still to be shown for a time, what hangs for good, or what did before that."""
    wall = coordinator.wall
    announced = [it for it in wall.notes.announced[:-1] if it.rest > 0]
    lasting = [*wall.notes.lasting]
    while True:
        hung = announced[-1].hung if announced else lasting[0]
        try:
            await async_hang_again(coordinator, hung)
        except HomeAssistantError as err:
            if not is_refused(err) or len(announced) + len(lasting) == 1:
                raise
            (announced or lasting).pop(-1 if announced else 0)
        else:
            break
    if announced and wall.hung is not None:
        announced[-1] = replace(announced[-1], hung=wall.hung)
        await wall.async_note(announced=(*announced,))
    else:
        await wall.async_note(announced=(), lasting=())


async def _async_superseded(
    coordinator: DisplayCoordinator, playlist: Playlist
) -> Response:
    """Return the response to a cast in whose place a newer one is shown."""
    newer = coordinator.wall.hung or Hung(asked=playlist)
    return {**await async_response(coordinator, newer), "superseded": True}


async def _async_is_shown(coordinator: DisplayCoordinator, hung: Hung) -> bool:
    """Ask whether a display still shows what hung."""
    if coordinator.wall.hung not in (None, hung):
        return False
    player = await coordinator.async_read_player()
    if player is None or player.hides_works:
        return True
    return hung.is_shown_by(player)


def _covered(coordinator: DisplayCoordinator) -> list[Announcement]:
    """Return what is still to be shown for a time below another, the uppermost with the place that it is at."""
    announced, player = coordinator.wall.notes.announced, coordinator.data.player
    if announced and player is not None and player.current is not None:
        hung = replace(announced[-1].hung, start=start_of(player))
        announced = *announced[:-1], replace(announced[-1], hung=hung)
    return [it for it in announced if it.rest > 0][: MAX_ANNOUNCED - 1]


async def _async_before(coordinator: DisplayCoordinator) -> Hung | None:
    """Return what is to hang after an announcement, or raise if the display cannot tell."""
    if coordinator.cast_only and coordinator.assumed is None:
        raise invalid_input("display_cannot", name=coordinator.name, what="show_for")
    return await async_take_snapshot(coordinator)
