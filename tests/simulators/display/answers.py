"""HTTP answers as the display writes them, and ways to end a connection."""

import ipaddress
import json
import socket
import struct
from typing import Any

from aiohttp import web
from yarl import URL

_LOCAL_ENDINGS = (".local", ".lan", ".home", ".home.arpa", ".internal")


def refusal(status: int, text: str, **headers: str) -> web.Response:
    """Return an error: text, and a line feed."""
    return web.Response(
        status=status,
        body=f"{text}\n".encode(),
        headers={
            "Content-Type": "text/plain; charset=utf-8",
            "X-Content-Type-Options": "nosniff",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    )


def success(value: Any) -> web.Response:
    """Return a JSON value, and a line feed."""
    return web.Response(
        text=f"{json.dumps(value)}\n", headers={"Content-Type": "application/json"}
    )


def nothing() -> web.Response:
    return web.Response(status=204)


async def hide_software(_: web.Request, response: web.StreamResponse) -> None:
    """Remove the header that the display's server does not send."""
    response.headers.popall("Server", None)
    if response.status == 204:
        response.headers.popall("Content-Type", None)


def close(request: web.Request, *, reset: bool = False) -> web.Response:
    """Close the connection without an answer, optionally with a TCP reset."""
    transport = request.transport
    if transport is not None:
        if reset:
            raw = transport.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()


async def truncate(request: web.Request, response: web.Response) -> web.Response:
    """Send half of an answer, then close the connection."""
    body = response.body
    assert isinstance(body, bytes)
    partial = web.StreamResponse(status=response.status, headers=response.headers)
    partial.content_length = len(body)
    await partial.prepare(request)
    await partial.write(body[: len(body) // 2])
    return close(request)


def is_local_host(host: str) -> bool:
    """Return whether the newest firmware accepts a Host header."""
    name = (URL(f"http://{host}").host or "").rstrip(".").lower()
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return bool(name) and ("." not in name or name.endswith(_LOCAL_ENDINGS))
    return True
