"""Subentry flow of a library: an album, which is a folder of the home's own pictures."""

from collections.abc import Sequence
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
    CONF_ORDER,
    CONF_PAIRS,
    CONF_SUBFOLDERS,
    Album,
    File,
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
            name, folder = user_input.get(CONF_NAME, ""), user_input[CONF_FOLDER]
            data = {key: user_input[key] for key in user_input if key != CONF_NAME}
            files: Sequence[File] = ()
            with suppress(HomeAssistantError), translated_errors("catalog", folder):
                files = await Album("", name, data).async_files(self.hass)
            if not files:
                errors[CONF_FOLDER] = "no_pictures"
            elif not name:
                errors[CONF_NAME] = "invalid_name"
            else:
                identity = sha256(folder.encode()).hexdigest()[:32]
                return self._save(title=name, data=data, unique_id=identity)
        elif self.source != SOURCE_USER:
            subentry = self._get_reconfigure_subentry()
            values = {CONF_NAME: subentry.title, **subentry.data}
        found = await async_folders(self.hass)
        folders = [SelectOptionDict(value=it, label=found[it]) for it in found]
        schema = vol.Schema(
            {
                vol.Required(CONF_NAME): NAME_FIELD,
                vol.Required(CONF_FOLDER): SelectSelector(
                    SelectSelectorConfig(options=folders, custom_value=True)
                ),
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
