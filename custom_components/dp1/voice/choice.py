"""What a sentence asks to show."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random, choice
from typing import Final

from homeassistant.components.homeassistant import async_should_expose
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..browse.search import async_hits
from ..library.entries import async_libraries
from ..library.library import Library, Node, NodeKind
from ..library.node import media_id
from ..library.search import Hit, fold
from .answers import NotMeantError, UnansweredError
from .displays import SpokenDisplay
from .wording import is_declined, is_in_full, is_other

KINDS: Final[Mapping[str, set[NodeKind]]] = {
    "artist": {NodeKind.ARTIST},
    "everything": {NodeKind.ARTIST},
    "exhibition": {NodeKind.EXHIBITION},
    "series": {NodeKind.SERIES},
    "work": {NodeKind.SERIES, NodeKind.ARTWORK, NodeKind.ITEM, NodeKind.OWNED},
    "playlist": {NodeKind.PLAYLIST},
}
# Kinds of nodes that somebody made.
MADE: Final = (NodeKind.SERIES, NodeKind.ARTWORK, NodeKind.ITEM, NodeKind.OWNED)
MAX_NAMES: Final = 3
DOORS: Final = ("doorbell", "front door", "front_door", "door", "entrance")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Something to show, as it is said and as it is cast."""

    media_id: str
    title: str
    artist: str | None = None
    is_work: bool = False
    is_everything: bool = False

    @classmethod
    def of(cls, library: Library, node: Node) -> Chosen:
        """Return a node of a library."""
        everything = node.kind is NodeKind.ARTIST
        return cls(
            media_id(library.entry_id, node.id),
            node.title,
            node.title if everything else node.artist,
            node.kind in MADE,
            everything,
        )


@dataclass(frozen=True, slots=True)
class Named:
    """What is named to be shown.

    ``kind`` is one of `KINDS` or ``favorite``. What is to be named in full is not found by a word of its title.
    """

    what: str
    kind: str | None = None
    in_full: bool = False
    language: str = "en"

    def fits(self, hit: Hit) -> bool:
        """Return whether a hit is what is meant."""
        sure = hit.is_sure
        if self.in_full or is_other(self.what):
            return sure and is_in_full(self.what, hit.node.title)
        return sure


async def async_find(
    hass: HomeAssistant, named: Named, displays: list[SpokenDisplay]
) -> Chosen:
    """Return what fits the words best, or raise that nothing does or that it is not to be shown."""
    try:
        found = await _async_find(hass, named, displays)
    except UnansweredError:
        if is_declined(named.what, "", named.language):
            raise UnansweredError("left") from None
        raise
    if is_declined(named.what, found.title, named.language):
        raise UnansweredError("left")
    return found


async def _async_find(
    hass: HomeAssistant, named: Named, displays: list[SpokenDisplay]
) -> Chosen:
    """Return what fits the words best, or raise that nothing does."""
    libraries, what = async_libraries(hass), named.what
    if named.kind == "favorite":
        if liked := await _async_favorite(libraries, what):
            return liked
    sure = [hit for hit in await async_hits(libraries, what) if named.fits(hit[1])]
    kinds = KINDS.get(named.kind or "") or set(NodeKind)
    if meant := [hit for hit in sure if hit[1].node.kind in kinds] or sure:
        return await _async_meant(named, meant[0], sure, displays)
    if shown := _from_history(what, displays):
        return shown
    near = [
        hit
        for library in libraries
        for hit in await library.async_hits(what, near=True)
    ]
    names = list(dict.fromkeys(hit.node.title for hit in near))[:MAX_NAMES]
    error = NotMeantError if named.in_full else UnansweredError
    if names:
        raise error("not_found_near", what=what, names=names)
    raise error("not_found", what=what)


async def _async_meant(
    named: Named,
    meant: tuple[Library, Hit],
    found: list[tuple[Library, Hit]],
    displays: list[SpokenDisplay],
) -> Chosen:
    """Return what is meant; of an artist everything, what they showed alone, or one series."""
    library, node = meant[0], meant[1].node
    if node.kind is not NodeKind.ARTIST or named.kind == "everything":
        return Chosen.of(library, node)
    for owner, hit in found:
        solo = fold(hit.node.artist or "") == fold(node.title)
        if solo and hit.node.kind is NodeKind.EXHIBITION:
            return Chosen.of(owner, hit.node)
    if named.kind == "artist":
        made = (await library.async_children(node.id)).nodes
        series = [part for part in made if part.can_play]
        seen = _titles_shown(displays, everything=False)
        unseen = [part for part in series if fold(part.title) not in seen]
        if series:
            return Chosen.of(library, choice(unseen or series))
    return Chosen.of(library, node)


