"""Records of a feed: enough of its documents to list, search and recognize them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from ..client.text import clean
from ..client.values import mapping, moment, text, whole

MAX_ITEMS = 100
MAX_CURATORS = 10
MAX_TITLE = 200

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FeedItem:
    """A work of a playlist; the key is its id, or its place where it has none."""

    key: str
    title: str
    source: str


@dataclass(frozen=True, slots=True)
class FeedPlaylist:
    """A playlist with the first of its items; the id of one on another host is its address."""

    id: str
    slug: str
    title: str
    summary: str
    cover: str
    created: str
    curators: tuple[str, ...]
    count: int
    items: tuple[FeedItem, ...]

    @property
    def year(self) -> int | None:
        """Return the year it was made."""
        made = moment(self.created)
        return made.year if made else None

    @classmethod
    def parse(cls, document: Mapping[str, Any], url: str | None = None) -> Self | None:
        """Read a document, None without an id; `url` is its address on another host."""
        if not (key := url or text(document.get("id"))):
            return None
        slug = text(document.get("slug")) or ""
        items = document.get("items")
        items = items if isinstance(items, list) else []
        return cls(
            id=key,
            slug=slug,
            title=clean(document.get("title"), MAX_TITLE) or slug or key,
            summary=clean(document.get("summary")),
            cover=_picture(document.get("coverImage")),
            created=text(document.get("created")) or "",
            curators=_names(document.get("curators")),
            count=len(items),
            items=items_of(items[:MAX_ITEMS]),
        )

    @classmethod
    def from_store(cls, data: object) -> Self | None:
        """Read what `to_store` returned."""
        stored = mapping(data)
        playlist = cls.parse(stored)
        count = whole(stored.get("count")) or 0
        return playlist and replace(playlist, count=max(playlist.count, count))

    def to_store(self) -> Json:
        """Return a document with what is known of the playlist."""
        return {
            "id": self.id,
            "slug": self.slug,
            "title": self.title,
            "summary": self.summary,
            "coverImage": self.cover,
            "created": self.created,
            "curators": [{"name": name} for name in self.curators],
            "count": self.count,
            "items": [
                {"id": item.key, "title": item.title, "source": item.source}
                for item in self.items
            ],
        }


@dataclass(frozen=True, slots=True)
class FeedChannel:
    """A channel: the addresses of playlists in an order somebody chose."""

    id: str
    title: str
    cover: str
    publisher: str
    playlists: tuple[str, ...]

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Read a document of a feed or what `to_store` returned, None without an id."""
        data = mapping(data)
        if not (key := text(data.get("id"))):
            return None
        playlists = data.get("playlists")
        return cls(
            id=key,
            title=clean(data.get("title"), MAX_TITLE) or text(data.get("slug")) or key,
            cover=_picture(data.get("coverImage")),
            publisher=clean(mapping(data.get("publisher")).get("name"), MAX_TITLE),
            playlists=tuple(url for url in playlists if isinstance(url, str))
            if isinstance(playlists, list)
            else (),
        )

    def to_store(self) -> Json:
        """Return a document with what is known of the channel."""
        return {
            "id": self.id,
            "title": self.title,
            "coverImage": self.cover,
            "publisher": {"name": self.publisher},
            "playlists": list(self.playlists),
        }


def keyed_items(items: object) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Yield the key and place of the items of a playlist; those without a source are left out."""
    seen = set()
    for place, data in enumerate(items if isinstance(items, list) else ()):
        item = mapping(data)
        if not text(item.get("source")):
            continue
        key = text(item.get("id"))
        if key is None or key in seen:
            key = str(place)
        seen.add(key)
        yield key, place, item


def items_of(items: object) -> tuple[FeedItem, ...]:
    """Read the items of a playlist."""
    return tuple(
        FeedItem(
            key=key,
            title=clean(item.get("title"), MAX_TITLE) or f"#{place + 1}",
            source=item["source"],
        )
        for key, place, item in keyed_items(items)
    )


def _names(people: object) -> tuple[str, ...]:
    """Read the names of curators."""
    if not isinstance(people, list):
        return ()
    names = (
        clean(mapping(person).get("name"), MAX_TITLE)
        for person in people[:MAX_CURATORS]
    )
    return tuple(name for name in names if name)


def _picture(value: object) -> str:
    """Read the address of a picture a browser can open."""
    address = text(value) or ""
    return address if address.startswith(("http://", "https://")) else ""
