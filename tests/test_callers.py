"""Test what a member of the household may do with each object that an action names, and what is read at home for whom."""

from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
import json
from pathlib import Path
import re
from typing import Any

import aiohttp
import pytest
from pytest_homeassistant_custom_component.common import (
    CLIENT_ID,
    MockConfigEntry,
    MockUser,
)
from pytest_homeassistant_custom_component.typing import (
    ClientSessionGenerator,
    WebSocketGenerator,
)
from yarl import URL

from custom_components.dp1.addresses import ADDRESSES
from custom_components.dp1.grants import GRANTS
from custom_components.dp1.playback.resolve import RESOLVERS
from homeassistant.components.camera import Camera
from homeassistant.components.camera.const import DATA_COMPONENT
from homeassistant.components.media_source import (
    BrowseMediaSource,
    MediaSource,
    MediaSourceItem,
    PlayMedia,
    async_browse_media,
)
from homeassistant.components.media_source.const import (
    DATA_LOCAL_SOURCE,
    DATA_MEDIA_SOURCE_PLATFORMS,
)
from homeassistant.config_entries import ConfigSubentryData
from homeassistant.core import Context, HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.exceptions import HomeAssistantError, Unauthorized
from homeassistant.helpers import intent
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from .client.scripted_server import Reply, ScriptedServer
from .displays import playlist, until
from .houses import House, series, served
from .libraries import library_entry, set_up
from .simulators.catalog.simulator import CatalogSimulator
from .simulators.feed import FeedSimulator
from .sources import ROOT

pytestmark = pytest.mark.usefixtures("socket_enabled", "hass_admin_user")

CAMERA = "camera.door"
LIVE = f"media-source://camera/{CAMERA}"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(8) + b"\0\0\0\1\0\0\0\1"
PICTURE = Reply(200, PNG, {"Content-Type": "image/png"})


class Door(Camera):
    """A camera that gives one picture."""

    _attr_name = "Door"

    async def async_camera_image(
        self, width: int | None = None, height: int | None = None
    ) -> bytes:
        return b"\xff\xd8\xff\xe0 a picture"


@pytest.fixture
async def house(
    hass: HomeAssistant, hass_client_no_auth: ClientSessionGenerator
) -> AsyncIterator[House]:
    """Set up two displays and a camera."""
    for component in ("homeassistant", "camera", "intent", "media_source"):
        assert await async_setup_component(hass, component, {})
    await hass.data[DATA_COMPONENT].async_add_entities([Door()])
    async with House.of(hass, "left", "right") as house:
        client = await hass_client_no_auth()
        url = str(client.make_url("")).rstrip("/")
        await async_process_ha_core_config(hass, {"internal_url": url})
        yield house


def member(hass: HomeAssistant, **entities: Any) -> Context:
    """Return the context of a member of the household who has rights on some entities only."""
    user = MockUser(name="Member").add_to_hass(hass)
    ids = {key.replace("__", "."): value for key, value in entities.items()}
    user.mock_policy({"entities": {"entity_ids": ids}})
    return Context(user_id=user.id)


async def call(
    hass: HomeAssistant, context: Context, action: str, *names: str, **data: Any
) -> None:
    """Call an action on displays in the name of somebody."""
    domain, _, service = action.partition(".")
    target = {"entity_id": [f"media_player.{name}" for name in names]} if names else {}
    await hass.services.async_call(
        domain, service, {**target, **data}, blocking=True, context=context
    )


async def test_nobody_takes_in_a_display_of_others(house: House) -> None:
    """Whoever may not control a display does not make it follow theirs."""
    hass = house.hass
    await house.show("right", playlist=series("Dunes", 2))
    await house.show("left", playlist=series("Tides", 2))
    limited = member(hass, media_player__left=True, media_player__right={"read": True})
    members = ["media_player.left", "media_player.right"]
    with pytest.raises(Unauthorized):
        await call(hass, limited, "media_player.join", "left", group_members=members)
    assert house.hanging("right") == "Dunes 1"
    assert not house.attribute("left", "group_members")
    both = member(hass, media_player__left=True, media_player__right=True)
    await call(hass, both, "media_player.join", "left", group_members=members)
    await until(lambda: house.hanging("right") == "Tides 1")


