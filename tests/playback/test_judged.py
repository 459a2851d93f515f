"""Test that a list that is not there is told at every entrance."""

from typing import Any

import pytest

from homeassistant.components import persistent_notification
from homeassistant.exceptions import HomeAssistantError

from .test_gateways import NEW, internet, wall

from tests.simulators.gateway import Internet, Mode
from tests.walls import Wall

__all__ = ["internet", "wall"]

LIST = f"https://{NEW}/list.json"
MEDIUM = {"media_content_type": "", "media_content_id": LIST}
ENTRANCES: dict[str, tuple[str, dict[str, Any]]] = {
    "address": ("dp1.cast_playlist", {"playlist_url": LIST}),
    "id": ("dp1.cast_playlist", {"playlist_id": LIST}),
    "medium": ("dp1.cast_playlist", {"media_content_id": LIST}),
    "media": ("dp1.cast_playlist", {"media": [LIST]}),
    "for a time": ("dp1.cast_playlist", {"playlist_url": LIST, "show_for": 60}),
    "player": ("play_media", MEDIUM),
    "playlist": ("play_media", {**MEDIUM, "media_content_type": "playlist"}),
    "queue": ("play_media", {**MEDIUM, "enqueue": "add"}),
    "announce": ("play_media", {**MEDIUM, "announce": True}),
}


class Entrance:
    """One way to a display.

    Attributes:
        internet: where the list and its works are.
        fails: whether the display may find out by itself.
    """

    fails = False

    def __init__(self, name: str, internet: Internet, wall: Wall) -> None:
        self._name, self._wall, self.internet = name, wall, internet

    async def show(self) -> str:
        """Show the list, and return what is said about it; what cannot be shown is not sent."""
        action, data = ENTRANCES[self._name]
        starts = self._wall.display.counters.starts
        persistent_notification.async_dismiss(self._wall.hass, "dp1_warning")
        has_response = action.startswith("dp1")
        try:
            answer = await self._wall.do(action, **data, response=has_response)
        except HomeAssistantError as err:
            assert self._wall.display.counters.starts in (starts, starts + self.fails)
            return f"refused: {err}"
        if answer is None:
            notices = persistent_notification._async_get_or_create_notifications(
                self._wall.hass
            )
            notice: Any = notices.get("dp1_warning", {})
            said = str(notice.get("message", ""))
            return said.replace("\\", "")
        return str(answer.get("warning", ""))


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize("name", ENTRANCES)
async def test_the_list_itself(internet: Internet, wall: Wall, name: str) -> None:
    """An address of a list that is gone, or has an archive, is refused; of one that fails or is silent, the reason is told."""
    entrance = Entrance(name, internet, wall)
    assert "There is nothing at" in await entrance.show()
    internet.works[f"{NEW}/list.json"] = "application/zip", b"PK"
    told = await entrance.show()
    assert told.startswith("refused") and "of a type" in told
    internet.hosts[NEW], entrance.fails = Mode.FAILS, True
    assert LIST in await entrance.show()
    del internet.hosts[NEW]
    assert LIST in await entrance.show()
