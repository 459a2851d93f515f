"""Keyboard and touch input for interactive works."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

from ..client.display.client import Display
from ..client.text import clean
from ..coordinator import DisplayCoordinator, Refresh
from ..errors import invalid_input

KEYS: Final[Mapping[str, int]] = {
    "backspace": 8,
    "tab": 9,
    "enter": 13,
    "escape": 27,
    "space": 32,
}
TAPS: Final[Mapping[str, Callable[..., Awaitable[None]]]] = {
    "tap": Display.tap,
    "double_tap": Display.double_tap,
    "long_press": Display.long_press,
}
# Marks text to type that is the name of a key or a tap.
TEXT_PREFIX = "text:"
PRINTABLE = range(32, 127)

type Send = Callable[[Display], Awaitable[None]]


def sends(command: str) -> list[Send]:
    """Return what to send for a remote command: a key, a tap, or text to type."""
    if (code := KEYS.get(command)) is not None:
        return [partial(Display.send_key, code=code)]
    if (tap := TAPS.get(command)) is not None:
        return [tap]
    text = command.removeprefix(TEXT_PREFIX)
    if any(ord(char) not in PRINTABLE for char in text):
        raise invalid_input("not_on_the_keyboard", text=clean(text, 100))
    return [partial(Display.send_key, code=ord(char)) for char in text]


async def async_send(coordinator: DisplayCoordinator, send: Send) -> None:
    """Send a key or a gesture, which does not change the state."""
    async with coordinator.async_command(Refresh.NONE) as display:
        await send(display)
