"""Words as people say and hear them: without case and accents, fillers, numbers in several languages, and sounds."""

from collections.abc import Iterable, Iterator, Sequence, Set as AbstractSet
from functools import lru_cache
import re
from typing import Final
from unicodedata import category, normalize

MAX_FOLDED: Final = 500
_FOREIGN: Final = "\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af"
# What is no letter, and where another script begins.
_NO_WORD: Final = re.compile(
    rf"[\W_]+|(?<=[a-z0-9])(?=[{_FOREIGN}])|(?<=[{_FOREIGN}])(?=[a-z0-9])"
)


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
    """Return a text as ``fold_anew`` does, remembered; a text longer than any title is cut."""
    return _folded(text[:MAX_FOLDED])


# Signs between the parts of a title, and blanks between two scripts
_PARTS: Final = re.compile(
    r"[/|·:：()\[\]{}（）【】「」『』〈〉《》–—―]|\s-+\s"
    rf"|(?<=[{_FOREIGN}])\s+(?=[a-zA-Z])|(?<=[a-zA-Z])\s+(?=[{_FOREIGN}])"
)
# Stands between folded parts, and in no folded text.
BETWEEN_PARTS: Final = " | "


def fold_title(title: str) -> str:
    """Return a folded title in its parts: both of "慢速城市 / Slow City"."""
    parts = map(fold_anew, _PARTS.split(title[:MAX_FOLDED]))
    return BETWEEN_PARTS.join(filter(None, parts))


# Words around a name, and words for numbers, in the languages that people speak to displays

_FILLERS: Final = {
    "en": "a an and by channel exhibition from me of playlist series show the work works some piece pieces please called named "
    "uh uhm um er erm hmm well now up play display hang put i want see can could you would let us",
    "de": "der die das dem den des ein eine einen einer eines und von vom im ausstellung serie werk werke bild bilder "
    "wiedergabeliste kanal namens bitte ah ahm ahem also doch zeig zeige mir mal hange",
    "fr": "le la les l un une des du de d et par exposition serie oeuvre oeuvres œuvre œuvres liste chaine appelee nommee euh heu ben montre affiche moi",
    "es": "el la los las un una unos unas del de y por exposicion serie obra obras lista canal llamada eh este pues muestra muestrame pon",
    "nl": "de het een en van tentoonstelling expositie reeks serie werk werken afspeellijst kanaal genaamd eh ehm uhm toon laat zien",
    "ja": "の 展 展覧会 作品 シリース を という えっと えーと あの うーん",
    "zh": "的 展览 展览会 作品 系列 嗯 呃 额 那个 请",
}
FILLERS: Final = frozenset(
    word for words in _FILLERS.values() for word in words.split()
)
# What stands before an artist: "everything by", "alles von", "werken van".
_EVERYTHING: Final = (
    "all anything art everything more paintings photos pictures pieces something stuff things work works "
    "alles arbeiten bilder etwas kunst werke tout oeuvres œuvres travaux todo algo obras cuadros iets kunstwerken werken"
)
_BY: Final = "by from of von vom par de del d du van door"
BY_ARTIST: Final = re.compile(
    rf"(?:\w+ ){{0,2}}?(?:{'|'.join(_EVERYTHING.split())}) (?:\w+ )?(?:{'|'.join(_BY.split())}) (?P<artist>.+)|"
    r"(?P<artist_first>.+?) ?(?:の|的) ?(?:すへて|全て|全部|作品|所有作品|全部作品)",
)


def split_by_artist(folded: str) -> Iterator[tuple[str, str]]:
    """Yield the titles and artists that a folded text may consist of: "Porch Light by Ren Nul"."""
    words = folded.split()
    for place in range(1, len(words) - 1):
        if words[place] in _BY.split():
            yield " ".join(words[:place]), " ".join(words[place + 1 :])
    for match in re.finditer("[の的]", folded):
        artist, title = folded[: match.start()].strip(), folded[match.end() :].strip()
        if artist and title:
            yield title, artist


# Words before the number of a work.
NUMBER_WORDS: Final = frozenset(
    ["edition", "n", "no", "nr", "number", "numero", "nummer", "num"]
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
    if match := _DIGITS.fullmatch(text):
        return int(match[1])
    if text in _WORDS:
        return _WORDS[text]
    first, _, second = text.partition(" ")
    if second:
        tens, units = _WORDS.get(first, 0), _WORDS.get(second, 0)
        return tens + units if 20 <= tens < 100 and 0 < units < 10 else None
    if match := _UNIT_FIRST.fullmatch(text):
        units = 1 if match[1] == "ein" else _WORDS.get(match[1], 0)
        tens = _WORDS.get(match[2], 0)
        return tens + units if 20 <= tens < 100 and 0 < units < 10 else None
    return _han(text)


def in_words(text: str, language: str) -> str:
    """Return a text with its numbers up to twenty in words."""
    words = _NUMBERS.get(language, "").split()[:21]
    return re.sub(
        r"[0-9]{1,2}",
        lambda number: (
            words[int(number[0])] if int(number[0]) < len(words) else number[0]
        ),
        text,
    )


# Numbers that sound like little words: won, to, for, ate.
_LITTLE: Final = {1, 2, 4, 8}
_ENGLISH: Final = dict(zip(_VALUES, _NUMBERS["en"].split(), strict=False))


def numbers_agree(ours: AbstractSet[int], theirs: AbstractSet[int]) -> bool:
    """Return whether numbers that were heard may be the others; little ones may be other words."""
    more, less = ours - theirs, theirs - ours
    return not (more or less) or (not (more and less) and more | less <= _LITTLE)


def as_spoken(word: str) -> str:
    """Return the English word for a number in any language, other words as they are."""
    if (number := number_of(word)) is None:
        return word
    tens, units = (number // 10 * 10, number % 10) if 20 < number < 100 else (number, 0)
    return _ENGLISH.get(tens, word) + (_ENGLISH[units] if units else "")


def _han(text: str) -> int | None:
    """Return the number below a hundred that Chinese characters stand for."""
    tens, ten, units = text.partition("十")
    if not text or not all(char in _HAN for char in tens + units):
        return None
    if not ten:
        return _HAN[text] if len(text) == 1 else None
    return 10 * _HAN.get(tens, 1) + _HAN.get(units, 0)


# How words sound, roughly: speech recognition writes another word that sounds alike

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
_UNHEARD: Final = re.compile(r"h|r(?![aeiouy])|(?<=n)k(?=s?\b)|(.)(?=\1)")


@lru_cache(maxsize=16384)
def sound(word: str) -> str:
    """Return how a folded word sounds; other scripts are written as they sound."""
    if not word.isascii():
        return word
    for pattern, heard in _SPELLINGS:
        word = pattern.sub(heard, word)
    return word


def rough(sounds: str) -> str:
    """Return a sound in which those that are easily confused are the same."""
    return _UNHEARD.sub("", _UNHEARD.sub("", sounds).translate(_KIN))


def telling(folded: str) -> list[str]:
    """Return the words of a folded text without fillers, unless there are no others."""
    words = folded.split()
    return [word for word in words if word not in FILLERS] or words


def sound_of(words: Iterable[str]) -> str:
    """Return the sound of words in a row."""
    return "".join(sound(as_spoken(word)) for word in words)


def numbers_in(words: Sequence[str]) -> set[int]:
    """Return the numbers among words, some of which consist of two."""
    numbers, rest = set[int](), list(words)
    while rest:
        for count in (2, 1):
            number = number_of(" ".join(rest[:count]))
            if number is not None:
                numbers.add(number)
                del rest[1:count]
                break
        del rest[0]
    return numbers
