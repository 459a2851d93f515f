"""What a feed has as items: channels, playlists and the works in them."""

from ....client.feed.models import FeedChannel, FeedItem, FeedPlaylist
from ....client.hosts import image_at, is_web
from ....client.playlist.manifest import Artist
from ...item import Item
from ...node import NodeKind, node_id


def channel_node(channel: FeedChannel) -> Item:
    """Return the node of a channel."""
    return Item(
        id=node_id(NodeKind.CHANNEL, channel.id),
        kind=NodeKind.CHANNEL,
        title=channel.title,
        picture=channel.cover or None,
        can_play=bool(channel.playlists),
        can_expand=True,
        subtitle=channel.publisher or None,
    )


def publisher_node(publisher: str) -> Item:
    """Return the node of the channels of a publisher."""
    return Item(
        id=node_id(NodeKind.PUBLISHER, publisher),
        kind=NodeKind.PUBLISHER,
        title=publisher,
        can_expand=True,
    )


def playlist_node(playlist: FeedPlaylist) -> Item:
    """Return the node of a playlist."""
    return Item(
        id=node_id(NodeKind.PLAYLIST, playlist.id),
        kind=NodeKind.PLAYLIST,
        title=playlist.title,
        year=playlist.year,
        note=playlist.summary or None,
        picture=playlist.cover or None,
        can_play=True,
        can_expand=playlist.count != 0,
        subtitle=", ".join(playlist.curators) or None,
        works=playlist.count,
        query=playlist.query,
    )


def item_node(
    playlist: FeedPlaylist, item: FeedItem, picture: str | None = None
) -> Item:
    """Return the node of a work in a playlist: with a picture, or with itself if it is an image."""
    picture = picture or image_at(item.source)
    return Item(
        id=node_id(NodeKind.ITEM, playlist.id, item.key),
        kind=NodeKind.ITEM,
        title=item.title,
        artists=tuple(map(Artist, item.artists.splitlines())),
        picture=picture or playlist.cover or None,
        source=item.source,
        can_play=is_web(item.source) or item.source.startswith("data:"),
        subtitle=playlist.title,
    )
