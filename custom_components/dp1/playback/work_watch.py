"""The watch over the work on a display: whether it loads, and how long it has been there, which displays do not push.

A display tells of a picture or a film that it cannot load: the next gateway is tried once. A web work is black, and said
to be ready; so is what has no suffix at a host that does not say what it is: a host that is silent is told.
"""

from collections.abc import Container
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from ..client.hosts import content_of, is_web, same_work
from ..client.text import PAGE, host_of, media_type
from ..const import LOGGER
from ..coordinator import DisplayCoordinator, Refresh
from ..display.state import RENDER_FAILED, RENDER_LOADING, DisplayData, work_key
from ..grants import GRANTS
from ..hosts import HOSTS
from .alive import uses_own_gateway
from .cast import async_hang_again, hung_on
from .kept_files import kept_file
from .media_ids import start_of
from .watch import Change, Seen

type Visible = tuple[tuple[str | None, ...], str, bool]

# Seconds until what is not pushed is read again: that the player is back, or that a work has loaded.
FOLLOW_UP: Final = 7.0
# Seconds until a work that is shown beyond its end is taken to be shown again or to stay.
END_PATIENCE: Final = 5.0
# How often a work that loads is looked at, until it is taken for one that never does.
LOOKS: Final = 4
RENDER_PENDING: Final = (None, *RENDER_LOADING)


