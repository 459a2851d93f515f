"""Test keys and gestures for interactive works."""

from collections.abc import AsyncIterator, Callable
import time
from typing import Any

import pytest
import voluptuous as vol

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .houses import House

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    """Set up one display."""
    async with House.of(hass, "wall") as house:
        house.walls["wall"].reset_counters()
        yield house


async def send(house: House, *command: str, **data: Any) -> None:
    """Use the remote of the display."""
    await house.hass.services.async_call(
        "remote",
        "send_command",
        {
            "entity_id": "remote.wall_keyboard_and_touch",
            "command": list(command),
            **data,
        },
        blocking=True,
    )


def received(house: House) -> list[tuple[str, Any]]:
    """Return the received commands."""
    return [
        (command.command, command.request)
        for command in house.walls["wall"].received
        if not command.is_query
    ]


def keys(*codes: int) -> list[tuple[str, Any]]:
    """Return keys as they are sent."""
    return [("sendKeyboardEvent", {"code": code}) for code in codes]


async def test_keys_and_text(house: House) -> None:
    """Names of keys are keys, other text is typed."""
    await send(house, "enter", "a b", "escape", "space", "~")
    assert received(house) == keys(13, 97, 32, 98, 27, 32, 126)


async def test_a_word_that_is_a_key(house: House) -> None:
    """The name of a key can be typed."""
    await send(house, "text:tab")
    assert received(house) == keys(*b"tab")


async def test_taps(house: House) -> None:
    """Taps are commands of the remote, too."""
    await send(house, "tap", "double_tap", "long_press")
    assert [command for command, _ in received(house)] == [
        "tapGesture",
        "doubleTapGesture",
        "longPressGesture",
    ]


async def test_repeats(house: House) -> None:
    """Everything is repeated as requested, with a delay in between."""
    begun = time.monotonic()
    await send(house, "a", "tab", num_repeats=3, delay_secs=0.02)
    assert time.monotonic() - begun >= 0.1
    assert received(house) == keys(97, 9) * 3


@pytest.mark.parametrize("text", ["ü", "a\n", "日本"])
async def test_what_no_key_types(house: House, text: str) -> None:
    """Characters that cannot be typed are refused before anything is sent."""
    with pytest.raises(ServiceValidationError) as raised:
        await send(house, "a", text)
    assert raised.value.translation_key == "not_on_the_keyboard"
    assert received(house) == []


async def test_the_remote_wakes_and_sleeps(house: House) -> None:
    """The remote is on while the display is awake."""
    assert house.hass.states.is_state("remote.wall_keyboard_and_touch", "on")
    for service, state in (("turn_off", "off"), ("turn_on", "on")):
        await house.hass.services.async_call(
            "remote",
            service,
            {"entity_id": "remote.wall_keyboard_and_touch"},
            blocking=True,
        )
        assert house.hass.states.is_state("remote.wall_keyboard_and_touch", state)
        assert house.walls["wall"].state.asleep is (state == "off")


async def test_a_display_without_a_keyboard(hass: HomeAssistant) -> None:
    """A display that only accepts playlists has no remote."""
    async with House.of(hass, "wall", profile="legacy"):
        assert hass.states.async_all("remote") == []


@pytest.mark.parametrize(
    ("fields", "command", "request_"),
    [
        ({"gesture": "tap"}, "tapGesture", {"button": "left"}),
        (
            {"gesture": "double_tap", "button": "right"},
            "doubleTapGesture",
            {"button": "right"},
        ),
        ({"gesture": "long_press"}, "longPressGesture", {"button": "left"}),
        (
            {"gesture": "drag", "path": [[10, 20.5], {"dx": -3, "dy": 0}]},
            "dragGesture",
            {"cursorOffsets": [{"dx": 10, "dy": 20.5}, {"dx": -3, "dy": 0}]},
        ),
        (
            {"gesture": "click_and_drag", "path": [[300, -150]]},
            "clickAndDragGesture",
            {"cursorOffsets": [{"dx": 150, "dy": -75}] * 2},
        ),
        (
            {"gesture": "zoom", "factors": [1.5, 0.5]},
            "zoomGesture",
            {"scaleSteps": [1.5, 0.5]},
        ),
    ],
)
async def test_gestures(
    house: House, fields: dict[str, Any], command: str, request_: dict[str, Any]
) -> None:
    """Gestures are sent in the display's format; long steps are split before the display cuts them."""
    await house.do("dp1.gesture", "wall", **fields)
    assert received(house) == [(command, request_)]
    assert house.walls["wall"].received[0].applied


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"gesture": "drag"}, "gesture_fields"),
        ({"gesture": "tap", "path": [[1, 1]]}, "gesture_fields"),
        ({"gesture": "zoom", "factors": [1], "path": [[1, 1]]}, "gesture_fields"),
        ({"gesture": "click_and_drag", "path": [[3000, 0]]}, "path_too_long"),
        ({"gesture": "drag", "path": [[10_000, 0]] * 1000}, "path_too_long"),
    ],
)
async def test_gestures_that_do_not_fit(
    house: House, fields: dict[str, Any], key: str
) -> None:
    """Each gesture requires its own field."""
    with pytest.raises(ServiceValidationError) as raised:
        await house.do("dp1.gesture", "wall", **fields)
    assert raised.value.translation_key == key
    assert received(house) == []


@pytest.mark.parametrize("distance", ["inf", "-inf", "nan", 1e300, 10_001])
@pytest.mark.parametrize(
    "step", [lambda far: [far, 0], lambda far: {"dx": 0, "dy": far}]
)
async def test_a_drag_without_end(
    house: House, step: Callable[[object], object], distance: object
) -> None:
    """The length of a gesture is limited."""
    with pytest.raises(vol.Invalid):
        await house.do("dp1.gesture", "wall", gesture="drag", path=[step(distance)])
    assert received(house) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"gesture": "wave"},
        {"gesture": "zoom", "factors": [0]},
        {"gesture": "drag", "path": [[1]]},
        {"gesture": "drag", "path": []},
    ],
)
async def test_gestures_that_are_none(house: House, fields: dict[str, Any]) -> None:
    """Invalid gestures are refused."""
    with pytest.raises(vol.Invalid):
        await house.do("dp1.gesture", "wall", **fields)


async def test_an_older_display(hass: HomeAssistant) -> None:
    """The error of a display without a gesture names the gesture."""
    async with House.of(hass, "wall", profile="A", version="1.0.15") as house:
        with pytest.raises(HomeAssistantError) as raised:
            await house.do("dp1.gesture", "wall", gesture="double_tap")
    assert raised.value.translation_key == "display_rejected"
