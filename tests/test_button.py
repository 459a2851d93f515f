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


async def test_default_playlist(wall: Wall) -> None:
    """The vendor's playlist can be shown; without a work there is nothing to reload, which is an error."""
    with pytest.raises(HomeAssistantError) as error:
        await wall.act("button", "refresh_work", "press")
    assert error.value.translation_key == "display_rejected"
    wall.display.reset_counters()
    await wall.act("button", "default_playlist", "press")
    assert written(wall) == [("displayDefaultPlaylist", {})]
    await until(lambda: wall.attribute("media_track") == 1)


async def test_reboot_and_return(wall: Wall) -> None:
    """A display that restarts is unavailable, and comes back by itself."""
    wall.display.boot_seconds = 0.5
    await wall.act("button", "reboot", "press")
    await until(lambda: wall.state == "unavailable")
    await until(lambda: wall.state != "unavailable")
    assert wall.shown("button", "reboot").state != "unavailable"


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
@pytest.mark.parametrize("key", ["reboot", "shut_down"])
async def test_gone_before_it_answers(wall: Wall, key: str) -> None:
    """A display that shuts down without an answer is no error."""
    wall.display.inject(FaultKind.CUT, route="/api/cast", times=1)
    await wall.act("button", key, "press")


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_screenshot(wall: Wall) -> None:
    """Each press takes a new screenshot; one that fails is an error, and the old one stays."""

    async def press() -> str:
        await wall.act("button", "take_screenshot", "press")
        return await wall.known("image", "screenshot")

    await until(lambda: wall.value("image", "screenshot") == "unknown")
    first = await press()
    before = await press()
    assert before > first
    gone = {"route": "/api/screenshot", "status": 404}
    wall.display.server.screen.broken = True
    for key in ("display_temporary", "display_rejected"):
        with pytest.raises(HomeAssistantError) as error:
            await press()
        assert error.value.translation_key == key
        wall.display.server.screen.broken = False
        wall.display.inject(FaultKind.STATUS, **gone)
    assert wall.shown("image", "screenshot").state == before
