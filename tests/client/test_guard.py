"""Test requests to addresses from outside, over real sockets."""

from collections.abc import AsyncIterator
from ipaddress import ip_address, ip_network

import aiohttp
import pytest

from custom_components.dp1.client import guard as module
from custom_components.dp1.client.errors import (
    InvalidRequestError,
    LostAnswerError,
    UnexpectedAnswerError,
    UnreachableError,
)
from custom_components.dp1.client.guard import (
    Guard,
    is_home_name,
    is_public,
    know_home,
    public_session,
)
from custom_components.dp1.client.http import request_json
from custom_components.dp1.client.text import host_of, web_url

from .resolver import Names
from .scripted_server import Reply, ScriptedServer

from tests.client.keys import keyed
from tests.client.tables import tables

TABLES = tables("guard")

pytestmark = pytest.mark.usefixtures("socket_enabled")

DONE = Reply(body={"done": True})


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
async def public() -> AsyncIterator[aiohttp.ClientSession]:
    """Return a session for public addresses; every name resolves to this machine."""
    async with public_session(Names()) as session:
        yield session


@pytest.fixture
def guard(session: aiohttp.ClientSession, public: aiohttp.ClientSession) -> Guard:
    """Return a guard that knows no server yet."""
    return Guard(session, public)


async def ask(guard: Guard, url: str, timeout: float = 5.0) -> object:
    return await (await request_json(guard, "GET", url, timeout=timeout)).json()


@pytest.mark.parametrize(("address", "public"), TABLES["public"])
def test_is_public(address: str, public: bool) -> None:
    """Only addresses of the internet are public, in any notation."""
    assert is_public(address) is public


def test_addresses_of_this_home() -> None:
    """What looks like an address of the internet is none in a network that this machine is in."""
    own, other = "2a01:db9:1::7", "2a01:db9:2::7"
    assert is_public(own) and is_public("198.41.0.4")
    know_home([ip_network("2a01:db9:1::/64"), ip_network("198.41.0.0/24")])
    try:
        assert not is_public(own) and not is_public("198.41.0.4")
        assert not is_public("64:ff9b::198.41.0.4")
        assert is_public(other)
        assert is_home_name(own) and not is_home_name(other)
    finally:
        know_home([])
    assert is_public(own)


@pytest.mark.parametrize("url", TABLES["no_addresses"])
async def test_no_web_address(url: str, guard: Guard) -> None:
    """An invalid URL has an error of its own, which does not repeat it."""
    with pytest.raises(ValueError, match="not a web address") as caught:
        web_url(url)
    assert type(caught.value) is ValueError and "secret" not in str(caught.value)
    assert host_of(url) is None
    with pytest.raises(
        InvalidRequestError, check=keyed("address_blocked"), match="not a web address"
    ):
        async with guard.request("GET", url, timeout=aiohttp.ClientTimeout(total=5)):
            pass
    async with aiohttp.ClientSession() as session:
        with pytest.raises(InvalidRequestError, match="not a web address"):
            await request_json(session, "GET", url, timeout=5)


@pytest.mark.parametrize(("url", "host"), TABLES["hosts"])
def test_host(url: str, host: str) -> None:
    """Hosts are compared in a normal form."""
    assert host_of(url) == host


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"]
)
async def test_home_is_closed(host: str, guard: Guard) -> None:
    """No request reaches this machine, in whatever notation its address is."""
    async with ScriptedServer.run(DONE) as server:
        port = server.url.rpartition(":")[2]
        with pytest.raises(
            InvalidRequestError, check=keyed("address_blocked"), match="nobody named it"
        ):
            await ask(guard, f"http://{host}:{port}/")
        assert not server.requests


