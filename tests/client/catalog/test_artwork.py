"""Test source, picture, title and provenance of artworks."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from hypothesis import given, strategies as st
import pytest

from custom_components.dp1.client.catalog.artwork import (
    Size,
    absolute_url,
    artwork_page,
    cover_url,
    edition,
    picture_url,
    provenance,
    series_page,
    source_url,
    title,
    year,
)
from custom_components.dp1.client.catalog.models import (
    Artwork,
    Exhibition,
    Model,
    Series,
)

from tests.client.tables import tables

TABLES = tables("artwork")
CDN = "https://cdn.artworks.feralfile.io"
IMAGE = "https://imagedelivery.net/ACCOUNThash123/0b1c2d3e-4f50"
SERIES = Series(
    id="s", exhibition_id="e", title="Cloud Ledger", slug="cloud-ledger-w3e"
)

type Details = dict[str, Any]


def work(**details: Any) -> Artwork:
    return Artwork(id="1", **details)


def series(changes: Details | None) -> Series:
    """Return a series with some details."""
    changes = changes or {}
    model = Model(changes.get("model", Model.MULTI_UNIQUE))
    return replace(SERIES, **changes | {"model": model})


@pytest.mark.parametrize(("text", "url"), TABLES["addresses"])
def test_absolute_url(text: str, url: str | None) -> None:
    """Paths are completed, queries kept, and unsupported URLs dropped."""
    assert absolute_url(text) == url


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_address_is_safe_to_send(text: str) -> None:
    """The result is None or a valid URL without blanks."""
    url = absolute_url(text)
    if url is not None:
        assert urlsplit(url).scheme.lower() in {"http", "https"}
        assert url.isascii() and url.isprintable() and " " not in url
        assert absolute_url(url) == url


@given(st.text(alphabet="abc/?&=%20._-+:@;,!*'()$~", min_size=1, max_size=60))
def test_queries_are_never_rewritten(query: str) -> None:
    text = f"https://works.example/a?{query}#{query}".replace("%", "%25")
    assert absolute_url(text) == text.strip()


@pytest.mark.parametrize(("sources", "index", "changes", "url"), TABLES["sources"])
def test_source(
    sources: list[str], index: int | None, changes: Details | None, url: str | None
) -> None:
    """The first source that can be opened is taken, else that of the index in the series, or that of the series."""
    assert source_url(work(sources=sources, index=index), series(changes)) == url


@pytest.mark.parametrize(("details", "changes", "size", "url"), TABLES["pictures"])
def test_pictures(
    details: Details, changes: Details | None, size: Size, url: str | None
) -> None:
    """A work's own picture comes before those of its series, and the work itself only counts if it is an image."""
    assert picture_url(work(**details), series(changes), size) == url


def test_covers() -> None:
    """A cover is the first supported picture, in the requested size."""
    show = Exhibition(id="e", title="Show", pictures=(IMAGE, "covers/1"))
    assert cover_url(show) == f"{IMAGE}/m"
    assert cover_url(show, "l") == f"{IMAGE}/l"
    assert cover_url(replace(show, pictures=("covers/1",))) == f"{CDN}/covers/1"
    assert cover_url(SERIES) is None


@pytest.mark.parametrize(("name", "index", "changes", "expected"), TABLES["titles"])
def test_title(
    name: str, index: int | None, changes: Details | None, expected: str
) -> None:
    """A title names series and work once each, and a series of one work has its title."""
    assert title(work(name=name, index=index), series(changes)) == expected


@given(
    st.text(max_size=300),
    st.text(min_size=1, max_size=300),
    st.none() | st.integers(0, 2000),
)
def test_titles_fit_a_playlist(name: str, series_title: str, index: int | None) -> None:
    """A title with a series is not empty and not longer than a playlist allows."""
    artwork = work(name=name, index=index)
    assert 1 <= len(title(artwork, replace(SERIES, title=series_title))) <= 200


def test_edition_and_year() -> None:
    """Editions count from 1; the year is that of the minting."""
    assert edition(work(index=0)) == 1
    assert edition(work()) is None
    minted = datetime.fromisoformat("2026-02-27T12:04:11+00:00")
    assert year(work(minted_at=minted), SERIES) == 2026
    assert year(work(), replace(SERIES, minted_at=minted)) == 2026
    assert year(work(), SERIES) is None


@pytest.mark.parametrize(
    ("chain", "contract", "token_id", "expected"), TABLES["provenance"]
)
def test_provenance(
    chain: str, contract: str, token_id: str, expected: tuple[str, str] | None
) -> None:
    """Blockchains have their DP-1 names; uncertain values are left out."""
    origin = provenance(work(chain=chain, contract=contract, token_id=token_id))
    token = {"address": contract, "tokenId": token_id}
    names = expected and dict(zip(("chain", "standard"), expected, strict=True))
    assert origin == (names and {"type": "onChain", "contract": names | token})


def test_pages() -> None:
    """Each kind of record has a web page, if it has a slug."""
    base = "https://feralfile.com/exhibitions"
    assert series_page(SERIES) == f"{base}/series/cloud-ledger-w3e"
    assert artwork_page(replace(work(), id="a/b?c")) == f"{base}/artwork/a%2Fb%3Fc"
