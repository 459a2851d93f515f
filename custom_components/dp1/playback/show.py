"""The only entrance: a request is resolved once, and shown on displays or their groups."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError

from ..addresses import ADDRESSES
from ..client.playlist.playlist import Playlist
from ..coordinator import DisplayCoordinator
from ..displays import Target, async_displays
from ..errors import async_gather_failures
from ..library.index import place_of, place_of_item
from ..library.node import NodeKind
from .compose import async_playlist_of
from .daily import async_of_today, async_show_daily
from .groups import async_on_group, leader_of, paused, spread_over
from .queue import async_enqueue
from .request import (
    Address,
    Art,
    ForTime,
    Inline,
    Listed,
    Medium,
    Named,
    Queued,
    Request,
    Several,
)
from .resolve import daily_of, is_in_history
from .wall import async_announce, async_take

# The response of ``dp1.cast_playlist`` by entity, or why a display does not show it.
type Answer = Mapping[str, dict[str, Any] | HomeAssistantError]


async def async_show(
    hass: HomeAssistant, request: Request, targets: Sequence[Target]
) -> Answer:
    """Show something on displays, or once on each of their groups, and return the answer of each; raise if it cannot be shown anywhere."""
    there = [display for target in targets if (display := target.loaded())]
    leaders = [leader_of(display) for display in there]
    with ExitStack() as stack:
        for display in dict.fromkeys((*there, *leaders)):
            stack.enter_context(display.requests.pending_cast(request.number))
        showing = _Showing(hass, request, targets)
        if len(targets) > 1:
            await showing.async_playlist()
            stack.enter_context(paused(hass, showing.entry_ids))
        is_shared = len(targets) > 1 and request.term is None
        shared = showing.entry_ids if is_shared else []
        async with spread_over(hass, shared, request.spread) as refused:
            results = await async_gather_failures(map(showing.async_on, targets))
            refused -= {
                target.entry.entry_id
                for target, result in zip(targets, results, strict=True)
                if target.entry and not isinstance(result, HomeAssistantError)
            }
    entity_ids = [target.entity_id for target in targets]
    return dict(zip(entity_ids, results, strict=True))


async def async_show_on(
    coordinator: DisplayCoordinator, request: Request
) -> dict[str, Any]:
    """Show something on one display or its group, and return its answer or raise why it does not."""
    entity_id = coordinator.entity_id or coordinator.name
    target = Target(coordinator.hass, entity_id, coordinator.config_entry)
    answers = await async_show(coordinator.hass, request, [target])
    if isinstance(answer := answers[entity_id], HomeAssistantError):
        raise answer
    return answer


async def async_do[*A](
    coordinator: DisplayCoordinator,
    context: Context | None,
    act: Callable[[DisplayCoordinator, *A], Awaitable[None]],
    *values: *A,
) -> None:
    """Change what hangs on a display, or once what hangs on its group: a step, another order, nothing at all."""

    async def act_on(display: DisplayCoordinator) -> None:
        """Change what hangs on one display."""
        await act(display, *values)

    await async_on_group(coordinator, context, (act, values), act_on)


async def async_go[*A](
    coordinator: DisplayCoordinator,
    context: Context | None,
    act: Callable[[DisplayCoordinator, *A], Awaitable[None]],
    *values: *A,
) -> None:
    """Show another work of what hangs on a display or its group; what one of them shows for a time is its own."""
    if any(it.wall.is_announcing for it in (coordinator, leader_of(coordinator))):
        await act(coordinator, *values)
    else:
        await async_do(coordinator, context, act, *values)


async def async_for_caller(hass: HomeAssistant, request: Request) -> Request:
    """Return a request with its caller, who may name addresses at home."""
    named = _named(hass, request.art)
    caller = await hass.data[ADDRESSES].async_caller(request.context, named)
    return replace(request, caller=caller)


def _named(hass: HomeAssistant, art: Art) -> object:
    """Return what a call names by itself: a history also has what others cast."""
    match art:
        case Address(named) | Listed(named) | Inline(named) | Named(_, named):
            return named
        case Medium(media_id):
            return None if is_in_history(hass, media_id) else media_id
        case Several(media):
            # An address is written out, and nothing that is picked.
            return [
                it.media_id if "://" in it.media_id[:8] else _named(hass, it)
                for it in media
            ]
    return None


@callback
def async_cancel(coordinator: DisplayCoordinator) -> None:
    """Give up what is being prepared for a display or its group, wherever that is to be shown."""
    numbers = {*coordinator.requests.pending, *leader_of(coordinator).requests.pending}
    for display in async_displays(coordinator.hass):
        display.requests.cancel(numbers)


class _Showing:
    """A request that is being shown."""

    def __init__(
        self, hass: HomeAssistant, request: Request, targets: Sequence[Target]
    ) -> None:
        """Initialize without a playlist."""
        self._hass = hass
        self._request = request
        self._targets = targets
        self._playlist: Playlist | None = None
        self._lock = asyncio.Lock()
        self.entry_ids = [target.entry.entry_id for target in targets if target.entry]

    async def async_playlist(self) -> Playlist:
        """Return the playlist, which is resolved once."""
        async with self._lock:
            if self._playlist is None:
                self._request = await async_for_caller(self._hass, self._request)
                playlist = await async_playlist_of(self._hass, self._request)
                if playlist.node_id == NodeKind.SURPRISE:
                    playlist = self._surprising(playlist)
                self._playlist = playlist
        return self._playlist

    def _surprising(self, playlist: Playlist) -> Playlist:
        """Return a surprise with the works last that hang on the displays already."""
        displays = (target.loaded() for target in self._targets)
        players = [display.data.player for display in displays if display]
        hanging = {
            place_of(player.current.source)
            for player in players
            if player and player.current
        }
        items = sorted(playlist.items, key=lambda it: place_of_item(it) in hanging)
        return replace(playlist, document={**playlist.document, "items": items})

    async def async_on(self, target: Target) -> dict[str, Any]:
        """Show it on a display, or on its group unless it is for this display alone."""
        coordinator, request = await target.async_coordinator(), self._request
        if request.spread or isinstance(request.term, ForTime):
            return await self._async_here(coordinator)
        call = request.call or request.number
        answer: dict[str, Any] | None = await async_on_group(
            coordinator, request.context, ("show", call), self._async_here
        )
        return answer or {}

    async def _async_here(self, coordinator: DisplayCoordinator) -> dict[str, Any]:
        """Show it on a display for its time, and return the answer."""
        with coordinator.requests.pending_cast(self._request.number):
            playlist = await self.async_playlist()
            return await _async_on_display(
                coordinator, playlist, self._request_of(coordinator)
            )

    def _request_of(self, coordinator: DisplayCoordinator) -> Request:
        """Return the request of one of the displays; of those that it is spread over, each starts one work later."""
        request = self._request
        if not request.spread:
            return request
        ahead = self.entry_ids.index(coordinator.entry_id)
        begin = replace(request.begin, start_at=(request.begin.start_at or 1) + ahead)
        return replace(request, begin=begin)


async def _async_on_display(
    coordinator: DisplayCoordinator, playlist: Playlist, request: Request
) -> dict[str, Any]:
    """Show a playlist as long as its term says."""
    hass = coordinator.hass
    match request.term:
        case ForTime() as term:
            alone = await async_of_today(hass, playlist, request)
            return await async_announce(coordinator, alone, request, term.of(playlist))
        case Queued(how):
            await async_enqueue(coordinator, playlist, request, how)
            return {"warning": playlist.warning} if playlist.warning else {}
    if daily := daily_of(hass, playlist):
        return await async_show_daily(coordinator, daily, playlist, request)
    return await async_take(coordinator, playlist, request)
