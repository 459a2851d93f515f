"""Test parsing the status of a display."""

from contextlib import suppress
from dataclasses import is_dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
import json
import math
from typing import Any

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.dp1.client.display import device_status, player_status
from custom_components.dp1.client.display.device_status import (
    ContentPolicy,
    DeviceStatus,
    Identity,
    Metrics,
    NetworkStatus,
    PanelStatus,
    PlaybackCounters,
    SleepSchedule,
)
from custom_components.dp1.client.display.player_status import (
    DeviceSettings,
    PlayerStatus,
    PlaylistItem,
)
from custom_components.dp1.client.display.transport import accepted
from custom_components.dp1.client.errors import RejectedError
from custom_components.dp1.client.playlist.manifest import Artist
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.client.values import decode

URL = "https://feed.example.org/api/v1/playlists/aa11"
STUB = {"dpVersion": "", "title": "", "items": None}
WORKS = [
    {
        "id": "i-1",
        "title": "First Light",
        "source": "https://art.example.org/1",
        "duration": 120,
        "license": "open",
        "ref": "https://art.example.org/1.json",
        "provenance": {"type": "onChain"},
        "metadata": {"artist": "A"},
    },
    {
        "id": "i-2",
        "title": "Second Light",
        "source": "https://art.example.org/2",
        "duration": 999999999,
    },
    {"id": "i-3", "title": "Third Light", "source": "https://art.example.org/3"},
]
KEPT = {"id", "title", "duration", "license"}
# What the player answers over HTTP.
FULL = {
    "ok": True,
    "castCommand": "displayPlaylist",
    "playlist": {
        "dpVersion": "1.1.0",
        "id": "aa11",
        "slug": "evening",
        "title": "Evening",
        "items": WORKS,
    },
    "playlistUrl": URL,
    "items": WORKS,
    "index": 0,
    "renderStatus": 2,
    "stamp": "",
    "deviceSettings": {
        "scaling": "fit",
        "orientation": "landscape",
        "defaultDuration": 600,
        "tombstone": "timed",
    },
    "isPaused": False,
    "sleepMode": False,
    "loopMode": "playlist",
    "shuffle": False,
}


def pushed(index: int | None = 0, order: str = "123", **more: Any) -> PlayerStatus:
    """Return a push of the same playlist, as the oldest firmware sends it."""
    works = [
        {"source": "", **{k: v for k, v in WORKS[int(n) - 1].items() if k in KEPT}}
        for n in order
    ]
    message = {
        "castCommand": "displayPlaylist",
        "playlistURL": URL,
        "playlist": STUB,
        "index": index,
        "items": works,
        "isPaused": False,
        "ok": True,
        "deviceSettings": {"scaling": "fit", "orientation": "landscape"},
        "loopMode": "playlist",
        "shuffle": False,
    }
    return PlayerStatus.parse({**message, **more})


def test_the_full_status() -> None:
    """Every field of an answer over HTTP is parsed."""
    status = PlayerStatus.parse(FULL)
    assert status.ok
    assert status.error is None
    assert status.cast_command == "displayPlaylist"
    assert status.playlist_url == URL
    assert status.playlist == FULL["playlist"]
    assert (status.playlist_id, status.playlist_title) == ("aa11", "Evening")
    assert (status.index, status.position) == (0, 1)
    assert status.item_ids == ("i-1", "i-2", "i-3")
    assert status.current == PlaylistItem(
        id="i-1",
        title="First Light",
        source="https://art.example.org/1",
        duration=120,
        license="open",
        ref="https://art.example.org/1.json",
        provenance={"type": "onChain"},
        artists=(),
        thumbnail=None,
        note=None,
        raw=WORKS[0],
    )
    assert status.asleep is False
    assert status.settings == DeviceSettings(
        scaling="fit",
        orientation="landscape",
        default_duration=600,
        tombstone="timed",
        margin=None,
        background=None,
        framing=None,
        offered=frozenset({"scaling", "orientation", "defaultDuration", "tombstone"}),
    )
    assert (status.loop_mode, status.shuffle) == ("playlist", False)
    assert status.render_status == 2
    assert status.signature_status is None
    assert status.overlay is False


