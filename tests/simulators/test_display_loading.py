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
