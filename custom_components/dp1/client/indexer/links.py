"""Links of marketplaces and explorers, addresses, CAIP ids, `contract:token` and names.

Only ``look_up`` and ``look_up_name`` request anything, of markets whose links do not name the token, and of name services;
none of them needs a key.

Sources: the links and interfaces of the markets as their own sites use them, 2026; CAIP-2, CAIP-19; EIP-55; Tezos'
base58check prefixes of tz1, tz2, tz3, tz4 and KT1; the documented interface of Tezos Domains, and the name service of
Blockscout, 2026.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
import re
from typing import Any, Final
from urllib.parse import quote

import aiohttp

from ..base58 import BASE58, base58_decode
from ..errors import NotFoundError, UnexpectedAnswerError
from ..http import request_json, status_error
from ..playlist.eip191 import keccak256
from ..text import media_type, plain_host, web_url
from ..values import mapping, objects, text

ETHEREUM = "eip155:1"
TEZOS = "tezos:mainnet"

_EVM_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}")
_TEZOS_ADDRESS = re.compile(rf"(tz[1-4]|KT1)[{BASE58}]{{33}}")
_PREFIXES = {
    "tz1": bytes([6, 161, 159]),
    "tz2": bytes([6, 161, 161]),
    "tz3": bytes([6, 161, 164]),
    "tz4": bytes([6, 161, 166]),
    "KT1": bytes([2, 90, 121]),
}
# Prefix, hash and checksum.
_TEZOS_BYTES = 27


def chain_of(address: str) -> str | None:
    """Return the chain of an address by its form, in CAIP-2; None if it has none."""
    if _EVM_ADDRESS.fullmatch(address):
        return ETHEREUM
    return TEZOS if _TEZOS_ADDRESS.fullmatch(address) else None


def checked_address(text: str) -> str:
    """Return an address in the form in which it is compared and asked for: EIP-55, or Tezos as it is.

    An address of Ethereum in a single case has no checksum to verify.

    Raises:
        ValueError: no address of Ethereum or Tezos, or its checksum is wrong.
    """
    text = text.strip()
    if _EVM_ADDRESS.fullmatch(text):
        digits = text[2:]
        hashed = keccak256(digits.lower().encode()).hex()
        proper = "".join(
            digit.upper() if int(nibble, 16) >= 8 else digit
            for digit, nibble in zip(digits.lower(), hashed, strict=False)
        )
        is_right = digits in (proper, digits.lower(), digits.upper())
        text = f"0x{proper}"
    elif _TEZOS_ADDRESS.fullmatch(text):
        data = base58_decode(text)
        checksum = sha256(sha256(data[:-4]).digest()).digest()[:4]
        is_right = (
            len(data) == _TEZOS_BYTES
            and data.startswith(_PREFIXES[text[:3]])
            and data.endswith(checksum)
        )
    else:
        raise ValueError("not an address of Ethereum or Tezos")
    if not is_right:
        raise ValueError("the checksum is wrong")
    return text


_NUMBER = r"(?P<number>[0-9]{1,78})"
_CONTRACT = rf"(?P<contract>0[xX][0-9a-fA-F]{{40}}|KT1[{BASE58}]{{33}})"
_SLUG = r"(?P<slug>[A-Za-z0-9][A-Za-z0-9_.-]{0,199})"
_CHAINS = {
    "1": ETHEREUM,
    "eip155:1": ETHEREUM,
    "eth": ETHEREUM,
    "ethereum": ETHEREUM,
    "mainnet": ETHEREUM,
    "tezos": TEZOS,
    "tezos:mainnet": TEZOS,
    "tezos:NetXdQprcVkpaWU": TEZOS,
    "xtz": TEZOS,
}
# `eip155:1/erc721:0x…/7`, `eip155:1:erc721:0x…:7`, `ethereum:0x…:7` and `0x…:7`.
_TEXT = re.compile(
    r"(?:(?P<chain>eip155:[0-9]+|tezos:(?!KT1)[A-Za-z0-9]+|[a-z]+)[:/])?"
    rf"(?:(?:erc721|erc1155|fa2|nft)[:/])?{_CONTRACT}[:/]{_NUMBER}"
)
_LONGEST_LINK = 2048
_MAX_EVM_NUMBER = 2**256


# Why a link of a marketplace cannot be resolved.
NOT_HERE, WRONG_ADDRESS = "link_not_here", "link_wrong_address"


class LinkError(ValueError):
    """A link of a known site that cannot be resolved; its text is why."""


@dataclass(frozen=True, slots=True)
class TokenLink:
    """A single work.

    Attributes:
        contract: address of the contract, on Ethereum with its checksum (EIP-55).
        number: token number, decimal text of up to 78 digits.
    """

    contract: str
    number: str


@dataclass(frozen=True, slots=True)
class SeriesLink:
    """All works of a series: a release of a market, by its slug."""

    vendor: str
    slug: str


@dataclass(frozen=True, slots=True)
class ContractLink:
    """All works of a contract."""

    contract: str


@dataclass(frozen=True, slots=True)
class LookupLink:
    """A link that only its market can resolve: a work by an alias and a number or by a slug, or the works of an alias."""

    vendor: str
    slug: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class ExhibitionLink:
    """An exhibition or series of the catalog, by its slug."""

    kind: str
    slug: str


# What an indexer resolves.
type IndexedLink = TokenLink | SeriesLink | ContractLink
type Link = IndexedLink | LookupLink | ExhibitionLink
# Makes the link of what was found in a path, at a site.
type _Make = Callable[[re.Match[str], str], Link]
# A contract in a path, with or without a number behind it; before it is its chain, or one of these words.
_OF_CONTRACT = (
    r"(?:.*/)?(?:tokens?|assets?|item|nft|address|artwork|collections?|projects|gentk|id"
    r"|(?!items/)(?P<chain>\w*))/(?:items/)?(?:FX1-|1-)?"
    rf"{_CONTRACT}(?:[/:-](?:.*[/-])?{_NUMBER}|/tokens)?"
)


def _of_contract(match: re.Match[str], site: str = "") -> TokenLink | ContractLink:
    """Return the token or the contract of a link, if its chain is one that the indexer has."""
    named, chain = match["chain"], chain_of(match["contract"])
    if named and _CHAINS.get(named) != chain:
        raise LinkError(NOT_HERE)
    try:
        contract = checked_address(match["contract"])
    except ValueError:
        raise LinkError(WRONG_ADDRESS) from None
    if match["number"] is None:
        return ContractLink(contract)
    number = match["number"].lstrip("0") or "0"
    if chain == ETHEREUM and int(number) >= _MAX_EVM_NUMBER:
        raise LinkError(NOT_HERE)
    return TokenLink(contract, number)


def _series(match: re.Match[str], site: str) -> Link:
    """Return the series of a market."""
    return SeriesLink(site.partition(".")[0], match["slug"])


def _lookup(match: re.Match[str], site: str) -> Link:
    """Return the link that only its market can resolve."""
    number = match.groupdict().get("number") or ""
    return LookupLink(site.partition(".")[0], match["slug"], number)


def _exhibition(match: re.Match[str], site: str) -> Link:
    """Return the part of the catalog."""
    kind = "series" if match["kind"] == "series" else "exhibition"
    return ExhibitionLink(kind, match["slug"])


def _teia(match: re.Match[str], site: str) -> Link:
    """Return the token of the only contract."""
    return TokenLink("KT1RJ6PbjHpwc3M5rw5s2Nbmefwbuwbdxton", match["number"])


# The forms of paths without a contract, with what makes the link.
_SITES: Mapping[str, tuple[tuple[str, _Make], ...]] = {
    "artblocks.io": ((rf"/collections?/{_SLUG}", _series),),
    "objkt.com": (
        (rf"/(?:tokens|asset)/{_SLUG}/{_NUMBER}", _lookup),
        (rf"/collections?/{_SLUG}", _lookup),
    ),
    "fxhash.xyz": (
        (rf"/iteration/{_SLUG}", _lookup),
        (rf"/(?:project|generative)/(?:id/|slug/)?{_SLUG}", _series),
    ),
    "feralfile.com": (
        (r"/(?:exhibitions/)?artworks?/(?P<slug>[A-Za-z0-9]{1,80})", _lookup),
        (rf"/(?:exhibitions/)?(?P<kind>series|shows|exhibitions)/{_SLUG}", _exhibition),
        # The number of a series is none that the catalog has.
        (rf"/(?P<kind>exhibitions)/{_SLUG}/series/[^/]+", _exhibition),
    ),
    "teia.art": ((rf"/objkt/{_NUMBER}", _teia),),
    "hicetnunc.xyz": ((rf"/objkt/{_NUMBER}", _teia),),
    **dict.fromkeys(("opensea.io", "superrare.com", "rarible.com", "verse.works"), ()),
    **dict.fromkeys(("raster.art", "neort.io", "etherscan.io", "tzkt.io"), ()),
}


# What names a work or several at any site.
_LOOKS_LIKE_LINK = re.compile(
    r".*/(?:art|tokens?|assets?|items?|nfts?|artworks?(?:-v2)?|collections?|series|exhibitions?|shows?|projects?|gentk"
    rf"|generative|iteration|objkts?)/.+|.*/{_CONTRACT}.*"
)


def parse_link(text: str) -> Link | None:
    """Return the work, the works or the exhibition of a link or an id; None if it is neither of a known site nor a token.

    Query, fragment and a slash at the end do not matter, but for the token in a query of Etherscan.

    Raises:
        LinkError: a link of a known site that cannot be resolved.
    """
    text = text.strip()
    if len(text) > _LONGEST_LINK:
        return None
    if match := _TEXT.fullmatch(text):
        return _of_contract(match)
    try:
        url = web_url(text)
    except ValueError:
        return None
    site, path = plain_host(url).removeprefix("www."), url.path.rstrip("/")
    if site not in _SITES or media_type(path):
        return None
    if site == "etherscan.io" and (token := url.query.get("a", "")).isdecimal():
        path = f"{path}/{token}"
    for form, make in ((_OF_CONTRACT, _of_contract), *_SITES[site]):
        if match := re.fullmatch(form, path):
            return make(match, site)
    if _LOOKS_LIKE_LINK.fullmatch(path):
        raise LinkError(NOT_HERE)
    return None


TIMEOUT = 10.0
_OBJKT = "query($p:String!){fa(where:{path:{_eq:$p}}){contract}}"
_FXHASH = "query($s:String!){objkt(slug:$s){onChainId gentkContractAddress}}"


# Where markets and name services answer: base addresses of "eth", the names at Blockscout, and of "feralfile", else those
# of GraphQL interfaces.
SERVICES: Final = {
    "eth": "https://bens.services.blockscout.com/api/v1/1/domains",
    "feralfile": "https://feralfile.com/api",
    "fxhash": "https://api.fxhash.xyz/graphql",
    "objkt": "https://data.objkt.com/v3/graphql",
    "tez": "https://api.tezos.domains/graphql",
}


async def look_up(
    session: aiohttp.ClientSession, link: LookupLink, agent: str
) -> TokenLink | ContractLink:
    """Ask the market of a link which token or contract it is.

    Args:
        session: what to send with.
        link: a link that only its market can resolve.
        agent: the ``User-Agent`` by which the operator knows who asks.

    Raises:
        NotFoundError: the market does not know it, or the work is not on a chain that the indexer has.
        UnexpectedAnswerError: the answer is none.
        Dp1Error: as ``request_json`` and ``status_error`` have it.
    """
    number: object = link.number
    match link.vendor:
        case "objkt":
            answer = await _ask(session, SERVICES["objkt"], agent, _OBJKT, p=link.slug)
            work = next(iter(objects(mapping(answer.get("data")).get("fa"))), {})
            contract = work.get("contract")
        case "fxhash":
            answer = await _ask(
                session, SERVICES["fxhash"], agent, _FXHASH, s=link.slug
            )
            work = mapping(mapping(answer.get("data")).get("objkt"))
            contract, number = work.get("gentkContractAddress"), work.get("onChainId")
        case _:
            url = f"{SERVICES['feralfile']}/artworks/{link.slug}"
            answer = await _ask(session, url, agent)
            work = mapping(answer.get("result")) or answer
            contract, number = work.get("contractAddress"), work.get("tokenID")
    if not answer:
        raise UnexpectedAnswerError("the answer is not an object")
    # What it names is verified as an id that somebody wrote.
    with suppress(ValueError):
        if link.vendor == "objkt" and not link.number:
            return ContractLink(checked_address(text(contract) or ""))
        if match := _TEXT.fullmatch(f"{text(contract)}:{number}"):
            return _of_contract(match)
    raise NotFoundError("the market does not name the token of this work")


async def _ask(
    session: aiohttp.ClientSession,
    url: str,
    agent: str,
    query: str = "",
    **variables: str,
) -> Mapping[str, Any]:
    """Ask a market or a name service, with a query if there is one; return the members of the answer."""
    answer = await request_json(
        session,
        "POST" if query else "GET",
        url,
        timeout=TIMEOUT,
        headers={"User-Agent": agent},
        json={"query": query, "variables": variables} if query else None,
    )
    if not answer.ok:
        raise status_error(answer, f"HTTP {answer.status}")
    return mapping(await answer.json())


# Of other letters there are look-alikes.
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.(eth|tez)")
_LONGEST_NAME = 255
_TEZ = "query($n:String!){domain(name:$n,validity:VALID){address}}"
_ZERO = f"0x{'0' * 40}"


def name_of(text: str) -> str | None:
    """Return a text as it is looked up if it is a name, None otherwise.

    Raises:
        ValueError: a name with other than plain letters, digits and hyphens.
    """
    name = text.strip().lower()
    if not name.endswith((".eth", ".tez")):
        return None
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        raise ValueError("a name has up to 255 plain letters, digits and hyphens")
    return name


async def look_up_name(session: aiohttp.ClientSession, name: str, agent: str) -> str:
    """Return the address that a name stands for now.

    Args:
        session: what to send with.
        name: as ``name_of`` returns it.
        agent: the ``User-Agent`` by which the operator knows who asks.

    Raises:
        NotFoundError: the name has no address, or none that is right.
        Dp1Error: as ``request_json`` and ``status_error`` have it.
    """
    is_tez = name.endswith(".tez")
    if is_tez:
        answer = await _ask(session, SERVICES["tez"], agent, _TEZ, n=name)
        account = text(
            mapping(mapping(answer.get("data")).get("domain")).get("address")
        )
    else:
        answer = await _ask(session, f"{SERVICES['eth']}/{quote(name)}", agent)
        account = text(mapping(answer.get("resolved_address")).get("hash"))
    try:
        address = checked_address(account or "")
    except ValueError as err:
        raise NotFoundError("the name has no address") from err
    if address == _ZERO or (chain_of(address) == ETHEREUM) is is_tez:
        raise NotFoundError("the name has no address")
    return address
