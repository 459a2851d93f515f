"""Each example of the documents is run in Home Assistant, with displays, a library and an indexer."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
import re
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import async_mock_service
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
import yaml

from custom_components.dp1.browse.pictures import PICTURES
from homeassistant.components.media_source import (
    async_browse_media,
    async_resolve_media,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar, device_registry as dr
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from .displays import set_up, until
from .houses import House, series, served, titles
from .libraries import library_entry
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.feed import FeedSimulator
from .simulators.indexer import IndexerSimulator
from .sources import INTEGRATION, ROOT

ROOM = "media_player.living_room"
# A reader puts a title and an id of their own here.
SOME_TITLE = "a title from Browse media"
SOME_SERIES = "11111111-aaaa-4aaa-8aaa-111111111111"
CARDS = {"button", "grid", "heading", "media-control", "sections", "tile"}
FEATURES = {
    "media-player-playback",
    "media-player-source",
    "media-player-volume-slider",
}
FRONTEND = "".join(
    path.read_text("utf-8") for path in (INTEGRATION / "frontend").glob("*.js")
)

pytestmark = pytest.mark.usefixtures("socket_enabled")


def examples() -> Iterator[tuple[str, Any]]:
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = path.read_text("utf-8").replace(SOME_TITLE, "Net Evil")
        for found in re.finditer(r"```yaml\n(.*?)```", text, re.DOTALL):
            line = text[: found.start()].count("\n") + 1
            yield f"{path.name}:{line}", yaml.safe_load(found[1])


EXAMPLES = dict(examples())
SCRIPTS = {
    name: example
    for name, example in EXAMPLES.items()
    if isinstance(example, list) or "action" in example
}
WITH_SERIES = next(name for name in SCRIPTS if SOME_SERIES in str(SCRIPTS[name]))
AUTOMATIONS = {
    name: example
    for name, example in EXAMPLES.items()
    if name not in SCRIPTS and "triggers" in example
}
OTHERS = EXAMPLES.keys() - SCRIPTS.keys() - AUTOMATIONS.keys()


@pytest.fixture
async def house(hass: HomeAssistant, tmp_path: Path) -> AsyncIterator[House]:
    """Set up what the examples name."""
    hass.config.config_dir = str(tmp_path)
    hass.config.internal_url = "http://127.0.0.1:8123"
    hass.config.media_dirs = {"local": str(tmp_path)}
    (tmp_path / "door.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / "own.html").write_text("<p>Hello</p>")
    (tmp_path / "configuration.yaml").touch()
    for component in ("homeassistant", "media_source", "conversation"):
        assert await async_setup_component(hass, component, {})
    today = series("Today", 1)
    today["items"][0]["displayAt"] = f"{dt_util.now().date()}T00:00:00"
    async with (
        served(today) as (daily,),
        CatalogSimulator() as catalog,
        FeedSimulator("signed", random_seed=1) as feed,
        IndexerSimulator() as indexer,
        House.of(hass, "living_room", "left", "middle", "right") as house,
    ):
        entry = library_entry(
            feed.url,
            catalog.url,
            options={"daily_url": daily, "indexer_url": indexer.url},
        )
        await set_up(hass, entry)
        show = catalog.data.find_exhibition("Net Evil")
        key = catalog.data.series(show["id"])[0]["id"]
        SCRIPTS[WITH_SERIES][1]["data"]["series"] = key
        works = await entry.runtime_data.async_children(f"series/{key}")
        await entry.runtime_data.async_add_favorite(works.nodes[0].id)
        area = ar.async_get(hass).async_create("Living room")
        registry = dr.async_get(hass)
        for device in dr.async_entries_for_config_entry(
            registry, house.entries["living_room"].entry_id
        ):
            registry.async_update_device(device.id, area_id=area.id)
        yield house


def test_examples_are_of_known_kinds() -> None:
    """Nothing is left out: the rest are cards and the logger."""
    assert len(SCRIPTS) >= 11
    assert len(AUTOMATIONS) >= 2
    kinds = {name.partition(":")[0] for name in OTHERS}
    assert kinds == {"automations.md", "dashboards.md", "troubleshooting.md"}


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_examples_run(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """Every script and automation runs without an error, and every card names what exists."""
    hass = house.hass
    snapshots = async_mock_service(hass, "camera", "snapshot")
    notes = async_mock_service(hass, "notify", "persistent_notification")
    phone = async_mock_service(hass, "notify", "mobile_app_phone")
    paper = async_mock_service(hass, "opendisplay", "upload_image")
    scripts = {
        f"example_{number}": {"sequence": example, "mode": "single"}
        for number, example in enumerate(SCRIPTS.values())
    }
    assert await async_setup_component(hass, "script", {"script": scripts})
    await hass.async_block_till_done()
    for name, where in zip(scripts, SCRIPTS, strict=True):
        assert hass.services.has_service("script", name), where
        try:
            await hass.services.async_call("script", name, blocking=True)
        except Exception as err:
            err.add_note(where)
            raise
    assert phone[0].data["title"] and phone[0].data["data"]["image"].startswith("/api/")
    wanted = paper[0].data["image"]["media_content_id"]
    assert await hass.data[PICTURES].async_of(wanted)
    automations = [
        {"alias": f"Example {number}", "id": f"{number}", **example}
        for number, example in enumerate(AUTOMATIONS.values())
    ]
    caplog.clear()
    hass.states.async_set("event.doorbell", "before")
    assert await async_setup_component(hass, "automation", {"automation": automations})
    await hass.async_block_till_done()
    for number, where in enumerate(AUTOMATIONS):
        state = hass.states.get(f"automation.example_{number}")
        assert state is not None and state.state == "on", where
    hass.states.async_set("event.doorbell", "rung")
    await until(lambda: bool(snapshots))
    await until(lambda: "door" in titles(house.walls["living_room"].state.items)[0])
    for number in range(len(automations)):
        await hass.services.async_call(
            "automation",
            "trigger",
            {"entity_id": f"automation.example_{number}", "skip_condition": True},
            blocking=True,
        )
    await hass.async_block_till_done()
    await hass.services.async_call(
        "automation", "turn_off", {"entity_id": "all"}, blocking=True
    )
    assert notes
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert not errors, errors
    for name in OTHERS:
        _check_view(hass, EXAMPLES[name])
    assert await async_setup_component(hass, "logger", {"logger": {}})


async def test_wall_panel(
    house: House, hass_client_no_auth: ClientSessionGenerator
) -> None:
    """The screensaver of WallPanel finds the picture of what hangs, and the works of a series."""
    (panel,) = (it["wallpanel"] for it in EXAMPLES.values() if "wallpanel" in it)
    prefix, _, entity_id = panel["image_url"].partition("://")
    assert (prefix, entity_id) == ("media-entity", ROOM)
    call = house.hass.services.async_call
    query = {"query": "Net Evil", "kinds": ["series"], "limit": 1}
    found = await call("dp1", "search", query, blocking=True, return_response=True)
    series_id = found["results"][0]["media_content_id"]
    await house.do("dp1.cast_playlist", "living_room", media_content_id=series_id)
    await until(lambda: house.attribute("living_room", "entity_picture"))
    client = await hass_client_no_auth()
    picture = await client.get(house.attribute("living_room", "entity_picture"))
    assert (picture.status, picture.content_type) == (200, "image/png")

    page = await async_browse_media(house.hass, series_id)
    works = [it for it in page.children or () if it.media_class == "image"]
    assert works
    for work in works[:3]:
        media = await async_resolve_media(house.hass, work.media_content_id, None)
        assert media.mime_type and media.url


def _check_view(hass: HomeAssistant, card: Any) -> None:
    """Check the types, entities and actions of a card, a view or a strategy."""
    if isinstance(card, list):
        for part in card:
            _check_view(hass, part)
        return
    if not isinstance(card, dict):
        return
    kind = card.get("type", "")
    if kind.startswith("custom:"):
        assert f'"{kind.removeprefix("custom:")}"' in FRONTEND, kind
    elif kind:
        assert kind in CARDS | FEATURES, kind
    if "entity" in card:
        assert hass.states.get(card["entity"]), card
    if action := card.get("perform_action"):
        assert hass.services.has_service(*action.split("."))
    for part in card.values():
        _check_view(hass, part)
