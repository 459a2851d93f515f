"""Client of an indexer: tokens, releases and jobs over GraphQL.

Reads need no key, and none is ever sent. Source: GraphQL interface of the indexer, 2026.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
import time
from typing import Any, Final

import aiohttp

from ..errors import (
    Dp1Error,
    InvalidRequestError,
    NotFoundError,
    TemporaryError,
    TooLargeError,
    UnexpectedAnswerError,
)
from ..http import request_json, status_error
from ..pages import Page, in_turn
from ..retry import Manners
from ..values import mapping, objects, text, whole
from .links import TEZOS, ContractLink, IndexedLink, SeriesLink, TokenLink, chain_of
from .tokens import Token

PAGE: Final = 100
MAX_PAGE: Final = 255
MAX_TOKENS: Final = 5000
# Of a list, whatever is on them: those of the longest, and as many in smaller parts.
MAX_PAGES: Final = 300
TIMEOUT: Final = 20.0
# The indexer is somebody's server: one request at a time, with a pause.
PAUSE: Final = 0.3
JOB_POLL: Final = 2.0
JOB_DONE: Final = {"succeeded", "completed"}
JOB_OVER: Final = JOB_DONE | {"failed", "canceled"}
# Nothing is triggered again so soon.
JOB_KEPT: Final = 600.0

_FIELDS = """id token_cid viewable moderation_status
display{name description image_url animation_url mime_type artists{name}}
media_assets{source_url variants(keys:[xs,s,m,l,xl,preview])}"""
_OWNED_FIELDS = f"{_FIELDS} owner_provenances{{items{{owner_address last_timestamp}}}}"
_ARGUMENTS: Mapping[str, str] = {
    "owners": "[String!]",
    "token_ids": "[Uint64!]",
    "include_unviewable": "Boolean",
    "include_moderated": "Boolean",
    "contract_addresses": "[String!]",
    "token_numbers": "[String!]",
    "release_vendor": "String",
    "release_vendor_slug": "String",
}

# What the indexer leaves out by itself.
HIDDEN: Final = {"include_unviewable": True, "include_moderated": True}


class Indexer:
    """One indexer.

    Every method raises, besides what it names, the errors of ``client/errors.py``: UnreachableError and
    LostAnswerError for the way there, BusyError and TemporaryError after three tries, InvalidRequestError for a query
    that it refuses, UnexpectedAnswerError for an answer that is none.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str, *, agent: str) -> None:
        """Initialize the client.

        Args:
            session: what to send with.
            url: address of the GraphQL interface.
            agent: the ``User-Agent`` by which the operator knows who asks.
        """
        self._session = session
        self._url = url
        self._headers = {"User-Agent": agent}
        self._manners = Manners(TemporaryError, apart=PAUSE)
        # Number and start of the last job for a token, by CID.
        self._jobs: dict[str, tuple[int, float]] = {}

    async def tokens(
        self,
        *,
        limit: int = PAGE,
        offset: str | None = None,
        newest: bool = False,
        **filters: Any,
    ) -> Page[Token]:
        """Read a page of tokens, oldest record first so that the order holds while paging.

        Args:
            limit: 1 to 255 tokens.
            offset: where the page starts.
            newest: begin with what the owners got last instead, for a page by itself.
            filters: by the names of the interface; alternatives within one, all of several.
        """
        if not 1 <= limit <= MAX_PAGE:
            raise ValueError("limit is 1 to 255")
        declared = "".join(f",${name}:{_ARGUMENTS[name]}" for name in filters)
        arguments = "".join(f",{name}:${name}" for name in filters)
        owners = filters.get("owners", ())
        fields = _OWNED_FIELDS if owners else _FIELDS
        order = "latest_provenance,sort_order:desc"
        order = order if newest else "created_at,sort_order:asc"
        query = (
            f"query($l:Uint8,$f:Uint64{declared}){{tokens(limit:$l,offset:$f{arguments},"
            f"sort_by:{order}){{items{{{fields}}} offset}}}}"
        )
        variables = {"l": limit, "f": offset}
        data, is_whole = await self._ask_for(query, variables | filters)
        answer = mapping(data.get("tokens"))
        records = answer.get("items")
        if not isinstance(records, list):
            raise UnexpectedAnswerError("the answer has no tokens")
        tokens = await asyncio.to_thread(_parsed, records[:limit], owners)
        following = text(answer.get("offset")) or ""
        return Page(
            tokens,
            skipped=len(records[:limit]) - len(tokens),
            following=following if following.isdecimal() else None,
            is_whole=is_whole,
        )

    async def all_tokens(
        self, *, most: int = MAX_TOKENS, **filters: Any
    ) -> list[Token]:
        """Read tokens page by page, each once, at most ``most``; an offset that comes again ends the list."""
        tokens: dict[str, Token] = {}
        async for page in self.pages(**filters):
            tokens |= {token.cid: token for token in page.records}
            if len(tokens) >= most:
                break
        return list(tokens.values())[:most]

    def pages(self, **filters: Any) -> AsyncIterator[Page[Token]]:
        """Yield the pages of a list; the last one has an offset if the list did not come to its end.

        A token whose answer is too large is skipped.
        """

        async def fetch(offset: str | None, limit: int) -> Page[Token]:
            """Read a page."""
            try:
                return await self.tokens(limit=limit, offset=offset, **filters)
            except TooLargeError as err:
                if limit > 1:
                    raise
                following = str(int(offset or 0) + 1)
                return Page((), skipped=1, size=err.limit, following=following)

        return in_turn(
            fetch,
            size=PAGE,
            identity=lambda token: token.id,
            most_pages=MAX_PAGES,
        )

    async def resolve(self, link: IndexedLink, most: int) -> list[Token]:
        """Read the tokens that a link names, asked by contract and number since links do not tell the standard.

        Raises:
            NotFoundError: the indexer has the only one and does not show it.
        """
        filters: dict[str, Any]
        match link:
            case TokenLink():
                return _visible(await self._read(link))
            case SeriesLink(vendor=vendor, slug=slug):
                filters = {"release_vendor": vendor, "release_vendor_slug": slug}
            case ContractLink(contract=contract):
                filters = {"contract_addresses": [contract]}
        return await self.all_tokens(most=most, **filters)

    async def _read(self, link: TokenLink) -> list[Token]:
        """Read a token, also if it is hidden."""
        return await self.all_tokens(
            contract_addresses=[link.contract], token_numbers=[link.number], **HIDDEN
        )

    async def index(self, link: TokenLink) -> list[Token]:
        """Ask for a token that is not indexed, and return it once it has media, for as long as the caller waits.

        The id of a token contains its standard, which a link does not tell: both of Ethereum are tried. A job that is
        known is waited for instead of triggered again.

        Raises:
            InvalidRequestError: the indexer does not take this contract.
            NotFoundError: it does not find the token, or has it now and does not show it.
        """
        chain = chain_of(link.contract)
        for standard in ("fa2",) if chain == TEZOS else ("erc721", "erc1155"):
            cid = f"{chain}:{standard}:{link.contract}:{link.number}"
            if await self._has_indexed(cid):
                while True:
                    tokens = await self._read(link)
                    if any(token.source for token in tokens):
                        return _visible(tokens)
                    await asyncio.sleep(JOB_POLL)
        raise NotFoundError(
            "the indexer does not find it", translation_key="indexer_not_indexed"
        )

    async def _has_indexed(self, cid: str) -> bool:
        """Have a token indexed, and return whether the job succeeded, once it has ended."""
        now = time.monotonic()
        self._jobs = {
            each: (job, since)
            for each, (job, since) in self._jobs.items()
            if now - since < JOB_KEPT
        }
        if cid not in self._jobs:
            data = await self._ask(
                "mutation($c:[String!]!){triggerTokenIndexing(token_cids:$c){job_id}}",
                {"c": [cid]},
            )
            job = whole(mapping(data.get("triggerTokenIndexing")).get("job_id"))
            if job is None:
                raise UnexpectedAnswerError("the answer names no job")
            self._jobs[cid] = job, now
        job, _ = self._jobs[cid]
        while True:
            data = await self._ask(
                "query($j:Int!){jobStatus(job_id:$j){status}}", {"j": job}
            )
            status = text(mapping(data.get("jobStatus")).get("status"))
            if status in JOB_OVER:
                return status in JOB_DONE
            await asyncio.sleep(JOB_POLL)

    async def _ask(self, query: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a query and return its data.

        Raises:
            TemporaryError: among others, the data is not whole.
        """
        data, is_whole = await self._ask_for(query, variables)
        if not is_whole:
            raise TemporaryError("the indexer could not answer the whole query")
        return data

    async def _ask_for(
        self, query: str, variables: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], bool]:
        """Send a query and return its data, and whether it is whole.

        There are two more tries where the server is busy or ill, and one where there are errors beside the data.
        """
        tries = 0

        async def send(left: float) -> tuple[Mapping[str, Any], bool]:
            """Send it once."""
            nonlocal tries
            tries += 1
            data, is_whole = await self._send(query, variables, min(TIMEOUT, left))
            if not is_whole and tries == 1:
                raise TemporaryError("the indexer could not answer the whole query")
            return data, is_whole

        return await self._manners.ask(send)

    async def _send(
        self, query: str, variables: Mapping[str, Any], timeout: float
    ) -> tuple[Mapping[str, Any], bool]:
        """Send a query once, and return its data and whether that is whole."""
        answer = await request_json(
            self._session,
            "POST",
            self._url,
            timeout=timeout,
            headers=self._headers,
            json={"query": query, "variables": dict(variables)},
        )
        if not answer.ok:
            raise status_error(answer, f"HTTP {answer.status}")
        body = mapping(await answer.json(strict=False))
        errors = body.get("errors")
        if isinstance(data := body.get("data"), Mapping) and any(data.values()):
            return data, not errors
        if errors:
            raise _graphql_error(errors)
        return mapping(body.get("data")), True


def _parsed(records: list[object], owners: Collection[str]) -> tuple[Token, ...]:
    """Parse the records of a page, whose descriptions of media may be long."""
    parsed = (Token.parse(mapping(record), owners) for record in records)
    return tuple(token for token in parsed if token is not None)


def _visible(tokens: list[Token]) -> list[Token]:
    """Return the tokens that are not hidden, or raise why there are none."""
    visible = [token for token in tokens if not token.is_hidden]
    if visible or not tokens:
        return visible
    if tokens[0].is_moderated:
        raise NotFoundError(
            "the indexer hides it as unwanted", translation_key="indexer_moderated"
        )
    raise NotFoundError(
        "the indexer has no media of it that can be loaded",
        translation_key="indexer_unviewable",
    )


def _graphql_error(errors: object) -> Dp1Error:
    """Return the error for the first error of an answer, by its code; its words are the server's."""
    first = next(iter(objects(errors)), {})
    match text(mapping(first.get("extensions")).get("code")):
        case "not_found":
            return NotFoundError("the indexer does not know it")
        case "validation_failed":
            return InvalidRequestError("the indexer refuses the request")
        case _:
            return TemporaryError("the indexer has a problem of its own")
