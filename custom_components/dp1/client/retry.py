"""The one policy for requests that fail: tries, pauses, a server's ``Retry-After`` that all callers obey, a deadline."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from random import uniform
from typing import Final

from .errors import BusyError, Dp1Error, UnreachableError

# Of one that is busy, and of one that fails or cannot be reached.
TRIES_BUSY: Final = 3
TRIES: Final = 2
# Seconds before the second try; doubled each time.
FIRST_PAUSE: Final = 0.5
# Longer waits that a server asks for are left to the caller.
LONGEST_WAIT: Final = 8.0
# Seconds in which a request is over, with all tries and pauses.
DEADLINE: Final = 30.0
# The share by which pauses differ, so that not all homes come back at the same moment.
JITTER: Final = 0.2
MAX_QUIET: Final = 100


class Manners:
    """How the servers of a client are asked, over all its callers."""

    def __init__(
        self,
        *again: type[Dp1Error],
        at_once: int | None = None,
        apart: float = 0.0,
    ) -> None:
        """Initialize for servers that have not been asked.

        Args:
            again: errors after which the same request may succeed.
            at_once: most requests in progress; None for any number.
            apart: seconds between the end of a request and the start of the next, which are then one at a time.
        """
        self._again = again
        at_once = 1 if apart else at_once
        self._slots = nullcontext() if at_once is None else asyncio.Semaphore(at_once)
        self._apart = apart
        self._last = -apart
        # Until when a server wants to be left alone.
        self._quiet_until: dict[str, float] = {}

    async def ask[T](
        self,
        send: Callable[[float], Awaitable[T]],
        *,
        server: str = "",
        end: float | None = None,
        may_repeat: Callable[[Dp1Error], bool] = lambda error: True,
    ) -> T:
        """Return the result of a request, repeated where that helps and does no harm.

        Args:
            send: sends the request once, given the seconds that are left.
            server: which of the client's servers is asked.
            end: when it has to be over, on the clock of the event loop; by default ``DEADLINE`` after its turn has come.
            may_repeat: whether a request that failed so may be sent again.

        Raises:
            BusyError: the server asked for a longer pause than ``LONGEST_WAIT``, maybe of another caller.
            UnreachableError: no time is left.
            Dp1Error: as ``send`` has it, after the last try.
        """
        attempt = 0
        async with self._slots:
            end = _now() + DEADLINE if end is None else end
            while True:
                await self._wait_until_welcome(server, end)
                if (left := end - _now()) <= 0:
                    raise UnreachableError("no time is left for another request")
                attempt += 1
                try:
                    return await send(left)
                except Dp1Error as err:
                    wait = self._pause_after(err, attempt, server)
                    tries = TRIES_BUSY if isinstance(err, BusyError) else TRIES
                    if (
                        not isinstance(err, self._again)
                        or attempt >= tries
                        or wait > LONGEST_WAIT * (1 + JITTER)
                        or _now() + wait >= end
                        or not may_repeat(err)
                    ):
                        raise
                finally:
                    self._last = _now()
                await asyncio.sleep(wait)

    def _pause_after(self, err: Dp1Error, attempt: int, server: str) -> float:
        """Return the seconds until the next try, and keep all callers from a server that asked for a pause."""
        wait = FIRST_PAUSE * (1 << (attempt - 1))
        if isinstance(err, BusyError):
            wait = wait if err.retry_after is None else err.retry_after
            now = _now()
            quiet = {
                each: until for each, until in self._quiet_until.items() if until > now
            }
            if len(quiet) < MAX_QUIET:
                quiet[server] = max(quiet.get(server, 0.0), now + wait)
            self._quiet_until = quiet
        return wait * uniform(1, 1 + JITTER)

    async def _wait_until_welcome(self, server: str, end: float) -> None:
        """Wait as long as a server has asked for, unless that is too long, and keep the distance."""
        if (pause := self._last + self._apart - _now()) > 0:
            await asyncio.sleep(pause)
        while (wait := self._quiet_until.get(server, 0.0) - _now()) > 0:
            if wait > LONGEST_WAIT or _now() + wait >= end:
                raise BusyError("the server asked to be left alone", wait)
            await asyncio.sleep(wait)


def _now() -> float:
    """Return the time on the clock of the event loop."""
    return asyncio.get_running_loop().time()
