"""A minimal client of a simulated display, which shares no code with the integration."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
import json
from typing import Any

import aiohttp
from multidict import CIMultiDictProxy

from .display import DisplaySimulator, ManualClock

type Json = dict[str, Any]

NOW: Json = {"action": "now_display"}
NOT_GIVEN = object()
# What displays have.
FIRMWARE = ("A1", "B")


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer."""

    status: int
    body: bytes
    headers: CIMultiDictProxy[str]

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class RawClient:
    """Sends requests unchanged."""

    def __init__(
        self, simulator: DisplaySimulator, session: aiohttp.ClientSession
    ) -> None:
        self.simulator = simulator
        self.session = session

    async def request(self, method: str, path: str, **options: Any) -> Answer:
        url = f"{self.simulator.url}{path}"
        async with self.session.request(method, url, **options) as response:
            return Answer(response.status, await response.read(), response.headers)

    async def get(self, path: str, **options: Any) -> Answer:
        return await self.request("GET", path, **options)

    async def post(self, body: bytes, **options: Any) -> Answer:
        """Send a body to the route of commands."""
        return await self.request("POST", "/api/cast", data=body, **options)

    async def send(self, command: str, request: object = NOT_GIVEN) -> Answer:
        body: Json = {"command": command}
        if request is not NOT_GIVEN:
            body["request"] = request
        return await self.post(json.dumps(body).encode())

    async def ask(self, command: str, /, **arguments: Any) -> Any:
        answer = await self.send(command, arguments)
        assert answer.status == 200, (command, answer.status, answer.text)
        return answer.json

    async def leaf(self, command: str, /, **arguments: Any) -> Any:
        """Send a command of the player, and return the innermost reply."""
        reply = await self.ask(command, **arguments)
        assert list(reply) == ["message"]
        return reply["message"]

    async def cast(self, document: object, **more: Any) -> Any:
        arguments = {"dp1_call": document, "intent": NOW, **more}
        return await self.leaf("displayPlaylist", **arguments)

    async def status(self) -> Any:
        return await self.leaf("checkStatus")


@asynccontextmanager
async def talking(profile: str, **options: Any) -> AsyncIterator[RawClient]:
    async with (
        DisplaySimulator(profile, **options) as simulator,
        # A kept connection would delay a restart of the display.
        aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(force_close=True)
        ) as session,
    ):
        yield RawClient(simulator, session)


@asynccontextmanager
async def timed(
    profile: str, **options: Any
) -> AsyncIterator[tuple[RawClient, ManualClock]]:
    """Run a display with a clock that the test moves, and a client; it does not push by itself for days."""
    clock = options.pop("clock", None) or ManualClock()
    options.setdefault("poll_interval", 10 * 86400)
    options.setdefault("refresh_interval", 10 * 86400)
    async with talking(profile, clock=clock, **options) as client:
        yield client, clock


def item(number: int, **more: Any) -> Json:
    return {
        "id": f"i-{number}",
        "title": f"Work {number}",
        "source": f"https://art.example.org/{number}",
        "duration": 60,
        **more,
    }


def playlist(count: int = 3, **more: Any) -> Json:
    return {
        "dpVersion": "1.1.0",
        "id": "p-1",
        "title": "Evening",
        "items": [item(number) for number in range(count)],
        **more,
    }


async def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def frames(
    socket: aiohttp.ClientWebSocketResponse, seconds: float = 0.2
) -> list[Json]:
    """Return everything that is pushed within a time."""
    found = []
    try:
        async with asyncio.timeout(seconds):
            while True:
                found.append(json.loads(await socket.receive_str()))
    except TimeoutError:
        return found


async def gather[T](*running: Awaitable[T]) -> list[T]:
    """Wait for several coroutines."""
    return list(await asyncio.gather(*running))
