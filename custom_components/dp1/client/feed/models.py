"""Records of a feed: enough of its documents to list, search and recognize them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import batched, chain, islice
from sys import intern
from typing import Any, NamedTuple, Self

from ..hosts import loaded_url, work_url
from ..playlist.document import for_display
from ..playlist.manifest import MAX_NOTE, artists_in
from ..playlist.schedule import display_at, is_past
from ..text import MAX_TITLE, clean, one_line, plain
from ..values import address, json_field, json_fields, mapping, moment, text
from .drafts import owners

# As many as are cast.
MAX_ITEMS = 1024
# By which a playlist is found.
FIRST_ITEMS = 100
# Of a feed, and addresses of them in channels.
MAX_PLAYLISTS = 20_000
MAX_CURATORS = 10
MAX_DID = 200
ITEM_FIELDS = 5
ANY, VIEWER = "any", "viewer"
VIEWER_MARK = "{{viewer_address}}"

type Json = dict[str, Any]


class FeedItem(NamedTuple):
    """A work of a playlist; the key is its id, or its index where it has none.

    `artists` are names, one a line; `shown_from` is the `displayAt` from which its playlist's schedule lets it be seen.
    """

    key: str
    title: str
    source: str
    artists: str = ""
    shown_from: str = ""

    def is_secret(self, now: datetime) -> bool:
        """Return if the schedule of its playlist shows it never, or only later than a time in the zone of the displays."""
        return not is_past(self.shown_from, now)


def _names(people: object) -> tuple[str, ...]:
    """Read the names of curators."""
    if not isinstance(people, list):
        return ()
    names = (
        clean(mapping(person).get("name"), MAX_TITLE)
        for person in people[:MAX_CURATORS]
    )
    return tuple(name for name in names if name)


@dataclass(frozen=True, slots=True)
class FeedPlaylist:
    """A playlist with the first of its items; the id of one on another host is its address.

    `count` is the number of its items, of which it has the first.
    `fields` are those of its items, one after the other: tens of thousands of items would make each garbage collection
    slow. `query` tells of works that are looked up when it is shown: "" if there are none, those of the `VIEWER`, or
    `ANY`. `owners` are the keys that may change it.
    `own_id` is that in its document, if `id` is another.
    """

    id: str
    title: str
    count: int
    fields: tuple[str, ...]
    slug: str = json_field(text, "slug", default="")
    cover: str = json_field(loaded_url, "coverImage", default="")
    created: str = json_field(text, "created", default="")
    curators: tuple[str, ...] = json_field(_names, "curators", default=())
    summary: str = json_field(plain(MAX_NOTE), "summary", default="")
    query: str = ""
    owners: tuple[str, ...] = ()
    own_id: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError if the fields are not those of whole items, as of a record that is cut or of another version."""
        if len(self.fields) % ITEM_FIELDS:
            raise ValueError("the items are not whole")

    @property
    def items(self) -> tuple[FeedItem, ...]:
        """Return its items."""
        return tuple(
            map(FeedItem._make, batched(self.fields, ITEM_FIELDS, strict=True))
        )

    @property
    def year(self) -> int | None:
        """Return the year it was made."""
        made = moment(self.created)
        return made.year if made else None

    @classmethod
    def parse(cls, document: Mapping[str, Any], url: str | None = None) -> Self | None:
        """Read a document, None without an id; `url` is its address on another host."""
        own_id = text(document.get("id")) or ""
        if not (key := url or own_id):
            return None
        items = document.get("items")
        items = items if isinstance(items, list) else []
        return cls(
            id=key,
            title=_title(document, key),
            count=len(items),
            fields=tuple(chain.from_iterable(items_of(document, FIRST_ITEMS))),
            query=_query(document),
            owners=_owners(document),
            own_id=own_id if own_id != key else "",
            **json_fields(cls, document),
        )


