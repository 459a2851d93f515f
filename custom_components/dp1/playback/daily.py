"""The Daily on displays: by its URL where the display changes works by itself, else the work of today alone.

Firmware that does not know `displayAt` would play the whole archive. It is told by what the display reports.
"""

from dataclasses import replace
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from ..client.playlist.document import unsigned
from ..client.playlist.playlist import Playlist
from ..client.values import mapping, text
from ..const import LOGGER
from ..coordinator import DisplayCoordinator
from ..display.hung import Hung
from ..errors import action_failed
from ..library.libraries import async_add_libraries_listener, async_libraries
from ..library.providers.daily import Daily
from .cast import async_cast
from .hidden import visible
from .request import Ready, Request
from .resolve import async_apply, daily_of
from .wall import async_take
from .watch import Change

# Seconds until a Daily that a display did not take is sent again.
RETRY_AFTER: Final = 600.0


class DailyWatch:
    """The watch over a display that shows the Daily: by its URL, as a document, or its works of today alone.

    It is given the URL that follows when the Daily moves, today's work alone if it turns out to ignore times, and then
    each day that of the day.
    """

    def __init__(self, coordinator: DisplayCoordinator) -> None:
        """Initialize the watch."""
        self._display = coordinator
        self._is_busy = False
        # What could not be shown, and until when it is not tried again.
        self._failed: tuple[str, float] = ("", 0.0)

    @callback
    def async_start(self) -> None:
        """Watch the libraries until the display is unloaded."""
        stop = async_add_libraries_listener(self._display.hass, self.follow)
        self._display.config_entry.async_on_unload(stop)

    @callback
    def follow(self, change: Change | None = None) -> None:
        """Handle a Daily that has moved, and works that the display reports only now."""
        url, display = self._display.wall.notes.daily, self._display
        if url is None or self._is_busy or display.requests.in_steps:
            return
        daily = _daily_at(display.hass, url)
        if daily is None or not display.last_update_success:
            return
        failed, until = self._failed
        if daily.url == failed and display.hass.loop.time() < until:
            return
        if (
            daily.url != url
            or (_has_other_works(change) and _plays_all(display, daily))
            or _is_of_yesterday(display, daily)
        ):
            self._is_busy = True
            display.create_task(self._async_go_on(daily, url), "daily")

    async def _async_go_on(self, daily: Daily, url: str) -> None:
        """Show what follows in the turn of the display; one that refuses it is not asked again for a while."""
        display = self._display
        async with display.wall.turn():
            with display.requests.steps():
                try:
                    await self._async_show(daily, url)
                except HomeAssistantError as err:
                    LOGGER.debug("%s: the Daily is not shown: %s", display.name, err)
                    until = display.hass.loop.time() + RETRY_AFTER
                    self._failed = daily.url, until
                finally:
                    self._is_busy = False

    async def _async_show(self, daily: Daily, url: str) -> None:
        """Show the Daily at its new URL, or its work of today alone, unless something else is shown by now."""
        display, wall = self._display, self._display.wall
        player = await display.async_read_player()
        if wall.notes.daily != url or wall.is_announcing:
            return
        if not display.cast_only and (player is None or player.hides_works):
            return
        hung = hung_document(display)
        is_alone = hung is not None and hung.asked.url is None
        if (player is None or player.playlist_url != url) and hung is None:
            await wall.async_note(daily=None)
        elif daily.url != url and not is_alone:
            moved = Playlist(daily.url, daily.document or {})
            await async_cast(display, moved, Request(art=Ready(moved), wake=False))
            await wall.async_note(daily=daily.url)
        else:
            request = Request(art=Ready(Playlist(url)), wake=False)
            today = await _async_due(display.hass, daily, request)
            await async_cast(display, today, request)
            await wall.async_note(daily=daily.url)
            if not is_alone:
                await wall.async_note(ignores_times=_firmware(display))


def hung_document(coordinator: DisplayCoordinator) -> Hung | None:
    """Return what was sent as a document, if it is still shown."""
    player, hung = coordinator.data.player, coordinator.wall.hung
    if coordinator.cast_only:
        return hung
    if player is None:
        return None
    hung = hung or coordinator.history.current(player)
    if hung is None or hung.shown.url is not None or not hung.is_shown_by(player):
        return None
    return hung


