"""Fixtures for tests of what is said."""

from collections.abc import AsyncIterator
from copy import deepcopy
from functools import cache, partial
import json
from pathlib import Path
from typing import Any

from hassil.intents import Intents
import pytest
import yaml

from custom_components.dp1.voice import sentences, tail
from homeassistant.core import HomeAssistant

from .home import Home, table

_parse = Intents.from_dict
_parsed: dict[str, Intents] = {}
_read = cache(partial(yaml.load, Loader=yaml.CSafeLoader))
_text = cache(sentences._text.__wrapped__)
_tail = cache(tail._tail.__wrapped__)


def _parse_once(data: dict[str, Any]) -> Intents:
    """Return parsed sentences, whose templates are expanded when they are first compared."""
    text = json.dumps(data)
    if text not in _parsed:
        _parsed[text] = _parse(data)
    return _parsed[text]


@pytest.fixture(autouse=True)
def parse_sentences_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all homes of a session share the sentences of a language, written, read and parsed."""
    monkeypatch.setattr(Intents, "from_dict", _parse_once)
    monkeypatch.setattr(yaml, "safe_load", lambda file: deepcopy(_read(file.read())))
    monkeypatch.setattr(sentences, "_text", _text)
    monkeypatch.setattr(tail, "_tail", _tail)


@pytest.fixture
def expected_lingering_timers() -> bool:
    """Announcements wait for their end."""
    return True


@pytest.fixture
async def home(
    hass: HomeAssistant, tmp_path: Path, socket_enabled: None
) -> AsyncIterator[Home]:
    """Set up a home that speaks English."""
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        yield home
