"""Test the dashboard cards."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
import json
import re
from typing import Any

import hass_frontend
import pytest
from pytest_homeassistant_custom_component.typing import (
    ClientSessionGenerator,
    MockHAClientWebSocket,
    WebSocketGenerator,
)

from custom_components.dp1.cards import CARDS_FILE, FOLDER
from homeassistant.components.onboarding.const import STEPS
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component

from .sources import INTEGRATION
from .walls import Wall

pytestmark = pytest.mark.usefixtures("socket_enabled")

MODULES = {path.name: path.read_text() for path in sorted(FOLDER.glob("*.js"))}
SOURCE = "\n".join(MODULES.values())
VERSION = sha256("".join(MODULES.values()).encode()).hexdigest()[:12]
URL = f"/dp1/{VERSION}/{CARDS_FILE}"


async def loaded(client: ClientSessionGenerator) -> list[str]:
    """Return our modules that the frontend loads."""
    page = await (await (await client()).get("/")).text()
    return re.findall(r'import\("(/dp1/[^"]*)"\)', page)


@pytest.fixture
async def frontend(hass: HomeAssistant, hass_storage: dict[str, Any]) -> None:
    hass_storage["onboarding"] = {"version": 4, "data": {"done": STEPS}}
    assert await async_setup_component(hass, "frontend", {})


@pytest.mark.usefixtures("frontend")
async def test_the_frontend_loads_the_cards(
    bare: Wall, hass_client_no_auth: ClientSessionGenerator
) -> None:
    """The frontend loads the file once, with its version, as long as there is an entry."""
    await bare.set_up()
    assert await loaded(hass_client_no_auth) == [URL]
    await bare.hass.config_entries.async_reload(bare.entry.entry_id)
    assert await loaded(hass_client_no_auth) == [URL]
    client = await hass_client_no_auth()
    for name, source in MODULES.items():
        answer = await client.get(f"/dp1/{VERSION}/{name}")
        assert answer.status == 200
        assert answer.content_type == "text/javascript"
        assert "max-age=2678400" in answer.headers["Cache-Control"]
        assert await answer.text() == source
    # Chromecast is given an address without a version.
    assert (await client.get(f"/dp1/{CARDS_FILE}")).status == 200
    # A dashboard that somebody made of it is not broken before the next start.
    await bare.hass.config_entries.async_remove(bare.entry.entry_id)
    assert await loaded(hass_client_no_auth) == [URL]


def asking(client: MockHAClientWebSocket) -> Callable[..., Awaitable[Any]]:
    """Return a function that asks as the frontend does."""

    async def ask(kind: str, **data: Any) -> Any:
        """Send a message, and return its answer."""
        await client.send_json_auto_id({"type": kind, **data})
        return await client.receive_json()

    return ask


@pytest.mark.parametrize(
    ("language", "title"), [("en", "Art gallery"), ("de", "Kunstgalerie")]
)
@pytest.mark.usefixtures("frontend")
async def test_the_art_gallery(
    bare: Wall, hass_ws_client: WebSocketGenerator, language: str, title: str
) -> None:
    """It is in the sidebar as long as a display wants it there, and goes with the last one, also one that is disabled."""
    bare.hass.config.language = language
    await bare.set_up()
    ask = asking(await hass_ws_client(bare.hass))

    async def panels() -> dict[str, Any]:
        found = (await ask("get_panels"))["result"]
        return {path: panel for path, panel in found.items() if "dp1" in path}

    assert await panels() == {}
    bare.hass.config_entries.async_update_entry(bare.entry, options={"dashboard": True})
    assert await bare.hass.config_entries.async_reload(bare.entry.entry_id)
    entry, dashboard = sorted((await panels()).values(), key=lambda it: it["url_path"])[
        ::-1
    ]
    assert (entry["title"], dashboard["title"]) == (title, title)
    assert entry["config"]["_panel_custom"]["module_url"] == URL
    assert [it["show_in_sidebar"] for it in (entry, dashboard)] == [True, False]
    config = await ask("lovelace/config", url_path=dashboard["url_path"])
    assert config["result"] == {"strategy": {"type": "custom:dp1-gallery"}}
    assert dashboard["url_path"] in SOURCE
    disable = bare.hass.config_entries.async_set_disabled_by
    await disable(bare.entry.entry_id, ConfigEntryDisabler.USER)
    assert await panels() == {}
    await disable(bare.entry.entry_id, None)
    assert len(await panels()) == 2
    assert await bare.hass.config_entries.async_remove(bare.entry.entry_id)
    assert await panels() == {}
    config = await ask("lovelace/config", url_path=dashboard["url_path"])
    assert config["error"]["code"] == "config_not_found"


async def test_without_a_frontend(wall: Wall) -> None:
    """Displays can be set up and removed without the frontend."""
    assert "frontend" not in wall.hass.config.components
    assert await wall.hass.config_entries.async_remove(wall.entry.entry_id)


def test_the_modules_keep_to_themselves() -> None:
    """They connect to no other host."""
    assert not re.search(r"\bfetch\(|@import", SOURCE)
    addresses = set(re.findall(r"https?://([\w.-]+)", SOURCE))
    assert addresses == {"github.com"}


def test_the_frontend_has_its_texts() -> None:
    """Each text that the cards take from Home Assistant's frontend is there in the installed version."""
    folder = hass_frontend.where() / "static" / "translations"
    english: dict[str, str] = {}
    for part in (folder, folder / "lovelace"):
        (file,) = part.glob(f"en-{'?' * 32}.json")
        english |= json.loads(file.read_text())
    form = "ui.panel.lovelace.editor.card.generic."
    options = re.findall(r'(?:name: |action\()"(\w*(?:entity|name|_action))"', SOURCE)
    assert len(options) == 4
    keys = {*re.findall(r'"(ui\.[\w.]+)"', SOURCE), *(form + it for it in options)}
    assert len(re.findall(r"\bui\.", SOURCE)) >= len(keys) - 3 > 10
    assert not [key for key in keys if key not in english]


def test_every_text_of_the_cards_is_there() -> None:
    """Each text of the file exists, and each existing text is used."""
    english = json.loads((INTEGRATION / "translations" / "en.json").read_text())
    texts = english["config_panel"]["card"]
    # Some are the names of icons.
    literals = set(re.findall(r'"(\w+)"', SOURCE))
    literals |= set(re.findall(r'(\w+): "mdi:', SOURCE))
    call = r'\b(?:text|pageText)\("(\w+)"'
    named = set(re.findall(call, SOURCE))
    assert len(named) > 10
    assert named <= texts.keys()
    nested = {key for key, value in texts.items() if isinstance(value, dict)}
    assert texts.keys() - nested <= literals
    for key in nested:
        assert f"`{key}.${{" in SOURCE
