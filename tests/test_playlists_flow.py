"""Test the pages of a library's options that publish what hangs, and change and remove what is published."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.dp1.client.playlist.signing import SigningKey, sign
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from .client.timing import impatient
from .displays import ENTITY_ID, playlist, until
from .flows import begin_options, fill, outcome
from .libraries import library_entry, set_up, suggested
from .simulators.feed import FeedSimulator
from .walls import Wall

pytestmark = pytest.mark.usefixtures("socket_enabled")
OTHERS = SigningKey.generate()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts."""
    impatient(monkeypatch)


def of_others() -> dict[str, Any]:
    """Return a playlist that is signed with another key."""
    other_id = "385f79b6-a45f-4c1c-8080-000000000000"
    document = playlist("D", title="Theirs", id=other_id, slug="theirs")
    return {**document, "signatures": [sign(document, OTHERS, now=dt_util.utcnow())]}


def offered(form: Any) -> dict[str, str]:
    """Return the playlists that a page offers, by their titles."""
    options = form["data_schema"].schema["playlist"].config["options"]
    return {each["label"].rpartition(" (")[0]: each["value"] for each in options}


@dataclass
class Pages:
    """A library with a feed, and the pages of its options."""

    hass: HomeAssistant
    feed: FeedSimulator
    entry: MockConfigEntry

    async def fill(self, form: Any, **values: Any) -> Any:
        return await fill(self.hass, form, **values)

    async def open(self, step: str) -> Any:
        return await begin_options(self.hass, self.entry.entry_id, step)

    async def choose(self, title: str) -> Any:
        """Choose one of the playlists."""
        page = await self.open("playlists")
        return await self.fill(page, playlist=offered(page)[title])

    async def of_evening(self, step: str) -> Any:
        """Choose what to do with the playlist of ours."""
        assert list(offered(await self.open("playlists"))) == ["Evening"]
        menu = await self.choose("Evening")
        assert menu["menu_options"] == ["show", "rename", "reorder", "remove"]
        assert menu["description_placeholders"]["works"] == "3"
        return await self.fill(menu, next_step_id=step)

    async def act(self, action: str, **data: Any) -> None:
        await self.hass.services.async_call("dp1", action, data, blocking=True)

    def stored(self, title: str) -> tuple[str, dict[str, Any]]:
        """Return the id and the document of a playlist of the feed."""
        (one,) = (it for it in self.feed.documents.items() if it[1]["title"] == title)
        return one

    @property
    def titles(self) -> list[str]:
        return sorted(document["title"] for document in self.feed.documents.values())


@pytest.fixture
async def pages(hass: HomeAssistant) -> AsyncIterator[Pages]:
    """Set up a library whose feed has playlists of ours and of others."""
    async with FeedSimulator("signed", random_seed=1) as feed:
        feed.seed([of_others()], verbatim=True)
        pages = Pages(hass, feed, await set_up(hass, library_entry(feed.url)))
        await pages.act("publish_playlist", playlist=playlist("A", "B", "C"))
        yield pages


async def test_what_cards_offer(
    pages: Pages, hass_ws_client: WebSocketGenerator, hass_read_only_access_token: str
) -> None:
    """Cards offer the playlists of each feed that can be changed, to administrators only."""
    client = await hass_ws_client(pages.hass)
    await client.send_json_auto_id({"type": "dp1/playlists"})
    answer = (await client.receive_json())["result"]
    entry = {"entry": pages.entry.entry_id}
    assert answer["feeds"] == [{**entry, "name": pages.entry.title}]
    playlist_id, _ = pages.stored("Evening")
    name = f"media-source://dp1/{pages.entry.entry_id}/playlist/{playlist_id}"
    own = {**entry, "id": playlist_id, "title": "Evening", "media_content_id": name}
    assert answer["playlists"] == [own]
    client = await hass_ws_client(pages.hass, hass_read_only_access_token)
    await client.send_json_auto_id({"type": "dp1/playlists"})
    assert (await client.receive_json())["error"]["code"] == "unauthorized"


async def test_rename(pages: Pages) -> None:
    """A playlist of ours gets another title; a feed that is down says so, and can be tried again."""
    form = await pages.of_evening("rename")
    assert suggested(form) == {"title": "Evening"}
    await pages.feed.stop()
    form = await pages.fill(form, title="Night")
    assert outcome(form) == {"base": "not_done"}
    assert "refused the connection" in form["description_placeholders"]["reason"]
    assert suggested(form) == {"title": "Night"}
    await pages.feed.start()
    assert outcome(await pages.fill(form, title="Night")) == "rename_done"
    assert pages.titles == ["Night", "Theirs"]


async def test_change_the_order(pages: Pages) -> None:
    """Works change places, and one that is left out is taken out."""
    form = await pages.of_evening("reorder")
    assert suggested(form)["works"] == ["1", "2", "3"]
    (selector,) = form["data_schema"].schema.values()
    choice = selector.serialize()["selector"]["select"]
    assert [option["label"] for option in choice["options"]] == ["A", "B", "C"]
    assert choice["reorder"]
    assert outcome(await pages.fill(form, works=["3", "1"])) == "reorder_done"
    _, document = pages.stored("Evening")
    assert [item["title"] for item in document["items"]] == ["C", "A"]


async def test_the_order_of_what_was_shown(pages: Pages) -> None:
    """Works that come and go while the page is open do not change which ones are meant, and what nobody saw stays."""
    form = await pages.of_evening("reorder")
    playlist_id, _ = pages.stored("Evening")
    for change in ({"add": [{"source": "https://art.example/d"}]}, {"remove": [1]}):
        await pages.act("update_playlist", playlist_id=playlist_id, **change)
    assert outcome(await pages.fill(form, works=["3"])) == "reorder_done"
    sources = [item["source"] for item in pages.feed.documents[playlist_id]["items"]]
    assert sources == ["https://art.example.org/3", "https://art.example/d"]


