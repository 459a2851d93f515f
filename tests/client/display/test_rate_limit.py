"""The part of a display's command rates that is ours."""

import asyncio

import pytest

from custom_components.dp1.client.display.transport import RateLimit

from tests.client.tables import tables

TABLES = tables("rate_limit")


class Clock:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        """Start at an odd moment."""
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        """Tell the time."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds


class Gate:
    """The display's own token bucket, with the burst and rate that the firmware has."""

    def __init__(self, clock: Clock, rate: float, burst: float) -> None:
        """Start full."""
        self._clock, self._rate, self._burst = clock, rate, burst
        self.tokens = burst
        self._at = clock()

    def admit(self) -> bool:
        """Admit one command, or refuse it."""
        grown = self.tokens + (self._clock() - self._at) * self._rate
        self.tokens, self._at = min(self._burst, grown), self._clock()
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True


GATES = TABLES["gates"]


@pytest.mark.parametrize("command", GATES)
async def test_a_storm_never_reaches_the_limit(command: str) -> None:
    """However many commands there are, the display's gate admits each, and keeps something for the phone."""
    clock = Clock()
    rate_limit = RateLimit(clock, clock.sleep)
    rate, burst = GATES[command]
    gate = Gate(clock, rate, burst)
    for rest in (0, 600):
        clock.now += rest
        for _ in range(int(burst) * 4):
            await rate_limit.acquire(command)
            assert gate.admit()
    left = 0 if command == "rotate" else 0.5
    assert gate.tokens >= left


@pytest.mark.parametrize("command", GATES)
async def test_after_a_rest_commands_go_out_at_once(command: str) -> None:
    """A single command never waits, nor does it after a rest."""
    clock = Clock()
    rate_limit = RateLimit(clock, clock.sleep)
    await rate_limit.acquire(command)
    clock.now += 60
    await rate_limit.acquire(command)
    # Any orientation is two quarter turns away at most.
    await rate_limit.acquire("rotate")
    assert not clock.slept


async def test_buckets_are_shared_as_on_the_display() -> None:
    """Named commands have a bucket each; touches share one, and so does everything that is not named."""
    clock = Clock()
    rate_limit = RateLimit(clock, clock.sleep)
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
    rate_limit = RateLimit(clock, lambda _: asyncio.Event().wait())
    await rate_limit.acquire("reboot")
    waiting = asyncio.create_task(rate_limit.acquire("reboot"))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    clock.now += 6.25
    await rate_limit.acquire("reboot")


@pytest.mark.parametrize(
    ("command", "attempt", "retry_after", "least"), TABLES["pauses"]
)
async def test_backing_off(
    command: str, attempt: int, retry_after: float | None, least: float
) -> None:
    """The wait grows, honors what the display asks for up to 30 s, and varies a little."""
    clock = Clock()
    rate_limit = RateLimit(clock, clock.sleep)
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
