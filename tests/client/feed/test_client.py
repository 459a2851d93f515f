"""Test reading one feed, and deleting."""

from collections.abc import Callable
from contextlib import suppress
from json import dumps
import threading
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from custom_components.dp1.client.errors import (
    AuthenticationError,
    Dp1Error,
    InvalidPlaylistError,
    InvalidRequestError,
    LostAnswerError,
    NotFoundError,
    TemporaryError,
    UnexpectedAnswerError,
)
from custom_components.dp1.client.feed import (
    client as feed_client,
    paging as feed_lists,
    writer,
)
from custom_components.dp1.client.feed.client import Family, Feed, normalize_url
from custom_components.dp1.client.feed.drafts import is_signed_by
from custom_components.dp1.client.pages import Page, in_turn

from .feeds import API_KEY, ID, KEY, MISSING, TS, V2, echo, playlist, scripted, served

from tests.client.scripted_server import Reply, Request, replied
from tests.client.tables import tables
from tests.client.timing import most_memory, worst_stall

TABLES = tables("feed_client")

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.mark.parametrize(("text", "url"), TABLES["addresses"])
def test_normalize_url(text: str, url: str) -> None:
    """Different notations of a URL have one normal form."""
    assert normalize_url(text) == url
    assert normalize_url(url) == url


@pytest.mark.parametrize("text", TABLES["no_addresses"])
def test_no_url(text: str) -> None:
    with pytest.raises(ValueError, match="not a web address"):
        normalize_url(text)


async def test_family() -> None:
    """The kind of server is detected by its response."""
    async with scripted(V2, TS) as (feed, server):
        assert await feed.family() == Family.V2
        assert await feed.family() == Family.TS
        assert server.calls() == ["GET /api/v1"] * 2


@pytest.mark.parametrize("reply", TABLES["no_feeds"])
async def test_no_feed(reply: dict[str, Any]) -> None:
    async with scripted(replied(**reply)) as (feed, _):
        with pytest.raises(UnexpectedAnswerError):
            await feed.family()


@pytest.mark.parametrize(("reply", "error", "requests"), TABLES["faults"])
async def test_read_faults(reply: dict[str, Any], error: str, requests: int) -> None:
    """Each fault has its error, whatever is read; the HTTP library itself repeats a read once after a lost connection."""
    async with scripted(replied(**reply)) as (feed, server):
        for read in (
            feed.family(),
            feed.playlist(ID),
            anext(feed.playlist_pages()),
            anext(feed.channels()),
        ):
            with pytest.raises(Dp1Error) as caught:
                await read
            assert type(caught.value).__name__ == error
    assert len(server.requests) == 4 * requests


async def test_key_stays_at_home() -> None:
    """The API key is sent with writes to its feed only, and is in no repr."""
    async with scripted(
        Reply(body=playlist(id=ID)),
        V2,
        echo(),
        V2,
        Reply(body=playlist(id=ID)),
        Reply(body=b"", status=204),
        api_key=f" {API_KEY}\n",
    ) as (feed, server):
        await feed.playlist(f"{server.url}/elsewhere")
        await feed.publish(playlist())
        await feed.delete(ID)
        sent = [request.headers.get("Authorization") for request in server.requests]
        keyed = [f"Bearer {API_KEY}"]
        assert sent == [None, None, *keyed, None, None, *keyed]
        assert API_KEY not in f"{feed!r}{vars(feed)!r}"


@pytest.mark.parametrize(
    ("reply", "accepted"),
    [
        (Reply(400, {"error": "bad_request", "message": "Key: 'X.Title' Error:y"}), True),
        (Reply(400, {"error": "validation_error", "message": "no"}), True),
        (Reply(401, {"error": "unauthorized", "message": "Invalid credentials"}), False),
        (Reply(403, b"<html>"), False),
    ],
)  # fmt: skip
async def test_check_key(reply: Reply, accepted: bool) -> None:
    """A wrong API key is detected without publishing."""
    async with scripted(reply, api_key=API_KEY) as (feed, server):
        if accepted:
            await feed.check_key()
        else:
            with pytest.raises(AuthenticationError):
                await feed.check_key()
        assert server.calls() == ["POST /api/v1/playlists"]
        assert server.requests[0].json == {}


@pytest.mark.parametrize("api_key", [None, "", " ", "two\nlines", "schlüssel"])
async def test_no_key(api_key: str | None) -> None:
    """A missing or invalid API key raises without a request."""
    script = (V2, Reply(body=playlist(id=ID)))
    async with scripted(*script, api_key=api_key) as (feed, server):
        for write in (feed.check_key(), feed.delete(ID)):
            with pytest.raises(AuthenticationError) as caught:
                await write
            assert not (api_key or "").strip() or api_key not in str(caught.value)
        assert {request.method for request in server.requests} == {"GET"}


