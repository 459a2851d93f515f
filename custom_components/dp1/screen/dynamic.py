"""Dynamic playlists: a server lists their works, as an FF1 asks it for them.

What comes at a cast is the first page; what is shown is read again as a whole, like the playlist at an address.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
import json
import re
from typing import Any, Final
from urllib.parse import parse_qsl

from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import SERVER_SOFTWARE

from ..addresses import ADDRESSES, async_session
from ..client.errors import Dp1Error
from ..client.http import request_json
from ..client.indexer.client import Indexer
from ..client.playlist.document import MAX_DOCUMENT
from ..client.playlist.schema import PLAYLIST, Rules, faults_of, known_fields
from ..client.text import web_url
from ..client.values import mapping, text
from ..const import DEFAULT_INDEXER_URL
from .player import MAX_ITEMS, CommandError, Json

# The only one that a display asks by the older form.
ENDPOINT = DEFAULT_INDEXER_URL
# Of the page of a cast, of one that is read again, and the seconds that a display gives each work of the older form (behavior seen).
FIRST: Final = 50
REST: Final = 255
MAX_PAGES: Final = 8
SECONDS: Final = 300
# What may be asked for by a list, and by one text.
LISTS: Final = ("owners", "contract_addresses", "token_numbers")
TEXTS: Final = ("release_vendor", "release_vendor_slug")
# Every address of a person is one more question.
MAX_VALUES: Final = 50
ANSWER_SECONDS: Final = 20.0
MAX_QUERY: Final = 8192
# What a display fills in (behavior seen); others would tell who is looking.
PLACEHOLDER: Final = re.compile(r"\{\{([a-zA-Z_]\w*)\}\}")
# Headers that say how the request itself is sent.
HEADERS: Final = re.compile(
    r"(?!(?:accept-encoding|connection|content-length|expect|host|te|trailer|transfer-encoding|upgrade|proxy-.*)$)"
    r"[a-z0-9-]{1,60}",
    re.IGNORECASE,
)
VALUE: Final = re.compile(r"[\x20-\x7e]{0,2000}")


def is_dynamic(document: object) -> bool:
    """Return whether a server lists the works of a playlist."""
    queries = mapping(document)
    return bool(queries.get("dynamicQuery") or queries.get("dynamicQueries"))


async def async_resolved(
    hass: HomeAssistant, document: Json, *, is_whole: bool = False
) -> Json:
    """Return a playlist with the works that a server lists for it, the first or all, or as it is where it asks for none.

    Raises:
        CommandError: it is no query, or is not answered with works only.
    """
    if not is_dynamic(document):
        return document
    size = REST if is_whole else FIRST
    pages = (
        _works(hass, document["dynamicQuery"], size)
        if document.get("dynamicQuery")
        else _tokens(hass, document["dynamicQueries"], size)
    )
    items: list[Json] = []
    before: list[Json] | None = None
    try:
        async with aclosing(pages):
            # A server that always answers the same, or nothing, would never end.
            for _ in range(MAX_PAGES if is_whole else 1):
                if (page := await anext(pages, before)) == before or page is None:
                    break
                items += page
                before = page
    except (Dp1Error, ValueError) as err:
        raise CommandError("the server of its works does not answer") from err
    return {**document, "items": items[:MAX_ITEMS]}


async def _works(
    hass: HomeAssistant, query: object, size: int
) -> AsyncGenerator[list[Json]]:
    """Yield the pages of works by the form of the specification (section 4); whom it asks is in public, and speaks TLS."""
    if not isinstance(query, dict) or faults_of(
        PLAYLIST.fields["dynamicQuery"], query, Rules.CURRENT
    ):
        raise CommandError("not a query")
    guard = hass.data[ADDRESSES].async_public_guard()
    offset, left = 0, MAX_DOCUMENT
    while left > 0:
        request = _request(query, {"limit": size, "offset": offset})
        answer = await request_json(
            guard, **request, timeout=ANSWER_SECONDS, max_body=left
        )
        if not answer.ok:
            raise CommandError("the server of its works does not answer")
        left -= len(answer.body)
        content = await answer.json()
        items = await asyncio.to_thread(_items, content, query)
        yield items
        if len(items) < size:
            return
        offset += len(items)


def _request(query: Json, values: Mapping[str, int]) -> dict[str, Any]:
    """Return the request for a page, as arguments."""
    is_graphql = query["profile"] == "graphql-v1"
    method = query.get("method") or ("POST" if is_graphql else "GET")
    url, asked = web_url(query["endpoint"]), query.get("query") or ""
    headers = query.get("headers") or {}
    names = set(PLACEHOLDER.findall(asked))
    if (
        url.scheme != "https"
        or url.fragment
        or (is_graphql and method != "POST")
        or len(asked) > MAX_QUERY
        or not names <= values.keys()
        or not all(
            HEADERS.fullmatch(k) and VALUE.fullmatch(headers[k]) for k in headers
        )
    ):
        raise CommandError("not a query")
    asked = PLACEHOLDER.sub(lambda match: str(values[match[1]]), asked)
    body: object = None
    if is_graphql:
        body = {"query": asked}
    elif method == "POST":
        body = json.loads(asked) if asked else None
    else:
        url = url.extend_query(parse_qsl(asked, keep_blank_values=True))
    return {"method": method, "url": url, "headers": headers, "json": body}


def _items(content: object, query: Json) -> list[Json]:
    """Return the works in an answer; one that is none spoils all, as on a display."""
    if query["profile"] == "graphql-v1" and mapping(content).get("errors"):
        raise CommandError("the server of its works refuses the query")
    names = query["responseMapping"]
    for part in filter(None, names["itemsPath"].split(".")):
        content = mapping(content).get(part)
    renamed = names.get("itemMap") or {}
    works: Any = [
        {
            **{k: v for k, v in work.items() if k not in renamed.values()},
            **{k: work[of] for k, of in renamed.items() if of in work},
        }
        for work in map(mapping, content if isinstance(content, list) else [None])
    ]
    works = known_fields(works, PLAYLIST.fields["items"])
    if faults_of(PLAYLIST.fields["items"], works, Rules.CURRENT):
        raise CommandError("the server of its works lists something else")
    return [*works]


async def _tokens(
    hass: HomeAssistant, queries: Any, size: int
) -> AsyncGenerator[list[Json]]:
    """Yield the pages of works by the older form; whoever made the playlist chooses what is asked, never whom."""
    query = mapping(queries[0]) if isinstance(queries, list) else {}
    if text(query.get("endpoint")) != ENDPOINT or len(queries) > 1:
        raise CommandError("not a query")
    filters: dict[str, Any] = {}
    for name, value in mapping(query.get("params")).items():
        if (value := text(value)) is None or name not in LISTS + TEXTS:
            raise CommandError("not a query")
        values = [part.strip() for part in value.split(",")][:MAX_VALUES]
        filters[name] = values if name in LISTS else value
    if not filters:
        raise CommandError("not a query")
    indexer = Indexer(async_session(hass), ENDPOINT, agent=SERVER_SOFTWARE)
    offset: str | None = None
    while True:
        page = await indexer.tokens(limit=size, offset=offset, newest=True, **filters)
        yield [
            {
                "id": token.item_id,
                "title": token.name,
                "source": token.source,
                "duration": SECONDS,
                "inlineManifest": {
                    "metadata": {"artists": [{"name": name} for name in token.artists]}
                },
            }
            for token in page.records
            if token.source
        ]
        if (offset := page.following) is None:
            return
