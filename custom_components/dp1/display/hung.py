"""What hangs on a display: the only copy of a cast, and the only place that tells whether a player still shows it."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from homeassistant.util import dt as dt_util

from ..client.display.client import Start
from ..client.display.player_status import MAX_ITEMS, PlayerStatus, PlaylistItem
from ..client.hosts import same_work
from ..client.playlist.playlist import Playlist


@dataclass(frozen=True, kw_only=True)
class Hung:
    """A playlist that a display took.

    Attributes:
        asked: what was to be shown, and shows it again.
        sent: what the display was sent instead, None if it was sent what was asked.
        start: where and how it started; in a snapshot, the place that it was at.
        at: when it was cast, or seen for the first time if somebody else did.
    """

    asked: Playlist
    sent: Playlist | None = None
    start: Start = field(default_factory=Start)
    at: datetime = field(default_factory=dt_util.utcnow)

    @property
    def shown(self) -> Playlist:
        """Return what the display was sent."""
        return self.sent or self.asked

    @property
    def sources(self) -> list[str]:
        """Return the URLs and the sources of the works of both."""
        return self.asked.sources + (self.sent.sources if self.sent else [])

    @cached_property
    def _works(self) -> tuple[PlaylistItem, ...]:
        """Return the works as players keep them."""
        return tuple(map(PlaylistItem.parse, self.shown.items[:MAX_ITEMS]))

    def is_shown_by(self, player: PlayerStatus) -> bool:
        """Return whether a player shows it: by the URL, else by the list and its works with ids, titles, durations and order.

        A push has no list and no sources, and a player that shuffles reports another order.
        """
        shown = self.shown
        if shown.url is not None or player.playlist_url is not None:
            return shown.url == player.playlist_url
        # Of works with a time, a display has those that are due.
        is_timed = any(item.get("displayAt") for item in shown.items)
        if not player.items or (len(shown.items) != player.count and not is_timed):
            return False
        if player.playlist is not None and (
            _list_key(shown) != (player.playlist_id, player.playlist_title)
        ):
            return False
        has_sources = all(item.source for item in player.items)
        mine, theirs = (
            [_work_key(work, has_sources) for work in works]
            for works in (self._works, player.items)
        )
        if is_timed:
            return not Counter(theirs) - Counter(mine)
        return mine == theirs or (player.shuffle is True and _alike(mine, theirs))


def _list_key(playlist: Playlist) -> tuple[str | None, str | None]:
    """Return the id and the title of a list as players report them."""
    names = {name: playlist.document.get(name) for name in ("id", "title")}
    status = PlayerStatus.parse({"playlist": names})
    return status.playlist_id, status.playlist_title


def _work_key(work: PlaylistItem, has_sources: bool) -> Hashable:
    """Return what tells a work of a list from others: zero seconds are no end."""
    source = same_work(work.source or "") if has_sources else None
    return work.id, work.title, work.duration or None, source


def _alike(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> bool:
    """Return whether these are the same in any order."""
    return Counter(mine) == Counter(theirs)
