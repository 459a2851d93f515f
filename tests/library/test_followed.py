"""Test followed channels and publishers: their new playlists are news, each once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.dp1.data import DATA
from custom_components.dp1.library.followed import FollowedChannels
from custom_components.dp1.library.news import NEWS, NewsItem
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.util import dt as dt_util

from tests.client.scripted_server import Reply, ScriptedServer
from tests.displays import name_hosts, playlist, state_of, until
from tests.libraries import DID, library_entry, set_up
from tests.simulators.feed import Fault, FeedSimulator

EVENINGS = "0b0c7f9a-94d3-4f2b-9f37-6f6a35a3a111"
NIGHTS = "0b0c7f9a-94d3-4f2b-9f37-6f6a35a3a222"
FOREIGN = "0f9a8a36-4f6c-4f0c-8c7e-00000000ffff"


def key(number: int) -> str:
    """Return the id of a playlist."""
    return f"0f9a8a36-4f6c-4f0c-8c7e-{number:012}"


def document(number: int) -> dict[str, Any]:
    """Return a playlist."""
    return playlist("Tide", id=key(number), title=f"Playlist {number}")


@dataclass
class Feed:
    """A feed with channels, and what is told of it."""

    hass: HomeAssistant
    feed: FeedSimulator
    entry: MockConfigEntry
    told: list[dict[str, Any]] = field(default_factory=list)

    @property
    def followed(self) -> FollowedChannels:
        """Return what is followed."""
        return self.hass.data[DATA].followed[self.entry.entry_id]

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

    async def look(self) -> list[str]:
        """Look, and return the titles of what was told."""
        self.told.clear()
        await self.followed.async_look()
        return [told["title"] for told in self.told]

    async def call(self, action: str, **data: Any) -> Any:
        """Call an action."""
        return await self.hass.services.async_call(
            "dp1", f"{action}_channel", data, blocking=True, return_response=True
        )


@asynccontextmanager
async def following(hass: HomeAssistant, family: Any = "v2") -> AsyncIterator[Feed]:
    """Set up a library of a feed with two channels."""
    async with FeedSimulator(family, random_seed=1) as simulator:
        entry = library_entry(simulator.url, title="Gallery")
        house = Feed(hass, simulator, entry)
        house.put(EVENINGS, 1, 2)
        house.put(NIGHTS, 3)
        await set_up(hass, entry)
        await entry.runtime_data.async_refresh()

        @callback
        def note(item: NewsItem) -> None:
            """Note news of channels."""
            if item.kind == "channel_playlist":
                house.told.append(item.attributes)

        stop = async_dispatcher_connect(hass, NEWS, note)
        yield house
        stop()


@pytest.mark.usefixtures("socket_enabled")
@pytest.mark.parametrize("family", ["v2", "signed", "ts"])
async def test_new_playlists_are_told(hass: HomeAssistant, family: str) -> None:
    """The first look is silent; afterwards each new playlist is told once, by its identity, and by the event entity."""
    async with following(hass, family) as house:
        told = await house.call("follow", channel="evenings")
        assert (told["title"], told["playlists"]) == ("Evenings", 2)
        assert told["following"] == ["Evenings"]
        # The older signature of a TypeScript feed does not contain its key.
        verdicts = [(found["role"], found["valid"]) for found in told["verified"]]
        assert verdicts == [(None, None) if family == "ts" else ("feed", True)]
        assert await house.look() == []
        house.put(EVENINGS, 2, 1)
        assert await house.look() == []
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
        # Removed, and back again.
        house.put(EVENINGS, 5, 2)
        assert await house.look() == []
        house.put(EVENINGS, 5, 2, 4, 1)
        assert await house.look() == []


@pytest.mark.usefixtures("socket_enabled")
async def test_within_half_an_hour_and_over_restarts(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """It is looked at within half an hour; following survives a restart, and what is new meanwhile is told."""
    async with following(hass) as house:
        await house.call("follow", channel=EVENINGS)
        house.put(EVENINGS, 1, 2, 4)
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(minutes=30))
        await until(lambda: len(house.told) == 1)
        await hass.config_entries.async_unload(house.entry.entry_id)
        house.put(EVENINGS, 1, 2, 4, 5)
        await hass.config_entries.async_setup(house.entry.entry_id)
        await hass.async_block_till_done()
        assert [follow.title for follow in house.followed.follows] == ["Evenings"]
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(minutes=5))
        await until(lambda: len(house.told) == 2)
        assert house.told[1]["title"] == "Playlist 5"
        # The library is removed, with what it follows.
        await hass.config_entries.async_remove(house.entry.entry_id)
        assert house.entry.entry_id not in hass.data[DATA].followed
        assert f"dp1.followed.{house.entry.entry_id}" not in hass_storage


@pytest.mark.usefixtures("socket_enabled")
async def test_a_playlist_group(hass: HomeAssistant) -> None:
    """A playlist group is found, followed and told of like a channel, with its curator as publisher."""
    async with following(hass) as house:
        house.put(EVENINGS, 5)
        group = {"title": "Wing", "curator": "Ada", "playlists": [key(5)]}
        (held,) = house.feed.seed(groups=[group])
        await house.entry.runtime_data.feed_coordinator.async_look_now()
        told = await house.call("follow", channel="Wing")
        assert (told["title"], told["playlists"]) == ("Wing", 1)
        house.put(EVENINGS, 5, 6)
        table = house.feed._feed.groups
        table.rows.pop(held["id"])
        house.feed.seed(
            groups=[{**group, "id": held["id"], "playlists": [key(5), key(6)]}]
        )
        assert await house.look() == ["Playlist 6"]
        assert house.told[0]["channel"] == "Wing"
        told = await house.call("follow", publisher="Ada")
        assert told["playlists"] == 2


@pytest.mark.usefixtures("socket_enabled")
async def test_two_channels_and_a_publisher(hass: HomeAssistant) -> None:
    """A playlist in two followed channels is told once; a new channel of a publisher has new playlists."""
    async with following(hass) as house:
        await house.call("follow", channel="Evenings")
        browsed = f"media-source://dp1/{house.entry.entry_id}/channel/{NIGHTS}"
        await house.call("follow", media_content_id=browsed)
        for channel, others in ((EVENINGS, (1, 2)), (NIGHTS, (3,))):
            house.put(channel, 6, *others)
        assert await house.look() == ["Playlist 6"]

        told = await house.call("follow", publisher="INES")
        assert (told["title"], told["playlists"]) == ("Ines", 4)
        again = await house.call("follow", publisher="Ines")
        assert again["following"] == ["Evenings", "Nights", "Ines"]
        late = "0b0c7f9a-94d3-4f2b-9f37-6f6a35a3a333"
        house.put(late, 7, 1, title="Late")
        assert await house.look() == ["Playlist 7"]
        assert house.told[0]["channel"] == "Late"

        left = await house.call("unfollow", publisher="ines")
        assert left["following"] == ["Evenings", "Nights"]
        await house.call("unfollow", channel="evenings")
        await house.call("unfollow", media_content_id=browsed)
        house.put(EVENINGS, 8, 1)
        assert await house.look() == []
        for data, text in (
            ({"channel": "Nights"}, "not followed"),
            ({"channel": "Nowhere"}, "no library has a channel called"),
            ({"publisher": "Nobody"}, "no library has a channel of the publisher"),
            ({"media_content_id": browsed.replace("channel", "playlist")}, "neither"),
            ({}, "exactly one"),
        ):
            with pytest.raises(HomeAssistantError, match=f"(?i){text}"):
                await house.call("unfollow", **data)


@pytest.mark.usefixtures("socket_enabled")
async def test_unchanged_channel_with_another_playlist(hass: HomeAssistant) -> None:
    """An address whose playlist is replaced by another is told although the channel has not changed; its slug tells nothing."""
    other = {**document(9), "id": FOREIGN, "title": "Elsewhere"}
    async with (
        ScriptedServer.run(lambda _: Reply(200, other)) as server,
        following(hass) as house,
    ):
        url = f"{server.url}/api/v1/playlists/weekly"
        await name_hosts(hass, server.url)
        house.put(EVENINGS, 1, url)
        told = await house.call("follow", channel="Evenings")
        assert told["playlists"] == 2
        feed = house.entry.runtime_data.feed_coordinator
        other |= {"id": key(10), "title": "Next week", "slug": "x"}
        found: list[str] = []
        for _ in range(4):
            feed._documents.clear()
            found += await house.look()
        assert found == ["Next week"]
        assert house.told == []
        # The slug of a known playlist changes.
        house.put(EVENINGS, 1, f"{url}-2")
        feed._documents.clear()
        assert await house.look() == []


@pytest.mark.usefixtures("socket_enabled")
async def test_a_feed_that_fails(hass: HomeAssistant) -> None:
    """A look that fails tells nothing and forgets nothing; nothing is followed that cannot be read."""
    async with following(hass) as house:
        await house.call("follow", channel="Evenings")
        house.put(EVENINGS, 1, 2, 4)
        house.feed.faults.append(Fault(status=500))
        assert await house.look() == []
        house.feed.faults.clear()
        assert await house.look() == ["Playlist 4"]
        house.feed.faults.append(Fault(status=500))
        with pytest.raises(HomeAssistantError):
            await house.call("follow", channel="Nights")
        house.feed.faults.clear()
        assert [follow.title for follow in house.followed.follows] == ["Evenings"]


@pytest.mark.usefixtures("socket_enabled")
async def test_a_thousand_playlists(hass: HomeAssistant) -> None:
    """A long channel costs few requests, and one more playlist is found."""
    async with following(hass) as house:
        house.put(EVENINGS, *range(10, 1000))
        await house.call("follow", channel="Evenings")
        before = house.feed.request_count
        assert await house.look() == []
        assert await house.look() == []
        assert house.feed.request_count - before <= 12
        house.put(EVENINGS, *range(10, 1001))
        assert await house.look() == ["Playlist 1000"]


@pytest.mark.usefixtures("socket_enabled")
async def test_which_library(hass: HomeAssistant) -> None:
    """A library can be named, needs a feed, and must have read it."""
    async with following(hass) as house:
        entry_id = house.entry.entry_id
        data = {"config_entry_id": entry_id, "channel": "Evenings"}
        for action in ("follow", "unfollow"):
            await hass.services.async_call(
                "dp1", f"{action}_channel", data, blocking=True
            )
        plain = await set_up(hass, library_entry(None, "http://127.0.0.1:9"))
        with pytest.raises(HomeAssistantError, match="has no feed"):
            await house.call("follow", config_entry_id=plain.entry_id, channel="x")
        root = f"media-source://dp1/{entry_id}/nothing/at/all"
        with pytest.raises(HomeAssistantError, match="neither a channel"):
            await house.call("follow", media_content_id=root)
        silent = await set_up(hass, library_entry("http://127.0.0.1:9/api/v1"))
        with pytest.raises(HomeAssistantError, match="refused the connection"):
            await house.call("follow", config_entry_id=silent.entry_id, channel="x")
        for entry in (plain, silent, house.entry):
            await hass.config_entries.async_unload(entry.entry_id)
        with pytest.raises(HomeAssistantError, match="no loaded library"):
            await house.call("follow", channel="Evenings")
