"""The pages of a library's options that publish what hangs, and change and remove what is published."""

from collections.abc import Mapping
from typing import Any

import voluptuous as vol

from homeassistant.config_entries import (
    ConfigEntryState,
    ConfigFlowResult,
    OptionsFlowWithReload,
)
from homeassistant.const import (
    ATTR_CONFIG_ENTRY_ID,
    ATTR_ENTITY_ID,
    STATE_PLAYING,
    Platform,
)
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.selector import (
    EntitySelector,
    EntitySelectorConfig,
    ObjectSelector,
    ObjectSelectorConfig,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
)

from .client.errors import Dp1Error
from .client.text import clean, markdown_safe
from .client.values import mapping
from .const import DOMAIN
from .dialogs import Dialog
from .errors import translated
from .language import async_message
from .library.library import Library
from .library.providers.feed.records import MAX_TITLE, FeedPlaylist

CONF_PLAYLIST = "playlist"
CONF_TITLE = "title"
CONF_WORKS = "works"
CONF_WORK, CONF_NUMBER = "work", "number"
# The newest are offered.
MAX_OFFERED = 200
TITLE_SCHEMA = vol.Schema({vol.Required(CONF_TITLE): TextSelector()})
PUBLISH_SCHEMA = vol.Schema(
    {
        vol.Required(ATTR_ENTITY_ID): EntitySelector(
            EntitySelectorConfig(domain=Platform.MEDIA_PLAYER, integration=DOMAIN)
        ),
        vol.Optional(CONF_TITLE): TextSelector(),
    }
)
# Home Assistant shows such a list with handles to drag.
WORKS_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_WORKS): ObjectSelector(
            ObjectSelectorConfig(
                multiple=True,
                fields={
                    CONF_WORK: {"selector": {"text": {"read_only": True}}},
                    CONF_NUMBER: {
                        "selector": {"number": {"min": 1, "mode": "box"}},
                        "required": True,
                    },
                },
                label_field=CONF_WORK,
                description_field=CONF_NUMBER,
                translation_key=CONF_WORKS,
            )
        )
    }
)


class PublishedPlaylists(OptionsFlowWithReload, Dialog[ConfigFlowResult]):
    """The part of a library's options that is about what it has published; each change is the action of its name."""

    _playlist: FeedPlaylist

    async def async_step_publish(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Publish what a display shows, once that is confirmed."""
        if not self._has_feed:
            return self.async_abort(reason="no_feed")
        showing = [
            entity.entity_id
            for entity in er.async_get(self.hass).entities.values()
            if (entity.domain, entity.platform) == (Platform.MEDIA_PLAYER, DOMAIN)
            and self.hass.states.is_state(entity.entity_id, STATE_PLAYING)
        ]
        values = {ATTR_ENTITY_ID: showing[0]} if len(showing) == 1 else {}
        return await self._async_act(
            "publish",
            PUBLISH_SCHEMA,
            user_input,
            "publish_playlist",
            "publish_done",
            values=values,
        )

    async def async_step_playlists(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose one of the playlists that can be changed."""
        if not self._has_feed:
            return self.async_abort(reason="no_feed")
        library: Library = self.config_entry.runtime_data
        try:
            own = await library.async_own_playlists()
        except Dp1Error as err:
            return self._not_read(err)
        if not own:
            return self.async_abort(reason="no_playlists")
        wanted = user_input[CONF_PLAYLIST] if user_input else None
        # One that is gone by now is not offered again.
        if chosen := next((each for each in own if each.id == wanted), None):
            self._playlist = chosen
            return await self.async_step_playlist()
        options = [
            SelectOptionDict(value=each.id, label=f"{each.title} ({each.created[:10]})")
            for each in own[:MAX_OFFERED]
        ]
        selector = SelectSelector(
            SelectSelectorConfig(options=options, mode=SelectSelectorMode.DROPDOWN)
        )
        return self.async_show_form(
            step_id="playlists",
            data_schema=vol.Schema({vol.Required(CONF_PLAYLIST): selector}),
        )

    @property
    def _has_feed(self) -> bool:
        """Return whether the library is loaded and has a feed."""
        entry = self.config_entry
        return entry.state is ConfigEntryState.LOADED and bool(entry.runtime_data.feed)

    def _not_read(self, err: Dp1Error) -> ConfigFlowResult:
        """End with why the feed could not be read."""
        error = translated(err, "feed", self.config_entry.title)
        reason = markdown_safe(async_message(self.hass, error))
        return self.async_abort(
            reason="not_read", description_placeholders={"reason": reason}
        )

    async def async_step_playlist(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose what to do with the playlist."""
        return self.async_show_menu(
            step_id="playlist",
            menu_options=["rename", "reorder", "remove"],
            description_placeholders=self._placeholders,
        )

    async def async_step_rename(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Give the playlist another title."""
        values = {CONF_TITLE: self._playlist.title}
        return await self._async_act(
            "rename",
            TITLE_SCHEMA,
            user_input,
            "update_playlist",
            "rename_done",
            values=values,
        )

    async def async_step_reorder(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Put the works into another order, and take out those that are missing then."""
        library: Library = self.config_entry.runtime_data
        try:
            stored = await library.feed_coordinator.async_document(self._playlist.id)
        except Dp1Error as err:
            return self._not_read(err)
        items = stored.document.get("items") or []
        titles = [clean(mapping(item).get("title"), MAX_TITLE) for item in items]
        values = {
            CONF_WORKS: [
                {CONF_WORK: title or f"#{number}", CONF_NUMBER: number}
                for number, title in enumerate(titles, 1)
            ]
        }
        works = user_input[CONF_WORKS] if user_input else []
        numbers = [int(work[CONF_NUMBER]) for work in works]
        every = range(1, len(items) + 1)
        change = {
            "order": numbers,
            "remove": [number for number in every if number not in numbers],
        }
        return await self._async_act(
            "reorder",
            WORKS_SCHEMA,
            user_input,
            "update_playlist",
            "reorder_done",
            data=change,
            values=values,
        )

    async def async_step_remove(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Delete the playlist, once that is confirmed."""
        return await self._async_act(
            "remove", vol.Schema({}), user_input, "delete_playlist", "remove_done"
        )

    @property
    def _placeholders(self) -> dict[str, str]:
        """Return what the texts name: the library, and the playlist once it is chosen."""
        playlist = getattr(self, "_playlist", None)
        return {
            "name": markdown_safe(self.config_entry.title),
            "title": markdown_safe(playlist.title) if playlist else "",
            "works": str(playlist.count) if playlist else "",
        }

    async def _async_act(
        self,
        step_id: str,
        schema: vol.Schema,
        user_input: dict[str, Any] | None,
        action: str,
        done: str,
        *,
        data: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> ConfigFlowResult:
        """Show a form, perform an action with what was entered or `data`, and show the form again if that failed."""
        errors: dict[str, str] = {}
        reason = ""
        if user_input is not None:
            named = {"playlist_id": self._playlist.id} if step_id != "publish" else {}
            try:
                await self.hass.services.async_call(
                    DOMAIN,
                    action,
                    {
                        ATTR_CONFIG_ENTRY_ID: self.config_entry.entry_id,
                        **named,
                        **(user_input if data is None else data),
                    },
                    blocking=True,
                )
            except HomeAssistantError as err:
                errors["base"] = "not_done"
                reason = async_message(self.hass, err)
            else:
                return self.async_abort(
                    reason=done, description_placeholders=self._placeholders
                )
        placeholders = {**self._placeholders, "reason": reason}
        return self._show(step_id, schema, user_input or values, errors, placeholders)