def test_a_push() -> None:
    """The URL has another key, the playlist is empty, sources are missing."""
    status = pushed(1)
    assert status.playlist_url == URL
    assert (status.playlist, status.playlist_id, status.playlist_title) == (None,) * 3
    assert status.current is not None
    assert status.current.title == "Second Light"
    assert status.current.source is None
    assert status.current.duration is None
    assert status.render_status is None


@pytest.mark.parametrize(
    ("message", "ok", "error"),
    [
        (
            {"error": "cdp evaluate failed: x", "ok": False},
            False,
            "cdp evaluate failed: x",
        ),
        (
            {"playlist": STUB, "index": None, "items": [], "error": "overheating"},
            False,
            "overheating",
        ),
        ({"playlist": STUB, "index": None, "items": [], "ok": True}, True, None),
        ({}, False, None),
    ],
)
def test_nothing_to_see(message: Any, ok: bool, error: str | None) -> None:
    """Errors and an empty player have a status; ``ok`` is missing when it is false."""
    status = PlayerStatus.parse(message)
    assert (status.ok, status.error) == (ok, error)
    assert (status.position, status.current, status.items) == (None, None, ())


@pytest.mark.parametrize(
    ("index", "position"), [(0, 1), (2, 3), (3, 1), (7, 2), (None, None), (True, None)]
)
def test_position(index: Any, position: int | None) -> None:
    """The index is raw and may be beyond the end."""
    assert pushed(index).position == position


@pytest.mark.parametrize(
    ("duration", "expected"),
    [
        (120, 120),
        (0.5, 0.5),
        (0, 0),
        (999999998, 999999998),
        (999999999, None),
        (999999999.0, None),
        (10**12, None),
        (-1, None),
        ("120", None),
        (True, None),
        (None, None),
        (10**400, None),
    ],
)
def test_duration(duration: Any, expected: float | None) -> None:
    """A work of unlimited duration has none."""
    assert PlaylistItem.parse({"duration": duration}).duration == expected


@pytest.mark.parametrize(
    ("said", "asleep"),
    [
        ({"isPaused": True}, True),
        ({"sleepMode": True, "isPaused": False}, True),
        ({"isPaused": False}, False),
        ({"sleepMode": False}, False),
        ({"isPaused": "yes"}, None),
        ({}, None),
    ],
)
def test_asleep(said: Any, asleep: bool | None) -> None:
    """There are two keys."""
    assert PlayerStatus.parse(said).asleep is asleep


def test_an_overlay_is_noted_and_its_code_is_not_kept() -> None:
    """The pairing code is not stored."""
    status = pushed(overlay={"owner": "mint", "pairingCode": "SECRET-1234"})
    assert status.overlay
    assert "SECRET" not in repr(status)
    assert not pushed(overlay=None).overlay


def test_a_broken_item_keeps_its_place() -> None:
    """Otherwise the index would point to another work."""
    status = PlayerStatus.parse({"items": [None, "x", {"id": "i-3"}], "index": 2})
    assert status.item_ids == (None, None, "i-3")
    assert status.current is not None
    assert status.current.id == "i-3"


def test_items_of_the_playlist_stand_in() -> None:
    status = PlayerStatus.parse({"playlist": {"items": WORKS}})
    assert status.item_ids == ("i-1", "i-2", "i-3")


# A push over what was known


def test_a_push_over_nothing() -> None:
    """Without an earlier status the push is the status."""
    assert pushed().over(None) == pushed()


def test_a_push_of_the_same_list_keeps_what_it_cannot_carry() -> None:
    """Title, id, sources and other fields of works, the render status and the settings are kept."""
    known = PlayerStatus.parse(FULL)
    assert pushed().over(known) == known


