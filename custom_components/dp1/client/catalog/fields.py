"""Values of the catalog's records, each taken for what it should be; what it is not, it is left out."""

from datetime import UTC, datetime
import re

from ..text import clean
from ..values import whole

TITLE_LIMIT = 200
MAX_TEXT = 8192


def as_text(value: object) -> str:
    """Take a text as it is; one too long to be meant, or that no file can hold, is none."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return ""
    try:
        value.encode()
    except UnicodeEncodeError:
        return ""
    return value.strip()


def as_texts(value: object) -> tuple[str, ...]:
    """Take the texts of a list that say something."""
    if not isinstance(value, list):
        return ()
    return tuple(text for part in value if (text := as_text(part)))


def as_title(*candidates: object) -> str:
    """Take the first that is a readable text."""
    return next((text for it in candidates if (text := clean(it, TITLE_LIMIT))), "")


def as_key(value: object) -> str:
    """Take an id; a number is one, too."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return as_text(value)


def as_integer(value: object) -> int | None:
    """Take a whole number, also one written as text."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value.strip()):
        return int(value)
    return whole(value)


def as_moment(value: object) -> datetime | None:
    """Take a moment (RFC 3339), in UTC; year 1 is how the catalog writes that there is none."""
    try:
        moment = datetime.fromisoformat(as_text(value))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC) if moment.year > 1 else None
    except ValueError, OverflowError:
        return None
