"""The Daily on displays: by its URL where the display changes works by itself, else each day's work by Home Assistant.

Firmware that does not know `displayAt` would play the whole archive. It is told by what the display reports.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, Self, override

from mashumaro import field_options

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util

from ..client.display.player_status import PlayerStatus
from ..client.errors import Dp1Error
from ..client.playlist.document import unsigned
from ..client.playlist.playlist import Playlist
from ..client.values import mapping, text
from ..coordinator import DisplayCoordinator
from ..errors import action_failed, translated
from ..library.entries import async_libraries
from ..library.providers.daily import Daily
from .cast import async_cast, is_showing
from .duties import DUTIES, NOT_STORED, Duty
from .resolve import Options, async_apply


@dataclass(kw_only=True)
class IgnoresTimes(Duty):
    """The firmware of a display that ignores when works are due.

    Attributes:
        firmware: its version.
    """

    kind: Literal["ignores_times"] = "ignores_times"
    firmware: str | None


@dataclass(kw_only=True)
class ShownDaily(Duty):
    """The Daily on a display that ignores when works are due, or of which that is not known yet.

    Attributes:
        url: the Daily.
        playlist: what was cast: the URL, or the work of a day alone.
        display: the ``display`` of each item.
        item_duration: seconds.
        checked: whether the display has reported what it makes of the URL.
    """

    ends_with_cast = True

    kind: Literal["daily"] = "daily"
    url: str
    playlist: Playlist = field(metadata=field_options(alias="cast"))
    display: Mapping[str, Any] = field(default_factory=dict)
    item_duration: float | None = None
    checked: bool = field(default=False, compare=False, metadata=NOT_STORED)

    @override
    def due(self, hass: HomeAssistant) -> datetime | None:
        """Return when the next work is to be shown, None if the display sees to that."""
        if (daily := _daily_at(hass, self.url)) is None:
            return None
        if daily.url != self.url:
            return dt_util.utcnow()
        return daily.due().next_at if self.playlist.url is None else None

    @override
    async def async_end(self, coordinator: DisplayCoordinator) -> Self | None:
        """Give the display the work that is due, unless it shows something else by now."""
        daily = _daily_at(coordinator.hass, self.url)
        duties = coordinator.hass.data[DUTIES]
        is_announcing = duties.is_announcing(coordinator.entry_id)
        if daily is None or not coordinator.last_update_success or is_announcing:
            raise HomeAssistantError("the work of the day cannot be shown now")
        if not await self._async_is_shown(coordinator):
            return None
        moved = replace(self, url=daily.url)
        if self.playlist.url is not None and moved.url != self.url:
            playlist = Playlist(moved.url)
        elif daily.due().timed:
            options = Options(
                item_duration=self.item_duration, display=self.display, asked=None
            )
            playlist = await _async_due(coordinator.hass, daily, options)
        else:
            return moved
        if playlist != self.playlist:
            await async_cast(coordinator, playlist, Options(wake=False, asked=None))
        return replace(moved, playlist=playlist)

    async def _async_is_shown(self, coordinator: DisplayCoordinator) -> bool:
        """Ask whether the display still shows what it was given."""
        if coordinator.cast_only:
            return coordinator.data.assumed == self.playlist
        player = await coordinator.async_read_player()
        if player is None or player.hides_works:
            raise HomeAssistantError("the player does not run now")
        key = text(self.playlist.document.get("id"))
        return is_showing(self.playlist, player) and (
            key is None or player.playlist_id in (None, key)
        )

    @callback
    @override
    def handle_update(self, coordinator: DisplayCoordinator) -> None:
        """Handle that the display has reported its works only now."""
        if not coordinator.requests.in_steps and self.check(coordinator):
            coordinator.create_task(self._async_take_over(coordinator), "daily")

    async def _async_take_over(self, coordinator: DisplayCoordinator) -> None:
        """Show the work of today alone from now on."""
        duties = coordinator.hass.data[DUTIES]
        await duties.async_put(coordinator, _ignores_times(coordinator))
        duties.async_act(coordinator, ShownDaily)

    @callback
    def check(self, coordinator: DisplayCoordinator) -> bool:
        """Return whether the display has just been found to play works of several moments."""
        player = coordinator.data.player
        if self.checked or self.playlist.url is None or player is None:
            return False
        daily = _daily_at(coordinator.hass, self.url)
        if daily is None or player.playlist_url != self.url or not player.items:
            return False
        self.checked = True
        return _plays_all(player, daily)


@callback
def daily_of(hass: HomeAssistant, playlist: Playlist) -> Daily | None:
    """Return the Daily of a library, if a playlist is its URL."""
    daily = _daily_at(hass, playlist.url) if playlist.url else None
    return daily if daily and daily.url == playlist.url else None


async def async_of_today(
    hass: HomeAssistant, playlist: Playlist, options: Options
) -> Playlist:
    """Return a playlist; of the Daily, nothing but the work of today."""
    if (daily := daily_of(hass, playlist)) is None:
        return playlist
    await _async_check_due(daily)
    return await _async_due(hass, daily, options)


async def async_show_daily(
    coordinator: DisplayCoordinator, daily: Daily, playlist: Playlist, options: Options
) -> dict[str, Any]:
    """Show the Daily: by its URL, and alone if the display turns out not to know when works are due."""
    duties = coordinator.hass.data[DUTIES]
    await _async_check_due(daily)
    ignores = _ignores_times(coordinator)

    async def show(playlist: Playlist) -> dict[str, Any]:
        """Show the Daily or its work, which lasts unless a later cast overtook it."""
        response = await duties.async_show(coordinator, playlist, options)
        if not response.get("superseded"):
            shown = ShownDaily(
                url=daily.url,
                playlist=playlist,
                display=options.display,
                item_duration=options.item_duration,
            )
            await duties.async_put(coordinator, shown)
        return response

    # What the display makes of the URL is not shown for long.
    with coordinator.requests.steps():
        is_known = duties.get(coordinator.entry_id, IgnoresTimes) == ignores
        if not (is_known or coordinator.cast_only or options.rewrites):
            response = await show(playlist)
            shown = duties.get(coordinator.entry_id, ShownDaily)
            if shown is None or shown.playlist is not playlist:
                return response
            if not shown.check(coordinator):
                return response
            await duties.async_put(coordinator, ignores)
        return await show(await _async_due(coordinator.hass, daily, options))


async def _async_check_due(daily: Daily) -> None:
    """Raise if there is no work for today."""
    try:
        await daily.async_document()
    except Dp1Error as err:
        raise translated(err, "playlist", daily.address) from err
    found = daily.due()
    if found.timed and not found.has_run_out(dt_util.utcnow()):
        return
    for moment, key in (
        (found.next_at, "daily_not_yet"),
        (found.since, "daily_ran_out"),
    ):
        if moment is not None:
            since = dt_util.as_local(moment).date().isoformat()
            raise action_failed(key, since=since)
    raise action_failed("daily_without_days", name=daily.address)


def _daily_at(hass: HomeAssistant, url: str) -> Daily | None:
    """Return the Daily of a library by its URL, or the one it had until it ran out."""
    dailies = (library.daily for library in async_libraries(hass))
    return next((daily for daily in dailies if url in (daily.url, daily.former)), None)


def _ignores_times(coordinator: DisplayCoordinator) -> IgnoresTimes:
    """Return that the installed firmware of a display ignores when works are due."""
    device = coordinator.data.device
    return IgnoresTimes(firmware=device.installed_version if device else None)


async def _async_due(hass: HomeAssistant, daily: Daily, options: Options) -> Playlist:
    """Return a playlist of what is due, without times and signatures."""
    items = [
        {key: value for key, value in item.items() if key != "displayAt"}
        for item in daily.due().items
    ]
    document = unsigned(daily.document or {}) | {"items": items}
    document.pop("schedule", None)
    options = replace(options, limit=None, texts={}, start_at=None)
    return await async_apply(hass, Playlist(document=document), options)


def _plays_all(player: PlayerStatus, daily: Daily) -> bool:
    """Return whether a display reports works of several moments."""
    items = map(mapping, (daily.document or {}).get("items") or ())
    moments = {text(item.get("id")): text(item.get("displayAt")) for item in items}
    shown = {moments.get(item.id) for item in player.items if item.id} - {None}
    return len(shown) > 1 if shown else len(player.items) > len(daily.due().items)
