"""Client of the open collection of a museum: works in the public domain, which need no key.

Paths, parameters, fields and limits are those that the Art Institute of Chicago documents for its public interface: a search
gives at most a hundred works a page, requests without a key are sixty a minute, and pictures are asked for by IIIF.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import quote

import aiohttp

from .errors import (
    LostAnswerError,
    NotFoundError,
    TemporaryError,
    UnexpectedAnswerError,
    UnreachableError,
)
from .guard import Guard
from .hosts import loaded_url
from .http import Answer, request_json, status_error
from .pages import Page, in_turn
from .retry import Manners
from .text import MAX_TITLE, clean, one_line
from .values import json_field, json_fields, mapping, objects, text, whole

MUSEUM_URL: Final = "https://api.artic.edu"
PAGES_URL: Final = "https://www.artic.edu/artworks"
PAGE_SIZE: Final = 100
# The first are those that the museum recommends most.
MAX_WORKS: Final = 500
TIMEOUT_SECONDS: Final = 10.0
# Seconds between two requests.
APART: Final = 1.0
MAX_BODY: Final = 4 * 1024 * 1024
MAX_ARTISTS: Final = 10
# Widths of pictures that the museum keeps ready; the largest only of works in the public domain, and never larger than they are.
SMALL, MIDDLE, LARGE = 400, 843, 1686
FIELDS: Final = "id,title,artist_title,artist_titles,date_end,medium_display,credit_line,image_id,is_public_domain,thumbnail"


def _year(value: object) -> int | None:
    """Read a year, None before our era."""
    return year if (year := whole(value)) and year > 0 else None


@dataclass(frozen=True, slots=True)
class MuseumWork:
    """A work in the public domain that has a picture.

    Attributes:
        id: number, as text.
        title: plain text.
        artists: names.
        year: the last of those in which it was made; None if unknown, or before our era.
        note: of what it is, and from whom the museum has it.
        image: URL of its picture without a size.
        width: of the picture, in pixels; None if unknown.
    """

    id: str
    title: str
    artists: tuple[str, ...]
    note: str
    image: str
    year: int | None = json_field(_year, "date_end")
    width: int | None = json_field(whole, "thumbnail", "width")

    @classmethod
    def parse(cls, data: object, images: str) -> Self | None:
        """Read a record, None for a work that cannot be shown; ``images`` is where pictures are."""
        data = mapping(data)
        key, image = whole(data.get("id")), text(data.get("image_id"))
        if key is None or not image or data.get("is_public_domain") is not True:
            return None
        names = data.get("artist_titles")
        names = (
            names if isinstance(names, list) and names else [data.get("artist_title")]
        )
        artists = (clean(name, MAX_TITLE) for name in names[:MAX_ARTISTS])
        about = (clean(data.get(name)) for name in ("medium_display", "credit_line"))
        return cls(
            id=str(key),
            title=clean(data.get("title"), MAX_TITLE) or f"#{key}",
            artists=tuple(dict.fromkeys(filter(None, artists))),
            note=". ".join(filter(None, about)),
            image=f"{images}/{quote(image, safe='')}",
            **json_fields(cls, data),
        )

    @property
    def source(self) -> str:
        """Return the URL of the picture for a display: the museum makes none larger than it is."""
        return self.picture(LARGE if (self.width or 0) >= LARGE else MIDDLE)

    @property
    def page(self) -> str:
        """Return the URL of its page."""
        return f"{PAGES_URL}/{self.id}"

    def picture(self, width: int = SMALL) -> str:
        """Return the URL of the picture in a width in pixels (IIIF Image API 2.0)."""
        return f"{self.image}/full/{width},/0/default.jpg"


class Museum:
    """Client of the museum, one request at a time.

    Every read raises:

    - ``NotFoundError``: no such work in the public domain.
    - ``InvalidRequestError``, ``BusyError``, ``TemporaryError``, ``UnreachableError``,
      ``UnexpectedAnswerError``: as for a catalog.
    """

    def __init__(
        self, session: aiohttp.ClientSession | Guard, url: str, *, agent: str
    ) -> None:
        """Initialize the client without a request; ``agent`` tells the museum who asks, for which it has a header."""
        self._session = session
        self._url = url
        self._headers = {"AIC-User-Agent": agent}
        self._manners = Manners(UnreachableError, TemporaryError, apart=APART)

    def best(self) -> AsyncIterator[Page[MuseumWork]]:
        """Yield the pages of the works that the museum recommends most, about ``MAX_WORKS``."""

        async def fetch(place: str | None, size: int) -> Page[MuseumWork]:
            """Return a page."""
            return await self.search("", int(place or 1))

        return in_turn(fetch, size=PAGE_SIZE, identity=lambda work: work.id)

    async def search(self, words: str, number: int = 1) -> Page[MuseumWork]:
        """Return a page of the works that have words, from 1, or of all."""
        answer = await self._get(
            "search",
            {
                "query[term][is_public_domain]": "true",
                "fields": FIELDS,
                "limit": str(PAGE_SIZE),
                "page": str(number),
                **({"q": words} if words else {}),
            },
        )

        def read(answer: Answer) -> Page[MuseumWork]:
            """Read the page."""
            body = _body(answer)
            if not isinstance(body.get("data"), list):
                raise UnexpectedAnswerError("no works in the answer")
            data, images = objects(body["data"], PAGE_SIZE), _images(body)
            works = (MuseumWork.parse(each, images) for each in data)
            is_last = len(data) < PAGE_SIZE or number * PAGE_SIZE >= MAX_WORKS
            return Page(
                tuple(filter(None, works)),
                size=len(answer.body),
                following=None if is_last else str(number + 1),
            )

        return await answer.async_read(read)

    async def work(self, key: str) -> MuseumWork:
        """Return a work by its id."""
        if not (key.isascii() and key.isdecimal()):
            raise NotFoundError(f"no work {key!r}")
        answer = await self._get(key, {"fields": FIELDS})
        body = _body(answer)
        if (work := MuseumWork.parse(body.get("data"), _images(body))) is None:
            raise NotFoundError(f"no work {key!r} in the public domain")
        return work

    async def _get(self, path: str, parameters: dict[str, str]) -> Answer:
        """Send a request, and repeat it where that may help."""

        async def send(left: float) -> Answer:
            """Send it once."""
            try:
                answer = await request_json(
                    self._session,
                    "GET",
                    f"{self._url}/api/v1/artworks/{path}",
                    params=parameters,
                    headers=self._headers,
                    timeout=min(TIMEOUT_SECONDS, left),
                    max_body=MAX_BODY,
                )
            except LostAnswerError as err:
                # A read has no side effects.
                raise UnreachableError(str(err)) from err
            if answer.ok:
                return answer
            raise status_error(answer, f"the museum answers {answer.status}")

        return await self._manners.ask(send)


def _body(answer: Answer) -> Mapping[str, Any]:
    """Return the object of an answer."""
    return mapping(answer.decoded(strict=False))


def _images(body: Mapping[str, Any]) -> str:
    """Return where pictures are, which each answer tells."""
    url = loaded_url(one_line(text(mapping(body.get("config")).get("iiif_url")) or ""))
    if url is None:
        raise UnexpectedAnswerError("the answer does not tell where pictures are")
    return url.rstrip("/")
