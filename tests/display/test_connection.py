"""Test when a display becomes unavailable."""

import aiohttp

from custom_components.dp1.client.display.client import Display
from custom_components.dp1.client.errors import Dp1Error, NoAnswerError, TemporaryError
from custom_components.dp1.display.connection import MISSES_TO_LOSS, Connection
from custom_components.dp1.timing import Timing


async def test_only_several_misses_are_a_loss() -> None:
    """A display is unavailable after several failed requests over some time."""
    lost: list[Dp1Error] = []
    timing = Timing(loss_patience=0.0)
    async with aiohttp.ClientSession() as session:
        connection = Connection(
            Display(session, "127.0.0.1", 1),
            lambda: timing,
            on_event=lambda event: None,
            on_disconnected=lambda: None,
            on_seen=lambda: None,
            on_lost=lost.append,
        )
        connection.seen()
        for _ in range(MISSES_TO_LOSS - 1):
            connection.missed(NoAnswerError("silence"))
        assert not lost
        connection.missed(TemporaryError("it answers"))
        assert not lost
        connection.missed(NoAnswerError("silence"))
        assert len(lost) == 1
        timing = Timing()
        connection.missed(NoAnswerError("silence"))
        assert len(lost) == 1
