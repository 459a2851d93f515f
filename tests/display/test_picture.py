"""Test the picture of a work from its playlist item."""

import pytest

from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.display.metadata import work_of


@pytest.mark.parametrize(
    ("item", "cover", "picture"),
    [
        (
            {"source": "https://art.example/a.PNG?x=1"},
            None,
            "https://art.example/a.PNG?x=1",
        ),
        (
            {"source": "https://art.example/a.html"},
            "https://art.example/c",
            "https://art.example/c",
        ),
        ({"source": "https://art.example:port/a.png"}, None, None),
        ({"source": "data:image/png;base64,AAAA"}, "data:image/png;base64,AAAA", None),
        (
            {
                "source": "https://art.example/a.png",
                "inlineManifest": {
                    "metadata": {
                        "thumbnails": {
                            "small": {"uri": "https://art.example/s"},
                            "large": {"uri": "https://art.example/l"},
                        }
                    }
                },
            },
            None,
            "https://art.example/l",
        ),
    ],
)
def test_the_best_picture_is_chosen(
    item: dict[str, object], cover: str | None, picture: str | None
) -> None:
    """The thumbnail comes first, then the work if it is an image, then the cover; unsupported URLs are skipped."""
    playlist = {"title": "Evening", "coverImage": cover, "items": [item]}
    status = {"ok": True, "index": 0, "items": [item], "playlist": playlist}
    player = PlayerStatus.parse(status)
    assert player.current is not None
    assert work_of(player.current, None, player.playlist).picture == picture