def test_the_next_work_of_the_same_list() -> None:
    """Everything but the state of the previous work is kept."""
    status = pushed(1).over(PlayerStatus.parse(FULL))
    assert status.playlist_title == "Evening"
    assert status.current is not None
    assert status.current.source == "https://art.example.org/2"
    assert status.render_status is None


def test_what_the_push_says_wins() -> None:
    """A changed work and the render status are those of the push."""
    works = [dict(WORKS[0], source="", duration=30), *WORKS[1:]]
    status = pushed(items=works, renderStatus=3, signatureStatus="valid").over(
        PlayerStatus.parse(FULL)
    )
    assert status.items[0].duration == 30
    assert status.items[0].source == "https://art.example.org/1"
    assert status.items[0].raw["metadata"] == {"artist": "A"}
    assert (status.render_status, status.signature_status) == (3, "valid")
    assert pushed().over(status).signature_status == "valid"


def test_a_shuffled_list_is_the_same_list() -> None:
    """Sources are matched to their works."""
    status = pushed(0, "312").over(PlayerStatus.parse(FULL))
    assert [item.source for item in status.items] == [
        f"https://art.example.org/{number}" for number in (3, 1, 2)
    ]
    assert status.playlist_id == "aa11"


@pytest.mark.parametrize(
    "other",
    [
        {"playlistURL": "https://feed.example.org/other"},
        {"playlistURL": None},
        {"items": [{"id": "i-1"}, {"id": "i-2"}]},
        {"items": [{"id": "i-1"}, {"id": "i-2"}, {"id": "i-2"}]},
        {"error": "cdp evaluate failed", "ok": False, "items": []},
    ],
)
def test_of_another_list_nothing_is_kept_but_the_settings(
    other: dict[str, Any],
) -> None:
    """Only the settings are kept for another playlist."""
    known = PlayerStatus.parse(FULL)
    push = pushed(**other)
    status = push.over(known)
    assert status == replace(push, settings=known.settings)
    assert status.playlist_title is None


def test_what_was_pushed_already_is_not_copied() -> None:
    """The works that a notification does not change are the same objects."""
    known = PlayerStatus.parse(FULL)
    assert pushed().over(known).items is known.items
    known = pushed().over(known)
    assert pushed(2).over(known).items is known.items
    items = [dict(work.raw) for work in pushed().items]
    items[1]["duration"] = 7
    merged = pushed(items=items).over(known).items
    same = [item is other for item, other in zip(merged, known.items, strict=True)]
    assert same == [True, False, True]


def test_works_that_cannot_be_told_apart() -> None:
    """Equal works keep their sources only in the same order."""
    works = [{"title": "Untitled", "source": f"https://a.example/{n}"} for n in "123"]
    known = PlayerStatus.parse({"items": works, "playlistUrl": URL})
    blank = [{"title": "Untitled", "source": ""}] * 3
    same = pushed(items=blank).over(known)
    assert [item.source for item in same.items] == [work["source"] for work in works]
    twice = [{"id": "x", "title": title} for title in "aab"]
    known = PlayerStatus.parse(
        {"items": [{**work, "source": "s"} for work in twice], "playlistUrl": URL}
    )
    other = pushed(items=[twice[2], *twice[:2]]).over(known)
    assert [item.source for item in other.items] == ["s", None, None]


def test_settings_of_old_firmware_are_kept() -> None:
    """Its pushes omit whole groups of settings."""
    known = PlayerStatus.parse(FULL)
    status = pushed(deviceSettings={"scaling": "fill"}).over(known)
    assert status.settings is not None
    assert status.settings.scaling == "fill"
    assert status.settings.orientation == "landscape"
    assert status.settings.default_duration == 600
    assert known.settings is not None
    assert status.settings.offered == known.settings.offered
    assert pushed(deviceSettings=None).over(known).settings == known.settings


