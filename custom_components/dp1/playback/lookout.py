"""The lookout for web works whose host does not answer: a display shows them black, and says that they are ready."""

from homeassistant.core import callback

from ..client.hosts import is_web
from ..client.text import host_of, media_type
from ..coordinator import DisplayCoordinator
from ..display.state import work_key
from ..grants import GRANTS
from ..hosts import HOSTS
from .watch import Change


class Lookout:
    """The lookout on one display."""

    def __init__(self, coordinator: DisplayCoordinator) -> None:
        """Initialize before any work."""
        self._display = coordinator
        self._seen: tuple[object, ...] | None = None

    @callback
    def follow(self, change: Change) -> None:
        """Look at another work."""
        player, asleep = change.after.data.player, change.after.data.asleep
        item = player.current if player else None
        if player is None or item is None or asleep:
            return
        source = item.source or ""
        if (seen := (*work_key(player), source)) == self._seen:
            return
        self._seen = seen
        if self._is_silent_kind(source):
            self._display.create_task(self._async_look(source, seen), "host of a work")

    def _is_silent_kind(self, source: str) -> bool:
        """Return whether a display would not tell that a work is not there; of a picture or a film it does."""
        is_lent = self._display.hass.data[GRANTS].media_id_of(source) is not None
        kind = media_type(source.partition("?")[0])
        return is_web(source) and not is_lent and kind in ("", "text/html")

    async def _async_look(self, source: str, seen: tuple[object, ...]) -> None:
        """Look at a work, and tell if it is not there."""
        is_there = await self._display.hass.data[HOSTS].async_look(source)
        if is_there is False and seen == self._seen:
            host = (host_of(source) or "").rpartition(":")[0]
            self._display.async_set(silent_host=host)
