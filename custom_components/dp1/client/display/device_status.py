"""Status of a display as a device.

The fields are those of published Feral File firmware 0.9 to 2.0.7. ``parse`` accepts any JSON value, never raises, treats a
missing value and one of the wrong type alike, and ignores unknown fields. Every text is bounded and without control
characters.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Self
from urllib.parse import parse_qs

from ..text import clean, one_line, plain
from ..values import (
    MAX_TEXT,
    Message,
    flag,
    json_field,
    mapping,
    moment,
    number,
    objects,
    percent,
    texts,
    word,
    yes,
)

MAX_NAME = 64
MAX_REASON = 200
WEEK = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
DAYS = frozenset(WEEK)


def _days(value: object) -> frozenset[str] | None:
    """Return the days of a week in a list."""
    if not isinstance(value, list):
        return None
    return frozenset([day for day in WEEK if day in value])


@dataclass(frozen=True, slots=True)
class SleepSchedule(Message):
    """Sleep schedule (firmware 1.0.15).

    Attributes:
        enabled: the schedule is on.
        sleep_time: "HH:MM" in the display's own local time.
        wake_time: "HH:MM" in the display's own local time.
        days: "sun" to "sat", on which it goes to sleep; None if the display tells none, which is every day.
        asleep: effective state, schedule and override together.
        override_state: "awake" or "sleeping" while an override lasts.
    """

    enabled: bool = json_field(yes, "enabled", default=False)
    sleep_time: str | None = json_field(word, "sleepTime")
    wake_time: str | None = json_field(word, "wakeTime")
    days: frozenset[str] | None = json_field(_days, "days")
    asleep: bool | None = json_field(
        lambda state: {"sleeping": True, "awake": False}.get(word(state) or ""),
        "currentState",
    )
    override_state: str | None = json_field(word, "overrideState")


@dataclass(frozen=True, slots=True)
class NetworkStatus(Message):
    """Network connection (firmware 2.0.0).

    Attributes:
        link: "wifi", "ethernet", "none" or "unknown".
        internet: the display reaches the internet.
    """

    link: str | None = json_field(word, "link")
    internet: bool | None = json_field(flag, "internet")


def _page(value: object) -> str | None:
    """Return the address of a page; its end, which may be a long reason, may be missing."""
    return (one_line(value, MAX_TEXT) or None) if isinstance(value, str) else None


def _part[T: Message](part: type[T]) -> Callable[[object], T | None]:
    """Return a function that parses a part that not every display sends."""
    return lambda value: part.parse(value) if isinstance(value, dict) else None


@dataclass(frozen=True)
class DeviceStatus(Message):
    """Status of the device behind the player.

    Attributes:
        screen_rotation: "landscape", "portrait", "landscapeReverse" or "portraitReverse".
        connected_wifi: SSID; None on Ethernet.
        installed_version: installed firmware.
        latest_version: latest firmware; None without internet.
        analytics_disabled: no reports to the vendor.
        beta_features_enabled: beta features are on.
        mac_info: MAC address by network interface.
        volume: percent, up to one less than what was set.
        muted: the sound is off.
        display_url: page in the browser of the display, such as ``…/playlist``, ``…/sleep`` or ``…/error?error=…``.
        sleep_schedule: None below firmware 1.0.15.
        contract: "2" since firmware 2.0.0.
        device_name: the owner's name of it; None if not set or not offered.
        network: None below firmware 2.0.0.
        last_outage: start of the last network outage (firmware 2.0.3).
        signature_mode: "silent", "notify" or "strict"; None if not offered.
    """

    screen_rotation: str | None = json_field(word, "screenRotation")
    connected_wifi: str | None = json_field(plain(MAX_NAME), "connectedWifi")
    installed_version: str | None = json_field(word, "installedVersion")
    latest_version: str | None = json_field(word, "latestVersion")
    analytics_disabled: bool = json_field(yes, "analyticsDisabled", default=False)
    beta_features_enabled: bool = json_field(yes, "betaFeaturesEnabled", default=False)
    mac_info: Mapping[str, str] = json_field(texts, "macInfo", default_factory=dict)
    volume: int | None = json_field(percent, "volume")
    muted: bool | None = json_field(flag, "isMuted")
    display_url: str | None = json_field(_page, "displayURL")
    sleep_schedule: SleepSchedule | None = json_field(
        _part(SleepSchedule), "sleepSchedule"
    )
    contract: str | None = json_field(word, "contract")
    device_name: str | None = json_field(plain(MAX_NAME), "deviceName")
    network: NetworkStatus | None = json_field(_part(NetworkStatus), "network")
    last_outage: datetime | None = json_field(moment, "lastOutage", "start")
    signature_mode: str | None = json_field(word, "signatureVerificationMode")

    @cached_property
    def error_page(self) -> str | None:
        """Return the reason on the error page; None for any other page."""
        path, _, query = (self.display_url or "").partition("?")
        if not path.rstrip("/").endswith("/error"):
            return None
        reason = parse_qs(query).get("error", [""])[0]
        return clean(reason, MAX_REASON) or "error"


@dataclass(frozen=True, slots=True)
class PanelStatus(Message):
    """Status of the panel over DDC/CI; every value may be missing.

    Attributes:
        brightness: percent.
        contrast: percent.
        volume: percent, of the panel's speakers.
        power: "on", "standby" or "off".
    """

    brightness: int | None = json_field(percent, "brightness")
    contrast: int | None = json_field(percent, "contrast")
    volume: int | None = json_field(percent, "volume")
    power: str | None = json_field(word, "power")


@dataclass(frozen=True, slots=True)
class Identity(Message):
    """Identity of a display (firmware 2.0.0), without ``topic_id``, the key to its cloud control.

    Attributes:
        device_id: upper case; empty if there is none.
        version: installed firmware.
        contract: "2" or newer.
    """

    device_id: str = json_field(
        lambda key: (word(key) or "").upper(), "device_id", default=""
    )
    version: str | None = json_field(word, "version")
    contract: str | None = json_field(word, "contract")


@dataclass(frozen=True, slots=True)
class ContentPolicy(Message):
    """Content policy of the owner (firmware 2.0.7).

    Attributes:
        show_mature_content: works rated mature are shown.
        strict_personal: the policy also holds for the owner's own works.
        active: the policy is in force.
    """

    show_mature_content: bool | None = json_field(
        flag, "contentPolicy", "showMatureContent"
    )
    strict_personal: bool | None = json_field(flag, "contentPolicy", "strictPersonal")
    active: bool = json_field(yes, "active", default=False)


@dataclass(frozen=True, slots=True)
class OfflineCache:
    """Works that a display keeps so that it needs no internet for them (firmware 2.0.0, if its owner has switched it on).

    Attributes:
        ready: number of works that are kept.
    """

    ready: int

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse the ``items`` of the replies to ``getOfflineCacheStatus``."""
        return cls(sum(item.get("state") == "ready" for item in objects(data)))


