"""Metrics and counters of a display; parsed as in :mod:`.device_status`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
import re
from typing import Self

from ..values import mapping, moment, number, whole


@dataclass(frozen=True, slots=True)
class Metrics:
    """A sample of the system monitor, taken about every 2 s.

    Attributes:
        cpu_temperature: °C.
        gpu_temperature: °C.
        memory_used_mb: MB.
        memory_total_mb: MB.
        disk_used_kb: kB.
        disk_total_kb: kB.
        uptime: seconds.
        timestamp: when the sample was taken.
    """

    cpu_temperature: float | None
    gpu_temperature: float | None
    memory_used_mb: float | None
    memory_total_mb: float | None
    disk_used_kb: float | None
    disk_total_kb: float | None
    uptime: float | None
    timestamp: datetime | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse the reply to ``deviceMetrics``."""
        given = mapping(data)
        cpu, gpu = mapping(given.get("cpu")), mapping(given.get("gpu"))
        memory, disk = mapping(given.get("memory")), mapping(given.get("disk"))
        return cls(
            cpu_temperature=number(cpu.get("current_temperature")),
            gpu_temperature=number(gpu.get("current_temperature")),
            memory_used_mb=number(memory.get("used_capacity")),
            memory_total_mb=number(memory.get("max_capacity")),
            disk_used_kb=number(disk.get("used_capacity")),
            disk_total_kb=number(disk.get("total_capacity")),
            uptime=number(given.get("uptime")),
            timestamp=moment(given.get("timestamp")),
        )


@dataclass(frozen=True, slots=True)
class PlaybackCounters:
    """Counters of ``/metrics``, since the start of the display's daemon.

    Attributes:
        playback_seconds: seconds of playing.
        starts: casts tried.
        start_failures: casts failed.
        wifi_signal: percent; None without Wi-Fi (firmware 2.0.3).
    """

    playback_seconds: float | None
    starts: int | None
    start_failures: int | None
    wifi_signal: float | None

    @classmethod
    def parse(cls, data: object) -> Self:
        """Parse the Prometheus text format."""
        samples = _samples(data if isinstance(data, str) else "")
        return cls(
            playback_seconds=samples.get("art_playback_duration_seconds_total"),
            starts=whole(samples.get("playback_start_total")),
            start_failures=whole(samples.get("playback_start_failures_total")),
            wifi_signal=samples.get("net_wifi_signal_percent"),
        )


_SAMPLE = re.compile(
    r"^\s*(?P<name>[A-Za-z_:][\w:]*(?:\{.*\})?)\s+(?P<value>\S+)", re.MULTILINE
)


def _samples(exposition: str) -> Mapping[str, float]:
    """Return the samples by name with labels."""
    samples = {}
    for line in _SAMPLE.finditer(exposition):
        try:
            value = number(float(line["value"]))
        except ValueError:
            continue
        if value is not None:
            samples[line["name"]] = value
    return samples
