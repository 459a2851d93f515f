"""The sentences in the configuration folder: Home Assistant takes none from an integration."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
import json
from pathlib import Path
import re
from typing import Any, Final

import yaml

from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
    intent,
    issue_registry as ir,
)
from homeassistant.util.file import WriteError, write_utf8_file_atomic
from homeassistant.util.hass_dict import HassKey

from ..const import CONF_KIND, CONF_VOICE_SENTENCES, DOMAIN, EntryKind
from ..displays import async_display_entities
from ..errors import action_failed
from ..library.words import FILLERS, fold, in_words

SKELETON: Final = Path(__file__).parent / "skeleton.yaml"
SOURCES: Final = Path(__file__).parent.parent / "sentences"
FOLDER: Final = "custom_sentences"
# Home Assistant reads the folder of the variant that it chose.
VARIANTS: Final = {"de": ("de", "de-CH"), "zh": ("zh-CN",)}
ISSUE_EDITED: Final = "sentences_edited"
# Whether the files are about to be written.
WAITING: Final[HassKey[bool]] = HassKey(f"{DOMAIN}_sentences_waiting")
# Held while the files are written.
LOCK: Final[HassKey[asyncio.Lock]] = HassKey(f"{DOMAIN}_sentences")
# A name, a choice or an option within a template without another in it.
INNERMOST: Final = re.compile(r"\{(\w+)\}|\(([^][(){}]*)\)|\[([^][(){}]*)\]")
# They have a meaning in sentences, or are not heard.
SIGNS: Final = re.compile(r"[^\w\s'’-]")
NO_BLANKS: Final = ("ja", "zh")
# What a change of a registry changes about the names of things.
NAMING: Final = frozenset(
    [
        "aliases",
        "area_id",
        "disabled_by",
        "entity_id",
        "name",
        "name_by_user",
        "original_name",
    ]
)
WIDE_DIGITS: Final = str.maketrans("0123456789", "０１２３４５６７８９")
STAMP: Final = re.compile(r"# DP-1 Art Displays ([0-9a-f]{64})\. .*\n")
NOTE: Final = (
    "# DP-1 Art Displays {digest}. Written by the integration and renewed with it; "
    "once you edit this file, it is yours and stays as it is.\n"
)

# Each thing with its names, by list.
type Names = Mapping[str, Sequence[Sequence[str]]]


def wants_sentences(hass: HomeAssistant) -> bool:
    """Return whether the options of a library want the sentences."""
    return any(
        entry.options.get(CONF_VOICE_SENTENCES)
        for entry in hass.config_entries.async_entries(DOMAIN)
        if entry.data.get(CONF_KIND) == EntryKind.LIBRARY
    )


async def async_update_sentences(hass: HomeAssistant, enable: bool) -> None:
    """Write or remove the sentences, let Assist read them, and name the files that are left alone."""
    async with hass.data.setdefault(LOCK, asyncio.Lock()):
        hass.data[WAITING] = False
        folder, names = Path(hass.config.path(FOLDER)), names_of_places(hass)
        try:
            changed, edited = await hass.async_add_executor_job(
                _update, folder, enable, names
            )
            if changed and hass.services.has_service("conversation", "reload"):
                await _async_reload(hass)
        except (OSError, WriteError) as err:
            raise action_failed("sentences_not_written", detail=str(err)) from err
    if edited and enable:
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


async def _async_reload(hass: HomeAssistant) -> None:
    """Let Assist read the sentences.

    If it was reading files while they changed, it keeps the old ones after a reload, so that is waited for.
    """
    from homeassistant.components import conversation  # noqa: PLC0415

    async_call, language = hass.services.async_call, hass.config.language
    await async_call("conversation", "reload", blocking=True)
    await conversation.async_prepare_agent(hass, None, language)
    await async_call("conversation", "reload", blocking=True)


@callback
def async_follow_names(
    hass: HomeAssistant, async_update: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    """Update the sentences after something that they may name has another name."""

    @callback
    def changed(event: Event[Any]) -> None:
        """Update once for all changes until it begins."""
        changes = event.data.get("changes")
        if changes is not None and NAMING.isdisjoint(changes):
            return
        if wants_sentences(hass) and not hass.data.get(WAITING):
            hass.data[WAITING] = True
            hass.async_create_background_task(async_update(), "voice sentences")

    for event_type in (
        er.EVENT_ENTITY_REGISTRY_UPDATED,
        dr.EVENT_DEVICE_REGISTRY_UPDATED,
        ar.EVENT_AREA_REGISTRY_UPDATED,
        fr.EVENT_FLOOR_REGISTRY_UPDATED,
    ):
        hass.bus.async_listen(event_type, changed)


def names_of_places(hass: HomeAssistant) -> Names:
    """Return each display, area and floor with its names, by list."""
    states = hass.states
    return {
        "dp1_display": [
            [state.name, *intent.async_get_entity_aliases(hass, entity, state=state)]
            for entity in async_display_entities(hass)
            if (state := states.get(entity.entity_id))
        ],
        "dp1_area": [
            [area.name, *sorted(area.aliases)]
            for area in ar.async_get(hass).async_list_areas()
        ],
        "dp1_floor": [
            [floor.name, *sorted(floor.aliases)]
            for floor in fr.async_get(hass).async_list_floors()
        ],
    }


def sentences_of(language: str, names: Names) -> dict[str, Any]:
    """Return the sentences of a language as Assist reads them: its words in the skeleton, and names in their lists."""
    table = _read(SKELETON)
    words = _read(SOURCES / f"{language}.yaml")
    named = dict[str, list[str]]()
    for key, things in names.items():
        said = {
            # Assist hears no difference between capital and small letters.
            (spelling.casefold(), name): {"in": spelling, "out": name}
            for name, *aliases in things
            for spelling in spellings((name, *aliases), language)
        }
        table["lists"][key]["values"] = [*said.values()]
        named[key] = [*dict.fromkeys(spelling for spelling, _ in said)]
    spelled_out = table.pop("spelled_out")
    for key, said in words["lists"].items():
        if key in spelled_out:
            ways = (way for template in said for way in _ways(template, named))
            # Within another list, it does not count as the start of a word: see dp1_rest.
            table["lists"][key] = {"values": [{"in": f"( ){{{key}_way:@at}}"}]}
            table["lists"][f"{key}_way"] = {"values": [*dict.fromkeys(ways)]}
            continue
        by_value = said if isinstance(said, dict) else {"yes": said}
        table["lists"][key] = {
            "values": [
                {"in": text, "out": value}
                for value, texts in by_value.items()
                for text in ([texts] if isinstance(texts, str) else texts)
            ]
        }
    rules = words["expansion_rules"]
    for key in rules.keys() & spelled_out:
        ways = (way for template in rules[key] for way in _ways(template, named))
        rules[key] = f"({'|'.join(ways)})"
    table["expansion_rules"] |= rules
    table["intents"] = {
        name: {
            "data": [
                {
                    "sentences": said,
                    "slots": {slot: value} if slot != "what" else {},
                    **({"required_keywords": _cases(needed)} if needed else {}),
                }
                for slot, values in meanings.items()
                for value in values
                for needed, said in _by_words(words["intents"][name].get(value, []))
            ]
        }
        for name, meanings in table["intents"].items()
    }
    table = {"language": language, **table}
    return _with_wide_digits(table) if language in NO_BLANKS else table


def _ways(template: str, named: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield all ways to say a template with the names of a list in it, without brackets."""
    if (part := INNERMOST.search(template)) is None:
        yield " ".join(template.split())
        return
    name, choice, option = part.groups()
    ways = named.get(name, ()) if name else (choice or f"{option}|").split("|")
    for way in ways:
        start, end = part.span()
        yield from _ways(f"{template[:start]}{way}{template[end:]}", named)


