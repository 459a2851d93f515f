"""What a display says of itself.

The shapes are those that published Feral File firmware 0.9 to 2.0.7 sends. Every ``parse`` takes any JSON value,
never raises, treats a missing value and one of the wrong type alike, and ignores what it does not know.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
import re
from typing import Any, Self

from .values import (
    flag,
    mapping,
    moment,
    moment_ms,
    number,
    percent,
    text,
    texts,
    whole,
)

# What the player reports for a work that stays until somebody changes it.
_STAYS_SECONDS = 999_999_999


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
class DeviceSettings:
    """How a display shows works.

    Attributes:
        scaling: "fit", "fill", "stretch" or "auto".
        orientation: "landscape" or "portrait".
        default_duration: seconds for works that bring no duration of their own; None while not set.
        tombstone: the museum label: "timed", "on" or "off".
        margin: CSS pixels, or text with a unit.
        background: colour.
        framing: "artwork", "fit" or "fill".
        showing_key: names the showing that a temporary setting is meant for.
        composition_revision: grows with each accepted setting.
        offered: keys on the wire that were present, which is what this display can be told.
    """

    scaling: str | None
    orientation: str | None
    default_duration: float | None
    tombstone: str | None
    margin: float | str | None
    background: str | None
    framing: str | None
    showing_key: str | None
    composition_revision: int | None
    offered: frozenset[str]

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the object ``deviceSettings``."""
        given = mapping(data)
        return cls(
            scaling=text(given.get("scaling")),
            orientation=text(given.get("orientation")),
            default_duration=number(given.get("defaultDuration")),
            tombstone=text(given.get("tombstone")),
            margin=_margin(given.get("margin")),
            background=text(given.get("background")),
            framing=text(given.get("framing")),
            showing_key=text(given.get("showingKey")),
            composition_revision=whole(given.get("compositionRevision")),
            offered=frozenset(given),
        )

    def over(self, previous: Self | None) -> Self:
        """Lay these over earlier ones.

        Older firmware leaves whole groups of settings out of its pushes. A group of which nothing came is kept,
        one of which something came is taken as it is: there, a missing value was cleared.
        """
        if previous is None:
            return self
        kept: dict[str, Any] = {
            name: getattr(previous, name)
            for group in _SETTING_GROUPS
            if self.offered.isdisjoint(group)
            for name in group.values()
        }
        return replace(self, **kept, offered=self.offered | previous.offered)


# Settings that come, or are left out, together: key on the wire to name of the field.
_SETTING_GROUPS: tuple[Mapping[str, str], ...] = (
    {"scaling": "scaling"},
    {"orientation": "orientation"},
    {"tombstone": "tombstone", "defaultDuration": "default_duration"},
    {
        "showingKey": "showing_key",
        "compositionRevision": "composition_revision",
        "margin": "margin",
        "background": "background",
        "framing": "framing",
    },
)


def _margin(value: object) -> float | str | None:
    """Read a margin: 0 is one too."""
    found = number(value)
    return text(value) if found is None else found