@dataclass(frozen=True, slots=True)
class FeedChannel:
    """A channel: the addresses of playlists in an order somebody chose, the current first, without those to come."""

    id: str
    title: str
    publisher: str
    playlists: tuple[str, ...]
    cover: str = json_field(loaded_url, "coverImage", default="")
    upcoming: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Read a document of a feed, None without an id."""
        data = mapping(data)
        if not (key := text(data.get("id"))):
            return None
        listed = data.get("playlists")
        entries = listed[:MAX_PLAYLISTS] if isinstance(listed, list) else []
        upcoming = frozenset(
            filter(None, (_address(it) for it in entries if _is_upcoming(it)))
        )
        urls = map(_address, (data.get("current"), *entries))
        return cls(
            id=key,
            title=_title(data, key),
            publisher=_publisher(data),
            playlists=tuple(
                dict.fromkeys(url for url in urls if url and url not in upcoming)
            ),
            upcoming=upcoming,
            **json_fields(cls, data),
        )


def _title(document: Mapping[str, Any], key: str) -> str:
    """Return the title of a document, else its slug, else its key."""
    titles = (clean(document.get(name), MAX_TITLE) for name in ("title", "slug"))
    return next(filter(None, titles), "") or one_line(key, MAX_TITLE)


def _address(entry: object) -> str | None:
    """Return the address of a playlist in a channel, which may be an object with it."""
    return text(mapping(entry).get("url") if isinstance(entry, Mapping) else entry)


def _is_upcoming(entry: object) -> bool:
    """Return whether a playlist in a channel is only announced."""
    return mapping(entry).get("status") == "upcoming"


def _publisher(document: Mapping[str, Any]) -> str:
    """Return the name of the publisher of a channel, or the curator of a playlist group."""
    curator = text(document.get("curator")) or ""
    name = mapping(document.get("publisher")).get("name")
    return clean(name or ("" if curator.startswith("did:") else curator), MAX_TITLE)


def keyed_items(items: object) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Yield the key and index of as many items as DP-1 allows in a playlist; those without a source are left out."""
    seen = set()
    for index, data in enumerate(items[:MAX_ITEMS] if isinstance(items, list) else ()):
        item = mapping(data)
        if not address(item.get("source")):
            continue
        key = text(item.get("id"))
        if key is None or key in seen:
            key = str(index)
        seen.add(key)
        yield key, index, item


def items_of(
    document: Mapping[str, Any], most: int = MAX_ITEMS
) -> tuple[FeedItem, ...]:
    """Read the first items of a playlist."""
    return tuple(
        FeedItem(
            key=key,
            title=clean(item.get("title"), MAX_TITLE) or f"#{index + 1}",
            source=work_url(item["source"]),
            artists="\n".join(
                artist.name for artist in artists_in(item.get("inlineManifest"))
            ),
            shown_from=display_at(item),
        )
        for key, index, item in islice(keyed_items(document.get("items")), most)
    )


def _query(document: Mapping[str, Any]) -> str:
    """Return whose works a playlist looks up on the wall."""
    queries = [document.get(name) for name in ("dynamicQuery", "dynamicQueries")]
    if not any(queries):
        return ""
    return VIEWER if VIEWER_MARK in str(queries) else ANY


def _owners(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Read who may change a playlist; most are of few owners, whose texts are shared."""
    dids = (did for did in owners(document) if len(did) <= MAX_DID)
    return tuple(map(intern, islice(dids, MAX_CURATORS)))


def open_items(document: Json, now: datetime) -> dict[str, Json]:
    """Return the items of a playlist that can be shown by themselves by their keys, with its defaults and out of its schedule."""
    secret = {item.key for item in items_of(document) if item.is_secret(now)}
    items = {
        key: {name: item[name] for name in item if name != "displayAt"}
        for key, _, item in keyed_items(document.get("items"))
        if key not in secret
    }
    alone = {"defaults": document.get("defaults"), "items": list(items.values())}
    return dict(zip(items, for_display(alone)["items"], strict=True))
