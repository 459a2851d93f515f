"""The guard of requests to addresses that a stranger chose: a display, a feed, a catalog or the author of a document.

They reach the internet and the hosts that the owner named, nothing else in the house. How to use it:

    public = public_session()  # one for as long as it runs; close it at the end
    guard = Guard(session, public).allowing(catalog.url)
    answer = await request_json(guard, "GET", url, timeout=10)
    async with guard.request("GET", url, timeout=ClientTimeout(total=10)) as response: ...
"""

import asyncio
from collections.abc import AsyncIterator, Container, Iterable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
import socket
from ssl import SSLContext
from typing import Any, Self

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from .errors import InvalidRequestError, UnexpectedAnswerError
from .text import host_and_port, host_of, plain_host, read_url, web_url

type Network = IPv4Network | IPv6Network

ENCODING = {"Accept-Encoding": "gzip"}
MAX_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_NAT64 = IPv6Network("64:ff9b::/96")
_BLOCKED = "an address within the home or of this machine"
# In place of the address of a host that was found in the internet.
PUBLIC = "public"
# Names that no public name server answers for. Source: RFC 6761, RFC 6762, RFC 8375, and ICANN for ``.internal``.
HOME_SUFFIXES = (".local", ".localhost", ".home.arpa", ".internal")
# Networks at home whose addresses look like those of the internet, as with IPv6.
_HOME: list[Network] = []


