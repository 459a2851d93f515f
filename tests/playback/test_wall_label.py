"""Test the label on the wall: newer players read its title and artist in the manifest of an item, and nowhere else."""

from dataclasses import replace
import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
import pytest

from custom_components.dp1.client.playlist.document import parse, validate
from custom_components.dp1.client.playlist.manifest import artists_in
from custom_components.dp1.client.playlist.signing import sign, verify
from custom_components.dp1.library.item import labeled
from custom_components.dp1.library.libraries import async_build_playlist
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from tests.collections import E1, E2, SUBENTRY, T1, set_up_collection
from tests.displays import playlist
from tests.galleries import CHANNEL, EVENING, SMALL, Gallery
from tests.libraries import library_entry, set_up
from tests.simulators.feed import FeedSimulator
from tests.simulators.indexer import IndexerSimulator

pytestmark = pytest.mark.usefixtures("impatience", "socket_enabled")

# Of DP-1 1.1 and its extensions of playlists and channels (CC BY 4.0), without descriptions; thumbnails need no size since autumn.
SCHEMAS = Path(__file__).parents[1] / "fixtures" / "dp1"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c636060f8cf00000301010018dd8db00000000049454e44ae426082"
)


async def test_an_exhibition_and_what_is_in_it(gallery: Gallery) -> None:
    """The label names title and artist of an exhibition, a series, a work, and of a favorite, whatever else is up."""
    show = gallery.exhibition(SMALL)
    (series, *_) = (await gallery.library.async_children(show)).nodes
    works = (await gallery.library.async_children(series.id)).nodes
    for node in (show, series.id, *(work.id for work in works[:1])):
        await gallery.play(gallery.media_id(node))
        title, artist = gallery.wall.label
        assert title.startswith(series.title)
        assert artist == series.artist
    await gallery.library.async_add_favorite(works[0].id)
    await gallery.call("cast_playlist", entity_id="all", playlist=playlist("Tide"))
    await gallery.catalog.stop()
    for node in (works[0].id, "favorites"):
        await gallery.play(gallery.media_id(node))
        assert gallery.wall.label[1] == series.artist


async def test_who_made_it(gallery: Gallery) -> None:
    """Portrait and pages of the artists are in manifests, of the work that hangs, in results of a search, and in tiles."""
    show = gallery.exhibition(SMALL)
    (series, *_) = (await gallery.library.async_children(show)).nodes
    (artist, *_) = series.artists
    assert artist.picture and artist.links
    await gallery.play(gallery.media_id(show))
    (written, *_) = artists_in(gallery.wall.state.items[0]["inlineManifest"])
    assert (written.picture, written.links) == (artist.picture, artist.links)
    (told, *_) = gallery.attribute("dp1")["artists"]
    assert told == artist.to_attributes()
    assert artist.about.startswith(gallery.attribute("dp1")["about_artist"])
    found = await gallery.call("search", query=series.title, kinds=["series"])
    assert told in found["results"][0]["artists"]
    bare = replace(series, picture=None, small=None)
    assert bare.any_picture == artist.picture


async def test_an_artist_of_a_stranger(gallery: Gallery) -> None:
    """Pages and portraits at home, or that are no web pages, are told nowhere."""
    manifest = {
        "metadata": {
            "artists": [
                {
                    "name": "Ada",
                    "avatar": {"uri": "http://192.168.1.1/face.png"},
                    "links": [{"type": "website", "url": "javascript:alert(1)"}],
                }
            ]
        }
    }
    document = playlist("Tide")
    document["items"][0]["inlineManifest"] = manifest
    await gallery.cast(playlist=document)
    assert gallery.attribute("dp1")["artists"] == [{"name": "Ada"}]


async def test_a_document_without_labels(gallery: Gallery) -> None:
    """A work whose artist a library knows is named; what nobody knows, or the author signed or labeled, stays as it is."""
    show = {"media_content_id": gallery.media_id(gallery.exhibition(SMALL))}
    whole = (await async_build_playlist(gallery.hass, show)).document["items"][0]
    label = whole.pop("inlineManifest")["metadata"]
    labeled = {**whole, "inlineManifest": {"metadata": {"title": "Mine"}}}
    unknown = playlist("Tide")["items"][0]
    document = {**playlist("Tide"), "items": [whole, unknown]}
    await gallery.cast(playlist=document)
    made = label["artists"][0]["name"]
    assert gallery.wall.label[1].startswith(made)
    known, other = gallery.wall.state.items
    assert known["inlineManifest"]["metadata"]["title"] == whole["title"]
    assert {**known, "inlineManifest": None} == {**whole, "inlineManifest": None}
    assert other == unknown
    await gallery.cast(playlist={**document, "items": [labeled]})
    assert gallery.wall.label == ("Mine", "")
    now = dt_util.utcnow()
    await gallery.cast(playlist=sign(document, gallery.library.key, now=now))
    assert gallery.wall.label == ("", "")
    assert [it.valid for it in verify(gallery.wall.player.document)] == [True]


