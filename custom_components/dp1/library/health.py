"""Whether a server can be read: one log line when that ends, one when it is so again."""

from custom_components.dp1.const import LOGGER
from custom_components.dp1.protocol.errors import (
    Dp1Error,
    InvalidRequestError,
    NotFoundError,
)


class Health:
    """What of one server cannot be read at present, and why."""

    def __init__(self, name: str) -> None:
        """Begin well; the name is for the log."""
        self._name = name
        self._problems: dict[str, Dp1Error] = {}

    @property
    def problem(self) -> Dp1Error | None:
        """What is wrong for the longest time; None if nothing is."""
        return next(iter(self._problems.values()), None)

    def report(
        self, what: str, reason: Dp1Error | None, *, by_key: bool = False
    ) -> None:
        """Take note of how a read went.

        Args:
            what: was read; it counts as unreadable until it could be read whole.
            reason: why it could not.
            by_key: whether somebody named it, who may be wrong.
        """
        if by_key and isinstance(reason, NotFoundError | InvalidRequestError):
            LOGGER.debug("%s does not know what was asked for: %s", self._name, reason)
            return
        if reason is None:
            if self._problems.pop(what, None) and not self._problems:
                LOGGER.info("%s can be read again", self._name)
            return
        if not self._problems:
            LOGGER.warning(
                "%s cannot be read (%s: %s); what was read before is shown",
                self._name,
                type(reason).__name__,
                reason,
            )
        self._problems[what] = reason
