"""Search by words, regardless of case and accents."""

import asyncio
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
import re
from unicodedata import category, normalize

from homeassistant.util import dt as dt_util

from ..client.catalog.artwork import credit
from ..client.catalog.models import Exhibition, Series
from .branches import Branches
from .catalog import CatalogCoordinator
from .favorites import Favorites
from .feed import FeedCoordinator
from .feed_records import FeedPlaylist
from .tree import Node, NodeKind, artist_of, playlist_node, split_node_id

# Readers wait for what is not known yet.
PATIENCE = 4.0
# Reading series takes requests, so only those of the best exhibitions are read.
SHOWS_TO_OPEN = 3
HITS_ASKED = 5
MAX_QUERY = 200

EXACT, START, WORDS, MIXED, ARTIST, ARTIST_WORDS, RELEVANT = 100, 80, 60, 45, 40, 30, 10
# Words around a name.
FILLERS = frozenset(
    {
        "a",
        "an",
        "and",
        "by",
        "exhibition",
        "from",
        "of",
        "playlist",
        "series",
        "show",
        "the",
        "work",
    }
)
ORDER = (
    NodeKind.EXHIBITION,
    NodeKind.SERIES,
    NodeKind.PLAYLIST,
    NodeKind.ARTWORK,
    NodeKind.ITEM,
)

