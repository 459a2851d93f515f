"""Addresses of the playlists of a feed."""

import re
from urllib.parse import quote, unquote

from ..errors import InvalidRequestError, NotFoundError

UUID_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def playlist_url(base: str, ref: str) -> str:
    """Return the address of a playlist of a feed, by its id (which never changes) or slug.

    Raises:
        NotFoundError: no playlist can be called that.
    """
    name = ref.strip()
    if name in ("", ".", ".."):
        raise NotFoundError("no name")
    if UUID_FORM.fullmatch(name):
        name = name.lower()
    return f"{base}/playlists/{quote(name, safe='')}"


def own_url(base: str, ref: str) -> str:
    """Return the address of a playlist of a feed, by id, slug or address; another host's is not ours to change.

    Raises:
        InvalidRequestError: the address of another host.
    """
    name = unquote(ref.strip().removeprefix(f"{base}/playlists/"))
    if "://" in name:
        raise InvalidRequestError("not a playlist of this feed")
    return playlist_url(base, name)
