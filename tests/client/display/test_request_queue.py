"""Test the order of writes."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from custom_components.dp1.client.display.transport import RequestQueue


class Wire:
    """Sends values one after the other when the test lets them."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.busy = 0
        self.most_busy = 0

    def send(self, value: str, fail: bool = False) -> Callable[[], Awaitable[str]]:
        async def send() -> str:
            """Take some time over it."""
            self.sent.append(value)
            self.busy += 1
            self.most_busy = max(self.busy, self.most_busy)
            try:
                await asyncio.sleep(0.01)
            finally:
                self.busy -= 1
            if fail:
                raise OSError(value)
            return value.upper()

        return send


async def started[T](*calls: Awaitable[T]) -> list[asyncio.Task[T]]:
    """Start calls in order."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return tasks  # type: ignore[return-value]


async def test_writes_keep_their_order_and_never_overlap() -> None:
    """Writes are sent one at a time in order, with and without a slot."""
    wire, writes = Wire(), RequestQueue()
    tasks = await started(
        writes.run(wire.send("a")),
        writes.run(wire.send("b"), "slot b"),
        writes.run(wire.send("c")),
        writes.run(wire.send("d"), "slot d"),
    )
    assert await asyncio.gather(*tasks) == ["A", "B", "C", "D"]
    assert wire.sent == ["a", "b", "c", "d"]
    assert wire.most_busy == 1


async def test_only_the_newest_that_waits_is_sent() -> None:
    """Of the waiting writes of a slot only the newest is sent, and all get its result."""
    wire, writes = Wire(), RequestQueue()
    first = await started(writes.run(wire.send("1"), "volume"))
    others = await started(
        *(writes.run(wire.send(str(number)), "volume") for number in range(2, 20))
    )
    assert await asyncio.gather(*first, *others) == ["1", *["19"] * 18]
    assert wire.sent == ["1", "19"]


async def test_the_newest_goes_where_it_stands() -> None:
    """Other writes in between are sent before the newest."""
    wire, writes = Wire(), RequestQueue()
    tasks = await started(
        writes.run(wire.send("busy")),
        writes.run(wire.send("shuffle on"), "shuffle"),
        writes.run(wire.send("cast")),
        writes.run(wire.send("shuffle off"), "shuffle"),
    )
    await asyncio.gather(*tasks)
    assert wire.sent == ["busy", "cast", "shuffle off"]


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


async def test_slots_do_not_disturb_each_other() -> None:
    """A write only replaces others of its slot."""
    wire, writes = Wire(), RequestQueue()
    tasks = await started(
        writes.run(wire.send("busy")),
        writes.run(wire.send("b1"), "brightness"),
        writes.run(wire.send("c1"), "contrast"),
        writes.run(wire.send("b2"), "brightness"),
    )
    await asyncio.gather(*tasks)
    assert wire.sent == ["busy", "c1", "b2"]


async def test_a_failure_is_everybodys_who_waits_for_it() -> None:
    """All callers get the error, and the next write is sent."""
    wire, writes = Wire(), RequestQueue()
    tasks = await started(
        writes.run(wire.send("busy")),
        writes.run(wire.send("1"), "volume"),
        writes.run(wire.send("2", fail=True), "volume"),
        writes.run(wire.send("after")),
    )
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [str(result) for result in results] == ["BUSY", "2", "2", "AFTER"]


async def test_giving_up_the_newest_leaves_the_older_value() -> None:
    """If the newest caller is canceled, the older value is sent."""
    wire, writes = Wire(), RequestQueue()
    busy, older, newest = await started(
        writes.run(wire.send("busy")),
        writes.run(wire.send("1"), "volume"),
        writes.run(wire.send("2"), "volume"),
    )
    newest.cancel()
    assert await asyncio.gather(busy, older) == ["BUSY", "1"]
    assert wire.sent == ["busy", "1"]
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


async def test_giving_up_an_older_value_changes_nothing() -> None:
    """The newest is sent once."""
    wire, writes = Wire(), RequestQueue()
    busy, older, newest = await started(
        writes.run(wire.send("busy")),
        writes.run(wire.send("1"), "volume"),
        writes.run(wire.send("2"), "volume"),
    )
    older.cancel()
    assert await asyncio.gather(busy, newest) == ["BUSY", "2"]
    assert wire.sent == ["busy", "2"]


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