def know_home(networks: Iterable[Network]) -> None:
    """Take the networks of this machine for the home from now on, in place of those before."""
    _HOME[:] = networks


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the internet, also where IPv6 carries an IPv4 address in it.

    Loopback, private, link-local, shared, multicast, reserved and documentation addresses are not, nor those of
    ``know_home``.
    """
    ip = ip_address(address)
    if isinstance(ip, IPv6Address):
        if ip in _NAT64:
            ip = ip_address(int(ip) & 0xFFFFFFFF)
        elif ip.ipv4_mapped:
            ip = ip.ipv4_mapped
        elif ip.is_site_local:
            return False
    if not ip.is_global or ip.is_multicast or ip.is_reserved:
        return False
    return not any(ip in network for network in _HOME)


def is_home_name(host: str) -> bool:
    """Return whether a host can only be one at home: an address, a single label, ``.local``, ``.home.arpa`` or ``.internal``.

    Whoever owns any other name chooses where it leads, each time anew.
    """
    return _is_private(host, "." not in host or host.endswith(HOME_SUFFIXES))


def public_session(
    resolver: AbstractResolver | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    ssl: SSLContext | bool = True,
) -> aiohttp.ClientSession:
    """Return a session that connects to public addresses only, and keeps no cookies.

    The address is checked when the socket is made, after the name was resolved: a name that resolves otherwise the
    next time does not get around it, nor does a redirect or a connection that is still open.
    """

    def open_socket(info: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol, _, address = info
        if not is_public(address[0]):
            raise OSError(_BLOCKED)
        return socket.socket(family, kind, protocol)

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            socket_factory=open_socket, resolver=resolver, ssl=ssl
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers=headers,
    )


@dataclass(frozen=True, slots=True)
class Guard:
    """A guard of requests to addresses that did not come from the owner's configuration.

    Attributes:
        session: what to reach the allowed hosts with that are at home.
        public: what to reach all others with, from ``public_session``.
        allowed: hosts that the owner named, as ``host:port``, in lower case; they may be at home.
        addresses: that are allowed exactly as they are; their hosts may be at home.
        seen: where those of them were found, as ``PUBLIC`` or an address at home; their names lead nowhere else any more.
        server: one more host that is allowed.
        resolver: of the names of servers at home.
    """

    session: aiohttp.ClientSession = field(repr=False)
    public: aiohttp.ClientSession = field(repr=False)
    allowed: Container[str] = field(default=frozenset(), repr=False)
    addresses: Container[str] = field(default=frozenset(), repr=False)
    seen: MutableMapping[str, str] = field(default_factory=dict, repr=False)
    server: str | None = None
    resolver: AbstractResolver | None = field(default=None, repr=False)

    def allowing(self, url: str) -> Self:
        """Return a guard that allows the host of an address, too."""
        return replace(self, server=host_of(url))

    @asynccontextmanager
    async def request(
        self,
        method: str,
        url: str | URL,
        *,
        allow_redirects: bool = True,
        timeout: aiohttp.ClientTimeout,
        **options: Any,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send a request as ``aiohttp.ClientSession.request`` does; ``timeout`` is for the whole of it.

        Every redirect is checked as the first address was, and goes without the headers that the caller gave.

        Raises:
            InvalidRequestError: not ``http`` or ``https``, an address with a user name, or one that is not public.
            UnexpectedAnswerError: more than five redirects.
            aiohttp.ClientError: as for any request.
            TimeoutError: it took too long.
        """
        target = _checked(str(url))
        async with asyncio.timeout(timeout.total):
            for _ in range(MAX_REDIRECTS + 1):
                opened = await self._open(
                    method, target, allow_redirects=False, timeout=timeout, **options
                )
                async with opened as response:
                    location = response.headers.get("Location")
                    if (
                        not location
                        or not allow_redirects
                        or response.status not in _REDIRECTS
                    ):
                        yield response
                        return
                target = _checked(location, target)
                options = {}
        raise UnexpectedAnswerError("too many redirects")

    async def _open(
        self, method: str, target: URL, **options: Any
    ) -> aiohttp.ClientResponse:
        """Ask a host as one of the internet, then as one at home if the owner named it."""
        options |= {
            "auto_decompress": False,
            "headers": {**ENCODING, **(options.get("headers") or {})},
        }
        host, server = plain_host(target), host_and_port(target)
        is_named = (
            server == self.server
            or server in self.allowed
            or str(target) in self.addresses
        )
        if is_named and _is_private(host):
            return await self.session.request(method, target, **options)
        try:
            response = await self.public.request(method, target, **options)
        except aiohttp.ClientConnectorError as err:
            blocked = _BLOCKED in str(err.os_error)
            if not blocked and not isinstance(err, aiohttp.ClientConnectorDNSError):
                raise
            if is_named and self.seen.get(server) != PUBLIC:
                if is_home_name(host):
                    return await self.session.request(method, target, **options)
                return await self._open_pinned(method, target, err, **options)
            if blocked:
                raise InvalidRequestError(
                    f"{host} is {_BLOCKED}, and nobody named it",
                    translation_key="address_blocked",
                ) from None
            raise
        if is_named:
            self.seen[server] = PUBLIC
        return response

    async def _open_pinned(
        self,
        method: str,
        target: URL,
        problem: aiohttp.ClientConnectorError,
        *,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> aiohttp.ClientResponse:
        """Ask a server at home that has a public name, at the address that it had the first time."""
        host, server = target.raw_host or "", host_and_port(target)
        resolver = self.resolver or aiohttp.ThreadedResolver()
        try:
            entries = await resolver.resolve(host, target.port or 0, socket.AF_UNSPEC)
        except OSError:
            raise problem from None
        addresses = [entry["host"] for entry in entries]
        if (pinned := self.seen.get(server)) is not None:
            if pinned not in addresses:
                raise InvalidRequestError(
                    f"{host} leads to another address within the home than before",
                    translation_key="address_blocked",
                ) from None
            addresses = [pinned]
        for address in addresses:
            try:
                response = await self.session.request(
                    method,
                    target.with_host(address),
                    headers={**(headers or {}), "Host": target.authority},
                    server_hostname=host if target.scheme == "https" else None,
                    **options,
                )
            except aiohttp.ClientConnectorError as err:
                problem = err
            else:
                self.seen[server] = address
                return response
        raise problem from None


def _is_private(host: str, if_name: bool = False) -> bool:
    """Return whether a host is an address, and none of the internet, or ``if_name`` if it is a name."""
    try:
        return not is_public(host)
    except ValueError:
        return if_name


def _checked(text: str, base: URL | None = None) -> URL:
    """Return a web address, completed by a base."""
    try:
        return web_url(str(base.join(read_url(text))) if base else text)
    except ValueError as err:
        raise InvalidRequestError(str(err), translation_key="address_blocked") from None
