"""Validators of fields, so that a value means the same in each: typed, from a template, or from a helper, which says 3.0."""

from collections.abc import Sequence
from datetime import timedelta
import re
from typing import Any, Final

import voluptuous as vol

from homeassistant.components.media_player import ATTR_MEDIA_CONTENT_ID
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.template import is_template_string
from homeassistant.util import dt as dt_util

from .client.text import MAX_TITLE, is_unicode, plain_lines

# Source: DP-1, playlists extension.
MAX_NOTE: Final = 500
MAX_DURATION: Final = timedelta(days=365)
PLACE: Final = re.compile(r"0*([1-9][0-9]{0,8})(\.0*)?")


def name(value: Any) -> str:
    """Validate an id or a title, also one that is a number."""
    is_whole = isinstance(value, float) and value.is_integer()
    return cv.string(int(value) if is_whole else value)


def text_up_to(most: int) -> Any:
    """Return the validator of a text of limited length, which removes invisible characters."""
    return vol.All(name, str.strip, vol.Length(max=most), plain_lines)


def plain_text(value: Any) -> str:
    """Validate a text that is no template, which would be compared as it is written."""
    text = name(value)
    if is_template_string(text):
        raise vol.Invalid("templates are not supported here")
    return text


title = text_up_to(MAX_TITLE)
note = text_up_to(MAX_NOTE)
# A place from 1, a title or an id; see `find_work`.
work = vol.Any(int, float, vol.All(cv.string, vol.Length(min=1)))


def list_up_to(most: int, of: Any, least: int = 0) -> Any:
    """Return the validator of a list of limited length, which counts before it looks at any item."""
    return vol.All(cv.ensure_list, vol.Length(min=least, max=most), [of])


def whole_number(least: int, most: int | None = None) -> Any:
    """Return the validator of a whole number, also one that is written as a fraction."""
    return vol.All(_whole, vol.Range(min=least, max=most))


def _whole(value: Any) -> int:
    """Validate a whole number."""
    try:
        return int(float(value))
    except (OverflowError, TypeError, ValueError) as err:
        raise vol.Invalid("expected a whole number") from err


def duration(value: Any) -> timedelta:
    """Validate a duration: seconds, hours with minutes, its parts, or the text that a template makes of one."""
    if (isinstance(value, str) and "day" in value) or str(value).startswith("P"):
        value = dt_util.parse_duration(str(value)) or value
    try:
        validated: timedelta = cv.positive_time_period(value)
    except OverflowError:
        validated = timedelta.max
    if validated > MAX_DURATION:
        raise vol.Invalid(f"expected at most {MAX_DURATION.days} days")
    return validated


def seconds(least: float) -> Any:
    """Return the validator of a duration as a number of seconds."""
    return vol.All(duration, timedelta.total_seconds, vol.Range(min=least))


def media(value: Any) -> str:
    """Validate a media content id, or a value of the media picker."""
    if isinstance(value, dict):
        value = value.get(ATTR_MEDIA_CONTENT_ID)
    if not is_unicode(media_id := cv.string(value)):
        raise vol.Invalid("the name is no UTF-8: rename the file")
    return media_id


def color(value: Any) -> str:
    """Validate a color like #rrggbb, or a value of the color picker."""
    if isinstance(value, list | tuple):
        red, green, blue = vol.Schema(vol.ExactSequence([cv.byte] * 3))(list(value[:4]))
        return f"#{red:02x}{green:02x}{blue:02x}"
    return str(cv.matches_regex(r"^#[0-9a-fA-F]{6}$")(value))


def find_work(
    work: float | str, ids: Sequence[Any], titles: Sequence[str] = ()
) -> int | None:
    """Return the index of a work by its place from 1, its title or its id, None if there is no such work or several.

    A number is a place if there is one, a text an id or a title.
    """
    match = PLACE.fullmatch(str(work).strip())
    place = int(match[1]) if match else 0
    is_place = 1 <= place <= len(ids)
    if is_place and not isinstance(work, str):
        return place - 1
    names = [str(work).strip(), str(place)] if place else [str(work).strip()]
    for name in names:
        if name in ids:
            return ids.index(name)
    titles = [title.casefold().strip() for title in titles]
    for name in names:
        if name.casefold() in titles:
            return titles.index(name.casefold())
    if is_place:
        return place - 1
    matches = [at for at, title in enumerate(titles) if names[0].casefold() in title]
    return matches[0] if len(matches) == 1 else None
