"""The player of a screen: its playlist, the order and the clock, with the rules of the player of an FF1."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import shuffle
import re
from typing import Any, Final

from homeassistant.util import dt as dt_util

from ..client.errors import Dp1Error, RejectedError
from ..client.playlist.manifest import artists_in, credit
from ..client.playlist.schedule import utc_of
from ..client.text import MAX_TITLE, clean
from ..client.values import mapping, number

type Json = dict[str, Any]

# Reported for a work without an end.
ENDLESS: Final = 999_999_999
# The seconds of a work that has fewer, or less than none: those would follow each other without end.
SHORTEST: Final = 1.0
MAX_ITEMS: Final = 1024
PLAYABLE: Final = re.compile(r"https?://.|data:[^,]*,.", re.IGNORECASE | re.DOTALL)
DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# As the device is held.
HELD: Final = ""
ORIENTATIONS: Final = ("landscape", "portrait", "landscapeReverse", "portraitReverse")
SETTINGS: Final = ("scaling", "tombstone", "background", "margin")
STATES: Final = {True: "sleeping", False: "awake"}


@dataclass
class Sleep:
    """The sleep schedule, and an override until its next change."""

    enabled: bool = False
    sleep_time: str = "22:00"
    wake_time: str = "07:30"
    days: list[str] = field(default_factory=lambda: [*DAYS])
    override: bool | None = None
    until: datetime | None = None

    def _changes(self) -> list[tuple[datetime, bool]]:
        """Return when the schedule lets the screen sleep and wake, from a week ago to the next."""
        zone, today = dt_util.get_default_time_zone(), dt_util.now().date()
        times = self.sleep_time, self.wake_time
        sleep, wake = (datetime.strptime(at, "%H:%M").time() for at in times)
        nights = (today + timedelta(days) for days in range(-8, 9))
        return [
            (utc_of(datetime.combine(day, at), zone), asleep)
            for night in nights
            if self.enabled and DAYS[night.weekday()] in self.days
            for day, at, asleep in (
                (night, sleep, True),
                (night + timedelta(wake <= sleep), wake, False),
            )
        ]

    def is_asleep(self) -> bool:
        """Return whether the screen sleeps."""
        now = dt_util.utcnow()
        if self.override is not None and (self.until is None or now < self.until):
            return self.override
        past = [asleep for at, asleep in self._changes() if at <= now]
        return bool(past) and past[-1]

    def next_change(self, other_than: bool | None = None) -> datetime | None:
        """Return when the screen falls asleep or wakes by itself."""
        now, asleep = dt_util.utcnow(), self.is_asleep()
        if other_than is not None:
            asleep = other_than
        elif self.override is not None and (self.until is None or now < self.until):
            return self.until
        ahead = (at for at, kind in self._changes() if at > now and kind != asleep)
        return next(ahead, None)

    def set_override(self, asleep: bool) -> None:
        """Let the screen sleep or wake until the schedule says the opposite; without a schedule, for good."""
        self.override, self.until = asleep, self.next_change(other_than=asleep)

    def set_schedule(
        self,
        enabled: bool,
        sleep_time: str | None,
        wake_time: str | None,
        days: list[str] | None,
    ) -> None:
        """Change the schedule, which ends the override; times and days that are missing stay."""
        times = sleep_time or self.sleep_time, wake_time or self.wake_time
        if times[0] == times[1] or days == []:
            raise RejectedError("setSleepSchedule", "no night")
        self.enabled, self.days = enabled, self.days if days is None else days
        self.sleep_time, self.wake_time = times
        self.override = self.until = None

    def status(self) -> Json:
        """Return the schedule as a display reports it."""
        status: Json = {
            "enabled": self.enabled,
            "sleepTime": self.sleep_time,
            "wakeTime": self.wake_time,
            "currentState": STATES[self.is_asleep()],
        }
        if len(self.days) < len(DAYS):
            status["days"] = self.days
        if self.override is not None and self.next_change() == self.until:
            status["overrideState"] = STATES[self.override]
        return status


@dataclass
class State:
    """The state that outlives a restart.

    Attributes:
        items: the works in playing order.
        began: when the work was shown, in seconds since 1970.
        rotation: an orientation that somebody has chosen, else as the device is held.
    """

    playlist: Json = field(default_factory=dict)
    url: str | None = None
    items: list[Json] = field(default_factory=list)
    index: int = 0
    began: float = 0.0
    loop: str = "playlist"
    shuffle: bool = False
    duration: float | None = None
    rotation: str = HELD
    volume: int = 50
    muted: bool = True
    settings: Json = field(
        default_factory=lambda: {"scaling": "fit", "tombstone": "on"}
    )
    sleep: Sleep = field(default_factory=Sleep)


class Player:
    """The player of one screen.

    Attributes:
        state: what is stored.
        is_upright: whether the device is held upright, as its page tells.
        render_status: how the current work loads, as the page tells.
        error: why the page does not show it.
    """

    def __init__(
        self, state: State, on_change: Callable[[], None], on_save: Callable[[], None]
    ) -> None:
        """Initialize with a stored state.

        Args:
            state: what is stored.
            on_change: called whenever the status is another.
            on_save: called before that, unless the clock alone has changed it: where that leads, it finds again.
        """
        self.state = state
        self.is_upright = False
        self.render_status, self.error = 0, ""
        self._on_change, self._on_save = on_change, on_save
        # How many times a work was loaded.
        self._loads = 0

    # Status

    @property
    def current(self) -> Json | None:
        """Return the current work."""
        return self.state.items[self.state.index] if self.state.items else None

    @property
    def _display(self) -> Mapping[str, Any]:
        """Return how the current work is to be shown, as its playlist says."""
        of_all = mapping(mapping(self.state.playlist.get("defaults")).get("display"))
        return {**of_all, **mapping((self.current or {}).get("display"))}

    @property
    def orientation(self) -> str:
        """Return the orientation of the picture."""
        return self.state.rotation or ORIENTATIONS[self.is_upright]

    @property
    def settings(self) -> Json:
        """Return how the current work is shown: by its playlist, unless the owner wants something else."""
        own = {k: v for k, v in self._display.items() if k in SETTINGS}
        return {**self.state.settings, **own}

    def status(self) -> Json:
        """Return the status of the player, without missing values."""
        state, asleep = self.state, self.state.sleep.is_asleep()
        status: Json = {
            "ok": True,
            "castCommand": "displayPlaylist",
            "playlist": state.playlist or None,
            "playlistUrl": state.url,
            "items": state.items,
            "index": state.index if state.items else None,
            "renderStatus": self.render_status if state.items else None,
            "isPaused": asleep,
            "sleepMode": asleep,
            "loopMode": state.loop,
            "shuffle": state.shuffle,
            "error": self.error or None,
            "deviceSettings": {
                "compositionRevision": 0,
                **self.settings,
                "orientation": self.orientation.removesuffix("Reverse"),
                **({"defaultDuration": state.duration} if state.duration else {}),
            },
        }
        return {key: value for key, value in status.items() if value is not None}

    @property
    def work(self) -> str | None:
        """Return a name of the current work that changes whenever it is shown anew."""
        return f"{self._loads}.{self.state.index}" if self.state.items else None

    def page(self) -> Json:
        """Return the state for the page of the screen."""
        state, item, due = self.state, self.current or {}, self.due
        metadata = mapping(mapping(item.get("inlineManifest")).get("metadata"))
        following = state.items[(state.index + 1) % len(state.items)] if item else {}
        return {
            "work": self.work,
            "source": item.get("source"),
            "next": following.get("source"),
            "due": due and max(0.0, due - dt_util.utcnow().timestamp()),
            "loop": self._display.get("loop") is not False,
            "asleep": state.sleep.is_asleep(),
            "orientation": state.rotation,
            "volume": state.volume / 100,
            "muted": state.muted,
            "settings": self.settings,
            "title": clean(item.get("title"), MAX_TITLE),
            "artist": credit(artists_in(item.get("inlineManifest"))) or "",
            "year": clean(metadata.get("year"), 20),
        }

    # Clock

    @property
    def _is_held(self) -> bool:
        """Return whether the current work is the last."""
        return (
            self.state.loop == "none" and self.state.index == len(self.state.items) - 1
        )

    @property
    def due(self) -> float | None:
        """Return when the next work is shown, in seconds since 1970, None if the current one stays."""
        if (item := self.current) is None or self._is_held:
            return None
        seconds = self._seconds(item)
        return self.state.began + seconds if seconds < ENDLESS else None

    def _seconds(self, item: Json) -> float:
        """Return the seconds for a work."""
        seconds = number(item.get("duration")) or ENDLESS
        if seconds >= ENDLESS:
            seconds = self.state.duration or ENDLESS
        return min(max(seconds, SHORTEST), ENDLESS)

    @property
    def next_event(self) -> float | None:
        """Return when something changes by itself, in seconds since 1970."""
        change = self.state.sleep.next_change()
        times = (self.due, change.timestamp() if change else None)
        return min((at for at in times if at is not None), default=None)

    def tick(self) -> None:
        """Show the work that is due, also after a time in which nothing was shown."""
        state, now = self.state, dt_util.utcnow().timestamp()
        if state.loop != "none" and self.due is not None:
            items = [self.current or {}] if state.loop == "one" else state.items
            # Whole rounds that were missed change nothing.
            rounds = sum(map(self._seconds, items))
            state.began += (now - state.began) // rounds * rounds
        while (due := self.due) is not None and due <= now:
            self._show(state.index + (state.loop != "one"), due)
        self._on_change()

    def handle_end(self) -> None:
        """Show the next work after a film that is not to be repeated."""
        if self._display.get("loop") is False and not self._is_held:
            self._show(self.state.index + (self.state.loop != "one"))
            self.changed()

    def step(self) -> None:
        """Show the next work of several: the current one cannot be shown, or somebody does not want it."""
        if len(self.state.items) > 1:
            self._show(self.state.index + 1)
            self.changed()

    def changed(self) -> None:
        """Tell of a change that is to be kept."""
        self._on_save()
        self._on_change()

    def _show(self, index: int, began: float | None = None) -> None:
        """Show a work from now on, or since some time."""
        state = self.state
        state.index = index % (len(state.items) or 1)
        state.began = dt_util.utcnow().timestamp() if began is None else began
        self.render_status, self.error = 0, ""
        self._loads += 1

    # Commands

    def cast(
        self, document: Json, url: str | None = None, *, is_refresh: bool = False
    ) -> None:
        """Show a playlist, or replace the works around the current one."""
        if document.get("dynamicQuery") or document.get("dynamicQueries"):
            raise Dp1Error("a server lists its works", key="lists_no_works")
        items, before = document.get("items"), self.current
        if (
            not isinstance(items, list)
            or not items
            or not all(isinstance(item, dict) and _is_playable(item) for item in items)
        ):
            raise RejectedError("displayPlaylist", "no works, or one without address")
        items = [{"duration": ENDLESS, **item} for item in items[:MAX_ITEMS]]
        kept = [n for n, item in enumerate(items) if before and _same(item, before)]
        if is_refresh and items == self.state.playlist.get("items"):
            # The order may be another, by now.
            return
        if is_refresh and kept:
            state = self.state
            state.playlist, state.url = {**document, "items": items}, url
            state.items, state.index = [*items], kept[0]
        else:
            self._load(document, url, items)
        self.changed()

    def clear(self) -> None:
        """Show nothing."""
        self._load({}, None, [])
        self.changed()

    def _load(self, document: Json, url: str | None, items: list[Json]) -> None:
        """Load a playlist, from its beginning and in its order."""
        state = self.state
        state.playlist = {**document, "items": items} if items else {}
        state.url, state.items = url, [*items]
        state.loop, state.shuffle = "playlist", False
        self._show(0)

    def show(self, index: int) -> None:
        """Show a work by its place in the playing order, from 0; the current one anew."""
        self._show(index)
        self.changed()

    def set_shuffle(self, enabled: bool) -> None:
        """Play in random order after the current work, or in the order of the playlist."""
        state = self.state
        if (item := self.current) is None:
            raise RejectedError("setShuffle", "no works")
        items = [*state.playlist["items"]]
        state.index = next(n for n, other in enumerate(items) if other == item)
        if enabled:
            del items[state.index]
            shuffle(items)
            items.insert(0, item)
            state.index = 0
        state.items, state.shuffle = items, enabled
        self.changed()

    def set_duration(self, seconds: float | None) -> None:
        """Set the seconds for works without an end of their own, from now on."""
        self.state.duration = seconds
        self.state.began = dt_util.utcnow().timestamp()
        self.changed()

    def rotate(self, step: int) -> str:
        """Turn the picture by steps of 90°; where the device is held like that, it goes on as that is held."""
        index = ORIENTATIONS.index(self.orientation) + step
        orientation = ORIENTATIONS[index % len(ORIENTATIONS)]
        is_held = orientation == ORIENTATIONS[self.is_upright]
        self.state.rotation = HELD if is_held else orientation
        self.changed()
        return orientation


def _is_playable(item: Json) -> bool:
    """Return whether a browser can load a work."""
    return PLAYABLE.match(str(item.get("source") or "")) is not None


def _same(item: Json, other: Json) -> bool:
    """Return whether two items are the same work."""
    key = "id" if item.get("id") else "source"
    return item.get(key) == other.get(key)
