"""An exhibition catalog on loopback: three paged lists, pictures and works to show, and faults on demand."""

import asyncio
from dataclasses import dataclass
import json
import re
from typing import Any, Self

from aiohttp import web

from ..serving import stop_serving
from . import art
from .data import CatalogData, Json
from .faults import HTML_PAGE, Fault, FaultKind, change_body

PAGE_LIMIT = 5
OWN_MEDIA = "own"
MEDIA = "/media"

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PICTURES = ("exhibition-thumbnails", "exhibition-covers", "thumbnails", "images")
_WIDTHS = {"xs": 160, "s": 240, "m": 480, "l": 960, "raw": 1600}

_SORT_KEYS = {
    "exhibitions": {
        "openAt": "exhibitionStartAt",
        "createdAt": "createdAt",
        "title": "title",
    },
    "series": {
        "displayIndex": "displayIndex",
        "createdAt": "createdAt",
        "title": "title",
    },
    "artworks": {"index": "index", "createdAt": "createdAt"},
}


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A received request."""

    route: str
    query: dict[str, str]


class BadRequestError(Exception):
    """An invalid parameter."""


class CatalogSimulator:
    """An exhibition catalog.

    Attributes:
        latency: seconds until a list is answered.
        requests: every request for a list.
        in_flight: number of requests for lists not answered yet.
        max_in_flight: highest number of requests at the same time.
        data: the contents.
        has_single_works: whether it answers for a work by its id.
    """

    has_single_works = True

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        latency: float = 0.0,
        media_base: str | None = OWN_MEDIA,
    ) -> None:
        """Initialize; nothing listens before ``start``.

        Args:
            host: address to listen on.
            port: port to listen on; 0 for any.
            latency: seconds until a list is answered.
            media_base: URL before every path of a picture or work; ``own`` for this server, None to leave
                paths relative as the public catalog does.
        """
        self.host = host
        self.port = port
        self.latency = latency
        self.requests: list[SeenRequest] = []
        self.in_flight = 0
        self.max_in_flight = 0
        self._media_base = media_base
        self._faults: list[Fault] = []
        self._runner: web.AppRunner | None = None
        self._data: CatalogData | None = None

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def data(self) -> CatalogData:
        """Return the contents; their URLs include the port, so only after the start."""
        if self._data is None:
            raise RuntimeError("not started")
        return self._data

    @property
    def faults(self) -> tuple[Fault, ...]:
        return tuple(self._faults)

    async def start(self) -> None:
        """Listen; after ``stop`` again on the same port."""
        app = web.Application()
        app.router.add_get("/api/llm/{route:exhibitions|series|artworks}", self._list)
        app.router.add_get("/api/artworks/{id}", self._one)
        app.router.add_get(f"{MEDIA}/{{path:.+}}", self._media)
        self._runner = web.AppRunner(
            app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, self.host, self.port).start()
        self.port = self._runner.addresses[0][1]
        if self._data is None:
            own = self._media_base == OWN_MEDIA
            self._data = CatalogData(f"{self.url}{MEDIA}" if own else self._media_base)

    async def stop(self) -> None:
        """Refuse connections."""
        if self._runner is not None:
            await stop_serving(self._runner)
            self._runner = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def inject(self, kind: FaultKind | str, **details: Any) -> Fault:
        """Add a fault from now on; the details are those of ``Fault``."""
        fault = Fault(FaultKind(kind), **details)
        self._faults.append(fault)
        return fault

    def heal(self) -> None:
        self._faults.clear()

    def reset_counters(self) -> None:
        """Forget the received requests."""
        self.requests.clear()
        self.max_in_flight = self.in_flight

    def count(self, route: str) -> int:
        """Return the number of requests for a list."""
        return sum(request.route == route for request in self.requests)

    async def _list(self, request: web.Request) -> web.StreamResponse:
        """Answer a request for a list, and count it."""
        route = request.match_info["route"]
        self.requests.append(SeenRequest(route, dict(request.query)))
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.latency)
            return await self._answer(request, route)
        except BadRequestError as err:
            fault = Fault(FaultKind.STATUS, status=400, message=str(err))
            return _error(fault)
        finally:
            self.in_flight -= 1

    async def _one(self, request: web.Request) -> web.StreamResponse:
        """Answer a request for one work, which some catalogs do not know."""
        self.requests.append(SeenRequest("artwork", dict(request.query)))
        key = request.match_info["id"]
        series = (
            one
            for show in self.data.exhibitions
            for one in self.data.series(show["id"])
        )
        works = (work for one in series for work in self.data.artworks(one["id"]))
        work = next((it for it in works if it["id"] == key), None)
        if work is None or not self.has_single_works:
            return _error(Fault(FaultKind.STATUS, status=404, message="not found"))
        return web.Response(
            text=_dumps({"result": work}), content_type="application/json"
        )

    async def _answer(self, request: web.Request, route: str) -> web.StreamResponse:
        """Answer a request for a list, as the faults allow."""
        offset = _number(request.query.get("offset"), "offset", 0)
        faults = [fault for fault in self._faults if fault.strikes(route, offset)]
        for fault in faults:
            match fault.kind:
                case FaultKind.SLOW:
                    await asyncio.sleep(fault.seconds)
                case FaultKind.HOLD:
                    await fault.released.wait()
                case FaultKind.STATUS:
                    return _error(fault)
                case FaultKind.HTML:
                    return web.Response(text=HTML_PAGE, content_type="text/html")
                case FaultKind.DROP:
                    if request.transport is not None:
                        request.transport.abort()
                    return web.Response()
        body: object = self._page(route, dict(request.query), offset, faults)
        for fault in faults:
            if isinstance(body, dict):
                body = change_body(fault, body)
        text = _dumps(body)
        if any(fault.kind is FaultKind.TRUNCATED for fault in faults):
            text = text[: len(text) // 2]
        return web.Response(text=text, content_type="application/json")

    def _page(
        self, route: str, query: dict[str, str], offset: int, faults: list[Fault]
    ) -> Json:
        limit = _number(query.get("limit"), "limit", PAGE_LIMIT)
        if limit < 1 or offset < 0:
            raise BadRequestError("invalid parameter: limit or offset")
        limit = min(limit, PAGE_LIMIT)
        start = offset
        for fault in faults:
            match fault.kind:
                case FaultKind.OFFSET_IGNORED:
                    start = 0
                case FaultKind.REPEATED:
                    start = max(offset - limit, 0)
                case FaultKind.CLAMP:
                    limit = min(limit, fault.size)
        records = self._records(route, query)
        return {
            "result": records[start : start + limit],
            "paging": {"offset": offset, "limit": limit, "total": len(records)},
        }

    def _records(self, route: str, query: dict[str, str]) -> list[Json]:
        """Return the filtered and sorted records of a list."""
        match route:
            case "exhibitions":
                records = self.data.exhibitions
            case "series":
                records = self.data.series(_required(query, "exhibitionID"))
            case _:
                records = self.data.artworks(_required(query, "seriesID"))
        keyword = query.get("keyword", "").strip().casefold()
        if keyword:
            records = [record for record in records if _relevance(record, keyword)]
        sort_by, order = query.get("sortBy", ""), query.get("sortOrder", "")
        if order not in ("", "ASC", "DESC"):
            raise BadRequestError("invalid parameter: sortOrder")
        if sort_by == "relevance" and route == "exhibitions":
            return sorted(records, key=lambda it: -_relevance(it, keyword))
        if sort_by:
            if (field := _SORT_KEYS[route].get(sort_by)) is None:
                raise BadRequestError("invalid parameter: sortBy")
            return sorted(
                records, key=lambda it: it.get(field) or 0, reverse=order == "DESC"
            )
        return records

    async def _media(self, request: web.Request) -> web.StreamResponse:
        """Serve a picture or a work."""
        path = request.match_info["path"]
        parts = path.rstrip("/").split("/")
        found = _UUID.search(path)
        key = found[0] if found else path
        number = request.query.get("edition_number") or _last_number(parts)
        work = int(number) if number.isdecimal() else 0
        picture = parts[0] in _PICTURES or "_unique-thumbnails" in parts
        if picture or self.data.medium(key) == "image":
            width = _WIDTHS.get(parts[-1], 960 if picture else 1600)
            # A display asks for the type alone before it loads a work.
            is_read = request.method != "HEAD"
            body = (
                await asyncio.to_thread(art.png, key, work, width) if is_read else b""
            )
            return web.Response(body=body, content_type="image/png")
        text = art.page(art.draw(key, work))
        return web.Response(text=text, content_type="text/html")


def _last_number(parts: list[str]) -> str:
    """Return the number of the work that a path is about; longer numbers are versions."""
    numbers = (part.removesuffix("-large.jpg") for part in reversed(parts))
    return next(
        (number for number in numbers if number.isdecimal() and len(number) < 6), ""
    )


def _error(fault: Fault) -> web.Response:
    media_type, text = fault.body()
    headers = {"Retry-After": fault.retry_after} if fault.retry_after else {}
    return web.Response(
        status=fault.status, text=text, content_type=media_type, headers=headers
    )


def _number(text: str | None, name: str, default: int) -> int:
    try:
        return default if text is None else int(text)
    except ValueError:
        raise BadRequestError(f"invalid parameter: {name}") from None


def _required(query: dict[str, str], name: str) -> str:
    if not query.get(name):
        raise BadRequestError(f"missing parameter: {name}")
    return query[name]


def _relevance(record: Json, keyword: str) -> int:
    """Return how well a record matches: the title counts most."""
    title = str(record.get("title") or record.get("name") or "").casefold()
    if title == keyword:
        return 4
    if keyword in title:
        return 3
    note = f"{record.get('noteBrief', '')} {record.get('description', '')}".casefold()
    return int(keyword in note)


def _dumps(body: object) -> str:
    """Return JSON as the catalog writes it, with markup characters escaped."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    for character in "&<>":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
