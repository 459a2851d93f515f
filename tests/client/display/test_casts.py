"""Test casts to displays of either description."""

import pytest

from custom_components.dp1.client.display.client import Dialect, Display
from custom_components.dp1.client.errors import (
    BusyError,
    LostAnswerError,
    NotReadyError,
    PlayerNotRunningError,
    PlaylistRefusedError,
    RejectedError,
)
from custom_components.dp1.client.playlist.playlist import Playlist

from .displays import FLAT, PLAYLIST, WRAPPED, by_command, commands, plain, scripted

from tests.client.scripted_server import Reply, Request

pytestmark = pytest.mark.usefixtures("socket_enabled")

NOW = {"action": "now_display"}
DOCUMENT = Playlist(document=PLAYLIST)
BY_URL = Playlist(url="https://feed.example.org/api/v1/playlists/aa11")
FAILED = plain(500, "Failed to process cast request")
STATUS = Reply(200, {"installedVersion": "1.0.17", "screenRotation": "landscape"})
EMPTY = Reply(200)


def listener(display: Display) -> list[Dialect]:
    """Return a mock that is called with the dialect."""
    learned: list[Dialect] = []
    display.on_dialect = learned.append
    return learned


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
    """A URL is never sent in a second form."""
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


async def test_no_is_no_in_every_dialect() -> None:
    """``ok: false`` is an error."""
    async with scripted(Reply(200, {"ok": False}), dialect=Dialect.LEGACY) as (
        _,
        display,
    ):
        with pytest.raises(RejectedError):
            await display.cast(DOCUMENT)


@pytest.mark.parametrize("refusal", [plain(400), plain(413), plain(422, "x"), FAILED])
async def test_a_strict_display_gets_its_own_form(refusal: Reply) -> None:
    """A strict display refuses unknown keys; it gets a second request in its own form, which is then kept."""

    def strict(request: Request) -> Reply:
        """Take exactly what the description has."""
        sent = request.json
        known = sent["command"] == "displayPlaylist" and set(sent["request"]) == {
            "playlist",
            "intent",
        }
        return EMPTY if known else refusal

    async with scripted(strict, dialect=Dialect.UNKNOWN) as (server, display):
        learned = listener(display)
        await display.cast(DOCUMENT)
        await display.cast(DOCUMENT)
    assert learned == [Dialect.LEGACY]
    assert commands(server) == [
        "displayPlaylist",
        "getDeviceStatus",
        "displayPlaylist",
        "displayPlaylist",
    ]


async def test_a_strict_display_that_wraps_its_reply() -> None:
    """The only accepted form shows the dialect."""

    def strict(request: Request) -> Reply:
        """Take exactly what the description has."""
        return (
            WRAPPED
            if set(request.json["request"]) == {"playlist", "intent"}
            else FAILED
        )

    async with scripted(strict, dialect=Dialect.UNKNOWN) as (_, display):
        await display.cast(DOCUMENT)
        assert display.dialect is Dialect.LEGACY
        await display.cast(DOCUMENT)


async def test_refused_in_both_forms() -> None:
    """The first refusal is raised; there is no third request, and the dialect stays unknown."""
    first = plain(422, "sourceUnreachable: nothing loads")
    async with scripted(first, FAILED, FAILED, dialect=Dialect.UNKNOWN) as (
        server,
        display,
    ):
        with pytest.raises(PlaylistRefusedError) as caught:
            await display.cast(DOCUMENT)
        assert display.dialect is Dialect.UNKNOWN
    assert caught.value.code == "sourceUnreachable"
    assert len(server.requests) == 3


async def test_the_second_form_gets_lost() -> None:
    """A lost answer to the second form is raised, as it may have taken effect."""
    async with scripted(
        plain(400), FAILED, Reply(fault="after"), dialect=Dialect.UNKNOWN
    ) as (server, display):
        with pytest.raises(LostAnswerError):
            await display.cast(DOCUMENT)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "error"),
    [(Reply(fault="after"), LostAnswerError), (plain(429), BusyError)],
)
async def test_no_second_form_without_a_refusal(
    reply: Reply, error: type[Exception]
) -> None:
    """There is no second form if the first may have taken effect or was not processed."""
    async with scripted(reply, dialect=Dialect.UNKNOWN) as (server, display):
        with pytest.raises(error):
            await display.cast(DOCUMENT)
    assert {frozenset(request.json["request"]) for request in server.requests} == {
        frozenset({"dp1_call", "playlist", "intent"})
    }


