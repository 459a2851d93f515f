"""Where works are on the web: hosts that moved, networks of content with their gateways, and hosts that ended.

Tokens and playlists name their hosts for ever, and no display rewrites an address. What an address means is decided here,
wherever one enters: of a work, a picture, a portrait, a manifest or a document. Source: the vendor's indexer and status,
the announcements of the operators, and what answered in autumn 2026.

``work_url`` returns where a display loads what an address means, ``loaded_url`` that of what can be loaded at all,
``same_work`` a form in which addresses of the same work are equal. Each is idempotent.
"""

from dataclasses import dataclass
from html import unescape
import re
from typing import Final
from urllib.parse import quote, unquote

from .cid import cid_text, read_cid
from .text import MAX_URL, PAGE, escaped_url, media_type, plain_host, read_url, web_url
from .values import address

IMAGE_SUFFIXES: Final = (".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
# The vendor's works, below which the catalog's relative paths are meant. It has no index of a folder.
ASSETS_URL: Final = "https://cdn.artworks.feralfile.io"
_NEW_HOST: Final = ASSETS_URL.removeprefix("https://")
# Where they were until 2026-09-23.
_OLD_HOST: Final = "cdn.feralfileassets.com"
# In an address and in what it asks for, also escaped; before an @ it is a user name.
_MOVED: Final = re.compile(
    r"(?:(?P<scheme>^https?:)//|(?<=//)|(?<=%2F%2F))cdn\.feralfileassets\.com\.?(?::(?:443|80))?(?=[/?#&\"']|%2F|%3F|%23|%26|%22|$)",
    re.IGNORECASE,
)
_PORT: Final = re.compile(r"\.?(?::[0-9]*)?$")
# Of a page that is written out in its address.
_IMAGE: Final = re.compile(r'<img src="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Gateway:
    """A host that serves a network of content.

    Attributes:
        url: its address.
        has_all: whether it fetches what it has not; another one answers 404 for what its owner did not put there.
        runs_scripts: whether web works run there, as far as is known.
        has_origins: whether each work has an origin of its own there: ``CID.ipfs.HOST``.
        is_own: whether it is the owner's, which may be at home.
    """

    url: str
    has_all: bool = True
    runs_scripts: bool = True
    has_origins: bool = False
    is_own: bool = False

    @property
    def host(self) -> str:
        """Return its name."""
        return _PORT.sub("", self.url.partition("//")[2])


# Of each network the gateways in their order.
GATEWAYS: Final = {
    "ipfs": (
        Gateway("https://ipfs.filebase.io"),
        Gateway("https://ipfs.hypha.coop", has_origins=True),
        Gateway("https://ipfs.blockfrost.dev"),
        Gateway("https://ipfs.orbitor.dev"),
        Gateway("https://ipfs.aleph.cloud"),
        Gateway("https://gateway.pinata.cloud", runs_scripts=False),
        Gateway("https://ipfs.feralfile.com", has_all=False),
    ),
    "ar": (
        Gateway("https://turbo-gateway.com"),
        Gateway("https://ardrive.net"),
        Gateway("https://permagate.io"),
        Gateway("https://ar-io.net"),
        Gateway("https://arweave.net"),
    ),
    "onchfs": (Gateway("https://onchfs.fxhash2.xyz"),),
}
# By all of its names the gateway that is asked after all others, also where an address names it: it times out, refuses
# programs, and leads each work to an origin of its own.
_LAST: Final = ("arweave.net", "www.arweave.net", "arweave.dev")
# Hosts that serve a network below its keys: ``HOST/KEY``, at some ``HOST/raw/KEY`` and an origin of its own for each work.
_KEYED: Final = {
    **{it.host: kind for kind in ("ar", "onchfs") for it in GATEWAYS[kind]},
    **dict.fromkeys((*_LAST, "ar-io.dev", "akrd.net"), "ar"),
    "d2ybmb80bbm9ts.cloudfront.net": "ipfs",
}
# Of "hello" and the end of a line, which are in it: every gateway has them, also one without peers.
SMALL_CID: Final = "bafkqabtimvwgy3yk"
SMALL: Final = b"hello\n"
# Of each network what its gateways are asked for, to know whether they answer.
ASKED_FOR: Final = {
    "ipfs": f"ipfs://{SMALL_CID}",
    "ar": "ar://bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U",
}
OF_VENDOR: Final = "ipfs.feralfile.com"
# Gateways of IPFS that serve no files any more, where they lead to, and the vendor's old host.
_ENDED: Final = re.compile(
    r"(?:[^.]+\.ip[fn]s\.)?(?:(?:gateway\.)?ipfs\.io|(?:dweb|w3s|inbrowser|nftstorage|storacha)\.link|(?:cf|cloudflare)-ipfs\.com"
    rf"|ipfs\.(?:infura\.io|fleek\.co)|(?:.+\.)?infura-ipfs\.io)|{re.escape(_OLD_HOST)}"
)
_SCHEME: Final = re.compile(
    r"(?P<network>ipfs|ar|onchfs):/*+(?:ipfs/+)?+(?P<key>[^/?#\\]+)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_WEB: Final = re.compile(
    r"https?://(?P<host>[^/?#@\\]+)(?P<rest>(?:[/?#].*)?)", re.IGNORECASE | re.DOTALL
)
# Most addresses are none of content.
_PERHAPS_CONTENT: Final = re.compile(
    r"(?:ipfs|ar|onchfs):|https?://(?:[^/?#]+/ipfs/|[^/?#.]+\.ipfs\.|(?:[a-z2-7]{52}\.)?(?:"
    + "|".join(map(re.escape, _KEYED))
    + "))",
    re.IGNORECASE,
)
_PATH: Final = re.compile(r"/ipfs/+(?P<key>[^/?#\\]+)(?P<rest>.*)", re.DOTALL)
_KEY_PATH: Final = re.compile(r"/+(?:raw/+)?(?P<key>[^/?#\\]+)(?P<rest>.*)", re.DOTALL)
_KEYS: Final = {
    "ar": re.compile(r"[0-9A-Za-z_-]{43}"),
    "onchfs": re.compile(r"[\w:~=+-][\w.:~=+-]*"),
}
_OWN_ORIGIN: Final = re.compile(r"^[a-z2-7]{52}\.")
# Within the name of a file, not before a query like `?fxhash=oo…` or a fragment.
_NAME_MARK: Final = re.compile(
    r"[#?](?=[^=]*\.(?:png|jpe?g|gif|webp|avif|svg|bmp|mp4|m4v|mov|webm|html?|glb)$)",
    re.IGNORECASE,
)
_OWN: Final = re.compile(
    r"(?P<scheme>https?)://(?P<key>\{cid\}\.ipfs\.)?(?P<place>[^/?#@{}\\\s]+)(?P<path>/ipfs)?/?",
    re.IGNORECASE,
)
_ROOT: Final = re.compile(r"^/(?=[?#]|$)")
_OUT_OF_PLACE: Final = re.compile(
    r"\\|%2f|%5c|(?:^|/)(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Content:
    """What an address of a network of content names, wherever it is served.

    Attributes:
        network: ``ipfs``, ``ar`` or ``onchfs``.
        key: the CID in base32, or the id.
        rest: path, query and fragment, which are part of the work.
        named: the CID or the id as it was written.
        host: that serves it in the address; empty for that of the network itself.
    """

    network: str
    key: str
    rest: str
    named: str
    host: str = ""

    @property
    def is_page(self) -> bool:
        """Return whether it looks like a web work: a page, or a folder or what else has no name that is asked for something."""
        path, mark, _ = self.rest.partition("?")
        path = path.partition("#")[0]
        kind = media_type(path)
        return kind == PAGE or (not kind and (path.endswith("/") or bool(mark)))

    def at(self, gateway: Gateway) -> str:
        """Return its address at a gateway."""
        if self.network != "ipfs":
            return f"{gateway.url}/{self.named}{self.rest}"
        if gateway.has_origins and (gateway.is_own or self.is_page):
            rest = self.rest if self.rest.startswith("/") else f"/{self.rest}"
            scheme, _, place = gateway.url.partition("://")
            return f"{scheme}://{self.key}.ipfs.{place}{rest}"
        return f"{gateway.url}/ipfs/{self.named}{self.rest}"

    def gateways(self, *, of_vendor: bool = False) -> list[Gateway]:
        """Return the gateways that may have it, in the order in which they are tried.

        Args:
            of_vendor: it is of the vendor's catalog, of which its own gateway has everything.
        """
        first = OF_VENDOR if of_vendor or self.host == OF_VENDOR else None
        everyone = [
            gateway
            for gateway in GATEWAYS[self.network]
            if (gateway.has_all or gateway.host == first)
            and (gateway.runs_scripts or not self.is_page)
        ]
        return sorted(
            everyone,
            key=lambda it: (it.host != first, self.is_page and not it.has_origins),
        )


def own_gateway(text: str) -> Gateway:
    """Return a gateway of IPFS by its address, which ends in ``/ipfs/`` or begins with ``{cid}.ipfs.``.

    Raises:
        ValueError: it is neither.
    """
    match = _OWN.fullmatch(text.strip())
    if match is None or bool(match["key"]) is bool(match["path"]):
        raise ValueError("no address of a gateway")
    origin = web_url(f"{match['scheme'].lower()}://{match['place']}").origin()
    return Gateway(str(origin), has_origins=bool(match["key"]), is_own=True)


def content_of(url: str) -> Content | None:
    """Return what an address names in a network of content, at whichever gateway; None for any other.

    Also None for one that does not stay below what it names (``..``, ``%2F``, a backslash), and for ``ipns``, which
    names no content.
    """
    url = url.strip()
    if _PERHAPS_CONTENT.match(url) is None:
        return None
    if (match := _SCHEME.match(url)) is not None:
        return _content(match["network"].lower(), match["key"], match["rest"], "")
    if (match := _WEB.fullmatch(url)) is None:
        return None
    host, rest = _PORT.sub("", match["host"].lower()), match["rest"]
    key, _, gateway = host.partition(".ipfs.")
    if gateway and (content := _content("ipfs", key, rest, gateway)):
        return content
    if path := _PATH.match(rest):
        return _content("ipfs", path["key"], path["rest"], host)
    host = _OWN_ORIGIN.sub("", host)
    if (network := _KEYED.get(host)) and (path := _KEY_PATH.match(rest)):
        return _content(network, path["key"], path["rest"], host)
    return None


def _content(network: str, key: str, rest: str, host: str) -> Content | None:
    """Return content, if its address stays below what it names."""
    named = key
    if network == "ipfs":
        rest = _NAME_MARK.sub(lambda mark: quote(mark[0]), rest)
        try:
            key = cid_text(read_cid(key))
        except ValueError:
            return None
    elif not _KEYS[network].fullmatch(key):
        return None
    path = re.split(r"[?#]", rest, maxsplit=1)[0]
    if _OUT_OF_PLACE.search(path):
        return None
    return Content(network, key, rest, named, host)


def has_ended(url: str) -> bool:
    """Return whether nothing is served at an address any more: its host ended or moved, or only names what it cannot serve."""
    match = _WEB.fullmatch(url.strip())
    return bool(match and _ENDED.fullmatch(_PORT.sub("", match["host"].lower())))


# What the vendor serves itself, as nearly all of its works are written.
_PLAIN = re.compile(rf"{re.escape(ASSETS_URL)}(?:/[0-9A-Za-z_-][0-9A-Za-z_.-]*)+")


def is_plain(url: str) -> bool:
    """Return whether an address is at once seen to be the one to load, as other ways are slow for tens of thousands."""
    return (
        len(url) <= MAX_URL
        and _PLAIN.fullmatch(url) is not None
        and not any(text in url for text in (_OLD_HOST, "/ipfs/", "/ipns/"))
    )


def work_url(url: str, *, of_vendor: bool = False) -> str:
    """Return the address at which a display loads what an address means.

    What moved is where it moved to, and what is in a network of content at its first gateway unless it is at another one
    that is not known to have ended, nor to be the last to ask. ``#`` and ``?`` in the name of a file are escaped; query
    and fragment stay: ``?fxhash=…`` is the work. Blanks around it go, and it is written as ``escaped_url`` does, but for
    a ``data`` address, which is the work itself.

    Args:
        url: an address as anybody wrote it.
        of_vendor: it is of the vendor's catalog, of which its own gateway has everything.
    """
    url = url.strip()
    if url[:5].lower() == "data:":
        return url
    if len(url) > MAX_URL:
        return escaped_url(url)
    url = _moved(url)
    if content := content_of(url):
        if content.host in ("", *_LAST) or has_ended(url):
            url = content.at(content.gateways(of_vendor=of_vendor)[0])
        else:
            url = _NAME_MARK.sub(lambda mark: quote(mark[0]), url)
    return escaped_url(url)


def _moved(url: str) -> str:
    """Return an address with the hosts that moved where they are now."""
    start = url[: len(ASSETS_URL)].lower()
    if _OLD_HOST in url.lower():
        url = _MOVED.sub(
            lambda old: ("https://" if old["scheme"] else "") + _NEW_HOST, url
        )
        start = url[: len(ASSETS_URL)]
    if start != ASSETS_URL:
        return url
    path = re.split(r"[?#]", url, maxsplit=1)[0]
    is_folder = path.endswith("/") and path[len(ASSETS_URL) :].strip("/")
    return f"{path}index.html{url[len(path) :]}" if is_folder else url


def is_elsewhere(url: str) -> bool:
    """Return whether a display finds nothing at an address that a playlist names, and something at another."""
    return url[:5].lower() != "data:" and work_url(url) != escaped_url(url)


def moved_url(url: str) -> str:
    """Return where an address of the web that names nothing any more is meant; any other address as it is."""
    if url[:4].lower() != "http" or len(url) > MAX_URL:
        return url
    if not has_ended(url) and _moved(url) == url:
        return url
    meant = work_url(url)
    return url if has_ended(meant) else meant


def other_urls(url: str) -> list[str]:
    """Return the other addresses of content, in the order in which to try them; empty for what is in no network."""
    if (content := content_of(url)) is None:
        return []
    others = (content.at(gateway) for gateway in content.gateways())
    return [other for it in others if (other := escaped_url(it)) != url]


def same_work(url: str) -> str:
    """Return an address in the form in which those of the same work are equal, wherever it is served."""
    if url[:5].lower() == "data:" or len(url) > MAX_URL or is_plain(url):
        return url
    if content := content_of(_moved(url.strip())):
        rest = _ROOT.sub("", content.rest)
        return escaped_url(f"{content.network}://{content.key}{rest}")
    return work_url(url)


def is_gateway(url: str) -> bool:
    """Return whether an address is at a gateway that we know, or one that ended."""
    content = content_of(url)
    hosts = {it.host for it in GATEWAYS["ipfs"]} | _KEYED.keys()
    return content is not None and (content.host in hosts or has_ended(url))


def is_web(url: str) -> bool:
    """Return whether an address can be asked for: http or https, with a host that can be read."""
    if not url[:8].lower().startswith(("http://", "https://")):
        return False
    try:
        return bool(plain_host(read_url(url)))
    except ValueError:
        return False


def image_at(url: str) -> str | None:
    """Return an address if it is that of an image, by its suffix, or that of the first in a page; asking for each work would burden its server."""
    if url.startswith("data:text/html") and (found := _IMAGE.search(unquote(url))):
        url = unescape(found[1])
    is_image = is_web(url) and read_url(url).path.lower().endswith(IMAGE_SUFFIXES)
    return url if is_image else None


def loaded_url(value: object, *, of_vendor: bool = False) -> str | None:
    """Return the address at which a page or a picture is loaded; None for what is none, or is nowhere any more.

    Args:
        value: an address as anybody sent it, of any type.
        of_vendor: as for ``work_url``.
    """
    url = work_url(address(value) or "", of_vendor=of_vendor)
    return url if is_web(url) and not has_ended(url) else None
