"""Works of the catalog for a display: source, picture, title, credit and provenance, and the choice of works.

The rules follow the catalog's own published playlists and readers; where those differ, the newer one counts. Copies of one
work are included in a playlist once. A group exhibition takes one work of each series in turn, a solo exhibition the single
works first and then one series after the other.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
import re
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from ..hosts import ASSETS_URL, is_plain, loaded_url
from ..text import MAX_TITLE, shorten
from .models import Alumni, Artwork, Exhibition, ExhibitionKind, Model, Series

PAGES_URL = "https://feralfile.com/exhibitions"
IMAGE_HOST = "imagedelivery.net"
SOURCE_VARIANT = "raw"

EVM_CHAINS = frozenset(
    {"ethereum", "evm", "base", "polygon", "arbitrum", "optimism", "zora", "shape"}
)
PROOF_NAMES = frozenset({"AE", "AP", "PP"})
_NUMBER = re.compile(r"([0-9]{1,6})(?=[/?#]|$)")
_EDITION = re.compile(r"[?&]edition_number=([0-9]{1,6})(?=[&#]|$)")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")

type Size = Literal["m", "l"]
LARGEST = "xxl"


def absolute_url(text: str, variant: str = SOURCE_VARIANT) -> str | None:
    """Return the URL for an address of the catalog; None if a display cannot open it.

    Args:
        text: a path, an ``http`` or ``https`` address, or one with a public gateway. A query is part of the work and stays as it is.
        variant: variant for the image service if the address has none: a size like ``m`` or ``raw``.
    """
    if not (text := text.strip()):
        return None
    if text.startswith("//"):
        text = f"https:{text}"
    elif not _SCHEME.match(text):
        text = f"{ASSETS_URL}/{text.removeprefix('/')}"
        if is_plain(text):
            return text
    if (url := loaded_url(text, of_vendor=True)) is None:
        return None
    parts = urlsplit(url)
    is_bare = len(parts.path.strip("/").split("/")) == 2
    if parts.hostname == IMAGE_HOST and is_bare:
        return parts._replace(path=f"{parts.path.rstrip('/')}/{variant}").geturl()
    return url


def largest_url(url: str) -> str:
    """Return the URL of the largest variant of a picture on the image service; of another picture its own."""
    parts = urlsplit(url)
    folder, _, variant = parts.path.rpartition("/")
    if parts.hostname != IMAGE_HOST or variant not in ("m", "l"):
        return url
    return parts._replace(path=f"{folder}/{LARGEST}").geturl()


def source_url(artwork: Artwork, series: Series) -> str | None:
    """Return the source of a work that a display can play; None if there is none."""
    candidates = (*artwork.sources, *_series_sources(artwork, series))
    return next((url for text in candidates if (url := absolute_url(text))), None)


def _series_sources(artwork: Artwork, series: Series) -> Iterator[str]:
    """Return the sources that a series has for works without their own."""
    if series.unique_preview_path and artwork.index is not None:
        # A software work is a folder, and its relative links need the slash.
        slash = "/" if series.medium == "software" else ""
        yield f"{series.unique_preview_path.rstrip('/')}/{artwork.index}{slash}"
    yield from series.previews


def picture_url(artwork: Artwork, series: Series, size: Size = "m") -> str | None:
    """Return the picture of a work: its own, that of its series, or the work itself if it is an image.

    Args:
        artwork: the work.
        series: its series.
        size: ``m`` for lists, ``l`` for a single work.
    """
    candidates = list(artwork.pictures)
    if series.unique_thumbnail_path and artwork.index is not None:
        folder = series.unique_thumbnail_path.rstrip("/")
        candidates.append(f"{folder}/{artwork.index}-large.jpg")
    candidates += series.pictures
    if series.medium == "image":
        candidates += (*artwork.sources, *_series_sources(artwork, series))
    return _first_picture(candidates, size)


def cover_url(record: Exhibition | Series | Alumni, size: Size = "m") -> str | None:
    """Return the picture of an exhibition or series, or the portrait of a person."""
    return _first_picture(record.pictures, size)


def _first_picture(candidates: tuple[str, ...] | list[str], size: Size) -> str | None:
    """Return the first URL that can be opened."""
    return next((url for text in candidates if (url := absolute_url(text, size))), None)


def edition(artwork: Artwork) -> int | None:
    """Return the number of a work in its series, from 1; None if unknown."""
    return None if artwork.index is None else artwork.index + 1


def title(artwork: Artwork, series: Series) -> str:
    """Return the title of a work, in at most 200 characters; empty if unknown."""
    return shorten(_title(artwork.name, edition(artwork), series), MAX_TITLE)


def _title(name: str, number: int | None, series: Series) -> str:
    """Return the name of a work, of its series, or both."""
    if series.single:
        return series.title
    if not name:
        return series.title if number is None else f"{series.title} #{number}"
    numbered = name.startswith("#") or name in PROOF_NAMES
    if not numbered and series.title.casefold() in name.casefold():
        return name
    return f"{series.title} {name}"


def year(artwork: Artwork, series: Series) -> int | None:
    """Return the year in which a work was minted; None if unknown."""
    minted_at = artwork.minted_at or series.minted_at
    return minted_at.year if minted_at else None


def provenance(artwork: Artwork) -> dict[str, Any] | None:
    """Return the DP-1 provenance of a work; None if its record is incomplete, or for a chain without a DP-1 name.

    Works that never left Bitmark have none: published playlists know no such contract, and a display needs none.
    """
    chain, token_id = artwork.chain, artwork.token_id
    if not chain or chain == "bitmark" or not artwork.contract or not token_id:
        return None
    if chain in EVM_CHAINS:
        if not (token_id.isascii() and token_id.isdecimal()):
            return None
        kind = {"chain": "evm", "standard": "erc721"}
    elif chain == "tezos":
        kind = {"chain": "tezos", "standard": "fa2"}
    else:
        kind = {"chain": "other", "standard": "other"}
    return {
        "type": "onChain",
        "contract": {**kind, "address": artwork.contract, "tokenId": token_id},
    }


def exhibition_page(exhibition: Exhibition) -> str | None:
    """Return the URL of an exhibition's web page."""
    return _page("shows", exhibition.slug)


