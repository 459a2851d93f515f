"""Test texts in the language of Home Assistant."""

import pytest

from custom_components.dp1.errors import action_failed
from custom_components.dp1.language import async_message, async_text
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.translation import (
    async_get_translations,
    async_load_integrations,
)

from .displays import state_of, until
from .galleries import READY_MADE, Gallery, titles


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
    """Errors are translated, also those of Home Assistant; what has no text, or does not fill it, is as it is."""
    await hass.config.async_update(language="de")
    await async_load_integrations(hass, {"dp1"})
    err = action_failed("not_a_favorite", name="Ebbe")
    assert async_message(hass, err) == "Ebbe ist kein Favorit"
    assert async_message(hass, HomeAssistantError("Plain")) == "Plain"
    unfilled = HomeAssistantError(
        "Plain", translation_domain="dp1", translation_key="not_a_favorite"
    )
    assert async_message(hass, unfilled) == "Plain"
    await async_load_integrations(hass, {"homeassistant"})
    key = "service_not_found"
    foreign = HomeAssistantError(
        translation_domain="homeassistant",
        translation_key=key,
        translation_placeholders={"domain": "dp1", "service": "hum"},
    )
    texts = await async_get_translations(hass, "de", "exceptions", ["homeassistant"])
    template = texts[f"component.homeassistant.exceptions.{key}.message"]
    assert async_message(hass, foreign) == template.format(domain="dp1", service="hum")
    unknown = HomeAssistantError(
        "Plain", translation_domain="homeassistant", translation_key="hum"
    )
    assert async_message(hass, unknown) == "Plain"


async def test_another_language(hass: HomeAssistant, gallery: Gallery) -> None:
    """What is read after the language of a running Home Assistant was changed is in that language."""
    await gallery.library.async_add_favorite(gallery.exhibition(READY_MADE))
    await gallery.catalog.stop()
    with pytest.raises(HomeAssistantError):
        await gallery.library.async_refresh()
    problem = er.async_get(hass).async_get_entity_id(
        "binary_sensor", "dp1", f"{gallery.entry.entry_id}_problem"
    )
    assert problem is not None

    async def folders() -> list[str]:
        media = [
            child
            for child in (await gallery.browse()).children
            if child.media_content_id.startswith("media-source://dp1")
        ]
        pages = [
            await gallery.browse(child.media_content_id)
            for child in media
            if child.can_expand
        ]
        return titles(media + pages)

    def reason() -> str:
        """Return what the sensor says."""
        return str(state_of(hass, problem).attributes["reason"])

    english, said = await folders(), [reason()]
    assert "Exhibitions" in english
    for language in ("ja", "es"):
        await hass.config.async_update(language=language)
        assert not set(english) & set(await folders())
        await until(lambda: reason() not in said)
        said.append(reason())
