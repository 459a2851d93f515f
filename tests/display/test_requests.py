"""The order of the requests to a display."""

import asyncio

from custom_components.dp1.display.requests import Requests


async def test_who_waits_for_a_cast() -> None:
    """What concerns the current playlist waits for a cast that a user requested."""
    requests = Requests(lambda: None)
    with requests.pending_cast(1):
        waiting = asyncio.create_task(requests.async_wait_for_casts())
        with requests.pending_cast(1):
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting
