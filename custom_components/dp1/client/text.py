"""Text from outside made plain: one line, no markup, no characters that act on what is around them."""

from html.parser import HTMLParser
import re
from typing import override

LIMIT = 500
LONGEST_INPUT = 100_000

_INVISIBLE = re.compile(
    # Zero width space, marks and overrides of direction, byte order mark, halves of surrogate pairs.
    "[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufff9-\ufffb]"
)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_NOT_SHOWN = frozenset({"script", "style", "template"})
_INLINE = frozenset(
    {"a", "abbr", "b", "big", "bdi", "bdo", "cite", "code", "em", "font", "i"}
    | {"mark", "q", "s", "small", "span", "strong", "sub", "sup", "tt", "u"}
)


class _Text(HTMLParser):
    """Collects what a browser would show."""

    def __init__(self) -> None:
        """Start with nothing."""
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden: list[str] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Part words at the start of a block, and note what is not shown."""
        if tag in _NOT_SHOWN:
            self._hidden.append(tag)
        elif tag not in _INLINE:
            self.parts.append(" ")

    @override
    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open the element: HTML knows no end within the start."""
        self.handle_starttag(tag, attrs)

    @override
    def handle_endtag(self, tag: str) -> None:
        """Part words at the end of a block, and note the end of what is not shown."""
        if tag in _NOT_SHOWN:
            if tag in self._hidden:
                del self._hidden[self._hidden.index(tag) :]
        elif tag not in _INLINE:
            self.parts.append(" ")

    @override
    def handle_data(self, data: str) -> None:
        """Keep what is shown."""
        if not self._hidden:
            self.parts.append(data)


def clean(text: object, limit: int = LIMIT) -> str:
    """Make plain text of what a server calls text: HTML or not, possibly broken, possibly no text at all.

    Tags and the content of scripts and styles go, entities are resolved, control and direction characters go,
    white space becomes single blanks.

    Args:
        text: anything; what is no string gives an empty one.
        limit: most characters to return; a longer text ends in an ellipsis.
    """
    if not isinstance(text, str):
        return ""
    text = text[:LONGEST_INPUT]
    if "<" in text or "&" in text:
        parser = _Text()
        parser.feed(text)
        parser.close()
        text = "".join(parser.parts)
    return shorten(" ".join(_CONTROL.sub(" ", _INVISIBLE.sub("", text)).split()), limit)


def shorten(text: str, limit: int = LIMIT) -> str:
    """Cut a text to at most ``limit`` characters, the last one an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
