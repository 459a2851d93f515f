"""Test the rules of a player with a screen and with the simulated display, which share no code: one list of rules."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from custom_components.dp1.screen.casting import Caster

from ..displays import playlist
from ..simulators.display import DisplaySimulator
from ..simulators.raw_display import NOW
from .conftest import answer_of

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns")

RULES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("rules.yaml").read_text()
)


@dataclass
class Player:
    """A display by its address."""

    port: int

    async def send(self, command: str, **request: Any) -> Any:
        return await answer_of(self.port, command, request)

    async def cast(self, *titles: str, **more: Any) -> Any:
        """Cast works of five minutes."""
        works = playlist(*titles)
        return await self.send("displayPlaylist", dp1_call=works, **more)

    async def until_asleep(self, asleep: bool) -> None:
        """Wait for the page, which an FF1 changes after its answer."""
        async with asyncio.timeout(5):
            while (await self.send("checkStatus"))["isPaused"] is not asleep:
                await asyncio.sleep(0.01)

    async def titles(self) -> list[str]:
        """Return the titles in playing order, the current one first."""
        status = await self.send("checkStatus")
        titles = [item["title"] for item in status.get("items") or ()]
        index = status["index"] % len(titles) if titles else 0
        return titles[index:] + titles[:index]

    async def follow(self, step: dict[str, Any]) -> None:
        """Take a step of a rule, and compare what comes of it."""
        expected = {key: step.pop(key, {}) for key in ("answer", "status")}
        titles, field = step.pop("titles", None), step.pop("in", None)
        answer = await self.send("checkStatus")
        if "cast" in step:
            answer = await self.cast(*step["cast"], intent=NOW)
        elif "refresh" in step:
            answer = await self.cast(*step["refresh"], refresh=True)
        elif "send" in step:
            answer = await self.send(step.pop("send"), **step)
        wanted = {**expected["answer"], **expected["status"]}
        got = answer[field] if field else answer
        assert {key: got.get(key) for key in wanted} == wanted
        assert titles is None or await self.titles() == titles


@pytest.fixture(params=["simulator", "screen"])
async def player(
    request: pytest.FixtureRequest, display: DisplaySimulator, caster: Caster
) -> Player:
    return Player(display.port if request.param == "simulator" else caster.port)


@pytest.mark.parametrize("rule", RULES)
async def test_rules(player: Player, rule: str) -> None:
    """A player keeps a rule."""
    for step in RULES[rule]:
        await player.follow(dict(step))


@pytest.mark.parametrize(
    "source", ["", "ipfs://Qm", "ar://x", "data:image/png;base64,"]
)
async def test_unplayable(player: Player, source: str) -> None:
    """One work that cannot be shown refuses all."""
    items = [{"id": "1", "title": "A", "source": source}]
    document = {"title": "X", "items": items}
    answer = await player.send("displayPlaylist", dp1_call=document, intent=NOW)
    assert answer.get("ok") is not True
    assert await player.titles() == []


async def test_shuffle(player: Player) -> None:
    """Shuffle keeps the current work, and gives the order back."""
    titles = list("ABCDEFGHIJ")
    await player.cast(*titles, intent=NOW)
    await player.send("moveToArtwork", index=4)
    assert await player.send("setShuffle", enabled=True) == {"ok": True}
    order = await player.titles()
    assert (order[0], sorted(order)) == ("E", titles)
    assert order[1:] != titles[:4] + titles[5:]
    assert (await player.send("checkStatus"))["index"] == 0
    await player.send("setShuffle", enabled=False)
    assert await player.titles() == titles[4:] + titles[:4]


async def test_sleep(player: Player) -> None:
    """A cast while asleep is kept, and does not wake."""
    answer = await player.send("sleepNow")
    assert answer["sleepSchedule"]["currentState"] == "sleeping"
    assert (await player.cast("A", intent=NOW))["ok"] is True
    await player.until_asleep(True)
    await player.send("wakeNow")
    await player.until_asleep(False)
    assert await player.titles() == ["A"]
