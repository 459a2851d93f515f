"""Show something on a display, permanently or for a limited time."""

from datetime import timedelta
from typing import Any

from ..client.display.casts import Cast
from ..coordinator import DisplayCoordinator
from ..data import DATA
from .daily import daily_of
from .resolve import Options


async def async_show(
    coordinator: DisplayCoordinator,
    cast: Cast,
    options: Options,
    duration: timedelta | None = None,
) -> dict[str, Any]:
    """Show something, permanently or for a limited time."""
    announcements = coordinator.hass.data[DATA].announcements
    dailies = coordinator.hass.data[DATA].dailies
    daily = daily_of(coordinator.hass, cast)
    if duration is not None:
        if daily is not None:
            cast = await dailies.async_work_of_today(coordinator, daily, options)
        return await announcements.async_announce(coordinator, cast, options, duration)
    if daily is not None:
        return await dailies.async_show(coordinator, daily, cast, options)
    return await announcements.async_show(coordinator, cast, options)
