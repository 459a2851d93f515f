"""What people say in seven languages: recognized as what it says, and done by simulated displays."""

from collections.abc import Callable
import re
from typing import Any

import pytest

from custom_components.dp1.library.search import Query
from custom_components.dp1.voice.sentences import sentences_of

from ..displays import until
from .hearing import LANGUAGES, TABLES, built_in, names_of, places_of, read, recognize
from .home import Home

TIMES = ("days", "hours", "minutes", "until", "until_hour", "brightness")
PLACES = ("name", "area", "floor", "place", "scope")
NET_EVIL, SOLO = "Net Evil", "Seven Small Suns"
# Templates of all languages before sentences gave way.
TEMPLATES_BEFORE = 1346


def is_like(place: str, language: str, named: str) -> bool:
    """Return whether a place that was heard is the one that is named, perhaps inflected."""
    return place.casefold() == named.casefold() or (
        place not in names_of(language).values() and Query.of(place).is_called(named)
    )


def fault(language: str, sentence: str, meaning: str) -> str:
    """Return what a sentence is taken for instead of its meaning, such as ``show Net Evil @Study minutes=10``."""
    intent, slots = recognize(language, sentence)
    heard = f"{language}: {sentence}: {intent} {slots}"
    wanted = dict(re.findall(r" (\w+)=(\S+)", meaning))
    kind, _, rest = re.sub(r" \w+=\S+", "", meaning).partition(" ")
    what, _, place = rest.partition(" @")
    said = slots.get("what") or slots.get("choice") or slots.get("question")
    said = said or slots.get("action") or f"{slots.get('year', 0):g}"
    how, _, name = what.rpartition(":")
    if intent != {"show": "Dp1Show", "ask": "Dp1Ask", "do": "Dp1Control"}[kind]:
        return heard
    # The little words before a name are part of what is looked for.
    if Query.of(str(said)).words != Query.of(name).words:
        return heard
    if how in ("artist", "everything") and slots.get("kind") != how:
        return heard
    given = {name: slots[name] for name in TIMES if name in slots}
    if "until_hour" in given:
        hour = given.pop("until_hour")
        half_day = slots.get("until_half_day", hour // 12 * 12)
        given["until"] = (hour - half_day) % 12 + half_day
    if {n: f"{v:g}" if isinstance(v, float | int) else v for n, v in given.items()} != (
        wanted
    ):
        return heard
    there = next((str(slots[key]) for key in PLACES if key in slots), "")
    return "" if not (there or place) or is_like(there, language, place) else heard


@pytest.mark.parametrize("language", LANGUAGES)
def test_people_are_understood(language: str) -> None:
    """Every sentence is recognized as what it says."""
    spoken = read(TABLES / f"{language}.yaml")
    wrong = [fault(language, *wish) for wish in spoken["wishes"].items()]
    groups = {"choice": "show", "ask": "ask", "control": "do"}
    for group, verb in groups.items():
        for kind, sentences in spoken[group].items():
            for sentence in sentences:
                intent, slots = recognize(language, sentence)
                if kind not in slots.values():
                    wrong.append(f"{verb} {kind}: {sentence}: {intent} {slots}")
    for line in spoken["show"]:
        sentence, title, *_ = line.split(" | ")
        intent, slots = recognize(language, sentence)
        if intent != "Dp1Show" or not {"Ines Haddad", title} & {
            name
            for name in ("Ines Haddad", title)
            if Query.of(slots["what"]).is_called(name)
        }:
            wrong.append(f"{sentence}: {intent} {slots}")
    assert not [text for text in wrong if text]
    assert len(spoken["wishes"]) >= 39


@pytest.mark.parametrize("language", LANGUAGES)
def test_others_keep_their_own(language: str) -> None:
    """What names nothing of ours is not recognized, or only as a title that is looked for, or where a display hangs."""
    spoken = read(TABLES / f"{language}.yaml")
    taken = []
    for sentence in (*spoken["kitchen"], *spoken["others"]):
        intent, slots = recognize(language, sentence)
        if (intent or "").startswith("Dp1") and "what" not in slots:
            if {"art", *PLACES} & set(slots):
                taken.append(f"{sentence}: {intent} {slots}")
    assert not taken


@pytest.mark.parametrize("language", LANGUAGES)
def test_home_assistant_keeps_its_own(language: str) -> None:
    """What Home Assistant understands by itself among other things, it goes on to understand."""
    taken = []
    for sentence in read(TABLES / f"{language}.yaml")["others"]:
        heard, _ = recognize(language, sentence)
        if heard and (known := recognize(language, sentence, ours=False)[0]):
            taken.append(f"{sentence}: {known} {heard}")
    assert not taken


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_home_assistant_is_changed(language: str) -> None:
    """No list, rule or intent of ours takes the place of one of Home Assistant, or adds to it."""
    ours, theirs = sentences_of(language, places_of(language)), built_in(language)
    for part in ("lists", "expansion_rules", "intents"):
        assert not ours[part].keys() & theirs[part].keys()
    assert ours.keys() == {"language", "lists", "expansion_rules", "intents"}


# A choice with words after it that are none of ours, as a model or somebody's own sentence would understand them.
UNKNOWN = {
    "en": "play something else on the radio of my car",
    "de": "spiel was anderes im Radio von meinem Auto",
    "fr": "mets autre chose à la radio de ma voiture",
    "es": "pon algo nuevo en la radio de mi coche",
    "nl": "doe iets anders op de radio van mijn auto",
    "zh": "换别的歌听",
}


@pytest.mark.parametrize("language", UNKNOWN)
def test_a_choice_takes_no_unknown_words(language: str) -> None:
    """What follows "something else" is a place, a time or nothing: any other words are somebody else's."""
    assert recognize(language, UNKNOWN[language])[0] is None


def test_there_are_few_templates() -> None:
    """All languages together have less than half of the templates they had."""
    count = 0
    for language in LANGUAGES:
        for intent in sentences_of(language, {})["intents"].values():
            count += sum(len(data["sentences"]) for data in intent["data"])
    assert count <= TEMPLATES_BEFORE / 2


PLAYBACK: dict[str, Callable[[Home], bool]] = {
    "next": lambda home: home.here.state.position == 1,
    "previous": lambda home: home.here.state.position == 0,
    "shuffle": lambda home: home.here.state.shuffle,
    "unshuffle": lambda home: not home.here.state.shuffle,
    "stay": lambda home: home.here.state.loop_mode == "one",
    "go_on": lambda home: home.here.state.loop_mode == "playlist",
    "label_on": lambda home: home.here.state.settings["tombstone"] == "on",
    "label_off": lambda home: home.here.state.settings["tombstone"] == "off",
    "brighter": lambda home: home.here.device.panel.values["brightness"] > 65,
    "darker": lambda home: home.here.device.panel.values["brightness"] < 80,
}


@pytest.mark.usefixtures("socket_enabled")
@pytest.mark.xdist_group("languages")
async def test_what_is_said_is_done(home: Home, subtests: pytest.Subtests) -> None:
    """The first sentence of each kind does what it says, with and without blanks, and the answer says what was done.

    In the other languages, the same intents are recognized above, and wishes are done that were written afresh.
    """
    await home.cast(SOLO, home.there)
    for language in ("en", "zh"):
        with subtests.test(language=language):
            await _done(home, read(TABLES / f"{language}.yaml"), language)


async def _done(home: Home, spoken: dict[str, Any], language: str) -> None:
    """Say a sentence of each kind without the name of a place in a language."""
    places = [name.casefold() for name in spoken["names"].values()]

    def first(group: str) -> dict[str, str]:
        return {
            kind: sentence
            for kind, sentences in spoken[group].items()
            for sentence in reversed(sentences)
            if not any(place in sentence.casefold() for place in places)
        }

    home.language = spoken["names"].get("language", language)
    await home.cast(NET_EVIL, home.here)
    state, here = home.here.state, home.attribute(home.here, "friendly_name")
    work, artist = home.attribute(home.here, "media_title"), "Jun Joubert"
    expected = {
        "when": "20",
        "exhibition": NET_EVIL,
        "next": state.items[1]["title"],
        "more": artist,
    }
    for kind, sentence in first("ask").items():
        assert expected.get(kind, work) in await home.does(sentence), kind
    choice, control = first("choice"), first("control")
    assert work in await home.does(control["keep"])
    assert [node.title for node in home.library.favorites.nodes()] == [work]
    assert here in await home.does(choice["favorites"])
    await until(lambda: len(home.here.state.items) == 1)
    await until(lambda: home.attribute(home.here, "media_title") == work)
    assert work in await home.does(control["remove"])
    assert not home.library.favorites.nodes()
    await home.cast(NET_EVIL, home.here)
    for kind in (kind for kind in PLAYBACK if kind in control):
        said = await home.does(control[kind])
        assert PLAYBACK[kind](home), kind
        assert here in said, kind
    for kind in ("new", "newest", "other", "daily"):
        if kind in choice:
            assert here in await home.does(choice[kind])
    await home.does(control["sleep"])
    assert home.here.state.asleep
    await home.does(control["wake"])
    assert not home.here.state.asleep
