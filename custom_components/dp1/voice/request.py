"""What somebody says to displays: where and for how long they mean it; and the base of the intents that answer."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, Final, override

import voluptuous as vol

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv, device_registry as dr, intent
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from ..client.playlist.schedule import utc_of
from ..const import DOMAIN
from ..language import async_spoken_in
from .answers import SECONDS, Answers, NotOursError, async_answers, async_error_text
from .displays import PLACES, SpokenDisplay, exposed_displays, matching, named_displays

# Entity ids of the displays that each speaker last spoke to.
LAST_SPOKEN_TO: Final[HassKey[dict[str, list[str]]]] = HassKey(
    f"{DOMAIN}_last_spoken_to"
)
# The agent of Home Assistant, which has no model behind it; importing it would make it a dependency.
HOME_ASSISTANT_AGENT: Final = "conversation.home_assistant"
# What somebody names is compared with all titles, which takes long for what has no end.
MAX_SPOKEN: Final = 300
TEXT_SLOTS: Final = (*PLACES, "scope", "preferred_area_id", "art")
# For no longer is anything shown for a time: as many days as can be said.
MOST_SECONDS: Final = 60 * SECONDS["days"]
# The least and the most of each.
TIME_SLOTS: Final[Mapping[str, tuple[float, float]]] = {
    **{unit: (0, MOST_SECONDS / size) for unit, size in SECONDS.items()},
    "until_hour": (0, 48),
    "until_minute": (-60, 60),
    "until_half_day": (0, 17),
}
# In hours.
HALF_DAY: Final = 12
DAY: Final = 24
WEEK: Final = 7 * DAY


@dataclass(frozen=True, slots=True)
class Span:
    """How long something is shown, with the end if that was asked."""

    duration: timedelta
    until: datetime | None = None


def span_of(slots: Mapping[str, Any], bedtime: time | None = None) -> Span | None:
    """Return the span of a sentence, None for permanently."""
    if parts := {unit: slots[unit] for unit in SECONDS if unit in slots}:
        return Span(timedelta(**parts))
    now = dt_util.now()
    match slots.get("until"):
        case "weekend":
            until = _at(now, WEEK - now.weekday() * DAY)
        case "bedtime" if bedtime:
            hour = bedtime.hour + bedtime.minute / 60
            until = next(end for day in (0, DAY) if (end := _at(now, hour + day)) > now)
        case int() | float() as hours:
            end = _at(now, hours)
            # The evening ends at midnight for those who are up late.
            # It is noon once a day.
            later = hours + DAY if hours == HALF_DAY else max(hours, DAY)
            until = end if end > now else _at(now, later)
        case _ if "until_hour" in slots:
            until = _next_time(now, slots)
        case _:
            return None
    return Span(until - dt_util.as_utc(now), dt_util.as_local(until))


def _next_time(now: datetime, slots: Mapping[str, Any]) -> datetime:
    """Return the next time of a clock, of which people seldom say the half of the day."""
    hour, minutes = slots["until_hour"], slots.get("until_minute", 0)
    if (half := slots.get("until_half_day")) is not None:
        hours = [(hour - half) % HALF_DAY + half]
    elif hour <= HALF_DAY:
        hours = [hour % HALF_DAY, hour % HALF_DAY + HALF_DAY]
    else:
        hours = [hour]
    # The night is that of the day before, too.
    days = (-DAY, 0, DAY)
    ends = (_at(now, h + day + minutes / 60) for day in days for h in hours)
    return next(end for end in ends if end > now)


def _at(now: datetime, hours: float) -> datetime:
    """Return the time of day that many hours after the start of the day, in UTC; of one that comes twice, the next."""
    clock = now.replace(tzinfo=None)
    end = datetime.combine(clock, time()) + timedelta(hours=hours)
    is_second = bool(now.fold) or end <= clock
    return utc_of(end.replace(fold=is_second), dt_util.get_default_time_zone())


# As much of a text as any title or name has.
SPOKEN_TEXT: Final = vol.All(cv.string, lambda text: text[:MAX_SPOKEN])


def number_between(least: float, most: float) -> vol.All:
    """Return the limits of a number: a model or the API may send any."""
    return vol.All(vol.Coerce(float), vol.Range(min=least, max=most))


@dataclass(frozen=True, slots=True)
class Sentence:
    """What was said: an intent with its slots, and the templates of the answer."""

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
        """Return the id of the speaker: of a voice satellite, else of a user."""
        return self.intent.device_id or self.intent.context.user_id or ""

    def displays(
        self, *, names_art: bool = False, default_all: bool = False
    ) -> list[SpokenDisplay]:
        """Return the displays that are meant, or raise that there are none.

        Without a place, those in the room of the speaker are meant. Where none hangs, a sentence that names art means all
        of them, or the one last spoken to; any other is not ours.
        """
        hass, slots = self.hass, self.slots
        displays = exposed_displays(hass, self.intent.assistant)
        if not displays:
            raise NotOursError("no_display")
        device_id = self.intent.device_id
        device = dr.async_get(hass).async_get(device_id) if device_id else None
        area_id = slots.get("preferred_area_id") or (device.area_id if device else None)
        here = matching(hass, displays, area_name=area_id) if area_id else []
        match slots.get("scope"):
            case "all":
                meant = displays
            case "several":
                meant = here or displays
            case _ if any(key in slots for key in PLACES):
                meant = named_displays(hass, displays, slots)
            case _ if here:
                meant = here
            case _ if names_art or "art" in slots:
                meant = displays if default_all else [self._default(displays)]
            case _:
                raise NotOursError("not_here")
        last = hass.data.setdefault(LAST_SPOKEN_TO, {})
        last[self.speaker] = [display.entity_id for display in meant]
        return meant

    def _default(self, displays: list[SpokenDisplay]) -> SpokenDisplay:
        """Return the display last spoken to, else one that shows something, else any.

        Those who are not known, such as automations, are several.
        """
        spoken_to_by = self.hass.data.get(LAST_SPOKEN_TO, {})
        last = spoken_to_by.get(self.speaker) if self.speaker else None
        playing = [display for display in displays if not display.emptiness]
        spoken_to = [d for d in displays if [d.entity_id] == last]
        return (spoken_to or playing or displays)[0]

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

    def names(self, displays: list[SpokenDisplay]) -> str:
        """Return the names of displays."""
        return self.answers.join([display.name for display in displays])


class SpokenIntent(intent.IntentHandler):
    """Base class of the intents."""

    fields: Mapping[str, Any] = {}

    @property
    @override
    def slot_schema(self) -> dict[Any, Any]:
        """Return the slots; numbers of a time come as numbers."""
        return {
            **{vol.Optional(name): SPOKEN_TEXT for name in TEXT_SLOTS},
            **{
                vol.Optional(name): number_between(*ends)
                for name, ends in TIME_SLOTS.items()
            },
            vol.Optional("until"): vol.Any("weekend", "bedtime", number_between(0, 48)),
            **self.fields,
        }

    @override
    async def async_handle(self, intent_obj: intent.Intent) -> intent.IntentResponse:
        """Carry out the intent, and answer in the language of the speaker."""
        slots = self.async_validate_slots(intent_obj.slots)
        answers = await async_answers(intent_obj.hass, intent_obj.language)
        values = {name: slot["value"] for name, slot in slots.items()}
        sentence = Sentence(intent_obj, values, answers)
        response = intent_obj.create_response()
        try:
            response.async_set_speech(await self.answer(sentence))
            # "It" in the next sentence is what this one was about.
            meant = intent_obj.hass.data.get(LAST_SPOKEN_TO, {})
            response.async_set_results(
                [
                    intent.IntentResponseTarget(
                        name=state.name,
                        type=intent.IntentResponseTargetType.ENTITY,
                        id=state.entity_id,
                    )
                    for entity_id in meant.get(sentence.speaker, ())
                    if (state := intent_obj.hass.states.get(entity_id))
                ]
            )
        except HomeAssistantError as err:
            text = await async_error_text(intent_obj.hass, answers, err)
            code = intent.IntentResponseErrorCode.FAILED_TO_HANDLE
            if isinstance(err, NotOursError):
                # Where there is a language model, it is asked then.
                code = intent.IntentResponseErrorCode.NO_INTENT_MATCH
            response.async_set_error(code, text)
        return response

    @abstractmethod
    async def answer(self, sentence: Sentence) -> str:
        """Carry out the intent, and return the answer."""
