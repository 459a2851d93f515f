"""Test the config flow of a display with simulated displays."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from ipaddress import ip_address
import logging
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1 import config_flow
from custom_components.dp1.client.errors import UnreachableError
from custom_components.dp1.const import DEFAULT_FEED_URL
from custom_components.dp1.display.discovery import Address, FoundDisplay
from custom_components.dp1.library.settings import DEFAULT_SERVERS
from homeassistant.components import onboarding
from homeassistant.components.zeroconf.models import HaAsyncZeroconf
from homeassistant.config_entries import (
    SOURCE_IGNORE,
    SOURCE_INTEGRATION_DISCOVERY,
    SOURCE_ZEROCONF,
    ConfigEntryState,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)

from .client.scripted_server import Reply, Request, ScriptedServer, plain
from .displays import DEVICE_ID, Names, entry_of, set_up, until
from .flows import CREATED, announce, announcement, begin, fill, outcome
from .libraries import library_entry, suggested
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.display import DisplaySimulator
from .simulators.feed import FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled", "mdns", "names")

OTHER_ID = "FF1-ZZ99ZZ99"
GONE = "192.0.2.1"
# The hardware of the display, and that of another.
MACS = ["02:00:00:11:75:01", "02:00:00:11:75:02"]
OTHER_MACS = ["02:00:00:ff:ff:ff"]
DISCOVERY = "custom_components.dp1.display.discovery"


def written(display: DisplaySimulator) -> str:
    return f"{display.host}:{display.port}"


@dataclass
class Home:
    """A Home Assistant that has a display in its network."""

    hass: HomeAssistant
    display: DisplaySimulator

    @property
    def address(self) -> str:
        return written(self.display)

    def entry(self, **changes: Any) -> MockConfigEntry:
        """Add an entry of the display, with changes."""
        entry = entry_of(self.display, **changes)
        entry.add_to_hass(self.hass)
        return entry

    async def fill(self, form: Any, **values: Any) -> Any:
        return await fill(self.hass, form, **values)

    async def add(self, host: str = "") -> Any:
        """Add a display by its address."""
        form = await begin(self.hass, "display")
        return await self.fill(form, host=host or self.address)

    async def hear(self, display: DisplaySimulator | None = None, **texts: Any) -> Any:
        """Hear the announcement of a display."""
        host, port = written(display or self.display).split(":")
        return await announce(self.hass, announcement(host, int(port), **texts))

    def is_at(self, entry: Any, display: DisplaySimulator | None = None) -> bool:
        """Return whether an entry has the address of a display."""
        address = f"{entry.data['host']}:{entry.data['port']}"
        return address == written(display or self.display)


@pytest.fixture
def home(hass: HomeAssistant, display: DisplaySimulator) -> Home:
    return Home(hass, display)


def device_of(hass: HomeAssistant, entry: Any) -> dr.DeviceEntry:
    devices = dr.async_get(hass)
    (device,) = dr.async_entries_for_config_entry(devices, entry.entry_id)
    return device


async def ignore(hass: HomeAssistant, unique_id: str) -> None:
    """Ignore what was discovered."""
    await hass.config_entries.flow.async_init(
        "dp1",
        context={"source": SOURCE_IGNORE},
        data={"unique_id": unique_id, "title": "Ignored"},
    )
    await hass.async_block_till_done()


def offers(hass: HomeAssistant) -> list[Any]:
    """Return the offers of a library."""
    return [
        flow
        for flow in hass.config_entries.flow.async_progress_by_handler("dp1")
        if flow["context"]["source"] == SOURCE_INTEGRATION_DISCOVERY
    ]


@pytest.fixture
async def other(profile: str) -> AsyncIterator[DisplaySimulator]:
    """Run another display with the same id."""
    async with DisplaySimulator(profile=profile, device_id=DEVICE_ID) as simulator:
        yield simulator


# By address


@pytest.mark.parametrize(
    ("profile", "unique_id", "dialect"),
    [
        ("A1", None, "ff"),
        ("B", DEVICE_ID, "ff"),
        ("legacy", None, "unknown"),
        ("legacy-strict", None, "unknown"),
    ],
)
async def test_an_address_is_all_it_takes(
    home: Home, unique_id: str | None, dialect: str
) -> None:
    """Every kind of display is added by its address, with the data that it reports."""
    library_entry("http://127.0.0.1:9/api/v1").add_to_hass(home.hass)
    result = await home.add(f" http://{home.address}/api/cast ")
    assert outcome(result) == CREATED
    assert "next_flow" not in result
    entry = result["result"]
    assert entry.unique_id == unique_id
    assert result["data"] == {
        "kind": "display",
        "host": home.display.host,
        "port": home.display.port,
        "dialect": dialect,
        "macs": MACS if dialect == "ff" else [],
    }
    assert entry.state is ConfigEntryState.LOADED
    # Collections and channels belong to libraries.
    assert not entry.supported_subentry_types


async def test_the_entry_is_called_as_its_owner_calls_the_display(home: Home) -> None:
    """The title is the name of the display, as plain text."""
    home.display.device.name = "<b>Hall</b>\nway"
    assert (await home.add())["title"] == "Hall way"


@pytest.mark.parametrize("profile", ["A"])
async def test_the_id_comes_from_the_announcement_or_the_name(
    home: Home, mdns: HaAsyncZeroconf
) -> None:
    """A display that does not report its id is known by what it announces, or by its host name."""
    async with DisplaySimulator(
        profile="A", device_id=OTHER_ID, zeroconf=mdns
    ) as announced:
        result = await home.add(written(announced))
    assert (result["result"].unique_id, result["title"]) == (OTHER_ID, OTHER_ID)
    result = await home.add(f"ff1-ab12cd34.local:{home.display.port}")
    assert (result["result"].unique_id, result["title"]) == (DEVICE_ID, DEVICE_ID)


@pytest.mark.parametrize(
    ("host", "reply", "error"),
    [
        ("{url}", Reply(200, b"<html>Router</html>"), "web_page"),
        ("{url}", plain(403, "Host not allowed"), "address_not_accepted"),
        ("{url}", Reply(fault="after"), "lost_answer"),
        ("ftp://wall", Reply(), "invalid_host"),
        ("127.0.0.1:1", Reply(), "refused"),
        ("no-such-host.invalid", Reply(), "no_answer"),
    ],
)
async def test_what_does_not_answer_is_told_and_can_be_mended(
    home: Home, host: str, reply: Reply, error: str
) -> None:
    """The form shows the error, keeps the input, and accepts another address."""
    async with ScriptedServer.run(reply) as server:
        host = host.format(url=server.url)
        form = await home.add(host)
    assert outcome(form) == {"host": error}
    assert suggested(form)["host"] == host
    assert outcome(await home.fill(form, host=home.address)) == CREATED


async def test_a_display_that_knows_no_other_command_than_casts(home: Home) -> None:
    """A command route that only supports POST is enough, even if status commands fail."""

    def answer(request: Request) -> Reply:
        """Find nothing but the route of commands."""
        is_route = request.path == "/api/cast" and request.method != "POST"
        return plain(405 if is_route else 404)

    async with ScriptedServer.run(answer) as server:
        result = await home.add(server.url)
        assert outcome(result) == CREATED
        assert result["result"].runtime_data.cast_only


@pytest.mark.parametrize(
    ("profile", "unique_id", "data"),
    [
        ("B", DEVICE_ID, {"host": GONE}),
        ("B", None, {}),
        ("A", None, {}),
        ("A", DEVICE_ID, {"host": GONE, "macs": MACS}),
        ("A", None, {"host": GONE, "macs": MACS}),
    ],
    ids=["id", "id since an update", "address", "hardware", "hardware without id"],
)
async def test_a_known_display_is_not_added_twice(
    home: Home, profile: str, unique_id: str | None, data: dict[str, Any]
) -> None:
    """The address of its entry is updated, as the display has answered there, and so is an id that it reports."""
    entry = home.entry(unique_id=unique_id, data=data)
    result = await home.add()
    assert outcome(result) == "already_configured"
    assert result["description_placeholders"] == {"title": entry.title}
    assert home.is_at(entry)
    assert entry.unique_id == (DEVICE_ID if profile == "B" else unique_id)


@pytest.mark.parametrize("entry", [{"unique_id": OTHER_ID}, {"source": SOURCE_IGNORE}])
async def test_what_does_not_keep_a_display_out(
    home: Home, entry: dict[str, Any]
) -> None:
    """Another entry with an outdated address, and an entry that is ignored, do not prevent adding a display."""
    home.entry(**entry)
    assert outcome(await home.add()) == CREATED


# Without internet


def lose_internet(
    display: DisplaySimulator,
    monkeypatch: pytest.MonkeyPatch,
    fault: str = "hang",
    patience: float = 0.2,
) -> None:
    """Let the device status be late or cut."""
    monkeypatch.setattr(f"{DISCOVERY}.DEVICE_STATUS_TIMEOUT", patience)
    display.inject(fault, command="getDeviceStatus", seconds=5 * patience)


@pytest.mark.parametrize("fault", ["hang", "reset"])
@pytest.mark.parametrize(("profile", "unique_id"), [("A1", None), ("B", DEVICE_ID)])
async def test_a_display_without_internet(
    home: Home, monkeypatch: pytest.MonkeyPatch, fault: str, unique_id: str | None
) -> None:
    """A display whose device status is late or cut is added by its other data, and by its announcement."""
    lose_internet(home.display, monkeypatch, fault)
    result = await home.add()
    assert (outcome(result), result["result"].unique_id) == (CREATED, unique_id)
    assert (result["data"]["dialect"], result["data"]["macs"]) == ("ff", [])
    await home.hass.config_entries.async_remove(result["result"].entry_id)
    form = await home.hear()
    assert outcome(form) == "zeroconf_confirm"
    placeholders = {"name": "Wall", "model": "FF1", "host": home.display.host}
    assert form["description_placeholders"] == placeholders
    result = await home.fill(form)
    assert (outcome(result), result["title"]) == (CREATED, "Wall")
    assert result["result"].unique_id == DEVICE_ID


async def test_an_unknown_local_name_is_an_error_and_no_traceback(
    home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A name look-up that is slow ends in an error of the form."""
    with monkeypatch.context() as slow:
        slow.setattr("custom_components.dp1.client.http.MAX_CONNECT_SECONDS", 0.1)
        slow.setattr(Names, "seconds", 0.3)
        form = await home.add("nobody.local")
        assert outcome(form) == {"host": "no_answer"}
        await asyncio.sleep(0.4)
    assert not [line for line in caplog.records if line.levelno >= logging.ERROR]
    assert outcome(await home.fill(form, host=home.address)) == CREATED


