"""What a display says of itself.

The shapes are those that published Feral File firmware 0.9 to 2.0.7 sends. Every ``parse`` takes any JSON value,
never raises, treats a missing value and one of the wrong type alike, and ignores what it does not know.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from ..values import flag, mapping, moment, moment_ms, percent, text, texts, whole


@dataclass(frozen=True, slots=True)
class SleepSchedule:
    """When a display sleeps (firmware 1.0.15 or newer).

    Attributes:
        enabled: the schedule is on.
        sleep_time: "HH:MM" in the display's own local time.
        wake_time: "HH:MM" in the display's own local time.
        days: "sun" to "sat"; None is every day.
        asleep: what it is now, schedule and override together.
        override_state: "awake" or "sleeping" while an override lasts.
        override_until: end of the override; None while overridden means until changed.
        next_transition_at: when it changes next.
    """

    enabled: bool
    sleep_time: str | None
    wake_time: str | None
    days: tuple[str, ...] | None
    asleep: bool | None
    override_state: str | None
    override_until: datetime | None
    next_transition_at: datetime | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the object ``sleepSchedule``."""
        given = mapping(data)
        days = given.get("days")
        return cls(
            enabled=given.get("enabled") is True,
            sleep_time=text(given.get("sleepTime")),
            wake_time=text(given.get("wakeTime")),
            days=tuple(day for day in days if isinstance(day, str))
            if isinstance(days, list)
            else None,
            asleep={"sleeping": True, "awake": False}.get(
                text(given.get("currentState")) or ""
            ),
            override_state=text(given.get("overrideState")),
            override_until=moment(given.get("overrideUntil")),
            next_transition_at=moment(given.get("nextTransitionAt")),
        )


@dataclass(frozen=True, slots=True)
class NetworkStatus:
    """How a display is connected (firmware 2.0.0 or newer).

    Attributes:
        state: "online" or the step of the set-up it is in.
        ssid: name of the wireless network.
        link: "wifi", "ethernet", "none" or "unknown".
        internet: the internet can be reached.
        reason: why not.
    """

    state: str | None
    ssid: str | None
    link: str | None
    internet: bool | None
    reason: str | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the object ``network``."""
        given = mapping(data)
        return cls(
            state=text(given.get("state")),
            ssid=text(given.get("ssid")),
            link=text(given.get("link")),
            internet=flag(given.get("internet")),
            reason=text(given.get("reason")),
        )


@dataclass(frozen=True, slots=True)
class Outage:
    """The last time the network was away (firmware 2.0.3 or newer).

    Attributes:
        start: when it began.
        end: when it was over.
        kind: "wan-down", "dns-broken" and others.
        count_24h: how many there were in the last 24 hours.
    """

    start: datetime | None
    end: datetime | None
    kind: str | None
    count_24h: int | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the object ``lastOutage``."""
        given = mapping(data)
        return cls(
            start=moment(given.get("start")),
            end=moment(given.get("end")),
            kind=text(given.get("class")),
            count_24h=whole(given.get("count24h")),
        )


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """The device behind the player.

    Attributes:
        screen_rotation: "landscape", "portrait", "landscapeReverse" or "portraitReverse".
        connected_wifi: name of the wireless network; None on Ethernet.
        installed_version: of the firmware.
        latest_version: that the vendor offers; None without internet.
        analytics_disabled: nothing is reported to the vendor.
        beta_features_enabled: early features are on.
        mac_info: hardware address by network interface.
        volume: percent, up to one lower than what was set.
        muted: the sound is off.
        display_url: page that the browser on the device shows.
        sleep_schedule: None below firmware 1.0.15.
        contract: "2" from firmware 2.0.0.
        device_name: that the owner gave; None where that is not offered or not set.
        network: None below firmware 2.0.0.
        last_outage: None until there was one.
        signature_mode: "silent", "notify" or "strict"; None where not offered.
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
    last_outage: Outage | None
    signature_mode: str | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the reply to ``getDeviceStatus``, or the message of a push of type ``device_status``."""
        given = mapping(data)
        return cls(
            screen_rotation=text(given.get("screenRotation")),
            connected_wifi=text(given.get("connectedWifi")),
            installed_version=text(given.get("installedVersion")),
            latest_version=text(given.get("latestVersion")),
            analytics_disabled=given.get("analyticsDisabled") is True,
            beta_features_enabled=given.get("betaFeaturesEnabled") is True,
            mac_info=texts(given.get("macInfo")),
            volume=percent(given.get("volume")),
            muted=flag(given.get("isMuted")),
            display_url=text(given.get("displayURL")),
            sleep_schedule=_part(SleepSchedule, given.get("sleepSchedule")),
            contract=text(given.get("contract")),
            device_name=text(given.get("deviceName")),
            network=_part(NetworkStatus, given.get("network")),
            last_outage=_part(Outage, given.get("lastOutage")),
            signature_mode=text(given.get("signatureVerificationMode")),
        )


