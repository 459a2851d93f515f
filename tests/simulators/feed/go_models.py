"""The documents and requests of the Go feed as typed fields."""

from dataclasses import replace

from .go_json import Field, GoType, ListOf, MapOf, Mode, Scalar, Struct


def _struct(name: str, /, **fields: GoType | tuple[GoType, Mode]) -> Struct:
    """Return a struct of fields that are omitted when empty, unless declared otherwise."""
    return Struct(
        name,
        tuple(
            Field(key, *(kind if isinstance(kind, tuple) else (kind,)))
            for key, kind in fields.items()
        ),
    )


def _pointer(kind: GoType) -> tuple[GoType, Mode]:
    """Return a field that is only omitted when it was missing."""
    return kind, Mode.POINTER


def _always(kind: GoType) -> tuple[GoType, Mode]:
    """Return a field that is never omitted."""
    return kind, Mode.ALWAYS


_TEXT = Scalar.TEXT
_TEXTS = ListOf(_TEXT)

SIGNATURE = _struct(
    "playlist.Signature",
    alg=_always(_TEXT),
    kid=_always(_TEXT),
    ts=_always(_TEXT),
    payload_hash=_always(_TEXT),
    role=_always(_TEXT),
    sig=_always(_TEXT),
)
ENTITY = _struct("identity.Entity", name=_always(_TEXT), key=_always(_TEXT), url=_TEXT)
_NOTE = _struct("playlists.Note", text=_always(_TEXT), duration=_pointer(Scalar.NUMBER))
_MOUSE = _struct(
    "playlist.MousePrefs",
    click=Scalar.FLAG,
    scroll=Scalar.FLAG,
    drag=Scalar.FLAG,
    hover=Scalar.FLAG,
)
_DISPLAY = _struct(
    "playlist.DisplayPrefs",
    scaling=_TEXT,
    margin=Scalar.RAW,
    background=_TEXT,
    autoplay=_pointer(Scalar.FLAG),
    loop=_pointer(Scalar.FLAG),
    interaction=_pointer(
        _struct("playlist.InteractionPrefs", keyboard=_TEXTS, mouse=_pointer(_MOUSE))
    ),
    userOverrides=MapOf(Scalar.FLAG),
)
_REPRO = _struct(
    "playlist.ReproBlock",
    engineVersion=MapOf(_TEXT),
    seed=_TEXT,
    assetsSHA256=_TEXTS,
    frameHash=_pointer(_struct("playlist.FrameHash", sha256=_TEXT, phash=_TEXT)),
)
_PROVENANCE = _struct(
    "playlist.ProvenanceBlock",
    type=_always(_TEXT),
    contract=_pointer(
        _struct(
            "playlist.ProvenanceContract",
            chain=_TEXT,
            standard=_TEXT,
            address=_TEXT,
            seriesId=_pointer(Scalar.INTEGER),
            tokenId=_TEXT,
            uri=_TEXT,
            metaHash=_TEXT,
        )
    ),
    dependencies=ListOf(
        _struct("playlist.ProvenanceDep", chain=_TEXT, standard=_TEXT, uri=_TEXT)
    ),
)
_ITEM = _struct(
    "playlist.PlaylistItem",
    id=_TEXT,
    slug=_TEXT,
    title=_TEXT,
    source=_always(_TEXT),
    duration=_pointer(Scalar.NUMBER),
    license=_TEXT,
    ref=_TEXT,
    refHash=_TEXT,
    override=Scalar.RAW,
    display=_pointer(_DISPLAY),
    repro=_pointer(_REPRO),
    provenance=_pointer(_PROVENANCE),
    note=_pointer(_NOTE),
)
_DEFAULTS = _struct(
    "playlist.Defaults",
    display=_pointer(_DISPLAY),
    license=_TEXT,
    duration=_pointer(Scalar.NUMBER),
)
_DYNAMIC_QUERY = _struct(
    "playlists.DynamicQuery",
    profile=_always(_TEXT),
    endpoint=_always(_TEXT),
    method=_TEXT,
    headers=MapOf(_TEXT),
    query=_TEXT,
    responseMapping=_always(
        _struct(
            "playlists.ResponseMapping",
            itemsPath=_always(_TEXT),
            itemSchema=_always(_TEXT),
            itemMap=MapOf(_TEXT),
        )
    ),
)

PLAYLIST = _struct(
    "models.PlaylistCreateRequest",
    dpVersion=_pointer(_TEXT),
    id=_pointer(_TEXT),
    title=_pointer(_TEXT),
    slug=_pointer(_TEXT),
    created=_pointer(_TEXT),
    defaults=_pointer(_DEFAULTS),
    items=_pointer(ListOf(_ITEM)),
    signatures=_pointer(ListOf(SIGNATURE)),
    note=_pointer(_NOTE),
    curators=_pointer(ListOf(ENTITY)),
    summary=_pointer(_TEXT),
    coverImage=_pointer(_TEXT),
    dynamicQuery=_pointer(_DYNAMIC_QUERY),
)
GROUP = _struct(
    "models.PlaylistGroupCreateRequest",
    id=_pointer(_TEXT),
    slug=_pointer(_TEXT),
    title=_pointer(_TEXT),
    curator=_pointer(_TEXT),
    summary=_pointer(_TEXT),
    playlists=_pointer(_TEXTS),
    created=_pointer(_TEXT),
    coverImage=_pointer(_TEXT),
    signatures=_pointer(ListOf(SIGNATURE)),
)
CHANNEL = _struct(
    "models.ChannelCreateRequest",
    id=_pointer(_TEXT),
    slug=_pointer(_TEXT),
    title=_pointer(_TEXT),
    version=_pointer(_TEXT),
    created=_pointer(_TEXT),
    playlists=_pointer(_TEXTS),
    curators=_pointer(ListOf(ENTITY)),
    publisher=_pointer(ENTITY),
    summary=_pointer(_TEXT),
    coverImage=_pointer(_TEXT),
    signatures=_pointer(ListOf(SIGNATURE)),
)
REGISTRY = _struct(
    "models.ChannelRegistry",
    publishers=_pointer(
        ListOf(
            _struct(
                "models.ChannelRegistryPublisher",
                name=_always(_TEXT),
                did=_TEXT,
                static=_always(_TEXTS),
                living=_always(_TEXTS),
            )
        )
    ),
)
SIGNED = _struct("", signatures=_pointer(ListOf(Scalar.RAW)))


def _extended(base: Struct, /, **fields: GoType) -> Struct:
    """Return a struct with additional or replaced fields."""
    others = tuple(field for field in base.fields if field.name not in fields)
    return replace(base, fields=others + _struct("", **fields).fields)


# What the signed feeds of 2026 have a place for.
_ITEM_WITHOUT_RATING = _extended(_ITEM, displayAt=_TEXT, inlineManifest=Scalar.RAW)
PLAYLIST_WITHOUT_RATING = _extended(
    PLAYLIST, signature=_TEXT, items=ListOf(_ITEM_WITHOUT_RATING)
)
PLAYLIST_OF_2026 = _extended(
    PLAYLIST_WITHOUT_RATING,
    items=ListOf(
        _extended(_ITEM_WITHOUT_RATING, contentRating=_TEXT, contentReasons=_TEXTS)
    ),
)
INTENT = _struct(
    "models.MutationIntent",
    action=_TEXT,
    target=_struct("models.IntentTarget", type=_TEXT, id=_TEXT, slug=_TEXT),
    payloadHash=_TEXT,
    created=_TEXT,
    signatures=ListOf(SIGNATURE),
)
