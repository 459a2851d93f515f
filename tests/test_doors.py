"""Test that `SECURITY.md` says what is let in, as the code has it."""

from typing import Any

import pytest

from custom_components.dp1 import config_flow, fields, hosts, llm
from custom_components.dp1.browse import pictures
from custom_components.dp1.client import guard, http, museum, pages, text, values
from custom_components.dp1.client.catalog import client as catalog
from custom_components.dp1.client.display import (
    client as display,
    player_status,
    transport,
)
from custom_components.dp1.client.feed import connection as feed
from custom_components.dp1.client.indexer import client as indexer, links
from custom_components.dp1.client.playlist import document, manifest, schema, signing
from custom_components.dp1.display import connection, discovery, metadata
from custom_components.dp1.library import file_reader, files, shelf, words
from custom_components.dp1.library.providers.catalog import provider
from custom_components.dp1.playback import links as linked, request as request_module
from custom_components.dp1.screen import (
    casting,
    dynamic,
    pairing,
    player,
    screen,
    views,
)
from custom_components.dp1.voice import request

from .sources import ROOT

from tests.timing import DEFAULTS


def megabytes(size: int) -> str:
    """Return a size as the table has it."""
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} KB"


LEVELS = str(values.MAX_DEPTH)
VALUES = f"{values.MAX_VALUES:,} values"
WORKS = f"{VALUES}, {player_status.MAX_ITEMS:,} works"
DOCUMENT = (megabytes(document.MAX_DOCUMENT), LEVELS)
DOORS: dict[str, tuple[Any, ...]] = {
    "answers of displays": (megabytes(transport.MAX_REPLY), LEVELS, WORKS, transport._TIMEOUT),
    "pushes of displays": (megabytes(transport.MAX_REPLY), LEVELS, WORKS, "-"),
    "screenshots": (megabytes(display._MAX_SCREENSHOT), "-", "1 at a time", display._SCREENSHOT_TIMEOUT),
    "announcements in the network": (f"{discovery.NAME_LENGTH} characters of a name", "-", f"{config_flow.MAX_PARALLEL} at a time, until {config_flow.MAX_DISCOVERED} wait", "-"),
    "pages of screens": (megabytes(views.MAX_MESSAGE), "-", f"{pairing.MAX_CODES} codes", f"{pairing.HELLO_SECONDS:g} to say who it is, {pairing.CODE_SECONDS:g} for a code"),
    "commands to screens": (*DOCUMENT, f"{VALUES}, {player.MAX_ITEMS:,} works of a second at least, {casting.MAX_LISTENERS} listeners, {casting.MAX_CASTS} long casts and {casting.MAX_CASTS} fetched playlists at a time", f"{screen.FETCH_SECONDS:g} for a playlist"),
    "works of dynamic playlists on screens": (megabytes(document.MAX_DOCUMENT) + " in all", LEVELS, f"{VALUES}, {player.MAX_ITEMS:,} works, {dynamic.MAX_PAGES} pages, {dynamic.MAX_QUERY:,} characters of a query", f"{dynamic.ANSWER_SECONDS:g} for a page"),
    "playlists at an address": (*DOCUMENT, f"{document.MAX_VALUES:,} values", DEFAULTS["document_timeout"]),
    "playlists in actions": (*DOCUMENT, f"{document.MAX_VALUES:,} values, {schema.MAX_FAULTS} faults", "-"),
    "signatures of playlists": (*DOCUMENT, f"{signing._MAX_CHECKED} are checked", "-"),
    "answers of the catalog": (f"{megabytes(catalog.MAX_BODY)}, {megabytes(pages.MAX_SPREAD)} a list", LEVELS, f"{VALUES}, {pages.MAX_RECORDS:,} records", catalog.TIMEOUT_SECONDS),
    "answers of the feed": (f"{megabytes(feed.MAX_BODY)}, {megabytes(pages.MAX_CHAIN)} a list, {megabytes(shelf.MAX_BYTES)} of text kept", LEVELS, f"{VALUES}, {pages.MAX_PAGES:,} pages", feed.READ_TIMEOUT),
    "answers of the indexer": (megabytes(http.MAX_BODY), LEVELS, f"{VALUES}, {indexer.MAX_TOKENS:,} works, {indexer.MAX_PAGES} pages", links.TIMEOUT),
    "answers of the museum": (megabytes(museum.MAX_BODY), LEVELS, f"{museum.PAGE_SIZE} works a page, {museum.MAX_WORKS} works", museum.TIMEOUT_SECONDS),
    "manifests of works": (megabytes(provider.MAX_MANIFEST), LEVELS, f"{VALUES}, {manifest.MAX_ARTISTS} artists", provider.MANIFEST_SECONDS),
    "titles of web pages": (megabytes(http.MAX_PAGE), "-", f"{text.MAX_TITLE} characters", DEFAULTS["title_timeout"]),
    "pictures": (megabytes(pictures.MAX_PICTURE_BYTES), "-", f"{pictures.MAX_PIXELS // 1_000_000} megapixels, {pictures.MAX_PARALLEL} at a time, {pictures.MAX_OF_HOST} of a host", f"{DEFAULTS['picture_timeout']:g}, {pictures.PICTURE_PATIENCE:g} while others wait"),
    "kept files of works": (f"{file_reader.MAX_FILE // 10**6} MB", "-", f"{files.MAX_NIGHT_FILES} in a night", file_reader.TIMEOUT.total),
    "beginnings of web works": (megabytes(http.CHUNK), "-", f"{hosts.MAX_LOOKS} in {hosts.LOOK_PERIOD:g} seconds", hosts.LOOK_TIMEOUT),
    "settings of the vendor's app": (megabytes(http.MAX_BODY), LEVELS, VALUES, DEFAULTS["document_timeout"]),
    "names of uploaded pictures": ("-", "-", f"{text.MAX_TITLE} characters", "-"),
    "sentences and requests of models": (f"{request.MAX_SPOKEN} characters of a name", "-", f"{llm.MAX_TOGETHER} works, {fields.MAX_NOTE} characters of a note", "-"),
    "names in actions": (f"{words.MAX_FOLDED} characters", "-", f"{request_module.MAX_MEDIA} media", "-"),
    "links that are pasted": (f"{links._LONGEST_LINK:,} characters", "-", f"{linked.MAX_LINKED_WORKS} works", DEFAULTS["link_timeout"]),
    "media ids": (f"{text.MAX_URL:,} characters", "-", "-", "-"),
    "redirects": ("-", "-", guard.MAX_REDIRECTS, "within the time above"),
    "titles, artists, notes in states": (f"{text.MAX_TITLE}, {text.MAX_TITLE} and {manifest.MAX_NOTE} characters", "-", "-", "-"),
    "ids and addresses in states": (f"{player_status.MAX_ID} and {values.MAX_TEXT:,} bytes", "-", "-", "-"),
}  # fmt: skip


