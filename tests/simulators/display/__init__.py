"""A simulated art display on loopback: its commands, notifications, mDNS announcement and page."""

from .clock import Clock, ManualClock
from .faults import Fault, FaultKind
from .firmware import Firmware, Profile
from .player import Page
from .server import Received
from .simulator import DisplaySimulator, DisplayState

__all__ = [
    "Clock",
    "DisplaySimulator",
    "DisplayState",
    "Fault",
    "FaultKind",
    "Firmware",
    "ManualClock",
    "Page",
    "Profile",
    "Received",
]
