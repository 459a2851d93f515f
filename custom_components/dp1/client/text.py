"""Safe texts and web addresses from outside: one line, no markup, no characters that affect the text around them.

``clean`` is for texts of a server, ``one_line`` for messages and logs, ``markdown_safe`` for where Markdown is rendered.
"""

from collections.abc import Callable
from functools import lru_cache
from html import unescape
from mimetypes import guess_type
import re
from urllib.parse import quote

from yarl import URL

LIMIT = 500
MAX_TITLE = 200
# How much of a text is read, in lengths of what may be left of it: markup and blanks take room.
READ_LENGTHS = 8

_INVISIBLE = re.compile(
    # Zero width space, marks and overrides of direction, byte order mark, halves of surrogate pairs, tags.
    "[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# What a reader does not see, and a model does: fillers, selectors of variants and joiners beyond what emoji need.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u3164\ufe00-\ufe0d\uffa0\U0001d173-\U0001d17a\U000e0080-\U000e0fff]"
    "|[\u200c\u200d\ufe0e\ufe0f]{3,}"
)
# Marks beyond as many as letters have stand over the lines around.
_MARKS = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_MANY_MARKS = re.compile(f"({_MARKS}{{4}}){_MARKS}+")
_ANSI = re.compile(
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])?"
)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_MARKDOWN = re.compile("[!-/:-@[-`{-~]")
# Words about the server, not about the request: databases, connections, places in its source.
_TECHNICAL = re.compile(
    r"SQLSTATE|\bsql\b|\bpq:|\bpgx|postgres|database|\b(?:dial|read|write|lookup) (?:tcp|udp|unix)\b|\blookup \S+ on\b"
    r"|\b(?:host|user|password|dbname|port)=|://[^\s/]*@|\b\d{1,3}(?:\.\d{1,3}){3}\b|connection (?:refused|reset)"
    r"|goroutine|panic:|Traceback|\.(?:go|ts|js|py):\d|ECONN|ENOTFOUND|ETIMEDOUT|(?:^|\s)/(?:\w+/)+\w+",
    re.IGNORECASE,
)
_INLINE = frozenset(
    {"a", "abbr", "b", "big", "bdi", "bdo", "cite", "code", "em", "font", "i"}
    | {"mark", "q", "s", "small", "span", "strong", "sub", "sup", "tt", "u"}
)
# Each alternative reads on to the end of the text if its own end is missing, so that none is read twice.
_MARKUP = re.compile(
    r"<(?P<hidden>script|style|template)\b.*?(?:</(?P=hidden)\b[^>]*+>?|\Z)"
    r"|<!--.*?(?:-->|\Z)"
    r"|<[!?][^>]*+>?"
    r"|</?(?P<tag>[a-z][^\s/>]*+)(?:[^>\"']++|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+>?",
    re.IGNORECASE | re.DOTALL,
)
# Python does not read numbers of any length.
_ENDLESS_REFERENCE = re.compile(r"&#[0-9]{8,};?")


def _instead(match: re.Match[str]) -> str:
    """Return the text that a browser shows in place of markup: a space at the border of a block."""
    tag = match["tag"]
    return " " if tag and tag.lower() not in _INLINE else ""


def clean(text: object, limit: int = LIMIT) -> str:
    """Return the plain text of HTML or text from a server, possibly broken, possibly of another type.

    Tags and the content of scripts and styles are removed, entities are resolved, control and direction characters
    removed, white space becomes single blanks.

    Args:
        text: anything; what is no string gives an empty one.
        limit: maximum number of characters; a longer text ends in an ellipsis.
    """
    if not isinstance(text, str):
        return ""
    text = text[: READ_LENGTHS * limit]
    if "<" in text:
        text = _MARKUP.sub(_instead, text)
    if "&" in text:
        text = unescape(_ENDLESS_REFERENCE.sub("\ufffd", text))
    return one_line(text, limit)


