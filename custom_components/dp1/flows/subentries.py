"""Subentry flows of a library: collections, channels that are followed, and albums of the home's own pictures."""

from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
import re
from typing import Any, override

import voluptuous as vol
from yarl import URL

from homeassistant.config_entries import (
    SOURCE_USER,
    ConfigSubentryFlow,
    SubentryFlowResult,
)
from homeassistant.const import CONF_NAME, CONF_URL
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.selector import (
    BooleanSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
    TextSelectorConfig,
)

from ..addresses import ADDRESSES, async_session
from ..client.indexer.links import checked_address, look_up_name, name_of
from ..client.text import host_of, markdown_safe, shorten
from ..const import CONF_ADDRESSES, CONF_KEEP_CURRENT, CONF_LOOK_UP, DEFAULT_DURATION
from ..errors import translated_errors
from ..language import async_message
from ..library.folder import (
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
from ..library.length import LONGEST, SHORTEST
from ..library.providers.channel import ChannelAddress
from ..library.providers.collection.server import async_indexer, async_user_agent
from ..library.settings import NAME_FIELD, URL_FIELD, Preferences
from ..library.signing_key import async_signing_key
from . import Dialog

MAX_ADDRESSES = 20
MAX_DETAIL = 200
# Enough to see whether a name is the right one.
SHOWN_WORKS = 3
SCHEMA = vol.Schema(
    {
        vol.Required(CONF_NAME): NAME_FIELD,
        vol.Required(CONF_ADDRESSES): TextSelector(TextSelectorConfig(multiline=True)),
        vol.Optional(CONF_LOOK_UP): BooleanSelector(),
        vol.Optional(CONF_KEEP_CURRENT): BooleanSelector(),
    }
)


CHANNEL_SCHEMA = vol.Schema(
    {
        vol.Optional(CONF_NAME): NAME_FIELD,
        vol.Required(CONF_URL): URL_FIELD,
    }
)


class FolderSelector(SelectSelector):
    """A choice of folders by their names, which takes one that is not offered, too."""

    @override
    def __call__(self, data: Any) -> str:
        """Return the media id of the folder."""
        return str(vol.Schema(str)(data))


class SubentryFlow(ConfigSubentryFlow):
    """A flow that adds or changes a subentry."""

    def _save(self, **values: Any) -> SubentryFlowResult:
        """Add or change the subentry."""
        if self.source == SOURCE_USER:
            return self.async_create_entry(**values)
        return self.async_update_and_abort(
            self._get_entry(), self._get_reconfigure_subentry(), **values
        )


class CollectionFlow(SubentryFlow, Dialog[SubentryFlowResult]):
    """The flow of a collection that is added or changed."""

    _name: str
    _data: dict[str, Any]
    _indexer_url: str

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for the name and the addresses, and look names up if that is allowed."""
        entry = self._get_entry()
        self._indexer_url = Preferences.of(entry.options, entry.data).indexer_url
        if not self._indexer_url:
            return self.async_abort(reason="no_indexer")
        errors: dict[str, str] = {}
        values = user_input
        if user_input is not None:
            names, errors = await self._async_addresses(user_input)
            self._name = user_input[CONF_NAME]
            title = self._name.lower()
            if not title or any(address.lower() in title for address in names):
                # Everybody reads it.
                errors[CONF_NAME] = "invalid_name"
            if not errors:
                self._data = {
                    CONF_ADDRESSES: list(names),
                    CONF_KEEP_CURRENT: user_input.get(CONF_KEEP_CURRENT, False),
                }
                if any(names.values()):
                    return await self._async_confirm(names)
                return await self._async_finish()
        elif self.source != SOURCE_USER:
            subentry = self._get_reconfigure_subentry()
            values = {
                CONF_NAME: subentry.title,
                **subentry.data,
                CONF_ADDRESSES: "\n".join(subentry.data[CONF_ADDRESSES]),
            }
        placeholders = {"indexer": URL(self._indexer_url).host or self._indexer_url}
        return self._show(self.source, SCHEMA, values, errors, placeholders)

    async_step_reconfigure = async_step_user

    async def _async_addresses(
        self, user_input: Mapping[str, Any]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Return the addresses with the names of wallets that stand for them, and the errors by field."""
        names: dict[str, str] = {}
        texts = re.split(r"[\s,;]+", user_input[CONF_ADDRESSES].strip())
        if len(texts) > MAX_ADDRESSES or not any(texts):
            return names, {CONF_ADDRESSES: "invalid_address"}
        for text in filter(None, texts):
            try:
                if (name := name_of(text)) is None:
                    names[checked_address(text)] = ""
                elif not user_input.get(CONF_LOOK_UP):
                    return names, {CONF_LOOK_UP: "not_allowed"}
                else:
                    session = async_session(self.hass)
                    agent = await async_user_agent(self.hass)
                    with translated_errors("indexer", name):
                        names[await look_up_name(session, name, agent)] = name
            except ValueError:
                return names, {CONF_ADDRESSES: "invalid_address"}
            except HomeAssistantError as err:
                is_unknown = err.translation_key == "indexer_not_found"
                error = "unknown_name" if is_unknown else "name_not_looked_up"
                return names, {CONF_ADDRESSES: error}
        return names, {}

    async def _async_confirm(self, names: Mapping[str, str]) -> SubentryFlowResult:
        """Show the addresses of the names, and their latest acquisitions."""
        lines = [f"- {name}: `{address}`" for address, name in names.items() if name]
        with suppress(HomeAssistantError), translated_errors("indexer"):
            indexer = await async_indexer(self.hass, self._indexer_url)
            page = await indexer.tokens(
                owners=list(names), limit=SHOWN_WORKS, newest=True
            )
            works = ", ".join(markdown_safe(token.name) for token in page.records)
            lines += ["", works] if works else []
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({}),
            description_placeholders={"addresses": "\n".join(lines)},
        )

    async def async_step_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Keep the addresses of the names, without another look-up."""
        return await self._async_finish()

    async def _async_finish(self) -> SubentryFlowResult:
        """Add or change the collection."""
        addresses = self._data[CONF_ADDRESSES]
        key = await async_signing_key(self.hass, self._get_entry())
        identity = f"{key.export()} {' '.join(sorted(addresses))}"
        return self._save(
            title=self._name,
            data=self._data,
            unique_id=sha256(identity.encode()).hexdigest()[:32],
        )


class ChannelFlow(SubentryFlow, Dialog[SubentryFlowResult]):
    """The flow of a channel that is followed or changed."""

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for the name and the address, and whether the feed has such a channel."""
        errors: dict[str, str] = {}
        detail = ""
        values = user_input
        if user_input is not None:
            try:
                address = ChannelAddress.parse(user_input[CONF_URL])
                client = address.client(self.hass.data[ADDRESSES].async_guard())
                host = host_of(address.url) or ""
                with translated_errors("feed", host, address.url):
                    (first, *_) = await address.async_channels(client)
            except ValueError:
                errors[CONF_URL] = "invalid_url"
            except HomeAssistantError as err:
                is_unknown = err.translation_key == "feed_not_found"
                errors[CONF_URL] = "unknown_channel" if is_unknown else "cannot_connect"
                detail = shorten(async_message(self.hass, err), MAX_DETAIL)
            else:
                return self._save(
                    title=user_input.get(CONF_NAME) or address.publisher or first.title,
                    data={CONF_URL: address.url},
                    unique_id=address.url,
                )
        elif self.source != SOURCE_USER:
            subentry = self._get_reconfigure_subentry()
            values = {CONF_NAME: subentry.title, **subentry.data}
        placeholders = {"detail": detail}
        return self._show(self.source, CHANNEL_SCHEMA, values, errors, placeholders)

    async_step_reconfigure = async_step_user


