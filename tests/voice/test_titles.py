"""Titles that contain rooms, times, numbers and polite words are among the readings, before what is cut off them."""

import pytest

from custom_components.dp1.library.search import Query
from custom_components.dp1.voice.tail import Reading, Tail

from .hearing import LANGUAGES, TABLES, names_of, places_of, read, recognize

# A title by what it ends with, what is said after it in each language, and the slots of that.
TITLES = {
    "en": (
        "Rain in the Living Room; Wait for an Hour; Upstairs Downstairs; "
        "Ten Minutes; Please; Until Tomorrow; Night in the Study; For a While; Here; "
        "Over Here; Waking Up; A Day for the Weekend; Until Noon; The Big Wall; "
        "For Ten Minutes; Works"
    ),
    "de": (
        "Regen im Wohnzimmer; Zehn Minuten; Bis morgen früh; Eine Stunde lang; "
        "Oben und unten; Hier; Bitte; Licht im Büro; Über Nacht; Bis Mitternacht; "
        "Die große Wand; Das Sehen; Eine Weile; Auf und ab"
    ),
    "fr": (
        "Pluie dans le salon; Pendant dix minutes; Jusqu'à demain; Ici; En haut; "
        "Lumière du bureau; Toute la nuit; Jusqu'à minuit; Le grand mur; Partout; "
        "En bas; Pour ce soir; Midi au salon; Une heure"
    ),
    "es": (
        "Lluvia en el salón; Durante diez minutos; Hasta mañana; Aquí; "
        "Arriba y abajo; Luz en el estudio; Toda la noche; Hasta medianoche; "
        "El muro grande; Abajo; Media hora; Por favor; Una semana; Arriba"
    ),
    "nl": (
        "Regen in de woonkamer; Tien minuten; Tot morgen; Hier; Boven en beneden; "
        "Licht in de werkkamer; De hele nacht; Tot middernacht; De grote muur; "
        "Beneden; Een uur; Alsjeblieft; Een week; Boven"
    ),
    "ja": (
        "リビングの雨; 十分間; 明日まで; ここに; 書斎の光; 大きな壁に; 一晩中; 真夜中まで; しばらく; この階で; 全部の部屋に; 今夜だけ; "
        "一時間; 二階に"
    ),
    "zh": "客厅的雨; 十分钟; 到明天; 这里; 书房的光; 大墙上; 整晚; 到半夜; 一会儿; 楼上; 楼下; 一天; 今晚; 半个小时",
}
AFTER = {
    "en": "| in the study| for ten minutes| in the study for ten minutes please| here",
    "de": "| im Büro| zehn Minuten lang| im Büro zehn Minuten lang bitte| hier",
    "fr": (
        "| dans le bureau| pendant dix minutes| dans le bureau pendant dix minutes| ici"
    ),
    "es": (
        "| en el estudio| durante diez minutos| en el estudio durante diez minutos|"
        " aquí"
    ),
    "nl": (
        "| in de werkkamer| tien minuten lang| in de werkkamer tien minuten lang| hier"
    ),
    "ja": "|を書斎に|を十分間|を書斎に十分間|をここに",
    "zh": "|在书房|十分钟|在书房十分钟|在这里",
}
# What is said before a title, with its slots.
BEFORE: dict[str, dict[str, dict[str, str]]] = {
    "en": {"here ": {}, "the painting ": {"kind": "work"}, "up ": {}},
    "de": {"hier ": {}, "das Bild ": {"kind": "work"}, "gern ": {}},
    "fr": {"ici ": {}, "le tableau ": {"kind": "work"}},
    "es": {"aquí ": {}, "el cuadro ": {"kind": "work"}},
    "nl": {"hier ": {}, "het schilderij ": {"kind": "work"}},
    "ja": {"ここに": {}, "作品の": {"kind": "work"}},
    "zh": {"在这里": {}, "作品": {"kind": "work"}},
}
# Forms of a wish in which the title was not found: the beginning and the end.
FORMS = {
    "en": ("would you mind showing ", " please"),
    "de": ("zehn Minuten lang zeig ", ""),
    "es": ("puedes enseñarme ", ""),
    "ja": ("", "をお願いします"),
}
NAMES = {
    "dp1_floor": [("Upstairs", "first floor")],
    "dp1_area": [("Living Room",)],
    "dp1_display": [],
}
ARTIST = "Marguerite Osei"
CASES: dict[str, list[tuple[str, str, bool]]] = read(TABLES / "naming.yaml")


def titles_of(language: str) -> list[str]:
    return TITLES[language].split("; ")


@pytest.mark.parametrize("language", LANGUAGES)
def test_titles(language: str) -> None:
    """Each of a hundred titles is read as it is called, with the room and the time that are said after it."""
    tail, room = Tail.of(language, places_of(language)), names_of(language)["room_2"]
    missed = []
    for title in titles_of(language):
        for number, after in enumerate(AFTER[language].split("|")):
            text = f"{title}{after}"
            read = {reading.what: reading.slots for reading in tail.readings(text)}
            slots = read.get(title)
            expected = {
                **({"area": room} if number in (1, 3) else {}),
                **({"minutes": 10} if number in (2, 3) else {}),
            }
            if slots is None or dict(slots) != expected:
                missed.append((text, read))
    assert not missed
    assert sum(map(len, map(titles_of, TITLES))) >= 100


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_before_titles(language: str) -> None:
    """A title is read as it is called after a place or what it is, too; a name and a time are that first."""
    tail, missed = Tail.of(language, places_of(language)), []
    for title in titles_of(language):
        for before, slots in BEFORE[language].items():
            text = f"{before}{title}"
            read = {reading.what: reading.slots for reading in tail.readings(text)}
            if read.get(title) != slots:
                missed.append((text, read))
    assert not missed
    here, title = [*BEFORE[language]][0], titles_of(language)[0]
    readings = [reading.what for reading in tail.readings(f"{here}{title}")]
    assert readings.index(title) == 1


@pytest.mark.parametrize("language", FORMS)
def test_forms(language: str) -> None:
    """A title is read in each form of a wish."""
    before, after = FORMS[language]
    title = titles_of(language)[0]
    intent, slots = recognize(language, f"{before}{title}{after}")
    tail = Tail.of(language, places_of(language))
    assert intent == "Dp1Show"
    assert str(slots["what"]) in title
    assert title in {reading.what for reading in tail.readings(f"{title}{after}")}


def test_floors() -> None:
    """A floor is named by its name or an alias."""
    tail = Tail.of("en", NAMES)
    *_, last = tail.readings("Porch Light on the first floor")
    assert (last.what, last.slots) == ("Porch Light", {"floor": "Upstairs"})
    placed = tail.placed(Reading("Porch Light upstairs"))
    assert placed == Reading("Porch Light", {"place": "Upstairs"})


@pytest.mark.parametrize("language", CASES)
def test_what_means_a_title(language: str) -> None:
    """A title is meant by its parts, with its artist, and with numbers in any form, but not if a word is left over."""
    wrong = [
        (said, title, meant)
        for said, title, meant in CASES[language]
        if Query.of(said).means(title, ARTIST) is not meant
    ]
    assert not wrong
