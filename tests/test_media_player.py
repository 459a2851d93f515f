"""Test the media player, with every generation of firmware."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from homeassistant.components.http import ApiConfig
from homeassistant.components.media_player import MediaPlayerEntityFeature as Feature
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.json import json_bytes
from homeassistant.setup import async_setup_component

from .client.scripted_server import Reply, ScriptedServer
from .displays import DEVICE_ID, ENTITY_ID, FIRMWARE, playlist, until
from .simulators.display import FaultKind
from .simulators.display.player import Page
from .timing import set_timing
from .walls import EVENING, Wall

pytestmark = pytest.mark.usefixtures("socket_enabled")

SOUND = Feature.VOLUME_SET | Feature.VOLUME_STEP | Feature.VOLUME_MUTE
BY_HAND = (
    SOUND
    | Feature.PLAY_MEDIA
    | Feature.NEXT_TRACK
    | Feature.PREVIOUS_TRACK
    | Feature.SHUFFLE_SET
    | Feature.REPEAT_SET
    | Feature.TURN_ON
    | Feature.TURN_OFF
)
CONTRACT = ("chain", "standard", "address", "tokenId", "uri")
AS_IMAGE = {"media_content_type": "image"}
ALL_FIRMWARE = pytest.mark.parametrize("profile", FIRMWARE)


async def play(wall: Wall, media_id: str, kind: str = "image", **extra: Any) -> None:
    media = {"media_content_id": media_id, "media_content_type": kind}
    await wall.do("play_media", **media, **extra)


# What it shows of itself


@ALL_FIRMWARE
async def test_an_empty_display_is_idle_and_offers_what_it_can(wall: Wall) -> None:
    """Every generation of firmware supports its features."""
    assert wall.state == "idle"
    assert wall.attribute("device_class") == "tv"
    assert Feature(wall.attribute("supported_features")) & BY_HAND == BY_HAND
    assert wall.attribute("volume_level") == 0.5
    assert wall.attribute("is_volume_muted") is False
    assert wall.attribute("assumed_state") is None


@ALL_FIRMWARE
async def test_it_tells_what_hangs_on_the_wall(wall: Wall) -> None:
    """Title, playlist, position and details are those of the display."""
    document = playlist("Dawn", "<i>Noon</i>")
    first = document["items"][0]
    first["provenance"] = {"type": "onChain", "contract": {"chain": "evm"}}
    await wall.cast(document)
    assert wall.state == "playing"
    for name, value in {
        "media_title": "Dawn",
        "media_playlist": "Evening",
        "media_track": 1,
        "media_content_type": "image",
        "shuffle": False,
        "repeat": "all",
    }.items():
        assert wall.attribute(name) == value, name
    details = wall.attribute("dp1")
    assert details == {
        **details,
        "source": "https://art.example.org/1",
        "license": "open",
        "provenance": first["provenance"],
        "works": 2,
        "work_id": first["id"],
        "playlist_id": document["id"],
        "playlist_url": None,
    }
    await wall.do("media_next_track")
    assert wall.attribute("media_title") == "Noon"
    assert wall.attribute("media_track") == 2
    assert wall.attribute("media_duration") == 300
    assert wall.attribute("media_position") == 0


async def test_the_same_work_once_more(wall: Wall) -> None:
    """The position counts anew when the same playlist is cast again."""
    await wall.cast(playlist("Dawn"))
    first = wall.attribute("media_position_updated_at")
    await wall.cast(playlist("Dawn"))
    assert wall.attribute("media_position_updated_at") > first


@pytest.mark.parametrize(("repeat", "is_repeated"), [("all", True), ("off", False)])
async def test_the_position_ends_with_the_work(
    wall: Wall, repeat: str, is_repeated: bool
) -> None:
    """A work that is shown again counts anew, and one that is held has no position; displays push neither."""
    set_timing(end_patience=0.1)
    document = playlist("Dawn")
    document["items"][0]["duration"] = 1
    await wall.cast(document)
    await wall.do("repeat_set", repeat=repeat)
    first = wall.attribute("media_position_updated_at")
    await until(lambda: wall.attribute("media_position_updated_at") != first)
    assert (wall.attribute("media_position") == 0) is is_repeated
    assert wall.attribute("media_title") == "Dawn"


async def test_the_longest_of_everything(wall: Wall) -> None:
    """No attribute is over 16 KB, however long each text of a work is in bytes: its biography gives way first, its title never."""

    def address(host: str, size: int) -> str:
        """Return one of this size."""
        return f"https://{host}/".ljust(size, "x")

    text = "😀" * 2000
    links = {"website": "a.example", "twitter": "x.com", "instagram": "instagram.com"}
    artist = {
        "avatar": {"uri": address("a.example", 200)},
        "biographies": [{"text": text}],
        "links": [
            {"type": kind, "url": address(host, 200)}
            for kind, host in [*links.items(), ("other", "b.example")]
        ],
    }
    metadata = {
        "title": text,
        "description": text,
        "artists": [artist | {"name": f"{n}{text}"} for n in range(10)],
    }
    document = playlist("Dawn", title=text, note={"text": text})
    document["items"][0] |= {
        "title": text,
        "source": address("c.example", 2048),
        "note": {"text": text},
        "inlineManifest": {"refVersion": "1.1.0", "metadata": metadata},
        "provenance": {
            "type": "onChain",
            "contract": dict.fromkeys(CONTRACT, "x" * 500),
        },
    }
    wall.display.player.load(document, url=address("d.example", 2048))
    await until(lambda: (wall.attribute("dp1") or {}).get("artists"))
    shown = wall.attribute("dp1")
    assert len(wall.attribute("media_title")) == 200
    assert len(shown["artists"]) == 5
    assert all(len(it["name"]) == 200 for it in shown["artists"])
    for name, value in wall.hass.states.get(ENTITY_ID).attributes.items():
        assert len(json_bytes(value)) < 16 * 1024, name


@pytest.mark.parametrize("profile", ["A", "B"])
async def test_a_pictured_work_has_a_picture(wall: Wall) -> None:
    """The picture is the work itself if it is an image, or its thumbnail, or the cover."""
    host = "https://art.example.org"
    document = playlist("Dawn", "Noon", "Dusk", coverImage=f"{host}/c")
    dawn, noon, dusk = document["items"]
    dawn["source"] = f"{host}/dawn.PNG?x=1"
    artists = [{"name": "Ada"}, {"name": "<b>Bo</b>"}, "?", {}]
    sizes = {"small": {"uri": f"{host}/small"}, "default": {"uri": f"{host}/default"}}
    metadata = {"artists": artists, "thumbnails": sizes}
    noon["inlineManifest"] = {"metadata": metadata}
    dusk["inlineManifest"] = {"metadata": {"creditLine": "After Cy"}}
    await wall.cast(document)
    entity = wall.hass.data["entity_components"]["media_player"].get_entity(ENTITY_ID)
    assert entity.media_image_url == dawn["source"]
    assert wall.attribute("media_artist") is None
    assert wall.attribute("entity_picture")
    await wall.do("media_next_track")
    # Older firmware drops the manifest; whoever sent it remembers it.
    assert wall.attribute("media_artist") == "Ada, Bo"
    assert entity.media_image_url == f"{host}/default"
    await wall.do("media_next_track")
    assert wall.attribute("media_artist") == "After Cy"


async def test_the_device_is_described(
    wall: Wall, device_registry: dr.DeviceRegistry
) -> None:
    """The device has manufacturer, serial, MAC addresses and firmware, also a new one."""
    for version in ("2.0.7", "2.0.9"):
        wall.display.device.installed_version = version
        await wall.coordinator.async_refresh()
        entry_id = wall.entry.entry_id
        (device,) = dr.async_entries_for_config_entry(device_registry, entry_id)
        assert (device.name, device.manufacturer) == ("Wall", "Feral File")
        assert (device.serial_number, device.sw_version) == (DEVICE_ID, version)
        assert {kind for kind, _ in device.connections} == {"mac"}


@pytest.mark.parametrize("profile", ["A"])
async def test_a_set_up_page_is_no_work(wall: Wall) -> None:
    """During set-up the display is idle, also after it slept, although it answers that with an error; a cast is an error that says so."""
    await wall.cast()
    wall.display.show_page(Page.SETUP)
    for _ in range(2):
        await wall.coordinator.async_refresh()
    assert (wall.state, wall.attribute("media_title")) == ("idle", None)
    with pytest.raises(HomeAssistantError) as caught:
        await play(wall, "http://a.example", "web")
    assert caught.value.translation_key == "display_not_ready"
    await wall.do("turn_off")
    assert wall.state == "off"
    await wall.do("turn_on")
    assert wall.state == "idle"
    wall.display.show_page(Page.PLAYLIST)
    await wall.coordinator.async_refresh()
    assert wall.attribute("media_title") == "Dawn"


# Through the works


@ALL_FIRMWARE
async def test_next_and_previous_go_round(wall: Wall) -> None:
    """After the last work comes the first."""
    await wall.cast()
    seen = []
    for action in ("next", "next", "next", "previous", "previous"):
        await wall.do(f"media_{action}_track")
        seen.append(wall.attribute("media_title"))
    assert seen == ["Noon", "Dusk", "Dawn", "Dusk", "Noon"]
    assert wall.display.player.position == 1


async def test_a_late_push_does_not_end_a_step(wall: Wall) -> None:
    """A push that was read before a step and arrives after it is not taken for where the step leads."""
    await wall.cast()
    poller = wall.display.poller
    poller.may_tell = before = asyncio.Event()
    # As by a phone.
    wall.display.player.loop_mode = "one"
    late = asyncio.create_task(poller.poll())
    await asyncio.sleep(0)
    poller.may_tell = after = asyncio.Event()
    step = wall.hass.async_create_task(wall.do("media_next_track"))
    await until(lambda: wall.display.state.index == 1)
    before.set()
    await late
    done, _ = await asyncio.wait({step}, timeout=0.1)
    assert not done
    after.set()
    await step
    assert wall.attribute("media_title") == "Noon"


@ALL_FIRMWARE
async def test_shuffle_and_repeat(wall: Wall) -> None:
    await wall.cast()
    await wall.do("shuffle_set", shuffle=True)
    assert wall.display.player.shuffle
    assert wall.attribute("shuffle") is True
    for mode, loop in (("one", "one"), ("off", "none"), ("all", "playlist")):
        await wall.do("repeat_set", repeat=mode)
        assert wall.display.player.loop_mode == loop
        assert wall.attribute("repeat") == mode


# Sound


@pytest.mark.parametrize(("percent", "read_back"), [(50, 0.49), (1, 0.0), (100, 1.0)])
async def test_the_volume_is_what_the_display_reads_back(
    wall: Wall, percent: int, read_back: float
) -> None:
    """The mixer has fewer steps than the volume."""
    await wall.do("volume_set", volume_level=percent / 100)
    assert wall.attribute("volume_level") == read_back


async def test_louder_and_softer(wall: Wall) -> None:
    """Each step starts from where the one before ended, also of two at once, and while the device status takes half a minute."""
    await wall.do("volume_set", volume_level=0.52)
    await asyncio.gather(wall.do("volume_up"), wall.do("volume_up"))
    assert wall.attribute("volume_level") == 0.68
    await wall.do("volume_down")
    assert wall.attribute("volume_level") == 0.6
    wall.display.poller.relayer_connected = False
    set_timing(state_patience=0.05)
    wall.display.inject(FaultKind.HANG, command="getDeviceStatus")
    for _ in range(3):
        await wall.do("volume_up")
    assert wall.display.state.volume == 84


@ALL_FIRMWARE
async def test_mute_is_absolute(wall: Wall) -> None:
    """The display can only toggle, so its state is read first, also if another client has toggled."""
    device = wall.display.device
    for before, wanted in (
        (False, True),
        (True, True),
        (False, True),
        (True, False),
    ):
        device.muted = before
        await wall.do("volume_mute", is_volume_muted=wanted)
        assert device.muted is wanted
        assert wall.attribute("is_volume_muted") is wanted


async def test_a_display_without_a_mixer_offers_no_sound(wall: Wall) -> None:
    """Volume is only supported once it was detected; without a state, mute is not toggled."""
    wall.display.device.mixer = None
    await wall.do("volume_mute", is_volume_muted=True)
    assert "toggleMute" not in wall.display.commands
    assert not Feature(wall.attribute("supported_features")) & SOUND


# Sleep


@ALL_FIRMWARE
async def test_off_is_asleep_and_on_is_awake(wall: Wall) -> None:
    """The state is updated when the action returns, and the playlist is restored; sleep by the app of the owner is shown."""
    player = wall.display.player
    await wall.cast()
    await wall.do("turn_off")
    assert (player.asleep, wall.state) == (True, "off")
    await wall.do("turn_on")
    assert (player.asleep, wall.state) == (False, "playing")
    assert wall.attribute("media_title") == "Dawn"
    assert {"sleepNow", "wakeNow"} <= set(wall.display.commands)
    player.turn_page(asleep=True)
    await until(lambda: wall.state == "off")


async def test_a_display_that_does_not_wake_is_told_twice(
    wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is sent twice before that is an error."""
    set_timing(push_patience=0.05)
    await wall.do("turn_off")
    monkeypatch.setattr(wall.display.player, "turn_page", lambda *, asleep: None)
    with pytest.raises(HomeAssistantError) as caught:
        await wall.do("turn_on")
    assert caught.value.translation_key == "did_not_wake"
    assert wall.display.commands.count("wakeNow") == 2
    assert wall.state == "off"


