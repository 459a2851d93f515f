"""The sentences in the configuration folder: Home Assistant takes none from an integration."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
import re
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.util.file import WriteError, write_utf8_file_atomic
from homeassistant.util.hass_dict import HassKey

from ..const import CONF_KIND, CONF_VOICE_SENTENCES, DOMAIN, EntryKind
from ..errors import action_failed

SOURCES: Final = Path(__file__).parent.parent / "sentences"
FOLDER: Final = "custom_sentences"
# Home Assistant reads the folder of the variant that it chose.
VARIANTS: Final = {"de": ("de", "de-CH"), "zh": ("zh-CN",)}
ISSUE_EDITED: Final = "sentences_edited"
# Held while the files are written.
LOCK: Final[HassKey[asyncio.Lock]] = HassKey(f"{DOMAIN}_sentences")
STAMP: Final = re.compile(r"# DP-1 Art Displays ([0-9a-f]{64})\. .*\n")
NOTE: Final = (
    "# DP-1 Art Displays {digest}. Written by the integration and renewed with it; "
    "once you edit this file, it is yours and stays as it is.\n"
)


def wants_sentences(hass: HomeAssistant) -> bool:
    """Return whether the options of a library want the sentences."""
    return any(
        entry.options.get(CONF_VOICE_SENTENCES)
        for entry in hass.config_entries.async_entries(DOMAIN)
        if entry.data.get(CONF_KIND) == EntryKind.LIBRARY
    )


async def async_update_sentences(hass: HomeAssistant, wanted: bool) -> None:
    """Write or remove the sentences, let Assist read them, and name the files that are left alone."""
    async with hass.data.setdefault(LOCK, asyncio.Lock()):
        folder = Path(hass.config.path(FOLDER))
        try:
            changed, edited = await hass.async_add_executor_job(_update, folder, wanted)
            if changed and hass.services.has_service("conversation", "reload"):
                await hass.services.async_call("conversation", "reload", blocking=True)
        except (OSError, WriteError) as err:
            raise action_failed("sentences_not_written", detail=str(err)) from err
    if edited and wanted:
        ir.async_create_issue(
            hass,
            DOMAIN,
            ISSUE_EDITED,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key=ISSUE_EDITED,
            translation_placeholders={"files": ", ".join(edited)},
        )
    else:
        ir.async_delete_issue(hass, DOMAIN, ISSUE_EDITED)


def _update(folder: Path, wanted: bool) -> tuple[bool, list[str]]:
    """Write or remove the files that are ours; return whether any was, and those that their owner has edited."""
    changed, edited = False, list[str]()
    for source, target in _files(folder):
        present = target.read_text(encoding="utf-8") if target.is_file() else None
        text = _stamped(source.read_text(encoding="utf-8")) if wanted else None
        if present == text:
            continue
        if present is not None and not _is_ours(present):
            edited.append(f"{FOLDER}/{target.relative_to(folder).as_posix()}")
            continue
        changed = True
        if text is None:
            target.unlink()
            # Others may have sentences there, too.
            with suppress(OSError):
                target.parent.rmdir()
                folder.rmdir()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            write_utf8_file_atomic(str(target), text)
    return changed, edited


def _files(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the files of the package, and where each belongs."""
    for source in sorted(SOURCES.glob("*.yaml")):
        for variant in VARIANTS.get(source.stem, (source.stem,)):
            yield source, folder / variant / f"{DOMAIN}.yaml"


def _stamped(text: str) -> str:
    """Return a file with the stamp by which it is known again."""
    return NOTE.format(digest=sha256(text.encode()).hexdigest()) + text


def _is_ours(text: str) -> bool:
    """Return whether a file was written by the integration and not edited since."""
    stamp = STAMP.match(text)
    if stamp is None:
        return False
    rest = text[stamp.end() :]
    return stamp[1] == sha256(rest.encode()).hexdigest()
