"""Make text from outside safe: one line, no markup, no characters that affect what is around them.

``clean`` is for texts of a server, ``one_line`` for messages and logs, ``markdown_safe`` for where Markdown is rendered.
"""

from html.parser import HTMLParser
import re
from typing import override

LIMIT = 500
LONGEST_INPUT = 100_000

_INVISIBLE = re.compile(
    # Zero width space, marks and overrides of direction, byte order mark, halves of surrogate pairs, tags.
    "[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
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
_NOT_SHOWN = frozenset({"script", "style", "template"})
_INLINE = frozenset(
    {"a", "abbr", "b", "big", "bdi", "bdo", "cite", "code", "em", "font", "i"}
    | {"mark", "q", "s", "small", "span", "strong", "sub", "sup", "tt", "u"}
)


class _Text(HTMLParser):
    """Collects the text that a browser would show."""

    def __init__(self) -> None:
        """Initialize without text."""
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden: list[str] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Separate words at the start of a block, and note hidden elements."""
        if tag in _NOT_SHOWN:
            self._hidden.append(tag)
        elif tag not in _INLINE:
            self.parts.append(" ")

    @override
    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle as a start tag: HTML ignores the slash."""
        self.handle_starttag(tag, attrs)

    @override
    def handle_endtag(self, tag: str) -> None:
        """Separate words at the end of a block, and note the end of hidden elements."""
        if tag in _NOT_SHOWN:
            if tag in self._hidden:
                del self._hidden[self._hidden.index(tag) :]
        elif tag not in _INLINE:
            self.parts.append(" ")

    @override
    def handle_data(self, data: str) -> None:
        """Collect text that is not hidden."""
        if not self._hidden:
            self.parts.append(data)


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
    text = text[:LONGEST_INPUT]
    if "<" in text or "&" in text:
        parser = _Text()
        parser.feed(text)
        parser.close()
        text = "".join(parser.parts)
    return one_line(text, limit)


def one_line(text: str, limit: int = LIMIT) -> str:
    """Return a text without control, direction and escape characters, its white space as single blanks.

    Args:
        text: what goes into a message or a log; markup stays.
        limit: maximum number of characters; a longer text ends in an ellipsis.
    """
    text = text[:LONGEST_INPUT]
    if not text.isprintable():
        text = _CONTROL.sub(" ", _INVISIBLE.sub("", _ANSI.sub("", text)))
    return shorten(" ".join(text.split()), limit)


def markdown_safe(text: object, limit: int = LIMIT) -> str:
    """Return a text as ``clean`` does, so that Markdown shows it as it is: no links, pictures, lists or emphasis.

    For dialogs and notifications of Home Assistant, which read Markdown; elsewhere the backslashes would show.
    """
    return _MARKDOWN.sub(r"\\\g<0>", clean(text, limit))


def is_technical(text: str) -> bool:
    """Return whether a text is about the inside of a server, which only goes to the debug log."""
    return bool(_TECHNICAL.search(text[:LONGEST_INPUT]))


def shorten(text: str, limit: int = LIMIT) -> str:
    """Cut a text to at most ``limit`` characters, the last one an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
