"""Notifications of a display over its WebSocket."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
import logging
from typing import Literal

import aiohttp

from ..errors import LostAnswerError, UnexpectedAnswerError, UnreachableError
from ..http import Answer, transport_error
from ..values import MAX_ON_LOOP, decode, mapping
from .device_status import DeviceStatus, PanelStatus
from .player_status import PlayerStatus
from .transport import MAX_REPLY, refusal

_LOGGER = logging.getLogger(__name__)

_HANDSHAKE_TIMEOUT = 5.0
_CLOSE_TIMEOUT = 2.0
# Of a display that sends without end, in seconds since its last frame.
_FLOOD = 0.05

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
type Frame = PlayerStatus | DeviceStatus | PanelStatus
type Event = Connected | Frame


async def listen(
    session: aiohttp.ClientSession, url: str, heartbeat: float
) -> AsyncGenerator[Event]:
    """Yield the notifications of a display until it closes the socket.

    The display never pings: the client does, and a missing pong is a lost connection.

    Args:
        session: used, never closed.
        url: URL of the socket.
        heartbeat: seconds of silence before a ping; the pong may take half of that.

    Raises:
        UnreachableError: no contact.
        BusyError, TemporaryError: the display refuses the socket for now.
        UnexpectedAnswerError: there is no socket at this URL.
        LostAnswerError: the connection was lost after the socket had opened.
        NoPongError: nothing was heard for 1.5 times the heartbeat.
    """
    socket, response = await _connect(session, url, heartbeat)
    time = asyncio.get_running_loop().time
    heard = time()
    player: PlayerStatus | None = None
    try:
        yield Connected()
        while True:
            frame = await socket.receive()
            before, heard = heard, time()
            match frame.type:
                case aiohttp.WSMsgType.TEXT:
                    if len(frame.data) <= MAX_ON_LOOP:
                        event = parse_frame(frame.data, player)
                    else:
                        event = await asyncio.to_thread(parse_frame, frame.data, player)
                    if isinstance(event, PlayerStatus):
                        player = event
                    if event is not None:
                        yield event
                case aiohttp.WSMsgType.PING:
                    await socket.pong(frame.data)
                case aiohttp.WSMsgType.PONG | aiohttp.WSMsgType.BINARY:
                    pass
                case aiohttp.WSMsgType.CLOSE if frame.data in _NORMAL_CLOSE:
                    return
                case aiohttp.WSMsgType.ERROR if isinstance(frame.data, TimeoutError):
                    raise NoPongError("no answer to a ping")
                case _:
                    raise LostAnswerError(
                        f"the socket was closed ({socket.close_code})"
                    )
            if heard - before < _FLOOD:
                # Buffered frames are received without a break, in which nobody else would run.
                await asyncio.sleep(0)
    except aiohttp.ClientError as err:
        raise transport_error(err) from err
    finally:
        if time() - heard < _FLOOD:
            # Closing the socket would read what still comes.
            response.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                await socket.close()


async def _connect(
    session: aiohttp.ClientSession, url: str, heartbeat: float
) -> tuple[_Socket, aiohttp.ClientResponse]:
    """Open the socket, without an Origin header, which newer firmware refuses; return it with its HTTP response."""
    opened: list[aiohttp.ClientResponse] = []

    async def refuse_redirect(
        request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Fail at a redirect, which aiohttp would follow: a display must not choose other requests in the house."""
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
                heartbeat=heartbeat,
                timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_TIMEOUT),
                max_msg_size=MAX_REPLY,
                decode_text=False,
            )
            return socket, opened[-1]
    except aiohttp.WSServerHandshakeError as err:
        if err.status in (401, 403, 426, 429) or err.status > 500:
            answer = Answer(err.status, err.headers or {}, b"", url)
            raise refusal("listen", answer) from err
        raise UnexpectedAnswerError(f"no socket ({err.status})") from err
    except aiohttp.ClientError as err:
        raise transport_error(err) from err
    except TimeoutError as err:
        raise UnreachableError("the socket did not open in time") from err


def parse_frame(frame: bytes, before: PlayerStatus | None = None) -> Frame | None:
    """Parse a frame, JSON in UTF-8; None for an unknown or invalid one.

    Args:
        frame: the frame.
        before: the status of the player in an earlier frame.
    """
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
    if message_type is PlayerStatus:
        return PlayerStatus.parse(message, before)
    return message_type.parse(message)
