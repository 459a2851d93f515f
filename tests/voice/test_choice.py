"""What is chosen by words, and how it is told."""

from pathlib import Path

import pytest

from custom_components.dp1.display.requests import PendingRequests
from custom_components.dp1.voice import choice
from custom_components.dp1.voice.answers import (
    UnansweredError,
    async_answers,
    async_error_text,
)
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from .home import Home, table

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_choices(hass: HomeAssistant, tmp_path: Path) -> None:
    """Favorites come first where they are meant, and what is not there is said."""
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        hass.states.async_remove("camera.doorbell")
        for attempt in (
            lambda: choice.async_find(hass, "quxquux", "favorite", []),
            lambda: choice.async_choose(hass, "favorites", []),
        ):
            with pytest.raises(UnansweredError):
                await attempt()
        with pytest.raises(UnansweredError):
            choice.door_camera(hass, None)
        (node, *_) = (await home.library.async_children("exhibitions")).nodes
        await home.library.async_add_favorite(node.id)
        liked = await choice.async_find(hass, node.title, "favorite", [])
        assert liked.title == node.title
        assert (await choice.async_choose(hass, "favorites", [])).media_id
        found = await choice.async_find(hass, "Jun Joubert", "artist", [])
        assert found.media_id


async def test_words(hass: HomeAssistant) -> None:
    """Names are joined and durations told as people do, and an error is told in any case."""
    answers = await async_answers(hass, "en")
    assert answers.join(["Ada"]) == "Ada"
    assert answers.join(["Ada", "Bea", "Cy"]) == "Ada, Bea and Cy"
    crowd = answers.credit("who", "Ada, Bea, Cy, Dee, Eve, Fay", title="Tide")
    assert "Ada" in crowd and "Fay" not in crowd
    assert answers.time(90) == "90 seconds"
    assert answers.time(3600) == "an hour"
    for err in (
        HomeAssistantError("plain"),
        HomeAssistantError(translation_domain="dp1", translation_key="nothing"),
        HomeAssistantError(translation_domain="dp1", translation_key="display_busy"),
    ):
        assert isinstance(await async_error_text(hass, answers, err), str)
    assert await async_error_text(hass, answers, HomeAssistantError("plain")) == "plain"


def test_a_cast_that_nobody_requested() -> None:
    """What no user requested holds nothing up."""
    done: list[bool] = []
    requests = PendingRequests(lambda: done.append(True))
    with requests.pending_cast(None), requests.pending_cast(None):
        pass
    assert not done
