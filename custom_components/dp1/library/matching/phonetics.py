"""How words sound, roughly: speech recognition writes another word that sounds alike."""

from functools import lru_cache
import re
from typing import Final

from rapidfuzz import fuzz

# Letters, sound and coarse key.
type Spoken = tuple[str, str, str]

# Spellings of one sound, in this order.
_SPELLINGS: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"x", "ks"),
        (r"colonel", "kernel"),
        (r"choir", "kwir"),
        (r"eigh|aigh", "a"),
        (r"ei(?=g?n)", "a"),
        (r"eau", "o"),
        (r"ough|augh", "o"),
        (r"igh", "i"),
        (r"\b(?:kn|gn|pn)", "n"),
        (r"gn\b", "n"),
        (r"\bwr", "r"),
        (r"\bps", "s"),
        (r"wh", "w"),
        (r"ph", "f"),
        (r"mn\b|mb\b", "m"),
        (r"st(?=en\b|le\b)", "s"),
        (r"al(?=[fkm]\b)", "a"),
        (r"(?:t|s|c)i(?=on|an)|ce(?=an)", "x"),
        (r"ch(?=[rl]|i[ao])", "k"),
        (r"sch|tch|sh|ch", "x"),
        (r"gh", "g"),
        (r"\bg(?=e[mns]|y)", "j"),
        (r"gged\b", "gid"),
        (r"dg(?=e|i)|g(?=e\b|es\b|ed\b|y\b)", "j"),
        (r"ck|qu|q", "k"),
        (r"c(?=[eiy])|z", "s"),
        (r"c", "k"),
        (r"v", "f"),
        (r"th", "t"),
        (r"(?<=[a-z])h", ""),
        (r"ew", "u"),
        (r"(?<=[aeiou])w(?![aeiouy])", ""),
        (r"(?<=[b-df-hj-np-tv-z])e\b", ""),
        (r"(?<=[bcf-hj-np-sv-z])ed\b", "d"),
        (r"a[uw]", "o"),
        (r"[eiy][aeiouy]*", "i"),
        (r"a[aeiouy]*", "a"),
        (r"[ou][aeiouy]*", "o"),
        (r"(.)\1+", r"\1"),
    )
)
# Sounds that are easily taken for one another, and what is hardly heard.
_KIN: Final = str.maketrans("bdgjmiow", "ptkxnaaf")
_LEAST: Final = 60.0
_UNHEARD: Final = re.compile(r"h|r(?![aeiouy])|(?<=n)k(?=s?\b)|(.)(?=\1)")


@lru_cache(maxsize=16384)
def sound(word: str) -> str:
    """Return how a folded word sounds; other scripts are written as they sound."""
    if not word.isascii():
        return word
    for pattern, heard in _SPELLINGS:
        word = pattern.sub(heard, word)
    return word


@lru_cache(maxsize=16384)
def outline(word: str) -> str:
    """Return a coarse phonetic key of a folded word, the same for sounds that are easily confused."""
    return _coarse_key(sound(word))


@lru_cache(maxsize=4096)
def spoken(words: tuple[str, ...]) -> Spoken:
    """Return letters, sound and outline of words in a row."""
    heard = "".join(map(sound, words))
    return "".join(words), heard, _coarse_key(heard)


def alike(first: Spoken, second: Spoken) -> float:
    """Return how alike two words are, 0 if their coarse keys differ."""
    outlines = fuzz.ratio(first[2], second[2], score_cutoff=_LEAST)
    if not outlines:
        return 0.0
    letters = fuzz.ratio(first[0], second[0])
    sounds = fuzz.ratio(first[1], second[1])
    near = (letters + 2 * sounds) / 3
    far = (letters + sounds + 2 * outlines) / 4
    return max(letters, near, far) / 100


def _coarse_key(heard: str) -> str:
    """Return the coarse key of a sound."""
    return _UNHEARD.sub("", _UNHEARD.sub("", heard).translate(_KIN))
