"""Action that changes a published playlist."""

from collections.abc import Mapping
import re
from typing import Any

import voluptuous as vol

from homeassistant.const import ATTR_CONFIG_ENTRY_ID
from homeassistant.core import ServiceCall, ServiceResponse
from homeassistant.helpers import config_validation as cv

from ..client.errors import InvalidPlaylistError
from ..client.playlist.document import build_item, parse
from ..client.values import mapping
from ..errors import invalid_input, translated
from ..library.entries import async_feed
from .feed import async_check_user, async_note_published, check_sources, feed_errors

SERVICE_UPDATE_PLAYLIST = "update_playlist"
CHANGES = ("title", "summary", "add", "remove", "order")
WORKS = vol.All(cv.ensure_list, [vol.Any(cv.positive_int, cv.string)])
UPDATE_SCHEMA = vol.Schema(
    {
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        vol.Required("playlist_id"): cv.string,
        vol.Optional("title"): cv.string,
        vol.Optional("summary"): cv.string,
        vol.Optional("add"): vol.All(cv.ensure_list, [vol.Any(dict, cv.string)]),
        vol.Optional("remove"): WORKS,
        vol.Optional("order"): WORKS,
    }
)

type Document = dict[str, Any]


async def async_update_playlist(call: ServiceCall) -> ServiceResponse:
    """Change a playlist in the feed of a library."""
    entry, feed = async_feed(call.hass, call.data.get(ATTR_CONFIG_ENTRY_ID))
    await async_check_user(call, entry)
    if not any(name in call.data for name in CHANGES):
        raise invalid_input("nothing_to_change", fields=", ".join(CHANGES))
    library = entry.runtime_data
    added = [_item(given) for given in call.data.get("add", ())]

    def change(document: Document) -> Document:
        """Make the changes of the call."""
        changed = _changed(document, call.data, added)
        check_sources(changed)
        return changed

    with feed_errors(call.hass, entry, feed, writing=True):
        published = await feed.update(
            call.data["playlist_id"],
            change,
            key=library.key,
            curator=library.preferences.curator,
        )
    response = await async_note_published(library, published)
    return response if call.return_response else None


def _item(given: str | Mapping[str, Any]) -> Document:
    """Return the work to add."""
    if isinstance(given, str):
        return build_item(given)
    try:
        return parse(given)
    except InvalidPlaylistError as err:
        raise translated(err, "playlist") from err


def _changed(
    document: Document, data: Mapping[str, Any], added: list[Document]
) -> Document:
    """Return a document with the changes of a call; numbers of works are those before it."""
    changed = {**document, **{name: data[name] for name in ("title",) if name in data}}
    if "summary" in data:
        changed.pop("summary", None)
        if data["summary"]:
            changed["summary"] = data["summary"]
    items = document.get("items")
    items = items if isinstance(items, list) else []
    first = [_place(items, work) for work in data.get("order", ())]
    gone = {_place(items, work) for work in data.get("remove", ())}
    places = dict.fromkeys((*first, *range(len(items))))
    kept = [items[place] for place in places if place not in gone]
    return {**changed, "items": kept + added}


def _place(items: list[Any], work: int | str) -> int:
    """Return the place of a work by its id or its number, which starts from 1."""
    ids = [mapping(item).get("id") for item in items]
    if work in ids:
        return ids.index(work)
    number = int(work) if re.fullmatch("[0-9]{1,9}", str(work)) else 0
    if not 1 <= number <= len(items):
        raise invalid_input("work_not_in_playlist", work=str(work))
    return number - 1