async def test_works_of_a_feed(gallery: Gallery) -> None:
    """A work of a playlist, and a list of media with titles of their own, are named, too."""
    document = gallery.feed.documents[EVENING]
    document["items"][0]["inlineManifest"] = {
        "refVersion": "1.1.0",
        "id": "tide",
        "created": "2026-11-01T00:00:00Z",
        "locale": "en",
        "metadata": {"title": "Tide", "artists": [{"name": "Ada"}]},
    }
    (tide, dune) = (await gallery.library.async_children(f"playlist/{EVENING}")).nodes
    media = [gallery.media_id(node.id) for node in (tide, dune)]
    for media_id, label in zip(media, (("Tide", "Ada"), ("Dune", "")), strict=True):
        await gallery.play(media_id)
        assert gallery.wall.label == label
    titled = {"media_content_id": media[0], "title": "High water"}
    link = "https://art.example/Fog.png"
    await gallery.cast(media=[titled, media[1], link])
    assert gallery.wall.label == ("High water", "Ada")
    assert all(item["duration"] for item in gallery.wall.state.items)
    await gallery.play(link, "image/png")
    assert gallery.wall.state.items[0]["duration"] == 999_999_999
    await gallery.player(
        "play_media",
        media_content_id="https://art.example/Rain.png",
        media_content_type="image/png",
        enqueue="add",
    )
    assert [item["duration"] for item in gallery.wall.state.items] == [300, 300]


def faults(name: str, value: object) -> list[str]:
    """Return what a schema of the specification refuses."""
    validator = Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_text()))
    return [f"{it.json_path}: {it.message}" for it in validator.iter_errors(value)]


def check(document: dict[str, Any], gallery: Gallery) -> list[dict[str, Any]]:
    """Return the manifests of a document that is valid by the schemas once it was signed, sent and read back."""
    signed = sign(document, gallery.library.key, now=dt_util.utcnow())
    sent = json.loads(json.dumps(signed))
    assert validate(sent) == []
    assert [row.valid for row in verify(parse(sent))] == [True]
    for schema in ("playlist", "playlists-extension"):
        assert faults(schema, sent) == []
    manifests = [it["inlineManifest"] for it in sent["items"] if "inlineManifest" in it]
    for manifest in manifests:
        assert faults("ref-manifest", manifest) == []
        assert len(str(manifest)) < 1000
    return manifests


async def test_what_is_built_fits_the_schemas(gallery: Gallery, tmp_path: Path) -> None:
    """Each kind of playlist that we build is valid by the schemas of the specification; all but a message have labels."""
    hass, wall = gallery.hass, gallery.wall
    hass.config.internal_url = "http://127.0.0.1:9"
    hass.config.media_dirs["local"] = str(tmp_path)
    assert await async_setup_component(hass, "media_source", {})
    (tmp_path / "Harbor.png").write_bytes(PIXEL)
    (tmp_path / "Tide.mp4").write_bytes(PIXEL)
    picture = "https://art.example/Fog.png"
    today = gallery.feed.documents[EVENING]["items"][0]
    today["displayAt"] = f"{dt_util.now().date()}T00:00:00"
    daily = library_entry(
        None,
        None,
        options={"daily_url": f"{gallery.feed.url}/playlists/{EVENING}"},
    )
    await set_up(hass, daily)
    show = gallery.media_id(gallery.exhibition(SMALL))
    (series, *_) = (
        await gallery.library.async_children(gallery.exhibition(SMALL))
    ).nodes
    (work, *_) = (await gallery.library.async_children(series.id)).nodes
    await gallery.library.async_add_favorite(work.id)
    async with IndexerSimulator() as indexer:
        own = await set_up_collection(hass, indexer.url, E1, E2, T1)
        collection = f"media-source://dp1/{own.entry_id}/collection/{SUBENTRY}"
        for media_id in (
            show,
            gallery.media_id("favorites"),
            gallery.media_id(f"channel/{CHANNEL}"),
            collection,
        ):
            what = {"media_content_id": media_id}
            document = (await async_build_playlist(hass, what)).document
            assert len(check(document, gallery)) == len(document["items"])
    titled = {"media_content_id": picture, "title": "Rain", "note": "Wet"}
    local = "media-source://media_source/local"
    for media in (
        [f"{local}/Tide.mp4"],
        [picture],
        [show, titled, "dp1://daily", f"{local}/Harbor.png"],
    ):
        await gallery.cast(media=media)
        document = wall.player.document
        assert len(check(document, gallery)) == len(document["items"])
    await gallery.play(f"{local}/Tide.mp4", "video/mp4")
    assert len(check(wall.player.document, gallery)) == 1
    await gallery.call("show_message", entity_id="all", title="Supper")
    assert check(wall.player.document, gallery) == []


def test_what_schemas_refuse(feed: FeedSimulator) -> None:
    """The schemas judge: a manifest without a date, a nameless artist, and a channel without a version are refused."""
    manifest = labeled({"source": "https://a.example", "title": "A"})["inlineManifest"]
    assert faults("ref-manifest", manifest) == []
    broken = {**manifest, "metadata": {"artists": ["Ada", {"links": [{}]}]}}
    del broken["created"]
    assert len(faults("ref-manifest", broken)) == 5
    feed.seed([], [{"id": CHANNEL, "title": "Evenings", "playlists": [EVENING]}])
    channel = feed.channels[CHANNEL]
    assert faults("channels-extension", channel) == []
    assert faults("channels-extension", {**channel, "version": "1"})
