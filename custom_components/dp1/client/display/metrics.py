"""What a display measures and counts; read as in :mod:`.device_status`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
import re
from typing import Self

from ..values import mapping, moment, number, whole


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
