"""The sentences in the configuration folder: written, renewed and removed, but never over what their owner wrote."""

from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from custom_components.dp1.voice import sentences
from custom_components.dp1.voice.answers import async_answers
from homeassistant.components import conversation
from homeassistant.components.conversation.default_agent import DefaultAgent
from homeassistant.const import EVENT_CALL_SERVICE
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component

from ..displays import until
from ..libraries import library_entry, set_up

from tests.flows import CREATED, begin_options, fill, outcome

pytestmark = pytest.mark.usefixtures("socket_enabled")

LANGUAGES = {"de", "de-CH", "en"}


@pytest.fixture
async def folder(hass: HomeAssistant, tmp_path: Path) -> Path:
    """Have a configuration folder of one's own, and Assist."""
    hass.config.config_dir = str(tmp_path)
    (tmp_path / "configuration.yaml").touch()
    assert await async_setup_component(hass, "homeassistant", {})
    assert await async_setup_component(hass, "conversation", {})
    return tmp_path / "custom_sentences"


def files(folder: Path) -> set[str]:
    """Return the folders that hold a file of ours."""
    return {path.parent.name for path in folder.rglob("dp1.yaml")}


async def set_option(hass: HomeAssistant, entry: MockConfigEntry, wanted: bool) -> None:
    """Check or uncheck the option, as its form does."""
    form = await begin_options(hass, entry.entry_id, "sources")
    done = await fill(hass, form, voice_sentences=wanted, surprise={})
    assert outcome(done) == CREATED
    await hass.async_block_till_done(wait_background_tasks=True)


async def test_option(
    hass: HomeAssistant, folder: Path, issue_registry: ir.IssueRegistry
) -> None:
    """The option writes the files, renews old ones, leaves edited ones alone, and removes its own."""
    entry = await set_up(hass, library_entry(None, "http://127.0.0.1:9"))
    assert not folder.exists()
    await set_option(hass, entry, True)
    assert files(folder) >= LANGUAGES
    english, german = folder / "en" / "dp1.yaml", folder / "de" / "dp1.yaml"
    now = english.read_text()
    english.write_text(sentences._stamped("language: en\n"))
    german.write_text(f"{german.read_text()}# mine\n")
    mine = folder / "en" / "mine.yaml"
    mine.write_text("language: en\n")
    await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    assert english.read_text() == now
    assert german.read_text().endswith("# mine\n")
    issue = issue_registry.async_get_issue("dp1", "sentences_edited")
    assert issue is not None
    assert issue.translation_placeholders == {"files": "custom_sentences/de/dp1.yaml"}
    await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    assert files(folder) >= LANGUAGES
    await set_option(hass, entry, False)
    assert files(folder) == {"de"}
    assert mine.exists()
    assert not (folder / "de-CH").exists()
    assert issue_registry.async_get_issue("dp1", "sentences_edited") is None


async def test_what_is_in_the_way(
    hass: HomeAssistant, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file of the owner's own is left alone; a folder that cannot be written is told of, and the library works."""
    (folder / "en").mkdir(parents=True)
    (folder / "en" / "dp1.yaml").write_text("language: en\n")
    options = {"voice_sentences": True}
    await set_up(hass, library_entry(None, "http://127.0.0.1:9", options=options))
    await hass.async_block_till_done(wait_background_tasks=True)
    assert (folder / "en" / "dp1.yaml").read_text() == "language: en\n"
    assert (folder / "de" / "dp1.yaml").exists()
    (folder / "de" / "dp1.yaml").unlink()
    (folder / "de").rmdir()
    (folder / "de").write_text("in the way")
    with pytest.raises(HomeAssistantError) as raised:
        await sentences.async_update_sentences(hass, enable=True)
    assert raised.value.translation_key == "sentences_not_written"
    (entry,) = hass.config_entries.async_entries("dp1")
    await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    assert "could not be written" in caplog.text


async def test_assist_reads_other_files_meanwhile(
    hass: HomeAssistant, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Assist was reading when the files were written does not stay."""
    read, began, go_on = DefaultAgent._load_intents, Event(), Event()

    def load(self: DefaultAgent, language: str) -> Any:
        result = read(self, language)
        began.set()
        go_on.wait(30)
        return result

    async def say(sentence: str) -> str:
        said = await conversation.async_converse(
            hass, sentence, None, Context(), language="en"
        )
        return str(said.response.speech["plain"]["speech"])

    await set_up(hass, library_entry(None, "http://127.0.0.1:9"))
    monkeypatch.setattr(DefaultAgent, "_load_intents", load)
    first = hass.async_create_task(say("what is on the art display"))
    await until(began.is_set)
    reloads = async_capture_events(hass, EVENT_CALL_SERVICE)
    update = hass.async_create_task(sentences.async_update_sentences(hass, enable=True))
    await until(lambda: reloads)
    go_on.set()
    await update
    # Assist remembers that it did not understand a sentence, perhaps only after it was told to read again.
    answers = await async_answers(hass, "en")
    assert await say("what is the title of this picture") == answers.say("no_display")
    await first
