"""Test the cast_playlist action."""

from collections.abc import AsyncIterator
import json
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser
import voluptuous as vol

from custom_components.dp1.client.display import transport
from homeassistant.auth.permissions.types import PolicyType
from homeassistant.config_entries import ConfigEntryDisabler, ConfigEntryState
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import (
    HomeAssistantError,
    ServiceValidationError,
    Unauthorized,
    UnknownUser,
)
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)

from tests.client.scripted_server import Reply, ScriptedServer
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
from tests.faults.watch import Watch, set_apart
from tests.simulators.display import DisplaySimulator, FaultKind
from tests.timing import FAST, Timing, set_timing

pytestmark = pytest.mark.usefixtures("socket_enabled", "names")

EVENING = playlist("Dawn", "Noon", "Dusk")
OTHER = "media_player.hall"
BROKEN = {**EVENING, "items": [{"source": "https://art.example.org/1"}, {"source": 3}]}


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


async def cast(
    hass: HomeAssistant,
    target: str | list[str] | None = ENTITY_ID,
    *,
    respond: bool = True,
    context: Context | None = None,
    **data: Any,
) -> Any:
    aim = {} if target is None else {"entity_id": target}
    return await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {**aim, **data},
        blocking=True,
        return_response=respond,
        context=context,
    )


async def failure(hass: HomeAssistant, **data: Any) -> HomeAssistantError:
    """Call the action and return the error."""
    with pytest.raises(HomeAssistantError) as caught:
        await cast(hass, **data)
    assert caught.value.translation_domain == "dp1"
    return caught.value


# What to cast


