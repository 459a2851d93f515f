"""What was meant by words that were heard: fillers around a name, numerals, words that sound alike, are joined or split."""

from functools import lru_cache
from itertools import pairwise
import re
from typing import Final, NamedTuple

from rapidfuzz import fuzz

# Words around a name, and words for numbers, in the languages that people speak to displays

_FILLERS: Final = {
    "en": "a an and by channel exhibition from me of playlist series show the work works some piece pieces please called named "
    "uh um er erm hmm play display hang put i want see can could you would let us",
    "de": "der die das dem den des ein eine einen einer eines und von vom im ausstellung serie werk werke bild bilder "
    "wiedergabeliste kanal namens bitte ah ahm zeig zeige mir mal hange",
    "fr": "le la les l un une des du de d et par exposition serie oeuvre oeuvres œuvre œuvres liste chaine appelee nommee euh montre affiche moi",
    "es": "el la los las un una unos unas del de y por exposicion serie obra obras lista canal llamada eh muestra muestrame pon",
    "nl": "de het een en van uit tentoonstelling expositie reeks serie werk werken afspeellijst kanaal genaamd eh toon laat zien",
    "ja": "の 展 展覧会 作品 シリース を という",
    "zh": "的 展览 展览会 作品 系列",
}
FILLERS: Final = frozenset(
    word for words in _FILLERS.values() for word in words.split()
)
# What stands before an artist: "everything by", "alles von", "werken van".
_EVERYTHING: Final = (
    "all anything art everything more paintings photos pictures pieces something stuff things work works "
    "alles arbeiten bilder etwas kunst werke tout oeuvres œuvres travaux todo algo obras cuadros iets kunstwerken werken"
)
_BY: Final = "by from of von par de del van door"
BY_ARTIST: Final = re.compile(
    rf"(?:\w+ ){{0,2}}?(?:{'|'.join(_EVERYTHING.split())}) (?:\w+ )?(?:{'|'.join(_BY.split())}) (?P<artist>.+)|"
    r"(?P<artist_first>.+?)(?:の|的)(?:すへて|全て|全部|作品|所有作品|全部作品)",
)

# Zero to twenty, then the tens, a hundred and a thousand.
_NUMBERS: Final = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand",
    "de": "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn "
    "siebzehn achtzehn neunzehn zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig hundert tausend",
    "fr": "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
    "dixsept dixhuit dixneuf vingt trente quarante cinquante soixante septante huitante nonante cent mille",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
    "diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien mil",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien "
    "zeventien achttien negentien twintig dertig veertig vijftig zestig zeventig tachtig negentig honderd duizend",
    "ordinal": "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth "
    "sixtieth seventieth eightieth ninetieth hundredth thousandth",
    "roman": "- - ii iii iv - vi vii viii ix - xi xii xiii xiv xv xvi xvii xviii xix xx",
}
_VALUES: Final[tuple[int, ...]] = (*range(21), *range(30, 100, 10), 100, 1000)
_WORDS: Final[dict[str, int]] = {
    word: value
    for words in _NUMBERS.values()
    for word, value in zip(words.split(), _VALUES, strict=False)
}
_HAN: Final[dict[str, int]] = {
    char: value for value, char in enumerate("〇一二三四五六七八九")
}
_DIGITS: Final = re.compile(r"([0-9]{1,9})(?:st|nd|rd|th)?")
# German and Dutch say "one and twenty", in one word.
_UNIT_FIRST: Final = re.compile(r"(\w+?)(?:und|en)(\w+)")


@lru_cache(maxsize=8192)
def number_of(text: str) -> int | None:
    """Return the number that a folded word or two stand for, None if they are no number."""
    if found := _DIGITS.fullmatch(text):
        return int(found[1])
    if text in _WORDS:
        return _WORDS[text]
    first, _, second = text.partition(" ")
    if second:
        tens, units = _WORDS.get(first, 0), _WORDS.get(second, 0)
        return tens + units if 20 <= tens < 100 and 0 < units < 10 else None
    if found := _UNIT_FIRST.fullmatch(text):
        units = 1 if found[1] == "ein" else _WORDS.get(found[1], 0)
        tens = _WORDS.get(found[2], 0)
        return tens + units if 20 <= tens < 100 and 0 < units < 10 else None
    return _han(text)


# Numbers that sound like little words: won, to, for, ate.
_LITTLE: Final = {1, 2, 4, 8}
_ENGLISH: Final = dict(zip(_VALUES, _NUMBERS["en"].split(), strict=False))


def numbers_agree(ours: set[int], theirs: set[int]) -> bool:
    """Return whether numbers that were heard may be the others; little ones may be other words."""
    more, less = ours - theirs, theirs - ours
    return not (more or less) or (not (more and less) and more | less <= _LITTLE)


def as_spoken(word: str) -> str:
    """Return a numeral as the English word for it, other words as they are."""
    found = word[:1].isdecimal() and _DIGITS.fullmatch(word)
    return _ENGLISH.get(int(found[1]), word) if found else word


def _han(text: str) -> int | None:
    """Return the number below a hundred that Chinese characters stand for."""
    tens, ten, units = text.partition("十")
    if not text or not all(char in _HAN for char in tens + units):
        return None
    if not ten:
        return _HAN[text] if len(text) == 1 else None
    return 10 * _HAN.get(tens, 1) + _HAN.get(units, 0)


# How words sound, roughly: speech recognition writes another word that sounds alike

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
    sounds = "".join(map(sound, words))
    return "".join(words), sounds, _coarse_key(sounds)


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


def _coarse_key(sounds: str) -> str:
    """Return the coarse key of a sound."""
    return _UNHEARD.sub("", _UNHEARD.sub("", sounds).translate(_KIN))


# How well a query that may have been misheard fits

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
    """What a name is made of: its words, these and pairs of them, and its numbers, each with the bits of where they are."""

    ones: tuple[tuple[str, int], ...]
    both: tuple[tuple[str, int], ...]
    values: tuple[tuple[int, int], ...]
    size: int


class MisheardQuery:
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
        for index, word in enumerate(self.words):
            total, used = best[-1]
            value = number_of(word)
            like, bits = self._best(word, value, parts.both, parts.values, used)
            found = total + self._sizes[index] * like, used | bits
            if index:
                total, used = best[-2]
                value = number_of(" ".join(self.pairs[index - 1]))
                others = parts.ones if value is None else ()
                pair = self._joined[index - 1]
                like, bits = self._best(pair, value, others, parts.values, used)
                size = self._sizes[index - 1] + self._sizes[index]
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
        for other, bits in others:
            if bits & used:
                continue
            if (like := self.like(word, other)) > best[0]:
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
    ones = tuple((word, 1 << index) for index, word in enumerate(words))
    joined = tuple((first + second, 3 << index) for index, (first, second) in pairs)
    numbers = [(number_of(word), bits) for word, bits in ones]
    numbers += [(number_of(" ".join(pair)), 3 << index) for index, pair in pairs]
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
