"""Let a display show what another one shows, or a work that follows it."""

from dataclasses import replace

from ..client.display.casts import Cast, Start
from ..client.display.player_status import PlayerStatus
from ..coordinator import DisplayCoordinator
from .snapshot import (
    Snapshot,
    async_restore_snapshot,
    async_take_snapshot,
    cast_of_display,
    is_showing,
)


async def async_follow(
    display: DisplayCoordinator, leader: DisplayCoordinator, offset: int
) -> None:
    """Let a display show the leader's playlist, a number of works ahead of the leader."""
    player = leader.data.player
    if player is None:
        return
    if player.position is None:
        if display.data.player is not None and display.data.player.current:
            await async_restore_snapshot(display, Snapshot(None, Start(), False))
        return
    cast = cast_of_display(player, leader.history)
    if cast is None:
        cast = (await async_take_snapshot(leader)).cast
    if cast is not None:
        index = (player.position - 1 + offset) % len(player.items)
        await _async_show(display, cast, player, index)


async def _async_show(
    display: DisplayCoordinator, cast: Cast, player: PlayerStatus, index: int
) -> None:
    """Show a work of another display's playlist with as few commands as possible."""
    item = player.items[index]
    work = Start(item.id, None if item.id else item.source, index)
    current = display.data.player
    if current is None or not current.items or not is_showing(cast, current):
        start = replace(work, loop=player.loop_mode)
        await async_restore_snapshot(display, Snapshot(cast, start, False))
        return
    place = (work.find(current.items) or 0) % len(current.items)
    if current.position != place + 1:
        async with display.async_command() as commands:
            await commands.show_item(place)
    if player.loop_mode and current.loop_mode != player.loop_mode:
        async with display.async_command() as commands:
            await commands.set_loop(player.loop_mode)
