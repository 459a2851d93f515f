"""Test the options of a display and of a library, and the signing key of a library."""

from base64 import b64encode
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
import voluptuous as vol

from custom_components.dp1.client.playlist.signing import did_from_public_key
from custom_components.dp1.const import DEFAULT_SOURCES, SURPRISES
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import InvalidData

from .flows import CREATED, fill, outcome
from .libraries import DID, SEED, library_entry, set_up, suggested

OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_SEED = bytes(range(32)).hex()
DER = OTHER.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
NOWHERE = "http://127.0.0.1:9/api/v1"
MENU = [
    "sources",
    "defaults",
    "own_art",
    "gateway",
    "export_key",
    "import_key",
    "feed_keys",
]


@pytest.fixture
async def library(hass: HomeAssistant, socket_enabled: None) -> MockConfigEntry:
    """Set up a library whose feed does not answer; its options do not need it."""
    return await set_up(hass, library_entry(NOWHERE))


async def choose(hass: HomeAssistant, entry: MockConfigEntry, step: str) -> Any:
    """Open a form of the options."""
    menu = await hass.config_entries.options.async_init(entry.entry_id)
    assert menu["menu_options"] == MENU
    assert DID not in str(menu)
    form = await fill(hass, menu, next_step_id=step)
    assert outcome(form) == step
    return form


async def save(
    hass: HomeAssistant, entry: MockConfigEntry, form: Any, **values: Any
) -> None:
    """Submit a form that is accepted, after which the library is loaded."""
    assert outcome(await fill(hass, form, **values)) == CREATED
    assert entry.state is ConfigEntryState.LOADED


async def test_defaults(hass: HomeAssistant, library: MockConfigEntry) -> None:
    """Invalid values are errors of their fields; valid ones are stored and used at once."""
    form = await choose(hass, library, "defaults")
    for wrong in ("wide", "-5"):
        form = await fill(hass, form, duration=60, margin=wrong)
        assert outcome(form) == {"margin": "invalid_margin"}
    with pytest.raises(InvalidData):
        await fill(hass, form, duration=0)
    wanted = {
        "duration": 60.0,
        "scaling": "fill",
        "background": "#10a0ff",
        "margin": "5%",
        "curator": "Ada",
    }
    color = {"has_background": True, "background": [0x10, 0xA0, 0xFF]}
    await save(hass, library, form, **(wanted | color))
    assert library.options == wanted
    preferences = library.runtime_data.preferences
    assert preferences.duration == 60
    assert preferences.display == {
        "scaling": "fill",
        "background": "#10a0ff",
        "margin": "5%",
    }
    form = await choose(hass, library, "defaults")
    assert suggested(form)["background"] == [0x10, 0xA0, 0xFF]
    without = {"has_background": False, "background": [0, 0, 0]}
    await save(hass, library, form, duration=60, **without)
    assert library.options == {"duration": 60}


async def test_what_is_emptied_is_gone(
    hass: HomeAssistant, socket_enabled: None
) -> None:
    """An empty field removes its option; the options of other forms stay."""
    entry = library_entry(
        NOWHERE, options={"curator": "Ada", "margin": "7", "sources": []}
    )
    await set_up(hass, entry)
    form = await choose(hass, entry, "defaults")
    await save(hass, entry, form, duration=300, margin="12")
    assert entry.options == {"duration": 300, "margin": "12", "sources": []}
    assert entry.runtime_data.preferences.display == {"margin": 12}


