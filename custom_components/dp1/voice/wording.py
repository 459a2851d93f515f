"""Words that change what a wish means, in the languages that people speak to displays."""

from difflib import SequenceMatcher
from typing import Final

from ..library.matching.spoken_words import FILLERS
from ..library.matching.text_index import fold

# Who says these wants the contrary, unless the title has them.
_NOT: Final = {
    "en": "not never nothing no dont",
    "de": "nicht nichts nie niemals kein keine keinen keins nimmer",
    "fr": "pas rien jamais plus aucun aucune ne",
    "es": "no nada nunca jamas ningun ninguna ninguno",
    "nl": "niet niets nooit geen niks",
}
_NOT_BEGINS: Final = tuple(map(fold, ("不", "别", "勿")))
_NOT_ENDS: Final = tuple(map(fold, ("ないで", "ではなく", "じゃなく")))
# Whoever names one of these means art only if the title is like that. "挂断电话" hangs up, but is heard as hanging a thing.
_OTHER: Final = {
    "en": "weather forecast news time date calendar timer alarm temperature humidity shopping list todo recipe phone call tv "
    "television light lights lamp music song track radio volume traffic heating kettle up on off out",
    "de": "wetter wettervorhersage nachrichten uhrzeit zeit kalender termine timer wecker temperatur einkaufsliste liste rezept "
    "telefon anruf fernseher fernsehen licht lampe musik lied radio lautstarke verkehr heizung auf an aus ab",
    "fr": "meteo temps nouvelles actualites heure calendrier agenda minuteur reveil temperature courses liste recette telephone "
    "tele television lumiere lampe musique chanson radio volume trafic chauffage",
    "es": "tiempo clima noticias hora calendario temporizador alarma temperatura compra lista receta telefono tele television luz "
    "luces lampara musica cancion radio volumen trafico calefaccion",
    "nl": "weer weerbericht nieuws tijd agenda kalender timer wekker temperatuur boodschappenlijst boodschappenlijstje lijst recept "
    "telefoon tv televisie licht lamp lampen muziek liedje nummer radio volume verkeer verwarming op aan uit af",
    "ja": "天気 天気予報 ニュース 時間 時計 カレンダー 予定 タイマー アラーム 温度 気温 買い物リスト リスト レシピ 電話 テレビ 電気 照明 音楽 曲 ラジオ 音量",
    "zh": "天气 天气预报 新闻 时间 日历 日程 计时器 闹钟 温度 购物清单 清单 食谱 电话 断电话 电视 灯 音乐 歌 歌曲 收音机 音量",
}
OTHER: Final = frozenset(
    fold(word) for words in _OTHER.values() for word in words.split()
)
# How alike a title and what was said have to be, and how long beside each other.
ALIKE: Final = 0.6
TOLERANCE: Final = 0.3


def is_declined(what: str, title: str, language: str) -> bool:
    """Return whether somebody says what not to show: the words turn the wish round, and are no part of the title."""
    said, named = fold(what), fold(title)
    not_words = set(_NOT.get(language.split("-", maxsplit=1)[0], "").split())
    if any(word not in named.split() for word in not_words & set(said.split())):
        return True
    begins, ends = said.startswith(_NOT_BEGINS), said.endswith(_NOT_ENDS)
    return (begins or ends) and said not in named


def is_other(what: str) -> bool:
    """Return whether something else than art is named."""
    return any(word in OTHER for word in fold(what).split())


def is_in_full(what: str, title: str) -> bool:
    """Return whether a title is named in full rather than by a word of it."""
    said, named = _joined(what), _joined(title)
    if abs(len(said) - len(named)) > TOLERANCE * len(named):
        return False
    return SequenceMatcher(None, said, named, autojunk=False).ratio() >= ALIKE


def _joined(words: str) -> str:
    """Return folded words without fillers, joined."""
    return "".join(word for word in fold(words).split() if word not in FILLERS)
