"""The part of a display's command rates that is ours."""

import asyncio
from typing import override

import pytest

from custom_components.dp1.client.display.transport import RateLimit

from tests.client.tables import tables
from tests.simulators.display.clock import Clock as RealClock
from tests.simulators.display.firmware import Firmware, Profile
from tests.simulators.display.gate import StormGate

TABLES = tables("rate_limit")


class Clock(RealClock):
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        """Start at an odd moment."""
        super().__init__()
        self.passed = 1000.0
        self.slept: list[float] = []

    @override
    def monotonic(self) -> float:
        return self.passed

    @override
    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.passed += seconds


async def nothing() -> None:
    """Carry out a command."""


COMMANDS = TABLES["commands"]


@pytest.mark.parametrize("command", COMMANDS)
async def test_a_storm_never_reaches_the_limit(command: str) -> None:
    """However many commands there are, the display's gate admits each, and keeps something for the phone."""
    clock = Clock()
    rate_limit = RateLimit(clock.monotonic, clock.sleep)
    gates = [StormGate(Firmware.of(each), clock) for each in (Profile.A1, Profile.B)]
    for rest in (0, 600):
        clock.passed += rest
        for _ in range(4 * int(max(gate.class_of(command).burst for gate in gates))):
            await rate_limit.acquire(command)
            for gate in gates:
                await gate.run(command, None, nothing)
    left = [bucket.tokens for gate in gates for bucket in gate.buckets.values()]
    assert min(left) >= (0 if command == "rotate" else 0.5)


@pytest.mark.parametrize("command", COMMANDS)
async def test_after_a_rest_commands_go_out_at_once(command: str) -> None:
    """A single command never waits, nor does it after a rest."""
    clock = Clock()
    rate_limit = RateLimit(clock.monotonic, clock.sleep)
    await rate_limit.acquire(command)
    clock.passed += 60
    await rate_limit.acquire(command)
    # Any orientation is two quarter turns away at most.
    await rate_limit.acquire("rotate")
    assert not clock.slept


async def test_buckets_are_shared_as_on_the_display() -> None:
    """Named commands have a bucket each; touches share one, and so does everything that is not named."""
    clock = Clock()
    rate_limit = RateLimit(clock.monotonic, clock.sleep)
    for command in ("displayPlaylist", "refreshArtwork", "displayDefaultPlaylist"):
        await rate_limit.acquire(command)
        await rate_limit.acquire(command)
    assert not clock.slept
    for number in range(14):
        await rate_limit.acquire(("setVolume", "checkStatus", "toggleMute")[number % 3])
    assert clock.slept == [pytest.approx(1 / 8)]
    clock.slept.clear()
    for number in range(67):
        await rate_limit.acquire(("tapGesture", "longPressGesture")[number % 2])
    assert len(clock.slept) == 1


async def test_who_comes_first_is_served_first() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        """Note how long."""
        waits.append(seconds)

    rate_limit = RateLimit(lambda: 0.0, sleep)
    await asyncio.gather(*(rate_limit.acquire("displayPlaylist") for _ in range(5)))
    assert waits == [pytest.approx(wait) for wait in (1.25, 2.5, 3.75)]


async def test_who_gives_up_leaves_the_token_to_others() -> None:
    """A command that is cancelled while it waits costs nothing."""
    clock = Clock()
    rate_limit = RateLimit(clock.monotonic, lambda _: asyncio.Event().wait())
    await rate_limit.acquire("reboot")
    waiting = asyncio.create_task(rate_limit.acquire("reboot"))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    clock.passed += 6.25
    await rate_limit.acquire("reboot")


@pytest.mark.parametrize(
    ("command", "attempt", "retry_after", "least"), TABLES["pauses"]
)
async def test_backing_off(
    command: str, attempt: int, retry_after: float | None, least: float
) -> None:
    """The wait grows, honors what the display asks for up to 30 s, and varies a little."""
    clock = Clock()
    rate_limit = RateLimit(clock.monotonic, clock.sleep)
    for _ in range(20):
        await rate_limit.back_off(command, attempt, retry_after)
    assert all(least <= slept <= least * 1.25 for slept in clock.slept)
    assert len(set(clock.slept)) > 1


async def test_a_cancelled_rotation_after_other_limits_have_come() -> None:
    """It is cancelled, and the next one is sent at once."""
    rate_limit = RateLimit(sleep=lambda _: asyncio.Event().wait())
    for _ in range(20):
        rotation = asyncio.create_task(rate_limit.acquire("rotate"))
        await asyncio.sleep(0)
        if not rotation.done():
            break
    rate_limit.use_contract("2")
    rotation.cancel()
    with pytest.raises(asyncio.CancelledError):
        await rotation
    await rate_limit.acquire("rotate")
