"""Permissions to load media of Home Assistant without login, each by a secret token in its URL."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
import hmac
from html import escape
from ipaddress import ip_address
import re
from secrets import token_urlsafe
from typing import Any, Final
from urllib.parse import quote

from yarl import URL

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.network import NoURLAvailableError, get_url
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.network import is_ip_address

from .client.playlist.playlist import Playlist
from .client.values import MAX_ON_LOOP
from .const import DOMAIN
from .errors import action_failed, invalid_input
from .storage import SafeStore

# Seconds from when an address is made until the display reports it.
PROXY_GRACE: Final = 300.0

GRANTS: Final[HassKey[Grants]] = HassKey(f"{DOMAIN}_grants")
SAVE_DELAY = 1
PATH: Final = f"/api/{DOMAIN}/media"
# Of sources, which may be pages with thousands of addresses: the origin, the path, the id in it, and the token.
LENT: Final = re.compile(
    rf"(https?://(?:[\w.:\[\]-]|%5[BD]){{1,260}})({PATH}/([\w-]+)/[^?\"'<>\s]{{0,2000}})\?token=([\w-]{{43}})(?![\w-])"
)
# Of ids in bytes: the address of a medium with a longer one is none that displays take.
MAX_ID: Final = 5000
# The tokens of what a display shows, or also of what it can return to; None in doubt.
type TokensOn = Callable[[ConfigEntry[Any], bool], set[str] | None]
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


@dataclass(frozen=True, slots=True)
class Secret:
    """What tokens are made with."""

    secret: str


class Grants:
    """Addresses at which displays load media of Home Assistant: each is of one medium, for one display."""

    def __init__(self, hass: HomeAssistant, tokens_on: TokensOn) -> None:
        """Initialize without a secret."""
        self._hass = hass
        self._tokens_on = tokens_on
        self._store = SafeStore(hass, "media_proxy", Secret)
        self._secret = b""
        # On the clock of the event loop, until when tokens are open that no display has told of.
        self._made: dict[str, float] = {}

    async def async_load(self) -> None:
        """Load the secret from storage, or make one."""
        stored = await self._store.async_load_parsed()
        if stored is None:
            stored = Secret(token_urlsafe(32))
            self._store.async_delay_save(lambda: stored, SAVE_DELAY)
        self._secret = stored.secret.encode()

    # Addresses

    def async_url(self, media_id: str, path: str) -> str:
        """Return the URL of a medium that is at a local path now, for a list that is sent to no display yet, or raise that there is none, or what has too long an id."""
        return self.async_urls({media_id: path})[media_id]

    @callback
    def async_urls(self, paths: Mapping[str, str]) -> dict[str, str]:
        """Return the URLs of many media by their ids, as `async_url` does."""
        base = base_url(self._hass)
        if any(len(it.encode()) > MAX_ID for it in paths):
            raise invalid_input("media_id_too_long", limit=str(MAX_ID))
        tokens = {media_id: self._token(media_id, "") for media_id in paths}
        self._open(tokens.values())
        return {
            media_id: f"{base}{path_of(media_id, path)}?token={tokens[media_id]}"
            for media_id, path in paths.items()
        }

    async def async_lent(self, playlist: Playlist, entry_id: str) -> Playlist:
        """Return a playlist as it is sent to a display: what is lent at addresses for it alone, open until it tells what it shows."""
        if not any(PATH in source for source in playlist.sources):
            return playlist
        base = internal_url(self._hass)
        lent, tokens = await self._async_in(playlist, self._lent, entry_id, base)
        self._open(tokens)
        return lent

    async def _async_in[*Ts, T](
        self, playlist: Playlist, look: Callable[[Playlist, *Ts], T], *args: *Ts
    ) -> T:
        """Look into a playlist, which may be large."""
        if sum(map(len, playlist.sources)) <= MAX_ON_LOOP:
            return look(playlist, *args)
        return await self._hass.async_add_executor_job(look, playlist, *args)

    def _lent(
        self, playlist: Playlist, entry_id: str, base: str | None
    ) -> tuple[Playlist, list[str]]:
        """Return a playlist for a display, with the origin of now, and the tokens in it; what we did not make is lent to nobody."""
        tokens = []

        def address(match: re.Match[str]) -> str:
            """Return an address for the display."""
            media_id = media_id_at(match[3])
            if self._owner(media_id, match[4]) is None:
                return match[0]
            tokens.append(self._token(media_id, entry_id))
            origin = base or match[1]
            if match.string.startswith("data:"):
                origin = quote(origin, safe="/:%")
            return f"{origin}{match[2]}?token={tokens[-1]}"

        def lend(source: Any) -> Any:
            """Return a source for the display."""
            return LENT.sub(address, source) if isinstance(source, str) else source

        document = playlist.document
        if items := playlist.items:
            works = [
                {**it, "source": lend(it["source"])} if "source" in it else it
                for it in items
            ]
            document = {**document, "items": works}
        return replace(playlist, url=lend(playlist.url), document=document), tokens

    def _token(self, media_id: str, entry_id: str) -> str:
        """Return the token of a medium for a display, or for a list that is sent to none yet."""
        digest = hmac.digest(self._secret, f"{entry_id} {media_id}".encode(), "sha256")
        return urlsafe_b64encode(digest).decode().rstrip("=")

    def _owner(self, media_id: str, token: str) -> str | None:
        """Return the entry id of the display that a token is for, empty for none yet; None if we did not make it."""
        entries = self._hass.config_entries.async_entries(DOMAIN)
        for entry_id in ("", *(entry.entry_id for entry in entries)):
            if hmac.compare_digest(self._token(media_id, entry_id), token):
                return entry_id
        return None

    @callback
    def _open(self, tokens: Iterable[str]) -> None:
        """Keep media open until a display tells that it shows them."""
        now = self._hass.loop.time()
        self._made = {it: until for it, until in self._made.items() if now < until}
        self._made |= dict.fromkeys(tokens, now + PROXY_GRACE)

    # What they are of

    def media_id_of(self, source: str) -> str | None:
        """Return the medium at a URL, if it is one of ours."""
        if PATH not in source:
            return None
        found = (
            it for it, token in lent_in(source) if self._owner(it, token) is not None
        )
        return next(found, None)

    def original_url(self, source: str) -> str:
        """Return the address of the work of a kept file that is lent, and any other as it is."""
        media_id = self.media_id_of(source) or ""
        return media_id.partition("/")[2] if media_id.startswith(KEPT) else source

    async def async_entities_in(self, playlist: Playlist) -> list[str]:
        """Return the entities whose lent pictures are in a playlist."""
        return await self._async_in(playlist, self._entities_in)

    def _entities_in(self, playlist: Playlist) -> list[str]:
        """Return the entities whose lent pictures are in a playlist."""
        lent = {it for source in playlist.sources for it in lent_in(source)}
        return [
            media_id.removeprefix(LIVE)
            for media_id, token in lent
            if is_live(media_id) and self._owner(media_id, token) is not None
        ]

    def served(self, media_id: str, token: str) -> str | None:
        """Return the entry id of the display to which a medium is served for a token, empty for none yet; None if to nobody.

        That is while its entry is there and enabled and it shows the medium, can return to it, or was just sent it; the
        picture of an entity is private again once it hangs no more.
        """
        if (entry_id := self._owner(media_id, token)) is None:
            return None
        entry = self._hass.config_entries.async_get_entry(entry_id)
        is_disabled = entry is not None and entry.disabled_by is not None
        if not is_disabled and self._hass.loop.time() < self._made.get(token, 0.0):
            return entry_id
        if entry is None or is_disabled:
            return None
        tokens = self._tokens_on(entry, is_live(media_id))
        return entry_id if tokens is None or token in tokens else None


def is_live(media_id: str) -> bool:
    """Return whether a medium is of an entity, whose picture changes."""
    return media_id.startswith((LIVE, "camera.", "image."))


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
    original = hass.data[GRANTS].media_id_of(url)
    return f"{original or without_token(url)}{mark}{place}"


def path_of(media_id: str, path: str) -> str:
    """Return the path at which a medium is lent, with the name at the end of its own path, which tells its type."""
    key = urlsafe_b64encode(media_id.encode()).decode().rstrip("=")
    return f"{PATH}/{key}/{quote(path.rpartition('/')[2])}"


def media_id_at(key: str) -> str:
    """Return the id of a medium as it is written in a path; empty if it is none."""
    try:
        return urlsafe_b64decode(key + "=" * (-len(key) % 4)).decode()
    except ValueError:
        return ""


def without_token(source: str | None) -> str | None:
    """Return the source of a work without the token that lets anybody load it."""
    return LENT.sub(r"\1\2", source) if source and PATH in source else source


def lent_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the media whose addresses are in a text, with their tokens."""
    for match in LENT.finditer(text):
        yield media_id_at(match[3]), match[4]