PLAY = {"media_content_type": "image/jpeg"}
NOW = {"playlist": series("Dunes", 2)}
WITH_TARGET: list[tuple[str, dict[str, Any]]] = [
    ("media_player.play_media", {**PLAY, "media_content_id": "https://x.example/1"}),
    ("media_player.media_next_track", {}),
    ("media_player.turn_off", {}),
    ("media_player.unjoin", {}),
]


@pytest.mark.parametrize("rights", [{}, {"media_player__left": {"read": True}}])
async def test_who_controls_no_display_does_nothing(
    house: House, rights: dict[str, Any]
) -> None:
    """No action of media players reaches a display by who may only look at it, or not even that."""
    await house.show("left", **NOW)
    await house.show("right", **NOW)
    limited = member(house.hass, **rights)
    before = [wall.writes for wall in house.walls.values()]
    for action, data in WITH_TARGET:
        with pytest.raises(Unauthorized):
            await call(house.hass, limited, action, "left", **data)
    assert [wall.writes for wall in house.walls.values()] == before


# By what the id of a medium starts with: one of it, and whether it is shown to who controls the display only.
MEDIA: dict[str, tuple[str, bool]] = {
    "{": (json.dumps(series("Dunes", 2)), True),
    "": ("{nas}/picture.png", True),
    "a playlist": ("{document}", True),
    "a link": ("https://feralfile.com/exhibitions/everything-is-a-window", True),
    "camera.": (CAMERA, False),
    "the address of a camera": ("{lent}", False),
    "a page with it": ("data:text/html,<img src='{lent}'>", False),
    "a document with it": ('{"items": [{"source": "{lent}"}]}', False),
    "dp1://": ("dp1://favorites", True),
    "dp1://daily": ("dp1://daily", True),
    "dp1://folder": ("dp1://folder/media-source://other", True),
    "dp1://nothing": ("dp1://nothing", True),
    "dp1://recent": ("{hung}", False),
    **{f"dp1://{page}": (f"dp1://{page}", False) for page in ("exhibitions", "folders", "highlights", "next")},
    "media-source://": ("media-source://other/1", True),
    "media-source://camera": (LIVE, False),
    "media-source://dp1": ("media-source://dp1/library/playlist/{playlist}", True),
    "media-source://image": ("media-source://image/image.note", False),
    "media-source://image_upload": ("media-source://image_upload/1", True),
    "media-source://media_source": ("media-source://media_source/local/a.png", True),
    "media-source://radio_browser": ("media-source://radio_browser/1", True),
    "media-source://tts": ("media-source://tts/cloud?message=Dinner", True),
}  # fmt: skip


class Sources:
    """Media sources of which all but the media folders have one picture."""

    def __init__(self, own: Any) -> None:
        """Initialize with those of Home Assistant."""
        self._own = own

    async def async_get_platform(self, domain: str) -> MediaSource:
        """Return a source."""
        if domain == "media_source":
            return await self._own.async_get_platform(domain)
        return Source(domain)


class Source(MediaSource):
    """A source with a picture."""

    async def async_resolve_media(self, item: MediaSourceItem) -> PlayMedia:
        """Return where it is."""
        return PlayMedia("/api/source/1.png", "image/png")

    async def async_browse_media(self, item: MediaSourceItem) -> BrowseMediaSource:
        """Return a picture in what has no name."""
        picture = BrowseMediaSource(
            domain=self.domain,
            identifier="1",
            media_class="image",
            media_content_type="image/png",
            title="1.png",
            can_play=True,
            can_expand=False,
        )
        return BrowseMediaSource(
            **dict.fromkeys(
                ("domain", "identifier", "media_class", "media_content_type")
            ),
            title="",
            can_play=False,
            can_expand=True,
            children=[picture],
        )


