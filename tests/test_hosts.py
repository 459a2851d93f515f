"""Test what becomes of works whose hosts end."""

import pytest

from custom_components.dp1 import async_setup_data
from custom_components.dp1.browse.pictures import PICTURES, Pictures
from custom_components.dp1.client.hosts import GATEWAYS
from custom_components.dp1.hosts import HOSTS, MAX_LOOKS, Hosts
from homeassistant.core import HomeAssistant

from .pictures import PNG
from .simulators.gateway import CID, ID, Internet, Mode
from .timing import set_timing

FIRST, *OTHERS = [gateway.host for gateway in GATEWAYS["ipfs"]]
# In subdomain form.
RUNS_SCRIPTS = "ipfs.hypha.coop"


@pytest.fixture
async def hosts(hass: HomeAssistant, internet: Internet) -> Hosts:
    async_setup_data(hass)
    return hass.data[HOSTS]


@pytest.fixture
def pictures(hass: HomeAssistant, hosts: Hosts) -> Pictures:
    return hass.data[PICTURES]


@pytest.mark.parametrize("mode", [None, *Mode])
@pytest.mark.parametrize(
    ("url", "first", "path", "second"),
    [
        (f"ipfs://{CID}/a.png", FIRST, f"ipfs/{CID}/a.png", OTHERS[0]),
        (f"https://ipfs.io/ipfs/{CID}/a.png", FIRST, f"ipfs/{CID}/a.png", OTHERS[0]),
        (f"https://arweave.net/{ID}", "turbo-gateway.com", ID, "ardrive.net"),
    ],
)
async def test_a_picture_when_the_first_gateway_ends(
    internet: Internet,
    pictures: Pictures,
    mode: Mode | None,
    url: str,
    first: str,
    path: str,
    second: str,
) -> None:
    """The next one is asked once, also where the first answers 200 with something else; then it is the first."""
    if mode is None:
        del internet.hosts[first]
    else:
        internet.hosts[first] = mode
    if mode is Mode.SLOW:
        set_timing(picture_timeout=2.0)
    picture = await pictures.async_at(url)
    assert picture is not None
    assert picture.content == PNG
    ways = [] if mode is None else [f"GET {first}/{path}"]
    if mode is Mode.LEADS:
        ways *= 2
    elif mode is not Mode.LIVES:
        ways.append(f"GET {second}/{path}")
    assert internet.asked == ways
    pictures._cache.clear()
    assert await pictures.async_at(url)
    assert internet.asked == ways + (ways if mode is Mode.LEADS else ways[-1:])


async def test_a_picture_when_all_gateways_end(
    internet: Internet, pictures: Pictures
) -> None:
    """Two are asked, and no more."""
    internet.hosts = dict.fromkeys(internet.hosts, Mode.ENDS)
    assert await pictures.async_at(f"ipfs://{CID}/a.png") is None
    assert len(internet.asked) == 2


@pytest.mark.parametrize(
    ("mode", "is_there"),
    [
        (Mode.LIVES, True),
        (Mode.ENDS, None),
        (Mode.LISTS, False),
        (Mode.FAILS, False),
        (None, False),
    ],
)
async def test_a_look(
    internet: Internet, hosts: Hosts, mode: Mode | None, is_there: bool | None
) -> None:
    """One small request tells whether a web work is there; that a browser may be let in says nothing. It is kept."""
    host = "works.example.org"
    if mode is not None:
        internet.hosts[host] = mode
    internet.works[f"{host}/a/"] = ("text/html", b"<h1>Work</h1>" * 100_000)
    url = f"https://{host}/a/"
    assert await hosts.async_look(url) is is_there
    assert await hosts.async_look(url) is is_there
    own = [asked for asked in internet.asked if host in asked]
    assert len(own) == (2 if is_there is None else mode is not None)


async def test_a_look_without_internet(internet: Internet, hosts: Hosts) -> None:
    """Whoever has no internet here knows nothing of a work."""
    internet.hosts = {}
    assert await hosts.async_look("https://works.example.org/a/") is None


@pytest.mark.parametrize("mode", [Mode.ENDS, Mode.LISTS, Mode.LIMITS])
async def test_a_look_at_a_gateway(
    internet: Internet, hosts: Hosts, mode: Mode
) -> None:
    """A gateway that limits or lists a folder has no work."""
    internet.hosts[RUNS_SCRIPTS] = mode
    url = hosts.best(f"ipfs://{CID}/")
    assert RUNS_SCRIPTS in url
    assert await hosts.async_look(url) is False
    assert RUNS_SCRIPTS not in hosts.best(url)


async def test_few_looks(internet: Internet, hosts: Hosts) -> None:
    """Whatever strangers name, a few are asked a minute, and nothing at home."""
    for number in range(20):
        await hosts.async_look(f"https://ipfs.filebase.io/{number}/")
        await hosts.async_look(f"http://192.168.1.{number}/")
        await hosts.async_look(f"http://nas.local/{number}/")
    assert len(internet.asked) <= MAX_LOOKS
