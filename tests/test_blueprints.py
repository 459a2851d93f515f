"""Each blueprint is run as Home Assistant runs it, with displays, a library and time that moves."""

from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
import re
from typing import Any, override
from unittest.mock import patch

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest
from pytest_homeassistant_custom_component.common import (
    async_fire_time_changed,
    async_mock_service,
)

from custom_components.dp1.library.news import NEWS, NewsItem
from homeassistant.components.ai_task import (
    DATA_COMPONENT,
    AITaskEntity,
    AITaskEntityFeature,
    GenDataTask,
    GenDataTaskResult,
)
from homeassistant.components.automation.config import AUTOMATION_BLUEPRINT_SCHEMA
from homeassistant.components.blueprint import models
from homeassistant.components.conversation import ChatLog
from homeassistant.components.notify import NOTIFY_SERVICE_SCHEMA
from homeassistant.const import MAJOR_VERSION, MINOR_VERSION
from homeassistant.core import (
    Event,
    EventStateChangedData,
    HomeAssistant,
    ServiceCall,
    callback,
)
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util, yaml as yaml_util

from .displays import ENTITY_ID, playlist, settle, state_of, until
from .galleries import EVENING as EVENING_ID, READY_MADE, Gallery
from .sources import ROOT

WALLS = {"displays": [ENTITY_ID]}
MEMORY = "input_text.last"
FOLDER = ROOT / "blueprints" / "automation" / "dp1"
# One pixel.
PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
EVENING = playlist("Dawn", "Noon", "Dusk")
for item in EVENING["items"]:
    item["duration"] = 86400
TEXTS = [
    path.read_text("utf-8").replace("%3A", ":").replace("%2F", "/")
    for path in (ROOT / "docs").glob("*.md")
]


@contextmanager
def shipped() -> Iterator[None]:
    """Let Home Assistant find the blueprints of the repository."""

    @callback
    def load(self: models.DomainBlueprints, path: str) -> models.Blueprint:
        data = yaml_util.load_yaml_dict(FOLDER / Path(path).name)
        return models.Blueprint(
            data,
            expected_domain=self.domain,
            path=path,
            schema=AUTOMATION_BLUEPRINT_SCHEMA,
        )

    with patch.object(models.DomainBlueprints, "_load_blueprint", load):
        yield


async def use(hass: HomeAssistant, **blueprints: dict[str, Any]) -> None:
    automations = [
        {
            "id": name,
            "alias": name,
            "use_blueprint": {"path": f"dp1/{name}.yaml", "input": inputs},
        }
        for name, inputs in blueprints.items()
    ]
    with shipped():
        assert await async_setup_component(
            hass, "automation", {"automation": automations}
        )
        await hass.async_block_till_done()
    for name in blueprints:
        assert state_of(hass, f"automation.{name}").state == "on", name


async def remember(hass: HomeAssistant, text: str) -> None:
    """Set what an automation remembers."""
    last = {"last": {"initial": ""}}
    assert await async_setup_component(hass, "input_text", {"input_text": last})
    value = {"entity_id": MEMORY, "value": text}
    await hass.services.async_call("input_text", "set_value", value, blocking=True)


def memory(hass: HomeAssistant) -> str:
    return state_of(hass, MEMORY).state


async def stop(hass: HomeAssistant) -> None:
    """Turn the automations off, with the timers they wait for."""
    await hass.services.async_call(
        "automation", "turn_off", {"entity_id": "all"}, blocking=True
    )


@pytest.mark.parametrize("path", FOLDER.glob("*.yaml"), ids=lambda path: path.stem)
def test_import_links(path: Path) -> None:
    """Each is imported by a link in the documentation, which names its own address."""
    metadata = yaml_util.load_yaml_dict(path)["blueprint"]
    url = metadata["source_url"]
    assert url.endswith(f"/{path.relative_to(ROOT)}")
    assert any(url in text for text in TEXTS)


async def later(hass: HomeAssistant, **time: int) -> None:
    """Move the time, by less than requests take."""
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(**time))
    await hass.async_block_till_done()


