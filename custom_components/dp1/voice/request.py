"""What somebody asks of displays: which action, where and for how long; and the base of the intents that answer."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any, Final, override

import voluptuous as vol

from homeassistant.components.media_player import RepeatMode
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv, intent
from homeassistant.util import dt as dt_util

from ..const import DOMAIN
from ..errors import async_gather_failures
from ..language import async_spoken_in
from .answers import (
    SECONDS,
    Answers,
    NotOursError,
    UnansweredError,
    async_answers,
    async_error_text,
)
from .displays import SpokenDisplay, meant_displays

# The agent of Home Assistant, which has no model behind it; importing it would make it a dependency.
HOME_ASSISTANT_AGENT: Final = "conversation.home_assistant"
TEXTS: Final = (
    "name",
    "area",
    "floor",
    "place",
    "scope",
    "preferred_area_id",
    "art",
    "until",
)
UNITS: Final = tuple(SECONDS)
CLOCK: Final = ("until_hour", "until_minute", "until_half_day")
HALF_DAY: Final = 12
DAY: Final = 24
MONDAY: Final = 7
PERCENT: Final = vol.All(vol.Coerce(float), vol.Range(min=0, max=100))
BRIGHTNESS_STEPS: Final[Mapping[str, int]] = {"brighter": 15, "darker": -15}


@dataclass(frozen=True, slots=True)
class Action:
    """An action that a sentence asks for; of an entity beside the media player by its key."""

    domain: str
    service: str
    data: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    needs_work: bool = False


def _queue(service: str, **data: Any) -> Action:
    return Action(Platform.MEDIA_PLAYER, service, data, needs_work=True)


ACTIONS: Final[Mapping[str, Action]] = {
    "next": Action(DOMAIN, "show_work", {"work": "next"}, needs_work=True),
    "previous": Action(DOMAIN, "show_work", {"work": "previous"}, needs_work=True),
    "shuffle": _queue("shuffle_set", shuffle=True),
    "unshuffle": _queue("shuffle_set", shuffle=False),
    "repeat": _queue("repeat_set", repeat=RepeatMode.ALL),
    "unrepeat": _queue("repeat_set", repeat=RepeatMode.OFF),
    "stay": _queue("repeat_set", repeat=RepeatMode.ONE),
    "go_on": _queue("repeat_set", repeat=RepeatMode.ALL),
    "keep": Action(DOMAIN, "add_favorite"),
    "remove": Action(DOMAIN, "remove_favorite"),
    "mute": Action(Platform.MEDIA_PLAYER, "volume_mute", {"is_volume_muted": True}),
    "unmute": Action(Platform.MEDIA_PLAYER, "volume_mute", {"is_volume_muted": False}),
    "sleep": Action(Platform.MEDIA_PLAYER, "turn_off"),
    "wake": Action(Platform.MEDIA_PLAYER, "turn_on"),
    **{
        f"label_{option}": Action(
            Platform.SELECT, "select_option", {"option": option}, "museum_label"
        )
        for option in ("on", "off")
    },
    "rotate": Action(
        Platform.SELECT, "select_previous", {"cycle": True}, "orientation"
    ),
    **{
        change: Action(Platform.NUMBER, "set_value", key="panel_brightness")
        for change in (*BRIGHTNESS_STEPS, "brightness")
    },
}


@dataclass(frozen=True, slots=True)
class Span:
    """How long something is shown, with the end if that was asked."""

    duration: timedelta
    until: datetime | None = None


def span_of(slots: Mapping[str, Any], bedtime: time | None = None) -> Span | None:
    """Return how long a sentence asks to show something, None for permanently."""
    if given := {unit: float(slots[unit]) for unit in UNITS if unit in slots}:
        return Span(timedelta(**given))
    now = dt_util.now()
    match slots.get("until"):
        case "weekend":
            until = _at(now, (MONDAY - now.weekday()) * DAY)
        case "bedtime" if bedtime:
            hour = bedtime.hour + bedtime.minute / 60
            until = next(end for day in (0, DAY) if (end := _at(now, hour + day)) > now)
        case str() | int() | float() as hours if hours != "bedtime":
            end = _at(now, float(hours))
            # The evening ends at midnight for those who are up late.
            until = end if end > now else _at(now, max(float(hours), DAY))
        case _ if "until_hour" in slots:
            until = _next(now, slots)
        case _:
            return None
    return Span(dt_util.as_utc(until) - dt_util.as_utc(now), until)


def _next(now: datetime, slots: Mapping[str, Any]) -> datetime:
    """Return when the clock next shows a time, of which people seldom say the half of the day."""
    hour = float(slots["until_hour"])
    minutes = float(slots.get("until_minute", 0))
    if (half := slots.get("until_half_day")) is not None:
        hours = [hour % HALF_DAY + float(half)]
    elif hour <= HALF_DAY:
        hours = [hour % HALF_DAY, hour % HALF_DAY + HALF_DAY]
    else:
        hours = [hour]
    times = (_at(now, h + day + minutes / 60) for day in (0, DAY) for h in hours)
    return next(time for time in times if time > now)


def _at(now: datetime, hours: float) -> datetime:
    """Return the time of day that many hours after the start of the day."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(hours=hours)


