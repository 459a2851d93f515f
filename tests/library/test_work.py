"""Test works, and the items of playlists that are made of them."""

from dataclasses import replace

from custom_components.dp1.client.catalog.models import Alumni, Artwork, Series
from custom_components.dp1.client.display.player_status import PlaylistItem
from custom_components.dp1.client.indexer.tokens import MAX_ALL_DATA, MAX_DATA, Token
from custom_components.dp1.client.playlist.document import (
    build,
    check_playable,
    validate,
)
from custom_components.dp1.client.playlist.manifest import Artist
from custom_components.dp1.library.item import Item, labeled
from custom_components.dp1.library.providers.catalog.server import work_of
from custom_components.dp1.library.providers.collection.server import (
    items_of,
    work_of as owned,
)
from homeassistant.util import dt as dt_util

NOW = dt_util.utcnow()
SERIES = Series(
    id="s",
    exhibition_id="e",
    title="Cloud Ledger",
    max_artwork=40,
    artists=(Alumni("1", "Ek, Ada"), Alumni("2", "Rui Tanaka")),
)
SQUARE = "data:image/svg+xml,"
TOKEN = Token(
    id="9001",
    cid="tezos:mainnet:fa2:KT1:5",
    name="Tide",
    item_id="385f79b6-a45f-4c1c-8080-e93a192adccc",
    artists=("Rui Tanaka", "Lena Voss"),
    source="https://art.example/tide.html",
    thumbnail="https://art.example/tide.png",
)


def test_an_item_of_the_catalog() -> None:
    """It has all that the catalog knows, and names the work for the label of a display."""
    artwork = Artwork(
        id="1",
        index=0,
        name="#1",
        sources=("previews/a/",),
        pictures=("thumbnails/a",),
        chain="tezos",
        contract="KT1",
        token_id="5",
    )
    item = work_of(artwork, SERIES, None).to_dp1(created=NOW, duration=300)
    manifest = item.pop("inlineManifest")
    assert item == {
        "id": item["id"],
        "title": "Cloud Ledger #1",
        "source": "https://cdn.artworks.feralfile.io/previews/a/index.html",
        "duration": 300,
        "license": "open",
        "provenance": {
            "type": "onChain",
            "contract": {
                "chain": "tezos",
                "standard": "fa2",
                "address": "KT1",
                "tokenId": "5",
            },
        },
    }
    assert manifest["metadata"] == {
        "title": "Cloud Ledger #1",
        "artists": [{"name": "Ek, Ada"}, {"name": "Rui Tanaka"}],
        "thumbnails": {
            "default": {"uri": "https://cdn.artworks.feralfile.io/thumbnails/a"}
        },
    }
    assert validate(build("Show", [{**item, "inlineManifest": manifest}])) == []


def test_items_of_a_collection() -> None:
    """They have the artists, a duration and where the token is; what has no source is left out."""
    items = items_of(map(owned, (TOKEN, replace(TOKEN, source=None))), 300, NOW)
    (item,) = items
    assert item["duration"] == 300
    assert item["provenance"]["contract"]["tokenId"] == "5"
    metadata = item["inlineManifest"]["metadata"]
    assert metadata["artists"] == [{"name": "Rui Tanaka"}, {"name": "Lena Voss"}]
    document = build("Collection", items)
    assert validate(document) == []
    check_playable(document)
    assert items == items_of([owned(TOKEN)], 300, NOW)


def test_works_on_a_chain_within_a_playlist() -> None:
    """They hang up to a limit of all together, and do not crowd out the others."""
    large = SQUARE + "A" * (MAX_DATA - len(SQUARE))
    works = [
        replace(TOKEN, item_id=str(number), source=large)
        for number in range(MAX_ALL_DATA // MAX_DATA + 3)
    ]
    items = items_of(map(owned, (*works, TOKEN)), 300)
    assert len(items) == MAX_ALL_DATA // MAX_DATA + 1
    assert items[-1]["source"] == TOKEN.source
    check_playable(build("Collection", items))


def test_what_has_a_manifest_keeps_it() -> None:
    """A manifest, or the address of one, stays as its author made it; what has no title gets none."""
    for item in (
        {"source": "https://a.example", "inlineManifest": {"metadata": {}}},
        {"source": "https://a.example", "ref": "https://a.example/ref.json"},
        {"source": "https://a.example"},
        {},
    ):
        assert labeled(item, None, NOW) == item


def test_a_work_over_another() -> None:
    """The fields of the first count, and those that it lacks are of the other."""
    ada, bo = (
        Artist("Ada", "Born in 1990 in Oslo.", "https://art.example/ada"),
        Artist("Bo"),
    )
    work = Item(title="Tide", year=2026).completed_by(Item(title="Ebb", artists=(ada,)))
    assert work == Item(title="Tide", year=2026, artists=(ada,))
    assert work.completed_by(None) == work
    label = Item(note="Slow…", artists=(Artist("Ada", "Born in…"), bo))
    whole = label.completed_by(replace(work, note="Slow and wide."))
    assert whole == replace(work, note="Slow and wide.", artists=(ada, bo), year=2026)


def test_the_language_of_the_home() -> None:
    """Texts of a manifest are in the language of Home Assistant where it has them; biographies are as version 1.1 has them."""
    manifest = {
        "metadata": {
            "title": "Tide",
            "description": "Slow.",
            "artists": [
                {
                    "name": "Ada",
                    "bio": "Nobody writes this.",
                    "biographies": [{"text": "Born in 1990.", "source": "x"}],
                }
            ],
        },
        "i18n": {"de": {"title": "Gezeiten", "description": 5}, "fr": "Marée"},
    }
    item = PlaylistItem.parse({"title": "Tide", "inlineManifest": manifest})
    for language, title in (("de", "Gezeiten"), ("de-CH", "Gezeiten"), ("fr", "Tide")):
        for work in (
            Item.of_item(item, language),
            Item.of_manifest(manifest, language),
        ):
            assert work.title == title
            assert work.about_artist == "Born in 1990."
    assert Item.of_manifest(manifest, "en").note == "Slow."
    credited = {
        "metadata": {"creditLine": "By Ada"},
        "i18n": {"de": {"creditLine": "Von Ada"}},
    }
    item = PlaylistItem.parse({"title": "Tide", "inlineManifest": credited})
    assert Item.of_item(item, "fr").artist == "By Ada"
    assert Item.of_item(item, "de").artist == "Von Ada"
    assert Item.of_manifest(credited, "de").artist == "Von Ada"