@pytest.fixture
async def media(
    house: House, feed: FeedSimulator, tmp_path: Path
) -> AsyncIterator[dict[str, str]]:
    """Set up what the ids of media name, and return what stands for it in them."""
    hass = house.hass
    (tmp_path / "a.png").write_bytes(PNG)
    local: Any = hass.data[DATA_LOCAL_SOURCE]
    local.media_dirs = hass.config.media_dirs = {"local": str(tmp_path)}
    hass.data[DATA_MEDIA_SOURCE_PLATFORMS] = Sources(
        hass.data[DATA_MEDIA_SOURCE_PLATFORMS]
    )
    today = series("Today", 1)
    today["items"][0]["displayAt"] = f"{dt_util.now().date()}T00:00:00"
    stored, daily = feed.seed([playlist("Tide", "Dune"), today])
    daily_url = f"{feed.url}/playlists/{daily['id']}"
    hass.states.async_set("image.note", "2026-11-26T08:00:00+00:00")
    async with (
        CatalogSimulator() as catalog,
        ScriptedServer.run(PICTURE) as nas,
        served(series("Kelp", 2)) as (document,),
    ):
        entry = library_entry(feed.url, catalog.url, options={"daily_url": daily_url})
        object.__setattr__(entry, "entry_id", "library")
        await set_up(hass, entry)
        await call(hass, Context(), "dp1.refresh_library")
        node = (
            f"media-source://dp1/library/item/{stored['id']}/{stored['items'][0]['id']}"
        )
        await call(hass, Context(), "dp1.add_favorite", media_content_id=node)
        await house.play("left", CAMERA)
        lent = house.walls["left"].player.items[0]["source"]
        await house.show("right", playlist=series("Hills", 2))
        (hung,) = house.entries["right"].runtime_data.history.entries()
        await house.show("left", playlist=series("Tides", 2))
        yield {
            "lent": lent,
            "hung": hung.media_id,
            "nas": nas.url,
            "playlist": stored["id"],
            "document": document,
        }
        # The display alone reads at home.
        agents = [asked.headers["User-Agent"] for asked in nas.requests]
        assert not any(agent.startswith("HomeAssistant") for agent in agents)


def test_every_kind_of_media_has_a_row() -> None:
    """Whatever the id of a medium starts with in the code is tried."""
    pattern = re.compile(r'f?"(?:\{DOMAIN\}|dp1|media-source)://(?:\{DOMAIN\}|\w*)')
    texts = (it.read_text() for it in (ROOT / "custom_components/dp1").rglob("*.py"))
    starts = {
        start.strip('f"').replace("{DOMAIN}", "dp1")
        for text in texts
        for start in pattern.findall(text)
    }
    assert (starts | {"{"}) <= MEDIA.keys()
    assert not [it for it in RESOLVERS if not it.startswith((*starts, "{"))]


# How it is named, the most usual first.
FIELDS: list[tuple[str, dict[str, Any]]] = [
    ("media_player.play_media", {"media_content_type": "", "media_content_id": "{}"}),
    ("media_player.play_media", {"media_content_type": "", "media_content_id": "{}", "enqueue": "add"}),
    ("dp1.cast_playlist", {"media_content_id": "{}"}),
    ("dp1.cast_playlist", {"media": ["{}"]}),
    ("dp1.show_message", {"image": "{}"}),
]  # fmt: skip


async def test_every_medium_by_who_may_not(
    house: House, media: dict[str, str], subtests: pytest.Subtests
) -> None:
    """A medium is shown only to who controls the display and may read what it is of; nothing is sent before that is certain."""
    wall = house.walls["left"]
    nobody = [member(house.hass), member(house.hass, media_player__left={"read": True})]
    owner = member(house.hass, media_player__left=True)
    grants = house.hass.data[GRANTS]
    for kind, (media_id, is_shown) in MEDIA.items():
        for name, value in media.items():
            media_id = media_id.replace(f"{{{name}}}", value)
        before, made = wall.writes, {*grants._made}
        for place, (action, fields) in enumerate(FIELDS):
            text = json.dumps(media_id)[1:-1]
            data = json.loads(json.dumps(fields).replace("{}", text))
            refused = [*([] if place else nobody), *([] if is_shown else [owner])]
            with subtests.test(kind, action=action, **fields):
                for context in refused:
                    with pytest.raises(HomeAssistantError):
                        await call(house.hass, context, action, "left", **data)
                assert wall.writes == before and {*grants._made} == made
                if is_shown and not place:
                    await call(house.hass, owner, action, "left", **data)
                    assert wall.writes > before
                    break


# What only reads, of what is public or sent along.
READING = {"search", "get_playlist", "validate_playlist"}


