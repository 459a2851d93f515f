"""Search by words, regardless of case and accents."""

import asyncio
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..client.catalog.artwork import credit
from ..client.catalog.models import Exhibition
from .artists import Artists
from .branches import Branches
from .catalog.coordinator import CatalogCoordinator
from .collections.nodes import Collections
from .favorites import Favorites
from .feed.coordinator import FeedCoordinator
from .indexes import Indexes
from .matching.fuzzy import SURE, Heard
from .matching.query import ARTIST, RELEVANT, Query
from .matching.spoken_words import BY_ARTIST
from .matching.text_index import MAX_QUERY, fold
from .misheard import MAX_INSIDE, NEAR, Misheard, in_playlist
from .open_works import OpenWorks
from .tree import Node, NodeKind, channel_node, split_node_id

# Readers wait for what is not known yet.
PATIENCE = 4.0
# Reading series takes requests, so only those of the best exhibitions are read.
SHOWS_TO_OPEN = 3
HITS_ASKED = 5
# A query may fit all there is; the newest of that are looked at.
MAX_LINES = 100

ORDER = (
    NodeKind.ARTIST,
    NodeKind.COLLECTION,
    NodeKind.EXHIBITION,
    NodeKind.COLLECTION_ARTIST,
    NodeKind.SERIES,
    NodeKind.PLAYLIST,
    NodeKind.CHANNEL,
    NodeKind.OWNED,
    NodeKind.ARTWORK,
    NodeKind.ITEM,
    NodeKind.COLLECTION_PART,
)


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
    """Search a library."""

    def __init__(
        self,
        hass: HomeAssistant,
        catalog: CatalogCoordinator,
        feed: FeedCoordinator,
        favorites: Favorites,
        branches: Branches,
        collections: Collections,
        artists: Artists,
    ) -> None:
        """Initialize with what is searched."""
        self._hass = hass
        self._collections = collections
        self._catalog = catalog
        self._feed = feed
        self._favorites = favorites
        self._branches = branches
        self._artists = artists
        self._indexes = Indexes(hass, catalog, feed, artists)
        self._works = OpenWorks(catalog, branches, self._indexes)
        self._misheard = Misheard(
            hass, self._works, favorites, branches, collections, artists, self._indexes
        )
        self.async_prepare = self._indexes.async_prepare

    async def async_search(
        self,
        query: str,
        *,
        kinds: Collection[NodeKind] | None = None,
        limit: int = 20,
        within: str | None = None,
    ) -> list[Node]:
        """Return playable nodes that fit words, the best first, optionally of some kinds or within a node."""
        hits = await self.async_hits(query, kinds=kinds, within=within)
        return [hit.node for hit in hits[:limit]]

    async def async_hits(
        self,
        query: str,
        *,
        kinds: Collection[NodeKind] | None = None,
        within: str | None = None,
        near: bool = False,
    ) -> list[Hit]:
        """Return playable nodes that fit words as they are or as they sound, the best first.

        With `near`, those that are only somewhat alike are among them.
        """
        asked = Query.of(query)
        if not asked.words:
            return []
        found = await self._exact(query, asked, within)
        if self._has_sure(found, kinds) and not near:
            return self._best(found, kinds)
        if named := BY_ARTIST.fullmatch(asked.text):
            artist = Query.of(named["artist"] or named["artist_first"])
            found += _by(artist, await self._exact(artist.text, artist, within))
            if not self._has_sure(found, kinds):
                found += _by(artist, await self._alike(artist, within, near=near))
        if near or not self._has_sure(found, kinds):
            found += await self._alike(asked, within, near=near)
        return self._best(found, kinds)

    def _has_sure(
        self,
        found: Iterable[tuple[float, Node]],
        kinds: Collection[NodeKind] | None,
    ) -> bool:
        """Return whether anything fits the words."""
        return any(hit.is_sure for hit in self._best(found, kinds))

    def _best(
        self,
        found: Iterable[tuple[float, Node]],
        kinds: Collection[NodeKind] | None,
    ) -> list[Hit]:
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
        others = (node.artist or "").count(",") if score <= ARTIST else 0
        return (
            -score,
            not self._favorites.is_favorite(node.id),
            ORDER.index(node.kind),
            others,
            len(node.title),
            -(node.year or 0),
        )

    async def _exact(
        self, text: str, query: Query, within: str | None
    ) -> list[tuple[float, Node]]:
        """Return what has the words, or what the catalog finds by them."""
        if within:
            return await self._within(query, within)
        return await self._everywhere(text, query)

    async def _alike(
        self, query: Query, within: str | None, *, near: bool
    ) -> list[tuple[float, Node]]:
        """Return what sounds like the words."""
        heard = Heard(query.text, query.words)
        return await self._misheard.async_find(
            heard, within or "", NEAR if near else SURE
        )

    async def _everywhere(self, text: str, query: Query) -> list[tuple[float, Node]]:
        """Search everything."""
        exhibitions, relevant, _ = await asyncio.gather(
            self._catalog.async_list(PATIENCE),
            self._catalog.async_search(text[:MAX_QUERY], HITS_ASKED, PATIENCE),
            self._feed.async_list(PATIENCE),
        )
        index = await self._indexes.async_shows()
        scores: dict[str, tuple[float, Exhibition]] = {
            show.id: (_score_show(query, show), show)
            for show, _ in index.find(query, MAX_LINES)
        }
        for show in relevant:
            best, _ = scores.get(show.id, (0, show))
            scores[show.id] = max(best, _score_show(query, show), RELEVANT), show
        for show in exhibitions.records:
            if show.id not in scores and query.names(show.title):
                scores[show.id] = 0, show
        shows = list(scores.values())
        await self._open_best(query, shows)
        found: list[tuple[float, Node]] = [
            (score, self._branches.exhibition_node(show)) for score, show in shows
        ]
        found += [
            (query.score(artist.name), self._artists.node(artist))
            for artist, _ in (await self._indexes.async_artists()).find(
                query, MAX_LINES
            )
        ]
        found += await self._works.async_find(query, MAX_LINES)
        found += await self._among_playlists(query)
        found += await self._among_channels(query)
        found += self._among_nodes(query, self._favorites.nodes())
        found += [
            (query.score(title, artist), node)
            for title, artist, node in await self._collections.async_search(query)
        ]
        return found

    async def _open_best(
        self, query: Query, shows: list[tuple[float, Exhibition]]
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

    async def _among_playlists(self, query: Query) -> list[tuple[float, Node]]:
        """Search playlists and their works."""
        found: list[tuple[float, Node]] = []
        index = await self._indexes.async_playlists()
        for playlist, number in index.find(query, MAX_LINES):
            if node := in_playlist(self._branches, playlist, number):
                if number:
                    score = query.score(node.title, node.artist, playlist.title)
                else:
                    score = query.score(playlist.title, ", ".join(playlist.curators))
                found.append((score, node))
        return found

    async def _among_channels(self, query: Query) -> list[tuple[float, Node]]:
        """Search channels."""
        index = await self._indexes.async_channels()
        return [
            (query.score(channel.title, channel.publisher), channel_node(channel))
            for channel, _ in index.find(query, MAX_LINES)
        ]

    def _among_nodes(
        self, query: Query, nodes: Iterable[Node]
    ) -> Iterator[tuple[float, Node]]:
        """Search nodes."""
        for node in nodes:
            yield query.score(node.title, node.artist, node.subtitle or ""), node

    async def _within(self, query: Query, within: str) -> list[tuple[float, Node]]:
        """Search one node."""
        kind, _ = split_node_id(within)
        match kind:
            case NodeKind.ROOT:
                return await self._everywhere(query.text, query)
            case NodeKind.PLAYLISTS:
                await self._feed.async_list(PATIENCE)
                return await self._among_playlists(query)
            case NodeKind.CHANNELS:
                await self._feed.async_list(PATIENCE)
                return await self._among_channels(query)
            case NodeKind.EXHIBITIONS:
                await self._catalog.async_list(PATIENCE)
                index = await self._indexes.async_shows()
                return [
                    (_score_show(query, show), self._branches.exhibition_node(show))
                    for show, _ in index.find(query, MAX_LINES)
                ] + await self._works.async_find(query, MAX_LINES)
        children = await self._branches.async_children(within, limit=MAX_INSIDE)
        found = list(self._among_nodes(query, children.nodes))
        for node in children.nodes:
            if node.kind is NodeKind.PLAYLIST:
                _, (ref,) = split_node_id(node.id)
                if playlist := self._feed.playlist(ref):
                    found += [
                        (
                            query.score(item.title, item.artist, playlist.title),
                            self._branches.item_node(playlist, item),
                        )
                        for item in playlist.items
                        if not item.is_secret
                    ]
        return found


def _score_show(query: Query, show: Exhibition) -> int:
    """Return how well an exhibition fits, by its name and its people."""
    artists = credit(show.artists)
    people = [person.name for person in (*show.artists, show.curator) if person] or [""]
    return max(query.score(show.title, person, artists) for person in people)


def _by(artist: Query, found: Iterable[tuple[float, Node]]) -> list[tuple[float, Node]]:
    """Return what an artist made, and the artist first."""
    heard = Heard(artist.text, artist.words)
    return [
        (score, node)
        for score, node in found
        if (node.kind is NodeKind.ARTIST or node.artist)
        and heard.fit(fold(node.artist or node.title)) >= SURE
    ]
