"""Folded texts of many records, searched without touching the records."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
import re
from typing import Self
from unicodedata import category, normalize

from .fuzzy import Heard
from .spoken_words import FILLERS
from .vocabulary import Vocabulary

MAX_QUERY = 200
# The words of a query are all looked for, but only so many are counted to find the rarest.
MAX_COUNTED = 5
_NO_WORD = re.compile(r"[\W_]+")


def fold_anew(text: str) -> str:
    """Return a text without case, accents and punctuation."""
    if not text.isascii():
        parts = normalize("NFKD", text)
        text = normalize(
            "NFC", "".join(part for part in parts if category(part) != "Mn")
        )
    return _NO_WORD.sub(" ", text.casefold()).strip()


fold = lru_cache(maxsize=8192)(fold_anew)


@dataclass(frozen=True, slots=True)
class Words:
    """A query: the folded text, and its words without fillers unless there are no others."""

    text: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the query of a text."""
        folded = fold(text[:MAX_QUERY])
        words = folded.split()
        telling = tuple(word for word in words if word not in FILLERS)
        return cls(folded, telling or tuple(words))


def start_of(word: str) -> str:
    """Return what a folded text has where a word starts so; scripts without blanks have no starts of words."""
    return f" {word}" if word.isascii() else word


def line(title: str, *others: str) -> str:
    """Return the line of something in the index: its title, and what else it is found by."""
    rest = "\t ".join(map(fold_anew, others))
    return f"\n {fold_anew(title)}\t {rest}"


class TextIndex[T]:
    """The lines of records in one string, in their order."""

    def __init__(self, records: Sequence[T], texts: Iterable[str]) -> None:
        """Join the lines; each record has one or more of them."""
        self.records = records
        self._starts = array("I")
        parts, position = [], 0
        for text in texts:
            self._starts.append(position)
            parts.append(text)
            position += len(text)
        self._text = "".join((*parts, "\n"))
        self._vocabulary = Vocabulary(self._text)

    def find(self, words: Words, limit: int) -> Iterator[tuple[T, int]]:
        """Yield records with the number of the line that has all words: equal titles first, then those that start so.

        At most `limit` are yielded, and as many lines of each kind looked at.
        """
        needles = [start_of(word) for word in words.words]
        counted = sorted(words.words, key=len, reverse=True)[:MAX_COUNTED]
        counts = {word: self._count(word) for word in counted}
        rarest = start_of(min(counted, key=counts.__getitem__))
        count = min(counts.values())
        # Few lines are all looked at, whatever their titles.
        titles = (f"\n {words.text}\t", f"\n {words.text}") if count > limit else ()
        seen, left = set[int](), limit
        for needle in (*titles, rarest) if count else ():
            for start in self._lines(needle, limit):
                if start in seen:
                    continue
                seen.add(start)
                text = self._text[start : self._text.index("\n", start + 1)]
                if all(word_start in text for word_start in needles):
                    yield self._at(start)
                    left -= 1
                    if not left:
                        return

    def _count(self, word: str) -> int:
        """Return how often there is a word that starts so."""
        if word.isascii() and not any(filler.startswith(word) for filler in FILLERS):
            return sum(map(len, self._vocabulary.starting(word)))
        return self._text.count(start_of(word))

    def find_alike(self, heard: Heard, least: float) -> list[tuple[float, T, int]]:
        """Return how well records fit what was heard if well enough, with the number of the line, the best first."""
        found = []
        for start in self._vocabulary.find(heard, least):
            text = self._text[start : self._text.index("\n", start + 1)]
            if (fit := heard.fit(text)) >= least:
                found.append((fit, *self._at(start)))
        return sorted(found, key=lambda hit: -hit[0])

    def _lines(self, needle: str, limit: int) -> Iterator[int]:
        """Yield where the lines with a text start."""
        text, place = self._text, 0
        for _ in range(limit):
            if (found := text.find(needle, place)) < 0:
                return
            yield text.rindex("\n", 0, found + 1)
            place = text.find("\n", found + 1)

    def _at(self, start: int) -> tuple[T, int]:
        """Return the record of a line, and the number of the line in it."""
        place = bisect_right(self._starts, start) - 1
        number = self._text.count("\n", self._starts[place], start)
        return self.records[place], number
