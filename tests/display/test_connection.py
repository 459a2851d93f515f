"""Test when a display becomes unavailable."""

import aiohttp
import pytest

from custom_components.dp1.client.display.client import Display
from custom_components.dp1.client.errors import Dp1Error, NoAnswerError, TemporaryError
from custom_components.dp1.display import connection as module
from custom_components.dp1.display.connection import MISSES_TO_LOSS, Connection


async def test_only_several_misses_are_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """A display is unavailable after several failed requests over some time."""
    lost: list[Dp1Error] = []
    async with aiohttp.ClientSession() as session:
        connection = Connection(
            Display(session, "127.0.0.1", 1),
            on_event=lambda event: None,
            on_disconnected=lambda: None,
            on_seen=lambda: None,
            on_lost=lost.append,
        )
        monkeypatch.setattr(module, "PATIENCE", 0.0)
        connection.seen()
        for _ in range(MISSES_TO_LOSS - 1):
            connection.missed(NoAnswerError("silence"))
        assert not lost
        connection.missed(TemporaryError("it answers"))
        assert not lost
        connection.missed(NoAnswerError("silence"))
        assert len(lost) == 1
        monkeypatch.undo()
        connection.missed(NoAnswerError("silence"))
        assert len(lost) == 1
