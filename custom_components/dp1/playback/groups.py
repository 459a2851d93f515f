"""Groups of displays: the members show the work of the leader, or the works that follow it."""

import asyncio
from collections import defaultdict
from collections.abc import (
    Awaitable,
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.util.hass_dict import HassKey

from ..client.display.client import Start
from ..const import DOMAIN, LOGGER
from ..coordinator import DisplayCoordinator
from ..display.hung import Hung
from ..display.requests import REQUEST_NUMBERS
from ..displays import async_display, is_enabled_display
from ..errors import action_failed, async_gather_failures, displays_failed
from .cast import Snapshot, async_restore_snapshot, async_take_snapshot, hung_on
from .program import PROGRAMS
from .watch import Change, Seen


def _place(seen: Seen) -> object:
    """Return the state that a group has in common."""
    player = seen.data.player
    return player and (
        player.playlist_url,
        player.item_ids,
        player.position,
        player.loop_mode,
    )


@dataclass(slots=True, eq=False)
class Call:
    """A call that is being carried out for a whole group; it arrives once for each targeted member.

    Attributes:
        what: what tells it from other calls.
        members: the members it has arrived for.
        result: what came of it, for all of them.
    """

    what: Hashable
    members: set[str]
    result: asyncio.Future[Any]


@dataclass(slots=True)
class Synchronization:
    """The synchronization under way in a group.

    Attributes:
        number: how many synchronizations were scheduled.
        waiting: whether a synchronization is queued.
        paused: how many actions under way will synchronize the group when they are done.
        lock: held during synchronization.
        calls: the calls under way.
    """

    number: int = 0
    waiting: bool = False
    paused: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    calls: list[Call] = field(default_factory=list)


# Seconds until a member that did not follow is told again.
PAUSES: Final = (1.0, 5.0, 20.0, 60.0)
# By the config entry of the leader.
SYNCS: Final[HassKey[defaultdict[str, Synchronization]]] = HassKey(f"{DOMAIN}_syncs")


@callback
def follow_leader(display: DisplayCoordinator, change: Change) -> None:
    """Let the others follow a leader that changed, and a member that is back catch up."""
    before, after = change.before, change.after
    has_come = after.available and not before.available
    # What a member showed for a time is its own; then it shows what the others do by now.
    has_come |= before.is_announcing and not after.is_announcing
    if (
        not has_come
        and before.available == after.available
        and _place(before) == _place(after)
    ):
        return
    if (group := group_of(display.hass, display.entry_id)) is None:
        return
    is_leader = group.leader == display.entry_id
    if not after.available:
        if is_leader:
            LOGGER.info(
                "%s leads a group, which stays as it is meanwhile", display.name
            )
    elif is_leader or has_come:
        group.async_schedule_sync()


@dataclass(frozen=True, slots=True)
class Group:
    """A group of displays, by their config entries.

    Attributes:
        leader: the display that the others follow.
        members: all displays of the group, the leader first.
        sync: what is under way in the group.
    """

    hass: HomeAssistant
    leader: str
    members: list[str]
    sync: Synchronization

    @property
    def display(self) -> DisplayCoordinator | None:
        """The leader, if it is set up."""
        return async_display(self.hass, self.leader)

    @property
    def entity_ids(self) -> list[str]:
        """The entities of the members."""
        registry = er.async_get(self.hass)
        return [
            entity.entity_id
            for member in self.members
            for entity in er.async_entries_for_config_entry(registry, member)
            if is_enabled_display(entity)
        ]

    @callback
    def async_schedule_sync(self) -> None:
        """Synchronize the group in the background, unless that will be done anyway."""
        leader = self.display
        if leader is None or self.sync.waiting or self.sync.paused:
            return

        async def sync() -> None:
            """Synchronize the group, and again after a while with a member that did not follow."""
            self.sync.number = number = self.sync.number + 1
            for pause in (*PAUSES, None):
                try:
                    await async_sync(leader)
                except HomeAssistantError as err:
                    LOGGER.debug("%s: %s", leader.name, err)
                else:
                    return
                if pause is not None:
                    await asyncio.sleep(pause)
                if self.sync.number != number:
                    return

        leader.create_task(sync(), "group sync")


@callback
def group_of(hass: HomeAssistant, entry_id: str) -> Group | None:
    """Return the group of a display."""
    programs = hass.data[PROGRAMS]
    leader = programs[entry_id].notes.leader
    if leader is None or programs[leader].notes.leader is None:
        return None
    members = [
        member
        for member, notes in programs
        if notes.leader == leader and member != leader
    ]
    syncs = hass.data.setdefault(SYNCS, defaultdict(Synchronization))
    return Group(hass, leader, [leader, *members], syncs[leader])


# Membership


async def async_join(leader: DisplayCoordinator, entry_ids: Iterable[str]) -> None:
    """Add displays to the group of a leader; those that a playlist is spread over keep their distance."""
    hass, entry_id = leader.hass, leader.entry_id
    programs = hass.data[PROGRAMS]
    player = leader.data.player
    hung = hung_on(player, leader.history) if player else None
    for member in (entry_id, *entry_ids):
        if programs[member].notes.leader != entry_id:
            async_leave(hass, member)
            display = async_display(hass, member)
            if not _has_list(display, hung):
                programs[member].note(spread=[])
            programs[member].note(leader=entry_id)
    await programs.async_save_and_tell()
    await async_sync(leader)


async def async_unjoin(hass: HomeAssistant, entry_id: str) -> None:
    """Remove a display from its group."""
    async_leave(hass, entry_id)
    await hass.data[PROGRAMS].async_save_and_tell()


async def async_spread(
    hass: HomeAssistant, spreads: Mapping[str, Sequence[str]]
) -> None:
    """Remember by display over which others its playlist is spread, each starting one work later."""
    programs = hass.data[PROGRAMS]
    for entry_id, spread in spreads.items():
        programs[entry_id].note(spread=[*spread])
    await programs.async_save_and_tell()


@callback
def async_leave(hass: HomeAssistant, entry_id: str) -> None:
    """Remove a display from its group, which needs two members, and another leader if that was it."""
    if (group := group_of(hass, entry_id)) is None:
        return
    programs = hass.data[PROGRAMS]
    programs[entry_id].note(leader=None)
    members = [member for member in group.members if member != entry_id]
    leader = members[0] if group.leader == entry_id else group.leader
    for member in members:
        programs[member].note(leader=leader if len(members) > 1 else None)


def _distance(hass: HomeAssistant, leader: str, member: str) -> int:
    """Return how many works a display is ahead of another by the last spread."""
    programs = hass.data[PROGRAMS]
    spread = programs[leader].notes.spread
    if not spread or spread != programs[member].notes.spread:
        return 0
    return spread.index(member) - spread.index(leader)


def _has_list(display: DisplayCoordinator | None, hung: Hung | None) -> bool:
    """Return whether a display shows what hangs on the leader."""
    player = display.data.player if display else None
    return player is not None and hung is not None and hung.is_shown_by(player)


# Synchronization


@contextmanager
def paused(hass: HomeAssistant, entry_ids: Iterable[str]) -> Iterator[None]:
    """Pause the groups of displays while an action changes them, and synchronize afterwards."""
    groups = {
        group.leader: group
        for entry_id in entry_ids
        if (group := group_of(hass, entry_id)) is not None
    }
    for group in groups.values():
        group.sync.paused += 1
    try:
        yield
    finally:
        for leader, group in groups.items():
            group.sync.paused -= 1
            # Another display may lead by now.
            if (present := group_of(hass, leader)) is not None:
                present.async_schedule_sync()


async def async_sync(leader: DisplayCoordinator) -> None:
    """Show the playlist of the leader on all members of its group, or raise the members that failed."""
    hass, entry_id = leader.hass, leader.entry_id
    group = group_of(hass, entry_id)
    if group is None or group.leader != entry_id:
        return
    if hass.data[PROGRAMS][entry_id].is_announcing:
        return
    sync = group.sync
    sync.waiting = True
    try:
        await sync.lock.acquire()
    finally:
        sync.waiting = False
    try:
        results = await async_gather_failures(
            _async_sync_member(leader, member) for member in group.members[1:]
        )
    finally:
        sync.lock.release()
    failed = [error for error in results if error is not None]
    if failed:
        raise displays_failed(failed, len(group.members))


async def _async_sync_member(leader: DisplayCoordinator, entry_id: str) -> None:
    """Show the playlist of the leader on one member, unless it shows an announcement, which is its own."""
    hass = leader.hass
    if hass.data[PROGRAMS][entry_id].is_announcing:
        return
    if (display := async_display(hass, entry_id)) is None:
        entry = hass.config_entries.async_get_entry(entry_id)
        name = entry.title if entry else entry_id
        raise action_failed("display_not_there", name=name)
    if (player := leader.data.player) is None or player.hides_works:
        return
    if player.position is None:
        if display.data.player is not None and display.data.player.current:
            await async_restore_snapshot(display, Snapshot(None, False))
        return
    hung = hung_on(player, leader.history)
    if hung is None:
        hung = (await async_take_snapshot(leader)).hung
    if hung is not None:
        await _async_follow(display, leader, hung)


async def _async_follow(
    display: DisplayCoordinator, leader: DisplayCoordinator, hung: Hung
) -> None:
    """Show the playlist of a leader at its place with as few commands as possible, or raise if it is not shown then."""
    if (player := leader.data.player) is None or player.position is None:
        return
    ahead = _distance(display.hass, leader.entry_id, display.entry_id)
    place = (player.position - 1 + ahead) % len(player.items)
    item = player.items[place]
    work = Start(item.id, None if item.id else item.source, place)
    program = display.hass.data[PROGRAMS][display.entry_id]
    async with program.turn(next(REQUEST_NUMBERS)):
        if not _has_list(display, hung):
            hung = replace(hung, start=replace(work, loop=player.loop_mode))
            program.note(daily=None)
            await async_restore_snapshot(display, Snapshot(hung, False))
        elif (current := display.data.player) is not None:
            index = (work.find(current.items) or 0) % len(current.items)
            if current.position != index + 1:
                await display.async_show_item(index)
            if player.loop_mode and current.loop_mode != player.loop_mode:
                async with display.async_command() as commands:
                    await commands.set_loop(player.loop_mode)
    hanging = display.data.player.current if display.data.player else None
    if hanging is None or (hanging.id or hanging.source) != (item.id or item.source):
        raise action_failed("does_not_follow", name=display.name, leader=leader.name)


async def async_on_group(
    coordinator: DisplayCoordinator,
    context: Context | None,
    name: Hashable,
    action: Callable[[DisplayCoordinator], Awaitable[Any]],
) -> Any:
    """Run an action on a display, or once on the leader of its group, let the others follow, and return its result.

    A call that targets several members arrives once for each, with the same context and at the same time; the steps of a
    script have the same context too, but come one after the other.
    """
    entry_id = coordinator.entry_id
    group, leader = group_of(coordinator.hass, entry_id), leader_of(coordinator)
    if group is None or leader.entry_id != group.leader:
        return await action(coordinator)
    what = (context.id if context else object(), name)
    calls = group.sync.calls
    for call in calls:
        if call.what == what and entry_id not in call.members:
            call.members.add(entry_id)
            return await asyncio.shield(call.result)
    call = Call(what, {entry_id}, asyncio.get_running_loop().create_future())
    calls.append(call)
    try:
        with paused(coordinator.hass, [group.leader]):
            result = await action(leader)
            await async_sync(leader)
    except HomeAssistantError as err:
        call.result.set_exception(err)
        # Nobody else may wait for it.
        call.result.exception()
        raise
    else:
        call.result.set_result(result)
        return result
    finally:
        calls.remove(call)
        # Whoever waits for what was canceled is, too.
        call.result.cancel()


@callback
def leader_of(coordinator: DisplayCoordinator) -> DisplayCoordinator:
    """Return the display on which something for a display and its group is carried out."""
    group = group_of(coordinator.hass, coordinator.entry_id)
    leader = group.display if group else None
    return leader if leader and leader.last_update_success else coordinator
