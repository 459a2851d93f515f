"""Identifiers, slugs, times and URLs as the Go feed parses and formats them."""

from datetime import UTC, datetime
import re

_UUID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE
)
_TIME = re.compile(
    r"(?P<base>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d+))?(?P<zone>Z|[+-]\d\d:\d\d)",
    re.ASCII,
)
_NANO = 10**9


def is_uuid(text: str) -> bool:
    """Return whether a text is a UUID in its common form, in any case."""
    return _UUID.fullmatch(text) is not None


def parse_uuid(text: str) -> str | None:
    """Return the lower-case UUID of any form Go accepts: common, in braces, as a URN, or 32 digits."""
    bare = text
    match len(text):
        case 45 if text[:9].lower() == "urn:uuid:":
            bare = text[9:]
        case 38 if text[0] == "{" and text[-1] == "}":
            bare = text[1:-1]
        case 32 if re.fullmatch("[0-9a-fA-F]{32}", text):
            bare = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    return bare.lower() if is_uuid(bare) else None


def slugify(text: str) -> str:
    """Return lower-case text with one hyphen for each run of anything but letters and digits, none at the ends."""
    return re.sub("[^a-z0-9]+", "-", text.strip().lower()).strip("-")


def make_slug(wanted: str, title: str, identifier: str, default: str) -> str:
    """Return the given slug, or one of the title and the beginning of the id."""
    return slugify(wanted) or f"{slugify(title) or default}-{identifier[:8]}"


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
