"""Albums as a provider: folders of the home's own pictures and films, which are read again when somebody looks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
import time
from typing import Any, Final, override
from uuid import uuid5

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant

from ...client.errors import NotFoundError
from ...client.playlist.document import build
from ...client.playlist.playlist import Origin, Playlist
from ...client.text import MAX_TITLE, clean
from ...client.values import number
from ...const import DEFAULT_DURATION, DOMAIN
from ..folder import (
    FOLDER_PREFIX,
    MAX_SHOWN,
    File,
    Order,
    async_detailed,
    async_read_folder,
    items_of,
    ordered,
)
from ..item import WORK_IDS, Item
from ..listing import Lazy
from ..node import Inside, NodeKind, key_of, media_id, node_id, split_node_id
from ..search import Lines, line_of
from .provider import Provider, Source, source_of

SUBENTRY_ALBUM: Final = "album"
CONF_FOLDER: Final = "folder"
CONF_ORDER: Final = "order"
CONF_ITEM_DURATION: Final = "item_duration"
CONF_SUBFOLDERS: Final = "subfolders"
CONF_PAIRS: Final = "pairs"
# Seconds after which a folder is read again when a display reads its playlist again.
MAX_AGE: Final = 6 * 3600.0


class Album:
    """A folder with a name, as it was read last."""

    def __init__(self, subentry: ConfigSubentry) -> None:
        """Initialize with nothing read."""
        data: Mapping[str, Any] = subentry.data
        self.key = subentry.subentry_id
        self.title = subentry.title
        self.folder = str(data[CONF_FOLDER])
        self.order = Order(data.get(CONF_ORDER, Order.SHUFFLED))
        self.duration = number(data.get(CONF_ITEM_DURATION)) or DEFAULT_DURATION
        self.subfolders = bool(data.get(CONF_SUBFOLDERS))
        self.pairs = bool(data.get(CONF_PAIRS))
        self.files: list[File] = []
        self._read_at = -MAX_AGE

    async def async_files(self, hass: HomeAssistant, max_age: float) -> list[File]:
        """Return the files, which are read again if that was longer ago; those before stay if it fails."""
        if time.monotonic() - self._read_at >= max_age:
            try:
                read = await async_read_folder(
                    hass, self.folder, subfolders=self.subfolders
                )
            except NotFoundError:
                if not self.files:
                    raise
            else:
                self.files, self._read_at = read, time.monotonic()
        return self.files

    def named(self, key: str) -> list[File]:
        """Return the picture with a media id, and nothing that is not in the folder."""
        return [file for file in self.files if file.media_id == key]


class Albums(Provider):
    """The albums of a library."""

    kinds = (NodeKind.ALBUM, NodeKind.PHOTO)
    is_personal = True
    surprise = "albums"

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], on_change: CALLBACK_TYPE
    ) -> None:
        """Initialize the albums of a config entry."""
        super().__init__(hass, entry, on_change)
        subentries = entry.get_subentries_of_type(SUBENTRY_ALBUM)
        self.albums = tuple(Album(subentry) for subentry in subentries)
        self.is_used = bool(self.albums)
        self.lines = [
            Lines(
                hass,
                lambda: self.albums,
                lambda album: [line_of(album.title)],
                lambda album, _: album_node(album),
            )
        ]

    @override
    async def async_node(self, node: str, patience: float) -> Item:
        """Return an album, or a picture in it by its media id."""
        match split_node_id(node):
            case NodeKind.ALBUM, [_]:
                return album_node(self._album(node))
            case NodeKind.PHOTO, [_, photo]:
                album = self._album(node)
                await album.async_files(self.hass, MAX_AGE)
                for file in await async_detailed(self.hass, album.named(photo)):
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
        files = await album.async_files(self.hass, 0)
        order = Order.NAME if album.order is Order.SHUFFLED else album.order
        files = ordered(files, order, album.duration)
        files = await async_detailed(self.hass, files)
        return Inside(Lazy(files, partial(photo_node, album)))

    @override
    async def async_build(self, item: Item, limit: int | None) -> Playlist:
        """Build the playlist of the pictures that are shown now, which displays follow, or of one."""
        album, followed = self._album(item.id), ""
        if item.kind == NodeKind.ALBUM:
            files = await album.async_files(self.hass, MAX_AGE)
            files = ordered(files, album.order, album.duration, album.key)
            followed = media_id(self.entry.entry_id, item.id)
        else:
            files = album.named(key_of(item))
        if not files:
            raise NotFoundError(
                f"{album.title!r} has no picture that can be shown",
                translation_key="album_empty",
            )
        files = await async_detailed(self.hass, files[: limit or MAX_SHOWN])
        items = items_of(self.hass, files, album.duration, album.pairs)
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
    files = await async_read_folder(hass, folder)
    if not (shown := ordered(files, Order.NEWEST, DEFAULT_DURATION)):
        raise NotFoundError(
            "the folder has no picture that can be shown", translation_key="album_empty"
        )
    title = clean(folder.rstrip("/").rpartition("/")[2], MAX_TITLE) or DOMAIN
    shown = await async_detailed(hass, shown[: limit or MAX_SHOWN])
    items = items_of(hass, shown, DEFAULT_DURATION)
    return Playlist(
        document=build(title, items, id=str(uuid5(WORK_IDS, folder))),
        origin=Origin.OURS,
        title=title,
        node_id=text,
        followed=f"{FOLDER_PREFIX}{folder}",
        is_personal=True,
    )
