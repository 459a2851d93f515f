"""Works with names of their own in series that somebody has opened."""

from pathlib import Path

import pytest

from homeassistant.core import HomeAssistant

from .home import Home, table

from tests.named_catalog import PLANTS, NamedCatalog
from tests.simulators.display import DisplaySimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")


def hanging(wall: DisplaySimulator) -> list[str]:
    return [item["title"] for item in wall.player.items]


async def test_they_are_shown(hass: HomeAssistant, tmp_path: Path) -> None:
    """They are shown when spoken of, also misheard or by their number."""
    catalog = NamedCatalog()
    async with Home.of(hass, tmp_path, "en", table("en")["names"], catalog) as home:
        for name in ("Cloud Ledger", "Herbarium"):
            series = catalog.data.find_series(name)
            await home.library.async_children(f"exhibition/{series['exhibitionID']}")
            await home.library.async_children(f"series/{series['id']}")
        for sentence, title in (
            ("show Cirrus signed in the study", "Cloud Ledger Cirrus, signed"),
            (f"show the work {PLANTS[7]} in the study", f"Herbarium {PLANTS[7]}"),
            ("put up sirrus signed in the study", "Cloud Ledger Cirrus, signed"),
            ("show A Thousand Tides number 17 in the study", "A Thousand Tides #17"),
        ):
            said = await home.does(sentence)
            assert hanging(home.there) == [title], (sentence, said)
            assert title in said
        await home.sees(home.there, "media_title", "A Thousand Tides #17")
        await home.sees(home.there, "media_album_name", "Slow Weather")
