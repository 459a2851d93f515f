"""Search by words, as they are written or as they sound: folded lines, rapidfuzz, and one score."""

from array import array
import asyncio
from bisect import bisect_right
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Sequence,
)
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, combinations, islice
import re
from typing import Any, Final, Self

from rapidfuzz import fuzz, process

from homeassistant.core import HomeAssistant

from .item import Item
from .listing import with_pauses
from .node import NodeKind
from .words import (
    BETWEEN_PARTS,
    BY_ARTIST,
    NUMBER_WORDS,
    fold,
    fold_title,
    numbers_agree,
    numbers_in,
    rough,
    sound_of,
    split_by_artist,
    telling,
)

NAMED, EXACT, START, WORDS, MIXED = 110, 100, 80, 60, 45
ARTIST, ARTIST_WORDS, RELEVANT = 40, 30, 10
# What sounds so scores from that of what is only relevant to that of the words of an artist.
SURE: Final = 0.79
# How alike one word and two are that it was heard for.
JOINED: Final = 0.9
# A name that comes near is a guess.
NEAR: Final = 0.72
MAX_QUERY: Final = 200
# A query may fit all there is; the newest of that are looked at.
MAX_LINES: Final = 50
# Names that sound most like a query.
MAX_ALIKE: Final = 50
# Many lines may have the same artist or playlist.
MAX_COMPARED: Final = 500
# A query may have many words that stand between a title and an artist: "de".
MAX_SPLITS: Final = 4
KINDS: Final = list[str](NodeKind)

# The number of a work in its title.
_NUMBER: Final = re.compile(r"(?:#|\bn[or]?\. ?)?[0-9]+", re.IGNORECASE)

# Where a number is written to a word, as Japanese does.
_JOINT: Final = re.compile(r"(?<=[^\W\d])(?=\d)")

type Scored = list[tuple[float, Item]]


@dataclass(frozen=True, slots=True)
class Match:
    """A work or folder, and how well it fits words."""

    score: float
    node: Item

    @property
    def is_sure(self) -> bool:
        """Return whether the words fit, instead of something that may only have to do with them."""
        return self.score > RELEVANT


