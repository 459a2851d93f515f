"""The card in a real Home Assistant: tried in its sizes, and lived with in each room."""

from pathlib import Path

import pytest

from scripts.demo_run import add_by_address, add_library, find_player

from .browser import CHROMIUM, browser
from .card import try_the_card
from .home import Home
from .rooms import live_with_it

from tests.simulators.catalog.simulator import CatalogSimulator
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.usefixtures("socket_enabled"),
    pytest.mark.timeout(300),
    pytest.mark.skipif(not CHROMIUM, reason="DP1_CHROMIUM names no browser"),
]


@pytest.mark.usefixtures("expected_lingering_timers")
@pytest.mark.parametrize("expected_lingering_timers", [True])
async def test_living_with_the_card(tmp_path: Path) -> None:
    """A person sees the work on the card and changes it, on tablets, a phone and a large wall; nothing of ours complains."""
    async with (
        CatalogSimulator() as catalog,
        FeedSimulator("signed") as feed,
        DisplaySimulator(
            profile="B", device_id="FF1-E2E00003", name="Salon"
        ) as display,
        Home(tmp_path) as home,
        browser() as chromium,
    ):
        # A display checks every work before it shows them, and the simulator would have to draw each one.
        display.caster.preflight = False
        flow = await add_by_address(home, display)
        await add_library(home, flow, catalog.url, feed.url)
        player = await find_player(home)
        await try_the_card(home, chromium, display, player)
        await live_with_it(home, chromium, display, player, feed)
