"""Whose a stored playlist is: the curators it names, else whoever signed it as its curator."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import NoOwnerError, NotOwnerError
from ..playlist.signing import SigningKey, verify
from ..values import mapping

ROLE = "curator"


def curator_keys(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of the curators that a document names."""
    return tuple(dict.fromkeys(_texts(document.get("curators"), "key")))


def owners(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys that a stored playlist belongs to; none if it was published with an API key."""
    signatures = document.get("signatures")
    signers = [
        entry
        for entry in (signatures if isinstance(signatures, list) else ())
        if mapping(entry).get("role") == ROLE
    ]
    return curator_keys(document) or tuple(dict.fromkeys(_texts(signers, "kid")))


def check_owner(document: Mapping[str, Any], key: SigningKey) -> None:
    """Check that a stored playlist belongs to a key.

    Raises:
        NoOwnerError: it belongs to nobody.
        NotOwnerError: it belongs to others.
    """
    if not (known := owners(document)):
        raise NoOwnerError("the playlist belongs to nobody")
    if key.did not in known:
        raise NotOwnerError(known, key.did)


def is_signed_by(document: Mapping[str, Any], key: SigningKey) -> bool:
    """Return whether a document has a valid signature of a key."""
    return any(entry.valid and entry.kid == key.did for entry in verify(document))


def _texts(entries: object, name: str) -> Iterator[str]:
    """Yield a member of each object of a list that is text."""
    for entry in entries if isinstance(entries, list) else ():
        value = mapping(entry).get(name)
        if isinstance(value, str) and value:
            yield value