@pytest.mark.parametrize(
    ("reply", "dialect"),
    [
        (EMPTY, Dialect.LEGACY),
        (Reply(204), Dialect.LEGACY),
        (FLAT, Dialect.LEGACY),
        (WRAPPED, Dialect.UNKNOWN),
    ],
)
async def test_a_stranger_that_takes_both_forms(reply: Reply, dialect: Dialect) -> None:
    """A reply without a wrapper shows another display; one with a wrapper proves nothing."""
    no = Reply(404)
    async with scripted(
        by_command(displayPlaylist=reply, getDeviceStatus=no), dialect=Dialect.UNKNOWN
    ) as (server, display):
        await display.cast(DOCUMENT)
        assert display.dialect is dialect
        await display.cast(DOCUMENT)
    assert commands(server).count("displayPlaylist") == 2


# Feral File firmware


async def test_firmware_that_shows_itself_only_now() -> None:
    """A refusal of firmware that is detected meanwhile is about the playlist."""
    async with scripted(
        by_command(displayPlaylist=FAILED, getDeviceStatus=STATUS),
        dialect=Dialect.UNKNOWN,
    ) as (server, display):
        learned = listener(display)
        with pytest.raises(RejectedError):
            await display.cast(DOCUMENT)
    assert learned == [Dialect.FF]
    assert commands(server) == ["displayPlaylist", "getDeviceStatus"]


async def test_a_bad_playlist_is_not_tried_in_another_form() -> None:
    """Known firmware has one form; whether its player runs is checked."""
    player = Reply(200, {"message": {"ok": True, "items": [], "shuffle": False}})
    async with scripted(by_command(displayPlaylist=FAILED, checkStatus=player)) as (
        server,
        display,
    ):
        with pytest.raises(RejectedError) as caught:
            await display.cast(DOCUMENT)
    assert (type(caught.value), caught.value.detail) == (RejectedError, "")
    assert commands(server) == ["displayPlaylist", "checkStatus"]


@pytest.mark.parametrize("dialect", [Dialect.FF, Dialect.UNKNOWN])
async def test_a_cast_without_a_player(dialect: Dialect) -> None:
    """The error is about the player if it does not answer anything."""
    async with scripted(
        by_command(displayPlaylist=FAILED, checkStatus=FAILED, getDeviceStatus=STATUS),
        dialect=dialect,
    ) as (server, display):
        await display.device_status()
        with pytest.raises(PlayerNotRunningError):
            await display.cast(BY_URL)
    assert commands(server)[-2:] == ["displayPlaylist", "checkStatus"]


@pytest.mark.parametrize("dialect", [Dialect.FF, Dialect.UNKNOWN])
async def test_the_set_up_screen(dialect: Dialect) -> None:
    """An empty answer of known firmware means that nothing was done, also if it is detected meanwhile."""
    async with scripted(
        by_command(displayPlaylist=Reply(204), getDeviceStatus=STATUS), dialect=dialect
    ) as (server, display):
        with pytest.raises(NotReadyError):
            await display.cast(DOCUMENT)
    assert commands(server).count("displayPlaylist") == 1


async def test_a_hiccup_passes() -> None:
    """An empty success of known firmware is retried, as it occurs right after its start."""
    async with scripted(EMPTY, EMPTY, WRAPPED) as (server, display):
        await display.cast(DOCUMENT)
    assert len(server.requests) == 3


async def test_a_hiccup_that_stays() -> None:
    """There are three tries."""
    async with scripted(EMPTY) as (server, display):
        with pytest.raises(NotReadyError):
            await display.cast(BY_URL)
    assert len(server.requests) == 3


async def test_other_commands_are_not_repeated() -> None:
    """A command that toggles is never repeated."""
    async with scripted(EMPTY) as (server, display):
        with pytest.raises(NotReadyError):
            await display.toggle_mute()
    assert len(server.requests) == 1


# Who decides


async def test_what_was_stored_gives_way_to_what_is_seen() -> None:
    """The stored dialect is replaced when the firmware changes."""
    async with scripted(STATUS, dialect=Dialect.LEGACY) as (_, display):
        learned = listener(display)
        await display.device_status()
        await display.device_status()
    assert learned == [Dialect.FF]


async def test_what_the_owner_chose_stays() -> None:
    """A dialect chosen by the owner is never replaced."""
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