async def set_noon(hass: HomeAssistant) -> None:
    """Move to where it is about noon, so that what is waited for is on the same day."""
    await hass.config.async_set_time_zone(f"Etc/GMT{dt_util.utcnow().hour - 12:+d}")


def soon(minutes: int) -> str:
    """Return a time of day."""
    when: datetime = dt_util.now() + timedelta(minutes=minutes)
    return when.strftime("%H:%M:00")


@pytest.mark.usefixtures("socket_enabled")
async def test_moments(hass: HomeAssistant) -> None:
    """The doorbell, an alarm, a new exhibition and a display in trouble."""
    hass.config.internal_url = "http://127.0.0.1:8123"
    async with Gallery.of(hass, load=False) as gallery:
        wall = gallery.wall
        wall.player.load(EVENING)
        wall.player.handle("moveToArtwork", {"index": 2})
        await until(lambda: gallery.attribute("media_title") == "Dusk")
        hass.states.async_set("binary_sensor.door", "off")
        hass.states.async_set("binary_sensor.water", "off", {"friendly_name": "Water"})
        hass.states.async_set("camera.door", "idle")
        told = async_mock_service(hass, "notify", "phone")
        await use(
            hass,
            doorbell={
                **WALLS,
                "doorbell": "binary_sensor.door",
                "camera": "camera.door",
            },
            alarm_message={**WALLS, "alarm": "binary_sensor.water"},
            new_exhibition={"notify": "notify.phone"},
            display_in_trouble={**WALLS, "notify": "notify.phone"},
        )

        hass.states.async_set("binary_sensor.door", "on")
        await until(lambda: wall.state.current_title == "door")
        await hass.async_block_till_done()
        await settle(wall)
        await later(hass, seconds=31)
        await until(lambda: wall.state.current_title == "Dusk")
        await until(lambda: gallery.attribute("media_title") == "Dusk")

        hass.states.async_set("binary_sensor.water", "on", {"friendly_name": "Water"})
        await until(lambda: wall.state.playlist_title == "Alarm")
        await hass.async_block_till_done()
        await settle(wall)
        await later(hass, minutes=5, seconds=1)
        assert wall.state.playlist_title == "Alarm"
        hass.states.async_set("binary_sensor.water", "off", {"friendly_name": "Water"})
        await until(lambda: wall.state.current_title == "Dusk")

        told.clear()
        news = {"title": "New", "artist": "A", "picture": "https://x/1", "link": None}
        async_dispatcher_send(hass, NEWS, NewsItem("x", "exhibition_opened", news))
        await until(lambda: told)
        assert told[0].data["title"] == "New"
        assert told[0].data["data"]["image"] == "https://x/1"

        await until(lambda: gallery.attribute("media_title") == "Dusk")
        wall.overheat()
        await until(lambda: len(told) == 2)
        assert told[1].data["message"].endswith("overheating")
        await stop(hass)


async def test_titles_of_strangers(hass: HomeAssistant, gallery: Gallery) -> None:
    """A title that looks like a template or a value stays a title: it is rendered once, and taken as a text."""
    titles = ["{{ states | count }}", "{% set x = 1 %}", "[1, 2]", "{'a': 1}", "None"]
    titles += ["True", "007", "1984", "...", "1e9", "<" * 100, "[x](http://a) ![](b)"]
    await remember(hass, "")
    told: list[dict[str, Any]] = []
    kept: list[str] = []

    async def tell(call: ServiceCall) -> None:
        """Take a notification as Home Assistant's own action does."""
        told.append(NOTIFY_SERVICE_SCHEMA(dict(call.data)))

    @callback
    def keep(event: Event[EventStateChangedData]) -> None:
        """Note what the automation remembers."""
        if state := event.data["new_state"]:
            kept.append(state.state)

    wall = gallery.wall
    hass.services.async_register("notify", "phone", tell)
    await use(
        hass,
        new_exhibition={"notify": "notify.phone"},
        followed_channel={"display": ENTITY_ID, "memory": MEMORY},
    )
    async_track_state_change_event(hass, MEMORY, keep)
    news = {"media_content_id": gallery.media_id(f"playlist/{EVENING_ID}")}
    for title in titles:
        await remember(hass, "")
        before = wall.casts
        news |= {"title": title, "artist": title, "channel": title}
        told.clear()
        kept.clear()
        for kind in ("exhibition_opened", "channel_playlist"):
            async_dispatcher_send(hass, NEWS, NewsItem("x", kind, dict(news)))
        await hass.async_block_till_done()
        assert [(each["title"], each["message"]) for each in told] == [(title,) * 2]
        assert kept[0] == title
        assert wall.casts > before
    await stop(hass)


