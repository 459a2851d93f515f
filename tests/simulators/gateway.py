"""A simulated internet of hosts of works: gateways that live, end, limit, list folders, or answer the wrong type."""

import asyncio
from base64 import b32encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from hashlib import sha256
import re
import socket
from typing import Any, Self, override

import aiohttp
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from .display.tls import server_context
from .serving import stop_serving

CHUNK = 64 * 1024
# Content of IPFS, and of Arweave.
CID = "bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34"
ID = "-bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_"
_OWN_ORIGIN = re.compile(r"^[a-z2-7]{52}\.")
LISTING = "<!DOCTYPE html><title>/ipfs/{0}</title><h1>Index of /ipfs/{0}</h1><a href='..'>..</a>"


class Mode(Enum):
    """How a host answers: each but the first in one of the ways that were seen."""

    LIVES = auto()
    # It serves no files any more, and says how to read them otherwise.
    ENDS = auto()
    LIMITS = auto()
    LISTS = auto()
    WRONG_TYPE = auto()
    FAILS = auto()
    # It answers nobody in time, or leads each work to an origin of its own, which has it.
    SLOW = auto()
    LEADS = auto()


@dataclass
class Internet(AbstractResolver):
    """Hosts with their names, all of them on loopback but those at other addresses; one that is not named has none.

    Attributes:
        hosts: how each answers.
        works: media type and content of each work: by ``CID/path`` at every gateway, by ``host/path`` at one.
        headers: those of a work, in place of one that lets every page read it.
        moved: where a work leads to, by ``host/path``.
        told: how many bytes a host says that a work has, in place of the truth: it sends zeros behind it until then.
        untold: works of which it does not say it.
        endless: those of them that grow for as long as somebody reads.
        drips: works of which a host sends the beginning, and then a byte at a time.
        names: addresses of other hosts.
        asked: every request, as ``method host/path``.
        open: how many requests are answered now, and how many were at most.
        sent: bytes of works.
    """

    hosts: dict[str, Mode] = field(default_factory=dict)
    works: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    told: dict[str, int] = field(default_factory=dict)
    untold: set[str] = field(default_factory=set)
    endless: set[str] = field(default_factory=set)
    drips: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    open: list[int] = field(default_factory=lambda: [0, 0])
    sent: int = 0
    port: int = 0
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        """Listen until the end."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._count)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=server_context())
        await site.start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            self._over.set()
            await stop_serving(runner)

    def session(self, **_options: Any) -> aiohttp.ClientSession:
        """Return a session in which there are these hosts only."""
        connector = aiohttp.TCPConnector(resolver=self, ssl=False, use_dns_cache=False)
        return aiohttp.ClientSession(connector=connector)

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if host not in self.names and _gateway(host)[1] not in self.hosts:
            raise OSError("no address")
        return [
            ResolveResult(
                hostname=host,
                host=self.names.get(host, "127.0.0.1"),
                port=self.port,
                family=socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    @override
    async def close(self) -> None:
        pass

    async def _count(self, request: web.Request) -> web.StreamResponse:
        """Answer, and count that meanwhile."""
        self.open[0] += 1
        self.open[1] = max(self.open)
        try:
            return await self._answer(request)
        finally:
            self.open[0] -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        """Answer as the host does."""
        cid, host = _gateway(request.host.partition(":")[0])
        path = request.path.removeprefix("/")
        self.asked.append(f"{request.method} {host}/{path}")
        open_to_all = {"Access-Control-Allow-Origin": "*"}
        match self.hosts[host]:
            case Mode.ENDS:
                text = "This gateway has ended: use a service worker"
                return web.Response(
                    status=429, text=text, headers={"Retry-After": "900"}
                )
            case Mode.LIMITS:
                return web.Response(status=429, headers={"Retry-After": "60"})
            case Mode.SLOW:
                await self._over.wait()
                return web.Response(status=504)
            case Mode.LEADS if not _OWN_ORIGIN.match(request.host):
                leads = f"https://{'a2' * 26}.{host}/{path}"
                return web.Response(status=302, headers={"Location": leads})
            case Mode.FAILS:
                return web.Response(status=502)
            case Mode.WRONG_TYPE:
                return web.Response(text="Not a picture", content_type="text/plain")
        if target := self.moved.get(f"{host}/{path}"):
            return web.Response(status=302, headers={"Location": target})
        key = f"{cid}/{path}" if cid else re.sub(r"^ipfs/", "", path)
        if self.hosts[host] is Mode.LISTS:
            return web.Response(text=LISTING.format(key), content_type="text/html")
        if key not in self.works:
            key = f"{host}/{path}"
        if key not in self.works:
            return web.Response(status=404, headers=open_to_all)
        kind, content = self.works[key]
        headers = self.headers.get(f"{host}/{path}", open_to_all)
        response = web.StreamResponse(headers={"Content-Type": kind, **headers})
        size = self.told.get(key, len(content))
        if key in self.untold | self.endless:
            response.enable_chunked_encoding()
        else:
            response.content_length = size
        await response.prepare(request)
        if request.method == "HEAD":
            return response
        rest = content
        with suppress(ConnectionError):
            while key in self.drips and rest and not self._over.is_set():
                first, rest = (
                    (rest[:64], rest[64:]) if rest is content else (rest[:1], rest[1:])
                )
                await response.write(first)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._over.wait(), 0.02)
            while rest:
                await response.write(rest)
                self.sent += len(rest)
                size = CHUNK if key in self.endless else size - len(rest)
                rest = bytes(min(CHUNK, size))
        return response


def cid_of(content: bytes, *, is_raw: bool = True) -> str:
    """Name content: a file of one block by its own hash; what is above blocks, as a folder, by the hash of names for them."""
    head = b"\x01\x55\x12\x20" if is_raw else b"\x01\x70\x12\x20"
    name = b32encode(head + sha256(content).digest()).decode()
    return "b" + name.lower().rstrip("=")


def _gateway(host: str) -> tuple[str, str]:
    """Return the CID and the gateway in a host of the subdomain form; no CID, and the host, for any other."""
    host = _OWN_ORIGIN.sub("", host.lower())
    cid, mark, gateway = host.partition(".ipfs.")
    return (cid, gateway) if mark else ("", host)
