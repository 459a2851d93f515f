"""The gallery as a person sees it: Home Assistant and the wall, side by side in a real browser."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.demo_run import (
    DASHBOARD,
    EXHIBITION,
    NAME,
    add_by_address,
    add_library,
    device_id,
    find_player,
)

from .browser import CHROMIUM, browser, signed_in
from .home import ROOT, Home

from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.timeout(240),
    pytest.mark.xdist_group("e2e"),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]


def documented_view() -> dict[str, Any]:
    """Return the dashboard of built-in cards that the documentation shows, as a person pastes it."""
    text = (ROOT / "docs" / "dashboards.md").read_text()
    _, _, rest = text.partition("## Built-in cards")
    _, _, block = rest.partition("```yaml")
    return {"views": [yaml.safe_load(block.partition("```")[0])]}


async def test_the_card_and_the_wall_show_the_same_work(tmp_path: Path) -> None:
    """The card has the title and the picture of the work that the display paints; browsing shows pictures, next moves both."""
    async with (
        CatalogSimulator() as catalog,
        FeedSimulator() as feed,
        DisplaySimulator(
            profile="B", device_id=device_id(tmp_path), name=NAME
        ) as display,
        Home(tmp_path) as home,
        browser() as chromium,
    ):
        await add_library(
            home, await add_by_address(home, display), catalog.url, feed.url
        )
        player = await find_player(home)
        await home.dashboard(DASHBOARD, "Art gallery", documented_view())
        await home.call(
            "dp1.cast_playlist", {"entity_id": player, "exhibition": EXHIBITION}
        )
        wall = await chromium.new_page(viewport={"width": 960, "height": 540})
        await wall.goto(display.url)
        page = await signed_in(chromium, home, 1100, 720)
        await page.goto(f"{home.url}/{DASHBOARD}")
        work = display.state.current_title
        card = page.locator("hui-media-control-card")
        await card.get_by_text(work, exact=True).wait_for()
        await wall.wait_for_function("work => document.title.includes(work)", arg=work)
        image = card.locator(".image")
        style = await image.get_attribute("style")
        assert style and "/api/media_player_proxy/" in style
        await home.call("media_player.media_next_track", {"entity_id": player})
        following = display.state.current_title
        assert following != work
        await card.get_by_text(following, exact=True).wait_for()
        await wall.wait_for_function(
            "work => document.title.includes(work)", arg=following
        )
        await page.goto(f"{home.url}/media-browser/{player}")
        titles = page.locator("ha-media-player-browse .title")
        await titles.get_by_text("Exhibitions", exact=True).click()
        await titles.get_by_text(EXHIBITION, exact=True).wait_for()
