"""Generative works on a host of their own: each paints its page green once what it needs has worked, and red if that fails."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.test_utils import TestServer

HOST = "art.example"
GREEN = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><rect width="4" height="3" fill="lime"/></svg>'
# What is in each page: a script that calls `good`, or raises.
SCRIPTS = {
    "module": '<script type="module">import {color} from "./m.js"; good(color === "lime");</script>',
    "import": "<script>import('./m.js').then(m => good(m.color === 'lime'), bad)</script>",
    "import map": '<script type="importmap">{"imports": {"m": "./m.js"}}</script><script type="module">import {color} from "m"; good(color === "lime");</script>',
    "fetch": "<script>fetch('data.json').then(a => a.json()).then(d => good(d.color === 'lime'), bad)</script>",
    "request": "<script>const x = new XMLHttpRequest(); x.onload = () => good(JSON.parse(x.response).color === 'lime'); x.onerror = bad; x.open('GET', 'data.json'); x.send();</script>",
    "storage": "<script>localStorage.a = 1; good(localStorage.a === '1')</script>",
    "session": "<script>sessionStorage.a = 1; good(sessionStorage.a === '1')</script>",
    "database": "<script>const r = indexedDB.open('a'); r.onsuccess = () => good(true); r.onerror = bad</script>",
    "cookie": "<script>document.cookie = 'a=1'; good(document.cookie.length >= 0)</script>",
    "canvas": "<script>const i = new Image(); i.onload = () => { const c = document.createElement('canvas').getContext('2d'); c.drawImage(i, 0, 0); good(c.getImageData(0, 0, 1, 1).data.length === 4); }; i.src = 'green.svg'</script>",
    "worker": "<script>const w = new Worker('w.js'); w.onmessage = e => good(e.data === 'lime'); w.onerror = bad</script>",
    "blob worker": "<script>const w = new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))); w.onmessage = () => good(true); w.onerror = bad</script>",
    "webgl": "<script>const c = document.createElement('canvas'); good(!!c.getContext('webgl'))</script>",
    "audio": "<script>const a = new AudioContext(); const o = a.createOscillator(); o.connect(a.destination); o.start(); good(a.sampleRate > 0)</script>",
    "relative paths": "<script>const i = new Image(); i.onload = () => good(i.naturalWidth > 0); i.onerror = bad; i.src = '../works/green.svg'</script>",
    "query": "<script>good(new URLSearchParams(location.search).get('seed') === '7')</script>",
    "fragment": "<script>good(location.hash === '#x')</script>",
    "frame": "<iframe id='f' src='inner.html'></iframe><script>f.onload = () => { try { good(f.contentDocument.title === 'inner') } catch (e) { bad() } }</script>",
    "assembly": "<script>WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => good(true), bad)</script>",
    "animation": "<script>let n = 0; const f = () => ++n > 3 ? good(true) : requestAnimationFrame(f); f()</script>",
    "random": "<script>good(crypto.getRandomValues(new Uint8Array(4)).length === 4)</script>",
    "font": "<script>document.fonts.ready.then(() => good(true), bad)</script>",
}
PAGE = """<!doctype html><title>work</title><body style="margin:0;height:100vh"><script>
function paint(color) {{ document.body.style.background = color; }}
function bad() {{ paint("red"); }}
function good(is) {{ paint(is ? "lime" : "red"); }}
onerror = bad; onunhandledrejection = bad;
</script>{}"""
FILES = {
    "m.js": ("text/javascript", "export const color = 'lime';"),
    "w.js": ("text/javascript", "postMessage('lime')"),
    "data.json": ("application/json", '{"color": "lime"}'),
    "green.svg": ("image/svg+xml", GREEN),
    "inner.html": ("text/html", "<title>inner</title>"),
}
# Tries whatever a work may not, and then paints its page green: that it ran is seen.
HOSTILE = """<script>
const tries = [
  () => parent.document.body.remove(), () => top.document.title = "stolen", () => { top.location = "/works/inner.html" },
  () => { parent.location = "/works/inner.html" }, () => open("/works/inner.html"), () => alert(1), () => print(),
  () => { const a = document.createElement("a"); a.href = "data.json"; a.download = "x"; document.body.append(a); a.click() },
  () => { const a = document.createElement("a"); a.href = "inner.html"; a.target = "_top"; document.body.append(a); a.click() },
  () => { const f = document.createElement("form"); f.action = "inner.html"; f.target = "_blank"; document.body.append(f); f.submit() },
  () => navigator.geolocation.getCurrentPosition(() => { document.title = "geo" }),
  () => document.documentElement.requestFullscreen(),
  () => parent.localStorage.getItem("dp1-screen"),
  () => { for (let n = 0; n < 3; n++) parent.postMessage({work: "1.0", tap: "next"}, "*") },
];
let thrown = 0;
for (const each of tries) try { const p = each(); if (p && p.catch) p.catch(() => 0); } catch { thrown++; }
good(true);
</script>"""


@asynccontextmanager
async def works_server() -> AsyncIterator[TestServer]:
    """Serve the works, whatever host is asked for."""

    async def serve(request: web.Request) -> web.Response:
        """Answer with a page, or with what one loads."""
        name = request.match_info["name"]
        if name in FILES:
            kind, text = FILES[name]
            return web.Response(text=text, content_type=kind)
        script = (
            HOSTILE if name == "hostile.html" else SCRIPTS[name.removesuffix(".html")]
        )
        return web.Response(text=PAGE.format(script), content_type="text/html")

    async def redirect(request: web.Request) -> web.Response:
        """Lead to where the query says."""
        raise web.HTTPFound(request.query["to"])

    async def flaky(request: web.Request) -> web.Response:
        """Fail for the first times, as the query says, or never answer."""
        key = request.path_qs
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= int(request.query["times"]):
            return web.Response(status=503)
        return web.Response(text=GREEN, content_type="image/svg+xml")

    async def never(request: web.Request) -> web.StreamResponse:
        """Begin an answer that does not end."""
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await sleeping.wait()

    async def film(request: web.Request) -> web.StreamResponse:
        """Send half of a film, and no more."""
        whole = films[request.match_info["name"]]
        if counts.setdefault(request.path, 0) and request.query["then"] == "dies":
            return web.Response(status=503)
        counts[request.path] += 1
        response = web.StreamResponse()
        response.content_type, response.content_length = "video/webm", len(whole)
        await response.prepare(request)
        await response.write(whole[: len(whole) // 2])
        if request.query["then"] == "dies":
            assert request.transport
            request.transport.close()
        await sleeping.wait()
        return response

    counts: dict[str, int] = {}
    sleeping = asyncio.Event()
    app = web.Application()
    app.router.add_get("/redirect", redirect)
    app.router.add_get("/flaky.svg", flaky)
    app.router.add_get("/never/{name}", never)
    app.router.add_get("/films/{name}", film)
    films: dict[str, bytes] = app.setdefault("films", {})
    app.router.add_get("/works/{name}", serve)
    app.router.add_get("/ipfs/{cid}/{name}", serve)
    async with TestServer(app) as server:
        yield server
