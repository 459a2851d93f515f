"""Test playlists: what they consist of, when they are equal, and when they are validated."""

from typing import Any

import pytest

from custom_components.dp1.client.errors import InvalidPlaylistError
from custom_components.dp1.client.playlist.playlist import Origin, Playlist

URL = "https://feed.example.org/api/v1/playlists/aa11"
WORKS = [
    {"source": f"https://art.example.org/{n}.png", "duration": 9, "license": "open"}
    for n in range(3)
]
DOCUMENT: dict[str, Any] = {
    "dpVersion": "1.1.0",
    "title": "Tides",
    "items": WORKS,
    "signatures": [{"alg": "ed25519"}],
}


def test_a_url_is_the_same_whether_it_was_read() -> None:
    """What was read at a URL does not make it another playlist; another document does."""
    assert Playlist(URL) == Playlist(URL, DOCUMENT, title="Tides")
    assert hash(Playlist(URL)) == hash(Playlist(URL, DOCUMENT))
    assert Playlist(URL, DOCUMENT) != Playlist(document=DOCUMENT)
    assert Playlist(document=DOCUMENT) != Playlist(document={**DOCUMENT, "title": "-"})


def test_works() -> None:
    """The document tells how many works there are, or else whoever named the URL."""
    assert Playlist(URL).works is None
    assert Playlist(URL, count=7).works == 7
    assert Playlist(URL, DOCUMENT, count=7).works == 3
    assert Playlist(URL, DOCUMENT).sources == [URL, *(work["source"] for work in WORKS)]


@pytest.mark.parametrize("items", [None, "two", [1], [{}, "x"]])
def test_only_works_can_be_sent(items: Any) -> None:
    """A document to send is one with works; at a URL, displays see to that."""
    with pytest.raises(ValueError, match="list of objects"):
        Playlist(document={"items": items})
    assert len(Playlist(URL, {"items": items}).items) < 2


def test_options() -> None:
    """A document that was changed has lost its signatures, and the number of works is that of the limit."""
    playlist = Playlist(URL, DOCUMENT, Origin.OURS, count=3)
    assert playlist.with_options().document == DOCUMENT
    few = playlist.with_options(limit=2, item_duration=30, texts={"title": "Two"})
    assert (few.url, few.works, few.document["title"]) == (None, 2, "Two")
    assert [item["duration"] for item in few.items] == [30, 30]
    assert "signatures" not in few.document
    assert playlist.with_options(limit=9).document == DOCUMENT


def test_only_a_stranger_is_judged() -> None:
    """The document of a stranger is validated once."""
    bad = {**DOCUMENT, "items": [{"source": "ftp://art.example.org/1"}]}
    assert Playlist(document=bad, origin=Origin.OURS).with_options().items
    with pytest.raises(InvalidPlaylistError):
        Playlist(document=bad).with_options()
    assert Playlist(document=DOCUMENT).with_options().origin is Origin.OURS
