"""Metrics and counters of a display; parsed as in :mod:`.device_status`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
import re
from typing import Self

from ..values import Message, moment, number, sent, whole


@dataclass(frozen=True, slots=True)
class Metrics(Message):
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

    cpu_temperature: float | None = sent(number, "cpu", "current_temperature")
    gpu_temperature: float | None = sent(number, "gpu", "current_temperature")
    memory_used_mb: float | None = sent(number, "memory", "used_capacity")
    memory_total_mb: float | None = sent(number, "memory", "max_capacity")
    disk_used_kb: float | None = sent(number, "disk", "used_capacity")
    disk_total_kb: float | None = sent(number, "disk", "total_capacity")
    uptime: float | None = sent(number, "uptime")
    timestamp: datetime | None = sent(moment, "timestamp")


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