def test_settings_that_newer_firmware_clears_are_gone() -> None:
    """A missing setting of a group that was sent is cleared."""
    known = PlayerStatus.parse(
        {
            "deviceSettings": {
                "tombstone": "on",
                "defaultDuration": 600,
                "showingKey": "k",
                "compositionRevision": 7,
                "margin": 0,
                "background": "#000000",
                "framing": "fill",
            }
        }
    )
    assert known.settings is not None
    assert (known.settings.margin, known.settings.framing) == (0, "fill")
    push = pushed(
        deviceSettings={
            "tombstone": "off",
            "compositionRevision": 8,
            "margin": "4vw",
        }
    )
    status = push.over(known)
    assert status.settings is not None
    assert status.settings.tombstone == "off"
    assert status.settings.default_duration is None
    assert (status.settings.margin, status.settings.background) == ("4vw", None)
    assert "defaultDuration" in status.settings.offered


# The device


def test_device_status_of_old_firmware() -> None:
    """The status of firmware 1.0.17 is parsed."""
    status = DeviceStatus.parse(
        {
            "screenRotation": "landscape",
            "connectedWifi": "HomeNet",
            "installedVersion": "1.0.17",
            "latestVersion": "1.0.21",
            "macInfo": {"enp1s0": "02:00:00:aa:bb:01", "broken": 7},
            "volume": 49,
            "isMuted": False,
            "displayURL": "http://127.0.0.1:8080/playlist",
            "sleepSchedule": {
                "enabled": False,
                "sleepTime": "22:00",
                "wakeTime": "07:30",
                "currentState": "awake",
            },
        }
    )
    assert status == DeviceStatus(
        screen_rotation="landscape",
        connected_wifi="HomeNet",
        installed_version="1.0.17",
        latest_version="1.0.21",
        analytics_disabled=False,
        beta_features_enabled=False,
        mac_info={"enp1s0": "02:00:00:aa:bb:01"},
        volume=49,
        muted=False,
        display_url="http://127.0.0.1:8080/playlist",
        sleep_schedule=SleepSchedule(
            enabled=False,
            sleep_time="22:00",
            wake_time="07:30",
            days=None,
            asleep=False,
            override_state=None,
        ),
        contract=None,
        device_name=None,
        network=None,
        last_outage=None,
        signature_mode=None,
    )


def test_device_status_of_new_firmware() -> None:
    """The additions of firmware 2 are parsed."""
    status = DeviceStatus.parse(
        {
            "analyticsDisabled": True,
            "betaFeaturesEnabled": True,
            "contract": "2",
            "deviceName": "Kitchen",
            "signatureVerificationMode": "notify",
            "network": {
                "state": "online",
                "ssid": "HomeNet",
                "link": "wifi",
                "internet": True,
                "reason": "none",
            },
            "lastOutage": {
                "start": "2026-09-01T03:00:00+02:00",
                "end": "2026-09-01T03:04:00+02:00",
                "class": "wan-down",
                "count24h": 2,
            },
            "sleepSchedule": {
                "enabled": True,
                "currentState": "sleeping",
                "overrideState": "sleeping",
                "overrideUntil": "2026-09-01T07:30:00Z",
                "nextTransitionAt": "2026-09-01T07:30:00Z",
            },
        }
    )
    assert (status.analytics_disabled, status.beta_features_enabled) == (True, True)
    assert (status.contract, status.device_name) == ("2", "Kitchen")
    assert status.signature_mode == "notify"
    assert status.network == NetworkStatus("wifi", True)
    zone = timezone(timedelta(hours=2))
    assert status.last_outage == datetime(2026, 9, 1, 3, 0, tzinfo=zone)
    schedule = status.sleep_schedule
    assert schedule is not None
    assert (schedule.enabled, schedule.asleep) == (True, True)
    assert schedule.override_state == "sleeping"


@pytest.mark.parametrize("volume", [-1, 101, "50", 50.5, None, False])
def test_no_volume(volume: Any) -> None:
    """A volume is an integer percentage."""
    assert DeviceStatus.parse({"volume": volume}).volume is None


