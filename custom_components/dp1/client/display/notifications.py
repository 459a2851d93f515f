"""What a display says without being asked, over its WebSocket."""

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
from .replies import refusal

_LOGGER = logging.getLogger(__name__)

_HANDSHAKE_TIMEOUT = 10.0
_CLOSE_TIMEOUT = 2.0
_MAX_FRAME = 32 * 1024 * 1024

_GOODBYES = (aiohttp.WSCloseCode.OK, aiohttp.WSCloseCode.GOING_AWAY)
_KINDS: dict[object, type[PlayerStatus | DeviceStatus | PanelStatus]] = {
    "player_status": PlayerStatus,
    "device_status": DeviceStatus,
    "ddc_status": PanelStatus,
}


@dataclass(frozen=True, slots=True)
class Connected:
    """The socket is open. The display sends no snapshot: ask for one now."""


# Frames stay bytes: one that is not text after all is then skipped like any other broken one.
type _Socket = aiohttp.ClientWebSocketResponse[Literal[False]]
type Event = Connected | PlayerStatus | DeviceStatus | PanelStatus


async def listen(
    session: aiohttp.ClientSession, url: str, heartbeat: float
) -> AsyncGenerator[Event]:
    """Follow what a display pushes, until it says goodbye.

    The display never pings, so we do, and take a missing pong for a loss.

    Args:
        session: used as it is, never closed.
        url: of the socket.
        heartbeat: seconds of silence before a ping; the pong may take half of that.

    Raises:
        RefusedError: nobody listens there.
        NoAnswerError: nobody is there.
        AddressNotAcceptedError, BusyError, TemporaryError: the display does not open the socket for now.
        UnexpectedAnswerError: there is no socket.
        LostAnswerError: it was open, and the connection is gone.
    """
    socket = await _connect(session, url)
    try:
        yield Connected()
        while True:
            frame = await _receive(socket, heartbeat)
            match frame.type:
                case aiohttp.WSMsgType.TEXT:
                    if (event := _read(frame.data)) is not None:
                        yield event
                case aiohttp.WSMsgType.PING:
                    await socket.pong(frame.data)
                case aiohttp.WSMsgType.PONG | aiohttp.WSMsgType.BINARY:
                    pass
                case aiohttp.WSMsgType.CLOSE if frame.data in _GOODBYES:
                    return
                case _:
                    raise LostAnswerError(f"the socket is gone ({socket.close_code})")
    except aiohttp.ClientError as err:
        raise transport_error(err) from err
    finally:
        await socket.close()


async def _connect(session: aiohttp.ClientSession, url: str) -> _Socket:
    """Open the socket, without an Origin, which newer firmware does not accept."""
    try:
        async with asyncio.timeout(_HANDSHAKE_TIMEOUT):
            return await session.ws_connect(
                url,
                autoping=False,
                timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_TIMEOUT),
                max_msg_size=_MAX_FRAME,
                decode_text=False,
            )
    except aiohttp.WSServerHandshakeError as err:
        if err.status in (403, 429) or err.status > 500:
            answer = Answer(err.status, err.headers or {}, b"", url)
            raise refusal("listen", answer) from err
        raise UnexpectedAnswerError(f"there is no socket ({err.status})") from err
    except aiohttp.ClientError as err:
        raise transport_error(err) from err
    except TimeoutError as err:
        raise NoAnswerError("the socket does not open in time") from err


async def _receive(socket: _Socket, heartbeat: float) -> WSMessageNoDecodeText:
    """Wait for the next frame, with a ping into the silence.

    Not left to aiohttp, whose own heartbeat sets its timer anew when the answer to our goodbye comes in.
    """
    try:
        return await socket.receive(heartbeat)
    except TimeoutError:
        await socket.ping()
    try:
        return await socket.receive(heartbeat / 2)
    except TimeoutError as err:
        raise LostAnswerError("the display does not answer a ping") from err


def _read(frame: bytes) -> PlayerStatus | DeviceStatus | PanelStatus | None:
    """Read one frame; what is of another kind, or broken, is nothing."""
    try:
        envelope = mapping(decode(frame))
    except ValueError:
        _LOGGER.debug("Skipping a frame of %s bytes that is not JSON", len(frame))
        return None
    name, message = envelope.get("notification_type"), envelope.get("message")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None or not isinstance(message, dict):
        _LOGGER.debug("Skipping a frame of another kind")
        return None
    return kind.parse(message)