WHEN_ASKED = "when asked"
REFRESH = f"every {DEFAULTS['refresh'] / 3600:g} hours"
# What is let in unasked, or looked up by itself.
PER_SECOND = {
    "answers of displays": f"every {DEFAULTS['poll_interval']:g} seconds",
    "pushes of displays": f"{1 / connection.FRAME_SECONDS:g} are shown, after {connection.FRAME_BURST} at once",
    "announcements in the network": f"{config_flow.MAX_PARALLEL} at a time",
    "pages of screens": "the oldest at the address with the most goes first",
    "commands to screens": f"{casting.COMMANDS[1]:g} commands after {casting.COMMANDS[0]:g} at once, {casting.CASTS[1]:g} long or fetched cast after {casting.CASTS[0]:g}; {1 / casting.PAUSE:g} changes are told",
    "works of dynamic playlists on screens": f"when shown, then {dynamic.MAX_PAGES} in {screen.REFRESH.total_seconds():g} seconds",
    "signatures of playlists": "with their playlist",
    "answers of the catalog": f"{catalog.CONCURRENCY} at a time {REFRESH}, then 1 in {DEFAULTS['reading_pause']:g} seconds",
    "answers of the feed": f"1 in {DEFAULTS['page_pause']:g} seconds {REFRESH}",
    "answers of the indexer": f"1 in {indexer.PAUSE:g} seconds",
    "answers of the museum": f"1 in {museum.APART:g} seconds",
    "manifests of works": f"{metadata.LOOK_UPS_AT_ONCE} at a time",
    "pictures": f"{pictures.MAX_PARALLEL} at a time",
    "kept files of works": "at night, where the owner keeps files: 2 at a time",
    "beginnings of web works": "when one is shown whose host is not known to answer; once an hour, and once a day if it does; of a kept file each time",
    "settings of the vendor's app": "when the Daily has run out",
    "redirects": "with their request",
    "titles, artists, notes in states": "with their push",
    "ids and addresses in states": "with their push",
}


def listed() -> dict[str, list[str]]:
    """Return the columns of each door in the document, without who may knock."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (ROOT / "SECURITY.md").read_text().splitlines()
        if line.startswith("|") and line.count("|") == 8
    ]
    return {row[0]: row[2:] for row in rows[2:]}


def test_all_doors_are_listed() -> None:
    """No door is left out, and none is made up."""
    assert listed().keys() == DOORS.keys()


@pytest.mark.parametrize("door", DOORS)
def test_doors(door: str) -> None:
    """What is said of a door is what the code has."""
    wanted = [
        f"{part:g}" if isinstance(part, float) else str(part)
        for part in (*DOORS[door], PER_SECOND.get(door, WHEN_ASKED))
    ]
    assert listed()[door] == wanted