async def test_playlist_addresses() -> None:
    """A playlist is read by id in any case, by slug, and by URL, and its URL has the id."""
    async with scripted(Reply(body=playlist(id=ID))) as (feed, server):
        own = f"{feed.url}/playlists/{ID}"
        assert (await feed.playlist(ID.upper())).url == own
        assert (await feed.playlist(" evening-385f79b6 ")).url == own
        assert (await feed.playlist("a/b?c")).document["title"] == "Evening"
        abroad = f"{server.url}/p/other.json"
        assert (await feed.playlist(abroad)).url == abroad
        assert server.calls() == [
            f"GET /api/v1/playlists/{ID}",
            "GET /api/v1/playlists/evening-385f79b6",
            "GET /api/v1/playlists/a%2Fb%3Fc",
            "GET /p/other.json",
        ]
        for nothing in ("", ".", ".."):
            with pytest.raises(NotFoundError):
                await feed.playlist(nothing)
        with pytest.raises(InvalidRequestError):
            await feed.playlist("file:///etc/passwd")
        assert len(server.requests) == 4


async def test_a_feed_does_not_choose_where_the_key_goes() -> None:
    """An id that is a URL is used as an id on this feed."""
    ways = {"id": "https://elsewhere.example/x", "slug": "../registry/channels"}
    crafty = Reply(body=playlist(**ways))
    named = "/api/v1/playlists/https%3A%2F%2Felsewhere.example%2Fx"
    script = (crafty, V2, crafty, Reply(204))
    async with scripted(*script, api_key=API_KEY) as (feed, server):
        assert (await feed.playlist("evening")).url == f"{server.url}{named}"
        await feed.delete(f"{feed.url}/playlists/../registry/channels")
        assert server.calls()[-2:] == [
            "GET /api/v1/playlists/..%2Fregistry%2Fchannels",
            "DELETE /api/v1/playlists/https:%2F%2Felsewhere.example%2Fx",
        ]


async def test_writes_do_not_follow_redirects() -> None:
    moved = Reply(301, b"<html>", {"Location": "https://elsewhere.example/"})
    async with scripted(V2, moved, api_key=API_KEY) as (feed, server):
        with pytest.raises(
            UnexpectedAnswerError, match=r"to https://elsewhere\.example/"
        ):
            await feed.publish(playlist())
    assert len(server.requests) == 2


@pytest.mark.parametrize(("document", "good"), TABLES["documents"])
async def test_is_a_playlist(document: Any, good: bool) -> None:
    """A document with unusual values is read, and what is neither a playlist nor a list raises."""
    async with scripted(Reply(body=document)) as (feed, _):
        if good:
            assert (await feed.playlist("x")).document == document
        else:
            for read in (feed.playlist("x"), anext(feed.playlist_pages())):
                with pytest.raises(UnexpectedAnswerError):
                    await read


async def test_etag() -> None:
    """An unchanged playlist is read from the cache, which callers cannot modify."""
    first = Reply(body=playlist(id=ID), headers={"ETag": '"1"'})
    second = Reply(body=playlist(id=ID, title="Night"), headers={"ETag": '"2"'})
    same = Reply(304, headers={"ETag": '"1"'})
    plain = Reply(body=playlist(id=ID, title="Plain"))
    async with scripted(first, same, second, plain, plain) as (feed, server):
        one = await feed.playlist(ID)
        one.document["title"] = "Spoilt"
        again = await feed.playlist(ID)
        assert again.document["title"] == "Evening"
        assert (await feed.playlist(ID)).document["title"] == "Night"
        await feed.playlist(ID)
        assert (await feed.playlist(ID)).document["title"] == "Plain"
        sent = [request.headers.get("If-None-Match") for request in server.requests]
        assert sent == [None, '"1"', '"1"', '"2"', None]


async def test_odd_etags() -> None:
    """A mark with control characters is not sent back, and an unexpected 304 raises."""
    reply = Reply(body=playlist(id=ID), headers={"ETag": '"\x01"'})
    async with scripted(reply, reply, Reply(304)) as (feed, server):
        for _ in range(2):
            assert (await feed.playlist(ID)).document["title"] == "Evening"
        with pytest.raises(UnexpectedAnswerError):
            await feed.playlist(ID)
        assert not any("If-None-Match" in r.headers for r in server.requests)


