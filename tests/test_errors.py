"""Test that every error has a complete text."""

import ast
from collections.abc import Callable, Iterator
import json
from string import Formatter

import pytest

from custom_components.dp1.client import errors
from custom_components.dp1.client.errors import (
    SHOWN_FAULTS,
    Dp1Error,
    Fault,
    InvalidPlaylistError,
    RejectedError,
    UnexpectedAnswerError,
    UnreachableError,
)
from custom_components.dp1.client.feed.connection import REFUSALS
from custom_components.dp1.const import DOMAIN
from custom_components.dp1.errors import (
    SHOWN_CHARACTERS,
    action_failed,
    invalid_input,
    translated,
    translated_errors,
)
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .sources import INTEGRATION, modules

TEXTS = json.loads((INTEGRATION / "translations" / "en.json").read_text("utf-8"))
SUBJECTS = ("display", "feed", "catalog", "playlist", "indexer", "museum")
# Keys that only an error of a display, or of a feed, has; each is that of a class, or of one error.
# A screen has no address that a form could ask for.
ONLY_OF_SCREENS = {"no_page", "lists_no_works"}
ONLY_OF_DISPLAYS = {
    "not_ready",
    "address_not_accepted",
    "wants_pairing",
    *ONLY_OF_SCREENS,
}
ONLY_OF_FEEDS = {
    "cannot_delete",
    "changed",
    "clock",
    "forbidden",
    "id_deleted",
    "in_use",
    "key_owned",
    "needs_key",
    "needs_signature",
    "no_owner",
    "not_owner",
    "read_only",
    "slug_taken",
    "too_large",
    "unsigned",
}
ONLY_OF_SERVERS = ONLY_OF_FEEDS | {
    "authentication",
    "conflict",
    "invalid_request",
    "not_found",
    "signature_refused",
}


def keyed_errors() -> Iterator[Dp1Error]:
    """Return each error that is not told by its class alone, with the key that it is raised with."""
    for tree in modules(INTEGRATION).values():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in vars(errors):
                    keys = {
                        word.arg: word.value.value
                        for word in node.keywords
                        if word.arg in ("key", "translation_key")
                        and isinstance(word.value, ast.Constant)
                    }
                    if keys:
                        values = {"minutes": "7", "url": "https://feed.example"}
                        values |= {"owner": "did:key:theirs", "ours": "did:key:ours"}
                        yield vars(errors)[name]("why", placeholders=values, **keys)
    for _, _, kind, key, message in REFUSALS:
        yield kind(message, key=key)
    yield UnexpectedAnswerError("why", key="web_page")


def samples() -> Iterator[Dp1Error]:
    yield from keyed_errors()
    for kind in vars(errors).values():
        if not isinstance(kind, type) or not issubclass(kind, Dp1Error):
            continue
        if kind is InvalidPlaylistError:
            yield InvalidPlaylistError([Fault("items[0].source", "missing")])
        elif kind is RejectedError:
            yield RejectedError("displayPlaylist", "no")
            yield RejectedError("setVolume")
            for code in (*errors.REFUSALS, "other", errors.NO_PLAYER):
                yield RejectedError("displayPlaylist", "so", code)
        else:
            yield kind("why")


def assert_complete(error: HomeAssistantError) -> None:
    """Check that a text exists and has all its placeholders."""
    assert error.translation_domain == DOMAIN
    assert error.translation_key in TEXTS["exceptions"]
    message = TEXTS["exceptions"][error.translation_key]["message"]
    wanted = {name for _, name, _, _ in Formatter().parse(message) if name}
    assert wanted <= set(error.translation_placeholders or {})


@pytest.mark.parametrize(
    ("err", "subject"),
    [
        (err, subject)
        for err in samples()
        for subject in SUBJECTS
        if subject == "display" or err.key not in ONLY_OF_DISPLAYS
        if subject == "feed" or err.key not in ONLY_OF_FEEDS
    ],
    ids=repr,
)
def test_every_error_has_a_text_for_everyone(err: Dp1Error, subject: str) -> None:
    assert_complete(translated(err, subject, "Wall", "http://192.0.2.1:1111"))


@pytest.mark.parametrize(
    "err",
    [
        err
        for err in samples()
        if err.key not in ONLY_OF_SERVERS | ONLY_OF_SCREENS
        if not isinstance(err, (InvalidPlaylistError, RejectedError))
    ],
    ids=repr,
)
def test_every_error_of_a_display_has_a_text_in_forms(err: Dp1Error) -> None:
    """Every error of a display has a text in forms and as a reason to abort."""
    assert err.key in TEXTS["config"]["error"]
    assert err.key in TEXTS["config"]["abort"]