def _album_form(folders: Mapping[str, str]) -> vol.Schema:
    """Return the form of an album in one of some folders, which are named by their ids."""
    options = [SelectOptionDict(value=it, label=folders[it]) for it in folders]
    return vol.Schema(
        {
            vol.Optional(CONF_NAME): NAME_FIELD,
            vol.Required(CONF_FOLDER): FolderSelector(
                SelectSelectorConfig(options=options)
            ),
            vol.Optional(CONF_OPEN, default=False): BooleanSelector(),
            vol.Required(CONF_ORDER, default=Order.SHUFFLED.value): SelectSelector(
                SelectSelectorConfig(
                    options=[it.value for it in Order],
                    translation_key="album_order",
                )
            ),
            vol.Required(CONF_ITEM_DURATION, default=DEFAULT_DURATION): NumberSelector(
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
                    saved = self._save(title=name, data=data, unique_id=unique_id)
                    # Home Assistant's own text of a change tells no number.
                    saved.pop("translation_domain", None)
                    count = {"count": str(len(album.files))}
                    return {**saved, "description_placeholders": count}
        elif self.source != SOURCE_USER:
            subentry = self._get_reconfigure_subentry()
            values = {CONF_NAME: subentry.title, **subentry.data}
        opened = values[CONF_FOLDER] if values else ""
        found = await async_folders(self.hass, opened)
        if opened:
            found.setdefault(opened, opened.rpartition("/")[2])
        return self._show(self.source, _album_form(found), values, errors)

    async_step_reconfigure = async_step_user
