"""Web addresses as people, documents and servers write them."""

import re

from yarl import URL

# Public gateways of schemes that no display opens; those with which the indexer reads them. Source: its configuration.
_GATEWAYS = {
    "ipfs": "https://ipfs.io/ipfs/",
    "ar": "https://arweave.net/",
    "onchfs": "https://onchfs.fxhash2.xyz/",
}
_CONTENT = re.compile(r"(ipfs|ar|onchfs):/*+(?:ipfs/)?+(?=.)", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|[0-9a-f]*:[0-9a-f:.]+(%[\w.-]+)?")


# In characters. Reading one takes up to a microsecond for each.
MAX_URL = 8192


def read_url(text: str) -> URL:
    """Return any URL, whose parts can all be read.

    Raises:
        ValueError: it is none, or longer than 8,192 characters; the message does not repeat the text.
    """
    if len(text) > MAX_URL:
        raise ValueError("not a web address: too long")
    try:
        url = URL(text)
        # Some faults only show in its parts.
        _ = (url.host, url.port, url.path, url.query)
    except IndexError, ValueError:
        # yarl raises IndexError for "//@[]".
        raise ValueError("not a web address") from None
    return url


def web_url(text: str) -> URL:
    """Return the address of a web server, without a user name or password.

    Raises:
        ValueError: it is none; the message may be shown and does not repeat the text.
    """
    url = read_url(text)
    host = url.host and url.raw_host
    if url.scheme not in ("http", "https"):
        raise ValueError("not a web address (http or https)")
    if not _HOST.fullmatch(host or "") or url.port == 0:
        raise ValueError("not a web address")
    if url.raw_user is not None or url.raw_password is not None:
        raise ValueError("not a web address without a user name")
    return url


def through_gateway(url: str) -> str:
    """Return the https address of an ``ipfs``, ``ar`` or ``onchfs`` address at its public gateway, others as they are.

    Path and query stay: ``?fxhash=…`` is the work.
    """
    if (match := _CONTENT.match(url)) is None:
        return url
    return _GATEWAYS[match[1].lower()] + url[match.end() :]


def with_scheme(text: str) -> str:
    """Return an address as people write it with a scheme: http for an own server, which has a port or is no domain.

    ``192.168.1.20:8787`` and ``nas.local`` become http, ``feed.example.org`` becomes https.
    """
    if "://" in text:
        return text
    host = text.partition("/")[0]
    name = host.rpartition(".")[2]
    is_own = ":" in host or name.isdecimal() or name in {host, "local"}
    return f"{'http' if is_own else 'https'}://{text}"


def host_of(text: str) -> str | None:
    """Return ``host:port`` of a web address; None if the text is no web address."""
    try:
        return host_and_port(web_url(text))
    except ValueError:
        return None


def host_and_port(url: URL) -> str:
    """Return ``host:port`` of an address in the form in which hosts are compared."""
    return f"{plain_host(url)}:{url.port}"


def plain_host(url: URL) -> str:
    """Return the host of an address in the form in which hosts are compared."""
    return (url.host or "").lower().rstrip(".")
