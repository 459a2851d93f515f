"""Render the brand images of the integration from logo.svg with a headless Chromium.

Usage: .venv-ha/bin/python scripts/brand/render.py
"""

import os
from pathlib import Path
import shutil

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
BRAND = HERE.parents[1] / "custom_components" / "dp1" / "brand"
HEIGHT = 256  # Pixels at scale 1; the drawing is twice as high
WIDTHS = {"icon": 256, "logo": 622}


def draw(page: Page, svg: str, name: str, path: Path) -> None:
    """Render one image: the icon is the left square of the logo."""
    page.set_content(
        f"<style>body{{margin:0}} svg{{height:{HEIGHT}px;width:auto;display:block}}</style>{svg}"
    )
    clip = {"x": 0, "y": 0, "width": WIDTHS[name], "height": HEIGHT}
    page.screenshot(path=path, omit_background=True, clip=clip)


def main() -> None:
    """Render every image, for light and dark backgrounds and in both resolutions."""
    chromium = os.environ.get("DP1_CHROMIUM") or shutil.which("chromium")
    svg = (HERE / "logo.svg").read_text()
    BRAND.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for scale, suffix in ((1, ""), (2, "@2x")):
            page = browser.new_page(device_scale_factor=scale)
            for theme, prefix in (("light", ""), ("dark", "dark_")):
                for name in WIDTHS:
                    themed = svg.replace("<svg ", f'<svg class="{theme}" ', 1)
                    draw(page, themed, name, BRAND / f"{prefix}{name}{suffix}.png")
        browser.close()


if __name__ == "__main__":
    main()
