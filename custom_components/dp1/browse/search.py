"""Search in the libraries and the history of a display."""

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

from ..coordinator import DisplayCoordinator
from ..display.history import HistoryEntry
from ..errors import action_failed, component_errors, raised_as
from ..language import async_load_texts
from ..library.item import Item
from ..library.libraries import (
    async_libraries,
    async_source_list,
    library_and_node,
    told,
)
from ..library.library import Library
from ..library.node import MEDIA_PREFIX, NodeKind, parse_media_id
from ..library.search import EXACT, NAMED, Match, Query
from ..library.words import fold
from .display import HISTORY_FOLDER, history_media, is_supported
from .pages import CLASSES, ROOT, PictureUrl, node_media

# Assistants take no more.
MAX_RESULTS = 35

type SearchResult = tuple[Library, Item]


async def async_search_nodes(
    libraries: Sequence[Library],
    query: str,
    *,
    kinds: Collection[str] | None = None,
    limit: int = MAX_RESULTS,
    within: str = "",
) -> list[SearchResult]:
    """Search libraries in parallel, best results of each first; raise without any in an incomplete one."""
    lists = await _async_search(libraries, query, kinds, within)
    results = [result for result in chain.from_iterable(zip_longest(*lists)) if result]
    if not results:
        _raise_if_incomplete(libraries, query)
    return [(library, hit.node) for library, hit in results[:limit]]


async def async_hits(
    libraries: Sequence[Library], query: str
) -> list[tuple[Library, Match]]:
    """Search libraries in parallel, the best results first; raise without any in an incomplete one."""
    lists = await _async_search(libraries, query)
    results = sorted(chain.from_iterable(lists), key=lambda result: -result[1].score)
    if not any(hit.is_sure for _, hit in results):
        _raise_if_incomplete(libraries, query)
    return results


async def _async_search(
    libraries: Sequence[Library],
    query: str,
    kinds: Collection[str] | None = None,
    within: str = "",
) -> list[list[tuple[Library, Match]]]:
    """Search libraries in parallel."""

    async def search(library: Library) -> list[tuple[Library, Match]]:
        """Search one library."""
        with told(library, within):
            hits = await library.async_hits(query, kinds=kinds, within=within)
        return [(library, hit) for hit in hits]

    lists = await asyncio.gather(*map(search, libraries))
    if not libraries or within:
        return lists
    if media_id := async_source_list(libraries[0].hass).media_id(query):
        # A name of the source list tells something from others that are called so.
        entry_id, node_id = parse_media_id(media_id) or ("", "")
        for library, matches in zip(libraries, lists, strict=True):
            if library.entry_id == entry_id:
                node = await library.async_node(node_id)
                if kinds is None or node.kind in kinds:
                    others = [each for each in matches if each[1].node.id != node_id]
                    matches[:] = [(library, Match(NAMED, node)), *others]
    return lists


def _raise_if_incomplete(libraries: Sequence[Library], query: str) -> None:
    """Raise if a library is incomplete."""
    for library in libraries:
        if (problem := library.problem) is not None:
            raise action_failed(
                "found_nothing_yet",
                query=query,
                name=library.title,
                detail=str(problem),
            ) from problem


async def async_search_libraries(
    hass: HomeAssistant, query: SearchMediaQuery, text: str | None
) -> list[SearchResult]:
    """Search all libraries, or the node of a media id."""
    if text and text.rstrip("/") != ROOT:
        library, within = library_and_node(hass, text)
        libraries = [library]
    else:
        libraries, within = async_libraries(hass), ""
    words, kinds = query.search_query, kinds_of(query.media_filter_classes)
    results = await async_search_nodes(libraries, words, kinds=kinds, within=within)
    scorer = Query.of(words)
    if kinds is not None and not any(scorer.score(node.title) for _, node in results):
        # Users seldom know whether something is a series or a playlist.
        all_kinds = await async_search_nodes(libraries, words, within=within)
        exact = [scorer.score(node.title) == EXACT for _, node in all_kinds[:1]]
        if not results or any(exact):
            results = all_kinds
    return results


async def async_search_display(
    coordinator: DisplayCoordinator, query: SearchMediaQuery, picture_url: PictureUrl
) -> SearchMedia:
    """Search the media that a display can show, or a part of them, for playable ones."""
    await async_load_texts(coordinator.hass)
    text = query.media_content_id
    if text and text.rstrip("/") == ROOT:
        text = None
    is_of_history = text in (None, "", HISTORY_FOLDER)
    history = _search_history(coordinator, query) if is_of_history else []
    results: list[SearchResult] = []
    with raised_as(SearchError):
        if (
            text
            and media_source.is_media_source_id(text)
            and not text.startswith(MEDIA_PREFIX)
        ):
            with component_errors(text):
                others = await media_source.async_search_media(
                    coordinator.hass, text, query
                )
            return SearchMedia(
                result=[
                    media
                    for media in others.result
                    if media.can_play and is_supported(media)
                ]
            )
        try:
            if text != HISTORY_FOLDER:
                results = await async_search_libraries(coordinator.hass, query, text)
        except HomeAssistantError:
            if not history:
                raise
    return SearchMedia(
        result=_merged(coordinator.hass, query, results, history, picture_url)
    )


def kinds_of(classes: Iterable[MediaClass | str] | None) -> set[str] | None:
    """Return the kinds of nodes for media classes; None for all."""
    names = set(map(str, classes or ()))
    return {kind for kind, media in CLASSES.items() if media.value in names} or None


def _search_history(
    coordinator: DisplayCoordinator, query: SearchMediaQuery
) -> list[tuple[int, HistoryEntry]]:
    """Search the history of a display and return scored entries, best first."""
    kinds = kinds_of(query.media_filter_classes)
    if kinds is not None and NodeKind.PLAYLIST not in kinds:
        return []
    words = Query.of(query.search_query)
    scored = [
        (score, entry)
        for entry in coordinator.history.entries()
        if words.words and (score := words.score(entry.title or ""))
    ]
    return sorted(scored, key=lambda result: -result[0])


def _merged(
    hass: HomeAssistant,
    query: SearchMediaQuery,
    results: list[SearchResult],
    history: list[tuple[int, HistoryEntry]],
    picture_url: PictureUrl,
) -> list[BrowseMedia]:
    """Return the results of the libraries, with history entries that are not among them."""
    titles = {fold(node.title) for _, node in results}
    is_result = fold(query.search_query) in titles
    first: list[BrowseMedia] = []
    last: list[BrowseMedia] = []
    for score, entry in history:
        if fold(entry.title or "") not in titles:
            place = first if score == EXACT and not is_result else last
            place.append(history_media(hass, entry, picture_url))
    nodes = [node_media(library, node, picture_url) for library, node in results]
    return [*first, *nodes, *last][:MAX_RESULTS]
