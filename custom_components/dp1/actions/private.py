"""Privacy of published documents: no text leads into the home, opens media of Home Assistant or is a secret."""

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from html import unescape
import re
from typing import Any, Final
from urllib.parse import unquote

from ..client.errors import Fault
from ..client.guard import is_home_name
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
# A text may be encoded several times, such as an address in a page in an address.
MAX_ENCODINGS: Final = 4
ADDRESS: Final = re.compile(
    r"(?:https?|wss?|rtsps?|ftp)://[^\s\"'<>\\]+", re.IGNORECASE
)
PRIVATE: Final = "is a private address of this Home Assistant"
AT_HOME: Final = "is an address of this home: put the work where everybody can load it"
HEADER: Final = "is a header that everybody could read"
NOT_LOADED: Final = "is no address that others can load: use http(s), ipfs, ar or data"


def private_faults(document: Mapping[str, Any], tokens: Iterable[str]) -> list[Fault]:
    """Return the texts that are private, also where they are encoded; tokens are those of lent media."""
    parts = (*PRIVATE_PARTS, *tokens)
    faults: list[Fault] = []
    for path, text in _texts(document):
        if (problem := _problem(path, text, parts)) is not None:
            faults.append(Fault(path_text(path), problem))
            if len(faults) >= MAX_FAULTS:
                break
    return faults


def _texts(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, str]]:
    """Yield every text of a document with its path, the names of fields included."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield path, str(name)
            yield from _texts(part, (*path, name))
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _texts(part, (*path, index))


def _problem(path: tuple[Any, ...], text: str, parts: tuple[str, ...]) -> str | None:
    """Return why a text must not be published."""
    match path:
        case (*_, "headers", str(name)) if name.lower() not in PUBLIC_HEADERS:
            return HEADER
        case ("items", int(), "source") if (
            text.partition(":")[0].lower() not in PUBLIC_SCHEMES
        ):
            return PRIVATE if LENT_PATH in text else NOT_LOADED
    for form in _forms(text):
        if any(part in form for part in parts):
            return PRIVATE
        if any(_is_at_home(match[0]) for match in ADDRESS.finditer(form)):
            return AT_HOME
    return None


def _forms(text: str) -> Iterator[str]:
    """Yield a text, and its forms decoded as browsers do."""
    head, comma, body = text.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64"):
        with suppress(ValueError):
            text = b64decode(unquote(body) + "==").decode(errors="replace")
    for _ in range(MAX_ENCODINGS):
        yield text
        # Browsers skip these within an address, and JSON may escape its slashes.
        plain = re.sub(r"[\t\r\n]", "", unescape(unquote(text))).replace("\\/", "/")
        if plain == text:
            break
        text = plain


def _is_at_home(address: str) -> bool:
    """Return whether an address is at home."""
    _, _, rest = address.partition("://")
    try:
        return is_home_name(plain_host(web_url(f"http://{rest.rpartition('@')[2]}")))
    except ValueError:
        return False