@dataclass(frozen=True, slots=True)
class PlaylistItem:
    """One work of the playlist.

    Attributes:
        id: id of the item.
        title: as sent, not cleaned.
        source: URL of the work; None in pushes, which never carry it.
        duration: seconds; None if the work stays until somebody changes it.
        license: "open", "token" or "subscription".
        ref: URL of the work's manifest.
        provenance: where the work comes from, as in the DP-1 specification.
        raw: everything that was sent.
    """

    id: str | None
    title: str | None
    source: str | None
    duration: float | None
    license: str | None
    ref: str | None
    provenance: Mapping[str, Any] | None
    raw: Mapping[str, Any]

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read one entry of ``items``; anything but an object is a work that nothing is known of."""
        given = mapping(data)
        duration = number(given.get("duration"))
        return cls(
            id=text(given.get("id")),
            title=text(given.get("title")),
            source=text(given.get("source")),
            duration=duration if duration is not None and _passes(duration) else None,
            license=text(given.get("license")),
            ref=text(given.get("ref")),
            provenance=mapping(given.get("provenance")) or None,
            raw=given,
        )

    def over(self, previous: Self) -> Self:
        """Lay a pushed work over what was known of the same work, which pushes leave out."""
        news = {
            key: value for key, value in self.raw.items() if value not in ("", None)
        }
        merged = {**previous.raw, **news}
        return previous if merged == previous.raw else self.parse(merged)


def _passes(duration: float) -> bool:
    """Whether a work of this duration ever ends."""
    return 0 <= duration < _STAYS_SECONDS


def _items(value: object) -> tuple[PlaylistItem, ...] | None:
    """Read a list of works; each keeps its place."""
    if not isinstance(value, list):
        return None
    return tuple(PlaylistItem.parse(entry) for entry in value)


@dataclass(frozen=True, slots=True)
class PlayerStatus:
    """What a display shows.

    Attributes:
        ok: the player is well.
        error: "overheating", "status_check_failed" or other words, if it is not.
        cast_command: normally "displayPlaylist".
        playlist_url: URL that was cast, as it was sent; None after an inline cast.
        playlist: the DP-1 document as the display keeps it; None in pushes, which carry an empty one.
        playlist_id: id of the playlist, not in pushes.
        playlist_title: title of the playlist, not in pushes.
        index: as sent: may lie beyond the end, where the player counts on from the start.
        items: the works in the order they are played, so shuffled if ``shuffle``.
        asleep: nothing is visible because the display sleeps.
        settings: how works are shown.
        loop_mode: "none", "playlist" or "one".
        shuffle: the order is a random one.
        render_status: of the current work: 0 pending, 1 loading, 2 ready, 3 failed.
        signature_status: "valid", "invalid" or "unsigned".
        overlay: something, a pairing code for one, is painted over the work.
    """

    ok: bool
    error: str | None
    cast_command: str | None
    playlist_url: str | None
    playlist: Mapping[str, Any] | None
    playlist_id: str | None
    playlist_title: str | None
    index: int | None
    items: tuple[PlaylistItem, ...]
    asleep: bool | None
    settings: DeviceSettings | None
    loop_mode: str | None
    shuffle: bool | None
    render_status: int | None
    signature_status: str | None
    overlay: bool

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the reply to ``checkStatus``, or the message of a push of type ``player_status``."""
        given = mapping(data)
        playlist = mapping(given.get("playlist"))
        settings = given.get("deviceSettings")
        items = _items(given.get("items"))
        return cls(
            ok=given.get("ok") is True,
            error=text(given.get("error")),
            cast_command=text(given.get("castCommand")),
            playlist_url=text(given.get("playlistUrl"))
            or text(given.get("playlistURL")),
            playlist=playlist if any(playlist.values()) else None,
            playlist_id=text(playlist.get("id")),
            playlist_title=text(playlist.get("title")),
            index=whole(given.get("index")),
            items=(_items(playlist.get("items")) or ()) if items is None else items,
            asleep=_asleep(given),
            settings=DeviceSettings.parse(settings)
            if isinstance(settings, dict)
            else None,
            loop_mode=text(given.get("loopMode")),
            shuffle=flag(given.get("shuffle")),
            render_status=whole(given.get("renderStatus")),
            signature_status=text(given.get("signatureStatus")),
            overlay=bool(mapping(given.get("overlay"))),
        )

    @property
    def position(self) -> int | None:
        """Place of the current work, counted from 1."""
        if self.index is None or not self.items:
            return None
        return self.index % len(self.items) + 1

    @property
    def current(self) -> PlaylistItem | None:
        """The work on the wall."""
        return None if self.position is None else self.items[self.position - 1]

    @property
    def item_ids(self) -> tuple[str | None, ...]:
        """Ids of the works, in the order they are played."""
        return tuple(item.id for item in self.items)

    def over(self, previous: PlayerStatus | None) -> PlayerStatus:
        """Lay this push over what was known.

        Settings belong to the display and are always kept. The rest of what a push cannot carry is kept as long as
        the list is the same: the same URL and the same set of works, in any order.
        """
        if previous is None:
            return self
        if self.settings is None:
            status = replace(self, settings=previous.settings)
        else:
            status = replace(self, settings=self.settings.over(previous.settings))
        return _with_known(status, previous) if _same_list(self, previous) else status


def _same_list(one: PlayerStatus, other: PlayerStatus) -> bool:
    """Whether both speak of the same works, in whichever order."""
    return one.playlist_url == other.playlist_url and (
        one.item_ids == other.item_ids
        or Counter(one.item_ids) == Counter(other.item_ids)
    )


def _with_known(status: PlayerStatus, previous: PlayerStatus) -> PlayerStatus:
    """Fill in what was known of the same list."""
    render_status = status.render_status
    if render_status is None and status.position == previous.position:
        render_status = previous.render_status
    return replace(
        status,
        playlist=status.playlist or previous.playlist,
        playlist_id=status.playlist_id or previous.playlist_id,
        playlist_title=status.playlist_title or previous.playlist_title,
        signature_status=status.signature_status or previous.signature_status,
        items=_over_items(status.items, previous.items),
        render_status=render_status,
    )


def _over_items(
    pushed: tuple[PlaylistItem, ...], known: tuple[PlaylistItem, ...]
) -> tuple[PlaylistItem, ...]:
    """Lay pushed works over known ones: place by place in the same order, else by what names them uniquely."""
    names = [(item.id, item.title) for item in known]
    if [(item.id, item.title) for item in pushed] == names:
        return tuple(
            item.over(before) for item, before in zip(pushed, known, strict=True)
        )
    often = Counter(names)
    by_name = {
        name: item
        for name, item in zip(names, known, strict=True)
        if often[name] == 1 and name[0]
    }
    return tuple(
        item.over(by_name[name]) if (name := (item.id, item.title)) in by_name else item
        for item in pushed
    )


