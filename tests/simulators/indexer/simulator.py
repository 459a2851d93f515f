"""An indexer on loopback: tokens, releases, jobs and changes over GraphQL, and faults on demand.

It is as strict as the real one: POST of JSON only, unknown arguments are refused with 422, 64-bit numbers are text,
and a key is refused, since reads need none.
Run by itself with ``python -m tests.simulators.indexer --help``.
"""

import asyncio
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
import json
from pathlib import Path
import re
from typing import Any, Self

from aiohttp import web

type Json = dict[str, Any]

RECORDS = Path(__file__).with_name("tokens.jsonl")
RELEASES = {
    ("artblocks", "tidal-ledger-by-ines-okafor"): "310",
    ("fxhash", "lattice-bloom"): "412",
}
MAX_LIMIT = 255
ARGUMENTS = {
    "tokens": {
        "owners",
        "chains",
        "contract_addresses",
        "token_numbers",
        "token_cids",
        "token_ids",
        "release_id",
        "release_vendor",
        "release_vendor_slug",
        "mint_numbers",
        "limit",
        "offset",
        "include_unviewable",
        "include_moderated",
        "sort_by",
        "sort_order",
    },
    "triggerTokenIndexing": {"token_cids"},
    "jobStatus": {"job_id"},
    "syncCollection": {
        "address",
        "checkpoint_timestamp",
        "checkpoint_event_id",
        "limit",
    },
}
_ROOT = re.compile(r"\{\s*(\w+)\s*\(([^)]*)\)")
_ARGUMENT = re.compile(r"(\w+)\s*:\s*(\$\w+|[\w.-]+)")


@dataclass
class Fault:
    """What to answer instead.

    Attributes:
        status: HTTP status.
        body: what to send.
        headers: more headers.
        times: how often; None for ever.
        field: the root field that is at fault; all without one.
    """

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    times: int | None = 1
    field: str | None = None


@dataclass(frozen=True)
class Asked:
    """A received query."""

    field: str
    arguments: Json
    agent: str
    at: float


class QueryError(Exception):
    """A query that does not fit the schema (422)."""


class ResolverError(Exception):
    """A query that the resolver refuses (200 with errors)."""

    def __init__(self, code: str, message: str) -> None:
        """Keep the code."""
        super().__init__(message)
        self.code = code


