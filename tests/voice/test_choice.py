"""What is chosen by words, and how it is told."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from freezegun.api import FrozenDateTimeFactory
import pytest

from custom_components.dp1.library import words as vocabulary
from custom_components.dp1.library.words import fold
from custom_components.dp1.voice import choice
from custom_components.dp1.voice.answers import (
    NotOursError,
    UnansweredError,
    async_answers,
    async_error_text,
)
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.translation import async_get_translations
from homeassistant.setup import async_setup_component

from ..simulators.catalog.simulator import CatalogSimulator
from .hearing import LANGUAGES, recognize
from .home import Home, table

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_all_exhibitions_are_known(
    hass: HomeAssistant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exhibition can be chosen that is not on the first page of the browser."""
    monkeypatch.setattr("custom_components.dp1.library.library.MAX_CHILDREN", 3)
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        libraries = [home.library]
        assert len(await choice.async_exhibitions(libraries)) > 40


async def test_choices(hass: HomeAssistant, home: Home) -> None:
    """What is chosen depends on what was shown, and what is not there is said."""

    async def chosen(**slots: Any) -> choice.Request:
        return await choice.async_choose(hass, slots, [])

    for slots in ({"choice": "favorites"}, {"choice": "collection"}):
        with pytest.raises(UnansweredError):
            await chosen(**slots)
    (node, *_) = (await home.library.async_children("exhibitions")).nodes
    await home.library.async_add_favorite(node.id)
    assert (await chosen(choice="favorites")).media_ids[0].endswith("/favorites")
    something = await chosen(what="Jun Joubert", kind="artist")
    assert something.artists == ("Jun Joubert",)
    assert something.is_work
    everything = await chosen(what="Jun Joubert", kind="everything")
    assert everything.is_everything
    assert everything.media_ids != something.media_ids
    shown = [
        node
        for node in (await home.library.async_children("exhibitions")).nodes
        if node.can_play
    ]
    assert (await chosen(choice="newest")).title == shown[0].title
    group = await chosen(choice="group")
    assert len(group.artists) > 1
    year = shown[-1].year
    of_year = {node.title for node in shown if node.year == year}
    assert (await chosen(year=float(year or 0))).title in of_year
    with pytest.raises(NotOursError):
        await chosen(year=1951.0)


@pytest.mark.xdist_group("languages")
async def test_favorites_that_cannot_be_shown_together(
    hass: HomeAssistant, home: Home
) -> None:
    """That only an exhibition is among the favorites is said in the language of the question, in each of seven."""
    (node, *_) = (await home.library.async_children("exhibitions")).nodes
    await home.library.async_add_favorite(node.id)
    for language in LANGUAGES:
        spoken = table(language)
        home.language = spoken["names"].get("language", language)
        said, failed = await home.say(spoken["choice"]["favorites"][0])
        answers = await async_answers(hass, home.language)
        texts = await async_get_translations(
            hass, answers.translation, "exceptions", ["dp1"]
        )
        key = "component.dp1.exceptions.favorites_without_works.message"
        assert (said, failed) == (texts[key], True), language
    assert not home.here.casts


@pytest.mark.parametrize(
    "listed",
    [
        vocabulary.FILLERS,
        vocabulary._EVERYTHING.split(),
        vocabulary._BY.split(),
        vocabulary._WORDS.keys() - {"-"},
    ],
    ids=["fillers", "everything", "by", "numbers"],
)
def test_listed_words_are_folded(listed: Iterable[str]) -> None:
    """A word is found only if it is listed as folding yields it."""
    assert [word for word in listed if fold(word) != word] == []


@pytest.mark.parametrize(
    "words", ["Jun Joubertのすべて", "toutes les œuvres de Jun Joubert"]
)
def test_everything_by_an_artist(words: str) -> None:
    """Letters that folding changes, or leaves, are known in what stands beside an artist."""
    found = vocabulary.BY_ARTIST.fullmatch(fold(words))
    assert found
    assert "jun joubert" in found.groups()


async def test_the_newest_is_not_the_newest_unseen(home: Home) -> None:
    """The newest exhibition is shown again; something new is what the display has not shown."""
    nodes = (await home.library.async_children("exhibitions")).nodes
    newest = next(node.title for node in nodes if node.can_play)
    await home.cast(newest, home.here)
    assert newest in await home.does("show the newest exhibition")
    assert newest not in await home.does("show a new exhibition")