async def test_morning_surprise(hass: HomeAssistant, gallery: Gallery) -> None:
    """Each morning has works that did not come before; a display that is off stays so."""
    await set_noon(hass)
    morning = {"display": ENTITY_ID, "at": soon(60), "works": 2}
    await use(hass, morning_surprise=morning)
    shown: list[str] = []
    for day in (1, 2):
        casts = gallery.wall.casts
        await later(hass, days=day, minutes=61)
        await until(lambda casts=casts: gallery.wall.casts > casts)
        shown += [item["id"] for item in gallery.wall.player.items]
    assert len({*shown}) == 4
    gallery.wall.player.turn_page(asleep=True)
    await until(lambda: state_of(hass, ENTITY_ID).state == "off")
    casts = gallery.wall.casts
    await later(hass, days=3, minutes=61)
    assert gallery.wall.casts == casts
    await stop(hass)


async def test_another_source_each_morning(
    hass: HomeAssistant, gallery: Gallery
) -> None:
    """A source of the display takes the place of the surprise."""
    await set_noon(hass)
    morning = {"display": ENTITY_ID, "at": soon(60), "source": READY_MADE}
    await use(hass, morning_surprise=morning)
    await later(hass, minutes=61)
    await until(lambda: gallery.wall.state.playlist_title == READY_MADE)
    await stop(hass)


@pytest.mark.parametrize("is_current", [True, False])
async def test_morning_surprise_only_if(
    hass: HomeAssistant, gallery: Gallery, is_current: bool
) -> None:
    """What else a person asks for counts, in the words of the newer Home Assistant where that is installed."""
    await set_noon(hass)
    source = state_of(hass, ENTITY_ID).attributes["source_list"][0]
    await gallery.player("select_source", source=source)
    wanted = source if is_current else "Something else"
    condition: dict[str, Any] = {
        "condition": "state",
        "entity_id": ENTITY_ID,
        "attribute": "source",
        "state": wanted,
    }
    if (MAJOR_VERSION, MINOR_VERSION) >= (2026, 11):
        condition = {
            "condition": "media_player.is_current_source",
            "target": {"entity_id": ENTITY_ID},
            "options": {"source": [wanted]},
        }
    morning = {"display": ENTITY_ID, "at": soon(60), "only_if": [condition]}
    await use(hass, morning_surprise=morning)
    casts = gallery.wall.casts
    await later(hass, minutes=61)
    if is_current:
        await until(lambda: gallery.wall.casts > casts)
    else:
        assert gallery.wall.casts == casts
    await stop(hass)


async def test_dashboard_as_art(hass: HomeAssistant, gallery: Gallery) -> None:
    """Each quarter of an hour a display that is awake shows the picture at a new address for a while, and what was there before comes back."""
    asked: list[str] = []

    async def take(request: web.Request) -> web.Response:
        """Take a picture."""
        asked.append(request.path_qs)
        return web.Response(body=PICTURE, content_type="image/png")

    app = web.Application()
    app.router.add_get("/dashboard", take)
    async with TestServer(app) as camera:
        gallery.wall.player.load(EVENING)
        await until(lambda: gallery.attribute("media_title") == "Dawn")
        url = f"{camera.make_url('/dashboard')}?size=2"
        # Until the next quarter of an hour, and no other comes in between.
        quarter = 15 - dt_util.utcnow().minute % 15
        await use(hass, dashboard_as_art={**WALLS, "picture": url})
        await later(hass, minutes=quarter)
        await until(lambda: gallery.wall.state.current["source"].startswith(url))
        assert re.search(r"size=2&at=\d+$", gallery.wall.state.current["source"])
        await settle(gallery.wall)
        await later(hass, minutes=quarter + 2, seconds=1)
        await until(lambda: gallery.wall.state.current_title == "Dawn")
        assert asked
        gallery.wall.player.turn_page(asleep=True)
        await until(lambda: state_of(hass, ENTITY_ID).state == "off")
        casts = gallery.wall.casts
        await later(hass, minutes=quarter + 15)
        assert gallery.wall.casts == casts
        await stop(hass)


