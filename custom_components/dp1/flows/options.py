"""Options flows for a display and for a library."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

import voluptuous as vol

from homeassistant.config_entries import ConfigFlowResult, OptionsFlowWithReload
from homeassistant.const import UnitOfInformation, UnitOfTime
from homeassistant.data_entry_flow import section
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.schema_config_entry_flow import (
    SchemaCommonFlowHandler,
    SchemaFlowError,
    SchemaFlowFormStep,
    SchemaOptionsFlowHandler,
)
from homeassistant.helpers.selector import (
    BooleanSelector,
    ColorRGBSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TemplateSelector,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
from homeassistant.helpers.template import Template

from ..client.display.client import Dialect
from ..client.playlist.document import build, build_item, validate
from ..client.playlist.schema import SCALINGS
from ..client.playlist.signing import SigningKey, read_public_key
from ..client.text import web_url
from ..const import (
    CONF_BACKGROUND,
    CONF_CURATOR,
    CONF_DAILY_FROM_VENDOR,
    CONF_DAILY_URL,
    CONF_DASHBOARD,
    CONF_DIALECT,
    CONF_DURATION,
    CONF_FEED_KEYS,
    CONF_HAS_SIGNED,
    CONF_IGNORE_MUSIC,
    CONF_INDEXER_URL,
    CONF_IPFS_GATEWAY,
    CONF_KEEP_FILES,
    CONF_KEEP_GIGABYTES,
    CONF_MARGIN,
    CONF_PUBLISH_FOR_ALL,
    CONF_SCALING,
    CONF_SIGNING_KEY,
    CONF_SOURCES,
    CONF_SURPRISE,
    DEFAULT_DURATION,
    DEFAULT_INDEXER_URL,
    DEFAULT_KEEP_GIGABYTES,
    DEFAULT_SOURCES,
    EXAMPLE_DAILY_URL,
    SURPRISES,
)
from ..hosts import async_try_gateway
from ..library.library import Library
from ..library.providers.daily import async_daily_of_vendor
from ..library.settings import (
    KEY_FIELD,
    SWITCHES,
    URL_FIELD,
    Preferences,
    default_sources,
)
from ..screen.pairing import is_screen
from ..screen.screen import (
    CONF_BACKDROP,
    CONF_CORNER,
    CONF_CORNER_TEXT,
    CONF_MOTION,
    CONF_QR,
    CONF_TOUCH,
)
from . import Dialog


def _select(key: str, options: list[str], multiple: bool = False) -> SelectSelector:
    """Return a selector with translated options; the choice of one can be cleared where it is optional."""
    return SelectSelector(
        SelectSelectorConfig(
            options=options,
            translation_key=key,
            multiple=multiple,
            mode=SelectSelectorMode.LIST if multiple else SelectSelectorMode.DROPDOWN,
        )
    )


CONF_HAS_BACKGROUND = "has_background"
# The section of what does not change what one sees.
CONNECTION = "connection"
DISPLAY_SCHEMA = vol.Schema({vol.Optional(CONF_DASHBOARD): BooleanSelector()})
SCREEN_SCHEMA = DISPLAY_SCHEMA.extend(
    {
        vol.Optional(CONF_TOUCH, default=True): BooleanSelector(),
        vol.Optional(CONF_QR): BooleanSelector(),
        vol.Required(CONF_BACKDROP, default="own"): _select(
            CONF_BACKDROP, ["own", "all", "none"]
        ),
        vol.Optional(CONF_MOTION): BooleanSelector(),
        vol.Optional(CONF_CORNER): _select(
            CONF_CORNER, ["top_right", "top_left", "bottom_right", "bottom_left"]
        ),
        vol.Optional(CONF_CORNER_TEXT): TemplateSelector(),
    }
)
DIALECT_FIELD = {
    vol.Required(CONF_DIALECT, default=Dialect.UNKNOWN.value): _select(
        CONF_DIALECT, [dialect.value for dialect in Dialect]
    )
}


async def _async_display_schema(handler: SchemaCommonFlowHandler) -> vol.Schema:
    """Return the preferences of a display: what one sees first, the connection last, which a screen has not."""
    entry = cast("SchemaOptionsFlowHandler", handler.parent_handler).config_entry
    music = {vol.Optional(CONF_IGNORE_MUSIC): BooleanSelector()}
    if is_screen(entry):
        return SCREEN_SCHEMA.extend(music)
    last = section(vol.Schema(DIALECT_FIELD), {"collapsed": True})
    return DISPLAY_SCHEMA.extend(music | {vol.Required(CONNECTION): last})


async def _async_with_section(handler: SchemaCommonFlowHandler) -> dict[str, Any]:
    """Return the options as the form has them."""
    return {**handler.options, CONNECTION: handler.options}


async def _async_without_section(
    handler: SchemaCommonFlowHandler, user_input: dict[str, Any]
) -> dict[str, Any]:
    """Return the values of the form as the options have them."""
    values = dict(user_input)
    try:
        hass = handler.parent_handler.hass
        Template(values.get(CONF_CORNER_TEXT, ""), hass).async_render(strict=True)
    except TemplateError as err:
        raise SchemaFlowError("template_fails") from err
    connection = values.pop(CONNECTION, {})
    return {**values, **connection}


DISPLAY_FLOW = {
    "init": SchemaFlowFormStep(
        _async_display_schema,
        validate_user_input=_async_without_section,
        suggested_values=_async_with_section,
    )
}
DEFAULTS_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_DURATION, default=DEFAULT_DURATION): NumberSelector(
            NumberSelectorConfig(
                min=1,
                max=86400,
                mode=NumberSelectorMode.BOX,
                unit_of_measurement=UnitOfTime.SECONDS,
            )
        ),
        vol.Optional(CONF_SCALING): _select(CONF_SCALING, [*SCALINGS]),
        vol.Optional(CONF_HAS_BACKGROUND): BooleanSelector(),
        vol.Optional(CONF_BACKGROUND): ColorRGBSelector(),
        vol.Optional(CONF_MARGIN): TextSelector(),
        vol.Optional(CONF_CURATOR): TextSelector(),
        vol.Optional(CONF_PUBLISH_FOR_ALL): BooleanSelector(),
    }
)
WEIGHT_FIELD = NumberSelector(
    NumberSelectorConfig(min=0, max=10, mode=NumberSelectorMode.SLIDER)
)
SOURCES_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_SOURCES, default=list(DEFAULT_SOURCES)): _select(
            CONF_SOURCES,
            ["exhibitions", "playlists", "channels", "favorites", "surprise"],
            multiple=True,
        ),
        **SWITCHES,
        vol.Required(CONF_SURPRISE): section(
            vol.Schema(
                {vol.Required(name, default=1): WEIGHT_FIELD for name in SURPRISES}
            ),
            {"collapsed": True},
        ),
    }
)
OWN_ART_SCHEMA = vol.Schema(
    {
        vol.Optional(CONF_INDEXER_URL): URL_FIELD,
        vol.Optional(CONF_DAILY_URL): URL_FIELD,
        vol.Optional(CONF_DAILY_FROM_VENDOR): BooleanSelector(),
    }
)
GATEWAY_SCHEMA = vol.Schema(
    {
        vol.Optional(CONF_IPFS_GATEWAY): TextSelector(),
        vol.Optional(CONF_KEEP_FILES): BooleanSelector(),
        vol.Required(
            CONF_KEEP_GIGABYTES, default=DEFAULT_KEEP_GIGABYTES
        ): NumberSelector(
            NumberSelectorConfig(
                min=1,
                max=1000,
                mode=NumberSelectorMode.BOX,
                unit_of_measurement=UnitOfInformation.GIGABYTES,
            )
        ),
    }
)
FEED_KEYS_SCHEMA = vol.Schema(
    {
        vol.Optional(CONF_FEED_KEYS): TextSelector(TextSelectorConfig(multiple=True)),
    }
)
KEY_SCHEMA = vol.Schema({vol.Required(CONF_SIGNING_KEY): KEY_FIELD})
SHOWN_KEY_SCHEMA = vol.Schema(
    {
        vol.Optional(CONF_SIGNING_KEY): TextSelector(
            TextSelectorConfig(type=TextSelectorType.PASSWORD, read_only=True)
        )
    }
)


class LibraryOptionsFlow(OptionsFlowWithReload, Dialog[ConfigFlowResult]):
    """The options of a library."""

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the menu of options."""
        return self.async_show_menu(
            step_id="library",
            menu_options=[
                # What one sees, what one owns, the connection, and keys.
                "sources",
                "defaults",
                "own_art",
                "gateway",
                "export_key",
                "import_key",
                "feed_keys",
            ],
        )

    async_step_library = async_step_init

    @cached_property
    def _key(self) -> SigningKey:
        """Return the signing key of the library, which may be removed while a dialog is open."""
        library: Library = self.config_entry.runtime_data
        return library.key

    async def async_step_defaults(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Set the defaults of new playlists."""
        errors: dict[str, str] = {}
        if user_input is not None:
            errors = _margin_errors(user_input)
            if not errors:
                return self._save(DEFAULTS_SCHEMA, _with_hex_color(user_input))
        values = user_input or _with_rgb_color(self.config_entry.options)
        return self._show("defaults", DEFAULTS_SCHEMA, values, errors)

    async def async_step_sources(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Set the contents of the source list, and whether there are a museum and the sentences for Assist."""
        if user_input is not None:
            values = dict(user_input)
            weights = values.pop(CONF_SURPRISE)
            if changed := {name: it for name, it in weights.items() if it != 1}:
                values[CONF_SURPRISE] = changed
            return self._save(SOURCES_SCHEMA, values)
        sources = list(default_sources(self.config_entry.data))
        options = self.config_entry.options
        weights = dict.fromkeys(SURPRISES, 1) | options.get(CONF_SURPRISE, {})
        values = {CONF_SOURCES: sources, **options, CONF_SURPRISE: weights}
        return self._show("sources", SOURCES_SCHEMA, values)

    async def async_step_own_art(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Set the indexer that knows the works of links, and the Daily."""
        options = {CONF_INDEXER_URL: DEFAULT_INDEXER_URL, **self.config_entry.options}
        errors: dict[str, str] = {}
        if user_input is not None:
            options = {
                name: user_input.get(name, "").strip()
                for name in (CONF_INDEXER_URL, CONF_DAILY_URL)
            }
            for name in filter(options.get, options):
                try:
                    web_url(options[name])
                except ValueError:
                    errors[name] = "invalid_url"
            if user_input.get(CONF_DAILY_FROM_VENDOR) and not errors:
                options[CONF_DAILY_FROM_VENDOR] = True
                if daily := await async_daily_of_vendor(self.hass):
                    options[CONF_DAILY_URL], _ = daily
                elif not options[CONF_DAILY_URL]:
                    errors[CONF_DAILY_FROM_VENDOR] = "daily_not_told"
            if not errors:
                return self._save(OWN_ART_SCHEMA, options)
        example = {"example": EXAMPLE_DAILY_URL}
        values = user_input or options
        return self._show("own_art", OWN_ART_SCHEMA, values, errors, example)

    async def async_step_gateway(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Set a gateway of one's own, which is asked for a small content, and whether files are kept."""
        errors: dict[str, str] = {}
        if user_input is not None:
            text = user_input.get(CONF_IPFS_GATEWAY, "").strip()
            problem = text and await async_try_gateway(self.hass, text)
            if not problem:
                options = {**user_input, CONF_IPFS_GATEWAY: text}
                return self._save(GATEWAY_SCHEMA, options)
            errors[CONF_IPFS_GATEWAY] = problem
        values = user_input or self.config_entry.options
        # In the example it stands for itself.
        place = {"cid": "{cid}"}
        return self._show("gateway", GATEWAY_SCHEMA, values, errors, place)

    async def async_step_feed_keys(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Set the public keys of the feed."""
        errors: dict[str, str] = {}
        if user_input is not None:
            texts = user_input.get(CONF_FEED_KEYS, [])
            try:
                dids = [read_public_key(text) for text in texts if text.strip()]
            except ValueError:
                errors[CONF_FEED_KEYS] = "invalid_feed_key"
            else:
                options = {CONF_FEED_KEYS: list(dict.fromkeys(dids))} if dids else {}
                return self._save(FEED_KEYS_SCHEMA, options)
        values = user_input or self.config_entry.options
        return self._show("feed_keys", FEED_KEYS_SCHEMA, values, errors)

    async def async_step_import_key(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Replace the signing key."""
        errors: dict[str, str] = {}
        if user_input is not None:
            try:
                key = SigningKey.parse(user_input[CONF_SIGNING_KEY])
            except ValueError:
                errors[CONF_SIGNING_KEY] = "invalid_key"
            else:
                data = {
                    **self.config_entry.data,
                    CONF_SIGNING_KEY: key.export(),
                    CONF_HAS_SIGNED: False,
                }
                self.hass.config_entries.async_update_entry(
                    self.config_entry, data=data
                )
                self.hass.config_entries.async_schedule_reload(
                    self.config_entry.entry_id
                )
                return self.async_abort(
                    reason="key_imported", description_placeholders={"did": key.did}
                )
        own = {"did": self._key.did}
        return self._show("import_key", KEY_SCHEMA, None, errors, own)

    async def async_step_export_key(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the signing key."""
        if user_input is not None:
            return self.async_abort(reason="key_exported")
        own, values = {"did": self._key.did}, {CONF_SIGNING_KEY: self._key.export()}
        return self._show("export_key", SHOWN_KEY_SCHEMA, values, placeholders=own)

    def _save(self, schema: vol.Schema, user_input: dict[str, Any]) -> ConfigFlowResult:
        """Save the options of one form and keep the others."""
        fields = {str(key) for key in schema.schema}
        others = {
            key: value
            for key, value in self.config_entry.options.items()
            if key not in fields
        }
        return self.async_create_entry(data={**others, **user_input})


def _margin_errors(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the errors by field for a margin that no playlist can have."""
    if not (margin := values.get(CONF_MARGIN)):
        return {}
    display = Preferences.of({CONF_MARGIN: margin}, {}).display
    item = build_item("https://example.org", display=display)
    faults = validate(build("Try", [item]))
    return {CONF_MARGIN: "invalid_margin"} if faults else {}


def _with_rgb_color(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with the background color as the form has it."""
    values = dict(options)
    if text := values.pop(CONF_BACKGROUND, None):
        values[CONF_BACKGROUND] = list(bytes.fromhex(text.removeprefix("#")[:6]))
    return values | {CONF_HAS_BACKGROUND: bool(text)}


def _with_hex_color(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the form with the background color as playlists have it."""
    options = dict(values)
    color = options.pop(CONF_BACKGROUND, None)
    if options.pop(CONF_HAS_BACKGROUND, False) and color:
        options[CONF_BACKGROUND] = f"#{bytes(color).hex()}"
    return options