def _beginning(text: str) -> str:
    """Return as much of a text as any title or name has."""
    return text[:MAX_SAID]


# What somebody names is compared with all titles, which takes long for what has no end.
MAX_SAID: Final = 300
SAID: Final = vol.All(cv.string, _beginning)


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody said."""

    intent: intent.Intent
    slots: Mapping[str, Any]
    answers: Answers

    @property
    def hass(self) -> HomeAssistant:
        """Return Home Assistant."""
        return self.intent.hass

    @property
    def has_model(self) -> bool:
        """Return whether a language model gets what is not ours."""
        return self.intent.conversation_agent_id not in (None, HOME_ASSISTANT_AGENT)

    @property
    def speaker(self) -> str:
        """Return who speaks: a voice satellite, else a user."""
        return self.intent.device_id or self.intent.context.user_id or ""

    def displays(
        self, *, names_art: bool = False, default_all: bool = False
    ) -> list[SpokenDisplay]:
        """Return the displays that are meant."""
        return meant_displays(
            self.intent,
            self.slots,
            names_art=names_art or "art" in self.slots,
            default_all=default_all,
        )

    async def call(
        self, domain: str, service: str, *, response: bool = False, **data: Any
    ) -> Any:
        """Call an action in the name of the speaker."""
        async with async_spoken_in(self.hass, self.answers.translation):
            return await self.hass.services.async_call(
                domain,
                service,
                data,
                blocking=True,
                context=self.intent.context,
                return_response=response,
            )

    async def async_act(
        self,
        displays: list[SpokenDisplay],
        act: Callable[[SpokenDisplay], Awaitable[None]],
    ) -> tuple[list[SpokenDisplay], str]:
        """Act on displays; return where it succeeded, and what to say of the others."""

        async def act_on(display: SpokenDisplay) -> None:
            """Act on one display, of which an action would silently do nothing without contact."""
            if not display.is_available:
                raise UnansweredError("unavailable", name=display.name)
            await act(display)

        results = await async_gather_failures(map(act_on, displays))
        failed = [error for error in results if error is not None]
        if len(failed) == len(displays):
            raise failed[0]
        texts = [await async_error_text(self.hass, self.answers, err) for err in failed]
        done = zip(displays, results, strict=True)
        return [display for display, result in done if result is None], " ".join(texts)

    def names(self, displays: list[SpokenDisplay]) -> str:
        """Return the names of displays."""
        return self.answers.join([display.name for display in displays])


class SpokenIntent(intent.IntentHandler):
    """Base of the intents."""

    fields: Mapping[str, Any] = {}

    @property
    @override
    def slot_schema(self) -> dict[Any, Any]:
        """Return the slots; numbers of a time come as numbers."""
        return {
            **{vol.Optional(name): SAID for name in TEXTS},
            **{vol.Optional(name): vol.Coerce(float) for name in (*UNITS, *CLOCK)},
            **self.fields,
        }

    @override
    async def async_handle(self, intent_obj: intent.Intent) -> intent.IntentResponse:
        """Carry out the intent, and answer in the language of the speaker."""
        slots = self.async_validate_slots(intent_obj.slots)
        answers = await async_answers(intent_obj.hass, intent_obj.language)
        request = Request(
            intent_obj,
            {name: slot["value"] for name, slot in slots.items()},
            answers,
        )
        response = intent_obj.create_response()
        try:
            response.async_set_speech(await self.answer(request))
        except HomeAssistantError as err:
            text = await async_error_text(intent_obj.hass, answers, err)
            code = intent.IntentResponseErrorCode.FAILED_TO_HANDLE
            if isinstance(err, NotOursError):
                # Where there is a language model, it is asked then.
                code = intent.IntentResponseErrorCode.NO_INTENT_MATCH
            response.async_set_error(code, text)
        return response

    @abstractmethod
    async def answer(self, request: Request) -> str:
        """Carry out the intent, and return the answer."""
