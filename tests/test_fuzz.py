"""Whatever strangers send, nothing breaks: all parsers of external data with malformed input.

In the suite the inputs are the same each time; ``--hypothesis-profile night`` has others, and more.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict
import json
from math import isfinite
from pathlib import Path
import re
from typing import Any

from hypothesis import given, strategies as st
import pytest
import voluptuous as vol

from custom_components.dp1.client import errors, values
from custom_components.dp1.client.catalog import client as catalog
from custom_components.dp1.client.catalog.models import Artwork, Exhibition, Series
from custom_components.dp1.client.display.notifications import parse_frame
from custom_components.dp1.client.display.transport import reply
from custom_components.dp1.client.feed import client as feed
from custom_components.dp1.client.feed.connection import feed_error
from custom_components.dp1.client.feed.models import FeedChannel, FeedPlaylist
from custom_components.dp1.client.http import Answer
from custom_components.dp1.client.indexer.tokens import Token
from custom_components.dp1.client.playlist.manifest import (
    Artist,
    artists_in,
    picture_in,
)
from custom_components.dp1.client.text import clean
from custom_components.dp1.client.values import decode, mapping
from custom_components.dp1.display.discovery import parse_address
from custom_components.dp1.displays import async_displays
from custom_components.dp1.fields import duration
from custom_components.dp1.library.item import Item
from custom_components.dp1.library.listing import (
    Listing,
    ListKind,
    record_from_text,
    record_to_text,
)
from custom_components.dp1.library.node import parse_media_id, split_node_id
from custom_components.dp1.library.providers.catalog.server import (
    work_of as work_of_artwork,
)
from custom_components.dp1.library.providers.collection.server import work_of
from custom_components.dp1.library.providers.kept import KeptNode
from custom_components.dp1.playback.media_ids import split_media_id
from custom_components.dp1.services import ACTIONS
from custom_components.dp1.storage import record_from_json, record_to_json
from homeassistant.core import HomeAssistant
from homeassistant.helpers.json import json_bytes

from .displays import until
from .simulators.catalog.data import CatalogData

# What strangers send when all is well, and what is odd.
DATA: dict[str, list[Any]] = json.loads(
    (Path(__file__).parent / "fixtures" / "fuzzing.json").read_text()
)
LEAVES: tuple[Any, ...] = (
    *DATA["leaves"],
    *("&#" + "9" * 5000 + ";", "<" * 20_000, "\x00" * 20_000, "&lt;\x1b[" * 5000),
    *("x" * 5000, "é" * 300, [{}] * 50, json.loads("[" * 200 + "]" * 200)),
)
MOST_ATTRIBUTES = 16 * 1024


def everywhere(value: Any, odd: Any, in_lists: bool = False) -> Any:
    """Return a value with all that is in it replaced, but for the words that make it a notification."""
    match value:
        case dict():
            return {
                key: part
                if key in ("type", "notification_type")
                else everywhere(part, odd, in_lists)
                for key, part in value.items()
            }
        case list() if any(
            not isinstance(part, dict) or "title" in part for part in value
        ):
            return [everywhere(part, odd, in_lists) for part in value]
        case list():
            return [odd if in_lists else everywhere(part, odd) for part in value]
    return value if in_lists else odd


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all places in a value: what it is in, and its key or index there."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in inside:
        yield value, key
        if isinstance(part, dict | list):
            yield from places(part)


@st.composite
def cases(draw: st.DrawFn, samples: list[Any]) -> Any:
    """Spoil a sample in a few places."""
    case = deepcopy(draw(st.sampled_from(samples)))
    for _ in range(draw(st.integers(1, 4))):
        if not (there := list(places(case))):
            break
        inside, key = there[draw(st.integers(0, len(there) - 1))]
        text = inside[key]
        match draw(st.integers(0, 9)):
            case 0:
                del inside[key]
            case 1 if isinstance(inside, list):
                inside.append(text)
            case 2 if isinstance(text, str):
                place = draw(st.integers(0, len(text)))
                inside[key] = text[:place] + draw(st.text(max_size=3)) + text[place:]
            case 3:
                inside[key] = draw(st.integers() | st.floats() | st.text())
            case _:
                inside[key] = deepcopy(draw(st.sampled_from(LEAVES)))
    return case


@st.composite
def bodies(draw: st.DrawFn, samples: list[Any]) -> bytes:
    """Encode a spoiled sample, sometimes cut off, repeated or with a byte that is none."""
    body = json.dumps(draw(cases(samples))).encode()
    place = draw(st.integers(0, len(body)))
    match draw(st.integers(0, 7)):
        case 0:
            return body[:place]
        case 1:
            return body[:place] + draw(st.binary(max_size=2)) + body[place + 1 :]
        case 2:
            return body + body[place:]
    return body


def read_values(case: Any) -> None:
    """Read each value as each kind; what is found can be encoded and shown."""
    for value in (*mapping(case).values(), 10**400, float("inf"), float("nan")):
        readers = (
            values.number,
            values.whole,
            values.percent,
            values.text,
            values.moment,
        )
        found: list[Any] = [read(value) for read in readers]
        found += [
            clean(value),
            [asdict(artist) for artist in artists_in(value)],
            picture_in(value),
            dict(values.texts(value)),
        ]
        json_bytes(found)
        assert unsafe(found) is None, unsafe(found)
        assert all(not isinstance(part, float) or isfinite(part) for part in found)


_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def unsafe(value: object) -> str | None:
    """Return a text with characters that affect what is around them, if there is one in a value."""
    match value:
        case str():
            return value[:200] if _UNSAFE.search(value) else None
        case Mapping():
            return unsafe([*value.keys(), *value.values()])
        case list() | tuple() | set() | frozenset():
            return next((bad for part in value if (bad := unsafe(part))), None)
    return None


def read_reply(body: bytes) -> None:
    """Parse an answer with any status."""
    for status in (200, 204, 422, 429, 500):
        headers = {
            "Content-Type": "text/plain",
            "Retry-After": body[:99].decode("ascii", "ignore").strip(),
        }
        with suppress(errors.Dp1Error):
            reply("displayPlaylist", Answer(status, headers, body, "http://a/"))


def catalog_pages() -> list[Any]:
    """Return records of the simulated catalog."""
    data = CatalogData("https://media.example.org")
    show = data.find_exhibition("Net Evil")
    series = data.series(show["id"])[0]
    return [{"result": [show, series, data.artworks(series["id"])[0]]}]


def read_catalog(body: bytes) -> None:
    """Parse a page as each kind of record, and serialize the result."""
    try:
        page = mapping(decode(body)).get("result")
    except ValueError:
        return
    for data in page if isinstance(page, list) else [page]:
        series = Series.parse(data)
        for kind in (Exhibition, Series, Artwork):
            if (record := kind.parse(data)) is None:
                continue
            assert record_from_text(kind, record_to_text(record)) == record
            if isinstance(record, Artwork) and series:
                json_bytes(work_of_artwork(record, series, None).to_dp1())


def read_feed(body: bytes) -> None:
    """Parse a page, and an error."""
    for status in (400, 401, 409, 500):
        answer = Answer(status, {"Content-Type": "application/json"}, body, "http://a/")
        assert isinstance(
            feed_error(answer, secret="secret", sent_document=True), errors.Dp1Error
        )
    try:
        page = mapping(decode(body)).get("items")
    except ValueError:
        return
    for data in page if isinstance(page, list) else [page]:
        for record in (FeedPlaylist.parse(mapping(data)), FeedChannel.parse(data)):
            if record is not None:
                record_to_text(record)


def tokens() -> list[Any]:
    """Return records of the indexer."""
    path = Path(__file__).parent / "simulators" / "indexer" / "tokens.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()[:3]]


def read_token(body: bytes) -> None:
    """Parse a record of a collection, and build what a display and a page get of it."""
    try:
        record = mapping(decode(body))
    except ValueError:
        return
    owner = record.get("current_owner")
    owners = {owner} if isinstance(owner, str) else ()
    if (token := Token.parse(record, owners)) is not None:
        assert unsafe([token.id, token.name, token.description, token.artists]) is None
        assert len(json_bytes(token.artists)) < MOST_ATTRIBUTES
        json_bytes(work_of(token).to_dp1())


def read_txt(case: Any) -> None:
    """Parse addresses and texts."""
    for text in mapping(case).values():
        clean(text, 100)
        if isinstance(text, str):
            for read in (parse_address, catalog.normalize_url, feed.normalize_url):
                with suppress(ValueError, errors.Dp1Error):
                    read(text)


def read_action(case: Any) -> None:
    """Validate the fields of every action, without the target, which Home Assistant itself validates."""
    if isinstance(case, dict):
        case["entity_id"] = ["media_player.wall"]
    for _, _, schema, _ in ACTIONS:
        with suppress(vol.Invalid):
            schema(deepcopy(case))


def read_media_id(case: Any) -> None:
    """Parse ids."""
    for text in mapping(case).values():
        if isinstance(text, str):
            split_media_id(text)
            if found := parse_media_id(text):
                with suppress(errors.NotFoundError):
                    split_node_id(found[1])


def stored() -> list[Any]:
    """Return stored data."""
    data = CatalogData("https://media.example.org")
    show = Exhibition.parse(data.find_exhibition("Net Evil"))
    assert show is not None
    listed = {
        "records": [record_to_text(show)],
        "total": 1,
        "read_at": "2026-11-21T00:00:00+00:00",
    }
    node = Item(id="artwork/1/2", kind="artwork", title="A", artists=(Artist("B"),))
    favorite = record_to_json(KeptNode(node, {"source": "https://a"}))
    playlist = FeedPlaylist.parse(DATA["documents"][0])
    assert playlist is not None
    work = {"id": "1", "name": "A", "index": 5, "sources": ["https://a"]}
    return [
        {
            "list": listed,
            "favorite": favorite,
            "playlist": record_to_json(playlist),
            "work": work,
        }
    ]


def read_stored(case: Any) -> None:
    """Parse stored data."""
    unread: Any = None
    for data in mapping(case).values():
        for record in (Exhibition, FeedPlaylist):
            kind_of_list = ListKind[Any](record, unread)
            Listing(unread, "list", kind_of_list, "").restore(data)
        for kind in (Artwork, KeptNode, FeedPlaylist, FeedChannel, Token):
            record_from_json(kind, data)


OF_BYTES: dict[str, Callable[[bytes], None]] = {
    "replies": read_reply,
    "catalog pages": read_catalog,
    "feed pages": read_feed,
    "tokens": read_token,
}
OF_VALUES: dict[str, Callable[[Any], None]] = {
    "values": read_values,
    "TXT records": read_txt,
    "action fields": read_action,
    "media ids": read_media_id,
    "storage files": read_stored,
}
MADE = {"catalog pages": catalog_pages, "tokens": tokens, "storage files": stored}


def swept(samples: list[Any]) -> Iterator[Any]:
    """Yield the samples with each odd value in all places at once, then in all places of lists, and a long one in each alone."""
    for sample in samples:
        for number, (_, word) in enumerate([*places(sample)]):
            if word not in ("type", "notification_type"):
                inside, key = [*places(case := deepcopy(sample))][number]
                inside[key] = "\x1b[31m" * 5000
                yield case
        for odd in LEAVES:
            yield everywhere(sample, odd)
            yield everywhere(sample, odd, in_lists=True)


@pytest.mark.parametrize("name", [*OF_BYTES, *OF_VALUES])
def test_nothing_breaks(name: str) -> None:
    """What is odd may be refused; what is long is read in a time that grows as it does, or never in that of a test."""
    samples = MADE[name]() if name in MADE else DATA[name]
    inputs: Any = bodies(samples) if name in OF_BYTES else cases(samples)
    read: Callable[[Any], None] = OF_BYTES.get(name) or OF_VALUES[name]

    def refuses(case: Any) -> None:
        with suppress(errors.Dp1Error):
            read(case)

    for case in swept(samples):
        refuses(json.dumps(case).encode() if name in OF_BYTES else deepcopy(case))
    given(inputs)(refuses)()


@pytest.mark.parametrize("seconds", [1e308, 10**30, "99999999999999:00:00"])
def test_endless_duration(seconds: object) -> None:
    """Python has no duration that long."""
    with pytest.raises(vol.Invalid):
        duration(seconds)


@pytest.mark.usefixtures("entity_registry_enabled_by_default", "setup_display")
async def test_no_state_breaks(hass: HomeAssistant) -> None:
    """Whatever a display pushes, every state can be encoded, is short, and is safe to show."""
    (display,) = async_displays(hass)
    await until(lambda: display.data.player)

    def take(frame: bytes) -> None:
        """Give a frame to the display as if it had sent it."""
        with suppress(errors.Dp1Error):
            if (event := parse_frame(frame)) is not None:
                display.on_frames([(event, hass.loop.time())])
        for state in hass.states.async_all():
            json_bytes(shown := state.as_dict())
            assert len(json_bytes(shown["attributes"])) < MOST_ATTRIBUTES
            assert unsafe([state.state, shown["attributes"]]) is None, state
        json_bytes(list(display.history.entries()))

    for case in swept(DATA["frames"]):
        take(json.dumps(case).encode())
    given(bodies(DATA["frames"]))(take)()
    await hass.async_block_till_done()
