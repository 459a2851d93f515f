"""Links of marketplaces, CAIP ids and `contract:token` become pictures."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest
import yaml

from custom_components.dp1.client.indexer import client
from custom_components.dp1.client.indexer.links import SERVICES
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from tests.houses import House, titles
from tests.libraries import library_entry, set_up
from tests.simulators.indexer import Fault, IndexerSimulator
from tests.timing import set_timing

pytestmark = pytest.mark.usefixtures("socket_enabled")

NOWHERE = "http://127.0.0.1:9/api/v1"
AB = "0x9d180d4E1dEC827190A50831A02445c28ac0AA90"
KT1 = "KT1Df3KvMmJsJibMiggokQoU6gjoMtLdWS1X"
TABLE = yaml.safe_load(Path(__file__).with_name("links.yaml").read_text())


@pytest.fixture
async def indexer(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[IndexerSimulator]:
    """Run an indexer and what the markets answer."""
    monkeypatch.setattr(client, "PAUSE", 0.01)
    monkeypatch.setattr(client, "JOB_POLL", 0.01)

    async def market(request: web.Request) -> web.Response:
        """Name the token of a work as the markets do."""
        if request.path == "/objkt":
            known = "blooms" in await request.text()
            return web.json_response(
                {"data": {"fa": [{"contract": KT1}] if known else []}}
            )
        if request.path == "/fxhash":
            work = {"onChainId": "1180342", "gentkContractAddress": KT1}
            return web.json_response({"data": {"objkt": work}})
        work = {"chain": "ethereum", "contractAddress": AB, "tokenID": "78000042"}
        return web.json_response({"result": work})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", market)
    async with TestServer(app) as server, IndexerSimulator() as running:
        base = str(server.make_url("")).rstrip("/")
        for name, path in {
            "feralfile": "api",
            "fxhash": "fxhash",
            "objkt": "objkt",
        }.items():
            monkeypatch.setitem(SERVICES, name, f"{base}/{path}")
        yield running


@pytest.fixture
async def house(hass: HomeAssistant, indexer: IndexerSimulator) -> AsyncIterator[House]:
    options = {"indexer_url": indexer.url}
    await set_up(hass, library_entry(NOWHERE, options=options))
    async with House.of(hass, "wall") as house:
        yield house


async def cast(house: House, link: str, **data: Any) -> Any:
    """Show what a link names."""
    return await house.hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": "media_player.wall", "media_content_id": link, **data},
        blocking=True,
        return_response=True,
    )


async def test_links_become_pictures(house: House, indexer: IndexerSimulator) -> None:
    """Each form of each market hangs its work, with its artist and its token, and no key is sent."""
    wall = house.walls["wall"]
    for link, title in TABLE["links"].items():
        response = await cast(house, link)
        assert titles(wall.state.items) == [title], link
        assert response["media_player.wall"]["items"] == 1
    (item,) = wall.state.items
    assert item["provenance"]["contract"]["tokenId"] == "78000042"
    assert house.attribute("wall", "media_artist") == "Ines Okafor"
    assert not indexer.authorized
    assert all(
        asked.agent.startswith("home-assistant-dp1/")
        and not asked.arguments.get("owners")
        for asked in indexer.asked
    )


async def test_play_media_and_limit(house: House, indexer: IndexerSimulator) -> None:
    """A series hangs whole or in part, also by the media player's own action."""
    indexer.own("0x68B6018dDBE65234FEFd7D8C266A17BcfF96cd23", 250)
    link = "https://superrare.com/collection/0x23117d0150af2231442De2a8b754Cc204b668540"
    await house.play("wall", link)
    assert len(house.walls["wall"].state.items) == 200
    response = await cast(house, link, limit=3)
    assert response["media_player.wall"]["items"] == 3


async def test_a_work_that_is_not_indexed_yet(
    house: House, indexer: IndexerSimulator
) -> None:
    """It is asked for once, and hangs when it is there."""
    record = next(one for one in indexer.records if one["id"] == "9004")
    indexer.records.remove(record)
    indexer.unindexed[record["token_cid"]] = record
    indexer.job_polls = 20
    await cast(house, f"{record['contract_address']}:5")
    assert titles(house.walls["wall"].state.items) == ["#5"]


async def test_what_cannot_be_resolved_is_named(house: House) -> None:
    """The error says why, and what hangs stays."""
    for link, key in TABLE["refused"].items():
        with pytest.raises(HomeAssistantError) as error:
            await cast(house, link)
        assert error.value.translation_key == key
        assert not house.walls["wall"].state.items
    # Also where the link is called a page, as which others are shown.
    page = {"media_content_type": "web", "media_content_id": f"{KT1[:-1]}Y:7"}
    player = {"entity_id": "media_player.wall"}
    with pytest.raises(HomeAssistantError) as error:
        await house.hass.services.async_call(
            "media_player", "play_media", player | page, blocking=True
        )
    assert error.value.translation_key == "link_wrong_address"


@pytest.mark.parametrize(
    ("fault", "key"),
    [
        (Fault(429, headers={"Retry-After": "900"}), "indexer_busy"),
        (Fault(200, "<html>"), "indexer_web_page"),
        (Fault(403, "<html>"), "indexer_authentication"),
        (Fault(422, "{}"), "indexer_invalid_request"),
    ],
)
async def test_an_indexer_with_a_problem(
    house: House, indexer: IndexerSimulator, fault: Fault, key: str
) -> None:
    """Its own words stay out of the error."""
    indexer.faults.append(fault)
    with pytest.raises(HomeAssistantError) as error:
        await cast(house, f"{KT1}:1180342")
    assert error.value.translation_key == key


async def test_it_takes_too_long(house: House, indexer: IndexerSimulator) -> None:
    """An action ends, and says that the work may come later."""
    set_timing(link_timeout=0.5)
    indexer.job_outcome = ""
    with pytest.raises(HomeAssistantError) as error:
        await cast(house, f"{KT1}:404")
    assert error.value.translation_key == "link_not_ready"


async def test_without_an_indexer(hass: HomeAssistant) -> None:
    """Nothing is asked of anybody where no indexer is set."""
    async with House.of(hass, "wall") as house:
        with pytest.raises(HomeAssistantError) as error:
            await cast(house, f"{KT1}:1180342")
        assert error.value.translation_key == "no_library"
        await set_up(hass, library_entry(NOWHERE, options={"indexer_url": ""}))
        with pytest.raises(HomeAssistantError) as error:
            await cast(house, f"{KT1}:1180342")
        assert error.value.translation_key == "no_indexer"
