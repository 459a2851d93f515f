"""Test texts in the language of Home Assistant."""

import pytest

from custom_components.dp1.errors import action_failed, async_message, async_text
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.translation import async_load_integrations


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", "All art"), ("de", "Alle Kunst"), ("sv", "All art")],
)
async def test_texts(hass: HomeAssistant, language: str, expected: str) -> None:
    """A text is in the language of Home Assistant, else in English."""
    await hass.config.async_update(language=language)
    await async_load_integrations(hass, {"dp1"})
    assert async_text(hass, "config_panel.browser.all_art") == expected


async def test_without_a_text(hass: HomeAssistant) -> None:
    """A text that is missing is its key."""
    assert async_text(hass, "config_panel.browser.nothing") == "nothing"


async def test_messages(hass: HomeAssistant) -> None:
    """Only our own errors are translated."""
    await hass.config.async_update(language="de")
    await async_load_integrations(hass, {"dp1"})
    err = action_failed("not_a_favorite", name="Ebbe")
    assert async_message(hass, err) == "Ebbe ist kein Favorit"
    assert async_message(hass, HomeAssistantError("Plain")) == "Plain"
