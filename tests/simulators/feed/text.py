"""Identifiers, slugs and times as feeds parse and format them."""

from datetime import UTC, datetime
import re

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_TIME = re.compile(
    r"(?P<base>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d+))?(?P<zone>Z|[+-]\d\d:\d\d)",
    re.ASCII,
)
_NANO = 10**9


def is_uuid(text: str) -> bool:
    """Return whether a text is a UUID, in any case."""
    return _UUID.fullmatch(text) is not None


def slugify(text: str) -> str:
    """Return lower-case text with one hyphen for each run of anything but letters and digits, none at the ends."""
    return re.sub("[^a-z0-9]+", "-", text.strip().lower()).strip("-")


def make_slug(wanted: str, title: str, identifier: str) -> str:
    """Return the given slug, or one of the title and the beginning of the id."""
    return slugify(wanted) or f"{slugify(title) or 'playlist'}-{identifier[:8]}"


def parse_time(text: str) -> int | None:
    """Return the nanoseconds since 1970 of an RFC 3339 time, or None."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    try:
        moment = datetime.fromisoformat(match["base"] + match["zone"])
    except ValueError:
        return None
    fraction = (match["fraction"] or "")[:9].ljust(9, "0")
    return int(moment.timestamp()) * _NANO + int(fraction)


def format_time(nanoseconds: int, *, fraction: bool = True) -> str:
    """Format a time as RFC 3339 in UTC, with as many digits of the fraction as needed."""
    seconds, rest = divmod(nanoseconds, _NANO)
    digits = f".{rest:09d}".rstrip("0").rstrip(".") if fraction else ""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}{digits}Z"