async def async_of_today(
    hass: HomeAssistant, playlist: Playlist, request: Request
) -> Playlist:
    """Return a playlist; of the Daily, nothing but the work of today."""
    if (daily := daily_of(hass, playlist)) is None:
        return playlist
    await _async_check_due(daily)
    return await _async_due(hass, daily, request)


async def async_show_daily(
    coordinator: DisplayCoordinator, daily: Daily, playlist: Playlist, request: Request
) -> dict[str, Any]:
    """Show the Daily by its URL; only the work of today where it cannot be, or turns out to be played whole."""
    wall = coordinator.wall
    await _async_check_due(daily)
    # What the display makes of the URL is not shown for long.
    with coordinator.requests.steps():
        ignores_times = wall.notes.ignores_times == _firmware(coordinator)
        if not (ignores_times or coordinator.cast_only or request.look.rewrites):
            known = replace(playlist, document=daily.document or {})
            response = await async_take(coordinator, known, request, daily=daily.url)
            if "superseded" in response or not _plays_all(coordinator, daily):
                return response
            wall.note(ignores_times=_firmware(coordinator))
        today = await _async_due(coordinator.hass, daily, request)
        return await async_take(coordinator, today, request, daily=daily.url)


async def _async_check_due(daily: Daily) -> None:
    """Raise if there is no work for today."""
    await daily.async_document()
    due = daily.due()
    if due.timed and not due.has_run_out(dt_util.utcnow()):
        return
    for moment, key in (
        (due.next_at, "daily_not_yet"),
        (due.since, "daily_ran_out"),
    ):
        if moment is not None:
            since = dt_util.as_local(moment).date().isoformat()
            raise action_failed(key, since=since)
    raise action_failed("daily_without_days", name=daily.url)


def _daily_at(hass: HomeAssistant, url: str) -> Daily | None:
    """Return the Daily of a library by its URL, or the one it had until it ran out."""
    dailies = (library.daily for library in async_libraries(hass))
    return next((daily for daily in dailies if url in (daily.url, daily.former)), None)


def _firmware(coordinator: DisplayCoordinator) -> str:
    """Return the installed firmware of a display, empty if it is unknown."""
    device = coordinator.data.device
    return (device and device.installed_version) or ""


async def _async_due(hass: HomeAssistant, daily: Daily, request: Request) -> Playlist:
    """Return a playlist of the works that are due, without times and signatures; raise if all of them are hidden."""
    items = [
        {key: value for key, value in item.items() if key != "displayAt"}
        for item in visible(hass, daily.due().items)
    ]
    document = unsigned(daily.document or {}) | {"items": items}
    document.pop("schedule", None)
    request = replace(
        request,
        look=replace(request.look, limit=None, texts={}),
        begin=replace(request.begin, start_at=None),
    )
    return await async_apply(hass, Playlist(document=document), request)


def _has_other_works(change: Change | None) -> bool:
    """Return whether a display may report other works, which is dear to compare with a whole archive."""
    if change is None or change.before is None or change.has_come:
        return True
    before, after = change.before.data.player, change.after.data.player
    return after is not None and (before is None or before.items is not after.items)


def _plays_all(coordinator: DisplayCoordinator, daily: Daily) -> bool:
    """Return whether a display reports works of several moments of the Daily."""
    player, hung = coordinator.data.player, hung_document(coordinator)
    is_list = hung is not None and hung.asked.url == daily.url
    if player is None or (player.playlist_url != daily.url and not is_list):
        return False
    items = map(mapping, (daily.document or {}).get("items") or ())
    moments = {text(item.get("id")): text(item.get("displayAt")) for item in items}
    timed = {moments.get(item.id) for item in player.items if item.id} - {None}
    return len(timed) > 1 if timed else len(player.items) > len(daily.due().items)


def _is_of_yesterday(coordinator: DisplayCoordinator, daily: Daily) -> bool:
    """Return whether the works of a day hang alone, and those of today are not among them."""
    hung = hung_document(coordinator)
    if hung is None or hung.asked.url is not None:
        return False
    shown = {text(item.get("id")) for item in hung.shown.items}
    today = {text(item.get("id")) for item in daily.due().items}
    return bool(today) and not today <= shown
