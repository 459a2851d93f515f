"""The source list of a display: the sources of all libraries under unique names."""

from collections.abc import Iterable, Iterator

from ..client.display.casts import Cast
from ..client.display.player_status import PlayerStatus
from ..coordinator import DisplayData
from ..library.library import Library
from ..library.node import media_id


class SourceList:
    """The sources of all libraries at one time."""

    def __init__(self, libraries: Iterable[Library]) -> None:
        """Name each source; a name that is taken gets the title of the library appended."""
        self._libraries = tuple(libraries)
        self._media_ids: dict[str, str] = {}
        self._names: dict[tuple[str, str], str] = {}
        taken: set[str] = set()
        for library in self._libraries:
            for own, node in library.sources().items():
                name = next(
                    name
                    for name in _names(own, library)
                    if name.casefold() not in taken
                )
                taken.add(name.casefold())
                self._names[library.entry_id, own] = name
                self._media_ids[name] = media_id(library.entry_id, node)

    @property
    def names(self) -> list[str]:
        """Return the source list."""
        return list(self._media_ids)

    def media_id(self, name: str) -> str | None:
        """Return the media id of a source, whatever the case of its name."""
        folded = name.casefold()
        found = (
            key for own, key in self._media_ids.items() if own.casefold() == folded
        )
        return next(found, None)

    def shown(self, data: DisplayData) -> str | None:
        """Return the source that a display shows, if that is certain."""
        player = _assumed_player(data.assumed) if data.assumed else data.player
        if player is None or not (player.items or data.assumed):
            return None
        for library in self._libraries:
            own = library.source_of(player)
            if own is not None and (name := self._names.get((library.entry_id, own))):
                return name
        return None


def _assumed_player(cast: Cast) -> PlayerStatus:
    """Return the player status of a display that cannot report it."""
    document = cast.playlist or {}
    return PlayerStatus.parse(
        {
            "ok": True,
            "playlistUrl": cast.playlist_url,
            "playlist": document,
            "items": document.get("items"),
        }
    )


def _names(own: str, library: Library) -> Iterator[str]:
    """Yield names for a source, best first."""
    yield own
    yield f"{own} ({library.title})"
    number = 2
    while True:
        yield f"{own} ({library.title} {number})"
        number += 1
