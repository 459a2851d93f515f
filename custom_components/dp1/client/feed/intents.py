"""Signed intents: how the owner of a playlist tells a signed feed to replace or delete it.

An intent is signed exactly like a document. Source: the interface description of the signed feed, and vectors made
with the library of its authors.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ..playlist.document import timestamp
from ..playlist.signing import SigningKey, payload_hash, sign

type Json = dict[str, Any]


def replace_body(document: Mapping[str, Any], key: SigningKey, now: datetime) -> Json:
    """Build the body that replaces a stored playlist by a signed document of the same id, slug and time."""
    intent = {
        "action": "replace",
        "target": _target(document),
        "created": timestamp(now),
        "payloadHash": payload_hash(document),
    }
    return {"document": dict(document), "authorization": sign(intent, key, now=now)}


def delete_body(stored: Mapping[str, Any], key: SigningKey, now: datetime) -> Json:
    """Build the body that deletes a stored playlist."""
    intent = {
        "action": "delete",
        "target": _target(stored),
        "created": timestamp(now),
    }
    return sign(intent, key, now=now)


def _target(document: Mapping[str, Any]) -> Json:
    """Name a playlist."""
    return {
        "type": "playlist",
        "id": document["id"].lower(),
        "slug": document["slug"],
    }
