"""Actions on the feed of a library: publish, get, validate, change and delete a playlist."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, cast

import voluptuous as vol

from homeassistant.components import persistent_notification
from homeassistant.const import ATTR_CONFIG_ENTRY_ID, CONF_API_KEY
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv
from homeassistant.util.json import JsonValueType

from ..addresses import ADDRESSES
from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.errors import Fault
from ..client.feed.client import Feed
from ..client.feed.connection import Family
from ..client.feed.drafts import IDENTITY, NEWER_ITEM_FIELDS
from ..client.feed.writer import Published
from ..client.hosts import has_ended, moved_url, work_url
from ..client.playlist.document import faults_in, is_signed, parse, renewed
from ..client.playlist.schema import MAX_FAULTS, RATINGS, known_fields
from ..client.playlist.signing import SigningKey, Verification, verify
from ..client.text import markdown_safe, shorten
from ..client.values import mapping
from ..const import CONF_FEED_KEYS, CONF_PUBLISH_FOR_ALL, DOMAIN, LICENSE
from ..coordinator import DisplayCoordinator
from ..errors import action_failed, invalid_input, invalid_playlist, translated_errors
from ..fields import find_work, list_up_to, name, note, work
from ..grants import public_hosts
from ..hosts import HOSTS, Hosts
from ..language import async_message, async_text
from ..library.libraries import async_feed, async_libraries
from ..library.library import Library
from ..permissions import NotAllowedError, async_is_admin
from ..playback.address import async_read_playlist
from ..playback.cast import async_player_of
from ..playback.compose import MAX_WORKS, async_found
from ..playback.request import ART, Medium, Request, Several, art_of
from ..playback.resolve import async_read, is_elsewhere
from ..playback.show import async_for_caller
from ..playback.wall import async_lasting
from .publishable import private_faults
from .targets import TARGET, async_targets, exactly_one_of, only

WORDS = ("title", "summary", "slug")
# As DP-1 has it; feeds give up to 4,096 letters.
MAX_SUMMARY = 2000
# Field by which the owner confirms that pages and texts name addresses at home.
CONFIRMED = "allow_home_addresses"
type Document = dict[str, Any]
type Judge = Callable[[Mapping[str, Any]], list[Fault]]

PUBLISH_FIELDS = (*(name for name in ART if name != "playlist_id"), TARGET)
# Texts of what is wrong with signatures.
SIGNATURE = "config_panel.signature"
READ_FIELDS = ("playlist_id", "playlist_url")

PUBLISH_SCHEMA = vol.Schema(
    {
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        **{vol.Optional(field): ART[field] for field in PUBLISH_FIELDS if field in ART},
        **cv.ENTITY_SERVICE_FIELDS,
        **{vol.Optional(word): name for word in WORDS},
        vol.Optional("note"): note,
        vol.Optional("sign"): cv.boolean,
        vol.Optional("only_public"): cv.boolean,
        vol.Optional(CONFIRMED): cv.boolean,
    }
)
GET_SCHEMA = vol.Schema(
    {
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        **{vol.Optional(field): name for field in READ_FIELDS},
    }
)
VALIDATE_SCHEMA = vol.Schema({vol.Required("playlist"): object})
DELETE_SCHEMA = vol.Schema(
    {
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        vol.Required("playlist_id"): name,
    }
)


async def async_publish_playlist(call: ServiceCall) -> ServiceResponse:
    """Publish a playlist to the feed of a library."""
    library, feed = await _async_own_feed(call)
    what = exactly_one_of(call, PUBLISH_FIELDS)
    has_key = bool(library.entry.data.get(CONF_API_KEY))
    sign = call.data.get("sign")
    judge, hosts = _judge_of(call), call.hass.data[HOSTS]
    document = await call.hass.async_add_executor_job(
        _findable, hosts, await _async_document(call, what)
    )
    if "playlist" not in what:
        only_public = call.data.get("only_public", False)
        document = await call.hass.async_add_executor_job(
            _shared, judge, document, only_public
        )
    family = None
    if sign is not None:
        with _feed_errors(library, feed):
            family = await feed.family()
    key: SigningKey | None = library.key
    if family and not sign and (family is Family.SIGNED or not has_key):
        _check_signed(call, library, family, document)
        key = None
    else:
        if "playlist" not in what:
            # A published copy gets its own.
            document = {k: v for k, v in document.items() if k not in IDENTITY}
        document = _completed(call, library, document)
    summary, is_cut = document.get("summary"), False
    if "playlist" not in what and isinstance(summary, str) and key is not None:
        # What a feed gives may be longer than what it takes.
        document["summary"] = shorten(summary, MAX_SUMMARY)
        is_cut = len(summary) > MAX_SUMMARY
    await call.hass.async_add_executor_job(_check_public, judge, document)
    if sign is not False and (sign or not has_key):
        library.async_remember_signed()
    await library.async_confirm_key()
    with _feed_errors(library, feed, writing=True):
        published = await feed.publish(
            document,
            key=key,
            curator=library.preferences.curator,
            prefer_api_key=not sign,
        )
    if is_cut:
        published = replace(published, changed=(*published.changed, "summary"))
    response = await _async_note_published(library, published, is_cut)
    return _answer(call, library, response)


def _answer(
    call: ServiceCall, library: Library, response: dict[str, Any]
) -> ServiceResponse:
    """Return the response of an action that publishes; a warning that nobody would read there becomes a notification."""
    if call.return_response:
        return response
    if warning := response.get("warning"):
        persistent_notification.async_create(
            call.hass,
            markdown_safe(warning),
            notification_id=f"{DOMAIN}_left_out_{library.entry_id}",
        )
    return None


async def _async_own_feed(call: ServiceCall) -> tuple[Library, Feed]:
    """Return the library that a call names and its feed, or raise unless the user may write there in the owner's name."""
    library, feed = async_feed(call.hass, call.data.get(ATTR_CONFIG_ENTRY_ID))
    is_admin = await async_is_admin(call.hass, call.context)
    if not (is_admin or library.entry.options.get(CONF_PUBLISH_FOR_ALL)):
        raise NotAllowedError(call.context, "publish_not_allowed", name=library.title)
    return library, feed


