"""DP-1 playlists as the display's Go code decodes them: unknown fields do not reach the player."""

from typing import Any

from .errors import CommandError
from .firmware import Firmware

from tests.simulators.go_json import (
    Field,
    GoDecodeError,
    GoType,
    ListOf,
    MapOf,
    Mode,
    Scalar,
    Struct,
    read,
)

type Json = dict[str, Any]


def _text(names: str, mode: Mode = Mode.OMIT_EMPTY) -> tuple[Field, ...]:
    """Declare several string fields."""
    return tuple(Field(name, Scalar.TEXT, mode) for name in names.split())


def _maybe(name: str, kind: GoType) -> Field:
    """Declare a field that is written only if it was given."""
    return Field(name, kind, Mode.POINTER)


_MOUSE = Struct(
    "MousePrefs",
    tuple(Field(name, Scalar.FLAG) for name in ("click", "scroll", "drag", "hover")),
)
_INTERACTION = Struct(
    "InteractionPrefs",
    (Field("keyboard", ListOf(Scalar.TEXT)), _maybe("mouse", _MOUSE)),
)
_DISPLAY = Struct(
    "DisplayPrefs",
    (
        *_text("scaling"),
        Field("margin", Scalar.RAW),
        *_text("background"),
        _maybe("autoplay", Scalar.FLAG),
        _maybe("loop", Scalar.FLAG),
        _maybe("interaction", _INTERACTION),
        Field("userOverrides", MapOf(Scalar.FLAG)),
    ),
)
_REPRO = Struct(
    "ReproBlock",
    (
        Field("engineVersion", MapOf(Scalar.TEXT)),
        *_text("seed"),
        Field("assetsSHA256", ListOf(Scalar.TEXT)),
        _maybe("frameHash", Struct("FrameHash", _text("sha256 phash"))),
    ),
)
_PROVENANCE = Struct(
    "ProvenanceBlock",
    (
        *_text("type", Mode.ALWAYS),
        _maybe(
            "contract",
            Struct(
                "ProvenanceContract",
                (
                    *_text("chain standard address"),
                    _maybe("seriesId", Scalar.INTEGER),
                    *_text("tokenId uri metaHash"),
                ),
            ),
        ),
        Field(
            "dependencies",
            ListOf(Struct("ProvenanceDep", _text("chain standard uri"))),
        ),
    ),
)
_ITEM_FIELDS = (
    *_text("id slug title"),
    *_text("source", Mode.ALWAYS),
    _maybe("duration", Scalar.NUMBER),
    *_text("license ref refHash"),
    Field("override", Scalar.RAW),
    _maybe("display", _DISPLAY),
    _maybe("repro", _REPRO),
    _maybe("provenance", _PROVENANCE),
)
_NEW_ITEM_FIELDS = (Field("inlineManifest", Scalar.RAW), *_text("displayAt"))
_SIGNATURE = Struct("Signature", _text("alg kid ts payload_hash role sig", Mode.ALWAYS))
_DEFAULTS = Struct(
    "Defaults",
    (_maybe("display", _DISPLAY), *_text("license"), _maybe("duration", Scalar.NUMBER)),
)
_ENTITY = Struct("Entity", (*_text("name key", Mode.ALWAYS), *_text("url")))
_DYNAMIC_QUERY = Struct(
    "DynamicQuery",
    (
        *_text("profile endpoint", Mode.ALWAYS),
        *_text("method"),
        Field("headers", MapOf(Scalar.TEXT)),
        *_text("query"),
        Field(
            "responseMapping",
            Struct(
                "ResponseMapping",
                (
                    *_text("itemsPath itemSchema", Mode.ALWAYS),
                    Field("itemMap", MapOf(Scalar.TEXT)),
                ),
            ),
            Mode.ALWAYS,
        ),
    ),
)
_LEGACY_QUERY = Struct(
    "LegacyDynamicQuery",
    (*_text("endpoint", Mode.ALWAYS), Field("params", MapOf(Scalar.TEXT))),
)


def _playlist(item: Struct) -> Struct:
    """Declare a playlist with items of a type."""
    return Struct(
        "Playlist",
        (
            *_text("dpVersion", Mode.ALWAYS),
            *_text("id"),
            *_text("title", Mode.ALWAYS),
            *_text("slug created"),
            _maybe("defaults", _DEFAULTS),
            Field("items", ListOf(item), Mode.ALWAYS),
            Field("signatures", ListOf(_SIGNATURE)),
            *_text("signature"),
            Field("curators", ListOf(_ENTITY)),
            *_text("summary coverImage"),
            _maybe("dynamicQuery", _DYNAMIC_QUERY),
            Field("dynamicQueries", ListOf(_LEGACY_QUERY)),
        ),
    )


_OLD_ITEM = Struct("PlaylistItem", _ITEM_FIELDS)
_NEW_ITEM = Struct("PlaylistItem", (*_ITEM_FIELDS, *_NEW_ITEM_FIELDS))
_OLD_PLAYLIST = _playlist(_OLD_ITEM)
_NEW_PLAYLIST = _playlist(_NEW_ITEM)


def read_playlist(raw: Any, firmware: Firmware) -> Json:
    """Return the playlist as it is handed to the player; raises CommandError if a field has the wrong type."""
    kind = _NEW_PLAYLIST if firmware.since("2.0.3") else _OLD_PLAYLIST
    try:
        document: Json = read(raw, kind, "Playlist")
    except GoDecodeError as err:
        raise CommandError(str(err)) from err
    return document


def pushed_items(items: list[Json], firmware: Firmware) -> list[Json]:
    """Return the items as notifications carry them: without their sources."""
    kind = _NEW_ITEM if firmware.since("2.0.3") else _OLD_ITEM
    return [read({**item, "source": ""}, kind, "PlaylistItem") for item in items]
