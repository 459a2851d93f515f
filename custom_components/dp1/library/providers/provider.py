"""Providers of art: the base classes."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any, ClassVar, NamedTuple
from uuid import uuid4

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from ...client.display.player_status import PlayerStatus, PlaylistItem
from ...client.errors import NotFoundError
from ...client.playlist.document import build, timestamp, without_nothing
from ...client.playlist.playlist import Origin, Playlist
from ...client.text import MAX_TITLE, escaped_url, shorten
from ...const import LICENSE
from ..item import Item, labeled
from ..node import FOLDER_TITLES, Inside, NodeKind, split_node_id
from ..search import Lines, Query, Scored
from ..settings import Preferences
from ..shelf import Shelf

# A person waits in front of the display.
BUILD_PATIENCE = 25.0
# Who searches waits for what has not been read yet.
SEARCH_PATIENCE = 4.0
# The cover of a folder is looked for among the first.
MAX_FOR_COVER = 20

type Json = dict[str, Any]


class Source(NamedTuple):
    """A node for the source list; the details tell it from others of the same name."""

    id: str
    name: str
    details: tuple[str | int | None, ...] = ()


class Provider:
    """A provider of art; each method answers for its own nodes, by default with none.

    Attributes:
        kinds: of its nodes.
        error_prefix: what the keys of errors about its nodes start with.
        servers: what it reads.
        lines: the names of its nodes, for searches.
        is_personal: whether its works are the owner's own.
        origin: address of the server, of which other libraries may have the same nodes; empty for none.
        surprise: what the weight of its works in a surprise is called; empty for none.
        is_used: whether it has more than nodes for their ids.
    """

    kinds: ClassVar[Collection[str]] = ()
    error_prefix: ClassVar[str] = "catalog"
    servers: Sequence[Shelf[Any]] = ()
    lines: Sequence[Lines[Any]] = ()
    is_personal: ClassVar[bool] = False
    surprise: ClassVar[str] = ""
    origin: str = ""
    is_used: bool = True

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize the provider; nothing is sent before `async_start`."""
        self.hass = hass
        self.entry = entry
        self.preferences = Preferences.of(entry.options, entry.data)
        self._on_change = on_change
        self._seen: set[str] | None = None

    def roots(self) -> list[Item]:
        """Return the folders it adds to the library."""
        return []

    async def async_node(self, node: str, patience: float) -> Item:
        """Return an item by the id of its node, or raise NotFoundError or why it could not be read in so many seconds."""
        raise NotFoundError(f"nothing is called {node!r}")

    async def async_pages(self, item: Item, limit: int) -> Inside:
        """Return what is inside an item, at most `limit` of those that take requests, or raise NotFoundError."""
        raise NotFoundError(f"{item.id!r} has nothing inside")

    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Return the playlist of an item for a display, by default of a single work.

        Raises NotFoundError if there is nothing to show, or another Dp1Error if it could not be read.
        """
        if not (item.source and item.can_play):
            raise NotFoundError(f"{item.id!r} has nothing to show")
        work = item.to_dp1(duration=self.preferences.duration)
        return self.build_items(item, [work], cover=item.picture)

    # Search and the source list

    async def async_ask(self, query: Query, text: str) -> Scored:
        """Read the records that a search needs, and return with their scores the nodes that lines do not have.

        `text` is the query as it was written.
        """
        return []

    def lines_inside(self, nodes: Sequence[Item]) -> list[Lines[Any]]:
        """Return the lines of the works inside nodes, as far as they have been read."""
        return []

    def sources(self) -> Sequence[Sequence[Source]]:
        """Return its sources for the source list, in one or more lists with the newest first."""
        return ()

    def surprises(self) -> Iterator[str]:
        """Yield the ids of the nodes whose works may be a surprise."""
        yield from ()

    # What a display shows

    def recognize(self, player: PlayerStatus) -> Iterator[str]:
        """Yield the nodes that a display shows, by the address or the id of its playlist."""
        yield from ()

    def find(self, item: PlaylistItem) -> Item | None:
        """Return the work of the item of a wall without a request."""
        return None

    async def async_find(self, item: PlaylistItem) -> Item | None:
        """Return the work of the item of a wall, which may be looked up, or raise why it could not be."""
        return self.find(item)

    # Life

    async def async_load(self) -> None:
        """Load the stored lists."""
        for server in self.servers:
            await server.async_load()

    @callback
    def async_start(self) -> None:
        """Read old lists in the background."""
        for server in self.servers:
            server.async_start()
            server.async_add_listener(self._on_change)

    async def async_stop(self) -> None:
        """Stop reading, and save."""
        for server in self.servers:
            await server.async_stop()

    # What providers have in common

    def _new(self, ids: Iterable[str]) -> set[str]:
        """Return the new ids, each once; those of the first call are not."""
        seen, now = self._seen, set(ids)
        self._seen = now | (seen or set())
        return set() if seen is None else now - seen

    def _folder(
        self, kind: NodeKind, nodes: Iterable[Item], *, can_play: bool = False
    ) -> Item:
        """Return the node of a fixed list, with the picture of a node in it."""
        return Item(
            id=kind.value,
            kind=kind,
            title=FOLDER_TITLES[kind],
            picture=cover_of(nodes),
            can_play=can_play,
            can_expand=True,
        )

    def build_items(
        self,
        item: Item,
        items: Sequence[Json],
        *,
        cover: str | None = None,
        summary: str = "",
        **document: Any,
    ) -> Playlist:
        """Build the playlist of an item of those inside, with the preferences as defaults, and other fields of its document."""
        preferences = self.preferences
        title = shorten(item.title, MAX_TITLE)
        built = build(
            title,
            # Players may skip a work without one, or never go on from it.
            [labeled({"duration": preferences.duration, **it}) for it in items],
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
            document=built | document,
            origin=Origin.OURS,
            title=title,
            node_id=item.id,
            is_personal=self.is_personal,
        )


class SubentryProvider[C: Shelf[Any]](Provider):
    """A provider of subentries of a library.

    Attributes:
        missing: key of the text if there is no such subentry.
    """

    missing: ClassVar[str] = ""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        on_change: CALLBACK_TYPE,
        kind: str,
        make: Callable[[ConfigSubentry], C],
    ) -> None:
        """Initialize a server for each subentry of a kind."""
        super().__init__(hass, entry, on_change)
        self.by_id = {
            subentry.subentry_id: make(subentry)
            for subentry in entry.get_subentries_of_type(kind)
        }
        self.servers: Sequence[C] = tuple(self.by_id.values())
        self.is_used = bool(self.by_id)

    def server(self, node: str) -> C:
        """Return the server of a subentry, whose id is the first key of its nodes."""
        key = next(iter(split_node_id(node)[1]), "")
        if (server := self.by_id.get(key)) is None:
            raise NotFoundError(
                f"nothing was added as {key!r}", translation_key=self.missing
            )
        return server


def source_of(node: Item) -> Source:
    """Return a node as one for the source list."""
    details = node.artist, node.subtitle, node.year
    return Source(node.id, node.title, details)


def cover_of(nodes: Iterable[Item]) -> str | None:
    """Return the first picture among the first nodes."""
    first = islice(nodes, MAX_FOR_COVER)
    return next((node.small_picture for node in first if node.small_picture), None)
