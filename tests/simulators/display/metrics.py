"""The metrics at ``/metrics``, in the Prometheus text format."""

from dataclasses import dataclass

from .device import Device
from .firmware import Firmware

_GONE = 1006


@dataclass(slots=True)
class Counters:
    """Counters since the start.

    Attributes:
        playing_seconds: time in which a work was shown.
        starts: playlists that were requested.
        failures: playlists that failed.
        disconnects: of the cloud connection.
    """

    playing_seconds: float = 0.0
    starts: int = 0
    failures: int = 0
    disconnects: int = 0


def write(
    counters: Counters, device: Device, firmware: Firmware, *, relayer: bool
) -> str:
    samples: list[tuple[str, float]] = [
        ("art_playback_duration_seconds_total", counters.playing_seconds),
        ("playback_start_failures_total", counters.failures),
        ("playback_start_total", counters.starts),
    ]
    if firmware.since("2.0.3"):
        samples += [
            ('net_link_state{type="ethernet"}', int(device.wired)),
            ('net_link_state{type="wifi"}', int(not device.wired)),
            ("relayer_connected", int(relayer)),
            ("relayer_disconnects_total", counters.disconnects),
        ]
        if counters.disconnects:
            samples.append(("relayer_last_close_code", _GONE))
        if device.wifi_signal is not None and not device.wired:
            samples += [
                ("net_wifi_signal_percent", device.wifi_signal),
                ('net_wifi_link_info{bssid_hash="0f3a",channel="36"}', 1),
            ]
    lines = []
    for name, value in sorted(samples):
        family = name.partition("{")[0]
        kind = "counter" if family.endswith("_total") else "gauge"
        lines += [f"# HELP {family} About it.", f"# TYPE {family} {kind}"]
        lines.append(f"{name} {value:.12g}")
    return "\n".join(dict.fromkeys(lines)) + "\n"
