"""The checks of the signed feed for documents and intents: known members, owners, signatures, time."""

from collections.abc import Iterable
import json
from typing import Any

from .exchange import RefusalError
from .members import MEMBERS, unknown
from .signing import Document, digest, verify
from .text import is_uuid, parse_time

ROLE = "curator"
NO_SIGNATURES = "missing authentication: request body must carry signatures"
NOT_AN_OWNER = "request is not signed by an owner of the resource"
_REQUIRED = {"dpVersion": "DPVersion", "title": "Title"}
_SKEW = 5 * 60 * 10**9


def bad_request(message: str) -> RefusalError:
    """Return the answer to an invalid request."""
    return RefusalError(400, "bad_request", message)


def forbidden(message: str) -> RefusalError:
    """Return the answer to a signer who is no owner."""
    return RefusalError(403, "forbidden", message)


def unauthorized() -> RefusalError:
    """Return the answer to a request without signatures."""
    return RefusalError(401, "unauthorized", NO_SIGNATURES)


def read_object(body: bytes) -> Document:
    """Return the object in a body; no body is a body without signatures."""
    if not body.strip():
        raise unauthorized()
    try:
        value = json.loads(body)
    except ValueError as err:
        raise bad_request("unexpected EOF") from err
    if not isinstance(value, dict):
        raise bad_request("json: cannot unmarshal into Go value of type map")
    return value


def require_signatures(value: Any) -> None:
    """Refuse a body without signatures."""
    entries = value.get("signatures") if isinstance(value, dict) else None
    if not isinstance(entries, list) or not entries:
        raise unauthorized()


def check_members(value: Document, model: str) -> None:
    if (name := next(unknown(value, MEMBERS[model]), None)) is not None:
        raise bad_request(f'json: unknown field "{name}"')


def check_document(document: Document, now: int) -> None:
    """Refuse a document without the fields that have to be set before it is signed."""
    for name, field in _REQUIRED.items():
        if not document.get(name):
            raise bad_request(
                f"Key: 'CreateRequest.{field}' Error:Field validation for '{field}' failed on the 'required' tag"
            )
    for index, item in enumerate(document.get("items") or ()):
        if not is_uuid(item.get("id") or ""):
            raise bad_request(f"every playlist item requires a UUID id: items[{index}]")
    if not document.get("slug"):
        raise bad_request("slug is required")
    if not is_uuid(document.get("id") or ""):
        raise RefusalError(400, "invalid_id", "invalid id: must be a valid UUID")
    check_time(document.get("created") or "", now)


def check_time(text: str, now: int) -> int:
    """Refuse a document with a time in the future."""
    created = parse_time(text)
    if created is None:
        raise RefusalError(
            400,
            "invalid_timestamp",
            "invalid timestamp: must be RFC3339 format with a zone",
        )
    if created > now:
        raise RefusalError(
            400, "invalid_timestamp", "invalid timestamp: cannot be in the future"
        )
    return created


def declared_owners(document: Document) -> list[str]:
    people = document.get("curators") or ()
    return [key for person in people if (key := person.get("key"))]


def role_signers(document: Document) -> list[str]:
    """Return the keys that signed in the role of an owner."""
    entries = document.get("signatures") or ()
    return list(dict.fromkeys(e["kid"] for e in entries if e["role"] == ROLE))


def owners(document: Document) -> list[str]:
    """Return the keys a stored document belongs to."""
    return declared_owners(document) or role_signers(document)


def check_signatures(document: Document) -> None:
    """Refuse if a signature is invalid."""
    failed = [
        entry["kid"] for entry in document["signatures"] if not verify(document, entry)
    ]
    if failed:
        raise RefusalError(
            400,
            "signature_verification_failed",
            f"signature verification failed: failed signatures: [{' '.join(failed)}]",
        )


def check_new_owner(document: Document) -> None:
    """Refuse a new document that no owner has signed in the role of an owner."""
    declared, signers = declared_owners(document), role_signers(document)
    if not declared and len(signers) > 1:
        raise bad_request(
            "exactly one owner-role signature is required where no owner is declared"
        )
    kids = {entry["kid"] for entry in document["signatures"]}
    if not set(declared or signers) & set(signers):
        also = (
            f": an owner has to sign in the {ROLE} role" if set(declared) & kids else ""
        )
        raise RefusalError(
            400,
            "signature_verification_failed",
            f"no valid {ROLE} signature found{also}",
        )


def check_owner_set(stored: Document, document: Document) -> None:
    """Refuse to remove an owner, and to add one who has not signed."""
    before, after = declared_owners(stored), declared_owners(document)
    signers = role_signers(document)
    removed = [key for key in owners(stored) if after and key not in after]
    if removed or (before and not after):
        raise forbidden(
            f"owners cannot be removed from a resource: {' '.join(removed or before)}"
        )
    added = [key for key in after if key not in owners(stored)]
    if unsigned := [key for key in added if key not in signers]:
        raise forbidden(
            f"a new owner must sign the document in the owner role: {' '.join(unsigned)}"
        )


def check_signed_by_owner(stored: Document, signed: Document) -> None:
    """Refuse what no stored owner has signed in the role of an owner."""
    known = owners(stored)
    if not known:
        raise forbidden(f"{NOT_AN_OWNER}: the resource has no owner")
    if set(known) & set(role_signers(signed)):
        return
    if set(known) & {entry["kid"] for entry in signed["signatures"]}:
        raise forbidden(f"{NOT_AN_OWNER}: the {ROLE} role is needed")
    raise forbidden(NOT_AN_OWNER)


def check_intent(
    action: str,
    stored: Document,
    intent: Document,
    now: int,
    document: Document | None,
) -> None:
    """Refuse an intent for something else, from another time, or not by an owner."""
    target = intent.get("target") or {}
    wrong: Iterable[tuple[bool, str]] = (
        (intent.get("action") != action, "action"),
        (target.get("type") != "playlist", "target type"),
        (target.get("id") != stored["id"].lower(), "target id"),
        (target.get("slug") != stored["slug"], "target slug"),
        (document is None and "payloadHash" in intent, "payloadHash must be absent"),
        (
            document is not None
            and intent.get("payloadHash") != f"sha256:{digest(document).hex()}",
            "payloadHash",
        ),
    )
    if fault := next((name for is_wrong, name in wrong if is_wrong), None):
        raise bad_request(f"invalid mutation intent: {fault}")
    created = parse_time(intent.get("created") or "")
    if created is None or abs(created - now) > _SKEW:
        raise RefusalError(
            400,
            "invalid_timestamp",
            "invalid timestamp: mutation intent is outside the allowed clock window",
        )
    check_signatures(intent)
    check_signed_by_owner(stored, intent)
