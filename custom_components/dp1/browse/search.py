"""Finding by words in all libraries, and in what a display was given lately."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, zip_longest

from homeassistant.components import media_source
from homeassistant.components.media_player import (
    BrowseMedia,
    MediaClass,
    SearchError,
    SearchMedia,
    SearchMediaQuery,
)
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..client.errors import Dp1Error
from ..client.text import clean
from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..display.history import HistoryEntry
from ..errors import raised_as, translated_errors
from ..library.entries import async_libraries, library_and_node, server_of
from ..library.library import Library, Node, NodeKind
from ..library.search import EXACT, Query, fold
from ..library.tree import MEDIA_PREFIX
from .pages import (
    CLASSES,
    RECENT_FOLDER,
    ROOT,
    PictureUrl,
    is_shown,
    node_media,
    recent_media,
)

# An assistant takes no more, and a person does not read as many.
MAX_RESULTS = 35

type SearchResult = tuple[Library, Node]


async def async_search_nodes(
    libraries: Sequence[Library],
    query: str,
    *,
    kinds: Collection[NodeKind] | None = None,
    limit: int = MAX_RESULTS,
    within: str | None = None,
) -> list[SearchResult]:
    """Search libraries at the same time; what fits best in each comes first.

    Raises:
        HomeAssistantError: nothing was found, and not everything could be read.
    """
    lists = await asyncio.gather(
        *(_async_search_library(it, query, kinds, limit, within) for it in libraries)
    )
    found = [it for it in chain.from_iterable(zip_longest(*lists)) if it is not None]
    if not found:
        for library in libraries:
            _raise_if_incomplete(library, query)
    return found[:limit]


async def _async_search_library(
    library: Library,
    query: str,
    kinds: Collection[NodeKind] | None,
    limit: int,
    within: str | None,
) -> list[SearchResult]:
    """Search one library."""
    where = within or ""
    with translated_errors(server_of(where), library.title, clean(where, 100)):
        nodes = await library.async_search(
            query, kinds=kinds, limit=limit, within=within
        )
    return [(library, node) for node in nodes]


def _raise_if_incomplete(library: Library, query: str) -> None:
    """Tell somebody who finds nothing that a library is not whole."""
    problem: Dp1Error | None = library.problem
    if problem is not None:
        raise HomeAssistantError(
            translation_domain=DOMAIN,
            translation_key="found_nothing_yet",
            translation_placeholders={
                "query": clean(query, 100),
                "name": library.title,
                "detail": clean(str(problem), 300),
            },
        ) from problem


async def async_search_libraries(
    hass: HomeAssistant,
    query: SearchMediaQuery,
    text: str | None,
    picture_url: PictureUrl,
) -> list[BrowseMedia]:
    """Search all libraries, or one node of one.

    Args:
        hass: Home Assistant.
        query: words and classes.
        text: media id of the node; None or the top of the tree for everything.
        picture_url: tells where Home Assistant serves a node's picture.

    Raises:
        HomeAssistantError: why nothing can be found.
    """
    if text and text.rstrip("/") != ROOT:
        library, within = library_and_node(hass, text)
        libraries = [library]
    else:
        libraries, within = async_libraries(hass), ""
    words, kinds = query.search_query, kinds_of(query.media_filter_classes)
    found = await async_search_nodes(libraries, words, kinds=kinds, within=within)
    if not found and kinds is not None:
        # People, and those who listen to them, seldom know whether a thing is a series or a playlist.
        found = await async_search_nodes(libraries, words, within=within)
    return [node_media(library, node, picture_url) for library, node in found]


async def async_search_display(
    coordinator: DisplayCoordinator, query: SearchMediaQuery, picture_url: PictureUrl
) -> SearchMedia:
    """Search all that a display can be given, or a part of it. What fits best comes first; all of it can be played.

    Raises:
        SearchError: why nothing can be found.
    """
    text = query.media_content_id
    recent = _recent(coordinator, query)
    with raised_as(SearchError):
        if text == RECENT_FOLDER:
            return SearchMedia(
                result=[recent_media(given, picture_url) for _, given in recent]
            )
        if text and media_source.is_media_source_id(text) and not _is_ours(text):
            others = await media_source.async_search_media(
                coordinator.hass, text, query
            )
            return SearchMedia(
                result=[it for it in others.result if it.can_play and is_shown(it)]
            )
        try:
            found = await async_search_libraries(
                coordinator.hass, query, text, picture_url
            )
        except HomeAssistantError:
            if text or not recent:
                raise
            found = []
    return SearchMedia(
        result=found if text else _merged(query, found, recent, picture_url)
    )


def _is_ours(text: str) -> bool:
    """Tell the ids of libraries from those of others."""
    return text == ROOT or text.startswith(MEDIA_PREFIX)


def kinds_of(classes: Iterable[MediaClass | str] | None) -> set[NodeKind] | None:
    """Tell what is meant by classes of media; None for anything, as for classes that mean nothing here."""
    wanted = {str(it) for it in classes or ()}
    return {kind for kind, each in CLASSES.items() if each.value in wanted} or None


def _recent(
    coordinator: DisplayCoordinator, query: SearchMediaQuery
) -> list[tuple[int, HistoryEntry]]:
    """Search what a display was given lately; what fits best first."""
    kinds = kinds_of(query.media_filter_classes)
    if kinds is not None and NodeKind.PLAYLIST not in kinds:
        return []
    words = Query.of(query.search_query)
    scored = [
        (words.score(given.title or ""), given)
        for given in coordinator.history.entries()
    ]
    fitting = [it for it in scored if words.words and it[0]]
    return sorted(fitting, key=lambda it: -it[0])


def _merged(
    query: SearchMediaQuery,
    found: list[BrowseMedia],
    recent: list[tuple[int, HistoryEntry]],
    picture_url: PictureUrl,
) -> list[BrowseMedia]:
    """Put what was given lately to what the libraries have, where they do not have it."""
    known = {fold(it.title) for it in found}
    new = [(score, it) for score, it in recent if fold(it.title or "") not in known]
    exact = [recent_media(it, picture_url) for score, it in new if score == EXACT]
    others = [recent_media(it, picture_url) for score, it in new if score != EXACT]
    if fold(query.search_query) in known:
        exact, others = [], exact + others
    return [*exact, *found, *others][:MAX_RESULTS]
