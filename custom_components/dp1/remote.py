"""Remote of a display, for interactive works."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, override

from homeassistant.components.remote import (
    ATTR_DELAY_SECS,
    ATTR_NUM_REPEATS,
    DEFAULT_NUM_REPEATS,
    RemoteEntity,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.display.client import Display
from .coordinator import DisplayConfigEntry, Refresh
from .entity import DisplayEntity
from .errors import invalid_input

type Tap = Callable[[Display], Awaitable[None]]

# Commands queue in the client, one at a time for a display.
PARALLEL_UPDATES = 0
KEYS: Final[Mapping[str, int]] = {
    "backspace": 8,
    "tab": 9,
    "enter": 13,
    "escape": 27,
    "space": 32,
}
TAPS: Final[Mapping[str, Tap]] = {
    "tap": lambda display: display.tap(),
    "double_tap": lambda display: display.double_tap(),
    "long_press": lambda display: display.long_press(),
}
# Marks text to type that is the name of a key or a tap.
TEXT_PREFIX = "text:"


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DisplayConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the remote of a display that takes more than playlists."""
    if not entry.runtime_data.cast_only:
        async_add_entities([DisplayRemote(entry.runtime_data, "remote")])


class DisplayRemote(DisplayEntity, RemoteEntity):
    """Remote that sends keys and taps to the current work.

    It is hidden, since Home Assistant shows a remote with a switch, and there is nothing to switch.
    """

    _attr_entity_registry_visible_default = False
    _attr_is_on = True

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Do nothing, as a keyboard is always on."""

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Do nothing: this is not the display, and turning off a whole room must not fail at it."""

    @override
    async def async_send_command(self, command: Iterable[str], **kwargs: Any) -> None:
        """Send keys, taps or text."""
        words = list(filter(None, map(_parse, command)))
        delay = kwargs.get(ATTR_DELAY_SECS, 0.0)
        # Without words, nothing in many repeats would let others run.
        repeats = kwargs.get(ATTR_NUM_REPEATS, DEFAULT_NUM_REPEATS) if words else 0
        for index, word in enumerate(word for _ in range(repeats) for word in words):
            if index and delay:
                await asyncio.sleep(delay)
            for key in word:
                # Neither keys nor taps change the state.
                async with self.coordinator.async_command(Refresh.NONE) as display:
                    await (
                        display.send_key(key) if isinstance(key, int) else key(display)
                    )


def _parse(command: str) -> Sequence[int | Tap]:
    """Parse a remote command into codes of keys, which may be those of a text, or a tap."""
    if (code := KEYS.get(command)) is not None:
        return [code]
    if (tap := TAPS.get(command)) is not None:
        return [tap]
    text = command.removeprefix(TEXT_PREFIX)
    if not (text.isascii() and text.isprintable()):
        raise invalid_input("not_on_the_keyboard", text=text)
    return text.encode()
