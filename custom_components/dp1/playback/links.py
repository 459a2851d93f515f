"""Resolve a link of a marketplace, a CAIP id or `contract:token` to the works that it names."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from homeassistant.components import persistent_notification
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.translation import async_get_exception_message

from ..client.errors import Dp1Error, NotFoundError
from ..client.indexer.client import Indexer
from ..client.indexer.links import (
    IndexedLink,
    Link,
    LinkError,
    LookupLink,
    TokenLink,
    parse_link,
)
from ..client.indexer.lookups import Markets, look_up
from ..client.indexer.tokens import Token, build_items
from ..client.playlist.document import build
from ..client.text import clean, markdown_safe
from ..const import DOMAIN
from ..errors import action_failed, invalid_input, translated
from ..library.collections.indexers import async_indexer, async_user_agent
from ..library.entries import async_libraries
from ..library.library import Library

# Every status of the display carries the whole list.
MAX_WORKS = 200
# An action ends within 30 seconds.
DEADLINE = 25.0
TITLE_LENGTH = 200
MARKETS = Markets()


def link_of(text: str) -> Link | None:
    """Return what a text names, or raise the translated reason why a link cannot be resolved."""
    try:
        return parse_link(text)
    except LinkError as err:
        raise invalid_input(err.refusal, link=clean(text, 200)) from err


async def async_document_of(
    hass: HomeAssistant, link: IndexedLink | LookupLink, text: str, limit: int | None
) -> dict[str, Any]:
    """Return the playlist of the works that a link names.

    What the indexer does not have yet is asked for once, and waited for.
    """
    library = _library(hass)
    indexer = await async_indexer(hass, library.preferences.indexer_url)
    where = clean(text, 200)
    try:
        async with asyncio.timeout(DEADLINE):
            tokens = await _async_tokens(
                hass, indexer, link, min(limit or MAX_WORKS, MAX_WORKS), where
            )
    except TimeoutError as err:
        raise action_failed("link_not_ready", link=where) from err
    except Dp1Error as err:
        raise translated(err, "indexer", where) from err
    if not tokens:
        raise translated(NotFoundError(), "indexer", where)
    if not (items := build_items(tokens, library.preferences.duration)):
        raise action_failed("link_without_media", link=where)
    return build(_title(tokens, link), items)


def _library(hass: HomeAssistant) -> Library:
    """Return the first library that has an indexer."""
    libraries = async_libraries(hass)
    if not libraries:
        raise invalid_input("no_library")
    for library in libraries:
        if library.preferences.indexer_url:
            return library
    raise invalid_input("no_indexer")


async def _async_tokens(
    hass: HomeAssistant,
    indexer: Indexer,
    link: IndexedLink | LookupLink,
    most: int,
    where: str,
) -> list[Token]:
    """Return the tokens that a link names."""
    if isinstance(link, LookupLink):
        session = async_get_clientsession(hass)
        link = await look_up(session, link, MARKETS, await async_user_agent(hass))
    if (tokens := await indexer.resolve(link, most)) or not isinstance(link, TokenLink):
        return tokens
    with _notice(hass, where):
        if not await indexer.index(link):
            return []
        return await indexer.resolve(link, most)


@contextmanager
def _notice(hass: HomeAssistant, where: str) -> Iterator[None]:
    """Show that a work is being prepared for as long as that takes."""
    notification_id = f"{DOMAIN}_link"
    message = async_get_exception_message(
        DOMAIN, "link_preparing", {"link": markdown_safe(where)}
    )
    persistent_notification.async_create(hass, message, notification_id=notification_id)
    try:
        yield
    finally:
        persistent_notification.async_dismiss(hass, notification_id)


def _title(tokens: list[Token], link: Link) -> str:
    """Return the title of the playlist: that of the work, or what the works have in common."""
    first = tokens[0].name
    if len(tokens) == 1:
        return first
    slug = getattr(link, "slug", "")
    name = first.partition("#")[0].strip() or slug.replace("-", " ").title()
    return clean(name, TITLE_LENGTH) or first
