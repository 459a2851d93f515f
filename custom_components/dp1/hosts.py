"""The hosts of works: which of them answer, and a look at a work that a display may be silent about."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing, asynccontextmanager, suppress
from http import HTTPStatus
import re
from typing import Final, override

import aiohttp
from aiohttp import hdrs
from lru import LRU

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.network import is_hass_url
from homeassistant.util.hass_dict import HassKey

from .addresses import ADDRESSES, is_at_home
from .client.errors import Dp1Error
from .client.guard import Guard
from .client.health import DAY, Health, HostHealth
from .client.hosts import (
    ASSETS_URL,
    SMALL,
    SMALL_CID,
    content_of,
    is_gateway,
    is_web,
    own_gateway,
)
from .client.http import CHUNK, Answer, chunks
from .client.text import file_type
from .const import CONF_IPFS_GATEWAY, DOMAIN, LOGGER
from .grants import GRANTS

# What asking for a work may raise: its host is not there or slow, or our own guard does not ask.
FAILURES: Final = (aiohttp.ClientError, TimeoutError, Dp1Error)
HOSTS: Final[HassKey[Hosts]] = HassKey(f"{DOMAIN}_hosts")
# Seconds that a host has for a look, and how many looks there are in how many seconds.
LOOK_TIMEOUT: Final = 10.0
MAX_LOOKS: Final = 4
LOOK_PERIOD: Final = 60.0
# Seconds in which the gateway of the owner tells which works of a list it has, how many at a time, and how it says no.
OWN_TIMEOUT: Final = 5.0
MAX_OWN: Final = 8
HAS_NOT: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.PRECONDITION_FAILED)
# Of a page, enough to tell the list of a folder.
MAX_LOOK: Final = 4096
# Seconds until a work is looked at again that was not there.
SILENT_AGE: Final = 3600.0
MAX_LOOKED: Final = 256
# A browser may be let in where a program is not, so these say nothing about the work.
NOT_SURE: Final = (401, 403, 405, 406, 407, 408, 416, 429)
FOLDER: Final = re.compile(rb"(?:<title>|Index of )\s*/ipfs/", re.IGNORECASE)


class Hosts(Health):
    """The hosts of works, as all of Home Assistant finds them."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize before any answer."""
        super().__init__()
        self._hass = hass
        # Of the owner, some of them at home: that they answer says nothing about the internet.
        self.servers = Health()
        self._looks: deque[float] = deque(maxlen=MAX_LOOKS)
        self._looked: LRU[str, tuple[bool, float]] = LRU(MAX_LOOKED)

    @override
    def public_url(self, url: str) -> str:
        grants = self._hass.data.get(GRANTS)
        return super().public_url(grants.original_url(url) if grants else url)

    async def async_find(self, url: str) -> None:
        """Ask all hosts of a picture or a film whether they have it, at once."""
        urls = self.urls(url)
        await asyncio.gather(*(self.async_ask(it, is_file=True) for it in urls))

    async def async_ask_own(self, urls: Iterable[str]) -> None:
        """Ask the gateway of the owner, in a few seconds, which works it has: displays are silent about its error page."""
        owns = {own for url in urls if (own := self.own_url(url)) == self.best(url)}
        guard = self._hass.data[ADDRESSES].async_public_guard()
        places = asyncio.Semaphore(MAX_OWN)

        async def ask(url: str) -> None:
            """Ask whether it has a work, and not to look for it elsewhere."""
            async with places:
                with suppress(*FAILURES):
                    async with guard.allowing(url).request(
                        "HEAD",
                        url,
                        headers={hdrs.CACHE_CONTROL: "only-if-cached"},
                        timeout=aiohttp.ClientTimeout(total=OWN_TIMEOUT),
                        allow_redirects=False,
                    ) as answer:
                        if answer.status in HAS_NOT:
                            self.note(url, HTTPStatus.NOT_FOUND)

        with suppress(TimeoutError):
            async with asyncio.timeout(OWN_TIMEOUT):
                await asyncio.gather(*map(ask, filter(None, owns)))

    async def async_look(self, url: str, *, is_file: bool = False) -> bool | None:
        """Return whether a work is at its address that a display is silent about, as its host has answered today, or by one small request; None if that cannot be told.

        A stranger chose the address: nothing at home is asked, and not many are.

        Args:
            url: its address.
            is_file: whether it is known as a picture or a film, for which there is a better place than a host that has
                ended since it was last asked.
        """
        is_own = url == self.own_url(url)
        if not is_web(url) or (is_at_home(url) and not is_own):
            return None
        now = self._clock()
        if not is_file:
            if kept := self._looked.get(url):
                is_there, at = kept
                if now - at < (DAY if is_there else SILENT_AGE):
                    return is_there
            health = self.of(url)
            has_answered = now - (health.answered_at or 0.0) < DAY
            if has_answered and not health.failed_at and url in self.urls(url):
                return True
        if len(self._looks) == MAX_LOOKS and now - self._looks[0] < LOOK_PERIOD:
            return None
        self._looks.append(now)
        found = await self.async_ask(url, is_file=is_file)
        if found is not None:
            self._looked[url] = found, now
        return found

    async def async_check(self, url: str) -> HostHealth:
        """Return what is known of a host of works, which is asked unless it was within an hour."""
        health, now = self.of(url), self._clock()
        last = max(health.answered_at or 0.0, health.failed_at or 0.0)
        if now - last >= SILENT_AGE and health.rests_until <= now:
            await self.async_ask(url)
        return self.of(url)

    async def async_ask(self, url: str, *, is_file: bool = False) -> bool | None:
        """Ask for the beginning of a work, which may have to be a picture or a film, and note what its host answers; return what ``async_look`` does."""
        timeout = aiohttp.ClientTimeout(total=LOOK_TIMEOUT)
        guard = self._hass.data[ADDRESSES].async_public_guard()
        try:
            async with self.async_request(guard, url, timeout) as response:
                head = b""
                async with aclosing(chunks(response, CHUNK)) as received:
                    async for chunk in received:
                        head += chunk
                        if len(head) >= MAX_LOOK:
                            break
                is_page = (
                    bool(file_type(head))
                    if is_file
                    else not FOLDER.search(head[:MAX_LOOK])
                )
                self.async_note(url, response, is_expected=is_page)
                status = response.status
        except FAILURES as err:
            self.async_failed(url, err)
            # Without internet here, a display may have it all the same.
            was_asked = not isinstance(err, Dp1Error)
            return False if was_asked and await self.async_is_online() else None
        if status in NOT_SURE and not is_gateway(url):
            return None
        return status < HTTPStatus.BAD_REQUEST and is_page

    @asynccontextmanager
    async def async_request(
        self, guard: Guard, url: str, timeout: aiohttp.ClientTimeout
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Ask for a work; at home the gateway of the owner for content, which leads nowhere else, and what a guard allows."""
        is_own = url == self.own_url(url)
        if is_own:
            guard = guard.allowing(url)
        async with guard.request(
            "GET", url, timeout=timeout, allow_redirects=not is_own
        ) as response:
            yield response

    @callback
    def async_failed(self, url: str, err: Exception) -> None:
        """Note that a host did not answer, unless it was not asked."""
        LOGGER.debug("Asking for a work: %s", type(err).__name__)
        if not isinstance(err, Dp1Error):
            self.note(url)

    @callback
    def async_set_own(self) -> None:
        """Take the gateway that the owner named in the options of a library."""
        self.own = None
        for entry in self._hass.config_entries.async_entries(DOMAIN):
            if entry.disabled_by is None and (
                text := entry.options.get(CONF_IPFS_GATEWAY)
            ):
                with suppress(ValueError):
                    self.own = own_gateway(text)

    async def async_is_online(self) -> bool:
        """Return whether any host of works answers: one did within an hour, or the one that surely is there."""
        if not self.has_answers(SILENT_AGE):
            guard = self._hass.data[ADDRESSES].async_public_guard()
            timeout = aiohttp.ClientTimeout(total=LOOK_TIMEOUT)
            with suppress(*FAILURES):
                async with guard.request("HEAD", ASSETS_URL, timeout=timeout) as answer:
                    self.note(ASSETS_URL, answer.status)
        return self.has_answers(SILENT_AGE)

    @callback
    def async_note(
        self,
        url: str,
        response: aiohttp.ClientResponse,
        *,
        is_expected: bool = True,
    ) -> None:
        """Note an answer for a work."""
        answer = Answer(response.status, response.headers, b"", url)
        self.note(url, response.status, answer.retry_after, is_expected=is_expected)


async def async_try_gateway(hass: HomeAssistant, text: str) -> str:
    """Return why a gateway cannot be the owner's own, by the key of an error; empty for none.

    A small content that is in its own name is asked for: a node without peers has it. One that is offline and has it not
    all the same says by its headers that it is a gateway of IPFS.
    """
    try:
        gateway = own_gateway(text)
    except ValueError:
        return "invalid_gateway"
    if is_hass_url(hass, gateway.url):
        return "gateway_is_own"
    content = content_of(f"ipfs://{SMALL_CID}")
    assert content is not None
    url = content.at(gateway)
    guard = hass.data[ADDRESSES].async_public_guard().allowing(url)
    timeout = aiohttp.ClientTimeout(total=LOOK_TIMEOUT)
    try:
        async with (
            guard.request("GET", url, timeout=timeout, allow_redirects=False) as answer,
            aclosing(chunks(answer, MAX_LOOK)) as received,
        ):
            if hdrs.LOCATION in answer.headers:
                return "gateway_leads_away"
            body = b"".join([chunk async for chunk in received])
            names = (it.lower() for it in answer.headers)
            is_one = (
                body == SMALL
                if answer.ok
                else any(it.startswith("x-ipfs-") for it in names)
            )
    except aiohttp.ClientError, TimeoutError:
        return "gateway_silent"
    except Dp1Error:
        return "no_gateway"
    return "" if is_one else "no_gateway"
