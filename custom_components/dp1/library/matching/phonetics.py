"""How words sound, roughly: speech recognition writes another word that sounds alike."""

from functools import lru_cache
import re
from typing import Final

# Spellings of one sound, in this order.
_SPELLINGS: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"eigh|aigh", "a"),
        (r"ough|augh", "o"),
        (r"igh", "i"),
        (r"\b(?:kn|gn|pn)", "n"),
        (r"\bwr", "r"),
        (r"\bps", "s"),
        (r"wh", "w"),
        (r"ph", "f"),
        (r"mn\b|mb\b", "m"),
        (r"(?:t|s|c)i(?=on|an)", "x"),
        (r"sch|tch|sh|ch", "x"),
        (r"gh", "g"),
        (r"dge?", "d"),
        (r"ck|qu|q", "k"),
        (r"c(?=[eiy])|z", "s"),
        (r"c", "k"),
        (r"v", "f"),
        (r"x(?=[aeiouy])", "ks"),
        (r"th", "t"),
        (r"(?<=[a-z])h", ""),
        (r"ew", "u"),
        (r"(?<=[aeiou])w\b", ""),
        (r"(?<=[b-df-hj-np-tv-z])e\b", ""),
        (r"(?<=[b-df-hj-np-tv-z])ed\b", "d"),
        (r"[eiy][aeiouy]*", "i"),
        (r"a[aeiouy]*", "a"),
        (r"[ou][aeiouy]*", "o"),
        (r"(.)\1+", r"\1"),
    )
)
# How much the letters count beside the sound.
_LETTERS: Final = 1 / 3


@lru_cache(maxsize=16384)
def sound(word: str) -> str:
    """Return how a folded word sounds; other scripts are written as they sound."""
    if not word.isascii():
        return word
    for pattern, heard in _SPELLINGS:
        word = pattern.sub(heard, word)
    return word


def blend(letters: float, sounds: float) -> float:
    """Return how alike two words are of which the letters and the sounds are alike to so many per cent."""
    return max(letters, _LETTERS * letters + (1 - _LETTERS) * sounds) / 100
