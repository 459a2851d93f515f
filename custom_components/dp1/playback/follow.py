"""What a display does for a playlist that it has by its URL, for one that went to it as a document: read it again, change its works."""

from dataclasses import replace
from datetime import datetime, timedelta

from homeassistant.components import persistent_notification
from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.event import async_track_time_interval

from ..client.playlist.playlist import Playlist
from ..client.text import markdown_safe
from ..const import DOMAIN, LOGGER
from ..coordinator import DisplayCoordinator, Refresh
from ..display.hung import Hung
from ..errors import action_failed
from ..grants import GRANTS
from ..language import async_message
from .alive import READ_AGAIN, async_alive


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


class Follow:
    """Follows the playlist of one display."""

    def __init__(self, coordinator: DisplayCoordinator) -> None:
        """Initialize for what hangs."""
        self._display = coordinator
        self._told: Playlist | None = None

    @callback
    def async_start(self) -> None:
        """Follow until the display is unloaded."""
        self._display.config_entry.async_on_unload(
            async_track_time_interval(
                self._display.hass, self._handle_time, timedelta(seconds=READ_AGAIN)
            )
        )

    @property
    def _hung(self) -> Hung | None:
        """Return what hangs as a document although it was asked for by its URL; None for anything else."""
        if self._display.wall.is_announcing:
            return None
        hung = hung_document(self._display)
        return None if hung is None or hung.asked.url is None else hung

    @callback
    def _handle_time(self, _now: datetime) -> None:
        """Read the playlist again."""
        if (hung := self._hung) is not None:
            self._display.create_task(self._async_follow(hung), "playlist")

    async def _async_follow(self, hung: Hung) -> None:
        """Change the works if there are others, unless something else is shown by now."""
        display = self._display
        try:
            # Raises if every work is hidden by now.
            asked = Playlist(hung.asked.url)
            sent = await async_alive(display.hass, asked, display=display)
            # The warning about a document is of hidden works.
            if sent.warning and sent.url is not None:
                self._tell(hung)
                return
            # Where it could not be read, nothing is known of it.
            if not sent.document or sent == hung.shown:
                return
            async with display.wall.turn():
                # Somebody may show something else, of which nothing was pushed yet.
                await display.async_read_player()
                if self._hung is None or self._hung.shown is not hung.shown:
                    return
                is_changed = False
                await display.hass.data[GRANTS].async_use(sent, display.entry_id)
                if sent.url is None:
                    async with display.async_command(Refresh.PLAYER) as client:
                        is_changed = await client.extend(sent)
                if not is_changed:
                    # It cannot change works, or its current one is among them no more.
                    async with display.async_command(Refresh.PLAYER) as client:
                        await client.cast(sent)
                # Whose author has mended it, the display reads itself again.
                by_us = sent if sent.url is None else None
                asked = replace(hung.asked, left_out=sent.left_out)
                display.async_handle_cast(
                    Hung(asked=asked, sent=by_us, start=hung.start, at=hung.at)
                )
        except HomeAssistantError as err:
            LOGGER.debug("%s: a playlist is not followed: %s", display.name, err)

    @callback
    def _tell(self, hung: Hung) -> None:
        """Tell once that what hangs is followed no more, as it cannot go as a document."""
        if self._told is hung.shown:
            return
        self._told = hung.shown
        display, url = self._display, hung.asked.url or ""
        error = action_failed("outgrown", name=display.name, url=url)
        persistent_notification.async_create(
            display.hass,
            markdown_safe(async_message(display.hass, error)),
            notification_id=f"{DOMAIN}_outgrown_{display.entry_id}",
        )
