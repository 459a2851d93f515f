"""What a member of the household may not read is not told to them."""

from typing import override

import pytest
import voluptuous as vol

from custom_components.dp1.voice.request import Sentence, SpokenIntent
from homeassistant.auth.models import Group
from homeassistant.components import conversation
from homeassistant.core import Context
from homeassistant.helpers import intent

from .home import Home

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_who_may_not_read_is_not_told(home: Home) -> None:
    """A user without rights to a display does not hear what hangs on it; its owner does."""
    await home.cast("Net Evil", home.here)
    # The first user is the owner.
    await home.hass.auth.async_create_user("Owner")
    user = await home.hass.auth.async_create_user("Guest")
    user.groups = [Group(name="None", policy={"entities": {}})]
    user.invalidate_cache()
    for question in ("what is this", "what comes next", "which exhibition is this"):
        assert not (await home.say(question))[1], question
        result = await conversation.async_converse(
            home.hass,
            question,
            None,
            Context(user_id=user.id),
            language="en",
            device_id=home.speaker,
        )
        said = result.response.speech["plain"]["speech"]
        assert result.response.error_code is not None, said
        assert "Net Evil" not in said


def test_what_is_no_number() -> None:
    """A duration that is no number is refused."""

    class TimedIntent(SpokenIntent):
        """An intent with all slots of times."""

        intent_type = "Timed"

        @override
        async def answer(self, sentence: Sentence) -> str:
            return ""

    schema = vol.Schema(TimedIntent().slot_schema)
    assert schema({"minutes": "5"}) == {"minutes": 5.0}
    for value in ("nan", float("nan"), float("inf")):
        with pytest.raises(vol.Invalid):
            schema({"minutes": value})


async def test_a_quantity_without_a_number(home: Home) -> None:
    """A brightness or volume that is left out, or a fraction of a percent, is asked for and changes nothing."""
    panel, before = home.here.device.panel.values, home.here.state.volume
    brightness = panel["brightness"]
    for action in ("brightness", "volume"):
        for value in ({}, {action: {"value": 0.5}}):
            response = await intent.async_handle(
                home.hass,
                "test",
                "Dp1Control",
                {"action": {"value": action}, **value},
                language="en",
                device_id=home.speaker,
                assistant="conversation",
            )
            assert response.error_code is not None
            assert "percent" in response.speech["plain"]["speech"]
    assert (panel["brightness"], home.here.state.volume) == (brightness, before)


async def test_it_is_what_was_spoken_of(home: Home) -> None:
    """The answer names the display that was meant, so that "turn it off" means that one."""
    for where, wall in (("in the study", home.there), ("here", home.here)):
        result = await conversation.async_converse(
            home.hass,
            f"show Net Evil {where}",
            None,
            Context(),
            language="en",
            device_id=home.speaker,
        )
        (target,) = result.response.success_results
        assert target.id == home.ids[wall.url]