# What is needed where there is neither a signature nor an API key.
NEEDED = {
    Family.SIGNED: "feed_needs_signature",
    Family.TS: "feed_read_only",
    Family.V2: "feed_needs_key_or_signature",
}


def _check_signed(
    call: ServiceCall, library: Library, family: Family, document: Mapping[str, Any]
) -> None:
    """Raise unless a playlist can be published with the signatures it has."""
    if not document.get("signatures"):
        raise invalid_input(NEEDED[family], name=library.title)
    if words := [word for word in WORDS if word in call.data]:
        raise invalid_input("signed_as_it_is", given=", ".join(words))


def _shared(judge: Judge, document: Document, only_public: bool) -> Document:
    """Return a playlist without the works that nobody else can load, or raise how many these are unless they may be left out."""
    items = [mapping(item) for item in document.get("items") or ()]
    shared = [item for item in items if not judge({"items": [item]})]
    at_home = len(items) - len(shared)
    if at_home and (not only_public or not shared):
        raise invalid_input("works_at_home", count=str(at_home), works=str(len(items)))
    return {**document, "items": shared} if at_home else document


def _findable(hosts: Hosts, document: Document) -> Document:
    """Return a document with what it names where everybody finds it now; one that is signed stays as it is."""
    if is_signed(document):
        return document
    return renewed(document, lambda url: moved_url(hosts.public_url(url)))


def _check_public(judge: Judge, document: Mapping[str, Any]) -> None:
    """Raise if a text of a document must not be published."""
    if faults := judge(document):
        raise invalid_playlist(faults)


def _judge_of(call: ServiceCall) -> Judge:
    """Return a function that finds what a call must not publish."""
    return partial(
        private_faults,
        own_hosts=public_hosts(call.hass),
        may_name_home=call.data.get(CONFIRMED, False),
    )


