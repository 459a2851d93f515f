"""One display in Home Assistant: what a person sees of it, and does to it."""

from dataclasses import dataclass
from typing import Any

from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.coordinator import DisplayCoordinator
from homeassistant.core import HomeAssistant, State

from . import entities
from .displays import ENTITY_ID, playlist, set_up, state_of, until
from .simulators.display import DisplaySimulator

EVENING = playlist("Dawn", "Noon", "Dusk")


@dataclass(frozen=True)
class Wall:
    """A display, its entry and its entities."""

    hass: HomeAssistant
    display: DisplaySimulator
    entry: MockConfigEntry

    async def set_up(self) -> None:
        await set_up(self.hass, self.entry)

    async def reload(self) -> None:
        await self.hass.config_entries.async_reload(self.entry.entry_id)
        await self.hass.async_block_till_done()

    @property
    def coordinator(self) -> DisplayCoordinator:
        coordinator: DisplayCoordinator = self.entry.runtime_data
        return coordinator

    @property
    def state(self) -> str:
        """Return the state of the media player."""
        return state_of(self.hass).state

    def attribute(self, name: str) -> Any:
        """Return an attribute of the media player."""
        return state_of(self.hass).attributes.get(name)

    async def do(self, action: str, *, response: bool = False, **data: Any) -> Any:
        """Call an action of media players, or of another domain if it is named, on the display."""
        domain, _, name = action.rpartition(".")
        answer = await self.hass.services.async_call(
            domain or "media_player",
            name,
            {"entity_id": ENTITY_ID, **data},
            blocking=True,
            return_response=response,
        )
        return answer[ENTITY_ID] if answer else None

    async def cast(self, document: dict[str, Any] = EVENING, **data: Any) -> None:
        """Show a playlist as an automation does."""
        await self.do("dp1.cast_playlist", playlist=document, **data)
        await self.hass.async_block_till_done()

    async def load(self, document: dict[str, Any] = EVENING) -> None:
        """Show a playlist as the app of the vendor does, and wait until that is seen."""
        self.display.player.load(document)
        title = document["title"]
        await until(lambda: self.attribute("media_playlist") == title)

    def move(self, index: int) -> None:
        """Show another work as the app of the vendor does."""
        self.display.player.handle("moveToArtwork", {"index": index})

    # Other entities, by platform and key

    async def act(self, platform: str, key: str, action: str, **data: Any) -> None:
        await entities.act(self.hass, platform, key, action, **data)

    def value(self, platform: str, key: str) -> str | None:
        """Return the state of an entity, or None if there is none."""
        return entities.value(self.hass, platform, key)

    async def known(self, platform: str, key: str) -> str:
        """Wait until an entity has a value."""
        return await entities.known(self.hass, platform, key)

    def shown(self, platform: str, key: str) -> State:
        return entities.shown(self.hass, platform, key)

    def entity_id(self, platform: str, key: str) -> str | None:
        return entities.entity_id(self.hass, platform, key)
