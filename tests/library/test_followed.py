"""Test followed channels and publishers: their new playlists are news, each once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote

from aiohttp import ClientSession
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.client.errors import NotFoundError, TemporaryError
from custom_components.dp1.client.feed.client import Feed as FeedClient
from custom_components.dp1.client.text import MAX_TITLE
from custom_components.dp1.library.library import Library
from custom_components.dp1.library.news import NEWS, NewsItem
from custom_components.dp1.library.providers.channel import (
    ChannelAddress,
    FollowedChannel,
    new_playlists,
)
from homeassistant.config_entries import ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.json import json_bytes
from homeassistant.util import dt as dt_util

from .shows import search_nodes

from tests.client.scripted_server import Reply, Request, ScriptedServer
from tests.displays import name_hosts, playlist, state_of, until
from tests.flows import begin_part, fill
from tests.libraries import DID, library_entry, set_up
from tests.simulators.feed import Fault, FeedSimulator
from tests.test_fuzz import MOST_ATTRIBUTES, unsafe

pytestmark = pytest.mark.usefixtures("socket_enabled")

EVENINGS = "0b0c7f9a-94d3-4f2b-9f37-6f6a35a3a111"
NIGHTS = "0b0c7f9a-94d3-4f2b-9f37-6f6a35a3a222"
FOREIGN = "0f9a8a36-4f6c-4f0c-8c7e-00000000ffff"
CHANNELS = "https://feed.example/api/v1/channels"


def key(number: int) -> str:
    """Return the id of a playlist."""
    return f"0f9a8a36-4f6c-4f0c-8c7e-{number:012}"


def deep(levels: int) -> Any:
    """Return an object of so many levels."""
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def document(number: int) -> dict[str, Any]:
    return playlist("Tide", id=key(number), title=f"Playlist {number}")


@dataclass
class Feed:
    """A feed with channels, and what is told of it."""

    hass: HomeAssistant
    feed: FeedSimulator
    entry: MockConfigEntry
    told: list[dict[str, Any]] = field(default_factory=list)

    @property
    def library(self) -> Library:
        library: Library = self.entry.runtime_data
        return library

    @property
    def followed(self) -> list[FollowedChannel]:
        return list(self.library.channels.servers)

    def put(self, channel: str, *playlists: str | int, **more: Any) -> None:
        """Let a channel have these playlists."""
        urls = [
            f"{self.feed.url}/playlists/{key(given)}"
            if isinstance(given, int)
            else given
            for given in playlists
        ]
        title = "Evenings" if channel == EVENINGS else "Nights"
        numbers = [given for given in playlists if isinstance(given, int)]
        known = self.feed.documents
        self.feed.seed(document(n) for n in numbers if key(n) not in known)
        publisher = {"name": "Ines", "key": DID}
        given = {"id": channel, "title": title, "publisher": publisher}
        self.feed.replace_channel({**given, "playlists": urls, **more})

    def listed(self, place: int = 0) -> list[str]:
        """Return the titles of the playlists of a channel that is followed."""
        return [each.title for each in self.followed[place].list.records]

    async def look(self) -> list[str]:
        self.told.clear()
        for channel in self.followed:
            await channel.async_refresh()
        return [told["title"] for told in self.told]

    async def ask(self, url: str, **values: Any) -> Any:
        """Fill in the form for a channel."""
        form = await begin_part(self.hass, self.entry.entry_id, "channel")
        return await fill(self.hass, form, url=url, **values)

    async def follow(self, path: str, **values: Any) -> ConfigSubentry:
        """Follow a channel of the feed, and wait until it was read."""
        result = await self.ask(f"{self.feed.url}/channels{path}", **values)
        assert result["type"] is FlowResultType.CREATE_ENTRY, result
        await until(lambda: all(channel.list.read_at for channel in self.followed))
        return list(self.entry.subentries.values())[-1]


@asynccontextmanager
async def following(hass: HomeAssistant, family: Any = "v2") -> AsyncIterator[Feed]:
    async with FeedSimulator(family, random_seed=1) as simulator:
        entry = library_entry(simulator.url, title="Gallery")
        house = Feed(hass, simulator, entry)
        house.put(EVENINGS, 1, 2)
        house.put(NIGHTS, 3)
        await set_up(hass, entry)
        await entry.runtime_data.async_refresh()

        @callback
        def note(item: NewsItem) -> None:
            if item.kind == "channel_playlist":
                house.told.append(item.attributes)

        stop = async_dispatcher_connect(hass, NEWS, note)
        yield house
        stop()


@pytest.mark.parametrize("family", ["v2", "ts"])
async def test_new_playlists_are_told(hass: HomeAssistant, family: str) -> None:
    """The first look is silent; afterwards each new playlist is told once, by its identity, and by the event entity."""
    async with following(hass, family) as house:
        followed = await house.follow(f"/{EVENINGS}")
        assert followed.title == "Evenings"
        assert house.told == [] and await house.look() == []
        house.put(EVENINGS, 5, 2, 4, 1)
        assert sorted(await house.look()) == ["Playlist 4", "Playlist 5"]
        first = house.told[0]
        assert first["channel"] == "Evenings"
        assert first["media_content_id"].startswith(
            f"media-source://dp1/{house.entry.entry_id}/playlist/{key(0)[:-3]}"
        )
        event = state_of(hass, "event.gallery_news").attributes
        assert event["event_type"] == "channel_playlist"
        assert event["channel"] == "Evenings"
        assert await house.look() == []


async def test_within_half_an_hour_and_over_restarts(
    hass: HomeAssistant, tmp_path: Any
) -> None:
    """It is looked at within half an hour; following survives a restart, and what is new meanwhile is told."""
    async with following(hass) as house:
        await house.follow(f"/{EVENINGS}")
        house.put(EVENINGS, 1, 2, 4)
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(minutes=30))
        await until(lambda: len(house.told) == 1)
        await hass.config_entries.async_unload(house.entry.entry_id)
        house.put(EVENINGS, 1, 2, 4, 5)
        await hass.config_entries.async_setup(house.entry.entry_id)
        await hass.async_block_till_done()
        assert house.listed() == ["Playlist 1", "Playlist 2", "Playlist 4"]
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(minutes=30))
        await until(lambda: len(house.told) == 2)
        assert house.told[1]["title"] == "Playlist 5"


async def test_a_playlist_group(hass: HomeAssistant) -> None:
    """A playlist group is found, followed and told of like a channel, with its curator as publisher."""
    async with following(hass) as house:
        house.put(EVENINGS, 5)
        group = {"title": "Wing", "curator": "Ada", "playlists": [key(5)]}
        (held,) = house.feed.seed(groups=[group])
        url = f"{house.feed.url}/playlist-groups/{held['id']}"
        assert (await house.ask(url))["type"] is FlowResultType.CREATE_ENTRY
        await until(lambda: house.followed[0].list.read_at)
        assert house.followed[0].title == "Wing"
        assert house.listed() == ["Playlist 5"]
        house.put(EVENINGS, 5, 6)
        table = house.feed._feed.groups
        table.rows.pop(held["id"])
        house.feed.seed(
            groups=[{**group, "id": held["id"], "playlists": [key(5), key(6)]}]
        )
        assert await house.look() == ["Playlist 6"]
        assert house.told[0]["channel"] == "Wing"
        await house.follow("?publisher=Ada")
        assert len(house.listed(-1)) == 2


async def test_two_channels_and_a_publisher(hass: HomeAssistant) -> None:
    """A playlist in two followed channels is told once; a new channel of a publisher has new playlists."""
    async with following(hass) as house:
        evenings = await house.follow(f"/{EVENINGS}")
        await house.follow(f"/{NIGHTS}", name="Late")
        assert [channel.title for channel in house.followed] == ["Evenings", "Late"]
        for channel, others in ((EVENINGS, (1, 2)), (NIGHTS, (3,))):
            house.put(channel, 6, *others)
        assert await house.look() == ["Playlist 6"]

        publisher = await house.follow("?publisher=INES")
        assert publisher.title == "INES"
        assert len(house.listed(-1)) == 4
        late = "0b0c7f9a-94d3-4f2b-9f37-6f6a35a3a333"
        house.put(late, 7, 1, title="Late")
        assert await house.look() == ["Playlist 7"]
        assert house.told[0]["channel"] == "Late"

        for subentry in (publisher, evenings):
            hass.config_entries.async_remove_subentry(house.entry, subentry.subentry_id)
        await hass.async_block_till_done()
        house.put(EVENINGS, 8, 1)
        assert await house.look() == []
        assert [channel.title for channel in house.followed] == ["Late"]


async def test_a_channel_with_another_playlist_at_an_address(
    hass: HomeAssistant,
) -> None:
    """Once the channel changes, an address whose playlist is another is told; that its slug changed tells nothing."""
    other = {**document(9), "id": FOREIGN, "title": "Elsewhere"}
    async with (
        ScriptedServer.run(lambda _: Reply(200, other)) as server,
        following(hass) as house,
    ):
        url = f"{server.url}/api/v1/playlists/weekly"
        await name_hosts(hass, server.url)
        house.put(EVENINGS, 1, url)
        await house.follow(f"/{EVENINGS}")
        assert len(house.listed()) == 2
        # A list that was restored is read once more.
        assert await house.look() == []
        count = len(server.requests)
        assert await house.look() == []
        assert len(server.requests) == count
        other |= {"id": key(10), "title": "Next week", "slug": "x"}
        house.put(EVENINGS, url, 1)
        assert await house.look() == ["Next week"]
        # The slug of a known playlist changes.
        house.put(EVENINGS, 1, f"{url}-2")
        assert await house.look() == []


async def test_what_could_not_be_read_at_first(hass: HomeAssistant) -> None:
    """A playlist that was listed at the first look and could not be read is no news later; one listed since is."""
    replies = [Reply(500), Reply(200, [1])]

    def answer(request: Request) -> Reply:
        """Return a playlist, once the host has recovered."""
        number = int(request.path[-2:])
        return replies[0] if replies else Reply(200, document(number))

    async with ScriptedServer.run(answer) as server, following(hass) as house:
        await name_hosts(hass, server.url)
        house.put(EVENINGS, 1, f"{server.url}/11")
        await house.follow(f"/{EVENINGS}")
        (channel,) = house.followed
        for _ in range(2):
            assert await house.look() == []
            assert house.listed() == ["Playlist 1"]
            replies.pop(0)
        house.put(EVENINGS, 1, f"{server.url}/11", f"{server.url}/12")
        # A thread may be storing it.
        before = channel.seen.days
        assert await house.look() == ["Playlist 12"]
        assert before is not None and len(before) == 1
        assert house.listed() == ["Playlist 1", "Playlist 11", "Playlist 12"]


async def test_nothing_could_be_read_yet(hass: HomeAssistant) -> None:
    """What is cast of a channel that was never read names why."""
    async with following(hass) as house:
        await house.follow(f"/{EVENINGS}")
        (channel,) = house.followed
        channel.list._set(())
        channel.list.read_at, channel.list.tried_at = None, 0.0
        house.feed.faults.append(Fault(status=500))
        with pytest.raises(TemporaryError):
            await house.library.async_build_playlist(f"followed/{channel.subentry_id}")


async def test_a_feed_that_fails(hass: HomeAssistant) -> None:
    """A look that fails tells nothing and forgets nothing, and is a problem of the library."""
    async with following(hass) as house:
        await house.follow(f"/{EVENINGS}")
        house.put(EVENINGS, 1, 2, 4)
        house.feed.faults.append(Fault(status=500))
        assert await house.look() == []
        assert house.library.problem is not None
        assert len(house.listed()) == 2
        house.feed.faults.clear()
        assert await house.look() == ["Playlist 4"]
        assert house.library.problem is None


async def test_what_is_kept_is_there_at_once(hass: HomeAssistant) -> None:
    """After a restart a channel has its playlists before anything is read."""
    async with following(hass) as house:
        subentry = await house.follow(f"/{EVENINGS}")
        await until(lambda: len(house.listed()) == 2)
        house.feed.faults.append(Fault(status=500))
        await hass.config_entries.async_reload(house.entry.entry_id)
        node = f"followed/{subentry.subentry_id}"
        inside = await house.library.async_children(node)
        assert [each.title for each in inside.nodes] == house.listed() != []
        assert (await house.library.async_node(node)).can_play


async def test_a_thousand_playlists(hass: HomeAssistant) -> None:
    """A long channel costs few requests, and one more playlist is found."""
    async with following(hass) as house:
        house.put(EVENINGS, *range(10, 1000))
        feed = house.library.feed_server
        feed.state.older_read_at = None
        await feed.async_refresh()
        await until(lambda: feed.playlist(key(10)) and not feed.list.is_reading)
        await house.follow(f"/{EVENINGS}")
        assert len(house.listed()) == 990
        before = house.feed.request_count
        assert await house.look() == []
        assert await house.look() == []
        assert house.feed.request_count - before <= 12
        house.put(EVENINGS, *range(10, 1001))
        assert await house.look() == ["Playlist 1000"]


async def test_a_channel_of_another_feed(hass: HomeAssistant) -> None:
    """Its playlists are browsed, found, sources and cast, in a library that has no feed."""
    async with FeedSimulator("v2", random_seed=1) as simulator:
        entry = library_entry(None, "http://127.0.0.1:9", title="Gallery")
        house = Feed(hass, simulator, entry)
        house.put(EVENINGS, 1, 2)
        await set_up(hass, entry)
        subentry = await house.follow(f"/{EVENINGS}", name="Our evenings")
        library, node = house.library, f"followed/{subentry.subentry_id}"
        roots = (await library.async_children("")).nodes
        assert ("Our evenings", node) in [(each.title, each.id) for each in roots]
        first, second = (await library.async_children(node)).nodes
        assert (first.title, second.title) == ("Playlist 1", "Playlist 2")
        (work,) = (await library.async_children(first.id)).nodes
        assert work.title == "Tide"
        found = {each.id for each in await search_nodes(library, "tide")}
        assert work.id in found
        sounds_so = await search_nodes(library, "playlist won", within=node)
        assert sounds_so[0].id == first.id
        sources = library.source_list().names
        assert sources["Our evenings"] == node and sources["Playlist 1"] == first.id
        hung = await library.async_build_playlist(first.id)
        assert hung.url == f"{simulator.url}/playlists/{key(1)}"
        shown = PlayerStatus.parse({"playlistURL": hung.url})
        assert library.source_list().of(shown) == "Playlist 1"
        assert (await library.async_node(node)).title == "Our evenings"
        built = await library.async_build_playlist(node)
        assert (built.title, built.works) == ("Our evenings", 2)
        with pytest.raises(NotFoundError):
            await library.async_build_playlist("followed/unknown")


async def test_the_form(hass: HomeAssistant) -> None:
    """A channel is followed once, and only if there is one; it is changed and goes without a restart."""
    async with following(hass) as house:
        channels = f"{house.feed.url}/channels"
        for url, error in (
            (f"{channels}/nowhere", "unknown_channel"),
            (f"{channels}?publisher=Nobody", "unknown_channel"),
            (channels, "invalid_url"),
            (f"{channels}/a/b", "invalid_url"),
            ("not an address", "invalid_url"),
            ("http://127.0.0.1:9/api/v1/channels/x", "cannot_connect"),
        ):
            assert (await house.ask(url))["errors"] == {"url": error}, url
        told = await house.ask("http://127.0.0.1:9/api/v1/channels/x")
        # As errors of actions are told, in the language of Home Assistant.
        detail = told["description_placeholders"]["detail"]
        assert detail.startswith("The feed of 127.0.0.1:9 refused the connection.")
        subentry = await house.follow(f"/{EVENINGS}/")
        again = await house.ask(f"{channels}/{EVENINGS}")
        assert again["reason"] == "already_configured"
        form = await house.entry.start_subentry_reconfigure_flow(
            hass, subentry.subentry_id
        )
        result = await fill(hass, form, name="Nights", url=f"{channels}/{NIGHTS}")
        assert result["reason"] == "reconfigure_successful"
        await until(lambda: house.listed() == ["Playlist 3"])
        hass.config_entries.async_remove_subentry(house.entry, subentry.subentry_id)
        await hass.async_block_till_done()
        assert house.followed == []


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("feed.example/api/v1/channels/evenings", "/evenings"),
        ("https://feed.example/channels/evenings/", "/evenings"),
        (f"{CHANNELS}?publisher=Feral%20File", "?publisher=Feral+File"),
    ],
)
def test_addresses(text: str, path: str) -> None:
    """An address in any form becomes the one that names the channel."""
    address = ChannelAddress.parse(text)
    assert address.url == CHANNELS + path
    assert ChannelAddress.parse(address.url) == address


@pytest.mark.parametrize("odd", ["<", "\u202e", "é"])
async def test_texts_of_strangers(hass: HomeAssistant, odd: str) -> None:
    """What is told of a channel whose texts are long, odd or nested is short and plain; what is no address is not asked for."""
    long, wide = odd * 300_000, odd * (1900 // len(odd.encode()))
    path = quote(wide)[:1800]
    numbers = [11]
    nested: dict[str, Any] = {"x": deep(300)}

    def answer(request: Request) -> Reply:
        """Return the channel, its playlists on this feed, of which it has none, or one of them."""
        if "/channels/" in request.path:
            urls: list[Any] = [f"{server.url}/{path}/{number}" for number in numbers]
            odd_ones = [
                long[:3000],
                7,
                None,
                *(f"{server.url}/\0/{n}" for n in range(300)),
            ]
            texts = {"slug": wide, "publisher": {"name": long}, **nested}
            return Reply(200, {"id": "9", "playlists": odd_ones + urls, **texts})
        if "/playlists" in request.path:
            return Reply(200, {"items": []})
        number = int(request.path.rpartition("/")[2])
        spoiled = {"title": "", "slug": wide, "summary": long}
        curators = [{"name": long[:3000], "key": DID}] * 100
        spoiled |= {"note": deep(300)} if number == 13 else {}
        return Reply(200, {**document(number), **spoiled, "curators": curators})

    async with ScriptedServer.run(answer) as server, following(hass) as house:
        await name_hosts(hass, server.url)
        address = f"{server.url}/channels/evenings"
        refused = await house.ask(address)
        assert refused["errors"] == {"url": "cannot_connect"}
        nested.clear()
        followed = await house.ask(address)
        assert 0 < len(followed["title"]) <= MAX_TITLE
        assert unsafe(followed["title"]) is None
        await until(lambda: all(channel.list.read_at for channel in house.followed))
        numbers.extend((13, 14))
        (title,) = await house.look()
        (told,) = house.told
        assert len(title) <= MAX_TITLE and len(told["channel"]) <= MAX_TITLE
        assert told["link"].endswith("/14")
        assert unsafe(list(told.values())) is None
        assert len(json_bytes(told)) < MOST_ATTRIBUTES
        assert not [each.path for each in server.requests if "%00" in each.path]
        kept = house.followed[0].to_store()
        assert len(json_bytes(kept)) < 4 * MOST_ATTRIBUTES
        state = state_of(hass, "event.gallery_news")
        assert state.attributes["title"] == title
        assert len(json_bytes(dict(state.attributes))) < MOST_ATTRIBUTES


async def test_channels_without_end() -> None:
    """A feed whose list of channels never ends, each full of addresses, is left after as many as are kept."""
    asked = 0

    def answer(request: Request) -> Reply:
        """Return another page of channels."""
        nonlocal asked
        asked += 1
        urls = [f"https://art.example.org/{number}" for number in range(2500)]
        more = {"title": "Evenings", "publisher": {"name": "Ines"}, "playlists": urls}
        items = [{"id": f"{asked}-{number}", **more} for number in range(4)]
        return Reply(200, {"items": items, "hasMore": True, "cursor": str(asked)})

    async with ScriptedServer.run(answer) as server, ClientSession() as session:
        client = FeedClient(session, server.url)
        channels = await client.channel_list()
    assert len(channels) == asked * 4 == 8


async def test_an_address_with_a_slash(hass: HomeAssistant) -> None:
    """An address that ends in a slash is no playlist of the feed that has no slug."""
    async with (
        ScriptedServer.run(lambda _: Reply(200, document(9))) as server,
        following(hass) as house,
    ):
        await name_hosts(hass, server.url)
        house.put(EVENINGS, 1, f"{server.url}/weekly/")
        house.feed.documents[key(1)].pop("slug", None)
        await house.follow(f"/{EVENINGS}")
        assert house.listed() == ["Playlist 1", "Playlist 9"]


async def test_a_playlist_that_is_gone(hass: HomeAssistant) -> None:
    """A playlist that its host does not have any more is not offered, one that cannot be read now is."""
    replies = [Reply(200, document(11)), Reply(500), Reply(404)]

    async with (
        ScriptedServer.run(lambda _: replies[0]) as server,
        following(hass) as house,
    ):
        await name_hosts(hass, server.url)
        house.put(EVENINGS, 1, f"{server.url}/11")
        await house.follow(f"/{EVENINGS}")
        (channel,) = house.followed
        for titles in (["Playlist 1", "Playlist 11"],) * 2 + (["Playlist 1"],):
            channel._by_channel.clear()
            house.library.feed_server._documents.clear()
            assert await house.look() == []
            assert house.listed() == titles
            replies.pop(0)


TODAY = date(2026, 11, 22)


def test_removed_and_restored() -> None:
    """A playlist that comes back is no news, unless it was away for very long; one in a channel that was empty is."""
    assert new_playlists({}, ["a"], TODAY)[0] == ["a"]
    _, seen = new_playlists(None, ["a", "b"], TODAY)
    for day in range(1, 90):
        _, seen = new_playlists(seen, ["a"], TODAY + timedelta(days=day))
    back = TODAY + timedelta(days=90)
    assert new_playlists(seen, ["a", "b"], back)[0] == []
    _, seen = new_playlists(seen, ["a"], back + timedelta(days=1))
    new, seen = new_playlists(seen, ["a", "b"], back + timedelta(days=1))
    assert new == ["b"] and seen["b"] == back + timedelta(days=1)
