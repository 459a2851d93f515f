"""Permissions to load media of Home Assistant without login, each by a secret token in its URL."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from html import escape
from ipaddress import ip_address
from secrets import token_urlsafe
from typing import Final
from urllib.parse import quote

from yarl import URL

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.network import NoURLAvailableError, get_url
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.network import is_ip_address

from .client.playlist.playlist import Playlist
from .client.values import MAX_ON_LOOP
from .const import DOMAIN
from .errors import action_failed
from .lent import PATH, lent_in, without_token
from .storage import SafeStore

# Seconds from when the URL of a picture is made until the display reports it.
PROXY_GRACE: Final = 300.0
# Seconds from that report, as a display that was cast to may report an older list once more.
PROXY_SETTLES: Final = 10.0

GRANTS: Final[HassKey[Grants]] = HassKey(f"{DOMAIN}_grants")
SAVE_DELAY = 1
# The tokens of what a display with an entry id shows, or also of what it can return to; None in doubt.
type TokensOn = Callable[[str, bool], set[str] | None]
# Displays embed it as an object, which takes CORS and no `X-Frame-Options`.
SVG: Final = "image/svg+xml"
PICTURE_PAGE: Final = """<!doctype html>
<html><head><meta charset="utf-8"><style>
html,body{{margin:0;height:100%;background:#000;overflow:hidden}}
img{{width:100%;height:100%;object-fit:contain}}
</style></head><body><img src="{url}" alt=""></body></html>
"""
# Media ids of cameras in the media browser.
LIVE: Final = "media-source://camera/"
# Of the ids of kept files of works, with the id of the library and the address of the work behind it.
KEPT: Final = f"{DOMAIN}-kept:"


@dataclass(slots=True)
class Grant:
    """Permission to load one medium.

    Attributes:
        media_id: id of the media source, a camera or image entity, or a collection of a library.
        entry_ids: config entries of the displays that it was cast to.
        fresh: until when a display may be about to show it, on the clock of the event loop; "" is one that it is not cast to yet.
    """

    media_id: str
    entry_ids: list[str] = field(default_factory=list)
    fresh: dict[str, float] = field(
        default_factory=dict, metadata={"serialize": "omit"}
    )

    @property
    def is_live(self) -> bool:
        """Return whether it is of an entity, whose picture changes."""
        return self.media_id.startswith((LIVE, "camera.", "image."))

    @property
    def entity_id(self) -> str:
        """Return the entity that it is of, if it is of one."""
        return self.media_id.removeprefix(LIVE)


class Grants:
    """Media that displays may load, each by a secret token, for as long as a display shows it or can return to it."""

    def __init__(self, hass: HomeAssistant, tokens_on: TokensOn) -> None:
        """Initialize without media."""
        self._hass = hass
        self._tokens_on = tokens_on
        self._store = SafeStore(hass, "media_proxy", dict[str, Grant])
        self._grants: dict[str, Grant] = {}
        self._token_of: dict[str, str] = {}

    @property
    def tokens(self) -> list[str]:
        """Return the tokens of all media."""
        return list(self._grants)

    async def async_load(self) -> None:
        """Load the tokens from storage."""
        self._set(await self._store.async_load_parsed() or {})

    def _set(self, grants: dict[str, Grant]) -> None:
        """Set what is lent."""
        self._grants = grants
        self._token_of = {grant.media_id: token for token, grant in grants.items()}

    @callback
    def async_url(self, media_id: str, path: str) -> str:
        """Return the URL at which displays can load a medium that is at a local path now, or raise that there is none."""
        return self.async_urls({media_id: path})[media_id]

    @callback
    def async_urls(self, paths: Mapping[str, str]) -> dict[str, str]:
        """Return the URLs of many media by their ids, as `async_url` does; what displays show is asked once."""
        base = base_url(self._hass)
        urls = {}
        tokens_on = cache(self._tokens_on)
        for media_id, path in paths.items():
            token = self._token_of.get(media_id, "")
            if not token or not self._is_used(token, self._grants[token], tokens_on):
                self._grants.pop(token, None)
                token = self._token_of[media_id] = token_urlsafe(32)
                self._grants[token] = Grant(media_id)
                self._save()
            self._refresh(self._grants[token], "")
            urls[media_id] = f"{base}{PATH}{quote(path)}?token={token}"
        return urls

    async def async_use_inside(self, token: str, playlist: Playlist) -> None:
        """Note that displays which may load a playlist load it now, and what is in it next."""
        tokens = await self._async_tokens_in(playlist)
        if (outer := self._grants.get(token)) is None:
            return
        for each in tokens & self._grants.keys():
            grant = self._grants[each]
            grant.fresh.pop("", None)
            for entry_id in outer.entry_ids:
                self._refresh(grant, entry_id)
            grant.entry_ids = list(dict.fromkeys((*grant.entry_ids, *outer.entry_ids)))
        self._drop_unused({token, *tokens})
        self._save()

    async def async_use(self, playlist: Playlist, entry_id: str) -> None:
        """Note that media are cast to a display, and no other is about to be shown there; drop what no display can return to."""
        tokens = await self._async_tokens_in(playlist)
        for token, grant in self._grants.items():
            if token not in tokens:
                grant.fresh.pop(entry_id, None)
                continue
            grant.fresh.pop("", None)
            self._refresh(grant, entry_id)
            if entry_id not in grant.entry_ids:
                grant.entry_ids.append(entry_id)
                self._save()
        self._drop_unused(tokens)

    @callback
    def async_reported(self, entry_id: str) -> None:
        """Note what a display shows: from then on only its reports keep it open."""
        awaited = [it for it in self._grants.items() if entry_id in it[1].fresh]
        if not awaited:
            return
        shown = self._tokens_on(entry_id, True) or ()
        soon = self._hass.loop.time() + PROXY_SETTLES
        for token, grant in awaited:
            if token in shown:
                grant.fresh[entry_id] = min(grant.fresh[entry_id], soon)

    def tokens_in(self, sources: Iterable[str]) -> set[str]:
        """Return the tokens of media in sources of works, which may be pages with thousands of others."""
        found: set[str] = set()
        missing = set(self._grants)
        for source in sources:
            if PATH in source:
                for match in lent_in(source, missing):
                    missing.remove(match[1])
                    found.add(match[1])
        return found

    async def _async_tokens_in(self, playlist: Playlist) -> set[str]:
        """Return the tokens of media in a playlist, which may be large."""
        sources = playlist.sources
        if sum(map(len, sources)) <= MAX_ON_LOOP:
            return self.tokens_in(sources)
        return await self._hass.async_add_executor_job(self.tokens_in, sources)

    async def async_entities_in(self, playlist: Playlist) -> list[str]:
        """Return the entities whose lent pictures are in a playlist."""
        tokens = await self._async_tokens_in(playlist)
        return [
            grant.entity_id
            for token, grant in self._grants.items()
            if grant.is_live and token in tokens
        ]

    def entities_on(self, entry_id: str) -> list[str]:
        """Return the entities whose pictures were lent to a display, which may remember them."""
        return [
            grant.entity_id
            for grant in self._grants.values()
            if grant.is_live and entry_id in grant.entry_ids
        ]

    def media_id_of(self, source: str) -> str | None:
        """Return the medium at a URL, if it is one of ours."""
        match = next(lent_in(source), None)
        return self.media_id(match[1]) if match else None

    def original_url(self, source: str) -> str:
        """Return the address of the work of a kept file that is lent, and any other as it is."""
        match = next(lent_in(source), None) if PATH in source else None
        grant = self._grants.get(match[1]) if match else None
        if grant is None or not grant.media_id.startswith(KEPT):
            return source
        return grant.media_id.partition("/")[2]

    def media_id(self, token: str) -> str | None:
        """Return the medium of a token, if it is valid."""
        grant = self._grants.get(token)
        if grant is None or not self._is_used(token, grant, self._tokens_on):
            return None
        return grant.media_id

    def served(self, token: str) -> str | None:
        """Return the medium to serve for a token; the picture of an entity is private again once it hangs no more.

        Nothing is served to a display that its owner has disabled; it is again once that is enabled.
        """
        grant = self._grants.get(token)
        if grant is None or (
            grant.entry_ids and not any(map(self._is_enabled, grant.entry_ids))
        ):
            return None
        is_used = self._is_used(token, grant, self._tokens_on, grant.is_live)
        return grant.media_id if is_used else None

    @callback
    def async_forget(self, entry_id: str) -> None:
        """End the access of a display that is removed."""
        for token, grant in list(self._grants.items()):
            if entry_id in grant.entry_ids:
                grant.entry_ids.remove(entry_id)
                grant.fresh.pop(entry_id, None)
                if not grant.entry_ids:
                    del self._grants[token], self._token_of[grant.media_id]
        self._save()

    def _is_used(
        self, token: str, grant: Grant, tokens_on: TokensOn, only_now: bool = False
    ) -> bool:
        """Return whether a display shows a medium, is about to show it, or can return to it."""
        return self._is_fresh(grant) or any(
            (tokens := tokens_on(entry_id, only_now)) is None or token in tokens
            for entry_id in grant.entry_ids
        )

    def _is_enabled(self, entry_id: str) -> bool:
        """Return whether a display is there, and its owner has not disabled it."""
        entry = self._hass.config_entries.async_get_entry(entry_id)
        return entry is not None and entry.disabled_by is None

    def _is_fresh(self, grant: Grant) -> bool:
        """Return whether a display is about to show a medium."""
        now = self._hass.loop.time()
        return any(now < until for until in grant.fresh.values())

    def _drop_unused(self, but: set[str]) -> None:
        """Drop what no display can return to, but some; each is asked once, as there may be a thousand media."""
        tokens_on = cache(self._tokens_on)
        self._set(
            {
                token: grant
                for token, grant in self._grants.items()
                if token in but or self._is_used(token, grant, tokens_on)
            }
        )

    def _refresh(self, grant: Grant, entry_id: str) -> None:
        """Keep a medium open until the display has reported that it shows it."""
        grant.fresh[entry_id] = self._hass.loop.time() + PROXY_GRACE

    def _save(self) -> None:
        """Save the tokens."""
        self._store.async_delay_save(lambda: self._grants, SAVE_DELAY)


def base_url(hass: HomeAssistant) -> str:
    """Return the URL of Home Assistant in the local network, or raise that there is none."""
    if (url := internal_url(hass)) is None:
        raise action_failed("no_internal_url")
    return url


def internal_url(hass: HomeAssistant) -> str | None:
    """Return the URL of Home Assistant in the local network, None if there is none."""
    try:
        return get_url(hass, allow_external=False, allow_cloud=False)
    except NoURLAvailableError:
        return None


def public_hosts(hass: HomeAssistant) -> frozenset[str]:
    """Return the hosts at which the internet reaches Home Assistant, by its own name and by that of its cloud."""
    urls = []
    for prefer_cloud in (False, True):
        with suppress(NoURLAvailableError):
            urls.append(get_url(hass, allow_internal=False, prefer_cloud=prefer_cloud))
    return frozenset(URL(url).host or "" for url in urls)


def is_loopback(url: str | None) -> bool:
    """Return whether a URL leads every machine to itself."""
    host = (url and URL(url).host) or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = ip_address(host) if is_ip_address(host) else None
    return address is not None and (address.is_loopback or address.is_unspecified)


def page_url(html: str) -> str:
    """Return a page as a URL, in which the URLs of media stay readable."""
    return f"data:text/html;charset=utf-8,{quote(html, safe='/:?=')}"


def picture_page(source: str) -> str:
    """Return a page with a picture, which displays show also where they cannot embed it."""
    return page_url(PICTURE_PAGE.format(url=escape(source)))


def public_media_id(hass: HomeAssistant, media_id: str | None) -> str | None:
    """Return a media id without a token; for a playlist that is served here, the media id it was made of."""
    if media_id is None or PATH not in media_id:
        return media_id
    url, mark, place = media_id.partition("#")
    original = hass.data[GRANTS].media_id(URL(url).query.get("token", ""))
    return f"{original or without_token(url)}{mark}{place}"