def line_of(title: str, artist: str | None = None, context: str = "") -> str:
    """Return the folded line of the names of a node and of what else may be said with it, each after a blank."""
    return f" {fold_title(title)}\t {fold(artist or '')}\t {fold(context)}"


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its folded text, and its words without fillers unless there are no others."""

    text: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the query of a text."""
        folded = fold(text[:MAX_QUERY])
        return cls(folded, tuple(telling(folded)))

    def score(self, title: str, artist: str | None = None, context: str = "") -> int:
        """Return how well names fit, 0 if they do not."""
        return self.score_line(line_of(title, artist, context))

    def score_line(self, line: str) -> int:
        """Return how well a line fits, 0 if it does not."""
        title, artist, context = line.split("\t")
        parts = title[1:].split(BETWEEN_PARTS)
        name, maker = " ".join(parts), artist[1:]
        texts = self.text, " ".join(self.words)
        if any(each in texts or " ".join(telling(each)) in texts for each in parts):
            return EXACT
        if name in texts:
            return EXACT
        if any(each.startswith(self.text) for each in (name, *parts)):
            return START
        if self._all_in(name):
            return WORDS
        if maker and maker == self.text:
            return ARTIST
        if self._all_in(maker):
            return ARTIST_WORDS
        if any(_begins(word, name) for word in self.words):
            if self._all_in(f"{name} {maker} {context}"):
                return MIXED
        return 0

    def names(self, title: str) -> bool:
        """Return whether a title is part of the query."""
        return f" {fold(title)} " in f" {self.text} "

    def likeness(self, line: str) -> float:
        """Return how much the title of a line, a part of it, or its other fields sound like the query, from 0 to 1."""
        return max(map(self.likeness_of, names_in(line)))

    def means(self, title: str, *makers: str | None) -> bool:
        """Return whether the words mean a title or a part of it, and nothing beside it but who made it or where it is from."""
        if by_artist := BY_ARTIST.fullmatch(self.text):
            artist = Query.of(by_artist["artist"] or by_artist["artist_first"])
            return any(artist.is_called(name) for name in (title, *makers) if name)
        return self.is_called(title) or any(
            Query.of(work).is_called(title)
            and any(Query.of(name).is_called(maker) for maker in makers if maker)
            for work, name in split_by_artist(self.text)
        )

    def is_called(self, name: str) -> bool:
        """Return whether the words are a name, a part of it, or most of its words, with or without its number."""
        apart = _JOINT.sub(" ", self.text)
        if apart != self.text and Query.of(apart).is_called(name):
            return True
        words = self.words
        if numbers_in(words):
            words = tuple(word for word in words if word not in NUMBER_WORDS) or words
        query = Query(" ".join(words), words)
        fewer = [Query.of(" ".join(some)) for some in (words[1:], words[:-1]) if some]
        for each in {name, name if numbers_in(words) else _NUMBER.sub(" ", name)}:
            title, _, _ = line_of(each).split("\t")
            for part in (
                title.replace(BETWEEN_PARTS, " "),
                *title.split(BETWEEN_PARTS),
            ):
                if 1 < len(words) >= len(telling(part)) / 2 and self._all_in(
                    part.strip()
                ):
                    return True
                for some in _most_of(telling(part)):
                    fit = query.likeness_of(some)
                    # One word that was heard instead of two has the sound of both.
                    least = SURE if len(words) >= len(some.split()) else JOINED
                    # What fits better without a word has one too many.
                    if fit >= least and all(
                        few.likeness(line_of(some)) <= fit for few in fewer
                    ):
                        return True
        return False

    def likeness_of(self, name: str) -> float:
        """Return how much a folded name sounds like the query."""
        ours, numbers = _said(self.text)
        (theirs, roughly), their_numbers = _heard(name)
        if not theirs or not numbers_agree(numbers, their_numbers):
            return 0.0
        fits = (
            fuzz.ratio(each, theirs) + fuzz.ratio(rough_each, roughly)
            for each, rough_each in ours
        )
        return max(fits) / 200

    def most_of(self) -> Iterator[str]:
        """Yield the sounds of more than half of the words in a row, which may be a title among others."""
        count = len(self.words)
        for start, end in combinations(range(count + 1), 2):
            if 2 * (end - start) > count:
                yield rough(sound_of(self.words[start:end]))

    def _all_in(self, folded: str) -> bool:
        """Return whether a folded text has all words."""
        return all(_is_in(word, folded) for word in self.words)


type Sounds = tuple[str, str]


def _sounds(words: Iterable[str]) -> Sounds:
    """Return how words sound, and how roughly."""
    heard = sound_of(words)
    return heard, rough(heard)


@lru_cache(maxsize=8192)
def _heard(folded: str) -> tuple[Sounds, frozenset[int]]:
    """Return how a folded text sounds without fillers, and the numbers in it."""
    words = telling(folded)
    return _sounds(words), frozenset(numbers_in(words))


@lru_cache(maxsize=64)
def _said(folded: str) -> tuple[set[Sounds], frozenset[int]]:
    """Return how a query sounds, without fillers and with them, and the numbers in it."""
    sounds, numbers = _heard(folded)
    return {sounds, _sounds(folded.split())}, numbers


def names_in(line: str) -> Iterator[str]:
    """Yield the title of a line, the parts of it, and its other fields."""
    title, *others = line.split("\t")
    yield title.replace(BETWEEN_PARTS, " ")
    if BETWEEN_PARTS in title:
        yield from title.split(BETWEEN_PARTS)
    yield from others


