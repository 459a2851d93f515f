"""What can go wrong with a display, a feed, a catalog or a document: one class per thing a caller does differently."""

from collections.abc import Iterable
from dataclasses import dataclass

from .text import one_line

MAX_MESSAGE = 1000


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a document: where it is, like ``items[2].source``, and what is wrong there."""

    path: str
    message: str


class Dp1Error(Exception):
    """Anything that went wrong; the message may be shown and logged, whatever was put into it."""

    def __init__(self, message: str = "") -> None:
        """Make the message one line without control characters."""
        super().__init__(one_line(message, MAX_MESSAGE))


class UnreachableError(Dp1Error):
    """No contact, and nothing was done."""


class RefusedError(UnreachableError):
    """The connection was refused: a wrong address, or the other side is off or restarting."""


class NoAnswerError(UnreachableError):
    """Nothing answered at all: no route, unknown name, or a timeout while connecting."""


class LostAnswerError(Dp1Error):
    """The request was sent and no whole answer came back: it may or may not have taken effect."""


class UnexpectedAnswerError(Dp1Error):
    """An answer that does not follow the protocol: something else is at this address, or it is broken."""


class TooLargeError(UnexpectedAnswerError):
    """An answer longer than is read; none of it was kept."""


class TemporaryError(Dp1Error):
    """The other side has a problem of its own (5xx): worth another try later."""


class BusyError(TemporaryError):
    """Too many requests (429): nothing was done.

    Attributes:
        retry_after: seconds that the other side asked to wait, if it did.
    """

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        """Keep how long to wait."""
        super().__init__(message)
        self.retry_after = retry_after


class NotReadyError(Dp1Error):
    """The display is on its set-up screen (204): nothing was done."""


class AddressNotAcceptedError(Dp1Error):
    """The display does not accept this way of addressing it (403): use its IP address."""


class RejectedError(Dp1Error):
    """The display answered, and said no (``ok: false``), or could not carry the command out (500).

    Attributes:
        command: name of the command.
        detail: the display's own word, if it gave one.
    """

    def __init__(self, command: str, detail: str = "") -> None:
        """Keep which command was refused and why."""
        super().__init__(f"{command}: {detail}" if detail else command)
        self.command = command
        self.detail = one_line(detail)


class PlayerNotRunningError(RejectedError):
    """The player of the display is not running (500 without a reason): nothing was done."""


class InvalidPlaylistError(Dp1Error):
    """Not a valid DP-1 document.

    Attributes:
        faults: everything found, in document order; never empty.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        """Keep the faults."""
        self.faults = tuple(faults)
        super().__init__(
            "; ".join(
                f"{f.path}: {f.message}" if f.path else f.message for f in self.faults
            )
        )


class PlaylistRefusedError(RejectedError):
    """The display understood the playlist and will not show it (422).

    Attributes:
        code: ``sourceUnreachable``, ``sigInvalid``, ``playlistInvalid``, ``contentBlocked`` or another word.
    """

    def __init__(self, command: str, code: str, detail: str) -> None:
        """Keep the code."""
        super().__init__(command, detail)
        self.code = code


class AuthenticationError(Dp1Error):
    """The feed does not accept the key (401, 403)."""


class SignatureRefusedError(Dp1Error):
    """The feed does not accept the signatures of a document."""


class ConflictError(Dp1Error):
    """The feed holds another document with this id or slug, or one that depends on it."""


class NotFoundError(Dp1Error):
    """No document or record by this name."""


class InvalidRequestError(Dp1Error):
    """The feed or catalog found fault with the request (400, 422) in words of its own."""


class BlockedAddressError(InvalidRequestError):
    """An address that a stranger chose and that is not requested: none of the web, or one within the home."""
