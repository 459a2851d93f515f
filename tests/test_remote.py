"""Test keys and gestures for interactive works."""

from collections.abc import AsyncIterator
import time
from typing import Any

import pytest

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import entity_registry as er

from .displays import until
from .houses import House
from .timing import set_timing

pytestmark = pytest.mark.usefixtures("socket_enabled")

REMOTE = "remote.wall_keyboard_and_touch"


@pytest.fixture
async def house(hass: HomeAssistant) -> AsyncIterator[House]:
    async with House.of(hass, "wall") as house:
        house.walls["wall"].reset_counters()
        yield house


async def use(house: House, action: str, **data: Any) -> None:
    """Use the remote of the display."""
    target = {"entity_id": REMOTE}
    await house.hass.services.async_call("remote", action, target | data, blocking=True)


async def send(house: House, *command: str, **data: Any) -> None:
    await use(house, "send_command", command=list(command), **data)


def received(house: House) -> list[tuple[str, Any]]:
    return [
        (command.command, command.request)
        for command in house.walls["wall"].received
        if not command.is_query
    ]


def keys(*codes: int) -> list[tuple[str, Any]]:
    return [("sendKeyboardEvent", {"code": code}) for code in codes]


async def test_keys_and_text(house: House) -> None:
    """Names of keys are keys, which can be typed, too; other text is typed."""
    await send(house, "enter", "a b", "escape", "space", "~", "text:tab")
    assert received(house) == keys(13, 97, 32, 98, 27, 32, 126, *b"tab")


async def test_taps(house: House) -> None:
    """Taps are commands of the remote, too."""
    await send(house, "tap", "double_tap", "long_press")
    commands = [command for command, _ in received(house)]
    assert commands == ["tapGesture", "doubleTapGesture", "longPressGesture"]


async def test_repeats(house: House) -> None:
    """Everything is repeated as requested, with a delay in between."""
    begun = time.monotonic()
    await send(house, "a", "tab", num_repeats=3, delay_secs=0.02)
    assert time.monotonic() - begun >= 0.1
    assert received(house) == keys(97, 9) * 3


async def test_repeats_without_end(hass: HomeAssistant) -> None:
    """Repeats take neither memory nor time before they are sent."""
    async with House.of(hass, "wall", profile="A", version="1.0.15") as house:
        house.walls["wall"].reset_counters()
        await send(house, "text:", num_repeats=10**20)
        with pytest.raises(HomeAssistantError) as raised:
            await send(house, "double_tap", num_repeats=10**20)
        # It has no such gesture, and the error says so the first time.
        assert raised.value.translation_key == "display_rejected"
        assert len(received(house)) == 1


@pytest.mark.parametrize("text", ["ü", "a\n", "日本"])
async def test_what_no_key_types(house: House, text: str) -> None:
    """Characters that cannot be typed are refused before anything is sent."""
    with pytest.raises(ServiceValidationError) as raised:
        await send(house, "a", text)
    assert raised.value.translation_key == "not_on_the_keyboard"
    assert received(house) == []


async def test_the_remote_is_no_switch(house: House) -> None:
    """The remote is hidden, is on as long as the display is available, and does not put it to sleep."""
    states = house.hass.states
    entity = er.async_get(house.hass).async_get(REMOTE)
    assert entity and entity.hidden
    for action in ("turn_off", "toggle", "turn_on"):
        await use(house, action)
        assert states.is_state(REMOTE, "on")
    assert received(house) == []
    assert not house.walls["wall"].state.asleep
    set_timing(loss_patience=0.0)
    await house.walls["wall"].power_off()
    await until(lambda: states.is_state(REMOTE, "unavailable"))


async def test_a_display_without_a_keyboard(hass: HomeAssistant) -> None:
    """A display that only accepts playlists has no remote."""
    async with House.of(hass, "wall", profile="legacy"):
        assert hass.states.async_all("remote") == []
