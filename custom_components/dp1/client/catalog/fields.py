"""Parse values of catalog records; values of another type are dropped."""

from datetime import UTC, datetime
import re

from ..text import clean
from ..values import whole

TITLE_LIMIT = 200
MAX_TEXT = 8192


def as_text(value: object) -> str:
    """Return a text without outer white space; empty if it is too long or not encodable."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return ""
    try:
        value.encode()
    except UnicodeEncodeError:
        return ""
    return value.strip()


def as_texts(value: object) -> tuple[str, ...]:
    """Return the non-empty texts of a list."""
    if not isinstance(value, list):
        return ()
    return tuple(text for part in value if (text := as_text(part)))


def as_title(*candidates: object) -> str:
    """Return the first readable text."""
    return next(
        (text for value in candidates if (text := clean(value, TITLE_LIMIT))), ""
    )


def as_key(value: object) -> str:
    """Return an id; numbers are accepted."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return as_text(value)


def as_integer(value: object) -> int | None:
    """Return an integer; text is accepted."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value.strip()):
        return int(value)
    return whole(value)


def as_moment(value: object) -> datetime | None:
    """Return a moment (RFC 3339) in UTC; the catalog writes year 1 for none."""
    try:
        moment = datetime.fromisoformat(as_text(value))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC) if moment.year > 1 else None
    except ValueError, OverflowError:
        return None
