"""One playlist of several media: exhibitions, playlists, works, links and pictures side by side."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import uuid4

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from ..client.display.player_status import PlaylistItem
from ..client.playlist.document import build, parse
from ..client.playlist.playlist import Playlist
from ..client.text import MAX_TITLE, shorten
from ..client.values import mapping
from ..const import DEFAULT_DURATION
from ..errors import action_failed, invalid_input, translated_errors
from ..language import async_message
from ..library.item import Item, labeled
from .daily import async_of_today
from .request import Look, Medium, Request, Several, medium_of
from .resolve import async_apply, async_find, async_read_for_display, async_resolve

MAX_WORKS: Final = 1024
# Each medium may read a feed or an indexer.
PARALLEL: Final = 4

type Json = dict[str, Any]


async def async_playlist_of(hass: HomeAssistant, request: Request) -> Playlist:
    """Return the playlist of a request as it looks, also of several media."""
    if isinstance(request.art, Several):
        composed = await _async_compose(hass, request.art.media, request)
        return await async_apply(hass, composed, request)
    return await async_resolve(hass, request)


async def async_found(hass: HomeAssistant, request: Request) -> Playlist:
    """Return the playlist of a request as it is, also of several media."""
    if isinstance(request.art, Several):
        return await _async_compose(hass, request.art.media, request)
    return await async_find(hass, request)


async def _async_compose(
    hass: HomeAssistant, media: Sequence[Medium], request: Request
) -> Playlist:
    """Return the playlist of the works of all media in their order, or raise which medium has none."""
    limit = asyncio.Semaphore(PARALLEL)

    async def items_of(number: int, medium: Medium) -> tuple[Playlist, list[Json]]:
        """Return the playlist of a medium, and its works."""
        try:
            async with limit:
                return await _async_items(hass, medium, request)
        except HomeAssistantError as err:
            is_input = isinstance(err, ServiceValidationError)
            failed = invalid_input if is_input else action_failed
            raise failed(
                "medium_failed",
                place=str(number),
                media=medium.media_id,
                reason=async_message(hass, err),
            ) from err

    groups = await asyncio.gather(
        *(items_of(number, medium) for number, medium in enumerate(media, 1))
    )
    works = [labeled(item) for _, items in groups for item in items]
    works = works[: request.look.limit or MAX_WORKS]
    titles = dict.fromkeys(filter(None, (item.get("title") for item in works)))
    title = shorten(", ".join(titles), MAX_TITLE) or "DP-1"
    return Playlist(
        document=build(title, with_ends(with_own_ids(works))),
        is_personal=all(playlist.is_personal for playlist, _ in groups),
        warning=next((it.warning for it, _ in groups if it.warning), ""),
    )


async def _async_items(
    hass: HomeAssistant, medium: Medium, request: Request
) -> tuple[Playlist, list[Json]]:
    """Return the playlist of a medium, and its works with the defaults of the playlist and the texts they are to have."""
    art, _ = medium_of(medium.media_id, title=medium.title)
    look = Look(limit=request.look.limit)
    own = Request(art=art, look=look, caller=request.caller)
    found = await async_resolve(hass, own)
    playlist = await async_of_today(hass, found, own)
    playlist = await async_read_for_display(hass, playlist, request.caller)
    if not (items := await async_works_alone(hass, playlist)):
        raise invalid_input("nothing_to_show")
    if medium.title and len(items) == 1:
        work = Item.of_item(PlaylistItem.parse(items[0]))
        item = {**items[0], "title": medium.title, "inlineManifest": None}
        items = [labeled(item, replace(work, title=medium.title))]
    if medium.note:
        items = [{**item, "note": {"text": medium.note}} for item in items]
    return found, items


async def async_works_alone(hass: HomeAssistant, playlist: Playlist) -> list[Json]:
    """Return the works of a playlist with its defaults, a film for its length, or raise that it is too long."""
    shared = {"duration": playlist.length} if playlist.length else {}
    shared |= mapping(playlist.document.get("defaults"))
    of_all = mapping(shared.get("display"))
    works = []
    for item in playlist.items:
        display = {**of_all, **mapping(item.get("display"))}
        works.append({**shared, **item, **({"display": display} if display else {})})
    with translated_errors("playlist"):
        parsed = await hass.async_add_executor_job(parse, {"items": works})
    items: list[Json] = parsed["items"]
    return items


def with_ends(works: Sequence[Json]) -> Sequence[Json]:
    """Return works that end after a while if there are several: players may skip one that does not, or never go on."""
    several = len(works) > 1
    return [{"duration": DEFAULT_DURATION, **it} for it in works] if several else works


def with_own_ids(works: Sequence[Json], others: Sequence[Json] = ()) -> list[Json]:
    """Return works of which each id is there once, also beside others, as displays ask for."""
    seen = {item.get("id") for item in others}
    items = []
    for item in works:
        key = item.get("id")
        is_own = key is not None and key not in seen
        items.append(item if is_own else {**item, "id": str(uuid4())})
        seen.add(key)
    return items
