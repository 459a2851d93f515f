"""Test one playlist of several media: cast, published, read back and changed."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import voluptuous as vol

from homeassistant.components.homeassistant.exposed_entities import (
    async_expose_entity as expose_entity,
)
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import llm
from homeassistant.helpers.llm import LLMContext, ToolInput
from homeassistant.setup import async_setup_component

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


async def test_works_that_are_looked_up_later(gallery: Gallery) -> None:
    """A playlist whose works are looked up when it is shown has none to hang beside others."""
    document = gallery.feed.documents[EVENING]
    del document["items"]
    document["dynamicQuery"] = {"endpoint": "https://example.org"}
    media_id = gallery.media_id(f"playlist/{EVENING}")
    with pytest.raises(ServiceValidationError) as raised:
        await gallery.cast(media=[media_id, FILM])
    assert raised.value.translation_key == "medium_failed"
    assert "nothing to show" in str(raised.value)


@pytest.fixture
async def public(hass: HomeAssistant, socket_enabled: None) -> AsyncIterator[Gallery]:
    """Set up a display and a library whose works are where everybody can load them."""
    async with Gallery.of(hass, catalog=CatalogSimulator(media_base=None)) as found:
        yield found


async def test_published_read_back_and_changed(public: Gallery) -> None:
    """One automation casts five works of four sources, publishes them, reads them back verified, and changes them."""
    gallery = public
    favorite = await add_favorite(gallery)
    script = {
        "sequence": [
            {
                "action": "dp1.cast_playlist",
                "data": {"entity_id": ENTITY_ID, "media": media_of(gallery)},
                "response_variable": "hung",
            },
            {
                "action": "dp1.publish_playlist",
                "data": {
                    "media": media_of(gallery),
                    "title": "A day",
                    "slug": "a-day",
                    "note": "From dawn to dusk.",
                },
                "response_variable": "published",
            },
            {
                "action": "dp1.get_playlist",
                "data": {"playlist_id": "{{ published.id }}"},
                "response_variable": "before",
            },
            {
                "if": "{{ before.verified | rejectattr('valid') | list | count > 0 }}",
                "then": [{"stop": "nobody has signed it", "error": True}],
            },
            {
                "action": "dp1.update_playlist",
                "data": {
                    "playlist_id": "{{ published.id }}",
                    "add": ["https://art.example/dusk.png"],
                    "remove": [1],
                },
            },
            {
                "action": "dp1.get_playlist",
                "data": {"playlist_id": "{{ published.id }}"},
                "response_variable": "read",
            },
            {
                "variables": {
                    "told": {
                        "hung": "{{ hung }}",
                        "before": "{{ before }}",
                        "read": "{{ read }}",
                    }
                }
            },
            {"stop": "done", "response_variable": "told"},
        ]
    }
    assert await async_setup_component(
        gallery.hass, "script", {"script": {"day": script}}
    )
    told: Any = await gallery.hass.services.async_call(
        "script", "day", blocking=True, return_response=True
    )
    wanted = ["Tide", "Dune", "Sunrise", favorite, "film"]
    assert told["hung"][ENTITY_ID]["items"] == 5
    assert titles(gallery.wall.state.items) == wanted
    before, read = told["before"], told["read"]
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


async def test_what_nobody_else_could_load_is_not_published(
    gallery: Gallery,
    subtests: pytest.Subtests,
) -> None:
    """An address of the home is refused, with the place of the work and what to do; nothing is sent."""
    for source in [
        "http://192.168.1.5/a.jpg",
        "http://nas/a.jpg",
        "http://frame.local/a.jpg",
        "http://[fd00::1]/a.jpg",
        "media-source://dp1/01JABCDEF/exhibition/1",
        "file:///etc/passwd",
    ]:
        with subtests.test(source=source):
            document = {
                "dpVersion": "1.1.0",
                "title": "Home",
                "items": [{"source": "https://art.example/1.png"}, {"source": source}],
            }
            gallery.feed.log.clear()
            for data in (
                {"playlist": document},
                {"media": ["https://art.example/1.png", source]},
            ):
                if source.startswith(("media-source", "file")) and "media" in data:
                    continue
                with pytest.raises(ServiceValidationError) as raised:
                    await gallery.call("publish_playlist", **data)
                if "media" in data:
                    assert raised.value.translation_key == "works_at_home"
                else:
                    assert raised.value.translation_key == "playlist_invalid"
                    assert "items[1].source" in str(raised.value)
            assert not [asked for asked in gallery.feed.log if asked.method == "POST"]


async def test_much_is_said_of_all_works(gallery: Gallery) -> None:
    """What a playlist says of its works is not written once for each of them, however many there are."""
    document = gallery.feed.documents[EVENING]
    document["items"] = 500 * document["items"]
    document["defaults"] = {"display": {"background": f"#{'f' * 1_000_000}"}}
    media_id = gallery.media_id(f"playlist/{EVENING}")
    gallery.feed.log.clear()
    with pytest.raises(ServiceValidationError) as raised:
        await gallery.call("publish_playlist", media=[media_id], title="Long")
    assert raised.value.translation_key == "medium_failed"
    assert not [asked for asked in gallery.feed.log if asked.method == "POST"]


async def test_a_medium_that_fails_is_named(gallery: Gallery) -> None:
    """One medium that has nothing keeps all from being shown, and the error says which."""
    gallery.wall.reset_counters()
    with pytest.raises(HomeAssistantError) as raised:
        await gallery.cast(
            media=["https://art.example/1.png", gallery.media_id("exhibition/none")]
        )
    assert raised.value.translation_key == "medium_failed"
    assert (raised.value.translation_placeholders or {})["place"] == "2"
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
