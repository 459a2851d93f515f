"""What was meant by words that were misheard: joined, split, spelled as they sound, or with other numerals."""

from array import array
from collections.abc import Iterator
from itertools import chain, pairwise
from operator import itemgetter
from typing import Final

from rapidfuzz import fuzz, process

from .phonetics import blend, sound
from .spoken_words import FILLERS, number_of

# Below this, something is a guess.
SURE: Final = 0.8
# Words that are less alike are different words.
ALIKE: Final = 0.65
LEAST: Final = 0.6
MAX_TOKENS: Final = 12
MAX_CANDIDATES: Final = 10
MAX_PER_WORD: Final = 2000
MAX_SCORED: Final = 25
MIN_PART: Final = 3
# A title fits better than a maker, and either better than a bit of both.
OTHERS: Final = 0.98
MIXED: Final = 0.95
# What part of a name was said decides between names that fit.
COVERAGE: Final = 0.1


class Heard:
    """A query as it may have been misheard."""

    def __init__(self, words: tuple[str, ...]) -> None:
        """Initialize with the folded words that tell something."""
        self.words = words[:MAX_TOKENS]
        self.pairs = tuple(pairwise(self.words))
        self._letters = "".join(self.words)
        self._sounds = "".join(map(sound, self.words))
        self._numbers = _numbers(self.words)
        self._fits: dict[str, float] = {}

    def fit(self, text: str) -> float:
        """Return how well a line of an index fits, from 0 to 1."""
        title, *others = text.split("\t")
        fits = [self._fit(title)]
        fits += [OTHERS * self._fit(other) for other in others]
        if others and max(fits) < SURE:
            fits.append(MIXED * self._fit_words(text.split()))
        return max(fits)

    def _fit(self, name: str) -> float:
        """Return how well a name fits, as a whole or by its words."""
        if (fit := self._fits.get(name)) is None:
            fit = self._fits[name] = self._fit_anew(name.split())
        return fit

    def _fit_anew(self, name: list[str]) -> float:
        """Return how well the words of a name fit."""
        words = [word for word in name if word not in FILLERS] or name
        letters = fuzz.ratio(self._letters, "".join(words))
        sounds = fuzz.ratio(self._sounds, "".join(map(sound, words)))
        whole = blend(letters, sounds)
        if self._numbers != _numbers(words):
            whole = 0.0
        return max(whole, self._fit_words(words))

    def _fit_words(self, words: list[str]) -> float:
        """Return how well the words of the query are found among others, each by itself or joined with the next."""
        joined = [*words, *("".join(pair) for pair in pairwise(words))]
        numbers = {number_of(" ".join(pair)) for pair in pairwise(words)} - {None}
        sounds = list(map(sound, joined))
        sizes = [max(2, len(word)) for word in self.words]
        best = [0.0]
        for place, word in enumerate(self.words):
            alone = float(number_of(word) in numbers) or self._best(
                word, joined, sounds
            )
            found = best[-1] + sizes[place] * alone
            if place:
                first, second = self.pairs[place - 1]
                number = number_of(f"{first} {second}")
                if number is not None:
                    both = float(any(number_of(other) == number for other in words))
                else:
                    both = self._best(first + second, words, sounds[: len(words)])
                size = sizes[place - 1] + sizes[place]
                found = max(found, best[-2] + size * both)
            best.append(found)
        fit = best[-1] / sum(sizes)
        covered = min(1.0, fit * sum(sizes) / max(1, sum(map(len, words))))
        return fit * (1 - COVERAGE + COVERAGE * covered)

    def _best(self, word: str, others: list[str], sounds: list[str]) -> float:
        """Return how alike a word and the one that sounds most like it are, 0 if none is alike."""
        if word in others:
            return 1.0
        if (number := number_of(word)) is not None:
            return float(any(number_of(other) == number for other in others))
        found = process.extractOne(
            sound(word), sounds, scorer=fuzz.ratio, score_cutoff=100 * LEAST
        )
        if found is None:
            return 0.0
        best = blend(fuzz.ratio(word, others[found[2]]), found[1])
        return best if best >= ALIKE else 0.0


def _numbers(words: tuple[str, ...] | list[str]) -> set[int]:
    """Return the numbers among words."""
    found = {number_of(word) for word in words}
    found |= {number_of(" ".join(pair)) for pair in pairwise(words)}
    return {number for number in found if number is not None}


class Vocabulary:
    """The words of the lines of an index, and where they are."""

    def __init__(self, text: str) -> None:
        """Read the words of a text that is made of lines."""
        self._places: dict[str, array[int]] = {}
        # A line begins with the break before it.
        place = -1
        for line in text.split("\n"):
            for word in set(line.split()) - FILLERS:
                self._places.setdefault(word, array("L")).append(place)
            place += len(line) + 1
        self._words = [
            word for word in self._places if len(word) > 1 and not word.isdecimal()
        ]
        self._sounds = [sound(word) for word in self._words]
        self._numbers: dict[int, list[str]] = {}
        for word in self._places:
            if (number := number_of(word)) is not None:
                self._numbers.setdefault(number, []).append(word)

    def find(self, heard: Heard) -> list[int]:
        """Return where the lines are that have most of what was heard."""
        totals: dict[int, float] = {}
        alone = ((word, self._alike(word)) for word in heard.words)
        joined = (
            (first + second, self._sounding_like(first + second, SURE))
            for first, second in heard.pairs
        )
        for token, found in chain(alone, joined):
            best: dict[int, float] = {}
            for word, like in sorted(found, key=itemgetter(1)):
                places = self._places[word][:MAX_PER_WORD]
                best.update(dict.fromkeys(places, like * len(token)))
            again = totals.keys() & best.keys()
            sums = {place: totals[place] + best[place] for place in again}
            totals |= best
            totals |= sums
        if len(totals) <= MAX_SCORED:
            return list(totals)
        least = sorted(totals.values())[-MAX_SCORED]
        lines = [place for place, total in totals.items() if total >= least]
        return sorted(lines, key=totals.__getitem__, reverse=True)[:MAX_SCORED]

    def _alike(self, token: str) -> Iterator[tuple[str, float]]:
        """Yield words that sound like another, begin or end it, or stand for its number."""
        number = number_of(token)
        if number is not None:
            for word in self._numbers.get(number, ()):
                yield word, 1.0
        if token.isdecimal():
            return
        yield from self._sounding_like(token, ALIKE)
        for end in range(MIN_PART, len(token)):
            for part in (token[:end], token[-end:]):
                if part in self._places:
                    yield part, end / len(token)

    def _sounding_like(self, token: str, least: float) -> Iterator[tuple[str, float]]:
        """Yield words that sound like another."""
        found = process.extract(
            sound(token),
            self._sounds,
            scorer=fuzz.ratio,
            score_cutoff=100 * least,
            limit=MAX_CANDIDATES,
        )
        for _, like, place in found:
            yield self._words[place], like / 100
