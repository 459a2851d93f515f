"""Which playlists of a channel are new: those whose id was never seen there.

Neither place, slug nor title make a playlist another one, and one that was removed and comes back is not new.
"""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Final

# How long a playlist is remembered that is no longer listed.
REMEMBERED: Final = timedelta(days=90)


def new_playlists(
    seen: Mapping[str, date] | None, listed: Iterable[str], today: date
) -> tuple[list[str], dict[str, date]]:
    """Return the ids that are new, in the order they are listed, and what has been seen by now.

    Args:
        seen: ids with the day they were last listed on; None at the first look, when nothing is new.
        listed: ids of the playlists as they are listed now, any of them more than once.
        today: the day.
    """
    ids = list(dict.fromkeys(listed))
    known = seen or {}
    new = [] if seen is None else [key for key in ids if key not in known]
    kept = {key: day for key, day in known.items() if today - day <= REMEMBERED}
    return new, kept | dict.fromkeys(ids, today)
