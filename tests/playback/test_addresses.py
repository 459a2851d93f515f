"""One table of addresses of works as people write them: the same one is shown, wherever it comes from."""

from collections.abc import Awaitable, Callable
import json

import pytest

from custom_components.dp1.client.feed.models import items_of
from custom_components.dp1.client.indexer.tokens import Token
from custom_components.dp1.playback.request import Request, art_of
from custom_components.dp1.playback.resolve import async_resolve
from homeassistant.core import HomeAssistant

from tests.displays import playlist

CID = "bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34"
IPFS = f"https://ipfs.filebase.io/ipfs/{CID}/"
# As it is written, and as it is shown.
ADDRESSES = {
    f"ipfs://{CID}/a.png": f"{IPFS}a.png",
    f"ipfs:{CID}/a.png": f"{IPFS}a.png",
    f"IPFS://ipfs/{CID}/a.png": f"{IPFS}a.png",
    f" ipfs://{CID}/Name #525.png\n": f"{IPFS}Name%20%23525.png",
    f"https://ipfs.infura.io:5001/ipfs/{CID}/What?.png": f"{IPFS}What%3F.png",
    "\tar://tx/a.png": "https://arweave.net/tx/a.png",
    "ar:tx/a.png": "https://arweave.net/tx/a.png",
    "onchfs://ab/a.png?fxhash=oo1": "https://onchfs.fxhash2.xyz/ab/a.png?fxhash=oo1",
    "https://bücher.example/a b.png ": "https://xn--bcher-kva.example/a%20b.png",
    "https://art.example/100%.png": "https://art.example/100%25.png",
    "\ndata:image/png;base64,iVBORw0KGgo= ": "data:image/png;base64,iVBORw0KGgo=",
}


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


@pytest.mark.parametrize(
    "source", [of_document, of_media_id, of_playlist, of_playlist_id, of_feed, of_token]
)
@pytest.mark.usefixtures("setup_display")
async def test_an_address_is_read_alike_everywhere(
    hass: HomeAssistant, source: Callable[[HomeAssistant, str], Awaitable[str]]
) -> None:
    """An address is that of the same work in a token, a feed, a document, a paste and as that of a playlist."""
    is_playlist = source in (of_playlist, of_playlist_id)
    for written, shown in ADDRESSES.items():
        if not (is_playlist and shown.startswith("data:")):
            assert await source(hass, written) == shown, written
