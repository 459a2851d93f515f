"""What runs beside the answers."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Tasks:
    """Tasks that end with their owner."""

    def __init__(self) -> None:
        """Begin with none."""
        self._tasks: set[asyncio.Task[Any]] = set()

    def start[T](self, running: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run something."""
        task = asyncio.create_task(running)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def cancel(self) -> None:
        """End all, and wait until they have."""
        own = asyncio.current_task()
        tasks = [task for task in self._tasks if task is not own]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
