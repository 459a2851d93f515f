"""What somebody said to displays, and the base of the intents that answer."""

from abc import abstractmethod
import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, override

import voluptuous as vol

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv, intent

from ..errors import async_spoken_in
from .answers import (
    Answers,
    NotOursError,
    UnansweredError,
    async_answers,
    async_error_text,
)
from .displays import SpokenDisplay, meant_displays
from .times import CLOCK, UNITS

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

        results = await asyncio.gather(*map(act_on, displays), return_exceptions=True)
        failed: list[HomeAssistantError] = []
        for result in results:
            if isinstance(result, HomeAssistantError):
                failed.append(result)
            elif isinstance(result, BaseException):
                raise result
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
            **{vol.Optional(name): cv.string for name in TEXTS},
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
