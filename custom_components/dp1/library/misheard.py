"""Find what sounds like the words of a query."""

from collections.abc import Sequence
from typing import Any

from homeassistant.core import HomeAssistant

from ..client.catalog.models import Artwork, Exhibition, Series
from .artists import Artist, Artists
from .branches import Branches
from .collections.nodes import Collections
from .favorites import Favorites
from .feed.records import FeedChannel, FeedPlaylist
from .indexes import Indexes, index_of_nodes
from .matching.fuzzy import SURE, Heard
from .matching.query import ARTIST_WORDS
from .matching.text_index import TextIndex, fold
from .open_works import OpenWorks
from .tree import Node, NodeKind, channel_node, playlist_node, split_node_id

# A node may have more inside than can be looked at.
MAX_INSIDE = 2000
# What was misheard scores from here to that of the words of an artist.
ALIKE = 10.0
# A name that comes near is a guess.
NEAR = 0.65
LISTS = (NodeKind.EXHIBITIONS, NodeKind.PLAYLISTS, NodeKind.CHANNELS)


class Misheard:
    """Find nodes by words that may have been misheard."""

    def __init__(
        self,
        hass: HomeAssistant,
        works: OpenWorks,
        favorites: Favorites,
        branches: Branches,
        collections: Collections,
        artists: Artists,
        indexes: Indexes,
    ) -> None:
        """Initialize with what is searched."""
        self._hass = hass
        self._works = works
        self._favorites = favorites
        self._branches = branches
        self._collections = collections
        self._artists = artists
        self._indexes = indexes

    async def async_find(
        self, heard: Heard, within: str, least: float
    ) -> list[tuple[float, Node]]:
        """Return nodes that fit well enough with their scores, everywhere or within a node."""
        kind = split_node_id(within)[0]
        indexes = await self._indexes_of(kind)
        nodes: Sequence[Node] = ()
        if kind is NodeKind.ROOT:
            nodes = self._favorites.nodes()
        elif kind not in LISTS:
            nodes = (
                await self._branches.async_children(within, limit=MAX_INSIDE)
            ).nodes

        def find() -> list[tuple[float, Any, int]]:
            """Return what indexes have."""
            some = [*indexes, index_of_nodes(tuple(nodes))] if nodes else indexes
            return [hit for index in some for hit in index.find_alike(heard, least)]

        hits = await self._hass.async_add_executor_job(find)
        if kind is NodeKind.ROOT:
            owned = await self._collections.async_find_alike(heard, least)
            hits += [(fit, node, 0) for fit, node in owned]
        found: list[tuple[float, Node]] = []
        for fit, record, number in hits:
            if node := self._node(record, number):
                if fit >= SURE:
                    score = ALIKE + (ARTIST_WORDS - ALIKE) * round(min(fit, 0.99), 2)
                    found.append((score, node))
                elif heard.fit(fold(node.title)) >= NEAR:
                    found.append((fit, node))
        return found

    async def _indexes_of(self, kind: NodeKind) -> list[TextIndex[Any]]:
        """Return the indexes of what is within a node of a kind."""
        indexes, found = self._indexes, list[TextIndex[Any]]()
        if kind is NodeKind.ROOT:
            found.append(await indexes.async_artists())
        if kind in (NodeKind.ROOT, NodeKind.EXHIBITIONS):
            found += [await indexes.async_shows(), await indexes.async_series()]
            found.append(await indexes.async_works())
        if kind in (NodeKind.ROOT, NodeKind.PLAYLISTS):
            found.append(await indexes.async_playlists())
        if kind in (NodeKind.ROOT, NodeKind.CHANNELS):
            found.append(await indexes.async_channels())
        return found

    def _node(self, record: object, number: int) -> Node | None:
        """Return the node of a record of an index."""
        match record:
            case Node():
                return record
            case Artist():
                return self._artists.node(record)
            case Series():
                return self._works.series_node(record)
            case (str() as series_id, Artwork() as work):
                return self._works.work_node(series_id, work)
            case FeedPlaylist():
                return in_playlist(self._branches, record, number)
            case FeedChannel():
                return channel_node(record)
            case Exhibition():
                return self._branches.exhibition_node(record)
        return None


def in_playlist(branches: Branches, playlist: FeedPlaylist, number: int) -> Node | None:
    """Return the node of a playlist, or of one of its works."""
    if not number:
        return playlist_node(playlist)
    item = playlist.items[number - 1]
    return None if item.is_secret else branches.item_node(playlist, item)
