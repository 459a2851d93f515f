"""The title of a web page, read from its beginning."""

from asyncio import IncompleteReadError
import re

from aiohttp import ClientResponse

from .text import MAX_TITLE, READ_LENGTHS, clean

MAX_PAGE = 64 * 1024
_CHARSET = re.compile(rb"charset=[\"']?([\w-]+)", re.IGNORECASE)
_CHARSET_WITHIN = 1024
_TITLE = re.compile(rb"<title(?:\s[^<>]*+)?>([^<]*+)", re.IGNORECASE)


async def read_title(response: ClientResponse) -> str:
    """Return the title within the first 64 KB of a page, cleaned; empty if there is none, or if it is no page.

    Raises:
        aiohttp.ClientError: the connection ended early.
        TimeoutError: it took too long.
    """
    if not response.ok or response.content_type != "text/html":
        return ""
    try:
        head = await response.content.readexactly(MAX_PAGE)
    except IncompleteReadError as err:
        head = err.partial
    if (found := _TITLE.search(head)) is None:
        return ""
    title = found[1][: READ_LENGTHS * MAX_TITLE]
    named = _CHARSET.search(head[:_CHARSET_WITHIN])
    charset = response.charset or (named[1].decode("ascii", "ignore") if named else "")
    try:
        text = title.decode(charset or "utf-8", "replace")
    except LookupError, ValueError:
        text = title.decode(errors="replace")
    return clean(text, MAX_TITLE)