async def test_remove(pages: Pages) -> None:
    """A playlist is removed once that is confirmed; with none left, the page says so."""
    form = await pages.of_evening("remove")
    assert form["description_placeholders"]["title"] == "Evening"
    assert len(pages.feed.documents) == 2
    assert outcome(await pages.fill(form)) == "remove_done"
    assert pages.titles == ["Theirs"]
    assert outcome(await pages.open("playlists")) == "no_playlists"


async def test_a_playlist_that_is_removed_meanwhile(pages: Pages) -> None:
    """A playlist that somebody else removes while the page is open is not offered again."""
    dawn = playlist("D", id=str(uuid4()), title="Dawn", slug="dawn")
    await pages.act("publish_playlist", playlist=dawn)
    page = await pages.open("playlists")
    assert set(offered(page)) == {"Dawn", "Evening"}
    gone = offered(page)["Evening"]
    await pages.act("delete_playlist", playlist_id=gone)
    again = await pages.fill(page, playlist=gone)
    assert outcome(again) == "playlists"
    assert list(offered(again)) == ["Dawn"]


async def test_what_cannot_be_read(pages: Pages) -> None:
    """A page that needs the feed ends with why it does not answer; a library without a feed has none."""
    menu = await pages.choose("Evening")
    await pages.feed.stop()
    pages.entry.runtime_data.feed_server._documents.clear()
    reorder = await pages.fill(menu, next_step_id="reorder")
    for end in (reorder, await pages.open("playlists")):
        assert outcome(end) == "not_read"
        assert "refused the connection" in end["description_placeholders"]["reason"]
    entry = library_entry("http://127.0.0.1:9/api/v1")
    entry.add_to_hass(pages.hass)
    for step in ("playlists", "publish"):
        end = await begin_options(pages.hass, entry.entry_id, step)
        assert outcome(end) == "no_feed"


async def test_words_of_a_feed(pages: Pages) -> None:
    """What a feed says of itself leads nowhere: how a page ends is shown as Markdown."""
    menu = await pages.choose("Evening")
    pages.entry.runtime_data.feed_server._documents.clear()
    body = {"error": "bad_request", "message": "[here](http://evil.example) **now**"}
    pages.feed.fault(status=400, body=body, times=None)
    end = await pages.fill(menu, next_step_id="reorder")
    assert outcome(end) == "not_read"
    reason = end["description_placeholders"]["reason"]
    assert "here" in reason
    assert "[here]" not in reason and "**" not in reason and "://" not in reason


async def test_who_has_an_api_key_may_change_everything(
    hass: HomeAssistant, feed: FeedSimulator
) -> None:
    """Whoever has signed a playlist of such a feed."""
    feed.seed([of_others()], verbatim=True)
    entry = await set_up(hass, library_entry(feed.url, api_key=feed.api_key))
    page = await begin_options(hass, entry.entry_id, "playlists")
    assert list(offered(page)) == ["Theirs"]


async def test_publish_what_hangs(wall: Wall, pages: Pages) -> None:
    """The display that shows something is chosen, and nothing is published before that is confirmed."""
    assert suggested(await pages.open("publish")) == {}
    await wall.load(playlist("Dawn", title="Morning"))
    form = await pages.open("publish")
    assert suggested(form) == {"entity_id": ENTITY_ID}
    assert pages.titles == ["Evening", "Theirs"]
    end = await pages.fill(form, entity_id=ENTITY_ID, title="Breakfast")
    assert outcome(end) == "publish_done"
    assert end["description_placeholders"]["url"].startswith(pages.feed.url)
    assert list(offered(await pages.open("playlists"))) == ["Breakfast", "Evening"]


async def test_works_of_the_home(wall: Wall, pages: Pages) -> None:
    """Works that only this home can load are counted and, once that is confirmed, left out."""
    mixed = playlist("Dawn", "Noon", "Dusk", title="Day")
    for item in mixed["items"][1:]:
        item["source"] = "http://127.0.0.1:9/work.png"
    await wall.load(mixed)
    form = await pages.fill(await pages.open("publish"), entity_id=ENTITY_ID)
    assert outcome(form) == "leave_out"
    counts = form["description_placeholders"]
    assert (counts["count"], counts["works"]) == ("2", "3")
    assert len(pages.feed.documents) == 2
    assert outcome(await pages.fill(form)) == "leave_out_done"
    _, document = pages.stored("Day")
    assert [item["title"] for item in document["items"]] == ["Dawn"]
    # Of nothing but such works, nothing is left.
    await wall.load({**mixed, "title": "Night", "items": mixed["items"][1:]})
    form = await pages.fill(await pages.open("publish"), entity_id=ENTITY_ID)
    assert (form["step_id"], outcome(form)) == ("publish", {"base": "not_done"})


async def test_show(wall: Wall, pages: Pages) -> None:
    """A playlist of ours is shown on a display; a title with marks of Markdown is as it is in a heading."""
    title = "Evening, again"
    playlist_id, _ = pages.stored("Evening")
    await pages.act("update_playlist", playlist_id=playlist_id, title=title)
    form = await pages.fill(await pages.choose(title), next_step_id="show")
    assert form["description_placeholders"]["heading"] == title
    assert suggested(form) == {"entity_id": ENTITY_ID}
    assert outcome(await pages.fill(form, entity_id=ENTITY_ID)) == "show_done"
    await until(lambda: wall.display.state.playlist_title == title)
