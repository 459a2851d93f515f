"""What a sentence asks to show."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random, choice
from typing import Any, Final

from lru import LRU

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from ..browse.search import async_hits
from ..const import DOMAIN
from ..display.metadata import work_of
from ..library.item import NO_WORK, Item
from ..library.libraries import async_exhibitions, async_libraries, async_node
from ..library.library import Library
from ..library.node import WORKS, NodeKind, media_id
from ..library.search import EXACT, Match, Query
from ..library.words import BETWEEN_PARTS, fold, fold_title, telling
from ..playback.request import Art, Medium, Several
from .answers import MAX_NAMES, NotOursError, UnansweredError
from .displays import SpokenDisplay

KINDS: Final[Mapping[str, set[NodeKind]]] = {
    "artist": {NodeKind.ARTIST},
    "everything": {NodeKind.ARTIST},
    "exhibition": {NodeKind.EXHIBITION},
    "series": {NodeKind.SERIES},
    "work": {NodeKind.SERIES, *WORKS},
    "playlist": {NodeKind.PLAYLIST},
}
CHOICES: Final = "collection daily favorites group new newest other surprise"
# What "yes" would show, with the slots of the sentence, until it is forgotten, by the speaker who was asked.
type Offer = tuple[Wish, Mapping[str, Any], datetime]
OFFERS: Final[HassKey[dict[str, Offer]]] = HassKey(f"{DOMAIN}_offers")
# Media ids that language models may show, by their short ids.
RESULTS: Final[HassKey[LRU[str, str]]] = HassKey(f"{DOMAIN}_results")
MAX_RESULTS: Final = 200


type LibraryMatch = tuple[Library, Match]


@dataclass(frozen=True, slots=True)
class Wish:
    """Something to show, or several things one after the other, as it is said."""

    media_ids: tuple[str, ...]
    title: str
    artists: tuple[str, ...] = ()
    is_work: bool = False
    is_everything: bool = False
    # The answer that names what has no title of its own.
    called: str = ""

    @property
    def art(self) -> Art:
        """Return what is shown."""
        media = tuple(map(Medium, self.media_ids))
        return media[0] if len(media) == 1 else Several(media)

    @classmethod
    def of(cls, library: Library, node: Item) -> Wish:
        """Return a node of a library."""
        everything = node.kind == NodeKind.ARTIST
        return cls(
            (media_id(library.entry_id, node.id),),
            node.title,
            (node.title,) if everything else node.names,
            node.kind in KINDS["work"],
            everything,
        )


class DidYouMeanError(NotOursError):
    """Something that is called nearly like what was said, which "yes" shows."""

    def __init__(self, what: str, names: Sequence[str], request: Wish) -> None:
        """Initialize with what was said, and the nearest name."""
        super().__init__("not_found_near", what=what, names=names)
        self.request = request


async def async_choose(
    hass: HomeAssistant, slots: Mapping[str, Any], displays: list[SpokenDisplay]
) -> Wish:
    """Return the request of slots: for a name, a year or a choice; raise if there is none."""
    libraries = async_libraries(hass)
    if "media" in slots:
        requests = [Wish.of(*(await async_node(hass, it))) for it in slots["media"]]
        if len(requests) == 1:
            return requests[0]
        title = ", ".join(request.title for request in requests)
        return Wish(tuple(slots["media"]), title, is_work=True)
    try:
        if "what" in slots:
            return await _async_find(libraries, slots, displays)
        return await _async_choose(libraries, slots, displays)
    except UnansweredError:
        if any(_is_reading(library) for library in libraries):
            kind = NotOursError if "what" in slots else UnansweredError
            raise kind("still_reading") from None
        raise


async def async_is_title(libraries: Iterable[Library], said: str) -> bool:
    """Return whether something that can be shown is called so as it was said, little words aside."""
    words = telling(fold(said))
    for library in libraries:
        for score, node in await library.async_called(said):
            titles = map(telling, fold_title(node.title).split(BETWEEN_PARTS))
            if score >= EXACT and (
                words in titles or telling(fold(node.title)) == words
            ):
                return True
    return False


def _is_reading(library: Library) -> bool:
    """Return whether a library has not been read for the first time yet."""
    has_lists = library.catalog is not None or library.feed is not None
    return has_lists and library.since is None and library.problem is None


async def _async_find(
    libraries: list[Library], slots: Mapping[str, Any], displays: list[SpokenDisplay]
) -> Wish:
    """Return the request for the match that fits the words best."""
    what, kind = slots["what"], slots.get("kind", "")
    query = Query.of(what)
    sure = [
        hit
        for hit in await async_hits(libraries, what)
        if hit[1].is_sure
        and (
            hit[1].score >= EXACT
            or {"art", "kind"} & set(slots)
            or (
                # Who looks at something says the whole title, or on which display.
                ("look" not in slots or "name" in slots)
                and _is_meant(query, hit[1].node)
            )
        )
    ]
    kinds = KINDS.get(kind) or set(NodeKind)
    if meant := [hit for hit in sure if hit[1].node.kind in kinds] or sure:
        return await _async_meant(kind, meant[0], sure, displays)
    if remembered := _from_history(what, displays):
        return remembered
    near = [
        Wish.of(library, hit.node)
        for library in libraries
        for hit in await library.async_hits(what, near=True)
    ]
    names = list(dict.fromkeys(request.title for request in near))[:MAX_NAMES]
    if not names:
        raise NotOursError("not_found", what=what)
    raise DidYouMeanError(what, names, near[0])


def _is_meant(query: Query, node: Item) -> bool:
    """Return whether what was said means a node."""
    return query.means(node.title, node.artist, node.subtitle)


async def _async_meant(
    kind: str,
    meant: LibraryMatch,
    matches: list[LibraryMatch],
    displays: list[SpokenDisplay],
) -> Wish:
    """Return the request for a match; of an artist everything, a solo exhibition, or one series."""
    library, node = meant[0], meant[1].node
    if node.kind != NodeKind.ARTIST or kind == "everything":
        return Wish.of(library, node)
    for owner, hit in matches:
        solo = [*map(fold, hit.node.names)] == [fold(node.title)]
        if solo and hit.node.kind == NodeKind.EXHIBITION:
            return Wish.of(owner, hit.node)
    if kind == "artist":
        made = (await library.async_children(node.id)).nodes
        series = [part for part in made if part.can_play]
        if series:
            seen = _titles_shown(displays)
            unseen = [part for part in series if fold(part.title) not in seen]
            return Wish.of(library, choice(unseen or series))
    return Wish.of(library, node)


def _from_history(what: str, displays: list[SpokenDisplay]) -> Wish | None:
    """Return the request for a title in the history of a display."""
    for display in displays:
        coordinator = display.coordinator
        for entry in coordinator.history.entries() if coordinator else ():
            if entry.title and fold(entry.title) == fold(what):
                return Wish((entry.media_id,), entry.title)
    return None


async def _async_choose(
    libraries: list[Library], slots: Mapping[str, Any], displays: list[SpokenDisplay]
) -> Wish:
    """Return something of a year, new, newest or other, the work of the day, the favorites or the own collection."""
    how, year = slots.get("choice"), slots.get("year")
    if how == "favorites":
        for library in libraries:
            if library.favorites.nodes():
                return _own(library, NodeKind.FAVORITES)
        raise UnansweredError("no_favorites")
    if how == "collection":
        for library in libraries:
            for node in library.collections.roots():
                if node.can_play:
                    return Wish.of(library, node)
        raise UnansweredError("no_collection")
    if how == "surprise":
        for library in libraries:
            if library.has_folder(NodeKind.SURPRISE):
                return _own(library, NodeKind.SURPRISE)
    if how == "daily" and (daily := await _async_daily(libraries)):
        return daily
    exhibitions = [
        (library, node)
        for library, node in await async_exhibitions(libraries)
        if (year is None or node.year == int(year))
        and (how != "group" or len(node.artists) > 1)
    ]
    if not exhibitions and year is not None:
        raise NotOursError("not_found", what=str(int(year)))
    if not exhibitions:
        raise UnansweredError("nothing_to_choose")
    if how == "daily":
        today = Random(dt_util.now().date().toordinal())
        return Wish.of(*today.choice(exhibitions))
    if how == "newest":
        return Wish.of(*exhibitions[0])
    seen = _titles_shown(displays, ever=how == "new")
    unseen = [
        hit for hit in exhibitions if fold(hit[1].title) not in seen
    ] or exhibitions
    return Wish.of(*(unseen[0] if how == "new" else choice(unseen)))


def _own(library: Library, kind: NodeKind) -> Wish:
    """Return what a library has one of."""
    return Wish((media_id(library.entry_id, kind),), "", called=kind)


async def _async_daily(libraries: list[Library]) -> Wish | None:
    """Return the Daily of the first library that has one, with the title of today's work."""
    for library in libraries:
        if library.daily.url:
            node = await library.async_node(NodeKind.DAILY.value)
            item = library.daily.item
            work = work_of(item, library.work(item)) if item else NO_WORK
            daily = Wish.of(library, node)
            title = node.subtitle or node.title
            return replace(
                daily, title=title, artists=work.names, is_work=item is not None
            )
    return None


def _titles_shown(displays: Iterable[SpokenDisplay], *, ever: bool = False) -> set[str]:
    """Return the folded titles of what displays show, or of everything that they have shown."""
    titles: list[str] = []
    for display in displays:
        titles += [
            display.attribute(name) or ""
            for name in ("source", "media_playlist", "media_album_name")
        ]
        coordinator = display.coordinator
        if ever and coordinator is not None:
            titles += [entry.title or "" for entry in coordinator.history.entries()]
    return {fold(title) for title in titles if title}
