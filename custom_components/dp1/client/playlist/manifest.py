"""What is known of a work, and its manifest: inline in a playlist item, or at the address in its ``ref``.

Source: DP-1, ``ref-manifest.json`` and the playlists extension for ``inlineManifest``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..text import MAX_TITLE, clean, shorten, through_gateway
from ..values import mapping, objects, text

MAX_NOTE = 500
MAX_ABOUT = 2000
_MAX_ARTISTS = 10
# The best for a card first.
_THUMBNAILS = ("large", "default", "xlarge", "small")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Metadata of a work in plain text.

    Attributes:
        note: of whoever hung it, or else of the work.
        about_artist: the beginning of the biographies.
        edition: like ``#12 of 40`` or ``AP``.
        picture: URL.
        link: URL of its page.
        provenance: as in DP-1.
        node_id: id in the library that knows it.
    """

    title: str | None = None
    artist: str | None = None
    series: str | None = None
    exhibition: str | None = None
    edition: str | None = None
    year: int | None = None
    picture: str | None = None
    link: str | None = None
    medium: str | None = None
    note: str | None = None
    about_artist: str | None = None
    provenance: Mapping[str, Any] | None = None
    node_id: str | None = None


# Nothing is known.
NO_WORK = Work()


def artist_in(manifest: object) -> str | None:
    """Return the artists in a manifest, or else its credit line."""
    metadata = mapping(mapping(manifest).get("metadata"))
    artists = objects(metadata.get("artists"), _MAX_ARTISTS)
    names = [clean(artist.get("name"), MAX_TITLE) for artist in artists]
    return (
        shorten(", ".join(filter(None, names)), MAX_TITLE)
        or clean(metadata.get("creditLine"), MAX_TITLE)
        or None
    )


def about_artist_in(manifest: object) -> str | None:
    """Return the biographies of the artists in a manifest, each with the name where there are several."""
    artists = objects(mapping(mapping(manifest).get("metadata")).get("artists"))
    return biographies(
        (
            clean(artist.get("name"), MAX_TITLE),
            clean(artist.get("biography") or artist.get("bio"), MAX_NOTE),
        )
        for artist in artists[:_MAX_ARTISTS]
    )


def biographies(people: Iterable[tuple[str, str]]) -> str | None:
    """Return what is known of people, each with the name where there are several."""
    known = {name: about for name, about in people if about}
    if len(known) == 1:
        return next(iter(known.values()))
    told = "\n".join(f"{name}: {about}" for name, about in known.items())
    return told[:MAX_ABOUT].strip() or None


def picture_in(manifest: object) -> str | None:
    """Return the URL of the thumbnail in a manifest that fits a card best."""
    sizes = mapping(mapping(mapping(manifest).get("metadata")).get("thumbnails"))
    for size in _THUMBNAILS:
        url = through_gateway(text(mapping(sizes.get(size)).get("uri")) or "")
        if url.startswith(("http://", "https://")):
            return url
    return None


def with_manifest(known: Work | None, manifest: object) -> Work:
    """Return the metadata of a work with what its manifest adds."""
    known = known or Work()
    metadata = mapping(mapping(manifest).get("metadata"))
    return replace(
        known,
        title=known.title or clean(metadata.get("title"), MAX_TITLE) or None,
        artist=known.artist or artist_in(manifest),
        picture=known.picture or picture_in(manifest),
        note=known.note or clean(metadata.get("description"), MAX_NOTE) or None,
        about_artist=known.about_artist or about_artist_in(manifest),
    )
