"""Test artists of a manifest, which a stranger wrote."""

import pytest

from custom_components.dp1.client.playlist.manifest import Artist, artists_in

from tests.client.tables import tables

TABLES = tables("manifest")


def manifest(*artists: object, **metadata: object) -> dict[str, object]:
    return {"metadata": {"artists": [*artists], **metadata}}


def test_versions() -> None:
    """An artist of version 1.0 has a name and an address, one of 1.1 a portrait, a biography and pages."""
    first = {"name": "Quill, Zora", "id": "z", "url": "https://zora.example/"}
    second = {
        "name": "Ada",
        "id": "z",
        "avatar": {
            "uri": "ipfs://bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34/face.png"
        },
        "biographies": [{"text": "<p>Born in Oslo.</p>", "source": "Museum"}],
        "links": [
            {"type": "instagram", "url": "https://instagram.com/ada"},
            {"type": "mastodon", "url": "https://art.example/@ada"},
            {"type": "other", "url": "https://ada.example/"},
        ],
    }
    zora = Artist("Quill, Zora", links={"other": "https://zora.example/"})
    ada = Artist(
        "Ada",
        "Born in Oslo.",
        "https://ipfs.filebase.io/ipfs/bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34/face.png",
        {
            "instagram": "https://instagram.com/ada",
            "other": "https://art.example/@ada",
        },
    )
    assert artists_in(manifest(first, second)) == (zora, ada)
    written = [artist.to_manifest(100) for artist in (zora, ada)]
    assert artists_in(manifest(*written)) == (zora, ada)


@pytest.mark.parametrize("address", TABLES["hostile"])
def test_hostile_addresses(address: object) -> None:
    """No address is a link or a portrait unless it is one on the internet."""
    artist = {
        "name": "Ada",
        "url": address,
        "avatar": {"uri": address},
        "links": [{"type": "website", "url": address}, address],
    }
    assert artists_in(manifest(artist)) == (Artist("Ada"),)


def test_a_page_is_where_its_type_says() -> None:
    """A page that is called after a host and is elsewhere is any page."""
    pages = {
        "twitter": "https://x.com/ada",
        "instagram": "https://instagram.com.evil.example/ada",
        "website": "https://evilinstagram.com/ada",
    }
    links = [{"type": kind, "url": url} for kind, url in pages.items()]
    (ada,) = artists_in(manifest({"name": "Ada", "links": links}))
    assert ada.links == {
        "twitter": pages["twitter"],
        "other": pages["instagram"],
        "website": pages["website"],
    }
    links[0]["url"] = "https://notx.com/ada"
    (ada,) = artists_in(manifest({"name": "Ada", "links": links[:1]}))
    assert list(ada.links) == ["other"]


def test_odd_artists() -> None:
    """Whoever has no name is left out; without anybody, the credit line is one name."""
    odd = ["Ada", None, {}, {"name": 5}, {"name": " "}]
    assert artists_in(manifest(*odd)) == ()
    credited = artists_in(manifest(*odd, creditLine="After Quill, Zora"))
    assert credited == (Artist("After Quill, Zora"),)
    assert len(artists_in(manifest(*[{"name": "Ada"}] * 99))) == 10