async def test_brightness(hass: HomeAssistant) -> None:
    """Somebody who comes, and the light, set the brightness; neither wakes what a person has turned off meanwhile."""
    await set_noon(hass)
    hass.states.async_set(ENTITY_ID, "off")
    hass.states.async_set("binary_sensor.people", "off")
    hass.states.async_set("sensor.light", "5")
    dimmed = async_mock_service(hass, "number", "set_value")
    woken = async_mock_service(hass, "media_player", "turn_on")
    hours = {
        **WALLS,
        "presence": "binary_sensor.people",
        "opens": "00:00:00",
        "closes": "23:59:59",
        "brightness": ["number.wall"],
        "light_sensor": "sensor.light",
    }
    await use(hass, gallery_hours=hours)
    for entity_id, state, battery, values, wakes in (
        ("binary_sensor.people", "on", 10, [40], 1),
        ("binary_sensor.people", "on", 9, [40], 1),
        ("sensor.light", "300", 9, [40, 90], 1),
    ):
        hass.states.async_set(entity_id, state, {"battery": battery})
        await hass.async_block_till_done()
        assert [call.data["value"] for call in dimmed] == values
        assert len(woken) == wakes
    assert dimmed[0].data["entity_id"] == ["number.wall"]
    await stop(hass)


async def test_night(hass: HomeAssistant, gallery: Gallery) -> None:
    """A display sleeps at night, and shows something else in the morning."""
    await set_noon(hass)
    wall = gallery.wall
    before = gallery.source_list[0]
    await gallery.player("select_source", source=before)
    await until(lambda: gallery.attribute("source") == before)
    await use(
        hass,
        good_night_good_morning={**WALLS, "night": soon(60), "morning": soon(120)},
    )
    await settle(wall)
    await later(hass, minutes=61)
    await until(lambda: state_of(hass).state == "off")
    await settle(wall)
    await later(hass, minutes=121)
    await until(lambda: state_of(hass).state == "playing")
    await until(lambda: gallery.attribute("source") not in (None, before))
    await stop(hass)


async def test_followed_channel(hass: HomeAssistant, gallery: Gallery) -> None:
    """A new playlist of a followed channel is shown, but not over what was put on today."""
    wall = gallery.wall
    await remember(hass, "")
    await use(
        hass,
        followed_channel={
            "display": ENTITY_ID,
            "channel": "Evenings",
            "memory": MEMORY,
        },
    )
    news = {
        "title": "Evening",
        "channel": "Evenings",
        "media_content_id": gallery.media_id(f"playlist/{EVENING_ID}"),
    }

    def tell(**changes: str) -> None:
        item = NewsItem("x", "channel_playlist", {**news, **changes})
        async_dispatcher_send(hass, NEWS, item)

    tell(channel="Mornings")
    await hass.async_block_till_done()
    assert memory(hass) == ""
    tell()
    await until(lambda: gallery.attribute("media_playlist") == "Evening")
    await hass.async_block_till_done()
    assert memory(hass) == "Evening"

    # Somebody puts on something else, which stays for today.
    wall.player.load(playlist("Dawn", title="Morning", id=None))
    today = dt_util.now().date().isoformat()
    await until(lambda: memory(hass) == today)
    tell()
    await hass.async_block_till_done()
    await settle(wall)
    assert wall.state.current_title == "Dawn"
    await remember(hass, "2020-01-01")
    tell()
    await until(lambda: wall.state.current_title == "Tide")
    await stop(hass)


