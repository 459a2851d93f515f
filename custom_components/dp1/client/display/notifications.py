"""Notifications of a display over its WebSocket."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
import logging
from typing import Literal

import aiohttp

from ..errors import LostAnswerError, NoAnswerError, UnexpectedAnswerError
from ..http import Answer, transport_error
from ..values import MAX_ON_LOOP, decode, mapping
from .device_status import DeviceStatus, PanelStatus
from .player_status import PlayerStatus
from .transport import MAX_REPLY, refusal

_LOGGER = logging.getLogger(__name__)

_HANDSHAKE_TIMEOUT = 5.0
_CLOSE_TIMEOUT = 2.0
# Frames that follow each other faster, in seconds, let others run in between.
_FLOOD = 0.05
# Frames of another work that are kept for a list, in bytes: a display shows its works again and again.
_MAX_MOVES = 256 * 1024

_NORMAL_CLOSE = (aiohttp.WSCloseCode.OK, aiohttp.WSCloseCode.GOING_AWAY)
_MESSAGE_TYPES: dict[object, type[PlayerStatus | DeviceStatus | PanelStatus]] = {
    "player_status": PlayerStatus,
    "device_status": DeviceStatus,
    "ddc_status": PanelStatus,
}


@dataclass(frozen=True, slots=True)
class Connected:
    """The socket is open. The display sends no snapshot: query the state now."""


class NoPongError(LostAnswerError):
    """The display keeps the socket open, but has stopped answering."""


# With undecoded frames invalid UTF-8 is skipped like invalid JSON, and does not close the socket.
type _Socket = aiohttp.ClientWebSocketResponse[Literal[False]]
type Event = Connected | PlayerStatus | DeviceStatus | PanelStatus


async def listen(
    session: aiohttp.ClientSession,
    url: str,
    heartbeat: float,
    known: Callable[[], PlayerStatus | None],
) -> AsyncGenerator[Event]:
    """Yield the notifications of a display until it closes the socket.

    The display never pings: the client does, and a missing pong is a lost connection.

    Args:
        session: used, never closed.
        url: URL of the socket.
        heartbeat: seconds of silence before a ping; the pong may take half of that.
        known: returns the status of the player that is known; what is pushed is merged over it.

    Raises:
        NoAnswerError: no contact.
        BusyError, TemporaryError: the display refuses the socket for now.
        UnexpectedAnswerError: there is no socket at this URL.
        LostAnswerError: the connection was lost after the socket had opened.
        NoPongError: nothing was heard for 1.5 times the heartbeat.
    """
    socket, response = await _connect(session, url)
    time = asyncio.get_running_loop().time
    heard = time()

    async def watch() -> None:
        """Ping after each silence, and close the connection if there is no pong."""
        while True:
            if (rest := heard + heartbeat - time()) > 0:
                await asyncio.sleep(rest)
                continue
            before = heard
            with suppress(ConnectionError):
                await socket.ping()
            await asyncio.sleep(heartbeat / 2)
            if heard == before:
                return response.close()

    # Not the heartbeat of aiohttp, which starts a new timer when the socket is closing, nor a
    # timeout for each frame, which is slow to set and to cancel when a hundred displays push.
    watching = asyncio.create_task(watch())
    try:
        yield Connected()
        while True:
            frame = await socket.receive()
            before_that, heard = heard, time()
            match frame.type:
                case aiohttp.WSMsgType.TEXT:
                    player = known()
                    if len(frame.data) <= MAX_ON_LOOP:
                        event = parse_frame(frame.data, player)
                    else:
                        event = await asyncio.to_thread(parse_frame, frame.data, player)
                        if isinstance(event, PlayerStatus) and known() is not player:
                            event = event.over(known())
                    if event is not None:
                        yield event
                case aiohttp.WSMsgType.PING:
                    await socket.pong(frame.data)
                case aiohttp.WSMsgType.PONG | aiohttp.WSMsgType.BINARY:
                    pass
                case aiohttp.WSMsgType.CLOSE if frame.data in _NORMAL_CLOSE:
                    return
                case _ if watching.done():
                    raise NoPongError("no answer to a ping")
                case _:
                    raise LostAnswerError(
                        f"the socket was closed ({socket.close_code})"
                    )
            if heard - before_that < _FLOOD:
                # Buffered frames are received without a break.
                await asyncio.sleep(0)
    except aiohttp.ClientError as err:
        raise transport_error(err) from err
    finally:
        watching.cancel()
        if time() - heard < _FLOOD:
            # Closing the socket would read what still comes.
            response.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                await socket.close()


async def _connect(
    session: aiohttp.ClientSession, url: str
) -> tuple[_Socket, aiohttp.ClientResponse]:
    """Open the socket, without an Origin header, which newer firmware refuses; return it with what it was opened by."""
    opened: list[aiohttp.ClientResponse] = []

    async def refuse_redirect(
        request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Fail at a redirect, which aiohttp would follow: a display must not choose what else is requested in the house."""
        response = await handler(request)
        if 300 <= response.status < 400:
            response.close()
            raise aiohttp.WSServerHandshakeError(
                response.request_info, (), status=response.status
            )
        opened.append(response)
        return response

    try:
        async with (
            asyncio.timeout(_HANDSHAKE_TIMEOUT),
            aiohttp.ClientSession(
                connector=session.connector,
                connector_owner=False,
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=session.headers,
                middlewares=(refuse_redirect,),
            ) as redirectless,
        ):
            socket = await redirectless.ws_connect(
                url,
                autoping=False,
                timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_TIMEOUT),
                max_msg_size=MAX_REPLY,
                decode_text=False,
            )
            return socket, opened[-1]
    except aiohttp.WSServerHandshakeError as err:
        if err.status in (403, 429) or err.status > 500:
            answer = Answer(err.status, err.headers or {}, b"", url)
            raise refusal("listen", answer) from err
        raise UnexpectedAnswerError(f"no socket ({err.status})") from err
    except aiohttp.ClientError as err:
        raise transport_error(err) from err
    except TimeoutError as err:
        raise NoAnswerError("the socket did not open in time") from err


def parse_frame(
    frame: bytes, known: PlayerStatus | None = None
) -> PlayerStatus | DeviceStatus | PanelStatus | None:
    """Parse a frame; None for an unknown or invalid one.

    Args:
        frame: JSON in UTF-8.
        known: the status of the player that is known, over which that of the frame is merged.
    """
    moves, position = (known.moves, known.position) if known else ({}, None)
    # At the same work, some frames leave out how it loads.
    if (move := moves.get(frame)) and move.position != position:
        return move
    try:
        envelope = mapping(decode(frame))
    except ValueError:
        _LOGGER.debug("Skipping a frame of %s bytes that is not JSON", len(frame))
        return None
    name, message = envelope.get("notification_type"), envelope.get("message")
    message_type = _MESSAGE_TYPES.get(name) if isinstance(name, str) else None
    if message_type is None or not isinstance(message, dict):
        _LOGGER.debug("Skipping a frame of another type")
        return None
    if message_type is not PlayerStatus:
        return message_type.parse(message)
    player = PlayerStatus.parse(message, known)
    if (
        player.moves is moves
        and player.position != position
        and sum(map(len, moves)) + len(frame) <= _MAX_MOVES
    ):
        moves[frame] = player
    return player
