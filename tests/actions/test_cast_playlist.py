"""Test the cast_playlist action."""

from collections.abc import AsyncIterator
import json
from operator import contains
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser
import voluptuous as vol

from custom_components.dp1.client.display import transport
from custom_components.dp1.client.hosts import other_urls, work_url
from homeassistant.auth.permissions.types import PolicyType
from homeassistant.config_entries import ConfigEntryDisabler, ConfigEntryState
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError, Unauthorized, UnknownUser
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)

from . import calls
from .calls import call, cast

from tests.client.scripted_server import Reply, ScriptedServer
from tests.client.timing import worst_stall
from tests.displays import (
    DESCRIPTION,
    ENTITY_ID,
    FIRMWARE,
    entry_of,
    playlist,
    set_up,
    state_of,
    until,
)
from tests.libraries import library_entry
from tests.simulators.display import DisplaySimulator, FaultKind
from tests.timing import FAST, Timing, set_timing

pytestmark = pytest.mark.usefixtures("socket_enabled", "names")

EVENING = playlist("Dawn", "Noon", "Dusk")
TITLES = ["Dawn", "Noon", "Dusk"]
OTHER = "media_player.hall"
BOTH = [ENTITY_ID, OTHER]
BROKEN = {**EVENING, "items": [{"source": "https://art.example.org/1"}, {"source": 3}]}
SHOWN = {"title": "Evening", "items": 3, "playlist_id": EVENING["id"]}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts."""
    monkeypatch.setattr(transport, "_BACKOFF", 0.01)


@pytest.fixture
def timing() -> Timing:
    """Shorten more delays."""
    return dict(FAST, probe_interval=0.05)


@pytest.fixture
async def evening(socket_enabled: None) -> AsyncIterator[str]:
    async with ScriptedServer.run(Reply(200, EVENING)) as server:
        yield f"{server.url}/playlists/evening"


@pytest.fixture
async def hall(
    hass: HomeAssistant, setup_display: MockConfigEntry
) -> AsyncIterator[DisplaySimulator]:
    async with DisplaySimulator(
        profile="A", device_id="FF1-ZZ99ZZ99", poll_interval=0.2
    ) as simulator:
        await set_up(hass, entry_of(simulator, unique_id="FF1-ZZ99ZZ99", title="Hall"))
        yield simulator


async def failure(hass: HomeAssistant, **data: Any) -> tuple[str | None, Any]:
    """Cast to the display, and return the key and the placeholders of the error."""
    return await calls.failure(hass, "cast_playlist", **{"entity_id": ENTITY_ID} | data)


def titles(display: DisplaySimulator) -> list[str]:
    return [item["title"] for item in display.state.items]


# What to cast


@pytest.mark.usefixtures("setup_display")
async def test_a_large_playlist_stalls_nothing(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A large playlist is read and checked outside the event loop, up to the size limit."""
    manifest = {"metadata": {"artists": [{"name": "a" * 50}] * 15}}
    document = playlist(*["Dawn"] * 1024)
    document["items"] = [
        {**item, "inlineManifest": manifest} for item in document["items"]
    ]
    body = json.dumps(document).encode()
    assert len(body) > 1_000_000
    async with ScriptedServer.run(Reply(200, body), Reply(200, body * 6)) as server:
        what = {"playlist_url": f"{server.url}/list.json", "limit": 2}
        assert await worst_stall(lambda: cast(hass, **what), 0.2) < 0.2
        assert (await failure(hass, **what))[0] == "answer_too_large"
    assert len(display.state.items) == 2


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", [*FIRMWARE, *DESCRIPTION])
async def test_a_playlist_by_its_address(
    hass: HomeAssistant, display: DisplaySimulator, evening: str, profile: str
) -> None:
    """A URL is sent to the display; what that does not report of the playlist is read from the document."""
    told = await cast(hass, playlist_url=evening)
    assert told == {**SHOWN, "playlist_url": evening, "method": "url"}
    assert display.state.playlist_url == evening
    shown = state_of(hass).attributes
    assert shown["media_content_id"] == f"{evening}#dp1&"
    assert (shown.get("media_title") == "Dawn") is (profile in FIRMWARE)


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize(
    ("profile", "form"),
    zip([*FIRMWARE, *DESCRIPTION], [dict, json.dumps] * 2, strict=True),
)
async def test_a_document(
    hass: HomeAssistant, display: DisplaySimulator, form: Any
) -> None:
    """A document can be an object or text, and is cast to every display."""
    told = await cast(hass, playlist=form(EVENING))
    assert told == {**SHOWN, "playlist_url": None, "method": "inline"}
    assert titles(display) == TITLES
    assert display.casts <= 2
    sent = [it for it in display.received if it.command == "displayPlaylist"]
    assert sum(record.applied for record in sent) == 1


