"""An indexer on loopback: tokens, releases, jobs and changes over GraphQL, and faults on demand.

It is as strict as the real one: whatever does not fit its schema (unknown members or arguments, a variable of another
type) is refused with 422 before anything runs, and 64-bit numbers are text in its answers.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
import json
from pathlib import Path
from string import Template
from typing import Any, Self

from aiohttp import web
from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLScalarType,
    OperationDefinitionNode,
    build_schema,
    execute,
    parse,
    validate,
)
from graphql.execution import ExecutionResult
from graphql.execution.values import get_argument_values, get_variable_values

from ..serving import stop_serving

type Json = dict[str, Any]

RECORDS = Path(__file__).with_name("tokens.jsonl")
OWNED = Template(Path(__file__).with_name("owned.json").read_text())
SCHEMA = build_schema(Path(__file__).with_name("schema.graphql").read_text())
RELEASES = {
    ("artblocks", "tidal-ledger-by-ines-okafor"): "310",
    ("fxhash", "lattice-bloom"): "412",
}
MAX_LIMIT = 255


def _uint64(value: object) -> str:
    """Return a 64-bit number as text; as an argument it may be a number."""
    digits = str(value) if isinstance(value, str | int) else ""
    if isinstance(value, bool) or not digits.isdecimal() or int(digits) >= 2**64:
        raise GraphQLError("not a Uint64")
    return digits


def _uint8(value: object) -> int:
    """Return a small number."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise GraphQLError("not a Uint8")
    return value


def _time(value: object) -> str:
    """Return a time as it is written, if it has a zone."""
    if not isinstance(value, str) or not datetime.fromisoformat(value).tzinfo:
        raise GraphQLError("not a Time")
    return value


_SCALARS: tuple[tuple[str, Callable[[object], object], Callable[..., object]], ...] = (
    ("Uint64", _uint64, str),
    ("Uint8", _uint8, int),
    ("Time", _time, str),
)
for _name, _parse, _serialize in _SCALARS:
    _scalar = SCHEMA.type_map[_name]
    assert isinstance(_scalar, GraphQLScalarType)
    _scalar.parse_value = _parse  # type: ignore[assignment, method-assign]
    _scalar.serialize = _serialize  # type: ignore[method-assign]


@dataclass
class Fault:
    """What to answer instead, how often (None for ever), and to which root field (None for all)."""

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


class ResolverError(Exception):
    """A query that the resolver refuses (200 with errors)."""

    def __init__(self, code: str, message: str, details: str = "") -> None:
        super().__init__(message)
        self.extensions = {"code": code} | ({"details": details} if details else {})


