"""Hidden works: they are left out of every list that goes to a display."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback

from ..client.playlist.playlist import Origin, Playlist
from ..errors import invalid_input
from ..language import async_message
from ..library.index import places_of
from ..library.libraries import async_libraries
from ..library.node import NodeKind

# Of the error about a playlist of which nothing is left.
ALL_HIDDEN: Final = "all_hidden"


@callback
def hidden_keys(hass: HomeAssistant) -> frozenset[str]:
    """Return by what the hidden works of all libraries are recognized."""
    return frozenset().union(*(each.hidden.keys for each in async_libraries(hass)))


@callback
def visible[T: Mapping[str, Any]](hass: HomeAssistant, items: Sequence[T]) -> list[T]:
    """Return the items of a playlist that are not hidden, or raise ServiceValidationError if all are."""
    keys = hidden_keys(hass)
    left = [
        it for it in items if not keys or keys.isdisjoint(places_of(it.get("source")))
    ]
    if items and not left:
        raise invalid_input(ALL_HIDDEN, count=str(len(items)))
    return left


def with_warning(playlist: Playlist, warning: str) -> Playlist:
    """Return a playlist of which something else is said, too."""
    return replace(
        playlist, warning=". ".join(filter(None, (playlist.warning, warning)))
    )


@callback
def without_hidden(hass: HomeAssistant, playlist: Playlist) -> Playlist:
    """Return a playlist without the hidden works, with a warning; as it is if it has none, or is one work that was asked for.

    Raises:
        ServiceValidationError: it has nothing else.
    """
    items = playlist.items
    if len(items) < 2 or playlist.node_id == NodeKind.HIDDEN:
        return playlist
    left = visible(hass, items)
    if not (hidden := len(items) - len(left)):
        return playlist
    told = invalid_input("some_hidden", hidden=str(hidden), count=str(len(items)))
    return replace(
        with_warning(playlist, async_message(hass, told)),
        url=None,
        document={**playlist.document, "items": left},
        origin=playlist.origin if playlist.url is None else Origin.OURS,
        left_out=hidden,
    )
