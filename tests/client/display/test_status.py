"""Test parsing the status of a display."""

from contextlib import suppress
from dataclasses import is_dataclass, replace
import json
import math
from typing import Any

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.dp1.client.display import device_status, player_status
from custom_components.dp1.client.display.device_status import Metrics
from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.display.transport import accepted
from custom_components.dp1.client.errors import RejectedError
from custom_components.dp1.client.playlist.manifest import Artist
from custom_components.dp1.client.playlist.playlist import Playlist
from custom_components.dp1.client.values import decode

from tests.client.tables import plain, tables

URL = "https://feed.example.org/api/v1/playlists/aa11"
STUB = {"dpVersion": "", "title": "", "items": None}
TABLES = tables("display_status")
# What the player answers over HTTP.
FULL = TABLES["full"]
WORKS = FULL["items"]
KEPT = {"id", "title", "duration", "license"}
# An artist has a name.
KINDS: dict[str, Any] = {
    model.__name__: model
    for module in (device_status, player_status)
    for model in vars(module).values()
    if is_dataclass(model) and model not in (Artist, Playlist)
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


@pytest.mark.parametrize(("kind", "message", "parsed"), TABLES["parsed"])
def test_parsed(kind: str, message: Any, parsed: dict[str, Any]) -> None:
    """Every field is parsed, in every form that it has; what says nothing is None; units are not converted; no secret is kept."""
    status = KINDS[kind].parse(message)
    assert plain({name: getattr(status, name) for name in parsed}) == parsed
    assert "SECRET" not in repr(status)


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
    ("index", "position"), [(0, 1), (2, 3), (3, 1), (7, 2), (None, None), (True, None)]
)
def test_position(index: Any, position: int | None) -> None:
    """The index is raw and may be beyond the end."""
    assert pushed(index).position == position


def test_an_overlay_is_noted_and_its_code_is_not_kept() -> None:
    status = pushed(overlay={"owner": "mint", "pairingCode": "SECRET-1234"})
    assert status.overlay
    assert "SECRET" not in repr(status)
    assert not pushed(overlay=None).overlay


# A push over what was known


def test_a_push_over_nothing() -> None:
    assert pushed().completed_by(None) == pushed()


def test_a_push_of_the_same_list_keeps_what_it_cannot_carry() -> None:
    """Title, id, sources and other fields of works, the render status and the settings are kept."""
    known = PlayerStatus.parse(FULL)
    assert pushed().completed_by(known) == known


def test_the_next_work_of_the_same_list() -> None:
    """Everything but the state of the previous work is kept."""
    status = pushed(1).completed_by(PlayerStatus.parse(FULL))
    assert status.playlist_title == "Evening"
    assert status.current is not None
    assert status.current.source == "https://art.example.org/2"
    assert status.render_status is None


def test_what_the_push_says_wins() -> None:
    """The render status is that of the push, the works are those that were read."""
    works = [dict(WORKS[0], source="", duration=30), *WORKS[1:]]
    status = pushed(items=works, renderStatus=3, signatureStatus="valid").completed_by(
        PlayerStatus.parse(FULL)
    )
    assert status.items[0].duration == 120
    assert status.items[0].source == "https://art.example.org/1"
    assert status.items[0].raw["metadata"] == {"artist": "A"}
    assert (status.render_status, status.signature_status) == (3, "valid")
    assert pushed().completed_by(status).signature_status == "valid"


def test_a_shuffled_list_is_the_same_list() -> None:
    status = pushed(0, "312").completed_by(PlayerStatus.parse(FULL))
    assert [item.source for item in status.items] == [
        f"https://art.example.org/{number}" for number in (3, 1, 2)
    ]
    assert status.playlist_id == "aa11"


@pytest.mark.parametrize("other", TABLES["other_lists"])
def test_of_another_list_nothing_is_kept_but_the_settings(
    other: dict[str, Any],
) -> None:
    known = PlayerStatus.parse(FULL)
    push = pushed(**other)
    status = push.completed_by(known)
    assert status == replace(push, settings=known.settings)
    assert status.playlist_title is None


def test_what_was_pushed_already_is_not_copied() -> None:
    """The works that a notification does not change are the same objects."""
    known = PlayerStatus.parse(FULL)
    assert pushed().completed_by(known).items is known.items
    known = pushed().completed_by(known)
    assert pushed(2).completed_by(known).items is known.items


def test_works_that_cannot_be_told_apart() -> None:
    """Equal works keep their sources only in the same order."""
    works = [{"title": "Untitled", "source": f"https://a.example/{n}"} for n in "123"]
    known = PlayerStatus.parse({"items": works, "playlistUrl": URL})
    blank = [{"title": "Untitled", "source": ""}] * 3
    same = pushed(items=blank).completed_by(known)
    assert [item.source for item in same.items] == [work["source"] for work in works]
    twice = [{"id": "x", "title": title} for title in "aab"]
    known = PlayerStatus.parse(
        {"items": [{**work, "source": "s"} for work in twice], "playlistUrl": URL}
    )
    other = pushed(items=[twice[2], *twice[:2]]).completed_by(known)
    assert [item.source for item in other.items] == ["s", None, None]


def test_settings_of_old_firmware_are_kept() -> None:
    """Its pushes omit whole groups of settings."""
    known = PlayerStatus.parse(FULL)
    status = pushed(deviceSettings={"scaling": "fill"}).completed_by(known)
    assert status.settings is not None
    assert status.settings.scaling == "fill"
    assert status.settings.orientation == "landscape"
    assert status.settings.default_duration == 600
    assert known.settings is not None
    assert status.settings.offered == known.settings.offered
    assert pushed(deviceSettings=None).completed_by(known).settings == known.settings


def test_settings_that_a_push_leaves_out() -> None:
    """They stay until they are read, as the default duration, which is never pushed."""
    sent = {"tombstone": "on", "defaultDuration": 600, "showingKey": "k"}
    sent |= {
        "compositionRevision": 7,
        "margin": 0,
        "background": "#0",
    }
    known = PlayerStatus.parse({"deviceSettings": sent})
    assert known.settings is not None
    assert known.settings.margin == 0
    changed = {"tombstone": "off", "compositionRevision": 8, "margin": "4vw"}
    status = pushed(deviceSettings=changed).completed_by(known)
    assert status.settings is not None
    assert status.settings.tombstone == "off"
    assert status.settings.default_duration == 600
    assert (status.settings.margin, status.settings.background) == ("4vw", "#0")
    assert "defaultDuration" in status.settings.offered


# The device


@pytest.mark.parametrize("used", [1e308, 10**400, -1e308, float("inf")])
def test_usage_without_end(used: float) -> None:
    """What is used of a capacity is a number, or not known, however large its parts are."""
    for size in (1, 1e-300, 5e-324, 10**300):
        memory = {"used_capacity": used, "max_capacity": size}
        usage = Metrics.parse({"memory": memory}).memory_usage
        assert usage is None or math.isfinite(usage)


# Whatever comes

NAMES = sorted(
    {*FULL, *FULL["deviceSettings"], *WORKS[0]}
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
    for kind in KINDS.values():
        assert isinstance(kind.parse(value), kind)
    with suppress(RejectedError):
        accepted("checkStatus", value)
    status = PlayerStatus.parse(value)
    assert status.position is None or 1 <= status.position <= len(status.items)
    merged = status.completed_by(PlayerStatus.parse(previous))
    assert len(merged.items) == len(status.items)


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
