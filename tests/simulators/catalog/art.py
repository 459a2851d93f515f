"""Generative art, the same for the same seed: as an animated page, as SVG or as PNG."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from math import cos, hypot, pi, sin, tau
from random import Random

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 1600, 1000
LAYERS = 4

type Point = tuple[float, float]

PALETTES = (
    ("#0b132b", "#1c2541", "#3a506b", "#5bc0be", "#f4d35e", "#ee964b"),
    ("#1a1423", "#372549", "#774c60", "#b75d69", "#eacdc2", "#f7f0f5"),
    ("#06141b", "#11424d", "#1f7a8c", "#bfdbf7", "#e1e5f2", "#ff6b35"),
    ("#14110f", "#34312d", "#7e7f83", "#d9c5b2", "#f3f3f4", "#c1292e"),
    ("#0d1b1e", "#23395b", "#406e8e", "#8ea8c3", "#cbf7ed", "#f2c14e"),
    ("#10002b", "#3c096c", "#7b2cbf", "#c77dff", "#e0aaff", "#ffb700"),
    ("#081c15", "#1b4332", "#40916c", "#95d5b2", "#d8f3dc", "#ffb4a2"),
    ("#f4efe6", "#e4572e", "#17bebb", "#ffc914", "#2e282a", "#76b041"),
    ("#f1ece2", "#264653", "#2a9d8f", "#e9c46a", "#f4a261", "#e76f51"),
    ("#020408", "#0a2463", "#3e92cc", "#fffaff", "#d8315b", "#1e1b18"),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled polygon, a disc (one point and a radius) or an open line."""

    kind: str
    points: tuple[Point, ...]
    color: str
    opacity: float = 1.0
    size: float = 0.0
    layer: int = 0


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing."""

    background: str
    shapes: tuple[Shape, ...]


def _strata(rng: Random, colors: list[str]) -> Iterator[Shape]:
    """Draw hills behind hills under a low sun."""
    sun = (rng.uniform(300, 1300), rng.uniform(180, 420))
    for ring in range(5):
        yield Shape("disc", (sun,), colors[-1], 0.12 + ring * 0.12, 210 - ring * 34)
    count = rng.randint(7, 11)
    for hill in range(count):
        base = 330 + hill * 640 / count
        waves = [
            (rng.uniform(0.6, 3.5), rng.uniform(0, tau), rng.uniform(8, 54))
            for _ in range(4)
        ]
        edge = [
            (x, base + sum(a * sin(x / WIDTH * tau * f + p) for f, p, a in waves))
            for x in (step * 25 - 100 for step in range(73))
        ]
        yield Shape(
            "polygon",
            (*edge, (1700, 1100), (-100, 1100)),
            colors[hill % len(colors)],
            0.82,
            layer=hill % LAYERS,
        )


def _orbits(rng: Random, colors: list[str]) -> Iterator[Shape]:
    """Draw broken rings around a common center."""
    cx, cy = WIDTH / 2 + rng.uniform(-120, 120), HEIGHT / 2 + rng.uniform(-60, 60)
    for ring in range(26):
        radius = 40 + ring * 33
        start = rng.uniform(0, tau)
        for _ in range(rng.randint(1, 3)):
            length = rng.uniform(0.3, 2.2)
            steps = max(int(length * 14), 4)
            arc = tuple(
                (
                    cx + radius * cos(start + length * step / steps),
                    cy + radius * sin(start + length * step / steps),
                )
                for step in range(steps + 1)
            )
            yield Shape(
                "line",
                arc,
                rng.choice(colors),
                rng.uniform(0.5, 1),
                rng.choice((4, 8, 14, 24)),
                ring % LAYERS,
            )
            start += length + rng.uniform(0.2, 1.6)
    yield Shape("disc", ((cx, cy),), colors[-1], 1, 26)


def _truchet(rng: Random, colors: list[str]) -> Iterator[Shape]:
    """Draw quarter circles on a grid, which join by chance."""
    side = rng.choice((100, 125, 200))
    for column in range(WIDTH // side + 1):
        for row in range(HEIGHT // side + 1):
            x, y = column * side, row * side
            turned = rng.random() < 0.5
            corners = (
                ((x, y, 0.0), (x + side, y + side, pi))
                if turned
                else ((x + side, y, pi / 2), (x, y + side, 3 * pi / 2))
            )
            for cx, cy, start in corners:
                arc = tuple(
                    (
                        cx + side / 2 * cos(start + pi / 2 * step / 8),
                        cy + side / 2 * sin(start + pi / 2 * step / 8),
                    )
                    for step in range(9)
                )
                color = colors[(column + row) % len(colors)]
                yield Shape("line", arc, color, 0.95, side * 0.28)
                yield Shape("line", arc, colors[-1], 0.55, side * 0.05)


def _flow(rng: Random, colors: list[str]) -> Iterator[Shape]:
    """Draw threads that follow a slow current."""
    a, b, c, d = (rng.uniform(0.0012, 0.0045) for _ in range(4))
    for thread in range(230):
        x, y = rng.uniform(-100, WIDTH + 100), rng.uniform(-100, HEIGHT + 100)
        points = []
        for _ in range(rng.randint(12, 34)):
            points.append((x, y))
            angle = pi * (sin(x * a + y * b) + cos(y * c - x * d))
            x, y = x + 22 * cos(angle), y + 22 * sin(angle)
        yield Shape(
            "line",
            tuple(points),
            rng.choice(colors),
            rng.uniform(0.35, 0.95),
            rng.choice((2, 3, 5, 9)),
            thread % LAYERS,
        )


def _mosaic(rng: Random, colors: list[str]) -> Iterator[Shape]:
    """Draw a plane divided again and again."""
    waiting = [(0.0, 0.0, float(WIDTH), float(HEIGHT), 0)]
    while waiting:
        x, y, w, h, depth = waiting.pop()
        if depth > 7 or (depth > 2 and rng.random() < 0.16) or min(w, h) < 70:
            gap = 5
            corners = (
                (x + gap, y + gap),
                (x + w - gap, y + gap),
                (x + w - gap, y + h - gap),
                (x + gap, y + h - gap),
            )
            yield Shape(
                "polygon", corners, rng.choice(colors), 0.95, layer=depth % LAYERS
            )
            continue
        part = rng.uniform(0.3, 0.7)
        if w > h:
            waiting += [
                (x, y, w * part, h, depth + 1),
                (x + w * part, y, w * (1 - part), h, depth + 1),
            ]
        else:
            waiting += [
                (x, y, w, h * part, depth + 1),
                (x, y + h * part, w, h * (1 - part), depth + 1),
            ]


def _bloom(rng: Random, colors: list[str]) -> Iterator[Shape]:
    """Draw seeds in the order of a sunflower."""
    cx, cy = WIDTH / 2, HEIGHT / 2
    angle = pi * (3 - 5**0.5) + rng.uniform(-0.004, 0.004)
    spread = rng.uniform(30, 37)
    for seed in range(1, 420):
        radius = spread * seed**0.5
        place = (cx + radius * cos(seed * angle), cy + radius * sin(seed * angle))
        size = 5 + 17 * abs(sin(seed / rng.choice((34.0, 55.0)))) * radius / 500
        yield Shape(
            "disc",
            (place,),
            colors[(seed // 21) % len(colors)],
            0.92,
            size,
            seed % LAYERS,
        )


def _weave(rng: Random, colors: list[str]) -> Iterator[Shape]:
    """Draw ribbons that cross each other."""
    for ribbon in range(38):
        slope = rng.choice((-0.35, 0.35))
        start = rng.uniform(-500, HEIGHT + 500)
        swing, phase = rng.uniform(10, 70), rng.uniform(0, tau)
        line = tuple(
            (x, start + slope * x + swing * sin(x / 260 + phase))
            for x in range(-100, WIDTH + 101, 50)
        )
        color = rng.choice(colors)
        width = rng.choice((10, 20, 34, 52))
        layer = ribbon % LAYERS
        yield Shape("line", line, "#000000", 0.22, width + 12, layer)
        yield Shape("line", line, color, 0.96, width, layer)


def _shards(rng: Random, colors: list[str]) -> Iterator[Shape]:
    """Draw a crumpled sheet of triangles, lit from one side."""
    side = rng.choice((100, 125))
    columns, rows = WIDTH // side + 2, HEIGHT // side + 2
    grid = {
        (c, r): (
            (c - 0.5) * side + rng.uniform(-0.36, 0.36) * side,
            (r - 0.5) * side + rng.uniform(-0.36, 0.36) * side,
        )
        for c in range(columns + 1)
        for r in range(rows + 1)
    }
    light = (rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT))
    for c in range(columns):
        for r in range(rows):
            a, b = grid[c, r], grid[c + 1, r]
            d, e = grid[c, r + 1], grid[c + 1, r + 1]
            for triangle in ((a, b, d), (b, e, d)):
                x, y = triangle[0]
                near = 1 - min(hypot(x - light[0], y - light[1]) / 1300, 1)
                tone = min(int(near * len(colors) + rng.random()), len(colors) - 1)
                yield Shape("polygon", triangle, colors[tone], 0.94, layer=r % LAYERS)


GENERATORS: tuple[Callable[[Random, list[str]], Iterator[Shape]], ...] = (
    _strata,
    _orbits,
    _truchet,
    _flow,
    _mosaic,
    _bloom,
    _weave,
    _shards,
)


@lru_cache(maxsize=256)
def draw(series: str, work: int = 0) -> Drawing:
    """Draw a work: the series determines generator and palette, the work everything else."""
    style = Random(f"style {series}")
    generate = style.choice(GENERATORS)
    background, *colors = style.choice(PALETTES)
    rng = Random(f"{series} {work}")
    return Drawing(background, tuple(generate(rng, colors)))


def svg(drawing: Drawing, *, moving: bool = False) -> str:
    """Return a drawing as SVG that fills its container."""
    layers: list[list[str]] = [[] for _ in range(LAYERS)]
    for shape in drawing.shapes:
        layers[shape.layer].append(_svg_shape(shape))
    groups = "".join(
        f'<g class="layer{number}">{"".join(marks)}</g>'
        for number, marks in enumerate(layers)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'preserveAspectRatio="xMidYMid slice">{f"<style>{_MOTION}</style>" if moving else ""}'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{drawing.background}"/>{groups}</svg>'
    )


def _svg_shape(shape: Shape) -> str:
    if shape.kind == "disc":
        x, y = shape.points[0]
        return (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{shape.size:.1f}" '
            f'fill="{shape.color}" fill-opacity="{shape.opacity:.2f}"/>'
        )
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
    if shape.kind == "polygon":
        return f'<polygon points="{points}" fill="{shape.color}" fill-opacity="{shape.opacity:.2f}"/>'
    return (
        f'<polyline points="{points}" fill="none" stroke="{shape.color}" stroke-opacity="{shape.opacity:.2f}" '
        f'stroke-width="{shape.size:.1f}" stroke-linecap="round" stroke-linejoin="round"/>'
    )


_MOTION = "".join(
    f".layer{layer}{{animation:drift{layer % 2} {19 + 7 * layer}s ease-in-out infinite alternate;"
    "transform-origin:50% 50%}"
    for layer in range(LAYERS)
) + (
    "@keyframes drift0{from{transform:translate(0,0)}to{transform:translate(22px,-14px) scale(1.02)}}"
    "@keyframes drift1{from{transform:translate(0,0)}to{transform:translate(-26px,10px) scale(1.03)}}"
)


def page(drawing: Drawing) -> str:
    """Return a drawing as a slowly moving page that fills the screen."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Generative work</title>'
        f"<style>html,body{{margin:0;height:100%;overflow:hidden;background:{drawing.background}}}"
        "svg{display:block;width:100vw;height:100vh}</style>"
        f"{svg(drawing, moving=True)}</html>"
    )


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
