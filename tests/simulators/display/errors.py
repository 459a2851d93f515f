"""How a command can fail inside the simulated display."""


class CommandError(Exception):
    """Something went wrong; the client learns no reason."""


class NoResultError(Exception):
    """The page in the browser knows no commands."""


class BusyError(Exception):
    """Too many commands."""


class NotPlayableError(Exception):
    """A playlist is refused with a reason; its text begins with a code."""