def all_actions(media_id: str, playlist_id: str) -> dict[str, dict[str, Any]]:
    """Return fields of each action of the integration."""
    favorite = {"media_content_id": media_id}
    right = {"entity_id": "media_player.right"}
    return {
        "cast_playlist": {**right, **NOW},
        "publish_playlist": right,
        "get_playlist": {"playlist_id": playlist_id},
        "validate_playlist": NOW,
        "update_playlist": {"playlist_id": playlist_id, "title": "Mine"},
        "delete_playlist": {"playlist_id": playlist_id},
        "refresh_library": {},
        "show_message": {**right, "text": "Dinner"},
        "show_work": {**right, "work": 2},
        "remove_work": {**right, "work": 2},
        "keep_offline": right,
        "show_previous": right,
        "hand_over": {**right, "to": "media_player.left"},
        "search": {"query": "Tide"},
        "add_favorite": favorite,
        "remove_favorite": favorite,
        "hide_work": favorite,
        "unhide_work": favorite,
    }


@pytest.mark.parametrize(
    "rights",
    [
        {},
        {"media_player__left": {"read": True}, "media_player__right": {"read": True}},
        {"media_player__left": True},
    ],
    ids=["no display", "read only", "one display"],
)
async def test_every_action_by_who_may_not(
    house: House, feed: FeedSimulator, rights: dict[str, Any]
) -> None:
    """Nobody changes a display or a library without the right to it, whatever the action."""
    hass = house.hass
    library = await set_up(hass, library_entry(feed.url, api_key=feed.api_key))
    (stored,) = feed.seed([playlist("Tide", "Dune")])
    await call(hass, Context(), "dp1.refresh_library")
    media_id = f"media-source://dp1/{library.entry_id}/playlist/{stored['id']}"
    actions = all_actions(media_id, stored["id"])
    assert actions.keys() == hass.services.async_services_for_domain("dp1").keys()
    await house.play("right", media_id)
    await house.show("left", **NOW)
    limited = member(hass, **rights)

    def state() -> list[Any]:
        """Return what may not change."""
        asked = [it.method for it in feed.log if it.method not in ("GET", "HEAD")]
        favorites = len(library.runtime_data.favorites.nodes())
        return [asked, favorites, *(wall.writes for wall in house.walls.values())]

    before = state()
    for action, data in actions.items():
        if action in READING:
            await hass.services.async_call(
                "dp1", action, data, True, limited, return_response=True
            )
        else:
            with pytest.raises(Unauthorized):
                await call(hass, limited, f"dp1.{action}", **data)
    assert state() == before


async def test_nothing_is_handed_to_a_display_of_others(house: House) -> None:
    """Who controls one display hands nothing over to another."""
    await house.show("left", **NOW)
    limited = member(house.hass, media_player__left=True)
    right = house.walls["right"].writes
    with pytest.raises(Unauthorized):
        await call(
            house.hass, limited, "dp1.hand_over", "left", to="media_player.right"
        )
    assert house.walls["right"].writes == right


async def test_what_hung_elsewhere(house: House) -> None:
    """Neither the history of a display that somebody may not see, nor the camera in it, is for them."""
    hass = house.hass
    await house.show("right", playlist=series("Dunes", 2))
    await house.play("right", CAMERA)
    coordinator = house.entries["right"].runtime_data
    camera, dunes = (entry.media_id for entry in coordinator.history.entries())
    own = {"media_player__left": True}
    readable = {**own, "media_player__right": {"read": True}}
    seeing = {**readable, "camera__door": {"read": True}}
    for context, media_id, allowed in (
        (member(hass, **own), dunes, False),
        (member(hass, **readable), dunes, True),
        (member(hass, **readable), camera, False),
        (member(hass, **seeing), camera, True),
    ):
        play = {**PLAY, "media_content_id": media_id}
        if allowed:
            await call(hass, context, "media_player.play_media", "left", **play)
        else:
            with pytest.raises(Unauthorized):
                await call(hass, context, "media_player.play_media", "left", **play)


async def test_what_hung_on_two_displays(house: House) -> None:
    """It is for whoever may see one of them."""
    for name in ("left", "right"):
        await house.show(name, playlist=series("Dunes", 2))
    (dunes,) = house.entries["right"].runtime_data.history.entries()
    play = {**PLAY, "media_content_id": dunes.media_id}
    for name in ("left", "right"):
        owner = member(house.hass, **{f"media_player__{name}": True})
        await call(house.hass, owner, "media_player.play_media", name, **play)


