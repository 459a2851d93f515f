"""Collections, the Daily and failures, asked for in seven languages and shown by displays."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from custom_components.dp1.client import retry
from custom_components.dp1.client.indexer import client
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from .hearing import LANGUAGES
from .home import Home, table

from tests.client.scripted_server import Reply, ScriptedServer
from tests.collections import E1, E2, set_up_collection
from tests.simulators.indexer import IndexerSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")
TODAY = "Étude for Today"


@pytest.fixture
async def home(
    hass: HomeAssistant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Home]:
    """Set up a home with a collection and a Daily, whose Home Assistant speaks English."""
    monkeypatch.setattr(client, "PAUSE", 0.01)
    monkeypatch.setattr(retry, "FIRST_PAUSE", 0.01)
    # A day without a work of its own has that of the day before.
    items = [
        {
            "id": f"5d0c9d5e-0000-4000-8000-00000000000{number}",
            "title": title,
            "source": f"https://art.example.org/{number}.png",
            "displayAt": f"{dt_util.now().date() + timedelta(days=day)}T00:00:00",
        }
        for number, (title, day) in enumerate(((TODAY, -1), ("Later", 9)))
    ]
    daily = {"dpVersion": "1.1.0", "id": "x", "title": "Daily", "items": items}
    async with (
        IndexerSimulator() as indexer,
        ScriptedServer.run(lambda request: Reply(200, daily)) as server,
        Home.of(hass, tmp_path, "en", table("en")["names"]) as home,
    ):
        await set_up_collection(
            hass, indexer.url, E1, E2, daily_url=f"{server.url}/api/v1/playlists/daily"
        )
        yield home


async def test_collection_and_daily(home: Home) -> None:
    """In each language the collection and the work of today are shown on the display in the room."""

    def shown() -> list[str]:
        """Return the titles of what the display in the room shows."""
        return [item["title"] for item in home.here.state.items]

    for language in LANGUAGES:
        home.language = table(language)["names"].get("language", language)
        choice = table(language)["choice"]
        said = await home.does(choice["daily"][0])
        assert TODAY in said, language
        assert shown() == [TODAY], language
        said = await home.does(choice["collection"][0])
        assert "My collection" in said, language
        assert "Big Wall" in said, language
        assert "Tidal Ledger #42" in shown(), language
    assert not home.there.state.items


async def test_failure_of_one_display(home: Home) -> None:
    """Why one display of several shows nothing is told in the language of the speaker."""
    await home.there.stop()
    reasons = set()
    for language, sentence in (
        ("en", "show Net Evil everywhere"),
        ("de", "zeig Net Evil überall"),
        ("ja", "全部の画面にNet Evilを表示して"),
        ("zh-CN", "在所有屏幕上显示Net Evil"),
    ):
        home.language = language
        said = await home.does(sentence)
        _, _, reason = said.partition("Easel")
        assert reason
        reasons.add(reason)
    assert len(reasons) == 4
