"""The source list of a display: what all libraries offer to choose from, under names that are unique."""

from collections.abc import Iterable, Iterator

from ..client.display.casts import Cast
from ..client.display.player_status import PlayerStatus
from ..display.state import DisplayData
from ..library.library import Library
from ..library.tree import media_id


class SourceList:
    """The sources of all libraries, as they are at one time."""

    def __init__(self, libraries: Iterable[Library]) -> None:
        """Name each source; a name that an older library has is completed by the library's own."""
        self._libraries = tuple(libraries)
        self._media_ids: dict[str, str] = {}
        self._names: dict[tuple[str, str], str] = {}
        taken: set[str] = set()
        for library in self._libraries:
            for own, node in library.sources().items():
                name = next(
                    it for it in _names(own, library) if it.casefold() not in taken
                )
                taken.add(name.casefold())
                self._names[library.entry_id, own] = name
                self._media_ids[name] = media_id(library.entry_id, node)

    @property
    def names(self) -> list[str]:
        """List what can be chosen."""
        return list(self._media_ids)

    def media_id(self, name: str) -> str | None:
        """Tell what a name stands for."""
        return self._media_ids.get(name)

    def shown(self, data: DisplayData) -> str | None:
        """Name the source that hangs, whoever hung it, if that can be told for certain."""
        player = _given(data.assumed) if data.assumed else data.player
        if player is None or not (player.items or data.assumed):
            return None
        for library in self._libraries:
            own = library.source_of(player)
            if own is not None and (name := self._names.get((library.entry_id, own))):
                return name
        return None


def _given(cast: Cast) -> PlayerStatus:
    """Say what a display shows that cannot say it itself."""
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
    """Offer names for a source, the best first."""
    yield own
    yield f"{own} ({library.title})"
    number = 2
    while True:
        yield f"{own} ({library.title} {number})"
        number += 1
