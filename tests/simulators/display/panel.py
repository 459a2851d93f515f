"""The monitor, as far as it can be controlled over its cable."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from .arguments import Arguments
from .errors import CommandError

type Json = dict[str, Any]

_NUMBERS = ("brightness", "contrast", "volume")
_WORDS = {"mute": ("on", "off"), "power": ("on", "standby", "off")}


@dataclass(slots=True)
class Panel:
    """A monitor.

    Attributes:
        values: its settings; unsupported ones are missing.
        monitor: manufacturer and model.
        errors: settings that cannot be read, with the reason.
        connected: whether a monitor is connected.
        supported: whether it supports DDC/CI.
        seconds: how long an answer takes.
    """

    values: Json = field(
        default_factory=lambda: {
            "brightness": 65,
            "contrast": 70,
            "volume": 40,
            "mute": "off",
            "power": "on",
        }
    )
    monitor: str = "ACME:X27"
    errors: dict[str, str] = field(default_factory=dict)
    connected: bool = True
    supported: bool = True
    seconds: float = 0.0

    @property
    def usable(self) -> bool:
        """Return whether it can be controlled."""
        return self.connected and self.supported

    async def control(self, arguments: Arguments) -> Json:
        """Set one value."""
        action = arguments.text("action")
        if not arguments.has("value"):
            raise CommandError("no value")
        value: object
        if action in _NUMBERS:
            value = arguments.integer("value")
            if not 0 <= value <= 100:
                raise CommandError("out of range")
        elif action in _WORDS:
            value = arguments.text("value")
            if value not in _WORDS[action]:
                raise CommandError("unknown value")
        else:
            raise CommandError("unknown action")
        await asyncio.sleep(self.seconds)
        if not self.usable or action not in self.values:
            raise CommandError("the display does not answer")
        self.values[action] = value
        return {"ok": True}

    async def status(self, *, explains: bool) -> Json:
        """Return everything that can be read; where nothing can, newer firmware gives the reason."""
        await asyncio.sleep(self.seconds)
        if not self.usable:
            reason = (
                "display does not support DDC/CI"
                if self.connected
                else "no display connected"
            )
            keys = ("panel",) if explains else (*_NUMBERS, *_WORDS)
            return {"errors": dict.fromkeys(keys, reason)}
        found = {
            name: value
            for name, value in self.values.items()
            if name not in self.errors
        }
        found["monitor"] = self.monitor
        return found | {"errors": dict(self.errors)} if self.errors else found

    def switch(self, asleep: bool) -> None:
        """Switch to standby or back, if possible."""
        if self.usable and "power" in self.values:
            self.values["power"] = "standby" if asleep else "on"