class Model(AITaskEntity):
    """An AI Task that answers what it is told to."""

    entity_id = "ai_task.model"
    _attr_name = "Model"
    _attr_supported_features = AITaskEntityFeature.GENERATE_DATA
    answer: Any = None

    def __init__(self) -> None:
        """Initialize without having been asked."""
        self.asked: list[str] = []

    @override
    async def _async_generate_data(
        self, task: GenDataTask, chat_log: ChatLog
    ) -> GenDataTaskResult:
        assert task.structure is not None
        self.asked.append(task.instructions)
        return GenDataTaskResult(conversation_id="1", data=self.answer)


async def test_curator(hass: HomeAssistant, gallery: Gallery) -> None:
    """A model chooses among what was found and says why; any other answer changes nothing."""
    wall = gallery.wall
    for component in ("homeassistant", "ai_task"):
        assert await async_setup_component(hass, component, {})
    model = Model()
    await hass.data[DATA_COMPONENT].async_add_entities([model])
    hass.states.async_set("weather.home", "sunny", {"friendly_name": "Weather"})
    wall.player.load(EVENING)
    await until(lambda: gallery.attribute("media_title") == "Dawn")
    await use(
        hass,
        curator={
            "display": ENTITY_ID,
            "query": "weather",
            "circumstances": ["weather.home"],
            "model": model.entity_id,
            "wishes": "Answer as a sailor.",
        },
    )
    offered = (await gallery.call("search", query="weather"))["results"]
    assert len(offered) > 1

    async def change(state: str, answer: Any) -> None:
        """Change the weather, and wait until the model has been asked and what it said was done."""
        model.answer = answer
        before = len(model.asked)
        hass.states.async_set("weather.home", state, {"friendly_name": "Weather"})
        await until(lambda: len(model.asked) > before)
        await until(
            lambda: state_of(hass, "automation.curator").attributes["current"] == 0
        )
        await hass.async_block_till_done()
        await settle(wall)

    def ignored() -> bool:
        return wall.state.current_title == "Dawn" and not wall.state.asleep

    for state, answer in (
        ("cloudy", None),
        ("fog", ""),
        ("hail", {}),
        ("rainy", [1]),
        ("windy", {"number": 0, "sentence": "Zero."}),
        ("snowy", {"number": len(offered) + 1, "sentence": "Not offered."}),
        ("lightning", {"number": -1, "sentence": "From the end."}),
        ("pouring", {"number": "1; {{ states }}", "sentence": "Hostile."}),
        ("exceptional", {"media_content_id": "http://evil.example/1"}),
        ("clear-night", {"number": ["1"], "sentence": {"a": 1}}),
    ):
        await change(state, answer)
        assert ignored(), answer
    assert "Answer as a sailor." in model.asked[0]
    assert "Weather: cloudy" in model.asked[0]
    assert "Dawn" in model.asked[0]
    assert f'"title":"{offered[0]["title"]}"' in model.asked[0]

    # An attribute alone is no change.
    hass.states.async_set("weather.home", "clear-night", {"temperature": 1})
    await hass.async_block_till_done()
    assert len(model.asked) == 10

    hostile = "<img src=x onerror=alert(1)>{{ 1/0 }} ['a'] " + "x" * 900
    await change("sunny", {"number": 1, "sentence": hostile})
    start = "{{ 1/0 }} ['a'] xx"
    await until(lambda: gallery.attribute("dp1")["note"].startswith(start))
    assert wall.state.playlist_title == offered[0]["title"]

    await change("cloudy", {"number": 2.0, "sentence": "[1, 2]"})
    await until(lambda: gallery.attribute("dp1")["note"] == "[1, 2]")
    assert wall.state.playlist_title == offered[1]["title"]
    await stop(hass)


async def test_curator_without_model(hass: HomeAssistant, gallery: Gallery) -> None:
    """Chance chooses among what was found, and gives no reason."""
    await use(
        hass,
        curator={
            "display": ENTITY_ID,
            "query": "weather",
            "circumstances": ["weather.home"],
        },
    )
    offered = (await gallery.call("search", query="weather"))["results"]
    hass.states.async_set("weather.home", "sunny")
    hass.states.async_set("weather.home", "cloudy")
    titles = {result["title"] for result in offered}
    await until(lambda: gallery.wall.state.playlist_title in titles)
    sent = gallery.wall.state.items
    assert not any("note" in item for item in sent)
    await stop(hass)