def is_unicode(text: str) -> bool:
    """Return whether a text can be written: the name of a file may have bytes that are no UTF-8, which Python keeps as halves of characters."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def plain(limit: int) -> Callable[[object], str | None]:
    """Return a function that cleans a text to at most ``limit`` characters, None if nothing is left."""
    return lambda value: clean(value, limit) or None


def one_line(text: str, limit: int = LIMIT) -> str:
    """Return a text without control, direction and escape characters, its white space as single blanks.

    Args:
        text: what goes into a message or a log; markup stays.
        limit: maximum number of characters; a longer text ends in an ellipsis.
    """
    text = text[: READ_LENGTHS * limit]
    if not text.isprintable():
        text = _CONTROL.sub(" ", _INVISIBLE.sub("", _ANSI.sub("", text)))
    if not text.isascii():
        text = _MANY_MARKS.sub(r"\1", _HIDDEN.sub("", text))
    return shorten(" ".join(text.split()), limit)


_PASSWORD = re.compile(r"(?<=//)[^\s/?#@]+@")
_QUERY = re.compile(r"((?:https?:/|/api)/[^\s?\"'<>]*\?)[^\s\"'<>]+")


def told(text: str) -> str:
    """Return a line as anybody may read it, as in a log: its addresses without passwords and queries, which may have a key in them."""
    return _QUERY.sub(r"\1…", _PASSWORD.sub("", text))


def plain_lines(text: str) -> str:
    """Return a text of people whose every line is as ``one_line`` has it; it is cut nowhere."""
    return "\n".join(one_line(line, len(line)) for line in text.split("\n"))


def markdown_safe(text: object, limit: int = LIMIT) -> str:
    """Return a text as ``clean`` does, so that Markdown shows it as it is: no links, pictures, lists or emphasis.

    For dialogs and notifications of Home Assistant, which read Markdown; elsewhere the backslashes would show.
    """
    return _MARKDOWN.sub(r"\\\g<0>", clean(text, limit))


def is_technical(text: str) -> bool:
    """Return whether a text is about the inside of a server, which only goes to the debug log."""
    return bool(_TECHNICAL.search(text[: READ_LENGTHS * LIMIT]))


def shorten(text: str, limit: int = LIMIT) -> str:
    """Cut a text to at most ``limit`` characters, the last one an ellipsis, at the end of a word where one ends in the last third."""
    if len(text) <= limit:
        return text
    end = text.rfind(" ", 2 * limit // 3, limit)
    return f"{text[: end if end > 0 else limit - 1].rstrip()}…"


_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|[0-9a-f]*:[0-9a-f:.]+(%[\w.-]+)?")
PAGE = "text/html"
# A part of a host that browsers read as a number; no longer than the largest with some zeros.
_NUMBER = re.compile(r"0x[0-9a-f]{0,16}|0[0-7]{0,24}|[1-9][0-9]{0,9}")
# Of a film that is streamed.
HLS = "application/vnd.apple.mpegurl"
# Of pictures and films that are one file, as displays know them.
SUFFIXES = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/bmp": "bmp",
    "image/avif": "avif",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/ogg": "ogv",
}
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"BM": "image/bmp",
    b"\x1aE\xdf\xa3": "video/webm",
    b"OggS": "video/ogg",
}
# Of the format of QuickTime, those that are no MP4; HEIC is shown by no display.
_BRANDS = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "",
    b"mif1": "",
    b"qt  ": "video/quicktime",
}
# Lists of addresses, and types that neither a browser nor a player shows; a PDF within its address neither.
_LISTS = (".m3u", ".pls")
_PDF = "application/pdf"
_UNSHOWN = frozenset(
    {"application/json", "application/ld+json", "application/zip", _PDF}
    | {"application/gzip", "application/vnd.rar", "application/x-rar-compressed"}
    | {"application/x-7z-compressed", "application/x-tar", "application/x-msdownload"}
    | {"application/msword", "image/vnd.adobe.photoshop", "image/x-canon-cr2"}
    | {"image/heic", "image/heif", "image/heic-sequence", "image/jxl", "image/tiff"}
    | {"video/x-msvideo", "video/x-ms-wmv", "video/x-flv", "video/mpeg"}
)
_UNSHOWN_SUFFIXES = (
    "zip rar 7z gz bz2 xz tar tgz psd ai jxl heics cr2 cr3 nef arw dng raw avi wmv flv mpg mpeg doc docx "
    "xls xlsx ppt pptx exe msi dmg iso apk"
)
# In characters. Reading one takes up to a microsecond for each.
MAX_URL = 8192


_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_IP_LITERAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\[[0-9A-Fa-f:.]+\]")
_URI_SAFE = "!$%&'()*+,/:;=?@-._~"
# A host that is not of ASCII alone.
_OTHER_HOST = re.compile(r"(https?://)(?=[\x00-\x7f]*[^\x00-\x7f])([^/?#@:\x00-\x20]+)")


def _punycode(host: str) -> str | None:
    """Return a host of any letters in ASCII; None if there is none."""
    try:
        return URL(f"http://{host}").raw_host
    except ValueError:
        return None


def escaped_url(text: str) -> str:
    """Return a URL with all characters escaped that a URI may not have, and each % that escapes nothing.

    A host of other letters is written as it is asked for (punycode).
    """
    text = _BARE_PERCENT.sub("%25", text.strip())
    if (host := _OTHER_HOST.match(text)) and (name := _punycode(host[2])):
        text = f"{host[1]}{name}{text[host.end() :]}"
    start = match.end() if (match := _IP_LITERAL.match(text)) else 0
    parts = text[start:].split("#", 1)
    return text[:start] + "#".join(
        quote(part, safe=_URI_SAFE, errors="replace") for part in parts
    )


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


@lru_cache(256)
def media_type(url: str) -> str:
    """Return the type of the picture, the film or the page at an address, or of a ``data`` address; empty if it does not tell."""
    kind = (guess_type(url)[0] or "").lower()
    return kind if kind.startswith(("image/", "video/", PAGE, HLS)) else ""


def file_type(head: bytes) -> str:
    """Return the type of a picture or a film by its first bytes, of at least sixteen; empty for anything else."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "video/mp4")
    return next((it for start, it in _BEGINNINGS.items() if head.startswith(start)), "")


