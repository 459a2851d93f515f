"""Test the media player, with every generation of firmware."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.components.http import ApiConfig
from homeassistant.components.media_player import MediaPlayerEntityFeature as Feature
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component

from .client.scripted_server import Reply, ScriptedServer
from .displays import DEVICE_ID, ENTITY_ID, FIRMWARE, playlist, state_of, until
from .simulators.display import DisplaySimulator, FaultKind
from .timing import set_timing

pytestmark = pytest.mark.usefixtures("socket_enabled", "setup_display")

EVENING = playlist("Dawn", "Noon", "Dusk")
BY_HAND = (
    Feature.PLAY_MEDIA
    | Feature.NEXT_TRACK
    | Feature.PREVIOUS_TRACK
    | Feature.SHUFFLE_SET
    | Feature.REPEAT_SET
    | Feature.TURN_ON
    | Feature.TURN_OFF
    | Feature.VOLUME_SET
    | Feature.VOLUME_STEP
    | Feature.VOLUME_MUTE
)


async def do(hass: HomeAssistant, action: str, **data: Any) -> None:
    await hass.services.async_call(
        "media_player", action, {"entity_id": ENTITY_ID, **data}, blocking=True
    )


async def show(hass: HomeAssistant, document: dict[str, Any] = EVENING) -> None:
    await hass.services.async_call(
        "dp1",
        "cast_playlist",
        {"entity_id": ENTITY_ID, "playlist": document},
        blocking=True,
    )
    await hass.async_block_till_done()


def attribute(hass: HomeAssistant, name: str) -> Any:
    return state_of(hass).attributes.get(name)


# What it shows of itself


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_an_empty_display_is_idle_and_offers_what_it_can(
    hass: HomeAssistant,
) -> None:
    """Every generation of firmware supports its features."""
    state = state_of(hass)
    assert state.state == "idle"
    assert state.attributes["device_class"] == "tv"
    assert Feature(state.attributes["supported_features"]) & BY_HAND == BY_HAND
    assert state.attributes["volume_level"] == 0.5
    assert state.attributes["is_volume_muted"] is False
    assert "assumed_state" not in state.attributes


@pytest.mark.usefixtures("display")
@pytest.mark.parametrize("profile", FIRMWARE)
async def test_it_tells_what_hangs_on_the_wall(hass: HomeAssistant) -> None:
    """Title, playlist, position and details are those of the display."""
    document = playlist("Dawn", "<i>Noon</i>")
    document["items"][0]["provenance"] = {
        "type": "onChain",
        "contract": {"chain": "evm"},
    }
    await show(hass, document)
    state = state_of(hass)
    assert state.state == "playing"
    told = state.attributes
    assert told["media_title"] == "Dawn"
    assert told["media_playlist"] == "Evening"
    assert told["media_track"] == 1
    assert told["media_content_type"] == "image"
    assert told["shuffle"] is False
    assert told["repeat"] == "all"
    assert told["dp1"] == {
        **told["dp1"],
        "source": "https://art.example.org/1",
        "license": "open",
        "provenance": document["items"][0]["provenance"],
        "works": 2,
        "work_id": document["items"][0]["id"],
        "playlist_id": document["id"],
        "playlist_url": None,
    }
    await do(hass, "media_next_track")
    assert attribute(hass, "media_title") == "Noon"
    assert attribute(hass, "media_track") == 2
    assert attribute(hass, "media_duration") == 300
    assert attribute(hass, "media_position") == 0


async def test_the_same_work_once_more(hass: HomeAssistant) -> None:
    """The position counts anew when the same playlist is cast again."""
    await show(hass, playlist("Dawn"))
    first = attribute(hass, "media_position_updated_at")
    await show(hass, playlist("Dawn"))
    assert attribute(hass, "media_position_updated_at") > first


@pytest.mark.parametrize(("repeat", "is_repeated"), [("all", True), ("off", False)])
async def test_the_position_ends_with_the_work(
    hass: HomeAssistant, repeat: str, is_repeated: bool
) -> None:
    """A work that is shown again counts anew, and one that is held has no position; displays push neither."""
    set_timing(end_patience=0.1)
    document = playlist("Dawn")
    document["items"][0]["duration"] = 1
    await show(hass, document)
    await do(hass, "repeat_set", repeat=repeat)
    first = attribute(hass, "media_position_updated_at")
    await until(lambda: attribute(hass, "media_position_updated_at") != first)
    assert (attribute(hass, "media_position") == 0) is is_repeated
    assert attribute(hass, "media_title") == "Dawn"


@pytest.mark.parametrize("profile", ["A", "B"])
async def test_a_pictured_work_has_a_picture(hass: HomeAssistant) -> None:
    """The picture is the work itself if it is an image, or its thumbnail, or the cover."""
    document = playlist("Dawn", "Noon", "Dusk", coverImage="https://art.example.org/c")
    document["items"][0]["source"] = "https://art.example.org/dawn.PNG?x=1"
    document["items"][1]["inlineManifest"] = {
        "metadata": {
            "artists": [{"name": "Ada"}, {"name": "<b>Bo</b>"}, "?", {}],
            "thumbnails": {
                "small": {"uri": "https://art.example.org/small"},
                "default": {"uri": "https://art.example.org/default"},
            },
        }
    }
    document["items"][2]["inlineManifest"] = {"metadata": {"creditLine": "After Cy"}}
    await show(hass, document)
    entity = hass.data["entity_components"]["media_player"].get_entity(ENTITY_ID)
    assert entity.media_image_url == "https://art.example.org/dawn.PNG?x=1"
    assert attribute(hass, "media_artist") is None
    assert attribute(hass, "entity_picture")
    await do(hass, "media_next_track")
    # Older firmware drops the manifest; whoever sent it remembers it.
    assert attribute(hass, "media_artist") == "Ada, Bo"
    assert entity.media_image_url == "https://art.example.org/default"
    await do(hass, "media_next_track")
    assert attribute(hass, "media_artist") == "After Cy"


@pytest.mark.usefixtures("hass", "display")
async def test_the_device_is_described(
    setup_display: MockConfigEntry, device_registry: dr.DeviceRegistry
) -> None:
    """The device has manufacturer, serial, firmware and MAC addresses."""
    (device,) = dr.async_entries_for_config_entry(
        device_registry, setup_display.entry_id
    )
    assert device.name == "Wall"
    assert device.manufacturer == "Feral File"
    assert device.serial_number == DEVICE_ID
    assert device.sw_version == "2.0.7"
    assert {kind for kind, _ in device.connections} == {"mac"}


async def test_a_new_firmware_shows(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    device_registry: dr.DeviceRegistry,
) -> None:
    """The device is updated with the firmware."""
    display.device.installed_version = "2.0.9"
    await setup_display.runtime_data.async_refresh()
    (device,) = dr.async_entries_for_config_entry(
        device_registry, setup_display.entry_id
    )
    assert device.sw_version == "2.0.9"


@pytest.mark.parametrize("profile", ["A"])
async def test_a_set_up_page_is_no_work(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """During set-up the display is idle, and a cast is an error that says so."""
    await show(hass)
    await setup_display.runtime_data.display.show_pairing_code(True)
    await setup_display.runtime_data.async_refresh()
    await setup_display.runtime_data.async_refresh()
    assert state_of(hass).state == "idle"
    assert attribute(hass, "media_title") is None
    with pytest.raises(HomeAssistantError) as caught:
        await do(
            hass,
            "play_media",
            media_content_type="web",
            media_content_id="http://a.example",
        )
    assert caught.value.translation_key == "display_not_ready"
    await setup_display.runtime_data.display.show_pairing_code(False)
    await setup_display.runtime_data.async_refresh()
    assert attribute(hass, "media_title") == "Dawn"


@pytest.mark.parametrize("profile", ["A"])
async def test_a_set_up_page_sleeps_too(
    hass: HomeAssistant, display: DisplaySimulator, setup_display: MockConfigEntry
) -> None:
    """The display returns an error during set-up but changes the record, which counts."""
    await setup_display.runtime_data.display.show_pairing_code(True)
    await setup_display.runtime_data.async_refresh()
    await do(hass, "turn_off")
    assert state_of(hass).state == "off"
    await do(hass, "turn_on")
    assert state_of(hass).state == "idle"


# Through the works


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_next_and_previous_go_round(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """After the last work comes the first."""
    await show(hass)
    seen = []
    for action in ("next", "next", "next", "previous", "previous"):
        await do(hass, f"media_{action}_track")
        seen.append(attribute(hass, "media_title"))
    assert seen == ["Noon", "Dusk", "Dawn", "Dusk", "Noon"]
    assert display.player.position == 1


async def test_next_twice_in_a_hurry_moves_two(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The second of two quick calls counts from where the first one leads."""
    await show(hass)
    await asyncio.gather(do(hass, "media_next_track"), do(hass, "media_next_track"))
    assert attribute(hass, "media_title") == "Dusk"
    assert display.player.position == 2


