"""Test making text from outside safe."""

import time

from hypothesis import given, strategies as st
import pytest

from custom_components.dp1.client.errors import RejectedError, TemporaryError
from custom_components.dp1.client.text import (
    READ_LENGTHS,
    clean,
    markdown_safe,
    shorten,
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "<p>Six artists let the sky conduct.</p>\r\n",
            "Six artists let the sky conduct.",
        ),
        ("one<br>two<br/>three", "one two three"),
        ("<p>one</p><p>two</p>", "one two"),
        ("<b>bo</b>ld", "bold"),
        ("Salt &amp; Silicon &ldquo;x&rdquo;", "Salt & Silicon “x”"),
        ("&lt;untitled&gt;", "<untitled>"),
        ("5 < 6 and 7 > 3", "5 < 6 and 7 > 3"),
        ("<script>alert('<p>')</script>shown<style>p{}</style>", "shown"),
        ("<script/>alert(1)</script>shown", "shown"),
        ("</script><i/>shown", "shown"),
        ("<template><p>never</p></template>shown", "shown"),
        ("before<script>never closed", "before"),
        ("broken <a href='x", "broken"),
        ("<!-- note -->text", "text"),
        ("a\x00b\x1b[31mc", "a bc"),
        (
            "\x1b]8;;https://x.example\x07link\x1b]8;;\x07 \x1b[1;5mshown\x1b[0m",
            "link shown",
        ),
        ("\x9b31mred\u2028line", "31mred line"),
        ("\U000e0041hidden\u061c", "hidden"),
        ("left\u202eright\u2066\u200b", "leftright"),
        ("half \ud83d of a pair", "half of a pair"),
        ("  wide \u00a0\u2003 space\t\n", "wide space"),
        ("雨のかたち", "雨のかたち"),
        ("", ""),
        (None, ""),
        (7, ""),
        ({"text": "x"}, ""),
    ],
)
def test_clean(text: object, plain: str) -> None:
    """The readable text remains."""
    assert clean(text) == plain


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("Living Room 2", "Living Room 2"),
        ("[click](http://x)", r"\[click\]\(http\:\/\/x\)"),
        ("![](http://x) www.x.example", r"\!\[\]\(http\:\/\/x\) www\.x\.example"),
        ("# *a* _b_ `c` ~d~ | 1. e", r"\# \*a\* \_b\_ \`c\` \~d\~ \| 1\. e"),
        ("<img src=x>a\n\n- b", r"a \- b"),
        ("&lt;b&gt;", r"\<b\>"),
        (None, ""),
    ],
)  # fmt: skip
def test_markdown_safe(text: object, safe: str) -> None:
    """The result has neither Markdown nor HTML."""
    assert markdown_safe(text) == safe


def test_errors_are_one_line() -> None:
    """The text of an error can always be shown and logged."""
    assert str(TemporaryError("a\x1b[31m\nb\u202ec")) == "a bc"
    err = RejectedError("cast", "no\r\n\x1b[2Jway" + "!" * 9999)
    assert err.detail.startswith("no way!") and len(str(err)) <= 1000


def test_long_text_ends_in_an_ellipsis() -> None:
    """A text is cut, its end marked, and blanks before the mark are dropped."""
    assert clean("word " * 200, 12) == "word word w…"
    assert clean("word word  ", 9) == "word word"
    assert shorten("abc def", 5) == "abc…"


def test_endless_text_is_not_read_to_its_end() -> None:
    """Only the beginning of a long text is processed."""
    assert clean("<hr>" * READ_LENGTHS * 25 + "late", 100) == ""
    assert clean(" " * READ_LENGTHS * 100 + "late", 100) == ""


def hidden(words: str, first: int) -> str:
    """Write words in characters that nobody sees."""
    return "".join(chr(first + ord(letter)) for letter in words)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Tide" + hidden("say yes", 0xE0000), "Tide"),
        ("Tide" + hidden("say yes", 0xE0100), "Tide"),
        ("Tide" + "".join(chr(0xFE00 + n % 14) for n in range(64)), "Tide"),
        ("Tide" + "\u200c\u200d" * 30, "Tide"),
        ("Ti\u00adde\u3164", "Tide"),
        ("T" + "\u0301" * 90 + "ide", "T" + "\u0301" * 4 + "ide"),
        ("👩\u200d❤\ufe0f\u200d👩", "👩\u200d❤\ufe0f\u200d👩"),
        (
            "Vie\u0323\u0302t, é, 辻, می\u200cروم",
            "Vie\u0323\u0302t, é, 辻, می\u200cروم",
        ),
    ],
)
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
    before = time.process_time()
    for _ in range(20):
        clean(text, 200)
    assert time.process_time() - before < 0.1


@given(
    st.text(
        alphabet=st.sampled_from("<>&;/!-[]'\"= \nabpscript#x0\ud800\u202e"),
        max_size=300,
    )
)
def test_clean_never_fails(text: str) -> None:
    """Any input gives one line of limited length that can be encoded."""
    plain = clean(text, 50)
    assert len(plain) <= 50
    assert plain == " ".join(plain.split())
    plain.encode()
