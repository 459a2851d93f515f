"""Privacy of published documents: no text leads into the home, opens media of Home Assistant or is a secret.

Texts are decoded as a browser would, layer by layer, as an address in a page in an address is one, too.
"""

from base64 import b64decode
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from html import unescape
import re
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from ..client.errors import Fault
from ..client.guard import HOME_SUFFIXES, is_home_name
from ..client.playlist.document import MAX_DOCUMENT
from ..client.playlist.schema import MAX_FAULTS, path_text
from ..client.text import plain_host, web_url
from ..lent import PATH as LENT_PATH, TOKEN_LENGTH

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
# Of what is decoded, and characters of all layers of a document.
MAX_LAYERS: Final = 8
MAX_DECODED: Final = 10 * MAX_DOCUMENT
# Layers in which escapes are also read as those of CSS.
CSS_LAYERS: Final = 2
# In which texts are searched, in characters, and what two of them share: more than an address has, encoded several times.
WINDOW: Final = 128 * 1024
OVERLAP: Final = 16 * 1024
STEP: Final = WINDOW - OVERLAP
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
BLOCK: Final = (TOKEN_LENGTH + 1) // 2
NAME: Final = re.compile(r"(?:[a-z0-9_-]+\.)+[a-z]{2,24}")
# What a browser drops from an address, and half of each letter of UTF-16.
DROPPED: Final = re.compile("[\t\r\n\0\u00ad\u200b-\u200d\u2060\ufeff]")
# What follows a backslash in a program.
ESCAPED: Final = re.compile(
    r"u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|([0-3]?[0-7]{1,2})",
    re.IGNORECASE,
)
# And in CSS.
HEXADECIMAL: Final = re.compile(r"([0-9a-f]{1,6})[ \t\n]?", re.IGNORECASE)
DATA: Final = re.compile(
    r":(?<=data:)[^,\"'<>]{0,200};\s*base64\s*,((?-i:[A-Za-z0-9+/_=%\s-]+))",
    re.IGNORECASE,
)
# Within a program; the shortest address that leads home is as long.
CODED: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
CODES: Final = "".join(map(chr, range(128))).translate(
    {it: None for it in range(128) if not CODED.match(chr(it) * 16)}
)
# What a text has that says more than it seems to.
PACKED: Final = re.compile(f"[%&\\\\]|64\\s*,|{DROPPED.pattern}|{CODED.pattern}")
PRIVATE: Final = "is a private address of this Home Assistant"
AT_HOME: Final = "is an address of this home: put the work where everybody can load it"
NAMES_HOME: Final = "names {host}, which only this home can load: take it out, or publish with allow_home_addresses"
HEADER: Final = "is a header that everybody could read"
NOT_LOADED: Final = "is no address that others can load: use http(s), ipfs, ar or data"
TOO_DEEP: Final = "is encoded too often to be looked through"


def private_faults(
    document: Mapping[str, Any],
    tokens: Collection[str],
    own_hosts: Collection[str] = (),
    *,
    may_name_home: bool = False,
) -> list[Fault]:
    """Return the texts that are private, also where they are encoded.

    Args:
        document: what is to be published.
        tokens: of lent media.
        own_hosts: at which the internet reaches this Home Assistant.
        may_name_home: whether texts and pages may name addresses at home, as libraries of programs do; none is loaded from there.
    """
    judge = _Judge(frozenset(tokens), frozenset(own_hosts), may_name_home)
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


class _Part(NamedTuple):
    """A part of a text, as it is or decoded.

    Attributes:
        text: the part.
        depth: how often it was decoded.
        begins_cut: whether the text begins before it, so that an address at its beginning may be none.
        ends_cut: whether the text goes on, so that an address at its end may be another.
        skipped: how many of its first characters may end what is in base64 before it.
    """

    text: str
    depth: int
    begins_cut: bool
    ends_cut: bool
    skipped: Sequence[int] = (0,)


