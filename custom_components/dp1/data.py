"""Data shared by all entries of the integration."""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from aiohttp import ClientSession, DummyCookieJar
from lru import LRU

from homeassistant.const import EVENT_HOMEASSISTANT_CLOSE
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import async_create_clientsession
from homeassistant.helpers.singleton import singleton
from homeassistant.util.hass_dict import HassKey

from .const import DOMAIN
from .timing import Timing

if TYPE_CHECKING:
    from .browse.pictures import Pictures
    from .client.indexer.client import Indexer
    from .guard import NamedHosts
    from .library.entries import AllSources, RemovedLibraries
    from .playback.duties import Duties
    from .playback.media_proxy import MediaProxy
    from .voice.choice import Offer

LOOK_UPS_AT_ONCE: Final = 4
MAX_FOUND: Final = 200


@dataclass(kw_only=True, slots=True)
class Dp1Data:
    """Data shared by all displays and libraries.

    Attributes:
        add_lock: held while the entities of an entry are added.
        removals: how many entries are being removed.
        cards_url: path of the dashboard cards; empty until they are served.
        indexers: clients of indexers by URL, so that requests keep their distance.
        refreshed: when somebody looked for news in a library, by its entry id, on the clock of the event loop.
        sources: the source list of the displays, None after a change of a library.
        is_telling: whether displays are about to be told of such a change.
        last_spoken_to: entity ids of the displays that were last spoken to.
        found: media ids that language models may show, by their short ids.
        offers: what "yes" would show, by the speaker who was asked.
        look_ups: limit of simultaneous look-ups of works.
        sentences_lock: held while the files of voice sentences are written.
    """

    timing: Timing
    named_hosts: NamedHosts
    removed_libraries: RemovedLibraries
    duties: Duties
    media_proxy: MediaProxy
    pictures: Pictures
    add_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    removals: int = 0
    cards_url: str = ""
    indexers: dict[str, Indexer] = field(default_factory=dict)
    refreshed: dict[str, float] = field(default_factory=dict)
    sources: AllSources | None = None
    is_telling: bool = False
    last_spoken_to: list[str] = field(default_factory=list)
    found: LRU[str, str] = field(default_factory=lambda: LRU(MAX_FOUND))
    offers: dict[str, Offer] = field(default_factory=dict)
    look_ups: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(LOOK_UPS_AT_ONCE)
    )
    sentences_lock: asyncio.Lock = field(default_factory=asyncio.Lock)


DATA: Final[HassKey[Dp1Data]] = HassKey(DOMAIN)
SESSION: Final[HassKey[ClientSession]] = HassKey(f"{DOMAIN}_session")


@callback
@singleton(SESSION)
def async_session(hass: HomeAssistant) -> ClientSession:
    """Return what reaches hosts at home without cookies: a display could set those of all others there."""
    # It is for all entries, whichever is being set up.
    session = async_create_clientsession(
        hass, auto_cleanup=False, cookie_jar=DummyCookieJar()
    )

    @callback
    def close(_event: Event) -> None:
        """Leave the connections to Home Assistant."""
        session.detach()

    hass.bus.async_listen_once(EVENT_HOMEASSISTANT_CLOSE, close)
    return session
