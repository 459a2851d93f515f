"""Test the pages of a library's options that publish what hangs, and change and remove what is published."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.client.playlist.signing import SigningKey, sign
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from .client.timing import impatient
from .displays import ENTITY_ID, playlist, state_of, until
from .flows import begin_options, fill, outcome
from .libraries import library_entry, set_up, suggested
from .simulators.display import DisplaySimulator
from .simulators.feed import FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")
OTHERS = SigningKey.generate()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts."""
    impatient(monkeypatch, 3.0)


@pytest.fixture
async def signed() -> AsyncIterator[FeedSimulator]:
    async with FeedSimulator("signed", random_seed=1) as simulator:
        yield simulator


@pytest.fixture
async def library(hass: HomeAssistant, signed: FeedSimulator) -> MockConfigEntry:
    """Set up a library whose feed has playlists of ours and of others."""
    signed.seed([of_others()], verbatim=True)
    entry = await set_up(hass, library_entry(signed.url))
    await act(hass, "publish_playlist", playlist=playlist("A", "B", "C"))
    return entry


def of_others() -> dict[str, Any]:
    """Return a playlist that is signed with another key."""
    other_id = "385f79b6-a45f-4c1c-8080-000000000000"
    document = playlist("D", title="Theirs", id=other_id, slug="theirs")
    return {**document, "signatures": [sign(document, OTHERS, now=dt_util.utcnow())]}


async def open_page(hass: HomeAssistant, entry: MockConfigEntry, step: str) -> Any:
    return await begin_options(hass, entry.entry_id, step)


def stored(feed: FeedSimulator, title: str) -> tuple[str, dict[str, Any]]:
    """Return the id and the document of a playlist of the feed."""
    (one,) = (it for it in feed.documents.items() if it[1]["title"] == title)
    return one


async def act(hass: HomeAssistant, action: str, **data: Any) -> None:
    await hass.services.async_call("dp1", action, data, blocking=True)


def offered(form: Any) -> dict[str, str]:
    """Return the playlists that a page offers, by their titles."""
    options = form["data_schema"].schema["playlist"].config["options"]
    return {each["label"].rpartition(" (")[0]: each["value"] for each in options}


async def of_evening(hass: HomeAssistant, entry: MockConfigEntry, step: str) -> Any:
    """Choose what to do with the playlist of ours."""
    page = await open_page(hass, entry, "playlists")
    assert list(offered(page)) == ["Evening"]
    menu = await fill(hass, page, playlist=offered(page)["Evening"])
    assert menu["menu_options"] == ["show", "rename", "reorder", "remove"]
    assert menu["description_placeholders"]["works"] == "3"
    return await fill(hass, menu, next_step_id=step)


async def test_rename(
    hass: HomeAssistant, signed: FeedSimulator, library: MockConfigEntry
) -> None:
    """A playlist of ours gets another title; a feed that is down says so, and can be tried again."""
    form = await of_evening(hass, library, "rename")
    assert suggested(form) == {"title": "Evening"}
    await signed.stop()
    form = await fill(hass, form, title="Night")
    assert outcome(form) == {"base": "not_done"}
    assert "refused the connection" in form["description_placeholders"]["reason"]
    assert suggested(form) == {"title": "Night"}
    await signed.start()
    assert outcome(await fill(hass, form, title="Night")) == "rename_done"
    titles = [document["title"] for document in signed.documents.values()]
    assert sorted(titles) == ["Night", "Theirs"]


async def test_change_the_order(
    hass: HomeAssistant, signed: FeedSimulator, library: MockConfigEntry
) -> None:
    """Works change places, and one that is left out is taken out."""
    form = await of_evening(hass, library, "reorder")
    assert suggested(form)["works"] == ["1", "2", "3"]
    (selector,) = form["data_schema"].schema.values()
    choice = selector.serialize()["selector"]["select"]
    assert [option["label"] for option in choice["options"]] == ["A", "B", "C"]
    assert choice["reorder"]
    assert outcome(await fill(hass, form, works=["3", "1"])) == "reorder_done"
    _, document = stored(signed, "Evening")
    assert [item["title"] for item in document["items"]] == ["C", "A"]


async def test_the_order_of_what_was_shown(
    hass: HomeAssistant, signed: FeedSimulator, library: MockConfigEntry
) -> None:
    """Works that come and go while the page is open do not change which ones are meant, and what nobody saw stays."""
    form = await of_evening(hass, library, "reorder")
    playlist_id, _ = stored(signed, "Evening")
    for change in ({"add": [{"source": "https://art.example/d"}]}, {"remove": [1]}):
        await act(hass, "update_playlist", playlist_id=playlist_id, **change)
    assert outcome(await fill(hass, form, works=["3"])) == "reorder_done"
    sources = [item["source"] for item in signed.documents[playlist_id]["items"]]
    assert sources == ["https://art.example.org/3", "https://art.example/d"]


async def test_remove(
    hass: HomeAssistant, signed: FeedSimulator, library: MockConfigEntry
) -> None:
    """A playlist is removed once that is confirmed; with none left, the page says so."""
    form = await of_evening(hass, library, "remove")
    assert form["description_placeholders"]["title"] == "Evening"
    assert len(signed.documents) == 2
    assert outcome(await fill(hass, form)) == "remove_done"
    assert [it["title"] for it in signed.documents.values()] == ["Theirs"]
    assert outcome(await open_page(hass, library, "playlists")) == "no_playlists"


