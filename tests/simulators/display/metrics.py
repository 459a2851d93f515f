"""The metrics at ``/metrics``, in the Prometheus text format."""

from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template

from .device import Device

_HERE = Path(__file__).parent
_TEXT = Template((_HERE / "metrics.txt").read_text("utf-8"))
_WIFI = (_HERE / "metrics_wifi.txt").read_text("utf-8")


@dataclass(slots=True)
class Counters:
    """Counters since the start: the time in which works were shown, and casts, tried and failed."""

    playing_seconds: float = 0.0
    starts: int = 0
    failures: int = 0

    def write(self, device: Device) -> str:
        """Return the metrics; newer firmware tells of the Wi-Fi."""
        has_wifi = device.firmware.since("2.0.3") and not device.wired
        return _TEXT.substitute(asdict(self)) + _WIFI * has_wifi
