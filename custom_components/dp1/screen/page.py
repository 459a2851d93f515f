"""A page: one browser that shows a screen, what it is told, and what it tells."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from secrets import token_urlsafe
from typing import Any, Final

from aiohttp import web

from homeassistant.core import callback
from homeassistant.util.json import json_loads_object

from ..client.values import text, whole
from .socket import Teller, encoded
from .sources import Source

type Json = dict[str, Any]

PATH: Final = "/dp1/screen"
RENDERS: Final = (0, 1, 2, 3)
ERROR: Final = 60
# Pages that may still be asked for, of the latest changes.
KEPT: Final = 6


class Page:
    """A page of a screen.

    Attributes:
        is_secure: whether it was opened by https, and loads nothing else.
        is_visible: whether somebody can see it.
        is_upright: whether it is higher than wide.
        work: the work that it speaks of.
        render: how that loads: 1 loading, 2 shown, 3 failed.
        error: why it does not show it.
        tapped: what came of the last tap on it, and on which work.
    """

    def __init__(
        self,
        socket: web.WebSocketResponse,
        written: dict[str, str],
        state: Callable[[], Json],
        on_message: Callable[[Page, Json], None],
        *,
        is_secure: bool = False,
    ) -> None:
        """Initialize.

        Args:
            socket: its socket.
            written: pages that are written in addresses, by the tokens at which each is served once.
            state: returns what it is to show, its sources as `Source` beside what is written in them.
            on_message: called with what it tells.
            is_secure: whether it was opened by https.
        """
        self.is_secure = is_secure
        self.is_visible, self.is_upright = True, False
        self.tapped: Json | None = None
        self.work: str | None = None
        self.render, self.error = 0, ""
        self._socket, self._written = socket, written
        self._state, self._on_message = state, on_message
        self._teller = Teller(socket, self._frames)
        self._told: Json = {}
        # Of the pages that are written in addresses, by what they are of; the latest are served.
        self._tokens: dict[tuple[str, str | None], str] = {}
        self._served: deque[str] = deque()
        self._beat: int | None = None

    async def async_serve(self) -> None:
        """Keep it up to date, and take over what it tells, until it is closed."""
        telling = asyncio.create_task(self._teller.async_run())
        try:
            async for message in self._socket:
                with suppress(TypeError, ValueError):
                    self._handle(json_loads_object(message.data))
        finally:
            telling.cancel()
            for token in self._served:
                self._written.pop(token, None)

    async def async_close(self, code: int = 4001) -> None:
        """Send it away."""
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._socket.close(code=code)

    @callback
    def changed(self) -> None:
        """Tell it what has changed."""
        self._teller.changed()

    @callback
    def _handle(self, message: Json) -> None:
        """Take over what it tells."""
        self.is_visible = message.get("visible") is not False
        width, height = whole(message.get("width")), whole(message.get("height"))
        if width and height:
            self.is_upright = height > width
        if (render := message.get("render")) in RENDERS:
            self.work = text(message.get("work"), ERROR)
            self.render, self.error = render, text(message.get("error"), ERROR) or ""
        if (beat := whole(message.get("beat"))) is not None:
            self._beat = beat
            self.changed()
        if message.get("again"):
            # What is served once was served.
            self._tokens.clear()
            self.changed()
        self._on_message(self, message)

    def _frames(self) -> Iterator[str]:
        """Return what has changed since it was told last: works can be megabytes."""
        state = self._state()
        work: str | None = state["work"]
        for name in ("show", "next"):
            if state[name] is not None:
                source, text_of = state[name]
                state[name] = self._loaded(source, text_of, work)
        state |= {"beat": self._beat, "tapped": self.tapped}
        news = {
            name: value
            for name, value in state.items()
            if name not in self._told or self._told[name] != value
        }
        self._told = state
        if news:
            yield encoded(news)

    def _loaded(self, source: Source, text_of: str, work: str | None) -> Json:
        """Return how it loads a source; a page that is written in an address is at one of its own, which holds once."""
        if source.url:
            return {"key": source.key, "url": source.url, "own": source.has_origin}
        of = source.key, work
        if (token := self._tokens.get(of)) is None:
            token = self._tokens[of] = token_urlsafe(32)
            self._written[token] = text_of
            self._served.append(token)
            if len(self._served) > KEPT:
                self._written.pop(self._served.popleft(), None)
            self._tokens = {k: v for k, v in self._tokens.items() if v in self._served}
        url = f"{PATH}/work/{token}"
        return {
            "key": source.key,
            "url": url,
            "own": False,
            "written": True,
            "ours": source.is_ours,
        }
