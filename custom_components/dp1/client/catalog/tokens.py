"""Identity of a token in the records of the catalog."""

from collections.abc import Mapping
import re
from typing import Any

from ..values import mapping
from .fields import as_key, as_text


def token_identity(data: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return chain, contract and token: as resolved by the catalog, else of the swap that moved the work.

    Field names as the catalog's public answers have them, newer ones first.
    """
    ways = (
        (data, "chain", "tokenID"),
        (mapping(data.get("successfulSwap")), "blockchainType", "token"),
        (mapping(data.get("swap")), "blockchainType", "token"),
    )
    found = [
        (chain, contract, _token_id(part.get(token_name), chain))
        for part, chain_name, token_name in ways
        if (chain := as_text(part.get(chain_name)).lower())
        and (contract := as_text(part.get("contractAddress")))
    ]
    complete = next((identity for identity in found if identity[2]), None)
    return complete or (as_text(data.get("chain")), "", "")


def _token_id(value: object, chain: str) -> str:
    """Return the number of a token as text; hexadecimal is written decimal but for Tezos and Bitmark."""
    text = as_key(value)
    if chain not in ("tezos", "bitmark"):
        hexadecimal = re.fullmatch(
            r"(?:0x)?([0-9a-f]{64})|0x([0-9a-f]{1,64})", text, re.IGNORECASE
        )
        if hexadecimal and not text.isdecimal():
            return str(int(hexadecimal[1] or hexadecimal[2], 16))
    return text
