"""Test making text from outside safe."""

from hypothesis import given, strategies as st
import pytest

from custom_components.dp1.client.errors import RejectedError, TemporaryError
from custom_components.dp1.client.text import (
    READ_LENGTHS,
    clean,
    markdown_safe,
    shorten,
)

from tests.client.tables import tables
from tests.client.timing import seconds

TABLES = tables("text")


@pytest.mark.parametrize(("text", "plain"), TABLES["clean"])
def test_clean(text: object, plain: str) -> None:
    """The readable text remains."""
    assert clean(text) == plain


@pytest.mark.parametrize(("text", "safe"), TABLES["markdown"])
def test_markdown_safe(text: object, safe: str) -> None:
    """The result has neither Markdown nor HTML."""
    assert markdown_safe(text) == safe


def test_errors_are_one_line() -> None:
    """The text of an error can always be shown and logged."""
    assert str(TemporaryError("a\x1b[31m\nb\u202ec")) == "a bc"
    err = RejectedError("cast", "no\r\n\x1b[2Jway" + "!" * 9999)
    assert err.detail.startswith("no way!") and len(str(err)) <= 1000


def test_long_text_ends_in_an_ellipsis() -> None:
    """A text is cut at the end of a word where one is near, its end marked, and blanks before the mark are dropped."""
    assert clean("word " * 200, 13) == "word word…"
    assert clean("a " + "b" * 200, 12) == "a bbbbbbbbb…"
    assert clean("word word  ", 9) == "word word"
    assert shorten("abc def", 5) == "abc…"


def test_endless_text_is_not_read_to_its_end() -> None:
    """Only the beginning of a long text is processed."""
    assert clean("<hr>" * READ_LENGTHS * 25 + "late", 100) == ""
    assert clean(" " * READ_LENGTHS * 100 + "late", 100) == ""


def hidden(words: str, first: int) -> str:
    """Write words in characters that nobody sees."""
    return "".join(chr(first + ord(letter)) for letter in words)


@pytest.mark.parametrize(("text", "plain"), TABLES["invisible"])
def test_what_nobody_sees(text: str, plain: str) -> None:
    """Words for models in characters that people do not see are taken out, and heaps of marks; letters and emoji stay."""
    assert clean(text) == plain


def test_endless_character_reference() -> None:
    """A number that Python would not read is no character."""
    assert clean("&#" + "9" * 5000 + ";x", 1000) == "\ufffdx"
    assert clean("&#" + "9" * 8, 1000) == "\ufffd"


@pytest.mark.parametrize(
    "unit",
    ["<", "<a ", "<p>", "<!--", "<script>", "</", "<a '", '<a "', "&", "&#", "&lt;", "\x1b[", "\x1b]", "<!", "<a =\n"],
)  # fmt: skip
def test_cleaning_takes_no_time(unit: str) -> None:
    """The time that a text takes does not depend on what is in it, nor on its length."""
    text = unit * (4_000_000 // len(unit))
    assert seconds(lambda: [clean(text, 200) for _ in range(20)]) < 0.1
    assert "late" not in clean("<p>" * 600 + "late", 200)


@given(
    st.text(
        alphabet=st.sampled_from("<>&;/!-[]'\"= \nabpscript#x0\ud800\u202e"),
        max_size=300,
    )
)
def test_clean_never_fails(text: str) -> None:
    plain = clean(text, 50)
    assert len(plain) <= 50
    assert plain == " ".join(plain.split())
    plain.encode()