def _usage(capacity: str) -> Callable[[object], float | None]:
    """Return a function that parses how much of a capacity is used, in percent."""

    def usage(value: object) -> float | None:
        """Return usage in percent."""
        sizes = mapping(value)
        used, size = number(sizes.get("used_capacity")), number(sizes.get(capacity))
        return number(100 * used / size) if used is not None and size else None

    return usage


def _temperature(value: object) -> float | None:
    """Return a temperature in °C; a machine without a sensor sends 0 (behavior seen)."""
    return number(value) or None


@dataclass(frozen=True, slots=True)
class Metrics(Message):
    """A sample of the system monitor, taken about every 2 s.

    Attributes:
        cpu_temperature: °C.
        gpu_temperature: °C.
        memory_usage: percent.
        disk_usage: percent.
        uptime: seconds.
        timestamp: when the sample was taken.
    """

    cpu_temperature: float | None = json_field(
        _temperature, "cpu", "current_temperature"
    )
    gpu_temperature: float | None = json_field(
        _temperature, "gpu", "current_temperature"
    )
    memory_usage: float | None = json_field(_usage("max_capacity"), "memory")
    disk_usage: float | None = json_field(_usage("total_capacity"), "disk")
    uptime: float | None = json_field(number, "uptime")
    timestamp: datetime | None = json_field(moment, "timestamp")