async def test_a_camera_is_private_again(
    house: House, hass_client_no_auth: ClientSessionGenerator
) -> None:
    """The address at which a camera was lent ends with what hangs; a display that returns to it gets it again."""
    stranger = await hass_client_no_auth()
    await house.play("left", CAMERA)
    address = URL(house.walls["left"].player.items[0]["source"]).raw_path_qs
    assert (await stranger.get(address)).status == HTTPStatus.OK
    await house.show("left", playlist=series("Tides", 2))
    await until(lambda: house.attribute("left", "media_title") == "Tides 1")
    # Five minutes after it was made.
    house.hass.data[GRANTS]._made.clear()
    assert (await stranger.get(address)).status == HTTPStatus.NOT_FOUND
    coordinator = house.entries["left"].runtime_data
    _, camera = (entry.media_id for entry in coordinator.history.entries())
    await house.play("left", camera)
    assert (await stranger.get(address)).status == HTTPStatus.OK


async def test_who_may_only_look_extends_nothing(house: House) -> None:
    """An announcement is extended by who may control its display."""
    hass = house.hass
    await house.show("left", playlist=series("Tides", 2))
    await house.show("left", playlist=series("Notice", 1), show_for={"hours": 1})
    until_before = house.attribute("left", "dp1")["until"]
    looking = member(hass, media_player__left={"read": True})
    response = await intent.async_handle(
        hass,
        "test",
        "Dp1Control",
        {name: {"value": value} for name, value in EXTEND.items()},
        context=looking,
    )
    assert response.error_code is intent.IntentResponseErrorCode.FAILED_TO_HANDLE
    assert house.attribute("left", "dp1")["until"] == until_before


EXTEND = {"action": "extend", "name": "Left", "minutes": 30}


async def test_a_heart_is_for_who_may_change_the_library(
    house: House, feed: FeedSimulator
) -> None:
    """A display that somebody may control is no way to the favorites of a library that they may not change."""
    hass = house.hass
    library = await set_up(hass, library_entry(feed.url))
    (stored,) = feed.seed([playlist("Tide", "Dune")])
    await call(hass, Context(), "dp1.refresh_library")
    media_id = f"media-source://dp1/{library.entry_id}/playlist/{stored['id']}"
    await house.play("left", media_id)
    await until(lambda: house.attribute("left", "dp1")["favorite"] is False)
    limited = member(hass, media_player__left=True)
    with pytest.raises(Unauthorized):
        await call(hass, limited, "dp1.add_favorite", "left")
    assert not library.runtime_data.favorites.nodes()
    await call(hass, Context(), "dp1.add_favorite", "left")


# What is read at home


def work(picture: str, **fields: Any) -> dict[str, Any]:
    """Return a playlist of a work with a picture."""
    metadata = {"thumbnails": {"small": {"uri": picture}}}
    manifest = {"refVersion": "0.1.0", "id": "work", "metadata": metadata}
    document = playlist("Tide")
    document["items"][0] |= {"inlineManifest": manifest, **fields}
    return document


async def picture_of(house: House, name: str) -> None:
    """Look at the picture of what hangs, as browsers do."""
    player: Any = house.hass.data["media_player"].get_entity(house.entity(name))
    await player.async_get_media_image()


async def test_a_member_reads_nothing_at_home_by_what_hangs(house: House) -> None:
    """The picture, the manifest and the title of what a member casts are not read at a host that the owner once cast from."""
    async with ScriptedServer.run(PICTURE) as nas:
        await house.show("left", playlist=work(f"{nas.url}/owner.png"))
        await picture_of(house, "left")
        assert [asked.path for asked in nas.requests] == ["/owner.png"]
        limited = member(house.hass, media_player__left=True)
        secret = work(f"{nas.url}/secret.png", ref=f"{nas.url}/secret.json")
        secret["coverImage"] = f"{nas.url}/cover.png"
        secret["items"][0]["title"] = "Secret"
        cast = {"playlist": secret}
        await call(house.hass, limited, "dp1.cast_playlist", "left", **cast)
        await until(lambda: house.attribute("left", "media_title") == "Secret")
        await picture_of(house, "left")
        await house.entries["left"].runtime_data.metadata.async_wait(5)
        assert [asked.path for asked in nas.requests] == ["/owner.png"]


