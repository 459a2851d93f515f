"""Media content ids of the playlist on a display, which name the place in it."""

from dataclasses import replace
import re
from urllib.parse import parse_qs, urlencode

from ..client.display.client import Start
from ..client.display.player_status import PlayerStatus
from ..client.text import MAX_URL
from ..const import DOMAIN
from ..display.history import MEDIA_ID as RECENT, History
from ..display.hung import Hung

# What a display does after a cast by itself.
DEFAULT_LOOP = "playlist"
# Media content id of a display without a playlist, which a scene brings back.
NOTHING = f"{DOMAIN}://nothing"
# Separates the place from the playlist in a media content id.
PLACE_MARK = "#dp1&"
PLACE = re.compile(r"[0-9]{1,9}")


def start_of(player: PlayerStatus) -> Start:
    """Return the place and order, as far as they are not the default."""
    item, loop = player.current, player.loop_mode
    start = Start(
        shuffle=True if player.shuffle else None,
        loop=None if loop == DEFAULT_LOOP else loop,
    )
    if item is None or (player.position == 1 and not player.shuffle):
        return start
    source = None if item.id else item.source
    return replace(
        start, work_id=item.id, source=source, index=(player.position or 1) - 1
    )


def media_id(player: PlayerStatus, history: History) -> str | None:
    """Return the media content id of a playlist: a URL is marked as that of a playlist, and a place is added unless it is the default."""
    if player.ok and not player.items:
        return NOTHING
    entry = history.current(player)
    name = player.playlist_url or (entry.media_id if entry else None)
    if name is None:
        return None
    start = start_of(player)
    place = {
        "work": start.work_id,
        "at": start.index,
        "shuffle": start.shuffle,
        "loop": start.loop,
    }
    fragment = urlencode(
        {key: value for key, value in place.items() if value is not None}
    )
    marked = fragment or not name.startswith(RECENT)
    return f"{name}{PLACE_MARK}{fragment}" if marked else name


def assumed_media_id(hung: Hung, history: History) -> str | None:
    """Return the media content id of what was cast to a display without a status."""
    url = hung.asked.url
    return f"{url}{PLACE_MARK}" if url else history.media_id_of(hung)


def split_media_id(name: str) -> tuple[str, Start]:
    """Split a media content id into the playlist and the place."""
    base, mark, fragment = name.rpartition(PLACE_MARK)
    if not mark or len(fragment) > MAX_URL:
        return name, Start()
    place = {key: values[0] for key, values in parse_qs(fragment).items()}
    at = place.get("at", "")
    return base, Start(
        work_id=place.get("work"),
        index=int(at) if PLACE.fullmatch(at) else None,
        shuffle=True if "shuffle" in place else None,
        loop=place.get("loop") if place.get("loop") in ("none", "one") else None,
    )
