"""What a member of the household may not read is not told to them."""

from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import CLIENT_ID
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from homeassistant.auth.models import Group, User
from homeassistant.components import conversation
from homeassistant.core import Context
from homeassistant.helpers import intent
from homeassistant.setup import async_setup_component

from ..displays import until
from .home import Home
from .test_fresh_wishes import minutes_left
from .test_llm import call, instance

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def a_guest(home: Home) -> User:
    """Return a user who may read no display."""
    # The first user is the owner.
    await home.hass.auth.async_create_user("Owner")
    user = await home.hass.auth.async_create_user("Guest")
    user.groups = [Group(name="None", policy={"entities": {}})]
    user.invalidate_cache()
    return user


async def test_who_may_not_read_is_not_told(home: Home) -> None:
    """A user without rights to a display does not hear what hangs on it; its owner does."""
    await home.cast("Net Evil", home.here)
    user = await a_guest(home)
    for question in (
        "what is this",
        "what hangs in the living room",
        "what comes next",
        "which exhibition is this",
    ):
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


@pytest.mark.parametrize("media_id", ["", "dp1://next", "dp1://recent"])
async def test_who_may_not_read_browses_nothing(
    home: Home, hass_ws_client: WebSocketGenerator, media_id: str
) -> None:
    """What a display showed and what comes next is told to its owner, and to no user without rights to it."""
    await home.cast("Net Evil", home.here)
    assert await async_setup_component(home.hass, "websocket_api", {})
    guest = await a_guest(home)
    refresh = await home.hass.auth.async_create_refresh_token(guest, CLIENT_ID)
    guests = home.hass.auth.async_create_access_token(refresh)
    asked: dict[str, Any] = {"entity_id": home.ids[home.here.url]}
    page = {"media_content_type": "playlist"} if media_id else {}
    pages: list[tuple[str, dict[str, Any]]] = [("media_player/browse_media", page)]
    if not media_id:
        pages += [("media_player/search_media", {"search_query": "Net Evil"})]
    for tokens, may in (((), True), ((guests,), False)):
        client = await hass_ws_client(home.hass, *tokens)
        for command, more in pages:
            if media_id:
                more = {**more, "media_content_id": media_id}
            await client.send_json_auto_id({"type": command, **asked, **more})
            answer = await client.receive_json()
            assert answer["success"] is may, answer
            assert may or answer["error"]["code"] == "unauthorized"


async def test_a_model_of_who_may_not_read(home: Home) -> None:
    """A model tells a user what the displays show that the user may read."""
    await home.cast("Net Evil", home.here)
    guest = await a_guest(home)
    for tool in ("list_displays", "describe_work"):
        told = await call(home, tool)
        assert "Net Evil" in str(told)
        told = await call(await instance(home, guest.id), tool)
        assert not told.get("displays") and not told.get("works")


async def test_whoever_is_not_known_is_not_one(home: Home) -> None:
    """The display last spoken to is that of one speaker; automations are several."""
    await home.cast("Net Evil", home.here)
    satellite, home.speaker = home.speaker, ""
    await home.does("show Slow Weather in the study")
    await home.cast("Slow Weather", home.there)
    await home.does("show Foldings")
    assert home.there.state.playlist_title == "Slow Weather"
    home.speaker = satellite


async def test_what_has_no_end_is_not_extended(home: Home) -> None:
    """To keep for longer what has no end changes nothing, and is said; without a time, it is asked for."""
    await home.cast("Net Evil", home.here)
    before = home.here.casts
    assert "has no end" in await home.does("keep this picture for ten more minutes")
    asked = await call(home, "control_display", action="extend")
    assert asked["error"] == "For how long?"
    assert home.here.casts == before


async def test_two_weeks(home: Home) -> None:
    """What a model may ask for is shown for as long."""
    told = await call(home, "show_art", what="Net Evil", minutes=14 * 24 * 60)
    assert "error" not in told
    await until(lambda: minutes_left(home, home.here) == 14 * 24 * 60)
    told = await call(home, "show_art", what="Net Evil", minutes="inf")
    assert "error" in told


async def test_a_quantity_without_a_number(home: Home) -> None:
    """A brightness or volume that is left out, or a fraction of a percent, is asked for and changes nothing.

    It is the same by an intent and by a tool; who says it without a number is not taken to have said one.
    """
    panel, before = home.here.device.panel.values, home.here.state.volume
    brightness = panel["brightness"]
    for action in ("brightness", "volume"):
        assert (await home.say(f"set the {action} of the big wall"))[1]
        for number in ({}, {action: 0.3}, {action: 0.5}):
            told = await call(home, "control_display", action=action, **number)
            assert "percent" in told["error"]
            slots = {"action": action, **number}
            response = await intent.async_handle(
                home.hass,
                "test",
                "Dp1Control",
                {name: {"value": value} for name, value in slots.items()},
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
