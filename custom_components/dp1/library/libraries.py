"""All libraries together: find things by name, build the source list."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from typing import Any, Final

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
    ConfigEntryState,
)
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.dispatcher import (
    async_dispatcher_connect,
    async_dispatcher_send,
)
from homeassistant.helpers.event import async_call_later
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.signal_type import SignalType

from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import Dp1Error, NotFoundError
from ..client.feed.client import Feed
from ..client.playlist.document import is_signed
from ..client.playlist.playlist import Document, Playlist
from ..client.text import shorten
from ..const import CONF_CATALOG_URL, CONF_FEED_URL, CONF_KIND, DOMAIN, EntryKind
from ..errors import action_failed, invalid_input, translated, translated_errors
from ..grants import GRANTS
from ..hosts import HOSTS
from .folder import FOLDER_PREFIX, Order
from .index import place_of
from .item import Item, labeled
from .library import Library, LibraryConfigEntry, error_prefix_of
from .node import NodeKind, media_id as make_media_id, node_id, parse_media_id
from .providers.album import async_folder_playlist
from .source_list import SourceList
from .words import fold

# The Daily of whichever library has one.
DAILY_MEDIA_ID = f"{DOMAIN}://daily"
# What is of whichever library has one.
OWN_MEDIA_IDS: Final = {
    f"{DOMAIN}://{kind}": kind
    for kind in (NodeKind.FAVORITES, NodeKind.HIDDEN, NodeKind.SURPRISE)
}
SERVERS: Final = {"catalog": CONF_CATALOG_URL, "feed": CONF_FEED_URL}
# Of a document.
MAX_LABELED: Final = 100
# Many changes are one for displays.
UPDATE_SECONDS = 0.1
CHANGED: Final[SignalType[()]] = SignalType(f"{DOMAIN}_libraries_changed")
# The source list of the displays, until a library changes.
SOURCES: Final[HassKey[SourceList[Library]]] = HassKey(f"{DOMAIN}_sources")
# Cancels the call that tells displays of a change.
TELLING: Final[HassKey[CALLBACK_TYPE]] = HassKey(f"{DOMAIN}_telling")

type LibraryNode = tuple[Library, Item]


@callback
def async_libraries(hass: HomeAssistant) -> list[Library]:
    """Return the loaded libraries, the oldest first."""
    return [
        entry.runtime_data
        for entry in _entries(hass)
        if entry.state is ConfigEntryState.LOADED
    ]


@callback
def async_labeled(hass: HomeAssistant, document: Document) -> Document:
    """Return a document with labels of the works whose artist a library knows, unless the author has written one or signed it."""
    if is_signed(document):
        return document
    libraries, items = async_libraries(hass), [*(document.get("items") or ())]
    for index, sent in enumerate(items[:MAX_LABELED]):
        item = PlaylistItem.parse(sent)
        works = (library.work(item) for library in libraries)
        if work := next((it for it in works if it and it.artists), None):
            items[index] = labeled(sent, Item.of_item(item).completed_by(work))
    return {**document, "items": items} if items else document


def _entries(hass: HomeAssistant) -> list[LibraryConfigEntry]:
    """Return the entries of libraries which are not disabled."""
    entries = hass.config_entries.async_entries(DOMAIN, False, False)
    return [entry for entry in entries if entry.data[CONF_KIND] == EntryKind.LIBRARY]


@callback
def async_feed(hass: HomeAssistant, entry_id: str | None) -> tuple[Library, Feed]:
    """Return a library and its feed, or the only one without an id."""
    library = _loaded(_only(hass) if entry_id is None else _entry(hass, entry_id))
    if library.feed is None:
        raise invalid_input("no_feed", name=library.title)
    return library, library.feed


def _only(hass: HomeAssistant) -> LibraryConfigEntry:
    """Return the only library, or the only one with a feed."""
    entries = _entries(hass)
    if not entries:
        raise invalid_input("no_library")
    entries = [entry for entry in entries if entry.data.get(CONF_FEED_URL)] or entries
    if len(entries) > 1:
        names = ", ".join(f"{entry.title} ({entry.entry_id})" for entry in entries)
        raise invalid_input("several_libraries", names=names)
    return entries[0]


def _entry(hass: HomeAssistant, entry_id: str) -> LibraryConfigEntry:
    """Return the entry of a library by its id."""
    entry = hass.config_entries.async_get_entry(entry_id)
    if (
        entry is None
        or entry.domain != DOMAIN
        or entry.data.get(CONF_KIND) != EntryKind.LIBRARY
    ):
        raise invalid_input("not_a_library", entry_id=entry_id)
    return entry


def _loaded(entry: LibraryConfigEntry) -> Library:
    """Return a loaded library."""
    if entry.state is not ConfigEntryState.LOADED:
        raise action_failed("library_not_loaded", name=entry.title)
    return entry.runtime_data


@callback
def async_at_feed(hass: HomeAssistant, ref: str) -> str | None:
    """Return the media id of a channel of a feed by its id or address, or of a playlist by its address there; None for anything else."""
    for library in async_libraries(hass):
        if library.feed and (node := library.feed_server.node_at(ref)):
            return make_media_id(library.entry_id, node)
    return None


async def async_playlist(hass: HomeAssistant, ref: str) -> Playlist:
    """Return a playlist by id or slug from the first feed that has it, else by a name that is shown."""
    problem: HomeAssistantError | None = None
    for library in async_libraries(hass):
        if (feed := library.feed) is None:
            continue
        try:
            return await feed.playlist(ref)
        except NotFoundError as err:
            problem = problem or translated(err, "feed", library.title, ref)
        except Dp1Error as err:
            problem = translated(err, "feed", library.title, feed.url)
    if media_id := async_media_id(hass, ref):
        return await async_build_playlist(hass, {"media_content_id": media_id})
    raise problem or invalid_input("no_library")


async def async_build_playlist(
    hass: HomeAssistant, what: Mapping[str, Any], limit: int | None = None
) -> Playlist:
    """Build the playlist of an `exhibition`, a `series` or a `media_content_id`."""
    (field, text), *_ = what.items()
    if text.startswith(FOLDER_PREFIX):
        with translated_errors("catalog", text, text):
            return await async_folder_playlist(hass, text, limit)
    if field == "media_content_id":
        library, node = library_and_node(hass, text)
    else:
        library, node = await _async_find(hass, field, text)
    with told(library, node, text):
        return await library.async_build_playlist(node, limit=limit)


@callback
def daily_url(hass: HomeAssistant, media_id: str) -> str | None:
    """Return the URL of the Daily if a media id is that of one: of a library, or of the first that has one."""
    if media_id == DAILY_MEDIA_ID:
        dailies = [library.daily for library in async_libraries(hass)]
    elif (ids := parse_media_id(media_id)) and ids[1] == NodeKind.DAILY:
        dailies = [library_and_node(hass, media_id)[0].daily]
    else:
        return None
    if url := next((daily.url for daily in dailies if daily.url), None):
        return url
    raise invalid_input("no_daily")


@callback
def own_media_id(hass: HomeAssistant, media_id: str) -> str:
    """Return the media id of the favorites, the hidden works or the surprise of the first library that has any, else of the first."""
    libraries = async_libraries(hass)
    if not libraries:
        raise invalid_input("no_library")
    kind = OWN_MEDIA_IDS[media_id]
    has = (each for each in libraries if each.has_folder(kind))
    library = next(has, libraries[0])
    return make_media_id(library.entry.entry_id, kind)


def error_subject(library: Library, node: str) -> tuple[str, str]:
    """Return the prefix of errors about a node, and the title of its library or collection."""
    server = error_prefix_of(node)
    if server == "indexer":
        _, _, keys = node.partition("+")[0].partition("/")
        if collection := library.collections.by_id.get(keys.partition("/")[0]):
            return server, collection.title
    return server, library.title


def told(library: Library, node: str, where: str = "") -> AbstractContextManager[None]:
    """Raise why a node of a library could not be read in words: nobody else sees an error of the client."""
    return translated_errors(*error_subject(library, node), where or node)


async def async_node_on(
    hass: HomeAssistant, player: PlayerStatus, shown: Item | None
) -> tuple[Library, str] | None:
    """Return the node of the work that a player shows, preferably a favorite; None if no library has it."""
    libraries = async_libraries(hass)
    for library in libraries:
        if favorite := library.favorite_of(player, shown):
            return library, favorite
    if (item := player.current) is None:
        return None
    for library in libraries:
        with suppress(Dp1Error):
            work = await library.async_work(item)
            if work is not None and work.id:
                return library, work.id
    for library in libraries:
        if library.feed and player.playlist_id and item.id:
            text = node_id(NodeKind.ITEM, player.playlist_id, item.id)
            with suppress(Dp1Error):
                work = await library.async_node(text)
                url = hass.data[HOSTS].public_url(item.source or "")
                if place_of(work.source) == place_of(url):
                    return library, text
    return None


@callback
def is_shuffled(hass: HomeAssistant, url: str | None) -> bool:
    """Return whether a list that is lent is an album without an order, which goes on where it was."""
    media_id = hass.data[GRANTS].media_id_of(url or "") or ""
    return any(
        media_id == make_media_id(library.entry_id, node_id(NodeKind.ALBUM, album.key))
        for library in async_libraries(hass)
        for album in library.albums.albums
        if album.order is Order.SHUFFLED
    )


@callback
def library_of(hass: HomeAssistant, entry_id: str) -> Library:
    """Return the library with an entry id."""
    return _loaded(_entry(hass, entry_id))


@callback
def library_and_node(hass: HomeAssistant, media_id: str) -> tuple[Library, str]:
    """Return the library and the node id of a media id."""
    ids = parse_media_id(media_id)
    if ids is None:
        raise invalid_input("not_of_a_library", media_id=media_id)
    entry_id, node = ids
    if hass.config_entries.async_get_entry(entry_id) is None:
        return _loaded(_successor(hass, node)), node
    return library_of(hass, entry_id), node


async def async_exhibitions(libraries: Iterable[Library]) -> list[LibraryNode]:
    """Return the exhibitions that can be shown, the newest of all libraries first; of two libraries with one catalog each once."""
    found: dict[str, LibraryNode] = {}
    for library in libraries:
        with suppress(Dp1Error):
            for node in await library.async_inside(NodeKind.EXHIBITIONS):
                if node.can_play:
                    found.setdefault(node.id, (library, node))
    never = datetime.min.replace(tzinfo=UTC)
    opened = [*found.values()]
    opened.sort(key=lambda each: each[1].opens_at or never, reverse=True)
    return opened


async def async_node(hass: HomeAssistant, media_id: str) -> tuple[Library, Item]:
    """Return the library and the node of a media id, or raise why it could not be read."""
    library, node = library_and_node(hass, media_id)
    with told(library, node):
        return library, await library.async_node(node)


def _successor(hass: HomeAssistant, node: str) -> LibraryConfigEntry:
    """Return the library that takes the place of a removed one: the only one that has such a server."""
    of_all = ("", *OWN_MEDIA_IDS.values(), NodeKind.DAILY)
    prefix = error_prefix_of(node)
    is_of_any = node in of_all or prefix == "museum"
    entries = [
        entry
        for entry in _entries(hass)
        if is_of_any or entry.data.get(SERVERS.get(prefix, ""))
    ]
    if len(entries) == 1:
        return entries[0]
    raise invalid_input("library_removed", media_id=node)


# Names in actions


async def _async_find(hass: HomeAssistant, kind: str, text: str) -> tuple[Library, str]:
    """Return something by its name in any library; an exact match comes first."""
    libraries = async_libraries(hass)
    first: tuple[Library, str] | None = None
    problem: HomeAssistantError | None = None
    for library in libraries:
        try:
            node = await library.async_find(kind, text)
            if fold(node.title) == fold(text):
                return library, node.id
            first = first or (library, node.id)
        except NotFoundError:
            continue
        except Dp1Error as err:
            problem = translated(err, "catalog", library.title, text)
    if first is not None:
        return first
    if media_id := async_media_id(hass, text):
        return library_and_node(hass, media_id)
    if problem is not None:
        raise problem
    if not libraries:
        raise invalid_input("no_library")
    nearest = await _async_nearest(libraries, kind, text)
    key = "not_found_nearest" if nearest else "not_found"
    raise invalid_input(f"{kind}_{key}", name=text, nearest=nearest)


@callback
def async_media_id(hass: HomeAssistant, text: str) -> str | None:
    """Return the media id of a name of the source list, which tells it from others that are called so, else of a title of a playlist or the id of one that was built."""
    if media_id := async_source_list(hass).media_id(text):
        return media_id
    for library in async_libraries(hass):
        if node := library.playlist_node(text):
            return make_media_id(library.entry_id, node)
    return None


async def _async_nearest(libraries: list[Library], kind: str, text: str) -> str:
    """Return the titles that come nearest to a name that nothing has, as text."""
    titles: list[str] = []
    for library in libraries:
        with suppress(Dp1Error):
            titles += await library.async_nearest(kind, text)
    return ", ".join(f'"{shorten(title, 100)}"' for title in titles)


@callback
def async_add_libraries_listener(
    hass: HomeAssistant, action: CALLBACK_TYPE
) -> CALLBACK_TYPE:
    """Listen for libraries which are loaded, unloaded or updated."""
    return async_dispatcher_connect(hass, CHANGED, action)


@callback
def async_tell_changed(hass: HomeAssistant) -> None:
    """Tell displays and entities soon that a library has changed, once of all that change together."""
    hass.data.pop(SOURCES, None)
    if TELLING in hass.data:
        return

    @callback
    def tell(_now: datetime) -> None:
        """Tell them."""
        del hass.data[TELLING]
        async_dispatcher_send(hass, CHANGED)

    hass.data[TELLING] = async_call_later(
        hass, UPDATE_SECONDS, HassJob(tell, cancel_on_shutdown=True)
    )


@callback
def async_reload_on_collections(
    hass: HomeAssistant, entry: ConfigEntry[Any]
) -> CALLBACK_TYPE:
    """Reload a library when a collection is added, changed or removed.

    An update listener would do so for every option, whose flow reloads by itself.
    """

    def collections() -> list[Any]:
        """Return the data of all subentries."""
        return [subentry.as_dict() for subentry in entry.subentries.values()]

    before = collections()

    @callback
    def reload(change: ConfigEntryChange, changed: ConfigEntry) -> None:
        """Reload if this entry has other collections."""
        if changed is entry and collections() != before:
            hass.config_entries.async_schedule_reload(entry.entry_id)

    return async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, reload)


# The source list


@callback
def async_source_list(hass: HomeAssistant) -> SourceList[Library]:
    """Return the sources of all libraries, the same for all displays."""
    if SOURCES not in hass.data:
        hass.data[SOURCES] = SourceList(async_libraries(hass))
    return hass.data[SOURCES]