async def _async_favorite(libraries: list[Library], what: str) -> Chosen | None:
    """Return the favorite that fits the words best."""
    for library in libraries:
        found = await library.async_search(what, within=NodeKind.FAVORITES.value)
        if found:
            return Chosen.of(library, found[0])
    return None


def _from_history(what: str, displays: list[SpokenDisplay]) -> Chosen | None:
    """Return what one of the displays has shown under this title."""
    for display in displays:
        coordinator = display.coordinator
        for entry in coordinator.history.entries() if coordinator else ():
            if entry.title and fold(entry.title) == fold(what):
                return Chosen(entry.media_id, entry.title)
    return None


async def async_choose(
    hass: HomeAssistant, how: str, displays: list[SpokenDisplay]
) -> Chosen:
    """Choose something new, something else, the work of the day, the favorites or the own collection."""
    libraries = async_libraries(hass)
    if how == "favorites":
        return _favorites(libraries)
    if how == "collection":
        return _collection(libraries)
    if how == "daily" and (daily := await _async_daily(libraries)):
        return daily
    found = [
        (library, node)
        for library in libraries
        for node in (await library.async_children(NodeKind.EXHIBITIONS.value)).nodes
        if node.can_play
    ]
    if not found:
        raise UnansweredError("nothing_to_choose")
    if how == "daily":
        today = Random(dt_util.now().date().toordinal())
        return Chosen.of(*today.choice(found))
    seen = _titles_shown(displays, everything=how == "new")
    unseen = [hit for hit in found if fold(hit[1].title) not in seen] or found
    if how == "new":
        return Chosen.of(*unseen[0])
    return Chosen.of(*choice(unseen))


async def _async_daily(libraries: list[Library]) -> Chosen | None:
    """Return the Daily of the first library that has one, with the title of today's work."""
    for library in libraries:
        if library.daily.url:
            node = await library.async_node(NodeKind.DAILY.value)
            item = library.daily.work
            work = library.known_work(item) if item else None
            artist = (item.artist or (work.artist if work else None)) if item else None
            title = node.subtitle or node.title
            return Chosen(
                media_id(library.entry_id, node.id), title, artist, item is not None
            )
    return None


def _favorites(libraries: list[Library]) -> Chosen:
    """Return all favorites of the first library that has some."""
    for library in libraries:
        if library.favorites.nodes():
            where = media_id(library.entry_id, NodeKind.FAVORITES.value)
            return Chosen(where, "")
    raise UnansweredError("no_favorites")


def _collection(libraries: list[Library]) -> Chosen:
    """Return the first collection that has works."""
    for library in libraries:
        for node in library.collections.roots():
            if node.can_play:
                return Chosen.of(library, node)
    raise UnansweredError("no_collection")


def _titles_shown(displays: Iterable[SpokenDisplay], *, everything: bool) -> set[str]:
    """Return the folded titles of what displays show, or of everything that they have shown."""
    titles: list[str] = []
    for display in displays:
        titles += [
            display.attribute(name) or ""
            for name in ("source", "media_playlist", "media_album_name")
        ]
        coordinator = display.coordinator
        if everything and coordinator is not None:
            titles += [entry.title or "" for entry in coordinator.history.entries()]
    return {fold(title) for title in titles if title}


def door_camera(hass: HomeAssistant, assistant: str | None) -> str:
    """Return the camera at the door: the one that is called so, or the only one."""
    cameras = [
        state
        for state in hass.states.async_all(Platform.CAMERA)
        if assistant is None or async_should_expose(hass, assistant, state.entity_id)
    ]
    for word in DOORS:
        for state in cameras:
            if word in f"{state.entity_id} {state.name}".casefold():
                return state.entity_id
    if len(cameras) != 1:
        raise UnansweredError("no_camera")
    return cameras[0].entity_id
