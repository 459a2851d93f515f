"""Test the history of a display: its limits, and when it is saved."""

from typing import Any

import pytest

from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.display import history as module
from custom_components.dp1.display.history import History
from custom_components.dp1.display.hung import Hung
from custom_components.dp1.display.wall import Wall
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import HomeAssistant
from homeassistant.helpers.json import json_bytes

from ..displays import playlist

KEY = "dp1.display.wall"


def cast(title: str) -> Hung:
    """Return a cast of one work; all have the same size."""
    document = playlist(title, title=title)
    document["items"][0]["source"] = f"https://art.example.org/{title}"
    return Hung(asked=Playlist(document=document))


def titles(history: History) -> list[str | None]:
    """Return the titles, the latest first."""
    return [entry.title for entry in history.entries()]


@pytest.fixture
def wall(hass: HomeAssistant, hass_storage: dict[str, Any]) -> Wall:
    return Wall(hass, "wall")


@pytest.fixture
def history(wall: Wall) -> History:
    return wall.history


@pytest.mark.parametrize(
    ("limit", "kept"),
    [(3.0, ["C", "B", "A"]), (2.99, ["C", "B"]), (0.5, ["C"])],
)
async def test_size(
    history: History, monkeypatch: pytest.MonkeyPatch, limit: float, kept: list[str]
) -> None:
    """The total size is limited, limit included, and the latest document is always kept."""
    size = len(json_bytes(cast("A").asked.document))
    monkeypatch.setattr(module, "MAX_SIZE", int(limit * size))
    for title in "ABC":
        history.add(cast(title))
    assert titles(history) == kept


async def test_number(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LISTS", 2)
    for title in "ABC":
        history.add(cast(title))
    assert titles(history) == ["C", "B"]


async def test_saved_later(
    hass: HomeAssistant, history: History, hass_storage: dict[str, Any]
) -> None:
    """Changes are saved with a delay, and when Home Assistant stops."""
    for title in "ABC":
        history.add(cast(title))
    await hass.async_block_till_done()
    assert KEY not in hass_storage
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    assert [stored["title"] for stored in hass_storage[KEY]["data"]["history"]] == [
        "A",
        "B",
        "C",
    ]


async def test_saved_when_the_display_goes(
    wall: Wall, hass_storage: dict[str, Any]
) -> None:
    """Unsaved changes are saved on unload, and unchanged history is not."""
    await wall.async_save()
    assert KEY not in hass_storage
    wall.history.add(cast("A"))
    await wall.async_save()
    assert len(hass_storage[KEY]["data"]["history"]) == 1
