"""Puts more works into the list that hangs. Displays have no queue: they are given the longer list, at the same place."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from homeassistant.components.media_player import MediaPlayerEnqueue as Enqueue
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..client.display.casts import Cast, Start
from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.playlist.document import for_display
from ..client.playlist.schema import SIGNATURE_FIELDS
from ..coordinator import DisplayCoordinator
from ..display.history import cast_of
from ..errors import invalid_input
from .announce import async_show
from .resolve import Options, async_read_playlist
from .snapshot import async_take_snapshot

# What makes the list somebody else's, or makes its works anew.
NOT_KEPT = {*SIGNATURE_FIELDS, "id", "slug", "dynamicQuery", "dynamicQueries"}

type Works = list[dict[str, Any]]


async def async_enqueue(
    coordinator: DisplayCoordinator, cast: Cast, options: Options, how: Enqueue
) -> dict[str, Any]:
    """Put works into the list that hangs, which goes on with the same work; that one begins anew.

    Args:
        coordinator: follows the display.
        cast: the works to put in.
        options: how they are shown if nothing hangs.
        how: at the end, or after the work that hangs, there to be shown when its turn comes or at once.
    """
    if coordinator.cast_only:
        raise invalid_input("display_cannot", name=coordinator.name, what="queue")
    async with coordinator.step_lock:
        return await _async_enqueue(coordinator, cast, options, how)


async def _async_enqueue(
    coordinator: DisplayCoordinator, cast: Cast, options: Options, how: Enqueue
) -> dict[str, Any]:
    """Put works into the list as it is when its turn has come."""
    before = await async_take_snapshot(coordinator)
    player = coordinator.data.player
    if before.cast is None or player is None:
        return await async_show(coordinator, cast, options)
    document = await _async_document(coordinator.hass, before.cast, player)
    works: Works = document["items"]
    place = _place(player, works)
    at = len(works) if how is Enqueue.ADD else place + 1
    new = _with_own_ids(await _async_works(coordinator.hass, cast), works)
    longer = {
        **{key: value for key, value in document.items() if key not in NOT_KEPT},
        "items": [*works[:at], *new, *works[at:]],
    }
    first = at if how is Enqueue.PLAY else place
    start = Start(
        index=first or None, shuffle=before.start.shuffle, loop=before.start.loop
    )
    return await async_show(
        coordinator, Cast(playlist=longer), Options(place=start, wake=options.wake)
    )


async def _async_document(
    hass: HomeAssistant, cast: Cast, player: PlayerStatus
) -> dict[str, Any]:
    """Find the list that hangs; a display that shuffles does not tell the order that the works have by themselves."""
    if cast.playlist is not None:
        return dict(cast.playlist)
    if player.shuffle:
        try:
            document = await async_read_playlist(hass, cast.playlist_url or "")
        except HomeAssistantError:
            document = {}
        if document.get("items"):
            return for_display(document)
    return dict(cast_of(replace(player, playlist_url=None)).playlist or {})


async def _async_works(hass: HomeAssistant, cast: Cast) -> Works:
    """List the works to put in."""
    document: Mapping[str, Any] | None = cast.playlist
    if document is None:
        read = await async_read_playlist(hass, cast.playlist_url or "")
        document = for_display(read)
    works: Works = document.get("items") or []
    return works


def _place(player: PlayerStatus, works: Works) -> int:
    """Find the work that hangs in the list, counted from 0."""
    item = player.current
    if item is None:
        return 0
    index = None if player.shuffle else (player.position or 1) - 1
    start = Start(item.id, item.source, index)
    return start.find([PlaylistItem.parse(work) for work in works]) or 0


def _with_own_ids(new: Works, works: Sequence[Mapping[str, Any]]) -> Works:
    """Name works apart from those that are in the list already."""
    taken = {work.get("id") for work in works}
    return [
        {**work, "id": str(uuid4())} if work.get("id") in taken - {None} else work
        for work in new
    ]
