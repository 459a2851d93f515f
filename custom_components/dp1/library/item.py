"""An item, a work or a folder: the one type of it, from the record of a server to whoever shows or names it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Self, override
from uuid import UUID, uuid5

from homeassistant.util import dt as dt_util

from ..client.display.player_status import PlaylistItem
from ..client.playlist.document import build_item, timestamp, without_nothing
from ..client.playlist.manifest import (
    MAX_ARTISTS,
    Artist,
    Description,
    artists_in,
    biographies,
    credit,
    picture_in,
    texts_in,
    translation_in,
)
from ..client.text import escaped_url, shorten
from ..const import LICENSE

MANIFEST_VERSION: Final = "1.1.0"
MAX_DESCRIPTION: Final = 300
# Of all artists together.
MAX_ABOUT: Final = 150
# A work has the same id in all playlists built here, so that it is recognized by its id.
WORK_IDS: Final = UUID("c4f6a1de-56a5-4d0c-9d4e-0a1f3a7c2b90")

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(Description):
    """A work in plain text, or a folder, which is described like one; None stands for fields that no server has.

    Attributes:
        id: of its node in the library that has it, as `node_id` makes it; empty if none has it.
        kind: of the node.
        item_id: of its playlist item.
        series: its title, unless that is the title of the work.
        exhibition: its title.
        edition: like ``#12 of 40`` or ``AP``.
        note: of whoever hung it, or else of the work.
        picture: URL.
        small: URL of a small picture that everybody may load, if that is another.
        link: URL of its page.
        source: URL of what a display shows.
        provenance: as in DP-1.
        subtitle: of what it is a part, or who made it.
        works: how many are inside, if that is known.
        opens_at: of an exhibition.
        query: whose works a playlist looks up when it is shown, as that of `FeedPlaylist`.
        thumbnail: of an own picture, path at which its source serves it in small, or its id in the media folders.
    """

    id: str = ""
    kind: str = ""
    item_id: str | None = None
    title: str = ""
    artists: tuple[Artist, ...] = ()
    series: str | None = None
    exhibition: str | None = None
    edition: str | None = None
    year: int | None = None
    medium: str | None = None
    note: str | None = None
    picture: str | None = None
    small: str | None = None
    link: str | None = None
    source: str | None = None
    provenance: Mapping[str, Any] | None = None
    can_play: bool = False
    can_expand: bool = False
    subtitle: str | None = None
    works: int | None = None
    opens_at: datetime | None = None
    query: str = ""
    thumbnail: str = ""

    @classmethod
    def of_item(cls, item: PlaylistItem, language: str = "") -> Self:
        """Return the work of a playlist item, by its own fields and the texts of its manifest in a language."""
        manifest = item.raw.get("inlineManifest")
        texts = translation_in(manifest, language)
        line = texts.get("creditLine")
        return cls(
            item_id=item.id,
            title=texts.get("title") or item.title or "",
            artists=artists_in(manifest, line) if line else item.artists,
            note=item.note or texts.get("description"),
            picture=item.thumbnail,
            source=item.source,
            provenance=item.provenance,
        )

    @classmethod
    def of_manifest(cls, manifest: object, language: str = "") -> Self:
        """Return the work of a manifest, with its texts in a language."""
        texts = texts_in(manifest) | translation_in(manifest, language)
        return cls(
            title=texts.get("title") or "",
            artists=artists_in(manifest, texts.get("creditLine")),
            picture=picture_in(manifest),
            note=texts.get("description"),
        )

    @property
    def small_picture(self) -> str | None:
        """Return the URL of a small picture of the work."""
        return self.small or self.picture

    @property
    def any_picture(self) -> str | None:
        """Return the URL of a small picture of the work, or else of a portrait of an artist."""
        portraits = (artist.picture for artist in self.artists)
        return self.small_picture or next(filter(None, portraits), None)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the artists."""
        return tuple(artist.name for artist in self.artists)

    @property
    def artist(self) -> str | None:
        """Return the names of the artists in one line."""
        return credit(self.artists)

    @property
    def about_artist(self) -> str | None:
        """Return the beginning of the biographies."""
        return biographies(self.artists)

    @override
    def completed_by(self, other: Self | None) -> Self:
        """Return the same work, with what another has beyond it of the work and of its artists."""
        if other is None:
            return self
        people = {artist.name: artist for artist in other.artists}
        artists = tuple(
            artist.completed_by(people.get(artist.name)) for artist in self.artists
        )
        return super(Item, replace(self, artists=artists)).completed_by(other)

    def to_dp1(
        self, *, created: datetime | None = None, duration: float | None = None
    ) -> Json:
        """Return the playlist item, which lasts so many seconds."""
        item = build_item(
            self.source or "",
            id=self.item_id,
            title=self.title,
            duration=duration,
            license=LICENSE,
            provenance=self.provenance,
        )
        return labeled(item, self, created)


NO_WORK = Item()


def labeled(
    item: Json, work: Item | None = None, created: datetime | None = None
) -> Json:
    """Return an item with a manifest, unless it has one: the label of a display has title and artist from nothing else.

    Args:
        item: of a playlist.
        work: the work, by default as far as the item itself tells.
        created: when the manifest was made, by default today: built again, it is the same.
    """
    if item.get("inlineManifest") or item.get("ref"):
        return item
    work = work or Item.of_item(PlaylistItem.parse(item))
    if not work.title:
        return item
    picture = work.picture if work.picture != work.source else None
    metadata = {
        "title": work.title,
        "artists": [
            artist.to_manifest(MAX_ABOUT // len(work.artists))
            for artist in work.artists[:MAX_ARTISTS]
        ],
        "description": shorten(work.note or "", MAX_DESCRIPTION),
        "thumbnails": picture and {"default": {"uri": escaped_url(picture)}},
    }
    manifest = {
        "refVersion": MANIFEST_VERSION,
        "id": item.get("id") or str(uuid5(WORK_IDS, item["source"])),
        "created": timestamp(created or dt_util.start_of_local_day()),
        "locale": "en",
        "metadata": without_nothing(metadata),
    }
    return {**item, "inlineManifest": manifest}
