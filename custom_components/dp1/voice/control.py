"""The actions that a sentence asks of displays."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from homeassistant.components.media_player import RepeatMode
from homeassistant.const import Platform
from homeassistant.core import State

from ..const import DOMAIN
from ..errors import async_gather_failures
from .answers import UnansweredError, async_error_text
from .displays import SpokenDisplay
from .request import Sentence, number_between

PERCENT: Final = number_between(0, 100)
BRIGHTNESS_STEPS: Final[Mapping[str, int]] = {"brighter": 15, "darker": -15}


@dataclass(frozen=True, slots=True)
class Action:
    """An action that a sentence asks for; of an entity beside the media player by its key."""

    service: str
    data: Mapping[str, Any] = field(default_factory=dict)
    domain: str = Platform.MEDIA_PLAYER
    key: str | None = None
    needs_work: bool = False


ACTIONS: Final[Mapping[str, Action]] = {
    "next": Action("show_work", {"work": "next"}, DOMAIN, needs_work=True),
    "previous": Action("show_work", {"work": "previous"}, DOMAIN, needs_work=True),
    "shuffle": Action("shuffle_set", {"shuffle": True}, needs_work=True),
    "unshuffle": Action("shuffle_set", {"shuffle": False}, needs_work=True),
    "repeat": Action("repeat_set", {"repeat": RepeatMode.ALL}, needs_work=True),
    "unrepeat": Action("repeat_set", {"repeat": RepeatMode.OFF}, needs_work=True),
    "stay": Action("repeat_set", {"repeat": RepeatMode.ONE}, needs_work=True),
    "go_on": Action("repeat_set", {"repeat": RepeatMode.ALL}, needs_work=True),
    "keep": Action("add_favorite", domain=DOMAIN),
    "remove": Action("remove_favorite", domain=DOMAIN),
    "hide": Action("hide_work", domain=DOMAIN, needs_work=True),
    "volume": Action("volume_set"),
    "mute": Action("volume_mute", {"is_volume_muted": True}),
    "unmute": Action("volume_mute", {"is_volume_muted": False}),
    "sleep": Action("turn_off"),
    "wake": Action("turn_on"),
    **{
        f"label_{option}": Action(
            "select_option", {"option": option}, Platform.SELECT, "museum_label"
        )
        for option in ("on", "off")
    },
    "rotate": Action(
        "select_previous", {"cycle": True}, Platform.SELECT, "orientation"
    ),
    **{
        change: Action("set_value", domain=Platform.NUMBER, key="panel_brightness")
        for change in (*BRIGHTNESS_STEPS, "brightness")
    },
}


async def async_act(
    sentence: Sentence, displays: list[SpokenDisplay]
) -> tuple[list[SpokenDisplay], str]:
    """Carry out the action; return the displays where it succeeded, and what to say of the others."""
    action = ACTIONS[sentence.slots["action"]]
    results = await async_gather_failures(
        _async_act(sentence, action, display) for display in displays
    )
    failed = [error for error in results if error is not None]
    if len(failed) == len(displays):
        raise failed[0]
    hass, answers = sentence.hass, sentence.answers
    texts = [await async_error_text(hass, answers, err) for err in failed]
    done = zip(displays, results, strict=True)
    return [display for display, result in done if result is None], " ".join(texts)


async def _async_act(
    sentence: Sentence, action: Action, display: SpokenDisplay
) -> None:
    """Call an action of a display, which would silently do nothing without contact."""
    empty = display.emptiness
    if empty and (action.needs_work or empty == "unavailable"):
        raise UnansweredError(empty, name=display.name)
    data, entity = dict(action.data), display.state
    if action.key:
        if (other := display.state_of(action.domain, action.key)) is None:
            raise UnansweredError("cannot", name=display.name)
        entity = other
    if action.domain == Platform.NUMBER:
        data["value"] = _brightness(sentence, display, entity)
    if action.service == "volume_set":
        data["volume_level"] = _percent(sentence, "volume") / 100
    entity_id = entity.entity_id
    await sentence.call(action.domain, action.service, entity_id=entity_id, **data)


def _brightness(sentence: Sentence, display: SpokenDisplay, number: State) -> float:
    """Return the brightness that is asked for."""
    if (step := BRIGHTNESS_STEPS.get(sentence.slots["action"])) is None:
        return _percent(sentence, "brightness")
    try:
        now = float(number.state)
    except ValueError as err:
        raise UnansweredError("cannot", name=display.name) from err
    return min(100.0, max(0.0, now + step))


def _percent(sentence: Sentence, slot: str) -> float:
    """Return the percentage that is asked for; a model that leaves it out, or means a fraction, is asked, not guessed."""
    value = sentence.slots.get(slot)
    if value is None or 0 < value < 1:
        raise UnansweredError("how_much")
    return float(value)
