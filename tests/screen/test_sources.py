"""Test where a page loads a work from, and whether it gets an origin of its own there."""

from base64 import b64encode
from urllib.parse import quote

import pytest

from custom_components.dp1 import async_setup_data
from custom_components.dp1.screen.sources import source_of, written_page
from homeassistant.core import HomeAssistant

HOME = "http://192.168.1.5:8123"
AWAY = "https://home.example:8123"
LENT = f"/api/dp1/media/aWQ/a.png?token={'x' * 43}"
PAGE = f"<img src='{HOME}{LENT}'><img src='http://[fd00::5]:8123{LENT}'><a href='{AWAY}/lovelace'>ö</a>"


@pytest.fixture
async def home(hass: HomeAssistant) -> HomeAssistant:
    """Return a Home Assistant with two addresses."""
    await hass.config.async_update(internal_url=HOME, external_url=AWAY)
    async_setup_data(hass)
    return hass


@pytest.mark.parametrize(
    ("source", "url", "has_origin"),
    [
        ("https://art.example/work/?seed=1", None, True),
        ("https://art.example/work/", None, True),
        # Ours are loaded by the name and the scheme by which the page was opened.
        (f"{HOME}{LENT}", LENT, False),
        (f"{AWAY}{LENT}", LENT, False),
        (f"http://10.0.0.9:8123{LENT}", LENT, False),
        # Other ports of ours, and other hosts at home.
        ("https://home.example/work/", None, False),
        ("http://192.168.1.5:9000/work/", None, False),
        ("http://nas.local/work/", None, False),
        ("http://[fe80::1]/work/", None, False),
        # Where works of anybody share an origin; one of its own is in the name of the host.
        ("https://ipfs.io/ipfs/bafy/", None, False),
        ("https://bafy.ipfs.dweb.link/", None, True),
        (f"https://arweave.net/{'a' * 43}/", None, False),
        (f"https://arweave.net/raw/{'a' * 43}", None, False),
        (f"https://d2ybmb80bbm9ts.cloudfront.net/Qm{'a' * 44}/", None, False),
        ("data:image/png;base64,AAAA", None, False),
        ("data:text/html,<p>", "", False),
        # What nobody here has lent is a stranger's page.
        (f"data:text/html,{quote(PAGE, safe='/:?=')}", "", False),
        ("nowhere", None, False),
    ],
)
async def test_source(
    home: HomeAssistant, source: str, url: str | None, has_origin: bool
) -> None:
    """Only a public host that nobody shares gives an origin, and only ours are relative."""
    found = source_of(home, source)
    assert found.url == (source if url is None else url)
    assert found.has_origin is has_origin
    assert not found.is_ours


@pytest.mark.parametrize(
    "source",
    [
        f"data:text/html,{quote(PAGE)}",
        f"data:text/html;charset=utf-8,{quote(PAGE)}",
        f"data:text/html;base64,{b64encode(PAGE.encode()).decode()}",
        f"data:text/html;charset=latin-1;base64,{b64encode(PAGE.encode('latin-1')).decode()}",
    ],
)
def test_written(source: str) -> None:
    """In a page that is written in its address, what is lent comes from the origin of the page around it, and nothing else does."""
    # Also what no setting names: that of the network, or of a home that has moved.
    page = PAGE.replace(f"{HOME}/api", "/api").replace("http://[fd00::5]:8123", "")
    assert written_page(source).decode() == page


@pytest.mark.parametrize(
    "source",
    ["data:text/html;charset=odd,%ff", "data:text/html,%ff", "data:text/html;base64,_"],
)
def test_written_oddly(source: str) -> None:
    """A page in letters that nobody knows is shown as it is, and no page is none."""
    assert b"\xff" in written_page(source) or source.endswith("_")
    assert written_page("https://art.example") == b""