async def test_sources(
    hass: HomeAssistant, library: MockConfigEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The groups of the source list can be set, and the museum beside them."""
    form = await choose(hass, library, "sources")
    # As the dialog is opened: a slider without a value would stand at never.
    values = form["data_schema"]({"surprise": {}})
    assert values["sources"] == list(DEFAULT_SOURCES)
    assert values["surprise"] == dict.fromkeys(SURPRISES, 1)
    (weights,) = (it for it in form["data_schema"].schema if it == "surprise")
    assert isinstance(weights.default, vol.Undefined)
    await save(hass, library, form, sources=["playlists"], surprise={})
    assert library.options == {"sources": ["playlists"]}
    assert library.runtime_data.preferences.sources == {"playlists"}
    form = await choose(hass, library, "sources")
    weights = dict.fromkeys(SURPRISES, 1) | {"exhibitions": 0, "favorites": 3}
    await save(hass, library, form, sources=["surprise"], surprise=weights)
    assert library.options["surprise"] == {"exhibitions": 0, "favorites": 3}
    form = await choose(hass, library, "sources")
    switches = {"museum": False, "voice_sentences": False}
    await save(hass, library, form, sources=[], surprise={}, **switches)
    form = await choose(hass, library, "sources")
    assert suggested(form) == {"sources": [], **switches}
    assert not library.runtime_data.preferences.museum
    monkeypatch.setattr("custom_components.dp1.client.museum.MUSEUM_URL", NOWHERE)
    await save(hass, library, form, surprise={}, museum=True)
    assert library.runtime_data.preferences.museum


async def test_feed_keys(hass: HomeAssistant, library: MockConfigEntry) -> None:
    """The keys of the feed are stored as DIDs; a private key is refused."""
    public = OTHER.public_key().public_bytes_raw()
    form = await choose(hass, library, "feed_keys")
    for wrong in ("did:key:z6Mk", "did:web:a.example", public.hex()[:-2], DER.hex()):
        form = await fill(hass, form, feed_keys=[DID, wrong])
        assert outcome(form) == {"feed_keys": "invalid_feed_key"}
    other = did_from_public_key(public)
    texts = [DID, f" {public.hex()}\n", b64encode(public).decode(), "", other]
    await save(hass, library, form, feed_keys=texts)
    assert library.options == {"feed_keys": [DID, other]}
    assert library.runtime_data.feed_keys == (DID, other)
    await save(hass, library, await choose(hass, library, "feed_keys"))
    assert not library.options


async def test_import_key(hass: HomeAssistant, library: MockConfigEntry) -> None:
    """An invalid key is refused without being repeated; a valid one signs at once."""
    form = await choose(hass, library, "import_key")
    assert form["description_placeholders"] == {"did": DID}
    for wrong in ("", "not a key", OTHER_SEED[:-2], OTHER_SEED[:-1] + "!"):
        form = await fill(hass, form, signing_key=wrong)
        assert outcome(form) == {"signing_key": "invalid_key"}
    result = await fill(hass, form, signing_key=DER.hex())
    assert outcome(result) == "key_imported"
    assert library.runtime_data.key.export() == OTHER_SEED
    did = library.runtime_data.key.did
    assert did != DID
    assert result["description_placeholders"] == {"did": did}
    assert OTHER_SEED not in str(result)


async def test_export_key(hass: HomeAssistant, library: MockConfigEntry) -> None:
    """The key is only shown on request, in a form that can be imported."""
    form = await choose(hass, library, "export_key")
    assert form["description_placeholders"] == {"did": DID}
    assert suggested(form) == {"signing_key": SEED}
    result = await fill(hass, form)
    assert outcome(result) == "key_exported"
    assert SEED not in str(result)
    form = await choose(hass, library, "import_key")
    result = await fill(hass, form, signing_key=SEED)
    assert result["description_placeholders"] == {"did": DID}
    assert library.runtime_data.key.export() == SEED


async def test_display(hass: HomeAssistant, setup_display: MockConfigEntry) -> None:
    """The wire format can be changed, with which the display is set up again."""
    before = setup_display.runtime_data
    form = await hass.config_entries.options.async_init(setup_display.entry_id)
    assert outcome(form) == "init"
    await save(hass, setup_display, form, connection={"dialect": "legacy"})
    assert setup_display.options == {"dialect": "legacy"}
    assert setup_display.runtime_data is not before
    assert setup_display.runtime_data.display.dialect == "legacy"
    assert setup_display.data["dialect"] == "ff"
    form = await hass.config_entries.options.async_init(setup_display.entry_id)
    last = form["data_schema"].schema["connection"]
    assert suggested({"data_schema": last.schema}) == {"dialect": "legacy"}


async def test_own_art(hass: HomeAssistant, library: MockConfigEntry) -> None:
    """The indexer is prefilled, can be another, and can be none; the Daily is only named as an example."""
    form = await choose(hass, library, "own_art")
    assert suggested(form) == {
        "indexer_url": "https://indexer-v2.feralfile.com/graphql"
    }
    placeholders = form["description_placeholders"]
    assert placeholders and "daily" in placeholders["example"]
    given = {
        "indexer_url": "no address",
        "daily_url": "ftp://x",
        "daily_from_vendor": True,
    }
    form = await fill(hass, form, **given)
    assert outcome(form) == {"indexer_url": "invalid_url", "daily_url": "invalid_url"}
    assert suggested(form) == given
    daily = "http://127.0.0.1:9/daily"
    for given, kept in (("https://i.example/q ", "https://i.example/q"), (None, "")):
        form = await choose(hass, library, "own_art")
        values = {"indexer_url": given, "daily_url": daily} if given else {}
        await save(hass, library, form, **values)
        own_url = daily if given else ""
        assert library.options == {"indexer_url": kept, "daily_url": own_url}
        assert library.runtime_data.preferences.indexer_url == kept
        assert library.runtime_data.daily.url == own_url