async def test_a_host_that_the_owner_named(
    session: aiohttp.ClientSession, public: aiohttp.ClientSession
) -> None:
    """An allowed host may be at home; it can include a port."""
    async with ScriptedServer.run(DONE) as server:
        port = server.url.rpartition(":")[2]
        named = Guard(session, public, {f"127.0.0.1:{port}"})
        for guard in (named, Guard(session, public).allowing(server.url)):
            assert await ask(guard, server.url)
        with pytest.raises(InvalidRequestError, check=keyed("address_blocked")):
            await ask(Guard(session, public, {"127.0.0.1:1"}), server.url)
        # The connection that is still open does not help another who may not.
        with pytest.raises(InvalidRequestError, check=keyed("address_blocked")):
            await ask(Guard(session, public), server.url)
        assert len(server.requests) == 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "place", ["http://localhost:{port}/api", "//localhost:{port}/"]
)
async def test_redirect_into_the_home(status: int, place: str, guard: Guard) -> None:
    async with ScriptedServer.run(DONE) as victim:
        port = victim.url.rpartition(":")[2]
        moved = Reply(status, headers={"Location": place.format(port=port)})
        async with ScriptedServer.run(moved) as server:
            with pytest.raises(InvalidRequestError, check=keyed("address_blocked")):
                await ask(guard.allowing(server.url), server.url)
            assert len(server.requests) == 1 and not victim.requests


@pytest.mark.parametrize(
    "place", ["file:///etc/passwd", "http://u:p@127.0.0.1/", "http://["]
)
async def test_redirect_to_no_web_address(place: str, guard: Guard) -> None:
    async with ScriptedServer.run(Reply(302, headers={"Location": place})) as server:
        with pytest.raises(InvalidRequestError, check=keyed("address_blocked")):
            await ask(guard.allowing(server.url), server.url)
        assert len(server.requests) == 1


async def test_redirects_are_followed(guard: Guard) -> None:
    """Relative redirects are followed, without the original headers and up to a limit."""
    moved = Reply(302, headers={"Location": "there?a=1"})
    async with ScriptedServer.run(moved, DONE) as server:
        allowing = guard.allowing(server.url)
        answer = await request_json(
            allowing, "GET", f"{server.url}/x/y", timeout=5, headers={"Cookie": "a"}
        )
        assert answer.decoded() == {"done": True}
        assert answer.url == f"{server.url}/x/there?a=1"
        assert server.calls() == ["GET /x/y", "GET /x/there?a=1"]
        assert "Cookie" not in server.requests[1].headers
    async with ScriptedServer.run(moved) as server:
        allowing = guard.allowing(server.url)
        with pytest.raises(UnexpectedAnswerError, match="redirects"):
            await ask(allowing, server.url)
        assert len(server.requests) == 6
        answer = await request_json(allowing, "POST", server.url, timeout=5)
        assert answer.status == 302 and len(server.requests) == 7


@pytest.mark.parametrize("named", [False, True])
async def test_name_that_leads_home_the_next_time(
    monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    """The address of the connection is checked, not that of an earlier look-up."""
    names = Names()
    # Only the first answer stands for an address of the internet.
    monkeypatch.setattr(
        module,
        "is_public",
        lambda address: bool(ip_address(address)) and names.asked == 1,
    )
    closing = Reply(body=1, headers={"Connection": "close"})
    async with (
        ScriptedServer.run(closing) as server,
        public_session(names) as public,
        aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=names)
        ) as session,
    ):
        url = f"http://art.example:{server.url.rpartition(':')[2]}/"
        guard = Guard(session, public)
        if named:
            guard = guard.allowing(url)
        assert await ask(guard, url) == 1
        assert isinstance(public.connector, aiohttp.TCPConnector)
        public.connector.clear_dns_cache()
        with pytest.raises(InvalidRequestError, check=keyed("address_blocked")):
            await ask(guard, url)
        assert len(server.requests) == 1


async def test_name_that_leads_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several addresses of a name, none at home is tried when those of the internet do not answer."""
    async with ScriptedServer.run(DONE) as down:
        pass
    places = [True, True]
    monkeypatch.setattr(module, "is_public", lambda _: bool(places and places.pop()))
    async with ScriptedServer.run(DONE) as server:
        ports = [int(it.url.rpartition(":")[2]) for it in (down, down, server)]
        names = Names(*ports)
        async with (
            public_session(names) as public,
            aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(resolver=names)
            ) as session,
        ):
            with pytest.raises((InvalidRequestError, UnreachableError)):
                await ask(Guard(session, public), "http://art.example/")
        assert not places and not server.requests


async def test_public_host(
    guard: Guard,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A public address is requested by the restricted session."""
    monkeypatch.setattr(module, "is_public", lambda address: True)
    async with ScriptedServer.run(DONE) as server:
        port = server.url.rpartition(":")[2]
        assert await ask(guard, f"http://art.example:{port}/a b")
        assert server.requests[0].headers["Host"] == f"art.example:{port}"


