"""Test the errors for responses of feed servers and proxies."""

import json
import logging
from pathlib import Path
import re
from typing import Any

import pytest

from custom_components.dp1.client import errors
from custom_components.dp1.client.errors import Fault, InvalidPlaylistError
from custom_components.dp1.client.feed import connection
from custom_components.dp1.client.feed.connection import feed_error
from custom_components.dp1.client.http import Answer

from tests.client.tables import tables

TABLES = tables("feed_errors")

REFUSALS = [
    row
    for row in json.loads(
        (Path(__file__).parents[2] / "fixtures/feed/refusals.json").read_text()
    )
    # That family is only read.
    if row["family"] != "ts" or row["method"] == "GET"
]
HTML = b"<!DOCTYPE html><html><body><h1>Oops</h1>secret-key</body></html>"


def refusal(
    status: int,
    body: bytes,
    kind: str = "application/json",
    *,
    secret: str | None = None,
    sent_document: bool = True,
) -> errors.Dp1Error:
    answer = Answer(status, {"Content-Type": kind}, body, "")
    return feed_error(answer, secret=secret, sent_document=sent_document)


@pytest.mark.parametrize(
    "row", REFUSALS, ids=lambda row: f"{row['family']}-{row['name']}"
)
def test_real_answers(row: dict[str, Any]) -> None:
    """Recorded responses have their error type, faults with paths, and message."""
    writes_document = row["method"] in ("POST", "PUT", "PATCH")
    registry = row["name"].startswith("registry")
    found = refusal(
        row["status"],
        row["body"].encode(),
        row["type"],
        sent_document=writes_document and not registry,
    )
    assert row["error"] in (type(found).__name__, found.key)
    if isinstance(found, InvalidPlaylistError):
        assert [fault.path for fault in found.faults] == row["paths"]
        assert all(fault.message for fault in found.faults)
    else:
        if row["status"] >= 500:
            assert row["body"] and not re.search("SQLSTATE|pkey|tcp", str(found))
            return
        words = row["body"]
        if row["type"].startswith("application/json"):
            words = json.loads(words)["message"]
        assert str(found) == " ".join(words.split())


@pytest.mark.parametrize(("status", "error", "message"), TABLES["statuses"])
@pytest.mark.parametrize("body", [HTML, b"", b"[1]", b'{"error": 1, "message": {}}'])
def test_without_words(status: int, error: str, message: str, body: bytes) -> None:
    """A response without a message has a text for its status."""
    err = refusal(status, body, "text/html")
    assert (type(err).__name__, str(err)) == (error, message)


def test_few_words() -> None:
    err = refusal(422, b"body \xff too long\n", "text/plain; charset=utf-8")
    assert str(err) == "body \N{REPLACEMENT CHARACTER} too long"
    assert str(refusal(400, b'{"error": "bad_request"}')) == "bad_request"


def test_words_are_tamed() -> None:
    """Messages are cut to one line, without control characters and the API key."""
    text = "a\x00b\n<b>c</b> my-key " + "x" * 1000
    body = json.dumps({"error": "bad_request", "message": text}).encode()
    message = str(refusal(404, body, secret="my-key"))
    assert message.startswith("a b c *** xxx")
    assert len(message) == 300
    faults = json.dumps(
        {"error": "validation_error", "message": "- at '/a': has my-key\n" * 99}
    ).encode()
    found = refusal(400, faults, secret="my-key")
    assert isinstance(found, InvalidPlaylistError)
    assert found.faults == (Fault("a", "has ***"),)


@pytest.mark.parametrize("status", [400, 401, 404, 422, 500, 503])
@pytest.mark.parametrize("words", TABLES["inside"])
@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_what_a_server_says_of_itself_stays_in_the_log(
    status: int, words: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Internals of the server are logged at debug level and not in the error."""
    body = words.encode()
    if kind == "application/json":
        body = json.dumps({"error": "validation_error", "message": words}).encode()
    with caplog.at_level(logging.DEBUG, "custom_components.dp1"):
        message = str(refusal(status, body, kind))
    assert message
    for detail in ("SQLSTATE", "feed", "user", "5432", "internal", "pkey", "srv"):
        assert detail not in message.replace("feed_", "")
    assert len(caplog.records) == 1 and words[:20] in caplog.text


@pytest.mark.parametrize(("text", "faults"), TABLES["places"])
def test_places(text: str, faults: list[list[str]]) -> None:
    body = json.dumps({"error": "validation_error", "message": text}).encode()
    found = refusal(400, body)
    assert isinstance(found, InvalidPlaylistError)
    assert list(found.faults) == [Fault(*fault) for fault in faults]


def test_only_the_beginning_is_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """A feed may say a lot of a document."""
    found = list[Fault]()

    def noted(*fault: str) -> Fault:
        found.append(Fault(*fault))
        return found[-1]

    monkeypatch.setattr(connection, "Fault", noted)
    lines = "".join(f"- at '/items/{n}/source': is no address\n" for n in range(50_000))
    body = json.dumps({"error": "validation_error", "message": lines}).encode()
    error = refusal(400, body)
    assert isinstance(error, InvalidPlaylistError) and len(error.faults) == 50
    assert len(found) < connection.MAX_WORDS / 20


def test_a_read_has_no_faults_of_a_document() -> None:
    body = b'{"error": "validation_error", "message": "- at \'/a\': bad"}'
    found = refusal(400, body, sent_document=False)
    assert type(found) is errors.InvalidRequestError


def test_identifier() -> None:
    """A fault of the document's id has its path, and one of the URL's id means not found."""
    body = b'{"error": "invalid_id", "message": "id is required"}'
    found = refusal(400, body)
    assert isinstance(found, InvalidPlaylistError)
    assert found.faults == (Fault("id", "id is required"),)
    assert type(refusal(400, body, sent_document=False)) is errors.NotFoundError
