"""Wishes that every language understands: one table, and no language has fewer words."""

import pytest

from custom_components.dp1.voice.sentences import spellings

from .hearing import LANGUAGES, recognize

# A wish with its slots, and how it is said in each language.
WISHES: dict[str, tuple[dict[str, object], dict[str, str]]] = {
    "next": (
        {"action": "next"},
        {
            "en": "next artwork",
            "de": "nächstes Bild",
            "fr": "œuvre suivante",
            "es": "siguiente obra",
            "nl": "volgend werk",
            "ja": "次の作品",
            "zh": "下一件作品",
        },
    ),
    "another word for next": (
        {"action": "next"},
        {
            "en": "show me the next picture",
            "de": "zeig das nächste Bild",
            "fr": "montre le prochain tableau",
            "es": "muestra el siguiente cuadro",
            "nl": "toon het volgende schilderij",
            "ja": "次の絵を見せて",
            "zh": "下一幅画",
        },
    ),
    "what is next": (
        {"question": "next"},
        {
            "en": "which picture is next",
            "de": "welches Bild kommt als nächstes",
            "fr": "quelle est la prochaine œuvre",
            "es": "cuál es la siguiente obra",
            "nl": "welk werk komt hierna",
            "ja": "次の作品は何",
            "zh": "下一件作品是什么",
        },
    ),
    "minutes in short": (
        {"what": "Net Evil", "minutes": 10},
        {
            "en": "show Net Evil for 10 min",
            "de": "zeig Net Evil für 10 Min",
            "fr": "montre Net Evil pendant 10 min",
            "es": "muestra Net Evil durante 10 min",
            "nl": "toon Net Evil 10 min",
            "ja": "Net Evilを１０分間見せて",
            "zh": "显示Net Evil１０分",
        },
    ),
    "seconds": (
        {"what": "Net Evil", "seconds": 30},
        {
            "en": "show Net Evil for 30 seconds",
            "de": "zeig Net Evil für 30 Sekunden",
            "fr": "montre Net Evil pendant 30 secondes",
            "es": "muestra Net Evil durante 30 segundos",
            "nl": "toon Net Evil 30 seconden",
            "ja": "Net Evilを30秒見せて",
            "zh": "显示Net Evil30秒",
        },
    ),
    "noon": (
        {"what": "Net Evil", "until": 12},
        {
            "en": "show Net Evil until noon",
            "de": "zeig Net Evil bis mittags",
            "fr": "montre Net Evil jusqu'à midi",
            "es": "muestra Net Evil hasta mediodía",
            "nl": "toon Net Evil tot vanmiddag",
            "ja": "Net Evilを正午まで見せて",
            "zh": "显示Net Evil到中午",
        },
    ),
    "everywhere and back": (
        {"what": "Net Evil", "scope": "all", "minutes": 30},
        {
            "en": "show Net Evil on all the displays for half an hour and then go back",
            "de": "zeig Net Evil auf allen Displays für eine halbe Stunde und dann wieder zurück",
            "fr": "montre Net Evil sur tous les écrans pendant une demi-heure",
            "es": "muestra Net Evil en todas las pantallas media hora y luego vuelve a lo de antes",
            "nl": "toon Net Evil op alle schermen een half uur en dan weer terug",
            "ja": "全部のディスプレイにNet Evilを30分だけ出して",
            "zh": "在所有屏幕上显示Net Evil半小时",
        },
    ),
    "a filler": (
        {"what": "Net Evil"},
        {
            "en": "um show Net Evil",
            "de": "äh zeig Net Evil",
            "fr": "euh montre Net Evil",
            "es": "eh muestra Net Evil",
            "nl": "eh toon Net Evil",
            "ja": "Net Evilを見せて",
            "zh": "嗯 显示Net Evil",
        },
    ),
    "a volume": (
        {"action": "volume", "volume": 30},
        {
            "en": "set the volume of the easel to 30 percent",
            "de": "stell die Lautstärke der Staffelei auf 30 Prozent",
            "fr": "règle le volume du chevalet à 30 %",
            "es": "pon el volumen del caballete al 30 %",
            "nl": "zet het volume van de ezel op 30 procent",
            "ja": "イーゼルの音量を30%にして",
            "zh": "把画架的音量调到30%",
        },
    ),
    "off by name": (
        {"action": "sleep"},
        {
            "en": "turn off the easel",
            "de": "schalt die Staffelei aus",
            "fr": "éteins le chevalet",
            "es": "apaga el caballete",
            "nl": "zet de ezel uit",
            "ja": "イーゼルを消して",
            "zh": "关闭画架",
        },
    ),
    "next by name": (
        {"action": "next"},
        {
            "en": "next on the easel",
            "de": "weiter auf der Staffelei",
            "fr": "suivant sur le chevalet",
            "es": "siguiente en el caballete",
            "nl": "volgende op de ezel",
            "ja": "イーゼルで次に進んで",
            "zh": "在画架上播放下一个",
        },
    ),
    # Numbers as keyboards write them: digits and signs as wide as other characters, blanks that do not break.
    "a percentage with a blank": (
        {"action": "brightness", "brightness": 50},
        {
            "en": "set the brightness of the easel to 50 %",
            "de": "stell die Helligkeit der Staffelei auf 50\xa0%",
            "fr": "règle la luminosité du chevalet à 50\u202f%",
            "es": "pon el brillo del caballete al 50\xa0%",
            "nl": "zet de helderheid van de ezel op 50 %",
            "ja": "イーゼルの明るさを５０　％にして",
            "zh": "把画架的亮度调到５０ ％",
        },
    ),
    "a percentage in words": (
        {"action": "brightness", "brightness": 50},
        {
            "en": "set the brightness of the easel to 50 per cent",
            "de": "stell die Helligkeit der Staffelei auf fünfzig Prozent",
            "fr": "règle la luminosité du chevalet à 50\xa0pour cent",
            "es": "pon el brillo del caballete al 50 por ciento",
            "nl": "zet de helderheid van de ezel op vijftig procent",
            "ja": "イーゼルの明るさを五十パーセントにして",
            "zh": "把画架的亮度调到百分之５０",
        },
    ),
    "a bare brightness": (
        {"action": "brightness", "brightness": 50},
        {
            "en": "easel brightness 50%",
            "de": "Helligkeit der Staffelei 50%",
            "fr": "luminosité du chevalet 50\xa0%",
            "es": "brillo del caballete 50%",
            "nl": "helderheid van de ezel 50%",
            "ja": "イーゼルの明るさ５０％",
            "zh": "画架亮度５０％",
        },
    ),
    "a bare volume": (
        {"action": "volume", "volume": 30},
        {
            "en": "easel volume 30 percent",
            "de": "Lautstärke der Staffelei 30 Prozent",
            "fr": "volume du chevalet 30 %",
            "es": "volumen del caballete 30 por ciento",
            "nl": "volume van de ezel 30 procent",
            "ja": "イーゼルの音量３０パーセント",
            "zh": "画架音量百分之三十",
        },
    ),
    "minutes of a keyboard": (
        {"action": "extend", "minutes": 10},
        {
            "en": "keep this up for another 10\xa0minutes",
            "de": "lass dieses Bild noch 10\xa0Minuten hängen",
            "fr": "garde ça encore 10\xa0minutes",
            "es": "deja esto 10\xa0minutos más",
            "nl": "laat dit nog 10\xa0minuten hangen",
            "ja": "これをあと１０分飾って",
            "zh": "让这个展览再展示１０分钟",
        },
    ),
    "a time of a keyboard": (
        {"action": "stay", "until_hour": 10, "until_minute": 30},
        {
            "en": "keep this picture until 10.30",
            "de": "lass dieses Bild bis 10\xa0Uhr\xa030 hängen",
            "fr": "garde cette œuvre jusqu'à 10\xa0h\xa030",
            "es": "deja esta obra hasta las 10:30",
            "nl": "laat dit werk hangen tot 10.30",
            "ja": "この作品を１０：３０まで飾って",
            "zh": "把这件作品挂到１０：３０",
        },
    ),
    "shown for longer": (
        {"action": "extend", "minutes": 10},
        {
            "en": "show this artwork for another 10 minutes",
            "de": "zeig dieses Werk noch 10 Minuten",
            "fr": "montre cette œuvre encore 10 minutes",
            "es": "muestra esta obra 10 minutos más",
            "nl": "laat dit werk nog 10 minuten zien",
            "ja": "この作品をあと10分見せて",
            "zh": "再显示这幅作品10分钟",
        },
    ),
    "shown for a time": (
        {"action": "stay", "minutes": 10},
        {
            "en": "show this artwork for ten minutes",
            "de": "zeig dieses Bild zehn Minuten",
            "fr": "montre ce tableau pendant dix minutes",
            "es": "muestra este cuadro durante diez minutos",
            "nl": "toon dit schilderij tien minuten",
            "ja": "この絵を10分間見せて",
            "zh": "这幅画显示十分钟",
        },
    ),
    "shown until a time": (
        {"action": "stay", "until_hour": 8},
        {
            "en": "show this artwork until 8",
            "de": "zeige dieses Werk bis 8 Uhr",
            "fr": "affiche cette œuvre jusqu'à 8 heures",
            "es": "muestra esta obra hasta las 8",
            "nl": "toon dit werk tot 8 uur",
            "ja": "この作品を8時まで見せて",
            "zh": "这幅作品显示到8点",
        },
    ),
    "a time before the title": (
        {"what": "Net Evil", "minutes": 10},
        {
            "en": "show Net Evil for ten minutes",
            "de": "zeig Net Evil für zehn Minuten",
            "fr": "montre Net Evil pendant dix minutes",
            "es": "muestra Net Evil durante diez minutos",
            "nl": "toon Net Evil tien minuten",
            "ja": "イーゼルに１０分間Net Evilを表示して",
            "zh": "请在画架上１０分钟显示Net Evil",
        },
    ),
    "a quarter turn": (
        {"action": "rotate"},
        {
            "en": "rotate the easel",
            "de": "dreh die Staffelei",
            "fr": "tourne le chevalet",
            "es": "gira el caballete",
            "nl": "draai de ezel",
            "ja": "イーゼルを９０度回して",
            "zh": "把画架转９０度",
        },
    ),
    "a year": (
        {"year": 1984},
        {
            "en": "show art from 1984",
            "de": "zeig Kunst von 1984",
            "fr": "montre des œuvres de 1984",
            "es": "muestra obras de 1984",
            "nl": "toon kunst uit 1984",
            "ja": "１９８４年の作品を見せて",
            "zh": "显示１９８４年的作品",
        },
    ),
}


@pytest.mark.parametrize("wish", WISHES)
def test_every_language_understands(wish: str) -> None:
    """A wish is understood in each language."""
    slots, words = WISHES[wish]
    assert sorted(words) == LANGUAGES
    wrong = []
    for language, said in words.items():
        _, heard = recognize(language, said)
        if not slots.items() <= heard.items():
            wrong.append((said, heard))
    assert not wrong


def test_spanish_without_accents() -> None:
    """Spanish is typed without accents."""
    _, slots = recognize("es", "muestrame Net Evil en el estudio")
    assert (slots["what"], slots["area"]) == ("Net Evil", "Estudio")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Kids' Room", "kids room"),
        ("Home-Office", "home office"),
        ("Café", "cafe"),
        ("Living room 2", "living room two"),
        ("The Den", "den"),
        ("Die Küche", "Küche"),
    ],
)
def test_rooms_as_they_are_said(name: str, said: str) -> None:
    """A room is understood as it is said."""
    assert said in spellings([name], "en")