# Things to show


async def test_a_playlist_by_its_address(wall: Wall) -> None:
    """A URL is sent to the display, which fetches it and reports it."""
    async with ScriptedServer.run(Reply(200, EVENING)) as server:
        url = f"{server.url}/playlists/evening"
        for kind in ("playlist", "music"):
            await play(wall, url, kind)
            assert wall.attribute("media_content_id") == f"{url}#dp1&"
            assert wall.attribute("dp1")["playlist_url"] == url
    assert wall.attribute("media_playlist") == "Evening"


@pytest.mark.parametrize(
    ("kind", "path", "title"),
    [
        ("image/png", "/some%20picture.png", "some picture"),
        ("url", "/", "127"),
        ("music", "/page", "page"),
    ],
)
async def test_any_image_video_or_page(
    wall: Wall, kind: str, path: str, title: str
) -> None:
    """Any URL becomes a playlist of one work, with a title that the media browser or the caller may set."""
    async with ScriptedServer.run(Reply(200, b"<html>A page</html>")) as server:
        url = f"{server.url}{path}"
        await play(wall, url, kind)
        assert wall.attribute("media_title").startswith(title)
        assert wall.attribute("dp1")["source"] == url
        assert wall.attribute("dp1")["works"] == 1
        for extra in ({"title": "Mine"}, {"metadata": {"title": "Ours"}}):
            await play(wall, url, kind, extra=extra)
            assert wall.attribute("media_title") in str(extra)


