"""Works with names of their own in exhibitions that nobody has opened, asked for by people and by language models."""

from pathlib import Path
from typing import Any

import pytest

from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import llm
from homeassistant.helpers.llm import LLMContext, ToolInput

from .home import Home, table

from tests.background import Clock
from tests.named_catalog import PLANTS, NamedCatalog
from tests.simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


def hanging(wall: DisplaySimulator) -> list[str]:
    return [item["title"] for item in wall.player.items]


async def test_they_are_shown(
    hass: HomeAssistant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are shown when spoken of, also misheard or by their number, and found and shown by the tools of a model."""
    clock, catalog = Clock.of(monkeypatch), NamedCatalog()
    async with Home.of(hass, tmp_path, "en", table("en")["names"], catalog) as home:
        await clock.read_all()
        for sentence, title in (
            ("show Cirrus signed in the study", "Cloud Ledger Cirrus, signed"),
            (f"show the work {PLANTS[55]} in the study", f"Herbarium {PLANTS[55]}"),
            ("put up sirrus signed in the study", "Cloud Ledger Cirrus, signed"),
            ("show A Thousand Tides number 17 in the study", "A Thousand Tides #17"),
        ):
            said = await home.does(sentence)
            assert hanging(home.there) == [title], (sentence, said)
            assert title in said
        await home.sees(home.there, "media_title", "A Thousand Tides #17")
        await home.sees(home.there, "media_album_name", "Slow Weather")
        api = await llm.async_get_api(
            hass,
            "assist",
            LLMContext(
                platform="test",
                context=Context(),
                language="en",
                assistant="conversation",
                device_id=home.speaker,
            ),
        )

        async def call(name: str, **args: Any) -> dict[str, Any]:
            result = await api.async_call_tool(ToolInput(f"dp1__{name}", args))
            data: Any = getattr(result, "data", result)
            return dict(data)

        (found, *_) = (await call("find_art", query="cirrus signed"))["results"]
        assert found["title"] == "Cloud Ledger Cirrus, signed"
        assert found["exhibition"] == "Slow Weather"
        await call("show_art", what=found["title"], display="Easel")
        assert hanging(home.there) == [found["title"]]
        searched = await hass.services.async_call(
            "dp1",
            "search",
            {"query": "cirrus", "kinds": ["artwork"]},
            blocking=True,
            return_response=True,
        )
        assert searched
        (first, *_) = searched["results"]  # type: ignore[misc]
        assert first["title"] == found["title"]
        assert "/artwork/" in first["media_content_id"]
