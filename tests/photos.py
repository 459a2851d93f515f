"""A simulated source of photos, whose pictures are no files: ids, types and pages as those of Immich."""

import asyncio
from typing import Any

from aiohttp import web

from homeassistant.components.http import KEY_HASS, HomeAssistantView
from homeassistant.components.media_player import BrowseError, MediaClass
from homeassistant.components.media_source import (
    BrowseMediaSource,
    MediaSource,
    MediaSourceItem,
    PlayMedia,
    Unresolvable,
)
from homeassistant.components.media_source.const import DATA_MEDIA_SOURCE_PLATFORMS
from homeassistant.core import HomeAssistant
from homeassistant.util.hass_dict import HassKey

PHOTOS: HassKey[Photos] = HassKey("photos")
FOLDER = "media-source://photos/me|albums|one"
TYPES = {
    "jpg": "image/jpeg",
    "heic": "image/heic",
    "tif": "image/tiff",
    "dng": "image/x-adobe-dng",
    "mp4": "video/mp4",
    "mov": "video/quicktime",
}


class Photos(MediaSource):
    """A source with an album, and one that fails.

    Attributes:
        pictures: content of each by its name, the newest first.
        browsed: how often a page was asked for.
        sent: names of pictures that were sent, in full or in small.
        failing: how its albums fail now: "error", "empty", "inner" (the first album alone), "slow" until it is to go on.
    """

    name = "Photos"

    def __init__(self, hass: HomeAssistant, pictures: dict[str, bytes]) -> None:
        """Be the source of its name, beside the others of Home Assistant."""
        super().__init__("photos")
        self.pictures = pictures
        self.browsed = 0
        self.sent: list[str] = []
        self.failing = ""
        self.go_on = asyncio.Event()
        others, own = hass.data[DATA_MEDIA_SOURCE_PLATFORMS], self

        class Sources:
            async def async_get_platform(self, domain: str) -> Any:
                if domain == "photos":
                    return own
                return await others.async_get_platform(domain)

            async def async_get_platforms(self) -> dict[str, Any]:
                return {**await others.async_get_platforms(), "photos": own}

        hass.data[DATA_MEDIA_SOURCE_PLATFORMS] = Sources()  # type: ignore[assignment]
        hass.data[PHOTOS] = self

    async def async_browse_media(self, item: MediaSourceItem) -> BrowseMediaSource:
        """Return the albums, or the pictures of one: no picture can be played by itself."""
        self.browsed += 1
        here = item.identifier or ""
        if here.endswith("|bad"):
            raise ValueError("out of order")
        is_album = here.endswith("|one")
        if self.failing == "slow":
            await self.go_on.wait()
        if self.failing == "error" or (is_album and self.failing == "inner"):
            raise BrowseError("the server answers 401")
        page = self._folder(here)
        if is_album:
            names = () if self.failing == "empty" else self.pictures
            page.children = [self._picture(here, name) for name in names]
        else:
            page.children = [self._folder(f"me|albums|{it}") for it in ("one", "bad")]
        return page

    def _folder(self, identifier: str) -> BrowseMediaSource:
        return BrowseMediaSource(
            domain=self.domain,
            identifier=identifier,
            media_class=MediaClass.DIRECTORY,
            media_content_type=MediaClass.IMAGE,
            title=identifier.rpartition("|")[2],
            can_play=False,
            can_expand=True,
        )

    def _picture(self, album: str, name: str) -> BrowseMediaSource:
        kind = TYPES[name.rpartition(".")[2].lower()]
        is_film = kind.startswith("video/")
        return BrowseMediaSource(
            domain=self.domain,
            identifier=f"{album}|id-{name}|{name}|{kind}",
            media_class=MediaClass.VIDEO if is_film else MediaClass.IMAGE,
            media_content_type=kind,
            title=name,
            can_play=is_film,
            can_expand=False,
            thumbnail=f"/photos/me/id-{name}/thumbnail/{kind}",
        )

    async def async_resolve_media(self, item: MediaSourceItem) -> PlayMedia:
        """Return where a picture is; any other id names none."""
        match item.identifier.split("|"):
            case [_, _, _, asset, _, kind]:
                return PlayMedia(f"/photos/me/{asset}/fullsize/{kind}", kind)
        raise Unresolvable("no picture")


class PhotosView(HomeAssistantView):
    """Sends the pictures of the source to who is logged in; registered before Home Assistant listens."""

    url = "/photos/me/{asset}/{size}/{kind:.*}"
    name = "photos"

    async def get(
        self, request: web.Request, asset: str, size: str, kind: str
    ) -> web.Response:
        photos, name = request.app[KEY_HASS].data[PHOTOS], asset.removeprefix("id-")
        photos.sent.append(name)
        if (content := photos.pictures.get(name)) is None:
            raise web.HTTPNotFound
        return web.Response(body=content, content_type=kind)
