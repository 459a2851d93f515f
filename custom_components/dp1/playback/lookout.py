"""The lookout for works that are not where they say: the next gateway is tried once, and a host that is silent is told.

A display tells of a picture or a film that it cannot load. A web work is black, and said to be ready; so is what has no
suffix at a host that does not say what it is.
"""

from dataclasses import replace

from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError

from ..client.hosts import content_of, is_web, same_work
from ..client.text import PAGE, host_of, media_type
from ..const import LOGGER
from ..coordinator import DisplayCoordinator
from ..display.state import RENDER_FAILED, DisplayData, work_key
from ..grants import GRANTS
from ..hosts import HOSTS
from .alive import uses_own_gateway
from .cast import async_hang_again, hung_on
from .kept_files import kept_file
from .media_ids import start_of
from .watch import Change

type Seen = tuple[tuple[str | None, ...], str, bool]


class Lookout:
    """The lookout on one display."""

    def __init__(self, coordinator: DisplayCoordinator) -> None:
        """Initialize before any work."""
        self._display = coordinator
        self._hosts = coordinator.hass.data[HOSTS]
        # The work for which another gateway was tried last.
        self._tried: str | None = None

    @callback
    def follow(self, change: Change) -> None:
        """Look at another work, or at one that has failed."""
        seen = _seen(change.after.data)
        if seen is None or (change.before and _seen(change.before.data) == seen):
            return
        _, source, has_failed = seen
        if has_failed and (content_of(source) or self._is_kept(source)):
            self._hosts.note(source, 200, is_expected=False)
            self._display.create_task(self._async_elsewhere(source), "gateway")
        elif not has_failed and self._is_silent_kind(source):
            self._display.create_task(self._async_look(seen), "host of a work")

    def _is_kept(self, source: str) -> bool:
        """Return whether a work is kept at home, but not lent from there already."""
        is_lent = self._display.hass.data[GRANTS].media_id_of(source) is not None
        return not is_lent and kept_file(self._display.hass, source) is not None

    def _is_silent_kind(self, source: str) -> bool:
        """Return whether a display would not tell that a work is not there."""
        is_lent = self._display.hass.data[GRANTS].media_id_of(source) is not None
        kind = media_type(source.partition("?")[0])
        return is_web(source) and not is_lent and kind in ("", PAGE)

    async def _async_look(self, seen: Seen) -> None:
        """Look at a work; if it is not there, try another gateway, or tell."""
        _, source, _ = seen
        is_kept = self._is_kept(source)
        is_there = await self._hosts.async_look(source, is_file=is_kept)
        if is_there is not False or _seen(self._display.data) != seen:
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


def _seen(data: DisplayData) -> Seen | None:
    """Return what tells a visible work from others, where it is, and whether it has failed."""
    player = data.player
    if player is None or player.current is None or data.asleep:
        return None
    has_failed = player.render_status == RENDER_FAILED
    return work_key(player), player.current.source or "", has_failed
