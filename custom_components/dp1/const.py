"""Constants of the DP-1 integration."""

from enum import StrEnum
import logging
from typing import Final

DOMAIN: Final = "dp1"
LOGGER: Final = logging.getLogger(__package__)

EVENT_WORK_CHANGED: Final = f"{DOMAIN}_work_changed"

DEFAULT_PORT: Final = 1111
# The player of a display is a page of this origin, which shows other pages in frames.
PLAYER_ORIGIN: Final = "http://127.0.0.1:8080"
NAME_LENGTH: Final = 64
DEFAULT_CATALOG_URL: Final = "https://feralfile.com"
DEFAULT_FEED_URL: Final = "https://feed.feralfile.com/api/v1"

CONF_ADD_LIBRARY: Final = "add_library"
CONF_DASHBOARD: Final = "dashboard"
# The entry of the sidebar, which loads the cards in pages that were open before.
GALLERY: Final = f"{DOMAIN}-gallery"
CONF_KIND: Final = "kind"
CONF_DIALECT: Final = "dialect"
CONF_IGNORE_MUSIC: Final = "ignore_music"
CONF_FEATURES: Final = "features"
CONF_MACS: Final = "macs"
CONF_CATALOG_URL: Final = "catalog_url"
CONF_FEED_URL: Final = "feed_url"
CONF_HAS_SIGNED: Final = "has_signed"
CONF_SIGNING_KEY: Final = "signing_key"

# Options of a library.
CONF_BACKGROUND: Final = "background"
CONF_CURATOR: Final = "curator"
CONF_DAILY_FROM_VENDOR: Final = "daily_from_vendor"
CONF_IPFS_GATEWAY: Final = "ipfs_gateway"
CONF_KEEP_FILES: Final = "keep_files"
CONF_KEEP_GIGABYTES: Final = "keep_gigabytes"
DEFAULT_KEEP_GIGABYTES: Final = 5
CONF_DAILY_URL: Final = "daily_url"
CONF_DURATION: Final = "duration"
CONF_FEED_KEYS: Final = "feed_keys"
CONF_INDEXER_URL: Final = "indexer_url"
CONF_MARGIN: Final = "margin"
CONF_PUBLISH_FOR_ALL: Final = "publish_for_all"
CONF_SCALING: Final = "scaling"
CONF_SOURCES: Final = "sources"
CONF_MUSEUM: Final = "museum"
CONF_SURPRISE: Final = "surprise"
CONF_VOICE_SENTENCES: Final = "voice_sentences"

# A collection, which is a subentry of a library.
SUBENTRY_COLLECTION: Final = "collection"
CONF_ADDRESSES: Final = "addresses"
CONF_KEEP_CURRENT: Final = "keep_current"
CONF_LOOK_UP: Final = "look_up"
DEFAULT_DURATION: Final = 300
DEFAULT_INDEXER_URL: Final = "https://indexer-v2.feralfile.com/graphql"
LICENSE: Final = "open"
# Of nobody, as a real one may end.
EXAMPLE_DAILY_URL: Final = "https://feed.example.org/api/v1/playlists/daily"
DEFAULT_SOURCES: Final = ("exhibitions", "favorites", "surprise")
# What a surprise is chosen from, each by its weight.
SURPRISES: Final = (
    "favorites",
    "collections",
    "exhibitions",
    "albums",
    "museum",
)
SOURCE_LIMIT: Final = 60


class EntryKind(StrEnum):
    """Kind of a config entry."""

    DISPLAY = "display"
    LIBRARY = "library"
