"""Sources of works: where a page loads each from, and whether it may have an origin of its own there."""

from base64 import b64decode
from dataclasses import dataclass
from hashlib import blake2b
import re
from typing import Final
from urllib.parse import unquote_to_bytes

from yarl import URL

from homeassistant.core import HomeAssistant
from homeassistant.helpers.network import is_hass_url

from ..client.guard import is_home_name
from ..client.text import plain_host, web_url
from ..grants import GRANTS, LENT

WRITTEN: Final = re.compile(
    r"data:text/html(?:;charset=([\w-]{1,20}))?(;base64)?,", re.IGNORECASE
)
# Where works of anybody share one origin.
GATEWAY: Final = re.compile(
    r"/(ipfs|ipns|onchfs|raw)/|/([\w-]{43}|Qm\w{44}|baf\w{56})(/|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Source:
    """Source of a work.

    Attributes:
        key: names it.
        url: where a page loads it from; empty for a page that is written in its address.
        has_origin: whether it may have the origin of its host.
        is_ours: whether it is a page with pictures that are lent, on which a tap is not for the page.
    """

    key: str
    url: str
    has_origin: bool
    is_ours: bool = False


def source_of(hass: HomeAssistant, source: str) -> Source:
    """Return how the source of a work is loaded."""
    key = blake2b(source.encode("utf-8", "replace"), digest_size=9).hexdigest()
    if WRITTEN.match(source):
        is_ours = hass.data[GRANTS].media_id_of(source) is not None
        return Source(key, "", False, is_ours)
    if source[:5].lower() == "data:":
        return Source(key, source, False)
    try:
        url = web_url(source)
    except ValueError:
        return Source(key, source, False)
    if LENT.match(source) or is_hass_url(hass, source):
        # A page that was opened by another name, or by https, loads it from there.
        return Source(key, str(url.relative()), False)
    host = plain_host(url)
    is_shared = is_home_name(host) or host in _own_hosts(hass)
    return Source(key, source, not (is_shared or GATEWAY.match(url.path)))


def is_ours(hass: HomeAssistant, origin: str) -> bool:
    """Return whether an origin is an address of Home Assistant."""
    try:
        return is_hass_url(hass, origin)
    except ValueError:
        return False


def _own_hosts(hass: HomeAssistant) -> set[str | None]:
    """Return the hosts of Home Assistant's own addresses, at any port."""
    urls = (hass.config.internal_url, hass.config.external_url)
    return {URL(url).host for url in urls if url}


def written_page(source: str) -> bytes:
    """Return the page that is written in an address, with lent media by the origin of the page around it."""
    if (head := WRITTEN.match(source)) is None:
        return b""
    charset, is_base64 = head.groups()
    body = unquote_to_bytes(source[head.end() :].encode("utf-8", "replace"))
    try:
        page = (b64decode(body) if is_base64 else body).decode(charset or "utf-8")
    except ValueError, LookupError:
        return body
    return LENT.sub(r"\2?token=\4", page).encode()