def test_panel_status() -> None:
    """Any value may be missing."""
    status = PanelStatus.parse(
        {
            "brightness": 65,
            "volume": 40.0,
            "power": "on",
            "monitor": "ACME:X27",
        }
    )
    assert status == PanelStatus(65, None, 40, "on")
    assert PanelStatus.parse({"errors": {"panel": "no display"}}) == PanelStatus()


def test_metrics() -> None:
    """Units are not converted."""
    metrics = Metrics.parse(
        {
            "cpu": {
                "max_frequency": 4500,
                "current_frequency": 1800,
                "max_temperature": 100,
                "current_temperature": 52,
            },
            "gpu": {
                "max_frequency": 2600,
                "current_frequency": 800,
                "current_temperature": 50,
                "max_temperature": 100,
                "gpu_busy": 7.5,
            },
            "memory": {"max_capacity": 15700, "used_capacity": 5200},
            "screen": {"width": 3840, "height": 2160, "refresh_rate": 60},
            "uptime": 86400.5,
            "disk": {
                "total_capacity": 240000000,
                "used_capacity": 31000000,
                "available_capacity": 196000000,
            },
            "timestamp": "2026-06-24T10:00:00.123456789Z",
        }
    )
    assert metrics == Metrics(
        cpu_temperature=52,
        gpu_temperature=50,
        memory_usage=pytest.approx(33.12, 0.01),
        disk_usage=pytest.approx(12.92, 0.01),
        uptime=86400.5,
        timestamp=datetime(2026, 6, 24, 10, 0, 0, 123456, tzinfo=UTC),
    )
    assert Metrics.parse({"cpu": 5}).cpu_temperature is None


@pytest.mark.parametrize("used", [1e308, 10**400, -1e308, float("inf")])
def test_usage_without_end(used: float) -> None:
    """What is used of a capacity is a number, or not known, however large its parts are."""
    for size in (1, 1e-300, 5e-324, 10**300):
        memory = {"used_capacity": used, "max_capacity": size}
        usage = Metrics.parse({"memory": memory}).memory_usage
        assert usage is None or math.isfinite(usage)


EXPOSITION = """
# HELP art_playback_duration_seconds_total Seconds of art.
# TYPE art_playback_duration_seconds_total counter
art_playback_duration_seconds_total 1234.5
playback_start_total 7
playback_start_failures_total 2 1700000000000
net_link_state{type="ethernet"} 0
net_link_state{type="wifi"} 1
net_wifi_link_info{bssid_hash="a b",channel="36"} 1
net_wifi_signal_percent 71
relayer_connected 1
relayer_disconnects_total 3e0
"""


def test_counters() -> None:
    """The Prometheus text format is parsed, with comments, labels, exponents and time stamps."""
    assert PlaybackCounters.parse(EXPOSITION) == PlaybackCounters(
        playback_seconds=1234.5,
        starts=7,
        start_failures=2,
        wifi_signal=71,
    )


@pytest.mark.parametrize(
    "line",
    [
        "x",
        "playback_start_total NaN",
        "playback_start_total x",
        'net_link_state{type="wifi"} -1',
    ],
)
def test_counters_that_say_nothing(line: str) -> None:
    """Unknown or invalid counters are None."""
    assert PlaybackCounters.parse(line) == PlaybackCounters.parse("")


def test_identity_keeps_no_secret() -> None:
    """The id is upper case; the key to the cloud control is not stored."""
    identity = Identity.parse(
        {
            "device_id": "ff1-ab12cd34",
            "version": "2.0.7",
            "branch": "release",
            "contract": "2",
            "claimed": True,
            "internet": True,
            "setup_state": "online",
            "topic_id": "SECRET",
        }
    )
    assert identity == Identity("FF1-AB12CD34", "2.0.7", "2")
    assert "SECRET" not in repr(identity)


def test_content_policy() -> None:
    """The policy is nested."""
    assert ContentPolicy.parse(
        {
            "ok": True,
            "active": True,
            "contentPolicy": {"showMatureContent": True, "strictPersonal": False},
        }
    ) == ContentPolicy(True, False, True)


