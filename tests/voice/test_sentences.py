"""What people say in seven languages, heard by the agent of Home Assistant and done by simulated displays."""

from collections.abc import Callable, Iterator
from pathlib import Path
import re
from typing import Any

import pytest

from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.core import HomeAssistant

from ..displays import until
from .home import CAMERA, TABLES, Home, table

# Announcements wait for their end.
pytestmark = [pytest.mark.usefixtures("socket_enabled")]

LANGUAGES = sorted(path.stem for path in TABLES.glob("*.yaml"))
NET_EVIL, SOLO = "Net Evil", "Seven Small Suns"


@pytest.fixture
def expected_lingering_timers() -> bool:
    """Announcements wait for their end."""
    return True


def sayings(spoken: dict[str, Any]) -> Iterator[tuple[str, dict[str, str], list[str]]]:
    """Return the sentences of each kind, with the intent and the slots they have in common."""
    slots = {
        "choice": ("Dp1ShowChoice", "choice"),
        "ask": ("Dp1Ask", "question"),
        "favorite": ("Dp1Favorite", "change"),
        "playback": ("Dp1Playback", "action"),
        "adjust": ("Dp1Adjust", "setting"),
    }
    for group, (intent, slot) in slots.items():
        for kind, sentences in spoken[group].items():
            yield intent, {slot: kind}, sentences
    yield "Dp1ShowCamera", {}, spoken["camera"]
    for group in ("sleep", "wake"):
        for where, sentences in spoken[group].items():
            scope = {"scope": "all"} if where == "all" else {}
            yield f"Dp1{group.capitalize()}", scope, sentences


@pytest.mark.parametrize("language", LANGUAGES)
async def test_people_are_understood(
    hass: HomeAssistant, tmp_path: Path, language: str
) -> None:
    """Every sentence is recognized as what it says; what is to be shown is shown, and the rest is done."""
    spoken = table(language)
    wrong: list[str] = []
    count = 0
    async with Home.of(hass, tmp_path, language, spoken["names"]) as home:
        for intent, slots, sentences in sayings(spoken):
            for sentence in sentences:
                count += 1
                heard, found = await home.recognized(sentence)
                if heard != intent or not slots.items() <= found.items():
                    wrong.append(f"{sentence}: {heard} {found}")
        for sentence in spoken["others"]:
            heard, found = await home.recognized(sentence)
            if heard and heard.startswith("Dp1"):
                wrong.append(f"not ours: {sentence}: {heard} {found}")
        for line in spoken["said"]:
            count += 1
            sentence, intent, *expected = (part.strip() for part in line.split("|"))
            heard, found = await home.recognized(sentence)
            what = str(found.pop("what", ""))
            given = {f"{name}={value}" for name, value in found.items()}
            if [heard, what, given] != [intent, expected[0], slots_of(expected[1])]:
                wrong.append(f"{sentence}: {heard} {what} {given}")
        for sentence in spoken["declined"]:
            said, failed = await home.say(sentence)
            if not failed or home.here.state.playlist:
                wrong.append(f"done: {sentence}: {said}")
        for line in spoken["show"]:
            count += 1
            sentence, title, where, *seconds = line.split(" | ")
            heard, found = await home.recognized(sentence)
            fault = await shown(home, sentence, title, where, *map(int, seconds))
            if heard != "Dp1Show" or fault:
                wrong.append(f"{sentence}: {heard} {found} {fault}")
        assert not wrong, "\n".join(wrong)
        assert count >= (95 if language == "en" else 60)


def slots_of(text: str) -> set[str]:
    """Return the slots of a line, whose values may have spaces."""
    return set(re.split(r" (?=\w+=)", text)) - {""}


