"""Commands of a display that take one message each.

Names and arguments are those of published Feral File firmware 0.9 to 2.0.7.
"""

from collections.abc import Container, Mapping
from contextlib import suppress
from typing import Any

from ..errors import LostAnswerError
from ..values import text
from .device_status import WEEK, ContentPolicy, SleepSchedule
from .transport import Transport

# Sleep and wake replace each other in the queue.
_SLEEP_SLOT = "sleep"
_LEFT = {"button": "left"}


class Commands:
    """Commands that change something and need nothing but their reply; arguments are sent as they are given.

    Every command may raise the errors listed at :class:`.client.Display`.
    """

    def __init__(self, transport: Transport) -> None:
        """Initialize the commands."""
        self._transport = transport

    # Playback

    async def show_item(self, index: int) -> None:
        """Show a work of the playlist, counted from 0 in the order of the status."""
        await self._transport.send("moveToArtwork", {"index": index})

    async def set_shuffle(self, enabled: bool) -> None:
        """Turn shuffle on or off; the current work stays."""
        await self._transport.send("setShuffle", {"enabled": enabled})

    async def set_loop(self, mode: str) -> None:
        """Set the loop mode: "none", "playlist" or "one"."""
        await self._transport.send("setLoop", {"mode": mode})

    async def set_default_duration(self, seconds: float | None) -> None:
        """Set the seconds for works without a duration of their own, more than 0; None clears it."""
        await self._transport.send(
            "updateDefaultDuration", {"durationSeconds": seconds}
        )

    async def update_settings(self, **settings: Any) -> None:
        """Set how works are shown, beyond the current one.

        Args:
            settings: keys as sent: ``scaling``, ``tombstone``, ``margin``, ``background``, ``framing``, …
        """
        await self._transport.send(
            "updateDisplaySettings", {"isSaved": True, **settings}
        )

    async def display_default(self) -> None:
        """Show the vendor's playlist, which also wakes the display."""
        await self._transport.send("displayDefaultPlaylist")

    async def refresh(self) -> None:
        """Reload the current work."""
        await self._transport.send("refreshArtwork")

    async def clear(self) -> None:
        """Remove the playlist and empty the screen (``disconnect``)."""
        await self._transport.send("disconnect")

    # Sleep and power

    async def sleep(self) -> SleepSchedule:
        """Put the display to sleep (firmware 1.0.15)."""
        return await self._set_sleep("sleepNow", {}, _SLEEP_SLOT)

    async def wake(self) -> SleepSchedule:
        """Wake the display (firmware 1.0.15)."""
        return await self._set_sleep("wakeNow", {}, _SLEEP_SLOT)

    async def set_sleep_mode(self, asleep: bool) -> None:
        """Put the player to sleep or wake it, without schedule and panel (firmware below 1.0.15)."""
        await self._transport.send("setSleepMode", {"sleepMode": asleep}, _SLEEP_SLOT)

    async def set_sleep_schedule(
        self,
        enabled: bool,
        *,
        sleep_time: str | None = None,
        wake_time: str | None = None,
        days: Container[str] | None = None,
    ) -> SleepSchedule:
        """Set the sleep schedule; this clears the override of ``sleep`` and ``wake``.

        Args:
            enabled: turn the schedule on.
            sleep_time: "HH:MM" in the display's local time; None keeps the old one.
            wake_time: the same, and not the same time; None keeps the old one.
            days: some of "sun" to "sat", on which it goes to sleep; None keeps the old ones. Older firmware ignores them.
        """
        request = {
            "enabled": enabled,
            "sleepTime": sleep_time,
            "wakeTime": wake_time,
            "days": None if days is None else [day for day in WEEK if day in days],
        }
        return await self._set_sleep(
            "setSleepSchedule",
            {name: value for name, value in request.items() if value is not None},
        )

    async def reboot(self) -> None:
        """Restart the device; a lost answer is a success."""
        with suppress(LostAnswerError):
            await self._transport.send("reboot")

    async def shutdown(self) -> None:
        """Turn the device off; a lost answer is a success."""
        with suppress(LostAnswerError):
            await self._transport.send("shutdown")

    async def install_update(self) -> None:
        """Start installing the latest firmware; the device restarts some minutes later."""
        await self._transport.send("updateToLatestVersion")

    # Sound, screen and panel

    async def set_volume(self, percent: int) -> None:
        """Set the volume, 0 to 100; the status may report one less. Does not unmute."""
        await self._transport.send("setVolume", {"percent": percent})

    async def toggle_mute(self) -> None:
        """Mute or unmute, whichever the display is not; there is no absolute command."""
        await self._transport.send("toggleMute")

    async def rotate(self, clockwise: bool) -> str | None:
        """Rotate the picture by 90° and return the new orientation.

        Counter-clockwise: landscape, portrait, landscapeReverse, portraitReverse, landscape.
        """
        leaf = await self._transport.send("rotate", {"clockwise": clockwise})
        return text(leaf.get("orientation"))

    async def panel_control(self, action: str, value: int | str) -> None:
        """Set the panel over DDC/CI; takes seconds.

        Args:
            action: "brightness", "contrast", "volume", "mute" or "power".
            value: 0 to 100; "on" or "off" for mute; "on", "standby" or "off" for power.
        """
        await self._transport.send(
            "ddcPanelControl", {"action": action, "value": value}, f"panel {action}"
        )

    # Input for interactive works

    async def send_key(self, code: int) -> None:
        """Press a key: a printable ASCII code, or 8, 9, 13 or 27."""
        await self._transport.send("sendKeyboardEvent", {"code": code})

    async def tap(self) -> None:
        """Tap at the cursor."""
        await self._transport.send("tapGesture", _LEFT)

    async def double_tap(self) -> None:
        """Tap twice at the cursor (firmware 1.0.17)."""
        await self._transport.send("doubleTapGesture", _LEFT)

    async def long_press(self) -> None:
        """Press for 1 s at the cursor (firmware 1.0.17)."""
        await self._transport.send("longPressGesture", _LEFT)

    # Device

    async def show_pairing_code(self, show: bool) -> None:
        """Show or hide the code to pair a phone. Below 2.0.0 the display takes no casts meanwhile."""
        await self._transport.send("showPairingQRCode", {"show": show})

    async def set_signature_mode(self, mode: str) -> None:
        """Set how playlists without a valid signature are treated: "silent", "notify" or "strict" (firmware 2.0.7)."""
        await self._transport.send("setSignatureVerificationMode", {"mode": mode})

    async def set_content_policy(
        self, show_mature_content: bool, strict_personal: bool
    ) -> ContentPolicy:
        """Set which works may be shown (firmware 2.0.7)."""
        request = {
            "showMatureContent": show_mature_content,
            "strictPersonal": strict_personal,
        }
        return ContentPolicy.parse(
            await self._transport.send("setContentPolicy", request)
        )

    async def _set_sleep(
        self, command: str, request: Mapping[str, Any], slot: str | None = None
    ) -> SleepSchedule:
        """Send one of the sleep commands, which all answer with the schedule."""
        leaf = await self._transport.send(command, request, slot)
        return SleepSchedule.parse(leaf.get("sleepSchedule"))
