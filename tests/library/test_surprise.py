"""Test the surprise: works by weights, none of which comes again before all came."""

from typing import Any

import pytest

from custom_components.dp1.client.errors import NotFoundError
from homeassistant.exceptions import HomeAssistantError

from tests.displays import ENTITY_ID
from tests.galleries import READY_MADE, Gallery

ALONE = {"exhibitions": 0}


async def choose(gallery: Gallery, count: int) -> list[str]:
    """Return the ids of the items of a surprise."""
    built = await gallery.library.async_build_playlist("surprise", limit=count)
    return [item["id"] for item in built.items]


async def use(gallery: Gallery, **weights: Any) -> None:
    """Change the weights, which loads the library again."""
    options = {**gallery.entry.options, "surprise": weights}
    entries = gallery.hass.config_entries
    entries.async_update_entry(gallery.entry, options=options)
    await entries.async_reload(gallery.entry.entry_id)


async def like(gallery: Gallery, count: int) -> None:
    """Make works of several series favorites."""
    library = gallery.library
    for series in (await library.async_children(gallery.exhibition(READY_MADE))).nodes:
        for work in (await library.async_children(series.id)).nodes:
            if len(library.favorites.nodes()) < count:
                await library.async_add_favorite(work.id)
    assert len({item["id"] for item in library.favorites.items()}) == count


async def test_nothing_comes_again_before_all_came(gallery: Gallery) -> None:
    """Each favorite comes once in a round, also over restarts and with other weights in between; a hidden one never."""
    await like(gallery, 4)
    await use(gallery, **ALONE)
    all_items = [item["id"] for item in gallery.library.favorites.items()]
    first = await choose(gallery, 2)
    await use(gallery, **ALONE, favorites=3)
    second = await choose(gallery, 1)
    await use(gallery, favorites=0)
    assert not {*await choose(gallery, 2)} & {*all_items}
    await use(gallery, **ALONE)
    third = await choose(gallery, 1)
    assert sorted([*first, *second, *third]) == sorted(all_items)
    again = await choose(gallery, 4)
    assert sorted(again) == sorted(all_items)
    (item, *_) = gallery.library.favorites.items()
    (node,) = gallery.library.favorites.of_work(item)
    work = await gallery.library.async_node(node)
    gallery.library.async_hide(work, item)
    # Works with the same file are hidden with it.
    for _ in range(3):
        assert item["id"] not in await choose(gallery, 6)


async def test_exhibitions_and_weights(gallery: Gallery) -> None:
    """Exhibitions give one work each, favorites by their weight; a catalog that is away leaves what there is."""
    await like(gallery, 4)
    await use(gallery, favorites=10, exhibitions=1)
    favorites = {item["id"] for item in gallery.library.favorites.items()}
    chosen = [*await choose(gallery, 3), *await choose(gallery, 3)]
    # With a weight of ten to one, one of six is a favorite but for two times in a million.
    assert len({*chosen}) == 6 and favorites & {*chosen}
    await use(gallery, favorites=0)
    titles = await choose(gallery, 4)
    assert len({*titles}) == 4 and not favorites & {*titles}
    await gallery.catalog.stop()
    await use(gallery)
    assert await choose(gallery, 6)


async def test_a_surprise_is_cast(gallery: Gallery) -> None:
    """It is a source, an id for actions and a folder of the library, as long as there is something to choose from."""
    assert gallery.source_list[0] == "Surprise"
    answer = await gallery.cast(media_content_id="dp1://surprise", limit=2)
    assert (answer["title"], answer["items"]) == ("Surprise", 2)
    first = {item["id"] for item in gallery.wall.player.items}
    await gallery.player("select_source", source="Surprise")
    assert not first & {item["id"] for item in gallery.wall.player.items}
    assert (await gallery.library.async_node("surprise")).can_play
    await use(gallery, **ALONE)
    assert "surprise" not in {node.id for node in gallery.library.roots()}
    with pytest.raises(NotFoundError):
        await gallery.library.async_build_playlist("surprise")
    with pytest.raises(HomeAssistantError, match="nothing for a surprise yet"):
        await gallery.call(
            "cast_playlist", entity_id=ENTITY_ID, media_content_id="dp1://surprise"
        )


async def test_what_hangs_is_no_surprise(gallery: Gallery) -> None:
    """Where there is one other work, that comes first."""
    await use(gallery, **ALONE, favorites=1)
    await like(gallery, 2)
    for _ in range(8):
        hanging = gallery.wall.state.current_title
        await gallery.cast(media_content_id="dp1://surprise")
        assert gallery.wall.state.current_title != hanging
