"""Any sentence is decided soon, ours or not: the search for a place in it has an end."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from custom_components.dp1.voice import choice
from custom_components.dp1.voice.tail import async_prepare
from homeassistant.core import HomeAssistant

from .home import Home, table

pytestmark = pytest.mark.usefixtures("socket_enabled")

# By the name as it was said, and without a place in it.
SEARCHES = 2
FIRST = {"en": "show Net Evil", "zh": "展示Net Evil"}
SENTENCES = {
    "en": (
        "give me a report from the kitchen",
        "give us the temperature from the living room",
        "have a look at the oven in the living room in the living room",
        "put on the kettle for the kitchen in the living room for the kitchen",
    ),
    "zh": ("在这里放点音乐", "在这里挂Polder", "把Polder挂在这里"),
}


@pytest.mark.parametrize("language", SENTENCES)
async def test_a_sentence_that_names_a_place(
    hass: HomeAssistant, tmp_path: Path, language: str
) -> None:
    """A name is looked for once as said and once without the place, however often rooms are in it."""
    searched = 0
    search = choice.async_hits

    async def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal searched
        searched += 1
        return await search(*args, **kwargs)

    slow = {}
    async with Home.of(hass, tmp_path, language, table(language)["names"]) as home:
        # Assist and the search read their lists at the first sentence; the names of places are read before.
        await async_prepare(hass)
        await home.say(FIRST[language])
        with patch.object(choice, "async_hits", counted):
            for sentence in SENTENCES[language]:
                searched = 0
                await home.say(sentence)
                if searched > SEARCHES:
                    slow[sentence] = searched
    assert not slow
