"""The works that come next on a display, as a page that cards ask for."""

from collections import Counter
from typing import Final

from homeassistant.components.media_player import BrowseMedia, MediaClass

from ..client.display.player_status import PlayerStatus, PlaylistItem
from ..client.playlist.manifest import Work
from ..client.text import clean
from ..const import DOMAIN
from ..coordinator import DisplayCoordinator
from ..display.metadata import picture_of
from ..library.entries import async_libraries
from .pages import DIRECTORY, PictureUrl

UP_NEXT: Final = f"{DOMAIN}://next"
MAX_WORKS = 12
TITLE_LENGTH = 200


def browse_up_next(
    coordinator: DisplayCoordinator, picture_url: PictureUrl
) -> BrowseMedia:
    """Return the works that come next, in playing order; their ids end with what ``dp1.show_work`` takes."""
    player = coordinator.data.player
    return BrowseMedia(
        media_class=MediaClass.DIRECTORY,
        media_content_id=UP_NEXT,
        media_content_type=DIRECTORY,
        title=coordinator.name,
        can_play=False,
        can_expand=True,
        children=[
            _media(coordinator, player, place, picture_url) for place in _places(player)
        ]
        if player
        else [],
        children_media_class=MediaClass.IMAGE,
    )


def up_next_picture(coordinator: DisplayCoordinator, media_id: str) -> str | None:
    """Return the URL of the picture of a work that comes next."""
    player = coordinator.data.player
    for place in _places(player) if player else ():
        if player and media_id == _media_id(player, place):
            return _picture(coordinator, player, player.items[place])
    return None


def _places(player: PlayerStatus) -> list[int]:
    """Return the places of the works that come next, counted from 0."""
    if player.position is None:
        return []
    places = range(player.position, player.position + len(player.items) - 1)
    if player.loop_mode == "none":
        return [place for place in places if place < len(player.items)][:MAX_WORKS]
    return [place % len(player.items) for place in places][:MAX_WORKS]


def _media(
    coordinator: DisplayCoordinator,
    player: PlayerStatus,
    place: int,
    picture_url: PictureUrl,
) -> BrowseMedia:
    """Return a work as an entry of the page."""
    item, media_id = player.items[place], _media_id(player, place)
    return BrowseMedia(
        media_class=MediaClass.IMAGE,
        media_content_id=media_id,
        media_content_type=MediaClass.IMAGE,
        title=_title(coordinator, item) or "",
        can_play=False,
        can_expand=False,
        thumbnail=picture_url(media_id)
        if _picture(coordinator, player, item)
        else None,
    )


def _title(coordinator: DisplayCoordinator, item: PlaylistItem) -> str | None:
    """Return the title of a work, as the display or else a library has it."""
    title = clean(item.title, TITLE_LENGTH) if item.title else None
    work = _work(coordinator, item)
    return title or (work.title if work else None)


def _media_id(player: PlayerStatus, place: int) -> str:
    """Name a work by its id, or by its place if that is not its own."""
    item_id = player.items[place].id
    is_own = item_id and Counter(player.item_ids)[item_id] == 1
    return f"{UP_NEXT}/{item_id if is_own else place + 1}"


def _picture(
    coordinator: DisplayCoordinator, player: PlayerStatus, item: PlaylistItem
) -> str | None:
    """Return the URL of the picture of a work."""
    return picture_of(item, _work(coordinator, item), player.playlist)


def _work(coordinator: DisplayCoordinator, item: PlaylistItem) -> Work | None:
    """Return what a library knows of a work without asking a server."""
    found = (library.known_work(item) for library in async_libraries(coordinator.hass))
    return next((work for work in found if work), None)


def next_title(coordinator: DisplayCoordinator) -> str | None:
    """Return the title of the work that comes next."""
    player = coordinator.data.player
    places = _places(player) if player else []
    return _title(coordinator, player.items[places[0]]) if player and places else None
