"""The end of a simulated server."""

import asyncio

from aiohttp import web


async def stop_serving(runner: web.AppRunner) -> None:
    """Stop a server, once pending connections are accepted: asyncio fails on those that arrive while it closes."""
    loop = asyncio.get_running_loop()
    for site in runner.sites:
        if isinstance(server := site._server, asyncio.Server):
            for listener in server.sockets:
                loop.remove_reader(listener.fileno())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await runner.cleanup()