async def test_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest responses are removed from the cache, and large ones not stored."""
    monkeypatch.setattr(feed_client, "MAX_ANSWERS", 2)
    reply = Reply(body=playlist(id=ID), headers={"ETag": '"1"'})
    async with scripted(reply) as (feed, server):
        for ref in ("a", "b", "c", "a"):
            await feed.playlist(ref)
        assert not any("If-None-Match" in r.headers for r in server.requests)
        await feed.playlist("c")
        assert "If-None-Match" in server.requests[-1].headers
        monkeypatch.setattr(feed_client, "MAX_BYTES", 10)
        await feed.playlist("d")
        await feed.playlist("d")
        assert "If-None-Match" not in server.requests[-1].headers


def page(numbers: Any, cursor: str | None = None, more: bool = True) -> Reply:
    items = [{"id": str(n)} if isinstance(n, int) else n for n in numbers]
    body = {"items": items, "hasMore": more and cursor is not None}
    return Reply(body={**body, "cursor": cursor} if cursor else body)


async def listed(feed: Feed) -> list[int]:
    return [
        int(each["id"]) async for page in feed.playlist_pages() for each in page.records
    ]


async def test_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cursors are sent unchanged, and invalid records skipped."""
    monkeypatch.setattr(feed_lists, "PAGE_SIZE", 3)
    async with scripted(
        page([1, "x", 2], "a+/="), page([3, None, 4], "b"), page([5])
    ) as (feed, server):
        found = [page.records async for page in feed.playlist_pages()]
        assert [int(each["id"]) for part in found for each in part] == [1, 2, 3, 4, 5]
        assert server.calls() == [
            "GET /api/v1/playlists?sort=desc&limit=3",
            "GET /api/v1/playlists?sort=desc&limit=3&cursor=a%2B/%3D",
            "GET /api/v1/playlists?sort=desc&limit=3&cursor=b",
        ]


@pytest.mark.parametrize(("pages", "expected", "requests"), TABLES["guards"])
async def test_list_guards(
    pages: list[Any], expected: list[int], requests: int
) -> None:
    """Repeated pages end the list, and repeated records are skipped."""
    async with scripted(*(page(*row) for row in pages)) as (feed, server):
        assert await listed(feed) == expected
        assert len(server.requests) == requests


async def test_cursors_that_are_none() -> None:
    """Without a cursor the list ends, and with one that would be kept and sent back without end."""
    none = {"items": [{"id": "1"}], "hasMore": True}
    empty = {"items": [], "hasMore": True, "cursor": 5}
    endless = {**none, "cursor": "c" * 100_000}
    for body, expected in ((none, [1]), (empty, []), (endless, [1])):
        async with scripted(Reply(body=body)) as (feed, server):
            assert await listed(feed) == expected
            assert len(server.requests) == 1


async def test_what_was_read_is_known_by_few_bytes() -> None:
    """Also where records have no id, and are told apart by all they have: 30 MB before."""

    async def fetch(place: str | None, _: int) -> Page[str]:
        number = int(place or 0) + 1
        following = str(number) if number < 60 else None
        return Page([f"{number} {'x' * 500_000}"], following=following)

    async def read() -> None:
        counts = [
            len(page.records) async for page in in_turn(fetch, size=1, identity=str)
        ]
        assert sum(counts) == 60

    assert await most_memory(read) < 20 * 1024 * 1024


def paged(records: list[Any]) -> Callable[[Request], Reply]:
    """Serve records as compact JSON; the cursor is the index of the next."""

    def serve(request: Request) -> Reply:
        query = parse_qs(urlsplit(request.path).query)
        first, limit = int(query.get("cursor", ["0"])[0]), int(query["limit"][0])
        body: dict[str, Any] = {"items": records[first : first + limit]}
        if first + limit < len(records):
            body |= {"hasMore": True, "cursor": str(first + limit)}
        return Reply(body=dumps(body, separators=(",", ":")).encode())

    return serve


def sized(sizes: list[int]) -> Callable[[Request], Reply]:
    """Serve records of these sizes."""
    return paged([{"id": str(n), "text": "x" * size} for n, size in enumerate(sizes)])