def test_every_error_of_a_server_has_a_text_in_forms() -> None:
    """Whatever goes wrong while a server is tried stands beside its field; nothing is signed there."""
    keys = {err.key for err in samples()} - ONLY_OF_DISPLAYS - ONLY_OF_FEEDS
    keys -= {"signature_refused"}
    assert {f"server_{key}" for key in keys} <= TEXTS["config"]["error"].keys()


@pytest.mark.parametrize(
    ("err", "key"),
    [
        (errors.UnreachableError(key="refused"), "display_refused"),
        (errors.UnreachableError(), "display_no_answer"),
        (Dp1Error(key="address_not_accepted"), "display_address_not_accepted"),
        (errors.Dp1Error(), "display_failed"),
        (RejectedError("setVolume"), "display_rejected"),
        (RejectedError("displayPlaylist"), "playlist_not_accepted"),
        (
            RejectedError("displayPlaylist", code="sourceUnreachable"),
            "playlist_sources_unreachable",
        ),
        (
            RejectedError("displayPlaylist", code="sigInvalid"),
            "playlist_signature_refused",
        ),
        (
            RejectedError("displayPlaylist", code="contentBlocked"),
            "playlist_content_blocked",
        ),
        (RejectedError("displayPlaylist", code="new"), "playlist_turned_down"),
        (RejectedError("sleep", code=errors.NO_PLAYER), "display_player_not_running"),
        (InvalidPlaylistError([Fault("", "no")]), "playlist_invalid"),
    ],
    ids=repr,
)
def test_the_text_names_the_cause(err: Dp1Error, key: str) -> None:
    """Different causes have different texts."""
    assert translated(err, "display", "Wall").translation_key == key


def test_each_error_of_a_feed_has_a_text_of_its_own() -> None:
    """Each key of an error that only feeds raise is used, and has a text."""
    assert {err.key for err in samples()} >= ONLY_OF_FEEDS | ONLY_OF_DISPLAYS
    assert {f"feed_{key}" for key in ONLY_OF_FEEDS} <= TEXTS["exceptions"].keys()


def test_what_a_display_says_is_plain_text() -> None:
    """Markup from a display is removed."""
    error = translated(
        RejectedError("displayPlaylist", "<b>no</b>\n<script>1</script>", "x"),
        "display",
        "Wall",
    )
    assert error.translation_placeholders is not None
    assert error.translation_placeholders["detail"] == "no"


@pytest.mark.parametrize("make", [invalid_input, action_failed])
def test_nothing_is_echoed_without_end(
    make: Callable[..., HomeAssistantError],
) -> None:
    """Text from outside is one short line of plain text; what has none gets none."""
    assert make("no_display_meant").translation_placeholders is None
    error = make("forgotten", media_id="\x1b[31m<b>a</b>\n" + "x" * 100_000)
    assert error.translation_placeholders is not None
    text = error.translation_placeholders["media_id"]
    assert text.startswith("a xxx")
    assert len(text) == SHOWN_CHARACTERS


def test_faults_are_listed_with_their_paths_but_not_without_end() -> None:
    """The first faults are listed, the others counted."""
    faults = [Fault(f"items[{n}]", "bad") for n in range(SHOWN_FAULTS + 3)]
    error = translated(InvalidPlaylistError([Fault("", "empty"), *faults]), "playlist")
    assert isinstance(error, ServiceValidationError)
    assert (error.translation_placeholders or {})["faults"] == (
        "empty; items[0]: bad; items[1]: bad; items[2]: bad; items[3]: bad; +4"
    )
    error = translated(InvalidPlaylistError(faults[:1]), "playlist")
    assert (error.translation_placeholders or {})["faults"] == "items[0]: bad"


def test_errors_of_the_protocol_are_translated_and_others_are_not() -> None:
    """Client errors are translated and stay attached as the cause."""
    with (
        pytest.raises(HomeAssistantError) as caught,
        translated_errors("display", "Wall", "there"),
    ):
        raise UnreachableError("x")
    assert caught.value.translation_key == "display_no_answer"
    assert isinstance(caught.value.__cause__, UnreachableError)
    with pytest.raises(KeyError), translated_errors("display", "Wall"):
        raise KeyError
