"""Look-ups at markets, whose links do not all name the token, and of names of addresses. None of them needs a key.

Sources: the interfaces of the markets as their own sites use them; the documented interface of Tezos Domains, and the
name service of Blockscout, 2026.
"""

from collections.abc import Mapping
from dataclasses import dataclass
import re
from typing import Any
from urllib.parse import quote

import aiohttp

from ..errors import NotFoundError, UnexpectedAnswerError
from ..http import request_json, status_error
from ..values import mapping, text
from .links import (
    ETHEREUM,
    TEZOS,
    ContractLink,
    Link,
    LookupLink,
    TokenLink,
    chain_of,
    checked_address,
    parse_link,
)

TIMEOUT = 10.0
_OBJKT = "query($p:String!){fa(where:{path:{_eq:$p}}){contract}}"
_FXHASH = "query($s:String!){objkt(slug:$s){onChainId gentkContractAddress}}"


@dataclass(frozen=True, slots=True)
class Markets:
    """Where the markets answer.

    Attributes:
        feralfile: base address of its REST interface.
        fxhash: address of its GraphQL interface.
        objkt: address of its GraphQL interface.
    """

    feralfile: str = "https://feralfile.com/api"
    fxhash: str = "https://api.fxhash.xyz/graphql"
    objkt: str = "https://data.objkt.com/v3/graphql"


async def look_up(
    session: aiohttp.ClientSession, link: LookupLink, markets: Markets, agent: str
) -> TokenLink | ContractLink:
    """Ask the market of a link which token or contract it is.

    Args:
        session: what to send with.
        link: a link that only its market can resolve.
        markets: where they answer.
        agent: the ``User-Agent`` by which the operator knows who asks.

    Raises:
        NotFoundError: the market does not know it, or the work is not on a chain that the indexer has.
        UnexpectedAnswerError: the answer is none.
        Dp1Error: as ``request_json`` and ``status_error`` have it.
    """
    named: tuple[object, object]
    match link.vendor:
        case "objkt":
            told = await _ask(
                session, markets.objkt, agent, query=_OBJKT, variables={"p": link.slug}
            )
            match mapping(told.get("data")).get("fa"):
                case [dict(first), *_] if link.number:
                    named = (first.get("contract"), link.number)
                case [dict(first), *_]:
                    return _contract(first.get("contract"))
                case _:
                    named = (None, None)
        case "fxhash":
            told = await _ask(
                session,
                markets.fxhash,
                agent,
                query=_FXHASH,
                variables={"s": link.slug},
            )
            work = mapping(mapping(told.get("data")).get("objkt"))
            named = (work.get("gentkContractAddress"), work.get("onChainId"))
        case _:
            told = await _ask(
                session, f"{markets.feralfile}/artworks/{link.slug}", agent
            )
            work = mapping(told.get("result")) or told
            named = (work.get("contractAddress"), work.get("tokenID"))
    return _token(*named)


async def _ask(
    session: aiohttp.ClientSession, url: str, agent: str, **body: Any
) -> Mapping[str, Any]:
    """Ask a market, with a body if there is one."""
    answer = await request_json(
        session,
        "POST" if body else "GET",
        url,
        timeout=TIMEOUT,
        headers={"User-Agent": agent},
        json=body or None,
    )
    if not answer.ok:
        raise status_error(answer, f"HTTP {answer.status}")
    if not (told := mapping(answer.json())):
        raise UnexpectedAnswerError("the answer is not an object")
    return told


def _contract(contract: object) -> ContractLink:
    """Return the contract that a market names, verified like a link."""
    try:
        return ContractLink(TEZOS, checked_address(text(contract) or ""))
    except ValueError as err:
        raise NotFoundError("the market does not name the contract") from err


def _token(contract: object, number: object) -> TokenLink:
    """Return the token that a market names, verified like a link."""
    link: Link | None = None
    if text(contract) and (digits := str(number)).isdecimal():
        try:
            link = parse_link(f"{contract}:{digits}")
        except ValueError:
            link = None
    if not isinstance(link, TokenLink):
        raise NotFoundError("the market does not name the token of this work")
    return link


TIMEOUT = 10.0
# Of other letters there are look-alikes.
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.(eth|tez)")
_TEZ = "query($n:String!){domain(name:$n,validity:VALID){address}}"
_ZERO = f"0x{'0' * 40}"


@dataclass(frozen=True, slots=True)
class NameServices:
    """Where names are looked up.

    Attributes:
        eth: base address of the names of Ethereum at Blockscout.
        tez: address of the GraphQL interface of Tezos Domains.
    """

    eth: str = "https://bens.services.blockscout.com/api/v1/1/domains"
    tez: str = "https://api.tezos.domains/graphql"


def name_of(text: str) -> str | None:
    """Return a text as it is looked up if it is a name, None otherwise.

    Raises:
        ValueError: a name with other than plain letters, digits and hyphens.
    """
    name = text.strip().lower()
    if not name.endswith((".eth", ".tez")):
        return None
    if not _NAME.fullmatch(name):
        raise ValueError("a name has plain letters, digits and hyphens")
    return name


async def look_up_name(
    session: aiohttp.ClientSession, name: str, services: NameServices, agent: str
) -> str:
    """Return the address that a name stands for now.

    Args:
        session: what to send with.
        name: as ``name_of`` returns it.
        services: where they answer.
        agent: the ``User-Agent`` by which the operator knows who asks.

    Raises:
        NotFoundError: the name has no address, or none that is right.
        Dp1Error: as ``request_json`` and ``status_error`` have it.
    """
    is_tez = name.endswith(".tez")
    answer = await request_json(
        session,
        "POST" if is_tez else "GET",
        services.tez if is_tez else f"{services.eth}/{quote(name)}",
        timeout=TIMEOUT,
        headers={"User-Agent": agent},
        json={"query": _TEZ, "variables": {"n": name}} if is_tez else None,
    )
    if not answer.ok:
        raise status_error(answer, f"HTTP {answer.status}")
    told = mapping(answer.json())
    if is_tez:
        found = text(mapping(mapping(told.get("data")).get("domain")).get("address"))
    else:
        found = text(mapping(told.get("resolved_address")).get("hash"))
    try:
        address = checked_address(found or "")
    except ValueError as err:
        raise NotFoundError("the name has no address") from err
    if address == _ZERO or (chain_of(address) == ETHEREUM) is is_tez:
        raise NotFoundError("the name has no address")
    return address
