"""Privacy of published documents: no text leads into the home, opens media of Home Assistant or is a secret.

Each text is read as it is, and decoded once, as a page in an address is.
"""

from base64 import b64decode
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
import re
from typing import Any, Final
from urllib.parse import unquote

from ..client.errors import Fault
from ..client.guard import HOME_SUFFIXES, is_home_name
from ..client.playlist.schema import MAX_FAULTS, path_text
from ..client.text import plain_host, web_url
from ..grants import PATH as LENT_PATH

PUBLIC_SCHEMES: Final = ("http", "https", "ipfs", "ar", "data")
# Parts of addresses that give access to media of this Home Assistant.
PRIVATE_PARTS: Final = (
    "authSig=",
    LENT_PATH,
    "/api/camera_proxy",
    "/api/image_proxy/",
    "/api/media_player_proxy/",
)
# Headers of a query that are no secret.
PUBLIC_HEADERS: Final = {"accept", "accept-language", "content-type"}
# Names at home that routers answer for, though others could own them.
ROUTERS: Final = (
    *("fritz.box", "fritz.nas", "myfritz.box", "speedport.ip", "easy.box", "o2.box"),
    *("routerlogin.net", "routerlogin.com", "tplinkwifi.net", "tplinklogin.net"),
    *("asusrouter.com", "router.asus.com", "mafreebox.freebox.fr", "homerouter.cpe"),
    *("hi.link", "connect.box", "giga.cube", "repeater.asus.com"),
)
HOME_ENDS: Final = (
    *HOME_SUFFIXES,
    *(f".{it}" for it in (*ROUTERS, "lan", "home", "localdomain", "intranet", "corp")),
)
# Each of these begins with what is rare in a text, so that its search is quick.
_HOST: Final = r"([^\s\"'<>`/\\?#]+)"
_SCHEMES: Final = ("http", "https", "ws", "wss", "rtsp", "rtsps", "ftp")
ADDRESSES: Final = (
    # Browsers take any slashes after a scheme, also none; without a scheme, that of the page is meant.
    re.compile(
        f":(?:{'|'.join(f'(?<={it}:)' for it in _SCHEMES)})([/\\\\]*){_HOST}",
        re.IGNORECASE,
    ),
    re.compile(rf"[/\\](?:(?<=\A.)|(?<=[\"'=(`].))([/\\]+){_HOST}"),
)
TOKEN: Final = re.compile(r"\btoken=[\w-]{43}(?![\w-])")
NAME: Final = re.compile(r"(?:[a-z0-9_-]+\.)+[a-z]{2,24}")
PRIVATE: Final = "is a private address of this Home Assistant"
AT_HOME: Final = "is an address of this home: put the work where everybody can load it"
NAMES_HOME: Final = "names {host}, which only this home can load: take it out, or publish with allow_home_addresses"
HEADER: Final = "is a header that everybody could read"
NOT_LOADED: Final = "is no address that others can load: use http(s), ipfs, ar or data"


def private_faults(
    document: Mapping[str, Any],
    own_hosts: Collection[str] = (),
    *,
    may_name_home: bool = False,
) -> list[Fault]:
    """Return the texts that are private, as they are or decoded once.

    Args:
        document: what is to be published.
        own_hosts: at which the internet reaches this Home Assistant.
        may_name_home: whether texts and pages may name addresses at home, as libraries of programs do; none is loaded from there.
    """
    judge = _Judge(frozenset(own_hosts), may_name_home)
    faults: list[Fault] = []
    for path, text in _texts(document, set()):
        if (problem := judge.problem(path, text)) is not None:
            faults.append(Fault(path_text(path), problem))
            if len(faults) >= MAX_FAULTS:
                break
    return faults


def _texts(
    value: object, names: set[str], path: tuple[Any, ...] = ()
) -> Iterator[tuple[Any, str]]:
    """Yield every text of a document with its path, and each name of a field once."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            if str(name) not in names:
                names.add(str(name))
                yield path, str(name)
            yield from _texts(part, names, (*path, name))
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _texts(part, names, (*path, index))


class _Judge:
    """A judge of the texts of one document."""

    def __init__(self, own_hosts: frozenset[str], may_name_home: bool) -> None:
        """Initialize with what is private."""
        self._own_hosts = own_hosts
        self._may_name_home = may_name_home
        # Most addresses of a page are of the same few hosts.
        self._at_home = lru_cache(maxsize=1024)(self._host_at_home)

    def problem(self, path: tuple[Any, ...], text: str) -> str | None:
        """Return why a text must not be published."""
        match path:
            case (*_, "headers", str(name)) if name.lower() not in PUBLIC_HEADERS:
                return HEADER
            case ("items", int(), "source") if (
                text.partition(":")[0].lower() not in PUBLIC_SCHEMES
            ):
                return PRIVATE if LENT_PATH in text else NOT_LOADED
        named = ""
        for form in dict.fromkeys((text, _decoded(text))):
            if any(part in form for part in PRIVATE_PARTS):
                return PRIVATE
            if TOKEN.search(form):
                return PRIVATE
            host, is_whole = self._home_in(form)
            if is_whole and form is text:
                return AT_HOME
            named = named or host
        if named and not self._may_name_home:
            return NAMES_HOME.format(host=named)
        return None

    def _home_in(self, form: str) -> tuple[str, bool]:
        """Return the first host at home in a text, empty if there is none, and whether the text is its address."""
        if not any(sign in form for sign in (":", "//", "\\\\")):
            return "", False
        for with_scheme, addresses in enumerate(ADDRESSES[::-1]):
            for match in addresses.finditer(form):
                is_address = match[1] or "." in match[2]
                if is_address and (host := self._at_home(match[2])):
                    before = form[: match.start()].strip()
                    return host, before.isalpha() if with_scheme else not before
        return "", False

    def _host_at_home(self, authority: str) -> str:
        """Return the host of an address if that is at home or leads there, else an empty text."""
        host = authority.rpartition("@")[2].lower()
        # Most are names in the internet, which need not be read as browsers do.
        is_home = False
        if NAME.fullmatch(host) is None:
            try:
                host = plain_host(web_url(f"http://{host}"))
            except ValueError:
                return ""
            is_home = is_home_name(host)
        is_named = host in self._own_hosts or f".{host}".endswith(HOME_ENDS)
        return host if is_home or is_named else ""


def _decoded(text: str) -> str:
    """Return a text as a browser reads it that loads it: what is in base64 in a `data` address, and its escapes."""
    head, _, body = text.partition(",")
    if head[:5].lower() == "data:" and head.rstrip().lower().endswith("base64"):
        return _from_base64("".join(unquote(body).split()))
    return unquote(text)


def _from_base64(run: str) -> str:
    """Return the text that is in base64, empty if it is none, such as a picture."""
    run = run.rstrip("=").translate(URL_SAFE)
    try:
        data = b64decode(run + "=" * (-len(run) % 4))
    except ValueError:
        return ""
    letters = len(data) - len(data.translate(None, LETTERS))
    # Of UTF-16, half are letters.
    return data.decode("latin-1") if letters > 0.47 * len(data) else ""


URL_SAFE: Final = str.maketrans("-_", "+/")
LETTERS: Final = bytes([*b"\t\n\r", *range(32, 127)])
