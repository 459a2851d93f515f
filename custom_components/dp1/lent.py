"""The addresses of media that are lent to displays, each with the id of the medium and a secret token in it."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
import re
from typing import Final
from urllib.parse import quote

from .const import DOMAIN

PATH: Final = f"/api/{DOMAIN}/media"
# Of sources, which may be pages with thousands of addresses: the address without its token, the id, and the token.
LENT: Final = re.compile(
    rf"({PATH}/([\w-]+)/[^?\"'<>\s]{{0,2000}})\?token=([\w-]{{43}})(?![\w-])"
)
# Of ids in bytes: the address of a medium with a longer one is none that displays take.
MAX_ID: Final = 5000


def path_of(media_id: str, path: str) -> str:
    """Return the path at which a medium is lent, with the name at the end of its own path, which tells its type."""
    key = urlsafe_b64encode(media_id.encode()).decode().rstrip("=")
    return f"{PATH}/{key}/{quote(path.rpartition('/')[2])}"


def media_id_at(key: str) -> str:
    """Return the id of a medium as it is written in a path; empty if it is none."""
    try:
        return urlsafe_b64decode(key + "=" * (-len(key) % 4)).decode()
    except ValueError:
        return ""


def without_token(source: str | None) -> str | None:
    """Return the source of a work without the token that lets anybody load it."""
    return LENT.sub(r"\1", source) if source and PATH in source else source


def lent_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the media whose addresses are in a text, with their tokens."""
    for match in LENT.finditer(text):
        yield media_id_at(match[2]), match[3]
