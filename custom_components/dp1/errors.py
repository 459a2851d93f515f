"""Map client errors to translated Home Assistant errors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .client.errors import (
    AddressNotAcceptedError,
    ApiKeyNeededError,
    AuthenticationError,
    BlockedAddressError,
    BusyError,
    ChangedMeanwhileError,
    ClockError,
    ConflictError,
    DeletedError,
    DocumentTooLargeError,
    Dp1Error,
    ForbiddenError,
    IdDeletedError,
    InUseError,
    InvalidPlaylistError,
    InvalidRequestError,
    LostAnswerError,
    NoAnswerError,
    NoOwnerError,
    NotFoundError,
    NotHeldError,
    NothingHeldError,
    NotOwnerError,
    NotReadyError,
    PlayerNotRunningError,
    PlaylistRefusedError,
    RefusedError,
    RejectedError,
    SignatureRefusedError,
    SlugTakenError,
    TemporaryError,
    TimestampRefusedError,
    UnexpectedAnswerError,
    UnreachableError,
    UnsignedError,
    WebPageError,
)
from .client.text import clean
from .const import DOMAIN

SHOWN_FAULTS = 5
SHOWN_CHARACTERS = 300

# Subclasses come before their base classes.
SUFFIXES: tuple[tuple[type[Dp1Error], str], ...] = (
    (RefusedError, "refused"),
    (NoAnswerError, "no_answer"),
    (UnreachableError, "no_answer"),
    (LostAnswerError, "lost_answer"),
    (BusyError, "busy"),
    (TemporaryError, "temporary"),
    (NotReadyError, "not_ready"),
    (AddressNotAcceptedError, "address_not_accepted"),
    (ApiKeyNeededError, "needs_key"),
    (ForbiddenError, "forbidden"),
    (AuthenticationError, "authentication"),
    (NotOwnerError, "not_owner"),
    (NoOwnerError, "no_owner"),
    (UnsignedError, "unsigned"),
    (ClockError, "clock"),
    (SignatureRefusedError, "signature_refused"),
    (IdDeletedError, "id_deleted"),
    (SlugTakenError, "slug_taken"),
    (InUseError, "in_use"),
    (ChangedMeanwhileError, "changed"),
    (ConflictError, "conflict"),
    (DeletedError, "deleted"),
    (NotFoundError, "not_found"),
    (DocumentTooLargeError, "too_large"),
    (TimestampRefusedError, "invalid_request"),
    (InvalidRequestError, "invalid_request"),
    (WebPageError, "web_page"),
    (UnexpectedAnswerError, "unexpected_answer"),
)
REFUSALS = {
    "sourceUnreachable": "playlist_sources_unreachable",
    "sigInvalid": "playlist_signature_refused",
    "contentBlocked": "playlist_content_blocked",
}


def suffix(err: Dp1Error) -> str:
    """Return the suffix of the translation keys for an error."""
    return next((key for kind, key in SUFFIXES if isinstance(err, kind)), "failed")


def translated(
    err: Dp1Error, subject: str, name: str, where: str = ""
) -> HomeAssistantError:
    """Return the translated error for a ``display``, ``feed``, ``catalog`` or ``playlist``."""
    detail = str(err)
    match err:
        case InvalidPlaylistError():
            return invalid_playlist(err)
        case BlockedAddressError():
            key = "address_blocked"
        case NothingHeldError():
            key = "collection_empty"
        case NotHeldError():
            key = "not_in_collection"
        case PlayerNotRunningError():
            key = "display_player_not_running"
        case PlaylistRefusedError() if err.detail or err.code:
            key = REFUSALS.get(err.code, "playlist_turned_down")
            detail = err.detail or err.code
        case PlaylistRefusedError():
            key = "playlist_not_accepted"
        case RejectedError(command="displayPlaylist") if err.detail:
            key = "playlist_turned_down"
            detail = err.detail
        case RejectedError(command="displayPlaylist"):
            key = "playlist_not_accepted"
        case RejectedError():
            key = "display_rejected"
        case _:
            key = f"{subject}_{suffix(err)}"
    return action_failed(key, name=name, where=where, detail=detail, **err.placeholders)


def invalid_playlist(err: InvalidPlaylistError) -> ServiceValidationError:
    """Return the translated error for an invalid playlist, with the first faults."""
    faults = [
        f"{fault.path}: {fault.message}" if fault.path else fault.message
        for fault in err.faults[:SHOWN_FAULTS]
    ]
    if (more := len(err.faults) - SHOWN_FAULTS) > 0:
        faults.append(f"+{more}")
    return ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="playlist_invalid",
        translation_placeholders={
            "faults": "; ".join(clean(fault, SHOWN_CHARACTERS) for fault in faults)
        },
    )


@contextmanager
def translated_errors(subject: str, name: str, where: str = "") -> Iterator[None]:
    """Raise client errors as translated errors."""
    try:
        yield
    except Dp1Error as err:
        raise translated(err, subject, name, where) from err


def displays_failed(
    failed: Sequence[HomeAssistantError],
    meant: int,
    text_of: Callable[[HomeAssistantError], str] = str,
) -> HomeAssistantError:
    """Return one error for the failures of several displays."""
    if meant == 1:
        return failed[0]
    return HomeAssistantError(
        translation_domain=DOMAIN,
        translation_key="displays_failed",
        translation_placeholders={
            "failed": str(len(failed)),
            "meant": str(meant),
            "reasons": "; ".join(map(text_of, failed[:SHOWN_FAULTS])),
        },
    )


@contextmanager
def raised_as(kind: type[HomeAssistantError]) -> Iterator[None]:
    """Raise Home Assistant errors as a subclass, such as BrowseError."""
    try:
        yield
    except kind:
        raise
    except HomeAssistantError as err:
        raise retyped(err, kind) from err


def retyped[_E: HomeAssistantError](err: HomeAssistantError, kind: type[_E]) -> _E:
    """Return a Home Assistant error as a subclass."""
    return kind(
        *(() if err.translation_key else (str(err),)),
        translation_domain=err.translation_domain,
        translation_key=err.translation_key,
        translation_placeholders=err.translation_placeholders,
    )


def action_failed(key: str, **placeholders: str) -> HomeAssistantError:
    """Return the error for an action that failed, with the placeholders made plain."""
    return HomeAssistantError(
        translation_domain=DOMAIN,
        translation_key=key,
        translation_placeholders=_plain(placeholders),
    )


def invalid_input(key: str, **placeholders: str) -> ServiceValidationError:
    """Return the error for invalid input, with the placeholders made plain."""
    return ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key=key,
        translation_placeholders=_plain(placeholders),
    )


def _plain(placeholders: Mapping[str, str]) -> dict[str, str] | None:
    """Return placeholders without markup, control characters and excessive length."""
    return {
        name: clean(text, SHOWN_CHARACTERS) for name, text in placeholders.items()
    } or None


# What people see instead of the keys of fields.
FIELD_NAMES = {
    "exhibition": "Exhibition",
    "media_content_id": "Media",
    "playlist": "Playlist document",
    "playlist_id": "Playlist of a feed",
    "playlist_url": "Playlist URL",
    "series": "Series",
    "target": "Target",
}


def exactly_one_of(data: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """Return the only field that is given, or raise if there is not exactly one."""
    given = {key: data[key] for key in fields if key in data}
    if len(given) != 1:
        names, said = (
            ", ".join(FIELD_NAMES.get(key, key) for key in keys)
            for keys in (fields, given)
        )
        raise invalid_input("exactly_one_of", fields=names, given=said or "-")
    return given
