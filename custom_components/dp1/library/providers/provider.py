"""A provider of art: what a library asks of whoever has something to show."""

from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set as AbstractSet,
)
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, ClassVar, override
from uuid import uuid4

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_send

from ...client.display.player_status import PlayerStatus, PlaylistItem
from ...client.errors import Dp1Error, NotFoundError
from ...client.http import Guard
from ...client.playlist.document import build, timestamp, without_nothing
from ...client.playlist.playlist import Origin, Playlist
from ...client.text import MAX_TITLE, escaped_url, shorten
from ...const import LICENSE
from ...guard import NAMED_HOSTS
from ..news import NEWS, NewsItem
from ..node import FOLDER_TITLES, Children, Node, NodeKind, media_id, node_id
from ..search import Lines, Query, Scored
from ..server import CachedList, ServerCoordinator
from ..settings import Preferences
from ..work import Work
from .catalog.coordinator import CatalogCoordinator
from .feed.coordinator import FeedCoordinator

# A person waits in front of the display.
BUILD_PATIENCE = 25.0
# Who searches waits for what is not known yet.
SEARCH_PATIENCE = 4.0
# The cover of a folder is looked for among the first.
MAX_FOR_COVER = 20

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """A node that a name stands for, and the record that was read to find it."""

    id: str
    title: str
    record: Any = None


@dataclass(frozen=True, slots=True)
class Source:
    """A node for the source list; the details tell it from others of the same name.

    One that is not listed has a name nevertheless, which nothing new takes from it later.
    """

    id: str
    name: str
    details: tuple[str | int | None, ...] = ()
    listed: bool = True


class Context:
    """What the providers of a library know of it."""

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], async_update: CALLBACK_TYPE
    ) -> None:
        """Initialize without providers; `async_update` tells that something has changed."""
        self.hass = hass
        self.entry = entry
        self.async_update = async_update
        self.guard: Callable[[], Guard] = hass.data[NAMED_HOSTS].async_guard
        self.preferences = Preferences.of(entry.options, entry.data)
        self.catalog_coordinator = CatalogCoordinator(hass, entry)
        self.feed_coordinator = FeedCoordinator(hass, entry)
        self.providers: list[Provider] = []

    @callback
    def async_tell(self, kind: str, node: Node, link: str | None, **more: str) -> None:
        """Tell one piece of news of the library."""
        entry_id = self.entry.entry_id
        attributes = {
            "title": node.title,
            "artist": node.work.artist or node.subtitle,
            "picture": node.work.picture,
            "link": link,
            "media_content_id": media_id(entry_id, node.id),
            **more,
        }
        async_dispatcher_send(self.hass, NEWS, NewsItem(entry_id, kind, attributes))

    def picture(self, source: str) -> str | None:
        """Return a small picture of the work at an address, if a provider knows one."""
        found = (provider.picture(source) for provider in self.providers)
        return next((picture for picture in found if picture), None)

    def known_work(self, item: PlaylistItem) -> Work | None:
        """Return what the providers know of a work without a request."""
        found = (provider.describe(item) for provider in self._may_know(item))
        return next((work for work in found if work is not None), None)

    async def async_find_work(self, item: PlaylistItem) -> Work | None:
        """Return what is known or can be looked up of a work, or raise why nothing could be."""
        problem: Dp1Error | None = None
        for provider in self._may_know(item):
            try:
                if work := await provider.async_describe(item):
                    return work
            except Dp1Error as err:
                problem = err
        if problem is not None:
            raise problem
        return None

    def _may_know(self, item: PlaylistItem) -> Iterator[Provider]:
        """Yield the providers that may know a work at its address."""
        source = item.source or ""
        return (each for each in self.providers if each.in_addresses in source)


