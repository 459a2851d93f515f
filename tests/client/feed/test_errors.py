"""Test the errors for responses of feed servers and proxies."""

import json
import logging
from pathlib import Path
import re
from typing import Any

import pytest

from custom_components.dp1.client import errors
from custom_components.dp1.client.errors import Fault, InvalidPlaylistError
from custom_components.dp1.client.feed.connection import feed_error
from custom_components.dp1.client.http import Answer

REFUSALS = json.loads(
    (Path(__file__).parents[2] / "fixtures/feed/refusals.json").read_text()
)
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


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        (400, errors.InvalidRequestError, "HTTP 400 Bad Request"),
        (401, errors.AuthenticationError, "HTTP 401 Unauthorized"),
        (403, errors.ForbiddenError, "it does not allow this"),
        (404, errors.NotFoundError, "HTTP 404 Not Found"),
        (409, errors.ConflictError, "HTTP 409 Conflict"),
        (413, errors.InvalidRequestError, "the document is too large"),
        (422, errors.InvalidRequestError, "HTTP 422 Unprocessable Content"),
        (429, errors.BusyError, "HTTP 429 Too Many Requests"),
        (500, errors.TemporaryError, "HTTP 500 Internal Server Error"),
        (502, errors.TemporaryError, "HTTP 502 Bad Gateway"),
        (504, errors.TemporaryError, "HTTP 504 Gateway Timeout"),
        (520, errors.TemporaryError, "HTTP 520"),
    ],
)
@pytest.mark.parametrize("body", [HTML, b"", b"[1]", b'{"error": 1, "message": {}}'])
def test_without_words(
    status: int, error: type[errors.Dp1Error], message: str, body: bytes
) -> None:
    """A response without a message has a text for its status."""
    found = refusal(status, body, "text/html")
    assert type(found) is error
    assert str(found) == message


def test_plain_text() -> None:
    """A short plain text is used as the message."""
    found = refusal(422, b"body \xff too long\n", "text/plain; charset=utf-8")
    assert str(found) == "body \N{REPLACEMENT CHARACTER} too long"


def test_code_without_message() -> None:
    """The code is used if there is no message."""
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
@pytest.mark.parametrize(
    "words",
    [
        'failed to connect to `host=db.internal user=feed database=feed`: dial tcp 10.0.0.7:5432: connect: refused',
        "ERROR: duplicate key value violates unique constraint \"playlists_pkey\" (SQLSTATE 23505)",
        "pq: password authentication failed for user \"feed\" at postgres://feed:secret@db/feed",
        "lookup etcd.internal on 127.0.0.11:53: no such host",
        "open /srv/feed/keys/user.pem: permission denied",
        "panic: runtime error\ngoroutine 7 [running]:\nmain.go:99 user",
    ],
)  # fmt: skip
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


def test_many_faults() -> None:
    """The number of faults is limited."""
    lines = "\n".join(f"- at '/items/{n}/id': bad" for n in range(1000))
    body = json.dumps({"error": "validation_error", "message": lines}).encode()
    found = refusal(400, body)
    assert isinstance(found, InvalidPlaylistError)
    assert len(found.faults) == 50


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("- at '/a~1b/0': bad", [Fault("a/b[0]", "bad")]),
        (
            "- at '/items/3': missing properties 'source', 'x'",
            [Fault("items[3].source", "is missing"), Fault("items[3].x", "is missing")],
        ),
        (
            "Key: 'PlaylistCreateRequest.Items[0].ID' Error:bad",
            [Fault("items[0].id", "bad")],
        ),
        (
            "Key: 'PlaylistCreateRequest.CoverImage' Error:bad",
            [Fault("coverImage", "bad")],
        ),
        ("Key: 'PlaylistCreateRequest.url' Error:bad", [Fault("url", "bad")]),
        (
            "Invalid playlist data: items.0.title: Too long; really; summary: No",
            [Fault("items[0].title", "Too long; really"), Fault("summary", "No")],
        ),
        ("just no", [Fault("", "just no")]),
    ],
)
def test_places(text: str, faults: list[Fault]) -> None:
    """The paths of faults are parsed for both families."""
    body = json.dumps({"error": "validation_error", "message": text}).encode()
    found = refusal(400, body)
    assert isinstance(found, InvalidPlaylistError)
    assert list(found.faults) == faults


def test_a_read_has_no_faults_of_a_document() -> None:
    """Errors of a read have a message and no faults."""
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
