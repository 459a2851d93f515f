"""An art display on loopback: commands, notifications, announcements and a page to look at, by what is known of real ones."""

from .clock import Clock, ManualClock, SystemClock
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
    "SystemClock",
]
