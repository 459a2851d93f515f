"""Dynamic playlists: an indexer lists their works, as an FF1 asks it for them."""

from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import SERVER_SOFTWARE

from ..client.errors import Dp1Error
from ..client.indexer.client import Indexer
from ..client.values import mapping, text
from ..const import DEFAULT_INDEXER_URL
from ..guard import async_session
from .player import CommandError, Json

# The only one that a display asks.
ENDPOINT = DEFAULT_INDEXER_URL
# Of one cast, and the seconds that a display gives each (behavior seen).
WORKS: Final = 50
SECONDS: Final = 300
# What may be asked for by a list, and by one text.
LISTS: Final = ("owners", "contract_addresses", "token_numbers")
TEXTS: Final = ("release_vendor", "release_vendor_slug")
# Every address of a person is one more question.
MAX_VALUES: Final = 50


async def async_resolved(hass: HomeAssistant, document: Json) -> Json:
    """Return a playlist with the works that an indexer lists for it, or as it is where it asks for none.

    Whoever made the playlist chooses what is asked, never whom: a display asks one indexer only.
    """
    if not (queries := document.get("dynamicQueries")):
        return document
    query = mapping(queries[0]) if isinstance(queries, list) else {}
    if len(queries) != 1 or text(query.get("endpoint")) != ENDPOINT:
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
    try:
        page = await indexer.tokens(limit=WORKS, newest=True, **filters)
    except Dp1Error as err:
        raise CommandError("the indexer does not answer") from err
    items = [
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
    return {**document, "items": items}