async def shown(
    home: Home, sentence: str, title: str, where: str, seconds: float = 0
) -> str:
    """Say that something is to be shown, and return what is wrong with what happens."""
    said, failed = await home.say(sentence)
    if failed or title not in said:
        return said
    walls = {"here": [home.here], "there": [home.there]}
    for wall in walls.get(where, [home.here, home.there]):
        playlist = (wall.state.playlist or {}).get("title")
        if playlist != title:
            return f"{said} but {playlist}"
        if home.attribute(wall, "friendly_name") not in said:
            return said
    heard, found = await home.recognized(sentence)
    units = {"seconds": 1, "minutes": 60, "hours": 3600}
    asked = sum(found.get(unit, 0) * size for unit, size in units.items())
    return "" if asked == seconds else f"{heard}: {asked} seconds"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_said_is_done(
    hass: HomeAssistant, tmp_path: Path, language: str
) -> None:
    """The first sentence of each kind does what it says, and the answer says what was done."""
    spoken = table(language)
    async with Home.of(hass, tmp_path, language, spoken["names"]) as home:
        await home.cast(SOLO, home.there)
        await home.cast(NET_EVIL, home.here)
        wall, state = home.here, lambda: home.here.state
        work, artist = home.attribute(wall, "media_title"), "Jun Joubert"
        here = home.attribute(wall, "friendly_name")
        ask, playback, adjust = spoken["ask"], spoken["playback"], spoken["adjust"]
        for kind in ask:
            said = await home.does(ask[kind][0])
            expected = {
                "when": "20",
                "exhibition": NET_EVIL,
                "next": state().items[1]["title"],
                "hangs": "Ines Haddad",
                "more": artist,
            }
            assert expected.get(kind, work) in said, kind
            if kind in ("what", "who"):
                assert artist in said
        said = await home.does(spoken["favorite"]["add"][0])
        assert work in said
        assert [node.title for node in home.library.favorites.nodes()] == [work]
        said = await home.does(spoken["choice"]["favorites"][0])
        assert here in said
        await until(lambda: len(state().items) == 1)
        assert work in await home.does(spoken["favorite"]["remove"][0])
        assert not home.library.favorites.nodes()
        await home.cast(NET_EVIL, home.here)
        for kind, effect in PLAYBACK.items():
            said = await home.does(playback[kind][0])
            assert effect(home), kind
            assert here in said, kind
        before = wall.state.orientation
        for kind, effect in ADJUST.items():
            said = await home.does(adjust[kind][0])
            assert effect(home), kind
            assert here in said, kind
        assert wall.state.orientation != before
        for kind in ("new", "other", "daily"):
            old = wall.state.playlist
            said = await home.does(spoken["choice"][kind][0])
            assert wall.state.playlist != old or kind == "daily"
            assert here in said
        await home.does(spoken["sleep"]["here"][0])
        assert (home.here.state.asleep, home.there.state.asleep) == (True, False)
        await home.does(spoken["wake"]["here"][0])
        assert not home.here.state.asleep
        await home.does(spoken["sleep"]["all"][0])
        assert home.here.state.asleep
        assert home.there.state.asleep
        await home.does(spoken["wake"]["all"][0])
        assert not home.here.state.asleep
        assert not home.there.state.asleep
        _, failed = await home.say(spoken["camera"][0])
        assert failed
        async_expose_entity(hass, "conversation", CAMERA, True)
        assert "Doorbell" in await home.does(spoken["camera"][0])


PLAYBACK: dict[str, Callable[[Home], bool]] = {
    "next": lambda home: home.here.state.position == 1,
    "previous": lambda home: home.here.state.position == 0,
    "shuffle": lambda home: home.here.state.shuffle,
    "unshuffle": lambda home: not home.here.state.shuffle,
    "unrepeat": lambda home: home.here.state.loop_mode == "none",
    "repeat": lambda home: home.here.state.loop_mode == "playlist",
    "stay": lambda home: home.here.state.loop_mode == "one",
    "go_on": lambda home: home.here.state.loop_mode == "playlist",
}
ADJUST: dict[str, Callable[[Home], bool]] = {
    "label_on": lambda home: home.here.state.settings["tombstone"] == "on",
    "label_off": lambda home: home.here.state.settings["tombstone"] == "off",
    "rotate": lambda home: True,
    "brighter": lambda home: home.here.device.panel.values["brightness"] == 80,
    "darker": lambda home: home.here.device.panel.values["brightness"] == 65,
}
