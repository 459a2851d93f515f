"""Groups of displays: the members show what the leader shows, or the works that follow it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import voluptuous as vol

from homeassistant.components.media_player import DOMAIN as MEDIA_PLAYER_DOMAIN
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er

from ..const import DOMAIN, LOGGER
from ..coordinator import DisplayCoordinator, async_displays
from ..data import DATA
from ..errors import action_failed, displays_failed
from ..storage import SafeStore
from .follow import async_follow
from .snapshot import cast_of_display, is_showing


def _has_leader(group: dict[str, Any]) -> dict[str, Any]:
    """Validate that the leader of a stored group is one of its members."""
    if group["leader"] not in group["members"]:
        raise vol.Invalid("leader is no member")
    return group


STORED_SCHEMA = vol.Schema(
    {
        vol.Optional("groups", default=list): [
            vol.All({"leader": str, "members": {str: int}}, _has_leader)
        ],
        vol.Optional("spread", default=dict): {str: vol.ExactSequence([str, int])},
    }
)


@dataclass(slots=True)
class Group:
    """A group of displays, named by their config entries.

    Attributes:
        leader: the display that the others follow.
        members: how many works each member is ahead of the leader; includes the leader.
        last_call: context id of the last action that was carried out for the whole group.
        waiting: whether a synchronization is queued.
        paused: how many actions under way will synchronize the group when they are done.
        lock: held during synchronization.
    """

    leader: str
    members: dict[str, int]
    last_call: str | None = None
    waiting: bool = False
    paused: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class SyncState(NamedTuple):
    """The part of a display's state that a group has in common."""

    available: bool
    playlist_url: str | None = None
    items: tuple[str | None, ...] = ()
    position: int | None = None
    loop: str | None = None

    @classmethod
    def of(cls, coordinator: DisplayCoordinator) -> SyncState:
        """Return the state of a display."""
        available = coordinator.last_update_success
        if (player := coordinator.data.player) is None:
            return cls(available)
        return cls(
            available,
            player.playlist_url,
            player.item_ids,
            player.position,
            player.loop_mode,
        )


