"""A minimal client of a simulated feed, which shares no code with the integration."""

import json
from typing import Any

import aiohttp

from .feed import FeedSimulator


async def ask(
    feed: FeedSimulator, method: str, path: str, body: Any = None, *, key: bool = False
) -> tuple[int, Any]:
    """Send a request below the base URL, with the API key if it is wanted, and return status and body."""
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {feed.api_key}"
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, feed.url + path, data=data, headers=headers) as answer,
    ):
        text = await answer.text()
        return answer.status, json.loads(text) if text else None
