"""What a member of the household may not read is not told to them."""

import pytest
import voluptuous as vol

from custom_components.dp1.voice.request import SpokenIntent
from homeassistant.auth.models import Group
from homeassistant.components import conversation
from homeassistant.core import Context

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

    class Any(SpokenIntent):
        """An intent with all slots of times."""

        intent_type = "Any"

        async def answer(self, sentence: object) -> str:
            return ""

    schema = vol.Schema(Any().slot_schema)
    assert schema({"minutes": "5"}) == {"minutes": 5.0}
    for value in ("nan", float("nan"), float("inf")):
        with pytest.raises(vol.Invalid):
            schema({"minutes": value})
