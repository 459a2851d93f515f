"""Helpers for tests of several displays: a phone that controls them, and playlists by URL."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant, State

from .client.scripted_server import Reply, Request, ScriptedServer
from .displays import entry_of, set_up, state_of, until
from .simulators.display import DisplaySimulator


def series(name: str, works: int) -> dict[str, Any]:
    """Return a playlist of distinct works."""
    return {
        "dpVersion": "1.1.0",
        "title": name,
        "items": [
            {
                "id": f"{sum(map(ord, name)):08}-0000-4000-8000-{number:012}",
                "title": f"{name} {number}",
                "source": f"https://art.example.org/{name}/{number}".lower().replace(
                    " ", "-"
                ),
                "duration": 300,
                "license": "open",
            }
            for number in range(1, works + 1)
        ],
    }


def titles(document: Sequence[dict[str, Any]]) -> list[str]:
    return [item["title"] for item in document]


@asynccontextmanager
async def served(*documents: dict[str, Any]) -> AsyncIterator[list[str]]:
    def answer(request: Request) -> Reply:
        number = request.path.partition("?")[0].rpartition("/")[2]
        return Reply(200, documents[int(number)])

    async with ScriptedServer.run(answer) as server:
        yield [f"{server.url}/playlists/{number}" for number, _ in enumerate(documents)]


@dataclass
class House:
    """The displays of one Home Assistant by name, and the URL of the camera at the door."""

    hass: HomeAssistant
    door: str = ""
    walls: dict[str, DisplaySimulator] = field(default_factory=dict)
    entries: dict[str, MockConfigEntry] = field(default_factory=dict)

    @classmethod
    @asynccontextmanager
    async def of(
        cls, hass: HomeAssistant, *names: str, profile: str = "B", **options: Any
    ) -> AsyncIterator[House]:
        house = cls(hass)
        async with AsyncExitStack() as stack:
            camera = Reply(200, b"\xff\xd8", {"Content-Type": "image/jpeg"})
            door = await stack.enter_async_context(ScriptedServer.run(camera))
            house.door = door.url
            for number, name in enumerate(names):
                device_id = f"FF1-{number:08}"
                wall = await stack.enter_async_context(
                    DisplaySimulator(
                        profile=profile,
                        device_id=device_id,
                        poll_interval=0.1,
                        page_delay=0.02,
                        **{"storm_gate": False, **options},
                    )
                )
                wall.caster.preflight = False
                house.walls[name] = wall
                house.entries[name] = entry = entry_of(
                    wall, unique_id=device_id, title=name.capitalize()
                )
                await set_up(hass, entry)
                assert entry.state is ConfigEntryState.LOADED
            for entity_id in map(house.entity, names):
                await until(lambda: hass.states.get(entity_id))  # noqa: B023
            yield house

    def entity(self, name: str) -> str:
        return f"media_player.{name}"

    def state(self, name: str) -> State:
        return state_of(self.hass, self.entity(name))

    def attribute(self, name: str, attribute: str) -> Any:
        return self.state(name).attributes.get(attribute)

    async def do(
        self, action: str, *names: str, response: bool = False, **data: Any
    ) -> Any:
        domain, _, service = action.rpartition(".")
        return await self.hass.services.async_call(
            domain or "media_player",
            service,
            {"entity_id": list(map(self.entity, names)), **data},
            blocking=True,
            return_response=response,
        )

    async def show(self, *names: str, **data: Any) -> None:
        await self.do("dp1.cast_playlist", *names, **data)

    async def play(self, name: str, media_id: str, **data: Any) -> None:
        """Play media like a dashboard or an automation."""
        await self.do(
            "play_media",
            name,
            media_content_type=data.pop("kind", ""),
            media_content_id=media_id,
            **data,
        )

    async def phone(self, name: str, command: str, **request: Any) -> None:
        """Send a command like the app of the owner, and wait until Home Assistant is updated."""
        wall = self.walls[name]
        async with (
            aiohttp.ClientSession() as session,
            session.post(
                f"{wall.url}/api/cast", json={"command": command, "request": request}
            ) as answer,
        ):
            assert answer.status == 200, await answer.text()
        await self.settled(name)

    async def phone_casts(self, name: str, document: dict[str, Any]) -> None:
        await self.phone(
            name,
            "displayPlaylist",
            dp1_call=document,
            intent={"action": "now_display"},
        )
        await until(lambda: self.attribute(name, "media_playlist") == document["title"])

    async def settled(self, name: str) -> None:
        """Wait until Home Assistant shows the state of the display."""
        wall = self.walls[name]

        def same() -> bool:
            """Return whether both agree."""
            shown, state = wall.state, self.state(name)
            if shown.asleep or state.state == "off":
                return shown.asleep is (state.state == "off")
            return (
                state.attributes.get("media_title") == (shown.current_title or None)
                and state.attributes.get("shuffle") is shown.shuffle
            )

        await until(same)

    def hanging(self, name: str) -> str:
        return self.walls[name].state.current_title