@pytest.mark.xdist_group("languages")
async def test_a_near_name_is_asked_about(
    home: Home, freezer: FrozenDateTimeFactory
) -> None:
    """The question "Did you mean Net Evil?" is answered by yes in seven languages, once, soon and by the one who was asked."""
    asked = "show Net Evil of the mountains for ten minutes"
    said, failed = await home.say(asked)
    assert failed
    assert said.endswith("Did you mean Net Evil?")
    assert "Net Evil by " in await home.does("yes")
    assert (home.here.state.playlist or {})["title"] == "Net Evil"
    for language in LANGUAGES:
        spoken = table(language)
        answer = spoken["control"]["yes"][0]
        home.language = "en"
        assert (await home.say(asked))[1]
        home.language = spoken["names"].get("language", language)
        assert "Net Evil" in await home.does(answer), answer
    home.language, before = "en", home.here.casts
    nothing = ("I did not ask anything.", True)
    assert await home.say("yes please") == nothing
    await home.say(asked)
    home.speaker, speaker = home.kitchen, home.speaker
    assert await home.say("yes") == nothing
    home.speaker = speaker
    freezer.tick(31)
    assert await home.say("show it") == nothing
    # Another wish in between ends the question, and who is unknown is not remembered.
    await home.say(asked)
    await home.does("show Slow Weather")
    assert await home.say("yes") == nothing
    home.speaker = ""
    await home.say(asked)
    assert await home.say("yes") == nothing
    assert home.here.casts == before + 1


async def test_a_library_that_is_being_read(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While nothing is known yet, that is said instead of that nothing was found."""
    monkeypatch.setattr(type(home.library), "since", None)
    said, failed = await home.say("show qwertz")
    assert failed
    assert said.startswith("The library is still being read.")


async def test_a_library_that_is_empty(hass: HomeAssistant, tmp_path: Path) -> None:
    """Once it was read, nothing is found in it: before and after a restart."""
    catalog = CatalogSimulator()
    async with catalog:
        catalog.data.exhibitions.clear()
    async with Home.of(hass, tmp_path, "en", table("en")["names"], catalog) as home:
        nothing = ("I found nothing called qwertz.", True)
        assert await home.say("show qwertz") == nothing
        await hass.config_entries.async_reload(home.library.entry_id)
        await hass.async_block_till_done()
        assert await home.say("show qwertz") == nothing


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("nl", "zet Net Evil uit op de ezel"),
        ("nl", "zet Net Evil af op de ezel"),
        ("de", "mach Net Evil auf der Staffelei ab"),
        ("en", "put Net Evil away on the easel"),
    ],
)
async def test_what_is_taken_down(home: Home, language: str, sentence: str) -> None:
    """Who wants a title away does not get it shown, nor is told that it is."""
    _, slots = recognize(language, sentence)
    with pytest.raises(NotOursError):
        await choice.async_choose(home.hass, slots, [])
    played = {"what": "Net Evil ab", "kind": "exhibition"}
    assert (await choice.async_choose(home.hass, played, [])).title == "Net Evil"


async def test_words(hass: HomeAssistant) -> None:
    """Names are joined and durations told as people do, and an error is told in any case."""
    assert await async_setup_component(hass, "dp1", {})
    answers = await async_answers(hass, "en")
    assert answers.join(["Ada"]) == "Ada"
    assert answers.join(["Ada", "Bea", "Cy"]) == "Ada, Bea and Cy"
    crowd = answers.credit("who", ["Ada", "Bea", "Cy", "Dee"], title="Tide")
    assert "Ada" in crowd and "Dee" not in crowd
    assert answers.time(90) == "90 seconds"
    assert answers.time(3600) == "an hour"
    assert answers.time(2 * 86400) == "2 days"
    untold = HomeAssistantError(translation_domain="dp1", translation_key="nothing")
    assert await async_error_text(hass, answers, untold) == str(untold)
    # Its text has a placeholder that is not filled.
    bare = HomeAssistantError(translation_domain="dp1", translation_key="display_busy")
    assert await async_error_text(hass, answers, bare) == str(bare)
    assert await async_error_text(hass, answers, HomeAssistantError("plain")) == "plain"
