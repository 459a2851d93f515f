"""Keyboard and touch input for interactive works."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from itertools import chain
from math import ceil
from typing import Any, Final

import voluptuous as vol

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
DRAGS: Final[Mapping[str, Callable[..., Awaitable[None]]]] = {
    "drag": Display.drag,
    "click_and_drag": Display.click_and_drag,
}
# Marks text to type that is the name of a key or gesture.
TEXT_PREFIX = "text:"
PRINTABLE = range(32, 127)
# Displays cut longer steps.
MAX_STEP = 150
MAX_POINTS = 16
MAX_PATH = 1000
# Several times the size of any screen, in pixels.
MAX_DISTANCE = 10_000

DISTANCE = vol.All(vol.Coerce(float), vol.Range(min=-MAX_DISTANCE, max=MAX_DISTANCE))
STEP = vol.Any(
    vol.All([DISTANCE], vol.Length(min=2, max=2)),
    vol.All(
        {vol.Required("dx"): DISTANCE, vol.Required("dy"): DISTANCE},
        lambda step: [step["dx"], step["dy"]],
    ),
)
GESTURE_FIELDS: dict[vol.Marker, Any] = {
    vol.Required("gesture"): vol.In((*TAPS, *DRAGS, "zoom")),
    vol.Optional("button"): vol.In(("left", "right", "middle")),
    vol.Optional("path"): vol.All([STEP], vol.Length(min=1, max=MAX_PATH)),
    vol.Optional("factors"): vol.All(
        [vol.All(vol.Coerce(float), vol.Range(min=0.01, max=100))],
        vol.Length(min=1, max=MAX_POINTS),
    ),
}

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


def gesture(data: Mapping[str, Any]) -> Send:
    """Return what to send for a gesture."""
    name = data["gesture"]
    wanted = "button" if name in TAPS else "path" if name in DRAGS else "factors"
    given = [key for key in ("button", "path", "factors") if key in data]
    if given not in ([wanted], [] if name in TAPS else [wanted]):
        raise invalid_input(
            "gesture_fields", gesture=name, field=wanted, given=", ".join(given) or "-"
        )
    if name in TAPS:
        return partial(TAPS[name], button=data.get("button", "left"))
    if name == "zoom":
        return partial(Display.zoom, steps=data["factors"])
    path = list(chain.from_iterable(_split(*step) for step in data["path"]))
    most = MAX_POINTS if name == "click_and_drag" else MAX_PATH
    if len(path) > most:
        raise invalid_input("path_too_long", steps=str(most))
    return partial(DRAGS[name], offsets=path)


def _split(dx: float, dy: float) -> Iterable[tuple[float, float]]:
    """Split a step into ones that displays do not cut."""
    parts = max(1, ceil(max(abs(dx), abs(dy)) / MAX_STEP))
    return [(dx / parts, dy / parts)] * parts


async def async_send(coordinator: DisplayCoordinator, send: Send) -> None:
    """Send a key or a gesture, which does not change the state."""
    async with coordinator.async_command(Refresh.NONE) as display:
        await send(display)
