"""Subentry flow of a library: an album, which is a folder of the home's own pictures."""

from contextlib import suppress
from hashlib import sha256
from typing import Any

import voluptuous as vol

from homeassistant.config_entries import SOURCE_USER, SubentryFlowResult
from homeassistant.const import CONF_NAME
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.selector import (
    BooleanSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
)

from .collection_flow import SubentryFlow
from .const import DEFAULT_DURATION
from .dialogs import Dialog
from .errors import translated_errors
from .length import LONGEST, SHORTEST
from .library.folder import (
    CONF_FOLDER,
    CONF_ITEM_DURATION,
    CONF_OPEN,
    CONF_ORDER,
    CONF_PAIRS,
    CONF_SUBFOLDERS,
    Album,
    Order,
    async_folders,
)
from .library.settings import NAME_FIELD


class AlbumFlow(SubentryFlow, Dialog[SubentryFlowResult]):
    """The flow of an album that is added or changed."""

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for the folder, the order and the time of each picture, and whether there are pictures."""
        errors: dict[str, str] = {}
        values = user_input
        if user_input is not None:
            is_opened = user_input.pop(CONF_OPEN, False)
            data = {key: user_input[key] for key in user_input if key != CONF_NAME}
            album = Album("", user_input.get(CONF_NAME, ""), data)
            if not is_opened:
                with suppress(HomeAssistantError), translated_errors("catalog"):
                    await album.async_files(self.hass)
                if not album.files:
                    errors[CONF_FOLDER] = "no_pictures"
                elif not (name := user_input.get(CONF_NAME, album.title)):
                    errors[CONF_NAME] = "invalid_name"
                else:
                    identity = f"{album.folder} {album.order}".encode()
                    unique_id = sha256(identity).hexdigest()[:32]
                    return self._save(title=name, data=data, unique_id=unique_id)
        elif self.source != SOURCE_USER:
            subentry = self._get_reconfigure_subentry()
            values = {CONF_NAME: subentry.title, **subentry.data}
        opened = values[CONF_FOLDER] if values else ""
        found = await async_folders(self.hass, opened)
        folders = [SelectOptionDict(value=it, label=found[it]) for it in found]
        schema = vol.Schema(
            {
                vol.Optional(CONF_NAME): NAME_FIELD,
                vol.Required(CONF_FOLDER): SelectSelector(
                    SelectSelectorConfig(options=folders, custom_value=True)
                ),
                vol.Optional(CONF_OPEN, default=False): BooleanSelector(),
                vol.Required(CONF_ORDER, default=Order.SHUFFLED.value): SelectSelector(
                    SelectSelectorConfig(
                        options=[it.value for it in Order],
                        translation_key="album_order",
                    )
                ),
                vol.Required(
                    CONF_ITEM_DURATION, default=DEFAULT_DURATION
                ): NumberSelector(
                    NumberSelectorConfig(
                        min=SHORTEST,
                        max=LONGEST,
                        mode=NumberSelectorMode.BOX,
                        unit_of_measurement="s",
                    )
                ),
                vol.Optional(CONF_SUBFOLDERS, default=False): BooleanSelector(),
                vol.Optional(CONF_PAIRS, default=False): BooleanSelector(),
            }
        )
        return self._show(self.source, schema, values, errors)

    async_step_reconfigure = async_step_user
