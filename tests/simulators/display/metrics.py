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


def _family(name: str, kind: str, about: str, *samples: tuple[str, float]) -> str:
    """Return the lines of a metric: one value, or one for each label."""
    lines = [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
    lines += [f"{name}{label} {value:.12g}" for label, value in samples]
    return "\n".join(lines) + "\n"


def write(
    counters: Counters, device: Device, firmware: Firmware, *, relayer: bool
) -> str:
    """Return all metrics of a firmware."""
    families = [
        _family(
            "art_playback_duration_seconds_total",
            "counter",
            "Seconds in which art was played.",
            ("", counters.playing_seconds),
        ),
        _family(
            "playback_start_failures_total",
            "counter",
            "Playlists that could not be started.",
            ("", counters.failures),
        ),
        _family(
            "playback_start_total",
            "counter",
            "Playlists that were to be started.",
            ("", counters.starts),
        ),
    ]
    if firmware.since("2.0.3"):
        families += _network(counters, device, relayer=relayer)
    return "".join(sorted(families, key=lambda family: family.split()[2]))


def _network(counters: Counters, device: Device, *, relayer: bool) -> list[str]:
    """Return what newer firmware reports of the network."""
    families = [
        _family(
            "net_link_state",
            "gauge",
            "State of a link.",
            ('{type="ethernet"}', int(device.wired)),
            ('{type="wifi"}', int(not device.wired)),
        ),
        _family(
            "relayer_connected",
            "gauge",
            "Whether the cloud is connected.",
            ("", int(relayer)),
        ),
        _family(
            "relayer_disconnects_total",
            "counter",
            "Ends of the cloud connection.",
            ("", counters.disconnects),
        ),
    ]
    if counters.disconnects:
        families.append(
            _family(
                "relayer_last_close_code",
                "gauge",
                "How the cloud connection ended.",
                ("", _GONE),
            )
        )
    if device.wifi_signal is not None and not device.wired:
        families.append(
            _family(
                "net_wifi_signal_percent",
                "gauge",
                "Strength of the signal.",
                ("", device.wifi_signal),
            )
        )
        families.append(
            _family(
                "net_wifi_link_info",
                "gauge",
                "Access point.",
                ('{bssid_hash="0f3a",channel="36"}', 1),
            )
        )
    return families
