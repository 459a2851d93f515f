"""Intents that show something."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, override

import voluptuous as vol

from homeassistant.helpers import config_validation as cv, intent

from ..const import DOMAIN
from .choice import Chosen, Named, async_choose, async_find, door_camera
from .displays import SpokenDisplay
from .request import Request, SpokenIntent
from .times import Span, span_of

CAMERA_SECONDS: Final = 60


class ShowIntent(SpokenIntent):
    """Show what is named."""

    intent_type = "Dp1Show"
    description = (
        "Shows an exhibition, a work, an artist or a favorite on an art display"
    )
    fields: Mapping[str, Any] = {
        vol.Required("what"): intent.non_empty_string,
        vol.Optional("kind"): cv.string,
        vol.Optional("in_full"): cv.string,
    }

    @override
    async def answer(self, request: Request) -> str:
        """Show what fits the words best."""
        slots, what = request.slots, request.slots["what"]
        if not request.has_place and (found := request.place_at_end(what)):
            what, name = found
            request = replace(request, slots={**slots, "name": name})
        displays = request.displays()
        named = Named(
            what,
            slots.get("kind"),
            in_full="in_full" in slots,
            language=request.intent.language,
        )
        chosen = await async_find(request.hass, named, displays)
        return await _async_show(request, displays, chosen, span_of(slots))


class ShowChoiceIntent(SpokenIntent):
    """Show what the speaker leaves open."""

    intent_type = "Dp1ShowChoice"
    description = "Shows something new, something else, the art of the day, the favorites or the own collection on an art display"
    fields: Mapping[str, Any] = {
        vol.Required("choice"): vol.In(
            ("new", "other", "daily", "favorites", "collection")
        )
    }

    @override
    async def answer(self, request: Request) -> str:
        """Choose something and show it."""
        displays = request.displays()
        chosen = await async_choose(request.hass, request.slots["choice"], displays)
        return await _async_show(request, displays, chosen, span_of(request.slots))


class ShowCameraIntent(SpokenIntent):
    """Show the camera at the door."""

    intent_type = "Dp1ShowCamera"
    description = "Shows the doorbell camera on an art display for a while"

    @override
    async def answer(self, request: Request) -> str:
        """Show the camera for a while."""
        displays = request.displays()
        camera = door_camera(request.hass, request.intent.assistant)
        state = request.hass.states.get(camera)
        chosen = Chosen(camera, state.name if state else camera)
        span = span_of(request.slots) or Span(timedelta(seconds=CAMERA_SECONDS))
        return await _async_show(request, displays, chosen, span)


async def _async_show(
    request: Request,
    displays: list[SpokenDisplay],
    chosen: Chosen,
    span: Span | None,
) -> str:
    """Cast to displays, and say what is where."""
    answers = request.answers
    data: dict[str, Any] = {"show_for": span.duration} if span else {}
    told = await request.call(
        DOMAIN,
        "cast_playlist",
        response=True,
        entity_id=[display.entity_id for display in displays],
        media_content_id=chosen.media_id,
        **data,
    )
    shown = [d for d in displays if "error" not in told[d.entity_id]]
    texts = {
        "title": chosen.title or answers.say("favorites"),
        "where": request.names(shown),
    }
    key = "shown"
    if span:
        key, texts["time"] = "shown_for", answers.span(span)
    if chosen.is_everything:
        said = answers.say(f"{key}_everything", artist=chosen.artist, **texts)
    elif chosen.artist or chosen.is_work:
        said = answers.credit(f"{key}_by", chosen.artist, **texts)
    else:
        said = answers.say(key, **texts)
    failures = [
        answers.say("failed_on", name=d.name, error=str(told[d.entity_id]["error"]))
        for d in displays
        if d not in shown
    ]
    return " ".join((said, *failures))
