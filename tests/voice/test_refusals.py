"""What cannot be done is told in the language of the person."""

import json
import re
from typing import Any

import pytest

from custom_components.dp1.voice.answers import (
    UnansweredError,
    async_answers,
    async_error_text,
)
from homeassistant.auth.const import GROUP_ID_READ_ONLY, GROUP_ID_USER
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import intent
from homeassistant.setup import async_setup_component

from ..displays import playlist
from ..houses import House
from ..sources import INTEGRATION

LANGUAGES = ("de", "fr", "es", "nl", "ja", "zh-Hans")
INTENTS: dict[str, dict[str, Any]] = {
    "Dp1Show": {"choice": "new"},
    "Dp1Ask": {"question": "what"},
    "Dp1Control": {"action": "next"},
}
KEYS = sorted(
    {
        key
        for path in (*INTEGRATION.glob("voice/*.py"), INTEGRATION / "intent.py")
        for key in re.findall(
            r'(?:Unanswered|NotOurs)Error\(\s*"(\w+)"', path.read_text("utf-8")
        )
    }
)
TEXTS: dict[str, dict[str, str]] = json.loads(
    (INTEGRATION / "translations" / "en.json").read_text("utf-8")
)["exceptions"]


@pytest.fixture(autouse=True)
async def set_up(hass: HomeAssistant) -> None:
    for component in ("homeassistant", "intent", "dp1"):
        assert await async_setup_component(hass, component, {})
    # Home Assistant takes up intents in the background where their module was not imported yet.
    await hass.async_block_till_done()


def error(key: str) -> HomeAssistantError:
    names = re.findall(r"{(\w+)}", TEXTS[key]["message"])
    return HomeAssistantError(
        translation_domain="dp1",
        translation_key=key,
        translation_placeholders={name: f"<{name}>" for name in names},
    )


def known_in(language: str) -> set[str]:
    """Return the errors that have a text in a language; the rest is told in English until it is translated."""
    path = INTEGRATION / "translations" / f"{language}.json"
    return set(json.loads(path.read_text("utf-8"))["exceptions"])


@pytest.mark.parametrize("language", LANGUAGES)
async def test_each_error_is_told(hass: HomeAssistant, language: str) -> None:
    """Every error of an action, and every question without an answer, has its own words."""
    answers, english = (
        await async_answers(hass, language),
        await async_answers(hass, "en"),
    )
    for key in known_in(language) & set(TEXTS):
        told = await async_error_text(hass, answers, error(key))
        assert told != await async_error_text(hass, english, error(key)), key
        placeholders = set(re.findall(r"{(\w+)}", TEXTS[key]["message"]))
        assert set(re.findall(r"<(\w+)>", told)) == placeholders, key
    assert len(KEYS) > 8
    for key in KEYS:
        names = re.findall(r"{(\w+)}", english.templates[key])
        failed = UnansweredError(key, **dict.fromkeys(names, "Tide"))
        told = await async_error_text(hass, answers, failed)
        assert told != await async_error_text(hass, english, failed)
        assert told.count("Tide") >= len(names)
    near = UnansweredError("not_found_near", what="x", names=("Ada", "Bea"))
    either = answers.templates["or"]
    assert f"Ada{either}Bea" in await async_error_text(hass, answers, near)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_each_intent_refuses(hass: HomeAssistant, language: str) -> None:
    """Without a display, each intent says so in the language of the person."""
    answers = await async_answers(hass, language)
    for name, slots in INTENTS.items():
        response = await intent.async_handle(
            hass,
            "test",
            name,
            {slot: {"value": value} for slot, value in slots.items()},
            language=language,
        )
        assert response.error_code is intent.IntentResponseErrorCode.NO_INTENT_MATCH
        assert response.speech["plain"]["speech"] == answers.say("no_display"), name


@pytest.mark.usefixtures("hass_admin_user", "socket_enabled")
async def test_who_is_gone_moves_nothing(hass: HomeAssistant) -> None:
    """A user who was removed or may not control the display does not get to the next work."""
    guest = await hass.auth.async_create_user("Guest", group_ids=[GROUP_ID_READ_ONLY])
    gone = await hass.auth.async_create_user("Gone", group_ids=[GROUP_ID_USER])
    await hass.auth.async_remove_user(gone)
    async with House.of(hass, "wall") as house:
        await house.show("wall", playlist=playlist("A", "B"))
        for user in (guest, gone):
            response = await intent.async_handle(
                hass,
                "test",
                "Dp1Control",
                {"action": {"value": "next"}, "name": {"value": "Wall"}},
                context=Context(user_id=user.id),
            )
            failed = intent.IntentResponseErrorCode.FAILED_TO_HANDLE
            assert response.error_code is failed, user.name
        assert house.walls["wall"].state.position == 0
