"""Artists of the catalog, and what they made."""

import asyncio
from dataclasses import dataclass

from homeassistant.util import dt as dt_util

from ..client.catalog.models import Exhibition, Series
from ..client.errors import Dp1Error, NotFoundError
from .catalog.coordinator import CatalogCoordinator
from .matching.text_index import fold
from .servers.coordinator import PATIENCE
from .tree import Node, NodeKind, node_id

# Reading series takes requests, so only those of the newest exhibitions of an artist are read.
MAX_SHOWS = 10


@dataclass(frozen=True, slots=True)
class Artist:
    """An artist with the ids of the exhibitions with their works, the newest first."""

    name: str
    shows: tuple[str, ...]


class Artists:
    """The artists of all exhibitions that can be seen."""

    def __init__(self, catalog: CatalogCoordinator) -> None:
        """Initialize with the exhibitions."""
        self._catalog = catalog
        self._exhibitions: tuple[Exhibition, ...] = ()
        self._artists: dict[str, Artist] = {}
        self._known: tuple[Artist, ...] = ()

    def known(self) -> tuple[Artist, ...]:
        """Return all artists; the same tuple until there are other exhibitions."""
        exhibitions = self._catalog.data.records
        if self._exhibitions is not exhibitions:
            found: dict[str, tuple[str, list[str]]] = {}
            for show in exhibitions:
                for person in show.artists:
                    _, shows = found.setdefault(fold(person.name), (person.name, []))
                    shows.append(show.id)
            self._artists = {
                key: Artist(name, tuple(shows)) for key, (name, shows) in found.items()
            }
            self._exhibitions = exhibitions
            self._known = tuple(self._artists.values())
        return self._known

    async def async_artist(self, name: str) -> Artist:
        """Return an artist by name, or raise NotFoundError or why the catalog could not be read."""
        exhibitions = await self._catalog.async_list()
        self.known()
        if found := self._artists.get(fold(name)):
            return found
        raise exhibitions.reason or NotFoundError(f"no artist {name!r}")

    async def async_series(
        self, artist: Artist, patience: float = PATIENCE
    ) -> tuple[list[Series], Dp1Error | None]:
        """Return the series of an artist, and why others may be missing."""
        shows = self._open_shows(artist)[:MAX_SHOWS]
        lists = await asyncio.gather(
            *(self._catalog.async_series(show.id, patience) for show in shows)
        )
        series = [
            series
            for show, found in zip(shows, lists, strict=True)
            for series in found.records
            if fold(artist.name) in makers(series, show)
        ]
        reasons = (found.reason for found in lists if found.reason)
        return series, next(reasons, None)

    def node(self, artist: Artist) -> Node:
        """Return the node of an artist."""
        shows = self._open_shows(artist)
        return Node(
            id=node_id(NodeKind.ARTIST, artist.name),
            kind=NodeKind.ARTIST,
            title=artist.name,
            can_play=bool(shows),
            can_expand=bool(shows),
        )

    def _open_shows(self, artist: Artist) -> list[Exhibition]:
        """Return the exhibitions of an artist that can be seen."""
        now = dt_util.utcnow()
        shows = (self._catalog.exhibition(key) for key in artist.shows)
        return [show for show in shows if show and show.viewable(now)]


def makers(series: Series, exhibition: Exhibition) -> set[str]:
    """Return the folded names of who made a series."""
    alone = exhibition.artists if len(exhibition.artists) == 1 else ()
    return {fold(person.name) for person in series.artists or alone}
