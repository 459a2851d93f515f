"""Config flow for DP-1 Art Displays."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn, Self, override

import voluptuous as vol

from homeassistant.components import onboarding
from homeassistant.config_entries import (
    SOURCE_IGNORE,
    SOURCE_INTEGRATION_DISCOVERY,
    SOURCE_RECONFIGURE,
    SOURCE_ZEROCONF,
    ConfigEntry,
    ConfigFlow,
    ConfigFlowContext,
    ConfigFlowResult,
    ConfigSubentryFlow,
    OptionsFlow,
)
from homeassistant.const import CONF_API_KEY, CONF_CODE, CONF_HOST, CONF_NAME, CONF_PORT
from homeassistant.core import callback
from homeassistant.data_entry_flow import AbortFlow, FlowResultType
from homeassistant.exceptions import ConfigEntryNotReady, HomeAssistantError
from homeassistant.helpers.schema_config_entry_flow import (
    SchemaOptionsFlowHandlerWithReload,
)
from homeassistant.helpers.selector import (
    BooleanSelector,
    QrCodeSelector,
    QrCodeSelectorConfig,
)
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
from homeassistant.helpers.typing import DiscoveryInfoType
from homeassistant.util.hass_dict import HassKey

from .addresses import ADDRESSES
from .client.display.client import Dialect
from .client.errors import Dp1Error, WantsPairingError
from .client.text import markdown_safe
from .const import (
    CONF_ADD_LIBRARY,
    CONF_CATALOG_URL,
    CONF_DASHBOARD,
    CONF_DIALECT,
    CONF_FEED_KEYS,
    CONF_FEED_URL,
    CONF_IGNORE_MUSIC,
    CONF_KIND,
    CONF_MACS,
    CONF_SIGNING_KEY,
    DEFAULT_CATALOG_URL,
    DEFAULT_FEED_URL,
    DEFAULT_PORT,
    DOMAIN,
    GALLERY,
    SUBENTRY_COLLECTION,
    EntryKind,
)
from .display.discovery import (
    Address,
    Announced,
    FoundDisplay,
    async_announced,
    async_entry_without_id,
    async_identify,
    async_set_device_id,
    async_still_answers,
    async_update_name,
    is_one_way,
    model_of,
    parse_address,
)
from .displays import async_other_players
from .flows import Dialog
from .flows.options import DISPLAY_FLOW, LibraryOptionsFlow
from .flows.subentries import AlbumFlow, ChannelFlow, CollectionFlow
from .library.providers.album import SUBENTRY_ALBUM
from .library.providers.channel import SUBENTRY_CHANNEL
from .library.settings import (
    CONF_ADVANCED,
    CONF_REMOVE_API_KEY,
    DEFAULT_SERVERS,
    KEY_SCHEMA,
    LIBRARY_SCHEMA,
    NAMES,
    OFFER_SCHEMA,
    RECONFIGURE_LIBRARY_SCHEMA,
    SWITCHES,
    async_check_key,
    async_check_library,
    async_takes_no_key,
    free_title,
)
from .library.signing_key import async_new_key
from .screen.pairing import NOWHERE, Screens, is_screen
from .screen.views import async_screens

CONF_PAGE = "page"
DISPLAY_SCHEMA = vol.Schema({vol.Required(CONF_HOST): str})
OFFERED = NAMES[DEFAULT_CATALOG_URL]
# Whoever announces displays chooses how many requests and questions follow.
MAX_DISCOVERED = 50
MAX_PARALLEL = 8
# What a display announces as its interface, if anything.
KNOWN_APIS = (None, "", "1", "2")
PARALLEL: HassKey[asyncio.Semaphore] = HassKey(f"{DOMAIN}_discovery")


class Dp1ConfigFlow(ConfigFlow, Dialog[ConfigFlowResult], domain=DOMAIN):
    """Handle a config flow for a display or a library."""

    VERSION = 1
    MINOR_VERSION = 1

    _address: Address
    _announced: Announced
    _display: FoundDisplay
    _title: str

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> OptionsFlow:
        """Return the options flow for the kind of the entry."""
        if config_entry.data[CONF_KIND] == EntryKind.LIBRARY:
            return LibraryOptionsFlow()
        return SchemaOptionsFlowHandlerWithReload(config_entry, DISPLAY_FLOW)

    @classmethod
    @callback
    @override
    def async_get_supported_subentry_types(
        cls, config_entry: ConfigEntry
    ) -> dict[str, type[ConfigSubentryFlow]]:
        """Return the flows of collections, channels and albums, which a library can have."""
        if config_entry.data[CONF_KIND] == EntryKind.LIBRARY:
            return {
                SUBENTRY_COLLECTION: CollectionFlow,
                SUBENTRY_CHANNEL: ChannelFlow,
                SUBENTRY_ALBUM: AlbumFlow,
            }
        return {}

    @override
    def is_matching(self, other_flow: Self) -> bool:
        """Return whether a discovered display waits at the same address, under any name."""
        is_there = getattr(other_flow, "_address", None) == self._address
        return is_there and other_flow.source == SOURCE_ZEROCONF

    @override
    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the menu of displays, screens and libraries."""
        return self.async_show_menu(
            step_id="user", menu_options=["display", "screen", "library"]
        )

    async def async_step_display(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Add a display by its address."""
        errors: dict[str, str] = {}
        schema = DISPLAY_SCHEMA.extend(self._questions())
        if user_input is not None:
            errors = await self._async_find_display(user_input[CONF_HOST])
            if not errors:
                return await self._async_add_by_address(user_input)
        return self._show("display", schema, user_input, errors)

    async def async_step_screen(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Add a browser as a display, or another browser of one, by the code that it shows."""
        screens = await async_screens(self.hass)
        try:
            await screens.async_load()
        except ConfigEntryNotReady as err:
            raise AbortFlow("screens_not_readable") from err
        is_new = self.source != SOURCE_RECONFIGURE
        errors: dict[str, str] = {}
        if user_input is not None:
            errors = await self._async_pair(screens, user_input)
            if not (errors or is_new):
                return self.async_update_reload_and_abort(
                    self._get_reconfigure_entry(), data_updates=self._address_data
                )
            if not errors:
                return await self._async_create_display(user_input)
        name = {vol.Required(CONF_NAME): str, **self._questions()} if is_new else {}
        # The page is opened on another device, mostly with a camera or a keyboard of its own.
        page = QrCodeSelectorConfig(data=screens.url, scale=5)
        picture = {vol.Optional(CONF_PAGE): QrCodeSelector(page)}
        schema = vol.Schema({vol.Required(CONF_CODE): str, **name, **picture})
        url = {"url": screens.url}
        return self._show("screen", schema, user_input, errors, url)

    async def _async_pair(
        self, screens: Screens, answers: Mapping[str, Any]
    ) -> dict[str, str]:
        """Make the browser that shows a code a screen, and return the errors by field."""
        if self.source == SOURCE_RECONFIGURE:
            device_id = self._get_reconfigure_entry().unique_id or ""
        else:
            device_id = screens.new_id()
            await self.async_set_unique_id(device_id)
        self._title = answers.get(CONF_NAME, "").strip() or device_id
        self._address = Address(NOWHERE, 0)
        self._display = FoundDisplay(device_id, self._title, Dialect.FF, frozenset())
        try:
            is_paired = await screens.async_pair(
                answers[CONF_CODE], device_id, self._title
            )
        except HomeAssistantError:
            return {"base": "not_saved"}
        return {} if is_paired else {CONF_CODE: "wrong_code"}

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the address of a display, or the servers of a library."""
        entry = self._get_reconfigure_entry()
        if entry.data[CONF_KIND] == EntryKind.LIBRARY:
            return await self.async_step_reconfigure_library()
        if is_screen(entry):
            return await self.async_step_screen()
        errors: dict[str, str] = {}
        if user_input is not None:
            errors = await self._async_find_display(user_input[CONF_HOST])
            if not errors and not self._is_same(entry):
                errors = {CONF_HOST: "another_display"}
            if not errors:
                if entry.unique_id is None and self._display.device_id:
                    device_id = self._display.device_id
                    await self.async_set_unique_id(device_id, raise_on_progress=False)
                    self._abort_if_configured()
                    async_set_device_id(self.hass, entry, device_id)
                return self.async_update_reload_and_abort(
                    entry, data_updates=self._verified_data
                )
        current = Address(entry.data[CONF_HOST], entry.data[CONF_PORT])
        values = user_input or {CONF_HOST: current.text}
        return self._show("reconfigure", DISPLAY_SCHEMA, values, errors)

    async def _async_find_display(self, host: str) -> dict[str, str]:
        """Identify the display at an address and return the errors by field."""
        try:
            self._address = parse_address(host)
        except ValueError:
            return {CONF_HOST: "invalid_host"}
        # A name ends with its record in mDNS, which comes and goes with the internet; a move is announced.
        announced = await async_announced(self.hass, self._address)
        self._address = announced.address or self._address
        try:
            self._display = await async_identify(self.hass, self._address)
        except Dp1Error as err:
            return {CONF_HOST: err.key}
        self._announced = await async_announced(self.hass, self._address)
        return {}

    def _is_same(self, entry: ConfigEntry) -> bool:
        """Return whether the display that answered is the one of an entry."""
        announced = self._announced.device_id
        if not self._display.device_id and announced and entry.unique_id:
            return announced == entry.unique_id
        return self._display.matches(entry.unique_id, set(entry.data[CONF_MACS]))

    async def _async_add_by_address(self, answers: dict[str, Any]) -> ConfigFlowResult:
        """Add the display that answered, without a unique id if it has none."""
        announced, name, _ = self._announced
        device_id = self._display.device_id or announced or self._address.device_id
        if device_id:
            await self.async_set_unique_id(device_id, raise_on_progress=False)
            self._abort_if_configured(updates=self._verified_data)
            self._abort_if_added_without_id(device_id, name)
        else:
            for entry in self._async_current_entries(include_ignore=False):
                if not self._display.macs.isdisjoint(entry.data.get(CONF_MACS, ())):
                    self._abort_with_address(entry)
                if self._address_data.items() <= entry.data.items():
                    raise _already_configured(entry)
        self._title = (
            self._display.name or name or device_id or model_of(self._display.dialect)
        )
        return await self._async_create_display(answers)

    @override
    async def async_step_zeroconf(
        self, discovery_info: ZeroconfServiceInfo
    ) -> ConfigFlowResult:
        """Handle zeroconf discovery; a new address is stored once the display answers only there."""
        texts = discovery_info.properties
        device_id, name, _ = Announced.parse(texts)
        if not device_id:
            return self.async_abort(reason="not_a_display")
        await self.async_set_unique_id(device_id)
        port = discovery_info.port or DEFAULT_PORT
        self._address = Address(discovery_info.host, port)
        entry = self.hass.config_entries.async_entry_for_domain_unique_id(
            DOMAIN, device_id
        )
        if entry is not None and entry.source == SOURCE_IGNORE:
            raise _already_configured(entry)
        if entry is not None and (
            is_screen(entry) or is_one_way(entry.data[CONF_HOST])
        ):
            # A screen is here, whoever announces its id. Or its owner chose an address that would be replaced again and again.
            raise _already_configured(entry)
        # An interface that nobody knew when this was written.
        is_newer = any(texts.get(it) not in KNOWN_APIS for it in ("api", "contract"))
        if (
            entry is not None
            and not is_newer
            and self._is_announced_there(entry, discovery_info)
        ):
            if coordinator := getattr(entry, "runtime_data", None):
                coordinator.connection.async_retry_now()
            async_update_name(self.hass, entry, name)
            self._abort_if_configured()
        try:
            self._display = await self._async_identify(
                discovery_info, is_known=entry is not None
            )
        except Dp1Error as err:
            error = WantsPairingError("announced as newer") if is_newer else err
            if coordinator := getattr(entry, "runtime_data", None):
                coordinator.connection.missed(error)
            return self.async_abort(reason=error.key)
        macs = set(entry.data[CONF_MACS] if entry else ())
        if not self._display.matches(device_id, macs):
            return self.async_abort(reason="another_display")
        if entry is not None:
            async_update_name(self.hass, entry, name)
            still_there = await async_still_answers(self.hass, entry, self._display)
            self._abort_if_configured(
                updates=None if still_there else self._verified_data
            )
        self._abort_if_added_without_id(device_id, name)
        if self.hass.config_entries.flow.async_has_matching_flow(self):
            return self.async_abort(reason="already_in_progress")
        self._title = self._display.name or name or device_id
        # The end of the id tells displays of one name apart.
        ending = "" if device_id in self._title else f" ({device_id[-4:]})"
        self.context["title_placeholders"] = {"name": f"{self._title}{ending}"}
        return await self.async_step_zeroconf_confirm()

    async def _async_identify(
        self, discovery_info: ZeroconfServiceInfo, *, is_known: bool
    ) -> FoundDisplay:
        """Identify an announced display, a few at a time of those that nobody knows."""
        if is_known:
            return await self._async_identify_at_any(discovery_info)
        async with self.hass.data.setdefault(PARALLEL, asyncio.Semaphore(MAX_PARALLEL)):
            waiting = self.hass.config_entries.flow.async_progress_by_handler(
                DOMAIN, match_context={"source": SOURCE_ZEROCONF}
            )
            if len(waiting) >= MAX_DISCOVERED:
                raise AbortFlow("already_in_progress")
            return await self._async_identify_at_any(discovery_info)

    async def _async_identify_at_any(
        self, discovery_info: ZeroconfServiceInfo
    ) -> FoundDisplay:
        """Identify a display at the first of its addresses that answers, or raise why the first does not."""
        first = self._address
        try:
            return await async_identify(self.hass, first)
        except Dp1Error:
            others = dict.fromkeys(map(str, discovery_info.ip_addresses))
            for host in [host for host in others if host != first.host]:
                self._address = Address(host, first.port)
                with suppress(Dp1Error):
                    return await async_identify(self.hass, self._address)
            self._address = first
            raise

    def _is_announced_there(
        self, entry: ConfigEntry, discovery_info: ZeroconfServiceInfo
    ) -> bool:
        """Return whether a display announces the address of its entry."""
        addresses = {str(address) for address in discovery_info.ip_addresses}
        return (
            entry.data[CONF_HOST] in addresses
            and entry.data[CONF_PORT] == self._address.port
        )

    async def async_step_zeroconf_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Confirm discovery; during onboarding the display is added at once."""
        # Meanwhile an entry without an id may have got it.
        self._abort_if_configured()
        if user_input is not None or not onboarding.async_is_onboarded(self.hass):
            return await self._async_create_display(user_input or {})
        self._set_confirm_only()
        return self.async_show_form(
            step_id="zeroconf_confirm",
            data_schema=vol.Schema(self._questions()),
            description_placeholders={
                "name": markdown_safe(self._title),
                "model": model_of(self._display.dialect, self.unique_id),
                "host": self._address.host,
            },
        )

    def _questions(self) -> dict[vol.Marker, BooleanSelector]:
        """Return the questions about a display, which need no answer.

        It is about the library on offer as long as there is none, about the art gallery with the first display,
        and about music in a home with another player: the area of the display is not known yet, and without an answer
        the players there decide.
        """
        entries = self._async_current_entries(include_ignore=True)
        kinds = {entry.data.get(CONF_KIND) for entry in entries}
        has_library = EntryKind.LIBRARY in kinds or any(
            entry.unique_id == DEFAULT_FEED_URL for entry in entries
        )
        questions = {
            **dict.fromkeys((CONF_ADD_LIBRARY, *map(str, SWITCHES)), not has_library),
            CONF_DASHBOARD: EntryKind.DISPLAY not in kinds,
            CONF_IGNORE_MUSIC: bool(async_other_players(self.hass)),
        }
        on = (CONF_ADD_LIBRARY, CONF_DASHBOARD)
        return {
            vol.Optional(
                name, description={"suggested_value": name in on or None}
            ): BooleanSelector()
            for name, is_wanted in questions.items()
            if is_wanted
        }

    @property
    def _address_data(self) -> dict[str, Any]:
        """Return the part of the entry data that holds the address."""
        return {CONF_HOST: self._address.host, CONF_PORT: self._address.port}

    @property
    def _verified_data(self) -> dict[str, Any]:
        """Return the part of the entry data that the display has just verified."""
        macs = {CONF_MACS: sorted(self._display.macs)} if self._display.macs else {}
        return self._address_data | macs

    def _abort_if_added_without_id(self, device_id: str, name: str | None) -> None:
        """Abort if the display was added before it had an id, and store the id."""
        entry = async_entry_without_id(
            self.hass, self._address_data, self._display.macs
        )
        if entry is None:
            return
        async_set_device_id(self.hass, entry, device_id)
        async_update_name(self.hass, entry, self._display.name or name or device_id)
        self._abort_with_address(entry)

    def _abort_with_address(self, entry: ConfigEntry) -> NoReturn:
        """Abort as an entry has the display, and store where it has answered."""
        self.hass.config_entries.async_update_entry(
            entry, data={**entry.data, **self._verified_data}
        )
        self.hass.config_entries.async_schedule_reload(entry.entry_id)
        raise _already_configured(entry)

    def _abort_if_configured(self, updates: dict[str, Any] | None = None) -> None:
        """Abort if an entry has the unique id, and tell which."""
        entry = self.hass.config_entries.async_entry_for_domain_unique_id(
            DOMAIN, self.unique_id or ""
        )
        title = markdown_safe(entry.title) if entry else ""
        self._abort_if_unique_id_configured(
            updates=updates, description_placeholders={"title": title}
        )

    async def _async_create_display(self, answers: dict[str, Any]) -> ConfigFlowResult:
        """Create the entry of a display, and add the library on offer if that is wanted."""
        if answers.get(CONF_ADD_LIBRARY):
            self._withdraw_offers()
            context = ConfigFlowContext(source=SOURCE_INTEGRATION_DISCOVERY)
            self.hass.async_create_task(
                self.hass.config_entries.flow.async_init(
                    DOMAIN, context=context, data=answers
                )
            )
        has_gallery = bool(answers.get(CONF_DASHBOARD))
        return self.async_create_entry(
            title=self._title,
            description="with_gallery" if has_gallery else None,
            description_placeholders={"path": f"/{GALLERY}"} if has_gallery else None,
            data={
                CONF_KIND: EntryKind.DISPLAY.value,
                **self._address_data,
                CONF_DIALECT: self._display.dialect.value,
                CONF_MACS: sorted(self._display.macs),
            },
            options={
                name: answers[name]
                for name in (CONF_DASHBOARD, CONF_IGNORE_MUSIC)
                if name in answers
            },
        )

    @override
    async def async_step_integration_discovery(
        self, discovery_info: DiscoveryInfoType
    ) -> ConfigFlowResult:
        """Offer the default library, or add it at once if it comes with a display and its servers answer."""
        await self.async_set_unique_id(DEFAULT_FEED_URL)
        self._abort_if_configured()
        self.context["title_placeholders"] = {"name": OFFERED}
        if discovery_info.get(CONF_ADD_LIBRARY):
            # It is taken with a display: nobody sees its dialog.
            added = await self.async_step_library(
                discovery_info | {CONF_NAME: OFFERED} | DEFAULT_SERVERS
            )
            if added["type"] is not FlowResultType.FORM:
                return added
        return await self.async_step_offered_library()

    async def async_step_offered_library(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Offer a library with one click; its servers, which an error asks for again, are folded away."""
        if user_input is not None:
            return await self.async_step_library(
                user_input | user_input.pop(CONF_ADVANCED)
            )
        values = self.init_data | {CONF_NAME: OFFERED, CONF_ADVANCED: DEFAULT_SERVERS}
        name = {"name": OFFERED}
        return self._show("offered_library", OFFER_SCHEMA, values, placeholders=name)

    async def async_step_library(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Add a library, which is a catalog, a feed or both."""
        errors: dict[str, str] = {}
        if user_input is not None:
            data, errors = await async_check_library(self.hass, user_input)
            if not errors:
                server = data[CONF_FEED_URL] or data[CONF_CATALOG_URL]
                await self.async_set_unique_id(server, raise_on_progress=False)
                self._abort_if_configured()
                self._withdraw_offers()
                return self.async_create_entry(
                    title=user_input.get(CONF_NAME) or free_title(self.hass, data),
                    data={
                        CONF_KIND: EntryKind.LIBRARY.value,
                        **data,
                        CONF_SIGNING_KEY: await async_new_key(
                            self.hass, data[CONF_FEED_URL]
                        ),
                    },
                    options={
                        str(it): True for it in SWITCHES if user_input.get(str(it))
                    },
                )
        values = DEFAULT_SERVERS if user_input is None else user_input
        return self._show("library", LIBRARY_SCHEMA, values, errors)

    def _withdraw_offers(self) -> None:
        """Remove the discovery card of the default library when it or another one is added."""
        for flow in self._async_in_progress():
            if flow["context"]["source"] == SOURCE_INTEGRATION_DISCOVERY:
                self.hass.config_entries.flow.async_abort(flow["flow_id"])

    async def async_step_reconfigure_library(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the servers of a library; an empty API key stays as it is for the same feed."""
        errors: dict[str, str] = {}
        entry = self._get_reconfigure_entry()
        if user_input is not None:
            current = None if user_input.get(CONF_REMOVE_API_KEY) else entry.data
            data, errors = await async_check_library(self.hass, user_input, current)
            if not errors:
                server = data[CONF_FEED_URL] or data[CONF_CATALOG_URL]
                if server != entry.unique_id:
                    await self.async_set_unique_id(server, raise_on_progress=False)
                    self._abort_if_configured()
                for key in DEFAULT_SERVERS:
                    self.hass.data[ADDRESSES].async_forget(data[key] or "")
                options = dict(entry.options)
                if data[CONF_FEED_URL] != entry.data[CONF_FEED_URL]:
                    options.pop(CONF_FEED_KEYS, None)
                return self.async_update_reload_and_abort(
                    entry, unique_id=server, data_updates=data, options=options
                )
        servers = {key: entry.data[key] or "" for key in DEFAULT_SERVERS}
        values = servers if user_input is None else user_input
        return self._show(
            "reconfigure_library", RECONFIGURE_LIBRARY_SCHEMA, values, errors
        )

    async def async_step_reauth(
        self, entry_data: Mapping[str, Any]
    ) -> ConfigFlowResult:
        """Handle an API key that the feed no longer accepts."""
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for a new API key; the feed may have come to take none since."""
        errors: dict[str, str] = {}
        entry = self._get_reauth_entry()
        if user_input is not None:
            if await async_takes_no_key(self.hass, entry.data[CONF_FEED_URL]):
                return self.async_abort(reason="key_not_needed")
            key = user_input[CONF_API_KEY].strip()
            errors = await async_check_key(self.hass, entry.data[CONF_FEED_URL], key)
            if not errors:
                return self.async_update_reload_and_abort(
                    entry, data_updates={CONF_API_KEY: key}
                )
        name = {"name": markdown_safe(entry.title)}
        return self._show("reauth_confirm", KEY_SCHEMA, None, errors, name)


def _already_configured(entry: ConfigEntry) -> AbortFlow:
    """Return the end of a flow for something that an entry has already."""
    return AbortFlow("already_configured", {"title": markdown_safe(entry.title)})
