"""Each blueprint is run as Home Assistant runs it, with displays, a library and time that moves."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, override
from unittest.mock import patch

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
from .galleries import EVENING as EVENING_ID, Gallery
from .sources import ROOT

FOLDER = ROOT / "blueprints" / "automation" / "dp1"
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
        wall.caster.preflight = False
        wall.player.load(EVENING)
        wall.player.handle("moveToArtwork", {"index": 2})
        await until(lambda: gallery.attribute("media_title") == "Dusk")
        hass.states.async_set("binary_sensor.door", "off")
        hass.states.async_set("binary_sensor.water", "off", {"friendly_name": "Water"})
        hass.states.async_set("camera.door", "idle")
        told = async_mock_service(hass, "notify", "phone")
        walls = {"displays": [ENTITY_ID]}
        await use(
            hass,
            doorbell={
                **walls,
                "doorbell": "binary_sensor.door",
                "camera": "camera.door",
            },
            alarm_message={**walls, "alarm": "binary_sensor.water"},
            new_exhibition={"notify": "notify.phone"},
            display_in_trouble={**walls, "notify": "notify.phone"},
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


@pytest.mark.usefixtures("socket_enabled")
async def test_titles_of_strangers(hass: HomeAssistant) -> None:
    """A title that looks like a template or a value stays a title: it is rendered once, and taken as a text."""
    titles = ["{{ states | count }}", "{% set x = 1 %}", "[1, 2]", "{'a': 1}", "None"]
    titles += ["True", "007", "1984", "...", "1e9", "<" * 100, "[x](http://a) ![](b)"]
    assert await async_setup_component(
        hass, "input_text", {"input_text": {"last": {"initial": ""}}}
    )
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

    async with Gallery.of(hass) as gallery:
        wall = gallery.wall
        wall.caster.preflight = False
        hass.services.async_register("notify", "phone", tell)
        await use(
            hass,
            new_exhibition={"notify": "notify.phone"},
            followed_channel={"display": ENTITY_ID, "memory": "input_text.last"},
        )
        async_track_state_change_event(hass, "input_text.last", keep)
        news = {"media_content_id": gallery.media_id(f"playlist/{EVENING_ID}")}
        for title in titles:
            reset = {"entity_id": "input_text.last", "value": ""}
            await hass.services.async_call("input_text", "set_value", reset, True)
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


@pytest.mark.parametrize(
    "names",
    [["1984", "2001"], ["[1]", "{}", "True"], ["Short", "A" * 110, "A" * 120]],
    ids=["numbers", "values", "long"],
)
async def test_titles_of_the_day(hass: HomeAssistant, names: list[str]) -> None:
    """Each day has another entry, whatever its title looks like and however long it is."""
    await set_noon(hass)
    assert await async_setup_component(
        hass, "input_text", {"input_text": {"last": {"initial": ""}}}
    )
    chosen = async_mock_service(hass, "media_player", "select_source")
    shown = ""
    day = {"display": ENTITY_ID, "at": soon(60), "memory": "input_text.last"}
    await use(hass, art_of_the_day=day)
    for number in range(1, 6):
        attributes = {"source_list": names, "source": shown}
        hass.states.async_set(ENTITY_ID, "playing", attributes)
        await later(hass, days=number, minutes=61)
        assert len(chosen) == number
        before, shown = shown, chosen[-1].data["source"]
        assert shown in names and shown != before
        assert state_of(hass, "input_text.last").state == shown[:100]
    await stop(hass)


@pytest.mark.parametrize(
    ("presence", "there", "away"),
    [("person.ana", "home", "Work"), ("zone.home", "1", "0")],
)
async def test_nobody_is_there(
    hass: HomeAssistant, presence: str, there: str, away: str
) -> None:
    """Displays sleep when the last one is gone, also to another zone."""
    await set_noon(hass)
    slept = async_mock_service(hass, "media_player", "turn_off")
    hass.states.async_set(ENTITY_ID, "playing")
    hass.states.async_set(presence, there)
    hours = {"opens": "00:00:00", "closes": "23:59:59"}
    displays = {"displays": [ENTITY_ID], "presence": presence}
    await use(hass, gallery_hours={**displays, **hours})
    for state, count in (("unavailable", 0), (there, 0), (away, 1)):
        hass.states.async_set(presence, state)
        await hass.async_block_till_done()
        await later(hass, minutes=10, seconds=1)
        assert len(slept) == count
    await stop(hass)


@pytest.mark.usefixtures("socket_enabled")
async def test_days(hass: HomeAssistant) -> None:
    """Art of the day, gallery hours, good night and good morning."""
    await set_noon(hass)
    async with Gallery.of(hass) as gallery:
        wall = gallery.wall
        wall.caster.preflight = False
        wall.player.load(EVENING)
        await until(lambda: gallery.attribute("media_playlist") == "Evening")
        assert await async_setup_component(
            hass, "input_text", {"input_text": {"last": {"max": 255, "initial": ""}}}
        )
        hass.states.async_set("binary_sensor.people", "off")
        hass.states.async_set("sensor.light", "5")
        dimmed = async_mock_service(hass, "number", "set_value")
        await use(
            hass,
            art_of_the_day={
                "display": ENTITY_ID,
                "at": soon(60),
                "memory": "input_text.last",
            },
            gallery_hours={
                "displays": [ENTITY_ID],
                "presence": "binary_sensor.people",
                "opens": "00:00:00",
                "closes": "23:59:59",
                "brightness": ["number.wall"],
                "light_sensor": "sensor.light",
            },
        )

        # The art of the day, then what a person chose, which stays for a day.
        names = gallery.source_list
        await settle(wall)
        await later(hass, minutes=61)
        await until(lambda: gallery.attribute("source"))
        first = gallery.attribute("source")
        await until(lambda: state_of(hass, "input_text.last").state == first)
        other = next(name for name in names if name != first)
        await gallery.player("select_source", source=other)
        await until(lambda: gallery.attribute("source") == other)
        await settle(wall)
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(days=1, minutes=62))
        await until(lambda: state_of(hass, "input_text.last").state == other)
        assert gallery.attribute("source") == other

        # Somebody comes and goes.
        await gallery.player("turn_off")
        await until(lambda: wall.state.asleep)
        hass.states.async_set("binary_sensor.people", "on")
        await until(lambda: dimmed and not wall.state.asleep)
        assert dimmed[0].data == {"entity_id": ["number.wall"], "value": 40}
        await until(lambda: state_of(hass).state == "playing")
        # What a person does stays, until something changes.
        await gallery.player("turn_off")
        await until(lambda: wall.state.asleep)
        dimmed.clear()
        await later(hass, minutes=10, seconds=1)
        hass.states.async_set("binary_sensor.people", "on", {"battery": 9})
        await hass.async_block_till_done()
        assert wall.state.asleep
        assert not dimmed
        hass.states.async_set("sensor.light", "300")
        await until(lambda: dimmed)
        assert dimmed[0].data["value"] == 90
        assert wall.state.asleep
        await gallery.player("turn_on")
        await until(lambda: state_of(hass).state == "playing")
        hass.states.async_set("binary_sensor.people", "off")
        await hass.async_block_till_done()
        await settle(wall)
        await later(hass, minutes=10, seconds=1)
        await until(lambda: wall.state.asleep)
        await stop(hass)


@pytest.mark.usefixtures("socket_enabled")
async def test_night(hass: HomeAssistant) -> None:
    """A display sleeps at night, and shows something else in the morning."""
    await set_noon(hass)
    async with Gallery.of(hass) as gallery:
        wall = gallery.wall
        wall.caster.preflight = False
        before = gallery.source_list[0]
        await gallery.player("select_source", source=before)
        await until(lambda: gallery.attribute("source") == before)
        night, morning = soon(60), soon(120)
        await use(
            hass,
            good_night_good_morning={
                "displays": [ENTITY_ID],
                "night": night,
                "morning": morning,
            },
        )
        await settle(wall)
        await later(hass, minutes=61)
        await until(lambda: state_of(hass).state == "off")
        await settle(wall)
        await later(hass, minutes=121)
        await until(lambda: state_of(hass).state == "playing")
        await until(lambda: gallery.attribute("source") not in (None, before))
        await stop(hass)


@pytest.mark.usefixtures("socket_enabled")
async def test_followed_channel(hass: HomeAssistant) -> None:
    """A new playlist of a followed channel is shown, but not over what was put on today."""
    async with Gallery.of(hass) as gallery:
        wall = gallery.wall
        wall.caster.preflight = False
        assert await async_setup_component(
            hass, "input_text", {"input_text": {"last": {"max": 255, "initial": ""}}}
        )
        await use(
            hass,
            followed_channel={
                "display": ENTITY_ID,
                "channel": "Evenings",
                "memory": "input_text.last",
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

        def memory() -> str:
            """Return what the automation remembers."""
            return state_of(hass, "input_text.last").state

        tell(channel="Mornings")
        await hass.async_block_till_done()
        assert memory() == ""
        tell()
        await until(lambda: gallery.attribute("media_playlist") == "Evening")
        await hass.async_block_till_done()
        assert memory() == "Evening"

        # Somebody puts on something else, which stays for today.
        wall.player.load(playlist("Dawn", title="Morning", id=None))
        today = dt_util.now().date().isoformat()
        await until(lambda: memory() == today)
        tell()
        await hass.async_block_till_done()
        await settle(wall)
        assert wall.state.current_title == "Dawn"
        await hass.services.async_call(
            "input_text",
            "set_value",
            {"entity_id": "input_text.last", "value": "2020-01-01"},
            blocking=True,
        )
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


@pytest.mark.usefixtures("socket_enabled")
async def test_curator(hass: HomeAssistant) -> None:
    """A model chooses among what was found and says why; any other answer changes nothing."""
    async with Gallery.of(hass) as gallery:
        wall = gallery.wall
        wall.caster.preflight = False
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


@pytest.mark.usefixtures("socket_enabled")
async def test_curator_without_model(hass: HomeAssistant) -> None:
    """Chance chooses among what was found, and gives no reason."""
    async with Gallery.of(hass) as gallery:
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