async def test_the_time_is_for_all_of_it(guard: Guard) -> None:
    moved = Reply(302, headers={"Location": "/"})
    async with ScriptedServer.run(moved, Reply(fault="never")) as server:
        with pytest.raises(LostAnswerError, match="in time"):
            await ask(guard.allowing(server.url), server.url, timeout=0.5)
        assert len(server.requests) == 2


@pytest.mark.parametrize(("host", "is_home"), TABLES["home_names"])
def test_names_at_home(host: str, is_home: bool) -> None:
    """A name whose owner could be anybody is none."""
    assert is_home_name(host) is is_home


async def test_a_server_at_home_stays_where_it_was(
    session: aiohttp.ClientSession, public: aiohttp.ClientSession
) -> None:
    """A configured server with a public name may be at home, but only where it was the first time, also after a restart."""
    names, seen = Names(), dict[str, str]()
    async with ScriptedServer.run(DONE) as server:
        port = server.url.rpartition(":")[2]
        url = f"http://feed.example:{port}/a"
        guard = Guard(session, public, seen=seen, resolver=names).allowing(url)
        assert await ask(guard, url)
        assert server.requests[0].headers["Host"] == f"feed.example:{port}"
        assert seen == {f"feed.example:{port}": "127.0.0.1"}
        names.address = "127.0.0.2"
        again = Guard(session, public, seen=seen, resolver=names).allowing(url)
        with pytest.raises(
            InvalidRequestError, check=keyed("address_blocked"), match="another address"
        ):
            await ask(again, url)
        names.address = "127.0.0.1"
        assert await ask(again, url)
        seen[f"feed.example:{port}"] = "public"
        with pytest.raises(InvalidRequestError, check=keyed("address_blocked")):
            await ask(again, url)
        assert len(server.requests) == 2


async def test_a_server_at_home_that_is_down(
    session: aiohttp.ClientSession, public: aiohttp.ClientSession
) -> None:
    """A server with a public name that is off or whose name is gone is out of reach, and its address is not remembered."""
    names, seen = Names(), dict[str, str]()
    async with ScriptedServer.run(DONE) as server:
        port = server.url.rpartition(":")[2]
    url = f"http://feed.example:{port}/a"
    guard = Guard(session, public, seen=seen, resolver=names).allowing(url)
    with pytest.raises(UnreachableError, check=keyed("refused")):
        await ask(guard, url)
    names.address = None
    with pytest.raises(UnreachableError):
        await ask(guard, url)
    assert not seen


async def test_a_name_that_only_the_home_knows(public: aiohttp.ClientSession) -> None:
    """A configured server with a name of the home is asked like any device; a stranger may not name it."""
    names = Names()
    async with (
        ScriptedServer.run(DONE) as server,
        aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=names)
        ) as session,
    ):
        url = f"http://nas.local:{server.url.rpartition(':')[2]}/"
        assert await ask(Guard(session, public).allowing(url), url)
        with pytest.raises(InvalidRequestError, check=keyed("address_blocked")):
            await ask(Guard(session, public), url)
        assert len(server.requests) == 1


async def test_a_public_host_that_is_down(
    guard: Guard,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A connection that a public host refuses is not taken for one within the home."""
    monkeypatch.setattr(module, "is_public", lambda address: True)
    async with ScriptedServer.run(DONE) as server:
        port = server.url.rpartition(":")[2]
    with pytest.raises(UnreachableError, check=keyed("refused")):
        await ask(guard, f"http://art.example:{port}/")


def test_an_address_without_end() -> None:
    """A long text is no address, and not read: that would take seconds."""
    assert host_of(f"http://a.example/{'x' * 8000}") == "a.example:80"
    assert host_of(f"http://a.example/{'x' * 9000}") is None
