"""Notifications of a display over its WebSocket."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
import logging
from typing import Literal

import aiohttp
from aiohttp.http import WSMessageNoDecodeText

from ..errors import LostAnswerError, NoAnswerError, UnexpectedAnswerError
from ..http import Answer, transport_error
from ..values import decode, mapping
from .device_status import DeviceStatus, PanelStatus
from .player_status import PlayerStatus
from .replies import MAX_REPLY, MAX_VALUES, parse_bytes, refusal

_LOGGER = logging.getLogger(__name__)

_HANDSHAKE_TIMEOUT = 10.0
_CLOSE_TIMEOUT = 2.0

_NORMAL_CLOSE = (aiohttp.WSCloseCode.OK, aiohttp.WSCloseCode.GOING_AWAY)
_MESSAGE_TYPES: dict[object, type[PlayerStatus | DeviceStatus | PanelStatus]] = {
    "player_status": PlayerStatus,
    "device_status": DeviceStatus,
    "ddc_status": PanelStatus,
}


@dataclass(frozen=True, slots=True)
class Connected:
    """The socket is open. The display sends no snapshot: query the state now."""


# With undecoded frames invalid UTF-8 is skipped like invalid JSON, and does not close the socket.
type _Socket = aiohttp.ClientWebSocketResponse[Literal[False]]
type Event = Connected | PlayerStatus | DeviceStatus | PanelStatus


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
        RefusedError: the connection was refused.
        NoAnswerError: no contact.
        AddressNotAcceptedError, BusyError, TemporaryError: the display refuses the socket for now.
        UnexpectedAnswerError: there is no socket at this URL.
        LostAnswerError: the connection was lost after the socket had opened.
    """
    socket = await _connect(session, url)
    try:
        yield Connected()
        while True:
            frame = await _receive(socket, heartbeat)
            match frame.type:
                case aiohttp.WSMsgType.TEXT:
                    if (event := await parse_bytes(frame.data, _parse)) is not None:
                        yield event
                        # Buffered frames are received without a break.
                        await asyncio.sleep(0)
                case aiohttp.WSMsgType.PING:
                    await socket.pong(frame.data)
                case aiohttp.WSMsgType.PONG | aiohttp.WSMsgType.BINARY:
                    pass
                case aiohttp.WSMsgType.CLOSE if frame.data in _NORMAL_CLOSE:
                    return
                case _:
                    raise LostAnswerError(
                        f"the socket was closed ({socket.close_code})"
                    )
    except aiohttp.ClientError as err:
        raise transport_error(err) from err
    finally:
        await socket.close()


async def _connect(session: aiohttp.ClientSession, url: str) -> _Socket:
    """Open the socket, without an Origin header, which newer firmware refuses."""
    try:
        async with asyncio.timeout(_HANDSHAKE_TIMEOUT):
            return await session.ws_connect(
                url,
                autoping=False,
                timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_TIMEOUT),
                max_msg_size=MAX_REPLY,
                decode_text=False,
            )
    except aiohttp.WSServerHandshakeError as err:
        if err.status in (403, 429) or err.status > 500:
            answer = Answer(err.status, err.headers or {}, b"", url)
            raise refusal("listen", answer) from err
        raise UnexpectedAnswerError(f"no socket ({err.status})") from err
    except aiohttp.ClientError as err:
        raise transport_error(err) from err
    except TimeoutError as err:
        raise NoAnswerError("the socket did not open in time") from err


async def _receive(socket: _Socket, heartbeat: float) -> WSMessageNoDecodeText:
    """Wait for the next frame, and ping after a silence.

    The heartbeat of aiohttp starts a new timer when the socket is closing.
    """
    try:
        return await socket.receive(heartbeat)
    except TimeoutError:
        await socket.ping()
    try:
        return await socket.receive(heartbeat / 2)
    except TimeoutError as err:
        raise LostAnswerError("no answer to a ping") from err


def _parse(frame: bytes) -> PlayerStatus | DeviceStatus | PanelStatus | None:
    """Parse a frame; None for an unknown or invalid one."""
    try:
        envelope = mapping(decode(frame, max_values=MAX_VALUES))
    except ValueError:
        _LOGGER.debug("Skipping a frame of %s bytes that is not JSON", len(frame))
        return None
    name, message = envelope.get("notification_type"), envelope.get("message")
    message_type = _MESSAGE_TYPES.get(name) if isinstance(name, str) else None
    if message_type is None or not isinstance(message, dict):
        _LOGGER.debug("Skipping a frame of another type")
        return None
    return message_type.parse(message)
