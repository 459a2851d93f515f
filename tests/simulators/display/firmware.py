"""Firmware generations and versions."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

type Version = tuple[int, ...]


class Profile(StrEnum):
    """A generation of firmware, or of its description."""

    A = "A"
    A1 = "A1"
    B = "B"
    C = "C"
    LEGACY = "legacy"
    LEGACY_STRICT = "legacy-strict"


_VERSIONS = {
    Profile.A: "1.0.17",
    Profile.A1: "1.0.21",
    Profile.B: "2.0.7",
    Profile.C: "2.0.8",
    Profile.LEGACY: "",
    Profile.LEGACY_STRICT: "",
}

FIRST_PLAYER = date(2026, 3, 1)
_PLAYERS: tuple[tuple[Version, date], ...] = (
    ((2, 0, 7), date(2026, 10, 1)),
    ((1, 0, 18), date(2026, 8, 18)),
    ((0,), date(2026, 6, 24)),
)


def parse_version(text: str) -> Version:
    return tuple(int(part) for part in text.split(".")) if text else ()


@dataclass(frozen=True, slots=True)
class Firmware:
    """The installed firmware.

    Attributes:
        profile: the generation.
        version: the reported version of the image.
        player: build date of the player in the image.
    """

    profile: Profile
    version: str
    player: date

    @classmethod
    def of(cls, profile: Profile, version: str | None = None) -> Firmware:
        """Return a version, by default the last one of the profile."""
        chosen = _VERSIONS[profile] if version is None else version
        number = parse_version(chosen)
        player = next((made for since, made in _PLAYERS if number >= since), date.max)
        return cls(profile, chosen, player)

    def since(self, version: str) -> bool:
        """Return whether the version is at least this one."""
        return not self.legacy and parse_version(self.version) >= parse_version(version)

    @property
    def legacy(self) -> bool:
        """Return whether it only implements the 2025 description."""
        return self.profile in (Profile.LEGACY, Profile.LEGACY_STRICT)

    @property
    def second(self) -> bool:
        """Return whether it implements contract 2 (profiles B and C)."""
        return self.profile in (Profile.B, Profile.C)

    @property
    def guarded(self) -> bool:
        """Return whether it limits the rate of commands."""
        return self.profile in (Profile.A1, Profile.B, Profile.C)
