"""Test source, picture, title and provenance of artworks."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from hypothesis import given, strategies as st
import pytest

from custom_components.dp1.client.catalog.artwork import (
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

CDN = "https://cdn.feralfileassets.com"
IMAGE = "https://imagedelivery.net/ACCOUNThash123/0b1c2d3e-4f50"
EVM = "0x115C9A6118bC7a3EB0aBD30f6BCF1C45Bb198AEd"

SERIES = Series(
    id="s", exhibition_id="e", title="Cloud Ledger", slug="cloud-ledger-w3e"
)


def work(**details: Any) -> Artwork:
    return Artwork(id="1", **details)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("previews/a/1/index.html", f"{CDN}/previews/a/1/index.html"),
        ("/previews/a/1/", f"{CDN}/previews/a/1/"),
        (" previews/a/1 ", f"{CDN}/previews/a/1"),
        (
            "previews/a/1/?edition_number=2\u0026blockchain=bitmark&x=%20+%C3%BC",
            f"{CDN}/previews/a/1/?edition_number=2&blockchain=bitmark&x=%20+%C3%BC",
        ),
        (
            "previews/a/?u=https://b.example/c?d=e#f",
            f"{CDN}/previews/a/?u=https://b.example/c?d=e#f",
        ),
        ("previews/a b/ü.html", f"{CDN}/previews/a%20b/%C3%BC.html"),
        ("previews/100%/x", f"{CDN}/previews/100%25/x"),
        (
            "https://generator.example/0xab?x=1&y=2#z",
            "https://generator.example/0xab?x=1&y=2#z",
        ),
        ("HTTP://127.0.0.1:8080/a", "HTTP://127.0.0.1:8080/a"),
        ("//works.example/a", "https://works.example/a"),
        (
            "ipfs://bafyabc/index.html?seed=3",
            "https://ipfs.io/ipfs/bafyabc/index.html?seed=3",
        ),
        ("ipfs://ipfs/QmAbc", "https://ipfs.io/ipfs/QmAbc"),
        ("IPFS://QmAbc", "https://ipfs.io/ipfs/QmAbc"),
        (IMAGE, f"{IMAGE}/raw"),
        (f"{IMAGE}/", f"{IMAGE}/raw"),
        (f"{IMAGE}/public", f"{IMAGE}/public"),
        (f"{IMAGE}/thumbnailLarge", f"{IMAGE}/thumbnailLarge"),
        (f"{IMAGE}?v=1", f"{IMAGE}/raw?v=1"),
        ("ipfs://", None),
        ("javascript:alert(1)", None),
        ("data:image/png;base64,AAAA", None),
        ("file:///etc/passwd", None),
        ("ftp://works.example/a", None),
        ("https://", None),
        ("https://[::1", None),
        ("https://works.example:port/", None),
        ("", None),
        ("  ", None),
    ],
)
def test_absolute_url(text: str, url: str | None) -> None:
    """Paths are completed, queries kept, and unsupported URLs dropped."""
    assert absolute_url(text) == url


@given(st.text(max_size=60))
def test_any_address_is_safe_to_send(text: str) -> None:
    """The result is None or a valid URL without blanks."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    url = absolute_url(text)
    if url is not None:
        assert urlsplit(url).scheme.lower() in {"http", "https"}
        assert url.isascii() and url.isprintable() and " " not in url
        assert absolute_url(url) == url


@given(st.text(alphabet="abc/?&=%20._-+:@;,!*'()$~", min_size=1, max_size=60))
def test_queries_are_never_rewritten(query: str) -> None:
    """Valid characters of a query are kept."""
    text = f"https://works.example/a?{query}#{query}".replace("%", "%25")
    assert absolute_url(text) == text.strip()


def test_source_takes_the_first_that_can_be_opened() -> None:
    """Unsupported sources are skipped."""
    assert (
        source_url(work(sources=["javascript:x", "previews/a/"]))
        == f"{CDN}/previews/a/"
    )
    assert (
        source_url(work(sources=["https://one.example/", "previews/a/"]))
        == "https://one.example/"
    )
    assert source_url(work()) is None
    assert source_url(work(), SERIES) is None


@pytest.mark.parametrize(
    ("medium", "index", "path", "url"),
    [
        ("software", 0, "previews/u", f"{CDN}/previews/u/0/"),
        ("software", 3, "previews/u/", f"{CDN}/previews/u/3/"),
        ("image", 3, "previews/u", f"{CDN}/previews/u/3"),
        ("image", None, "previews/u", f"{CDN}/previews/file"),
        ("image", 3, "", f"{CDN}/previews/file"),
    ],
)
def test_source_of_the_series(
    medium: str, index: int | None, path: str, url: str
) -> None:
    """A work without a source has that of its index, or that of the series."""
    series = replace(
        SERIES, medium=medium, unique_preview_path=path, previews=("previews/file",)
    )
    assert source_url(work(index=index), series) == url


