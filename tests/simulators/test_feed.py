"""Test the simulated feed against recorded exchanges of real feeds."""

from collections.abc import AsyncIterator, Iterator
import itertools
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from .feed import FeedSimulator, verify
from .feed.text import parse_time

_CAPTURES = Path(__file__).parent.parent / "fixtures" / "captures"

type Exchange = dict[str, Any]


def _exchanges(family: str) -> list[Exchange]:
    """Return the recorded exchanges of a family in order."""
    lines = (_CAPTURES / f"{family}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _between(family: str) -> dict[str, list[Exchange]]:
    """Return what happened between recorded exchanges, by the name of the next one."""
    steps: dict[str, dict[str, list[Exchange]]] = json.loads(
        (_CAPTURES / "between.json").read_text("utf-8")
    )
    return steps[family]


def _shape(value: Any) -> Any:
    """Return the fields of a value at every depth."""
    match value:
        case dict():
            return {key: _shape(entry) for key, entry in sorted(value.items())}
        case list():
            return [_shape(entry) for entry in value]
    return (
        type(value).__name__
        if not isinstance(value, int | float) or isinstance(value, bool)
        else "number"
    )


def _filled(fill: dict[str, Any]) -> str:
    """Return a large body that the recording describes."""
    works = [
        {
            "title": f"Work {n}",
            "source": f"https://art.example/{n}.html",
            "duration": 300,
            "license": "open",
        }
        for n in range(fill["works"])
    ]
    missing = fill["bytes"] - len(
        json.dumps({**fill["head"], "items": works}, separators=(",", ":"))
    )
    if missing > 1000:
        works[0]["override"] = {"x": "y" * missing}
    return json.dumps({**fill["head"], "items": works}, separators=(",", ":"))


def _moment(answer: Any) -> int | None:
    """Return the time at which a server made a response, in nanoseconds."""
    if not isinstance(answer, dict):
        return None
    made = (answer.get("items") or [answer])[0].get("created", "")
    return parse_time(made) if made > "2026-11" else None


class _Replay:
    """Replays recorded requests, and replaces the names that servers make up."""

    def __init__(
        self, feeds: dict[str, FeedSimulator], session: aiohttp.ClientSession
    ) -> None:
        """Initialize without replacements."""
        self._feeds = feeds
        self._session = session
        self._names: dict[str, str] = {}
        clock = itertools.count(parse_time("2026-11-21T04:13:05.6Z") or 0, 1_000_000)
        for feed in feeds.values():
            feed.settings.now = clock.__next__

    def _feed(self, exchange_name: str) -> FeedSimulator:
        return self._feeds.get(exchange_name.partition("-")[0], self._feeds["main"])

    def _here(self, text: str) -> str:
        for there, here in self._names.items():
            text = text.replace(there, here)
        return text

    async def between(self, name: str, steps: list[Exchange]) -> None:
        """Repeat what happened before an exchange and was not recorded."""
        feed = self._feed(name)
        for step in steps:
            if "store" in step:
                document = json.loads(self._here(json.dumps(step["document"])))
                kind = step["store"]
                feed.seed(
                    playlists=[document] if kind == "playlist" else (),
                    channels=[document] if kind == "channel" else (),
                    groups=[document] if kind == "group" else (),
                )
                continue
            answer = await self._ask(
                feed,
                step["method"],
                step["path"],
                _headers(feed),
                json.dumps(step.get("body")),
            )
            assert answer[0] < 300, answer

    async def ask(self, exchange: Exchange) -> tuple[int, dict[str, str], Any]:
        """Replay a request."""
        name = exchange["name"]
        feed = self._feed(name)
        recorded = exchange.get("answer")
        if exchange["method"] != "GET" and (moment := _moment(recorded)):
            feed.settings.now = itertools.count(moment, 1000).__next__
        headers = {key: self._here(value) for key, value in exchange["headers"].items()}
        body = _filled(exchange["fill"]) if "fill" in exchange else exchange.get("body")
        answer = await self._ask(
            feed, exchange["method"], exchange["path"], headers, body
        )
        if exchange["status"] in (200, 201):
            self._learn(recorded, answer[2])
            self._learn_tag(exchange["answer_headers"], answer[1])
        return answer

    async def _ask(
        self,
        feed: FeedSimulator,
        method: str,
        path: str,
        headers: dict[str, str],
        body: str | None,
    ) -> tuple[int, dict[str, str], Any]:
        """Send a request."""
        data = None if body is None else self._here(body).encode()
        url = feed.origin + self._here(path)
        skip = () if "Content-Type" in headers else ("Content-Type",)
        async with self._session.request(
            method,
            aiohttp.client.URL(url, encoded=True),
            data=data,
            headers=headers,
            allow_redirects=False,
            skip_auto_headers=skip,
        ) as response:
            text = await response.text()
            kind = response.headers.get("Content-Type", "")
            value = (
                json.loads(text)
                if kind.startswith("application/json")
                else text or None
            )
            return (
                response.status,
                {key.lower(): entry for key, entry in response.headers.items()},
                value,
            )

    def _learn(self, there: Any, here: Any) -> None:
        """Store the ids and slugs of this server."""
        if not isinstance(there, dict) or not isinstance(here, dict):
            return
        for name in ("id", "slug"):
            if isinstance(there.get(name), str) and there[name] != here.get(name):
                self._names[there[name]] = here[name]
        for old, new in zip(
            there.get("items") or (), here.get("items") or (), strict=False
        ):
            self._learn(old, new)

    def _learn_tag(self, there: dict[str, str], here: dict[str, str]) -> None:
        if "etag" in there:
            self._names[there["etag"].strip('"')] = here["etag"].strip('"')


def _headers(feed: FeedSimulator) -> dict[str, str]:
    """Return the headers of the feed's owner."""
    return {
        "Authorization": f"Bearer {feed.api_key}",
        "Content-Type": "application/json",
    }


def _wanted(exchange: Exchange) -> dict[str, Any]:
    """Return the recorded values to compare."""
    answer = exchange.get("answer")
    headers = exchange["answer_headers"]
    wanted = {
        "status": exchange["status"],
        "error": answer.get("error") if isinstance(answer, dict) else None,
        "content-type": headers.get("content-type"),
        "etag": "etag" in headers,
        "location": headers.get("location"),
    }
    if "answer_text" in exchange:
        wanted["text"] = exchange["answer_text"]
    elif not exchange.get("cut"):
        wanted["shape"] = _shape(answer)
    return wanted


def _got(exchange: Exchange, answer: tuple[int, dict[str, str], Any]) -> dict[str, Any]:
    """Return the same values of the simulator's response."""
    status, headers, value = answer
    recorded = exchange["answer_headers"].get("content-type")
    got = {
        "status": status,
        "error": value.get("error") if isinstance(value, dict) else None,
        "content-type": headers.get("content-type") if recorded else None,
        "etag": "etag" in headers,
        "location": headers.get("location"),
    }
    if "answer_text" in exchange:
        got["text"] = value
    elif not exchange.get("cut"):
        got["shape"] = _shape(value)
    return got


@pytest.fixture
async def session(socket_enabled: None) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as client:
        yield client


def _differences(
    exchange: Exchange, answer: tuple[int, dict[str, str], Any]
) -> Iterator[str]:
    wanted, got = _wanted(exchange), _got(exchange, answer)
    for name, value in wanted.items():
        if got[name] != value:
            yield f"{exchange['name']}: {name}: real {value}, ours {got[name]}, answer {str(answer[2])[:300]}"


async def _replay(family: str, replay: _Replay) -> str:
    """Return the differences of a family, one per line."""
    steps = _between(family)
    found: list[str] = []
    for exchange in _exchanges(family):
        await replay.between(exchange["name"], steps.get(exchange["name"], []))
        found += _differences(exchange, await replay.ask(exchange))
    return "\n".join(found)


async def test_v2_answers_like_the_recorded_server(
    session: aiohttp.ClientSession,
) -> None:
    """The simulator matches every recorded exchange of the Go feed."""
    public = "http://127.0.0.1:8788"
    async with (
        FeedSimulator("v2", public_url=public) as feed,
        FeedSimulator("v2", public_url=public, extensions=False) as bare,
    ):
        assert (
            await _replay("v2", _Replay({"main": feed, "noext": bare}, session)) == ""
        )
        assert all(
            verify(document, entry)
            for document in feed.documents.values()
            for entry in document["signatures"]
        )


async def test_ts_answers_like_the_recorded_server(
    session: aiohttp.ClientSession,
) -> None:
    """The simulator matches every recorded exchange of the TypeScript feed."""
    public = "http://127.0.0.1:8787"
    async with FeedSimulator("ts", public_url=public) as feed:
        assert await _replay("ts", _Replay({"main": feed}, session)) == ""


@pytest.mark.parametrize("family", ["v2", "ts"])
def test_nothing_is_skipped(family: str) -> None:
    """Every exchange of the sample is replayed, and every step between exchanges used."""
    names = [exchange["name"] for exchange in _exchanges(family)]
    assert len(names) == len(set(names)) == {"v2": 98, "ts": 52}[family]
    assert set(_between(family)) <= set(names)
