"""Search by words, regardless of case and accents, as they are or as they sound."""

import asyncio
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from homeassistant.core import HomeAssistant

from .node import Node, NodeKind
from .providers.provider import MAX_LINES, Lines, Provider, lines_of_nodes
from .spoken import BY_ARTIST, SURE, MisheardQuery
from .text_index import ARTIST, ARTIST_WORDS, RELEVANT, Query, fold

# What was misheard scores from here to that of the words of an artist.
ALIKE = 10.0
# A name that comes near is a guess.
NEAR = 0.65
KINDS = list[str](NodeKind)

type Scored = list[tuple[float, Node]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that was found, and how well it fits."""

    score: float
    node: Node

    @property
    def is_sure(self) -> bool:
        """Return whether the words fit, instead of something that may only have to do with them."""
        return self.score > RELEVANT


class Search:
    """Search among the lines of all providers, or among what is inside a node."""

    def __init__(
        self,
        hass: HomeAssistant,
        providers: Iterable[Provider],
        is_favorite: Callable[[str], bool],
    ) -> None:
        """Initialize with the providers, and with what decides between nodes that fit equally well."""
        self._hass = hass
        self._providers = tuple(providers)
        self._is_favorite = is_favorite

    async def async_prepare(self) -> None:
        """Index what is known, so that nobody waits for it."""
        for lines in self._all_lines():
            await lines.async_index()

    async def async_hits(
        self,
        text: str,
        *,
        kinds: Collection[str] | None = None,
        folder: str = "",
        inside: Collection[Node] | None = None,
        near: bool = False,
    ) -> list[Hit]:
        """Return playable nodes that fit words, the best first.

        They are searched in the whole library, in one of its folders, or among nodes that are `inside` another. With
        `near`, those that are only somewhat alike are among them.
        """
        query = Query.of(text)
        if not query.words:
            return []
        lines = self._all_lines(folder)
        if inside is not None:
            nodes = tuple(inside)
            lines = [lines_of_nodes(self._hass, lambda: nodes)]
            for provider in self._providers:
                lines += provider.lines_inside(nodes)

        async def exact(query: Query, text: str) -> Scored:
            """Return what has the words."""
            asked: Scored = []
            if inside is None:
                asked = await self._async_ask(query, text, folder)
            return asked + await self._async_exact(query, lines)

        async def alike(query: Query) -> Scored:
            """Return what sounds like the words."""
            return await self._async_alike(query, lines, NEAR if near else SURE)

        found = await exact(query, text)
        if self._has_sure(found, kinds) and not near:
            return self._best(found, kinds)
        if named := BY_ARTIST.fullmatch(query.text):
            artist = Query.of(named["artist"] or named["artist_first"])
            found += _by(artist, await exact(artist, artist.text))
            if not self._has_sure(found, kinds):
                found += _by(artist, await alike(artist))
        if near or not self._has_sure(found, kinds):
            found += await alike(query)
        return self._best(found, kinds)

    def _all_lines(self, folder: str = "") -> list[Lines[Any]]:
        """Return the lines of all providers, or those of a folder."""
        return [
            lines
            for provider in self._providers
            for lines in provider.lines
            if folder in ("", lines.folder)
        ]

    async def _async_ask(self, query: Query, text: str, folder: str) -> Scored:
        """Return what the providers, or that of a folder, find by other means."""
        asked = (
            provider.async_ask(query, text)
            for provider in self._providers
            if folder in ("", *provider.kinds)
        )
        return [found for some in await asyncio.gather(*asked) for found in some]

    async def _async_exact(self, query: Query, lines: list[Lines[Any]]) -> Scored:
        """Return what has the words."""
        found: Scored = []
        for each in lines:
            index = await each.async_index()
            for record, number in index.find(query, MAX_LINES):
                if node := each.node_of(record, number):
                    found.append((each.score(query, record, number, node), node))
        return found

    async def _async_alike(
        self, query: Query, lines: list[Lines[Any]], least: float
    ) -> Scored:
        """Return what sounds like the words."""
        misheard = MisheardQuery(query.text, query.words)
        indexes = [(each, await each.async_index()) for each in lines]
        hits = await self._hass.async_add_executor_job(
            lambda: [
                (each, *hit)
                for each, index in indexes
                for hit in index.find_alike(misheard, least)
            ]
        )
        found: Scored = []
        for each, fit, record, number in hits:
            if (node := each.node_of(record, number)) is None:
                continue
            if fit >= SURE:
                score = ALIKE + (ARTIST_WORDS - ALIKE) * round(min(fit, 0.99), 2)
                found.append((score, node))
            elif misheard.fit(fold(node.title)) >= NEAR:
                found.append((fit, node))
        return found

    def _has_sure(self, found: Scored, kinds: Collection[str] | None) -> bool:
        """Return whether anything fits the words."""
        return any(hit.is_sure for hit in self._best(found, kinds))

    def _best(self, found: Scored, kinds: Collection[str] | None) -> list[Hit]:
        """Return the playable nodes among what was found, each once, the best first."""
        best: dict[str, Hit] = {}
        for score, node in found:
            if score and node.can_play and (kinds is None or node.kind in kinds):
                if node.id not in best or best[node.id].score < score:
                    best[node.id] = Hit(score, node)
        return sorted(best.values(), key=self._rank)

    def _rank(self, hit: Hit) -> tuple[float, bool, int, int, int, int]:
        """Return the sort key of a found node; what an artist showed alone comes before what they showed with others."""
        node, score = hit.node, hit.score
        others = (node.work.artist or "").count(",") if score <= ARTIST else 0
        return (
            -score,
            not self._is_favorite(node.id),
            KINDS.index(node.kind) if node.kind in KINDS else len(KINDS),
            others,
            len(node.title),
            -(node.work.year or 0),
        )


def _by(artist: Query, found: Scored) -> Scored:
    """Return what an artist made, and the artist first."""
    named = MisheardQuery(artist.text, artist.words)
    return [
        (score, node)
        for score, node in found
        if (node.kind == NodeKind.ARTIST or node.work.artist)
        and named.fit(fold(node.work.artist or node.title)) >= SURE
    ]