async def test_a_playlist_that_is_removed_meanwhile(
    hass: HomeAssistant, library: MockConfigEntry
) -> None:
    """A playlist that somebody else removes while the page is open is not offered again."""
    dawn = playlist("D", id=str(uuid4()), title="Dawn", slug="dawn")
    await act(hass, "publish_playlist", playlist=dawn)
    page = await open_page(hass, library, "playlists")
    assert set(offered(page)) == {"Dawn", "Evening"}
    gone = offered(page)["Evening"]
    await act(hass, "delete_playlist", playlist_id=gone)
    again = await fill(hass, page, playlist=gone)
    assert outcome(again) == "playlists"
    assert list(offered(again)) == ["Dawn"]


async def test_what_cannot_be_read(
    hass: HomeAssistant, signed: FeedSimulator, library: MockConfigEntry
) -> None:
    """A page that needs the feed ends with why it does not answer; a library without a feed has none."""
    page = await open_page(hass, library, "playlists")
    menu = await fill(hass, page, playlist=offered(page)["Evening"])
    await signed.stop()
    library.runtime_data.feed_server._documents.clear()
    for end in (
        await fill(hass, menu, next_step_id="reorder"),
        await open_page(hass, library, "playlists"),
    ):
        assert outcome(end) == "not_read"
        assert "refused the connection" in end["description_placeholders"]["reason"]
    entry = library_entry("http://127.0.0.1:9/api/v1")
    entry.add_to_hass(hass)
    for step in ("playlists", "publish"):
        assert outcome(await open_page(hass, entry, step)) == "no_feed"


async def test_words_of_a_feed(
    hass: HomeAssistant, signed: FeedSimulator, library: MockConfigEntry
) -> None:
    """What a feed says of itself leads nowhere: how a page ends is shown as Markdown."""
    page = await open_page(hass, library, "playlists")
    menu = await fill(hass, page, playlist=offered(page)["Evening"])
    library.runtime_data.feed_server._documents.clear()
    said = {"error": "bad_request", "message": "[here](http://evil.example) **now**"}
    signed.fault(status=400, body=said, times=None)
    end = await fill(hass, menu, next_step_id="reorder")
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
    page = await open_page(hass, entry, "playlists")
    assert list(offered(page)) == ["Theirs"]


@pytest.mark.usefixtures("setup_display")
async def test_publish_what_hangs(
    hass: HomeAssistant,
    signed: FeedSimulator,
    library: MockConfigEntry,
    display: DisplaySimulator,
) -> None:
    """The display that shows something is chosen, and nothing is published before that is confirmed."""
    form = await open_page(hass, library, "publish")
    assert suggested(form) == {}
    display.player.load(playlist("Dawn", title="Morning"))
    await until(lambda: hass.states.is_state(ENTITY_ID, "playing"))
    form = await open_page(hass, library, "publish")
    assert suggested(form) == {"entity_id": ENTITY_ID}
    assert len(signed.documents) == 2
    end = await fill(hass, form, entity_id=ENTITY_ID, title="Breakfast")
    assert outcome(end) == "publish_done"
    assert end["description_placeholders"]["url"].startswith(signed.url)
    page = await open_page(hass, library, "playlists")
    assert list(offered(page)) == ["Breakfast", "Evening"]


@pytest.mark.usefixtures("setup_display")
async def test_works_of_the_home(
    hass: HomeAssistant,
    signed: FeedSimulator,
    library: MockConfigEntry,
    display: DisplaySimulator,
) -> None:
    """Works that only this home can load are counted and, once that is confirmed, left out."""
    mixed = playlist("Dawn", "Noon", "Dusk", title="Day")
    for item in mixed["items"][1:]:
        item["source"] = "http://127.0.0.1:9/work.png"
    display.player.load(mixed)
    await until(lambda: hass.states.is_state(ENTITY_ID, "playing"))
    form = await open_page(hass, library, "publish")
    form = await fill(hass, form, entity_id=ENTITY_ID)
    assert outcome(form) == "leave_out"
    counts = form["description_placeholders"]
    assert (counts["count"], counts["works"]) == ("2", "3")
    assert len(signed.documents) == 2
    assert outcome(await fill(hass, form)) == "leave_out_done"
    _, document = stored(signed, "Day")
    assert [item["title"] for item in document["items"]] == ["Dawn"]
    # Of nothing but such works, nothing is left.
    at_home = {**mixed, "title": "Night", "items": mixed["items"][1:]}
    display.player.load(at_home)
    await until(lambda: state_of(hass).attributes.get("media_playlist") == "Night")
    form = await open_page(hass, library, "publish")
    form = await fill(hass, form, entity_id=ENTITY_ID)
    assert (form["step_id"], outcome(form)) == ("publish", {"base": "not_done"})


@pytest.mark.usefixtures("setup_display")
async def test_show(
    hass: HomeAssistant,
    signed: FeedSimulator,
    library: MockConfigEntry,
    display: DisplaySimulator,
) -> None:
    """A playlist of ours is shown on a display; a title with marks of Markdown is as it is in a heading."""
    ours, _ = stored(signed, "Evening")
    await act(hass, "update_playlist", playlist_id=ours, title="Evening, again")
    page = await open_page(hass, library, "playlists")
    menu = await fill(hass, page, playlist=offered(page)["Evening, again"])
    form = await fill(hass, menu, next_step_id="show")
    assert form["description_placeholders"]["heading"] == "Evening, again"
    assert suggested(form) == {"entity_id": ENTITY_ID}
    assert outcome(await fill(hass, form, entity_id=ENTITY_ID)) == "show_done"
    await until(lambda: display.state.playlist_title == "Evening, again")
