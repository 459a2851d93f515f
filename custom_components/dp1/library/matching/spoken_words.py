"""Words around a name, and words for numbers, in the languages that people speak to displays: folded, as they are compared."""

from functools import lru_cache
import re
from typing import Final

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
_EVERYTHING: Final = [
    "all",
    "anything",
    "art",
    "everything",
    "more",
    "paintings",
    "photos",
    "pictures",
    "pieces",
    "something",
    "stuff",
    "things",
    "work",
    "works",
    "alles",
    "arbeiten",
    "bilder",
    "etwas",
    "kunst",
    "werke",
    "tout",
    "oeuvres",
    "œuvres",
    "travaux",
    "todo",
    "algo",
    "obras",
    "cuadros",
    "iets",
    "kunstwerken",
    "werken",
]
_BY: Final = ["by", "from", "of", "von", "par", "de", "del", "van", "door"]
BY_ARTIST: Final = re.compile(
    rf"(?:\w+ ){{0,2}}?(?:{'|'.join(_EVERYTHING)}) (?:\w+ )?(?:{'|'.join(_BY)}) (?P<artist>.+)|"
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
