"""Works that hang on displays, recognized by the catalog: read already, or looked up by feed, folder and number."""

import asyncio
from dataclasses import replace
import re
from typing import Final

from lru import LRU

from homeassistant.core import HomeAssistant

from ....addresses import ADDRESSES
from ....client.catalog.artwork import CAP, absolute_url, shown_once, source_url
from ....client.catalog.models import Artwork, Exhibition, Series
from ....client.display.player_status import PlaylistItem
from ....client.errors import Dp1Error, InvalidRequestError, NotFoundError
from ....client.hosts import all_urls, same_work
from ....client.http import request_json
from ...item import NO_WORK, Item
from ..feed.server import FeedServer
from .server import CatalogServer

# Seconds after which a work is looked up again that a display shows.
WORK_AGE: Final = 600.0
# The same of one that could not be looked up.
WORK_RETRY: Final = 30.0
MANIFEST_SECONDS = 10.0
# Manifests are advised to have at most 64 KB.
MAX_MANIFEST = 256 * 1024
MAX_LOOK_UPS = 256
MAX_EXHIBITIONS = 3

_CLAIM = re.compile(
    r"(.+?)\s+[-–—]\s+(?:full collection|highlight reel)", re.IGNORECASE
)
_NUMBER = re.compile(r"([0-9]{1,6})(?=[/?#]|$)")
_EDITION = re.compile(r"[?&]edition_number=([0-9]{1,6})(?=[&#]|$)")


class WorkLookUp:
    """The works of a catalog that displays show."""

    def __init__(
        self, hass: HomeAssistant, catalog: CatalogServer, feed: FeedServer
    ) -> None:
        """Initialize with the feed, whose playlists name exhibitions."""
        self._hass = hass
        self._catalog = catalog
        self._feed = feed
        # Works that were looked up, or the errors instead, and when they expire.
        self._results: LRU[str, tuple[Item | Dp1Error | None, float]] = LRU(
            MAX_LOOK_UPS
        )

    def find(self, item: PlaylistItem) -> Item | None:
        """Return the work of an item, as far as it has been read or looked up."""
        result, _ = self._results.get(_key(item)) or (None, 0.0)
        looked_up = result if isinstance(result, Item) else None
        return self._indexed(item) or looked_up or self._described_by_series(item)

    async def async_find(self, item: PlaylistItem) -> Item | None:
        """Return the work of an item, which is looked up, or raise why it could not be."""
        if work := self._indexed(item):
            return work
        key, now = _key(item), asyncio.get_running_loop().time()
        result, expires = self._results.get(key) or (None, 0.0)
        if now >= expires:
            work, problem = None, None
            try:
                work = await self._async_look_up(item)
            except NotFoundError, InvalidRequestError:
                pass
            except Dp1Error as err:
                problem = err
            work = work or self._described_by_series(item)
            result = await self._async_add_manifest(item, work) or problem
            max_age = WORK_RETRY if problem else WORK_AGE
            self._results[key] = result, now + max_age
        if isinstance(result, Dp1Error):
            raise result
        return result

    def _indexed(self, item: PlaylistItem) -> Item | None:
        """Return a work that has been read from the catalog."""
        return self._catalog.work(self._catalog.works.find(item))

    def _described_by_series(self, item: PlaylistItem) -> Item | None:
        """Return a work as far as its series describes it."""
        if (series := self._catalog.series_at(item.source)) is None:
            return None
        work = self._catalog.parse_work(series.id, work_at(series, item.source or ""))
        title = item.title or work.title
        of_series = series.title if series.title != title else None
        return replace(work, title=title, series=of_series, provenance=item.provenance)

    async def _async_look_up(self, item: PlaylistItem) -> Item | None:
        """Find the exhibition of a work by the feed's playlists, the series by its folder, the work by its number."""
        for exhibition in self._claimed_exhibitions(item):
            series_list = await self._catalog.async_series(exhibition.id)
            if series_list.missing and self._catalog.series_at(item.source) is None:
                raise series_list.missing
        if (series := self._catalog.series_at(item.source)) is None:
            for server in (self._catalog.list, self._feed.list):
                if server.missing and server.read_at is None:
                    raise server.missing
            return None
        index = 0 if shown_once(series) else work_at(series, item.source or "").index
        if index is None:
            artworks = await self._catalog.async_artworks(series.id, CAP)
            if (work := self._indexed(item)) is None and artworks.missing:
                raise artworks.missing
            return work
        artwork = await self._catalog.async_artwork_at(series, index)
        source = artwork and source_url(artwork, series)
        if artwork and source and same_work(source) == same_work(item.source or ""):
            return self._catalog.parse_work(series.id, artwork)
        return None

    def _claimed_exhibitions(self, item: PlaylistItem) -> list[Exhibition]:
        """Return the exhibitions that playlists of the feed with this work claim to be."""
        urls = all_urls(item.source or "")
        names = {
            name
            for playlist in self._feed.list.records
            if playlist.shows(urls) and (name := claimed_title(playlist.title))
        }
        return [
            exhibition
            for exhibition in self._catalog.list.records
            if comparable(exhibition.title) in names
        ][:MAX_EXHIBITIONS]

    async def _async_add_manifest(
        self, item: PlaylistItem, work: Item | None
    ) -> Item | None:
        """Return a work completed by its manifest."""
        address = absolute_url(item.ref or "") if "://" in (item.ref or "") else None
        if address is None:
            return work
        try:
            answer = await request_json(
                self._hass.data[ADDRESSES].async_guard(),
                "GET",
                address,
                timeout=MANIFEST_SECONDS,
                max_body=MAX_MANIFEST,
            )
            manifest = await answer.json(strict=False) if answer.ok else None
        except Dp1Error:
            return work
        work = (work or NO_WORK).completed_by(
            Item.of_manifest(manifest, self._hass.config.language)
        )
        return None if work == NO_WORK else work


def _key(item: PlaylistItem) -> str:
    """Return the key of a work in the results."""
    return f"{item.id} {item.source} {item.ref}"


def work_at(series: Series, source: str) -> Artwork:
    """Return a work that has not been read, as far as its address and series tell."""
    return Artwork(
        id="",
        index=None if shown_once(series) else _index_of(series, source),
        sources=(source,),
    )


def _index_of(series: Series, source: str) -> int | None:
    """Return the index of a work in its series, from 0, as its address has it."""
    folder = absolute_url(series.unique_preview_path)
    if folder and source.startswith(f"{folder}/"):
        match = _NUMBER.match(source.removeprefix(f"{folder}/"))
    else:
        match = _EDITION.search(source)
    return int(match[1]) if match else None


def claimed_title(title: str) -> str | None:
    """Return the name of the exhibition that the title of a playlist claims, as `comparable` writes it."""
    match = _CLAIM.fullmatch(title.strip())
    return comparable(match[1]) if match else None


def comparable(name: str) -> str:
    """Return a name without case and extra blanks."""
    return " ".join(name.casefold().split())