async def test_a_large_playlist_stalls_nothing(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
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
        set_apart()
        async with Watch() as watch:
            await cast(hass, playlist_url=f"{server.url}/list.json", limit=2)
        assert watch.stall < 0.2
        error = await failure(hass, playlist_url=f"{server.url}/list.json", limit=2)
    assert error.translation_key == "answer_too_large"
    assert len(display.state.items) == 2


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_a_playlist_by_its_address(
    hass: HomeAssistant, display: DisplaySimulator, evening: str
) -> None:
    """A URL is sent to the display, and the response has the display's playlist."""
    assert await cast(hass, playlist_url=evening) == {
        ENTITY_ID: {
            "title": "Evening",
            "items": 3,
            "playlist_id": EVENING["id"],
            "playlist_url": evening,
            "method": "url",
        }
    }
    assert display.state.playlist_url == evening
    assert state_of(hass).attributes["media_title"] == "Dawn"


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", [*FIRMWARE, *DESCRIPTION])
@pytest.mark.parametrize("form", [dict, json.dumps])
async def test_a_document(
    hass: HomeAssistant, display: DisplaySimulator, form: Any
) -> None:
    """A document can be an object or text, and is cast to every display."""
    assert await cast(hass, playlist=form(EVENING)) == {
        ENTITY_ID: {
            "title": "Evening",
            "items": 3,
            "playlist_id": EVENING["id"],
            "playlist_url": None,
            "method": "inline",
        }
    }
    assert [item["title"] for item in display.state.items] == ["Dawn", "Noon", "Dusk"]
    assert display.casts <= 2
    assert (
        sum(
            record.applied
            for record in display.received
            if record.command == "displayPlaylist"
        )
        == 1
    )


@pytest.mark.usefixtures("display", "setup_display")
@pytest.mark.parametrize("profile", [*DESCRIPTION])
async def test_a_playlist_by_its_address_on_a_display_that_cannot_tell(
    hass: HomeAssistant, evening: str
) -> None:
    """The response is filled from the document if the display does not report its playlist."""
    response = await cast(hass, playlist_url=evening)
    assert response[ENTITY_ID] == {
        "title": "Evening",
        "items": 3,
        "playlist_id": EVENING["id"],
        "playlist_url": evening,
        "method": "url",
    }
    assert state_of(hass).attributes["media_content_id"] == f"{evening}#dp1&"


@pytest.mark.usefixtures("display", "setup_display")
@pytest.mark.parametrize("profile", ["legacy"])
async def test_what_neither_display_nor_home_assistant_can_tell(
    hass: HomeAssistant,
) -> None:
    """Unknown values are left out of the response."""
    async with ScriptedServer.run(Reply(200, EVENING), Reply(404)) as server:
        response = await cast(hass, playlist_url=server.url)
        assert server.calls() == ["GET /", "GET /"]
    assert response[ENTITY_ID] == {
        "title": None,
        "items": None,
        "playlist_id": None,
        "playlist_url": server.url,
        "method": "url",
    }


@pytest.mark.usefixtures("display", "setup_display")
async def test_any_media(hass: HomeAssistant, evening: str) -> None:
    """The content type of a URL decides how it is shown."""
    response = await cast(hass, media_content_id=evening)
    assert response[ENTITY_ID]["method"] == "url"
    response = await cast(hass, media_content_id="https://art.example.org/sun.png")
    assert response[ENTITY_ID] == {
        "title": "sun",
        "items": 1,
        "playlist_id": None,
        "playlist_url": None,
        "method": "inline",
    }
    response = await cast(hass, media_content_id=json.dumps(EVENING))
    assert response[ENTITY_ID]["title"] == "Evening"


@pytest.mark.usefixtures("display", "setup_display")
async def test_a_film_is_not_loaded_to_see_what_it_is(hass: HomeAssistant) -> None:
    """The body of a video is not read to find its type."""
    async with ScriptedServer.run(Reply(200, b"film")) as server:
        response = await cast(hass, media_content_id=f"{server.url}/film.MP4")
        agents = [request.headers["User-Agent"] for request in server.requests]
    assert response[ENTITY_ID]["method"] == "inline"
    assert not [agent for agent in agents if "HomeAssistant" in agent]


async def test_what_cannot_be_read_from_here_is_judged_by_its_name(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """The type of a URL that cannot be read is taken from the URL itself."""
    answers = [Reply(503), Reply(200, EVENING)]
    async with ScriptedServer.run(*answers) as server:
        url = f"{server.url}/api/v1/playlists/evening"
        response = await cast(hass, media_content_id=url)
    assert response[ENTITY_ID]["method"] == "url"


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize(
    "what",
    [
        {},
        {"playlist": EVENING, "playlist_url": "https://feed.example.org/1"},
        {"playlist_url": "https://feed.example.org/1", "media_content_id": "x"},
    ],
)
async def test_exactly_one_thing_is_named(
    hass: HomeAssistant, display: DisplaySimulator, what: dict[str, Any]
) -> None:
    """Naming nothing or two things to cast is an error."""
    error = await failure(hass, **what)
    assert isinstance(error, ServiceValidationError)
    assert error.translation_key == "exactly_one_of"
    assert not display.writes


# Options


@pytest.mark.usefixtures("setup_display")
async def test_every_option_at_once(
    hass: HomeAssistant, display: DisplaySimulator, evening: str
) -> None:
    """Options that change the document send it instead of its URL."""
    response = await cast(
        hass,
        playlist_url=evening,
        start_at=2,
        shuffle=False,
        repeat="one",
        item_duration=45,
        scaling="fill",
        background="#102030",
        margin="5%",
        limit=2,
    )
    assert response[ENTITY_ID]["method"] == "inline"
    assert response[ENTITY_ID]["items"] == 2
    state = display.state
    assert state.current_title == "Noon"
    assert state.loop_mode == "one"
    for item in state.items:
        assert item["duration"] == 45
        assert item["display"] == {
            "scaling": "fill",
            "background": "#102030",
            "margin": "5%",
        }


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize(
    ("given", "kept"), [(12, 12), ("12", 12), ("1.5vw", "1.5vw"), (0, 0)]
)
async def test_margins(
    hass: HomeAssistant, display: DisplaySimulator, given: Any, kept: Any
) -> None:
    """A margin is a number of pixels or has a unit."""
    await cast(hass, playlist=EVENING, margin=given)
    assert display.state.items[0]["display"]["margin"] == kept


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize(
    ("given", "loop"),
    [("off", "none"), (False, "none"), ("all", "playlist"), ("one", "one")],
)
async def test_repeat(
    hass: HomeAssistant, display: DisplaySimulator, evening: str, given: Any, loop: str
) -> None:
    """Repeat does not change what is sent; YAML's unquoted ``off``, which is false, is accepted."""
    response = await cast(hass, playlist_url=evening, repeat=given)
    assert response[ENTITY_ID]["method"] == "url"
    assert display.state.loop_mode == loop


@pytest.mark.usefixtures("setup_display")
async def test_shuffle_from_a_work_on(
    hass: HomeAssistant, display: DisplaySimulator, evening: str
) -> None:
    """Shuffle keeps the start work first."""
    await cast(hass, playlist_url=evening, start_at=3, shuffle=True)
    assert display.state.shuffle
    assert display.state.current_title == "Dusk"


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("how", ["playlist", "playlist_url"])
async def test_a_work_that_is_not_there(
    hass: HomeAssistant, display: DisplaySimulator, evening: str, how: str
) -> None:
    """A start work that is not in the playlist is refused."""
    what = {"playlist": EVENING, "playlist_url": evening}[how]
    error = await failure(hass, **{how: what}, start_at=4)
    assert error.translation_key == "no_such_work"
    assert error.translation_placeholders == {"start_at": "4", "works": "3"}
    assert not display.writes


@pytest.mark.usefixtures("setup_display")
async def test_options_that_make_no_sense(
    hass: HomeAssistant, subtests: pytest.Subtests
) -> None:
    """Invalid options are refused before anything is sent."""
    for option in [
        {"start_at": 0},
        {"item_duration": 0},
        {"scaling": "contain"},
        {"background": "red"},
        {"margin": "wide"},
        {"margin": -1},
        {"repeat": "twice"},
        {"limit": 0},
        {"unknown": 1},
    ]:
        with subtests.test(option=option), pytest.raises(vol.Invalid):
            await cast(hass, playlist=EVENING, **option)


async def test_a_sleeping_display_is_woken_unless_told_otherwise(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A sleeping display is woken, unless wake is off."""
    await hass.services.async_call(
        "media_player", "turn_off", {"entity_id": ENTITY_ID}, blocking=True
    )
    await cast(hass, playlist=EVENING, wake=False)
    assert display.state.asleep
    assert state_of(hass).state == "off"
    await cast(hass, playlist=EVENING)
    assert not display.state.asleep
    assert state_of(hass).state == "playing"


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("profile", ["legacy"])
async def test_a_display_that_only_takes_playlists_is_given_them_arranged(
    hass: HomeAssistant, display: DisplaySimulator, evening: str
) -> None:
    """Order and start are applied to the document, and unsupported options reported."""
    for what in ({"playlist": EVENING}, {"playlist_url": evening}):
        await cast(hass, **what, start_at=2)
        titles = [item["title"] for item in display.state.items]
        assert titles == ["Noon", "Dusk", "Dawn"]
        await cast(hass, **what, shuffle=True)
        titles = [item["title"] for item in display.state.items]
        assert titles[0] == "Dawn"
        assert sorted(titles) == ["Dawn", "Dusk", "Noon"]
    error = await failure(hass, playlist=EVENING, repeat="one")
    assert error.translation_key == "display_cannot"


# Targets


async def test_several_displays_and_all_of_them(
    hass: HomeAssistant, display: DisplaySimulator, hall: DisplaySimulator
) -> None:
    """The response has an entry for every display."""
    for target in ([ENTITY_ID, OTHER], "all"):
        response = await cast(hass, target, playlist=EVENING)
        assert set(response) == {ENTITY_ID, OTHER}
    assert display.casts == hall.casts == 2


@pytest.mark.usefixtures("display", "hall")
async def test_the_displays_of_an_area(
    hass: HomeAssistant,
    area_registry: ar.AreaRegistry,
    device_registry: dr.DeviceRegistry,
    entity_registry: er.EntityRegistry,
) -> None:
    """An area target includes its displays only."""
    area = area_registry.async_create("Gallery")
    lamp = entity_registry.async_get_or_create(
        "light", "test", "lamp", original_name="Lamp"
    )
    for entity_id in (ENTITY_ID, OTHER):
        device_id = entity_registry.entities[entity_id].device_id
        assert device_id is not None
        device_registry.async_update_device(device_id, area_id=area.id)
    entity_registry.async_update_entity(lamp.entity_id, area_id=area.id)
    response = await cast(hass, None, area_id=area.id, playlist=EVENING)
    assert set(response) == {ENTITY_ID, OTHER}


@pytest.mark.parametrize("respond", [True, False])
async def test_one_failure_does_not_stop_the_others(
    hass: HomeAssistant,
    display: DisplaySimulator,
    hall: DisplaySimulator,
    respond: bool,
) -> None:
    """A failure is reported for the display that failed."""
    await hall.power_off()
    both = [ENTITY_ID, OTHER]
    if respond:
        response = await cast(hass, both, playlist=EVENING)
        assert response[ENTITY_ID]["items"] == 3
        assert list(response[OTHER]) == ["error"]
        assert "refused the connection" in response[OTHER]["error"]
    else:
        error = await failure(hass, target=both, playlist=EVENING, respond=False)
        assert error.translation_key == "displays_failed"
        assert error.translation_placeholders is not None
        assert error.translation_placeholders["failed"] == "1"
        assert error.translation_placeholders["meant"] == "2"
        assert "Hall refused" in error.translation_placeholders["reasons"]
    assert display.casts == 1


async def test_if_all_fail_that_is_an_error(
    hass: HomeAssistant, display: DisplaySimulator, hall: DisplaySimulator
) -> None:
    """The action raises if it failed on all displays."""
    await hall.power_off()
    await display.power_off()
    error = await failure(hass, target=[ENTITY_ID, OTHER], playlist=EVENING)
    assert error.translation_key == "displays_failed"


@pytest.mark.parametrize(
    ("target", "key"),
    [("light.lamp", "not_a_display"), ([], "no_display_meant")],
)
async def test_a_target_without_displays(
    hass: HomeAssistant, setup_display: MockConfigEntry, target: Any, key: str
) -> None:
    """A target that is no display is named in the error."""
    aim = {"area_id": "nowhere"} if not target else {}
    error = await failure(hass, target=target or None, **aim, playlist=EVENING)
    assert error.translation_key == key


async def test_nothing_is_set_up(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The action exists without a config entry, and raises."""
    entry = entry_of(display)
    await set_up(hass, entry)
    await hass.config_entries.async_remove(entry.entry_id)
    error = await failure(hass, target="all", playlist=EVENING)
    assert error.translation_key == "no_display_meant"


# Unreachable displays


@pytest.mark.usefixtures("setup_display")
@pytest.mark.parametrize("respond", [True, False])
async def test_an_unplugged_display_is_diagnosed(
    hass: HomeAssistant, display: DisplaySimulator, respond: bool
) -> None:
    """A refused connection is reported, for available and unavailable entities, with and without a response."""
    set_timing(loss_patience=0.0)
    await display.power_off()
    error = await failure(hass, playlist=EVENING, respond=respond)
    assert error.translation_key == "display_refused"
    await until(lambda: state_of(hass).state == "unavailable")
    error = await failure(hass, playlist=EVENING, respond=respond)
    assert error.translation_key == "display_refused"


@pytest.mark.usefixtures("display")
@pytest.mark.parametrize("respond", [True, False])
async def test_a_display_that_is_not_on_the_network_is_diagnosed(
    hass: HomeAssistant, setup_display: MockConfigEntry, respond: bool
) -> None:
    """A timeout is reported as such, also while the display is not set up."""
    await hass.config_entries.async_unload(setup_display.entry_id)
    hass.config_entries.async_update_entry(
        setup_display, data={**setup_display.data, "host": "wall.invalid"}
    )
    await hass.config_entries.async_setup(setup_display.entry_id)
    assert setup_display.state is ConfigEntryState.SETUP_RETRY
    error = await failure(hass, playlist=EVENING, respond=respond)
    assert error.translation_key == "display_no_answer"


async def test_a_display_that_has_just_come_back_is_set_up_for_it(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A reachable display is set up by the cast, without waiting for the next retry."""
    await hass.config_entries.async_unload(setup_display.entry_id)
    await display.power_off()
    await hass.config_entries.async_setup(setup_display.entry_id)
    assert setup_display.state is ConfigEntryState.SETUP_RETRY
    error = await failure(hass, playlist=EVENING)
    assert error.translation_key == "display_refused"
    await display.power_on()
    response = await cast(hass, playlist=EVENING)
    assert response[ENTITY_ID]["items"] == 3
    assert setup_display.state is ConfigEntryState.LOADED


async def test_a_display_that_is_switched_off_in_home_assistant(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Disabled displays are not targeted, and one that is not loaded is reported."""
    await hass.config_entries.async_unload(setup_display.entry_id)
    error = await failure(hass, playlist=EVENING)
    assert error.translation_key == "display_not_set_up"
    await hass.config_entries.async_set_disabled_by(
        setup_display.entry_id, ConfigEntryDisabler.USER
    )
    error = await failure(hass, playlist=EVENING)
    assert error.translation_key == "not_a_display"


# Errors


INVALID: tuple[tuple[Any, str], ...] = (
    (BROKEN, "items[1].source"),
    ("{", ""),
    ("[]", ""),
)


@pytest.mark.usefixtures("setup_display")
async def test_an_invalid_document_is_told_with_path_and_reason(
    hass: HomeAssistant, display: DisplaySimulator, subtests: pytest.Subtests
) -> None:
    """An invalid document is refused with path and reason, and not sent."""
    for document, path in INVALID:
        with subtests.test(document=document):
            error = await failure(hass, playlist=document)
            assert isinstance(error, ServiceValidationError)
            assert error.translation_key == "playlist_invalid"
            assert error.translation_placeholders is not None
            assert path in error.translation_placeholders["faults"]
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
            (Reply(200, b"<html>"), "playlist_invalid", ""),
            (Reply(200, b"\xff\xfe"), "playlist_invalid", "JSON"),
            (Reply(404), "playlist_not_found", ""),
            (Reply(500), "playlist_temporary", ""),
            (Reply(200, {"title": "x"}), "playlist_invalid", "items"),
        ),
        1,
    ):
        with subtests.test(reply=reply):
            async with ScriptedServer.run(reply) as server:
                error = await failure(hass, playlist_url=f"{server.url}/p")
            assert error.translation_key == key
            assert words in str(error.translation_placeholders)
            assert display.casts == number


async def test_works_on_ipfs_are_shown_by_a_gateway(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """Players refuse a whole playlist for an address on IPFS or Arweave, so they get those of gateways."""
    works = [{"source": "ipfs://bafy/a.png"}, {"source": "ar://tx?x=1"}]
    playlist = {**EVENING, "items": works}
    sources = ["https://ipfs.io/ipfs/bafy/a.png", "https://arweave.net/tx?x=1"]
    async with ScriptedServer.run(Reply(200, playlist)) as server:
        for what in ({"playlist": playlist}, {"playlist_url": f"{server.url}/p"}):
            told = (await cast(hass, **what))[ENTITY_ID]
            assert [item["source"] for item in display.player.items] == sources
            assert told["method"] == "inline"
            assert "superseded" not in told


@pytest.mark.usefixtures("setup_display")
async def test_what_nobody_can_explain(
    hass: HomeAssistant, display: DisplaySimulator, evening: str
) -> None:
    """A valid playlist that is refused without a reason is reported as refused."""
    display.inject(FaultKind.STATUS, command="displayPlaylist")
    for what in ({"playlist_url": evening}, {"playlist": EVENING}):
        error = await failure(hass, **what)
        assert error.translation_key == "playlist_not_accepted"


UNREADABLE = {
    **EVENING,
    "items": [EVENING["items"][0], EVENING["items"][1] | {"displayAt": "2026-12-01"}],
}


@pytest.mark.usefixtures("display", "setup_display")
@pytest.mark.parametrize("profile", ["B"])
async def test_a_date_that_displays_cannot_read(hass: HomeAssistant) -> None:
    """It fails the whole cast, so it is named before that, or after a display has refused the address."""
    async with ScriptedServer.run(Reply(200, UNREADABLE)) as server:
        for what in (
            {"playlist": UNREADABLE},
            {"playlist_url": f"{server.url}/playlists/evening"},
        ):
            error = await failure(hass, **what)
            assert error.translation_key == "playlist_invalid"
            assert "items[1].displayAt" in str(error.translation_placeholders)


async def test_dates_that_fail_anyway(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A valid playlist with dates that is refused without a reason may be refused because of them."""
    display.inject(FaultKind.STATUS, command="displayPlaylist")
    dated = {
        **EVENING,
        "items": [{**EVENING["items"][0], "displayAt": "2026-12-01T08:00:00"}],
    }
    async with ScriptedServer.run(Reply(200, dated)) as server:
        for what in ({"playlist": dated}, {"playlist_url": f"{server.url}/x.json"}):
            error = await failure(hass, **what)
            assert error.translation_key == "dated_not_accepted"


@pytest.mark.usefixtures("setup_display")
async def test_a_reason_that_the_display_gives_is_told(
    hass: HomeAssistant, display: DisplaySimulator, evening: str
) -> None:
    """The reason that the display gives is in the error."""
    text = "sourceUnreachable: no source (item 0: HTTP 404)"
    display.inject(FaultKind.STATUS, command="displayPlaylist", status=422, text=text)
    error = await failure(hass, playlist_url=evening)
    assert error.translation_key == "playlist_sources_unreachable"
    assert error.translation_placeholders is not None
    assert error.translation_placeholders["detail"] == "no source (item 0: HTTP 404)"


async def test_a_cut_in_the_middle_casts_once(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A cast with a lost answer is reported and not repeated."""
    display.inject(FaultKind.CUT, command="displayPlaylist")
    error = await failure(hass, playlist=EVENING)
    assert error.translation_key == "display_lost_answer"
    assert display.casts == 1
    assert len(display.state.items) == 3
    await until(lambda: state_of(hass).attributes.get("media_title") == "Dawn")


async def test_a_storm_of_refusals_ends(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """A display that is busy three times in a row is reported."""
    display.inject(
        FaultKind.STATUS,
        command="displayPlaylist",
        status=429,
        text="Too many commands, slow down",
    )
    error = await failure(hass, playlist=EVENING)
    assert error.translation_key == "display_busy"
    assert display.casts == 3


# Permissions


@pytest.mark.usefixtures("hall")
async def test_people_without_permission_are_kept_out(
    hass: HomeAssistant, display: DisplaySimulator, hass_read_only_user: MockUser
) -> None:
    """Displays without permission are refused if named, and left out of wider targets."""
    policy: PolicyType = {"entities": {"entity_ids": {OTHER: {"control": True}}}}
    user = hass_read_only_user
    user.mock_policy(policy)
    context = Context(user_id=user.id)
    with pytest.raises(Unauthorized):
        await cast(hass, ENTITY_ID, playlist=EVENING, context=context)
    response = await cast(hass, "all", playlist=EVENING, context=context)
    assert set(response) == {OTHER}
    assert not display.writes
    user.mock_policy({})
    error = await failure(hass, target="all", playlist=EVENING, context=context)
    assert error.translation_key == "no_display_meant"
    with pytest.raises(UnknownUser):
        await cast(hass, playlist=EVENING, context=Context(user_id="nobody"))