def _asleep(given: Mapping[str, Any]) -> bool | None:
    """Read whether the page is the one for sleeping, which goes by two names."""
    said = (flag(given.get("isPaused")), flag(given.get("sleepMode")))
    return True if True in said else False if False in said else None


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
class Metrics:
    """A sample of the device's own monitor, taken about every two seconds.

    Attributes:
        cpu_temperature: °C.
        cpu_max_temperature: °C, the limit.
        cpu_frequency: MHz.
        cpu_max_frequency: MHz.
        gpu_temperature: °C.
        gpu_max_temperature: °C, the limit.
        gpu_frequency: MHz.
        gpu_max_frequency: MHz.
        gpu_busy: percent, newer firmware only.
        memory_used_mb: MB.
        memory_total_mb: MB.
        disk_used_kb: kB.
        disk_available_kb: kB.
        disk_total_kb: kB.
        uptime: seconds since the device started.
        screen_width: pixels.
        screen_height: pixels.
        refresh_rate: Hz.
        timestamp: when the sample was taken.
    """

    cpu_temperature: float | None
    cpu_max_temperature: float | None
    cpu_frequency: float | None
    cpu_max_frequency: float | None
    gpu_temperature: float | None
    gpu_max_temperature: float | None
    gpu_frequency: float | None
    gpu_max_frequency: float | None
    gpu_busy: float | None
    memory_used_mb: float | None
    memory_total_mb: float | None
    disk_used_kb: float | None
    disk_available_kb: float | None
    disk_total_kb: float | None
    uptime: float | None
    screen_width: int | None
    screen_height: int | None
    refresh_rate: float | None
    timestamp: datetime | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the reply to ``deviceMetrics``."""
        given = mapping(data)
        cpu, gpu = mapping(given.get("cpu")), mapping(given.get("gpu"))
        memory, disk = mapping(given.get("memory")), mapping(given.get("disk"))
        screen = mapping(given.get("screen"))
        return cls(
            cpu_temperature=number(cpu.get("current_temperature")),
            cpu_max_temperature=number(cpu.get("max_temperature")),
            cpu_frequency=number(cpu.get("current_frequency")),
            cpu_max_frequency=number(cpu.get("max_frequency")),
            gpu_temperature=number(gpu.get("current_temperature")),
            gpu_max_temperature=number(gpu.get("max_temperature")),
            gpu_frequency=number(gpu.get("current_frequency")),
            gpu_max_frequency=number(gpu.get("max_frequency")),
            gpu_busy=number(gpu.get("gpu_busy")),
            memory_used_mb=number(memory.get("used_capacity")),
            memory_total_mb=number(memory.get("max_capacity")),
            disk_used_kb=number(disk.get("used_capacity")),
            disk_available_kb=number(disk.get("available_capacity")),
            disk_total_kb=number(disk.get("total_capacity")),
            uptime=number(given.get("uptime")),
            screen_width=whole(screen.get("width")),
            screen_height=whole(screen.get("height")),
            refresh_rate=number(screen.get("refresh_rate")),
            timestamp=moment(given.get("timestamp")),
        )


@dataclass(frozen=True, slots=True)
class PlaybackCounters:
    """What ``/metrics`` counts; everything starts at 0 when the display's service starts.

    Attributes:
        playback_seconds: seconds of showing art.
        starts: casts that were tried.
        start_failures: casts that failed.
        wifi_signal: percent; None when not on a wireless network or below firmware 2.0.3.
        ethernet_link: the cable is in.
        wifi_link: the wireless network is joined.
        relayer_connected: the vendor's cloud is connected.
        relayer_disconnects: how often that connection was lost.
    """

    playback_seconds: float | None
    starts: int | None
    start_failures: int | None
    wifi_signal: float | None
    ethernet_link: bool | None
    wifi_link: bool | None
    relayer_connected: bool | None
    relayer_disconnects: int | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Read the Prometheus text format."""
        samples = _samples(data if isinstance(data, str) else "")
        return cls(
            playback_seconds=samples.get("art_playback_duration_seconds_total"),
            starts=whole(samples.get("playback_start_total")),
            start_failures=whole(samples.get("playback_start_failures_total")),
            wifi_signal=samples.get("net_wifi_signal_percent"),
            ethernet_link=_link(samples.get('net_link_state{type="ethernet"}')),
            wifi_link=_link(samples.get('net_link_state{type="wifi"}')),
            relayer_connected=_link(samples.get("relayer_connected")),
            relayer_disconnects=whole(samples.get("relayer_disconnects_total")),
        )


_SAMPLE = re.compile(
    r"^\s*(?P<name>[A-Za-z_:][\w:]*(?:\{.*\})?)\s+(?P<value>\S+)", re.MULTILINE
)


def _samples(exposition: str) -> Mapping[str, float]:
    """Read name with labels, and value, of every line that is a sample."""
    samples = {}
    for line in _SAMPLE.finditer(exposition):
        try:
            value = number(float(line["value"]))
        except ValueError:
            continue
        if value is not None:
            samples[line["name"]] = value
    return samples


def _link(value: float | None) -> bool | None:
    """Read 1 and 0; -1 says that it is not known."""
    return None if value is None or value < 0 else value > 0


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
