"""Fixtures for tests of what is said."""

from collections.abc import AsyncIterator, Iterator
import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hassil.intents import Intents
import pytest

from homeassistant.core import HomeAssistant

from .home import Home, table

_parse = Intents.from_dict
_parsed: dict[str, Intents] = {}


def _parse_once(data: dict[str, Any]) -> Intents:
    """Return parsed sentences, whose templates are expanded when they are first compared."""
    text = json.dumps(data)
    if text not in _parsed:
        _parsed[text] = _parse(data)
    return _parsed[text]


@pytest.fixture(autouse=True, scope="package")
def parse_sentences_once() -> Iterator[None]:
    """Let all homes of these tests share the parsed sentences of a language."""
    with patch.object(Intents, "from_dict", _parse_once):
        yield


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
