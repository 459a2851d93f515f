"""Test the buttons of a display."""

import pytest

from homeassistant.exceptions import HomeAssistantError

from .displays import playlist, until
from .simulators.display import FaultKind
from .timing import FAST
from .walls import Wall

from tests.timing import Timing

EVENING = playlist("Dawn", "Noon", "Dusk")


@pytest.fixture
def timing() -> Timing:
    """Shorten more delays."""
    return dict(FAST, loss_patience=0.2, first_retry=0.02)


def written(wall: Wall) -> list[tuple[str, object]]:
    """Return the commands that changed something."""
    return [
        (command.command, command.request)
        for command in wall.display.received
        if not command.is_query
    ]


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("refresh_work", "refreshArtwork"),
        ("default_playlist", "displayDefaultPlaylist"),
        ("reboot", "reboot"),
        ("shut_down", "shutdown"),
    ],
)
async def test_one_command(bare: Wall, key: str, command: str) -> None:
    """A button sends its command, once."""
    bare.display.player.load(EVENING)
    await bare.set_up()
    await bare.act("button", key, "press")
    assert written(bare) == [(command, {})]


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("key", ["reboot", "shut_down"])
async def test_gone_before_it_answers(wall: Wall, key: str) -> None:
    """A display that shuts down without an answer is no error."""
    wall.display.inject(FaultKind.CUT, route="/api/cast", times=1)
    await wall.act("button", key, "press")


async def test_nothing_to_reload(wall: Wall) -> None:
    """Without a work that is an error."""
    with pytest.raises(HomeAssistantError) as error:
        await wall.act("button", "refresh_work", "press")
    assert error.value.translation_key == "display_rejected"


async def test_reboot_and_return(wall: Wall) -> None:
    """A display that restarts is unavailable, and comes back by itself."""
    wall.display.boot_seconds = 0.5
    await wall.act("button", "reboot", "press")
    await until(lambda: wall.state == "unavailable")
    await until(lambda: wall.state != "unavailable")