@pytest.mark.parametrize(
    "value",
    [
        "2026-09-01T03:00:00",
        "yesterday",
        5,
        "",
        "0001-13-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
    ],
)
def test_no_point_in_time(value: Any) -> None:
    """A time without an offset, or an invalid one, is None."""
    assert DeviceStatus.parse({"lastOutage": {"start": value}}).last_outage is None


# Whatever comes

KINDS = [
    model
    for module in (device_status, player_status)
    for model in vars(module).values()
    # These are read from text, see below; an artist has a name.
    if is_dataclass(model) and model not in (Artist, Playlist, PlaybackCounters)
]
NAMES = sorted(
    {*FULL, *FULL["deviceSettings"], *WORKS[0]}  # type: ignore[misc]
    | {"playlistURL", "overlay", "sleepSchedule", "network", "lastOutage", "macInfo"}
    | {"currentState", "overrideUntil", "volume", "isMuted", "errors"}
    | {"cpu", "gpu", "memory", "disk", "screen", "current_temperature", "playedAtMs"}
    | {"start", "count24h", "device_id", "contentPolicy", "message", "data", "margin"}
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -1, 999999999])
    | st.floats()
    | st.text(max_size=8)
    | st.datetimes().map(str)
    | st.sampled_from(["awake", "on", URL, "2026-09-01T03:00:00Z"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), inner)
    ),
    max_leaves=25,
)


@settings(max_examples=150, deadline=None)
@given(value=JSON, previous=JSON)
def test_no_json_is_too_strange(value: Any, previous: Any) -> None:
    """No JSON raises, and equal input has equal results."""
    for kind in KINDS:
        assert isinstance(kind.parse(value), kind)
    with suppress(RejectedError):
        accepted("checkStatus", value)
    status = PlayerStatus.parse(value)
    assert status.position is None or 1 <= status.position <= len(status.items)
    merged = status.over(PlayerStatus.parse(previous))
    assert len(merged.items) == len(status.items)


@settings(max_examples=50, deadline=None)
@given(text=st.text())
def test_no_exposition_is_too_strange(text: str) -> None:
    """No text raises."""
    assert isinstance(PlaybackCounters.parse(text), PlaybackCounters)


@settings(max_examples=100, deadline=None)
@given(body=st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_only_one_way_to_fail(body: bytes) -> None:
    """Invalid JSON is a ValueError, and decoded JSON can be encoded."""
    try:
        value = decode(body)
    except ValueError:
        return
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize("body", [b"[" * 100000, b'{"a":' * 100000, b"\xff\xfe", b"{"])
def test_not_to_be_decoded(body: bytes) -> None:
    """Too deep or invalid JSON is refused."""
    with pytest.raises(ValueError):  # noqa: PT011
        decode(body)


def test_half_a_pair_is_replaced() -> None:
    """A half surrogate pair is replaced; a whole pair stays."""
    text = rb'{"a":"x\ud83d","b":"\ud83d\ude00","\udc00":1e30}'
    assert decode(text) == {"a": "x\ufffd", "b": "😀", "\ufffd": 1e30}


def test_numbers_that_others_cannot_hold() -> None:
    """Integers beyond 64 bits become doubles, and larger ones None."""
    numbers = [0, -7, 2**53 + 1, 2**64 - 1, -(2**63), 2**64, -(2**63) - 1, 10**30]
    read = decode(json.dumps(numbers).encode())
    assert isinstance(read, list)
    assert [type(number) for number in read] == [int] * 5 + [float] * 3
    assert read == [*numbers[:5], 2.0**64, -(2.0**63), 1e30]
    huge = b"9" * 400
    assert decode(b"[%b, -%b]" % (huge, huge * 20), strict=True) == [None, None]
    assert decode(b"\xef\xbb\xbf[NaN, -Infinity, 1e999, 0.5]") == [
        None,
        None,
        None,
        0.5,
    ]