@pytest.mark.parametrize(
    ("action", "data", "key"),
    [
        ("media_next_track", {}, "nothing_shown"),
        # Status 200 with `ok: false`.
        ("shuffle_set", {"shuffle": True}, "display_rejected"),
        *(
            ("play_media", {"media_content_id": media_id, **AS_IMAGE}, "not_a_url")
            for media_id in ("ftp://a.example/x", "nonsense", "http://[x", "")
        ),
    ],
)
async def test_refused(wall: Wall, action: str, data: dict[str, Any], key: str) -> None:
    """Without a playlist nothing comes next, and sources that no display can load are refused without a command."""
    with pytest.raises(HomeAssistantError) as caught:
        await wall.do(action, **data)
    assert caught.value.translation_key == key
    assert not {"displayPlaylist", "moveToArtwork"} & set(wall.display.commands)


MEDIA = "media-source://media_source/local/sun rise.png"
HOME = "http://home.example:8123"
GIF = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


@pytest.fixture
async def media(hass: HomeAssistant, tmp_path: Path) -> None:
    """Create a picture in a local media folder, of a home with two addresses."""
    (tmp_path / "sun rise.png").write_bytes(b"\x89PNG")
    urls = {"internal_url": HOME, "external_url": "https://x.example"}
    await async_process_ha_core_config(hass, urls)
    hass.config.media_dirs = {"local": str(tmp_path)}
    assert await async_setup_component(hass, "media_source", {})


