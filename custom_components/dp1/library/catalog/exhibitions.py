"""Order of exhibitions."""

from dataclasses import replace

from ...client.catalog.models import Exhibition
from ..servers.cached_list import CachedList


def newest_first(exhibitions: CachedList[Exhibition]) -> CachedList[Exhibition]:
    """Return the exhibitions sorted by their opening."""
    order = sorted(exhibitions.records, key=_opening, reverse=True)
    return replace(exhibitions, records=tuple(order))


def _opening(exhibition: Exhibition) -> tuple[float, str]:
    """Return the sort key of an exhibition; those without an opening come last."""
    opens = exhibition.opens_at
    return opens.timestamp() if opens else float("-inf"), exhibition.number