# Questions, and what comes with a display


async def test_music_is_asked_about_where_others_play_it(home: Home) -> None:
    """Both ways to add a display ask whether it leaves music to other players; without an answer its area decides."""
    library_entry("http://127.0.0.1:9/api/v1").add_to_hass(home.hass)
    form = await home.hear()
    assert list(form["data_schema"].schema) == ["dashboard"]
    home.hass.config_entries.flow.async_abort(form["flow_id"])
    registry = er.async_get(home.hass)
    registry.async_get_or_create("media_player", "test", "speaker")
    answers: list[dict[str, bool]] = [{}, {"ignore_music": True}]
    for answer in answers:
        form = await home.hear()
        assert list(form["data_schema"].schema) == ["dashboard", "ignore_music"]
        entry = (await home.fill(form, **answer))["result"]
        assert dict(entry.options) == answer
        await home.hass.config_entries.async_remove(entry.entry_id)
    form = await begin(home.hass, "display")
    assert list(form["data_schema"].schema) == ["host", "dashboard", "ignore_music"]
    result = await home.fill(form, host=home.address, ignore_music=False)
    assert dict(result["result"].options) == {"ignore_music": False}


async def test_the_library_on_offer_is_added_with_a_display(
    home: Home,
    feed: FeedSimulator,
    catalog: CatalogSimulator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One box adds it with either way to add a display; while its servers are down it stays on offer."""
    monkeypatch.setitem(DEFAULT_SERVERS, "catalog_url", catalog.url)
    monkeypatch.setitem(DEFAULT_SERVERS, "feed_url", feed.url)
    form = await home.hear()
    # Two are on, and the page sends what is on.
    off = {"museum": None, "voice_sentences": None}
    assert suggested(form) == {"add_library": True, "dashboard": True} | off
    await feed.stop()
    first = await home.fill(form, add_library=True, voice_sentences=True)
    assert (outcome(first), dict(first["options"])) == (CREATED, {})
    (offer,) = offers(home.hass)
    assert offer["step_id"] == "offered_library"
    form = await home.hass.config_entries.flow.async_configure(offer["flow_id"])
    assert suggested(form) == {"name": "Feral File", "voice_sentences": True}
    await home.hass.config_entries.async_remove(first["result"].entry_id)
    await feed.start()
    feed.latency = 0.1
    form = await begin(home.hass, "display")
    (host, *switches, last) = form["data_schema"].schema
    assert (host, last) == ("host", "dashboard")
    assert switches == ["add_library", "museum", "voice_sentences"]
    monkeypatch.setattr("custom_components.dp1.client.museum.MUSEUM_URL", feed.url)
    wanted = {"add_library": True, "museum": True, "voice_sentences": False}
    await home.fill(form, host=home.address, **wanted)
    display_entry, library = home.hass.config_entries.async_entries("dp1")
    assert (library.title, library.data["feed_url"]) == ("Feral File", feed.url)
    assert dict(library.options) == {"museum": True}
    assert not offers(home.hass)
    for entry in (display_entry, library):
        assert entry.state is ConfigEntryState.LOADED
        await home.hass.config_entries.async_remove(entry.entry_id)
    form = await begin(home.hass, "display")
    await ignore(home.hass, DEFAULT_FEED_URL)
    # It was ignored meanwhile.
    added = await home.fill(form, host=home.address, add_library=True)
    assert outcome(added) == CREATED and not offers(home.hass)
    await home.hass.config_entries.async_remove(added["result"].entry_id)
    form = await begin(home.hass, "display")
    assert list(form["data_schema"].schema) == ["host", "dashboard"]


@pytest.mark.parametrize("is_wanted", [True, False])
async def test_the_way_on(home: Home, is_wanted: bool) -> None:
    """The last page leads to the art gallery, where that is wanted."""
    added = await home.fill(await home.hear(), dashboard=is_wanted)
    told = added["description"], added["description_placeholders"]
    wanted = ("with_gallery", {"path": "/dp1-gallery"})
    assert told == (wanted if is_wanted else (None, None))


@pytest.mark.parametrize(("name", "is_chosen"), [("wall", True), ("Somewhere", False)])
async def test_the_area_that_is_called_like_the_display(
    home: Home, name: str, is_chosen: bool
) -> None:
    """It is chosen by its name when the display is added; none is made."""
    areas = ar.async_get(home.hass)
    area = areas.async_create(name)
    entry = (await home.fill(await home.hear()))["result"]
    device = device_of(home.hass, entry)
    assert device.area_id == (area.id if is_chosen else None)
    assert len(list(areas.async_list_areas())) == 1
    # What a person has chosen since stays.
    dr.async_get(home.hass).async_update_device(device.id, area_id=None)
    await home.hass.config_entries.async_reload(entry.entry_id)
    await home.hass.async_block_till_done()
    assert device_of(home.hass, entry).area_id is None


async def test_a_library_is_offered_after_the_first_display(
    home: Home, feed: FeedSimulator
) -> None:
    """After a display is added, a library is offered once, and added with one click."""
    result = await home.add()
    assert "next_flow" not in result
    await home.hass.config_entries.async_reload(result["result"].entry_id)
    await home.hass.async_block_till_done()
    (offer,) = offers(home.hass)
    assert offer["context"]["title_placeholders"] == {"name": "Feral File"}
    form = await home.hass.config_entries.flow.async_configure(offer["flow_id"])
    assert outcome(form) == "offered_library"
    assert form["description_placeholders"] == {"name": "Feral File"}
    assert suggested(form) == {"name": "Feral File"}
    folded = form["data_schema"].schema["advanced"]
    assert folded.options == {"collapsed": True}
    assert suggested({"data_schema": folded.schema}) == DEFAULT_SERVERS
    wrong = {"catalog_url": "http://", "feed_url": feed.url}
    form = await home.fill(form, name="Art", advanced=wrong)
    # What is wrong is shown unfolded, beside its field.
    assert form["step_id"] == "library"
    assert outcome(form) == {"catalog_url": "invalid_url"}
    assert suggested(form) == {"name": "Art", **wrong}
    result = await home.fill(form, name="Art", feed_url=feed.url)
    assert (outcome(result), result["title"]) == (CREATED, "Art")
    assert result["result"].unique_id == feed.url


@pytest.mark.parametrize("how", ["ignored", "added by hand"])
async def test_the_offer_ends(
    home: Home, setup_display: MockConfigEntry, feed: FeedSimulator, how: str
) -> None:
    """A library that was ignored or is there is not offered again, also after the display is set up anew."""
    (offer,) = offers(home.hass)
    if how == "ignored":
        await ignore(home.hass, offer["context"]["unique_id"])
    else:
        await home.fill(await begin(home.hass, "library"), feed_url=feed.url)
    assert not offers(home.hass)
    await home.hass.config_entries.async_reload(setup_display.entry_id)
    await home.hass.async_block_till_done()
    assert not offers(home.hass)


# By announcement


async def test_onboarding_asks_nothing(home: Home) -> None:
    """During onboarding a display is added without confirmation or offer."""
    home.hass.data[onboarding.DOMAIN] = onboarding.OnboardingData(
        [], False, onboarding.OnboardingStoreData(done=[])
    )
    result = await home.hear()
    assert outcome(result) == CREATED and "next_flow" not in result


async def test_the_first_of_two_addresses_is_dead(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A display is found at any of its addresses."""
    identify = config_flow.async_identify

    async def identify_alive(hass: HomeAssistant, address: Address) -> FoundDisplay:
        """Reach only the second address."""
        if address.host != home.display.host:
            raise UnreachableError("no route")
        return await identify(home.hass, address)

    monkeypatch.setattr(config_flow, "async_identify", identify_alive)
    info, dead = (
        announcement(home.display.host, home.display.port),
        ip_address("127.0.0.9"),
    )
    info = replace(info, ip_address=dead, ip_addresses=[dead, *info.ip_addresses])
    result = await announce(home.hass, info)
    assert outcome(result) == "zeroconf_confirm"
    assert result["description_placeholders"]["host"] == home.display.host


@pytest.mark.parametrize(
    ("value", "start"),
    [
        ("x" * 60_000, "xxx"),
        ("Wall\u202e\x1b[31m\n" * 5000, "Wall"),
        (
            "<img src=x onerror=alert(1)>![x](https://evil.example/x) www." * 2000,
            r"\!\[x\]\(https\:\/\/evil\.example\/x\) www\.",
        ),
    ],
    ids=["long", "escapes", "markup"],
)
async def test_records_of_60_kb(home: Home, value: str, start: str) -> None:
    """A record of mDNS may hold anything: of the name little is shown, and an id of that length is none."""
    more = {f"more{number}": value for number in range(20)}
    form = await home.hear(name=value, **more)
    name = form["description_placeholders"]["name"]
    assert name.startswith(start)
    assert len(name) <= 150 and name.isprintable() and "<img" not in name
    (flow,) = home.hass.config_entries.flow.async_progress()
    title = flow["context"]["title_placeholders"]["name"]
    assert len(title) <= 64 + len(" (CD34)")
    assert outcome(await home.hear(device_id=value)) == "not_a_display"


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
    infos = [announcement("127.0.0.1", port, f"FF1-{port}") for port in ports]
    flow, context = hass.config_entries.flow, {"source": SOURCE_ZEROCONF}
    flows = [
        hass.async_create_task(flow.async_init("dp1", context=context, data=info))
        for info in infos
    ]
    await until(lambda: asked == config_flow.MAX_PARALLEL)
    gate.set()
    steps = await asyncio.gather(*flows)
    forms = [step for step in steps if step["type"] == "form"]
    assert most == config_flow.MAX_PARALLEL
    assert 3 <= len(forms) < 3 + config_flow.MAX_PARALLEL
    for server in servers:
        server.close()


@pytest.mark.parametrize(
    ("device_id", "changes", "reason"),
    [
        (DEVICE_ID, {}, "already_configured"),
        (
            DEVICE_ID,
            {"source": SOURCE_IGNORE, "data": {"host": GONE}},
            "already_configured",
        ),
        (None, {}, "not_a_display"),
    ],
    ids=["where it is", "ignored", "without an id"],
)
async def test_an_announcement_that_asks_nothing(
    home: Home, device_id: str | None, changes: dict[str, Any], reason: str
) -> None:
    """A display at its address, an ignored one, and what has no id are not contacted."""
    home.entry(**changes)
    assert outcome(await home.hear(device_id=device_id)) == reason
    assert not home.display.received


async def test_an_announcement_alone_proves_nothing(hass: HomeAssistant) -> None:
    """Discovery aborts if the address does not answer like a display."""
    async with ScriptedServer.run(Reply(200, b"<html>Router</html>")) as server:
        port = int(server.url.rpartition(":")[2])
        result = await announce(hass, announcement("127.0.0.1", port))
    assert outcome(result) == "web_page"


@pytest.mark.parametrize(
    ("profile", "unique_id", "macs", "is_followed"),
    [
        ("B", OTHER_ID, [], False),
        ("B", DEVICE_ID, OTHER_MACS, True),
        ("A", DEVICE_ID, OTHER_MACS, False),
        ("A", DEVICE_ID, MACS[:1], True),
    ],
    ids=["other id", "new hardware", "no id and other hardware", "no id but hardware"],
)
async def test_who_answers_at_an_announced_address(
    home: Home, unique_id: str, macs: list[str], is_followed: bool
) -> None:
    """The address is only stored if the display of the entry answers there, as its id or else its hardware tells."""
    entry = home.entry(unique_id=unique_id, data={"port": 1, "macs": macs})
    result = await home.hear(device_id=unique_id)
    reason = "already_configured" if is_followed else "another_display"
    assert outcome(result) == reason
    assert home.is_at(entry) is is_followed
    assert entry.data["macs"] == (MACS if is_followed else macs)


@pytest.mark.parametrize("profile", ["A", "B"])
async def test_a_display_that_moved_is_followed_once_it_answers(home: Home) -> None:
    """A new address is only stored after the display has answered there."""
    entry = await set_up(home.hass, entry_of(home.display, data={"port": 1}))
    assert entry.state is ConfigEntryState.SETUP_RETRY
    dead = await announce(home.hass, announcement(home.display.host, 2))
    assert (outcome(dead), entry.data["port"]) == ("refused", 1)
    assert outcome(await home.hear()) == "already_configured"
    assert home.is_at(entry)
    assert entry.state is ConfigEntryState.LOADED


@pytest.mark.parametrize("profile", ["A", "B"])
@pytest.mark.parametrize("hardware", [0, 1])
async def test_a_second_server_does_not_take_a_display_over(
    home: Home,
    other: DisplaySimulator,
    monkeypatch: pytest.MonkeyPatch,
    profile: str,
    hardware: int,
) -> None:
    """The address stays as long as the display answers there; afterwards it is updated."""
    entry = await set_up(home.hass, entry_of(home.display, data={"macs": MACS}))
    other.device.hardware = hardware
    lose_internet(home.display, monkeypatch, patience=3.0)
    is_same = not hardware or profile == "B"
    reason = "already_configured" if is_same else "another_display"
    assert outcome(await home.hear(other)) == reason
    assert home.is_at(entry)
    assert entry.state is ConfigEntryState.LOADED
    await home.display.power_off()
    await home.hear(other)
    assert home.is_at(entry, other) is is_same
    await home.hass.config_entries.async_unload(entry.entry_id)


async def test_the_hardware_tells_which_of_two_is_the_display(
    home: Home, other: DisplaySimulator
) -> None:
    """A device with the same id and other MAC addresses is replaced by the display itself."""
    other.device.hardware = 1
    entry = entry_of(other, data={"macs": MACS})
    entry.add_to_hass(home.hass)
    assert outcome(await home.hear()) == "already_configured"
    assert home.is_at(entry)


async def test_two_displays_with_one_id(home: Home, other: DisplaySimulator) -> None:
    """Of two that announce the same id, one can be added, once, and stays where it answers."""
    first = await home.hear(device_id=DEVICE_ID.lower())
    assert outcome(await home.hear(other)) == "already_in_progress"
    added = await home.fill(first)
    assert outcome(added) == CREATED
    assert outcome(await home.hear(other)) == "already_configured"
    assert home.is_at(added["result"])


@pytest.mark.parametrize("profile", ["A"])
async def test_one_address_is_offered_once(home: Home) -> None:
    """A display that does not say its id is offered under the first that is announced."""
    assert outcome(await home.hear()) == "zeroconf_confirm"
    result = await home.hear(device_id="FF1-00000009")
    assert outcome(result) == "already_in_progress"


@pytest.mark.parametrize("profile", ["A", "B"])
async def test_a_display_added_by_its_address_takes_its_name(
    home: Home, profile: str
) -> None:
    """The title is updated by discovery, unless the owner has changed it."""
    home.display.inject("reset", command="getDeviceStatus")
    entry = (await home.add())["result"]
    assert entry.title == (DEVICE_ID if profile == "B" else "FF1")
    home.display.heal()
    assert outcome(await home.hear()) == "already_configured"
    assert entry.title == "Wall"
    assert entry.state is ConfigEntryState.LOADED
    assert device_of(home.hass, entry).name == "Wall"

    home.hass.config_entries.async_update_entry(entry, title="Hall")
    await home.hear()
    assert entry.title == "Hall"


@pytest.mark.parametrize("profile", ["A"])
async def test_an_id_that_becomes_known_later_is_taken_on(
    home: Home, entity_registry: er.EntityRegistry
) -> None:
    """The entry, its device and its entities are kept when the device id becomes known."""
    entry = (await home.add())["result"]
    assert entry.unique_id is None
    device = device_of(home.hass, entry)

    def entities() -> tuple[set[str], set[str]]:
        """Return the entities, and what their unique ids begin with."""
        them = er.async_entries_for_config_entry(entity_registry, entry.entry_id)
        return {it.id for it in them}, {it.unique_id.partition("_")[0] for it in them}

    before, prefixes = entities()
    assert prefixes == {entry.entry_id}
    assert outcome(await home.hear()) == "already_configured"
    assert entry.unique_id == DEVICE_ID
    assert entry.state is ConfigEntryState.LOADED
    after, prefixes = entities()
    assert before <= after and prefixes == {DEVICE_ID}
    same = device_of(home.hass, entry)
    assert (same.id, same.identifiers) == (device.id, {("dp1", DEVICE_ID)})


@pytest.mark.parametrize("profile", ["A"])
async def test_an_id_is_not_given_to_another_display_of_the_same_address(
    home: Home,
) -> None:
    """An entry without an id keeps none if another display answers at its address."""
    entry = home.entry(unique_id=None, data={"macs": OTHER_MACS})
    assert outcome(await home.hear()) == "zeroconf_confirm"
    assert entry.unique_id is None


# Another address


@pytest.mark.parametrize(
    ("profile", "unique_id", "data"),
    [
        ("A", DEVICE_ID, {"host": GONE, "port": 1234}),
        ("B", DEVICE_ID, {"host": GONE, "port": 1234, "macs": OTHER_MACS}),
        ("B", None, {"host": GONE, "port": 1234}),
    ],
    ids=["address", "new hardware", "an id since an update"],
)
async def test_reconfiguring_gives_another_address(
    home: Home, unique_id: str | None, data: dict[str, Any]
) -> None:
    """The address can be changed, also after an error; the hardware and an id that the display reports are stored."""
    entry = home.entry(unique_id=unique_id, data=data)
    form = await entry.start_reconfigure_flow(home.hass)
    assert outcome(form) == "reconfigure"
    assert suggested(form) == {"host": "192.0.2.1:1234"}
    form = await home.fill(form, host="127.0.0.1:1")
    assert outcome(form) == {"host": "refused"}
    result = await home.fill(form, host=home.address)
    assert outcome(result) == "reconfigure_successful"
    assert home.is_at(entry)
    assert (entry.unique_id, entry.data["macs"]) == (DEVICE_ID, MACS)
    assert entry.state is ConfigEntryState.LOADED


async def test_reconfiguring_while_the_display_is_offered(home: Home) -> None:
    """A display that was added before it had an id may be offered again by its announcement."""
    entry = home.entry(unique_id=None, data={"port": 1})
    offered = await home.hear()
    assert outcome(offered) == "zeroconf_confirm"
    form = await entry.start_reconfigure_flow(home.hass)
    result = await home.fill(form, host=home.address)
    assert outcome(result) == "reconfigure_successful"
    assert outcome(await home.fill(offered)) == "already_configured"
    assert home.hass.config_entries.async_entries("dp1") == [entry]


@pytest.mark.parametrize("other_profile", ["A", "B"])
async def test_reconfiguring_refuses_another_display(
    home: Home, mdns: HaAsyncZeroconf, other_profile: str
) -> None:
    """The address of another display is refused; those that do not report an id are told apart by their announcements."""
    entry = home.entry(data={"host": GONE})
    form = await entry.start_reconfigure_flow(home.hass)
    async with DisplaySimulator(
        profile=other_profile, device_id=OTHER_ID, zeroconf=mdns
    ) as other:
        form = await home.fill(form, host=written(other))
    assert outcome(form) == {"host": "another_display"}
    assert entry.data["host"] == GONE
    result = await home.fill(form, host=home.address)
    assert outcome(result) == "reconfigure_successful"
