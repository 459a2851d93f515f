"""Art, the same for the same seed: drawings of a file in colors of their own, as an animated page or as PNG."""

from functools import lru_cache
from io import BytesIO
import json
from pathlib import Path
from random import Random
from string import Template
from typing import NamedTuple

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 1600, 1000
LAYERS = 4

type Point = tuple[float, float]

_FILE = Path(__file__)
_ART = json.loads(_FILE.with_suffix(".json").read_text("utf-8"))
_PAGE = Template(_FILE.with_suffix(".html").read_text("utf-8"))


class Shape(NamedTuple):
    """A filled polygon, a disc (one point and a radius) or an open line."""

    kind: str
    color: str
    opacity: float
    size: float
    layer: int
    points: list[Point]


class Drawing(NamedTuple):
    """A drawing."""

    background: str
    shapes: list[Shape]


@lru_cache(maxsize=256)
def draw(series: str, work: int = 0) -> Drawing:
    """Return a work: the series chooses the drawing and the palette, the work mirrors and colors it."""
    style = Random(f"style {series}")
    rows = style.choice(_ART["drawings"])
    background, *colors = style.choice(_ART["palettes"])
    rng = Random(f"{series} {work}")
    rng.shuffle(colors)
    is_turned = rng.random() < 0.5
    # The last is the shadow of a ribbon.
    colors.append("#000000")
    shapes = [
        Shape(
            kind,
            colors[color],
            opacity,
            size,
            layer,
            [
                (WIDTH - x if is_turned else x, y)
                for x, y in zip(places[::2], places[1::2], strict=True)
            ],
        )
        for kind, color, opacity, size, layer, *places in rows
        if rng.random() < 0.95
    ]
    return Drawing(background, shapes)


def page(drawing: Drawing) -> str:
    """Return a drawing as a slowly moving page that fills the screen."""
    layers = [""] * LAYERS
    for shape in drawing.shapes:
        layers[shape.layer] += _svg(shape)
    back = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{drawing.background}"/>'
    groups = "".join(f"<g>{marks}</g>" for marks in layers)
    return _PAGE.substitute(background=drawing.background, layers=f"{back}{groups}")


def _svg(shape: Shape) -> str:
    paint = f'fill="{shape.color}" fill-opacity="{shape.opacity}"'
    if shape.kind == "disc":
        x, y = shape.points[0]
        return f'<circle cx="{x}" cy="{y}" r="{shape.size}" {paint}/>'
    points = " ".join(f"{x},{y}" for x, y in shape.points)
    if shape.kind == "polygon":
        return f'<polygon points="{points}" {paint}/>'
    stroke = f'stroke="{shape.color}" stroke-opacity="{shape.opacity}"'
    shaped = 'stroke-linecap="round" stroke-linejoin="round"'
    return f'<polyline points="{points}" fill="none" {stroke} stroke-width="{shape.size}" {shaped}/>'


def _mix(below: str, above: str, opacity: float) -> str:
    """Return a mix of two colors."""
    pairs = zip(bytes.fromhex(below[1:]), bytes.fromhex(above[1:]), strict=True)
    mixed = (round(under + (over - under) * opacity) for under, over in pairs)
    return f"#{bytes(mixed).hex()}"


@lru_cache(maxsize=128)
def png(series: str, work: int = 0, width: int = 480) -> bytes:
    """Return a work as PNG; takes some hundredths of a second."""
    drawing = draw(series, work)
    scale = 2 * width / WIDTH
    size = (2 * width, round(HEIGHT * scale))
    image = Image.new("RGB", size, drawing.background)
    brush = ImageDraw.Draw(image, "RGBA")
    for shape in sorted(drawing.shapes, key=lambda shape: shape.layer):
        color = f"{shape.color}{round(shape.opacity * 255):02x}"
        points = [(x * scale, y * scale) for x, y in shape.points]
        if shape.kind == "disc":
            brush.circle(points[0], shape.size * scale, fill=color)
        elif shape.kind == "polygon":
            brush.polygon(points, fill=color)
        else:
            # Translucent strokes would be painted twice where they join, so their colors are mixed beforehand.
            mixed = _mix(drawing.background, shape.color, shape.opacity)
            brush.line(points, mixed, max(round(shape.size * scale), 1), joint="curve")
    target = BytesIO()
    image.resize((width, size[1] // 2), Image.Resampling.LANCZOS).save(target, "PNG")
    return target.getvalue()