class WorkWatch:
    """The watch over the work on one display."""

    def __init__(self, coordinator: DisplayCoordinator) -> None:
        """Initialize the watch."""
        self._display = coordinator
        self._looks = 0
        self._cancel_look: CALLBACK_TYPE | None = None
        self._cancel_end: CALLBACK_TYPE | None = None
        self._hosts = coordinator.hass.data[HOSTS]
        # The work for which another gateway was tried last.
        self._tried: str | None = None

    @callback
    def stop(self) -> None:
        """Stop waiting."""
        for cancel in (self._cancel_look, self._cancel_end):
            if cancel is not None:
                cancel()

    @callback
    def follow(self, change: Change) -> None:
        """Handle another state, once the display is there."""
        before, after = change.before, change.after
        self._look_out(change)
        if not after.available and after == before:
            return
        if (
            before is None
            or before.hung is not after.hung
            or _key(before) != _key(after)
        ):
            self._looks = 0
            self._follow_up(RENDER_PENDING)
        else:
            self._follow_up()
        if self._cancel_end is None and self._display.data.shown_since is not None:
            self._handle_end()

    @callback
    def _follow_up(self, pending: Container[int | None] = RENDER_LOADING) -> None:
        """Schedule a look at a page that may be left, or at a work that may have loaded: a new one may tell nothing yet."""
        display, data = self._display, self._display.data
        player = data.player
        if player is None or data.error_page:
            waits = not display.cast_only
        else:
            is_pending = player.render_status in pending and not data.asleep
            waits = is_pending and player.current is not None and self._looks < LOOKS
        if waits and self._cancel_look is None:
            self._cancel_look = async_call_later(
                display.hass, FOLLOW_UP, self._handle_look
            )

    @callback
    def _handle_look(self, _: datetime) -> None:
        """Look again, unless that is over or the display is not there."""
        self._cancel_look = None
        display, data = self._display, self._display.data
        if not display.last_update_success:
            self._follow_up()
        elif (
            data.player is None
            or data.error_page
            or data.player.render_status in RENDER_PENDING
        ):
            display.create_task(self._async_look(), "player")

    async def _async_look(self) -> None:
        """Read the player again, and look why a work has not loaded.

        A display that stands on its error page says of a cast that it is loading; only the device status tells.
        """
        display = self._display
        await display.async_refresh_player()
        if display.data.error_page or display.data.is_loading:
            await display.async_update_device()
        if display.data.is_loading:
            if display.data.error_page and display.requests.may_wake:
                display.requests.may_wake = False
                with suppress(HomeAssistantError):
                    async with display.async_command(Refresh.DEVICE) as client:
                        await client.wake()
            else:
                self._looks += 1
                display.async_set(stalled=self._looks >= LOOKS)
        self._follow_up()

    @callback
    def _handle_end(self, _: datetime | None = None) -> None:
        """Count anew when the duration of a work is over and it is shown again."""
        self._cancel_end = None
        player, since = self._display.data.player, self._display.data.shown_since
        item = player.current if player else None
        if player is None or item is None or not item.duration or since is None:
            return
        over = (dt_util.utcnow() - since).total_seconds() - item.duration
        if over < END_PATIENCE:
            self._cancel_end = async_call_later(
                self._display.hass, END_PATIENCE - over, self._handle_end
            )
        elif player.loop_mode == "one" or (
            player.loop_mode == "playlist" and len(player.items) == 1
        ):
            rounds = 1 + over // item.duration
            since += timedelta(seconds=rounds * item.duration)
            self._display.async_set(shown_since=since)
        else:
            # It is held, or it ends in another way that cannot be known.
            self._display.async_set(shown_since=None)

    # Where it is

    @callback
    def _look_out(self, change: Change) -> None:
        """Look at another work, or at one that has failed."""
        seen = _visible(change.after.data)
        if seen is None or (change.before and _visible(change.before.data) == seen):
            return
        _, source, has_failed = seen
        if has_failed and (content_of(source) or self._is_kept(source)):
            self._hosts.note(source, 200, is_expected=False)
            self._display.create_task(self._async_elsewhere(source), "gateway")
        elif not has_failed and self._is_silent_kind(source):
            self._display.create_task(self._async_look_at_host(seen), "host of a work")

    def _is_kept(self, source: str) -> bool:
        """Return whether a work is kept at home, but not lent from there already."""
        is_lent = self._display.hass.data[GRANTS].media_id_of(source) is not None
        return not is_lent and kept_file(self._display.hass, source) is not None

    def _is_silent_kind(self, source: str) -> bool:
        """Return whether a display would not tell that a work is not there."""
        is_lent = self._display.hass.data[GRANTS].media_id_of(source) is not None
        kind = media_type(source.partition("?")[0])
        return is_web(source) and not is_lent and kind in ("", PAGE)

    async def _async_look_at_host(self, seen: Visible) -> None:
        """Look at a work; if it is not there, try another gateway, or tell."""
        _, source, _ = seen
        is_kept = self._is_kept(source)
        is_there = await self._hosts.async_look(source, is_file=is_kept)
        if is_there is not False or _visible(self._display.data) != seen:
            return
        if not await self._async_elsewhere(source):
            host = (host_of(source) or "").rpartition(":")[0]
            self._display.async_set(silent_host=host)

    async def _async_elsewhere(self, source: str) -> bool:
        """Show the playlist with a work at another gateway, once; return whether that was done."""
        display, work = self._display, same_work(source)
        is_public = not uses_own_gateway(display)
        best = self._hosts.best(source, is_public=is_public)
        is_kept = self._is_kept(source)
        if self._tried == work or (best == source and not is_kept):
            return False
        self._tried = work
        if is_kept:
            # It is lent if nobody else has it.
            await self._hosts.async_find(source)
        try:
            async with display.wall.turn():
                player = await display.async_read_player()
                hung = hung_on(player, display.history) if player else None
                is_same = player and player.current and player.current.source == source
                if player is None or hung is None or not is_same:
                    return False
                if display.wall.is_announcing:
                    return False
                hung = replace(hung, start=start_of(player))
                await async_hang_again(display, hung)
        except HomeAssistantError as err:
            LOGGER.debug("%s: no other gateway: %s", display.name, err)
            return False
        return True


def _visible(data: DisplayData) -> Visible | None:
    """Return what tells a visible work from others, where it is, and whether it has failed."""
    player = data.player
    if player is None or player.current is None or data.asleep:
        return None
    has_failed = player.render_status == RENDER_FAILED
    return work_key(player), player.current.source or "", has_failed


def _key(seen: Seen) -> tuple[str | None, ...] | None:
    """Return what identifies the current work, None without a player."""
    return work_key(seen.data.player) if seen.data.player else None
