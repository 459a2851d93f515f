"""The history of a display: what it keeps, how much of it, and when it is saved."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest

from custom_components.dp1.client.display.casts import Cast
from custom_components.dp1.display import history as module
from custom_components.dp1.display.history import History
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import HomeAssistant
from homeassistant.helpers.json import json_bytes

from ..displays import playlist

KEY = "dp1.history.wall"


def cast(title: str) -> Cast:
    """Return a cast of one work; all are of the same size."""
    document = playlist(title, title=title)
    document["items"][0]["source"] = f"https://art.example.org/{title}"
    return Cast(playlist=document)


def titles(history: History) -> list[str | None]:
    """Return the titles, the latest first."""
    return [entry.title for entry in history.entries()]


@pytest.fixture
def history(hass: HomeAssistant, hass_storage: dict[str, Any]) -> History:
    """Return an empty history."""
    return History(hass, "wall")


@pytest.fixture
def serialized() -> Iterator[list[object]]:
    """Note what is serialized to learn its size."""
    seen: list[object] = []

    def note(document: object) -> bytes:
        """Note a document."""
        seen.append(document)
        return json_bytes(document)

    with patch.object(module, "json_bytes", note):
        yield seen


@pytest.mark.parametrize(
    ("limit", "kept"),
    [
        (3.0, ["C", "B", "A"]),
        (2.99, ["C", "B"]),
        (2.0, ["C", "B"]),
        (1.99, ["C"]),
        (0.5, ["C"]),
    ],
)
async def test_size(
    history: History, monkeypatch: pytest.MonkeyPatch, limit: float, kept: list[str]
) -> None:
    """All documents together have a largest size, which may be reached; the latest is always kept."""
    size = len(json_bytes(cast("A").playlist))
    monkeypatch.setattr(module, "MAX_SIZE", int(limit * size))
    for title in "ABC":
        history.add(cast(title))
    assert titles(history) == kept


async def test_number(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many are kept."""
    monkeypatch.setattr(module, "MAX_LISTS", 2)
    for title in "ABC":
        history.add(cast(title))
    assert titles(history) == ["C", "B"]


async def test_each_document_is_measured_once(
    hass: HomeAssistant, history: History, serialized: list[object]
) -> None:
    """A new playlist does not cost another look at all that are kept, nor does a restart."""
    for title in "ABC":
        history.add(cast(title))
    assert len(serialized) == 3
    await history.async_save()
    loaded = History(hass, "wall")
    await loaded.async_load()
    loaded.add(cast("D"))
    assert titles(loaded) == ["D", "C", "B", "A"]
    assert len(serialized) == 4


async def test_saved_later(
    hass: HomeAssistant, history: History, hass_storage: dict[str, Any]
) -> None:
    """Changes are saved later, and when Home Assistant stops."""
    for title in "ABC":
        history.add(cast(title))
    await hass.async_block_till_done()
    assert KEY not in hass_storage
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    assert [stored["title"] for stored in hass_storage[KEY]["data"]] == ["A", "B", "C"]


async def test_saved_when_the_display_goes(
    history: History, hass_storage: dict[str, Any]
) -> None:
    """What is not saved yet is saved before another reads it; what did not change is not."""
    await history.async_save()
    assert KEY not in hass_storage
    history.add(cast("A"))
    await history.async_save()
    assert len(hass_storage[KEY]["data"]) == 1
