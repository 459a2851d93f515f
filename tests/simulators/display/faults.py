"""Faults between the simulated display and its clients."""

from dataclasses import dataclass
from enum import StrEnum


class FaultKind(StrEnum):
    """Kinds of faults."""

    RESET = "reset"
    CLOSE = "close"
    HANG = "hang"
    CUT = "cut"
    SLOW = "slow"
    LATE = "late"
    STATUS = "status"
    EMPTY = "empty"
    GARBAGE = "garbage"
    TRUNCATED = "truncated"


_APPLIED = frozenset(
    {
        FaultKind.CUT,
        FaultKind.SLOW,
        FaultKind.LATE,
        FaultKind.GARBAGE,
        FaultKind.TRUNCATED,
    }
)


@dataclass(slots=True)
class Fault:
    """A fault, and when it strikes.

    Device status that hangs or is cut: ``late`` or ``cut`` with ``command="getDeviceStatus"``.

    Attributes:
        kind: what goes wrong: ``reset`` and ``close`` the connection; ``hang`` and close; ``cut`` the connection when
            the command has been carried out; be ``slow`` to carry it out; carry it out but answer ``late``; answer
            with a ``status``, with 204 (``empty``), with ``garbage``, or with a ``truncated`` answer.
        route: only with this route, such as ``/api/cast``; empty for all.
        command: only with this command; empty for all.
        times: how often; None for always.
        status: of ``status``.
        text: body of ``status`` and ``garbage``.
        seconds: of ``hang``, ``slow`` and ``late``.
        hits: how often it has struck.
    """

    kind: FaultKind
    route: str = ""
    command: str = ""
    times: int | None = None
    status: int = 500
    text: str = "Failed to process cast request"
    seconds: float = 35.0
    hits: int = 0

    @property
    def applied(self) -> bool:
        """Return whether the command is carried out all the same."""
        return self.kind in _APPLIED

    def strikes(self, route: str, command: str) -> bool:
        """Return whether the fault applies to a request, and count it if so."""
        if self.route not in ("", route) or self.command not in ("", command):
            return False
        if self.times is not None and self.hits >= self.times:
            return False
        self.hits += 1
        return True
