"""Displays that stay in step: what one shows, the others show too, or the works that follow it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from homeassistant.components.media_player import DOMAIN as MEDIA_PLAYER_DOMAIN
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.storage import Store
from homeassistant.util.hass_dict import HassKey

from ..client.display.casts import Cast, Start
from ..client.display.player_status import PlayerStatus
from ..const import DOMAIN, LOGGER
from ..coordinator import DisplayCoordinator, async_displays
from ..errors import displays_failed
from .announce import ANNOUNCEMENTS
from .snapshot import (
    Snapshot,
    async_restore_snapshot,
    async_take_snapshot,
    cast_of_display,
    is_showing,
)

STORAGE_VERSION = 1

GROUPS: HassKey[Groups] = HassKey(f"{DOMAIN}_groups")


@dataclass(slots=True)
class Group:
    """Displays that stay in step, by config entry.

    Attributes:
        leader: which one the others follow.
        members: how many works each is ahead of the leader, the leader included.
        last_call: the last action that was taken for the whole group.
        waiting: whether somebody is about to bring it in step.
        held: how many actions are under way that will.
        lock: held while it is brought in step.
    """

    leader: str
    members: dict[str, int]
    last_call: str | None = None
    waiting: bool = False
    held: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Step(NamedTuple):
    """What displays in step have in common.

    Attributes:
        here: whether there is contact.
        playlist_url: URL of the list.
        items: ids of the works in the order they are played.
        position: place of the work that hangs.
        loop: what comes after the last work.
    """

    here: bool
    playlist_url: str | None
    items: tuple[str | None, ...]
    position: int | None
    loop: str | None


class Groups:
    """The groups of a house."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Start with none."""
        self._hass = hass
        self._store: Store[dict[str, Any]] = Store(
            hass, STORAGE_VERSION, f"{DOMAIN}.groups"
        )
        self._groups: list[Group] = []
        self._spread: dict[str, tuple[str, int]] = {}

    async def async_load(self) -> None:
        """Read which there were."""
        kept = await self._store.async_load() or {}
        self._groups = [
            Group(each["leader"], each["members"]) for each in kept.get("groups", ())
        ]
        self._spread = {
            entry_id: (spread, offset)
            for entry_id, (spread, offset) in kept.get("spread", {}).items()
        }

    def group(self, entry_id: str) -> Group | None:
        """Find the group that a display is in."""
        return next((g for g in self._groups if entry_id in g.members), None)

    def entity_ids(self, coordinator: DisplayCoordinator) -> list[str] | None:
        """List the entities of a display's group, the leader first."""
        group = self.group(coordinator.config_entry.entry_id)
        if group is None:
            return None
        order = sorted(group.members, key=lambda entry_id: entry_id != group.leader)
        return [each for entry_id in order if (each := self._entity_id(entry_id))]

    def _entity_id(self, entry_id: str) -> str | None:
        """Find the entity of a display."""
        if (entry := self._hass.config_entries.async_get_entry(entry_id)) is None:
            return None
        return er.async_get(self._hass).async_get_entity_id(
            MEDIA_PLAYER_DOMAIN, DOMAIN, entry.unique_id or entry_id
        )

    # Who belongs together

    async def async_join(
        self, leader: DisplayCoordinator, members: Iterable[str]
    ) -> None:
        """Let displays follow one. Those that show a list spread over them keep their distance."""
        entry_id = leader.config_entry.entry_id
        group = self.group(entry_id)
        if group is None or group.leader != entry_id:
            self._leave(entry_id)
            group = Group(entry_id, {entry_id: 0})
            self._groups.append(group)
        for member in members:
            if member not in group.members:
                self._leave(member)
                group.members[member] = self._distance_now(leader, member)
        await self._async_changed()
        await self.async_sync(leader)

    async def async_unjoin(self, entry_id: str) -> None:
        """Let a display go its own way; if it led, the next one does."""
        self._leave(entry_id)
        await self._async_changed()

    async def async_forget(self, entry_id: str) -> None:
        """Forget a display that is removed."""
        self._spread.pop(entry_id, None)
        await self.async_unjoin(entry_id)

    def _leave(self, entry_id: str) -> None:
        """Take a display out of its group, which ends when nobody is left to keep in step with."""
        if (group := self.group(entry_id)) is None:
            return
        del group.members[entry_id]
        if len(group.members) < 2:
            self._groups.remove(group)
        elif group.leader == entry_id:
            group.leader = next(iter(group.members))
            first = group.members[group.leader]
            group.members = {each: n - first for each, n in group.members.items()}

    async def async_spread(self, entry_ids: Sequence[str], spread: bool) -> None:
        """Note that several displays were given a list: each one work further than the last, or all the same."""
        for place, entry_id in enumerate(entry_ids):
            self._spread.pop(entry_id, None)
            if spread:
                self._spread[entry_id] = (",".join(entry_ids), place)
        for group in self._groups:
            group.members = {
                entry_id: self._distance(group.leader, entry_id)
                for entry_id in group.members
            }
        await self._async_changed()

    def _distance(self, leader: str, member: str) -> int:
        """Tell how many works a display is ahead of another."""
        spread, first = self._spread.get(leader, ("", 0))
        also, place = self._spread.get(member, (None, 0))
        return place - first if also == spread else 0

    def _distance_now(self, leader: DisplayCoordinator, member: str) -> int:
        """Tell the same of displays that may show something else by now."""
        display = self._display(member)
        player = leader.data.player
        theirs = display.data.player if display else None
        if player is None or theirs is None:
            return 0
        cast = cast_of_display(player, leader.history)
        if cast is None or not is_showing(cast, theirs):
            return 0
        return self._distance(leader.config_entry.entry_id, member)

    async def _async_changed(self) -> None:
        """Keep it, and let everybody see it."""
        await self._store.async_save(
            {
                "groups": [
                    {"leader": group.leader, "members": group.members}
                    for group in self._groups
                ],
                "spread": self._spread,
            }
        )
        for coordinator in async_displays(self._hass):
            coordinator.async_update_listeners()

    # In step

    @callback
    def async_follow(self, coordinator: DisplayCoordinator) -> CALLBACK_TYPE:
        """Watch a display; returns what ends that. Nothing is sent because of what hangs at the beginning."""
        seen = [_step(coordinator)]

        @callback
        def watch() -> None:
            """Bring its group in step if something has changed."""
            before, seen[0] = seen[0], _step(coordinator)
            group = self.group(coordinator.config_entry.entry_id)
            if group is not None and seen[0] != before:
                self._on_change(group, coordinator, before)

        return coordinator.async_add_listener(watch)

    @callback
    def _on_change(
        self, group: Group, coordinator: DisplayCoordinator, before: Step
    ) -> None:
        """Follow a leader that moves, and fetch a display that comes back."""
        entry = coordinator.config_entry
        leads = group.leader == entry.entry_id
        if not coordinator.last_update_success:
            if leads:
                LOGGER.info(
                    "%s leads a group, which stays as it is meanwhile", entry.title
                )
            return
        leader = self._display(group.leader)
        if leader is None or group.waiting or group.held:
            return
        if leads or not before.here:
            self._catch_up(leader)

    async def _async_catch_up(self, leader: DisplayCoordinator) -> None:
        """Bring a group in step after a change that nobody waits for."""
        try:
            await self.async_sync(leader)
        except HomeAssistantError as err:
            LOGGER.debug("%s: %s", leader.name, err)

    @contextmanager
    def hold(self, entry_ids: Iterable[str]) -> Iterator[None]:
        """Let the groups of displays be while an action changes several of them; bring them in step afterwards."""
        found = {id(g): g for each in entry_ids if (g := self.group(each))}
        for group in found.values():
            group.held += 1
        try:
            yield
        finally:
            for group in found.values():
                group.held -= 1
                if (leader := self._display(group.leader)) is not None:
                    self._catch_up(leader)

    @callback
    def _catch_up(self, leader: DisplayCoordinator) -> None:
        """Bring a group in step, with nobody waiting for it."""
        leader.config_entry.async_create_background_task(
            self._hass, self._async_catch_up(leader), f"{leader.name} in step"
        )

    @callback
    def async_leader(
        self, coordinator: DisplayCoordinator, call: str | None
    ) -> DisplayCoordinator | None:
        """Find the display that acts for a whole group.

        Args:
            coordinator: follows the display that was meant.
            call: tells one action from another; None if that is not known.

        Returns:
            None if the same action was carried out for this group already.
        """
        group = self.group(coordinator.config_entry.entry_id)
        leader = self._display(group.leader) if group else None
        if group is None or leader is None or not leader.last_update_success:
            return coordinator
        if call is not None and group.last_call == call:
            return None
        group.last_call = call
        return leader

    async def async_sync(self, leader: DisplayCoordinator) -> None:
        """Let the displays of a group show what their leader shows; told is which ones did not.

        Raises:
            HomeAssistantError: some display did not follow.
        """
        entry_id = leader.config_entry.entry_id
        group = self.group(entry_id)
        if group is None or group.leader != entry_id or self._is_busy(entry_id):
            return
        group.waiting = True
        async with group.lock:
            group.waiting = False
            others = [each for each in group.members if each != entry_id]
            results = await asyncio.gather(
                *(
                    self._async_follow_on(leader, each, group.members[each])
                    for each in others
                ),
                return_exceptions=True,
            )
        failed = [each for each in results if isinstance(each, HomeAssistantError)]
        for result in results:
            if isinstance(result, BaseException) and result not in failed:
                raise result
        if failed:
            raise displays_failed(failed, len(group.members))

    def _is_busy(self, entry_id: str) -> bool:
        """Tell whether a display shows something for a moment only."""
        return self._hass.data[ANNOUNCEMENTS].running(entry_id)

    def _display(self, entry_id: str) -> DisplayCoordinator | None:
        """Find a display that is set up."""
        return next(
            (
                each
                for each in async_displays(self._hass)
                if each.config_entry.entry_id == entry_id
            ),
            None,
        )

    async def _async_follow_on(
        self, leader: DisplayCoordinator, entry_id: str, ahead: int
    ) -> None:
        """Let one display follow."""
        if self._is_busy(entry_id):
            return
        if (display := self._display(entry_id)) is None:
            entry = self._hass.config_entries.async_get_entry(entry_id)
            raise HomeAssistantError(
                translation_domain=DOMAIN,
                translation_key="display_not_there",
                translation_placeholders={"name": entry.title if entry else entry_id},
            )
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
            index = (player.position - 1 + ahead) % len(player.items)
            await _async_show(display, cast, player, index)


