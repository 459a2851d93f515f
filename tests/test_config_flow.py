"""Test the config flow of a display with simulated displays."""

import asyncio
from dataclasses import replace
from ipaddress import ip_address
import logging
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1 import config_flow
from custom_components.dp1.client.errors import NoAnswerError
from custom_components.dp1.client.playlist.signing import SigningKey
from custom_components.dp1.const import DEFAULT_FEED_URL
from custom_components.dp1.display.discovery import Address, FoundDisplay
from custom_components.dp1.library.settings import DEFAULT_SERVERS
from homeassistant.components import onboarding
from homeassistant.components.zeroconf.models import HaAsyncZeroconf
from homeassistant.config_entries import (
    SOURCE_IGNORE,
    SOURCE_INTEGRATION_DISCOVERY,
    SOURCE_USER,
    SOURCE_ZEROCONF,
    ConfigEntryState,
    ConfigFlowResult,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from .client.display.displays import plain
from .client.scripted_server import Reply, Request, ScriptedServer
from .displays import DEVICE_ID, Names, entry_of, set_up, until
from .libraries import suggested
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.display import DisplaySimulator
from .simulators.feed import FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns", "names")

OTHER_ID = "FF1-ZZ99ZZ99"
DISCOVERY = "custom_components.dp1.display.discovery"


def library_entry() -> MockConfigEntry:
    return MockConfigEntry(
        domain="dp1",
        unique_id="http://127.0.0.1:9/api/v1",
        data={
            "kind": "library",
            "catalog_url": None,
            "feed_url": "http://127.0.0.1:9/api/v1",
            "api_key": None,
            "signing_key": SigningKey.generate().export(),
        },
    )


async def begin(hass: HomeAssistant) -> ConfigFlowResult:
    """Open the form for the address of a display."""
    menu = await hass.config_entries.flow.async_init(
        "dp1", context={"source": SOURCE_USER}
    )
    assert menu["type"] is FlowResultType.MENU
    assert menu["menu_options"] == ["display", "screen", "library"]
    return await hass.config_entries.flow.async_configure(
        menu["flow_id"], {"next_step_id": "display"}
    )


async def enter(hass: HomeAssistant, flow: ConfigFlowResult, host: str) -> Any:
    """Submit an address."""
    result = await hass.config_entries.flow.async_configure(
        flow["flow_id"], {"host": host}
    )
    await hass.async_block_till_done()
    return result


def written(display: DisplaySimulator) -> str:
    """Return the address of a display in several notations."""
    return f"{display.host}:{display.port}"


def announcement(
    display: DisplaySimulator, device_id: str | None = DEVICE_ID, **more: str
) -> ZeroconfServiceInfo:
    address = ip_address(display.host)
    texts = {"id": device_id, "name": "Wall", **more}
    return ZeroconfServiceInfo(
        ip_address=address,
        ip_addresses=[address],
        port=display.port,
        hostname="ff1.local.",
        type="_ff1._tcp.local.",
        name="Wall._ff1._tcp.local.",
        properties={key: value for key, value in texts.items() if value is not None},
    )


async def test_the_first_of_two_addresses_is_dead(
    hass: HomeAssistant, display: DisplaySimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A display is found at any of its addresses."""
    identify, info = config_flow.async_identify, announcement(display)

    async def identify_alive(hass: HomeAssistant, address: Address) -> FoundDisplay:
        """Reach only the second address."""
        if address.host != display.host:
            raise NoAnswerError("no route")
        return await identify(hass, address)

    monkeypatch.setattr(config_flow, "async_identify", identify_alive)
    dead = ip_address("127.0.0.9")
    info = replace(info, ip_address=dead, ip_addresses=[dead, *info.ip_addresses])
    result = await hear(hass, info)
    assert result["step_id"] == "zeroconf_confirm"
    assert result["description_placeholders"]["host"] == display.host


async def hear(hass: HomeAssistant, info: ZeroconfServiceInfo) -> Any:
    """Start a discovery flow."""
    result = await hass.config_entries.flow.async_init(
        "dp1", context={"source": SOURCE_ZEROCONF}, data=info
    )
    await hass.async_block_till_done()
    return result


@pytest.mark.parametrize(
    "value",
    [
        "x" * 60_000,
        "Wall\u202e\x1b[31m\n" * 5000,
        "<img src=x onerror=alert(1)>" * 2000,
        "[a](javascript:b) {{ states }} " * 2000,
    ],
)
async def test_records_of_60_kb(
    hass: HomeAssistant, display: DisplaySimulator, value: str
) -> None:
    """A record of mDNS may hold anything: of the name little is shown, and an id of that length is none."""
    display.device.name = ""
    more = {f"more{number}": value for number in range(20)}
    result = await hear(hass, announcement(display, name=value, **more))
    name = result["description_placeholders"]["name"]
    assert len(name) <= 150 and name.isprintable() and "<img" not in name
    shown = hass.config_entries.flow.async_progress()[0]["context"]
    assert len(shown["title_placeholders"]["name"]) <= 150
    refused = await hear(hass, announcement(display, device_id=value))
    assert refused["reason"] == "not_a_display"


async def test_two_displays_with_one_id(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Of two that announce the same id, one can be added, once, and stays where it answers."""
    async with DisplaySimulator(profile="B", device_id=DEVICE_ID) as other:
        first = await hear(hass, announcement(display))
        second = await hear(hass, announcement(other))
        assert second["reason"] == "already_in_progress"
        added = await hass.config_entries.flow.async_configure(first["flow_id"], {})
        await hass.async_block_till_done()
        assert added["type"] is FlowResultType.CREATE_ENTRY
        again = await hear(hass, announcement(other))
        assert again["reason"] == "already_configured"
        assert added["result"].data["port"] == display.port


# By address


@pytest.mark.parametrize(
    ("profile", "unique_id", "dialect"),
    [
        ("A", None, "ff"),
        ("A1", None, "ff"),
        ("B", DEVICE_ID, "ff"),
        ("C", DEVICE_ID, "ff"),
        ("legacy", None, "unknown"),
        ("legacy-strict", None, "unknown"),
    ],
)
@pytest.mark.parametrize("form", ["{}:{}", " http://{}:{}/api/cast "])
async def test_an_address_is_all_it_takes(
    hass: HomeAssistant,
    display: DisplaySimulator,
    form: str,
    unique_id: str | None,
    dialect: str,
) -> None:
    """Every kind of display is added by its address, with the data that it reports."""
    library_entry().add_to_hass(hass)
    flow = await begin(hass)
    assert flow["type"] is FlowResultType.FORM
    assert flow["step_id"] == "display"
    result = await enter(hass, flow, form.format(display.host, display.port))
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert "next_flow" not in result
    entry = result["result"]
    assert entry.unique_id == unique_id
    macs = result["data"]["macs"]
    assert result["data"] == {
        "kind": "display",
        "host": display.host,
        "port": display.port,
        "dialect": dialect,
        "macs": macs,
    }
    assert bool(macs) is (dialect == "ff")
    assert entry.state is ConfigEntryState.LOADED
    # Collections and channels belong to libraries.
    assert not entry.supported_subentry_types


async def test_the_entry_is_called_as_its_owner_calls_the_display(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The title is the name of the display, as plain text."""
    display.device.name = "<b>Hall</b>\nway"
    result = await enter(hass, await begin(hass), written(display))
    assert result["title"] == "Hall way"


@pytest.mark.parametrize("profile", ["A"])
async def test_the_id_comes_from_the_announcement(
    hass: HomeAssistant, display: DisplaySimulator, mdns: HaAsyncZeroconf
) -> None:
    """The device id is taken from mDNS if the display does not report it."""
    async with DisplaySimulator(
        profile="A", device_id=OTHER_ID, zeroconf=mdns
    ) as announced:
        result = await enter(hass, await begin(hass), written(announced))
    assert result["result"].unique_id == OTHER_ID
    assert result["title"] == OTHER_ID


@pytest.mark.parametrize("profile", ["A"])
async def test_the_id_comes_from_the_name(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The device id is taken from the host name without an announcement."""
    result = await enter(hass, await begin(hass), f"ff1-ab12cd34.local:{display.port}")
    assert result["result"].unique_id == DEVICE_ID
    assert result["title"] == DEVICE_ID


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ([Reply(200, b"<html>Router</html>")], "web_page"),
        ([Reply(404, b"404 page not found")], "unexpected_answer"),
        ([Reply(fault="garbage")], "unexpected_answer"),
        ([plain(403, "Host not allowed")], "address_not_accepted"),
        ([plain(429, "Too many", **{"Retry-After": "0"})], "busy"),
        ([plain(503)], "temporary"),
        ([Reply(fault="after")], "lost_answer"),
    ],
)
async def test_whatever_answers_is_told_and_can_be_mended(
    hass: HomeAssistant,
    display: DisplaySimulator,
    script: list[Reply],
    error: str,
) -> None:
    """The form shows the error, keeps the input, and accepts another address."""
    flow = await begin(hass)
    async with ScriptedServer.run(*script) as server:
        result = await enter(hass, flow, server.url)
    assert result["type"] is FlowResultType.FORM
    assert result["errors"] == {"host": error}
    result = await enter(hass, result, written(display))
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_a_display_that_knows_no_other_command_than_casts(
    hass: HomeAssistant,
) -> None:
    """A command route that only supports POST is enough, even if status commands fail."""

    def answer(request: Request) -> Reply:
        """Find nothing but the route of commands."""
        return plain(405 if request.path == "/api/cast" and not posts(request) else 404)

    async with ScriptedServer.run(answer) as server:
        result = await enter(hass, await begin(hass), server.url)
        assert result["type"] is FlowResultType.CREATE_ENTRY
        await hass.async_block_till_done()
        assert result["result"].runtime_data.cast_only


def posts(request: Request) -> bool:
    """Tell whether something is sent."""
    return request.method == "POST"


@pytest.mark.parametrize(
    ("host", "error"),
    [
        ("ftp://wall", "invalid_host"),
        ("127.0.0.1:1", "refused"),
        ("no-such-host.invalid", "no_answer"),
    ],
)
async def test_what_does_not_answer_is_told_and_can_be_mended(
    hass: HomeAssistant, display: DisplaySimulator, host: str, error: str
) -> None:
    """A refused connection, no answer and an unexpected answer are different errors."""
    result = await enter(hass, await begin(hass), host)
    assert result["type"] is FlowResultType.FORM
    assert result["errors"] == {"host": error}
    result = await enter(hass, result, written(display))
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_a_known_display_is_not_added_twice(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The address of its entry is updated, as the display has answered there."""
    entry = entry_of(display, data={"host": "192.0.2.1"})
    entry.add_to_hass(hass)
    result = await enter(hass, await begin(hass), written(display))
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "already_configured"
    assert result["description_placeholders"] == {"title": entry.title}
    assert entry.data["host"] == display.host


@pytest.mark.parametrize("profile", ["A"])
async def test_a_display_without_an_id_is_not_added_twice(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The address identifies a display without a device id."""
    entry = entry_of(display, unique_id=None)
    entry.add_to_hass(hass)
    result = await enter(hass, await begin(hass), written(display))
    assert result["reason"] == "already_configured"
    assert result["description_placeholders"] == {"title": entry.title}


@pytest.mark.parametrize("profile", ["A"])
@pytest.mark.parametrize("unique_id", [DEVICE_ID, None])
async def test_a_display_without_an_id_that_moved_is_not_added_twice(
    hass: HomeAssistant, display: DisplaySimulator, unique_id: str | None
) -> None:
    """The hardware tells which entry is that of a display at a new address."""
    macs = sorted(display.device.network_addresses.values())
    data = {"host": "192.0.2.1", "macs": macs}
    entry = entry_of(display, unique_id=unique_id, data=data)
    entry.add_to_hass(hass)
    result = await enter(hass, await begin(hass), written(display))
    assert result["reason"] == "already_configured"
    assert result["description_placeholders"] == {"title": entry.title}
    assert entry.data["host"] == display.host


async def test_an_old_address_of_another_display_is_free(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Another entry with an outdated address does not prevent adding a display."""
    entry_of(display, unique_id=OTHER_ID).add_to_hass(hass)
    result = await enter(hass, await begin(hass), written(display))
    assert result["type"] is FlowResultType.CREATE_ENTRY


# Without internet

NO_INTERNET = pytest.mark.parametrize("fault", ["hang", "reset"])


def lose_internet(
    display: DisplaySimulator, monkeypatch: pytest.MonkeyPatch, fault: str = "hang"
) -> None:
    """Let the device status be late or cut."""
    monkeypatch.setattr(f"{DISCOVERY}.DEVICE_STATUS_TIMEOUT", 0.2)
    display.inject(fault, command="getDeviceStatus", seconds=1.0)


@NO_INTERNET
@pytest.mark.parametrize(
    ("profile", "unique_id"), [("A", None), ("A1", None), ("B", DEVICE_ID)]
)
async def test_a_display_without_internet_is_added_by_its_address(
    hass: HomeAssistant,
    display: DisplaySimulator,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    unique_id: str | None,
) -> None:
    """A display whose device status is late or cut is added by its other data."""
    lose_internet(display, monkeypatch, fault)
    result = await enter(hass, await begin(hass), written(display))
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["result"].unique_id == unique_id
    assert result["data"]["dialect"] == "ff"
    assert result["data"]["macs"] == []
    assert result["title"] == unique_id or display.host


@NO_INTERNET
@pytest.mark.parametrize("profile", ["A", "A1", "B", "C"])
async def test_a_display_without_internet_is_discovered(
    hass: HomeAssistant,
    display: DisplaySimulator,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
) -> None:
    """The announcement has the id, and any other answer shows that it is a display."""
    lose_internet(display, monkeypatch, fault)
    result = await hear(hass, announcement(display))
    assert result["step_id"] == "zeroconf_confirm"
    placeholders = {"name": "Wall", "model": "FF1", "host": display.host}
    assert result["description_placeholders"] == placeholders
    result = await hass.config_entries.flow.async_configure(result["flow_id"], {})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["title"] == "Wall"
    assert result["result"].unique_id == DEVICE_ID


async def test_music_is_asked_about_where_others_play_it(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Both ways to add a display ask whether it leaves music to other players; without an answer its area decides."""
    library_entry().add_to_hass(hass)
    plain_form = await hear(hass, announcement(display))
    assert list(plain_form["data_schema"].schema) == ["dashboard"]
    hass.config_entries.flow.async_abort(plain_form["flow_id"])
    registry = er.async_get(hass)
    speaker = registry.async_get_or_create("media_player", "test", "speaker")
    given: list[dict[str, bool]] = [{}, {"ignore_music": True}]
    for answer in given:
        form = await hear(hass, announcement(display))
        assert list(form["data_schema"].schema) == ["dashboard", "ignore_music"]
        result = await hass.config_entries.flow.async_configure(form["flow_id"], answer)
        await hass.async_block_till_done()
        assert dict(result["result"].options) == answer
        await hass.config_entries.async_remove(result["result"].entry_id)
    form = await begin(hass)
    fields = ["host", "dashboard", "ignore_music"]
    assert list(form["data_schema"].schema) == fields
    result = await hass.config_entries.flow.async_configure(
        form["flow_id"], {"host": written(display), "ignore_music": False}
    )
    await hass.async_block_till_done()
    assert dict(result["result"].options) == {"ignore_music": False}
    registry.async_remove(speaker.entity_id)


async def test_the_library_on_offer_is_added_with_a_display(
    hass: HomeAssistant,
    display: DisplaySimulator,
    feed: FeedSimulator,
    catalog: CatalogSimulator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One box adds it with either way to add a display; while its servers are down it stays on offer."""
    monkeypatch.setitem(DEFAULT_SERVERS, "catalog_url", catalog.url)
    monkeypatch.setitem(DEFAULT_SERVERS, "feed_url", feed.url)
    flow = hass.config_entries.flow
    form = await hear(hass, announcement(display))
    # Both are on, and the page sends what is on.
    asked = form["data_schema"].schema
    assert list(asked) == ["add_library", "dashboard"]
    assert all(field.description["suggested_value"] for field in asked)
    await feed.stop()
    first = await flow.async_configure(form["flow_id"], {"add_library": True})
    await hass.async_block_till_done()
    assert (first["type"], dict(first["options"])) == (FlowResultType.CREATE_ENTRY, {})
    (offer,) = offers(hass)
    assert offer["step_id"] == "offered_library"
    await hass.config_entries.async_remove(first["result"].entry_id)
    await feed.start()
    # What is left to read is shown where somebody looks only.
    monkeypatch.setattr(config_flow, "PATIENCE", 0.0)
    feed.latency = 0.1
    form = await begin(hass)
    assert list(form["data_schema"].schema) == ["host", "add_library", "dashboard"]
    await flow.async_configure(
        form["flow_id"], {"host": written(display), "add_library": True}
    )
    await hass.async_block_till_done()
    display_entry, library = hass.config_entries.async_entries("dp1")
    assert (library.title, library.data["feed_url"]) == ("Feral File", feed.url)
    assert not offers(hass)
    assert not hass.config_entries.options.async_progress()
    for entry in (display_entry, library):
        assert entry.state is ConfigEntryState.LOADED
        await hass.config_entries.async_remove(entry.entry_id)
    await flow.async_init(
        "dp1",
        context={"source": SOURCE_IGNORE},
        data={"unique_id": DEFAULT_FEED_URL, "title": "Library"},
    )
    form = await begin(hass)
    assert list(form["data_schema"].schema) == ["host", "dashboard"]


async def test_a_library_that_was_ignored_meanwhile_is_not_added(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    form = await begin(hass)
    await hass.config_entries.flow.async_init(
        "dp1",
        context={"source": SOURCE_IGNORE},
        data={"unique_id": DEFAULT_FEED_URL, "title": "Library"},
    )
    result = await hass.config_entries.flow.async_configure(
        form["flow_id"], {"host": written(display), "add_library": True}
    )
    await hass.async_block_till_done()
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert not offers(hass)


@pytest.mark.parametrize(
    ("name", "area"),
    [("wall", "wall"), ("Studio", "Studio"), ("Somewhere", None)],
)
async def test_the_area_that_is_called_like_the_display(
    hass: HomeAssistant, display: DisplaySimulator, name: str, area: str | None
) -> None:
    """It is chosen when the display is added, by its name or another name it has; none is made."""
    areas = ar.async_get(hass)
    made = areas.async_create(name, aliases={"Wall"} if name == "Studio" else set())
    form = await hear(hass, announcement(display))
    result = await hass.config_entries.flow.async_configure(form["flow_id"], {})
    await hass.async_block_till_done()
    (device,) = dr.async_entries_for_config_entry(
        dr.async_get(hass), result["result"].entry_id
    )
    assert device.area_id == (made.id if area else None)
    assert len(list(areas.async_list_areas())) == 1
    # What a person has chosen since stays.
    dr.async_get(hass).async_update_device(device.id, area_id=None)
    await hass.config_entries.async_reload(result["result"].entry_id)
    await hass.async_block_till_done()
    (device,) = dr.async_entries_for_config_entry(
        dr.async_get(hass), result["result"].entry_id
    )
    assert device.area_id is None


async def test_an_unknown_local_name_is_an_error_and_no_traceback(
    hass: HomeAssistant,
    display: DisplaySimulator,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A name look-up that is slow ends in an error of the form."""
    flow = await begin(hass)
    with monkeypatch.context() as slow:
        slow.setattr("custom_components.dp1.client.http.MAX_CONNECT_SECONDS", 0.1)
        slow.setattr(Names, "seconds", 0.3)
        result = await enter(hass, flow, "nobody.local")
        assert result["errors"] == {"host": "no_answer"}
        await asyncio.sleep(0.4)
    assert "Traceback" not in caplog.text
    assert not [line for line in caplog.records if line.levelno >= logging.ERROR]
    result = await enter(hass, result, written(display))
    assert result["type"] is FlowResultType.CREATE_ENTRY


# What comes after the first display


def offers(hass: HomeAssistant) -> list[Any]:
    return [
        flow
        for flow in hass.config_entries.flow.async_progress_by_handler("dp1")
        if flow["context"]["source"] == SOURCE_INTEGRATION_DISCOVERY
    ]


async def test_a_library_is_offered_after_the_first_display(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """After a display is added, a library is offered once, and added with one click."""
    result = await enter(hass, await begin(hass), written(display))
    assert "next_flow" not in result
    await hass.config_entries.async_reload(result["result"].entry_id)
    await hass.async_block_till_done()
    (offer,) = offers(hass)
    assert offer["context"]["title_placeholders"] == {"name": "Feral File"}
    flow = hass.config_entries.flow
    form = await flow.async_configure(offer["flow_id"])
    assert form["step_id"] == "offered_library"
    assert form["description_placeholders"] == {"name": "Feral File"}
    assert suggested(form) == {"name": "Feral File"}
    fields: Any = form["data_schema"]
    folded = fields.schema["advanced"]
    assert folded.options == {"collapsed": True}
    assert {
        str(key): key.description["suggested_value"]
        for key in folded.schema.schema
        if key.description
    } == {
        "catalog_url": "https://feralfile.com",
        "feed_url": "https://feed.feralfile.com/api/v1",
    }
    async with FeedSimulator() as feed:
        wrong = {"catalog_url": "http://", "feed_url": feed.url}
        form = await flow.async_configure(
            offer["flow_id"], {"name": "Art", "advanced": wrong}
        )
        # What is wrong is shown unfolded, beside its field.
        assert (form["step_id"], form["errors"]) == (
            "library",
            {"catalog_url": "invalid_url"},
        )
        assert suggested(form) == {"name": "Art", **wrong}
        result = await flow.async_configure(
            offer["flow_id"], {"name": "Art", "feed_url": feed.url}
        )
        await hass.async_block_till_done()
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert (result["title"], result["result"].unique_id) == ("Art", feed.url)


async def test_a_library_added_by_hand_ends_the_offer(
    hass: HomeAssistant, display: DisplaySimulator, feed: FeedSimulator
) -> None:
    """The offer is removed when a library is added."""
    entry = (await enter(hass, await begin(hass), written(display)))["result"]
    menu = await hass.config_entries.flow.async_init(
        "dp1", context={"source": SOURCE_USER}
    )
    for values in ({"next_step_id": "library"}, {"feed_url": feed.url}):
        await hass.config_entries.flow.async_configure(menu["flow_id"], values)
    await hass.async_block_till_done()
    assert not offers(hass)
    await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    assert not offers(hass)


async def test_an_ignored_library_is_not_offered_again(
    hass: HomeAssistant, setup_display: MockConfigEntry
) -> None:
    """An ignored library is not offered with the next display."""
    (offer,) = offers(hass)
    await hass.config_entries.flow.async_init(
        "dp1",
        context={"source": SOURCE_IGNORE},
        data={"unique_id": offer["context"]["unique_id"], "title": "Library"},
    )
    await hass.async_block_till_done()
    assert not offers(hass)
    await hass.config_entries.async_reload(setup_display.entry_id)
    await hass.async_block_till_done()
    assert not offers(hass)
    assert await hass.config_entries.async_remove(setup_display.entry_id)


# By announcement


@pytest.mark.parametrize("profile", ["A", "A1", "B", "C"])
async def test_a_display_that_announces_itself_is_added_with_a_click(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Discovery has one confirmation without fields."""
    result = await hear(hass, announcement(display, device_id=DEVICE_ID.lower()))
    assert result["type"] is FlowResultType.FORM
    assert result["step_id"] == "zeroconf_confirm"
    (flow,) = hass.config_entries.flow.async_progress()
    assert flow["context"]["title_placeholders"] == {"name": "Wall (CD34)"}
    result = await hass.config_entries.flow.async_configure(result["flow_id"], {})
    await hass.async_block_till_done()
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["title"] == "Wall"
    assert result["result"].unique_id == DEVICE_ID
    assert result["data"]["host"] == display.host
    assert result["result"].state is ConfigEntryState.LOADED


async def test_announcements_without_end(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever announces a thousand displays has a few asked, a thousand at once before, and lets few wait to be added."""
    monkeypatch.setattr(config_flow, "MAX_DISCOVERED", 3)
    gate, asked, most = asyncio.Event(), 0, 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Say who is there, once that is wanted."""
        nonlocal asked, most
        asked += 1
        most = max(most, asked)
        await reader.readuntil(b"\r\n\r\n")
        await gate.wait()
        body = b'{"device_id": "FF1-%d"}' % writer.get_extra_info("sockname")[1]
        head = b"HTTP/1.1 200 X\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
        writer.write(head % len(body) + body)
        asked -= 1
        writer.close()

    servers = [await asyncio.start_server(serve, "127.0.0.1", 0) for _ in range(30)]
    ports = [server.sockets[0].getsockname()[1] for server in servers]
    address = ip_address("127.0.0.1")
    flows = [
        hass.async_create_task(
            hass.config_entries.flow.async_init(
                "dp1",
                context={"source": SOURCE_ZEROCONF},
                data=ZeroconfServiceInfo(
                    ip_address=address,
                    ip_addresses=[address],
                    port=port,
                    hostname=f"ff1-{port}.local.",
                    type="_ff1._tcp.local.",
                    name=f"{port}._ff1._tcp.local.",
                    properties={"id": f"FF1-{port}"},
                ),
            )
        )
        for port in ports
    ]
    await until(lambda: asked == config_flow.MAX_PARALLEL)
    gate.set()
    shown = [flow for flow in await asyncio.gather(*flows) if flow["type"] == "form"]
    assert most == config_flow.MAX_PARALLEL
    assert 3 <= len(shown) < 3 + config_flow.MAX_PARALLEL
    for server in servers:
        server.close()


async def test_a_name_with_a_link_is_no_link(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The name of a display is shortened and escaped in a dialog."""
    name = "![x](https://evil.example/x) www.evil.example " + "x" * 100_000
    result = await hear(hass, announcement(display, name=name))
    shown = result["description_placeholders"]["name"]
    assert shown.startswith(r"\!\[x\]\(https\:\/\/evil\.example\/x\) www\.evil")
    assert len(shown) < 128
    title = hass.config_entries.flow.async_progress()[0]["context"][
        "title_placeholders"
    ]["name"]
    assert len(title) == 64 + len(" (CD34)")


async def test_onboarding_asks_nothing(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """During onboarding a display is added without confirmation or offer."""
    hass.data[onboarding.DOMAIN] = onboarding.OnboardingData(
        [], False, onboarding.OnboardingStoreData(done=[])
    )
    result = await hear(hass, announcement(display))
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert "next_flow" not in result


async def test_what_has_no_id_is_left_alone(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Discovery aborts without a device id."""
    result = await hear(hass, announcement(display, device_id=None))
    assert result["reason"] == "not_a_display"
    assert not display.received


async def test_an_ignored_display_stays_ignored(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """An ignored display is not contacted, but can be added by its address."""
    MockConfigEntry(
        domain="dp1", source=SOURCE_IGNORE, unique_id=DEVICE_ID, data={}
    ).add_to_hass(hass)
    result = await hear(hass, announcement(display))
    assert result["reason"] == "already_configured"
    assert not display.received
    result = await enter(hass, await begin(hass), written(display))
    assert result["type"] is FlowResultType.CREATE_ENTRY


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ([Reply(200, b"<html>Router</html>")], "web_page"),
        ([Reply(fault="after")], "lost_answer"),
    ],
)
async def test_an_announcement_alone_proves_nothing(
    hass: HomeAssistant, script: list[Reply], reason: str
) -> None:
    """Discovery aborts if the address does not answer like a display."""
    async with ScriptedServer.run(*script) as server:
        at = server.url.removeprefix("http://").split(":")
        info = ZeroconfServiceInfo(
            ip_address=ip_address(at[0]),
            ip_addresses=[ip_address(at[0])],
            port=int(at[1]),
            hostname="ff1.local.",
            type="_ff1._tcp.local.",
            name="Wall._ff1._tcp.local.",
            properties={"id": DEVICE_ID},
        )
        result = await hear(hass, info)
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == reason


async def test_another_display_at_the_announced_address_is_not_mistaken(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Discovery aborts if another device id answers."""
    entry = entry_of(display, unique_id=OTHER_ID, data={"host": "192.0.2.1"})
    entry.add_to_hass(hass)
    result = await hear(hass, announcement(display, device_id=OTHER_ID))
    assert result["reason"] == "another_display"
    assert entry.data["host"] == "192.0.2.1"


@pytest.mark.parametrize("profile", ["A"])
async def test_firmware_without_an_id_is_known_by_its_hardware(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The new address is only stored for a display with the same MAC addresses."""
    stranger = entry_of(display, data={"port": 1, "macs": ["02:00:00:ff:ff:ff"]})
    stranger.add_to_hass(hass)
    result = await hear(hass, announcement(display))
    assert result["reason"] == "another_display"
    assert stranger.data["port"] == 1

    macs = sorted(display.device.network_addresses.values())
    hass.config_entries.async_update_entry(
        stranger, data={**stranger.data, "macs": macs[:1]}
    )
    result = await hear(hass, announcement(display))
    assert result["reason"] == "already_configured"
    assert stranger.data["port"] == display.port


@pytest.mark.parametrize("profile", ["A", "B"])
async def test_a_display_that_moved_is_followed_once_it_answers(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A new address is only stored after the display has answered there."""
    entry = entry_of(display, data={"port": 1})
    await set_up(hass, entry)
    assert entry.state is ConfigEntryState.SETUP_RETRY
    dead = announcement(display)
    dead.port = 2
    assert (await hear(hass, dead))["reason"] == "refused"
    assert entry.data["port"] == 1
    assert (await hear(hass, announcement(display)))["reason"] == "already_configured"
    assert entry.data["port"] == display.port
    assert entry.state is ConfigEntryState.LOADED


@pytest.mark.parametrize("profile", ["A", "B"])
@pytest.mark.parametrize("is_same_hardware", [True, False])
async def test_a_second_server_does_not_take_a_display_over(
    hass: HomeAssistant,
    display: DisplaySimulator,
    monkeypatch: pytest.MonkeyPatch,
    profile: str,
    is_same_hardware: bool,
) -> None:
    """The address stays as long as the display answers there; afterwards it is updated."""
    macs = sorted(display.device.network_addresses.values())
    entry = await set_up(hass, entry_of(display, data={"macs": macs}))
    async with DisplaySimulator(profile=profile, device_id=DEVICE_ID) as other:
        other.device.hardware = 0 if is_same_hardware else 1
        lose_internet(display, monkeypatch)
        result = await hear(hass, announcement(other))
        known = is_same_hardware or profile == "B"
        assert result["reason"] == "already_configured" if known else "another_display"
        assert entry.data["port"] == display.port
        assert entry.state is ConfigEntryState.LOADED
        await display.power_off()
        started = hass.loop.time()
        result = await hear(hass, announcement(other))
        assert hass.loop.time() - started < 1.0
        assert (entry.data["port"] == other.port) is known
        await hass.config_entries.async_unload(entry.entry_id)


async def test_the_hardware_tells_which_of_two_is_the_display(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A device with the same id and other MAC addresses is replaced by the display itself."""
    macs = sorted(display.device.network_addresses.values())
    async with DisplaySimulator(profile="B", device_id=DEVICE_ID) as other:
        other.device.hardware = 1
        entry = entry_of(other, data={"macs": macs})
        entry.add_to_hass(hass)
        result = await hear(hass, announcement(display))
        assert result["reason"] == "already_configured"
        assert entry.data["port"] == display.port


async def test_a_display_with_other_hardware_is_followed_by_its_id(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A display with another network adapter is identified by its device id."""
    entry = entry_of(display, data={"port": 1, "macs": ["02:00:00:ff:ff:ff"]})
    entry.add_to_hass(hass)
    assert (await hear(hass, announcement(display)))["reason"] == "already_configured"
    assert entry.data["port"] == display.port
    assert entry.data["macs"] == sorted(display.device.network_addresses.values())


async def test_an_announcement_at_the_known_address_asks_nothing(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A display at its known address is not contacted."""
    entry_of(display).add_to_hass(hass)
    result = await hear(hass, announcement(display))
    assert result["reason"] == "already_configured"
    assert not display.received


@pytest.mark.parametrize("profile", ["A", "B"])
async def test_a_display_added_by_its_address_takes_its_name(
    hass: HomeAssistant,
    display: DisplaySimulator,
    device_registry: dr.DeviceRegistry,
    profile: str,
) -> None:
    """The title is updated by discovery, unless the owner has changed it."""
    display.inject("reset", command="getDeviceStatus")
    entry = (await enter(hass, await begin(hass), written(display)))["result"]
    assert entry.title == (DEVICE_ID if profile == "B" else "FF1")
    display.heal()
    assert (await hear(hass, announcement(display)))["reason"] == "already_configured"
    assert entry.title == "Wall"
    assert entry.state is ConfigEntryState.LOADED
    (device,) = dr.async_entries_for_config_entry(device_registry, entry.entry_id)
    assert device.name == "Wall"

    hass.config_entries.async_update_entry(entry, title="Hall")
    await hear(hass, announcement(display))
    assert entry.title == "Hall"


@pytest.mark.parametrize("profile", ["A"])
async def test_an_id_that_becomes_known_later_is_taken_on(
    hass: HomeAssistant,
    display: DisplaySimulator,
    entity_registry: er.EntityRegistry,
    device_registry: dr.DeviceRegistry,
) -> None:
    """The entry, its device and its entities are kept when the device id becomes known."""
    flow = await begin(hass)
    entry = (await enter(hass, flow, written(display)))["result"]
    assert entry.unique_id is None
    before = er.async_entries_for_config_entry(entity_registry, entry.entry_id)
    (device,) = dr.async_entries_for_config_entry(device_registry, entry.entry_id)
    assert {entity.unique_id.partition("_")[0] for entity in before} == {entry.entry_id}

    result = await hear(hass, announcement(display))
    assert result["reason"] == "already_configured"
    assert entry.unique_id == DEVICE_ID
    assert entry.state is ConfigEntryState.LOADED
    after = er.async_entries_for_config_entry(entity_registry, entry.entry_id)
    assert {entity.id for entity in before} <= {entity.id for entity in after}
    assert {entity.unique_id.partition("_")[0] for entity in after} == {DEVICE_ID}
    (same,) = dr.async_entries_for_config_entry(device_registry, entry.entry_id)
    assert same.id == device.id
    assert same.identifiers == {("dp1", DEVICE_ID)}


@pytest.mark.parametrize("profile", ["A"])
async def test_an_id_is_not_given_to_another_display_of_the_same_address(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """An entry without an id keeps none if another display answers at its address."""
    entry = entry_of(display, unique_id=None, data={"macs": ["02:00:00:ff:ff:ff"]})
    entry.add_to_hass(hass)
    result = await hear(hass, announcement(display))
    assert result["step_id"] == "zeroconf_confirm"
    assert entry.unique_id is None


async def test_an_id_is_taken_on_by_hand_too(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Adding a display again stores the device id that it reports since an update."""
    entry = entry_of(display, unique_id=None)
    entry.add_to_hass(hass)
    result = await enter(hass, await begin(hass), written(display))
    assert result["reason"] == "already_configured"
    assert entry.unique_id == DEVICE_ID


# Another address


@pytest.mark.parametrize("profile", ["A", "B"])
async def test_reconfiguring_gives_another_address(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The address can be changed, also after an error."""
    entry = entry_of(display, data={"host": "192.0.2.1", "port": 1234})
    entry.add_to_hass(hass)
    flow = await entry.start_reconfigure_flow(hass)
    assert flow["step_id"] == "reconfigure"
    (field,) = flow["data_schema"].schema
    assert field.description == {"suggested_value": "192.0.2.1:1234"}
    result = await enter(hass, flow, "127.0.0.1:1")
    assert result["errors"] == {"host": "refused"}
    result = await enter(hass, flow, written(display))
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "reconfigure_successful"
    assert entry.data["host"] == display.host
    assert entry.data["port"] == display.port
    assert entry.state is ConfigEntryState.LOADED


async def test_reconfiguring_heals_a_display_with_other_hardware(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The device id identifies the display, and its MAC addresses are updated."""
    entry = entry_of(display, data={"port": 1, "macs": ["02:00:00:ff:ff:ff"]})
    entry.add_to_hass(hass)
    flow = await entry.start_reconfigure_flow(hass)
    result = await enter(hass, flow, written(display))
    assert result["reason"] == "reconfigure_successful"
    assert entry.data["macs"] == sorted(display.device.network_addresses.values())
    assert entry.state is ConfigEntryState.LOADED


async def test_reconfiguring_stores_the_id(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The device id that a display reports since an update is stored."""
    entry = entry_of(display, unique_id=None, data={"port": 1})
    entry.add_to_hass(hass)
    flow = await entry.start_reconfigure_flow(hass)
    result = await enter(hass, flow, written(display))
    assert result["reason"] == "reconfigure_successful"
    assert entry.unique_id == DEVICE_ID


async def test_reconfiguring_while_the_display_is_offered(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A display that was added before it had an id may be offered again by its announcement."""
    entry = entry_of(display, unique_id=None, data={"port": 1})
    entry.add_to_hass(hass)
    offered = await hear(hass, announcement(display))
    assert offered["step_id"] == "zeroconf_confirm"
    flow = await entry.start_reconfigure_flow(hass)
    result = await enter(hass, flow, written(display))
    assert result["reason"] == "reconfigure_successful"
    taken = await hass.config_entries.flow.async_configure(offered["flow_id"], {})
    assert taken["reason"] == "already_configured"
    assert hass.config_entries.async_entries("dp1") == [entry]


async def test_reconfiguring_refuses_another_display(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The address of another display is refused."""
    entry = entry_of(display, data={"host": "192.0.2.1"})
    entry.add_to_hass(hass)
    flow = await entry.start_reconfigure_flow(hass)
    async with DisplaySimulator(profile="B", device_id=OTHER_ID) as other:
        result = await enter(hass, flow, written(other))
    assert result["errors"] == {"host": "another_display"}
    assert entry.data["host"] == "192.0.2.1"
    result = await enter(hass, flow, written(display))
    assert result["reason"] == "reconfigure_successful"


async def test_reconfiguring_refuses_what_is_announced_as_another(
    hass: HomeAssistant, display: DisplaySimulator, mdns: HaAsyncZeroconf
) -> None:
    """Displays that do not report an id are told apart by their announcements."""
    entry = entry_of(display, data={"host": "192.0.2.1"})
    entry.add_to_hass(hass)
    flow = await entry.start_reconfigure_flow(hass)
    async with DisplaySimulator(
        profile="A", device_id=OTHER_ID, zeroconf=mdns
    ) as other:
        result = await enter(hass, flow, written(other))
    assert result["errors"] == {"host": "another_display"}
    hass.config_entries.flow.async_abort(flow["flow_id"])


# Options


async def test_the_wire_format_can_be_chosen(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """The option is stored, and the display is set up again with it."""
    before = setup_display.runtime_data
    flow = await hass.config_entries.options.async_init(setup_display.entry_id)
    assert flow["step_id"] == "init"
    result = await hass.config_entries.options.async_configure(
        flow["flow_id"], {"dialect": "legacy"}
    )
    await hass.async_block_till_done()
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert setup_display.options == {"dialect": "legacy"}
    assert setup_display.runtime_data is not before
    assert setup_display.runtime_data.display.dialect == "legacy"
