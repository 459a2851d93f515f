"""Test the order of writes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from custom_components.dp1.client.display.transport import RequestQueue

from tests.client.tables import tables


class Wire:
    """Sends values one after the other when the test lets them."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.busy = 0
        self.most_busy = 0

    def send(self, value: str) -> Callable[[], Awaitable[str]]:
        async def send() -> str:
            """Take some time over it."""
            self.sent.append(value)
            self.busy += 1
            self.most_busy = max(self.busy, self.most_busy)
            try:
                await asyncio.sleep(0.01)
            finally:
                self.busy -= 1
            if value == "fail":
                raise OSError(value)
            return value.upper()

        return send


async def started[T](*calls: Awaitable[T]) -> list[asyncio.Task[T]]:
    """Start calls in order."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return tasks  # type: ignore[return-value]


@pytest.mark.parametrize(
    "case", tables("request_queue")["writes"], ids=lambda case: case["name"]
)
async def test_writes(case: dict[str, Any]) -> None:
    """Writes never overlap, and a newer one takes the place of those of its slot that wait."""
    wire, writes = Wire(), RequestQueue()
    tasks = await started(
        *(writes.run(wire.send(it), slot) for it, slot in case["calls"])
    )
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert [str(answer) for answer in answers] == case["results"]
    assert wire.sent == case["sent"]
    assert wire.most_busy == 1


async def test_a_newer_write_replaces_all_that_wait() -> None:
    """Whoever waits for a write that is itself replaced gets the result of the newest."""
    wire, writes = Wire(), RequestQueue()
    tasks = await started(
        writes.run(wire.send("1"), "volume"),
        writes.run(wire.send("cast")),
        writes.run(wire.send("2"), "volume"),
    )
    while not wire.sent:
        await asyncio.sleep(0)
    tasks += await started(writes.run(wire.send("3"), "volume"))
    assert await asyncio.gather(*tasks) == ["3", "CAST", "3", "3"]
    assert wire.sent == ["cast", "3"]


@pytest.mark.parametrize("given_up", [1, 2])
async def test_giving_up_while_waiting(given_up: int) -> None:
    """The value that is left is sent, once, whether it is the newest or an older one."""
    wire, writes = Wire(), RequestQueue()
    tasks = await started(
        writes.run(wire.send("busy")),
        writes.run(wire.send("1"), "volume"),
        writes.run(wire.send("2"), "volume"),
    )
    tasks.pop(given_up).cancel()
    left = str(3 - given_up)
    assert await asyncio.gather(*tasks) == ["BUSY", left]
    assert wire.sent == ["busy", left]
    assert await writes.run(wire.send("3"), "volume") == "3"


async def test_giving_up_the_newest_in_flight_leaves_the_older_value() -> None:
    """Whoever waits for a write that is given up sends their own."""
    wire, writes = Wire(), RequestQueue()
    older, old, newest = await started(
        *(writes.run(wire.send(value), "volume") for value in "123")
    )
    while not wire.sent:
        await asyncio.sleep(0)
    newest.cancel()
    assert await asyncio.gather(older, old) == ["2", "2"]
    assert wire.sent == ["3", "2"]


async def test_giving_up_in_flight_ends_it() -> None:
    """A write without callers is canceled, and the next one is sent."""
    wire, writes = Wire(), RequestQueue()
    (only,) = await started(writes.run(wire.send("1"), "volume"))
    assert wire.busy == 1
    only.cancel()
    with pytest.raises(asyncio.CancelledError):
        await only
    assert await writes.run(wire.send("2"), "volume") == "2"
    assert wire.most_busy == 1
