"""Checks of newer firmware before a playlist is shown: content policy, signatures, times."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from .errors import CommandError, NotPlayableError

from tests.simulators.feed.signing import verify

type Json = dict[str, Any]

_FLAGS = frozenset({"showMatureContent", "strictPersonal"})
_MATURE = "mature"
# Other ratings count as none.
_RATINGS = frozenset({"general", _MATURE})


class ContentPolicy:
    """Which works the owner allows.

    Attributes:
        show_mature: whether works rated as mature are shown.
        strict_personal: whether the policy also applies to the owner's own works.
        block_unrated: whether the operator hides works of others that nobody has rated.
        on_change: sends again what hangs.
    """

    def __init__(self) -> None:
        """Initialize with the default policy."""
        self.show_mature = True
        self.strict_personal = False
        self.block_unrated = False
        self.on_change: Callable[[], None] = lambda: None

    def _reply(self) -> Json:
        policy = {
            "showMatureContent": self.show_mature,
            "strictPersonal": self.strict_personal,
        }
        return {"ok": True, "contentPolicy": policy, "active": True}

    def get(self, request: Json | None) -> Json:
        """Return the policy; takes no arguments."""
        return {"ok": False, "error": "invalidRequest"} if request else self._reply()

    def set(self, request: Json | None) -> Json:
        """Set the policy; takes exactly two flags."""
        if (
            request is None
            or set(request) != _FLAGS
            or not all(isinstance(value, bool) for value in request.values())
        ):
            return {"ok": False, "error": "invalidRequest"}
        self.show_mature = request["showMatureContent"]
        self.strict_personal = request["strictPersonal"]
        self.on_change()
        return self._reply()

    def filter(self, raw: Json, document: Json, arguments: Json) -> None:
        """Remove the works that are not allowed; raises NotPlayableError if none is left or a rating is invalid."""
        items = raw.get("items")
        items = items if isinstance(items, list) else []
        for rated in (raw, *items):
            rating = rated.get("contentRating") if isinstance(rated, dict) else None
            if rating is not None and not isinstance(rating, str):
                raise NotPlayableError("playlistInvalid: contentRating is not a text")
        context = arguments.get("contentContext", "curated")
        if context not in ("curated", "personal"):
            raise CommandError("unknown contentContext")
        hides_mature = not self.show_mature and (
            context == "curated" or self.strict_personal
        )
        hides_unrated = self.block_unrated and context == "curated"
        if len(items) != len(document["items"] or []):
            return
        kept = [
            item
            for given, item in zip(items, document["items"] or [], strict=True)
            for ratings in [
                {(given or {}).get("contentRating"), raw.get("contentRating")}
                & _RATINGS
            ]
            if not (hides_mature and _MATURE in ratings)
            and (ratings or not hides_unrated)
        ]
        if items and not kept:
            raise NotPlayableError("contentBlocked: the content policy hides all items")
        document["items"] = kept


def check_signatures(raw: Json) -> Json:
    """Return the result for the signatures of a document, and for each of them."""
    entries = raw.get("signatures")
    entries = entries if isinstance(entries, list) else []
    signers = [_signer(raw, entry) for entry in entries if isinstance(entry, dict)]
    found: Json = {"signatureStatus": "unsigned", "signers": signers}
    if signers:
        good = all(signer["ok"] for signer in signers)
        found["signatureStatus"] = "valid" if good else "invalid"
    if raw.get("signature"):
        found["legacySignature"] = True
    return found


def _signer(raw: Json, entry: Mapping[str, Any]) -> Json:
    """Return the result for one signature."""
    told: Json = {name: str(entry.get(name, "")) for name in ("alg", "kid", "role")}
    complete = all(
        isinstance(entry.get(name), str)
        for name in ("alg", "kid", "payload_hash", "sig")
    )
    told["ok"] = complete and verify(raw, dict(entry))
    if not told["ok"]:
        told["reason"] = "signature does not verify" if complete else "incomplete"
    return told


def due_items(items: list[Json], now: datetime) -> tuple[list[Json], datetime | None]:
    """Return the items of the latest moment and those without one, and when the next follow; what is no time is never due."""
    moments = [_moment(item.get("displayAt"), now) for item in items]
    known = [moment for moment in moments if moment is not None]
    latest = max((moment for moment in known if moment <= now), default=None)
    due = [
        item
        for item, moment in zip(items, moments, strict=True)
        if not item.get("displayAt") or (moment is not None and moment == latest)
    ]
    return due, min((moment for moment in known if moment > now), default=None)


def is_readable(text: object) -> bool:
    """Return whether a time can be read: a date alone cannot, and none at all is no fault."""
    if not text:
        return True
    return (
        isinstance(text, str)
        and "T" in text
        and _moment(text, datetime.now(UTC)) is not None
    )


def _moment(text: str | None, now: datetime) -> datetime | None:
    """Parse a time; without an offset it is local time."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
