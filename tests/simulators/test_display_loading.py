"""Test how the simulated player loads works: as a page at ``http://127.0.0.1:8080``."""

import pytest

from ..client.scripted_server import Reply, Request, ScriptedServer
from .display.loading import ORIGIN
from .raw_display import item, playlist, talking, until

pytestmark = pytest.mark.usefixtures("socket_enabled")

FILM, PICTURE, PAGE = "video/mp4", "image/png", "text/html"
SVG = "image/svg+xml"
STREAM = "multipart/x-mixed-replace; boundary=frame"
OPEN = {"Access-Control-Allow-Origin": "*"}
OWN = {"Access-Control-Allow-Origin": ORIGIN}
FRAMED = {"X-Frame-Options": "SAMEORIGIN"}
DENIED = {"X-Frame-Options": "deny"}
SELF = {"Content-Security-Policy": "sandbox; frame-ancestors 'self'"}
ANY = {"Content-Security-Policy": "frame-ancestors *"}
LOADING, READY, FAILED = 1, 2, 3


@pytest.mark.parametrize(
    ("path", "kind", "headers", "status", "sees"),
    [
        # Films are requested with `crossOrigin`.
        ("film.mp4", FILM, OPEN, READY, "video"),
        ("film.mp4", FILM, {}, FAILED, ""),
        ("moved.mp4", FILM, OPEN, FAILED, ""),
        ("film.mp4", FILM, OWN, READY, "video"),
        # Pictures are not.
        ("picture.png", PICTURE, {}, READY, "image"),
        ("moved.png", PICTURE, {}, READY, "image"),
        ("picture.png", PAGE, {}, FAILED, ""),
        # The type is asked for where no extension tells; without an answer it is framed.
        ("film", FILM, OPEN, READY, "video"),
        ("picture", PICTURE, OPEN, READY, "image"),
        ("picture", PICTURE, {}, READY, "web"),
        # An SVG is an object: the server has to allow that it is asked, and framed; else it loads for ever.
        ("work.svg", SVG, OPEN, READY, "svg"),
        ("work", SVG, OPEN, READY, "svg"),
        ("work.svg", SVG, {}, LOADING, ""),
        ("work.svg", SVG, FRAMED | OPEN, LOADING, ""),
        # What forbids to be framed is reported as shown.
        ("page", PAGE, {}, READY, "web"),
        ("page", PAGE, FRAMED, READY, ""),
        ("page.html", PAGE, DENIED, READY, ""),
        ("page", PAGE, SELF, READY, ""),
        ("page", PAGE, ANY, READY, "web"),
        # A stream of pictures is never done, and black.
        ("camera", STREAM, {}, LOADING, ""),
        ("camera.jpg", STREAM, {}, READY, "image"),
    ],
)
async def test_loaded(
    path: str, kind: str, headers: dict[str, str], status: int, sees: str
) -> None:
    """What is loaded, reported and seen."""

    def answer(request: Request) -> Reply:
        """Return the work, or the way to it without a permission."""
        if request.path.startswith("/moved") and "there" not in request.path:
            return Reply(302, b"", {"Location": f"/there{request.path}"})
        return Reply(200, b"x", {"Content-Type": kind, **headers})

    async with ScriptedServer.run(answer) as server, talking("A1") as client:
        client.simulator.caster.preflight = False
        work = item(0, source=f"{server.url}/{path}")
        await client.cast(playlist(items=[work]))
        await until(lambda: client.simulator.player.render_status == status)
        await until(lambda: server.requests)
        assert client.simulator.sees == sees
        assert client.simulator.player.render_status == status


@pytest.mark.parametrize(
    ("path", "status", "sees"),
    [
        ("page?signature=x", 403, ""),
        ("page.html?signature=x", 401, ""),
        ("picture.png?signature=x", 403, "image"),
        ("page", 403, "web"),
    ],
)
async def test_the_mode_of_a_frame(path: str, status: int, sees: str) -> None:
    """The address of a page gets the mode: one that is signed in whole is refused within its frame, and reported as shown."""

    def answer(request: Request) -> Reply:
        """Return the work, unless there is more in the address than was signed."""
        is_other = "signature" in request.path and "display_mode" in request.path
        kind = PICTURE if ".png" in request.path else PAGE
        return Reply(status if is_other else 200, b"x", {"Content-Type": kind, **OPEN})

    async with ScriptedServer.run(answer) as server, talking("B") as client:
        client.simulator.caster.preflight = False
        document = playlist(items=[item(0, source=f"{server.url}/{path}")])
        for scaling, mode in (("fit", "fit"), ("fill", "crop")):
            document["defaults"] = {"display": {"scaling": scaling}}
            await client.cast(document)
            await until(lambda: client.simulator.player.render_status == READY)
            assert client.simulator.sees == sees
            modes = f"display_mode={mode}" in server.requests[-1].path
            assert modes is (".png" not in path)


@pytest.mark.parametrize("path", ["picture.png", "work.html"])
@pytest.mark.parametrize(
    ("status", "is_taken"),
    [
        *((status, True) for status in (401, 403, 406, 407, 408, 416, 429, 500, 503)),
        *((status, False) for status in (400, 404, 410, 451)),
        (0, True),
    ],
)
async def test_a_work_at_a_dead_host(path: str, status: int, is_taken: bool) -> None:
    """What may be a matter of now is taken, and fails on the wall: a picture tells it, a web work does not."""
    async with ScriptedServer.run(Reply(status, b"x")) as server:
        url = f"{server.url}/{path}"
    if status:
        async with ScriptedServer.run(Reply(status, b"x")) as server:
            await _cast_to_dead(f"{server.url}/{path}", is_taken)
    else:
        await _cast_to_dead(url, is_taken)


async def _cast_to_dead(url: str, is_taken: bool) -> None:
    """Cast a work that cannot be loaded alone, beside one that may, and in a list that is not looked at."""
    async with talking("B") as client:
        client.simulator.server.gate = None
        alone = {"dp1_call": playlist(items=[item(0, source=url)])}
        reply = await client.send("displayPlaylist", alone)
        assert reply.status == (200 if is_taken else 422)
        assert ("sourceUnreachable" in reply.text) is not is_taken
        unlooked = [
            [item(0, source=url), item(1, source="http://art.example.org/1")],
            [item(0, source=url, displayAt="2020-01-01T00:00:00")],
            [item(n, source=url) for n in range(2049)],
        ]
        for items in unlooked:
            assert (await client.cast(playlist(items=items)))["ok"] is True
        status = READY if url.endswith(".html") else FAILED
        await until(lambda: client.simulator.player.render_status == status)
        assert client.simulator.sees == ""
