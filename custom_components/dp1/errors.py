"""From what can go wrong to what a person reads: the one mapping to translated errors."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .client.errors import (
    AddressNotAcceptedError,
    AuthenticationError,
    BusyError,
    ConflictError,
    Dp1Error,
    InvalidPlaylistError,
    InvalidRequestError,
    LostAnswerError,
    NoAnswerError,
    NotFoundError,
    NotReadyError,
    PlaylistRefusedError,
    RefusedError,
    RejectedError,
    SignatureRefusedError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)
from .client.text import clean
from .const import DOMAIN

SHOWN_FAULTS = 5

# The most particular class first: what is true of a thing is said of it.
SUFFIXES: tuple[tuple[type[Dp1Error], str], ...] = (
    (RefusedError, "refused"),
    (NoAnswerError, "no_answer"),
    (UnreachableError, "no_answer"),
    (LostAnswerError, "lost_answer"),
    (BusyError, "busy"),
    (TemporaryError, "temporary"),
    (NotReadyError, "not_ready"),
    (AddressNotAcceptedError, "address_not_accepted"),
    (AuthenticationError, "authentication"),
    (SignatureRefusedError, "signature_refused"),
    (ConflictError, "conflict"),
    (NotFoundError, "not_found"),
    (InvalidRequestError, "invalid_request"),
    (UnexpectedAnswerError, "unexpected_answer"),
)
REFUSALS = {
    "sourceUnreachable": "playlist_sources_unreachable",
    "sigInvalid": "playlist_signature_refused",
    "contentBlocked": "playlist_content_blocked",
}


def suffix(err: Dp1Error) -> str:
    """Name what went wrong, as the keys of forms and error texts end."""
    return next((key for kind, key in SUFFIXES if isinstance(err, kind)), "failed")


def translated(
    err: Dp1Error, subject: str, name: str, where: str = ""
) -> HomeAssistantError:
    """Say what went wrong in words that name the cause and the next step.

    Args:
        err: what went wrong.
        subject: the kind of the other side: ``display``, ``feed`` or ``catalog``.
        name: what its owner calls it.
        where: its address, if that helps.
    """
    detail = clean(str(err), 300)
    match err:
        case InvalidPlaylistError():
            return invalid_playlist(err)
        case PlaylistRefusedError():
            key = REFUSALS.get(err.code, "playlist_turned_down")
            detail = clean(err.detail, 300)
        case RejectedError(command="displayPlaylist"):
            key = "playlist_not_accepted"
        case RejectedError():
            key = "display_rejected"
        case _:
            key = f"{subject}_{suffix(err)}"
    return HomeAssistantError(
        translation_domain=DOMAIN,
        translation_key=key,
        translation_placeholders={"name": name, "where": where, "detail": detail},
    )


def invalid_playlist(err: InvalidPlaylistError) -> ServiceValidationError:
    """Say what is wrong with a document, fault by fault with its path."""
    faults = [
        f"{fault.path}: {fault.message}" if fault.path else fault.message
        for fault in err.faults[:SHOWN_FAULTS]
    ]
    if (more := len(err.faults) - SHOWN_FAULTS) > 0:
        faults.append(f"+{more}")
    return ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="playlist_invalid",
        translation_placeholders={"faults": "; ".join(clean(f, 300) for f in faults)},
    )


@contextmanager
def translated_errors(subject: str, name: str, where: str = "") -> Iterator[None]:
    """Turn what the protocol raises into translated errors."""
    try:
        yield
    except Dp1Error as err:
        raise translated(err, subject, name, where) from err


def displays_failed(
    failed: Sequence[HomeAssistantError], meant: int
) -> HomeAssistantError:
    """Put what went wrong on several displays into one error."""
    if meant == 1:
        return failed[0]
    return HomeAssistantError(
        translation_domain=DOMAIN,
        translation_key="displays_failed",
        translation_placeholders={
            "failed": str(len(failed)),
            "meant": str(meant),
            "reasons": "; ".join(map(str, failed)),
        },
    )


@contextmanager
def raised_as(kind: type[HomeAssistantError]) -> Iterator[None]:
    """Raise errors as the one class that Home Assistant shows to whoever asked."""
    try:
        yield
    except kind:
        raise
    except HomeAssistantError as err:
        raise kind(
            *(() if err.translation_key else (str(err),)),
            translation_domain=err.translation_domain,
            translation_key=err.translation_key,
            translation_placeholders=err.translation_placeholders,
        ) from err


def invalid_input(key: str, **placeholders: str) -> ServiceValidationError:
    """Make the error for something the caller can mend."""
    return ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key=key,
        translation_placeholders=placeholders or None,
    )


def exactly_one_of(data: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """Take the one field that says what is meant."""
    given = {key: data[key] for key in fields if key in data}
    if len(given) != 1:
        raise invalid_input(
            "exactly_one_of", fields=", ".join(fields), given=", ".join(given) or "-"
        )
    return given