class IndexerSimulator:
    """An indexer.

    Attributes:
        records: the tokens.
        unindexed: tokens that appear once they are asked for, by CID.
        blacklist: contracts that are never indexed.
        job_polls: how often a job is asked for until it is over.
        job_outcome: how jobs end; empty if never.
        bare_reads: how often a token that was just indexed is read without its media.
        repeat_offset: whether every page names itself as the next one.
        arrives: a token that arrives between two pages.
        latency: seconds until a query is answered.
        held: whether none is answered for now.
        faults: what is answered instead.
        errors: what is told beside the data of every answer.
        asked: every query.
        queries: every text of a query that fitted the schema.
        refused: what did not fit the schema.
        authorized: whether anybody sent a key.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Initialize; nothing listens before ``start``."""
        self._host, self._port = host, port
        self._runner: web.AppRunner | None = None
        lines = RECORDS.read_text().splitlines()
        self.records: list[Json] = [_held(json.loads(line)) for line in lines]
        self.unindexed: dict[str, Json] = {}
        self.blacklist: set[str] = set()
        self.job_polls = 2
        self.job_outcome = "succeeded"
        self.bare_reads = 1
        self.repeat_offset = False
        self.arrives: Json | None = None
        self.latency = 0.0
        self.held = False
        self.faults: list[Fault] = []
        self.errors: list[Json] = []
        self.asked: list[Asked] = []
        self.authorized = False
        self.queries: set[str] = set()
        self.refused: list[str] = []
        self._jobs: dict[int, tuple[list[str], int]] = {}
        self._bare: dict[str, int] = {}

    @property
    def url(self) -> str:
        """The address of the GraphQL interface."""
        return f"http://{self._host}:{self._port}/graphql"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop, and fail if anybody has sent what does not fit the schema."""
        await self.stop()
        assert not self.refused, self.refused

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
        if self._runner is not None:
            await stop_serving(self._runner)

    def own(self, owner: str, number: int) -> list[Json]:
        """Add tokens to the collection of an owner; return their records."""
        added: list[Json] = []
        for place in range(number):
            names = {"id": 100_000 + place, "token": place + 100, "number": place + 1}
            day = f"{place % 28 + 1:02}"
            text = OWNED.substitute(names, owner=owner, day=day)
            added.append(json.loads(text))
        self.records.extend(added)
        return added

    def acquire(self, owner: str, record: Json, at: str) -> None:
        """Give a token to an owner."""
        item = {"owner_address": owner, "last_timestamp": at, "last_tx_index": "1"}
        record["owner_provenances"]["items"].append(item)
        record["balances"].append(owner)
        if record not in self.records:
            self.records.append(record)

    def release(self, owner: str, record: Json) -> None:
        """Take a token from an owner, whose provenance stays."""
        record["balances"].remove(owner)
        if record["current_owner"] == owner:
            record["current_owner"] = None

    async def _graphql(self, request: web.Request) -> web.Response:
        """Answer a query."""
        # Reads do not look at it.
        self.authorized = self.authorized or "Authorization" in request.headers
        if request.content_type != "application/json":
            return _errors("transport not supported", status=400)
        body = await request.json()
        try:
            document = parse(body["query"])
            (operation,) = document.definitions
            assert isinstance(operation, OperationDefinitionNode)
            (node,) = operation.selection_set.selections
            assert isinstance(node, FieldNode)
        except (GraphQLError, KeyError, TypeError, ValueError, AssertionError) as err:
            return self._refuse(str(err))
        given = body.get("variables") or {}
        definitions = operation.variable_definitions
        faults = validate(SCHEMA, document)
        variables = {} if faults else get_variable_values(SCHEMA, definitions, given)
        if faults or isinstance(variables, list):
            found = faults or variables
            return self._refuse("; ".join(str(fault) for fault in found))
        self.queries.add(body["query"])
        name = node.name.value
        root = SCHEMA.get_root_type(operation.operation)
        assert isinstance(root, GraphQLObjectType)
        arguments = get_argument_values(root.fields[name], node, variables)
        agent = request.headers.get("User-Agent", "")
        at = asyncio.get_running_loop().time()
        self.asked.append(Asked(name, arguments, agent, at))
        await asyncio.sleep(self.latency)
        while self.held:
            await asyncio.sleep(0.01)
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
            return _errors(str(err), extensions=err.extensions)
        # It takes up to a fifth of a second, which nobody is to take for the time of whoever asks.
        result = await asyncio.to_thread(
            execute, SCHEMA, document, {name: answer}, variable_values=given
        )
        assert isinstance(result, ExecutionResult)
        told: Json = {"data": result.data}
        errors = [error.formatted for error in result.errors or ()]
        if errors or self.errors:
            told["errors"] = [*errors, *self.errors]
        return web.json_response(told)

    def _refuse(self, why: str) -> web.Response:
        """Refuse what does not fit the schema."""
        self.refused.append(why)
        extensions = {"code": "internal_error"}
        return _errors("Internal server error", status=422, extensions=extensions)

    def _tokens(
        self, *, limit: int | None = None, offset: str | None = None, **filters: Any
    ) -> Json:
        """Return a page of tokens."""
        limit = 20 if limit is None else limit
        if limit > MAX_LIMIT:
            raise ResolverError("validation_failed", "limit is too high")
        start = int(offset or 0)
        if start and self.arrives is not None:
            self.records.append(self.arrives)
            self.arrives = None
        sort_by = filters.pop("sort_by", "latest_provenance")
        descending = filters.pop("sort_order", "desc") == "desc"
        found = list(self._matching(filters))
        if sort_by == "latest_provenance" and filters.get("owners"):
            found = _by_provenance(found, filters["owners"], descending)
        end = start if self.repeat_offset else start + limit
        is_last = end >= len(found) and not self.repeat_offset
        owners = filters.get("owners")
        return {
            "items": [self._told(one, owners) for one in found[start : start + limit]],
            "offset": None if is_last else str(end),
            "total": "0",
        }

    def _told(self, record: Json, owners: list[str] | None) -> Json:
        """Return a record as it is answered: with the provenances of the owners that were asked for, if any."""
        told = {"created_at": record["updated_at"], **record}
        if owners and (provenances := record["owner_provenances"]):
            asked = {owner.lower() for owner in owners}
            items = [
                item
                for item in provenances["items"]
                if item["owner_address"].lower() in asked
            ]
            told["owner_provenances"] = {"items": items}
        if (left := self._bare.get(record["token_cid"], 0)) > 0:
            self._bare[record["token_cid"]] = left - 1
            told |= {"display": None, "media_assets": [], "viewable": False}
        return told

    def _matching(self, filters: Json) -> Iterable[Json]:
        """Return the tokens that pass all filters."""
        owners = {owner.lower() for owner in filters.get("owners") or ()}
        contracts = {one.lower() for one in filters.get("contract_addresses") or ()}
        numbers = set(filters.get("token_numbers") or ())
        cids = {cid.lower() for cid in filters.get("token_cids") or ()}
        vendor = filters.get("release_vendor")
        slug = filters.get("release_vendor_slug")
        release = RELEASES.get((str(vendor), str(slug)))
        ids = set(filters.get("token_ids") or ())
        for record in self.records:
            holders = {owner.lower() for owner in record["balances"]}
            is_bare = self._bare.get(record["token_cid"], 0) > 0
            if (
                (owners and (record["burned"] or not owners & holders))
                or (contracts and record["contract_address"].lower() not in contracts)
                or (numbers and record["token_number"] not in numbers)
                or (cids and record["token_cid"].lower() not in cids)
                or (ids and record["id"] not in ids)
                or (vendor and (not release or record["release_id"] != release))
                or (
                    (is_bare or not record["viewable"])
                    and not filters.get("include_unviewable")
                )
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
            if cid.split(":")[3] in self.blacklist:
                raise ResolverError(
                    "validation_failed",
                    "Validation failed",
                    f"contract is blacklisted: {cid}",
                )
        job = len(self._jobs) + 1
        self._jobs[job] = (token_cids, 0)
        return {"job_id": job}

    @property
    def open_jobs(self) -> int:
        """The number of jobs whose end nobody has waited for."""
        return sum(polls < self.job_polls for _, polls in self._jobs.values())

    def _jobStatus(self, *, job_id: int) -> Json:
        """Return how far a job is; the tokens appear once it is over."""
        if job_id not in self._jobs:
            raise ResolverError("not_found", "no such job")
        cids, polls = self._jobs[job_id]
        self._jobs[job_id] = (cids, polls + 1)
        if polls + 1 < self.job_polls or not self.job_outcome:
            return {"job_id": job_id, "status": "running" if polls else "pending"}
        found = [self.unindexed.pop(cid) for cid in cids if cid in self.unindexed]
        if self.job_outcome == "succeeded" and not found:
            return {"job_id": job_id, "status": "failed"}
        if self.job_outcome == "succeeded":
            self.records.extend(found)
            self._bare |= {record["token_cid"]: self.bare_reads for record in found}
        return {"job_id": job_id, "status": self.job_outcome}


def _held(record: Json) -> Json:
    """Return a record with who holds the token: balances decide, and provenances stay."""
    owners = [item["owner_address"] for item in record["owner_provenances"]["items"]]
    current = record["current_owner"]
    return record | {"balances": owners or [current] if current else owners}


def _variants(
    asset: Mapping[str, Any], _info: GraphQLResolveInfo, keys: list[str]
) -> Json:
    return {key: url for key, url in asset["variants"].items() if key in keys}


_asset = SCHEMA.type_map["MediaAsset"]
assert isinstance(_asset, GraphQLObjectType)
_asset.fields["variants"].resolve = _variants


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


def _errors(
    message: str, *, status: int = 200, extensions: Mapping[str, str] | None = None
) -> web.Response:
    error = {"message": message} | ({"extensions": extensions} if extensions else {})
    return web.json_response({"errors": [error], "data": None}, status=status)
