"""What the library keeps of a feed's documents: enough to list, search and recognize them, not the documents."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from ..client.text import clean
from ..client.values import mapping, moment, text

MAX_ITEMS = 100
MAX_CURATORS = 10
MAX_TITLE = 200

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FeedItem:
    """One work of a playlist.

    Attributes:
        key: what names it in its playlist: its id, or its place from 0 where it has none.
        title: plain text, never empty.
        source: address of the work.
    """

    key: str
    title: str
    source: str


@dataclass(frozen=True, slots=True)
class FeedPlaylist:
    """A playlist.

    Attributes:
        id: its id, or its address if it lies on another host.
        slug: its name in addresses.
        title: plain text, never empty.
        summary: plain text.
        cover: address of a picture.
        created: when it was made, as it says.
        curators: names.
        count: how many works it has.
        items: the first of them.
    """

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
        """When it was made."""
        made = moment(self.created)
        return made.year if made else None

    @classmethod
    def parse(cls, document: Mapping[str, Any], url: str | None = None) -> Self | None:
        """Read a document; None without an id.

        Args:
            document: as a feed sent it.
            url: where it is, if not on the library's own feed.
        """
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
        """Read what ``to_store`` wrote; None if that is not what this is."""
        data = mapping(data)
        try:
            return cls(
                id=str(data["id"]),
                slug=str(data["slug"]),
                title=str(data["title"]),
                summary=str(data["summary"]),
                cover=str(data["cover"]),
                created=str(data["created"]),
                curators=tuple(str(name) for name in data["curators"]),
                count=int(data["count"]),
                items=tuple(
                    FeedItem(str(key), str(title), str(source))
                    for key, title, source in data["items"]
                ),
            )
        except KeyError, TypeError, ValueError:
            return None

    def to_store(self) -> Json:
        """Write plain JSON."""
        return {
            "id": self.id,
            "slug": self.slug,
            "title": self.title,
            "summary": self.summary,
            "cover": self.cover,
            "created": self.created,
            "curators": list(self.curators),
            "count": self.count,
            "items": [[item.key, item.title, item.source] for item in self.items],
        }


@dataclass(frozen=True, slots=True)
class FeedChannel:
    """A channel: playlists in an order that somebody chose.

    Attributes:
        id: key.
        title: plain text, never empty.
        cover: address of a picture.
        publisher: name.
        playlists: addresses.
    """

    id: str
    title: str
    cover: str
    publisher: str
    playlists: tuple[str, ...]

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Read a document of a feed, or what ``to_store`` wrote; None without an id."""
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
        """Write plain JSON."""
        return {
            "id": self.id,
            "title": self.title,
            "coverImage": self.cover,
            "publisher": {"name": self.publisher},
            "playlists": list(self.playlists),
        }


def keyed_items(items: object) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Give each work of a playlist its key and its place from 0; what has no source is left out."""
    seen = set()
    for place, data in enumerate(items if isinstance(items, list) else ()):
        given = mapping(data)
        if not text(given.get("source")):
            continue
        key = text(given.get("id"))
        if key is None or key in seen:
            key = str(place)
        seen.add(key)
        yield key, place, given


def items_of(items: object) -> tuple[FeedItem, ...]:
    """Read the works of a playlist."""
    return tuple(
        FeedItem(
            key=key,
            title=clean(given.get("title"), MAX_TITLE) or f"#{place + 1}",
            source=given["source"],
        )
        for key, place, given in keyed_items(items)
    )


def _names(people: object) -> tuple[str, ...]:
    """Read the names of curators."""
    if not isinstance(people, list):
        return ()
    names = (clean(mapping(it).get("name"), MAX_TITLE) for it in people[:MAX_CURATORS])
    return tuple(name for name in names if name)


def _picture(value: object) -> str:
    """Take the address of a picture that a browser can open."""
    address = text(value) or ""
    return address if address.startswith(("http://", "https://")) else ""
