"""Features of the media player of a display, as far as they were detected."""

from functools import lru_cache

from homeassistant.components.media_player import MediaPlayerEntityFeature as Feature

from .state import DisplayData

BASE_FEATURES = Feature.PLAY_MEDIA | Feature.BROWSE_MEDIA | Feature.SEARCH_MEDIA
PLAYER_FEATURES = (
    Feature.NEXT_TRACK
    | Feature.PREVIOUS_TRACK
    | Feature.MEDIA_ENQUEUE
    | Feature.CLEAR_PLAYLIST
    | Feature.MEDIA_ANNOUNCE
    | Feature.GROUPING
)


class DetectedFeatures:
    """Features of one display; what was detected stays while its player is not running, so that an action tells why it fails."""

    def __init__(self, cast_only: bool) -> None:
        """Initialize with the features that every display has."""
        self._has_player = not cast_only
        self._shuffles = self._repeats = self._sleeps = False

    def update(self, data: DisplayData, has_sources: bool, left: int) -> Feature:
        """Return the features, with those that are detected now, and without those that are left to others."""
        player, device = data.player, data.device
        if player is not None and player.ok:
            self._shuffles = player.shuffle is not None
            self._repeats = player.loop_mode is not None
            self._sleeps = data.asleep is not None
        return _features(
            self._has_player,
            self._shuffles,
            self._repeats,
            self._sleeps or data.asleep is not None,
            device is not None and device.volume is not None,
            device is not None and device.muted is not None,
            has_sources,
            left,
        )


@lru_cache
def _features(
    player: bool,
    shuffles: bool,
    repeats: bool,
    sleeps: bool,
    volume: bool,
    mute: bool,
    sources: bool,
    left: int,
) -> Feature:
    """Return the features; cached, as flags are slow to combine for each push."""
    features = BASE_FEATURES
    for found, added in (
        (player, PLAYER_FEATURES),
        (shuffles, Feature.SHUFFLE_SET),
        (repeats, Feature.REPEAT_SET),
        (sleeps, Feature.TURN_ON | Feature.TURN_OFF),
        (volume, Feature.VOLUME_SET | Feature.VOLUME_STEP),
        (mute, Feature.VOLUME_MUTE),
        (sources, Feature.SELECT_SOURCE),
    ):
        if found:
            features |= added
    return features & ~left
