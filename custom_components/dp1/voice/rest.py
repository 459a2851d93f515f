"""The words after a title: for how long, where, and what verbs are split into.

A sentence with something open in its middle takes Assist's thread the longer for each word that may end it. So the
open part of the longest sentences is last, and what follows the title is split off here, in time that has an end.
"""

from functools import lru_cache
import json
from typing import Any, Final
from unicodedata import normalize

import yaml

from .sentences import NO_BLANKS, SOURCES, Names, with_names

# More words than any time and place take; a character is a word where there are no blanks.
MAX_REST: Final = 24


def split_rest(what: str, language: str, names: Names) -> dict[str, Any]:
    """Return the slots of a name without the longest end that tells when and where; hassil is there with Assist."""
    from hassil.recognize import recognize_best  # noqa: PLC0415

    # Keyboards of Japanese and Chinese have digits as wide as other characters.
    what = normalize("NFKC", what)
    rest = _rest(language, json.dumps(names))
    joint = "" if language in NO_BLANKS else " "
    words = list(what) if not joint else what.split()
    for start in range(max(1, len(words) - MAX_REST), len(words)):
        end = joint.join(words[start:])
        if result := recognize_best(end, rest, language=language):
            slots = {entity.name: entity.value for entity in result.entities_list}
            return {**slots, "what": joint.join(words[:start]).removesuffix("'s")}
    return {"what": what}


def to_the_end(what: str, rest: str, text: str | None) -> str:
    """Return the words of a name with all that follows them in a text."""
    _, _, end = (text or "").partition(what)
    return what + end if end else f"{what} {rest}"


@lru_cache(maxsize=8)
def _rest(language: str, names: str) -> Any:
    """Return the rule of a language for the end after a title."""
    from hassil.intents import Intents  # noqa: PLC0415

    text = (SOURCES / f"{language}.yaml").read_text("utf-8")
    table = yaml.safe_load(with_names(text, language, json.loads(names)))
    rest = {"data": [{"sentences": ["<dp1_rest>"]}]}
    return Intents.from_dict({**table, "intents": {"rest": rest}})