async def test_a_late_push_does_not_end_a_step(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """A push that was read before a step and arrives after it is not taken for where the step leads."""
    await show(hass)
    display.poller.may_tell = before = asyncio.Event()
    # As by a phone.
    display.player.loop_mode = "one"
    late = asyncio.create_task(display.poller.poll())
    await asyncio.sleep(0)
    display.poller.may_tell = after = asyncio.Event()
    step = hass.async_create_task(do(hass, "media_next_track"))
    await until(lambda: display.state.index == 1)
    before.set()
    await late
    done, _ = await asyncio.wait({step}, timeout=0.1)
    assert not done
    after.set()
    await step
    assert attribute(hass, "media_title") == "Noon"


async def test_nothing_has_no_next(hass: HomeAssistant) -> None:
    """Without a playlist, next is an error."""
    with pytest.raises(ServiceValidationError) as caught:
        await do(hass, "media_next_track")
    assert caught.value.translation_key == "nothing_shown"


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_shuffle_and_repeat(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    await show(hass)
    await do(hass, "shuffle_set", shuffle=True)
    assert display.player.shuffle
    assert attribute(hass, "shuffle") is True
    for mode, loop in (("one", "one"), ("off", "none"), ("all", "playlist")):
        await do(hass, "repeat_set", repeat=mode)
        assert display.player.loop_mode == loop
        assert attribute(hass, "repeat") == mode


@pytest.mark.usefixtures("display")
async def test_a_command_that_is_refused_is_an_error(hass: HomeAssistant) -> None:
    """Status 200 with ``ok: false`` is an error."""
    with pytest.raises(HomeAssistantError) as caught:
        await do(hass, "shuffle_set", shuffle=True)
    assert caught.value.translation_key == "display_rejected"


# Sound


@pytest.mark.parametrize(
    ("percent", "read_back"), [(50, 0.49), (52, 0.52), (1, 0.0), (0, 0.0), (100, 1.0)]
)
async def test_the_volume_is_what_the_display_reads_back(
    hass: HomeAssistant, display: DisplaySimulator, percent: int, read_back: float
) -> None:
    """The mixer has fewer steps than the volume."""
    await do(hass, "volume_set", volume_level=percent / 100)
    assert attribute(hass, "volume_level") == read_back


@pytest.mark.usefixtures("display")
async def test_louder_and_softer(hass: HomeAssistant) -> None:
    """Each step changes the volume, and two quick calls are two steps."""
    await do(hass, "volume_set", volume_level=0.52)
    await asyncio.gather(do(hass, "volume_up"), do(hass, "volume_up"))
    assert attribute(hass, "volume_level") == 0.68
    await do(hass, "volume_down")
    assert attribute(hass, "volume_level") == 0.6


async def test_louder_without_internet(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Each step starts from where the one before ended, also while the device status takes half a minute."""
    await do(hass, "volume_set", volume_level=0.52)
    display.poller.relayer_connected = False
    set_timing(state_patience=0.05)
    display.inject(FaultKind.HANG, command="getDeviceStatus")
    for _ in range(3):
        await do(hass, "volume_up")
    assert display.state.volume == 76


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_mute_is_absolute(hass: HomeAssistant, display: DisplaySimulator) -> None:
    """The display can only toggle, so its state is read first, also if another client has toggled."""
    await do(hass, "volume_mute", is_volume_muted=True)
    assert display.device.muted
    assert attribute(hass, "is_volume_muted") is True
    await do(hass, "volume_mute", is_volume_muted=True)
    assert display.device.muted
    display.device.muted = False
    await do(hass, "volume_mute", is_volume_muted=True)
    assert display.device.muted
    await do(hass, "volume_mute", is_volume_muted=False)
    assert not display.device.muted
    assert attribute(hass, "is_volume_muted") is False


async def test_a_display_without_a_mixer_offers_no_sound(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Volume is only supported once it was detected; without a state, mute is not toggled."""
    display.device.mixer = None
    await do(hass, "volume_mute", is_volume_muted=True)
    assert "toggleMute" not in display.commands
    features = Feature(attribute(hass, "supported_features"))
    assert not features & (
        Feature.VOLUME_SET | Feature.VOLUME_MUTE | Feature.VOLUME_STEP
    )


# Sleep


@pytest.mark.parametrize("profile", FIRMWARE)
async def test_off_is_asleep_and_on_is_awake(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The state is updated when the action returns, and the playlist is restored."""
    await show(hass)
    await do(hass, "turn_off")
    assert display.player.asleep
    assert state_of(hass).state == "off"
    await do(hass, "turn_on")
    assert not display.player.asleep
    assert state_of(hass).state == "playing"
    assert attribute(hass, "media_title") == "Dawn"
    assert {"sleepNow", "wakeNow"} <= set(display.commands)


async def test_a_display_that_does_not_wake_is_told_twice(
    hass: HomeAssistant, display: DisplaySimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is sent twice before that is an error."""
    set_timing(push_patience=0.05)
    await do(hass, "turn_off")
    monkeypatch.setattr(display.player, "turn_page", lambda *, asleep: None)
    with pytest.raises(HomeAssistantError) as caught:
        await do(hass, "turn_on")
    assert caught.value.translation_key == "did_not_wake"
    assert display.commands.count("wakeNow") == 2
    assert state_of(hass).state == "off"


async def test_somebody_else_puts_it_to_sleep(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """Sleep by the app of the owner is shown."""
    await show(hass)
    display.player.turn_page(asleep=True)
    await until(lambda: state_of(hass).state == "off")


# Things to show


@pytest.mark.usefixtures("display")
async def test_a_playlist_by_its_address(hass: HomeAssistant) -> None:
    """A URL is sent to the display, which fetches it and reports it."""
    async with ScriptedServer.run(Reply(200, EVENING)) as server:
        url = f"{server.url}/playlists/evening"
        for kind in ("playlist", "music"):
            await do(hass, "play_media", media_content_type=kind, media_content_id=url)
            assert attribute(hass, "media_content_id") == f"{url}#dp1&"
            assert attribute(hass, "dp1")["playlist_url"] == url
    assert attribute(hass, "media_playlist") == "Evening"


@pytest.mark.parametrize(
    ("kind", "path", "title"),
    [
        ("image/png", "/some%20picture.png", "some picture"),
        ("video", "/film.mp4?quality=high", "film"),
        ("url", "/", "127"),
        ("web", "/dashboard", "dashboard"),
        ("music", "/page", "page"),
    ],
)
async def test_any_image_video_or_page(
    hass: HomeAssistant, display: DisplaySimulator, kind: str, path: str, title: str
) -> None:
    """Any URL becomes a playlist of one work."""
    async with ScriptedServer.run(Reply(200, b"<html>A page</html>")) as server:
        url = f"{server.url}{path}"
        await do(hass, "play_media", media_content_type=kind, media_content_id=url)
    assert attribute(hass, "media_title").startswith(title)
    assert attribute(hass, "dp1")["source"] == url
    assert attribute(hass, "dp1")["works"] == 1


async def test_a_title_may_be_given(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The title can be set by the media browser or the caller."""
    for extra in ({"title": "My page"}, {"metadata": {"title": "My page"}}):
        await do(
            hass,
            "play_media",
            media_content_type="web",
            media_content_id="http://a.example/x",
            extra=extra,
        )
        assert attribute(hass, "media_title") == "My page"
        display.player.halt()


@pytest.mark.parametrize("media_id", ["ftp://a.example/x", "nonsense", "http://[x", ""])
async def test_what_no_display_can_load_is_refused(
    hass: HomeAssistant, display: DisplaySimulator, media_id: str
) -> None:
    """Sources that no display can load are refused without a command."""
    with pytest.raises(ServiceValidationError) as caught:
        await do(
            hass, "play_media", media_content_type="image", media_content_id=media_id
        )
    assert caught.value.translation_key == "not_a_url"
    assert not display.writes


@pytest.fixture
async def media(hass: HomeAssistant, tmp_path: Path) -> str:
    """Create a picture in a local media folder."""
    (tmp_path / "sun rise.png").write_bytes(b"\x89PNG")
    hass.config.media_dirs = {"local": str(tmp_path)}
    assert await async_setup_component(hass, "media_source", {})
    return "media-source://media_source/local/sun rise.png"


@pytest.mark.usefixtures("display")
async def test_media_of_home_assistant(hass: HomeAssistant, media: str) -> None:
    """Local media are served by a URL in the local network."""
    await async_process_ha_core_config(
        hass,
        {
            "internal_url": "http://home.example:8123",
            "external_url": "https://x.example",
        },
    )
    await do(hass, "play_media", media_content_type="image/png", media_content_id=media)
    # A push has no addresses; they are read a moment later.
    await until(lambda: attribute(hass, "dp1")["source"])
    source = attribute(hass, "dp1")["source"]
    assert source.startswith("http://home.example:8123/api/dp1/media/")
    assert source.endswith("/media/local/sun%20rise.png")
    assert attribute(hass, "media_title") == "sun rise"


async def test_media_without_an_address_of_home_assistant(
    hass: HomeAssistant, display: DisplaySimulator, media: str
) -> None:
    """With a certificate, Home Assistant cannot be reached by IP address, and its external URL is not used."""
    await async_process_ha_core_config(hass, {"external_url": "https://x.example"})
    hass.config.api = ApiConfig("127.0.0.1", "127.0.0.1", 8123, use_ssl=True)
    with pytest.raises(HomeAssistantError) as caught:
        await do(
            hass, "play_media", media_content_type="image/png", media_content_id=media
        )
    assert caught.value.translation_key == "no_internal_url"
    assert not display.writes


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("/local/x.png", "http://home.example:8123/local/x.png"),
        (
            "http://home.example:8123/local/x.png",
            "http://home.example:8123/local/x.png",
        ),
        ("/api/image/x?token=1", "http://home.example:8123/api/image/x?token=1"),
        ("https://art.example.org/media/a.png", "https://art.example.org/media/a.png"),
        (
            "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
            "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
        ),
    ],
)
async def test_addresses_of_home_assistant_are_made_reachable(
    hass: HomeAssistant, display: DisplaySimulator, media: str, given: str, sent: str
) -> None:
    """Relative URLs of Home Assistant are made absolute; others stay as they are."""
    await async_process_ha_core_config(
        hass,
        {
            "internal_url": "http://home.example:8123",
            "external_url": "https://x.example",
        },
    )
    await do(hass, "play_media", media_content_type="image", media_content_id=given)
    source = attribute(hass, "dp1")["source"]
    assert source == sent


# The 2025 description


@pytest.mark.parametrize("profile", ["legacy", "legacy-strict"])
async def test_a_display_of_the_2025_description_only_takes_playlists(
    hass: HomeAssistant, display: DisplaySimulator
) -> None:
    """The state is assumed, and only casts are supported."""
    state = state_of(hass)
    assert state.state == "idle"
    assert state.attributes["assumed_state"] is True
    assert state.attributes["supported_features"] & BY_HAND == Feature.PLAY_MEDIA
    await show(hass)
    state = state_of(hass)
    assert state.state == "playing"
    assert state.attributes["media_playlist"] == "Evening"
    assert [item["title"] for item in display.state.items] == ["Dawn", "Noon", "Dusk"]
