"""The addresses of media that are lent to displays, each with a secret token in it."""

from collections.abc import Container, Iterator
import re
from typing import Final

from .const import DOMAIN

PATH: Final = f"/api/{DOMAIN}/media"
# As `token_urlsafe` makes it, in characters.
TOKEN_LENGTH: Final = 43
TOKEN: Final = re.compile(rf"\?token=([\w-]{{{TOKEN_LENGTH}}})(?![\w-])")
# What ends an address within a page.
END: Final = re.compile(r"[?\"'<>\s]")


def without_token(source: str | None) -> str | None:
    """Return the source of a work without the token that lets anybody load it."""
    if not source:
        return source
    parts, end = [], 0
    for match in lent_in(source):
        parts.append(source[end : match.start()])
        end = match.end()
    return "".join((*parts, source[end:]))


def lent_in(text: str, among: Container[str] | None = None) -> Iterator[re.Match[str]]:
    """Yield the tokens of addresses of media in a text, or those of some; it may be as long as a document, and is read once."""
    end = 0
    for match in TOKEN.finditer(text):
        begin, end = end, match.end()
        if among is not None and match[1] not in among:
            continue
        start = text.rfind(PATH, begin, match.start())
        if start >= 0 and END.search(text, start, match.start()) is None:
            yield match
