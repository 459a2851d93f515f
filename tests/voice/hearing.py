"""Recognition of sentences against the files alone, as the agent of Home Assistant recognizes them, without a home."""

from functools import cache
import json
from pathlib import Path
from typing import Any

from hassil.intents import Intents, SlotList, TextSlotList
from hassil.recognize import recognize_best
from hassil.util import merge_dict
from home_assistant_intents import get_intents
import yaml

from custom_components.dp1.voice.request import MAX_SPOKEN
from custom_components.dp1.voice.sentences import sentences_of
from custom_components.dp1.voice.tail import Tail, to_the_end

TABLES = Path(__file__).parent
SENTENCES = TABLES.parent.parent / "custom_components" / "dp1" / "sentences"
CUSTOM = "hass_custom_sentence"
VARIANTS = {"zh": "zh-CN"}
LANGUAGES = sorted(path.stem for path in SENTENCES.glob("*.yaml"))
# Other things in the home, whose names are none of a display.
THINGS = (
    ("Lamp", {"domain": "light"}),
    ("Kitchen speaker", {"domain": "media_player", "device_class": "speaker"}),
    ("Radio", {"domain": "switch"}),
)


def read(path: Path) -> dict[str, Any]:
    """Read a table."""
    table: dict[str, Any] = yaml.load(path.read_bytes(), yaml.CSafeLoader)
    return table


@cache
def names_of(language: str) -> dict[str, str]:
    """Return the names of the rooms, the floor and the displays."""
    return dict(read(TABLES / f"{language}.yaml")["names"])


@cache
def built_in(language: str) -> dict[str, Any]:
    """Return the sentences of Home Assistant in a language."""
    known: Any = get_intents(VARIANTS.get(language, language), json_load=json.load)
    return dict(known)


def places_of(language: str) -> dict[str, list[list[str]]]:
    """Return the names that are filled in."""
    names = names_of(language)
    return {
        "dp1_display": [[names["display_1"]], [names["display_2"]]],
        "dp1_area": [[names["room_1"]], [names["room_2"]]],
        "dp1_floor": [[names["floor"]]],
    }


@cache
def intents_of(language: str, *, ours: bool) -> Intents:
    """Return the sentences of Home Assistant in a language, or ours with its lists and rules."""
    if not ours:
        return Intents.from_dict(built_in(language))
    table = sentences_of(language, places_of(language))
    for intent in table["intents"].values():
        for data in intent["data"]:
            data["metadata"] = {CUSTOM: True}
    merge_dict(table, {**built_in(language), "intents": {}})
    return Intents.from_dict(table)


@cache
def lists_of(language: str) -> dict[str, SlotList]:
    """Return the names that are exposed, as the agent offers them."""
    names = names_of(language)
    players = [names["display_1"], names["display_2"]]
    display = {"domain": "media_player", "device_class": "tv"}
    things = [(name, name, display) for name in players]
    things += [(name, name, context) for name, context in THINGS]
    rooms = [names["room_1"], names["room_2"]]
    return {
        "name": TextSlotList.from_tuples(things, allow_template=False),
        "area": TextSlotList.from_tuples(
            [(room, room) for room in rooms], allow_template=False
        ),
        "floor": TextSlotList.from_tuples(
            [(names["floor"], names["floor"])], allow_template=False
        ),
    }


def recognize(
    language: str, sentence: str, *, ours: bool = True
) -> tuple[str | None, dict[str, Any]]:
    """Return the intent that a sentence of ours is recognized as, or one of Home Assistant, with its slots.

    The agent prefers sentences that somebody added to its own, whatever fits better.
    """
    result = recognize_best(
        sentence,
        intents_of(language, ours=ours),
        slot_lists=lists_of(language),
        intent_context=None,
        language=VARIANTS.get(language, language),
        best_metadata_key=CUSTOM,
        best_slot_name="name",
    )
    if result is None:
        return None, {}
    slots = {e.name: e.value for e in result.entities_list}
    tail = Tail.of(language, places_of(language))
    if result.intent.name == "Dp1Show" and "what" in slots:
        slots.pop("rest", None)
        what = to_the_end(str(slots["what"]), sentence)[:MAX_SPOKEN]
        readings = [*tail.readings(what)]
        placed = tail.placed(readings[-1])
        for reading in (*readings, *filter(None, [placed])):
            if choice := tail.choice_of(reading.what):
                del slots["what"]
                return "Dp1Show", {**reading.slots, **slots, **choice}
        reading = readings[-1]
        slots = {**reading.slots, **slots, "what": reading.what}
    return result.intent.name, slots
