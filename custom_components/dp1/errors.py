"""Errors of the client as translated errors of Home Assistant, and texts in its language where that of the user is not known."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.translation import (
    async_get_cached_translations,
    async_get_translations,
)

from .client.errors import SHOWN_FAULTS, Dp1Error, InvalidPlaylistError
from .client.text import clean
from .const import DOMAIN

SHOWN_CHARACTERS = 300


def translated(
    err: Dp1Error, subject: str, name: str = "", where: str = ""
) -> HomeAssistantError:
    """Return the translated error for a ``display``, ``feed``, ``catalog``, ``indexer`` or ``playlist``."""
    texts = _plain({"name": name, "where": where, "detail": str(err)})
    invalid = isinstance(err, InvalidPlaylistError)
    return (ServiceValidationError if invalid else HomeAssistantError)(
        translation_domain=DOMAIN,
        translation_key=err.translation_key or f"{subject}_{err.key}",
        translation_placeholders={**texts, **err.placeholders},
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
        translation_placeholders=_plain(placeholders) or None,
    )


def invalid_input(key: str, **placeholders: str) -> ServiceValidationError:
    """Return the error for invalid input, with the placeholders made plain."""
    return ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key=key,
        translation_placeholders=_plain(placeholders) or None,
    )


def _plain(placeholders: Mapping[str, str]) -> dict[str, str]:
    """Return placeholders without markup, control characters and excessive length."""
    return {name: clean(text, SHOWN_CHARACTERS) for name, text in placeholders.items()}


DEFAULT_LANGUAGE = "en"
SPOKEN: Final[ContextVar[str | None]] = ContextVar("dp1_spoken", default=None)


@asynccontextmanager
async def async_spoken_in(hass: HomeAssistant, language: str) -> AsyncIterator[None]:
    """Tell errors in the language of somebody who speaks, until the end of what they asked for."""
    await async_get_translations(hass, language, "exceptions", [DOMAIN])
    token = SPOKEN.set(language)
    try:
        yield
    finally:
        SPOKEN.reset(token)


@callback
def async_text(
    hass: HomeAssistant,
    key: str,
    *,
    component: str = DOMAIN,
    default: str | None = None,
    **placeholders: str,
) -> str:
    """Return a text by its path in the translations, in English if it is not translated."""
    path = f"component.{component}.{key}"
    category = key.partition(".")[0]
    for language in (SPOKEN.get(), hass.config.language, DEFAULT_LANGUAGE):
        if language is None:
            continue
        texts = async_get_cached_translations(hass, language, category, component)
        if path in texts:
            return texts[path].format(**placeholders)
    return default or key.rpartition(".")[2]


@callback
def async_message(hass: HomeAssistant, err: HomeAssistantError) -> str:
    """Return the message of an error."""
    if err.translation_domain != DOMAIN or not err.translation_key:
        return str(err)
    path = f"exceptions.{err.translation_key}.message"
    return async_text(hass, path, **(err.translation_placeholders or {}))
