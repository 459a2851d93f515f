"""Test one playlist of several media: cast, published, read back and changed."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import voluptuous as vol

from homeassistant.components.homeassistant.exposed_entities import (
    async_expose_entity as expose_entity,
)
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import llm
from homeassistant.helpers.llm import LLMContext, ToolInput
from homeassistant.setup import async_setup_component

from .calls import failure, writes

from tests.displays import ENTITY_ID, until
from tests.galleries import EVENING, SMALL, Gallery
from tests.simulators.catalog.simulator import CatalogSimulator

pytestmark = pytest.mark.usefixtures("impatience")

SUNRISE = {
    "media_content_id": "https://art.example/sunrise.png",
    "title": "Sunrise",
    "note": "It is the first morning of spring.",
}
FILM = "https://art.example/film.mp4"


def media_of(gallery: Gallery) -> list[Any]:
    """Return media of four sources: favorites, a feed, a catalog, and addresses."""
    return [
        gallery.media_id(f"playlist/{EVENING}"),
        SUNRISE,
        "dp1://favorites",
        {
            "media_content_id": FILM,
            "media_content_type": "video/mp4",
            "metadata": {"title": "as the media picker gives it"},
        },
    ]


async def add_favorite(gallery: Gallery) -> str:
    """Make a work of the catalog a favorite, and return its title."""
    exhibition = await gallery.browse(gallery.media_id(gallery.exhibition(SMALL)))
    series = await gallery.browse(exhibition.children[0].media_content_id)
    added = await gallery.call(
        "add_favorite", media_content_id=series.children[0].media_content_id
    )
    return str(added["title"])


def titles(items: list[Any]) -> list[str | None]:
    return [item.get("title") for item in items]


async def test_several_media_make_one_playlist(gallery: Gallery) -> None:
    """Works of four sources hang side by side in their order, with a title and reasons."""
    favorite = await add_favorite(gallery)
    told = await gallery.cast(
        media=media_of(gallery), title="A day", note="From dawn to dusk."
    )
    wanted = ["Tide", "Dune", "Sunrise", favorite, "film"]
    assert told["title"] == "A day"
    assert told["items"] == len(wanted)
    assert titles(gallery.wall.state.items) == wanted
    assert len({item.get("id") for item in gallery.wall.state.items} - {None}) == 5
    assert gallery.attribute("media_playlist") == "A day"
    assert gallery.attribute("dp1")["note"] == "From dawn to dusk."
    await gallery.player("media_next_track")
    await gallery.player("media_next_track")
    await until(lambda: gallery.attribute("media_title") == "Sunrise")
    assert gallery.attribute("dp1")["note"] == SUNRISE["note"]


@pytest.fixture
async def public(hass: HomeAssistant, socket_enabled: None) -> AsyncIterator[Gallery]:
    """Set up a display and a library whose works are where everybody can load them."""
    async with Gallery.of(hass, catalog=CatalogSimulator(media_base=None)) as found:
        yield found


def action(name: str, variable: str, **data: Any) -> dict[str, Any]:
    """Return the step of a script."""
    return {"action": f"dp1.{name}", "data": data, "response_variable": variable}


async def test_published_read_back_and_changed(public: Gallery) -> None:
    """One automation casts five works of four sources, publishes them, reads them back verified, and changes them."""
    gallery = public
    favorite = await add_favorite(gallery)
    media = media_of(gallery)
    texts = {"title": "A day", "slug": "a-day", "note": "From dawn to dusk."}
    there = {"playlist_id": "{{ published.id }}"}
    changes = {"add": ["https://art.example/dusk.png"], "remove": [1]}
    unsigned = "{{ before.verified | rejectattr('valid') | list | count > 0 }}"
    told = {name: f"{{{{ {name} }}}}" for name in ("hung", "before", "read")}
    sequence = [
        action("cast_playlist", "hung", entity_id=ENTITY_ID, media=media),
        action("publish_playlist", "published", media=media, **texts),
        action("get_playlist", "before", **there),
        {"if": unsigned, "then": [{"stop": "nobody has signed it", "error": True}]},
        action("update_playlist", "changed", **there, **changes),
        action("get_playlist", "read", **there),
        {"variables": {"told": told}},
        {"stop": "done", "response_variable": "told"},
    ]
    script = {"sequence": sequence}
    assert await async_setup_component(
        gallery.hass, "script", {"script": {"day": script}}
    )
    heard: Any = await gallery.hass.services.async_call(
        "script", "day", blocking=True, return_response=True
    )
    wanted = ["Tide", "Dune", "Sunrise", favorite, "film"]
    assert heard["hung"][ENTITY_ID]["items"] == 5
    assert titles(gallery.wall.state.items) == wanted
    before, read = heard["before"], heard["read"]
    assert titles(before["playlist"]["items"]) == wanted
    assert before["verified"] and all(each["valid"] for each in before["verified"])
    document: Any = read["playlist"]
    assert titles(document["items"]) == ["Dune", "Sunrise", favorite, "film", "dusk"]
    assert document["title"] == "A day"
    assert document["note"] == {"text": "From dawn to dusk."}
    assert document["items"][1]["note"] == {"text": SUNRISE["note"]}
    verified: Any = read["verified"]
    assert verified and all(each["valid"] for each in verified)
    assert len({item.get("id") for item in document["items"]}) == 5


async def test_a_model_hangs_several_together(gallery: Gallery) -> None:
    """The tools of models hang what they found in the catalog, the feed and the favorites in one playlist, with their reason."""
    for component in ("homeassistant", "conversation"):
        assert await async_setup_component(gallery.hass, component, {})
    expose_entity(gallery.hass, "conversation", ENTITY_ID, True)
    favorite = await add_favorite(gallery)
    context = LLMContext("test", Context(), "en", "conversation", None)
    api = await llm.async_get_api(gallery.hass, "assist", context)

    async def call(tool: str, **args: Any) -> dict[str, Any]:
        result: Any = await api.async_call_tool(ToolInput(f"dp1__{tool}", args))
        assert not result.error, result.data
        return dict(result.data)

    async def found(**args: Any) -> dict[str, Any]:
        return dict((await call("find_art", **args))["results"][0])

    chosen = [
        await found(query="Evening", kind="playlist"),
        await found(query=favorite, kind="work"),
        await found(query=SMALL, kind="exhibition"),
    ]
    reason = "Grey outside, so it is bright in here."
    told = await call("show_art", ids=[each["id"] for each in chosen], note=reason)
    assert all(each["title"] in told["answer"] for each in chosen)
    shown = titles(gallery.wall.state.items)
    assert shown[:3] == ["Tide", "Dune", favorite]
    assert len(shown) > 4
    await until(lambda: gallery.attribute("dp1").get("note") == reason)


@pytest.mark.parametrize(
    "source",
    ["http://127.0.0.1:9/a.jpg", "http://frame.local/a.jpg", "http://0x7f.1:9/a.jpg"],
)
async def test_what_nobody_else_could_load_is_not_published(
    gallery: Gallery, source: str
) -> None:
    """A list with an address of the home, which its owner may read, is refused, and nothing is sent, unless what is there may be left out."""
    media = ["https://art.example/1.png", source]
    key, told = await failure(gallery.hass, "publish_playlist", media=media)
    assert (key, told) == ("works_at_home", {"count": "1", "works": "2"})
    alone = {"media": media[1:], "only_public": True}
    assert (await failure(gallery.hass, "publish_playlist", **alone))[0] == key
    assert not writes(gallery.feed)
    told = await gallery.call("publish_playlist", media=media, only_public=True)
    assert len(gallery.feed.documents[told["id"]]["items"]) == 1


async def test_much_is_said_of_all_works(gallery: Gallery) -> None:
    """What a playlist says of its works is not written once for each of them, however many there are."""
    document = gallery.feed.documents[EVENING]
    document["items"] = 500 * document["items"]
    document["defaults"] = {"display": {"background": f"#{'f' * 1_000_000}"}}
    media_id = gallery.media_id(f"playlist/{EVENING}")
    what = {"media": [media_id], "title": "Long"}
    refused = await failure(gallery.hass, "publish_playlist", **what)
    assert refused[0] == "medium_failed"
    assert not writes(gallery.feed)


async def test_a_medium_that_fails_is_named(gallery: Gallery) -> None:
    """One medium that has nothing, or only works that are looked up when it is shown, keeps all from being shown, and the error says which."""
    document = gallery.feed.documents[EVENING]
    del document["items"]
    document["dynamicQuery"] = {"endpoint": "https://example.org"}
    gallery.wall.reset_counters()
    for node, reason in (("exhibition/none", ""), (f"playlist/{EVENING}", "to show")):
        media = [FILM, gallery.media_id(node)]
        key, told = await failure(
            gallery.hass, "cast_playlist", entity_id=ENTITY_ID, media=media
        )
        assert (key, told["place"]) == ("medium_failed", "2")
        assert reason in str(told)
    assert not gallery.wall.writes


async def test_bad_lists_are_refused(
    gallery: Gallery,
    subtests: pytest.Subtests,
) -> None:
    """A list has media, each with an id and short texts, and an end."""
    for media in [
        [],
        [{"title": "no id"}],
        [{"media_content_id": "x", "note": "n" * 501}],
        ["x"] * 101,
    ]:
        with subtests.test(media=media), pytest.raises(vol.Invalid):
            await gallery.call("cast_playlist", entity_id=ENTITY_ID, media=media)
