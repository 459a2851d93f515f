"""DP-1 playlists as the display's Go code decodes them: unknown fields do not reach the player."""

import json
from pathlib import Path
from typing import Any

from .errors import CommandError
from .firmware import Firmware

type Json = dict[str, Any]
# An object by the names of its fields, a list of one type, a map by "*", or the name of a scalar; "raw" is anything. A
# field is left out when it is empty, with "?" when it was not given, with "!" never.
type GoType = dict[str, GoType] | list[GoType] | str

_FILE = Path(__file__).parents[2] / "fixtures" / "display_playlist.json"
_PLAYLIST: dict[str, Any] = json.loads(_FILE.read_text("utf-8"))
_SCALARS = {"string": str, "float64": int | float, "int": int, "bool": bool}
# Since firmware 2.0.3.
_NEW_FIELDS = ("inlineManifest", "displayAt")


def _read(value: Any, kind: GoType) -> Any:
    """Return a value as the type holds it and writes it; raises CommandError if it does not fit."""
    match value, kind:
        case _, "raw":
            return value
        case list(), [element]:
            return [_read(entry, element) for entry in value]
        case dict(), {"*": element}:
            return {key: _read(entry, element) for key, entry in value.items()}
        case dict(), dict():
            return _read_fields(value, kind)
        case ((str() | bool() | int() | float()), str()):
            if isinstance(value, _SCALARS[kind]) and (
                isinstance(value, bool) is (kind == "bool")
            ):
                return value
    raise CommandError(f"json: cannot unmarshal {value!r:.50}")


def _read_fields(value: Json, kind: dict[str, GoType]) -> Json:
    """Return the fields of an object that are written again, in order."""
    written = {}
    for marked, inner in kind.items():
        name = marked.rstrip("?!")
        entry = value.get(name)
        if entry is not None:
            entry = _read(entry, inner)
        elif marked[-1] == "!" and inner == "string":
            entry = ""
        is_kept = entry or marked[-1] == "!" or (inner == "raw" and name in value)
        if is_kept or (marked[-1] == "?" and entry is not None):
            written[name] = entry
    return written


def _item(firmware: Firmware) -> dict[str, GoType]:
    (item,) = _PLAYLIST["items!"]
    is_new = firmware.since("2.0.3")
    return {
        name: kind for name, kind in item.items() if is_new or name not in _NEW_FIELDS
    }


def read_playlist(raw: Json, firmware: Firmware) -> Json:
    """Return the playlist as it is handed to the player; raises CommandError if a field has the wrong type."""
    return _read_fields(raw, {**_PLAYLIST, "items!": [_item(firmware)]})


def pushed_items(items: list[Json], firmware: Firmware) -> list[Json]:
    """Return the items as notifications carry them: without their sources."""
    kind = _item(firmware)
    return [_read_fields({**item, "source": ""}, kind) for item in items]
