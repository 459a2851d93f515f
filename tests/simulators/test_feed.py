"""Test the simulated feed against recorded exchanges of real feeds."""

import itertools
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from .feed import FeedSimulator, verify
from .feed.text import parse_time

_CAPTURES = Path(__file__).parent.parent / "fixtures" / "captures"
# The addresses of the recorded servers.
_THERE = ("http://127.0.0.1:8788", "http://127.0.0.1:8787")

type Exchange = dict[str, Any]


def _exchanges(family: str) -> list[Exchange]:
    """Return the recorded exchanges of a family in order."""
    lines = (_CAPTURES / f"{family}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _between(family: str) -> dict[str, list[Exchange]]:
    """Return what happened between recorded exchanges, by the name of the next one."""
    text = (_CAPTURES / "between.json").read_text("utf-8")
    steps: dict[str, list[Exchange]] = json.loads(text)[family]
    return steps


def _shape(value: Any) -> Any:
    """Return the fields of a value at every depth."""
    match value:
        case dict():
            return {key: _shape(entry) for key, entry in sorted(value.items())}
        case list():
            return [_shape(entry) for entry in value]
        case bool():
            return "bool"
        case int() | float():
            return "number"
    return type(value).__name__


class _Replay:
    """Replays recorded requests, and replaces the names that servers make up."""

    def __init__(
        self, feeds: dict[str, FeedSimulator], session: aiohttp.ClientSession
    ) -> None:
        self._feeds = feeds
        self._session = session
        self._names: dict[str, str] = {}
        clock = itertools.count(parse_time("2026-11-21T04:13:05.6Z") or 0, 1_000_000)
        for feed in feeds.values():
            feed.settings.now = clock.__next__

    def _here(self, text: str, feed: FeedSimulator) -> str:
        for there, here in (
            *self._names.items(),
            *((url, feed.origin) for url in _THERE),
        ):
            text = text.replace(there, here)
        return text

    async def differences(self, exchange: Exchange, steps: list[Exchange]) -> str:
        """Do what happened before an exchange, and return in what the simulator differs."""
        feed = self._feeds.get(exchange["name"].partition("-")[0], self._feeds["main"])
        for step in steps:
            if "store" in step:
                document = json.loads(self._here(json.dumps(step["document"]), feed))
                stored: dict[str, Any] = {f"{step['store']}s": [document]}
                feed.seed(**stored)
            else:
                headers = {"Authorization": f"Bearer {feed.api_key}"}
                step = step | {"headers": headers, "body": json.dumps(step.get("body"))}
                assert (await self._ask(feed, step))[0] < 300
        recorded = exchange.get("answer")
        status, value = await self._ask(feed, exchange)
        if isinstance(recorded, dict) and status in (200, 201):
            self._learn(recorded, value)
        error = recorded.get("error") if isinstance(recorded, dict) else None
        if error is None and (status, _shape(value)) == (
            exchange["status"],
            _shape(recorded),
        ):
            return ""
        if error and (status, value["error"]) == (exchange["status"], error):
            return ""
        return f"{exchange['name']}: real {exchange['status']} {recorded}, ours {status} {value}"

    async def _ask(self, feed: FeedSimulator, asked: Exchange) -> tuple[int, Any]:
        """Send a request."""
        body = asked.get("body")
        url = f"{feed.origin}{self._here(asked['path'], feed)}"
        headers = {"Content-Type": "application/json"} | asked["headers"]
        async with self._session.request(
            asked["method"],
            aiohttp.client.URL(url, encoded=True),
            data=None if body is None else self._here(body, feed).encode(),
            headers={name: self._here(text, feed) for name, text in headers.items()},
        ) as response:
            if etag := response.headers.get("Etag"):
                there = asked["answer_headers"]["etag"].strip('"')
                self._names[there] = etag.strip('"')
            text = await response.text()
            is_json = response.content_type == "application/json"
            return response.status, json.loads(text) if text and is_json else None

    def _learn(self, there: Any, here: Any) -> None:
        """Store the ids, slugs and cursors of this server."""
        if not isinstance(there, dict) or not isinstance(here, dict):
            return
        for name in ("id", "slug", "cursor"):
            if there.get(name) not in (None, here.get(name)):
                self._names[there[name]] = here[name]
        pairs = zip(there.get("items", ()), here.get("items", ()), strict=False)
        for old, new in pairs:
            self._learn(old, new)


@pytest.mark.parametrize("family", ["v2", "ts"])
async def test_recorded_exchanges(socket_enabled: None, family: Any) -> None:
    """The simulator answers like the real feed, and the Go feed has signed all it stores."""
    steps = _between(family)
    async with (
        FeedSimulator(family) as feed,
        FeedSimulator(family, extensions=False) as bare,
        aiohttp.ClientSession() as session,
    ):
        replay = _Replay({"main": feed, "noext": bare}, session)
        found = [
            await replay.differences(exchange, steps.pop(exchange["name"], []))
            for exchange in _exchanges(family)
        ]
        assert [text for text in found if text] == []
        assert not steps
        assert all(
            verify(document, entry)
            for document in feed.documents.values()
            for entry in document.get("signatures", ())
        )
