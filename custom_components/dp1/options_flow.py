"""Options flows for a display and for a library, which also publishes playlists of displays and changes published ones."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast, override

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
    UnitOfTime,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.schema_config_entry_flow import (
    SchemaCommonFlowHandler,
    SchemaFlowFormStep,
    SchemaOptionsFlowHandler,
)
from homeassistant.helpers.selector import (
    BooleanSelector,
    ColorRGBSelector,
    EntitySelector,
    EntitySelectorConfig,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)

from .client.display.client import Dialect
from .client.display.player_status import PlaylistItem
from .client.errors import Dp1Error, InvalidPlaylistError
from .client.feed.models import FeedPlaylist
from .client.playlist.document import build, build_item, check
from .client.playlist.schema import SCALINGS
from .client.playlist.signing import SigningKey, read_public_key
from .client.text import markdown_safe, web_url
from .client.values import mapping, text
from .const import (
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
    CONF_MARGIN,
    CONF_PUBLISH_FOR_ALL,
    CONF_SCALING,
    CONF_SIGNING_KEY,
    CONF_SOURCES,
    CONF_VOICE_SENTENCES,
    DEFAULT_DURATION,
    DEFAULT_INDEXER_URL,
    DEFAULT_SOURCES,
    DOMAIN,
    EXAMPLE_DAILY_URL,
)
from .coordinator import DisplayCoordinator, async_displays
from .dialogs import ReadingDialog
from .errors import translated
from .language import async_message
from .library.library import Library
from .library.providers.daily import async_daily_of_vendor
from .library.settings import KEY_FIELD, URL_FIELD, Preferences, default_sources
from .screen.pairing import CONF_LET_OTHERS_CAST, async_screens


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
DISPLAY_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_DIALECT, default=Dialect.UNKNOWN.value): _select(
            CONF_DIALECT, [dialect.value for dialect in Dialect]
        ),
        vol.Optional(CONF_IGNORE_MUSIC): BooleanSelector(),
        vol.Optional(CONF_DASHBOARD): BooleanSelector(),
    }
)


async def _async_display_schema(handler: SchemaCommonFlowHandler) -> vol.Schema:
    """Return the preferences of a display; a screen may be a display for others, too."""
    entry = cast("SchemaOptionsFlowHandler", handler.parent_handler).config_entry
    if entry.unique_id not in await async_screens(handler.parent_handler.hass):
        return DISPLAY_SCHEMA
    return DISPLAY_SCHEMA.extend(
        {vol.Optional(CONF_LET_OTHERS_CAST): BooleanSelector()}
    )


DISPLAY_FLOW = {"init": SchemaFlowFormStep(_async_display_schema)}
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
SOURCES_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_SOURCES, default=list(DEFAULT_SOURCES)): _select(
            CONF_SOURCES,
            ["exhibitions", "playlists", "channels", "favorites"],
            multiple=True,
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
FEED_KEYS_SCHEMA = vol.Schema(
    {
        vol.Optional(CONF_FEED_KEYS): TextSelector(TextSelectorConfig(multiple=True)),
    }
)
VOICE_SCHEMA = vol.Schema(
    {vol.Required(CONF_VOICE_SENTENCES, default=False): BooleanSelector()}
)
KEY_SCHEMA = vol.Schema({vol.Required(CONF_SIGNING_KEY): KEY_FIELD})
SHOWN_KEY_SCHEMA = vol.Schema(
    {
        vol.Optional(CONF_SIGNING_KEY): TextSelector(
            TextSelectorConfig(type=TextSelectorType.PASSWORD, read_only=True)
        )
    }
)
CONF_PLAYLIST = "playlist"
CONF_PLAYLIST_ID = "playlist_id"
CONF_TITLE = "title"
CONF_WORKS = "works"
CONF_ONLY_PUBLIC = "only_public"
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
SHOW_SCHEMA = vol.Schema(
    {
        vol.Required(ATTR_ENTITY_ID): EntitySelector(
            EntitySelectorConfig(domain=Platform.MEDIA_PLAYER, integration=DOMAIN)
        )
    }
)


class OrderSelector(SelectSelector):
    """A selector of options in an order, with handles to drag."""

    @override
    def serialize(self) -> dict[str, Any]:
        """Return the selector with an option of the frontend that the backend lacks."""
        return {"selector": {self.selector_type: {**self.config, "reorder": True}}}


class LibraryOptionsFlow(OptionsFlowWithReload, ReadingDialog[ConfigFlowResult]):
    """The options of a library; each change of a published playlist is the action of its name."""

    _end = "read"
    _playlist: FeedPlaylist
    _keys: dict[int, str | int]

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Start with the menu, or with how far a new library is."""
        if user_input is not None:
            return await self.async_step_reading()
        return await self.async_step_library()

    async def async_step_library(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the menu of options."""
        return self.async_show_menu(
            step_id="library",
            menu_options=[
                "playlists",
                "publish",
                "defaults",
                "sources",
                "own_art",
                "feed_keys",
                "voice",
                "import_key",
                "export_key",
            ],
        )

    @cached_property
    def _library(self) -> Library:
        """Return the library, which may be removed while the dialog of its first read is open."""
        library: Library = self.config_entry.runtime_data
        return library

    @property
    @override
    def _is_reading(self) -> bool:
        """Return whether the lists of the library are read."""
        return self._library.is_reading

    @property
    @override
    def _progress(self) -> float | None:
        """Return the progress of the lists."""
        return self._library.progress

    @property
    @override
    def _counts(self) -> dict[str, str]:
        """Return the name of the library, and the count of its records."""
        name = markdown_safe(self._library.title)
        return {"name": name, "known": str(self._library.records_read)}

    @property
    def _key(self) -> SigningKey:
        """Return the signing key of the library."""
        return SigningKey.parse(self.config_entry.data[CONF_SIGNING_KEY])

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
        """Set the contents of the source list."""
        if user_input is not None:
            return self._save(SOURCES_SCHEMA, user_input)
        sources = list(default_sources(self.config_entry.data))
        values = {CONF_SOURCES: sources, **self.config_entry.options}
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

    async def async_step_voice(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Set whether the sentences for Assist are installed."""
        if user_input is not None:
            return self._save(VOICE_SCHEMA, user_input)
        return self._show("voice", VOICE_SCHEMA, self.config_entry.options)

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

    # What is published

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


def _margin_errors(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the errors by field for a margin that no playlist can have."""
    if not (margin := values.get(CONF_MARGIN)):
        return {}
    display = Preferences.of({CONF_MARGIN: margin}, {}).display
    try:
        check(build("Try", [build_item("https://example.org", display=display)]))
    except InvalidPlaylistError:
        return {CONF_MARGIN: "invalid_margin"}
    return {}


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
