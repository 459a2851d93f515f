"""What the markets may answer to a look-up."""

import aiohttp
import pytest

from custom_components.dp1.client.errors import (
    Dp1Error,
    NotFoundError,
    TemporaryError,
    UnexpectedAnswerError,
)
from custom_components.dp1.client.indexer.links import SERVICES, LookupLink, look_up

from ..scripted_server import Reply, ScriptedServer

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(500, {"error": "pq: no"}), TemporaryError),
        (Reply(404, {}), NotFoundError),
        (Reply(200, []), UnexpectedAnswerError),
        (Reply(200, {"result": {}}), NotFoundError),
        (Reply(200, {"result": {"contractAddress": "x", "tokenID": 5}}), NotFoundError),
        (
            Reply(
                200,
                {
                    "contractAddress": "0xbD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045",
                    "tokenID": "5",
                },
            ),
            NotFoundError,
        ),
    ],
)
async def test_answers_without_a_token(
    reply: Reply, error: type[Dp1Error], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that names no valid token is an error."""
    async with ScriptedServer.run(reply) as server, aiohttp.ClientSession() as session:
        monkeypatch.setitem(SERVICES, "feralfile", server.url.rstrip("/"))
        with pytest.raises(error):
            await look_up(session, LookupLink("feralfile", "abc"), "test")
