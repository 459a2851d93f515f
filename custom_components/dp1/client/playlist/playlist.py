"""A playlist to show: at a URL, which displays read and refresh by themselves, or as a document."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, Self, override

from ..hosts import loaded_url
from ..text import MAX_TITLE, clean
from .document import check_playable, for_display, unsigned
from .manifest import picture_in

type Document = dict[str, Any]


class Origin(Enum):
    """The maker of the document of a playlist."""

    OURS = auto()
    # It is checked for what displays refuse before it is cast as a document.
    STRANGER = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Playlist:
    """A playlist to show.

    Attributes:
        url: where displays read it; None for a document, which is sent to them.
        document: DP-1 document; with a URL, as it was read there, empty unless it was.
        origin: who made the document.
        title: title, empty unless it is known without the document.
        count: number of works, None unless it is known without the document.
        node_id: node of a library that it was built for.
        followed: media id of the node that displays are to follow, empty unless they are.
        is_personal: whether it is the owner's own, from which no policy for the works of others takes any.
        length: seconds that it lasts, None unless it is a sound or a film whose length is known.
        warning: what is said about it to whoever shows it, empty if there is nothing.
        left_out: number of works that its document lacks, as they are hidden.
    """

    url: str | None = None
    document: Document = field(default_factory=dict, repr=False)
    origin: Origin = Origin.STRANGER
    title: str = ""
    count: int | None = None
    node_id: str = ""
    followed: str = ""
    is_personal: bool = False
    length: float | None = None
    warning: str = ""
    left_out: int = 0

    def __post_init__(self) -> None:
        """Check that the items of a document are a list of objects."""
        if self.url is not None:
            return
        items = self.document.get("items", [])
        if not isinstance(items, list) or not all(isinstance(i, dict) for i in items):
            raise ValueError("the items of a playlist are a list of objects")

    @override
    def __eq__(self, other: object) -> bool:
        """Return whether displays show the same."""
        return isinstance(other, Playlist) and self._content == other._content

    @override
    def __hash__(self) -> int:
        """Return the same for those that are equal."""
        return hash(self.url)

    @property
    def _content(self) -> str | Document:
        """The URL or the document to send to a display."""
        return self.document if self.url is None else self.url

    @property
    def items(self) -> list[Document]:
        """The works of the document."""
        items = self.document.get("items")
        items = items if isinstance(items, list) else []
        return [item for item in items if isinstance(item, dict)]

    @property
    def name(self) -> str:
        """The title in plain text: of the document, or else the one without it."""
        return clean(self.document.get("title"), MAX_TITLE) or self.title

    @property
    def works(self) -> int | None:
        """The number of works, None if it is unknown."""
        return len(self.items) if self.document else self.count

    @property
    def pictures(self) -> Iterator[str]:
        """The cover, and the pictures of the works or the works themselves."""
        manifests = (item.get("inlineManifest") for item in self.items)
        cover = loaded_url(self.document.get("coverImage"))
        yield from filter(None, (cover, *map(picture_in, manifests)))
        yield from self.sources

    @property
    def sources(self) -> list[str]:
        """The URL and the sources of the works, without those of a document that was not read."""
        sources = (self.url, *(item.get("source") for item in self.items))
        return [source for source in sources if isinstance(source, str)]

    def with_options(
        self,
        *,
        item_duration: float | None = None,
        display: Mapping[str, Any] | None = None,
        limit: int | None = None,
        texts: Document | None = None,
    ) -> Self:
        """Return the document as it is cast; that of a stranger may take up to a second.

        Args:
            item_duration: seconds for every work, instead of its own.
            display: scaling, background and margin of every work, instead of its own.
            limit: maximum number of works.
            texts: fields of the playlist, instead of its own.

        Raises:
            InvalidPlaylistError: the document of a stranger cannot be shown.
        """
        document = for_display(
            self.document, item_duration=item_duration, display=display
        )
        if self.origin is Origin.STRANGER:
            check_playable(document)
        items = document.get("items") or []
        is_cut = limit is not None and limit < len(items)
        if is_cut:
            document["items"] = items[:limit]
        if is_cut or texts:
            document = unsigned(document) | dict(texts or {})
        return replace(self, url=None, document=document, origin=Origin.OURS)
