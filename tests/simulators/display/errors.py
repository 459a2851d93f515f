"""Errors of commands inside the simulated display."""


class CommandError(Exception):
    """The command failed; the client is told no reason."""


class NoResultError(Exception):
    """The page in the browser does not handle commands."""


class BusyError(Exception):
    """The rate limit is exceeded."""


class NotPlayableError(Exception):
    """The playlist is refused with a reason; its text begins with a code."""
