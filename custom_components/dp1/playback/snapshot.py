"""Snapshots of what a display shows, which can be restored."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
import re
from typing import Any, Self
from urllib.parse import parse_qs, urlencode

import voluptuous as vol

from ..client.display.casts import Cast, Start
from ..client.display.player_status import PlayerStatus
from ..coordinator import DisplayCoordinator
from ..display.history import History, cast_of, media_id_of
from ..errors import action_failed
from ..storage import CAST_SCHEMA
from .cast import async_cast
from .resolve import Options

STORED_SCHEMA = vol.Schema(
    {
        vol.Required("cast"): vol.Any(None, CAST_SCHEMA),
        vol.Required("start"): {
            vol.In(("work_id", "source", "loop")): vol.Any(None, str),
            "index": vol.Any(None, int),
            "shuffle": vol.Any(None, bool),
        },
        vol.Required("asleep"): bool,
    }
)
# What a display does after a cast by itself.
DEFAULT_LOOP = "playlist"
# Separates the place from the playlist in a media content id.
PLACE_MARK = "#dp1&"
PLACE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a display shows: the playlist if there is one, the place in it, and whether the display sleeps."""

    cast: Cast | None
    start: Start
    asleep: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the snapshot as JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Read the output of `as_dict`."""
        stored = STORED_SCHEMA(stored)
        cast = Cast(**stored["cast"]) if stored["cast"] else None
        return cls(cast, Start(**stored["start"]), stored["asleep"])


async def async_take_snapshot(coordinator: DisplayCoordinator) -> Snapshot:
    """Ask a display what it shows."""
    player = await coordinator.async_read_player()
    asleep = coordinator.data.asleep is True
    if player is None and coordinator.data.assumed is not None:
        return Snapshot(coordinator.data.assumed, Start(), asleep)
    if player is not None and player.current is None:
        return Snapshot(None, Start(), asleep)
    if player is None or (cast := cast_of_display(player, coordinator.history)) is None:
        raise action_failed("cannot_tell", name=coordinator.name)
    return Snapshot(cast, _start(player), asleep)


async def async_restore_snapshot(
    coordinator: DisplayCoordinator, snapshot: Snapshot, *, wake: bool = False
) -> None:
    """Restore a snapshot of this display or another, and wake the display if the snapshot was awake."""
    with coordinator.requests.steps():
        await _async_restore(coordinator, snapshot, wake and not snapshot.asleep)


async def _async_restore(
    coordinator: DisplayCoordinator, snapshot: Snapshot, wake: bool
) -> None:
    """Cast what was shown, or nothing, and let the display sleep again."""
    if snapshot.cast is not None:
        options = Options(place=snapshot.start, wake=wake, asked=None)
        await async_cast(coordinator, snapshot.cast, options)
    else:
        async with coordinator.async_command() as display:
            await display.clear()
    if snapshot.asleep and not coordinator.data.asleep:
        await coordinator.async_set_asleep(True)


def cast_of_display(player: PlayerStatus, history: History) -> Cast | None:
    """Return the cast that shows the same playlist; None if some of its works are unknown."""
    if player.playlist_url:
        return Cast(playlist_url=player.playlist_url)
    if (given := history.current(player)) is not None:
        return given.cast
    if not all(item.source for item in player.items):
        return None
    return cast_of(player)


def is_showing(cast: Cast, player: PlayerStatus) -> bool:
    """Return whether a display shows what was cast; it may leave out works."""
    if cast.playlist is None or player.playlist_url:
        return cast.playlist_url == player.playlist_url
    shown = {item.source for item in player.items}
    given = {item.get("source") for item in cast.playlist.get("items") or ()}
    return bool(shown) and shown <= given


def media_id(player: PlayerStatus, history: History) -> str | None:
    """Return the media content id of a playlist: a URL is marked as that of a playlist, and a place is added unless it is the default."""
    given = history.current(player)
    name = player.playlist_url or (given.media_id if given else None)
    if name is None:
        return None
    start = _start(player)
    place = {
        "work": start.work_id,
        "at": start.index,
        "shuffle": start.shuffle,
        "loop": start.loop,
    }
    fragment = urlencode(
        {key: value for key, value in place.items() if value is not None}
    )
    marked = fragment or player.playlist_url
    return f"{name}{PLACE_MARK}{fragment}" if marked else name


def assumed_media_id(cast: Cast) -> str | None:
    """Return the media content id of what a display without a status was given."""
    return (
        f"{cast.playlist_url}{PLACE_MARK}" if cast.playlist_url else media_id_of(cast)
    )


def split_media_id(name: str) -> tuple[str, Start]:
    """Split a media content id into the playlist and the place."""
    base, mark, fragment = name.rpartition(PLACE_MARK)
    if not mark:
        return name, Start()
    place = {key: values[0] for key, values in parse_qs(fragment).items()}
    at = place.get("at", "")
    return base, Start(
        work_id=place.get("work"),
        index=int(at) if PLACE.fullmatch(at) else None,
        shuffle=True if "shuffle" in place else None,
        loop=place.get("loop") if place.get("loop") in ("none", "one") else None,
    )


def _start(player: PlayerStatus) -> Start:
    """Return the place and order, as far as they are not the default."""
    item = player.current
    is_default = item is None or (player.position == 1 and not player.shuffle)
    loop = player.loop_mode
    return Start(
        work_id=None if is_default or item is None else item.id,
        source=None if is_default or item is None or item.id else item.source,
        index=None if is_default or player.position is None else player.position - 1,
        shuffle=True if player.shuffle else None,
        loop=None if loop == DEFAULT_LOOP else loop,
    )
