"""Test casts to displays of either description."""

from typing import Any

import pytest

from custom_components.dp1.client.display.client import Dialect
from custom_components.dp1.client.errors import Dp1Error, NotReadyError, RejectedError
from custom_components.dp1.client.playlist.playlist import Playlist

from .displays import FLAT, PLAYLIST, WRAPPED, by_command, commands, scripted

from tests.client.keys import keyed
from tests.client.scripted_server import Reply, Request, plain, replied
from tests.client.tables import tables

pytestmark = pytest.mark.usefixtures("socket_enabled")

NOW = {"action": "now_display"}
DOCUMENT = Playlist(document=PLAYLIST)
BY_URL = Playlist(url="https://feed.example.org/api/v1/playlists/aa11")
FAILED = plain(500, "Failed to process cast request")
STATUS = Reply(200, {"installedVersion": "1.0.17", "screenRotation": "landscape"})
EMPTY = Reply(200)


@pytest.mark.parametrize(
    ("dialect", "sent"),
    [
        (Dialect.FF, {"dp1_call": PLAYLIST}),
        (Dialect.LEGACY, {"playlist": PLAYLIST}),
        (Dialect.UNKNOWN, {"dp1_call": PLAYLIST, "playlist": PLAYLIST}),
    ],
)
async def test_a_document_by_dialect(dialect: Dialect, sent: dict[str, object]) -> None:
    """A document is one request, and never sent together with a URL."""
    async with scripted(WRAPPED, dialect=dialect) as (server, display):
        assert await display.cast(DOCUMENT) == DOCUMENT
        assert display.dialect is dialect
    assert [request.json for request in server.requests] == [
        {"command": "displayPlaylist", "request": {**sent, "intent": NOW}}
    ]


@pytest.mark.parametrize("dialect", Dialect)
async def test_a_url_is_the_same_in_every_dialect(dialect: Dialect) -> None:
    async with scripted(WRAPPED, FAILED, dialect=dialect) as (server, display):
        await display.cast(BY_URL)
        with pytest.raises(RejectedError):
            await display.cast(BY_URL)
    request = {"playlistUrl": BY_URL.url, "intent": NOW}
    casts = [sent for sent in server.requests if sent.json["command"] != "checkStatus"]
    assert [sent.json["request"] for sent in casts] == [request] * 2


# The 2025 description


@pytest.mark.parametrize(
    "reply",
    [EMPTY, FLAT, WRAPPED, Reply(201), Reply(204), Reply(202, b"OK"), Reply(200, [])],
)
@pytest.mark.parametrize("cast", [DOCUMENT, BY_URL])
async def test_any_success_of_the_2025_description(
    reply: Reply, cast: Playlist
) -> None:
    """Any success is accepted, as the description defines no reply."""
    async with scripted(reply, dialect=Dialect.LEGACY) as (server, display):
        await display.cast(cast)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("refusal", "accepted"),
    [
        *((refusal, EMPTY) for refusal in (plain(400), plain(413), plain(422, "x"))),
        (FAILED, EMPTY),
        # The only accepted form shows the dialect.
        (FAILED, WRAPPED),
    ],
)
async def test_a_strict_display_gets_its_own_form(
    refusal: Reply, accepted: Reply
) -> None:
    """A strict display refuses unknown keys; it gets a second request in its own form, which is then kept."""

    def strict(request: Request) -> Reply:
        """Take exactly what the description has."""
        ours = set(request.json["request"]) == {"playlist", "intent"}
        return accepted if ours else refusal

    async with scripted(strict, dialect=Dialect.UNKNOWN) as (server, display):
        await display.cast(DOCUMENT)
        await display.cast(DOCUMENT)
    assert display.dialect is Dialect.LEGACY
    assert commands(server) == [
        "displayPlaylist",
        "getDeviceStatus",
        "displayPlaylist",
        "displayPlaylist",
    ]


# Either


@pytest.mark.parametrize("case", tables("casts")["casts"], ids=lambda it: it["name"])
async def test_what_follows_a_cast(case: dict[str, Any]) -> None:
    """A second form only follows a refusal by a display that is not known; a refusal of firmware is about the playlist or the player; right after its start it is asked again."""
    script: list[Any] = [replied(**row) for row in case.get("script", [])]
    by = {name: replied(**row) for name, row in case.get("by_command", {}).items()}
    async with scripted(
        *(script or [by_command(**by)]), dialect=Dialect(case["dialect"])
    ) as (server, display):
        cast, error = {"document": DOCUMENT, "url": BY_URL}[case["cast"]], None
        try:
            await display.cast(cast)
        except Dp1Error as err:
            error = err
    assert case["error"] == (error and type(error).__name__)
    for name, value in case.get("attributes", {}).items():
        assert getattr(error, name) == value
    assert commands(server) == case["commands"]
    assert display.dialect == (case["learned"] or [case["dialect"]])[-1]


async def test_a_player_that_fails_once_the_firmware_is_known() -> None:
    """The error is about the player if it does not answer anything."""
    by = by_command(displayPlaylist=FAILED, checkStatus=FAILED, getDeviceStatus=STATUS)
    async with scripted(by, dialect=Dialect.UNKNOWN) as (server, display):
        await display.device_status()
        with pytest.raises(RejectedError, check=keyed("display_player_not_running")):
            await display.cast(BY_URL)
    assert commands(server)[-2:] == ["displayPlaylist", "checkStatus"]


async def test_other_commands_are_not_repeated() -> None:
    async with scripted(EMPTY) as (server, display):
        with pytest.raises(NotReadyError):
            await display.toggle_mute()
    assert len(server.requests) == 1


# Who decides


async def test_what_was_stored_gives_way_to_what_is_seen() -> None:
    async with scripted(STATUS, dialect=Dialect.LEGACY) as (_, display):
        await display.device_status()
        await display.device_status()
    assert display.dialect is Dialect.FF


async def test_what_the_owner_chose_stays() -> None:
    async with scripted(
        STATUS, EMPTY, dialect=Dialect.LEGACY, dialect_is_fixed=True
    ) as (
        server,
        display,
    ):
        await display.device_status()
        await display.cast(DOCUMENT)
        assert display.dialect is Dialect.LEGACY
    assert set(server.requests[1].json["request"]) == {"playlist", "intent"}
