"""A simulated museum: the documented interface of the Art Institute of Chicago, with its limits and odd records."""

import asyncio
from typing import Any, Self

from aiohttp import web

from .serving import stop_serving

type Json = dict[str, Any]
# What a request without a key gets, per minute.
MOST_REQUESTS = 60
MOST_PER_PAGE = 100
# The deepest result that a search gives.
DEEPEST = 10_000
NAMES = ("Ines Varga", "Tom Reed", "Aiko Mori", "Paul Okoro")
SUBJECTS = ("Harbor", "Orchard", "Bedroom", "Night Watch", "Dancers")


def work_of(number: int) -> Json:
    """Return a record; some have no picture, no artist, or are not free."""
    name = NAMES[number % len(NAMES)]
    return {
        "id": 20_000 + number,
        "title": f"{SUBJECTS[number % len(SUBJECTS)]} {number}",
        "artist_title": None if number % 11 == 7 else name,
        "artist_titles": [] if number % 11 == 7 else [name],
        "date_end": -500 if number % 13 == 5 else 1600 + number % 300,
        "medium_display": "Oil on canvas",
        "credit_line": "Gift of <i>a friend</i>",
        "image_id": None
        if number % 17 == 3
        else f"{number:08x}-1111-2222-3333-444444444444",
        "is_public_domain": number % 19 != 4,
        "thumbnail": None
        if number % 23 == 6
        else {"width": 800 if number % 3 == 2 else 3000, "height": 2000},
        "description": "<p>Only this text is not free.</p>",
    }


class MuseumSimulator:
    """A museum with a number of works, those that it recommends most first."""

    def __init__(self, count: int = 700) -> None:
        """Initialize with works."""
        self.works = [work_of(number) for number in range(count)]
        self.log: list[web.Request] = []
        self.is_down = False
        self.broken: Any = None
        self.url = ""

    @property
    def free(self) -> list[Json]:
        """Return the works that can be shown."""
        return [it for it in self.works if it["is_public_domain"] and it["image_id"]]

    async def __aenter__(self) -> Self:
        """Start to serve."""
        app = web.Application()
        app.router.add_get("/api/v1/artworks/search", self._search)
        app.router.add_get("/api/v1/artworks/{key}", self._work)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Stop."""
        await stop_serving(self._runner)

    def _refused(self, request: web.Request) -> web.Response | None:
        """Return the answer to a request that gets none of the works."""
        self.log.append(request)
        if self.is_down:
            return web.json_response({"status": 503, "error": "Down"}, status=503)
        if len(self.log) > MOST_REQUESTS:
            return web.json_response({"status": 429, "error": "Slow down"}, status=429)
        if self.broken is not None:
            return web.json_response(self.broken)
        return None

    async def _search(self, request: web.Request) -> web.Response:
        """Return a page of what has the words."""
        await asyncio.sleep(0)
        if refused := self._refused(request):
            return refused
        query = request.query
        limit, page = int(query.get("limit", 10)), int(query.get("page", 1))
        if limit > MOST_PER_PAGE or limit * page > DEEPEST:
            return web.json_response(
                {"status": 403, "error": "Invalid limit"}, status=403
            )
        found = self.works
        if query.get("query[term][is_public_domain]") == "true":
            found = [work for work in found if work["is_public_domain"]]
        for word in query.get("q", "").casefold().split():
            found = [
                work
                for work in found
                if word in f"{work['title']} {work['artist_title']}".casefold()
            ]
        some = found[limit * (page - 1) : limit * page]
        data = [{"_score": 1.0, **self._fields(request, work)} for work in some]
        pagination = {
            "total": len(found),
            "limit": limit,
            "offset": limit * (page - 1),
            "current_page": page,
        }
        return self._answer({"pagination": pagination, "data": data})

    async def _work(self, request: web.Request) -> web.Response:
        """Return a work."""
        if refused := self._refused(request):
            return refused
        for work in self.works:
            if str(work["id"]) == request.match_info["key"]:
                return self._answer({"data": self._fields(request, work)})
        error = {"status": 404, "error": "Not found", "detail": "The item is not here."}
        return web.json_response(error, status=404)

    def _fields(self, request: web.Request, work: Json) -> Json:
        """Return the fields that are asked for."""
        names = [*filter(None, request.query.get("fields", "").split(","))]
        return {name: work[name] for name in names if name in work} if names else work

    def _answer(self, body: Json) -> web.Response:
        """Return an answer with what each has."""
        config = {"iiif_url": "https://www.artic.edu/iiif/2"}
        return web.json_response(
            {**body, "info": {"version": "1.10"}, "config": config}
        )
