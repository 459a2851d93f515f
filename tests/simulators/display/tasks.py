"""Background tasks of the simulated display."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Tasks:
    """Tasks that end with their owner."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start[T](self, running: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(running)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def cancel(self) -> None:
        """Cancel all tasks, and wait until they have ended."""
        own = asyncio.current_task()
        tasks = [task for task in self._tasks if task is not own]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