async def test_a_display_reads_nothing_at_home(house: House) -> None:
    """What a display reports leads to no other address of a host that the owner cast from."""
    async with ScriptedServer.run(PICTURE) as nas:
        await house.show("left", playlist=work(f"{nas.url}/owner.png"))
        lie = work(f"{nas.url}/secret.png", ref=f"{nas.url}/secret.json")
        lie["items"][0]["title"] = "Lie"
        house.walls["left"].player.load({**lie, "title": "Lies"})
        await until(lambda: house.attribute("left", "media_title") == "Lie")
        await picture_of(house, "left")
        await house.entries["left"].runtime_data.metadata.async_wait(5)
        assert not nas.requests


async def test_pictures_of_a_playlist_of_the_owner(house: House) -> None:
    """What the owner's playlist at home has on its own host is shown, and nothing of another host there."""
    async with ScriptedServer.run(PICTURE) as router:
        document = work("/picture.png")
        async with ScriptedServer.run(PICTURE) as nas, served(document) as (url,):
            own = url.replace("/playlists/0", "/picture.png")
            for picture, found in ((own, True), (f"{router.url}/x.png", False)):
                document.update(work(picture, title=picture[-30:]))
                await house.show("left", playlist_url=url, limit=1)
                await house.settled("left")
                assert (picture in house.hass.data[ADDRESSES]) is found
            assert not nas.requests
        assert not router.requests


@pytest.mark.parametrize("named", [str, lambda url: {"media_content_id": url}])
async def test_a_list_of_the_owner_that_hung_before(
    house: House, named: Callable[[str], Any]
) -> None:
    """It is read among several media, too, although it is in the history, which also has what others cast."""
    async with served(work("https://art.example/x.png")) as (url,):
        await house.show("left", playlist_url=url)
        history = house.entries["left"].runtime_data.history
        await until(lambda: history.get(url))
        await house.show("left", media=[named(url)])
        await until(lambda: house.walls["left"].state.playlist_url is None)


ALBUM = "01JALBUM000000000000000000"
LEFT_AND_RIGHT = ["media_player.left", "media_player.right"]
# By the entrance: who controls the display at which it is aimed gets the album there, as every user of Home Assistant
# browses all media sources; who controls another display alone, who only reads it, and who has no rights get nothing.
TO_AN_ALBUM: dict[str, tuple[str, dict[str, Any]]] = {
    "folder": ("media_player.play_media", {**PLAY, "media_content_id": "{folder}"}),
    "picture": ("media_player.play_media", {**PLAY, "media_content_id": "{photo}"}),
    "album": ("media_player.play_media", {**PLAY, "media_content_id": "{album}"}),
    "added": ("media_player.play_media", {**PLAY, "media_content_id": "{album}", "enqueue": "add"}),
    "announced": ("media_player.play_media", {**PLAY, "media_content_id": "{album}", "announce": True}),
    "media": ("dp1.cast_playlist", {"media": ["{folder}", "{photo}"]}),
    "source list": ("media_player.select_source", {"source": "Our holiday"}),
    "group": ("media_player.join", {"group_members": LEFT_AND_RIGHT}),
    "sentence": ("intent", {}),
}  # fmt: skip


@pytest.fixture
def folders(hass: HomeAssistant, tmp_path: Path) -> dict[str, str]:
    """Set the media folders, before their source is set up."""
    hass.config.media_dirs = {"local": str(tmp_path)}
    return hass.config.media_dirs


