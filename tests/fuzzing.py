"""Feed all parsers of external data with malformed input."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
import json
from math import isfinite
from pathlib import Path
import random
import re
import time
from traceback import extract_tb
from typing import Any

import voluptuous as vol

from custom_components.dp1.client import errors, values
from custom_components.dp1.client.catalog import client as catalog
from custom_components.dp1.client.catalog.models import Artwork, Exhibition, Series
from custom_components.dp1.client.display.device_status import (
    ContentPolicy,
    DeviceStatus,
    Identity,
    Metrics,
    PanelStatus,
    PlaybackCounters,
)
from custom_components.dp1.client.display.notifications import parse_frame
from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.display.transport import reply
from custom_components.dp1.client.feed import client as feed
from custom_components.dp1.client.feed.connection import feed_error
from custom_components.dp1.client.feed.drafts import normalize
from custom_components.dp1.client.feed.models import FeedChannel, FeedPlaylist
from custom_components.dp1.client.http import MAX_BODY, Answer
from custom_components.dp1.client.indexer.tokens import Token
from custom_components.dp1.client.playlist.document import (
    check,
    check_playable,
    for_display,
    parse,
    validate,
)
from custom_components.dp1.client.playlist.manifest import (
    Artist,
    artists_in,
    picture_in,
)
from custom_components.dp1.client.playlist.signing import SigningKey, sign, verify
from custom_components.dp1.client.text import clean
from custom_components.dp1.client.values import decode, mapping
from custom_components.dp1.coordinator import DisplayCoordinator
from custom_components.dp1.display.discovery import parse_address
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

from .simulators.catalog.data import CatalogData

MOST_SECONDS = 0.2
# In bytes per second of processor, for what is long: what grows faster than its size takes minutes.
LEAST_SPEED = 500_000
# What strangers send when all is well, and what is odd.
DATA: dict[str, list[Any]] = json.loads(
    (Path(__file__).parent / "fixtures" / "fuzzing.json").read_text()
)
KEY = SigningKey.parse(
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
)
NOW = datetime(2026, 11, 21, tzinfo=UTC)
LEAVES: tuple[Any, ...] = (
    *DATA["leaves"],
    *("&#" + "9" * 5000 + ";", "<" * 20_000, "\x00" * 20_000, "&lt;\x1b[" * 5000),
    *("x" * 5000, "é" * 300, [{}] * 50),
)


# Written as @size and unit@, which `as_json` repeats: too large to be copied, or too deep for Python's own encoder.
DEPTHS, SIZES = (33, 253, 300, 900, 10_000), (300, 20_000, 100_000, 4_000_000)
MONSTERS = (
    *(f"@{depth}{unit}@" for depth in DEPTHS for unit in "[{"),
    *(f"@{size}{unit}@" for size in SIZES[:3] for unit in DATA["units"]),
    *(f"@{SIZES[3]}{unit}@" for unit in ("<", "<p>", "\\u0000", "[],", '"",')),
)
_MONSTER = re.compile(rb'"@(\d+)((?:[^"\\]|\\.)+?)@"')


class Spoiler:
    """Changes values and bytes, the same way for the same seed.

    Attributes:
        size: of the longest body that was made, in bytes.
    """

    def __init__(self, seed: int) -> None:
        """Initialize with a seed."""
        self._random = random.Random(seed)
        self.size = 0

    def case(self, samples: list[Any]) -> Any:
        """Return a changed sample."""
        sample = deepcopy(self._random.choice(samples))
        for _ in range(self._random.choice((1, 1, 2, 3, 8))):
            sample = self._spoil(sample)
        return sample

    def _spoil(self, value: Any) -> Any:
        """Change one place."""
        chance = self._random
        if isinstance(value, dict | list) and value and chance.random() < 0.85:
            places: Any = range(len(value)) if isinstance(value, list) else [*value]
            place = chance.choice(places)
            match chance.randrange(6), value:
                case 0, _:
                    del value[place]
                case 1, list():
                    value.append(value[place])
                case 1, dict():
                    key = chance.choice(("", "ok", "id", "items", "x" * 300))
                    value[key] = value[place]
                case _:
                    value[place] = self._spoil(value[place])
            return value
        if isinstance(value, str) and value and chance.random() < 0.4:
            place = chance.randrange(len(value))
            odd = chance.choice(("", "\x00", "\ud83d", "%", "/", " ", "<b>", value))
            return value[:place] + odd + value[place + 1 :]
        if chance.random() < 0.02:
            return chance.choice(MONSTERS)
        return deepcopy(chance.choice(LEAVES))

    def raw(self, body: bytes) -> bytes:
        """Change, cut or repeat bytes, sometimes."""
        chance = self._random
        self.size = max(self.size, len(body))
        if chance.random() < 0.7 or not body:
            return body
        place = chance.randrange(len(body))
        match chance.randrange(4):
            case 0:
                return body[:place]
            case 1:
                return body[:place] + bytes([chance.randrange(256)]) + body[place + 1 :]
            case 2:
                return body + body[place:]
            case _:
                return body[:place] + chance.choice((b"[", b"{", b'"', b"\xff")) * 2000


def as_json(value: Any) -> bytes:
    """Return a sample as JSON, possibly invalid, of at most the size that is read."""
    left = MAX_BODY - 10_000

    def monster(match: re.Match[bytes]) -> bytes:
        """Return a text of many units, or a list or object of many levels."""
        nonlocal left
        size = int(match[1])
        unit = json.loads(b'"' + match[2] + b'"').encode("utf-8", "surrogatepass")
        if (left := left - size) < 0:
            return b'""'
        match unit:
            case b"[":
                return b"[" * size + b"]" * size
            case b"{":
                return b'{"a":' * size + b"1" + b"}" * size
            case b"[]," | b'"",':
                return b"[" + unit * (size // len(unit)) + b"1]"
        return b'"' + unit * (size // len(unit)) + b'"'

    return _MONSTER.sub(monster, json.dumps(value).encode())


def sweep(sample: Any) -> Iterator[Any]:
    """Yield a sample with each odd value in all places at once, then in all places of lists, and with a long one in each place alone."""
    for odd in (*LEAVES, *MONSTERS):
        yield _everywhere(sample, odd)
    for odd in LEAVES:
        yield _everywhere(sample, odd, in_lists=True)
    yield from _in_each_place(sample, "\x1b[31m" * 5000)


def _everywhere(value: Any, odd: Any, in_lists: bool = False) -> Any:
    """Return a value with all that is in it replaced, but for the words that make it a notification."""
    match value:
        case dict():
            return {
                key: part
                if key in ("type", "notification_type")
                else _everywhere(part, odd, in_lists)
                for key, part in value.items()
            }
        case list() if any(
            not isinstance(part, dict) or "title" in part for part in value
        ):
            return [_everywhere(part, odd, in_lists) for part in value]
        case list():
            return [odd if in_lists else _everywhere(part, odd) for part in value]
    return value if in_lists else odd


def _in_each_place(value: Any, odd: Any) -> Iterator[Any]:
    """Yield a value with one part of it replaced, each in turn, but for those words."""
    parts: Iterable[tuple[Any, Any]] = ()
    match value:
        case dict():
            parts = value.items()
        case list():
            parts = enumerate(value)
    for key, part in parts:
        if key not in ("type", "notification_type"):
            for other in (odd, *_in_each_place(part, odd)):
                changed = value.copy()
                changed[key] = other
                yield changed


STATUS = (PlayerStatus, DeviceStatus, PanelStatus, Identity, ContentPolicy, Metrics)


def read_frame(case: Any, spoiler: Spoiler) -> None:
    """Parse a frame as each kind of status."""
    try:
        message = mapping(decode(spoiler.raw(as_json(case)))).get("message")
    except ValueError:
        return
    for kind in STATUS:
        assert kind.parse(message) == kind.parse(deepcopy(message))
    known = PlayerStatus.parse(DATA["frames"][0]["message"])
    repr(PlayerStatus.parse(message).completed_by(known))
    PlaybackCounters.parse(str(message))


def read_values(case: Any, spoiler: Spoiler) -> None:
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


def read_reply(case: Any, spoiler: Spoiler) -> None:
    """Parse an answer with any status."""
    body = spoiler.raw(as_json(case))
    for status in (200, 204, 422, 429, 500):
        headers = {"Content-Type": "text/plain", "Retry-After": str(case)[:99]}
        with suppress(errors.Dp1Error):
            reply("displayPlaylist", Answer(status, headers, body, "http://a/"))


def catalog_pages() -> list[Any]:
    """Return records of the simulated catalog."""
    data = CatalogData("https://media.example.org")
    show = data.find_exhibition("Net Evil")
    series = data.series(show["id"])[0]
    return [{"result": [show, series, data.artworks(series["id"])[0]]}]


def read_catalog(case: Any, spoiler: Spoiler) -> None:
    """Parse a page as each kind of record, and serialize the result."""
    try:
        page = mapping(decode(spoiler.raw(as_json(case)))).get("result")
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


def read_feed(case: Any, spoiler: Spoiler) -> None:
    """Parse a page, and an error."""
    body = spoiler.raw(as_json(case))
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


def read_token(case: Any, spoiler: Spoiler) -> None:
    """Parse a record of a collection, and build what a display and a page get of it."""
    try:
        record = mapping(decode(spoiler.raw(as_json(case))))
    except ValueError:
        return
    owner = record.get("current_owner")
    owners = {owner} if isinstance(owner, str) else ()
    if (token := Token.parse(record, owners)) is not None:
        assert unsafe([token.id, token.name, token.description, token.artists]) is None
        assert len(json_bytes(token.artists)) < MOST_ATTRIBUTES
        json_bytes(work_of(token).to_dp1())


def read_document(case: Any, spoiler: Spoiler) -> None:
    """Validate, prepare, sign and verify a playlist."""
    document = parse(spoiler.raw(as_json(case)).decode("utf-8", "replace"))
    validate(document)
    verify(document)
    check_playable(document)
    json.dumps(for_display(document))
    normal, _ = normalize(document, now=NOW)
    check(normal)
    assert verify(sign(normal, KEY, now=NOW))


def read_txt(case: Any, spoiler: Spoiler) -> None:
    """Parse addresses and texts."""
    for text in mapping(case).values():
        clean(text, 100)
        if isinstance(text, str):
            for read in (parse_address, catalog.normalize_url, feed.normalize_url):
                with suppress(ValueError, errors.Dp1Error):
                    read(text)


def read_action(case: Any, spoiler: Spoiler) -> None:
    """Validate the fields of every action, without the target, which Home Assistant itself validates."""
    if isinstance(case, dict):
        case["entity_id"] = ["media_player.wall"]
    for _, _, schema, _ in ACTIONS:
        with suppress(vol.Invalid):
            schema(deepcopy(case))


def read_media_id(case: Any, spoiler: Spoiler) -> None:
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


def read_stored(case: Any, spoiler: Spoiler) -> None:
    """Parse stored data."""
    unread: Any = None
    for data in mapping(case).values():
        for record in (Exhibition, FeedPlaylist):
            kind_of_list = ListKind[Any](record, unread)
            Listing(unread, "list", kind_of_list, "").restore(data)
        for kind in (Artwork, KeptNode, FeedPlaylist, FeedChannel, Token):
            record_from_json(kind, data)


TARGETS: dict[str, Callable[[Any, Spoiler], None]] = {
    "values": read_values,
    "frames": read_frame,
    "replies": read_reply,
    "catalog pages": read_catalog,
    "feed pages": read_feed,
    "tokens": read_token,
    "documents": read_document,
    "TXT records": read_txt,
    "action fields": read_action,
    "media ids": read_media_id,
    "storage files": read_stored,
}
_MADE = {"catalog pages": catalog_pages, "tokens": tokens, "storage files": stored}


def samples_of(name: str) -> list[Any]:
    """Return valid input of a parser."""
    return _MADE[name]() if name in _MADE else DATA[name]


def parse_case(name: str, case: Any, spoiler: Spoiler) -> int:
    """Parse a changed sample, which may be refused; return the size of what was made of it."""
    with suppress(errors.Dp1Error):
        TARGETS[name](case, spoiler)
    return spoiler.size


@dataclass(frozen=True)
class Finding:
    """A failure, and how to reproduce it."""

    target: str
    seed: int
    problem: str
    case: str


def problem_of(read: Callable[[], int]) -> str:
    """Read a case, which returns its size; return what went wrong."""
    try:
        # A slow case is tried again, as the garbage collector may have run.
        for _ in range(3):
            started = time.process_time()
            size = read()
            took = time.process_time() - started
            if took < (most := MOST_SECONDS + size / LEAST_SPEED):
                return ""
    except Exception as err:  # noqa: BLE001
        frame = extract_tb(err.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        return f"{type(err).__name__}: {str(err)[:150]} ({place})"
    return f"takes more than {most:.1f} s"


def fuzz(name: str, cases: int, seed: int) -> Iterator[Finding]:
    """Run the cases of a target, which each have their own seed, after those of a sweep, which have negative ones."""
    samples = samples_of(name)
    swept = [case for sample in samples for case in sweep(sample)]
    for number in (*range(-len(swept), 0), *range(seed, seed + cases)):

        def read(number: int = number) -> int:
            """Parse the case, which is the same each time."""
            spoiler = Spoiler(number)
            case = deepcopy(swept[number]) if number < 0 else spoiler.case(samples)
            return parse_case(name, case, spoiler)

        if problem := problem_of(read):
            case = swept[number] if number < 0 else Spoiler(number).case(samples)
            yield Finding(name, number, problem, repr(case)[:500])


# What a case becomes in a running Home Assistant

MOST_ATTRIBUTES = 16 * 1024
MOST_LOOP_SECONDS = 0.1


class FuzzedDisplay:
    """A display of a running Home Assistant, to which frames are given as if it had sent them."""

    def __init__(self, hass: HomeAssistant, coordinator: DisplayCoordinator) -> None:
        """Initialize with what takes the frames."""
        self._hass = hass
        self._coordinator = coordinator
        self.attributes = 0

    def take(self, frame: bytes) -> int:
        """Take a frame, and check all that came of it: states that can be encoded, are short, and are safe to show.

        Returns:
            The length of the frame.
        """
        event = parse_frame(frame)
        started = time.process_time()
        if event is not None:
            self._coordinator.on_frames([(event, self._hass.loop.time())])
        took = time.process_time() - started
        assert took < MOST_LOOP_SECONDS, f"{took:.3f} s on the loop"
        for state in self._hass.states.async_all():
            shown = state.as_dict()
            json_bytes(shown)
            size = len(json_bytes(shown["attributes"]))
            assert size < MOST_ATTRIBUTES, f"{state.entity_id}: {size} bytes"
            self.attributes = max(self.attributes, size)
            assert (bad := unsafe([state.state, shown["attributes"]])) is None, repr(
                bad
            )
        for entry in self._coordinator.history.entries():
            json_bytes(entry)
        return len(frame)


def fuzz_states(display: FuzzedDisplay, cases: int, seed: int) -> Iterator[Finding]:
    """Give spoiled frames to a display, first each odd value in all places at once."""
    samples = DATA["frames"]
    swept = [case for sample in samples for case in sweep(sample)]
    for number in (*range(-len(swept), 0), *range(seed, seed + cases)):
        spoiler = Spoiler(number)
        case = swept[number] if number < 0 else spoiler.case(samples)
        frame = spoiler.raw(as_json(case))
        if problem := problem_of(partial(display.take, frame)):
            yield Finding("states", number, problem, repr(case)[:500])
