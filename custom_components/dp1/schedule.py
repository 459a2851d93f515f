"""The times at which a display sleeps and wakes."""

from datetime import time

from .coordinator import DisplayCoordinator, Outcome
from .errors import invalid_input


def parse_time(text: str | None) -> time | None:
    """Read a time of the schedule, which the display keeps as it was given."""
    hours, _, minutes = (text or "").partition(":")
    try:
        return time(int(hours), int(minutes))
    except ValueError:
        return None


async def async_set_times(
    coordinator: DisplayCoordinator,
    *,
    sleep_time: time | None = None,
    wake_time: time | None = None,
) -> None:
    """Set one of the times, and leave everything else as it is.

    A display that is told its times also forgets that somebody put it to sleep or woke it.
    """
    async with coordinator.async_command(Outcome.DEVICE) as display:
        record = (await display.device_status()).sleep_schedule
        if record is None:
            raise invalid_input("no_schedule", name=coordinator.name)
        if (sleep_time or parse_time(record.sleep_time)) == (
            wake_time or parse_time(record.wake_time)
        ):
            raise invalid_input("same_times")
        changed = await display.set_sleep_schedule(
            record.enabled,
            sleep_time=sleep_time.strftime("%H:%M") if sleep_time else None,
            wake_time=wake_time.strftime("%H:%M") if wake_time else None,
        )
        if record.override_state and changed.asleep is not record.asleep:
            await (display.sleep() if record.asleep else display.wake())
