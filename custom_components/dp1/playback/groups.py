"""Groups of displays: the members show the work of the leader, or the works that follow it."""

import asyncio
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
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
from ..displays import async_display, async_displays, is_enabled_display
from ..errors import action_failed, async_gather_failures, displays_failed
from ..storage import SafeStore
from .cast import async_hang_again, async_take_snapshot, hung_on
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


# Seconds until a member that did not follow is told again.
PAUSES: Final = (1.0, 5.0, 20.0, 60.0)
GROUPS: Final[HassKey[Groups]] = HassKey(f"{DOMAIN}_groups")


@callback
def follow_leader(display: DisplayCoordinator, change: Change) -> None:
    """Let the others follow a leader that changed, and a member that is back catch up."""
    before, after = change.before, change.after
    if before is None:
        return
    has_come = change.has_come
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


class Group:
    """A group of displays, by their config entries.

    Attributes:
        members: all displays of the group, first the one that the others follow.
        paused: how many actions under way will synchronize the group when they are done.
        waiting: whether a synchronization is queued.
        lock: held during synchronization.
        calls: the calls under way.
    """

    def __init__(self, hass: HomeAssistant, members: Sequence[str]) -> None:
        """Initialize the group."""
        self.hass = hass
        self.members = [*members]
        self.paused = 0
        self.waiting = False
        self.lock = asyncio.Lock()
        self.calls: list[Call] = []
        # How many synchronizations were scheduled.
        self._number = 0

    @property
    def leader(self) -> str:
        """The display that the others follow."""
        return self.members[0]

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
        if leader is None or self.waiting or self.paused:
            return

        async def sync() -> None:
            """Synchronize the group, and again after a while with a member that did not follow."""
            self._number = number = self._number + 1
            for pause in (*PAUSES, None):
                try:
                    await async_sync(leader)
                except HomeAssistantError as err:
                    LOGGER.debug("%s: %s", leader.name, err)
                else:
                    return
                if pause is not None:
                    await asyncio.sleep(pause)
                if self._number != number:
                    return

        leader.create_task(sync(), "group sync")


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored of groups: their displays, and how many works each is ahead of others that a playlist is spread over."""

    groups: list[list[str]]
    spreads: list[dict[str, int]]


class Groups:
    """The groups of a home.

    Attributes:
        spreads: by each playlist that is spread over displays, which may be in no group, how many works each is ahead.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without groups."""
        self._hass = hass
        self._store = SafeStore(hass, "groups", Stored)
        self._by_member: dict[str, Group] = {}
        self.spreads: list[dict[str, int]] = []

    async def async_load(self) -> None:
        """Load the groups."""
        if (stored := await self._store.async_load_parsed()) is None:
            return
        self.spreads = stored.spreads
        for members in stored.groups:
            group = Group(self._hass, members)
            self._by_member |= dict.fromkeys(members, group)

    async def async_save(self) -> None:
        """Save the groups, and update the states of all displays."""
        groups = [group.members for group in dict.fromkeys(self._by_member.values())]
        await self._store.async_save(Stored(groups, self.spreads))
        for coordinator in async_displays(self._hass):
            coordinator.async_update_listeners()

    def of(self, entry_id: str) -> Group | None:
        """Return the group of a display."""
        return self._by_member.get(entry_id)

    def add(self, leader: str, entry_id: str) -> None:
        """Add a display to the group of a leader."""
        if (group := self.of(leader)) is None:
            group = self._by_member[leader] = Group(self._hass, [leader])
        group.members.append(entry_id)
        self._by_member[entry_id] = group

    def leave(self, entry_id: str) -> None:
        """Remove a display from its group, which needs two members, and has another leader if that was it."""
        if (group := self._by_member.pop(entry_id, None)) is None:
            return
        group.members.remove(entry_id)
        if len(group.members) < 2:
            del self._by_member[group.leader]

    def forget_spread(self, *entry_ids: str) -> None:
        """Forget that a playlist is spread over displays and others."""
        self.spreads = [
            rest
            for spread in self.spreads
            if len(rest := {it: spread[it] for it in spread if it not in entry_ids}) > 1
        ]

    def offset(self, leader: str, entry_id: str) -> int:
        """Return how many works a display is ahead of the leader of its group."""
        for spread in self.spreads:
            if leader in spread and entry_id in spread:
                return spread[entry_id] - spread[leader]
        return 0


@callback
def group_of(hass: HomeAssistant, entry_id: str) -> Group | None:
    """Return the group of a display."""
    return hass.data[GROUPS].of(entry_id)


# Membership


async def async_join(leader: DisplayCoordinator, entry_ids: Iterable[str]) -> None:
    """Add displays to the group of a leader; those that its playlist is spread over keep their distance."""
    groups = leader.hass.data[GROUPS]
    group = groups.of(leader.entry_id)
    if group is not None and group.leader != leader.entry_id:
        groups.leave(leader.entry_id)
    for member in entry_ids:
        group = groups.of(member)
        if member == leader.entry_id or (group and group.leader == leader.entry_id):
            continue
        groups.leave(member)
        groups.add(leader.entry_id, member)
    await groups.async_save()
    await async_sync(leader)


async def async_unjoin(hass: HomeAssistant, entry_id: str) -> None:
    """Remove a display from its group."""
    hass.data[GROUPS].leave(entry_id)
    await hass.data[GROUPS].async_save()


async def async_forget(hass: HomeAssistant, entry_id: str) -> None:
    """Forget a display that is removed."""
    hass.data[GROUPS].forget_spread(entry_id)
    await async_unjoin(hass, entry_id)


@asynccontextmanager
async def spread_over(
    hass: HomeAssistant, entry_ids: Sequence[str], is_spread: bool
) -> AsyncIterator[set[str]]:
    """Note that displays are given the same playlist, over which it may be spread; those that the caller adds refuse it, and keep what they had."""
    groups = hass.data[GROUPS]
    if not entry_ids:
        yield set()
        return
    before, refused = groups.spreads, {*entry_ids}

    async def note(taken: Sequence[str]) -> None:
        """Note which of them have it."""
        groups.spreads = before
        groups.forget_spread(*taken)
        if is_spread and len(taken) > 1:
            groups.spreads.append({it: entry_ids.index(it) for it in taken})
        await groups.async_save()

    await note(entry_ids)
    try:
        yield refused
    finally:
        if refused:
            await note([it for it in entry_ids if it not in refused])


# Synchronization


@contextmanager
def paused(hass: HomeAssistant, entry_ids: Iterable[str]) -> Iterator[None]:
    """Pause the groups of displays while an action changes them, and synchronize afterwards."""
    found = (group_of(hass, entry_id) for entry_id in entry_ids)
    groups = {group: group.leader for group in found if group is not None}
    for group in groups:
        group.paused += 1
    try:
        yield
    finally:
        for group, leader in groups.items():
            group.paused -= 1
            # It may be in another group by now.
            if (present := group_of(hass, leader)) is not None:
                present.async_schedule_sync()


async def async_sync(leader: DisplayCoordinator) -> None:
    """Show the playlist of the leader on all members of its group, or raise the members that failed."""
    hass, entry_id = leader.hass, leader.entry_id
    group = group_of(hass, entry_id)
    if group is None or group.leader != entry_id:
        return
    if leader.wall.is_announcing:
        return
    group.waiting = True
    try:
        await group.lock.acquire()
    finally:
        group.waiting = False
    try:
        results = await async_gather_failures(
            _async_sync_member(leader, member) for member in group.members[1:]
        )
    finally:
        group.lock.release()
    failed = [error for error in results if error is not None]
    if failed:
        raise displays_failed(failed, len(group.members))


async def _async_sync_member(leader: DisplayCoordinator, entry_id: str) -> None:
    """Show the playlist of the leader on one member, unless it shows an announcement, which is its own."""
    hass = leader.hass
    if (display := async_display(hass, entry_id)) is None:
        entry = hass.config_entries.async_get_entry(entry_id)
        name = entry.title if entry else entry_id
        raise action_failed("display_not_there", name=name)
    if display.wall.is_announcing:
        return
    if (player := leader.data.player) is None or player.hides_works:
        return
    if player.position is None:
        if display.data.player is not None and display.data.player.current:
            await async_hang_again(display, None)
        return
    hung = hung_on(player, leader.history)
    if hung is None:
        hung = await async_take_snapshot(leader)
    if hung is not None:
        await _async_follow(display, leader, hung)


async def _async_follow(
    display: DisplayCoordinator, leader: DisplayCoordinator, hung: Hung
) -> None:
    """Show the playlist of a leader at its place with as few commands as possible, or raise if it is not shown then."""
    if (player := leader.data.player) is None or player.position is None:
        return
    groups = leader.hass.data[GROUPS]
    async with display.wall.turn(next(REQUEST_NUMBERS)):
        ahead = groups.offset(leader.entry_id, display.entry_id)
        shown = display.data.player
        has_list = shown is not None and hung.is_shown_by(shown)
        if ahead and shown is not None and shown.current and not has_list:
            # The leader has another list than the one that was spread, or this display has.
            ahead = 0
            groups.forget_spread(display.entry_id)
            await groups.async_save()
        place = (player.position - 1 + ahead) % len(player.items)
        item = player.items[place]
        work = Start(item.id, None if item.id else item.source, place)
        if not has_list:
            start = replace(work, shuffle=player.shuffle, loop=player.loop_mode)
            hung = replace(hung, start=start)
            display.wall.note(daily=None)
            await async_hang_again(display, hung)
        elif (current := display.data.player) is not None:
            index = (work.find(current.items) or 0) % len(current.items)
            if current.position != index + 1:
                await display.async_show_item(index)
            if player.loop_mode and current.loop_mode != player.loop_mode:
                async with display.async_command() as commands:
                    await commands.set_loop(player.loop_mode)
            if player.shuffle is not None and current.shuffle is (not player.shuffle):
                async with display.async_command() as commands:
                    await commands.set_shuffle(player.shuffle)
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
    calls = group.calls
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
