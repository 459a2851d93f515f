"""Status of a display as a device.

The fields are those of published Feral File firmware 0.9 to 2.0.7. ``parse`` accepts any JSON value, never raises, treats a
missing value and one of the wrong type alike, and ignores unknown fields. Every text is bounded and without control
characters.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from ..text import clean, one_line
from ..values import MAX_TEXT, flag, mapping, moment, percent, text, texts

MAX_NAME = 64
MAX_WORD = 64
WEEK = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
DAYS = frozenset(WEEK)


@dataclass(frozen=True, slots=True)
class SleepSchedule:
    """Sleep schedule (firmware 1.0.15).

    Attributes:
        enabled: the schedule is on.
        sleep_time: "HH:MM" in the display's own local time.
        wake_time: "HH:MM" in the display's own local time.
        days: "sun" to "sat", on which it goes to sleep; None if the display tells none, which is every day.
        asleep: effective state, schedule and override together.
        override_state: "awake" or "sleeping" while an override lasts.
    """

    enabled: bool
    sleep_time: str | None
    wake_time: str | None
    days: frozenset[str] | None
    asleep: bool | None
    override_state: str | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse ``sleepSchedule``."""
        given = mapping(data)
        return cls(
            enabled=given.get("enabled") is True,
            sleep_time=text(given.get("sleepTime"), MAX_WORD),
            wake_time=text(given.get("wakeTime"), MAX_WORD),
            days=frozenset(day for day in WEEK if day in days)
            if isinstance(days := given.get("days"), list)
            else None,
            asleep={"sleeping": True, "awake": False}.get(
                text(given.get("currentState"), MAX_WORD) or ""
            ),
            override_state=text(given.get("overrideState"), MAX_WORD),
        )


@dataclass(frozen=True, slots=True)
class NetworkStatus:
    """Network connection (firmware 2.0.0).

    Attributes:
        link: "wifi", "ethernet", "none" or "unknown".
        internet: the display reaches the internet.
    """

    link: str | None
    internet: bool | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse ``network``."""
        given = mapping(data)
        return cls(
            link=text(given.get("link"), MAX_WORD),
            internet=flag(given.get("internet")),
        )


@dataclass(frozen=True, slots=True)
class DeviceStatus:
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
        device_name: name given by the owner; None if not set or not offered.
        network: None below firmware 2.0.0.
        last_outage: start of the last network outage (firmware 2.0.3).
        signature_mode: "silent", "notify" or "strict"; None if not offered.
    """

    screen_rotation: str | None
    connected_wifi: str | None
    installed_version: str | None
    latest_version: str | None
    analytics_disabled: bool
    beta_features_enabled: bool
    mac_info: Mapping[str, str]
    volume: int | None
    muted: bool | None
    display_url: str | None
    sleep_schedule: SleepSchedule | None
    contract: str | None
    device_name: str | None
    network: NetworkStatus | None
    last_outage: datetime | None
    signature_mode: str | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse the reply to ``getDeviceStatus`` or a ``device_status`` notification."""
        given = mapping(data)
        return cls(
            screen_rotation=text(given.get("screenRotation"), MAX_WORD),
            connected_wifi=clean(given.get("connectedWifi"), MAX_NAME) or None,
            installed_version=text(given.get("installedVersion"), MAX_WORD),
            latest_version=text(given.get("latestVersion"), MAX_WORD),
            analytics_disabled=given.get("analyticsDisabled") is True,
            beta_features_enabled=given.get("betaFeaturesEnabled") is True,
            mac_info=texts(given.get("macInfo")),
            volume=percent(given.get("volume")),
            muted=flag(given.get("isMuted")),
            display_url=_page(given.get("displayURL")),
            sleep_schedule=_part(SleepSchedule, given.get("sleepSchedule")),
            contract=text(given.get("contract"), MAX_WORD),
            device_name=clean(given.get("deviceName"), MAX_NAME) or None,
            network=_part(NetworkStatus, given.get("network")),
            last_outage=moment(mapping(given.get("lastOutage")).get("start")),
            signature_mode=text(given.get("signatureVerificationMode"), MAX_WORD),
        )


def _page(value: object) -> str | None:
    """Return the address of a page; its end, which may be a long reason, may be missing."""
    return (one_line(value, MAX_TEXT) or None) if isinstance(value, str) else None


def _part[T: (SleepSchedule, NetworkStatus)](part: type[T], value: object) -> T | None:
    """Parse a part that not every display sends."""
    return part.parse(value) if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class PanelStatus:
    """Status of the panel over DDC/CI; every value may be missing.

    Attributes:
        brightness: percent.
        contrast: percent.
        volume: percent, of the panel's speakers.
        power: "on", "standby" or "off".
        errors: reason by value that could not be read; "panel" stands for all.
    """

    brightness: int | None
    contrast: int | None
    volume: int | None
    power: str | None
    errors: Mapping[str, str]

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse the reply to ``ddcPanelStatus`` or a ``ddc_status`` notification."""
        given = mapping(data)
        return cls(
            brightness=percent(given.get("brightness")),
            contrast=percent(given.get("contrast")),
            volume=percent(given.get("volume")),
            power=text(given.get("power"), MAX_WORD),
            errors=texts(given.get("errors")),
        )


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a display (firmware 2.0.0), without ``topic_id``, the key to its cloud control.

    Attributes:
        device_id: upper case; empty if not given.
        version: installed firmware.
        contract: "2" or newer.
    """

    device_id: str
    version: str | None
    contract: str | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse the body of ``/api/v2/status``."""
        given = mapping(data)
        return cls(
            device_id=(text(given.get("device_id"), MAX_WORD) or "").upper(),
            version=text(given.get("version"), MAX_WORD),
            contract=text(given.get("contract"), MAX_WORD),
        )


@dataclass(frozen=True, slots=True)
class ContentPolicy:
    """Content policy of the owner (firmware 2.0.7).

    Attributes:
        show_mature_content: works rated mature are shown.
        strict_personal: the policy also holds for the owner's own works.
        active: the policy is in force.
    """

    show_mature_content: bool | None
    strict_personal: bool | None
    active: bool

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse the reply to ``getContentPolicy`` or ``setContentPolicy``."""
        given = mapping(data)
        policy = mapping(given.get("contentPolicy"))
        return cls(
            show_mature_content=flag(policy.get("showMatureContent")),
            strict_personal=flag(policy.get("strictPersonal")),
            active=given.get("active") is True,
        )


@dataclass(frozen=True, slots=True)
class OfflineCache:
    """Works that a display keeps so that it needs no internet for them (firmware 2.0.0, if its owner has switched it on).

    Attributes:
        ready: number of works that are kept.
        waiting: number of works that are still downloaded.
    """

    ready: int
    waiting: int

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse the ``items`` of the replies to ``getOfflineCacheStatus``."""
        items = data if isinstance(data, list) else []
        states = Counter(text(mapping(item).get("state"), MAX_WORD) for item in items)
        return cls(states["ready"], states["queued"] + states["downloading"])
