"""What follows a title in a sentence: where and for how long, and words that mean nothing.

Its parts are one rule for each language, ``dp1_part`` of the sentences, which is read here as a regular expression. The
end of a text is cut off part by part, in a loop that each part enters once; before each cut, all that is left is a
name that a work may have: "Rain in the Living Room" is looked for before the living room is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
import json
import re
from typing import Any, Final
from unicodedata import category, normalize

from homeassistant.core import HomeAssistant

from ..library.words import fold, telling
from .answers import async_answers
from .sentences import NO_BLANKS, Names, names_of_places, sentences_of

# How alike an inflected name is.
ALIKE: Final = 0.8
# More parts than any sentence has.
MAX_PARTS: Final = 8
# What ends a text is no longer than that.
MAX_TAIL: Final = 160
PART: Final = "dp1_part"
FRONT: Final = "dp1_front_part"
# Where two words meet, with or without a blank that an optional word has left.
_BLANK: Final = r"(?:\s+|(?<!\S)|(?!\S))"
# Other numbers are said in digits.
_SPOKEN_NUMBERS: Final = (*range(61), 75, *range(70, 241, 10))


@dataclass(frozen=True, slots=True)
class Reading:
    """A name that may be meant, with the slots of what was said beside it."""

    what: str
    slots: Mapping[str, Any] = field(default_factory=dict)


class Tail:
    """The words of a language that may stand at the end of a sentence, or before a name."""

    def __init__(self, language: str, names: Names) -> None:
        """Read the sentences of a language; hassil is there with Assist."""
        from hassil.parse_expression import parse_sentence  # noqa: PLC0415

        table = sentences_of(language, names)
        self._parse = parse_sentence
        self._lists, self._rules = table["lists"], table["expansion_rules"]
        self._numbers = _numbers(language)
        self._has_blanks = language not in NO_BLANKS
        parts = {part for said in self._numbers for part in self._parts(said)}
        part = "|".join(sorted(parts, key=len, reverse=True))
        joint = r"\s" if self._has_blanks else ""
        self._number_words = rf"\d{{1,4}}|(?:{part})(?:{joint}(?:{part})){{0,3}}"
        self._values: dict[str, tuple[str, Any]] = {}
        start, end = (r"(?<!\S)", r"(?!\S)") if self._has_blanks else ("", "")
        part, front = self._rule(PART), self._rule(FRONT)
        self._end = re.compile(rf"{start}(?:{part})\s*$")
        self._start = re.compile(rf"(?:{front}){end}\s*")
        before, anything = self._rule("dp1_front"), self._rule("dp1_anything")
        self._choice = re.compile(rf"\s*(?:(?:{before}){end}\s*)?(?:{anything})\s*")
        words = "|".join(self._rule(name) for name in ("dp1_a", "dp1_e"))
        choices = self._list("dp1_choice", "choice")
        self._art = re.compile(rf"{start}(?:{words}|{choices}){end}")
        self._look = re.compile(f"{start}{self._rule('dp1_look')}{end}")
        self._names = [
            (thing[0], [fold(name) for name in thing])
            for things in names.values()
            for thing in things
        ]

    @classmethod
    def of(cls, language: str, names: Names) -> Tail:
        """Return the words of a language with the names of places."""
        return _tail(language, json.dumps(names))

    def readings(self, text: str) -> Iterator[Reading]:
        """Yield the names that a text may consist of with their slots, the longest first; at least the text itself."""
        slots: dict[str, Any] = {}
        last: Reading | None = None
        kept_back = list[Reading]()
        for _ in range(MAX_PARTS):
            reading = Reading(_trimmed(text), slots)
            if reading != last:
                yield reading
            # "The painting | Rain in the Living Room": a name may follow what is said before it.
            front = self._without_front(text, slots)
            if front is not None:
                last = Reading(_trimmed(front[0]), slots | front[1])
                # "Here | for ten minutes" is rather a name and a time than a place and a name.
                if "kind" not in front[1] and self._is_tail(front[0]):
                    kept_back.append(last)
                    last = None
                else:
                    yield last
            folded, places = _folded(text)
            least = max(0, len(folded) - MAX_TAIL)
            cuts = [
                (kept, said)
                for match in self._ends(folded, least)
                if (said := self._slots(match)).keys().isdisjoint(slots)
                and (kept := text[: places[match.start()]]).strip(" 'の的")
            ]
            # The end of a part may be one, too: "Upstairs Downstairs | in the study".
            for kept, said in cuts[:0:-1]:
                yield Reading(_trimmed(kept), slots | said)
            found = cuts[0] if cuts else front
            if found is None:
                if kept_back:
                    yield from (*kept_back, reading)
                return
            text, said = found
            slots = slots | said
        yield Reading(_trimmed(text), slots)

    def choice_of(self, what: str) -> Mapping[str, Any]:
        """Return the slots of what is left to us, such as "something new" or "art from 2021"; nothing of a name."""
        match = self._choice.fullmatch(_folded(what)[0])
        if not match:
            return {}
        return self._slots(match) | ({"art": "yes"} if self.names_art(what) else {})

    def names_art(self, text: str) -> bool:
        """Return whether a text has a word for art."""
        return self._art.search(_folded(text)[0]) is not None

    def is_a_look(self, text: str) -> bool:
        """Return whether a text wants to look at something, which is as often a camera as art."""
        return self._look.search(_folded(text)[0]) is not None

    def placed(self, reading: Reading) -> Reading | None:
        """Return a name without the place at its end, if that is called so in another form or without any word before."""
        words = reading.what.split()
        if "place" in reading.slots or not self._has_blanks:
            return None
        for start in range(max(1, len(words) - 8), len(words)):
            said = fold(" ".join(words[start:]))
            for name, spellings in self._names:
                if any(_is_called(said, each) for each in spellings):
                    what = words[:start]
                    while len(what) > 1 and _folded(what[-1])[0] in self._before:
                        what.pop()
                    return Reading(" ".join(what), {**reading.slots, "place": name})
        return None

    def _without_front(
        self, text: str, slots: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any]] | None:
        """Return a text without the part before a name, and the slots of that, if none is known already."""
        folded, places = _folded(text)
        if not (match := self._start.match(folded)) or not match.end():
            return None
        said, kept = self._slots(match), text[places[match.end()] :]
        if not kept.strip() or not said.keys().isdisjoint(slots):
            return None
        return kept, said

    def _is_tail(self, text: str) -> bool:
        """Return whether a text consists of what may follow a name."""
        folded = _folded(text)[0]
        for _ in range(MAX_PARTS):
            least = max(0, len(folded) - MAX_TAIL)
            if (match := next(self._ends(folded, least), None)) is None:
                return False
            if not (folded := folded[: match.start()].rstrip()):
                return True
        return False

    @property
    def _before(self) -> set[str]:
        """Return the words that may stand before the name of a place."""
        rule = self._rules.get("dp1_before_place", "")
        return set(fold(re.sub(r"\W", " ", rule)).split())

    def _ends(self, folded: str, least: int) -> Iterator[re.Match[str]]:
        """Yield the parts that a text ends with, the longest first."""
        at = least
        while (match := self._end.search(folded, at)) and match.group().strip():
            if None not in self._slots(match).values():
                yield match
            at = match.start() + 1

    def _slots(self, match: re.Match[str]) -> dict[str, Any]:
        """Return the slots of a part."""
        slots: dict[str, Any] = {}
        for group, said in match.groupdict().items():
            if said is None:
                continue
            slot, value = self._values[group]
            slots[slot] = self._number(said) if value is None else value
        return slots

    def _parts(self, said: str) -> list[str]:
        """Return the words of a text, or its characters where there are no blanks."""
        return said.split() if self._has_blanks else [*said]

    def _number(self, said: str) -> int | None:
        """Return the number of digits or words, None if they are none."""
        text = " ".join(said.split())
        return int(text) if text.isdecimal() else self._numbers.get(text)

    def _rule(self, name: str) -> str:
        """Return the regular expression of a rule."""
        rule = self._rules.get(name)
        return self._regex(self._parse(rule).expression) if rule else "(?!)"

    def _regex(self, part: Any) -> str:
        """Return the regular expression of a part of a rule."""
        if hasattr(part, "list_name"):
            return self._list(part.list_name, part.slot_name)
        if hasattr(part, "rule_name"):
            return f"(?:{self._rule(part.rule_name)})"
        if not hasattr(part, "items"):
            return _pattern(part.text)
        items = [self._regex(item) for item in part.items]
        is_choice = type(part).__name__ == "Alternative"
        return f"(?:{'|'.join(items)})" if is_choice else "".join(items)

    def _list(self, name: str, slot: str) -> str:
        """Return the regular expression of a list, with groups for the slot."""
        values = self._lists[name]
        if "range" in values:
            return self._group(slot, None, self._number_words)
        by_value: dict[Any, list[str]] = {}
        for value in values.get("values", ()):
            if isinstance(value, str):
                value = {"in": value, "out": value}
            expression = self._regex(self._parse(value["in"]).expression)
            by_value.setdefault(value["out"], []).append(expression)
        groups = [
            self._group(slot, value, "|".join(sorted(ways, key=len, reverse=True)))
            for value, ways in by_value.items()
        ]
        return f"(?:{'|'.join(groups)})" if groups else "(?!)"

    def _group(self, slot: str, value: Any, expression: str) -> str:
        """Return a group that stands for a value of a slot, or for the number that is said."""
        name = f"g{len(self._values)}"
        self._values[name] = slot, value
        return f"(?P<{name}>{expression})"


@lru_cache(maxsize=8)
def _tail(language: str, names: str) -> Tail:
    """Return the words of a language, remembered."""
    return Tail(language, json.loads(names))


async def async_tail(hass: HomeAssistant, language: str) -> Tail:
    """Return the words of a language with the names of this home."""
    return await hass.async_add_executor_job(Tail.of, language, names_of_places(hass))


async def async_prepare(hass: HomeAssistant) -> None:
    """Read the words of the language of Home Assistant before the first sentence, if Assist is there."""
    if "conversation" in hass.config.components:
        answers = await async_answers(hass, hass.config.language)
        await async_tail(hass, answers.language)


def _numbers(language: str) -> dict[str, int]:
    """Return the numbers by their words, as they are folded."""
    from unicode_rbnf import FormatPurpose, RbnfEngine  # noqa: PLC0415

    engine = RbnfEngine.for_language(language)
    numbers: dict[str, int] = {}
    for number in _SPOKEN_NUMBERS:
        said = engine.format_number(number, purpose=FormatPurpose.CARDINAL)
        for text in said.text_by_ruleset.values():
            numbers.setdefault(_folded(text.replace("\u00ad", ""))[0], number)
    return numbers


def _pattern(text: str) -> str:
    """Return the regular expression of words."""
    return _BLANK.join(map(re.escape, re.split(r"\s+", _folded(text)[0])))


def _folded(text: str) -> tuple[str, list[int]]:
    """Return a text without case, accents and signs, and where each of its characters and its end stand in the text."""
    folded, places = list[str](), list[int]()
    for place, char in enumerate(text):
        for part in normalize("NFKD", char):
            if category(part) == "Mn":
                continue
            for small in part.casefold():
                if small.isalnum():
                    folded.append(small)
                elif not folded or folded[-1] != " ":
                    folded.append(" ")
                else:
                    continue
                places.append(place)
    return "".join(folded), [*places, len(text)]


def _trimmed(text: str) -> str:
    """Return a name without the blanks and signs around it."""
    return text.strip(" ,，、。.!?！？").removesuffix("'s").removesuffix("’s")


def _is_called(said: str, name: str) -> bool:
    """Return whether folded words are a name in another form, or without its little words."""
    if not said or not name:
        return False
    same = telling(said) == telling(name)
    return same or SequenceMatcher(None, said, name).ratio() >= ALIKE


def to_the_end(what: str, text: str | None) -> str:
    """Return the words of a name with all that follows them in a text."""
    _, _, end = (text or "").partition(what)
    return what + end
