"""Test the root of the media browser of a display: search, covers, other media, and the language of folders."""

from http import HTTPStatus
from typing import Any, override

import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from homeassistant.components.media_player import MediaClass
from homeassistant.components.media_source import (
    BrowseMediaSource,
    MediaSource,
    MediaSourceItem,
)
from homeassistant.components.media_source.const import DATA_MEDIA_SOURCE_PLATFORMS
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_load_integrations

from tests.displays import playlist
from tests.galleries import LARGE, Gallery, titles
from tests.simulators.catalog.simulator import CatalogSimulator

pytestmark = pytest.mark.usefixtures("impatience")


async def speak(hass: HomeAssistant, language: str) -> None:
    await hass.config.async_update(language=language)
    await async_load_integrations(hass, {"dp1"})


class OtherSource(MediaSource):
    """A media source with one medium, or none."""

    def __init__(self, domain: str, content_type: str = "") -> None:
        super().__init__(domain)
        self.name = domain
        self._content_type = content_type

    @override
    async def async_browse_media(self, item: MediaSourceItem) -> BrowseMediaSource:
        media: dict[str, Any] = {"domain": self.domain, "title": self.domain}
        root = BrowseMediaSource(
            **media,
            identifier=None,
            media_class=MediaClass.APP,
            media_content_type="",
            can_play=False,
            can_expand=True,
        )
        if self._content_type:
            root.children = [
                BrowseMediaSource(
                    **media,
                    identifier="1",
                    media_class=MediaClass.VIDEO,
                    media_content_type=self._content_type,
                    can_play=True,
                    can_expand=False,
                )
            ]
        return root


class OtherSources(dict[str, MediaSource]):
    """Media sources in the place of those of the integrations."""

    async def async_get_platforms(self) -> OtherSources:
        return self

    async def async_get_platform(self, domain: str) -> MediaSource | None:
        return self.get(domain)


async def test_everything_can_be_searched(gallery: Gallery) -> None:
    """The root itself offers no search box, so there is a folder that does, and finds what the root would."""
    top = await gallery.browse()
    folder = top.children[0]
    assert (folder.title, folder.can_search, folder.can_play) == (
        "All art",
        True,
        False,
    )
    page = await gallery.browse(folder.media_content_id)
    assert (page.title, page.can_search) == ("All art", True)
    assert titles(page.children) == titles(top.children)[1:6]
    await gallery.cast(playlist=playlist("Reef", title="Weather Report"))
    where = {
        "media_content_id": folder.media_content_id,
        "media_content_type": "directory",
    }
    found = titles(await gallery.search("weather", **where))
    assert found == titles(await gallery.search("weather"))
    assert {LARGE, "Weather Report"} <= set(found)


async def test_folders_have_covers(
    gallery: Gallery, hass_client: ClientSessionGenerator
) -> None:
    """A folder shows something of what is in it."""
    await gallery.play(gallery.media_id(gallery.exhibition(LARGE)))
    await gallery.call(
        "add_favorite", media_content_id=gallery.media_id(gallery.exhibition(LARGE))
    )
    top = await gallery.browse()
    covers = {media.title: media.thumbnail for media in top.children}
    client = await hass_client()
    for name in ("All art", "Exhibitions", "Favorites", "Recently shown"):
        answer = await client.get(covers[name])
        assert (answer.status, answer.content_type) == (HTTPStatus.OK, "image/webp")
    assert covers["Channels"] is None


async def test_only_sources_that_can_have_pictures(gallery: Gallery) -> None:
    """Sound is not offered, nor cameras that give no picture."""
    sources = OtherSources()
    gallery.hass.data[DATA_MEDIA_SOURCE_PLATFORMS] = sources
    for domain in ("radio_browser", "tts", "photos"):
        sources[domain] = OtherSource(domain)
    for content_type, offered in (
        ("", False),
        ("application/vnd.apple.mpegurl", False),
        ("image/jpeg", True),
    ):
        sources["camera"] = OtherSource("camera", content_type)
        found = titles((await gallery.browse()).children)
        assert ("camera" in found) is offered
        assert "photos" in found
        assert not {"radio_browser", "tts", "DP-1 Art"} & set(found)


@pytest.mark.parametrize(
    ("language", "folders", "heading"),
    [
        (
            "de",
            ["Alle Kunst", "Ausstellungen", "Kanäle", "Playlists", "Favoriten"],
            f"Ausstellung: {LARGE} (unvollständig. Der Katalog von Gallery",
        ),
        (
            "ja",
            ["すべての作品", "展覧会", "チャンネル", "プレイリスト", "お気に入り"],
            f"展覧会: {LARGE}（不完全。",
        ),
        (
            "xx",
            ["All art", "Exhibitions", "Channels", "Playlists", "Favorites"],
            f"Exhibition: {LARGE} (incomplete. The catalog of Gallery",
        ),
    ],
)
async def test_languages(
    gallery: Gallery, language: str, folders: list[str], heading: str
) -> None:
    """Folders, headings and notes are in the language of Home Assistant, else in English."""
    await speak(gallery.hass, language)
    await gallery.cast(playlist=playlist("Reef"))
    top = await gallery.browse()
    assert titles(top.children)[:5] == folders
    gallery.catalog.inject("status", route="series", offset=10, status=500)
    page = await gallery.browse(gallery.media_id(gallery.exhibition(LARGE)))
    assert page.title.startswith(heading)
    gallery.catalog.heal()
    work = (await gallery.browse(page.children[0].media_content_id)).children[0]
    await gallery.call("add_favorite", media_content_id=work.media_content_id)
    await gallery.play(gallery.media_id("favorites"))
    assert gallery.wall.state.playlist_title == folders[4]


async def test_a_long_list_in_japanese(
    hass: HomeAssistant, socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of a long list is named in the language of Home Assistant, and so is its page."""
    monkeypatch.setattr("custom_components.dp1.library.library.MAX_CHILDREN", 30)
    async with Gallery.of(hass, catalog=CatalogSimulator()) as gallery:
        await speak(hass, "ja")
        page = await gallery.browse(gallery.media_id("exhibitions"))
        rest = page.children[-1]
        more = await gallery.browse(rest.media_content_id)
        assert rest.title == f"さらに表示（{len(more.children)}）"
        assert more.title == "展覧会 (31–)"
