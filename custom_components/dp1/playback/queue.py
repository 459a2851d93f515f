"""The queue of a display: show something, move, add works, clear it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from homeassistant.components.media_player import MediaPlayerEnqueue as Enqueue
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from ..client.display.client import Start
from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.playlist.document import unsigned
from ..client.playlist.playlist import Origin, Playlist
from ..client.playlist.schema import SIGNATURE_FIELDS
from ..coordinator import DisplayCoordinator, Refresh
from ..display.hung import Hung
from ..display.wall import Announcement
from ..errors import invalid_input
from ..grants import GRANTS
from ..hosts import HOSTS
from ..library.index import places_of
from .cast import (
    async_hang_again,
    async_player_of,
    async_prepared,
    async_take_snapshot,
    async_wake,
    check_reach,
)
from .compose import async_works_alone, with_ends, with_own_ids
from .daily import async_of_today
from .hidden import without_hidden
from .request import Begin, Ready, Request
from .resolve import async_read_for_display
from .wall import async_announced, async_change_lasting, async_present, async_take

# A playlist with other works is another one, and not refilled by queries.
DROPPED_FIELDS = {*SIGNATURE_FIELDS, "id", "slug", "dynamicQuery", "dynamicQueries"}

type Works = list[dict[str, Any]]


async def async_clear(coordinator: DisplayCoordinator) -> None:
    """Clear the playlist of a display."""
    async with async_present(coordinator) as is_newest:
        if is_newest:
            await async_hang_again(coordinator, None)


async def async_step(coordinator: DisplayCoordinator, step: int) -> None:
    """Move by a number of works, or raise that a single one is shown for a time."""

    def find(player: PlayerStatus) -> int:
        """Return the index to move to."""
        if player.count == 1 and coordinator.wall.is_announcing:
            raise invalid_input("one_work_for_a_time", name=coordinator.name)
        return ((player.position or 1) - 1 + step) % player.count

    await async_jump(coordinator, find)


async def async_jump(
    coordinator: DisplayCoordinator, find: Callable[[PlayerStatus], int]
) -> None:
    """Show the work that is found in what hangs by then; displays only know absolute indexes."""
    async with async_present(coordinator) as is_newest:
        if not is_newest:
            return
        player = coordinator.data.player
        if not coordinator.cast_only and (player is None or player.position is None):
            # The error says whether the player is not running.
            async with coordinator.async_command(Refresh.NONE) as display:
                player = await display.player_status()
        if player is None or player.position is None:
            raise invalid_input("nothing_shown", name=coordinator.name)
        await coordinator.async_show_item(find(player))


async def async_enqueue(
    coordinator: DisplayCoordinator, playlist: Playlist, request: Request, how: Enqueue
) -> None:
    """Add works at the end of the queue, or after the current work to be shown next or at once."""
    if coordinator.cast_only:
        raise invalid_input("display_cannot", name=coordinator.name, what="queue")
    playlist = await async_of_today(coordinator.hass, playlist, request)
    async with coordinator.requests.step_lock:
        before, player = await async_works(coordinator)
        if before is None or player is None:
            await _async_hang(coordinator, playlist, request)
            return
        if how is Enqueue.NEXT and player.shuffle:
            raise invalid_input("no_next_in_shuffle", name=coordinator.name)
        document = await _async_document(coordinator.hass, before, player)
        works: Works = document["items"]
        if length := before.asked.length:
            # A film that was shown alone had no end.
            works = [{"duration": length, **work} for work in works]
        index = _index_of(player, works, _current(player))
        at = len(works) if how is Enqueue.ADD else index + 1
        added = await async_read_for_display(coordinator.hass, playlist, request.caller)
        added = without_hidden(coordinator.hass, added)
        new = with_own_ids(await async_works_alone(coordinator.hass, added), works)
        document["items"] = with_ends([*works[:at], *new, *works[at:]])
        reload = how is Enqueue.PLAY
        place = _at(before.start, at if reload else index)
        is_personal = before.asked.is_personal and playlist.is_personal
        own = replace(request, begin=Begin(place=place))
        await _async_change(coordinator, document, own, reload, is_personal)


async def async_leave_out(coordinator: DisplayCoordinator, hidden: str) -> None:
    """Take a work that is hidden by now out of what hangs for good, and of what is covered: from the one after it on."""
    wall = coordinator.wall
    async with coordinator.requests.step_lock:
        hung, player = await async_works(coordinator)
        if hung is not None and player is not None:
            left = await _async_without(coordinator, hung, player, hidden)
            if left is not hung:
                await _async_put(coordinator, left)
        if len(wall.notes.announced) < 2:
            return
        async with wall.turn():
            kept: list[Announcement] = []
            for it in wall.notes.announced[:-1]:
                player = await async_player_of(coordinator.hass, it.hung)
                left = await _async_without(coordinator, it.hung, player, hidden)
                kept += [replace(it, hung=left)] if left else []
            await wall.async_note(announced=(*kept, *wall.notes.announced[-1:]))


async def _async_without(
    coordinator: DisplayCoordinator,
    hung: Hung,
    player: PlayerStatus,
    hidden: str,
) -> Hung | None:
    """Return what hung without a hidden work, as it is if it has it not; None if nothing is left."""
    public_url = coordinator.hass.data[HOSTS].public_url

    def stays(source: object) -> bool:
        """Return whether it is another work, also where that is kept at home and lent."""
        return hidden not in places_of(public_url(str(source or "")))

    items, current = player.items, _current(player)
    following = [*items[current:], *items[:current]]
    left = [it for it in following if stays(it.source)]
    if len(left) == len(items):
        return hung
    if not left:
        return None
    start = hung.start
    if left[0] is not following[0]:
        start = replace(
            start,
            work_id=left[0].id,
            source=left[0].source,
            index=None,
        )
    if hung.shown.url is not None:
        request = Request(art=Ready(hung.asked), begin=Begin(place=start))
        return await async_prepared(coordinator, hung.asked, request)
    works = [it for it in hung.shown.items if stays(it.get("source"))]
    document = {**unsigned(hung.shown.document), "items": works}
    count = hung.asked.left_out + len(items) - len(left)
    return replace(
        hung,
        asked=replace(hung.asked, left_out=count),
        sent=replace(hung.shown, document=document, origin=Origin.OURS),
        start=start,
    )


async def async_remove(coordinator: DisplayCoordinator, work: int) -> None:
    """Remove a work, counted from 0 as the display reports them."""
    async with coordinator.requests.step_lock:
        hung, player = await async_works(coordinator)
        if hung is None or player is None or work >= len(player.items):
            raise invalid_input("nothing_shown", name=coordinator.name)
        document = await _async_document(coordinator.hass, hung, player)
        works: Works = document["items"]
        gone = _index_of(player, works, work)
        current = _index_of(player, works, _current(player))
        document["items"] = [*works[:gone], *works[gone + 1 :]]
        if not document["items"]:
            await _async_put(coordinator, None)
            return
        is_gone = current == gone
        index = min(gone, len(works) - 2) if is_gone else current - (current > gone)
        begin = Begin(place=_at(hung.start, index))
        request = Request(art=Ready(hung.asked), begin=begin, wake=False)
        await _async_change(
            coordinator, document, request, is_gone, hung.asked.is_personal
        )


def _at(start: Start, index: int) -> Start:
    """Return the order and the loop of a place, with another first work."""
    return Start(index=index or None, shuffle=start.shuffle, loop=start.loop)


async def _async_change(
    coordinator: DisplayCoordinator,
    document: dict[str, Any],
    request: Request,
    reload: bool,
    is_personal: bool,
) -> None:
    """Show the current playlist with other works, without reloading the current one if that can be done."""
    kept = {key: value for key, value in document.items() if key not in DROPPED_FIELDS}
    playlist = Playlist(document=kept, origin=Origin.OURS, is_personal=is_personal)
    check_reach(coordinator, playlist)
    hung, number = Hung(asked=playlist, start=request.start), request.number
    wakes = reload and request.wake
    if await async_change_lasting(coordinator, hung, number=number, wakes=wakes):
        return
    if not reload and await _async_extend(coordinator, playlist, number):
        await async_wake(coordinator, request)
    else:
        await async_take(coordinator, playlist, request)


async def async_works(
    coordinator: DisplayCoordinator,
) -> tuple[Hung | None, PlayerStatus | None]:
    """Return what hangs for good, and its works in playing order: what comes back, if an announcement is shown."""
    # A cast that is being sent shows its first work before the one to start at.
    async with coordinator.wall.turn():
        if not await async_announced(coordinator):
            hung = await async_take_snapshot(coordinator)
            return hung, coordinator.data.player
        hung = coordinator.wall.notes.lasting[0]
    return hung, await async_player_of(coordinator.hass, hung)


async def _async_put(coordinator: DisplayCoordinator, hung: Hung | None) -> None:
    """Let works that hung, or nothing, hang for good."""
    if not await async_change_lasting(coordinator, hung):
        async with coordinator.wall.turn():
            await async_hang_again(coordinator, hung)


async def _async_hang(
    coordinator: DisplayCoordinator, playlist: Playlist, request: Request
) -> None:
    """Show a playlist for good, after an announcement if one is shown."""
    if coordinator.wall.is_announcing:
        hung = await async_prepared(coordinator, playlist, request)
        if await async_change_lasting(coordinator, hung, number=request.number):
            return
    await async_take(coordinator, playlist, request)


async def _async_extend(
    coordinator: DisplayCoordinator, playlist: Playlist, number: int
) -> bool:
    """Replace the works of an inline playlist without reloading the current one; return whether that worked."""
    wall = coordinator.wall
    async with wall.turn(number) as is_newest:
        is_canceled = coordinator.requests.is_canceled(number)
        if not is_newest or is_canceled or wall.is_announcing:
            return False
        async with coordinator.async_command(Refresh.PLAYER) as display:
            grants = coordinator.hass.data[GRANTS]
            sent = await grants.async_lent(playlist, coordinator.entry_id)
            extended = await display.extend(sent)
        if extended:
            sent_as = None if sent is playlist else sent
            hung = Hung(asked=playlist, sent=sent_as)
            coordinator.async_handle_cast(hung, goes_on=True)
        return extended


async def _async_document(
    hass: HomeAssistant, hung: Hung, player: PlayerStatus
) -> dict[str, Any]:
    """Return the works that hang; a display that shuffles does not report the original order."""
    playlist = hung.shown
    if playlist.url is None or player.shuffle:
        with suppress(HomeAssistantError):
            playlist = await async_read_for_display(hass, playlist)
            if playlist.items:
                return dict(playlist.document)
    return dict(
        replace(player, playlist_url=None)
        .as_playlist(hass.data[HOSTS].public_url)
        .document
    )


def _current(player: PlayerStatus) -> int:
    """Return the index of the current work in playing order, counted from 0."""
    return (player.position or 1) - 1


def _index_of(player: PlayerStatus, works: Works, index: int) -> int:
    """Return where a work is in the playlist that is at an index in playing order, both counted from 0."""
    if not player.items:
        return 0
    item = player.items[index]
    start = Start(item.id, item.source, None if player.shuffle else index)
    return start.find([PlaylistItem.parse(work) for work in works]) or 0