class Provider:
    """A provider of art; each method answers for the kinds of nodes that are its own, and by default with nothing.

    Attributes:
        kinds: the kinds of its nodes, with the number of keys in their ids.
        server: what is asked for its nodes, as the keys of error texts start.
        coordinators: what it reads.
        lines: by which words its nodes are found.
        in_addresses: what the addresses of all its works have in them.
        is_used: whether it is asked for more than nodes that are named by their ids.
        named_last: whether its sources take no name from another provider's.
    """

    kinds: ClassVar[Mapping[str, int]] = {}
    server: ClassVar[str] = "catalog"
    coordinators: Sequence[ServerCoordinator[Any]] = ()
    lines: Sequence[Lines[Any]] = ()
    in_addresses: ClassVar[str] = ""
    is_used: bool = True
    named_last: ClassVar[bool] = False

    def __init__(self, context: Context) -> None:
        """Initialize the provider; nothing is sent before `async_start`."""
        self.context = context
        self.hass = context.hass
        self._seen: set[str] | None = None

    # Nodes

    def roots(self) -> list[Node]:
        """Return the folders it adds to the library."""
        return []

    async def async_node(self, kind: str, *keys: str) -> Node:
        """Return a node, by default one of its folders, or raise NotFoundError or why it could not be read."""
        for folder in self.roots():
            if folder.id == node_id(kind, *keys):
                return folder
        raise NotFoundError(f"nothing is called {node_id(kind, *keys)!r}")

    async def async_children(self, kind: str, *keys: str, limit: int) -> Children[Any]:
        """Return what is inside a node, or raise NotFoundError; `limit` is how much is wanted of what takes requests."""
        raise NotFoundError(f"a node of kind {kind} has nothing inside")

    async def async_find(self, kind: str, text: str) -> Found:
        """Return the node that people name so, or raise NotFoundError or why it could not be read."""
        raise NotFoundError(f"a {kind} is not found by a name")

    async def async_build(
        self, kind: str, *keys: str, limit: int | None, record: Any = None
    ) -> Playlist:
        """Return what a display is to show for a node, of which the record may have been read to find it.

        Raises NotFoundError if there is nothing to show, or another Dp1Error if it could not be read.
        """
        raise NotFoundError(f"{kind} is not one thing to show")

    # Search and the source list

    async def async_ask(self, query: Query, text: str) -> Scored:
        """Read what a search needs, and return with their scores nodes that are found by other means than lines.

        `text` is the query as it was written.
        """
        return []

    def lines_inside(self, nodes: Sequence[Node]) -> list[Lines[Any]]:
        """Return the lines of what is known to be inside nodes."""
        return []

    def sources(self) -> Sequence[Sequence[Source]]:
        """Return what it offers for the source list, in one or more lists with the newest first."""
        return ()

    # What a display shows

    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the nodes that a display shows, by the address or the id of its playlist."""
        yield from ()

    def recognize_works(self, sources: AbstractSet[str]) -> Iterator[str]:
        """Yield the nodes that consist of the works with exactly these addresses."""
        yield from ()

    def describe(self, item: PlaylistItem) -> Work | None:
        """Return what is known of a work without a request."""
        return None

    async def async_describe(self, item: PlaylistItem) -> Work | None:
        """Return what is known or can be looked up of a work, or raise why nothing could be."""
        return self.describe(item)

    def picture(self, source: str) -> str | None:
        """Return a small picture of the work at an address."""
        return None

    # Life

    async def async_load(self) -> None:
        """Load what is stored."""
        for coordinator in self.coordinators:
            await coordinator.async_load()

    @callback
    def async_start(self) -> None:
        """Read what is old in the background."""
        for coordinator in self.coordinators:
            coordinator.async_start()
            coordinator.async_add_listener(self.context.async_update)

    @callback
    def async_start_late(self) -> None:
        """Tell news from now on: Home Assistant has started, and automations listen."""

    async def async_refresh(self) -> None:
        """Look for news that no coordinator reads."""

    async def async_stop(self) -> None:
        """Stop reading, and save."""
        for coordinator in self.coordinators:
            await coordinator.async_shutdown()

    # What providers have in common

    def _new(self, ids: Iterable[str]) -> set[str]:
        """Return which ids are new, each once; what is there at first is not."""
        known, found = self._seen, set(ids)
        self._seen = found | (known or set())
        return set() if known is None else found - known

    def _folder(
        self, kind: NodeKind, nodes: Iterable[Node], *, can_play: bool = False
    ) -> Node:
        """Return the node of a fixed list, with a picture of what is known to be in it."""
        return Node(
            id=kind.value,
            kind=kind,
            work=Work(title=FOLDER_TITLES[kind], picture=cover_of(nodes)),
            can_play=can_play,
            can_expand=True,
        )

    def build_items(
        self,
        node: str,
        title: str,
        items: Sequence[Json],
        *,
        cover: str | None = None,
        summary: str = "",
        **document: Any,
    ) -> Playlist:
        """Build a playlist of items with the preferences as defaults, and what else its document is to have."""
        preferences = self.context.preferences
        title = shorten(title, MAX_TITLE)
        built = build(
            title,
            items,
            id=str(uuid4()),
            created=timestamp(datetime.now(UTC)),
            defaults=without_nothing(
                {
                    "display": dict(preferences.display),
                    "license": LICENSE,
                    "duration": preferences.duration,
                }
            ),
            coverImage=escaped_url(cover or ""),
            summary=summary,
        )
        return Playlist(
            document=built | document, origin=Origin.OURS, title=title, node_id=node
        )


class SubentryProvider[C: ServerCoordinator[Any]](Provider):
    """A provider of what is added to a library as subentries; each has news, and is read once somebody listens.

    Attributes:
        missing: key of the text if there is no such subentry.
    """

    missing: ClassVar[str] = ""

    def __init__(
        self, context: Context, kind: str, make: Callable[[ConfigSubentry], C]
    ) -> None:
        """Initialize what was added, of a kind of subentries."""
        super().__init__(context)
        self.by_id = {
            subentry.subentry_id: make(subentry)
            for subentry in context.entry.get_subentries_of_type(kind)
        }
        self.coordinators: Sequence[C] = tuple(self.by_id.values())
        self.is_used = bool(self.by_id)

    def _of(self, key: str) -> C:
        """Return one by the id of its subentry."""
        if (found := self.by_id.get(key)) is None:
            raise NotFoundError(
                f"nothing was added as {key!r}", translation_key=self.missing
            )
        return found

    @override
    @callback
    def async_start(self) -> None:
        """Wait until somebody listens."""

    @override
    @callback
    def async_start_late(self) -> None:
        """Read what is old in the background, and tell what is new."""
        super().async_start()


def source_of(node: Node, listed: bool = True) -> Source:
    """Return a node as one for the source list."""
    details = node.work.artist, node.subtitle, node.work.year
    return Source(node.id, node.title, details, listed)


def cover_of(nodes: Iterable[Node]) -> str | None:
    """Return the first picture among the first nodes."""
    first = islice(nodes, MAX_FOR_COVER)
    return next((node.work.picture for node in first if node.work.picture), None)


def children_of[T](
    nodes: Iterable[T], cached: CachedList[Any], make: Callable[[T], Node] | None = None
) -> Children[T]:
    """Return the nodes of a list, or the records they are made of, and why the rest is missing."""
    missing = max(0, (cached.total or 0) - len(cached.records))
    return Children(tuple(nodes), missing, cached.reason, cached.read_at, make)