class Groups:
    """All groups of displays."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Initialize without groups."""
        self._hass = hass
        self._store = SafeStore(hass, "groups", STORED_SCHEMA)
        self._groups: list[Group] = []
        # By config entry: the last list that was spread over several displays, and the display's place in it.
        self._spread: dict[str, tuple[str, int]] = {}

    async def async_load(self) -> None:
        """Load the groups from storage."""
        if (stored := await self._store.async_load_parsed()) is None:
            return
        self._groups = [
            Group(group["leader"], group["members"]) for group in stored["groups"]
        ]
        self._spread = {
            entry_id: (spread, place)
            for entry_id, (spread, place) in stored["spread"].items()
        }

    def group(self, entry_id: str) -> Group | None:
        """Return the group of a display."""
        return next((g for g in self._groups if entry_id in g.members), None)

    def entity_ids(self, coordinator: DisplayCoordinator) -> list[str] | None:
        """Return the entities of a display's group, the leader first."""
        group = self.group(coordinator.config_entry.entry_id)
        if group is None:
            return None
        registry = er.async_get(self._hass)
        entity_ids = []
        for entry_id in sorted(
            group.members, key=lambda member: member != group.leader
        ):
            if entry := self._hass.config_entries.async_get_entry(entry_id):
                unique_id = entry.unique_id or entry_id
                entity_ids.append(
                    registry.async_get_entity_id(MEDIA_PLAYER_DOMAIN, DOMAIN, unique_id)
                )
        return [entity_id for entity_id in entity_ids if entity_id]

    # Membership

    async def async_join(
        self, leader: DisplayCoordinator, members: Iterable[str]
    ) -> None:
        """Add displays to the group of a leader; those that a playlist is spread over keep their distance."""
        entry_id = leader.config_entry.entry_id
        group = self.group(entry_id)
        if group is None or group.leader != entry_id:
            self._leave(entry_id)
            group = Group(entry_id, {entry_id: 0})
            self._groups.append(group)
        for member in members:
            if member not in group.members:
                self._leave(member)
                group.members[member] = self._current_offset(leader, member)
        await self._async_save()
        await self.async_sync(leader)

    async def async_unjoin(self, entry_id: str) -> None:
        """Remove a display from its group."""
        self._leave(entry_id)
        await self._async_save()

    async def async_forget(self, entry_id: str) -> None:
        """Remove everything known of a display."""
        self._spread.pop(entry_id, None)
        await self.async_unjoin(entry_id)

    def _leave(self, entry_id: str) -> None:
        """Remove a display from its group, which needs two members, and another leader if that was it."""
        if (group := self.group(entry_id)) is None:
            return
        del group.members[entry_id]
        if len(group.members) < 2:
            self._groups.remove(group)
        elif group.leader == entry_id:
            group.leader = next(iter(group.members))
            first = group.members[group.leader]
            group.members = {
                member: offset - first for member, offset in group.members.items()
            }

    async def async_spread(self, entry_ids: Sequence[str], spread: bool) -> None:
        """Remember that displays were given a playlist, each starting one work later if it was spread."""
        for place, entry_id in enumerate(entry_ids):
            self._spread.pop(entry_id, None)
            if spread:
                self._spread[entry_id] = (",".join(entry_ids), place)
        for group in self._groups:
            group.members = {
                entry_id: self._offset(group.leader, entry_id)
                for entry_id in group.members
            }
        await self._async_save()

    def _offset(self, leader: str, member: str) -> int:
        """Return how many works a display is ahead of another by the last spread."""
        spread, first = self._spread.get(leader, ("", 0))
        other, place = self._spread.get(member, (None, 0))
        return place - first if other == spread else 0

    def _current_offset(self, leader: DisplayCoordinator, member: str) -> int:
        """Return the offset of a display, 0 if it shows another playlist than the leader."""
        display = self._display(member)
        player = leader.data.player
        member_player = display.data.player if display else None
        if player is None or member_player is None:
            return 0
        cast = cast_of_display(player, leader.history)
        if cast is None or not is_showing(cast, member_player):
            return 0
        return self._offset(leader.config_entry.entry_id, member)

    async def _async_save(self) -> None:
        """Save the groups and update the state of all displays."""
        groups = [
            {"leader": group.leader, "members": group.members} for group in self._groups
        ]
        await self._store.async_save({"groups": groups, "spread": self._spread})
        for coordinator in async_displays(self._hass):
            coordinator.async_update_listeners()

    # Synchronization

    @callback
    def async_track(self, coordinator: DisplayCoordinator) -> CALLBACK_TYPE:
        """Synchronize a group when its display changes; what it shows now is no change."""
        entry_id = coordinator.config_entry.entry_id
        previous: SyncState | None = SyncState.of(coordinator)

        @callback
        def handle_update() -> None:
            """Handle an update of the display, also when it joins a group."""
            nonlocal previous
            if (group := self.group(entry_id)) is None:
                previous = None
                return
            before, previous = previous, SyncState.of(coordinator)
            if before is not None and previous != before:
                self._handle_change(group, coordinator, before)

        return coordinator.async_add_listener(handle_update)

    @callback
    def _handle_change(
        self, group: Group, coordinator: DisplayCoordinator, before: SyncState
    ) -> None:
        """Follow a leader that changed, and update a member that is back."""
        entry = coordinator.config_entry
        is_leader = group.leader == entry.entry_id
        if not coordinator.last_update_success:
            if is_leader:
                LOGGER.info(
                    "%s leads a group, which stays as it is meanwhile", entry.title
                )
            return
        leader = self._display(group.leader)
        if leader is None or group.waiting or group.paused:
            return
        if is_leader or not before.available:
            self._schedule_sync(leader)

    @callback
    def _schedule_sync(self, leader: DisplayCoordinator) -> None:
        """Synchronize a group in the background."""

        async def sync() -> None:
            """Synchronize the group; nobody waits for the outcome."""
            try:
                await self.async_sync(leader)
            except HomeAssistantError as err:
                LOGGER.debug("%s: %s", leader.name, err)

        leader.config_entry.async_create_background_task(
            self._hass, sync(), f"{leader.name} group sync"
        )

    @contextmanager
    def paused(self, entry_ids: Iterable[str]) -> Iterator[None]:
        """Pause the groups of displays while an action changes them, and synchronize afterwards."""
        groups = {
            id(group): group
            for entry_id in entry_ids
            if (group := self.group(entry_id)) is not None
        }.values()
        for group in groups:
            group.paused += 1
        try:
            yield
        finally:
            for group in groups:
                group.paused -= 1
                if (leader := self._display(group.leader)) is not None:
                    self._schedule_sync(leader)

    async def async_sync(self, leader: DisplayCoordinator) -> None:
        """Let the members of a group show what their leader shows, or raise which of them did not."""
        entry_id = leader.config_entry.entry_id
        group = self.group(entry_id)
        if group is None or group.leader != entry_id or self._is_announcing(entry_id):
            return
        group.waiting = True
        try:
            await group.lock.acquire()
        finally:
            group.waiting = False
        try:
            results = await asyncio.gather(
                *(
                    self._async_sync_member(leader, member, offset)
                    for member, offset in group.members.items()
                    if member != entry_id
                ),
                return_exceptions=True,
            )
        finally:
            group.lock.release()
        failed = []
        for result in results:
            if isinstance(result, HomeAssistantError):
                failed.append(result)
            elif isinstance(result, BaseException):
                raise result
        if failed:
            raise displays_failed(failed, len(group.members))

    def _is_announcing(self, entry_id: str) -> bool:
        """Return whether a display shows an announcement, which is its own."""
        return self._hass.data[DATA].announcements.is_active(entry_id)

    def _display(self, entry_id: str) -> DisplayCoordinator | None:
        """Return a display that is set up."""
        return next(
            (
                display
                for display in async_displays(self._hass)
                if display.config_entry.entry_id == entry_id
            ),
            None,
        )

    async def _async_sync_member(
        self, leader: DisplayCoordinator, entry_id: str, offset: int
    ) -> None:
        """Let one member show what the leader shows."""
        if self._is_announcing(entry_id):
            return
        if (display := self._display(entry_id)) is None:
            entry = self._hass.config_entries.async_get_entry(entry_id)
            raise action_failed(
                "display_not_there", name=entry.title if entry else entry_id
            )
        await async_follow(display, leader, offset)

    async def async_run(
        self,
        coordinator: DisplayCoordinator,
        context_id: str | None,
        action: Callable[[DisplayCoordinator], Awaitable[object]],
    ) -> None:
        """Run an action on a display, or once on the leader of its group, and let the others follow.

        An action that targets all members arrives once for each, with the same context id.
        """
        group = self.group(coordinator.config_entry.entry_id)
        leader = self._display(group.leader) if group else None
        if group is None or leader is None or not leader.last_update_success:
            await action(coordinator)
            return
        if context_id is not None:
            if group.last_call == context_id:
                return
            group.last_call = context_id
        with self.paused([group.leader]):
            await action(leader)
            await self.async_sync(leader)
