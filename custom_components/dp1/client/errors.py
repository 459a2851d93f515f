"""Errors of displays, feeds, catalogs and documents: one class for each thing that callers handle differently."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import override

from .text import clean, one_line, told

# The word for a display whose player is not running (500 without a reason): nothing was done.
NO_PLAYER = "noPlayer"
MAX_MESSAGE = 1000
MAX_PLACEHOLDER = 300
SHOWN_FAULTS = 5
REFUSALS = {
    "sourceUnreachable": "playlist_sources_unreachable",
    "sigInvalid": "playlist_signature_refused",
    "contentBlocked": "playlist_content_blocked",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a document: its path, like ``items[2].source``, and the problem there."""

    path: str
    message: str

    @override
    def __str__(self) -> str:
        """Return path and message."""
        return f"{self.path}: {self.message}" if self.path else self.message


class Dp1Error(Exception):
    """Base of all errors; the message may be shown and logged wherever it came from.

    Attributes:
        key: key of its text, after that of who was asked: ``no_answer`` of ``feed_no_answer``.
        translation_key: the whole key, of a text that is the same whoever was asked.
        placeholders: plain texts of what its text names beside the message.
    """

    key: str = "failed"
    translation_key: str | None = None
    placeholders: Mapping[str, str] = MappingProxyType({})

    def __init__(
        self,
        message: str = "",
        *,
        key: str = "",
        translation_key: str = "",
        placeholders: Mapping[str, str] | None = None,
    ) -> None:
        """Initialize with the message as one line without control characters, addresses as they are told; keys are those of the class by default."""
        super().__init__(told(one_line(message, MAX_MESSAGE)))
        self.key = key or self.key
        self.translation_key = translation_key or self.translation_key
        self.placeholders = placeholders or self.placeholders


class UnreachableError(Dp1Error):
    """No contact and nothing was done: no route, unknown name, refused, or a timeout while connecting."""

    key = "no_answer"


class LostAnswerError(Dp1Error):
    """The request was sent and no whole answer came back: it may or may not have taken effect."""

    key = "lost_answer"


class UnexpectedAnswerError(Dp1Error):
    """The answer does not follow the protocol: something else is at this address, or it is broken."""

    key = "unexpected_answer"


class WantsPairingError(UnexpectedAnswerError):
    """The display wants to be paired, or is newer than this client; nothing was done."""

    key = "wants_pairing"


class TooLargeError(UnexpectedAnswerError):
    """The answer exceeds a limit; none of it was kept.

    Attributes:
        limit: in bytes, 0 if it is not the size that is exceeded.
    """

    def __init__(self, message: str = "", limit: int = 0) -> None:
        """Initialize with the limit in bytes, if it is the size that is exceeded."""
        super().__init__(message)
        self.limit = limit
        if limit:
            self.translation_key = "answer_too_large"
            self.placeholders = {"size": f"{limit / 2**20:.3g}"}


class TemporaryError(Dp1Error):
    """The other side failed (5xx): worth another try later."""

    key = "temporary"


class BusyError(TemporaryError):
    """Too many requests (429): nothing was done.

    Attributes:
        retry_after: seconds that the other side asked to wait, if it did.
    """

    key = "busy"

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        """Initialize with the wait."""
        super().__init__(message)
        self.retry_after = retry_after


class NotReadyError(Dp1Error):
    """The display shows its set-up screen (204): nothing was done."""

    key = "not_ready"


class RejectedError(Dp1Error):
    """The display refused the command (``ok: false``), or failed to carry it out (500).

    Attributes:
        command: name of the command.
        detail: the reason given by the display, if any.
        code: ``NO_PLAYER``; or of a playlist that was read and refused (422) the word that the display has for it, such
            as ``sourceUnreachable``, ``sigInvalid``, ``playlistInvalid`` or ``contentBlocked``, empty if it has none.
            None if it is not known why.
    """

    translation_key = "display_rejected"

    def __init__(self, command: str, detail: str = "", code: str | None = None) -> None:
        """Initialize with the refused command and the reason."""
        super().__init__(f"{command}: {detail}" if detail else command)
        self.command = command
        self.detail = one_line(detail)
        self.code = code
        if code == NO_PLAYER:
            self.translation_key = "display_player_not_running"
        elif command == "displayPlaylist":
            reason = clean(detail or code, MAX_PLACEHOLDER)
            key = "playlist_turned_down" if reason else "playlist_not_accepted"
            self.translation_key = REFUSALS.get(code or "", key)
            self.placeholders = {"detail": reason}


class InvalidPlaylistError(Dp1Error):
    """Not a valid DP-1 document.

    Attributes:
        faults: all faults, in document order; never empty.
    """

    translation_key = "playlist_invalid"

    def __init__(self, faults: Iterable[Fault]) -> None:
        """Initialize with the faults."""
        self.faults = tuple(faults)
        super().__init__("; ".join(map(str, self.faults)))
        texts = [clean(str(f), MAX_PLACEHOLDER) for f in self.faults[:SHOWN_FAULTS]]
        if (more := len(self.faults) - SHOWN_FAULTS) > 0:
            texts.append(f"+{more}")
        self.placeholders = {"faults": "; ".join(texts)}


class AuthenticationError(Dp1Error):
    """The server does not accept the key (401), or who asks (403).

    The key is ``forbidden`` if a feed allows this with no API key, ``needs_key`` if there is none and nothing was sent.
    """

    key = "authentication"


class ConflictError(Dp1Error):
    """The feed has another document with this id or slug, one that depends on it, or one that was ``changed`` meanwhile."""

    key = "conflict"


class NotFoundError(Dp1Error):
    """There is no document or record with this id."""

    key = "not_found"


class InvalidRequestError(Dp1Error):
    """The feed or catalog refused the request (400, 422) with its own message.

    Attributes:
        field: name, without its path, of the field of a document that the feed has no place for; empty for the time of a
            document or an intent, which another would mend; None if it is no field.
    """

    key = "invalid_request"

    @property
    def field(self) -> str | None:
        """Return the name of the field."""
        return self.placeholders.get("field")
