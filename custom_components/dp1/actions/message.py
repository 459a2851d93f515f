"""Action that shows a message on displays, as a page that fits the screen."""

from html import escape
from math import sqrt

import voluptuous as vol

from homeassistant.core import ServiceCall
from homeassistant.helpers import config_validation as cv
from homeassistant.util.json import JsonObjectType

from ..client.display.casts import Cast
from ..coordinator import DisplayCoordinator
from ..errors import invalid_input
from ..playback.duties import positive_duration
from ..playback.queue import async_show
from ..playback.resolve import Options, async_from_media, page_cast
from .fields import color, media
from .targets import async_for_each_display, async_targets

SERVICE_SHOW_MESSAGE = "show_message"
MAX_TITLE = 200
MAX_TEXT = 2000
MESSAGE_SCHEMA = cv.make_entity_service_schema(
    {
        vol.Optional("title"): vol.All(cv.string, vol.Length(max=MAX_TITLE)),
        vol.Optional("text"): vol.All(cv.string, vol.Length(max=MAX_TEXT)),
        vol.Optional("image"): media,
        vol.Optional("background", default="#101010"): color,
        vol.Optional("color", default="#f5f5f5"): color,
        vol.Optional("show_for"): positive_duration,
    }
)
# The font shrinks with the length of the text, so that everything is on the screen.
PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>{title}</title><style>
html,body{{margin:0;height:100%;background:{background};color:{color};overflow:hidden}}
body{{display:flex;flex-direction:column;align-items:center;justify-content:center;gap:3vmin;
padding:5vmin;box-sizing:border-box;text-align:center;font-family:system-ui,sans-serif}}
h1{{margin:0;font-size:{title_size:.1f}vmin;overflow-wrap:anywhere}}
p{{margin:0;font-size:{text_size:.1f}vmin;line-height:1.3;white-space:pre-line;overflow-wrap:anywhere}}
img{{flex:1 1 0;min-height:0;max-width:100%;object-fit:contain}}
</style></head><body>{body}</body></html>
"""


async def async_show_message(call: ServiceCall) -> JsonObjectType | None:
    """Show a message on the targeted displays."""
    title, text = call.data.get("title", ""), call.data.get("text", "")
    image: Cast | None = None
    if not (title or text or "image" in call.data):
        raise invalid_input("nothing_to_show")
    targets = await async_targets(call)
    if "image" in call.data:
        image = await async_from_media(
            call.hass, "image/*", call.data["image"], Options()
        )
    page = _page(title, text, image, call.data["background"], call.data["color"])
    name = title or text.partition("\n")[0][:MAX_TITLE] or "Message"
    cast = page_cast(name, page)

    async def show(coordinator: DisplayCoordinator) -> JsonObjectType:
        """Show the message on one display."""
        return await async_show(coordinator, cast, Options(), call.data.get("show_for"))

    return await async_for_each_display(call, targets, show)


def _page(title: str, text: str, image: Cast | None, background: str, ink: str) -> str:
    """Return the page of a message, with everything in it escaped."""
    parts = []
    if image is not None and image.playlist:
        parts.append(
            f'<img src="{escape(image.playlist["items"][0]["source"])}" alt="">'
        )
    if title:
        parts.append(f"<h1>{escape(title)}</h1>")
    if text:
        parts.append(f"<p>{escape(text)}</p>")
    room = 0.5 if image is not None else 1.0
    return PAGE.format(
        title=escape(title),
        background=background,
        color=ink,
        title_size=_size(title, 14 * room),
        text_size=_size(text, 8 * room),
        body="".join(parts),
    )


def _size(text: str, largest: float) -> float:
    """Return the font size at which a text takes at most half of the screen, in hundredths of its shorter side."""
    # A letter is about half as wide as high, and lines are 1.3 letters high.
    lines = text.count("\n") + 1
    fitting = sqrt(40 * 90 / (0.65 * max(len(text), 1)))
    return min(largest, fitting, 40 / (1.3 * lines))
