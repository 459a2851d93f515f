"""The list of what a language lacks, and of what was made from an English text that has changed."""

import json
from pathlib import Path

import pytest

from scripts import translations_run as run

ENGLISH = {"a.name": "Scaling", "a.hint": "How works fit.", "b.name": "Margin"}
GERMAN = {"a.name": "Skalierung", "a.hint": "Wie Werke passen."}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write texts in two languages, one of them translated from the English of now."""
    monkeypatch.setattr(run, "RECORD", tmp_path / "record.json")
    for language, texts in (("en", ENGLISH), ("de", GERMAN)):
        tree: dict[str, dict[str, str]] = {}
        for path, text in texts.items():
            head, _, name = path.partition(".")
            tree.setdefault(head, {})[name] = text
        (tmp_path / f"{language}.json").write_text(json.dumps(tree), "utf-8")
    run.write_record({"de": {path: run.mark(ENGLISH[path]) for path in GERMAN}})
    return tmp_path


def test_a_changed_english_text_makes_a_translation_stale(files: Path) -> None:
    """It is listed until it is said to have been translated anew, and only that one is."""
    german = run.texts("de", files)
    made_from = run.read_record()["de"]
    assert run.missing(ENGLISH, german) == ["b.name"]
    assert run.stale(ENGLISH, german, made_from) == []
    changed = {**ENGLISH, "a.name": "Fit", "a.hint": "How works fill."}
    assert run.stale(changed, german, made_from) == ["a.hint", "a.name"]
    made_from = run.marked(changed, german, made_from, ["a.name"])
    assert run.stale(changed, german, made_from) == ["a.hint"]
    made_from = run.marked(changed, german, made_from, ["a"])
    assert run.stale(changed, german, made_from) == []


def test_a_translation_that_nobody_noted_is_stale() -> None:
    """What its English text was is not known."""
    assert run.stale(ENGLISH, GERMAN, {}) == ["a.hint", "a.name"]
    assert run.marked(ENGLISH, GERMAN, {}, []).keys() == GERMAN.keys()


def test_command(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command lists, notes, and refuses a language that is not there."""
    monkeypatch.setattr(
        run, "texts", lambda language: {"en": ENGLISH}.get(language, GERMAN)
    )
    monkeypatch.setattr(run, "languages", lambda: ["de"])
    run.write_record({})
    assert run.main(["de"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "de\tmissing\tb.name\tMargin",
        "de\tstale\ta.hint\tHow works fit.",
        "de\tstale\ta.name\tScaling",
    ]
    assert run.main(["de", "--translated"]) == 0
    assert capsys.readouterr().out == "de\tmissing\tb.name\tMargin\n"
    assert run.read_record()["de"].keys() == GERMAN.keys()
    with pytest.raises(SystemExit):
        run.main(["xx"])


def test_the_record_is_of_languages_there_are() -> None:
    """What is stale is listed by the command, since the author of an English text need not know seven languages."""
    assert run.read_record().keys() <= set(run.languages())