_NO_WORD = re.compile(r"[\W_]+")


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Return a text without case, accents and punctuation."""
    if not text.isascii():
        parts = normalize("NFKD", text)
        text = normalize(
            "NFC", "".join(part for part in parts if category(part) != "Mn")
        )
    return _NO_WORD.sub(" ", text.casefold()).strip()


@dataclass(frozen=True, slots=True)
class Query:
    """A query: the folded text, and its words without fillers unless there are no others."""

    text: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Query:
        """Return the query of a text."""
        folded = fold(text[:MAX_QUERY])
        words = folded.split()
        telling = tuple(word for word in words if word not in FILLERS)
        return cls(folded, telling or tuple(words))

    def score(self, title: str, artist: str | None = "", context: str = "") -> int:
        """Return how well something fits, 0 if it does not."""
        if not artist and self._has_none_of(title):
            return 0
        name = fold(title)
        if name == self.text or name == " ".join(self.words):
            return EXACT
        if name.startswith(self.text):
            return START
        if self._all_in(name):
            return WORDS
        maker = fold(artist or "")
        if maker and maker == self.text:
            return ARTIST
        if self._all_in(maker):
            return ARTIST_WORDS
        if any(_is_in(word, name) for word in self.words):
            if self._all_in(f"{name} {maker} {fold(context)}"):
                return MIXED
        return 0

    def _has_none_of(self, title: str) -> bool:
        """Return quickly for most of the thousands of titles if none of the words is in it."""
        if not title.isascii():
            return False
        small = title.lower()
        return not any(word in small for word in self.words)

    def names(self, title: str) -> bool:
        """Return if a title is part of the query."""
        return f" {fold(title)} " in f" {self.text} "

    def _all_in(self, folded: str) -> bool:
        """Return if a folded text has all words."""
        return all(_is_in(word, folded) for word in self.words)


def _is_in(word: str, folded: str) -> bool:
    """Return if a word of a text starts so; scripts without blanks have no starts of words."""
    return f" {word}" in f" {folded}" if word.isascii() else word in folded


class Search:
    """Search a library."""

    def __init__(
        self,
        catalog: CatalogCoordinator,
        feed: FeedCoordinator,
        favorites: Favorites,
        branches: Branches,
    ) -> None:
        """Initialize with what is searched."""
        self._catalog = catalog
        self._feed = feed
        self._favorites = favorites
        self._branches = branches

    async def async_search(
        self,
        query: str,
        *,
        kinds: Collection[NodeKind] | None = None,
        limit: int = 20,
        within: str | None = None,
    ) -> list[Node]:
        """Return playable nodes that fit words, the best first, optionally of some kinds or within a node."""
        asked = Query.of(query)
        if not asked.words:
            return []
        if within:
            found = await self._within(asked, within)
        else:
            found = await self._everywhere(query, asked)
        best: dict[str, tuple[int, Node]] = {}
        for score, node in found:
            if score and node.can_play and (kinds is None or node.kind in kinds):
                if node.id not in best or best[node.id][0] < score:
                    best[node.id] = score, node
        ranked = sorted(best.values(), key=lambda found: self._rank(*found))
        return [node for _, node in ranked[:limit]]

    def _rank(self, score: int, node: Node) -> tuple[int, bool, int, int, int]:
        """Return the sort key of a found node."""
        return (
            -score,
            not self._favorites.is_favorite(node.id),
            ORDER.index(node.kind),
            len(node.title),
            -(node.year or 0),
        )

    async def _everywhere(self, text: str, query: Query) -> list[tuple[int, Node]]:
        """Search everything."""
        exhibitions, relevant, _ = await asyncio.gather(
            self._catalog.async_list(PATIENCE),
            self._catalog.async_search(text[:MAX_QUERY], HITS_ASKED, PATIENCE),
            self._feed.async_list(PATIENCE),
        )
        scores = {
            show.id: (_score_show(query, show), show) for show in exhibitions.records
        }
        for show in relevant:
            best, _ = scores.get(show.id, (0, show))
            scores[show.id] = max(best, _score_show(query, show), RELEVANT), show
        shows = list(scores.values())
        await self._open_best(query, shows)
        found = [(score, self._branches.exhibition_node(show)) for score, show in shows]
        found += self._among_series(query, self._catalog.all_series)
        found += self._among_playlists(query, self._feed.data.records)
        found += self._among_nodes(query, self._favorites.nodes())
        return found

    async def _open_best(
        self, query: Query, shows: list[tuple[int, Exhibition]]
    ) -> None:
        """Read the series of the exhibitions that fit best, or that are named beside something else."""
        now = dt_util.utcnow()
        fitting = [
            (score or query.names(show.title), show.id)
            for score, show in shows
            if show.viewable(now)
        ]
        best = sorted((fit for fit in fitting if fit[0]), reverse=True)[:SHOWS_TO_OPEN]
        await asyncio.gather(
            *(self._catalog.async_series(key, PATIENCE) for _, key in best)
        )

    def _among_series(
        self, query: Query, all_series: Iterable[Series]
    ) -> Iterator[tuple[int, Node]]:
        """Search series, except those of exhibitions that are not open."""
        now = dt_util.utcnow()
        for series in all_series:
            show = self._catalog.exhibition(series.exhibition_id)
            artist = artist_of(series, show)
            score = query.score(series.title, artist, show.title if show else "")
            if score and (show is None or show.viewable(now)):
                yield score, self._branches.series_node(series)

    def _among_playlists(
        self, query: Query, playlists: Iterable[FeedPlaylist]
    ) -> Iterator[tuple[int, Node]]:
        """Search playlists and their works."""
        for playlist in playlists:
            curators = ", ".join(playlist.curators)
            if score := query.score(playlist.title, curators):
                yield score, playlist_node(playlist)
            yield from self._among_items(query, playlist)

    def _among_items(
        self, query: Query, playlist: FeedPlaylist
    ) -> Iterator[tuple[int, Node]]:
        """Search the works of a playlist."""
        for item in playlist.items:
            if score := query.score(item.title, context=playlist.title):
                yield score, self._branches.item_node(playlist, item)

    def _among_nodes(
        self, query: Query, nodes: Iterable[Node]
    ) -> Iterator[tuple[int, Node]]:
        """Search nodes."""
        for node in nodes:
            yield query.score(node.title, node.artist, node.subtitle or ""), node

    async def _within(self, query: Query, within: str) -> list[tuple[int, Node]]:
        """Search one node."""
        kind, _ = split_node_id(within)
        if kind is NodeKind.ROOT:
            return await self._everywhere(query.text, query)
        children = await self._branches.async_children(within)
        found = list(self._among_nodes(query, children.nodes))
        if kind is NodeKind.EXHIBITIONS:
            found += self._among_series(query, self._catalog.all_series)
        for node in children.nodes:
            if node.kind is NodeKind.PLAYLIST:
                _, (ref,) = split_node_id(node.id)
                if playlist := self._feed.playlist(ref):
                    found += self._among_items(query, playlist)
        return found


def _score_show(query: Query, show: Exhibition) -> int:
    """Return how well an exhibition fits, by its name and its people."""
    artists = credit(show.artists)
    people = [person.name for person in (*show.artists, show.curator) if person] or [""]
    return max(query.score(show.title, person, artists) for person in people)
