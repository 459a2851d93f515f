"""One playlist of several media: exhibitions, playlists, works, links and pictures side by side."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self
from uuid import uuid4

import voluptuous as vol

from homeassistant.components.media_player import ATTR_MEDIA_CONTENT_ID
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import config_validation as cv

from ..client.display.player_status import PlaylistItem
from ..client.errors import InvalidPlaylistError
from ..client.playlist.document import MAX_DOCUMENT, build, parse
from ..client.playlist.playlist import Playlist
from ..client.text import MAX_TITLE, shorten
from ..client.values import mapping
from ..const import DEFAULT_DURATION
from ..errors import action_failed, invalid_input, translated
from ..fields import list_up_to, note, title
from ..guard import ADDRESSES
from ..language import async_message
from ..library.work import Work, labeled
from .daily import async_of_today
from .media_ids import split_media_id
from .resolve import Options, async_from_media, async_read_for_display

MAX_MEDIA: Final = 100
MAX_WORKS: Final = 1024
# Each medium may read a feed or an indexer.
PARALLEL: Final = 4
# What the media picker adds.
PICKED: Final = {"media_content_type", "metadata", "entity_id"}
DETAILS: Final = {ATTR_MEDIA_CONTENT_ID, "title", "note"}

type Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Medium:
    """A medium of the list, and the title and the note that its work is to have instead of its own."""

    media_content_id: str
    title: str = ""
    note: str = ""

    @classmethod
    def of(cls, value: Any) -> Self:
        """Validate an id, an object with one, or a value of the media picker."""
        if not isinstance(value, Mapping):
            return cls(cv.string(value).strip())
        if value.keys() - DETAILS - PICKED or not value.get(ATTR_MEDIA_CONTENT_ID):
            raise vol.Invalid("an object has media_content_id, title and note")
        return cls(
            cv.string(value[ATTR_MEDIA_CONTENT_ID]).strip(),
            title(value.get("title", "")),
            note(value.get("note", "")),
        )


def _fit_together(media: list[Medium]) -> list[Medium]:
    """Raise for media that are works by themselves (``data:``) and together longer than a document."""
    if sum(len(medium.media_content_id) for medium in media) > MAX_DOCUMENT:
        raise vol.Invalid(f"the media are together longer than {MAX_DOCUMENT >> 20} MB")
    return media


MEDIA = vol.All(list_up_to(MAX_MEDIA, Medium.of, 1), _fit_together)


async def async_compose(
    hass: HomeAssistant, media: Sequence[Medium], context: Context, options: Options
) -> Playlist:
    """Return the playlist of the works of all media in their order, or raise which medium has none."""
    media_ids = [medium.media_content_id for medium in media]
    caller = await hass.data[ADDRESSES].async_caller(context, media_ids)
    options = replace(options, caller=caller)
    limit = asyncio.Semaphore(PARALLEL)

    async def items_of(number: int, medium: Medium) -> tuple[bool, list[Item]]:
        """Return whether a medium is the owner's own, and its works."""
        try:
            async with limit:
                return await _async_items(hass, medium, options)
        except HomeAssistantError as err:
            is_input = isinstance(err, ServiceValidationError)
            failed = invalid_input if is_input else action_failed
            raise failed(
                "medium_failed",
                place=str(number),
                media=medium.media_content_id,
                reason=async_message(hass, err),
            ) from err

    groups = await asyncio.gather(
        *(items_of(number, medium) for number, medium in enumerate(media, 1))
    )
    works = [labeled(item) for _, items in groups for item in items]
    works = works[: options.limit or MAX_WORKS]
    titles = dict.fromkeys(filter(None, (item.get("title") for item in works)))
    title = shorten(", ".join(titles), MAX_TITLE) or "DP-1"
    return Playlist(
        document=build(title, with_ends(with_own_ids(works))),
        is_personal=all(is_personal for is_personal, _ in groups),
    )


async def _async_items(
    hass: HomeAssistant, medium: Medium, options: Options
) -> tuple[bool, list[Item]]:
    """Return whether a medium is the owner's own, and its works with the defaults of their playlist and the texts they are to have."""
    name, _ = split_media_id(medium.media_content_id)
    own = Options(
        limit=options.limit,
        caller=options.caller,
        warnings=options.warnings,
    )
    playlist = await async_from_media(hass, "", name, own, medium.title or None)
    playlist = await async_of_today(hass, playlist, own)
    playlist = await async_read_for_display(hass, playlist, options.caller)
    if not (items := await async_works_alone(hass, playlist)):
        raise invalid_input("nothing_to_show")
    if medium.title and len(items) == 1:
        work = Work.of_item(PlaylistItem.parse(items[0]))
        item = {**items[0], "title": medium.title, "inlineManifest": None}
        items = [labeled(item, replace(work, title=medium.title))]
    if medium.note:
        items = [{**item, "note": {"text": medium.note}} for item in items]
    return playlist.is_personal, items


async def async_works_alone(hass: HomeAssistant, playlist: Playlist) -> list[Item]:
    """Return the works of a playlist with its defaults, a film for its length, or raise that it is too long."""
    shared = {"duration": playlist.length} if playlist.length else {}
    shared |= mapping(playlist.document.get("defaults"))
    of_all = mapping(shared.get("display"))
    works = []
    for item in playlist.items:
        display = {**of_all, **mapping(item.get("display"))}
        works.append({**shared, **item, **({"display": display} if display else {})})
    try:
        parsed = await hass.async_add_executor_job(parse, {"items": works})
    except InvalidPlaylistError as err:
        raise translated(err, "playlist") from err
    items: list[Item] = parsed["items"]
    return items


def with_ends(works: Sequence[Item]) -> Sequence[Item]:
    """Return works that end after a while if there are several: players may skip one that does not, or never go on."""
    several = len(works) > 1
    return [{"duration": DEFAULT_DURATION, **it} for it in works] if several else works


def with_own_ids(works: Sequence[Item], others: Sequence[Item] = ()) -> list[Item]:
    """Return works of which each id is there once, also beside others, as displays ask for."""
    seen = {item.get("id") for item in others}
    items = []
    for item in works:
        key = item.get("id")
        is_own = key is not None and key not in seen
        items.append(item if is_own else {**item, "id": str(uuid4())})
        seen.add(key)
    return items
