"""Spoken answers, from templates in the language of the question."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
import json
from pathlib import Path
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import language as language_util

from ..client.text import clean
from ..const import DOMAIN
from ..language import DEFAULT_LANGUAGE, async_message, async_spoken_in

FOLDER: Final = Path(__file__).parent.parent / "answers"
SCRIPTS: Final = {"zh": "zh-Hans"}
MAX_TEXT: Final = 120
# More than these are not remembered.
MAX_NAMES: Final = 3
# Later than this, the day is told.
SOON: Final = timedelta(hours=18)
SECONDS: Final = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}


class UnansweredError(HomeAssistantError):
    """A question without an answer, or a command without a display; the key is that of a template."""

    def __init__(self, key: str, **texts: str | Sequence[str]) -> None:
        """Initialize with the key and the texts of a template; of several, one was meant."""
        super().__init__(key)
        self.key = key
        self.texts = texts


class NotOursError(UnansweredError):
    """A sentence that names neither art nor a display, which Home Assistant passes on to a language model."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Templates in one language."""

    language: str
    templates: dict[str, str]

    @property
    def translation(self) -> str:
        """Return the language of the translations: Home Assistant has Chinese by its script."""
        return SCRIPTS.get(self.language, self.language)

    def say(self, key: str, **texts: str | Sequence[str] | None) -> str:
        """Fill a template with texts from outside, which are cut; of several, one is meant."""
        filled = {
            name: clean(text or "", MAX_TEXT)
            if isinstance(text, str | None)
            else self.join([clean(choice, MAX_TEXT) for choice in text], "or")
            for name, text in texts.items()
        }
        return self.templates[key].format(**filled)

    def credit(self, key: str, artists: Sequence[str], **texts: str | None) -> str:
        """Fill a template that names artists, or the one that says that they are unknown."""
        if not artists:
            return self.say(f"{key}_unknown", **texts)
        credited = self.join(artists)
        if len(artists) > MAX_NAMES:
            credited = self.say("others", artists=", ".join(artists[: MAX_NAMES - 1]))
        return self.say(key, artist=credited, **texts)

    def join(self, texts: Sequence[str], last_by: str = "and") -> str:
        """Join names as people list them."""
        *others, last = texts
        if not others:
            return last
        return self.templates["comma"].join(others) + self.templates[last_by] + last

    def span(self, duration: timedelta, until: datetime | None) -> str:
        """Return the words for a duration, or for its end."""
        if until is not None:
            clock = "clock_day" if duration > SOON else "clock"
            return self.say("until", time=until.strftime(self.templates[clock]))
        return self.say("for", time=self.time(duration.total_seconds()))

    def time(self, seconds: float) -> str:
        """Return a duration in words."""
        for unit, size in SECONDS.items():
            if seconds >= size and seconds % size == 0:
                count = int(seconds // size)
                key = unit.removesuffix("s") if count == 1 else unit
                return self.say(key, count=str(count))
        return self.say("seconds", count=str(int(seconds)))


async def async_answers(hass: HomeAssistant, language: str) -> Answers:
    """Return the templates that fit a language best, else the English ones."""
    templates = await hass.async_add_executor_job(_load)
    fitting = language_util.matches(language, templates)
    chosen = fitting[0] if fitting else DEFAULT_LANGUAGE
    return Answers(chosen, templates[chosen])


@cache
def _load() -> dict[str, dict[str, str]]:
    """Read the templates of all languages."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in FOLDER.glob("*.json")
    }


async def async_error_text(
    hass: HomeAssistant, answers: Answers, err: HomeAssistantError
) -> str:
    """Return the message of an error, in the language of the question if that is translated."""
    if isinstance(err, UnansweredError):
        return answers.say(err.key, **err.texts)
    component = err.translation_domain or DOMAIN
    async with async_spoken_in(hass, answers.translation, component):
        return async_message(hass, err)
