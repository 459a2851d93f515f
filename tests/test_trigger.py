"""Automations hear of what happens on displays, and ask what they show."""

from contextlib import nullcontext
from typing import Any

import pytest
import voluptuous as vol

from custom_components.dp1.library.news import NEWS, NewsItem
from custom_components.dp1.trigger import async_get_triggers
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import (
    area_registry as ar,
    config_validation as cv,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
    label_registry as lr,
    target as helper,
)
from homeassistant.helpers.condition import (
    async_from_config,
    async_validate_condition_config,
)
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.helpers.trigger import TriggerConfig, async_validate_trigger_config
from homeassistant.setup import async_setup_component

from .displays import ENTITY_ID, playlist, state_of, until
from .entities import entity_id
from .galleries import SMALL, Gallery
from .simulators.display.player import Page


class Heard:
    """What automations heard."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    async def listen(self, hass: HomeAssistant, *triggers: dict[str, Any]) -> None:
        """Set up one automation with several triggers."""

        async def note(call: ServiceCall) -> None:
            self.told.append(dict(call.data))

        hass.services.async_register("test", "note", note)
        names = ("entity_id", "title", "artist", "exhibition", "playlist", "reason")
        automation = {
            "alias": "Listen",
            "mode": "queued",
            "triggers": [
                {"id": str(number), **trigger}
                for number, trigger in enumerate(triggers)
            ],
            "actions": {
                "action": "test.note",
                "data": {
                    "id": "{{ trigger.id }}",
                    **{name: f"{{{{ trigger.{name} | default }}}}" for name in names},
                },
            },
        }
        assert await async_setup_component(
            hass, "automation", {"automation": automation}
        )
        await hass.async_block_till_done()
        assert state_of(hass, "automation.listen").state == "on"

    @property
    def ids(self) -> list[int]:
        return sorted(told["id"] for told in self.told)

    def clear(self) -> None:
        self.told.clear()


async def check(hass: HomeAssistant, condition: str, **options: Any) -> bool | None:
    """Check a condition of the display."""
    target = options.pop("target", {"entity_id": ENTITY_ID})
    config = {"condition": f"dp1.{condition}", "target": target, "options": options}
    checker = await async_from_config(
        hass, await async_validate_condition_config(hass, cv.CONDITION_SCHEMA(config))
    )
    try:
        return checker.async_check()
    finally:
        checker.async_unload()


def place(hass: HomeAssistant) -> dict[str, dict[str, str]]:
    """Put the display in a room on a floor, and give its media player a label; return the targets."""
    floor = fr.async_get(hass).async_create("Ground")
    area = ar.async_get(hass).async_create("Hall", floor_id=floor.floor_id)
    label = lr.async_get(hass).async_create("Art")
    entity = er.async_get(hass).async_get(ENTITY_ID)
    assert entity is not None and entity.device_id
    dr.async_get(hass).async_update_device(entity.device_id, area_id=area.id)
    er.async_get(hass).async_update_entity(ENTITY_ID, labels={label.label_id})
    return {
        "entity": {"entity_id": ENTITY_ID},
        "device": {"device_id": entity.device_id},
        "area": {"area_id": area.id},
        "floor": {"floor_id": floor.floor_id},
        "label": {"label_id": label.label_id},
    }


def work_changed(target: dict[str, str], **options: Any) -> dict[str, Any]:
    return {"trigger": "dp1.work_changed", "target": target, "options": options}


async def test_triggers_and_conditions(hass: HomeAssistant, gallery: Gallery) -> None:
    """A new work is heard by every way to name the display, and only when it is the one that is wanted."""
    gallery.wall.player.load(playlist("Dawn", "Noon"))
    await until(lambda: gallery.attribute("media_playlist") == "Evening")
    targets = place(hass)
    here = targets["entity"]
    heard = Heard()
    exhibition = gallery.catalog.data.find_exhibition(SMALL)
    await heard.listen(
        hass,
        *map(work_changed, targets.values()),
        work_changed(here, exhibition=SMALL.upper()),
        work_changed(here, exhibition="Nothing"),
        work_changed(here, artist="Nobody"),
        work_changed(here, favorite=True),
        {"trigger": "dp1.playlist_started", "target": here},
        {"trigger": "dp1.playback_failed", "target": here},
        work_changed({"entity_id": "media_player.other"}),
    )
    await gallery.cast(exhibition=exhibition["id"])
    await until(lambda: 9 in heard.ids and len(heard.told) >= 7)
    assert heard.ids == [0, 1, 2, 3, 4, 5, 9]
    told = heard.told[-1]
    assert told["entity_id"] == ENTITY_ID
    assert told["exhibition"] == SMALL and told["playlist"] == SMALL
    assert told["title"] == gallery.attribute("media_title") and told["artist"]

    for options, expected in (
        *(({"target": it}, True) for it in targets.values()),
        ({"exhibition": "everything is a WINDOW"}, True),
        ({"artist": told["artist"].split(", ")[0].split()[-1]}, True),
        ({"artist": "Nobody"}, False),
        ({"artist": "∞"}, False),
        ({"playlist": SMALL, "work": told["title"]}, True),
        ({"playlist": SMALL, "work": "Dawn"}, False),
        ({"favorite": True}, False),
        ({"behavior": "all", "for": "01:00:00"}, False),
    ):
        assert await check(hass, "is_showing", **options) is expected, options

    # A favorite is told apart, and what is shown only for a moment is no new work.
    heard.clear()
    await gallery.call("add_favorite", entity_id=ENTITY_ID)
    await gallery.cast(playlist=playlist("Bell"), show_for="01:00:00")
    await until(lambda: gallery.attribute("media_title") == "Bell")
    assert not heard.told
    await gallery.cast(playlist=playlist("Sun", "Moon", title="Night"), start_at=2)
    await until(lambda: 0 in heard.ids)
    await gallery.cast(exhibition=exhibition["id"])
    await until(lambda: 8 in heard.ids)
    assert await check(hass, "is_showing", favorite=True)

    await gallery.player("turn_off")
    await until(lambda: state_of(hass).state == "off")
    assert not await check(hass, "is_showing")
    await gallery.player("turn_on")
    await until(lambda: state_of(hass).state == "playing")

    heard.clear()
    gallery.wall.overheat()
    await until(lambda: heard.ids == [10])
    assert heard.told[0]["reason"] == "overheating"
    await until(lambda: gallery.wall.player.page is Page.ERROR)


async def refusal(hass: HomeAssistant, config: dict[str, Any]) -> str:
    """Return why a trigger is refused when an automation is saved."""
    try:
        await async_validate_trigger_config(hass, cv.TRIGGER_SCHEMA(config))
    except vol.Invalid as err:
        return str(err)
    return ""


async def test_what_cannot_trigger_is_refused(gallery: Gallery) -> None:
    """A target that is no display, an unknown library and a template are refused when an automation is saved."""
    hass = gallery.hass
    hass.states.async_set("media_player.radio", "playing")
    for name, members in (
        ("art", [ENTITY_ID]),
        ("all", [ENTITY_ID, "media_player.radio"]),
    ):
        hass.states.async_set(f"group.{name}", "on", {"entity_id": members})
    devices = dr.async_get(hass).devices
    service = next(each.id for each in devices if each.entry_type)
    template = "{{ states('input_text.any') }}"
    works = entity_id(hass, "sensor", "works")
    for target, reason in (
        ({"entity_id": ENTITY_ID}, ""),
        ({"entity_id": "group.art"}, ""),
        ({"entity_id": "group.all"}, "radio"),
        ({"entity_id": "media_player.radio"}, "not an art display"),
        # Nor are the other entities of a display, and a library.
        ({"entity_id": works}, "not an art display"),
        ({"device_id": service}, "not an art display"),
        ({"area_id": template}, "template"),
        ({"floor_id": template}, "template"),
        ({"label_id": template}, "template"),
    ):
        told = await refusal(
            hass, {"trigger": "dp1.playlist_started", "target": target}
        )
        assert reason in told and bool(told) is bool(reason), target
    wanted = work_changed({"entity_id": ENTITY_ID}, artist=template)
    assert "template" in await refusal(hass, wanted)
    for kind in ("exhibition_opened", "acquired", "left_collection"):
        for entry_id, reason in (
            ("ghost", "not a library"),
            (gallery.library.entry_id, ""),
        ):
            options = {"config_entry_id": entry_id}
            told = await refusal(hass, {"trigger": f"dp1.{kind}", "options": options})
            assert reason in told and bool(told) is bool(reason), kind


EXCLUDES = pytest.mark.skipif(
    not hasattr(helper, "async_extract_excluded_entity_ids"),
    reason="targets exclude from Home Assistant 2026.11 on",
)


@EXCLUDES
async def test_what_a_target_excludes(hass: HomeAssistant, gallery: Gallery) -> None:
    """A display that the picker has taken out of a room triggers nothing, holds for no condition and gets no action."""
    area = place(hass)["area"]
    heard = Heard()
    out = {**area, "exclude": {"entity_id": [ENTITY_ID]}}
    kept = {**area, "exclude": {"entity_id": ["media_player.other"]}}
    await heard.listen(hass, work_changed(out), work_changed(kept))
    gallery.wall.player.load(playlist("Dawn", title="Morning"))
    await until(lambda: heard.told)
    await hass.async_block_till_done()
    assert heard.ids == [1]
    assert await check(hass, "is_showing", target=kept) is True
    assert await check(hass, "is_showing", target=out) is not True
    template = {**area, "exclude": {"area_id": ["{{ states('input_text.any') }}"]}}
    assert "template" in await refusal(hass, work_changed(template))
    for chosen in ({"entity_id": "all"}, area):
        data = {**chosen, "playlist": playlist("Dusk"), "exclude": {}}
        for excluded, is_meant in (("media_player.other", True), (ENTITY_ID, False)):
            data["exclude"] = {"entity_id": [excluded]}
            gallery.wall.reset_counters()
            with nullcontext() if is_meant else pytest.raises(HomeAssistantError):
                await hass.services.async_call("dp1", "cast_playlist", data, True)
            assert bool(gallery.wall.casts) is is_meant


async def test_collections_trigger(gallery: Gallery) -> None:
    """A work that comes into a collection or leaves it triggers; why another library does not is reported."""
    hass = gallery.hass
    library = gallery.library.entry_id
    ran: list[tuple[str, str]] = []
    skipped: list[str] = []
    for kind in ("acquired", "left_collection"):
        for entry_id in (library, "another"):
            trigger = (await async_get_triggers(hass))[kind](
                hass,
                TriggerConfig(f"dp1.{kind}", options={"config_entry_id": entry_id}),
            )
            await trigger.async_attach_runner(
                lambda told, text: ran.append((told["title"], text)),  # type: ignore[arg-type,func-returns-value,return-value]
                lambda info, context=None: skipped.append(info.reason),
            )
        news = NewsItem(library, kind, {"title": "Tide"})
        async_dispatcher_send(hass, NEWS, news)
    assert ran == [
        ("Tide", "acquired in a library"),
        ("Tide", "left_collection in a library"),
    ]
    assert skipped == ["other_library"] * 2