class _Judge:
    """A judge of the texts of one document."""

    def __init__(
        self, tokens: frozenset[str], own_hosts: frozenset[str], may_name_home: bool
    ) -> None:
        """Initialize with what is private."""
        # Wherever a token is, it has one of these at a place that is a multiple of their length.
        self._blocks = {
            token[start : start + BLOCK]
            for token in tokens
            for start in range(len(token) - BLOCK + 1)
        }
        self._own_hosts = own_hosts
        self._may_name_home = may_name_home
        self._left = MAX_DECODED
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
        waiting, seen = [*_parts(text)], {text}
        while waiting:
            part = waiting.pop()
            self._left -= len(part.text)
            if self._opens_media(part.text):
                return PRIVATE
            host, is_whole = self._home_in(part)
            if is_whole:
                return AT_HOME
            named = named or host
            if PACKED.search(part.text) is None:
                continue
            inner = [it for it in _decoded(part) if it.text not in seen]
            if inner and (part.depth >= MAX_LAYERS or self._left < 0):
                return TOO_DEEP
            seen.update(it.text for it in inner)
            waiting += inner
        if named and not self._may_name_home:
            return NAMES_HOME.format(host=named)
        return None

    def _opens_media(self, form: str) -> bool:
        """Return whether a text opens media of Home Assistant; a token does in any text."""
        for part in PRIVATE_PARTS:
            if part in form:
                return True
        return bool(self._blocks) and any(
            form[start : start + BLOCK] in self._blocks
            for start in range(0, len(form) - BLOCK + 1, BLOCK)
        )

    def _home_in(self, part: _Part) -> tuple[str, bool]:
        """Return the first host at home in a text, empty if there is none, and whether the text is its address."""
        form = part.text
        if not any(sign in form for sign in (":", "//", "\\\\")):
            return "", False
        for with_scheme, addresses in enumerate(ADDRESSES[::-1]):
            for match in addresses.finditer(form):
                begins, ends = match.span()
                is_cut = (part.ends_cut and ends == len(form)) or (
                    not with_scheme and part.begins_cut and begins == 0
                )
                is_address = match[1] or "." in match[2]
                if not is_cut and is_address and (host := self._at_home(match[2])):
                    before = form[:begins].strip()
                    is_first = before.isalpha() if with_scheme else not before
                    is_all = part.depth == 0 and not part.begins_cut
                    return host, is_all and is_first
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


def _parts(text: str) -> Iterator[_Part]:
    """Yield a text, and what is in it if it is an address in base64, in parts that overlap: nothing else runs while one is searched."""
    texts, is_read = [(text, 0)], False
    if match := DATA.match(text, len("data")):
        coded = "".join(unquote(match[1]).split())
        decoded = _from_base64(coded)
        texts.append((decoded, 1))
        # All of it, so that no part of it is read once more.
        is_read = match.end() == len(text) and 4 * len(decoded) > 3 * (len(coded) - 4)
    for whole, depth in texts:
        # Where the latest of what may be in base64 begins.
        run = 0
        for start in range(0, max(len(whole) - OVERLAP, 1), STEP):
            end = start + WINDOW
            yield _Part(
                whole[start:end],
                depth,
                start > 0,
                end < len(whole),
                () if is_read and not depth else (-(start - run) % 4,),
            )
            if other := whole[start : start + STEP].rstrip(CODES):
                run = start + len(other)


def _decoded(part: _Part) -> Iterator[_Part]:
    """Yield what browsers read out of a text: without its escapes, and what is in base64 in it."""
    form, depth = part.text, part.depth + 1
    changed = part._replace(depth=depth, skipped=range(4 if part.begins_cut else 1))
    plain = DROPPED.sub("", unescape(unquote(form) if "%" in form else form))
    if "\\" in plain:
        if part.depth < CSS_LAYERS:
            styled = _unescaped(HEXADECIMAL, plain)
            if styled != plain:
                yield changed._replace(text=styled)
        plain = _unescaped(ESCAPED, plain).replace("\\\\", "\0")
        plain = plain.replace("\\", "").replace("\0", "\\")
    if plain != form:
        yield changed._replace(text=plain)
    for match in DATA.finditer(form):
        if text := _from_base64("".join(unquote(match[1]).split())):
            yield _Part(text, depth, False, part.ends_cut and match.end() == len(form))
    for match in CODED.finditer(form):
        begins_cut = part.begins_cut and match.start() == 0
        for cut in part.skipped if begins_cut else (0,):
            if text := _from_base64(match[0][cut:]):
                ends_cut = part.ends_cut and match.end() == len(form)
                yield _Part(text, depth, begins_cut, ends_cut)


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


def _unescaped(escape: re.Pattern[str], text: str) -> str:
    """Return a text with the characters that its escapes of numbers stand for."""
    first, *parts = text.split("\\")
    return first + "".join([_after_backslash(escape, part) for part in parts])


@lru_cache(maxsize=1024)
def _after_backslash(escape: re.Pattern[str], part: str) -> str:
    """Return what follows a backslash, its escape as a character, if it is one; a page may have a million of the same."""
    if (match := escape.match(part)) is None:
        return f"\\{part}"
    is_octal = escape is ESCAPED and match[4]
    character = ""
    with suppress(ValueError, OverflowError):
        character = chr(int(match[match.lastindex or 0], 8 if is_octal else 16))
    return character + part[match.end() :]