@pytest.mark.usefixtures("setup_display")
async def test_a_list_with_a_byte_order_mark(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A display cannot read it at its address; what is read here is cast as a document, never as text."""
    reply = Reply(200, b"\xef\xbb\xbf" + json.dumps(EVENING).encode())
    async with ScriptedServer.run(lambda request: reply) as server:
        url = f"{server.url}/list.json"
        key, _ = await failure(hass, playlist_url=url)
        assert key is not None and not display.state.items
        await cast(hass, playlist_url=url, limit=2)
        assert titles(display) == TITLES[:2]
        await hass.services.async_call(
            "media_player",
            "play_media",
            {
                "entity_id": ENTITY_ID,
                "media_content_type": "url",
                "media_content_id": url,
            },
            blocking=True,
        )
        assert titles(display) == TITLES


@pytest.mark.usefixtures("display", "setup_display")
@pytest.mark.parametrize("profile", ["legacy"])
async def test_what_neither_display_nor_home_assistant_can_tell(
    hass: HomeAssistant,
) -> None:
    """Unknown values are left out of the response."""
    replies = Reply(200, EVENING), Reply(200, EVENING), Reply(404)
    async with ScriptedServer.run(*replies) as server:
        told = await cast(hass, playlist_url=server.url)
        assert server.calls() == ["GET /"] * 3
    unknown = dict.fromkeys(SHOWN)
    known = {"title": "Evening", "playlist_url": server.url, "method": "url"}
    assert told == {**unknown, **known}


@pytest.mark.usefixtures("display", "setup_display")
async def test_any_media(hass: HomeAssistant, evening: str) -> None:
    """The content type of a URL decides how it is shown, or its name where it cannot be read; a film is asked for once."""
    assert (await cast(hass, media_content_id=evening))["method"] == "url"
    told = await cast(hass, media_content_id="https://art.example.org/sun.png")
    assert "does not answer" in told.pop("warning")
    assert told == {
        "title": "sun",
        "items": 1,
        "playlist_id": None,
        "playlist_url": None,
        "method": "inline",
    }
    told = await cast(hass, media_content_id=json.dumps(EVENING))
    assert told["title"] == "Evening"
    async with ScriptedServer.run(Reply(200, b"film")) as server:
        told = await cast(hass, media_content_id=f"{server.url}/film.MP4")
        agents = [request.headers["User-Agent"] for request in server.requests]
    assert told["method"] == "inline"
    assert len([agent for agent in agents if "HomeAssistant" in agent]) == 1
    async with ScriptedServer.run(Reply(503), Reply(200, EVENING)) as server:
        url = f"{server.url}/api/v1/playlists/evening"
        assert (await cast(hass, media_content_id=url))["method"] == "url"


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize(
    ("action", "what"),
    [
        ("cast_playlist", {"entity_id": ENTITY_ID}),
        ("cast_playlist", {"entity_id": ENTITY_ID, "playlist": {}, "playlist_id": "a"}),
        ("publish_playlist", {}),
        ("publish_playlist", {"playlist": {}, "playlist_url": "http://a.example"}),
        ("get_playlist", {}),
        ("get_playlist", {"playlist_id": "a", "playlist_url": "http://a.example"}),
    ],
)
async def test_exactly_one_thing_is_named(
    hass: HomeAssistant, display: DisplaySimulator, action: str, what: dict[str, Any]
) -> None:
    """Naming nothing or two things is an error."""
    await set_up(hass, library_entry("http://127.0.0.1:9"))
    refused = await calls.failure(hass, action, of=ServiceValidationError, **what)
    assert refused[0] == "exactly_one_of"
    assert not display.writes


# Options


@pytest.mark.usefixtures("setup_display")
async def test_every_option_at_once(
    hass: HomeAssistant, display: DisplaySimulator, evening: str
) -> None:
    """Options that change the document send it instead of its URL."""
    look = {"scaling": "fill", "background": "#102030", "margin": "5%"}
    order = {"start_at": 2, "shuffle": False, "repeat": "one", "limit": 2}
    told = await cast(hass, playlist_url=evening, item_duration=45, **look, **order)
    assert (told["method"], told["items"]) == ("inline", 2)
    assert display.state.current_title == "Noon"
    assert display.state.loop_mode == "one"
    for item in display.state.items:
        assert (item["duration"], item["display"]) == (45, look)


@pytest.mark.usefixtures("setup_display")
async def test_margins(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """A margin is a number of pixels or has a unit."""
    for margin, kept in ((12, 12), ("12", 12), ("1.5vw", "1.5vw"), (0, 0)):
        await cast(hass, playlist=EVENING, margin=margin)
        assert display.state.items[0]["display"]["margin"] == kept


@pytest.mark.usefixtures("setup_display")
async def test_order(
    hass: HomeAssistant, display: DisplaySimulator, evening: str
) -> None:
    """Repeat does not change what is sent, and YAML's unquoted ``off``, which is false, is one; shuffle keeps the start work first."""
    for repeat, loop in (
        ("off", "none"),
        ("all", "playlist"),
        (False, "none"),
        ("one", "one"),
    ):
        told = await cast(hass, playlist_url=evening, repeat=repeat)
        assert told["method"] == "url"
        assert display.state.loop_mode == loop
    await cast(hass, playlist_url=evening, start_at=3, shuffle=True)
    assert display.state.shuffle
    assert display.state.current_title == "Dusk"


@pytest.mark.usefixtures("setup_display")
async def test_a_work_that_is_not_there(
    hass: HomeAssistant, display: DisplaySimulator, evening: str
) -> None:
    """A start work that is not in the playlist is refused."""
    for what in ({"playlist": EVENING}, {"playlist_url": evening}):
        key, told = await failure(hass, **what, start_at=4)
        assert (key, told) == ("no_such_work", {"start_at": "4", "works": "3"})
    assert not display.writes


@pytest.mark.usefixtures("setup_display")
async def test_options_that_make_no_sense(
    hass: HomeAssistant, display: DisplaySimulator, subtests: pytest.Subtests
) -> None:
    """Invalid options, among them margins without end, are refused before anything is sent."""
    margins = (
        "wide",
        -1,
        float("inf"),
        float("nan"),
        1e300,
        "9" * 400,
        "9" * 400 + "px",
    )
    for option in [
        {"start_at": 0},
        {"item_duration": 0},
        {"scaling": "contain"},
        {"background": "red"},
        {"repeat": "twice"},
        {"unknown": 1},
        *({"margin": margin} for margin in margins),
    ]:
        with subtests.test(option=option), pytest.raises(vol.Invalid):
            await cast(hass, playlist=EVENING, **option)
    assert not display.writes


@pytest.mark.usefixtures("setup_display")
async def test_a_sleeping_display_is_woken_unless_told_otherwise(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A sleeping display is woken, unless wake is off."""
    await hass.services.async_call(
        "media_player", "turn_off", {"entity_id": ENTITY_ID}, blocking=True
    )
    for wake, state in ((False, "off"), (True, "playing")):
        await cast(hass, playlist=EVENING, **({} if wake else {"wake": False}))
        assert display.state.asleep is not wake
        assert state_of(hass).state == state


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", ["legacy"])
async def test_a_display_that_only_takes_playlists_has_no_order(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Where to begin, and in which order, is refused in words, and what hangs stays."""
    await cast(hass, playlist=EVENING)
    options: list[dict[str, Any]]
    options = [{"start_at": 2}, {"shuffle": True}, {"repeat": "one"}]
    for option in options:
        key, told = await failure(hass, playlist=EVENING, **option)
        assert (key, told["what"]) == ("display_cannot", next(iter(option)))
    assert titles(display) == TITLES


# Targets


async def test_several_displays(
    hass: HomeAssistant,
    display: DisplaySimulator,
    hall: DisplaySimulator,
    area_registry: ar.AreaRegistry,
    device_registry: dr.DeviceRegistry,
    entity_registry: er.EntityRegistry,
) -> None:
    """The response has an entry for every display, of an area for its displays only."""
    area = area_registry.async_create("Gallery")
    lamp = entity_registry.async_get_or_create("light", "test", "lamp")
    entity_registry.async_update_entity(lamp.entity_id, area_id=area.id)
    for entity_id in BOTH:
        device_id = entity_registry.entities[entity_id].device_id
        assert device_id is not None
        device_registry.async_update_device(device_id, area_id=area.id)
    for target in ({"entity_id": BOTH}, {"entity_id": "all"}, {"area_id": area.id}):
        response = await call(hass, "cast_playlist", playlist=EVENING, **target)
        assert set(response) == set(BOTH)
    assert display.casts == hall.casts == 3


async def test_one_failure_does_not_stop_the_others(
    hass: HomeAssistant, display: DisplaySimulator, hall: DisplaySimulator
) -> None:
    """A failure is reported for the display that failed; it is an error without a response, or if all fail."""
    await hall.power_off()
    aim = {"entity_id": BOTH, "playlist": EVENING}
    response = await call(hass, "cast_playlist", **aim)
    assert response[ENTITY_ID]["items"] == 3
    assert list(response[OTHER]) == ["error"]
    assert "refused the connection" in response[OTHER]["error"]
    key, told = await failure(hass, respond=False, **aim)
    assert (key, told["failed"], told["meant"]) == ("displays_failed", "1", "2")
    assert "Hall refused" in told["reasons"]
    assert display.casts == 2
    await display.power_off()
    assert (await failure(hass, **aim))[0] == "displays_failed"


@pytest.mark.parametrize(
    ("target", "key"),
    [
        ({"entity_id": "light.lamp"}, "not_a_display"),
        ({"area_id": "nowhere"}, "no_display_meant"),
    ],
)
async def test_a_target_without_displays(
    hass: HomeAssistant, setup_display: MockConfigEntry, target: Any, key: str
) -> None:
    """A target that is no display is named in the error."""
    refused = await calls.failure(hass, "cast_playlist", playlist=EVENING, **target)
    assert refused[0] == key


# Unreachable displays


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("respond", [True, False])
async def test_an_unplugged_display_is_diagnosed(
    hass: HomeAssistant, display: DisplaySimulator, respond: bool
) -> None:
    """A refused connection is reported, for available and unavailable entities, with and without a response."""
    set_timing(loss_patience=0.0)
    await display.power_off()
    for state in ("idle", "unavailable"):
        await until(lambda: state in ("idle", state_of(hass).state))  # noqa: B023
        refused = await failure(hass, playlist=EVENING, respond=respond)
        assert refused[0] == "display_refused"


async def test_a_display_that_is_not_loaded(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """What keeps it from being set up is reported, and once it is reachable, the cast sets it up; a disabled one is no target."""

    async def refused(target: str = ENTITY_ID) -> str | None:
        return (await failure(hass, entity_id=target, playlist=EVENING))[0]

    async def reload(state: ConfigEntryState, host: str) -> None:
        await hass.config_entries.async_unload(setup_display.entry_id)
        data = {**setup_display.data, "host": host}
        hass.config_entries.async_update_entry(setup_display, data=data)
        await hass.config_entries.async_setup(setup_display.entry_id)
        assert setup_display.state is state

    host = setup_display.data["host"]
    await reload(ConfigEntryState.SETUP_RETRY, "wall.invalid")
    assert await refused() == "display_no_answer"
    await display.power_off()
    await reload(ConfigEntryState.SETUP_RETRY, host)
    assert await refused() == "display_refused"
    await display.power_on()
    assert (await cast(hass, playlist=EVENING))["items"] == 3
    assert setup_display.state is ConfigEntryState.LOADED
    await hass.config_entries.async_unload(setup_display.entry_id)
    assert await refused() == "display_not_set_up"
    await hass.config_entries.async_set_disabled_by(
        setup_display.entry_id, ConfigEntryDisabler.USER
    )
    assert await refused() == "not_a_display"
    await hass.config_entries.async_remove(setup_display.entry_id)
    assert await refused("all") == "no_display_meant"


# Errors


@pytest.mark.usefixtures("setup_display")
async def test_an_invalid_document_is_told_with_path_and_reason(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """An invalid document is refused with path and reason, and not sent."""
    for document, path in ((BROKEN, "items[1].source"), ("{", ""), ("[]", "")):
        key, told = await failure(hass, of=ServiceValidationError, playlist=document)
        assert key == "playlist_invalid"
        assert path in told["faults"]
    assert not display.writes


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_an_address_that_the_display_turns_down_is_explained(
    hass: HomeAssistant, display: DisplaySimulator, subtests: pytest.Subtests
) -> None:
    """A URL that the display refuses is read to find the reason."""
    for number, (reply, key, words) in enumerate(
        (
            (Reply(200, BROKEN), "playlist_invalid", "items[1].source"),
            (Reply(200, b"\xff\xfe"), "playlist_invalid", "JSON"),
            (Reply(500), "playlist_temporary", ""),
        ),
        1,
    ):
        with subtests.test(reply=reply):
            async with ScriptedServer.run(reply) as server:
                found, told = await failure(hass, playlist_url=f"{server.url}/p")
            assert found == key
            assert words in str(told)
            assert display.casts == number


@pytest.mark.usefixtures("setup_display")
async def test_works_on_ipfs_are_shown_by_a_gateway(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Players refuse a whole playlist for an address on IPFS or Arweave, so they get those of gateways."""
    works = [
        {
            "source": "ipfs://bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34/a.png"
        },
        {"source": f"ar://{'a' * 43}?x=1"},
    ]
    playlist = {**EVENING, "items": works}
    # A gateway that does not answer the display is followed by the next.
    meant = [work_url(work["source"]) for work in works]
    gateways = [{it, *other_urls(it)} for it in meant]
    async with ScriptedServer.run(Reply(200, playlist)) as server:
        for what in ({"playlist": playlist}, {"playlist_url": f"{server.url}/p"}):
            told = await cast(hass, **what)
            shown = [item["source"] for item in display.player.items]
            assert all(map(contains, gateways, shown, strict=True))
            assert told["method"] == "inline"
            assert "superseded" not in told


DATED = EVENING["items"][1]
UNREADABLE = {**EVENING, "items": [DATED, {**DATED, "displayAt": "2026-12-01"}]}
READABLE = {**EVENING, "items": [{**DATED, "displayAt": "2026-12-01T08:00:00"}]}


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize(
    ("document", "is_refused", "key"),
    [
        (EVENING, True, "playlist_not_accepted"),
        (READABLE, True, "dated_not_accepted"),
        (UNREADABLE, False, "playlist_invalid"),
    ],
    ids=["without a reason", "with dates", "a date that displays cannot read"],
)
async def test_what_a_display_does_not_explain(
    hass: HomeAssistant,
    display: DisplaySimulator,
    document: dict[str, Any],
    is_refused: bool,
    key: str,
) -> None:
    """A valid playlist that is refused without a reason is called that; dates may be the reason, and one that cannot be read fails the whole cast, so it is named."""
    if is_refused:
        display.inject(FaultKind.STATUS, command="displayPlaylist")
    async with ScriptedServer.run(Reply(200, document)) as server:
        for what in ({"playlist": document}, {"playlist_url": f"{server.url}/x.json"}):
            found, told = await failure(hass, **what)
            assert found == key
            assert is_refused or "items[1].displayAt" in str(told)


@pytest.mark.usefixtures("setup_display")
async def test_a_refusal_with_a_reason(
    hass: HomeAssistant, display: DisplaySimulator, evening: str
) -> None:
    """The reason that the display gives is told with the error."""
    text = "sourceUnreachable: no source (item 0: HTTP 404)"
    display.inject(FaultKind.STATUS, command="displayPlaylist", status=422, text=text)
    key, told = await failure(hass, playlist_url=evening)
    assert key == "playlist_sources_unreachable"
    assert told["detail"] == "no source (item 0: HTTP 404)"
    assert display.casts == 1


# Permissions


@pytest.mark.usefixtures("hall")
async def test_people_without_permission_are_kept_out(
    hass: HomeAssistant, display: DisplaySimulator, hass_read_only_user: MockUser
) -> None:
    """Displays without permission are refused if named, and left out of wider targets."""
    policy: PolicyType = {"entities": {"entity_ids": {OTHER: {"control": True}}}}
    user = hass_read_only_user
    user.mock_policy(policy)
    what = {"playlist": EVENING, "context": Context(user_id=user.id)}
    with pytest.raises(Unauthorized):
        await cast(hass, **what)
    response = await call(hass, "cast_playlist", entity_id="all", **what)
    assert set(response) == {OTHER}
    assert not display.writes
    user.mock_policy({})
    assert (await failure(hass, entity_id="all", **what))[0] == "no_display_meant"
    with pytest.raises(UnknownUser):
        await cast(hass, playlist=EVENING, context=Context(user_id="nobody"))