def _by_words(said: Sequence[str] | Mapping[str, Sequence[str]]) -> list[Any]:
    """Return the sentences by the words of which they need one, if there are any sentences."""
    if isinstance(said, Mapping):
        return [*said.items()]
    return [("", said)] if said else []


def _cases(words: str) -> list[str]:
    """Return words in capital and small letters, which Assist compares as they are."""
    return sorted({case for w in words.split() for case in (w, w.title(), w.upper())})


def _read(path: Path) -> dict[str, Any]:
    """Read a file of ours, as fast as the machine can."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    table: dict[str, Any] = yaml.load(path.read_bytes(), loader)  # noqa: S506
    return table


def _with_wide_digits(table: dict[str, Any]) -> dict[str, Any]:
    """Return sentences that also take digits as wide as other characters, as keyboards have them and no range does."""
    lists: dict[str, Any] = {}
    text = json.dumps(table)
    for name, values in table["lists"].items():
        # Of seconds there are too many to compare with; after a title, any digits are read.
        if name == "dp1_seconds" or "range" not in values:
            continue
        first, last = values["range"]["from"], values["range"]["to"]
        lists[f"{name}_wide"] = {
            "values": [
                {"in": str(number).translate(WIDE_DIGITS), "out": number}
                for number in range(first, last + 1)
            ]
        }
        text = re.sub(rf"\{{{name}:(\w+)\}}", rf"(\g<0>|{{{name}_wide:\1}})", text)
    wide: dict[str, Any] = json.loads(text)
    wide["lists"] |= lists
    return wide


def spellings(names: Iterable[str], language: str) -> list[str]:
    """Return names as they are written and as they are heard: without signs, accents and article, with numbers in words."""
    spellings = list[str]()
    for name in names:
        written = " ".join(SIGNS.sub(" ", name).split())
        heard = [written, fold(name)]
        parts = (text.partition(" ") for text in heard)
        heard += [rest for first, _, rest in parts if fold(first) in FILLERS]
        spellings += [*heard, *(in_words(text, language) for text in heard)]
    return [*dict.fromkeys(filter(None, spellings))]


def _update(folder: Path, enable: bool, names: Names) -> tuple[bool, list[str]]:
    """Write or remove the files that are ours; return whether any was, and those that their owner has edited."""
    changed, edited = False, list[str]()
    for source, target in _files(folder):
        present = target.read_text(encoding="utf-8") if target.is_file() else None
        text = None
        if enable:
            text = _text(source.stem, json.dumps(names))
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


@lru_cache(maxsize=8)
def _text(language: str, names: str) -> str:
    """Return the sentences of a language as a file that people can edit, remembered."""
    table = sentences_of(language, json.loads(names))
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return _stamped(
        yaml.dump(table, Dumper=dumper, allow_unicode=True, sort_keys=False, width=200)
    )


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
