"""Translated errors of Home Assistant: those of the client, and those of actions."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .client.errors import SHOWN_FAULTS, Dp1Error, Fault, InvalidPlaylistError
from .client.text import clean, told
from .const import DOMAIN, LOGGER

SHOWN_CHARACTERS = 300


def translated(
    err: Dp1Error, subject: str, name: str = "", where: str = ""
) -> HomeAssistantError:
    """Return the translated error for a ``display``, ``feed``, ``catalog``, ``indexer`` or ``playlist``."""
    texts = _plain({"name": name, "where": where, "detail": str(err)})
    invalid = isinstance(err, InvalidPlaylistError) or err.key == "needs_key"
    return (ServiceValidationError if invalid else HomeAssistantError)(
        translation_domain=DOMAIN,
        translation_key=err.translation_key or f"{subject}_{err.key}",
        translation_placeholders={
            **texts,
            **{it: told(text) for it, text in err.placeholders.items()},
        },
    )


@contextmanager
def translated_errors(subject: str, name: str = "", where: str = "") -> Iterator[None]:
    """Raise client errors as translated errors."""
    try:
        yield
    except Dp1Error as err:
        raise translated(err, subject, name, where) from err


def invalid_playlist(faults: Iterable[Fault]) -> HomeAssistantError:
    """Return the error for a document with faults."""
    return translated(InvalidPlaylistError(faults), "playlist")


@contextmanager
def component_errors(media_id: str) -> Iterator[None]:
    """Raise any error of another component as an error of a medium."""
    try:
        yield
    except Exception as err:
        if isinstance(err, HomeAssistantError) and (err.translation_key or str(err)):
            raise
        LOGGER.debug("%s cannot be read", told(media_id), exc_info=True)
        raise action_failed("media_failed", media_id=media_id) from err


async def async_gather_failures[T](
    calls: Iterable[Awaitable[T]],
) -> list[T | HomeAssistantError]:
    """Await all calls, and return the result or the Home Assistant error of each."""

    async def attempt(call: Awaitable[T]) -> T | HomeAssistantError:
        """Await one of them."""
        try:
            return await call
        except HomeAssistantError as err:
            return err

    return await asyncio.gather(*map(attempt, calls))


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
        translation_placeholders=_plain(placeholders) or None,
    )


def invalid_input(key: str, **placeholders: str) -> ServiceValidationError:
    """Return the error for invalid input, with the placeholders made plain."""
    return retyped(action_failed(key, **placeholders), ServiceValidationError)


def _plain(placeholders: Mapping[str, str]) -> dict[str, str]:
    """Return placeholders without markup, control characters, secrets in addresses and excessive length."""
    return {
        name: told(clean(text, SHOWN_CHARACTERS)) for name, text in placeholders.items()
    }
