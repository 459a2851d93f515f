"""The watch over the work on a display: whether it loads, and how long it has been there, which displays do not push."""

from collections.abc import Container
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from ..coordinator import DisplayCoordinator, Refresh
from ..display.state import RENDER_LOADING, work_key
from .watch import Change, Seen

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


def _key(seen: Seen) -> tuple[str | None, ...] | None:
    """Return what identifies the current work, None without a player."""
    return work_key(seen.data.player) if seen.data.player else None
