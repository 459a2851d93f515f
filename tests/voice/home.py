"""A home that is spoken to: two displays, a library and the sentences of Assist."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.library.library import Library
from custom_components.dp1.voice.sentences import async_update_sentences
from homeassistant.components import conversation
from homeassistant.core import Context, HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
)
from homeassistant.setup import async_setup_component

from ..displays import entry_of, set_up, until
from ..libraries import library_entry
from ..simulators.catalog.simulator import CatalogSimulator
from ..simulators.display import DisplaySimulator
from .hearing import TABLES, read


def table(language: str) -> dict[str, Any]:
    return read(TABLES / f"{language}.yaml")


@dataclass
class Home:
    """Displays in two rooms, of which the speaker is in the first."""

    hass: HomeAssistant
    language: str
    here: DisplaySimulator
    there: DisplaySimulator
    catalog: CatalogSimulator
    library: Library
    speaker: str
    kitchen: str
    ids: dict[str, str]

    @classmethod
    @asynccontextmanager
    async def of(
        cls,
        hass: HomeAssistant,
        folder: Path,
        language: str,
        names: dict[str, Any],
        catalog: CatalogSimulator | None = None,
    ) -> AsyncIterator[Home]:
        """Set everything up, by default with the large catalog, and install the sentences."""
        language = names.get("language", language)
        hass.config.config_dir = str(folder)
        (folder / "configuration.yaml").touch()
        await async_process_ha_core_config(
            hass, {"language": language, "internal_url": "http://127.0.0.1:9"}
        )
        for component in ("homeassistant", "media_source", "conversation"):
            assert await async_setup_component(hass, component, {})
        async with AsyncExitStack() as stack:
            catalog = catalog or CatalogSimulator()
            await stack.enter_async_context(catalog)
            walls = [
                await stack.enter_async_context(
                    DisplaySimulator(
                        profile="C",
                        device_id=f"FF1-0000000{number}",
                        poll_interval=0.05,
                        page_delay=0.0,
                        storm_gate=False,
                    )
                )
                for number in (1, 2)
            ]
            floor = fr.async_get(hass).async_create(names["floor"])
            ids = {}
            for number, wall in enumerate(walls, 1):
                wall.caster.preflight = False
                area = ar.async_get(hass).async_create(names[f"room_{number}"])
                if number == 1:
                    ar.async_get(hass).async_update(area.id, floor_id=floor.floor_id)
                device_id = f"FF1-0000000{number}"
                entry = entry_of(
                    wall, unique_id=device_id, title=names[f"display_{number}"]
                )
                await set_up(hass, entry)
                (device,) = dr.async_entries_for_config_entry(
                    dr.async_get(hass), entry.entry_id
                )
                dr.async_get(hass).async_update_device(device.id, area_id=area.id)
                entity_id = er.async_get(hass).async_get_entity_id(
                    "media_player", "dp1", device_id
                )
                assert entity_id
                ids[wall.url] = entity_id
            entry = library_entry(None, catalog.url, options={"voice_sentences": True})
            await set_up(hass, entry)
            await hass.async_block_till_done(wait_background_tasks=False)
            # The library writes them in the background, one after the other.
            await async_update_sentences(hass, enable=True)
            library: Library = entry.runtime_data
            await library.async_children("exhibitions")
            yield cls(
                hass,
                language,
                *walls,
                catalog=catalog,
                library=library,
                speaker=_speaker(hass, names["room_1"]),
                kitchen=_speaker(hass, "Kitchen"),
                ids=ids,
            )

    async def say(self, sentence: str) -> tuple[str, bool]:
        """Say something to the agent of Home Assistant; return its answer, and whether it is an error."""
        result = await conversation.async_converse(
            self.hass,
            sentence,
            None,
            Context(),
            language=self.language,
            device_id=self.speaker,
        )
        response = result.response
        return (
            response.speech.get("plain", {}).get("speech", ""),
            response.error_code is not None,
        )

    async def does(self, sentence: str) -> str:
        """Say something that is to succeed, and return the answer."""
        said, failed = await self.say(sentence)
        assert not failed, f"{sentence}: {said}"
        return said

    async def recognized(self, sentence: str) -> tuple[str | None, dict[str, Any]]:
        """Return which intent the agent of Home Assistant recognizes, with its slots."""
        agent = conversation.async_get_agent(self.hass)
        result = await agent.async_recognize_intent(
            conversation.ConversationInput(
                text=sentence,
                context=Context(),
                conversation_id=None,
                device_id=self.speaker,
                satellite_id=None,
                language=self.language,
                agent_id="conversation.home_assistant",
            )
        )
        if result is None or result.unmatched_entities:
            return None, {}
        return result.intent.name, {
            name: entity.value for name, entity in result.entities.items()
        }

    def attribute(self, wall: DisplaySimulator, name: str) -> Any:
        state = self.hass.states.get(self.ids[wall.url])
        return state.attributes.get(name) if state else None

    async def sees(self, wall: DisplaySimulator, name: str, value: str) -> None:
        """Wait until Home Assistant sees something of a display."""
        await until(lambda: self.attribute(wall, name) == value)

    async def cast(self, title: str, *walls: DisplaySimulator) -> None:
        """Show an exhibition, and wait until Home Assistant sees it."""
        await self.hass.services.async_call(
            "dp1",
            "cast_playlist",
            {
                "entity_id": [self.ids[wall.url] for wall in walls],
                "exhibition": title,
            },
            blocking=True,
        )
        await until(
            lambda: all(
                self.attribute(wall, "media_playlist") == title
                and self.attribute(wall, "media_artist")
                for wall in walls
            )
        )


def seen(wall: DisplaySimulator) -> dict[str, Any]:
    """Return what a wish may change on a display."""
    return {
        "casts": wall.casts,
        "position": wall.state.position,
        "asleep": wall.state.asleep,
        "loop": wall.state.loop_mode,
        "shuffle": wall.state.shuffle,
        "label": wall.state.settings.get("tombstone"),
        "brightness": wall.device.panel.values["brightness"],
        "volume": wall.state.volume,
    }


def _speaker(hass: HomeAssistant, room: str) -> str:
    """Put a voice satellite into a room."""
    entry = MockConfigEntry(domain="test", title="Satellite")
    entry.add_to_hass(hass)
    area = ar.async_get(hass).async_get_or_create(room)
    device = dr.async_get(hass).async_get_or_create(
        config_entry_id=entry.entry_id, identifiers={("test", f"satellite {room}")}
    )
    dr.async_get(hass).async_update_device(device.id, area_id=area.id)
    return device.id
