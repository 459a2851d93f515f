"""Long work in other threads, which leaves the event loop its turns."""

from collections.abc import Iterable, Iterator
from itertools import batched
import time

BATCH = 50


def with_pauses[T](things: Iterable[T]) -> Iterator[T]:
    """Yield things, and let the event loop run now and then.

    The loop would otherwise wait 5 ms for the lock of the interpreter whenever it comes back from the network.
    """
    for batch in batched(things, BATCH, strict=False):
        yield from batch
        time.sleep(0)
