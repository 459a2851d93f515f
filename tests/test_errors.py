"""Test that every error has a complete text."""

from collections.abc import Callable, Iterator
import json
from pathlib import Path
from string import Formatter

import pytest

from custom_components.dp1.client import errors
from custom_components.dp1.client.errors import (
    SHOWN_FAULTS,
    Dp1Error,
    Fault,
    InvalidPlaylistError,
    NoAnswerError,
    NotOwnerError,
    PlaylistRefusedError,
    RejectedError,
)
from custom_components.dp1.const import DOMAIN
from custom_components.dp1.errors import (
    SHOWN_CHARACTERS,
    action_failed,
    invalid_input,
    translated,
    translated_errors,
)
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .sources import ROOT

TEXTS = json.loads(
    Path(ROOT / "custom_components/dp1/translations/en.json").read_text("utf-8")
)
SUBJECTS = ("display", "feed", "catalog", "playlist", "indexer")
ONLY_OF_DISPLAYS = (errors.NotReadyError, errors.AddressNotAcceptedError)
ONLY_OF_FEEDS = (
    errors.ApiKeyNeededError,
    errors.ChangedMeanwhileError,
    errors.ClockError,
    errors.DeletedError,
    errors.DocumentTooLargeError,
    errors.ForbiddenError,
    errors.IdDeletedError,
    errors.InUseError,
    errors.NoOwnerError,
    errors.SlugTakenError,
    errors.TimestampRefusedError,
    errors.UnsignedError,
    NotOwnerError,
)
ONLY_OF_SERVERS = (
    *ONLY_OF_FEEDS,
    errors.AuthenticationError,
    errors.ConflictError,
    errors.InvalidRequestError,
    errors.NotFoundError,
    errors.SignatureRefusedError,
)


def samples() -> Iterator[Dp1Error]:
    """Return a sample of each error."""
    for kind in vars(errors).values():
        if not isinstance(kind, type) or not issubclass(kind, Dp1Error):
            continue
        if kind is InvalidPlaylistError:
            yield InvalidPlaylistError([Fault("items[0].source", "missing")])
        elif kind is RejectedError:
            yield RejectedError("displayPlaylist", "no")
            yield RejectedError("setVolume")
        elif kind is PlaylistRefusedError:
            for code in ("sourceUnreachable", "sigInvalid", "contentBlocked", "other"):
                yield PlaylistRefusedError("displayPlaylist", code, "so")
        elif kind is NotOwnerError:
            yield NotOwnerError(["did:key:theirs"], "did:key:ours")
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
        if subject == "display" or not isinstance(err, ONLY_OF_DISPLAYS)
        if subject == "feed" or not isinstance(err, ONLY_OF_FEEDS)
    ],
    ids=repr,
)
def test_every_error_has_a_text_for_everyone(err: Dp1Error, subject: str) -> None:
    """Every error has a text for every subject."""
    assert_complete(translated(err, subject, "Wall", "http://192.0.2.1:1111"))


@pytest.mark.parametrize(
    "err",
    [
        err
        for err in samples()
        if not isinstance(err, (*ONLY_OF_SERVERS, InvalidPlaylistError, RejectedError))
    ],
    ids=repr,
)
def test_every_error_of_a_display_has_a_text_in_forms(err: Dp1Error) -> None:
    """Every error of a display has a text in forms and as a reason to abort."""
    assert err.key in TEXTS["config"]["error"]
    assert err.key in TEXTS["config"]["abort"]


@pytest.mark.parametrize(
    ("err", "key"),
    [
        (errors.RefusedError(), "display_refused"),
        (errors.NoAnswerError(), "display_no_answer"),
        (errors.UnreachableError(), "display_no_answer"),
        (errors.LostAnswerError(), "display_lost_answer"),
        (errors.BusyError(), "display_busy"),
        (errors.TemporaryError(), "display_temporary"),
        (errors.NotReadyError(), "display_not_ready"),
        (errors.AddressNotAcceptedError(), "display_address_not_accepted"),
        (errors.UnexpectedAnswerError(), "display_unexpected_answer"),
        (errors.Dp1Error(), "display_failed"),
        (RejectedError("setVolume"), "display_rejected"),
        (RejectedError("displayPlaylist"), "playlist_not_accepted"),
        (
            PlaylistRefusedError("displayPlaylist", "sourceUnreachable", ""),
            "playlist_sources_unreachable",
        ),
        (
            PlaylistRefusedError("displayPlaylist", "sigInvalid", ""),
            "playlist_signature_refused",
        ),
        (
            PlaylistRefusedError("displayPlaylist", "contentBlocked", ""),
            "playlist_content_blocked",
        ),
        (PlaylistRefusedError("displayPlaylist", "new", ""), "playlist_turned_down"),
        (InvalidPlaylistError([Fault("", "no")]), "playlist_invalid"),
    ],
    ids=repr,
)
def test_the_text_names_the_cause(err: Dp1Error, key: str) -> None:
    """Different causes have different texts."""
    assert translated(err, "display", "Wall").translation_key == key


def test_each_error_of_a_feed_has_a_text_of_its_own() -> None:
    """No two errors that only feeds raise share a text."""
    samples_of_feeds = [err for err in samples() if isinstance(err, ONLY_OF_FEEDS)]
    keys = {translated(err, "feed", "Home").translation_key for err in samples_of_feeds}
    assert len(keys) == len(ONLY_OF_FEEDS)
    assert not keys & {"feed_failed", "feed_conflict", "feed_authentication"}


def test_what_a_display_says_is_plain_text() -> None:
    """Markup from a display is removed."""
    error = translated(
        PlaylistRefusedError("displayPlaylist", "x", "<b>no</b>\n<script>1</script>"),
        "display",
        "Wall",
    )
    assert error.translation_placeholders is not None
    assert error.translation_placeholders["detail"] == "no"


@pytest.mark.parametrize("make", [invalid_input, action_failed])
def test_nothing_is_echoed_without_end(
    make: Callable[..., HomeAssistantError],
) -> None:
    """Text from outside is one short line of plain text."""
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
        raise NoAnswerError("x")
    assert caught.value.translation_key == "display_no_answer"
    assert isinstance(caught.value.__cause__, NoAnswerError)
    with pytest.raises(KeyError), translated_errors("display", "Wall"):
        raise KeyError


def test_input_without_particulars() -> None:
    """A text without placeholders gets none."""
    error = invalid_input("no_display_meant")
    assert error.translation_placeholders is None
    assert_complete(error)