@pytest.fixture
async def holiday(
    folders: dict[str, str], house: House, feed: FeedSimulator, tmp_path: Path
) -> dict[str, str]:
    """Add an album, which hangs on the right display, and return what names it."""
    hass = house.hass
    (tmp_path / "Holiday").mkdir()
    (tmp_path / "Holiday" / "Harbor.png").write_bytes(PNG)
    hass.config.media_dirs = folders
    plain = library_entry(feed.url)
    folder = "media-source://media_source/local/Holiday"
    album = ConfigSubentryData(
        data={"folder": folder, "order": "name"},
        subentry_id=ALBUM,
        subentry_type="album",
        title="Our holiday",
        unique_id="one",
    )
    entry = MockConfigEntry(
        domain="dp1", title="Library", data=dict(plain.data), subentries_data=[album]
    )
    await set_up(hass, entry)
    await until(lambda: "Our holiday" in (house.attribute("left", "source_list") or ()))
    node = f"media-source://dp1/{entry.entry_id}"
    named = {
        "folder": folder,
        "album": f"{node}/album/{ALBUM}",
        "photo": f"{folder}/Harbor.png",
    }
    await house.show("left", playlist=series("Tides", 2))
    await house.play("right", named["album"])
    await until(lambda: "api/dp1/media" in str(house.walls["right"].player.items))
    return named


@pytest.mark.parametrize("entrance", TO_AN_ALBUM)
async def test_an_album_by_who_may_not(
    folders: dict[str, str],
    house: House,
    holiday: dict[str, str],
    entrance: str,
) -> None:
    """Own pictures come to a display by who controls it, whatever the way."""
    hass, wall = house.hass, house.walls["left"]
    action, fields = TO_AN_ALBUM[entrance]
    data = {
        name: json.loads(
            re.sub(r"\{(\w+)\}", lambda it: holiday[it[1]], json.dumps(value))
        )
        for name, value in fields.items()
    }
    if entrance == "group":
        # The left display follows.
        data["entity_id"] = "media_player.right"

    async def ask(context: Context) -> bool:
        """Ask in the name of somebody, and return whether that was refused."""
        if action == "intent":
            slots = {"what": "Our holiday", "name": "Left", "art": "yes"}
            values = {key: {"value": value} for key, value in slots.items()}
            answer = await intent.async_handle(
                hass,
                "test",
                "Dp1Show",
                values,
                context=context,
                assistant="conversation",
            )
            return answer.error_code is not None
        names = [] if entrance == "group" else ["left"]
        try:
            await call(hass, context, action, *names, **data)
        except HomeAssistantError:
            return True
        return False

    before, tokens = wall.writes, {*hass.data[GRANTS]._made}
    nobody = [
        member(hass),
        member(hass, media_player__left={"read": True}),
        member(hass, media_player__right=True),
    ]
    for context in nobody:
        assert await ask(context)
    assert wall.writes == before
    assert tokens == {*hass.data[GRANTS]._made}
    rights: dict[str, Any] = {"media_player__left": True}
    if entrance == "group":
        rights["media_player__right"] = True
    assert not await ask(member(hass, **rights))
    await until(lambda: "api/dp1/media" in str(wall.player.items))


async def test_who_browses_an_album(
    folders: dict[str, str],
    house: House,
    holiday: dict[str, str],
    hass_ws_client: WebSocketGenerator,
) -> None:
    """By way of a display, who may read it; by the media sources of Home Assistant, each of its users, as any other; nobody without login."""
    hass = house.hass
    assert await async_setup_component(hass, "websocket_api", {})
    pages = [
        ("media_player/browse_media", {"entity_id": "media_player.left", "media_content_id": holiday["album"], "media_content_type": "album"}),
        ("media_source/browse_media", {"media_content_id": holiday["album"]}),
    ]  # fmt: skip
    for rights, told in (
        ({}, [False, True]),
        ({"media_player__right": True}, [False, True]),
        ({"media_player__left": {"read": True}}, [True, True]),
    ):
        user = await hass.auth.async_get_user(member(hass, **rights).user_id or "")
        assert user
        refresh = await hass.auth.async_create_refresh_token(user, CLIENT_ID)
        client = await hass_ws_client(
            hass, hass.auth.async_create_access_token(refresh)
        )
        got = []
        for command, fields in pages:
            await client.send_json_auto_id({"type": command, **fields})
            answer = await client.receive_json()
            got.append(answer["success"] and "Harbor" in str(answer["result"]))
        assert got == told
    picture = (await async_browse_media(hass, holiday["album"])).children or ()
    base = hass.config.internal_url
    async with aiohttp.ClientSession() as nobody:
        for path in (f"{picture[0].thumbnail}", "/api/dp1/media/Harbor.png?token=no"):
            async with nobody.get(f"{base}{path}") as answer:
                assert answer.status in (401, 404)
