"""The displays that a sentence means."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from homeassistant.components.homeassistant import async_should_expose
from homeassistant.components.media_player import MediaPlayerState
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import HomeAssistant, State, callback
from homeassistant.helpers import entity_registry as er, intent

from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..displays import async_display_entities, async_displays, ignores_music
from ..library.words import fold
from .answers import NotOursError

# How alike an inflected name is.
ALIKE: Final = 0.8
# What is said of a display in a state in which no work can be seen; in any other, that it shows nothing.
EMPTY: Final[Mapping[str, str | None]] = {
    MediaPlayerState.PLAYING: None,
    MediaPlayerState.OFF: "asleep",
    STATE_UNAVAILABLE: "unavailable",
}
# The slots that name a place.
PLACES: Final = ("name", "area", "floor", "place")


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
    def emptiness(self) -> str | None:
        """Return the key of the answer that tells why no work can be seen; None if one can."""
        return EMPTY.get(self.state.state, "nothing")

    @property
    def coordinator(self) -> DisplayCoordinator | None:
        """Return the coordinator of the display, if it is set up."""
        displays = async_displays(self.hass)
        return next((d for d in displays if d.device_id == self.device_id), None)

    @property
    def artists(self) -> list[str]:
        """Return the names of the artists of the work."""
        details = self.attribute(DOMAIN) or {}
        return [artist["name"] for artist in details.get("artists") or ()]

    def attribute(self, name: str) -> Any:
        """Return an attribute of the media player."""
        return self.state.attributes.get(name)

    def state_of(self, domain: str, key: str) -> State | None:
        """Return the state of another entity of the display, None if it has none."""
        registry = er.async_get(self.hass)
        entity_id = registry.async_get_entity_id(
            domain, DOMAIN, f"{self.device_id}_{key}"
        )
        state = self.hass.states.get(entity_id) if entity_id else None
        return None if state and state.state == STATE_UNAVAILABLE else state


@callback
def exposed_displays(hass: HomeAssistant, assistant: str | None) -> list[SpokenDisplay]:
    """Return the displays that an assistant may see, by name: those that are exposed, and those that ignore music."""
    exposed = [
        SpokenDisplay(hass, entity.entity_id, entity.unique_id)
        for entity in async_display_entities(hass)
        if hass.states.get(entity.entity_id) is not None
        and (
            assistant is None
            or ignores_music(entity)
            or async_should_expose(hass, assistant, entity.entity_id)
        )
    ]
    return sorted(exposed, key=lambda display: display.name)


def matching(
    hass: HomeAssistant, displays: Iterable[SpokenDisplay], **names: Any
) -> list[SpokenDisplay]:
    """Return the displays with a name, area_name or floor_name as Home Assistant matches them."""
    by_id = {display.entity_id: display for display in displays}
    states = [display.state for display in by_id.values()]
    constraints = intent.MatchTargetsConstraints(**names, allow_duplicate_names=True)
    result = intent.async_match_targets(hass, constraints, states=states)
    return [by_id[state.entity_id] for state in result.states]


def named_displays(
    hass: HomeAssistant, displays: list[SpokenDisplay], slots: Mapping[str, Any]
) -> list[SpokenDisplay]:
    """Return the displays with a name, in an area or on a floor, or raise that there are none."""
    place = str(next(slots[key] for key in PLACES if key in slots))
    # The name of a place may be that of another entity, too.
    tried: list[dict[str, Any]] = [
        {key: place} for key in ("area_name", "floor_name", "name")
    ]
    if "place" not in slots:
        own = {"name": "name", "area_name": "area", "floor_name": "floor"}
        tried.insert(0, {key: slots.get(slot) for key, slot in own.items()})
    for names in tried:
        if matches := matching(hass, displays, **names):
            return matches
    if similar := _similarly_named(displays, place):
        return similar
    raise NotOursError("no_display_there", place=place)


def _similarly_named(displays: list[SpokenDisplay], place: str) -> list[SpokenDisplay]:
    """Return the displays with an inflected name: "auf der großen Wand" is on the display "Große Wand"."""
    return [
        display
        for display in displays
        if SequenceMatcher(None, fold(place), fold(display.name)).ratio() >= ALIKE
    ]
