"""Playlists of the feed of a library in its options: publish what hangs, and show, change and delete what was published."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, override

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
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.selector import (
    EntitySelector,
    EntitySelectorConfig,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
)

from .client.display.player_status import PlaylistItem
from .client.errors import Dp1Error
from .client.feed.models import FeedPlaylist
from .client.text import markdown_safe
from .client.values import mapping, text
from .const import DOMAIN
from .coordinator import DisplayCoordinator
from .dialogs import Dialog
from .displays import async_displays
from .errors import translated
from .language import async_message
from .library.library import Library

CONF_PLAYLIST = "playlist"
CONF_PLAYLIST_ID = "playlist_id"
CONF_TITLE = "title"
CONF_WORKS = "works"
CONF_ONLY_PUBLIC = "only_public"
# The newest are offered.
MAX_OFFERED = 200
TITLE_SCHEMA = vol.Schema({vol.Required(CONF_TITLE): TextSelector()})
SHOW_SCHEMA = vol.Schema(
    {
        vol.Required(ATTR_ENTITY_ID): EntitySelector(
            EntitySelectorConfig(domain=Platform.MEDIA_PLAYER, integration=DOMAIN)
        )
    }
)
PUBLISH_SCHEMA = SHOW_SCHEMA.extend({vol.Optional(CONF_TITLE): TextSelector()})


class OrderSelector(SelectSelector):
    """A selector of options in an order, with handles to drag."""

    @override
    def serialize(self) -> dict[str, Any]:
        """Return the selector with an option of the frontend that the backend lacks."""
        return {"selector": {self.selector_type: {**self.config, "reorder": True}}}


class PlaylistsFlow(OptionsFlowWithReload, Dialog[ConfigFlowResult]):
    """The playlists in the options of a library; each change of one is the action of its name."""

    _playlist: FeedPlaylist
    _keys: dict[int, str | int]

    @cached_property
    def _library(self) -> Library:
        """Return the library, which may be removed while the dialog of its first read is open."""
        library: Library = self.config_entry.runtime_data
        return library

    async def async_step_publish(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Publish the playlist of a display, once that is confirmed."""
        if not self._has_feed:
            return self.async_abort(reason="no_feed")
        showing = async_showing(self.hass)
        values = {ATTR_ENTITY_ID: showing[0].entity_id} if len(showing) == 1 else {}
        return await self._async_act(
            "publish", "publish_playlist", PUBLISH_SCHEMA, user_input, values
        )

    async def async_step_leave_out(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Publish without the works that only this home can load."""
        data = {**self._publishing, CONF_ONLY_PUBLIC: True}
        return await self._async_act(
            "leave_out", "publish_playlist", vol.Schema({}), user_input, data=data
        )

    async def async_step_playlists(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose one of the playlists that can be changed."""
        if not self._has_feed:
            return self.async_abort(reason="no_feed")
        try:
            own = await self._library.async_own_playlists()
        except Dp1Error as err:
            return self._not_read(err)
        if not own:
            return self.async_abort(reason="no_playlists")
        playlist_id = user_input[CONF_PLAYLIST] if user_input else None
        # One that is gone by now is not offered again.
        if playlist := next((each for each in own if each.id == playlist_id), None):
            self._playlist = playlist
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
        """Choose an action on the playlist."""
        return self.async_show_menu(
            step_id="playlist",
            menu_options=["show", "rename", "reorder", "remove"],
            description_placeholders=self._placeholders,
        )

    async def async_step_show(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the playlist on a display."""
        displays = [it.entity_id for it in async_displays(self.hass) if it.entity_id]
        values = {ATTR_ENTITY_ID: displays[0]} if len(displays) == 1 else {}
        return await self._async_act(
            "show", "cast_playlist", SHOW_SCHEMA, user_input, values
        )

    async def async_step_rename(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Give the playlist another title."""
        values = {CONF_TITLE: self._playlist.title}
        return await self._async_act(
            "rename", "update_playlist", TITLE_SCHEMA, user_input, values
        )

    async def async_step_reorder(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Put the works into another order, and take out those that are missing then."""
        feed = self._library.feed_server
        try:
            stored = await feed.async_document(self._playlist.id)
        except Dp1Error as err:
            return self._not_read(err)
        items = stored.document.get("items") or []
        titles = [PlaylistItem.parse(item).title for item in items]
        options = [
            SelectOptionDict(value=str(number), label=title or f"#{number}")
            for number, title in enumerate(titles, 1)
        ]
        selector = OrderSelector(SelectSelectorConfig(options=options, multiple=True))
        schema = vol.Schema({vol.Required(CONF_WORKS): selector})
        values = {CONF_WORKS: [option["value"] for option in options]}
        keys = [
            text(mapping(item).get("id")) or number
            for number, item in enumerate(items, 1)
        ]
        if user_input is None:
            # The playlist may change while the page is open.
            self._keys = dict(enumerate(keys, 1))
        numbers = map(int, user_input[CONF_WORKS] if user_input else ())
        chosen = [self._keys.get(number, number) for number in numbers]
        gone = {*self._keys.values()} - {*keys}
        change = {
            "order": [key for key in chosen if key not in gone],
            "remove": [
                key for key in self._keys.values() if key not in {*chosen, *gone}
            ],
        }
        return await self._async_act(
            "reorder", "update_playlist", schema, user_input, values, change
        )

    async def async_step_remove(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Delete the playlist, once that is confirmed."""
        return await self._async_act(
            "remove", "delete_playlist", vol.Schema({}), user_input
        )

    @property
    def _placeholders(self) -> dict[str, str]:
        """Return the placeholders of the texts: the library, and the playlist once it is chosen."""
        playlist = getattr(self, "_playlist", None)
        title = playlist.title if playlist else ""
        return {
            "name": markdown_safe(self.config_entry.title),
            "title": markdown_safe(title),
            # The title of a dialog is no Markdown.
            "heading": title,
            "works": str(playlist.count) if playlist else "",
        }

    async def _async_act(
        self,
        step_id: str,
        action: str,
        schema: vol.Schema,
        user_input: dict[str, Any] | None,
        values: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> ConfigFlowResult:
        """Show a form, perform an action with the input or `data`, and show the form again if that failed."""
        errors: dict[str, str] = {}
        placeholders = {**self._placeholders, "reason": ""}
        if user_input is not None:
            is_new = action == "publish_playlist"
            playlist = {} if is_new else {CONF_PLAYLIST_ID: self._playlist.id}
            fields = user_input if data is None else data
            library = {ATTR_CONFIG_ENTRY_ID: self.config_entry.entry_id}
            if action == "cast_playlist":
                library = {}
            try:
                response = await self.hass.services.async_call(
                    DOMAIN,
                    action,
                    {**library, **playlist, **fields},
                    blocking=True,
                    return_response=is_new,
                )
            except HomeAssistantError as err:
                placeholders["reason"] = async_message(self.hass, err)
                counts = err.translation_placeholders or {}
                if err.translation_key == "works_at_home" and (
                    counts["count"] != counts["works"]
                ):
                    self._publishing = fields
                    step_id, schema = "leave_out", vol.Schema({})
                    placeholders |= counts
                else:
                    errors["base"] = "not_done"
            else:
                url = mapping(response).get("url") or ""
                return self.async_abort(
                    reason=f"{step_id}_done",
                    description_placeholders={**placeholders, "url": str(url)},
                )
        return self._show(step_id, schema, user_input or values, errors, placeholders)


@callback
def async_showing(hass: HomeAssistant) -> list[DisplayCoordinator]:
    """Return the displays that show something."""
    return [
        display
        for display in async_displays(hass)
        if display.entity_id and hass.states.is_state(display.entity_id, STATE_PLAYING)
    ]
