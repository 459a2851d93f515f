"""Pictures of a few bytes, which say that they have any size."""

from struct import pack


def header(kind: str, wide: int = 4, high: int = 3) -> bytes:
    """Return a picture that says it has these sides."""
    match kind:
        case "png":
            start = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR"
            return start + pack(">2I", wide, high)
        case "gif":
            return b"GIF89a" + pack("<2H", wide, high)
        case "jpeg":
            table = b"\xff\xdb" + pack(">H", 67) + bytes(65)
            frame = b"\xff\xc2\0\x11\x08" + pack(">2H", high, wide)
            return b"\xff\xd8" + table + frame
        case "avif":
            tile = b"ispe" + bytes(4) + pack(">2I", min(wide, 512), min(high, 512))
            size = b"ispe" + bytes(4) + pack(">2I", wide, high)
            return b"\0\0\0\x20ftypavif" + tile + size
    start = b"RIFF\0\0\0\0WEBP"
    match kind:
        case "webp VP8X":
            sides = (side.to_bytes(3, "little") for side in (wide - 1, high - 1))
            return start + b"VP8X" + bytes(8) + b"".join(sides)
        case "webp VP8L":
            packed = wide - 1 | high - 1 << 14
            return start + b"VP8L" + bytes(4) + b"\x2f" + pack("<I", packed)
        case "webp VP8 ":
            return start + b"VP8 " + bytes(10) + pack("<2H", wide, high)
    raise ValueError(kind)


PICTURES = {
    "image/png": header("png"),
    "image/jpeg": header("jpeg"),
    "image/gif": header("gif"),
    "image/webp": header("webp VP8L"),
    "image/avif": header("avif"),
}
PNG = PICTURES["image/png"]
