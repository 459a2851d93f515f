"""The manifest of a work: inline in a playlist item, or at the address in its ``ref``.

Source: DP-1, ``ref-manifest.json`` and the playlists extension for ``inlineManifest``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from ..guard import is_home_name
from ..hosts import loaded_url
from ..text import MAX_TITLE, clean, escaped_url, plain_host, shorten, web_url
from ..values import mapping, objects, text
from .document import without_nothing

MAX_NOTE = 500
MAX_ABOUT = 2000
MAX_ARTISTS = 10
MAX_CREDIT = 120
_MAX_PAGE = 200
_PAGES = ("website", "twitter", "instagram")
# Where pages are that are called after a host.
_HOSTS = {"twitter": ("twitter.com", "x.com"), "instagram": ("instagram.com",)}
_TEXTS = {"title": MAX_TITLE, "description": MAX_NOTE, "creditLine": MAX_TITLE}
# The best for a card first.
_THUMBNAILS = ("large", "default", "xlarge", "small")


@dataclass(frozen=True, slots=True)
class Description:
    """Base of what several sources describe."""

    def completed_by(self, other: Self | None) -> Self:
        """Return the same, with the fields of another that this one lacks, and the whole of texts that it has cut."""
        if other is None:
            return self
        news = {}
        for name in (it.name for it in fields(self)):
            own, others = getattr(self, name), getattr(other, name)
            is_cut = isinstance(own, str) and own.endswith("…")
            if not own or (is_cut and str(others).startswith(own[:-1])):
                news[name] = others
        return replace(self, **news)


@dataclass(frozen=True, slots=True)
class Artist(Description):
    """An artist as a work names them; only within one work the same name is the same artist.

    Attributes:
        name: as they sign.
        about: the beginning of their biography.
        picture: URL of a portrait.
        links: URLs of their pages by the types of DP-1.
    """

    name: str
    about: str = ""
    picture: str | None = None
    links: Mapping[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self | None:
        """Parse an artist of a manifest of version 1.0 or 1.1; None without a name."""
        if not (name := clean(data.get("name"), MAX_TITLE)):
            return None
        links: dict[str, str] = {}
        for link in (*objects(data.get("links"), MAX_ARTISTS), data):
            kind = link.get("type")
            if url := _public_url(link.get("url")):
                links.setdefault(_kind_of_page(kind, url), url)
        biographies = objects(data.get("biographies"), 1)
        return cls(
            name,
            clean(next(iter(biographies), {}).get("text"), MAX_NOTE),
            _public_url(mapping(data.get("avatar")).get("uri")),
            links,
        )

    def to_attributes(self) -> dict[str, Any]:
        """Return the artist as people read it in a state or an answer."""
        return without_nothing(
            {"name": self.name, "picture": self.picture, "links": dict(self.links)}
        )

    def to_manifest(self, max_about: int) -> dict[str, Any]:
        """Return the artist of a manifest of version 1.1, with a biography of at most so many characters."""
        about = shorten(self.about, max_about)
        return without_nothing(
            {
                "name": self.name,
                "avatar": self.picture and {"uri": escaped_url(self.picture)},
                "biographies": [{"text": about}] if about else None,
                "links": [{"type": it, "url": url} for it, url in self.links.items()],
            }
        )


def artists_in(manifest: object, credit_line: str | None = None) -> tuple[Artist, ...]:
    """Return the artists in a manifest, or else a credit line as one, by default its own."""
    metadata = mapping(mapping(manifest).get("metadata"))
    artists = objects(metadata.get("artists"), MAX_ARTISTS)
    credited = {"name": credit_line or metadata.get("creditLine")}
    parsed = tuple(filter(None, map(Artist.parse, artists)))
    return parsed or tuple(filter(None, [Artist.parse(credited)]))


def credit(artists: Iterable[Artist]) -> str | None:
    """Return the names of artists in one line."""
    return shorten(", ".join(artist.name for artist in artists), MAX_CREDIT) or None


def _kind_of_page(kind: object, url: str) -> str:
    """Return the type of a page, "other" unless its host is the one that the type says."""
    hosts = _HOSTS.get(str(kind), ())
    name = f".{plain_host(web_url(url))}"
    is_there = not hosts or name.endswith(tuple(f".{host}" for host in hosts))
    return str(kind) if kind in _PAGES and is_there else "other"


def _public_url(value: object) -> str | None:
    """Return the URL of a page or a picture on the internet; a stranger may not name one at home."""
    try:
        url = web_url(text(loaded_url(value), _MAX_PAGE) or "")
    except ValueError:
        return None
    return None if is_home_name(plain_host(url)) else str(url)


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


def biographies(artists: Iterable[Artist]) -> str | None:
    """Return the biographies of artists, each with the name where there are several."""
    texts = {artist.name: artist.about for artist in artists if artist.about}
    if len(texts) == 1:
        return next(iter(texts.values()))
    text = "\n".join(f"{name}: {about}" for name, about in texts.items())
    return text[:MAX_ABOUT].strip() or None


def picture_in(manifest: object) -> str | None:
    """Return the URL of the thumbnail in a manifest that fits a card best."""
    sizes = mapping(mapping(mapping(manifest).get("metadata")).get("thumbnails"))
    for size in _THUMBNAILS:
        if url := loaded_url(mapping(sizes.get(size)).get("uri")):
            return url
    return None
