"""The displays that a sentence means."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import dropwhile
from typing import Any, Final

from homeassistant.components.homeassistant import async_should_expose
from homeassistant.components.media_player import (
    DOMAIN as MEDIA_PLAYER_DOMAIN,
    MediaPlayerState,
)
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import HomeAssistant, State, callback
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    intent,
)

from ..const import DOMAIN
from ..coordinator import DisplayCoordinator, async_displays
from ..data import DATA
from ..library.matching.text_index import fold
from .answers import UnansweredError

# Prepositions and articles, folded.
BEFORE_PLACES: Final = frozenset(
    [
        "on",
        "in",
        "at",
        "the",
        "auf",
        "an",
        "im",
        "am",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "sur",
        "dans",
        "au",
        "à",
        "le",
        "la",
        "en",
        "el",
        "op",
        "aan",
        "de",
        "het",
    ]
)
# How alike an inflected name is.
ALIKE: Final = 0.8
# The displays that were last spoken to.


@dataclass(frozen=True, slots=True)
class SpokenDisplay:
    """A display that may be spoken to."""

    hass: HomeAssistant
    entity_id: str
    device_id: str

    @property
    def state(self) -> State:
        """Return the state of the media player."""
        state = self.hass.states.get(self.entity_id)
        return state or State(self.entity_id, STATE_UNAVAILABLE)

    @property
    def name(self) -> str:
        """Return the name of the display."""
        return self.state.name

    @property
    def is_available(self) -> bool:
        """Return whether there is contact with the display."""
        return self.state.state != STATE_UNAVAILABLE

    @property
    def coordinator(self) -> DisplayCoordinator | None:
        """Return the coordinator of the display, if it is set up."""
        displays = async_displays(self.hass)
        return next((d for d in displays if d.device_id == self.device_id), None)

    def attribute(self, name: str) -> Any:
        """Return an attribute of the media player."""
        return self.state.attributes.get(name)

    def entity(self, domain: str, key: str) -> str:
        """Return another entity of the display, or raise that it has none."""
        registry = er.async_get(self.hass)
        found = registry.async_get_entity_id(domain, DOMAIN, f"{self.device_id}_{key}")
        state = self.hass.states.get(found) if found else None
        if found is None or state is None or state.state == STATE_UNAVAILABLE:
            raise UnansweredError("cannot", name=self.name)
        return found


@callback
def exposed_displays(hass: HomeAssistant, assistant: str | None) -> list[SpokenDisplay]:
    """Return the displays that an assistant may see, by name."""
    entities = [
        entity
        for entity in er.async_get(hass).entities.values()
        if entity.platform == DOMAIN
        and entity.domain == MEDIA_PLAYER_DOMAIN
        and hass.states.get(entity.entity_id) is not None
        and (
            assistant is None or async_should_expose(hass, assistant, entity.entity_id)
        )
    ]
    found = [SpokenDisplay(hass, e.entity_id, e.unique_id) for e in entities]
    return sorted(found, key=lambda display: display.name)


@callback
def place_at_end(displays: list[SpokenDisplay], words: str) -> tuple[str, str] | None:
    """Return words without the place at their end, and the name of the display there.

    Languages inflect names: "auf der großen Wand" is on the display "Große Wand".
    """
    said = words.split()
    for display in displays:
        size = len(display.name.split())
        before, end = said[:-size], " ".join(said[-size:])
        rest = [*dropwhile(lambda word: fold(word) in BEFORE_PLACES, reversed(before))]
        alike = SequenceMatcher(None, fold(end), fold(display.name)).ratio()
        if alike >= ALIKE and rest and len(rest) < len(before):
            return " ".join(reversed(rest)), display.name
    return None


@callback
def meant_displays(
    intent_obj: intent.Intent, slots: Mapping[str, Any], *, default_all: bool = False
) -> list[SpokenDisplay]:
    """Return the displays that a sentence means, or raise that there are none.

    Without a place, those in the room of the speaker are meant; elsewhere all of them, or the one last spoken to.
    """
    hass = intent_obj.hass
    displays = exposed_displays(hass, intent_obj.assistant)
    if not displays:
        raise UnansweredError("no_display")
    area_id = slots.get("preferred_area_id") or _area_of_speaker(intent_obj)
    if slots.get("scope") == "all":
        found = displays
    elif slots.get("scope") == "several":
        here = _in_area(hass, displays, area_id)
        # Nobody says "the displays" of a single one.
        found = here if len(here) > 1 else displays
    elif slots.get("scope") == "floor":
        found = _on_floor_of(hass, displays, area_id)
    elif place := slots.get("name") or slots.get("area") or slots.get("floor"):
        found = _named(hass, displays, slots) or _anywhere(hass, displays, str(place))
    elif here := _in_area(hass, displays, area_id):
        found = here
    else:
        found = displays if default_all else [_likely(hass, displays)]
    hass.data[DATA].last_spoken_to = [display.entity_id for display in found]
    return found


def _area_of_speaker(intent_obj: intent.Intent) -> str | None:
    """Return the area of the device that was spoken to."""
    device_id = intent_obj.device_id
    device = dr.async_get(intent_obj.hass).async_get(device_id) if device_id else None
    return device.area_id if device else None


def _matching(
    hass: HomeAssistant,
    displays: Iterable[SpokenDisplay],
    constraints: intent.MatchTargetsConstraints,
) -> list[SpokenDisplay]:
    """Return the displays that match constraints as Home Assistant matches them."""
    by_id = {display.entity_id: display for display in displays}
    states = [display.state for display in by_id.values()]
    result = intent.async_match_targets(hass, constraints, states=states)
    return [by_id[state.entity_id] for state in result.states]


def _named(
    hass: HomeAssistant, displays: list[SpokenDisplay], slots: Mapping[str, Any]
) -> list[SpokenDisplay]:
    """Return the displays with a name, in an area or on a floor."""
    constraints = intent.MatchTargetsConstraints(
        name=slots.get("name"),
        area_name=slots.get("area"),
        floor_name=slots.get("floor"),
        allow_duplicate_names=True,
    )
    return _matching(hass, displays, constraints)


def _anywhere(
    hass: HomeAssistant, displays: list[SpokenDisplay], place: str
) -> list[SpokenDisplay]:
    """Return the displays at a place whose name is also that of another entity, or raise that there are none."""
    for constraints in (
        intent.MatchTargetsConstraints(area_name=place),
        intent.MatchTargetsConstraints(floor_name=place),
        intent.MatchTargetsConstraints(name=place, allow_duplicate_names=True),
    ):
        if found := _matching(hass, displays, constraints):
            return found
    raise UnansweredError("no_display_there", place=place)


def _in_area(
    hass: HomeAssistant, displays: list[SpokenDisplay], area_id: str | None
) -> list[SpokenDisplay]:
    """Return the displays in an area."""
    if area_id is None:
        return []
    constraints = intent.MatchTargetsConstraints(area_name=area_id)
    return _matching(hass, displays, constraints)


def _on_floor_of(
    hass: HomeAssistant, displays: list[SpokenDisplay], area_id: str | None
) -> list[SpokenDisplay]:
    """Return the displays on the floor of an area."""
    area = ar.async_get(hass).async_get_area(area_id) if area_id else None
    if area is None or area.floor_id is None:
        raise UnansweredError("which_floor")
    constraints = intent.MatchTargetsConstraints(floor_name=area.floor_id)
    if found := _matching(hass, displays, constraints):
        return found
    raise UnansweredError("no_display_here")


def _likely(hass: HomeAssistant, displays: list[SpokenDisplay]) -> SpokenDisplay:
    """Return the display last spoken to, else one that shows something, else any."""
    last = hass.data[DATA].last_spoken_to
    playing = [d for d in displays if d.state.state == MediaPlayerState.PLAYING]
    for display in displays:
        if [display.entity_id] == last:
            return display
    return (playing or displays)[0]
