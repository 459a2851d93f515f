"""The manifest of a work: inline in a playlist item, or at the address in its ``ref``.

Source: DP-1, ``ref-manifest.json`` and the playlists extension for ``inlineManifest``.
"""

from collections.abc import Iterable

from ..text import MAX_TITLE, clean, shorten, through_gateway
from ..values import address, mapping, objects

MAX_NOTE = 500
MAX_ABOUT = 2000
_MAX_ARTISTS = 10
_TEXTS = {"title": MAX_TITLE, "description": MAX_NOTE, "creditLine": MAX_TITLE}
# The best for a card first.
_THUMBNAILS = ("large", "default", "xlarge", "small")


def artist_in(manifest: object, credit_line: str | None = None) -> str | None:
    """Return the artists in a manifest, or else a credit line, by default its own."""
    metadata = mapping(mapping(manifest).get("metadata"))
    artists = objects(metadata.get("artists"), _MAX_ARTISTS)
    names = [clean(artist.get("name"), MAX_TITLE) for artist in artists]
    return (
        shorten(", ".join(filter(None, names)), MAX_TITLE)
        or credit_line
        or clean(metadata.get("creditLine"), MAX_TITLE)
        or None
    )


def about_artist_in(manifest: object) -> str | None:
    """Return the biographies of the artists in a manifest, each with the name where there are several."""
    artists = objects(mapping(mapping(manifest).get("metadata")).get("artists"))
    return biographies(
        (
            clean(artist.get("name"), MAX_TITLE),
            clean(next(iter(texts), {}).get("text"), MAX_NOTE),
        )
        for artist in artists[:_MAX_ARTISTS]
        for texts in [objects(artist.get("biographies"), 1)]
    )


def texts_in(manifest: object) -> dict[str, str]:
    """Return the title, the description and the credit line of a manifest."""
    return _texts(mapping(manifest).get("metadata"))


def translation_in(manifest: object, language: str) -> dict[str, str]:
    """Return the title, the description and the credit line that a manifest has in a language."""
    languages = mapping(mapping(manifest).get("i18n"))
    return _texts(languages.get(language) or languages.get(language.partition("-")[0]))


def _texts(metadata: object) -> dict[str, str]:
    """Return the texts in plain text, without empty ones."""
    texts = mapping(metadata)
    cleaned = ((name, clean(texts.get(name), most)) for name, most in _TEXTS.items())
    return {name: text for name, text in cleaned if text}


def biographies(people: Iterable[tuple[str, str]]) -> str | None:
    """Return the biographies of people, each with the name where there are several."""
    texts = {name: about for name, about in people if about}
    if len(texts) == 1:
        return next(iter(texts.values()))
    text = "\n".join(f"{name}: {about}" for name, about in texts.items())
    return text[:MAX_ABOUT].strip() or None


def picture_in(manifest: object) -> str | None:
    """Return the URL of the thumbnail in a manifest that fits a card best."""
    sizes = mapping(mapping(mapping(manifest).get("metadata")).get("thumbnails"))
    for size in _THUMBNAILS:
        url = through_gateway(address(mapping(sizes.get(size)).get("uri")) or "")
        if url.startswith(("http://", "https://")):
            return url
    return None
