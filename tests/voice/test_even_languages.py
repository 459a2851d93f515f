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
