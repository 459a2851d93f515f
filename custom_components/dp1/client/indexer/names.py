"""Names of addresses: `.eth` at Blockscout, `.tez` at Tezos Domains. Neither needs a key.

Sources: documented interface of Tezos Domains, and the name service of Blockscout, 2026.
"""

from dataclasses import dataclass
import re
from urllib.parse import quote

import aiohttp

from ..errors import NotFoundError
from ..http import request_json, status_error
from ..values import mapping, text
from .addresses import ETHEREUM, chain_of, checked_address

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