def unshown_type(url: str, kind: str = "") -> str:
    """Return the type of a medium that no display shows as a work; empty for any other.

    Args:
        url: its address.
        kind: its MIME type, by default what the address tells.
    """
    is_file = url[:5].lower() != "data:"
    path = re.split("[?#]", url, maxsplit=1)[0].lower() if is_file else ""
    if path.endswith(_LISTS):
        return "audio/x-mpegurl"
    name, mark, suffix = path.rpartition("/")[2].rpartition(".")
    if name and mark and suffix in _UNSHOWN_SUFFIXES.split():
        return f".{suffix}"
    kind = kind.lower().partition(";")[0] or (guess_type(url)[0] or "").lower()
    return "" if kind not in _UNSHOWN or (is_file and kind == _PDF) else kind


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


def server_url(text: str, interface: re.Pattern[str]) -> URL:
    """Return the address of a server in the form that names it, from any in which people write it.

    Without a scheme, ``with_scheme`` chooses one; query, fragment, and the path of the interface go.

    Args:
        text: what was written.
        interface: what to leave out of the path.

    Raises:
        ValueError: not the address of a web server, or one with a user name or password in it.
    """
    url = web_url(with_scheme(text.strip()))
    return url.origin().with_path(interface.sub("", url.raw_path), encoded=True)


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
    """Return the host of an address in the form in which hosts are compared, that of numbers as browsers read it."""
    return browser_host(url.host or "")


def browser_host(host: str) -> str:
    """Return a host as browsers ask for it: ``127.1``, ``0x7f.1`` and ``0177.0.0.1`` are ``127.0.0.1``.

    Source: URL Standard of the WHATWG, IPv4 parser.
    """
    host = host.lower().rstrip(".")
    parts = host.split(".")
    if len(parts) > 4 or not all(map(_NUMBER.fullmatch, parts)):
        return host
    *first, last = (_number(part) for part in parts)
    if any(it > 255 for it in first) or last >= 256 ** (5 - len(parts)):
        return host
    whole = sum(it << (8 * (3 - place)) for place, it in enumerate(first)) + last
    return ".".join(map(str, whole.to_bytes(4)))


def _number(part: str) -> int:
    """Return a number of a host, hexadecimal after 0x and octal after 0."""
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8 if part.startswith("0") else 10)
