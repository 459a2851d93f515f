"""Invented names for the simulated catalog: exhibitions, people, works and texts about them."""

from dataclasses import dataclass
import json
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Show:
    """The characteristics of an exhibition."""

    title: str
    chain: str = "ethereum"
    kind: str = "group"
    slug: str = ""
    series: int = 0
    future: bool = False
    hidden: bool = False
    testing: bool = False
    private: bool = False


_TITLES = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
# Oldest first: 31 group and 20 solo shows, 18 minted on Bitmark, 7 on Tezos, 26 on Ethereum.
SHOWS = tuple(Show(**show) for show in _TITLES["shows"])
FIRST_NAMES: tuple[str, ...] = tuple(_TITLES["first_names"])
LAST_NAMES: tuple[str, ...] = tuple(_TITLES["last_names"])
ADJECTIVES: tuple[str, ...] = tuple(_TITLES["adjectives"])
NOUNS: tuple[str, ...] = tuple(_TITLES["nouns"])
BIOGRAPHY: tuple[str, ...] = tuple(_TITLES["biography"])
