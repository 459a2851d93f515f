"""DP-1 playlists as the display's Go code decodes them: unknown fields do not reach the player."""

import json
from pathlib import Path
from typing import Any

from .errors import CommandError
from .firmware import Firmware

from tests.simulators.go_json import GoDecodeError, GoType, read

type Json = dict[str, Any]

_FILE = Path(__file__).parents[2] / "fixtures" / "display_playlist.json"
_PLAYLIST: dict[str, Any] = json.loads(_FILE.read_text("utf-8"))
# Since firmware 2.0.3.
_NEW_FIELDS = ("inlineManifest", "displayAt")


def _item(firmware: Firmware) -> GoType:
    (item,) = _PLAYLIST["items!"]
    is_new = firmware.since("2.0.3")
    return {
        name: kind for name, kind in item.items() if is_new or name not in _NEW_FIELDS
    }


def read_playlist(raw: Any, firmware: Firmware) -> Json:
    """Return the playlist as it is handed to the player; raises CommandError if a field has the wrong type."""
    try:
        kind = {**_PLAYLIST, "items!": [_item(firmware)]}
        document: Json = read(raw, kind, "Playlist")
    except GoDecodeError as err:
        raise CommandError(str(err)) from err
    return document


def pushed_items(items: list[Json], firmware: Firmware) -> list[Json]:
    """Return the items as notifications carry them: without their sources."""
    kind = _item(firmware)
    return [read({**item, "source": ""}, kind, "PlaylistItem") for item in items]