def series_page(series: Series) -> str | None:
    """Return the URL of a series' web page."""
    return _page("series", series.slug)


def artwork_page(artwork: Artwork) -> str:
    """Return the URL of a work's web page."""
    return f"{PAGES_URL}/artwork/{quote(artwork.id, safe='')}"


def _page(kind: str, slug: str) -> str | None:
    """Return the URL of a web page; None if the record has no slug."""
    return f"{PAGES_URL}/{kind}/{quote(slug, safe='')}" if slug else None


CAP = 50

type Group = tuple[Series, Sequence[Artwork]]


def shown_once(series: Series) -> bool:
    """Return whether one work stands for the whole series: there is only one, or they are copies."""
    return series.single or series.model is Model.MULTI


def evenly[T](things: Sequence[T], count: int) -> list[T]:
    """Return ``count`` of some values, evenly spread over all of them, in order."""
    if count >= len(things):
        return list(things)
    return [things[index * len(things) // count] for index in range(max(count, 0))]


def shares(counts: Sequence[int], cap: int = CAP) -> list[int]:
    """Divide ``cap`` places as equally as the counts allow.

    Args:
        counts: how many places each can fill.
        cap: number of places.
    """
    parts = [0] * len(counts)
    hungry = [who for who, count in enumerate(counts) if count > 0]
    while hungry and cap > 0:
        served = evenly(hungry, cap)
        for who in served:
            parts[who] += 1
        cap -= len(served)
        hungry = [who for who in hungry if parts[who] < counts[who]]
    return parts


def works_to_read(all_series: Iterable[Series], cap: int = CAP) -> list[int]:
    """Return how many works of each series a playlist of an exhibition needs, before any is read.

    Args:
        all_series: series of the exhibition.
        cap: maximum number of works of the playlist.
    """
    counts = (1 if shown_once(each) else each.max_artwork for each in all_series)
    return shares([cap if count is None else count for count in counts], cap)


def playable(series: Series, artworks: Iterable[Artwork]) -> list[Artwork]:
    """Return the works of a series to show, without those that are burned, archived or without a source."""
    works = sorted(
        (it for it in artworks if not it.gone and source_url(it, series)),
        key=lambda work: (work.index is None, work.index or 0),
    )
    return works[:1] if shown_once(series) else works


def select_works(
    kind: ExhibitionKind, groups: Iterable[Group], cap: int = CAP
) -> list[tuple[Series, Artwork]]:
    """Return the works of an exhibition, or of a part of it, in order.

    Args:
        kind: of the exhibition.
        groups: its series in display order, each with its works.
        cap: maximum number of works; every series gets a fair share, and gives works evenly from its whole length.
    """
    chosen = [(series, playable(series, artworks)) for series, artworks in groups]
    parts = shares([len(works) for _, works in chosen], cap)
    runs = [
        [(series, work) for work in evenly(works, share)]
        for (series, works), share in zip(chosen, parts, strict=True)
    ]
    if kind is ExhibitionKind.SOLO:
        runs.sort(key=lambda run: not (run and shown_once(run[0][0])))
        return [*chain.from_iterable(runs)]
    rounds = zip_longest(*runs)
    return [work for turn in rounds for work in turn if work is not None]


def work_at(series: Series, source: str) -> Artwork:
    """Return a work that has not been read, as far as its address and series tell."""
    return Artwork(
        id="",
        index=None if shown_once(series) else _index_of(series, source),
        sources=(source,),
    )


def _index_of(series: Series, source: str) -> int | None:
    """Return the index of a work in its series, from 0, as its address has it."""
    folder = absolute_url(series.unique_preview_path)
    if folder and source.startswith(f"{folder}/"):
        match = _NUMBER.match(source.removeprefix(f"{folder}/"))
    else:
        match = _EDITION.search(source)
    return int(match[1]) if match else None