async def async_for_group(
    coordinator: DisplayCoordinator,
    call: str | None,
    act: Callable[[DisplayCoordinator], Awaitable[object]],
) -> None:
    """Do something with a display, or with the group that it is in.

    Args:
        coordinator: follows the display that was meant.
        call: tells one action from another, as one that is aimed at a whole group arrives once for each display.
        act: does it, with the display that the others follow.
    """
    groups = coordinator.hass.data[GROUPS]
    if (leader := groups.async_leader(coordinator, call)) is None:
        return
    if groups.group(leader.config_entry.entry_id) is None:
        await act(leader)
        return
    with groups.hold([leader.config_entry.entry_id]):
        await act(leader)
        await groups.async_sync(leader)


async def _async_show(
    display: DisplayCoordinator, cast: Cast, player: PlayerStatus, index: int
) -> None:
    """Show a work of what another display shows, with as little change as that takes."""
    item = player.items[index]
    work = Start(item.id, None if item.id else item.source, index)
    theirs = display.data.player
    if theirs is None or not theirs.items or not is_showing(cast, theirs):
        start = replace(work, loop=player.loop_mode)
        await async_restore_snapshot(display, Snapshot(cast, start, False))
        return
    place = (work.find(theirs.items) or 0) % len(theirs.items)
    if theirs.position != place + 1:
        async with display.async_command() as commands:
            await commands.show_item(place)
    if player.loop_mode and theirs.loop_mode != player.loop_mode:
        async with display.async_command() as commands:
            await commands.set_loop(player.loop_mode)


def _step(coordinator: DisplayCoordinator) -> Step:
    """Tell what the others have to follow."""
    player = coordinator.data.player
    here = coordinator.last_update_success
    if player is None:
        return Step(here, None, (), None, None)
    return Step(
        here, player.playlist_url, player.item_ids, player.position, player.loop_mode
    )
