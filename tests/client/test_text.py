"""Plain text out of anything."""

from hypothesis import given, strategies as st
import pytest

from custom_components.dp1.client.text import LONGEST_INPUT, clean, shorten


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
        ("a\x00b\x1b[31mc", "a b [31mc"),
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
    """What a person reads is left."""
    assert clean(text) == plain


def test_long_text_ends_in_an_ellipsis() -> None:
    """A text is cut, its end marked, and blanks before the mark are dropped."""
    assert clean("word " * 200, 12) == "word word w…"
    assert clean("word word  ", 9) == "word word"
    assert shorten("abc def", 5) == "abc…"


def test_endless_text_is_not_read_to_its_end() -> None:
    """However long a text is, only its beginning is looked at."""
    assert clean("<hr>" * (LONGEST_INPUT // 4) + "late") == ""


@given(
    st.text(
        alphabet=st.sampled_from("<>&;/!-[]'\"= \nabpscript#x0\ud800\u202e"),
        max_size=300,
    )
)
def test_clean_never_fails(text: str) -> None:
    """Whatever comes in, one line of limited length comes out that can be written to a file."""
    plain = clean(text, 50)
    assert len(plain) <= 50
    assert plain == " ".join(plain.split())
    plain.encode()
