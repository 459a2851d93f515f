"""Folded texts of many records, searched without touching the records."""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from heapq import nlargest
from itertools import chain
import re
import sys
from typing import Final, Self
from unicodedata import category, normalize

from rapidfuzz import fuzz, process

from .spoken import (
    ALIKE,
    FILLERS,
    SURE,
    MisheardQuery,
    as_spoken,
    number_of,
    outline,
    sound,
)
from .threads import with_pauses

# What is looked at: words, offsets of the rarest words, and titles that begin or end alike.
MAX_CANDIDATES: Final = 12
MAX_OFFSETS: Final = 3000
MAX_COMMON: Final = 20_000
MAX_TITLES: Final = 100
# What is left of that: lines by their words, and by their titles.
MAX_BY_WORDS: Final = 25
MAX_BY_TITLE: Final = 10
ROUGHLY: Final = 0.25
LEAST_TITLE: Final = 65.0
# How much longer or shorter titles may be.
CONSONANTS: Final = 2
MIN_PART: Final = 3

MAX_QUERY = 200
MAX_FOLDED = 500
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


_folded = lru_cache(maxsize=8192)(fold_anew)


def fold(text: str) -> str:
    """Return a text as ``fold_anew`` does, remembered; what is longer than any title is cut."""
    return _folded(text[:MAX_FOLDED])


def start_of(word: str) -> str:
    """Return what a folded text has where a word starts so; scripts without blanks have no starts of words."""
    return f" {word}" if word.isascii() else word


EXACT, START, WORDS, MIXED, ARTIST, ARTIST_WORDS, RELEVANT = 100, 80, 60, 45, 40, 30, 10


