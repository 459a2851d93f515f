"""Test the limits for data of a display."""

from collections.abc import AsyncGenerator
from dataclasses import asdict
import json
import tracemalloc
from typing import Any

import pytest

from custom_components.dp1.client.display.device_status import DeviceStatus
from custom_components.dp1.client.display.notifications import Connected, Event
from custom_components.dp1.client.display.player_status import (
    MAX_ITEMS,
    PlayerStatus,
    PlaylistItem,
)
from custom_components.dp1.client.errors import LostAnswerError
from custom_components.dp1.client.values import decode

from .displays import client, expected_lingering_timers  # noqa: F401

from tests.client.timing import seconds
from tests.simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

SIZE = 4 * 1024 * 1024 - 500
MEMORY = 64 * 1024 * 1024


def frame(items: bytes) -> bytes:
    head = (
        b'{"notification_type":"player_status","message":{"ok":true,"index":0,"items":['
    )
    return head + items + b"]}}"


def filled(unit: bytes) -> bytes:
    """Return as many items as fit."""
    return frame((unit * (SIZE // len(unit)))[:-1])


SKIPPED = {
    "empty works": filled(b"{},"),
    "empty lists": filled(b"[],"),
    "short texts": filled(b'"ab",'),
    "numbers": filled(b"0.1,"),
    "names": frame(
        b"{" + b",".join(b'"%x":1' % number for number in range(300_000)) + b"}"
    ),
    "commas in a text": frame(
        b'{"source":"data:image/svg+xml,' + b"1,2," * 900_000 + b'"}'
    ),
    "open text": frame(b'"' + b'\\"' * 2_000_000),
}
TAKEN = {
    "texts": frame((b'"ab",' * 240_000) + b'"' + b"x" * 2_800_000 + b'"'),
    "half pairs": frame((b'"ab",' * 240_000) + b'"\\ud800' + b"x" * 2_800_000 + b'"'),
    "large works": frame(
        (b'{"id":"i","source":"' + b"s" * 4000 + b'"},') * 1000 + b"{}"
    ),
}


@pytest.mark.parametrize("name", [*SKIPPED, *TAKEN])
async def test_a_large_push(name: str) -> None:
    """The socket stays open, and the memory is limited."""
    data = SKIPPED.get(name) or TAKEN[name]
    async with (
        DisplaySimulator("A", poll_interval=60) as simulator,
        client(simulator.url) as display,
    ):
        events = display.listen()
        assert await anext(events) == Connected()
        await simulator.send_frame(data.decode())
        await simulator.send_frame(frame(b'{"id":"last"}').decode())
        tracemalloc.start()
        try:
            taken = 0
            while True:
                event = await anext(events)
                if isinstance(event, PlayerStatus):
                    if event.item_ids == ("last",):
                        break
                    taken += event.items != ()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        await events.aclose()
    assert (taken > 0) is (name in TAKEN)
    assert peak < MEMORY


async def drain(events: AsyncGenerator[Event]) -> None:
    """Read to the end."""
    async for _ in events:
        pass


async def test_a_push_that_is_too_large() -> None:
    async with (
        DisplaySimulator("A", poll_interval=60) as simulator,
        client(simulator.url) as display,
    ):
        events = display.listen()
        assert await anext(events) == Connected()
        await simulator.send_frame(frame(b'"' + b"x" * SIZE + b'xxxxx"' * 200).decode())
        with pytest.raises(LostAnswerError):
            await drain(events)


def test_a_long_list() -> None:
    """The number of works is limited to that of a playlist, and the position is that of the whole list."""
    items = [{"id": f"i-{number}"} for number in range(MAX_ITEMS + 10)]
    data = {"items": items, "index": 5, "playlist": {"id": "p", "items": items}}
    status = PlayerStatus.parse(data)
    assert len(status.items) == MAX_ITEMS
    assert status.playlist is not None
    assert len(status.playlist["items"]) == MAX_ITEMS
    assert (status.position, status.current) == (6, status.items[5])
    late = PlayerStatus.parse(data | {"index": MAX_ITEMS + 5})
    assert late.position == MAX_ITEMS + 6
    assert late.current is None
    assert PlayerStatus.parse(data | {"index": MAX_ITEMS + 12}).position == 3


MONSTER = "<" * 100_000
DEEP: dict[str, Any] = {"x": 1}
for _ in range(25):
    DEEP = {"x": DEEP}


def test_what_reaches_states_is_bounded_and_clean() -> None:
    """Whatever a display says of its player, its texts are short, and nothing of it is nested."""
    manifest = {
        "metadata": {
            "artists": [{"name": MONSTER}] * 10_000 + [{"name": "late"}],
            "thumbnails": {"large": {"uri": "https://a/" + "x" * 3000}},
        }
    }
    words = ("id", "title", "license", "ref", "source")
    contract = {"tokenId": "7" * 99, "uri": MONSTER, "chain": DEEP, "x": DEEP}
    item = {
        **dict.fromkeys(words, "a\x00" + MONSTER),
        "inlineManifest": manifest,
        "provenance": {
            "type": "onChain",
            "contract": {**contract, "seriesId": 3.0},
            "x": DEEP,
        },
    }
    names = ("error", "castCommand", "loopMode", "signatureStatus")
    settings = dict.fromkeys(("margin", "background", "x" * 9999), MONSTER)
    playlist = {"id": MONSTER, "title": MONSTER, "coverImage": "https://" + MONSTER}
    status = PlayerStatus.parse(
        {
            **dict.fromkeys(names, MONSTER),
            "items": [item] * 3,
            "index": 0,
            "playlist": playlist,
            "deviceSettings": settings,
        }
    )
    shown = status.current
    assert shown is not None
    assert status.settings is not None
    works = set(PlaylistItem.__slots__) - {"raw"}
    player = set(PlayerStatus.__slots__) - {"current", "playlist", "items", "settings"}
    told = [
        *(getattr(shown, name) for name in works),
        *(getattr(status, name) for name in player),
        sorted(status.settings.offered),
        status.settings.margin,
    ]
    assert len(json.dumps(told, default=asdict)) < 4000
    assert shown.provenance == {
        "type": "onChain",
        "contract": {"tokenId": "7" * 99, "seriesId": 3},
    }
    address = "http://127.0.0.1:8080/error?error="
    names = ("screenRotation", "connectedWifi", "installedVersion", "deviceName")
    device = DeviceStatus.parse(
        {
            **dict.fromkeys(names, MONSTER),
            "displayURL": f"{address}\x1b[31mno" + "x" * 300_000,
            "macInfo": {str(n): MONSTER for n in range(1000)},
        }
    )
    assert device.display_url is not None
    assert device.display_url.startswith(f"{address}no")
    assert len(json.dumps(asdict(device))) < 4000


def test_a_status_of_4_mb_takes_no_time() -> None:
    """Cleaning is quick, whatever is in a text: a thousand artists were 22 s."""
    artists = {"metadata": {"artists": [{"name": "<" * 3900}] * 1000}}
    for items in (
        [{"title": "one", "inlineManifest": artists}],
        [{"title": "<p>" * 1300} for _ in range(1024)],
        [{"title": "&lt;" * 1000, "id": "<a " * 60} for _ in range(1024)],
    ):
        body = json.dumps({"items": items, "error": "<" * 250_000}).encode()
        assert seconds(lambda body=body: PlayerStatus.parse(decode(body))) < 1.0
