"""What is known of the work that hangs on a wall, whoever put it there."""

from dataclasses import replace

import aiohttp

from custom_components.dp1.protocol.artwork import absolute_url
from custom_components.dp1.protocol.catalog_records import Exhibition
from custom_components.dp1.protocol.errors import Dp1Error
from custom_components.dp1.protocol.http import request_json
from custom_components.dp1.protocol.status import PlaylistItem
from custom_components.dp1.protocol.text import clean

from .index import Index
from .ready_made import show_of
from .works import MAX_TITLE, RecentlyUsed, Work, with_manifest, work_at, work_of

PATIENCE = 10.0
MANIFEST_SECONDS = 10.0
MAX_MANIFEST = 256 * 1024
MAX_KNOWN = 256


class Wall:
    """Tells what is known of works."""

    def __init__(self, index: Index, session: aiohttp.ClientSession) -> None:
        """Keep where to look."""
        self._index = index
        self._session = session
        self._asked: RecentlyUsed[tuple[Work | None]] = RecentlyUsed(MAX_KNOWN)

    def about(self, item: PlaylistItem) -> Work | None:
        """Tell what is known, without asking anybody."""
        asked = self._asked.get(_mark(item))
        return self._known(item) or (asked[0] if asked else None)

    async def async_about(self, item: PlaylistItem) -> Work | None:
        """Tell what is known or can be found out; nobody is asked the same twice in a row."""
        if (known := self.about(item)) and known.link:
            return known
        mark = _mark(item)
        if (asked := self._asked.get(mark)) is None:
            found = await self._find_out(item)
            asked = (await self._with_manifest(item, found),)
            self._asked.keep(mark, asked)
        return asked[0]

    def _known(self, item: PlaylistItem) -> Work | None:
        """Describe a work that was read, or one that lies in the folder of a series that was read."""
        index = self._index
        if found := index.works.find(item.id, item.source, item.provenance):
            series_id, artwork = found
            if series := index.series(series_id):
                return work_of(artwork, series, index.exhibition(series.exhibition_id))
        series = index.series(index.works.series_at(item.source) or "")
        if series is None:
            return None
        work = work_of(
            work_at(series, item), series, index.exhibition(series.exhibition_id)
        )
        title = clean(item.title, MAX_TITLE) or work.title
        return replace(work, title=title, provenance=item.provenance)

    async def _find_out(self, item: PlaylistItem) -> Work | None:
        """Read the works of the shows that the work may be from."""
        for exhibition in self._shows(item):
            await self._index.async_series(exhibition.id, PATIENCE)
        if series_id := self._index.works.series_at(item.source):
            await self._index.async_artworks(series_id, 50, PATIENCE)
        return self._known(item)

    def _shows(self, item: PlaylistItem) -> list[Exhibition]:
        """List the shows that the feed's playlists with this work claim to be."""
        names = {
            show
            for playlist in self._index.playlists.records
            if any(it.source == item.source for it in playlist.items)
            and (show := show_of(playlist.title))
        }
        return [
            it for it in self._index.exhibitions.records if it.title.casefold() in names
        ][:3]

    async def _with_manifest(
        self, item: PlaylistItem, known: Work | None
    ) -> Work | None:
        """Add what the work's own manifest says."""
        address = absolute_url(item.ref or "") if item.ref and ":" in item.ref else None
        if address is None:
            return known
        try:
            answer = await request_json(
                self._session,
                "GET",
                address,
                timeout=MANIFEST_SECONDS,
                max_body=MAX_MANIFEST,
            )
            told = answer.json() if answer.ok else None
        except Dp1Error:
            return known
        found = with_manifest(known, told)
        return None if found == Work() else found


def _mark(item: PlaylistItem) -> str:
    """Name a work on the wall."""
    return f"{item.id} {item.source} {item.ref}"
