"""Search by words, regardless of case and accents."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..client.catalog.artwork import credit
from ..client.catalog.models import Exhibition, Series
from .branches import Branches
from .catalog import CatalogCoordinator
from .collections import Collections
from .favorites import Favorites
from .feed import FeedCoordinator
from .feed_records import FeedChannel, FeedPlaylist
from .text_index import MAX_QUERY, TextIndex, Words, fold, line, start_of
from .tree import Node, NodeKind, artist_of, channel_node, playlist_node, split_node_id

# Readers wait for what is not known yet.
PATIENCE = 4.0
# Reading series takes requests, so only those of the best exhibitions are read.
SHOWS_TO_OPEN = 3
HITS_ASKED = 5
# A query may fit all there is; the newest of that are looked at.
MAX_LINES = 100
MAX_INSIDE = 2000

EXACT, START, WORDS, MIXED, ARTIST, ARTIST_WORDS, RELEVANT = 100, 80, 60, 45, 40, 30, 10
ORDER = (
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


class Query(Words):
    """A query that scores what it may fit."""

    __slots__ = ()

    def score(self, title: str, artist: str | None = "", context: str = "") -> int:
        """Return how well something fits, 0 if it does not."""
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

    def names(self, title: str) -> bool:
        """Return if a title is part of the query."""
        return f" {fold(title)} " in f" {self.text} "

    def _all_in(self, folded: str) -> bool:
        """Return if a folded text has all words."""
        return all(_is_in(word, folded) for word in self.words)


def _is_in(word: str, folded: str) -> bool:
    """Return if a folded text has a word that starts so."""
    return start_of(word) in f" {folded}"


class _Index[T]:
    """The index of a list, built again in a thread when there is another list."""

    def __init__(self, hass: HomeAssistant, text_of: Callable[[T], str]) -> None:
        """Initialize the index of nothing."""
        self._hass = hass
        self._text_of = text_of
        self._index: TextIndex[T] = TextIndex((), ())

    async def async_of(self, records: Sequence[T]) -> TextIndex[T]:
        """Return the index of a list; lists are never changed but replaced."""
        if self._index.records is not records:
            self._index = await self._hass.async_add_executor_job(
                lambda: TextIndex(records, map(self._text_of, records))
            )
        return self._index


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
    ) -> None:
        """Initialize with what is searched."""
        self._collections = collections
        self._catalog = catalog
        self._feed = feed
        self._favorites = favorites
        self._branches = branches
        self._shows = _Index(hass, _text_of_show)
        self._series = _Index(hass, self._text_of_series)
        self._playlists = _Index(hass, _text_of_playlist)
        self._channels = _Index(hass, _text_of_channel)

    async def async_prepare(self) -> None:
        """Index what is known, so that nobody waits for it."""
        await self._shows.async_of(self._catalog.data.records)
        await self._series.async_of(self._catalog.all_series)
        await self._playlists.async_of(self._feed.data.records)

    def _text_of_series(self, series: Series) -> str:
        """Return the line of a series in the index."""
        show = self._catalog.exhibition(series.exhibition_id)
        artist = artist_of(series, show)
        return line(series.title, artist or "", show.title if show else "")

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
        index = await self._shows.async_of(exhibitions.records)
        scores = {
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
        found = [(score, self._branches.exhibition_node(show)) for score, show in shows]
        found += await self._among_series(query)
        found += await self._among_playlists(query)
        found += await self._among_channels(query)
        found += self._among_nodes(query, self._favorites.nodes())
        found += [
            (query.score(title, artist), node)
            for title, artist, node in self._collections.search(query)
        ]
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

    async def _among_series(self, query: Query) -> list[tuple[int, Node]]:
        """Search series, except those of exhibitions that are not open."""
        now = dt_util.utcnow()
        found = []
        index = await self._series.async_of(self._catalog.all_series)
        for series, _ in index.find(query, MAX_LINES):
            show = self._catalog.exhibition(series.exhibition_id)
            artist = artist_of(series, show)
            score = query.score(series.title, artist, show.title if show else "")
            if score and (show is None or show.viewable(now)):
                found.append((score, self._branches.series_node(series)))
        return found

    async def _among_playlists(self, query: Query) -> list[tuple[int, Node]]:
        """Search playlists and their works."""
        found = []
        index = await self._playlists.async_of(self._feed.data.records)
        for playlist, number in index.find(query, MAX_LINES):
            if number:
                item = playlist.items[number - 1]
                if not item.is_secret:
                    score = query.score(item.title, item.artist, playlist.title)
                    found.append((score, self._branches.item_node(playlist, item)))
            else:
                score = query.score(playlist.title, ", ".join(playlist.curators))
                found.append((score, playlist_node(playlist)))
        return found

    async def _among_channels(self, query: Query) -> list[tuple[int, Node]]:
        """Search channels."""
        index = await self._channels.async_of(self._feed.channels)
        return [
            (query.score(channel.title, channel.publisher), channel_node(channel))
            for channel, _ in index.find(query, MAX_LINES)
        ]

    def _among_nodes(
        self, query: Query, nodes: Iterable[Node]
    ) -> Iterator[tuple[int, Node]]:
        """Search nodes."""
        for node in nodes:
            yield query.score(node.title, node.artist, node.subtitle or ""), node

    async def _within(self, query: Query, within: str) -> list[tuple[int, Node]]:
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
                exhibitions = await self._catalog.async_list(PATIENCE)
                index = await self._shows.async_of(exhibitions.records)
                return [
                    (_score_show(query, show), self._branches.exhibition_node(show))
                    for show, _ in index.find(query, MAX_LINES)
                ] + await self._among_series(query)
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


def _text_of_show(show: Exhibition) -> str:
    """Return the line of an exhibition in the index."""
    people = [person.name for person in (*show.artists, show.curator) if person]
    return line(show.title, *people)


def _text_of_playlist(playlist: FeedPlaylist) -> str:
    """Return the lines of a playlist and its works in the index."""
    lines = [line(playlist.title, *playlist.curators)]
    lines += [line(item.title, item.artist, playlist.title) for item in playlist.items]
    return "".join(lines)


def _text_of_channel(channel: FeedChannel) -> str:
    """Return the line of a channel in the index."""
    return line(channel.title, channel.publisher)


def _score_show(query: Query, show: Exhibition) -> int:
    """Return how well an exhibition fits, by its name and its people."""
    artists = credit(show.artists)
    people = [person.name for person in (*show.artists, show.curator) if person] or [""]
    return max(query.score(show.title, person, artists) for person in people)
