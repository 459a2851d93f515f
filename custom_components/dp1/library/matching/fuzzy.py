"""What was meant by words that were misheard: joined, split, spelled as they sound, or with other numerals."""

from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from .phonetics import alike, spoken
from .spoken_words import FILLERS, as_spoken, number_of, numbers_agree

# Below this, something is a guess.
SURE: Final = 0.8
# Words that are less alike are different words.
ALIKE: Final = 0.7
MAX_TOKENS: Final = 12
# A title fits better than a maker, and either better than a bit of both.
OTHERS: Final = 0.98
MIXED: Final = 0.95
# What part of a name was said decides between names that fit.
COVERAGE: Final = 0.1


class _Parts(NamedTuple):
    """What a name is made of: its words, these and pairs of them, and its numbers, each with the bits of its places."""

    ones: tuple[tuple[str, int], ...]
    both: tuple[tuple[str, int], ...]
    values: tuple[tuple[int, int], ...]
    size: int


class Heard:
    """A query as it may have been misheard."""

    def __init__(self, text: str, words: tuple[str, ...]) -> None:
        """Initialize with a folded text, and its words that tell something."""
        # What is said twice is a slip.
        self.words = tuple(dict.fromkeys(words))[:MAX_TOKENS]
        self.pairs = tuple(pairwise(self.words))
        self.forms = _forms(text.split(), self.words)
        self._said = [spoken(form) for form in self.forms]
        self._numbers = {value for value, _ in _parts(self.words).values}
        self._sizes = [max(2, len(word)) for word in self.words]
        self._joined = [first + second for first, second in self.pairs]
        self._spoken = {word: spoken((word,)) for word in (*self.words, *self._joined)}
        self._values = {word: number_of(word) for word in self.words}
        self._pair_values = [number_of(" ".join(pair)) for pair in self.pairs]
        self._likes: dict[str, dict[str, float]] = {word: {} for word in self._spoken}
        self._fits: dict[str, float] = {}

    def fit(self, text: str) -> float:
        """Return how well a line of an index fits, from 0 to 1."""
        title, *others = text.split("\t")
        fits = [self._fit(title)]
        fits += [OTHERS * self._fit(other) for other in others]
        if others and max(fits) < SURE:
            fits.append(MIXED * self._fit_parts(_parts(tuple(text.split()))))
        return max(fits)

    def _fit(self, name: str) -> float:
        """Return how well a name fits, as a whole or by its words."""
        if (fit := self._fits.get(name)) is None:
            words = name.split()
            fit = self._fits[name] = self._fit_anew(words) if words else 0.0
        return fit

    def _fit_anew(self, name: list[str]) -> float:
        """Return how well the words of a name fit."""
        words = [word for word in name if word not in FILLERS] or name
        parts = _parts(tuple(words))
        whole = 0.0
        if numbers_agree(self._numbers, {value for value, _ in parts.values}):
            names = [spoken(form) for form in _forms(name, words)]
            whole = max(alike(said, name) for said in self._said for name in names)
        return max(whole, self._fit_parts(parts))

    def _fit_parts(self, parts: _Parts) -> float:
        """Return how well the words of the query are found among others, each by itself or joined with the next.

        Each of the others is found once.
        """
        best = [(0.0, 0)]
        for place, word in enumerate(self.words):
            total, used = best[-1]
            value = self._values[word]
            like, bits = self._best(word, value, parts.both, parts.values, used)
            found = total + self._sizes[place] * like, used | bits
            if place:
                total, used = best[-2]
                value = self._pair_values[place - 1]
                others = parts.ones if value is None else ()
                pair = self._joined[place - 1]
                like, bits = self._best(pair, value, others, parts.values, used)
                size = self._sizes[place - 1] + self._sizes[place]
                found = max(found, (total + size * like, used | bits))
            best.append(found)
        total, _ = best[-1]
        covered = min(1.0, total / max(1, parts.size))
        return (total / sum(self._sizes)) * (1 - COVERAGE + COVERAGE * covered)

    def _best(
        self,
        word: str,
        value: int | None,
        others: tuple[tuple[str, int], ...],
        values: tuple[tuple[int, int], ...],
        used: int,
    ) -> tuple[float, int]:
        """Return how alike a word and the unused one that is most like it are, and the bits of that."""
        best = 0.0, 0
        if value is not None:
            for number, bits in values:
                if number == value and not bits & used:
                    return 1.0, bits
        likes = self._likes[word]
        for other, bits in others:
            if bits & used:
                continue
            if (like := likes.get(other)) is None:
                like = self.like(word, other)
            if like > best[0]:
                best = like, bits
        return best

    def like(self, word: str, other: str) -> float:
        """Return how alike a word of the query and another are, 0 if they are different words."""
        likes = self._likes[word]
        if (like := likes.get(other)) is None:
            if word == other:
                like = 1.0
            elif word.isdecimal() or other.isdecimal():
                like = 0.0
            else:
                like = alike(self._spoken[word], spoken((other,)))
            if like < ALIKE:
                like = 0.0
            likes[other] = like
        return like


@lru_cache(maxsize=2048)
def _parts(words: tuple[str, ...]) -> _Parts:
    """Return the parts of a name."""
    pairs = tuple(enumerate(pairwise(words)))
    ones = tuple((word, 1 << place) for place, word in enumerate(words))
    joined = tuple((first + second, 3 << place) for place, (first, second) in pairs)
    numbers = [(number_of(word), bits) for word, bits in ones]
    numbers += [(number_of(" ".join(pair)), 3 << place) for place, pair in pairs]
    values = tuple((value, bits) for value, bits in numbers if value is not None)
    return _Parts(ones, ones + joined, values, sum(map(len, words)))


def _forms(
    words: list[str], telling: tuple[str, ...] | list[str]
) -> list[tuple[str, ...]]:
    """Return words as they are spoken: all of them, without fillers around, and without any."""
    words = words[: 2 * MAX_TOKENS]
    first, last = 0, len(words)
    while first < last and words[first] in FILLERS:
        first += 1
    while first < last and words[last - 1] in FILLERS:
        last -= 1
    forms = (words, words[first:last], telling)
    return list({tuple(map(as_spoken, form)): None for form in forms if form})
