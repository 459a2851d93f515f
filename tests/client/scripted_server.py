"""An HTTP server on loopback with scripted answers, including invalid ones."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
import json
from typing import Any, Self


@dataclass
class Request:
    """A received request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    """An answer to a request."""

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)
    # One of: "", "before" (cut without reading the body), "after" (cut without an answer),
    # "half" (cut within the answer), "never" (no answer), "drip" (a byte a second), "garbage" (no HTTP).
    fault: str = ""

    def encode(self, method: str = "GET") -> bytes:
        """Return the answer to a request as bytes."""
        body, kind = self.body, "text/html"
        if not isinstance(body, bytes):
            body, kind = json.dumps(body).encode(), "application/json"
        headers = {"Content-Type": kind, "Content-Length": len(body), **self.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        told = b"" if method == "HEAD" else body
        return f"HTTP/1.1 {self.status} X\r\n{head}\r\n".encode() + told


def plain(status: int, text: str = "", **headers: str) -> Reply:
    """Return an error as the firmware writes it."""
    kind = {"Content-Type": "text/plain; charset=utf-8"}
    return Reply(status, f"{text}\n".encode() if text else b"", {**kind, **headers})


def replied(
    status: int = 200,
    *,
    plain_text: str | None = None,
    text: str = "",
    **more: Any,
) -> Reply:
    """Return the reply of a row of a table."""
    if plain_text is not None:
        return plain(status, plain_text)
    body = more.pop("json", text.encode("latin-1"))
    return Reply(status, body, **more)


type Answering = Reply | Callable[[Request], Reply]


class ScriptedServer:
    """Answers requests in the order of ``script``; the last entry answers all that follow."""

    def __init__(self, *script: Answering) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        self.url = ""

    @classmethod
    @asynccontextmanager
    async def run(cls, *script: Answering) -> AsyncIterator[Self]:
        self = cls(*script)
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            server.close_clients()
            await server.wait_closed()

    def calls(self) -> list[str]:
        return [f"{request.method} {request.path}" for request in self.requests]

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                first, *lines = head.strip().split("\r\n")
                method, path, _ = first.split(" ")
                headers = dict(line.split(": ", 1) for line in lines)
                request = Request(method, path, headers)
                self.requests.append(request)
                answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
                if isinstance(answer, Reply) and answer.fault == "before":
                    return
                size = int(headers.get("Content-Length", 0))
                request.body = await reader.readexactly(size)
                reply = answer if isinstance(answer, Reply) else answer(request)
                if reply.fault == "never":
                    await reader.read()
                    return
                if reply.fault == "drip":
                    for byte in reply.encode(method):
                        writer.write(bytes([byte]))
                        with suppress(TimeoutError):
                            await asyncio.wait_for(reader.read(1), 1)
                            return
                if not await self._reply(reply.encode(method), reply.fault, writer):
                    return
        except asyncio.IncompleteReadError, ConnectionError:
            return
        finally:
            writer.close()

    async def _reply(
        self, answer: bytes, fault: str, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer a request; return False if the connection has to be closed."""
        if fault == "garbage":
            writer.write(b"SSH-2.0-whatever\r\n\r\n")
        elif fault == "half":
            writer.write(answer[:-3])
        elif not fault:
            writer.write(answer)
        await writer.drain()
        return not fault