class IndexerSimulator:
    """An indexer.

    Attributes:
        records: the tokens.
        unindexed: tokens that appear once they are asked for, by CID.
        blacklist: contracts that are never indexed.
        events: changes of collections, by address in lower case.
        job_polls: how often a job is asked for until it is over.
        job_outcome: how jobs end; empty if never.
        repeat_offset: whether every page names itself as the next one.
        arrives: a token that arrives between two pages.
        faults: what is answered instead.
        asked: every query.
        authorized: whether anybody sent a key.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Initialize; nothing listens before ``start``."""
        self._host, self._port = host, port
        self._runner: web.AppRunner | None = None
        lines = RECORDS.read_text().splitlines()
        self.records: list[Json] = [json.loads(line) for line in lines]
        self.unindexed: dict[str, Json] = {}
        self.blacklist: set[str] = set()
        self.events: dict[str, list[Json]] = {}
        self.job_polls = 2
        self.job_outcome = "succeeded"
        self.repeat_offset = False
        self.arrives: Json | None = None
        self.faults: list[Fault] = []
        self.asked: list[Asked] = []
        self.authorized = False
        self._jobs: dict[str, tuple[list[str], int]] = {}

    @property
    def url(self) -> str:
        """The address of the GraphQL interface."""
        return f"http://{self._host}:{self._port}/graphql"

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop."""
        await self.stop()

    async def start(self) -> None:
        """Listen."""
        app = web.Application()
        app.router.add_post("/graphql", self._graphql)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()

    def own(self, owner: str, number: int) -> list[Json]:
        """Add tokens to the collection of an owner; return their records."""
        base = self.records[0]
        added = []
        for place in range(number):
            record = deepcopy(base)
            token = str(place + 100)
            contract = "0x23117d0150af2231442De2a8b754Cc204b668540"
            record |= {
                "id": str(100_000 + place),
                "token_cid": f"eip155:1:erc721:{contract}:{token}",
                "contract_address": contract,
                "token_number": token,
                "current_owner": owner,
                "release_id": None,
                "owner_provenances": {
                    "items": [
                        {
                            "owner_address": owner,
                            "last_timestamp": f"2026-01-{place % 28 + 1:02}T00:00:00Z",
                            "last_tx_index": "1",
                        }
                    ]
                },
                "media_assets": [],
            }
            record["display"] |= {
                "name": f"Owned work {place + 1}",
                "image_url": f"https://media.example/{place + 1}.png",
                "animation_url": None,
                "mime_type": "image/png",
            }
            added.append(record)
        self.records.extend(added)
        return added

    def acquire(self, owner: str, record: Json, at: str) -> None:
        """Give a token to an owner, and note the change."""
        item = {"owner_address": owner, "last_timestamp": at, "last_tx_index": "1"}
        record["owner_provenances"]["items"].append(item)
        if record not in self.records:
            self.records.append(record)
        self.change(owner, "acquired", record, at)

    def release(self, owner: str, record: Json, at: str) -> None:
        """Take a token from an owner, and note the change."""
        provenances = record["owner_provenances"]
        provenances["items"] = [
            item for item in provenances["items"] if item["owner_address"] != owner
        ]
        if record["current_owner"] == owner:
            record["current_owner"] = None
        self.change(owner, "released", record, at)

    def change(self, owner: str, kind: str, record: Json, at: str) -> None:
        """Note a change in the collection of an owner."""
        events = self.events.setdefault(owner.lower(), [])
        events.append({"type": kind, "token_cid": record["token_cid"], "timestamp": at})

    async def _graphql(self, request: web.Request) -> web.Response:
        """Answer a query."""
        if "Authorization" in request.headers:
            self.authorized = True
            return web.json_response({"errors": [{"message": "no"}]}, status=401)
        if request.content_type != "application/json":
            return web.Response(status=415)
        body = await request.json()
        try:
            name, arguments = _parse(body)
        except QueryError as err:
            return _errors(str(err), status=422)
        agent = request.headers.get("User-Agent", "")
        at = asyncio.get_running_loop().time()
        self.asked.append(Asked(name, arguments, agent, at))
        for fault in self.faults:
            if fault.field in (None, name) and fault.times != 0:
                if fault.times is not None:
                    fault.times -= 1
                return web.Response(
                    status=fault.status,
                    text=fault.body,
                    headers=fault.headers,
                    content_type="application/json"
                    if fault.body[:1] in "{["
                    else "text/html",
                )
        try:
            answer = getattr(self, f"_{name}")(**arguments)
        except ResolverError as err:
            return _errors(str(err), code=err.code)
        return web.json_response({"data": {name: answer}})

    def _tokens(
        self, *, limit: int | None = None, offset: str | None = None, **filters: Any
    ) -> Json:
        """Return a page of tokens."""
        limit = 20 if limit is None else limit
        if limit > MAX_LIMIT:
            raise ResolverError("validation_failed", "limit is too high")
        start = int(offset or 0)
        if start and self.arrives is not None:
            self.records.insert(0, self.arrives)
            self.arrives = None
        sort_by = filters.pop("sort_by", "latest_provenance")
        descending = filters.pop("sort_order", "desc") == "desc"
        found = list(self._matching(filters))
        if sort_by == "latest_provenance" and filters.get("owners"):
            found = _by_provenance(found, filters["owners"], descending)
        end = start if self.repeat_offset else start + limit
        is_last = end >= len(found) and not self.repeat_offset
        return {
            "items": found[start : start + limit],
            "offset": None if is_last else str(end),
            "total": "0",
        }

    def _matching(self, filters: Json) -> Iterable[Json]:
        """Return the tokens that pass all filters."""
        owners = {owner.lower() for owner in filters.get("owners") or ()}
        contracts = {one.lower() for one in filters.get("contract_addresses") or ()}
        numbers = set(filters.get("token_numbers") or ())
        cids = {cid.lower() for cid in filters.get("token_cids") or ()}
        vendor = filters.get("release_vendor")
        slug = filters.get("release_vendor_slug")
        release = RELEASES.get((str(vendor), str(slug)))
        for record in self.records:
            holders = {
                item["owner_address"].lower()
                for item in record["owner_provenances"]["items"]
            } | {str(record["current_owner"]).lower()}
            if (
                (owners and (record["burned"] or not owners & holders))
                or (contracts and record["contract_address"].lower() not in contracts)
                or (numbers and record["token_number"] not in numbers)
                or (cids and record["token_cid"].lower() not in cids)
                or (vendor and (not release or record["release_id"] != release))
                or (not record["viewable"] and not filters.get("include_unviewable"))
                or (
                    record["moderation_status"] != "none"
                    and not filters.get("include_moderated")
                )
            ):
                continue
            yield record

    def _triggerTokenIndexing(self, *, token_cids: list[str]) -> Json:
        """Begin to index tokens."""
        if len(token_cids) > 50:
            raise ResolverError("validation_failed", "too many tokens")
        for cid in token_cids:
            if (contract := cid.split(":")[3]) in self.blacklist:
                raise ResolverError(
                    "validation_failed", f"contract is blacklisted: {contract}"
                )
        job = str(len(self._jobs) + 1)
        self._jobs[job] = (token_cids, 0)
        return {"job_id": job}

    def _jobStatus(self, *, job_id: str) -> Json:
        """Return how far a job is; the tokens appear once it is over."""
        if job_id not in self._jobs:
            raise ResolverError("not_found", "no such job")
        cids, polls = self._jobs[job_id]
        self._jobs[job_id] = (cids, polls + 1)
        if polls + 1 < self.job_polls or not self.job_outcome:
            return {"status": "running" if polls else "pending"}
        found = [self.unindexed.pop(cid) for cid in cids if cid in self.unindexed]
        if self.job_outcome == "succeeded" and not found:
            return {"status": "failed"}
        if self.job_outcome == "succeeded":
            self.records.extend(found)
        return {"status": self.job_outcome}

    def _syncCollection(
        self,
        *,
        address: str,
        checkpoint_timestamp: str | None = None,
        checkpoint_event_id: str | None = None,
        limit: int = 20,
    ) -> Json:
        """Return the changes of a collection after a checkpoint."""
        if (checkpoint_timestamp is None) is not (checkpoint_event_id is None):
            raise ResolverError("validation_failed", "half a checkpoint")
        if limit > MAX_LIMIT:
            raise ResolverError("validation_failed", "limit is too high")
        events = self.events.get(address.lower(), [])
        start = int(checkpoint_event_id or 0)
        page = events[start : start + limit]
        following = (
            {"timestamp": page[-1]["timestamp"], "event_id": str(start + len(page))}
            if page
            else None
        )
        return {"events": page, "next_checkpoint": following}


def _by_provenance(
    records: list[Json], owners: list[str], descending: bool
) -> list[Json]:
    """Return tokens by when the owners got them, those without a time last."""
    wanted = {owner.lower() for owner in owners}

    def since(record: Json) -> str:
        """Return when the newest of the owners got a token."""
        return max(
            (
                item["last_timestamp"] or ""
                for item in record["owner_provenances"]["items"]
                if item["owner_address"].lower() in wanted
            ),
            default="",
        )

    known = sorted(filter(since, records), key=since, reverse=descending)
    return known + [record for record in records if not since(record)]


def _parse(body: Any) -> tuple[str, Json]:
    """Return the root field of a query and its arguments, or raise that it does not fit the schema."""
    if not isinstance(body, dict) or not isinstance(body.get("query"), str):
        raise QueryError("no query")
    match = _ROOT.search(body["query"])
    if match is None or match[1] not in ARGUMENTS:
        raise QueryError("unknown field")
    variables = body.get("variables") or {}
    arguments: Json = {}
    for name, value in _ARGUMENT.findall(match[2]):
        if name not in ARGUMENTS[match[1]]:
            raise QueryError(f"unknown argument {name}")
        given = variables.get(value[1:]) if value.startswith("$") else value
        if name in {"offset", "checkpoint_event_id"} and isinstance(given, int):
            raise QueryError("a 64-bit number is text")
        if given is not None:
            arguments[name] = given
    return match[1], arguments


def _errors(message: str, *, status: int = 200, code: str = "") -> web.Response:
    """Return an answer with errors."""
    error: Json = {"message": message}
    if code:
        error["extensions"] = {"code": code}
    return web.json_response({"errors": [error], "data": None}, status=status)
