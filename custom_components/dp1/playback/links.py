"""Playlists of links of marketplaces, CAIP ids and `contract:token`."""

import asyncio
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..addresses import async_session
from ..client.indexer.links import IndexedLink, Link, LookupLink, TokenLink, look_up
from ..client.indexer.tokens import Token
from ..client.playlist.document import build
from ..client.playlist.playlist import Origin, Playlist
from ..errors import action_failed, invalid_input, translated_errors
from ..library.libraries import async_libraries
from ..library.providers.collection.server import (
    async_indexer,
    async_user_agent,
    items_of,
    work_of,
)

# Seconds for a link to a market; an action ends within 30 seconds.
LINK_TIMEOUT: Final = 25.0
# Every status of the display carries the whole list.
MAX_LINKED_WORKS = 200


async def async_of_link(
    hass: HomeAssistant, link: IndexedLink | LookupLink, where: str, limit: int | None
) -> Playlist:
    """Return the playlist of the works that a link names.

    What the indexer does not have yet is asked for once, and waited for.
    """
    libraries = async_libraries(hass)
    preferences = [one.preferences for one in libraries if one.preferences.indexer_url]
    if not preferences:
        raise invalid_input("no_indexer" if libraries else "no_library")
    indexer = await async_indexer(hass, preferences[0].indexer_url)
    most = min(limit or MAX_LINKED_WORKS, MAX_LINKED_WORKS)
    try:
        async with asyncio.timeout(LINK_TIMEOUT):
            if isinstance(link, LookupLink):
                link = await _async_look_up(hass, link, where)
            with translated_errors("indexer", where):
                tokens = await indexer.resolve(link, most)
                if not tokens and isinstance(link, TokenLink):
                    tokens = await indexer.index(link)
    except TimeoutError as err:
        raise action_failed("link_not_ready", link=where) from err
    if not tokens:
        raise action_failed("indexer_not_found", name=where)
    if not (items := items_of(map(work_of, tokens), preferences[0].duration)):
        raise action_failed("link_without_media", link=where)
    document = build(_title_of_tokens(tokens, link), items)
    return Playlist(document=document, origin=Origin.OURS, is_personal=True)


async def _async_look_up(
    hass: HomeAssistant, link: LookupLink, where: str
) -> IndexedLink:
    """Return the tokens of a link that only its market can resolve."""
    session, agent = async_session(hass), await async_user_agent(hass)
    try:
        with translated_errors("indexer", where):
            return await look_up(session, link, agent)
    except HomeAssistantError as err:
        is_unknown = err.translation_key == "indexer_not_found"
        key = "market_not_found" if is_unknown else "market_failed"
        raise action_failed(key, link=where) from err


def _title_of_tokens(tokens: list[Token], link: Link) -> str:
    """Return the title of the playlist: that of the work, or the name that the works have in common."""
    first = tokens[0].name
    if len(tokens) == 1:
        return first
    slug = getattr(link, "slug", "")
    name = first.partition("#")[0].strip() or slug.replace("-", " ").title()
    return name or first