async def test_pages_too_large_are_asked_for_in_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page that is too large is requested in smaller parts, and a record alone may be as large as any document."""
    monkeypatch.setattr(feed_lists, "MAX_PAGE_BODY", 2000)
    monkeypatch.setattr(feed_lists, "MAX_BODY", 50_000)
    sizes = [100] * 10 + [1500, 100, 3000, 100] + [20] * 60 + [5000]
    async with scripted(sized(sizes)) as (feed, server):
        found = [page async for page in feed.playlist_pages()]
        read = [int(record["id"]) for page in found for record in page.records]
        assert read == [*range(len(sizes))]
        assert server.calls()[:3] == [
            f"GET /api/v1/playlists?sort=desc&limit={n}" for n in (100, 25, 6)
        ]
        assert len(server.requests) < 45


def levels(count: int) -> Any:
    value: list[Any] = []
    for _ in range(count):
        value = [value]
    return value


@pytest.mark.parametrize("what", [levels(300), levels(10_000), "\ud800"])
async def test_one_author_does_not_hide_the_others(what: Any) -> None:
    """A record that is deep or broken is read, without what is."""
    records = paged([{"id": "1"}, {"id": "2", "x": what}, {"id": "3"}])
    async with scripted(records) as (feed, _):
        found = [page async for page in feed.playlist_pages()]
    read = [each["id"] for page in found for each in page.records]
    assert read == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b'{"items":[],"x":"\\ud800"}', UnexpectedAnswerError),
        # The document is at fault, and not the feed.
        (b'{"items":[],"x":' + b"[" * 99 + b"]" * 99 + b"}", InvalidPlaylistError),
    ],
)
async def test_a_document_is_read_as_a_whole(
    body: bytes, error: type[Exception]
) -> None:
    """A single document is refused rather than changed, as it is written back and its signatures are checked."""
    async with scripted(Reply(body=body)) as (feed, _):
        with pytest.raises(error):
            await feed.playlist("1")


async def test_channels() -> None:
    """Channels are listed; none if the feed does not support them."""
    off = Reply(404, {"error": "extensions_disabled", "message": "off"})
    async with scripted(page([1]), off) as (feed, server):
        assert [channel async for channel in feed.channels()] == [{"id": "1"}]
        assert [channel async for channel in feed.channels()] == []
        channels, groups = (
            f"GET /api/v1/{kind}?limit=100" for kind in ("channels", "playlist-groups")
        )
        assert server.calls() == [channels, groups] * 2


async def test_delete() -> None:
    """A playlist of this feed is deleted at once or queued, and one of another host refused."""
    there = Reply(body=playlist(id=ID, slug="evening"))
    queued = Reply(202, {"message": "queued"})
    script = (V2, there, Reply(204), V2, there, queued, V2, MISSING, V2)
    async with scripted(*script, api_key=API_KEY) as (feed, server):
        assert await feed.delete("evening") == ID
        assert await feed.delete(feed.playlist_url(ID)) == ID
        with pytest.raises(NotFoundError):
            await feed.delete(ID)
        assert server.calls()[2] == f"DELETE /api/v1/playlists/{ID}"
        asked = len(server.requests)
        with pytest.raises(InvalidRequestError):
            await feed.delete("https://elsewhere.example/api/v1/playlists/x")
        assert server.calls()[asked:] == ["GET /api/v1"]


@pytest.mark.parametrize("doubt", [Reply(fault="after"), Reply(502, b"<html>")])
async def test_a_doubtful_delete(doubt: Reply) -> None:
    """After a lost answer the playlist is looked up to find out whether it was deleted."""
    there = Reply(body=playlist(id=ID))
    for after, gone in ((MISSING, True), (there, False)):
        async with scripted(V2, there, doubt, doubt, after, api_key=API_KEY) as (
            feed,
            server,
        ):
            # The HTTP library itself repeats a request with a lost answer once.
            if not doubt.fault:
                server.script = [V2, there, doubt, after]
            if gone:
                assert await feed.delete(ID) == ID
            else:
                with pytest.raises((LostAnswerError, TemporaryError)):
                    await feed.delete(ID)


@pytest.mark.parametrize("name", ["a-" * 2_000_000, "%41" * 1_700_000], ids=len)
async def test_a_name_without_end_stalls_nothing(name: str) -> None:
    """No playlist is called that."""
    async with served() as (feed, simulator):

        async def write() -> None:
            for ref in (name, f"{simulator.url}/playlists/{name}"):
                with pytest.raises(NotFoundError):
                    await feed.delete(ref, key=KEY)
            with suppress(Dp1Error):
                await feed.publish(playlist(slug=name), key=KEY)

        assert await worst_stall(write, 0.1) < 0.1


async def test_signatures_of_a_stored_playlist_are_verified_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of one of 5 MB take a third of a second."""
    threads: set[int] = set()

    def seen(*arguments: Any) -> bool:
        threads.add(threading.get_ident())
        return is_signed_by(*arguments)

    monkeypatch.setattr(f"{writer.__name__}.is_signed_by", seen)
    async with served() as (feed, _):
        slug = (await feed.publish(playlist(), key=KEY)).slug
        await feed.update(slug, lambda it: {**it, "title": "Noon"}, key=KEY)
        await feed.delete(slug, key=KEY)
    assert threads
    assert threading.get_ident() not in threads