@dataclass(frozen=True, slots=True)
class Query:
    """A query that scores what it may fit: the folded text, and its words without fillers unless there are no others."""

    text: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the query of a text."""
        folded = fold(text[:MAX_QUERY])
        words = folded.split()
        telling = tuple(word for word in words if word not in FILLERS)
        return cls(folded, telling or tuple(words))

    def score(self, title: str, artist: str | None = "", context: str = "") -> int:
        """Return how well something fits, 0 if it does not."""
        name = fold(title)
        if name == self.text or name == " ".join(self.words):
            return EXACT
        if name.startswith(self.text):
            return START
        if self._all_in(name):
            return WORDS
        maker = fold(artist or "")
        if maker and maker == self.text:
            return ARTIST
        if self._all_in(maker):
            return ARTIST_WORDS
        if any(_begins(word, name) for word in self.words):
            if self._all_in(f"{name} {maker} {fold(context)}"):
                return MIXED
        return 0

    def names(self, title: str) -> bool:
        """Return if a title is part of the query."""
        return f" {fold(title)} " in f" {self.text} "

    def _all_in(self, folded: str) -> bool:
        """Return if a folded text has all words."""
        return all(_is_in(word, folded) for word in self.words)


def _is_in(word: str, folded: str) -> bool:
    """Return if a folded text has a word that starts so."""
    return start_of(word) in f" {folded}"


def _begins(word: str, folded: str) -> bool:
    """Return if a folded text has a word, or one that starts with more than two of its letters."""
    if word.isascii() and len(word) < 3:
        return word in folded.split()
    return _is_in(word, folded)


def line(title: str, *others: str) -> str:
    """Return the line of something in the index: its title, and what else it is found by."""
    rest = "\t ".join(map(fold_anew, others))
    return f"\n {fold_anew(title)}\t {rest}"


def _outline(words: Iterable[str]) -> str:
    """Return the coarse key of a title."""
    return "".join(outline(as_spoken(word)) for word in words)


@lru_cache(maxsize=16384)
def _consonants(word: str) -> str:
    """Return the consonants in the coarse key of a word."""
    return outline(as_spoken(word)).replace("a", "")


def _keys(words: Iterable[str], more: int) -> Iterator[str]:
    """Yield the keys of a title: its first and its last consonants, each with their number give or take some."""
    consonants = "".join(map(_consonants, words))
    # A plural is often not heard.
    last = consonants.removesuffix("s")[-2:]
    for count in range(len(consonants) - more, len(consonants) + more + 1):
        yield f"{consonants[:2]}_{count}"
        yield f"_{last}{count}"


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
        self._offsets = defaultdict[str, array[int]](partial(array, "I"))
        self._titles = defaultdict[str, array[int]](partial(array, "I"))
        # A line begins with the break before it.
        offset = 0
        for line in with_pauses(self._text.split("\n")[1:-1]):
            for key in _keys(line.partition("\t")[0].split(), 0):
                self._titles[key].append(offset)
            for word in set(line.split()) - FILLERS:
                self._offsets[word].append(offset)
            offset += len(line) + 1
        self._sorted = sorted(self._offsets)
        self._words = [
            word for word in self._sorted if len(word) > 1 and not word.isdecimal()
        ]
        self._sounds = [sound(word) for word in self._words]
        self._outlines = defaultdict[str, list[str]](list)
        for word in self._words:
            self._outlines[outline(word)].append(word)
        self._numbers = defaultdict[int, list[str]](list)
        for word in self._sorted:
            if not word.isdecimal() and (number := number_of(word)) is not None:
                self._numbers[number].append(word)

    def find(self, words: Query, limit: int) -> Iterator[tuple[T, int]]:
        """Yield records with the number of the line that has all words: equal titles first, then those that start so.

        At most `limit` are yielded, and as many lines of each kind looked at.
        """
        if not words.words:
            return
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
            return sum(map(len, self._starting(word)))
        return self._text.count(start_of(word))

    def find_alike(
        self, query: MisheardQuery, least: float
    ) -> list[tuple[float, T, int]]:
        """Return how well records fit what was heard if well enough, with the number of the line, the best first.

        Those are looked at that have most of it, or whose titles sound so.
        """
        found = []
        by_title = self._find_by_title(query)
        by_words = self._find_by_words(query, least - ROUGHLY)
        for start in dict.fromkeys((*by_title, *by_words)):
            text = self._text[start : self._text.index("\n", start + 1)]
            if (fit := query.fit(text)) >= least:
                found.append((fit, *self._at(start)))
        return sorted(found, key=lambda hit: -hit[0])

    def _starting(self, start: str) -> list[array[int]]:
        """Return the offsets of each word that starts so."""
        first = bisect_left(self._sorted, start)
        last = bisect_left(self._sorted, start + chr(sys.maxunicode), first)
        return [self._offsets[word] for word in self._sorted[first:last]]

    def _find_by_title(self, query: MisheardQuery) -> list[int]:
        """Return where the lines are whose titles sound like what was heard."""
        found: dict[int, float] = {}
        for form in query.forms:
            outlined = _outline(form)
            offsets = {
                offset
                for key in _keys(form, CONSONANTS)
                for offset in self._titles.get(key, ())[:MAX_TITLES]
            }
            for offset in offsets:
                end = self._text.index("\t", offset + 1)
                title = _outline(self._text[offset + 1 : end].split())
                fit = fuzz.ratio(outlined, title, score_cutoff=LEAST_TITLE)
                if fit:
                    found[offset] = max(fit, found.get(offset, 0.0))
        return nlargest(MAX_BY_TITLE, found, key=found.__getitem__)

    def _find_by_words(self, query: MisheardQuery, least: float) -> list[int]:
        """Return where the lines are that have most of the words, the rarest of which are looked for first."""
        alone = ((word, self._alike(query, word)) for word in query.words)
        joined = (
            (first + second, self._sounding_like(query, first + second, SURE))
            for first, second in query.pairs
        )
        groups = []
        for token, likes in chain(alone, joined):
            if likes:
                count = sum(len(self._offsets[word]) for word in likes)
                groups.append((count, len(token), likes))
        totals: dict[int, float] = {}
        spent = 0
        for count, size, likes in sorted(groups, key=lambda group: group[0]):
            spent += count
            is_common = bool(totals) and spent > MAX_OFFSETS
            if is_common and count > MAX_COMMON:
                break
            best: dict[int, float] = {}
            for word, like in sorted(likes.items(), key=lambda item: item[1]):
                offsets: Iterable[int] = self._offsets[word][:MAX_COMMON]
                if is_common:
                    offsets = totals.keys() & offsets
                elif len(likes) * len(self._offsets[word]) > MAX_OFFSETS:
                    offsets = self._offsets[word][:MAX_OFFSETS]
                best.update(dict.fromkeys(offsets, like * size))
            for offset, gain in best.items():
                totals[offset] = totals.get(offset, 0.0) + gain
        least *= sum(map(len, query.words))
        enough = {offset: total for offset, total in totals.items() if total >= least}
        return nlargest(MAX_BY_WORDS, enough, key=enough.__getitem__)

    def _alike(self, query: MisheardQuery, token: str) -> dict[str, float]:
        """Return words that sound like another, begin or end it, or stand for its number."""
        found: dict[str, float] = {}
        if not token.isdecimal():
            for end in range(MIN_PART, len(token)):
                for part in (token[:end], token[-end:]):
                    if part in self._offsets:
                        found[part] = end / len(token)
            found |= self._sounding_like(query, token, ALIKE)
        number = number_of(token)
        if number is not None:
            words = self._numbers.get(number, ())
            found |= dict.fromkeys((*words, *{str(number)} & self._offsets.keys()), 1.0)
        return found

    def _sounding_like(
        self, query: MisheardQuery, token: str, least: float
    ) -> dict[str, float]:
        """Return words that sound like another."""
        close = process.extract(
            sound(token),
            self._sounds,
            scorer=fuzz.ratio,
            score_cutoff=100 * least,
            limit=MAX_CANDIDATES,
        )
        found = [self._words[index] for _, _, index in close]
        found += self._outlines.get(outline(token), ())[:MAX_CANDIDATES]
        likes = {word: query.like(token, word) for word in found}
        return {word: like for word, like in likes.items() if like}

    def _lines(self, needle: str, limit: int) -> Iterator[int]:
        """Yield where the lines with a text start."""
        text, offset = self._text, 0
        for _ in range(limit):
            if (found := text.find(needle, offset)) < 0:
                return
            yield text.rindex("\n", 0, found + 1)
            offset = text.find("\n", found + 1)

    def _at(self, start: int) -> tuple[T, int]:
        """Return the record of a line, and the number of the line in it."""
        index = bisect_right(self._starts, start) - 1
        number = self._text.count("\n", self._starts[index], start)
        return self.records[index], number
