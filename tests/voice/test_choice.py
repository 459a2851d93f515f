"""What is chosen by words, and how it is told."""

from pathlib import Path

import pytest

from custom_components.dp1.voice import choice
from custom_components.dp1.voice.answers import (
    UnansweredError,
    async_answers,
    async_error_text,
)
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import intent

from .home import Home, table

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_choices(hass: HomeAssistant, tmp_path: Path) -> None:
    """Favorites come first where they are meant, and what is not there is said."""
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        hass.states.async_remove("camera.doorbell")
        for attempt in (
            lambda: choice.async_find(hass, choice.Named("quxquux", "favorite"), []),
            lambda: choice.async_choose(hass, "favorites", []),
        ):
            with pytest.raises(UnansweredError):
                await attempt()
        with pytest.raises(UnansweredError):
            choice.door_camera(hass, None)
        (node, *_) = (await home.library.async_children("exhibitions")).nodes
        await home.library.async_add_favorite(node.id)
        liked = await choice.async_find(hass, choice.Named(node.title, "favorite"), [])
        assert liked.title == node.title
        assert (await choice.async_choose(hass, "favorites", [])).media_id
        something = await choice.async_find(
            hass, choice.Named("Jun Joubert", "artist"), []
        )
        assert something.artist == "Jun Joubert"
        assert something.is_work
        everything = await choice.async_find(
            hass, choice.Named("Jun Joubert", "everything"), []
        )
        assert everything.is_everything
        assert everything.media_id != something.media_id
        # What is probably nothing for a display is left to a language model.
        said = {"what": {"value": "hdmi"}, "scope": {"value": "all"}}
        codes = intent.IntentResponseErrorCode
        for slots, code in (
            (said, codes.FAILED_TO_HANDLE),
            (said | {"in_full": {"value": "yes"}}, codes.NO_INTENT_MATCH),
        ):
            response = await intent.async_handle(hass, "test", "Dp1Show", slots)
            assert response.error_code is code
            assert "hdmi" in response.speech["plain"]["speech"]


async def test_words(hass: HomeAssistant) -> None:
    """Names are joined and durations told as people do, and an error is told in any case."""
    answers = await async_answers(hass, "en")
    assert answers.join(["Ada"]) == "Ada"
    assert answers.join(["Ada", "Bea", "Cy"]) == "Ada, Bea and Cy"
    crowd = answers.credit("who", "Ada, Bea, Cy, Dee, Eve, Fay", title="Tide")
    assert "Ada" in crowd and "Fay" not in crowd
    assert answers.time(90) == "90 seconds"
    assert answers.time(3600) == "an hour"
    untold = HomeAssistantError(translation_domain="dp1", translation_key="nothing")
    assert await async_error_text(hass, answers, untold) == str(untold)
    # Its text has a placeholder that is not filled.
    bare = HomeAssistantError(translation_domain="dp1", translation_key="display_busy")
    assert await async_error_text(hass, answers, bare) == str(bare)
    assert await async_error_text(hass, answers, HomeAssistantError("plain")) == "plain"
