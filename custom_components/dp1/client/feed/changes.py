"""Differences between a document as sent and as stored by a feed."""

from collections.abc import Iterator
from itertools import zip_longest
import re

from ..values import doubles

_ABSENT = object()
_SIGNATURES = ("signature", "signatures")
# Feeds number and date the works and name what has no name; these are not reported as changes.
_OF_WORKS = re.compile(r"items\[[0-9]+\]\.(?:id|created)")
_IDENTITY = ("id", "slug", "created")


def changes(sent: object, held: object, path: str = "") -> Iterator[str]:
    """Yield the paths at which two documents differ, like ``items[2].title``, except what a feed fills in."""
    if isinstance(sent, dict) and isinstance(held, dict):
        for name in {**sent, **held}:
            if not path and (
                name in _SIGNATURES or (name in _IDENTITY and name not in sent)
            ):
                continue
            yield from changes(
                sent.get(name, _ABSENT),
                held.get(name, _ABSENT),
                f"{path}.{name}" if path else name,
            )
    elif isinstance(sent, list) and isinstance(held, list):
        for place, (one, other) in enumerate(
            zip_longest(sent, held, fillvalue=_ABSENT)
        ):
            yield from changes(one, other, f"{path}[{place}]")
    elif not _same(sent, held) and not _OF_WORKS.fullmatch(path):
        yield path


def _same(sent: object, held: object) -> bool:
    """Return whether two values are the same in JSON, where every number is a double."""
    if isinstance(sent, bool) or isinstance(held, bool):
        return sent is held
    if isinstance(sent, int | float) and isinstance(held, int | float):
        return bool(doubles(sent) == doubles(held))
    return sent == held
