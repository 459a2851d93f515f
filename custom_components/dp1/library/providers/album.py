"""Albums as a provider: folders of the home's own pictures and films, which are read again when somebody looks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, override
from uuid import uuid5

from lru import LRU

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant
from homeassistant.util.hass_dict import HassKey

from ...client.errors import NotFoundError
from ...client.playlist.document import build
from ...client.playlist.playlist import Origin, Playlist
from ...client.text import MAX_TITLE, clean
from ...const import DOMAIN
from ..folder import (
    CONF_FOLDER,
    CONF_ORDER,
    FOLDER_PREFIX,
    Album,
    File,
    Order,
    dated,
    items_of,
)
from ..item import WORK_IDS, Item
from ..listing import Lazy
from ..node import Inside, NodeKind, key_of, media_id, node_id, split_node_id
from ..search import Lines, line_of
from .hidden import Hidden
from .provider import Provider, Source, source_of

SUBENTRY_ALBUM: Final = "album"
# Albums that nobody has named, by their folders.
FOLDERS: Final[HassKey[LRU[str, Album]]] = HassKey(f"{DOMAIN}_folders")
MAX_FOLDERS: Final = 32


class Albums(Provider):
    """The albums of a library."""

    kinds = (NodeKind.ALBUM, NodeKind.PHOTO)
    is_personal = True
    surprise = "albums"

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        on_change: CALLBACK_TYPE,
        hidden: Hidden,
    ) -> None:
        """Initialize the albums of a config entry, with the works that are hidden."""
        super().__init__(hass, entry, on_change)
        self._hidden = hidden
        subentries = entry.get_subentries_of_type(SUBENTRY_ALBUM)
        self.albums = tuple(
            Album(it.subentry_id, it.title, it.data) for it in subentries
        )
        self.is_used = bool(self.albums)
        self.lines = [
            Lines(
                hass,
                lambda: self.albums,
                lambda album: [line_of(album.title)],
                lambda album, _: album_node(album),
            ),
            *map(self._photos_of, self.albums),
        ]

    def _photos_of(self, album: Album) -> Lines[File]:
        """Return the lines of the pictures of an album, as far as it was read."""
        return Lines(
            self.hass,
            lambda: album.files,
            lambda file: [line_of(file.title or file.name)],
            lambda file, _: photo_node(album, file),
        )

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return an album, or a picture in it by its media id."""
        match split_node_id(node):
            case NodeKind.ALBUM, [_]:
                return album_node(self._album(node))
            case NodeKind.PHOTO, [_, photo]:
                album = self._album(node)
                await album.async_files(self.hass)
                for file in await album.async_detailed(self.hass, _named(album, photo)):
                    return photo_node(album, file)
                raise NotFoundError(
                    "the picture is not there", translation_key="album_empty"
                )
        return await super().async_node(node, patience)

    @override
    async def async_pages(self, item: Item, limit: int) -> Inside:
        """Return the pictures of an album, which are read now; of what is shuffled in the order of their names."""
        if item.kind != NodeKind.ALBUM:
            return await super().async_pages(item, limit)
        album = self._album(item.id)
        order = Order.NAME if album.order is Order.SHUFFLED else album.order
        files = await album.async_shown(self.hass, now=True, order=order)
        return Inside(Lazy(files, partial(photo_node, album)))

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Build the playlist of the pictures that are shown now, which displays follow, or of one."""
        album, followed = self._album(item.id), ""
        if item.kind == NodeKind.ALBUM:
            files = await album.async_shown(self.hass, limit)
            followed = media_id(self.entry.entry_id, item.id)
        else:
            named = _named(album, key_of(item))
            files, _ = await self.hass.async_add_executor_job(dated, self.hass, named)
            files = await album.async_detailed(self.hass, files)
        if not files:
            raise NotFoundError(
                f"{album.title!r} has no picture that can be shown",
                translation_key="album_empty",
            )
        items = items_of(self.hass, files, album, self._hidden.keys)
        # Its id stays the same.
        own_id = str(uuid5(WORK_IDS, item.id))
        built = self.build_items(replace(item, title=album.title), items, id=own_id)
        return replace(built, followed=followed)

    def _album(self, node: str) -> Album:
        """Return an album by the id of its subentry, the first key of its nodes."""
        key = split_node_id(node)[1][0]
        for album in self.albums:
            if album.key == key:
                return album
        raise NotFoundError(
            f"no album was added as {key!r}", translation_key="album_empty"
        )

    @override
    def roots(self) -> list[Item]:
        """Return the albums."""
        return list(map(album_node, self.albums))

    @override
    def sources(self) -> Sequence[Sequence[Source]]:
        """Return the albums."""
        return [(source_of(node),) for node in self.roots()]

    @override
    def surprises(self) -> Iterator[str]:
        """Yield the pictures, or the album as long as nobody has read it."""
        for album in self.albums:
            if not album.files:
                yield node_id(NodeKind.ALBUM, album.key)
            for file in album.files:
                yield node_id(NodeKind.PHOTO, album.key, file.media_id)


def _named(album: Album, media_id: str) -> list[File]:
    """Return the picture with a media id, and nothing that is not in the folder."""
    return [file for file in album.files if file.media_id == media_id]


def album_node(album: Album) -> Item:
    """Return the node of an album."""
    return Item(
        id=node_id(NodeKind.ALBUM, album.key),
        kind=NodeKind.ALBUM,
        title=album.title,
        can_play=True,
        can_expand=True,
        works=len(album.files) or None,
        thumbnail=next((it.picture for it in album.files if it.picture), ""),
    )


def photo_node(album: Album, file: File) -> Item:
    """Return the node of a picture."""
    return Item(
        id=node_id(NodeKind.PHOTO, album.key, file.media_id),
        kind=NodeKind.PHOTO,
        title=file.title or clean(file.name, MAX_TITLE),
        can_play=True,
        thumbnail=file.picture,
        subtitle=album.title,
    )


async def async_folder_playlist(
    hass: HomeAssistant, text: str, limit: int | None = None
) -> Playlist:
    """Return the playlist of a folder that nobody has named, which displays follow: the newest first.

    Raises:
        NotFoundError: there is no such folder, or nothing in it that can be shown.
    """
    folder = text.removeprefix(FOLDER_PREFIX)
    albums = hass.data.setdefault(FOLDERS, LRU(MAX_FOLDERS))
    if folder not in albums:
        albums[folder] = Album(
            folder, "", {CONF_FOLDER: folder, CONF_ORDER: Order.NEWEST}
        )
    album = albums[folder]
    if not (shown := await album.async_shown(hass, limit, now=True)):
        raise NotFoundError(
            "the folder has no picture that can be shown", translation_key="album_empty"
        )
    title = album.title or DOMAIN
    items = items_of(hass, shown, album)
    return Playlist(
        document=build(title, items, id=str(uuid5(WORK_IDS, folder))),
        origin=Origin.OURS,
        title=title,
        node_id=text,
        followed=f"{FOLDER_PREFIX}{folder}",
        is_personal=True,
    )
