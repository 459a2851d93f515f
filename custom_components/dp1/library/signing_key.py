"""The signing key of a library, in a file of its own: a playlist signed with a lost key can never be changed."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.storage import STORAGE_DIR

from ..client.playlist.signing import SigningKey
from ..const import CONF_FEED_URL, CONF_SIGNING_KEY, DOMAIN, LOGGER
from ..storage import SafeStore

NAME: Final = "signing_key."


def _store(hass: HomeAssistant, entry_id: str) -> SafeStore[dict[str, Any]]:
    """Return the file of the key of a library."""
    return SafeStore(hass, f"{NAME}{entry_id}", _read)


def _read(stored: Any) -> dict[str, Any]:
    """Return what a file has, if that is a key; what is damaged is kept beside."""
    key = stored[CONF_SIGNING_KEY]
    SigningKey.parse(key)
    return {CONF_SIGNING_KEY: key, CONF_FEED_URL: stored.get(CONF_FEED_URL)}


async def _async_left(hass: HomeAssistant) -> dict[str, dict[str, Any]]:
    """Return the key files of no library, as of one that was killed before Home Assistant had stored it, by its id."""
    start, folder = f"{DOMAIN}.{NAME}", Path(hass.config.path(STORAGE_DIR))
    paths = await hass.async_add_executor_job(lambda: [*folder.glob(f"{start}*")])
    known = {entry.entry_id for entry in hass.config_entries.async_entries(DOMAIN)}
    left: dict[str, dict[str, Any]] = {}
    for key in {path.name.removeprefix(start) for path in paths} - known:
        with suppress(HomeAssistantError):
            if "." not in key and (kept := await _store(hass, key).async_load_parsed()):
                left[key] = kept
    return left


async def async_new_key(hass: HomeAssistant, feed_url: str | None) -> str:
    """Return the key for a new library: that which was left of one of the same feed, or another."""
    left = (await _async_left(hass)).values()
    keys: Iterator[str] = (
        it[CONF_SIGNING_KEY] for it in left if it[CONF_FEED_URL] == feed_url
    )
    return next(keys, None) or SigningKey.generate().export()


def _issue(entry_id: str) -> str:
    """Return the id of the issue that a key is lost."""
    return f"signing_key_lost_{entry_id}"


async def async_signing_key(hass: HomeAssistant, entry: ConfigEntry[Any]) -> SigningKey:
    """Return the signing key of a library: a new one that is still in its entry, else that of its file.

    One that is lost is told as an issue, until it is imported.
    """
    if kept := await async_kept_key(hass, entry):
        return kept
    LOGGER.warning("The signing key of %s is lost; a new one is made", entry.title)
    key = SigningKey.generate()
    await _store(hass, entry.entry_id).async_save_now({CONF_SIGNING_KEY: key.export()})
    ir.async_create_issue(
        hass,
        DOMAIN,
        _issue(entry.entry_id),
        is_fixable=True,
        is_persistent=True,
        severity=ir.IssueSeverity.ERROR,
        translation_key="signing_key_lost",
        translation_placeholders={"name": entry.title, "did": key.did},
    )
    return key


async def async_kept_key(
    hass: HomeAssistant, entry: ConfigEntry[Any]
) -> SigningKey | None:
    """Return the signing key of a library, None if it is lost."""
    text = entry.data.get(CONF_SIGNING_KEY) or await _async_kept(hass, entry.entry_id)
    return SigningKey.parse(text) if text else None


async def async_move_key(hass: HomeAssistant, entry: ConfigEntry[Any]) -> bool:
    """Move a key from the entry into its file, and return whether it is kept there.

    It is taken out of the entry only once the file was written, flushed and read back; until then both have it.
    """
    key = entry.data.get(CONF_SIGNING_KEY)
    if key is None:
        return True
    try:
        if await _async_kept(hass, entry.entry_id) != key:
            stored = {
                CONF_SIGNING_KEY: key,
                CONF_FEED_URL: entry.data.get(CONF_FEED_URL),
            }
            await _store(hass, entry.entry_id).async_save_now(stored)
        is_kept = bool(await _async_kept(hass, entry.entry_id) == key)
    except HomeAssistantError as err:
        LOGGER.warning("The signing key of %s stays in its entry: %s", entry.title, err)
        return False
    if is_kept:
        ir.async_delete_issue(hass, DOMAIN, _issue(entry.entry_id))
        data = {name: it for name, it in entry.data.items() if name != CONF_SIGNING_KEY}
        hass.config_entries.async_update_entry(entry, data=data)
        for left, kept in (await _async_left(hass)).items():
            if kept[CONF_SIGNING_KEY] == key:
                await _store(hass, left).async_remove()
    return is_kept


async def async_remove_key(hass: HomeAssistant, entry_id: str) -> None:
    """Remove the file of a removed library."""
    ir.async_delete_issue(hass, DOMAIN, _issue(entry_id))
    await _store(hass, entry_id).async_remove()


async def _async_kept(hass: HomeAssistant, entry_id: str) -> str | None:
    """Return the key in the file, which a store reads once."""
    kept = await _store(hass, entry_id).async_load_parsed() or {}
    key: str | None = kept.get(CONF_SIGNING_KEY)
    return key
