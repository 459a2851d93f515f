"""One table of addresses of works as people write them: the same one is shown, wherever it comes from."""

from collections.abc import Awaitable, Callable
import json
from typing import Any

import pytest

from custom_components.dp1.client.catalog.artwork import picture_url, source_url
from custom_components.dp1.client.catalog.models import Artwork, Series
from custom_components.dp1.client.feed.models import FeedPlaylist, items_of
from custom_components.dp1.client.indexer.tokens import Token
from custom_components.dp1.client.playlist.document import for_display
from custom_components.dp1.client.playlist.manifest import artists_in, picture_in
from custom_components.dp1.client.playlist.playlist import Origin, Playlist
from custom_components.dp1.playback.alive import async_alive
from custom_components.dp1.playback.request import Request, art_of
from custom_components.dp1.playback.resolve import async_resolve
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from tests.displays import playlist, set_up
from tests.galleries import CHANNEL, EVENING, Gallery
from tests.libraries import library_entry
from tests.simulators.feed import FeedSimulator

SERIES = Series(id="s", exhibition_id="e", title="Tides")
CID = "bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34"
IPFS = f"https://ipfs.filebase.io/ipfs/{CID}/"
OLD, NEW = "https://cdn.feralfileassets.com", "https://cdn.artworks.feralfile.io"
# As it is written, and as it is shown.
ADDRESSES = {
    f"{OLD}/previews/a/1/preview.mp4": f"{NEW}/previews/a/1/preview.mp4",
    f"https://{CID}.ipfs.dweb.link/a.png": f"{IPFS}a.png",
    f" ipfs://{CID}/Name #525.png\n": f"{IPFS}Name%20%23525.png",
    f"\tar://{'a' * 43}/a.png": f"https://turbo-gateway.com/{'a' * 43}/a.png",
    "https://bücher.example/a b.png ": "https://xn--bcher-kva.example/a%20b.png",
    "https://art.example/100%.png": "https://art.example/100%25.png",
    "\ndata:image/png;base64,iVBORw0KGgo= ": "data:image/png;base64,iVBORw0KGgo=",
}
WEB = {url: shown for url, shown in ADDRESSES.items() if shown.startswith("http")}


async def of_document(hass: HomeAssistant, url: str) -> str:
    """Return the source in a document that is given as a whole."""
    document = playlist("Dawn")
    document["items"][0]["source"] = url
    result = await async_resolve(
        hass, Request(art=art_of({"playlist": json.dumps(document)})[0])
    )
    return str(result.items[0]["source"])


async def of_media_id(hass: HomeAssistant, url: str) -> str:
    """Return the source of what is pasted."""
    result = await async_resolve(
        hass, Request(art=art_of({"media_content_id": url})[0])
    )
    return str(result.items[0]["source"])


async def of_playlist(hass: HomeAssistant, url: str) -> str:
    """Return the URL of a playlist."""
    result = await async_resolve(hass, Request(art=art_of({"playlist_url": url})[0]))
    return str(result.url)


async def of_playlist_id(hass: HomeAssistant, url: str) -> str:
    """Return the URL of a playlist that is named by it."""
    result = await async_resolve(hass, Request(art=art_of({"playlist_id": url})[0]))
    return str(result.url)


async def of_feed(_hass: HomeAssistant, url: str) -> str:
    """Return the source in the playlist of a feed."""
    (item,) = items_of({"items": [{"source": url}]})
    return item.source


async def of_token(_hass: HomeAssistant, url: str) -> str:
    """Return the source of a token."""
    token = Token.parse(
        {
            "id": "1",
            "token_cid": "eip155:1:erc721:0xabc:1",
            "display": {"image_url": url},
        }
    )
    assert token is not None
    return str(token.source)


async def of_kept(hass: HomeAssistant, url: str) -> str:
    """Return the source on the wall of what was kept: a favorite, the history, what comes back after an announcement."""
    document = playlist("Dawn")
    document["items"][0]["source"] = url
    kept = Playlist(document=document, origin=Origin.OURS)
    return str((await async_alive(hass, kept)).items[0]["source"])


async def of_catalog(_hass: HomeAssistant, url: str) -> str:
    """Return the source of a work of the catalog."""
    return str(source_url(artwork(sources=(url,)), SERIES))


async def of_cover(_hass: HomeAssistant, url: str) -> str:
    """Return the picture of a work of the catalog, as covers and portraits are found, too."""
    return str(picture_url(artwork(pictures=(url,)), SERIES))


async def of_feed_cover(_hass: HomeAssistant, url: str) -> str:
    """Return the cover of a playlist of a feed."""
    found = FeedPlaylist.parse({**playlist("Dawn"), "coverImage": url})
    assert found is not None
    return found.cover


async def of_manifest(_hass: HomeAssistant, url: str) -> str:
    """Return the picture in a manifest."""
    sizes = {"default": {"uri": url}}
    return str(picture_in({"metadata": {"thumbnails": sizes}}))


async def of_portrait(_hass: HomeAssistant, url: str) -> str:
    """Return the portrait of an artist in a manifest."""
    (artist,) = artists_in(
        {"metadata": {"artists": [{"name": "Ada", "avatar": {"uri": url}}]}}
    )
    return str(artist.picture)