def _completed(
    call: ServiceCall, library: Library, document: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the document with the call's fields and the library's defaults."""
    result = {
        **document,
        **{word: call.data[word] for word in WORDS if word in call.data},
    }
    if "note" in call.data:
        result["note"] = {"text": call.data["note"]}
    preferences = library.preferences
    own = document.get("defaults") or {}
    if isinstance(own, dict):
        defaults = {
            "duration": preferences.duration,
            "license": LICENSE,
            **{name: value for name, value in own.items() if value is not None},
        }
        display = defaults.get("display") or {}
        if preferences.display and isinstance(display, dict):
            defaults["display"] = {**preferences.display, **display}
        result["defaults"] = defaults
    if preferences.curator and not document.get("curators"):
        curator = {"name": preferences.curator, "key": library.key.did}
        result["curators"] = [curator]
    return result


async def _async_document(call: ServiceCall, what: Mapping[str, Any]) -> dict[str, Any]:
    """Return the playlist to publish, as it is."""
    if TARGET in what:
        target = only(await async_targets(call))
        return await _async_document_on(call.hass, await target.async_coordinator())
    art, _ = art_of(what)
    request = await async_for_caller(call.hass, Request(art=art, context=call.context))
    found = await async_found(call.hass, request)
    return (await async_read(call.hass, found, request.caller)).document


async def _async_document_on(
    hass: HomeAssistant, coordinator: DisplayCoordinator
) -> dict[str, Any]:
    """Return the playlist that a display reports, or that was cast to it; what is shown for a time is nobody else's."""
    if coordinator.wall.is_announcing:
        lasting = await async_lasting(coordinator)
        player: PlayerStatus | None = await async_player_of(hass, lasting)
    elif coordinator.assumed is not None:
        playlist = await async_read(hass, coordinator.assumed.asked)
        return playlist.document
    else:
        # What is pushed has the works, and not always the playlist.
        player = await coordinator.async_read_player()
    document = (player.playlist if player else None) or {}
    if isinstance(items := document.get("items"), list) and items:
        document = {
            **document,
            "items": [_as_cast(item) for item in items],
        }
        # What else it reports is nothing to sign.
        return await hass.async_add_executor_job(known_fields, document)
    raise action_failed("shows_no_playlist", name=coordinator.name)


def _as_cast(item: Any) -> Any:
    """Return an item without the duration that displays add where there is none."""
    if isinstance(item, dict) and PlaylistItem.parse(item).duration is None:
        return {name: value for name, value in item.items() if name != "duration"}
    return item


async def _async_note_published(
    library: Library, published: Published, is_cut: bool = False
) -> dict[str, Any]:
    """Show the published playlist in the library, remember the keys that signed it, and return the response."""
    await library.async_published(published.document)
    if published.signed_by == library.key.did:
        library.async_remember_signed()
    kids = [v.kid for v in published.verified if v.valid and v.role == "feed"]
    if len(kids) == 1 and not library.feed_keys:
        options = {**library.entry.options, CONF_FEED_KEYS: kids}
        library.hass.config_entries.async_update_entry(library.entry, options=options)
    lists = {"changed": published.changed, "left_out": published.left_out}
    return {
        "id": published.id,
        "slug": published.slug,
        "url": published.url,
        "status": published.status,
        "signed_by": published.signed_by,
        "verified": [
            _verdict_of(library.hass, result, library.feed_keys)
            for result in published.verified
        ],
        **{name: list(paths) for name, paths in lists.items() if paths},
        **({"warning": it} if (it := _lacking(library, published, is_cut)) else {}),
    }


async def async_get_playlist(call: ServiceCall) -> ServiceResponse:
    """Read a playlist from a feed or a URL, and verify its signatures."""
    feed_keys: tuple[str, ...] = ()
    fields = exactly_one_of(call, READ_FIELDS)
    caller = await call.hass.data[ADDRESSES].async_caller(call.context, fields)
    match fields:
        case {"playlist_id": str(ref)} if not is_elsewhere(call.hass, ref):
            library, feed = async_feed(call.hass, call.data.get(ATTR_CONFIG_ENTRY_ID))
            with _feed_errors(library, feed):
                stored = await feed.playlist(library.feed_server.ref(ref))
                document = await call.hass.async_add_executor_job(
                    parse, stored.document
                )
            legacy_keys = library.feed_keys
            if (stored.url or "").startswith(f"{feed.url}/"):
                feed_keys = legacy_keys
        case _:
            (url,) = fields.values()
            document = await async_read_playlist(call.hass, url, caller)
            legacy_keys = tuple(
                key for one in async_libraries(call.hass) for key in one.feed_keys
            )
    verified = await call.hass.async_add_executor_job(
        partial(verify, document, legacy_keys=legacy_keys)
    )
    return {
        "playlist": document,
        "verified": [_verdict_of(call.hass, result, feed_keys) for result in verified],
    }


def _verdict_of(
    hass: HomeAssistant, result: Verification, feed_keys: tuple[str, ...]
) -> JsonValueType:
    """Return the verdict on a signature, and whether a feed used an unknown key."""
    verdict: dict[str, JsonValueType] = {
        "kid": result.kid,
        "role": result.role,
        "valid": result.valid,
    }
    fault: str | None = result.fault
    is_known = not feed_keys or result.kid in feed_keys
    if result.valid and result.role == "feed" and not is_known:
        fault = "other_key"
    if fault:
        verdict["reason"] = async_text(
            hass, f"{SIGNATURE}.{fault}", detail=result.detail
        )
    return verdict


async def async_validate_playlist(call: ServiceCall) -> ServiceResponse:
    """Validate a playlist; in a thread, since a large one takes seconds."""
    faults, lost = await call.hass.async_add_executor_job(
        _faults, call.data["playlist"]
    )
    errors, warnings = (
        [{"path": fault.path, "message": fault.message} for fault in each]
        for each in (faults, lost)
    )
    return {
        "valid": not errors,
        "errors": cast("JsonValueType", errors),
        "warnings": cast("JsonValueType", warnings),
    }


def _faults(value: Any) -> tuple[Sequence[Fault], Sequence[Fault]]:
    """Return the faults of a document, and what is doubtful in it."""
    document, faults = faults_in(value)
    return faults, _doubts(document)


def _doubts(document: Mapping[str, Any]) -> list[Fault]:
    """Return the works that are not where a document says, and the ratings of no scale, which count as none."""
    items = document.get("items")
    doubts = []
    for index, item in enumerate(items if isinstance(items, list) else ()):
        part = mapping(item)
        source, rating = str(part.get("source") or ""), part.get("contentRating")
        now = work_url(source)
        if has_ended(now):
            message = "is at a host that has ended, and names nothing that is elsewhere"
            doubts.append(Fault(f"items[{index}].source", message))
        elif has_ended(source):
            message = f"is at a host that has ended; it is shown from {now}"
            doubts.append(Fault(f"items[{index}].source", message))
        if isinstance(rating, str) and rating not in RATINGS:
            message = f"is no known rating ({', '.join(RATINGS)}), and counts as none"
            doubts.append(Fault(f"items[{index}].contentRating", message))
    return doubts[:MAX_FAULTS]


async def async_delete_playlist(call: ServiceCall) -> None:
    """Delete a playlist from the feed of a library."""
    library, feed = await _async_own_feed(call)
    await library.async_confirm_key()
    with _feed_errors(library, feed, writing=True):
        ref = library.feed_server.ref(call.data["playlist_id"])
        key = await feed.delete(ref, key=library.key)
    library.async_deleted(key)


@contextmanager
def _feed_errors(
    library: Library, feed: Feed, *, writing: bool = False
) -> Iterator[None]:
    """Translate errors of a feed, and start a reauth flow if it refuses to be written."""
    try:
        with translated_errors("feed", library.title, feed.url):
            yield
    except HomeAssistantError as err:
        # A feed that forbids this does so with every key.
        if writing and err.translation_key == "feed_authentication":
            library.entry.async_start_reauth(library.hass)
        raise


CHANGES = ("title", "summary", "add", "remove", "order")
WORKS = list_up_to(MAX_WORKS, work)


def _added(value: Any) -> Document | Medium:
    """Validate an item of a playlist, or a medium."""
    if isinstance(value, dict) and "source" in value:
        return value
    return Medium.of(value)


UPDATE_SCHEMA = vol.Schema(
    {
        vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string,
        vol.Required("playlist_id"): name,
        vol.Optional("title"): name,
        vol.Optional("summary"): name,
        vol.Optional("add"): list_up_to(MAX_WORKS, _added),
        vol.Optional("remove"): WORKS,
        vol.Optional("order"): WORKS,
        vol.Optional(CONFIRMED): cv.boolean,
    }
)


async def async_update_playlist(call: ServiceCall) -> ServiceResponse:
    """Change a playlist in the feed of a library."""
    library, feed = await _async_own_feed(call)
    if not any(name in call.data for name in CHANGES):
        raise invalid_input("nothing_to_change", fields=", ".join(CHANGES))
    added = await _async_works(call, call.data.get("add", ()))

    judge, hosts = _judge_of(call), call.hass.data[HOSTS]

    def change(document: Document) -> Document:
        """Make the changes of the call."""
        changed = _findable(hosts, _changed(document, call.data, added))
        _check_public(judge, changed)
        return changed

    await library.async_confirm_key()
    with _feed_errors(library, feed, writing=True):
        published = await feed.update(
            library.feed_server.ref(call.data["playlist_id"]),
            change,
            key=library.key,
            curator=library.preferences.curator,
        )
    response = await _async_note_published(library, published)
    return _answer(call, library, response)


async def _async_works(
    call: ServiceCall, added: Sequence[Document | Medium]
) -> list[Document]:
    """Return the works to add: items as they are, and those of media."""
    works: list[Document] = []
    for item in added:
        if isinstance(item, Medium):
            request = Request(art=Several((item,)), context=call.context)
            request = await async_for_caller(call.hass, request)
            works += (await async_found(call.hass, request)).items
            continue
        with translated_errors("playlist"):
            works.append(parse(item))
    return works


def _changed(
    document: Document, data: Mapping[str, Any], added: list[Document]
) -> Document:
    """Return a document with the changes of a call; numbers of works are those before it."""
    texts = {name: data[name] for name in ("title", "summary") if name in data}
    changed = {**document, **texts}
    if texts.get("summary") == "":
        del changed["summary"]
    items = document.get("items")
    items = items if isinstance(items, list) else []
    ids = [mapping(item).get("id") for item in items]
    first = [_index_of(ids, work) for work in data.get("order", ())]
    gone = {_index_of(ids, work) for work in data.get("remove", ())}
    order = dict.fromkeys((*first, *range(len(items))))
    kept = [items[index] for index in order if index not in gone]
    return {**changed, "items": kept + added}


def _index_of(ids: Sequence[Any], work: float | str) -> int:
    """Return the index of a work by its id or its number, which starts from 1."""
    if (index := find_work(work, ids)) is None:
        raise invalid_input("work_not_in_playlist", work=str(work))
    return index


# Feeds of former years have no place for these.
NEWER_FIELDS = ("schedule", *NEWER_ITEM_FIELDS)


def _lacking(library: Library, published: Published, is_cut: bool) -> str:
    """Return in words what the feed holds less of than was sent, or than there was; empty if there is nothing to say."""
    told = NEWER_FIELDS if is_cut else (*NEWER_FIELDS, "summary")
    changed = [path for path in published.changed if path.endswith(told)]
    name, title = library.title, shorten(published.document.get("title") or "", 100)
    errors = []
    if paths := [*published.left_out, *changed]:
        where = shorten(", ".join(paths), 300)
        errors.append(
            action_failed("published_without", name=name, title=title, paths=where)
        )
    if is_cut:
        limit = str(MAX_SUMMARY)
        errors.append(
            action_failed("published_shortened", name=name, title=title, limit=limit)
        )
    return " ".join(async_message(library.hass, error) for error in errors)
