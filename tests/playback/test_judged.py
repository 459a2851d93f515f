"""Test that what no display can show is told at every entrance, and that nothing at home is asked for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import json
from typing import Any

import pytest

from custom_components.dp1 import addresses as addresses_module
from custom_components.dp1.client import guard
from homeassistant.components import persistent_notification
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component

from .test_gateways import NEW, internet, wall

from tests.displays import playlist, set_up
from tests.galleries import CHANNEL, EVENING
from tests.libraries import library_entry
from tests.pictures import PNG
from tests.simulators.feed import FeedSimulator
from tests.simulators.gateway import Internet, Mode
from tests.walls import Wall

__all__ = ["internet", "wall"]

LIST = f"https://{NEW}/list.json"
MEDIUM = {"media_content_type": "", "media_content_id": LIST}
ENTRANCES: dict[str, tuple[str, dict[str, Any]]] = {
    "address": ("dp1.cast_playlist", {"playlist_url": LIST}),
    "id": ("dp1.cast_playlist", {"playlist_id": LIST}),
    "medium": ("dp1.cast_playlist", {"media_content_id": LIST}),
    "media": ("dp1.cast_playlist", {"media": [LIST]}),
    "for a time": ("dp1.cast_playlist", {"playlist_url": LIST, "show_for": 60}),
    "player": ("play_media", MEDIUM),
    "playlist": ("play_media", {**MEDIUM, "media_content_type": "playlist"}),
    "queue": ("play_media", {**MEDIUM, "enqueue": "add"}),
    "announce": ("play_media", {**MEDIUM, "announce": True}),
    "document": ("dp1.cast_playlist", {}),
    "channel": ("dp1.cast_playlist", {}),
}


def listing(*sources: str) -> dict[str, Any]:
    """Return a playlist of works at some addresses."""
    document = playlist(*map(str, range(len(sources))))
    for item, source in zip(document["items"], sources, strict=True):
        item["source"] = source
    return document


class Entrance:
    """One way to a display.

    Attributes:
        internet: where the list and its works are.
        fails: whether the display may find out by itself.
    """

    fails = False

    def __init__(self, name: str, internet: Internet, wall: Wall) -> None:
        self._name, self._wall, self.internet = name, wall, internet
        self._document: dict[str, Any] = {}

    def serve(self, *sources: str) -> None:
        """Let the list have some works."""
        self._document = document = listing(*sources)
        body = json.dumps(document).encode()
        self.internet.works[f"{NEW}/list.json"] = "application/json", body

    async def show(self) -> str:
        """Show the list, and return what is said about it; what cannot be shown is not sent."""
        action, data = ENTRANCES[self._name]
        starts = self._wall.display.counters.starts
        persistent_notification.async_dismiss(self._wall.hass, "dp1_warning")
        has_response = action.startswith("dp1")
        try:
            async with self._asked(data) as fields:
                answer = await self._wall.do(action, **fields, response=has_response)
        except HomeAssistantError as err:
            assert self._wall.display.counters.starts in (starts, starts + self.fails)
            return f"refused: {err}"
        if answer is None:
            notices = persistent_notification._async_get_or_create_notifications(
                self._wall.hass
            )
            notice: Any = notices.get("dp1_warning", {})
            said = str(notice.get("message", ""))
            return said.replace("\\", "")
        return str(answer.get("warning", ""))

    @asynccontextmanager
    async def _asked(self, data: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """Yield the fields of the action; a library has a channel meanwhile."""
        if self._name == "document":
            yield {"playlist": self._document}
        elif self._name == "channel":
            async with FeedSimulator(random_seed=1) as feed:
                channel = {"id": CHANNEL, "title": "Evenings", "playlists": [EVENING]}
                feed.seed([{**self._document, "id": EVENING}], [channel])
                hass = self._wall.hass
                library = await set_up(hass, library_entry(feed.url))
                node = f"media-source://dp1/{library.entry_id}/channel/{CHANNEL}"
                try:
                    yield {"media_content_id": node}
                finally:
                    await hass.config_entries.async_remove(library.entry_id)
        else:
            yield data


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize("name", ENTRANCES)
async def test_works(internet: Internet, wall: Wall, name: str) -> None:
    """A list of nothing but what no display shows is refused, and else the first of that is told, or what fails."""
    assert await async_setup_component(wall.hass, "media_source", {})
    internet.hosts |= {"ill.example": Mode.FAILS}
    internet.works[f"{NEW}/there.png"] = "image/png", PNG
    internet.works[f"{NEW}/packed"] = "application/zip", b"PK"
    wall.display.caster.preflight = False
    there, ill = f"https://{NEW}/there.png", "https://ill.example/a.png"
    entrance = Entrance(name, internet, wall)
    for gone in (
        *(f"https://{NEW}/gone.png", f"https://{NEW}/packed"),
        *(f"https://{NEW}/work.rar", "http://192.168.1.9/work.exe"),
    ):
        entrance.serve(gone)
        told = await entrance.show()
        assert told.startswith("refused") and gone in told
        entrance.serve(there, gone)
        told = await entrance.show()
        assert not told.startswith("refused") and gone in told
    for bad in (ill, "https://silent.example/a.png"):
        entrance.serve(there, bad)
        told = await entrance.show()
        assert not told.startswith("refused") and bad in told
    entrance.serve(there)
    assert await entrance.show() == ""


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize("name", [*ENTRANCES][:-2])
async def test_the_list_itself(internet: Internet, wall: Wall, name: str) -> None:
    """An address of a list that is gone, or has an archive, is refused; of one that fails or is silent, the reason is told."""
    entrance = Entrance(name, internet, wall)
    assert "HTTP 404" in await entrance.show()
    internet.works[f"{NEW}/list.json"] = "application/zip", b"PK"
    told = await entrance.show()
    assert told.startswith("refused") and "of a type" in told
    internet.hosts[NEW], entrance.fails = Mode.FAILS, True
    assert LIST in await entrance.show()
    del internet.hosts[NEW]
    assert LIST in await entrance.show()


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize("name", ["address", "document"])
async def test_nothing_at_home_is_asked(
    bare: Wall, monkeypatch: pytest.MonkeyPatch, socket_enabled: None, name: str
) -> None:
    """Works that a stranger lists are not asked for at home: not by their address, by a redirect, nor by a name that leads there."""
    internet, is_public = Internet({NEW: Mode.LIVES}), guard.is_public
    monkeypatch.setattr(
        guard, "is_public", lambda host: host == "127.0.0.1" or is_public(host)
    )
    monkeypatch.setattr(
        addresses_module,
        "public_session",
        lambda **_: guard.public_session(internet, ssl=False),
    )
    bare.display.caster.preflight = False
    await bare.set_up()
    async with internet.running(), internet.session() as bare.display.caster.session:
        # Whoever connects there fails, and with them this test; the display loads the first one.
        internet.names["inside.example"] = "127.0.0.2"
        internet.moved[f"{NEW}/moved.png"] = "http://127.0.0.2/moved.png"
        entrance = Entrance(name, internet, bare)
        entrance.serve(
            f"https://{NEW}/gone.png",
            "http://127.0.0.2/a.png",
            f"https://{NEW}/moved.png",
            "https://inside.example/a.png",
        )
        assert f"nothing at https://{NEW}/gone.png" in await entrance.show()
        assert f"GET {NEW}/moved.png" in internet.asked
