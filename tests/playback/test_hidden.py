"""Test hidden works: they are left out of whatever is shown, and come back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from pytest_homeassistant_custom_component.common import (
    MockUser,
    async_fire_time_changed,
)

from custom_components.dp1.display.wall import WALLS
from custom_components.dp1.displays import async_displays, find_display
from custom_components.dp1.playback.groups import GROUPS, Groups
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.util import dt as dt_util

from tests.displays import ENTITY_ID, entry_of, playlist, set_up, state_of, until
from tests.galleries import CHANNEL, EVENING, SMALL, Gallery
from tests.houses import served
from tests.simulators.display import DisplaySimulator

MANY = playlist(
    "Dawn", "Noon", "Dusk", id="385f79b6-a45f-4c1c-8080-e93a192add99", title="Day"
)
for number, item in enumerate(MANY["items"], 101):
    item["id"] = f"5d0c9d5e-0000-4000-8000-{number:012}"
OLD, NEW = "https://cdn.feralfileassets.com", "https://cdn.artworks.feralfile.io"
MANY["items"][1]["source"] = f"{OLD}/previews/a/1/preview.mp4"


def on_wall(gallery: Gallery) -> list[str]:
    """Return the titles of the works that the display has."""
    return [item["title"] for item in gallery.wall.player.items]


async def cast(gallery: Gallery, **what: Any) -> list[str]:
    """Cast, and return what is on the wall."""
    await gallery.cast(**what)
    return on_wall(gallery)


async def hide(gallery: Gallery, action: str = "hide_work", **what: Any) -> None:
    """Hide or take back a work, by default that on the display."""
    target = what or {"entity_id": ENTITY_ID}
    await gallery.hass.services.async_call("dp1", action, target, blocking=True)


async def hide_current(gallery: Gallery, **what: Any) -> list[str]:
    """Show a list, hide its first work, see that the display goes on without it, and return all titles."""
    titles = await cast(gallery, **what)
    assert len(titles) > 1
    await until(lambda: gallery.attribute("media_title") == titles[0])
    await hide(gallery)
    assert on_wall(gallery) == titles[1:]
    assert gallery.wall.player.index == 0
    return titles


@pytest.mark.parametrize(
    "what",
    [
        {"exhibition": SMALL},
        {"series": ""},
        {"playlist_id": EVENING},
        {"playlist": MANY},
        {"playlist_url": EVENING},
        {"media_content_id": f"playlist/{EVENING}"},
        {"media_content_id": f"channel/{CHANNEL}"},
    ],
    ids=lambda what: "-".join(map(str, next(iter(what.items()))))[:24],
)
async def test_a_hidden_work_is_left_out(gallery: Gallery, what: Any) -> None:
    """The display goes on without it, also when it is cast again, and with it once it is taken back."""
    if "series" in what:
        inside = await gallery.library.async_children(gallery.exhibition(SMALL))
        what = {"series": next(node.title for node in inside.nodes)}
    elif what.get("playlist_url"):
        what = {"playlist_url": f"{gallery.feed.url}/playlists/{EVENING}"}
    elif node := what.get("media_content_id"):
        what = {"media_content_id": gallery.media_id(node)}
    titles = await hide_current(gallery, **what)
    answer = await gallery.cast(**what)
    assert on_wall(gallery) == titles[1:]
    told = f"Hidden works that are left out: 1 of {len(titles)}"
    assert answer["warning"] == told
    await until(lambda: gallery.attribute("dp1")["left_out"] == 1)
    (hidden,) = (await gallery.library.async_children("hidden")).nodes
    await hide(gallery, "unhide_work", media_content_id=gallery.media_id(hidden.id))
    assert await cast(gallery, **what) == titles
    await until(lambda: gallery.attribute("dp1")["left_out"] is None)
    assert "hidden" not in {node.id for node in gallery.library.roots()}


async def test_it_is_hidden_in_other_lists(gallery: Gallery) -> None:
    """A work is known by what its address means, in a list that somebody else made, after a restart and in the queue."""
    await hide_current(gallery, playlist=MANY)
    await hide(gallery)
    await gallery.hass.config_entries.async_reload(gallery.entry.entry_id)
    other = playlist("Moon", "Stars", id="385f79b6-a45f-4c1c-8080-e93a192add98")
    moon, stars = other["items"]
    moon |= {"id": EVENING, "source": f"{NEW}/previews/a/1/preview.mp4"}
    stars["source"] = "https://art.example.org/stars"
    assert await cast(gallery, playlist=other) == ["Stars"]
    await gallery.player(
        "play_media",
        media_content_id=gallery.media_id(f"playlist/{EVENING}"),
        media_content_type="playlist",
        enqueue="add",
    )
    # The first work of the evening has the address of the first that was hidden.
    assert on_wall(gallery) == ["Stars", "Dune"]
    with pytest.raises(ServiceValidationError, match="All 2 works of it are hidden"):
        await gallery.cast(playlist={**MANY, "items": MANY["items"][:2]})
    # Who names one work means it.
    assert await cast(gallery, playlist={**MANY, "items": MANY["items"][:1]}) == [
        "Dawn"
    ]
    assert await cast(gallery, media_content_id="dp1://hidden") == ["Noon", "Dawn"]


async def test_a_list_that_is_sent_unread(gallery: Gallery) -> None:
    """Of a list at an address that is not asked for a member of the household, but which the display reads, it is told that hidden works may be there."""
    user = MockUser(name="Member").add_to_hass(gallery.hass)
    user.mock_policy({"entities": True})
    member = Context(user_id=user.id)
    async with served(MANY, MANY) as urls:

        async def warning(url: str) -> str:
            """Cast as a member, and return what is told."""
            answer = await gallery.hass.services.async_call(
                "dp1",
                "cast_playlist",
                {"entity_id": ENTITY_ID, "playlist_url": url},
                blocking=True,
                return_response=True,
                context=member,
            )
            assert len(on_wall(gallery)) == 3
            return str(answer[ENTITY_ID].get("warning", ""))

        assert await warning(urls[0]) == ""
        await until(lambda: gallery.attribute("media_title") == "Dawn")
        await hide(gallery)
        assert "Hidden works of" in await warning(urls[1])


async def test_a_phone_shows_what_it_casts(gallery: Gallery) -> None:
    """What somebody else casts is shown: it was asked for."""
    await hide_current(gallery, playlist=MANY)
    await until(lambda: gallery.attribute("dp1")["left_out"] == 1)
    gallery.wall.player.load(MANY)
    gallery.wall.poller.force()
    await until(lambda: gallery.attribute("media_title") == "Dawn")
    assert on_wall(gallery) == ["Dawn", "Noon", "Dusk"]
    await until(lambda: gallery.attribute("dp1")["left_out"] is None)


async def test_what_hangs_without_it_is_one_list(gallery: Gallery) -> None:
    """It stands once in what was shown recently, also if a display shows it before it answers."""
    await cast(gallery, playlist=MANY)
    await until(lambda: gallery.attribute("media_title") == "Dawn")
    gallery.wall.inject("late", command="displayPlaylist", seconds=1.0)
    await hide(gallery)
    await until(lambda: gallery.attribute("media_title") == "Noon")
    (display,) = async_displays(gallery.hass)
    assert [entry.title for entry in display.history.entries()] == ["Day"]


@asynccontextmanager
async def joined(gallery: Gallery) -> AsyncIterator[DisplaySimulator]:
    """Let another display show the same."""
    async with DisplaySimulator(
        profile="B", device_id="FF1-00000002", poll_interval=0.1, storm_gate=False
    ) as other:
        other.caster.preflight = False
        entry = entry_of(other, unique_id="FF1-00000002", title="Other")
        await set_up(gallery.hass, entry)
        await gallery.player("join", group_members=["media_player.other"])
        yield other


async def test_what_was_shown_is_shown_without_it(gallery: Gallery) -> None:
    """What is shown again from the history, and what all of a group show."""
    async with joined(gallery) as other:
        await hide_current(gallery, playlist=MANY)
        left = ["Noon", "Dusk"]
        await until(lambda: [item["title"] for item in other.player.items] == left)
        display = find_display(gallery.hass, ENTITY_ID).runtime_data
        (shown,) = display.history.entries()
        await cast(gallery, playlist=playlist("Bell"))
        await gallery.play(shown.media_id, "")
        assert on_wall(gallery) == left
        await until(lambda: [item["title"] for item in other.player.items] == left)


async def test_it_is_taken_back_by_the_answer(gallery: Gallery) -> None:
    """Who hides the work on a display, also one of no library, is told how to take it back, and pages say which works are hidden."""
    await cast(gallery, playlist=MANY)
    answer = await gallery.call("hide_work", entity_id=ENTITY_ID)
    (hidden,) = answer["hidden"]
    assert hidden["title"] == "Dawn"
    page = await gallery.browse(gallery.media_id("hidden"))
    (work,) = (child.as_dict(parent=False) for child in page.children)
    assert work["media_content_id"] == hidden["media_content_id"]
    assert work["dp1"]["hidden"] is True
    taken = {"media_content_id": hidden["media_content_id"]}
    await hide(gallery, "unhide_work", **taken)
    assert await cast(gallery, playlist=MANY) == ["Dawn", "Noon", "Dusk"]


async def test_the_last_one(gallery: Gallery) -> None:
    """A display that shows nothing else shows nothing then; what comes back after a while is hidden, not the message."""
    await cast(gallery, playlist={**MANY, "items": MANY["items"][:1]})
    await gallery.cast(playlist=playlist("Bell"), show_for={"hours": 1})
    await hide(gallery)
    assert on_wall(gallery) == ["Bell"]
    (hidden,) = (await gallery.library.async_children("hidden")).nodes
    assert hidden.title == "Dawn"
    await hide(gallery, "show_previous")
    await until(lambda: on_wall(gallery) == [])


@pytest.mark.parametrize("how", ["in time", "show_previous"])
async def test_all_are_hidden_meanwhile(gallery: Gallery, how: str) -> None:
    """A message ends, and nothing hangs then, where each work behind it was hidden by its media id."""
    series = await gallery.library.async_children(gallery.exhibition(SMALL))
    title, node = next((it.title, it.id) for it in series.nodes)
    shown = await cast(gallery, series=title)
    await gallery.cast(playlist=playlist("Bell"), show_for={"hours": 1})
    for work in (await gallery.library.async_children(node)).nodes:
        await hide(gallery, media_content_id=gallery.media_id(work.id))
    assert len(shown) > 1
    assert on_wall(gallery) == ["Bell"]
    if how == "in time":
        later = dt_util.utcnow() + timedelta(minutes=61)
        async_fire_time_changed(gallery.hass, later)
    else:
        await hide(gallery, how)
    await until(lambda: on_wall(gallery) == [])
    await until(lambda: gallery.attribute("dp1")["until"] is None)


async def test_no_favorite_is_hidden(gallery: Gallery) -> None:
    """Favorites and hidden works exclude each other, in both directions; only works are hidden."""
    library, exhibition = gallery.library, gallery.exhibition(SMALL)
    series = (await library.async_children(exhibition)).nodes[0]
    work = (await library.async_children(series.id)).nodes[0]
    media_id = gallery.media_id(work.id)
    for action, favorite, hidden in (
        ("add_favorite", True, False),
        ("hide_work", False, True),
        ("add_favorite", True, False),
    ):
        await hide(gallery, action, media_content_id=media_id)
        assert (library.favorites.has(work.id), library.hidden.has(work.id)) == (
            favorite,
            hidden,
        )
    with pytest.raises(ServiceValidationError, match="is not hidden"):
        await hide(gallery, "unhide_work", media_content_id=media_id)
    with pytest.raises(ServiceValidationError, match="Choose a single work"):
        await hide(gallery, media_content_id=gallery.media_id(exhibition))


async def hear(gallery: Gallery) -> None:
    """Show a message for five seconds."""
    bell = playlist("Bell")
    await gallery.cast(playlist=bell, show_for={"seconds": 5})
    assert on_wall(gallery) == ["Bell"]


async def restart(hass: HomeAssistant) -> None:
    """Read what is kept of groups and walls anew, as a start does."""
    displays = list(async_displays(hass))
    for display in displays:
        await display.wall.async_save()
    hass.data.pop(WALLS)
    groups = hass.data[GROUPS] = Groups(hass)
    await groups.async_load()
    for display in displays:
        await hass.config_entries.async_reload(display.entry_id)


async def phone_shows_all(gallery: Gallery) -> None:
    """Let a phone show a list, at its last work, of which the first was hidden."""
    await hide_current(gallery, playlist=MANY)
    gallery.wall.player.load(MANY)
    gallery.wall.player.handle("moveToArtwork", {"index": 2})
    gallery.wall.poller.force()
    await until(lambda: gallery.attribute("media_title") == "Dusk")


@pytest.mark.parametrize(
    "between",
    ["nothing", "a restart", "a phone", "one more", "one less", "an addition"],
)
async def test_what_was_covered_comes_back(gallery: Gallery, between: str) -> None:
    """What a message has covered comes back at its place: no other work less, and none more."""
    back, place, hass = ["Dawn", "Noon", "Dusk"], "Dusk", gallery.hass
    await phone_shows_all(gallery)
    if between == "one more":
        back, place = ["Noon", "Dusk"], "Noon"
        await gallery.cast(playlist=MANY)
    await hear(gallery)
    match between:
        case "a restart":
            await restart(hass)
        case "a phone":
            back, place = ["Moon"], "Moon"
            gallery.wall.player.load(playlist("Moon"))
            gallery.wall.poller.force()
            await until(lambda: gallery.attribute("dp1")["until"] is None)
        case "one more":
            (hidden,) = (await gallery.library.async_children("hidden")).nodes
            taken = gallery.media_id(hidden.id)
            await hide(gallery, "unhide_work", media_content_id=taken)
        case "one less":
            back, place = ["Dawn", "Noon"], "Dawn"
            await hide(gallery)
        case "an addition":
            # The other work of the evening has the address of the hidden one.
            back = [*back, "Dune"]
            await gallery.player(
                "play_media",
                media_content_id=gallery.media_id(f"playlist/{EVENING}"),
                media_content_type="playlist",
                enqueue="add",
            )
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=6))
    await until(lambda: on_wall(gallery) == back)
    await until(lambda: gallery.attribute("media_title") == place)


async def test_what_is_covered_for_a_time(gallery: Gallery) -> None:
    """A work that is hidden during a message is taken out of each list that it has covered."""
    hass = gallery.hass
    await gallery.cast(playlist=MANY)
    await until(lambda: gallery.attribute("media_title") == "Dawn")
    guests = {**MANY, "title": "Guests", "items": MANY["items"][:2]}
    await gallery.cast(playlist=guests, show_for={"hours": 1})
    await hear(gallery)
    await hide(gallery)
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=6))
    await until(lambda: on_wall(gallery) == ["Noon"])
    (display,) = async_displays(hass)
    await until(lambda: len(display.wall.notes.announced) == 1)
    await until(lambda: gallery.attribute("media_title") == "Noon")
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(hours=2))
    await until(lambda: on_wall(gallery) == ["Noon", "Dusk"])


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("where", ["the leader", "the member", "both"])
async def test_never_again_in_a_group(
    gallery: Gallery, where: str, is_restarted: bool
) -> None:
    """The list of the group goes on without the work, on all at the same one, wherever it was hidden; what a phone cast is the same on all."""
    async with joined(gallery) as other:
        await phone_shows_all(gallery)
        titles = ["Dawn", "Noon", "Dusk"]
        await until(lambda: [item["title"] for item in other.player.items] == titles)
        await until(lambda: other.state.current_title == "Dusk")
        targets = {
            "the leader": [ENTITY_ID],
            "the member": ["media_player.other"],
            "both": [ENTITY_ID, "media_player.other"],
        }
        await hear(gallery)
        await hide(gallery, "show_previous")
        await until(lambda: on_wall(gallery) == titles)
        await until(lambda: gallery.attribute("media_title") == "Dusk")
        if is_restarted:
            await restart(gallery.hass)
            await until(lambda: gallery.attribute("media_title") == "Dusk")
            member = "media_player.other"
            await until(
                lambda: (
                    state_of(gallery.hass, member).attributes.get("media_title")
                    == "Dusk"
                )
            )
        await hide(gallery, entity_id=targets[where])
        for wall in (gallery.wall, other):
            await until(lambda: [it["title"] for it in wall.player.items] == titles[:2])  # noqa: B023
            await until(lambda: wall.state.current_title == "Dawn")  # noqa: B023
        assert len((await gallery.library.async_children("hidden")).nodes) == 2


async def test_a_work_that_claims_to_be_others(gallery: Gallery) -> None:
    """Hidden is what hangs, and nothing whose id or token a stranger wrote on it: favorites stay, and so do their hearts."""
    library = gallery.library
    (series, *_) = (await library.async_children(gallery.exhibition(SMALL))).nodes
    nodes = f"playlist/{EVENING}", series.id
    claimed = []
    for node in nodes:
        (first, *_) = (await library.async_children(node)).nodes
        await gallery.call("add_favorite", media_content_id=gallery.media_id(first.id))
        claimed.append((await library.async_build_playlist(first.id)).items[0])
    kept = library.favorites.nodes()
    junk = playlist("Junk", "More", id=EVENING, title="Evening")
    junk["items"][0] |= {
        "id": claimed[0]["id"],
        "provenance": claimed[1]["provenance"],
        "source": "https://art.example.org/junk",
    }
    await gallery.cast(playlist=junk)
    await until(lambda: gallery.attribute("media_title") == "Junk")
    assert gallery.attribute("dp1")["favorite"] is False
    (told,) = (await gallery.call("hide_work", entity_id=ENTITY_ID))["hidden"]
    assert told["title"] == "Junk"
    assert on_wall(gallery) == ["More"]
    assert library.favorites.nodes() == kept
    for node in nodes:
        media = gallery.media_id(node)
        answer = await gallery.cast(media_content_id=media)
        assert "warning" not in answer
