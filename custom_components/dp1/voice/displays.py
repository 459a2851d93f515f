"""The displays that a sentence means."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
import re
from typing import Any, Final

from homeassistant.components.homeassistant import async_should_expose
from homeassistant.components.media_player import MediaPlayerState
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import HomeAssistant, State, callback
from homeassistant.helpers import (
    area_registry as ar,
    entity_registry as er,
    floor_registry as fr,
    intent,
)

from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..displays import async_display_entities, async_displays, ignores_music
from ..library.words import fold
from .answers import NotOursError, UnansweredError

# How alike an inflected name is.
ALIKE: Final = 0.8
# What is said of a display in a state in which no work can be seen; in any other, that it shows nothing.
EMPTY: Final[Mapping[str, str | None]] = {
    MediaPlayerState.PLAYING: None,
    MediaPlayerState.OFF: "asleep",
    STATE_UNAVAILABLE: "unavailable",
}
_UP: Final = re.compile(
    r"upstairs|upper|top floor|attic|oben|ober\w*|dach\w*|stock|etage|en haut|haut|arriba|alta|superior"
    r"|boven\w*|zolder|\w*verdieping|上の階|二階|2 階|楼上|上层|二楼|2 楼|二层|2 层"
)
_DOWN: Final = re.compile(
    r"downstairs|lower|ground|basement|cellar|unten|unter\w*|erd\w*|keller|en bas|bas|rez de|sous sol|inferieur|abajo|baja"
    r"|inferior|sotano|beneden\w*|begane|kelder|下の階|一階|1 階|地下|楼下|下层|一楼|1 楼|一层|1 层"
)
# The sign of the levels that are meant, and words in the names of floors that say it or the contrary.
FLOORS: Final = {"up": (1, _UP, _DOWN), "down": (-1, _DOWN, _UP)}
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


def _floors(
    floors: list[fr.FloorEntry], here: fr.FloorEntry | None, where: str
) -> set[str]:
    """Return the floors that are called "upstairs", else those above by their levels, else those whose names say it."""
    way, words, contrary = FLOORS[where]
    names = {f.floor_id: [fold(n) for n in (f.name, *f.aliases)] for f in floors}
    level = here.level if here else 0
    called = {i for i in names if any(words.fullmatch(name) for name in names[i])}
    leveled = {
        floor.floor_id
        for floor in floors
        if floor.level is not None and level is not None
        if (floor.level - level) * way > 0
    }
    saying = {
        i
        for i in names
        if any(words.search(n) and not contrary.search(n) for n in names[i])
    }
    return called or leveled or saying


def on_floor(
    hass: HomeAssistant, displays: list[SpokenDisplay], area_id: str | None, where: str
) -> list[SpokenDisplay]:
    """Return the displays on the floor of an area, or above or below it, or raise that there are none."""
    floors = [*fr.async_get(hass).async_list_floors()]
    area = ar.async_get(hass).async_get_area(area_id) if area_id else None
    here = next((f for f in floors if area and f.floor_id == area.floor_id), None)
    floor_ids = _floors(floors, here, where) if where in FLOORS else set[str]()
    # Who is upstairs says so, too.
    if here and (
        where == "floor"
        or (not floor_ids and _floors(floors, here, "down" if where == "up" else "up"))
    ):
        floor_ids = {here.floor_id}
    if not floor_ids:
        raise UnansweredError("which_floor")
    meant = [
        display
        for floor_id in sorted(floor_ids)
        for display in matching(hass, displays, floor_name=floor_id)
    ]
    if not meant:
        raise NotOursError("no_display_here")
    return meant