def _part[T: (SleepSchedule, NetworkStatus, Outage)](
    kind: type[T], value: object
) -> T | None:
    """Read a part that not every display has."""
    return kind.parse(value) if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class PanelStatus:
    """The panel, as far as it answers over DDC/CI; every value may be missing.

    Attributes:
        brightness: percent.
        contrast: percent.
        volume: percent, of the panel's own speakers.
        mute: the panel's own speakers are off.
        power: "on", "standby" or "off".
        monitor: maker and model.
        errors: what could not be read, and why; "panel" stands for all of it.
    """

    brightness: int | None
    contrast: int | None
    volume: int | None
    mute: bool | None
    power: str | None
    monitor: str | None
    errors: Mapping[str, str]

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the reply to ``ddcPanelStatus``, or the message of a push of type ``ddc_status``."""
        given = mapping(data)
        return cls(
            brightness=percent(given.get("brightness")),
            contrast=percent(given.get("contrast")),
            volume=percent(given.get("volume")),
            mute={"on": True, "off": False}.get(text(given.get("mute")) or ""),
            power=text(given.get("power")),
            monitor=text(given.get("monitor")),
            errors=texts(given.get("errors")),
        )


@dataclass(frozen=True, slots=True)
class Identity:
    """Which display this is (firmware 2.0.0 or newer). The key to its cloud control is left where it was.

    Attributes:
        device_id: upper case; empty if not given.
        version: of the firmware.
        branch: of the firmware.
        contract: "2" or newer.
        claimed: it has an owner.
        internet: the internet can be reached.
        setup_state: "online", "offline_retrying", "unprovisioned", "ap_active", "joining", "claimed" or "unclaimed".
    """

    device_id: str
    version: str | None
    branch: str | None
    contract: str | None
    claimed: bool | None
    internet: bool | None
    setup_state: str | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the body of ``/api/v2/status``."""
        given = mapping(data)
        return cls(
            device_id=(text(given.get("device_id")) or "").upper(),
            version=text(given.get("version")),
            branch=text(given.get("branch")),
            contract=text(given.get("contract")),
            claimed=flag(given.get("claimed")),
            internet=flag(given.get("internet")),
            setup_state=text(given.get("setup_state")),
        )


@dataclass(frozen=True, slots=True)
class PlayedRecord:
    """One work that was shown lately (firmware 2.0.7 or newer).

    Attributes:
        record_id: names the record, to show it again.
        played_at: when.
        active: it is on the wall now.
        item_id: id of the item.
        title: as sent, not cleaned.
        artist: as sent, not cleaned.
        thumbnail_url: a small picture.
    """

    record_id: str | None
    played_at: datetime | None
    active: bool
    item_id: str | None
    title: str | None
    artist: str | None
    thumbnail_url: str | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read one entry of ``records``."""
        given = mapping(data)
        return cls(
            record_id=text(given.get("recordId")),
            played_at=moment_ms(given.get("playedAtMs")),
            active=given.get("isActive") is True,
            item_id=text(given.get("itemId")),
            title=text(given.get("title")),
            artist=text(given.get("artist")),
            thumbnail_url=text(given.get("thumbnailUrl")),
        )


@dataclass(frozen=True, slots=True)
class ContentPolicy:
    """Which works the owner lets through (firmware 2.0.7 or newer).

    Attributes:
        show_mature_content: works rated mature are shown.
        strict_personal: the rule also holds for the owner's own works.
        active: the display acts by it.
    """

    show_mature_content: bool | None
    strict_personal: bool | None
    active: bool

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the reply to ``getContentPolicy`` or ``setContentPolicy``."""
        given = mapping(data)
        policy = mapping(given.get("contentPolicy"))
        return cls(
            show_mature_content=flag(policy.get("showMatureContent")),
            strict_personal=flag(policy.get("strictPersonal")),
            active=given.get("active") is True,
        )