@pytest.mark.usefixtures("media")
async def test_media_of_home_assistant(wall: Wall) -> None:
    """Local media are served by a URL in the local network; by its external URL nothing is."""
    await play(wall, MEDIA, "image/png")
    # A push has no addresses; they are read a moment later.
    await until(lambda: wall.attribute("dp1")["source"])
    source = wall.attribute("dp1")["source"]
    assert source.startswith(f"{HOME}/api/dp1/media/")
    assert source.endswith("/sun%20rise.png")
    assert wall.attribute("media_title") == "sun rise"
    # With a certificate, it cannot be reached by IP address.
    wall.hass.config.internal_url = None
    wall.hass.config.api = ApiConfig("127.0.0.1", "127.0.0.1", 8123, use_ssl=True)
    casts = wall.display.casts
    with pytest.raises(HomeAssistantError) as caught:
        await play(wall, MEDIA, "image/png")
    assert caught.value.translation_key == "no_internal_url"
    assert wall.display.casts == casts


@pytest.mark.usefixtures("media")
@pytest.mark.parametrize(
    ("media_id", "source"),
    [
        ("/local/x.png", f"{HOME}/local/x.png"),
        (f"{HOME}/local/x.png", f"{HOME}/local/x.png"),
        ("/api/image/x?token=1", f"{HOME}/api/image/x?token=1"),
        ("https://art.example.org/media/a.png", "https://art.example.org/media/a.png"),
        (GIF, GIF),
    ],
)
async def test_addresses_of_home_assistant_are_made_reachable(
    wall: Wall, media_id: str, source: str
) -> None:
    """Relative URLs of Home Assistant are made absolute; others stay as they are."""
    await play(wall, media_id)
    assert wall.attribute("dp1")["source"] == source


# The 2025 description


@pytest.mark.parametrize("profile", ["legacy", "legacy-strict"])
async def test_a_display_of_the_2025_description_only_takes_playlists(
    wall: Wall,
) -> None:
    """The state is assumed, and only casts are supported."""
    assert wall.state == "idle"
    assert wall.attribute("assumed_state") is True
    assert wall.attribute("supported_features") & BY_HAND == Feature.PLAY_MEDIA
    await wall.cast()
    assert wall.state == "playing"
    assert wall.attribute("media_playlist") == "Evening"
    items = wall.display.state.items
    assert [item["title"] for item in items] == ["Dawn", "Noon", "Dusk"]


async def test_a_volume_that_is_not_known_yet(bare: Wall) -> None:
    """A volume key reads it first, and says so where the display does not tell it."""
    fault = bare.display.inject(FaultKind.STATUS, command="getDeviceStatus", status=500)
    await bare.set_up()
    assert bare.attribute("volume_level") is None
    with pytest.raises(HomeAssistantError) as caught:
        await bare.do("volume_up")
    assert caught.value.translation_key == "volume_unknown"
    bare.display.heal()
    assert fault.hits
    before = bare.display.state.volume
    await bare.do("volume_up")
    assert bare.display.state.volume > before