def test_pictures() -> None:
    """A work's own picture comes before those of its series, and the work itself only counts if it is an image."""
    series = replace(
        SERIES, pictures=("thumbnails/s",), medium="image", previews=("previews/p",)
    )
    unique = replace(series, unique_thumbnail_path="thumbs/u/")
    assert picture_url(work(pictures=[IMAGE, "thumbnails/w"]), series) == f"{IMAGE}/m"
    assert picture_url(work(pictures=[IMAGE]), series, "l") == f"{IMAGE}/l"
    assert (
        picture_url(work(pictures=[f"{IMAGE}/public"]), series, "l")
        == f"{IMAGE}/public"
    )
    assert (
        picture_url(work(pictures=["data:x", "thumbnails/w"])) == f"{CDN}/thumbnails/w"
    )
    assert picture_url(work(index=4), unique) == f"{CDN}/thumbs/u/4-large.jpg"
    assert picture_url(work(), unique) == f"{CDN}/thumbnails/s"
    bare = replace(series, pictures=())
    assert picture_url(work(sources=[IMAGE]), bare, "l") == f"{IMAGE}/l"
    assert picture_url(work(), bare) == f"{CDN}/previews/p"
    assert (
        picture_url(work(sources=["previews/w"]), replace(bare, medium="software"))
        is None
    )
    assert picture_url(work()) is None


def test_covers() -> None:
    """A cover is the first supported picture, in the requested size."""
    show = Exhibition(id="e", title="Show", pictures=(IMAGE, "covers/1"))
    assert cover_url(show) == f"{IMAGE}/m"
    assert cover_url(show, "l") == f"{IMAGE}/l"
    assert cover_url(replace(show, pictures=("covers/1",))) == f"{CDN}/covers/1"
    assert cover_url(SERIES) is None


@pytest.mark.parametrize(
    ("name", "index", "expected"),
    [
        ("#12", 11, "Cloud Ledger #12"),
        ("AE", 1, "Cloud Ledger AE"),
        ("AP", None, "Cloud Ledger AP"),
        ("PP", 3, "Cloud Ledger PP"),
        ("Plate #8", 7, "Cloud Ledger Plate #8"),
        ("", 4, "Cloud Ledger #5"),
        ("", None, "Cloud Ledger"),
        ("Cloud Ledger, page 3", 2, "Cloud Ledger, page 3"),
        ("cloud ledger", 2, "cloud ledger"),
        ("Cirrus, signed", 3, "Cloud Ledger Cirrus, signed"),
        ("雨", 3, "Cloud Ledger 雨"),
    ],
)
def test_title(name: str, index: int | None, expected: str) -> None:
    """A title names series and work once each."""
    assert title(work(name=name, index=index), SERIES) == expected


def test_title_of_single_works() -> None:
    """A series of one work has the title of the work."""
    assert title(work(name="#1"), replace(SERIES, max_artwork=1)) == "Cloud Ledger"
    assert title(work(name="#1"), replace(SERIES, model=Model.SINGLE)) == "Cloud Ledger"


def test_proof_names_are_no_part_of_a_title() -> None:
    """A series called A does not swallow its AE."""
    assert title(work(name="AE"), replace(SERIES, title="A")) == "A AE"


def test_title_without_series() -> None:
    """Without a series the title is the name."""
    assert title(work(name="#12")) == "#12"
    assert title(work()) == ""


@given(
    st.text(max_size=300),
    st.text(min_size=1, max_size=300),
    st.none() | st.integers(0, 2000),
)
def test_titles_fit_a_playlist(name: str, series_title: str, index: int | None) -> None:
    """A title with a series is not empty and not longer than a playlist allows."""
    artwork = Artwork(id="1", name=name, index=index)
    assert 1 <= len(title(artwork, replace(SERIES, title=series_title))) <= 200


def test_edition_and_year() -> None:
    """Editions count from 1; the year is that of the minting."""
    assert edition(work(index=0)) == 1
    assert edition(work()) is None
    minted = datetime.fromisoformat("2026-02-27T12:04:11+00:00")
    assert year(work(minted_at=minted)) == 2026
    series = Series(id="s", exhibition_id="", title="s", minted_at=minted)
    assert year(work(), series) == 2026
    assert year(work(), SERIES) is None and year(work()) is None


@pytest.mark.parametrize(
    ("chain", "contract", "token_id", "expected"),
    [
        ("ethereum", EVM, "12", ("evm", "erc721")),
        ("base", EVM, "12", ("evm", "erc721")),
        ("polygon", EVM, "12", ("evm", "erc721")),
        ("arbitrum", EVM, "12", ("evm", "erc721")),
        ("tezos", "KT1Example", "1000000", ("tezos", "fa2")),
        ("solana", "So1", "8", ("other", "other")),
        ("bitmark", "", "f0", None),
        ("bitmark", "b", "f0", None),
        ("ethereum", "", "12", None),
        ("ethereum", EVM, "", None),
        ("ethereum", EVM, "twelve", None),
        ("ethereum", EVM, "-1", None),
        ("ethereum", EVM, "٣", None),
        ("", EVM, "12", None),
    ],
)
def test_provenance(
    chain: str, contract: str, token_id: str, expected: tuple[str, str] | None
) -> None:
    """Blockchains have their DP-1 names; uncertain values are left out."""
    found = provenance(work(chain=chain, contract=contract, token_id=token_id))
    if expected is None:
        assert found is None
        return
    assert found == {
        "type": "onChain",
        "contract": {
            "chain": expected[0],
            "standard": expected[1],
            "address": contract,
            "tokenId": token_id,
        },
    }


def test_pages() -> None:
    """Each kind of record has a web page, if it has a slug."""
    base = "https://feralfile.com/exhibitions"
    assert series_page(SERIES) == f"{base}/series/cloud-ledger-w3e"
    assert artwork_page(replace(work(), id="a/b?c")) == f"{base}/artwork/a%2Fb%3Fc"