def _most_of(words: list[str]) -> Iterator[str]:
    """Yield a name, and its beginnings and ends with two of its words or more, and half of them."""
    yield " ".join(words)
    for count in range(max(2, (len(words) + 1) // 2), len(words)):
        yield " ".join(words[:count])
        yield " ".join(words[-count:])


def _start_of(word: str) -> str:
    """Return the text that marks the start of a word in a folded line; scripts without blanks have no starts of words."""
    return f" {word}" if word.isascii() else word


def _is_in(word: str, folded: str) -> bool:
    """Return whether a folded text has a word that starts so."""
    return _start_of(word) in f" {folded}"


def _begins(word: str, folded: str) -> bool:
    """Return whether a folded text has a word, or one that starts with more than two of its letters."""
    if word.isascii() and len(word) < 3:
        return word in folded.split()
    return _is_in(word, folded)


def the_one_called[T](
    text: str, things: Iterable[T], title_of: Callable[[T], str]
) -> T | None:
    """Return the only thing with a part of its title, or its title without article or number, that is a text."""
    query = Query.of(text)
    called = [
        thing
        for thing in things
        if EXACT
        in (
            query.score(title_of(thing)),
            query.score(_NUMBER.sub(" ", title_of(thing))),
        )
    ]
    return called[0] if len(called) == 1 else None


class _Index[T]:
    """The lines of a list of records, and the sounds of the names in each."""

    def __init__(
        self,
        records: Sequence[T],
        lines_of: Callable[[T], Iterable[str]],
        earlier: _Index[T] | None = None,
    ) -> None:
        """Fold the names of what an earlier index has not."""
        self.records = records
        self.lines = list[str]()
        # The first line of each record, and the end.
        self.firsts = array("I", [0])
        # The line of each name, the name before it that sounds the same, and the last name of each sound.
        self._rows, self._before = array("I"), array("i")
        self._by_sound = dict[str, int]()
        old = earlier.records if earlier else ()
        places = {id(record): place for place, record in enumerate(old)}
        heard = earlier.sounds() if earlier else []
        new: Iterable[tuple[str, Iterable[str]]]
        for record in with_pauses(records):
            if earlier and (place := places.get(id(record))) is not None:
                each = slice(*earlier.firsts[place : place + 2])
                new = zip(earlier.lines[each], heard[each], strict=True)
            else:
                new = ((line, _sounds_in(line)) for line in lines_of(record))
            for line, sounds in new:
                for sound in sounds:
                    self._before.append(self._by_sound.get(sound, -1))
                    self._by_sound[sound] = len(self._rows)
                    self._rows.append(len(self.lines))
                self.lines.append(line)
            self.firsts.append(len(self.lines))

    def sounds(self) -> list[list[str]]:
        """Return the sounds of the names in each line."""
        heard: list[list[str]] = [[] for _ in self.lines]
        for sound in with_pauses(self._by_sound):
            for at in self._at([sound], None):
                heard[at].append(sound)
        return heard

    def _place(self, row: int) -> tuple[T, int]:
        """Return the record of a line, and the number of that among its lines."""
        number = bisect_right(self.firsts, row) - 1
        return self.records[number], row - self.firsts[number]

    def find(self, query: Query) -> list[tuple[int, T, int]]:
        """Return the score, the record and the number of each line with all words, of too many those that start so."""
        lines = self.lines
        words = sorted(map(_start_of, query.words), key=len, reverse=True)
        rarest, *others = words or [""]
        rows = [at for at, line in enumerate(lines) if rarest in line]
        for word in others:
            rows = [at for at in rows if word in lines[at]]
        if len(rows) > MAX_LINES:
            start = f" {query.text}"
            called = self._at([rough(sound_of(query.words))], None)
            names = f"{start}\t", f"{start}{BETWEEN_PARTS}"
            best = (
                (at for at in called if any(name in lines[at] for name in names)),
                (
                    at
                    for at in rows
                    if -1 < lines[at].find(start) < lines[at].find("\t")
                ),
                (at for at in rows if start in lines[at]),
                rows,
            )
            first = chain.from_iterable(islice(each, MAX_LINES) for each in best)
            rows = [*dict.fromkeys(first)][:MAX_LINES]
        return [(query.score_line(lines[at]), *self._place(at)) for at in rows]

    def find_alike(self, query: Query, least: float) -> list[tuple[float, T, int]]:
        """Return the likeness, the record and the number of each line that sounds like a query."""
        close = process.extract(
            rough(sound_of(query.words)),
            self._by_sound.keys(),
            scorer=fuzz.ratio,
            score_cutoff=100 * least - 15,
            limit=MAX_ALIKE,
        )
        places = islice(self._at(sound for sound, *_ in close), MAX_COMPARED)
        alike = cache(query.likeness_of)
        likeness = {at: max(map(alike, names_in(self.lines[at]))) for at in places}
        if least < SURE:
            sounds = set(query.most_of())
            for at in self._at(sounds):
                titles = self.lines[at].partition("\t")[0].split(BETWEEN_PARTS)
                if sounds & {rough(sound_of(telling(title))) for title in titles}:
                    likeness[at] = max(least, likeness.get(at, least))
        return [(fit, *self._place(at)) for at, fit in likeness.items() if fit >= least]

    def _at(self, sounds: Iterable[str], most: int | None = MAX_LINES) -> Iterator[int]:
        """Yield the places of lines with a name that sounds so, of each sound only some."""
        for sound in sounds:
            rows, name = list[int](), self._by_sound.get(sound, -1)
            while name >= 0:
                rows.append(self._rows[name])
                name = self._before[name]
            yield from rows[::-1][:most]


def _sounds_in(line: str) -> Iterable[str]:
    """Return the sounds of the names in a line, each once."""
    title, *others = line.split("\t")
    names = (*title.split(BETWEEN_PARTS), *map(str.strip, others))
    return {rough(sound_of(telling(name))) for name in names if name}


class Lines[T]:
    """The names of the records of a list, of which those that are new are folded in a thread.

    A search within `folder` finds them too, one of the whole library always.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        records: Callable[[], Sequence[T]],
        lines_of: Callable[[T], Iterable[str]],
        node_of: Callable[[T, int], Item | None],
        folder: str = "",
    ) -> None:
        """Initialize the index of nothing; `node_of` gets a record and the number of that of its lines that fits."""
        self._hass = hass
        self._records = records
        self._lines_of = lines_of
        self._node_of = node_of
        self.folder = folder
        self._index = _Index[T]((), lines_of)
        self._folding = asyncio.Lock()

    async def async_prepare(self) -> None:
        """Fold the names of what is new in the list, once for all who wait for it."""
        async with self._folding:
            records = self._records()
            if self._index.records is not records:
                self._index = await self._hass.async_add_executor_job(
                    _Index, records, self._lines_of, self._index
                )

    def find(
        self, query: Query, least: float | None = None
    ) -> Sequence[tuple[float, T, int]]:
        """Return the score, the record and the number of each line with all words, or the likeness of each that sounds so; for other threads."""
        index = self._index
        return index.find(query) if least is None else index.find_alike(query, least)

    async def async_records(self, query: Query) -> list[T]:
        """Return the records that have the words."""
        await self.async_prepare()
        found = await self._hass.async_add_executor_job(self.find, query)
        return [record for _, record, _ in found]

    def nodes(
        self, found: Iterable[tuple[float, T, int]]
    ) -> Iterator[tuple[float, Item]]:
        """Yield the nodes of what was found."""
        for score, record, number in found:
            if score and (node := self._node_of(record, number)) is not None:
                yield score, node


async def async_find(
    hass: HomeAssistant,
    lines: Sequence[Lines[Any]],
    query: Query,
    least: float | None = None,
) -> Scored:
    """Return the nodes that have the words, or that sound like them at least so much."""
    for each in lines:
        await each.async_prepare()

    def find() -> list[Sequence[tuple[float, Any, int]]]:
        """Return what is found in the lines of each."""
        return [each.find(query, least) for each in lines]

    found = await hass.async_add_executor_job(find)
    scored = chain.from_iterable(
        each.nodes(some) for each, some in zip(lines, found, strict=True)
    )
    if least is None:
        return [*scored]
    scale = ARTIST_WORDS - RELEVANT
    return [
        (RELEVANT + scale * min(fit, 0.99) if fit >= SURE else fit, node)
        for fit, node in scored
    ]


def lines_of_nodes(
    hass: HomeAssistant, nodes: Callable[[], Sequence[Item]]
) -> Lines[Item]:
    """Return the lines of nodes."""
    return Lines(
        hass,
        nodes,
        lambda node: [line_of(node.title, node.artist, node.subtitle or "")],
        lambda node, _: node,
    )


class Search:
    """Search among all lines of a library, of a folder, or inside a node."""

    def __init__(
        self,
        hass: HomeAssistant,
        lines: Callable[[str], list[Lines[Any]]],
        async_ask: Callable[[Query, str, str], Awaitable[Scored]],
        is_favorite: Callable[[str], bool],
    ) -> None:
        """Initialize with the lines of a folder, other means to find nodes, and the judge of equal scores."""
        self._hass = hass
        self._lines = lines
        self._async_ask = async_ask
        self._is_favorite = is_favorite

    async def async_prepare(self) -> None:
        """Fold all names, so that nobody waits for it."""
        for lines in self._lines(""):
            await lines.async_prepare()

    async def async_hits(
        self,
        text: str,
        *,
        kinds: Collection[str] | None = None,
        folder: str = "",
        inside: list[Lines[Any]] | None = None,
        near: bool = False,
    ) -> list[Match]:
        """Return playable nodes that fit words, the best first; with `near`, also those that are only somewhat alike."""
        query = Query.of(text)
        if not query.words:
            return []
        lines = self._lines(folder) if inside is None else inside

        async def exact(query: Query) -> Scored:
            """Return the nodes with the words."""
            return await async_find(self._hass, lines, query)

        async def alike(query: Query, least: float = SURE) -> Scored:
            """Return the nodes that sound like the words."""
            return await async_find(self._hass, lines, query, least)

        # Once: it may read what the lines then have.
        scored = [] if inside else await self._async_ask(query, text, folder)
        scored += await exact(query)
        if self._has_sure(scored, kinds) and not near:
            return self._best(scored, kinds)
        if by_artist := BY_ARTIST.fullmatch(query.text):
            artist = Query.of(by_artist["artist"] or by_artist["artist_first"])
            scored += _made_by(artist, await exact(artist))
            if not self._has_sure(scored, kinds):
                scored += _made_by(artist, await alike(artist))
        if not self._has_sure(scored, kinds):
            for title, name in islice(split_by_artist(query.text), MAX_SPLITS):
                artist, work = Query.of(name), Query.of(title)
                made = _made_by(artist, await exact(work)) or _made_by(
                    artist, await alike(work)
                )
                scored += [each for each in made if each[1].kind != NodeKind.ARTIST]
        if near or not self._has_sure(scored, kinds):
            scored += await alike(query, NEAR if near else SURE)
        return self._best(scored, kinds)

    def _has_sure(self, scored: Scored, kinds: Collection[str] | None) -> bool:
        """Return whether anything fits the words."""
        return any(match.is_sure for match in self._best(scored, kinds))

    def _best(self, scored: Scored, kinds: Collection[str] | None) -> list[Match]:
        """Return the playable nodes, each once, the best first."""
        best: dict[str, Match] = {}
        for score, node in scored:
            if score and node.can_play and (kinds is None or node.kind in kinds):
                if node.id not in best or best[node.id].score < score:
                    best[node.id] = Match(score, node)
        return sorted(best.values(), key=self._rank)

    def _rank(self, match: Match) -> tuple[float, bool, int, int, int, int]:
        """Return the sort key of a match; solo shows come before group shows."""
        node, score = match.node, match.score
        others = len(node.artists) - 1 if score <= ARTIST else 0
        return (
            -score,
            not self._is_favorite(node.id),
            KINDS.index(node.kind) if node.kind in KINDS else len(KINDS),
            others,
            len(node.title),
            -(node.year or 0),
        )


def _made_by(artist: Query, scored: Scored) -> Scored:
    """Return the matches of an artist and of their works."""
    return [
        (score, node)
        for score, node in scored
        if (node.kind == NodeKind.ARTIST or node.artist)
        and artist.likeness(line_of(node.artist or node.title)) >= SURE
    ]
