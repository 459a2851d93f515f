"""Test the rules of a player with a screen and with the simulated display, which share no code: one list of rules."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from ..displays import playlist
from ..simulators.display import DisplaySimulator
from ..simulators.raw_display import NOW
from .conftest import answer_of

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns")


@dataclass
class Player:
    """A display by its address."""

    port: int

    async def send(self, command: str, **request: Any) -> Any:
        return await answer_of(self.port, command, request)

    async def cast(self, *titles: str, **more: Any) -> Any:
        """Cast works of five minutes."""
        return await self.send(
            "displayPlaylist", dp1_call=playlist(*titles, **more), intent=NOW
        )

    async def until_asleep(self, asleep: bool) -> None:
        """Wait for the page, which an FF1 changes after its answer."""
        async with asyncio.timeout(5):
            while (await self.send("checkStatus"))["isPaused"] is not asleep:
                await asyncio.sleep(0.01)

    async def titles(self) -> list[str]:
        """Return the titles in playing order, the current one first."""
        status = await self.send("checkStatus")
        titles = [item["title"] for item in status["items"]]
        index = status["index"] % len(titles)
        return titles[index:] + titles[:index]


@pytest.fixture(params=["simulator", "screen"])
async def player(
    request: pytest.FixtureRequest, display: DisplaySimulator, server: Any
) -> Player:
    return Player(display.port if request.param == "simulator" else server.port)


async def test_start(player: Player) -> None:
    """A cast starts with its first work, in order, and loops."""
    await player.cast("A", "B")
    await player.send("setShuffle", enabled=True)
    await player.send("setLoop", mode="one")
    assert (await player.cast("C", "D", "E"))["ok"] is True
    status = await player.send("checkStatus")
    assert (status["index"], status["shuffle"], status["loopMode"]) == (
        0,
        False,
        "playlist",
    )
    assert await player.titles() == ["C", "D", "E"]


@pytest.mark.parametrize(
    ("request_", "status"),
    [({}, 500), ({"dp1_call": []}, 500), ({"playlist": {}}, 500)],
)
async def test_no_playlist(
    player: Player, request_: dict[str, Any], status: int
) -> None:
    """Without a playlist nothing changes."""
    await player.cast("A")
    assert await player.send("displayPlaylist", **request_, intent=NOW) == {
        "status": status
    }
    assert await player.titles() == ["A"]


@pytest.mark.parametrize(
    "source", ["", "ipfs://Qm", "ar://x", "data:image/png;base64,"]
)
async def test_unplayable(player: Player, source: str) -> None:
    """One work that cannot be shown refuses all."""
    items = [{"id": "1", "title": "A", "source": source}]
    answer = await player.send(
        "displayPlaylist", dp1_call={"title": "X", "items": items}, intent=NOW
    )
    assert answer.get("ok") is not True
    assert not (await player.send("checkStatus")).get("items")


async def test_move(player: Player) -> None:
    """A work is shown by its place, counted around."""
    await player.cast("A", "B", "C")
    assert await player.send("moveToArtwork", index=2) == {"ok": True}
    assert await player.titles() == ["C", "A", "B"]
    assert (await player.send("moveToArtwork", index=-1))["ok"] is False
    await player.send("moveToArtwork", index=4)
    assert (await player.titles())[0] == "B"


async def test_shuffle(player: Player) -> None:
    """Shuffle keeps the current work, and gives the order back."""
    titles = list("ABCDEFGHIJ")
    await player.cast(*titles)
    await player.send("moveToArtwork", index=4)
    assert await player.send("setShuffle", enabled=True) == {"ok": True}
    status = await player.send("checkStatus")
    order = [item["title"] for item in status["items"]]
    assert (status["index"], order[0], sorted(order)) == (0, "E", titles)
    assert order[1:] != titles[:4] + titles[5:]
    await player.send("setShuffle", enabled=False)
    assert await player.titles() == titles[4:] + titles[:4]


async def test_refresh(player: Player) -> None:
    """A refresh replaces the works around the current one."""
    await player.cast("A", "B")
    await player.send("moveToArtwork", index=1)
    longer = playlist("A", "B", "C")
    await player.send("displayPlaylist", dp1_call=longer, refresh=True)
    assert await player.titles() == ["B", "C", "A"]


async def test_sleep(player: Player) -> None:
    """A cast while asleep is kept, and does not wake."""
    assert (await player.send("sleepNow"))["sleepSchedule"][
        "currentState"
    ] == "sleeping"
    assert (await player.cast("A"))["ok"] is True
    await player.until_asleep(True)
    await player.send("wakeNow")
    await player.until_asleep(False)
    assert await player.titles() == ["A"]


async def test_schedule(player: Player) -> None:
    """A schedule keeps what is left out, and refuses what is none."""
    answer = await player.send("setSleepSchedule", enabled=True, sleepTime="21:30")
    schedule = answer["sleepSchedule"]
    assert (schedule["enabled"], schedule["sleepTime"], schedule["wakeTime"]) == (
        True,
        "21:30",
        "07:30",
    )
    assert await player.send("setSleepSchedule", enabled=True, wakeTime="21:30") == {
        "status": 500
    }
    answer = await player.send("setSleepSchedule", enabled=True, days=["sat", "sun"])
    assert set(answer["sleepSchedule"]["days"]) == {"sat", "sun"}


async def test_settings(player: Player) -> None:
    """Settings last, or end with the work."""
    await player.cast("A", "B")
    assert (await player.send("updateDisplaySettings", isSaved=True, tombstone="on"))[
        "ok"
    ] is True
    await player.send("updateDisplaySettings", isSaved=False, scaling="stretch")
    settings = (await player.send("checkStatus"))["deviceSettings"]
    assert (settings["tombstone"], settings["scaling"]) == ("on", "stretch")
    await player.send("moveToArtwork", index=1)
    settings = (await player.send("checkStatus"))["deviceSettings"]
    assert (settings["tombstone"], settings["scaling"]) == ("on", "fit")
    await player.send("updateArtFraming", frameConfig=1)
    assert (await player.send("checkStatus"))["deviceSettings"]["scaling"] == "fill"


@pytest.mark.parametrize(
    ("seconds", "ok"), [(30, True), (None, True), (0, False), ("x", False)]
)
async def test_default_duration(player: Player, seconds: object, ok: bool) -> None:
    """The seconds for each work are more than none, or cleared."""
    await player.cast("A")
    assert (await player.send("updateDefaultDuration", durationSeconds=seconds))[
        "ok"
    ] is ok


async def test_rotation(player: Player) -> None:
    """A screen is turned step by step."""
    turns = [
        (await player.send("rotate", clockwise=False))["orientation"] for _ in range(4)
    ]
    assert turns == ["portrait", "landscapeReverse", "portraitReverse", "landscape"]


async def test_clear(player: Player) -> None:
    """What is shown can be taken away."""
    await player.cast("A")
    await player.send("disconnect")
    assert not (await player.send("checkStatus")).get("items")


async def test_unknown(player: Player) -> None:
    """What a player does not know is refused."""
    assert await player.send("nextArtwork") == {"ok": False}