def label_sent(key: str) -> Callable[[HomeAssistant, str], Awaitable[str]]:
    """Return what reads an address in the label of an item as it is sent to a display."""

    async def of_label(_hass: HomeAssistant, url: str) -> str:
        """Return the address."""
        manifest = {"metadata": {"thumbnails": {"large": {"uri": url}}}}
        item = {**playlist("Dawn")["items"][0], "ref": url, "inlineManifest": manifest}
        (sent,) = for_display({**playlist(), "items": [item]})["items"]
        thumbnails = sent["inlineManifest"]["metadata"]["thumbnails"]
        return str(sent["ref"] if key == "ref" else thumbnails["large"]["uri"])

    return of_label


def artwork(**fields: Any) -> Artwork:
    return Artwork(id="w", **fields)


PICTURES = (of_cover, of_feed_cover, of_manifest, of_portrait)


@pytest.mark.parametrize(
    "source",
    [
        *(of_document, of_media_id, of_playlist, of_playlist_id, of_feed, of_token),
        *(of_kept, of_catalog, *PICTURES, label_sent("ref"), label_sent("picture")),
    ],
)
@pytest.mark.usefixtures("setup_display")
async def test_an_address_is_read_alike_everywhere(
    hass: HomeAssistant, source: Callable[[HomeAssistant, str], Awaitable[str]]
) -> None:
    """An address is that of the same work at each entrance: expected and seen."""
    has_no_data = source in (of_playlist, of_playlist_id, of_catalog, *PICTURES)
    for written, shown in ADDRESSES.items():
        if has_no_data and shown.startswith("data:"):
            continue
        seen = await source(hass, written)
        # The catalog is first at the gateway of its vendor.
        is_of_vendor = source in (of_catalog, of_cover) and "ipfs" in shown
        wanted = (
            shown.replace("filebase.io", "feralfile.com") if is_of_vendor else shown
        )
        assert seen == wanted, written


@pytest.mark.usefixtures("socket_enabled")
@pytest.mark.parametrize("how", ["publish_playlist", "update_playlist"])
@pytest.mark.parametrize("is_item", [True, False])
async def test_what_is_published(hass: HomeAssistant, how: str, is_item: bool) -> None:
    """Works that are published or added, as items or by their addresses: at hosts that ended, they are where they are now."""
    async with FeedSimulator("signed", random_seed=1) as feed:
        await set_up(hass, library_entry(feed.url))

        async def call(action: str, **data: Any) -> dict[str, Any]:
            """Call an action of feeds."""
            told = await hass.services.async_call(
                "dp1", action, data, blocking=True, return_response=True
            )
            return feed.documents[str((told or {})["id"])]

        # Content by its name stays that, in a playlist that lasts longer than gateways.
        written = [url for url in WEB if url.startswith("https://") and url.isascii()]
        if is_item:
            # A document names its works by URIs.
            written = [url for url in written if "%" not in url]
        items = [
            {"source": url, "title": "Work", "duration": 9, "license": "open"}
            for url in written
        ]
        if how == "publish_playlist":
            document = {**playlist("Dawn"), "items": items}
            art = {"playlist": document} if is_item else {"media": written}
            stored = await call(how, **art)
        else:
            before = await call("publish_playlist", playlist=playlist("Dawn"))
            stored = await call(
                how, playlist_id=before["id"], add=items if is_item else written
            )
        sources = [item["source"] for item in stored["items"]]
        assert sources[-len(written) :] == [WEB[url] for url in written]


async def test_a_channel_is_no_playlist(gallery: Gallery) -> None:
    """A channel of the own feed is shown as one, by its id or link with or without a slash at the end; another is told."""
    feed, elsewhere = gallery.feed.url, "https://feed.example/api/v1"
    evening = f"{feed}/playlists/{EVENING}"

    async def resolved(field: str, ref: str) -> Playlist:
        art = art_of({field: ref})[0]
        return await async_resolve(gallery.hass, Request(art=art))

    for field in ("playlist_url", "playlist_id", "media_content_id"):
        for ref in (
            f"{feed}/channels/{CHANNEL}",
            f"{feed}/channels/{CHANNEL}/",
            f"{feed}/playlist-groups/{CHANNEL}",
            *([CHANNEL] if field == "playlist_id" else ()),
        ):
            found = await resolved(field, ref)
            assert (found.title, found.works) == ("Evenings", 2), (field, ref)
        assert (await resolved(field, f"{evening}/")).url == evening
        for ref in (f"{elsewhere}/channels/evenings", f"{elsewhere}/channels/x/"):
            with pytest.raises(ServiceValidationError) as refused:
                await resolved(field, ref)
            assert refused.value.translation_key == "is_channel"
    # By its slug, which is read.
    gallery.feed.seed(
        channels=[{"title": "Late", "slug": "late", "playlists": [EVENING]}]
    )
    with pytest.raises(HomeAssistantError) as told:
        await resolved("playlist_id", f"{feed}/channels/late")
    assert told.value.translation_key == "is_channel"
